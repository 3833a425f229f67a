/* medoids.c - swaps of medoids, each found in one pass over a candidate's row. BUILD, the start of a search, is at the end.
 *
 * Let n(o) and s(o) be the distances of item o to its nearest and second nearest medoid, and d(o) to a candidate. If the
 * candidate takes the place of medoid i, an item that has another nearest medoid changes by min(d - n, 0); one of i's own, by
 * min(d, s) - n. Hence the change for every i is
 *     sum over all o of min(d - n, 0)  +  loss_i  +  sum over o of i of (min(max(d, n), s) - s),
 * where loss_i, the sum of s - n over the items of i, does not depend on the candidate. Items with d >= s, which are most of
 * them, are in none of the sums. */
#include "explore/medoids.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"

/* ---- memory ---- */

smerf_status sm_medoids_start(sm_medoids *medoids, const float *z, size_t n, size_t most_k, const sm_pool *pool,
                              smerf_error *error) {
    *medoids = (sm_medoids){.z = z, .n = n, .most_k = most_k, .n_threads = pool->n_threads};
    medoids->item = sm_array(most_k, sizeof *medoids->item);
    medoids->near = sm_array(n, sizeof *medoids->near);
    medoids->second = sm_array(n, sizeof *medoids->second);
    medoids->owner = sm_array(n, sizeof *medoids->owner);
    medoids->runner_up = sm_array(n, sizeof *medoids->runner_up);
    medoids->loss = sm_array(most_k, sizeof *medoids->loss);
    medoids->changes = sm_array(sm_size(medoids->n_threads, most_k, 0), SM_MEDOIDS_LANES * sizeof *medoids->changes);
    if (medoids->item != NULL && medoids->near != NULL && medoids->second != NULL && medoids->owner != NULL &&
        medoids->runner_up != NULL && medoids->loss != NULL && medoids->changes != NULL)
        return SMERF_OK;
    sm_medoids_free(medoids);
    return sm_no_memory(error, "looking for medoids");
}

void sm_medoids_free(sm_medoids *medoids) {
    sm_free(medoids->item);
    sm_free(medoids->near);
    sm_free(medoids->second);
    sm_free(medoids->owner);
    sm_free(medoids->runner_up);
    sm_free(medoids->loss);
    sm_free(medoids->changes);
    *medoids = (sm_medoids){0};
}

/* ---- who is nearest ---- */

static bool is_medoid(const sm_medoids *medoids, size_t item) { return medoids->near[item] == -INFINITY; }

/* Puts a medoid at this distance in its place among an item's nearest two, behind those that are as near. */
static void offer(sm_medoids *medoids, size_t item, uint32_t slot, float distance) {
    if (distance < medoids->near[item]) {
        medoids->second[item] = medoids->near[item];
        medoids->runner_up[item] = medoids->owner[item];
        medoids->near[item] = distance;
        medoids->owner[item] = slot;
    } else if (distance < medoids->second[item]) {
        medoids->second[item] = distance;
        medoids->runner_up[item] = slot;
    }
}

static void find_nearest_two(sm_medoids *medoids, size_t item) {
    medoids->near[item] = medoids->second[item] = INFINITY;
    medoids->owner[item] = medoids->runner_up[item] = 0;
    for (size_t s = 0; s < medoids->k; s++) {
        size_t medoid = medoids->item[s];
        offer(medoids, item, (uint32_t)s, medoid == item ? -INFINITY : medoids->z[medoid * medoids->n + item]);
    }
}

/* Cost and losses, from the nearest two: always anew, so that nothing depends on the way here. */
static void add_up(sm_medoids *medoids) {
    medoids->cost = 0;
    memset(medoids->loss, 0, medoids->k * sizeof *medoids->loss);
    for (size_t o = 0; o < medoids->n; o++) {
        double near = is_medoid(medoids, o) ? 0 : medoids->near[o];
        medoids->cost += near;
        medoids->loss[medoids->owner[o]] += medoids->second[o] - near;
    }
}

void sm_medoids_set(sm_medoids *medoids, const uint32_t *items, size_t k) {
    memcpy(medoids->item, items, k * sizeof *items);
    medoids->k = k;
    for (size_t o = 0; o < medoids->n; o++) find_nearest_two(medoids, o);
    add_up(medoids);
}

void sm_medoids_swap(sm_medoids *medoids, size_t slot, size_t candidate) {
    const float *row = medoids->z + candidate * medoids->n;
    size_t leaving = medoids->item[slot];
    medoids->item[slot] = (uint32_t)candidate;
    for (size_t o = 0; o < medoids->n; o++)
        if (medoids->owner[o] == slot || medoids->runner_up[o] == slot || o == leaving || o == candidate)
            find_nearest_two(medoids, o);
        else
            offer(medoids, o, (uint32_t)slot, row[o]);
    add_up(medoids);
    medoids->n_swaps++;
}

/* ---- what a swap changes ---- */

/* Items are passed by at a glance if the candidate is no second nearest to any of them; else all of them are added, without
 * a branch, as most of those could not be foreseen. Sums are kept in lanes: a processor adds to one while it waits for another. */
enum { GLANCE = 16, LANES = SM_MEDOIDS_LANES };

typedef struct sums {
    double all[LANES];
    double *changes; /* [k][LANES] by medoid */
} sums;

static double join(const double lane[LANES]) { return (lane[0] + lane[1]) + (lane[2] + lane[3]); }

/* What an item says for all medoids, and for its own. */
typedef struct terms {
    double all[GLANCE], own[GLANCE];
} terms;

static void price(const float *row, const float *near, const float *second, size_t n, terms *to) {
    for (size_t j = 0; j < n; j++) {
        double nearer = (double)row[j] - near[j], than_second = (double)row[j] - second[j];
        double most = (double)near[j] - second[j], some = than_second < 0 ? than_second : 0;
        to->all[j] = nearer < 0 ? nearer : 0;
        to->own[j] = some < most ? most : some;
    }
}

static void add_terms(const terms *from, const uint32_t *owner, size_t n, sums *to) {
    for (size_t j = 0; j < n; j++) {
        to->all[j % LANES] += from->all[j];
        to->changes[owner[j] * LANES + j % LANES] += from->own[j];
    }
}

static bool any_is_less(const float *a, const float *b) {
    int is_less[GLANCE], any = 0;
    for (size_t j = 0; j < GLANCE; j++) is_less[j] = a[j] < b[j] ? -1 : 0;
    for (size_t j = 0; j < GLANCE; j++) any |= is_less[j];
    return any != 0;
}

static void add_span(const sm_medoids *medoids, const float *row, size_t first, size_t end, sums *to) {
    const float *near = medoids->near, *second = medoids->second;
    const uint32_t *owner = medoids->owner;
    terms some;
    size_t o = first;
    for (; o + GLANCE <= end; o += GLANCE) {
        if (!any_is_less(row + o, second + o)) continue;
        price(row + o, near + o, second + o, GLANCE, &some);
        add_terms(&some, owner + o, GLANCE, to);
    }
    price(row + o, near + o, second + o, end - o, &some);
    add_terms(&some, owner + o, end - o, to);
}

double sm_medoids_best_swap(const sm_medoids *medoids, size_t candidate, double *changes, size_t *slot) {
    const float *row = medoids->z + candidate * medoids->n;
    double near = medoids->near[candidate], least = INFINITY;
    sums to = {.all = {-near}, .changes = changes}; /* it will cost nothing, whichever medoid leaves */
    memset(changes, 0, medoids->k * LANES * sizeof *changes);
    changes[medoids->owner[candidate] * LANES] = near - medoids->second[candidate];
    add_span(medoids, row, 0, candidate, &to);
    add_span(medoids, row, candidate + 1, medoids->n, &to);
    for (size_t s = 0; s < medoids->k; s++) {
        double change = medoids->loss[s] + join(changes + s * LANES);
        if (change >= least) continue;
        least = change;
        *slot = s;
    }
    return join(to.all) + least;
}

/* ---- the search ---- */

/* Candidates, some of which are priced at the same time: a stretch for each task, which ends with the first that gains. The
 * first of the first stretch that has one is taken, so that stretches change nothing. */
typedef struct stretches {
    const sm_medoids *medoids;
    size_t first, n; /* candidates from here on, and from 0 after the last item */
    size_t n_tasks;
    atomic_size_t first_task; /* of those that have found one */
    size_t *found;            /* [n_tasks] how many candidates were passed before it */
    size_t *slot;             /* [n_tasks] */
} stretches;

static smerf_status look_through(void *job, size_t task, size_t thread, smerf_error *error) {
    stretches *search = job;
    const sm_medoids *medoids = search->medoids;
    size_t end = search->n * (task + 1) / search->n_tasks;
    (void)error;
    for (size_t c = search->n * task / search->n_tasks; c < end; c++) {
        size_t candidate = (search->first + c) % medoids->n;
        size_t before = atomic_load_explicit(&search->first_task, memory_order_relaxed);
        if (before < task) break;
        if (is_medoid(medoids, candidate)) continue;
        double *changes = medoids->changes + thread * medoids->most_k * LANES;
        if (sm_medoids_best_swap(medoids, candidate, changes, &search->slot[task]) >= 0) continue;
        search->found[task] = c;
        while (task < before && !atomic_compare_exchange_weak(&search->first_task, &before, task)) {
        }
        break;
    }
    return SMERF_OK;
}

/* Pairs that one thread looks at before others are started, and at the most before it reports. */
enum { FEW_PAIRS = 1 << 19, MANY_PAIRS = 1 << 25 };

static size_t rows_of(size_t n_pairs, size_t n) { return n_pairs < n ? 1 : n_pairs / n; }

/* Looks at some of n_left candidates, from `first` on: few and alone after a swap, as one is often followed by the next, then
 * at more and more.   n_each  how many a thread takes */
static smerf_status look_further(stretches *search, size_t first, size_t n_left, size_t *n_each, sm_pool *pool,
                                 smerf_error *error) {
    size_t n = search->medoids->n, n_tasks = *n_each == rows_of(FEW_PAIRS, n) ? 1 : pool->n_threads;
    if (*n_each * n_tasks > n_left) n_tasks = (n_left + *n_each - 1) / *n_each;
    search->first = first;
    search->n = *n_each * n_tasks < n_left ? *n_each * n_tasks : n_left;
    search->n_tasks = n_tasks;
    atomic_store(&search->first_task, SIZE_MAX);
    if (2 * *n_each <= rows_of(MANY_PAIRS, n)) *n_each *= 2;
    return sm_pool_run(pool, n_tasks, look_through, search, error);
}

/* Rounding can make of no gain a small one: then the swap is taken back. As the cost is a function of the medoids that
 * always falls, the search ends. */
static bool swap_if_lower(sm_medoids *medoids, size_t slot, size_t candidate) {
    double before = medoids->cost;
    size_t leaving = medoids->item[slot];
    sm_medoids_swap(medoids, slot, candidate);
    if (medoids->cost < before) return true;
    sm_medoids_swap(medoids, slot, leaving);
    medoids->n_swaps -= 2;
    return false;
}

static smerf_status swap_while_it_gains(sm_medoids *medoids, stretches *search, sm_pool *pool, smerf_error *error) {
    const double whole[2] = {pool->fraction_from, pool->fraction_to};
    const size_t n = medoids->n, few = rows_of(FEW_PAIRS, n);
    size_t next = 0, n_idle = 0, n_seen = 0, n_each = few; /* n_idle: candidates without a gain, since the last swap */
    while (n_idle < n) {
        double fraction = (double)n_seen / (double)(n_seen + n); /* nobody knows how many are to come */
        pool->fraction_from = pool->fraction_to = whole[0] + (whole[1] - whole[0]) * fraction;
        smerf_status status = look_further(search, next, n - n_idle, &n_each, pool, error);
        if (status != SMERF_OK) return status;
        size_t task = atomic_load(&search->first_task), n_passed = search->n;
        bool has_swapped = false;
        if (task < SIZE_MAX) {
            n_passed = search->found[task] + 1;
            has_swapped = swap_if_lower(medoids, search->slot[task], (next + n_passed - 1) % n);
            n_each = few;
        }
        n_idle = has_swapped ? 0 : n_idle + n_passed;
        n_seen += n_passed;
        next = (next + n_passed) % n;
    }
    pool->fraction_from = whole[0];
    pool->fraction_to = whole[1];
    return SMERF_OK;
}

smerf_status sm_medoids_improve(sm_medoids *medoids, sm_pool *pool, smerf_error *error) {
    if (medoids->k == 1) { /* whose loss is without end; the best one is known */
        uint32_t best;
        smerf_status status = sm_medoids_build(medoids, 1, &best, pool, error);
        if (status == SMERF_OK) sm_medoids_set(medoids, &best, 1);
        return status;
    }
    size_t *scratch = sm_array(2 * pool->n_threads, sizeof *scratch);
    if (scratch == NULL) return sm_no_memory(error, "looking for medoids");
    stretches search = {.medoids = medoids, .found = scratch, .slot = scratch + pool->n_threads};
    smerf_status status = swap_while_it_gains(medoids, &search, pool, error);
    sm_free(scratch);
    return status;
}

/* ---- BUILD ----
 *
 * The start of a search for medoids, one item after the other. */

enum { BUILD_LANES = 8, ROWS_A_TASK = 32 };

typedef struct build {
    const sm_medoids *medoids;
    size_t n_built; /* so far */
    double *change; /* [n] of the cost, by a further medoid; of all the cost, by the first one */
} build;

static double join_build(const double lane[BUILD_LANES]) {
    return ((lane[0] + lane[4]) + (lane[2] + lane[6])) + ((lane[1] + lane[5]) + (lane[3] + lane[7]));
}

static double sum(const float *row, size_t n) {
    double lane[BUILD_LANES] = {0}, rest = 0;
    size_t o = 0;
    for (; o + BUILD_LANES <= n; o += BUILD_LANES)
        for (size_t u = 0; u < BUILD_LANES; u++) lane[u] += row[o + u];
    for (; o < n; o++) rest += row[o];
    return join_build(lane) + rest;
}

/* The sum of min(row - near, 0). */
static double sum_of_nearer(const float *row, const float *near, size_t n) {
    double lane[BUILD_LANES] = {0}, rest = 0;
    size_t o = 0;
    for (; o + BUILD_LANES <= n; o += BUILD_LANES)
        for (size_t u = 0; u < BUILD_LANES; u++) {
            double nearer = (double)row[o + u] - near[o + u];
            lane[u] += nearer < 0 ? nearer : 0;
        }
    for (; o < n; o++) {
        double nearer = (double)row[o] - near[o];
        rest += nearer < 0 ? nearer : 0;
    }
    return join_build(lane) + rest;
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
