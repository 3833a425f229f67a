/* test_links.c - links are what was listed, in every node and below every node of a tree; sums do not depend on order. */
#include "tests/unit/sparse.h"

#include "base/memory.h"
#include "target/links/graph.h"
#include "target/links/links.h"
#include "target/links/pairs.h"
#include "target/links/pairs_exact.h"

/* ---- lists ---- */

/* Entries by (smaller, larger), repeats by entry: sorted as plainly as possible. */
static bool stands_before(const smerf_pair_list *list, size_t p, size_t q) {
    uint32_t keys[2][2] = {{list->left[p], list->right[p]}, {list->left[q], list->right[q]}};
    for (size_t k = 0; k < 2; k++)
        if (keys[k][0] > keys[k][1]) {
            uint32_t swapped = keys[k][0];
            keys[k][0] = keys[k][1];
            keys[k][1] = swapped;
        }
    if (keys[0][0] != keys[1][0]) return keys[0][0] < keys[1][0];
    if (keys[0][1] != keys[1][1]) return keys[0][1] < keys[1][1];
    return p < q;
}

static void lists_are_put_in_order_and_keep_the_order_of_repeats(void **state) {
    static listed pairs;
    (void)state;
    for (uint64_t round = 0; round < 200; round++) {
        sm_random random;
        sm_random_start(&random, round, 0, 2);
        size_t n = 1 + sm_random_below(&random, 20), n_entries = sm_random_below(&random, 200);
        listed_start(&pairs, false, false);
        for (size_t p = 0; p < n_entries; p++)
            listed_add(&pairs, sm_random_below(&random, (uint32_t)n), sm_random_below(&random, (uint32_t)n), 1, 1);
        uint32_t *order = NULL;
        smerf_error error;
        bool is_listed[200] = {false};
        demand_ok(sm_list_sort(&pairs.list, n, &order, &error), &error);
        for (size_t k = 0; k < n_entries; k++) {
            assert_false(is_listed[order[k]]);
            is_listed[order[k]] = true;
            if (k > 0) assert_true(stands_before(&pairs.list, order[k - 1], order[k]));
        }
        sm_free(order);
    }
}

/* ---- rows ---- */

static const sm_links *links_of(const smerf_target *target) {
    return target->kind == &sm_target_graph ? sm_graph_of(target)->links : sm_known_pairs_of(target)->links;
}

/* Some known pairs with distances, and weights or none. */
static smerf_target *draw_links(known *all, listed *pairs, size_t n, double density, bool has_values, bool has_weights,
                                sm_random *random) {
    all->n = n;
    listed_start(pairs, true, has_weights);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) {
            bool is_known = i != j && sm_random_uniform(random) < density;
            double value = has_values ? sm_random_normal(random) : 1,
                   weight = has_weights ? 0.5 + sm_random_uniform(random) : 1;
            all->z[i][j] = all->z[j][i] = is_known ? value : 0;
            all->omega[i][j] = all->omega[j][i] = i == j ? 1 : is_known ? weight : 0;
            if (is_known) listed_add(pairs, i, j, value, weight);
        }
    listed_shuffle(pairs, random);
    smerf_target *target = NULL;
    smerf_error error;
    demand_ok(smerf_target_new_pairs(&pairs->list, n, &target, &error), &error);
    return target;
}

/* Row by row, the links of these items are what is known of them. */
static void assert_links(const sm_links *links, const known *all, const uint32_t *items, size_t n) {
    assert_int_equal(links->n_items, n);
    size_t e = 0;
    for (size_t k = 0; k < n; k++) {
        assert_int_equal(links->first[k], e);
        for (size_t l = 0; l < n; l++) {
            if (k == l || all->omega[items[k]][items[l]] == 0) continue;
            assert_int_equal(links->partner[e], l);
            assert_true(sm_links_value(links, e) == all->z[items[k]][items[l]]);
            assert_true(sm_links_weight(links, e) == all->omega[items[k]][items[l]]);
            e++;
        }
    }
    assert_int_equal(links->first[n], e);
    assert_int_equal(links->n, e);
}

static void rows_hold_what_was_listed(void **state) {
    static known all;
    static listed pairs;
    uint32_t items[MOST_ITEMS];
    (void)state;
    for (uint32_t i = 0; i < MOST_ITEMS; i++) items[i] = i;
    for (uint64_t round = 0; round < 60; round++) {
        sm_random random;
        sm_random_start(&random, round, 1, 2);
        size_t n = 1 + sm_random_below(&random, MOST_ITEMS);
        smerf_target *target =
            draw_links(&all, &pairs, n, (double)(round % 5) / 4, round % 3 > 0, round % 2 == 0, &random);
        assert_links(links_of(target), &all, items, n);
        size_t n_lonely = 0;
        for (size_t i = 0; i < n; i++) {
            bool is_lonely = true;
            for (size_t j = 0; j < n; j++) is_lonely = is_lonely && (i == j || all.omega[i][j] == 0);
            n_lonely += is_lonely;
        }
        assert_int_equal(sm_links_n_lonely(links_of(target)), n_lonely);
        smerf_target_free(target);
    }
}

/* ---- nodes ---- */

enum { MOST_LOOKED_AT = 6 };

static sm_search_size size_of_room(size_t n) {
    return (sm_search_size){.n_items = n, .n_line_ups = MOST_LOOKED_AT, .n_threads = 1};
}

typedef struct rooms {
    const known *all;
    sm_links_scratch room;
    sm_random random;
    size_t n_blocks_most, n_unkept, n_counted;
} rooms;

/* What is kept takes at most what the whole takes, with room for the links of any node below. */
static void assert_room(const rooms *at, const sm_node *node, size_t view, size_t view_before) {
    const sm_links_scratch *room = &at->room;
    size_t n_entries = 0, n_rows = 0;
    for (size_t b = 1; b < room->n_blocks; b++) {
        n_entries += room->blocks[b].n;
        n_rows += room->blocks[b].n_items + 1;
        assert_true(room->blocks[b].n <= room->blocks[b - 1].n / 2);
    }
    assert_int_equal(room->pool.n, n_entries);
    assert_int_equal(room->rows_used, n_rows);
    assert_true(n_entries + room->links->n <= room->blocks[0].n);
    assert_true(n_rows + node->n + 1 <= room->rows_size);
    assert_true(view == room->n_blocks - 1 && (view == view_before || view == view_before + 1));
}

/* The sides of the item at one rank, counted or not. */
static sm_sides sides_at(const sm_links_scratch *room, size_t line_up, size_t rank) {
    if (!room->is_counted) return sm_links_sides(room, line_up)[rank];
    sm_counts counts = sm_links_counts(room, line_up)[rank];
    double common = room->links->common;
    return (sm_sides){counts.before, counts.after, common * counts.before, common * counts.after};
}

/* A loop over all pairs says the same.   order  NULL: the order of the members */
static void assert_sides(const rooms *at, const sm_node *node, const uint32_t *order, size_t line_up) {
    for (size_t r = 0; r < node->n; r++) {
        long double sums[2][2] = {{0}};
        size_t k = order != NULL ? order[r] : r;
        for (size_t s = 0; s < node->n; s++) {
            if (r == s) continue;
            size_t l = order != NULL ? order[s] : s, i = node->items[k], j = node->items[l];
            long double weight = (long double)node->weight[l] * (long double)at->all->omega[i][j];
            sums[s > r][0] += weight;
            sums[s > r][1] += weight * (long double)at->all->z[i][j];
        }
        const sm_sides sides = sides_at(&at->room, line_up, r);
        assert_near(sides.weight_before, (double)sums[0][0], 1e-13 * node->total);
        assert_near(sides.value_before, (double)sums[0][1], 1e-12 * node->total);
        assert_near(sides.weight_after, (double)sums[1][0], 1e-13 * node->total);
        assert_near(sides.value_after, (double)sums[1][1], 1e-12 * node->total);
        if (at->room.is_counted) assert_true(sm_links_counts(&at->room, line_up)[r].own == node->weight[k]);
    }
}

/* Of ordered pairs that are linked. */
static void assert_linked(const rooms *at, const sm_node *node) {
    long double linked = 0;
    for (size_t k = 0; k < node->n; k++)
        for (size_t l = 0; l < node->n; l++)
            if (k != l && at->all->omega[node->items[k]][node->items[l]] > 0)
                linked += (long double)node->weight[k] * (long double)node->weight[l];
    if (at->room.is_counted) assert_true((long double)at->room.linked == linked);
}

/* Line-ups in groups of any size, and each alone: the same bits. */
static void check_line_ups(rooms *at, const sm_node *node) {
    static uint32_t orders[MOST_LOOKED_AT][MOST_ITEMS];
    static sm_sides found[MOST_LOOKED_AT][MOST_ITEMS];
    sm_line_up lines[MOST_LOOKED_AT];
    size_t n_lines = 1 + sm_random_below(&at->random, MOST_LOOKED_AT);
    sm_links_look(&at->room, node, NULL, 1);
    assert_sides(at, node, NULL, 0);
    assert_linked(at, node);
    for (size_t u = 0; u < n_lines; u++) {
        draw_order(orders[u], node->n, &at->random);
        lines[u] = (sm_line_up){.order = orders[u]};
    }
    sm_links_look(&at->room, node, lines, n_lines);
    assert_linked(at, node);
    for (size_t u = 0; u < n_lines; u++) {
        assert_sides(at, node, orders[u], u);
        for (size_t r = 0; r < node->n; r++) found[u][r] = sides_at(&at->room, u, r);
    }
    for (size_t u = 0; u < n_lines; u++) {
        sm_links_look(&at->room, node, &lines[u], 1);
        for (size_t r = 0; r < node->n; r++) {
            sm_sides alone = sides_at(&at->room, 0, r);
            assert_memory_equal(&found[u][r], &alone, sizeof alone);
        }
        sm_links_rank_all(&at->room, orders[u]);
        for (size_t r = 0; r < node->n; r++) assert_int_equal(sm_links_rank(&at->room, orders[u][r]), r);
    }
    at->n_counted += at->room.is_counted;
}

static void enter_all(rooms *at, uint32_t *items, size_t n, const double *weight, size_t view, bool is_peeled) {
    if (n < 2) return;
    double by_place[MOST_ITEMS];
    sm_node node = {.items = items, .n = n, .weight = by_place};
    for (size_t k = 0; k < n; k++) node.total += by_place[k] = weight[items[k]];
    size_t view_before = view;
    view = sm_links_enter(&at->room, &node, view);
    assert_room(at, &node, view, view_before);
    assert_links(at->room.links, at->all, items, n);
    if (at->room.n_blocks > at->n_blocks_most) at->n_blocks_most = at->room.n_blocks;
    at->n_unkept += view == view_before;
    check_line_ups(at, &node);
    uint32_t right[MOST_ITEMS] = {0};
    size_t n_left = 0, n_right = 0;
    for (size_t k = 0; k < n; k++) {
        bool goes_left = is_peeled ? k == n / 2 : sm_random_below(&at->random, 2) == 0;
        if (goes_left)
            items[n_left++] = items[k];
        else
            right[n_right++] = items[k];
    }
    memcpy(items + n_left, right, n_right * sizeof *items);
    enter_all(at, items, n_left, weight, view, is_peeled);
    enter_all(at, items + n_left, n_right, weight, view, is_peeled);
}

/* Halved again and again, or peeled one by one; whole bags and others. */
static void nodes_hold_their_own_links_in_no_more_room_than_the_whole(void **state) {
    static known all;
    static listed pairs;
    (void)state;
    for (uint64_t round = 0; round < 60; round++) {
        static rooms at;
        at = (rooms){.all = &all};
        sm_random_start(&at.random, round, 2, 2);
        size_t n = round % 3 == 0 ? MOST_ITEMS : 2 + sm_random_below(&at.random, MOST_ITEMS - 1);
        smerf_target *target =
            draw_links(&all, &pairs, n, (double)(round % 5) / 4, round % 4 > 1, round % 2 == 0, &at.random);
        smerf_error error;
        const sm_search_size size = size_of_room(n);
        demand_ok(sm_links_scratch_start(&at.room, links_of(target), &size, &error), &error);
        for (size_t tree = 0; tree < 3; tree++) {
            uint32_t items[MOST_ITEMS];
            double weight[MOST_ITEMS];
            size_t n_in_bag = 0;
            for (uint32_t i = 0; i < n; i++) {
                weight[i] = tree == 1 ? 1 + sm_random_below(&at.random, 3) : 0.5 + sm_random_uniform(&at.random);
                if (tree == 0 || sm_random_below(&at.random, 3) > 0) items[n_in_bag++] = i;
            }
            enter_all(&at, items, n_in_bag, weight, 0, tree == 2);
        }
        if (n == MOST_ITEMS && round % 5 == 4) assert_true(at.n_blocks_most > 4 && at.n_unkept > 20);
        if (round % 4 == 1 && round % 5 > 0) assert_true(at.n_counted > 0);
        sm_links_scratch_free(&at.room);
        smerf_target_free(target);
    }
}

/* Hubs that have half as many partners each time: without them links are halved, and there are as many rows. */
static void rows_take_no_more_than_their_room_either(void **state) {
    static known all;
    static listed pairs;
    static rooms at;
    (void)state;
    const size_t n_hubs = 6;
    uint32_t items[MOST_ITEMS];
    double weight[MOST_ITEMS];
    smerf_target *target;
    smerf_error error;
    all.n = MOST_ITEMS;
    listed_start(&pairs, true, false);
    memset(all.omega, 0, sizeof all.omega);
    for (size_t hub = 0; hub < n_hubs; hub++)
        for (size_t j = n_hubs; j < n_hubs + ((MOST_ITEMS - n_hubs) >> hub); j++) {
            all.omega[hub][j] = all.omega[j][hub] = 1;
            all.z[hub][j] = all.z[j][hub] = 2;
            listed_add(&pairs, hub, j, 2, 1);
        }
    demand_ok(smerf_target_new_pairs(&pairs.list, all.n, &target, &error), &error);
    at = (rooms){.all = &all};
    const sm_search_size size = size_of_room(all.n);
    demand_ok(sm_links_scratch_start(&at.room, links_of(target), &size, &error), &error);
    for (uint32_t i = 0; i < MOST_ITEMS; i++) {
        items[i] = i;
        weight[i] = 1;
    }
    for (size_t hub = 0, view = 0, before = 0; hub < n_hubs; hub++, before = view) {
        const sm_node node = {
            .items = items + hub, .n = MOST_ITEMS - hub, .weight = weight, .total = (double)(MOST_ITEMS - hub)};
        view = sm_links_enter(&at.room, &node, view);
        assert_room(&at, &node, view, before);
        assert_links(at.room.links, &all, node.items, node.n);
        at.n_unkept += hub > 0 && view == before;
    }
    assert_true(at.room.n_blocks > 2 && at.n_unkept > 1);
    sm_links_scratch_free(&at.room);
    smerf_target_free(target);
}

static void levels_are_put_in_order(void **state) {
    (void)state;
    for (uint64_t round = 0; round < 100; round++) {
        sm_random random;
        sm_random_start(&random, round, 3, 2);
        uint32_t level[MOST_ITEMS], order[MOST_ITEMS], n_levels = 1 + sm_random_below(&random, 6);
        size_t first[8], n = 1 + sm_random_below(&random, MOST_ITEMS), at = 0;
        for (size_t k = 0; k < n; k++) {
            level[k] = sm_random_below(&random, n_levels + 1);
            if (level[k] == n_levels) level[k] = SMERF_MISSING;
        }
        sm_level_order(&(sm_node){.n = n}, level, n_levels, order, first);
        for (uint32_t b = 0; b <= n_levels; b++) {
            assert_int_equal(first[b], at);
            for (size_t k = 0; k < n; k++)
                if (level[k] == (b < n_levels ? b : SMERF_MISSING)) assert_int_equal(order[at++], k);
        }
        assert_int_equal(at, n);
    }
}

/* ---- trees ---- */

/* Whatever the shape of the tree: all pairs, linked ones, and their distances, below every node. */
static void sums_below_every_node_are_those_of_its_pairs(void **state) {
    static known all;
    static listed pairs;
    (void)state;
    for (uint64_t round = 0; round < 60; round++) {
        sm_random random;
        sm_random_start(&random, round, 4, 2);
        size_t n = 1 + sm_random_below(&random, MOST_ITEMS);
        smerf_target *target =
            draw_links(&all, &pairs, n, (double)(round % 4) / 3, round % 3 > 0, round % 2 == 0, &random);
        tree_of_leaves tree;
        grow_leaves(&tree, target, n,
                    3 * round + round % 2); /* no extreme weights: sums are compared with each other */
        const sm_leaves *leaves = &tree.leaves;
        sm_members members;
        sm_pair_sums *sums = sm_array(leaves->n_nodes, sizeof *sums);
        assert_true(sums != NULL && sm_members_start(&members, n, leaves));
        assert_true(sm_links_sum_nodes(links_of(target), leaves, &members, sums));
        for (size_t node = 0; node < leaves->n_nodes; node++) {
            slow_sums slow = slow_between(&all, leaves, node, node, true);
            size_t first = leaves->first[leaves->first_leaf[node]], end = leaves->first[leaves->end_leaf[node]];
            double both = 0, scale = 0;
            for (size_t k = first; k < end; k++) {
                scale += tree.weight[k];
                for (size_t l = first; l < k; l++) both += tree.weight[k] * tree.weight[l];
            }
            scale *= scale;
            const sm_pair_sums direct = sm_links_sum(links_of(target), leaves, &members, first, end);
            assert_near(sums[node].all, both, 1e-13 * scale);
            assert_near(sums[node].weight, (double)slow.pairs / 2, 1e-13 * scale);
            assert_near(sums[node].value, (double)slow.value / 2, 1e-12 * scale);
            assert_near(direct.all, both, 1e-13 * scale);
            assert_near(direct.weight, (double)slow.pairs / 2, 1e-13 * scale);
            assert_near(direct.value, (double)slow.value / 2, 1e-12 * scale);
            assert_int_equal(sm_leaves_find(leaves, &members, first, end), node);
        }
        sm_free(sums);
        sm_members_free(&members);
        fell(&tree, target);
        smerf_target_free(target);
    }
}

/* ---- exact sums ---- */

enum { N_TERMS = 300 };

static void draw_terms(double *terms, double range, sm_random *random) {
    for (size_t k = 0; k < N_TERMS; k++) {
        double size = exp2(range * (2 * sm_random_uniform(random) - 1)) * (1 + sm_random_uniform(random));
        terms[k] = sm_random_below(random, 3) == 0 ? -size : size;
    }
}

static void sums_are_the_same_in_any_order_and_parts_can_be_taken_away(void **state) {
    (void)state;
    const double ranges[] = {0, 3, 20, 100, 800};
    for (uint64_t round = 0; round < 100; round++) {
        sm_random random;
        sm_random_start(&random, round, 5, 2);
        double terms[N_TERMS], range = ranges[round % 5];
        draw_terms(terms, range, &random);
        sm_exact exact = sm_exact_for(exp2(-range), exp2(range + 1), N_TERMS);
        assert_true(exact.n_words >= 1 && exact.n_words <= SM_EXACT_MOST_WORDS);
        uint64_t all[SM_EXACT_MOST_WORDS] = {0}, again[SM_EXACT_MOST_WORDS] = {0}, some[SM_EXACT_MOST_WORDS] = {0},
                 rest[SM_EXACT_MOST_WORDS] = {0};
        uint32_t order[N_TERMS];
        for (uint32_t k = 0; k < N_TERMS; k++) order[k] = k;
        sm_random_shuffle(&random, order, N_TERMS);
        for (size_t k = 0; k < N_TERMS; k++) {
            sm_exact_add(&exact, all, terms[k]);
            sm_exact_add(&exact, again, terms[order[k]]);
            sm_exact_add(&exact, k % 2 == 0 ? some : rest, terms[order[k]]);
        }
        size_t bytes = exact.n_words * sizeof *all;
        assert_memory_equal(all, again, bytes);
        sm_exact_take_sum(&exact, again, some);
        assert_memory_equal(again, rest, bytes);
        sm_exact_add_sum(&exact, some, rest);
        assert_memory_equal(all, some, bytes);
        long double sum = 0, size = 0;
        for (size_t k = 0; k < N_TERMS; k++) {
            sum += (long double)terms[k];
            size += fabsl((long double)terms[k]);
        }
        assert_near(sm_exact_get(&exact, all), (double)sum, 1e-16 * (double)size + 1e-15 * fabs((double)sum));
    }
}

/* Terms that cancel leave what is small, of either sign; and one number is itself. */
static void what_is_small_survives_what_is_large(void **state) {
    (void)state;
    const double numbers[] = {1e-100, -1e-100, 0.1, -0.1, 3, -1e100, 0};
    sm_exact exact = sm_exact_for(1e-100, 1e100, 1000);
    for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
        uint64_t sum[SM_EXACT_MOST_WORDS] = {0}, zero[SM_EXACT_MOST_WORDS] = {0};
        sm_exact_add(&exact, sum, 1e100);
        sm_exact_add(&exact, sum, numbers[k]);
        sm_exact_add(&exact, sum, -1e100);
        assert_near(sm_exact_get(&exact, sum), numbers[k], 1e-15 * fabs(numbers[k]));
        sm_exact_add(&exact, sum, -numbers[k]);
        assert_memory_equal(sum, zero, sizeof sum);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_are_put_in_order_and_keep_the_order_of_repeats),
        cmocka_unit_test(rows_hold_what_was_listed),
        cmocka_unit_test(nodes_hold_their_own_links_in_no_more_room_than_the_whole),
        cmocka_unit_test(rows_take_no_more_than_their_room_either),
        cmocka_unit_test(levels_are_put_in_order),
        cmocka_unit_test(sums_below_every_node_are_those_of_its_pairs),
        cmocka_unit_test(sums_are_the_same_in_any_order_and_parts_can_be_taken_away),
        cmocka_unit_test(what_is_small_survives_what_is_large),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
