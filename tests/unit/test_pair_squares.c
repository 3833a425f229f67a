/* test_pair_squares.c - the fast forms of the sums over pairs are those sums, and a frame makes their moments 1. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/linear_data.h"

#include "method/linear/fit/pair_squares.h"

/* Everything that a fit makes before it solves. */
typedef struct prepared {
    linear_data *of;
    sm_view view;
    sm_pool pool;
    sm_training_set training;
    sm_learned learned;
    sm_training_pairs pairs;
    sm_frame frame;
    sm_pair_squares squares;
    bool is_of_differences;
} prepared;

static void prepare(prepared *at, linear_data *of, bool is_of_differences) {
    smerf_error error;
    *at = (prepared){.of = of, .is_of_differences = is_of_differences};
    at->learned.is_of_differences = is_of_differences;
    sm_pool_start(&at->pool, NULL);
    const sm_features *features = &of->data->items->features;
    demand_ok(sm_view_match(&at->view, features, of->data->items, &error), &error);
    at->training = (sm_training_set){.items = of->data->items,
                                     .view = &at->view,
                                     .features = features,
                                     .target = of->target,
                                     .weights = of->data->items->weights,
                                     .pool = &at->pool};
    demand_ok(sm_design_learn(&at->learned.design, features, &at->view, &error), &error);
    demand_ok(sm_training_pairs_start(&at->pairs, &at->training, &error), &error);
    demand_ok(sm_frame_new(&at->frame, &at->training, &at->learned, &at->pairs, &error), &error);
    demand_ok(sm_pair_squares_start(&at->squares, &at->pairs, &at->frame, is_of_differences, &at->pool, &error),
              &error);
}

static void clear(prepared *at) {
    sm_pair_squares_free(&at->squares);
    sm_frame_free(&at->frame);
    sm_training_pairs_free(&at->pairs);
    sm_design_free(&at->learned.design);
    sm_view_free(&at->view);
}

static double total_weight(const linear_data *of) {
    double sum = 0;
    for (size_t i = 0; i < of->n; i++)
        for (size_t j = 0; j < of->n; j++) sum += of->weight[i][j];
    return sum;
}

/* D_ij in the frame. */
static double derivative(const prepared *at, size_t i, size_t j, size_t a, size_t b) {
    const double *x = at->frame.y + i * at->frame.rank, *y = at->frame.y + j * at->frame.rank;
    return at->is_of_differences ? (x[a] - y[a]) * (x[b] - y[b]) : (x[a] * y[b] + x[b] * y[a]) / 2;
}

/* sum of weight_ij number_ij D_ij, where the number is <D_ij, A>, or without A what is given. Weights add up to 1; where all
 * pairs are known, those of the diagonal are counted although they are not. */
static void brute_sum(const prepared *at, const double *matrix, double *out) {
    const linear_data *of = at->of;
    size_t r = at->frame.rank;
    double total = total_weight(of);
    for (size_t i = 0; i < of->n && at->pairs.links == NULL; i++)
        if (of->weight[i][i] == 0) total += of->item_weight[i] * of->item_weight[i];
    memset(out, 0, r * r * sizeof *out);
    for (size_t i = 0; i < of->n; i++)
        for (size_t j = 0; j < of->n; j++) {
            double number = at->is_of_differences ? of->z[i][j] : 1 - of->z[i][j];
            if (of->weight[i][j] == 0) continue;
            if (matrix != NULL) number = 0;
            for (size_t k = 0; k < r * r && matrix != NULL; k++)
                number += matrix[k] * derivative(at, i, j, k / r, k % r);
            for (size_t k = 0; k < r * r; k++)
                out[k] += of->weight[i][j] / total * number * derivative(at, i, j, k / r, k % r);
        }
}

static void assert_same(const double *found, const double *expected, size_t n) {
    double scale = 0;
    for (size_t k = 0; k < n; k++) scale = fmax(scale, fabs(expected[k]));
    for (size_t k = 0; k < n; k++) assert_close(found[k], expected[k], 1e-2 * scale); /* 1e-11 of the largest */
}

static void check(prepared *at, sm_random *random) {
    double matrix[MOST_P * MOST_P], found[MOST_P * MOST_P], expected[MOST_P * MOST_P];
    size_t r = at->frame.rank;
    smerf_error error;
    brute_sum(at, NULL, expected);
    assert_same(at->squares.b, expected, r * r);
    for (size_t a = 0; a < r; a++)
        for (size_t b = 0; b <= a; b++) matrix[a * r + b] = matrix[b * r + a] = sm_random_normal(random);
    brute_sum(at, matrix, expected);
    for (int has_normal = 0; has_normal < 2; has_normal++) {
        free(at->squares.normal);
        at->squares.normal = NULL;
        if (has_normal) demand_ok(sm_normal_equations_form(&at->squares, &at->pool, &error), &error);
        demand_ok(sm_pair_squares_apply(&at->squares, &at->pool, matrix, found, &error), &error);
        assert_same(found, expected, r * r);
    }
}

static void fast_sums_are_plain_sums(void **state) {
    (void)state;
    sm_random random;
    sm_random_start(&random, 1, 2, 3);
    for (uint64_t seed = 0; seed < 6; seed++)
        for (target_sort sort = 0; sort < N_SORTS; sort++) {
            data_plan plan = {.n_items = 21 + 5 * seed, .n_numbers = 1 + seed, .n_categories = seed % 2, .seed = seed};
            plan.has_diagonal = seed % 3 == 0;
            linear_data *of = linear_data_new(plan, sort, seed % 2 == 0);
            for (int is_of_differences = 0; is_of_differences < 2; is_of_differences++) {
                prepared at;
                prepare(&at, of, is_of_differences);
                check(&at, &random);
                clear(&at);
            }
            linear_data_free(of);
        }
}

/* The positive part of b, and that with one entry moved: which is not optimal, and certified as that. */
static void a_direct_answer_is_certified_and_another_is_not(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 6; seed++) {
        const data_plan plan = {.n_items = 25, .n_numbers = 4, .n_categories = 1, .has_diagonal = true, .seed = seed};
        linear_data *of = linear_data_new(plan, MATRIX, seed % 2 == 0);
        double a[MOST_P * MOST_P], vectors[MOST_P * MOST_P], values[MOST_P], room[MOST_P * (MOST_P + 3)], residual = 1;
        prepared at;
        smerf_error error;
        prepare(&at, of, false);
        size_t r = at.frame.rank;
        assert_true(sm_pair_squares_is_direct(&at.squares));
        memcpy(a, at.squares.b, r * r * sizeof *a);
        sm_psd_part(a, r, values, vectors, room);
        demand_ok(sm_pair_squares_residual(&at.squares, &at.pool, a, &residual, &error), &error);
        assert_true(residual < 1e-12);
        double size = 0;
        for (size_t k = 0; k < r * r; k++) size += at.squares.b[k] * at.squares.b[k];
        a[0] += 1e-3 * sqrt(size); /* still positive, and H A moves as much */
        demand_ok(sm_pair_squares_residual(&at.squares, &at.pool, a, &residual, &error), &error);
        assert_true(residual > 1e-4 && residual < 1.1e-3);
        clear(&at);
        linear_data_free(of);
    }
}

/* The rows of the items times T are the frame's coordinates, up to a shift. */
static void a_frame_says_where_its_coordinates_come_from(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 4; seed++) { /* the last with more columns than items */
        data_plan plan = {
            .n_items = seed == 3 ? 9 : 30, .n_numbers = 4, .n_categories = 2, .missing = 0.1, .seed = seed};
        linear_data *of = linear_data_new(plan, MATRIX, true);
        for (int is_of_differences = 0; is_of_differences < 2; is_of_differences++) {
            prepared at;
            prepare(&at, of, is_of_differences);
            size_t r = at.frame.rank;
            assert_true(r < of->p && (r < of->n || !is_of_differences));
            for (size_t i = 0; i < of->n; i++)
                for (size_t d = 0; d < r; d++) {
                    double found = at.frame.y[i * r + d] - (is_of_differences ? at.frame.y[d] : 0), expected = 0;
                    for (size_t c = 0; c < of->p; c++)
                        expected += (of->x[i][c] - (is_of_differences ? of->x[0][c] : 0)) * at.frame.t[c * r + d];
                    assert_close(found, expected, 10);
                }
            clear(&at);
        }
        linear_data_free(of);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fast_sums_are_plain_sums),
        cmocka_unit_test(a_direct_answer_is_certified_and_another_is_not),
        cmocka_unit_test(a_frame_says_where_its_coordinates_come_from),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
