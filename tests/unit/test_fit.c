/* test_fit.c - one seed gives one forest however the work is done; options that make no sense are refused with a
 * sentence, and those that are left open are spelled out. */
#include "tests/unit/forests.h"

static const smerf_splits both_splits[2] = {SMERF_AXIS, SMERF_OBLIQUE};

/* ---- one seed, one forest ---- */

static void one_seed_grows_one_forest_on_any_thread_count(void **state) {
    (void)state;
    data_set *data = mixed_data(90);
    for (size_t s = 0; s < 2; s++) {
        smerf_options options = options_for(16);
        const smerf_run alone = SMERF_INIT(smerf_run, .n_threads = 1);
        options.splits = both_splits[s];
        smerf_model *expected = fit_with(data, &options, &alone);
        const size_t counts[] = {2, 3, 7, 0};
        for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
            const smerf_run run = SMERF_INIT(smerf_run, .n_threads = counts[k]);
            smerf_model *model = fit_with(data, &options, &run);
            assert_same_model(model, expected);
            smerf_model_free(model);
        }
        smerf_model_free(expected);
    }
    data_set_free(data);
}

/* Where many threads share the room that Z leaves, the candidates of large nodes are priced in two calls. */
static void one_seed_grows_one_forest_however_little_room_there_is(void **state) {
    (void)state;
    const data_plan plan = {.n_items = 1100, .n_numbers = 20, .n_categories = 3, .missing = 0.05, .seed = 3};
    data_set *data = data_set_new(plan);
    for (size_t s = 0; s < 2; s++) {
        smerf_options options = options_for(24);
        const smerf_run alone = SMERF_INIT(smerf_run, .n_threads = 1), crowded = SMERF_INIT(smerf_run, .n_threads = 24);
        options.splits = both_splits[s];
        options.candidates = 23;
        options.max_depth = 5;
        smerf_model *expected = fit_with(data, &options, &alone), *model = fit_with(data, &options, &crowded);
        assert_same_model(model, expected);
        smerf_model_free(model);
        smerf_model_free(expected);
    }
    data_set_free(data);
}

static void plain_kernels_grow_the_same_forest(void **state) {
    (void)state;
    data_set *data = mixed_data(131);
    const smerf_run plain = SMERF_INIT(smerf_run, .kernels = SMERF_KERNELS_PLAIN),
                    fast = SMERF_INIT(smerf_run, .kernels = SMERF_KERNELS_AUTO);
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
    case 5: options->min_parent = 1; return "min_parent: 1 is below 2: one draw cannot be split";
    case 6: options->oob_rule = SMERF_OOB_AS_FITTED; return "oob_rule: unknown rule";
    case 7: options->self_distance = (smerf_self)4; return "self_distance: unknown kind";
    case 8:
        options->self_distance = SMERF_SELF_VALUE;
        options->self_value = INFINITY;
        return "self_distance: inf is not a number that float32 can hold";
    case 9: options->sample = (smerf_sample)3; return "sample: unknown kind";
    case 10:
        options->sample = SMERF_SUBSAMPLE;
        options->sample_fraction = 0;
        return "sample: the share 0 is not in (0, 1]";
    case 11:
        options->sample = SMERF_SUBSAMPLE;
        options->sample_fraction = 1.5;
        return "sample: the share 1.5 is not in (0, 1]";
    case 12:
        options->sample = SMERF_SUBSAMPLE;
        options->sample_fraction = NAN;
        return "sample: the share nan is not in (0, 1]";
    case 13: options->candidates_power = -1; return "candidates: the power of p is -1 and must be > 0";
    case 14: options->candidates_power = NAN; return "candidates: the power of p is nan and must be > 0";
    case 15: options->density = 0.5; return "density: only oblique splits have one";
    case 16:
        options->splits = SMERF_OBLIQUE;
        options->candidates = 1000000000;
        return "candidates: 1e+09 directions of 4 features are too many";
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
    smerf_description description = SMERF_INIT(smerf_description);
    smerf_model *model = fit_with(data, &options, NULL);
    smerf_model_describe(model, &description, NULL);
    options = *description.options;
    smerf_model_free(model);
    data_set_free(data);
    return options;
}

static void candidates_are_spelled_out(void **state) {
    (void)state;
    const size_t all = SMERF_CANDIDATES_ALL, automatic = SMERF_CANDIDATES_AUTO;
    const struct {
        size_t p, query;
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
        options.candidates = table[k].query;
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
    options.sample_fraction = 0.3;
    options.self_value = 7;
    smerf_options found = resolved(5, options);
    assert_true(found.sample_fraction == 1 && found.self_value == 0);
}

/* ---- cancelling ---- */

static void a_cancelled_fit_says_so_and_leaves_nothing(void **state) {
    (void)state;
    data_set *data = mixed_data(50);
    const smerf_options options = options_for(10);
    for (size_t n_threads = 1; n_threads <= 3; n_threads += 2)
        for (size_t n_calls = 0; n_calls < 4; n_calls++) {
            patience left = {.n_left = n_calls};
            const smerf_run run = SMERF_INIT(smerf_run, .n_threads = n_threads, .progress = run_out, .context = &left);
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
    const smerf_run run = SMERF_INIT(smerf_run, .n_threads = 1, .progress = run_out, .context = &left);
    smerf_model *model = NULL;
    assert_int_equal(smerf_fit(data->items, data->target, &options, &run, &model, NULL), SMERF_CANCELLED);
    assert_null(model);
    assert_true(left.n_left == SIZE_MAX); /* asked once */
    data_set_free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_seed_grows_one_forest_on_any_thread_count),
        cmocka_unit_test(one_seed_grows_one_forest_however_little_room_there_is),
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
        cmocka_unit_test(a_cancelled_fit_says_so_and_leaves_nothing),
        cmocka_unit_test(a_large_tree_can_be_cancelled_while_it_grows),
    };
    return cmocka_run_group_tests(tests, files_enter, files_leave);
}
