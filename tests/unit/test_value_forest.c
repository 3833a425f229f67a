/* test_value_forest.c - a forest of which only predictions are kept predicts as it did before; as arrays and back it is
 * the same; arrays that do not fit together are refused. */
#include "tests/unit/forests.h"

#include "base/memory.h"
#include "method/pair_forest/value_forest.h"

enum { N_ITEMS = 60, MOST_VALUES = 3 };

typedef struct kept {
    data_set *data;
    smerf_target *target;
    smerf_model *model;
    sm_value_forest forest;
    size_t n_values;
} kept;

static void keep(kept *at, size_t n_values, smerf_splits splits, size_t n_categories) {
    static const char *const names[MOST_VALUES] = {"a", "b", "c"};
    double y[MOST_VALUES][N_ITEMS];
    const double *columns[MOST_VALUES] = {y[0], y[1], y[2]};
    smerf_error error;
    *at = (kept){.n_values = n_values};
    at->data = data_set_new((data_plan){
        .n_items = N_ITEMS, .n_numbers = 3, .n_categories = n_categories, .missing = 0.1, .seed = n_values});
    for (size_t v = 0; v < n_values; v++)
        for (size_t i = 0; i < N_ITEMS; i++) y[v][i] = hidden(at->data, i) * (double)(v + 1) + (double)(i % (v + 2));
    demand_ok(smerf_target_new_response(names, columns, n_values, N_ITEMS, &at->target, &error), &error);
    smerf_options options = options_for(7);
    options.splits = splits;
    options.density = splits == SMERF_OBLIQUE ? 0.5 : 0;
    options.candidates = 3;
    demand_ok(smerf_fit(at->data->items, at->target, &options, NULL, &at->model, &error), &error);
    demand_ok(sm_value_forest_start(&at->forest, 7, n_values, &error), &error);
    demand_ok(sm_value_forest_take(&at->forest, 0, at->model, 1, &error), &error);
}

static void drop(kept *at) {
    sm_value_forest_free(&at->forest);
    smerf_model_free(at->model);
    smerf_target_free(at->target);
    data_set_free(at->data);
}

static void assert_predicts(const kept *at, const sm_value_forest *forest) {
    double expected[N_ITEMS * MOST_VALUES], found[N_ITEMS * MOST_VALUES];
    const smerf_request request = SMERF_INIT(smerf_request, .rows = at->data->items);
    smerf_error error;
    sm_view view;
    demand_ok(smerf_predict_values(at->model, &request, NULL, expected, &error), &error);
    demand_ok(sm_view_match(&view, &at->model->features, at->data->items, &error), &error);
    sm_value_forest_predict(forest, &view, 0, N_ITEMS, found);
    assert_memory_equal(found, expected, N_ITEMS * at->n_values * sizeof *found);
    sm_value_forest_predict(forest, &view, 17, 23, found); /* the same by themselves */
    assert_memory_equal(found, expected + 17 * at->n_values, 6 * at->n_values * sizeof *found);
    sm_view_free(&view);
}

static void what_is_kept_predicts_what_the_forest_predicts(void **state) {
    (void)state;
    for (size_t trial = 0; trial < 12; trial++) {
        kept at;
        keep(&at, 1 + trial % 3, trial % 2 == 0 ? SMERF_AXIS : SMERF_OBLIQUE, trial / 4);
        assert_predicts(&at, &at.forest);
        drop(&at);
    }
}

static void values_may_be_scaled(void **state) {
    (void)state;
    kept at;
    keep(&at, 2, SMERF_AXIS, 0);
    sm_value_forest larger;
    smerf_error error;
    demand_ok(sm_value_forest_start(&larger, 7, 2, &error), &error);
    demand_ok(sm_value_forest_take(&larger, 0, at.model, 4, &error), &error);
    double small[2 * N_ITEMS], large[2 * N_ITEMS];
    sm_view view;
    demand_ok(sm_view_match(&view, &at.model->features, at.data->items, &error), &error);
    sm_value_forest_predict(&at.forest, &view, 0, N_ITEMS, small);
    sm_value_forest_predict(&larger, &view, 0, N_ITEMS, large);
    for (size_t k = 0; k < 2 * N_ITEMS; k++) assert_true(large[k] == 4 * small[k]);
    sm_view_free(&view);
    sm_value_forest_free(&larger);
    drop(&at);
}

/* ---- arrays ---- */

typedef struct bytes {
    unsigned char *data;
    size_t n;
} bytes;

static void collect(void *to, const void *data, size_t n) {
    bytes *all = to;
    memcpy(all->data + all->n, data, n);
    all->n += n;
}

/* The arrays as a file would hold them: of their own, so that they can be spoilt. */
static sm_tensors write_down(const sm_value_forest *forest) {
    sm_tensors saved = {0}, written = {0};
    smerf_error error;
    demand_ok(sm_value_forest_save(forest, &saved, &error), &error);
    for (size_t t = 0; t < saved.n; t++) {
        const sm_tensor *tensor = &saved.tensor[t];
        size_t n_bytes = tensor->n * sm_tensor_type_bytes(tensor->type);
        bytes all = {.data = sm_array(n_bytes, 1)};
        tensor->put(tensor->data, collect, &all);
        assert_int_equal(all.n, n_bytes);
        demand_ok(sm_tensors_give(&written, tensor->name, tensor->type, all.data, tensor->n, &error), &error);
    }
    sm_tensors_free(&saved);
    return written;
}

static void arrays_come_back_as_the_same_forest(void **state) {
    (void)state;
    for (size_t trial = 0; trial < 12; trial++) {
        kept at;
        sm_value_forest loaded;
        smerf_error error;
        keep(&at, 1 + trial % 3, trial % 2 == 0 ? SMERF_AXIS : SMERF_OBLIQUE, trial / 4);
        sm_tensors arrays = write_down(&at.forest);
        demand_ok(sm_value_forest_load(&loaded, &arrays, &at.model->features, at.n_values, &error), &error);
        assert_predicts(&at, &loaded);
        sm_tensors_free(&arrays);
        sm_value_forest_free(&loaded);
        drop(&at);
    }
}

static smerf_status load_status(const kept *at, const sm_tensors *arrays) {
    sm_value_forest loaded;
    smerf_error error = {0};
    smerf_status status = sm_value_forest_load(&loaded, arrays, &at->model->features, at->n_values, &error);
    if (status != SMERF_OK) assert_true(strlen(error.message) > 0);
    sm_value_forest_free(&loaded);
    return status;
}

/* Any byte may be another: the forest is refused, or it is one that can be walked. */
static void spoilt_arrays_do_no_harm(void **state) {
    (void)state;
    for (size_t trial = 0; trial < 4; trial++) {
        kept at;
        keep(&at, 1 + trial % 2, trial < 2 ? SMERF_AXIS : SMERF_OBLIQUE, 2);
        sm_tensors arrays = write_down(&at.forest);
        sm_random random;
        sm_random_start(&random, trial, 1, 2);
        double values[N_ITEMS * MOST_VALUES];
        sm_view view;
        smerf_error error;
        demand_ok(sm_view_match(&view, &at.model->features, at.data->items, &error), &error);
        for (size_t round = 0; round < 3000; round++) {
            sm_tensor *tensor = &arrays.tensor[sm_random_below(&random, (uint32_t)arrays.n)];
            size_t n_bytes = tensor->n * sm_tensor_type_bytes(tensor->type);
            if (n_bytes == 0) continue;
            unsigned char *byte = (unsigned char *)tensor->owned + sm_random_below(&random, (uint32_t)n_bytes);
            unsigned char old = *byte;
            *byte = (unsigned char)sm_random_below(&random, 256);
            sm_value_forest loaded;
            if (sm_value_forest_load(&loaded, &arrays, &at.model->features, at.n_values, &error) == SMERF_OK)
                sm_value_forest_predict(&loaded, &view, 0, N_ITEMS, values);
            sm_value_forest_free(&loaded);
            *byte = old;
        }
        assert_int_equal(load_status(&at, &arrays), SMERF_OK); /* all is as it was */
        sm_view_free(&view);
        sm_tensors_free(&arrays);
        drop(&at);
    }
}

static void arrays_of_the_wrong_length_or_type_are_refused(void **state) {
    (void)state;
    kept at;
    keep(&at, 2, SMERF_OBLIQUE, 2);
    sm_tensors arrays = write_down(&at.forest);
    for (size_t t = 0; t < arrays.n; t++) {
        sm_tensor *tensor = &arrays.tensor[t], old = *tensor;
        if (tensor->n > 0) {
            tensor->n--;
            assert_int_equal(load_status(&at, &arrays), SMERF_BAD_FILE);
            *tensor = old;
        }
        tensor->type = tensor->type == SM_U8 ? SM_I8 : SM_U8;
        assert_int_equal(load_status(&at, &arrays), SMERF_BAD_FILE);
        *tensor = old;
        tensor->name[8] = '!';
        assert_int_equal(load_status(&at, &arrays), SMERF_BAD_FILE);
        *tensor = old;
    }
    sm_tensors none = {0};
    assert_int_equal(load_status(&at, &none), SMERF_BAD_FILE);
    sm_tensors_free(&arrays);
    drop(&at);
}

static void numbers_that_make_no_sense_are_refused(void **state) {
    (void)state;
    static const char *const names[] = {"learned.threshold", "learned.value"};
    kept at;
    keep(&at, 1, SMERF_AXIS, 0);
    sm_tensors arrays = write_down(&at.forest);
    for (size_t k = 0; k < 2; k++) {
        double *number = (double *)sm_tensors_find(&arrays, names[k])->owned + 3, old = *number;
        *number = k == 0 ? NAN : INFINITY;
        assert_int_equal(load_status(&at, &arrays), SMERF_BAD_FILE);
        *number = old;
    }
    uint32_t *feature = sm_tensors_find(&arrays, "learned.feature")->owned;
    feature[2] = 3; /* there are three */
    assert_int_equal(load_status(&at, &arrays), SMERF_BAD_FILE);
    sm_tensors_free(&arrays);
    drop(&at);
}

/* ---- one number that makes no sense ---- */

static uint32_t *u32_of(const sm_tensors *arrays, const char *name, size_t *n) {
    const sm_tensor *tensor = sm_tensors_find(arrays, name);
    assert_non_null(tensor);
    *n = tensor->n;
    return tensor->owned;
}

static uint8_t *marks_of(const sm_tensors *arrays) { return sm_tensors_find(arrays, "learned.mark")->owned; }

/* The first long split whose set of levels has at least so many; its levels start at *level. */
static size_t long_split_with(const sm_tensors *arrays, uint32_t n_levels, size_t *level) {
    size_t n, split = 0;
    const uint32_t *n_left = u32_of(arrays, "learned.n_left", &n);
    for (*level = 0; split < n && n_left[split] < n_levels; split++) *level += n_left[split];
    assert_true(split < n);
    return split;
}

typedef void (*spoiler)(const sm_tensors *arrays);

#define SPOIL_U32(what, array, change)                                                                                 \
    static void what(const sm_tensors *arrays) {                                                                       \
        size_t n, level = 0;                                                                                           \
        long_split_with(arrays, 2, &level);                                                                            \
        uint32_t *number = u32_of(arrays, array, &n);                                                                  \
        (void)number, (void)level;                                                                                     \
        change;                                                                                                        \
    }

static void a_mark_that_nobody_knows(const sm_tensors *arrays) { marks_of(arrays)[0] = 8; }
static void a_leaf_that_is_long(const sm_tensors *arrays) { marks_of(arrays)[0] = 1 | 2; }
static void a_root_that_is_a_leaf(const sm_tensors *arrays) { marks_of(arrays)[0] = 1; }
static void a_weight_of_two(const sm_tensors *arrays) {
    ((int8_t *)sm_tensors_find(arrays, "learned.term_weight")->owned)[0] = 2;
}
SPOIL_U32(no_leaves, "learned.n_leaves", number[0] = 0)
SPOIL_U32(more_leaves_than_there_are, "learned.n_leaves", number[0] = UINT32_MAX)
SPOIL_U32(a_leaf_too_many, "learned.n_leaves", number[n - 1]++)
SPOIL_U32(a_leaf_too_few, "learned.n_leaves", number[n - 1]--)
SPOIL_U32(a_feature_that_is_not_there, "learned.term_feature", number[0] = 1000)
SPOIL_U32(a_level_that_is_not_there, "learned.left_level", number[level] = 1000)
SPOIL_U32(a_level_twice, "learned.left_level", number[level + 1] = number[level])
SPOIL_U32(more_levels_than_there_are, "learned.n_left", number[0] = UINT32_MAX)
SPOIL_U32(a_level_too_few, "learned.n_left", number[long_split_with(arrays, 2, &level)]--)

static void each_check_of_a_tree_refuses_what_it_is_for(void **state) {
    (void)state;
    static const spoiler spoilers[] = {a_mark_that_nobody_knows,
                                       a_leaf_that_is_long,
                                       a_root_that_is_a_leaf,
                                       a_weight_of_two,
                                       no_leaves,
                                       a_leaf_too_many,
                                       a_leaf_too_few,
                                       a_feature_that_is_not_there,
                                       more_leaves_than_there_are,
                                       a_level_that_is_not_there,
                                       a_level_twice,
                                       more_levels_than_there_are,
                                       a_level_too_few};
    kept at;
    keep(&at, 1, SMERF_AXIS, 2);
    for (size_t k = 0; k < sizeof spoilers / sizeof *spoilers; k++) {
        sm_tensors arrays = write_down(&at.forest);
        assert_int_equal(load_status(&at, &arrays), SMERF_OK);
        spoilers[k](&arrays);
        if (load_status(&at, &arrays) != SMERF_BAD_FILE) fail_msg("spoiler %zu is not refused", k);
        sm_tensors_free(&arrays);
    }
    drop(&at);
}

/* What a split by one number of a forest on values is made of must not be more than that. */
static void a_category_is_no_number(void **state) {
    (void)state;
    kept at;
    keep(&at, 1, SMERF_AXIS, 2);
    sm_tensors arrays = write_down(&at.forest);
    size_t n, split = 0;
    uint32_t *feature = u32_of(&arrays, "learned.feature", &n);
    const uint8_t *mark = marks_of(&arrays);
    for (size_t node = 0; (mark[node] & 3) != 0; node++) split += (mark[node] & 1) == 0;
    feature[split] = 3; /* the first that is a category */
    assert_int_equal(at.model->features.feature[3].kind, SMERF_CATEGORY);
    assert_int_equal(load_status(&at, &arrays), SMERF_BAD_FILE);
    sm_tensors_free(&arrays);
    drop(&at);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_kept_predicts_what_the_forest_predicts),
        cmocka_unit_test(values_may_be_scaled),
        cmocka_unit_test(arrays_come_back_as_the_same_forest),
        cmocka_unit_test(spoilt_arrays_do_no_harm),
        cmocka_unit_test(arrays_of_the_wrong_length_or_type_are_refused),
        cmocka_unit_test(numbers_that_make_no_sense_are_refused),
        cmocka_unit_test(each_check_of_a_tree_refuses_what_it_is_for),
        cmocka_unit_test(a_category_is_no_number),
    };
    return cmocka_run_group_tests(tests, files_enter, files_leave);
}
