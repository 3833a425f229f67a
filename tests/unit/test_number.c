/* test_number.c - decimal numbers are read exactly, and written as short as they read back the same. */
#include "tests/unit/files.h"

#include <float.h>
#include <locale.h>
#include <math.h>

#include "base/random.h"
#include "io/text/digits.h"
#include "io/text/text.h"

static uint64_t bits_of(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* In the middle of a text a number is read in another way than at its end: the same must come out. */
static void assert_same_within_text(const char *text, double value) {
    static char longer[6000];
    size_t n = strlen(text);
    double again = NAN;
    memcpy(longer, text, n);
    memset(longer + n, '7', 50);
    longer[n] = ',';
    if (sm_number_scan(longer, longer + n + 50, &again) != longer + n || bits_of(again) != bits_of(value))
        fail_msg("\"%s\" is %a at the end of a text and %a in its middle", text, value, again);
}

static double parse(const char *text) {
    double value = NAN;
    if (sm_number_parse(text, strlen(text), &value) != SM_CELL_NUMBER) fail_msg("\"%s\" is a number", text);
    if (*text != ' ') assert_same_within_text(text, value);
    return value;
}

static sm_cell kind_of(const char *text) {
    double value = 7;
    sm_cell kind = sm_number_parse(text, strlen(text), &value);
    if (kind != SM_CELL_NUMBER) assert_true(value == 7);
    return kind;
}

static const char *format(double value) {
    static char text[SM_NUMBER_SPACE];
    size_t n = sm_number_format(value, text);
    assert_int_equal(n, strlen(text));
    return text;
}

static double random_double(sm_random *random) {
    for (;;) {
        uint64_t bits = (uint64_t)sm_random_word(random) << 32;
        bits |= sm_random_word(random);
        double value;
        memcpy(&value, &bits, sizeof value);
        if (isfinite(value)) return value;
    }
}

static void assert_same(const char *text, double value) {
    double expected = strtod(text, NULL);
    if (bits_of(value) != bits_of(expected)) fail_msg("\"%s\" read as %a and not %a", text, value, expected);
}

static void plain_decimal_numbers_are_read(void **state) {
    (void)state;
    static const char *const texts[] = {"0",
                                        "-0",
                                        "+1",
                                        "1.",
                                        ".5",
                                        "-.5",
                                        "007",
                                        "1e3",
                                        "1E+3",
                                        "1e-3",
                                        "12.50",
                                        "1e00",
                                        "0.1e1",
                                        "123456789012345678901",
                                        "1e308",
                                        "5e-324",
                                        "1e22",
                                        "1e23",
                                        "1e-22",
                                        "1e-23",
                                        "0e999999999999",
                                        "00000000000000000000000000001.5",
                                        "0.00000000000000000000000000012345"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) assert_same(texts[i], parse(texts[i]));
}

static void spaces_around_a_number_do_not_count(void **state) {
    (void)state;
    assert_true(parse("  1.5\t ") == 1.5);
    assert_int_equal(kind_of(" \t "), SM_CELL_MISSING);
    assert_int_equal(kind_of("1 5"), SM_CELL_TEXT);
}

static void missing_values_have_five_spellings(void **state) {
    (void)state;
    static const char *const missing[] = {"", "NA", "NaN", "nan", "NAN", " NA "};
    static const char *const text[] = {"na", "Na", "N/A", "-nan", "nan1", "NULL", "None", "?"};
    for (size_t i = 0; i < sizeof missing / sizeof missing[0]; i++)
        assert_int_equal(kind_of(missing[i]), SM_CELL_MISSING);
    for (size_t i = 0; i < sizeof text / sizeof text[0]; i++) assert_int_equal(kind_of(text[i]), SM_CELL_TEXT);
}

static void infinities_and_numbers_too_large_are_infinite(void **state) {
    (void)state;
    static const char *const texts[] = {"inf",
                                        "-inf",
                                        "+Inf",
                                        "INFINITY",
                                        "-infinity",
                                        "1e309",
                                        "-1e400",
                                        "1e99999999999999999999999",
                                        "179769313486231580793e289"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) assert_int_equal(kind_of(texts[i]), SM_CELL_INFINITE);
}

static void what_is_no_plain_decimal_number_is_text(void **state) {
    (void)state;
    static const char *const texts[] = {"x",     "1x",   "0x10",  "1e",  "1e+",  "e5",  ".",     "-",   "+-1", "1,5",
                                        "1.2.3", "1e5.", "1_000", "1d3", "infi", "--1", "1e5 5", ".e1", "٣",   "−1"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) assert_int_equal(kind_of(texts[i]), SM_CELL_TEXT);
}

static void only_the_given_bytes_are_read(void **state) {
    (void)state;
    double value;
    assert_int_equal(sm_number_parse("12345678901234567890", 3, &value), SM_CELL_NUMBER);
    assert_true(value == 123);
    char eight[8] = {'1', '2', '3', '4', '5', '6', '7', '8'}; /* the sanitizer watches its end */
    assert_int_equal(sm_number_parse(eight, 8, &value), SM_CELL_NUMBER);
    assert_true(value == 12345678);
}

/* Ties and their neighbours are where a reader that rounds twice goes wrong. */
static void numbers_half_way_between_doubles_are_rounded_to_even(void **state) {
    (void)state;
    static const char *const texts[] = {"9007199254740993",
                                        "9007199254740993.00000000000000000000000000000000001",
                                        "9007199254740992.99999999999999999999999999999999999",
                                        "9007199254740995",
                                        "1.00000000000000011102230246251565404236316680908203125",
                                        "1.00000000000000011102230246251565404236316680908203124",
                                        "1.00000000000000011102230246251565404236316680908203126",
                                        "4503599627370497.5",
                                        "2.2250738585072011e-308",
                                        "2.2250738585072012e-308",
                                        "2.4703282292062327208e-324",
                                        "2.4703282292062328e-324",
                                        "1.7976931348623158e308",
                                        "6929495644600919.5",
                                        "8.5e-27"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) assert_same(texts[i], parse(texts[i]));
}

static void a_digit_far_behind_still_breaks_a_tie(void **state) {
    (void)state;
    static char text[5000];
    int n = snprintf(text, sizeof text, "9007199254740993.");
    memset(text + n, '0', 4000);
    text[n + 4000] = '\0';
    assert_true(parse(text) == 9007199254740992.0);
    strcpy(text + n + 4000, "1");
    assert_true(parse(text) == 9007199254740994.0);
}

static void whole_numbers_times_powers_of_ten_agree_with_strtod(void **state) {
    (void)state;
    sm_random random;
    sm_random_start(&random, 1, 0, 1);
    for (int i = 0; i < 300000; i++) {
        uint64_t digits = (uint64_t)sm_random_word(&random) << 32;
        digits = (digits | sm_random_word(&random)) >> sm_random_below(&random, 64);
        char text[64];
        snprintf(text, sizeof text, "%llue%d", (unsigned long long)digits, (int)sm_random_below(&random, 61) - 30);
        assert_same(text, parse(text));
    }
}

/* Any number of digits on both sides of the point, as text that is no double's shortest form may have them. */
static void numbers_with_a_point_anywhere_agree_with_strtod(void **state) {
    (void)state;
    sm_random random;
    sm_random_start(&random, 4, 0, 1);
    for (int i = 0; i < 500000; i++) {
        char text[64], *at = text;
        if (sm_random_below(&random, 2) == 0) *at++ = '-';
        uint32_t n_whole = sm_random_below(&random, 12), n_after = sm_random_below(&random, 24);
        if (n_whole + n_after == 0) continue;
        bool are_zeros = sm_random_below(&random, 4) == 0; /* at the front */
        for (uint32_t k = 0; k < n_whole + n_after; k++) {
            if (k == n_whole) *at++ = '.';
            are_zeros = are_zeros && sm_random_below(&random, 8) > 0;
            *at++ = (char)('0' + (are_zeros ? 0 : sm_random_below(&random, 10)));
        }
        if (sm_random_below(&random, 4) == 0) at += snprintf(at, 8, "e%d", (int)sm_random_below(&random, 61) - 30);
        *at = '\0';
        assert_same(text, parse(text));
    }
}

/* Whatever stands there, in the plain form and in that of the processor. */
static void both_ways_of_taking_digits_agree(void **state) {
    (void)state;
    static const char bytes[] = "0123456789./:+-,e\n\xB0\x80\xFF";
    sm_random random;
    sm_random_start(&random, 5, 0, 1);
    for (int i = 0; i < 100000; i++) {
        char text[32];
        uint32_t map = 0, n_kinds = i % 2 == 0 ? 10 : sizeof bytes - 1;
        for (uint32_t k = 0; k < 32; k++) {
            text[k] = i % 3 == 0 ? (char)sm_random_below(&random, 256) : bytes[sm_random_below(&random, n_kinds)];
            map |= (uint32_t)(text[k] < '0' || text[k] > '9') << k;
        }
        assert_int_equal(sm_digits_map(text), map);
        assert_int_equal(sm_digits_map_plain(text), map);
        for (uint32_t k = 0; k < 12; k++) text[k] = (char)('0' + sm_random_below(&random, 10));
        for (unsigned n = 1; n <= 12; n++) {
            char digits[16] = "";
            snprintf(digits, sizeof digits, "%.*s%0*d", (int)n, text, (int)(12 - n), 0);
            digits[12] = '\0'; /* no zero was to be printed for n = 12 */
            assert_true(sm_digits_twelve(text, n) == strtoull(digits, NULL, 10));
            assert_true(sm_digits_twelve_plain(text, n) == strtoull(digits, NULL, 10));
        }
    }
}

static void a_million_doubles_are_written_and_read_back_the_same(void **state) {
    (void)state;
    sm_random random;
    sm_random_start(&random, 2, 0, 1);
    for (int i = 0; i < 1000000; i++) {
        double value = i % 2 == 0 ? random_double(&random) : 1e3 * sm_random_normal(&random);
        const char *text = format(value);
        assert_same(text, value);
        assert_same(text, parse(text));
    }
}

/* Without zeros at either end. */
static size_t count_digits(const char *text) {
    size_t n = 0, n_zeros = 0;
    for (const char *at = text + strspn(text, "-0."); *at != '\0' && *at != 'e'; at++) {
        n += *at != '.';
        n_zeros = *at == '0' ? n_zeros + 1 : *at == '.' ? n_zeros : 0;
    }
    return n - n_zeros;
}

static void no_shorter_text_reads_back_the_same(void **state) {
    (void)state;
    sm_random random;
    sm_random_start(&random, 3, 0, 1);
    for (int i = 0; i < 30000; i++) {
        double value = i % 3 == 0 ? random_double(&random) : ldexp(sm_random_uniform(&random) + 0.5, i % 100 - 50);
        const char *text = format(value);
        size_t n_digits = count_digits(text);
        char shorter[64];
        for (size_t n = 1; n < n_digits; n++) {
            snprintf(shorter, sizeof shorter, "%.*e", (int)n - 1, value);
            if (strtod(shorter, NULL) == value) fail_msg("\"%s\" is longer than \"%s\"", text, shorter);
        }
    }
}

static void numbers_look_as_python_writes_them(void **state) {
    (void)state;
    static const struct {
        double value;
        const char *text;
    } cases[] = {{0.1, "0.1"},
                 {-0.1, "-0.1"},
                 {1.0 / 3, "0.3333333333333333"},
                 {0, "0"},
                 {-0.0, "-0"},
                 {1, "1"},
                 {-20, "-20"},
                 {100, "100"},
                 {123456.75, "123456.75"},
                 {1e15, "1000000000000000"},
                 {1e16, "1e+16"},
                 {1e22, "1e+22"},
                 {1e23, "1e+23"},
                 {123456789012345680, "1.2345678901234568e+17"},
                 {0.0001, "0.0001"},
                 {0.00001, "1e-05"},
                 {0.00012345678901234567, "0.00012345678901234567"},
                 {5e-324, "5e-324"},
                 {DBL_MIN, "2.2250738585072014e-308"},
                 {DBL_MAX, "1.7976931348623157e+308"},
                 {0x1p-44, "5.684341886080802e-14"},
                 {1125899906842623.75, "1125899906842623.8"},
                 {9007199254740991, "9007199254740991"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_string_equal(format(cases[i].value), cases[i].text);
}

static void nothing_is_written_for_nan(void **state) {
    (void)state;
    assert_string_equal(format(NAN), "");
    assert_string_equal(format(INFINITY), "inf");
    assert_string_equal(format(-INFINITY), "-inf");
}

/* Only tried where such a locale is installed. */
static void a_locale_with_a_decimal_comma_changes_nothing(void **state) {
    (void)state;
    static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "de_DE", "fr_FR"};
    const char *name = NULL;
    for (size_t i = 0; i < sizeof names / sizeof names[0] && name == NULL; i++) name = setlocale(LC_ALL, names[i]);
    if (name == NULL) skip();
    bool is_right = parse("1.5e-200") == 1.5e-200 && strcmp(format(1.5e-200), "1.5e-200") == 0 &&
                    parse("1.2345678901234567890123") == 1.2345678901234567890123 && kind_of("1,5") == SM_CELL_TEXT;
    setlocale(LC_ALL, "C");
    assert_true(is_right);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_decimal_numbers_are_read),
        cmocka_unit_test(spaces_around_a_number_do_not_count),
        cmocka_unit_test(missing_values_have_five_spellings),
        cmocka_unit_test(infinities_and_numbers_too_large_are_infinite),
        cmocka_unit_test(what_is_no_plain_decimal_number_is_text),
        cmocka_unit_test(only_the_given_bytes_are_read),
        cmocka_unit_test(numbers_half_way_between_doubles_are_rounded_to_even),
        cmocka_unit_test(a_digit_far_behind_still_breaks_a_tie),
        cmocka_unit_test(whole_numbers_times_powers_of_ten_agree_with_strtod),
        cmocka_unit_test(numbers_with_a_point_anywhere_agree_with_strtod),
        cmocka_unit_test(both_ways_of_taking_digits_agree),
        cmocka_unit_test(a_million_doubles_are_written_and_read_back_the_same),
        cmocka_unit_test(no_shorter_text_reads_back_the_same),
        cmocka_unit_test(numbers_look_as_python_writes_them),
        cmocka_unit_test(nothing_is_written_for_nan),
        cmocka_unit_test(a_locale_with_a_decimal_comma_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
