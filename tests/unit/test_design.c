/* test_design.c - items become rows of numbers: as given, one-hot, and the training mean where a value is missing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/forests.h"

#include "base/memory.h"
#include "method/linear/design.h"

typedef struct laid_out {
    data_set *data;
    sm_view view;
    sm_design design;
    double *x; /* [n_items][n_columns] */
} laid_out;

static laid_out lay_out(data_set *data) {
    laid_out at = {.data = data};
    smerf_error error;
    demand_ok(sm_view_match(&at.view, &data->items->features, data->items, &error), &error);
    demand_ok(sm_design_learn(&at.design, &data->items->features, &at.view, &error), &error);
    at.x = calloc(data->plan.n_items * at.design.n_columns, sizeof *at.x);
    for (size_t i = 0; i < data->plan.n_items; i++)
        sm_design_row(&at.design, &at.view, i, at.x + i * at.design.n_columns);
    return at;
}

static void clear(laid_out *at) {
    free(at->x);
    sm_design_free(&at->design);
    sm_view_free(&at->view);
    data_set_free(at->data);
}

static void numbers_stay_as_they_are_and_a_missing_one_is_the_mean(void **state) {
    (void)state;
    laid_out at = lay_out(mixed_data(40));
    size_t n = 40, p = at.design.n_columns;
    for (size_t f = 0; f < at.data->plan.n_numbers; f++) {
        const double *values = at.data->values + f * n;
        long double sum = 0, count = 0;
        for (size_t i = 0; i < n; i++) {
            sum += isnan(values[i]) ? 0 : (long double)values[i];
            count += !isnan(values[i]);
        }
        assert_true(count < 40);
        for (size_t i = 0; i < n; i++) {
            double x = at.x[i * p + f];
            assert_true(isnan(values[i]) ? fabs(x - (double)(sum / count)) < 1e-14 : x == values[i]);
        }
    }
    clear(&at);
}

static void a_category_is_a_column_for_each_level(void **state) {
    (void)state;
    laid_out at = lay_out(mixed_data(40));
    const smerf_items *items = at.data->items;
    size_t n = 40, p = at.design.n_columns, first = at.data->plan.n_numbers;
    assert_int_equal(p, first + at.data->plan.n_categories * N_LEVELS);
    for (size_t f = first; f < items->features.n; f++, first += N_LEVELS) {
        double share[N_LEVELS] = {0}, count = 0;
        for (size_t i = 0; i < n; i++)
            if (items->codes[f][i] != SMERF_MISSING) share[items->codes[f][i]]++, count++;
        for (size_t i = 0; i < n; i++)
            for (size_t level = 0; level < N_LEVELS; level++) {
                uint32_t code = items->codes[f][i];
                double expected = code == SMERF_MISSING ? share[level] / count : code == level;
                assert_true(at.x[i * p + first + level] == expected);
            }
    }
    clear(&at);
}

static void a_column_without_values_is_zero(void **state) {
    (void)state;
    data_set *data = data_set_start((data_plan){.n_items = 5, .n_numbers = 1, .n_categories = 1});
    for (size_t i = 0; i < 5; i++) {
        data->values[i] = NAN;
        data->codes[i] = SMERF_MISSING;
    }
    data_set_finish(data);
    laid_out at = lay_out(data);
    for (size_t k = 0; k < 5 * at.design.n_columns; k++) assert_true(at.x[k] == 0);
    clear(&at);
}

static void numbers_that_cannot_be_squared_are_refused(void **state) {
    (void)state;
    data_set *data = data_set_start((data_plan){.n_items = 3, .n_numbers = 2});
    data->values[4] = -1e200;
    data_set_finish(data);
    sm_view view;
    sm_design design;
    smerf_error error;
    demand_ok(sm_view_match(&view, &data->items->features, data->items, &error), &error);
    assert_int_equal(sm_design_learn(&design, &data->items->features, &view, &error), SMERF_BAD_INPUT);
    assert_non_null(strstr(error.message, "column 'x1', row 1: -1e+200 is too large"));
    sm_view_free(&view);
    data_set_free(data);
}

static void equal_values_have_exactly_their_mean(void **state) {
    (void)state;
    data_set *data = data_set_start((data_plan){.n_items = 49, .n_numbers = 1});
    for (size_t i = 0; i < 49; i++) data->values[i] = i == 7 ? NAN : 0.1;
    data_set_finish(data);
    laid_out at = lay_out(data);
    assert_true(at.design.mean[0] == 0.1);
    clear(&at);
}

static void damaged_means_are_refused(void **state) {
    (void)state;
    data_set *data = plain_data(4);
    double mean[4] = {0, 1, NAN, 2};
    sm_tensors tensors = {0};
    sm_design design;
    smerf_error error;
    assert_int_equal(sm_design_load(&design, &data->items->features, &tensors, &error), SMERF_BAD_FILE);
    demand_ok(sm_tensors_add(&tensors, "learned.means", SM_F64, mean, 4, &error), &error);
    assert_int_equal(sm_design_load(&design, &data->items->features, &tensors, &error), SMERF_BAD_FILE);
    mean[2] = 5;
    demand_ok(sm_design_load(&design, &data->items->features, &tensors, &error), &error);
    assert_memory_equal(design.mean, mean, sizeof mean);
    sm_design_free(&design);
    sm_tensors_free(&tensors);
    data_set_free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_stay_as_they_are_and_a_missing_one_is_the_mean),
        cmocka_unit_test(a_category_is_a_column_for_each_level),
        cmocka_unit_test(a_column_without_values_is_zero),
        cmocka_unit_test(numbers_that_cannot_be_squared_are_refused),
        cmocka_unit_test(equal_values_have_exactly_their_mean),
        cmocka_unit_test(damaged_means_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
