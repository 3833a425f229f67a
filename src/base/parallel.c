/* parallel.c - see parallel.h. */
#include "base/parallel.h"

#include <unistd.h>

#include "base/memory.h"

typedef struct loop {
    sm_crew *crew;
    sm_task task;
    void *job;
    size_t n_tasks;
    atomic_size_t next, n_done;
    sm_gate gate; /* guards what follows */
    smerf_status status;
    smerf_error error;
} loop;

typedef struct worker {
    loop *loop;
    size_t thread;
    pthread_t handle;
} worker;

void sm_crew_start(sm_crew *crew, const smerf_run *run) {
    const smerf_run nothing = {0};
    if (run == NULL) run = &nothing;
    long n_cores = sysconf(_SC_NPROCESSORS_ONLN);
    crew->n_threads = run->n_threads != 0 ? run->n_threads : n_cores < 1 ? 1 : (size_t)n_cores;
    if (crew->n_threads > 1024) crew->n_threads = 1024;
    crew->progress = run->progress;
    crew->context = run->context;
    crew->share_from = 0;
    crew->share_to = 1;
    crew->share_done = 0;
    atomic_init(&crew->is_stopped, false);
}

smerf_status sm_crew_report(sm_crew *crew, double share_done, smerf_error *error) {
    crew->share_done = share_done;
    if (crew->progress == NULL || crew->progress(crew->context, share_done) == 0) return SMERF_OK;
    atomic_store(&crew->is_stopped, true);
    return sm_fail(error, SMERF_CANCELLED, "cancelled");
}

bool sm_crew_is_stopped(sm_crew *crew, size_t thread) {
    if (thread == 0 && sm_crew_report(crew, crew->share_done, NULL) != SMERF_OK) return true;
    return atomic_load_explicit(&crew->is_stopped, memory_order_relaxed);
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

static void note_failure(loop *shared, smerf_status status, const smerf_error *error) {
    sm_gate_enter(&shared->gate);
    if (shared->status == SMERF_OK) {
        shared->status = status;
        shared->error = *error;
    }
    sm_gate_leave(&shared->gate);
    atomic_store(&shared->crew->is_stopped, true);
}

static void *work(void *argument) {
    worker *self = argument;
    loop *shared = self->loop;
    sm_crew *crew = shared->crew;
    while (!atomic_load_explicit(&crew->is_stopped, memory_order_relaxed)) {
        size_t task = atomic_fetch_add(&shared->next, 1);
        if (task >= shared->n_tasks) break;
        smerf_error error = {0};
        smerf_status status = shared->task(shared->job, task, self->thread, &error);
        size_t n_done = atomic_fetch_add(&shared->n_done, 1) + 1;
        if (status == SMERF_OK && self->thread == 0 && crew->progress != NULL) {
            double share = (double)n_done / (double)shared->n_tasks;
            share = crew->share_from + share * (crew->share_to - crew->share_from);
            status = sm_crew_report(crew, share, &error);
        }
        if (status != SMERF_OK) note_failure(shared, status, &error);
    }
    return NULL;
}

/* Another thread may have done the last task: the caller has yet to say so. */
static smerf_status report_end(sm_crew *crew, smerf_error *error) {
    if (crew->progress == NULL || crew->share_done >= crew->share_to) return SMERF_OK;
    return sm_crew_report(crew, crew->share_to, error);
}

smerf_status sm_crew_do(sm_crew *crew, size_t n_tasks, sm_task task, void *job, smerf_error *error) {
    loop shared = {.crew = crew, .task = task, .job = job, .n_tasks = n_tasks, .status = SMERF_OK};
    atomic_init(&shared.next, 0);
    atomic_init(&shared.n_done, 0);
    size_t n_workers = crew->n_threads < n_tasks ? crew->n_threads : n_tasks;
    if (n_workers == 0) return SMERF_OK;
    worker *workers = sm_array(n_workers, sizeof *workers);
    if (workers == NULL) return sm_no_memory(error, "starting threads");
    sm_gate_make(&shared.gate, 1);

    size_t n_started = 1; /* the caller */
    workers[0] = (worker){.loop = &shared, .thread = 0};
    while (n_started < n_workers) {
        worker *next = &workers[n_started];
        *next = (worker){.loop = &shared, .thread = n_started};
        if (pthread_create(&next->handle, NULL, work, next) != 0) break; /* then with fewer */
        n_started++;
    }
    work(&workers[0]);
    for (size_t i = 1; i < n_started; i++) pthread_join(workers[i].handle, NULL);

    if (shared.status == SMERF_OK && atomic_load(&shared.n_done) == n_tasks)
        shared.status = report_end(crew, &shared.error);
    sm_gate_free(&shared.gate);
    sm_free(workers);
    if (shared.status != SMERF_OK && error != NULL) *error = shared.error;
    return shared.status;
}
