/* linear_problem.c - least squares over pairs, from items to W: see linear_problem.h.
 *   1. pairs and their weights                                                  training_pairs.c
 *   2. coordinates in which the problem is well conditioned                     frame.c
 *   3. the sums over pairs, once                                                pair_squares.c
 *   4. the best positive semidefinite A: at once, or by iteration               psd_least_squares.c
 *   5. W = T A T' as F' F, one row of F for each positive eigenvalue of A
 * and, where it is wanted, the intercept that goes with A                       intercept.c */
#include "method/linear/fit/linear_problem.h"

#include <math.h>

#include "base/memory.h"

smerf_status sm_linear_problem_take_scratch(sm_linear_problem *at, smerf_error *error) {
    size_t rank = at->frame.rank;
    at->a = sm_array(rank * rank, sizeof *at->a);
    at->values = sm_array(rank, sizeof *at->values);
    at->vectors = sm_array(rank * rank, sizeof *at->vectors);
    at->scratch = sm_array(rank * rank + 3 * rank, sizeof *at->scratch);
    bool is_there = at->a != NULL && at->values != NULL && at->vectors != NULL && at->scratch != NULL;
    return is_there ? SMERF_OK : sm_no_memory(error, "solving for W");
}

/* H is the identity, so A is the positive part of b, and S the negative one: nothing but rounding is left over. */
static smerf_status solve_directly(sm_linear_problem *at, smerf_error *error) {
    size_t rank = at->frame.rank;
    for (size_t k = 0; k < rank * rank; k++) at->a[k] = at->squares.b[k];
    sm_psd_part(at->a, rank, at->values, at->vectors, at->scratch);
    return sm_pair_squares_residual(&at->squares, at->training->pool, at->a, &at->facts.kkt, error);
}

static smerf_status solve_for_a(sm_linear_problem *at, smerf_error *error) {
    const sm_psd_problem problem = {
        .n = at->frame.rank, .b = at->squares.b, .apply = sm_pair_squares_apply, .context = &at->squares};
    if (sm_pair_squares_is_direct(&at->squares)) return solve_directly(at, error);
    smerf_status status = sm_psd_least_squares(&problem, at->training->pool, at->a, &at->facts, error);
    if (status == SMERF_OK) sm_psd_part(at->a, at->frame.rank, at->values, at->vectors, at->scratch);
    return status;
}

/* Eigenvalues below this fraction of the largest are rounding. */
static const double nothing = 1e-15;

static smerf_status make_factor(const sm_linear_problem *at, sm_linear_map *map, smerf_error *error) {
    size_t rank = at->frame.rank, p = at->frame.n_columns;
    double largest = 0;
    for (size_t k = 0; k < rank; k++) largest = fmax(largest, at->values[k]);
    map->factor = sm_zeros(sm_size(rank, p, 0), sizeof *map->factor);
    if (map->factor == NULL) return sm_no_memory(error, "solving for W");
    for (size_t k = 0; k < rank; k++) {
        if (!(at->values[k] > nothing * largest)) continue;
        double *row = map->factor + map->rank++ * p, root = sqrt(at->values[k]);
        for (size_t c = 0; c < p; c++) {
            for (size_t d = 0; d < rank; d++) row[c] += at->frame.t[c * rank + d] * at->vectors[k * rank + d];
            row[c] *= root;
            if (!isfinite(row[c]))
                return sm_fail(error, SMERF_BAD_INPUT,
                               "the distances are so large, or the features so small, that W overflows");
        }
    }
    return SMERF_OK;
}

/* Pairs of an item with itself would have their say in an intercept, and are no guide to what different items have. */
static smerf_status prepare_intercept(sm_linear_problem *at, smerf_error *error) {
    sm_training_pairs_drop_selves(&at->pairs);
    smerf_status status = sm_training_pairs_mean(&at->pairs, at->training->pool, &at->mean, error);
    if (status != SMERF_OK || isfinite(at->mean.distance)) return status;
    return sm_fail(error, SMERF_BAD_INPUT, "the distances are so large that their sums overflow");
}

/* Fraction of the work on the frame and the sums after which the frame is there. */
static const double after_frame = 0.4;

smerf_status sm_linear_problem_start(sm_linear_problem *problem, const sm_training_set *training,
                                     const sm_learned *learned, smerf_error *error) {
    sm_pool *pool = training->pool;
    double from = pool->fraction_from, to = pool->fraction_to;
    *problem = (sm_linear_problem){.training = training, .learned = learned};
    pool->fraction_to = from;
    smerf_status status = sm_training_pairs_start(&problem->pairs, training, error);
    if (status == SMERF_OK && learned->has_intercept) status = prepare_intercept(problem, error);
    if (status == SMERF_OK) status = sm_frame_new(&problem->frame, training, learned, &problem->pairs, error);
    if (status == SMERF_OK && problem->frame.rank > 0) {
        pool->fraction_from = from + after_frame * (to - from);
        pool->fraction_to = to;
        status = sm_pair_squares_start(&problem->squares, &problem->pairs, &problem->frame, learned->is_of_differences,
                                       pool, error);
        if (status == SMERF_OK && learned->has_intercept)
            status = sm_pair_squares_add_intercept(&problem->squares, problem->mean, error);
        if (status == SMERF_OK) status = sm_linear_problem_take_scratch(problem, error);
    }
    if (status != SMERF_OK) sm_linear_problem_free(problem);
    return status;
}

void sm_linear_problem_free(sm_linear_problem *problem) {
    sm_training_pairs_free(&problem->pairs);
    sm_frame_free(&problem->frame);
    sm_pair_squares_free(&problem->squares);
    sm_free(problem->a);
    sm_free(problem->values);
    sm_free(problem->vectors);
    sm_free(problem->scratch);
    *problem = (sm_linear_problem){0};
}

/* Of what is fitted to the distances, or to 1 - distances. Where all items are the same, the mean is all there is. */
static double intercept_of(const sm_linear_problem *at) {
    bool is_of_differences = at->learned->is_of_differences;
    if (!at->learned->has_intercept) return is_of_differences ? 0 : 1;
    if (!(at->mean.weight > 0)) return NAN;
    if (at->frame.rank == 0) return at->mean.distance;
    double intercept = sm_pair_squares_intercept(&at->squares, at->a);
    return is_of_differences ? intercept : 1 - intercept;
}

smerf_status sm_linear_problem_solve(sm_linear_problem *problem, double ridge, sm_linear_map *map, smerf_error *error) {
    smerf_status status = SMERF_OK;
    *map = (sm_linear_map){0};
    if (problem->frame.rank > 0) {
        problem->squares.ridge = ridge;
        status = solve_for_a(problem, error);
        if (status == SMERF_OK) status = make_factor(problem, map, error);
    }
    if (status == SMERF_OK)
        map->intercept = intercept_of(problem);
    else
        sm_linear_map_free(map);
    return status;
}

smerf_status sm_linear_problem_map(sm_linear_problem *problem, sm_linear_map *map, smerf_error *error) {
    sm_psd_part(problem->a, problem->frame.rank, problem->values, problem->vectors, problem->scratch);
    return make_factor(problem, map, error);
}
