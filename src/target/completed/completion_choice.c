/* completion_choice.c - how many dimensions a completion should have, and how much shrinkage, by held-out pairs. */
#include <math.h>

#include "base/hash.h"
#include "base/memory.h"
#include "target/completed/completion.h"

static const size_t ranks[] = {0, 1, 2, 3, 5, 8, 12};

enum { N_RANKS = sizeof ranks / sizeof *ranks, N_FEW_RANKS = 5, MOST_STEPS = 12, MANY_ENTRIES = 2000000 };

/* One more dimension must pay at least this share of the error. */
static const double worth_it = 0.002;

size_t sm_completion_hold_out(const sm_links *links, uint64_t seed, bool *left_out) {
    size_t n_pairs = 0;
    for (uint32_t i = 0; i < links->n_items; i++)
        for (size_t e = links->first[i]; e < links->first[i + 1]; e++) {
            uint32_t j = links->partner[e];
            const uint32_t pair[2] = {i < j ? i : j, i < j ? j : i}; /* the same for both entries */
            left_out[e] = sm_hash(pair, sizeof pair, seed) % 10 == 0;
            n_pairs += left_out[e] && i < j;
        }
    return n_pairs;
}

static double held_out_error(const sm_links *links, const bool *left_out, const sm_completion *completion) {
    double squares = 0, weight = 0;
    for (uint32_t i = 0; i < links->n_items; i++)
        for (size_t e = links->first[i]; e < links->first[i + 1]; e++) {
            if (!left_out[e] || links->partner[e] < i) continue;
            double miss = sm_links_value(links, e) - sm_completion_pair(completion, i, links->partner[e]);
            squares += sm_links_weight(links, e) * miss * miss;
            weight += sm_links_weight(links, e);
        }
    return weight > 0 ? sqrt(squares / weight) : INFINITY;
}

/* Where pairs are many the error is known well: it need rise but once, and few ranks are tried. */
static bool are_many(const sm_links *links) { return links->n > MANY_ENTRIES; }

/* So many sweeps for each shrinkage: where pairs are many, each sweep settles more. */
static size_t most_sweeps(const sm_links *links) { return are_many(links) ? 3 : 20; }

/* One rank, its least error, and after how many shrinkages that is reached. */
typedef struct trial {
    size_t rank, n_steps;
    double least;
} trial;

/* Fills in what a rank leads to. */
static smerf_status try_rank(const sm_links *links, const bool *left_out, uint64_t seed, trial *of, sm_pool *pool,
                             smerf_error *error) {
    sm_completer *completer = NULL;
    smerf_status status = sm_completer_new(links, left_out, of->rank, seed, pool->n_threads, &completer, error);
    double shrinkage = SM_FIRST_SHRINKAGE;
    size_t patience = are_many(links) ? 1 : 3;
    of->least = INFINITY;
    of->n_steps = 1;
    for (size_t step = 1; step <= MOST_STEPS && step <= of->n_steps + patience && status == SMERF_OK; step++) {
        sm_completion completion = {0};
        status = sm_completer_fit(completer, shrinkage, most_sweeps(links), pool, error);
        if (status == SMERF_OK) status = sm_completer_form(completer, &completion, error);
        if (status == SMERF_OK) {
            double now = held_out_error(links, left_out, &completion);
            if (now < of->least) of->n_steps = step;
            of->least = fmin(now, of->least);
        }
        sm_completion_free(&completion);
        shrinkage *= SM_NEXT_SHRINKAGE;
    }
    sm_completer_free(completer);
    return status;
}

smerf_status sm_completion_choose(const sm_links *links, const bool *left_out, uint64_t seed, size_t *rank,
                                  size_t *n_steps, sm_pool *pool, smerf_error *error) {
    double least = INFINITY;
    if (*rank != SMERF_COMPLETE_AUTO) {
        trial only = {.rank = *rank};
        smerf_status status = try_rank(links, left_out, seed, &only, pool, error);
        *n_steps = only.n_steps;
        return status;
    }
    double pairs_an_item = (double)links->n / (double)links->n_items;
    size_t n_worse = 0;
    smerf_status status = SMERF_OK;
    *rank = 0;
    *n_steps = 1; /* if no pair is held out, nothing is ever better than nothing */
    for (size_t k = 0; k < (are_many(links) ? N_FEW_RANKS : N_RANKS) && n_worse < 2 && status == SMERF_OK; k++) {
        trial of = {.rank = ranks[k]};
        if (ranks[k] + 2 > links->n_items || (double)ranks[k] > pairs_an_item) break;
        status = try_rank(links, left_out, seed, &of, pool, error);
        if (status != SMERF_OK) break;
        n_worse = of.least < (1 - worth_it) * least ? 0 : n_worse + 1;
        if (n_worse > 0) continue;
        least = of.least;
        *rank = ranks[k];
        *n_steps = of.n_steps;
    }
    return status;
}

smerf_status sm_complete(const sm_links *links, size_t rank, size_t n_steps, uint64_t seed, sm_pool *pool,
                         sm_completion *out, smerf_error *error) {
    sm_completer *completer = NULL;
    smerf_status status = sm_completer_new(links, NULL, rank, seed, pool->n_threads, &completer, error);
    double shrinkage = SM_FIRST_SHRINKAGE;
    for (size_t step = 1; step <= n_steps && status == SMERF_OK; step++) {
        status = sm_completer_fit(completer, shrinkage, most_sweeps(links), pool, error);
        shrinkage *= SM_NEXT_SHRINKAGE;
    }
    if (status == SMERF_OK) status = sm_completer_form(completer, out, error);
    sm_completer_free(completer);
    return status;
}
