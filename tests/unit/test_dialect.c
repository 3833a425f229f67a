/* test_dialect.c - how a text separates its cells and writes its numbers, as it is found. */
#include "tests/unit/files.h"

#include "io/matrix/matrix.h"
#include "io/pairs/pairs.h"
#include "io/text/table.h"

/* The dialect of a text in a few letters: the separator (_ for white space), "," for decimal commas, "!" for both kinds, "<" for a
 * short header. */
static const char *dialect_of(const char *text) {
    static char letters[8];
    sm_source source;
    smerf_error error;
    write_text("t.csv", text);
    if (sm_source_open("t.csv", &source, &error) != SMERF_OK) fail_msg("%s: %s", text, error.message);
    const sm_dialect *dialect = &source.dialect;
    char separator = dialect->separator == ' ' ? '_' : dialect->separator == '\t' ? 't' : dialect->separator;
    snprintf(letters, sizeof letters, "%c%s%s%s", separator, dialect->has_decimal_commas ? "," : "",
             dialect->has_both ? "!" : "", dialect->has_short_header ? "<" : "");
    sm_source_close(&source);
    return letters;
}

typedef struct text_case {
    const char *text, *dialect;
} text_case;

static void assert_dialects(const text_case *cases, size_t n) {
    for (size_t k = 0; k < n; k++)
        if (strcmp(dialect_of(cases[k].text), cases[k].dialect) != 0)
            fail_msg("%s is %s, and not %s", cases[k].text, dialect_of(cases[k].text), cases[k].dialect);
}

static void numbers_with_commas_are_found_where_commas_do_not_separate(void **state) {
    (void)state;
    static const text_case cases[] = {
        {"a;b\n3,14;2\n", ";,"},
        {"a\tb\n3,14\t2\n", "t,"},
        {"0;0,5;0,7\n0,5;0;0,2\n0,7;0,2;0\n", ";,"}, /* as many commas as semicolons */
        {"0 0,5 0,7\n0,5 0 0,2\n0,7 0,2 0\n", "_,"},
        {"0,5;0,7;0,2\n", ";,"},
        {"a;b\n\"3,14\";2\n", ";,"},
        {"a;b\n-1,5e3;,5\n", ";,"},
        {"a;b\n1;2\n", ";"},
        {"a;b\n1.5;2\n", ";"},
        {"a,b\n\"3,14\",2\n", ","},                      /* a comma separates here */
        {"a;b\n1.5;x, y\n", ";"},                        /* a comma in words */
        {"a\tgenes\n1.5\t1,2,3\n2.5\t4,5\n2\tx\n", "t"}, /* lists among text are no numbers */
        {"a;b\n3,14;2.5\n", ";!"},
        {"a;b\n3,14;2\n2.5;7\n", ";!"},
        {"a;b\n3,14;v\n2,5;1.2\n1;w\n7;w\n", ";,"}, /* a column of words counts for nothing */
        {"a;b\n1.000,5;2\n", ";"},                  /* thousands: no number */
        {"a;b\n1,000,5;2\n", ";"},
    };
    assert_dialects(cases, sizeof cases / sizeof *cases);
}

static void white_space_separates_where_it_is_clear(void **state) {
    (void)state;
    static const text_case cases[] = {
        {"a b\n1 2\n3 4\n", "_"},
        {"  a   b\n  1\t 2  \n 3 4\n", "_"},
        {"\"a b\" c\n1 2\n", "_"},
        {"1 2 3\n", "_"},
        {"my distance\n1\n2\n", ","}, /* one column, whose name has a space */
        {"name\nJohn Smith\nAnna van Dyck\n", ","},
        {"a b\n", ","},
        {"a,b c\n1,2\n", ","},
        {"a;b c\n1;2\n", ";"},
        {"a b\n1 2", "_"},
        {"", ","},
        {"\n\n", ","},
        {"   ", ","},
    };
    assert_dialects(cases, sizeof cases / sizeof *cases);
}

static void a_header_that_is_one_cell_short_names_all_but_the_first_column(void **state) {
    (void)state;
    static const text_case cases[] = {
        {"\"a\" \"b\"\n\"r1\" 1 2\n\"r2\" 3 4\n", "_<"},
        {"a b\nr1 1 2\nr2 3 4\n", "_<"},
        {"\"a\",\"b\"\n\"r1\",1,2\n", ",<"},
        {"a\tb\nr1\t1\t2\n", "t<"},
        {"\"x\"\n\"1\" 5\n\"2\" 7\n", "_<"},
        {"\"x\"\n\"1\",5\n\"2\",7\n", ",<"},
        {"\"x\"\n\"1\";5,5\n\"2\";7\n", ";,<"},
        {"\"1\" \"2\"\n\"1\" 0 5\n\"2\" 5 0\n", "_<"}, /* names may be numbers, in quotes */
        {"x\n1,5\n2,7\n", ","},                        /* a name may have been forgotten */
        {"a,b\n1,2,\n3,4,\n", ","},                    /* a separator at the end */
        {"a,b\nr1,1,2\n3,4\n", ","},
        {"0,1\n1,0,3\n", ","},
        {"id,a\nu,1,2\nv,3,4\n", ","}, /* the first column has a name: that of another is not there */
        {"\"id\",\"a\"\n\"1\",\"u\",2\n", ",<"},
    };
    assert_dialects(cases, sizeof cases / sizeof *cases);
}

static void assert_not_opened(const char *text, const char *message) {
    sm_source source;
    smerf_error error;
    write_text("t.csv", text);
    assert_int_equal(sm_source_open("t.csv", &source, &error), SMERF_BAD_INPUT);
    assert_says(&error, message, "text with spaces needs quotes, or cells need commas between them");
    assert_null(source.bytes);
}

static void words_that_may_be_cells_or_not_are_refused(void **state) {
    (void)state;
    assert_not_opened("a b\n1 2\n3 4 5\n", "t.csv:3:1: 3 words in this row, and 2 in the first line");
    assert_not_opened("full name\nAnna van Dyck\nJohn Smith\n", "t.csv:3:1: 2 words in this row");
    assert_not_opened("a b c\n1 2\n3 4\n", "t.csv:1:1: 3 words above rows of 2");
}

static void a_number_with_a_comma_is_read_as_one_with_a_point(void **state) {
    (void)state;
    static const char *const texts[] = {"3,14",  "-0,5", "1,5e-3", ",25", "7",     "2.5",  " 1,0 ",
                                        "1e400", "NA",   "",       "x",   "1,2,3", "1.2,3"};
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        char with_point[16];
        double value = 0, expected = 0;
        strcpy(with_point, texts[k]);
        char *comma = strchr(with_point, ',');
        if (comma != NULL && strchr(texts[k], '.') == NULL) *comma = '.';
        assert_int_equal(sm_comma_number_parse(texts[k], strlen(texts[k]), &value),
                         sm_number_parse(with_point, strlen(with_point), &expected));
        assert_true(value == expected);
    }
}

/* ---- in the readers ---- */

static sm_table read_items(const char *text) {
    sm_table table;
    smerf_error error;
    write_text("t.csv", text);
    if (sm_table_read("t.csv", &(sm_table_spec){0}, &table, &error) != SMERF_OK) fail_msg("%s", error.message);
    return table;
}

static void items_are_the_same_in_every_dialect(void **state) {
    (void)state;
    static const char *const texts[] = {
        "\"\",a,b,k\nu,1.5,2,\"x, \"\"y\"\"\"\nv,-2.25,NA,\"z\n\"\n",
        "\"\";a;b;k\nu;1,5;2;\"x, \"\"y\"\"\"\nv;-2,25;;\"z\n\"\n",
        "a\tb\tk\nu\t1,5\t2\t\"x, \"\"y\"\"\"\nv\t-2,25\tNA\t\"z\n\"\n",
        "\"a\" \"b\" \"k\"\n\"u\" 1,5 2 \"x, \"\"y\"\"\"\n\"v\" -2,25 NA \"z\n\"\n",
        "\"a\",\"b\",\"k\"\n\"u\",1.5,2,\"x, \"\"y\"\"\"\n\"v\",-2.25,NA,\"z\n\"\n",
        "id a b k\nu 1.5 2 \"x, \"\"y\"\"\"\nv   -2.25\tNA \"z\n\"  \n",
    };
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        sm_table table = read_items(texts[k]);
        assert_true(table.n_rows == 2 && table.n_columns == 3);
        assert_string_equal(table.ids[0], "u");
        assert_string_equal(table.ids[1], "v");
        assert_true(table.columns[0].values[0] == 1.5 && table.columns[0].values[1] == -2.25);
        assert_true(table.columns[1].values[0] == 2 && table.columns[1].values[1] != table.columns[1].values[1]);
        assert_string_equal(table.columns[2].levels[0], "x, \"y\"");
        assert_string_equal(table.columns[2].levels[1], "z\n");
        sm_table_free(&table);
    }
}

static char *ids[] = {"u", "v, w", "x \"y\""};

static void matrices_are_the_same_in_every_dialect(void **state) {
    (void)state;
    static const char *const texts[] = {
        "\"\",\"u\",\"v, w\",\"x \"\"y\"\"\"\n\"u\",0,1.5,2\n\"v, w\",1.5,0,3\n\"x \"\"y\"\"\",2,3,0\n",
        "\"\";\"u\";\"v, w\";\"x \"\"y\"\"\"\n\"u\";0;1,5;2\n\"v, w\";1,5;0;3\n\"x \"\"y\"\"\";2;3;0\n",
        "\"u\" \"v, w\" \"x \"\"y\"\"\"\n\"u\" 0 1.5 2\n\"v, w\" 1.5 0 3\n\"x \"\"y\"\"\" 2 3 0\n",
        "0 1,5 2\n1,5 0 3\n2 3 0\n",
        "0;1,5;2\n1,5;0;3\n2;3;0\n",
        "0\t1.5\t2\n1.5\t0\t3\n2\t3\t0\n",
        "dist\n1.5\n2\n3\n",
        "\"x\"\n1.5\n2\n3\n",
        "\"\",\"x\"\n\"1\",1.5\n\"2\",2\n\"3\",3\n",
        "\"\";\"x\"\n\"1\";1,5\n\"2\";2\n\"3\";3\n",
        ",0\n0,1.5\n1,2\n2,3\n",
        "\"x\"\n\"1\" 1.5\n\"2\" 2\n\"3\" 3\n",
        "1.5 2 3\n",
        "1,5;2;3\n",
    };
    const sm_matrix_side side = {3, ids};
    const sm_matrix_spec spec = {.rows = side, .columns = side, .is_square = true};
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        sm_matrix matrix;
        smerf_error error;
        write_text("z.csv", texts[k]);
        if (sm_matrix_read("z.csv", &spec, &matrix, &error) != SMERF_OK) fail_msg("%s: %s", texts[k], error.message);
        const float z[9] = {0, 1.5F, 2, 1.5F, 0, 3, 2, 3, 0};
        for (size_t cell = 0; cell < 9; cell++) assert_true(matrix.z[cell] == z[cell]);
        assert_int_equal(matrix.has_header, k >= 6 && k <= 11);
        sm_matrix_free(&matrix);
    }
}

static void pairs_are_the_same_in_every_dialect(void **state) {
    (void)state;
    static const char *const texts[] = {
        "i,j,distance\nu,\"v, w\",1.5\n\"x \"\"y\"\"\",u,2\n",
        "\"\",\"i\",\"j\",\"distance\"\n\"1\",\"u\",\"v, w\",1.5\n\"2\",\"x \"\"y\"\"\",\"u\",2\n",
        "\"\";\"i\";\"j\";\"distance\"\n\"1\";\"u\";\"v, w\";1,5\n\"2\";\"x \"\"y\"\"\";\"u\";2\n",
        "\"i\" \"j\" \"distance\"\n\"1\" \"u\" \"v, w\" 1.5\n\"2\" \"x \"\"y\"\"\" \"u\" 2\n",
        "i\tj\tdistance\nu\t\"v, w\"\t1,5\n\"x \"\"y\"\"\"\tu\t2\n",
    };
    const sm_matrix_side side = {3, ids};
    const sm_pairs_spec spec = {.rows = side, .columns = side, .is_square = true};
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        sm_pairs pairs;
        smerf_error error;
        write_text("p.csv", texts[k]);
        if (sm_pairs_read_values("p.csv", &spec, &pairs, &error) != SMERF_OK)
            fail_msg("%s: %s", texts[k], error.message);
        assert_true(pairs.n == 2 && pairs.left[0] == 0 && pairs.right[0] == 1 && pairs.left[1] == 2 &&
                    pairs.right[1] == 0);
        assert_true(pairs.value[0] == 1.5 && pairs.value[1] == 2);
        assert_string_equal(pairs.columns.unused, k >= 1 && k <= 3 ? "(no name)" : "");
        sm_pairs_free(&pairs);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_with_commas_are_found_where_commas_do_not_separate),
        cmocka_unit_test(white_space_separates_where_it_is_clear),
        cmocka_unit_test(a_header_that_is_one_cell_short_names_all_but_the_first_column),
        cmocka_unit_test(words_that_may_be_cells_or_not_are_refused),
        cmocka_unit_test(a_number_with_a_comma_is_read_as_one_with_a_point),
        cmocka_unit_test(items_are_the_same_in_every_dialect),
        cmocka_unit_test(matrices_are_the_same_in_every_dialect),
        cmocka_unit_test(pairs_are_the_same_in_every_dialect),
    };
    return cmocka_run_group_tests(tests, files_enter, files_leave);
}
