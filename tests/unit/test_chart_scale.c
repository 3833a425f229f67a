/* test_chart_scale.c - axes end and are labelled at round numbers, and values land where they belong. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "chart/scale.h"

static void assert_near(double value, double expected) {
    if (!(fabs(value - expected) <= 1e-12 * fmax(1, fabs(expected)))) fail_msg("%.17g is not %.17g", value, expected);
}

static void assert_ends(sm_scale scale, double from, double to) {
    assert_near(scale.from, from);
    assert_near(scale.to, to);
}

static void assert_ticks(sm_scale scale, size_t most, const double *expected, size_t n) {
    double ticks[SM_MOST_TICKS];
    assert_int_equal(sm_scale_ticks(&scale, most, ticks), n);
    for (size_t t = 0; t < n; t++) assert_near(ticks[t], expected[t]);
}

static void a_scale_ends_at_round_numbers(void **state) {
    (void)state;
    assert_ends(sm_scale_around(0.03, 0.97, false), 0, 1);
    assert_ends(sm_scale_around(0.113, 0.201, false), 0.1, 0.22);
    assert_ends(sm_scale_around(-0.31, 0.52, false), -0.4, 0.6);
    assert_ends(sm_scale_around(3, 1234, false), 0, 1500);
    assert_ends(sm_scale_around(0.031, 0.7, true), 0.02, 1);
    assert_ends(sm_scale_around(20, 320, true), 20, 500);
}

static void a_number_alone_gets_a_margin(void **state) {
    (void)state;
    sm_scale scale = sm_scale_around(0.5, 0.5, false), zero = sm_scale_around(0, 0, false);
    sm_scale power = sm_scale_around(10, 10, true);
    assert_true(scale.from < 0.5 && scale.to > 0.5);
    assert_true(zero.from < 0 && zero.to > 0);
    assert_ends(power, 5, 20);
}

static void fractions_run_from_0_to_1(void **state) {
    (void)state;
    const sm_scale linear = {.from = 2, .to = 6}, power = {.from = 1, .to = 100, .is_log = true};
    assert_near(sm_scale_fraction(&linear, 2), 0);
    assert_near(sm_scale_fraction(&linear, 3), 0.25);
    assert_near(sm_scale_fraction(&linear, 8), 1.5);
    assert_near(sm_scale_fraction(&power, 10), 0.5);
    assert_near(sm_scale_fraction(&power, 100), 1);
}

static void ticks_are_round_and_not_too_many(void **state) {
    (void)state;
    const double fifths[] = {0, 0.2, 0.4, 0.6, 0.8, 1}, halves[] = {0, 0.5, 1}, tens[] = {1, 10, 100, 1000};
    const double all[] = {0.02, 0.05, 0.1, 0.2}, hundreds[] = {1e-6, 1e-4, 1e-2, 1};
    assert_ticks((sm_scale){.from = 0, .to = 1}, 6, fifths, 6);
    assert_ticks((sm_scale){.from = 0, .to = 1}, 4, halves, 3);
    assert_ticks((sm_scale){.from = 0.95e-9, .to = 1}, 4, halves + 1, 2);
    assert_ticks((sm_scale){.from = 0.02, .to = 0.2, .is_log = true}, 6, all, 4);
    assert_ticks((sm_scale){.from = 1, .to = 1000, .is_log = true}, 6, tens, 4);
    assert_ticks((sm_scale){.from = 1e-6, .to = 1, .is_log = true}, 5, hundreds, 4);
}

static void no_tick_lies_outside_whatever_the_scale(void **state) {
    (void)state;
    srand(1);
    for (int k = 0; k < 20000; k++) {
        double a = pow(10, rand() % 13 - 6) * (rand() % 1000 + 1), b = a * (1 + rand() % 100000 / 1000.0) + 1e-9;
        bool is_log = k % 2 == 0;
        size_t most = 2 + (size_t)rand() % (SM_MOST_TICKS - 1);
        sm_scale scale = sm_scale_around(a, b, is_log);
        double ticks[SM_MOST_TICKS], dust = 1e-9 * (scale.to - scale.from);
        assert_true(scale.from <= a * (1 + 1e-6) && scale.to >= b * (1 - 1e-6));
        size_t n = sm_scale_ticks(&scale, most, ticks);
        assert_true(n >= 1 && n <= most);
        for (size_t t = 0; t < n; t++) {
            assert_true(ticks[t] >= scale.from - dust && ticks[t] <= scale.to + dust);
            assert_true(t == 0 || ticks[t] > ticks[t - 1]);
        }
    }
}

static void labels_have_the_decimals_they_need(void **state) {
    (void)state;
    const sm_scale linear = {.from = -0.5, .to = 0.5}, power = {.from = 0.02, .to = 10, .is_log = true};
    const double halves[] = {-0.5, 0, 0.5}, round[] = {0.02, 0.5, 1, 10}, large[] = {0, 20000, 40000};
    char label[SM_TICK_SPACE];
    assert_string_equal(sm_scale_label(&linear, halves, 3, 0, label), "\xe2\x88\x92"
                                                                      "0.5");
    assert_string_equal(sm_scale_label(&linear, halves, 3, 1, label), "0.0");
    assert_string_equal(sm_scale_label(&power, round, 4, 0, label), "0.02");
    assert_string_equal(sm_scale_label(&power, round, 4, 1, label), "0.5");
    assert_string_equal(sm_scale_label(&power, round, 4, 3, label), "10");
    assert_string_equal(sm_scale_label(&linear, large, 3, 1, label), "20000");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_scale_ends_at_round_numbers),
        cmocka_unit_test(a_number_alone_gets_a_margin),
        cmocka_unit_test(fractions_run_from_0_to_1),
        cmocka_unit_test(ticks_are_round_and_not_too_many),
        cmocka_unit_test(no_tick_lies_outside_whatever_the_scale),
        cmocka_unit_test(labels_have_the_decimals_they_need),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
