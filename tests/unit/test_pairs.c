/* test_pairs.c - lists of pairs: ids in the first two columns, numbers in others. */
#include "tests/unit/files.h"

#include <math.h>
#include <sys/stat.h>

#include "io/pairs/pairs.h"

static const sm_matrix_side five = {.n = 5};

static void assert_pairs(const char *text, const sm_matrix_side *rows, const sm_matrix_side *columns, size_t n,
                         const uint32_t (*expected)[2]) {
    sm_pairs pairs;
    smerf_error error;
    write_text("p.csv", text);
    if (sm_pairs_read("p.csv", &(sm_pairs_spec){.rows = *rows, .columns = *columns}, &pairs, &error) != SMERF_OK)
        fail_msg("%s", error.message);
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
    assert_int_equal(sm_pairs_read("p.csv", &(sm_pairs_spec){.rows = *rows, .columns = *rows}, &pairs, &error),
                     SMERF_BAD_INPUT);
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

static void an_unknown_id_is_refused_with_its_position(void **state) {
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
    assert_refused("i,j,distance\n0,1\n", &five, "p.csv:2:3: ", "fewer cells than the header, which has 3");
    assert_refused("i,j\n0,1,2\n", &five, "p.csv:2:5: ", "more cells");
    assert_refused("i,j\n0\n", &five, "p.csv:2:1: ", "fewer");
    assert_refused("0,1\n2,3\n", &five, "p.csv:1:1: the first line is a pair", "header");
    assert_refused("i,j\n\"0\n", &five, "p.csv:2:1: ", "never closed");
}

static void an_unknown_id_is_reported_before_what_comes_after_it(void **state) {
    (void)state;
    assert_refused("i,j\n0,1\n7,2\n\"", &five, "p.csv:3:1: ", "no item has the id \"7\"");
    assert_refused("i,j\n0,1\n7\n", &five, "p.csv:3:1: ", "fewer"); /* in a cell: its shape first */
    assert_refused("i,j,distance\n8,9,\"x\"y\n", &five, "p.csv:2:1: ", "\"8\"");
}

static void ids_with_quotes_inside_are_found(void **state) {
    (void)state;
    char *ids[] = {"a\"b", "\"", "c", "a\"\"b"};
    const sm_matrix_side side = {4, ids};
    assert_pairs("i,j\n\"a\"\"b\",\"\"\"\"\nc,\"a\"\"\"\"b\"\n\"\"\"\",\"c\"\n", &side, &side, 3,
                 (const uint32_t[][2]){{0, 1}, {2, 3}, {1, 2}});
    assert_refused("i,j\nc,\"a\"\"\"\n", &side, "p.csv:2:3: ", "no item has the id \"a\"\"");
}

/* ---- Pairs with numbers ---- */

static const sm_pairs_spec five_spec = {.rows = {.n = 5}, .is_square = true, .largest = NAN};

typedef struct rated {
    uint32_t left, right;
    double value, weight;
} rated;

static sm_pairs read_values(const char *text, const sm_pairs_spec *spec) {
    sm_pairs pairs;
    smerf_error error;
    write_text("p.csv", text);
    if (sm_pairs_read_values("p.csv", spec, &pairs, &error) != SMERF_OK) fail_msg("%s", error.message);
    assert_non_null(pairs.value);
    return pairs;
}

static void assert_values(const char *text, const sm_pairs_spec *spec, size_t n, const rated *expected) {
    sm_pairs pairs = read_values(text, spec);
    assert_int_equal(pairs.n, n);
    for (size_t k = 0; k < n; k++) {
        assert_true(pairs.left[k] == expected[k].left && pairs.right[k] == expected[k].right);
        assert_true(pairs.value[k] == expected[k].value);
        assert_true(pairs.weight == NULL ? expected[k].weight == 0 : pairs.weight[k] == expected[k].weight);
    }
    sm_pairs_free(&pairs);
}

static void assert_refused_values(const char *text, const sm_pairs_spec *spec, const char *start, const char *words) {
    sm_pairs pairs;
    smerf_error error;
    write_text("p.csv", text);
    assert_int_equal(sm_pairs_read_values("p.csv", spec, &pairs, &error), SMERF_BAD_INPUT);
    assert_says(&error, start, words);
    assert_true(pairs.left == NULL && pairs.value == NULL && pairs.weight == NULL && pairs.row == NULL);
    assert_int_equal(sm_pairs_read_values("p.csv", spec, &pairs, NULL), SMERF_BAD_INPUT); /* nobody need listen */
}

static void the_value_is_called_by_what_it_is(void **state) {
    (void)state;
    const rated expected[] = {{0, 1, 2.5, 0}, {4, 4, -1, 0}, {1, 0, 7, 0}};
    assert_values("i,j,distance\n0,1,2.5\n4,4,-1\n1,0,7\n", &five_spec, 3, expected);
    assert_values("a;b;Dissimilarity\r\n0;1; 2.5 \r\n4;4;\"-1\"\r\n1;0;7", &five_spec, 3, expected);
    assert_values("i,j,note,distance,more\n0,1,x,2.5,\n4,4,,-1,inf\n1,0,\"y,z\",7,1\n", &five_spec, 3, expected);
    assert_values("DISTANCE,a,b\n2.5,0,1\n-1,4,4\n7,1,0\n", &five_spec, 3, expected);
    assert_values("i,j,distance\n", &five_spec, 0, NULL);
}

static void weights_stand_in_a_column_called_weight(void **state) {
    (void)state;
    const rated expected[] = {{0, 1, 2.5, 1}, {3, 2, 0, 1e-300}};
    assert_values("i,j,weight,distance\n0,1,1,2.5\n3,2,1e-300,0\n", &five_spec, 2, expected);
    assert_values("i,j,distance,Weight\n0,1,2.5,1\n3,2,0,1e-300\n", &five_spec, 2, expected);
    assert_values("i,j,x,distance,y,weight\n0,1,,2.5,,1\n3,2,,0,, 1e-300 \n", &five_spec, 2, expected);
    static const char *const wrong[] = {"0", "-1", "-0.0", "\"0\""};
    for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++) {
        char text[64];
        snprintf(text, sizeof text, "i,j,distance,Weight\n0,1,1,1\n0,2,1,%s\n", wrong[k]);
        assert_refused_values(text, &five_spec, "p.csv:3:7: the weight of a pair must be a number > 0", "");
    }
    assert_refused_values("i,j,distance,Weight\n0,1,1,\n", &five_spec,
                          "p.csv:2:7: a missing weight; every pair needs one", "");
    assert_refused_values("i,j,distance,Weight\n0,1,1,inf\n", &five_spec, "p.csv:2:7: an infinite weight", "finite");
    assert_refused_values("i,j,weight,distance\n0,1,heavy,1\n", &five_spec, "p.csv:2:5: \"heavy\" is no number", "");
}

static void the_spec_may_name_the_value(void **state) {
    (void)state;
    sm_pairs_spec spec = five_spec;
    spec.value_column = "b";
    assert_refused_values("i,j,b\n0,1,1\n", &spec, "p.csv:1:1: column \"b\" may hold distances or similarities",
                          "--value-is distance or --value-is similarity");
    spec.value_kind = SM_DISTANCES;
    assert_values("i,j,a,b,distance\n0,1,1,2,3\n", &spec, 1, (const rated[]){{0, 1, 2, 0}});
    assert_values("i,j,weight,b\n0,1,1,2\n", &spec, 1, (const rated[]){{0, 1, 2, 1}});
    assert_refused_values("i,j,a\n0,1,1\n", &spec, "p.csv:1:1: there is no column \"b\"", "the columns are i, j, a");
    assert_values("b,i,j\n2,0,1\n", &spec, 1, (const rated[]){{0, 1, 2, 0}});
    spec.value_kind = SM_SIMILARITIES;
    assert_values("i,j,b\n0,1,0.25\n", &spec, 1, (const rated[]){{0, 1, 0.75, 0}});
    spec.value_column = NULL; /* the only other one */
    assert_values("i,j,b\n0,1,0.25\n", &spec, 1, (const rated[]){{0, 1, 0.75, 0}});
    spec.value_kind = SM_BY_ITS_NAME;
    spec.value_column = "b";
    spec.value_kind = SM_DISTANCES;
    assert_refused_values("i,j,b,b\n0,1,1,1\n", &spec, "p.csv:1:7: a second column is called \"b\"", "");
    spec.value_column = "weight";
    assert_values("i,j,weight\n0,1,-2\n", &spec, 1, (const rated[]){{0, 1, -2, 0}});
    spec.value_kind = SM_BY_ITS_NAME;
    spec.value_column = "similarity";
    assert_values("i,j,distance,similarity\n0,1,5,0.25\n", &spec, 1, (const rated[]){{0, 1, 0.75, 0}});
    spec.value_column = "distance";
    assert_values("i,j,distance,similarity\n0,1,5,0.25\n", &spec, 1, (const rated[]){{0, 1, 5, 0}});
}

static void an_unclear_value_is_refused(void **state) {
    (void)state;
    assert_refused_values("i,j,distance,similarity\n0,1,1,1\n", &five_spec,
                          "p.csv:1:1: there are columns distance and similarity", "--value");
    assert_refused_values("i,j,Similarity,dissimilarity\n0,1,1,1\n", &five_spec,
                          "p.csv:1:1: there are columns dissimilarity and similarity", "--value");
    assert_refused_values("i,j,distance,Distance\n0,1,1,1\n", &five_spec, "p.csv:1:14: a second column", "distance");
    assert_refused_values("i,j,rating\n0,1,1\n", &five_spec, "p.csv:1:1: column rating beside the ids is not called",
                          "--value rating --value-is distance (or similarity)");
    assert_refused_values("i,j,\n0,1,1\n", &five_spec, "p.csv:1:1: the column beside the ids has no name",
                          "similarity");
    assert_refused_values("i,j\n0,1\n", &five_spec, "p.csv:1:1: there is no column with numbers", "each pair needs");
    assert_refused_values("i,j,weight\n0,1,1\n", &five_spec, "p.csv:1:1: there is no column with numbers", "");
    assert_refused_values("i,j,a,b\n0,1,1,1\n", &five_spec, "p.csv:1:1: of the columns a, b none is called",
                          "distance");
    assert_refused_values("i,j,distance,distance\n0,1,1,1\n", &five_spec, "p.csv:1:14: a second column", "different");
    assert_refused_values("i,j,distance,weight,Weight\n0,1,1,1,1\n", &five_spec, "p.csv:1:21: a second column",
                          "\"weight\"");
    assert_refused_values("0,1,0.5\n2,3,1\n", &five_spec, "p.csv:1:1: the first line is a pair", "header");
}

static void values_are_finite_numbers(void **state) {
    (void)state;
    static const char *const missing[] = {"", "NA", "nan", "\"\""};
    for (size_t k = 0; k < sizeof missing / sizeof missing[0]; k++) {
        char text[64];
        snprintf(text, sizeof text, "i,j,distance\n0,1,1\n\n0,2,%s\n", missing[k]);
        assert_refused_values(text, &five_spec, "p.csv:4:5: a missing distance; every pair needs one", "");
    }
    assert_refused_values("i,j,similarity\n0,1,\n", &five_spec, "p.csv:2:5: a missing similarity", "");
    assert_refused_values("i,j,distance\n0,1,-inf\n", &five_spec, "p.csv:2:5: an infinite distance; it must be finite",
                          "");
    assert_refused_values("i,j,distance\n0,1,1e999\n", &five_spec, "p.csv:2:5: an infinite distance", "");
    assert_refused_values("i,j,distance\n0,1,1.5x\n", &five_spec, "p.csv:2:5: \"1.5x\" is no number", "");
    assert_refused_values("i,j,distance\n0,1\n", &five_spec, "p.csv:2:3: ", "fewer cells");
    assert_refused_values("i,j,distance\n0,1,2,3\n", &five_spec, "p.csv:2:7: ", "more cells");
    assert_refused_values("i,j,distance\n0,5,x\n", &five_spec, "p.csv:2:3: no item has the id \"5\"", "");
}

static void similarities_become_distances(void **state) {
    (void)state;
    sm_pairs pairs = read_values("i,j,similarity\n0,1,0.25\n1,2,-1\n", &five_spec);
    assert_true(pairs.are_similarities && pairs.largest == 1 && pairs.value[0] == 0.75 && pairs.value[1] == 2);
    sm_pairs_free(&pairs);
    pairs = read_values("i,j,similarity\n0,1,5\n1,2,0.5\n2,2,7\n", &five_spec);
    assert_true(pairs.largest == 7 && pairs.value[0] == 2 && pairs.value[1] == 6.5 && pairs.value[2] == 0);
    sm_pairs_free(&pairs);
    sm_pairs_spec spec = five_spec;
    spec.largest = 10;
    pairs = read_values("i,j,similarity\n0,1,12\n", &spec);
    assert_true(pairs.largest == 10 && pairs.value[0] == -2);
    sm_pairs_free(&pairs);
    pairs = read_values("i,j,distance\n0,1,12\n", &spec);
    assert_true(!pairs.are_similarities && pairs.value[0] == 12);
    sm_pairs_free(&pairs);
    assert_refused_values("i,j,similarity\n0,1,1e308\n0,2,-1e308\n", &five_spec, "p.csv:3:1: ", "too far");
}

static void a_similarity_is_one_in_any_case(void **state) {
    (void)state;
    static const char *const names_of_it[] = {"similarity", "Similarity", "SIMILARITY"};
    for (size_t k = 0; k < 3; k++) {
        char text[64];
        snprintf(text, sizeof text, "i,j,%s,count\n0,1,0.25,9\n", names_of_it[k]);
        sm_pairs pairs = read_values(text, &five_spec);
        assert_true(pairs.are_similarities && pairs.value[0] == 0.75);
        assert_string_equal(pairs.columns.value, names_of_it[k]);
        assert_string_equal(pairs.columns.unused, "count");
        sm_pairs_free(&pairs);
    }
}

static void ids_may_stand_anywhere(void **state) {
    (void)state;
    const rated expected[] = {{3, 1, 2.5, 2}};
    assert_values("Weight,distance,a,note,b\n2,2.5,3,1,4\n", &five_spec, 1, (const rated[]){{3, 1, 2.5, 2}});
    assert_values("distance,a,weight,b\n2.5,3,2,1\n", &five_spec, 1, expected);
    assert_values("\"\",i,j,distance,weight\n1,3,1,2.5,2\n", &five_spec, 1, expected); /* R's row names */
    assert_values(",j,distance,weight\n3,1,2.5,2\n", &five_spec, 1, expected);
    assert_values("\"i\",\"j\",\"distance\",\"weight\"\n\"1\",3,1,2.5,2\n", &five_spec, 1, expected);
    assert_refused_values("\"\",0,1\n1,2,3\n", &five_spec, "p.csv:1:1: the first line is a pair", "header");
    assert_refused_values(",i,j,rating\n1,3,1,2\n", &five_spec, "p.csv:1:1: column rating beside the ids",
                          "--value rating");
    assert_refused_values("distance,a\n1,0\n", &five_spec, "p.csv:1:1: one column that may hold ids", "--pair-columns");
    assert_refused_values("distance,weight\n1,0\n", &five_spec, "p.csv:1:1: no column that may hold ids", "");
    sm_pairs_spec spec = five_spec;
    spec.id_columns[0] = "b";
    spec.id_columns[1] = "a";
    assert_values("a,weight,distance,b\n1,2,2.5,3\n", &spec, 1, expected);
    assert_refused_values("a,distance\n1,2\n", &spec, "p.csv:1:1: there is no column \"b\"", "a, distance");
    assert_refused_values("a,b,b,distance\n1,2,3,4\n", &spec, "p.csv:1:5: a second column is called \"b\"", "");
    spec.value_column = "b";
    spec.value_kind = SM_DISTANCES;
    assert_refused_values("a,b,c\n1,2,3\n", &spec, "p.csv:1:1: column \"b\" can be one thing only", "");
}

static void many_columns_are_listed_in_part(void **state) {
    (void)state;
    char text[4096] = "i,j,distance";
    for (int c = 0; c < 60; c++) strcat(text, ",a rather long name");
    strcat(text, "\n0,1,2");
    for (int c = 0; c < 60; c++) strcat(text, ",x");
    sm_pairs pairs = read_values(text, &five_spec);
    size_t n = strlen(pairs.columns.unused);
    assert_true(n < sizeof pairs.columns.unused && strcmp(pairs.columns.unused + n - 5, ", ...") == 0);
    assert_int_equal(pairs.n, 1);
    sm_pairs_free(&pairs);
}

static void judges_have_a_mean_for_each_pair(void **state) {
    (void)state;
    sm_pairs_spec spec = five_spec;
    smerf_error error;
    spec.judge_column = "who";
    const char *const text =
        "i,j,who,distance,weight\n0,1,ann,1,1\n2,1,bob,5,1\n1,0,bob,2,1\n0,1,ann,4,3\n0,1,cat,9,2\n";
    sm_pairs pairs = read_values(text, &spec);
    assert_true(pairs.n == 5 && pairs.n_judges == 3 && pairs.judge[3] == 0 && pairs.judge[4] == 2);
    assert_string_equal(pairs.judges[1], "bob");
    assert_int_equal(sm_pairs_fold_judges(&pairs, &error), SMERF_OK);
    const double value[] = {3.25, 2, 9, 5}, weight[] = {2, 1, 2, 1}; /* (1 + 3 * 4) / 4 */
    const uint32_t judge[] = {0, 1, 2, 1};
    const size_t row[] = {0, 2, 4, 1};
    assert_int_equal(pairs.n, 4);
    assert_memory_equal(pairs.value, value, sizeof value);
    assert_memory_equal(pairs.weight, weight, sizeof weight);
    assert_memory_equal(pairs.judge, judge, sizeof judge);
    assert_memory_equal(pairs.row, row, sizeof row);
    sm_pairs_free(&pairs);
    assert_refused_values("i,j,who,distance\n0,1,,1\n", &spec, "p.csv:2:5: a missing judge; every pair needs one", "");
    assert_refused_values("i,j,who,distance\n0,1, NA ,1\n", &spec, "p.csv:2:5: a missing judge", "");
    assert_refused_values("i,j,distance\n0,1,1\n", &spec, "p.csv:1:1: there is no column \"who\"", "i, j, distance");
}

static void observed_pairs_are_ids_alone(void **state) {
    (void)state;
    sm_pairs pairs;
    smerf_error error;
    write_text("p.csv", "a,b,distance\n0,1,x\n3,3,\n1,0,\n");
    assert_int_equal(sm_pairs_read_observed("p.csv", &five_spec, &pairs, &error), SMERF_OK);
    assert_true(pairs.n == 3 && pairs.value == NULL && pairs.weight == NULL && pairs.row == NULL);
    assert_true(pairs.left[1] == 3 && pairs.right[1] == 3 && pairs.left[2] == 1 && pairs.right[2] == 0);
    sm_pairs_free(&pairs);
    write_text("p.csv", "a,b\n0,9\n");
    assert_int_equal(sm_pairs_read_observed("p.csv", &five_spec, &pairs, &error), SMERF_BAD_INPUT);
    assert_says(&error, "p.csv:2:3: no item has the id \"9\"", "");
}

/* ---- Pairs between two sets ---- */

static char *left_ids[] = {"a", "b", "c"}, *right_ids[] = {"c", "d", "a", "e"};
static const sm_pairs_spec two_sets = {.rows = {3, left_ids}, .columns = {4, right_ids}, .largest = NAN};

static void pairs_between_two_sets_are_found_either_way_round(void **state) {
    (void)state;
    /* d,a is (a, d); a,c is (a, c) and (c, a); a,a is one; b,b and d,e are in one set and left out */
    sm_pairs pairs = read_values("i,j,distance\nd,a,1\na,c,2\na,a,3\nb,b,4\nd,e,5\nb,e,6\n", &two_sets);
    const uint32_t left[] = {0, 0, 2, 0, 1}, right[] = {3 + 1, 3 + 0, 3 + 2, 3 + 2, 3 + 3};
    const double value[] = {1, 2, 2, 3, 6};
    const size_t row[] = {0, 1, 1, 2, 5};
    assert_int_equal(pairs.n, 5);
    assert_memory_equal(pairs.left, left, sizeof left);
    assert_memory_equal(pairs.right, right, sizeof right);
    assert_memory_equal(pairs.value, value, sizeof value);
    assert_memory_equal(pairs.row, row, sizeof row);
    sm_pairs_free(&pairs);
    assert_refused_values("i,j,distance\na,d,1\na,x,2\n", &two_sets, "p.csv:3:3: no item has the id \"x\"", "");
    assert_refused_values("i,j,distance\nb,b,\n", &two_sets, "p.csv:2:5: a missing distance",
                          ""); /* also if left out */
    assert_refused_values("e,b,distance\na,d,1\n", &two_sets, "p.csv:1:1: the first line is a pair", "");
}

static void the_largest_similarity_is_that_of_the_file(void **state) {
    (void)state;
    sm_pairs pairs = read_values("i,j,similarity\na,d,2\nb,b,9\n", &two_sets);
    assert_true(pairs.n == 1 && pairs.largest == 9 && pairs.value[0] == 7);
    sm_pairs_free(&pairs);
}

static void two_sets_that_cannot_be_counted_are_refused(void **state) {
    (void)state;
    sm_pairs pairs;
    smerf_error error;
    const sm_pairs_spec spec = {.rows = {.n = UINT32_MAX - 5}, .columns = {.n = 5}};
    write_text("p.csv", "i,j,distance\n0,1,1\n");
    assert_int_equal(sm_pairs_read_values("p.csv", &spec, &pairs, &error), SMERF_BAD_INPUT);
    assert_says(&error, "more items", "32 bits");
}

/* ---- Many ---- */

enum { N_LEFT = 70, N_RIGHT = 50, N_LINES = 1000 };

static uint32_t row_of(char *const *ids, size_t n, const char *id) {
    for (uint32_t k = 0; k < n; k++)
        if (strcmp(ids[k], id) == 0) return k;
    return SMERF_MISSING;
}

/* Random lines, read in both ways, against the rules applied line by line. */
static void many_lines_are_read_as_one_by_one(void **state) {
    (void)state;
    static char names[N_LEFT + N_RIGHT][16];
    char *left[N_LEFT], *right[N_RIGHT];
    for (int k = 0; k < N_LEFT + N_RIGHT; k++) snprintf(names[k], sizeof names[k], k % 7 == 0 ? "n\"%d" : "n%d", k);
    for (int k = 0; k < N_LEFT; k++) left[k] = names[k];
    for (int k = 0; k < N_RIGHT; k++) right[k] = names[N_LEFT - 10 + k]; /* ten are in both */
    unsigned random = 12345;
    for (int is_square = 0; is_square < 2; is_square++) {
        static rated expected[2 * N_LINES];
        size_t n = 0;
        FILE *file = fopen("p.csv", "w");
        fputs("u,v,note,d,weight\n", file);
        for (int k = 0; k < N_LINES; k++) {
            const char *ids[2];
            for (int c = 0; c < 2; c++) {
                random = random * 1103515245 + 12345;
                ids[c] = names[(random >> 8) % (is_square ? N_LEFT : N_LEFT - 10 + N_RIGHT)];
                const char *quote = strchr(ids[c], '"');
                if (quote != NULL) fprintf(file, "\"n\"\"%s\",", quote + 1);
                if (quote == NULL) fprintf(file, k % 3 == 0 ? "\"%s\"," : "%s,", ids[c]);
            }
            fprintf(file, "x,%d,%d.5%s", k * 3, k, k % 11 == 0 ? "\r\n" : k % 5 == 0 ? "\n\n" : "\n");
            uint32_t u = row_of(left, N_LEFT, ids[0]), v = row_of(left, N_LEFT, ids[1]);
            uint32_t mirror_u = row_of(right, N_RIGHT, ids[0]), mirror_v = row_of(right, N_RIGHT, ids[1]);
            if (is_square) {
                expected[n++] = (rated){u, v, k * 3, k + 0.5};
                continue;
            }
            if (u != SMERF_MISSING && mirror_v != SMERF_MISSING)
                expected[n++] = (rated){u, N_LEFT + mirror_v, k * 3, k + 0.5};
            if (v != SMERF_MISSING && mirror_u != SMERF_MISSING && strcmp(ids[0], ids[1]) != 0)
                expected[n++] = (rated){v, N_LEFT + mirror_u, k * 3, k + 0.5};
        }
        fclose(file);
        const sm_pairs_spec spec = {.rows = {N_LEFT, left},
                                    .columns = {N_RIGHT, right},
                                    .is_square = is_square,
                                    .value_column = "d",
                                    .value_kind = SM_DISTANCES};
        sm_pairs pairs;
        smerf_error error;
        if (sm_pairs_read_values("p.csv", &spec, &pairs, &error) != SMERF_OK) fail_msg("%s", error.message);
        assert_true(n > N_LINES / 2 && pairs.n == n);
        for (size_t k = 0; k < n; k++) {
            assert_true(pairs.left[k] == expected[k].left && pairs.right[k] == expected[k].right);
            assert_true(pairs.value[k] == expected[k].value && pairs.weight[k] == expected[k].weight);
            assert_true(pairs.value[k] == 3 * (double)(pairs.row != NULL ? pairs.row[k] : k));
        }
        sm_pairs_free(&pairs);
    }
}

static void a_list_cut_anywhere_is_read_or_refused_in_one_line(void **state) {
    (void)state;
    static const char text[] = "\xEF\xBB\xBFi,\"j\",weight,similarity\r\na,\"d\",2,1e0\r\n\"c\",a,1,NA\r\n";
    for (size_t n = 0; n < sizeof text; n++) {
        sm_pairs pairs;
        smerf_error error;
        write_bytes("p.csv", text, n);
        if (sm_pairs_read_values("p.csv", &two_sets, &pairs, &error) != SMERF_OK) assert_says(&error, "p.csv:", ": ");
        sm_pairs_free(&pairs);
    }
}

/* ---- Places ---- */

static void assert_position(const char *path, size_t row, const char *message) {
    smerf_error error = {.status = SMERF_BAD_INPUT, .message = "it differs", .row = 7, .column = SMERF_NOWHERE};
    assert_int_equal(sm_pairs_position(path, row, &error), SMERF_BAD_INPUT);
    assert_string_equal(error.message, message);
    assert_true(error.status == SMERF_BAD_INPUT && error.row == 7);
}

static void a_complaint_about_a_row_gets_its_position(void **state) {
    (void)state;
    write_text("p.csv", "\n\"i\n\",j,d\n0,1,2\n\n\"3\n\",4,5\r\n6,7,8");
    assert_position("p.csv", 0, "p.csv:4:1: it differs");
    assert_position("p.csv", 1, "p.csv:6:1: it differs");
    assert_position("p.csv", 2, "p.csv:8:1: it differs");
    assert_position("p.csv", 3, "p.csv:8:6: it differs"); /* the end: another file than was read */
    assert_position("absent.csv", 0, "absent.csv: it differs");
    assert_position("-", 0, "standard input: it differs");
    assert_int_equal(mkfifo("pipe", 0600), 0);
    assert_position("pipe", 0, "pipe: it differs"); /* and nobody waits for a writer */
}

static void a_line_of_the_file_is_named_instead_of_an_entry_of_the_list(void **state) {
    (void)state;
    const smerf_error complaint = {.status = SMERF_BAD_INPUT, .message = "entry 7: it differs", .row = 7};
    smerf_error error = complaint;
    write_text("p.csv", "i,j\n0,1\n1,2\n");
    sm_pairs_position("p.csv", 1, &error);
    assert_string_equal(error.message, "p.csv:3:1: it differs");
    error = complaint;
    sm_pairs_position("-", 1, &error);
    assert_string_equal(error.message, "standard input: row 1: it differs");
    error = complaint;
    error.row = 8; /* the message is about something else */
    sm_pairs_position("p.csv", 1, &error);
    assert_string_equal(error.message, "p.csv:3:1: entry 7: it differs");
}

static void a_list_that_cannot_be_opened_is_an_io_error(void **state) {
    (void)state;
    sm_pairs pairs;
    smerf_error error;
    assert_int_equal(sm_pairs_read("absent.csv", &(sm_pairs_spec){.rows = five, .columns = five}, &pairs, &error),
                     SMERF_IO);
    assert_int_equal(sm_pairs_read_values("absent.csv", &five_spec, &pairs, &error), SMERF_IO);
    assert_int_equal(sm_pairs_read_observed("absent.csv", &five_spec, &pairs, &error), SMERF_IO);
    sm_pairs_free(&pairs);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ids_are_matched_as_text),
        cmocka_unit_test(items_without_ids_are_numbers),
        cmocka_unit_test(further_columns_are_ignored),
        cmocka_unit_test(a_header_without_pairs_is_an_empty_list),
        cmocka_unit_test(letters_may_be_names_and_ids),
        cmocka_unit_test(an_unknown_id_is_refused_with_its_position),
        cmocka_unit_test(other_shapes_are_refused),
        cmocka_unit_test(an_unknown_id_is_reported_before_what_comes_after_it),
        cmocka_unit_test(ids_with_quotes_inside_are_found),
        cmocka_unit_test(the_value_is_called_by_what_it_is),
        cmocka_unit_test(weights_stand_in_a_column_called_weight),
        cmocka_unit_test(the_spec_may_name_the_value),
        cmocka_unit_test(an_unclear_value_is_refused),
        cmocka_unit_test(values_are_finite_numbers),
        cmocka_unit_test(similarities_become_distances),
        cmocka_unit_test(observed_pairs_are_ids_alone),
        cmocka_unit_test(a_similarity_is_one_in_any_case),
        cmocka_unit_test(ids_may_stand_anywhere),
        cmocka_unit_test(many_columns_are_listed_in_part),
        cmocka_unit_test(judges_have_a_mean_for_each_pair),
        cmocka_unit_test(pairs_between_two_sets_are_found_either_way_round),
        cmocka_unit_test(the_largest_similarity_is_that_of_the_file),
        cmocka_unit_test(two_sets_that_cannot_be_counted_are_refused),
        cmocka_unit_test(many_lines_are_read_as_one_by_one),
        cmocka_unit_test(a_list_cut_anywhere_is_read_or_refused_in_one_line),
        cmocka_unit_test(a_complaint_about_a_row_gets_its_position),
        cmocka_unit_test(a_line_of_the_file_is_named_instead_of_an_entry_of_the_list),
        cmocka_unit_test(a_list_that_cannot_be_opened_is_an_io_error),
    };
    return cmocka_run_group_tests(tests, files_enter, files_leave);
}
