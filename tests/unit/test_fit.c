/* test_fit.c - one seed gives one forest however the work is done; options mean what they say, and are refused with a
 * sentence when they say nothing. */
#include "tests/unit/forests.h"

#include <sys/wait.h>

static const smerf_splits both_splits[2] = {SMERF_AXIS, SMERF_OBLIQUE};

/* ---- one seed, one forest ---- */

static void one_seed_grows_one_forest_on_any_thread_count(void **state) {
    (void)state;
    data_set *data = mixed_data(90);
    for (size_t s = 0; s < 2; s++) {
        smerf_options options = options_for(16);
        const smerf_run alone = {.n_threads = 1};
        options.splits = both_splits[s];
        smerf_model *expected = fit_with(data, &options, &alone);
        const size_t counts[] = {2, 3, 7, 0};
        for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
            const smerf_run run = {.n_threads = counts[k]};
            smerf_model *model = fit_with(data, &options, &run);
            assert_same_model(model, expected);
            smerf_model_free(model);
        }
        smerf_model_free(expected);
    }
    data_set_free(data);
}

static void plain_kernels_grow_the_same_forest(void **state) {
    (void)state;
    data_set *data = mixed_data(131);
    const smerf_run plain = {.kernels = SMERF_KERNELS_PLAIN}, fast = {.kernels = SMERF_KERNELS_AUTO};
    for (size_t s = 0; s < 2; s++) {
        smerf_options options = options_for(10);
        options.splits = both_splits[s];
        smerf_model *slow = fit_with(data, &options, &plain), *quick = fit_with(data, &options, &fast);
        assert_same_model(slow, quick);
        smerf_model_free(slow);
        smerf_model_free(quick);
    }
    data_set_free(data);
}

static bool same_tree(const smerf_model *a, size_t tree_a, const smerf_model *b, size_t tree_b) {
    smerf_tree_view left, right;
    smerf_model_tree(a, tree_a, &left);
    smerf_model_tree(b, tree_b, &right);
    if (left.n_nodes != right.n_nodes) return false;
    size_t n_members = left.first_member[left.n_leaves];
    return memcmp(left.threshold, right.threshold, left.n_splits * sizeof *left.threshold) == 0 &&
           memcmp(left.gain, right.gain, left.n_splits * sizeof *left.gain) == 0 &&
           memcmp(left.is_leaf, right.is_leaf, left.n_nodes * sizeof *left.is_leaf) == 0 &&
           n_members == right.first_member[right.n_leaves] &&
           memcmp(left.member_item, right.member_item, n_members * sizeof *left.member_item) == 0;
}

static void a_tree_does_not_depend_on_how_many_follow_or_precede(void **state) {
    (void)state;
    data_set *data = mixed_data(60);
    smerf_options many = options_for(12), few = options_for(5), one = options_for(1);
    one.first_tree = 9;
    smerf_model *whole = fit_with(data, &many, NULL), *start = fit_with(data, &few, NULL);
    smerf_model *single = fit_with(data, &one, NULL);
    for (size_t b = 0; b < 5; b++) assert_true(same_tree(start, b, whole, b));
    assert_true(same_tree(single, 0, whole, 9));
    assert_false(same_tree(single, 0, whole, 8));
    smerf_model_free(whole);
    smerf_model_free(start);
    smerf_model_free(single);
    data_set_free(data);
}

static void another_seed_grows_another_forest(void **state) {
    (void)state;
    data_set *data = plain_data(40);
    smerf_options options = options_for(2);
    smerf_model *first = fit_with(data, &options, NULL);
    options.seed = INT64_MAX; /* the largest there is */
    smerf_model *second = fit_with(data, &options, NULL);
    assert_false(same_tree(first, 0, second, 0));
    smerf_model_free(first);
    smerf_model_free(second);
    data_set_free(data);
}

/* ---- parts ---- */

static smerf_model *fit_part(const data_set *data, size_t first_tree, size_t n_trees) {
    smerf_options options = options_for(n_trees);
    options.first_tree = first_tree;
    return fit_with(data, &options, NULL);
}

static void parts_merged_in_any_order_are_the_whole(void **state) {
    (void)state;
    data_set *data = mixed_data(50);
    smerf_model *whole = fit_part(data, 0, 12), *merged;
    smerf_model *parts[3] = {fit_part(data, 0, 4), fit_part(data, 4, 3), fit_part(data, 7, 5)};
    const size_t orders[3][3] = {{0, 1, 2}, {2, 0, 1}, {1, 2, 0}};
    smerf_error error;
    for (size_t o = 0; o < 3; o++) {
        const smerf_model *given[3] = {parts[orders[o][0]], parts[orders[o][1]], parts[orders[o][2]]};
        demand_ok(smerf_model_merge(given, 3, &merged, &error), &error);
        assert_same_model(merged, whole);
        smerf_model_free(merged);
    }
    const smerf_model *alone[1] = {whole};
    demand_ok(smerf_model_merge(alone, 1, &merged, &error), &error);
    assert_same_model(merged, whole);
    smerf_model_free(merged);
    smerf_model_free(whole);
    for (size_t k = 0; k < 3; k++) smerf_model_free(parts[k]);
    data_set_free(data);
}

static void assert_no_merge(const smerf_model *a, const smerf_model *b, const char *words) {
    const smerf_model *parts[2] = {a, b};
    smerf_model *merged = NULL;
    smerf_error error;
    assert_int_equal(smerf_model_merge(parts, 2, &merged, &error), SMERF_BAD_INPUT);
    assert_null(merged);
    assert_says(&error, "", words);
}

static void parts_that_overlap_or_leave_a_gap_are_not_merged(void **state) {
    (void)state;
    data_set *data = plain_data(20);
    smerf_model *parts[3] = {fit_part(data, 0, 4), fit_part(data, 3, 2), fit_part(data, 5, 2)};
    assert_no_merge(parts[0], parts[1], "overlap: a part ends before tree 4 and the next one starts with tree 3");
    assert_no_merge(parts[2], parts[0], "leave a gap: a part ends before tree 4 and the next one starts with tree 5");
    assert_no_merge(parts[0], parts[0], "overlap");
    smerf_model *merged = NULL;
    smerf_error error;
    assert_int_equal(smerf_model_merge(NULL, 0, &merged, &error), SMERF_BAD_INPUT);
    for (size_t k = 0; k < 3; k++) smerf_model_free(parts[k]);
    data_set_free(data);
}

/* Changes one option; returns what merge calls it, NULL when there are no more. */
static const char *change_option(size_t number, smerf_options *options) {
    switch (number) {
    case 0: options->seed++; return "seed";
    case 1: options->splits = SMERF_OBLIQUE; return "splits";
    case 2: options->candidates = 1; return "candidates";
    case 3: options->min_parent = 4; return "min-parent";
    case 4: options->max_depth = 3; return "max-depth";
    case 5: options->sample = SMERF_SUBSAMPLE; return "sample";
    case 6: options->oob_rule = SMERF_OOB_EITHER; return "oob-rule";
    case 7: options->self_distance = SMERF_SELF_EXCLUDE; return "self-distance";
    default: return NULL;
    }
}

static void parts_of_different_forests_are_not_merged(void **state) {
    (void)state;
    data_set *data = plain_data(20), *other = data_set_new((data_plan){.n_items = 20, .n_numbers = 4, .seed = 9});
    smerf_model *part = fit_part(data, 0, 2), *foreign = fit_part(other, 2, 2);
    for (size_t number = 0;; number++) {
        smerf_options options = options_for(2);
        options.first_tree = 2;
        const char *word = change_option(number, &options);
        if (word == NULL) break;
        smerf_model *changed = fit_with(data, &options, NULL);
        assert_no_merge(part, changed, word);
        smerf_model_free(changed);
    }
    assert_no_merge(part, foreign, "they differ in items");
    data->z[1] = data->z[20] += 1;
    smerf_model *moved = fit_part(data, 2, 2);
    smerf_model_free(part);
    data->z[1] = data->z[20] -= 1;
    part = fit_part(data, 0, 2);
    float *copy = malloc(400 * sizeof *copy);
    memcpy(copy, data->z, 400 * sizeof *copy);
    copy[1] = copy[20] += 1;
    smerf_target *target;
    smerf_error error;
    demand_ok(smerf_target_new_distances(copy, 20, &target, &error), &error);
    smerf_options options = options_for(2);
    options.first_tree = 2;
    smerf_model_free(moved);
    demand_ok(smerf_fit(data->items, target, &options, NULL, &moved, &error), &error);
    assert_no_merge(part, moved, "they differ in target");
    smerf_model_free(moved);
    smerf_target_free(target);
    free(copy);
    smerf_model_free(part);
    smerf_model_free(foreign);
    data_set_free(data);
    data_set_free(other);
}

/* ---- what is refused ---- */

/* Makes options that make no sense; returns what is to be said, NULL when there are no more. */
static const char *spoil(size_t number, smerf_options *options) {
    switch (number) {
    case 0: options->seed = (uint64_t)1 << 63; return "seed: 9223372036854775808 is not in 0 ... 2^63 - 1";
    case 1: options->n_trees = 0; return "trees: at least one is needed";
    case 2: options->n_trees = (size_t)UINT32_MAX + 1; return "trees: numbers must stay below 2^32";
    case 3: options->first_tree = UINT32_MAX; return "trees: numbers must stay below 2^32";
    case 4: options->splits = (smerf_splits)2; return "splits: unknown kind";
    case 5: options->min_parent = 1; return "min-parent: 1 is below 2: one draw cannot be split";
    case 6: options->oob_rule = SMERF_OOB_AS_FITTED; return "oob-rule: unknown rule";
    case 7: options->self_distance = (smerf_self)3; return "self-distance: unknown kind";
    case 8:
        options->self_distance = SMERF_SELF_VALUE;
        options->self_value = INFINITY;
        return "self-distance: the value is not finite";
    case 9: options->sample = (smerf_sample)3; return "sample: unknown kind";
    case 10:
        options->sample = SMERF_SUBSAMPLE;
        options->sample_share = 0;
        return "sample: the share 0 is not in (0, 1]";
    case 11:
        options->sample = SMERF_SUBSAMPLE;
        options->sample_share = 1.5;
        return "sample: the share 1.5 is not in (0, 1]";
    case 12:
        options->sample = SMERF_SUBSAMPLE;
        options->sample_share = NAN;
        return "sample: the share nan is not in (0, 1]";
    case 13: options->candidates_power = -1; return "candidates: the power of p is -1 and must be > 0";
    case 14: options->candidates_power = NAN; return "candidates: the power of p is nan and must be > 0";
    case 15: options->density = 0.5; return "density: only oblique splits have one";
    case 16:
        options->splits = SMERF_OBLIQUE;
        options->candidates = 1000000000;
        return "candidates: 1000000000 directions of 4 features are too many";
    case 17:
        options->splits = SMERF_OBLIQUE;
        options->density = -0.5;
        return "density: -0.5 is not in (0, 1]";
    case 18:
        options->splits = SMERF_OBLIQUE;
        options->density = 1.5;
        return "density: 1.5 is not in (0, 1]";
    case 19:
        options->splits = SMERF_OBLIQUE;
        options->density = NAN;
        return "density: nan is not in (0, 1]";
    case 20:
        options->splits = SMERF_OBLIQUE;
        options->density = 0.01;
        return "density: 0.01 leaves no non-zeros in 4 projections of 4 features; take a larger one";
    default: return NULL;
    }
}

static void options_that_make_no_sense_are_refused_with_a_sentence(void **state) {
    (void)state;
    data_set *data = plain_data(10);
    for (size_t number = 0;; number++) {
        smerf_options options = options_for(2);
        const char *sentence = spoil(number, &options);
        if (sentence == NULL) break;
        smerf_model *model = NULL;
        smerf_error error;
        assert_int_equal(smerf_fit(data->items, data->target, &options, NULL, &model, &error), SMERF_BAD_INPUT);
        assert_null(model);
        assert_string_equal(error.message, sentence);
        assert_int_equal(smerf_fit(data->items, data->target, &options, NULL, &model, NULL), SMERF_BAD_INPUT);
    }
    data_set_free(data);
}

static void assert_no_fit(const data_set *data, smerf_target *target, const char *sentence) {
    const smerf_options options = options_for(2);
    smerf_model *model = NULL;
    smerf_error error;
    assert_int_equal(smerf_fit(data->items, target, &options, NULL, &model, &error), SMERF_BAD_INPUT);
    assert_string_equal(error.message, sentence);
}

static void a_target_that_does_not_fit_the_items_is_refused(void **state) {
    (void)state;
    data_set *data = plain_data(10), *other = plain_data(9), *one = plain_data(1);
    smerf_target *block;
    smerf_error error;
    demand_ok(smerf_target_new_block(data->z, 10, 10, &block, &error), &error);
    assert_no_fit(data, block, "distances between two sets of items cannot be trained on");
    assert_no_fit(data, other->target, "there are 10 items, and the target is about 9");
    assert_no_fit(one, one->target, "there is one item; a distance needs at least two");
    smerf_target_free(block);
    data_set_free(data);
    data_set_free(other);
    data_set_free(one);
}

/* ---- automatic choices ---- */

static smerf_options resolved(size_t p, smerf_options options) {
    data_set *data = data_set_new((data_plan){.n_items = 6, .n_numbers = p, .seed = 3});
    smerf_description description;
    smerf_model *model = fit_with(data, &options, NULL);
    smerf_model_describe(model, &description);
    smerf_model_free(model);
    data_set_free(data);
    return description.options;
}

static void candidates_are_spelled_out(void **state) {
    (void)state;
    const size_t all = SMERF_CANDIDATES_ALL, automatic = SMERF_CANDIDATES_AUTO;
    const struct {
        size_t p, asked;
        double power;
        smerf_splits splits;
        size_t expected;
    } table[] = {
        {5, automatic, 0, SMERF_AXIS, 5},
        {20, automatic, 0, SMERF_AXIS, 20},
        {21, automatic, 0, SMERF_AXIS, 20},
        {55, automatic, 0, SMERF_AXIS, 21},
        {100, automatic, 0, SMERF_AXIS, 32},
        {100, all, 0, SMERF_AXIS, 100},
        {16, automatic, 0.5, SMERF_AXIS, 4},
        {17, automatic, 0.5, SMERF_AXIS, 5},
        {81, automatic, 0.75, SMERF_AXIS, 27},
        {16, 3, 0.25, SMERF_AXIS, 2}, /* the power counts */
        {7, 3, 0, SMERF_AXIS, 3},
        {7, 8, 0, SMERF_AXIS, 7},
        {7, SIZE_MAX - 1, 0, SMERF_AXIS, 7},
        {16, automatic, 1.5, SMERF_AXIS, 16},
        {16, automatic, 1.5, SMERF_OBLIQUE, 64},
        {7, 30, 0, SMERF_OBLIQUE, 30},
        {1, automatic, 0.5, SMERF_AXIS, 1},
        {100, all, 0, SMERF_OBLIQUE, 100},
    };
    for (size_t k = 0; k < sizeof table / sizeof *table; k++) {
        smerf_options options = options_for(1);
        options.candidates = table[k].asked;
        options.candidates_power = table[k].power;
        options.splits = table[k].splits;
        smerf_options found = resolved(table[k].p, options);
        if (found.candidates != table[k].expected)
            fail_msg("row %zu: %zu candidates and not %zu", k, found.candidates, table[k].expected);
        assert_true(found.candidates_power == 0);
    }
}

static void density_is_spelled_out(void **state) {
    (void)state;
    smerf_options options = options_for(1);
    assert_true(resolved(5, options).density == 0); /* axis splits have none */
    options.splits = SMERF_OBLIQUE;
    assert_true(resolved(5, options).density == 1.0 / 5 && resolved(9, options).density == 1.0 / 9);
    assert_true(resolved(10, options).density == 3.0 / 10 && resolved(100, options).density == 3.0 / 100);
    options.density = 0.5;
    assert_true(resolved(10, options).density == 0.5);
}

/* What an option that is off says would otherwise be kept in the model, and merge would find a difference. */
static void options_that_do_not_apply_are_forgotten(void **state) {
    (void)state;
    smerf_options options = options_for(1);
    options.sample_share = 0.3;
    options.self_value = 7;
    smerf_options found = resolved(5, options);
    assert_true(found.sample_share == 1 && found.self_value == 0);
}

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
        smerf_tree_view tree;
        uint32_t most;
        smerf_model_tree(model, b, &tree);
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
    data_set *data = mixed_data(10);
    const struct {
        double share;
        size_t expected;
    } table[] = {{0.7, 7}, {0.71, 8}, {0.3, 3}, {0.05, 1}, {0.11, 2}, {1, 10}, {0.9999, 10}};
    for (size_t k = 0; k < sizeof table / sizeof *table; k++) {
        smerf_options options = options_for(10);
        options.sample = SMERF_SUBSAMPLE;
        options.sample_share = table[k].share;
        assert_draws(data, &options, table[k].expected, false);
    }
    data_set_free(data);
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
        options.sample_share = 0.5;
        smerf_model *model = fit_with(data, &options, NULL);
        double expected = kind == 0 ? N_TREES : N_TREES * 0.5, sums[N] = {0};
        for (size_t b = 0; b < N_TREES; b++) {
            smerf_tree_view tree;
            smerf_model_tree(model, b, &tree);
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
        smerf_tree_view tree;
        smerf_model_tree(model, b, &tree);
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
    while (!tree->is_leaf[node]) node = tree->right[tree->place[node]];
    return node + 1;
}

static void check_preorder(const smerf_model *model, const smerf_tree_view *tree, const data_set *data) {
    (void)model;
    (void)data;
    size_t n_splits = 0, n_leaves = 0;
    assert_true(tree->n_splits + 1 == tree->n_leaves && tree->n_nodes == tree->n_splits + tree->n_leaves);
    for (size_t node = 0; node < tree->n_nodes; node++) {
        assert_int_equal(tree->place[node], tree->is_leaf[node] ? n_leaves++ : n_splits++);
        if (!tree->is_leaf[node]) assert_int_equal(tree->right[tree->place[node]], end_of(tree, node + 1));
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
    return tree->first_member[tree->place[node]];
}

/* Q(S) / W over the members of a node. */
static double slow_cost(const data_set *data, const smerf_tree_view *tree, size_t node) {
    const size_t span[2] = {first_member_of(tree, node), tree->first_member[tree->place[end_of(tree, node) - 1] + 1]};
    double weight = 0;
    for (size_t m = span[0]; m < span[1]; m++) weight += tree->member_draws[m];
    return weight * slow_mean(data, tree, span, span, NULL, NULL, false);
}

static void check_gains(const smerf_model *model, const smerf_tree_view *tree, const data_set *data) {
    (void)model;
    for (size_t node = 0; node < tree->n_nodes; node++) {
        if (tree->is_leaf[node]) continue;
        size_t split = tree->place[node];
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
    smerf_description description;
    smerf_model_describe(model, &description);
    for (size_t s = 0; s < tree->n_splits; s++) {
        size_t from = tree->first_term[s], to = tree->first_term[s + 1];
        assert_true(to > from);
        if (description.options.splits == SMERF_AXIS) assert_true(to == from + 1 && tree->term_weight[from] == 1);
        for (size_t t = from; t < to; t++) {
            bool is_number = data->columns[tree->term_feature[t]].kind == SMERF_NUMBER;
            uint32_t level = tree->term_level != NULL ? tree->term_level[t] : SMERF_MISSING;
            assert_true(t == from || tree->term_feature[t - 1] < tree->term_feature[t]);
            assert_true(tree->term_weight[t] == 1 || tree->term_weight[t] == -1);
            assert_true(tree->term_feature[t] < data->n_columns);
            if (is_number) assert_true(level == SMERF_MISSING && !tree->is_category[s]);
            if (!is_number) assert_true(tree->is_category[s] ? level == SMERF_MISSING : level < N_LEVELS);
        }
        assert_int_equal(tree->is_category[s] && description.options.splits == SMERF_OBLIQUE, false);
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
        smerf_tree_view tree;
        smerf_model_tree(dense, b, &tree);
        assert_int_equal(tree.first_term[tree.n_splits], 4 * tree.n_splits);
        smerf_model_tree(sparse, b, &tree);
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
    size_t left = depth_below(tree, node + 1), right = depth_below(tree, tree->right[tree->place[node]]);
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
            smerf_tree_view tree;
            smerf_model_tree(model, b, &tree);
            assert_int_equal(depth_below(&tree, 0), most); /* 80 items in general position fill four levels */
            if (most == 0) assert_int_equal(tree.n_nodes, 1);
            if (most == 1) assert_true(tree.n_nodes == 3 && tree.right[0] == 2);
        }
        smerf_model_free(model);
    }
    data_set_free(data);
}

static size_t draws_in(const smerf_tree_view *tree, size_t node) {
    size_t sum = 0, end = tree->first_member[tree->place[end_of(tree, node) - 1] + 1];
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
            smerf_tree_view tree;
            smerf_model_tree(model, b, &tree);
            for (size_t node = 0; node < tree.n_nodes; node++) {
                size_t leaf = tree.place[node];
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
        smerf_tree_view tree;
        smerf_model_tree(model, b, &tree);
        smerf_model_node_weights(model, b, found);
        for (size_t node = 0; node < tree.n_nodes; node++) {
            double sum = 0;
            size_t end = tree.first_member[tree.place[end_of(&tree, node) - 1] + 1];
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
        smerf_tree_view tree;
        smerf_model_tree(model, 2, &tree);
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
        smerf_tree_view tree;
        smerf_model_tree(model, b, &tree);
        assert_true(tree.n_splits > 10);
        for (size_t s = 0; s < tree.n_splits; s++) assert_int_equal(tree.term_feature[s], 5);
    }
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
    const smerf_question question = {.rows = data->items};
    double *found = predict_all(set, &question, NULL), *expected = predict_all(as_given, &question, NULL);
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
                                tree->first_member[tree->place[end_of(tree, node) - 1] + 1]};
        double mean = slow_mean(data, tree, span, span, NULL, NULL, true);
        if (!isnan(mean)) nearest = mean;
        if (tree->is_leaf[node]) return nearest;
        size_t right = tree->right[tree->place[node]], first_right = right;
        while (!tree->is_leaf[first_right]) first_right++;
        node = leaf < tree->place[first_right] ? node + 1 : right;
    }
}

/* The mean over the trees that have a say; as `given` has it if there is none. */
static double slow_excluded(const smerf_model *model, const data_set *data, size_t n_trees, size_t i, size_t j) {
    double sum = 0, with_self = 0, n_spoken = 0;
    for (size_t b = 0; b < n_trees; b++) {
        smerf_tree_view tree;
        smerf_model_tree(model, b, &tree);
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
    const smerf_question question = {.rows = data->items};
    double *found = predict_all(model, &question, NULL);
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
    options.sample_share = 0.1;
    assert_excluded(mixed_data(10), options);
    assert_excluded(mixed_data(2), options_for(30)); /* some bags hold one item, twice */
}

/* ---- weights ---- */

/* Structure and members; gains and costs scale with the weights. */
static bool same_shape(const smerf_model *a, const smerf_model *b, size_t n_trees) {
    for (size_t k = 0; k < n_trees; k++) {
        smerf_tree_view left, right;
        smerf_model_tree(a, k, &left);
        smerf_model_tree(b, k, &right);
        if (left.n_nodes != right.n_nodes) return false;
        if (memcmp(left.threshold, right.threshold, left.n_splits * sizeof *left.threshold) != 0) return false;
        if (memcmp(left.member_item, right.member_item, left.first_member[left.n_leaves] * sizeof(uint32_t)) != 0)
            return false;
    }
    return true;
}

static smerf_status fit_weighed(const data_set *data, double weight, smerf_model **model) {
    double weights[40];
    for (size_t i = 0; i < 40; i++) weights[i] = weight * (1 + (double)(i % 3));
    smerf_status status = smerf_items_set_weights(data->items, "w", weights, NULL);
    const smerf_options options = options_for(4);
    return status == SMERF_OK ? smerf_fit(data->items, data->target, &options, NULL, model, NULL) : status;
}

static void the_unit_of_the_weights_does_not_matter(void **state) {
    (void)state;
    data_set *data = mixed_data(40);
    smerf_model *ones, *others;
    assert_int_equal(fit_weighed(data, 1, &ones), SMERF_OK);
    const double units[] = {2, 1024, 0.125};
    for (size_t k = 0; k < 3; k++) {
        assert_int_equal(fit_weighed(data, units[k], &others), SMERF_OK);
        assert_true(same_shape(ones, others, 4));
        smerf_model_free(others);
    }
    smerf_model_free(ones);
    data_set_free(data);
}

/* In a child, as it may crash: such weights are refused, or do what smaller ones do. */
static bool survives_weights(const data_set *data, double weight) {
    pid_t child = fork_child();
    if (child == 0) {
        smerf_model *model = NULL, *ones = NULL;
        smerf_status status = fit_weighed(data, weight, &model);
        if (status == SMERF_BAD_INPUT) _exit(0);
        if (status != SMERF_OK || fit_weighed(data, 1, &ones) != SMERF_OK) _exit(1);
        _exit(same_shape(model, ones, 4) ? 0 : 1);
    }
    int status;
    return waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static void weights_at_the_ends_of_the_range_do_no_harm(void **state) {
    (void)state;
    data_set *data = mixed_data(40);
    assert_true(survives_weights(data, ldexp(1, 400)));
    assert_true(survives_weights(data, ldexp(1, -400)));
    assert_true(survives_weights(data, ldexp(1, 700)));
    assert_true(survives_weights(data, ldexp(1, 1020)));
    assert_true(survives_weights(data, ldexp(1, -700)));
    assert_true(survives_weights(data, ldexp(1, -1070)));
    data_set_free(data);
}

/* ---- extremes ---- */

static void assert_loads_again(const smerf_model *model) {
    smerf_model *again = NULL;
    smerf_error error;
    demand_ok(smerf_model_save(model, "again.smerf", &error), &error);
    demand_ok(smerf_model_load("again.smerf", &again, &error), &error);
    assert_same_model(model, again);
    smerf_model_free(again);
}

/* Sums of such values are infinite; what was grown can still be saved and loaded. */
static void values_at_the_ends_of_the_range_leave_a_model_that_loads(void **state) {
    (void)state;
    data_set *data = plain_data(40);
    for (size_t k = 0; k < 160; k++) data->values[k] *= 0.5e308;
    for (size_t s = 0; s < 2; s++) {
        smerf_options options = options_for(10);
        options.splits = both_splits[s];
        if (s == 1) options.density = 0.9;
        smerf_model *model = fit_with(data, &options, NULL);
        assert_loads_again(model);
        smerf_model_free(model);
    }
    data_set_free(data);
}

static void neighbouring_numbers_are_told_apart(void **state) {
    (void)state;
    data_set *data = data_set_new((data_plan){.n_items = 12, .n_numbers = 1, .seed = 6});
    double value = 1;
    for (size_t i = 0; i < 12; i++, value = nextafter(value, 2)) data->values[i] = value;
    smerf_options options = options_for(3);
    options.sample = SMERF_NO_SAMPLE;
    smerf_model *model = fit_with(data, &options, NULL);
    smerf_tree_view tree;
    smerf_model_tree(model, 0, &tree);
    assert_int_equal(tree.n_leaves, 12);
    check_members(model, &tree, data);
    smerf_model_free(model);
    data_set_free(data);
}

static void the_largest_weights_leave_a_model_that_loads(void **state) {
    (void)state;
    data_set *data = plain_data(10);
    double weights[10];
    for (size_t i = 0; i < 10; i++) weights[i] = i == 0 ? 1.5e300 : 1;
    smerf_error error;
    if (smerf_items_set_weights(data->items, "w", weights, &error) == SMERF_OK) {
        smerf_options options = options_for(2);
        options.max_depth = 0; /* growing on such weights is another question */
        smerf_model *model = fit_with(data, &options, NULL);
        assert_loads_again(model);
        smerf_model_free(model);
    }
    data_set_free(data);
}

/* ---- cancelling ---- */

typedef struct patience {
    size_t n_left;
} patience;

static int run_out(void *context, double share_done) {
    patience *left = context;
    (void)share_done;
    return left->n_left-- == 0;
}

static void a_cancelled_fit_says_so_and_leaves_nothing(void **state) {
    (void)state;
    data_set *data = mixed_data(50);
    const smerf_options options = options_for(10);
    for (size_t n_threads = 1; n_threads <= 3; n_threads += 2)
        for (size_t n_calls = 0; n_calls < 4; n_calls++) {
            patience left = {.n_left = n_calls};
            const smerf_run run = {.n_threads = n_threads, .progress = run_out, .context = &left};
            smerf_model *model = NULL;
            smerf_error error;
            smerf_status status = smerf_fit(data->items, data->target, &options, &run, &model, &error);
            if (n_threads > 1 && status == SMERF_OK) { /* the other threads were faster */
                smerf_model_free(model);
                continue;
            }
            assert_int_equal(status, SMERF_CANCELLED);
            assert_string_equal(error.message, "cancelled");
            assert_null(model);
        }
    data_set_free(data);
}

/* Large nodes ask, too: the first call comes long before the first tree is done. */
static void a_large_tree_can_be_cancelled_while_it_grows(void **state) {
    (void)state;
    data_set *data = plain_data(2000); /* about 1264 in the bag */
    const smerf_options options = options_for(1);
    patience left = {.n_left = 0};
    const smerf_run run = {.n_threads = 1, .progress = run_out, .context = &left};
    smerf_model *model = NULL;
    assert_int_equal(smerf_fit(data->items, data->target, &options, &run, &model, NULL), SMERF_CANCELLED);
    assert_null(model);
    assert_true(left.n_left == SIZE_MAX); /* asked once */
    data_set_free(data);
}

/* ---- tuning ---- */

typedef struct tried {
    smerf_trial trials[40];
    size_t n;
} tried;

static void keep_trial(void *context, const smerf_trial *trial) {
    tried *list = context;
    assert_int_equal(trial->number, list->n);
    list->trials[list->n++] = *trial;
}

static double score_of(const data_set *data, const smerf_options *options, smerf_metric metric) {
    smerf_model *model = fit_with(data, options, NULL);
    const smerf_question question = {.rows = data->items, .out_of_bag = true, .oob_rule = SMERF_OOB_AS_FITTED};
    smerf_scores scores;
    smerf_error error;
    demand_ok(smerf_evaluate(model, &question, NULL, SMERF_HAS(metric), NULL, &scores, &error), &error);
    smerf_model_free(model);
    return scores.value[metric];
}

static void tuning_gives_the_model_that_fitting_the_best_setting_gives(void **state) {
    (void)state;
    data_set *data = mixed_data(50);
    const smerf_options options = options_for(15);
    const smerf_grid grid = {.vary_candidates = true, .vary_min_parent = true, .vary_splits = true};
    const smerf_metric metrics[] = {SMERF_RMSE, SMERF_SPEARMAN, SMERF_MAP10};
    for (size_t m = 0; m < 3; m++) {
        tried list = {.n = 0};
        smerf_trial best;
        smerf_model *tuned;
        smerf_error error;
        demand_ok(smerf_tune(data->items, data->target, &options, &grid, metrics[m], NULL, keep_trial, &list, &best,
                             &tuned, &error),
                  &error);
        assert_true(list.n == best.n_trials && list.n > 6);
        for (size_t k = 0; k < list.n; k++) {
            double score = list.trials[k].score;
            assert_true(score == score_of(data, &list.trials[k].options, metrics[m]));
            bool is_better = smerf_metric_rises(metrics[m]) ? score > best.score : score < best.score;
            assert_false(is_better || (score == best.score && k < best.number));
        }
        smerf_model *fitted = fit_with(data, &best.options, NULL);
        assert_same_model(tuned, fitted);
        smerf_model_free(fitted);
        smerf_model_free(tuned);
    }
    data_set_free(data);
}

static void a_cancelled_tuning_leaves_nothing(void **state) {
    (void)state;
    data_set *data = mixed_data(30);
    const smerf_options options = options_for(4);
    const smerf_grid grid = {.vary_min_parent = true, .vary_candidates = true};
    for (size_t n_calls = 0; n_calls < 40; n_calls += 3) {
        patience left = {.n_left = n_calls};
        const smerf_run run = {.n_threads = 1, .progress = run_out, .context = &left};
        smerf_model *model = NULL;
        assert_int_equal(
            smerf_tune(data->items, data->target, &options, &grid, SMERF_RMSE, &run, NULL, NULL, NULL, &model, NULL),
            SMERF_CANCELLED);
        assert_null(model);
    }
    data_set_free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_seed_grows_one_forest_on_any_thread_count),
        cmocka_unit_test(plain_kernels_grow_the_same_forest),
        cmocka_unit_test(a_tree_does_not_depend_on_how_many_follow_or_precede),
        cmocka_unit_test(another_seed_grows_another_forest),
        cmocka_unit_test(parts_merged_in_any_order_are_the_whole),
        cmocka_unit_test(parts_that_overlap_or_leave_a_gap_are_not_merged),
        cmocka_unit_test(parts_of_different_forests_are_not_merged),
        cmocka_unit_test(options_that_make_no_sense_are_refused_with_a_sentence),
        cmocka_unit_test(a_target_that_does_not_fit_the_items_is_refused),
        cmocka_unit_test(candidates_are_spelled_out),
        cmocka_unit_test(density_is_spelled_out),
        cmocka_unit_test(options_that_do_not_apply_are_forgotten),
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
        cmocka_unit_test(a_self_distance_that_is_set_is_the_diagonal),
        cmocka_unit_test(self_distances_left_out_ask_the_nearest_ancestor),
        cmocka_unit_test(trees_of_one_item_have_no_say_about_self_distances),
        cmocka_unit_test(the_unit_of_the_weights_does_not_matter),
        cmocka_unit_test(weights_at_the_ends_of_the_range_do_no_harm),
        cmocka_unit_test(values_at_the_ends_of_the_range_leave_a_model_that_loads),
        cmocka_unit_test(neighbouring_numbers_are_told_apart),
        cmocka_unit_test(the_largest_weights_leave_a_model_that_loads),
        cmocka_unit_test(a_cancelled_fit_says_so_and_leaves_nothing),
        cmocka_unit_test(a_large_tree_can_be_cancelled_while_it_grows),
        cmocka_unit_test(tuning_gives_the_model_that_fitting_the_best_setting_gives),
        cmocka_unit_test(a_cancelled_tuning_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, files_enter, files_leave);
}
