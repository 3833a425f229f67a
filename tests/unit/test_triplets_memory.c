/* test_triplets_memory.c - every allocation that fails while triplets become a target, are learned from or score a model is reported
 * and leaks nothing. */
#include "tests/unit/scarce_memory.h"

#include "tests/unit/triplet_data.h"

static triplet_data given;
static const smerf_run one_thread = {.size = sizeof(smerf_run), .n_threads = 1};

static void draw_given(const data_set *data, size_t n) {
    sm_random random;
    sm_random_start(&random, 1, 8, 1);
    judge_triplets(&given, data, n, 1, &random);
}

static void a_target_of_triplets_reports_every_failed_allocation(void **state) {
    (void)state;
    data_set *data = plain_data(12);
    smerf_error error;
    draw_given(data, 60);
    for (shortage lack = {.of = "listing triplets"}; shortage_starts(&lack, &error);) {
        smerf_target *target = NULL, *part = NULL;
        smerf_status status = smerf_target_new_triplets(&given.list, 12, &target, &error);
        if (status == SMERF_OK) status = smerf_target_take(target, (const uint32_t[]){3, 1, 7, 8, 2}, 5, &part, &error);
        smerf_target_free(part);
        smerf_target_free(target);
        shortage_ends(&lack, status, &error);
    }
    data_set_free(data);
}

/* Few comparisons, so that these are held out; and more, so that items are. A fit asks for memory thousands of times: once in a while it fails. */
static void learning_from_triplets_reports_every_failed_allocation(void **state) {
    const struct {
        size_t n_items, n_triplets;
        long step;
    } sizes[] = {{8, 30, 41}, {16, 150, 203}};
    (void)state;
    for (size_t k = 0; k < 2; k++) {
        data_set *data = plain_data(sizes[k].n_items);
        smerf_options options = options_for(1);
        smerf_error error;
        draw_given(data, sizes[k].n_triplets);
        options.method = SMERF_METHOD_MAHALANOBIS;
        smerf_target *target = triplets_of(&given, sizes[k].n_items);
        for (shortage lack = {.of = "learning from triplets", .step = sizes[k].step}; shortage_starts(&lack, &error);) {
            smerf_model *model = NULL;
            smerf_status status = smerf_fit(data->items, target, &options, &one_thread, &model, &error);
            smerf_model_free(model);
            shortage_ends(&lack, status, &error);
        }
        smerf_target_free(target);
        data_set_free(data);
    }
}

static void scoring_triplets_reports_every_failed_allocation(void **state) {
    (void)state;
    data_set *data = plain_data(10);
    smerf_options options = options_for(2);
    smerf_error error;
    smerf_model *forest = fit_with(data, &options, &one_thread);
    draw_given(data, 40);
    smerf_target *truth = triplets_of(&given, 10);
    const smerf_request request = SMERF_INIT(smerf_request, .rows = data->items);
    for (shortage lack = {.of = "scoring triplets"}; shortage_starts(&lack, &error);) {
        smerf_triplet_scores scores = SMERF_INIT(smerf_triplet_scores);
        shortage_ends(&lack, smerf_evaluate_triplets(forest, &request, truth, &one_thread, &scores, &error), &error);
    }
    smerf_target_free(truth);
    smerf_model_free(forest);
    data_set_free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_target_of_triplets_reports_every_failed_allocation),
        cmocka_unit_test(learning_from_triplets_reports_every_failed_allocation),
        cmocka_unit_test(scoring_triplets_reports_every_failed_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
