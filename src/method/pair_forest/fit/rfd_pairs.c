/* rfd_pairs.c - see rfd_pairs.h.
 *   1. number the known pairs (i, j), i < j, row by row
 *   2. if they are too many, draw some of the numbers      Floyd's algorithm
 *   3. find the pairs of these numbers, and their weights
 *   4. ask the target for their distances
 * An item and itself are no pair: all of their differences are 0, and so is their distance for most targets, by
 * convention and not because somebody looked. */
#include "method/pair_forest/fit/rfd_pairs.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/random.h"
#include "target/links/pairs.h"

/* ---- 1. numbering ---- */

/* The list of pairs, of a target that has one; NULL: it knows all pairs. */
static const sm_links *links_of(const smerf_target *target) {
    bool has_list = target->kind == &sm_target_pairs || target->kind == &sm_target_observed;
    return has_list ? sm_known_pairs_of(target)->links : NULL;
}

uint64_t sm_rfd_n_known(const smerf_target *target) {
    const sm_links *links = links_of(target);
    return links != NULL ? links->n / 2 : (uint64_t)target->n_rows * (target->n_rows - 1) / 2;
}

/* The first entry in the row of an item whose partner comes after it. */
static size_t first_later(const sm_links *links, size_t item) {
    size_t entry = links->first[item];
    while (entry < links->first[item + 1] && links->partner[entry] < item) entry++;
    return entry;
}

/* ---- 2. drawing ---- */

/* Numbers that were drawn, at places that their bits suggest; NONE: a free place. */
typedef struct drawn {
    uint64_t *number;
    unsigned n_bits; /* 2 ^ n_bits places */
} drawn;

#define NONE UINT64_MAX

/* False: it was there before. */
static bool put(drawn *set, uint64_t number) {
    size_t mask = ((size_t)1 << set->n_bits) - 1;
    size_t place = (size_t)((number * 0x9E3779B97F4A7C15u) >> (64 - set->n_bits));
    for (; set->number[place] != NONE; place = (place + 1) & mask)
        if (set->number[place] == number) return false;
    set->number[place] = number;
    return true;
}

static int ascending(const void *a, const void *b) {
    uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
    return (left > right) - (left < right);
}

/* n of the numbers below n_known, ascending; NULL: no memory. Floyd: for each last number in turn draw one up to it, and
 * take the last one instead if that was drawn before. */
static uint64_t *draw(uint64_t n_known, size_t n, uint64_t seed) {
    drawn set = {.n_bits = 2};
    while ((size_t)1 << set.n_bits < 2 * n) set.n_bits++;
    size_t n_places = (size_t)1 << set.n_bits, n_kept = 0;
    set.number = sm_array(n_places, sizeof *set.number);
    if (set.number == NULL) return NULL;
    for (size_t place = 0; place < n_places; place++) set.number[place] = NONE;
    sm_random random;
    sm_random_start(&random, seed, 0, SM_STREAM_PAIRS);
    for (uint64_t last = n_known - n; last < n_known; last++)
        if (!put(&set, sm_random_below_64(&random, last + 1))) put(&set, last);
    for (size_t place = 0; place < n_places; place++)
        if (set.number[place] != NONE) set.number[n_kept++] = set.number[place];
    qsort(set.number, n_kept, sizeof *set.number, ascending);
    return set.number;
}

/* ---- 3. from numbers to pairs ---- */

static double item_weight(const sm_training_set *training, size_t item) {
    return training->weights != NULL ? training->weights[item] : 1;
}

/* Pair p is that of items i and j, which is this entry in the list of pairs, if there is one. */
static void set_pair(sm_rfd_pairs *pairs, size_t p, const sm_training_set *training, size_t i, size_t j, size_t entry) {
    const sm_links *links = links_of(training->target);
    pairs->left[p] = (uint32_t)i;
    pairs->right[p] = (uint32_t)j;
    if (links != NULL) pairs->z[p] = sm_links_value(links, entry);
    if (pairs->weight == NULL) return;
    pairs->weight[p] = item_weight(training, i) * item_weight(training, j);
    if (links != NULL) pairs->weight[p] *= sm_links_weight(links, entry);
}

/*   number  [n] ascending; NULL: all */
static void set_pairs(sm_rfd_pairs *pairs, const sm_training_set *training, const uint64_t *number) {
    const sm_links *links = links_of(training->target);
    size_t n_items = training->target->n_rows;
    uint64_t before = 0; /* pairs in the rows before */
    for (size_t i = 0, p = 0; i < n_items && p < pairs->n; i++) {
        size_t first = links != NULL ? first_later(links, i) : i + 1;
        size_t n_in_row = (links != NULL ? links->first[i + 1] : n_items) - first;
        for (; p < pairs->n && (number != NULL ? number[p] : p) < before + n_in_row; p++) {
            size_t at = first + (size_t)((number != NULL ? number[p] : p) - before);
            set_pair(pairs, p, training, i, links != NULL ? links->partner[at] : at, at);
        }
        before += n_in_row;
    }
}

/* Products of weights may be of any size; only how they compare matters. */
static void tame_weights(sm_rfd_pairs *pairs) {
    double largest = 0, smallest = INFINITY;
    for (size_t p = 0; p < pairs->n; p++) {
        largest = fmax(largest, pairs->weight[p]);
        smallest = fmin(smallest, pairs->weight[p]);
    }
    if (smallest >= SM_SMALLEST_WEIGHT && largest <= SM_LARGEST_WEIGHT) return;
    for (size_t p = 0; p < pairs->n; p++)
        pairs->weight[p] = fmax(SM_SMALLEST_WEIGHT, pairs->weight[p] / largest * SM_LARGEST_WEIGHT);
}

/* ---- 4. distances ---- */

typedef struct rows_job {
    const smerf_target *target;
    sm_rfd_pairs *pairs;
    size_t *first; /* [n_items + 1] the pairs of each row */
    double *row;   /* [n_threads][n_items] */
} rows_job;

static smerf_status read_row(void *argument, size_t i, size_t thread, smerf_error *error) {
    const rows_job *job = argument;
    (void)error;
    if (job->first[i] == job->first[i + 1]) return SMERF_OK;
    double *row = job->row + thread * job->target->n_columns;
    job->target->kind->data.true_row(job->target, i, row);
    for (size_t p = job->first[i]; p < job->first[i + 1]; p++) job->pairs->z[p] = row[job->pairs->right[p]];
    return SMERF_OK;
}

/* Of a target that knows all pairs: row by row. */
static smerf_status read_distances(sm_rfd_pairs *pairs, const sm_training_set *training, smerf_error *error) {
    size_t n_items = training->target->n_rows;
    rows_job job = {.target = training->target, .pairs = pairs};
    job.first = sm_zeros(n_items + 1, sizeof *job.first);
    job.row = sm_array(sm_size(training->pool->n_threads, n_items, 0), sizeof *job.row);
    smerf_status status = SMERF_OK;
    if (job.first == NULL || job.row == NULL) status = sm_no_memory(error, "reading distances");
    for (size_t p = 0; p < pairs->n && status == SMERF_OK; p++) job.first[pairs->left[p] + 1]++;
    for (size_t i = 0; i < n_items && status == SMERF_OK; i++) job.first[i + 1] += job.first[i];
    if (status == SMERF_OK) status = sm_pool_run(training->pool, n_items, read_row, &job, error);
    sm_free(job.first);
    sm_free(job.row);
    return status;
}

/* ---- all of it ---- */

static bool make_room(sm_rfd_pairs *pairs, bool has_weights) {
    pairs->left = sm_array(pairs->n, sizeof *pairs->left);
    pairs->right = sm_array(pairs->n, sizeof *pairs->right);
    pairs->z = sm_array(pairs->n, sizeof *pairs->z);
    if (has_weights) pairs->weight = sm_array(pairs->n, sizeof *pairs->weight);
    return pairs->left != NULL && pairs->right != NULL && pairs->z != NULL && (!has_weights || pairs->weight != NULL);
}

smerf_status sm_rfd_pairs_choose(sm_rfd_pairs *pairs, const sm_training_set *training, smerf_error *error) {
    const sm_links *links = links_of(training->target);
    bool has_weights = training->weights != NULL || (links != NULL && links->weight != NULL);
    *pairs = (sm_rfd_pairs){.n_known = sm_rfd_n_known(training->target)};
    bool is_some = pairs->n_known > training->options->baselines->n_pairs;
    pairs->n = is_some ? training->options->baselines->n_pairs : (size_t)pairs->n_known;
    smerf_status status = sm_check_memory((double)pairs->n * (is_some ? 56 : 24), "choosing pairs", error);
    if (status != SMERF_OK) return status;
    uint64_t *number = is_some ? draw(pairs->n_known, pairs->n, training->options->seed) : NULL;
    if ((is_some && number == NULL) || !make_room(pairs, has_weights)) {
        status = sm_no_memory(error, "choosing pairs");
    } else {
        set_pairs(pairs, training, number);
        if (has_weights) tame_weights(pairs);
        if (links == NULL) status = read_distances(pairs, training, error);
    }
    sm_free(number);
    if (status != SMERF_OK) sm_rfd_pairs_free(pairs);
    return status;
}

void sm_rfd_pairs_free(sm_rfd_pairs *pairs) {
    sm_free(pairs->left);
    sm_free(pairs->right);
    sm_free(pairs->z);
    sm_free(pairs->weight);
    *pairs = (sm_rfd_pairs){0};
}
