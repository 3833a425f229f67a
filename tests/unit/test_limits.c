/* test_limits.c - a forest is asked a group of trees at a time, a panel of rows at a time: however small these are, no
 * bit changes; and items end in the leaves that the trees send them to. */
#include "tests/unit/questions.h"

#include "predict/query.h"

static void assert_limits_change_no_bit(const smerf_model *model, const smerf_request *request) {
    size_t n = smerf_items_count(request->rows), m = n;
    if (request->columns != NULL) m = smerf_items_count(request->columns);
    size_t bytes = n * m * sizeof(double);
    double *rows = predict_all(model, request, &one_thread), *pairs = malloc(bytes), *spread = malloc(bytes);
    double *found = malloc(bytes), *found_spread = malloc(bytes);
    uint32_t *left = malloc(n * m * sizeof *left), *right = malloc(n * m * sizeof *right);
    smerf_error error;
    for (uint32_t k = 0; k < n * m; k++) {
        left[k] = k / (uint32_t)m;
        right[k] = k % (uint32_t)m;
    }
    demand_ok(smerf_predict_pairs(model, request, &(smerf_pair_list){.n = n * m, .left = left, .right = right}, NULL,
                                  &SMERF_INIT(smerf_pair_result, .distance = pairs, .spread = spread), &error),
              &error);
    assert_memory_equal(pairs, rows, bytes);
    for (size_t k = 0; k < N_LIMITS * 3; k++) {
        const sm_limits *limits = &small_limits[k / 3];
        const smerf_run run = SMERF_INIT(smerf_run, .n_threads = 1 + k % 3);
        square kept = {.distances = found};
        memset(found, 0xff, bytes);
        demand_ok(sm_predict_rows(model, request, limits, &run, keep_row, &kept, &error), &error);
        assert_int_equal(kept.n_rows, n);
        assert_memory_equal(found, rows, bytes);
        memset(found, 0xff, bytes);
        demand_ok(sm_predict_pairs(model, request, limits, &(smerf_pair_list){.n = n * m, .left = left, .right = right},
                                   &run, &SMERF_INIT(smerf_pair_result, .distance = found), &error),
                  &error);
        assert_memory_equal(found, rows, bytes);
        memset(found_spread, 0xff, bytes);
        demand_ok(sm_predict_pairs(model, request, limits, &(smerf_pair_list){.n = n * m, .left = left, .right = right},
                                   &run, &SMERF_INIT(smerf_pair_result, .distance = found, .spread = found_spread),
                                   &error),
                  &error);
        assert_memory_equal(found, rows, bytes);
        assert_memory_equal(found_spread, spread, bytes);
    }
    void *arrays[] = {rows, pairs, spread, found, found_spread, left, right};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) free(arrays[k]);
}

static void limits_change_no_bit(void **state) {
    (void)state;
    for (unsigned way = 0; way < 8; way++) {
        bool is_tiny = way >= 6; /* pairs that no tree speaks for */
        data_set *data = mixed_data(is_tiny ? 4 : usual_or(70, 25));
        size_t few[3] = {2, 0, 1};
        data_set *some = data_set_pick(data, few, 3);
        smerf_options options = options_for(is_tiny ? 3 : 7);
        options.self_distance = way & 1 || is_tiny ? SMERF_SELF_EXCLUDE : SMERF_SELF_GIVEN;
        smerf_model *model = fit_with(data, &options, NULL);
        if (way & 2) pretend(data->target, WITH_SILENCE);
        assert_limits_change_no_bit(model, &SMERF_INIT(smerf_request, .rows = data->items));
        assert_limits_change_no_bit(model, &SMERF_INIT(smerf_request, .rows = data->items, .out_of_bag = true));
        assert_limits_change_no_bit(
            model, &SMERF_INIT(smerf_request, .rows = data->items, .out_of_bag = true, .oob_rule = SMERF_OOB_EITHER));
        assert_limits_change_no_bit(model, &SMERF_INIT(smerf_request, .rows = data->items, .columns = some->items));
        assert_limits_change_no_bit(model, &SMERF_INIT(smerf_request, .rows = some->items, .columns = data->items));
        smerf_model_free(model);
        data_set_free(some);
        data_set_free(data);
    }
}

static double group_bytes(const smerf_model *model, const sm_query *query, size_t group, double items) {
    double bytes = 0;
    for (size_t b = query->group_first[group]; b < query->group_first[group + 1]; b++)
        bytes += (double)sm_ready_bytes(model, b, 70) + items;
    return bytes;
}

/* As many trees as fit, one at least; a model that fits is one group. */
static void groups_hold_as_many_trees_as_fit(void **state) {
    (void)state;
    data_set *data = mixed_data(70);
    const smerf_options options = options_for(20);
    smerf_model *model = fit_with(data, &options, NULL);
    const smerf_request request = SMERF_INIT(smerf_request, .rows = data->items, .out_of_bag = true);
    const double items = 70 * (sizeof(uint32_t) + sizeof(bool));
    for (size_t k = 0; k < 40; k++) {
        const sm_limits limits = {.group_bytes = 1000 * (double)k,
                                  .leaves_bytes = k % 2 == 0 ? 20 * items : 19 * items};
        sm_query query;
        smerf_error error;
        demand_ok(sm_query_start(&query, model, &request, &limits, &error), &error);
        demand_ok(sm_query_plan(&query, true, true, &error), &error);
        assert_int_equal(query.keeps_leaves, k % 2 == 0);
        assert_true(query.group_first[0] == 0 && query.group_first[query.n_groups] == 20);
        double each = query.keeps_leaves ? 0 : items;
        for (size_t g = 0; g < query.n_groups; g++) {
            size_t first = query.group_first[g], end = query.group_first[g + 1];
            double bytes = group_bytes(model, &query, g, each);
            assert_true(end > first && (end == first + 1 || bytes <= limits.group_bytes));
            if (end < 20) assert_true(bytes + (double)sm_ready_bytes(model, end, 70) + each > limits.group_bytes);
        }
        sm_query_free(&query);
    }
    smerf_model_free(model);
    data_set_free(data);
}

static void only_items_that_occur_in_pairs_are_sent_down(void **state) {
    (void)state;
    data_set *data = mixed_data(N);
    smerf_model *model = fit_small(data, SMERF_AXIS);
    const uint32_t left[5] = {40, 7, 40, 7, 12}, right[5] = {7, 7, 59, 12, 40};
    const uint32_t picked[4] = {7, 12, 40, 59}, left_places[5] = {2, 0, 2, 0, 1}, right_places[5] = {0, 0, 3, 1, 2};
    const uint32_t *lists[2] = {left, right};
    uint32_t found[2][5], *places[2] = {found[0], found[1]};
    const smerf_request request = SMERF_INIT(smerf_request, .rows = data->items);
    sm_query query;
    sm_pool pool;
    smerf_error error;
    sm_pool_start(&pool, &one_thread);
    demand_ok(sm_query_start(&query, model, &request, &sm_usual_limits, &error), &error);
    demand_ok(sm_side_pick(&query.rows, lists, places, 2, 5, &error), &error);
    assert_int_equal(query.rows.n, 4);
    assert_memory_equal(query.rows.pick, picked, sizeof picked);
    assert_memory_equal(found[0], left_places, sizeof left_places);
    assert_memory_equal(found[1], right_places, sizeof right_places);
    demand_ok(sm_query_plan(&query, true, true, &error), &error);
    demand_ok(sm_query_turn(&query, 0, &pool, &error), &error);
    for (size_t b = 0; b < N_TREES; b++) {
        smerf_tree_view tree = SMERF_INIT(smerf_tree_view);
        smerf_model_tree(model, b, &tree, NULL);
        for (size_t k = 0; k < 4; k++)
            assert_int_equal(sm_query_leaves(&query, &query.rows, b)[k], slow_leaf(model, &tree, data, picked[k]));
    }
    sm_query_free(&query);
    smerf_model_free(model);
    data_set_free(data);
}

/* Side by side over packed nodes, or alone if they are few; all of them, or picked ones. */
static void items_end_in_the_leaf_that_the_tree_sends_them_to(void **state) {
    (void)state;
    data_set *data =
        data_set_new((data_plan){.n_items = 203, .n_numbers = 2, .n_categories = 2, .missing = 0.3, .seed = 5});
    for (int splits = 0; splits < 2; splits++) {
        smerf_options options = options_for(4);
        options.splits = splits == 0 ? SMERF_AXIS : SMERF_OBLIQUE;
        smerf_model *model = fit_with(data, &options, NULL);
        sm_view view;
        smerf_error error;
        demand_ok(sm_view_match(&view, &model->features, data->items, &error), &error);
        uint32_t pick[203], leaf[203];
        for (uint32_t k = 0; k < 203; k++) pick[k] = (k * 19 + 3) % 203;
        for (size_t b = 0; b < 4; b++)
            for (size_t way = 0; way < 4; way++) {
                sm_arena arena = {0};
                sm_descent descent;
                smerf_tree_view tree = SMERF_INIT(smerf_tree_view);
                smerf_model_tree(model, b, &tree, NULL);
                sm_descent_start(&descent, &model->trees[b], way % 2 == 0 ? 203 : 0, &arena);
                assert_int_equal(descent.steps != NULL, way % 2 == 0);
                size_t first = way * 3, end = 203 - way;
                sm_descend(&descent, &view, way < 2 ? NULL : pick, first, end, leaf);
                for (size_t k = first; k < end; k++)
                    assert_int_equal(leaf[k - first], slow_leaf(model, &tree, data, way < 2 ? k : pick[k]));
                sm_arena_free(&arena);
            }
        sm_view_free(&view);
        smerf_model_free(model);
    }
    data_set_free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(limits_change_no_bit),
        cmocka_unit_test(groups_hold_as_many_trees_as_fit),
        cmocka_unit_test(only_items_that_occur_in_pairs_are_sent_down),
        cmocka_unit_test(items_end_in_the_leaf_that_the_tree_sends_them_to),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
