/* test_completed.c - pairs that were filled in grow the trees of the matrix that they come to, and go through files. */
#include "tests/unit/filled.h"
#include "tests/unit/stand_in.h"

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
    for (size_t trial = 0; trial < repetitions(150, 20); trial++) check_trial(trial, false);
}

static void a_completed_graph_grows_the_trees_of_the_matrix(void **state) {
    (void)state;
    for (size_t trial = 0; trial < repetitions(80, 20); trial++) check_trial(trial, true);
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

static void a_cut_has_what_is_known_only(void **state) {
    (void)state;
    double row[3];
    smerf_error error;
    smerf_target *part;
    const uint32_t rows[3] = {7, 2, 5};
    for (int is_graph = 0; is_graph < 2; is_graph++) {
        sm_random random;
        sm_random_start(&random, 4, 3, 17);
        filled *made = filled_new(12, is_graph, &random);
        demand_ok(smerf_target_take(made->target, rows, 3, &part, &error), &error);
        assert_ptr_equal(part->kind, made->pairs->kind);
        for (size_t i = 0; i < 3; i++) {
            smerf_target_row(part, i, row);
            for (size_t j = 0; j < 3; j++) {
                size_t cell = rows[i] * 12 + rows[j];
                assert_true(made->is_known[cell] ? row[j] == (double)made->z[cell] : isnan(row[j]));
            }
        }
        smerf_target_free(part);
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
        assert_string_equal(sm_target_public_name(made->target), is_graph ? "observed" : "pairs");

        /* Scores of any numbers, against either. */
        double *guess = calloc(40 * 40, sizeof *guess);
        smerf_scores scores = SMERF_INIT(smerf_scores), expected = SMERF_INIT(smerf_scores);
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
    smerf_status status = sm_target_completed.data.load(tensors, n, &target, error);
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
            assert_true(made->target->kind->data.equal(made->target, again->target) == (k == 0));
        }
        filled_free(again);

        sm_tensors tensors = {0};
        smerf_target *loaded = NULL;
        smerf_error error;
        demand_ok(made->target->kind->data.save(made->target, &tensors, &error), &error);
        demand_ok(made->target->kind->data.load(&tensors, n, &loaded, &error), &error);
        sm_tensors_free(&tensors);
        assert_true(made->target->kind->data.equal(made->target, loaded));
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
        demand_ok(made->target->kind->data.save(made->target, &tensors, &error), &error);
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
    demand_ok(made->target->kind->data.save(made->target, &tensors, &error), &error);
    for (size_t k = 0; k < tensors.n; k++)
        if (strcmp(tensors.tensor[k].name, "target.a") == 0) tensors.tensor[k].data = huge;
    assert_int_equal(load_from(&tensors, 6, &error), SMERF_BAD_FILE);
    assert_int_equal(error.status, SMERF_BAD_FILE);
    sm_tensors_free(&tensors);
    filled_free(made);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(completed_pairs_grow_the_trees_of_the_matrix),
        cmocka_unit_test(a_completed_graph_grows_the_trees_of_the_matrix),
        cmocka_unit_test(what_was_filled_in_is_no_truth),
        cmocka_unit_test(a_cut_has_what_is_known_only),
        cmocka_unit_test(a_completed_graph_keeps_its_metrics),
        cmocka_unit_test(what_is_equal_is_equal),
        cmocka_unit_test(forged_tensors_are_refused),
        cmocka_unit_test(a_form_that_is_too_large_is_refused),
    };
    return cmocka_run_group_tests(tests, files_enter, files_leave);
}
