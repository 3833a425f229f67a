/* linear_bags.c - see linear_bags.h.
 *
 * A bag is the same problem, with a weight of 0 for the items that it leaves out. For choosing, its sums are formed once and solved
 * for every ridge; what each W says of the held-out pairs is compared with what is known of them. */
#include "method/linear/fit/linear_bags.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "method/fit/pair_source.h"
#include "target/links/pairs.h"

/* Bags that hold out every group about as often: (0, 1), (1, 2), (2, 3). The frame has made the pairs' own curvature about 1. */
enum { BAGS_TO_CHOOSE_BY = 3, USUAL_BAGS = 10, MOST_HELD = 200000 };
static const double ridges[] = {0, 0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30};
enum { N_RIDGES = sizeof ridges / sizeof *ridges };

/* The training set of a bag: as a whole, but with the weights in *weight.   group_of  as dealt    held  the groups left out */
static sm_training_set without_groups(const sm_training_set *training, const uint8_t *group_of, const size_t held[2],
                                      double *weight) {
    sm_training_set rest = *training;
    for (size_t i = 0; i < training->items->n_items; i++) {
        bool is_held = group_of[i] == held[0] || group_of[i] == held[1];
        weight[i] = is_held ? 0 : training->weights != NULL ? training->weights[i] : 1;
    }
    rest.weights = weight;
    return rest;
}

/* ---- choosing ---- */

typedef struct ridge_choice {
    const sm_training_set *training;
    const sm_learned *learned;
    size_t n_groups;
    uint8_t *group_of; /* [n_items] */
    double *weight;    /* [n_items] of a bag */
    double *x, *y;     /* [n_columns], [n_items][n_columns]: items in the coordinates of a map */
    double loss[N_RIDGES];
} ridge_choice;

static double loss_of_map(const ridge_choice *choice, const sm_linear_map *map, const sm_drawn_pairs *held) {
    const sm_learned *learned = choice->learned;
    double loss = 0;
    for (size_t i = 0; i < choice->training->items->n_items; i++)
        sm_linear_project(learned, map, choice->training->view, i, choice->x, choice->y + i * map->rank);
    for (size_t k = 0; k < held->n; k++) {
        double said = sm_linear_distance(learned, map, choice->y + held->left[k] * map->rank,
                                         choice->y + held->right[k] * map->rank);
        loss += (held->weight != NULL ? held->weight[k] : 1) * (said - held->z[k]) * (said - held->z[k]);
    }
    return loss;
}

static smerf_status try_ridges(ridge_choice *choice, const sm_training_set *rest, const sm_drawn_pairs *held,
                               smerf_error *error) {
    sm_pool *pool = choice->training->pool;
    double from = pool->fraction_from, to = pool->fraction_to;
    sm_linear_problem problem;
    pool->fraction_to = (from + to) / 2;
    smerf_status status = sm_linear_problem_start(&problem, rest, choice->learned, error);
    if (status != SMERF_OK) return status;
    for (size_t r = 0; r < N_RIDGES && status == SMERF_OK; r++) {
        sm_linear_map map;
        pool->fraction_from = from + (to - from) * (double)(N_RIDGES + r) / (2 * N_RIDGES);
        pool->fraction_to = pool->fraction_from + (to - from) / (2 * N_RIDGES);
        status = sm_linear_problem_solve(&problem, ridges[r], &map, error);
        if (status == SMERF_OK && !isnan(map.intercept)) choice->loss[r] += loss_of_map(choice, &map, held);
        sm_linear_map_free(&map);
    }
    sm_linear_problem_free(&problem);
    return status;
}

static smerf_status try_bag(ridge_choice *choice, size_t k, smerf_error *error) {
    const sm_training_set *training = choice->training;
    const smerf_target *target = training->target;
    bool is_listed = target->kind == &sm_target_pairs || target->kind == &sm_target_observed;
    const sm_pair_source source = {.training = training,
                                   .links = is_listed ? sm_known_pairs_of(target)->links : NULL,
                                   .weight = training->weights,
                                   .group_of = choice->group_of,
                                   .n_groups = choice->n_groups};
    const sm_pair_choice wanted = {.held = {k % choice->n_groups, (k + 1) % choice->n_groups},
                                   .are_held = true,
                                   .most = MOST_HELD,
                                   .draw = (uint32_t)k};
    sm_drawn_pairs held;
    bool is_drawn;
    smerf_status status = sm_pairs_choose(&source, &wanted, &held, &is_drawn, error);
    if (status != SMERF_OK) return status;
    const sm_training_set rest = without_groups(training, choice->group_of, wanted.held, choice->weight);
    status = try_ridges(choice, &rest, &held, error);
    sm_drawn_pairs_free(&held);
    return status;
}

/* The smallest of those that are as good, but for rounding. */
static double best_ridge(const double *loss) {
    size_t best = 0;
    for (size_t r = 1; r < N_RIDGES; r++)
        if (loss[r] < loss[best] * (1 - 1e-9)) best = r;
    return ridges[best];
}

smerf_status sm_linear_choose_ridge(const sm_training_set *training, const sm_learned *learned, double *ridge,
                                    smerf_error *error) {
    sm_pool *pool = training->pool;
    size_t n = training->items->n_items, p = learned->design.n_columns;
    double from = pool->fraction_from, to = pool->fraction_to;
    sm_arena arena = {0};
    ridge_choice choice = {.training = training, .learned = learned, .n_groups = sm_groups_choose(USUAL_BAGS, n)};
    *ridge = 1;
    if (choice.n_groups == 0) return SMERF_OK;
    choice.group_of = sm_arena_take(&arena, n, sizeof *choice.group_of);
    choice.weight = sm_arena_take(&arena, n, sizeof *choice.weight);
    choice.x = sm_arena_take(&arena, p, sizeof *choice.x);
    choice.y = sm_arena_take(&arena, sm_size(n, p, 0), sizeof *choice.y);
    smerf_status status = arena.has_failed ? sm_no_memory(error, "choosing a ridge") : SMERF_OK;
    if (status == SMERF_OK) sm_groups_deal(choice.group_of, n, choice.n_groups, training->options->seed);
    for (size_t k = 0; k < BAGS_TO_CHOOSE_BY && status == SMERF_OK; k++) {
        pool->fraction_from = from + (to - from) * (double)k / BAGS_TO_CHOOSE_BY;
        pool->fraction_to = from + (to - from) * (double)(k + 1) / BAGS_TO_CHOOSE_BY;
        status = try_bag(&choice, k, error);
    }
    if (status == SMERF_OK) *ridge = best_ridge(choice.loss);
    sm_arena_free(&arena);
    return status;
}

/* ---- bags ---- */

smerf_status sm_linear_deal_groups(const sm_training_set *training, sm_learned *learned, smerf_error *error) {
    size_t n = learned->n_items, n_groups = sm_groups_choose(training->options->baselines->n_bags, n);
    if (n_groups == 0) return SMERF_OK;
    learned->group_of = sm_array(n, sizeof *learned->group_of);
    learned->bags = sm_zeros(sm_n_bags(n_groups), sizeof *learned->bags);
    if (learned->group_of == NULL || learned->bags == NULL) return sm_no_memory(error, "learning in bags");
    sm_groups_deal(learned->group_of, n, n_groups, training->options->seed);
    learned->n_groups = n_groups;
    return SMERF_OK;
}

static smerf_status learn_bag(const sm_training_set *training, sm_learned *learned, size_t bag, double ridge,
                              double *weight, smerf_error *error) {
    sm_linear_problem problem;
    size_t held[2] = {0, 0};
    sm_groups_held(learned->n_groups, bag, held);
    const sm_training_set rest = without_groups(training, learned->group_of, held, weight);
    smerf_status status = sm_linear_problem_start(&problem, &rest, learned, error);
    if (status != SMERF_OK) return status;
    status = sm_linear_problem_solve(&problem, ridge, &learned->bags[bag], error);
    if (status == SMERF_OK && problem.frame.rank == 0 && !learned->has_intercept) learned->bags[bag].intercept = NAN;
    sm_linear_problem_free(&problem);
    return status;
}

smerf_status sm_linear_learn_bags(const sm_training_set *training, sm_learned *learned, double ridge,
                                  smerf_error *error) {
    sm_pool *pool = training->pool;
    size_t n_bags = sm_n_bags(learned->n_groups);
    double from = pool->fraction_from, to = pool->fraction_to;
    double *weight = sm_array(learned->n_items, sizeof *weight);
    smerf_status status = weight != NULL ? SMERF_OK : sm_no_memory(error, "learning in bags");
    for (size_t b = 0; b < n_bags && status == SMERF_OK; b++) {
        pool->fraction_from = from + (to - from) * (double)b / (double)n_bags;
        pool->fraction_to = from + (to - from) * (double)(b + 1) / (double)n_bags;
        status = learn_bag(training, learned, b, ridge, weight, error);
    }
    sm_free(weight);
    return status;
}
