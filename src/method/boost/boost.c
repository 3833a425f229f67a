/* boost.c - gradient boosting on features of pairs: what it has learned, and its predictions. Learning is in fit/, files in
 * boost_file.c. */
#include "method/boost/boost.h"

#include <string.h>

#include "base/memory.h"
#include "method/boost/rows.h"
#include "method/methods.h"

/* ---- what was learned ---- */

void sm_boost_free(sm_boost *boost) {
    sm_free(boost->first);
    sm_free(boost->splits);
    sm_free(boost->gain);
    sm_free(boost->mean);
    sm_free(boost->value);
    sm_free(boost->sets);
    *boost = (sm_boost){0};
}

sm_learned *sm_boost_learned_new(const sm_features *features, size_t n_items, size_t n_groups) {
    sm_learned *learned = sm_zeros(1, sizeof *learned);
    if (learned == NULL) return NULL;
    learned->n_features = features->n;
    learned->n_items = n_items;
    learned->n_groups = n_groups;
    learned->first_level = sm_zeros(features->n, sizeof *learned->first_level);
    for (size_t f = 0; f < features->n && learned->first_level != NULL; f++) {
        learned->first_level[f] = learned->n_levels;
        if (features->feature[f].kind == SMERF_CATEGORY) learned->n_levels += features->feature[f].levels.n;
    }
    learned->level_bin = sm_zeros(learned->n_levels, sizeof *learned->level_bin);
    learned->group_of = sm_zeros(n_items, sizeof *learned->group_of);
    learned->bags = sm_zeros(sm_n_bags(n_groups), sizeof *learned->bags);
    if (learned->first_level != NULL && learned->level_bin != NULL && learned->group_of != NULL &&
        learned->bags != NULL)
        return learned;
    sm_boost_learned_free(learned);
    return NULL;
}

void sm_boost_learned_free(sm_learned *learned) {
    if (learned == NULL) return;
    for (size_t b = 0; b < sm_n_bags(learned->n_groups) && learned->bags != NULL; b++) sm_boost_free(&learned->bags[b]);
    sm_boost_free(&learned->all);
    smerf_model_free(learned->base);
    sm_free(learned->first_level);
    sm_free(learned->level_bin);
    sm_free(learned->group_of);
    sm_free(learned->bags);
    sm_free(learned);
}

/* ---- predicting ---- */

/* Borrows all. */
struct sm_predictor {
    const sm_learned *learned;
    sm_score_side side, reversed;
    const uint32_t *training_row; /* out of bag; else NULL */
    sm_boost_rows *rows;          /* for whole rows of new pairs, which are then owned; or NULL */
    size_t n_columns;
    double *spare; /* [n_threads][n_columns] scores of the other order */
};

static void free_boost_predictor(sm_predictor *predictor) {
    if (predictor == NULL) return;
    sm_boost_rows_free(predictor->rows);
    sm_free(predictor->spare);
    sm_free(predictor);
}

static smerf_status new_boost_predictor(const sm_learned *learned, const sm_query_sides *sides, sm_pool *pool,
                                        sm_predictor **out, smerf_error *error) {
    (void)pool;
    sm_predictor *predictor = sm_zeros(1, sizeof *predictor);
    if (predictor == NULL) return sm_no_memory(error, "predicting");
    *predictor = (sm_predictor){.learned = learned,
                                .side = {.rows = sides->rows.view, .columns = sides->columns.view},
                                .reversed = {.rows = sides->columns.view, .columns = sides->rows.view},
                                .training_row = sides->is_out_of_bag ? sides->rows.training_row : NULL};
    smerf_status status = SMERF_OK;
    if (!sides->is_out_of_bag)
        status = sm_boost_rows_new(&learned->all, learned, sides->rows.view, sides->columns.view, sides->n_threads,
                                   &predictor->rows, error);
    predictor->n_columns = sides->columns.view->n_items;
    if (status == SMERF_OK && predictor->rows != NULL && learned->is_directed) {
        predictor->spare = sm_array(sm_size(sides->n_threads, predictor->n_columns, 0), sizeof *predictor->spare);
        if (predictor->spare == NULL) status = sm_no_memory(error, "predicting");
    }
    if (status == SMERF_OK)
        *out = predictor;
    else
        free_boost_predictor(predictor);
    return status;
}

/* Some neighbouring columns at once, the same as pair by pair. */
static void predict_range(const sm_predictor *predictor, size_t row, const size_t range[2], size_t thread,
                          double *distances) {
    const sm_learned *learned = predictor->learned;
    size_t n = range[1] - range[0];
    sm_boost_rows_score(predictor->rows, row, false, thread, range, distances);
    if (learned->is_directed) {
        double *other = predictor->spare + thread * predictor->n_columns;
        sm_boost_rows_score(predictor->rows, row, true, thread, range, other);
        for (size_t j = 0; j < n; j++) distances[j] = distances[j] / 2 + other[j] / 2;
    }
    for (size_t j = 0; j < n && learned->is_logistic; j++) distances[j] = sm_boost_distance(learned, distances[j]);
}

/* Of few columns it is not worth while to look at the row first. */
enum { FEWEST_IN_A_RANGE = 64 };

/* Whether columns follow each other, and which they are. */
static bool are_range(const sm_predictor *predictor, const uint32_t *columns, size_t n, size_t range[2]) {
    if (predictor->rows == NULL || n < FEWEST_IN_A_RANGE) return false;
    range[0] = columns != NULL ? columns[0] : 0;
    range[1] = range[0] + n;
    for (size_t k = 0; columns != NULL && k < n; k++)
        if (columns[k] != range[0] + k) return false;
    return true;
}

/* The same for (i, j) and (j, i), to the last bit. */
static double score_pair(const sm_predictor *predictor, const sm_boost *boost, size_t row, size_t column, double base) {
    const sm_learned *learned = predictor->learned;
    double score = sm_boost_score(boost, learned, &predictor->side, row, column, base);
    if (!learned->is_directed) return score;
    return score / 2 + sm_boost_score(boost, learned, &predictor->reversed, column, row, base) / 2;
}

/* The sums that a pair is predicted by: the one for new items; or out of bag those of the bags that have left out both.
 *   sums  [n_groups or 1] out; returns how many there are */
static size_t list_sums(const sm_predictor *predictor, size_t row, size_t column, const sm_boost **sums) {
    const sm_learned *learned = predictor->learned;
    size_t n_groups = learned->n_groups, n = 0;
    sums[0] = &learned->all;
    if (predictor->training_row == NULL) return 1;
    size_t a = learned->group_of[predictor->training_row[row]], b = learned->group_of[predictor->training_row[column]];
    for (size_t g = 0; g < n_groups; g++) {
        if (!sm_bag_leaves_out_both(a, b, g)) continue;
        const sm_boost *bag = &learned->bags[sm_bag_without(n_groups, a, g)];
        if (!isnan(bag->start)) sums[n++] = bag; /* else it had nothing to learn from */
    }
    return n;
}

/* The mean over these; NaN: there is none. */
static double score_by_all(const sm_predictor *predictor, size_t row, size_t column, double base) {
    const sm_boost *sums[SM_MOST_GROUPS];
    size_t n = list_sums(predictor, row, column, sums);
    double sum = 0;
    for (size_t k = 0; k < n; k++) sum += score_pair(predictor, sums[k], row, column, base);
    return n == 1 ? sum : n > 0 ? sum / (double)n : NAN;
}

static void predict_boost_row(sm_predictor *predictor, size_t row, const uint32_t *columns, size_t n, size_t thread,
                              double *distances) {
    const sm_learned *learned = predictor->learned;
    size_t range[2];
    if (are_range(predictor, columns, n, range)) {
        predict_range(predictor, row, range, thread, distances);
        return;
    }
    for (size_t k = 0; k < n; k++) {
        size_t column = columns != NULL ? columns[k] : k;
        double base = learned->base != NULL ? distances[k] : NAN;
        distances[k] = sm_boost_distance(learned, score_by_all(predictor, row, column, base));
    }
}

/* Of both orders, where they differ. */
static double explain_sum(const sm_predictor *predictor, const sm_boost *boost, const uint32_t pair[2],
                          sm_boost_account *account) {
    const sm_learned *learned = predictor->learned;
    if (!learned->is_directed) return sm_boost_explain(boost, learned, &predictor->side, pair[0], pair[1], account);
    account->scale /= 2;
    double baseline = sm_boost_explain(boost, learned, &predictor->side, pair[0], pair[1], account);
    baseline = baseline / 2 + sm_boost_explain(boost, learned, &predictor->reversed, pair[1], pair[0], account) / 2;
    account->scale *= 2;
    return baseline;
}

/* The account of the model that boosting starts from, in scores; what splits on its prediction have added goes to its features, by
 * the size of their contributions to it. Returns by how much the baseline changes.
 *   contributions  [n_features] in: to its distance; out: to the score */
static double turn_base_account(const sm_learned *learned, double base, double baseline, double of_base,
                                double *contributions) {
    size_t n = learned->n_features;
    double from = sm_boost_score_of(learned, baseline), to = sm_boost_score_of(learned, base), size = 0, sum = 0;
    double slope = fabs(base - baseline) > 1e-9 ? (to - from) / (base - baseline) : 0;
    for (size_t f = 0; f < n; f++) {
        size += fabs(contributions[f]);
        sum += contributions[f];
    }
    for (size_t f = 0; f < n; f++) {
        double fraction = size > 0 ? fabs(contributions[f]) / size : 1 / (double)n;
        contributions[f] = slope * contributions[f] + fraction * of_base;
    }
    return -slope * sum;
}

/* The mean over sums of trees: returns the baseline. */
static double explain_sums(const sm_predictor *predictor, const sm_boost *const *sums, size_t n, const uint32_t pair[2],
                           sm_boost_account *account) {
    double start = 0;
    account->scale = 1 / (double)n;
    for (size_t k = 0; k < n; k++) start += explain_sum(predictor, sums[k], pair, account) / (double)n;
    return start;
}

static void explain_boost_pair(sm_predictor *predictor, const uint32_t pair[2], double base, double *baseline,
                               double *contributions) {
    const sm_learned *learned = predictor->learned;
    const sm_boost *sums[SM_MOST_GROUPS];
    size_t n = list_sums(predictor, pair[0], pair[1], sums), n_features = learned->n_features;
    double start = 0, end;
    sm_boost_account account = {.base = base};
    if (isnan(base)) {
        memset(contributions, 0, n_features * sizeof *contributions);
    } else { /* how much there is on its features has to be known first */
        explain_sums(predictor, sums, n, pair, &account);
        start = turn_base_account(learned, base, *baseline, account.of_base, contributions);
    }
    account.contributions = contributions;
    start += explain_sums(predictor, sums, n, pair, &account);
    end = start;
    for (size_t f = 0; f < n_features; f++) end += contributions[f];
    double slope = n > 0 ? sm_boost_slope(learned, start, end) : NAN;
    for (size_t f = 0; f < n_features; f++) contributions[f] *= slope;
    *baseline = n > 0 ? sm_boost_distance(learned, start) : NAN;
}

static const smerf_model *base_of_boost(const sm_learned *learned) { return learned->base; }

static smerf_status check_bags(const sm_learned *learned, smerf_error *error) {
    if (learned->n_groups > 0) return SMERF_OK;
    return sm_fail(error, SMERF_BAD_INPUT,
                   "the model was fitted without bags ({bags 0}, or on fewer than 4 items): nothing is out of bag");
}

const sm_method sm_method_boost = {.name = "boost",
                                   .free = sm_boost_learned_free,
                                   .predictor_new = new_boost_predictor,
                                   .predictor_free = free_boost_predictor,
                                   .predict_row = predict_boost_row,
                                   .mirrors_rows = true,
                                   .base_of = base_of_boost,
                                   .explain = explain_boost_pair,
                                   .importance = sm_boost_importance,
                                   .check_out_of_bag = check_bags,
                                   .save = sm_boost_save,
                                   .load = sm_boost_load};
