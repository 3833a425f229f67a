/* test_triplets_fit.c - mahalanobis from triplets: the loss by plain sums, its slope by finite differences, the optimum by trying others;
 * and data of all sorts, weights, threads and what is refused. */
#include "tests/unit/triplet_data.h"

#include "method/linear/fit/triplets_fit.h"

enum { N = 30, P = 4, MOST_ENTRIES = P * P };

static triplet_data given;

/* A frame that is the features themselves. */
typedef struct plain_loss {
    data_set *data;
    smerf_target *target;
    double y[N * P], t[P * P];
    sm_frame frame;
    sm_pool pool;
    sm_triplets_loss loss;
} plain_loss;

static void start_plain(plain_loss *at, uint64_t seed, size_t n_triplets, const bool *is_kept) {
    smerf_error error;
    sm_random random;
    sm_random_start(&random, seed, 3, 1);
    *at = (plain_loss){.data = data_set_new((data_plan){.n_items = N, .n_numbers = P, .seed = seed})};
    for (size_t i = 0; i < N; i++)
        for (size_t c = 0; c < P; c++) at->y[i * P + c] = at->data->values[c * N + i];
    at->frame = (sm_frame){.n_items = N, .n_columns = P, .rank = P, .y = at->y, .t = at->t};
    judge_triplets(&given, at->data, n_triplets, 1.5, &random);
    for (size_t k = 0; k < n_triplets; k++) given.weight[k] = 0.5 + sm_random_uniform(&random);
    at->target = triplets_of(&given, N);
    sm_pool_start(&at->pool, NULL);
    demand_ok(
        sm_triplets_loss_start(&at->loss, sm_triplets_of(at->target), NULL, is_kept, &at->frame, &at->pool, &error),
        &error);
    at->loss.ridge = 0.01;
}

static void end_plain(plain_loss *at) {
    sm_triplets_loss_free(&at->loss);
    smerf_target_free(at->target);
    data_set_free(at->data);
}

static double plain_distance(const plain_loss *at, const double *a, size_t i, size_t j) {
    double sum = 0;
    for (size_t k = 0; k < P; k++)
        for (size_t l = 0; l < P; l++)
            sum += (at->y[i * P + k] - at->y[j * P + k]) * a[k * P + l] * (at->y[i * P + l] - at->y[j * P + l]);
    return sum;
}

/* By the list that was given, not by the target. */
static double plain_objective(const plain_loss *at, const double *a) {
    double sum = 0, weight = 0, squares = 0;
    for (size_t k = 0; k < given.list.n; k++) {
        double margin = plain_distance(at, a, given.anchor[k], given.far[k]) -
                        plain_distance(at, a, given.anchor[k], given.near[k]);
        sum += given.weight[k] * log(1 + exp(-margin));
        weight += given.weight[k];
    }
    for (size_t k = 0; k < P * P; k++) squares += a[k] * a[k];
    return sum / weight + at->loss.ridge / 2 * squares;
}

/* A B B' with normal B of this rank. */
static void draw_matrix(double *a, size_t rank, double size, sm_random *random) {
    double b[P * P];
    for (size_t k = 0; k < P * rank; k++) b[k] = sm_random_normal(random);
    for (size_t k = 0; k < P; k++)
        for (size_t l = 0; l < P; l++) {
            a[k * P + l] = 0;
            for (size_t r = 0; r < rank; r++) a[k * P + l] += size * (b[k * rank + r] * b[l * rank + r]);
        }
}

static void the_loss_is_the_plain_sum_and_its_gradient_that_of_finite_differences(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 6; seed++) {
        plain_loss at;
        smerf_error error;
        sm_random random;
        double a[MOST_ENTRIES], gradient[MOST_ENTRIES];
        start_plain(&at, seed, 50 * (size_t)seed, NULL);
        sm_random_start(&random, seed, 4, 1);
        draw_matrix(a, 1 + seed % P, 0.2, &random);
        demand_ok(sm_triplets_margins(&at.loss, &at.pool, a, at.loss.margin, &error), &error);
        assert_near(sm_triplets_objective(&at.loss, a, at.loss.margin), plain_objective(&at, a), 1e-12);
        demand_ok(sm_triplets_gradient(&at.loss, &at.pool, a, at.loss.margin, gradient, &error), &error);
        for (size_t k = 0; k < P; k++)
            for (size_t l = k; l < P; l++) {
                double step = 1e-6, there[2];
                for (int side = 0; side < 2; side++) {
                    double moved[MOST_ENTRIES];
                    memcpy(moved, a, sizeof moved);
                    moved[k * P + l] += side == 0 ? -step : step;
                    if (k != l) moved[l * P + k] += side == 0 ? -step : step;
                    there[side] = plain_objective(&at, moved);
                }
                double slope = (there[1] - there[0]) / (2 * step);
                assert_near(k == l ? gradient[k * P + l] : 2 * gradient[k * P + l], slope, 1e-7);
                assert_true(gradient[k * P + l] == gradient[l * P + k]);
            }
        end_plain(&at);
    }
}

/* Convex: no matrix on the way to another one is better, and many others are looked at. */
static void the_minimum_is_one(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 8; seed++) {
        plain_loss at;
        smerf_error error;
        sm_random random;
        sm_triplets_solution solution;
        double a[MOST_ENTRIES] = {0}, again[MOST_ENTRIES];
        start_plain(&at, seed, 40 * (size_t)seed, NULL);
        sm_random_start(&random, seed, 5, 1);
        at.loss.ridge = pow(10, -(double)(seed % 5));
        demand_ok(sm_triplets_minimise(&at.loss, &at.pool, 1e-9, a, &solution, &error), &error);
        assert_true(solution.kkt <= 1e-9);
        double best = plain_objective(&at, a);
        for (size_t trial = 0; trial < 200; trial++) {
            double other[MOST_ENTRIES];
            draw_matrix(other, 1 + trial % P, exp(sm_random_normal(&random)), &random);
            for (size_t k = 0; k < P * P; k++) other[k] = a[k] + 1e-3 * (other[k] - a[k]);
            assert_true(plain_objective(&at, other) >= best - 1e-14);
        }
        draw_matrix(again, P, 1, &random); /* from elsewhere to the same */
        demand_ok(sm_triplets_minimise(&at.loss, &at.pool, 1e-9, again, &solution, &error), &error);
        for (size_t k = 0; k < P * P; k++) assert_near(again[k], a[k], 1e-5 * (1 + fabs(a[k])));
        end_plain(&at);
    }
}

static void a_part_of_the_triplets_is_the_target_of_these_alone(void **state) {
    (void)state;
    bool is_kept[400];
    plain_loss part;
    sm_random random;
    sm_random_start(&random, 1, 6, 1);
    for (size_t t = 0; t < 400; t++) is_kept[t] = sm_random_below(&random, 3) > 0;
    start_plain(&part, 2, 300, is_kept);
    const sm_triplets *all = sm_triplets_of(part.target);
    double sum = 0, most = 0;
    size_t k = 0;
    for (size_t t = 0; t < all->n; t++) {
        most = fmax(most, all->weight[t]);
        if (is_kept[t]) sum += all->weight[t];
    }
    for (size_t t = 0; t < all->n; t++) {
        if (!is_kept[t]) continue;
        assert_int_equal(part.loss.far[k], all->far[t]);
        assert_near(part.loss.weight[k++], all->weight[t] / sum, 1e-15);
    }
    assert_int_equal(part.loss.n, k);
    end_plain(&part);
}

/* ---- whole fits ---- */

static smerf_status try_fit(const data_set *data, smerf_target *target, const smerf_options *options,
                            smerf_error *error) {
    smerf_model *model = NULL;
    smerf_status status = smerf_fit(data->items, target, options, NULL, &model, error);
    smerf_model_free(model);
    return status;
}

static void any_number_of_threads_gives_the_same_bytes(void **state) {
    (void)state;
    data_set *data = mixed_data(100);
    sm_random random;
    sm_random_start(&random, 1, 7, 1);
    judge_triplets(&given, data, 3000, 1, &random);
    smerf_target *target = triplets_of(&given, 100);
    smerf_model *one = fit_triplets(data, target, 1);
    for (size_t n_threads = 2; n_threads <= 5; n_threads += 3) {
        smerf_model *more = fit_triplets(data, target, n_threads);
        assert_same_model(one, more);
        smerf_model_free(more);
    }
    assert_true(triplet_diagnostic(one, "kkt residual") < 1e-8);
    assert_true(triplet_diagnostic(one, "chosen on held-out items") == 1);
    smerf_model_free(one);
    smerf_target_free(target);
    data_set_free(data);
}

static void a_weight_of_two_is_an_answer_that_was_given_twice(void **state) {
    (void)state;
    data_set *data = plain_data(20);
    sm_random random;
    smerf_model *models[2];
    for (size_t side = 0; side < 2; side++) {
        sm_random_start(&random, 3, 7, 1);
        judge_triplets(&given, data, 200, 1, &random);
        for (size_t k = 0, n = given.list.n; k < n; k += 3) {
            if (side == 0)
                put_triplet(&given, given.anchor[k], given.near[k], given.far[k], 1);
            else
                given.weight[k] = 2;
        }
        smerf_target *target = triplets_of(&given, 20);
        models[side] = fit_triplets(data, target, 1);
        smerf_target_free(target);
    }
    assert_same_model(models[0], models[1]);
    for (size_t side = 0; side < 2; side++) smerf_model_free(models[side]);
    data_set_free(data);
}

/* Items that weigh 2, with weights of triplets that make up for it. */
static void weights_of_items_multiply_those_of_triplets(void **state) {
    (void)state;
    data_set *data = plain_data(20);
    sm_random random;
    smerf_error error;
    double item_weight[20];
    smerf_model *models[2];
    for (size_t i = 0; i < 20; i++) item_weight[i] = ldexp(1, (int)(i % 3));
    for (size_t side = 0; side < 2; side++) {
        sm_random_start(&random, 4, 7, 1);
        judge_triplets(&given, data, 200, 1, &random);
        for (size_t k = 0; k < given.list.n && side == 0; k++)
            given.weight[k] = item_weight[given.anchor[k]] * item_weight[given.near[k]] * item_weight[given.far[k]];
        if (side == 1) demand_ok(smerf_items_set_weights(data->items, "w", item_weight, &error), &error);
        smerf_target *target = triplets_of(&given, 20);
        models[side] = fit_triplets(data, target, 1);
        smerf_target_free(target);
    }
    double *left = all_distances(models[0], data, false), *right = all_distances(models[1], data, false);
    assert_memory_equal(left, right, 400 * sizeof *left);
    free(left);
    free(right);
    for (size_t side = 0; side < 2; side++) smerf_model_free(models[side]);
    data_set_free(data);
}

static void assert_finite_distances(const smerf_model *model, const data_set *data, bool are_zero) {
    size_t n = data->plan.n_items;
    double *d = all_distances(model, data, false);
    for (size_t k = 0; k < n * n; k++) assert_true(are_zero ? d[k] == 0 : isfinite(d[k]) && d[k] >= 0);
    free(d);
}

/* Every answer is right: without a ridge there would be no end to W. */
static void answers_without_a_mistake_give_finite_distances(void **state) {
    (void)state;
    data_set *data = plain_data(30);
    start_triplets(&given);
    sm_random random;
    sm_random_start(&random, 5, 7, 1);
    for (size_t k = 0; k < 1500; k++) {
        uint32_t items[3];
        double apart[2] = {0, 0};
        draw_three(&random, 30, items);
        for (size_t side = 0; side < 2; side++)
            apart[side] = fabs(data->values[items[0]] - data->values[items[1 + side]]);
        put_triplet(&given, items[0], items[apart[0] < apart[1] ? 1 : 2], items[apart[0] < apart[1] ? 2 : 1], 1);
    }
    smerf_target *target = triplets_of(&given, 30);
    smerf_model *model = fit_triplets(data, target, 2);
    smerf_triplet_scores scores = SMERF_INIT(smerf_triplet_scores);
    const smerf_request request = SMERF_INIT(smerf_request, .rows = data->items);
    smerf_error error;
    demand_ok(smerf_evaluate_triplets(model, &request, target, NULL, &scores, &error), &error);
    assert_true(scores.in_order > 0.97);
    assert_finite_distances(model, data, false);
    smerf_model_free(model);
    smerf_target_free(target);
    data_set_free(data);
}

static void one_triplet_is_learned_and_says_that_nothing_was_held_out(void **state) {
    (void)state;
    data_set *data = mixed_data(9);
    start_triplets(&given);
    put_triplet(&given, 4, 2, 7, 3);
    smerf_target *target = triplets_of(&given, 9);
    smerf_model *model = fit_triplets(data, target, 1);
    double *d = all_distances(model, data, false);
    assert_true(d[4 * 9 + 2] < d[4 * 9 + 7]);
    assert_true(isnan(triplet_diagnostic(model, "held-out triplets")));
    assert_true(triplet_diagnostic(model, "ridge") > 0);
    assert_finite_distances(model, data, false);
    free(d);
    smerf_model_free(model);
    smerf_target_free(target);
    data_set_free(data);
}

static void few_comparisons_are_held_out_where_items_are_too_few(void **state) {
    (void)state;
    data_set *data = plain_data(8);
    sm_random random;
    sm_random_start(&random, 6, 7, 1);
    judge_triplets(&given, data, 60, 2, &random);
    smerf_target *target = triplets_of(&given, 8);
    smerf_model *model = fit_triplets(data, target, 1);
    assert_true(triplet_diagnostic(model, "chosen on held-out items") == 0);
    assert_true(triplet_diagnostic(model, "held-out triplets") == 2 * (double)sm_triplets_of(target)->n);
    smerf_model_free(model);
    smerf_target_free(target);
    data_set_free(data);
}

static void features_that_do_not_vary_leave_all_items_at_zero(void **state) {
    (void)state;
    double values[12];
    for (size_t i = 0; i < 12; i++) values[i] = 7.25;
    data_set *data = data_set_start((data_plan){.n_items = 12, .n_numbers = 1, .seed = 1});
    memcpy(data->values, values, sizeof values);
    data_set_finish(data);
    sm_random random;
    sm_random_start(&random, 8, 7, 1);
    judge_triplets(&given, data, 100, 1, &random);
    smerf_target *target = triplets_of(&given, 12);
    smerf_model *model = fit_triplets(data, target, 1);
    assert_finite_distances(model, data, true);
    smerf_model_free(model);
    smerf_target_free(target);
    data_set_free(data);
}

/* ---- refused, cancelled ---- */

static void what_cannot_be_learned_from_is_refused(void **state) {
    (void)state;
    data_set *data = plain_data(6), *two = plain_data(2);
    smerf_options options = options_for(1);
    smerf_baseline_options baselines;
    smerf_baseline_options_default(&baselines);
    smerf_error error;
    options.method = SMERF_METHOD_MAHALANOBIS;
    options.baselines = &baselines;
    start_triplets(&given);
    smerf_target *none = triplets_of(&given, 6);
    assert_int_equal(try_fit(data, none, &options, &error), SMERF_BAD_INPUT);
    assert_says(&error, "", "there is no triplet among the items");
    put_triplet(&given, 0, 1, 2, 1);
    smerf_target *one = triplets_of(&given, 6), *part = NULL;
    baselines.has_intercept = 1;
    assert_int_equal(try_fit(data, one, &options, &error), SMERF_BAD_INPUT);
    assert_says(&error, "intercept: ", "leave it out");
    baselines.has_intercept = 0;
    assert_int_equal(try_fit(two, one, &options, &error), SMERF_BAD_INPUT);
    demand_ok(smerf_target_take(one, (const uint32_t[]){3, 1}, 2, &part, &error), &error);
    assert_int_equal(try_fit(two, part, &options, &error), SMERF_BAD_INPUT);
    assert_says(&error, "", "there is no triplet among the items");
    smerf_target_free(part);
    smerf_target_free(one);
    smerf_target_free(none);
    data_set_free(two);
    data_set_free(data);
}

static void cancelling_ends_a_fit_of_triplets(void **state) {
    (void)state;
    data_set *data = plain_data(60);
    smerf_options options = options_for(1);
    options.method = SMERF_METHOD_MAHALANOBIS;
    sm_random random;
    sm_random_start(&random, 9, 7, 1);
    judge_triplets(&given, data, 2000, 1, &random);
    smerf_target *target = triplets_of(&given, 60);
    for (size_t n_calls = 0; n_calls < 40; n_calls += 4) {
        patience left = {n_calls};
        const smerf_run run = SMERF_INIT(smerf_run, .progress = run_out, .context = &left);
        smerf_model *model = NULL;
        smerf_error error;
        smerf_status status = smerf_fit(data->items, target, &options, &run, &model, &error);
        assert_true(status == SMERF_CANCELLED || (status == SMERF_OK && n_calls > 8));
        smerf_model_free(model);
    }
    smerf_target_free(target);
    data_set_free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_loss_is_the_plain_sum_and_its_gradient_that_of_finite_differences),
        cmocka_unit_test(the_minimum_is_one),
        cmocka_unit_test(a_part_of_the_triplets_is_the_target_of_these_alone),
        cmocka_unit_test(any_number_of_threads_gives_the_same_bytes),
        cmocka_unit_test(a_weight_of_two_is_an_answer_that_was_given_twice),
        cmocka_unit_test(weights_of_items_multiply_those_of_triplets),
        cmocka_unit_test(answers_without_a_mistake_give_finite_distances),
        cmocka_unit_test(one_triplet_is_learned_and_says_that_nothing_was_held_out),
        cmocka_unit_test(few_comparisons_are_held_out_where_items_are_too_few),
        cmocka_unit_test(features_that_do_not_vary_leave_all_items_at_zero),
        cmocka_unit_test(what_cannot_be_learned_from_is_refused),
        cmocka_unit_test(cancelling_ends_a_fit_of_triplets),
    };
    return cmocka_run_group_tests(tests, files_enter, files_leave);
}
