/* test_between.c - a target over two sets, seen as the pairs between them. */
#include "tests/unit/forests.h"

#include <pthread.h>

#include "target/target.h"

enum { N = 30, N_ROWS = 11 };

static smerf_target *labels_of_both(void) {
    static const char *const classes[4] = {"a", "b", "c", "d"};
    uint32_t codes[N];
    smerf_target *both = NULL;
    smerf_error error;
    for (uint32_t i = 0; i < N; i++) codes[i] = i * 7 % 4;
    demand_ok(smerf_target_new_labels("y", codes, N, classes, 4, &both, &error), &error);
    return both;
}

static smerf_target *numbers_of_both(void) {
    double values[N];
    smerf_target *both = NULL;
    smerf_error error;
    for (size_t i = 0; i < N; i++) values[i] = sin((double)i);
    demand_ok(smerf_target_new_absolute("y", values, N, &both, &error), &error);
    return both;
}

static smerf_target *cut(smerf_target *both, size_t n_rows) {
    smerf_target *between = NULL;
    smerf_error error;
    demand_ok(smerf_target_new_between(both, n_rows, &between, &error), &error);
    return between;
}

static void assert_tail(const smerf_target *between, const smerf_target *both) {
    double whole[N], part[N];
    for (size_t i = 0; i < between->n_rows; i++) {
        both->kind->data.true_row(both, i, whole);
        between->kind->data.true_row(between, i, part);
        assert_memory_equal(part, whole + between->n_rows, between->n_columns * sizeof *part);
    }
}

static void a_row_is_the_tail_of_the_row_over_both(void **state) {
    (void)state;
    data_set *data = mixed_data(N);
    smerf_target *targets[3] = {labels_of_both(), numbers_of_both(), sm_target_retain(data->target)};
    const size_t cuts[] = {1, 2, N_ROWS, N - 1};
    for (size_t t = 0; t < 3; t++) {
        for (size_t c = 0; c < 4; c++) {
            smerf_target *between = cut(targets[t], cuts[c]);
            assert_true(between->is_block && between->n_rows == cuts[c] && between->n_columns == N - cuts[c]);
            assert_tail(between, targets[t]);
            smerf_target_free(between);
        }
        smerf_target_free(targets[t]);
    }
    data_set_free(data);
}

static void what_distances_mean_is_the_inner_targets_to_say(void **state) {
    (void)state;
    smerf_target *labels = labels_of_both(), *numbers = numbers_of_both();
    smerf_target *of_labels = cut(labels, N_ROWS), *of_numbers = cut(numbers, N_ROWS);
    assert_int_equal(smerf_target_metrics(of_labels), smerf_target_metrics(labels));
    assert_int_equal(smerf_target_metrics(of_numbers), smerf_target_metrics(numbers));
    assert_true(smerf_target_metrics(labels) != smerf_target_metrics(numbers));
    assert_ptr_equal(sm_target_inner(of_labels), labels);
    assert_ptr_equal(sm_target_inner(labels), labels);
    assert_true(sm_target_inner(of_labels)->kind->data.is_link(0));
    assert_null(sm_target_kind_find(of_labels->kind->name)); /* no model has it */
    smerf_target_free(of_labels);
    smerf_target_free(of_numbers);
    smerf_target_free(labels);
    smerf_target_free(numbers);
}

static void both_lives_as_long_as_the_part(void **state) {
    (void)state;
    smerf_target *both = labels_of_both(), *between = cut(both, N_ROWS);
    smerf_target_free(both);
    double row[N];
    between->kind->data.true_row(between, 3, row); /* item 3 is of class 1, item 11 of class 1 */
    assert_true(row[0] == 0 && row[1] == 1);
    smerf_target_free(between);
}

static void there_must_be_rows_and_columns(void **state) {
    (void)state;
    smerf_target *both = labels_of_both(), *between = cut(both, 1), *out = NULL;
    smerf_error error;
    const size_t wrong[] = {0, N, N + 1, SIZE_MAX};
    for (size_t k = 0; k < 4; k++) {
        assert_int_equal(smerf_target_new_between(both, wrong[k], &out, &error), SMERF_BAD_INPUT);
        assert_says(&error, "", "of 30 items as rows: there must be at least one, and one left for the columns");
    }
    assert_int_equal(smerf_target_new_between(between, 1, &out, &error), SMERF_BAD_INPUT);
    assert_says(&error, "distances between two sets", "cannot be cut once more");
    assert_null(out);
    smerf_target_free(between);
    smerf_target_free(both);
}

static void it_cannot_be_trained_on(void **state) {
    (void)state;
    data_set *data = plain_data(N_ROWS);
    smerf_target *both = labels_of_both(), *between = cut(both, N_ROWS);
    const smerf_options options = options_for(1);
    smerf_model *model = NULL;
    smerf_error error;
    assert_int_equal(smerf_fit(data->items, between, &options, NULL, &model, &error), SMERF_BAD_INPUT);
    assert_says(&error, "distances between two sets", "cannot be trained on");
    smerf_target_free(between);
    smerf_target_free(both);
    data_set_free(data);
}

/* Scores against the part are those against the same numbers as a matrix. */
static void scores_are_those_against_the_matrix_between(void **state) {
    (void)state;
    smerf_target *both = numbers_of_both(), *between = cut(both, N_ROWS), *block = NULL;
    float z[N_ROWS * (N - N_ROWS)];
    double predicted[N_ROWS * (N - N_ROWS)], row[N];
    size_t n_columns = N - N_ROWS;
    smerf_scores scores = SMERF_INIT(smerf_scores), expected = SMERF_INIT(smerf_scores);
    smerf_error error;
    for (size_t i = 0; i < N_ROWS; i++) {
        between->kind->data.true_row(between, i, row);
        for (size_t j = 0; j < n_columns; j++) {
            z[i * n_columns + j] = (float)row[j];
            predicted[i * n_columns + j] = cos((double)(i * j));
        }
    }
    demand_ok(smerf_target_new_block(z, N_ROWS, n_columns, &block, &error), &error);
    demand_ok(smerf_score(predicted, between, 0, &scores, &error), &error);
    demand_ok(smerf_score(predicted, block, 0, &expected, &error), &error);
    assert_true(scores.n_pairs == N_ROWS * n_columns && scores.metrics == expected.metrics);
    assert_near(scores.value[SMERF_RMSE], expected.value[SMERF_RMSE], 1e-6);
    assert_near(scores.value[SMERF_SPEARMAN], expected.value[SMERF_SPEARMAN], 1e-12);
    assert_near(scores.value[SMERF_MAP10], expected.value[SMERF_MAP10], 1e-12);
    smerf_target_free(block);
    smerf_target_free(between);
    smerf_target_free(both);
}

/* ---- threads ---- */

typedef struct asker {
    const smerf_target *between;
    size_t first;
    bool is_right;
} asker;

static void *ask(void *argument) {
    asker *at = argument;
    const smerf_target *both = sm_target_inner(at->between);
    double whole[N], part[N];
    at->is_right = true;
    for (size_t round = 0; round < 2000; round++) {
        size_t row = (at->first + round) % N_ROWS;
        both->kind->data.true_row(both, row, whole);
        at->between->kind->data.true_row(at->between, row, part);
        at->is_right = at->is_right && memcmp(part, whole + N_ROWS, (N - N_ROWS) * sizeof *part) == 0;
    }
    return NULL;
}

static void threads_that_ask_at_once_get_their_own_rows(void **state) {
    (void)state;
    smerf_target *both = numbers_of_both(), *between = cut(both, N_ROWS);
    pthread_t threads[4];
    asker askers[4];
    for (size_t t = 0; t < 4; t++) {
        askers[t] = (asker){.between = between, .first = t};
        assert_int_equal(pthread_create(&threads[t], NULL, ask, &askers[t]), 0);
    }
    for (size_t t = 0; t < 4; t++) {
        pthread_join(threads[t], NULL);
        assert_true(askers[t].is_right);
    }
    smerf_target_free(between);
    smerf_target_free(both);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_row_is_the_tail_of_the_row_over_both),
        cmocka_unit_test(what_distances_mean_is_the_inner_targets_to_say),
        cmocka_unit_test(both_lives_as_long_as_the_part),
        cmocka_unit_test(there_must_be_rows_and_columns),
        cmocka_unit_test(it_cannot_be_trained_on),
        cmocka_unit_test(scores_are_those_against_the_matrix_between),
        cmocka_unit_test(threads_that_ask_at_once_get_their_own_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
