/* known_pairs.h - for tests of targets of which some pairs are known: such pairs, and observed pairs of a graph, drawn. */
#ifndef TESTS_UNIT_KNOWN_PAIRS_H
#define TESTS_UNIT_KNOWN_PAIRS_H

#include "tests/unit/sparse.h"

typedef struct pairs_plan {
    size_t n;
    double density;               /* share of the pairs that are known */
    double repeated, conflicting; /* share of those that are given again, and with other values */
    bool has_weights, has_diagonal;
} pairs_plan;

/* Multiples of 1/8: sums of them are exact in any order, and so are float32 matrices. */
static inline double draw_eighths(sm_random *random) { return (sm_random_below(random, 33) - 8.0) / 8; }

static inline double draw_weight(sm_random *random, bool has_weights) {
    return has_weights ? (1 + sm_random_below(random, 24)) / 8.0 : 1;
}

/* Adds one pair to the list, as often as it likes, and what it comes to. */
static inline void draw_pair(known *all, listed *pairs, const pairs_plan *plan, size_t i, size_t j, sm_random *random,
                             smerf_pair_facts *facts) {
    double first = draw_eighths(random), sum = 0, weights = 0;
    size_t n = sm_random_uniform(random) < plan->repeated ? 2 + sm_random_below(random, 2) : 1;
    bool differs = n > 1 && sm_random_uniform(random) < plan->conflicting, is_conflict = false;
    for (size_t k = 0; k < n; k++) {
        double value = differs ? draw_eighths(random) : first, weight = draw_weight(random, plan->has_weights);
        if (k == 0) first = value;
        is_conflict = is_conflict || value != first;
        listed_add(pairs, i, j, value, weight);
        sum += weight * value;
        weights += weight;
    }
    all->z[i][j] = all->z[j][i] = sum / weights;
    all->omega[i][j] = all->omega[j][i] = i == j ? 1 : weights / (double)n;
    if (i == j) return;
    facts->n_pairs++;
    facts->n_repeated += n > 1;
    facts->n_conflicts += is_conflict;
}

static inline smerf_pair_facts draw_pairs(known *all, listed *pairs, const pairs_plan *plan, sm_random *random) {
    smerf_pair_facts facts = {0};
    all->n = plan->n;
    listed_start(pairs, true, plan->has_weights);
    for (size_t i = 0; i < plan->n; i++)
        for (size_t j = 0; j <= i; j++) {
            all->z[i][j] = all->z[j][i] = 0;
            all->omega[i][j] = all->omega[j][i] = i == j;
            bool is_given = i == j ? plan->has_diagonal && sm_random_below(random, 3) > 0
                                   : sm_random_uniform(random) < plan->density;
            if (is_given) draw_pair(all, pairs, plan, i, j, random, &facts);
        }
    for (size_t i = 0; i < plan->n; i++) {
        bool is_lonely = true;
        for (size_t j = 0; j < plan->n; j++) is_lonely = is_lonely && (i == j || all->omega[i][j] == 0);
        facts.n_unobserved += is_lonely;
    }
    listed_shuffle(pairs, random);
    return facts;
}

static inline smerf_target *target_of(const listed *pairs, size_t n) {
    smerf_target *target = NULL;
    smerf_error error;
    demand_ok(smerf_target_new_pairs(&pairs->list, n, &target, &error), &error);
    return target;
}

/* A graph, and the pairs of it that were looked at: both in any order and with repeats. */
static inline smerf_target *draw_observed(known *all, size_t n, double density, sm_random *random) {
    static listed edges, observed;
    all->n = n;
    listed_start(&edges, true, false);
    listed_start(&observed, sm_random_below(random, 2) == 0, sm_random_below(random, 2) == 0);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) {
            double value = sm_random_below(random, 3) == 0 ? draw_eighths(random) : 0;
            bool is_known = i == j || sm_random_uniform(random) < density, is_edge = i != j && is_known && value != 0;
            all->omega[i][j] = all->omega[j][i] = is_known;
            all->z[i][j] = all->z[j][i] = i == j ? 0 : is_edge ? 1 - value : is_known;
            for (size_t k = sm_random_below(random, 2); k < 2 && is_edge; k++) listed_add(&edges, i, j, value, 1);
            for (size_t k = sm_random_below(random, 2); k < 2 && is_known; k++) listed_add(&observed, i, j, NAN, NAN);
        }
    listed_shuffle(&edges, random);
    listed_shuffle(&observed, random);
    smerf_target *target = NULL;
    smerf_error error;
    demand_ok(smerf_target_new_graph(&edges.list, &observed.list, n, &target, &error), &error);
    return target;
}

static const double densities[] = {0, 0.01, 0.05, 0.3, 0.8, 1};

#endif
