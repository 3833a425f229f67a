/* test_kernels.c - every kernel gives the bits of the plain one, and the plain one gives the sums it promises. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "kernels/kernels.h"

enum { ROWS = SM_TILE_ROWS, ORDERS = 3, SHORTEST = 1, LONGEST = SM_CHUNK, SOURCE = 1000 };

/* What the kernels read; no array is aligned more than it must be. */
typedef struct given {
    size_t n_bands, from;
    float z[ROWS][LONGEST];
    double w[LONGEST], v[ROWS];
    int32_t rank[ORDERS * SM_CHUNK], row_rank[ORDERS * SM_CHUNK];
    float approximate_w[LONGEST], approximate_v[ROWS];
    double float_w[LONGEST]; /* floats, 0 on the other side */
} given;

/* What they make of it, all sums starting from numbers that are there already. */
typedef struct sums {
    double y[ROWS * SM_CHUNK];
    double columns[(1 + ORDERS) * SM_CHUNK];
    double row_lanes[(1 + ORDERS) * ROWS * SM_LANES];
    int32_t approximate_y[ROWS * SM_CHUNK], approximate_columns[(1 + ORDERS) * SM_CHUNK];
    int32_t approximate_lanes[(1 + ORDERS) * ROWS * SM_APPROXIMATE_LANES];
    double rows[ROWS * SM_EXACT_LANES];
} sums;

static given here;

/* Weights for whole numbers: products of some thousands, and many that lie midway between two; and floats of any size. */
static void fill_approximate(size_t n, sm_random *random, bool is_wild) {
    for (size_t j = 0; j < n; j++) {
        here.approximate_w[j] = (float)(1 + sm_random_below(random, 5));
        double w = is_wild ? ldexp(1 + sm_random_uniform(random), (int)sm_random_below(random, 60) - 30)
                           : 1 + sm_random_below(random, 5);
        here.float_w[j] = sm_random_below(random, 2) == 0 ? (double)(float)w : 0;
        for (size_t r = 0; r < ROWS && is_wild && n % 3 == 0; r++)
            here.z[r][j] = 0.5F * (float)sm_random_below(random, 99);
    }
    for (size_t r = 0; r < ROWS; r++)
        here.approximate_v[r] = (is_wild ? 1 : 1000) * (float)(1 + sm_random_below(random, 5));
    for (size_t r = 0; r < ROWS && is_wild && n % 3 != 0; r++)
        for (size_t j = 0; j < n; j++) here.z[r][j] = fmaxf(-1e5F, fminf(1e5F, here.z[r][j]));
}

/* Distances of both signs, weights of counts times item weights that may be of any size, ranks with ties and with the
 * rows' own among them, ends included. */
static void fill(size_t n, uint64_t number, bool is_wild) {
    sm_random random;
    sm_random_start(&random, 1, (uint32_t)n, number);
    memset(&here, 0, sizeof here);
    here.n_bands = 1 + number % 2;
    here.from = number % 3 == 0
                    ? 0
                    : sm_random_below(&random, (uint32_t)sm_padded(n)) / SM_APPROXIMATE_LANES * SM_APPROXIMATE_LANES;
    for (size_t j = 0; j < n; j++) {
        here.w[j] = (1 + sm_random_below(&random, 4)) * (number % 2 == 0 ? 1 : exp(sm_random_normal(&random)));
        if (is_wild) here.w[j] *= pow(10, 200 * sm_random_uniform(&random) - 100);
        for (size_t r = 0; r < ROWS; r++) {
            double z = sm_random_normal(&random) * 3 + 1;
            here.z[r][j] = (float)(is_wild ? ldexp(z, (int)sm_random_below(&random, 120) - 60) : z);
        }
    }
    for (size_t r = 0; r < ROWS; r++) {
        here.v[r] = 1 + sm_random_below(&random, 4);
        if (is_wild) here.v[r] *= pow(10, 200 * sm_random_uniform(&random) - 100);
    }
    fill_approximate(n, &random, is_wild);
    for (size_t u = 0; u < ORDERS; u++) {
        uint32_t highest = u == 0 ? 3 : 2 * (uint32_t)n;
        for (size_t j = 0; j < n; j++) here.rank[u * SM_CHUNK + j] = (int32_t)sm_random_below(&random, highest);
        for (size_t r = 0; r < ROWS; r++)
            here.row_rank[u * SM_CHUNK + r] = r == number % ROWS ? 0 : (int32_t)sm_random_below(&random, highest);
    }
}

static double before_row(size_t i) { return (double)i / 3; }
static double before_column(size_t i) { return (double)i / 7; }

/* In two parts, as if the first were copied. */
static void run(const sm_dense_kernels *kernels, size_t n, sums *out) {
    const float *z[ROWS];
    size_t to = sm_padded(n), middle = here.from + (to - here.from) / 3 / SM_APPROXIMATE_LANES * SM_APPROXIMATE_LANES;
    memset(out, 0, sizeof *out);
    for (size_t i = 0; i < (1 + ORDERS) * ROWS * SM_LANES; i++) out->row_lanes[i] = before_row(i);
    for (size_t i = 0; i < (1 + ORDERS) * SM_CHUNK; i++) out->columns[i] = before_column(i);
    for (size_t r = 0; r < ROWS; r++) z[r] = here.z[r];
    const sm_tile_frame frame = {.n_bands = here.n_bands,
                                 .n_orders = ORDERS,
                                 .n_ahead = ROWS,
                                 .ahead = z,
                                 .from = here.from,
                                 .to = to,
                                 .rank = here.rank,
                                 .row_rank = here.row_rank};
    const sm_tile tile = {.frame = frame,
                          .column_weight = here.w,
                          .row_weight = here.v,
                          .weighed = out->y,
                          .columns = out->columns,
                          .row_lanes = out->row_lanes};
    kernels->weigh(&tile, z, here.from, middle);
    kernels->weigh(&tile, z, middle, to);
    kernels->sum_after(&tile);
    const sm_approximate_tile approximate = {.frame = frame,
                                             .column_weight = here.approximate_w,
                                             .row_weight = here.approximate_v,
                                             .weighed = out->approximate_y,
                                             .columns = out->approximate_columns,
                                             .row_lanes = out->approximate_lanes};
    for (size_t i = 0; i < (1 + ORDERS) * SM_CHUNK; i++) out->approximate_columns[i] = (int32_t)i;
    kernels->weigh_approximate(&approximate, z, here.from, middle);
    kernels->weigh_approximate(&approximate, z, middle, to);
    kernels->sum_approximate(&approximate);
    sm_rows_tile rows = {.n_bands = here.n_bands, .weight = here.float_w, .row_lanes = out->rows};
    kernels->sum_rows(&rows, z, here.from, middle);
    kernels->sum_rows(&rows, z, middle, to);
}

static void assert_near(double value, double expected, double size) {
    assert_true(fabs(value - expected) <= 1e-12 * size);
}

/* One sum of a tile as the definition has it, and no further from it than rounding.   order  0: without one */
static void assert_sums(size_t n, size_t order, const sums *out) {
    const int32_t *rank = order == 0 ? NULL : here.rank + (order - 1) * SM_CHUNK;
    const int32_t *row_rank = order == 0 ? NULL : here.row_rank + (order - 1) * SM_CHUNK;
    double columns[LONGEST], column_size[LONGEST];
    for (size_t j = 0; j < LONGEST; j++) columns[j] = column_size[j] = before_column(order * SM_CHUNK + j);
    for (size_t r = 0; r < ROWS; r++) {
        double row = 0, size = 0;
        for (size_t lane = 0; lane < SM_LANES; lane++) row += before_row((order * ROWS + r) * SM_LANES + lane);
        size = row;
        for (size_t j = here.from; j < n && r < here.n_bands * SM_BAND_ROWS; j++) {
            double y = (double)here.z[r][j] * here.w[j] * here.v[r];
            assert_near(out->y[r * SM_CHUNK + j], y, fabs(y));
            if (order > 0 && rank[j] <= row_rank[r]) continue;
            row += y;
            size += fabs(y);
            columns[j] += y;
            column_size[j] += fabs(y);
        }
        assert_near(sm_join_lanes(out->row_lanes + (order * ROWS + r) * SM_LANES), row, size);
    }
    for (size_t j = 0; j < LONGEST; j++) assert_near(out->columns[order * SM_CHUNK + j], columns[j], column_size[j]);
}

/* Sums of whole numbers, which are exact. */
static void assert_approximate_sums(size_t n, size_t order, const sums *out) {
    const int32_t *rank = order == 0 ? NULL : here.rank + (order - 1) * SM_CHUNK;
    const int32_t *row_rank = order == 0 ? NULL : here.row_rank + (order - 1) * SM_CHUNK;
    int64_t columns[LONGEST];
    for (size_t j = 0; j < LONGEST; j++) columns[j] = (int64_t)(order * SM_CHUNK + j);
    for (size_t r = 0; r < ROWS; r++) {
        int64_t row = 0, lanes = 0;
        for (size_t j = here.from; j < n && r < here.n_bands * SM_BAND_ROWS; j++) {
            int64_t y = llrintf(here.z[r][j] * here.approximate_w[j] * here.approximate_v[r]);
            assert_int_equal(out->approximate_y[r * SM_CHUNK + j], y);
            if (order > 0 && rank[j] <= row_rank[r]) continue;
            row += y;
            columns[j] += y;
        }
        for (size_t i = 0; i < SM_APPROXIMATE_LANES; i++)
            lanes += out->approximate_lanes[(order * ROWS + r) * SM_APPROXIMATE_LANES + i];
        assert_int_equal(lanes, row);
    }
    for (size_t j = 0; j < LONGEST; j++) assert_int_equal(out->approximate_columns[order * SM_CHUNK + j], columns[j]);
}

static void assert_rows(size_t n, const sums *out) {
    for (size_t r = 0; r < ROWS; r++) {
        double sum = 0, size = 0, lanes = 0;
        for (size_t j = here.from; j < n && r < here.n_bands * SM_BAND_ROWS; j++) {
            sum += (double)here.z[r][j] * here.float_w[j];
            size += fabs((double)here.z[r][j] * here.float_w[j]);
        }
        for (size_t i = 0; i < SM_EXACT_LANES; i++) lanes += out->rows[r * SM_EXACT_LANES + i];
        assert_near(lanes, sum, size);
    }
}

static void the_plain_kernels_are_the_obvious_loops(void **state) {
    (void)state;
    for (size_t n = SHORTEST; n <= LONGEST; n++)
        for (uint64_t number = 0; number < 4; number++) {
            static sums out;
            fill(n, number, false);
            run(sm_kernels_scalar.dense, n, &out);
            for (size_t order = 0; order <= ORDERS; order++) {
                assert_sums(n, order, &out);
                assert_approximate_sums(n, order, &out);
            }
            assert_rows(n, &out);
        }
}

static const sm_dense_kernels *chosen_or_skip(void) {
    const sm_dense_kernels *chosen = sm_kernels_select(SMERF_KERNELS_AUTO)->dense;
    if (chosen != sm_kernels_scalar.dense) return chosen;
    print_message("this processor has no faster kernels: nothing to compare\n");
    skip();
    return chosen;
}

static void assert_same_bits(const sm_dense_kernels *chosen, bool is_wild) {
    static sums plain, fast;
    for (size_t n = SHORTEST; n <= LONGEST; n++)
        for (uint64_t number = 0; number < 8; number++) {
            fill(n, number, is_wild);
            run(sm_kernels_scalar.dense, n, &plain);
            run(chosen, n, &fast);
            assert_memory_equal(&plain, &fast, sizeof plain);
        }
}

static void the_chosen_kernels_give_the_bits_of_the_plain_ones(void **state) {
    (void)state;
    assert_same_bits(chosen_or_skip(), false);
}

/* Sums in which the order of the additions shows in every bit. */
static void values_of_very_different_size_are_added_in_one_order(void **state) {
    (void)state;
    assert_same_bits(chosen_or_skip(), true);
}

/* Exactly as long as promised, so that the sanitizers see a step too far. */
static void no_kernel_goes_past_the_end(void **state) {
    (void)state;
    const sm_dense_kernels *chosen = sm_kernels_select(SMERF_KERNELS_AUTO)->dense;
    for (size_t n = SM_APPROXIMATE_LANES; n <= 5 * SM_APPROXIMATE_LANES; n += SM_APPROXIMATE_LANES) {
        sm_arena arena = {0};
        fill(n, 1, false);
        float *z = sm_arena_take_zeros(&arena, n, sizeof *z), *w = sm_arena_take_zeros(&arena, n, sizeof *w);
        double *weight = sm_arena_take_zeros(&arena, n, sizeof *weight);
        int32_t *rank = sm_arena_take_zeros(&arena, n, sizeof *rank);
        int32_t *row_rank = sm_arena_take_zeros(&arena, ROWS, sizeof *row_rank);
        double *columns = sm_arena_take_zeros(&arena, SM_CHUNK + n, sizeof *columns);
        double *y = sm_arena_take_zeros(&arena, (ROWS - 1) * SM_CHUNK + n, sizeof *y);
        double *lanes = sm_arena_take_zeros(&arena, 2 * ROWS * SM_EXACT_LANES, sizeof *lanes);
        int32_t *approximate_columns = sm_arena_take_zeros(&arena, SM_CHUNK + n, sizeof *approximate_columns);
        int32_t *approximate_y = sm_arena_take_zeros(&arena, (ROWS - 1) * SM_CHUNK + n, sizeof *approximate_y);
        int32_t *approximate_lanes =
            sm_arena_take_zeros(&arena, 2 * ROWS * SM_APPROXIMATE_LANES, sizeof *approximate_lanes);
        assert_false(arena.has_failed);
        const float *const rows[ROWS] = {z, z, z, z, z, z, z, z};
        const sm_tile_frame frame = {
            .n_bands = 2, .n_orders = 1, .n_ahead = ROWS, .ahead = rows, .to = n, .rank = rank, .row_rank = row_rank};
        const sm_tile tile = {frame, weight, here.v, y, columns, lanes};
        const sm_approximate_tile approximate = {
            frame, w, here.approximate_v, approximate_y, approximate_columns, approximate_lanes};
        const sm_rows_tile alone = {.n_bands = 2, .weight = weight, .row_lanes = lanes};
        chosen->weigh(&tile, rows, 0, n);
        chosen->sum_after(&tile);
        chosen->weigh_approximate(&approximate, rows, 0, n);
        chosen->sum_approximate(&approximate);
        chosen->sum_rows(&alone, rows, 0, n);
        for (size_t i = 0; i < 2 * ROWS * SM_EXACT_LANES; i++) assert_true(lanes[i] == 0);
        sm_arena_free(&arena);
    }
}

/* Small ones, or the largest there are, of which a first row has the most that can be. */
static int32_t whole_number(sm_random *random, bool is_large, size_t index) {
    static const int32_t large[] = {INT32_MIN, INT32_MAX, -1, 0, 1};
    if (!is_large) return (int32_t)sm_random_below(random, 2000) - 1000;
    return large[index < SM_APPROXIMATE_LANES ? 0 : sm_random_below(random, 5)];
}

static void assert_joined_and_carried(const sm_dense_kernels *kernels, size_t n_rows, bool is_large) {
    const double unit = ldexp(1, -(int)n_rows);
    size_t n = n_rows * SM_APPROXIMATE_LANES;
    sm_random random;
    sm_random_start(&random, 1, (uint32_t)n, is_large);
    int32_t *lanes = sm_array(n, sizeof *lanes), *before = sm_array(n, sizeof *before);
    double *rows = sm_array(n_rows, sizeof *rows), *carried = sm_array(n, sizeof *carried);
    assert_true(lanes != NULL && before != NULL && rows != NULL && carried != NULL);
    for (size_t i = 0; i < n; i++) {
        lanes[i] = before[i] = whole_number(&random, is_large, i);
        carried[i] = before_column(i);
    }
    kernels->join_approximate(lanes, n_rows, rows);
    for (size_t r = 0; r < n_rows; r++) {
        int64_t sum = 0;
        for (size_t i = 0; i < SM_APPROXIMATE_LANES; i++) sum += before[r * SM_APPROXIMATE_LANES + i];
        assert_true(rows[r] == (double)sum);
    }
    kernels->carry_approximate(lanes, n, unit, carried);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(lanes[i], 0);
        assert_true(carried[i] == before_column(i) + unit * (double)before[i]);
    }
    sm_free(lanes);
    sm_free(before);
    sm_free(rows);
    sm_free(carried);
}

/* In arrays exactly as long as promised. */
static void whole_numbers_are_joined_and_carried_without_a_loss(void **state) {
    (void)state;
    const sm_dense_kernels *both[2] = {sm_kernels_scalar.dense, sm_kernels_select(SMERF_KERNELS_AUTO)->dense};
    for (size_t n_rows = 0; n_rows <= 6 * SM_BAND_ROWS; n_rows += SM_BAND_ROWS)
        for (size_t k = 0; k < 4; k++) assert_joined_and_carried(both[k % 2], n_rows, k / 2 == 1);
}

/* All picks of up to eight of eight neighbours, at both ends of a row that is exactly as long as promised. */
static void picking_takes_what_is_named_and_writes_no_further_than_promised(void **state) {
    (void)state;
    const sm_dense_kernels *both[2] = {sm_kernels_scalar.dense, sm_kernels_select(SMERF_KERNELS_AUTO)->dense};
    float *from = sm_array(SOURCE, sizeof *from), out[8 + 8 + SM_PICK_SLACK + 1];
    assert_non_null(from);
    for (size_t j = 0; j < SOURCE; j++) from[j] = (float)j;
    for (size_t k = 0; k < 2; k++)
        for (unsigned set = 1; set < 256; set++) {
            sm_pick picks[2] = {{.first = 0}, {.first = SOURCE - 8}};
            for (uint8_t offset = 0; offset < 8; offset++)
                for (size_t p = 0; p < 2 && (set >> offset & 1) != 0; p++) picks[p].offset[picks[p].n++] = offset;
            size_t n = picks[0].n;
            for (size_t i = 0; i < sizeof out / sizeof *out; i++) out[i] = -1;
            both[k]->pick(from, from, picks, 2, out);
            for (size_t p = 0; p < 2; p++)
                for (size_t i = 0; i < n; i++)
                    assert_true(out[p * n + i] == (float)(picks[p].first + picks[p].offset[i]));
            for (size_t i = 2 * n + SM_PICK_SLACK; i < sizeof out / sizeof *out; i++) assert_true(out[i] == -1);
        }
    sm_free(from);
}

static void plain_is_what_one_gets_by_asking_for_it(void **state) {
    (void)state;
    assert_ptr_equal(sm_kernels_select(SMERF_KERNELS_PLAIN), &sm_kernels_scalar);
    assert_string_equal(sm_kernels_scalar.name, "plain");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_plain_kernels_are_the_obvious_loops),
        cmocka_unit_test(the_chosen_kernels_give_the_bits_of_the_plain_ones),
        cmocka_unit_test(values_of_very_different_size_are_added_in_one_order),
        cmocka_unit_test(no_kernel_goes_past_the_end),
        cmocka_unit_test(whole_numbers_are_joined_and_carried_without_a_loss),
        cmocka_unit_test(picking_takes_what_is_named_and_writes_no_further_than_promised),
        cmocka_unit_test(plain_is_what_one_gets_by_asking_for_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
