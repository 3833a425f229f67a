/* test_pairs.c - lists of pairs: ids in the first two columns. */
#include "tests/unit/files.h"

#include "io/pairs.h"

static const sm_matrix_side five = {.n = 5};

static void assert_pairs(const char *text, const sm_matrix_side *rows, const sm_matrix_side *columns, size_t n,
                         const uint32_t (*expected)[2]) {
    sm_pairs pairs;
    smerf_error error;
    write_text("p.csv", text);
    if (sm_pairs_read("p.csv", rows, columns, &pairs, &error) != SMERF_OK) fail_msg("%s", error.message);
    assert_int_equal(pairs.n, n);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(pairs.left[i], expected[i][0]);
        assert_int_equal(pairs.right[i], expected[i][1]);
    }
    sm_pairs_free(&pairs);
    sm_pairs_free(&pairs); /* a second time does no harm */
}

static void assert_refused(const char *text, const sm_matrix_side *rows, const char *start, const char *words) {
    sm_pairs pairs;
    smerf_error error;
    write_text("p.csv", text);
    assert_int_equal(sm_pairs_read("p.csv", rows, rows, &pairs, &error), SMERF_BAD_INPUT);
    assert_says(&error, start, words);
    assert_true(pairs.left == NULL && pairs.right == NULL);
}

static void ids_are_matched_as_text(void **state) {
    (void)state;
    char *left[] = {"a", "07", "x y"}, *right[] = {"x y", "b"};
    const sm_matrix_side rows = {3, left}, columns = {2, right};
    assert_pairs("i,j\na,b\n07,\"x y\"\nx y,b\n", &rows, &columns, 3, (const uint32_t[][2]){{0, 1}, {1, 0}, {2, 1}});
}

static void items_without_ids_are_numbers(void **state) {
    (void)state;
    assert_pairs("i;j\r\n0;4\r\n3;3\r\n4;0", &five, &five, 3, (const uint32_t[][2]){{0, 4}, {3, 3}, {4, 0}});
}

static void further_columns_are_ignored(void **state) {
    (void)state;
    assert_pairs("i,j,distance,note\n0,1,inf,\"a,b\"\n2,3,,\n", &five, &five, 2, (const uint32_t[][2]){{0, 1}, {2, 3}});
}

static void a_header_without_pairs_is_an_empty_list(void **state) {
    (void)state;
    assert_pairs("i,j\n", &five, &five, 0, NULL);
}

static void letters_may_be_names_and_ids(void **state) {
    (void)state;
    char *ids[] = {"i", "j"};
    const sm_matrix_side side = {2, ids};
    assert_pairs("i,j\nj,i\n", &side, &side, 1, (const uint32_t[][2]){{1, 0}});
}

static void an_unknown_id_is_refused_with_its_place(void **state) {
    (void)state;
    assert_refused("i,j\n0,1\n2,5\n", &five, "p.csv:3:3: ", "no item has the id \"5\"");
    assert_refused("i,j\n,1\n", &five, "p.csv:2:1: ", "no item has the id \"\"");
    assert_refused("i,j\n0, 1\n", &five, "p.csv:2:3: ", "\" 1\"");
    char *ids[] = {"caf\xC3\xA9"};
    const sm_matrix_side side = {1, ids};
    assert_refused("i,j\ncaf\xC3\xA9,cafe\n", &side, "p.csv:2:6: ", "\"cafe\"");
}

static void other_shapes_are_refused(void **state) {
    (void)state;
    assert_refused("", &five, "p.csv:1:1: ", "empty");
    assert_refused("i\n0\n", &five, "p.csv:1:1: ", "two with ids");
    assert_refused("i,j,d\n0,1\n", &five, "p.csv:2:3: ", "fewer cells than the header, which has 3");
    assert_refused("i,j\n0,1,2\n", &five, "p.csv:2:3: ", "more cells");
    assert_refused("i,j\n0\n", &five, "p.csv:2:1: ", "fewer");
    assert_refused("0,1\n2,3\n", &five, "p.csv:1:1: the first line is a pair", "header");
    assert_refused("i,j\n\"0\n", &five, "p.csv:2:1: ", "never closed");
}

static void a_list_that_cannot_be_opened_is_an_io_error(void **state) {
    (void)state;
    sm_pairs pairs;
    smerf_error error;
    assert_int_equal(sm_pairs_read("absent.csv", &five, &five, &pairs, &error), SMERF_IO);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ids_are_matched_as_text),      cmocka_unit_test(items_without_ids_are_numbers),
        cmocka_unit_test(further_columns_are_ignored),  cmocka_unit_test(a_header_without_pairs_is_an_empty_list),
        cmocka_unit_test(letters_may_be_names_and_ids), cmocka_unit_test(an_unknown_id_is_refused_with_its_place),
        cmocka_unit_test(other_shapes_are_refused),     cmocka_unit_test(a_list_that_cannot_be_opened_is_an_io_error),
    };
    return cmocka_run_group_tests(tests, files_enter, files_leave);
}
