/* test_triplets.c - triplets as a target: what is joined, counted, taken and refused; and scores of their order, by plain sums. */
#include "tests/unit/triplet_data.h"

#include "smerf_study.h"
#include "target/triplets/triplets.h"

static triplet_data given;

/* ---- the target ---- */

static void assert_triplet(const smerf_target *target, size_t t, uint32_t anchor, uint32_t near, uint32_t far,
                           double weight) {
    const sm_triplets *triplets = sm_triplets_of(target);
    assert_true(t < triplets->n);
    assert_int_equal(triplets->anchor[t], anchor);
    assert_int_equal(triplets->near[t], near);
    assert_int_equal(triplets->far[t], far);
    assert_true(triplets->weight[t] == weight);
}

static void repeats_add_up_and_conflicts_are_both_kept(void **state) {
    (void)state;
    smerf_triplet_facts facts;
    start_triplets(&given);
    put_triplet(&given, 2, 3, 0, 1);
    put_triplet(&given, 0, 2, 1, 0.5);
    put_triplet(&given, 2, 0, 3, 2);
    put_triplet(&given, 0, 2, 1, 0.25);
    put_triplet(&given, 0, 1, 3, 1);
    smerf_target *target = triplets_of(&given, 6);
    assert_int_equal(sm_triplets_of(target)->n, 4);
    assert_triplet(target, 0, 0, 2, 1, 0.75);
    assert_triplet(target, 1, 0, 1, 3, 1);
    assert_triplet(target, 2, 2, 0, 3, 2);
    assert_triplet(target, 3, 2, 3, 0, 1);
    assert_true(smerf_target_triplet_facts(target, &facts));
    assert_int_equal(facts.n_comparisons, 3);
    assert_int_equal(facts.n_repeated, 2);
    assert_int_equal(facts.n_conflicts, 1);
    assert_int_equal(facts.n_unobserved, 2);
    smerf_target_free(target);
}

/* Against a table of all triplets, whatever the order of the list and of the rows. */
static void those_stay_of_which_all_three_items_are_taken(void **state) {
    enum { N = 12 };
    (void)state;
    for (uint64_t seed = 0; seed < 40; seed++) {
        static double table[N][N][N];
        sm_random random;
        uint32_t rows[N];
        smerf_target *part = NULL;
        smerf_error error;
        sm_random_start(&random, seed, 1, 1);
        memset(table, 0, sizeof table);
        start_triplets(&given);
        for (size_t k = 0; k < 10 + 20 * (size_t)seed; k++) {
            uint32_t items[3];
            draw_three(&random, N, items);
            put_triplet(&given, items[0], items[1], items[2], 1 + sm_random_below(&random, 4));
            table[items[0]][items[1]][items[2]] += given.weight[k];
        }
        for (uint32_t i = 0; i < N; i++) rows[i] = i;
        sm_random_shuffle(&random, rows, N);
        size_t n = 1 + seed % N, n_triplets = 0;
        smerf_target *target = triplets_of(&given, N);
        demand_ok(smerf_target_take(target, rows, n, &part, &error), &error);
        const sm_triplets *triplets = sm_triplets_of(part);
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++)
                for (size_t k = 0; k < n; k++) n_triplets += table[rows[i]][rows[j]][rows[k]] > 0;
        assert_int_equal(triplets->n, n_triplets);
        for (size_t t = 0; t < triplets->n; t++)
            assert_true(triplets->weight[t] ==
                        table[rows[triplets->anchor[t]]][rows[triplets->near[t]]][rows[triplets->far[t]]]);
        assert_true(target->kind->data.equal(target, target));
        smerf_target_free(part);
        smerf_target_free(target);
    }
}

static void assert_list_is_refused(size_t n_items, size_t row, const char *words) {
    smerf_target *target = NULL;
    smerf_error error = {0};
    assert_int_equal(smerf_target_new_triplets(&given.list, n_items, &target, &error), SMERF_BAD_INPUT);
    assert_null(target);
    assert_int_equal(error.row, row);
    if (strstr(error.message, words) == NULL) fail_msg("said \"%s\" and not \"%s\"", error.message, words);
}

static void lists_that_make_no_sense_are_refused_with_their_entry(void **state) {
    (void)state;
    const double weights[] = {0, -1, NAN, INFINITY, 1e101};
    const uint32_t twice[][3] = {{1, 1, 2}, {1, 2, 1}, {2, 1, 1}};
    start_triplets(&given);
    put_triplet(&given, 0, 1, 2, 1);
    put_triplet(&given, 0, 1, 3, 1);
    assert_list_is_refused(3, 1, "there is no item 3; there are 3");
    assert_list_is_refused(2, SMERF_NOWHERE, "three items, and there are 2");
    for (size_t k = 0; k < 3; k++) {
        start_triplets(&given);
        put_triplet(&given, twice[k][0], twice[k][1], twice[k][2], 1);
        assert_list_is_refused(4, 0, "item 1 stands there twice");
    }
    for (size_t k = 0; k < sizeof weights / sizeof *weights; k++) {
        start_triplets(&given);
        put_triplet(&given, 0, 1, 2, weights[k]);
        assert_list_is_refused(4, 0, "the weight");
    }
}

/* ---- what has no notion of triplets ---- */

static void assert_refusal(smerf_status status, const smerf_error *error) {
    assert_int_equal(status, SMERF_BAD_INPUT);
    if (strstr(error->message, "triplets") == NULL) fail_msg("said \"%s\"", error->message);
}

static void whatever_needs_distances_refuses_triplets(void **state) {
    enum { N = 12 };
    (void)state;
    data_set *data = plain_data(N);
    smerf_options options = options_for(2);
    smerf_model *forest = fit_with(data, &options, NULL), *model = NULL;
    smerf_error error;
    sm_random random;
    sm_random_start(&random, 1, 1, 1);
    judge_triplets(&given, data, 50, 1, &random);
    smerf_target *target = triplets_of(&given, N), *parts[2] = {NULL, NULL};
    for (unsigned m = 0; m < SMERF_N_METHODS; m++) {
        options.method = (smerf_method)m;
        bool takes = m == SMERF_METHOD_MAHALANOBIS || m == SMERF_METHOD_EUCLIDEAN || m == SMERF_METHOD_MEAN ||
                     m == SMERF_METHOD_STANDARDIZED || m == SMERF_METHOD_GOWER;
        smerf_status status = smerf_fit(data->items, target, &options, NULL, &model, &error);
        if (takes)
            demand_ok(status, &error);
        else
            assert_refusal(status, &error);
        if (takes) smerf_model_free(model);
    }
    options.method = SMERF_METHOD_FOREST;
    const smerf_request request = SMERF_INIT(smerf_request, .rows = data->items);
    const smerf_tuning tuning = SMERF_INIT(smerf_tuning, .vary_min_parent = true);
    smerf_scores scores = SMERF_INIT(smerf_scores);
    smerf_correlation correlation = SMERF_INIT(smerf_correlation);
    smerf_estimate estimate = SMERF_INIT(smerf_estimate);
    smerf_tuned tuned = SMERF_INIT(smerf_tuned);
    double z[N * N] = {0}, of_features[8];
    assert_refusal(smerf_fit_estimate(data->items, target, &options, NULL, &estimate, &error), &error);
    assert_refusal(smerf_tune(data->items, target, &options, &tuning, NULL, &tuned, &error), &error);
    assert_refusal(smerf_evaluate(forest, &request, target, 0, NULL, &scores, &error), &error);
    assert_refusal(smerf_score(z, target, 0, &scores, &error), &error);
    assert_refusal(smerf_correlate(forest, &request, target, NULL, &correlation, &error), &error);
    assert_refusal(smerf_importance_permutation(forest, data->items, target, NULL, of_features, of_features, &error),
                   &error);
    assert_refusal(smerf_target_divide(target, 0.5, 1, &parts[0], &parts[1], &error), &error);
    assert_refusal(smerf_target_new_between(target, 5, &parts[0], &error), &error);
    smerf_target_free(target);
    smerf_model_free(forest);
    data_set_free(data);
}

/* ---- scores ---- */

typedef struct by_hand {
    double in_order, standard_error, log_loss;
    size_t n, n_ties;
} by_hand;

/* From a matrix of predictions and a table of weights, comparison by comparison. */
static by_hand score_by_hand(const double *d, size_t n, const double *table) {
    by_hand found = {0};
    double sum = 0, right = 0, loss = 0, squares = 0;
    for (int round = 0; round < 2; round++)
        for (size_t a = 0; a < n; a++)
            for (size_t i = 0; i < n; i++)
                for (size_t j = i + 1; j < n; j++) {
                    double w[2] = {table[(a * n + i) * n + j], table[(a * n + j) * n + i]};
                    double margin = d[a * n + j] - d[a * n + i];
                    if (w[0] + w[1] == 0) continue;
                    double correct = margin == 0 ? (w[0] + w[1]) / 2 : margin > 0 ? w[0] : w[1];
                    if (round == 1) {
                        double apart = correct - found.in_order * (w[0] + w[1]);
                        squares += apart * apart;
                        continue;
                    }
                    found.n++;
                    found.n_ties += margin == 0;
                    sum += w[0] + w[1];
                    right += correct;
                    loss += w[0] * log(1 + exp(-margin)) + w[1] * log(1 + exp(margin));
                    found.in_order = right / sum;
                }
    double size = (double)found.n;
    found.log_loss = loss / sum;
    found.standard_error = sqrt(squares * size / (size - 1)) / sum;
    return found;
}

static void assert_scores_by_hand(const smerf_model *model, const data_set *data, uint64_t seed, bool are_log_odds) {
    size_t n = data->plan.n_items;
    double *table = calloc(n * n * n, sizeof *table), *d = all_distances(model, data, false);
    smerf_triplet_scores scores = SMERF_INIT(smerf_triplet_scores);
    smerf_error error;
    sm_random random;
    sm_random_start(&random, seed, 2, 1);
    start_triplets(&given);
    for (size_t k = 0; k < 300; k++) {
        uint32_t items[3];
        draw_three(&random, n, items);
        put_triplet(&given, items[0], items[1], items[2], 0.5 * (1 + sm_random_below(&random, 3)));
        table[(items[0] * n + items[1]) * n + items[2]] += given.weight[k];
    }
    smerf_target *truth = triplets_of(&given, n);
    const smerf_request request = SMERF_INIT(smerf_request, .rows = data->items);
    demand_ok(smerf_evaluate_triplets(model, &request, truth, NULL, &scores, &error), &error);
    by_hand expected = score_by_hand(d, n, table);
    assert_int_equal(scores.n_comparisons, expected.n);
    assert_int_equal(scores.n_ties, expected.n_ties);
    assert_int_equal(scores.n_unpredicted, 0);
    assert_near(scores.in_order, expected.in_order, 1e-12);
    assert_near(scores.standard_error, expected.standard_error, 1e-12);
    assert_true(isnan(scores.log_loss) == !are_log_odds);
    if (are_log_odds) assert_near(scores.log_loss, expected.log_loss, 1e-12);
    smerf_target_free(truth);
    free(table);
    free(d);
}

static void scores_are_those_of_plain_sums_ties_included(void **state) {
    (void)state;
    data_set *data = mixed_data(16);
    smerf_options options = options_for(1);
    options.max_depth = 2; /* few leaves: many ties */
    smerf_model *forest = fit_with(data, &options, NULL);
    sm_random random;
    sm_random_start(&random, 7, 1, 1);
    judge_triplets(&given, data, 200, 2, &random);
    smerf_target *target = triplets_of(&given, 16);
    smerf_model *learned = fit_triplets(data, target, 1);
    for (uint64_t seed = 0; seed < 5; seed++) {
        assert_scores_by_hand(forest, data, seed, false);
        assert_scores_by_hand(learned, data, seed, true);
    }
    smerf_target_free(target);
    smerf_model_free(learned);
    smerf_model_free(forest);
    data_set_free(data);
}

static void a_comparison_without_a_prediction_does_not_count(void **state) {
    enum { N = 10 };
    (void)state;
    data_set *data = plain_data(N);
    smerf_options options = options_for(2);
    smerf_model *forest = fit_with(data, &options, NULL);
    double *d = all_distances(forest, data, true);
    smerf_triplet_scores scores = SMERF_INIT(smerf_triplet_scores);
    smerf_error error;
    size_t n_unpredicted = 0;
    start_triplets(&given);
    for (uint32_t a = 0; a < N; a++)
        for (uint32_t i = 0; i < N; i++)
            for (uint32_t j = i + 1; j < N; j++) {
                if (a == i || a == j) continue;
                put_triplet(&given, a, i, j, 1);
                n_unpredicted += isnan(d[a * N + i]) || isnan(d[a * N + j]);
            }
    smerf_target *truth = triplets_of(&given, N);
    const smerf_request request = SMERF_INIT(smerf_request, .rows = data->items, .out_of_bag = true);
    demand_ok(smerf_evaluate_triplets(forest, &request, truth, NULL, &scores, &error), &error);
    assert_true(n_unpredicted > 0 && n_unpredicted < given.list.n);
    assert_int_equal(scores.n_unpredicted, n_unpredicted);
    assert_int_equal(scores.n_comparisons, given.list.n - n_unpredicted);
    free(d);
    smerf_target_free(truth);
    smerf_model_free(forest);
    data_set_free(data);
}

static void without_triplets_there_is_no_score_and_other_questions_are_refused(void **state) {
    enum { N = 8 };
    (void)state;
    data_set *data = plain_data(N), *fewer = plain_data(N - 1);
    smerf_options options = options_for(1);
    smerf_model *forest = fit_with(data, &options, NULL);
    smerf_triplet_scores scores = SMERF_INIT(smerf_triplet_scores);
    smerf_error error;
    smerf_triplet_facts facts;
    start_triplets(&given);
    smerf_target *none = triplets_of(&given, N);
    smerf_request request = SMERF_INIT(smerf_request, .rows = data->items);
    demand_ok(smerf_evaluate_triplets(forest, &request, none, NULL, &scores, &error), &error);
    assert_true(scores.n_comparisons == 0 && isnan(scores.in_order) && isnan(scores.standard_error));
    put_triplet(&given, 0, 1, 2, 3);
    smerf_target *one = triplets_of(&given, N);
    demand_ok(smerf_evaluate_triplets(forest, &request, one, NULL, &scores, &error), &error);
    assert_true(scores.n_comparisons == 1 && !isnan(scores.in_order) && isnan(scores.standard_error));
    assert_false(smerf_target_triplet_facts(data->target, &facts));
    assert_refusal(smerf_evaluate_triplets(forest, &request, data->target, NULL, &scores, &error), &error);
    assert_refusal(smerf_evaluate_triplets(forest, &request, NULL, NULL, &scores, &error), &error);
    request.columns = fewer->items;
    assert_refusal(smerf_evaluate_triplets(forest, &request, one, NULL, &scores, &error), &error);
    request = SMERF_INIT(smerf_request, .rows = fewer->items);
    assert_int_equal(smerf_evaluate_triplets(forest, &request, one, NULL, &scores, &error), SMERF_BAD_INPUT);
    smerf_target_free(one);
    smerf_target_free(none);
    smerf_model_free(forest);
    data_set_free(fewer);
    data_set_free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(repeats_add_up_and_conflicts_are_both_kept),
        cmocka_unit_test(those_stay_of_which_all_three_items_are_taken),
        cmocka_unit_test(lists_that_make_no_sense_are_refused_with_their_entry),
        cmocka_unit_test(whatever_needs_distances_refuses_triplets),
        cmocka_unit_test(scores_are_those_of_plain_sums_ties_included),
        cmocka_unit_test(a_comparison_without_a_prediction_does_not_count),
        cmocka_unit_test(without_triplets_there_is_no_score_and_other_questions_are_refused),
    };
    return cmocka_run_group_tests(tests, files_enter, files_leave);
}
