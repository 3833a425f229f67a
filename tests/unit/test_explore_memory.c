/* test_explore_memory.c - every allocation that fails while a distance is used is reported and leaks nothing. */
#include "tests/unit/scarce_memory.h"

#include "tests/unit/column_targets.h"
#include "tests/unit/fake_kinds.h"

#include "explore/explore.h"

enum { N = 6 };

static int forget_vector(void *context, size_t item, const float *vector, size_t size) {
    (void)context;
    (void)item;
    (void)vector;
    (void)size;
    return 0;
}

static const smerf_run two_threads = {.size = sizeof(smerf_run), .n_threads = 2};

static void votes_report_every_failed_allocation(void **state) {
    (void)state;
    data_set *data = mixed_data(N);
    smerf_model *model = fit_to(data, response_for(data), 3, 2);
    const double numbers[N] = {1, 2, 3, 4, 5, 6};
    double values[N];
    smerf_error error;
    const smerf_neighborhood wanted = SMERF_INIT(smerf_neighborhood, .items = data->items, .k = 2);
    for (shortage lack = {.of = "voting"}; shortage_starts(&lack, &error);)
        shortage_ends(
            &lack,
            smerf_vote(model, &wanted, &(smerf_known_values){.values = numbers}, &two_threads, values, NULL, &error),
            &error);
    smerf_model_free(model);
    data_set_free(data);
}

static void maps_report_every_failed_allocation(void **state) {
    (void)state;
    data_set *data = mixed_data(N);
    smerf_model *model = fit_to(data, response_for(data), 3, 2);
    double x[2 * N], values[2];
    smerf_error error;
    for (size_t n_landmarks = 3; n_landmarks <= N; n_landmarks += 3)
        for (shortage lack = {.of = "making a map"}; shortage_starts(&lack, &error);)
            shortage_ends(
                &lack,
                smerf_embed(model, data->items,
                            &SMERF_INIT(smerf_map_options, .n_dimensions = 2, .n_landmarks = n_landmarks, .seed = 1),
                            &two_threads, &SMERF_INIT(smerf_map, .coordinates = x, .eigenvalues = values), &error),
                &error);
    smerf_model_free(model);
    data_set_free(data);
}

static void vectors_report_every_failed_allocation(void **state) {
    (void)state;
    data_set *data = mixed_data(N);
    smerf_model *models[2] = {fit_to(data, response_for(data), 3, 2), fit_to(data, labels_for(data, 3), 3, 2)};
    smerf_error error;
    for (size_t k = 0; k < 2 * N_LIMITS; k++)
        for (shortage lack = {.of = "making vectors"}; shortage_starts(&lack, &error);)
            shortage_ends(&lack,
                          sm_make_vectors(models[k % 2], data->items, k % 3 == 0, &small_limits[k / 2], &two_threads,
                                          &SMERF_INIT(smerf_vector_result, .sink = forget_vector), &error),
                          &error);
    for (size_t m = 0; m < 2; m++) smerf_model_free(models[m]);
    data_set_free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(votes_report_every_failed_allocation),
        cmocka_unit_test(maps_report_every_failed_allocation),
        cmocka_unit_test(vectors_report_every_failed_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
