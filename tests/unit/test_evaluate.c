/* test_evaluate.c - every score against a plain re-telling of its definition, on values with many ties. */
#include "smerf_study.h"
#include "tests/unit/scores.h"

#include <sys/wait.h>

enum { MOST = 60 };

#define ALL_METRICS (SMERF_HAS(SMERF_RMSE) | SMERF_HAS(SMERF_SPEARMAN) | SMERF_HAS(SMERF_MAP10))

/* ---- the definitions ---- */

/* One row's partners that have a prediction: all columns but the row itself, if rows and columns are the same items. */
typedef struct partners {
    double predicted[MOST], truth[MOST];
    size_t n, n_others;
} partners;

static partners partners_of(const double *predicted, const float *z, size_t row, size_t n_columns, bool is_square) {
    partners found = {.n_others = is_square ? n_columns - 1 : n_columns};
    for (size_t j = 0; j < n_columns; j++) {
        if ((is_square && j == row) || isnan(predicted[row * n_columns + j])) continue;
        found.predicted[found.n] = predicted[row * n_columns + j];
        found.truth[found.n++] = (double)z[row * n_columns + j];
    }
    return found;
}

/* Twice the rank, ties sharing their mean. */
static double slow_rank(const double *values, size_t n, size_t k) {
    double rank = 0;
    for (size_t i = 0; i < n; i++) rank += (values[i] < values[k]) * 2 + (values[i] == values[k]);
    return rank;
}

static double slow_spearman(const partners *row) {
    double mean = 0, products = 0, squares_p = 0, squares_t = 0, n = (double)row->n;
    if (row->n < row->n_others && row->n < 3) return NAN;
    for (size_t k = 0; k < row->n; k++) mean += slow_rank(row->truth, row->n, k) / n;
    for (size_t k = 0; k < row->n; k++) {
        double p = slow_rank(row->predicted, row->n, k) - mean, t = slow_rank(row->truth, row->n, k) - mean;
        products += p * t;
        squares_p += p * p;
        squares_t += t * t;
    }
    if (squares_t == 0) return NAN;
    return squares_p == 0 ? 0 : products / sqrt(squares_p * squares_t);
}

/* How many stand before k: those with smaller values, and equal ones listed earlier. */
static size_t slow_place(const double *values, size_t n, size_t k) {
    size_t place = 0;
    for (size_t i = 0; i < n; i++) place += values[i] < values[k] || (i < k && values[i] == values[k]);
    return place;
}

static double slow_precision(const partners *row) {
    size_t n_relevant = row->n < 10 ? row->n : 10;
    double sum = 0;
    for (size_t k = 0; k < row->n; k++) {
        if (slow_place(row->truth, row->n, k) >= n_relevant) continue;
        size_t place = slow_place(row->predicted, row->n, k), n_found = 0;
        for (size_t i = 0; i < row->n; i++)
            n_found += slow_place(row->truth, row->n, i) < n_relevant && slow_place(row->predicted, row->n, i) <= place;
        sum += (double)n_found / (double)(place + 1);
    }
    return sum / (double)n_relevant; /* NaN for no partners */
}

static void add(double value, double *sum, double *n) {
    if (isnan(value)) return;
    *sum += value;
    (*n)++;
}

static smerf_scores slow_scores(const double *predicted, const float *z, size_t n_rows, size_t n_columns,
                                bool is_square) {
    smerf_scores scores = SMERF_INIT(smerf_scores, .metrics = ALL_METRICS);
    double squares = 0, correlation = 0, n_correlated = 0, precision = 0, n_precise = 0;
    for (size_t i = 0; i < n_rows; i++) {
        for (size_t j = is_square ? i + 1 : 0; j < n_columns; j++) {
            double off = predicted[i * n_columns + j] - (double)z[i * n_columns + j];
            if (isnan(off)) continue;
            squares += off * off;
            scores.n_pairs++;
        }
        partners row = partners_of(predicted, z, i, n_columns, is_square);
        add(slow_spearman(&row), &correlation, &n_correlated);
        add(slow_precision(&row), &precision, &n_precise);
    }
    scores.value[SMERF_RMSE] = sqrt(squares / (double)scores.n_pairs);
    scores.value[SMERF_SPEARMAN] = correlation / n_correlated;
    scores.value[SMERF_MAP10] = precision / n_precise;
    scores.value[SMERF_AUC_ROC] = scores.value[SMERF_AUC_PR] = NAN;
    return scores;
}

/* ---- scores of given predictions ---- */

static smerf_scores score(const double *predicted, const float *z, size_t n_rows, size_t n_columns, bool is_square) {
    smerf_scores scores = SMERF_INIT(smerf_scores);
    smerf_error error;
    smerf_target *truth = truth_of(z, n_rows, n_columns, is_square);
    demand_ok(smerf_score(predicted, truth, 0, &scores, &error), &error);
    smerf_target_free(truth);
    return scores;
}

static void assert_scores(const smerf_scores *found, const smerf_scores *expected) {
    for (size_t m = 0; m < SMERF_N_METRICS; m++) assert_near(found->value[m], expected->value[m], 1e-13);
    assert_int_equal(found->n_pairs, expected->n_pairs);
    assert_int_equal(found->metrics, expected->metrics);
}

/* A few different values only, so that most are tied; some predictions are not there. */
static void draw(double *predicted, float *z, size_t n_rows, size_t n_columns, bool is_square, double missing,
                 uint64_t number) {
    sm_random random;
    sm_random_start(&random, 1, (uint32_t)(n_rows * 100 + n_columns), number);
    uint32_t n_values = number % 3 == 0 ? 3 : 50;
    for (size_t i = 0; i < n_rows; i++)
        for (size_t j = 0; j < n_columns; j++) {
            z[i * n_columns + j] = (float)sm_random_below(&random, n_values) / 4;
            if (is_square && j < i) z[i * n_columns + j] = z[j * n_columns + i];
            predicted[i * n_columns + j] = sm_random_below(&random, n_values) / 8.0;
            if (sm_random_uniform(&random) < missing) predicted[i * n_columns + j] = NAN;
        }
}

static void assert_as_defined(size_t n_rows, size_t n_columns, bool is_square, double missing, uint64_t number) {
    static double predicted[MOST * MOST];
    static float z[MOST * MOST];
    draw(predicted, z, n_rows, n_columns, is_square, missing, number);
    smerf_scores found = score(predicted, z, n_rows, n_columns, is_square);
    smerf_scores expected = slow_scores(predicted, z, n_rows, n_columns, is_square);
    assert_scores(&found, &expected);
}

static void scores_are_as_defined_with_ties(void **state) {
    (void)state;
    const size_t sizes[] = {1, 2, 3, 4, 5, 10, 11, 12, 30, MOST};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (uint64_t number = 0; number < 12; number++) assert_as_defined(sizes[s], sizes[s], true, 0, number);
}

static void predictions_that_are_not_there_are_left_out(void **state) {
    (void)state;
    const double shares[] = {0.05, 0.5, 0.9, 1};
    for (size_t s = 0; s < 4; s++)
        for (uint64_t number = 0; number < 12; number++) {
            assert_as_defined(20, 20, true, shares[s], number);
            assert_as_defined(5, 5, true, shares[s], number);
            assert_as_defined(9, 25, false, shares[s], number);
        }
}

static void blocks_count_every_cell_and_rank_the_columns(void **state) {
    (void)state;
    const size_t shapes[][2] = {{1, 1}, {1, 30}, {30, 1}, {7, 12}, {33, 40}, {40, 9}};
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
        for (uint64_t number = 0; number < 6; number++) assert_as_defined(shapes[s][0], shapes[s][1], false, 0, number);
}

/* ---- what the definitions come to ---- */

static void the_truth_scores_best_and_its_reverse_worst(void **state) {
    (void)state;
    data_set *data = plain_data(30);
    double same[900], reverse[900];
    for (size_t k = 0; k < 900; k++) {
        same[k] = (double)data->z[k];
        reverse[k] = -same[k];
    }
    smerf_scores best = score(same, data->z, 30, 30, true), worst = score(reverse, data->z, 30, 30, true);
    assert_true(best.value[SMERF_RMSE] == 0 && best.value[SMERF_MAP10] == 1 && best.n_pairs == 435);
    assert_near(best.value[SMERF_SPEARMAN], 1, 1e-12);
    assert_near(worst.value[SMERF_SPEARMAN], -1, 1e-12);
    data_set_free(data);
}

static void rmse_is_the_root_of_the_mean_square(void **state) {
    (void)state;
    const float z[9] = {0, 1, 2, 1, 0, 4, 2, 4, 0};
    const double predicted[9] = {99, 2, 2, 77, 99, 0, 77, 77, 99}; /* diagonal and lower triangle do not count */
    smerf_scores found = score(predicted, z, 3, 3, true);
    assert_near(found.value[SMERF_RMSE], sqrt((1.0 + 0 + 16) / 3), 1e-15);
}

/* Item 0 is as far from all: nothing to rank. The others are ranked rightly. */
static void items_with_equal_true_distances_are_left_out(void **state) {
    (void)state;
    const float z[16] = {0, 1, 1, 1, 1, 0, 2, 3, 1, 2, 0, 4, 1, 3, 4, 0};
    double predicted[16];
    for (size_t k = 0; k < 16; k++) predicted[k] = (double)z[k];
    predicted[1] = 5; /* would count, if item 0 did */
    assert_near(score(predicted, z, 4, 4, true).value[SMERF_SPEARMAN], 1, 1e-12);
    const float flat[16] = {0, 1, 1, 1, 1, 0, 1, 1, 1, 1, 0, 1, 1, 1, 1, 0};
    assert_true(isnan(score(predicted, flat, 4, 4, true).value[SMERF_SPEARMAN]));
}

static void equal_predictions_correlate_with_nothing(void **state) {
    (void)state;
    const float z[16] = {0, 1, 2, 3, 1, 0, 5, 6, 2, 5, 0, 4, 3, 6, 4, 0};
    double predicted[16];
    for (size_t k = 0; k < 16; k++) predicted[k] = k < 8 ? 3 : (double)z[k]; /* two items of four */
    assert_near(score(predicted, z, 4, 4, true).value[SMERF_SPEARMAN], 0.5, 1e-12);
}

/* Twelve others, all predicted alike: the ten relevant ones come where their numbers put them. */
static void ties_in_map_are_broken_by_item_order(void **state) {
    (void)state;
    float z[12];
    const double predicted[12] = {0};
    for (size_t j = 0; j < 12; j++) z[j] = j < 2 ? 9 : 1; /* the first two are not relevant */
    double expected = 0;
    for (size_t k = 1; k <= 10; k++) expected += (double)k / (double)(k + 2) / 10;
    assert_near(score(predicted, z, 1, 12, false).value[SMERF_MAP10], expected, 1e-14);
    for (size_t j = 0; j < 12; j++) z[j] = 1; /* all tied: the first ten are relevant, and found first */
    assert_true(score(predicted, z, 1, 12, false).value[SMERF_MAP10] == 1);
}

static void with_ten_others_or_fewer_all_are_relevant(void **state) {
    (void)state;
    static double predicted[MOST * MOST];
    static float z[MOST * MOST];
    for (size_t n = 2; n <= 11; n++) {
        draw(predicted, z, n, n, true, 0, n);
        assert_true(score(predicted, z, n, n, true).value[SMERF_MAP10] == 1);
    }
}

/* ---- asking ---- */

static void only_what_is_query_for_is_told(void **state) {
    (void)state;
    data_set *data = plain_data(12);
    const double predicted[144] = {0};
    assert_int_equal(smerf_target_metrics(data->target), ALL_METRICS);
    check_what_is_told(predicted, data->target, ALL_METRICS);
    data_set_free(data);
}

static void a_metric_without_links_is_refused(void **state) {
    (void)state;
    data_set *data = plain_data(5);
    double predicted[25] = {0};
    smerf_scores scores = SMERF_INIT(smerf_scores);
    smerf_error error;
    assert_int_equal(smerf_score(predicted, data->target, SMERF_HAS(SMERF_AUC_ROC), &scores, &error), SMERF_BAD_INPUT);
    assert_string_equal(error.message, "auc-roc needs a graph or labels: a target of kind 'distances' has no links");
    data_set_free(data);
}

static void a_metric_that_there_is_not_is_refused(void **state) {
    (void)state;
    data_set *data = plain_data(5);
    double predicted[25] = {0};
    smerf_scores scores = SMERF_INIT(smerf_scores);
    smerf_error error;
    assert_int_equal(smerf_score(predicted, data->target, SMERF_HAS(SMERF_N_METRICS), &scores, &error),
                     SMERF_BAD_INPUT);
    data_set_free(data);
}

/* In a child: it would read past the end of the scores. */
static void tuning_by_a_metric_that_there_is_not_is_refused(void **state) {
    (void)state;
    data_set *data = plain_data(20);
    pid_t child = fork_child();
    if (child == 0) {
        const smerf_options options = options_for(5);
        const smerf_tuning tuning = SMERF_INIT(smerf_tuning, .metric = (smerf_metric)30);
        smerf_tuned best = SMERF_INIT(smerf_tuned);
        smerf_status status = smerf_tune(data->items, data->target, &options, &tuning, NULL, &best, NULL);
        _exit(status == SMERF_BAD_INPUT ? 0 : 1);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    data_set_free(data);
}

static void metrics_have_names_and_a_direction(void **state) {
    (void)state;
    const char *const names[SMERF_N_METRICS] = {"rmse", "spearman", "map@10", "auc-roc", "auc-pr"};
    for (unsigned m = 0; m < SMERF_N_METRICS; m++) {
        assert_string_equal(smerf_metric_name((smerf_metric)m), names[m]);
        assert_int_equal(smerf_metric_rises((smerf_metric)m), m != SMERF_RMSE);
    }
}

/* ---- scores of a model ---- */

static smerf_scores evaluate(const smerf_model *model, const smerf_request *request, const smerf_target *truth,
                             size_t n_threads) {
    const smerf_run run = SMERF_INIT(smerf_run, .n_threads = n_threads);
    smerf_scores scores = SMERF_INIT(smerf_scores);
    smerf_error error;
    demand_ok(smerf_evaluate(model, request, truth, 0, &run, &scores, &error), &error);
    return scores;
}

static void a_model_is_scored_by_what_it_predicts(void **state) {
    (void)state;
    data_set *data = mixed_data(MOST);
    const smerf_options options = options_for(10);
    smerf_model *model = fit_with(data, &options, NULL);
    for (int is_out = 0; is_out < 2; is_out++) {
        const smerf_request request =
            SMERF_INIT(smerf_request, .rows = data->items, .out_of_bag = is_out == 1, .oob_rule = SMERF_OOB_AS_FITTED);
        double *predicted = predict_all(model, &request, NULL);
        smerf_scores expected = slow_scores(predicted, data->z, MOST, MOST, true);
        for (size_t n_threads = 1; n_threads <= 4; n_threads++) {
            smerf_scores found = evaluate(model, &request, data->target, n_threads);
            assert_scores(&found, &expected);
            smerf_scores alone = evaluate(model, &request, data->target, 1);
            assert_memory_equal(alone.value, found.value, sizeof found.value);
        }
        free(predicted);
    }
    smerf_model_free(model);
    data_set_free(data);
}

/* The truth is found among the training items, in whatever order they come. */
static void out_of_bag_the_model_knows_the_truth(void **state) {
    (void)state;
    data_set *data = mixed_data(MOST);
    size_t rows[40];
    for (size_t k = 0; k < 40; k++) rows[k] = (k * 41 + 3) % MOST;
    name_items(data, NULL);
    data_set *some = data_set_pick(data, rows, 40);
    name_items(some, rows);
    const smerf_options options = options_for(10);
    smerf_model *model = fit_with(data, &options, NULL);
    const smerf_request request =
        SMERF_INIT(smerf_request, .rows = some->items, .out_of_bag = true, .oob_rule = SMERF_OOB_EITHER);
    smerf_scores known = evaluate(model, &request, NULL, 2), told = evaluate(model, &request, some->target, 2);
    assert_memory_equal(known.value, told.value, sizeof told.value);
    assert_int_equal(known.n_pairs, told.n_pairs);
    smerf_model_free(model);
    data_set_free(some);
    data_set_free(data);
}

static void a_model_is_scored_on_two_sets(void **state) {
    (void)state;
    two_sets *sets = two_sets_new();
    smerf_scores expected = slow_scores(sets->predicted, sets->z, N_LEFT, N_RIGHT, false);
    smerf_scores found = evaluate(sets->model, &sets->request, sets->truth, 2);
    assert_scores(&found, &expected);
    two_sets_free(sets);
}

static void assert_unscored(const smerf_model *model, const smerf_request *request, const smerf_target *truth,
                            const char *sentence) {
    smerf_scores scores = SMERF_INIT(smerf_scores);
    smerf_error error;
    assert_int_equal(smerf_evaluate(model, request, truth, 0, NULL, &scores, &error), SMERF_BAD_INPUT);
    assert_string_equal(error.message, sentence);
}

static void a_truth_of_another_size_is_refused(void **state) {
    (void)state;
    data_set *data = plain_data(12), *other = plain_data(11);
    const smerf_options options = options_for(3);
    smerf_model *model = fit_with(data, &options, NULL);
    const smerf_request alone = SMERF_INIT(smerf_request, .rows = data->items),
                        two = SMERF_INIT(smerf_request, .rows = data->items, .columns = other->items);
    smerf_target *block = truth_of(data->z, 12, 12, false);
    assert_unscored(model, &alone, other->target, "the items make 12 x 12 pairs, and the target has 11 x 11");
    assert_unscored(model, &two, data->target, "the items make 12 x 11 pairs, and the target has 12 x 12");
    assert_unscored(model, &alone, NULL, "evaluating needs a target, but for out-of-bag scores of the model's own");
    smerf_scores scores = SMERF_INIT(smerf_scores);
    assert_int_equal(smerf_evaluate(model, &alone, block, 0, NULL, &scores, NULL), SMERF_BAD_INPUT);
    smerf_target_free(block);
    smerf_model_free(model);
    data_set_free(data);
    data_set_free(other);
}

static void a_target_of_which_little_is_kept_is_no_truth(void **state) {
    (void)state;
    data_set *data = plain_data(12);
    const smerf_options options = options_for(3);
    smerf_model *model = fit_with(data, &options, NULL);
    const smerf_request out = SMERF_INIT(smerf_request, .rows = data->items, .out_of_bag = true);
    smerf_target *truth = truth_of(data->z, 12, 12, true);
    smerf_scores before = evaluate(model, &out, truth, 1);
    pretend(data->target, AS_APPROXIMATE);
    assert_unscored(model, &out, NULL,
                    "the model keeps only a low-rank form of its target: give the target to score against");
    smerf_scores after = evaluate(model, &out, truth, 1);
    assert_memory_equal(before.value, after.value, sizeof after.value);
    smerf_target_free(truth);
    smerf_model_free(model);
    data_set_free(data);
}

static void limits_change_no_bit(void **state) {
    (void)state;
    data_set *data = mixed_data(MOST);
    const smerf_options options = options_for(10);
    smerf_model *model = fit_with(data, &options, NULL);
    for (int is_out = 0; is_out < 2; is_out++) {
        const smerf_request request = SMERF_INIT(smerf_request, .rows = data->items, .out_of_bag = is_out == 1);
        smerf_scores expected = evaluate(model, &request, data->target, 1);
        for (size_t k = 0; k < N_LIMITS * 3; k++) {
            const smerf_run run = SMERF_INIT(smerf_run, .n_threads = 1 + k % 3);
            smerf_scores found = SMERF_INIT(smerf_scores);
            const sm_evaluation wanted = {.request = &request, .limits = &small_limits[k / 3], .truth = data->target};
            smerf_error error;
            demand_ok(sm_evaluate(model, &wanted, &run, &found, &error), &error);
            assert_memory_equal(found.value, expected.value, sizeof found.value);
            assert_int_equal(found.n_pairs, expected.n_pairs);
        }
    }
    smerf_model_free(model);
    data_set_free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scores_are_as_defined_with_ties),
        cmocka_unit_test(predictions_that_are_not_there_are_left_out),
        cmocka_unit_test(blocks_count_every_cell_and_rank_the_columns),
        cmocka_unit_test(the_truth_scores_best_and_its_reverse_worst),
        cmocka_unit_test(rmse_is_the_root_of_the_mean_square),
        cmocka_unit_test(items_with_equal_true_distances_are_left_out),
        cmocka_unit_test(equal_predictions_correlate_with_nothing),
        cmocka_unit_test(ties_in_map_are_broken_by_item_order),
        cmocka_unit_test(with_ten_others_or_fewer_all_are_relevant),
        cmocka_unit_test(only_what_is_query_for_is_told),
        cmocka_unit_test(a_metric_without_links_is_refused),
        cmocka_unit_test(a_metric_that_there_is_not_is_refused),
        cmocka_unit_test(tuning_by_a_metric_that_there_is_not_is_refused),
        cmocka_unit_test(metrics_have_names_and_a_direction),
        cmocka_unit_test(a_model_is_scored_by_what_it_predicts),
        cmocka_unit_test(out_of_bag_the_model_knows_the_truth),
        cmocka_unit_test(a_model_is_scored_on_two_sets),
        cmocka_unit_test(a_truth_of_another_size_is_refused),
        cmocka_unit_test(a_target_of_which_little_is_kept_is_no_truth),
        cmocka_unit_test(limits_change_no_bit),
    };
    return cmocka_run_group_tests(tests, files_enter, files_leave);
}
