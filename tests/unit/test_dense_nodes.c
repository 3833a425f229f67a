/* test_dense_nodes.c - the cuts of nodes of a dense matrix, of sizes around the chunks and spans that they are summed in:
 * they cost what double sums say, and the same bits however the node's rows are kept and added. And how many threads look
 * for them at the same time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "target/dense/distances.h"
#include "tests/unit/engines.h"
#include "tests/unit/nodes.h"

enum { N = 1301, LINE_UPS = 3 };

typedef struct costs {
    double left[LINE_UPS][N], right[LINE_UPS][N], node;
} costs;

static float z[N * N];
static double weight[N];
static uint32_t orders[LINE_UPS][N];
static costs found[WAYS], expected;

/* Weights of any size, or of about one; few different distances, or no two alike. */
static void draw_matrix(size_t n, bool is_wild, sm_random *random) {
    for (size_t i = 0; i < n; i++) {
        weight[i] = (1 + sm_random_below(random, 3)) * (0.5 + sm_random_uniform(random));
        if (is_wild) weight[i] = pow(10, 200 * sm_random_uniform(random) - 100);
        for (size_t j = i; j < n; j++)
            z[i * n + j] = z[j * n + i] =
                is_wild ? (float)sm_random_below(random, 3) : (float)(sm_random_normal(random) + 1);
    }
}

/* Items join one side one after the other, and bring their distances to those that are there. */
static void join_one_by_one(size_t n, const sm_node *node, const uint32_t *order, bool from_left, double *cost) {
    double sum = 0, total = 0;
    for (size_t r = 0; r < node->n; r++) {
        size_t k = order[from_left ? r : node->n - 1 - r];
        double brought = 0, w = node->weight[k];
        const float *row = z + node->items[k] * n;
        for (size_t q = 0; q < r; q++) {
            size_t j = order[from_left ? q : node->n - 1 - q];
            brought += node->weight[j] * (double)row[node->items[j]];
        }
        sum += w * (2 * brought + w * (double)row[node->items[k]]);
        total += w;
        if (r + 1 < node->n) cost[from_left ? r : node->n - 2 - r] = sum / total;
    }
    expected.node = sum / total;
}

/* Prices the cuts of random orders in all ways: the same bits. */
static void assert_one_price(const smerf_target *target, sm_search *const *searches, size_t *views, sm_node *node,
                             sm_random *random) {
    size_t n = node->n;
    for (size_t u = 0; u < LINE_UPS; u++) draw_order(orders[u], n, random);
    for (size_t way = 0; way < WAYS; way++) {
        sm_line_up lines[LINE_UPS];
        for (size_t u = 0; u < LINE_UPS; u++)
            lines[u] = (sm_line_up){.order = orders[u], .left = found[way].left[u], .right = found[way].right[u]};
        views[way] = plain_engine(target->kind)->enter(searches[way], node, views[way]);
        found[way].node = sm_price(plain_engine(target->kind)->pricing, searches[way], node, lines, LINE_UPS);
        assert_memory_equal(&found[way].node, &found[0].node, sizeof found[0].node);
    }
    for (size_t u = 0; u < LINE_UPS; u++)
        for (size_t way = 1; way < WAYS; way++) {
            assert_memory_equal(found[way].left[u], found[0].left[u], (n - 1) * sizeof(double));
            assert_memory_equal(found[way].right[u], found[0].right[u], (n - 1) * sizeof(double));
        }
}

static void assert_costs(const smerf_target *target, const sm_node *node) {
    size_t n = node->n;
    for (size_t u = 0; u < LINE_UPS; u++) {
        join_one_by_one(target->n_rows, node, orders[u], true, expected.left[u]);
        join_one_by_one(target->n_rows, node, orders[u], false, expected.right[u]);
        double size = (double)n * 10;
        assert_true(fabs(found[0].node - expected.node) <= 1e-13 * size);
        for (size_t r = 0; r + 1 < n; r++) {
            assert_true(fabs(found[0].left[u][r] - expected.left[u][r]) <= 1e-13 * size);
            assert_true(fabs(found[0].right[u][r] - expected.right[u][r]) <= 1e-13 * size);
        }
    }
}

static void assert_price_and_costs(const smerf_target *target, sm_search *const *searches, size_t *views, sm_node *node,
                                   sm_random *random) {
    assert_one_price(target, searches, views, node, random);
    assert_costs(target, node);
}

static void go_down(size_t n, double share_of_root, double share, bool is_wild) {
    sm_random random;
    sm_random_start(&random, 5, (uint32_t)n, (uint64_t)(1000 * share));
    draw_matrix(n, is_wild, &random);
    smerf_target *target;
    assert_int_equal(smerf_target_new_distances(z, n, &target, NULL), SMERF_OK);
    const descent of = {.target = target,
                        .weight = weight,
                        .n_line_ups = LINE_UPS,
                        .share_of_root = share_of_root,
                        .share = share,
                        .least = 2,
                        .check = is_wild ? assert_one_price : assert_price_and_costs};
    descend(&of, &random);
    smerf_target_free(target);
}

static void every_cut_of_a_root_costs_what_double_sums_say(void **state) {
    (void)state;
    static const size_t sizes[] = {2,   3,   4,   5,   7,   8,   9,    15,   127,  128,
                                   129, 131, 132, 255, 256, 257, 1023, 1024, 1025, N};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) go_down(sizes[i], 1, 0, false);
}

static void every_cut_below_costs_what_double_sums_say(void **state) {
    (void)state;
    go_down(N, 0.63, 0.8, false);
    go_down(N, 1, 0.5, false);
    go_down(900, 0.9, 0.95, false);
    go_down(300, 0.2, 0.9, false);
    go_down(9, 0.9, 0.7, false);
}

/* With weights from 1e-100 to 1e100 sums say nothing about each other but that they were added in one order. */
static void the_bits_are_the_same_for_weights_of_any_size(void **state) {
    (void)state;
    static const size_t sizes[] = {2, 3, 5, 8, 9, 127, 128, 129, 257, N};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        go_down(sizes[i], 1, 0.8, true);
        go_down(sizes[i], 0.7, 0.5, true);
    }
}

/* However many are asked for: as many grow trees as have room beside Z, in as much again. */
static void threads_together_take_no_more_than_the_matrix(void **state) {
    (void)state;
    static const size_t query[] = {1, 2, 8, 16, 32, 64, 1000};
    for (size_t n = 20; n <= 4000; n *= 2) {
        float *zeros = sm_zeros(n * n, sizeof *zeros);
        smerf_target *target;
        assert_non_null(zeros);
        assert_int_equal(smerf_target_new_distances(zeros, n, &target, NULL), SMERF_OK);
        size_t before = 0;
        for (size_t i = 0; i < sizeof query / sizeof *query; i++)
            for (size_t n_line_ups = 4; n_line_ups <= 20; n_line_ups += 16) {
                sm_search_size size = {
                    .n_items = n, .n_line_ups = n_line_ups, .n_threads = query[i], .list_bytes = 4 * 21};
                size_t n_threads = size.n_threads = plain_engine(target->kind)->most_threads(target, &size);
                assert_true(n_threads >= 1 && n_threads <= query[i] && n_threads + 8 >= before);
                if (query[i] <= 4) assert_int_equal(n_threads, query[i]);
                double taken = (double)n_threads * sm_distances_search_bytes(target, &size);
                assert_true(n_threads <= 2 || taken <= fmax((double)(n * n) * sizeof(float), 1 << 24));
                before = n_line_ups == 20 ? n_threads : before;
            }
        smerf_target_free(target);
        sm_free(zeros);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_cut_of_a_root_costs_what_double_sums_say),
        cmocka_unit_test(every_cut_below_costs_what_double_sums_say),
        cmocka_unit_test(the_bits_are_the_same_for_weights_of_any_size),
        cmocka_unit_test(threads_together_take_no_more_than_the_matrix),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
