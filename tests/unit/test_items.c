/* test_items.c - items are checked with sentences, copied, matched by name, and recognised by hashes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "data/items.h"

static smerf_column number(const char *name, const double *values) {
    return (smerf_column){.name = name, .kind = SMERF_NUMBER, .values = values};
}

static smerf_column category(const char *name, const uint32_t *codes, const char *const *levels, size_t n_levels) {
    return (smerf_column){.name = name, .kind = SMERF_CATEGORY, .codes = codes, .levels = levels, .n_levels = n_levels};
}

static smerf_items *make(const smerf_column *columns, size_t n_columns, size_t n_items) {
    smerf_items *items = NULL;
    smerf_error error;
    if (smerf_items_new(columns, n_columns, n_items, &items, &error) != SMERF_OK) fail_msg("%s", error.message);
    assert_int_equal(smerf_items_count(items), n_items);
    return items;
}

static void assert_refused(const smerf_column *columns, size_t n_columns, size_t n_items, const char *sentence,
                           size_t row, size_t column) {
    smerf_items *items = NULL;
    smerf_error error;
    assert_int_equal(smerf_items_new(columns, n_columns, n_items, &items, &error), SMERF_BAD_INPUT);
    assert_null(items);
    assert_int_equal(error.status, SMERF_BAD_INPUT);
    assert_string_equal(error.message, sentence);
    assert_true(error.row == row && error.column == column);
    assert_int_equal(smerf_items_new(columns, n_columns, n_items, &items, NULL), SMERF_BAD_INPUT);
}

static const double one_two_three[3] = {1, 2, 3};
static const uint32_t codes_012[3] = {0, 1, 2};
static const char *const three_levels[3] = {"red", "green", "blue"};

/* ---- what is refused ---- */

static void nothing_is_no_data(void **state) {
    (void)state;
    const smerf_column column = number("x", one_two_three);
    assert_refused(&column, 1, 0, "there are no items", SMERF_NOWHERE, SMERF_NOWHERE);
    assert_refused(&column, 0, 3, "there are no features: at least one column is needed", SMERF_NOWHERE, SMERF_NOWHERE);
}

static void more_items_than_numbers_for_them_are_refused(void **state) {
    (void)state;
    const smerf_column column = number("x", one_two_three);
    assert_refused(&column, 1, UINT32_MAX, "4294967295 items with 1 features: both must be below 2^32", SMERF_NOWHERE,
                   SMERF_NOWHERE);
}

static void two_columns_of_one_name_are_refused(void **state) {
    (void)state;
    const smerf_column columns[3] = {number("a", one_two_three), category("b", codes_012, three_levels, 3),
                                     number("a", one_two_three)};
    assert_refused(columns, 3, 3, "two columns are called 'a'; names must differ", SMERF_NOWHERE, SMERF_NOWHERE);
}

static void an_infinity_is_refused_with_its_cell(void **state) {
    (void)state;
    const double bad[3] = {1, NAN, -INFINITY};
    const smerf_column columns[2] = {number("a", one_two_three), number("b", bad)};
    assert_refused(columns, 2, 3, "column 'b', row 2: an infinity; values are finite or missing", 2, 1);
}

static void a_code_without_a_level_is_refused_with_its_cell(void **state) {
    (void)state;
    const uint32_t codes[3] = {0, SMERF_MISSING, 3};
    const smerf_column columns[2] = {number("a", one_two_three), category("b", codes, three_levels, 3)};
    assert_refused(columns, 2, 3, "column 'b', row 2: category 3 of 3", 2, 1);
}

static void a_level_listed_twice_is_refused(void **state) {
    (void)state;
    const char *const levels[3] = {"red", "blue", "red"};
    const smerf_column column = category("c", codes_012, levels, 3);
    assert_refused(&column, 1, 3, "column 'c' lists the category 'red' twice", SMERF_NOWHERE, SMERF_NOWHERE);
}

static void names_that_are_not_utf8_are_refused(void **state) {
    (void)state;
    const char *const levels[3] = {"red", "bl\xfc", "green"};
    const smerf_column named = number("caf\xe9", one_two_three), levelled = category("c", codes_012, levels, 3);
    assert_refused(&named, 1, 3, "the name of column 0 is not UTF-8 text", SMERF_NOWHERE, SMERF_NOWHERE);
    assert_refused(&levelled, 1, 3, "column 'c' has a category that is not UTF-8 text", SMERF_NOWHERE, SMERF_NOWHERE);
}

static void a_category_may_have_no_levels_at_all(void **state) {
    (void)state;
    const uint32_t missing[2] = {SMERF_MISSING, SMERF_MISSING};
    const smerf_column column = category("c", missing, NULL, 0);
    smerf_items *items = make(&column, 1, 2);
    assert_int_equal(items->codes[0][1], SMERF_MISSING);
    smerf_items_free(items);
}

/* ---- ids, weights, ignored columns ---- */

static void ids_are_copied_and_must_differ(void **state) {
    (void)state;
    char first[] = "one";
    const char *const ids[3] = {first, "two", "three"}, *const twice[3] = {"u", "v", "u"};
    const smerf_column column = number("x", one_two_three);
    smerf_items *items = make(&column, 1, 3);
    smerf_error error;
    assert_int_equal(smerf_items_set_ids(items, "name", ids, &error), SMERF_OK);
    strcpy(first, "???");
    assert_string_equal(items->ids.text[0], "one");
    assert_int_equal(smerf_items_set_ids(items, "other", twice, &error), SMERF_BAD_INPUT);
    assert_string_equal(error.message, "two items are called 'u'; ids must differ");
    assert_string_equal(items->ids.text[2], "three"); /* a refusal changes nothing */
    assert_string_equal(items->id_column, "name");
    assert_int_equal(smerf_items_set_ids(items, "again", ids, &error), SMERF_OK);
    assert_string_equal(items->ids.text[0], "???");
    assert_string_equal(items->id_column, "again");
    smerf_items_free(items);
}

static void weights_are_finite_and_positive(void **state) {
    (void)state;
    const smerf_column column = number("x", one_two_three);
    const double good[3] = {0.5, 1e-3, 7}, bad[4] = {0, -1, NAN, INFINITY};
    const char *const sentences[4] = {
        "row 1 has the weight 0; weights are > 0, and neither tiny nor huge (1e-100 ... 1e+100)",
        "row 1 has the weight -1; weights are > 0, and neither tiny nor huge (1e-100 ... 1e+100)",
        "row 1 has the weight nan; weights are > 0, and neither tiny nor huge (1e-100 ... 1e+100)",
        "row 1 has the weight inf; weights are > 0, and neither tiny nor huge (1e-100 ... 1e+100)"};
    smerf_items *items = make(&column, 1, 3);
    smerf_error error;
    assert_int_equal(smerf_items_set_weights(items, "w", good, &error), SMERF_OK);
    for (size_t k = 0; k < 4; k++) {
        const double weights[3] = {1, bad[k], bad[k]};
        assert_int_equal(smerf_items_set_weights(items, "v", weights, &error), SMERF_BAD_INPUT);
        assert_string_equal(error.message, sentences[k]);
        assert_true(error.row == 1 && error.column == 0);
    }
    assert_memory_equal(items->weights, good, sizeof good);
    assert_string_equal(items->weight_column, "w");
    smerf_items_free(items);
}

/* They go into the same JSON as the names of features. */
static void names_of_columns_that_are_no_features_are_utf8_too(void **state) {
    (void)state;
    const smerf_column column = number("x", one_two_three);
    const char *const ids[3] = {"a", "b", "\xff bytes are fine in an id"}, *const ignored[1] = {"caf\xe9"};
    smerf_items *items = make(&column, 1, 3);
    smerf_error error;
    assert_int_equal(smerf_items_set_ids(items, "caf\xe9", ids, &error), SMERF_BAD_INPUT);
    assert_int_equal(smerf_items_set_weights(items, "caf\xe9", one_two_three, &error), SMERF_BAD_INPUT);
    assert_int_equal(smerf_items_set_ignored(items, ignored, 1, &error), SMERF_BAD_INPUT);
    smerf_items_free(items);
}

static void freeing_nothing_is_fine(void **state) {
    (void)state;
    smerf_items_free(NULL);
    smerf_target_free(NULL);
    smerf_model_free(NULL);
}

/* ---- levels ---- */

static void levels_are_sorted_bytewise_whatever_their_order(void **state) {
    (void)state;
    static const char *const sorted[6] = {"", "Zebra", "a", "ab", "abc", "\xc3\xa9"};
    static const uint32_t orders[4][6] = {
        {0, 1, 2, 3, 4, 5}, {5, 4, 3, 2, 1, 0}, {3, 0, 5, 1, 4, 2}, {2, 5, 0, 3, 1, 4}};
    for (size_t o = 0; o < 4; o++) {
        const char *levels[6];
        uint32_t codes[7] = {SMERF_MISSING};
        for (uint32_t k = 0; k < 6; k++) {
            levels[k] = sorted[orders[o][k]];
            codes[1 + orders[o][k]] = k; /* row 1 + l always has the level sorted[l] */
        }
        const smerf_column column = category("c", codes, levels, 6);
        smerf_items *items = make(&column, 1, 7);
        assert_int_equal(items->codes[0][0], SMERF_MISSING);
        for (uint32_t l = 0; l < 6; l++) {
            assert_string_equal(items->features.feature[0].levels.text[l], sorted[l]);
            assert_int_equal(items->codes[0][1 + l], l);
        }
        smerf_items_free(items);
    }
}

static void codes_and_levels_are_copied(void **state) {
    (void)state;
    char name[] = "colour", level[] = "red";
    const char *levels[2] = {level, "blue"};
    uint32_t codes[2] = {0, 1};
    const smerf_column column = category(name, codes, levels, 2);
    smerf_items *items = make(&column, 1, 2);
    strcpy(name, "??");
    strcpy(level, "??");
    codes[0] = 7;
    assert_string_equal(items->features.feature[0].name, "colour");
    assert_string_equal(items->features.feature[0].levels.text[1], "red");
    assert_int_equal(items->codes[0][0], 1);
    smerf_items_free(items);
}

/* ---- matching ---- */

static smerf_items *training_items(void) {
    static const double x[3] = {1, -0.0, NAN}, y[3] = {4, 5, 6};
    static const uint32_t codes[3] = {2, 0, SMERF_MISSING};
    const smerf_column columns[3] = {number("x", x), category("c", codes, three_levels, 3), number("y", y)};
    return make(columns, 3, 3);
}

static sm_view match(const smerf_items *known, const smerf_items *items) {
    sm_view view;
    smerf_error error;
    if (sm_view_match(&view, &known->features, items, &error) != SMERF_OK) fail_msg("%s", error.message);
    return view;
}

/* Other order, other numbering, a column that training did not have, a level that it never saw. */
static void features_are_matched_by_name(void **state) {
    (void)state;
    const double x[4] = {10, 20, 30, 40}, y[4] = {1, 2, 3, 4}, more[4] = {0};
    const char *const levels[3] = {"blue", "pink", "red"};
    const uint32_t codes[4] = {2, 1, 0, SMERF_MISSING};
    const smerf_column columns[4] = {number("y", y), number("more", more), category("c", codes, levels, 3),
                                     number("x", x)};
    smerf_items *known = training_items(), *items = make(columns, 4, 4);
    sm_view view = match(known, items);
    assert_true(view.n_items == 4 && view.n_features == 3);
    assert_ptr_equal(view.numbers[0].doubles, x);
    assert_ptr_equal(view.numbers[2].doubles, y);
    assert_true(!sm_are_numbers(&view.numbers[1]) && view.codes[0] == NULL && view.codes[2] == NULL);
    const uint32_t expected[4] = {2, SMERF_MISSING, 0, SMERF_MISSING}; /* of blue, green, red */
    assert_memory_equal(view.codes[1], expected, sizeof expected);
    sm_view_free(&view);
    smerf_items_free(items);
    smerf_items_free(known);
}

/* Doubles and floats, one after the other and in a row-major table: every form of the same numbers is the same. */
static void numbers_are_read_where_they_lie(void **state) {
    (void)state;
    const double x[3] = {1.5, NAN, -0.25}, y[3] = {4, 5, 6}, table[6] = {1.5, 4, NAN, 5, -0.25, 6};
    const float x_floats[3] = {1.5F, NAN, -0.25F}, floats[6] = {1.5F, 4, NAN, 5, -0.25F, 6};
    const smerf_column forms[3][2] = {
        {number("x", x), number("y", y)},
        {{.name = "x", .floats = x_floats}, {.name = "y", .values = table + 1, .step = 2}},
        {{.name = "x", .floats = floats, .step = 2}, {.name = "y", .floats = floats + 1, .step = 2}}};
    const uint32_t both[2] = {0, 1}, rows[3] = {0, 1, 2};
    const int8_t weights[2] = {-1, 1};
    const sm_projection sum = {.n_terms = 2, .feature = both, .weight = weights};
    uint64_t expected[3], hashes[3];
    for (size_t form = 0; form < 3; form++) {
        smerf_items *items = make(forms[form], 2, 3), *taken = NULL;
        sm_view view = match(items, items);
        double sums[3];
        sm_view_project_all(&view, &sum, rows, 3, sums);
        assert_true(sums[0] == 2.5 && isnan(sums[1]) && sums[2] == 6.25);
        for (size_t i = 0; i < 3; i++) assert_true(sm_number_at(&view.numbers[1], i) == y[i]);
        sm_view_hash(&view, &items->features, 0, 3, form == 0 ? expected : hashes);
        if (form > 0) assert_memory_equal(hashes, expected, sizeof expected);
        assert_int_equal(smerf_items_take(items, rows + 2, 1, &taken, NULL), SMERF_OK);
        assert_true(sm_number_at(&taken->numbers[0], 0) == -0.25 && sm_number_at(&taken->numbers[1], 0) == 6);
        smerf_items_free(taken);
        sm_view_free(&view);
        smerf_items_free(items);
    }
    const float bad[4] = {1, 2, 3, INFINITY};
    const smerf_column columns[1] = {{.name = "x", .floats = bad + 1, .step = 2}};
    assert_refused(columns, 1, 2, "column 'x', row 1: an infinity; values are finite or missing", 1, 0);
}

static void assert_no_match(const smerf_column *columns, size_t n_columns, const char *sentence) {
    smerf_items *known = training_items(), *items = make(columns, n_columns, 3);
    sm_view view;
    smerf_error error;
    assert_int_equal(sm_view_match(&view, &known->features, items, &error), SMERF_BAD_INPUT);
    assert_string_equal(error.message, sentence);
    smerf_items_free(items);
    smerf_items_free(known);
}

static void a_column_that_is_missing_is_named(void **state) {
    (void)state;
    const smerf_column columns[2] = {number("x", one_two_three), category("c", codes_012, three_levels, 3)};
    assert_no_match(columns, 2, "there is no column 'y', which the model was trained on");
}

static void a_column_of_the_other_kind_is_refused(void **state) {
    (void)state;
    smerf_column columns[3] = {number("x", one_two_three), number("c", one_two_three), number("y", one_two_three)};
    assert_no_match(columns, 3, "column 'c' holds numbers, and the model was trained on categories");
    columns[0] = category("x", codes_012, three_levels, 3);
    columns[1] = category("c", codes_012, three_levels, 3);
    assert_no_match(columns, 3, "column 'x' holds categories, and the model was trained on numbers");
}

/* ---- hashes ---- */

static void hash(const smerf_items *known, const smerf_items *items, uint64_t *hashes) {
    sm_view view = match(known, items);
    sm_view_hash(&view, &known->features, 0, view.n_items, hashes);
    sm_view_free(&view);
}

/* The same three items as training_items gives, from another file. */
static void equal_items_have_equal_hashes_whatever_their_file(void **state) {
    (void)state;
    uint64_t odd_bits = 0xfff8123412341234u, expected[3], found[3];
    double odd_nan;
    memcpy(&odd_nan, &odd_bits, sizeof odd_nan);
    assert_true(isnan(odd_nan));
    const double x[3] = {1, 0, odd_nan}, y[3] = {4, 5, 6}, more[3] = {7, 8, 9};
    const char *const levels[4] = {"unused", "red", "green", "blue"};
    const uint32_t codes[3] = {3, 1, SMERF_MISSING};
    const smerf_column columns[4] = {category("c", codes, levels, 4), number("y", y), number("more", more),
                                     number("x", x)};
    smerf_items *known = training_items(), *items = make(columns, 4, 3);
    hash(known, known, expected);
    hash(known, items, found);
    assert_memory_equal(found, expected, sizeof found);
    smerf_items_free(items);
    smerf_items_free(known);
}

static void items_that_differ_anywhere_have_other_hashes(void **state) {
    (void)state;
    const double x[6] = {1, 1, 1, 1, 2, NAN}, y[6] = {2, 2, 2, 2, 1, 2};
    const char *const levels[3] = {"", "a", "b"};
    const uint32_t codes[6] = {1, 2, SMERF_MISSING, 0, 1, 1}; /* an empty text is not a missing one */
    const smerf_column columns[3] = {number("x", x), number("y", y), category("c", codes, levels, 3)};
    smerf_items *items = make(columns, 3, 6);
    uint64_t hashes[6];
    hash(items, items, hashes);
    for (size_t a = 0; a < 6; a++)
        for (size_t b = 0; b < a; b++) assert_true(hashes[a] != hashes[b]);
    smerf_items_free(items);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_no_data),
        cmocka_unit_test(more_items_than_numbers_for_them_are_refused),
        cmocka_unit_test(two_columns_of_one_name_are_refused),
        cmocka_unit_test(an_infinity_is_refused_with_its_cell),
        cmocka_unit_test(a_code_without_a_level_is_refused_with_its_cell),
        cmocka_unit_test(a_level_listed_twice_is_refused),
        cmocka_unit_test(names_that_are_not_utf8_are_refused),
        cmocka_unit_test(a_category_may_have_no_levels_at_all),
        cmocka_unit_test(ids_are_copied_and_must_differ),
        cmocka_unit_test(weights_are_finite_and_positive),
        cmocka_unit_test(names_of_columns_that_are_no_features_are_utf8_too),
        cmocka_unit_test(freeing_nothing_is_fine),
        cmocka_unit_test(levels_are_sorted_bytewise_whatever_their_order),
        cmocka_unit_test(codes_and_levels_are_copied),
        cmocka_unit_test(features_are_matched_by_name),
        cmocka_unit_test(numbers_are_read_where_they_lie),
        cmocka_unit_test(a_column_that_is_missing_is_named),
        cmocka_unit_test(a_column_of_the_other_kind_is_refused),
        cmocka_unit_test(equal_items_have_equal_hashes_whatever_their_file),
        cmocka_unit_test(items_that_differ_anywhere_have_other_hashes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
