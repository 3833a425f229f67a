/* test_csv.c - sources and CSV texts: what is in the cells, and where an error is. */
#include "tests/unit/files.h"

#include <sys/stat.h>
#include <sys/wait.h>

#include "io/text/names.h"
#include "io/text/text.h"

/* The cells of a text as "[a][b] [c][d]": brackets around a cell, a space between rows. */
static smerf_status walk(const void *bytes, size_t n, char *out, size_t size, smerf_error *error) {
    sm_source source;
    write_bytes("t.csv", bytes, n);
    assert_int_equal(sm_source_open("t.csv", &source, error), SMERF_OK);
    sm_csv csv;
    sm_csv_start(&csv, &source);
    size_t at = 0, n_rows = 0, most_rows = sm_csv_most_rows(&csv, 1);
    out[0] = '\0';
    smerf_status status;
    for (;;) {
        sm_csv_cell cell;
        bool is_found;
        status = sm_csv_next(&csv, &cell, &is_found, error);
        if (status != SMERF_OK || !is_found) break;
        assert_true(at + cell.n + 4 < size);
        at += (size_t)snprintf(out + at, size - at, "[%.*s]%s", (int)cell.n, cell.text, cell.ends_row ? " " : "");
        n_rows += cell.ends_row;
    }
    assert_true(n_rows <= most_rows);
    if (at > 0 && out[at - 1] == ' ') out[at - 1] = '\0';
    sm_csv_stop(&csv);
    sm_source_close(&source);
    return status;
}

static void assert_cells(const char *text, const char *cells) {
    char out[1024];
    smerf_error error;
    if (walk(text, strlen(text), out, sizeof out, &error) != SMERF_OK) fail_msg("%s", error.message);
    assert_string_equal(out, cells);
}

static void assert_refused(const void *bytes, size_t n, const char *start, const char *words) {
    char out[1024];
    smerf_error error;
    assert_int_equal(walk(bytes, n, out, sizeof out, &error), SMERF_BAD_INPUT);
    assert_says(&error, start, words);
}

static void the_most_frequent_separator_of_the_first_line_counts(void **state) {
    (void)state;
    assert_cells("a,b\n1,2\n", "[a][b] [1][2]");
    assert_cells("a;b;c,d\n1;2;3\n", "[a][b][c,d] [1][2][3]");
    assert_cells("a\tb\n1\t2\n", "[a][b] [1][2]");
    assert_cells("a\n1;2\n", "[a] [1;2]");
    assert_cells("a,b;c\n", "[a][b;c]");
}

static void separators_inside_quotes_are_not_counted(void **state) {
    (void)state;
    assert_cells("\"x,y,z\";b\n1;2\n", "[x,y,z][b] [1][2]");
    assert_cells("\"x\n,,,\";b\n", "[x\n,,,][b]");
}

static void quotes_protect_separators_and_line_ends(void **state) {
    (void)state;
    assert_cells("\"a,b\",c\n\"d\r\ne\",f\n", "[a,b][c] [d\r\ne][f]");
    assert_cells("\"\",\"\"\n", "[][]");
    assert_cells("\"a\"", "[a]");
}

static void doubled_quotes_are_one(void **state) {
    (void)state;
    assert_cells("\"say \"\"hi\"\"\",\"\"\"\"\n", "[say \"hi\"][\"]");
}

static void a_quote_inside_a_plain_cell_is_text(void **state) {
    (void)state;
    assert_cells("5\",a\"b\n", "[5\"][a\"b]");
    assert_cells("a, \"b\"\n", "[a][ \"b\"]");
}

static void lines_end_with_lf_crlf_or_cr(void **state) {
    (void)state;
    assert_cells("a,b\n1,2", "[a][b] [1][2]");
    assert_cells("a,b\r\n1,2\r\n", "[a][b] [1][2]");
    assert_cells("a,b\r1,2\r", "[a][b] [1][2]");
    assert_cells("\"a\",\"b\"\r\n\"1\",\"2\"\r", "[a][b] [1][2]");
}

static void empty_lines_are_skipped(void **state) {
    (void)state;
    assert_cells("\n\na,b\n\n\r\n1,2\n\n", "[a][b] [1][2]");
    assert_cells("\r\r", "");
    assert_cells("", "");
}

static void a_byte_order_mark_is_skipped(void **state) {
    (void)state;
    assert_cells("\xEF\xBB\xBF"
                 "a,b\n",
                 "[a][b]");
    assert_cells("\xEF\xBB\xBF", "");
    assert_cells("\xEF\xBB", "[\xEF\xBB]");
}

static void empty_cells_at_the_ends_are_cells(void **state) {
    (void)state;
    assert_cells(",a,\n,,", "[][a][] [][][]");
    assert_cells(",", "[][]");
    assert_cells("a,\r\n,b\r\n", "[a][] [][b]");
}

static void a_quote_that_never_ends_is_refused_where_it_opens(void **state) {
    (void)state;
    assert_refused("a,b\n1,\"2\n3,4\n", 13, "t.csv:2:3: ", "never closed");
    assert_refused("\"", 1, "t.csv:1:1: ", "never closed");
    assert_refused("\"a\"\"", 4, "t.csv:1:1: ", "never closed");
}

static void text_after_a_closing_quote_is_refused(void **state) {
    (void)state;
    assert_refused("a\n\"b\"c\n", 7, "t.csv:2:4: ", "closing quote");
    assert_refused("\"b\" ,c\n", 7, "t.csv:1:4: ", "closing quote");
}

static void a_nul_byte_is_refused(void **state) {
    (void)state;
    assert_refused("a,b\n1\0,2\n", 9, "t.csv:2:2: ", "NUL");
    assert_refused("a\n\"\0\"\n", 6, "t.csv:2:2: ", "NUL");
    assert_refused("\"a\"\0", 4, "t.csv:1:4: ", "NUL");
    assert_refused("\xFF\xFE"
                   "a\0,\0",
                   6, "t.csv:1:", "NUL");
}

/* Columns are characters, lines end as the reader says, and the byte order mark does not count. */
static void errors_are_where_an_editor_finds_them(void **state) {
    (void)state;
    assert_refused("\xEF\xBB\xBF\"", 4, "t.csv:1:1: ", "never closed");
    assert_refused("h\xC3\xA9t\xC3\xA9,\xE2\x82\xAC,\"x\n", 15, "t.csv:1:8: ", "never closed");
    assert_refused("a\r\nb\rc\n\n\"", 9, "t.csv:5:1: ", "never closed");
    assert_refused("\"a\nb\",\"", 7, "t.csv:2:4: ", "never closed");
}

/* Whatever is cut off, and whatever one byte turns into: cells or one clear line, and nothing else. */
static void any_damage_gives_cells_or_a_message(void **state) {
    (void)state;
    static const char text[] = "\xEF\xBB\xBF"
                               "id,\"a \"\"b\"\"\"\r\n1,\"x\ny\"\r2,\xC3\xA9\n\n3,";
    static const char bytes[] = {'\0', '"', ',', '\n', '\r', 'a', '\xEF'};
    char damaged[sizeof text], out[1024];
    smerf_error error;
    for (size_t i = 0; i < sizeof text; i++) {
        if (walk(text, i, out, sizeof out, &error) != SMERF_OK) assert_says(&error, "t.csv:", ": ");
        for (size_t k = 0; k < sizeof bytes; k++) {
            memcpy(damaged, text, sizeof text);
            damaged[i] = bytes[k];
            if (walk(damaged, sizeof text - 1, out, sizeof out, &error) != SMERF_OK)
                assert_says(&error, "t.csv:", ": ");
        }
    }
}

static void plain_numbers_are_read_at_once(void **state) {
    (void)state;
    sm_source source;
    sm_csv csv;
    sm_csv_cell cell;
    smerf_error error;
    double value;
    bool is_found;
    write_text("t.csv", "1.5,-2e3\n 3,4\r\n1e999,\"5\"\n6");
    assert_int_equal(sm_source_open("t.csv", &source, &error), SMERF_OK);
    sm_csv_start(&csv, &source);
    assert_true(sm_csv_next_number(&csv, &cell, &value) && value == 1.5 && !cell.ends_row && cell.n == 3);
    assert_true(sm_csv_next_number(&csv, &cell, &value) && value == -2000 && cell.ends_row && cell.position == 4);
    for (int i = 0; i < 5; i++) { /* a space, a CR, an infinity, quotes, the end: all left to sm_csv_next */
        assert_false(sm_csv_next_number(&csv, &cell, &value));
        assert_int_equal(sm_csv_next(&csv, &cell, &is_found, &error), SMERF_OK);
        assert_true(is_found);
    }
    assert_true(cell.text[0] == '6' && cell.ends_row);
    assert_false(sm_csv_next_number(&csv, &cell, &value));
    sm_csv_stop(&csv);
    sm_source_close(&source);
}

static void a_file_that_cannot_be_opened_says_why(void **state) {
    (void)state;
    sm_source source;
    smerf_error error;
    assert_int_equal(sm_source_open("absent.csv", &source, &error), SMERF_IO);
    assert_string_equal(error.message, "absent.csv: cannot be opened: No such file or directory");
    assert_int_equal(error.status, SMERF_IO);
    assert_int_equal(sm_source_open(".", &source, &error), SMERF_IO);
    assert_says(&error, ".: is a folder", "file");
    sm_source_close(&source);
}

static void pipes_and_odd_files_are_read_whole(void **state) {
    (void)state;
    sm_source source;
    smerf_error error;
    assert_int_equal(mkfifo("pipe", 0600), 0);
    pid_t writer = fork();
    if (writer == 0) { /* more than one buffer, in pieces */
        FILE *file = fopen("pipe", "w");
        for (int i = 0; file != NULL && i < 50000; i++) fprintf(file, "%d,%d\n", i, i);
        _exit(file == NULL || fclose(file) != 0);
    }
    assert_int_equal(sm_source_open("pipe", &source, &error), SMERF_OK);
    assert_false(source.input.is_mapped);
    assert_int_equal(source.n_bytes, 577780);
    assert_memory_equal(source.bytes + source.n_bytes - 12, "49999,49999\n", 12);
    sm_source_close(&source);
    int status;
    assert_true(waitpid(writer, &status, 0) == writer && status == 0);
    assert_int_equal(sm_source_open("/dev/null", &source, &error), SMERF_OK);
    assert_int_equal(source.n_bytes, 0);
    sm_source_close(&source);
    assert_int_equal(sm_source_open("/proc/self/status", &source, &error), SMERF_OK); /* claims to be empty */
    assert_true(source.n_bytes > 0);
    sm_source_close(&source);
}

static void excerpts_stay_on_one_line_and_keep_characters_whole(void **state) {
    (void)state;
    char quote[SM_QUOTE], text[200];
    assert_string_equal(sm_quote("a\nb\tc\x7F", 6, quote), "a b c ");
    memset(text, 'x', sizeof text);
    assert_int_equal(strlen(sm_quote(text, SM_QUOTE - 1, quote)), SM_QUOTE - 1);
    assert_string_equal(sm_quote(text, sizeof text, quote) + SM_QUOTE - 5, "x...");
    for (size_t i = 0; i + 1 < sizeof text; i += 2) memcpy(text + i, "\xC3\xA9", 2);
    for (size_t shift = 0; shift < 2; shift++) {
        const char *shown = sm_quote(text + 2 - shift, 150, quote);
        assert_true((unsigned char)shown[strlen(shown) - 4] == 0xA9);
    }
}

static void names_are_found_again(void **state) {
    (void)state;
    sm_names *names = sm_names_new();
    char text[32];
    bool is_new;
    for (uint32_t i = 0; i < 10000; i++) {
        int n = snprintf(text, sizeof text, "name %u", i);
        assert_int_equal(sm_names_add(names, text, (size_t)n, &is_new), i);
        assert_true(is_new);
    }
    assert_int_equal(sm_names_add(names, "", 0, &is_new), 10000);
    assert_int_equal(sm_names_add(names, "name 77 and more", 7, &is_new), 77);
    assert_false(is_new);
    assert_int_equal(sm_names_find(names, "name 9999", 9), 9999);
    assert_int_equal(sm_names_find(names, "name 10000", 10), SMERF_MISSING);
    assert_int_equal(sm_names_find(names, "", 0), 10000);
    assert_string_equal(sm_names_get(names, 1234), "name 1234");
    char **list = sm_names_list(names);
    assert_string_equal(list[9999], "name 9999");
    assert_string_equal(list[10000], "");
    free(list);
    sm_names_free(names);
}

static void many_names_are_found_as_one_by_one(void **state) {
    (void)state;
    enum { N_NAMES = 5000, N_QUERY = 1000 };
    static char query[N_QUERY][32];
    sm_text texts[N_QUERY];
    uint32_t indices[N_QUERY];
    sm_names *names = sm_names_new();
    bool is_new;
    for (unsigned i = 0; i < N_NAMES; i++) {
        int n = snprintf(query[0], sizeof query[0], "%x", i * 2654435761u);
        sm_names_add(names, query[0], (size_t)n, &is_new);
        assert_true(is_new);
    }
    for (unsigned i = 0; i < N_QUERY; i++) { /* known ones, unknown ones, and beginnings of both */
        int n = snprintf(query[i], sizeof query[i], "%x", i * 7 * 2654435761u);
        texts[i] = (sm_text){query[i], (size_t)n - (i % 5 == 0)};
    }
    for (size_t n = 0; n <= N_QUERY; n += n < 200 ? 1 : 100) {
        memset(indices, 1, sizeof indices);
        sm_names_find_many(names, texts, n, indices);
        for (size_t i = 0; i < n; i++) assert_int_equal(indices[i], sm_names_find(names, texts[i].bytes, texts[i].n));
        if (n < N_QUERY) assert_int_equal(indices[n], 0x01010101);
    }
    assert_true(indices[1] == 7 && indices[N_QUERY - 1] == SMERF_MISSING);
    sm_names_free(names);
}

static void items_without_ids_are_called_by_number(void **state) {
    (void)state;
    static const char *const strangers[] = {"", "01", "+1", "1.0", " 1", "12", "99999999999", "4294967296", "a"};
    sm_id_table id_table;
    assert_int_equal(sm_id_table_start(&id_table, NULL, 12, NULL), SMERF_OK);
    assert_int_equal(sm_id_table_find(&id_table, "0", 1), 0);
    assert_int_equal(sm_id_table_find(&id_table, "11", 2), 11);
    for (size_t i = 0; i < sizeof strangers / sizeof strangers[0]; i++)
        assert_int_equal(sm_id_table_find(&id_table, strangers[i], strlen(strangers[i])), SMERF_MISSING);
    sm_id_table_stop(&id_table);
    char *ids[] = {"b", "1"};
    assert_int_equal(sm_id_table_start(&id_table, ids, 2, NULL), SMERF_OK);
    assert_int_equal(sm_id_table_find(&id_table, "1", 1), 1);
    assert_int_equal(sm_id_table_find(&id_table, "0", 1), SMERF_MISSING);
    sm_id_table_stop(&id_table);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_most_frequent_separator_of_the_first_line_counts),
        cmocka_unit_test(separators_inside_quotes_are_not_counted),
        cmocka_unit_test(quotes_protect_separators_and_line_ends),
        cmocka_unit_test(doubled_quotes_are_one),
        cmocka_unit_test(a_quote_inside_a_plain_cell_is_text),
        cmocka_unit_test(lines_end_with_lf_crlf_or_cr),
        cmocka_unit_test(empty_lines_are_skipped),
        cmocka_unit_test(a_byte_order_mark_is_skipped),
        cmocka_unit_test(empty_cells_at_the_ends_are_cells),
        cmocka_unit_test(a_quote_that_never_ends_is_refused_where_it_opens),
        cmocka_unit_test(text_after_a_closing_quote_is_refused),
        cmocka_unit_test(a_nul_byte_is_refused),
        cmocka_unit_test(errors_are_where_an_editor_finds_them),
        cmocka_unit_test(any_damage_gives_cells_or_a_message),
        cmocka_unit_test(plain_numbers_are_read_at_once),
        cmocka_unit_test(a_file_that_cannot_be_opened_says_why),
        cmocka_unit_test(pipes_and_odd_files_are_read_whole),
        cmocka_unit_test(excerpts_stay_on_one_line_and_keep_characters_whole),
        cmocka_unit_test(names_are_found_again),
        cmocka_unit_test(many_names_are_found_as_one_by_one),
        cmocka_unit_test(items_without_ids_are_called_by_number),
    };
    return cmocka_run_group_tests(tests, files_enter, files_leave);
}
