/* labels.h - labels, shared by the files that make them, grow on them and predict from them. */
#ifndef SM_TARGET_LABELS_H
#define SM_TARGET_LABELS_H

#include "target/numbers/one_column.h"

typedef struct sm_labels {
    sm_one_column column;
    const uint32_t *class_of;  /* [n_items] */
    const sm_strings *classes; /* those that occur, in bytewise order */
    uint32_t *own_class_of;    /* the same, if they are ours */
    sm_strings own_classes;
} sm_labels;

static inline const sm_labels *sm_labels_of(const smerf_target *target) { return (const sm_labels *)target; }

/* labels_search.c */
extern const sm_engine sm_labels_engine;

/* labels_scan.c */
extern const sm_engine sm_labels_scanner;

/* labels_leaves.c */
size_t sm_labels_summary_bytes(const smerf_target *target, size_t n_leaves);
void *sm_labels_summarise(const smerf_target *target, const sm_leaves *leaves);
void sm_labels_summary_free(void *summary);
void sm_labels_leaf_row(const smerf_target *target, const sm_leaves *leaves, size_t leaf, double *row, double *scratch);
size_t sm_labels_n_block_numbers(const smerf_target *target);
void sm_labels_leaf_block(const smerf_target *target, const sm_leaves *leaves, const sm_leaf_block *block,
                          double *table);
bool sm_labels_leaf_codes(const smerf_target *target, const sm_leaves *leaves, uint8_t *code);
double sm_labels_leaf_pair(const smerf_target *target, const sm_leaves *leaves, size_t a, size_t b);
size_t sm_labels_n_coordinates(const smerf_target *target);
void sm_labels_leaf_point(const smerf_target *target, const sm_leaves *leaves, size_t leaf, double *point,
                          double *term);
double sm_labels_mean_apart(const smerf_target *target, const sm_leaves *leaves, size_t first, size_t end);
void sm_labels_leaf_values(const smerf_target *target, const sm_leaves *leaves, size_t leaf, double *values);
size_t sm_labels_node_bytes(const smerf_target *target, const sm_leaves *leaves);
void *sm_labels_summarise_nodes(const smerf_target *target, const sm_nodes *nodes);
void sm_labels_nodes_free(void *summary);
void sm_labels_path_means(const smerf_target *target, const sm_nodes *nodes, size_t leaf, const uint32_t *path,
                          size_t n, double *mean, double *scratch);

#endif
