/* test_rfd.c - the forest on pairs: its features and its pairs by brute force, and its distances as those of a regression
 * forest that is given the pairs as items. */
#include "tests/unit/forests.h"

#include <float.h>

#include "base/memory.h"
#include "method/methods.h"
#include "method/pair_forest/fit/rfd_pairs.h"
#include "method/pair_forest/pair_forest.h"

enum { MOST_ITEMS = 40, MOST_PAIRS = MOST_ITEMS * MOST_ITEMS, MOST_FEATURES = 32 };

/* ---- pair features ---- */

/* The levels in bytewise order. */
static const char *const sorted_levels[N_LEVELS] = {"amber", "blue", "green", "red", "violet"};

/* The numbers of an item, told again. */
static size_t slow_numbers(const data_set *data, size_t item, double *numbers) {
    size_t n = data->plan.n_items, n_numbers = 0;
    for (size_t f = 0; f < data->plan.n_numbers; f++) numbers[n_numbers++] = data->values[f * n + item];
    for (size_t c = 0; c < data->plan.n_categories; c++) {
        uint32_t code = data->codes[c * n + item];
        for (size_t l = 0; l < N_LEVELS; l++)
            numbers[n_numbers++] = code == SMERF_MISSING                              ? NAN
                                   : strcmp(level_names[code], sorted_levels[l]) == 0 ? 1
                                                                                      : 0;
    }
    return n_numbers;
}

static size_t slow_features(const data_set *data, size_t i, size_t j, double *features) {
    double x[MOST_FEATURES], y[MOST_FEATURES];
    size_t n = slow_numbers(data, i, x);
    slow_numbers(data, j, y);
    for (size_t k = 0; k < n; k++) {
        bool is_missing = isnan(x[k]) || isnan(y[k]);
        features[2 * k] = is_missing ? NAN : x[k] > y[k] ? x[k] - y[k] : y[k] - x[k];
        features[2 * k + 1] = is_missing ? NAN : 0.5 * (x[k] + y[k]);
    }
    return 2 * n;
}

static sm_item_numbers numbers_of(const smerf_items *items) {
    sm_view view;
    sm_item_numbers numbers;
    smerf_error error;
    demand_ok(sm_view_match(&view, &items->features, items, &error), &error);
    demand_ok(sm_item_numbers_start(&numbers, &view, &items->features, &error), &error);
    sm_view_free(&view);
    return numbers;
}

static void pair_features_are_differences_and_means(void **state) {
    (void)state;
    data_set *data = mixed_data(MOST_ITEMS);
    sm_item_numbers numbers = numbers_of(data->items);
    assert_int_equal(numbers.n, 3 + 2 * N_LEVELS);
    for (size_t i = 0; i < MOST_ITEMS; i++)
        for (size_t j = 0; j < MOST_ITEMS; j++) {
            double slow[MOST_FEATURES];
            const double *x = sm_item_numbers_of(&numbers, i), *y = sm_item_numbers_of(&numbers, j);
            assert_int_equal(slow_features(data, i, j, slow), 2 * numbers.n);
            for (size_t f = 0; f < 2 * numbers.n; f++) assert_near(sm_pair_feature(x, y, f), slow[f], 0);
        }
    sm_item_numbers_free(&numbers);
    data_set_free(data);
}

static void two_levels_need_one_indicator(void **state) {
    (void)state;
    static const char *const levels[] = {"b", "a", "c"};
    const uint32_t codes[] = {0, 1, SMERF_MISSING, 1};
    for (size_t n_levels = 2; n_levels <= 3; n_levels++) {
        const smerf_column column = {
            .name = "c", .kind = SMERF_CATEGORY, .codes = codes, .levels = levels, .n_levels = n_levels};
        smerf_items *items;
        smerf_error error;
        demand_ok(smerf_items_new(&column, 1, 4, &items, &error), &error);
        sm_item_numbers numbers = numbers_of(items);
        assert_int_equal(numbers.n, n_levels == 2 ? 1 : 3);
        assert_true(sm_item_numbers_of(&numbers, 0)[0] == 0 && sm_item_numbers_of(&numbers, 1)[0] == 1); /* is it a? */
        assert_true(isnan(sm_item_numbers_of(&numbers, 2)[0]));
        sm_item_numbers_free(&numbers);
        smerf_items_free(items);
    }
}

static void numbers_at_the_ends_of_the_range_stay_finite(void **state) {
    (void)state;
    const double values[] = {DBL_MAX, -DBL_MAX, 5e-324, 0};
    const smerf_column column = {.name = "x", .kind = SMERF_NUMBER, .values = values};
    smerf_items *items;
    smerf_error error;
    demand_ok(smerf_items_new(&column, 1, 4, &items, &error), &error);
    sm_item_numbers numbers = numbers_of(items);
    for (size_t i = 0; i < 4; i++)
        for (size_t j = 0; j < 4; j++)
            for (size_t f = 0; f < 2; f++) {
                const double *x = sm_item_numbers_of(&numbers, i), *y = sm_item_numbers_of(&numbers, j);
                assert_true(isfinite(sm_pair_feature(x, y, f)));
                assert_true(sm_pair_feature(x, y, f) == sm_pair_feature(y, x, f));
            }
    sm_item_numbers_free(&numbers);
    smerf_items_free(items);
}

/* ---- which pairs ---- */

static sm_rfd_pairs choose(const smerf_items *items, smerf_target *target, size_t n_pairs, uint64_t seed) {
    smerf_options options = options_for(1);
    sm_pool pool;
    sm_rfd_pairs pairs;
    smerf_error error;
    const smerf_baseline_options baselines = SMERF_INIT(smerf_baseline_options, .n_pairs = n_pairs);
    options.baselines = &baselines;
    options.seed = seed;
    sm_pool_start(&pool, NULL);
    const sm_training_set training = {
        .items = items, .target = target, .weights = items->weights, .options = &options, .pool = &pool};
    demand_ok(sm_rfd_pairs_choose(&pairs, &training, &error), &error);
    for (size_t p = 0; p < pairs.n; p++) { /* in order, each once */
        assert_true(pairs.left[p] < pairs.right[p] && pairs.right[p] < items->n_items);
        assert_true(p == 0 || pairs.left[p - 1] < pairs.left[p] ||
                    (pairs.left[p - 1] == pairs.left[p] && pairs.right[p - 1] < pairs.right[p]));
    }
    return pairs;
}

static void assert_distances(const sm_rfd_pairs *pairs, const smerf_target *target) {
    double row[MOST_ITEMS];
    for (size_t p = 0; p < pairs->n; p++) {
        smerf_target_row(target, pairs->left[p], row);
        assert_true(pairs->z[p] == row[pairs->right[p]]);
    }
}

static void all_pairs_are_taken_if_there_are_few(void **state) {
    (void)state;
    data_set *data = plain_data(MOST_ITEMS);
    size_t n_all = MOST_ITEMS * (MOST_ITEMS - 1) / 2;
    for (size_t n = n_all; n <= n_all + 1; n++) {
        sm_rfd_pairs pairs = choose(data->items, data->target, n, 1);
        assert_int_equal(pairs.n, n_all);
        assert_int_equal(pairs.n_known, n_all);
        assert_null(pairs.weight);
        assert_distances(&pairs, data->target);
        sm_rfd_pairs_free(&pairs);
    }
    data_set_free(data);
}

static void many_pairs_are_drawn_evenly_and_again_the_same(void **state) {
    (void)state;
    data_set *data = plain_data(12);
    enum { N_DRAWN = 20, N_SEEDS = 3000 };
    size_t n_known = 66, count[12][12] = {{0}};
    for (uint64_t seed = 0; seed < N_SEEDS; seed++) {
        sm_rfd_pairs pairs = choose(data->items, data->target, N_DRAWN, seed);
        assert_int_equal(pairs.n, N_DRAWN);
        assert_int_equal(pairs.n_known, n_known);
        if (seed % 100 == 0) {
            sm_rfd_pairs again = choose(data->items, data->target, N_DRAWN, seed);
            assert_memory_equal(again.left, pairs.left, N_DRAWN * sizeof *pairs.left);
            assert_memory_equal(again.right, pairs.right, N_DRAWN * sizeof *pairs.right);
            assert_distances(&pairs, data->target);
            sm_rfd_pairs_free(&again);
        }
        for (size_t p = 0; p < N_DRAWN; p++) count[pairs.left[p]][pairs.right[p]]++;
        sm_rfd_pairs_free(&pairs);
    }
    double share = (double)N_DRAWN / (double)n_known, slack = 5 * sqrt(N_SEEDS * share * (1 - share));
    for (size_t i = 0; i < 12; i++)
        for (size_t j = i + 1; j < 12; j++) assert_near((double)count[i][j], N_SEEDS * share, slack);
    data_set_free(data);
}

/* Of 2e10 pairs: a list of them would take 160 GB. */
static void a_few_pairs_of_a_large_target_take_little_room(void **state) {
    (void)state;
    enum { N = 200000 };
    double *values = calloc(N, sizeof *values);
    for (size_t i = 0; i < N; i++) values[i] = (double)i;
    const smerf_column column = {.name = "x", .kind = SMERF_NUMBER, .values = values};
    smerf_items *items;
    smerf_target *target;
    smerf_error error;
    demand_ok(smerf_items_new(&column, 1, N, &items, &error), &error);
    demand_ok(smerf_target_new_absolute("x", values, N, &target, &error), &error);
    sm_rfd_pairs pairs = choose(items, target, 50, 7);
    assert_true(pairs.n_known == (uint64_t)N * (N - 1) / 2);
    for (size_t p = 0; p < pairs.n; p++) assert_true(pairs.z[p] == (double)(pairs.right[p] - pairs.left[p]));
    assert_true(pairs.right[49] - pairs.left[0] > N / 2); /* from everywhere */
    sm_rfd_pairs_free(&pairs);
    smerf_items_free(items);
    smerf_target_free(target);
    free(values);
}

/* Every third pair, with weights; and an item's distance to itself, which is none of two items. */
static smerf_target *some_pairs(size_t n, bool has_weights) {
    static uint32_t left[MOST_PAIRS], right[MOST_PAIRS];
    static double value[MOST_PAIRS], weight[MOST_PAIRS];
    smerf_pair_list list = {.left = left, .right = right, .value = value, .weight = has_weights ? weight : NULL};
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = i; j < n; j++) {
            if ((i + 2 * j) % 3 != 0) continue;
            left[list.n] = j;
            right[list.n] = i;
            value[list.n] = 0.5 * i + j;
            weight[list.n++] = 1 + i % 4;
        }
    smerf_target *target;
    smerf_error error;
    demand_ok(smerf_target_new_pairs(&list, n, &target, &error), &error);
    return target;
}

static void of_some_pairs_only_the_known_ones_are_taken(void **state) {
    (void)state;
    data_set *data = plain_data(MOST_ITEMS);
    smerf_target *target = some_pairs(MOST_ITEMS, true);
    double weights[MOST_ITEMS];
    smerf_error error;
    for (size_t i = 0; i < MOST_ITEMS; i++) weights[i] = 1 + (double)(i % 5);
    demand_ok(smerf_items_set_weights(data->items, "w", weights, &error), &error);
    smerf_pair_facts facts;
    assert_true(smerf_target_pair_facts(target, &facts));
    for (size_t n = 7; n < 2000; n *= 5) {
        sm_rfd_pairs pairs = choose(data->items, target, n, 3);
        assert_int_equal(pairs.n_known, facts.n_pairs);
        assert_int_equal(pairs.n, n < facts.n_pairs ? n : facts.n_pairs);
        assert_distances(&pairs, target);
        for (size_t p = 0; p < pairs.n; p++) {
            size_t i = pairs.left[p], j = pairs.right[p];
            assert_int_equal((i + 2 * j) % 3, 0);
            assert_true(pairs.weight[p] == weights[i] * weights[j] * (double)(1 + i % 4));
        }
        sm_rfd_pairs_free(&pairs);
    }
    smerf_target_free(target);
    data_set_free(data);
}

static void weights_of_any_size_can_be_multiplied(void **state) {
    (void)state;
    data_set *data = plain_data(6);
    const double weights[] = {1e100, 1e100, 1, 1, 1e-100, 1e-100};
    smerf_error error;
    demand_ok(smerf_items_set_weights(data->items, "w", weights, &error), &error);
    sm_rfd_pairs pairs = choose(data->items, data->target, 1000, 3);
    for (size_t p = 0; p < pairs.n; p++)
        assert_true(pairs.weight[p] >= SM_SMALLEST_WEIGHT && pairs.weight[p] <= SM_LARGEST_WEIGHT);
    assert_true(pairs.weight[0] > 1e50 * pairs.weight[1]);
    sm_rfd_pairs_free(&pairs);
    data_set_free(data);
}

/* ---- distances ---- */

/* All pairs i <= j as items of an ordinary forest. */
typedef struct pair_set {
    smerf_items *items;
    double *values; /* [n_features][n] */
    size_t n;
} pair_set;

static pair_set pair_set_new(const data_set *data, bool has_selves) {
    static char names[MOST_FEATURES][16];
    smerf_column columns[MOST_FEATURES];
    double features[MOST_FEATURES];
    size_t n = data->plan.n_items, n_features = slow_features(data, 0, 0, features), k = 0;
    pair_set pairs = {.n = n * (n - 1) / 2 + (has_selves ? n : 0)};
    pairs.values = calloc(pairs.n * n_features, sizeof *pairs.values);
    for (size_t i = 0; i < n; i++)
        for (size_t j = i + !has_selves; j < n; j++, k++) {
            slow_features(data, i, j, features);
            for (size_t f = 0; f < n_features; f++) pairs.values[f * pairs.n + k] = features[f];
        }
    for (size_t f = 0; f < n_features; f++) {
        snprintf(names[f], sizeof names[f], "f%u", (unsigned)f);
        columns[f] = (smerf_column){.name = names[f], .kind = SMERF_NUMBER, .values = pairs.values + f * pairs.n};
    }
    smerf_error error;
    demand_ok(smerf_items_new(columns, n_features, pairs.n, &pairs.items, &error), &error);
    return pairs;
}

static void pair_set_free(pair_set *pairs) {
    smerf_items_free(pairs->items);
    free(pairs->values);
}

/* The distances that a regression forest on pairs predicts: [n][n], to be freed. */
static double *slow_rfd(const data_set *data, const smerf_options *options) {
    static const char *const name[] = {"z"};
    size_t n = data->plan.n_items, k = 0;
    pair_set train = pair_set_new(data, false), all = pair_set_new(data, true);
    double *z = calloc(train.n, sizeof *z), *values = calloc(all.n, sizeof *values);
    double *distances = calloc(n * n, sizeof *distances);
    const double *column = z;
    for (size_t i = 0; i < n; i++)
        for (size_t j = i + 1; j < n; j++) z[k++] = (double)data->z[i * n + j];
    smerf_target *target;
    smerf_model *model;
    smerf_error error;
    smerf_options inner = *options;
    inner.method = SMERF_METHOD_FOREST;
    bool is_free = inner.candidates == SMERF_CANDIDATES_AUTO || inner.candidates == SMERF_CANDIDATES_PAPER;
    if (is_free) inner.candidates = (2 * train.items->features.n + 2) / 3;
    demand_ok(smerf_target_new_response(name, &column, 1, train.n, &target, &error), &error);
    demand_ok(smerf_fit(train.items, target, &inner, NULL, &model, &error), &error);
    const smerf_request request = SMERF_INIT(smerf_request, .rows = all.items);
    demand_ok(smerf_predict_values(model, &request, NULL, values, &error), &error);
    k = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = i; j < n; j++) distances[i * n + j] = distances[j * n + i] = values[k++];
    smerf_model_free(model);
    smerf_target_free(target);
    pair_set_free(&train);
    pair_set_free(&all);
    free(z);
    free(values);
    return distances;
}

static smerf_options rfd_options(size_t n_trees) {
    smerf_options options = options_for(n_trees);
    options.method = SMERF_METHOD_RFD;
    return options;
}

/* Trees in two batches; numbers, categories, gaps; sums of features. */
static void distances_are_those_of_a_regression_forest_on_pairs(void **state) {
    (void)state;
    for (size_t trial = 0; trial < 8; trial++) {
        data_set *data = trial % 2 == 0 ? plain_data(20) : mixed_data(16);
        smerf_options options = rfd_options(trial == 0 ? 70 : 5);
        options.seed = trial;
        options.splits = trial >= 4 ? SMERF_OBLIQUE : SMERF_AXIS;
        if (trial == 2) options.candidates = SMERF_CANDIDATES_ALL;
        if (trial == 3) options.sample = SMERF_NO_SAMPLE;
        if (trial == 5) options.max_depth = 3;
        if (trial == 6) options.min_parent = 10;
        size_t n = data->plan.n_items;
        smerf_model *model = fit_with(data, &options, NULL);
        const smerf_request request = SMERF_INIT(smerf_request, .rows = data->items);
        double *found = predict_all(model, &request, NULL), *expected = slow_rfd(data, &options);
        for (size_t k = 0; k < n * n; k++) assert_near(found[k], expected[k], 1e-14 * fabs(expected[k]));
        free(found);
        free(expected);
        smerf_model_free(model);
        data_set_free(data);
    }
}

static void assert_same_numbers(double *a, double *b, size_t n) {
    assert_memory_equal(a, b, n * sizeof *a);
    free(a);
    free(b);
}

static void a_saved_model_and_any_number_of_threads_give_the_same_bits(void **state) {
    (void)state;
    data_set *data = mixed_data(30);
    smerf_options options = rfd_options(70);
    options.splits = SMERF_OBLIQUE;
    smerf_baseline_options baselines;
    smerf_baseline_options_default(&baselines);
    baselines.n_pairs = 200;
    options.baselines = &baselines;
    const smerf_run one = SMERF_INIT(smerf_run, .n_threads = 1), three = SMERF_INIT(smerf_run, .n_threads = 3);
    const smerf_request request = SMERF_INIT(smerf_request, .rows = data->items);
    smerf_model *model = fit_with(data, &options, &one), *again = fit_with(data, &options, &three), *loaded;
    smerf_error error;
    assert_same_model(model, again);
    demand_ok(smerf_model_save(model, "rfd.smerf", &error), &error);
    demand_ok(smerf_model_load("rfd.smerf", &loaded, &error), &error);
    assert_same_model(model, loaded);
    assert_same_numbers(predict_all(model, &request, &one), predict_all(loaded, &request, &three), 900);
    smerf_model_free(model);
    smerf_model_free(again);
    smerf_model_free(loaded);
    data_set_free(data);
}

static void rows_blocks_and_listed_pairs_agree(void **state) {
    (void)state;
    data_set *data = mixed_data(30);
    smerf_options options = rfd_options(9);
    smerf_model *model = fit_with(data, &options, NULL);
    const size_t picked[] = {3, 29, 0, 3, 11};
    data_set *others = data_set_pick(data, picked, 5);
    const smerf_request all_pairs = SMERF_INIT(smerf_request, .rows = data->items),
                        block = SMERF_INIT(smerf_request, .rows = others->items, .columns = data->items);
    double *all = predict_all(model, &all_pairs, NULL), *some = predict_all(model, &block, NULL), listed[900];
    uint32_t left[900], right[900];
    smerf_error error;
    for (uint32_t k = 0; k < 900; k++) {
        left[k] = k % 30;
        right[k] = (k * 7) % 30;
        assert_true(all[(k / 30) * 30 + k % 30] == all[(k % 30) * 30 + k / 30]);
    }
    demand_ok(smerf_predict_pairs(model, &all_pairs, &(smerf_pair_list){.n = 900, .left = left, .right = right}, NULL,
                                  &SMERF_INIT(smerf_pair_result, .distance = listed), &error),
              &error);
    for (size_t k = 0; k < 900; k++) assert_true(listed[k] == all[left[k] * 30 + right[k]]);
    for (size_t r = 0; r < 5; r++) assert_memory_equal(some + r * 30, all + picked[r] * 30, 30 * sizeof *all);
    free(all);
    free(some);
    data_set_free(others);
    data_set_free(data);
    smerf_model_free(model);
}

/* Where z takes any size that a target may have. */
static void large_and_small_distances_are_learned_alike(void **state) {
    (void)state;
    static const float scales[] = {0x1p-100f, 0x1p100f};
    data_set *data = plain_data(15);
    smerf_options options = rfd_options(5);
    const smerf_request request = SMERF_INIT(smerf_request, .rows = data->items);
    smerf_model *model = fit_with(data, &options, NULL);
    double *usual = predict_all(model, &request, NULL);
    smerf_model_free(model);
    for (size_t s = 0; s < 2; s++) {
        smerf_error error;
        float z[225];
        for (size_t k = 0; k < 225; k++) z[k] = data->z[k] * scales[s];
        smerf_target *target;
        demand_ok(smerf_target_new_distances(z, 15, &target, &error), &error);
        demand_ok(smerf_fit(data->items, target, &options, NULL, &model, &error), &error);
        double *found = predict_all(model, &request, NULL);
        for (size_t k = 0; k < 225; k++) assert_true(found[k] == usual[k] * (double)scales[s]);
        free(found);
        smerf_model_free(model);
        smerf_target_free(target);
    }
    free(usual);
    data_set_free(data);
}

static void two_items_have_one_distance(void **state) {
    (void)state;
    data_set *data = plain_data(2);
    smerf_options options = rfd_options(4);
    smerf_model *model = fit_with(data, &options, NULL);
    const smerf_request request = SMERF_INIT(smerf_request, .rows = data->items);
    double *found = predict_all(model, &request, NULL), value;
    for (size_t k = 0; k < 4; k++) assert_true(found[k] == (double)data->z[1]); /* there is no other to tell of */
    assert_string_equal(smerf_model_diagnostic(model, 0, &value), "pairs");
    assert_true(value == 1);
    free(found);
    smerf_model_free(model);
    data_set_free(data);
}

static void equal_items_are_equally_far(void **state) {
    (void)state;
    data_set *data = plain_data(12);
    for (size_t k = 0; k < 4 * 12; k++) data->values[k] = data->values[k - k % 12 + k % 3]; /* four of each */
    smerf_options options = rfd_options(10);
    smerf_model *model = fit_with(data, &options, NULL);
    const smerf_request request = SMERF_INIT(smerf_request, .rows = data->items);
    double *found = predict_all(model, &request, NULL);
    for (size_t i = 0; i < 12; i++)
        for (size_t j = 0; j < 12; j++) assert_true(found[i * 12 + j] == found[(i % 3) * 12 + j % 3]);
    free(found);
    smerf_model_free(model);
    data_set_free(data);
}

static void weights_of_items_and_of_pairs_multiply(void **state) {
    (void)state;
    data_set *data = plain_data(15);
    smerf_target *plain = some_pairs(15, false), *weighed = some_pairs(15, true);
    smerf_options options = rfd_options(10);
    options.max_depth = 2;
    smerf_model *models[3];
    double weights[15], *found[3];
    smerf_error error;
    const smerf_request request = SMERF_INIT(smerf_request, .rows = data->items);
    demand_ok(smerf_fit(data->items, plain, &options, NULL, &models[0], &error), &error);
    demand_ok(smerf_fit(data->items, weighed, &options, NULL, &models[1], &error), &error);
    for (size_t i = 0; i < 15; i++) weights[i] = 8; /* the same for all: nothing changes */
    demand_ok(smerf_items_set_weights(data->items, "w", weights, &error), &error);
    demand_ok(smerf_fit(data->items, weighed, &options, NULL, &models[2], &error), &error);
    for (size_t m = 0; m < 3; m++) found[m] = predict_all(models[m], &request, NULL);
    assert_memory_equal(found[1], found[2], 225 * sizeof(double));
    assert_true(memcmp(found[0], found[1], 225 * sizeof(double)) != 0);
    for (size_t m = 0; m < 3; m++) {
        free(found[m]);
        smerf_model_free(models[m]);
    }
    smerf_target_free(plain);
    smerf_target_free(weighed);
    data_set_free(data);
}

static void without_a_pair_there_is_nothing_to_learn(void **state) {
    (void)state;
    data_set *data = plain_data(5);
    const uint32_t same[] = {2};
    const double zero[] = {0};
    const smerf_pair_list list = {.n = 1, .left = same, .right = same, .value = zero};
    smerf_target *target;
    smerf_model *model = NULL;
    smerf_error error;
    smerf_options options = rfd_options(2);
    demand_ok(smerf_target_new_pairs(&list, 5, &target, &error), &error);
    assert_int_equal(smerf_fit(data->items, target, &options, NULL, &model, &error), SMERF_BAD_INPUT);
    assert_non_null(strstr(error.message, "no distance of two different items is known"));
    smerf_target_free(target);
    data_set_free(data);
}

static int note_share(void *context, double fraction_done) {
    double *last = context;
    assert_true(fraction_done >= *last && fraction_done <= 1);
    *last = fraction_done;
    return 0;
}

static void progress_is_told_and_cancelling_heard(void **state) {
    (void)state;
    data_set *data = plain_data(25);
    smerf_options options = rfd_options(150);
    double last = 0;
    const smerf_run told = SMERF_INIT(smerf_run, .n_threads = 1, .progress = note_share, .context = &last);
    smerf_model_free(fit_with(data, &options, &told));
    assert_true(last == 1);
    for (size_t n = 0; n < 200; n += 29) {
        patience left = {.n_left = n};
        const smerf_run run = SMERF_INIT(smerf_run, .n_threads = 2, .progress = run_out, .context = &left);
        smerf_model *model = NULL;
        smerf_error error;
        smerf_status status = smerf_fit(data->items, data->target, &options, &run, &model, &error);
        if (n < 20) assert_int_equal(status, SMERF_CANCELLED);
        if (status == SMERF_OK) smerf_model_free(model);
    }
    data_set_free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pair_features_are_differences_and_means),
        cmocka_unit_test(two_levels_need_one_indicator),
        cmocka_unit_test(numbers_at_the_ends_of_the_range_stay_finite),
        cmocka_unit_test(all_pairs_are_taken_if_there_are_few),
        cmocka_unit_test(many_pairs_are_drawn_evenly_and_again_the_same),
        cmocka_unit_test(a_few_pairs_of_a_large_target_take_little_room),
        cmocka_unit_test(of_some_pairs_only_the_known_ones_are_taken),
        cmocka_unit_test(weights_of_any_size_can_be_multiplied),
        cmocka_unit_test(distances_are_those_of_a_regression_forest_on_pairs),
        cmocka_unit_test(a_saved_model_and_any_number_of_threads_give_the_same_bits),
        cmocka_unit_test(rows_blocks_and_listed_pairs_agree),
        cmocka_unit_test(large_and_small_distances_are_learned_alike),
        cmocka_unit_test(two_items_have_one_distance),
        cmocka_unit_test(equal_items_are_equally_far),
        cmocka_unit_test(weights_of_items_and_of_pairs_multiply),
        cmocka_unit_test(without_a_pair_there_is_nothing_to_learn),
        cmocka_unit_test(progress_is_told_and_cancelling_heard),
    };
    return cmocka_run_group_tests(tests, files_enter, files_leave);
}
