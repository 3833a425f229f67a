/* estimate.h - what a fit will cost: the parts of smerf_fit_estimate. */
#ifndef SM_STUDY_ESTIMATE_H
#define SM_STUDY_ESTIMATE_H

#include "data/items.h"
#include "model/tree.h"
#include "target/target.h"

/* What the costs of a fit depend on. */
typedef struct sm_fit_size {
    size_t n_items, n_features;
    size_t n_threads; /* that grow trees of their own */
    size_t n_more;    /* that may get branches of these */
    const smerf_items *items;
    const smerf_target *target;
    const smerf_options *options; /* resolved */
    double n_links;               /* entries of a graph or of pairs; else 0 */
    size_t n_vector;              /* numbers of an item that a cut looks at: columns, or a rank; else 0 */
    bool is_dense;                /* grown on all distances of a matrix */
    bool is_completed;            /* missing pairs are, or may be, filled in */
} sm_fit_size;

void sm_fit_size_start(sm_fit_size *size, const smerf_items *items, const smerf_target *target,
                       const smerf_options *resolved, const smerf_run *run);

/* How much work n items are, roughly in nanoseconds, whatever the machine: one tree, and all that comes before the
 * first. How it grows with n is what counts. */
double sm_fit_tree_work(const sm_fit_size *size, double n);
double sm_fit_setup_work(const sm_fit_size *size, double n);

/* What a tree takes in memory, and in a file. */
double sm_fit_tree_bytes(const sm_tree *tree);
double sm_fit_tree_file_bytes(const sm_tree *tree);

/* What a fit takes at its peak, with the items and the target; and its model in a file.
 *   tree_bytes, tree_file_bytes  of one tree */
double sm_fit_bytes(const sm_fit_size *size, double tree_bytes);
double sm_fit_file_bytes(const sm_fit_size *size, double tree_file_bytes);

#endif
