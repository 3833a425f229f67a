/* test_query_memory.c - every allocation of a question that fails is reported and leaks nothing, in one group of trees
 * and in many, with areas under curves, values, and pairs that have to be settled. */
#include "tests/unit/scarce_memory.h"

#include "tests/unit/fake_kinds.h"

enum { N = 4 };

typedef struct scene {
    const smerf_model *model;
    smerf_request request;
    const sm_limits *limits;
    smerf_run run;
    const smerf_target *truth;
} scene;

typedef smerf_status (*act)(const scene *here, smerf_error *error);

static smerf_status ask_rows(const scene *here, smerf_error *error) {
    return sm_predict_rows(here->model, &here->request, here->limits, &here->run, forget_row, NULL, error);
}

static smerf_status ask_pairs(const scene *here, smerf_error *error) {
    const uint32_t left[5] = {0, 1, 2, 3, 0}, right[5] = {1, 1, 3, 3, 2};
    double distance[5], spread[5];
    return sm_predict_pairs(here->model, &here->request, here->limits,
                            &(smerf_pair_list){.n = 5, .left = left, .right = right}, &here->run,
                            &SMERF_INIT(smerf_pair_result, .distance = distance, .spread = spread), error);
}

static smerf_status ask_values(const scene *here, smerf_error *error) {
    double values[N * N_VALUES];
    return sm_predict_values(here->model, &here->request, here->limits, &here->run, values, error);
}

static smerf_status ask_leaves(const scene *here, smerf_error *error) {
    uint32_t leaves[N * 3];
    return sm_predict_leaves(here->model, here->request.rows, here->limits, &here->run, leaves, error);
}

static int forget_neighbors(void *context, size_t query, const smerf_neighbor *neighbors, size_t n) {
    (void)context;
    (void)query;
    (void)neighbors;
    (void)n;
    return 0;
}

static smerf_status ask_neighbors(const scene *here, smerf_error *error) {
    const smerf_neighborhood wanted =
        SMERF_INIT(smerf_neighborhood, .items = here->request.rows, .k = 2, .out_of_bag = here->request.out_of_bag);
    return sm_neighbors(here->model, &wanted, here->limits, &here->run, forget_neighbors, NULL, error);
}

static smerf_status ask_scores(const scene *here, smerf_error *error) {
    smerf_scores scores = SMERF_INIT(smerf_scores);
    const sm_evaluation wanted = {.request = &here->request, .limits = here->limits, .truth = here->truth};
    return sm_evaluate(here->model, &wanted, &here->run, &scores, error);
}

static void fail_everywhere(const scene *here, act act_once, const char *name) {
    smerf_error error;
    for (shortage lack = {.of = name}; shortage_starts(&lack, &error);)
        shortage_ends(&lack, act_once(here, &error), &error);
}

/* Four items and three trees: some trees are grown on one item, and some pairs must be settled. */
static void every_failed_allocation_is_reported_and_leaks_nothing(void **state) {
    (void)state;
    static const struct {
        act act_once;
        const char *name;
    } acts[6] = {
        {ask_rows, "predicting rows"},  {ask_pairs, "predicting pairs"},           {ask_values, "predicting values"},
        {ask_leaves, "finding leaves"}, {ask_neighbors, "looking for neighbours"}, {ask_scores, "evaluating"}};
    data_set *data = mixed_data(N);
    smerf_options options = options_for(3);
    options.self_distance = SMERF_SELF_EXCLUDE;
    smerf_model *model = fit_with(data, &options, NULL);
    pretend(data->target, WITH_LINKS | WITH_VALUES | WITH_SILENCE);
    for (size_t k = 0; k < N_LIMITS; k++)
        for (size_t a = 0; a < 6; a++)
            for (int is_out = 0; is_out < 2; is_out++) {
                const scene here = {.model = model,
                                    .request =
                                        SMERF_INIT(smerf_request, .rows = data->items, .out_of_bag = is_out == 1),
                                    .limits = &small_limits[k],
                                    .run = SMERF_INIT(smerf_run, .n_threads = 1),
                                    .truth = data->target};
                fail_everywhere(&here, acts[a].act_once, acts[a].name);
            }
    smerf_model_free(model);
    data_set_free(data);
}

/* More different distances of links than the first room holds. */
static void every_failed_allocation_of_a_growing_tally_is_reported_and_leaks_nothing(void **state) {
    (void)state;
    data_set *data = plain_data(320);
    const smerf_options options = options_for(2);
    smerf_model *model = fit_with(data, &options, NULL);
    pretend(data->target, WITH_LINKS);
    const scene here = {.model = model,
                        .request = SMERF_INIT(smerf_request, .rows = data->items),
                        .limits = &sm_usual_limits,
                        .run = SMERF_INIT(smerf_run, .n_threads = 1),
                        .truth = data->target};
    fail_everywhere(&here, ask_scores, "evaluating many pairs");
    smerf_model_free(model);
    data_set_free(data);
}

/* By codes, and more within the radius than the first room of a list holds. */
static void every_failed_allocation_of_counting_trees_is_reported_and_leaks_nothing(void **state) {
    (void)state;
    enum { N_LABELLED = 40 };
    static const char *const names[2] = {"a", "b"};
    data_set *data = plain_data(N_LABELLED);
    uint32_t codes[N_LABELLED];
    smerf_target *target = NULL;
    smerf_model *model = NULL;
    smerf_error error;
    smerf_options options = options_for(2);
    for (size_t i = 0; i < N_LABELLED; i++) codes[i] = hidden(data, i) > 0;
    demand_ok(smerf_target_new_labels("c", codes, N_LABELLED, names, 2, &target, &error), &error);
    demand_ok(smerf_fit(data->items, target, &options, NULL, &model, &error), &error);
    const smerf_neighborhood wanted =
        SMERF_INIT(smerf_neighborhood, .items = data->items, .has_radius = true, .radius = 1);
    const smerf_run alone = SMERF_INIT(smerf_run, .n_threads = 1);
    for (shortage lack = {.of = "counting trees"}; shortage_starts(&lack, &error);)
        shortage_ends(&lack, smerf_neighbors(model, &wanted, &alone, forget_neighbors, NULL, &error), &error);
    smerf_model_free(model);
    smerf_target_free(target);
    data_set_free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_failed_allocation_is_reported_and_leaks_nothing),
        cmocka_unit_test(every_failed_allocation_of_a_growing_tally_is_reported_and_leaks_nothing),
        cmocka_unit_test(every_failed_allocation_of_counting_trees_is_reported_and_leaks_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
