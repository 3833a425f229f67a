/* test_take.c - items and targets cut to some rows are what the cut data would have made. */
#include "tests/unit/forests.h"

#include "data/items.h"
#include "target/target.h"

enum { N_ITEMS = 40, N_TAKEN = 17, N_CLASSES = 4, N_COLUMNS = 2, MOST_PAIRS = N_ITEMS * N_ITEMS };

/* ---- raw data, and every kind of target made from some rows of it ---- */

typedef struct raw {
    uint32_t label[N_ITEMS];
    double value[N_COLUMNS][N_ITEMS];
    float z[N_ITEMS][N_ITEMS];
    bool is_known[N_ITEMS][N_ITEMS], is_edge[N_ITEMS][N_ITEMS];
    double weight[N_ITEMS][N_ITEMS];
} raw;

static const raw *draw_raw(void) {
    static raw data;
    sm_random random;
    sm_random_start(&random, 5, 6, 7);
    for (size_t i = 0; i < N_ITEMS; i++) {
        data.label[i] = sm_random_below(&random, N_CLASSES);
        for (size_t c = 0; c < N_COLUMNS; c++) data.value[c][i] = sm_random_normal(&random);
        for (size_t j = 0; j <= i; j++) {
            data.z[i][j] = data.z[j][i] = (float)sm_random_uniform(&random);
            data.is_known[i][j] = data.is_known[j][i] = sm_random_below(&random, 3) > 0;
            data.is_edge[i][j] = data.is_edge[j][i] = i != j && sm_random_below(&random, 4) == 0;
            data.weight[i][j] = data.weight[j][i] = 1 + sm_random_below(&random, 3);
        }
    }
    return &data;
}

/* A list of those pairs of the rows of which `is_in` says so. */
typedef struct pair_rows {
    smerf_pair_list list;
    uint32_t left[MOST_PAIRS], right[MOST_PAIRS];
    double value[MOST_PAIRS], weight[MOST_PAIRS];
} pair_rows;

static void list_rows(pair_rows *to, const raw *data, const bool is_in[N_ITEMS][N_ITEMS], const uint32_t *rows,
                      size_t n) {
    to->list = (smerf_pair_list){.left = to->left, .right = to->right, .value = to->value, .weight = to->weight};
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j <= i; j++) {
            size_t at = to->list.n;
            if (!is_in[rows[i]][rows[j]]) continue;
            to->left[at] = i;
            to->right[at] = j;
            to->value[at] = (double)data->z[rows[i]][rows[j]];
            to->weight[at] = data->weight[rows[i]][rows[j]];
            to->list.n++;
        }
}

static smerf_target *make_distances(const raw *data, const uint32_t *rows, size_t n, smerf_error *error) {
    static float z[2][MOST_PAIRS]; /* which the targets borrow: of all items, and of some */
    float *cut = z[n == N_ITEMS];
    smerf_target *target = NULL;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) cut[i * n + j] = data->z[rows[i]][rows[j]];
    demand_ok(smerf_target_new_distances(cut, n, &target, error), error);
    smerf_target_note_similarities(target, 1.25);
    return target;
}

static smerf_target *make_no_diagonal(const raw *data, const uint32_t *rows, size_t n, smerf_error *error) {
    smerf_target *target = make_distances(data, rows, n, error);
    smerf_target_note_no_diagonal(target);
    return target;
}

static smerf_target *make_labels(const raw *data, const uint32_t *rows, size_t n, smerf_error *error) {
    static const char *const classes[N_CLASSES] = {"pear", "apple", "fig", "kiwi"};
    uint32_t codes[N_ITEMS];
    smerf_target *target = NULL;
    for (size_t k = 0; k < n; k++) codes[k] = data->label[rows[k]];
    demand_ok(smerf_target_new_labels("fruit", codes, n, classes, N_CLASSES, &target, error), error);
    return target;
}

typedef smerf_status (*columns_maker)(const char *const *, const double *const *, size_t, size_t, smerf_target **,
                                      smerf_error *);

static smerf_target *make_columns(columns_maker make, const raw *data, const uint32_t *rows, size_t n,
                                  smerf_error *error) {
    static const char *const names[N_COLUMNS] = {"a", "b"};
    double values[N_COLUMNS][N_ITEMS];
    const double *const columns[N_COLUMNS] = {values[0], values[1]};
    smerf_target *target = NULL;
    for (size_t c = 0; c < N_COLUMNS; c++)
        for (size_t k = 0; k < n; k++) values[c][k] = data->value[c][rows[k]];
    demand_ok(make(names, columns, N_COLUMNS, n, &target, error), error);
    return target;
}

static smerf_target *make_response(const raw *data, const uint32_t *rows, size_t n, smerf_error *error) {
    return make_columns(smerf_target_new_response, data, rows, n, error);
}

static smerf_target *make_product(const raw *data, const uint32_t *rows, size_t n, smerf_error *error) {
    return make_columns(smerf_target_new_product, data, rows, n, error);
}

static smerf_target *make_absolute(const raw *data, const uint32_t *rows, size_t n, smerf_error *error) {
    double values[N_ITEMS];
    smerf_target *target = NULL;
    for (size_t k = 0; k < n; k++) values[k] = data->value[0][rows[k]];
    demand_ok(smerf_target_new_absolute("height", values, n, &target, error), error);
    return target;
}

static smerf_target *make_graph(const raw *data, const uint32_t *rows, size_t n, smerf_error *error) {
    static pair_rows edges;
    smerf_target *target = NULL;
    list_rows(&edges, data, data->is_edge, rows, n);
    demand_ok(smerf_target_new_graph(&edges.list, NULL, n, &target, error), error);
    return target;
}

static smerf_target *make_plain_graph(const raw *data, const uint32_t *rows, size_t n, smerf_error *error) {
    static pair_rows edges;
    smerf_target *target = NULL;
    list_rows(&edges, data, data->is_edge, rows, n);
    edges.list.value = NULL;
    demand_ok(smerf_target_new_graph(&edges.list, NULL, n, &target, error), error);
    return target;
}

/* Every edge was observed, and some pairs that are none. */
static smerf_target *make_observed(const raw *data, const uint32_t *rows, size_t n, smerf_error *error) {
    static pair_rows edges, observed;
    static bool is_seen[N_ITEMS][N_ITEMS];
    smerf_target *target = NULL;
    for (size_t i = 0; i < N_ITEMS; i++)
        for (size_t j = 0; j < N_ITEMS; j++) is_seen[i][j] = data->is_edge[i][j] || (i != j && data->is_known[i][j]);
    list_rows(&edges, data, data->is_edge, rows, n);
    list_rows(&observed, data, (const bool(*)[N_ITEMS])is_seen, rows, n);
    demand_ok(smerf_target_new_graph(&edges.list, &observed.list, n, &target, error), error);
    return target;
}

static smerf_target *make_pairs(const raw *data, const uint32_t *rows, size_t n, smerf_error *error) {
    static pair_rows pairs;
    smerf_target *target = NULL;
    list_rows(&pairs, data, data->is_known, rows, n);
    demand_ok(smerf_target_new_pairs(&pairs.list, n, &target, error), error);
    smerf_target_note_similarities(target, 3);
    return target;
}

static smerf_target *make_light_pairs(const raw *data, const uint32_t *rows, size_t n, smerf_error *error) {
    static pair_rows pairs;
    smerf_target *target = NULL;
    list_rows(&pairs, data, data->is_edge, rows, n);
    pairs.list.weight = NULL; /* and no pair of an item with itself */
    demand_ok(smerf_target_new_pairs(&pairs.list, n, &target, error), error);
    return target;
}

static smerf_target *(*const makers[])(const raw *, const uint32_t *, size_t, smerf_error *) = {
    make_distances, make_no_diagonal, make_labels,   make_response, make_product,    make_absolute,
    make_graph,     make_plain_graph, make_observed, make_pairs,    make_light_pairs};

enum { N_MAKERS = sizeof makers / sizeof *makers };

/* ---- rows ---- */

static const uint32_t *all_rows(void) {
    static uint32_t rows[N_ITEMS];
    for (uint32_t i = 0; i < N_ITEMS; i++) rows[i] = i;
    return rows;
}

/* Some, in any order. */
static void draw_rows(uint64_t seed, uint32_t *rows) {
    uint32_t shuffled[N_ITEMS];
    sm_random random;
    sm_random_start(&random, seed, 1, 2);
    memcpy(shuffled, all_rows(), sizeof shuffled);
    sm_random_shuffle(&random, shuffled, N_ITEMS);
    memcpy(rows, shuffled, N_TAKEN * sizeof *rows);
}

/* ---- targets ---- */

static void assert_same_distance(double found, double expected) {
    if (isnan(found) && isnan(expected)) return;
    if (found != expected) fail_msg("%.17g is not %.17g", found, expected);
}

static void assert_cut_matrix(const smerf_target *taken, const smerf_target *whole, const uint32_t *rows) {
    double found[N_TAKEN], row[N_ITEMS];
    for (size_t i = 0; i < N_TAKEN; i++) {
        smerf_target_row(taken, i, found);
        smerf_target_row(whole, rows[i], row);
        for (size_t j = 0; j < N_TAKEN; j++) assert_same_distance(found[j], row[rows[j]]);
    }
}

static smerf_target *take(const smerf_target *target, const uint32_t *rows) {
    smerf_target *taken = NULL;
    smerf_error error;
    demand_ok(smerf_target_take(target, rows, N_TAKEN, &taken, &error), &error);
    return taken;
}

static void a_taken_target_is_the_cut_matrix(void **state) {
    (void)state;
    for (size_t m = 0; m < N_MAKERS; m++)
        for (uint64_t seed = 0; seed < 5; seed++) {
            uint32_t rows[N_TAKEN];
            smerf_error error;
            smerf_target *whole = makers[m](draw_raw(), all_rows(), N_ITEMS, &error), *taken;
            draw_rows(seed, rows);
            taken = take(whole, rows);
            assert_cut_matrix(taken, whole, rows);
            smerf_target_free(whole);
            smerf_target_free(taken);
        }
}

static void a_target_whose_diagonal_was_set_keeps_it(void **state) {
    (void)state;
    for (size_t m = 0; m < N_MAKERS; m++) {
        uint32_t rows[N_TAKEN];
        smerf_error error;
        smerf_target *whole = makers[m](draw_raw(), all_rows(), N_ITEMS, &error), *set, *taken;
        draw_rows(9, rows);
        demand_ok(whole->kind->data.with_diagonal(whole, 0.5, &set, &error), &error);
        taken = take(set, rows);
        assert_cut_matrix(taken, set, rows);
        smerf_target_free(whole);
        smerf_target_free(set);
        smerf_target_free(taken);
    }
}

static smerf_model *learn(const smerf_items *items, smerf_target *target, smerf_method method) {
    smerf_model *model = NULL;
    smerf_error error;
    smerf_options options = options_for(3);
    options.method = method;
    options.complete = SMERF_COMPLETE_OFF;
    demand_ok(smerf_fit(items, target, &options, NULL, &model, &error), &error);
    return model;
}

static smerf_model *grow(const smerf_items *items, smerf_target *target) {
    return learn(items, target, SMERF_METHOD_FOREST);
}

/* To the last byte: a forest keeps names of columns, classes and notes; bilinear asks which self-distances were given. */
static void assert_teach_the_same(const smerf_items *items, smerf_target *a, smerf_target *b) {
    const smerf_method methods[] = {SMERF_METHOD_FOREST, SMERF_METHOD_BILINEAR};
    for (size_t m = 0; m < 2; m++) {
        smerf_model *left = learn(items, a, methods[m]), *right = learn(items, b, methods[m]);
        assert_same_model(left, right);
        smerf_model_free(left);
        smerf_model_free(right);
    }
}

static void a_taken_target_teaches_what_the_cut_data_teach(void **state) {
    (void)state;
    data_set *data = mixed_data(N_TAKEN);
    for (size_t m = 0; m < N_MAKERS; m++) {
        uint32_t rows[N_TAKEN];
        smerf_error error;
        draw_rows(m, rows);
        smerf_target *whole = makers[m](draw_raw(), all_rows(), N_ITEMS, &error), *taken = take(whole, rows);
        smerf_target *direct = makers[m](draw_raw(), rows, N_TAKEN, &error);
        smerf_target_free(whole); /* of which nothing is needed any more */
        assert_teach_the_same(data->items, taken, direct);
        smerf_target_free(taken);
        smerf_target_free(direct);
    }
    data_set_free(data);
}

static void assert_not_cut(const smerf_target *target, const uint32_t *rows, size_t n, const char *sentence) {
    smerf_target *taken = NULL;
    smerf_error error;
    assert_int_equal(smerf_target_take(target, rows, n, &taken, &error), SMERF_BAD_INPUT);
    assert_string_equal(error.message, sentence);
    assert_null(taken);
}

static void rows_that_make_no_sense_are_refused(void **state) {
    (void)state;
    smerf_error error;
    smerf_target *target = make_labels(draw_raw(), all_rows(), N_ITEMS, &error);
    const uint32_t beyond[] = {3, N_ITEMS}, twice[] = {3, 1, 3};
    assert_not_cut(target, beyond, 0, "no row is taken; there must be at least one");
    assert_not_cut(target, beyond, 2, "row 40 is taken, and there are 40, from 0");
    assert_not_cut(target, twice, 3, "row 3 is taken twice; rows must differ");
    smerf_target_free(target);
}

static void what_was_made_from_another_target_is_not_cut(void **state) {
    (void)state;
    smerf_error error;
    smerf_target *whole = make_labels(draw_raw(), all_rows(), N_ITEMS, &error), *part, *block;
    const float z[2] = {1, 2};
    const uint32_t row = 0;
    demand_ok(smerf_target_new_between(whole, 3, &part, &error), &error);
    demand_ok(smerf_target_new_block(z, 1, 2, &block, &error), &error);
    assert_not_cut(part, &row, 1, "distances between two sets of items cannot be cut once more");
    assert_not_cut(block, &row, 1, "distances between two sets of items cannot be cut once more");
    smerf_target lowered = {.kind = sm_target_kind_find("rank"), .n_rows = 2, .n_columns = 2};
    assert_not_cut(&lowered, &row, 1, "a target of kind 'rank' was made from another one: cut that instead");
    smerf_target_free(part);
    smerf_target_free(block);
    smerf_target_free(whole);
}

/* ---- items ---- */

static void weigh(data_set *data, const size_t *rows) {
    double weights[N_ITEMS];
    smerf_error error;
    const char *const ignored[] = {"note", "date"};
    for (size_t k = 0; k < data->plan.n_items; k++) weights[k] = 1 + (double)(rows != NULL ? rows[k] : k);
    demand_ok(smerf_items_set_weights(data->items, "w", weights, &error), &error);
    demand_ok(smerf_items_set_ignored(data->items, ignored, 2, &error), &error);
    name_items(data, rows);
}

static void taken_items_grow_what_the_cut_data_grow(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 4; seed++) {
        uint32_t rows[N_TAKEN];
        size_t picked_rows[N_TAKEN];
        smerf_error error;
        data_set *data = mixed_data(N_ITEMS);
        draw_rows(seed, rows);
        for (size_t k = 0; k < N_TAKEN; k++) picked_rows[k] = rows[k];
        data_set *picked = data_set_pick(data, picked_rows, N_TAKEN);
        weigh(data, NULL);
        weigh(picked, picked_rows);
        smerf_items *taken = NULL;
        demand_ok(smerf_items_take(data->items, rows, N_TAKEN, &taken, &error), &error);
        assert_int_equal(smerf_items_count(taken), N_TAKEN);
        smerf_model *left = grow(taken, picked->target), *right = grow(picked->items, picked->target);
        smerf_items_free(taken);
        assert_true(same_tree(left, 0, right, 0) && same_tree(left, 1, right, 1));
        smerf_model_free(left);
        smerf_model_free(right);
        data_set_free(data);
        data_set_free(picked);
    }
}

/* As if a file had held no other items. */
static void levels_that_none_of_the_items_has_are_not_known(void **state) {
    (void)state;
    static const char *const levels[] = {"red", "blue", "green"};
    const uint32_t codes[] = {0, 1, SMERF_MISSING, 2, 1}, rows[] = {4, 2, 3}, none[] = {2};
    const smerf_column column = {
        .name = "colour", .kind = SMERF_CATEGORY, .codes = codes, .levels = levels, .n_levels = 3};
    smerf_items *items = NULL, *taken = NULL;
    smerf_error error;
    demand_ok(smerf_items_new(&column, 1, 5, &items, &error), &error);
    demand_ok(smerf_items_take(items, rows, 3, &taken, &error), &error);
    const sm_strings *known = &taken->features.feature[0].levels;
    assert_int_equal(known->n, 2);
    assert_string_equal(known->text[0], "blue");
    assert_string_equal(known->text[1], "green");
    assert_true(taken->codes[0][0] == 0 && taken->codes[0][1] == SMERF_MISSING && taken->codes[0][2] == 1);
    smerf_items_free(taken);
    demand_ok(smerf_items_take(items, none, 1, &taken, &error), &error);
    assert_int_equal(taken->features.feature[0].levels.n, 0);
    smerf_items_free(taken);
    taken = NULL;
    assert_int_equal(smerf_items_take(items, codes, 5, &taken, &error), SMERF_BAD_INPUT);
    assert_null(taken);
    smerf_items_free(items);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_taken_target_is_the_cut_matrix),
        cmocka_unit_test(a_target_whose_diagonal_was_set_keeps_it),
        cmocka_unit_test(a_taken_target_teaches_what_the_cut_data_teach),
        cmocka_unit_test(rows_that_make_no_sense_are_refused),
        cmocka_unit_test(what_was_made_from_another_target_is_not_cut),
        cmocka_unit_test(taken_items_grow_what_the_cut_data_grow),
        cmocka_unit_test(levels_that_none_of_the_items_has_are_not_known),
    };
    return cmocka_run_group_tests(tests, files_enter, files_leave);
}
