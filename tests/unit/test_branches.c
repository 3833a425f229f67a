/* test_branches.c - a tree that is put together from branches is the tree that one thread grows, to the last bit: for every kind
 * of target, whoever grows which branch, and when memory runs out, none is lost. */
#include "tests/unit/scarce_memory.h"

#include "tests/unit/column_targets.h"
#include "tests/unit/effort.h"

#include "model/model.h"
#include "train/fit.h"
#include "train/tree_builder.h"

/* ---- growing a model's trees again ---- */

enum { NEVER = 0 };

typedef struct again {
    sm_view view;
    sm_problem problem;
    size_t n_threads;
    sm_crew crew;
    sm_branches branches;
    sm_tree_builder *builders[8];
    sm_tree *trees; /* [n_trees] */
    atomic_size_t n_branches;
} again;

static smerf_status grow(void *job, size_t task, size_t thread, smerf_error *error) {
    again *here = job;
    bool is_whole = task < here->problem.options->n_trees;
    sm_branch *branch = is_whole ? sm_branches_begin(&here->branches, task) : sm_branches_take(&here->branches);
    sm_tree_builder **builder = &here->builders[thread];
    smerf_status status = branch == NULL ? SMERF_NO_MEMORY : SMERF_OK;
    atomic_fetch_add(&here->n_branches, 1);
    if (status == SMERF_OK && *builder == NULL)
        status = sm_tree_builder_new(&here->problem, SMERF_KERNELS_AUTO, builder, error);
    if (status == SMERF_OK) status = sm_tree_builder_grow(*builder, branch, &here->branches, thread, error);
    if (status == SMERF_OK && !sm_branches_end(&here->branches, branch, here->trees)) status = SMERF_NO_MEMORY;
    return status;
}

/* least  items of a branch that is left whether anybody is idle or not; NEVER: none is */
static smerf_status grow_all(again *here, size_t least, smerf_error *error) {
    const smerf_run run = {.n_threads = here->n_threads};
    sm_crew_start(&here->crew, &run); /* one that failed stays stopped */
    smerf_status status = sm_branches_start(&here->branches, &here->crew, here->problem.options->n_trees, error);
    if (status != SMERF_OK) return status;
    here->branches.is_wanted = least != NEVER;
    here->branches.least = least != NEVER ? least : SIZE_MAX;
    here->n_branches = 0;
    status = sm_crew_do(&here->crew, here->problem.options->n_trees, grow, here, error);
    sm_branches_free(&here->branches);
    for (size_t t = 0; t < 8; t++) {
        sm_tree_builder_free(here->builders[t]);
        here->builders[t] = NULL;
    }
    return status;
}

static void start_again(again *here, const smerf_model *model, const smerf_items *items, size_t n_threads) {
    smerf_error error;
    const smerf_run run = {.n_threads = n_threads};
    *here = (again){.n_threads = n_threads};
    sm_crew_start(&here->crew, &run);
    demand_ok(sm_view_match(&here->view, &model->features, items, &error), &error);
    demand_ok(sm_problem_start(&here->problem, &here->view, &model->features, model->target, model->weights,
                               &model->options, &here->crew, &error),
              &error);
    here->trees = calloc(model->options.n_trees, sizeof *here->trees);
    assert_non_null(here->trees);
}

static void forget_trees(again *here) {
    for (size_t t = 0; t < here->problem.options->n_trees; t++) sm_tree_free(&here->trees[t]);
}

static void end_again(again *here) {
    forget_trees(here);
    free(here->trees);
    sm_problem_free(&here->problem);
    sm_view_free(&here->view);
}

#define ASSERT_SAME(field, count)                                                                                      \
    do {                                                                                                               \
        assert_int_equal(a->field == NULL, b->field == NULL);                                                          \
        if (a->field != NULL && (count) > 0) assert_memory_equal(a->field, b->field, (count) * sizeof *a->field);      \
    } while (0)

static void assert_same_tree(const sm_tree *a, const sm_tree *b) {
    assert_int_equal(a->n_nodes, b->n_nodes);
    assert_int_equal(a->n_splits, b->n_splits);
    assert_int_equal(a->n_leaves, b->n_leaves);
    ASSERT_SAME(is_leaf, a->n_nodes);
    ASSERT_SAME(place, a->n_nodes);
    ASSERT_SAME(right, a->n_splits);
    ASSERT_SAME(threshold, a->n_splits);
    ASSERT_SAME(gain, a->n_splits);
    ASSERT_SAME(missing_left, a->n_splits);
    ASSERT_SAME(is_category, a->n_splits);
    ASSERT_SAME(first_term, a->n_splits + 1);
    ASSERT_SAME(term_feature, a->first_term[a->n_splits]);
    ASSERT_SAME(term_level, a->first_term[a->n_splits]);
    ASSERT_SAME(term_weight, a->first_term[a->n_splits]);
    ASSERT_SAME(first_left, a->n_splits + 1);
    ASSERT_SAME(left_level, a->first_left != NULL ? a->first_left[a->n_splits] : 0);
    ASSERT_SAME(first_member, a->n_leaves + 1);
    ASSERT_SAME(member_item, a->first_member[a->n_leaves]);
    ASSERT_SAME(member_draws, a->first_member[a->n_leaves]);
}

/* With branches of any size, on one thread and on several.   order  [n_items] of slots, or NULL */
static void assert_branches_change_nothing(const smerf_model *model, const smerf_items *items, const uint32_t *order) {
    static const size_t least[] = {1, 2, 7, 40, 150}, threads[] = {1, 2, 5};
    size_t n_trees = model->options.n_trees;
    sm_tree *expected = calloc(n_trees, sizeof *expected);
    smerf_error error = {0};
    for (size_t t = 0; t < sizeof threads / sizeof *threads; t++) {
        again here;
        start_again(&here, model, items, threads[t]);
        if (order != NULL) here.problem.near_order = sm_copy(order, here.problem.n_items, sizeof *order);
        if (t == 0) {
            demand_ok(grow_all(&here, NEVER, &error), &error);
            assert_int_equal(here.n_branches, n_trees);
            for (size_t tree = 0; tree < n_trees; tree++) {
                expected[tree] = here.trees[tree];
                if (order == NULL) assert_same_tree(&expected[tree], &model->trees[tree]);
                here.trees[tree] = (sm_tree){0};
            }
        }
        for (size_t l = 0; l < sizeof least / sizeof *least; l++) {
            demand_ok(grow_all(&here, least[l], &error), &error);
            if (expected[0].n_leaves > 2 * least[l] + 8) assert_true(here.n_branches > n_trees);
            for (size_t tree = 0; tree < n_trees; tree++) assert_same_tree(&expected[tree], &here.trees[tree]);
            forget_trees(&here);
        }
        end_again(&here);
    }
    for (size_t tree = 0; tree < n_trees; tree++) sm_tree_free(&expected[tree]);
    free(expected);
}

/* ---- every kind of target ---- */

enum {
    DISTANCES,
    LABELS,
    RESPONSE,
    RESPONSES,
    PRODUCT,
    ABSOLUTE,
    GRAPH,
    VALUED_GRAPH,
    PAIRS,
    COMPLETED,
    RANK,
    N_KINDS
};

static bool is_linked(size_t kind) { return kind >= GRAPH && kind <= COMPLETED; }

/* Some pairs, by how far apart their items are. */
static smerf_target *pairs_for(const data_set *data, size_t kind) {
    size_t n = data->plan.n_items;
    uint32_t *left = malloc(n * n * sizeof *left), *right = malloc(n * n * sizeof *right);
    double *value = malloc(n * n * sizeof *value);
    smerf_pair_list list = {.left = left, .right = right, .value = kind == GRAPH ? NULL : value};
    smerf_target *target = NULL;
    smerf_error error;
    sm_random random;
    sm_random_start(&random, n, 3, kind);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++) {
            bool is_listed = sm_random_uniform(&random) < 0.1 && (kind >= PAIRS || data->z[i * n + j] < 1);
            if (!is_listed) continue;
            left[list.n] = (uint32_t)i;
            right[list.n] = (uint32_t)j;
            value[list.n++] = 0.1 + (double)data->z[i * n + j];
        }
    demand_ok(kind >= PAIRS ? smerf_target_new_pairs(&list, n, &target, &error)
                            : smerf_target_new_graph(&list, NULL, n, &target, &error),
              &error);
    free(left);
    free(right);
    free(value);
    return target;
}

static smerf_target *absolute_for(const data_set *data) {
    double values[MOST_TARGET_ITEMS];
    smerf_target *target = NULL;
    smerf_error error;
    for (size_t i = 0; i < data->plan.n_items; i++) values[i] = hidden(data, i);
    demand_ok(smerf_target_new_absolute("y", values, data->plan.n_items, &target, &error), &error);
    return target;
}

static smerf_target *target_for(const data_set *data, size_t kind) {
    if (is_linked(kind)) return pairs_for(data, kind);
    if (kind == DISTANCES || kind == RANK) return sm_target_share(data->target);
    if (kind == ABSOLUTE) return absolute_for(data);
    return kind == LABELS ? labels_for(data, 4) : numbers_for(data, kind == PRODUCT, kind == RESPONSES ? 2 : 1);
}

static void set_weights(const data_set *data) {
    double weights[MOST_TARGET_ITEMS];
    smerf_error error;
    for (size_t i = 0; i < data->plan.n_items; i++) weights[i] = 0.5 + (double)(i % 7);
    demand_ok(smerf_items_set_weights(data->items, "w", weights, &error), &error);
}

enum { MIXED = 1, WEIGHED = 2, OBLIQUE = 4, N_WAYS = 8 };

static void check(size_t kind, unsigned way) {
    enum { N = 300 };
    data_set *data = (way & MIXED) != 0 ? mixed_data(N) : plain_data(N);
    smerf_options options = options_for(3);
    options.seed = kind * 100 + way;
    options.complete = kind == COMPLETED ? 2 : SMERF_COMPLETE_OFF;
    if (kind == RANK) options.rank = 3;
    if ((way & WEIGHED) != 0) set_weights(data);
    if ((way & OBLIQUE) != 0) options.splits = SMERF_OBLIQUE;
    if (way % 3 == 2) options.max_depth = 5;
    smerf_model *model = fit_to_with(data, target_for(data, kind), &options);
    assert_branches_change_nothing(model, data->items, NULL);
    smerf_model_free(model);
    data_set_free(data);
}

static void branches_change_nothing(void **state) {
    (void)state;
    for (size_t kind = 0; kind < N_KINDS; kind++)
        for (size_t way = 0; way < repetitions(N_WAYS, 1); way++) check(kind, (unsigned)(kind + way) % N_WAYS);
}

/* What splits of large nodes gain is known only when both sides are: also where one of them is a branch. */
static void gains_that_are_open_are_settled(void **state) {
    (void)state;
    data_set *data = plain_data(usual_or(1500, 700));
    smerf_options options = options_for(1);
    options.candidates = 4;
    smerf_model *model = fit_with(data, &options, NULL);
    assert_branches_change_nothing(model, data->items, NULL);
    smerf_model_free(model);
    data_set_free(data);
}

static void slots_in_another_order_stay_in_it(void **state) {
    (void)state;
    enum { N = 300 };
    data_set *data = plain_data(N);
    uint32_t order[N];
    for (uint32_t k = 0; k < N; k++) order[k] = k * 77 % N; /* 77 and 300 share no factor */
    for (size_t kind = GRAPH; kind <= PAIRS; kind++) {
        smerf_options options = options_for(2);
        options.complete = SMERF_COMPLETE_OFF;
        smerf_model *model = fit_to_with(data, target_for(data, kind), &options);
        assert_branches_change_nothing(model, data->items, order);
        smerf_model_free(model);
    }
    data_set_free(data);
}

/* Each of the first splits takes one item away, so that these wait at the bottom of the stack; the rest is parted evenly. */
static void a_few_small_nodes_are_left_along_with_a_large_one_but_not_many(void **state) {
    (void)state;
    enum { N = 120 };
    data_set *data = data_set_new((data_plan){.n_items = N, .n_numbers = 1, .seed = 3});
    for (size_t n_large = 10; n_large <= 20; n_large += 10) {
        double y[N];
        const double *const column[] = {y};
        const char *const name[] = {"y"};
        smerf_target *target = NULL;
        smerf_error error;
        for (size_t i = 0; i < N; i++) {
            size_t rank = 0;
            for (size_t j = 0; j < N; j++) rank += data->values[j] < data->values[i];
            y[i] = rank < N - n_large ? (double)rank / N : pow(4, (double)(rank + n_large - N) + 5);
        }
        demand_ok(smerf_target_new_response(name, column, 1, N, &target, &error), &error);
        smerf_options options = options_for(1);
        options.sample = SMERF_NO_SAMPLE;
        smerf_model *model = fit_to_with(data, target, &options);
        assert_int_equal(model->trees[0].right[n_large - 1], 2 * (N - n_large) + n_large - 1);
        again here;
        start_again(&here, model, data->items, 1);
        demand_ok(grow_all(&here, 8, &error), &error);
        assert_same_tree(&here.trees[0], &model->trees[0]);
        if (n_large == 10)
            assert_true(here.n_branches > 1 + n_large);
        else
            assert_int_equal(here.n_branches, 1);
        end_again(&here);
        smerf_model_free(model);
    }
    data_set_free(data);
}

/* ---- forests whose threads leave branches to each other of their own accord ---- */

static void a_forest_of_few_trees_is_the_same_with_many_threads(void **state) {
    (void)state;
    enum { N = 30000 };
    double *x = malloc(4 * N * sizeof *x), *y = malloc(N * sizeof *y);
    uint32_t *codes = malloc(N * sizeof *codes);
    static const char *const classes[] = {"a", "b", "c"}, *const name[] = {"y"};
    const double *const response[] = {y};
    sm_random random;
    sm_random_start(&random, 1, 2, 3);
    for (size_t k = 0; k < 4 * N; k++) x[k] = sm_random_normal(&random);
    for (size_t i = 0; i < N; i++) {
        y[i] = x[i] + x[N + i] * x[2 * N + i] + sm_random_normal(&random);
        codes[i] = y[i] < -0.5 ? 0 : y[i] < 0.5 ? 1 : 2;
    }
    const smerf_column columns[] = {{.name = "p", .kind = SMERF_NUMBER, .values = x},
                                    {.name = "q", .kind = SMERF_NUMBER, .values = x + N},
                                    {.name = "r", .kind = SMERF_NUMBER, .values = x + 2 * N},
                                    {.name = "s", .kind = SMERF_NUMBER, .values = x + 3 * N}};
    smerf_items *items = NULL;
    smerf_error error;
    demand_ok(smerf_items_new(columns, 4, N, &items, &error), &error);
    for (size_t kind = 0; kind < 2; kind++) {
        smerf_target *target = NULL;
        demand_ok(kind == 0 ? smerf_target_new_labels("c", codes, N, classes, 3, &target, &error)
                            : smerf_target_new_response(name, response, 1, N, &target, &error),
                  &error);
        for (size_t n_trees = 1; n_trees <= 3; n_trees += 2) {
            const smerf_options options = options_for(n_trees);
            smerf_model *one = NULL, *many = NULL;
            const smerf_run alone = {.n_threads = 1};
            demand_ok(smerf_fit(items, target, &options, &alone, &one, &error), &error);
            for (size_t n_threads = 2; n_threads <= repetitions(8, 4); n_threads += 2) {
                const smerf_run run = {.n_threads = n_threads};
                demand_ok(smerf_fit(items, target, &options, &run, &many, &error), &error);
                for (size_t tree = 0; tree < n_trees; tree++) assert_same_tree(&one->trees[tree], &many->trees[tree]);
                smerf_model_free(many);
            }
            smerf_model_free(one);
        }
        smerf_target_free(target);
    }
    smerf_items_free(items);
    free(x);
    free(y);
    free(codes);
}

/* ---- no memory ---- */

/* Whichever call fails: all is given back, and what was grown is right. */
static void no_branch_is_lost_when_memory_runs_out(void **state) {
    (void)state;
    data_set *data = mixed_data(120);
    smerf_options options = options_for(2);
    smerf_model *model = fit_to_with(data, labels_for(data, 3), &options);
    again here;
    start_again(&here, model, data->items, 1);
    bool has_failed = true;
    size_t n_fine = 0;
    for (long call = 1; has_failed || call < 40; call += call < 60 ? 1 : 7) {
        long before = n_live;
        smerf_error error = {0};
        let_fail(call, call % 2 == 0);
        smerf_status status = grow_all(&here, 10, &error);
        has_failed = n_calls >= call;
        let_fail(0, false);
        assert_true(status == SMERF_OK || status == SMERF_NO_MEMORY);
        for (size_t tree = 0; tree < 2 && status == SMERF_OK; tree++)
            assert_same_tree(&model->trees[tree], &here.trees[tree]);
        n_fine += status == SMERF_OK && has_failed;
        forget_trees(&here);
        assert_int_equal(n_live, before);
    }
    assert_true(n_fine > 0); /* a branch that could not be left was grown where it was */
    end_again(&here);
    smerf_model_free(model);
    data_set_free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(branches_change_nothing),
        cmocka_unit_test(gains_that_are_open_are_settled),
        cmocka_unit_test(slots_in_another_order_stay_in_it),
        cmocka_unit_test(a_few_small_nodes_are_left_along_with_a_large_one_but_not_many),
        cmocka_unit_test(a_forest_of_few_trees_is_the_same_with_many_threads),
        cmocka_unit_test(no_branch_is_lost_when_memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
