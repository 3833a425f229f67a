/* absolute.h - absolute differences of one column, shared by the files that make, grow on and predict from them. */
#ifndef SM_TARGET_ABSOLUTE_H
#define SM_TARGET_ABSOLUTE_H

#include "target/numbers/one_column.h"

typedef struct sm_absolute {
    sm_one_column column;
    const double *value;   /* [n_items] */
    const uint32_t *rank;  /* [n_items] among the different values */
    const uint32_t *order; /* [n_items] items by value, equal ones by number */
    double *own_value;     /* the same, if they are ours */
    uint32_t *own_rank, *own_order;
} sm_absolute;

static inline const sm_absolute *sm_absolute_of(const smerf_target *target) { return (const sm_absolute *)target; }

/* absolute_search.c */
extern const sm_engine sm_absolute_engine;

/* absolute_leaves.c */
size_t sm_absolute_summary_bytes(const smerf_target *target, size_t n_leaves);
void *sm_absolute_summarise(const smerf_target *target, const sm_leaves *leaves);
void sm_absolute_summary_free(void *summary);
void sm_absolute_leaf_row(const smerf_target *target, const sm_leaves *leaves, size_t leaf, double *row,
                          double *scratch);
double sm_absolute_leaf_pair(const smerf_target *target, const sm_leaves *leaves, size_t a, size_t b);
double sm_absolute_mean_apart(const smerf_target *target, const sm_leaves *leaves, size_t first, size_t end);
bool sm_absolute_root_means(const smerf_target *target, const sm_nodes *nodes, double *mean);

#endif
