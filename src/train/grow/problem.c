/* problem.c - see problem.h. */
#include "train/grow/problem.h"

#include <math.h>

#include "base/memory.h"

/* Trees whose lists take up to 64 MB are kept in order as a whole, or 16 MB where an engine that lists slots needs little else; larger ones from
 * a third of their items on: that saves two thirds of the memory, and costs walks through all items at the top. With more
 * columns a candidate than this, sorting is quicker. */
enum { MOST_LISTED = 1 << 24, MOST_LISTED_TO_SCAN = 1 << 22, LARGE_SHARE = 3, MOST_COLUMNS_A_CANDIDATE = 8 };

/* How many different items a tree may hold. A bootstrap draws about 0.632 n different ones of n, give or take
 * 0.312 sqrt(n): that it draws 20 times as many more has a chance of less than 1e-80. */
static size_t most_in_bag(smerf_sample sample, size_t n_draws, size_t n_items) {
    size_t most = n_draws < n_items ? n_draws : n_items;
    if (sample != SMERF_BOOTSTRAP) return most;
    double likely = 0.6322 * (double)n_items + 20 * 0.312 * sqrt((double)n_items) + 8;
    return likely < (double)most ? (size_t)likely : most;
}

/* Three bytes are read as the lower ones of four. */
static size_t width_of_order(size_t n_items) {
    bool is_little_endian = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
    return is_little_endian && n_items <= (size_t)1 << 24 ? 3 : 4;
}

size_t sm_problem_most_sorted(const smerf_options *options, const smerf_target *target, size_t n_numbers,
                              size_t most_in_bag) {
    size_t most_numbers = options->candidates * MOST_COLUMNS_A_CANDIDATE;
    if (options->splits == SMERF_OBLIQUE || n_numbers > most_numbers || n_numbers == 0) return 0;
    size_t most = sm_lists_slots(target->kind) ? MOST_LISTED_TO_SCAN : MOST_LISTED;
    return sm_size(most_in_bag, n_numbers + 1, 0) <= most ? most_in_bag : most_in_bag / LARGE_SHARE;
}

smerf_status sm_problem_start(sm_problem *problem, const sm_problem *given, sm_pool *pool, smerf_error *error) {
    const sm_view *view = given->view;
    const smerf_target *target = given->target;
    const smerf_options *options = given->options;
    size_t p = view->n_features;
    *problem = *given;
    problem->n_items = view->n_items;
    problem->n_features = p;
    problem->n_draws = sm_options_draws(options, view->n_items);
    problem->most_in_bag = most_in_bag(options->sample, problem->n_draws, view->n_items);
    for (size_t f = 0; f < p; f++) problem->n_numbers += sm_are_numbers(&view->numbers[f]);
    problem->most_sorted = sm_problem_most_sorted(options, target, problem->n_numbers, problem->most_in_bag);
    problem->engine = sm_problem_choose_engine(problem);
    problem->order_width = width_of_order(problem->n_items);
    problem->ranks = sm_zeros(p, sizeof *problem->ranks);
    problem->facts = sm_zeros(p, sizeof *problem->facts);
    problem->shares = sm_zeros(problem->n_items, sizeof *problem->shares);
    if (problem->most_sorted > 0) problem->orders = sm_zeros(p, sizeof *problem->orders);
    smerf_status status = SMERF_OK;
    if (problem->ranks == NULL || problem->facts == NULL || problem->shares == NULL ||
        (problem->most_sorted > 0 && problem->orders == NULL))
        status = sm_no_memory(error, "ranking the features");
    if (status == SMERF_OK) status = sm_problem_rank(problem, pool, error);
    if (status == SMERF_OK && problem->engine->near_order != NULL)
        status = problem->engine->near_order(target, &problem->near_order, error);
    if (status != SMERF_OK) {
        sm_problem_free(problem);
        return status;
    }
    bool is_any_missing = false;
    for (size_t f = 0; f < p; f++) {
        is_any_missing = is_any_missing || problem->facts[f].n_missing > 0;
        if (problem->facts[f].most_alike > problem->most_alike) problem->most_alike = problem->facts[f].most_alike;
    }
    problem->most_line_ups = options->candidates * (is_any_missing ? 2 : 1);
    problem->n_threads = sm_problem_threads(problem, pool->n_threads);
    return SMERF_OK;
}

const sm_engine *sm_problem_choose_engine(const sm_problem *problem) {
    sm_search_size size = sm_problem_search_size(problem);
    return sm_target_engine(problem->target, &size);
}

/* As many as there are trees, or more where a thread that only gets branches needs little memory. */
size_t sm_problem_threads(const sm_problem *problem, size_t n_query) {
    const sm_engine *engine = problem->engine;
    size_t n_trees = problem->options->n_trees;
    sm_search_size size = sm_problem_search_size(problem);
    size.n_threads = n_query < n_trees || engine->lists_slots ? n_query : n_trees;
    return engine->most_threads != NULL ? engine->most_threads(problem->target, &size) : size.n_threads;
}

void sm_problem_free(sm_problem *problem) {
    for (size_t f = 0; f < problem->n_features && problem->ranks != NULL; f++) sm_free(problem->ranks[f]);
    for (size_t f = 0; f < problem->n_features && problem->orders != NULL; f++) sm_free(problem->orders[f]);
    sm_free(problem->ranks);
    sm_free(problem->orders);
    sm_free(problem->facts);
    sm_free(problem->shares);
    sm_free(problem->near_order);
    *problem = (sm_problem){0};
}

sm_search_size sm_problem_search_size(const sm_problem *problem) {
    return (sm_search_size){.n_items = problem->most_in_bag,
                            .n_levels = sm_problem_most_levels(problem),
                            .n_line_ups = problem->most_line_ups,
                            .n_threads = problem->n_threads,
                            .list_bytes = problem->most_sorted > 0 ? 4 * (problem->n_numbers + 1) : 0,
                            .are_draws = problem->item_weights == NULL};
}

size_t sm_problem_most_levels(const sm_problem *problem) {
    size_t most = 0;
    for (size_t f = 0; f < problem->n_features; f++)
        if (problem->features->feature[f].levels.n > most) most = problem->features->feature[f].levels.n;
    return most;
}
