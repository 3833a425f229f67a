/* test_completed.c - pairs that were filled in grow the trees of the matrix that they come to, and go through files;
 * fitting fills in where it helps. */
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

/* The library asks for memory in one place. Here is a copy of it in which calls can be made to fail. */
static atomic_long n_calls, n_live;
static long failing_call; /* from 1; 0: none */

static bool must_fail(void) { return atomic_fetch_add(&n_calls, 1) + 1 == failing_call; }

static void *counted(void *array) {
    if (array != NULL) atomic_fetch_add(&n_live, 1);
    return array;
}

static void *try_malloc(size_t n) { return must_fail() ? NULL : counted(malloc(n)); }
static void *try_calloc(size_t n, size_t size) { return must_fail() ? NULL : counted(calloc(n, size)); }
static void *try_aligned_alloc(size_t to, size_t n) { return must_fail() ? NULL : counted(aligned_alloc(to, n)); }
static void *try_realloc(void *array, size_t n) {
    if (must_fail()) return NULL;
    return array == NULL ? counted(malloc(n)) : realloc(array, n);
}
static void counted_free(void *array) {
    if (array != NULL) atomic_fetch_sub(&n_live, 1);
    free(array);
}

#define malloc try_malloc
#define calloc try_calloc
#define aligned_alloc try_aligned_alloc
#define realloc try_realloc
#define free counted_free
#include "base/memory.c"
#undef malloc
#undef calloc
#undef aligned_alloc
#undef realloc
#undef free

#include "target/completed.h"
#include "target/pairs.h"
#include "tests/unit/stand_in.h"

/* ---- small targets in numbers that are exact ---- */

typedef struct filled {
    smerf_target *pairs, *target;
    float z[64 * 64]; /* [n][n] what the target stands for */
    bool is_known[64 * 64];
} filled;

static double *fill_quarters(sm_random *random, size_t n, uint32_t n_values) {
    double *numbers = malloc((n + 1) * sizeof *numbers);
    assert_non_null(numbers);
    for (size_t k = 0; k < n; k++) numbers[k] = 0.25 * sm_random_below(random, n_values) - 0.5;
    return numbers;
}

static sm_completion draw_form(size_t n, size_t rank, sm_random *random) {
    sm_completion form = {.n_items = n, .rank = rank};
    form.a = fill_quarters(random, n, 7);
    form.u = fill_quarters(random, n * rank, 6);
    form.scale = fill_quarters(random, rank, 6);
    return form;
}

static sm_completion copy_form(const sm_completion *form) {
    sm_completion copy = {.n_items = form->n_items, .rank = form->rank};
    copy.a = malloc((form->n_items + 1) * sizeof(double));
    copy.u = malloc((form->n_items * form->rank + 1) * sizeof(double));
    copy.scale = malloc((form->rank + 1) * sizeof(double));
    memcpy(copy.a, form->a, form->n_items * sizeof(double));
    memcpy(copy.u, form->u, form->n_items * form->rank * sizeof(double));
    memcpy(copy.scale, form->scale, form->rank * sizeof(double));
    return copy;
}

/* Draws pairs, some of them known, as rated ones or as a graph. */
static void draw_pairs(filled *made, size_t n, bool is_graph, bool has_diagonal, double density, sm_random *random) {
    static uint32_t left[2][64 * 64], right[2][64 * 64];
    static double value[64 * 64], weight[64 * 64];
    size_t n_pairs = 0, n_edges = 0;
    smerf_error error;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j <= i; j++) {
            bool is_given = i == j ? has_diagonal && !is_graph : sm_random_uniform(random) < density;
            made->is_known[i * n + j] = made->is_known[j * n + i] = i == j || is_given;
            made->z[i * n + j] = made->z[j * n + i] = 0;
            if (!is_given) continue;
            double z = is_graph ? sm_random_below(random, 2) : 0.25 * sm_random_below(random, 12) - 1;
            made->z[i * n + j] = made->z[j * n + i] = (float)z;
            left[0][n_pairs] = i;
            right[0][n_pairs] = j;
            value[n_pairs] = z;
            weight[n_pairs++] = 0.5 * (1 + sm_random_below(random, 4)); /* which a completed target does not look at */
            if (z == 1) continue;
            left[1][n_edges] = i;
            right[1][n_edges++] = j;
        }
    const smerf_pair_list list = {.n = n_pairs,
                                  .left = left[0],
                                  .right = right[0],
                                  .value = is_graph ? NULL : value,
                                  .weight = is_graph ? NULL : weight};
    const smerf_pair_list edges = {.n = n_edges, .left = left[1], .right = right[1]};
    if (is_graph)
        demand_ok(smerf_target_new_graph(&edges, &list, n, &made->pairs, &error), &error);
    else
        demand_ok(smerf_target_new_pairs(&list, n, &made->pairs, &error), &error);
}

static void fill(filled *made, sm_completion form) {
    smerf_error error;
    size_t n = form.n_items;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            if (!made->is_known[i * n + j]) made->z[i * n + j] = (float)sm_completion_pair(&form, i, j);
    demand_ok(sm_completed_new(made->pairs, &form, &made->target, &error), &error);
    assert_true(form.a == NULL && form.u == NULL && form.scale == NULL);
}

static filled *filled_new(size_t n, bool is_graph, sm_random *random) {
    static const double densities[] = {0, 0.1, 0.5, 0.9, 1};
    filled *made = calloc(1, sizeof *made);
    assert_non_null(made);
    draw_pairs(made, n, is_graph, sm_random_below(random, 2) == 0, densities[sm_random_below(random, 5)], random);
    fill(made, draw_form(n, sm_random_below(random, 5), random));
    return made;
}

static void filled_free(filled *made) {
    smerf_target_free(made->target);
    smerf_target_free(made->pairs);
    free(made);
}

/* ---- the trees of the matrix ---- */

static data_set *draw_data(size_t trial, sm_random *random, const filled *made, size_t n) {
    data_plan plan = {.n_items = n,
                      .n_numbers = 1 + sm_random_below(random, 4),
                      .n_categories = sm_random_below(random, 3),
                      .missing = sm_random_below(random, 2) * 0.2,
                      .seed = trial};
    data_set *data = data_set_new(plan);
    smerf_error error;
    double weights[64];
    smerf_target_free(data->target);
    memcpy(data->z, made->z, n * n * sizeof *data->z);
    demand_ok(smerf_target_new_distances(data->z, n, &data->target, &error), &error);
    for (size_t i = 0; i < n; i++) weights[i] = 0.25 * (1 + sm_random_below(random, 8));
    if (trial % 4 == 1) demand_ok(smerf_items_set_weights(data->items, "w", weights, &error), &error);
    return data;
}

static void check_trial(size_t trial, bool is_graph) {
    sm_random random;
    sm_random_start(&random, trial, is_graph, 17);
    size_t n = trial % 7 == 0 ? 2 : 2 + sm_random_below(&random, 50);
    filled *made = filled_new(n, is_graph, &random);
    data_set *data = draw_data(trial, &random, made, n);
    smerf_options options = draw_options(&random, &data->plan);
    if (options.self_distance == SMERF_SELF_VALUE) options.self_distance = SMERF_SELF_EXCLUDE; /* it comes before */
    options.complete = SMERF_COMPLETE_OFF;
    smerf_model *dense = fit_with(data, &options, NULL), *model = NULL, *loaded = NULL;
    smerf_error error;
    demand_ok(smerf_fit(data->items, made->target, &options, NULL, &model, &error), &error);
    assert_same_trees(model, dense, options.n_trees);
    assert_same_distances(model, dense, data, false);
    if (options.sample != SMERF_NO_SAMPLE) assert_same_distances(model, dense, data, true);
    assert_pairs_are_rows(model, data);
    if (trial % 5 == 0) { /* which waits for the disk */
        demand_ok(smerf_model_save(model, "completed.smerf", &error), &error);
        demand_ok(smerf_model_load("completed.smerf", &loaded, &error), &error);
        assert_same_model(model, loaded);
        assert_same_distances(loaded, dense, data, false);
        smerf_model_free(loaded);
    }
    smerf_model_free(model);
    smerf_model_free(dense);
    data_set_free(data);
    filled_free(made);
}

static void completed_pairs_grow_the_trees_of_the_matrix(void **state) {
    (void)state;
    for (size_t trial = 0; trial < 150; trial++) check_trial(trial, false);
}

static void a_completed_graph_grows_the_trees_of_the_matrix(void **state) {
    (void)state;
    for (size_t trial = 0; trial < 80; trial++) check_trial(trial, true);
}

static void what_was_filled_in_is_no_truth(void **state) {
    (void)state;
    double row[64];
    for (size_t trial = 0; trial < 20; trial++) {
        sm_random random;
        sm_random_start(&random, trial, 3, 17);
        size_t n = 2 + sm_random_below(&random, 40);
        filled *made = filled_new(n, trial % 2 == 0, &random);
        for (size_t i = 0; i < n; i++) {
            smerf_target_row(made->target, i, row);
            for (size_t j = 0; j < n; j++)
                if (made->is_known[i * n + j])
                    assert_true(row[j] == (double)made->z[i * n + j]);
                else
                    assert_true(isnan(row[j]));
        }
        assert_ptr_equal(sm_completed_pairs(made->target), made->pairs);
        assert_null(sm_completed_pairs(made->pairs));
        filled_free(made);
    }
}

static void a_completed_graph_keeps_its_metrics(void **state) {
    (void)state;
    for (int is_graph = 0; is_graph < 2; is_graph++) {
        sm_random random;
        sm_random_start(&random, 2, 8, 17);
        filled *made = calloc(1, sizeof *made);
        draw_pairs(made, 40, is_graph, false, 0.5, &random);
        fill(made, draw_form(40, 2, &random));
        assert_int_equal(smerf_target_metrics(made->target), smerf_target_metrics(made->pairs));
        assert_true(((smerf_target_metrics(made->target) & SMERF_HAS(SMERF_AUC_ROC)) != 0) == (is_graph == 1));
        assert_string_equal(sm_target_told_name(made->target), is_graph ? "observed" : "pairs");

        /* Scores of any numbers, against either. */
        double *guess = calloc(40 * 40, sizeof *guess);
        smerf_scores scores, expected;
        smerf_error error;
        for (size_t i = 0; i < 40; i++)
            for (size_t j = 0; j <= i; j++) guess[i * 40 + j] = guess[j * 40 + i] = sm_random_uniform(&random);
        demand_ok(smerf_score(guess, made->target, 0, &scores, &error), &error);
        demand_ok(smerf_score(guess, made->pairs, 0, &expected, &error), &error);
        assert_int_equal(scores.metrics, expected.metrics);
        assert_int_equal(scores.n_pairs, expected.n_pairs);
        for (int m = 0; m < SMERF_N_METRICS; m++)
            if (scores.metrics & SMERF_HAS(m)) assert_true(scores.value[m] == expected.value[m]);
        free(guess);
        filled_free(made);
    }
}

/* ---- files ---- */

static smerf_status load_from(const sm_tensors *tensors, size_t n, smerf_error *error) {
    smerf_target *target = NULL;
    smerf_status status = sm_target_completed.load(tensors, n, &target, error);
    assert_true((status == SMERF_OK) == (target != NULL));
    smerf_target_free(target);
    return status;
}

static void what_is_equal_is_equal(void **state) {
    (void)state;
    for (size_t trial = 0; trial < 20; trial++) {
        sm_random random, other;
        sm_random_start(&random, trial, 9, 17);
        size_t n = 3 + sm_random_below(&random, 20), rank = 1 + trial % 3;
        other = random;
        filled *made = calloc(1, sizeof *made), *again = calloc(1, sizeof *again);
        draw_pairs(made, n, trial % 2 == 0, true, 0.5, &random);
        draw_pairs(again, n, trial % 2 == 0, true, 0.5, &other);
        sm_completion form = draw_form(n, rank, &random), changed[4];
        for (size_t k = 0; k < 4; k++) changed[k] = copy_form(&form);
        changed[1].a[n - 1] += 0.25;
        changed[2].u[n * rank - 1] += 0.25;
        changed[3].scale[rank - 1] += 0.25;
        fill(made, form);
        for (size_t k = 0; k < 4; k++) {
            smerf_target_free(again->target);
            fill(again, changed[k]);
            assert_true(made->target->kind->equal(made->target, again->target) == (k == 0));
        }
        filled_free(again);

        sm_tensors tensors = {0};
        smerf_target *loaded = NULL;
        smerf_error error;
        demand_ok(made->target->kind->save(made->target, &tensors, &error), &error);
        demand_ok(made->target->kind->load(&tensors, n, &loaded, &error), &error);
        sm_tensors_free(&tensors);
        assert_true(made->target->kind->equal(made->target, loaded));
        assert_ptr_equal(sm_completed_pairs(loaded)->kind, made->pairs->kind);
        smerf_target_free(loaded);
        filled_free(made);
    }
}

static void forged_tensors_are_refused(void **state) {
    (void)state;
    enum { SIZE = 12 };
    static const double bad_numbers[] = {NAN, INFINITY, -INFINITY, 1e51, -1e300};
    sm_random random;
    smerf_error error;
    sm_random_start(&random, 1, 10, 17);
    for (int is_graph = 0; is_graph < 2; is_graph++) {
        filled *made = calloc(1, sizeof *made);
        draw_pairs(made, SIZE, is_graph, true, 0.6, &random);
        fill(made, draw_form(SIZE, 2, &random));
        sm_tensors tensors = {0};
        demand_ok(made->target->kind->save(made->target, &tensors, &error), &error);
        assert_int_equal(load_from(&tensors, SIZE, &error), SMERF_OK);
        assert_int_equal(load_from(&tensors, SIZE + 1, &error), SMERF_BAD_FILE);
        assert_int_equal(load_from(&tensors, SIZE - 1, &error), SMERF_BAD_FILE);
        for (size_t k = 0; k < tensors.n; k++) {
            sm_tensor *tensor = &tensors.tensor[k], kept = *tensor;
            const size_t lengths[] = {0, kept.n - 1, kept.n + 1, SIZE_MAX, SIZE_MAX / 8, SIZE_MAX / SIZE + 3};
            for (size_t l = 0; l < 6; l++) {
                tensor->n = lengths[l];
                if (lengths[l] != kept.n) assert_int_equal(load_from(&tensors, SIZE, &error), SMERF_BAD_FILE);
            }
            *tensor = kept;
            tensor->type = kept.type == SM_F64 ? SM_U64 : SM_F32;
            assert_int_equal(load_from(&tensors, SIZE, &error), SMERF_BAD_FILE);
            *tensor = kept;
            snprintf(tensor->name, sizeof tensor->name, "elsewhere");
            bool is_optional = strcmp(kept.name, "target.value") == 0 || strcmp(kept.name, "target.weight") == 0 ||
                               strcmp(kept.name, "target.diagonal") == 0;
            assert_int_equal(load_from(&tensors, SIZE, &error), is_optional ? SMERF_OK : SMERF_BAD_FILE);
            *tensor = kept;
            for (size_t at = 0; at < kept.n && kept.type == SM_F64; at++)
                for (size_t b = 0; b < 5; b++) {
                    double numbers[64 * 64];
                    memcpy(numbers, kept.data, kept.n * sizeof *numbers);
                    numbers[at] = bad_numbers[b];
                    tensor->data = numbers;
                    assert_int_equal(load_from(&tensors, SIZE, &error), SMERF_BAD_FILE);
                    *tensor = kept;
                }
        }
        sm_tensors_free(&tensors);
        filled_free(made);
    }
}

/* Numbers that are fine one by one, and come to distances that cannot be. */
static void a_form_that_is_too_large_is_refused(void **state) {
    (void)state;
    sm_random random;
    smerf_error error;
    sm_random_start(&random, 1, 11, 17);
    filled *made = calloc(1, sizeof *made);
    draw_pairs(made, 6, false, false, 1, &random);
    fill(made, draw_form(6, 1, &random));
    sm_tensors tensors = {0};
    double huge[6];
    for (size_t i = 0; i < 6; i++) huge[i] = 9e44;
    demand_ok(made->target->kind->save(made->target, &tensors, &error), &error);
    for (size_t k = 0; k < tensors.n; k++)
        if (strcmp(tensors.tensor[k].name, "target.a") == 0) tensors.tensor[k].data = huge;
    assert_int_equal(load_from(&tensors, 6, &error), SMERF_BAD_FILE);
    assert_int_equal(error.status, SMERF_BAD_FILE);
    sm_tensors_free(&tensors);
    filled_free(made);
}

/* ---- fitting ---- */

enum { N = 100 };

/* (y - y')^2 of items whose y can be seen in a feature; some pairs are hidden. */
static smerf_target *squares_of(const data_set *data, double hidden_share) {
    static uint32_t left[N * N], right[N * N];
    static double value[N * N];
    smerf_pair_list list = {.left = left, .right = right, .value = value};
    smerf_target *target = NULL;
    smerf_error error;
    sm_random random;
    sm_random_start(&random, 3, 12, 17);
    for (uint32_t i = 0; i < N; i++)
        for (uint32_t j = 0; j < i; j++) {
            if (sm_random_uniform(&random) < hidden_share) continue;
            double apart = data->values[i] - data->values[j];
            left[list.n] = i;
            right[list.n] = j;
            value[list.n++] = apart * apart;
        }
    demand_ok(smerf_target_new_pairs(&list, N, &target, &error), &error);
    return target;
}

static size_t settled(const smerf_model *model) {
    smerf_description description;
    smerf_model_describe(model, &description);
    return description.options.complete;
}

static smerf_model *fit_on(const data_set *data, smerf_target *target, const smerf_options *options, size_t n_threads) {
    smerf_model *model = NULL;
    smerf_error error;
    const smerf_run run = {.n_threads = n_threads};
    demand_ok(smerf_fit(data->items, target, options, &run, &model, &error), &error);
    return model;
}

static void fitting_fills_in_where_it_helps(void **state) {
    (void)state;
    data_set *data = plain_data(N);
    smerf_target *sparse = squares_of(data, 0.8), *whole = squares_of(data, 0);
    smerf_options options = options_for(20);
    smerf_model *one = fit_on(data, sparse, &options, 1), *three = fit_on(data, sparse, &options, 3);
    assert_true(settled(one) > 0 && settled(one) <= 12);
    assert_same_model(one, three);
    options.complete = settled(one); /* said aloud, it is the same */
    smerf_model *explicit = fit_on(data, sparse, &options, 2);
    assert_same_model(one, explicit);
    options.complete = SMERF_COMPLETE_AUTO;
    smerf_model *complete = fit_on(data, whole, &options, 1), *dense = fit_on(data, data->target, &options, 1);
    assert_int_equal(settled(complete), 0);
    assert_int_equal(settled(dense), 0);
    smerf_model_free(one);
    smerf_model_free(three);
    smerf_model_free(explicit);
    smerf_model_free(complete);
    smerf_model_free(dense);
    smerf_target_free(sparse);
    smerf_target_free(whole);
    data_set_free(data);
}

static void noise_is_not_filled_in(void **state) {
    (void)state;
    data_set *data = plain_data(60);
    filled *made = calloc(1, sizeof *made);
    sm_random random;
    sm_random_start(&random, 4, 13, 17);
    draw_pairs(made, 60, false, false, 0.3, &random);
    const smerf_options options = options_for(20);
    smerf_model *model = fit_on(data, made->pairs, &options, 1);
    assert_int_equal(settled(model), 0);
    smerf_model_free(model);
    filled_free(made);
    data_set_free(data);
}

static void a_rank_is_refused_where_nothing_can_be_missing(void **state) {
    (void)state;
    data_set *data = plain_data(N);
    uint32_t codes[N];
    static const char *const classes[] = {"a", "b"};
    smerf_target *labels = NULL, *sparse = squares_of(data, 0.5);
    smerf_model *model = NULL;
    smerf_error error;
    smerf_options options = options_for(3);
    for (size_t i = 0; i < N; i++) codes[i] = i % 2;
    demand_ok(smerf_target_new_labels("y", codes, N, classes, 2, &labels, &error), &error);
    model = fit_on(data, labels, &options, 1);
    assert_int_equal(settled(model), 0);
    smerf_model_free(model);
    model = NULL;
    options.complete = 2;
    assert_int_equal(smerf_fit(data->items, labels, &options, NULL, &model, &error), SMERF_BAD_INPUT);
    assert_non_null(strstr(error.message, "labels"));
    assert_int_equal(smerf_fit(data->items, data->target, &options, NULL, &model, &error), SMERF_BAD_INPUT);
    options.complete = 65;
    assert_int_equal(smerf_fit(data->items, sparse, &options, NULL, &model, &error), SMERF_BAD_INPUT);
    assert_non_null(strstr(error.message, "complete"));
    assert_null(model);
    smerf_target_free(labels);
    smerf_target_free(sparse);
    data_set_free(data);
}

/* Parts of a forest settle as the whole does, and are its parts: also after a file, and from similarities. */
static void parts_of_a_completed_forest_can_be_merged(void **state) {
    (void)state;
    data_set *data = plain_data(N);
    smerf_error error;
    for (int is_similarity = 0; is_similarity < 2; is_similarity++) {
        smerf_target *sparse = squares_of(data, 0.8);
        if (is_similarity) smerf_target_note_similarities(sparse, 2.5);
        smerf_options options = options_for(12), first = options, second = options;
        first.n_trees = 1;
        second.first_tree = 1;
        second.n_trees = 11;
        smerf_model *whole = fit_on(data, sparse, &options, 1), *merged = NULL;
        smerf_model *parts[2] = {fit_on(data, sparse, &first, 1), fit_on(data, sparse, &second, 1)};
        assert_true(settled(whole) > 0);
        demand_ok(smerf_model_save(parts[1], "part.smerf", &error), &error);
        smerf_model_free(parts[1]);
        demand_ok(smerf_model_load("part.smerf", &parts[1], &error), &error);
        demand_ok(smerf_model_merge((const smerf_model *const *)parts, 2, &merged, &error), &error);
        assert_same_model(merged, whole);
        for (size_t k = 0; k < 2; k++) smerf_model_free(parts[k]);
        smerf_model_free(whole);
        smerf_model_free(merged);
        smerf_target_free(sparse);
    }
    data_set_free(data);
}

/* Whether filling in helps is a close call here, which few trees would decide at random. */
static void how_many_trees_are_asked_for_does_not_settle_it(void **state) {
    (void)state;
    enum { SIZE = 40 };
    size_t n_completed = 0;
    for (uint64_t seed = 0; seed < 12; seed++) {
        data_set *data = data_set_new((data_plan){.n_items = SIZE, .n_numbers = 3, .seed = seed});
        uint32_t left[SIZE * SIZE], right[SIZE * SIZE];
        double value[SIZE * SIZE];
        smerf_pair_list list = {.left = left, .right = right, .value = value};
        smerf_target *pairs = NULL;
        smerf_error error;
        sm_random random;
        sm_random_start(&random, seed, 14, 17);
        for (uint32_t i = 0; i < SIZE; i++)
            for (uint32_t j = 0; j < i; j++) {
                if (sm_random_uniform(&random) < 0.05) continue;
                left[list.n] = i;
                right[list.n] = j;
                value[list.n++] = (double)data->z[i * SIZE + j] + 0.5 * sm_random_normal(&random);
            }
        demand_ok(smerf_target_new_pairs(&list, SIZE, &pairs, &error), &error);
        smerf_options options = options_for(1);
        options.seed = seed;
        smerf_model *one = fit_on(data, pairs, &options, 1);
        options.n_trees = 30;
        smerf_model *many = fit_on(data, pairs, &options, 1);
        assert_int_equal(settled(one), settled(many));
        n_completed += settled(one) > 0;
        smerf_model_free(one);
        smerf_model_free(many);
        smerf_target_free(pairs);
        data_set_free(data);
    }
    assert_true(n_completed > 0 && n_completed < 12); /* or it was no close call */
}

typedef struct reports {
    size_t n;
    double last;
} reports;

static int count_calls(void *context, double share_done) {
    reports *told = context;
    told->n++;
    if (share_done < told->last) return 1; /* progress never goes back */
    told->last = share_done;
    return 0;
}

static void completing_can_be_cancelled(void **state) {
    (void)state;
    data_set *data = plain_data(N);
    smerf_target *sparse = squares_of(data, 0.8);
    const smerf_options options = options_for(5);
    reports told = {0};
    const smerf_run whole = {.n_threads = 1, .progress = count_calls, .context = &told};
    smerf_model *model = NULL;
    smerf_error error;
    demand_ok(smerf_fit(data->items, sparse, &options, &whole, &model, &error), &error);
    smerf_model_free(model);
    model = NULL;
    assert_true(told.last == 1 && told.n > 100);
    for (size_t k = 0; k < told.n; k += 1 + told.n / 40) {
        patience left = {.n_left = k};
        const smerf_run run = {.n_threads = 1, .progress = run_out, .context = &left};
        assert_int_equal(smerf_fit(data->items, sparse, &options, &run, &model, &error), SMERF_CANCELLED);
        assert_null(model);
    }
    smerf_target_free(sparse);
    data_set_free(data);
}

/* Fits with the first call for memory failing, then with a later one, and so on, until none fails. */
static void fail_everywhere(size_t complete, long step) {
    enum { SIZE = 12 };
    data_set *data = plain_data(SIZE);
    filled *made = calloc(1, sizeof *made);
    sm_random random;
    sm_random_start(&random, 5, 15, 17);
    draw_pairs(made, SIZE, false, true, 0.7, &random);
    for (size_t i = 0; i < SIZE; i++) data->values[i] = (double)i;
    smerf_options options = options_for(2);
    options.complete = complete;
    const smerf_run run = {.n_threads = 1};
    bool has_failed = true;
    size_t n_refused = 0;
    for (long k = 1; has_failed; k += step) {
        smerf_error error = {0};
        smerf_model *model = NULL;
        long before = n_live;
        n_calls = 0;
        failing_call = k;
        smerf_status status = smerf_fit(data->items, made->pairs, &options, &run, &model, &error);
        has_failed = n_calls >= k;
        failing_call = 0;
        smerf_model_free(model);
        if (n_live != before) fail_msg("completing leaks when call %ld for memory fails", k);
        bool is_fine = status == SMERF_OK || (has_failed && status == SMERF_NO_MEMORY); /* a tree can stay untrimmed */
        if (!is_fine || (status == SMERF_OK) != (error.message[0] == 0))
            fail_msg("call %ld: status %d", k, (int)status);
        n_refused += status == SMERF_NO_MEMORY;
    }
    assert_true(n_refused > 20);
    filled_free(made);
    data_set_free(data);
}

static void every_failed_allocation_is_reported_and_leaks_nothing(void **state) {
    (void)state;
    fail_everywhere(2, 1);
    fail_everywhere(SMERF_COMPLETE_AUTO, 3);
}

/* ---- tuning ---- */

typedef struct seen {
    size_t n, complete[40];
} seen;

static void see_trial(void *context, const smerf_trial *trial) {
    seen *trials = context;
    assert_true(trials->n < 40);
    trials->complete[trials->n++] = trial->options.complete;
}

static void tuning_settles_once(void **state) {
    (void)state;
    data_set *data = plain_data(N);
    smerf_target *sparse = squares_of(data, 0.8);
    const smerf_options options = options_for(10);
    const smerf_grid grid = {.vary_candidates = true, .vary_min_parent = true};
    smerf_model *fitted = fit_on(data, sparse, &options, 1), *tuned = NULL;
    smerf_trial best;
    smerf_error error;
    seen trials = {0};
    demand_ok(
        smerf_tune(data->items, sparse, &options, &grid, SMERF_RMSE, NULL, see_trial, &trials, &best, &tuned, &error),
        &error);
    assert_true(trials.n > 3 && settled(fitted) > 0);
    for (size_t k = 0; k < trials.n; k++) assert_int_equal(trials.complete[k], settled(fitted));
    assert_int_equal(settled(tuned), settled(fitted));
    smerf_model *again = fit_on(data, sparse, &best.options, 1);
    assert_same_model(tuned, again);
    smerf_model_free(again);
    smerf_model_free(tuned);
    smerf_model_free(fitted);
    smerf_target_free(sparse);
    data_set_free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(completed_pairs_grow_the_trees_of_the_matrix),
        cmocka_unit_test(a_completed_graph_grows_the_trees_of_the_matrix),
        cmocka_unit_test(what_was_filled_in_is_no_truth),
        cmocka_unit_test(a_completed_graph_keeps_its_metrics),
        cmocka_unit_test(what_is_equal_is_equal),
        cmocka_unit_test(forged_tensors_are_refused),
        cmocka_unit_test(a_form_that_is_too_large_is_refused),
        cmocka_unit_test(fitting_fills_in_where_it_helps),
        cmocka_unit_test(noise_is_not_filled_in),
        cmocka_unit_test(a_rank_is_refused_where_nothing_can_be_missing),
        cmocka_unit_test(parts_of_a_completed_forest_can_be_merged),
        cmocka_unit_test(how_many_trees_are_asked_for_does_not_settle_it),
        cmocka_unit_test(completing_can_be_cancelled),
        cmocka_unit_test(every_failed_allocation_is_reported_and_leaks_nothing),
        cmocka_unit_test(tuning_settles_once),
    };
    return cmocka_run_group_tests(tests, files_enter, files_leave);
}
