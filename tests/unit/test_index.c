/* test_index.c - an index finds the neighbours that a search without one finds, to the last bit: for every kind of target, made at
 * once or in pieces, from a file or not. */
#include "tests/unit/column_targets.h"
#include "tests/unit/effort.h"
#include "tests/unit/found.h"
#include "tests/unit/questions.h"

#include "predict/index.h"

/* ---- making and asking ---- */

static smerf_index *index_of(const smerf_model *model, const smerf_items *items, size_t n_threads) {
    smerf_index *index = NULL;
    smerf_error error;
    const smerf_run run = SMERF_INIT(smerf_run, .n_threads = n_threads);
    demand_ok(smerf_index_new(model, items, &run, &index, &error), &error);
    return index;
}

static found ask_index(const smerf_index *index, const smerf_neighborhood *wanted, const sm_limits *limits,
                       size_t n_threads) {
    found got = found_start(smerf_items_count(wanted->queries), smerf_index_count(index));
    smerf_error error;
    const smerf_run run = SMERF_INIT(smerf_run, .n_threads = n_threads);
    demand_ok(sm_index_query(index, wanted, limits, &run, keep_neighbors, &got, &error), &error);
    return got;
}

/* The search without an index is tested in test_neighbors.c. */
static found ask_without(const smerf_model *model, const smerf_items *items, smerf_neighborhood wanted) {
    found got = found_start(smerf_items_count(wanted.queries), smerf_items_count(items));
    smerf_error error;
    wanted.items = items;
    demand_ok(smerf_neighbors(model, &wanted, NULL, keep_neighbors, &got, &error), &error);
    return got;
}

static void assert_finds(const smerf_index *index, const smerf_items *items, const smerf_neighborhood *wanted) {
    static const size_t threads[3] = {1, 2, 5};
    found expected = ask_without(index->model, items, *wanted);
    for (size_t k = 0; k < 3 * (HAS_THREAD_SANITIZER ? 1 : N_LIMITS + 1); k++) {
        const sm_limits *limits = k / 3 < 1 ? &sm_usual_limits : &small_limits[k / 3 - 1];
        found got = ask_index(index, wanted, limits, threads[k % 3]);
        assert_same(&got, &expected);
        found_free(&got);
    }
    found_free(&expected);
}

static void assert_finds_all(const smerf_index *index, const smerf_items *items, const smerf_items *queries) {
    size_t n = smerf_items_count(items);
    const size_t some[4] = {1, 3, n, n + 5};
    for (size_t k = 0; k < 4; k++)
        assert_finds(index, items, &SMERF_INIT(smerf_neighborhood, .queries = queries, .k = some[k]));
    for (size_t k = 0; k < 5; k += 4)
        for (double radius = -0.5; radius <= 1; radius += 0.5)
            assert_finds(
                index, items,
                &SMERF_INIT(smerf_neighborhood, .queries = queries, .k = k, .has_radius = true, .radius = radius));
}

/* Few queries and many go different ways. */
static void assert_index(const smerf_model *model, const data_set *data) {
    size_t few[4] = {2, 0, 1, 2}, n = data->plan.n_items < 3 ? 1 : 4;
    data_set *some = data_set_pick(data, n == 1 ? few + 1 : few, n);
    smerf_index *index = index_of(model, data->items, 2), *of_few = index_of(model, some->items, 1);
    assert_int_equal(smerf_index_count(index), data->plan.n_items);
    assert_finds_all(index, data->items, some->items);
    assert_finds_all(index, data->items, data->items);
    assert_finds_all(of_few, some->items, data->items);
    smerf_index_free(index);
    smerf_index_free(of_few);
    data_set_free(some);
}

static void assert_index_and_free(smerf_model *model, const data_set *data) {
    assert_index(model, data);
    smerf_model_free(model);
}

/* ---- every kind of target ---- */

static void distances_are_found_with_and_without_self_distances_and_silence(void **state) {
    (void)state;
    for (unsigned way = 0; way < 6; way++) {
        bool is_tiny = way >= 4;
        data_set *data = mixed_data(is_tiny ? way - 2 : 22);
        smerf_options options = options_for(is_tiny ? 3 : 7);
        options.self_distance = way & 1 ? SMERF_SELF_EXCLUDE : SMERF_SELF_GIVEN;
        smerf_model *model = fit_with(data, &options, NULL);
        if (way & 2) pretend(data->target, WITH_SILENCE);
        assert_index(model, data);
        demand_ok(smerf_model_prepare(model, NULL, NULL), NULL);
        assert_index_and_free(model, data);
        data_set_free(data);
    }
}

static void labels_responses_and_products_are_found(void **state) {
    (void)state;
    data_set *data = plain_data(25), *mixed = mixed_data(25);
    assert_index_and_free(fit_to(data, labels_for(data, 3), 9, 2), data);
    assert_index_and_free(fit_to(data, labels_for(data, 3), 9, 15), data);
    assert_index_and_free(fit_to(data, labels_for(data, 1), 9, 2), data);
    assert_index_and_free(fit_to(mixed, labels_for(mixed, 3), 9, 2), mixed);
    assert_index_and_free(fit_to(data, numbers_for(data, false, 1), 9, 3), data);
    assert_index_and_free(fit_to(mixed, numbers_for(mixed, false, 2), 6, 2), mixed);
    assert_index_and_free(fit_to(data, numbers_for(data, true, 2), 9, 3), data);
    smerf_options options = options_for(9);
    options.self_distance = SMERF_SELF_EXCLUDE;
    assert_index_and_free(fit_to_with(data, labels_for(data, 3), &options), data);
    data_set_free(data);
    data_set_free(mixed);
}

static smerf_target *links_for(const data_set *data, bool is_graph) {
    uint32_t left[512], right[512];
    double value[512];
    size_t n = 0, n_items = data->plan.n_items;
    smerf_target *target = NULL;
    smerf_error error;
    for (uint32_t i = 0; i < n_items; i++)
        for (uint32_t j = 0; j < i && n < 512; j++)
            if ((i * 7 + j * 3) % 4 == 0) {
                left[n] = i;
                right[n] = j;
                value[n++] = is_graph ? 1 : fabs(hidden(data, i) - hidden(data, j));
            }
    const smerf_pair_list list = {.n = n, .left = left, .right = right, .value = value};
    demand_ok(is_graph ? smerf_target_new_graph(&list, NULL, n_items, &target, &error)
                       : smerf_target_new_pairs(&list, n_items, &target, &error),
              &error);
    return target;
}

static void absolute_differences_graphs_and_pairs_are_found(void **state) {
    (void)state;
    data_set *data = plain_data(24);
    double values[24];
    smerf_target *target = NULL;
    smerf_error error;
    for (size_t i = 0; i < 24; i++) values[i] = hidden(data, i);
    demand_ok(smerf_target_new_absolute("y", values, 24, &target, &error), &error);
    assert_index_and_free(fit_to(data, target, 7, 2), data);
    for (unsigned way = 0; way < 4; way++) {
        smerf_options options = options_for(6);
        options.complete = way == 3 ? 1 : SMERF_COMPLETE_OFF;
        if (way == 1) options.self_distance = SMERF_SELF_EXCLUDE;
        assert_index_and_free(fit_to_with(data, links_for(data, way == 0), &options), data);
    }
    smerf_options options = options_for(6);
    options.rank = 2;
    options.splits = SMERF_OBLIQUE;
    assert_index_and_free(fit_with(data, &options, NULL), data);
    data_set_free(data);
}

static data_set *pick_range(const data_set *data, size_t first, size_t n) {
    size_t rows[512];
    for (size_t k = 0; k < n; k++) rows[k] = first + k;
    return data_set_pick(data, rows, n);
}

/* A response far from 0, where rounding is coarse. */
static smerf_target *far_response_for(const data_set *data) {
    double values[512];
    const char *const names[1] = {"y"};
    const double *const columns[1] = {values};
    smerf_target *target = NULL;
    smerf_error error;
    for (size_t i = 0; i < data->plan.n_items; i++) values[i] = 1e7 + hidden(data, i);
    demand_ok(smerf_target_new_response(names, columns, 1, data->plan.n_items, &target, &error), &error);
    return target;
}

enum { N_TILED = 7 };

static smerf_model *tiled_model(const data_set *train, size_t which) {
    if (which < 3)
        return fit_to(train, labels_for(train, 2 + which), which < 2 ? 90 : 260, 2); /* more than a byte counts */
    if (which == 3) return fit_to(train, labels_for(train, 3), 30, 12);
    if (which == 4) return fit_to(train, response_for(train), 30, 2);
    if (which == 5) return fit_to(train, numbers_for(train, false, 2), 21, 6);
    return fit_to(train, far_response_for(train), 10, 2);
}

/* Where sums over trees tie by the hundred, tiles are passed over and sums are broken off; by codes, and by values. */
static void tiles_that_are_passed_over_hold_nothing_nearer(void **state) {
    (void)state;
    for (size_t which = 0; which < N_TILED; which++) {
        data_set *train = plain_data(60);
        data_set *data = data_set_new((data_plan){.n_items = 3000, .n_numbers = 4, .seed = 9 + which});
        data_set *queries = data_set_new((data_plan){.n_items = 40, .n_numbers = 4, .seed = 5});
        data_set *one = pick_range(queries, 3, 1);
        smerf_model *model = tiled_model(train, which);
        smerf_index *index = index_of(model, data->items, 2);
        assert_int_equal(sm_index_has_codes(index), which < 3);
        assert_int_equal(index->leaves.n_groups > 0, which >= 3);
        for (size_t k = 0; k < 6; k++) {
            const smerf_neighborhood wanted =
                SMERF_INIT(smerf_neighborhood, .queries = k < 3 ? queries->items : one->items,
                           .k = (size_t[]){1, 10, 400}[k % 3], .has_radius = k % 3 == 2, .radius = 0.3);
            assert_finds(index, data->items, &wanted);
        }
        smerf_index_free(index);
        smerf_model_free(model);
        data_set_free(train);
        data_set_free(data);
        data_set_free(queries);
        data_set_free(one);
    }
}

/* ---- in pieces, and in files ---- */

/* Some of one, some of many. */
static smerf_index *index_in_pieces(const smerf_model *model, const data_set *data, bool has_names) {
    static const size_t ends[7] = {1, 2, 100, 101, 129, 200, 300};
    smerf_index *index = NULL;
    smerf_error error;
    for (size_t k = 0; k < 7; k++) {
        size_t first = k == 0 ? 0 : ends[k - 1], rows[512];
        data_set *piece = pick_range(data, first, ends[k] - first);
        for (size_t i = first; i < ends[k]; i++) rows[i - first] = i;
        if (has_names) name_items(piece, rows);
        if (k == 0)
            index = index_of(model, piece->items, 1);
        else
            demand_ok(smerf_index_add(index, piece->items, NULL, &error), &error);
        data_set_free(piece);
    }
    return index;
}

static void assert_same_file(const char *one, const char *other) {
    file_bytes a = read_bytes(one), b = read_bytes(other);
    assert_int_equal(a.n, b.n);
    assert_memory_equal(a.bytes, b.bytes, a.n);
    free(a.bytes);
    free(b.bytes);
}

static void save_index(const smerf_index *index, const char *path) {
    smerf_error error;
    demand_ok(smerf_index_save(index, path, &error), &error);
}

static smerf_index *load_index(const char *path, const smerf_model *model) {
    smerf_index *index = NULL;
    smerf_error error;
    demand_ok(smerf_index_load(path, model, &index, &error), &error);
    return index;
}

/* By codes, by leaves. */
static smerf_model *model_for(const data_set *data, unsigned way) {
    return way == 0 ? fit_to(data, labels_for(data, 3), 8, 2) : fit_to(data, response_for(data), 5, 3);
}

static void pieces_are_the_same_as_the_whole_in_memory_and_in_a_file(void **state) {
    (void)state;
    for (unsigned way = 0; way < 4; way++) {
        data_set *data = plain_data(300), *few = pick_range(data, 7, 12);
        smerf_model *model = model_for(data, way % 2);
        if (way >= 2) name_items(data, NULL);
        smerf_index *whole = index_of(model, data->items, 5), *pieces = index_in_pieces(model, data, way >= 2);
        const smerf_neighborhood wanted = SMERF_INIT(smerf_neighborhood, .queries = few->items, .k = 9);
        assert_finds(pieces, data->items, &wanted);
        save_index(whole, "whole.index");
        save_index(pieces, "pieces.index");
        assert_same_file("whole.index", "pieces.index");
        smerf_index *loaded = load_index("pieces.index", model);
        assert_finds(loaded, data->items, &wanted);
        save_index(loaded, "again.index");
        assert_same_file("whole.index", "again.index");
        for (size_t i = 0; i < 300; i++) {
            char name[16];
            snprintf(name, sizeof name, "t%zu", i);
            if (way < 2) assert_null(smerf_index_id(loaded, i));
            if (way >= 2) assert_string_equal(smerf_index_id(loaded, i), name);
        }
        assert_null(smerf_index_id(loaded, 300));
        if (way >= 2) assert_string_equal(smerf_index_id_column(loaded), "name");
        smerf_index_free(whole);
        smerf_index_free(pieces);
        smerf_index_free(loaded);
        smerf_model_free(model);
        data_set_free(data);
        data_set_free(few);
    }
}

/* ---- refusals ---- */

static void names_that_do_not_fit_are_refused_and_change_nothing(void **state) {
    (void)state;
    data_set *data = plain_data(30), *more = plain_data(30), *bare = plain_data(3);
    smerf_model *model = model_for(data, 0);
    smerf_error error;
    name_items(data, NULL);
    name_items(more, NULL);
    smerf_index *index = index_of(model, data->items, 1), *nameless = index_of(model, bare->items, 1);
    assert_int_equal(smerf_index_add(index, more->items, NULL, &error), SMERF_BAD_INPUT);
    assert_says(&error, "the id 't", "is in the index already");
    assert_int_equal(smerf_index_add(index, bare->items, NULL, &error), SMERF_BAD_INPUT);
    assert_int_equal(smerf_index_add(nameless, data->items, NULL, &error), SMERF_BAD_INPUT);
    assert_int_equal(smerf_index_count(index), 30);
    assert_int_equal(smerf_index_count(nameless), 3);
    smerf_index_free(index);
    smerf_index_free(nameless);
    smerf_model_free(model);
    data_set_free(data);
    data_set_free(more);
    data_set_free(bare);
}

static int stop_at_once(void *context, double fraction_done) {
    (void)context;
    (void)fraction_done;
    return 1;
}

static void bad_wishes_are_refused(void **state) {
    (void)state;
    data_set *data = plain_data(30);
    smerf_options options = options_for(3);
    smerf_model *model = model_for(data, 0);
    smerf_index *index = index_of(model, data->items, 1), *none = NULL;
    smerf_error error;
    const smerf_neighborhood bad[5] = {
        SMERF_INIT(smerf_neighborhood, .queries = data->items, .items = data->items, .k = 1),
        SMERF_INIT(smerf_neighborhood, .k = 1), SMERF_INIT(smerf_neighborhood, .queries = data->items),
        SMERF_INIT(smerf_neighborhood, .queries = data->items, .k = 1, .out_of_bag = true),
        SMERF_INIT(smerf_neighborhood, .queries = data->items, .has_radius = true, .radius = NAN)};
    for (size_t k = 0; k < 5; k++) {
        assert_int_equal(smerf_index_query(index, &bad[k], NULL, keep_neighbors, NULL, &error), SMERF_BAD_INPUT);
        assert_true(strlen(error.message) > 20);
    }
    const smerf_run stopped = SMERF_INIT(smerf_run, .n_threads = 1, .progress = stop_at_once);
    assert_int_equal(smerf_index_new(model, data->items, &stopped, &none, &error), SMERF_CANCELLED);
    assert_int_equal(smerf_index_add(index, data->items, &stopped, &error), SMERF_CANCELLED);
    assert_int_equal(smerf_index_count(index), 30);
    assert_finds(index, data->items, &SMERF_INIT(smerf_neighborhood, .queries = data->items, .k = 4));
    options.method = SMERF_METHOD_EUCLIDEAN;
    smerf_model *other = fit_with(data, &options, NULL);
    assert_int_equal(smerf_index_new(other, data->items, NULL, &none, &error), SMERF_BAD_INPUT);
    assert_says(&error, "the model was made by", "an index");
    smerf_model_free(other);
    smerf_index_free(index);
    smerf_model_free(model);
    data_set_free(data);
}

static void an_index_of_another_model_is_refused(void **state) {
    (void)state;
    data_set *data = plain_data(30);
    smerf_model *model = model_for(data, 0), *other = fit_to(data, labels_for(data, 2), 8, 2), *again = NULL;
    smerf_index *index = index_of(model, data->items, 1), *none = NULL;
    smerf_error error;
    save_index(index, "one.index");
    demand_ok(smerf_model_save(model, "one.smerf", &error), &error);
    assert_int_equal(smerf_index_load("one.index", other, &none, &error), SMERF_BAD_FILE);
    assert_says(&error, "one.index: ", "another model");
    assert_int_equal(smerf_index_load("one.smerf", model, &none, &error), SMERF_BAD_FILE);
    assert_says(&error, "one.smerf: is a model", "not an index");
    assert_int_equal(smerf_model_load("one.index", &again, &error), SMERF_BAD_FILE);
    assert_says(&error, "one.index: is an index", "not a model");
    assert_int_equal(smerf_index_load("nothing.index", model, &none, &error), SMERF_IO);
    demand_ok(smerf_model_load("one.smerf", &again, &error), &error);
    smerf_index *loaded = load_index("one.index", again); /* the same model from a file */
    assert_finds(loaded, data->items, &SMERF_INIT(smerf_neighborhood, .queries = data->items, .k = 4));
    smerf_index_free(loaded);
    smerf_index_free(index);
    smerf_model_free(model);
    smerf_model_free(other);
    smerf_model_free(again);
    data_set_free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distances_are_found_with_and_without_self_distances_and_silence),
        cmocka_unit_test(labels_responses_and_products_are_found),
        cmocka_unit_test(absolute_differences_graphs_and_pairs_are_found),
        cmocka_unit_test(tiles_that_are_passed_over_hold_nothing_nearer),
        cmocka_unit_test(pieces_are_the_same_as_the_whole_in_memory_and_in_a_file),
        cmocka_unit_test(names_that_do_not_fit_are_refused_and_change_nothing),
        cmocka_unit_test(bad_wishes_are_refused),
        cmocka_unit_test(an_index_of_another_model_is_refused),
    };
    return cmocka_run_group_tests(tests, files_enter, files_leave);
}
