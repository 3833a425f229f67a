/* scores.c - how well distances are predicted: scores, predicted against true distances, curves. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "report/accuracy.h"
#include "report/sections.h"

/* ---- the pairs that count ---- */

/* Takes the predicted rows of the sample, and keeps the pairs of which both distances are known. */
typedef struct pair_keeper {
    const smerf_target *target; /* the truth, */
    uint32_t *target_row;       /* [sample] and the rows of its items in it */
    double *row;                /* [items of the target] */
    double *truth, *predicted;  /* [pairs of the sample] */
    size_t n;
} pair_keeper;

static int keep_pairs(void *context, size_t i, const double *distances, size_t n) {
    pair_keeper *keeper = context;
    smerf_target_row(keeper->target, keeper->target_row[i], keeper->row);
    for (size_t j = i + 1; j < n; j++) {
        double truth = keeper->row[keeper->target_row[j]];
        if (isnan(truth) || isnan(distances[j])) continue;
        keeper->truth[keeper->n] = truth;
        keeper->predicted[keeper->n++] = distances[j];
    }
    return 0;
}

/*   arena  holds what is kept */
static smerf_status find_pairs(const sm_reporter *reporter, const sm_exam *exam, sm_arena *arena, sm_scored *pairs,
                               smerf_error *error) {
    size_t n = exam->sample.n, n_all = exam->truth != NULL ? n : reporter->about.n_items, n_pairs = n * (n - 1) / 2;
    const smerf_model *model = reporter->wanted->model;
    pair_keeper keeper = {.target = exam->truth != NULL ? exam->truth : smerf_model_target(model),
                          .target_row = sm_arena_take(arena, n, sizeof *keeper.target_row),
                          .row = sm_arena_take(arena, n_all, sizeof *keeper.row),
                          .truth = sm_arena_take(arena, n_pairs, sizeof *keeper.truth),
                          .predicted = sm_arena_take(arena, n_pairs, sizeof *keeper.predicted)};
    if (arena->has_failed) return sm_no_memory(error, "scoring");
    for (size_t k = 0; k < n; k++)
        keeper.target_row[k] = exam->truth != NULL ? (uint32_t)k : reporter->training_row[exam->sample.rows[k]];
    smerf_status status = smerf_predict_rows(model, &exam->request, &reporter->run, keep_pairs, &keeper, error);
    *pairs = (sm_scored){.n = keeper.n, .truth = keeper.truth, .predicted = keeper.predicted};
    return status;
}

/* ---- scores ---- */

static void write_ceiling(sm_json *json, const smerf_ceiling *ceiling) {
    sm_json_open(json, "ceiling", '{');
    sm_json_number(json, "rmse", ceiling->rmse);
    sm_json_number(json, "spearman", ceiling->spearman);
    sm_json_open(json, "judges", '[');
    sm_json_count(json, NULL, ceiling->fewest_judges);
    sm_json_count(json, NULL, ceiling->most_judges);
    sm_json_close(json, ']');
    sm_json_close(json, '}');
}

static void write_scores(sm_reporter *reporter, const sm_exam *exam, const smerf_scores *scores,
                         const sm_scored *pairs) {
    sm_json *json = &reporter->json;
    double mean, sd;
    char some[32], all[32];
    sm_scored_moments(pairs, &mean, &sd);
    sm_json_open(json, "scores", '{');
    sm_json_text(json, "kind", exam->request.out_of_bag ? "out of bag" : "given target");
    sm_json_open(json, "list", '[');
    bool has_few_partners = scores->mean_partners < SMERF_FEWEST_PARTNERS;
    for (unsigned m = 0; m < SMERF_N_METRICS; m++) {
        if ((scores->metrics & SMERF_HAS(m)) == 0 || (m == SMERF_MAP10 && has_few_partners)) continue;
        sm_json_open(json, NULL, '{');
        sm_json_text(json, "name", smerf_metric_name((smerf_metric)m));
        sm_json_number(json, "value", scores->value[m]);
        sm_json_close(json, '}');
    }
    sm_json_close(json, ']');
    sm_json_count(json, "n_pairs", scores->n_pairs);
    sm_json_count(json, "n_items", exam->sample.n);
    sm_json_number(json, "mean", mean);
    sm_json_number(json, "sd", sd);
    if (reporter->wanted->ceiling != NULL) write_ceiling(json, reporter->wanted->ceiling);
    sm_json_close(json, '}');
    if (exam->sample.n < reporter->n)
        sm_report_note(reporter, "%s of %s items were scored.", sm_report_count(exam->sample.n, some),
                       sm_report_count(reporter->n, all));
    if (has_few_partners && (scores->metrics & SMERF_HAS(SMERF_MAP10)))
        sm_report_note(reporter,
                       "Items have %.3g partners on average: too few for map@10, of which any order would have much.",
                       scores->mean_partners);
    if (reporter->are_training && !exam->request.out_of_bag)
        sm_report_note(reporter,
                       "The model was trained on these items, so that they say little of how well it does on others.");
}

/* ---- predicted against true ---- */

static void write_bins(sm_json *json, const char *name, const sm_bins *bins) {
    sm_json_open(json, name, '{');
    sm_json_number(json, "from", bins->from);
    sm_json_number(json, "to", bins->to);
    sm_json_count(json, "n", bins->n);
    sm_json_close(json, '}');
}

static smerf_status write_fit(sm_reporter *reporter, const sm_scored *pairs, smerf_error *error) {
    sm_json *json = &reporter->json;
    uint32_t counts[SM_DENSITY_BINS * SM_DENSITY_BINS];
    sm_error_bin bins[SM_ERROR_BINS];
    size_t n_bins;
    if (pairs->n == 0) {
        sm_report_absent(reporter, "fit", "No pair has both a known and a predicted distance.");
        return SMERF_OK;
    }
    const sm_bins observed = sm_bins_of(pairs->truth, pairs->n), predicted = sm_bins_of(pairs->predicted, pairs->n);
    sm_density_count(pairs, &observed, &predicted, counts);
    smerf_status status = sm_errors_by_distance(pairs, bins, &n_bins, error);
    if (status != SMERF_OK) return status;
    sm_json_open(json, "fit", '{');
    write_bins(json, "observed", &observed);
    write_bins(json, "predicted", &predicted);
    sm_json_u32(json, "counts", counts, observed.n * predicted.n);
    sm_json_open(json, "by_distance", '[');
    for (size_t b = 0; b < n_bins; b++) {
        sm_json_open(json, NULL, '{');
        sm_json_number(json, "from", bins[b].from);
        sm_json_number(json, "to", bins[b].to);
        sm_json_count(json, "n", bins[b].n);
        sm_json_number(json, "bias", bins[b].bias);
        sm_json_number(json, "rmse", bins[b].rmse);
        sm_json_close(json, '}');
    }
    sm_json_close(json, ']');
    sm_json_count(json, "n_pairs", pairs->n);
    sm_json_close(json, '}');
    return SMERF_OK;
}

/* ---- curves ---- */

static void write_points(sm_json *json, const char *name, double (*points)[2], size_t n) {
    sm_json_open(json, name, '[');
    for (size_t k = 0; k < n; k++) {
        sm_json_open(json, NULL, '[');
        sm_json_number(json, NULL, points[k][0]);
        sm_json_number(json, NULL, points[k][1]);
        sm_json_close(json, ']');
    }
    sm_json_close(json, ']');
}

static smerf_status write_curves(sm_reporter *reporter, const smerf_target *truth, const sm_scored *pairs,
                                 smerf_error *error) {
    sm_json *json = &reporter->json;
    if ((smerf_target_metrics(truth) & SMERF_HAS(SMERF_AUC_ROC)) == 0) {
        sm_report_absent(reporter, "curves",
                         "Only graphs and labels have pairs that are linked and pairs that are not.");
        return SMERF_OK;
    }
    sm_curves *curves = sm_array(1, sizeof *curves);
    smerf_status status = curves != NULL ? sm_curves_find(pairs, curves, error) : sm_no_memory(error, "drawing curves");
    if (status == SMERF_OK && curves->n_roc == 0) {
        sm_report_absent(reporter, "curves", "A curve needs both pairs that are linked and pairs that are not.");
    } else if (status == SMERF_OK) {
        sm_json_open(json, "curves", '{');
        write_points(json, "roc", curves->roc, curves->n_roc);
        write_points(json, "pr", curves->pr, curves->n_pr);
        sm_json_number(json, "share_of_links", curves->fraction_of_links);
        sm_json_close(json, '}');
    }
    sm_free(curves);
    return status;
}

/* ---- all together ---- */

smerf_status sm_write_scores(sm_reporter *reporter, smerf_error *error) {
    const smerf_model *model = reporter->wanted->model;
    const char *why_not;
    if (!sm_exam_is_possible(reporter, &why_not)) {
        sm_report_absent(reporter, "scores", "%s", why_not);
        sm_report_absent(reporter, "fit", "%s", why_not);
        sm_report_absent(reporter, "curves", "%s", why_not);
        return SMERF_OK;
    }
    sm_exam exam;
    sm_arena arena = {0};
    sm_scored pairs;
    smerf_scores scores = SMERF_INIT(smerf_scores);
    const double from = reporter->part.from, to = reporter->part.to;
    smerf_status status = sm_exam_start(reporter, SM_MOST_SCORED, &exam, error);
    if (status != SMERF_OK) return status;
    reporter->part.to = (from + to) / 2;
    status = smerf_evaluate(model, &exam.request, exam.truth, 0, &reporter->run, &scores, error);
    reporter->part = (sm_progress_part){.run = reporter->part.run, .from = reporter->part.to, .to = to};
    if (status == SMERF_OK) status = find_pairs(reporter, &exam, &arena, &pairs, error);
    if (status == SMERF_OK) {
        write_scores(reporter, &exam, &scores, &pairs);
        status = write_fit(reporter, &pairs, error);
    }
    if (status == SMERF_OK)
        status = write_curves(reporter, exam.truth != NULL ? exam.truth : smerf_model_target(model), &pairs, error);
    sm_arena_free(&arena);
    sm_exam_free(&exam);
    return status;
}
