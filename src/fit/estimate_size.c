/* estimate_size.c - how work and memory of a fit follow from the sizes of things; see estimate.h. */
#include <math.h>
#include <string.h>

#include "base/parallel.h"
#include "fit/estimate.h"
#include "kernels/deviations.h"
#include "model/shrinkage.h"
#include "target/dense/distances.h"
#include "target/links/graph.h"
#include "target/links/pairs.h"
#include "target/vectors/vectors.h"
#include "train/split/splitter.h"

static const sm_links *links_of(const smerf_target *target) {
    if (target->kind == &sm_target_graph) return sm_graph_of(target)->links;
    bool has_pairs = target->kind == &sm_target_pairs || target->kind == &sm_target_observed;
    return has_pairs ? sm_known_pairs_of(target)->links : NULL;
}

static size_t n_columns_of(const smerf_target *target) {
    bool has_columns = target->kind == &sm_target_response || target->kind == &sm_target_product;
    return has_columns ? sm_columns_vectors(target)->rank : 0;
}

/* Ranks that completion tries are at most about this. */
enum { LIKELY_RANK = 8 };

void sm_fit_size_start(sm_fit_size *size, const smerf_items *items, const smerf_target *target,
                       const smerf_options *resolved, const smerf_run *run) {
    const sm_links *links = links_of(target);
    bool has_pairs = links != NULL && target->kind != &sm_target_graph;
    sm_pool pool;
    sm_pool_start(&pool, run);
    *size = (sm_fit_size){.n_items = items->n_items,
                          .n_features = items->features.n,
                          .n_threads = pool.n_threads < resolved->n_trees ? pool.n_threads : resolved->n_trees,
                          .items = items,
                          .target = target,
                          .options = resolved,
                          .n_links = links != NULL ? (double)links->n : 0,
                          .n_vector = resolved->rank > 0 ? resolved->rank : n_columns_of(target),
                          .is_dense = target->kind == &sm_target_distances && resolved->rank == 0,
                          .is_completed = has_pairs && resolved->complete != SMERF_COMPLETE_OFF};
    if (size->is_completed)
        size->n_vector = resolved->complete == SMERF_COMPLETE_AUTO ? LIKELY_RANK : resolved->complete;
    size->n_more = pool.n_threads - size->n_threads;
}

/* ---- work ---- */

/* Different items in a tree. */
static double in_bag(const sm_fit_size *size, double n) {
    const smerf_options *options = size->options;
    if (options->sample == SMERF_BOOTSTRAP) return 0.632 * n;
    return options->sample == SMERF_SUBSAMPLE ? ceil(options->sample_fraction * n) : n;
}

/* Of n items that are drawn from all: every pair of them is as likely to be linked. */
static double links_among(const sm_fit_size *size, double n) {
    double fraction = n / (double)size->n_items;
    return size->n_links * fraction * fraction;
}

/* Lining up one category in all nodes of a tree, of so many levels from the root down: by all mean distances while it has few of
 * its own, of which nodes hold fewer and fewer; else by products. */
static double category_work(const sm_fit_size *size, size_t feature, double n_in_bag, double n_tree_levels) {
    const sm_feature *of = &size->items->features.feature[feature];
    double q = fmin((double)of->levels.n, n_in_bag), steps = SM_MOST_STEPS;
    if (of->kind != SMERF_CATEGORY || size->options->splits != SMERF_AXIS) return 0;
    if (q <= SM_FEW_LEVELS) return 0.3 * q * q * n_in_bag;
    double n_links = size->options->rank == 0 ? links_among(size, n_in_bag) : 0;
    double product = n_in_bag * (8 + 2 * (double)size->n_vector + (size->is_dense ? 32 : 0)) + 2 * n_links;
    return n_tree_levels * steps * (product + 8 * steps * q);
}

/* Every level of a tree lines all its items up along each candidate. The links inside a node, and the pairs, become fewer
 * from level to level. */
double sm_fit_tree_work(const sm_fit_size *size, double n) {
    double n_in_bag = in_bag(size, n), d = (double)size->options->candidates;
    double n_levels = fmin(log2(n_in_bag + 2), (double)size->options->max_depth + 1);
    double cut = 16 + 4 * (double)size->n_vector;
    if (size->target->kind == &sm_target_absolute) cut += 3 * log2(n_in_bag + 2);
    double work = d * n_levels * n_in_bag * cut;
    for (size_t f = 0; f < size->n_features; f++)
        work += fmin(1, d / (double)size->n_features) * category_work(size, f, n_in_bag, n_levels);
    if (size->options->splits == SMERF_OBLIQUE) work += 300 * d * n_in_bag; /* directions are drawn at every node */
    if (size->is_dense) work += (0.3 * d + 1) * n_in_bag * n_in_bag;
    if (size->options->rank == 0) work += 5 * d * n_levels * links_among(size, n_in_bag);
    return work;
}

double sm_fit_setup_work(const sm_fit_size *size, double n) {
    double work = 60 * n * (double)size->n_features, links = links_among(size, n);
    if (size->options->rank > 0) {
        double r = (double)size->options->rank + 10;
        work += 20 * r * (links + n * r + (size->target->kind == &sm_target_distances ? n * n / 2 : 0));
    }
    if (size->is_completed) { /* an item is as much work as some tens of links */
        bool is_open = size->options->complete == SMERF_COMPLETE_AUTO;
        work += (is_open ? 50000 : 900 * (double)size->options->complete) * (links + 50 * n);
    }
    return work;
}

/* ---- memory ---- */

double sm_fit_tree_bytes(const sm_tree *tree) {
    double bytes = 5.0 * (double)tree->n_nodes + 8.0 * (double)sm_tree_n_members(tree) + 4.0 * (double)tree->n_leaves;
    bytes += (4 + 8 + 8 + 1 + 1 + 4) * (double)tree->n_splits;
    double n_terms = tree->first_term[tree->n_splits];
    bytes += n_terms * (4 + 1 + (tree->term_level != NULL ? 4 : 0));
    if (tree->first_left != NULL) bytes += 4.0 * ((double)tree->n_splits + tree->first_left[tree->n_splits]);
    return bytes;
}

double sm_fit_tree_file_bytes(const sm_tree *tree) {
    double n_terms = tree->first_term[tree->n_splits];
    double bytes = (double)tree->n_nodes + 8.0 * (double)sm_tree_n_members(tree) + 4.0 * (double)tree->n_leaves;
    bytes += 16.0 * (double)tree->n_splits + 4 * n_terms;
    if (n_terms != (double)tree->n_splits) bytes += 4.0 * (double)tree->n_splits + n_terms;
    if (tree->term_level != NULL) bytes += 4 * n_terms;
    if (tree->first_left != NULL) bytes += 4.0 * ((double)tree->n_splits + tree->first_left[tree->n_splits]);
    return bytes;
}

static double strings_bytes(const sm_strings *strings) {
    double bytes = 0;
    for (size_t i = 0; i < strings->n; i++) bytes += (double)(sizeof(char *) + strlen(strings->text[i]) + 1);
    return bytes;
}

/* Ids, and the names of levels. */
static double name_bytes(const sm_fit_size *size) {
    double bytes = strings_bytes(&size->items->ids);
    for (size_t f = 0; f < size->n_features; f++) bytes += strings_bytes(&size->items->features.feature[f].levels);
    return bytes;
}

/* A category has codes in the caller's numbering and in ours. */
static double item_bytes(const sm_fit_size *size) { return 8.0 * (double)size->n_items * (double)size->n_features; }

static double entry_bytes(const sm_links *links) {
    return 4.0 + (links->value != NULL ? 8 : 0) + (links->weight != NULL ? 8 : 0);
}

/* What is given, and what is made of it before a tree is grown. */
static double target_bytes(const sm_fit_size *size) {
    double n = (double)size->n_items, bytes = 16 * n;
    const sm_links *links = links_of(size->target);
    if (size->target->kind == &sm_target_distances) bytes += 4 * n * n;
    if (links != NULL) bytes += (double)links->n * entry_bytes(links);
    if (n_columns_of(size->target) > 0) bytes += 16 * n * (double)n_columns_of(size->target);
    if (size->options->rank > 0 || size->is_completed) bytes += 8 * n * ((double)size->n_vector + 2);
    if (size->is_completed) bytes += 12 * size->n_links;
    return bytes;
}

static size_t n_numbers_of(const sm_fit_size *size) {
    size_t n = 0;
    for (size_t f = 0; f < size->n_features; f++) n += size->items->features.feature[f].kind == SMERF_NUMBER;
    return n;
}

/* Items of a subtree that is kept in order along every column of numbers. */
static double most_sorted(const sm_fit_size *size) {
    size_t n_in_bag = (size_t)in_bag(size, (double)size->n_items);
    return (double)sm_problem_most_sorted(size->options, size->target, n_numbers_of(size), n_in_bag);
}

/* Columns of numbers: in order where trees are kept so (a few have ranks, too: those in which numbers repeat), else ranked. */
static double rank_bytes(const sm_fit_size *size) {
    return (most_sorted(size) > 0 ? 3 : 4) * (double)size->n_items * (double)n_numbers_of(size);
}

/* What growing will read, as far as it is known without ranks. */
static sm_problem problem_of(const sm_fit_size *size) {
    sm_problem problem = {.n_items = size->n_items,
                          .features = &size->items->features,
                          .target = size->target,
                          .item_weights = size->items->weights,
                          .options = size->options,
                          .most_in_bag = (size_t)in_bag(size, (double)size->n_items),
                          .most_sorted = (size_t)most_sorted(size),
                          .n_numbers = n_numbers_of(size),
                          .most_line_ups = size->options->candidates};
    problem.engine = sm_problem_choose_engine(&problem);
    problem.n_threads = size->is_dense ? sm_problem_threads(&problem, size->n_threads) : size->n_threads;
    return problem;
}

/* A thread's: a sample, the line-ups of its largest node, a tree that grows, and what the target's search needs. */
static double thread_bytes(const sm_fit_size *size, const sm_problem *problem, double tree_bytes) {
    double n = (double)size->n_items, n_in_bag = (double)problem->most_in_bag;
    bool is_scanned = sm_lists_slots(size->target->kind);
    double bytes = 4 * n + (is_scanned ? 28 : 48) * n_in_bag + tree_bytes;
    bytes += sm_splitter_bytes(problem, is_scanned ? 1 : 2);
    bytes += sm_categories_bytes(problem) + 8 * fmin(n_in_bag, (double)sm_problem_most_levels(problem)) *
                                                (double)(size->n_vector + 4); /* and in the target's search */
    bytes += most_sorted(size) * (4 * (double)n_numbers_of(size) + 4);
    if (size->is_dense) {
        sm_search_size search = sm_problem_search_size(problem);
        bytes += sm_distances_search_bytes(size->target, &search);
    }
    if (size->n_links > 0 && size->options->rank == 0)
        bytes += links_among(size, n_in_bag) * entry_bytes(links_of(size->target)) + 170 * n_in_bag;
    if (size->n_vector == 1 && is_scanned) return bytes + 8 * n_in_bag;
    if (size->n_vector > 0) bytes += 8 * n + 8 * n_in_bag * (double)sm_deviation_stride(size->n_vector);
    return bytes;
}

/* A program and its libraries; and what lies idle between the arrays of trees. */
static const double program_bytes = 6e6, idle_tree_bytes = 3000;

/* Threads that only get branches of trees, see sm_problem_threads: the first has half of one, later ones less and less.
 * Measured. */
static double more_bytes(const sm_fit_size *size, const sm_problem *problem, double of_a_thread) {
    if (size->options->rank > 0 || !problem->engine->lists_slots) return 0;
    double n_trees = (double)size->n_threads, n_more = (double)size->n_more, doublings = log2(1 + n_more / n_trees);
    return n_more * 4 * (double)size->n_items + 0.6 * doublings * n_trees * of_a_thread;
}

double sm_fit_bytes(const sm_fit_size *size, double tree_bytes) {
    double n = (double)size->n_items;
    const sm_problem problem = problem_of(size);
    double of_a_thread = thread_bytes(size, &problem, tree_bytes);
    double threads = (double)problem.n_threads * of_a_thread + more_bytes(size, &problem, of_a_thread);
    double growing = rank_bytes(size) + 8 * n + threads;
    double kept = item_bytes(size) + 3 * name_bytes(size) + target_bytes(size) + 8 * n;
    double trees = (tree_bytes + idle_tree_bytes) * (double)size->options->n_trees;
    return program_bytes + kept + trees + growing;
}

double sm_fit_file_bytes(const sm_fit_size *size, double tree_file_bytes) {
    double n = (double)size->n_items,
           bytes = tree_file_bytes * (double)size->options->n_trees + 8 * n + name_bytes(size);
    double n_pairs = links_of(size->target) != NULL && size->n_links > 0 ? size->n_links / 2 : n * (n - 1) / 2;
    if (size->options->shrink == SMERF_SHRINK_AUTO) bytes += 36 * fmin(n_pairs, SM_MOST_SHRINKAGE_PAIRS);
    if (size->is_dense) return bytes + 2 * n * n;
    if (size->options->rank == 0 && size->n_links > 0)
        bytes += size->n_links / 2 * entry_bytes(links_of(size->target)) + 4 * n;
    return bytes + 8 * n * fmax(1, (double)size->n_vector);
}
