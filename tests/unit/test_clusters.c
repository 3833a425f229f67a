/* test_clusters.c - clusters of a model: the matrix that it predicts, or its vectors, grouped; every method, failed
 * allocations, cancelling. */
#include "tests/unit/scarce_memory.h"

#include "tests/unit/column_targets.h"
#include "tests/unit/questions.h"

enum { MOST = 64 };

typedef struct result {
    uint32_t cluster[MOST], medoid[MOST];
    double silhouette[MOST], tried[MOST];
    smerf_clusters found;
} result;

static smerf_clusters arrays_of(result *to) {
    return SMERF_INIT(smerf_clusters, .cluster = to->cluster, .medoid = to->medoid, .silhouette = to->silhouette,
                      .tried = to->tried);
}

/* So that two results can be compared byte by byte. */
static void forget_arrays(smerf_clusters *found) {
    found->cluster = found->medoid = NULL;
    found->silhouette = found->tried = NULL;
}

static smerf_status ask(const smerf_model *model, const smerf_items *items, const smerf_clustering *query,
                        const smerf_run *run, result *to, smerf_error *error) {
    assert_true(smerf_items_count(items) <= MOST);
    memset(to, 0, sizeof *to);
    to->found = arrays_of(to);
    smerf_status status = smerf_cluster(model, items, query, run, &to->found, error);
    forget_arrays(&to->found);
    return status;
}

static result clusters_of(const smerf_model *model, const smerf_items *items, smerf_clustering query,
                          size_t n_threads) {
    const smerf_run run = SMERF_INIT(smerf_run, .n_threads = n_threads);
    result made;
    smerf_error error;
    demand_ok(ask(model, items, &query, &run, &made, &error), &error);
    return made;
}

/* ---- medoids ---- */

/* The same as for the predicted matrix, in floats. */
static void assert_clusters_of_predictions(const smerf_model *model, const data_set *data) {
    size_t n = data->plan.n_items;
    const smerf_request request = SMERF_INIT(smerf_request, .rows = data->items);
    double *distances = predict_all(model, &request, NULL);
    float *z = calloc(n * n, sizeof *z);
    assert_non_null(z);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) z[i * n + j] = (float)distances[i < j ? i * n + j : j * n + i];
    for (size_t k = 0; k < 5; k += 2) {
        const smerf_clustering query = SMERF_INIT(smerf_clustering, .k = k, .seed = 9);
        result made = clusters_of(model, data->items, query, 2), again = clusters_of(model, data->items, query, 1), own;
        smerf_error error;
        memset(&own, 0, sizeof own);
        own.found = arrays_of(&own);
        demand_ok(smerf_cluster_distances(z, n, &query, NULL, &own.found, &error), &error);
        forget_arrays(&own.found);
        assert_memory_equal(&made, &own, sizeof made);
        assert_memory_equal(&made, &again, sizeof made);
    }
    free(distances);
    free(z);
}

static void medoids_are_those_of_the_predicted_matrix(void **state) {
    (void)state;
    data_set *data = mixed_data(40);
    smerf_model *models[4] = {fit_to(data, labels_for(data, 3), 9, 2), fit_to(data, response_for(data), 9, 3),
                              fit_to(data, numbers_for(data, true, 2), 9, 2), NULL};
    const smerf_options options = options_for(7);
    models[3] = fit_with(data, &options, NULL);
    for (size_t m = 0; m < 4; m++) {
        assert_clusters_of_predictions(models[m], data);
        smerf_model_free(models[m]);
    }
    data_set_free(data);
}

static void other_methods_have_medoids_too(void **state) {
    (void)state;
    data_set *data = plain_data(20);
    const smerf_method methods[4] = {SMERF_METHOD_EUCLIDEAN, SMERF_METHOD_MAHALANOBIS, SMERF_METHOD_BILINEAR,
                                     SMERF_METHOD_RFD};
    for (size_t m = 0; m < 4; m++) {
        smerf_options options = options_for(5);
        options.method = methods[m];
        smerf_model *model = fit_with(data, &options, NULL);
        assert_clusters_of_predictions(model, data);
        smerf_model_free(model);
    }
    data_set_free(data);
}

/* ---- means ---- */

typedef struct vectors {
    float x[MOST][512];
    size_t size;
} vectors;

static int keep_vector(void *context, size_t item, const float *vector, size_t size) {
    vectors *to = context;
    assert_true(size <= 512);
    memcpy(to->x[item], vector, size * sizeof *vector);
    to->size = size;
    return 0;
}

/* Squared distances of all items to the means of the clusters, by their definition. */
static void measure_by_hand(const vectors *of, size_t n, const result *made, double squared[MOST][MOST]) {
    for (size_t c = 0; c < made->found.k; c++) {
        double mean[512] = {0}, size = 0;
        for (size_t i = 0; i < n; i++) size += made->cluster[i] == c;
        assert_true(size > 0);
        for (size_t i = 0; i < n; i++)
            for (size_t r = 0; r < of->size && made->cluster[i] == c; r++) mean[r] += of->x[i][r] / size;
        for (size_t i = 0; i < n; i++) {
            squared[i][c] = 0;
            for (size_t r = 0; r < of->size; r++) squared[i][c] += pow(of->x[i][r] - mean[r], 2);
        }
    }
}

static void assert_means(const smerf_model *model, const data_set *data, size_t k) {
    static vectors of;
    static double squared[MOST][MOST];
    size_t n = data->plan.n_items, n_met = 0;
    double cost = 0, mean = 0;
    smerf_error error;
    demand_ok(smerf_vectors(model, data->items, true, NULL,
                            &SMERF_INIT(smerf_vector_result, .sink = keep_vector, .context = &of), &error),
              &error);
    result made =
        clusters_of(model, data->items, SMERF_INIT(smerf_clustering, .by = SMERF_MEANS, .k = k, .seed = 3), 1);
    assert_int_equal(made.found.k, k);
    measure_by_hand(&of, n, &made, squared);
    for (size_t i = 0; i < n; i++) {
        uint32_t own = made.cluster[i], medoid = made.medoid[i];
        double nearest = INFINITY, size = 0;
        assert_true(own <= n_met);
        n_met += own == n_met;
        for (size_t c = 0; c < k; c++)
            if (c != own) nearest = fmin(nearest, squared[i][c]);
        for (size_t j = 0; j < n; j++) size += made.cluster[j] == own;
        assert_int_equal(made.cluster[medoid], own);
        assert_true(squared[medoid][own] <= squared[i][own] + 1e-9);
        assert_true(squared[i][own] <= nearest + 1e-9);
        double larger = fmax(squared[i][own], nearest);
        double expected = size == 1 || larger == 0 ? 0 : (nearest - squared[i][own]) / larger;
        if (k > 1 && larger > 1e-9) assert_true(fabs(made.silhouette[i] - expected) < 1e-6);
        mean += made.silhouette[i] / (double)n;
        cost += squared[i][own];
    }
    assert_true(fabs(made.found.cost - cost) <= 1e-6 * (1 + cost));
    assert_true(k == 1 ? isnan(made.found.mean_silhouette) : fabs(made.found.mean_silhouette - mean) < 1e-12);
}

static void means_are_those_of_the_vectors(void **state) {
    (void)state;
    data_set *data = mixed_data(50);
    smerf_model *models[3] = {fit_to(data, labels_for(data, 3), 30, 2), fit_to(data, response_for(data), 31, 3),
                              fit_to(data, numbers_for(data, true, 2), 9, 2)};
    for (size_t m = 0; m < 3; m++) {
        const smerf_clustering chosen = SMERF_INIT(smerf_clustering, .by = SMERF_MEANS, .most_k = 9, .seed = 3);
        for (size_t k = 1; k < 6; k++) assert_means(models[m], data, k);
        assert_means(models[m], data, 50);
        result one = clusters_of(models[m], data->items, chosen, 1);
        result three = clusters_of(models[m], data->items, chosen, 3);
        assert_memory_equal(&one, &three, sizeof one);
        for (size_t k = 2; k < 10; k++) {
            result alone = clusters_of(models[m], data->items,
                                       SMERF_INIT(smerf_clustering, .by = SMERF_MEANS, .k = k, .seed = 3), 1);
            assert_true(one.found.k == k ? alone.found.mean_silhouette == one.found.mean_silhouette
                                         : isfinite(one.tried[k]) && one.tried[k] <= one.found.mean_silhouette);
        }
        smerf_model_free(models[m]);
    }
    data_set_free(data);
}

/* ---- refusals ---- */

static void what_cannot_be_clustered_is_refused(void **state) {
    (void)state;
    data_set *data = plain_data(12);
    const smerf_options options = options_for(3);
    smerf_model *model = fit_with(data, &options, NULL);
    result made;
    smerf_error error;
    smerf_clustering query = SMERF_INIT(smerf_clustering, .k = 13);
    for (unsigned by = 0; by < 2; by++) {
        query.by = by == 0 ? SMERF_MEDOIDS : SMERF_MEANS;
        assert_int_equal(ask(model, data->items, &query, NULL, &made, &error), SMERF_BAD_INPUT);
        assert_string_equal(error.message, "13 clusters of 12 items: there can be no more clusters than items");
    }
    query.k = 2;
    assert_int_equal(ask(model, data->items, &query, NULL, &made, &error), SMERF_BAD_INPUT);
    assert_non_null(strstr(error.message, "clusters by means: vectors"));
    smerf_model_free(model);
    data_set_free(data);
}

/* Squares of what a feature may be can be too large for the matrix. */
static void distances_that_are_too_large_are_refused(void **state) {
    (void)state;
    const double values[4] = {0, 1, 2e30, 3};
    const smerf_column column = {.name = "x", .kind = SMERF_NUMBER, .values = values};
    const float z[16] = {0};
    const smerf_clustering query = SMERF_INIT(smerf_clustering, .k = 2);
    smerf_options options = options_for(1);
    smerf_items *items = NULL;
    smerf_target *target = NULL;
    smerf_model *model = NULL;
    smerf_error error;
    result made;
    options.method = SMERF_METHOD_EUCLIDEAN;
    demand_ok(smerf_items_new(&column, 1, 4, &items, &error), &error);
    demand_ok(smerf_target_new_distances(z, 4, &target, &error), &error);
    demand_ok(smerf_fit(items, target, &options, NULL, &model, &error), &error);
    assert_int_equal(ask(model, items, &query, NULL, &made, &error), SMERF_BAD_INPUT);
    assert_string_equal(error.message, "the distance of rows 0 and 2 is 4e+60, too large for clusters");
    smerf_model_free(model);
    smerf_target_free(target);
    smerf_items_free(items);
}

static int watch(void *context, double fraction_done) {
    double *last = context;
    assert_true(fraction_done >= *last && fraction_done <= 1);
    *last = fraction_done;
    return 0;
}

static void progress_rises_and_cancels(void **state) {
    (void)state;
    data_set *data = plain_data(40);
    smerf_model *model = fit_to(data, labels_for(data, 3), 5, 2);
    for (unsigned way = 0; way < 4; way++) {
        const smerf_clustering query =
            SMERF_INIT(smerf_clustering, .by = way & 1 ? SMERF_MEANS : SMERF_MEDOIDS, .k = way & 2 ? 3 : 0);
        double last = 0;
        result made;
        smerf_error error;
        smerf_run run = SMERF_INIT(smerf_run, .n_threads = 2, .progress = watch, .context = &last);
        demand_ok(ask(model, data->items, &query, &run, &made, &error), &error);
        assert_true(last > 1 - 1e-12);
        run.progress = run_out;
        for (size_t n_left = 0; true; n_left = 2 * n_left + 1) {
            patience left = {n_left};
            run.context = &left;
            smerf_status status = ask(model, data->items, &query, &run, &made, &error);
            if (status == SMERF_OK) break;
            assert_int_equal(status, SMERF_CANCELLED);
            assert_string_equal(error.message, "cancelled");
        }
    }
    smerf_model_free(model);
    data_set_free(data);
}

static void every_failed_allocation_is_reported_and_leaks_nothing(void **state) {
    (void)state;
    data_set *data = plain_data(12);
    smerf_model *model = fit_to(data, labels_for(data, 3), 2, 2);
    for (unsigned way = 0; way < 6; way++) {
        const smerf_clustering query =
            SMERF_INIT(smerf_clustering, .by = way & 1 ? SMERF_MEANS : SMERF_MEDOIDS, .k = way / 2, .most_k = 3);
        const smerf_run run = SMERF_INIT(smerf_run, .n_threads = 2);
        result made;
        smerf_error error;
        for (shortage lack = {.of = "finding clusters"}; shortage_starts(&lack, &error);)
            shortage_ends(&lack, ask(model, data->items, &query, &run, &made, &error), &error);
    }
    smerf_model_free(model);
    data_set_free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(medoids_are_those_of_the_predicted_matrix),
        cmocka_unit_test(other_methods_have_medoids_too),
        cmocka_unit_test(means_are_those_of_the_vectors),
        cmocka_unit_test(what_cannot_be_clustered_is_refused),
        cmocka_unit_test(distances_that_are_too_large_are_refused),
        cmocka_unit_test(progress_rises_and_cancels),
        cmocka_unit_test(every_failed_allocation_is_reported_and_leaks_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
