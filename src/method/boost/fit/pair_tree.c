/* pair_tree.c - see pair_tree.h.
 *   1. the leaf whose split gains most is taken               grow_pair_tree
 *   2. its pairs are partitioned, each side in order           part_pairs
 *   3. the histogram of the smaller side is filled, and that of the larger is what is left of the parent's; then every column is
 *      searched for the best split of both                     look_at_some, by features */
#include "method/boost/fit/pair_tree.h"

#include <string.h>

/* More than this, and histograms are not kept: each is filled from its pairs. */
static const double most_histogram_bytes = 512e6;

/* ---- memory ---- */

smerf_status sm_pair_tree_start(sm_pair_tree *tree, const sm_tree_plan *plan, size_t most_pairs, size_t n_threads,
                                smerf_error *error) {
    const sm_binned *binned = plan->binned;
    size_t most_nodes = 2 * plan->n_leaves, n_joint = (size_t)SM_MOST_BINS * SM_MOST_BINS * SM_JOINT_FEATURES;
    double slot_bytes = (double)binned->n_cells * sizeof(sm_cell);
    *tree = (sm_pair_tree){.plan = plan, .most_pairs = most_pairs};
    sm_pool_start(&tree->alone, &SMERF_INIT(smerf_run, .n_threads = 1));
    tree->keeps_histograms = slot_bytes * (double)plan->n_leaves <= most_histogram_bytes;
    tree->n_slots = tree->keeps_histograms ? plan->n_leaves : 2;
    double bytes = slot_bytes * (double)tree->n_slots + (double)n_threads * (double)n_joint * sizeof(sm_cell);
    smerf_status status = sm_check_memory(bytes, "growing trees on pairs", error);
    if (status != SMERF_OK) return status;
    tree->nodes = sm_arena_take(&tree->arena, most_nodes, sizeof *tree->nodes);
    tree->order = sm_arena_take(&tree->arena, most_pairs, sizeof *tree->order);
    tree->spare = sm_arena_take(&tree->arena, most_pairs, sizeof *tree->spare);
    tree->cells = sm_arena_take(&tree->arena, sm_size(tree->n_slots, binned->n_cells, 0), sizeof *tree->cells);
    tree->joint = sm_arena_take_zeros(&tree->arena, sm_size(n_threads, n_joint, 0), sizeof *tree->joint);
    for (size_t side = 0; side < 2; side++)
        tree->found[side] = sm_arena_take(&tree->arena, binned->n_columns, sizeof *tree->found[side]);
    if (!tree->arena.has_failed) return SMERF_OK;
    sm_pair_tree_free(tree);
    return sm_no_memory(error, "growing trees on pairs");
}

void sm_pair_tree_free(sm_pair_tree *tree) {
    sm_arena_free(&tree->arena);
    *tree = (sm_pair_tree){0};
}

/* ---- which way ---- */

/* By bin, which side of a split. */
static void list_sides(const sm_binned *binned, const sm_bin_split *split, bool goes_left[SM_MOST_BINS]) {
    const sm_pair_column *column = &binned->columns[split->column];
    size_t n_values = column->n_bins - column->has_missing;
    for (size_t b = 0; b < SM_MOST_BINS; b++)
        goes_left[b] = column->threshold == NULL ? sm_set_has(split->set, (unsigned)b)
                       : b < n_values            ? b <= split->bin
                                                 : split->missing_left;
}

static size_t bin_of(const sm_binned *binned, const sm_pair_column *column, size_t which, size_t left, size_t right) {
    const sm_binned_feature *feature = &binned->features[column->feature];
    return sm_pair_bins(feature, left, right)[which - feature->first_column];
}

/* ---- 2. partition ---- */

enum { PAIRS_A_PART = 1 << 15 };

typedef struct part_job {
    const sm_binned *binned;
    const sm_pair_slice *pairs; /* all of the node */
    const sm_bin_split *split;
    bool goes_left[SM_MOST_BINS];
    uint32_t *order, *spare;
    size_t *n_left; /* [tasks] */
} part_job;

static size_t end_of_part(const part_job *job, size_t task) {
    return (task + 1) * PAIRS_A_PART < job->pairs->n ? (task + 1) * PAIRS_A_PART : job->pairs->n;
}

static bool goes_left_in(const part_job *job, uint32_t pair) {
    const sm_pair_column *column = &job->binned->columns[job->split->column];
    size_t bin = column->kind == SM_PAIR_BASE
                     ? job->pairs->base_bin[pair]
                     : bin_of(job->binned, column, job->split->column, job->pairs->left[pair], job->pairs->right[pair]);
    return job->goes_left[bin];
}

/* Those that go left in front, the others from the end of the part backwards, both into the spare. */
static smerf_status part_some(void *argument, size_t task, size_t thread, smerf_error *error) {
    const part_job *job = argument;
    size_t first = task * PAIRS_A_PART, end = end_of_part(job, task), left = first, right = end;
    (void)thread, (void)error;
    for (size_t k = first; k < end; k++) {
        uint32_t pair = job->order[k];
        bool is_left = goes_left_in(job, pair);
        job->spare[left] = pair; /* the wrong one of both is overwritten later */
        job->spare[right - 1] = is_left ? job->spare[right - 1] : pair;
        left += is_left;
        right -= !is_left;
    }
    job->n_left[task] = left - first;
    return SMERF_OK;
}

/* All lefts, then all rights in order again. */
static void join_parts(const part_job *job, size_t n_tasks) {
    size_t to = 0;
    for (size_t t = 0; t < n_tasks; t++) {
        memcpy(job->order + to, job->spare + t * PAIRS_A_PART, job->n_left[t] * sizeof *job->order);
        to += job->n_left[t];
    }
    for (size_t t = 0; t < n_tasks; t++)
        for (size_t k = end_of_part(job, t); k > t * PAIRS_A_PART + job->n_left[t]; k--)
            job->order[to++] = job->spare[k - 1];
}

static smerf_status part_pairs(sm_pair_tree *tree, const sm_pair_slice *pairs, const sm_bin_split *split,
                               size_t *n_left, sm_pool *pool, smerf_error *error) {
    size_t n_tasks = (pairs->n + PAIRS_A_PART - 1) / PAIRS_A_PART;
    part_job job = {.binned = tree->plan->binned,
                    .pairs = pairs,
                    .split = split,
                    .order = tree->order + (pairs->order - tree->order),
                    .spare = tree->spare + (pairs->order - tree->order)};
    list_sides(job.binned, split, job.goes_left);
    job.n_left = sm_array(n_tasks, sizeof *job.n_left);
    if (job.n_left == NULL) return sm_no_memory(error, "growing trees on pairs");
    smerf_status status = sm_pool_run(pool, n_tasks, part_some, &job, error);
    *n_left = 0;
    if (status == SMERF_OK) join_parts(&job, n_tasks);
    for (size_t t = 0; t < n_tasks && status == SMERF_OK; t++) *n_left += job.n_left[t];
    sm_free(job.n_left);
    return status;
}

/* ---- 3. histograms and splits ---- */

/* One node, or two children of one: `filled` is filled from its pairs, and what is left of the parent's, in `rest`, is the other. */
typedef struct look_job {
    sm_pair_tree *tree;
    const sm_gradients *gradients;
    sm_pair_slice pairs; /* of the node that is filled */
    sm_grown_node *filled, *rest;
    sm_pair_slice rest_pairs; /* where histograms are not kept */
    size_t n_batches;
} look_job;

static sm_cell *cells_of(const sm_pair_tree *tree, const sm_grown_node *node) {
    return tree->cells + node->slot * tree->plan->binned->n_cells;
}

static bool may_be_split(const sm_pair_tree *tree, const sm_grown_node *node) {
    return node->n >= 2 * tree->plan->min_leaf && node->n >= 2;
}

static void search_columns(look_job *job, const sm_grown_node *node, size_t side, size_t first, size_t end) {
    const sm_tree_plan *plan = job->tree->plan;
    for (size_t c = 0; c < plan->binned->n_columns; c++) {
        const sm_pair_column *column = &plan->binned->columns[c];
        if (column->feature < first || column->feature >= end) continue;
        job->tree->found[side][c] =
            sm_column_best_split(plan, c, cells_of(job->tree, node) + column->first, node->sum, job->gradients);
    }
}

static void subtract_columns(const look_job *job, size_t first, size_t end) {
    const sm_binned *binned = job->tree->plan->binned;
    const sm_cell *filled = cells_of(job->tree, job->filled);
    sm_cell *rest = cells_of(job->tree, job->rest);
    for (size_t c = 0; c < binned->n_columns; c++) {
        const sm_pair_column *column = &binned->columns[c];
        if (column->feature < first || column->feature >= end) continue;
        for (size_t b = column->first; b < column->first + column->n_bins; b++) rest[b] -= filled[b];
    }
}

/* A batch of features. */
static smerf_status look_at_some(void *argument, size_t batch, size_t thread, smerf_error *error) {
    look_job *job = argument;
    sm_pair_tree *tree = job->tree;
    const sm_binned *binned = tree->plan->binned;
    size_t n = binned->n_features + 1; /* and the base */
    size_t first = n * batch / job->n_batches, end = n * (batch + 1) / job->n_batches;
    sm_cell *joint = tree->joint + thread * SM_MOST_BINS * SM_MOST_BINS * SM_JOINT_FEATURES;
    (void)error;
    sm_histogram_fill(binned, &job->pairs, first, end, cells_of(tree, job->filled), joint);
    search_columns(job, job->filled, 0, first, end);
    if (job->rest == NULL) return SMERF_OK;
    if (tree->keeps_histograms)
        subtract_columns(job, first, end);
    else
        sm_histogram_fill(binned, &job->rest_pairs, first, end, cells_of(tree, job->rest), joint);
    search_columns(job, job->rest, 1, first, end);
    return SMERF_OK;
}

/* The first of the best columns. */
static void choose_column(const sm_pair_tree *tree, size_t side, sm_grown_node *node) {
    node->split = (sm_bin_split){0};
    for (size_t c = 0; c < tree->plan->binned->n_columns; c++)
        if (tree->found[side][c].gain > node->split.gain) node->split = tree->found[side][c];
}

/* Work on which several threads are quicker than one, in pairs times features. */
enum { FEWEST_ADDITIONS = 400000 };

static smerf_status look_at_nodes(look_job *job, sm_pool *pool, smerf_error *error) {
    sm_pair_tree *tree = job->tree;
    size_t n_features = tree->plan->binned->n_features + 1, threads = pool->n_threads;
    bool is_alone = threads == 1 || job->pairs.n * n_features < FEWEST_ADDITIONS;
    size_t wanted = is_alone ? 1 : (n_features + SM_JOINT_FEATURES - 1) / SM_JOINT_FEATURES;
    if (!is_alone) wanted = (wanted + threads - 1) / threads * threads;
    job->n_batches = wanted < n_features ? wanted : n_features;
    smerf_status status = sm_pool_run(is_alone ? &tree->alone : pool, job->n_batches, look_at_some, job, error);
    if (status != SMERF_OK) return status;
    if (may_be_split(tree, job->filled)) choose_column(tree, 0, job->filled);
    if (job->rest != NULL && may_be_split(tree, job->rest)) choose_column(tree, 1, job->rest);
    return SMERF_OK;
}

/* ---- growing ---- */

static sm_pair_slice slice_of(const sm_pair_tree *tree, const sm_pair_slice *all, const sm_grown_node *node) {
    sm_pair_slice pairs = *all;
    pairs.order = tree->order + node->first;
    pairs.n = node->n;
    return pairs;
}

/* Both children, of which the smaller one is filled into a new slot. */
static smerf_status look_at_children(sm_pair_tree *tree, const sm_pair_slice *all, const sm_gradients *gradients,
                                     size_t parent, sm_pool *pool, smerf_error *error) {
    sm_grown_node *left = &tree->nodes[tree->nodes[parent].left], *right = &tree->nodes[tree->nodes[parent].right];
    bool is_left = left->n <= right->n;
    sm_grown_node *filled = is_left ? left : right, *rest = is_left ? right : left;
    if (!may_be_split(tree, rest)) return SMERF_OK; /* and the smaller one even less */
    rest->slot = tree->keeps_histograms ? tree->nodes[parent].slot : 0;
    filled->slot = tree->keeps_histograms ? tree->n_leaves - 1 : 1;
    look_job job = {.tree = tree,
                    .gradients = gradients,
                    .pairs = slice_of(tree, all, filled),
                    .filled = filled,
                    .rest = rest,
                    .rest_pairs = slice_of(tree, all, rest)};
    return look_at_nodes(&job, pool, error);
}

static smerf_status split_node(sm_pair_tree *tree, const sm_pair_slice *all, const sm_gradients *gradients,
                               size_t parent, sm_pool *pool, smerf_error *error) {
    sm_grown_node *node = &tree->nodes[parent];
    const sm_pair_slice pairs = slice_of(tree, all, node);
    size_t n_left = 0;
    smerf_status status =
        part_pairs(tree, &pairs, &node->split, &n_left, pairs.n <= PAIRS_A_PART ? &tree->alone : pool, error);
    if (status != SMERF_OK) return status;
    node->left = (uint32_t)tree->n_nodes;
    node->right = (uint32_t)tree->n_nodes + 1;
    tree->nodes[node->left] = (sm_grown_node){.first = node->first, .n = n_left};
    tree->nodes[node->right] = (sm_grown_node){.first = node->first + n_left, .n = node->n - n_left};
    const sm_pair_slice left = slice_of(tree, all, &tree->nodes[node->left]);
    tree->nodes[node->left].sum = sm_cells_sum(&left);
    tree->nodes[node->right].sum = node->sum - tree->nodes[node->left].sum;
    tree->n_nodes += 2;
    tree->n_leaves++;
    if (tree->n_leaves == tree->plan->n_leaves) return SMERF_OK; /* nothing will be split any more */
    return look_at_children(tree, all, gradients, parent, pool, error);
}

/* The leaf that gains most, the first on a tie; n_nodes: none gains anything. */
static size_t choose_leaf(const sm_pair_tree *tree) {
    size_t best = tree->n_nodes;
    for (size_t k = 0; k < tree->n_nodes; k++) {
        const sm_grown_node *node = &tree->nodes[k];
        if (node->left != 0 || !(node->split.gain > 0)) continue;
        if (best == tree->n_nodes || node->split.gain > tree->nodes[best].split.gain) best = k;
    }
    return best;
}

smerf_status sm_pair_tree_grow(sm_pair_tree *tree, const sm_pair_slice *pairs, const sm_gradients *gradients,
                               sm_pool *pool, smerf_error *error) {
    for (size_t k = 0; k < pairs->n; k++) tree->order[k] = (uint32_t)k;
    tree->nodes[0] = (sm_grown_node){.n = pairs->n};
    tree->n_nodes = tree->n_leaves = 1;
    look_job job = {.tree = tree, .gradients = gradients, .filled = &tree->nodes[0]};
    job.pairs = slice_of(tree, pairs, &tree->nodes[0]);
    tree->nodes[0].sum = sm_cells_sum(&job.pairs);
    smerf_status status = look_at_nodes(&job, pool, error);
    while (status == SMERF_OK && tree->n_leaves < tree->plan->n_leaves) {
        size_t next = choose_leaf(tree);
        if (next == tree->n_nodes) break;
        status = split_node(tree, pairs, gradients, next, pool, error);
    }
    return status;
}

size_t sm_pair_tree_leaf(const sm_pair_tree *tree, size_t left, size_t right, size_t base_bin) {
    const sm_binned *binned = tree->plan->binned;
    size_t at = 0;
    while (tree->nodes[at].left != 0) {
        const sm_bin_split *split = &tree->nodes[at].split;
        const sm_pair_column *column = &binned->columns[split->column];
        size_t bin = column->kind == SM_PAIR_BASE ? base_bin : bin_of(binned, column, split->column, left, right);
        bool is_left = column->threshold == NULL                            ? sm_set_has(split->set, (unsigned)bin)
                       : bin < column->n_bins - (size_t)column->has_missing ? bin <= split->bin
                                                                            : split->missing_left;
        at = is_left ? tree->nodes[at].left : tree->nodes[at].right;
    }
    return at;
}
