/* test_explore_out_of_bag.c - clusters and maps of training items at out-of-bag distances, against the matrix of these: its medoids,
 * its scaling, the landmarks' formula; and what has none. */
#include "tests/unit/column_targets.h"

#include "explore/explore.h"

enum { N = 40, N_TREES = 150, N_AXES = 3, N_LANDMARKS = 15 };

/* [N][N] predicted out of bag; every pair is known. */
static double *out_of_bag_matrix(const smerf_model *model, const data_set *data, smerf_oob_rule rule) {
    const smerf_request request = SMERF_INIT(smerf_request, .rows = data->items, .out_of_bag = true, .oob_rule = rule);
    double *distances = predict_all(model, &request, NULL);
    for (size_t k = 0; k < N * N; k++)
        if (k % (N + 1) != 0) assert_true(isfinite(distances[k]));
    return distances;
}

/* ---- clusters ---- */

typedef struct groups {
    uint32_t cluster[N], medoid[N];
    double silhouette[N];
    smerf_clusters found;
} groups;

static smerf_clusters *arrays_of(groups *to) {
    to->found = SMERF_INIT(smerf_clusters, .cluster = to->cluster, .medoid = to->medoid, .silhouette = to->silhouette);
    return &to->found;
}

static void assert_same_groups(const groups *one, const groups *other) {
    assert_memory_equal(one->cluster, other->cluster, sizeof one->cluster);
    assert_memory_equal(one->medoid, other->medoid, sizeof one->medoid);
    assert_memory_equal(one->silhouette, other->silhouette, sizeof one->silhouette);
    assert_true(one->found.k == other->found.k && one->found.cost == other->found.cost);
}

static void assert_clusters(const smerf_model *model, const data_set *data, smerf_oob_rule rule) {
    double *distances = out_of_bag_matrix(model, data, rule);
    float z[N * N];
    smerf_error error;
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < N; j++) z[i * N + j] = (float)distances[i < j ? i * N + j : j * N + i];
    for (size_t k = 0; k < 5; k += 2) {
        smerf_clustering query = SMERF_INIT(smerf_clustering, .k = k, .seed = 9);
        groups own, seen, made[2];
        demand_ok(smerf_cluster_distances(z, N, &query, NULL, arrays_of(&own), &error), &error);
        demand_ok(smerf_cluster(model, data->items, &query, NULL, arrays_of(&seen), &error), &error);
        query.out_of_bag = true;
        query.oob_rule = rule;
        for (size_t way = 0; way < 2; way++) {
            const smerf_run run = SMERF_INIT(smerf_run, .n_threads = 1 + 2 * way);
            demand_ok(smerf_cluster(model, data->items, &query, &run, arrays_of(&made[way]), &error), &error);
            assert_same_groups(&made[way], &own);
        }
        assert_true(seen.found.cost != made[0].found.cost);
    }
    free(distances);
}

/* ---- maps ---- */

static double squared(double distance) { return distance > 0 ? (double)(float)(distance * distance) : 0; }

static void take_map(const smerf_model *model, const data_set *data, smerf_oob_rule rule, size_t n_landmarks,
                     size_t n_threads, double x[N * N_AXES]) {
    const smerf_map_options options = SMERF_INIT(smerf_map_options, .n_dimensions = N_AXES, .n_landmarks = n_landmarks,
                                                 .seed = 5, .out_of_bag = true, .oob_rule = rule);
    const smerf_run run = SMERF_INIT(smerf_run, .n_threads = n_threads);
    smerf_error error;
    demand_ok(smerf_embed(model, data->items, &options, &run, &SMERF_INIT(smerf_map, .coordinates = x), &error),
              &error);
}

/* The landmarks, drawn as embed.c says. */
static void draw_by_hand(size_t n_landmarks, size_t *landmark) {
    size_t n_drawn = 0;
    sm_random random;
    sm_random_start(&random, 5, 0, SM_STREAM_LANDMARKS);
    for (size_t i = 0; i < N; i++)
        if (n_landmarks == N || sm_random_below_64(&random, N - i) < n_landmarks - n_drawn) landmark[n_drawn++] = i;
}

/* Coordinates by the formula, which also puts landmarks where they are; test_embed.c tests the scaling. */
static void assert_map(const smerf_model *model, const data_set *data, smerf_oob_rule rule, size_t n_landmarks) {
    const size_t n = n_landmarks;
    double *distances = out_of_bag_matrix(model, data, rule), x[N * N_AXES], again[N * N_AXES];
    float z[N * N];
    size_t landmark[N];
    sm_scaling scaling = {.n = n, .n_axes = N_AXES};
    sm_pool pool;
    smerf_error error;
    take_map(model, data, rule, n, 1, x);
    take_map(model, data, rule, n, 3, again);
    assert_memory_equal(x, again, sizeof x);
    draw_by_hand(n, landmark);
    for (size_t k = 0; k < n * n; k++)
        z[k] = k % (n + 1) == 0 ? 0 : (float)squared(distances[landmark[k / n] * N + landmark[k % n]]);
    sm_pool_start(&pool, NULL);
    demand_ok(sm_scaling_find(z, 5, SMERF_KERNELS_AUTO, &pool, &scaling, &error), &error);
    for (size_t d = 0; d < N_AXES; d++)
        for (size_t i = 0; i < N; i++) {
            double place = 0, sign = 0;
            assert_true(scaling.value[d] > 0);
            for (size_t k = 0; k < n; k++) {
                double mean = 0, apart = landmark[k] == i ? 0 : squared(distances[i * N + landmark[k]]);
                for (size_t l = 0; l < n; l++) mean += (double)z[l * n + k] / (double)n;
                place -= 0.5 * scaling.vector[k * N_AXES + d] * (apart - mean) / sqrt(scaling.value[d]);
                sign += scaling.vector[k * N_AXES + d] * x[landmark[k] * N_AXES + d];
            }
            assert_true(fabs(x[i * N_AXES + d] - (sign > 0 ? place : -place)) < 1e-5);
        }
    sm_scaling_free(&scaling);
    free(distances);
}

static void clusters_and_maps_are_those_of_the_out_of_bag_matrix(void **state) {
    (void)state;
    data_set *data = mixed_data(N);
    const smerf_options options = options_for(N_TREES);
    smerf_model *models[3] = {fit_to(data, labels_for(data, 3), N_TREES, 2),
                              fit_to(data, response_for(data), N_TREES, 3), fit_with(data, &options, NULL)};
    for (size_t m = 0; m < 3; m++) {
        for (unsigned rule = SMERF_OOB_AS_FITTED; rule <= SMERF_OOB_EITHER; rule++) {
            assert_clusters(models[m], data, (smerf_oob_rule)rule);
            assert_map(models[m], data, (smerf_oob_rule)rule, N);
            assert_map(models[m], data, (smerf_oob_rule)rule, N_LANDMARKS);
        }
        smerf_model_free(models[m]);
    }
    data_set_free(data);
}

/* ---- refusals ---- */

static void assert_refused(const smerf_model *model, const smerf_items *items, smerf_clusters_by by,
                           const char *clusters, const char *maps) {
    groups made;
    double x[N * 2];
    smerf_error error;
    const smerf_clustering query = SMERF_INIT(smerf_clustering, .k = 2, .by = by, .out_of_bag = true);
    assert_int_equal(smerf_cluster(model, items, &query, NULL, arrays_of(&made), &error), SMERF_BAD_INPUT);
    assert_non_null(strstr(error.message, clusters));
    if (maps == NULL) return;
    for (size_t n_landmarks = 0; n_landmarks < 20; n_landmarks += 7) {
        const smerf_map_options options =
            SMERF_INIT(smerf_map_options, .n_dimensions = 2, .n_landmarks = n_landmarks, .seed = 1, .out_of_bag = true);
        assert_int_equal(smerf_embed(model, items, &options, NULL, &SMERF_INIT(smerf_map, .coordinates = x), &error),
                         SMERF_BAD_INPUT);
        assert_non_null(strstr(error.message, maps));
    }
}

static void what_is_not_out_of_bag_is_refused(void **state) {
    (void)state;
    data_set *data = plain_data(N);
    smerf_options options = options_for(5);
    smerf_model *model = fit_to(data, labels_for(data, 3), N_TREES, 2), *few = fit_to(data, labels_for(data, 3), 2, 2);
    const size_t rows[3] = {7, 3, 1};
    data_set *moved = data_set_pick(data, rows, 3);
    const float z[4] = {0};
    groups made;
    smerf_error error;
    assert_refused(model, data->items, SMERF_MEANS, "out of bag: items are clustered by medoids only", NULL);
    assert_refused(model, moved->items, SMERF_MEDOIDS, "is not the model's training item",
                   "is not the model's training item");
    assert_refused(few, data->items, SMERF_MEDOIDS, "clusters need every distance, and that of rows ",
                   "not known out of bag: there is no tree that has not seen them");
    options.sample = SMERF_NO_SAMPLE;
    smerf_model *all = fit_with(data, &options, NULL);
    assert_refused(all, data->items, SMERF_MEDOIDS, "nothing is out of bag", "nothing is out of bag");
    options.method = SMERF_METHOD_GOWER;
    smerf_model *plain = fit_with(data, &options, NULL);
    assert_refused(plain, data->items, SMERF_MEDOIDS, "no notion of out of bag", "no notion of out of bag");
    options.method = SMERF_METHOD_MAHALANOBIS;
    smerf_model *linear = fit_with(data, &options, NULL);
    assert_refused(linear, data->items, SMERF_MEDOIDS, "fitted without bags", "fitted without bags");
    const smerf_clustering query = SMERF_INIT(smerf_clustering, .k = 1, .out_of_bag = true);
    assert_int_equal(smerf_cluster_distances(z, 2, &query, NULL, arrays_of(&made), &error), SMERF_BAD_INPUT);
    assert_non_null(strstr(error.message, "has no out of bag"));
    smerf_model *models[5] = {model, few, all, plain, linear};
    for (size_t m = 0; m < 5; m++) smerf_model_free(models[m]);
    data_set_free(moved);
    data_set_free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clusters_and_maps_are_those_of_the_out_of_bag_matrix),
        cmocka_unit_test(what_is_not_out_of_bag_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
