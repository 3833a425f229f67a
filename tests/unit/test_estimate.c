/* test_estimate.c - the cost of a fit, told beforehand. How near it comes is tested on the command (tests/cli). */
#include "tests/unit/scarce_memory.h"

#include "tests/unit/forests.h"

#include "fit/estimate.h"

static smerf_status estimate(const data_set *data, const smerf_options *options, const smerf_run *run,
                             smerf_estimate *told, smerf_error *error) {
    return smerf_fit_estimate(data->items, data->target, options, run, told, error);
}

static void all_trees_are_tried_where_that_is_quick(void **state) {
    (void)state;
    data_set *data = mixed_data(60);
    smerf_options options = options_for(7);
    smerf_estimate told = SMERF_INIT(smerf_estimate), again = SMERF_INIT(smerf_estimate);
    smerf_error error;
    demand_ok(estimate(data, &options, NULL, &told, &error), &error);
    assert_true(told.n_trees_tried == 7 && told.n_items_tried == 60);
    assert_true(told.seconds > 0 && told.bytes > 60 * 60 * 4 && told.model_bytes > 60 * 59 / 2 * 4);
    demand_ok(estimate(data, &options, NULL, &again, &error), &error);
    assert_true(again.bytes == told.bytes && again.model_bytes == told.model_bytes);
    data_set_free(data);
}

/* Its arrays one by one; sets of levels are left out. */
static void the_bytes_of_a_tree_are_those_of_its_arrays(void **state) {
    (void)state;
    data_set *data = mixed_data(80);
    smerf_options options = options_for(1);
    smerf_model *model = fit_with(data, &options, NULL);
    smerf_tree_view seen = SMERF_INIT(smerf_tree_view);
    smerf_model_tree(model, 0, &seen, NULL);
    sm_tree tree = {.n_nodes = seen.n_nodes,
                    .n_splits = seen.n_splits,
                    .n_leaves = seen.n_leaves,
                    .first_term = (uint32_t *)seen.first_term,
                    .first_member = (uint32_t *)seen.first_member};
    size_t n_members = seen.first_member[seen.n_leaves], n_terms = seen.first_term[seen.n_splits];
    size_t by_node = sizeof(bool) + sizeof(uint32_t), by_member = 2 * sizeof(uint32_t);
    size_t by_split = 2 * sizeof(uint32_t) + 2 * sizeof(double) + 2 * sizeof(bool);
    size_t bytes = seen.n_nodes * by_node + seen.n_splits * by_split + seen.n_leaves * sizeof(uint32_t) +
                   n_members * by_member + n_terms * (sizeof(uint32_t) + sizeof(int8_t));
    assert_true(sm_fit_tree_bytes(&tree) == (double)bytes);
    smerf_model_free(model);
    data_set_free(data);
}

/* Every kind of work grows with the items, and not more than their pairs do. */
static void work_grows_with_the_items(void **state) {
    (void)state;
    data_set *data = plain_data(50);
    smerf_options options = options_for(10);
    options.candidates = 4;
    for (size_t rank = 0; rank < 4; rank += 3) {
        options.rank = rank;
        sm_fit_size size;
        sm_fit_size_start(&size, data->items, data->target, &options, NULL);
        for (double n = 100; n < 1e7; n *= 2) {
            double tree = sm_fit_tree_work(&size, 2 * n) / sm_fit_tree_work(&size, n);
            double setup = sm_fit_setup_work(&size, 2 * n) / sm_fit_setup_work(&size, n);
            assert_true(tree > 1.9 && tree < 4.1 && setup > 1.9 && setup < 4.1);
        }
    }
    data_set_free(data);
}

static int stop(void *context, double fraction_done) {
    assert_true(fraction_done == 0); /* nothing of the fit has been done */
    ++*(int *)context;
    return 1;
}

static void it_can_be_cancelled(void **state) {
    (void)state;
    data_set *data = plain_data(40);
    smerf_options options = options_for(5);
    smerf_estimate told = SMERF_INIT(smerf_estimate);
    smerf_error error;
    int n_query = 0;
    const smerf_run run = SMERF_INIT(smerf_run, .n_threads = 1, .progress = stop, .context = &n_query);
    assert_int_equal(estimate(data, &options, &run, &told, &error), SMERF_CANCELLED);
    assert_true(n_query > 0);
    data_set_free(data);
}

static void what_cannot_be_fitted_is_refused(void **state) {
    (void)state;
    data_set *data = plain_data(20), *others = plain_data(21);
    smerf_options options = options_for(5);
    smerf_estimate told = SMERF_INIT(smerf_estimate);
    smerf_error error;
    smerf_status status = smerf_fit_estimate(data->items, others->target, &options, NULL, &told, &error);
    assert_int_equal(status, SMERF_BAD_INPUT);
    assert_says(&error, "there are 20 items", "about 21");
    options.complete = 3;
    assert_int_equal(estimate(data, &options, NULL, &told, &error), SMERF_BAD_INPUT);
    assert_says(&error, "complete:", "no missing pairs");
    options = options_for(5);
    options.method = SMERF_METHOD_EUCLIDEAN;
    demand_ok(estimate(data, &options, NULL, &told, &error), &error);
    assert_true(isnan(told.seconds) && isnan(told.bytes) && isnan(told.model_bytes) && told.n_items_tried == 0);
    data_set_free(others);
    data_set_free(data);
}

static void every_failed_allocation_is_reported_and_leaks_nothing(void **state) {
    (void)state;
    data_set *data = mixed_data(30);
    smerf_options options = options_for(2);
    const smerf_run run = SMERF_INIT(smerf_run, .n_threads = 1);
    smerf_estimate told = SMERF_INIT(smerf_estimate);
    smerf_error error;
    always_shrinks = true;
    for (shortage lack = {.of = "estimating"}; shortage_starts(&lack, &error);)
        shortage_ends(&lack, estimate(data, &options, &run, &told, &error), &error);
    data_set_free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_trees_are_tried_where_that_is_quick),
        cmocka_unit_test(the_bytes_of_a_tree_are_those_of_its_arrays),
        cmocka_unit_test(work_grows_with_the_items),
        cmocka_unit_test(it_can_be_cancelled),
        cmocka_unit_test(what_cannot_be_fitted_is_refused),
        cmocka_unit_test(every_failed_allocation_is_reported_and_leaks_nothing),
    };
    return cmocka_run_group_tests(tests, files_enter, files_leave);
}
