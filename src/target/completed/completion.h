/* completion.h - what the pairs that are missing are likely to be: a form of low rank fitted to those that are known.
 *
 * z_ij ~ a_i + a_j - 2 sum over r of scale_r u_ir u_jr (forms.h), by least squares with shrinkage on the observed
 * pairs. Nothing here knows of forests. */
#ifndef SM_FACTOR_COMPLETION_H
#define SM_FACTOR_COMPLETION_H

#include "base/parallel.h"
#include "factor/forms.h"

typedef struct sm_completion {
    size_t n_items, rank; /* rank: as kept; at most twice what was wanted */
    double *a;            /* [n_items] */
    double *u;            /* [n_items][rank] */
    double *scale;        /* [rank] */
} sm_completion;

void sm_completion_free(sm_completion *completion); /* fine on one filled with zeros */

/* Its word on one pair of different items. */
double sm_completion_pair(const sm_completion *completion, size_t i, size_t j);

/* A completion under way: fitted with one shrinkage after the other, each from where the one before ended. From much
 * shrinkage to little it finds its way; started with little it gets lost where pairs are few. */
typedef struct sm_completer sm_completer;

/*   rank      0: a_i + a_j only
 *   left_out  [links->n] entries that are not to be looked at; NULL: none
 *   seed      of the starting point */
smerf_status sm_completer_new(const sm_links *links, const bool *left_out, size_t rank, uint64_t seed, size_t n_threads,
                              sm_completer **out, smerf_error *error);
void sm_completer_free(sm_completer *completer);

/*   shrinkage  in units of the variance of the known distances: 0.001 is little, 10 much */
smerf_status sm_completer_fit(sm_completer *completer, double shrinkage, size_t most_sweeps, sm_pool *pool,
                              smerf_error *error);

/* The form as it stands. */
smerf_status sm_completer_form(const sm_completer *completer, sm_completion *out, smerf_error *error);

/* ---- completion_choice.c ---- */

/* Marks about a tenth of the pairs, the same for both entries of each.   left_out  [links->n] out; returns how many pairs */
size_t sm_completion_hold_out(const sm_links *links, uint64_t seed, bool *left_out);

/* Shrinkages fall by this factor from the first on. */
#define SM_FIRST_SHRINKAGE 10.0
#define SM_NEXT_SHRINKAGE 0.31622776601683794

/* Chooses the rank (if *rank is SMERF_COMPLETE_AUTO) and how many shrinkages are gone through, by the error on the pairs
 * that are left out. A rank of 0 means that no structure was found beyond what the items have for themselves. */
smerf_status sm_completion_choose(const sm_links *links, const bool *left_out, uint64_t seed, size_t *rank,
                                  size_t *n_steps, sm_pool *pool, smerf_error *error);

/* The completion of this rank, with so many shrinkages. */
smerf_status sm_complete(const sm_links *links, size_t rank, size_t n_steps, uint64_t seed, sm_pool *pool,
                         sm_completion *out, smerf_error *error);

#endif
