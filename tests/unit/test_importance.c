/* test_importance.c - both importances against a plain re-telling: gains added up, and errors before and after a feature
 * is dealt out anew among the out-of-bag items of a tree (docs/decisions/0007-permutation-importance.md). */
#include "tests/unit/fake_kinds.h"

enum { N = 30, N_TREES = 12, N_FEATURES = 5 };

/* ---- gains ---- */

static void gains_are_shared_by_the_features_of_a_split(void **state) {
    (void)state;
    data_set *data = mixed_data(N);
    for (int splits = 0; splits < 2; splits++) {
        smerf_options options = options_for(N_TREES);
        options.splits = splits == 0 ? SMERF_AXIS : SMERF_OBLIQUE;
        options.density = splits == 0 ? 0 : 0.5;
        smerf_model *model = fit_with(data, &options, NULL);
        double expected[N_FEATURES] = {0}, found[N_FEATURES], largest = 0;
        for (size_t b = 0; b < N_TREES; b++) {
            smerf_tree_view tree = SMERF_INIT(smerf_tree_view);
            smerf_model_tree(model, b, &tree, NULL);
            for (size_t s = 0; s < tree.n_splits; s++)
                for (size_t t = tree.first_term[s]; t < tree.first_term[s + 1]; t++)
                    expected[tree.term_feature[t]] += tree.gain[s] / (tree.first_term[s + 1] - tree.first_term[s]);
        }
        for (size_t f = 0; f < N_FEATURES; f++) largest = fmax(largest, expected[f]);
        assert_int_equal(smerf_importance_gain(model, found, NULL), SMERF_OK);
        for (size_t f = 0; f < N_FEATURES; f++) assert_near(found[f], expected[f] / largest, 1e-12);
        smerf_model_free(model);
    }
    data_set_free(data);
}

static void a_forest_without_splits_has_no_important_feature(void **state) {
    (void)state;
    data_set *data = mixed_data(N);
    smerf_options options = options_for(2);
    options.max_depth = 0;
    smerf_model *model = fit_with(data, &options, NULL);
    double found[N_FEATURES];
    assert_int_equal(smerf_importance_gain(model, found, NULL), SMERF_OK);
    for (size_t f = 0; f < N_FEATURES; f++) assert_true(found[f] == 0);
    smerf_model_free(model);
    data_set_free(data);
}

/* From 16 levels on, with less than 50 items each, from a tenth of the largest importance on. */
static void gains_of_many_levels_are_called_overstated(void **state) {
    (void)state;
    enum { N_ITEMS = 1000, N_COLUMNS = 4 };
    static const size_t n_levels[N_COLUMNS] = {15, 16, 21, 0};
    static char names[21][4];
    static uint32_t codes[N_COLUMNS][N_ITEMS];
    static double numbers[N_ITEMS];
    const char *levels[21];
    const char *const called[] = {"a", "b", "c", "d"};
    smerf_column columns[N_COLUMNS];
    for (size_t a = 0; a < 21; a++) {
        snprintf(names[a], sizeof names[a], "%zu", a);
        levels[a] = names[a];
    }
    for (size_t f = 0; f < N_COLUMNS; f++) {
        for (uint32_t i = 0; i < N_ITEMS; i++) codes[f][i] = f < 3 ? i % (uint32_t)n_levels[f] : 0;
        columns[f] = f < 3 ? (smerf_column){.name = called[f],
                                            .kind = SMERF_CATEGORY,
                                            .codes = codes[f],
                                            .levels = levels,
                                            .n_levels = n_levels[f]}
                           : (smerf_column){.name = called[f], .kind = SMERF_NUMBER, .values = numbers};
    }
    for (size_t i = 0; i < N_ITEMS; i++) numbers[i] = (double)(i * 7 % 101);
    const double *const responses[] = {numbers};
    smerf_items *items = NULL;
    smerf_target *target = NULL;
    smerf_model *model = NULL;
    smerf_error error;
    demand_ok(smerf_items_new(columns, N_COLUMNS, N_ITEMS, &items, &error), &error);
    demand_ok(smerf_target_new_response(called, responses, 1, N_ITEMS, &target, &error), &error);
    smerf_options options = options_for(1);
    demand_ok(smerf_fit(items, target, &options, NULL, &model, &error), &error);
    static const struct {
        double importance[N_COLUMNS];
        bool is_overstated[N_COLUMNS];
    } cases[] = {
        {{1, 1, 1, 1}, {false, false, true, false}}, /* 1000 / 16 is 62 items a level, 1000 / 21 is 47 */
        {{1, 0.2, 0.1, 1}, {false, false, true, false}},
        {{1, 0.2, 0.09, 1}, {false, false, false, false}},
        {{0, 0, 0, 0}, {false, false, false, false}},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        bool found[N_COLUMNS];
        smerf_importance_overstated(model, cases[k].importance, found);
        assert_memory_equal(found, cases[k].is_overstated, sizeof found);
    }
    smerf_model_free(model);
    smerf_target_free(target);
    smerf_items_free(items);
}

/* ---- shuffles ---- */

/* Mean squared error over the pairs of the items out[0 .. n_out), whose features are those of `seen`. */
static double slow_error(const smerf_model *model, const smerf_tree_view *tree, const data_set *data,
                         const data_set *seen, const uint32_t *out, size_t n_out, bool is_apart) {
    double squares = 0, n_pairs = 0;
    for (size_t a = 0; a < n_out; a++)
        for (size_t b = 0; b < a; b++) {
            size_t from = slow_leaf(model, tree, seen, out[a]), to = slow_leaf(model, tree, seen, out[b]);
            const size_t left[2] = {tree->first_member[from], tree->first_member[from + 1]};
            const size_t right[2] = {tree->first_member[to], tree->first_member[to + 1]};
            double off = slow_mean(data, tree, left, right, NULL, NULL, is_apart && from == to) -
                         (double)data->z[out[a] * N + out[b]];
            squares += off * off;
            n_pairs++;
        }
    return squares / n_pairs; /* NaN without a pair */
}

static bool tree_uses(const smerf_tree_view *tree, size_t feature) {
    for (size_t t = 0; t < tree->first_term[tree->n_splits]; t++)
        if (tree->term_feature[t] == feature) return true;
    return false;
}

/* Deals feature f of `data` out anew among the items out[0 .. n_out) of `mixed`. */
static void shuffle(const data_set *data, data_set *mixed, size_t b, size_t f, const uint32_t *out, size_t n_out) {
    uint32_t from[N];
    sm_random random;
    sm_random_start(&random, 1, (uint32_t)b, 4 + 256 * (uint64_t)f);
    memcpy(from, out, n_out * sizeof *from);
    sm_random_shuffle(&random, from, n_out);
    for (size_t a = 0; a < n_out; a++)
        if (f < data->plan.n_numbers)
            mixed->values[f * N + out[a]] = data->values[f * N + from[a]];
        else
            mixed->codes[(f - data->plan.n_numbers) * N + out[a]] =
                data->codes[(f - data->plan.n_numbers) * N + from[a]];
}

static double slow_increase(const smerf_model *model, size_t b, const data_set *data, size_t f, bool is_apart) {
    smerf_tree_view tree = SMERF_INIT(smerf_tree_view);
    uint32_t out[N];
    size_t rows[N], n_out = 0;
    smerf_model_tree(model, b, &tree, NULL);
    for (uint32_t i = 0; i < N; i++) {
        rows[i] = i;
        if (slow_draws(&tree, i) == 0) out[n_out++] = i;
    }
    double before = slow_error(model, &tree, data, data, out, n_out, is_apart);
    if (isnan(before) || !tree_uses(&tree, f)) return before - before;
    data_set *mixed = data_set_pick(data, rows, N);
    shuffle(data, mixed, b, f, out, n_out);
    double after = slow_error(model, &tree, data, mixed, out, n_out, is_apart);
    data_set_free(mixed);
    return after - before;
}

static void assert_permutation(const data_set *data, const smerf_options *options) {
    smerf_model *model = fit_with(data, options, NULL);
    double found[N_FEATURES], errors[N_FEATURES], increases[N_TREES];
    smerf_error error;
    const smerf_run run = SMERF_INIT(smerf_run, .n_threads = 3);
    demand_ok(smerf_importance_permutation(model, data->items, NULL, &run, found, errors, &error), &error);
    for (size_t f = 0; f < N_FEATURES; f++) {
        double sum = 0, squares = 0;
        for (size_t b = 0; b < N_TREES; b++)
            sum += increases[b] = slow_increase(model, b, data, f, options->self_distance == SMERF_SELF_EXCLUDE);
        double mean = sum / N_TREES;
        for (size_t b = 0; b < N_TREES; b++) squares += (increases[b] - mean) * (increases[b] - mean);
        assert_near(found[f], mean, 1e-12);
        assert_near(errors[f], sqrt(squares / (N_TREES - 1) / N_TREES), 1e-12);
    }
    smerf_model_free(model);
}

static void a_feature_matters_by_the_error_that_shuffling_it_adds(void **state) {
    (void)state;
    data_set *data = mixed_data(N);
    for (int splits = 0; splits < 2; splits++) {
        smerf_options options = options_for(N_TREES);
        options.splits = splits == 0 ? SMERF_AXIS : SMERF_OBLIQUE;
        assert_permutation(data, &options);
    }
    data_set_free(data);
}

/* Errors are those of the distances that the model predicts: without self-distances, if it leaves them out. */
static void self_distances_that_are_left_out_do_not_enter_the_error(void **state) {
    (void)state;
    data_set *data = mixed_data(N);
    smerf_options options = options_for(N_TREES);
    options.self_distance = SMERF_SELF_EXCLUDE;
    options.min_parent = 12; /* no leaf here has but one item, or the nearest ancestor would be asked */
    options.max_depth = 1;
    assert_permutation(data, &options);
    data_set_free(data);
}

static void items_in_another_order_have_the_same_importances(void **state) {
    (void)state;
    data_set *data = mixed_data(N);
    size_t rows[N];
    for (size_t k = 0; k < N; k++) rows[k] = (k * 7 + 3) % N;
    name_items(data, NULL);
    data_set *turned = data_set_pick(data, rows, N);
    name_items(turned, rows);
    const smerf_options options = options_for(N_TREES);
    smerf_model *model = fit_with(data, &options, NULL);
    double own[N_FEATURES], told[N_FEATURES], errors[N_FEATURES];
    smerf_error error;
    demand_ok(smerf_importance_permutation(model, turned->items, NULL, NULL, own, errors, &error), &error);
    demand_ok(smerf_importance_permutation(model, turned->items, turned->target, NULL, told, errors, &error), &error);
    assert_memory_equal(own, told, sizeof own);
    smerf_model_free(model);
    data_set_free(turned);
    data_set_free(data);
}

static void shuffling_needs_items_out_of_bag_and_their_truth(void **state) {
    (void)state;
    data_set *data = mixed_data(N), *other = mixed_data(N - 1);
    double found[N_FEATURES], errors[N_FEATURES];
    smerf_error error;
    smerf_options options = options_for(2);
    smerf_model *model = fit_with(data, &options, NULL);
    assert_int_equal(smerf_importance_permutation(model, data->items, other->target, NULL, found, errors, &error),
                     SMERF_BAD_INPUT);
    assert_string_equal(error.message, "there are 30 items, and the target is about 29");
    assert_int_equal(smerf_importance_permutation(model, other->items, NULL, NULL, found, errors, &error),
                     SMERF_BAD_INPUT);
    smerf_model_free(model);
    options.sample = SMERF_NO_SAMPLE;
    model = fit_with(data, &options, NULL);
    assert_int_equal(smerf_importance_permutation(model, data->items, NULL, NULL, found, errors, &error),
                     SMERF_BAD_INPUT);
    assert_says(&error, "the model was fitted with sample none", "");
    smerf_model_free(model);
    data_set_free(data);
    data_set_free(other);
}

static void a_target_of_which_little_is_kept_is_no_truth(void **state) {
    (void)state;
    data_set *data = mixed_data(N);
    double before[N_FEATURES], after[N_FEATURES], errors[N_FEATURES];
    smerf_target *truth;
    smerf_error error;
    const smerf_options options = options_for(3);
    smerf_model *model = fit_with(data, &options, NULL);
    demand_ok(smerf_target_new_distances(data->z, N, &truth, &error), &error);
    demand_ok(smerf_importance_permutation(model, data->items, truth, NULL, before, errors, &error), &error);
    pretend(data->target, AS_APPROXIMATE);
    assert_int_equal(smerf_importance_permutation(model, data->items, NULL, NULL, after, errors, &error),
                     SMERF_BAD_INPUT);
    assert_string_equal(error.message,
                        "the model keeps only a low-rank form of its target: give the target to score against");
    demand_ok(smerf_importance_permutation(model, data->items, truth, NULL, after, errors, &error), &error);
    assert_memory_equal(before, after, sizeof after);
    smerf_target_free(truth);
    smerf_model_free(model);
    data_set_free(data);
}

/* Pairs of which the tree has nothing to say, or of which the truth is not known, are left out of its error. */
static void silent_leaves_and_unknown_pairs_do_not_enter_the_error(void **state) {
    (void)state;
    data_set *data = mixed_data(N);
    double found[N_FEATURES], errors[N_FEATURES];
    smerf_error error;
    smerf_options options = options_for(1);
    options.max_depth = 1; /* two leaves: those of different sides are silent */
    smerf_model *model = fit_with(data, &options, NULL);
    smerf_tree_view tree = SMERF_INIT(smerf_tree_view);
    smerf_model_tree(model, 0, &tree, NULL);
    size_t feature = tree.term_feature[0];
    pretend(data->target, WITH_SILENCE | WITH_GAPS);
    demand_ok(smerf_importance_permutation(model, data->items, NULL, NULL, found, errors, &error), &error);
    uint32_t out[N];
    size_t rows[N], n_out = 0;
    for (uint32_t i = 0; i < N; i++) {
        rows[i] = i;
        if (slow_draws(&tree, i) == 0) out[n_out++] = i;
    }
    data_set *mixed = data_set_pick(data, rows, N);
    shuffle(data, mixed, 0, feature, out, n_out);
    const data_set *seen[2] = {data, mixed};
    double square_errors[2];
    for (size_t k = 0; k < 2; k++) {
        double squares = 0, n_pairs = 0;
        for (size_t a = 0; a < n_out; a++)
            for (size_t b = 0; b < a; b++) {
                size_t from = slow_leaf(model, &tree, seen[k], out[a]), to = slow_leaf(model, &tree, seen[k], out[b]);
                if (fake_is_silent(2, from, to) || fake_is_gap(out[a], out[b])) continue;
                double off =
                    slow_leaf_distance(data, &tree, from, to, NULL, NULL) - (double)data->z[out[a] * N + out[b]];
                squares += off * off;
                n_pairs++;
            }
        square_errors[k] = squares / n_pairs;
    }
    assert_near(found[feature], square_errors[1] - square_errors[0], 1e-12);
    assert_true(found[feature] != 0);
    data_set_free(mixed);
    smerf_model_free(model);
    data_set_free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gains_are_shared_by_the_features_of_a_split),
        cmocka_unit_test(a_forest_without_splits_has_no_important_feature),
        cmocka_unit_test(gains_of_many_levels_are_called_overstated),
        cmocka_unit_test(a_feature_matters_by_the_error_that_shuffling_it_adds),
        cmocka_unit_test(self_distances_that_are_left_out_do_not_enter_the_error),
        cmocka_unit_test(items_in_another_order_have_the_same_importances),
        cmocka_unit_test(shuffling_needs_items_out_of_bag_and_their_truth),
        cmocka_unit_test(a_target_of_which_little_is_kept_is_no_truth),
        cmocka_unit_test(silent_leaves_and_unknown_pairs_do_not_enter_the_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
