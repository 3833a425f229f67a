/* linear_fit.c - learns mahalanobis and bilinear, and the means of euclidean.
 *   1. items as rows of numbers                                                 design.c
 *   2. pairs and their weights                                                  training_pairs.c
 *   3. coordinates in which the problem is well conditioned                     frame.c
 *   4. the sums over pairs, once                                                pair_squares.c
 *   5. the best positive semidefinite A: at once, or by iteration               psd_least_squares.c
 *   6. W = T A T' as F' F, one row of F for each positive eigenvalue of A
 * and, where it is wanted, the intercept that goes with A                     intercept.c
 * From triplets 4 and 5 are another problem in the same coordinates            triplets_fit.c */
#include "method/linear/linear.h"
#include "method/trainer.h"

#include <math.h>

#include "base/memory.h"
#include "method/linear/fit/pair_squares.h"
#include "method/linear/fit/triplets_fit.h"

/* Fractions of the whole job that have passed when the frame is there, and the sums are. */
static const double after_frame = 0.2, after_sums = 0.5;

typedef struct fitting {
    const sm_training_set *training;
    sm_learned *learned;
    sm_training_pairs pairs;
    sm_frame frame;
    sm_pair_squares squares;
    double *a, *values, *vectors, *scratch; /* [rank][rank], [rank], [rank][rank], see sm_psd_part */
    sm_psd_facts facts;
    sm_training_mean mean; /* with an intercept */
    bool is_of_triplets;
    sm_triplets_fit triplets; /* then */
} fitting;

static smerf_status take_linear_scratch(fitting *at, smerf_error *error) {
    size_t rank = at->frame.rank;
    at->a = sm_array(rank * rank, sizeof *at->a);
    at->values = sm_array(rank, sizeof *at->values);
    at->vectors = sm_array(rank * rank, sizeof *at->vectors);
    at->scratch = sm_array(rank * rank + 3 * rank, sizeof *at->scratch);
    bool is_there = at->a != NULL && at->values != NULL && at->vectors != NULL && at->scratch != NULL;
    return is_there ? SMERF_OK : sm_no_memory(error, "solving for W");
}

/* H is the identity, so A is the positive part of b, and S the negative one: nothing but rounding is left over. */
static smerf_status solve_directly(fitting *at, smerf_error *error) {
    size_t rank = at->frame.rank;
    for (size_t k = 0; k < rank * rank; k++) at->a[k] = at->squares.b[k];
    sm_psd_part(at->a, rank, at->values, at->vectors, at->scratch);
    return sm_pair_squares_residual(&at->squares, at->training->pool, at->a, &at->facts.kkt, error);
}

static smerf_status solve_for_a(fitting *at, smerf_error *error) {
    const sm_psd_problem problem = {
        .n = at->frame.rank, .b = at->squares.b, .apply = sm_pair_squares_apply, .context = &at->squares};
    smerf_status status = take_linear_scratch(at, error);
    if (status != SMERF_OK) return status;
    if (sm_pair_squares_is_direct(&at->squares)) return solve_directly(at, error);
    status = sm_psd_least_squares(&problem, at->training->pool, at->a, &at->facts, error);
    if (status == SMERF_OK) sm_psd_part(at->a, at->frame.rank, at->values, at->vectors, at->scratch);
    return status;
}

/* Eigenvalues below this fraction of the largest are rounding. */
static const double nothing = 1e-15;

static smerf_status make_factor(fitting *at, smerf_error *error) {
    sm_learned *learned = at->learned;
    size_t rank = at->frame.rank, p = at->frame.n_columns;
    double largest = 0;
    for (size_t k = 0; k < rank; k++) largest = fmax(largest, at->values[k]);
    learned->factor = sm_zeros(sm_size(rank, p, 0), sizeof *learned->factor);
    if (learned->factor == NULL) return sm_no_memory(error, "solving for W");
    for (size_t k = 0; k < rank; k++) {
        if (!(at->values[k] > nothing * largest)) continue;
        double *row = learned->factor + learned->rank++ * p, root = sqrt(at->values[k]);
        for (size_t c = 0; c < p; c++) {
            for (size_t d = 0; d < rank; d++) row[c] += at->frame.t[c * rank + d] * at->vectors[k * rank + d];
            row[c] *= root;
            if (!isfinite(row[c]))
                return sm_fail(error, SMERF_BAD_INPUT,
                               at->is_of_triplets
                                   ? "the features are so small that W overflows"
                                   : "the distances are so large, or the features so small, that W overflows");
        }
    }
    return SMERF_OK;
}

static void count_given(const fitting *at, double n_unknowns, sm_diagnostics *diagnostics) {
    double n_pairs = at->pairs.n_pairs + (at->learned->is_of_differences ? 0 : at->pairs.n_selves);
    if (at->is_of_triplets) {
        sm_diagnostics_add(diagnostics, "triplets", at->triplets.n_triplets);
        return;
    }
    sm_diagnostics_add(diagnostics, "pairs", n_pairs);
    sm_diagnostics_add(diagnostics, "fewer pairs than unknowns", n_pairs < n_unknowns);
}

static void add_linear_diagnostics(const fitting *at, sm_diagnostics *diagnostics) {
    double p = (double)at->frame.n_columns, n_unknowns = p * (p + 1) / 2;
    sm_diagnostics_add(diagnostics, "unknowns", n_unknowns);
    count_given(at, n_unknowns, diagnostics);
    sm_diagnostics_add(diagnostics, "columns", p);
    sm_diagnostics_add(diagnostics, "rank of the columns", (double)at->frame.rank);
    sm_diagnostics_add(diagnostics, "rank of w", (double)at->learned->rank);
    sm_diagnostics_add(diagnostics, "iterations", (double)at->facts.n_iterations);
    sm_diagnostics_add(diagnostics, "kkt residual", at->facts.kkt);
    if (at->learned->has_intercept) sm_diagnostics_add(diagnostics, "intercept", at->learned->intercept);
    if (at->is_of_triplets) sm_triplets_tell(&at->triplets, diagnostics);
}

/* The pool's loops report between these two. */
static void set_progress_part(sm_pool *pool, double from, double to) {
    pool->fraction_from = from;
    pool->fraction_to = to;
}

/* Of what is fitted to the distances, or to 1 - distances. */
static void set_intercept(sm_learned *learned, double intercept) {
    learned->intercept = learned->is_of_differences ? intercept : 1 - intercept;
}

/* Pairs of an item with itself would have their say in it, and are no guide to what different items have. Where all items are the
 * same, the mean is all there is. */
static smerf_status prepare_intercept(fitting *at, smerf_error *error) {
    sm_training_pairs_drop_selves(&at->pairs);
    smerf_status status = sm_training_pairs_mean(&at->pairs, at->training->pool, &at->mean, error);
    if (status == SMERF_OK) at->learned->intercept = at->mean.distance;
    if (status != SMERF_OK || isfinite(at->mean.distance)) return status;
    return sm_fail(error, SMERF_BAD_INPUT, "the distances are so large that their sums overflow");
}

static smerf_status learn_linear(fitting *at, smerf_error *error) {
    const sm_training_set *training = at->training;
    bool is_of_differences = at->learned->is_of_differences;
    set_progress_part(training->pool, 0, 0);
    smerf_status status = sm_design_learn(&at->learned->design, training->features, training->view, error);
    if (status == SMERF_OK) status = sm_training_pairs_start(&at->pairs, training, error);
    if (status == SMERF_OK && at->learned->has_intercept) status = prepare_intercept(at, error);
    if (status == SMERF_OK) status = sm_frame_new(&at->frame, training, at->learned, &at->pairs, error);
    if (status != SMERF_OK || at->frame.rank == 0) return status;
    set_progress_part(training->pool, after_frame, after_sums);
    status = sm_pair_squares_start(&at->squares, &at->pairs, &at->frame, is_of_differences, training->pool, error);
    set_progress_part(training->pool, after_sums, 1);
    if (status == SMERF_OK && at->learned->has_intercept)
        status = sm_pair_squares_add_intercept(&at->squares, at->mean, error);
    if (status == SMERF_OK) status = solve_for_a(at, error);
    if (status == SMERF_OK) status = make_factor(at, error);
    if (status == SMERF_OK && at->learned->has_intercept)
        set_intercept(at->learned, sm_pair_squares_intercept(&at->squares, at->a));
    return status;
}

static smerf_status learn_from_triplets(fitting *at, smerf_error *error) {
    const sm_training_set *training = at->training;
    set_progress_part(training->pool, 0, 0);
    smerf_status status = sm_design_learn(&at->learned->design, training->features, training->view, error);
    if (status == SMERF_OK) status = sm_triplets_frame(training, at->learned, NULL, &at->frame, error);
    at->triplets.n_triplets = (double)sm_triplets_of(training->target)->n;
    if (status != SMERF_OK || at->frame.rank == 0) return status;
    set_progress_part(training->pool, 0, 1);
    status = take_linear_scratch(at, error);
    if (status == SMERF_OK) status = sm_triplets_learn(training, at->learned, &at->frame, at->a, &at->triplets, error);
    if (status != SMERF_OK) return status;
    at->facts = (sm_psd_facts){.kkt = at->triplets.solution.kkt, .n_iterations = at->triplets.solution.n_iterations};
    sm_psd_part(at->a, at->frame.rank, at->values, at->vectors, at->scratch);
    return make_factor(at, error);
}

static smerf_status linear_fit(const sm_training_set *training, bool is_of_differences, sm_learned **out,
                               sm_diagnostics *diagnostics, smerf_error *error) {
    fitting at = {.training = training, .learned = sm_zeros(1, sizeof *at.learned)};
    if (at.learned == NULL) return sm_no_memory(error, "learning");
    at.learned->is_of_differences = is_of_differences;
    at.learned->intercept = is_of_differences ? 0 : 1;
    at.learned->has_intercept = training->options->baselines->has_intercept;
    at.is_of_triplets = training->target->kind == &sm_target_triplets;
    smerf_status status = at.is_of_triplets ? learn_from_triplets(&at, error) : learn_linear(&at, error);
    if (status == SMERF_OK) status = sm_pool_report(training->pool, 1, error);
    if (status == SMERF_OK) {
        add_linear_diagnostics(&at, diagnostics);
        *out = at.learned;
    } else {
        sm_linear_free(at.learned);
    }
    sm_training_pairs_free(&at.pairs);
    sm_frame_free(&at.frame);
    sm_pair_squares_free(&at.squares);
    sm_free(at.a);
    sm_free(at.values);
    sm_free(at.vectors);
    sm_free(at.scratch);
    return status;
}

/* ---- the two methods ---- */

/* W has so many rows at most, or there are so few items: its eigenvectors would take hours. */
enum { MOST_COLUMNS = 2000 };

static smerf_status linear_check(const sm_training_set *training, smerf_error *error) {
    size_t n_columns = sm_design_width(training->features), n = training->items->n_items;
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
