/* means_start.c - where k means begin: k-means++, of a few drawn points the one that leaves least. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "explore/means.h"

enum { N_TRIALS = 4, POINTS_A_TASK = 256 };

typedef struct drawing {
    const sm_means *means;
    sm_random random;
    double *least; /* [n] squared distance to the nearest of the points so far; -1: is one of them */
    size_t n_trials;
    size_t trial[N_TRIALS]; /* points that may be the next */
    double *squared;        /* [N_TRIALS][n] distances to them */
    double *centre;         /* [N_TRIALS][width] */
} drawing;

static smerf_status measure(void *argument, size_t task, size_t thread, smerf_error *error) {
    const drawing *all = argument;
    const sm_means *means = all->means;
    size_t n = means->n, width = means->width;
    size_t first = task * POINTS_A_TASK, end = n - first < POINTS_A_TASK ? n : first + POINTS_A_TASK;
    (void)thread;
    (void)error;
    for (size_t i = first; i < end; i++)
        for (size_t t = 0; t < all->n_trials; t++)
            all->squared[t * n + i] = sm_means_squared(means->points + i * width, all->centre + t * width, width);
    return SMERF_OK;
}

/* A point by its squared distance; if all are where others are, the first that is not taken. */
static size_t draw_point(drawing *all, double total) {
    double left = sm_random_uniform(&all->random) * total;
    size_t last = all->means->n;
    for (size_t i = 0; i < all->means->n; i++) {
        if (all->least[i] < 0 || (all->least[i] == 0 && total > 0)) continue;
        last = i;
        left -= all->least[i];
        if (left < 0 || total == 0) break;
    }
    return last;
}

static double total_of(const drawing *all) {
    double total = 0;
    for (size_t i = 0; i < all->means->n; i++) total += all->least[i] > 0 ? all->least[i] : 0;
    return total;
}

/* What would be left of the total with this trial. */
static double left_by(const drawing *all, size_t t) {
    const double *squared = all->squared + t * all->means->n;
    double left = 0;
    for (size_t i = 0; i < all->means->n; i++) {
        double least = all->least[i] < squared[i] ? all->least[i] : squared[i];
        left += least > 0 ? least : 0;
    }
    return left;
}

static void take_start(drawing *all, size_t t) {
    const double *squared = all->squared + t * all->means->n;
    for (size_t i = 0; i < all->means->n; i++)
        if (squared[i] < all->least[i]) all->least[i] = squared[i];
    all->least[all->trial[t]] = -1;
}

static smerf_status draw_next(drawing *all, bool is_first, uint32_t *item, sm_pool *pool, smerf_error *error) {
    const sm_means *means = all->means;
    size_t width = means->width, best = 0;
    double total = is_first ? 0 : total_of(all), least = INFINITY;
    all->n_trials = total > 0 ? N_TRIALS : 1;
    for (size_t t = 0; t < all->n_trials; t++) {
        all->trial[t] = is_first ? (size_t)sm_random_below_64(&all->random, means->n) : draw_point(all, total);
        const float *point = means->points + all->trial[t] * width;
        for (size_t r = 0; r < width; r++) all->centre[t * width + r] = point[r];
    }
    size_t n_tasks = (means->n + POINTS_A_TASK - 1) / POINTS_A_TASK;
    smerf_status status = sm_pool_run(pool, n_tasks, measure, all, error);
    if (status != SMERF_OK) return status;
    for (size_t t = 0; t < all->n_trials && all->n_trials > 1; t++) {
        double left = left_by(all, t);
        if (left >= least) continue;
        least = left;
        best = t;
    }
    take_start(all, best);
    *item = (uint32_t)all->trial[best];
    return SMERF_OK;
}

smerf_status sm_means_draw(const sm_means *means, uint64_t seed, uint32_t start, size_t n_items, uint32_t *items,
                           sm_pool *pool, smerf_error *error) {
    const double whole[2] = {pool->fraction_from, pool->fraction_to};
    drawing all = {.means = means,
                   .least = sm_array(means->n, sizeof *all.least),
                   .squared = sm_array(sm_size(N_TRIALS, means->n, 0), sizeof *all.squared),
                   .centre = sm_array(sm_size(N_TRIALS, means->width, 0), sizeof *all.centre)};
    smerf_status status = SMERF_OK;
    if (all.least == NULL || all.squared == NULL || all.centre == NULL)
        status = sm_no_memory(error, "looking for means");
    for (size_t i = 0; i < means->n && status == SMERF_OK; i++) all.least[i] = INFINITY;
    sm_random_start(&all.random, seed, start, SM_STREAM_MEANS);
    for (size_t k = 0; k < n_items && status == SMERF_OK; k++) {
        pool->fraction_from = whole[0] + (whole[1] - whole[0]) * ((double)k / (double)n_items);
        pool->fraction_to = whole[0] + (whole[1] - whole[0]) * ((double)(k + 1) / (double)n_items);
        status = draw_next(&all, k == 0, &items[k], pool, error);
    }
    pool->fraction_from = whole[0];
    pool->fraction_to = whole[1];
    sm_free(all.least);
    sm_free(all.squared);
    sm_free(all.centre);
    return status;
}
