/* test_table.c - ITEMS as they are read: columns of numbers and categories, ids, weights, and what is refused. */
#include "tests/unit/files.h"

#include <math.h>

#include "io/text/table.h"

static const sm_table_spec no_spec = {0};

static sm_table read_table(const char *path, const sm_table_spec *spec) {
    sm_table table;
    smerf_error error;
    if (sm_table_read(path, spec, &table, &error) != SMERF_OK) fail_msg("%s", error.message);
    return table;
}

static sm_table read_csv(const char *text, const sm_table_spec *spec) {
    write_text("t.csv", text);
    return read_table("t.csv", spec);
}

static void assert_refused_file(const char *path, const sm_table_spec *spec, const char *start, const char *words) {
    sm_table table;
    smerf_error error;
    assert_int_equal(sm_table_read(path, spec, &table, &error), SMERF_BAD_INPUT);
    assert_int_equal(error.status, SMERF_BAD_INPUT);
    assert_says(&error, start, words);
    assert_null(table.columns);
    assert_int_equal(sm_table_read(path, spec, &table, NULL), SMERF_BAD_INPUT); /* nobody need listen */
}

static void assert_refused_with(const char *text, const sm_table_spec *spec, const char *start, const char *words) {
    write_text("t.csv", text);
    assert_refused_file("t.csv", spec, start, words);
}

static void assert_refused(const char *text, const char *start, const char *words) {
    assert_refused_with(text, &no_spec, start, words);
}

static void numbers_and_words_become_columns(void **state) {
    (void)state;
    sm_table table = read_csv("x,colour,y\n1,red,0.5\n2,blue,-1e3\n3,red,.25\n", &no_spec);
    assert_int_equal(table.n_rows, 3);
    assert_int_equal(table.n_columns, 3);
    assert_string_equal(table.columns[0].name, "x");
    assert_true(!table.columns[0].is_category && table.columns[0].codes == NULL);
    assert_true(table.columns[0].values[2] == 3 && table.columns[2].values[1] == -1000);
    const sm_table_column *colour = &table.columns[1];
    assert_true(colour->is_category && colour->values == NULL);
    assert_int_equal(colour->n_levels, 2);
    assert_string_equal(colour->levels[0], "red");
    assert_string_equal(colour->levels[1], "blue");
    assert_true(colour->codes[0] == 0 && colour->codes[1] == 1 && colour->codes[2] == 0);
    assert_true(table.ids == NULL && table.id_column == NULL && table.weights == NULL);
    sm_table_free(&table);
    sm_table_free(&table); /* a second time does no harm */
}

static void values_missing_before_the_first_one_are_missing(void **state) {
    (void)state;
    sm_table table = read_csv("a,b,c\nNA,,x\n,NaN,\n1,y,nan\n,,\n", &no_spec);
    assert_true(isnan(table.columns[0].values[0]) && isnan(table.columns[0].values[1]));
    assert_true(table.columns[0].values[2] == 1 && isnan(table.columns[0].values[3]));
    assert_true(table.columns[1].codes[0] == SMERF_MISSING && table.columns[1].codes[1] == SMERF_MISSING);
    assert_true(table.columns[1].codes[2] == 0 && table.columns[1].codes[3] == SMERF_MISSING);
    assert_true(table.columns[2].codes[0] == 0 && table.columns[2].codes[2] == SMERF_MISSING);
    sm_table_free(&table);
}

static void a_column_without_values_is_a_column_of_numbers(void **state) {
    (void)state;
    sm_table table = read_csv("a,b\n,1\nNA,2\n", &no_spec);
    assert_false(table.columns[0].is_category);
    assert_true(isnan(table.columns[0].values[0]) && isnan(table.columns[0].values[1]));
    sm_table_free(&table);
}

static void a_mixture_is_refused_at_the_first_cell_that_disagrees(void **state) {
    (void)state;
    assert_refused("a,b\n1,2\n3,x\n4,y\n", "t.csv:3:3: \"x\" is no number", "holds numbers above");
    assert_refused("a,b\n1,x\n3,\n4,5\n", "t.csv:4:3: \"5\" is a number", "column \"b\" holds text above");
    assert_refused("a,b\n1,NA\n2,x\n3,7\n", "t.csv:4:3: ", "--categories");
    assert_refused("caf\xC3\xA9,\xE2\x82\xAC\n\xC3\xA9\xC3\xA9,1\n\xC3\xA9,z\xC3\xBC\n", "t.csv:3:3: \"z\xC3\xBC\"",
                   "number");
}

static void an_infinity_is_refused(void **state) {
    (void)state;
    assert_refused("a\n1\ninf\n", "t.csv:3:1: ", "infinite value in column \"a\"");
    assert_refused("a\n-Infinity\n", "t.csv:2:1: ", "infinite");
    assert_refused("a\n1\n1e400\n", "t.csv:3:1: ", "infinite");
    assert_refused("a\nx\ninf\n", "t.csv:3:1: ", "holds text above");
}

static void ragged_rows_are_refused(void **state) {
    (void)state;
    assert_refused("a,b,c\n1,2,3\n4,5\n", "t.csv:3:3: ", "fewer cells than the header, which has 3");
    assert_refused("a,b,c\n1,2,3\n4,5,6,7\n", "t.csv:3:7: ", "more cells");
    assert_refused("a,b\n1,2,\n", "t.csv:2:5: ", "more cells");
    assert_refused("a,b\nx\n", "t.csv:2:1: ", "fewer");
    assert_refused("a\n1,2\n", "t.csv:2:3: ", "more cells than the header, which has 1");
}

static void a_header_is_needed(void **state) {
    (void)state;
    assert_refused("", "t.csv:1:1: ", "empty");
    assert_refused("\n\r\n", "t.csv:", "empty");
    assert_refused("\xEF\xBB\xBF", "t.csv:1:1: ", "empty");
    assert_refused("1.5,2\n3,4\n", "t.csv:1:1: ", "header");
    assert_refused("a,,c\n1,2,3\n", "t.csv:1:3: ", "without a name");
    assert_refused("a,b,a\n1,2,3\n", "t.csv:1:5: ", "second column is called \"a\"");
}

static void whole_numbers_may_be_names(void **state) {
    (void)state;
    sm_table table = read_csv("2019,2020\n1,2\n", &no_spec);
    assert_string_equal(table.columns[1].name, "2020");
    sm_table_free(&table);
}

static void rows_are_needed(void **state) {
    (void)state;
    assert_refused("a,b\n", "t.csv:2:1: ", "without rows");
    assert_refused("a,b", "t.csv:1:4: ", "without rows");
}

static void a_column_called_id_names_the_items(void **state) {
    (void)state;
    sm_table table = read_csv("x,id\n1,p\n2,NA\n3,7\n", &no_spec);
    assert_int_equal(table.n_columns, 1);
    assert_string_equal(table.id_column, "id");
    assert_string_equal(table.ids[0], "p");
    assert_string_equal(table.ids[1], "NA");
    assert_string_equal(table.ids[2], "7");
    sm_table_free(&table);
    const sm_table_spec spec = {.id = "x"};
    table = read_csv("x,id\n1.0,5\n2,5\n", &spec); /* then "id" is a feature */
    assert_string_equal(table.id_column, "x");
    assert_string_equal(table.ids[0], "1.0");
    assert_string_equal(table.columns[0].name, "id");
    sm_table_free(&table);
}

static void ids_are_there_and_different(void **state) {
    (void)state;
    assert_refused("id,x\na,1\nb,2\na,3\n", "t.csv:4:1: ", "id \"a\"");
    assert_refused("id,x\na,1\n,2\n", "t.csv:3:1: ", "without an id");
    assert_refused("x,id\n1,\"a\nb\"\n2,\"a\nb\"\n", "t.csv:4:3: ", "id \"a b\"");
}

static void ignored_columns_are_not_looked_at(void **state) {
    (void)state;
    const char *const ignore[] = {"note", "id"};
    const sm_table_spec spec = {.ignore = ignore, .n_ignore = 2};
    sm_table table = read_csv("id,x,note\n1,2,inf\n1,3,5\n1,4,z\n", &spec);
    assert_int_equal(table.n_columns, 1);
    assert_null(table.ids);
    assert_true(table.columns[0].values[2] == 4);
    sm_table_free(&table);
}

static void named_categories_take_numbers_as_words(void **state) {
    (void)state;
    const char *const categories[] = {"zip"};
    const sm_table_spec spec = {.categories = categories, .n_categories = 1};
    sm_table table = read_csv("zip,x\n01,1\n1,2\n,3\ninf,4\n01,5\n", &spec);
    assert_int_equal(table.columns[0].n_levels, 3);
    assert_string_equal(table.columns[0].levels[0], "01");
    assert_true(table.columns[0].codes[2] == SMERF_MISSING && table.columns[0].codes[4] == 0);
    sm_table_free(&table);
    table = read_csv("zip,x\n,1\nNA,2\n", &spec);
    assert_true(table.columns[0].is_category && table.columns[0].n_levels == 0);
    assert_non_null(table.columns[0].levels);
    sm_table_free(&table);
}

static void named_numbers_must_be_numbers(void **state) {
    (void)state;
    const char *const numbers[] = {"x"};
    const sm_table_spec spec = {.numbers = numbers, .n_numbers = 1};
    assert_refused_with("x,y\na,1\nb,2\n", &spec, "t.csv:2:1: \"a\" is no number", "must hold numbers");
}

static void a_named_column_must_be_there(void **state) {
    (void)state;
    const char *const names[] = {"nowhere"};
    const sm_table_spec specs[] = {{.id = "nowhere"},
                                   {.weight = "nowhere"},
                                   {.ignore = names, .n_ignore = 1},
                                   {.categories = names, .n_categories = 1},
                                   {.numbers = names, .n_numbers = 1}};
    for (size_t i = 0; i < sizeof specs / sizeof specs[0]; i++)
        assert_refused_with("a,b\n1,2\n", &specs[i], "t.csv:1:1: there is no column \"nowhere\"", "\"a\", \"b\"");
    const sm_table_spec by_number = {.id = "0"};
    assert_refused_with("a,b\n1,2\n", &by_number, "t.csv:1:1: ", "no column \"0\""); /* there are names */
}

static void many_columns_are_not_all_listed(void **state) {
    (void)state;
    char text[4096];
    size_t at = 0;
    for (int j = 0; j < 300; j++) at += (size_t)snprintf(text + at, sizeof text - at, "column%d,", j);
    strcpy(text + at, "z\n");
    const sm_table_spec spec = {.id = "nowhere"};
    assert_refused_with(text, &spec, "t.csv:1:1: ", ", ...");
}

static void weights_are_numbers_above_zero(void **state) {
    (void)state;
    const sm_table_spec spec = {.weight = "w"};
    sm_table table = read_csv("w,x\n1,2\n0.5,3\n", &spec);
    assert_int_equal(table.n_columns, 1);
    assert_true(table.weights[0] == 1 && table.weights[1] == 0.5);
    sm_table_free(&table);
    assert_refused_with("w,x\n1,2\n0,3\n", &spec, "t.csv:3:1: ", "weight must be a number > 0");
    assert_refused_with("w,x\n-1,2\n", &spec, "t.csv:2:1: ", "> 0");
    assert_refused_with("w,x\n,2\n", &spec, "t.csv:2:1: ", "> 0");
    assert_refused_with("w,x\ninf,2\n", &spec, "t.csv:2:1: ", "an item weight must be a number > 0");
    assert_refused_with("w,x\nheavy,2\n", &spec, "t.csv:2:1: ", "no number");
}

static void targets_are_no_features_and_come_in_the_order_of_the_spec(void **state) {
    (void)state;
    const char *const targets[] = {"z", "y"}, *const numbers[] = {"x"}, *const ignore[] = {"z", "w"};
    sm_table_spec spec = {.targets = targets, .n_targets = 2};
    const char *text = "y,x,z,w\n1,2,-3.5,u\n4,5,6e2,v\n";
    sm_table table = read_csv(text, &spec);
    assert_true(table.n_columns == 2 && table.n_targets == 2);
    assert_string_equal(table.columns[0].name, "x");
    assert_string_equal(table.columns[1].name, "w");
    assert_string_equal(table.targets[0].name, "z");
    assert_string_equal(table.targets[1].name, "y");
    assert_true(!table.targets[0].is_category && table.targets[0].codes == NULL);
    assert_true(table.targets[0].values[0] == -3.5 && table.targets[0].values[1] == 600);
    assert_true(table.targets[1].values[0] == 1 && table.targets[1].values[1] == 4);
    sm_table_free(&table);
    sm_table_free(&table); /* a second time does no harm */
    spec.numbers = numbers;
    spec.n_numbers = 1;
    spec.only_known = true;
    table = read_csv(text, &spec);
    assert_true(table.n_columns == 1 && table.n_targets == 2 && table.targets[1].values[1] == 4);
    sm_table_free(&table);
    const sm_table_spec ignored = {.targets = targets, .n_targets = 2, .ignore = ignore, .n_ignore = 2};
    table = read_csv(text, &ignored); /* to the reader of another target it is none of the features */
    assert_true(table.n_columns == 1 && table.n_targets == 2 && table.targets[0].values[0] == -3.5);
    sm_table_free(&table);
}

static void labels_are_text_whatever_they_look_like(void **state) {
    (void)state;
    const char *const targets[] = {"y"}, *const second[] = {"1"};
    const sm_table_spec spec = {.targets = targets, .n_targets = 1, .targets_are_labels = true};
    sm_table table = read_csv("x,y\n1,01\n2,b c\n3,1\n4,01\n5,inf\n", &spec);
    const sm_table_column *labels = &table.targets[0];
    assert_true(labels->is_category && labels->values == NULL && labels->n_levels == 4);
    static const char *const levels[] = {"01", "b c", "1", "inf"};
    for (size_t k = 0; k < 4; k++) assert_string_equal(labels->levels[k], levels[k]);
    static const uint32_t codes[] = {0, 1, 2, 0, 3};
    assert_memory_equal(labels->codes, codes, sizeof codes);
    sm_table_free(&table);
    const sm_table_spec by_number = {.targets = second, .n_targets = 1, .targets_are_labels = true};
    const double rows[6] = {1, 0.1, 2, 7, 3, 0.1};
    write_npy("t.npy", "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 2), }", rows, sizeof rows);
    table = read_table("t.npy", &by_number);
    assert_true(table.n_columns == 1 && table.targets[0].n_levels == 2);
    assert_string_equal(table.targets[0].name, "x1");
    assert_string_equal(table.targets[0].levels[0], "0.1");
    assert_string_equal(table.targets[0].levels[1], "7");
    assert_true(table.targets[0].codes[0] == 0 && table.targets[0].codes[1] == 1 && table.targets[0].codes[2] == 0);
    sm_table_free(&table);
}

static void every_item_has_its_target(void **state) {
    (void)state;
    const char *const targets[] = {"y"};
    const sm_table_spec labels = {.targets = targets, .n_targets = 1, .targets_are_labels = true};
    const sm_table_spec response = {.targets = targets, .n_targets = 1};
    static const char *const missing[] = {"", "NA", "nan", " ", "\"\""};
    for (size_t i = 0; i < sizeof missing / sizeof missing[0]; i++) {
        char text[64];
        snprintf(text, sizeof text, "x,y\n1,2\n2,%s\n", missing[i]);
        assert_refused_with(text, &labels, "t.csv:3:3: a missing label; every item needs one", "");
        assert_refused_with(text, &response, "t.csv:3:3: a missing response; every item needs one", "");
    }
    assert_refused_with("x,y\n1,2\n2,b\n", &response, "t.csv:3:3: \"b\" is no number", "\"y\" must hold numbers");
    assert_refused_with("x,y\n1,-inf\n", &response, "t.csv:2:3: an infinite value in column \"y\"", "finite");
    assert_refused_with("x,y\n1,\xFF\n", &labels, "t.csv:2:3: ", "UTF-8");
    const char *const second[] = {"x1"};
    const sm_table_spec npy_labels = {.targets = second, .n_targets = 1, .targets_are_labels = true};
    const sm_table_spec npy_response = {.targets = second, .n_targets = 1};
    const double rows[4] = {1, 2, 3, NAN}, large[4] = {1, 2, 3, INFINITY};
    const char *shape = "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 2), }";
    write_npy("t.npy", shape, rows, sizeof rows);
    assert_refused_file("t.npy", &npy_labels, "t.npy: row 1, column 1: a missing label", "");
    assert_refused_file("t.npy", &npy_response, "t.npy: row 1, column 1: a missing response", "");
    write_npy("t.npy", shape, large, sizeof large);
    assert_refused_file("t.npy", &npy_response, "t.npy: row 1, column 1: an infinite value", "");
}

static void a_target_is_nothing_else(void **state) {
    (void)state;
    const char *const y[] = {"y"}, *const twice[] = {"y", "x", "y"};
    const sm_table_spec id = {.targets = y, .n_targets = 1, .id = "y"};
    const sm_table_spec weight = {.targets = y, .n_targets = 1, .weight = "y"};
    const sm_table_spec category = {.targets = y, .n_targets = 1, .categories = y, .n_categories = 1};
    const sm_table_spec feature = {.targets = y, .n_targets = 1, .numbers = y, .n_numbers = 1, .only_known = true};
    const sm_table_spec again = {.targets = twice, .n_targets = 3};
    const sm_table_spec only = {.targets = twice, .n_targets = 2};
    const char *start = "t.csv:1:1: column \"y\" is named as the target and as ";
    const char *text = "x,y\n1,2\n3,4\n";
    assert_refused_with(text, &id, start, "as the id; it can be one thing only");
    assert_refused_with(text, &weight, start, "as the weight; ");
    assert_refused_with(text, &category, start, "as a category; ");
    assert_refused_with(text, &feature, start, "as a feature; ");
    assert_refused_with(text, &again, "t.csv:1:1: column \"y\" is named as the target a second time", "");
    assert_refused_with(text, &only, "t.csv:1:1: no feature is left", "target");
    assert_refused_with("x,z\n1,2\n", &only, "t.csv:1:1: there is no column \"y\"", "\"x\", \"z\"");
    const char *const numbers[] = {"0", "x0"};
    const sm_table_spec same = {.targets = numbers, .n_targets = 2};
    const double rows[2] = {1, 2};
    write_npy("t.npy", "{'descr': '<f8', 'fortran_order': False, 'shape': (1, 2), }", rows, sizeof rows);
    assert_refused_file("t.npy", &same, "t.npy: column \"x0\" is named as the target", "second time");
}

/* Numbers or categories, as the values say; and none where there is no such column. */
static void a_target_may_be_open_or_absent(void **state) {
    (void)state;
    const char *const targets[] = {"y", "id"};
    const sm_table_spec open = {.targets = targets, .n_targets = 2, .targets_are_open = true};
    const sm_table_spec maybe = {.targets = targets, .n_targets = 2, .targets_may_be_absent = true};
    sm_table table;
    smerf_error error;
    write_text("t.csv", "x,y,id\n1,red,5\n3,blue,6\n");
    assert_int_equal(sm_table_read("t.csv", &open, &table, &error), SMERF_OK);
    assert_true(table.n_columns == 1 && table.n_targets == 2 && table.ids == NULL);
    assert_true(table.targets[0].is_category && table.targets[0].n_levels == 2);
    assert_true(!table.targets[1].is_category && table.targets[1].values[1] == 6);
    sm_table_free(&table);
    write_text("t.csv", "x,id\n1,5\n");
    assert_int_equal(sm_table_read("t.csv", &maybe, &table, &error), SMERF_OK);
    assert_true(table.n_targets == 1 && table.targets[0].values[0] == 5);
    sm_table_free(&table);
    assert_refused_with("x,y,id\n1,,5\n", &open, "t.csv:2:3: a missing label or number; every item needs one", "");
    assert_refused_with("x,y,id\n1,2,5\n1,,5\n", &open, "t.csv:3:3: a missing response", "");
    assert_refused_with("x,y,id\n1,2,5\n1,red,5\n", &open, "t.csv:3:3: \"red\" is no number", "holds numbers above");
    assert_refused_with("x,y,id\n1,red,5\n1,2,5\n", &open, "t.csv:3:3: \"2\" is a number", "holds text above");
    assert_refused_with("x,id\n1,5\n", &open, "t.csv:1:1: there is no column \"y\"", "");
}

static void an_id_that_is_only_a_guess_gives_way_to_a_target(void **state) {
    (void)state;
    const char *const targets[] = {"id"}, *const numbers[] = {"x"};
    const sm_table_spec usual = {.targets = targets, .n_targets = 1};
    const sm_table_spec known = {.targets = targets,
                                 .n_targets = 1,
                                 .id = "id",
                                 .id_may_be_absent = true,
                                 .numbers = numbers,
                                 .n_numbers = 1,
                                 .only_known = true};
    const sm_table_spec *const specs[] = {&usual, &known};
    for (size_t i = 0; i < 2; i++) {
        sm_table table = read_csv("id,x\n7,1\n7,2\n", specs[i]);
        assert_true(table.ids == NULL && table.id_column == NULL && table.n_columns == 1);
        assert_true(table.targets[0].values[0] == 7 && table.targets[0].values[1] == 7);
        sm_table_free(&table);
    }
}

static void a_feature_must_be_left(void **state) {
    (void)state;
    assert_refused("id\na\n", "t.csv:1:1: ", "no feature is left");
}

static void a_known_table_leaves_out_what_it_does_not_know(void **state) {
    (void)state;
    const char *const numbers[] = {"x"}, *const categories[] = {"c"}, *const ignore[] = {"gone"};
    const sm_table_spec spec = {.id = "name",
                                .ignore = ignore,
                                .n_ignore = 1,
                                .numbers = numbers,
                                .n_numbers = 1,
                                .categories = categories,
                                .n_categories = 1,
                                .only_known = true,
                                .id_may_be_absent = true};
    sm_table table = read_csv("extra,c,x,more\n1,u,2,x\ny,3,4,inf\n", &spec);
    assert_int_equal(table.n_columns, 2);
    assert_null(table.ids);
    assert_string_equal(table.columns[0].name, "c");
    assert_true(table.columns[1].values[1] == 4);
    sm_table_free(&table);
    table = read_csv("x,name,c\n1,n,u\n", &spec);
    assert_string_equal(table.ids[0], "n");
    sm_table_free(&table);
    assert_refused_with("x,name\n1,n\n", &spec, "t.csv:1:1: ", "no column \"c\"");
    assert_refused_with("x,c\nlow,u\n", &spec, "t.csv:2:1: ", "must hold numbers");
    sm_table_spec sure = spec;
    sure.id_may_be_absent = false;
    assert_refused_with("x,c\n1,u\n", &sure, "t.csv:1:1: ", "no column \"name\"");
}

static void line_ends_and_quotes_do_not_change_a_table(void **state) {
    (void)state;
    static const char *const texts[] = {"id,a,b\n1,0.5,x y\n2,,z\n", "id;a;b\r\n1;0.5;x y\r\n2;;z",
                                        "\xEF\xBB\xBFid\ta\tb\r1\t0.5\tx y\r2\t\tz\r",
                                        "\n\"id\",\"a\",\"b\"\n\n\"1\",\"0.5\",\"x y\"\n\n2,\"\",\"z\"\n\n"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        sm_table table = read_csv(texts[i], &no_spec);
        assert_true(table.n_rows == 2 && table.n_columns == 2);
        assert_true(table.columns[0].values[0] == 0.5 && isnan(table.columns[0].values[1]));
        assert_string_equal(table.columns[1].levels[0], "x y");
        assert_string_equal(table.columns[1].levels[1], "z");
        assert_string_equal(table.ids[1], "2");
        sm_table_free(&table);
    }
}

static void a_table_cut_anywhere_is_read_or_refused_in_one_line(void **state) {
    (void)state;
    static const char text[] = "id,\"a\"\"b\",c\r\nx,1.25,\"r,s\"\r\n\"y\",NA,t\r\n";
    for (size_t n = 0; n < sizeof text; n++) {
        sm_table table;
        smerf_error error;
        write_bytes("t.csv", text, n);
        if (sm_table_read("t.csv", &no_spec, &table, &error) != SMERF_OK) assert_says(&error, "t.csv:", ": ");
        sm_table_free(&table);
    }
}

static void npy_columns_are_called_x0_and_so_on(void **state) {
    (void)state;
    const double rows[6] = {1, 2, 3, 4, NAN, 6};
    write_npy("t.npy", "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }", rows, sizeof rows);
    sm_table table = read_table("t.npy", &no_spec);
    assert_true(table.n_rows == 2 && table.n_columns == 3);
    assert_string_equal(table.columns[2].name, "x2");
    assert_true(table.columns[0].values[1] == 4 && table.columns[2].values[0] == 3);
    assert_true(isnan(table.columns[1].values[1]));
    sm_table_free(&table);
    write_npy("t.npy", "{'descr': '<f8', 'fortran_order': True, 'shape': (2, 3), }", rows, sizeof rows);
    table = read_table("t.npy", &no_spec);
    assert_true(table.columns[0].values[1] == 2 && table.columns[1].values[0] == 3);
    sm_table_free(&table);
}

static void npy_columns_are_found_by_name_or_by_number(void **state) {
    (void)state;
    const double rows[8] = {10, 0.1, 1, 5, 11, 0.1, 2, NAN};
    const char *const categories[] = {"x1", "3"};
    const sm_table_spec spec = {.id = "0", .weight = "x2", .categories = categories, .n_categories = 2};
    write_npy("t.npy", "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 4), }", rows, sizeof rows);
    sm_table table = read_table("t.npy", &spec);
    assert_int_equal(table.n_columns, 2);
    assert_string_equal(table.id_column, "x0");
    assert_string_equal(table.ids[1], "11");
    assert_true(table.weights[1] == 2);
    assert_string_equal(table.columns[0].levels[0], "0.1");
    assert_true(table.columns[0].codes[1] == 0 && table.columns[1].codes[1] == SMERF_MISSING);
    sm_table_free(&table);
    const sm_table_spec absent = {.id = "4"};
    assert_refused_file("t.npy", &absent, "t.npy: there is no column \"4\"", "\"x3\"");
}

static void npy_tables_are_refused_by_row_and_column(void **state) {
    (void)state;
    const double rows[4] = {1, 2, 3, INFINITY}, same[4] = {1, 2, 1, 3}, unnamed[2] = {NAN, 1};
    const sm_table_spec id = {.id = "0"}, weight = {.weight = "0"};
    const char *shape = "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 2), }";
    write_npy("t.npy", shape, rows, sizeof rows);
    assert_refused_file("t.npy", &no_spec, "t.npy: row 1, column 1: ", "infinite");
    write_npy("t.npy", shape, same, sizeof same);
    assert_refused_file("t.npy", &id, "t.npy: row 1, column 0: ", "id \"1\"");
    write_npy("t.npy", "{'descr': '<f8', 'fortran_order': False, 'shape': (1, 2), }", unnamed, sizeof unnamed);
    assert_refused_file("t.npy", &id, "t.npy: row 0, column 0: ", "without an id");
    assert_refused_file("t.npy", &weight, "t.npy: row 0, column 0: ", "weight");
    write_npy("t.npy", "{'descr': '<f8', 'fortran_order': False, 'shape': (2,), }", unnamed, sizeof unnamed);
    assert_refused_file("t.npy", &no_spec, "t.npy: ", "2-D");
    write_npy("t.npy", "{'descr': '<f8', 'fortran_order': False, 'shape': (0, 4611686018427387904), }", rows, 0);
    assert_refused_file("t.npy", &no_spec, "t.npy: ", "2-D");
    write_npy("t.npy", "{'descr': '<f8', 'fortran_order': False, 'shape': (4611686018427387904, 0), }", rows, 0);
    assert_refused_file("t.npy", &no_spec, "t.npy: ", "2-D");
}

static void large_tables_of_both_kinds_hold_the_same(void **state) {
    (void)state;
    enum { N_ROWS = 150, N_COLUMNS = 100 };
    static float numbers[N_ROWS][N_COLUMNS];
    FILE *csv = fopen("large.csv", "w"), *npy = fopen("large.npy", "w");
    const char *dictionary = "{'descr': '<f4', 'fortran_order': False, 'shape': (150, 100), }";
    for (int j = 0; j < N_COLUMNS; j++) fprintf(csv, "x%d%c", j, j + 1 < N_COLUMNS ? ',' : '\n');
    for (int i = 0; i < N_ROWS; i++) {
        for (int j = 0; j < N_COLUMNS; j++) {
            numbers[i][j] = (float)(i * 1000 + j) / 8;
            fprintf(csv, "%.17g%c", (double)numbers[i][j], j + 1 < N_COLUMNS ? ',' : '\n');
        }
    }
    const char start[] = {'\x93', 'N', 'U', 'M', 'P', 'Y', 1, 0, (char)strlen(dictionary), 0};
    fwrite(start, 1, sizeof start, npy);
    fputs(dictionary, npy);
    fwrite(numbers, sizeof numbers, 1, npy);
    fclose(csv);
    fclose(npy);
    sm_table a = read_table("large.csv", &no_spec), b = read_table("large.npy", &no_spec);
    assert_true(a.n_rows == N_ROWS && b.n_rows == N_ROWS && a.n_columns == N_COLUMNS && b.n_columns == N_COLUMNS);
    for (size_t j = 0; j < N_COLUMNS; j++) {
        assert_string_equal(a.columns[j].name, b.columns[j].name);
        assert_memory_equal(a.columns[j].values, b.columns[j].values, N_ROWS * sizeof(double));
    }
    sm_table_free(&a);
    sm_table_free(&b);
}

/* Nothing says beforehand how many rows there are: long ones first, then many short ones, and columns that stay open. */
static void a_table_holds_whatever_number_of_rows_comes(void **state) {
    (void)state;
    enum { N = 40000, FIRST_WORD = 9000, FIRST_NUMBER = 17000 };
    FILE *file = fopen("t.csv", "w");
    fputs("x,word,late\n", file);
    for (int i = 0; i < N; i++) {
        fprintf(file, "%.*f", i < 2000 ? 300 : 1, i + 0.5);
        fprintf(file, i < FIRST_WORD ? "," : ",w%d", i % 7);
        fprintf(file, i < FIRST_NUMBER ? ",\n" : ",%d\n", i);
    }
    fclose(file);
    sm_table table = read_table("t.csv", &no_spec);
    assert_int_equal(table.n_rows, N);
    for (uint32_t i = 0; i < N; i++) {
        double late = table.columns[2].values[i];
        uint32_t code = table.columns[1].codes[i];
        assert_true(table.columns[0].values[i] == i + 0.5);
        assert_true(i < FIRST_WORD ? code == SMERF_MISSING : atoi(table.columns[1].levels[code] + 1) == (int)i % 7);
        assert_true(i < FIRST_NUMBER ? isnan(late) : late == i);
    }
    sm_table_free(&table);
}

static void a_table_that_cannot_be_opened_is_an_io_error(void **state) {
    (void)state;
    sm_table table;
    smerf_error error;
    assert_int_equal(sm_table_read("absent.csv", &no_spec, &table, &error), SMERF_IO);
    assert_says(&error, "absent.csv: cannot be opened: ", "No such file");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_and_words_become_columns),
        cmocka_unit_test(values_missing_before_the_first_one_are_missing),
        cmocka_unit_test(a_column_without_values_is_a_column_of_numbers),
        cmocka_unit_test(a_mixture_is_refused_at_the_first_cell_that_disagrees),
        cmocka_unit_test(an_infinity_is_refused),
        cmocka_unit_test(ragged_rows_are_refused),
        cmocka_unit_test(a_header_is_needed),
        cmocka_unit_test(whole_numbers_may_be_names),
        cmocka_unit_test(rows_are_needed),
        cmocka_unit_test(a_column_called_id_names_the_items),
        cmocka_unit_test(ids_are_there_and_different),
        cmocka_unit_test(ignored_columns_are_not_looked_at),
        cmocka_unit_test(named_categories_take_numbers_as_words),
        cmocka_unit_test(named_numbers_must_be_numbers),
        cmocka_unit_test(a_named_column_must_be_there),
        cmocka_unit_test(many_columns_are_not_all_listed),
        cmocka_unit_test(weights_are_numbers_above_zero),
        cmocka_unit_test(targets_are_no_features_and_come_in_the_order_of_the_spec),
        cmocka_unit_test(labels_are_text_whatever_they_look_like),
        cmocka_unit_test(every_item_has_its_target),
        cmocka_unit_test(a_target_is_nothing_else),
        cmocka_unit_test(a_target_may_be_open_or_absent),
        cmocka_unit_test(an_id_that_is_only_a_guess_gives_way_to_a_target),
        cmocka_unit_test(a_feature_must_be_left),
        cmocka_unit_test(a_known_table_leaves_out_what_it_does_not_know),
        cmocka_unit_test(line_ends_and_quotes_do_not_change_a_table),
        cmocka_unit_test(a_table_cut_anywhere_is_read_or_refused_in_one_line),
        cmocka_unit_test(npy_columns_are_called_x0_and_so_on),
        cmocka_unit_test(npy_columns_are_found_by_name_or_by_number),
        cmocka_unit_test(npy_tables_are_refused_by_row_and_column),
        cmocka_unit_test(large_tables_of_both_kinds_hold_the_same),
        cmocka_unit_test(a_table_holds_whatever_number_of_rows_comes),
        cmocka_unit_test(a_table_that_cannot_be_opened_is_an_io_error),
    };
    return cmocka_run_group_tests(tests, files_enter, files_leave);
}
