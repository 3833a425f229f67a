/* test_pair_forests.c - with nothing missing, a forest on pairs is the forest on the matrix; where pairs are missing, its
 * predictions are what trees that back off would say. */
#include "tests/unit/known_pairs.h"
#include "tests/unit/sparse_forests.h"

/* In any order and with repeats that come to the value. */
static smerf_target *draw_all_pairs(known *all, size_t n, uint64_t round, sm_random *random) {
    static listed pairs;
    if (round % 3 == 0) return draw_observed(all, n, 1, random);
    const pairs_plan plan = {.n = n, .density = 1, .repeated = 0.2, .has_diagonal = round % 2 == 0};
    draw_pairs(all, &pairs, &plan, random);
    return target_of(&pairs, n);
}

static void with_nothing_missing_forests_are_those_of_the_matrix(void **state) {
    (void)state;
    check_sparse_forests(draw_all_pairs, 200, 4);
}

/* A tree of a model, as leaves. */
static void leaves_of(tree_of_leaves *tree, const smerf_tree_view *view, const double *weights) {
    *tree = (tree_of_leaves){.leaves = {.n = view->n_leaves, .n_nodes = view->n_nodes}};
    for (size_t node = view->n_nodes; node-- > 0;) {
        size_t index = view->index[node];
        if (view->is_leaf[node]) {
            tree->node[index] = (uint32_t)node;
            tree->first_leaf[node] = (uint32_t)index;
            tree->end_leaf[node] = (uint32_t)index + 1;
        } else {
            size_t right = view->right[index];
            tree->parent[node + 1] = tree->parent[right] = (uint32_t)node;
            tree->first_leaf[node] = tree->first_leaf[node + 1];
            tree->end_leaf[node] = tree->end_leaf[right];
        }
    }
    for (size_t m = 0; m < view->first_member[view->n_leaves]; m++)
        tree->weight[m] = view->member_draws[m] * weights[view->member_item[m]];
    tree->leaves.first = view->first_member;
    tree->leaves.item = view->member_item;
    tree->leaves.weight = tree->weight;
    tree->leaves.parent = tree->parent;
    tree->leaves.first_leaf = tree->first_leaf;
    tree->leaves.end_leaf = tree->end_leaf;
    tree->leaves.node = tree->node;
}

/* Where the trees know nothing of each other's leaves they are left out. */
static void check_predictions(const smerf_model *model, const data_set *data, const known *all, const double *weights,
                              size_t n_trees) {
    static tree_of_leaves trees[8];
    static smerf_tree_view views[8];
    const smerf_request request = SMERF_INIT(smerf_request, .rows = data->items);
    double *found = predict_all(model, &request, NULL);
    for (size_t b = 0; b < n_trees; b++) {
        views[b] = SMERF_INIT(smerf_tree_view);
        smerf_model_tree(model, b, &views[b], NULL);
        leaves_of(&trees[b], &views[b], weights);
    }
    for (size_t i = 0; i < all->n; i++)
        for (size_t j = 0; j < all->n; j++) {
            double sum = 0;
            size_t n_spoken = 0;
            for (size_t b = 0; b < n_trees; b++) {
                slow_sums sums = slow_climb(all, &trees[b].leaves, slow_leaf(model, &views[b], data, i),
                                            slow_leaf(model, &views[b], data, j));
                if (sums.pairs == 0) continue;
                sum += slow_ratio(&sums);
                n_spoken++;
            }
            if (n_spoken > 0) assert_near(found[i * all->n + j], sum / (double)n_spoken, 1e-11);
        }
    free(found);
}

static void predictions_back_off_where_pairs_are_missing(void **state) {
    static known all;
    static listed pairs;
    (void)state;
    for (uint64_t round = 0; round < repetitions(60, 7); round++) {
        sm_random random;
        sm_random_start(&random, round, 5, 3);
        const pairs_plan plan = {.n = 2 + sm_random_below(&random, 59),
                                 .density = densities[1 + round % 4],
                                 .has_weights = round % 2 == 0,
                                 .has_diagonal = round % 3 == 0};
        draw_pairs(&all, &pairs, &plan, &random);
        data_set *data = data_set_new(
            (data_plan){.n_items = plan.n, .n_numbers = 3, .n_categories = round % 2, .missing = 0.1, .seed = round});
        double weights[MOST_ITEMS];
        smerf_error error;
        for (size_t i = 0; i < plan.n; i++) weights[i] = 0.5 + sm_random_uniform(&random);
        demand_ok(smerf_items_set_weights(data->items, "w", weights, &error), &error);
        smerf_options options = options_for(5);
        options.complete = SMERF_COMPLETE_OFF;
        options.min_parent = 2 + sm_random_below(&random, 6);
        smerf_target *target = target_of(&pairs, plan.n);
        smerf_model *model = NULL, *alone = NULL;
        const smerf_run one_thread = SMERF_INIT(smerf_run, .n_threads = 1);
        demand_ok(smerf_fit(data->items, target, &options, NULL, &model, &error), &error);
        demand_ok(smerf_fit(data->items, target, &options, &one_thread, &alone, &error), &error);
        check_predictions(model, data, &all, weights, 5);
        assert_same_predictions(model, alone, data->items, true, 0);
        if (round % 6 == 0) {
            assert_same_model(model, alone);
            assert_survives(model, data->items);
        }
        smerf_model_free(model);
        smerf_model_free(alone);
        smerf_target_free(target);
        data_set_free(data);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(with_nothing_missing_forests_are_those_of_the_matrix),
        cmocka_unit_test(predictions_back_off_where_pairs_are_missing),
    };
    return cmocka_run_group_tests(tests, files_enter, files_leave);
}
