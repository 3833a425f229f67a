/* model.c - making a model, recognising its items, looking inside. */
#include "model/model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/versioned.h"

void smerf_model_free(smerf_model *model) {
    if (model == NULL) return;
    sm_prepared *prepared = atomic_load(&model->prepared);
    if (prepared != NULL) prepared->free(prepared, model);
    for (size_t b = 0; b < model->options.n_trees && model->trees != NULL; b++) sm_tree_free(&model->trees[b]);
    sm_free(model->trees);
    sm_features_free(&model->features);
    sm_strings_free(&model->ids);
    sm_strings_free(&model->ignored);
    sm_free(model->id_column);
    sm_free(model->note);
    sm_free(model->weight_column);
    sm_free(model->weights);
    sm_free(model->hashes);
    smerf_target_free(model->target);
    sm_shrinkage_free(&model->shrinkage);
    if (model->method != NULL) model->method->free(model->learned);
    sm_free(model->trained_on.name);
    sm_strings_free(&model->trained_on.columns);
    sm_free(model);
}

/* ---- what a model remembers of its items ---- */

enum { HASHED_AT_ONCE = 4096 };

typedef struct hash_job {
    smerf_model *model;
    const sm_view *view;
} hash_job;

static smerf_status hash_some(void *context, size_t task, size_t thread, smerf_error *error) {
    const hash_job *job = context;
    size_t first = task * HASHED_AT_ONCE, end = first + HASHED_AT_ONCE, n = job->model->n_items;
    (void)thread;
    (void)error; /* nothing can fail */
    sm_view_hash(job->view, &job->model->features, first, end < n ? end : n, job->model->hashes);
    return SMERF_OK;
}

/* By which items are recognised. */
static smerf_status hash_items(smerf_model *model, const sm_view *view, const smerf_run *run, smerf_error *error) {
    hash_job job = {.model = model, .view = view};
    sm_pool pool;
    sm_pool_start(&pool, run);
    pool.fraction_to = 0; /* soon done: learning is what progress is about */
    return sm_pool_run(&pool, (model->n_items + HASHED_AT_ONCE - 1) / HASHED_AT_ONCE, hash_some, &job, error);
}

/* False: no memory. */
static bool copy_items(smerf_model *model, const smerf_items *items) {
    model->n_items = items->n_items;
    model->hashes = sm_array(items->n_items, sizeof *model->hashes);
    if (model->hashes == NULL || !sm_features_copy(&model->features, &items->features)) return false;
    if (!sm_strings_copy(&model->ignored, (const char *const *)items->ignored.text, items->ignored.n)) return false;
    if (items->id_column != NULL) {
        model->id_column = sm_copy_string(items->id_column);
        if (model->id_column == NULL) return false;
        if (!sm_strings_copy(&model->ids, (const char *const *)items->ids.text, items->ids.n)) return false;
    }
    if (items->weights != NULL) {
        model->weight_column = sm_copy_string(items->weight_column);
        model->weights = sm_copy(items->weights, items->n_items, sizeof *model->weights);
        if (model->weight_column == NULL || model->weights == NULL) return false;
    }
    return true;
}

void sm_model_set_options(smerf_model *model, const smerf_options *options) {
    model->options = *options;
    model->baselines = options->baselines != NULL ? *options->baselines : SMERF_INIT(smerf_baseline_options);
    model->options.baselines = &model->baselines;
    model->boost = options->boost != NULL ? *options->boost : SMERF_INIT(smerf_boost_options);
    model->options.boost = &model->boost;
    sm_shrinkage_start(&model->shrinkage);
}

smerf_status sm_model_new(const smerf_items *items, const sm_view *view, smerf_target *target,
                          const smerf_options *options, const smerf_run *run, smerf_model **out, smerf_error *error) {
    double bytes = (double)options->n_trees * (double)sizeof(sm_tree);
    smerf_status status = sm_check_memory(bytes, "a forest of that many trees", error);
    if (status != SMERF_OK) return status;
    smerf_model *model = sm_zeros(1, sizeof *model);
    if (model == NULL) return sm_no_memory(error, "making a model");
    sm_model_set_options(model, options);
    model->target = sm_target_retain(target);
    model->trees = sm_zeros(options->n_trees, sizeof *model->trees);
    bool has_memory = model->trees != NULL && copy_items(model, items);
    status = has_memory ? hash_items(model, view, run, error) : sm_no_memory(error, "making a model");
    if (status == SMERF_OK)
        *out = model;
    else
        smerf_model_free(model);
    return status;
}

static bool remember_target(sm_public_target *trained_on, const smerf_target *target) {
    trained_on->name = sm_copy_string(sm_target_public_name(target));
    trained_on->from_similarities = target->from_similarities;
    trained_on->largest_similarity = target->largest_similarity;
    return trained_on->name != NULL &&
           sm_strings_copy(&trained_on->columns, (const char *const *)target->columns.text, target->columns.n);
}

smerf_status sm_model_new_for_method(const smerf_items *items, const sm_view *view, const smerf_target *target,
                                     const smerf_options *options, const smerf_run *run, smerf_model **out,
                                     smerf_error *error) {
    smerf_model *model = sm_zeros(1, sizeof *model);
    if (model == NULL) return sm_no_memory(error, "making a model");
    sm_model_set_options(model, options);
    model->options.first_tree = model->options.n_trees = model->options.complete = model->options.rank = 0;
    model->options.shrink = SMERF_SHRINK_OFF;
    model->method = sm_method_of(options->method);
    bool has_memory = copy_items(model, items) && remember_target(&model->trained_on, target);
    smerf_status status = has_memory ? hash_items(model, view, run, error) : sm_no_memory(error, "making a model");
    if (status == SMERF_OK)
        *out = model;
    else
        smerf_model_free(model);
    return status;
}

smerf_status sm_model_check_forest(const smerf_model *model, const char *what, smerf_error *error) {
    if (model->method == NULL) return SMERF_OK;
    return sm_fail(error, SMERF_BAD_INPUT, "the model was made by the method '%s', which has no notion of %s",
                   model->method->name, what);
}

smerf_status sm_model_check_out_of_bag(const smerf_model *model, smerf_error *error) {
    if (model->method == NULL || model->method->check_out_of_bag == NULL)
        return sm_model_check_forest(model, "out of bag", error);
    return model->method->check_out_of_bag(model->learned, error);
}

bool smerf_model_has_out_of_bag(const smerf_model *model) {
    return sm_model_check_out_of_bag(model, NULL) == SMERF_OK &&
           (model->method != NULL || model->options.sample != SMERF_NO_SAMPLE);
}

static bool copy_text(char **copy, const char *text) {
    *copy = text != NULL ? sm_copy_string(text) : NULL;
    return text == NULL || *copy != NULL;
}

static bool copy_strings(sm_strings *copy, const sm_strings *strings) {
    return sm_strings_copy(copy, (const char *const *)strings->text, strings->n);
}

static bool copy_head(smerf_model *copy, const smerf_model *model) {
    sm_model_set_options(copy, &model->options);
    copy->n_items = model->n_items;
    copy->target = sm_target_retain(model->target);
    if (!sm_shrinkage_copy(&copy->shrinkage, &model->shrinkage)) return false;
    copy->hashes = sm_copy(model->hashes, model->n_items, sizeof *copy->hashes);
    if (copy->hashes == NULL || !sm_features_copy(&copy->features, &model->features)) return false;
    if (!copy_strings(&copy->ids, &model->ids) || !copy_strings(&copy->ignored, &model->ignored)) return false;
    if (!copy_text(&copy->id_column, model->id_column) || !copy_text(&copy->weight_column, model->weight_column))
        return false;
    if (model->weights == NULL) return true;
    copy->weights = sm_copy(model->weights, model->n_items, sizeof *copy->weights);
    return copy->weights != NULL;
}

smerf_model *sm_model_copy_head(const smerf_model *model) {
    smerf_model *copy = sm_zeros(1, sizeof *copy);
    if (copy == NULL) return NULL;
    copy->trees = sm_zeros(model->options.n_trees, sizeof *copy->trees);
    if (copy->trees != NULL && copy_head(copy, model)) return copy;
    smerf_model_free(copy);
    return NULL;
}

typedef struct named_item {
    const char *id;
    uint32_t row;
} named_item;

static int by_id(const void *a, const void *b) {
    return strcmp(((const named_item *)a)->id, ((const named_item *)b)->id);
}

/* Looks up every one of `names` among the sorted ones: pairs of rows that have the same id. */
static void match_ids(const named_item *sorted, size_t n_sorted, const sm_strings *names, bool is_model_sorted,
                      uint32_t *rows) {
    for (size_t i = 0; i < names->n; i++) {
        const named_item wanted = {.id = names->text[i]};
        const named_item *found = bsearch(&wanted, sorted, n_sorted, sizeof *sorted, by_id);
        if (found == NULL) continue;
        rows[is_model_sorted ? i : found->row] = is_model_sorted ? found->row : (uint32_t)i;
    }
}

/* The fewer ids are sorted, so that a few queries are found quickly in a model of many items. */
static smerf_status find_by_id(const smerf_model *model, const smerf_items *items, uint32_t *rows, smerf_error *error) {
    bool is_model_sorted = model->ids.n <= items->ids.n;
    const sm_strings *fewer = is_model_sorted ? &model->ids : &items->ids;
    named_item *sorted = sm_array(fewer->n, sizeof *sorted);
    if (sorted == NULL) return sm_no_memory(error, "looking up items");
    for (size_t i = 0; i < fewer->n; i++) sorted[i] = (named_item){.id = fewer->text[i], .row = (uint32_t)i};
    qsort(sorted, fewer->n, sizeof *sorted, by_id);
    for (size_t i = 0; i < items->n_items; i++) rows[i] = SMERF_MISSING;
    match_ids(sorted, fewer->n, is_model_sorted ? &items->ids : &model->ids, is_model_sorted, rows);
    sm_free(sorted);
    return SMERF_OK;
}

smerf_status sm_model_look_up(const smerf_model *model, const smerf_items *items, const sm_view *view, uint32_t *rows,
                              smerf_error *error) {
    uint64_t *hashes = sm_array(items->n_items, sizeof *hashes);
    if (hashes == NULL) return sm_no_memory(error, "looking up items");
    smerf_status status = SMERF_OK;
    if (model->ids.n > 0 && items->ids.n > 0)
        status = find_by_id(model, items, rows, error);
    else
        for (size_t i = 0; i < items->n_items; i++) {
            size_t row = items->rows != NULL ? items->rows[i] : i;
            rows[i] = row < model->n_items ? (uint32_t)row : SMERF_MISSING;
        }
    sm_view_hash(view, &model->features, 0, items->n_items, hashes);
    for (size_t i = 0; i < items->n_items && status == SMERF_OK; i++)
        if (rows[i] != SMERF_MISSING && model->hashes[rows[i]] != hashes[i]) rows[i] = SMERF_MISSING;
    sm_free(hashes);
    return status;
}

smerf_status sm_model_find_items(const smerf_model *model, const smerf_items *items, const sm_view *view,
                                 uint32_t *rows, smerf_error *error) {
    smerf_status status = sm_model_look_up(model, items, view, rows, error);
    bool has_ids = model->ids.n > 0 && items->ids.n > 0;
    for (size_t i = 0; i < items->n_items && status == SMERF_OK; i++)
        if (rows[i] == SMERF_MISSING)
            status = has_ids ? sm_fail(error, SMERF_BAD_INPUT,
                                       "item '%s' is not one of the model's training items; out of bag is about those",
                                       items->ids.text[i])
                             : sm_fail(error, SMERF_BAD_INPUT,
                                       "row %zu is not the model's training item %zu; out of bag is about those", i,
                                       items->rows != NULL ? items->rows[i] : i);
    return status;
}

smerf_status smerf_model_training_rows(const smerf_model *model, const smerf_items *items, uint32_t *rows,
                                       smerf_error *error) {
    sm_view view;
    smerf_status status = sm_view_match(&view, &model->features, items, error);
    if (status != SMERF_OK) return status;
    status = sm_model_look_up(model, items, &view, rows, error);
    sm_view_free(&view);
    return status;
}

const smerf_target *smerf_model_target(const smerf_model *model) {
    return model->target == NULL || model->target->kind->data.is_approximate ? NULL : model->target;
}

void sm_model_out_of_bag(const smerf_model *model, size_t tree, bool *out_of_bag) {
    const sm_tree *grown = &model->trees[tree];
    memset(out_of_bag, true, model->n_items * sizeof *out_of_bag);
    for (size_t member = 0; member < sm_tree_n_members(grown); member++) out_of_bag[grown->member_item[member]] = false;
}

size_t sm_model_most_members(const smerf_model *model) {
    size_t most = 0;
    for (size_t b = 0; b < model->options.n_trees; b++) {
        size_t n_members = sm_tree_n_members(&model->trees[b]);
        if (n_members > most) most = n_members;
    }
    return most;
}

size_t sm_model_most_leaves(const smerf_model *model) {
    size_t most = 0;
    for (size_t b = 0; b < model->options.n_trees; b++)
        if (model->trees[b].n_leaves > most) most = model->trees[b].n_leaves;
    return most;
}

smerf_status smerf_model_describe(const smerf_model *model, smerf_description *description, smerf_error *error) {
    SM_READ_RESULT(smerf_description, description, full, error);
    const smerf_target *target = model->target;
    const sm_public_target *trained_on = &model->trained_on;
    const sm_strings *columns = target != NULL ? &target->columns : &trained_on->columns;
    full = (smerf_description){
        .size = sizeof full,
        .method = smerf_method_name(model->options.method),
        .target = target != NULL ? sm_target_public_name(target) : trained_on->name,
        .n_target_columns = columns->n,
        .target_columns = (const char *const *)columns->text,
        .rank_fraction = target != NULL ? target->rank_fraction : 1,
        .rank_fraction_of_squares = target != NULL ? target->rank_fraction_of_squares : 1,
        .from_similarities = target != NULL ? target->from_similarities : trained_on->from_similarities,
        .largest_similarity = target != NULL ? target->largest_similarity : trained_on->largest_similarity,
        .n_items = model->n_items,
        .n_features = model->features.n,
        .options = &model->options,
        .id_column = model->id_column,
        .weight_column = model->weight_column,
        .n_ignored = model->ignored.n,
        .ignored = (const char *const *)model->ignored.text,
        .shrinkage = model->shrinkage.scale,
        .mean_distance = model->shrinkage.mean,
        .shrinkage_slope = model->shrinkage.slope,
        .shrinkage_error = model->shrinkage.error};
    full.are_log_odds =
        model->method != NULL && model->method->learns_log_odds && strcmp(full.target, sm_target_triplets.name) == 0;
    for (size_t b = 0; b < model->options.n_trees; b++) {
        full.n_nodes += model->trees[b].n_nodes;
        full.n_leaves += model->trees[b].n_leaves;
    }
    SM_WRITE(smerf_description, full, description);
    return SMERF_OK;
}

bool smerf_model_scale(const smerf_model *model, smerf_scale *scale) {
    smerf_description about = SMERF_INIT(smerf_description);
    smerf_model_describe(model, &about, NULL);
    bool is_graph = strcmp(about.target, "graph") == 0 || strcmp(about.target, "observed") == 0;
    if (!is_graph && !about.from_similarities) return false;
    double largest = about.from_similarities ? about.largest_similarity : 1;
    *scale = is_graph ? (smerf_scale){.largest = 1, .factor = largest} : (smerf_scale){.largest = largest, .factor = 1};
    return true;
}

size_t smerf_model_n_diagnostics(const smerf_model *model) { return model->diagnostics.n; }

const char *smerf_model_diagnostic(const smerf_model *model, size_t diagnostic, double *value) {
    *value = model->diagnostics.diagnostic[diagnostic].value;
    return model->diagnostics.diagnostic[diagnostic].name;
}

void smerf_model_feature(const smerf_model *model, size_t feature, smerf_column *column) {
    const sm_feature *known = &model->features.feature[feature];
    *column = (smerf_column){.name = known->name,
                             .kind = known->kind,
                             .levels = (const char *const *)known->levels.text,
                             .n_levels = known->levels.n};
}

smerf_status smerf_model_tree(const smerf_model *model, size_t tree, smerf_tree_view *view, smerf_error *error) {
    SM_READ_RESULT(smerf_tree_view, view, full, error);
    const sm_tree *grown = &model->trees[tree];
    full = (smerf_tree_view){.size = sizeof full,
                             .n_nodes = grown->n_nodes,
                             .n_splits = grown->n_splits,
                             .n_leaves = grown->n_leaves,
                             .is_leaf = grown->is_leaf,
                             .index = grown->index,
                             .right = grown->right,
                             .threshold = grown->threshold,
                             .gain = grown->gain,
                             .missing_left = grown->missing_left,
                             .is_category = grown->is_category,
                             .first_term = grown->first_term,
                             .term_feature = grown->term_feature,
                             .term_weight = grown->term_weight,
                             .term_level = grown->term_level,
                             .first_left = grown->first_left,
                             .left_level = grown->left_level,
                             .first_member = grown->first_member,
                             .member_item = grown->member_item,
                             .member_draws = grown->member_draws};
    SM_WRITE(smerf_tree_view, full, view);
    return SMERF_OK;
}

/* Children come after their parent in preorder, so one walk from the end adds them up. */
void smerf_model_node_weights(const smerf_model *model, size_t tree, double *weights) {
    const sm_tree *grown = &model->trees[tree];
    for (size_t node = grown->n_nodes; node-- > 0;) {
        size_t index = grown->index[node];
        if (!grown->is_leaf[node]) {
            weights[node] = weights[node + 1] + weights[grown->right[index]];
            continue;
        }
        weights[node] = 0;
        for (size_t member = grown->first_member[index]; member < grown->first_member[index + 1]; member++) {
            double item_weight = model->weights != NULL ? model->weights[grown->member_item[member]] : 1;
            weights[node] += item_weight * grown->member_draws[member];
        }
    }
}

void sm_diagnostics_add(sm_diagnostics *diagnostics, const char *name, double value) {
    if (diagnostics->n == SM_MOST_DIAGNOSTICS) return;
    struct sm_diagnostic *diagnostic = &diagnostics->diagnostic[diagnostics->n++];
    snprintf(diagnostic->name, sizeof diagnostic->name, "%s", name);
    diagnostic->value = value;
}
