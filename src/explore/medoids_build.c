/* medoids_build.c - the start of a search for medoids: BUILD, one item after the other. */
#include <math.h>

#include "base/memory.h"
#include "explore/medoids.h"

enum { LANES = 8, ROWS_A_TASK = 32 };

typedef struct build {
    const sm_medoids *medoids;
    size_t n_built; /* so far */
    double *change; /* [n] of the cost, by a further medoid; of all the cost, by the first one */
} build;

static double join(const double lane[LANES]) {
    return ((lane[0] + lane[4]) + (lane[2] + lane[6])) + ((lane[1] + lane[5]) + (lane[3] + lane[7]));
}

static double sum(const float *row, size_t n) {
    double lane[LANES] = {0}, rest = 0;
    size_t o = 0;
    for (; o + LANES <= n; o += LANES)
        for (size_t u = 0; u < LANES; u++) lane[u] += row[o + u];
    for (; o < n; o++) rest += row[o];
    return join(lane) + rest;
}

/* The sum of min(row - near, 0). */
static double sum_of_nearer(const float *row, const float *near, size_t n) {
    double lane[LANES] = {0}, rest = 0;
    size_t o = 0;
    for (; o + LANES <= n; o += LANES)
        for (size_t u = 0; u < LANES; u++) {
            double nearer = (double)row[o + u] - near[o + u];
            lane[u] += nearer < 0 ? nearer : 0;
        }
    for (; o < n; o++) {
        double nearer = (double)row[o] - near[o];
        rest += nearer < 0 ? nearer : 0;
    }
    return join(lane) + rest;
}

static smerf_status price_rows(void *job, size_t task, size_t thread, smerf_error *error) {
    build *here = job;
    const sm_medoids *medoids = here->medoids;
    const float *near = medoids->near;
    size_t n = medoids->n, first = task * ROWS_A_TASK, end = n - first < ROWS_A_TASK ? n : first + ROWS_A_TASK;
    (void)thread;
    (void)error;
    for (size_t x = first; x < end; x++) {
        const float *row = medoids->z + x * n;
        if (here->n_built == 0)
            here->change[x] = sum(row, x) + sum(row + x + 1, n - x - 1);
        else if (near[x] == -INFINITY)
            here->change[x] = INFINITY; /* a medoid already */
        else
            here->change[x] = (sum_of_nearer(row, near, x) + sum_of_nearer(row + x + 1, near + x + 1, n - x - 1)) -
                              near[x]; /* it will cost nothing */
    }
    return SMERF_OK;
}

/* Adds the item that lowers the cost most. */
static uint32_t take_best(build *here, float *near) {
    const sm_medoids *medoids = here->medoids;
    size_t n = medoids->n, best = 0;
    for (size_t x = 1; x < n; x++)
        if (here->change[x] < here->change[best]) best = x;
    const float *row = medoids->z + best * n;
    for (size_t o = 0; o < n; o++)
        if (here->n_built == 0 || row[o] < near[o]) near[o] = row[o];
    near[best] = -INFINITY;
    here->n_built++;
    return (uint32_t)best;
}

smerf_status sm_medoids_build(sm_medoids *medoids, size_t n_items, uint32_t *items, sm_pool *pool, smerf_error *error) {
    const double whole[2] = {pool->fraction_from, pool->fraction_to};
    size_t n_tasks = (medoids->n + ROWS_A_TASK - 1) / ROWS_A_TASK;
    build here = {.medoids = medoids, .change = sm_array(medoids->n, sizeof *here.change)};
    if (here.change == NULL) return sm_no_memory(error, "looking for medoids");
    smerf_status status = SMERF_OK;
    for (size_t k = 0; k < n_items && status == SMERF_OK; k++) {
        pool->fraction_from = whole[0] + (whole[1] - whole[0]) * ((double)k / (double)n_items);
        pool->fraction_to = whole[0] + (whole[1] - whole[0]) * ((double)(k + 1) / (double)n_items);
        status = sm_pool_run(pool, n_tasks, price_rows, &here, error);
        if (status == SMERF_OK) items[k] = take_best(&here, medoids->near);
    }
    pool->fraction_from = whole[0];
    pool->fraction_to = whole[1];
    sm_free(here.change);
    return status;
}
