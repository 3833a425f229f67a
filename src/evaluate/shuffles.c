/* shuffles.c - how much worse a tree predicts its out-of-bag pairs when features are shuffled: see shuffles.h. */
#include "evaluate/shuffles.h"

#include <math.h>

#include "base/memory.h"
#include "base/random.h"

/* ---- before the first tree ---- */

static bool start_scratch(sm_shuffle_scratch *scratch, const sm_shuffles *shuffles) {
    size_t n = shuffles->view.n_items, n_all = shuffles->model->n_items;
    sm_arena *arena = &scratch->arena;
    scratch->is_out = sm_arena_take(arena, n_all, sizeof *scratch->is_out);
    scratch->out = sm_arena_take(arena, n, sizeof *scratch->out);
    scratch->shuffled = sm_arena_take(arena, n, sizeof *scratch->shuffled);
    scratch->leaf_of = sm_arena_take(arena, n, sizeof *scratch->leaf_of);
    scratch->apart = sm_arena_take(arena, n, sizeof *scratch->apart);
    for (size_t k = 0; k < SM_MOST_SHUFFLED; k++) {
        scratch->mixed[k] = sm_arena_take(arena, n, sizeof *scratch->mixed[k]);
        scratch->mixed_codes[k] = sm_arena_take(arena, n, sizeof *scratch->mixed_codes[k]);
    }
    scratch->truth = sm_arena_take(arena, n > n_all ? n : n_all, sizeof *scratch->truth);
    return !arena->has_failed && sm_leaf_scratch_start(&scratch->leaf, shuffles->model);
}

void sm_shuffles_free(sm_shuffles *shuffles) {
    for (size_t t = 0; t < shuffles->n_threads && shuffles->scratches != NULL; t++) {
        sm_leaf_scratch_free(&shuffles->scratches[t].leaf);
        sm_arena_free(&shuffles->scratches[t].arena);
    }
    sm_free(shuffles->scratches);
    sm_free(shuffles->training_row);
    sm_view_free(&shuffles->view);
    *shuffles = (sm_shuffles){0};
}

static smerf_status check(const smerf_model *model, const smerf_items *items, const smerf_target *truth,
                          smerf_error *error) {
    smerf_status status =
        sm_model_check_forest(model, "trees that have not seen an item, which shuffling needs", error);
    if (status != SMERF_OK) return status;
    if (model->options.sample == SMERF_NO_SAMPLE)
        return sm_fail(
            error, SMERF_BAD_INPUT,
            "the model was fitted with {sample none}: every tree has seen every item, nothing is out of bag");
    if (truth != NULL && (truth->is_block || truth->n_rows != items->n_items))
        return sm_fail(error, SMERF_BAD_INPUT, "there are %zu items, and the target is about %zu", items->n_items,
                       truth->n_rows);
    if (truth != NULL) status = sm_target_check_distances(truth, "permutation importance", error);
    if (status != SMERF_OK) return status;
    if (truth == NULL && model->target->kind->data.is_approximate)
        return sm_fail(error, SMERF_BAD_INPUT,
                       "the model keeps only a low-rank form of its target: give the target to score against");
    return SMERF_OK;
}

smerf_status sm_shuffles_start(sm_shuffles *shuffles, const smerf_model *model, const smerf_items *items,
                               const smerf_target *truth, size_t n_threads, smerf_error *error) {
    *shuffles = (sm_shuffles){.model = model,
                              .truth = truth != NULL ? truth : model->target,
                              .is_models_own = truth == NULL,
                              .n_threads = n_threads};
    smerf_status status = check(model, items, truth, error);
    if (status == SMERF_OK) status = sm_view_match(&shuffles->view, &model->features, items, error);
    if (status != SMERF_OK) return status;
    shuffles->training_row = sm_array(items->n_items, sizeof *shuffles->training_row);
    shuffles->scratches = sm_zeros(n_threads, sizeof *shuffles->scratches);
    bool has_memory = shuffles->training_row != NULL && shuffles->scratches != NULL;
    for (size_t t = 0; t < n_threads && has_memory; t++) has_memory = start_scratch(&shuffles->scratches[t], shuffles);
    status = has_memory ? sm_model_find_items(model, items, &shuffles->view, shuffles->training_row, error)
                        : sm_no_memory(error, "shuffling features");
    if (status != SMERF_OK) sm_shuffles_free(shuffles);
    return status;
}

/* ---- one tree ---- */

/* Few items in a tree of many leaves: the leaves of two items are asked for one by one, else a row for each item. */
enum { LEAVES_A_PAIR = 16 };

/* The distances of item a, by index among those out of bag, to those after it, as if there were only this tree: scratch->apart. */
static void find_apart(const sm_shuffled_tree *at, size_t a) {
    const smerf_target *target = at->shuffles->model->target;
    const sm_leaves *leaves = &at->ready.leaves;
    sm_shuffle_scratch *scratch = at->scratch;
    size_t leaf = scratch->leaf_of[a];
    bool by_pairs = at->n_out - a < leaves->n / LEAVES_A_PAIR;
    if (!by_pairs) target->kind->predicting.leaf_row(target, leaves, leaf, scratch->leaf.row, scratch->leaf.scratch);
    for (size_t b = a + 1; b < at->n_out; b++) {
        size_t other = scratch->leaf_of[b];
        if (at->ready.self != NULL && other == leaf)
            scratch->apart[b] = at->ready.self[leaf];
        else
            scratch->apart[b] =
                by_pairs ? target->kind->predicting.leaf_pair(target, leaves, leaf, other) : scratch->leaf.row[other];
        scratch->apart[b] = sm_shrunk(&at->shuffles->model->shrinkage, scratch->apart[b]);
    }
}

/* Its mean squared error over the pairs of out-of-bag items, whose leaves are in room->leaf_of. */
static double pair_error(const sm_shuffled_tree *at) {
    const sm_shuffles *shuffles = at->shuffles;
    sm_shuffle_scratch *scratch = at->scratch;
    const smerf_target *truth = shuffles->truth;
    double squares = 0;
    size_t n_pairs = 0;
    for (size_t a = 0; a + 1 < at->n_out; a++) {
        size_t i = scratch->out[a];
        find_apart(at, a);
        truth->kind->data.true_row(truth, shuffles->is_models_own ? shuffles->training_row[i] : i, scratch->truth);
        for (size_t b = a + 1; b < at->n_out; b++) {
            size_t j = scratch->out[b];
            double error = scratch->apart[b] - scratch->truth[shuffles->is_models_own ? shuffles->training_row[j] : j];
            if (isnan(error)) continue;
            squares += error * error;
            n_pairs++;
        }
    }
    return n_pairs > 0 ? squares / (double)n_pairs : NAN;
}

static void route_out(const sm_shuffled_tree *at, const sm_view *view) {
    const sm_tree *tree = &at->shuffles->model->trees[at->b];
    for (size_t a = 0; a < at->n_out; a++) at->scratch->leaf_of[a] = sm_tree_leaf(tree, view, at->scratch->out[a]);
}

bool sm_shuffled_start(sm_shuffled_tree *at, const sm_shuffles *shuffles, size_t b, size_t thread) {
    const sm_view *view = &shuffles->view;
    *at = (sm_shuffled_tree){.shuffles = shuffles, .scratch = &shuffles->scratches[thread], .b = b, .mixed = *view};
    at->mixed.numbers = sm_copy(view->numbers, view->n_features, sizeof *at->mixed.numbers);
    at->mixed.codes = sm_copy(view->codes, view->n_features, sizeof *at->mixed.codes);
    if (at->mixed.numbers == NULL || at->mixed.codes == NULL || !sm_ready_start(&at->ready, shuffles->model, b, 0)) {
        sm_free(at->mixed.numbers);
        sm_free(at->mixed.codes);
        return false;
    }
    sm_model_out_of_bag(shuffles->model, b, at->scratch->is_out);
    for (size_t i = 0; i < view->n_items; i++)
        if (at->scratch->is_out[shuffles->training_row[i]]) at->scratch->out[at->n_out++] = (uint32_t)i;
    route_out(at, view);
    at->before = pair_error(at);
    return true;
}

void sm_shuffled_free(sm_shuffled_tree *at) {
    sm_ready_free(&at->ready, at->shuffles->model);
    sm_free(at->mixed.numbers);
    sm_free(at->mixed.codes);
}

bool sm_shuffled_uses(const sm_shuffled_tree *at, size_t feature) {
    const sm_tree *tree = &at->shuffles->model->trees[at->b];
    for (size_t t = 0; t < tree->first_term[tree->n_splits]; t++)
        if (tree->term_feature[t] == feature) return true;
    return false;
}

/* Deals feature f out anew among the out-of-bag items, into the k-th of the room's columns. */
static void shuffle(sm_shuffled_tree *at, size_t f, size_t k) {
    const sm_view *view = &at->shuffles->view;
    const smerf_options *options = &at->shuffles->model->options;
    sm_shuffle_scratch *scratch = at->scratch;
    sm_random random;
    sm_random_start(&random, options->seed, (uint32_t)(options->first_tree + at->b),
                    SM_STREAM_PERMUTE + ((uint64_t)f << 8));
    for (size_t a = 0; a < at->n_out; a++) scratch->shuffled[a] = scratch->out[a];
    sm_random_shuffle(&random, scratch->shuffled, at->n_out);
    for (size_t a = 0; a < at->n_out; a++) {
        if (sm_are_numbers(&view->numbers[f]))
            scratch->mixed[k][scratch->out[a]] = sm_number_at(&view->numbers[f], scratch->shuffled[a]);
        else
            scratch->mixed_codes[k][scratch->out[a]] = view->codes[f][scratch->shuffled[a]];
    }
    if (sm_are_numbers(&view->numbers[f]))
        at->mixed.numbers[f] = (sm_numbers){.doubles = scratch->mixed[k], .step = 1};
    else
        at->mixed.codes[f] = scratch->mixed_codes[k];
}

double sm_shuffled_increase(sm_shuffled_tree *at, const uint32_t *features, size_t n) {
    const sm_view *view = &at->shuffles->view;
    bool is_used = false;
    for (size_t k = 0; k < n; k++) is_used = is_used || sm_shuffled_uses(at, features[k]);
    if (isnan(at->before) || !is_used) return at->before - at->before;
    for (size_t k = 0; k < n; k++) shuffle(at, features[k], k);
    route_out(at, &at->mixed);
    double increase = pair_error(at) - at->before;
    for (size_t k = 0; k < n; k++) {
        at->mixed.numbers[features[k]] = view->numbers[features[k]];
        at->mixed.codes[features[k]] = view->codes[features[k]];
    }
    return increase;
}

/* ---- all trees ---- */

void sm_mean_over_trees(const double *value, size_t n_trees, size_t step, double *mean, double *standard_error) {
    size_t n = 0;
    double so_far = 0, squares = 0;
    for (size_t b = 0; b < n_trees; b++) {
        if (isnan(value[b * step])) continue;
        double change = value[b * step] - so_far;
        so_far += change / (double)++n;
        squares += change * (value[b * step] - so_far);
    }
    *mean = n > 0 ? so_far : NAN;
    *standard_error = n > 1 ? sqrt(squares / (double)(n - 1) / (double)n) : NAN;
}
