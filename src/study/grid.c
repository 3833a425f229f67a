/* grid.c - the settings that tuning tries, in order: see tuning.h.
 *
 *   1. make_lists  the values of each option: a caller's, or the paper's (appendix, "Details of Algorithm Implementation and
 *                  Hyperparameters") where tuning varies it, or the one value that the options have
 *   2. add_all     every combination. Settings that have the same trees stand next to each other, the one that grows the
 *                  largest first, so that the others are pruned from it
 * What is tried by default for each option stands in make_lists, and nowhere else. */
#include "study/tuning.h"

#include <math.h>

#include "base/memory.h"
#include "base/versioned.h"
#include "data/items.h"
#include "fit/estimate.h"
#include "target/links/pairs.h"
#include "train/grow/problem.h"

/* The values of each option. */
typedef struct lists {
    smerf_candidate_count candidates[2][SM_MOST_TRIALS]; /* of axis and of oblique splits */
    size_t n_candidates[2];
    size_t min_parents[SM_MOST_TRIALS], n_min_parents; /* ascending */
    smerf_splits splits[2];
    size_t n_splits;
    double densities[SM_MOST_TRIALS];
    size_t n_densities;
    smerf_self_setting selves[SM_MOST_TRIALS];
    size_t n_selves;
    bool are_candidates_ours; /* and may be left out */
} lists;

typedef struct grid_job {
    const smerf_items *items;
    const smerf_target *target;
    lists lists;
    sm_grid_list *list;
} grid_job;

/* ---- 1  Values ---- */

static smerf_status check_list(const char *what, const void *values, size_t n, smerf_error *error) {
    if (n > 0 && values == NULL) return sm_fail(error, SMERF_BAD_INPUT, "{grid}: the list of %s is NULL", what);
    if (n > SM_MOST_TRIALS) return sm_fail(error, SMERF_BAD_INPUT, "{grid}: %zu %s are too many", n, what);
    return SMERF_OK;
}

static smerf_status check_grid(const smerf_grid *grid, smerf_error *error) {
    smerf_status status = check_list("candidates", grid->candidates, grid->n_candidates, error);
    if (status == SMERF_OK) status = check_list("min-parents", grid->min_parents, grid->n_min_parents, error);
    if (status == SMERF_OK) status = check_list("kinds of splits", grid->splits, grid->n_splits, error);
    if (status == SMERF_OK) status = check_list("densities", grid->densities, grid->n_densities, error);
    if (status == SMERF_OK) status = check_list("self-distances", grid->selves, grid->n_selves, error);
    if (status == SMERF_OK && grid->n_splits > 2)
        return sm_fail(error, SMERF_BAD_INPUT, "{grid}: there are two kinds of splits");
    return status;
}

static void list_candidates(lists *all, const smerf_options *options, const smerf_tuning *tuning,
                            const smerf_grid *grid) {
    static const double powers[] = {0.25, 0.5, 0.75, 1, 1.5}; /* the last with oblique splits only */
    all->are_candidates_ours = grid->n_candidates == 0;
    for (unsigned kind = SMERF_AXIS; kind <= SMERF_OBLIQUE; kind++) {
        smerf_candidate_count *values = all->candidates[kind];
        size_t n = 0;
        for (; n < grid->n_candidates; n++) values[n] = grid->candidates[n];
        size_t n_powers = kind == SMERF_OBLIQUE ? 5 : 4;
        for (size_t k = 0; k < n_powers && n < n_powers && all->are_candidates_ours && tuning->vary_candidates; k++)
            values[n++] = (smerf_candidate_count){.power = powers[k]};
        if (n == 0) values[n++] = (smerf_candidate_count){options->candidates, options->candidates_power};
        all->n_candidates[kind] = n;
    }
}

static void list_min_parents(lists *all, const smerf_options *options, const smerf_tuning *tuning,
                             const smerf_grid *grid) {
    static const size_t usual[] = {2, 4, 8};
    const size_t *values = grid->n_min_parents > 0 ? grid->min_parents : usual;
    size_t n_values = grid->n_min_parents > 0 ? grid->n_min_parents : 3;
    if (grid->n_min_parents == 0 && !tuning->vary_min_parent) {
        values = &options->min_parent;
        n_values = 1;
    }
    for (size_t k = 0; k < n_values; k++) { /* insertion: there are few */
        size_t at = all->n_min_parents++;
        for (; at > 0 && all->min_parents[at - 1] > values[k]; at--) all->min_parents[at] = all->min_parents[at - 1];
        all->min_parents[at] = values[k];
    }
}

static void list_splits(lists *all, const smerf_options *options, const smerf_tuning *tuning, const smerf_grid *grid) {
    for (size_t k = 0; k < grid->n_splits; k++) all->splits[all->n_splits++] = grid->splits[k];
    if (all->n_splits > 0) return;
    if (tuning->vary_splits) all->splits[all->n_splits++] = SMERF_AXIS;
    all->splits[all->n_splits++] = tuning->vary_splits ? SMERF_OBLIQUE : options->splits;
}

/* The self-distances that are tried: as given and left out; of graphs also 1, the distance without a link, which says nothing
 * where distances have another scale. */
static void list_selves(lists *all, const smerf_target *target, const smerf_options *options,
                        const smerf_tuning *tuning, const smerf_grid *grid) {
    static const smerf_self_setting usual[] = {{SMERF_SELF_GIVEN, 0}, {SMERF_SELF_EXCLUDE, 0}, {SMERF_SELF_VALUE, 1}};
    const sm_target_kind *kind = target->kind;
    size_t n_usual = kind == &sm_target_graph || kind == &sm_target_observed ? 3 : 2;
    for (size_t k = 0; k < grid->n_selves; k++) all->selves[all->n_selves++] = grid->selves[k];
    if (all->n_selves > 0) return;
    for (size_t k = 0; k < n_usual && tuning->vary_self; k++) all->selves[all->n_selves++] = usual[k];
    if (all->n_selves == 0)
        all->selves[all->n_selves++] = (smerf_self_setting){options->self_distance, options->self_value};
}

static smerf_status make_lists(lists *all, const smerf_target *target, const smerf_options *options,
                               const smerf_tuning *tuning, smerf_error *error) {
    const smerf_grid none = {.size = sizeof none}, *grid = tuning->grid != NULL ? tuning->grid : &none;
    SM_READ(smerf_grid, grid, error);
    smerf_status status = check_grid(grid, error);
    if (status != SMERF_OK) return status;
    list_candidates(all, options, tuning, grid);
    list_min_parents(all, options, tuning, grid);
    list_splits(all, options, tuning, grid);
    for (size_t k = 0; k < all->n_splits; k++)
        if ((unsigned)all->splits[k] > SMERF_OBLIQUE) return sm_fail(error, SMERF_BAD_INPUT, "{splits}: unknown kind");
    list_selves(all, target, options, tuning, grid);
    for (size_t k = 0; k < grid->n_densities; k++) all->densities[all->n_densities++] = grid->densities[k];
    if (all->n_densities == 0) all->densities[all->n_densities++] = options->density;
    return SMERF_OK;
}

/* ---- 2  Combinations ---- */

static bool same_setting(const smerf_options *a, const smerf_options *b) {
    return a->splits == b->splits && a->candidates == b->candidates && a->density == b->density &&
           a->min_parent == b->min_parent && a->self_distance == b->self_distance && a->self_value == b->self_value;
}

/* Whether two self-distances grow the same trees: leaving them out is about predicting. */
static bool selves_grow_alike(const smerf_options *a, const smerf_options *b) {
    bool is_set = a->self_distance == SMERF_SELF_VALUE, is_other_set = b->self_distance == SMERF_SELF_VALUE;
    return is_set == is_other_set && (!is_set || a->self_value == b->self_value);
}

static bool has_trees_of(const smerf_options *a, const smerf_options *before) {
    return a->splits == before->splits && a->candidates == before->candidates && a->density == before->density &&
           selves_grow_alike(a, before) && before->min_parent <= a->min_parent;
}

/* Scoring looks at all pairs of items in every tree, where they are out of bag. Measured. */
static double scoring_work(const smerf_items *items, const smerf_options *options) {
    return 0.3 * (double)items->n_items * (double)items->n_items * (double)options->n_trees;
}

/* More directions than a minute of work can try, and ten times as many as there are features: of the paper's grid these are left
 * out. The scores of its settings rise with the directions up to p and seldom beyond (docs/decisions/0025-stopping.md). */
static bool takes_too_long(const sm_setting *setting, size_t n_features) {
    return (double)setting->options.candidates > 10 * (double)n_features && setting->growing > 60e9;
}

static bool are_too_many(const smerf_options *options, double p) {
    return options->splits == SMERF_OBLIQUE && options->candidates_power > 1 &&
           pow(p, options->candidates_power + 1) > 1e9;
}

static bool is_listed(const sm_setting *settings, size_t n, const smerf_options *options) {
    for (size_t i = 0; i < n; i++)
        if (same_setting(&settings[i].options, options)) return true;
    return false;
}

static smerf_status fail_for_settings(smerf_error *error) {
    return sm_fail(error, SMERF_BAD_INPUT, "{grid}: there are more than %d settings", SM_MOST_TRIALS);
}

static smerf_status leave_out(sm_grid_list *list, const sm_setting *setting, smerf_error *error) {
    if (is_listed(list->left_out, list->n_left_out, &setting->options)) return SMERF_OK;
    if (list->n_left_out == SM_MOST_TRIALS) return fail_for_settings(error);
    list->left_out[list->n_left_out++] = *setting;
    return SMERF_OK;
}

/* Adds a setting, unless an earlier one comes to the same. */
static smerf_status add_setting(grid_job *job, const smerf_options *options, smerf_error *error) {
    sm_grid_list *list = job->list;
    size_t p = job->items->features.n;
    bool may_be_left_out = job->lists.are_candidates_ours && options->candidates_power > 1;
    sm_setting setting = {.options = *options};
    if (may_be_left_out && are_too_many(options, (double)p)) {
        setting.options.candidates = (size_t)ceil(pow((double)p, options->candidates_power));
        return leave_out(list, &setting, error);
    }
    smerf_status status = sm_options_resolve(options, job->items, job->target, &setting.options, error);
    if (status != SMERF_OK) return status;
    if (is_listed(list->settings, list->n, &setting.options)) return SMERF_OK;
    sm_fit_size size;
    sm_fit_size_start(&size, job->items, job->target, &setting.options, NULL);
    setting.growing = sm_fit_tree_work(&size, (double)job->items->n_items) * (double)setting.options.n_trees;
    setting.scoring = scoring_work(job->items, &setting.options);
    if (may_be_left_out && takes_too_long(&setting, p)) return leave_out(list, &setting, error);
    if (list->n == SM_MOST_TRIALS) return fail_for_settings(error);
    setting.is_pruned = list->n > 0 && has_trees_of(&setting.options, &list->settings[list->n - 1].options);
    if (setting.is_pruned) setting.growing = 0;
    list->settings[list->n++] = setting;
    return SMERF_OK;
}

/* All that have the trees of self-distance s, by min-parent. */
static smerf_status add_alike(grid_job *job, smerf_options options, size_t s, smerf_error *error) {
    const lists *all = &job->lists;
    smerf_options first = options;
    first.self_distance = all->selves[s].kind;
    first.self_value = all->selves[s].value;
    smerf_status status = SMERF_OK;
    for (size_t m = 0; m < all->n_min_parents; m++)
        for (size_t other = 0; other < all->n_selves && status == SMERF_OK; other++) {
            options.min_parent = all->min_parents[m];
            options.self_distance = all->selves[other].kind;
            options.self_value = all->selves[other].value;
            if (selves_grow_alike(&options, &first)) status = add_setting(job, &options, error);
        }
    return status;
}

static smerf_status add_selves(grid_job *job, const smerf_options *options, smerf_error *error) {
    smerf_status status = SMERF_OK; /* those that are alike come again, and are there already */
    for (size_t s = 0; s < job->lists.n_selves && status == SMERF_OK; s++) status = add_alike(job, *options, s, error);
    return status;
}

static smerf_status add_densities(grid_job *job, smerf_options options, smerf_error *error) {
    if (options.splits == SMERF_AXIS) {
        if (job->lists.n_splits > 1 || job->lists.n_densities > 1)
            options.density = 0; /* it is about the oblique half */
        return add_selves(job, &options, error);
    }
    smerf_status status = SMERF_OK;
    for (size_t k = 0; k < job->lists.n_densities && status == SMERF_OK; k++) {
        options.density = job->lists.densities[k];
        status = add_selves(job, &options, error);
    }
    return status;
}

static smerf_status add_all(grid_job *job, smerf_options options, smerf_error *error) {
    const lists *all = &job->lists;
    smerf_status status = SMERF_OK;
    for (size_t k = 0; k < all->n_splits; k++)
        for (size_t c = 0; c < all->n_candidates[all->splits[k]] && status == SMERF_OK; c++) {
            const smerf_candidate_count *count = &all->candidates[all->splits[k]][c];
            options.splits = all->splits[k];
            options.candidates = count->number;
            options.candidates_power = count->power;
            status = add_densities(job, options, error);
        }
    return status;
}

smerf_status sm_grid_make(sm_grid_list *list, const smerf_items *items, const smerf_target *target,
                          const smerf_options *options, const smerf_tuning *tuning, smerf_error *error) {
    list->n = list->n_left_out = 0;
    grid_job *job = sm_zeros(1, sizeof *job);
    if (job == NULL) return sm_no_memory(error, "listing settings");
    job->items = items;
    job->target = target;
    job->list = list;
    smerf_status status = make_lists(&job->lists, target, options, tuning, error);
    if (status == SMERF_OK) status = add_all(job, *options, error);
    sm_free(job);
    return status;
}
