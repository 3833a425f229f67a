/* bags.c - see bags.h. Boosters go some rounds at a time, each on one thread; then what they have lost in all says whether to go on.
 * One that learns from many pairs goes alone, on all threads. */
#include "method/boost/fit/bags.h"

#include <math.h>

#include "base/memory.h"

/* By how much less must be lost on held-out pairs within so many rounds. */
static const double worth_going_on = 0.003;

enum {
    ROUNDS_AT_A_TIME = 25,
    PATIENCE = 50, /* rounds */
    MANY_PAIRS = 400000
};

/* ---- starting ---- */

typedef struct start_job {
    sm_bags *bags;
    const size_t *which;
    size_t n_bags, n_threads;
} start_job;

static smerf_status start_one(void *argument, size_t task, size_t thread, smerf_error *error) {
    start_job *job = argument;
    const sm_boosting *boosting = job->bags->boosting;
    size_t held[2] = {SM_NO_GROUP, SM_NO_GROUP}, number = 0;
    (void)thread;
    if (task < job->n_bags) {
        sm_groups_held(boosting->source->n_groups, job->which[task], held);
        number = job->which[task] + 1;
    }
    return sm_booster_start(&job->bags->boosters[task], boosting, held, number, job->n_threads, error);
}

smerf_status sm_bags_start(sm_bags *bags, const sm_boosting *boosting, const size_t *which, size_t n_bags, bool has_all,
                           sm_pool *pool, smerf_error *error) {
    *bags = (sm_bags){.boosting = boosting, .n = n_bags + has_all, .least_loss = NAN, .loss_at_start = NAN};
    bags->boosters = sm_zeros(bags->n, sizeof *bags->boosters);
    if (bags->boosters == NULL) return sm_no_memory(error, "boosting on pairs");
    start_job job = {.bags = bags, .which = which, .n_bags = n_bags, .n_threads = pool->n_threads};
    return sm_pool_run(pool, bags->n, start_one, &job, error);
}

void sm_bags_free(sm_bags *bags) {
    for (size_t b = 0; b < bags->n && bags->boosters != NULL; b++) sm_booster_free(&bags->boosters[b]);
    sm_free(bags->boosters);
    *bags = (sm_bags){0};
}

/* ---- running ---- */

typedef struct run_job {
    sm_bags *bags;
    sm_pool *pool;
    size_t most;
} run_job;

static bool is_large(const sm_booster *booster) { return booster->pairs.n >= MANY_PAIRS; }

/* The last are the largest, and go first. */
static smerf_status run_one(void *argument, size_t task, size_t thread, smerf_error *error) {
    run_job *job = argument;
    sm_booster *booster = &job->bags->boosters[job->bags->n - 1 - task];
    sm_pool alone;
    if (is_large(booster)) return SMERF_OK;
    sm_pool_start(&alone, &SMERF_INIT(smerf_run, .n_threads = 1));
    for (size_t r = 0; r < ROUNDS_AT_A_TIME; r++) {
        if (sm_pool_is_stopped(job->pool, thread)) return SMERF_OK;
        smerf_status status = sm_booster_run(booster, 1, job->most, &alone, error);
        if (status != SMERF_OK) return status;
    }
    return SMERF_OK;
}

static smerf_status run_some_rounds(run_job *job, size_t most, smerf_error *error) {
    sm_bags *bags = job->bags;
    sm_pool *pool = job->pool;
    const double from = pool->fraction_from, to = pool->fraction_to;
    double part = (to - from) * (double)ROUNDS_AT_A_TIME / (double)most;
    pool->fraction_from = from + part * ((double)bags->n_rounds / ROUNDS_AT_A_TIME);
    pool->fraction_to = pool->fraction_from + part < to ? pool->fraction_from + part : to;
    smerf_status status = sm_pool_run(pool, bags->n, run_one, job, error);
    pool->fraction_from = pool->fraction_to;
    for (size_t b = 0; b < bags->n && status == SMERF_OK; b++)
        for (size_t r = 0; r < ROUNDS_AT_A_TIME && is_large(&bags->boosters[b]) && status == SMERF_OK; r++) {
            status = sm_booster_run(&bags->boosters[b], 1, job->most, pool, error);
            if (status == SMERF_OK) status = sm_pool_report(pool, pool->fraction_done, error);
        }
    pool->fraction_from = from;
    pool->fraction_to = to;
    bags->n_rounds = bags->n_rounds + ROUNDS_AT_A_TIME < most ? bags->n_rounds + ROUNDS_AT_A_TIME : most;
    return status;
}

/* Over all bags that hold anything out, in their order. */
static double mean_loss(const sm_bags *bags, size_t round) {
    double sum = 0, weight = 0;
    for (size_t b = 0; b < bags->n; b++) {
        const sm_booster *booster = &bags->boosters[b];
        if (!(booster->held_weight > 0) || isnan(booster->made.start)) continue;
        sum += sm_booster_loss(booster, round);
        weight += booster->held_weight;
    }
    return weight > 0 ? sum / weight : NAN;
}

static void find_best_round(sm_bags *bags) {
    bags->loss_at_start = bags->least_loss = mean_loss(bags, 0);
    bags->best_round = 0;
    for (size_t r = 1; r <= bags->n_rounds; r++) {
        double loss = mean_loss(bags, r);
        if (!(loss < bags->least_loss)) continue;
        bags->least_loss = loss;
        bags->best_round = r;
    }
}

static bool is_any_going_on(const sm_bags *bags) {
    for (size_t b = 0; b < bags->n; b++)
        if (!bags->boosters[b].is_done) return true;
    return false;
}

/* Whether the last rounds were hardly better than all before them: a long tail costs time, and makes the model larger. */
static bool has_levelled_off(const sm_bags *bags) {
    double before = INFINITY;
    for (size_t r = 0; r + PATIENCE <= bags->n_rounds; r++) before = fmin(before, mean_loss(bags, r));
    return bags->least_loss > before * (1 - worth_going_on);
}

smerf_status sm_bags_run(sm_bags *bags, sm_pool *pool, smerf_error *error) {
    const smerf_boost_options *options = bags->boosting->options;
    bool is_fixed = options->n_rounds > 0;
    size_t most = is_fixed ? options->n_rounds : options->most_rounds;
    run_job job = {.bags = bags, .pool = pool, .most = most};
    smerf_status status = SMERF_OK;
    while (status == SMERF_OK && bags->n_rounds < most && is_any_going_on(bags)) {
        status = run_some_rounds(&job, most, error);
        if (status == SMERF_OK) find_best_round(bags);
        if (!is_fixed && has_levelled_off(bags)) break;
    }
    if (is_fixed) bags->best_round = most;
    return status;
}
