/* importance.c - which features matter: gains, what shuffling does, and what it does to two at a time. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "report/sections.h"

enum { MOST_TOGETHER = 8 };

typedef struct weights {
    sm_arena arena;              /* holds the arrays below */
    size_t p;                    /* features */
    double *gain;                /* [p] */
    double *permutation, *error; /* [p] */
    size_t n_items;              /* that were shuffled; 0: none */
    size_t n_together;           /* 0: nothing is known of two features at a time */
    uint32_t together[MOST_TOGETHER];
    double value[MOST_TOGETHER * MOST_TOGETHER], value_error[MOST_TOGETHER * MOST_TOGETHER];
} weights;

/* ---- how many items ---- */

/* In every tree, each feature that it uses is shuffled once, and some pairs of features: then each of its out-of-bag items, about
 * a third, goes through the leaves, or meets those that the others are in. */
static double work_of(const sm_reporter *reporter, double n_items) {
    double n_trees = (double)reporter->about.options->n_trees, n_leaves = (double)reporter->about.n_leaves / n_trees;
    double n_shuffles = fmin((double)reporter->about.n_features, n_leaves) + MOST_TOGETHER * MOST_TOGETHER / 2;
    double n_out = 0.37 * n_items;
    return n_trees * n_shuffles * n_out * (fmin(n_leaves, 8 * n_out) + n_out / 2);
}

/* So many that it takes seconds. 0: too many features for that. */
static size_t choose_n_items(const sm_reporter *reporter) {
    static const size_t sizes[] = {SM_MOST_SCORED, 500, 200};
    const double seconds = 4e9, more_seconds = 2e10;
    for (size_t k = 0; k < 3; k++)
        if (work_of(reporter, fmin((double)sizes[k], (double)reporter->n)) <= seconds) return sizes[k];
    return work_of(reporter, 100) <= more_seconds ? 100 : 0;
}

/* ---- shuffling ---- */

/* The most important features, from the most important one on. */
static void choose_together(weights *found) {
    for (found->n_together = 0; found->n_together < MOST_TOGETHER && found->n_together < found->p;
         found->n_together++) {
        size_t best = found->p;
        for (size_t f = 0; f < found->p; f++) {
            bool is_taken = isnan(found->permutation[f]);
            for (size_t k = 0; k < found->n_together; k++) is_taken = is_taken || found->together[k] == f;
            if (!is_taken && (best == found->p || found->permutation[f] > found->permutation[best])) best = f;
        }
        if (best == found->p) break;
        found->together[found->n_together] = (uint32_t)best;
    }
    if (found->n_together < 2) found->n_together = 0;
}

static smerf_status shuffle_features(sm_reporter *reporter, weights *found, smerf_error *error) {
    const smerf_model *model = reporter->wanted->model;
    const double middle = (reporter->part.from + reporter->part.to) / 2, to = reporter->part.to;
    sm_exam exam;
    smerf_status status = sm_exam_start(reporter, choose_n_items(reporter), &exam, error);
    if (status != SMERF_OK) return status;
    reporter->part.to = middle;
    status = smerf_importance_permutation(model, exam.sample.items, exam.truth, &reporter->run, found->permutation,
                                          found->error, error);
    if (status == SMERF_OK) choose_together(found);
    reporter->part.from = middle;
    reporter->part.to = to;
    if (status == SMERF_OK && found->n_together > 0)
        status = smerf_importance_interaction(model,
                                              &SMERF_INIT(smerf_interactions, .items = exam.sample.items,
                                                          .truth = exam.truth, .features = found->together,
                                                          .n_features = found->n_together),
                                              &reporter->run, found->value, found->value_error, error);
    found->n_items = exam.sample.n;
    sm_exam_free(&exam);
    return status;
}

/* ---- writing ---- */

static void write_list(sm_json *json, const char *name, const double *values, size_t n) {
    sm_json_open(json, name, '[');
    for (size_t k = 0; k < n; k++) sm_json_number(json, NULL, values[k]);
    sm_json_close(json, ']');
}

static void write_square(sm_json *json, const char *name, const double *values, size_t n) {
    sm_json_open(json, name, '[');
    for (size_t k = 0; k < n; k++) write_list(json, NULL, values + k * n, n);
    sm_json_close(json, ']');
}

static void write_together(sm_json *json, const weights *found) {
    if (found->n_together == 0) {
        sm_json_null(json, "interaction");
        return;
    }
    sm_json_open(json, "interaction", '{');
    sm_json_open(json, "features", '[');
    for (size_t k = 0; k < found->n_together; k++) sm_json_count(json, NULL, found->together[k]);
    sm_json_close(json, ']');
    write_square(json, "value", found->value, found->n_together);
    write_square(json, "standard_error", found->value_error, found->n_together);
    sm_json_close(json, '}');
}

static void write_weights(sm_reporter *reporter, const weights *found) {
    sm_json *json = &reporter->json;
    char some[32], all[32];
    sm_json_open(json, "importance", '{');
    sm_json_open(json, "features", '[');
    for (size_t f = 0; f < found->p; f++) {
        smerf_column column;
        smerf_model_feature(reporter->wanted->model, f, &column);
        sm_json_text(json, NULL, column.name);
    }
    sm_json_close(json, ']');
    write_list(json, "gain", found->gain, found->p);
    if (found->n_items > 0) {
        write_list(json, "permutation", found->permutation, found->p);
        write_list(json, "standard_error", found->error, found->p);
        sm_json_count(json, "n_items", found->n_items);
        write_together(json, found);
    } else {
        sm_json_null(json, "permutation");
        sm_json_null(json, "standard_error");
        sm_json_null(json, "n_items");
        sm_json_null(json, "interaction");
    }
    sm_json_close(json, '}');
    if (found->n_items > 0 && found->n_items < reporter->n)
        sm_report_note(reporter, "Features were shuffled among %s of %s items.", sm_report_count(found->n_items, some),
                       sm_report_count(reporter->n, all));
}

/* Names the first category of which gains say too much, and how many there are. */
static void note_overstated(sm_reporter *reporter, const bool *is_overstated, size_t p) {
    size_t n = 0;
    smerf_column first = {0}, column;
    for (size_t f = 0; f < p; f++) {
        if (!is_overstated[f]) continue;
        smerf_model_feature(reporter->wanted->model, f, &column);
        if (n++ == 0) first = column;
    }
    if (n > 0)
        sm_report_note(reporter, "Gains overstate categories with few items for each level: %.60s (%zu levels)%s.",
                       first.name, first.n_levels, n > 1 ? " and others" : "");
}

static smerf_status weigh_features(sm_reporter *reporter, weights *found, smerf_error *error) {
    const char *why_not;
    found->gain = sm_arena_take(&found->arena, found->p, sizeof *found->gain);
    found->permutation = sm_arena_take(&found->arena, found->p, sizeof *found->permutation);
    found->error = sm_arena_take(&found->arena, found->p, sizeof *found->error);
    bool *is_overstated = sm_arena_take(&found->arena, found->p, sizeof *is_overstated);
    if (found->arena.has_failed) return sm_no_memory(error, "weighing features");
    smerf_status status = smerf_importance_gain(reporter->wanted->model, found->gain, error);
    if (status != SMERF_OK) return status;
    smerf_importance_overstated(reporter->wanted->model, found->gain, is_overstated);
    note_overstated(reporter, is_overstated, found->p);
    if (!reporter->is_out_of_bag || !sm_exam_is_possible(reporter, &why_not))
        sm_report_note(reporter,
                       "Features are shuffled out of bag only, among the items that the model was trained on.");
    else if (choose_n_items(reporter) == 0)
        sm_report_note(reporter, "There are too many features to shuffle each of them in a short time.");
    else
        status = shuffle_features(reporter, found, error);
    return status;
}

smerf_status sm_write_importance(sm_reporter *reporter, smerf_error *error) {
    weights found = {.p = reporter->about.n_features};
    if (!reporter->is_forest) {
        sm_report_absent(reporter, "importance", "The method has no notion of the importance of a feature.");
        return SMERF_OK;
    }
    smerf_status status = weigh_features(reporter, &found, error);
    if (status == SMERF_OK)
        write_weights(reporter, &found);
    else
        status = sm_report_excuse(reporter, "importance", status, error);
    sm_arena_free(&found.arena);
    return status;
}
