/* vote.c - what an item's neighbours say of it: k-nearest-neighbour prediction by the model's distance. */
#include <math.h>
#include <string.h>

#include "base/versioned.h"

typedef struct counting {
    const smerf_known_values *known;
    double *values;
    uint32_t *winner; /* or NULL */
} counting;

/* Fractions of the classes. Neighbours come from near to far, so the first one whose class has the most votes names the
 * class whose first neighbour is nearest. */
static void count_labels(const counting *to, size_t query, const smerf_neighbor *neighbors, size_t n) {
    size_t n_classes = to->known->n_classes;
    double *votes = to->values + query * n_classes, most = 0;
    uint32_t winner = SMERF_MISSING;
    memset(votes, 0, n_classes * sizeof *votes);
    for (size_t k = 0; k < n; k++) votes[to->known->codes[neighbors[k].item]] += 1;
    for (size_t k = 0; k < n; k++) {
        uint32_t code = to->known->codes[neighbors[k].item];
        if (votes[code] > most) winner = code;
        most = fmax(most, votes[code]);
    }
    for (size_t c = 0; c < n_classes; c++) votes[c] /= n > 0 ? (double)n : NAN;
    if (to->winner != NULL) to->winner[query] = winner;
}

static void count_numbers(const counting *to, size_t query, const smerf_neighbor *neighbors, size_t n) {
    double sum = 0;
    for (size_t k = 0; k < n; k++) sum += to->known->values[neighbors[k].item];
    to->values[query] = n > 0 ? sum / (double)n : NAN;
}

static int count_votes(void *context, size_t query, const smerf_neighbor *neighbors, size_t n) {
    const counting *to = context;
    if (to->known->n_classes > 0)
        count_labels(to, query, neighbors, n);
    else
        count_numbers(to, query, neighbors, n);
    return 0;
}

static smerf_status check_votes(const smerf_known_values *known, size_t n_items, smerf_error *error) {
    bool are_labels = known->n_classes > 0;
    if (are_labels ? known->codes == NULL : known->values == NULL)
        return sm_fail(error, SMERF_BAD_INPUT, "votes: neither labels nor numbers are given");
    for (size_t i = 0; i < n_items; i++) {
        if (are_labels && known->codes[i] >= known->n_classes)
            return sm_fail_at(error, i, 0, "votes: item %zu has no label among the %zu classes", i, known->n_classes);
        if (!are_labels && !isfinite(known->values[i]))
            return sm_fail_at(error, i, 0, "votes: item %zu has no finite number", i);
    }
    return SMERF_OK;
}

smerf_status smerf_vote(const smerf_model *model, const smerf_neighborhood *neighborhood,
                        const smerf_known_values *known, const smerf_run *run, double *values, uint32_t *winner,
                        smerf_error *error) {
    SM_READ(smerf_neighborhood, neighborhood, error);
    counting to = {.known = known, .values = values, .winner = winner};
    smerf_status status = check_votes(known, smerf_items_count(neighborhood->items), error);
    return status == SMERF_OK ? smerf_neighbors(model, neighborhood, run, count_votes, &to, error) : status;
}
