/* test_triplet_lines.c - lists of triplets: the columns by their names in any order and case, ids of all sorts, weights, other forms of text. */
#include "tests/unit/files.h"

#include "io/pairs/pairs.h"

static char *ids[] = {"a", "b", "x y", "say \"so\""};
static const sm_matrix_side named = {4, ids}, five = {.n = 5};

static sm_pairs read_list(const char *text, const sm_matrix_side *rows, const char *const *columns) {
    sm_pairs triplets;
    smerf_error error;
    sm_pairs_spec spec = {.rows = *rows, .is_square = true};
    for (size_t c = 0; c < 3 && columns != NULL; c++) spec.id_columns[c] = columns[c];
    write_text("t.csv", text);
    if (sm_triplets_read("t.csv", &spec, &triplets, &error) != SMERF_OK) fail_msg("%s", error.message);
    return triplets;
}

static void assert_line(const sm_pairs *triplets, size_t k, uint32_t first, uint32_t second, uint32_t third) {
    assert_true(k < triplets->n);
    assert_int_equal(triplets->left[k], first);
    assert_int_equal(triplets->right[k], second);
    assert_int_equal(triplets->third[k], third);
}

static void columns_are_found_by_name_in_any_case_and_order(void **state) {
    (void)state;
    sm_pairs found =
        read_list("note,FAR,weight,Near,anchor\nhi,a,2.5,b,x y\n,b,1,\"say \"\"so\"\"\",a\n", &named, NULL);
    assert_int_equal(found.n, 2);
    assert_line(&found, 0, 2, 1, 0);
    assert_line(&found, 1, 0, 3, 1);
    assert_true(found.weight[0] == 2.5 && found.weight[1] == 1);
    assert_false(found.is_odd_one_out);
    assert_string_equal(found.columns.ids[0], "anchor");
    assert_string_equal(found.columns.ids[2], "FAR");
    assert_string_equal(found.columns.weight, "weight");
    assert_string_equal(found.columns.unused, "note");
    sm_pairs_free(&found);
    assert_null(found.third);
}

static void the_odd_one_of_three_is_known_by_its_column(void **state) {
    (void)state;
    sm_pairs found = read_list("odd;B;a\n0;4;2\n", &five, NULL);
    assert_true(found.is_odd_one_out);
    assert_line(&found, 0, 2, 4, 0);
    assert_null(found.weight);
    sm_pairs_free(&found);
}

static void names_that_are_given_come_first(void **state) {
    static const char *const columns[] = {"odd", "weight", "b"};
    (void)state;
    sm_pairs found = read_list("anchor\tb\todd\tweight\n0\t1\t2\t3\n", &five, columns);
    assert_line(&found, 0, 2, 3, 1);
    assert_null(found.weight);
    assert_false(found.is_odd_one_out);
    assert_string_equal(found.columns.unused, "anchor");
    sm_pairs_free(&found);
}

static void blanks_row_names_and_decimal_commas_are_understood(void **state) {
    (void)state;
    sm_pairs found =
        read_list("\"anchor\" \"near\" \"far\" \"weight\"\n\"1\" 0 1 2 0,5\n\"2\" 3 4 0 1,25\n", &five, NULL);
    assert_line(&found, 0, 0, 1, 2);
    assert_line(&found, 1, 3, 4, 0);
    assert_true(found.weight[0] == 0.5 && found.weight[1] == 1.25);
    sm_pairs_free(&found);
}

static void a_header_alone_is_an_empty_list(void **state) {
    (void)state;
    sm_pairs found = read_list("anchor,near,far\n", &five, NULL);
    assert_int_equal(found.n, 0);
    sm_pairs_free(&found);
}

/* More than a batch of lines, with an unknown id at the end and an odd one before. */
static void positions_are_those_of_the_file(void **state) {
    (void)state;
    char text[4000] = "anchor,near,far\n";
    sm_pairs triplets;
    smerf_error error;
    const sm_pairs_spec spec = {.rows = five, .is_square = true};
    for (size_t k = 0; k < 150; k++) strcat(text, "0,1,2\n");
    strcat(text, "0,1,9\n");
    write_text("t.csv", text);
    assert_int_equal(sm_triplets_read("t.csv", &spec, &triplets, &error), SMERF_BAD_INPUT);
    assert_says(&error, "t.csv:152:5: ", "no item has the id \"9\"");
    assert_true(triplets.left == NULL && triplets.third == NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_are_found_by_name_in_any_case_and_order),
        cmocka_unit_test(the_odd_one_of_three_is_known_by_its_column),
        cmocka_unit_test(names_that_are_given_come_first),
        cmocka_unit_test(blanks_row_names_and_decimal_commas_are_understood),
        cmocka_unit_test(a_header_alone_is_an_empty_list),
        cmocka_unit_test(positions_are_those_of_the_file),
    };
    return cmocka_run_group_tests(tests, files_enter, files_leave);
}
