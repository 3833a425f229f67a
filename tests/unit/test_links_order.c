/* test_links_order.c - an order that keeps linked items near each other, and trees that do not notice. */
#include "tests/unit/sparse_forests.h"

#include "base/memory.h"
#include "model/model.h"
#include "target/links/graph.h"
#include "tests/unit/engines.h"

/* ---- the order ---- */

/* A grid of side x side items, which are numbered at random. */
static smerf_target *draw_grid(size_t side, sm_random *random) {
    size_t n = side * side;
    uint32_t *number = calloc(n, sizeof *number), *left = calloc(2 * n, sizeof *left);
    uint32_t *right = calloc(2 * n, sizeof *right);
    assert_true(number != NULL && left != NULL && right != NULL);
    smerf_pair_list list = {.left = left, .right = right};
    draw_order(number, n, random);
    for (size_t i = 0; i < n; i++) {
        const size_t next[2] = {i % side + 1 < side ? i + 1 : n, i + side};
        for (size_t k = 0; k < 2; k++) {
            if (next[k] >= n) continue;
            left[list.n] = number[i];
            right[list.n++] = number[next[k]];
        }
    }
    smerf_target *target = NULL;
    smerf_error error;
    demand_ok(smerf_target_new_graph(&list, NULL, n, &target, &error), &error);
    free(number);
    free(left);
    free(right);
    return target;
}

static uint32_t *order_of(const sm_links *links) {
    uint32_t *order = calloc(links->n_items + 1, sizeof *order);
    assert_non_null(order);
    assert_true(sm_links_order(links, order));
    return order;
}

/* Graphs of any density: items without links, several parts, all linked, one item; or pairs, which have values. */
static smerf_target *draw_links(size_t n, double density, bool are_pairs, sm_random *random) {
    static listed edges;
    listed_start(&edges, are_pairs, false);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++)
            if (sm_random_uniform(random) < density)
                listed_add(&edges, i, j, are_pairs ? sm_random_uniform(random) : 1, 1);
    listed_shuffle(&edges, random);
    smerf_target *target = NULL;
    smerf_error error;
    demand_ok(are_pairs ? smerf_target_new_pairs(&edges.list, n, &target, &error)
                        : smerf_target_new_graph(&edges.list, NULL, n, &target, &error),
              &error);
    return target;
}

static smerf_target *draw_graph(size_t n, double density, sm_random *random) {
    return draw_links(n, density, false, random);
}

/* As plainly as possible: a queue, and a search through it for every link. */
static void every_item_stands_in_it_once_breadth_first(void **state) {
    (void)state;
    for (uint64_t round = 0; round < repetitions(200, 40); round++) {
        static const double densities[] = {0, 0.02, 0.05, 0.3, 1};
        sm_random random;
        sm_random_start(&random, round, 0, 3);
        size_t n = 1 + sm_random_below(&random, MOST_ITEMS), n_queued = 0, n_done = 0;
        smerf_target *target = draw_graph(n, densities[round % 5], &random);
        const sm_links *links = sm_graph_of(target)->links;
        uint32_t *order = order_of(links), queue[MOST_ITEMS];
        bool is_queued[MOST_ITEMS] = {false};
        for (uint32_t start = 0; start < n; start++) {
            if (is_queued[start]) continue;
            is_queued[start] = true;
            queue[n_queued++] = start;
            for (; n_done < n_queued; n_done++)
                for (uint32_t j = 0; j < n; j++) {
                    bool is_linked = sm_links_find(links, queue[n_done], j) < links->first[queue[n_done] + 1];
                    if (!is_linked || is_queued[j]) continue;
                    is_queued[j] = true;
                    queue[n_queued++] = j;
                }
        }
        assert_int_equal(n_queued, n);
        assert_memory_equal(order, queue, n * sizeof *queue);
        free(order);
        smerf_target_free(target);
    }
}

/* In a grid of side s, breadth first, partners are never further apart than two fronts of at most 2 s items. */
static void linked_items_stand_near_each_other(void **state) {
    enum { SIDE = 60 };
    (void)state;
    sm_random random;
    sm_random_start(&random, 1, 1, 3);
    smerf_target *target = draw_grid(SIDE, &random);
    const sm_links *links = sm_graph_of(target)->links;
    uint32_t *order = order_of(links), place[SIDE * SIDE];
    size_t furthest = 0, furthest_number = 0;
    for (uint32_t k = 0; k < SIDE * SIDE; k++) place[order[k]] = k;
    for (uint32_t i = 0; i < SIDE * SIDE; i++)
        for (size_t e = links->first[i]; e < links->first[i + 1]; e++) {
            uint32_t j = links->partner[e];
            if (place[i] > place[j] && place[i] - place[j] > furthest) furthest = place[i] - place[j];
            if (i > j && i - j > furthest_number) furthest_number = i - j;
        }
    assert_true(furthest <= 4 * SIDE);
    assert_true(furthest_number > SIDE * SIDE * 3 / 4); /* as they are numbered */
    free(order);
    smerf_target_free(target);
}

static void only_many_items_are_put_in_order(void **state) {
    (void)state;
    static const size_t sides[] = {3, 200, 260}; /* of grids: 9 items, 40,000 and 67,600 */
    for (size_t k = 0; k < 3; k++) {
        sm_random random;
        sm_random_start(&random, k, 2, 3);
        smerf_target *target = draw_grid(sides[k], &random);
        uint32_t *order = NULL;
        smerf_error error;
        demand_ok(plain_engine(target->kind)->near_order(target, &order, &error), &error);
        assert_int_equal(order != NULL, k == 2);
        sm_free(order);
        smerf_target_free(target);
    }
}

/* ---- trees ---- */

/* Any order at all, whatever the number of items. */
static smerf_status shuffled_order(const smerf_target *target, uint32_t **order, smerf_error *error) {
    sm_random random;
    (void)error;
    sm_random_start(&random, target->n_rows, 3, 3);
    *order = sm_array(target->n_rows, sizeof **order);
    assert_non_null(*order);
    draw_order(*order, target->n_rows, &random);
    return SMERF_OK;
}

static smerf_status no_memory(const smerf_target *target, uint32_t **order, smerf_error *error) {
    (void)target;
    *order = NULL;
    return sm_no_memory(error, "putting items in order");
}

/* Fits with another order of the items. */
static smerf_status fit_in_order(smerf_target *target, const data_set *data, const smerf_options *options,
                                 smerf_status (*near_order)(const smerf_target *, uint32_t **, smerf_error *),
                                 smerf_model **model, smerf_error *error) {
    const sm_target_kind *kind = target->kind;
    sm_engine engine = *plain_engine(kind);
    sm_target_kind other = *kind;
    engine.near_order = near_order;
    other.engines[0] = &engine;
    target->kind = &other;
    smerf_status status = smerf_fit(data->items, target, options, NULL, model, error);
    target->kind = kind;
    return status;
}

/* Whole weights or others, categories, missing values, leaves of several items: all but the last digits of gains. */
static void trees_are_the_same_in_any_order_of_the_items(void **state) {
    (void)state;
    for (uint64_t round = 0; round < repetitions(150, 20); round++) {
        sm_random random;
        sm_random_start(&random, round, 4, 3);
        size_t n = 2 + sm_random_below(&random, MOST_ITEMS - 1);
        double density = 0.1 + 0.8 * sm_random_uniform(&random);
        smerf_target *target = draw_links(n, density, round % 3 == 0, &random);
        data_set *data = draw_data(&random, n, round);
        smerf_options options = draw_options(&random);
        options.self_distance = SMERF_SELF_GIVEN;
        smerf_model *model = NULL, *other = NULL;
        smerf_error error;
        demand_ok(smerf_fit(data->items, target, &options, NULL, &model, &error), &error);
        demand_ok(fit_in_order(target, data, &options, shuffled_order, &other, &error), &error);
        for (size_t b = 0; b < options.n_trees; b++) assert_same_tree(model, other, b, 1);
        smerf_model_free(model);
        smerf_model_free(other);
        smerf_target_free(target);
        data_set_free(data);
    }
}

/* Without item weights all sums are whole: gains have the same bits. */
static void gains_of_whole_weights_are_the_same_bits(void **state) {
    (void)state;
    for (uint64_t round = 0; round < repetitions(40, 10); round++) {
        sm_random random;
        sm_random_start(&random, round, 5, 3);
        smerf_target *target = draw_graph(MOST_ITEMS, 0.3, &random);
        data_set *data = data_set_new((data_plan){
            .n_items = MOST_ITEMS, .n_numbers = 3, .n_categories = round % 2, .missing = 0.1, .seed = round});
        smerf_options options = options_for(4);
        smerf_model *model = NULL, *other = NULL;
        smerf_error error;
        options.seed = round;
        demand_ok(smerf_fit(data->items, target, &options, NULL, &model, &error), &error);
        demand_ok(fit_in_order(target, data, &options, shuffled_order, &other, &error), &error);
        for (size_t b = 0; b < options.n_trees; b++) {
            smerf_tree_view left = SMERF_INIT(smerf_tree_view), right = SMERF_INIT(smerf_tree_view);
            assert_same_tree(model, other, b, 1);
            smerf_model_tree(model, b, &left, NULL);
            smerf_model_tree(other, b, &right, NULL);
            assert_memory_equal(left.gain, right.gain, left.n_splits * sizeof *left.gain);
        }
        smerf_model_free(model);
        smerf_model_free(other);
        smerf_target_free(target);
        data_set_free(data);
    }
}

static void an_order_that_cannot_be_made_ends_the_fit(void **state) {
    (void)state;
    sm_random random;
    sm_random_start(&random, 1, 6, 3);
    smerf_target *target = draw_graph(20, 0.3, &random);
    data_set *data = draw_data(&random, 20, 1);
    smerf_options options = options_for(2);
    smerf_model *model = NULL;
    smerf_error error;
    assert_int_equal(fit_in_order(target, data, &options, no_memory, &model, &error), SMERF_NO_MEMORY);
    assert_null(model);
    smerf_target_free(target);
    data_set_free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_item_stands_in_it_once_breadth_first),
        cmocka_unit_test(linked_items_stand_near_each_other),
        cmocka_unit_test(only_many_items_are_put_in_order),
        cmocka_unit_test(trees_are_the_same_in_any_order_of_the_items),
        cmocka_unit_test(gains_of_whole_weights_are_the_same_bits),
        cmocka_unit_test(an_order_that_cannot_be_made_ends_the_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
