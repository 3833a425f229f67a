/* triplets_ridge.c - chooses the ridge on held-out triplets: see triplets_ridge.h. */
#include "method/linear/fit/triplets_ridge.h"

#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "method/linear/fit/triplets_fit.h"

enum { N_PARTS = 3, N_DEALS = 2, N_FOLDS = N_PARTS * N_DEALS };
enum { FEWEST_COMPARISONS = 10, FEWEST_HELD_OUT = 30, FEWEST_TRAINED = 20, FEWEST_ITEMS = 15 };

/* From the strongest on, each started where the one before ended. Once two in a row have been worse than the best, weaker ones will be, too. */
static const double ridges[] = {100,  30,    10,    3,      1,      0.3,     0.1,    0.03,
                                0.01, 0.003, 0.001, 0.0003, 0.0001, 0.00003, 0.00001};
enum { N_RIDGES = sizeof ridges / sizeof *ridges, PATIENCE = 2 };

static const double usual_ridge = 0.1;  /* where nothing can be chosen */
static const double near_enough = 1e-4; /* residual of what is only tested */

typedef struct fold {
    sm_frame frame;
    sm_triplets_loss train, test;
    double *a; /* [rank][rank] of the ridge before */
} fold;

typedef struct choosing {
    const sm_triplets *triplets;
    const sm_training_set *training;
    const sm_learned *learned;
    uint8_t *part_of; /* [N_DEALS][n_dealt]: of items, or of triplets */
    size_t n_dealt;
    bool by_items;
    bool *is_kept; /* [triplets->n] scratch */
    fold folds[N_FOLDS];
    double tested[N_RIDGES], in_order[N_RIDGES];
} choosing;

/* ---- folds ---- */

/* Deals 0 ... n - 1 out to the parts. */
static bool deal_out(uint8_t *part_of, size_t n, uint64_t seed, uint32_t deal) {
    uint32_t *order = sm_array(n, sizeof *order);
    if (order == NULL) return false;
    sm_random random;
    sm_random_start(&random, seed, deal, SM_STREAM_FOLDS);
    for (size_t k = 0; k < n; k++) order[k] = (uint32_t)k;
    sm_random_shuffle(&random, order, n);
    for (size_t k = 0; k < n; k++) part_of[order[k]] = (uint8_t)(k % N_PARTS);
    sm_free(order);
    return true;
}

/* Triplets of one comparison stay together. */
static bool deal_out_comparisons(uint8_t *part_of, const sm_triplets *triplets, uint64_t seed, uint32_t deal) {
    uint8_t *of_comparison = sm_array(triplets->facts.n_comparisons, sizeof *of_comparison);
    if (of_comparison == NULL) return false;
    bool has_memory = deal_out(of_comparison, triplets->facts.n_comparisons, seed, deal);
    for (size_t t = 0, end, comparison = 0; t < triplets->n && has_memory; t = end, comparison++)
        for (end = sm_comparison_end(triplets, t); t < end; t++) part_of[t] = of_comparison[comparison];
    sm_free(of_comparison);
    return has_memory;
}

static smerf_status deal_all(choosing *at, bool by_items, smerf_error *error) {
    uint64_t seed = at->training->options->seed;
    bool has_memory = true;
    at->by_items = by_items;
    at->n_dealt = by_items ? at->training->items->n_items : at->triplets->n;
    for (uint32_t deal = 0; deal < N_DEALS && has_memory; deal++) {
        uint8_t *part_of = at->part_of + deal * at->n_dealt;
        has_memory = by_items ? deal_out(part_of, at->n_dealt, seed, deal)
                              : deal_out_comparisons(part_of, at->triplets, seed, deal);
    }
    return has_memory ? SMERF_OK : sm_no_memory(error, "holding out triplets");
}

/* How many of what a triplet is dealt by are held out in a fold: of its items, or of itself three times. */
static int count_held_out(const choosing *at, size_t t, size_t f) {
    const uint8_t *part_of = at->part_of + f / N_PARTS * at->n_dealt, part = (uint8_t)(f % N_PARTS);
    const sm_triplets *triplets = at->triplets;
    if (!at->by_items) return part_of[t] == part ? 3 : 0;
    return (part_of[triplets->anchor[t]] == part) + (part_of[triplets->near[t]] == part) +
           (part_of[triplets->far[t]] == part);
}

/* Marks the triplets that a fold learns from, or is tested on; returns how many there are. */
static size_t mark_fold(choosing *at, size_t f, bool is_test) {
    size_t n = 0;
    for (size_t t = 0; t < at->triplets->n; t++) n += at->is_kept[t] = count_held_out(at, t, f) == (is_test ? 3 : 0);
    return n;
}

/* Whether every fold has something to learn from, and there is enough to test with.   n_held_out  out */
static bool are_enough(choosing *at, size_t *n_held_out) {
    *n_held_out = 0;
    for (size_t f = 0; f < N_FOLDS; f++) {
        size_t n_test = mark_fold(at, f, true);
        if (n_test == 0 || mark_fold(at, f, false) < FEWEST_TRAINED) return false;
        *n_held_out += n_test;
    }
    return *n_held_out >= FEWEST_HELD_OUT;
}

static smerf_status divide_triplets(choosing *at, sm_ridge_choice *choice, smerf_error *error) {
    smerf_status status = SMERF_OK;
    if (at->training->items->n_items - at->triplets->facts.n_unobserved >= FEWEST_ITEMS) {
        status = deal_all(at, true, error);
        if (status == SMERF_OK) choice->by_items = choice->is_chosen = are_enough(at, &choice->n_held_out);
    }
    if (status != SMERF_OK || choice->is_chosen || at->triplets->facts.n_comparisons < FEWEST_COMPARISONS)
        return status;
    choice->is_chosen = true;
    choice->n_held_out = N_DEALS * at->triplets->n;
    return deal_all(at, false, error);
}

/* Where the items to learn from are all the same, there is nothing to choose by: has_frame is false. */
static smerf_status start_fold(choosing *at, size_t f, bool *has_frame, smerf_error *error) {
    const sm_training_set *training = at->training;
    fold *now = &at->folds[f];
    mark_fold(at, f, false);
    smerf_status status = sm_triplets_frame(training, at->learned, at->is_kept, &now->frame, error);
    *has_frame = now->frame.rank > 0;
    if (status != SMERF_OK || !*has_frame) return status;
    now->a = sm_zeros(now->frame.rank * now->frame.rank, sizeof *now->a);
    if (now->a == NULL) return sm_no_memory(error, "holding out triplets");
    status = sm_triplets_loss_start(&now->train, at->triplets, training->weights, at->is_kept, &now->frame,
                                    training->pool, error);
    if (status != SMERF_OK) return status;
    mark_fold(at, f, true);
    return sm_triplets_loss_start(&now->test, at->triplets, training->weights, at->is_kept, &now->frame, training->pool,
                                  error);
}

static smerf_status start_folds(choosing *at, sm_ridge_choice *choice, smerf_error *error) {
    double to = at->training->pool->fraction_to;
    smerf_status status = SMERF_OK;
    at->training->pool->fraction_to = at->training->pool->fraction_from;
    for (size_t f = 0; f < N_FOLDS && status == SMERF_OK && choice->is_chosen; f++)
        status = start_fold(at, f, &choice->is_chosen, error);
    at->training->pool->fraction_to = to;
    return status;
}

/* ---- trying ---- */

/* Means over the triplets of a fold that were held out. */
static smerf_status test_fold(fold *now, sm_pool *pool, double *log_loss, double *in_order, smerf_error *error) {
    sm_triplets_loss *test = &now->test;
    smerf_status status = sm_triplets_margins(test, pool, now->a, test->margin, error);
    *log_loss = *in_order = 0;
    for (size_t t = 0; t < test->n && status == SMERF_OK; t++) {
        *log_loss += test->weight[t] * sm_triplet_loss(test->margin[t]);
        *in_order += test->weight[t] * (test->margin[t] > 0 ? 1 : test->margin[t] < 0 ? 0 : 0.5);
    }
    return status;
}

static smerf_status try_ridge(choosing *at, size_t r, smerf_error *error) {
    sm_pool *pool = at->training->pool;
    double weight = 0, from = pool->fraction_from, fraction = pool->fraction_to - from;
    smerf_status status = SMERF_OK;
    for (size_t f = 0; f < N_FOLDS && status == SMERF_OK; f++) {
        fold *now = &at->folds[f];
        sm_triplets_solution solution;
        double log_loss, in_order;
        now->train.ridge = ridges[r];
        pool->fraction_from = from + fraction * (double)f / N_FOLDS;
        pool->fraction_to = from + fraction * (double)(f + 1) / N_FOLDS;
        status = sm_triplets_minimise(&now->train, pool, near_enough, now->a, &solution, error);
        if (status == SMERF_OK) status = test_fold(now, pool, &log_loss, &in_order, error);
        if (status != SMERF_OK) break;
        at->tested[r] += now->test.total * log_loss;
        at->in_order[r] += now->test.total * in_order;
        weight += now->test.total;
    }
    at->tested[r] /= weight;
    at->in_order[r] /= weight;
    pool->fraction_from = from;
    pool->fraction_to = from + fraction;
    return status;
}

static smerf_status try_ridges(choosing *at, sm_ridge_choice *choice, smerf_error *error) {
    sm_pool *pool = at->training->pool;
    double from = pool->fraction_from, fraction = pool->fraction_to - from;
    size_t best = 0;
    smerf_status status = SMERF_OK;
    for (size_t r = 0; r < N_RIDGES && r <= best + PATIENCE && status == SMERF_OK; r++) {
        pool->fraction_from = from + fraction * (double)r / N_RIDGES;
        pool->fraction_to = from + fraction * (double)(r + 1) / N_RIDGES;
        status = try_ridge(at, r, error);
        if (status == SMERF_OK && at->tested[r] < at->tested[best]) best = r;
    }
    choice->ridge = ridges[best];
    choice->log_loss = at->tested[best];
    choice->in_order = at->in_order[best];
    pool->fraction_from = from;
    pool->fraction_to = from + fraction;
    return status;
}

smerf_status sm_ridge_choose(const sm_training_set *training, const sm_learned *learned, sm_ridge_choice *choice,
                             smerf_error *error) {
    const sm_triplets *triplets = sm_triplets_of(training->target);
    choosing at = {.triplets = triplets, .training = training, .learned = learned};
    size_t n_items = training->items->n_items, n = triplets->n > n_items ? triplets->n : n_items;
    *choice = (sm_ridge_choice){.ridge = usual_ridge};
    at.part_of = sm_array(sm_size(N_DEALS, n, 0), sizeof *at.part_of);
    at.is_kept = sm_array(triplets->n, sizeof *at.is_kept);
    bool has_memory = at.part_of != NULL && at.is_kept != NULL;
    smerf_status status =
        has_memory ? divide_triplets(&at, choice, error) : sm_no_memory(error, "holding out triplets");
    if (status == SMERF_OK && choice->is_chosen) status = start_folds(&at, choice, error);
    if (status == SMERF_OK && choice->is_chosen) status = try_ridges(&at, choice, error);
    for (size_t f = 0; f < N_FOLDS; f++) {
        sm_frame_free(&at.folds[f].frame);
        sm_triplets_loss_free(&at.folds[f].train);
        sm_triplets_loss_free(&at.folds[f].test);
        sm_free(at.folds[f].a);
    }
    sm_free(at.part_of);
    sm_free(at.is_kept);
    return status;
}
