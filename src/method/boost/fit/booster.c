/* booster.c - see booster.h. A round:
 *   1. where pairs are drawn, others are drawn now and then       draw_again
 *   2. gradients of the loss at the scores so far                 losses.c
 *   3. a tree on them                                             pair_tree.c
 *   4. what its leaves add to the scores: of the pairs that were learned from, which are in its order, leaf by leaf; held-out
 *      ones are sent down                                         add_leaves, score_held */
#include "method/boost/fit/booster.h"

#include <string.h>

#include "base/memory.h"
#include "method/boost/fit/base.h"
#include "method/boost/score.h"

/* Pairs that are drawn anew have to be scored by all trees so far: now and then is enough. */
enum { ROUNDS_A_DRAW = 25, MANY_PAIRS = 1 << 16 };

/* ---- starting ---- */

static double base_of_pair(const sm_drawn_pairs *pairs, size_t pair) {
    return pairs->base != NULL ? pairs->base[pair] : NAN;
}

static smerf_status choose_pairs(sm_booster *booster, smerf_error *error) {
    const sm_boosting *boosting = booster->boosting;
    sm_gradients *gradients = &booster->gradients;
    smerf_status status =
        sm_pairs_choose(booster->boosting->source, &booster->choice, &booster->pairs, &booster->is_drawn, error);
    if (status != SMERF_OK) return status;
    bool has_hessians = sm_loss_has_hessians(booster->boosting->options->loss, booster->pairs.weight != NULL);
    gradients->gradient = sm_array(booster->choice.most < booster->pairs.n ? booster->choice.most : booster->pairs.n,
                                   sizeof *gradients->gradient);
    if (has_hessians) gradients->hessian = sm_array(booster->pairs.n, sizeof *gradients->hessian);
    bool has_memory = gradients->gradient != NULL && (!has_hessians || gradients->hessian != NULL);
    if (!has_memory) return sm_no_memory(error, "boosting on pairs");
    return sm_base_ask(boosting->learned->base, boosting->source->training->items, boosting->binned, &booster->pairs,
                       &booster->base_bin, error);
}

static void free_chosen(sm_booster *booster) {
    sm_drawn_pairs_free(&booster->pairs);
    sm_free(booster->gradients.gradient);
    sm_free(booster->gradients.hessian);
    sm_free(booster->base_bin);
    booster->base_bin = NULL;
    booster->gradients.gradient = NULL;
    booster->gradients.hessian = NULL;
}

enum { MOST_HELD = 200000 };

static double loss_of_held(const sm_booster *booster) {
    const sm_drawn_pairs *held = &booster->held;
    double sum = 0;
    for (size_t k = 0; k < held->n; k++) {
        double score = held->score[k];
        if (booster->held_reversed != NULL) score = score / 2 + booster->held_reversed[k] / 2;
        sum += held->weight[k] * sm_loss_value(booster->boosting->options->loss, held->z[k], score);
    }
    return sum;
}

static smerf_status start_held(sm_booster *booster, smerf_error *error) {
    const sm_boosting *boosting = booster->boosting;
    sm_pair_choice choice = booster->choice;
    sm_drawn_pairs *held = &booster->held;
    bool is_drawn;
    choice.are_held = true;
    choice.most = MOST_HELD;
    smerf_status status = sm_pairs_choose(boosting->source, &choice, held, &is_drawn, error);
    if (status == SMERF_OK)
        status = sm_base_ask(boosting->learned->base, boosting->source->training->items, boosting->binned, held,
                             &booster->held_base_bin, error);
    if (status != SMERF_OK) return status;
    if (boosting->binned->is_directed) booster->held_reversed = sm_array(held->n, sizeof *booster->held_reversed);
    if (boosting->binned->is_directed && booster->held_reversed == NULL)
        return sm_no_memory(error, "boosting on pairs");
    for (size_t k = 0; k < held->n; k++) {
        held->score[k] = sm_boost_start(&booster->made, boosting->learned, base_of_pair(held, k));
        if (booster->held_reversed != NULL) booster->held_reversed[k] = held->score[k];
        booster->held_weight += held->weight[k];
    }
    return SMERF_OK;
}

smerf_status sm_booster_start(sm_booster *booster, const sm_boosting *boosting, const size_t held[2], size_t number,
                              size_t n_threads, smerf_error *error) {
    const smerf_boost_options *options = boosting->options;
    size_t most_rounds = options->n_rounds > 0 ? options->n_rounds : options->most_rounds;
    *booster = (sm_booster){.boosting = boosting};
    sm_pool_start(&booster->alone, &SMERF_INIT(smerf_run, .n_threads = 1));
    booster->choice =
        (sm_pair_choice){.held = {held[0], held[1]}, .most = options->pairs_a_round, .draw = (uint32_t)(number << 20)};
    booster->curve = sm_zeros(most_rounds + 1, sizeof *booster->curve);
    booster->made.first = sm_zeros(1, sizeof *booster->made.first);
    booster->tree_capacity = 1;
    if (booster->curve == NULL || booster->made.first == NULL) return sm_no_memory(error, "boosting on pairs");
    smerf_status status = choose_pairs(booster, error);
    if (status != SMERF_OK) return status;
    booster->is_done = booster->pairs.n == 0;
    booster->made.start = NAN; /* there is nothing to learn from */
    if (!booster->is_done) status = sm_loss_start(options->loss, &booster->pairs, &booster->made.start, error);
    for (size_t k = 0; k < booster->pairs.n; k++)
        booster->pairs.score[k] = sm_boost_start(&booster->made, boosting->learned, base_of_pair(&booster->pairs, k));
    if (status == SMERF_OK && held[0] != SM_NO_GROUP) status = start_held(booster, error);
    if (status == SMERF_OK && held[0] != SM_NO_GROUP && !booster->is_done) booster->curve[0] = loss_of_held(booster);
    if (status == SMERF_OK && !booster->is_done)
        status = sm_pair_tree_start(&booster->tree, &boosting->plan, booster->pairs.n, n_threads, error);
    return status;
}

void sm_booster_free(sm_booster *booster) {
    free_chosen(booster);
    sm_drawn_pairs_free(&booster->held);
    sm_free(booster->held_base_bin);
    sm_free(booster->held_reversed);
    sm_pair_tree_free(&booster->tree);
    sm_boost_free(&booster->made);
    sm_free(booster->curve);
    *booster = (sm_booster){0};
}

/* ---- 1. other pairs ---- */

typedef struct rescore_job {
    sm_booster *booster;
    sm_score_side side;
} rescore_job;

static smerf_status rescore_some(void *argument, size_t task, size_t thread, smerf_error *error) {
    const rescore_job *job = argument;
    sm_booster *booster = job->booster;
    size_t first = task * 4096, end = first + 4096 < booster->pairs.n ? first + 4096 : booster->pairs.n;
    (void)thread, (void)error;
    for (size_t k = first; k < end; k++)
        booster->pairs.score[k] =
            sm_boost_score(&booster->made, booster->boosting->learned, &job->side, booster->pairs.left[k],
                           booster->pairs.right[k], base_of_pair(&booster->pairs, k));
    return SMERF_OK;
}

static smerf_status draw_again(sm_booster *booster, sm_pool *pool, smerf_error *error) {
    const sm_view *view = booster->boosting->view;
    rescore_job job = {.booster = booster, .side = {.rows = view, .columns = view}};
    free_chosen(booster);
    sm_pair_tree_free(&booster->tree);
    booster->choice.draw++;
    size_t n_threads = pool->n_threads;
    smerf_status status = choose_pairs(booster, error);
    if (status == SMERF_OK) status = sm_pool_run(pool, (booster->pairs.n + 4095) / 4096, rescore_some, &job, error);
    if (status == SMERF_OK)
        status = sm_pair_tree_start(&booster->tree, &booster->boosting->plan, booster->pairs.n, n_threads, error);
    return status;
}

/* ---- 3. what was grown, as it is kept ---- */

static bool reserve_tree(sm_booster *booster) {
    sm_boost *made = &booster->made;
    size_t n_splits = made->n_splits + booster->tree.n_leaves - 1;
    return sm_grow((void **)&made->first, &booster->tree_capacity, made->n_trees + 2, sizeof *made->first) &&
           sm_grow((void **)&made->splits, &booster->split_capacity, n_splits, sizeof *made->splits) &&
           sm_grow((void **)&made->gain, &booster->gain_capacity, n_splits, sizeof *made->gain) &&
           sm_grow((void **)&made->mean, &booster->mean_capacity, n_splits, sizeof *made->mean) &&
           sm_grow((void **)&made->value, &booster->value_capacity, n_splits + made->n_trees + 1,
                   sizeof *made->value) &&
           sm_grow((void **)&made->sets, &booster->set_capacity, made->n_sets + booster->tree.n_leaves,
                   SM_SET_WORDS * sizeof *made->sets);
}

/* Inner nodes are splits, and leaves are leaves, each in the order of the nodes.   index  [n_nodes] out */
static void number_nodes(const sm_pair_tree *tree, uint32_t *index) {
    uint32_t n_splits = 0, n_leaves = 0;
    for (size_t k = 0; k < tree->n_nodes; k++)
        index[k] = tree->nodes[k].left != 0 ? n_splits++ : SM_BOOST_LEAF | n_leaves++;
}

static void keep_split(sm_boost *made, const sm_binned *binned, const sm_grown_node *node, const uint32_t *index,
                       sm_boost_split *kept) {
    const sm_bin_split *split = &node->split;
    const sm_pair_column *column = &binned->columns[split->column];
    *kept = (sm_boost_split){.feature = column->feature,
                             .kind = (uint8_t)column->kind,
                             .missing_left = split->missing_left,
                             .set = SMERF_MISSING,
                             .left = index[node->left],
                             .right = index[node->right]};
    if (column->threshold != NULL) {
        kept->threshold = column->threshold[split->bin];
        return;
    }
    kept->set = (uint32_t)made->n_sets++;
    memcpy(made->sets + kept->set * SM_SET_WORDS, split->set, SM_SET_WORDS * sizeof *made->sets);
}

/* Values of leaves are in place; what they are on average, by pairs, comes from below. */
static void keep_means(sm_boost *made, const sm_pair_tree *tree, const uint32_t *index) {
    size_t first = made->first[made->n_trees];
    const double *value = made->value + first + made->n_trees;
    for (size_t k = tree->n_nodes; k-- > 0;) {
        const sm_grown_node *node = &tree->nodes[k];
        if (node->left == 0) continue;
        double sum = 0;
        for (size_t side = 0; side < 2; side++) {
            size_t child = side == 0 ? node->left : node->right;
            bool is_leaf = (index[child] & SM_BOOST_LEAF) != 0;
            double mean = is_leaf ? value[index[child] & ~SM_BOOST_LEAF] : made->mean[first + index[child]];
            sum += mean * ((double)tree->nodes[child].n / (double)node->n);
        }
        made->mean[first + index[k]] = sum;
        made->gain[first + index[k]] = node->split.gain;
    }
}

/* ---- 4. leaves ---- */

typedef struct leaf_job {
    sm_booster *booster;
    const uint32_t *index; /* [n_nodes] */
    double *value;         /* [n_leaves] */
    double *scratch;       /* [n_threads][2 n] for medians, or NULL */
} leaf_job;

static smerf_status add_leaf(void *argument, size_t at, size_t thread, smerf_error *error) {
    const leaf_job *job = argument;
    sm_booster *booster = job->booster;
    const smerf_boost_options *options = booster->boosting->options;
    const sm_grown_node *node = &booster->tree.nodes[at];
    (void)error;
    if (node->left != 0) return SMERF_OK;
    const uint32_t *order = booster->tree.order + node->first;
    double *scratch = job->scratch != NULL ? job->scratch + thread * 2 * booster->pairs.n : NULL;
    double value = options->learning_rate * sm_loss_leaf(options->loss, &booster->pairs, order, node->n, options->l2,
                                                         booster->gradients.delta, scratch);
    job->value[job->index[at] & ~SM_BOOST_LEAF] = value;
    for (size_t k = 0; k < node->n; k++) booster->pairs.score[order[k]] += value;
    return SMERF_OK;
}

static void score_held(sm_booster *booster, const uint32_t *index, const double *value) {
    const sm_drawn_pairs *held = &booster->held;
    for (size_t k = 0; k < held->n; k++) {
        size_t base_bin = booster->held_base_bin != NULL ? booster->held_base_bin[k] : 0;
        size_t leaf = sm_pair_tree_leaf(&booster->tree, held->left[k], held->right[k], base_bin);
        held->score[k] += value[index[leaf] & ~SM_BOOST_LEAF];
        if (booster->held_reversed == NULL) continue;
        leaf = sm_pair_tree_leaf(&booster->tree, held->right[k], held->left[k], base_bin);
        booster->held_reversed[k] += value[index[leaf] & ~SM_BOOST_LEAF];
    }
}

static smerf_status keep_tree(sm_booster *booster, sm_pool *pool, smerf_error *error) {
    sm_boost *made = &booster->made;
    sm_pair_tree *tree = &booster->tree;
    bool has_medians = booster->boosting->options->loss == SMERF_LOSS_ABSOLUTE;
    sm_arena arena = {0};
    uint32_t *index = sm_arena_take(&arena, tree->n_nodes, sizeof *index);
    leaf_job job = {.booster = booster, .index = index};
    if (has_medians)
        job.scratch = sm_arena_take(&arena, sm_size(pool->n_threads, 2 * booster->pairs.n, 0), sizeof *job.scratch);
    smerf_status status =
        arena.has_failed || !reserve_tree(booster) ? sm_no_memory(error, "boosting on pairs") : SMERF_OK;
    if (status == SMERF_OK) {
        number_nodes(tree, index);
        size_t first = made->first[made->n_trees], n_splits = 0;
        job.value = made->value + first + made->n_trees;
        for (size_t k = 0; k < tree->n_nodes; k++)
            if (tree->nodes[k].left != 0)
                keep_split(made, booster->boosting->binned, &tree->nodes[k], index, &made->splits[first + n_splits++]);
        made->n_splits += n_splits;
        made->first[made->n_trees + 1] = (uint32_t)made->n_splits;
        status = sm_pool_run(pool, tree->n_nodes, add_leaf, &job, error);
    }
    if (status == SMERF_OK) {
        keep_means(made, tree, index);
        score_held(booster, index, job.value);
        made->n_trees++;
    }
    sm_arena_free(&arena);
    return status;
}

/* ---- rounds ---- */

static smerf_status run_round(sm_booster *booster, sm_pool *pool, smerf_error *error) {
    const sm_boosting *boosting = booster->boosting;
    sm_gradients *gradients = &booster->gradients;
    smerf_status status = SMERF_OK;
    if (booster->is_drawn && booster->made.n_trees > 0 && booster->made.n_trees % ROUNDS_A_DRAW == 0)
        status = draw_again(booster, pool, error);
    if (status == SMERF_OK)
        status = sm_loss_gradients(boosting->options->loss, &booster->pairs, gradients, pool, error);
    if (status != SMERF_OK) return status;
    if (booster->made.n_trees == 0) booster->first_unit = gradients->unit;
    booster->is_done = !(gradients->unit > 1e-13 * booster->first_unit);
    if (booster->is_done) return SMERF_OK;
    const sm_pair_slice pairs = {.n = booster->pairs.n,
                                 .left = booster->pairs.left,
                                 .right = booster->pairs.right,
                                 .gradient = gradients->gradient,
                                 .hessian = gradients->hessian,
                                 .base_bin = booster->base_bin};
    status = sm_pair_tree_grow(&booster->tree, &pairs, gradients, pool, error);
    if (status != SMERF_OK) return status;
    booster->is_done = booster->tree.n_leaves == 1;
    if (!booster->is_done) status = keep_tree(booster, pool, error);
    if (status == SMERF_OK && !booster->is_done && booster->held.n > 0)
        booster->curve[booster->made.n_trees] = loss_of_held(booster);
    return status;
}

smerf_status sm_booster_run(sm_booster *booster, size_t n_rounds, size_t most, sm_pool *pool, smerf_error *error) {
    smerf_status status = SMERF_OK;
    for (size_t r = 0; r < n_rounds && booster->made.n_trees < most && !booster->is_done && status == SMERF_OK; r++) {
        if (sm_pool_is_stopped(pool, 1)) return SMERF_OK; /* whoever stopped it knows why */
        status = run_round(booster, booster->pairs.n >= MANY_PAIRS ? pool : &booster->alone, error);
    }
    return status;
}

void sm_booster_take(sm_booster *booster, size_t n_trees, sm_boost *out) {
    sm_boost *made = &booster->made;
    if (made->n_trees > n_trees) {
        made->n_trees = n_trees;
        made->n_splits = made->first[n_trees];
        made->n_sets = 0;
        for (size_t s = 0; s < made->n_splits; s++)
            if (made->splits[s].set != SMERF_MISSING) made->n_sets = made->splits[s].set + (size_t)1;
    }
    *out = *made;
    *made = (sm_boost){0};
}
