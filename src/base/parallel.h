/* parallel.h - the thread pool: one parallel loop, progress, cancelling. No other file knows of threads.
 *
 * Threads are started for a loop and joined at its end: between loops there are none, so a program may fork at any
 * time it is not inside the library, and the child can go on using it. The calling thread works too, and is the
 * only one that reports progress. Which thread takes which task is open, so a task must not depend on it. */
#ifndef SM_BASE_PARALLEL_H
#define SM_BASE_PARALLEL_H

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "base/status.h"
#include "smerf.h"

typedef struct sm_pool {
    size_t n_threads;
    smerf_progress progress;
    void *context;
    double fraction_from, fraction_to; /* the fraction of the whole job that the next loop starts and ends at */
    double fraction_done;              /* as last reported */
    atomic_bool is_stopped;            /* cancelled or failed: tasks leave early */
    struct sm_loop *loop;              /* that it is busy with, or NULL */
    atomic_bool has_idle;              /* see sm_pool_has_idle */
} sm_pool;

/* From a run, which may be NULL. */
void sm_pool_start(sm_pool *pool, const smerf_run *run);

/* Does task 0 .. n_tasks-1, in any order. `thread` is below pool->n_threads, for scratch of its own.
 * The first failure stops the loop and is handed on. */
typedef smerf_status (*sm_task)(void *job, size_t task, size_t thread, smerf_error *error);
smerf_status sm_pool_run(sm_pool *pool, size_t n_tasks, sm_task task, void *job, smerf_error *error);

/* For long tasks, which may leave parts of themselves to threads that have nothing to do: whether there are more of these than
 * tasks that wait for them, and one more task of the same loop. Added tasks have numbers from n_tasks on, in the order in which
 * they are taken. */
static inline bool sm_pool_has_idle(sm_pool *pool) {
    return atomic_load_explicit(&pool->has_idle, memory_order_relaxed);
}
void sm_pool_add(sm_pool *pool);

/* Reports progress from the calling thread between loops; SMERF_CANCELLED if the callback returns other than 0. */
smerf_status sm_pool_report(sm_pool *pool, double fraction_done, smerf_error *error);

/* A counting semaphore: at most n_at_once threads are between enter and leave. */
typedef struct sm_gate {
    pthread_mutex_t lock;
    pthread_cond_t is_open;
    size_t n_more; /* that may enter */
} sm_gate;

void sm_gate_make(sm_gate *gate, size_t n_at_once);
void sm_gate_enter(sm_gate *gate);
void sm_gate_leave(sm_gate *gate);
void sm_gate_free(sm_gate *gate);

/* For long tasks: whether to leave early. On the calling thread it calls the progress callback, too. */
bool sm_pool_is_stopped(sm_pool *pool, size_t thread);

/* ---- one piece of work among several, as far as the caller's progress goes. ---- */

typedef struct sm_progress_part {
    const smerf_run *run; /* the caller's, or NULL */
    double from, to;      /* the part of the whole that the piece is */
} sm_progress_part;

/* The caller's run for one piece: the fraction that is done of it is reported as a fraction of the whole. The part must outlive
 * it, and may move on. */
smerf_run sm_progress_part_run(sm_progress_part *part);

/* ---- the clock ---- */

static inline double sm_seconds_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

#endif
