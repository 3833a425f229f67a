/* test_explain.c - explanations: the same bits for any number of threads, limits, and either order of the items; sums that are
 * the predictions; no memory, and cancelling. What the shares are is checked in tests/paper/test_explain.py. */
#include "tests/unit/scarce_memory.h"

#include "explore/explore.h"
#include "tests/unit/fake_kinds.h"

enum { N = 40, N_TREES = 6, N_PAIRS = 120, N_KINDS = 8, MOST_FEATURES = 8 };

static const char *const kind_names[N_KINDS] = {"distances", "labels", "response", "product",
                                                "absolute",  "graph",  "pairs",    "observed"};

/* Links, or pairs, between items at all distances. */
static smerf_target *list_target(size_t kind, size_t n, const double *y) {
    uint32_t left[4 * N], right[4 * N];
    double value[4 * N];
    size_t n_listed = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t step = 1; step <= 7; step += 3)
            if (i + step < n) {
                left[n_listed] = (uint32_t)i;
                right[n_listed] = (uint32_t)(i + step);
                value[n_listed++] = kind == 6 ? fabs(y[i] - y[i + step]) : 1;
            }
    const smerf_pair_list list = {.n = n_listed, .left = left, .right = right, .value = value};
    const smerf_pair_list edges = {.n = n_listed / 2, .left = left, .right = right, .value = value};
    smerf_target *target = NULL;
    smerf_error error;
    if (kind == 6)
        demand_ok(smerf_target_new_pairs(&list, n, &target, &error), &error);
    else
        demand_ok(smerf_target_new_graph(kind == 5 ? &list : &edges, kind == 5 ? NULL : &list, n, &target, &error),
                  &error);
    return target;
}

static smerf_target *target_of(size_t kind, const data_set *data) {
    static const char *const names[3] = {"a", "b", "c"};
    size_t n = data->plan.n_items;
    double y[N], other[N];
    uint32_t codes[N];
    smerf_target *target = NULL;
    smerf_error error;
    for (size_t i = 0; i < n; i++) {
        y[i] = hidden(data, i);
        other[i] = cos(y[i]);
        codes[i] = y[i] < 0 ? 0 : y[i] < 1 ? 1 : 2;
    }
    const double *columns[2] = {y, other};
    switch (kind) {
    case 0: demand_ok(smerf_target_new_distances(data->z, n, &target, &error), &error); break;
    case 1: demand_ok(smerf_target_new_labels("c", codes, n, names, 3, &target, &error), &error); break;
    case 2: demand_ok(smerf_target_new_response(names, columns, 2, n, &target, &error), &error); break;
    case 3: demand_ok(smerf_target_new_product(names, columns, 2, n, &target, &error), &error); break;
    case 4: demand_ok(smerf_target_new_absolute("y", y, n, &target, &error), &error); break;
    default: target = list_target(kind, n, y);
    }
    return target;
}

static smerf_model *fit_kind(const data_set *data, size_t kind, smerf_self self, size_t complete, size_t n_trees) {
    smerf_target *target = target_of(kind, data);
    smerf_model *model = NULL;
    smerf_error error;
    smerf_options options = options_for(n_trees);
    options.self_distance = self;
    options.self_value = 0.5;
    options.min_parent = 3;
    options.complete = complete;
    demand_ok(smerf_fit(data->items, target, &options, NULL, &model, &error), &error);
    smerf_target_free(target);
    return model;
}

typedef struct account {
    double baseline[N_PAIRS], distance[N_PAIRS], shares[N_PAIRS * MOST_FEATURES];
} account;

/* All numbers are set, so that accounts can be compared as they stand. */
static account *explain(const smerf_model *model, const smerf_request *request, const sm_limits *limits,
                        const uint32_t *left, const uint32_t *right, size_t n_threads) {
    account *found = calloc(1, sizeof *found);
    const smerf_run run = SMERF_INIT(smerf_run, .n_threads = n_threads);
    smerf_error error;
    assert_non_null(found);
    demand_ok(sm_explain_pairs(model, request, limits, &(smerf_pair_list){.n = N_PAIRS, .left = left, .right = right},
                               &run,
                               &SMERF_INIT(smerf_explanation, .baseline = found->baseline,
                                           .contributions = found->shares, .distance = found->distance),
                               &error),
              &error);
    return found;
}

/* Some pairs, of an item and itself too. */
static void draw_pairs(uint32_t *left, uint32_t *right, size_t n) {
    for (uint32_t p = 0; p < N_PAIRS; p++) {
        left[p] = (uint32_t)(p * 7 % n);
        right[p] = p % 10 == 0 ? left[p] : (uint32_t)((p * 13 + 5) % n);
    }
}

static void assert_same_account(account *found, const account *expected) {
    assert_memory_equal(found, expected, sizeof *found);
    free(found);
}

static void check_bits(const smerf_model *model, const smerf_request *request) {
    uint32_t left[N_PAIRS], right[N_PAIRS];
    double distance[N_PAIRS];
    smerf_error error;
    draw_pairs(left, right, N);
    account *first = explain(model, request, &sm_usual_limits, left, right, 1);
    assert_same_account(explain(model, request, &sm_usual_limits, left, right, 3), first);
    assert_same_account(explain(model, request, &sm_usual_limits, right, left, 2), first);
    for (size_t k = 0; k < N_LIMITS; k++)
        assert_same_account(explain(model, request, &small_limits[k], left, right, 2), first);
    demand_ok(smerf_predict_pairs(model, request, &(smerf_pair_list){.n = N_PAIRS, .left = left, .right = right}, NULL,
                                  &SMERF_INIT(smerf_pair_result, .distance = distance), &error),
              &error);
    assert_memory_equal(first->distance, distance, sizeof distance);
    smerf_description description = SMERF_INIT(smerf_description);
    smerf_model_describe(model, &description, NULL);
    for (size_t p = 0; p < N_PAIRS; p++) {
        double sum = first->baseline[p];
        for (size_t f = 0; f < description.n_features; f++) sum += first->shares[p * description.n_features + f];
        assert_near(sum, distance[p], 1e-12);
    }
    free(first);
}

static void threads_limits_and_the_order_of_the_items_change_no_bit(void **state) {
    (void)state;
    data_set *data = mixed_data(N);
    for (size_t kind = 0; kind < N_KINDS; kind++)
        for (smerf_self self = SMERF_SELF_GIVEN; self <= SMERF_SELF_EXCLUDE; self++)
            for (size_t complete = 0; complete <= (kind >= 6 ? 2 : 0); complete += 2) {
                smerf_model *model = fit_kind(data, kind, self, complete, N_TREES);
                const smerf_request all = SMERF_INIT(smerf_request, .rows = data->items),
                                    out = SMERF_INIT(smerf_request, .rows = data->items, .out_of_bag = true);
                check_bits(model, &all);
                check_bits(model, &out);
                smerf_model_free(model);
            }
    data_set_free(data);
}

static void every_failed_allocation_is_reported_and_leaks_nothing(void **state) {
    (void)state;
    enum { FEW = 9 };
    const uint32_t left[3] = {0, 1, 2}, right[3] = {1, 1, 8}, items[2] = {3, 0};
    data_set *data = mixed_data(FEW);
    const smerf_run run = SMERF_INIT(smerf_run, .n_threads = 1);
    for (size_t kind = 0; kind < N_KINDS; kind++)
        for (size_t complete = 0; complete <= (kind >= 6 ? 2 : 0); complete += 2) {
            smerf_model *model = fit_kind(data, kind, SMERF_SELF_EXCLUDE, complete, 2);
            const smerf_request request = SMERF_INIT(smerf_request, .rows = data->items, .out_of_bag = kind % 2 == 0);
            double baseline[3], shares[3 * MOST_FEATURES], near[2 * MOST_FEATURES], all[2 * MOST_FEATURES];
            smerf_error error;
            for (shortage lack = {.of = kind_names[kind]}; shortage_starts(&lack, &error);)
                shortage_ends(
                    &lack,
                    smerf_explain_pairs(model, &request, &(smerf_pair_list){.n = 3, .left = left, .right = right}, &run,
                                        &SMERF_INIT(smerf_explanation, .baseline = baseline, .contributions = shares),
                                        &error),
                    &error);
            for (shortage lack = {.of = "explaining items"}; kind == 1 && shortage_starts(&lack, &error);)
                shortage_ends(&lack,
                              smerf_explain_items(model,
                                                  &SMERF_INIT(smerf_item_request, .rows = data->items, .items = items,
                                                              .n_items = 2, .k = 3),
                                                  &run, near, all, &error),
                              &error);
            smerf_model_free(model);
        }
    data_set_free(data);
}

static void shortage_of_memory_while_features_are_shuffled_together_is_reported(void **state) {
    (void)state;
    data_set *data = mixed_data(9);
    const smerf_options options = options_for(2);
    const smerf_run run = SMERF_INIT(smerf_run, .n_threads = 1);
    const uint32_t features[2] = {1, 0};
    smerf_model *model = fit_with(data, &options, NULL);
    double interaction[4], errors[4];
    smerf_error error;
    for (shortage lack = {.of = "interactions"}; shortage_starts(&lack, &error);)
        shortage_ends(&lack,
                      smerf_importance_interaction(
                          model,
                          &SMERF_INIT(smerf_interactions, .items = data->items, .features = features, .n_features = 2),
                          &run, interaction, errors, &error),
                      &error);
    smerf_model_free(model);
    data_set_free(data);
}

static void it_can_be_cancelled_at_any_time(void **state) {
    (void)state;
    data_set *data = mixed_data(N);
    smerf_model *model = fit_kind(data, 0, SMERF_SELF_GIVEN, 0, N_TREES);
    const smerf_request request = SMERF_INIT(smerf_request, .rows = data->items);
    uint32_t left[N_PAIRS], right[N_PAIRS];
    const uint32_t item = 3, features[2] = {0, 1};
    double baseline[N_PAIRS], shares[N_PAIRS * MOST_FEATURES], near[MOST_FEATURES], all[MOST_FEATURES], numbers[8];
    size_t n_cancelled = 0;
    draw_pairs(left, right, N);
    for (size_t n_reports = 0;; n_reports++) {
        patience so_far = {.n_left = n_reports};
        const smerf_run run = SMERF_INIT(smerf_run, .n_threads = 1, .progress = run_out, .context = &so_far);
        smerf_status status =
            smerf_explain_pairs(model, &request, &(smerf_pair_list){.n = N_PAIRS, .left = left, .right = right}, &run,
                                &SMERF_INIT(smerf_explanation, .baseline = baseline, .contributions = shares), NULL);
        if (status == SMERF_OK) break;
        assert_int_equal(status, SMERF_CANCELLED);
        n_cancelled++;
    }
    assert_true(n_cancelled > 0);
    patience none = {0};
    const smerf_run run = SMERF_INIT(smerf_run, .n_threads = 1, .progress = run_out, .context = &none);
    assert_int_equal(
        smerf_explain_items(model,
                            &SMERF_INIT(smerf_item_request, .rows = data->items, .items = &item, .n_items = 1, .k = 3),
                            &run, near, all, NULL),
        SMERF_CANCELLED);
    none.n_left = 0;
    assert_int_equal(smerf_importance_interaction(
                         model,
                         &SMERF_INIT(smerf_interactions, .items = data->items, .features = features, .n_features = 2),
                         &run, numbers, numbers + 4, NULL),
                     SMERF_CANCELLED);
    smerf_model_free(model);
    data_set_free(data);
}

static void what_makes_no_sense_is_refused(void **state) {
    (void)state;
    data_set *data = mixed_data(N);
    smerf_model *model = fit_kind(data, 1, SMERF_SELF_GIVEN, 0, N_TREES);
    const smerf_request request = SMERF_INIT(smerf_request, .rows = data->items);
    const uint32_t zero = 0, beyond = N, twice[2] = {1, 1}, far[2] = {0, 99};
    double baseline, shares[MOST_FEATURES], all[MOST_FEATURES];
    smerf_error error;
    assert_int_equal(
        smerf_explain_pairs(model, &request, &(smerf_pair_list){.n = 1, .left = &zero, .right = &beyond}, NULL,
                            &SMERF_INIT(smerf_explanation, .baseline = &baseline, .contributions = shares), &error),
        SMERF_BAD_INPUT);
    assert_string_equal(error.message, "pair 0 is (0, 40), and there are 40 and 40 items");
    demand_ok(smerf_explain_pairs(model, &request, &(smerf_pair_list){.n = 0, .left = NULL, .right = NULL}, NULL,
                                  &SMERF_INIT(smerf_explanation, .baseline = NULL, .contributions = NULL), &error),
              &error);
    assert_int_equal(smerf_explain_items(
                         model,
                         &SMERF_INIT(smerf_item_request, .rows = data->items, .items = &beyond, .n_items = 1, .k = 1),
                         NULL, shares, all, &error),
                     SMERF_BAD_INPUT);
    assert_string_equal(error.message, "there is no item 40: there are 40");
    assert_int_equal(
        smerf_explain_items(model,
                            &SMERF_INIT(smerf_item_request, .rows = data->items, .items = &zero, .n_items = 1, .k = 0),
                            NULL, shares, all, &error),
        SMERF_BAD_INPUT);
    assert_int_equal(smerf_importance_interaction(
                         model,
                         &SMERF_INIT(smerf_interactions, .items = data->items, .features = twice, .n_features = 2),
                         NULL, shares, all, &error),
                     SMERF_BAD_INPUT);
    assert_string_equal(error.message, "feature 1 is listed twice");
    assert_int_equal(smerf_importance_interaction(
                         model,
                         &SMERF_INIT(smerf_interactions, .items = data->items, .features = twice, .n_features = 1),
                         NULL, shares, all, &error),
                     SMERF_BAD_INPUT);
    assert_int_equal(smerf_importance_interaction(
                         model, &SMERF_INIT(smerf_interactions, .items = data->items, .features = far, .n_features = 2),
                         NULL, shares, all, &error),
                     SMERF_BAD_INPUT);
    smerf_model_free(model);
    data_set_free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_limits_and_the_order_of_the_items_change_no_bit),
        cmocka_unit_test(every_failed_allocation_is_reported_and_leaks_nothing),
        cmocka_unit_test(shortage_of_memory_while_features_are_shuffled_together_is_reported),
        cmocka_unit_test(it_can_be_cancelled_at_any_time),
        cmocka_unit_test(what_makes_no_sense_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
