/* test_defaults.c - what automatic choices come to for each kind of target, and what the paper's options are. */
#include "tests/unit/forests.h"

enum { N_ITEMS = 12, N_KINDS = 9, N_SIZES = 3 };

static const size_t n_features[N_SIZES] = {4, 25, 100};

/* A kind of target that a caller can make, and what is chosen for it. */
typedef struct choice {
    const char *name;
    size_t candidates[N_SIZES];
    smerf_self self;
} choice;

static const choice choices[N_KINDS] = {
    {"distances", {4, 20, 32}, SMERF_SELF_EXCLUDE}, {"pairs", {4, 20, 32}, SMERF_SELF_EXCLUDE},
    {"graph", {3, 12, 32}, SMERF_SELF_EXCLUDE},     {"observed", {3, 12, 32}, SMERF_SELF_EXCLUDE},
    {"labels", {2, 5, 10}, SMERF_SELF_GIVEN},       {"response", {3, 12, 32}, SMERF_SELF_GIVEN},
    {"responses", {3, 12, 32}, SMERF_SELF_GIVEN},   {"absolute", {3, 12, 32}, SMERF_SELF_GIVEN},
    {"product", {3, 12, 32}, SMERF_SELF_GIVEN},
};

static smerf_status make_links(bool is_graph, bool is_observed, smerf_target **out, smerf_error *error) {
    uint32_t left[2 * N_ITEMS], right[2 * N_ITEMS];
    double value[2 * N_ITEMS];
    for (uint32_t k = 0; k < 2 * N_ITEMS; k++) {
        left[k] = k % N_ITEMS;
        right[k] = (k + 1 + k / N_ITEMS) % N_ITEMS;
        value[k] = is_graph ? 1 : 1 / (1.0 + k);
    }
    const smerf_pair_list all = {.n = 2 * N_ITEMS, .left = left, .right = right, .value = value};
    smerf_pair_list edges = all;
    edges.n = N_ITEMS;
    if (!is_graph) return smerf_target_new_pairs(&all, N_ITEMS, out, error);
    return smerf_target_new_graph(&edges, is_observed ? &all : NULL, N_ITEMS, out, error);
}

/* Of the kind with that number, to be freed. */
static smerf_target *make_target(const data_set *data, size_t kind) {
    static const char *const names[] = {"one", "two"}, *const classes[] = {"a", "b"};
    uint32_t codes[N_ITEMS];
    double one[N_ITEMS], two[N_ITEMS];
    const double *const columns[] = {one, two};
    smerf_target *made = NULL;
    smerf_error error;
    for (uint32_t i = 0; i < N_ITEMS; i++) {
        codes[i] = i % 2;
        one[i] = i * i % 7;
        two[i] = i % 5;
    }
    smerf_status status = SMERF_OK;
    switch (kind) {
    case 0: status = smerf_target_new_distances(data->z, N_ITEMS, &made, &error); break;
    case 1: status = make_links(false, false, &made, &error); break;
    case 2: status = make_links(true, false, &made, &error); break;
    case 3: status = make_links(true, true, &made, &error); break;
    case 4: status = smerf_target_new_labels("kind", codes, N_ITEMS, classes, 2, &made, &error); break;
    case 5: status = smerf_target_new_response(names, columns, 1, N_ITEMS, &made, &error); break;
    case 6: status = smerf_target_new_response(names, columns, 2, N_ITEMS, &made, &error); break;
    case 7: status = smerf_target_new_absolute("one", one, N_ITEMS, &made, &error); break;
    default: status = smerf_target_new_product(names, columns, 2, N_ITEMS, &made, &error); break;
    }
    demand_ok(status, &error);
    return made;
}

static smerf_options default_options(void) {
    smerf_options options;
    smerf_options_default(&options);
    options.n_trees = 2;
    return options;
}

static smerf_model *fit_to(const data_set *data, smerf_target *target, const smerf_options *options) {
    smerf_model *model = NULL;
    smerf_error error;
    demand_ok(smerf_fit(data->items, target, options, NULL, &model, &error), &error);
    return model;
}

/* Frees both. */
static void assert_alike(smerf_model *a, smerf_model *b) {
    assert_same_model(a, b);
    smerf_model_free(a);
    smerf_model_free(b);
}

static data_set *data_of(size_t n) { return data_set_new((data_plan){.n_items = N_ITEMS, .n_numbers = n, .seed = 3}); }

static void defaults_are_the_choices_for_the_kind_of_target(void **state) {
    (void)state;
    for (size_t k = 0; k < N_KINDS * N_SIZES; k++) {
        const choice *expected = &choices[k % N_KINDS];
        data_set *data = data_of(n_features[k / N_KINDS]);
        smerf_target *target = make_target(data, k % N_KINDS);
        smerf_options options = default_options();
        smerf_description found = SMERF_INIT(smerf_description);
        smerf_model *model = fit_to(data, target, &options);
        smerf_model_describe(model, &found, NULL);
        if (found.options->candidates != expected->candidates[k / N_KINDS])
            fail_msg("%s: %zu of %zu candidates", expected->name, found.options->candidates, n_features[k / N_KINDS]);
        if (found.options->self_distance != expected->self) fail_msg("%s: self-distance", expected->name);
        options.candidates = expected->candidates[k / N_KINDS];
        options.self_distance = expected->self;
        assert_alike(model, fit_to(data, target, &options));
        smerf_target_free(target);
        data_set_free(data);
    }
}

/* A target that is lowered in rank or filled in goes by what the caller gave. */
static void forms_go_by_the_kind_that_was_given(void **state) {
    (void)state;
    data_set *data = data_of(25);
    const size_t kinds[] = {0, 8, 1, 3};
    for (size_t k = 0; k < 4; k++) {
        const choice *expected = &choices[kinds[k]];
        smerf_target *target = make_target(data, kinds[k]);
        smerf_options options = default_options();
        options.rank = k < 2 ? 1 : 0;
        options.complete = k < 2 ? SMERF_COMPLETE_OFF : 1;
        smerf_model *model = fit_to(data, target, &options);
        options.candidates = expected->candidates[1];
        options.self_distance = expected->self;
        assert_alike(model, fit_to(data, target, &options));
        smerf_target_free(target);
    }
    data_set_free(data);
}

static void the_papers_options_are_the_same_for_every_kind(void **state) {
    (void)state;
    const size_t all[N_SIZES] = {4, 20, 32};
    for (size_t k = 0; k < N_KINDS * N_SIZES; k++) {
        data_set *data = data_of(n_features[k / N_KINDS]);
        smerf_target *target = make_target(data, k % N_KINDS);
        smerf_options options = default_options(), paper;
        smerf_options_paper(&paper);
        paper.n_trees = options.n_trees;
        options.candidates = all[k / N_KINDS];
        options.self_distance = SMERF_SELF_GIVEN;
        options.shrink = SMERF_SHRINK_OFF;
        assert_alike(fit_to(data, target, &paper), fit_to(data, target, &options));
        smerf_target_free(target);
        data_set_free(data);
    }
}

static void what_is_given_is_taken(void **state) {
    (void)state;
    data_set *data = data_of(25);
    for (size_t kind = 0; kind < N_KINDS; kind++) {
        smerf_target *target = make_target(data, kind);
        smerf_options options = default_options();
        smerf_description found = SMERF_INIT(smerf_description);
        options.candidates_power = 0.25;
        options.self_distance = kind % 2 == 0 ? SMERF_SELF_GIVEN : SMERF_SELF_EXCLUDE;
        smerf_model *model = fit_to(data, target, &options);
        smerf_model_describe(model, &found, NULL);
        assert_int_equal(found.options->candidates, 3);
        assert_int_equal(found.options->self_distance, options.self_distance);
        smerf_model_free(model);
        smerf_target_free(target);
    }
    data_set_free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_are_the_choices_for_the_kind_of_target),
        cmocka_unit_test(forms_go_by_the_kind_that_was_given),
        cmocka_unit_test(the_papers_options_are_the_same_for_every_kind),
        cmocka_unit_test(what_is_given_is_taken),
    };
    return cmocka_run_group_tests(tests, files_enter, files_leave);
}
