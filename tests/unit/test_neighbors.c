/* test_neighbors.c - the nearest items are those of the predicted distances sorted by hand, to the last bit: whatever the
 * target, the limits and the number of threads. */
#include "tests/unit/column_targets.h"
#include "tests/unit/effort.h"
#include "tests/unit/found.h"
#include "tests/unit/questions.h"

#include "predict/neighbors.h"

/* ---- all ways to ask ---- */

static void assert_found_by_hand(const smerf_model *model, const smerf_neighborhood *wanted, const double *distances,
                                 size_t n_queries, size_t n_items) {
    found expected = search_by_hand(distances, n_queries, n_items, wanted);
    smerf_error error;
    const size_t step = HAS_THREAD_SANITIZER ? 4 : 1; /* by four: still all numbers of threads, and most limits */
    for (size_t k = 0; k < (N_LIMITS + 1) * 3; k += step) {
        const sm_limits *limits = k / 3 < N_LIMITS ? &small_limits[k / 3] : &sm_usual_limits;
        const smerf_run run = SMERF_INIT(smerf_run, .n_threads = 1 + k % 3);
        found got = found_start(n_queries, n_items);
        demand_ok(sm_neighbors(model, wanted, limits, &run, keep_neighbors, &got, &error), &error);
        assert_same(&got, &expected);
        found_free(&got);
    }
    found_free(&expected);
}

/*   queries  NULL: the items themselves */
static void assert_neighbors(const smerf_model *model, const smerf_items *items, const smerf_items *queries) {
    size_t n_items = smerf_items_count(items), n_queries = queries != NULL ? smerf_items_count(queries) : n_items;
    const smerf_request request =
        SMERF_INIT(smerf_request, .rows = queries != NULL ? queries : items, .columns = queries != NULL ? items : NULL);
    double *distances = predict_all(model, &request, &one_thread), radius = distances[n_items / 2];
    const size_t some[4] = {1, 3, n_items, n_items + 5};
    for (size_t k = 0; k < 4; k++)
        assert_found_by_hand(model, &SMERF_INIT(smerf_neighborhood, .items = items, .queries = queries, .k = some[k]),
                             distances, n_queries, n_items);
    for (size_t k = 0; k < 5; k += 4)
        for (int sign = -1; sign < 2; sign++) {
            const smerf_neighborhood near =
                SMERF_INIT(smerf_neighborhood, .items = items, .queries = queries, .k = k, .has_radius = true,
                           .radius = sign < 0   ? -1
                                     : sign > 0 ? INFINITY
                                                : radius);
            assert_found_by_hand(model, &near, distances, n_queries, n_items);
        }
    free(distances);
}

static void assert_all_neighbors(const smerf_model *model, const data_set *data) {
    size_t few[4] = {2, 0, 1, 2}, n = data->plan.n_items < 3 ? 1 : 4;
    data_set *some = data_set_pick(data, n == 1 ? few + 1 : few, n);
    assert_neighbors(model, data->items, NULL);
    assert_neighbors(model, data->items, some->items);
    assert_neighbors(model, some->items, data->items);
    assert_neighbors(model, data->items, data->items); /* here everyone is a neighbour of his own */
    data_set_free(some);
}

/* ---- distances, silent trees ---- */

static void neighbors_are_the_sorted_distances(void **state) {
    (void)state;
    for (unsigned way = 0; way < 6; way++) {
        bool is_tiny = way >= 4;
        data_set *data = mixed_data(is_tiny ? way - 2 : 22);
        smerf_options options = options_for(is_tiny ? 3 : 7);
        options.self_distance = way & 1 ? SMERF_SELF_EXCLUDE : SMERF_SELF_GIVEN;
        smerf_model *model = fit_with(data, &options, NULL);
        if (way & 2) pretend(data->target, WITH_SILENCE);
        assert_all_neighbors(model, data);
        smerf_model_free(model);
        data_set_free(data);
    }
}

/* ---- other targets ---- */

/* Leaves that are pure, and leaves that are not: counts of trees make many ties. */
static void labels_and_responses_have_neighbors_too(void **state) {
    (void)state;
    data_set *data = plain_data(25);
    smerf_model *models[4] = {fit_to(data, labels_for(data, 3), 9, 2), fit_to(data, labels_for(data, 3), 9, 15),
                              fit_to(data, labels_for(data, 1), 9, 2), fit_to(data, response_for(data), 9, 3)};
    for (size_t m = 0; m < 4; m++) {
        assert_all_neighbors(models[m], data);
        smerf_model_free(models[m]);
    }
    data_set_free(data);
}

/* More items than one tile of codes, more trees than a byte counts. */
static void counts_of_many_trees_are_exact(void **state) {
    (void)state;
    data_set *data = plain_data(140);
    smerf_model *model = fit_to(data, labels_for(data, 4), 260, 2);
    double *distances = predict_all(model, &SMERF_INIT(smerf_request, .rows = data->items), NULL);
    assert_found_by_hand(model, &SMERF_INIT(smerf_neighborhood, .items = data->items, .k = 7), distances, 140, 140);
    free(distances);
    smerf_model_free(model);
    data_set_free(data);
}

static void other_methods_have_neighbors_too(void **state) {
    (void)state;
    data_set *data = plain_data(20);
    const smerf_method methods[3] = {SMERF_METHOD_EUCLIDEAN, SMERF_METHOD_MAHALANOBIS, SMERF_METHOD_RFD};
    for (size_t m = 0; m < 3; m++) {
        smerf_options options = options_for(5);
        options.method = methods[m];
        smerf_model *model = fit_with(data, &options, NULL);
        assert_all_neighbors(model, data);
        smerf_model_free(model);
    }
    data_set_free(data);
}

/* ---- out of bag ---- */

static void assert_neighbors_out_of_bag(const smerf_model *model, const data_set *data) {
    size_t n = data->plan.n_items;
    for (unsigned way = 0; way < 9; way++) {
        static const smerf_oob_rule rules[3] = {SMERF_OOB_AS_FITTED, SMERF_OOB_BOTH, SMERF_OOB_EITHER};
        const smerf_request request =
            SMERF_INIT(smerf_request, .rows = data->items, .out_of_bag = true, .oob_rule = rules[way / 3]);
        double *distances = predict_all(model, &request, NULL);
        const smerf_neighborhood wanted =
            SMERF_INIT(smerf_neighborhood, .items = data->items,
                       .k = way % 3 == 0   ? 0
                            : way % 3 == 1 ? 2
                                           : n,
                       .has_radius = way % 3 == 0, .radius = 0.7, .out_of_bag = true, .oob_rule = rules[way / 3]);
        assert_found_by_hand(model, &wanted, distances, n, n);
        free(distances);
    }
}

/* With few trees, some pairs are never out of bag: they are nobody's neighbours. */
static void neighbors_out_of_bag_are_the_sorted_distances(void **state) {
    (void)state;
    data_set *data = mixed_data(21);
    smerf_options options = options_for(4);
    smerf_model *models[4] = {fit_with(data, &options, NULL), fit_to(data, labels_for(data, 3), 5, 2), NULL, NULL};
    options.self_distance = SMERF_SELF_EXCLUDE;
    options.oob_rule = SMERF_OOB_EITHER;
    models[2] = fit_with(data, &options, NULL);
    models[3] = fit_to_with(data, response_for(data), &options);
    for (size_t m = 0; m < 4; m++) {
        assert_neighbors_out_of_bag(models[m], data);
        smerf_model_free(models[m]);
    }
    data_set_free(data);
}

static void strangers_and_second_sets_have_nothing_out_of_bag(void **state) {
    (void)state;
    data_set *data = plain_data(20), *few = data_set_pick(data, (size_t[]){3, 1}, 2);
    smerf_options options = options_for(3);
    smerf_model *model = fit_with(data, &options, NULL), *other;
    smerf_error error;
    smerf_neighborhood wanted =
        SMERF_INIT(smerf_neighborhood, .items = data->items, .queries = data->items, .k = 2, .out_of_bag = true);
    assert_int_equal(smerf_neighbors(model, &wanted, NULL, keep_neighbors, NULL, &error), SMERF_BAD_INPUT);
    wanted = SMERF_INIT(smerf_neighborhood, .items = few->items, .k = 1, .out_of_bag = true);
    assert_int_equal(smerf_neighbors(model, &wanted, NULL, keep_neighbors, NULL, &error), SMERF_BAD_INPUT);
    options.method = SMERF_METHOD_EUCLIDEAN;
    other = fit_with(data, &options, NULL);
    wanted.items = data->items;
    assert_int_equal(smerf_neighbors(other, &wanted, NULL, keep_neighbors, NULL, &error), SMERF_BAD_INPUT);
    smerf_model_free(model);
    smerf_model_free(other);
    data_set_free(data);
    data_set_free(few);
}

/* ---- refusals ---- */

static int cancel(void *context, size_t query, const smerf_neighbor *neighbors, size_t n) {
    (void)neighbors;
    (void)n;
    return query == *(size_t *)context;
}

static void bad_wishes_are_refused_and_sinks_can_cancel(void **state) {
    (void)state;
    data_set *data = plain_data(20);
    const smerf_options options = options_for(3);
    smerf_model *model = fit_with(data, &options, NULL);
    size_t stop = 3;
    smerf_error error;
    smerf_neighborhood wanted = SMERF_INIT(smerf_neighborhood, .items = data->items);
    assert_int_equal(smerf_neighbors(model, &wanted, NULL, cancel, &stop, &error), SMERF_BAD_INPUT);
    wanted.has_radius = true;
    wanted.radius = NAN;
    assert_int_equal(smerf_neighbors(model, &wanted, NULL, cancel, &stop, &error), SMERF_BAD_INPUT);
    wanted.radius = 1;
    assert_int_equal(smerf_neighbors(model, &wanted, NULL, cancel, &stop, &error), SMERF_CANCELLED);
    smerf_model_free(model);
    data_set_free(data);
}

static int watch(void *context, double fraction_done) {
    double *last = context;
    assert_true(fraction_done >= *last && fraction_done <= 1);
    *last = fraction_done;
    return 0;
}

static int forget_neighbors(void *context, size_t query, const smerf_neighbor *neighbors, size_t n) {
    (void)context;
    (void)query;
    (void)neighbors;
    (void)n;
    return 0;
}

static void progress_rises(void **state) {
    (void)state;
    data_set *data = plain_data(30);
    const smerf_options options = options_for(5);
    smerf_model *models[2] = {fit_with(data, &options, NULL), fit_to(data, labels_for(data, 3), 5, 2)};
    const smerf_neighborhood wanted = SMERF_INIT(smerf_neighborhood, .items = data->items, .k = 2);
    for (size_t k = 0; k < 2 * (N_LIMITS + 1); k++) {
        double last = 0;
        smerf_error error;
        const sm_limits *limits = k / 2 < N_LIMITS ? &small_limits[k / 2] : &sm_usual_limits;
        const smerf_run run = SMERF_INIT(smerf_run, .n_threads = 1, .progress = watch, .context = &last);
        demand_ok(sm_neighbors(models[k % 2], &wanted, limits, &run, forget_neighbors, NULL, &error), &error);
        assert_true(last > 1 - 1e-12);
    }
    for (size_t m = 0; m < 2; m++) smerf_model_free(models[m]);
    data_set_free(data);
}

/* Distances that are not known are nobody's. */
static void the_nearest_of_a_stream_are_kept(void **state) {
    (void)state;
    const double stream[9] = {3, NAN, 1, 2, 1, 5, 2, 0, 3};
    const size_t expected[4] = {7, 2, 4, 3};
    sm_nearest nearest = {.most = 4, .radius = INFINITY};
    for (size_t i = 0; i < 9; i++)
        if (sm_nearest_wants(&nearest, stream[i])) assert_true(sm_nearest_keep(&nearest, i, stream[i]));
    sm_nearest_sort(&nearest);
    assert_int_equal(nearest.n, 4);
    for (size_t k = 0; k < 4; k++) assert_int_equal(nearest.kept[k].item, expected[k]);
    free(nearest.kept);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(neighbors_are_the_sorted_distances),
        cmocka_unit_test(labels_and_responses_have_neighbors_too),
        cmocka_unit_test(counts_of_many_trees_are_exact),
        cmocka_unit_test(other_methods_have_neighbors_too),
        cmocka_unit_test(neighbors_out_of_bag_are_the_sorted_distances),
        cmocka_unit_test(strangers_and_second_sets_have_nothing_out_of_bag),
        cmocka_unit_test(bad_wishes_are_refused_and_sinks_can_cancel),
        cmocka_unit_test(progress_rises),
        cmocka_unit_test(the_nearest_of_a_stream_are_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
