/* metrics.c - RMSE, Spearman correlation, map@10, recall@k and nDCG@k, a row at a time, and what chance gives of each.
 *
 * RMSE counts each unordered pair once. Spearman: for each item the rank correlation of predicted and true distance to
 * its partners (equal values share their mean rank). map@10: for each item the ten partners truly nearest are relevant;
 * average precision of the ranking of all partners by predicted distance; ties by item order in both. docs/scores.md */
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

bool sm_scorer_start(sm_scorer *scorer, size_t n, size_t n_nearest) {
    *scorer = (sm_scorer){.n = n, .n_nearest = n_nearest < n ? n_nearest : 0}; /* no item has more partners than that */
    sm_arena *arena = &scorer->arena;
    scorer->harmonic = sm_arena_take(arena, n + 1, sizeof *scorer->harmonic);
    scorer->discount = sm_arena_take(arena, scorer->n_nearest, sizeof *scorer->discount);
    scorer->true_rank = sm_arena_take(arena, n, sizeof *scorer->true_rank);
    scorer->predicted = sm_arena_take(arena, n, sizeof *scorer->predicted);
    scorer->truth = sm_arena_take(arena, n, sizeof *scorer->truth);
    scorer->rank_predicted = sm_arena_take(arena, n, sizeof *scorer->rank_predicted);
    scorer->rank_truth = sm_arena_take(arena, n, sizeof *scorer->rank_truth);
    scorer->keys = sm_arena_take(arena, n, sizeof *scorer->keys);
    scorer->spare_keys = sm_arena_take(arena, n, sizeof *scorer->spare_keys);
    scorer->order = sm_arena_take(arena, n, sizeof *scorer->order);
    scorer->spare_order = sm_arena_take(arena, n, sizeof *scorer->spare_order);
    scorer->is_relevant = sm_arena_take(arena, n, sizeof *scorer->is_relevant);
    if (arena->has_failed) return false;
    scorer->harmonic[0] = 0;
    for (size_t k = 1; k <= n; k++) scorer->harmonic[k] = scorer->harmonic[k - 1] + 1 / (double)k;
    for (size_t r = 0; r < scorer->n_nearest; r++) scorer->discount[r] = 1 / log2((double)(r + 2));
    return true;
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

double sm_centred_ranks(const uint64_t *keys, const uint32_t *order, size_t n, double *ranks) {
    double squares = 0, middle = ((double)n - 1) / 2;
    for (size_t first = 0, end; first < n; first = end) {
        for (end = first + 1; end < n && keys[end] == keys[first];) end++;
        double rank = ((double)first + (double)(end - 1)) / 2 - middle;
        for (size_t k = first; k < end; k++) ranks[order[k]] = rank;
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

/* What a random order would give: in expectation the precision at rank r of a relevant item is (1 + (r - 1) c) / r, where c
 * is the chance that another one is relevant. */
static double precision_by_chance(const sm_scorer *scorer, size_t n, size_t n_relevant) {
    double other = n > 1 ? ((double)n_relevant - 1) / ((double)n - 1) : 0;
    return (scorer->harmonic[n] + other * ((double)n - scorer->harmonic[n])) / (double)n;
}

/* scorer->order holds the true order here. */
static void keep_true_ranks(sm_scorer *scorer, size_t n) {
    for (size_t r = 0; r < n; r++) scorer->true_rank[scorer->order[r]] = (uint32_t)r;
}

/* And the predicted order here. The truly nearest partner is worth k, the next k - 1, and so on; beyond k, 0. */
static void score_nearest(const sm_scorer *scorer, size_t n, sm_row_score *score) {
    size_t k = scorer->n_nearest, n_found = 0;
    double gain = 0, largest = 0, by_chance = 0, mean_worth = (double)k * ((double)k + 1) / 2 / (double)n;
    for (size_t r = 0; r < k; r++) {
        size_t true_rank = scorer->true_rank[scorer->order[r]];
        largest += (double)(k - r) * scorer->discount[r];
        by_chance += mean_worth * scorer->discount[r];
        if (true_rank >= k) continue;
        gain += (double)(k - true_rank) * scorer->discount[r];
        n_found++;
    }
    score->recall = (double)n_found / (double)k;
    score->recall_by_chance = (double)k / (double)n;
    score->ndcg = gain / largest;
    score->ndcg_by_chance = by_chance / largest;
}

/* Errors and deviations of the pairs that this row counts, which are the last of those gathered. */
static void add_squares(const sm_scorer *scorer, size_t first, size_t end, sm_row_score *score) {
    double sum = 0;
    score->n_pairs = end - first;
    if (first == end) return;
    for (size_t k = first; k < end; k++) { /* from the first one, so that equal distances have no deviation */
        double error = scorer->predicted[k] - scorer->truth[k];
        score->squares += error * error;
        sum += scorer->truth[k] - scorer->truth[first];
    }
    score->mean = scorer->truth[first] + sum / (double)score->n_pairs;
    for (size_t k = first; k < end; k++)
        score->deviations += (scorer->truth[k] - score->mean) * (scorer->truth[k] - score->mean);
}

/* Puts the pairs that count side by side; returns how many there are. */
static size_t gather_pairs(sm_scorer *scorer, size_t self, const double *predicted, const double *truth,
                           sm_row_score *score) {
    size_t n = 0, n_earlier = 0;
    for (size_t j = 0; j < scorer->n; j++) {
        if (j == self) {
            n_earlier = n;
            continue;
        }
        bool is_earlier = self != SIZE_MAX && j < self; /* counted in the row of its other item */
        if (isnan(truth[j]) || isnan(predicted[j])) {
            if (!is_earlier) *(isnan(truth[j]) ? &score->n_unknown : &score->n_unpredicted) += 1;
            continue;
        }
        scorer->predicted[n] = predicted[j];
        scorer->truth[n++] = truth[j];
    }
    add_squares(scorer, n_earlier, n, score);
    return n;
}

sm_row_score sm_scorer_row(sm_scorer *scorer, size_t self, const double *predicted, const double *truth,
                           unsigned metrics) {
    sm_row_score score = {.spearman = NAN, .precision = NAN, .recall = NAN, .ndcg = NAN};
    size_t n_others = self == SIZE_MAX ? scorer->n : scorer->n - 1, n_nearest = scorer->n_nearest;
    size_t n = gather_pairs(scorer, self, predicted, truth, &score);
    score.n_partners = n;
    bool has_ranks = (metrics & (SMERF_HAS(SMERF_SPEARMAN) | SMERF_HAS(SMERF_MAP10))) != 0 || n_nearest > 0;
    if (n == 0 || !has_ranks) return score;
    sort(scorer, scorer->truth, n);
    double squares_truth = sm_centred_ranks(scorer->keys, scorer->order, n, scorer->rank_truth);
    size_t n_relevant = mark_relevant(scorer, n);
    keep_true_ranks(scorer, n);
    sort(scorer, scorer->predicted, n);
    double squares_predicted = sm_centred_ranks(scorer->keys, scorer->order, n, scorer->rank_predicted);
    if (n == n_others || n >= FEWEST_LISTED) /* two partners of many always correlate by 1 or -1 */
        score.spearman = spearman(scorer, n, squares_truth, squares_predicted);
    score.precision = average_precision(scorer, n, n_relevant);
    score.precision_by_chance = precision_by_chance(scorer, n, n_relevant);
    if (n_nearest > 0 && n > n_nearest) score_nearest(scorer, n, &score);
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

/* Joins the deviations of two groups of pairs (Chan, Golub and LeVeque). */
static void join_deviations(sm_row_score *all, const sm_row_score *row) {
    if (row->n_pairs == 0) return;
    if (all->n_pairs == 0) all->mean = row->mean;
    double n = (double)all->n_pairs, fraction = (double)row->n_pairs / (n + (double)row->n_pairs);
    double apart = row->mean - all->mean;
    all->deviations += row->deviations + apart * apart * n * fraction;
    all->mean += apart * fraction;
    all->squares += row->squares;
    all->n_pairs += row->n_pairs;
}

static void score_errors(const sm_row_score *all, smerf_scores *scores) {
    if (all->n_pairs == 0) return;
    scores->value[SMERF_RMSE] = sqrt(all->squares / (double)all->n_pairs);
    scores->by_chance[SMERF_RMSE] = sqrt(all->deviations / (double)all->n_pairs);
    if (all->deviations > 0) scores->variance_explained = 1 - all->squares / all->deviations;
}

static void clear_scores(unsigned metrics, size_t n_nearest, smerf_scores *scores) {
    *scores = SMERF_INIT(smerf_scores, .metrics = metrics, .n_nearest = n_nearest, .variance_explained = NAN,
                         .recall = NAN, .recall_by_chance = NAN, .ndcg = NAN, .ndcg_by_chance = NAN);
    for (size_t m = 0; m < SMERF_N_METRICS; m++) scores->value[m] = scores->by_chance[m] = NAN;
}

void sm_scores_sum(const sm_row_score *rows, size_t n_rows, unsigned metrics, smerf_scores *scores) {
    sm_row_score all = {0};
    mean correlation = {0}, precision = {0}, by_chance = {0}, recall[2] = {{0}}, ndcg[2] = {{0}}, partners = {0};
    clear_scores(metrics, scores->n_nearest, scores);
    for (size_t i = 0; i < n_rows; i++) {
        const sm_row_score *row = &rows[i];
        join_deviations(&all, row);
        scores->n_unknown += row->n_unknown;
        scores->n_unpredicted += row->n_unpredicted;
        if (row->n_partners > 0) add(&partners, (double)row->n_partners);
        add(&correlation, row->spearman);
        add(&precision, row->precision);
        if (!isnan(row->precision)) add(&by_chance, row->precision_by_chance);
        add(&recall[0], row->recall);
        add(&ndcg[0], row->ndcg);
        if (!isnan(row->recall)) add(&recall[1], row->recall_by_chance);
        if (!isnan(row->recall)) add(&ndcg[1], row->ndcg_by_chance);
    }
    scores->n_pairs = all.n_pairs;
    scores->mean_partners = partners.n > 0 ? get(&partners) : 0;
    if (metrics & SMERF_HAS(SMERF_RMSE)) score_errors(&all, scores);
    if (metrics & SMERF_HAS(SMERF_SPEARMAN)) scores->value[SMERF_SPEARMAN] = get(&correlation);
    if (metrics & SMERF_HAS(SMERF_SPEARMAN)) scores->by_chance[SMERF_SPEARMAN] = 0;
    if (metrics & SMERF_HAS(SMERF_MAP10)) scores->value[SMERF_MAP10] = get(&precision);
    if (metrics & SMERF_HAS(SMERF_MAP10)) scores->by_chance[SMERF_MAP10] = get(&by_chance);
    scores->recall = get(&recall[0]);
    scores->recall_by_chance = get(&recall[1]);
    scores->ndcg = get(&ndcg[0]);
    scores->ndcg_by_chance = get(&ndcg[1]);
}
