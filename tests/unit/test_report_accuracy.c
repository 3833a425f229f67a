/* test_report_accuracy.c - densities, errors by distance and curves against what they mean, counted pair by pair. */
#include "tests/unit/files.h"

#include <math.h>

#include "base/random.h"
#include "report/accuracy.h"

enum { MOST = 3000 };

static double truth[MOST], predicted[MOST];

static void assert_near(double found, double expected, double slack) {
    if (!(fabs(found - expected) <= slack)) fail_msg("%.17g is not %.17g", found, expected);
}

/* With ties: in both arrays many numbers are equal.   is_linked  all true distances are 0 or 1 */
static sm_scored draw(size_t n, uint64_t seed, bool is_linked) {
    sm_random random;
    sm_random_start(&random, seed, 0, n);
    for (size_t p = 0; p < n; p++) {
        truth[p] = is_linked ? sm_random_uniform(&random) < 0.8 : floor(30 * sm_random_uniform(&random)) / 7;
        predicted[p] = truth[p] + 0.5 * floor(5 * sm_random_normal(&random)) / 5;
    }
    return (sm_scored){.n = n, .truth = truth, .predicted = predicted};
}

static void every_pair_is_in_one_cell(void **state) {
    (void)state;
    for (size_t n = 1; n < MOST; n = 3 * n + 1) {
        static uint32_t counts[SM_DENSITY_BINS * SM_DENSITY_BINS], slow[SM_DENSITY_BINS * SM_DENSITY_BINS];
        const sm_scored pairs = draw(n, n, false);
        const sm_bins rows = sm_bins_of(truth, n), columns = sm_bins_of(predicted, n);
        sm_density_count(&pairs, &rows, &columns, counts);
        memset(slow, 0, sizeof slow);
        for (size_t p = 0; p < n; p++) { /* the last bin that starts at or before the number */
            size_t i = rows.n - 1, j = columns.n - 1;
            while (i > 0 && (truth[p] - rows.from) / (rows.to - rows.from) * (double)rows.n < (double)i) i--;
            while (j > 0 && (predicted[p] - columns.from) / (columns.to - columns.from) * (double)columns.n < (double)j)
                j--;
            slow[i * columns.n + j]++;
        }
        assert_memory_equal(counts, slow, rows.n * columns.n * sizeof *counts);
    }
}

static void bins_go_from_the_smallest_to_the_largest(void **state) {
    (void)state;
    const double values[4] = {3, -1, 7, 3}, same[2] = {2, 2};
    const sm_bins bins = sm_bins_of(values, 4), one = sm_bins_of(same, 2);
    assert_true(bins.from == -1 && bins.to == 7 && bins.n == SM_DENSITY_BINS);
    assert_int_equal(sm_bin_of(&bins, -1), 0);
    assert_int_equal(sm_bin_of(&bins, 3), SM_DENSITY_BINS / 2);
    assert_int_equal(sm_bin_of(&bins, 7), SM_DENSITY_BINS - 1);
    assert_true(one.from == 2 && one.to == 2 && one.n == 1);
    assert_int_equal(sm_bin_of(&one, 2), 0);
}

static void moments_are_those_of_the_true_distances(void **state) {
    (void)state;
    const sm_scored pairs = draw(1000, 5, false), none = {0};
    double mean, sd, sum = 0, squares = 0;
    sm_scored_moments(&pairs, &mean, &sd);
    for (size_t p = 0; p < 1000; p++) sum += truth[p] / 1000;
    for (size_t p = 0; p < 1000; p++) squares += (truth[p] - sum) * (truth[p] - sum) / 1000;
    assert_near(mean, sum, 1e-12);
    assert_near(sd, sqrt(squares), 1e-12);
    sm_scored_moments(&none, &mean, &sd);
    assert_true(isnan(mean) && isnan(sd));
}

/* Every bin is about the pairs between its ends, and no bin of many distances is much fuller than another. */
static void check_errors(const sm_scored *pairs) {
    sm_error_bin bins[SM_ERROR_BINS];
    size_t n_bins, n = 0;
    smerf_error error;
    assert_int_equal(sm_errors_by_distance(pairs, bins, &n_bins, &error), SMERF_OK);
    assert_true(n_bins <= SM_ERROR_BINS);
    for (size_t b = 0; b < n_bins; b++) {
        double bias = 0, squares = 0;
        size_t n_in = 0;
        for (size_t p = 0; p < pairs->n; p++) {
            if (truth[p] < bins[b].from || truth[p] > bins[b].to) continue;
            bias += predicted[p] - truth[p];
            squares += (predicted[p] - truth[p]) * (predicted[p] - truth[p]);
            n_in++;
        }
        assert_int_equal(bins[b].n, n_in);
        assert_near(bins[b].bias, bias / (double)n_in, 1e-12);
        assert_near(bins[b].rmse, sqrt(squares / (double)n_in), 1e-12);
        if (b > 0) assert_true(bins[b - 1].to < bins[b].from);
        n += n_in;
    }
    assert_int_equal(n, pairs->n);
}

static void errors_are_those_of_pairs_as_far_apart(void **state) {
    (void)state;
    for (size_t n = 1; n < MOST; n = 2 * n + 1) {
        sm_scored pairs = draw(n, n, false);
        check_errors(&pairs);
        pairs = draw(n, n, true);
        check_errors(&pairs);
    }
}

static void bins_without_ties_are_equally_filled(void **state) {
    (void)state;
    sm_error_bin bins[SM_ERROR_BINS];
    size_t n_bins;
    smerf_error error;
    for (size_t p = 0; p < 1000; p++) predicted[p] = truth[p] = (double)(p * 617 % 1000);
    const sm_scored pairs = {.n = 1000, .truth = truth, .predicted = predicted};
    assert_int_equal(sm_errors_by_distance(&pairs, bins, &n_bins, &error), SMERF_OK);
    assert_int_equal(n_bins, SM_ERROR_BINS);
    for (size_t b = 0; b < n_bins; b++) assert_int_equal(bins[b].n, 1000 / SM_ERROR_BINS);
}

/* ---- curves ---- */

/* Whether taking the pairs up to some distance for links gives this point. */
static bool is_on_curve(const sm_scored *pairs, const double *point, bool is_roc) {
    size_t n_links = 0;
    for (size_t p = 0; p < pairs->n; p++) n_links += truth[p] != 1;
    for (size_t q = 0; q < pairs->n; q++) {
        size_t n_taken = 0, n_found = 0;
        for (size_t p = 0; p < pairs->n; p++) {
            n_taken += predicted[p] <= predicted[q];
            n_found += predicted[p] <= predicted[q] && truth[p] != 1;
        }
        double recall = (double)n_found / (double)n_links, precision = (double)n_found / (double)n_taken;
        double false_fraction = (double)(n_taken - n_found) / (double)(pairs->n - n_links);
        if (is_roc ? point[0] == false_fraction && point[1] == recall : point[0] == recall && point[1] == precision)
            return true;
    }
    return false;
}

static void every_point_is_a_threshold(void **state) {
    (void)state;
    static sm_curves curves;
    smerf_error error;
    for (uint64_t seed = 1; seed < 8; seed++) {
        const sm_scored pairs = draw(20 * seed, seed, true);
        assert_int_equal(sm_curves_find(&pairs, &curves, &error), SMERF_OK);
        assert_true(curves.n_roc >= 2 && curves.roc[0][0] == 0 && curves.roc[0][1] == 0);
        assert_true(curves.roc[curves.n_roc - 1][0] == 1 && curves.roc[curves.n_roc - 1][1] == 1);
        assert_true(curves.pr[0][0] == 0 && curves.pr[0][1] == 1 && curves.pr[curves.n_pr - 1][0] == 1);
        for (size_t k = 1; k < curves.n_roc; k++) assert_true(is_on_curve(&pairs, curves.roc[k], true));
        for (size_t k = 1; k < curves.n_pr; k++) assert_true(is_on_curve(&pairs, curves.pr[k], false));
    }
}

static void there_is_no_curve_without_both(void **state) {
    (void)state;
    static sm_curves curves;
    smerf_error error;
    const double links[3] = {0, 0, 0.5}, none[3] = {1, 1, 1};
    const sm_scored only = {.n = 3, .truth = links, .predicted = links},
                    no = {.n = 3, .truth = none, .predicted = links};
    assert_int_equal(sm_curves_find(&only, &curves, &error), SMERF_OK);
    assert_true(curves.n_roc == 0 && curves.n_pr == 0 && curves.fraction_of_links == 1);
    assert_int_equal(sm_curves_find(&no, &curves, &error), SMERF_OK);
    assert_true(curves.n_roc == 0 && curves.n_pr == 0 && curves.fraction_of_links == 0);
}

/* All distances differ, and a few of the points fit. */
static void long_curves_are_thinned(void **state) {
    (void)state;
    enum { MANY = 200000 };
    static double far[MANY], is_far[MANY];
    static sm_curves curves;
    smerf_error error;
    sm_random random;
    sm_random_start(&random, 3, 0, 0);
    for (size_t p = 0; p < MANY; p++) {
        is_far[p] = sm_random_uniform(&random) < 0.5;
        far[p] = sm_random_normal(&random) + is_far[p];
    }
    const sm_scored pairs = {.n = MANY, .truth = is_far, .predicted = far};
    assert_int_equal(sm_curves_find(&pairs, &curves, &error), SMERF_OK);
    assert_true(curves.n_roc > 300 && curves.n_roc < SM_CURVE_POINTS);
    assert_true(curves.n_pr > 300 && curves.n_pr < SM_CURVE_POINTS);
    for (size_t k = 1; k < curves.n_roc; k++) assert_true(curves.roc[k][0] - curves.roc[k - 1][0] < 0.01);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_pair_is_in_one_cell),
        cmocka_unit_test(bins_go_from_the_smallest_to_the_largest),
        cmocka_unit_test(moments_are_those_of_the_true_distances),
        cmocka_unit_test(errors_are_those_of_pairs_as_far_apart),
        cmocka_unit_test(bins_without_ties_are_equally_filled),
        cmocka_unit_test(every_point_is_a_threshold),
        cmocka_unit_test(there_is_no_curve_without_both),
        cmocka_unit_test(long_curves_are_thinned),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
