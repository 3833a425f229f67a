/* test_memory.c - sizes do not overflow, absurd needs are refused, and every allocation that fails is reported and leaks
 * nothing.
 *
 * What asks for memory outside of src/base/memory.c (jansson, xxhash, a FILE, a thread) is made to fail here, too. */
#include "tests/unit/scarce_memory.h"

#include <dlfcn.h>
#include <pthread.h>

#include "tests/unit/forests.h"

#include <jansson.h>
#include <xxhash.h>

#include "base/memory.h"
#include "smerf_study.h"

/* The function of this name that would have been called. */
static void *real(const char *name) {
    void *function = dlsym(RTLD_NEXT, name);
    if (function == NULL) abort();
    return function;
}

XXH3_state_t *XXH3_createState(void) {
    XXH3_state_t *(*create)(void);
    *(void **)&create = real("XXH3_createState");
    return must_fail() ? NULL : create();
}

FILE *fdopen(int file, const char *mode) {
    FILE *(*open)(int, const char *);
    *(void **)&open = real("fdopen");
    return must_fail() ? NULL : open(file, mode);
}

static long n_threads_left = -1; /* that can be started; negative: as many as are wanted */

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*work)(void *), void *argument) {
    int (*create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    *(void **)&create = real("pthread_create");
    if (n_threads_left == 0) return EAGAIN;
    if (n_threads_left > 0) n_threads_left--;
    return create(thread, attributes, work, argument);
}

/* jansson's parser goes on without the characters it has no memory for, or aborts: here it fails as a whole or not. */
static json_t *parse(const char *name, const char *text, size_t n, size_t flags, json_error_t *error) {
    json_t *(*load_bytes)(const char *, size_t, size_t, json_error_t *);
    *(void **)&load_bytes = real(name);
    if (must_fail()) return NULL;
    long failed = failing_call, n_made = n_calls;
    failing_call = 0;
    json_t *value = load_bytes(text, n, flags, error);
    failing_call = failed;
    n_calls = n_made;
    return value;
}

json_t *json_loadb(const char *text, size_t n, size_t flags, json_error_t *error) {
    return parse("json_loadb", text, n, flags, error);
}

json_t *json_loads(const char *text, size_t flags, json_error_t *error) {
    return parse("json_loadb", text, strlen(text), flags, error);
}

static void *try_malloc_for_json(size_t n) { return must_fail() ? NULL : malloc(n); }

/* ---- sizes ---- */

static void sizes_that_do_not_fit_are_the_largest(void **state) {
    (void)state;
    const size_t half = (size_t)1 << 32;
    assert_true(sm_size(3, 4, 5) == 17 && sm_size(0, SIZE_MAX, 0) == 0 && sm_size(1, SIZE_MAX, 0) == SIZE_MAX);
    assert_true(sm_size(half, half - 1, half - 1) == SIZE_MAX && sm_size(half, half - 1, half - 2) == SIZE_MAX - 1);
    assert_true(sm_size(half, half, 0) == SIZE_MAX && sm_size(SIZE_MAX, 2, 0) == SIZE_MAX);
    assert_true(sm_size(1, SIZE_MAX, 1) == SIZE_MAX);
}

static void absurd_arrays_are_refused(void **state) {
    (void)state;
    const size_t absurd[][2] = {{SIZE_MAX, 1}, {SIZE_MAX, SIZE_MAX}, {SIZE_MAX / 4, 8}, {(size_t)PTRDIFF_MAX + 1, 1}};
    for (size_t k = 0; k < sizeof absurd / sizeof *absurd; k++) {
        assert_null(sm_array(absurd[k][0], absurd[k][1]));
        assert_null(sm_zeros(absurd[k][0], absurd[k][1]));
        assert_null(sm_aligned(absurd[k][0], absurd[k][1]));
        assert_null(sm_aligned_whole(absurd[k][0], absurd[k][1]));
    }
}

static void an_array_of_nothing_is_something(void **state) {
    (void)state;
    void *arrays[] = {sm_array(0, 8),   sm_array(8, 0),         sm_zeros(0, 8),
                      sm_aligned(0, 8), sm_aligned_whole(8, 0), sm_copy(NULL, 0, 8)};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) {
        assert_non_null(arrays[k]);
        sm_free(arrays[k]);
    }
    sm_free(NULL);
}

static void aligned_arrays_start_on_a_cache_line_and_are_long_enough(void **state) {
    (void)state;
    for (size_t n = 0; n < 300; n++) {
        char *array = sm_aligned(n, 1);
        assert_int_equal((uintptr_t)array % SM_ALIGNMENT, 0);
        memset(array, 7, n); /* the sanitizers see one byte too many */
        sm_free(array);
    }
}

/* Around the size from which on arrays are laid into huge pages, and of sizes that fill none of them. */
static void large_arrays_are_aligned_and_long_enough(void **state) {
    (void)state;
    const size_t megabyte = (size_t)1 << 20;
    for (size_t n = 28 * megabyte - 1; n < 37 * megabyte; n += megabyte / 2 + 1) {
        char *array = sm_aligned_whole(n, 1);
        assert_int_equal((uintptr_t)array % SM_ALIGNMENT, 0);
        memset(array, 7, n);
        sm_free(array);
    }
    let_fail(1, false);
    assert_null(sm_aligned_whole(64 * megabyte, 1));
    let_fail(0, false);
}

static void zeros_are_zeros_and_copies_are_copies(void **state) {
    (void)state;
    char *zeros = sm_zeros(100, 3), *text = sm_copy_string("forest");
    for (size_t i = 0; i < 300; i++) assert_int_equal(zeros[i], 0);
    assert_string_equal(text, "forest");
    sm_free(zeros);
    sm_free(text);
}

static void growing_keeps_what_is_there(void **state) {
    (void)state;
    uint32_t *array = NULL;
    size_t capacity = 0;
    for (uint32_t n = 0; n < 1000; n++) {
        assert_true(sm_grow((void **)&array, &capacity, n + 1, sizeof *array));
        assert_true(capacity > n);
        array[n] = n;
    }
    for (uint32_t n = 0; n < 1000; n++) assert_int_equal(array[n], n);
    assert_true(sm_grow((void **)&array, &capacity, 3, sizeof *array)); /* the capacity suffices already */
    uint32_t *before = array;
    size_t capacity_before = capacity;
    const size_t absurd[] = {SIZE_MAX, SIZE_MAX / 4, (size_t)PTRDIFF_MAX / 4 + 1, (SIZE_MAX >> 1) + 2};
    for (size_t k = 0; k < sizeof absurd / sizeof *absurd; k++)
        assert_false(sm_grow((void **)&array, &capacity, absurd[k], sizeof *array));
    assert_true(array == before && capacity == capacity_before && array[999] == 999);
    sm_free(array);
}

static void a_need_larger_than_the_machine_is_refused_with_its_size(void **state) {
    (void)state;
    smerf_error error;
    assert_int_equal(sm_check_memory(0, "nothing", &error), SMERF_OK);
    assert_int_equal(sm_check_memory(70e6, "a little", &error), SMERF_OK);
    assert_int_equal(sm_check_memory(1.5e18, "the matrix", &error), SMERF_NO_MEMORY);
    assert_says(&error, "the matrix needs 1500000000.0 GB of memory, and ", " GB are free");
    assert_int_equal(sm_check_memory(1.5e18, "the matrix", NULL), SMERF_NO_MEMORY);
}

static void an_arena_remembers_that_it_has_failed(void **state) {
    (void)state;
    long before = n_live;
    sm_arena arena = {0};
    assert_non_null(sm_arena_take(&arena, 10, 8));
    char *zeros = sm_arena_take_zeros(&arena, 0, 1);
    assert_true(zeros != NULL && !arena.has_failed);
    assert_null(sm_arena_take_zeros(&arena, SIZE_MAX, 8));
    assert_true(arena.has_failed);
    assert_null(sm_arena_take(&arena, 1, 1));
    sm_arena_free(&arena);
    sm_arena_free(&arena);
    assert_int_equal(n_live, before);
}

/* ---- every call that asks for memory ---- */

typedef struct scene {
    data_set *data, *some;
    smerf_options options;
    smerf_run run;
    smerf_model *model, *parts[2];
    smerf_request request;
} scene;

typedef smerf_status (*act)(scene *here, smerf_error *error);

static smerf_status make_items(scene *here, smerf_error *error) {
    smerf_items *items = NULL;
    smerf_status status =
        smerf_items_new(here->data->columns, here->data->n_columns, here->data->plan.n_items, &items, error);
    smerf_items_free(items);
    return status;
}

static smerf_status name_and_weigh(scene *here, smerf_error *error) {
    static const char *const names[12] = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"};
    const double weights[12] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3};
    smerf_status status = smerf_items_set_ids(here->data->items, "name", names, error);
    if (status == SMERF_OK) status = smerf_items_set_weights(here->data->items, "mass", weights, error);
    if (status == SMERF_OK) status = smerf_items_set_ignored(here->data->items, names, 3, error);
    return status;
}

static smerf_status make_targets(scene *here, smerf_error *error) {
    smerf_target *square_one = NULL, *block = NULL;
    smerf_status status = smerf_target_new_distances(here->data->z, 12, &square_one, error);
    if (status == SMERF_OK) status = smerf_target_new_block(here->data->z, 6, 24, &block, error);
    smerf_target_free(square_one);
    smerf_target_free(block);
    return status;
}

static smerf_status fit_here(scene *here, smerf_error *error) {
    smerf_model *model = NULL;
    smerf_status status = smerf_fit(here->data->items, here->data->target, &here->options, &here->run, &model, error);
    smerf_model_free(model);
    return status;
}

static smerf_status save(scene *here, smerf_error *error) { return smerf_model_save(here->model, "out.smerf", error); }

/* What is loaded in spite of a failure is the model all the same. */
static smerf_status load(scene *here, smerf_error *error) {
    smerf_model *model = NULL;
    smerf_status status = smerf_model_load("in.smerf", &model, error);
    long failed = failing_call, n_made = n_calls;
    failing_call = 0;
    if (status == SMERF_OK) assert_same_model(model, here->model);
    failing_call = failed;
    n_calls = n_made;
    smerf_model_free(model);
    return status;
}

static smerf_status ask_rows(scene *here, smerf_error *error) {
    return smerf_predict_rows(here->model, &here->request, &here->run, forget_row, NULL, error);
}

static smerf_status ask_pairs(scene *here, smerf_error *error) {
    const uint32_t left[3] = {0, 1, 5}, right[3] = {2, 2, 2};
    double distance[3], spread[3];
    return smerf_predict_pairs(here->model, &here->request, &(smerf_pair_list){.n = 3, .left = left, .right = right},
                               &here->run, &SMERF_INIT(smerf_pair_result, .distance = distance, .spread = spread),
                               error);
}

static smerf_status score_model(scene *here, smerf_error *error) {
    smerf_scores scores = SMERF_INIT(smerf_scores);
    const smerf_target *truth = here->request.out_of_bag ? NULL : here->data->target;
    return smerf_evaluate(here->model, &here->request, truth, 0, &here->run, &scores, error);
}

static smerf_status correlate_all(scene *here, smerf_error *error) {
    smerf_correlation found = SMERF_INIT(smerf_correlation, .n_permutations = 3, .most_items = 8);
    const smerf_target *truth = here->request.out_of_bag ? NULL : here->data->target;
    return smerf_correlate(here->model, &here->request, truth, &here->run, &found, error);
}

static smerf_status score_given(scene *here, smerf_error *error) {
    const double predicted[144] = {0};
    smerf_scores scores = SMERF_INIT(smerf_scores);
    return smerf_score(predicted, here->data->target, 0, &scores, error);
}

static smerf_status ask_importance(scene *here, smerf_error *error) {
    double importance[5], standard_error[5];
    smerf_status status = smerf_importance_gain(here->model, importance, error);
    if (status != SMERF_OK) return status;
    return smerf_importance_permutation(here->model, here->data->items, NULL, &here->run, importance, standard_error,
                                        error);
}

static smerf_status merge(scene *here, smerf_error *error) {
    const smerf_model *parts[2] = {here->parts[0], here->parts[1]};
    smerf_model *merged = NULL;
    smerf_status status = smerf_model_merge(parts, 2, &merged, error);
    smerf_model_free(merged);
    return status;
}

static smerf_status tune(scene *here, smerf_error *error) {
    const smerf_tuning tuning =
        SMERF_INIT(smerf_tuning, .metric = SMERF_RMSE, .vary_min_parent = true, .vary_splits = true);
    smerf_tuned best = SMERF_INIT(smerf_tuned);
    smerf_status status =
        smerf_tune(here->data->items, here->data->target, &here->options, &tuning, &here->run, &best, error);
    smerf_model_free(best.model);
    return status;
}

static void fail_everywhere(scene *here, act act_once, const char *name, unsigned may_be) {
    smerf_error error;
    for (shortage lack = {.of = name, .may_be = may_be}; shortage_starts(&lack, &error);)
        shortage_ends(&lack, act_once(here, &error), &error);
}

static int start_scene(void **state) {
    static scene here;
    here.data = mixed_data(12);
    here.options = options_for(3);
    here.run = SMERF_INIT(smerf_run, .n_threads = 1);
    *state = &here;
    return name_and_weigh(&here, NULL) != SMERF_OK;
}

static int end_scene(void **state) {
    scene *here = *state;
    data_set_free(here->data);
    return 0;
}

static void every_failed_allocation_of_making_items_and_targets_is_reported_and_leaks_nothing(void **state) {
    scene *here = *state;
    fail_everywhere(here, make_items, "making items", NOTHING_ELSE);
    fail_everywhere(here, make_targets, "making targets", NOTHING_ELSE);
}

/* What is replaced is only dropped when all that replaces it is there. */
static void every_failed_allocation_of_naming_and_weighing_is_reported_and_changes_nothing(void **state) {
    scene *here = *state;
    for (shortage lack = {.of = "naming and weighing"}; shortage_starts(&lack, NULL);)
        shortage_ends(&lack, name_and_weigh(here, NULL), NULL); /* the old names and weights, or as many new ones */
}

static void every_failed_allocation_of_fitting_is_reported_and_leaks_nothing(void **state) {
    scene *here = *state;
    const smerf_options options = here->options;
    for (int way = 0; way < 6; way++) {
        here->options.splits = way % 2 == 0 ? SMERF_AXIS : SMERF_OBLIQUE;
        here->options.self_distance = (smerf_self)(way / 2);
        fail_everywhere(here, fit_here, "fitting", NOTHING_ELSE);
    }
    here->options = options;
}

static void every_failed_allocation_of_any_thread_is_reported_and_leaks_nothing(void **state) {
    scene *here = *state;
    here->run.n_threads = 3;
    fail_everywhere(here, fit_here, "fitting with three threads", SUCCESS); /* other threads may have allocated less */
    here->run.n_threads = 1;
}

static void start_model(scene *here, smerf_self self) {
    here->options.self_distance = self;
    here->model = fit_with(here->data, &here->options, &here->run);
    here->options.self_distance = SMERF_SELF_GIVEN;
}

static size_t n_temporary_files(void) {
    size_t n = 0;
    DIR *folder = opendir(".");
    for (struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder))
        n += strstr(entry->d_name, ".tmp") != NULL;
    closedir(folder);
    return n;
}

/* Syncing the folder is a favour: without memory for it the file is saved all the same. */
static void every_failed_allocation_of_saving_is_reported_and_leaks_nothing(void **state) {
    scene *here = *state;
    for (int splits = 0; splits < 2; splits++) {
        here->options.splits = splits == 0 ? SMERF_AXIS : SMERF_OBLIQUE;
        start_model(here, SMERF_SELF_GIVEN);
        fail_everywhere(here, save, "saving", SUCCESS);
        smerf_model_free(here->model);
    }
    here->options.splits = SMERF_AXIS;
}

static void a_failed_save_leaves_no_file_behind(void **state) {
    scene *here = *state;
    start_model(here, SMERF_SELF_GIVEN);
    unlink("out.smerf");
    for (shortage lack = {.of = "saving", .may_be = SUCCESS}; shortage_starts(&lack, NULL);) {
        smerf_status status = smerf_model_save(here->model, "out.smerf", NULL);
        shortage_ends(&lack, status, NULL);
        size_t n_left = n_temporary_files();
        bool is_there = access("out.smerf", F_OK) == 0;
        if (n_left > 0 || is_there != (status == SMERF_OK))
            fail_msg("call %ld: status %d, %zu temporary files", lack.call, (int)status, n_left);
        unlink("out.smerf");
    }
    smerf_model_free(here->model);
}

static void every_failed_allocation_of_loading_is_reported_and_leaks_nothing(void **state) {
    scene *here = *state;
    for (int splits = 0; splits < 2; splits++) {
        here->options.splits = splits == 0 ? SMERF_AXIS : SMERF_OBLIQUE;
        start_model(here, SMERF_SELF_GIVEN);
        smerf_error error;
        demand_ok(smerf_model_save(here->model, "in.smerf", &error), &error);
        fail_everywhere(here, load, "loading", BAD_FILE | SUCCESS); /* jansson can do without some */
        smerf_model_free(here->model);
    }
    here->options.splits = SMERF_AXIS;
}

static void every_failed_allocation_of_predicting_and_scoring_is_reported_and_leaks_nothing(void **state) {
    scene *here = *state;
    const smerf_self selves[2] = {SMERF_SELF_GIVEN, SMERF_SELF_EXCLUDE};
    for (size_t k = 0; k < 2; k++) {
        start_model(here, selves[k]);
        for (int is_out = 0; is_out < 2; is_out++) {
            here->request = SMERF_INIT(smerf_request, .rows = here->data->items, .out_of_bag = is_out == 1,
                                       .oob_rule = SMERF_OOB_AS_FITTED);
            fail_everywhere(here, ask_rows, "predicting rows", NOTHING_ELSE);
            fail_everywhere(here, ask_pairs, "predicting pairs", NOTHING_ELSE);
            fail_everywhere(here, score_model, "evaluating", NOTHING_ELSE);
            fail_everywhere(here, correlate_all, "correlating", NOTHING_ELSE);
        }
        fail_everywhere(here, ask_importance, "importance", NOTHING_ELSE);
        smerf_model_free(here->model);
    }
    fail_everywhere(here, score_given, "scoring", NOTHING_ELSE);
}

/* Items of other levels have to be numbered anew. */
static void every_failed_allocation_of_matching_items_is_reported_and_leaks_nothing(void **state) {
    scene *here = *state;
    static const char *const others[N_LEVELS] = {"red", "violet", "new", "amber", "green"};
    smerf_column columns[5];
    smerf_items *items = NULL;
    smerf_error error;
    memcpy(columns, here->data->columns, sizeof columns);
    columns[3].levels = others;
    demand_ok(smerf_items_new(columns, 5, 12, &items, &error), &error);
    start_model(here, SMERF_SELF_GIVEN);
    here->request = SMERF_INIT(smerf_request, .rows = items, .columns = here->data->items);
    fail_everywhere(here, ask_rows, "predicting a block", NOTHING_ELSE);
    fail_everywhere(here, ask_pairs, "predicting pairs of a block", NOTHING_ELSE);
    smerf_items_free(items);
    smerf_model_free(here->model);
}

static void every_failed_allocation_of_merging_is_reported_and_leaks_nothing(void **state) {
    scene *here = *state;
    for (size_t k = 0; k < 2; k++) {
        here->options.first_tree = 3 * k;
        here->parts[k] = fit_with(here->data, &here->options, &here->run);
    }
    here->options.first_tree = 0;
    fail_everywhere(here, merge, "merging", NOTHING_ELSE);
    smerf_model_free(here->parts[0]);
    smerf_model_free(here->parts[1]);
}

static void every_failed_allocation_of_tuning_is_reported_and_leaks_nothing(void **state) {
    scene *here = *state;
    fail_everywhere(here, tune, "tuning", NOTHING_ELSE);
}

static void threads_that_cannot_be_started_are_done_without(void **state) {
    scene *here = *state;
    smerf_model *expected = fit_with(here->data, &here->options, &here->run);
    here->run.n_threads = 8;
    for (long n_started = 0; n_started < 3; n_started++) {
        n_threads_left = n_started;
        smerf_model *model = fit_with(here->data, &here->options, &here->run);
        assert_same_model(model, expected);
        smerf_model_free(model);
    }
    n_threads_left = -1;
    here->run.n_threads = 1;
    smerf_model_free(expected);
}

static int enter(void **state) {
    always_shrinks = true; /* a tree that stays as large as it was is no failure */
    json_set_alloc_funcs(try_malloc_for_json, free);
    return files_enter(state);
}

#define IN_SCENE(test) cmocka_unit_test_setup_teardown(test, start_scene, end_scene)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_that_do_not_fit_are_the_largest),
        cmocka_unit_test(absurd_arrays_are_refused),
        cmocka_unit_test(an_array_of_nothing_is_something),
        cmocka_unit_test(aligned_arrays_start_on_a_cache_line_and_are_long_enough),
        cmocka_unit_test(large_arrays_are_aligned_and_long_enough),
        cmocka_unit_test(zeros_are_zeros_and_copies_are_copies),
        cmocka_unit_test(growing_keeps_what_is_there),
        cmocka_unit_test(a_need_larger_than_the_machine_is_refused_with_its_size),
        cmocka_unit_test(an_arena_remembers_that_it_has_failed),
        IN_SCENE(every_failed_allocation_of_making_items_and_targets_is_reported_and_leaks_nothing),
        IN_SCENE(every_failed_allocation_of_naming_and_weighing_is_reported_and_changes_nothing),
        IN_SCENE(every_failed_allocation_of_fitting_is_reported_and_leaks_nothing),
        IN_SCENE(every_failed_allocation_of_any_thread_is_reported_and_leaks_nothing),
        IN_SCENE(every_failed_allocation_of_saving_is_reported_and_leaks_nothing),
        IN_SCENE(a_failed_save_leaves_no_file_behind),
        IN_SCENE(every_failed_allocation_of_loading_is_reported_and_leaks_nothing),
        IN_SCENE(every_failed_allocation_of_predicting_and_scoring_is_reported_and_leaks_nothing),
        IN_SCENE(every_failed_allocation_of_matching_items_is_reported_and_leaks_nothing),
        IN_SCENE(every_failed_allocation_of_merging_is_reported_and_leaks_nothing),
        IN_SCENE(every_failed_allocation_of_tuning_is_reported_and_leaks_nothing),
        IN_SCENE(threads_that_cannot_be_started_are_done_without),
    };
    return cmocka_run_group_tests(tests, enter, files_leave);
}
