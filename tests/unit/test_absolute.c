/* test_absolute.c - absolute differences against the matrix that they stand for: nodes, leaves, forests, files. */
#include "tests/unit/brute.h"
#include "tests/unit/engines.h"
#include "tests/unit/per_item.h"

static smerf_target *absolute_of(const double *values, size_t n) {
    smerf_target *target = NULL;
    smerf_error error;
    demand_ok(smerf_target_new_absolute("height", values, n, &target, &error), &error);
    return target;
}

/* Small whole numbers, quarters, all equal, all different: numbers whose differences float32 holds. */
static void draw_dyadic(size_t n, sm_random *random, double *values) {
    uint32_t way = sm_random_below(random, 5), n_different = way == 0 ? 1 : way < 3 ? 4 : 2000;
    double unit = way % 2 == 0 ? 1 : 0.25, offset = sm_random_below(random, 2) == 0 ? 0 : -300;
    for (size_t i = 0; i < n; i++) values[i] = offset + unit * sm_random_below(random, n_different);
}

static smerf_target *draw_absolute(size_t n, sm_random *random, float *z) {
    double values[MOST_ITEMS];
    draw_dyadic(n, random, values);
    for (size_t k = 0; k < n * n && z != NULL; k++) z[k] = (float)fabs(values[k / n] - values[k % n]);
    return absolute_of(values, n);
}

/* Any numbers: with ties, far from zero, of all sizes, and both zeros. */
static void draw_values(size_t n, sm_random *random, size_t trial, double *values) {
    draw_dyadic(n, random, values);
    for (size_t i = 0; i < n && trial % 4 != 0; i++) {
        if (sm_random_below(random, 4) > 0) values[i] = sm_random_normal(random);
        if (trial % 4 == 2) values[i] += 1e9;
        if (trial % 4 == 3) values[i] *= pow(10, 12 * sm_random_uniform(random) - 6);
    }
    if (n > 4) values[0] = 0.0;
    if (n > 4) values[3] = -0.0;
}

/* ---- nodes and leaves ---- */

static smerf_target *draw_any(size_t n, sm_random *random, size_t trial) {
    double values[MOST_ITEMS];
    draw_values(n, random, trial, values);
    return absolute_of(values, n);
}

static const double diagonals[] = {0, 1, 0.5, 0, 0.25};
static const brute_plan all_values = {
    .draw = draw_any, .diagonals = diagonals, .n_diagonals = 5, .n_trials = 16, .seed = 12};

static void check_distances(brute *at) { check_leaves(at, NULL); }

static void cuts_and_levels_cost_what_the_double_sum_says(void **state) {
    (void)state;
    for_all_targets(&all_values, check_nodes);
}

static void leaves_are_apart_by_their_mean_distance(void **state) {
    (void)state;
    for_all_targets(&all_values, check_distances);
}

static bool is_pure(const double *values, size_t n, double diagonal) {
    smerf_target *given = absolute_of(values, n), *target = NULL;
    smerf_error error;
    uint32_t items[4] = {0, 1, 2, 3};
    const double weight[4] = {1, 1, 1, 1};
    sm_node node = {.items = items, .n = n, .weight = weight, .total = (double)n};
    const sm_search_size size = {.n_items = n, .n_line_ups = 1, .n_threads = 1};
    demand_ok(given->kind->data.with_diagonal(given, diagonal, &target, &error), &error);
    sm_search *search = plain_engine(target->kind)->search_new(target, &size, &error);
    plain_engine(target->kind)->enter(search, &node, 0);
    bool answer = plain_engine(target->kind)->is_pure(search, &node);
    plain_engine(target->kind)->search_free(search);
    smerf_target_free(target);
    smerf_target_free(given);
    return answer;
}

static void pure_means_all_equal_with_the_diagonal(void **state) {
    (void)state;
    const double same[4] = {2, 2, 2, 2}, zeros[2] = {0, -0.0}, pair[2] = {1, 3.5}, three[3] = {0, 1, 2};
    assert_true(is_pure(same, 4, 0) && is_pure(zeros, 2, 0) && is_pure(same, 4, -0.0));
    assert_false(is_pure(same, 4, 1) || is_pure(pair, 2, 0) || is_pure(three, 3, 0));
    assert_true(is_pure(pair, 2, 2.5));
    assert_false(is_pure(pair, 2, -2.5) || is_pure(pair, 2, 2) || is_pure(three, 3, 1));
    assert_true(is_pure(pair, 1, 7) && is_pure(pair, 1, 0));
}

/* ---- forests ---- */

static void absolute_differences_stand_for_their_matrix(void **state) {
    (void)state;
    stand_in_trials(300, draw_absolute);
}

static void every_array_of_a_tree_is_that_of_the_matrix(void **state) {
    (void)state;
    check_drawn_forests(draw_absolute);
}

static void parts_with_other_numbers_are_not_merged(void **state) {
    (void)state;
    double values[12];
    for (uint32_t i = 0; i < 12; i++) values[i] = i % 5;
    smerf_error error;
    smerf_target *same = absolute_of(values, 12), *targets[3] = {absolute_of(values, 12)};
    demand_ok(smerf_target_new_absolute("width", values, 12, &targets[1], &error), &error);
    values[7] = 2.5;
    targets[2] = absolute_of(values, 12);
    check_merging(same, targets, 3);
    for (size_t k = 0; k < 3; k++) smerf_target_free(targets[k]);
    smerf_target_free(same);
}

/* ---- making ---- */

static void what_is_no_number_is_refused(void **state) {
    (void)state;
    const double missing[3] = {1, NAN, 2}, endless[3] = {1, 2, -INFINITY}, large[3] = {1e91, 0, 0},
                 fine[2] = {-1e90, 1e90};
    smerf_target *target = NULL;
    smerf_error error;
    assert_int_equal(smerf_target_new_absolute("y", missing, 3, &target, &error), SMERF_BAD_INPUT);
    assert_string_equal(error.message, "column 'y', item 1: nan is not a number between -1e90 and 1e90");
    assert_true(error.row == 1 && error.column == 0);
    assert_int_equal(smerf_target_new_absolute(NULL, endless, 3, &target, &error), SMERF_BAD_INPUT);
    assert_string_equal(error.message, "item 2: -inf is not a number between -1e90 and 1e90");
    assert_int_equal(smerf_target_new_absolute("y", large, 3, &target, &error), SMERF_BAD_INPUT);
    assert_int_equal(smerf_target_new_absolute("\xff", large, 3, &target, &error), SMERF_BAD_INPUT);
    assert_string_equal(error.message, "the name of the target's column is not UTF-8 text");
    assert_int_equal(smerf_target_new_absolute("y", fine, 0, &target, &error), SMERF_BAD_INPUT);
    assert_string_equal(error.message, "a target of kind 'absolute' needs items");
    assert_null(target);
    demand_ok(smerf_target_new_absolute("y", fine, 2, &target, &error), &error);
    smerf_target_free(target);
}

/* The largest numbers and weights that are allowed: every gain is still a number. */
static void the_largest_numbers_and_weights_do_no_harm(void **state) {
    (void)state;
    enum { N = 40 };
    data_set *data = mixed_data(N);
    double values[N], weights[N];
    smerf_error error;
    for (size_t i = 0; i < N; i++) {
        values[i] = i % 2 == 0 ? 1e90 : -1e90 + (double)i * 1e88;
        weights[i] = i % 3 == 0 ? 1e100 : 1e-100;
    }
    demand_ok(smerf_items_set_weights(data->items, "w", weights, &error), &error);
    smerf_target *target = absolute_of(values, N);
    const smerf_options options = options_for(4);
    smerf_model *model = NULL;
    demand_ok(smerf_fit(data->items, target, &options, NULL, &model, &error), &error);
    for (size_t b = 0; b < 4; b++) {
        smerf_tree_view tree = SMERF_INIT(smerf_tree_view);
        smerf_model_tree(model, b, &tree, NULL);
        assert_true(tree.n_leaves > 10);
        for (size_t s = 0; s < tree.n_splits; s++) assert_true(isfinite(tree.gain[s]));
    }
    double *distances = all_distances(model, data, false);
    for (size_t k = 0; k < N * N; k++) assert_true(distances[k] >= 0 && distances[k] <= 2.1e90);
    free(distances);
    smerf_model_free(model);
    smerf_target_free(target);
    data_set_free(data);
}

static void absolute_differences_have_no_links_and_no_values(void **state) {
    (void)state;
    const double values[3] = {1, 4, -2};
    double row[3];
    smerf_target *target = absolute_of(values, 3);
    assert_int_equal(smerf_target_metrics(target),
                     SMERF_HAS(SMERF_RMSE) | SMERF_HAS(SMERF_SPEARMAN) | SMERF_HAS(SMERF_MAP10));
    assert_true(target->kind->data.is_link == NULL && target->kind->values.n_values == NULL);
    assert_ptr_equal(sm_target_kind_find("absolute"), target->kind);
    target->kind->data.true_row(target, 2, row);
    assert_true(row[0] == 3 && row[1] == 6 && row[2] == 0);
    smerf_target_free(target);
}

/* ---- files ---- */

static smerf_target *eight_numbers(const char *column) {
    const double values[8] = {1, -2, 3.5, 0.1, 1e-300, 7, 7, -1e50};
    smerf_target *target = NULL;
    smerf_error error;
    demand_ok(smerf_target_new_absolute(column, values, 8, &target, &error), &error);
    return target;
}

static void a_model_survives_its_file_with_and_without_a_name(void **state) {
    (void)state;
    check_files(eight_numbers);
}

static void files_with_numbers_that_make_no_sense_are_refused(void **state) {
    (void)state;
    smerf_model_free(save_good(eight_numbers, "height", 0.5));
    const double nothing[8] = {0, 0, 0, NAN}, endless[8] = {INFINITY}, large[8] = {0, -1e91}, fine[8] = {0};
    const float narrow[8] = {0};
    smerf_error error;
    assert_int_equal(load_forged("target.value", SM_F64, fine, 8, &error), SMERF_OK); /* the forger knows its trade */
    assert_forgery("target.value", SM_F64, NULL, 0, "no array 'target.value'");
    assert_forgery("target.value", SM_F64, fine, 7, "F64[7] and should be F64[8]");
    assert_forgery("target.value", SM_F32, narrow, 8, "F32[8] and should be F64[8]");
    assert_forgery("target.value", SM_F64, nothing, 8, "not all numbers up to 1e90");
    assert_forgery("target.value", SM_F64, endless, 8, "not all numbers up to 1e90");
    assert_forgery("target.value", SM_F64, large, 8, "not all numbers up to 1e90");
    assert_forgery("target.column", SM_U8, "a\0b\0", 4, "not one text");
    assert_forgery("target.diagonal", SM_F64, endless, 1, "self-distance is not a number");
    assert_forgery("target.diagonal", SM_F32, narrow, 1, "F32[1] and should be F64[1]");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cuts_and_levels_cost_what_the_double_sum_says),
        cmocka_unit_test(leaves_are_apart_by_their_mean_distance),
        cmocka_unit_test(pure_means_all_equal_with_the_diagonal),
        cmocka_unit_test(absolute_differences_stand_for_their_matrix),
        cmocka_unit_test(every_array_of_a_tree_is_that_of_the_matrix),
        cmocka_unit_test(parts_with_other_numbers_are_not_merged),
        cmocka_unit_test(what_is_no_number_is_refused),
        cmocka_unit_test(the_largest_numbers_and_weights_do_no_harm),
        cmocka_unit_test(absolute_differences_have_no_links_and_no_values),
        cmocka_unit_test(a_model_survives_its_file_with_and_without_a_name),
        cmocka_unit_test(files_with_numbers_that_make_no_sense_are_refused),
    };
    return cmocka_run_group_tests(tests, files_enter, files_leave);
}
