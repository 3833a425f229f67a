/* test_deviations.c - the loops over a node's vectors: costs against the double sum of the paper in long doubles, and plain C
 * against its twin to the last bit. */
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

enum { MOST_RANK = 40 };

/* What numbers are like. */
typedef struct taste {
    double size, offset; /* of the coordinates */
    bool has_a, has_own, are_draws, repeats;
} taste;

/* A node on which everything is done, and what it leaves. Arrays are as long as they must be, for the sanitizers. */
typedef struct scene {
    size_t n, n_items;
    uint32_t *items, *order;
    double *u, *a, *own, *scale, *weight, total;
    sm_deviations node;
    double *left, *right, *left_alone, *right_alone; /* [n - 1] */
} scene;

static double *numbers(size_t n) {
    double *made = sm_aligned(n > 0 ? n : 1, sizeof *made);
    assert_non_null(made);
    memset(made, 0, (n > 0 ? n : 1) * sizeof *made);
    return made;
}

static void draw_items(scene *stage, size_t rank, const taste *like, sm_random *random) {
    for (size_t i = 0; i < stage->n_items; i++) {
        size_t twin = like->repeats && i > 0 ? sm_random_below(random, (uint32_t)i) : i;
        for (size_t r = 0; r < rank; r++) {
            double fresh = like->offset + like->size * sm_random_normal(random);
            stage->u[i * rank + r] = twin < i ? stage->u[twin * rank + r] : fresh;
        }
        if (like->has_a) stage->a[i] = like->size * like->size * sm_random_normal(random);
        if (like->has_own) stage->own[i] = like->size * like->size * sm_random_normal(random);
    }
    for (size_t r = 0; r < rank; r++) /* some are 0, some negative */
        stage->scale[r] = sm_random_below(random, 4) == 0 ? 0 : sm_random_normal(random);
}

static scene set_up(size_t rank, size_t n, const taste *like, uint64_t seed) {
    scene stage = {.n = n, .n_items = 2 * n + 1};
    size_t n_padded = sm_n_groups(rank) * SM_GROUP, stride = sm_deviation_stride(rank);
    sm_random random;
    sm_random_start(&random, seed, (uint32_t)rank, n);
    stage.items = calloc(n, sizeof *stage.items);
    stage.order = calloc(n, sizeof *stage.order);
    stage.u = calloc(stage.n_items * rank + (rank == 0), sizeof *stage.u);
    stage.a = like->has_a ? numbers(stage.n_items) : NULL;
    stage.own = like->has_own ? numbers(stage.n_items) : NULL;
    stage.scale = numbers(n_padded);
    stage.weight = numbers(n);
    draw_items(&stage, rank, like, &random);
    for (size_t k = 0; k < n; k++) {
        stage.items[k] = (uint32_t)(2 * k + 1 + sm_random_below(&random, 2));
        stage.order[k] = (uint32_t)k;
        stage.weight[k] = like->are_draws ? 1 + (double)sm_random_below(&random, 3) : exp(sm_random_normal(&random));
        stage.total += stage.weight[k];
    }
    stage.items[n - 1] = (uint32_t)(2 * n); /* the last of all: nothing after it may be read */
    sm_random_shuffle(&random, stage.order, n);
    stage.node = (sm_deviations){
        .form = {.rank = rank, .u = stage.u, .a = stage.a, .own = stage.own, .scale = stage.scale},
        .stride = stride,
        .rows = numbers(n * stride + 1),
        .origin = numbers(n_padded),
        .above = numbers(n_padded),
        .scaled = numbers(n_padded),
        .sums = numbers(n_padded),
    };
    stage.left = numbers(n - 1);
    stage.right = numbers(n - 1);
    stage.left_alone = numbers(n - 1);
    stage.right_alone = numbers(n - 1);
    return stage;
}

static void strike(scene *stage) {
    sm_deviations *node = &stage->node;
    double *arrays[] = {stage->a,     stage->own,        stage->scale,      stage->weight, node->rows,
                        node->origin, node->above,       node->scaled,      node->sums,    stage->left,
                        stage->right, stage->left_alone, stage->right_alone};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) sm_free(arrays[i]);
    free(stage->u);
    free(stage->items);
    free(stage->order);
}

static void play(scene *stage, const sm_deviation_kernels *kernels) {
    kernels->enter(&stage->node, stage->items, stage->weight, stage->n, stage->total);
    kernels->price_once(&stage->node, stage->order, stage->left, stage->right);
    kernels->price_left(&stage->node, stage->order, stage->left_alone);
    kernels->price_right(&stage->node, stage->order, stage->right_alone);
}

/* ---- against the paper ---- */

static long double inner(const scene *stage, size_t i, size_t j) {
    size_t rank = stage->node.form.rank;
    long double sum = 0;
    for (size_t r = 0; r < rank; r++)
        sum += (long double)stage->scale[r] * stage->u[i * rank + r] * stage->u[j * rank + r];
    return sum;
}

static long double distance(const scene *stage, size_t i, size_t j) {
    size_t rank = stage->node.form.rank;
    long double own = i == j && stage->own != NULL ? stage->own[i] : 0, sum = 0;
    if (stage->a != NULL) return own + stage->a[i] + stage->a[j] - 2 * inner(stage, i, j);
    for (size_t r = 0; r < rank; r++) {
        long double apart = (long double)stage->u[i * rank + r] - stage->u[j * rank + r];
        sum += stage->scale[r] * apart * apart;
    }
    return own + sum;
}

/* Q / W of the items at indices from .. to - 1 of the order. */
static double true_cost(const scene *stage, size_t from, size_t to) {
    long double sum = 0, weight = 0;
    for (size_t p = from; p < to; p++) {
        size_t k = stage->order[p];
        weight += stage->weight[k];
        for (size_t q = from; q < to; q++) {
            size_t l = stage->order[q];
            sum += (long double)stage->weight[k] * stage->weight[l] * distance(stage, stage->items[k], stage->items[l]);
        }
    }
    return (double)(sum / weight);
}

/* How large the terms may be that costs are sums of: those of an item, by the sum of the sizes of its terms. */
static double terms_of(const scene *stage) {
    size_t rank = stage->node.form.rank;
    double largest = 0;
    for (size_t i = 0; i < stage->n_items; i++) {
        double terms = (stage->a != NULL ? fabs(stage->a[i]) : 0) + (stage->own != NULL ? fabs(stage->own[i]) : 0);
        for (size_t r = 0; r < rank; r++) {
            double u = stage->u[i * rank + r] - (stage->a != NULL ? 0 : stage->u[stage->items[0] * rank + r]);
            terms += fabs(stage->scale[r]) * u * u;
        }
        largest = fmax(largest, terms);
    }
    return largest * stage->total;
}

static void check_costs(const scene *stage) {
    double slack = 1e-13 * terms_of(stage);
    for (size_t cut = 0; cut + 1 < stage->n; cut++) {
        double left = true_cost(stage, 0, cut + 1), right = true_cost(stage, cut + 1, stage->n);
        assert_true(fabs(stage->left[cut] - left) <= slack);
        assert_true(fabs(stage->right[cut] - right) <= slack);
        assert_true(fabs(stage->left_alone[cut] - left) <= slack);
        assert_true(fabs(stage->right_alone[cut] - right) <= slack);
    }
    const double *all = stage->node.all;
    assert_true(fabs(2 * all[SM_PART] + all[SM_OWN] / all[SM_WEIGHT] - true_cost(stage, 0, stage->n)) <= slack);
}

static const taste tastes[] = {
    {.size = 1, .are_draws = true},
    {.size = 1, .has_a = true, .has_own = true, .are_draws = true},
    {.size = 1, .offset = 3, .has_a = true, .has_own = true},
    {.size = 1e12, .has_a = true, .are_draws = true, .repeats = true},
    {.size = 1e-12, .has_own = true, .repeats = true},
    {.size = 1, .offset = 1e6, .are_draws = true}, /* far from 0, close together */
    {.size = 1e100, .has_a = true, .has_own = true},
};
enum { N_TASTES = sizeof tastes / sizeof *tastes };

static void costs_are_the_double_sums_of_the_paper(void **state) {
    (void)state;
    static const size_t ns[] = {1, 2, 3, 4, 5, 6, 9, 14};
    for (size_t rank = 0; rank <= MOST_RANK; rank += 1 + rank / 12)
        for (size_t t = 0; t < N_TASTES; t++)
            for (size_t i = 0; i < sizeof ns / sizeof *ns; i++) {
                scene stage = set_up(rank, ns[i], &tastes[t], 1);
                play(&stage, sm_kernels_select(SMERF_KERNELS_AUTO)->deviations);
                check_costs(&stage);
                strike(&stage);
            }
}

static void costs_of_numbers_close_together_are_exact_however_far_they_are_from_0(void **state) {
    (void)state;
    const taste near = {.size = 1, .are_draws = true};
    scene stage = set_up(7, 12, &near, 2), far = set_up(7, 12, &near, 2);
    for (size_t i = 0; i < stage.n_items * 7; i++) { /* with so few bits that moving them loses none */
        stage.u[i] = rint(stage.u[i] * 1024) / 1024;
        far.u[i] = stage.u[i] + 1e9;
    }
    play(&stage, sm_kernels_select(SMERF_KERNELS_AUTO)->deviations);
    play(&far, sm_kernels_select(SMERF_KERNELS_AUTO)->deviations);
    assert_memory_equal(stage.left, far.left, (stage.n - 1) * sizeof *far.left);
    assert_memory_equal(stage.right, far.right, (stage.n - 1) * sizeof *far.right);
    strike(&stage);
    strike(&far);
}

static void items_that_are_all_the_same_cost_nothing(void **state) {
    (void)state;
    for (size_t rank = 1; rank <= MOST_RANK; rank++) {
        const taste like = {.size = 1};
        scene stage = set_up(rank, 6, &like, 3);
        for (size_t i = 0; i < stage.n_items * rank; i++) stage.u[i] = stage.u[i % rank];
        play(&stage, sm_kernels_select(SMERF_KERNELS_AUTO)->deviations);
        for (size_t cut = 0; cut + 1 < stage.n; cut++)
            assert_true(stage.left[cut] == 0 && stage.right[cut] == 0 && stage.left_alone[cut] == 0 &&
                        stage.right_alone[cut] == 0);
        strike(&stage);
    }
}

/* ---- against each other ---- */

static void assert_same(const double *a, const double *b, size_t n) {
    if (n > 0) assert_memory_equal(a, b, n * sizeof *a);
}

static void compare_twins(size_t rank, size_t n, const taste *like) {
    scene plain = set_up(rank, n, like, 4), quick = set_up(rank, n, like, 4);
    play(&plain, sm_kernels_select(SMERF_KERNELS_PLAIN)->deviations);
    play(&quick, sm_kernels_select(SMERF_KERNELS_AUTO)->deviations);
    for (size_t k = 0; k < n; k++)
        assert_same(plain.node.rows + k * plain.node.stride, quick.node.rows + k * quick.node.stride,
                    rank + SM_N_FACTS);
    assert_same(plain.node.all, quick.node.all, SM_N_FACTS);
    assert_same(plain.left, quick.left, n - 1);
    assert_same(plain.right, quick.right, n - 1);
    assert_same(plain.left_alone, quick.left_alone, n - 1);
    assert_same(plain.right_alone, quick.right_alone, n - 1);
    strike(&plain);
    strike(&quick);
}

static void twins_agree_to_the_last_bit(void **state) {
    (void)state;
    static const size_t ns[] = {1, 2, 3, 4, 5, 8, 19, 50};
    for (size_t rank = 0; rank <= MOST_RANK; rank++)
        for (size_t t = 0; t < N_TASTES; t++)
            for (size_t i = 0; i < sizeof ns / sizeof *ns; i++) compare_twins(rank, ns[i], &tastes[t]);
}

/* So many rows that they are fetched ahead of time. */
static void large_nodes_are_walked_to_both_ends(void **state) {
    (void)state;
    const taste like = {.size = 1, .has_a = true, .has_own = true, .are_draws = true};
    static const size_t ranks[] = {5, 32, 37};
    for (size_t i = 0; i < sizeof ranks / sizeof *ranks; i++) {
        size_t n = (1 << 19) / (sm_deviation_stride(ranks[i]) * sizeof(double)) + 2;
        scene stage = set_up(ranks[i], n, &like, 4);
        play(&stage, sm_kernels_select(SMERF_KERNELS_AUTO)->deviations);
        double slack = 1e-13 * terms_of(&stage);
        for (size_t cut = 0; cut + 1 < n; cut++) {
            assert_true(fabs(stage.left[cut] - stage.left_alone[cut]) <= slack);
            assert_true(fabs(stage.right[cut] - stage.right_alone[cut]) <= slack);
        }
        strike(&stage);
        compare_twins(ranks[i], n, &like);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(costs_are_the_double_sums_of_the_paper),
        cmocka_unit_test(costs_of_numbers_close_together_are_exact_however_far_they_are_from_0),
        cmocka_unit_test(items_that_are_all_the_same_cost_nothing),
        cmocka_unit_test(twins_agree_to_the_last_bit),
        cmocka_unit_test(large_nodes_are_walked_to_both_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
