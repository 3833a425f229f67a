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

enum { ROWS = SM_STRIP_ROWS, SHORTEST = 1, LONGEST = SM_CHUNK, SOURCE = 1000 };

/* One strip; no array is aligned more than it must be. */
typedef struct strip {
    float z[ROWS][LONGEST];
    double w[LONGEST], v[ROWS];
    int64_t rank[LONGEST], row_rank[ROWS];
} strip;

/* What the kernels make of it, both sums starting from numbers that are there already. */
typedef struct sums {
    double y[ROWS * SM_CHUNK];
    double row_lanes[ROWS * SM_LANES], after_lanes[ROWS * SM_LANES];
    double columns[LONGEST], after_columns[LONGEST];
} sums;

static strip here;

/* Distances of both signs, weights of counts times item weights, ranks with the rows' own among them, ends included. */
static void fill(size_t n, uint64_t number, bool is_wild) {
    sm_random random;
    sm_random_start(&random, 1, (uint32_t)n, number);
    memset(&here, 0, sizeof here);
    for (size_t j = 0; j < n; j++) {
        here.w[j] = (1 + sm_random_below(&random, 4)) * (number % 2 == 0 ? 1 : exp(sm_random_normal(&random)));
        here.rank[j] = (int64_t)sm_random_below(&random, 2 * (uint32_t)n);
        for (size_t r = 0; r < ROWS; r++) {
            double z = sm_random_normal(&random) * 3 + 1;
            here.z[r][j] = (float)(is_wild ? ldexp(z, (int)sm_random_below(&random, 120) - 60) : z);
        }
    }
    for (size_t r = 0; r < ROWS; r++) {
        here.v[r] = 1 + sm_random_below(&random, 4);
        here.row_rank[r] = r == number % ROWS ? 0 : (int64_t)sm_random_below(&random, 2 * (uint32_t)n);
    }
}

static void run(const sm_kernels *kernels, size_t n, sums *out) {
    const float *z[ROWS] = {here.z[0], here.z[1], here.z[2], here.z[3]};
    memset(out, 0, sizeof *out);
    for (size_t i = 0; i < ROWS * SM_LANES; i++) out->row_lanes[i] = out->after_lanes[i] = (double)i / 3;
    for (size_t j = 0; j < LONGEST; j++) out->columns[j] = out->after_columns[j] = (double)j / 7;
    kernels->weigh(z, here.w, here.v, sm_padded(n), out->y, out->row_lanes, out->columns);
    kernels->sum_after(out->y, here.rank, here.row_rank, sm_padded(n), out->after_lanes, out->after_columns);
}

static void assert_near(double value, double expected, double size) {
    assert_true(fabs(value - expected) <= 1e-12 * size);
}

/* The sums as the definition has them, and no further from it than rounding. */
static void assert_meaning(size_t n) {
    sums out;
    run(&sm_kernels_scalar, n, &out);
    double columns[LONGEST], after_columns[LONGEST], column_size[LONGEST];
    for (size_t j = 0; j < LONGEST; j++) columns[j] = after_columns[j] = column_size[j] = (double)j / 7;
    for (size_t r = 0; r < ROWS; r++) {
        double first = 0, row = 0, after = 0, size = 0;
        for (size_t lane = 0; lane < SM_LANES; lane++) first += (double)(r * SM_LANES + lane) / 3;
        for (size_t j = 0; j < n; j++) {
            double y = (double)here.z[r][j] * here.w[j] * here.v[r], later = here.rank[j] > here.row_rank[r] ? y : 0;
            assert_near(out.y[r * SM_CHUNK + j], y, fabs(y));
            row += y;
            after += later;
            size += fabs(y);
            columns[j] += y;
            after_columns[j] += later;
            column_size[j] += fabs(y);
        }
        assert_near(sm_join_lanes(out.row_lanes + r * SM_LANES), first + row, first + size);
        assert_near(sm_join_lanes(out.after_lanes + r * SM_LANES), first + after, first + size);
    }
    for (size_t j = 0; j < LONGEST; j++) {
        assert_near(out.columns[j], columns[j], column_size[j]);
        assert_near(out.after_columns[j], after_columns[j], column_size[j]);
    }
}

static void the_plain_kernels_are_the_obvious_loops(void **state) {
    (void)state;
    for (size_t n = SHORTEST; n <= LONGEST; n++)
        for (uint64_t number = 0; number < 4; number++) {
            fill(n, number, false);
            assert_meaning(n);
        }
}

static const sm_kernels *chosen_or_skip(void) {
    const sm_kernels *chosen = sm_kernels_select(SMERF_KERNELS_AUTO);
    if (chosen != &sm_kernels_scalar) return chosen;
    print_message("this processor has no faster kernels: nothing to compare\n");
    skip();
    return chosen;
}

static void assert_same_bits(const sm_kernels *chosen, bool is_wild) {
    static sums plain, fast;
    for (size_t n = SHORTEST; n <= LONGEST; n++)
        for (uint64_t number = 0; number < 8; number++) {
            fill(n, number, is_wild);
            run(&sm_kernels_scalar, n, &plain);
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
    const sm_kernels *chosen = sm_kernels_select(SMERF_KERNELS_AUTO);
    for (size_t n = 4; n <= 40; n += SM_LANES) {
        fill(n, 1, false);
        float *z = sm_copy(here.z[0], n, sizeof *z);
        double *w = sm_copy(here.w, n, sizeof *w), *columns = sm_zeros(n, sizeof *columns);
        double *y = sm_zeros((ROWS - 1) * SM_CHUNK + n, sizeof *y), lanes[ROWS * SM_LANES] = {0};
        int64_t *rank = sm_copy(here.rank, n, sizeof *rank);
        assert_true(z != NULL && w != NULL && columns != NULL && y != NULL && rank != NULL);
        chosen->weigh((const float *[]){z, z, z, z}, w, here.v, n, y, lanes, columns);
        chosen->sum_after(y, rank, here.row_rank, n, lanes, columns);
        for (size_t i = 0; i < ROWS * SM_LANES; i++) assert_true(isfinite(lanes[i]));
        sm_free(z);
        sm_free(w);
        sm_free(columns);
        sm_free(y);
        sm_free(rank);
    }
}

/* All picks of up to eight of eight neighbours, at both ends of a row that is exactly as long as promised. */
static void picking_takes_what_is_named_and_writes_no_further_than_promised(void **state) {
    (void)state;
    const sm_kernels *both[2] = {&sm_kernels_scalar, sm_kernels_select(SMERF_KERNELS_AUTO)};
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
        cmocka_unit_test(picking_takes_what_is_named_and_writes_no_further_than_promised),
        cmocka_unit_test(plain_is_what_one_gets_by_asking_for_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
