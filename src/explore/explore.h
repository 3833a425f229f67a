/* explore.h - what the files of this room share, beside clusters.h, and the requests of smerf.h with limits of one's own, which
 * change no bit of the result. */
#ifndef SM_EXPLORE_EXPLORE_H
#define SM_EXPLORE_EXPLORE_H

#include "base/parallel.h"
#include "predict/limits.h"

smerf_status sm_explain_pairs(const smerf_model *model, const smerf_request *request, const sm_limits *limits,
                              const smerf_pair_list *pairs, const smerf_run *run, const smerf_explanation *result,
                              smerf_error *error);

smerf_status sm_make_vectors(const smerf_model *model, const smerf_items *items, bool is_query, const sm_limits *limits,
                             const smerf_run *run, const smerf_vector_result *result, smerf_error *error);

/* Refuses a pair whose distance is not known, where all distances are needed.   what  in the plural: "clusters" */
static inline smerf_status sm_fail_unknown(const char *what, size_t row, size_t column, bool is_out_of_bag,
                                           smerf_error *error) {
    return sm_fail(error, SMERF_BAD_INPUT, "%s need every distance, and that of rows %zu and %zu is not known%s", what,
                   row, column,
                   is_out_of_bag ? " out of bag: there is no tree that has not seen them; more trees are needed" : "");
}

/* ---- classical multidimensional scaling of a matrix of squared distances ---- */

/* The largest positive eigenvalues of B = -1/2 J Z J, and their vectors; the coordinates are sqrt(value) * vector. */
typedef struct sm_scaling {
    size_t n, n_axes;           /* as requested; where B has fewer, the others are 0 */
    double *value;              /* [n_axes] falling */
    double *vector;             /* [n][n_axes] of length 1 each, or 0 */
    double eigenvalue_fraction; /* of the sum of all |eigenvalues|, 1 where all are 0; NaN: not all are known */
} sm_scaling;

/*   z        [n][n] symmetric, finite, its diagonal 0
 *   scaling  n and n_axes are set, and the rest is filled in */
smerf_status sm_scaling_find(const float *z, uint64_t seed, smerf_kernels kernels, sm_pool *pool, sm_scaling *scaling,
                             smerf_error *error);
void sm_scaling_free(sm_scaling *scaling); /* fine on one filled with zeros */

#endif
