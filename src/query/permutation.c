/* permutation.c - how much worse a tree predicts its out-of-bag pairs when one feature is shuffled among its
 * out-of-bag items.
 *
 * For each tree: the mean squared error over the unordered pairs of its out-of-bag items, before and after the values
 * of one feature are dealt out anew among these items. The importance is the mean of the increase over the trees that
 * have two such items, the standard error that of this mean. A feature that a tree does not use adds exactly 0. The
 * shuffle of feature f in tree b comes from the random stream (seed, b, SM_PLACE_PERMUTE + (f << 8)). */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "query/asked.h"

typedef struct shuffle_room {
    sm_arena arena; /* holds the arrays below */
    sm_leaf_room leaf;
    bool *is_out;       /* [n_items of the model] */
    uint32_t *out;      /* [n_items] places in the items of the tree's out-of-bag items */
    uint32_t *shuffled; /* [n_items] whose value each of them gets */
    uint32_t *leaf_of;  /* [n_items] by place in out */
    double *mixed;      /* [n_items] a shuffled column of numbers, by item */
    uint32_t *mixed_codes;
    double *truth; /* [n_items] */
} shuffle_room;

typedef struct shuffle_job {
    const smerf_model *model;
    const sm_view *view;
    const smerf_target *truth;
    const uint32_t *place; /* [n_items] rows of the training items */
    bool is_models_own;
    shuffle_room *rooms; /* [n_threads] */
    double *increase;    /* [n_trees][n_features]; NaN: the tree has no pair */
} shuffle_job;

static bool start_room(shuffle_room *room, const shuffle_job *job) {
    size_t n = job->view->n_items, n_all = job->model->n_items;
    sm_arena *arena = &room->arena;
    room->is_out = sm_arena_take(arena, n_all, sizeof *room->is_out);
    room->out = sm_arena_take(arena, n, sizeof *room->out);
    room->shuffled = sm_arena_take(arena, n, sizeof *room->shuffled);
    room->leaf_of = sm_arena_take(arena, n, sizeof *room->leaf_of);
    room->mixed = sm_arena_take(arena, n, sizeof *room->mixed);
    room->mixed_codes = sm_arena_take(arena, n, sizeof *room->mixed_codes);
    room->truth = sm_arena_take(arena, n > n_all ? n : n_all, sizeof *room->truth);
    return !arena->has_failed && sm_leaf_room_start(&room->leaf, job->model);
}

static void free_room(shuffle_room *room) {
    sm_leaf_room_free(&room->leaf);
    sm_arena_free(&room->arena);
}

/* Mean squared error of one tree over the pairs of n_out items, whose leaves are in room->leaf_of. */
static double pair_error(const shuffle_job *job, shuffle_room *room, const sm_ready *ready, size_t n_out) {
    const smerf_target *target = job->model->target;
    double squares = 0;
    size_t n_pairs = 0;
    for (size_t a = 0; a + 1 < n_out; a++) {
        size_t i = room->out[a];
        size_t leaf = room->leaf_of[a];
        target->kind->leaf_row(target, &ready->leaves, leaf, room->leaf.row, room->leaf.scratch);
        if (ready->self != NULL) room->leaf.row[leaf] = ready->self[leaf];
        job->truth->kind->true_row(job->truth, job->is_models_own ? job->place[i] : i, room->truth);
        for (size_t b = a + 1; b < n_out; b++) {
            size_t j = room->out[b];
            double truth = room->truth[job->is_models_own ? job->place[j] : j];
            double error = room->leaf.row[room->leaf_of[b]] - truth;
            if (isnan(error)) continue;
            squares += error * error;
            n_pairs++;
        }
    }
    return n_pairs > 0 ? squares / (double)n_pairs : NAN;
}

static bool tree_uses(const sm_tree *tree, size_t feature) {
    for (size_t t = 0; t < tree->first_term[tree->n_splits]; t++)
        if (tree->term_feature[t] == feature) return true;
    return false;
}

/* The view with feature f dealt out anew among the out-of-bag items. */
static void shuffle(const shuffle_job *job, shuffle_room *room, sm_view *mixed, size_t b, size_t f, size_t n_out) {
    sm_random random;
    sm_random_start(&random, job->model->options.seed, (uint32_t)(job->model->options.first_tree + b),
                    SM_PLACE_PERMUTE + ((uint64_t)f << 8));
    for (size_t a = 0; a < n_out; a++) room->shuffled[a] = room->out[a];
    sm_random_shuffle(&random, room->shuffled, n_out);
    for (size_t a = 0; a < n_out; a++) {
        if (job->view->values[f] != NULL)
            room->mixed[room->out[a]] = job->view->values[f][room->shuffled[a]];
        else
            room->mixed_codes[room->out[a]] = job->view->codes[f][room->shuffled[a]];
    }
    if (job->view->values[f] != NULL)
        mixed->values[f] = room->mixed;
    else
        mixed->codes[f] = room->mixed_codes;
}

static void route_out(const sm_tree *tree, const sm_view *view, shuffle_room *room, size_t n_out) {
    for (size_t a = 0; a < n_out; a++) room->leaf_of[a] = sm_tree_leaf(tree, view, room->out[a]);
}

static smerf_status shuffle_tree(void *argument, size_t b, size_t thread, smerf_error *error) {
    shuffle_job *job = argument;
    shuffle_room *room = &job->rooms[thread];
    const sm_tree *tree = &job->model->trees[b];
    size_t n_features = job->view->n_features, n_out = 0;
    double *increase = job->increase + b * n_features;
    sm_view mixed = *job->view;
    mixed.values = sm_copy(job->view->values, n_features, sizeof *mixed.values);
    mixed.codes = sm_copy(job->view->codes, n_features, sizeof *mixed.codes);
    sm_ready ready = {0};
    if (mixed.values == NULL || mixed.codes == NULL || !sm_ready_start(&ready, job->model, b, 0)) {
        sm_free(mixed.values);
        sm_free(mixed.codes);
        return sm_no_memory(error, "shuffling features");
    }
    sm_model_out_of_bag(job->model, b, room->is_out);
    for (size_t i = 0; i < job->view->n_items; i++)
        if (room->is_out[job->place[i]]) room->out[n_out++] = (uint32_t)i;
    route_out(tree, job->view, room, n_out);
    double before = pair_error(job, room, &ready, n_out);
    for (size_t f = 0; f < n_features; f++) {
        increase[f] = before - before; /* 0, or NaN where the tree has no pair */
        if (isnan(before) || !tree_uses(tree, f)) continue;
        shuffle(job, room, &mixed, b, f, n_out);
        route_out(tree, &mixed, room, n_out);
        increase[f] = pair_error(job, room, &ready, n_out) - before;
        mixed.values[f] = job->view->values[f];
        mixed.codes[f] = job->view->codes[f];
    }
    sm_ready_free(&ready, job->model);
    sm_free(mixed.values);
    sm_free(mixed.codes);
    return SMERF_OK;
}

static void summarise(const shuffle_job *job, size_t f, double *importance, double *standard_error) {
    size_t n_trees = job->model->options.n_trees, n_features = job->view->n_features, n = 0;
    double mean = 0, squares = 0;
    for (size_t b = 0; b < n_trees; b++) {
        double value = job->increase[b * n_features + f];
        if (isnan(value)) continue;
        double step = value - mean;
        mean += step / (double)++n;
        squares += step * (value - mean);
    }
    *importance = n > 0 ? mean : NAN;
    *standard_error = n > 1 ? sqrt(squares / (double)(n - 1) / (double)n) : NAN;
}

static smerf_status run_shuffles(shuffle_job *job, const smerf_run *run, double *importance, double *standard_error,
                                 smerf_error *error) {
    sm_crew crew;
    sm_crew_start(&crew, run);
    size_t n_trees = job->model->options.n_trees, n_features = job->view->n_features;
    job->rooms = sm_zeros(crew.n_threads, sizeof *job->rooms);
    job->increase = sm_array(sm_size(n_trees, n_features, 0), sizeof *job->increase);
    bool has_room = job->rooms != NULL && job->increase != NULL;
    for (size_t t = 0; t < crew.n_threads && has_room; t++) has_room = start_room(&job->rooms[t], job);
    smerf_status status =
        has_room ? sm_crew_do(&crew, n_trees, shuffle_tree, job, error) : sm_no_memory(error, "shuffling features");
    for (size_t f = 0; f < n_features && status == SMERF_OK; f++) summarise(job, f, &importance[f], &standard_error[f]);
    for (size_t t = 0; t < crew.n_threads && job->rooms != NULL; t++) free_room(&job->rooms[t]);
    sm_free(job->rooms);
    sm_free(job->increase);
    return status;
}

smerf_status smerf_importance_permutation(const smerf_model *model, const smerf_items *items, const smerf_target *truth,
                                          const smerf_run *run, double *importance, double *standard_error,
                                          smerf_error *error) {
    smerf_status status = sm_model_check_forest(model, "out of bag", error);
    if (status != SMERF_OK) return status;
    if (model->options.sample == SMERF_NO_SAMPLE)
        return sm_fail(
            error, SMERF_BAD_INPUT,
            "the model was fitted with --sample none: every tree has seen every item, nothing is out of bag");
    if (truth != NULL && (truth->is_block || truth->n_rows != items->n_items))
        return sm_fail(error, SMERF_BAD_INPUT, "there are %zu items, and the target is about %zu", items->n_items,
                       truth->n_rows);
    if (truth == NULL && model->target->kind->is_approximate)
        return sm_fail(error, SMERF_BAD_INPUT,
                       "the model keeps only a low-rank form of its target: give the target to score against");
    sm_view view;
    status = sm_view_match(&view, &model->features, items, error);
    if (status != SMERF_OK) return status;
    uint32_t *place = sm_array(items->n_items, sizeof *place);
    status = place != NULL ? sm_model_find_items(model, items, &view, place, error)
                           : sm_no_memory(error, "shuffling features");
    shuffle_job job = {.model = model,
                       .view = &view,
                       .truth = truth != NULL ? truth : model->target,
                       .place = place,
                       .is_models_own = truth == NULL};
    if (status == SMERF_OK) status = run_shuffles(&job, run, importance, standard_error, error);
    sm_free(place);
    sm_view_free(&view);
    return status;
}
