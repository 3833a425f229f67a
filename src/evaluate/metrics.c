/* metrics.c - RMSE, Spearman correlation and map@10, a row at a time.
 *
 * RMSE counts each unordered pair once. Spearman: for each item the rank correlation of predicted and true distance to
 * its partners (equal values share their mean rank). map@10: for each item the ten partners truly nearest are relevant;
 * average precision of the ranking of all partners by predicted distance; ties by item order in both. */
#include "evaluate/metrics.h"

#include <math.h>
#include <string.h>

#include "base/sort.h"

enum { MOST_RELEVANT = 10, FEWEST_LISTED = 3 };

static const struct {
    const char *name;
    bool rises;
} metrics_known[SMERF_N_METRICS] = {[SMERF_RMSE] = {"rmse", false},
                                    [SMERF_SPEARMAN] = {"spearman", true},
                                    [SMERF_MAP10] = {"map@10", true},
                                    [SMERF_AUC_ROC] = {"auc-roc", true},
                                    [SMERF_AUC_PR] = {"auc-pr", true}};

const char *smerf_metric_name(smerf_metric metric) { return metrics_known[metric].name; }
bool smerf_metric_rises(smerf_metric metric) { return metrics_known[metric].rises; }

bool sm_scorer_start(sm_scorer *scorer, size_t n) {
    *scorer = (sm_scorer){.n = n};
    sm_arena *arena = &scorer->arena;
    scorer->predicted = sm_arena_take(arena, n, sizeof *scorer->predicted);
    scorer->truth = sm_arena_take(arena, n, sizeof *scorer->truth);
    scorer->rank_predicted = sm_arena_take(arena, n, sizeof *scorer->rank_predicted);
    scorer->rank_truth = sm_arena_take(arena, n, sizeof *scorer->rank_truth);
    scorer->keys = sm_arena_take(arena, n, sizeof *scorer->keys);
    scorer->spare_keys = sm_arena_take(arena, n, sizeof *scorer->spare_keys);
    scorer->order = sm_arena_take(arena, n, sizeof *scorer->order);
    scorer->spare_order = sm_arena_take(arena, n, sizeof *scorer->spare_order);
    scorer->is_relevant = sm_arena_take(arena, n, sizeof *scorer->is_relevant);
    return !arena->has_failed;
}

void sm_scorer_free(sm_scorer *scorer) { sm_arena_free(&scorer->arena); }

/* Lists in scorer->order the indices of values from small to large, equal ones in order. */
static void sort(sm_scorer *scorer, const double *values, size_t n) {
    for (size_t k = 0; k < n; k++) {
        scorer->keys[k] = sm_sort_key(values[k]);
        scorer->order[k] = (uint32_t)k;
    }
    sm_sort(scorer->keys, scorer->order, n, scorer->spare_keys, scorer->spare_order);
}

/* Ranks of sorted values, equal ones sharing their mean, minus the mean of all ranks; returns the sum of squares. */
static double centred_ranks(const sm_scorer *scorer, size_t n, double *ranks) {
    double squares = 0, middle = ((double)n - 1) / 2;
    for (size_t first = 0, end; first < n; first = end) {
        for (end = first + 1; end < n && scorer->keys[end] == scorer->keys[first];) end++;
        double rank = ((double)first + (double)(end - 1)) / 2 - middle;
        for (size_t k = first; k < end; k++) ranks[scorer->order[k]] = rank;
        squares += rank * rank * (double)(end - first);
    }
    return squares;
}

static double spearman(const sm_scorer *scorer, size_t n, double squares_truth, double squares_predicted) {
    if (squares_truth == 0) return NAN; /* nothing to rank */
    if (squares_predicted == 0) return 0;
    double products = 0;
    for (size_t k = 0; k < n; k++) products += scorer->rank_predicted[k] * scorer->rank_truth[k];
    return products / sqrt(squares_truth * squares_predicted);
}

/* scorer->order holds the true order here. */
static size_t mark_relevant(sm_scorer *scorer, size_t n) {
    size_t n_relevant = n < MOST_RELEVANT ? n : MOST_RELEVANT;
    memset(scorer->is_relevant, 0, n * sizeof *scorer->is_relevant);
    for (size_t k = 0; k < n_relevant; k++) scorer->is_relevant[scorer->order[k]] = true;
    return n_relevant;
}

/* And the predicted order here. */
static double average_precision(const sm_scorer *scorer, size_t n, size_t n_relevant) {
    double sum = 0;
    size_t n_found = 0;
    for (size_t k = 0; k < n && n_found < n_relevant; k++)
        if (scorer->is_relevant[scorer->order[k]]) sum += (double)++n_found / (double)(k + 1);
    return sum / (double)n_relevant;
}

sm_row_score sm_scorer_row(sm_scorer *scorer, size_t self, const double *predicted, const double *truth,
                           unsigned metrics) {
    sm_row_score score = {.spearman = NAN, .precision = NAN};
    size_t n = 0, n_others = self == SIZE_MAX ? scorer->n : scorer->n - 1;
    for (size_t j = 0; j < scorer->n; j++) {
        if (j == self || isnan(predicted[j]) || isnan(truth[j])) continue;
        scorer->predicted[n] = predicted[j];
        scorer->truth[n++] = truth[j];
        if (self != SIZE_MAX && j < self) continue;
        score.squares += (predicted[j] - truth[j]) * (predicted[j] - truth[j]);
        score.n_pairs++;
    }
    if (n == 0 || (metrics & (SMERF_HAS(SMERF_SPEARMAN) | SMERF_HAS(SMERF_MAP10))) == 0) return score;
    sort(scorer, scorer->truth, n);
    double squares_truth = centred_ranks(scorer, n, scorer->rank_truth);
    size_t n_relevant = mark_relevant(scorer, n);
    sort(scorer, scorer->predicted, n);
    double squares_predicted = centred_ranks(scorer, n, scorer->rank_predicted);
    if (n == n_others || n >= FEWEST_LISTED) /* two partners of many always correlate by 1 or -1 */
        score.spearman = spearman(scorer, n, squares_truth, squares_predicted);
    score.precision = average_precision(scorer, n, n_relevant);
    return score;
}

typedef struct mean {
    double sum;
    size_t n;
} mean;

static void add(mean *over_rows, double value) {
    if (isnan(value)) return;
    over_rows->sum += value;
    over_rows->n++;
}

static double get(const mean *over_rows) { return over_rows->n > 0 ? over_rows->sum / (double)over_rows->n : NAN; }

void sm_scores_sum(const sm_row_score *rows, size_t n_rows, unsigned metrics, smerf_scores *scores) {
    double squares = 0;
    mean correlation = {0}, precision = {0};
    *scores = SMERF_INIT(smerf_scores, .metrics = metrics);
    for (size_t i = 0; i < n_rows; i++) {
        squares += rows[i].squares;
        scores->n_pairs += rows[i].n_pairs;
        add(&correlation, rows[i].spearman);
        add(&precision, rows[i].precision);
    }
    for (size_t m = 0; m < SMERF_N_METRICS; m++) scores->value[m] = NAN;
    if ((metrics & SMERF_HAS(SMERF_RMSE)) && scores->n_pairs > 0)
        scores->value[SMERF_RMSE] = sqrt(squares / (double)scores->n_pairs);
    if (metrics & SMERF_HAS(SMERF_SPEARMAN)) scores->value[SMERF_SPEARMAN] = get(&correlation);
    if (metrics & SMERF_HAS(SMERF_MAP10)) scores->value[SMERF_MAP10] = get(&precision);
}
