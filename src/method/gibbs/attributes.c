/* attributes.c - features as yes-or-no attributes, for narm: see attributes.h. */
#include "method/gibbs/attributes.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"

enum { MOST_OF_A_NUMBER = SM_MOST_CUTS + 1 };

static smerf_status reserve_coding(sm_attributes *attributes, const sm_features *features, smerf_error *error) {
    *attributes = (sm_attributes){.n_features = features->n};
    attributes->coding = sm_zeros(features->n, sizeof *attributes->coding);
    if (attributes->coding == NULL) return sm_no_memory(error, "coding attributes");
    for (size_t f = 0; f < features->n; f++)
        attributes->coding[f].is_category = features->feature[f].kind == SMERF_CATEGORY;
    return SMERF_OK;
}

void sm_attributes_free(sm_attributes *attributes) {
    sm_free(attributes->coding);
    *attributes = (sm_attributes){0};
}

static void number_attributes(sm_attributes *attributes) {
    uint32_t first = 0;
    for (size_t f = 0; f < attributes->n_features; f++) {
        attributes->coding[f].first = first;
        first += attributes->coding[f].n;
    }
    attributes->n = (size_t)first + 1;
}

/* ---- learning ---- */

static int by_value(const void *a, const void *b) {
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

/*   values  [n] ascending, n > 0 */
static void cut_at_quartiles(struct sm_coding *coding, const double *values, size_t n) {
    for (size_t quarter = 1; quarter <= SM_MOST_CUTS; quarter++) {
        double cut = values[(quarter * n + 3) / 4 - 1];
        if (cut == values[n - 1] || (coding->n > 0 && cut == coding->cut[coding->n - 1])) continue;
        coding->cut[coding->n++] = cut;
    }
    if (coding->n > 0) coding->n++; /* one more interval than cuts */
}

/*   present  [n_items] scratch */
static void code_number(struct sm_coding *coding, const sm_numbers *numbers, size_t n_items, double *present) {
    size_t n = 0;
    bool is_binary = true;
    for (size_t i = 0; i < n_items; i++) {
        double value = sm_number_at(numbers, i);
        if (isnan(value)) continue;
        present[n++] = value;
        is_binary = is_binary && (value == 0 || value == 1);
    }
    if (n == 0) return;
    if (is_binary) {
        coding->n = 1;
        return;
    }
    qsort(present, n, sizeof *present, by_value);
    cut_at_quartiles(coding, present, n);
}

smerf_status sm_attributes_learn(sm_attributes *attributes, const sm_features *features, const sm_view *view,
                                 smerf_error *error) {
    smerf_status status = reserve_coding(attributes, features, error);
    if (status != SMERF_OK) return status;
    double *present = sm_array(view->n_items, sizeof *present);
    if (present == NULL) {
        sm_attributes_free(attributes);
        return sm_no_memory(error, "coding attributes");
    }
    for (size_t f = 0; f < features->n; f++) {
        struct sm_coding *coding = &attributes->coding[f];
        if (coding->is_category)
            coding->n = (uint32_t)features->feature[f].levels.n;
        else
            code_number(coding, &view->numbers[f], view->n_items, present);
    }
    number_attributes(attributes);
    sm_free(present);
    return SMERF_OK;
}

/* ---- looking up ---- */

/* The attribute of a feature that the item has, or SMERF_MISSING. */
static uint32_t attribute_of(const struct sm_coding *coding, const sm_view *view, size_t feature, size_t item) {
    if (coding->is_category) {
        uint32_t level = view->codes[feature][item];
        return level < coding->n ? coding->first + level : SMERF_MISSING;
    }
    double value = sm_number_at(&view->numbers[feature], item);
    if (isnan(value) || coding->n == 0) return SMERF_MISSING;
    if (coding->n == 1) return value > 0.5 ? coding->first : SMERF_MISSING;
    uint32_t interval = 0;
    while (interval < coding->n - 1 && value > coding->cut[interval]) interval++;
    return coding->first + interval;
}

size_t sm_attributes_of(const sm_attributes *attributes, const sm_view *view, size_t item, uint32_t *set) {
    size_t n = 0;
    for (size_t f = 0; f < attributes->n_features; f++) {
        uint32_t attribute = attribute_of(&attributes->coding[f], view, f, item);
        if (attribute != SMERF_MISSING) set[n++] = attribute;
    }
    set[n++] = (uint32_t)(attributes->n - 1);
    return n;
}

/* Two rounds: the first counts, the second puts each item behind those before it. */
static void list_members(sm_attribute_members *members, const sm_attributes *attributes, const sm_view *view,
                         uint32_t *set, bool is_counting) {
    for (size_t i = 0; i < view->n_items; i++) {
        size_t n = sm_attributes_of(attributes, view, i, set);
        for (size_t a = 0; a < n; a++) {
            size_t at = members->first[set[a] + 1]++;
            if (!is_counting) members->item[at] = (uint32_t)i;
        }
    }
}

smerf_status sm_attribute_members_new(sm_attribute_members *members, const sm_attributes *attributes,
                                      const sm_view *view, smerf_error *error) {
    size_t n = attributes->n, n_entries = 0;
    *members = (sm_attribute_members){.n_attributes = n, .first = sm_zeros(n + 1, sizeof *members->first)};
    uint32_t *set = sm_array(attributes->n_features + 1, sizeof *set);
    if (members->first != NULL && set != NULL) {
        list_members(members, attributes, view, set, true);
        for (size_t a = 1; a <= n; a++) { /* from how many there are, to where each starts */
            size_t count = members->first[a];
            members->first[a] = n_entries;
            n_entries += count;
        }
        members->item = sm_array(n_entries, sizeof *members->item);
        if (members->item != NULL) list_members(members, attributes, view, set, false);
    }
    sm_free(set);
    if (members->item != NULL) return SMERF_OK;
    sm_attribute_members_free(members);
    return sm_no_memory(error, "listing attributes");
}

void sm_attribute_members_free(sm_attribute_members *members) {
    sm_free(members->first);
    sm_free(members->item);
    *members = (sm_attribute_members){0};
}

/* ---- files ---- */

static uint32_t n_cuts(const struct sm_coding *coding) {
    return coding->is_category || coding->n < 2 ? 0 : coding->n - 1;
}

smerf_status sm_attributes_save(const sm_attributes *attributes, sm_tensors *tensors, smerf_error *error) {
    size_t n_features = attributes->n_features, n_all = 0;
    uint32_t *n_of = sm_array(n_features, sizeof *n_of);
    double *cuts = sm_array(n_features * SM_MOST_CUTS, sizeof *cuts);
    if (n_of == NULL || cuts == NULL) {
        sm_free(n_of);
        sm_free(cuts);
        return sm_no_memory(error, "saving attributes");
    }
    for (size_t f = 0; f < n_features; f++) {
        n_of[f] = attributes->coding[f].n;
        for (uint32_t c = 0; c < n_cuts(&attributes->coding[f]); c++) cuts[n_all++] = attributes->coding[f].cut[c];
    }
    smerf_status status = sm_tensors_give(tensors, "learned.n_attributes", SM_U32, n_of, n_features, error);
    if (status == SMERF_OK) return sm_tensors_give(tensors, "learned.cuts", SM_F64, cuts, n_all, error);
    sm_free(cuts);
    return status;
}

static bool fits_feature(const struct sm_coding *coding, const sm_feature *feature) {
    return coding->is_category ? coding->n == feature->levels.n : coding->n <= MOST_OF_A_NUMBER;
}

/* Takes a feature's cuts off the front; false: too few, or not in order. */
static bool take_cuts(struct sm_coding *coding, const double **cuts, size_t *n_left) {
    uint32_t n = n_cuts(coding);
    if (n > *n_left) return false;
    for (uint32_t c = 0; c < n; c++) {
        coding->cut[c] = (*cuts)[c];
        if (!isfinite(coding->cut[c]) || (c > 0 && coding->cut[c] <= coding->cut[c - 1])) return false;
    }
    *cuts += n;
    *n_left -= n;
    return true;
}

smerf_status sm_attributes_load(sm_attributes *attributes, const sm_features *features, const sm_tensors *tensors,
                                smerf_error *error) {
    const void *n_of = NULL;
    smerf_status status = sm_tensors_get(tensors, "learned.n_attributes", SM_U32, features->n, &n_of, error);
    if (status != SMERF_OK) return status;
    const sm_tensor *tensor = sm_tensors_find(tensors, "learned.cuts");
    if (tensor == NULL || tensor->type != SM_F64)
        return sm_fail(error, SMERF_BAD_FILE, "the model's attributes have no cut points");
    status = reserve_coding(attributes, features, error);
    if (status != SMERF_OK) return status;
    const double *cuts = tensor->data;
    size_t n_left = tensor->n;
    bool is_good = true;
    for (size_t f = 0; f < features->n && is_good; f++) {
        attributes->coding[f].n = ((const uint32_t *)n_of)[f];
        is_good = fits_feature(&attributes->coding[f], &features->feature[f]) &&
                  take_cuts(&attributes->coding[f], &cuts, &n_left);
    }
    number_attributes(attributes);
    if (is_good && n_left == 0) return SMERF_OK;
    sm_attributes_free(attributes);
    return sm_fail(error, SMERF_BAD_FILE, "the model's attributes do not fit its features");
}
