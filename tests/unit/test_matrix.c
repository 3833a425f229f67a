/* test_matrix.c - distances and similarities in every accepted form, and how the others are refused. */
#include "tests/unit/files.h"

#include <math.h>

#include "io/matrix/matrix.h"

#define SIDE(n_items, names)                                                                                           \
    { .n = (n_items), .ids = (names) }
#define SQUARE(n_items, names) .rows = SIDE(n_items, names), .columns = SIDE(n_items, names), .is_square = true

static const sm_matrix_spec three = {SQUARE(3, NULL)}, four = {SQUARE(4, NULL)};

static void assert_read(const char *path, const sm_matrix_spec *spec, const float *expected) {
    sm_matrix matrix;
    smerf_error error;
    if (sm_matrix_read(path, spec, &matrix, &error) != SMERF_OK) fail_msg("%s", error.message);
    assert_true(matrix.n_rows == spec->rows.n && matrix.n_columns == spec->columns.n);
    assert_int_equal((uintptr_t)matrix.z % 64, 0);
    for (size_t k = 0; k < matrix.n_rows * matrix.n_columns; k++)
        if (matrix.z[k] != expected[k] && !(isnan(matrix.z[k]) && isnan(expected[k])))
            fail_msg("z[%zu] = %g and not %g", k, (double)matrix.z[k], (double)expected[k]);
    size_t n_missing = 0;
    for (size_t i = 0; i < matrix.n_rows; i++)
        for (size_t j = spec->is_square ? i + 1 : 0; j < matrix.n_columns; j++)
            n_missing += isnan(expected[i * matrix.n_columns + j]) != 0;
    assert_int_equal(matrix.n_missing, n_missing);
    sm_matrix_free(&matrix);
    sm_matrix_free(&matrix); /* a second time does no harm */
}

static void assert_refused_file(const char *path, const sm_matrix_spec *spec, const char *start, const char *words) {
    sm_matrix matrix;
    smerf_error error;
    assert_int_equal(sm_matrix_read(path, spec, &matrix, &error), SMERF_BAD_INPUT);
    assert_says(&error, start, words);
    assert_null(matrix.z);
}

static void assert_csv(const char *text, const sm_matrix_spec *spec, const float *expected) {
    write_text("z.csv", text);
    assert_read("z.csv", spec, expected);
}

static void assert_refused(const char *text, const sm_matrix_spec *spec, const char *start, const char *words) {
    write_text("z.csv", text);
    assert_refused_file("z.csv", spec, start, words);
}

static const float z3[9] = {0, 1, 2, 1, 0, 3, 2, 3, 0};
static const float z4[16] = {0, 1, 2, 3, 1, 0, 4, 5, 2, 4, 0, 6, 3, 5, 6, 0};

static void a_square_csv_is_read_by_position(void **state) {
    (void)state;
    assert_csv("0,1,2\n1,0,3\n2,3,0\n", &three, z3);
    assert_csv("0;1;2\r\n1;\"0\";3\r\n2; 3 ;0", &three, z3);
    assert_csv("7\n", &(sm_matrix_spec){SQUARE(1, NULL)}, (float[]){7});
    assert_csv("5,-2\n-2,0.5\n", &(sm_matrix_spec){SQUARE(2, NULL)}, (float[]){5, -2, -2, 0.5f});
}

static void a_condensed_csv_is_one_line_or_one_column(void **state) {
    (void)state;
    assert_csv("1,2,3,4,5,6\n", &four, z4);
    assert_csv("1\n2\n3\n4\n5\n6\n", &four, z4);
    assert_csv("1\t2\t3", &three, z3); /* three numbers: n is n(n-1)/2, and one line is no square */
    assert_csv("1\r2\r3\r", &three, z3);
    assert_csv("8\n", &(sm_matrix_spec){SQUARE(2, NULL)}, (float[]){0, 8, 8, 0});
}

static void ids_are_matched_in_any_order(void **state) {
    (void)state;
    char *ids[] = {"ann", "bob", "3"};
    const sm_matrix_spec spec = {SQUARE(3, ids)};
    assert_csv(",ann,bob,3\nann,0,1,2\nbob,1,0,3\n3,2,3,0\n", &spec, z3);
    assert_csv("anything,3,ann,bob\nbob,3,1,0\n3,0,2,3\nann,2,0,1\n", &spec, z3);
    assert_csv(",2,0,1\n1,3,1,0\n2,0,2,3\n0,2,0,1\n", &three, z3); /* items without ids are numbers */
}

static void ids_that_do_not_fit_are_refused(void **state) {
    (void)state;
    char *ids[] = {"a", "b", "c"};
    const sm_matrix_spec spec = {SQUARE(3, ids)};
    assert_refused(",a,b,d\na,0,1,2\nb,1,0,3\nc,2,3,0\n", &spec, "z.csv:1:6: ", "no item has the id \"d\"");
    assert_refused(",a,b,a\na,0,1,2\nb,1,0,3\nc,2,3,0\n", &spec, "z.csv:1:6: ", "\"a\" for the second time");
    assert_refused(",a,b,c\na,0,1,2\nx,1,0,3\nc,2,3,0\n", &spec, "z.csv:3:1: ", "no item has the id \"x\"");
    assert_refused(",a,b,c\na,0,1,2\nb,1,0,3\nb,2,3,0\n", &spec, "z.csv:4:1: ", "second time");
    assert_refused(",0,1,3\n0,0,1,2\n1,1,0,3\n2,2,3,0\n", &three, "z.csv:1:6: ", "no item has the id \"3\"");
}

static void two_sides_have_two_sets_of_ids(void **state) {
    (void)state;
    char *rows[] = {"a", "b"}, *columns[] = {"a", "y", "z"};
    const sm_matrix_spec spec = {.rows = SIDE(2, rows), .columns = SIDE(3, columns)};
    const float expected[6] = {1, 2, 3, 4, 5, 6};
    assert_csv("1,2,3\n4,5,6\n", &spec, expected);
    assert_csv(",z,a,y\nb,6,4,5\na,3,1,2\n", &spec, expected);
    assert_refused(",z,a,b\nb,6,4,5\na,3,1,2\n", &spec, "z.csv:1:6: ", "no item has the id \"b\"");
    assert_refused("1\n", &spec, "z.csv:1:1: ", "2 x 3 items need 2 x 3 numbers, or 3 x 4 cells with ids");
    assert_refused("1,2,3\n4,5,6\n7,8,9\n", &spec, "z.csv:3:1: ", "more than 2 lines");
    assert_refused("1,2,3\n", &spec, "z.csv:2:1: ", "only 1 of 2 lines");
}

static void a_wrong_shape_says_what_would_fit(void **state) {
    (void)state;
    const char *fit = "4 items need 4 x 4 numbers, or 5 x 5 cells with ids, or 6 numbers in one line or column";
    assert_refused("", &four, "z.csv:1:1: the file is empty", fit);
    assert_refused("1,2,3\n4,5,6\n7,8,9\n", &four, "z.csv:1:1: the first line has 3 cells", fit);
    assert_refused("1,2,3,4,5,6\n1,2,3,4,5,6\n", &four, "z.csv:1:1: the first line has 6 cells", fit);
    assert_refused("0,1,2,3\n1,0,4,5\n2,4,0,6\n", &four, "z.csv:4:1: only 3 of 4 lines", fit);
    assert_refused("0,1,2,3\n1,0,4,5\n2,4,0\n", &four, "z.csv:3:5: a line of only 3 cells", fit);
    assert_refused("0,1,2,3\n1,0,4,5,9\n2,4,0,6\n", &four, "z.csv:2:7: a line of more than 4 cells", fit);
    assert_refused("0,1,2,3\n1,0,4,5\n2,4,0,6\n3,5,6,0\n\n1", &four, "z.csv:6:1: more than 4 lines", fit);
    assert_refused("1\n2\n3\n4\n5\n", &four, "z.csv:6:1: only 5 of 6 lines", fit);
    assert_refused("1\n2\n3\n4\n5\n6\n7\n", &four, "z.csv:7:1: more than 6 lines", fit);
}

/* The file decides how much memory is allocated, not the number of items. */
static void a_small_file_for_many_items_is_refused_without_their_matrix(void **state) {
    (void)state;
    const size_t n = (size_t)1 << 31;
    const sm_matrix_spec spec = {SQUARE(n, NULL)}, wide = {.rows = SIDE(n, NULL), .columns = SIDE(2, NULL)};
    assert_refused("1\n2\n", &spec, "z.csv:3:1: ", "only 2 of ");
    assert_refused("1,2\n3,4\n", &wide, "z.csv:3:1: ", "only 2 of ");
    assert_refused("1,2\n3,x\n", &wide, "z.csv:2:3: ", "no number");
}

static void what_is_no_finite_number_is_refused(void **state) {
    (void)state;
    assert_refused("0,1,2\n1,x,3\n2,3,0\n", &three, "z.csv:2:3: \"x\" is no number", "");
    assert_refused("0,1,2\n1,0,\n2,3,0\n", &three, "z.csv:2:5: a missing distance", "this target needs all pairs");
    assert_refused("0,1,2\nNA,0,3\n2,3,0\n", &three, "z.csv:2:1: a missing distance", "all pairs");
    assert_refused("0,1,2\n1,0,NaN\n2,3,0\n", &three, "z.csv:2:5: a missing distance", "all pairs");
    assert_refused(",,\n,,\n,,\n", &three, "z.csv:1:1: a missing distance", "all pairs");
    assert_refused("0,1,2\n1,0,-inf\n2,3,0\n", &three, "z.csv:2:5: ", "infinite");
    assert_refused("0,1,2\n1,0,1e39\n2,1e39,0\n", &three, "z.csv:2:5: 1e+39 is too large", "float32");
    assert_csv("0,1e38,2\n1e38,0,3\n2,3,0\n", &three, (float[]){0, 1e38f, 2, 1e38f, 0, 3, 2, 3, 0});
}

static void an_asymmetric_matrix_is_refused_at_its_first_cell(void **state) {
    (void)state;
    assert_refused("0,1,4\n1,0,3\n5,2,0\n", &three,
                   "z.csv:3:1: z[2][0] = 5 but z[0][2] = 4: a distance is symmetric (--symmetrize mean "
                   "averages the two)",
                   "");
    assert_refused("0,1,2\n1,0,3\n2,0.1,0\n", &three, "z.csv:3:3: z[2][1] = 0.1 but z[1][2] = 3: ", "");
    char *ids[] = {"ann", "bob", "cy"};
    const sm_matrix_spec spec = {SQUARE(3, ids)};
    assert_refused(",cy,bob,ann\ncy,0,3,2\nann,2,1.5,0\nbob,3,0,1\n", &spec,
                   "z.csv:4:9: z[bob][ann] = 1 but z[ann][bob] = 1.5: ", "symmetric");
}

static void a_difference_that_float32_does_not_see_is_none(void **state) {
    (void)state;
    assert_csv("0,1,2\n1.00000001,0,3\n2,3,0\n", &three, z3);
    assert_refused("0,1,2\n1.0000001,0,3\n2,3,0\n", &three, "z.csv:2:1: z[1][0] = 1.0000001 but z[0][1] = 1: ", "");
}

static void means_are_taken_of_the_rounded_values(void **state) {
    (void)state;
    const sm_matrix_spec spec = {SQUARE(3, NULL), .take_means = true};
    assert_csv("0,1,4\n2,7,3\n5,3,0\n", &spec, (float[]){0, 1.5f, 4.5f, 1.5f, 7, 3, 4.5f, 3, 0});
    const float a = 0.1f, b = 16777217.0f;
    const float mean = (float)(((double)a + (double)b) / 2);
    assert_csv("0,0.1,0\n16777217,0,0\n0,0,0\n", &spec, (float[]){0, mean, 0, mean, 0, 0, 0, 0, 0});
}

static void similarities_are_taken_from_one_if_none_is_larger(void **state) {
    (void)state;
    const sm_matrix_spec spec = {SQUARE(2, NULL), .are_similarities = true, .largest = NAN};
    assert_csv("1,0.25\n0.25,1\n", &spec, (float[]){0, 0.75f, 0.75f, 0});
    assert_csv("0.5,-1\n-1,0.5\n", &spec, (float[]){0.5f, 2, 2, 0.5f});
    write_text("z.csv", "0.5,0\n0,0.5\n");
    sm_matrix matrix;
    assert_int_equal(sm_matrix_read("z.csv", &spec, &matrix, NULL), SMERF_OK);
    assert_true(matrix.largest == 1);
    sm_matrix_free(&matrix);
}

static void similarities_are_taken_from_the_largest_if_one_exceeds_one(void **state) {
    (void)state;
    const sm_matrix_spec spec = {SQUARE(2, NULL), .are_similarities = true, .largest = NAN};
    assert_csv("1,7\n7,3\n", &spec, (float[]){6, 0, 0, 4});
    const sm_matrix_spec given = {SQUARE(2, NULL), .are_similarities = true, .largest = 10};
    assert_csv("1,7\n7,11\n", &given, (float[]){9, 3, 3, -1});
    assert_refused("1,7\n7,\n", &spec, "z.csv:2:3: a missing similarity", "");
}

static void similarities_are_subtracted_in_double(void **state) {
    (void)state;
    const sm_matrix_spec spec = {SQUARE(2, NULL), .are_similarities = true, .largest = NAN};
    const float z = (float)(1 - 0.99999997);
    assert_csv("1,0.99999997\n0.99999997,1\n", &spec, (float[]){0, z, z, 0});
}

static void a_diagonal_that_is_not_given_is_zero_also_for_similarities(void **state) {
    (void)state;
    const sm_matrix_spec spec = {SQUARE(3, NULL), .are_similarities = true, .largest = NAN};
    assert_csv("5,4,3\n", &spec, (float[]){0, 0, 1, 0, 0, 2, 1, 2, 0});
}

static void what_may_be_missing_is_nan(void **state) {
    (void)state;
    const float z_nan[9] = {0, NAN, 2, NAN, 0, 3, 2, 3, 0};
    const sm_matrix_spec spec = {SQUARE(3, NULL), .may_be_missing = true};
    assert_csv("0,,2\nNA,0,3\n2,3,0\n", &spec, z_nan);
    assert_csv("0,NaN,2\nnan,0,3\n2,3,0\n", &spec, z_nan);
    assert_csv(",2,3\n", &spec, z_nan); /* condensed */
    assert_csv("NA\n2\n3\n", &spec, z_nan);
    assert_csv(",,\n,,\n,,\n", &spec, (float[]){0, NAN, NAN, NAN, 0, NAN, NAN, NAN, 0});
    char *ids[] = {"a", "b"};
    const sm_matrix_spec named = {SQUARE(2, ids), .may_be_missing = true};
    assert_csv(",b,a\na,,5\nb,1,\n", &named, (float[]){5, NAN, NAN, 1});
    assert_refused("0,,2\n,0,3\n2,x,0\n", &spec, "z.csv:3:3: \"x\" is no number", "");
    assert_refused("0,,2\n,0,inf\n2,3,0\n", &spec, "z.csv:2:4: an infinite distance", "");
}

static void a_diagonal_that_is_missing_is_zero(void **state) {
    (void)state;
    const sm_matrix_spec spec = {SQUARE(3, NULL), .may_be_missing = true};
    assert_csv(",1,2\n1,NA,3\n2,3,7\n", &spec, (float[]){0, 1, 2, 1, 0, 3, 2, 3, 7});
    const sm_matrix_spec similar = {SQUARE(2, NULL), .may_be_missing = true, .are_similarities = true, .largest = NAN,
                                    .take_means = true};
    assert_csv(",3\n3,\n", &similar, (float[]){0, 0, 0, 0});
}

static void one_missing_of_two_is_not_symmetric(void **state) {
    (void)state;
    sm_matrix_spec spec = {SQUARE(3, NULL), .may_be_missing = true};
    assert_refused(
        "0,1,4\n1,0,3\n,3,0\n", &spec,
        "z.csv:3:1: z[2][0] is missing but z[0][2] = 4: a distance is symmetric (--symmetrize mean takes the "
        "one that is given)",
        "");
    assert_refused("0,1,NA\n1,0,3\n0.1,3,0\n", &spec,
                   "z.csv:3:1: z[2][0] = 0.1 but z[0][2] is missing: ", "the one that is given");
    assert_refused("0,1,\n1,0,3\n,2,0\n", &spec, "z.csv:3:2: z[2][1] = 2 but z[1][2] = 3: ", "averages the two");
    spec.take_means = true;
    assert_csv("0,1,4\n,0,\n5,,0\n", &spec, (float[]){0, 1, 4.5f, 1, 0, NAN, 4.5f, NAN, 0});
    const sm_matrix_spec similar = {SQUARE(2, NULL), .may_be_missing = true, .are_similarities = true, .largest = 8};
    assert_refused("8,\n7,8\n", &similar, "z.csv:2:1: q[1][0] = 7 but q[0][1] is missing: a similarity", "");
}

static void missing_similarities_are_not_the_largest(void **state) {
    (void)state;
    const sm_matrix_spec spec = {SQUARE(3, NULL), .may_be_missing = true, .are_similarities = true, .largest = NAN};
    assert_csv("5,NA,3\n,5,1\n3,1,5\n", &spec, (float[]){0, NAN, 2, NAN, 0, 4, 2, 4, 0});
    assert_csv("NA,0.5,\n", &spec, (float[]){0, NAN, 0.5f, NAN, 0, NAN, 0.5f, NAN, 0});
}

static void a_block_may_have_missing_cells(void **state) {
    (void)state;
    const sm_matrix_spec spec = {.rows = SIDE(2, NULL), .columns = SIDE(2, NULL), .may_be_missing = true};
    assert_csv(",2\n3,\n", &spec, (float[]){NAN, 2, 3, NAN});
    const double cells[4] = {1, NAN, NAN, NAN};
    write_npy("z.npy", "{'descr': '<f8', 'fortran_order': True, 'shape': (2, 2), }", cells, sizeof cells);
    assert_read("z.npy", &spec, (float[]){1, NAN, NAN, NAN});
}

static void npy_matrices_may_have_missing_entries(void **state) {
    (void)state;
    const double full[9] = {NAN, 1, NAN, 1, 0, 3, NAN, 3, 0}, vector[3] = {NAN, 2, NAN};
    const double one[9] = {0, 1, 2, 1, 0, NAN, 2, 3, 0}, infinite[3] = {NAN, 2, -INFINITY};
    const char *square = "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 3), }";
    const char *line = "{'descr': '<f8', 'fortran_order': False, 'shape': (3,), }";
    sm_matrix_spec spec = {SQUARE(3, NULL), .may_be_missing = true, .largest = NAN};
    write_npy("z.npy", square, full, sizeof full);
    assert_read("z.npy", &spec, (float[]){0, 1, NAN, 1, 0, 3, NAN, 3, 0});
    write_npy("z.npy", square, one, sizeof one);
    assert_refused_file("z.npy", &spec, "z.npy: row 2, column 1: z[2][1] = 3 but z[1][2] is missing: ", "given");
    write_npy("z.npy", line, infinite, sizeof infinite);
    assert_refused_file("z.npy", &spec, "z.npy: row 1, column 2: an infinite distance", "");
    write_npy("z.npy", line, vector, sizeof vector);
    assert_read("z.npy", &spec, (float[]){0, NAN, 2, NAN, 0, NAN, 2, NAN, 0});
    spec.are_similarities = true;
    assert_read("z.npy", &spec, (float[]){0, NAN, 0, NAN, 0, NAN, 0, NAN, 0});
}

static void npy_matrices_are_read_in_both_orders(void **state) {
    (void)state;
    const sm_matrix_spec spec = {.rows = SIDE(2, NULL), .columns = SIDE(3, NULL)};
    const double numbers[6] = {1, 2, 3, 4, 5, 6};
    write_npy("z.npy", "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }", numbers, sizeof numbers);
    assert_read("z.npy", &spec, (float[]){1, 2, 3, 4, 5, 6});
    write_npy("z.npy", "{'descr': '<f8', 'fortran_order': True, 'shape': (2, 3), }", numbers, sizeof numbers);
    assert_read("z.npy", &spec, (float[]){1, 3, 5, 2, 4, 6});
}

static void npy_vectors_are_condensed(void **state) {
    (void)state;
    const float numbers[6] = {1, 2, 3, 4, 5, 6};
    static const char *const shapes[] = {"(6,)", "(6, 1)", "(1, 6)"};
    char dictionary[100];
    for (int i = 0; i < 3; i++) {
        snprintf(dictionary, sizeof dictionary, "{'descr': '<f4', 'fortran_order': False, 'shape': %s, }", shapes[i]);
        write_npy("z.npy", dictionary, numbers, sizeof numbers);
        assert_read("z.npy", &four, z4);
    }
    write_npy("z.npy", "{'descr': '<f4', 'fortran_order': False, 'shape': (0,), }", numbers, 0);
    assert_read("z.npy", &(sm_matrix_spec){SQUARE(1, NULL)}, (float[]){0});
}

static void npy_matrices_are_refused_by_row_and_column(void **state) {
    (void)state;
    const char *shape = "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 3), }";
    const double asymmetric[9] = {0, 1, 4, 1, 0, 3, 5, 2, 0}, missing[9] = {0, 1, 2, 1, NAN, 3, INFINITY, 3, 0};
    const double large[9] = {0, 1, 1e300, 1, 0, 3, 1e300, 3, 0}, vector[3] = {1, 2, NAN};
    smerf_error error;
    sm_matrix matrix;
    write_npy("z.npy", shape, asymmetric, sizeof asymmetric);
    assert_int_equal(sm_matrix_read("z.npy", &three, &matrix, &error), SMERF_BAD_INPUT);
    assert_says(&error, "z.npy: row 2, column 0: z[2][0] = 5 but z[0][2] = 4: ", "symmetric");
    assert_true(error.row == 2 && error.column == 0);
    write_npy("z.npy", shape, missing, sizeof missing);
    assert_refused_file("z.npy", &three, "z.npy: row 1, column 1: a missing distance", "");
    write_npy("z.npy", shape, large, sizeof large);
    assert_refused_file("z.npy", &three, "z.npy: row 0, column 2: 1e+300 is too large", "float32");
    assert_refused_file("z.npy", &four, "z.npy: has 3 x 3 numbers; 4 items need 4 x 4 numbers, or 6 numbers", "");
    write_npy("z.npy", "{'descr': '<f8', 'fortran_order': False, 'shape': (3,), }", vector, sizeof vector);
    assert_refused_file("z.npy", &three, "z.npy: row 1, column 2: a missing distance", "");
}

/* Larger than a tile, so that tiles and the order of rows disagree. */
enum { N = 150 };
static double large[N][N];

static void write_large(const char *path, const char *order) {
    char dictionary[128];
    int n = snprintf(dictionary, sizeof dictionary, "{'descr': '<f8', 'fortran_order': %s, 'shape': (%d, %d), }", order,
                     N, N);
    const char start[] = {'\x93', 'N', 'U', 'M', 'P', 'Y', 1, 0, (char)n, 0};
    FILE *file = fopen(path, "w");
    fwrite(start, 1, sizeof start, file);
    fputs(dictionary, file);
    fwrite(large, sizeof large, 1, file);
    fclose(file);
}

static void fill_large(void) {
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) large[i][j] = abs(i - j) + (i + j) / 1000.0;
}

static void the_first_bad_cell_is_named_whatever_the_order_of_reading(void **state) {
    (void)state;
    const sm_matrix_spec spec = {SQUARE(N, NULL)};
    for (int is_fortran = 0; is_fortran < 2; is_fortran++) {
        fill_large();
        large[100][3] = NAN; /* first in the order of rows if the file is in C order */
        large[3][140] = INFINITY;
        write_large("z.npy", is_fortran ? "True" : "False");
        assert_refused_file("z.npy", &spec, is_fortran ? "z.npy: row 3, column 100: " : "z.npy: row 3, column 140: ",
                            is_fortran ? "missing" : "infinite");
        fill_large();
        large[70][60] += 1; /* (60, 70) in C order */
        large[140][20] += 1;
        large[20][149] += 1;
        write_large("z.npy", is_fortran ? "True" : "False");
        assert_refused_file("z.npy", &spec, "z.npy: row 140, column 20: z[140][20] = ", "but z[20][140] = ");
    }
}

static void large_matrices_are_read_the_same_in_every_form(void **state) {
    (void)state;
    const sm_matrix_spec spec = {SQUARE(N, NULL)};
    static float expected[N * N];
    fill_large();
    FILE *full = fopen("full.csv", "w"), *condensed = fopen("condensed.csv", "w");
    for (int i = 0; i < N; i++) {
        large[i][i] = 0;
        for (int j = 0; j < N; j++) {
            expected[i * N + j] = (float)large[i][j];
            fprintf(full, "%.17g%c", large[i][j], j + 1 < N ? ',' : '\n');
            if (j > i) fprintf(condensed, "%.17g\n", large[i][j]);
        }
    }
    fclose(full);
    fclose(condensed);
    write_large("c.npy", "False");
    write_large("f.npy", "True");
    assert_read("full.csv", &spec, expected);
    assert_read("condensed.csv", &spec, expected);
    assert_read("c.npy", &spec, expected);
    assert_read("f.npy", &spec, expected);
}

static void large_matrices_with_missing_entries_are_completed_from_their_mirror(void **state) {
    (void)state;
    sm_matrix_spec spec = {SQUARE(N, NULL), .may_be_missing = true, .take_means = true};
    static float expected[N * N];
    fill_large();
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            if ((i * 7 + j * 13) % 5 < 2) large[i][j] = NAN;
            if (i > j && i % 3 == 0) large[i][j] += 1;
        }
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            double a = (double)(float)large[i][j], b = (double)(float)large[j][i];
            expected[i * N + j] = (float)(isnan(a) ? b : isnan(b) ? a : (a + b) / 2);
            if (i == j && isnan(a)) expected[i * N + j] = 0;
        }
    write_large("c.npy", "False");
    write_large("f.npy", "True");
    assert_read("c.npy", &spec, expected);
    assert_read("f.npy", &spec, expected);
    spec.take_means = false;
    char start[96] = "";
    for (int i = 0; i < N && start[0] == '\0'; i++)
        for (int j = i + 1; j < N && start[0] == '\0'; j++) {
            float a = (float)large[i][j], b = (float)large[j][i];
            if (a == b || (isnan(a) && isnan(b))) continue;
            snprintf(start, sizeof start, "c.npy: row %d, column %d: z[%d][%d] ", j, i, j, i);
        }
    assert_refused_file("c.npy", &spec, start, "symmetric");
}

static void a_matrix_cut_anywhere_is_read_or_refused_in_one_line(void **state) {
    (void)state;
    char *ids[] = {"a", "b"};
    const sm_matrix_spec spec = {SQUARE(2, ids)};
    static const char text[] = "\xEF\xBB\xBF\"\",\"a\",b\r\nb,1,0\r\n\"a\",0,1e0\r\n";
    sm_matrix matrix;
    smerf_error error;
    for (size_t n = 0; n < sizeof text; n++) {
        write_bytes("z.csv", text, n);
        if (sm_matrix_read("z.csv", &spec, &matrix, &error) != SMERF_OK) assert_says(&error, "z.csv:", ": ");
        sm_matrix_free(&matrix);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_square_csv_is_read_by_position),
        cmocka_unit_test(a_condensed_csv_is_one_line_or_one_column),
        cmocka_unit_test(ids_are_matched_in_any_order),
        cmocka_unit_test(ids_that_do_not_fit_are_refused),
        cmocka_unit_test(two_sides_have_two_sets_of_ids),
        cmocka_unit_test(a_wrong_shape_says_what_would_fit),
        cmocka_unit_test(a_small_file_for_many_items_is_refused_without_their_matrix),
        cmocka_unit_test(what_is_no_finite_number_is_refused),
        cmocka_unit_test(an_asymmetric_matrix_is_refused_at_its_first_cell),
        cmocka_unit_test(a_difference_that_float32_does_not_see_is_none),
        cmocka_unit_test(means_are_taken_of_the_rounded_values),
        cmocka_unit_test(similarities_are_taken_from_one_if_none_is_larger),
        cmocka_unit_test(similarities_are_taken_from_the_largest_if_one_exceeds_one),
        cmocka_unit_test(similarities_are_subtracted_in_double),
        cmocka_unit_test(a_diagonal_that_is_not_given_is_zero_also_for_similarities),
        cmocka_unit_test(what_may_be_missing_is_nan),
        cmocka_unit_test(a_diagonal_that_is_missing_is_zero),
        cmocka_unit_test(one_missing_of_two_is_not_symmetric),
        cmocka_unit_test(missing_similarities_are_not_the_largest),
        cmocka_unit_test(a_block_may_have_missing_cells),
        cmocka_unit_test(npy_matrices_may_have_missing_entries),
        cmocka_unit_test(large_matrices_with_missing_entries_are_completed_from_their_mirror),
        cmocka_unit_test(npy_matrices_are_read_in_both_orders),
        cmocka_unit_test(npy_vectors_are_condensed),
        cmocka_unit_test(npy_matrices_are_refused_by_row_and_column),
        cmocka_unit_test(the_first_bad_cell_is_named_whatever_the_order_of_reading),
        cmocka_unit_test(large_matrices_are_read_the_same_in_every_form),
        cmocka_unit_test(a_matrix_cut_anywhere_is_read_or_refused_in_one_line),
    };
    return cmocka_run_group_tests(tests, files_enter, files_leave);
}
