/* test_embed.c - maps against all eigenvalues of the doubly centred matrix, by Jacobi's rotations; landmarks against the
 * formula written out. */
#include "tests/unit/column_targets.h"

#include "explore/explore.h"

enum { MOST = 400 };

/* ---- the plain way ---- */

/* All eigenvalues of a symmetric matrix, and vectors in columns, largest value first. */
static void jacobi(double *a, size_t n, double *value, double *vector) {
    double largest = 1e-300;
    for (size_t k = 0; k < n * n; k++) {
        vector[k] = k % (n + 1) == 0;
        largest = fmax(largest, fabs(a[k]));
    }
    for (size_t sweep = 0; sweep < 60; sweep++)
        for (size_t p = 0; p < n; p++)
            for (size_t q = p + 1; q < n; q++) {
                if (fabs(a[p * n + q]) < 1e-15 * largest) continue;
                double theta = (a[q * n + q] - a[p * n + p]) / (2 * a[p * n + q]);
                double t = copysign(1 / (fabs(theta) + hypot(theta, 1)), theta), c = 1 / hypot(t, 1), s = t * c;
                for (size_t k = 0; k < n; k++) {
                    double x = a[k * n + p], y = a[k * n + q];
                    a[k * n + p] = c * x - s * y;
                    a[k * n + q] = s * x + c * y;
                }
                for (size_t k = 0; k < n; k++) {
                    double x = a[p * n + k], y = a[q * n + k], u = vector[k * n + p], v = vector[k * n + q];
                    a[p * n + k] = c * x - s * y;
                    a[q * n + k] = s * x + c * y;
                    vector[k * n + p] = c * u - s * v;
                    vector[k * n + q] = s * u + c * v;
                }
            }
    for (size_t k = 0; k < n; k++) value[k] = a[k * n + k];
    for (size_t p = 0; p < n; p++)
        for (size_t q = p + 1; q < n; q++)
            if (value[q] > value[p]) {
                double kept = value[p];
                value[p] = value[q];
                value[q] = kept;
                for (size_t k = 0; k < n; k++) {
                    kept = vector[k * n + p];
                    vector[k * n + p] = vector[k * n + q];
                    vector[k * n + q] = kept;
                }
            }
}

/* -1/2 J Z J, entry by entry. */
static double *centred(const double *squares, size_t n) {
    double *b = calloc(n * n, sizeof *b), *row = calloc(n, sizeof *row), all = 0;
    assert_true(b != NULL && row != NULL);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) row[i] += squares[i * n + j] / (double)n;
    for (size_t i = 0; i < n; i++) all += row[i] / (double)n;
    for (size_t k = 0; k < n * n; k++) b[k] = -0.5 * (squares[k] - row[k / n] - row[k % n] + all);
    free(row);
    return b;
}

static double *squares_of(const double *distances, size_t n) {
    double *squares = calloc(n * n, sizeof *squares);
    assert_non_null(squares);
    for (size_t k = 0; k < n * n; k++)
        squares[k] = k % (n + 1) == 0 || distances[k] < 0 ? 0 : distances[k] * distances[k];
    return squares;
}

static double stress_of(const double *squares, const double *x, size_t n, size_t n_axes) {
    double apart = 0, all = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++) {
            double sum = 0, z = sqrt(squares[i * n + j]);
            for (size_t d = 0; d < n_axes; d++) sum += pow(x[i * n_axes + d] - x[j * n_axes + d], 2);
            apart += pow(sqrt(sum) - z, 2);
            all += z * z;
        }
    return sqrt(apart / all);
}

/* ---- a whole matrix ---- */

/* Values, and what does not depend on the choice of vectors where values are the same: the inner products that the axes up
 * to a gap make. */
static void assert_map(const double *squares, size_t n, size_t n_axes, const double *x, const double *value,
                       double share) {
    double *b = centred(squares, n), *values = calloc(n, sizeof *values), *vectors = calloc(n * n, sizeof *vectors);
    double sizes = 0, found = 0;
    assert_true(values != NULL && vectors != NULL);
    jacobi(b, n, values, vectors);
    for (size_t r = 0; r < n; r++) sizes += fabs(values[r]);
    double slack = 1e-6 * (fmax(fabs(values[0]), fabs(values[n - 1])) + 1e-30);
    for (size_t d = 0; d < n_axes; d++) {
        double expected = d < n && values[d] > slack ? values[d] : 0;
        assert_near(value[d], expected, slack);
        found += value[d];
        bool is_gap = d + 1 >= n || values[d] - values[d + 1] > 0.01 * values[0] || expected == 0;
        for (size_t i = 0; i < n && is_gap; i++)
            for (size_t j = 0; j < n; j++) {
                double inner = 0, wanted = 0;
                for (size_t r = 0; r <= d; r++) {
                    inner += x[i * n_axes + r] * x[j * n_axes + r];
                    if (r < n && values[r] > slack) wanted += values[r] * vectors[i * n + r] * vectors[j * n + r];
                }
                assert_near(inner, wanted, 100 * slack);
            }
    }
    if (!isnan(share) && sizes > slack) assert_near(share, found / sizes, 1e-5);
    free(b);
    free(values);
    free(vectors);
}

static void assert_signs(const double *x, size_t n, size_t n_axes) {
    for (size_t d = 0; d < n_axes; d++) {
        double largest = 0;
        size_t i = 0;
        for (size_t k = 0; k < n; k++) largest = fmax(largest, fabs(x[k * n_axes + d]));
        while (i < n && fabs(x[i * n_axes + d]) < largest * (1 - 1e-6)) i++;
        assert_true(i < n && x[i * n_axes + d] >= 0);
    }
}

static void assert_same_on_any_threads(const smerf_model *model, const smerf_items *items, size_t n_axes,
                                       size_t n_landmarks, const double *x) {
    size_t n = smerf_items_count(items);
    double *other = calloc(n * n_axes, sizeof *other);
    smerf_error error;
    for (size_t way = 0; way < 4; way++) {
        const smerf_run run =
            SMERF_INIT(smerf_run, .n_threads = 1 + way, .kernels = way % 2 ? SMERF_KERNELS_PLAIN : SMERF_KERNELS_AUTO);
        demand_ok(
            smerf_embed(model, items,
                        &SMERF_INIT(smerf_map_options, .n_dimensions = n_axes, .n_landmarks = n_landmarks, .seed = 5),
                        &run, &SMERF_INIT(smerf_map, .coordinates = other), &error),
            &error);
        assert_memory_equal(x, other, n * n_axes * sizeof *x);
    }
    free(other);
}

static void assert_embedded(const smerf_model *model, const smerf_items *items, size_t n_axes) {
    size_t n = smerf_items_count(items);
    double *x = calloc(n * n_axes, sizeof *x), *value = calloc(n_axes, sizeof *value);
    double *distances = predict_all(model, &SMERF_INIT(smerf_request, .rows = items), NULL),
           *squares = squares_of(distances, n);
    smerf_map facts = SMERF_INIT(smerf_map, .coordinates = x, .eigenvalues = value);
    smerf_error error;
    assert_true(x != NULL && value != NULL);
    demand_ok(smerf_embed(model, items, &SMERF_INIT(smerf_map_options, .n_dimensions = n_axes, .seed = 5), NULL, &facts,
                          &error),
              &error);
    assert_int_equal(facts.n_landmarks, n);
    assert_map(squares, n, n_axes, x, value, facts.eigenvalue_fraction);
    assert_true(isnan(facts.eigenvalue_fraction) == (n > 256));
    assert_signs(x, n, n_axes);
    if (n > 1) assert_near(facts.stress, stress_of(squares, x, n, n_axes), 1e-5);
    if (n == 1) assert_true(isnan(facts.stress));
    assert_same_on_any_threads(model, items, n_axes, 0, x);
    free(x);
    free(value);
    free(distances);
    free(squares);
}

static void maps_are_the_leading_eigenvectors(void **state) {
    (void)state;
    data_set *data = mixed_data(40), *many = mixed_data(280);
    smerf_options rfd = options_for(3);
    rfd.method = SMERF_METHOD_RFD;
    smerf_model *models[4] = {fit_to(data, labels_for(data, 3), 7, 2), fit_to(data, response_for(data), 7, 3),
                              fit_to(data, numbers_for(data, true, 2), 7, 3), fit_with(data, &rfd, NULL)};
    for (size_t m = 0; m < 4; m++) {
        const size_t n_axes[4] = {1, 2, 5, 45};
        for (size_t k = 0; k < 4; k++) assert_embedded(models[m], data->items, n_axes[k]);
        smerf_model_free(models[m]);
    }
    smerf_model *model = fit_to(many, response_for(many), 5, 3);
    assert_embedded(model, many->items, 3);
    smerf_model_free(model);
    data_set_free(data);
    data_set_free(many);
}

static void one_item_two_items_and_the_same_item_have_maps(void **state) {
    (void)state;
    data_set *data = plain_data(20);
    smerf_model *model = fit_to(data, response_for(data), 5, 2);
    const size_t rows[3][3] = {{4, 0, 0}, {4, 9, 0}, {4, 4, 4}}, n[3] = {1, 2, 3};
    for (size_t k = 0; k < 3; k++) {
        data_set *few = data_set_pick(data, rows[k], n[k]);
        assert_embedded(model, few->items, 2);
        data_set_free(few);
    }
    data_set *two = data_set_pick(data, rows[1], 2);
    double x[4], *distances = predict_all(model, &SMERF_INIT(smerf_request, .rows = two->items), NULL);
    smerf_error error;
    demand_ok(smerf_embed(model, two->items, &SMERF_INIT(smerf_map_options, .n_dimensions = 2, .seed = 1), NULL,
                          &SMERF_INIT(smerf_map, .coordinates = x), &error),
              &error);
    assert_near(x[0], distances[1] / 2, 1e-6); /* the first has the sign, where both are as large */
    assert_near(x[2], -distances[1] / 2, 1e-6);
    assert_true(x[1] == 0 && x[3] == 0);
    free(distances);
    data_set_free(two);
    smerf_model_free(model);
    data_set_free(data);
}

/* ---- matrices of one's own ---- */

static void assert_scaled(const float *z, size_t n, size_t n_axes) {
    double *squares = calloc(n * n, sizeof *squares), *x = calloc(n * n_axes, sizeof *x);
    sm_scaling scaling = {.n = n, .n_axes = n_axes};
    sm_pool pool;
    smerf_error error;
    sm_pool_start(&pool, NULL);
    assert_true(squares != NULL && x != NULL);
    for (size_t k = 0; k < n * n; k++) squares[k] = (double)z[k];
    demand_ok(sm_scaling_find(z, 1, SMERF_KERNELS_AUTO, &pool, &scaling, &error), &error);
    for (size_t k = 0; k < n * n_axes; k++) x[k] = sqrt(scaling.value[k % n_axes]) * scaling.vector[k];
    assert_map(squares, n, n_axes, x, scaling.value, scaling.eigenvalue_fraction);
    sm_scaling_free(&scaling);
    free(squares);
    free(x);
}

/* A simplex has one eigenvalue n - 1 times; where all distances are 0 there is none. */
static void repeated_eigenvalues_and_none_are_fine(void **state) {
    (void)state;
    static float z[300 * 300];
    const size_t n[2] = {30, 300};
    for (size_t k = 0; k < 2; k++)
        for (int distance = 0; distance < 2; distance++) {
            for (size_t c = 0; c < n[k] * n[k]; c++) z[c] = c % (n[k] + 1) == 0 ? 0 : (float)distance;
            assert_scaled(z, n[k], 3);
        }
}

/* Far from Euclidean: the eigenvalues that are largest in size are negative, so that B has to be moved. */
static void negative_eigenvalues_do_not_hide_positive_ones(void **state) {
    (void)state;
    enum { n = 300 };
    static float z[n * n];
    static double x[n], y[n][12];
    sm_random random;
    sm_random_start(&random, 4, 0, 0);
    for (size_t i = 0; i < n; i++) {
        x[i] = sm_random_normal(&random);
        for (size_t k = 0; k < 12; k++) y[i][k] = sm_random_normal(&random);
    }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++) {
            double sum = 200 + pow(x[i] - x[j], 2);
            for (size_t k = 0; k < 12; k++) sum -= (2 + 0.1 * (double)k) * pow(y[i][k] - y[j][k], 2);
            z[i * n + j] = z[j * n + i] = (float)sum;
        }
    assert_scaled(z, n, 2);
    assert_scaled(z, n, 1);
}

/* ---- landmarks ---- */

/* Which items are landmarks is known by their being where they are when scaled alone; the others are placed by the formula.
 * With a seed of its own each time, different ones are drawn. */
static void other_items_are_placed_by_their_distances_to_landmarks(void **state) {
    (void)state;
    enum { n = 60, n_landmarks = 20, n_axes = 3 };
    data_set *data = mixed_data(n);
    smerf_model *model = fit_to(data, numbers_for(data, false, 2), 9, 3);
    double *distances = predict_all(model, &SMERF_INIT(smerf_request, .rows = data->items), NULL);
    double x[n * n_axes], value[n_axes], among[n_landmarks * n_landmarks], values[n_landmarks],
        vectors[n_landmarks * n_landmarks];
    size_t landmark[n_landmarks] = {0}, n_drawn = 0;
    smerf_map facts = SMERF_INIT(smerf_map, .coordinates = x, .eigenvalues = value);
    smerf_error error;
    demand_ok(smerf_embed(model, data->items,
                          &SMERF_INIT(smerf_map_options, .n_dimensions = n_axes, .n_landmarks = n_landmarks, .seed = 5),
                          NULL, &facts, &error),
              &error);
    assert_int_equal(facts.n_landmarks, n_landmarks);
    assert_same_on_any_threads(model, data->items, n_axes, n_landmarks, x);
    sm_random random;
    sm_random_start(&random, 5, 0, SM_STREAM_LANDMARKS);
    for (size_t i = 0; i < n; i++)
        if (sm_random_below_64(&random, n - i) < n_landmarks - n_drawn) landmark[n_drawn++] = i;
    for (size_t k = 0; k < n_landmarks * n_landmarks; k++)
        among[k] = distances[landmark[k / n_landmarks] * n + landmark[k % n_landmarks]];
    double *squares = squares_of(among, n_landmarks), *b = centred(squares, n_landmarks);
    jacobi(b, n_landmarks, values, vectors);
    for (size_t d = 0; d < n_axes; d++) assert_near(value[d], values[d], 1e-6 * values[0]);
    for (size_t i = 0; i < n; i++)
        for (size_t d = 0; d < n_axes; d++) {
            double place = 0, sign = 0;
            size_t at = n_landmarks;
            for (size_t k = 0; k < n_landmarks; k++) {
                double mean = 0, z = landmark[k] == i ? 0 : pow(distances[i * n + landmark[k]], 2);
                if (landmark[k] == i) at = k;
                for (size_t l = 0; l < n_landmarks; l++) mean += squares[k * n_landmarks + l] / n_landmarks;
                place -= 0.5 * vectors[k * n_landmarks + d] * (z - mean) / sqrt(values[d]);
                sign += vectors[k * n_landmarks + d] * x[landmark[k] * n_axes + d];
            }
            assert_near(x[i * n_axes + d], sign > 0 ? place : -place, 1e-5);
            if (at < n_landmarks)
                assert_near(fabs(x[i * n_axes + d]), sqrt(values[d]) * fabs(vectors[at * n_landmarks + d]), 1e-5);
        }
    assert_signs(x, n, n_axes);
    free(squares);
    free(b);
    free(distances);
    smerf_model_free(model);
    data_set_free(data);
}

/* ---- progress, refusals ---- */

static int watch(void *context, double fraction_done) {
    double *last = context;
    assert_true(fraction_done >= *last && fraction_done <= 1);
    *last = fraction_done;
    return 0;
}

static void progress_rises(void **state) {
    (void)state;
    enum { n = 300 };
    data_set *data = plain_data(n);
    smerf_model *model = fit_to(data, labels_for(data, 4), 5, 5);
    double x[n * 2];
    smerf_error error;
    for (size_t n_landmarks = 50; n_landmarks <= n; n_landmarks += 250) {
        double last = 0;
        const smerf_run run = SMERF_INIT(smerf_run, .n_threads = 1, .progress = watch, .context = &last);
        demand_ok(smerf_embed(model, data->items,
                              &SMERF_INIT(smerf_map_options, .n_dimensions = 2, .n_landmarks = n_landmarks, .seed = 1),
                              &run, &SMERF_INIT(smerf_map, .coordinates = x), &error),
                  &error);
        assert_true(last > 0.5);
    }
    smerf_model_free(model);
    data_set_free(data);
}

static void wrong_wishes_are_refused_and_maps_can_be_cancelled(void **state) {
    (void)state;
    data_set *data = plain_data(20);
    smerf_model *model = fit_to(data, response_for(data), 3, 2);
    double x[40];
    smerf_error error;
    assert_int_equal(smerf_embed(model, data->items, &SMERF_INIT(smerf_map_options, .n_dimensions = 0, .seed = 1), NULL,
                                 &SMERF_INIT(smerf_map, .coordinates = x), &error),
                     SMERF_BAD_INPUT);
    assert_int_equal(smerf_embed(model, data->items,
                                 &SMERF_INIT(smerf_map_options, .n_dimensions = 2, .seed = UINT64_MAX), NULL,
                                 &SMERF_INIT(smerf_map, .coordinates = x), &error),
                     SMERF_BAD_INPUT);
    patience left = {0};
    const smerf_run run = SMERF_INIT(smerf_run, .n_threads = 1, .progress = run_out, .context = &left);
    for (size_t n_landmarks = 5; n_landmarks <= 20; n_landmarks += 15)
        for (size_t k = 0; k < 4; k++) {
            left.n_left = k;
            smerf_status status =
                smerf_embed(model, data->items,
                            &SMERF_INIT(smerf_map_options, .n_dimensions = 2, .n_landmarks = n_landmarks, .seed = 1),
                            &run, &SMERF_INIT(smerf_map, .coordinates = x), &error);
            assert_true(status == SMERF_CANCELLED || (status == SMERF_OK && k > 0));
        }
    demand_ok(smerf_embed(model, data->items,
                          &SMERF_INIT(smerf_map_options, .n_dimensions = 2, .n_landmarks = 400, .seed = 1), NULL,
                          &SMERF_INIT(smerf_map, .coordinates = x), &error),
              &error); /* there are 20 */
    smerf_model_free(model);
    data_set_free(data);
}

/* A model that knows its items by their places knows no part of them. */
static void landmarks_of_nameless_nodes_are_refused(void **state) {
    (void)state;
    data_set *data = plain_data(12);
    const uint32_t left[4] = {0, 1, 2, 3}, right[4] = {4, 5, 6, 7};
    const smerf_pair_list edges = {.n = 4, .left = left, .right = right};
    smerf_target *target;
    smerf_error error;
    smerf_options options = options_for(1);
    double x[24];
    options.method = SMERF_METHOD_EPM;
    smerf_baseline_options baselines;
    smerf_baseline_options_default(&baselines);
    baselines.n_factors = 2;
    baselines.n_burn = baselines.n_draws = 5;
    options.baselines = &baselines;
    demand_ok(smerf_target_new_graph(&edges, NULL, 12, &target, &error), &error);
    smerf_model *model = fit_to_with(data, target, &options);
    demand_ok(smerf_embed(model, data->items, &SMERF_INIT(smerf_map_options, .n_dimensions = 2, .seed = 1), NULL,
                          &SMERF_INIT(smerf_map, .coordinates = x), &error),
              &error);
    assert_int_equal(smerf_embed(model, data->items,
                                 &SMERF_INIT(smerf_map_options, .n_dimensions = 2, .n_landmarks = 5, .seed = 1), NULL,
                                 &SMERF_INIT(smerf_map, .coordinates = x), &error),
                     SMERF_BAD_INPUT);
    assert_non_null(strstr(error.message, "without ids"));
    smerf_model_free(model);
    data_set_free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(maps_are_the_leading_eigenvectors),
        cmocka_unit_test(one_item_two_items_and_the_same_item_have_maps),
        cmocka_unit_test(repeated_eigenvalues_and_none_are_fine),
        cmocka_unit_test(negative_eigenvalues_do_not_hide_positive_ones),
        cmocka_unit_test(other_items_are_placed_by_their_distances_to_landmarks),
        cmocka_unit_test(progress_rises),
        cmocka_unit_test(wrong_wishes_are_refused_and_maps_can_be_cancelled),
        cmocka_unit_test(landmarks_of_nameless_nodes_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
