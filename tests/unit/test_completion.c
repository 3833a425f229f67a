/* test_completion.c - what is missing from a form of low rank is found again; what has no form is left at the mean. */
#include "target/completed/completion.c" /* as a file, to see both sides of a fit */

#include "target/links/pairs.h"
#include "tests/unit/forests.h"

enum { N = 120, MOST = 700 };

/* ---- pairs to complete ---- */

typedef struct puzzle {
    size_t n;
    double *z;       /* [n][n] the truth */
    bool *is_hidden; /* [n][n] */
    smerf_target *target;
    const sm_links *links;
} puzzle;

typedef double (*shape)(const double *x, const double *y); /* of two points in the plane */

static double squared(const double *x, const double *y) { return (x[0] - y[0]) * (x[0] - y[0]); }
static double product(const double *x, const double *y) { return 1 - x[0] * y[0]; }
static double absolute(const double *x, const double *y) { return fabs(x[0] - y[0]); }
static double euclidean(const double *x, const double *y) { return hypot(x[0] - y[0], x[1] - y[1]); }
static double saddle(const double *x, const double *y) { return 3 + x[0] * y[0] - x[1] * y[1]; } /* of both signs */
static double constant(const double *x, const double *y) { return x[0] < y[0] ? 0.1 : 0.1; }

static void set_pair(puzzle *made, size_t i, size_t j, double z) {
    made->z[i * made->n + j] = made->z[j * made->n + i] = z;
}

static puzzle *puzzle_start(size_t n) {
    puzzle *made = calloc(1, sizeof *made);
    assert_non_null(made);
    made->n = n;
    made->z = calloc(n * n, sizeof *made->z);
    made->is_hidden = calloc(n * n, sizeof *made->is_hidden);
    assert_true(made->z != NULL && made->is_hidden != NULL);
    return made;
}

/* The pairs that are not hidden become a target.   weight  [n][n] or NULL */
static void puzzle_finish(puzzle *made, const double *weight) {
    size_t n = made->n, n_pairs = 0;
    uint32_t *left = calloc(n * n, sizeof *left), *right = calloc(n * n, sizeof *right);
    double *value = calloc(n * n, sizeof *value), *weights = calloc(n * n, sizeof *weights);
    smerf_error error;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < i; j++) {
            if (made->is_hidden[i * n + j]) continue;
            left[n_pairs] = i;
            right[n_pairs] = j;
            value[n_pairs] = made->z[i * n + j];
            weights[n_pairs++] = weight != NULL ? weight[i * n + j] : 1;
        }
    const smerf_pair_list list = {.n = n_pairs, .left = left, .right = right, .value = value, .weight = weights};
    demand_ok(smerf_target_new_pairs(&list, n, &made->target, &error), &error);
    made->links = sm_known_pairs_of(made->target)->links;
    free(left);
    free(right);
    free(value);
    free(weights);
}

static puzzle *puzzle_new(size_t n, shape of, double hidden_share, uint64_t seed) {
    puzzle *made = puzzle_start(n);
    double *points = calloc(n, 2 * sizeof *points);
    sm_random random;
    sm_random_start(&random, seed, 4, n);
    for (size_t k = 0; k < 2 * n; k++) points[k] = sm_random_normal(&random);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++) {
            set_pair(made, i, j, of != NULL ? of(points + 2 * i, points + 2 * j) : sm_random_normal(&random));
            made->is_hidden[i * n + j] = sm_random_uniform(&random) < hidden_share;
        }
    puzzle_finish(made, NULL);
    free(points);
    return made;
}

static void puzzle_free(puzzle *made) {
    smerf_target_free(made->target);
    free(made->z);
    free(made->is_hidden);
    free(made);
}

static sm_pool pool_of(size_t n_threads) {
    sm_pool pool;
    const smerf_run run = SMERF_INIT(smerf_run, .n_threads = n_threads);
    sm_pool_start(&pool, &run);
    return pool;
}

static sm_completion complete_with(const sm_links *links, size_t rank, size_t n_steps, size_t n_threads) {
    sm_completion form;
    sm_pool pool = pool_of(n_threads);
    smerf_error error;
    demand_ok(sm_complete(links, rank, n_steps, 5, &pool, &form, &error), &error);
    return form;
}

/* The error on hidden pairs, in units of their standard deviation. */
static double hidden_error(const puzzle *made, const sm_completion *form) {
    double sum = 0, squares = 0, misses = 0, count = 0;
    for (size_t i = 0; i < made->n; i++)
        for (size_t j = 0; j < i; j++) {
            double z = made->z[i * made->n + j], miss = z - sm_completion_pair(form, i, j);
            if (!made->is_hidden[i * made->n + j]) continue;
            sum += z;
            squares += z * z;
            misses += miss * miss;
            count++;
        }
    assert_true(count > 0);
    return sqrt(misses / (squares - sum * sum / count));
}

/* Finite, and the same in both directions to the last bit. */
static void check_form(const sm_completion *form, size_t n, size_t rank) {
    assert_int_equal(form->n_items, n);
    assert_true(form->rank <= 2 * rank);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++) {
            double here = sm_completion_pair(form, i, j), there = sm_completion_pair(form, j, i);
            assert_true(isfinite(here));
            assert_memory_equal(&here, &there, sizeof here);
        }
}

/* ---- finding what is hidden ---- */

static void what_has_a_form_is_found_again(void **state) {
    (void)state;
    const shape shapes[] = {squared, product, saddle};
    const size_t ranks_of[] = {1, 1, 2};
    const double shares[] = {0.5, 0.8};
    for (size_t s = 0; s < 3; s++)
        for (size_t h = 0; h < 2; h++) {
            puzzle *made = puzzle_new(N, shapes[s], shares[h], s + 1);
            sm_completion form = complete_with(made->links, ranks_of[s], 12, 2);
            check_form(&form, N, ranks_of[s]);
            double error = hidden_error(made, &form);
            if (!(error < 1e-3)) fail_msg("shape %zu, %g hidden: %g of the standard deviation", s, shares[h], error);
            sm_completion_free(&form);
            puzzle_free(made);
        }
}

/* With the shrinkage that held-out pairs choose. */
static double chosen_error(const puzzle *made, size_t rank) {
    bool *left_out = calloc(made->links->n + 1, sizeof *left_out);
    size_t n_steps = 0;
    sm_pool pool = pool_of(1);
    smerf_error error;
    sm_completion_hold_out(made->links, 1, left_out);
    demand_ok(sm_completion_choose(made->links, left_out, 5, &rank, &n_steps, &pool, &error), &error);
    sm_completion form = complete_with(made->links, rank, n_steps, 1);
    check_form(&form, made->n, rank);
    double of = hidden_error(made, &form);
    sm_completion_free(&form);
    free(left_out);
    return of;
}

/* Forms of any rank and either sign: near, though never exact. */
static void distances_without_a_form_are_found_nearly(void **state) {
    (void)state;
    const struct {
        shape of;
        double hidden, bound;
    } cases[] = {{absolute, 0.5, 0.06}, {absolute, 0.8, 0.2}, {euclidean, 0.5, 0.1}, {euclidean, 0.8, 0.25}};
    for (size_t c = 0; c < 4; c += HAS_THREAD_SANITIZER ? 4 : 1) { /* on one thread */
        puzzle *made = puzzle_new(N, cases[c].of, cases[c].hidden, 11 + c);
        double auto_error = chosen_error(made, SMERF_COMPLETE_AUTO), items_only = chosen_error(made, 0);
        if (!(auto_error < cases[c].bound && auto_error < 0.8 * items_only))
            fail_msg("case %zu: %g of the standard deviation; with rank 0, %g", c, auto_error, items_only);
        puzzle_free(made);
    }
}

/* ---- what little is known ---- */

static void items_without_pairs_are_at_the_mean(void **state) {
    (void)state;
    puzzle *made = puzzle_new(40, squared, 0.3, 3);
    smerf_target_free(made->target);
    for (size_t k = 0; k < 40; k++) made->is_hidden[39 * 40 + k] = made->is_hidden[k * 40 + 39] = true;
    for (size_t k = 0; k < 40; k++) made->is_hidden[7 * 40 + k] = made->is_hidden[k * 40 + 7] = true;
    puzzle_finish(made, NULL);
    double mean = sm_known_pairs_of(made->target)->mean;
    for (size_t rank = 0; rank < 4; rank++) {
        sm_completion form = complete_with(made->links, rank, 6, 1);
        check_form(&form, 40, rank);
        assert_near(sm_completion_pair(&form, 7, 39), mean, 1e-12 * mean); /* to each other, exactly */
        assert_near(form.a[7], form.a[39], 1e-12 * mean);
        assert_near(form.a[7], mean / 2, 1e-12 * mean); /* to the others, as these are on the whole */
        for (size_t r = 0; r < form.rank; r++) assert_true(fabs(form.u[7 * form.rank + r]) < 1e-12);
        sm_completion_free(&form);
    }
    puzzle_free(made);
}

static void two_items_one_pair_and_no_pair(void **state) {
    (void)state;
    for (size_t n = 2; n < 5; n++)
        for (size_t n_pairs = 0; n_pairs < 2; n_pairs++)
            for (size_t rank = 0; rank < 3; rank++) {
                puzzle *made = puzzle_start(n);
                for (size_t k = 0; k < n * n; k++) made->is_hidden[k] = true;
                made->is_hidden[n] = n_pairs == 0; /* (1, 0) */
                set_pair(made, 0, 1, 2.5);
                puzzle_finish(made, NULL);
                sm_completion form = complete_with(made->links, rank, 4, 2);
                check_form(&form, n, rank);
                for (size_t i = 0; i < n; i++)
                    for (size_t j = 0; j < i; j++)
                        assert_near(sm_completion_pair(&form, i, j), n_pairs > 0 ? 2.5 : 0, 1e-12);
                sm_completion_free(&form);
                puzzle_free(made);
            }
}

static void equal_values_stay_equal(void **state) {
    (void)state;
    puzzle *made = puzzle_new(30, constant, 0.6, 2);
    for (size_t rank = 0; rank < 4; rank++) {
        sm_completion form = complete_with(made->links, rank, 8, 1);
        check_form(&form, 30, rank);
        for (size_t i = 0; i < 30; i++)
            for (size_t j = 0; j < i; j++) assert_near(sm_completion_pair(&form, i, j), 0.1, 1e-12);
        sm_completion_free(&form);
    }
    puzzle_free(made);
}

/* a_i + a_j, all known: with hardly any shrinkage these are the least squares, here exact. */
static void rank_0_has_items_only(void **state) {
    (void)state;
    puzzle *made = puzzle_start(20);
    for (size_t i = 0; i < 20; i++)
        for (size_t j = 0; j < i; j++) {
            set_pair(made, i, j, sqrt((double)i) + sqrt((double)j));
            made->is_hidden[i * 20 + j] = (i + j) % 3 == 0;
        }
    puzzle_finish(made, NULL);
    sm_completion form = complete_with(made->links, 0, 12, 1);
    assert_int_equal(form.rank, 0);
    check_form(&form, 20, 0);
    if (!(hidden_error(made, &form) < 1e-3)) fail_msg("%g", hidden_error(made, &form));
    sm_completion_free(&form);
    puzzle_free(made);
}

static void a_rank_too_large_is_refused(void **state) {
    (void)state;
    puzzle *made = puzzle_new(10, squared, 0.2, 2);
    sm_completer *completer = NULL;
    smerf_error error;
    const size_t refused[] = {65, 1000, SIZE_MAX - 1};
    for (size_t k = 0; k < 3; k++) {
        assert_int_equal(sm_completer_new(made->links, NULL, refused[k], 1, 1, &completer, &error), SMERF_BAD_INPUT);
        assert_non_null(strstr(error.message, "64"));
        assert_null(completer);
    }
    sm_completion form = complete_with(made->links, 64, 3, 1); /* more than there are items: fine */
    check_form(&form, 10, 64);
    assert_true(form.rank <= 10);
    sm_completion_free(&form);
    puzzle_free(made);
}

/* ---- weights ---- */

static void heavy_pairs_are_followed_more_closely(void **state) {
    (void)state;
    double before = INFINITY, weight[30 * 30];
    const double weights[] = {0.01, 1, 100, 10000};
    for (size_t w = 0; w < 4; w++) {
        puzzle *made = puzzle_new(30, NULL, 0, 6);
        smerf_target_free(made->target);
        for (size_t k = 0; k < 30 * 30; k++) weight[k] = 1;
        weight[20 * 30 + 10] = weights[w];
        set_pair(made, 20, 10, 9);
        puzzle_finish(made, weight);
        sm_completion form = complete_with(made->links, 1, 4, 1);
        double miss = fabs(9 - sm_completion_pair(&form, 20, 10));
        if (!(miss < 0.7 * before)) fail_msg("weight %g: %g, after %g", weights[w], miss, before);
        before = miss;
        sm_completion_free(&form);
        puzzle_free(made);
    }
    assert_true(before < 0.1);
}

/* Only how weights compare matters; and none may be so large that the numbers break down. */
static void the_unit_of_weights_does_not_matter(void **state) {
    (void)state;
    double *weight = calloc(N * N, sizeof *weight);
    const double units[] = {1, 0x1p-100, 0x1p100};
    sm_completion first = {0};
    for (size_t u = 0; u < 3; u++) {
        sm_random random;
        sm_random_start(&random, 1, 1, 1);
        puzzle *made = puzzle_new(N, euclidean, 0.8, 6);
        smerf_target_free(made->target);
        for (size_t k = 0; k < N * N; k++) weight[k] = units[u] * (1 + sm_random_below(&random, 4));
        puzzle_finish(made, weight);
        sm_completion form = complete_with(made->links, 3, 8, 1);
        check_form(&form, N, 3);
        if (u == 0) first = form;
        for (size_t i = 0; i < N; i++)
            for (size_t j = 0; j < i; j++)
                assert_near(sm_completion_pair(&form, i, j), sm_completion_pair(&first, i, j), 1e-9);
        if (u > 0) sm_completion_free(&form);
        puzzle_free(made);
    }
    sm_completion_free(&first);
    free(weight);
}

static void extreme_weights_and_values_do_no_harm(void **state) {
    (void)state;
    double weight[40 * 40];
    const double weights[] = {1e-50, 1e-20, 1, 1e20, 1e50};
    for (uint64_t round = 0; round < repetitions(40, 10); round++) {
        sm_random random;
        sm_random_start(&random, round, 2, 1);
        puzzle *made = puzzle_new(40, round % 2 == 0 ? squared : NULL, 0.2 * (double)(round % 5), round);
        smerf_target_free(made->target);
        double unit = round % 4 == 0 ? 1e37 : round % 4 == 1 ? 1e-30 : 1, largest = 0;
        for (size_t k = 0; k < 40 * 40; k++) weight[k] = weights[sm_random_below(&random, 5)];
        for (size_t k = 0; k < 40 * 40; k++) largest = fmax(largest, fabs(made->z[k] *= unit));
        puzzle_finish(made, weight);
        sm_completion form = complete_with(made->links, round % 7, 1 + round % 12, 1);
        check_form(&form, 40, round % 7);
        sm_completion_free(&form);
        puzzle_free(made);
    }
}

/* ---- both sides ---- */

static void the_form_is_the_mean_of_both_sides(void **state) {
    (void)state;
    for (size_t rank = 0; rank < 8; rank++) {
        puzzle *made = puzzle_new(50, rank % 2 == 0 ? euclidean : NULL, 0.4, rank);
        sm_completer *fit = NULL;
        sm_completion form;
        smerf_error error;
        sm_pool pool = pool_of(2);
        demand_ok(sm_completer_new(made->links, NULL, rank, 3, 2, &fit, &error), &error);
        for (size_t step = 0; step < 5; step++) { /* they differ most at the start */
            if (step > 0) demand_ok(sm_completer_fit(fit, 1, step, &pool, &error), &error);
            demand_ok(sm_completer_form(fit, &form, &error), &error);
            check_form(&form, 50, rank);
            for (size_t i = 0; i < 50; i++)
                for (size_t j = 0; j < i; j++) {
                    const double *x_i = fit->sides[0] + i * fit->stride, *y_i = fit->sides[1] + i * fit->stride;
                    const double *x_j = fit->sides[0] + j * fit->stride, *y_j = fit->sides[1] + j * fit->stride;
                    double here = x_i[0] + y_j[0], there = x_j[0] + y_i[0];
                    for (size_t r = 1; r <= rank; r++) here += x_i[r] * y_j[r], there += x_j[r] * y_i[r];
                    double expected = fit->mean + fit->spread * (here + there) / 2;
                    assert_near(sm_completion_pair(&form, i, j), expected, 1e-7 * fit->spread);
                }
            sm_completion_free(&form);
        }
        sm_completer_free(fit);
        puzzle_free(made);
    }
}

static void threads_do_not_matter(void **state) {
    (void)state;
    puzzle *made = puzzle_new(MOST, saddle, 0.95, 8); /* several tasks */
    sm_completion one = complete_with(made->links, 3, 5, 1), three = complete_with(made->links, 3, 5, 3);
    assert_int_equal(one.rank, three.rank);
    assert_memory_equal(one.a, three.a, MOST * sizeof *one.a);
    assert_memory_equal(one.u, three.u, MOST * one.rank * sizeof *one.u);
    assert_memory_equal(one.scale, three.scale, one.rank * sizeof *one.scale);
    sm_completion_free(&one);
    sm_completion_free(&three);
    puzzle_free(made);
}

/* ---- choosing ---- */

static void a_tenth_is_held_out_in_both_directions(void **state) {
    (void)state;
    puzzle *made = puzzle_new(N, squared, 0.5, 1);
    const sm_links *links = made->links;
    bool *left_out = calloc(links->n, sizeof *left_out), *is_out = calloc(N * N, sizeof *is_out), *other = NULL;
    for (uint64_t seed = 0; seed < 5; seed++) {
        size_t n = sm_completion_hold_out(links, seed, left_out), n_entries = 0;
        for (size_t i = 0; i < N; i++)
            for (size_t e = links->first[i]; e < links->first[i + 1]; e++) {
                is_out[i * N + links->partner[e]] = left_out[e];
                n_entries += left_out[e];
            }
        assert_int_equal(n_entries, 2 * n);
        for (size_t i = 0; i < N; i++)
            for (size_t j = 0; j < i; j++) assert_true(is_out[i * N + j] == is_out[j * N + i]);
        double share = 2 * (double)n / (double)links->n;
        assert_true(share > 0.08 && share < 0.12);
        if (seed == 0) {
            other = calloc(links->n, sizeof *other);
            memcpy(other, left_out, links->n * sizeof *other);
        } else {
            assert_memory_not_equal(other, left_out, links->n * sizeof *other);
        }
    }
    free(other);
    free(is_out);
    free(left_out);
    puzzle_free(made);
}

static size_t chosen_rank(const puzzle *made, size_t n_threads, size_t *n_steps) {
    bool *left_out = calloc(made->links->n + 1, sizeof *left_out);
    size_t rank = SMERF_COMPLETE_AUTO;
    sm_pool pool = pool_of(n_threads);
    smerf_error error;
    *n_steps = SIZE_MAX;
    sm_completion_hold_out(made->links, 3, left_out);
    demand_ok(sm_completion_choose(made->links, left_out, 5, &rank, n_steps, &pool, &error), &error);
    assert_true(*n_steps >= 1 && *n_steps <= 12);
    free(left_out);
    return rank;
}

static void the_rank_is_found(void **state) {
    (void)state;
    const struct {
        shape of;
        double hidden;
        size_t rank;
    } cases[] = {{squared, 0.5, 1}, {squared, 0.8, 1}, {product, 0.5, 1}, {product, 0.8, 1},
                 {saddle, 0.5, 2},  {NULL, 0.3, 0},    {NULL, 0.8, 0}};
    for (size_t c = 0; c < 7; c += HAS_THREAD_SANITIZER ? 3 : 1) {
        puzzle *made = puzzle_new(N, cases[c].of, cases[c].hidden, c);
        size_t n_steps, n_steps_of_three, found = chosen_rank(made, 1, &n_steps);
        if (found != cases[c].rank) fail_msg("case %zu: rank %zu", c, found);
        assert_int_equal(chosen_rank(made, 3, &n_steps_of_three), found);
        assert_int_equal(n_steps, n_steps_of_three);
        puzzle_free(made);
    }
}

/* Nothing can be held out: rank 0, and a number of steps that can be gone through. */
static void hardly_any_pairs_have_rank_0(void **state) {
    (void)state;
    for (size_t n = 2; n < 6; n++)
        for (size_t n_pairs = 0; n_pairs < 3 && n_pairs < n; n_pairs++) {
            puzzle *made = puzzle_start(n);
            for (size_t k = 0; k < n * n; k++) made->is_hidden[k] = true;
            for (size_t k = 1; k <= n_pairs; k++) made->is_hidden[k * n] = false;
            for (size_t k = 1; k <= n_pairs; k++) set_pair(made, k, 0, (double)k);
            puzzle_finish(made, NULL);
            size_t n_steps;
            assert_int_equal(chosen_rank(made, 1, &n_steps), 0);
            puzzle_free(made);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_has_a_form_is_found_again),
        cmocka_unit_test(distances_without_a_form_are_found_nearly),
        cmocka_unit_test(items_without_pairs_are_at_the_mean),
        cmocka_unit_test(two_items_one_pair_and_no_pair),
        cmocka_unit_test(equal_values_stay_equal),
        cmocka_unit_test(rank_0_has_items_only),
        cmocka_unit_test(a_rank_too_large_is_refused),
        cmocka_unit_test(heavy_pairs_are_followed_more_closely),
        cmocka_unit_test(the_unit_of_weights_does_not_matter),
        cmocka_unit_test(extreme_weights_and_values_do_no_harm),
        cmocka_unit_test(the_form_is_the_mean_of_both_sides),
        cmocka_unit_test(threads_do_not_matter),
        cmocka_unit_test(a_tenth_is_held_out_in_both_directions),
        cmocka_unit_test(the_rank_is_found),
        cmocka_unit_test(hardly_any_pairs_have_rank_0),
    };
    return cmocka_run_group_tests(tests, files_enter, files_leave);
}
