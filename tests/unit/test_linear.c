/* test_linear.c - mahalanobis and bilinear are optimal for every kind of target, by sums over all pairs; euclidean is what
 * it says; and all three are symmetric, reproducible, and at ease with degenerate data. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/linear_optimum.h"

/* ---- optimal ---- */

static void assert_optimal(const linear_data *at, const smerf_model *model, bool is_of_differences) {
    double w[MOST_P * MOST_P], g[MOST_P * MOST_P], size;
    take_w(model, at->p, w);
    brute_gradient(at, w, is_of_differences, g, &size);
    assert_no_way_down(model, at->p, w, g, size);
}

/* The distances of the model are those of its W. */
static void assert_predicts(const linear_data *at, const smerf_model *model, bool is_of_differences) {
    double w[MOST_P * MOST_P], *found = all_distances(model, at->data, false);
    take_w(model, at->p, w);
    for (size_t i = 0; i < at->n; i++)
        for (size_t j = 0; j < at->n; j++) {
            double value = predicted(at, w, is_of_differences, i, j), scale = 1;
            for (size_t a = 0; a < at->p; a++) scale += w[a * (at->p + 1)] * (1 + at->x[i][a] * at->x[i][a]);
            assert_close(found[i * at->n + j], is_of_differences ? value : 1 - value, scale);
            assert_true(found[i * at->n + j] == found[j * at->n + i]);
        }
    free(found);
}

static void w_is_optimal_for_every_kind_of_target(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 8; seed++)
        for (target_sort sort = 0; sort < N_SORTS; sort++) {
            linear_data *at = mixed_linear_data(seed, sort);
            for (int is_of_differences = 0; is_of_differences < 2; is_of_differences++) {
                smerf_model *model =
                    fit_linear(at, is_of_differences ? SMERF_METHOD_MAHALANOBIS : SMERF_METHOD_BILINEAR, 2);
                assert_optimal(at, model, is_of_differences);
                assert_predicts(at, model, is_of_differences);
                smerf_model_free(model);
            }
            linear_data_free(at);
        }
}

static void the_matrix_is_its_components_squared_and_columns_are_those_of_the_features(void **state) {
    (void)state;
    data_plan plan = {.n_items = 40, .n_numbers = 3, .n_categories = 2, .missing = 0.1, .seed = 4};
    linear_data *at = linear_data_new(plan, MATRIX, false);
    for (int is_of_differences = 0; is_of_differences < 2; is_of_differences++) {
        smerf_model *model = fit_linear(at, is_of_differences ? SMERF_METHOD_MAHALANOBIS : SMERF_METHOD_BILINEAR, 1);
        smerf_linear linear = SMERF_INIT(smerf_linear);
        double w[MOST_P * MOST_P];
        take_w(model, at->p, w);
        assert_int_equal(smerf_model_linear(model, &linear, NULL), SMERF_OK);
        for (size_t i = 0; i < at->p; i++)
            for (size_t j = 0; j < at->p; j++) {
                double sum = 0;
                for (size_t k = 0; k < linear.n_components; k++)
                    sum += linear.components[k * at->p + i] * linear.components[k * at->p + j];
                assert_true(sum == w[i * at->p + j] && w[i * at->p + j] == w[j * at->p + i]);
            }
        for (size_t f = 0; f < at->data->items->features.n; f++) {
            smerf_column column;
            smerf_model_feature(model, f, &column);
            assert_int_equal(linear.first_column[f + 1] - linear.first_column[f],
                             column.kind == SMERF_NUMBER ? 1 : column.n_levels);
        }
        for (size_t c = 0; c < at->p; c++) { /* of the design, where missing values are means already */
            double sum = 0;
            for (size_t i = 0; i < at->n; i++) sum += at->x[i][c];
            assert_close(linear.means[c], sum / (double)at->n, 1);
        }
        assert_true(linear.intercept == (is_of_differences ? 0 : 1));
        smerf_model_free(model);
    }
    linear_data_free(at);
}

static void who_learns_no_matrix_has_none_to_show(void **state) {
    (void)state;
    linear_data *at = linear_data_new((data_plan){.n_items = 20, .n_numbers = 2, .seed = 3}, MATRIX, false);
    static const smerf_method others[] = {SMERF_METHOD_EUCLIDEAN, SMERF_METHOD_FOREST, SMERF_METHOD_MEAN};
    for (size_t m = 0; m < 3; m++) {
        smerf_model *model = fit_linear(at, others[m], 1);
        smerf_linear linear = SMERF_INIT(smerf_linear);
        smerf_error error;
        assert_int_equal(smerf_model_linear(model, &linear, &error), SMERF_BAD_INPUT);
        assert_non_null(strstr(error.message, smerf_method_name(others[m])));
        assert_null(linear.components);
        assert_int_equal(smerf_model_linear_matrix(model, NULL, &error), SMERF_BAD_INPUT);
        smerf_model_free(model);
    }
    smerf_error error;
    smerf_model *model = fit_linear(at, SMERF_METHOD_BILINEAR, 1);
    assert_int_equal(smerf_model_linear(model, &(smerf_linear){0}, &error), SMERF_BAD_INPUT); /* without its size */
    smerf_model_free(model);
    linear_data_free(at);
}

static void a_bilinear_matrix_with_its_diagonal_needs_no_iteration(void **state) {
    (void)state;
    linear_data *at = linear_data_new((data_plan){.n_items = 30, .n_numbers = 3, .seed = 5}, MATRIX, true);
    smerf_model *model = fit_linear(at, SMERF_METHOD_BILINEAR, 1);
    assert_true(diagnostic(model, "iterations") == 0);
    assert_true(diagnostic(model, "pairs") == 465 && diagnostic(model, "unknowns") == 6);
    smerf_model_free(model);
    linear_data_free(at);
    at = linear_data_new((data_plan){.n_items = 30, .n_numbers = 3, .seed = 5}, NO_DIAGONAL, true);
    model = fit_linear(at, SMERF_METHOD_BILINEAR, 1);
    assert_true(diagnostic(model, "iterations") > 0 && diagnostic(model, "pairs") == 435);
    smerf_model_free(model);
    linear_data_free(at);
}

static void the_diagonal_has_no_say_in_mahalanobis(void **state) {
    (void)state;
    data_plan plan = {.n_items = 25, .n_numbers = 3, .has_diagonal = true, .seed = 9};
    linear_data *with = linear_data_new(plan, MATRIX, false), *without = linear_data_new(plan, NO_DIAGONAL, false);
    smerf_model *a = fit_linear(with, SMERF_METHOD_MAHALANOBIS, 1),
                *b = fit_linear(without, SMERF_METHOD_MAHALANOBIS, 1);
    double *left = all_distances(a, with->data, false), *right = all_distances(b, with->data, false);
    for (size_t k = 0; k < 25 * 25; k++) assert_close(left[k], right[k], 1);
    free(left);
    free(right);
    smerf_model_free(a);
    smerf_model_free(b);
    linear_data_free(with);
    linear_data_free(without);
}

/* ---- the same, whatever the threads, the columns that are asked for, and the units ---- */

static const smerf_method all_three[] = {SMERF_METHOD_EUCLIDEAN, SMERF_METHOD_MAHALANOBIS, SMERF_METHOD_BILINEAR};

static void any_number_of_threads_gives_the_same_bits(void **state) {
    (void)state;
    data_set *data = mixed_data(500); /* several blocks of items */
    smerf_options options = options_for(1);
    for (size_t m = 0; m < 3; m++) {
        options.method = all_three[m];
        smerf_model *one = fit_with(data, &options, &SMERF_INIT(smerf_run, .n_threads = 1));
        for (size_t n_threads = 2; n_threads <= 5; n_threads += 3) {
            smerf_model *more = fit_with(data, &options, &SMERF_INIT(smerf_run, .n_threads = n_threads));
            assert_same_model(one, more);
            smerf_model_free(more);
        }
        smerf_model_free(one);
    }
    data_set_free(data);
}

static void pairs_are_rows_and_files_keep_every_bit(void **state) {
    (void)state;
    data_set *data = mixed_data(30);
    smerf_options options = options_for(1);
    smerf_error error;
    for (size_t m = 0; m < 3; m++) {
        options.method = all_three[m];
        smerf_model *model = fit_with(data, &options, NULL), *loaded = NULL;
        assert_pairs_are_rows(model, data);
        demand_ok(smerf_model_save(model, "linear.smerf", &error), &error);
        demand_ok(smerf_model_load("linear.smerf", &loaded, &error), &error);
        double *before = all_distances(model, data, false), *after = all_distances(loaded, data, false);
        assert_memory_equal(before, after, 900 * sizeof *before);
        free(before);
        free(after);
        smerf_model_free(loaded);
        smerf_model_free(model);
    }
    data_set_free(data);
}

/* A data set whose features are scaled, and shifted, by powers of two. */
static data_set *in_units(double unit, double z_unit) {
    data_set *data = data_set_start((data_plan){.n_items = 30, .n_numbers = 4});
    sm_random random;
    sm_random_start(&random, 3, 4, 5);
    for (size_t k = 0; k < 120; k++) data->values[k] = (1 + (double)(k / 30)) * sm_random_normal(&random);
    for (size_t i = 0; i < 30; i++)
        for (size_t j = 0; j < 30; j++) data->z[i * 30 + j] = (float)fabs(data->values[i] - data->values[j]);
    for (size_t k = 0; k < 900; k++) data->z[k] = (float)(z_unit * (double)data->z[k]);
    for (size_t k = 0; k < 120; k++) data->values[k] *= k < 60 ? unit : 1;
    data_set_finish(data);
    return data;
}

static void units_do_not_matter(void **state) {
    (void)state;
    smerf_options options = options_for(1);
    const double units[] = {0x1p-27, 0x1p27, 0x1p-300, 0x1p300};
    data_set *data = in_units(1, 1);
    for (size_t m = 1; m < 3; m++) {
        options.method = all_three[m];
        smerf_model *model = fit_with(data, &options, NULL);
        double *expected = all_distances(model, data, false);
        for (size_t u = 0; u < 4; u++) {
            data_set *scaled = in_units(units[u], 1), *both = in_units(units[u], m == 1 ? 0x1p40 : 1);
            smerf_model *other = fit_with(scaled, &options, NULL), *third = fit_with(both, &options, NULL);
            double *found = all_distances(other, scaled, false), *more = all_distances(third, both, false);
            for (size_t k = 0; k < 900; k++) assert_close(found[k], expected[k], 1);
            for (size_t k = 0; k < 900; k++) assert_close(more[k] * (m == 1 ? 0x1p-40 : 1), expected[k], 1);
            free(found);
            free(more);
            smerf_model_free(other);
            smerf_model_free(third);
            data_set_free(scaled);
            data_set_free(both);
        }
        free(expected);
        smerf_model_free(model);
    }
    data_set_free(data);
}

/* ---- degenerate data ---- */

/* Two features that are the same, one that is constant, and distances that they explain: |difference|^2, or 1 - product. */
static data_set *doubled_feature(size_t n, bool is_of_differences) {
    data_set *data = data_set_start((data_plan){.n_items = n, .n_numbers = 3});
    for (size_t i = 0; i < n; i++) {
        data->values[i] = data->values[n + i] = (double)(i % 5) - 1;
        data->values[2 * n + i] = is_of_differences ? 0.1 : 0;
    }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            double x = data->values[i], y = data->values[j];
            data->z[i * n + j] = (float)(is_of_differences ? (x - y) * (x - y) : 1 - x * y);
        }
    data_set_finish(data);
    return data;
}

static void of_all_solutions_the_one_of_smallest_norm_is_taken(void **state) {
    (void)state;
    smerf_options options = options_for(1);
    for (size_t m = 1; m < 3; m++) {
        options.method = all_three[m];
        data_set *data = doubled_feature(12, m == 1);
        smerf_model *model = fit_with(data, &options, NULL);
        assert_true(diagnostic(model, "columns") == 3 && diagnostic(model, "rank of the columns") == 1);
        double w[9];
        take_w(model, 3, w);
        for (size_t a = 0; a < 3; a++)
            for (size_t b = 0; b < 3; b++) assert_true(fabs(w[a * 3 + b] - (a < 2 && b < 2 ? 0.25 : 0)) < 1e-8);
        smerf_model_free(model);
        data_set_free(data);
    }
}

static void few_items_are_fitted_exactly(void **state) {
    (void)state;
    smerf_options options = options_for(1);
    for (size_t n = 2; n < 8; n++) { /* fewer than features */
        data_set *data = data_set_new((data_plan){.n_items = n, .n_numbers = 9, .seed = n});
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++) data->z[i * n + j] = i == j ? 0 : 1;
        for (size_t m = 1; m < 3; m++) {
            options.method = all_three[m];
            smerf_model *model = fit_with(data, &options, NULL);
            double *found = all_distances(model, data, false);
            for (size_t k = 0; k < n * n; k++) assert_true(fabs(found[k] - (double)data->z[k]) < 1e-7);
            assert_true(diagnostic(model, "fewer pairs than unknowns") == 1);
            free(found);
            smerf_model_free(model);
        }
        data_set_free(data);
    }
}

static void items_that_are_all_the_same_are_at_zero(void **state) {
    (void)state;
    smerf_options options = options_for(1);
    data_set *data = data_set_start((data_plan){.n_items = 7, .n_numbers = 2});
    for (size_t i = 0; i < 7; i++) data->values[i] = 0.1, data->values[7 + i] = i == 3 ? NAN : 1e9 / 3;
    for (size_t k = 0; k < 49; k++) data->z[k] = k % 8 == 0 ? 0 : 5;
    data_set_finish(data);
    for (size_t m = 0; m < 2; m++) {
        options.method = all_three[m];
        smerf_model *model = fit_with(data, &options, NULL);
        double *found = all_distances(model, data, false);
        for (size_t k = 0; k < 49; k++) assert_true(found[k] == 0);
        free(found);
        smerf_model_free(model);
    }
    data_set_free(data);
}

static void numbers_beyond_reason_are_refused_with_a_sentence(void **state) {
    (void)state;
    smerf_options options = options_for(1);
    smerf_error error;
    for (int is_small = 0; is_small < 2; is_small++)
        for (size_t m = is_small ? 1 : 0; m < 3; m++) {
            data_set *data = data_set_start((data_plan){.n_items = 4, .n_numbers = 1});
            for (size_t i = 0; i < 4; i++) data->values[i] = (is_small ? 1e-307 : 1e151) * (double)(i + 1);
            for (size_t k = 0; k < 16; k++) data->z[k] = k % 5 == 0 ? 0 : m == 1 ? 3e38F : -3e38F;
            data_set_finish(data);
            smerf_model *model = NULL;
            options.method = all_three[m];
            assert_int_equal(smerf_fit(data->items, data->target, &options, NULL, &model, &error), SMERF_BAD_INPUT);
            assert_non_null(strstr(error.message, is_small ? "overflows" : "too large"));
            data_set_free(data);
        }
}

static void cancelling_ends_a_fit(void **state) {
    (void)state;
    data_set *data = mixed_data(300);
    smerf_options options = options_for(1);
    options.method = SMERF_METHOD_MAHALANOBIS;
    for (size_t n_calls = 0; n_calls < 40; n_calls += 3) {
        patience left = {n_calls};
        const smerf_run run = SMERF_INIT(smerf_run, .n_threads = 2, .progress = run_out, .context = &left);
        smerf_model *model = NULL;
        smerf_error error;
        smerf_status status = smerf_fit(data->items, data->target, &options, &run, &model, &error);
        assert_true(status == SMERF_CANCELLED || n_calls > 6);
        smerf_model_free(model);
    }
    data_set_free(data);
}

/* ---- euclidean ---- */

static void euclidean_counts_a_category_that_differs_as_one(void **state) {
    (void)state;
    linear_data *at = linear_data_new(
        (data_plan){.n_items = 40, .n_numbers = 3, .n_categories = 2, .missing = 0.2, .seed = 3}, LABELS, false);
    smerf_model *model = fit_linear(at, SMERF_METHOD_EUCLIDEAN, 2);
    double *found = all_distances(model, at->data, false);
    for (size_t i = 0; i < at->n; i++)
        for (size_t j = 0; j < at->n; j++) {
            double sum = 0;
            for (size_t c = 0; c < at->p; c++)
                sum += (c < 3 ? 1 : 0.5) * (at->x[i][c] - at->x[j][c]) * (at->x[i][c] - at->x[j][c]);
            assert_close(found[i * at->n + j], sum, 1);
            assert_true(found[i * at->n + j] == found[j * at->n + i]);
        }
    free(found);
    smerf_model_free(model);
    linear_data_free(at);
}

static void categories_alone_are_counted_exactly(void **state) {
    (void)state;
    data_set *data = data_set_new((data_plan){.n_items = 30, .n_categories = 3, .seed = 4});
    smerf_options options = options_for(1);
    options.method = SMERF_METHOD_EUCLIDEAN;
    smerf_model *model = fit_with(data, &options, NULL);
    double *found = all_distances(model, data, false);
    for (size_t i = 0; i < 30; i++)
        for (size_t j = 0; j < 30; j++) {
            double n_different = 0;
            for (size_t f = 0; f < 3; f++) n_different += data->codes[f * 30 + i] != data->codes[f * 30 + j];
            assert_true(found[i * 30 + j] == n_different);
        }
    free(found);
    smerf_model_free(model);
    data_set_free(data);
}

/* ---- files ---- */

static void a_damaged_factor_is_refused(void **state) {
    (void)state;
    data_set *data = plain_data(4);
    double mean[4] = {0}, factor[24] = {0};
    const sm_features *features = &data->items->features;
    const struct {
        size_t n;
        double value;
        sm_tensor_type type;
    } damages[] = {{3, 1, SM_F64}, {20, 1, SM_F64}, {8, INFINITY, SM_F64}, {8, 1, SM_U64}, {8, NAN, SM_F64}};
    for (size_t k = 0; k < sizeof damages / sizeof *damages; k++) {
        sm_tensors tensors = {0};
        sm_learned *learned = NULL;
        smerf_error error;
        factor[5] = damages[k].value;
        demand_ok(sm_tensors_add(&tensors, "learned.means", SM_F64, mean, 4, &error), &error);
        assert_int_equal(sm_linear_load(true, &tensors, features, 4, &learned, &error), SMERF_BAD_FILE);
        demand_ok(sm_tensors_add(&tensors, "learned.factor", damages[k].type, factor, damages[k].n, &error), &error);
        assert_int_equal(sm_linear_load(true, &tensors, features, 4, &learned, &error), SMERF_BAD_FILE);
        sm_tensors_free(&tensors);
    }
    data_set_free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(w_is_optimal_for_every_kind_of_target),
        cmocka_unit_test(the_matrix_is_its_components_squared_and_columns_are_those_of_the_features),
        cmocka_unit_test(who_learns_no_matrix_has_none_to_show),
        cmocka_unit_test(a_bilinear_matrix_with_its_diagonal_needs_no_iteration),
        cmocka_unit_test(the_diagonal_has_no_say_in_mahalanobis),
        cmocka_unit_test(any_number_of_threads_gives_the_same_bits),
        cmocka_unit_test(pairs_are_rows_and_files_keep_every_bit),
        cmocka_unit_test(units_do_not_matter),
        cmocka_unit_test(of_all_solutions_the_one_of_smallest_norm_is_taken),
        cmocka_unit_test(few_items_are_fitted_exactly),
        cmocka_unit_test(items_that_are_all_the_same_are_at_zero),
        cmocka_unit_test(numbers_beyond_reason_are_refused_with_a_sentence),
        cmocka_unit_test(cancelling_ends_a_fit),
        cmocka_unit_test(euclidean_counts_a_category_that_differs_as_one),
        cmocka_unit_test(categories_alone_are_counted_exactly),
        cmocka_unit_test(a_damaged_factor_is_refused),
    };
    return cmocka_run_group_tests(tests, files_enter, files_leave);
}
