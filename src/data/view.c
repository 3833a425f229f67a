/* view.c - items as a model wants to see them: its features in its order, its numbering of levels. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/hash.h"
#include "base/memory.h"
#include "data/items.h"

void sm_view_free(sm_view *view) {
    for (size_t f = 0; f < view->n_features && view->own_codes != NULL; f++) sm_free(view->own_codes[f]);
    sm_free(view->own_codes);
    sm_free(view->codes);
    sm_free(view->numbers);
    *view = (sm_view){0};
}

static size_t find_feature(const smerf_items *items, const char *name, size_t likely) {
    size_t n = items->features.n;
    for (size_t k = 0; k < n; k++) {
        size_t f = (likely + k) % n; /* usually the columns stand in the order of training */
        if (strcmp(items->features.feature[f].name, name) == 0) return f;
    }
    return n;
}

/* Both lists are sorted: one walk through both gives the index of each of our levels among the model's. */
static void match_levels(const sm_strings *ours, const sm_strings *models, uint32_t *level) {
    size_t j = 0;
    for (size_t i = 0; i < ours->n; i++) {
        while (j < models->n && strcmp(models->text[j], ours->text[i]) < 0) j++;
        bool is_known = j < models->n && strcmp(models->text[j], ours->text[i]) == 0;
        level[i] = is_known ? (uint32_t)j : SMERF_MISSING;
    }
}

static smerf_status match_category(sm_view *view, size_t f, const sm_feature *feature, const smerf_items *items,
                                   size_t column, smerf_error *error) {
    const sm_strings *ours = &items->features.feature[column].levels;
    if (sm_strings_equal(ours, &feature->levels)) {
        view->codes[f] = items->codes[column];
        return SMERF_OK;
    }
    uint32_t *level = sm_array(ours->n, sizeof *level);
    uint32_t *codes = view->own_codes[f] = sm_array(items->n_items, sizeof *codes);
    if (level == NULL || codes == NULL) {
        sm_free(level);
        return sm_no_memory(error, "matching categories");
    }
    match_levels(ours, &feature->levels, level);
    for (size_t i = 0; i < items->n_items; i++) {
        uint32_t code = items->codes[column][i];
        codes[i] = code == SMERF_MISSING ? SMERF_MISSING : level[code];
    }
    view->codes[f] = codes;
    sm_free(level);
    return SMERF_OK;
}

smerf_status sm_view_match(sm_view *view, const sm_features *features, const smerf_items *items, smerf_error *error) {
    *view = (sm_view){.n_items = items->n_items, .n_features = features->n};
    view->numbers = sm_zeros(features->n, sizeof *view->numbers);
    view->codes = sm_zeros(features->n, sizeof *view->codes);
    view->own_codes = sm_zeros(features->n, sizeof *view->own_codes);
    smerf_status status = SMERF_OK;
    if (view->numbers == NULL || view->codes == NULL || view->own_codes == NULL)
        status = sm_no_memory(error, "matching features");
    for (size_t f = 0; f < features->n && status == SMERF_OK; f++) {
        const sm_feature *feature = &features->feature[f];
        size_t column = find_feature(items, feature->name, f);
        if (column == items->features.n)
            status = sm_fail(error, SMERF_BAD_INPUT, "there is no column '%s', which the model was trained on",
                             feature->name);
        else if (items->features.feature[column].kind != feature->kind)
            status = sm_fail(error, SMERF_BAD_INPUT, "column '%s' holds %s, and the model was trained on %s",
                             feature->name, feature->kind == SMERF_NUMBER ? "categories" : "numbers",
                             feature->kind == SMERF_NUMBER ? "numbers" : "categories");
        else if (feature->kind == SMERF_CATEGORY)
            status = match_category(view, f, feature, items, column, error);
        else
            view->numbers[f] = items->numbers[column];
    }
    if (status != SMERF_OK) sm_view_free(view);
    return status;
}

/* Equal numbers must hash equally: there is one zero and one missing value. */
static double canonical(double value) { return isnan(value) ? NAN : value + 0.0; }

void sm_view_hash(const sm_view *view, const sm_features *features, size_t first, size_t end, uint64_t *hashes) {
    for (size_t i = first; i < end; i++) {
        uint64_t hash = 0;
        for (size_t f = 0; f < view->n_features; f++) {
            if (sm_are_numbers(&view->numbers[f])) {
                double value = canonical(sm_number_at(&view->numbers[f], i));
                hash = sm_hash(&value, sizeof value, hash);
            } else {
                uint32_t code = view->codes[f][i];
                const char *level = code == SMERF_MISSING ? "" : features->feature[f].levels.text[code];
                hash = sm_hash(level, code == SMERF_MISSING ? 0 : strlen(level) + 1, hash);
            }
        }
        hashes[i] = hash;
    }
}

static double term_value(const sm_view *view, const sm_projection *projection, size_t term, size_t item) {
    size_t feature = projection->feature[term];
    const sm_numbers *numbers = &view->numbers[feature];
    if (sm_are_numbers(numbers)) return projection->weight[term] * sm_number_at(numbers, item);
    uint32_t code = view->codes[feature][item];
    if (code == SMERF_MISSING) return NAN;
    return code == projection->level[term] ? projection->weight[term] : 0;
}

/* The sum again, kept within the range after each addition. */
static double project_carefully(const sm_view *view, const sm_projection *projection, size_t item) {
    double sum = 0;
    for (size_t term = 0; term < projection->n_terms; term++) {
        double value = term_value(view, projection, term, item);
        if (isnan(value)) return NAN;
        sum = fmax(-DBL_MAX, fmin(DBL_MAX, sum + value));
    }
    return sum;
}

double sm_view_project(const sm_view *view, const sm_projection *projection, size_t item) {
    double sum = 0;
    for (size_t term = 0; term < projection->n_terms; term++) sum += term_value(view, projection, term, item);
    return isfinite(sum) ? sum : project_carefully(view, projection, item);
}

void sm_view_project_all(const sm_view *view, const sm_projection *projection, const uint32_t *items, size_t n,
                         double *out) {
    for (size_t k = 0; k < n; k++) out[k] = 0;
    for (size_t term = 0; term < projection->n_terms; term++) {
        const sm_numbers *numbers = &view->numbers[projection->feature[term]];
        const double *values = numbers->step == 1 ? numbers->doubles : NULL;
        double weight = projection->weight[term];
        if (values != NULL && weight == 1)
            for (size_t k = 0; k < n; k++) out[k] += values[items[k]];
        else if (values != NULL)
            for (size_t k = 0; k < n; k++) out[k] -= values[items[k]];
        else if (sm_are_numbers(numbers)) /* further apart */
            for (size_t k = 0; k < n; k++) out[k] += weight * sm_number_at(numbers, items[k]);
        else
            for (size_t k = 0; k < n; k++) out[k] += term_value(view, projection, term, items[k]);
    }
    for (size_t k = 0; k < n; k++)
        if (!isfinite(out[k])) out[k] = project_carefully(view, projection, items[k]);
}
