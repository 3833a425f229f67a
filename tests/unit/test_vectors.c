/* test_vectors.c - items as vectors: their squared distances and terms add up to the predicted distances. */
#include "tests/unit/column_targets.h"
#include "tests/unit/fake_kinds.h"

#include "explore/explore.h"

/* ---- a set of vectors ---- */

typedef struct vectors {
    size_t n, size;
    float *x;     /* [n][size] */
    double *term; /* [n] */
} vectors;

static int keep_vector(void *context, size_t item, const float *vector, size_t size) {
    vectors *to = context;
    assert_int_equal(item, to->n++);
    assert_int_equal(size, to->size);
    memcpy(to->x + item * size, vector, size * sizeof *vector);
    return 0;
}

static vectors vectors_of(const smerf_model *model, const smerf_items *items, bool is_query, const sm_limits *limits,
                          size_t n_threads) {
    vectors made = {.size = smerf_vectors_size(model)};
    const smerf_run run = SMERF_INIT(smerf_run, .n_threads = n_threads);
    smerf_error error;
    made.x = calloc(smerf_items_count(items) * made.size + 1, sizeof *made.x);
    made.term = calloc(smerf_items_count(items) + 1, sizeof *made.term);
    assert_true(made.x != NULL && made.term != NULL);
    demand_ok(sm_make_vectors(
                  model, items, is_query, limits, &run,
                  &SMERF_INIT(smerf_vector_result, .sink = keep_vector, .context = &made, .term = made.term), &error),
              &error);
    assert_int_equal(made.n, smerf_items_count(items));
    return made;
}

static void vectors_free(vectors *of) {
    free(of->x);
    free(of->term);
}

static double squared_distance(const vectors *a, size_t i, const vectors *b, size_t j) {
    double sum = 0;
    for (size_t k = 0; k < a->size; k++) {
        double apart = (double)a->x[i * a->size + k] - (double)b->x[j * b->size + k];
        sum += apart * apart;
    }
    return sum;
}

static double smallest_term(const vectors *of) {
    double smallest = INFINITY;
    for (size_t i = 0; i < of->n; i++) smallest = fmin(smallest, of->term[i]);
    return smallest;
}

static bool share_a_leaf(const smerf_model *model, const data_set *data, size_t i, size_t j) {
    smerf_description description = SMERF_INIT(smerf_description);
    smerf_model_describe(model, &description, NULL);
    for (size_t b = 0; b < description.options->n_trees; b++) {
        smerf_tree_view tree = SMERF_INIT(smerf_tree_view);
        smerf_model_tree(model, b, &tree, NULL);
        if (slow_leaf(model, &tree, data, i) == slow_leaf(model, &tree, data, j)) return true;
    }
    return false;
}

/*   everywhere  in the same leaf too */
static void assert_view(const smerf_model *model, const data_set *data, bool everywhere) {
    size_t n = data->plan.n_items, n_apart = 0;
    vectors queries = vectors_of(model, data->items, true, &sm_usual_limits, 1);
    vectors items = vectors_of(model, data->items, false, &sm_usual_limits, 1);
    double *distances = predict_all(model, &SMERF_INIT(smerf_request, .rows = data->items), NULL), largest = 0;
    double smallest = smallest_term(&items);
    for (size_t k = 0; k < n * n; k++) largest = fmax(largest, fabs(distances[k]));
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            if (!everywhere && share_a_leaf(model, data, i, j)) continue;
            n_apart += i != j;
            assert_near(squared_distance(&queries, i, &queries, j) + queries.term[i] + queries.term[j],
                        distances[i * n + j], 1e-6 * largest);
            assert_near(squared_distance(&queries, i, &items, j) + queries.term[i] + smallest, distances[i * n + j],
                        1e-6 * largest);
        }
    assert_true(n_apart > 0 || n < 3);
    assert_memory_equal(queries.term, items.term, n * sizeof(double));
    for (size_t i = 0; i < n; i++) {
        assert_true(queries.x[(i + 1) * queries.size - 1] == 0 && items.x[(i + 1) * items.size - 1] >= 0);
        assert_memory_equal(queries.x + i * queries.size, items.x + i * items.size, (items.size - 1) * sizeof *items.x);
    }
    free(distances);
    vectors_free(&queries);
    vectors_free(&items);
}

static void assert_same_however(const smerf_model *model, const smerf_items *items) {
    vectors usual = vectors_of(model, items, false, &sm_usual_limits, 1);
    for (size_t k = 0; k < (N_LIMITS + 1) * 3; k++) {
        const sm_limits *limits = k / 3 < N_LIMITS ? &small_limits[k / 3] : &sm_usual_limits;
        vectors other = vectors_of(model, items, false, limits, 1 + k % 3);
        assert_memory_equal(usual.x, other.x, usual.n * usual.size * sizeof *usual.x);
        assert_memory_equal(usual.term, other.term, usual.n * sizeof *usual.term);
        vectors_free(&other);
    }
    vectors_free(&usual);
}

/* ---- claims ---- */

static void vectors_are_the_predicted_distances(void **state) {
    (void)state;
    for (size_t n_trees = 1; n_trees < 9; n_trees += 7) {
        data_set *data = mixed_data(300);
        smerf_model *models[6] = {fit_to(data, labels_for(data, 4), n_trees, 2),
                                  fit_to(data, labels_for(data, 1), n_trees, 2),
                                  fit_to(data, labels_for(data, 3), n_trees, 20),
                                  fit_to(data, numbers_for(data, false, 2), n_trees, 8),
                                  fit_to(data, numbers_for(data, true, 2), n_trees, 20),
                                  fit_to(data, response_for(data), n_trees, 2)};
        for (size_t m = 0; m < 6; m++) {
            assert_view(models[m], data, true);
            assert_same_however(models[m], data->items);
            smerf_model_free(models[m]);
        }
        data_set_free(data);
    }
}

/* What is said of an item and itself is in no vector. */
static void own_distances_change_the_same_leaf_only(void **state) {
    (void)state;
    data_set *data = plain_data(60);
    for (unsigned way = 0; way < 6; way++) {
        smerf_options options = options_for(5);
        options.min_parent = 6;
        options.self_distance = way < 3 ? SMERF_SELF_VALUE : SMERF_SELF_EXCLUDE;
        options.self_value = 0.5;
        smerf_model *model = fit_to_with(data,
                                         way % 3 == 0   ? labels_for(data, 3)
                                         : way % 3 == 1 ? response_for(data)
                                                        : numbers_for(data, true, 2),
                                         &options);
        assert_view(model, data, false);
        smerf_model_free(model);
    }
    data_set_free(data);
}

static void weights_of_items_count(void **state) {
    (void)state;
    data_set *data = mixed_data(50);
    double weights[50];
    smerf_error error;
    for (size_t i = 0; i < 50; i++) weights[i] = 0.1 + (double)(i % 7);
    demand_ok(smerf_items_set_weights(data->items, "w", weights, &error), &error);
    smerf_model *models[2] = {fit_to(data, labels_for(data, 3), 5, 10), fit_to(data, response_for(data), 5, 10)};
    for (size_t m = 0; m < 2; m++) {
        assert_view(models[m], data, true);
        smerf_model_free(models[m]);
    }
    data_set_free(data);
}

/* A product of low rank has no negative eigenvalue; distances of points in a plane have two positive ones. */
static void low_ranks_have_vectors_unless_some_are_negative(void **state) {
    (void)state;
    data_set *data = plain_data(40);
    smerf_options options = options_for(4);
    smerf_error error;
    options.rank = 1;
    smerf_model *model = fit_to_with(data, numbers_for(data, true, 2), &options);
    assert_true(smerf_vectors_size(model) == 4 * 1 + 1);
    assert_view(model, data, false);
    smerf_model_free(model);
    for (size_t i = 0; i < 40; i++)
        for (size_t j = 0; j < 40; j++)
            data->z[i * 40 + j] =
                (float)(pow(hidden(data, i) - hidden(data, j), 2) + pow(data->values[i] - data->values[j], 2));
    options.rank = 2;
    model = fit_with(data, &options, NULL);
    assert_true(smerf_vectors_size(model) == 4 * 2 + 1);
    assert_view(model, data, false);
    smerf_model_free(model);
    for (size_t k = 0; k < 40 * 40; k++) data->z[k] = (float)(k % 41 == 0) - data->z[k];
    model = fit_with(data, &options, NULL);
    assert_int_equal(smerf_vectors_size(model), 0);
    assert_int_equal(
        smerf_vectors(model, data->items, true, NULL, &SMERF_INIT(smerf_vector_result, .sink = keep_vector), &error),
        SMERF_BAD_INPUT);
    assert_non_null(strstr(error.message, "negative"));
    smerf_model_free(model);
    data_set_free(data);
}

/* Distances that are drawn towards the mean: shorter vectors, and a number more in all terms. */
static void vectors_are_of_drawn_distances(void **state) {
    (void)state;
    data_set *data = plain_data(40);
    smerf_options options = options_for(4);
    for (size_t k = 0; k < 3; k++) {
        options.shrink = k == 0 ? 0.02 : k == 1 ? 0.4 : 0.9;
        options.rank = k % 2;
        smerf_model *model = fit_to_with(data, numbers_for(data, k > 0, 2), &options);
        assert_view(model, data, false);
        assert_same_however(model, data->items);
        smerf_model_free(model);
    }
    data_set_free(data);
}

/* Numbers of a million with differences of one: floats keep them, as they are counted from the mean. */
static void large_numbers_cost_no_digits(void **state) {
    (void)state;
    data_set *data = plain_data(40);
    double values[40];
    const char *const name = "y";
    const double *const column = values;
    smerf_target *target;
    smerf_error error;
    for (size_t i = 0; i < 40; i++) values[i] = 1e6 + hidden(data, i);
    demand_ok(smerf_target_new_response(&name, &column, 1, 40, &target, &error), &error);
    smerf_model *model = fit_to(data, target, 5, 3);
    assert_view(model, data, true);
    smerf_model_free(model);
    data_set_free(data);
}

static void one_item_and_new_items_have_vectors(void **state) {
    (void)state;
    data_set *data = mixed_data(40), *one = data_set_pick(data, (size_t[]){7}, 1);
    smerf_model *model = fit_to(data, labels_for(data, 3), 5, 9);
    vectors all = vectors_of(model, data->items, true, &sm_usual_limits, 1);
    vectors alone = vectors_of(model, one->items, false, &sm_usual_limits, 1);
    assert_memory_equal(all.x + 7 * all.size, alone.x, all.size * sizeof *all.x); /* its term is the smallest: 0 */
    assert_true(all.term[7] == alone.term[0]);
    vectors_free(&all);
    vectors_free(&alone);
    smerf_model_free(model);
    data_set_free(data);
    data_set_free(one);
}

/* ---- progress, refusals ---- */

static int watch(void *context, double fraction_done) {
    double *last = context;
    assert_true(fraction_done >= *last && fraction_done <= 1);
    *last = fraction_done;
    return 0;
}

static int forget_vector(void *context, size_t item, const float *vector, size_t size) {
    (void)context;
    (void)item;
    (void)vector;
    (void)size;
    return 0;
}

static void progress_rises(void **state) {
    (void)state;
    data_set *data = plain_data(300);
    smerf_model *model = fit_to(data, response_for(data), 7, 5);
    for (size_t k = 0; k < 2 * (N_LIMITS + 1); k++) {
        double last = 0;
        smerf_error error;
        const sm_limits *limits = k / 2 < N_LIMITS ? &small_limits[k / 2] : &sm_usual_limits;
        const smerf_run run = SMERF_INIT(smerf_run, .n_threads = 1, .progress = watch, .context = &last);
        demand_ok(sm_make_vectors(model, data->items, k % 2 == 1, limits, &run,
                                  &SMERF_INIT(smerf_vector_result, .sink = forget_vector), &error),
                  &error);
        assert_true(last > 1 - 1e-12);
    }
    smerf_model_free(model);
    data_set_free(data);
}

static int stop_at_three(void *context, size_t item, const float *vector, size_t size) {
    (void)context;
    (void)vector;
    (void)size;
    return item == 3;
}

static void other_models_have_no_vectors_and_sinks_can_cancel(void **state) {
    (void)state;
    data_set *data = plain_data(20);
    smerf_options options = options_for(3);
    smerf_error error;
    smerf_model *models[2] = {fit_with(data, &options, NULL), NULL};
    options.method = SMERF_METHOD_EUCLIDEAN;
    models[1] = fit_with(data, &options, NULL);
    for (size_t m = 0; m < 2; m++) {
        assert_int_equal(smerf_vectors_size(models[m]), 0);
        assert_int_equal(smerf_vectors(models[m], data->items, true, NULL,
                                       &SMERF_INIT(smerf_vector_result, .sink = keep_vector), &error),
                         SMERF_BAD_INPUT);
        smerf_model_free(models[m]);
    }
    smerf_model *model = fit_to(data, response_for(data), 3, 2);
    assert_int_equal(
        smerf_vectors(model, data->items, true, NULL, &SMERF_INIT(smerf_vector_result, .sink = stop_at_three), &error),
        SMERF_CANCELLED);
    smerf_model_free(model);
    data_set_free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vectors_are_the_predicted_distances),
        cmocka_unit_test(own_distances_change_the_same_leaf_only),
        cmocka_unit_test(weights_of_items_count),
        cmocka_unit_test(low_ranks_have_vectors_unless_some_are_negative),
        cmocka_unit_test(vectors_are_of_drawn_distances),
        cmocka_unit_test(large_numbers_cost_no_digits),
        cmocka_unit_test(one_item_and_new_items_have_vectors),
        cmocka_unit_test(progress_rises),
        cmocka_unit_test(other_models_have_no_vectors_and_sinks_can_cancel),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
