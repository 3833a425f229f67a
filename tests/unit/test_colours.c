/* test_colours.c - the colours of the demo: CIEDE2000 against its published test data, and the CSS names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "demo/ciede2000.h"
#include "demo/css_colours.h"

typedef struct published_pair {
    lab_colour left, right;
    double difference;
} published_pair;

/* Sharma, Wu and Dalal (2005), Table 1, printed there to four decimals. */
static const published_pair sharma_pairs[] = {
    {{50.0000, 2.6772, -79.7751}, {50.0000, 0.0000, -82.7485}, 2.0425},
    {{50.0000, 3.1571, -77.2803}, {50.0000, 0.0000, -82.7485}, 2.8615},
    {{50.0000, 2.8361, -74.0200}, {50.0000, 0.0000, -82.7485}, 3.4412},
    {{50.0000, -1.3802, -84.2814}, {50.0000, 0.0000, -82.7485}, 1.0000},
    {{50.0000, -1.1848, -84.8006}, {50.0000, 0.0000, -82.7485}, 1.0000},
    {{50.0000, -0.9009, -85.5211}, {50.0000, 0.0000, -82.7485}, 1.0000},
    {{50.0000, 0.0000, 0.0000}, {50.0000, -1.0000, 2.0000}, 2.3669},
    {{50.0000, -1.0000, 2.0000}, {50.0000, 0.0000, 0.0000}, 2.3669},
    {{50.0000, 2.4900, -0.0010}, {50.0000, -2.4900, 0.0009}, 7.1792},
    {{50.0000, 2.4900, -0.0010}, {50.0000, -2.4900, 0.0010}, 7.1792},
    {{50.0000, 2.4900, -0.0010}, {50.0000, -2.4900, 0.0011}, 7.2195},
    {{50.0000, 2.4900, -0.0010}, {50.0000, -2.4900, 0.0012}, 7.2195},
    {{50.0000, -0.0010, 2.4900}, {50.0000, 0.0009, -2.4900}, 4.8045},
    {{50.0000, -0.0010, 2.4900}, {50.0000, 0.0010, -2.4900}, 4.8045},
    {{50.0000, -0.0010, 2.4900}, {50.0000, 0.0011, -2.4900}, 4.7461},
    {{50.0000, 2.5000, 0.0000}, {50.0000, 0.0000, -2.5000}, 4.3065},
    {{50.0000, 2.5000, 0.0000}, {73.0000, 25.0000, -18.0000}, 27.1492},
    {{50.0000, 2.5000, 0.0000}, {61.0000, -5.0000, 29.0000}, 22.8977},
    {{50.0000, 2.5000, 0.0000}, {56.0000, -27.0000, -3.0000}, 31.9030},
    {{50.0000, 2.5000, 0.0000}, {58.0000, 24.0000, 15.0000}, 19.4535},
    {{50.0000, 2.5000, 0.0000}, {50.0000, 3.1736, 0.5854}, 1.0000},
    {{50.0000, 2.5000, 0.0000}, {50.0000, 3.2972, 0.0000}, 1.0000},
    {{50.0000, 2.5000, 0.0000}, {50.0000, 1.8634, 0.5757}, 1.0000},
    {{50.0000, 2.5000, 0.0000}, {50.0000, 3.2592, 0.3350}, 1.0000},
    {{60.2574, -34.0099, 36.2677}, {60.4626, -34.1751, 39.4387}, 1.2644},
    {{63.0109, -31.0961, -5.8663}, {62.8187, -29.7946, -4.0864}, 1.2630},
    {{61.2901, 3.7196, -5.3901}, {61.4292, 2.2480, -4.9620}, 1.8731},
    {{35.0831, -44.1164, 3.7933}, {35.0232, -40.0716, 1.5901}, 1.8645},
    {{22.7233, 20.0904, -46.6940}, {23.0331, 14.9730, -42.5619}, 2.0373},
    {{36.4612, 47.8580, 18.3852}, {36.2715, 50.5065, 21.2231}, 1.4146},
    {{90.8027, -2.0831, 1.4410}, {91.1528, -1.6435, 0.0447}, 1.4441},
    {{90.9257, -0.5406, -0.9208}, {88.6381, -0.8985, -0.7239}, 1.5381},
    {{6.7747, -0.2908, -2.4247}, {5.8714, -0.0985, -2.2286}, 0.6377},
    {{2.0776, 0.0795, -1.1350}, {0.9033, -0.0636, -0.5514}, 0.9082},
};

enum { N_SHARMA_PAIRS = sizeof sharma_pairs / sizeof sharma_pairs[0] };

/* cmocka 1.1.5 compares floats only, too coarse here. */
static void assert_near(double actual, double expected, double tolerance) {
    if (!(fabs(actual - expected) <= tolerance)) {
        fail_msg("%.15g is not within %g of %.15g", actual, tolerance, expected);
    }
}

static void assert_lab_near(lab_colour actual, lab_colour expected, double tolerance) {
    assert_near(actual.lightness, expected.lightness, tolerance);
    assert_near(actual.a, expected.a, tolerance);
    assert_near(actual.b, expected.b, tolerance);
}

static lab_colour lab_of_name(size_t index) {
    const css_colour *colour = &css_colours[index];

    return lab_from_srgb(colour->red, colour->green, colour->blue);
}

static const css_colour *find_name(const css_colour *colours, size_t n_colours, const char *name) {
    for (size_t i = 0; i < n_colours; i++) {
        if (strcmp(colours[i].name, name) == 0) {
            return &colours[i];
        }
    }
    return NULL;
}

static void assert_named(const char *name, uint8_t red, uint8_t green, uint8_t blue) {
    const css_colour *colour = find_name(css_colours, CSS_N_COLOURS, name);

    assert_non_null(colour);
    assert_int_equal(colour->red, red);
    assert_int_equal(colour->green, green);
    assert_int_equal(colour->blue, blue);
}

/* ---- CIEDE2000 ---- */

static void the_34_pairs_of_sharma_have_their_published_differences(void **state) {
    (void)state;
    assert_int_equal(N_SHARMA_PAIRS, 34);
    for (size_t i = 0; i < N_SHARMA_PAIRS; i++) {
        const published_pair *pair = &sharma_pairs[i];
        double actual = ciede2000(pair->left, pair->right);

        if (!(fabs(actual - pair->difference) <= 1e-4)) {
            fail_msg("pair %zu: %.6f, published %.4f", i + 1, actual, pair->difference);
        }
    }
}

static void swapping_a_pair_changes_nothing(void **state) {
    (void)state;
    for (size_t i = 0; i < N_SHARMA_PAIRS; i++) {
        const published_pair *pair = &sharma_pairs[i];

        assert_true(ciede2000(pair->left, pair->right) == ciede2000(pair->right, pair->left));
    }
    for (size_t i = 0; i < CSS_N_COLOURS; i++) {
        for (size_t j = 0; j < i; j++) {
            lab_colour left = lab_of_name(i);
            lab_colour right = lab_of_name(j);

            assert_true(ciede2000(left, right) == ciede2000(right, left));
        }
    }
}

static void a_colour_is_at_distance_zero_from_itself(void **state) {
    (void)state;
    for (size_t i = 0; i < CSS_N_COLOURS; i++) {
        assert_true(ciede2000(lab_of_name(i), lab_of_name(i)) == 0.0);
    }
}

static void exactly_opposite_hues_stay_on_the_published_side(void **state) {
    (void)state;
    /* pair 10 at many sizes, because each rounds its angles differently; the other side is 0.04 away */
    for (int k = 0; k <= 1000; k++) {
        double scale = 1.0 + k / 100.0;
        lab_colour exact = {50.0, 2.49 * scale, -0.0010 * scale};
        lab_colour opposite = {50.0, -exact.a, -exact.b};
        lab_colour just_before = {50.0, -exact.a, -exact.b * 0.999};

        assert_near(ciede2000(exact, opposite), ciede2000(exact, just_before), 1e-3);
    }
}

static void two_greys_differ_by_their_lightness_alone(void **state) {
    lab_colour darker = {45.0, 0.0, 0.0};
    lab_colour lighter = {55.0, 0.0, 0.0};

    (void)state;
    /* the mean lightness is 50, where S_L is 1 */
    assert_near(ciede2000(darker, lighter), 10.0, 1e-12);
}

/* ---- sRGB to CIELAB ---- */

static void white_has_lightness_100_and_no_tint(void **state) {
    (void)state;
    assert_lab_near(lab_from_srgb(255, 255, 255), (lab_colour){100.0, 0.0, 0.0}, 1e-12);
}

static void black_is_the_origin(void **state) {
    (void)state;
    assert_lab_near(lab_from_srgb(0, 0, 0), (lab_colour){0.0, 0.0, 0.0}, 1e-12);
}

static void no_grey_has_even_a_rounded_tint(void **state) {
    (void)state;
    for (int level = 0; level <= 255; level++) {
        lab_colour grey = lab_from_srgb(level, level, level);

        assert_true(grey.a == 0.0 && grey.b == 0.0);
    }
}

/* Expected values from colour-science 0.4.7, with the sRGB matrix it derives from the primaries. */
static void known_colours_have_their_known_lab(void **state) {
    (void)state;
    assert_lab_near(lab_from_srgb(255, 0, 0), (lab_colour){53.23711560, 80.09011352, 67.20326351}, 1e-6);
    assert_lab_near(lab_from_srgb(0, 255, 0), (lab_colour){87.73551911, -86.18159689, 83.18662027}, 1e-6);
    assert_lab_near(lab_from_srgb(0, 0, 255), (lab_colour){32.30087290, 79.19527031, -107.85546554}, 1e-6);
    assert_lab_near(lab_from_srgb(102, 51, 153), (lab_colour){32.90280659, 42.88650746, -47.14913270}, 1e-6);
    /* dark enough for the straight part of both curves */
    assert_lab_near(lab_from_srgb(5, 10, 2), (lab_colour){2.29190021, -2.42007991, 2.56704919}, 1e-6);
}

/* ---- the CSS names ---- */

static void there_are_148_names_each_once_and_sorted(void **state) {
    (void)state;
    assert_int_equal(sizeof css_colours / sizeof css_colours[0], 148);
    for (size_t i = 0; i < CSS_N_COLOURS; i++) {
        assert_non_null(css_colours[i].name);
    }
    for (size_t i = 1; i < CSS_N_COLOURS; i++) {
        assert_true(strcmp(css_colours[i - 1].name, css_colours[i].name) < 0);
    }
}

static void well_known_names_have_their_colours(void **state) {
    (void)state;
    assert_named("aliceblue", 240, 248, 255);
    assert_named("black", 0, 0, 0);
    assert_named("green", 0, 128, 0);
    assert_named("rebeccapurple", 102, 51, 153);
    assert_named("red", 255, 0, 0);
    assert_named("tomato", 255, 99, 71);
    assert_named("white", 255, 255, 255);
    assert_named("yellowgreen", 154, 205, 50);
}

static void there_are_139_distinct_colours(void **state) {
    css_colour distinct[CSS_N_COLOURS]; /* room for all, so that one too many is counted and not a crash */
    size_t n_distinct = css_colours_distinct(distinct);

    (void)state;
    assert_int_equal(n_distinct, 139);
    assert_int_equal(n_distinct, CSS_N_DISTINCT);
    for (size_t i = 1; i < n_distinct; i++) {
        assert_true(strcmp(distinct[i - 1].name, distinct[i].name) < 0);
        for (size_t j = 0; j < i; j++) {
            assert_true(distinct[i].red != distinct[j].red || distinct[i].green != distinct[j].green ||
                        distinct[i].blue != distinct[j].blue);
        }
    }
}

static void the_first_name_stands_for_its_synonyms(void **state) {
    static const char *const synonyms[][2] = {
        {"aqua", "cyan"},
        {"darkgray", "darkgrey"},
        {"darkslategray", "darkslategrey"},
        {"dimgray", "dimgrey"},
        {"fuchsia", "magenta"},
        {"gray", "grey"},
        {"lightgray", "lightgrey"},
        {"lightslategray", "lightslategrey"},
        {"slategray", "slategrey"},
    };
    css_colour distinct[CSS_N_COLOURS];
    size_t n_distinct = css_colours_distinct(distinct);

    (void)state;
    for (size_t i = 0; i < sizeof synonyms / sizeof synonyms[0]; i++) {
        const css_colour *kept = find_name(distinct, n_distinct, synonyms[i][0]);

        assert_non_null(kept);
        assert_named(synonyms[i][1], kept->red, kept->green, kept->blue);
        assert_null(find_name(distinct, n_distinct, synonyms[i][1]));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_34_pairs_of_sharma_have_their_published_differences),
        cmocka_unit_test(swapping_a_pair_changes_nothing),
        cmocka_unit_test(a_colour_is_at_distance_zero_from_itself),
        cmocka_unit_test(exactly_opposite_hues_stay_on_the_published_side),
        cmocka_unit_test(two_greys_differ_by_their_lightness_alone),
        cmocka_unit_test(white_has_lightness_100_and_no_tint),
        cmocka_unit_test(black_is_the_origin),
        cmocka_unit_test(no_grey_has_even_a_rounded_tint),
        cmocka_unit_test(known_colours_have_their_known_lab),
        cmocka_unit_test(there_are_148_names_each_once_and_sorted),
        cmocka_unit_test(well_known_names_have_their_colours),
        cmocka_unit_test(there_are_139_distinct_colours),
        cmocka_unit_test(the_first_name_stands_for_its_synonyms),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
