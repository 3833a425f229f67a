/* test_parallel.c - every task is done once, the first failure is heard, progress stays on the caller's thread, and
 * a program may fork or call from two threads. */
#include "tests/unit/forests.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/wait.h>

#include "base/parallel.h"
#include "smerf_study.h"

static const size_t thread_counts[] = {1, 2, 3, 7, 16, 64, 200};
enum { N_THREAD_COUNTS = sizeof thread_counts / sizeof *thread_counts, MOST_TASKS = 2000, MOST_THREADS = 200 };

static void start(sm_pool *pool, size_t n_threads, smerf_progress progress, void *context) {
    const smerf_run run = SMERF_INIT(smerf_run, .n_threads = n_threads, .progress = progress, .context = context);
    sm_pool_start(pool, &run);
}

/* ---- the loop ---- */

typedef struct counts {
    atomic_uint done[MOST_TASKS];
    atomic_uint busy[MOST_THREADS]; /* how many tasks use one thread's scratch right now */
    size_t n_threads;
    atomic_uint n_wrong;
} counts;

static smerf_status count_task(void *job, size_t task, size_t thread, smerf_error *error) {
    counts *count = job;
    (void)error;
    if (thread >= count->n_threads || atomic_fetch_add(&count->busy[thread], 1) != 0)
        atomic_fetch_add(&count->n_wrong, 1);
    atomic_fetch_add(&count->done[task], 1);
    if (thread < count->n_threads) atomic_fetch_sub(&count->busy[thread], 1);
    return SMERF_OK;
}

static void every_task_is_done_exactly_once(void **state) {
    (void)state;
    const size_t task_counts[] = {0, 1, 2, 3, 63, 64, 65, MOST_TASKS};
    for (size_t t = 0; t < N_THREAD_COUNTS; t++)
        for (size_t k = 0; k < sizeof task_counts / sizeof *task_counts; k++) {
            static counts count;
            memset(&count, 0, sizeof count);
            count.n_threads = thread_counts[t];
            sm_pool pool;
            start(&pool, thread_counts[t], NULL, NULL);
            assert_int_equal(sm_pool_run(&pool, task_counts[k], count_task, &count, NULL), SMERF_OK);
            for (size_t i = 0; i < MOST_TASKS; i++) assert_int_equal(count.done[i], i < task_counts[k]);
            assert_int_equal(count.n_wrong, 0);
        }
}

static void a_pool_works_through_many_loops(void **state) {
    (void)state;
    static counts count;
    memset(&count, 0, sizeof count);
    count.n_threads = 3;
    sm_pool pool;
    start(&pool, 3, NULL, NULL);
    for (size_t loop = 0; loop < 50; loop++)
        assert_int_equal(sm_pool_run(&pool, 10, count_task, &count, NULL), SMERF_OK);
    for (size_t i = 0; i < 10; i++) assert_int_equal(count.done[i], 50);
}

static void without_a_run_all_cores_work_and_no_more_than_a_thousand(void **state) {
    (void)state;
    sm_pool pool;
    sm_pool_start(&pool, NULL);
    assert_true(pool.n_threads >= 1 && pool.n_threads == (size_t)sysconf(_SC_NPROCESSORS_ONLN));
    assert_null(pool.progress);
    start(&pool, SIZE_MAX, NULL, NULL);
    assert_int_equal(pool.n_threads, 1024);
}

/* ---- failures ---- */

typedef struct failing {
    sm_pool *pool;
    size_t bad_task;
    atomic_uint n_started;
} failing;

/* The bad task fails; the others last until the loop is stopped, so that each thread has one at most. */
static smerf_status fail_one(void *job, size_t task, size_t thread, smerf_error *error) {
    failing *work = job;
    (void)thread;
    atomic_fetch_add(&work->n_started, 1);
    if (task == work->bad_task) return sm_fail(error, SMERF_BAD_INPUT, "task %zu has failed", task);
    if (task > work->bad_task)
        while (!atomic_load(&work->pool->is_stopped)) sched_yield();
    return SMERF_OK;
}

static void the_first_failure_stops_the_loop_and_its_message_arrives(void **state) {
    (void)state;
    for (size_t t = 0; t < N_THREAD_COUNTS; t++) {
        sm_pool pool;
        start(&pool, thread_counts[t], NULL, NULL);
        failing work = {.pool = &pool, .bad_task = 5};
        smerf_error error = {0};
        assert_int_equal(sm_pool_run(&pool, 100000, fail_one, &work, &error), SMERF_BAD_INPUT);
        assert_int_equal(error.status, SMERF_BAD_INPUT);
        assert_string_equal(error.message, "task 5 has failed");
        assert_true(work.n_started <= 6 + thread_counts[t]);
    }
}

static void who_does_not_want_the_message_gets_the_status(void **state) {
    (void)state;
    sm_pool pool;
    start(&pool, 4, NULL, NULL);
    failing work = {.pool = &pool, .bad_task = 0};
    assert_int_equal(sm_pool_run(&pool, 50, fail_one, &work, NULL), SMERF_BAD_INPUT);
}

static smerf_status fail_differently(void *job, size_t task, size_t thread, smerf_error *error) {
    (void)job;
    (void)thread;
    return task % 2 == 0 ? sm_fail(error, SMERF_BAD_INPUT, "input") : sm_fail(error, SMERF_IO, "io");
}

static void of_several_failures_one_is_reported_whole(void **state) {
    (void)state;
    for (size_t round = 0; round < 200; round++) {
        sm_pool pool;
        start(&pool, 8, NULL, NULL);
        smerf_error error;
        smerf_status status = sm_pool_run(&pool, 8, fail_differently, NULL, &error);
        assert_int_equal(error.status, status);
        assert_string_equal(error.message, status == SMERF_IO ? "io" : "input");
    }
}

/* Task 0 fails once another has started; the others fail when they see that the loop is stopped, which is later. */
static smerf_status fail_later(void *job, size_t task, size_t thread, smerf_error *error) {
    failing *work = job;
    (void)thread;
    atomic_fetch_add(&work->n_started, 1);
    if (task == 0) {
        while (atomic_load(&work->n_started) < 2) sched_yield();
        return sm_fail(error, SMERF_BAD_INPUT, "first");
    }
    while (!atomic_load(&work->pool->is_stopped)) sched_yield();
    return sm_fail(error, SMERF_IO, "later");
}

static void later_failures_do_not_hide_the_first(void **state) {
    (void)state;
    for (size_t round = 0; round < 50; round++) {
        sm_pool pool;
        start(&pool, 4, NULL, NULL);
        failing work = {.pool = &pool};
        smerf_error error;
        assert_int_equal(sm_pool_run(&pool, 4, fail_later, &work, &error), SMERF_BAD_INPUT);
        assert_string_equal(error.message, "first");
    }
}

/* ---- tasks that are added ---- */

typedef struct watcher {
    pthread_t caller;
    size_t n_calls, n_wrong;
    double last;
    size_t cancel_at; /* this call; 0: never */
} watcher;

static int watch(void *context, double fraction_done) {
    watcher *seen = context;
    seen->n_calls++;
    if (!pthread_equal(pthread_self(), seen->caller) || !(fraction_done >= seen->last && fraction_done <= 1))
        seen->n_wrong++;
    seen->last = fraction_done;
    return seen->n_calls == seen->cancel_at;
}

typedef struct adding {
    sm_pool *pool;
    size_t n_first, n_more, bad_task;
    atomic_size_t n_added;
    atomic_uint done[MOST_TASKS];
} adding;

/* Each adds another one, as long as there are any to add. */
static smerf_status add_one(void *job, size_t task, size_t thread, smerf_error *error) {
    adding *work = job;
    (void)thread;
    atomic_fetch_add(&work->done[task], 1);
    if (task == work->bad_task) return sm_fail(error, SMERF_BAD_INPUT, "task %zu has failed", task);
    for (size_t k = 0; k < 2; k++)
        if (atomic_fetch_add(&work->n_added, 1) < work->n_more) sm_pool_add(work->pool);
    return SMERF_OK;
}

static void added_tasks_are_done_once_each(void **state) {
    (void)state;
    const size_t firsts[] = {1, 2, 5, 300}, mores[] = {0, 1, 3, 1000};
    for (size_t t = 0; t < N_THREAD_COUNTS; t++)
        for (size_t way = 0; way < 16; way++) {
            static adding work;
            sm_pool pool;
            watcher seen = {.caller = pthread_self()};
            start(&pool, thread_counts[t], watch, &seen);
            memset(&work, 0, sizeof work);
            work = (adding){.pool = &pool, .n_first = firsts[way % 4], .n_more = mores[way / 4], .bad_task = SIZE_MAX};
            assert_int_equal(sm_pool_run(&pool, work.n_first, add_one, &work, NULL), SMERF_OK);
            for (size_t i = 0; i < MOST_TASKS; i++) assert_int_equal(work.done[i], i < work.n_first + work.n_more);
            assert_true(seen.n_wrong == 0 && seen.last == 1);
        }
}

static void an_added_task_that_fails_stops_the_loop(void **state) {
    (void)state;
    for (size_t t = 0; t < N_THREAD_COUNTS; t++) {
        static adding work;
        sm_pool pool;
        start(&pool, thread_counts[t], NULL, NULL);
        memset(&work, 0, sizeof work);
        work = (adding){.pool = &pool, .n_first = 3, .n_more = 1000, .bad_task = 40};
        smerf_error error = {0};
        assert_int_equal(sm_pool_run(&pool, work.n_first, add_one, &work, &error), SMERF_BAD_INPUT);
        assert_string_equal(error.message, "task 40 has failed");
    }
}

enum { N_MEETING = 6 };

typedef struct meeting {
    sm_pool *pool;
    atomic_size_t n_here;
    size_t n_idle_at_first; /* tasks that the first one added before nobody was idle any more */
} meeting;

/* The only task adds others as long as there is a thread for them; none ends before all are there. */
static smerf_status meet(void *job, size_t task, size_t thread, smerf_error *error) {
    meeting *work = job;
    (void)thread;
    (void)error;
    for (; task == 0 && sm_pool_has_idle(work->pool); work->n_idle_at_first++) sm_pool_add(work->pool);
    atomic_fetch_add(&work->n_here, 1);
    while (atomic_load(&work->n_here) < N_MEETING) sched_yield();
    return SMERF_OK;
}

static void there_is_a_thread_for_each_task_that_is_added_while_some_are_idle(void **state) {
    (void)state;
    for (size_t round = 0; round < 50; round++) {
        sm_pool pool;
        start(&pool, N_MEETING, NULL, NULL);
        meeting work = {.pool = &pool};
        assert_int_equal(sm_pool_run(&pool, 1, meet, &work, NULL), SMERF_OK);
        assert_int_equal(work.n_idle_at_first, N_MEETING - 1);
        assert_int_equal(work.n_here, N_MEETING);
    }
}

static smerf_status ask_who_is_idle(void *job, size_t task, size_t thread, smerf_error *error) {
    (void)task;
    (void)thread;
    return sm_pool_has_idle(job) ? sm_fail(error, SMERF_BAD_INPUT, "there is") : SMERF_OK;
}

static void one_thread_is_never_idle(void **state) {
    (void)state;
    sm_pool pool;
    start(&pool, 1, NULL, NULL);
    assert_false(sm_pool_has_idle(&pool));
    assert_int_equal(sm_pool_run(&pool, 3, ask_who_is_idle, &pool, NULL), SMERF_OK);
}

/* ---- progress ---- */

static void progress_rises_on_the_calling_thread(void **state) {
    (void)state;
    for (size_t t = 0; t < N_THREAD_COUNTS; t++) {
        static counts count;
        memset(&count, 0, sizeof count);
        count.n_threads = thread_counts[t];
        watcher seen = {.caller = pthread_self()};
        sm_pool pool;
        start(&pool, thread_counts[t], watch, &seen);
        assert_int_equal(sm_pool_run(&pool, 500, count_task, &count, NULL), SMERF_OK);
        assert_int_equal(seen.n_wrong, 0);
        assert_true(seen.n_calls <= 500 && seen.last == 1);
        if (thread_counts[t] == 1) assert_int_equal(seen.n_calls, 500);
    }
}

static void a_loop_reports_within_its_fraction_of_the_job(void **state) {
    (void)state;
    static counts count = {.n_threads = 1};
    watcher seen = {.caller = pthread_self(), .last = 0.25};
    sm_pool pool;
    start(&pool, 1, watch, &seen);
    pool.fraction_from = 0.25;
    pool.fraction_to = 0.5;
    assert_int_equal(sm_pool_run(&pool, 8, count_task, &count, NULL), SMERF_OK);
    assert_true(seen.n_wrong == 0 && seen.last == 0.5);
}

static void progress_cancels(void **state) {
    (void)state;
    for (size_t t = 0; t < N_THREAD_COUNTS; t++) {
        static counts count;
        memset(&count, 0, sizeof count);
        count.n_threads = thread_counts[t];
        watcher seen = {.caller = pthread_self(), .cancel_at = 1};
        sm_pool pool;
        start(&pool, thread_counts[t], watch, &seen);
        smerf_error error = {0};
        smerf_status status = sm_pool_run(&pool, MOST_TASKS, count_task, &count, &error);
        assert_int_equal(status, SMERF_CANCELLED);
        assert_string_equal(error.message, "cancelled");
        assert_int_equal(seen.n_calls, 1);
        if (thread_counts[t] == 1) assert_true(count.done[0] == 1 && count.done[1] == 0);
    }
}

static void only_the_caller_asks_whether_to_stop(void **state) {
    (void)state;
    watcher seen = {.caller = pthread_self(), .cancel_at = 2};
    sm_pool pool;
    start(&pool, 4, watch, &seen);
    assert_false(sm_pool_is_stopped(&pool, 3));
    assert_int_equal(seen.n_calls, 0);
    assert_false(sm_pool_is_stopped(&pool, 0));
    assert_true(sm_pool_is_stopped(&pool, 0));
    assert_true(sm_pool_is_stopped(&pool, 3));
    assert_int_equal(seen.n_calls, 2);
}

static void every_long_call_reports_progress_that_never_falls(void **state) {
    (void)state;
    data_set *data = mixed_data(80);
    smerf_options options = options_for(20);
    const smerf_tuning tuning = SMERF_INIT(smerf_tuning, .metric = SMERF_RMSE, .vary_min_parent = true);
    const smerf_request request =
        SMERF_INIT(smerf_request, .rows = data->items, .out_of_bag = true, .oob_rule = SMERF_OOB_AS_FITTED);
    double importance[5], errors[5], *distances = malloc(80 * 80 * sizeof *distances);
    square kept = {.distances = distances};
    smerf_model *model;
    smerf_tuned best = SMERF_INIT(smerf_tuned);
    smerf_scores scores = SMERF_INIT(smerf_scores);
    smerf_error error;
    for (size_t n_threads = 1; n_threads <= 3; n_threads++) {
        watcher seen = {.caller = pthread_self()};
        const smerf_run run = SMERF_INIT(smerf_run, .n_threads = n_threads, .progress = watch, .context = &seen);
        demand_ok(smerf_fit(data->items, data->target, &options, &run, &model, &error), &error);
        assert_int_equal(seen.n_wrong, 0);
        seen.last = 0;
        kept.n_rows = 0;
        demand_ok(smerf_predict_rows(model, &request, &run, keep_row, &kept, &error), &error);
        assert_int_equal(seen.n_wrong, 0);
        seen.last = 0;
        demand_ok(smerf_evaluate(model, &request, NULL, 0, &run, &scores, &error), &error);
        assert_int_equal(seen.n_wrong, 0);
        seen.last = 0;
        demand_ok(smerf_importance_permutation(model, data->items, NULL, &run, importance, errors, &error), &error);
        assert_int_equal(seen.n_wrong, 0);
        seen.last = 0;
        demand_ok(smerf_tune(data->items, data->target, &options, &tuning, &run, &best, &error), &error);
        assert_int_equal(seen.n_wrong, 0);
        assert_near(seen.last, 1, 1e-12);
        smerf_model_free(model);
        smerf_model_free(best.model);
    }
    free(distances);
    data_set_free(data);
}

/* ---- forks and callers with threads of their own ---- */

/* Fits with several threads and compares with the bytes expected. For children, so it must not use assertions. */
static bool fits_as_expected(const data_set *data, const char *path, const file_bytes *expected) {
    const smerf_run run = SMERF_INIT(smerf_run, .n_threads = 4);
    const smerf_options options = options_for(12);
    smerf_model *model = NULL;
    if (smerf_fit(data->items, data->target, &options, &run, &model, NULL) != SMERF_OK) return false;
    bool is_saved = smerf_model_save(model, path, NULL) == SMERF_OK;
    smerf_model_free(model);
    FILE *file = is_saved ? fopen(path, "rb") : NULL;
    char *found = malloc(expected->n + 1);
    bool is_same = file != NULL && found != NULL && fread(found, 1, expected->n + 1, file) == expected->n &&
                   memcmp(found, expected->bytes, expected->n) == 0;
    if (file != NULL) fclose(file);
    free(found);
    return is_same;
}

static bool child_fits_as_expected(const data_set *data, const file_bytes *expected) {
    pid_t child = fork_child();
    if (child == 0) _exit(fits_as_expected(data, "child.smerf", expected) ? 0 : 1);
    int status;
    return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static file_bytes fit_here(const data_set *data, size_t n_threads) {
    const smerf_run run = SMERF_INIT(smerf_run, .n_threads = n_threads);
    const smerf_options options = options_for(12);
    smerf_model *model = fit_with(data, &options, &run);
    file_bytes bytes = bytes_of(model);
    smerf_model_free(model);
    return bytes;
}

static void a_child_can_use_the_library_after_its_parent(void **state) {
    (void)state;
    data_set *data = mixed_data(60);
    for (size_t n_threads = 1; n_threads <= 8; n_threads += 7) {
        file_bytes expected = fit_here(data, n_threads);
        assert_true(child_fits_as_expected(data, &expected));
        free(expected.bytes);
        expected = fit_here(data, n_threads); /* and the parent after its child */
        assert_true(child_fits_as_expected(data, &expected));
        free(expected.bytes);
    }
    data_set_free(data);
}

typedef struct forking {
    const data_set *data;
    const file_bytes *expected;
    size_t n_fine;
} forking;

static int fork_at_row(void *context, size_t row, const double *distances, size_t n_columns) {
    forking *here = context;
    (void)distances;
    (void)n_columns;
    if (row == 0 || row == 59) here->n_fine += child_fits_as_expected(here->data, here->expected);
    return 0;
}

static void fork_at_trial(void *context, const smerf_trial *trial) {
    forking *here = context;
    if (trial->number == 1) here->n_fine += child_fits_as_expected(here->data, here->expected);
}

static void a_program_may_fork_between_two_loops_of_one_call(void **state) {
    (void)state;
    data_set *data = mixed_data(60);
    file_bytes expected = fit_here(data, 3);
    const smerf_run run = SMERF_INIT(smerf_run, .n_threads = 3);
    const smerf_options options = options_for(12);
    const smerf_request request = SMERF_INIT(smerf_request, .rows = data->items);
    smerf_model *model = fit_with(data, &options, &run);
    forking here = {.data = data, .expected = &expected};
    const smerf_tuning tuning = SMERF_INIT(smerf_tuning, .metric = SMERF_RMSE, .vary_min_parent = true,
                                           .tried = fork_at_trial, .context = &here);
    smerf_tuned best = SMERF_INIT(smerf_tuned);
    smerf_error error;
    demand_ok(smerf_predict_rows(model, &request, &run, fork_at_row, &here, &error), &error);
    assert_int_equal(here.n_fine, 2);
    demand_ok(smerf_tune(data->items, data->target, &options, &tuning, &run, &best, &error), &error);
    assert_int_equal(here.n_fine, 3);
    smerf_model_free(model);
    smerf_model_free(best.model);
    free(expected.bytes);
    data_set_free(data);
}

typedef struct caller {
    pthread_t handle;
    const data_set *data;
    const file_bytes *expected;
    const smerf_model *model;
    const char *path;
    double *distances; /* [60][60] */
    bool is_fine;
} caller;

static void *call(void *argument) {
    caller *self = argument;
    const smerf_run run = SMERF_INIT(smerf_run, .n_threads = 2);
    const smerf_request request = SMERF_INIT(smerf_request, .rows = self->data->items);
    square kept = {.distances = self->distances};
    self->is_fine = true;
    for (size_t round = 0; round < 5; round++) {
        kept.n_rows = 0;
        self->is_fine = self->is_fine && fits_as_expected(self->data, self->path, self->expected) &&
                        smerf_predict_rows(self->model, &request, &run, keep_row, &kept, NULL) == SMERF_OK;
    }
    return NULL;
}

static void threads_of_the_caller_may_use_the_same_data_and_model(void **state) {
    (void)state;
    data_set *data = mixed_data(60);
    file_bytes expected = fit_here(data, 1);
    const smerf_options options = options_for(12);
    smerf_model *model = fit_with(data, &options, NULL);
    const smerf_request request = SMERF_INIT(smerf_request, .rows = data->items);
    double *alone = predict_all(model, &request, NULL);
    const char *const paths[3] = {"caller-0.smerf", "caller-1.smerf", "caller-2.smerf"};
    caller callers[3];
    for (size_t k = 0; k < 3; k++) {
        callers[k] = (caller){.data = data, .expected = &expected, .model = model, .path = paths[k]};
        callers[k].distances = malloc(60 * 60 * sizeof(double));
        assert_int_equal(pthread_create(&callers[k].handle, NULL, call, &callers[k]), 0);
    }
    for (size_t k = 0; k < 3; k++) {
        pthread_join(callers[k].handle, NULL);
        assert_true(callers[k].is_fine);
        assert_memory_equal(callers[k].distances, alone, 60 * 60 * sizeof *alone);
        free(callers[k].distances);
    }
    free(alone);
    smerf_model_free(model);
    free(expected.bytes);
    data_set_free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_task_is_done_exactly_once),
        cmocka_unit_test(a_pool_works_through_many_loops),
        cmocka_unit_test(without_a_run_all_cores_work_and_no_more_than_a_thousand),
        cmocka_unit_test(the_first_failure_stops_the_loop_and_its_message_arrives),
        cmocka_unit_test(who_does_not_want_the_message_gets_the_status),
        cmocka_unit_test(of_several_failures_one_is_reported_whole),
        cmocka_unit_test(later_failures_do_not_hide_the_first),
        cmocka_unit_test(added_tasks_are_done_once_each),
        cmocka_unit_test(an_added_task_that_fails_stops_the_loop),
        cmocka_unit_test(there_is_a_thread_for_each_task_that_is_added_while_some_are_idle),
        cmocka_unit_test(one_thread_is_never_idle),
        cmocka_unit_test(progress_rises_on_the_calling_thread),
        cmocka_unit_test(a_loop_reports_within_its_fraction_of_the_job),
        cmocka_unit_test(progress_cancels),
        cmocka_unit_test(only_the_caller_asks_whether_to_stop),
        cmocka_unit_test(every_long_call_reports_progress_that_never_falls),
        cmocka_unit_test(a_child_can_use_the_library_after_its_parent),
        cmocka_unit_test(a_program_may_fork_between_two_loops_of_one_call),
        cmocka_unit_test(threads_of_the_caller_may_use_the_same_data_and_model),
    };
    return cmocka_run_group_tests(tests, files_enter, files_leave);
}
