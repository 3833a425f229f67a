/* test_factor.c - the leading part of a matrix is what a full eigendecomposition says it is, to the same bits for any
 * number of threads. */
#include "factor/tall.h"
#include "kernels/kernels.h"
#include "tests/unit/spectra.h"

static double kept_entry(const sm_factors *factors, size_t i, size_t j) {
    const double *left = factors->u + i * factors->rank, *right = factors->u + j * factors->rank;
    double sum = 0;
    for (size_t r = 0; r < factors->rank; r++) sum += factors->scale[r] * left[r] * right[r];
    return sum;
}

/* ---- factors ---- */

static void assert_signs(const sm_factors *factors) {
    for (size_t r = 0; r < factors->rank; r++) {
        double largest = 0;
        for (size_t i = 0; i < factors->n_items; i++) {
            double u = factors->u[i * factors->rank + r];
            if (fabs(u) > fabs(largest)) largest = u;
        }
        assert_true(largest >= 0);
        assert_true(factors->scale[r] == (factors->value[r] < 0 ? -1 : 1));
    }
}

static void assert_fractions(const sm_factors *factors, const spectrum *truth, bool knows_all) {
    double kept = 0, all = 0, kept_squares = 0, all_squares = 0;
    for (size_t r = 0; r < truth->n; r++) {
        all += fabs(truth->values[r]);
        all_squares += truth->values[r] * truth->values[r];
        if (r == factors->rank - 1) kept = all, kept_squares = all_squares;
    }
    bool is_zero = sqrt(all_squares) <= 1e-12 * truth->largest * (double)truth->n;
    assert_near(factors->fraction_of_squares, is_zero ? 1 : kept_squares / all_squares, 1e-4);
    if (knows_all) assert_near(factors->eigenvalue_fraction, is_zero ? 1 : kept / all, 1e-6);
    assert_int_equal(isnan(factors->eigenvalue_fraction), !knows_all);
}

/* Within `slack` of the truth, relative to the largest eigenvalue. Where the cut goes through equal eigenvalues, only the
 * values and what is left over can be compared. */
static void assert_leading(const sm_factors *factors, const spectrum *truth, size_t rank, double slack) {
    size_t n = truth->n;
    double scale = fmax(fabs(truth->values[0]), 1e-14 / slack * truth->largest * (double)n);
    assert_int_equal(factors->n_items, n);
    assert_true(factors->rank >= 1 && factors->rank <= rank);
    for (size_t r = 0; r < rank && r < n; r++) {
        double value = r < factors->rank ? factors->value[r] : 0;
        if (!(fabs(fabs(value) - fabs(truth->values[r])) <= slack * scale))
            fail_msg("n = %zu, eigenvalue %zu: %.12g for %.12g", n, r, value, truth->values[r]);
    }
    bool is_unique = rank >= n || fabs(truth->values[rank - 1]) - fabs(truth->values[rank]) > 1e-2 * scale;
    double left_over = 0, expected = 0;
    for (size_t r = rank; r < n; r++) expected += truth->values[r] * truth->values[r];
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            double k = kept_entry(factors, i, j), apart = truth->k[i * n + j] - k;
            left_over += apart * apart;
            if (is_unique) assert_near(k, truncated(truth, rank, i, j), 200 * slack * scale);
        }
    assert_near(sqrt(left_over), sqrt(expected), 2 * slack * scale * sqrt((double)n));
    assert_signs(factors);
}

/* A matrix and what is known of it; its spectrum takes longer to find than all the factors that are compared with it. */
typedef struct subject {
    size_t n;
    float *z;
    smerf_target *target;
    spectrum truth;
} subject;

static subject subject_of(sort_of_matrix sort, size_t n) {
    float *z = draw_matrix(sort, n, 7 + n);
    return (subject){.n = n, .z = z, .target = target_of(z, n), .truth = slow_spectrum(z, n)};
}

static void subject_free(subject *of) {
    spectrum_free(&of->truth);
    smerf_target_free(of->target);
    free(of->z);
}

static void check_rank(const subject *of, size_t rank, double slack) {
    size_t n = of->n;
    const sm_operator matrix = sm_operator_distances(sm_distances_of(of->target));
    sm_factors factors;
    smerf_error error;
    sm_pool pool = pool_of(2);
    demand_ok(sm_factor(&matrix, rank, 3, &pool, &factors, &error), &error);
    assert_leading(&factors, &of->truth, rank, slack);
    if (factors.rank == rank) assert_fractions(&factors, &of->truth, n <= 256 || rank >= n / 3);
    for (size_t i = 0; i < n; i++) { /* a: so that row sums are as given */
        double given = 0, found = 0;
        for (size_t j = 0; j < n; j++) {
            given += (double)of->z[i * n + j];
            found += factors.a[i] + factors.a[j] - 2 * kept_entry(&factors, i, j);
        }
        assert_near(found, given, 1e-10 * (double)n * (1 + of->truth.largest));
    }
    sm_factors_free(&factors);
}

static void few_items_are_solved_exactly(void **state) {
    (void)state;
    const size_t sizes[] = {1, 2, 3, 8, 33, usual_or(120, 60)};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (int sort = 0; sort < N_SORTS; sort++) {
            subject of = subject_of((sort_of_matrix)sort, sizes[s]);
            for (size_t rank = 1; rank <= sizes[s] + 1; rank += 1 + rank * 2) check_rank(&of, rank, 1e-11);
            subject_free(&of);
        }
}

static void many_items_are_solved_by_iteration(void **state) {
    (void)state;
    const struct {
        sort_of_matrix sort;
        size_t n;
        double slack;
    } cases[] = {{ABSOLUTE, usual_or(400, 300), 1e-7},
                 {EUCLIDEAN, usual_or(400, 300), 1e-7},
                 {SQUARED, 301, 1e-7},
                 {NEGATIVE, 301, 1e-7},
                 {CLUSTERED, 300, 1e-7},
                 {CONSTANT, 300, 1e-7},
                 {SIMPLEX, 300, 1e-7},
                 {OFFSET, 300, 1e-2},
                 {NOISE, 300, 1e-2}, /* a flat spectrum: many vectors are nearly as good */
                 {WHOLE_NUMBERS, 300, 1e-2}};
    const size_t ranks[] = {1, 3, 10, 40};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c += HAS_THREAD_SANITIZER ? 3 : 1) {
        subject of = subject_of(cases[c].sort, cases[c].n);
        for (size_t r = 0; r < 4; r++) check_rank(&of, ranks[r], cases[c].slack);
        subject_free(&of);
    }
}

static void a_rank_of_all_items_is_the_whole_matrix(void **state) {
    (void)state;
    const struct {
        sort_of_matrix sort;
        size_t n, rank;
    } cases[] = {{NOISE, 300, 300}, {WHOLE_NUMBERS, 290, 1000}, {EUCLIDEAN, 300, 140}};
    for (size_t c = 0; c < (HAS_THREAD_SANITIZER ? 1 : 3); c++) {
        subject of = subject_of(cases[c].sort, cases[c].n);
        check_rank(&of, cases[c].rank, 1e-11);
        subject_free(&of);
    }
}

/* ---- listed pairs ---- */

typedef struct listed {
    sm_listed_pairs pairs;
    size_t *first;
    uint32_t *partner;
    double *value, *self;
    float *z; /* the same as a matrix */
} listed;

static void fill_listed(listed *made, size_t n, sm_random *random, bool has_values) {
    size_t n_entries = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) {
            bool is_listed = i != j && sm_random_uniform(random) < 0.05 + 0.4 * (i % 5 == 0 && j % 5 == 0);
            double z = i == j       ? 0.25 * (double)(i % 3)
                       : !is_listed ? 1
                       : has_values ? 0.5 * sm_random_below(random, 9)
                                    : 0;
            made->z[i * n + j] = made->z[j * n + i] = (float)z;
            made->self[i] = 0.25 * (double)(i % 3);
        }
    for (size_t i = 0; i < n; i++) { /* what stands at 1 may be listed or not: here it is not */
        for (size_t j = 0; j < n; j++) {
            if (i == j || made->z[i * n + j] == 1) continue;
            made->partner[n_entries] = (uint32_t)j;
            made->value[n_entries++] = (double)made->z[i * n + j];
        }
        made->first[i + 1] = n_entries;
    }
}

static listed draw_listed(size_t n, bool has_values) {
    listed made = {.first = calloc(n + 1, sizeof *made.first),
                   .partner = calloc(n * n, sizeof *made.partner),
                   .value = numbers(n * n),
                   .self = numbers(n),
                   .z = calloc(n * n, sizeof *made.z)};
    sm_random random;
    sm_random_start(&random, 5, (uint32_t)n, has_values);
    fill_listed(&made, n, &random, has_values);
    made.pairs = (sm_listed_pairs){.n_items = n,
                                   .first = made.first,
                                   .partner = made.partner,
                                   .value = has_values ? made.value : NULL,
                                   .common = 0,
                                   .elsewhere = 1,
                                   .self = made.self};
    return made;
}

static void listed_free(listed *made) {
    free(made->first), free(made->partner), free(made->value), free(made->self), free(made->z);
}

static void a_graph_is_factored_from_its_edges(void **state) {
    (void)state;
    const size_t sizes[] = {2, 60, 320};
    for (size_t s = 0; s < 6; s++) {
        size_t n = sizes[s / 2];
        listed made = draw_listed(n, s % 2 == 1);
        const sm_operator matrix = sm_operator_listed(&made.pairs);
        spectrum truth = slow_spectrum(made.z, n);
        sm_factors factors;
        smerf_error error;
        sm_pool pool = pool_of(2);
        demand_ok(sm_factor(&matrix, 2, 1, &pool, &factors, &error), &error);
        assert_leading(&factors, &truth, 2, 1e-4);
        assert_fractions(&factors, &truth, n <= 256);
        sm_factors_free(&factors);
        spectrum_free(&truth);
        listed_free(&made);
    }
}

static void moments_of_rows_are_those_of_the_matrix(void **state) {
    (void)state;
    enum { N = 50 };
    listed made = draw_listed(N, true);
    smerf_target *plain = target_of(made.z, N), *target = NULL;
    smerf_error error;
    demand_ok(plain->kind->data.with_diagonal(plain, 0.75, &target, &error), &error); /* overrules */
    for (size_t i = 0; i < N; i++) made.self[i] = 0.75;
    const sm_operator matrices[] = {sm_operator_listed(&made.pairs), sm_operator_distances(sm_distances_of(target))};
    for (size_t m = 0; m < 2; m++)
        for (size_t i = 0; i < N; i++) {
            double sum, squares, slow_sum = 0, slow_squares = 0, centre = 0.3;
            matrices[m].row_moments(matrices[m].context, i, centre, &sum, &squares);
            for (size_t j = 0; j < N; j++) {
                double z = (i == j ? 0.75 : (double)made.z[i * N + j]) - matrices[m].base - centre;
                slow_sum += z;
                slow_squares += z * z;
            }
            assert_near(sum, slow_sum, 1e-12 * N);
            assert_near(squares, slow_squares, 1e-12 * N);
        }
    smerf_target_free(target);
    smerf_target_free(plain);
    listed_free(&made);
}

/* ---- vectors ---- */

/* The same eigenvalues as the matrix has, if that has the product's own diagonal. */
static void a_product_is_factored_like_its_matrix(void **state) {
    (void)state;
    enum { N = 60, COLUMNS = 4 };
    double values[COLUMNS][N];
    const double *columns[COLUMNS];
    const char *names[COLUMNS] = {"a", "b", "c", "d"};
    float *z = calloc(N * N, sizeof *z);
    sm_random random;
    smerf_error error;
    sm_random_start(&random, 4, 4, 4);
    for (size_t c = 0; c < COLUMNS; c++) {
        columns[c] = values[c];
        for (size_t i = 0; i < N; i++) values[c][i] = 0.125 * sm_random_below(&random, 1u << (c + 2)) + 3;
    }
    for (size_t k = 0; k < N * N; k++) {
        double z_here = 1;
        for (size_t c = 0; c < COLUMNS; c++) z_here -= values[c][k / N] * values[c][k % N];
        z[k] = (float)z_here;
    }
    smerf_target *product = NULL;
    demand_ok(smerf_target_new_product(names, columns, COLUMNS, N, &product, &error), &error);
    spectrum truth = slow_spectrum(z, N);
    for (size_t rank = 1; rank <= COLUMNS + 1; rank++) {
        sm_factors factors;
        sm_pool pool = pool_of(2);
        demand_ok(sm_factor_vectors(sm_columns_vectors(product), rank, &pool, &factors, &error), &error);
        assert_leading(&factors, &truth, rank, 1e-11);
        assert_fractions(&factors, &truth, true);
        for (size_t i = 0; i < N; i++) {
            double sum = 0, given = 0;
            for (size_t j = 0; j < N; j++) {
                sum += factors.a[i] + factors.a[j];
                given += (double)z[i * N + j];
            }
            assert_near(sum, given, 1e-9);
        }
        sm_factors_free(&factors);
    }
    spectrum_free(&truth);
    smerf_target_free(product);
    free(z);
}

/* ---- bits ---- */

static void threads_change_no_bit(void **state) {
    (void)state;
    enum { RANK = 5 };
    const size_t n = usual_or(2100, 1100); /* several blocks of rows */
    float *z = draw_matrix(EUCLIDEAN, n, 2);
    listed made = draw_listed(n, true);
    smerf_target *target = target_of(z, n);
    const sm_operator matrices[] = {sm_operator_distances(sm_distances_of(target)), sm_operator_listed(&made.pairs)};
    smerf_error error;
    for (size_t m = 0; m < 2; m++) {
        sm_factors one, other;
        sm_pool alone = pool_of(1), many = pool_of(5);
        demand_ok(sm_factor(&matrices[m], RANK, 1, &alone, &one, &error), &error);
        demand_ok(sm_factor(&matrices[m], RANK, 1, &many, &other, &error), &error);
        assert_int_equal(one.rank, RANK);
        assert_memory_equal(one.u, other.u, n * RANK * sizeof *one.u);
        assert_memory_equal(one.a, other.a, n * sizeof *one.a);
        assert_memory_equal(&one.fraction_of_squares, &other.fraction_of_squares, sizeof one.fraction_of_squares);
        sm_factors_free(&one);
        sm_factors_free(&other);
    }
    smerf_target_free(target);
    listed_free(&made);
    free(z);
}

static void every_panel_adds_in_the_order_of_the_row(void **state) {
    (void)state;
    enum { N = 300, STRIDE = 307, ROWS = 9, COLUMNS = 24 };
    static float z[ROWS * STRIDE];
    static double x[N * COLUMNS], slow[ROWS * COLUMNS], plain[ROWS * COLUMNS], fast[ROWS * COLUMNS];
    sm_random random;
    sm_random_start(&random, 1, 2, 3);
    for (size_t k = 0; k < ROWS * STRIDE; k++) z[k] = (float)sm_random_normal(&random);
    for (size_t k = 0; k < N * COLUMNS; k++) x[k] = sm_random_normal(&random);
    for (size_t n_rows = 1; n_rows <= ROWS; n_rows++)
        for (size_t n = 0; n <= N; n += 1 + 2 * n)
            for (size_t m = 8; m <= COLUMNS; m += 8) {
                for (size_t k = 0; k < n_rows * m; k++) slow[k] = plain[k] = fast[k] = (double)k;
                for (size_t r = 0; r < n_rows; r++)
                    for (size_t c = 0; c < m; c++)
                        for (size_t k = 0; k < n; k++) slow[r * m + c] += (double)z[r * STRIDE + k] * x[k * m + c];
                sm_kernels_select(SMERF_KERNELS_PLAIN)->panel(z, STRIDE, n_rows, n, x, m, plain);
                sm_kernels_select(SMERF_KERNELS_AUTO)->panel(z, STRIDE, n_rows, n, x, m, fast);
                assert_memory_equal(plain, slow, n_rows * m * sizeof *slow);
                assert_memory_equal(fast, slow, n_rows * m * sizeof *slow);
            }
}

/* Independent columns span what they did; where one depends on others, it is still orthonormal. */
static void columns_become_orthonormal(void **state) {
    (void)state;
    enum { N = 5000, M = 16 };
    const size_t sizes[] = {M, M + 1, 100, 2047, 2048, N};
    double *y = numbers(N * M), *copy = numbers(N * M), *q = numbers(N * M);
    smerf_error error;
    for (size_t s = 0; s < 12; s++) {
        size_t n = sizes[s / 2];
        bool is_dependent = s % 2 == 1;
        sm_random random;
        sm_random_start(&random, s, 2, 3);
        for (size_t k = 0; k < n * M; k++) {
            y[k] = sm_random_normal(&random) * pow(10, -(double)(k % M));
            if (is_dependent && k % M >= 5) y[k] = k % M == 7 ? 0 : 2 * y[k - 1] - y[k - 3];
            copy[k] = y[k];
        }
        sm_pool pool = pool_of(2);
        demand_ok(sm_tall_orthonormalise(&pool, y, n, M, q, &error), &error);
        for (size_t a = 0; a < M; a++)
            for (size_t b = 0; b <= a; b++) {
                double sum = 0;
                for (size_t i = 0; i < n; i++) sum += q[i * M + a] * q[i * M + b];
                assert_near(sum, a == b, 1e-12);
            }
        for (size_t c = 0; c < M; c++) { /* column c lies in the span of the first c + 1 */
            double sum_squares = 0, within = 0;
            for (size_t i = 0; i < n; i++) sum_squares += copy[i * M + c] * copy[i * M + c];
            for (size_t a = 0; a <= c; a++) {
                double sum = 0;
                for (size_t i = 0; i < n; i++) sum += q[i * M + a] * copy[i * M + c];
                within += sum * sum;
            }
            assert_near(within, sum_squares, 1e-10 * sum_squares);
        }
    }
    free(y), free(copy), free(q);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_panel_adds_in_the_order_of_the_row),
        cmocka_unit_test(columns_become_orthonormal),
        cmocka_unit_test(few_items_are_solved_exactly),
        cmocka_unit_test(many_items_are_solved_by_iteration),
        cmocka_unit_test(a_rank_of_all_items_is_the_whole_matrix),
        cmocka_unit_test(a_graph_is_factored_from_its_edges),
        cmocka_unit_test(a_product_is_factored_like_its_matrix),
        cmocka_unit_test(moments_of_rows_are_those_of_the_matrix),
        cmocka_unit_test(threads_change_no_bit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
