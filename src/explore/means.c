/* means.c - Lloyd's rounds. How they start is means_start.c.
 *
 * A round:
 *   1. points    whose bounds do not show that they stay look for the nearest centre
 *   2. orphans   a centre without points gets one
 *   3. centres   move to the means of their points
 *   4. bounds    give way by as much as centres have moved */
#include "explore/means.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"

enum { LANES = 8, POINTS_A_TASK = 64, COORDINATES_A_TASK = 64 };

double sm_means_squared(const float *point, const double *centre, size_t width) {
    double lane[LANES] = {0};
    for (size_t r = 0; r < width; r += LANES)
        for (size_t u = 0; u < LANES; u++) {
            double difference = (double)point[r + u] - centre[r + u];
            lane[u] += difference * difference;
        }
    return ((lane[0] + lane[4]) + (lane[2] + lane[6])) + ((lane[1] + lane[5]) + (lane[3] + lane[7]));
}

static double squared_between(const double *a, const double *b, size_t width) {
    double lane[LANES] = {0};
    for (size_t r = 0; r < width; r += LANES)
        for (size_t u = 0; u < LANES; u++) lane[u] += (a[r + u] - b[r + u]) * (a[r + u] - b[r + u]);
    return ((lane[0] + lane[4]) + (lane[2] + lane[6])) + ((lane[1] + lane[5]) + (lane[3] + lane[7]));
}

static double squared_to(const sm_means *means, size_t point, size_t c) {
    return sm_means_squared(means->points + point * means->width, means->centre + c * means->width, means->width);
}

/* ---- memory ---- */

smerf_status sm_means_start(sm_means *means, const float *points, size_t n, size_t width, size_t most_k,
                            smerf_error *error) {
    *means = (sm_means){.points = points, .n = n, .width = width, .most_k = most_k};
    means->centre = sm_array(sm_size(most_k, width, 0), sizeof *means->centre);
    means->earlier = sm_array(sm_size(most_k, width, 0), sizeof *means->earlier);
    means->size = sm_array(most_k, sizeof *means->size);
    means->moved = sm_array(most_k, sizeof *means->moved);
    means->reach = sm_array(most_k, sizeof *means->reach);
    means->cluster = sm_array(n, sizeof *means->cluster);
    means->upper = sm_array(n, sizeof *means->upper);
    means->lower = sm_array(n, sizeof *means->lower);
    if (means->centre != NULL && means->earlier != NULL && means->size != NULL && means->moved != NULL &&
        means->reach != NULL && means->cluster != NULL && means->upper != NULL && means->lower != NULL)
        return SMERF_OK;
    sm_means_free(means);
    return sm_no_memory(error, "looking for means");
}

void sm_means_free(sm_means *means) {
    sm_free(means->centre);
    sm_free(means->earlier);
    sm_free(means->size);
    sm_free(means->moved);
    sm_free(means->reach);
    sm_free(means->cluster);
    sm_free(means->upper);
    sm_free(means->lower);
    *means = (sm_means){0};
}

void sm_means_set(sm_means *means, const uint32_t *items, size_t k) {
    means->k = k;
    means->n_rounds = 0;
    means->slack = 0;
    for (size_t c = 0; c < k; c++) {
        const float *point = means->points + items[c] * means->width;
        for (size_t r = 0; r < means->width; r++) means->centre[c * means->width + r] = point[r];
        means->reach[c] = 0;
    }
    for (size_t i = 0; i < means->n; i++) { /* all are the first one's, and know of no bounds */
        means->cluster[i] = 0;
        means->upper[i] = INFINITY;
        means->lower[i] = 0;
    }
}

/* ---- 1. points ---- */

typedef struct round_job {
    sm_means *means;
    atomic_size_t n_gone;
} round_job;

/* A point stays where none is strictly nearer; else it goes to the first of the nearest. */
static bool look_at_all(sm_means *means, size_t point, double own) {
    size_t before = means->cluster[point], best = before;
    double least = own, second = INFINITY;
    for (size_t c = 0; c < means->k; c++) {
        if (c == before) continue;
        double squared = squared_to(means, point, c);
        if (squared < least) {
            second = least;
            least = squared;
            best = c;
        } else if (squared < second) {
            second = squared;
        }
    }
    means->cluster[point] = (uint32_t)best;
    means->upper[point] = sqrt(least);
    means->lower[point] = sqrt(second);
    return best != before;
}

static smerf_status send_points(void *argument, size_t task, size_t thread, smerf_error *error) {
    round_job *job = argument;
    sm_means *means = job->means;
    size_t first = task * POINTS_A_TASK, end = means->n - first < POINTS_A_TASK ? means->n : first + POINTS_A_TASK;
    size_t n_gone = 0;
    (void)thread;
    (void)error;
    for (size_t i = first; i < end; i++) {
        size_t own = means->cluster[i];
        double far = means->lower[i] > means->reach[own] ? means->lower[i] : means->reach[own];
        if (means->upper[i] + means->slack < far) continue;
        double squared = squared_to(means, i, own);
        means->upper[i] = sqrt(squared);
        if (means->upper[i] + means->slack < far) continue;
        n_gone += look_at_all(means, i, squared);
    }
    atomic_fetch_add(&job->n_gone, n_gone);
    return SMERF_OK;
}

/* ---- 2. orphans ---- */

static void count_points(sm_means *means) {
    memset(means->size, 0, means->k * sizeof *means->size);
    for (size_t i = 0; i < means->n; i++) means->size[means->cluster[i]]++;
}

/* Of the points that are not alone with their centre, the farthest from it; the first on a tie. */
static size_t farthest(const sm_means *means) {
    size_t best = means->n;
    double most = -1;
    for (size_t i = 0; i < means->n; i++) {
        if (means->size[means->cluster[i]] == 1) continue;
        double squared = squared_to(means, i, means->cluster[i]);
        if (squared <= most) continue;
        most = squared;
        best = i;
    }
    return best;
}

static size_t adopt_orphans(sm_means *means) {
    size_t n_gone = 0;
    for (size_t c = 0; c < means->k; c++) {
        if (means->size[c] > 0) continue;
        size_t point = farthest(means);
        means->size[means->cluster[point]]--;
        means->size[c] = 1;
        means->cluster[point] = (uint32_t)c;
        means->upper[point] = INFINITY;
        means->lower[point] = 0;
        n_gone++;
    }
    return n_gone;
}

/* ---- 3. centres ---- */

/* A stretch of coordinates of all centres. */
static smerf_status sum_points(void *argument, size_t task, size_t thread, smerf_error *error) {
    sm_means *means = argument;
    size_t width = means->width, first = task * COORDINATES_A_TASK;
    size_t n = width - first < COORDINATES_A_TASK ? width - first : COORDINATES_A_TASK;
    (void)thread;
    (void)error;
    for (size_t c = 0; c < means->k; c++) memset(means->centre + c * width + first, 0, n * sizeof *means->centre);
    for (size_t i = 0; i < means->n; i++) {
        const float *point = means->points + i * width + first;
        double *sum = means->centre + means->cluster[i] * width + first;
        for (size_t r = 0; r < n; r++) sum[r] += point[r];
    }
    for (size_t c = 0; c < means->k; c++)
        for (size_t r = 0; r < n; r++) means->centre[c * width + first + r] /= (double)means->size[c];
    return SMERF_OK;
}

static smerf_status move_centres(sm_means *means, sm_pool *pool, smerf_error *error) {
    double *centre = means->centre;
    means->centre = means->earlier;
    means->earlier = centre;
    size_t n_tasks = (means->width + COORDINATES_A_TASK - 1) / COORDINATES_A_TASK;
    return sm_pool_run(pool, n_tasks, sum_points, means, error);
}

/* ---- 4. bounds ---- */

static smerf_status measure_centre(void *argument, size_t c, size_t thread, smerf_error *error) {
    sm_means *means = argument;
    size_t width = means->width;
    const double *centre = means->centre + c * width;
    double nearest = INFINITY;
    (void)thread;
    (void)error;
    for (size_t other = 0; other < means->k; other++)
        if (other != c) nearest = fmin(nearest, squared_between(centre, means->centre + other * width, width));
    means->reach[c] = 0.5 * sqrt(nearest);
    means->moved[c] = sqrt(squared_between(centre, means->earlier + c * width, width));
    return SMERF_OK;
}

/* Any of the other centres may have come nearer by as much as the one that moved most. */
static void loosen(sm_means *means) {
    size_t first = 0;
    double second = 0;
    for (size_t c = 1; c < means->k; c++)
        if (means->moved[c] > means->moved[first]) first = c;
    for (size_t c = 0; c < means->k; c++)
        if (c != first && means->moved[c] > second) second = means->moved[c];
    for (size_t i = 0; i < means->n; i++) {
        size_t own = means->cluster[i];
        means->upper[i] += means->moved[own];
        means->lower[i] -= own == first ? second : means->moved[first];
    }
}

/* A bound is off by no more than a few thousand roundings of the largest number that went into it. */
static void allow_for_rounding(sm_means *means) {
    double largest = 0;
    for (size_t i = 0; i < means->n; i++) {
        if (means->upper[i] > largest) largest = means->upper[i];
        if (means->lower[i] > largest && means->lower[i] < INFINITY) largest = means->lower[i];
    }
    means->slack = 1e-10 * largest;
}

/* ---- rounds ---- */

smerf_status sm_means_round(sm_means *means, sm_pool *pool, size_t *n_gone, smerf_error *error) {
    round_job job = {.means = means};
    atomic_init(&job.n_gone, 0);
    size_t n_tasks = (means->n + POINTS_A_TASK - 1) / POINTS_A_TASK;
    smerf_status status = sm_pool_run(pool, n_tasks, send_points, &job, error);
    if (status != SMERF_OK) return status;
    if (means->n_rounds == 0) allow_for_rounding(means);
    count_points(means);
    *n_gone = atomic_load(&job.n_gone) + adopt_orphans(means);
    status = move_centres(means, pool, error);
    if (status == SMERF_OK) status = sm_pool_run(pool, means->k, measure_centre, means, error);
    if (status != SMERF_OK) return status;
    loosen(means);
    means->n_rounds++;
    return SMERF_OK;
}

smerf_status sm_means_improve(sm_means *means, sm_pool *pool, smerf_error *error) {
    const double whole[2] = {pool->fraction_from, pool->fraction_to};
    size_t n_gone = 1;
    smerf_status status = SMERF_OK;
    while (status == SMERF_OK && n_gone > 0 && means->n_rounds < SM_MEANS_MOST_ROUNDS) {
        double fraction =
            (double)means->n_rounds / (double)(means->n_rounds + 10); /* nobody knows how many are to come */
        pool->fraction_from = pool->fraction_to = whole[0] + (whole[1] - whole[0]) * fraction;
        bool is_first = means->n_rounds == 0; /* when all may be where they belong, but centres are not */
        status = sm_means_round(means, pool, &n_gone, error);
        n_gone += is_first;
    }
    pool->fraction_from = whole[0];
    pool->fraction_to = whole[1];
    if (status == SMERF_OK) status = sm_means_distances(means, pool, means->upper, NULL, error);
    means->cost = 0;
    for (size_t i = 0; i < means->n && status == SMERF_OK; i++) means->cost += means->upper[i];
    return status;
}

/* ---- at the end ---- */

typedef struct distances_job {
    const sm_means *means;
    double *own, *other;
} distances_job;

static smerf_status measure_points(void *argument, size_t task, size_t thread, smerf_error *error) {
    const distances_job *job = argument;
    const sm_means *means = job->means;
    size_t first = task * POINTS_A_TASK, end = means->n - first < POINTS_A_TASK ? means->n : first + POINTS_A_TASK;
    (void)thread;
    (void)error;
    for (size_t i = first; i < end; i++) {
        job->own[i] = squared_to(means, i, means->cluster[i]);
        if (job->other == NULL) continue;
        job->other[i] = INFINITY;
        for (size_t c = 0; c < means->k; c++)
            if (c != means->cluster[i]) job->other[i] = fmin(job->other[i], squared_to(means, i, c));
    }
    return SMERF_OK;
}

smerf_status sm_means_distances(const sm_means *means, sm_pool *pool, double *own, double *other, smerf_error *error) {
    distances_job job = {means, own, other};
    return sm_pool_run(pool, (means->n + POINTS_A_TASK - 1) / POINTS_A_TASK, measure_points, &job, error);
}
