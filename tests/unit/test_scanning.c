/* test_scanning.c - the quick ways to grow find the trees that the plain ones find. Items that all weigh 1 by a column of
 * weights are priced by the plain way, those without are scanned: both are the same data. And in a tree too large to be kept in
 * order as a whole, large nodes find their items among all, small ones sort them. */
#include "base/memory.h"
#include "model/model.h"
#include "tests/unit/per_item.h"
#include "train/grow/tree_builder.h"

enum { N_ITEMS = 150, LARGE = 300000, N_LARGE_COLUMNS = 2 };

typedef struct plan {
    size_t n_columns, n_classes; /* 0 classes: a response */
    double missing;
    bool has_repeats; /* numbers and responses come from a few */
    smerf_options options;
} plan;

/* Numbers in all ways that matter to a line-up. */
static double draw_value(const plan *of, sm_random *random) {
    double value = sm_random_normal(random);
    if (sm_random_uniform(random) < of->missing) return NAN;
    return of->has_repeats ? round(2 * value) / 4 : value;
}

static smerf_target *draw_target(const plan *of, size_t n, sm_random *random) {
    static const char *const names[] = {"y"};
    uint32_t *codes = calloc(n, sizeof *codes);
    double *y = calloc(n, sizeof *y);
    const double *const columns[] = {y};
    const char **classes = calloc(of->n_classes + 1, sizeof *classes);
    char(*texts)[24] = calloc(of->n_classes + 1, sizeof *texts);
    smerf_target *target = NULL;
    smerf_error error;
    assert_true(codes != NULL && y != NULL && classes != NULL && texts != NULL);
    for (size_t c = 0; c < of->n_classes; c++) {
        snprintf(texts[c], sizeof texts[c], "%zu", c);
        classes[c] = texts[c];
    }
    for (size_t i = 0; i < n; i++) {
        y[i] = of->has_repeats ? sm_random_below(random, 4) : 1e6 + sm_random_normal(random);
        codes[i] = of->n_classes > 0 ? sm_random_below(random, (uint32_t)of->n_classes) : 0;
    }
    if (of->n_classes > 0)
        demand_ok(smerf_target_new_labels("y", codes, n, classes, of->n_classes, &target, &error), &error);
    else
        demand_ok(smerf_target_new_response(names, columns, 1, n, &target, &error), &error);
    free(codes);
    free(y);
    free(classes);
    free(texts);
    return target;
}

/* The items read *values, which is freed after them. */
static smerf_items *draw_items(const plan *of, size_t n, sm_random *random, double **out) {
    double *values = calloc(of->n_columns * n, sizeof *values);
    char names[MOST_COLUMNS][24];
    smerf_column columns[MOST_COLUMNS];
    smerf_items *items = NULL;
    smerf_error error;
    assert_non_null(values);
    for (size_t k = 0; k < of->n_columns * n; k++) values[k] = draw_value(of, random);
    for (size_t f = 0; f < of->n_columns; f++) {
        snprintf(names[f], sizeof names[f], "x%zu", f);
        columns[f] = (smerf_column){.name = names[f], .kind = SMERF_NUMBER, .values = values + f * n};
    }
    demand_ok(smerf_items_new(columns, of->n_columns, n, &items, &error), &error);
    *out = values;
    return items;
}

static void assert_weights_of_one_change_nothing(const plan *of, size_t n, uint64_t seed) {
    sm_random random;
    sm_random_start(&random, seed, 1, 2);
    double *ones = calloc(n, sizeof *ones);
    smerf_model *scanned = NULL, *priced = NULL;
    smerf_error error;
    assert_non_null(ones);
    for (size_t i = 0; i < n; i++) ones[i] = 1;
    double *values;
    smerf_items *items = draw_items(of, n, &random, &values);
    smerf_target *target = draw_target(of, n, &random);
    demand_ok(smerf_fit(items, target, &of->options, NULL, &scanned, &error), &error);
    demand_ok(smerf_items_set_weights(items, "w", ones, &error), &error);
    demand_ok(smerf_fit(items, target, &of->options, NULL, &priced, &error), &error);
    assert_same_arrays(scanned, priced, of->options.n_trees);
    smerf_model_free(scanned);
    smerf_model_free(priced);
    smerf_target_free(target);
    smerf_items_free(items);
    free(values);
    free(ones);
}

static void scanning_finds_the_trees_that_pricing_finds(void **state) {
    (void)state;
    const size_t classes[] = {0, 1, 2, 5, 60};
    for (unsigned way = 0; way < 32; way++)
        for (size_t c = 0; c < sizeof classes / sizeof *classes; c++) {
            plan of = {.n_columns = way & 1 ? 3 : 30, /* kept in order, or sorted at every node */
                       .n_classes = classes[c],
                       .missing = way & 2 ? 0.2 : 0,
                       .has_repeats = (way & 4) != 0,
                       .options = options_for(3)};
            of.options.splits = way & 8 ? SMERF_OBLIQUE : SMERF_AXIS;
            of.options.candidates = 2;
            of.options.sample = way & 16 ? SMERF_NO_SAMPLE : SMERF_BOOTSTRAP;
            of.options.min_parent = way % 3 == 0 ? 7 : 2;
            of.options.max_depth = way % 5 == 0 ? 4 : SMERF_NO_LIMIT;
            assert_weights_of_one_change_nothing(&of, N_ITEMS, way * 100 + c);
        }
}

static void a_few_items_are_scanned_too(void **state) {
    (void)state;
    for (size_t n = 2; n < 8; n++)
        for (uint64_t seed = 0; seed < 10; seed++) {
            plan of = {
                .n_columns = 2, .n_classes = seed % 2 * 2, .has_repeats = seed % 3 == 0, .options = options_for(5)};
            assert_weights_of_one_change_nothing(&of, n, seed);
        }
}

/* Its subtrees have slots of their own. */
static void a_large_tree_is_the_same(void **state) {
    (void)state;
    plan of = {.n_columns = N_LARGE_COLUMNS, .n_classes = 3, .missing = 0.01, .options = options_for(1)};
    of.options.max_depth = 6;
    assert_weights_of_one_change_nothing(&of, LARGE, 5);
    of.n_classes = 0;
    assert_weights_of_one_change_nothing(&of, LARGE, 6);
}

/* As it is with very many items. */
static void order_by_four_bytes(sm_problem *problem) {
    for (size_t f = 0; f < problem->n_features; f++) {
        uint32_t *order = sm_array(problem->n_items, sizeof *order);
        assert_non_null(order);
        for (size_t r = 0; r < problem->n_items; r++)
            order[r] = sm_ordered_item(problem->orders[f], problem->order_width, r);
        sm_free(problem->orders[f]);
        problem->orders[f] = (uint8_t *)order;
    }
    problem->order_width = sizeof(uint32_t);
}

/* weights  [n] of 1, or NULL: it is scanned */
static void assert_large_nodes_change_nothing(const plan *of, size_t n, size_t most_sorted, const double *weights,
                                              uint64_t seed) {
    sm_random random;
    sm_random_start(&random, seed, 1, 2);
    double *values;
    smerf_items *items = draw_items(of, n, &random, &values);
    smerf_target *target = draw_target(of, n, &random);
    smerf_model *model = NULL;
    smerf_error error;
    sm_view view;
    sm_problem problem;
    sm_pool pool;
    sm_tree_builder *builder;
    sm_branches branches;
    sm_tree tree = {0};
    smerf_tree_view whole = SMERF_INIT(smerf_tree_view);
    demand_ok(smerf_fit(items, target, &of->options, NULL, &model, &error), &error);
    smerf_model_tree(model, 0, &whole, NULL);
    sm_pool_start(&pool, NULL);
    demand_ok(sm_view_match(&view, &items->features, items, &error), &error);
    const sm_problem given = {.view = &view,
                              .features = &model->features,
                              .target = target,
                              .item_weights = weights,
                              .options = &model->options};
    demand_ok(sm_problem_start(&problem, &given, &pool, &error), &error);
    assert_int_equal(problem.most_sorted, problem.most_in_bag);
    problem.most_sorted = most_sorted; /* trees are too large to be kept in order as a whole */
    if (seed % 2 == 0) order_by_four_bytes(&problem);
    demand_ok(sm_tree_builder_new(&problem, SMERF_KERNELS_AUTO, &builder, &error), &error);
    demand_ok(sm_branches_start(&branches, &pool, 1, &error), &error);
    sm_branch *branch = sm_branches_begin(&branches, 0);
    assert_non_null(branch);
    demand_ok(sm_tree_builder_grow(builder, branch, &branches, 0, &error), &error);
    assert_true(sm_branches_end(&branches, branch, &tree));
    assert_int_equal(tree.n_nodes, whole.n_nodes);
    assert_int_equal(tree.n_splits, whole.n_splits);
    assert_memory_equal(tree.index, whole.index, whole.n_nodes * sizeof *tree.index);
    assert_memory_equal(tree.term_feature, whole.term_feature, whole.n_splits * sizeof *tree.term_feature);
    assert_memory_equal(tree.threshold, whole.threshold, whole.n_splits * sizeof *tree.threshold);
    if (weights == NULL) assert_memory_equal(tree.gain, whole.gain, whole.n_splits * sizeof *tree.gain);
    sm_tree_free(&tree);
    sm_branches_free(&branches);
    sm_tree_builder_free(builder);
    sm_problem_free(&problem);
    sm_view_free(&view);
    smerf_model_free(model);
    smerf_target_free(target);
    smerf_items_free(items);
    free(values);
}

static void a_tree_that_is_too_large_to_be_kept_in_order_is_the_same(void **state) {
    (void)state;
    enum { N = 6000 };
    const size_t sizes[] = {10, 100, 1000, 3000};
    static double ones[N];
    for (size_t i = 0; i < N; i++) ones[i] = 1;
    for (unsigned way = 0; way < 16; way++) {
        plan of = {.n_columns = 4,
                   .n_classes = way & 1 ? 3 : 0,
                   .missing = way & 2 ? 0.1 : 0,
                   .has_repeats = (way & 4) != 0,
                   .options = options_for(1)};
        of.options.candidates = way & 8 ? 3 : 2;
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            assert_large_nodes_change_nothing(&of, N, sizes[s], NULL, way);
            assert_large_nodes_change_nothing(&of, N, sizes[s], ones, way);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scanning_finds_the_trees_that_pricing_finds),
        cmocka_unit_test(a_few_items_are_scanned_too),
        cmocka_unit_test(a_large_tree_is_the_same),
        cmocka_unit_test(a_tree_that_is_too_large_to_be_kept_in_order_is_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
