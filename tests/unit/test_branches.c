/* test_branches.c - a tree that is put together from branches is the tree that one thread grows, to the last bit: for every kind
 * of target, whoever grows which branch, and when memory runs out, none is lost. */
#include "tests/unit/scarce_memory.h"

#include "tests/unit/again.h"
#include "tests/unit/column_targets.h"
#include "tests/unit/effort.h"

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
    if (kind == DISTANCES || kind == RANK) return sm_target_retain(data->target);
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

enum { N_LARGE = 30000, N_LARGE_COLUMNS = 4 };

typedef struct large {
    double x[N_LARGE_COLUMNS][N_LARGE], y[N_LARGE];
    uint32_t codes[N_LARGE];
    smerf_items *items;
} large;

static large *large_new(void) {
    static const char *const names[] = {"p", "q", "r", "s"};
    large *data = malloc(sizeof *data);
    smerf_column columns[N_LARGE_COLUMNS];
    smerf_error error;
    sm_random random;
    assert_non_null(data);
    sm_random_start(&random, 1, 2, 3);
    for (size_t f = 0; f < N_LARGE_COLUMNS; f++) {
        columns[f] = (smerf_column){.name = names[f], .kind = SMERF_NUMBER, .values = data->x[f]};
        for (size_t i = 0; i < N_LARGE; i++) data->x[f][i] = sm_random_normal(&random);
    }
    for (size_t i = 0; i < N_LARGE; i++) {
        double y = data->y[i] = data->x[0][i] + data->x[1][i] * data->x[2][i] + sm_random_normal(&random);
        data->codes[i] = y < -0.5 ? 0 : y < 0.5 ? 1 : 2;
    }
    demand_ok(smerf_items_new(columns, N_LARGE_COLUMNS, N_LARGE, &data->items, &error), &error);
    return data;
}

static void large_free(large *data) {
    smerf_items_free(data->items);
    free(data);
}

static smerf_target *large_target(const large *data, bool is_labels) {
    static const char *const classes[] = {"a", "b", "c"}, *const name[] = {"y"};
    const double *const response[] = {data->y};
    smerf_target *target = NULL;
    smerf_error error;
    demand_ok(is_labels ? smerf_target_new_labels("c", data->codes, N_LARGE, classes, 3, &target, &error)
                        : smerf_target_new_response(name, response, 1, N_LARGE, &target, &error),
              &error);
    return target;
}

static void a_forest_of_few_trees_is_the_same_with_many_threads(void **state) {
    (void)state;
    large *data = large_new();
    for (size_t way = 0; way < 4; way++) {
        smerf_target *target = large_target(data, way % 2 == 0);
        const smerf_options options = options_for(way < 2 ? 1 : 3);
        const smerf_run alone = SMERF_INIT(smerf_run, .n_threads = 1);
        smerf_model *one = NULL, *many = NULL;
        smerf_error error;
        demand_ok(smerf_fit(data->items, target, &options, &alone, &one, &error), &error);
        for (size_t n_threads = 2; n_threads <= repetitions(8, 4); n_threads += 2) {
            const smerf_run run = SMERF_INIT(smerf_run, .n_threads = n_threads);
            demand_ok(smerf_fit(data->items, target, &options, &run, &many, &error), &error);
            for (size_t tree = 0; tree < options.n_trees; tree++)
                assert_same_tree(&one->trees[tree], &many->trees[tree]);
            smerf_model_free(many);
        }
        smerf_model_free(one);
        smerf_target_free(target);
    }
    large_free(data);
}

static int cancel_later(void *context, double fraction_done) {
    size_t *n_more = context;
    (void)fraction_done;
    return *n_more == 0 ? 1 : (--*n_more, 0);
}

static void a_tree_that_several_threads_grow_can_be_cancelled(void **state) {
    (void)state;
    large *data = large_new();
    smerf_target *target = large_target(data, true);
    const smerf_options options = options_for(2);
    for (size_t n_calls_more = 0; n_calls_more < 12; n_calls_more++) {
        size_t n_more = n_calls_more;
        const smerf_run run = SMERF_INIT(smerf_run, .n_threads = 4, .progress = cancel_later, .context = &n_more);
        smerf_model *model = NULL;
        smerf_error error;
        long before = n_live;
        assert_int_equal(smerf_fit(data->items, target, &options, &run, &model, &error), SMERF_CANCELLED);
        assert_null(model);
        assert_int_equal(n_live, before);
    }
    smerf_target_free(target);
    large_free(data);
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
        cmocka_unit_test(a_tree_that_several_threads_grow_can_be_cancelled),
        cmocka_unit_test(no_branch_is_lost_when_memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
