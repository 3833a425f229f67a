/* test_labels.c - labels against the matrix that they stand for: nodes, leaves, forests, files. */
#include "tests/unit/brute.h"
#include "tests/unit/engines.h"
#include "tests/unit/per_item.h"

static smerf_target *labels_of(const uint32_t *codes, size_t n, const char *const *classes, size_t n_classes) {
    smerf_target *target = NULL;
    smerf_error error;
    demand_ok(smerf_target_new_labels("species", codes, n, classes, n_classes, &target, &error), &error);
    return target;
}

/* Classes called by their numbers, the last first: not in bytewise order. */
static smerf_target *numbered_labels(const uint32_t *codes, size_t n, size_t n_classes) {
    static char text[MOST_ITEMS][8];
    static const char *classes[MOST_ITEMS];
    for (size_t c = 0; c < n_classes; c++) {
        snprintf(text[c], sizeof text[c], "k%u", (unsigned)(n_classes - c) % 1000);
        classes[c] = text[c];
    }
    return labels_of(codes, n, classes, n_classes);
}

/* One class, a few, or one for each item. */
static smerf_target *draw_labels(size_t n, sm_random *random, float *z) {
    uint32_t codes[MOST_ITEMS], n_classes = 1 + sm_random_below(random, 5);
    bool is_each_its_own = n_classes == 5;
    if (is_each_its_own) n_classes = (uint32_t)n;
    for (uint32_t i = 0; i < n; i++) codes[i] = is_each_its_own ? i : sm_random_below(random, n_classes);
    for (size_t k = 0; k < n * n && z != NULL; k++) z[k] = codes[k / n] != codes[k % n];
    return numbered_labels(codes, n, n_classes);
}

/* ---- nodes and leaves ---- */

static double slow_share(const brute *at, const sm_leaves *leaves, size_t leaf, size_t like) {
    double weight = 0;
    for (size_t m = leaves->first[leaf]; m < leaves->first[leaf + 1]; m++)
        if (leaves->item[m] == like || z_of(at, leaves->item[m], like) == 0) weight += leaves->weight[m];
    return weight / leaves->total[leaf];
}

/* The name of an item's class is that of the only value which is 1 in a leaf of its own. */
static void check_values(const brute *at, const sm_leaves *leaves) {
    const sm_target_kind *kind = at->target->kind;
    size_t n_values = kind->values.n_values(at->target);
    double values[MOST_ITEMS], own[MOST_ITEMS];
    for (uint32_t i = 0; i < at->n; i++) {
        const uint32_t first[2] = {0, 1};
        const double one = 1;
        sm_leaves alone = {.n = 1, .first = first, .item = &i, .weight = &one, .total = &one};
        void *summary = kind->predicting.summarise(at->target, &alone);
        alone.summary = summary;
        kind->values.leaf_values(at->target, &alone, 0, own);
        kind->predicting.summary_free(summary);
        size_t label = 0;
        while (own[label] != 1) label++;
        for (size_t c = 0; c < n_values; c++) assert_true(own[c] == (c == label));
        for (size_t l = 0; l < leaves->n; l++) {
            kind->values.leaf_values(at->target, leaves, l, values);
            assert_near(values[label], slow_share(at, leaves, l, i), 1e-14);
        }
    }
}

static smerf_target *draw_any(size_t n, sm_random *random, size_t trial) {
    (void)trial;
    return draw_labels(n, random, NULL);
}

static const double diagonals[] = {0, 0, 1, 0.5};
static const brute_plan all_labels = {
    .draw = draw_any, .diagonals = diagonals, .n_diagonals = 4, .n_trials = 12, .seed = 11, .is_exact = true};

static void check_distances(brute *at) { check_leaves(at, z_of(at, 0, 0) == 0 ? check_values : NULL); }

static void cuts_and_levels_cost_what_the_double_sum_says(void **state) {
    (void)state;
    for_all_targets(&all_labels, check_nodes);
}

static void leaves_are_apart_by_their_mean_distance(void **state) {
    (void)state;
    for_all_targets(&all_labels, check_distances);
}

/* The heaviest class changes, and changes back; what is light does not get lost behind what is heavy. */
static void light_items_count_beside_heavy_ones(void **state) {
    (void)state;
    enum { N = 9 };
    const uint32_t codes[N] = {0, 1, 0, 2, 2, 0, 1, 2, 1}, order[N] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
    const double weight[N] = {1e100, 1e-100, 3e100, 1e99, 1, 1, 1e-90, 9e100, 1e-95}; /* the second 1 is swallowed */
    double left[N], right[N];
    static brute at;
    smerf_target *target = numbered_labels(codes, N, 3);
    brute_start(&at, target, 0);
    sm_node node = {.items = order, .n = N, .weight = weight};
    for (size_t i = 0; i < N; i++) node.total += at.weight[i] = weight[i];
    const sm_search_size size = {.n_items = N, .n_line_ups = 1, .n_threads = 1};
    sm_search *search = plain_engine(target->kind)->search_new(target, &size, NULL);
    const sm_line_up line = {.order = order, .left = left, .right = right};
    plain_engine(target->kind)->enter(search, &node, 0);
    plain_engine(target->kind)->pricing->price(search, &node, &line, 1);
    assert_near(left[2] / 2e-100, 1, 1e-14); /* 2 (1 + 3) / 4e100 */
    for (size_t r = 0; r + 1 < N; r++) {
        assert_near(left[r], brute_cost(&at, &node, order, 0, r + 1), 1e-14 * left[r]);
        assert_near(right[r], brute_cost(&at, &node, order, r + 1, N), 1e-14 * right[r]);
    }
    plain_engine(target->kind)->search_free(search);
    smerf_target_free(target);
}

/* ---- forests ---- */

static void labels_stand_for_their_matrix(void **state) {
    (void)state;
    stand_in_trials(300, draw_labels);
}

static void every_array_of_a_tree_is_that_of_the_matrix(void **state) {
    (void)state;
    check_drawn_forests(draw_labels);
}

static void parts_with_other_labels_are_not_merged(void **state) {
    (void)state;
    uint32_t codes[12];
    const char *const classes[3] = {"a", "b", "c"}, *const others[3] = {"a", "b", "d"};
    for (uint32_t i = 0; i < 12; i++) codes[i] = i % 3;
    smerf_target *same = labels_of(codes, 12, classes, 3), *targets[4] = {labels_of(codes, 12, classes, 3)};
    smerf_error error;
    targets[1] = labels_of(codes, 12, others, 3);
    demand_ok(smerf_target_new_labels("kind", codes, 12, classes, 3, &targets[2], &error), &error);
    codes[7] = 2;
    targets[3] = labels_of(codes, 12, classes, 3);
    check_merging(same, targets, 4);
    for (size_t k = 0; k < 4; k++) smerf_target_free(targets[k]);
    smerf_target_free(same);
}

static void any_number_of_threads_gives_the_same_forest(void **state) {
    (void)state;
    data_set *data = mixed_data(50);
    sm_random random;
    sm_random_start(&random, 4, 0, 0);
    smerf_target *target = draw_labels(50, &random, NULL);
    const smerf_options options = options_for(7);
    smerf_model *one = NULL, *three = NULL;
    smerf_error error;
    const smerf_run alone = SMERF_INIT(smerf_run, .n_threads = 1), together = SMERF_INIT(smerf_run, .n_threads = 3);
    demand_ok(smerf_fit(data->items, target, &options, &alone, &one, &error), &error);
    demand_ok(smerf_fit(data->items, target, &options, &together, &three, &error), &error);
    assert_same_model(one, three);
    smerf_model_free(one);
    smerf_model_free(three);
    smerf_target_free(target);
    data_set_free(data);
}

/* ---- making ---- */

static void classes_are_numbered_by_name_and_only_those_that_occur(void **state) {
    (void)state;
    const char *const classes[6] = {"pear", "Zebra", "\xc3\xa9t\xc3\xa9", "apple", "unused", ""};
    const uint32_t codes[7] = {0, 1, 2, 3, 0, 5, 1};
    const char *const sorted[5] = {"", "Zebra", "apple", "pear", "\xc3\xa9t\xc3\xa9"};
    smerf_target *target = labels_of(codes, 7, classes, 6);
    assert_int_equal(target->kind->values.n_values(target), 5);
    for (size_t c = 0; c < 5; c++) assert_string_equal(target->kind->values.value_name(target, c), sorted[c]);
    double row[7];
    target->kind->data.true_row(target, 1, row);
    for (size_t i = 0; i < 7; i++) assert_true(row[i] == (codes[i] != 1));
    assert_int_equal(target->columns.n, 1);
    assert_string_equal(target->columns.text[0], "species");
    smerf_target_free(target);
}

static void what_is_no_label_is_refused(void **state) {
    (void)state;
    const char *const classes[3] = {"a", "b", "c"}, *const twice[3] = {"b", "c", "b"}, *const broken[2] = {"a", "\xff"};
    const uint32_t fine[4] = {0, 1, 2, 0}, beyond[4] = {0, 1, 3, 0}, missing[2] = {0, SMERF_MISSING};
    smerf_target *target = NULL;
    smerf_error error;
    assert_int_equal(smerf_target_new_labels("y", beyond, 4, classes, 3, &target, &error), SMERF_BAD_INPUT);
    assert_string_equal(error.message, "item 2 has label 3, and there are 3 classes, from 0");
    assert_true(error.row == 2 && error.column == 0);
    assert_int_equal(smerf_target_new_labels("y", missing, 2, classes, 3, &target, &error), SMERF_BAD_INPUT);
    assert_int_equal(error.row, 1);
    assert_int_equal(smerf_target_new_labels("y", fine, 4, twice, 3, &target, &error), SMERF_BAD_INPUT);
    assert_string_equal(error.message, "the class 'b' is listed twice; classes must differ");
    assert_int_equal(smerf_target_new_labels("y", fine, 2, broken, 2, &target, &error), SMERF_BAD_INPUT);
    assert_string_equal(error.message, "a class is not UTF-8 text");
    assert_int_equal(smerf_target_new_labels("\xff", fine, 4, classes, 3, &target, &error), SMERF_BAD_INPUT);
    assert_string_equal(error.message, "the name of the target's column is not UTF-8 text");
    assert_int_equal(smerf_target_new_labels("y", fine, 0, classes, 3, &target, &error), SMERF_BAD_INPUT);
    assert_string_equal(error.message, "a target of kind 'labels' needs items");
    assert_int_equal(smerf_target_new_labels("y", fine, 4, classes, 0, &target, &error), SMERF_BAD_INPUT);
    assert_null(target);
}

static void labels_have_links_and_all_metrics(void **state) {
    (void)state;
    const char *const classes[2] = {"a", "b"};
    const uint32_t codes[3] = {0, 1, 0};
    smerf_target *target = labels_of(codes, 3, classes, 2);
    assert_int_equal(smerf_target_metrics(target), (1u << SMERF_N_METRICS) - 1);
    assert_true(target->kind->data.is_link(0) && !target->kind->data.is_link(1));
    assert_ptr_equal(sm_target_kind_find("labels"), target->kind);
    smerf_target_free(target);
}

/* ---- files ---- */

static smerf_target *eight_labels(const char *column) {
    static const char *const classes[3] = {"oak", "elm", "ash"};
    const uint32_t codes[8] = {0, 1, 2, 0, 1, 2, 0, 0};
    smerf_target *target = NULL;
    smerf_error error;
    demand_ok(smerf_target_new_labels(column, codes, 8, classes, 3, &target, &error), &error);
    return target;
}

static void a_model_survives_its_file_with_and_without_a_name(void **state) {
    (void)state;
    check_files(eight_labels);
}

static void files_with_labels_that_make_no_sense_are_refused(void **state) {
    (void)state;
    smerf_model_free(save_good(eight_labels, "tree", 0.5));
    const uint32_t beyond[8] = {0, 1, 2, 3, 0, 0, 0, 0}, absurd[8] = {UINT32_MAX};
    const double nothing = NAN, endless = INFINITY, large = 1e300, two[2] = {1, 2};
    smerf_error error;
    assert_int_equal(load_forged("nothing", SM_U8, NULL, 0, &error), SMERF_OK); /* the forger knows its trade */
    assert_forgery("target.label", SM_U32, NULL, 0, "no array 'target.label'");
    assert_forgery("target.label", SM_U32, beyond, 8, "a label of the model is of class 3, and there are 3");
    assert_forgery("target.label", SM_U32, absurd, 8, "of class 4294967295");
    assert_forgery("target.label", SM_U32, beyond, 7, "U32[7] and should be U32[8]");
    assert_forgery("target.label", SM_U8, "\0\1\2\0\1\2\0\0", 8, "U8[8] and should be U32[8]");
    assert_forgery("target.class", SM_U8, NULL, 0, "does not name the classes");
    assert_forgery("target.class", SM_U8, "", 0, "does not name the classes");
    assert_forgery("target.class", SM_U32, beyond, 3, "does not name the classes");
    assert_forgery("target.class", SM_U8, "ash\0elm\0oak", 11, "does not name the classes");
    assert_forgery("target.class", SM_U8, "ash\0elm\0", 8, "of class 2, and there are 2");
    assert_forgery("target.class", SM_U8, "elm\0ash\0oak\0", 12, "not texts in bytewise order");
    assert_forgery("target.class", SM_U8, "ash\0elm\0elm\0", 12, "not texts in bytewise order");
    assert_forgery("target.class", SM_U8, "ash\0elm\0\xff\0", 10, "not texts in bytewise order");
    assert_forgery("target.column", SM_U8, "a\0b\0", 4, "not one text");
    assert_forgery("target.column", SM_U8, "ab", 2, "not one text");
    assert_forgery("target.column", SM_U8, "", 0, "not one text");
    assert_forgery("target.column", SM_U8, "\xc3\0", 2, "not one text");
    assert_forgery("target.column", SM_U32, beyond, 1, "not one text");
    assert_forgery("target.diagonal", SM_F64, &nothing, 1, "self-distance is not a number");
    assert_forgery("target.diagonal", SM_F64, &endless, 1, "self-distance is not a number");
    assert_forgery("target.diagonal", SM_F64, &large, 1, "self-distance is not a number");
    assert_forgery("target.diagonal", SM_F64, two, 2, "F64[2] and should be F64[1]");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cuts_and_levels_cost_what_the_double_sum_says),
        cmocka_unit_test(leaves_are_apart_by_their_mean_distance),
        cmocka_unit_test(light_items_count_beside_heavy_ones),
        cmocka_unit_test(labels_stand_for_their_matrix),
        cmocka_unit_test(every_array_of_a_tree_is_that_of_the_matrix),
        cmocka_unit_test(parts_with_other_labels_are_not_merged),
        cmocka_unit_test(any_number_of_threads_gives_the_same_forest),
        cmocka_unit_test(classes_are_numbered_by_name_and_only_those_that_occur),
        cmocka_unit_test(what_is_no_label_is_refused),
        cmocka_unit_test(labels_have_links_and_all_metrics),
        cmocka_unit_test(a_model_survives_its_file_with_and_without_a_name),
        cmocka_unit_test(files_with_labels_that_make_no_sense_are_refused),
    };
    return cmocka_run_group_tests(tests, files_enter, files_leave);
}
