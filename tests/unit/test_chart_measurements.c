/* test_chart_measurements.c - repeats are brought together, and their means and errors are right. */
#include "tests/unit/files.h"

#include <math.h>

#include "chart/measurements.h"

static void assert_near(double value, double expected) {
    if (!(fabs(value - expected) <= 1e-12 * fmax(1, fabs(expected)))) fail_msg("%.17g is not %.17g", value, expected);
}

static void add(sm_measurements *all, const char *method, double at, size_t repeat, double value) {
    const sm_measurement row = {.data = "toy",
                                .method = method,
                                .metric = "rmse",
                                .at = at,
                                .repeat = repeat,
                                .seed = 10 + repeat,
                                .value = value};
    assert_int_equal(sm_measurements_add(all, &row, NULL), SMERF_OK);
}

/* Two methods at two settings, three repeats; one of the values is not known. */
static sm_measurements some(void) {
    sm_measurements all = {.at_name = "n"};
    for (size_t repeat = 1; repeat <= 3; repeat++) {
        add(&all, "ours", 20, repeat, (double)repeat);
        add(&all, "theirs, or so", 20, repeat, repeat == 2 ? NAN : 5 * (double)repeat);
        add(&all, "ours", 40, repeat, 7);
    }
    return all;
}

static void mean_and_errors_are_those_of_the_textbook(void **state) {
    (void)state;
    const double values[] = {2, 4, 4, 4, 5, 5, 7, 9}; /* squares around the mean: 32 */
    sm_summary summary = sm_summarise(values, 8);
    assert_int_equal(summary.n, 8);
    assert_near(summary.mean, 5);
    assert_near(summary.deviation, sqrt(32.0 / 7));
    assert_near(summary.error, sqrt(32.0 / 7 / 8));
}

static void what_is_not_known_does_not_count(void **state) {
    (void)state;
    const double values[] = {NAN, 3, NAN, 5}, none[] = {NAN};
    sm_summary summary = sm_summarise(values, 4), empty = sm_summarise(none, 1), one = sm_summarise(values, 2);
    assert_int_equal(summary.n, 2);
    assert_near(summary.mean, 4);
    assert_near(summary.error, 1);
    assert_int_equal(empty.n, 0);
    assert_true(isnan(empty.mean) && isnan(empty.error));
    assert_near(one.mean, 3);
    assert_true(isnan(one.deviation) && isnan(one.error));
}

static void a_large_mean_does_not_hide_a_small_error(void **state) {
    (void)state;
    const double values[] = {1e9, 1e9 + 1, 1e9 + 2};
    assert_near(sm_summarise(values, 3).deviation, 1);
}

static void points_run_along_one_line(void **state) {
    (void)state;
    sm_measurements all = some();
    const sm_measurement ours = {.data = "toy", .method = "ours", .metric = "rmse"};
    const sm_measurement theirs = {.data = "toy", .method = "theirs, or so", .metric = "rmse"};
    const sm_measurement nobody = {.data = "toy", .method = "nobody", .metric = "rmse"};
    sm_point points[4];
    assert_int_equal(sm_measurements_points(&all, &ours, SM_STANDARD_ERROR, points, 4), 2);
    assert_near(points[0].x, 20);
    assert_near(points[0].y, 2);
    assert_near(points[0].error, sqrt(1.0 / 3));
    assert_near(points[1].x, 40);
    assert_near(points[1].error, 0);
    assert_int_equal(sm_measurements_points(&all, &theirs, SM_STANDARD_DEVIATION, points, 4), 1);
    assert_near(points[0].error, sqrt(50));
    assert_int_equal(sm_measurements_points(&all, &nobody, SM_STANDARD_ERROR, points, 4), 0);
    sm_measurements_free(&all);
}

static void tables_are_tidy(void **state) {
    (void)state;
    sm_measurements all = some();
    sm_output *output;
    assert_int_equal(sm_output_open("rows.csv", &output, NULL), SMERF_OK);
    sm_measurements_write(&all, output);
    assert_int_equal(sm_output_finish(output, NULL), SMERF_OK);
    assert_string_equal(read_text("rows.csv"), "data,n,repeat,seed,method,metric,value\n"
                                               "toy,20,1,11,ours,rmse,1\n"
                                               "toy,20,1,11,\"theirs, or so\",rmse,5\n"
                                               "toy,40,1,11,ours,rmse,7\n"
                                               "toy,20,2,12,ours,rmse,2\n"
                                               "toy,20,2,12,\"theirs, or so\",rmse,\n"
                                               "toy,40,2,12,ours,rmse,7\n"
                                               "toy,20,3,13,ours,rmse,3\n"
                                               "toy,20,3,13,\"theirs, or so\",rmse,15\n"
                                               "toy,40,3,13,ours,rmse,7\n");
    assert_int_equal(sm_output_open("means.csv", &output, NULL), SMERF_OK);
    sm_measurements_write_summary(&all, output);
    assert_int_equal(sm_output_finish(output, NULL), SMERF_OK);
    assert_string_equal(read_text("means.csv"), "data,n,method,metric,repeats,mean,sd,se\n"
                                                "toy,20,ours,rmse,3,2,1,0.5773502691896258\n"
                                                "toy,20,\"theirs, or so\",rmse,2,10,7.0710678118654755,5\n"
                                                "toy,40,ours,rmse,3,7,0,0\n");
    sm_measurements_free(&all);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mean_and_errors_are_those_of_the_textbook),
        cmocka_unit_test(what_is_not_known_does_not_count),
        cmocka_unit_test(a_large_mean_does_not_hide_a_small_error),
        cmocka_unit_test(points_run_along_one_line),
        cmocka_unit_test(tables_are_tidy),
    };
    return cmocka_run_group_tests(tests, files_enter, files_leave);
}
