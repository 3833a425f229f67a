/* filled.h - for tests of pairs that were filled in: small targets in numbers that are exact. */
#ifndef TESTS_UNIT_FILLED_H
#define TESTS_UNIT_FILLED_H

#include "tests/unit/forests.h"

#include "target/completed/completed.h"
#include "target/links/pairs.h"

typedef struct filled {
    smerf_target *pairs, *target;
    float z[64 * 64]; /* [n][n] what the target stands for */
    bool is_known[64 * 64];
} filled;

static inline double *fill_quarters(sm_random *random, size_t n, uint32_t n_values) {
    double *numbers = malloc((n + 1) * sizeof *numbers);
    assert_non_null(numbers);
    for (size_t k = 0; k < n; k++) numbers[k] = 0.25 * sm_random_below(random, n_values) - 0.5;
    return numbers;
}

static inline sm_completion draw_form(size_t n, size_t rank, sm_random *random) {
    sm_completion form = {.n_items = n, .rank = rank};
    form.a = fill_quarters(random, n, 7);
    form.u = fill_quarters(random, n * rank, 6);
    form.scale = fill_quarters(random, rank, 6);
    return form;
}

static inline sm_completion copy_form(const sm_completion *form) {
    sm_completion copy = {.n_items = form->n_items, .rank = form->rank};
    copy.a = malloc((form->n_items + 1) * sizeof(double));
    copy.u = malloc((form->n_items * form->rank + 1) * sizeof(double));
    copy.scale = malloc((form->rank + 1) * sizeof(double));
    memcpy(copy.a, form->a, form->n_items * sizeof(double));
    memcpy(copy.u, form->u, form->n_items * form->rank * sizeof(double));
    memcpy(copy.scale, form->scale, form->rank * sizeof(double));
    return copy;
}

/* Draws pairs, some of them known, as rated ones or as a graph. */
static inline void draw_pairs(filled *made, size_t n, bool is_graph, bool has_diagonal, double density,
                              sm_random *random) {
    static uint32_t left[2][64 * 64], right[2][64 * 64];
    static double value[64 * 64], weight[64 * 64];
    size_t n_pairs = 0, n_edges = 0;
    smerf_error error;
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j <= i; j++) {
            bool is_given = i == j ? has_diagonal && !is_graph : sm_random_uniform(random) < density;
            made->is_known[i * n + j] = made->is_known[j * n + i] = i == j || is_given;
            made->z[i * n + j] = made->z[j * n + i] = 0;
            if (!is_given) continue;
            double z = is_graph ? sm_random_below(random, 2) : 0.25 * sm_random_below(random, 12) - 1;
            made->z[i * n + j] = made->z[j * n + i] = (float)z;
            left[0][n_pairs] = i;
            right[0][n_pairs] = j;
            value[n_pairs] = z;
            weight[n_pairs++] = 0.5 * (1 + sm_random_below(random, 4)); /* which a completed target does not look at */
            if (z == 1) continue;
            left[1][n_edges] = i;
            right[1][n_edges++] = j;
        }
    const smerf_pair_list list = {.n = n_pairs,
                                  .left = left[0],
                                  .right = right[0],
                                  .value = is_graph ? NULL : value,
                                  .weight = is_graph ? NULL : weight};
    const smerf_pair_list edges = {.n = n_edges, .left = left[1], .right = right[1]};
    if (is_graph)
        demand_ok(smerf_target_new_graph(&edges, &list, n, &made->pairs, &error), &error);
    else
        demand_ok(smerf_target_new_pairs(&list, n, &made->pairs, &error), &error);
}

static inline void fill(filled *made, sm_completion form) {
    smerf_error error;
    size_t n = form.n_items;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            if (!made->is_known[i * n + j]) made->z[i * n + j] = (float)sm_completion_pair(&form, i, j);
    demand_ok(sm_completed_new(made->pairs, &form, &made->target, &error), &error);
    assert_true(form.a == NULL && form.u == NULL && form.scale == NULL);
}

static inline filled *filled_new(size_t n, bool is_graph, sm_random *random) {
    static const double densities[] = {0, 0.1, 0.5, 0.9, 1};
    filled *made = calloc(1, sizeof *made);
    assert_non_null(made);
    draw_pairs(made, n, is_graph, sm_random_below(random, 2) == 0, densities[sm_random_below(random, 5)], random);
    fill(made, draw_form(n, sm_random_below(random, 5), random));
    return made;
}

static inline void filled_free(filled *made) {
    smerf_target_free(made->target);
    smerf_target_free(made->pairs);
    free(made);
}

#endif
