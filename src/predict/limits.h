/* limits.h - how much memory a question may take, and the questions of smerf.h with limits of one's own.
 *
 * Limits change how the work is cut up and how often something is done again, but no bit of a result. */
#ifndef SM_QUERY_LIMITS_H
#define SM_QUERY_LIMITS_H

#include "smerf.h"

typedef struct sm_limits {
    double group_bytes;      /* trees made ready at the same time; one tree at least */
    double leaves_bytes;     /* leaves of all items in all trees, kept from group to group; beyond: found again */
    double panel_bytes;      /* rows predicted at the same time, if that is enough for all threads */
    double most_panel_bytes; /* if it is not, or if every panel has to go through several groups; one row at least */
    double whole_bytes;      /* predictions of all pairs, where they are asked for twice; beyond: predicted again */
} sm_limits;

extern const sm_limits sm_usual_limits;

smerf_status sm_predict_rows(const smerf_model *model, const smerf_request *request, const sm_limits *limits,
                             const smerf_run *run, smerf_row_sink sink, void *context, smerf_error *error);
smerf_status sm_predict_pairs(const smerf_model *model, const smerf_request *request, const sm_limits *limits,
                              const uint32_t *left, const uint32_t *right, size_t n_pairs, const smerf_run *run,
                              double *distance, double *spread, smerf_error *error);
smerf_status sm_predict_values(const smerf_model *model, const smerf_request *request, const sm_limits *limits,
                               const smerf_run *run, double *values, smerf_error *error);
smerf_status sm_predict_leaves(const smerf_model *model, const smerf_items *items, const sm_limits *limits,
                               const smerf_run *run, uint32_t *leaves, smerf_error *error);
smerf_status sm_neighbors(const smerf_model *model, const smerf_neighborhood *wanted, const sm_limits *limits,
                          const smerf_run *run, smerf_neighbor_sink sink, void *context, smerf_error *error);
smerf_status sm_evaluate(const smerf_model *model, const smerf_request *request, const sm_limits *limits,
                         const smerf_target *truth, unsigned metrics, const smerf_run *run, smerf_scores *scores,
                         smerf_error *error);

#endif
