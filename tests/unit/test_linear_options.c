/* test_linear_options.c - mahalanobis and bilinear with an intercept, with a ridge and in bags: optimal by sums over all pairs, and the
 * same as fits of the items that a bag keeps. */
#include "tests/unit/scarce_memory.h"

#include "tests/unit/linear_optimum.h"

/* ---- an intercept, a ridge ---- */

static void centre(linear_data *at) {
    for (size_t c = 0; c < at->p; c++) {
        double mean = 0;
        for (size_t i = 0; i < at->n; i++) mean += at->x[i][c] / (double)at->n;
        for (size_t i = 0; i < at->n; i++) at->x[i][c] -= mean;
    }
}

/* Of pairs of different items only, c + d_ij(W) against z, or 1 - z: the gradient in W, and that in c. */
static void brute_gradients(const linear_data *at, const smerf_model *model, bool is_of_differences, const double *w,
                            double *g, double *of_c, double *size) {
    double intercept = intercept_of(model);
    linear_data *apart = malloc(sizeof *apart);
    assert_non_null(apart);
    *apart = *at;
    centre(apart);
    *of_c = 0;
    for (size_t i = 0; i < at->n; i++) {
        apart->weight[i][i] = 0;
        for (size_t j = 0; j < at->n; j++) {
            if (i == j || at->weight[i][j] == 0) continue;
            apart->z[i][j] += is_of_differences ? -intercept : 1 - intercept; /* what is left for W */
            double given = is_of_differences ? apart->z[i][j] : 1 - apart->z[i][j];
            *of_c += at->weight[i][j] * (predicted(apart, w, is_of_differences, i, j) - given);
        }
    }
    brute_gradient(apart, w, is_of_differences, g, size);
    free(apart);
}

static void assert_optimal_with_intercept(const linear_data *at, const smerf_model *model, bool is_of_differences) {
    double w[MOST_P * MOST_P], g[MOST_P * MOST_P], size, of_c, weight = 0;
    take_w(model, at->p, w);
    brute_gradients(at, model, is_of_differences, w, g, &of_c, &size);
    for (size_t i = 0; i < at->n; i++)
        for (size_t j = 0; j < at->n; j++)
            weight += i == j || at->weight[i][j] == 0 ? 0 : at->weight[i][j] * (1 + fabs(at->z[i][j]));
    if (!(fabs(of_c) <= 1e-8 * weight)) fail_msg("gradient in the intercept %g, weights %g", of_c, weight);
    assert_no_way_down(model, at->p, w, g, size);
    assert_true(diagnostic(model, "intercept") == intercept_of(model));
}

static smerf_model *fit_as(const linear_data *at, smerf_method method, size_t has_intercept, double ridge) {
    smerf_baseline_options baselines;
    smerf_options options = options_for(1);
    smerf_model *model = NULL;
    smerf_error error;
    smerf_baseline_options_default(&baselines);
    baselines.has_intercept = has_intercept;
    baselines.ridge = ridge;
    options.method = method;
    options.baselines = &baselines;
    demand_ok(smerf_fit(at->data->items, at->target, &options, NULL, &model, &error), &error);
    return model;
}

static smerf_model *fit_with_intercept(const linear_data *at, smerf_method method) { return fit_as(at, method, 1, 0); }

static void w_and_an_intercept_are_optimal_together(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 8; seed++)
        for (target_sort sort = 0; sort < N_SORTS; sort++) {
            linear_data *at = mixed_linear_data(seed, sort);
            for (int is_of_differences = 0; is_of_differences < 2; is_of_differences++) {
                smerf_model *model =
                    fit_with_intercept(at, is_of_differences ? SMERF_METHOD_MAHALANOBIS : SMERF_METHOD_BILINEAR);
                assert_optimal_with_intercept(at, model, is_of_differences);
                smerf_model_free(model);
            }
            linear_data_free(at);
        }
}

/* The gradient of ridge tr(W M W M), half of it: ridge M W M, in units of the weights. */
static void add_ridge(const linear_data *at, const double *w, bool is_of_differences, double ridge, double *g) {
    size_t p = at->p;
    double m[MOST_P * MOST_P] = {0}, mw[MOST_P * MOST_P] = {0}, total = 0;
    for (size_t i = 0; i < at->n; i++)
        for (size_t j = 0; j < at->n; j++) {
            total += at->weight[i][j];
            for (size_t a = 0; a < p; a++)
                for (size_t b = 0; b < p; b++)
                    m[a * p + b] += at->weight[i][j] * (is_of_differences
                                                            ? (at->x[i][a] - at->x[j][a]) * (at->x[i][b] - at->x[j][b])
                                                            : at->x[i][a] * at->x[i][b]);
        }
    for (size_t a = 0; a < p; a++)
        for (size_t b = 0; b < p; b++)
            for (size_t c = 0; c < p; c++) mw[a * p + b] += m[a * p + c] / total * w[c * p + b];
    for (size_t a = 0; a < p; a++)
        for (size_t b = 0; b < p; b++)
            for (size_t c = 0; c < p; c++) g[a * p + b] += ridge * mw[a * p + c] * m[c * p + b];
}

static void a_ridge_is_part_of_what_is_optimal(void **state) {
    (void)state;
    const double ridges[] = {0.01, 1, 30};
    for (uint64_t seed = 0; seed < 6; seed++)
        for (size_t r = 0; r < 3; r++)
            for (int is_of_differences = 0; is_of_differences < 2; is_of_differences++) {
                linear_data *at = linear_data_new((data_plan){.n_items = 30, .n_numbers = 3, .seed = seed},
                                                  seed % 2 == 0 ? MATRIX : WEIGHTED_PAIRS, seed % 3 == 1);
                smerf_method method = is_of_differences ? SMERF_METHOD_MAHALANOBIS : SMERF_METHOD_BILINEAR;
                smerf_model *model = fit_as(at, method, 0, ridges[r]);
                double w[9], g[9], size;
                take_w(model, 3, w);
                brute_gradient(at, w, is_of_differences, g, &size);
                add_ridge(at, w, is_of_differences, ridges[r], g);
                assert_no_way_down(model, 3, w, g, size);
                smerf_model_free(model);
                linear_data_free(at);
            }
}

/* Each bag is what a fit of the items of the other groups would be, and a pair is out of bag for those that have neither item. */
static void bags_are_fits_without_two_groups(void **state) {
    (void)state;
    for (int is_listed = 0; is_listed < 2; is_listed++)
        for (size_t m = 0; m < 2; m++) {
            linear_data *at = linear_data_new((data_plan){.n_items = 40, .n_numbers = 3, .seed = 3 + m},
                                              is_listed ? WEIGHTED_PAIRS : NO_DIAGONAL, true);
            smerf_baseline_options baselines;
            smerf_baseline_options_default(&baselines);
            baselines.has_intercept = 1;
            baselines.ridge = 0.1;
            smerf_options options = options_for(1);
            options.method = m == 0 ? SMERF_METHOD_MAHALANOBIS : SMERF_METHOD_BILINEAR;
            options.baselines = &baselines;
            baselines.n_bags = 6;
            smerf_model *model = NULL, *loaded = NULL;
            smerf_error error;
            demand_ok(smerf_fit(at->data->items, at->target, &options, NULL, &model, &error), &error);
            const sm_learned *learned = model->learned;
            assert_int_equal(learned->n_groups, 4);
            double expected[40][40] = {0}, count[40][40] = {0};
            baselines.n_bags = 0;
            for (size_t a = 0; a < 4; a++)
                for (size_t b = a + 1; b < 4; b++) {
                    uint32_t rows[40], n = 0;
                    for (uint32_t i = 0; i < 40; i++)
                        if (learned->group_of[i] != a && learned->group_of[i] != b) rows[n++] = i;
                    smerf_items *items = NULL;
                    smerf_target *target = NULL;
                    smerf_model *part = NULL;
                    demand_ok(smerf_items_take(at->data->items, rows, n, &items, &error), &error);
                    demand_ok(smerf_target_take(at->target, rows, n, &target, &error), &error);
                    if (m == 0) /* of bilinear the means are those of all items, and so no such fit is the same */
                        demand_ok(smerf_fit(items, target, &options, NULL, &part, &error), &error);
                    for (size_t i = 0; i < 40; i++)
                        for (size_t j = 0; j < 40; j++) {
                            bool are_out = (learned->group_of[i] == a || learned->group_of[i] == b) &&
                                           (learned->group_of[j] == a || learned->group_of[j] == b);
                            if (!are_out) continue;
                            count[i][j]++;
                            double y[3], other[3], x[3], value;
                            const sm_linear_map *map = &learned->bags[sm_bag_of(4, a, b)];
                            sm_view view;
                            demand_ok(sm_view_match(&view, &model->features, at->data->items, &error), &error);
                            sm_linear_project(learned, map, &view, i, x, y);
                            sm_linear_project(learned, map, &view, j, x, other);
                            value = sm_linear_distance(learned, map, y, other);
                            if (m == 0) {
                                const sm_learned *of_part = part->learned;
                                sm_linear_project(of_part, &of_part->all, &view, i, x, y);
                                sm_linear_project(of_part, &of_part->all, &view, j, x, other);
                                assert_close(sm_linear_distance(of_part, &of_part->all, y, other), value, 1);
                            }
                            expected[i][j] += value;
                            sm_view_free(&view);
                        }
                    smerf_model_free(part);
                    smerf_items_free(items);
                    smerf_target_free(target);
                }
            demand_ok(smerf_model_save(model, "bags.smerf", &error), &error);
            demand_ok(smerf_model_load("bags.smerf", &loaded, &error), &error);
            double *found = all_distances(model, at->data, true), *after = all_distances(loaded, at->data, true);
            assert_memory_equal(found, after, 1600 * sizeof *found);
            for (size_t i = 0; i < 40; i++)
                for (size_t j = 0; j < 40; j++) {
                    assert_true(count[i][j] > 0);
                    assert_close(found[i * 40 + j], expected[i][j] / count[i][j], 1);
                }
            free(found);
            free(after);
            smerf_model_free(model);
            smerf_model_free(loaded);
            linear_data_free(at);
        }
}

static void a_ridge_is_chosen_by_held_out_items(void **state) {
    (void)state;
    smerf_baseline_options baselines;
    smerf_baseline_options_default(&baselines);
    smerf_options options = options_for(1);
    smerf_error error;
    options.baselines = &baselines;
    baselines.has_intercept = 1;
    for (int is_noise = 0; is_noise < 2; is_noise++) {
        data_set *data = data_set_start((data_plan){.n_items = 40, .n_numbers = 8});
        sm_random random;
        sm_random_start(&random, 11, 2, 3);
        for (size_t k = 0; k < 320; k++) data->values[k] = sm_random_normal(&random);
        for (size_t i = 0; i < 40; i++)
            for (size_t j = 0; j <= i; j++) {
                double apart = data->values[i] - data->values[j],
                       z = is_noise ? sm_random_uniform(&random) : apart * apart;
                data->z[i * 40 + j] = data->z[j * 40 + i] = i == j ? 0 : (float)z;
            }
        data_set_finish(data);
        double ridge[2] = {0};
        for (size_t k = 0; k < 2; k++) {
            smerf_model *model = NULL;
            baselines.ridge = SMERF_RIDGE_AUTO;
            options.method = SMERF_METHOD_MAHALANOBIS;
            const smerf_run run = SMERF_INIT(smerf_run, .n_threads = 1 + 2 * k);
            demand_ok(smerf_fit(data->items, data->target, &options, &run, &model, &error), &error);
            for (size_t d = 0; d < model->diagnostics.n; d++)
                if (strcmp(model->diagnostics.diagnostic[d].name, "ridge") == 0)
                    ridge[k] = model->diagnostics.diagnostic[d].value;
            smerf_model_free(model);
        }
        assert_true(ridge[0] == ridge[1]);
        assert_true(is_noise ? ridge[0] >= 10 : ridge[0] == 0);
        data_set_free(data);
    }
}

static void an_intercept_is_kept_in_files_and_counts_in_every_distance(void **state) {
    (void)state;
    linear_data *at = linear_data_new((data_plan){.n_items = 21, .n_numbers = 3, .seed = 8}, MATRIX, false);
    for (size_t m = 0; m < 2; m++) {
        smerf_model *model = fit_with_intercept(at, m == 0 ? SMERF_METHOD_MAHALANOBIS : SMERF_METHOD_BILINEAR);
        smerf_model *loaded = NULL;
        smerf_error error;
        double w[MOST_P * MOST_P], intercept = intercept_of(model);
        demand_ok(smerf_model_save(model, "intercept.smerf", &error), &error);
        demand_ok(smerf_model_load("intercept.smerf", &loaded, &error), &error);
        double *before = all_distances(model, at->data, false), *after = all_distances(loaded, at->data, false);
        assert_memory_equal(before, after, 21 * 21 * sizeof *before);
        take_w(model, 3, w);
        assert_true(intercept != (double)m);
        centre(at);
        for (size_t k = 0; k < 21 * 21; k++) {
            double value = predicted(at, w, m == 0, k / 21, k % 21);
            assert_close(before[k], intercept + (m == 0 ? value : -value), 1);
        }
        assert_pairs_are_rows(loaded, at->data);
        free(before);
        free(after);
        smerf_model_free(loaded);
        smerf_model_free(model);
    }
    linear_data_free(at);
}

static void without_features_that_vary_an_intercept_is_the_mean(void **state) {
    (void)state;
    data_set *data = data_set_start((data_plan){.n_items = 5, .n_numbers = 1});
    for (size_t i = 0; i < 5; i++) data->values[i] = 3;
    for (size_t i = 0; i < 5; i++)
        for (size_t j = 0; j < 5; j++) data->z[i * 5 + j] = i == j ? 0 : (float)(i + j);
    data_set_finish(data);
    linear_data at = {.data = data, .target = data->target, .n = 5, .p = 1};
    for (size_t m = 0; m < 2; m++) {
        smerf_model *model = fit_with_intercept(&at, m == 0 ? SMERF_METHOD_MAHALANOBIS : SMERF_METHOD_BILINEAR);
        double *found = all_distances(model, data, false);
        for (size_t k = 0; k < 25; k++) assert_close(found[k], 4, 1);
        free(found);
        smerf_model_free(model);
    }
    data_set_free(data);
}

/* ---- memory ---- */

static void memory_may_run_out_at_any_time(void **state) {
    (void)state;
    linear_data *at = linear_data_new((data_plan){.n_items = 12, .n_numbers = 2, .seed = 6}, WEIGHTED_PAIRS, true);
    const smerf_request request = SMERF_INIT(smerf_request, .rows = at->data->items, .out_of_bag = true);
    const smerf_run run = SMERF_INIT(smerf_run, .n_threads = 1);
    uint32_t left[] = {0, 3}, right[] = {5, 7};
    const smerf_pair_list pairs = {.n = 2, .left = left, .right = right};
    double distance[2];
    const smerf_pair_result result = SMERF_INIT(smerf_pair_result, .distance = distance);
    smerf_baseline_options baselines;
    smerf_options options = options_for(1);
    smerf_error error;
    smerf_baseline_options_default(&baselines);
    baselines.has_intercept = 1;
    baselines.ridge = SMERF_RIDGE_AUTO;
    baselines.n_bags = 3;
    options.method = SMERF_METHOD_MAHALANOBIS;
    options.baselines = &baselines;
    smerf_model *whole = NULL;
    demand_ok(smerf_fit(at->data->items, at->target, &options, &run, &whole, &error), &error);
    for (shortage lack = {.of = "fitting in bags"}; shortage_starts(&lack, &error);) {
        smerf_model *model = NULL;
        smerf_status status = smerf_fit(at->data->items, at->target, &options, &run, &model, &error);
        smerf_model_free(model);
        shortage_ends(&lack, status, &error);
    }
    for (shortage lack = {.of = "asking bags"}; shortage_starts(&lack, &error);)
        shortage_ends(&lack, smerf_predict_pairs(whole, &request, &pairs, &run, &result, &error), &error);
    smerf_model_free(whole);
    linear_data_free(at);
}

/* ---- files ---- */

/* The arrays of a model, one of which is cut to n numbers and has its first number changed.   n  SIZE_MAX: as long as it is */
static smerf_status load_with(const sm_tensors *saved, const smerf_model *model, const char *name, size_t n,
                              double first) {
    sm_tensors forged = {0};
    sm_learned *learned = NULL;
    smerf_error error;
    double numbers[4000];
    for (size_t k = 0; k < saved->n; k++) {
        const sm_tensor *tensor = &saved->tensor[k];
        size_t bytes = tensor->n * sm_tensor_type_bytes(tensor->type), length = tensor->n;
        const void *data = tensor->data;
        if (strcmp(tensor->name, name) == 0) {
            assert_true(bytes <= sizeof numbers);
            memcpy(numbers, tensor->data, bytes);
            if (tensor->type == SM_F64) memcpy(numbers, &first, sizeof first);
            if (tensor->type == SM_U32) memcpy(numbers, &(uint32_t){(uint32_t)first}, sizeof(uint32_t));
            if (tensor->type == SM_U8) memcpy(numbers, &(uint8_t){(uint8_t)first}, sizeof(uint8_t));
            data = numbers;
            length = n == SIZE_MAX ? length : n;
        }
        demand_ok(sm_tensors_add(&forged, tensor->name, tensor->type, data, length, &error), &error);
    }
    smerf_status status = sm_linear_load(true, &forged, &model->features, model->n_items, &learned, &error);
    sm_linear_free(learned);
    sm_tensors_free(&forged);
    return status;
}

static void damaged_bags_are_refused(void **state) {
    (void)state;
    const struct {
        const char *name;
        size_t n;
        double first;
    } damages[] = {{"learned.group_of", SIZE_MAX, 4},
                   {"learned.group_of", 39, 0},
                   {"learned.bag_rank", 5, 3},
                   {"learned.bag_rank", SIZE_MAX, 4},
                   {"learned.bag_rank", SIZE_MAX, 4e9},
                   {"learned.bag_rank", SIZE_MAX, 0},
                   {"learned.bag_intercept", 5, 1},
                   {"learned.bag_intercept", SIZE_MAX, INFINITY},
                   {"learned.bag_factor", SIZE_MAX, NAN},
                   {"learned.bag_factor", 7, 1},
                   {"learned.bag_factor", 0, 1},
                   {"learned.intercept", SIZE_MAX, NAN}};
    linear_data *at = linear_data_new((data_plan){.n_items = 40, .n_numbers = 3, .seed = 3}, MATRIX, false);
    smerf_baseline_options baselines;
    smerf_options options = options_for(1);
    sm_tensors saved = {0};
    smerf_model *model = NULL;
    smerf_error error;
    smerf_baseline_options_default(&baselines);
    baselines.has_intercept = 1;
    baselines.n_bags = 6;
    options.method = SMERF_METHOD_MAHALANOBIS;
    options.baselines = &baselines;
    demand_ok(smerf_fit(at->data->items, at->target, &options, NULL, &model, &error), &error);
    demand_ok(sm_linear_save(model->learned, &saved, &error), &error);
    assert_int_equal(load_with(&saved, model, "", 0, 0), SMERF_OK);
    assert_int_equal(load_with(&saved, model, "learned.bag_intercept", SIZE_MAX, NAN),
                     SMERF_OK); /* nothing to learn from */
    for (size_t k = 0; k < sizeof damages / sizeof *damages; k++)
        if (load_with(&saved, model, damages[k].name, damages[k].n, damages[k].first) != SMERF_BAD_FILE)
            fail_msg("damage %zu, of %s, is not refused", k, damages[k].name);
    sm_tensors_free(&saved);
    smerf_model_free(model);
    linear_data_free(at);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(w_and_an_intercept_are_optimal_together),
        cmocka_unit_test(a_ridge_is_part_of_what_is_optimal),
        cmocka_unit_test(bags_are_fits_without_two_groups),
        cmocka_unit_test(a_ridge_is_chosen_by_held_out_items),
        cmocka_unit_test(an_intercept_is_kept_in_files_and_counts_in_every_distance),
        cmocka_unit_test(without_features_that_vary_an_intercept_is_the_mean),
        cmocka_unit_test(memory_may_run_out_at_any_time),
        cmocka_unit_test(damaged_bags_are_refused),
    };
    return cmocka_run_group_tests(tests, files_enter, files_leave);
}
