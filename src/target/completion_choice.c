/* completion_choice.c - how many dimensions a completion should have, and how much shrinkage, by held-out pairs. */
#include <math.h>

#include "base/hash.h"
#include "base/memory.h"
#include "target/completion.h"

static const size_t ranks[] = {0, 1, 2, 3, 5, 8, 12};
static const double shrinkages[] = {0.001, 0.01, 0.1, 1, 10};

enum { N_RANKS = 7, N_SHRINKAGES = 5, MANY_ENTRIES = 1000000 };

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

/* The best shrinkage for a rank, tried from *place on in both directions as long as the error falls. */
static smerf_status try_rank(const sm_links *links, const bool *left_out, sm_completion_plan plan, size_t *place,
                             double *error_of, sm_crew *crew, smerf_error *error) {
    double found[N_SHRINKAGES];
    bool is_known[N_SHRINKAGES] = {false};
    size_t at = *place;
    for (int step = 0;;) {
        if (!is_known[at]) {
            sm_completion completion;
            plan.shrinkage = shrinkages[at];
            smerf_status status = sm_complete(links, left_out, &plan, crew, &completion, error);
            if (status != SMERF_OK) return status;
            found[at] = held_out_error(links, left_out, &completion);
            is_known[at] = true;
            sm_completion_free(&completion);
        }
        size_t best = *place = is_known[*place] && found[*place] <= found[at] ? *place : at;
        *error_of = found[best];
        /* neighbours of the best that are not known yet */
        if (best > 0 && !is_known[best - 1])
            at = best - 1;
        else if (best + 1 < N_SHRINKAGES && !is_known[best + 1])
            at = best + 1;
        else
            return SMERF_OK;
        if (++step > N_SHRINKAGES) return SMERF_OK;
    }
}

smerf_status sm_completion_choose(const sm_links *links, const bool *left_out, uint64_t seed, size_t *rank,
                                  double *shrinkage, sm_crew *crew, smerf_error *error) {
    sm_completion_plan plan = {.seed = seed, .n_sweeps = links->n > MANY_ENTRIES ? 8 : 40};
    size_t place = 1, n_worse = 0;
    double least = INFINITY, error_of;
    smerf_status status = SMERF_OK;
    if (*rank != SMERF_COMPLETE_AUTO) {
        plan.rank = *rank;
        status = try_rank(links, left_out, plan, &place, &error_of, crew, error);
        *shrinkage = shrinkages[place];
        return status;
    }
    for (size_t k = 0; k < N_RANKS && n_worse < 2 && status == SMERF_OK; k++) {
        if (ranks[k] + 2 > links->n_items || (double)ranks[k] > (double)links->n / (double)links->n_items) break;
        plan.rank = ranks[k];
        status = try_rank(links, left_out, plan, &place, &error_of, crew, error);
        if (status != SMERF_OK) break;
        n_worse = error_of < (1 - worth_it) * least ? 0 : n_worse + 1;
        if (n_worse > 0) continue;
        least = error_of;
        *rank = ranks[k];
        *shrinkage = shrinkages[place];
    }
    return status;
}
