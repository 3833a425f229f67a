/* linear_problem.h - the least squares of mahalanobis or bilinear over the pairs of some items, solved for a ridge or several. */
#ifndef SM_METHOD_LINEAR_PROBLEM_H
#define SM_METHOD_LINEAR_PROBLEM_H

#include "method/linear/fit/pair_squares.h"

typedef struct sm_linear_problem {
    const sm_training_set *training;
    const sm_learned *learned; /* its design, which method it is, and whether there is an intercept */
    sm_training_pairs pairs;
    sm_frame frame;
    sm_pair_squares squares;
    sm_training_mean mean;                  /* with an intercept */
    double *a, *values, *vectors, *scratch; /* [rank][rank], [rank], [rank][rank], see sm_psd_part */
    sm_psd_facts facts;                     /* of what was solved last */
} sm_linear_problem;

/* Items with weight 0 are as if they were not there, but for their part in the units of the solver. */
smerf_status sm_linear_problem_start(sm_linear_problem *problem, const sm_training_set *training,
                                     const sm_learned *learned, smerf_error *error);
void sm_linear_problem_free(sm_linear_problem *problem); /* takes one filled with zeros */

/* W and the intercept. Where no pair of different items has any weight, W is 0, and an intercept that was to be learned is NaN.
 *   map  freed with sm_linear_map_free */
smerf_status sm_linear_problem_solve(sm_linear_problem *problem, double ridge, sm_linear_map *map, smerf_error *error);

/* ---- for another problem in the coordinates of the frame ---- */

/* Reserves a, values, vectors and scratch. */
smerf_status sm_linear_problem_take_scratch(sm_linear_problem *problem, smerf_error *error);

/* W of problem->a, which becomes its positive part; the intercept is as it is. */
smerf_status sm_linear_problem_map(sm_linear_problem *problem, sm_linear_map *map, smerf_error *error);

#endif
