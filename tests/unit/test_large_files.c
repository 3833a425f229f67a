/* test_large_files.c - reading a large file takes the memory of what is kept of it, not that of the file. */
#include "tests/unit/files.h"

#include <math.h>

#include "io/pairs/pairs.h"
#include "io/text/table.h"
#include "io/text/text.h"

enum { MEGABYTE = 1 << 20, N_MEGABYTES = 96, MOST_MEGABYTES = 48, WIDTH = 1 << 14 };

/* A line of /proc/self/status, in bytes; -1: the system does not say. */
static double memory(const char *line) {
    char text[256];
    double kilobytes = -1, found;
    FILE *file = fopen("/proc/self/status", "r");
    while (file != NULL && fgets(text, sizeof text, file) != NULL)
        if (strncmp(text, line, strlen(line)) == 0 && sscanf(text + strlen(line), ": %lf", &found) == 1)
            kilobytes = found;
    if (file != NULL) fclose(file);
    return kilobytes * 1024;
}

/* The most memory that is used from here on starts from now. False: the system cannot. */
static bool forget_peak(void) {
    FILE *file = fopen("/proc/self/clear_refs", "w");
    bool is_done = file != NULL && fputs("5", file) >= 0;
    return file != NULL && fclose(file) == 0 && is_done;
}

static double start;

/* The thread sanitizer keeps something of every byte, which would be measured, too. */
static void measure(void) {
    if (HAS_THREAD_SANITIZER || !forget_peak() || memory("VmHWM") < 0) skip();
    start = memory("VmRSS");
}

static void assert_little_was_used(void) {
    double used = (memory("VmHWM") - start) / MEGABYTE;
    if (used > MOST_MEGABYTES) fail_msg("%.0f MB for a file of %d MB", used, N_MEGABYTES);
}

/* A file of N_MEGABYTES: a header, then lines of WIDTH bytes that start so, then go on with one character, then end so. */
static void write_lines(const char *path, const char *header, const char *first, char filler, const char *last) {
    static char line[WIDTH + 1];
    FILE *file = fopen(path, "w");
    memset(line, filler, WIDTH);
    memcpy(line, first, strlen(first));
    memcpy(line + WIDTH - strlen(last), last, strlen(last));
    fputs(header, file);
    for (size_t k = 0; k < (size_t)N_MEGABYTES * MEGABYTE / WIDTH; k++) fwrite(line, 1, WIDTH, file);
    assert_int_equal(fclose(file), 0);
}

enum { N_LINES = N_MEGABYTES * MEGABYTE / WIDTH };

static void a_table_takes_the_memory_of_its_columns(void **state) {
    (void)state;
    const char *const ignore[] = {"note"};
    const sm_table_spec spec = {.ignore = ignore, .n_ignore = 1};
    sm_table table;
    write_lines("large", "x,note,y\n", "1.5,", 'z', ",7\n");
    measure();
    assert_int_equal(sm_table_read("large", &spec, &table, NULL), SMERF_OK);
    assert_little_was_used();
    assert_true(table.n_rows == N_LINES && table.columns[0].values[N_LINES - 1] == 1.5);
    sm_table_free(&table);
}

static void pairs_and_edges_take_the_memory_of_their_numbers(void **state) {
    (void)state;
    const sm_pairs_spec spec = {.rows = {.n = 5}, .is_square = true, .largest = 1};
    sm_pairs pairs;
    write_lines("large", "i,j,note,distance\n", "1,3,", 'z', ",7\n");
    measure();
    sm_pairs_spec named = spec;
    named.value_column = "distance";
    assert_int_equal(sm_pairs_read_values("large", &named, &pairs, NULL), SMERF_OK);
    assert_little_was_used();
    assert_true(pairs.n == N_LINES && pairs.right[N_LINES - 1] == 3 && pairs.value[N_LINES - 1] == 7);
    sm_pairs_free(&pairs);
    char header[128];
    snprintf(header, sizeof header, "%%%%MatrixMarket matrix coordinate real symmetric\n5 5 %d\n", N_LINES);
    write_lines("large", header, "2 1", ' ', "4\n");
    measure();
    assert_int_equal(sm_edges_read("large", &spec, &pairs, NULL), SMERF_OK);
    assert_little_was_used();
    assert_true(pairs.n == N_LINES && pairs.left[N_LINES - 1] == 1 && pairs.value[N_LINES - 1] == 4);
    sm_pairs_free(&pairs);
}

/* One line of numbers, as a condensed matrix may be, is read to its end before it is known to be wrong. */
static void a_line_as_long_as_a_file_is_not_kept(void **state) {
    (void)state;
    sm_matrix matrix;
    smerf_error error;
    const sm_matrix_spec spec = {.rows = {.n = 3}, .columns = {.n = 3}, .is_square = true};
    FILE *file = fopen("large", "w");
    for (size_t k = 0; k < (size_t)N_MEGABYTES * MEGABYTE / 8; k++) fputs("1.23456,", file);
    fputs("1\n", file);
    fclose(file);
    measure();
    assert_int_equal(sm_matrix_read("large", &spec, &matrix, &error), SMERF_BAD_INPUT);
    assert_little_was_used();
    assert_says(&error, "large:1:1: the first line has 12582913 cells", "3 x 3");
}

static void npy_files_of_both_orders_take_the_memory_of_what_the_spec_names(void **state) {
    (void)state;
    enum { N_ROWS = 3000, N_COLUMNS = N_MEGABYTES * MEGABYTE / 8 / N_ROWS };
    static double numbers[N_COLUMNS];
    static const char *const orders[] = {"False", "True"};
    const char *const known[] = {"x7"};
    const sm_table_spec spec = {.numbers = known, .n_numbers = 1, .only_known = true};
    for (int is_fortran = 0; is_fortran < 2; is_fortran++) {
        char dictionary[128];
        int n = snprintf(dictionary, sizeof dictionary, "{'descr': '<f8', 'fortran_order': %s, 'shape': (%d, %d), }",
                         orders[is_fortran], N_ROWS, N_COLUMNS);
        const char magic[] = {'\x93', 'N', 'U', 'M', 'P', 'Y', 1, 0, (char)n, 0};
        FILE *file = fopen("large", "w");
        fwrite(magic, 1, sizeof magic, file);
        fputs(dictionary, file);
        for (size_t k = 0; k < N_COLUMNS; k++) numbers[k] = (double)k;
        for (size_t k = 0; k < N_ROWS; k++) fwrite(numbers, sizeof numbers, 1, file);
        fclose(file);
        sm_table table;
        measure();
        assert_int_equal(sm_table_read("large", &spec, &table, NULL), SMERF_OK);
        assert_little_was_used();
        double expected = is_fortran ? (7 * N_ROWS + 2999) % N_COLUMNS : 7;
        assert_true(table.n_rows == N_ROWS && table.columns[0].values[2999] == expected);
        sm_table_free(&table);
    }
}

/* What was given back is there again for whoever looks. */
static void bytes_that_were_let_go_come_back(void **state) {
    (void)state;
    write_lines("large", "x,note\n", "1,", 'z', "y\n");
    sm_source source;
    smerf_error error;
    assert_int_equal(sm_source_open("large", &source, NULL), SMERF_OK);
    assert_true(source.input.is_mapped);
    measure();
    size_t n_behind = 0;
    unsigned sum = 0, again = 0;
    for (size_t k = 0; k < source.n_bytes; k++) {
        sum += (unsigned char)source.bytes[k] * (unsigned)(k % 1000 + 1);
        sm_source_pass(&source, &n_behind, k);
    }
    assert_little_was_used();
    sm_input_let_go(&source.input, 0, source.n_bytes);
    sm_input_let_go(&source.input, 5000, 4000); /* nothing */
    for (size_t k = 0; k < source.n_bytes; k++) again += (unsigned char)source.bytes[k] * (unsigned)(k % 1000 + 1);
    assert_int_equal(sum, again);
    (void)sm_source_fail(&source, source.n_bytes - 2, &error, "here");
    char expected[64];
    snprintf(expected, sizeof expected, "large:%d:%d: here", N_LINES + 1, WIDTH - 1);
    assert_string_equal(error.message, expected);
    sm_source_close(&source);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_table_takes_the_memory_of_its_columns),
        cmocka_unit_test(pairs_and_edges_take_the_memory_of_their_numbers),
        cmocka_unit_test(a_line_as_long_as_a_file_is_not_kept),
        cmocka_unit_test(npy_files_of_both_orders_take_the_memory_of_what_the_spec_names),
        cmocka_unit_test(bytes_that_were_let_go_come_back),
    };
    return cmocka_run_group_tests(tests, files_enter, files_leave);
}
