/* test_columns.c - response and product targets against the matrices that they stand for. */
#include "target/vectors/vectors.h"
#include "tests/unit/engines.h"
#include "tests/unit/stand_in.h"

enum { MOST_TARGET_COLUMNS = 4 };

static smerf_target *make_columns(size_t n, sm_random *random, float *z, bool is_product) {
    static const char *const names[MOST_TARGET_COLUMNS] = {"y0", "y1", "y2", "y3"};
    static double values[MOST_TARGET_COLUMNS][64];
    const double *columns[MOST_TARGET_COLUMNS];
    size_t n_columns = 1 + sm_random_below(random, MOST_TARGET_COLUMNS);
    uint32_t n_different = 1 + sm_random_below(random, 12);
    for (size_t c = 0; c < n_columns; c++) {
        columns[c] = values[c];
        for (size_t i = 0; i < n; i++) values[c][i] = 0.25 * sm_random_below(random, n_different) - 1;
    }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            double sum = 0;
            for (size_t c = 0; c < n_columns; c++)
                sum += is_product ? values[c][i] * values[c][j]
                                  : 0.5 * (values[c][i] - values[c][j]) * (values[c][i] - values[c][j]);
            z[i * n + j] = (float)(is_product ? 1 - sum : sum);
        }
    smerf_target *target = NULL;
    smerf_error error;
    smerf_status status = is_product ? smerf_target_new_product(names, columns, n_columns, n, &target, &error)
                                     : smerf_target_new_response(names, columns, n_columns, n, &target, &error);
    demand_ok(status, &error);
    return target;
}

static smerf_target *make_response(size_t n, sm_random *random, float *z) { return make_columns(n, random, z, false); }
static smerf_target *make_product(size_t n, sm_random *random, float *z) { return make_columns(n, random, z, true); }

static void test_response_stands_for_its_matrix(void **state) {
    (void)state;
    stand_in_trials(300, make_response);
}

static void test_product_stands_for_its_matrix(void **state) {
    (void)state;
    stand_in_trials(300, make_product);
}

/* Costs from the definition, in long double. */
static double brute_cost(const double *y, const double *w, const uint32_t *order, size_t first, size_t end) {
    long double sum = 0, total = 0;
    for (size_t a = first; a < end; a++) {
        total += (long double)w[order[a]];
        for (size_t b = first; b < end; b++) {
            long double apart = (long double)y[order[a]] - (long double)y[order[b]];
            sum += (long double)w[order[a]] * (long double)w[order[b]] * apart * apart / 2;
        }
    }
    return (double)(sum / total);
}

/* Weights from 1e-100 to 1e100, numbers far from zero: each cost is good in proportion to the node's. */
static void test_costs_survive_extremes(void **state) {
    (void)state;
    enum { N = 20 };
    for (size_t trial = 0; trial < 200; trial++) {
        sm_random random;
        sm_random_start(&random, trial, 9, 9);
        double y[N], weight[N], left[N], right[N], offset = trial % 2 == 0 ? 1e6 : 0;
        uint32_t items[N], order[N];
        const double *columns[1] = {y};
        const char *names[1] = {"y"};
        sm_node node = {.items = items, .n = N, .weight = weight};
        for (size_t i = 0; i < N; i++) {
            items[i] = order[i] = (uint32_t)i;
            y[i] = offset + sm_random_normal(&random);
            weight[i] =
                trial % 3 == 0 ? pow(10, 200 * sm_random_uniform(&random) - 100) : 1 + sm_random_below(&random, 3);
            node.total += weight[i];
        }
        sm_random_shuffle(&random, order, N);
        smerf_target *target = NULL;
        smerf_error error;
        demand_ok(smerf_target_new_response(names, columns, 1, N, &target, &error), &error);
        sm_search_size size = {.n_items = N, .n_line_ups = 1, .n_threads = 1};
        sm_search *search = plain_engine(target->kind)->search_new(target, &size, &error);
        assert_non_null(search);
        const sm_line_up line_up = {.order = order, .left = left, .right = right};
        plain_engine(target->kind)->enter(search, &node, 0);
        double cost = plain_engine(target->kind)->pricing->price(search, &node, &line_up, 1);
        double scale = brute_cost(y, weight, order, 0, N);
        assert_close(cost, scale, scale);
        for (size_t r = 0; r + 1 < N; r++) {
            assert_close(left[r], brute_cost(y, weight, order, 0, r + 1), scale);
            assert_close(right[r], brute_cost(y, weight, order, r + 1, N), scale);
        }
        plain_engine(target->kind)->search_free(search);
        smerf_target_free(target);
    }
}

static void test_bad_columns_are_refused(void **state) {
    (void)state;
    const double good[3] = {1, 2, 3}, missing[3] = {1, NAN, 3}, large[3] = {1, 2, 1e19};
    const char *names[2] = {"a", "b"};
    smerf_target *target = NULL;
    smerf_error error;
    const double *with_missing[2] = {good, missing}, *with_large[2] = {large, good};
    assert_int_equal(smerf_target_new_response(names, with_missing, 2, 3, &target, &error), SMERF_BAD_INPUT);
    assert_int_equal(error.row, 1);
    assert_int_equal(error.column, 1);
    assert_int_equal(smerf_target_new_product(names, with_large, 2, 3, &target, &error), SMERF_BAD_INPUT);
    assert_int_equal(error.row, 2);
    assert_int_equal(smerf_target_new_product(names, with_large, 0, 3, &target, &error), SMERF_BAD_INPUT);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_response_stands_for_its_matrix),
        cmocka_unit_test(test_product_stands_for_its_matrix),
        cmocka_unit_test(test_costs_survive_extremes),
        cmocka_unit_test(test_bad_columns_are_refused),
    };
    return cmocka_run_group_tests(tests, files_enter, files_leave);
}
