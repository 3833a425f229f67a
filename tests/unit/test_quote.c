/* test_quote.c - some of the rows of a table: what is copied, what is named, and what is refused. */
#include "tests/unit/files.h"

#include <math.h>

#include "io/text/table.h"
#include "io/text/text.h"

static void quote(const char *path, const bool *is_chosen, bool has_ids) {
    sm_output *output;
    smerf_error error;
    if (sm_output_open("part.csv", &output, &error) != SMERF_OK ||
        sm_table_copy_rows(path, is_chosen, has_ids, output, &error) != SMERF_OK ||
        sm_output_finish(output, &error) != SMERF_OK)
        fail_msg("%s", error.message);
}

static void assert_quote(const char *text, const bool *is_chosen, bool has_ids, const char *expected) {
    write_text("t.csv", text);
    quote("t.csv", is_chosen, has_ids);
    assert_string_equal(read_text("part.csv"), expected);
}

static const bool first[] = {true, false, false}, middle[] = {false, true, false}, outer[] = {true, false, true},
                  none[] = {false, false, false};

static void chosen_rows_are_copied_under_their_header(void **state) {
    (void)state;
    const char *text = "id,a,b\nu,1,5\nv,2,6\nw,4,9\n";
    assert_quote(text, first, true, "id,a,b\nu,1,5\n");
    assert_quote(text, middle, true, "id,a,b\nv,2,6\n");
    assert_quote(text, outer, true, "id,a,b\nu,1,5\nw,4,9\n");
    assert_quote(text, none, true, "id,a,b\n");
    assert_quote(text, NULL, true, text);
}

static void rows_without_ids_get_the_number_they_had(void **state) {
    (void)state;
    assert_quote("a,b\n1,5\n2,6\n4,9\n", outer, false, "id,a,b\n0,1,5\n2,4,9\n");
    assert_quote("a\n1\n2\n4\n", middle, false, "id,a\n1,2\n");
    assert_quote("a,b\n1,5\n2,6\n", NULL, false, "id,a,b\n0,1,5\n1,2,6\n");
}

static void the_separator_is_that_of_the_file(void **state) {
    (void)state;
    assert_quote("a;b\n1,5;5\n2;6\n4;9\n", first, false, "id;a;b\n0;1,5;5\n");
    assert_quote("a\tb\n1\t5\n2\t6\n4\t9\n", middle, false, "id\ta\tb\n1\t2\t6\n");
    assert_quote("a;b\n1;5\n2;6\n4;9\n", outer, true, "a;b\n1;5\n4;9\n");
}

static void every_cell_stays_byte_by_byte(void **state) {
    (void)state;
    const char *text = "\"i d\",\"a \"\"x\"\"\"\n\"u\nu\",\"1\"\n\"v, \"\"v\"\"\", 2.50 \nw,\n";
    assert_quote(text, first, true, "\"i d\",\"a \"\"x\"\"\"\n\"u\nu\",\"1\"\n");
    assert_quote(text, middle, true, "\"i d\",\"a \"\"x\"\"\"\n\"v, \"\"v\"\"\", 2.50 \n");
    assert_quote(text, NULL, true, text);
    const char *lines = "a,b\n\"x\r\ny\",\"\n\"\n\"\",\"\r\"\nz,\n"; /* line ends inside quotes are content */
    assert_quote(lines, NULL, true, lines);
    assert_quote(lines, middle, false, "id,a,b\n1,\"\",\"\r\"\n");
}

static void lines_end_plainly(void **state) {
    (void)state;
    assert_quote("a,b\r\n1,5\r\n2,6\r\n4,9\r\n", outer, false, "id,a,b\n0,1,5\n2,4,9\n");
    assert_quote("a,b\r1,5\r2,6\r4,9", outer, false, "id,a,b\n0,1,5\n2,4,9\n");
    assert_quote("\n\na,b\n1,5\n\n\r\n2,6\n\n4,9", outer, false, "id,a,b\n0,1,5\n2,4,9\n");
    assert_quote("\xEF\xBB\xBF"
                 "a,b\n1,5\n2,6\n4,9\n",
                 middle, true, "a,b\n2,6\n");
    assert_quote("a,b\n1,5\n2,6\n4,", outer, true, "a,b\n1,5\n4,\n");
}

static void an_array_becomes_numbers_with_names(void **state) {
    (void)state;
    const double numbers[] = {0.1, -2, 1e300, 4, (double)NAN, 6};
    write_npy("t.npy", "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 2), }", numbers, sizeof numbers);
    quote("t.npy", NULL, false);
    assert_string_equal(read_text("part.csv"), "id,x0,x1\n0,0.1,-2\n1,1e+300,4\n2,,6\n");
    quote("t.npy", middle, true);
    assert_string_equal(read_text("part.csv"), "x0,x1\n1e+300,4\n");
    write_npy("t.npy", "{'descr': '<f8', 'fortran_order': True, 'shape': (3, 2), }", numbers, sizeof numbers);
    quote("t.npy", outer, false);
    assert_string_equal(read_text("part.csv"), "id,x0,x1\n0,0.1,4\n2,1e+300,6\n");
}

/* ---- what the parts of a table have in common with the whole, on random tables ---- */

static unsigned next(unsigned *state) { return *state = *state * 1103515245U + 12345U, *state >> 16 & 0x7FFF; }

static void make_table(unsigned *state, size_t n_rows, const char *line_end, char *text) {
    static const char *const cells[] = {"1", "-2.5", "\"3\"", "\"4\"", "", " 5 "};
    static const char *const ids[] = {"\"n%zu\"", "n%zu", "\"n, %zu\"", "\"n\"\"%zu\"", "\"n\n%zu\""};
    size_t n = (size_t)sprintf(text, "a,id%s", line_end);
    for (size_t i = 0; i < n_rows; i++) {
        char id[40];
        snprintf(id, sizeof id, ids[next(state) % 5], i); /* NOLINT: a format of the list above */
        n += (size_t)sprintf(text + n, "%s,%s%s", cells[next(state) % 6], id, next(state) % 4 == 0 ? "\n\n" : line_end);
    }
}

static void assert_same_rows(const sm_table *part, const sm_table *whole, const bool *is_chosen) {
    size_t row = 0;
    for (size_t i = 0; i < whole->n_rows; i++) {
        if (!is_chosen[i]) continue;
        assert_true(row < part->n_rows);
        assert_string_equal(part->ids[row], whole->ids[i]);
        assert_memory_equal(&part->columns[0].values[row], &whole->columns[0].values[i], sizeof(double));
        row++;
    }
    assert_int_equal(row, part->n_rows);
}

static void random_tables_are_cut_as_they_are_read(void **state) {
    (void)state;
    static const char *const line_ends[] = {"\n", "\r\n", "\r"};
    char text[2000];
    const sm_table_spec spec = {0};
    unsigned dice = 1;
    for (size_t trial = 0; trial < 200; trial++) {
        sm_table whole, part;
        smerf_error error;
        bool is_chosen[20];
        size_t n_rows = 1 + next(&dice) % 20;
        make_table(&dice, n_rows, line_ends[trial % 3], text);
        for (size_t i = 0; i < n_rows; i++) is_chosen[i] = next(&dice) % 2 == 0;
        is_chosen[next(&dice) % n_rows] = true;
        write_text("t.csv", text);
        quote("t.csv", is_chosen, true);
        if (sm_table_read("t.csv", &spec, &whole, &error) != SMERF_OK) fail_msg("%s", error.message);
        if (sm_table_read("part.csv", &spec, &part, &error) != SMERF_OK) fail_msg("%s", error.message);
        assert_same_rows(&part, &whole, is_chosen);
        sm_table_free(&whole);
        sm_table_free(&part);
    }
}

/* ---- refused ---- */

static void assert_checked(const char *text, bool has_ids, const char *message) {
    smerf_error error;
    write_text("t.csv", text);
    smerf_status status = sm_table_check_copy("t.csv", has_ids, &error);
    assert_int_equal(status, message == NULL ? SMERF_OK : SMERF_BAD_INPUT);
    if (message != NULL) assert_says(&error, message, "already");
}

static void a_second_id_is_refused(void **state) {
    (void)state;
    assert_checked("a,id\n1,2\n", false, "t.csv:1:3: the items have no ids here");
    assert_checked("\"id\";b\n1;2\n", false, "t.csv:1:1: the items have no ids here");
    assert_checked("a,id\n1,2\n", true, NULL);
    assert_checked("a,Id,idea,i\n1,2,3,4\nid,id,id,id\n", false, NULL);
    const double number = 1;
    write_npy("t.npy", "{'descr': '<f8', 'fortran_order': False, 'shape': (1, 1), }", &number, sizeof number);
    assert_int_equal(sm_table_check_copy("t.npy", false, NULL), SMERF_OK);
}

static void a_file_that_has_gone_is_an_error(void **state) {
    (void)state;
    smerf_error error;
    sm_output *output;
    assert_int_equal(sm_output_open("part.csv", &output, &error), SMERF_OK);
    assert_int_equal(sm_table_copy_rows("nowhere.csv", NULL, true, output, &error), SMERF_IO);
    assert_says(&error, "nowhere.csv: ", "cannot be opened");
    assert_int_equal(sm_table_check_copy("nowhere.csv", false, &error), SMERF_IO);
    write_text("t.csv", "a,b\n1,\"2\n");
    assert_int_equal(sm_table_copy_rows("t.csv", NULL, true, output, &error), SMERF_BAD_INPUT);
    assert_says(&error, "t.csv:2:3: ", "never closed");
    sm_output_abandon(output);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chosen_rows_are_copied_under_their_header),
        cmocka_unit_test(rows_without_ids_get_the_number_they_had),
        cmocka_unit_test(the_separator_is_that_of_the_file),
        cmocka_unit_test(every_cell_stays_byte_by_byte),
        cmocka_unit_test(lines_end_plainly),
        cmocka_unit_test(an_array_becomes_numbers_with_names),
        cmocka_unit_test(random_tables_are_cut_as_they_are_read),
        cmocka_unit_test(a_second_id_is_refused),
        cmocka_unit_test(a_file_that_has_gone_is_an_error),
    };
    return cmocka_run_group_tests(tests, files_enter, files_leave);
}
