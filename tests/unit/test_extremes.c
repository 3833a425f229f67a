/* test_extremes.c - numbers at the ends of their ranges are refused or do no harm. */
#include "tests/unit/forests.h"

#include <float.h>
#include <sys/wait.h>

static const smerf_splits both_splits[2] = {SMERF_AXIS, SMERF_OBLIQUE};

/* ---- weights ---- */

/* Structure and members; gains and costs scale with the weights. */
static bool same_shape(const smerf_model *a, const smerf_model *b, size_t n_trees) {
    for (size_t k = 0; k < n_trees; k++) {
        smerf_tree_view left = SMERF_INIT(smerf_tree_view), right = SMERF_INIT(smerf_tree_view);
        smerf_model_tree(a, k, &left, NULL);
        smerf_model_tree(b, k, &right, NULL);
        if (left.n_nodes != right.n_nodes) return false;
        if (memcmp(left.threshold, right.threshold, left.n_splits * sizeof *left.threshold) != 0) return false;
        if (memcmp(left.member_item, right.member_item, left.first_member[left.n_leaves] * sizeof(uint32_t)) != 0)
            return false;
    }
    return true;
}

static smerf_status fit_weighed(const data_set *data, double weight, smerf_model **model) {
    double weights[40];
    for (size_t i = 0; i < 40; i++) weights[i] = weight * (1 + (double)(i % 3));
    smerf_status status = smerf_items_set_weights(data->items, "w", weights, NULL);
    const smerf_options options = options_for(4);
    return status == SMERF_OK ? smerf_fit(data->items, data->target, &options, NULL, model, NULL) : status;
}

static void the_unit_of_the_weights_does_not_matter(void **state) {
    (void)state;
    data_set *data = mixed_data(40);
    smerf_model *ones, *others;
    assert_int_equal(fit_weighed(data, 1, &ones), SMERF_OK);
    const double units[] = {2, 1024, 0.125};
    for (size_t k = 0; k < 3; k++) {
        assert_int_equal(fit_weighed(data, units[k], &others), SMERF_OK);
        assert_true(same_shape(ones, others, 4));
        smerf_model_free(others);
    }
    smerf_model_free(ones);
    data_set_free(data);
}

/* In a child, as it may crash: such weights are refused, or do what smaller ones do. */
static bool survives_weights(const data_set *data, double weight) {
    pid_t child = fork_child();
    if (child == 0) {
        smerf_model *model = NULL, *ones = NULL;
        smerf_status status = fit_weighed(data, weight, &model);
        if (status == SMERF_BAD_INPUT) _exit(0);
        if (status != SMERF_OK || fit_weighed(data, 1, &ones) != SMERF_OK) _exit(1);
        _exit(same_shape(model, ones, 4) ? 0 : 1);
    }
    int status;
    return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static void weights_at_the_ends_of_the_range_do_no_harm(void **state) {
    (void)state;
    data_set *data = mixed_data(40);
    assert_true(survives_weights(data, ldexp(1, 400)));
    assert_true(survives_weights(data, ldexp(1, -400)));
    assert_true(survives_weights(data, ldexp(1, 700)));
    assert_true(survives_weights(data, ldexp(1, 1020)));
    assert_true(survives_weights(data, ldexp(1, -700)));
    assert_true(survives_weights(data, ldexp(1, -1070)));
    data_set_free(data);
}

/* ---- self-distances ---- */

/* In a child, too. A matrix holds float32, so a self-distance beyond it is none. */
static bool survives_self_distance(const data_set *data, double value) {
    pid_t child = fork_child();
    if (child == 0) {
        smerf_options options = options_for(4);
        options.self_distance = SMERF_SELF_VALUE;
        options.self_value = value;
        smerf_model *model = NULL;
        smerf_status status = smerf_fit(data->items, data->target, &options, NULL, &model, NULL);
        _exit(status == SMERF_BAD_INPUT || (status == SMERF_OK && fabs(value) <= (double)FLT_MAX) ? 0 : 1);
    }
    int status;
    return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static void self_distances_beyond_float_are_refused(void **state) {
    (void)state;
    data_set *data = plain_data(20);
    assert_true(survives_self_distance(data, 3e38));
    assert_true(survives_self_distance(data, -3e38));
    assert_true(survives_self_distance(data, 4e38));
    assert_true(survives_self_distance(data, -1e300));
    data_set_free(data);
}

/* The largest distances that a matrix may hold. */
static void distances_at_the_ends_of_the_range_are_predicted(void **state) {
    (void)state;
    data_set *data = mixed_data(40);
    for (size_t k = 0; k < 1600; k++)
        data->z[k] = data->z[k] > 1.5f ? FLT_MAX : data->z[k] > 0.7f ? -FLT_MAX : FLT_MIN / 8;
    const smerf_options options = options_for(4);
    smerf_model *model = fit_with(data, &options, NULL);
    const smerf_request request = SMERF_INIT(smerf_request, .rows = data->items);
    double *found = predict_all(model, &request, NULL);
    for (size_t k = 0; k < 1600; k++) assert_true(fabs(found[k]) <= (double)FLT_MAX);
    free(found);
    smerf_model_free(model);
    data_set_free(data);
}

/* ---- values ---- */

static void assert_loads_again(const smerf_model *model) {
    smerf_model *again = NULL;
    smerf_error error;
    demand_ok(smerf_model_save(model, "again.smerf", &error), &error);
    demand_ok(smerf_model_load("again.smerf", &again, &error), &error);
    assert_same_model(model, again);
    smerf_model_free(again);
}

/* Sums of such values are infinite; what was grown can still be saved and loaded. */
static void values_at_the_ends_of_the_range_leave_a_model_that_loads(void **state) {
    (void)state;
    data_set *data = plain_data(40);
    for (size_t k = 0; k < 160; k++) data->values[k] *= 0.5e308;
    for (size_t s = 0; s < 2; s++) {
        smerf_options options = options_for(10);
        options.splits = both_splits[s];
        if (s == 1) options.density = 0.9;
        smerf_model *model = fit_with(data, &options, NULL);
        assert_loads_again(model);
        smerf_model_free(model);
    }
    data_set_free(data);
}

static void neighbouring_numbers_are_told_apart(void **state) {
    (void)state;
    data_set *data = data_set_new((data_plan){.n_items = 12, .n_numbers = 1, .seed = 6});
    double value = 1;
    for (size_t i = 0; i < 12; i++, value = nextafter(value, 2)) data->values[i] = value;
    smerf_options options = options_for(3);
    options.sample = SMERF_NO_SAMPLE;
    smerf_model *model = fit_with(data, &options, NULL);
    smerf_tree_view tree = SMERF_INIT(smerf_tree_view);
    smerf_model_tree(model, 0, &tree, NULL);
    assert_int_equal(tree.n_leaves, 12);
    for (size_t m = 0; m < 12; m++) assert_int_equal(slow_leaf(model, &tree, data, tree.member_item[m]), m);
    smerf_model_free(model);
    data_set_free(data);
}

static void the_largest_weights_leave_a_model_that_loads(void **state) {
    (void)state;
    data_set *data = plain_data(10);
    double weights[10];
    for (size_t i = 0; i < 10; i++) weights[i] = i == 0 ? 1.5e300 : 1;
    smerf_error error;
    if (smerf_items_set_weights(data->items, "w", weights, &error) == SMERF_OK) {
        smerf_options options = options_for(2);
        options.max_depth = 0; /* growing on such weights is another question */
        smerf_model *model = fit_with(data, &options, NULL);
        assert_loads_again(model);
        smerf_model_free(model);
    }
    data_set_free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_unit_of_the_weights_does_not_matter),
        cmocka_unit_test(weights_at_the_ends_of_the_range_do_no_harm),
        cmocka_unit_test(self_distances_beyond_float_are_refused),
        cmocka_unit_test(distances_at_the_ends_of_the_range_are_predicted),
        cmocka_unit_test(values_at_the_ends_of_the_range_leave_a_model_that_loads),
        cmocka_unit_test(neighbouring_numbers_are_told_apart),
        cmocka_unit_test(the_largest_weights_leave_a_model_that_loads),
    };
    return cmocka_run_group_tests(tests, files_enter, files_leave);
}
