/* per_item.h - for tests of targets that each item has a value for, a label or a number: their forests against those of
 * the matrix, parts of forests, and model files, also such whose checksum fits and whose target does not. */
#ifndef TESTS_UNIT_PER_ITEM_H
#define TESTS_UNIT_PER_ITEM_H

#include "tests/unit/stand_in.h"

#include "model/safetensors.h"
#include "target/target.h"

/* ---- forests ---- */

static inline void assert_same_u32(const uint32_t *a, const uint32_t *b, size_t n) {
    assert_int_equal(a == NULL, b == NULL);
    if (a != NULL) assert_memory_equal(a, b, n * sizeof *a);
}

/* What assert_same_trees of stand_in.h leaves out. */
static inline void assert_same_arrays(const smerf_model *a, const smerf_model *b, size_t n_trees) {
    assert_same_trees(a, b, n_trees);
    for (size_t t = 0; t < n_trees; t++) {
        smerf_tree_view left = SMERF_INIT(smerf_tree_view), right = SMERF_INIT(smerf_tree_view);
        smerf_model_tree(a, t, &left, NULL);
        smerf_model_tree(b, t, &right, NULL);
        assert_same_u32(left.index, right.index, left.n_nodes);
        assert_same_u32(left.right, right.right, left.n_splits);
        assert_same_u32(left.term_level, right.term_level, left.first_term[left.n_splits]);
        assert_same_u32(left.first_left, right.first_left, left.n_splits + 1);
        assert_same_u32(left.member_draws, right.member_draws, left.first_member[left.n_leaves]);
    }
}

/* A forest on data with everything in it: by the target, and by the matrix. */
static inline void check_forest(const data_set *data, smerf_target *target, smerf_options options) {
    smerf_error error;
    smerf_model *model = NULL, *dense = fit_with(data, &options, NULL);
    demand_ok(smerf_fit(data->items, target, &options, NULL, &model, &error), &error);
    assert_same_arrays(model, dense, options.n_trees);
    const smerf_self selves[] = {SMERF_SELF_GIVEN, SMERF_SELF_EXCLUDE};
    assert_same_distances(model, dense, data, false);
    if (options.sample != SMERF_NO_SAMPLE) assert_same_distances(model, dense, data, true);
    smerf_model_free(model);
    smerf_model_free(dense);
    if (options.self_distance != SMERF_SELF_VALUE) return;
    for (size_t s = 0; s < 2; s++) { /* the other two */
        options.self_distance = selves[s];
        check_forest(data, target, options);
    }
}

/* All combinations of what matters to a tree's shape, on one data set. Takes data->target for the matrix's. */
static inline void check_forests(const data_set *data, smerf_target *target) {
    for (unsigned way = 0; way < 16; way++) {
        smerf_options options = options_for(2);
        options.splits = way & 1 ? SMERF_OBLIQUE : SMERF_AXIS;
        options.density = way & 1 ? 0.4 : 0;
        options.sample = way & 2 ? SMERF_NO_SAMPLE : SMERF_BOOTSTRAP;
        options.min_parent = way & 4 ? 6 : 2;
        options.max_depth = way & 8 ? 3 : SMERF_NO_LIMIT;
        options.self_distance = SMERF_SELF_VALUE;
        options.self_value = 0.5 * (way % 3);
        check_forest(data, target, options);
    }
}

/* The same on data sets with weights and without, for targets that are drawn. */
static inline void check_drawn_forests(stand_in_maker draw) {
    enum { N_ITEMS = 60 };
    for (uint64_t seed = 0; seed < 6; seed++) {
        data_plan plan = {.n_items = N_ITEMS, .n_numbers = 2, .n_categories = 2, .missing = 0.1, .seed = seed};
        data_set *data = data_set_new(plan);
        sm_random random;
        smerf_error error;
        double weights[N_ITEMS];
        sm_random_start(&random, seed, 12, 0);
        smerf_target_free(data->target);
        smerf_target *target = draw(N_ITEMS, &random, data->z);
        demand_ok(smerf_target_new_distances(data->z, N_ITEMS, &data->target, &error), &error);
        for (size_t i = 0; i < N_ITEMS; i++) weights[i] = 0.1 + sm_random_uniform(&random);
        if (seed % 2 == 0) demand_ok(smerf_items_set_weights(data->items, "w", weights, &error), &error);
        check_forests(data, target);
        smerf_target_free(target);
        data_set_free(data);
    }
}

static inline smerf_model *fit_target(const data_set *data, smerf_target *target, const smerf_options *options) {
    smerf_model *model = NULL;
    smerf_error error;
    demand_ok(smerf_fit(data->items, target, options, NULL, &model, &error), &error);
    return model;
}

/* Two trees on one target and two on another make a forest of four if the targets are the same, and else nothing.
 *   targets  [n] for 12 items, the first equal to `same`, the others not */
static inline void check_merging(smerf_target *same, smerf_target *const *targets, size_t n) {
    data_set *data = plain_data(12);
    smerf_options options = options_for(2);
    smerf_model *first = fit_target(data, same, &options), *merged = NULL;
    smerf_error error;
    options.first_tree = 2;
    for (size_t k = 0; k < n; k++) {
        smerf_model *second = fit_target(data, targets[k], &options);
        const smerf_model *parts[2] = {first, second};
        smerf_status status = smerf_model_merge(parts, 2, &merged, &error);
        assert_int_equal(status, k == 0 ? SMERF_OK : SMERF_BAD_INPUT);
        if (k > 0) assert_says(&error, "these are not parts of one forest", "differ in target");
        smerf_model_free(second);
    }
    options = options_for(4);
    smerf_model *whole = fit_target(data, same, &options);
    assert_same_model(whole, merged);
    smerf_model_free(first);
    smerf_model_free(whole);
    smerf_model_free(merged);
    data_set_free(data);
}

/* ---- files ---- */

/* A target of eight items, with or without (NULL) a name for its column. */
typedef smerf_target *(*named_maker)(const char *column);

/* Leaves good.smerf: a small model, with a self-distance of its own where that is not 0. */
static inline smerf_model *save_good(named_maker make, const char *column, double self_value) {
    data_set *data = plain_data(8);
    smerf_target *target = make(column);
    smerf_options options = options_for(2);
    smerf_error error;
    options.self_distance = SMERF_SELF_VALUE;
    options.self_value = self_value;
    smerf_model *model = fit_target(data, target, &options);
    demand_ok(smerf_model_save(model, "good.smerf", &error), &error);
    smerf_target_free(target);
    data_set_free(data);
    return model;
}

static inline void check_files(named_maker make) {
    const char *const names[2] = {"height", NULL};
    const double selves[3] = {0, 1, 0.25};
    for (size_t k = 0; k < 6; k++) {
        smerf_model *model = save_good(make, names[k % 2], selves[k / 2]), *loaded = NULL;
        smerf_error error;
        demand_ok(smerf_model_load("good.smerf", &loaded, &error), &error);
        assert_same_model(model, loaded);
        smerf_model_free(model);
        smerf_model_free(loaded);
    }
}

/* good.smerf with one of its arrays changed, or taken away (NULL). */
static inline smerf_status load_forged(const char *name, sm_tensor_type type, const void *data, size_t n,
                                       smerf_error *error) {
    sm_safetensors file;
    sm_tensors changed = {0};
    demand_ok(sm_safetensors_read("good.smerf", "model", &file, error), error);
    json_t *facts = json_deep_copy(file.facts);
    json_object_del(facts, "checksum");
    for (size_t k = 0; k < file.tensors.n; k++) {
        const sm_tensor *tensor = &file.tensors.tensor[k];
        if (strcmp(tensor->name, name) != 0)
            demand_ok(sm_tensors_add(&changed, tensor->name, tensor->type, tensor->data, tensor->n, error), error);
    }
    if (data != NULL) demand_ok(sm_tensors_add(&changed, name, type, data, n, error), error);
    demand_ok(sm_safetensors_write("forged.smerf", facts, &changed, error), error);
    json_decref(facts);
    sm_tensors_free(&changed);
    sm_safetensors_close(&file);
    smerf_model *model = NULL;
    smerf_status status = smerf_model_load("forged.smerf", &model, error);
    smerf_model_free(model);
    return status;
}

static inline void assert_forgery(const char *name, sm_tensor_type type, const void *data, size_t n,
                                  const char *words) {
    smerf_error error = {0};
    assert_int_equal(load_forged(name, type, data, n, &error), SMERF_BAD_FILE);
    assert_says(&error, "forged.smerf: is damaged: ", words);
}

#endif
