/* test_auc.c - areas under the ROC and the precision-recall curve against their definitions, on values with many ties,
 * with pairs that are not known, and on more different values than are kept at first. */
#include "tests/unit/scores.h"

#include "evaluate/auc.h"

enum { MOST = 40, MOST_PAIRS = 200 * 200 };

#define AREAS (SMERF_HAS(SMERF_AUC_ROC) | SMERF_HAS(SMERF_AUC_PR))

/* ---- the definitions ---- */

typedef struct pair_list {
    size_t n;
    double predicted[MOST_PAIRS];
    bool is_link[MOST_PAIRS];
} pair_list;

static pair_list listed;

static void list_pairs(const double *predicted, const float *z, size_t n_rows, size_t n_columns, bool is_square,
                       bool has_gaps) {
    listed.n = 0;
    for (size_t i = 0; i < n_rows; i++)
        for (size_t j = is_square ? i + 1 : 0; j < n_columns; j++) {
            if (isnan(predicted[i * n_columns + j]) || (has_gaps && fake_is_gap(i, j))) continue;
            listed.predicted[listed.n] = predicted[i * n_columns + j];
            listed.is_link[listed.n++] = (double)z[i * n_columns + j] < LINK_LENGTH;
        }
}

/* The share of pairs of a link and another pair that are told apart rightly. */
static double slow_roc(void) {
    double right = 0, n = 0;
    for (size_t a = 0; a < listed.n; a++)
        for (size_t b = 0; b < listed.n; b++) {
            if (!listed.is_link[a] || listed.is_link[b]) continue;
            right += listed.predicted[a] < listed.predicted[b]    ? 1
                     : listed.predicted[a] == listed.predicted[b] ? 0.5
                                                                  : 0;
            n++;
        }
    return right / n; /* NaN if there is no such pair */
}

/* Over the different thresholds from near to far: the precision times what the recall grows by. */
static double slow_precision_recall(void) {
    double n_links = 0, area = 0, recall = 0, threshold = -INFINITY;
    for (size_t a = 0; a < listed.n; a++) n_links += listed.is_link[a];
    if (n_links == 0 || n_links == (double)listed.n) return NAN;
    for (;;) {
        double next = INFINITY, n_found = 0, n_right = 0;
        for (size_t a = 0; a < listed.n; a++)
            if (listed.predicted[a] > threshold && listed.predicted[a] < next) next = listed.predicted[a];
        if (next == INFINITY) return area;
        for (size_t a = 0; a < listed.n; a++)
            if (listed.predicted[a] <= next) {
                n_found++;
                n_right += listed.is_link[a];
            }
        area += (n_right / n_links - recall) * (n_right / n_found);
        recall = n_right / n_links;
        threshold = next;
    }
}

/* ---- given predictions ---- */

static void draw(double *predicted, float *z, size_t n_rows, size_t n_columns, bool is_square, uint32_t n_values,
                 uint64_t number) {
    sm_random random;
    sm_random_start(&random, 3, (uint32_t)(n_rows * 100 + n_columns), number);
    for (size_t i = 0; i < n_rows; i++)
        for (size_t j = 0; j < n_columns; j++) {
            z[i * n_columns + j] = sm_random_uniform(&random) < 0.3 ? 0 : 1;
            if (is_square && j < i) z[i * n_columns + j] = z[j * n_columns + i];
            double nearer = z[i * n_columns + j] == 0 ? 0.7 : 1;
            predicted[i * n_columns + j] = floor(nearer * sm_random_below(&random, n_values)) / 8 - 1;
            if (predicted[i * n_columns + j] == 0 && number % 2 == 1) predicted[i * n_columns + j] = -0.0;
            if (sm_random_uniform(&random) < 0.05) predicted[i * n_columns + j] = NAN;
        }
}

static smerf_scores score(const double *predicted, const float *z, size_t n_rows, size_t n_columns, bool is_square,
                          unsigned what) {
    smerf_target *truth = truth_of(z, n_rows, n_columns, is_square);
    smerf_scores scores = SMERF_INIT(smerf_scores);
    smerf_error error;
    pretend(truth, what);
    demand_ok(smerf_score(predicted, truth, 0, &scores, &error), &error);
    smerf_target_free(truth);
    return scores;
}

static void assert_as_defined(size_t n_rows, size_t n_columns, bool is_square, uint32_t n_values, uint64_t number) {
    static double predicted[MOST * MOST];
    static float z[MOST * MOST];
    draw(predicted, z, n_rows, n_columns, is_square, n_values, number);
    for (unsigned gaps = 0; gaps < 2; gaps++) {
        smerf_scores found = score(predicted, z, n_rows, n_columns, is_square, WITH_LINKS | gaps * WITH_GAPS);
        list_pairs(predicted, z, n_rows, n_columns, is_square, gaps == 1);
        assert_near(found.value[SMERF_AUC_ROC], slow_roc(), 1e-13);
        assert_near(found.value[SMERF_AUC_PR], slow_precision_recall(), 1e-13);
        assert_int_equal(found.n_pairs, listed.n);
    }
}

static void areas_are_as_defined_with_ties(void **state) {
    (void)state;
    const size_t sizes[] = {1, 2, 3, 4, 7, 20, MOST};
    const uint32_t n_values[] = {1, 2, 5, 20, 1000000};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (size_t v = 0; v < 5; v++)
            for (uint64_t number = 0; number < 4; number++) {
                assert_as_defined(sizes[s], sizes[s], true, n_values[v], number);
                assert_as_defined(sizes[s], 13, false, n_values[v], number);
            }
}

/* Worked out by hand: links at 1, 2, 2; others at 2, 3. */
static void a_small_case_by_hand(void **state) {
    (void)state;
    const double predicted[5] = {1, 2, 2, 2, 3};
    const float z[5] = {0, 0, 0, 1, 1};
    smerf_scores found = score(predicted, z, 1, 5, false, WITH_LINKS);
    assert_near(found.value[SMERF_AUC_ROC], (2 + 1.5 + 1.5) / 6, 1e-15);
    assert_near(found.value[SMERF_AUC_PR], 1.0 / 3 + 2.0 / 3 * 3 / 4, 1e-15);
}

static void the_best_and_the_worst_and_a_constant(void **state) {
    (void)state;
    static double same[900], reverse[900], constant[900];
    static float z[900];
    draw(same, z, 30, 30, true, 5, 0);
    for (size_t k = 0; k < 900; k++) {
        same[k] = (double)z[k];
        reverse[k] = -same[k];
        constant[k] = 0.25;
    }
    smerf_scores best = score(same, z, 30, 30, true, WITH_LINKS), worst = score(reverse, z, 30, 30, true, WITH_LINKS);
    smerf_scores flat = score(constant, z, 30, 30, true, WITH_LINKS);
    list_pairs(same, z, 30, 30, true, false);
    double share = 0;
    for (size_t a = 0; a < listed.n; a++) share += listed.is_link[a] ? 1.0 / (double)listed.n : 0;
    assert_true(best.value[SMERF_AUC_ROC] == 1 && best.value[SMERF_AUC_PR] == 1);
    assert_true(worst.value[SMERF_AUC_ROC] == 0 && flat.value[SMERF_AUC_ROC] == 0.5);
    assert_near(worst.value[SMERF_AUC_PR], share, 1e-12);
    assert_near(flat.value[SMERF_AUC_PR], share, 1e-12);
}

static void without_links_or_without_others_there_is_no_area(void **state) {
    (void)state;
    double predicted[25];
    float near[25] = {0}, far[25];
    for (size_t k = 0; k < 25; k++) {
        far[k] = 1;
        predicted[k] = (double)k;
    }
    const float *const truths[2] = {near, far};
    for (size_t k = 0; k < 2; k++) {
        smerf_scores found = score(predicted, truths[k], 5, 5, true, WITH_LINKS);
        assert_true(isnan(found.value[SMERF_AUC_ROC]) && isnan(found.value[SMERF_AUC_PR]));
        assert_true(isfinite(found.value[SMERF_RMSE]));
    }
}

static void only_the_area_that_is_query_for_is_told(void **state) {
    (void)state;
    data_set *data = plain_data(20);
    double predicted[400];
    for (size_t k = 0; k < 400; k++) predicted[k] = (double)(k % 9);
    pretend(data->target, WITH_LINKS);
    check_what_is_told(predicted, data->target, (1u << SMERF_N_METRICS) - 1);
    data_set_free(data);
}

/* ---- many pairs ---- */

/* Rows dealt out to threads in one way or another, to the tallies themselves. */
static void areas_of(const double *predicted, const double *truth, size_t n_rows, size_t n_columns, size_t n_threads,
                     size_t step, double areas[2]) {
    sm_auc auc;
    smerf_error error;
    demand_ok(sm_auc_start(&auc, n_threads, &error), &error);
    for (int round = 0; round < 2; round++) {
        for (size_t i = 0; i < n_rows; i++) {
            const sm_auc_row row = {.predicted = predicted + i * n_columns,
                                    .truth = truth + i * n_columns,
                                    .end = n_columns,
                                    .is_link = fake_is_link};
            if (round == 0)
                demand_ok(sm_auc_collect(&auc, &row, i * step % n_threads, &error), &error);
            else
                sm_auc_count(&auc, &row, i * step % n_threads);
        }
        if (round == 0) demand_ok(sm_auc_sort(&auc, &error), &error);
    }
    double fraction;
    sm_auc_areas(&auc, &areas[0], &areas[1], &fraction);
    sm_auc_free(&auc);
}

typedef struct scored {
    double distance;
    bool is_link;
} scored;

static int by_distance(const void *a, const void *b) {
    double left = ((const scored *)a)->distance, right = ((const scored *)b)->distance;
    return (left > right) - (left < right);
}

/* From pairs sorted by distance: for once not the definition, which takes too long. */
static void sorted_areas(const double *predicted, const double *truth, size_t n, double areas[2]) {
    scored *pairs = malloc(n * sizeof *pairs);
    assert_non_null(pairs);
    double n_links = 0, right = 0, area = 0, found = 0, wrong = 0;
    for (size_t k = 0; k < n; k++) {
        pairs[k] = (scored){.distance = predicted[k], .is_link = fake_is_link(truth[k])};
        n_links += pairs[k].is_link;
    }
    qsort(pairs, n, sizeof *pairs, by_distance);
    for (size_t first = 0, end; first < n; first = end) {
        double links = 0, others = 0;
        for (end = first; end < n && pairs[end].distance == pairs[first].distance; end++)
            *(pairs[end].is_link ? &links : &others) += 1;
        right += links * ((double)n - n_links - wrong - others / 2);
        found += links;
        wrong += others;
        area += links / n_links * found / (found + wrong);
    }
    areas[0] = right / (n_links * ((double)n - n_links));
    areas[1] = area;
    free(pairs);
}

/* Few different values are kept as few; many outgrow the first room many times, and the bins of each thread. */
static void many_links_of_few_and_of_many_values(void **state) {
    (void)state;
    enum { N_ROWS = 300, N_COLUMNS = 700 };
    double *predicted = malloc(N_ROWS * N_COLUMNS * sizeof *predicted),
           *truth = malloc(N_ROWS * N_COLUMNS * sizeof *truth);
    assert_true(predicted != NULL && truth != NULL);
    const uint32_t n_values[] = {3, 3000, 5000, UINT32_MAX};
    for (size_t v = 0; v < 4; v++) {
        sm_random random;
        sm_random_start(&random, 5, 1, v);
        for (size_t k = 0; k < N_ROWS * N_COLUMNS; k++) {
            truth[k] = sm_random_below(&random, 2);
            predicted[k] = sm_random_below(&random, n_values[v]) + truth[k] * n_values[v] / 4;
        }
        double expected[2], alone[2];
        sorted_areas(predicted, truth, N_ROWS * N_COLUMNS, expected);
        areas_of(predicted, truth, N_ROWS, N_COLUMNS, 1, 1, alone);
        assert_near(alone[0], expected[0], 1e-10);
        assert_near(alone[1], expected[1], 1e-10);
        for (size_t n_threads = 2; n_threads <= 5; n_threads++) {
            double found[2];
            areas_of(predicted, truth, N_ROWS, N_COLUMNS, n_threads, 7, found);
            assert_memory_equal(found, alone, sizeof found);
        }
    }
    free(predicted);
    free(truth);
}

/* ---- scores of a model ---- */

static void a_model_is_scored_by_what_it_predicts(void **state) {
    (void)state;
    data_set *data = mixed_data(MOST);
    const smerf_options options = options_for(6);
    smerf_model *model = fit_with(data, &options, NULL);
    pretend(data->target, WITH_LINKS | WITH_GAPS);
    for (int is_out = 0; is_out < 2; is_out++) {
        const smerf_request request = SMERF_INIT(smerf_request, .rows = data->items, .out_of_bag = is_out == 1);
        double *predicted = predict_all(model, &request, NULL);
        list_pairs(predicted, data->z, MOST, MOST, true, true);
        smerf_scores expected = SMERF_INIT(smerf_scores);
        smerf_error error;
        demand_ok(smerf_evaluate(model, &request, data->target, 0, NULL, &expected, &error), &error);
        assert_near(expected.value[SMERF_AUC_ROC], slow_roc(), 1e-13);
        assert_near(expected.value[SMERF_AUC_PR], slow_precision_recall(), 1e-13);
        assert_true(expected.value[SMERF_AUC_ROC] > 0.5 && expected.n_pairs == listed.n);
        for (size_t k = 0; k < N_LIMITS; k++) /* predicted once, or twice */
            for (size_t n_threads = 1; n_threads <= 3; n_threads++) {
                const smerf_run run = SMERF_INIT(smerf_run, .n_threads = n_threads);
                smerf_scores found = SMERF_INIT(smerf_scores);
                const smerf_target *truth = is_out == 1 && k % 2 == 0 ? NULL : data->target;
                const sm_evaluation wanted = {.request = &request, .limits = &small_limits[k], .truth = truth};
                demand_ok(sm_evaluate(model, &wanted, &run, &found, &error), &error);
                assert_memory_equal(found.value, expected.value, sizeof found.value);
                assert_int_equal(found.n_pairs, expected.n_pairs);
            }
        free(predicted);
    }
    smerf_model_free(model);
    data_set_free(data);
}

static void a_model_is_scored_on_two_sets(void **state) {
    (void)state;
    two_sets *sets = two_sets_new();
    pretend(sets->truth, WITH_LINKS);
    list_pairs(sets->predicted, sets->z, N_LEFT, N_RIGHT, false, false);
    for (size_t k = 0; k < N_LIMITS; k++) {
        smerf_scores found = SMERF_INIT(smerf_scores);
        const sm_evaluation wanted = {
            .request = &sets->request, .limits = &small_limits[k], .truth = sets->truth, .metrics = AREAS};
        smerf_error error;
        demand_ok(sm_evaluate(sets->model, &wanted, NULL, &found, &error), &error);
        assert_near(found.value[SMERF_AUC_ROC], slow_roc(), 1e-13);
        assert_near(found.value[SMERF_AUC_PR], slow_precision_recall(), 1e-13);
        assert_int_equal(found.n_pairs, N_LEFT * N_RIGHT);
    }
    two_sets_free(sets);
}

static void progress_can_cancel_either_round(void **state) {
    (void)state;
    data_set *data = plain_data(30);
    const smerf_options options = options_for(4);
    smerf_model *model = fit_with(data, &options, NULL);
    pretend(data->target, WITH_LINKS);
    const smerf_request request = SMERF_INIT(smerf_request, .rows = data->items);
    for (size_t k = 0; k < N_LIMITS; k++) {
        smerf_status status = SMERF_CANCELLED;
        size_t n_calls = 0;
        for (; status == SMERF_CANCELLED && n_calls < 100000; n_calls += 3) {
            patience left = {.n_left = n_calls};
            const smerf_run run = SMERF_INIT(smerf_run, .n_threads = 1, .progress = run_out, .context = &left);
            smerf_scores scores = SMERF_INIT(smerf_scores);
            const sm_evaluation wanted = {.request = &request, .limits = &small_limits[k], .truth = data->target};
            status = sm_evaluate(model, &wanted, &run, &scores, NULL);
        }
        assert_true(status == SMERF_OK && n_calls > 8);
    }
    smerf_model_free(model);
    data_set_free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(areas_are_as_defined_with_ties),
        cmocka_unit_test(a_small_case_by_hand),
        cmocka_unit_test(the_best_and_the_worst_and_a_constant),
        cmocka_unit_test(without_links_or_without_others_there_is_no_area),
        cmocka_unit_test(only_the_area_that_is_query_for_is_told),
        cmocka_unit_test(many_links_of_few_and_of_many_values),
        cmocka_unit_test(a_model_is_scored_by_what_it_predicts),
        cmocka_unit_test(a_model_is_scored_on_two_sets),
        cmocka_unit_test(progress_can_cancel_either_round),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
