/* test_compare.c - a comparison is what splitting, tuning, fitting and scoring by hand come to. */
#include "smerf_study.h"
#include "study/divide.h"
#include "tests/unit/forests.h"

enum { N_ITEMS = 30, N_TRAIN = 21, N_PAIRS = N_ITEMS * (N_ITEMS - 1) / 2, N_REPEATS = 3 };

#define QUICK (SMERF_HAS(SMERF_METHOD_FOREST) | SMERF_HAS(SMERF_METHOD_EUCLIDEAN) | SMERF_HAS(SMERF_METHOD_BILINEAR))

/* A plan points to options; these are the tests' own. */
static smerf_options own_options;
static smerf_baseline_options own_baselines;

static smerf_comparison plan_for(const smerf_target *target) {
    smerf_comparison plan;
    smerf_comparison_default(target, &plan);
    assert_null(plan.options);
    plan.methods = QUICK;
    plan.n_repeats = N_REPEATS;
    plan.tunes = false;
    own_options = options_for(8);
    own_options.seed = 11;
    smerf_baseline_options_default(&own_baselines);
    own_options.baselines = &own_baselines;
    plan.options = &own_options;
    return plan;
}

static void start_scores(smerf_method_scores *scores) {
    for (size_t m = 0; m < SMERF_N_METHODS; m++) scores[m] = SMERF_INIT(smerf_method_scores);
}

static void compare(const data_set *data, const smerf_target *target, const smerf_comparison *plan,
                    const smerf_run *run, smerf_method_scores *scores) {
    smerf_error error;
    start_scores(scores);
    demand_ok(smerf_compare(data->items, target, plan, run, scores, SMERF_N_METHODS, &error), &error);
}

/* ---- targets ---- */

static smerf_target *make_labels(void) {
    static const char *const classes[] = {"a", "b", "c"};
    uint32_t codes[N_ITEMS];
    smerf_target *target = NULL;
    smerf_error error;
    for (uint32_t i = 0; i < N_ITEMS; i++) codes[i] = i * i % 7 % 3;
    demand_ok(smerf_target_new_labels("kind", codes, N_ITEMS, classes, 3, &target, &error), &error);
    return target;
}

static smerf_target *make_graph(void) {
    uint32_t left[N_PAIRS], right[N_PAIRS];
    smerf_pair_list edges = {.left = left, .right = right};
    smerf_target *target = NULL;
    smerf_error error;
    for (uint32_t i = 0; i < N_ITEMS; i++)
        for (uint32_t j = 0; j < i; j++) {
            if ((i * j + i + j) % 4 != 0) continue;
            left[edges.n] = i;
            right[edges.n++] = j;
        }
    demand_ok(smerf_target_new_graph(&edges, NULL, N_ITEMS, &target, &error), &error);
    return target;
}

/* ---- by hand ---- */

typedef struct hand {
    const smerf_items *items, *test_items;
    smerf_target *train, *truth;
    smerf_items *taken[2];
} hand;

static void free_hand(hand *data) {
    smerf_target_free(data->train);
    smerf_target_free(data->truth);
    smerf_items_free(data->taken[0]);
    smerf_items_free(data->taken[1]);
}

static hand split_nodes(const data_set *data, const smerf_target *target, uint64_t seed) {
    bool is_train[N_ITEMS];
    uint32_t rows[2][N_ITEMS];
    size_t n[2] = {0, 0};
    hand made = {0};
    smerf_error error;
    demand_ok(smerf_split(N_ITEMS, N_TRAIN, seed, is_train, &error), &error);
    for (uint32_t i = 0; i < N_ITEMS; i++) rows[is_train[i]][n[is_train[i]]++] = i;
    for (size_t part = 0; part < 2; part++)
        demand_ok(smerf_items_take(data->items, rows[part], n[part], &made.taken[part], &error), &error);
    demand_ok(smerf_target_take(target, rows[1], n[1], &made.train, &error), &error);
    demand_ok(smerf_target_take(target, rows[0], n[0], &made.truth, &error), &error);
    made.items = made.taken[1];
    made.test_items = made.taken[0];
    return made;
}

/* Pairs of one part: edges where they are below 1, and all of them observed; or as they are. */
static smerf_target *make_part(const smerf_target *target, const bool *is_train, bool wanted, bool has_links) {
    static uint32_t left[N_PAIRS + N_ITEMS], right[N_PAIRS + N_ITEMS], from[N_PAIRS], to[N_PAIRS];
    static double value[N_PAIRS + N_ITEMS], row[N_ITEMS];
    smerf_pair_list pairs = {.left = left, .right = right, .value = value}, edges = {.left = from, .right = to};
    smerf_target *part = NULL;
    smerf_error error;
    size_t k = 0;
    for (uint32_t i = 0; i < N_ITEMS; i++) {
        smerf_target_row(target, i, row);
        for (uint32_t j = i; j < N_ITEMS; j++) {
            bool is_in = i == j ? wanted && !has_links : is_train[k++] == wanted;
            if (!is_in) continue;
            left[pairs.n] = i;
            right[pairs.n] = j;
            value[pairs.n++] = row[j];
            if (row[j] == 1) continue;
            from[edges.n] = i;
            to[edges.n++] = j;
        }
    }
    if (has_links)
        demand_ok(smerf_target_new_graph(&edges, &pairs, N_ITEMS, &part, &error), &error);
    else
        demand_ok(smerf_target_new_pairs(&pairs, N_ITEMS, &part, &error), &error);
    return part;
}

static hand split_pairs(const data_set *data, const smerf_target *target, uint64_t seed) {
    bool is_train[N_PAIRS], has_links = (smerf_target_metrics(target) & SMERF_HAS(SMERF_AUC_ROC)) != 0;
    smerf_error error;
    demand_ok(smerf_split(N_PAIRS, N_TRAIN * (N_TRAIN - 1) / 2, seed, is_train, &error), &error);
    return (hand){.items = data->items,
                  .test_items = data->items,
                  .train = make_part(target, is_train, true, has_links),
                  .truth = make_part(target, is_train, false, has_links)};
}

static void score(const hand *data, const smerf_options *options, const smerf_tuning *tuning, smerf_scores *scores) {
    smerf_model *model = NULL;
    smerf_error error;
    const smerf_request request = SMERF_INIT(smerf_request, .rows = data->test_items);
    if (tuning != NULL) {
        smerf_tuned best = SMERF_INIT(smerf_tuned);
        demand_ok(smerf_tune(data->items, data->train, options, tuning, NULL, &best, &error), &error);
        model = best.model;
    } else {
        demand_ok(smerf_fit(data->items, data->train, options, NULL, &model, &error), &error);
    }
    demand_ok(smerf_evaluate(model, &request, data->truth, 0, NULL, scores, &error), &error);
    smerf_model_free(model);
}

static void assert_about(double found, double expected) {
    if (isnan(found) && isnan(expected)) return;
    if (!(fabs(found - expected) <= 1e-12 * (1 + fabs(expected)))) fail_msg("%.17g is not %.17g", found, expected);
}

static void assert_summary(const smerf_method_scores *standing, smerf_metric metric, const double *values) {
    double mean = 0, squares = 0;
    for (size_t r = 0; r < N_REPEATS; r++) mean += values[r] / N_REPEATS;
    for (size_t r = 0; r < N_REPEATS; r++) squares += (values[r] - mean) * (values[r] - mean);
    assert_about(standing->score[metric].mean, mean);
    assert_about(standing->score[metric].standard_error, sqrt(squares / (N_REPEATS - 1)) / sqrt(N_REPEATS));
}

static void assert_as_by_hand(const data_set *data, const smerf_target *target, const smerf_comparison *plan,
                              const smerf_tuning *tuning) {
    smerf_method_scores scores[SMERF_N_METHODS];
    compare(data, target, plan, NULL, scores);
    for (unsigned m = 0; m < SMERF_N_METHODS; m++) {
        double values[SMERF_N_METRICS][N_REPEATS];
        assert_int_equal(scores[m].applies, (plan->methods & SMERF_HAS(m)) != 0);
        for (size_t r = 0; r < N_REPEATS && scores[m].applies; r++) {
            smerf_options options = *plan->options;
            smerf_scores found = SMERF_INIT(smerf_scores);
            options.method = (smerf_method)m;
            options.seed += r;
            hand divided = (plan->by_pairs ? split_pairs : split_nodes)(data, target, options.seed);
            score(&divided, &options, m == SMERF_METHOD_FOREST ? tuning : NULL, &found);
            if (found.mean_partners < SMERF_FEWEST_PARTNERS) found.value[SMERF_MAP10] = NAN;
            for (unsigned k = 0; k < SMERF_N_METRICS; k++) values[k][r] = found.value[k];
            free_hand(&divided);
        }
        for (unsigned k = 0; k < SMERF_N_METRICS; k++) {
            bool is_known = scores[m].applies && (smerf_target_metrics(target) & SMERF_HAS(k)) != 0 &&
                            !(k == SMERF_MAP10 && isnan(values[k][0]));
            assert_true(is_known == !isnan(scores[m].score[k].mean));
            if (is_known) assert_summary(&scores[m], (smerf_metric)k, values[k]);
        }
    }
}

/* ---- dividing ---- */

static void assert_same_rows(const smerf_target *a, const smerf_target *b) {
    double first[N_ITEMS], second[N_ITEMS];
    for (uint32_t i = 0; i < N_ITEMS; i++) {
        smerf_target_row(a, i, first);
        smerf_target_row(b, i, second);
        for (size_t j = 0; j < N_ITEMS; j++)
            assert_true(first[j] == second[j] || (isnan(first[j]) && isnan(second[j])));
    }
}

static void dividing_by_pairs_gives_the_parts_made_by_hand(void **state) {
    (void)state;
    data_set *data = mixed_data(N_ITEMS);
    smerf_target *made[] = {make_labels(), make_graph()};
    const smerf_target *targets[] = {data->target, made[0], made[1]};
    for (size_t t = 0; t < 3; t++) {
        smerf_target *train, *test;
        smerf_error error;
        demand_ok(smerf_target_divide(targets[t], 0.7, 11, &train, &test, &error), &error);
        hand by_hand = split_pairs(data, targets[t], 11);
        assert_same_rows(train, by_hand.train);
        assert_same_rows(test, by_hand.truth);
        free_hand(&by_hand);
        smerf_target_free(train);
        smerf_target_free(test);
        assert_int_equal(smerf_target_divide(targets[t], 1, 11, &train, &test, &error), SMERF_BAD_INPUT);
        assert_string_equal(error.message, "train: 1 is not between 0 and 1");
    }
    smerf_target_free(made[0]);
    smerf_target_free(made[1]);
    data_set_free(data);
}

/* Which items a round tests, known by their ids, which are their rows here.   is_tested  [N_ITEMS] out */
static size_t find_tested(const sm_divider *divider, bool is_tested[N_ITEMS]) {
    size_t n = 0;
    for (size_t i = 0; i < N_ITEMS; i++) {
        is_tested[i] = !divider->is_train[i];
        n += is_tested[i];
    }
    return n;
}

static void each_item_is_tested_in_one_fold(void **state) {
    (void)state;
    data_set *data = mixed_data(N_ITEMS);
    uint32_t groups[N_ITEMS];
    for (uint32_t i = 0; i < N_ITEMS; i++) groups[i] = 1000 - i * i % 11;
    for (int has_groups = 0; has_groups < 2; has_groups++) {
        const sm_division_plan plan = {.train_fraction = 0.7, .n_folds = 4, .groups = has_groups ? groups : NULL};
        sm_divider divider;
        smerf_error error;
        demand_ok(sm_divider_start(&divider, data->items, data->target, &plan, &error), &error);
        size_t fold_of[2][N_ITEMS];
        for (size_t repeat = 0; repeat < 2; repeat++) {
            size_t n_tests[N_ITEMS] = {0};
            for (size_t fold = 0; fold < 4; fold++) {
                sm_division data_of_fold;
                bool is_tested[N_ITEMS];
                demand_ok(sm_divide(&divider, 5, 4 * repeat + fold, &data_of_fold, &error), &error);
                size_t n = find_tested(&divider, is_tested);
                assert_int_equal(smerf_items_count(data_of_fold.test_items), n);
                assert_int_equal(smerf_items_count(data_of_fold.train_items), N_ITEMS - n);
                if (!has_groups) assert_in_range(n, N_ITEMS / 4, (N_ITEMS + 3) / 4);
                for (size_t i = 0; i < N_ITEMS; i++) {
                    n_tests[i] += is_tested[i];
                    if (is_tested[i]) fold_of[repeat][i] = fold;
                    for (size_t j = 0; j < N_ITEMS && has_groups; j++)
                        if (groups[i] == groups[j]) assert_int_equal(is_tested[i], is_tested[j]);
                }
                sm_division_free(&data_of_fold);
            }
            for (size_t i = 0; i < N_ITEMS; i++) assert_int_equal(n_tests[i], 1);
        }
        assert_memory_not_equal(fold_of[0], fold_of[1], sizeof fold_of[0]); /* dealt anew */
        sm_divider_free(&divider);
    }
    data_set_free(data);
}

static void groups_are_drawn_as_a_whole(void **state) {
    (void)state;
    data_set *data = mixed_data(N_ITEMS);
    uint32_t groups[N_ITEMS];
    for (uint32_t i = 0; i < N_ITEMS; i++) groups[i] = i % 10;
    const sm_division_plan plan = {.train_fraction = 0.7, .groups = groups};
    sm_divider divider;
    smerf_error error;
    demand_ok(sm_divider_start(&divider, data->items, data->target, &plan, &error), &error);
    for (size_t round = 0; round < 20; round++) {
        sm_division drawn;
        bool is_group[10], is_tested[N_ITEMS];
        demand_ok(sm_divide(&divider, 5, round, &drawn, &error), &error);
        demand_ok(smerf_split(10, 7, 5 + round, is_group, &error), &error);
        find_tested(&divider, is_tested);
        for (size_t i = 0; i < N_ITEMS; i++) assert_int_equal(is_tested[i], !is_group[groups[i]]);
        sm_division_free(&drawn);
    }
    sm_divider_free(&divider);
    data_set_free(data);
}

/* ---- what a comparison comes to ---- */

static void the_numbers_are_those_of_splitting_and_fitting_by_hand(void **state) {
    (void)state;
    data_set *data = mixed_data(N_ITEMS);
    smerf_target *targets[] = {data->target, make_labels(), make_graph()};
    for (size_t t = 0; t < 3; t++)
        for (int by_pairs = 0; by_pairs < 2; by_pairs++) {
            smerf_comparison plan = plan_for(targets[t]);
            plan.by_pairs = by_pairs == 1;
            assert_as_by_hand(data, targets[t], &plan, NULL);
        }
    smerf_target_free(targets[1]);
    smerf_target_free(targets[2]);
    data_set_free(data);
}

static void smerf_is_tuned_over_the_whole_grid(void **state) {
    (void)state;
    data_set *data = mixed_data(N_ITEMS);
    smerf_target *targets[] = {data->target, make_graph()};
    for (size_t t = 0; t < 2; t++) {
        const smerf_tuning tuning =
            SMERF_INIT(smerf_tuning, .metric = t == 1 ? SMERF_AUC_ROC : SMERF_RMSE, .vary_candidates = true,
                       .vary_min_parent = true, .vary_splits = true, .vary_self = true);
        smerf_comparison plan = plan_for(targets[t]);
        assert_int_equal(plan.metric, t == 1 ? SMERF_AUC_ROC : SMERF_RMSE);
        plan.tunes = true;
        plan.methods = SMERF_HAS(SMERF_METHOD_FOREST);
        assert_as_by_hand(data, targets[t], &plan, &tuning);
    }
    smerf_target_free(targets[1]);
    data_set_free(data);
}

static void one_repeat_has_no_standard_error(void **state) {
    (void)state;
    data_set *data = plain_data(N_ITEMS);
    smerf_method_scores scores[SMERF_N_METHODS];
    smerf_comparison plan = plan_for(data->target);
    plan.n_repeats = 1;
    compare(data, data->target, &plan, NULL, scores);
    assert_true(scores[SMERF_METHOD_FOREST].score[SMERF_RMSE].mean > 0);
    assert_true(isnan(scores[SMERF_METHOD_FOREST].score[SMERF_RMSE].standard_error) != 0);
    data_set_free(data);
}

static void any_number_of_threads_gives_the_same_bits(void **state) {
    (void)state;
    data_set *data = mixed_data(N_ITEMS);
    smerf_comparison plan = plan_for(data->target);
    plan.tunes = true;
    smerf_method_scores scores[2][SMERF_N_METHODS];
    for (size_t t = 0; t < 2; t++) {
        const smerf_run run = SMERF_INIT(smerf_run, .n_threads = t + 1);
        compare(data, data->target, &plan, &run, scores[t]);
        for (unsigned m = 0; m < SMERF_N_METHODS; m++) scores[t][m].seconds = 0;
    }
    assert_memory_equal(scores[0], scores[1], sizeof scores[0]);
    data_set_free(data);
}

/* ---- progress ---- */

typedef struct witness {
    double last;
    size_t n_calls;
} witness;

static int watch(void *context, double fraction_done) {
    witness *seen = context;
    assert_true(fraction_done >= seen->last && fraction_done <= 1);
    seen->last = fraction_done;
    seen->n_calls++;
    return 0;
}

static void progress_rises_over_all_methods_and_repeats(void **state) {
    (void)state;
    data_set *data = plain_data(N_ITEMS);
    smerf_comparison plan = plan_for(data->target);
    smerf_method_scores scores[SMERF_N_METHODS];
    witness seen = {.last = 0};
    const smerf_run run = SMERF_INIT(smerf_run, .n_threads = 1, .progress = watch, .context = &seen);
    compare(data, data->target, &plan, &run, scores);
    assert_true(seen.last == 1 && seen.n_calls > 3 * N_REPEATS);
    data_set_free(data);
}

static void a_comparison_can_be_cancelled_anywhere(void **state) {
    (void)state;
    data_set *data = plain_data(N_ITEMS);
    smerf_comparison plan = plan_for(data->target);
    smerf_method_scores scores[SMERF_N_METHODS];
    start_scores(scores);
    for (int query = 0; query < 2; query++) {
        plan.methods = query == 1 ? QUICK : QUICK & ~SMERF_HAS(SMERF_METHOD_BILINEAR);
        for (size_t n_calls = 0; n_calls < 12; n_calls++) {
            patience left = {.n_left = n_calls};
            smerf_error error;
            const smerf_run run = SMERF_INIT(smerf_run, .n_threads = 1, .progress = run_out, .context = &left);
            assert_int_equal(smerf_compare(data->items, data->target, &plan, &run, scores, SMERF_N_METHODS, &error),
                             SMERF_CANCELLED);
        }
    }
    data_set_free(data);
}

/* ---- refusals ---- */

static void assert_refused(const data_set *data, const smerf_target *target, const smerf_comparison *plan,
                           const char *sentence) {
    smerf_method_scores scores[SMERF_N_METHODS];
    smerf_error error;
    start_scores(scores);
    assert_int_equal(smerf_compare(data->items, target, plan, NULL, scores, SMERF_N_METHODS, &error), SMERF_BAD_INPUT);
    assert_string_equal(error.message, sentence);
    assert_int_equal(smerf_compare(data->items, target, plan, NULL, scores, SMERF_N_METHODS, NULL), SMERF_BAD_INPUT);
}

static void a_plan_that_makes_no_sense_is_refused(void **state) {
    (void)state;
    data_set *data = plain_data(N_ITEMS), *others = plain_data(5);
    const smerf_comparison good = plan_for(data->target);
    smerf_comparison bad = good;
    bad.methods = SMERF_HAS(SMERF_N_METHODS);
    assert_refused(data, data->target, &bad, "methods: there is no such method");
    bad = good;
    bad.n_repeats = 0;
    assert_refused(data, data->target, &bad, "repeats: there must be at least one");
    bad = good;
    bad.train_fraction = 1;
    assert_refused(data, data->target, &bad, "train: 1 is not between 0 and 1");
    bad.train_fraction = 0.03;
    assert_refused(
        data, data->target, &bad,
        "train: 0.03 of 30 items makes 1 of 30 items to learn from: there must be two, and two to test with");
    bad = good;
    own_options.seed = INT64_MAX;
    assert_refused(data, data->target, &bad, "seed: with one more for each repeat it leaves 0 ... 2^63 - 1");
    own_options.seed = 11;
    bad = good;
    bad.tunes = true;
    bad.metric = SMERF_AUC_PR;
    assert_refused(data, data->target, &bad,
                   "metric: auc-pr needs a graph or labels: a target of kind 'distances' has no links");
    assert_refused(data, others->target, &good, "there are 30 items, and the target is about 5");
    data_set_free(data);
    data_set_free(others);
}

static const char *const only_seen = "knows only the nodes it was trained on (narm and smerf predict new nodes)";

static void a_method_that_was_query_for_must_apply(void **state) {
    (void)state;
    data_set *data = plain_data(N_ITEMS);
    smerf_target *graph = make_graph();
    smerf_comparison plan = plan_for(graph);
    char sentence[200];
    snprintf(sentence, sizeof sentence, "methods: epm: %s", only_seen);
    plan.methods = SMERF_HAS(SMERF_METHOD_EPM) | SMERF_HAS(SMERF_METHOD_FOREST);
    assert_refused(data, graph, &plan, sentence);
    smerf_target_free(graph);
    data_set_free(data);
}

static void the_division_of_a_round_is_that_of_the_comparison(void **state) {
    (void)state;
    data_set *data = plain_data(N_ITEMS);
    smerf_comparison plan = plan_for(data->target);
    bool is_train[N_ITEMS], expected[N_ITEMS];
    size_t n_tested[N_ITEMS] = {0};
    smerf_error error;
    for (size_t round = 0; round < 3; round++) {
        demand_ok(smerf_compare_division(data->target, &plan, round, is_train, &error), &error);
        demand_ok(smerf_split(N_ITEMS, N_TRAIN, plan.options->seed + round, expected, &error), &error);
        assert_memory_equal(is_train, expected, sizeof expected);
    }
    plan.n_folds = 5;
    for (size_t round = 0; round < 10; round++) {
        demand_ok(smerf_compare_division(data->target, &plan, round, is_train, &error), &error);
        for (size_t i = 0; i < N_ITEMS; i++) n_tested[i] += !is_train[i];
    }
    for (size_t i = 0; i < N_ITEMS; i++) assert_int_equal(n_tested[i], 2); /* once in each of two repeats */
    uint32_t groups[N_ITEMS];
    for (uint32_t i = 0; i < N_ITEMS; i++) groups[i] = i % 7;
    plan.groups = groups;
    demand_ok(smerf_compare_division(data->target, &plan, 3, is_train, &error), &error);
    for (size_t i = 7; i < N_ITEMS; i++) assert_true(is_train[i] == is_train[i - 7]);
    plan.n_folds = N_ITEMS + 1;
    assert_int_equal(smerf_compare_division(data->target, &plan, 0, is_train, &error), SMERF_BAD_INPUT);
    plan.by_pairs = true;
    assert_int_equal(smerf_compare_division(data->target, &plan, 0, is_train, &error), SMERF_BAD_INPUT);
    data_set_free(data);
}

static void methods_that_do_not_apply_are_left_out_with_their_sentence(void **state) {
    (void)state;
    data_set *data = plain_data(N_ITEMS);
    smerf_target *graph = make_graph();
    smerf_comparison plan = plan_for(graph);
    smerf_method_scores scores[SMERF_N_METHODS];
    plan.methods = 0;
    own_baselines.n_burn = own_baselines.n_draws = 5;
    for (int by_pairs = 0; by_pairs < 2; by_pairs++) {
        plan.by_pairs = by_pairs == 1;
        compare(data, graph, &plan, NULL, scores);
        assert_true(scores[SMERF_METHOD_FOREST].applies && scores[SMERF_METHOD_NARM].applies);
        assert_false(scores[SMERF_METHOD_PLUGIN].applies);
        assert_true(strncmp(scores[SMERF_METHOD_PLUGIN].refusal.message, "needs a response", 16) == 0);
        assert_int_equal(scores[SMERF_METHOD_EPM].applies, plan.by_pairs);
        assert_string_equal(scores[SMERF_METHOD_EPM].refusal.message, plan.by_pairs ? "" : only_seen);
    }
    smerf_target_free(graph);
    data_set_free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dividing_by_pairs_gives_the_parts_made_by_hand),
        cmocka_unit_test(each_item_is_tested_in_one_fold),
        cmocka_unit_test(groups_are_drawn_as_a_whole),
        cmocka_unit_test(the_numbers_are_those_of_splitting_and_fitting_by_hand),
        cmocka_unit_test(smerf_is_tuned_over_the_whole_grid),
        cmocka_unit_test(one_repeat_has_no_standard_error),
        cmocka_unit_test(any_number_of_threads_gives_the_same_bits),
        cmocka_unit_test(progress_rises_over_all_methods_and_repeats),
        cmocka_unit_test(a_comparison_can_be_cancelled_anywhere),
        cmocka_unit_test(a_plan_that_makes_no_sense_is_refused),
        cmocka_unit_test(a_method_that_was_query_for_must_apply),
        cmocka_unit_test(the_division_of_a_round_is_that_of_the_comparison),
        cmocka_unit_test(methods_that_do_not_apply_are_left_out_with_their_sentence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
