/* growth.c - whether more trees would help: scores of the first trees, and what they come to with any number of trees.
 *
 * Out of bag a pair is predicted by the trees that have not seen its items, which are a part of the forest, and a pair of new
 * items by all trees. So
 *   1. the same pairs are scored for all numbers of trees: those that even the fewest of them predict;
 *   2. with a score goes by how many trees a pair was predicted: their harmonic mean, as errors go with 1 / number;
 *   3. the squared error of m trees is, in expectation, that of any number of trees and the variance over the trees / m. The
 *      variance is known, and so is the error that no tree would mend. The other scores are followed along 1 / m from half
 *      of the trees to all of them, if a pair is predicted by enough for that. */
#include <math.h>

#include "base/memory.h"
#include "report/sections.h"

enum { MOST_SIZES = 32, FEWEST_FOLLOWED = 2 };

typedef struct growth {
    const sm_reporter *reporter;
    sm_exam exam;
    sm_arena arena;    /* holds the arrays below */
    size_t n, n_pairs; /* of the sample */
    size_t n_sizes, sizes[MOST_SIZES];
    size_t first, half; /* sizes: the fewest trees that are shown, about half of all */
    uint32_t *left, *right;
    uint32_t *n_eligible[MOST_SIZES]; /* [n_pairs] trees that predict the pair; 0 if its true distance is not known */
    size_t n_scored;                  /* pairs that the fewest trees predict */
    double mean_trees[MOST_SIZES];    /* harmonic, of the trees that predict a scored pair */
    double *distance, *spread;        /* [n_pairs] */
    double *matrix;                   /* [n][n] of distances; NaN: not scored */
    smerf_scores scores[MOST_SIZES];
    double variance; /* over the trees, the mean of the scored pairs; NaN: none is predicted by two trees */
} growth;

/* 1, 2, 5, 10, ... and all. */
static size_t list_sizes(size_t n_trees, size_t sizes[MOST_SIZES]) {
    static const size_t steps[3] = {1, 2, 5};
    size_t n = 0;
    for (size_t ten = 1; n < MOST_SIZES - 1; ten *= 10)
        for (size_t s = 0; s < 3; s++) {
            if (steps[s] * ten >= n_trees) {
                sizes[n++] = n_trees;
                return n;
            }
            sizes[n++] = steps[s] * ten;
        }
    return n;
}

/* ---- which trees predict a pair ---- */

static smerf_status reserve_growth(growth *at, smerf_error *error) {
    sm_arena *arena = &at->arena;
    at->left = sm_arena_take(arena, at->n_pairs, sizeof *at->left);
    at->right = sm_arena_take(arena, at->n_pairs, sizeof *at->right);
    at->distance = sm_arena_take(arena, at->n_pairs, sizeof *at->distance);
    at->spread = sm_arena_take(arena, at->n_pairs, sizeof *at->spread);
    at->matrix = sm_arena_take(arena, at->n * at->n, sizeof *at->matrix);
    for (size_t s = 0; s < at->n_sizes; s++)
        at->n_eligible[s] = sm_arena_take(arena, at->n_pairs, sizeof *at->n_eligible[s]);
    if (arena->has_failed) return sm_no_memory(error, "scoring the first trees");
    for (size_t i = 0, p = 0; i < at->n; i++)
        for (size_t j = i + 1; j < at->n; j++, p++) {
            at->left[p] = (uint32_t)i;
            at->right[p] = (uint32_t)j;
        }
    return SMERF_OK;
}

/*   is_in  [training items] scratch
 *   is_out [n] out: items of the sample that the tree has not seen */
static smerf_status find_out_of_bag(const growth *at, size_t tree, bool *is_in, bool *is_out, smerf_error *error) {
    const sm_reporter *reporter = at->reporter;
    smerf_tree_view view = SMERF_INIT(smerf_tree_view);
    smerf_status status = smerf_model_tree(reporter->wanted->model, tree, &view, error);
    if (status != SMERF_OK) return status;
    for (size_t m = 0; m < view.first_member[view.n_leaves]; m++) is_in[view.member_item[m]] = true;
    for (size_t k = 0; k < at->n; k++) is_out[k] = !is_in[reporter->training_row[at->exam.sample.rows[k]]];
    for (size_t m = 0; m < view.first_member[view.n_leaves]; m++) is_in[view.member_item[m]] = false;
    return SMERF_OK;
}

static smerf_status count_out_of_bag(growth *at, smerf_error *error) {
    const bool needs_both = at->reporter->about.options->oob_rule != SMERF_OOB_EITHER;
    bool *is_in = sm_zeros(at->reporter->about.n_items, sizeof *is_in), *is_out = sm_array(at->n, sizeof *is_out);
    smerf_status status =
        is_in != NULL && is_out != NULL ? SMERF_OK : sm_no_memory(error, "counting trees that predict a pair");
    for (size_t s = 0, tree = 0; s < at->n_sizes && status == SMERF_OK; s++) {
        uint32_t *counts = at->n_eligible[s];
        for (size_t p = 0; p < at->n_pairs; p++) counts[p] = s > 0 ? at->n_eligible[s - 1][p] : 0;
        for (; tree < at->sizes[s] && status == SMERF_OK; tree++) {
            status = find_out_of_bag(at, tree, is_in, is_out, error);
            for (size_t p = 0; p < at->n_pairs && status == SMERF_OK; p++) {
                bool left = is_out[at->left[p]], right = is_out[at->right[p]];
                counts[p] += needs_both ? left && right : left || right;
            }
        }
    }
    sm_free(is_in);
    sm_free(is_out);
    return status;
}

static smerf_status count_trees(growth *at, smerf_error *error) {
    smerf_status status = SMERF_OK;
    if (at->exam.request.out_of_bag)
        status = count_out_of_bag(at, error);
    else
        for (size_t s = 0; s < at->n_sizes; s++)
            for (size_t p = 0; p < at->n_pairs; p++) at->n_eligible[s][p] = (uint32_t)at->sizes[s];
    for (size_t i = 0, p = 0; i < at->n && status == SMERF_OK; i++) {
        smerf_target_row(at->exam.truth, i, at->matrix);
        for (size_t j = i + 1; j < at->n; j++, p++)
            for (size_t s = 0; s < at->n_sizes && isnan(at->matrix[j]); s++) at->n_eligible[s][p] = 0;
    }
    return status;
}

static size_t count_predicted(const growth *at, size_t s) {
    size_t n = 0;
    for (size_t p = 0; p < at->n_pairs; p++) n += at->n_eligible[s][p] > 0;
    return n;
}

/* The fewest trees that predict nine tenths of the pairs, but no more than half of the trees: one more score is needed. */
static void choose_pairs(growth *at) {
    size_t last = at->n_sizes - 1, n_all = count_predicted(at, last);
    while (at->half + 1 < at->n_sizes && at->sizes[at->half + 1] <= at->sizes[last] / 2) at->half++;
    while (at->first < at->half && 10 * count_predicted(at, at->first) < 9 * n_all) at->first++;
    at->n_scored = count_predicted(at, at->first);
    for (size_t s = at->first; s < at->n_sizes; s++) {
        double sum = 0;
        for (size_t p = 0; p < at->n_pairs; p++)
            if (at->n_eligible[at->first][p] > 0) sum += 1.0 / at->n_eligible[s][p];
        at->mean_trees[s] = (double)at->n_scored / sum;
    }
}

/* ---- scores ---- */

static smerf_status score_size(growth *at, size_t s, smerf_error *error) {
    const bool is_last = s + 1 == at->n_sizes;
    smerf_request request = at->exam.request;
    request.n_trees = at->sizes[s];
    const smerf_pair_list pairs = {.n = at->n_pairs, .left = at->left, .right = at->right};
    const smerf_pair_result result =
        SMERF_INIT(smerf_pair_result, .distance = at->distance, .spread = is_last ? at->spread : NULL);
    smerf_status status =
        smerf_predict_pairs(at->reporter->wanted->model, &request, &pairs, &at->reporter->run, &result, error);
    if (status != SMERF_OK) return status;
    for (size_t i = 0; i < at->n; i++) at->matrix[i * at->n + i] = 0;
    for (size_t p = 0; p < at->n_pairs; p++) {
        size_t i = at->left[p], j = at->right[p];
        double distance = at->n_eligible[at->first][p] > 0 ? at->distance[p] : NAN;
        at->matrix[i * at->n + j] = at->matrix[j * at->n + i] = distance;
    }
    at->scores[s] = SMERF_INIT(smerf_scores);
    return smerf_score(at->matrix, at->exam.truth, 0, &at->scores[s], error);
}

/* Pooled over the pairs: what is known of a pair's variance grows with the number of its trees less one. */
static void find_variance(growth *at) {
    double sum = 0, n_free = 0;
    for (size_t p = 0; p < at->n_pairs; p++) {
        if (at->n_eligible[at->first][p] == 0 || isnan(at->spread[p])) continue;
        double n_more = at->n_eligible[at->n_sizes - 1][p] - 1.0;
        sum += n_more * at->spread[p] * at->spread[p];
        n_free += n_more;
    }
    at->variance = n_free > 0 ? sum / n_free : NAN;
}

static smerf_status score_sizes(growth *at, sm_reporter *reporter, smerf_error *error) {
    double from = reporter->part.from, length = reporter->part.to - from, whole = 0, done = 0;
    smerf_status status = SMERF_OK;
    for (size_t s = at->first; s < at->n_sizes; s++) whole += (double)at->sizes[s];
    for (size_t s = at->first; s < at->n_sizes && status == SMERF_OK; s++) {
        reporter->part.from = from + length * done / whole;
        done += (double)at->sizes[s];
        reporter->part.to = from + length * done / whole;
        status = score_size(at, s, error);
    }
    if (status == SMERF_OK) find_variance(at);
    return status;
}

/* What a score comes to if so many trees predict each pair; INFINITY: any number. NaN: it cannot be told. */
static double score_with(const growth *at, smerf_metric metric, double n_trees) {
    const size_t last = at->n_sizes - 1;
    const double value = at->scores[last].value[metric], before = at->scores[at->half].value[metric];
    const double inverse = 1 / at->mean_trees[last], step = 1 / at->mean_trees[at->half] - inverse;
    if (metric == SMERF_RMSE) {
        double square = value * value - at->variance * (inverse - 1 / n_trees);
        return square < 0 ? 0 : sqrt(square);
    }
    if (at->mean_trees[at->half] < FEWEST_FOLLOWED || !(step > 0)) return NAN;
    double other = value + (value - before) / step * (inverse - 1 / n_trees);
    return other > 1 ? 1 : other;
}

/* ---- writing ---- */

static void write_metric(sm_json *json, const growth *at, smerf_metric metric) {
    sm_json_open(json, NULL, '{');
    sm_json_text(json, "name", smerf_metric_name(metric));
    sm_json_open(json, "values", '[');
    for (size_t s = at->first; s < at->n_sizes; s++) sm_json_number(json, NULL, at->scores[s].value[metric]);
    sm_json_close(json, ']');
    if (at->exam.request.out_of_bag)
        sm_json_number(json, "with_all", score_with(at, metric, (double)at->sizes[at->n_sizes - 1]));
    sm_json_number(json, "limit", score_with(at, metric, INFINITY));
    sm_json_close(json, '}');
}

static void write_growth(sm_reporter *reporter, const growth *at) {
    sm_json *json = &reporter->json;
    sm_json_open(json, "growth", '{');
    sm_json_text(json, "kind", at->exam.request.out_of_bag ? "out of bag" : "given target");
    sm_json_open(json, "trees", '[');
    for (size_t s = at->first; s < at->n_sizes; s++) sm_json_count(json, NULL, at->sizes[s]);
    sm_json_close(json, ']');
    sm_json_open(json, "predicting", '[');
    for (size_t s = at->first; s < at->n_sizes; s++) sm_json_number(json, NULL, at->mean_trees[s]);
    sm_json_close(json, ']');
    sm_json_open(json, "metrics", '[');
    for (unsigned m = 0; m < SMERF_N_METRICS; m++)
        if ((at->scores[at->first].metrics & SMERF_HAS(m)) != 0) write_metric(json, at, (smerf_metric)m);
    sm_json_close(json, ']');
    sm_json_count(json, "n_pairs", at->n_scored);
    sm_json_count(json, "n_items", at->n);
    sm_json_close(json, '}');
    char some[32], all[32];
    if (at->n < reporter->n)
        sm_report_note(reporter, "Scores against the number of trees are those of %s of %s items.",
                       sm_report_count(at->n, some), sm_report_count(reporter->n, all));
}

/* Scores of given predictions need a target of just the sample. */
static smerf_status take_own_truth(growth *at, smerf_error *error) {
    uint32_t *rows = sm_array(at->n, sizeof *rows);
    if (rows == NULL) return sm_no_memory(error, "scoring the first trees");
    for (size_t k = 0; k < at->n; k++) rows[k] = at->reporter->training_row[at->exam.sample.rows[k]];
    smerf_status status =
        smerf_target_take(smerf_model_target(at->reporter->wanted->model), rows, at->n, &at->exam.truth, error);
    sm_free(rows);
    return status;
}

static smerf_status start_growth(growth *at, smerf_error *error) {
    smerf_status status = sm_exam_start(at->reporter, SM_MOST_GROWN, &at->exam, error);
    if (status != SMERF_OK) return status;
    at->n = at->exam.sample.n;
    at->n_pairs = at->n * (at->n - 1) / 2;
    if (at->exam.truth == NULL) status = take_own_truth(at, error);
    if (status == SMERF_OK) status = reserve_growth(at, error);
    if (status == SMERF_OK) status = count_trees(at, error);
    if (status == SMERF_OK) choose_pairs(at);
    return status;
}

smerf_status sm_write_growth(sm_reporter *reporter, smerf_error *error) {
    const char *why_not = NULL;
    growth at = {.reporter = reporter};
    if (!reporter->is_forest)
        why_not = "The method grows no trees that could be counted.";
    else if (reporter->about.options->n_trees == 1)
        why_not = "One tree does not tell what more of them would do.";
    if (why_not != NULL || !sm_exam_is_possible(reporter, &why_not)) {
        sm_report_absent(reporter, "growth", "%s", why_not);
        return SMERF_OK;
    }
    at.n_sizes = list_sizes(reporter->about.options->n_trees, at.sizes);
    smerf_status status = start_growth(&at, error);
    if (status == SMERF_OK && at.n_scored == 0) {
        sm_report_absent(reporter, "growth", "Too few trees predict the pairs of which the distance is known.");
    } else if (status == SMERF_OK) {
        status = score_sizes(&at, reporter, error);
        if (status == SMERF_OK) write_growth(reporter, &at);
    }
    sm_arena_free(&at.arena);
    sm_exam_free(&at.exam);
    return status;
}
