/* options.c - every default, and every check of an option, in one place. */
#include <float.h>
#include <math.h>

#include "base/versioned.h"
#include "target/links/pairs.h"
#include "train/grow/problem.h"

void smerf_options_fill(smerf_options *options, size_t size) {
    const smerf_options usual = {.size = sizeof usual,
                                 .seed = 1,
                                 .n_trees = 500,
                                 .splits = SMERF_AXIS,
                                 .candidates = SMERF_CANDIDATES_AUTO,
                                 .min_parent = 2,
                                 .max_depth = SMERF_NO_LIMIT,
                                 .sample = SMERF_BOOTSTRAP,
                                 .sample_fraction = 1,
                                 .oob_rule = SMERF_OOB_BOTH,
                                 .self_distance = SMERF_SELF_AUTO,
                                 .complete = SMERF_COMPLETE_AUTO,
                                 .shrink = SMERF_SHRINK_AUTO};
    sm_struct_fill(SM_STRUCT(smerf_options), &usual, options, size);
}

/* Rounded up, with a hair of slack, so that 0.7 of 10 is 7 and the square root of 16 is 4. */
static double round_up(double value) { return ceil(value - 1e-9); }

/* ---- automatic choices ---- */

/* What was best on many data sets (docs/defaults.md). Options are resolved before a target is filled in or lowered in rank, so that
 * its kind is that which the caller made. */

static bool comes_from_columns(const smerf_target *target) {
    return target->kind == &sm_target_labels || target->kind == &sm_target_response ||
           target->kind == &sm_target_absolute || target->kind == &sm_target_product;
}

static double most_features(double p) { return p <= 20 ? p : fmax(20, round_up(pow(p, 0.75))); }

static double automatic_candidates(const smerf_target *target, double p) {
    bool is_graph = target->kind == &sm_target_graph || target->kind == &sm_target_observed;
    if (target->kind == &sm_target_labels) return round_up(pow(p, 0.5));
    return is_graph || comes_from_columns(target) ? round_up(pow(p, 0.75)) : most_features(p);
}

/* Where distances are measured, an item's own says nothing of two others that share its leaf. */
static smerf_self automatic_self(const smerf_target *target) {
    return comes_from_columns(target) ? SMERF_SELF_GIVEN : SMERF_SELF_EXCLUDE;
}

/* ---- one option after the other ---- */

static double wanted_candidates(const smerf_options *options, const smerf_target *target, double p) {
    if (options->candidates_power > 0) return round_up(pow(p, options->candidates_power));
    if (options->candidates == SMERF_CANDIDATES_ALL) return p;
    if (options->candidates == SMERF_CANDIDATES_PAPER) return most_features(p);
    if (options->candidates == SMERF_CANDIDATES_AUTO) return automatic_candidates(target, p);
    return (double)options->candidates;
}

static smerf_status resolve_candidates(smerf_options *options, const smerf_target *target, double p,
                                       smerf_error *error) {
    if (options->candidates_power < 0 || !isfinite(options->candidates_power))
        return sm_fail(error, SMERF_BAD_INPUT, "{candidates}: the power of p is %g and must be > 0",
                       options->candidates_power);
    double wanted = wanted_candidates(options, target, p);
    if (options->splits == SMERF_AXIS && wanted > p) wanted = p;
    if (options->splits == SMERF_OBLIQUE && wanted * p > 1e9) /* they are drawn from a matrix of that size */
        return sm_fail(error, SMERF_BAD_INPUT, "{candidates}: %g directions of %.0f features are too many", wanted, p);
    options->candidates = (size_t)wanted;
    options->candidates_power = 0;
    return SMERF_OK;
}

static smerf_status resolve_density(smerf_options *options, size_t n_features, smerf_error *error) {
    double p = (double)n_features;
    if (options->splits == SMERF_AXIS) {
        if (options->density != 0) return sm_fail(error, SMERF_BAD_INPUT, "{density}: only oblique splits have one");
        return SMERF_OK;
    }
    if (options->density == 0) options->density = n_features < 10 ? 1 / p : 3 / p;
    if (!(options->density > 0 && options->density <= 1))
        return sm_fail(error, SMERF_BAD_INPUT, "{density}: %g is not in (0, 1]", options->density);
    if (sm_options_non_zeros(options, n_features) == 0)
        return sm_fail(error, SMERF_BAD_INPUT,
                       "{density}: %g leaves no non-zeros in %zu projections of %zu features; take a larger one",
                       options->density, options->candidates, n_features);
    return SMERF_OK;
}

static smerf_status check_sample(const smerf_options *options, smerf_error *error) {
    if (options->sample > SMERF_NO_SAMPLE) return sm_fail(error, SMERF_BAD_INPUT, "{sample}: unknown kind");
    if (options->sample == SMERF_SUBSAMPLE && !(options->sample_fraction > 0 && options->sample_fraction <= 1))
        return sm_fail(error, SMERF_BAD_INPUT, "{sample}: the share %g is not in (0, 1]", options->sample_fraction);
    return SMERF_OK;
}

static smerf_status resolve_self(smerf_options *options, const smerf_target *target, smerf_error *error) {
    if (options->self_distance > SMERF_SELF_AUTO)
        return sm_fail(error, SMERF_BAD_INPUT, "{self_distance}: unknown kind");
    if (options->self_distance == SMERF_SELF_VALUE && !(fabs(options->self_value) <= (double)FLT_MAX))
        return sm_fail(error, SMERF_BAD_INPUT, "{self_distance}: %g is not a number that float32 can hold",
                       options->self_value);
    if (options->self_distance == SMERF_SELF_AUTO) options->self_distance = automatic_self(target);
    if (options->self_distance != SMERF_SELF_VALUE) options->self_value = 0;
    return SMERF_OK;
}

/* Without a sample nothing is out of bag to tell how far; 1 draws nothing. */
static smerf_status resolve_shrink(smerf_options *options, smerf_error *error) {
    bool is_auto = options->shrink == SMERF_SHRINK_AUTO;
    if (!is_auto && !(options->shrink >= 0 && options->shrink <= 1))
        return sm_fail(error, SMERF_BAD_INPUT, "{shrink}: %g is not in (0, 1]", options->shrink);
    if ((is_auto && options->sample == SMERF_NO_SAMPLE) || options->shrink == 1) options->shrink = SMERF_SHRINK_OFF;
    return SMERF_OK;
}

smerf_status sm_options_resolve(const smerf_options *options, const smerf_items *items, const smerf_target *target,
                                smerf_options *resolved, smerf_error *error) {
    size_t n_features = items->features.n;
    *resolved = *options;
    if (items->n_items < 2) return sm_fail(error, SMERF_BAD_INPUT, "there is one item; a distance needs at least two");
    smerf_status status = sm_target_check_distances(target, "a forest", error);
    if (status != SMERF_OK) return status;
    if (options->seed > INT64_MAX)
        return sm_fail(error, SMERF_BAD_INPUT, "{seed}: %llu is not in 0 ... 2^63 - 1",
                       (unsigned long long)options->seed);
    if (options->n_trees == 0) return sm_fail(error, SMERF_BAD_INPUT, "{trees}: at least one is needed");
    if (options->n_trees > UINT32_MAX || options->first_tree > UINT32_MAX - options->n_trees)
        return sm_fail(error, SMERF_BAD_INPUT, "{trees}: numbers must stay below 2^32");
    if (options->splits > SMERF_OBLIQUE) return sm_fail(error, SMERF_BAD_INPUT, "{splits}: unknown kind");
    if (options->min_parent < 2)
        return sm_fail(error, SMERF_BAD_INPUT, "{min_parent}: %zu is below 2: one draw cannot be split",
                       options->min_parent);
    if (options->oob_rule != SMERF_OOB_BOTH && options->oob_rule != SMERF_OOB_EITHER)
        return sm_fail(error, SMERF_BAD_INPUT, "{oob_rule}: unknown rule");
    if (options->sample != SMERF_SUBSAMPLE) resolved->sample_fraction = 1;
    status = check_sample(options, error);
    if (status == SMERF_OK) status = resolve_self(resolved, target, error);
    if (status == SMERF_OK) status = resolve_candidates(resolved, target, (double)n_features, error);
    if (status == SMERF_OK) status = resolve_density(resolved, n_features, error);
    if (status == SMERF_OK) status = resolve_shrink(resolved, error);
    return status;
}

size_t sm_options_non_zeros(const smerf_options *resolved, size_t n_features) {
    return (size_t)round(resolved->density * (double)n_features * (double)resolved->candidates);
}

size_t sm_options_draws(const smerf_options *resolved, size_t n_items) {
    if (resolved->sample != SMERF_SUBSAMPLE) return n_items;
    return (size_t)fmax(1, round_up(resolved->sample_fraction * (double)n_items));
}
