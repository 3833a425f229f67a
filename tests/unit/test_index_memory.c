/* test_index_memory.c - every allocation of an index that fails is reported and leaks nothing: made, grown, searched, saved, loaded;
 * and of a model that is prepared. */
#include "tests/unit/scarce_memory.h"

#include "tests/unit/column_targets.h"

#include "predict/limits.h"

enum { N = 140, N_TREES = 3 };

static data_set *all, *first, *rest, *few;

static data_set *pick(size_t from, size_t n) {
    size_t rows[N];
    for (size_t k = 0; k < n; k++) rows[k] = from + k;
    data_set *picked = data_set_pick(all, rows, n);
    name_items(picked, rows);
    return picked;
}

static int forget(void *context, size_t query, const smerf_neighbor *neighbors, size_t n) {
    (void)context;
    (void)query;
    (void)neighbors;
    (void)n;
    return 0;
}

static smerf_status make_and_grow(const smerf_model *model, smerf_error *error) {
    smerf_index *index = NULL;
    const smerf_run run = SMERF_INIT(smerf_run, .n_threads = 2);
    smerf_status status = smerf_index_new(model, first->items, &run, &index, error);
    if (status == SMERF_OK) status = smerf_index_add(index, rest->items, &run, error);
    smerf_index_free(index);
    return status;
}

static smerf_status load_and_save(const smerf_model *model, smerf_error *error) {
    smerf_index *index = NULL;
    smerf_status status = smerf_index_load("good.index", model, &index, error);
    if (status == SMERF_OK) status = smerf_index_save(index, "again.index", error);
    smerf_index_free(index);
    return status;
}

/* Tiles are arranged without threads where there is no memory to start them: then it succeeds. */
static void fail_to_make(const smerf_model *model) {
    smerf_error error;
    for (shortage lack = {.of = "making an index", .may_be = SUCCESS}; shortage_starts(&lack, &error);)
        shortage_ends(&lack, make_and_grow(model, &error), &error);
    for (shortage lack = {.of = "loading an index", .may_be = BAD_FILE | SUCCESS}; shortage_starts(&lack, &error);)
        shortage_ends(&lack, load_and_save(model, &error), &error);
}

/* Few queries and many, with and without parts. */
static void fail_to_search(const smerf_index *index) {
    smerf_error error;
    for (unsigned way = 0; way < 4; way++) {
        const smerf_neighborhood wanted =
            SMERF_INIT(smerf_neighborhood, .queries = way % 2 == 0 ? few->items : rest->items, .k = 3,
                       .has_radius = way >= 2, .radius = 0.4);
        const smerf_run run = SMERF_INIT(smerf_run, .n_threads = 1 + way / 2);
        for (shortage lack = {.of = "searching an index"}; shortage_starts(&lack, &error);)
            shortage_ends(&lack, smerf_index_query(index, &wanted, &run, forget, NULL, &error), &error);
    }
}

static void every_failed_allocation_is_reported_and_leaks_nothing(void **state) {
    (void)state;
    all = plain_data(N);
    first = pick(0, 130);
    rest = pick(130, 10);
    few = pick(5, 1);
    smerf_options options = options_for(N_TREES);
    options.self_distance = SMERF_SELF_EXCLUDE;
    smerf_model *models[3] = {fit_to(all, labels_for(all, 3), N_TREES, 2), fit_to(all, response_for(all), N_TREES, 2),
                              fit_with(all, &options, NULL)};
    for (size_t m = 0; m < 3; m++) {
        smerf_index *index = NULL;
        smerf_error error;
        demand_ok(smerf_index_new(models[m], first->items, NULL, &index, &error), &error);
        demand_ok(smerf_index_save(index, "good.index", &error), &error);
        fail_to_search(index);
        fail_to_make(models[m]);
        smerf_index_free(index);
        smerf_model_free(models[m]);
    }
    data_set_free(all);
    data_set_free(first);
    data_set_free(rest);
    data_set_free(few);
}

/* An addition that fails leaves the index as it was. */
static void a_failed_addition_changes_nothing(void **state) {
    (void)state;
    all = plain_data(N);
    first = pick(0, 130);
    rest = pick(130, 10);
    smerf_model *model = fit_to(all, labels_for(all, 3), N_TREES, 2);
    smerf_index *index = NULL;
    smerf_error error;
    const smerf_run run = SMERF_INIT(smerf_run, .n_threads = 1);
    demand_ok(smerf_index_new(model, first->items, &run, &index, &error), &error);
    demand_ok(smerf_index_save(index, "before.index", &error), &error);
    for (long call = 1;; call++) {
        let_fail(call, false);
        smerf_status status = smerf_index_add(index, rest->items, &run, &error);
        let_fail(0, false);
        if (status == SMERF_OK) break;
        assert_int_equal(smerf_index_count(index), 130);
        demand_ok(smerf_index_save(index, "after.index", &error), &error);
        file_bytes before = read_bytes("before.index"), after = read_bytes("after.index");
        assert_int_equal(before.n, after.n);
        assert_memory_equal(before.bytes, after.bytes, before.n);
        free(before.bytes);
        free(after.bytes);
    }
    assert_int_equal(smerf_index_count(index), 140);
    smerf_index_free(index);
    smerf_model_free(model);
    data_set_free(all);
    data_set_free(first);
    data_set_free(rest);
}

static void a_model_that_cannot_be_prepared_is_as_it_was(void **state) {
    (void)state;
    all = plain_data(20);
    smerf_error error;
    for (size_t m = 0; m < 2; m++) {
        smerf_model *model =
            m == 0 ? fit_to(all, labels_for(all, 3), N_TREES, 2) : fit_to(all, response_for(all), 3, 2);
        const smerf_run run = SMERF_INIT(smerf_run, .n_threads = 1);
        for (long call = 1;; call++) {
            long n_before = n_live;
            let_fail(call, false);
            smerf_status status = smerf_model_prepare(model, &run, &error);
            let_fail(0, false);
            if (status == SMERF_OK) break;
            assert_int_equal(status, SMERF_NO_MEMORY);
            assert_int_equal(n_live, n_before);
        }
        smerf_model_free(model);
    }
    data_set_free(all);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_failed_allocation_is_reported_and_leaks_nothing),
        cmocka_unit_test(a_failed_addition_changes_nothing),
        cmocka_unit_test(a_model_that_cannot_be_prepared_is_as_it_was),
    };
    return cmocka_run_group_tests(tests, files_enter, files_leave);
}
