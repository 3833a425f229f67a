/* test_trees.c - what a tree is grown on, how it hangs together, and that every option about it is heeded. */
#include "tests/unit/forests.h"

static const smerf_splits both_splits[2] = {SMERF_AXIS, SMERF_OBLIQUE};

/* ---- samples ---- */

static size_t n_draws_of(const smerf_tree_view *tree, uint32_t *most) {
    size_t sum = 0;
    *most = 0;
    for (size_t m = 0; m < tree->first_member[tree->n_leaves]; m++) {
        sum += tree->member_draws[m];
        if (tree->member_draws[m] > *most) *most = tree->member_draws[m];
    }
    return sum;
}

static void assert_draws(const data_set *data, const smerf_options *options, size_t expected, bool may_repeat) {
    smerf_model *model = fit_with(data, options, NULL);
    uint32_t most_of_all = 0;
    for (size_t b = 0; b < options->n_trees; b++) {
        smerf_tree_view tree = SMERF_INIT(smerf_tree_view);
        uint32_t most;
        smerf_model_tree(model, b, &tree, NULL);
        assert_int_equal(n_draws_of(&tree, &most), expected);
        if (most > most_of_all) most_of_all = most;
    }
    assert_int_equal(most_of_all > 1, may_repeat);
    smerf_model_free(model);
}

static void a_bootstrap_draws_as_often_as_there_are_items(void **state) {
    (void)state;
    data_set *data = mixed_data(40);
    const smerf_options options = options_for(10);
    assert_draws(data, &options, 40, true);
    data_set_free(data);
}

static void a_subsample_takes_its_share_rounded_up_without_repeats(void **state) {
    (void)state;
    const struct {
        size_t n_items;
        double share; /* times n_items, in floating point, it may be a hair more than it should be */
        size_t expected;
    } table[] = {{10, 0.7, 7},     {10, 0.71, 8},  {10, 0.05, 1},   {10, 0.11, 2},   {10, 1, 10},
                 {10, 0.9999, 10}, {100, 0.07, 7}, {100, 0.55, 55}, {100, 0.29, 29}, {100, 0.291, 30}};
    for (size_t k = 0; k < sizeof table / sizeof *table; k++) {
        data_set *data = mixed_data(table[k].n_items);
        smerf_options options = options_for(10);
        options.sample = SMERF_SUBSAMPLE;
        options.sample_fraction = table[k].share;
        assert_draws(data, &options, table[k].expected, false);
        data_set_free(data);
    }
}

static void without_a_sample_every_tree_sees_every_item_once(void **state) {
    (void)state;
    data_set *data = mixed_data(40);
    smerf_options options = options_for(3);
    options.sample = SMERF_NO_SAMPLE;
    assert_draws(data, &options, 40, false);
    data_set_free(data);
}

/* 2000 trees: each item is drawn n times as often as it should be by chance, give or take six standard errors. */
static void every_item_is_as_likely_to_be_drawn(void **state) {
    (void)state;
    enum { N = 12, N_TREES = 2000 };
    data_set *data = plain_data(N);
    for (int kind = 0; kind < 2; kind++) {
        smerf_options options = options_for(N_TREES);
        options.max_depth = 0;
        options.sample = kind == 0 ? SMERF_BOOTSTRAP : SMERF_SUBSAMPLE;
        options.sample_fraction = 0.5;
        smerf_model *model = fit_with(data, &options, NULL);
        double expected = kind == 0 ? N_TREES : N_TREES * 0.5, sums[N] = {0};
        for (size_t b = 0; b < N_TREES; b++) {
            smerf_tree_view tree = SMERF_INIT(smerf_tree_view);
            smerf_model_tree(model, b, &tree, NULL);
            for (size_t i = 0; i < N; i++) sums[i] += (double)slow_draws(&tree, i);
        }
        for (size_t i = 0; i < N; i++) assert_near(sums[i], expected, 6 * sqrt(expected));
        smerf_model_free(model);
    }
    data_set_free(data);
}

/* ---- trees ---- */

typedef void (*tree_check)(const smerf_model *model, const smerf_tree_view *tree, const data_set *data);

static void for_all_trees(const data_set *data, const smerf_options *options, tree_check check) {
    smerf_model *model = fit_with(data, options, NULL);
    for (size_t b = 0; b < options->n_trees; b++) {
        smerf_tree_view tree = SMERF_INIT(smerf_tree_view);
        smerf_model_tree(model, b, &tree, NULL);
        check(model, &tree, data);
    }
    smerf_model_free(model);
}

static void for_both_splits(data_set *data, tree_check check) {
    for (size_t s = 0; s < 2; s++) {
        smerf_options options = options_for(8);
        options.splits = both_splits[s];
        for_all_trees(data, &options, check);
    }
    data_set_free(data);
}

/* The node after a subtree, in preorder. */
static size_t end_of(const smerf_tree_view *tree, size_t node) {
    while (!tree->is_leaf[node]) node = tree->right[tree->index[node]];
    return node + 1;
}

static void check_preorder(const smerf_model *model, const smerf_tree_view *tree, const data_set *data) {
    (void)model;
    (void)data;
    size_t n_splits = 0, n_leaves = 0;
    assert_true(tree->n_splits + 1 == tree->n_leaves && tree->n_nodes == tree->n_splits + tree->n_leaves);
    for (size_t node = 0; node < tree->n_nodes; node++) {
        assert_int_equal(tree->index[node], tree->is_leaf[node] ? n_leaves++ : n_splits++);
        if (!tree->is_leaf[node]) assert_int_equal(tree->right[tree->index[node]], end_of(tree, node + 1));
    }
    assert_int_equal(end_of(tree, 0), tree->n_nodes);
}

static void nodes_stand_in_preorder(void **state) {
    (void)state;
    for_both_splits(mixed_data(70), check_preorder);
}

static void check_members(const smerf_model *model, const smerf_tree_view *tree, const data_set *data) {
    for (size_t leaf = 0; leaf < tree->n_leaves; leaf++) {
        assert_true(tree->first_member[leaf] < tree->first_member[leaf + 1]);
        for (size_t m = tree->first_member[leaf]; m < tree->first_member[leaf + 1]; m++) {
            assert_true(m == tree->first_member[leaf] || tree->member_item[m - 1] < tree->member_item[m]);
            assert_int_equal(slow_leaf(model, tree, data, tree->member_item[m]), leaf);
        }
    }
}

static void members_lie_where_the_tree_sends_them(void **state) {
    (void)state;
    for_both_splits(mixed_data(70), check_members);
}

static size_t first_member_of(const smerf_tree_view *tree, size_t node) {
    while (!tree->is_leaf[node]) node++;
    return tree->first_member[tree->index[node]];
}

/* Q(S) / W over the members of a node. */
static double slow_cost(const data_set *data, const smerf_tree_view *tree, size_t node) {
    const size_t span[2] = {first_member_of(tree, node), tree->first_member[tree->index[end_of(tree, node) - 1] + 1]};
    double weight = 0;
    for (size_t m = span[0]; m < span[1]; m++) weight += tree->member_draws[m];
    return weight * slow_mean(data, tree, span, span, NULL, NULL, false);
}

static void check_gains(const smerf_model *model, const smerf_tree_view *tree, const data_set *data) {
    (void)model;
    for (size_t node = 0; node < tree->n_nodes; node++) {
        if (tree->is_leaf[node]) continue;
        size_t split = tree->index[node];
        double before = slow_cost(data, tree, node);
        double after = slow_cost(data, tree, node + 1) + slow_cost(data, tree, tree->right[split]);
        assert_near(tree->gain[split], before - after, 1e-11 * (1 + before));
    }
}

static void a_gain_is_what_the_split_saves(void **state) {
    (void)state;
    for_both_splits(mixed_data(70), check_gains);
}

static void check_terms(const smerf_model *model, const smerf_tree_view *tree, const data_set *data) {
    smerf_description description = SMERF_INIT(smerf_description);
    smerf_model_describe(model, &description, NULL);
    for (size_t s = 0; s < tree->n_splits; s++) {
        size_t from = tree->first_term[s], to = tree->first_term[s + 1];
        assert_true(to > from);
        if (description.options->splits == SMERF_AXIS) assert_true(to == from + 1 && tree->term_weight[from] == 1);
        for (size_t t = from; t < to; t++) {
            bool is_number = data->columns[tree->term_feature[t]].kind == SMERF_NUMBER;
            uint32_t level = tree->term_level != NULL ? tree->term_level[t] : SMERF_MISSING;
            assert_true(t == from || tree->term_feature[t - 1] < tree->term_feature[t]);
            assert_true(tree->term_weight[t] == 1 || tree->term_weight[t] == -1);
            assert_true(tree->term_feature[t] < data->n_columns);
            if (is_number) assert_true(level == SMERF_MISSING && !tree->is_category[s]);
            if (!is_number) assert_true(tree->is_category[s] ? level == SMERF_MISSING : level < N_LEVELS);
        }
        assert_int_equal(tree->is_category[s] && description.options->splits == SMERF_OBLIQUE, false);
    }
}

static void a_split_sums_different_features_in_ascending_order(void **state) {
    (void)state;
    for_both_splits(mixed_data(70), check_terms);
    data_set *data = data_set_new((data_plan){.n_items = 60, .n_numbers = 30, .n_categories = 10, .seed = 4});
    smerf_options options = options_for(8);
    options.splits = SMERF_OBLIQUE;
    options.density = 0.4;
    for_all_trees(data, &options, check_terms);
    data_set_free(data);
}

/* With one non-zero for every cell, each projection has all features; with one in all, each has one. */
static void density_is_the_share_of_features_in_a_projection(void **state) {
    (void)state;
    data_set *data = plain_data(50);
    smerf_options options = options_for(5);
    options.splits = SMERF_OBLIQUE;
    options.density = 1;
    smerf_model *dense = fit_with(data, &options, NULL);
    options.candidates = 1;
    options.density = 0.25; /* of four features */
    smerf_model *sparse = fit_with(data, &options, NULL);
    for (size_t b = 0; b < 5; b++) {
        smerf_tree_view tree = SMERF_INIT(smerf_tree_view);
        smerf_model_tree(dense, b, &tree, NULL);
        assert_int_equal(tree.first_term[tree.n_splits], 4 * tree.n_splits);
        smerf_model_tree(sparse, b, &tree, NULL);
        assert_int_equal(tree.first_term[tree.n_splits], tree.n_splits);
    }
    smerf_model_free(dense);
    smerf_model_free(sparse);
    data_set_free(data);
}

static void check_left_levels(const smerf_model *model, const smerf_tree_view *tree, const data_set *data) {
    (void)model;
    (void)data;
    for (size_t s = 0; s < tree->n_splits; s++) {
        if (!tree->is_category[s]) continue;
        size_t from = tree->first_left[s], to = tree->first_left[s + 1];
        assert_true(to - from < N_LEVELS || !tree->missing_left[s]); /* someone goes right */
        for (size_t i = from; i < to; i++)
            assert_true(tree->left_level[i] < N_LEVELS && (i == from || tree->left_level[i - 1] < tree->left_level[i]));
    }
}

static void levels_that_go_left_are_listed_in_order(void **state) {
    (void)state;
    for_both_splits(mixed_data(70), check_left_levels);
}

static size_t depth_below(const smerf_tree_view *tree, size_t node) {
    if (tree->is_leaf[node]) return 0;
    size_t left = depth_below(tree, node + 1), right = depth_below(tree, tree->right[tree->index[node]]);
    return 1 + (left > right ? left : right);
}

static void no_tree_is_deeper_than_allowed(void **state) {
    (void)state;
    data_set *data = plain_data(80);
    for (size_t most = 0; most <= 4; most++) {
        smerf_options options = options_for(5);
        options.max_depth = most;
        smerf_model *model = fit_with(data, &options, NULL);
        for (size_t b = 0; b < 5; b++) {
            smerf_tree_view tree = SMERF_INIT(smerf_tree_view);
            smerf_model_tree(model, b, &tree, NULL);
            assert_int_equal(depth_below(&tree, 0), most); /* 80 items in general position fill four levels */
            if (most == 0) assert_int_equal(tree.n_nodes, 1);
            if (most == 1) assert_true(tree.n_nodes == 3 && tree.right[0] == 2);
        }
        smerf_model_free(model);
    }
    data_set_free(data);
}

static size_t draws_in(const smerf_tree_view *tree, size_t node) {
    size_t sum = 0, end = tree->first_member[tree->index[end_of(tree, node) - 1] + 1];
    for (size_t m = first_member_of(tree, node); m < end; m++) sum += tree->member_draws[m];
    return sum;
}

static void nodes_below_min_parent_are_leaves_and_no_others(void **state) {
    (void)state;
    data_set *data = plain_data(80);
    const size_t smallest[] = {2, 3, 8, 30, 80, 81};
    for (size_t k = 0; k < sizeof smallest / sizeof *smallest; k++) {
        smerf_options options = options_for(5);
        options.min_parent = smallest[k];
        smerf_model *model = fit_with(data, &options, NULL);
        for (size_t b = 0; b < 5; b++) {
            smerf_tree_view tree = SMERF_INIT(smerf_tree_view);
            smerf_model_tree(model, b, &tree, NULL);
            for (size_t node = 0; node < tree.n_nodes; node++) {
                size_t leaf = tree.index[node];
                bool is_one_item = tree.is_leaf[node] && tree.first_member[leaf + 1] - tree.first_member[leaf] == 1;
                assert_int_equal(tree.is_leaf[node], draws_in(&tree, node) < smallest[k] || is_one_item);
            }
        }
        smerf_model_free(model);
    }
    data_set_free(data);
}

static void node_weights_are_draws_times_item_weights(void **state) {
    (void)state;
    data_set *data = mixed_data(40);
    double weights[40], found[100];
    for (size_t i = 0; i < 40; i++) weights[i] = 0.5 + (double)i;
    smerf_error error;
    demand_ok(smerf_items_set_weights(data->items, "w", weights, &error), &error);
    const smerf_options options = options_for(4);
    smerf_model *model = fit_with(data, &options, NULL);
    for (size_t b = 0; b < 4; b++) {
        smerf_tree_view tree = SMERF_INIT(smerf_tree_view);
        smerf_model_tree(model, b, &tree, NULL);
        smerf_model_node_weights(model, b, found);
        for (size_t node = 0; node < tree.n_nodes; node++) {
            double sum = 0;
            size_t end = tree.first_member[tree.index[end_of(&tree, node) - 1] + 1];
            for (size_t m = first_member_of(&tree, node); m < end; m++)
                sum += tree.member_draws[m] * weights[tree.member_item[m]];
            assert_near(found[node], sum, 1e-12 * sum);
        }
    }
    smerf_model_free(model);
    data_set_free(data);
}

static void items_that_are_all_equal_make_one_leaf(void **state) {
    (void)state;
    const double x[4] = {3, 3, 3, 3};
    const float z[16] = {0, 1, 2, 3, 1, 0, 4, 5, 2, 4, 0, 6, 3, 5, 6, 0};
    const smerf_column column = {.name = "x", .values = x};
    data_set data = {0};
    smerf_error error;
    demand_ok(smerf_items_new(&column, 1, 4, &data.items, &error), &error);
    demand_ok(smerf_target_new_distances(z, 4, &data.target, &error), &error);
    smerf_options options = options_for(3);
    for (size_t s = 0; s < 2; s++) {
        options.splits = both_splits[s];
        smerf_model *model = fit_with(&data, &options, NULL);
        smerf_tree_view tree = SMERF_INIT(smerf_tree_view);
        smerf_model_tree(model, 2, &tree, NULL);
        assert_int_equal(tree.n_nodes, 1);
        smerf_model_free(model);
    }
    smerf_items_free(data.items);
    smerf_target_free(data.target);
}

/* One candidate a node, and one feature of eight that varies: the draw goes on until it is found. */
static void features_that_are_constant_do_not_count_as_candidates(void **state) {
    (void)state;
    data_set *data = data_set_new((data_plan){.n_items = 30, .n_numbers = 8, .seed = 5});
    for (size_t k = 0; k < 8 * 30; k++)
        if (k / 30 != 5) data->values[k] = k / 30 == 3 ? NAN : 1;
    smerf_options options = options_for(6);
    options.candidates = 1;
    smerf_model *model = fit_with(data, &options, NULL);
    for (size_t b = 0; b < 6; b++) {
        smerf_tree_view tree = SMERF_INIT(smerf_tree_view);
        smerf_model_tree(model, b, &tree, NULL);
        assert_true(tree.n_splits > 10);
        for (size_t s = 0; s < tree.n_splits; s++) assert_int_equal(tree.term_feature[s], 5);
    }
    smerf_model_free(model);
    data_set_free(data);
}

/* One candidate of five, 2000 times. */
static void every_feature_is_as_likely_to_be_tried(void **state) {
    (void)state;
    enum { N_TREES = 2000 };
    data_set *data = data_set_new((data_plan){.n_items = 12, .n_numbers = 5, .seed = 7});
    smerf_options options = options_for(N_TREES);
    options.candidates = 1;
    options.max_depth = 1;
    smerf_model *model = fit_with(data, &options, NULL);
    double counts[5] = {0};
    for (size_t b = 0; b < N_TREES; b++) {
        smerf_tree_view tree = SMERF_INIT(smerf_tree_view);
        smerf_model_tree(model, b, &tree, NULL);
        counts[tree.term_feature[0]]++;
    }
    for (size_t f = 0; f < 5; f++) assert_near(counts[f], N_TREES / 5, 6 * sqrt(N_TREES / 5));
    smerf_model_free(model);
    data_set_free(data);
}

/* Nothing is missing in training: the heavier side takes what is missing later, the left one if they are equal. */
static void missing_values_never_seen_go_to_the_heavier_side(void **state) {
    (void)state;
    data_set *data = data_set_new((data_plan){.n_items = 60, .n_numbers = 3, .n_categories = 1, .seed = 8});
    const smerf_options options = options_for(6);
    smerf_model *model = fit_with(data, &options, NULL);
    size_t n_equal = 0;
    for (size_t b = 0; b < 6; b++) {
        smerf_tree_view tree = SMERF_INIT(smerf_tree_view);
        smerf_model_tree(model, b, &tree, NULL);
        for (size_t node = 0; node < tree.n_nodes; node++) {
            if (tree.is_leaf[node]) continue;
            size_t split = tree.index[node];
            size_t left = draws_in(&tree, node + 1), right = draws_in(&tree, tree.right[split]);
            assert_int_equal(tree.missing_left[split], left >= right);
            n_equal += left == right;
        }
    }
    assert_true(n_equal > 0);
    smerf_model_free(model);
    data_set_free(data);
}

/* ---- self-distances ---- */

static void a_self_distance_that_is_set_is_the_diagonal(void **state) {
    (void)state;
    data_set *data = mixed_data(40), *same = mixed_data(40);
    for (size_t i = 0; i < 40; i++) same->z[i * 41] = 0.75f;
    smerf_options value = options_for(8), given = options_for(8);
    value.self_distance = SMERF_SELF_VALUE;
    value.self_value = 0.75;
    smerf_model *set = fit_with(data, &value, NULL), *as_given = fit_with(same, &given, NULL);
    const smerf_request request = SMERF_INIT(smerf_request, .rows = data->items);
    double *found = predict_all(set, &request, NULL), *expected = predict_all(as_given, &request, NULL);
    assert_memory_equal(found, expected, 1600 * sizeof *found);
    for (size_t b = 0; b < 8; b++) assert_true(same_tree(set, b, as_given, b));
    free(found);
    free(expected);
    smerf_model_free(set);
    smerf_model_free(as_given);
    data_set_free(data);
    data_set_free(same);
}

/* h(l, l) over pairs of different items, or that of the nearest ancestor that has such a pair. */
static double slow_self(const data_set *data, const smerf_tree_view *tree, size_t leaf) {
    double nearest = NAN;
    size_t node = 0;
    for (;;) {
        const size_t span[2] = {first_member_of(tree, node),
                                tree->first_member[tree->index[end_of(tree, node) - 1] + 1]};
        double mean = slow_mean(data, tree, span, span, NULL, NULL, true);
        if (!isnan(mean)) nearest = mean;
        if (tree->is_leaf[node]) return nearest;
        size_t right = tree->right[tree->index[node]], first_right = right;
        while (!tree->is_leaf[first_right]) first_right++;
        node = leaf < tree->index[first_right] ? node + 1 : right;
    }
}

/* The mean over the trees that have a say; as `given` has it if there is none. */
static double slow_excluded(const smerf_model *model, const data_set *data, size_t n_trees, size_t i, size_t j) {
    double sum = 0, with_self = 0, n_spoken = 0;
    for (size_t b = 0; b < n_trees; b++) {
        smerf_tree_view tree = SMERF_INIT(smerf_tree_view);
        smerf_model_tree(model, b, &tree, NULL);
        size_t from = slow_leaf(model, &tree, data, i), to = slow_leaf(model, &tree, data, j);
        double given = slow_leaf_distance(data, &tree, from, to, NULL, NULL);
        double distance = from == to ? slow_self(data, &tree, from) : given;
        with_self += given;
        if (isnan(distance)) continue;
        sum += distance;
        n_spoken++;
    }
    return n_spoken > 0 ? sum / n_spoken : with_self / (double)n_trees;
}

static void assert_excluded(data_set *data, smerf_options options) {
    size_t n = data->plan.n_items;
    options.self_distance = SMERF_SELF_EXCLUDE;
    smerf_model *model = fit_with(data, &options, NULL);
    const smerf_request request = SMERF_INIT(smerf_request, .rows = data->items);
    double *found = predict_all(model, &request, NULL);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            assert_near(found[i * n + j], slow_excluded(model, data, options.n_trees, i, j), 1e-12);
    free(found);
    options.self_distance = SMERF_SELF_GIVEN; /* growing is as given */
    smerf_model *given = fit_with(data, &options, NULL);
    for (size_t b = 0; b < options.n_trees; b++) assert_true(same_tree(model, b, given, b));
    smerf_model_free(model);
    smerf_model_free(given);
    data_set_free(data);
}

static void self_distances_left_out_ask_the_nearest_ancestor(void **state) {
    (void)state;
    assert_excluded(mixed_data(30), options_for(6));
    smerf_options coarse = options_for(6);
    coarse.min_parent = 8;
    assert_excluded(mixed_data(30), coarse);
}

/* Trees of one item have no pair to ask: they are left out, and if all are, self-distances count after all. */
static void trees_of_one_item_have_no_say_about_self_distances(void **state) {
    (void)state;
    smerf_options options = options_for(4);
    options.sample = SMERF_SUBSAMPLE;
    options.sample_fraction = 0.1;
    assert_excluded(mixed_data(10), options);
    assert_excluded(mixed_data(2), options_for(30)); /* some bags hold one item, twice */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bootstrap_draws_as_often_as_there_are_items),
        cmocka_unit_test(a_subsample_takes_its_share_rounded_up_without_repeats),
        cmocka_unit_test(without_a_sample_every_tree_sees_every_item_once),
        cmocka_unit_test(every_item_is_as_likely_to_be_drawn),
        cmocka_unit_test(nodes_stand_in_preorder),
        cmocka_unit_test(members_lie_where_the_tree_sends_them),
        cmocka_unit_test(a_gain_is_what_the_split_saves),
        cmocka_unit_test(a_split_sums_different_features_in_ascending_order),
        cmocka_unit_test(density_is_the_share_of_features_in_a_projection),
        cmocka_unit_test(levels_that_go_left_are_listed_in_order),
        cmocka_unit_test(no_tree_is_deeper_than_allowed),
        cmocka_unit_test(nodes_below_min_parent_are_leaves_and_no_others),
        cmocka_unit_test(node_weights_are_draws_times_item_weights),
        cmocka_unit_test(items_that_are_all_equal_make_one_leaf),
        cmocka_unit_test(features_that_are_constant_do_not_count_as_candidates),
        cmocka_unit_test(every_feature_is_as_likely_to_be_tried),
        cmocka_unit_test(missing_values_never_seen_go_to_the_heavier_side),
        cmocka_unit_test(a_self_distance_that_is_set_is_the_diagonal),
        cmocka_unit_test(self_distances_left_out_ask_the_nearest_ancestor),
        cmocka_unit_test(trees_of_one_item_have_no_say_about_self_distances),
    };
    return cmocka_run_group_tests(tests, files_enter, files_leave);
}
