/* linear_fit.c - learns mahalanobis and bilinear, and the means of euclidean.
 *   1. items as rows of numbers                                                 design.c
 *   2. a ridge, if it is to be chosen: the one that predicts held-out items best        linear_bags.c
 *   3. W, and with it the intercept, of all pairs                               linear_problem.c
 *   4. the same for each bag, if there are to be any: for out of bag            linear_bags.c
 * From triplets 2 and 3 are another problem in the same coordinates              triplets_fit.c */
#include <math.h>

#include "base/memory.h"
#include "method/linear/fit/linear_bags.h"
#include "method/linear/fit/triplets_fit.h"

static void count_given(const sm_linear_problem *at, const sm_learned *learned, double n_unknowns,
                        sm_diagnostics *diagnostics) {
    double n_pairs = at->pairs.n_pairs + (learned->is_of_differences ? 0 : at->pairs.n_selves);
    sm_diagnostics_add(diagnostics, "pairs", n_pairs);
    sm_diagnostics_add(diagnostics, "fewer pairs than unknowns", n_pairs < n_unknowns);
}

/*   triplets  NULL: learned from pairs */
static void add_linear_diagnostics(const sm_linear_problem *at, const sm_learned *learned,
                                   const sm_triplets_fit *triplets, sm_diagnostics *diagnostics) {
    double p = (double)at->frame.n_columns, n_unknowns = p * (p + 1) / 2;
    sm_diagnostics_add(diagnostics, "unknowns", n_unknowns);
    if (triplets != NULL)
        sm_diagnostics_add(diagnostics, "triplets", triplets->n_triplets);
    else
        count_given(at, learned, n_unknowns, diagnostics);
    sm_diagnostics_add(diagnostics, "columns", p);
    sm_diagnostics_add(diagnostics, "rank of the columns", (double)at->frame.rank);
    sm_diagnostics_add(diagnostics, "rank of w", (double)learned->all.rank);
    sm_diagnostics_add(diagnostics, "iterations", (double)at->facts.n_iterations);
    sm_diagnostics_add(diagnostics, "kkt residual", at->facts.kkt);
    if (triplets != NULL) {
        sm_triplets_tell(triplets, diagnostics);
        return;
    }
    if (learned->has_intercept) sm_diagnostics_add(diagnostics, "intercept", learned->all.intercept);
    if (at->squares.ridge > 0) sm_diagnostics_add(diagnostics, "ridge", at->squares.ridge);
    if (learned->n_groups > 0) sm_diagnostics_add(diagnostics, "bags", (double)sm_n_bags(learned->n_groups));
}

/* The pool's loops report between these two. */
static void set_progress_part(sm_pool *pool, double from, double to) {
    pool->fraction_from = from;
    pool->fraction_to = to;
}

/* Learns from all pairs.   from  the fraction of the work that is done */
static smerf_status learn_of_all(const sm_training_set *training, sm_learned *learned, double ridge, double from,
                                 sm_diagnostics *diagnostics, smerf_error *error) {
    sm_linear_problem problem;
    double to = learned->n_groups > 0 ? from + (1 - from) / 3 : 1;
    set_progress_part(training->pool, from, (from + to) / 2);
    smerf_status status = sm_linear_problem_start(&problem, training, learned, error);
    if (status != SMERF_OK) return status;
    set_progress_part(training->pool, (from + to) / 2, to);
    status = sm_linear_problem_solve(&problem, ridge, &learned->all, error);
    if (status == SMERF_OK) add_linear_diagnostics(&problem, learned, NULL, diagnostics);
    sm_linear_problem_free(&problem);
    return status;
}

static smerf_status learn_from_triplets(const sm_training_set *training, sm_learned *learned,
                                        sm_diagnostics *diagnostics, smerf_error *error) {
    sm_linear_problem problem = {.training = training, .learned = learned};
    sm_triplets_fit fit = {.n_triplets = (double)sm_triplets_of(training->target)->n};
    set_progress_part(training->pool, 0, 0);
    smerf_status status = sm_design_learn(&learned->design, training->features, training->view, error);
    if (status == SMERF_OK) status = sm_triplets_frame(training, learned, NULL, &problem.frame, error);
    if (status == SMERF_OK && problem.frame.rank > 0) {
        set_progress_part(training->pool, 0, 1);
        status = sm_linear_problem_take_scratch(&problem, error);
        if (status == SMERF_OK) status = sm_triplets_learn(training, learned, &problem.frame, problem.a, &fit, error);
        problem.facts = (sm_psd_facts){.kkt = fit.solution.kkt, .n_iterations = fit.solution.n_iterations};
        if (status == SMERF_OK) status = sm_linear_problem_map(&problem, &learned->all, error);
    }
    if (status == SMERF_OK) add_linear_diagnostics(&problem, learned, &fit, diagnostics);
    sm_linear_problem_free(&problem);
    return status == SMERF_OK ? sm_pool_report(training->pool, 1, error) : status;
}

static smerf_status learn_linear(const sm_training_set *training, sm_learned *learned, sm_diagnostics *diagnostics,
                                 smerf_error *error) {
    const smerf_baseline_options *options = training->options->baselines;
    double ridge = options->ridge, from = 0;
    set_progress_part(training->pool, 0, 0);
    smerf_status status = sm_design_learn(&learned->design, training->features, training->view, error);
    if (status == SMERF_OK && ridge == SMERF_RIDGE_AUTO) {
        set_progress_part(training->pool, 0, from = 0.4);
        status = sm_linear_choose_ridge(training, learned, &ridge, error);
    }
    if (status == SMERF_OK) status = sm_linear_deal_groups(training, learned, error);
    if (status == SMERF_OK) status = learn_of_all(training, learned, ridge, from, diagnostics, error);
    set_progress_part(training->pool, from + (1 - from) / 3, 1);
    if (status == SMERF_OK && learned->n_groups > 0) status = sm_linear_learn_bags(training, learned, ridge, error);
    return status == SMERF_OK ? sm_pool_report(training->pool, 1, error) : status;
}

static smerf_status linear_fit(const sm_training_set *training, bool is_of_differences, sm_learned **out,
                               sm_diagnostics *diagnostics, smerf_error *error) {
    sm_learned *learned = sm_zeros(1, sizeof *learned);
    if (learned == NULL) return sm_no_memory(error, "learning");
    learned->n_items = training->items->n_items;
    learned->is_of_differences = is_of_differences;
    learned->has_intercept = training->options->baselines->has_intercept;
    bool is_of_triplets = training->target->kind == &sm_target_triplets;
    smerf_status status = (is_of_triplets ? learn_from_triplets : learn_linear)(training, learned, diagnostics, error);
    if (status == SMERF_OK)
        *out = learned;
    else
        sm_linear_free(learned);
    return status;
}

/* ---- the two methods ---- */

/* W has so many rows at most, or there are so few items: its eigenvectors would take hours. */
enum { MOST_COLUMNS = 2000 };

static smerf_status linear_check(const sm_training_set *training, smerf_error *error) {
    size_t n_columns = sm_design_width(training->features), n = training->items->n_items;
    const size_t n_bags = training->options->baselines->n_bags;
    if (n_bags > 0 && sm_groups_of_bags(n_bags) == 0)
        return sm_fail(error, SMERF_BAD_INPUT,
                       "{bags}: %zu is not 0, 3, 6, 10, 15, ...: one for every two of 3, 4, 5, 6, ... groups of items",
                       n_bags);
    if (n_columns <= MOST_COLUMNS || n <= MOST_COLUMNS) return SMERF_OK;
    return sm_fail(
        error, SMERF_BAD_INPUT,
        "the features make %zu columns (a category one for each level), and there are %zu items; a matrix is "
        "learned for %d columns or items at most",
        n_columns, n, MOST_COLUMNS);
}

static smerf_status mahalanobis_check(const sm_training_set *training, smerf_error *error) {
    smerf_status status = linear_check(training, error);
    if (status != SMERF_OK || training->target->kind != &sm_target_triplets) return status;
    return sm_triplets_fit_check(training, error);
}

static smerf_status mahalanobis_fit(const sm_training_set *training, sm_learned **out, sm_diagnostics *diagnostics,
                                    smerf_error *error) {
    return linear_fit(training, true, out, diagnostics, error);
}

static smerf_status bilinear_fit(const sm_training_set *training, sm_learned **out, sm_diagnostics *diagnostics,
                                 smerf_error *error) {
    return linear_fit(training, false, out, diagnostics, error);
}

const sm_trainer sm_trainer_mahalanobis = {.takes_triplets = true, .check = mahalanobis_check, .fit = mahalanobis_fit};
const sm_trainer sm_trainer_bilinear = {.check = linear_check, .fit = bilinear_fit};

/* ---- euclidean: nothing is learned but means ---- */

static smerf_status euclidean_check(const sm_training_set *training, smerf_error *error) {
    (void)training, (void)error;
    return SMERF_OK;
}

static smerf_status euclidean_fit(const sm_training_set *training, sm_learned **out, sm_diagnostics *diagnostics,
                                  smerf_error *error) {
    (void)diagnostics;
    sm_learned *learned = sm_zeros(1, sizeof *learned);
    if (learned == NULL) return sm_no_memory(error, "learning");
    smerf_status status = sm_design_learn(&learned->design, training->features, training->view, error);
    if (status == SMERF_OK) status = sm_pool_report(training->pool, 1, error);
    if (status == SMERF_OK)
        *out = learned;
    else
        sm_linear_free(learned);
    return status;
}

const sm_trainer sm_trainer_euclidean = {.takes_triplets = true, .check = euclidean_check, .fit = euclidean_fit};
