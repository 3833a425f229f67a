/* parallel.c - see parallel.h. A loop hands out task numbers from one atomic counter; tasks that are added later wait behind a lock. */
#include "base/parallel.h"

#include <unistd.h>

#include "base/memory.h"

typedef struct worker {
    struct sm_loop *loop;
    size_t thread;
    bool is_coming; /* started for a task that was added, and not there yet */
    pthread_t handle;
} worker;

typedef struct sm_loop {
    sm_pool *pool;
    sm_task task;
    void *job;
    size_t n_tasks; /* of the call, without those that were added */
    atomic_size_t next, n_done;

    pthread_mutex_t lock; /* guards what follows */
    pthread_cond_t has_news;
    worker *workers; /* [pool->n_threads] */
    size_t n_started, n_waiting, n_coming;
    size_t n_added, n_added_taken;
    smerf_status status;
    smerf_error error;
} sm_loop;

void sm_pool_start(sm_pool *pool, const smerf_run *run) {
    const smerf_run nothing = {0};
    if (run == NULL) run = &nothing;
    long n_cores = sysconf(_SC_NPROCESSORS_ONLN);
    pool->n_threads = run->n_threads != 0 ? run->n_threads : n_cores < 1 ? 1 : (size_t)n_cores;
    if (pool->n_threads > 1024) pool->n_threads = 1024;
    pool->progress = run->progress;
    pool->context = run->context;
    pool->fraction_from = 0;
    pool->fraction_to = 1;
    pool->fraction_done = 0;
    pool->loop = NULL;
    atomic_init(&pool->is_stopped, false);
    atomic_init(&pool->has_idle, false);
}

smerf_status sm_pool_report(sm_pool *pool, double fraction_done, smerf_error *error) {
    pool->fraction_done = fraction_done;
    if (pool->progress == NULL || pool->progress(pool->context, fraction_done) == 0) return SMERF_OK;
    atomic_store(&pool->is_stopped, true);
    return sm_fail(error, SMERF_CANCELLED, "cancelled");
}

bool sm_pool_is_stopped(sm_pool *pool, size_t thread) {
    if (thread == 0 && sm_pool_report(pool, pool->fraction_done, NULL) != SMERF_OK) return true;
    return atomic_load_explicit(&pool->is_stopped, memory_order_relaxed);
}

void sm_gate_make(sm_gate *gate, size_t n_at_once) {
    pthread_mutex_init(&gate->lock, NULL);
    pthread_cond_init(&gate->is_open, NULL);
    gate->n_more = n_at_once;
}

void sm_gate_enter(sm_gate *gate) {
    pthread_mutex_lock(&gate->lock);
    while (gate->n_more == 0) pthread_cond_wait(&gate->is_open, &gate->lock);
    gate->n_more--;
    pthread_mutex_unlock(&gate->lock);
}

void sm_gate_leave(sm_gate *gate) {
    pthread_mutex_lock(&gate->lock);
    gate->n_more++;
    pthread_cond_signal(&gate->is_open);
    pthread_mutex_unlock(&gate->lock);
}

void sm_gate_free(sm_gate *gate) {
    pthread_cond_destroy(&gate->is_open);
    pthread_mutex_destroy(&gate->lock);
}

static void note_task_failure(sm_loop *loop, smerf_status status, const smerf_error *error) {
    pthread_mutex_lock(&loop->lock);
    if (loop->status == SMERF_OK) {
        loop->status = status;
        loop->error = *error;
    }
    pthread_mutex_unlock(&loop->lock);
    atomic_store(&loop->pool->is_stopped, true);
}

/* ---- who takes what ---- */

static size_t n_queued(const sm_loop *loop) { return loop->n_added - loop->n_added_taken; }

/* Threads that wait or are about to, and those that were not needed yet, against tasks that wait. The lock is held. */
static void count_idle(sm_loop *loop) {
    size_t n_idle = loop->n_waiting + loop->n_coming + (loop->pool->n_threads - loop->n_started);
    atomic_store_explicit(&loop->pool->has_idle, n_idle > n_queued(loop), memory_order_relaxed);
}

static bool is_all_done(const sm_loop *loop) { return atomic_load(&loop->n_done) == loop->n_tasks + loop->n_added; }
static bool is_over(const sm_loop *loop) { return atomic_load(&loop->pool->is_stopped) || is_all_done(loop); }

/* Waits for a task that another adds; false: none will be added any more. */
static bool take_added_task(worker *self, size_t *task) {
    sm_loop *loop = self->loop;
    pthread_mutex_lock(&loop->lock);
    loop->n_coming -= self->is_coming;
    self->is_coming = false;
    while (!is_over(loop) && n_queued(loop) == 0) {
        loop->n_waiting++;
        count_idle(loop);
        pthread_cond_wait(&loop->has_news, &loop->lock);
        loop->n_waiting--;
    }
    bool is_there = !is_over(loop);
    if (is_there) *task = loop->n_tasks + loop->n_added_taken++;
    count_idle(loop);
    pthread_mutex_unlock(&loop->lock);
    return is_there;
}

static bool take_task(worker *self, size_t *task) {
    sm_loop *loop = self->loop;
    if (atomic_load_explicit(&loop->pool->is_stopped, memory_order_relaxed)) return false;
    if (!self->is_coming && atomic_load_explicit(&loop->next, memory_order_relaxed) < loop->n_tasks) {
        *task = atomic_fetch_add(&loop->next, 1);
        if (*task < loop->n_tasks) return true;
    }
    return take_added_task(self, task);
}

/* Those who wait look again: at a task more, or at the end. */
static void wake_all(sm_loop *loop) {
    pthread_mutex_lock(&loop->lock);
    pthread_cond_broadcast(&loop->has_news);
    pthread_mutex_unlock(&loop->lock);
}

static smerf_status report_progress(sm_loop *loop, size_t n_done, smerf_error *error) {
    sm_pool *pool = loop->pool;
    pthread_mutex_lock(&loop->lock);
    double fraction = (double)n_done / (double)(loop->n_tasks + loop->n_added);
    pthread_mutex_unlock(&loop->lock);
    fraction = pool->fraction_from + fraction * (pool->fraction_to - pool->fraction_from);
    return sm_pool_report(pool, fraction > pool->fraction_done ? fraction : pool->fraction_done,
                          error); /* never back */
}

static void *work_through(void *argument) {
    worker *self = argument;
    sm_loop *loop = self->loop;
    size_t task;
    while (take_task(self, &task)) {
        smerf_error error = {0};
        smerf_status status = loop->task(loop->job, task, self->thread, &error);
        size_t n_done = atomic_fetch_add(&loop->n_done, 1) + 1;
        if (status == SMERF_OK && self->thread == 0 && loop->pool->progress != NULL)
            status = report_progress(loop, n_done, &error);
        if (status != SMERF_OK) note_task_failure(loop, status, &error);
    }
    wake_all(loop);
    return NULL;
}

/* One more thread. False: the system has none. The lock is held. */
static bool start_worker(sm_loop *loop, bool is_coming) {
    worker *next = &loop->workers[loop->n_started];
    *next = (worker){.loop = loop, .thread = loop->n_started, .is_coming = is_coming};
    if (pthread_create(&next->handle, NULL, work_through, next) != 0) return false;
    loop->n_started++;
    loop->n_coming += is_coming;
    return true;
}

void sm_pool_add(sm_pool *pool) {
    sm_loop *loop = pool->loop;
    pthread_mutex_lock(&loop->lock);
    loop->n_added++;
    bool is_waited_for = loop->n_waiting + loop->n_coming >= n_queued(loop);
    if (!is_waited_for && loop->n_started < pool->n_threads) start_worker(loop, true); /* or whoever is done first */
    count_idle(loop);
    pthread_cond_signal(&loop->has_news);
    pthread_mutex_unlock(&loop->lock);
}

/* ---- the loop ---- */

/* A thread that is at work may start others, which come after it: these are seen once it has been waited for. */
static void wait_for_all(sm_loop *loop) {
    for (size_t i = 1;; i++) {
        pthread_mutex_lock(&loop->lock);
        bool is_last = i >= loop->n_started;
        pthread_mutex_unlock(&loop->lock);
        if (is_last) return;
        pthread_join(loop->workers[i].handle, NULL);
    }
}

/* Another thread may have done the last task: the caller has yet to say so. */
static smerf_status report_end(sm_pool *pool, smerf_error *error) {
    if (pool->progress == NULL || pool->fraction_done >= pool->fraction_to) return SMERF_OK;
    return sm_pool_report(pool, pool->fraction_to, error);
}

smerf_status sm_pool_run(sm_pool *pool, size_t n_tasks, sm_task task, void *job, smerf_error *error) {
    sm_loop loop = {.pool = pool, .task = task, .job = job, .n_tasks = n_tasks, .n_started = 1, .status = SMERF_OK};
    if (n_tasks == 0) return SMERF_OK;
    loop.workers = sm_array(pool->n_threads, sizeof *loop.workers);
    if (loop.workers == NULL) return sm_no_memory(error, "starting threads");
    atomic_init(&loop.next, 0);
    atomic_init(&loop.n_done, 0);
    pthread_mutex_init(&loop.lock, NULL);
    pthread_cond_init(&loop.has_news, NULL);
    pool->loop = &loop;

    loop.workers[0] = (worker){.loop = &loop, .thread = 0}; /* the caller */
    pthread_mutex_lock(&loop.lock);
    while (loop.n_started < pool->n_threads && loop.n_started < n_tasks && start_worker(&loop, false)) {
    }
    count_idle(&loop);
    pthread_mutex_unlock(&loop.lock);
    work_through(&loop.workers[0]);
    wait_for_all(&loop);

    pool->loop = NULL;
    if (loop.status == SMERF_OK && is_all_done(&loop)) loop.status = report_end(pool, &loop.error);
    pthread_cond_destroy(&loop.has_news);
    pthread_mutex_destroy(&loop.lock);
    sm_free(loop.workers);
    if (loop.status != SMERF_OK && error != NULL) *error = loop.error;
    return loop.status;
}

/* ---- progress of a part ---- */

static int report_part(void *context, double fraction_done) {
    const sm_progress_part *part = context;
    return part->run->progress(part->run->context, part->from + fraction_done * (part->to - part->from));
}

smerf_run sm_progress_part_run(sm_progress_part *part) {
    const smerf_run nothing = {.size = sizeof nothing};
    smerf_run own = part->run != NULL ? *part->run : nothing;
    if (own.progress != NULL) {
        own.progress = report_part;
        own.context = part;
    }
    return own;
}
