/* test_target_memory.c - every allocation that fails while pairs become a target, or are filled in, is reported and leaks
 * nothing; what can do without memory does. */
#include "tests/unit/scarce_memory.h"

#include "tests/unit/engines.h"
#include "tests/unit/known_pairs.h"

/* ---- targets ---- */

/* A row needs room of its own; without, it takes its time. */
static void without_memory_a_row_of_leaves_is_the_same(void **state) {
    static known all;
    static listed pairs;
    (void)state;
    for (uint64_t round = 0; round < 12; round++) {
        sm_random random;
        sm_random_start(&random, round, 3, 3);
        const pairs_plan plan = {.n = 40, .density = densities[round % 6], .has_weights = true};
        draw_pairs(&all, &pairs, &plan, &random);
        smerf_target *target = target_of(&pairs, plan.n);
        tree_of_leaves tree;
        grow_leaves(&tree, target, plan.n, round);
        double row[MOST_ITEMS], again[MOST_ITEMS], scratch[MOST_ITEMS];
        for (size_t l = 0; l < tree.leaves.n; l++) {
            target->kind->predicting.leaf_row(target, &tree.leaves, l, row, scratch);
            let_fail(1, true);
            target->kind->predicting.leaf_row(target, &tree.leaves, l, again, scratch);
            let_fail(0, false);
            for (size_t k = 0; k < tree.leaves.n; k++)
                assert_true(isnan(row[k]) ? isnan(again[k]) : row[k] == again[k]);
        }
        fell(&tree, target);
        smerf_target_free(target);
    }
}

enum { GRAPH, PAIRS, OBSERVED };

/* Makes a target and asks everything of it that needs memory. */
static smerf_status live_once(int kind, size_t n, const listed *edges, const listed *pairs, smerf_error *error) {
    smerf_target *target = NULL, *variant = NULL, *again = NULL;
    sm_tensors tensors = {0};
    const sm_search_size size = {.n_items = n, .n_levels = 4, .n_line_ups = 1, .n_threads = 1};
    sm_search *search = NULL;
    tree_of_leaves tree;
    smerf_status status =
        kind == PAIRS ? smerf_target_new_pairs(&pairs->list, n, &target, error)
                      : smerf_target_new_graph(&edges->list, kind == GRAPH ? NULL : &pairs->list, n, &target, error);
    if (status == SMERF_OK) status = target->kind->data.with_diagonal(target, 1, &variant, error);
    if (status == SMERF_OK) status = variant->kind->data.save(variant, &tensors, error);
    if (status == SMERF_OK) status = variant->kind->data.load(&tensors, n, &again, error);
    if (status == SMERF_OK) {
        search = plain_engine(again->kind)->search_new(again, &size, error);
        if (search == NULL) status = error->status;
    }
    if (status == SMERF_OK) {
        plain_engine(again->kind)->search_free(search);
        plant(&tree, n, 1);
        void *summary = again->kind->predicting.summarise(again, &tree.leaves);
        if (summary == NULL)
            status = sm_fail(error, SMERF_NO_MEMORY, "no summary");
        else
            again->kind->predicting.summary_free(summary);
    }
    sm_tensors_free(&tensors);
    smerf_target_free(target);
    smerf_target_free(variant);
    smerf_target_free(again);
    return status;
}

static void every_failed_allocation_of_a_target_is_reported_and_leaks_nothing(void **state) {
    static known all;
    static listed edges, pairs;
    (void)state;
    sm_random random;
    sm_random_start(&random, 1, 6, 3);
    const pairs_plan plan = {.n = 12, .density = 1, .repeated = 0.5, .has_weights = true, .has_diagonal = true};
    draw_pairs(&all, &pairs, &plan, &random);
    listed_start(&edges, true, false);
    for (size_t i = 1; i < 12; i++) listed_add(&edges, i, i / 2, 0.5, 1);
    for (int kind = GRAPH; kind <= OBSERVED; kind++) {
        smerf_error error;
        shortage lack = {.of = "a target of pairs"};
        while (shortage_starts(&lack, &error))
            shortage_ends(&lack, live_once(kind, plan.n, &edges, &pairs, &error), &error);
        assert_true(lack.n_refused > 40); /* or hardly any memory was asked for */
    }
}

/* ---- completing ---- */

/*   step  from one failing call to the next */
static void fail_to_complete(size_t complete, long step) {
    static known all;
    static listed pairs;
    const pairs_plan plan = {.n = 12, .density = 0.7, .has_weights = true, .has_diagonal = true};
    data_set *data = plain_data(plan.n);
    sm_random random;
    smerf_error error;
    sm_random_start(&random, 5, 15, 17);
    draw_pairs(&all, &pairs, &plan, &random);
    smerf_target *target = target_of(&pairs, plan.n);
    for (size_t i = 0; i < plan.n; i++) data->values[i] = (double)i;
    smerf_options options = options_for(2);
    options.complete = complete;
    const smerf_run run = SMERF_INIT(smerf_run, .n_threads = 1);
    shortage lack = {.of = "completing", .may_be = SUCCESS, .step = step}; /* a tree can stay untrimmed */
    while (shortage_starts(&lack, &error)) {
        smerf_model *model = NULL;
        smerf_status status = smerf_fit(data->items, target, &options, &run, &model, &error);
        smerf_model_free(model);
        shortage_ends(&lack, status, &error);
    }
    assert_true(lack.n_refused > 40);
    smerf_target_free(target);
    data_set_free(data);
}

static void every_failed_allocation_of_completing_is_reported_and_leaks_nothing(void **state) {
    (void)state;
    fail_to_complete(2, 1);
    fail_to_complete(SMERF_COMPLETE_AUTO, 3);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_memory_a_row_of_leaves_is_the_same),
        cmocka_unit_test(every_failed_allocation_of_a_target_is_reported_and_leaks_nothing),
        cmocka_unit_test(every_failed_allocation_of_completing_is_reported_and_leaks_nothing),
    };
    return cmocka_run_group_tests(tests, files_enter, files_leave);
}
