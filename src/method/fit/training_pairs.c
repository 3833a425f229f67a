/* training_pairs.c - see training_pairs.h. What Z does to vectors is training_times.c. */
#include "method/fit/training_pairs.h"

#include <math.h>

#include "base/memory.h"
#include "target/dense/distances.h"
#include "target/links/graph.h"
#include "target/links/pairs.h"

static bool is_listed(const smerf_target *target) {
    return target->kind == &sm_target_pairs || target->kind == &sm_target_observed;
}

double sm_training_self(const sm_training_pairs *pairs, size_t item) {
    const smerf_target *target = pairs->target;
    if (is_listed(target)) return sm_known_self(sm_known_pairs_of(target), item);
    if (target->kind == &sm_target_graph) return sm_graph_of(target)->self;
    if (target->kind == &sm_target_distances) return sm_distances_self(sm_distances_of(target), item);
    return 0; /* other kinds define it, so that nobody needs to ask */
}

/* All pairs: weights that add up to 1, so that their products do, too. */
static void weigh_all(sm_training_pairs *pairs) {
    double sum = 0, n = (double)pairs->n_items;
    for (size_t i = 0; i < pairs->n_items; i++) sum += pairs->weight[i];
    for (size_t i = 0; i < pairs->n_items; i++) pairs->weight[i] /= sum;
    for (size_t i = 0; i < pairs->n_items && !pairs->target->has_no_diagonal; i++)
        pairs->self_weight[i] = pairs->weight[i] * pairs->weight[i];
    pairs->scale = 1;
    pairs->n_pairs = n * (n - 1) / 2;
    pairs->n_selves = pairs->target->has_no_diagonal ? 0 : n;
}

static void weigh_listed(sm_training_pairs *pairs) {
    const sm_known_pairs *known = sm_known_pairs_of(pairs->target);
    double sum = 0;
    pairs->scale = 1;
    for (size_t i = 0; i < pairs->n_items; i++) {
        for (size_t e = known->links->first[i]; e < known->links->first[i + 1]; e++)
            sum += sm_listed_weight(pairs, i, e);
        if (known->self_weight == NULL || !(known->self_weight[i] > 0)) continue;
        pairs->self_weight[i] = known->self_weight[i] * pairs->weight[i] * pairs->weight[i];
        sum += pairs->self_weight[i];
        pairs->n_selves++;
    }
    pairs->scale = sum > 0 ? 1 / sum : 0;
    for (size_t i = 0; i < pairs->n_items; i++) pairs->self_weight[i] *= pairs->scale;
    pairs->n_pairs = (double)(known->links->n / 2);
}

smerf_status sm_training_pairs_start(sm_training_pairs *pairs, const sm_training_set *training, smerf_error *error) {
    size_t n = training->items->n_items;
    double largest = 0;
    *pairs = (sm_training_pairs){.target = training->target, .n_items = n};
    pairs->weight = sm_array(n, sizeof *pairs->weight);
    pairs->self_weight = sm_zeros(n, sizeof *pairs->self_weight);
    if (pairs->weight == NULL || pairs->self_weight == NULL) {
        sm_training_pairs_free(pairs);
        return sm_no_memory(error, "weighing pairs");
    }
    for (size_t i = 0; i < n; i++) pairs->weight[i] = training->weights != NULL ? training->weights[i] : 1;
    for (size_t i = 0; i < n; i++) largest = fmax(largest, pairs->weight[i]);
    for (size_t i = 0; i < n; i++) pairs->weight[i] /= largest; /* whatever their size, products do not overflow */
    if (is_listed(training->target)) {
        pairs->links = sm_known_pairs_of(training->target)->links;
        weigh_listed(pairs);
    } else {
        weigh_all(pairs);
    }
    return SMERF_OK;
}

void sm_training_pairs_free(sm_training_pairs *pairs) {
    sm_free(pairs->weight);
    sm_free(pairs->self_weight);
    *pairs = (sm_training_pairs){0};
}
