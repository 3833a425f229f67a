/* test_rough.c - large nodes of a dense matrix are priced roughly first: costs are no further off than is said, and what is
 * then priced exactly is exact. What trees make of it: test_rough_trees.c. */
#include "target/dense/distances.h"
#include "tests/unit/engines.h"
#include "tests/unit/nodes.h"

enum { N = 1100, LINE_UPS = 4 };

typedef enum shape { ANY, ALL_LARGEST, NEGATIVE, FEW, OUTLIERS, TINY, HUGE_ONES, ONE_WAY, N_SHAPES } shape;

typedef struct lines {
    double left[LINE_UPS][N], right[LINE_UPS][N], node;
} lines;

static float z[N * N];
static double weight[N];
static uint32_t orders[LINE_UPS][N];
static lines exact, rough[WAYS];

static double draw_distance(shape of, sm_random *random) {
    double u = sm_random_uniform(random);
    switch (of) {
    case ALL_LARGEST: return 1;
    case NEGATIVE: return 2 * u - 1.5;
    case FEW: return sm_random_below(random, 3);
    case OUTLIERS: return u < 1e-3 ? 1e4 : u;
    case TINY: return 1e-11 * (0.5 + u);
    case HUGE_ONES: return 1e11 * (0.5 + u);
    case ONE_WAY: return ldexp((1 << 19) + floor(1000 * u) + 0.4375, -23); /* all rounded down on a grid of 2^-23 */
    default: return u;
    }
}

/* Draws, and the heaviest items that rough costs allow, all in one lane or one after the other. */
static double draw_weight(size_t i, unsigned how, sm_random *random) {
    double draws = 1 + sm_random_below(random, 4);
    if (how == 1) return i % SM_APPROXIMATE_LANES == 3 ? 64 : 1;
    if (how == 2) return i / 128 == 2 ? 64 : 1;
    if (how == 3) return draws * 0.0625;
    if (how == 4) return draws * 200;
    return how == 5 ? 1 : draws;
}

static smerf_target *draw_target(size_t n, shape of, unsigned how, sm_random *random) {
    smerf_target *target;
    for (size_t i = 0; i < n; i++) {
        weight[i] = draw_weight(i, how, random);
        for (size_t j = 0; j <= i; j++) z[i * n + j] = z[j * n + i] = (float)draw_distance(of, random);
    }
    if (of == ONE_WAY) z[1] = z[n] = 1;
    assert_int_equal(smerf_target_new_distances(z, n, &target, NULL), SMERF_OK);
    return target;
}

static void lay_out(lines *to, sm_line_up *out) {
    for (size_t u = 0; u < LINE_UPS; u++)
        out[u] = (sm_line_up){.order = orders[u], .left = to->left[u], .right = to->right[u]};
}

/* Of every cut, what is told roughly against what is told exactly. */
static void assert_doubt_is_justified(const sm_node *node, sm_error_bound bound) {
    double size = fabs(exact.node) + bound.least;
    assert_true(bound.least > 0 && bound.least < 1e-2 * (double)node->n * 1e13);
    assert_near(rough[0].node, exact.node, 1e-13 * size);
    for (size_t u = 0; u < LINE_UPS; u++)
        for (size_t r = 0; r + 1 < node->n; r++) {
            double cost = exact.left[u][r] + exact.right[u][r], told = rough[0].left[u][r] + rough[0].right[u][r];
            assert_true(fabs(told - cost) <= bound.least + bound.fraction * fabs(cost));
        }
}

static void assert_settled(const smerf_target *target, sm_search *search, const sm_node *node, sm_random *random) {
    double left, right;
    size_t u = sm_random_below(random, LINE_UPS), r = sm_random_below(random, (uint32_t)node->n - 1);
    double size = fabs(exact.left[u][r]) + fabs(exact.right[u][r]) + fabs(exact.node);
    plain_engine(target->kind)->approximation->price_cut(search, node, orders[u], r + 1, &left, &right);
    assert_near(left, exact.left[u][r], 1e-13 * size);
    assert_near(right, exact.right[u][r], 1e-13 * size);
    assert_near(plain_engine(target->kind)->cost(search, node), exact.node, 1e-13 * size);
}

/* Q of both sides, from what they cost. */
static void sums_at(const sm_node *node, size_t u, size_t r, double *left, double *right) {
    double w = 0;
    for (size_t i = 0; i <= r; i++) w += node->weight[orders[u][i]];
    *left = w * exact.left[u][r];
    *right = (node->total - w) * exact.right[u][r];
}

static void assert_moved(const smerf_target *target, sm_search *search, const sm_node *node, sm_random *random) {
    size_t u = sm_random_below(random, LINE_UPS), from = sm_random_below(random, (uint32_t)node->n - 1);
    size_t rest = node->n - 2 - from, to = from + sm_random_below(random, rest < 20 ? (uint32_t)rest + 1 : 20);
    double before[2], after[2], added, taken, size = (fabs(exact.node) + 1e-12) * node->total;
    sums_at(node, u, from, &before[0], &before[1]);
    sums_at(node, u, to, &after[0], &after[1]);
    plain_engine(target->kind)->approximation->move_cut(search, node, orders[u], from + 1, to + 1, &added, &taken);
    assert_near(added, after[0] - before[0], 1e-13 * size);
    assert_near(taken, before[1] - after[1], 1e-13 * size);
}

static void assert_priced_roughly(const smerf_target *target, sm_search *const *searches, size_t *views, sm_node *node,
                                  sm_random *random) {
    const sm_target_kind *kind = target->kind;
    sm_line_up at[LINE_UPS];
    sm_error_bound bound = {0};
    for (size_t u = 0; u < LINE_UPS; u++) draw_order(orders[u], node->n, random);
    for (size_t way = 0; way < WAYS; way++) {
        views[way] = plain_engine(kind)->enter(searches[way], node, views[way]);
        assert_true(plain_engine(kind)->approximation->is_quicker(searches[way], node, LINE_UPS));
        lay_out(&rough[way], at);
        rough[way].node = plain_engine(kind)->approximation->price(searches[way], node, at, LINE_UPS, &bound);
        for (size_t u = 0; u < LINE_UPS; u++) plain_engine(kind)->pricing->costs(searches[way], node, u, &at[u]);
        assert_memory_equal(&rough[way].node, &rough[0].node, sizeof rough[0].node);
        for (size_t u = 0; u < LINE_UPS; u++) {
            assert_memory_equal(rough[way].left[u], rough[0].left[u], (node->n - 1) * sizeof(double));
            assert_memory_equal(rough[way].right[u], rough[0].right[u], (node->n - 1) * sizeof(double));
        }
    }
    lay_out(&exact, at);
    exact.node = sm_price(plain_engine(kind)->pricing, searches[0], node, at, LINE_UPS);
    assert_doubt_is_justified(node, bound);
    for (size_t way = 0; way < WAYS; way++) {
        assert_settled(target, searches[way], node, random);
        assert_moved(target, searches[way], node, random);
    }
}

/* As long as nodes are large. */
static void go_down(size_t n, shape of, unsigned how, double share_of_root, double share) {
    sm_random random;
    sm_random_start(&random, 9, (uint32_t)of, how + n);
    smerf_target *target = draw_target(n, of, how, &random);
    const descent down = {.target = target,
                          .weight = weight,
                          .n_line_ups = LINE_UPS,
                          .share_of_root = share_of_root,
                          .share = share,
                          .least = 192,
                          .check = assert_priced_roughly};
    descend(&down, &random);
    smerf_target_free(target);
}

static void costs_are_no_further_off_than_is_said(void **state) {
    (void)state;
    for (shape of = ANY; of < N_SHAPES; of++) go_down(500 + of, of, of % 2 == 0 ? 0 : 5, 0.8, 0.7);
    go_down(N, ONE_WAY, 5, 1, 0.99); /* as far off as can be */
}

/* Sums of whole numbers come as near to their limit as they may. */
static void no_sum_overflows(void **state) {
    (void)state;
    for (unsigned how = 0; how < 5; how++) go_down(N, how % 2 == 0 ? ALL_LARGEST : ANY, how, 1, 0.9);
}

static void nodes_of_any_size_are_priced_to_the_same_bits(void **state) {
    (void)state;
    static const size_t sizes[] = {192, 193, 199, 200, 255, 256, 257, 1023, 1024, 1025, N};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) go_down(sizes[i], ANY, 0, 1, 0.75);
}

static bool is_rough_quicker(size_t n, float largest, double w, size_t n_line_ups) {
    static double weights[N];
    static uint32_t items[N];
    sm_random random;
    sm_random_start(&random, 3, 3, n);
    smerf_target *target = draw_target(n, ANY, 0, &random);
    z[1] = z[n] = largest;
    smerf_target_free(target);
    assert_int_equal(smerf_target_new_distances(z, n, &target, NULL), SMERF_OK);
    sm_search *search = search_in_a_way(target, LINE_UPS, 1);
    for (size_t i = 0; i < n; i++) {
        items[i] = (uint32_t)i;
        weights[i] = i == n / 2 ? w : 1;
    }
    sm_node node = {.items = items, .n = n, .weight = weights, .total = (double)n - 1 + w};
    plain_engine(target->kind)->enter(search, &node, 0);
    bool is_quicker = plain_engine(target->kind)->approximation->is_quicker(search, &node, n_line_ups);
    plain_engine(target->kind)->search_free(search);
    smerf_target_free(target);
    return is_quicker;
}

static void what_does_not_suit_is_priced_exactly(void **state) {
    (void)state;
    assert_true(is_rough_quicker(300, 1, 1, LINE_UPS));
    assert_true(is_rough_quicker(300, -1e12F, 64, LINE_UPS));
    assert_false(is_rough_quicker(150, 1, 1, LINE_UPS));
    assert_false(is_rough_quicker(300, 1, 1, 2));
    assert_false(is_rough_quicker(300, 2e12F, 1, LINE_UPS));
    assert_false(is_rough_quicker(300, 1, 65, LINE_UPS));   /* too unlike the others */
    assert_false(is_rough_quicker(300, 1, 0.01, LINE_UPS)); /* likewise, */
    assert_false(is_rough_quicker(300, 1, 1.1, LINE_UPS));  /* and no float */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(costs_are_no_further_off_than_is_said),
        cmocka_unit_test(no_sum_overflows),
        cmocka_unit_test(nodes_of_any_size_are_priced_to_the_same_bits),
        cmocka_unit_test(what_does_not_suit_is_priced_exactly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
