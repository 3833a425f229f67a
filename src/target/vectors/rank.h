/* rank.h - a target that keeps only the leading part of another: a cut costs its rank, whatever the number of items.
 *
 * What it says of two items is close to what was given (factor/factor.h says how close); what it says of an item and itself
 * is exactly that. */
#ifndef SM_TARGET_RANK_H
#define SM_TARGET_RANK_H

#include "base/parallel.h"
#include "target/target.h"

/* From distances, a graph or a product; `target` is not needed afterwards.
 *   rank  at least 1; more than there are items is all of it
 *   seed  of the random vectors that the search for the leading ones starts from */
smerf_status sm_rank_new(const smerf_target *target, size_t rank, uint64_t seed, sm_pool *pool, smerf_target **out,
                         smerf_error *error);

typedef struct sm_rank_facts {
    const sm_target_kind *origin; /* the kind it was made from, with its metrics */
    size_t rank;                  /* as kept: less than was asked for, where there is no more */
    double fraction_of_squares;   /* kept of the sum of lambda^2 */
    double eigenvalue_fraction;   /* kept of the sum of |lambda|; NaN: not known */
} sm_rank_facts;

sm_rank_facts sm_rank_describe(const smerf_target *target);

#endif
