/* explain.c - what each feature has in predicted distances.
 *
 * Pairs wait with their sums while the trees come by, some at a time. For each such batch
 *   1. every tree is made ready for walks             start_tree
 *   2. mean distances on the ways are found           fill_some: leaf by leaf, so that a leaf's numbers serve all its pairs
 *   3. the changes on them are added to the pairs     add_some: trees in order, so that the bits do not depend on threads
 * How one tree does it is walks.c. */
#include "explore/explain.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "explore/walks.h"
#include "predict/settle.h"

enum { PIECES_A_TREE = 8, PAIRS_A_TASK = 256 };

typedef struct explain_job {
    sm_asked *asked;
    sm_arena arena; /* holds the arrays below, but for the caller's */
    sm_walk_pairs pairs;
    size_t n_features;
    uint32_t *places;    /* [2][n_pairs] */
    uint32_t *n_of;      /* how often each item occurs, of the rows and of the others */
    double *baseline;    /* [n_pairs] sums at first; the caller's */
    double *shares;      /* [n_pairs][n_features] likewise */
    double *distance;    /* [n_pairs] likewise, or ours */
    uint32_t *n_spoken;  /* [n_pairs] trees, see sm_asked_all_speak */
    size_t first, end;   /* the trees of the batch */
    sm_walks *walks;     /* [most trees of a group] */
    sm_walk_room *rooms; /* [n_threads] */
} explain_job;

/* ---- the tasks of a batch ---- */

static smerf_status start_tree(void *argument, size_t task, size_t thread, smerf_error *error) {
    explain_job *job = argument;
    (void)thread;
    bool has_started = sm_walks_start(&job->walks[task], job->asked, job->first + task, &job->pairs);
    return has_started ? SMERF_OK : sm_no_memory(error, "explaining distances");
}

static smerf_status fill_some(void *argument, size_t task, size_t thread, smerf_error *error) {
    explain_job *job = argument;
    const sm_walks *walks = &job->walks[task / PIECES_A_TREE];
    size_t piece = task % PIECES_A_TREE, n_leaves = walks->nodes.leaves->n;
    (void)error;
    sm_walks_fill(walks, n_leaves * piece / PIECES_A_TREE, n_leaves * (piece + 1) / PIECES_A_TREE, &job->rooms[thread]);
    return SMERF_OK;
}

static smerf_status add_some(void *argument, size_t task, size_t thread, smerf_error *error) {
    explain_job *job = argument;
    size_t first = task * PAIRS_A_TASK, end = first + PAIRS_A_TASK < job->pairs.n ? first + PAIRS_A_TASK : job->pairs.n;
    (void)thread;
    (void)error;
    for (size_t b = job->first; b < job->end; b++) {
        const sm_walks *walks = &job->walks[b - job->first];
        for (size_t p = first; p < end; p++) {
            if (walks->from[p] == SMERF_MISSING) continue;
            job->n_spoken[p] |= SM_MAY_SPEAK;
            double distance = sm_walks_add(walks, p, &job->baseline[p], job->shares + p * job->n_features);
            if (isnan(distance)) continue;
            job->distance[p] += distance;
            job->n_spoken[p]++;
        }
    }
    return SMERF_OK;
}

/* ---- batches ---- */

/* As many trees as may be at hand together, one at least. */
static smerf_status choose_batch(explain_job *job, smerf_error *error) {
    const sm_asked *asked = job->asked;
    double bytes = 0;
    for (job->end = job->first; job->end < asked->end; job->end++) {
        double more = sm_walks_bytes(asked, job->end, &job->pairs);
        if (job->end > job->first && bytes + more > asked->limits->panel_bytes) break;
        bytes += more;
    }
    return bytes > asked->limits->panel_bytes ? sm_check_memory(bytes, "explaining distances", error) : SMERF_OK;
}

static smerf_status do_batch(explain_job *job, sm_crew *crew, smerf_error *error) {
    size_t n_trees = job->end - job->first;
    double n = (double)job->asked->n_trees, from = (double)job->first / n, to = (double)job->end / n;
    crew->share_from = from;
    crew->share_to = from + (to - from) / 3;
    smerf_status status = sm_crew_do(crew, n_trees, start_tree, job, error);
    crew->share_from = crew->share_to;
    crew->share_to = to;
    if (status == SMERF_OK) status = sm_crew_do(crew, n_trees * PIECES_A_TREE, fill_some, job, error);
    crew->share_from = to;
    if (status == SMERF_OK)
        status = sm_crew_do(crew, (job->pairs.n + PAIRS_A_TASK - 1) / PAIRS_A_TASK, add_some, job, error);
    for (size_t t = 0; t < n_trees; t++) sm_walks_free(&job->walks[t]);
    return status;
}

static smerf_status do_group(explain_job *job, size_t group, sm_crew *crew, smerf_error *error) {
    sm_asked *asked = job->asked;
    crew->share_from = crew->share_to = (double)asked->group_first[group] / (double)asked->n_trees;
    smerf_status status = sm_asked_turn(asked, group, crew, error);
    for (job->first = asked->first; job->first < asked->end && status == SMERF_OK; job->first = job->end) {
        status = choose_batch(job, error);
        if (status == SMERF_OK) status = do_batch(job, crew, error);
    }
    return status;
}

/* ---- from sums to means ---- */

/* A pair for which trees may speak, but none has anything to say, has its distance from elsewhere: all of it is baseline. */
static smerf_status finish(explain_job *job, sm_crew *crew, smerf_error *error) {
    for (size_t p = 0; p < job->pairs.n; p++) {
        double n = SM_N_SPOKEN(job->n_spoken[p]);
        double *shares = job->shares + p * job->n_features;
        job->distance[p] = n > 0 ? job->distance[p] / n : job->n_spoken[p] > 0 ? job->asked->fallback : NAN;
        job->baseline[p] = n > 0 ? job->baseline[p] / n : NAN;
        for (size_t f = 0; f < job->n_features; f++) shares[f] = n > 0 ? shares[f] / n : job->n_spoken[p] > 0 ? 0 : NAN;
    }
    smerf_status status = sm_settle_pairs(job->asked, job->pairs.left, job->pairs.right, job->pairs.n, job->n_spoken,
                                          job->distance, crew, error);
    for (size_t p = 0; p < job->pairs.n && status == SMERF_OK; p++)
        if (SM_N_SPOKEN(job->n_spoken[p]) == 0) job->baseline[p] = job->distance[p];
    return status;
}

/* ---- all together ---- */

static void count_items(explain_job *job) {
    const sm_asked *asked = job->asked;
    uint32_t *of_column = asked->is_square ? job->n_of : job->n_of + asked->rows.n;
    for (size_t p = 0; p < job->pairs.n; p++) {
        job->n_of[job->pairs.left[p]]++;
        of_column[job->pairs.right[p]]++;
    }
    job->pairs.n_of_row = job->n_of;
    job->pairs.n_of_column = of_column;
}

static smerf_status take_room(explain_job *job, const uint32_t *left, const uint32_t *right, const sm_crew *crew,
                              smerf_error *error) {
    sm_asked *asked = job->asked;
    size_t n = job->pairs.n, n_trees = 0;
    job->places = sm_arena_take(&job->arena, sm_size(n, 2, 0), sizeof *job->places);
    if (job->places == NULL) return sm_no_memory(error, "explaining distances");
    smerf_status status = sm_asked_pick_pairs(asked, left, right, n, job->places, error);
    if (status != SMERF_OK) return status;
    job->pairs.left = job->places;
    job->pairs.right = job->places + n;
    for (size_t group = 0; group < asked->n_groups; group++)
        if (asked->group_first[group + 1] - asked->group_first[group] > n_trees)
            n_trees = asked->group_first[group + 1] - asked->group_first[group];
    job->n_of = sm_arena_take_zeros(&job->arena, asked->rows.n + asked->others.n, sizeof *job->n_of);
    job->n_spoken = sm_arena_take_zeros(&job->arena, n, sizeof *job->n_spoken);
    if (job->distance == NULL) job->distance = sm_arena_take(&job->arena, n, sizeof *job->distance);
    job->walks = sm_arena_take_zeros(&job->arena, n_trees, sizeof *job->walks);
    job->rooms = sm_arena_take_zeros(&job->arena, crew->n_threads, sizeof *job->rooms);
    bool has_room = !job->arena.has_failed;
    for (size_t t = 0; t < crew->n_threads && has_room; t++) has_room = sm_walk_room_start(&job->rooms[t], asked);
    return has_room ? SMERF_OK : sm_no_memory(error, "explaining distances");
}

static smerf_status explain(explain_job *job, const uint32_t *left, const uint32_t *right, sm_crew *crew,
                            smerf_error *error) {
    smerf_status status = take_room(job, left, right, crew, error);
    if (status == SMERF_OK) {
        count_items(job);
        memset(job->baseline, 0, job->pairs.n * sizeof *job->baseline);
        memset(job->distance, 0, job->pairs.n * sizeof *job->distance);
        memset(job->shares, 0, job->pairs.n * job->n_features * sizeof *job->shares);
    }
    for (size_t group = 0; status == SMERF_OK && group < job->asked->n_groups; group++)
        status = do_group(job, group, crew, error);
    if (status == SMERF_OK) status = finish(job, crew, error);
    for (size_t t = 0; t < crew->n_threads && job->rooms != NULL; t++) sm_walk_room_free(&job->rooms[t]);
    sm_arena_free(&job->arena);
    return status;
}

smerf_status sm_explain_pairs(const smerf_model *model, const smerf_question *question, const sm_limits *limits,
                              const uint32_t *left, const uint32_t *right, size_t n_pairs, const smerf_run *run,
                              double *baseline, double *shares, double *distance, smerf_error *error) {
    sm_crew crew;
    sm_asked asked;
    smerf_status status = sm_model_check_forest(model, "explanations", error);
    if (status != SMERF_OK) return status;
    if (n_pairs > UINT32_MAX / 2)
        return sm_fail(error, SMERF_BAD_INPUT, "%zu pairs are more than %u, the most that are explained at once",
                       n_pairs, UINT32_MAX / 2);
    sm_crew_start(&crew, run);
    status = sm_asked_start(&asked, model, question, limits, error);
    if (status != SMERF_OK) return status;
    explain_job job = {.asked = &asked,
                       .pairs = {.n = n_pairs},
                       .n_features = model->features.n,
                       .baseline = baseline,
                       .shares = shares,
                       .distance = distance};
    status = sm_asked_check_pairs(&asked, left, right, n_pairs, error);
    if (status == SMERF_OK && n_pairs > 0) status = explain(&job, left, right, &crew, error);
    sm_asked_free(&asked);
    return status;
}

smerf_status smerf_explain_pairs(const smerf_model *model, const smerf_question *question, const uint32_t *left,
                                 const uint32_t *right, size_t n_pairs, const smerf_run *run, double *baseline,
                                 double *shares, double *distance, smerf_error *error) {
    return sm_explain_pairs(model, question, &sm_usual_limits, left, right, n_pairs, run, baseline, shares, distance,
                            error);
}
