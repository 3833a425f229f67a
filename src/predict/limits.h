/* limits.h - how much memory a request may take, and the requests of smerf.h with limits of one's own. Their structs are full.
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
    double whole_bytes;      /* predictions of all pairs, where they are needed twice; beyond: predicted again */
} sm_limits;

extern const sm_limits sm_usual_limits;

smerf_status sm_predict_rows(const smerf_model *model, const smerf_request *request, const sm_limits *limits,
                             const smerf_run *run, smerf_row_sink sink, void *context, smerf_error *error);
smerf_status sm_predict_pairs(const smerf_model *model, const smerf_request *request, const sm_limits *limits,
                              const smerf_pair_list *pairs, const smerf_run *run, const smerf_pair_result *result,
                              smerf_error *error);
smerf_status sm_predict_values(const smerf_model *model, const smerf_request *request, const sm_limits *limits,
                               const smerf_run *run, double *values, smerf_error *error);
smerf_status sm_predict_leaves(const smerf_model *model, const smerf_items *items, const sm_limits *limits,
                               const smerf_run *run, uint32_t *leaves, smerf_error *error);
smerf_status sm_neighbors(const smerf_model *model, const smerf_neighborhood *wanted, const sm_limits *limits,
                          const smerf_run *run, smerf_neighbor_sink sink, void *context, smerf_error *error);

smerf_status sm_index_query(const smerf_index *index, const smerf_neighborhood *wanted, const sm_limits *limits,
                            const smerf_run *run, smerf_neighbor_sink sink, void *context, smerf_error *error);

typedef struct sm_evaluation {
    const smerf_request *request;
    const sm_limits *limits;
    const smerf_target *truth; /* or NULL */
    unsigned metrics;
} sm_evaluation;

smerf_status sm_evaluate(const smerf_model *model, const sm_evaluation *wanted, const smerf_run *run,
                         smerf_scores *scores, smerf_error *error);

#endif
