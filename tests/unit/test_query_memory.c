/* test_query_memory.c - every allocation of a question that fails is reported and leaks nothing, in one group of trees
 * and in many, with areas under curves, values, and pairs that have to be settled.
 *
 * As in test_memory.c, this program brings a copy of src/base/memory.c in which every call can be made to fail. */
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

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

#include "tests/unit/fake_kinds.h"

enum { N = 4 };

typedef struct scene {
    const smerf_model *model;
    smerf_question question;
    const sm_limits *limits;
    smerf_run run;
    const smerf_target *truth;
} scene;

typedef smerf_status (*act)(const scene *here, smerf_error *error);

static int forget_row(void *context, size_t row, const double *distances, size_t n_columns) {
    (void)context;
    (void)row;
    (void)distances;
    (void)n_columns;
    return 0;
}

static smerf_status ask_rows(const scene *here, smerf_error *error) {
    return sm_predict_rows(here->model, &here->question, here->limits, &here->run, forget_row, NULL, error);
}

static smerf_status ask_pairs(const scene *here, smerf_error *error) {
    const uint32_t left[5] = {0, 1, 2, 3, 0}, right[5] = {1, 1, 3, 3, 2};
    double distance[5], spread[5];
    return sm_predict_pairs(here->model, &here->question, here->limits, left, right, 5, &here->run, distance, spread,
                            error);
}

static smerf_status ask_values(const scene *here, smerf_error *error) {
    double values[N * N_VALUES];
    return sm_predict_values(here->model, &here->question, here->limits, &here->run, values, error);
}

static smerf_status ask_scores(const scene *here, smerf_error *error) {
    smerf_scores scores;
    return sm_evaluate(here->model, &here->question, here->limits, here->truth, 0, &here->run, &scores, error);
}

/* Acts with the first call failing, then the second, and so on, until there are no more calls to fail. */
static void fail_everywhere(const scene *here, act act_once, const char *name) {
    smerf_status status = SMERF_NO_MEMORY;
    for (long k = 1; status != SMERF_OK; k++) {
        smerf_error error = {0};
        long before = n_live;
        n_calls = 0;
        failing_call = k;
        status = act_once(here, &error);
        bool has_failed = n_calls >= k;
        failing_call = 0;
        if (n_live != before) fail_msg("%s leaks when call %ld for memory fails", name, k);
        if (has_failed != (status == SMERF_NO_MEMORY)) fail_msg("%s: call %ld fails, status %d", name, k, (int)status);
        if (has_failed && error.message[0] == 0) fail_msg("%s: call %ld fails, and nothing is said", name, k);
    }
}

/* Four items and three trees: some trees are grown on one item, and some pairs must be settled. */
static void every_failed_allocation_is_reported_and_leaks_nothing(void **state) {
    (void)state;
    static const struct {
        act act_once;
        const char *name;
    } acts[4] = {{ask_rows, "predicting rows"},
                 {ask_pairs, "predicting pairs"},
                 {ask_values, "predicting values"},
                 {ask_scores, "evaluating"}};
    data_set *data = mixed_data(N);
    smerf_options options = options_for(3);
    options.self_distance = SMERF_SELF_EXCLUDE;
    smerf_model *model = fit_with(data, &options, NULL);
    pretend(data->target, WITH_LINKS | WITH_VALUES | WITH_SILENCE);
    for (size_t k = 0; k < N_LIMITS; k++)
        for (size_t a = 0; a < 4; a++)
            for (int is_out = 0; is_out < 2; is_out++) {
                const scene here = {.model = model,
                                    .question = {.rows = data->items, .out_of_bag = is_out == 1},
                                    .limits = &small_limits[k],
                                    .run = {.n_threads = 1},
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
                        .question = {.rows = data->items},
                        .limits = &sm_usual_limits,
                        .run = {.n_threads = 1},
                        .truth = data->target};
    fail_everywhere(&here, ask_scores, "evaluating many pairs");
    smerf_model_free(model);
    data_set_free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_failed_allocation_is_reported_and_leaks_nothing),
        cmocka_unit_test(every_failed_allocation_of_a_growing_tally_is_reported_and_leaks_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
