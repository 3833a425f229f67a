/* test_reader_memory.c - whichever allocation of a reader fails, it says so, keeps nothing and leaks nothing. */
#include "tests/unit/scarce_memory.h"

#include <math.h>

#include "io/pairs/pairs.h"
#include "io/text/table.h"

/* One reading of "in.txt"; frees what it got. */
typedef smerf_status reading(smerf_error *error);

static void fail_everywhere(reading *read, const char *what) {
    smerf_error error = {0};
    if (read(&error) != SMERF_OK) fail_msg("%s: %s", what, error.message);
    for (shortage lack = {.of = what}; shortage_starts(&lack, &error);) {
        smerf_status status = read(&error);
        shortage_ends(&lack, status, &error);
        if (status != SMERF_OK) assert_says(&error, "", "memory");
    }
}

static char *ids[] = {"a", "b\"c", "d"};

static smerf_status read_table(smerf_error *error) {
    const char *const targets[] = {"y", "z"}, *const categories[] = {"k"};
    const sm_table_spec spec = {
        .targets = targets, .n_targets = 2, .categories = categories, .n_categories = 1, .weight = "w"};
    sm_table table;
    smerf_status status = sm_table_read("in.txt", &spec, &table, error);
    sm_table_free(&table);
    return status;
}

static smerf_status read_labels(smerf_error *error) {
    const char *const targets[] = {"y"};
    const sm_table_spec spec = {.targets = targets, .n_targets = 1, .targets_are_labels = true};
    sm_table table;
    smerf_status status = sm_table_read("in.txt", &spec, &table, error);
    sm_table_free(&table);
    return status;
}

static smerf_status read_dropping(smerf_error *error) {
    const char *const targets[] = {"y"};
    const sm_table_spec spec = {.targets = targets, .n_targets = 1, .drops_missing = true, .refuses_names = true};
    sm_table table;
    smerf_status status = sm_table_read("in.txt", &spec, &table, error);
    assert_true(status != SMERF_OK || (table.n_rows == 2 && table.file_rows[1] == 1 && table.n_dropped == 1));
    sm_table_free(&table);
    return status;
}

static void write_compressed(const char *path, const char *text) {
    sm_output *output;
    smerf_error error;
    assert_int_equal(sm_text_output_open("out.gz", &output, &error), SMERF_OK);
    sm_output_write(output, text, strlen(text));
    assert_int_equal(sm_output_finish(output, &error), SMERF_OK);
    assert_int_equal(rename("out.gz", path), 0);
}

static smerf_status read_matrix(smerf_error *error) {
    const sm_matrix_side side = {3, ids};
    const sm_matrix_spec spec = {.rows = side, .columns = side, .is_square = true, .may_be_missing = true};
    sm_matrix matrix;
    smerf_status status = sm_matrix_read("in.txt", &spec, &matrix, error);
    sm_matrix_free(&matrix);
    return status;
}

static smerf_status read_pairs(smerf_error *error) {
    const sm_matrix_side side = {3, ids};
    sm_pairs pairs;
    smerf_status status = sm_pairs_read("in.txt", &(sm_pairs_spec){.rows = side, .columns = side}, &pairs, error);
    sm_pairs_free(&pairs);
    return status;
}

static smerf_status read_values(smerf_error *error, bool is_square) {
    const sm_matrix_side side = {3, ids};
    const sm_pairs_spec spec = {.rows = side, .columns = side, .is_square = is_square, .largest = NAN};
    sm_pairs pairs;
    smerf_status status = sm_pairs_read_values("in.txt", &spec, &pairs, error);
    sm_pairs_free(&pairs);
    return status;
}

static smerf_status read_ratings(smerf_error *error) {
    const sm_pairs_spec spec = {.rows = {3, ids}, .is_square = true, .largest = NAN, .judge_column = "weight"};
    sm_pairs pairs;
    smerf_status status = sm_pairs_read_values("in.txt", &spec, &pairs, error);
    if (status == SMERF_OK) status = sm_pairs_fold_judges(&pairs, error);
    sm_pairs_free(&pairs);
    return status;
}

static smerf_status read_square(smerf_error *error) { return read_values(error, true); }
static smerf_status read_between(smerf_error *error) { return read_values(error, false); }

static smerf_status read_observed(smerf_error *error) {
    const sm_pairs_spec spec = {.rows = {3, ids}, .is_square = true};
    sm_pairs pairs;
    smerf_status status = sm_pairs_read_observed("in.txt", &spec, &pairs, error);
    sm_pairs_free(&pairs);
    return status;
}

static smerf_status read_edges(smerf_error *error) {
    const sm_pairs_spec spec = {.rows = {3, ids}, .is_square = true, .largest = NAN};
    sm_pairs edges;
    smerf_status status = sm_edges_read("in.txt", &spec, &edges, error);
    sm_pairs_free(&edges);
    return status;
}

static void every_failed_allocation_of_a_table_is_reported_and_leaks_nothing(void **state) {
    (void)state;
    write_text("in.txt", "id,x,y,k,z,w,c\na,1,2,3,4,5,\"u\"\"v\"\nb,,3,4,5,6,w\n");
    always_shrinks = true; /* as memory that cannot be given back is no reason to complain */
    fail_everywhere(read_table, "a table");
    fail_everywhere(read_labels, "labels");
    write_text("in.txt", "\"\";x;y;k;z;w;c\na;1,5;2;3;4;5;\"u\"\"v\"\nb;;3;4;5;6;w\nc;1;;4;5;6;w\n");
    fail_everywhere(read_dropping, "a table with decimal commas and a row that is left out");
    write_compressed("in.txt", "id x y k z w c\na 1 2 3 4 5 u\nb 1 3 4 5 6 w\n");
    fail_everywhere(read_table, "a compressed table");
    always_shrinks = false;
}

static void every_failed_allocation_of_a_matrix_is_reported_and_leaks_nothing(void **state) {
    (void)state;
    write_text("in.txt", ",a,d,\"b\"\"c\"\na,0,,2\n\"b\"\"c\",2,3,0\nd,,0,3\n");
    fail_everywhere(read_matrix, "a matrix");
    static const double numbers[] = {0, 1, 2, 1, 0, NAN, 2, NAN, 0};
    write_npy("in.txt", "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 3)}", numbers, sizeof numbers);
    fail_everywhere(read_matrix, "a matrix in .npy");
}

static void every_failed_allocation_of_pairs_is_reported_and_leaks_nothing(void **state) {
    (void)state;
    write_text("in.txt", "i,j,similarity,weight\na,\"b\"\"c\",1,2\nd,a,3,4\n");
    fail_everywhere(read_pairs, "pairs");
    fail_everywhere(read_square, "pairs with numbers");
    fail_everywhere(read_between, "pairs between two sets");
    fail_everywhere(read_ratings, "judges");
    fail_everywhere(read_observed, "observed pairs");
}

static void every_failed_allocation_of_edges_is_reported_and_leaks_nothing(void **state) {
    (void)state;
    write_text("in.txt", "source,target,weight\na,\"b\"\"c\",1\nd,a,3\n");
    fail_everywhere(read_edges, "edges");
    write_text("in.txt", "%%MatrixMarket matrix coordinate real general\n3 3 4\n1 2 1\n3 1 2\n1 3 2\n2 1 1\n");
    fail_everywhere(read_edges, "a general matrix");
    write_text("in.txt", "%%MatrixMarket matrix coordinate pattern symmetric\n3 3 1\n1 2\n");
    fail_everywhere(read_edges, "a symmetric matrix");
}

/* Without memory to open the file again, its name must do. */
static void a_complaint_is_kept_without_memory_for_its_position(void **state) {
    (void)state;
    write_text("in.txt", "i,j\n0,1\n");
    smerf_error error = {.status = SMERF_BAD_INPUT, .message = "wrong"};
    let_fail(1, false);
    assert_int_equal(sm_pairs_position("in.txt", 0, &error), SMERF_BAD_INPUT);
    let_fail(0, false);
    assert_string_equal(error.message, "in.txt: wrong");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_failed_allocation_of_a_table_is_reported_and_leaks_nothing),
        cmocka_unit_test(every_failed_allocation_of_a_matrix_is_reported_and_leaks_nothing),
        cmocka_unit_test(every_failed_allocation_of_pairs_is_reported_and_leaks_nothing),
        cmocka_unit_test(every_failed_allocation_of_edges_is_reported_and_leaks_nothing),
        cmocka_unit_test(a_complaint_is_kept_without_memory_for_its_position),
    };
    return cmocka_run_group_tests(tests, files_enter, files_leave);
}
