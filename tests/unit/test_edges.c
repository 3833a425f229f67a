/* test_edges.c - edges of a graph: CSV and Matrix Market, and how other files are refused. */
#include "tests/unit/files.h"

#include <math.h>

#include "io/pairs/pairs.h"

static char *names[] = {"a", "b", "c", "d"};
static const sm_pairs_spec four = {.rows = {.n = 4}, .is_square = true, .largest = 1};
static const sm_pairs_spec named = {.rows = {4, names}, .is_square = true, .largest = 1};

typedef struct edge {
    uint32_t left, right;
    double value;
} edge;

static sm_pairs read_edges(const char *path, const sm_pairs_spec *spec) {
    sm_pairs edges;
    smerf_error error;
    if (sm_edges_read(path, spec, &edges, &error) != SMERF_OK) fail_msg("%s", error.message);
    assert_null(edges.weight);
    return edges;
}

/* Values of 1 are also those that are not given. */
static void assert_edges(const char *text, const sm_pairs_spec *spec, size_t n, const edge *expected) {
    write_text("e.txt", text);
    sm_pairs edges = read_edges("e.txt", spec);
    assert_int_equal(edges.n, n);
    for (size_t k = 0; k < n; k++) {
        assert_true(edges.left[k] == expected[k].left && edges.right[k] == expected[k].right);
        assert_true((edges.value != NULL ? edges.value[k] : 1) == expected[k].value);
    }
    sm_pairs_free(&edges);
}

static void assert_refused(const char *text, const sm_pairs_spec *spec, const char *start, const char *words) {
    sm_pairs edges;
    smerf_error error;
    write_text("e.txt", text);
    assert_int_equal(sm_edges_read("e.txt", spec, &edges, &error), SMERF_BAD_INPUT);
    assert_says(&error, start, words);
    assert_true(edges.n == 0 && edges.left == NULL && edges.right == NULL && edges.value == NULL && edges.row == NULL);
    assert_int_equal(sm_edges_read("e.txt", spec, &edges, NULL), SMERF_BAD_INPUT); /* nobody need listen */
}

/* ---- CSV ---- */

static void edges_have_weights_or_none(void **state) {
    (void)state;
    assert_edges("source,target\na,b\nd,a\nb,a\n", &named, 3, (const edge[]){{0, 1, 1}, {3, 0, 1}, {1, 0, 1}});
    assert_edges("source,target,weight\n0,1,0.5\n3,0,-2\n0,1,0\n", &four, 3,
                 (const edge[]){{0, 1, 0.5}, {3, 0, -2}, {0, 1, 0}});
    assert_edges("from;to;note;weight\r\n0;1;x;1e300\r\n", &four, 1, (const edge[]){{0, 1, 1e300}});
    assert_edges("from,to,note\n0,1,x\n", &four, 1, (const edge[]){{0, 1, 1}});
    assert_refused("weight,b\n0,1\n", &four, "e.txt:1:1: one column that may hold ids", "--pair-columns");
    assert_edges("source,target\n", &four, 0, NULL);
    write_text("e.txt", "source,target,other\n0,1,5\n");
    sm_pairs edges = read_edges("e.txt", &four);
    assert_true(edges.n == 1 && edges.value == NULL && edges.row == NULL);
    sm_pairs_free(&edges);
}

static void the_spec_may_name_the_weight(void **state) {
    (void)state;
    sm_pairs_spec spec = four;
    spec.value_column = "strength";
    assert_edges("s,t,weight,strength\n0,1,2,3\n", &spec, 1, (const edge[]){{0, 1, 3}});
    assert_refused("s,t,weight\n0,1,2\n", &spec, "e.txt:1:1: there is no column \"strength\"", "");
}

static void an_edge_from_an_item_to_itself_is_refused(void **state) {
    (void)state;
    assert_refused("source,target\na,b\nc,c\n", &named, "e.txt:3:3: an edge from \"c\" to itself", "different items");
    char *left[] = {"a", "b"}, *right[] = {"b", "c", "d"};
    const sm_pairs_spec two = {.rows = {2, left}, .columns = {3, right}, .largest = 1};
    for (size_t k = 0; k < 4; k++) { /* in the one set, in both, in the other */
        char text[64];
        snprintf(text, sizeof text, "source,target\na,c\n%s,%s\n", names[k], names[k]);
        assert_refused(text, &two, "e.txt:3:3: an edge from ", "to itself");
    }
}

static void what_is_no_edge_is_refused(void **state) {
    (void)state;
    assert_refused("", &four, "e.txt:1:1: the file is empty: a header and edges are needed", "");
    assert_refused("0,1\n1,2\n", &four, "e.txt:1:1: the first line is a pair", "header");
    assert_refused("s,t\n0,4\n", &four, "e.txt:2:3: no item has the id \"4\"", "");
    assert_refused("s,t,weight\n0,1,\n", &four, "e.txt:2:5: a missing weight; every edge needs one", "");
    assert_refused("s,t,weight\n0,1,inf\n", &four, "e.txt:2:5: an infinite weight; it must be finite", "");
    assert_refused("s,t,weight\n0,1,x\n", &four, "e.txt:2:5: \"x\" is no number", "");
    assert_refused("s,t,weight\n0,1\n", &four, "e.txt:2:3: ", "fewer");
    char *ids[] = {"source", "target"};
    const sm_pairs_spec spec = {.rows = {2, ids}, .is_square = true, .largest = 1};
    assert_edges("source,target\ntarget,source\n", &spec, 1, (const edge[]){{1, 0, 1}});
}

static void edges_between_two_sets_are_found_by_ids(void **state) {
    (void)state;
    char *left[] = {"a", "b"}, *right[] = {"b", "c"};
    const sm_pairs_spec two = {.rows = {2, left}, .columns = {2, right}, .largest = 1};
    /* c,a is (a, c); b,a is (a, b), and b is no pair of one set; c,b is (b, c) */
    assert_edges("source,target,weight\nc,a,2\nb,a,3\nc,b,4\n", &two, 3,
                 (const edge[]){{0, 2 + 1, 2}, {0, 2 + 0, 3}, {1, 2 + 1, 4}});
    assert_refused("%%MatrixMarket matrix coordinate pattern symmetric\n2 2 0\n", &two, "e.txt: ", "has no ids");
}

static void assert_scaled(const char *text, double largest, double divisor, double first) {
    sm_pairs_spec spec = four;
    spec.largest = largest;
    write_text("e.txt", text);
    sm_pairs edges = read_edges("e.txt", &spec);
    assert_true(edges.largest == divisor && edges.value[0] == first);
    sm_pairs_free(&edges);
}

static void weights_above_1_are_divided_by_the_largest(void **state) {
    (void)state;
    assert_scaled("source,target,weight\n0,1,3\n1,2,12\n", NAN, 12, 0.25);
    assert_scaled("source,target,weight\n0,1,0.3\n1,2,1\n", NAN, 1, 0.3);
    assert_scaled("source,target,weight\n0,1,-0.3\n1,2,-7\n", NAN, 1, -0.3);
    assert_scaled("source,target,weight\n0,1,3\n1,2,12\n", 1, 1, 3);
    assert_scaled("source,target,weight\n0,1,3\n1,2,12\n", 6, 6, 0.5);
    assert_scaled("source,target,weight\n0,1,0.5\n", 0.25, 0.25, 2);
    assert_scaled("source,target,weight\n0,1,5\n1,2,1e39\n", NAN, 1, 5); /* which no target takes */
    assert_scaled("%%MatrixMarket matrix coordinate integer symmetric\n4 4 2\n2 1 3\n3 1 12\n", NAN, 12, 0.25);
}

static void ids_of_edges_are_in_source_and_target_or_come_first(void **state) {
    (void)state;
    const edge expected[] = {{2, 1, 0.5}};
    assert_edges("Id,Label,Source,Type,Target,Weight\n7,x,2,Undirected,1,0.5\n", &four, 1, expected);
    assert_edges("WEIGHT,TARGET,SOURCE\n0.5,1,2\n", &four, 1, expected);
    assert_edges("weight,from,to\n0.5,2,1\n", &four, 1, expected);
    assert_edges("\"\",\"from\",\"to\",\"Weight\"\n\"1\",2,1,0.5\n", &four, 1, expected); /* R's row names */
    assert_refused("source,Target,target\n0,1,2\n", &four, "e.txt:1:15: a second column is called \"target\"", "");
    sm_pairs_spec spec = four;
    spec.id_columns[0] = "u";
    spec.id_columns[1] = "v";
    assert_edges("source,target,v,weight,u\n0,0,1,0.5,2\n", &spec, 1, expected);
    assert_refused("source,target\n0,1\n", &spec, "e.txt:1:1: there is no column \"u\"", "source, target");
    assert_refused("%%MatrixMarket matrix coordinate pattern symmetric\n4 4 0\n", &spec, "e.txt: ", "--pair-columns");
}

static void columns_of_edges_that_are_not_used_are_listed(void **state) {
    (void)state;
    write_text("e.txt", "source,target,type,count,Weight\n0,1,a,7,0.5\n");
    sm_pairs edges = read_edges("e.txt", &four);
    assert_string_equal(edges.columns.value, "Weight");
    assert_string_equal(edges.columns.unused, "type, count");
    assert_string_equal(edges.columns.other_number, "count");
    sm_pairs_free(&edges);
    write_text("e.txt", "source,target,,Id,type,many\n0,1,2,3,a,4\n");
    edges = read_edges("e.txt", &four);
    assert_string_equal(edges.columns.unused, "(no name), Id, type, many");
    assert_string_equal(edges.columns.other_number, "many");
    sm_pairs_free(&edges);
    write_text("e.txt", "source,target,id,type\n0,1,4,a\n");
    edges = read_edges("e.txt", &four);
    assert_true(edges.value == NULL);
    assert_string_equal(edges.columns.other_number, "");
    sm_pairs_free(&edges);
}

/* ---- Matrix Market ---- */

static void symmetric_matrices_are_edges_in_either_triangle(void **state) {
    (void)state;
    assert_edges("%%MatrixMarket matrix coordinate real symmetric\n4 4 3\n2 1 0.5\n1 4 -2e1\n2 1 0.5\n", &four, 3,
                 (const edge[]){{1, 0, 0.5}, {0, 3, -20}, {1, 0, 0.5}});
    assert_edges("%%MatrixMarket matrix coordinate pattern symmetric\n4 4 2\n2 1\n4 3", &four, 2,
                 (const edge[]){{1, 0, 1}, {3, 2, 1}});
    assert_edges("%%MatrixMarket matrix coordinate integer symmetric\n4 4 1\n4 3 -7\n", &named, 1,
                 (const edge[]){{3, 2, -7}}); /* entries are rows, even if items have ids */
    assert_edges("%%MatrixMarket matrix coordinate pattern symmetric\n4 4 0\n", &four, 0, NULL);
}

static void comments_blanks_and_capitals_do_not_matter(void **state) {
    (void)state;
    const edge expected[] = {{1, 0, 0.5}, {3, 2, 1}};
    assert_edges("%%matrixmarket MATRIX Coordinate REAL Symmetric\r\n% a comment\r\n\r\n4 4 2\r\n2 1 0.5\r\n4 3 1\r\n",
                 &four, 2, expected);
    assert_edges(
        "\xEF\xBB\xBF%%MatrixMarket\tmatrix  coordinate real symmetric \n%\n%%x\n\n  4\t4 2\n% more\n\n 2  1\t.5 \n"
        "   % and more\n4 3 1e0\n\n%end",
        &four, 2, expected);
    assert_edges("%%MatrixMarket matrix coordinate real symmetric\r4 4 2\r2 1 0.5\r4 3 1", &four, 2, expected);
}

static void general_matrices_have_each_edge_twice(void **state) {
    (void)state;
    const char *text =
        "%%MatrixMarket matrix coordinate real general\n4 4 6\n1 2 3\n4 3 5\n2 1 3\n% c\n3 4 5\n1 2 3\n2 1 3\n";
    assert_edges(text, &four, 2, (const edge[]){{0, 1, 3}, {3, 2, 5}});
    write_text("e.txt", text);
    sm_pairs edges = read_edges("e.txt", &four);
    assert_true(edges.row[0] == 0 && edges.row[1] == 1);
    sm_pairs_free(&edges);
    assert_edges("%%MatrixMarket matrix coordinate pattern general\n4 4 4\n1 2\n1 3\n3 1\n2 1\n", &four, 2,
                 (const edge[]){{0, 1, 1}, {0, 2, 1}});
    assert_edges("%%MatrixMarket matrix coordinate pattern general\n4 4 0\n", &four, 0, NULL);
}

static void an_entry_without_its_mirror_image_is_refused(void **state) {
    (void)state;
    assert_refused("%%MatrixMarket matrix coordinate pattern general\n4 4 5\n1 2\n\n4 2\n% c\n2 1\n3 1\n1 3\n", &four,
                   "e.txt:5:1: the entry (4, 2) without its mirror image (2, 4): ", "symmetric");
    assert_refused("%%MatrixMarket matrix coordinate real general\n4 4 4\n1 2 1\n3 4 2\n4 3 2.5\n2 1 7\n", &four,
                   "e.txt:5:1: the entry (4, 3) = 2.5, but (3, 4) = 2: ", "symmetric");
    assert_refused("%%MatrixMarket matrix coordinate real general\n4 4 3\n1 2 1\n1 2 2\n2 1 1\n", &four,
                   "e.txt:4:1: the entry (1, 2) = 2, but (1, 2) = 1: ", "");
    assert_refused("%%MatrixMarket matrix coordinate real general\n4 4 3\n2 3 1\n1 2 1\n1 2 1\n", &four,
                   "e.txt:3:1: the entry (2, 3) without its mirror image (3, 2)", "");
}

static void other_kinds_of_matrices_are_refused(void **state) {
    (void)state;
    static const struct {
        const char *kind, *start, *words;
    } wrong[] = {
        {"", "e.txt:1:15: the line ends where matrix is needed", ""},
        {" vector coordinate real general", "e.txt:1:16: \"vector\" cannot be read", "a matrix"},
        {" matrix array real general", "e.txt:1:23: \"array\" cannot be read", "coordinate matrix"},
        {" matrix coordinate complex general", "e.txt:1:34: \"complex\" cannot be read", "real or integer"},
        {" matrix coordinate real hermitian", "e.txt:1:39: \"hermitian\" cannot be read", "undirected"},
        {" matrix coordinate real skew-symmetric", "e.txt:1:39: \"skew-symmetric\" cannot be read", "undirected"},
        {" matrix coordinate real", "e.txt:1:38: the line ends where symmetric is needed", ""},
        {" matrix coordinate real symmetric too", "e.txt:1:49: \"too\" is more than belongs in this line", ""},
    };
    for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++) {
        char text[200];
        snprintf(text, sizeof text, "%%%%MatrixMarket%s\n4 4 1\n2 1 1\n", wrong[k].kind);
        assert_refused(text, &four, wrong[k].start, wrong[k].words);
    }
}

#define BANNER "%%MatrixMarket matrix coordinate real symmetric\n"

static void sizes_must_fit_the_items(void **state) {
    (void)state;
    assert_refused(BANNER, &four, "e.txt:2:1: the line ends where the number of rows is needed", "");
    assert_refused(BANNER "% c\n4 4\n", &four, "e.txt:3:4: the line ends where the number of entries is needed", "");
    assert_refused(BANNER "4 4 x\n", &four, "e.txt:2:5: \"x\" is no count", "");
    assert_refused(BANNER "4 4 -1\n", &four, "e.txt:2:5: \"-1\" is no count", "");
    assert_refused(BANNER "4 4 1 1\n2 1 1\n", &four, "e.txt:2:7: \"1\" is more than belongs in this line", "");
    assert_refused(BANNER " 5 5 1\n2 1 1\n", &four, "e.txt:2:2: a matrix of 5 x 5; 4 items need 4 x 4", "");
    assert_refused(BANNER "4 5 1\n2 1 1\n", &four, "e.txt:2:1: a matrix of 4 x 5; 4 items", "");
    assert_refused(BANNER "99999999999999999999999 4 1\n", &four, "e.txt:2:1: a matrix of 18446744073709551615 x 4",
                   "");
}

static void counts_must_be_true(void **state) {
    (void)state;
    assert_refused(BANNER "4 4 2\n2 1 1\n", &four, "e.txt:4:1: only 1 of the 2 entries announced", "");
    assert_refused(BANNER "4 4 1\n2 1 1\n% c\n3 1 1\n", &four, "e.txt:5:1: one entry more than the 1 announced", "");
    assert_refused(BANNER "4 4 0\n3 1 1\n", &four, "e.txt:3:1: one entry more than the 0 announced", "");
    /* the file decides how much memory is allocated */
    assert_refused(BANNER "4 4 18446744073709551614\n2 1 1\n", &four, "e.txt:4:1: only 1 of the ", "");
    assert_refused(BANNER "4 4 99999999999999999999999\n2 1 1", &four, "e.txt:3:6: only 1 of the ", "");
}

static void entries_that_are_none_are_refused(void **state) {
    (void)state;
    static const struct {
        const char *entry, *start, *words;
    } wrong[] = {
        {"0 1 1", "e.txt:4:1: \"0\" is no item; they count from 1 to 4", ""},
        {"1 5 1", "e.txt:4:3: \"5\" is no item", ""},
        {"1 18446744073709551617 1", "e.txt:4:3: ", "is no item"},
        {"1.0 2 1", "e.txt:4:1: \"1.0\" is no item", ""},
        {"-1 2 1", "e.txt:4:1: \"-1\" is no item", ""},
        {"a b 1", "e.txt:4:1: \"a\" is no item", ""},
        {"3 3 1", "e.txt:4:1: an edge from item 3 to itself", "different items"},
        {"1", "e.txt:4:2: the line ends where a column is needed", ""},
        {"1 2", "e.txt:4:4: the line ends where a value is needed", ""},
        {"1 2 ", "e.txt:4:5: the line ends where a value is needed", ""},
        {"1 2 x", "e.txt:4:5: \"x\" is no number", ""},
        {"1 2 inf", "e.txt:4:5: \"inf\" is infinite", "finite"},
        {"1 2 1e999", "e.txt:4:5: \"1e999\" is infinite", ""},
        {"1 2 NaN", "e.txt:4:5: \"NaN\" is a missing weight", ""},
        {"1 2 1 0", "e.txt:4:7: \"0\" is more than belongs in this line", ""},
        {"1 2 1 % c", "e.txt:4:7: \"%\" is more than belongs in this line", ""},
    };
    char text[200];
    for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++) {
        snprintf(text, sizeof text, "%s4 4 2\n2 1 1\n%s\n", BANNER, wrong[k].entry);
        assert_refused(text, &four, wrong[k].start, wrong[k].words);
    }
    assert_refused("%%MatrixMarket matrix coordinate integer symmetric\n4 4 1\n2 1 1.5\n", &four,
                   "e.txt:3:5: \"1.5\" is no whole number", "integer");
    assert_refused("%%MatrixMarket matrix coordinate pattern symmetric\n4 4 1\n2 1 1\n", &four,
                   "e.txt:3:5: \"1\" is more than belongs", "");
}

static void a_nul_byte_is_no_number(void **state) {
    (void)state;
    static const char text[] = BANNER "4 4 1\n2 1 1\0\n";
    sm_pairs edges;
    smerf_error error;
    write_bytes("e.txt", text, sizeof text - 1);
    assert_int_equal(sm_edges_read("e.txt", &four, &edges, &error), SMERF_BAD_INPUT);
    assert_says(&error, "e.txt:3:5: ", "is no number");
}

static void a_file_cut_anywhere_is_read_or_refused_in_one_line(void **state) {
    (void)state;
    static const char *const texts[] = {
        "%%MatrixMarket matrix coordinate real general\r\n%c\r\n4 4 2\r\n2 1 1.5\r\n1 2 15e-1\r\n",
        "\xEF\xBB\xBF%%MatrixMarket matrix coordinate pattern symmetric\n4 4 2\n2 1\n3 2\n",
        "source,target,weight\r\n0,1,2\r\n\"2\",3,1e5\r\n",
    };
    for (size_t t = 0; t < sizeof texts / sizeof texts[0]; t++) {
        for (size_t n = 0; n <= strlen(texts[t]); n++) {
            sm_pairs edges;
            smerf_error error;
            write_bytes("e.txt", texts[t], n);
            if (sm_edges_read("e.txt", &four, &edges, &error) != SMERF_OK) assert_says(&error, "e.txt:", ": ");
            sm_pairs_free(&edges);
        }
    }
}

/* A graph that is written in every form is the same graph. */
static void large_graphs_are_the_same_in_every_form(void **state) {
    (void)state;
    enum { N = 300 };
    static bool is_edge[N][N];
    const sm_pairs_spec spec = {.rows = {.n = N}, .is_square = true, .largest = 1};
    static const char *const paths[] = {"e.csv", "symmetric.mtx", "general.mtx"};
    size_t n_edges = 0;
    unsigned random = 1;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < i; j++) {
            random = random * 1103515245 + 12345;
            is_edge[i][j] = (random >> 16) % 8 == 0;
            n_edges += is_edge[i][j];
        }
    FILE *files[3];
    for (int f = 0; f < 3; f++) files[f] = fopen(paths[f], "w");
    fputs("source,target,weight\n", files[0]);
    fprintf(files[1], "%%%%MatrixMarket matrix coordinate real symmetric\n%d %d %zu\n", N, N, n_edges);
    fprintf(files[2], "%%%%MatrixMarket matrix coordinate real general\n%d %d %zu\n", N, N, 2 * n_edges);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            if (is_edge[i][j]) fprintf(files[0], "%d,%d,%d\n", i, j, i - 3 * j);
            if (is_edge[i][j]) fprintf(files[1], "%d %d %d\n", i + 1, j + 1, i - 3 * j);
            if (is_edge[i][j]) fprintf(files[2], "%d %d %d\n", i + 1, j + 1, i - 3 * j);
            if (is_edge[j][i]) fprintf(files[2], "%d %d %d\n", i + 1, j + 1, j - 3 * i);
        }
    for (int f = 0; f < 3; f++) fclose(files[f]);
    for (int f = 0; f < 3; f++) {
        static bool is_found[N][N];
        memset(is_found, 0, sizeof is_found);
        sm_pairs edges = read_edges(paths[f], &spec);
        assert_int_equal(edges.n, n_edges);
        for (size_t k = 0; k < edges.n; k++) {
            uint32_t i = edges.left[k], j = edges.right[k];
            if (i < j) i = edges.right[k], j = edges.left[k];
            assert_true(is_edge[i][j] && !is_found[i][j] && edges.value[k] == (double)i - 3.0 * j);
            is_found[i][j] = true;
        }
        sm_pairs_free(&edges);
    }
}

/* ---- Places ---- */

static void a_complaint_about_an_entry_gets_its_position(void **state) {
    (void)state;
    static const struct {
        size_t row;
        const char *message;
    } positions[] = {{0, "e.txt:5:1: no"}, {1, "e.txt:7:2: no"}, {2, "e.txt:8:1: no"}};
    write_text("e.txt", BANNER "% c\n\n4 4 2\n2 1 1\n%\n 3 1 1\n");
    for (size_t k = 0; k < 3; k++) {
        smerf_error error = {.status = SMERF_BAD_INPUT, .message = "no"};
        assert_int_equal(sm_pairs_position("e.txt", positions[k].row, &error), SMERF_BAD_INPUT);
        assert_string_equal(error.message, positions[k].message);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(edges_have_weights_or_none),
        cmocka_unit_test(the_spec_may_name_the_weight),
        cmocka_unit_test(an_edge_from_an_item_to_itself_is_refused),
        cmocka_unit_test(what_is_no_edge_is_refused),
        cmocka_unit_test(edges_between_two_sets_are_found_by_ids),
        cmocka_unit_test(weights_above_1_are_divided_by_the_largest),
        cmocka_unit_test(ids_of_edges_are_in_source_and_target_or_come_first),
        cmocka_unit_test(columns_of_edges_that_are_not_used_are_listed),
        cmocka_unit_test(symmetric_matrices_are_edges_in_either_triangle),
        cmocka_unit_test(comments_blanks_and_capitals_do_not_matter),
        cmocka_unit_test(general_matrices_have_each_edge_twice),
        cmocka_unit_test(an_entry_without_its_mirror_image_is_refused),
        cmocka_unit_test(other_kinds_of_matrices_are_refused),
        cmocka_unit_test(sizes_must_fit_the_items),
        cmocka_unit_test(counts_must_be_true),
        cmocka_unit_test(entries_that_are_none_are_refused),
        cmocka_unit_test(a_nul_byte_is_no_number),
        cmocka_unit_test(a_file_cut_anywhere_is_read_or_refused_in_one_line),
        cmocka_unit_test(large_graphs_are_the_same_in_every_form),
        cmocka_unit_test(a_complaint_about_an_entry_gets_its_position),
    };
    return cmocka_run_group_tests(tests, files_enter, files_leave);
}
