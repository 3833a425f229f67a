/* links.c - a sparse symmetric matrix: from its upper triangle, and to and from a model's arrays. */
#include "target/links/links.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"

/* ---- the upper triangle ---- */

bool sm_upper_start(sm_upper *upper, size_t n_items, size_t n_most, bool has_weights) {
    *upper = (sm_upper){0};
    upper->n_partners = sm_zeros(n_items, sizeof *upper->n_partners);
    upper->partner = sm_array(n_most, sizeof *upper->partner);
    upper->value = sm_array(n_most, sizeof *upper->value);
    if (has_weights) upper->weight = sm_array(n_most, sizeof *upper->weight);
    if (upper->n_partners != NULL && upper->partner != NULL && upper->value != NULL &&
        (upper->weight != NULL || !has_weights))
        return true;
    sm_upper_free(upper);
    return false;
}

void sm_upper_free(sm_upper *upper) {
    sm_free(upper->n_partners);
    sm_free(upper->partner);
    sm_free(upper->value);
    sm_free(upper->weight);
    *upper = (sm_upper){0};
}

static void drop_if_all(double **numbers, size_t n, double number) {
    if (*numbers == NULL) return;
    for (size_t k = 0; k < n; k++)
        if ((*numbers)[k] != number) return;
    sm_free(*numbers);
    *numbers = NULL;
}

void sm_upper_trim(sm_upper *upper, double common) {
    drop_if_all(&upper->value, upper->n, common);
    drop_if_all(&upper->weight, upper->n, 1);
}

/* ---- both triangles ---- */

static smerf_status reserve_links(sm_links *links, const sm_upper *upper, size_t n_items, smerf_error *error) {
    size_t n_numbers = (upper->value != NULL ? 1u : 0u) + (upper->weight != NULL ? 1u : 0u);
    double bytes = (double)upper->n * 2 * (double)(sizeof *links->partner + n_numbers * sizeof(double)) +
                   (double)n_items * 2 * sizeof *links->first;
    smerf_status status = sm_check_memory(bytes, "the list of pairs", error);
    if (status != SMERF_OK) return status;
    links->n = 2 * upper->n;
    links->first = sm_zeros(n_items + 1, sizeof *links->first);
    links->partner = sm_array(links->n, sizeof *links->partner);
    if (upper->value != NULL) links->value = sm_array(links->n, sizeof *links->value);
    if (upper->weight != NULL) links->weight = sm_array(links->n, sizeof *links->weight);
    if (links->first != NULL && links->partner != NULL && (links->value != NULL || upper->value == NULL) &&
        (links->weight != NULL || upper->weight == NULL))
        return SMERF_OK;
    return sm_no_memory(error, "listing pairs");
}

static void put_link(sm_links *links, size_t at, uint32_t partner, const sm_upper *upper, size_t k) {
    links->partner[at] = partner;
    if (links->value != NULL) links->value[at] = upper->value[k];
    if (links->weight != NULL) links->weight[at] = upper->weight[k];
}

/* Rows fill up in ascending order: partners smaller than the row's item come from their own rows, which are earlier. */
static void fill_rows(sm_links *links, const sm_upper *upper, size_t *next) {
    size_t k = 0;
    for (size_t i = 0; i < links->n_items; i++)
        for (size_t end = k + upper->n_partners[i]; k < end; k++) {
            put_link(links, next[i]++, upper->partner[k], upper, k);
            put_link(links, next[upper->partner[k]]++, (uint32_t)i, upper, k);
        }
}

smerf_status sm_links_mirror(sm_links *links, const sm_upper *upper, size_t n_items, double common,
                             smerf_error *error) {
    *links = (sm_links){.n_items = n_items, .common = common};
    smerf_status status = reserve_links(links, upper, n_items, error);
    size_t *next = NULL;
    if (status == SMERF_OK) {
        for (size_t i = 0; i < n_items; i++) links->first[i + 1] = upper->n_partners[i];
        for (size_t k = 0; k < upper->n; k++) links->first[upper->partner[k] + 1]++;
        for (size_t i = 0; i < n_items; i++) links->first[i + 1] += links->first[i];
        next = sm_copy(links->first, n_items, sizeof *next);
        if (next == NULL) status = sm_no_memory(error, "listing pairs");
    }
    if (status == SMERF_OK)
        fill_rows(links, upper, next);
    else
        sm_links_free(links);
    sm_free(next);
    return status;
}

void sm_links_free(sm_links *links) {
    sm_free(links->first);
    sm_free(links->partner);
    sm_free(links->value);
    sm_free(links->weight);
    *links = (sm_links){0};
}

static bool same_numbers(const double *a, const double *b, size_t n) {
    if (a == NULL || b == NULL) return a == b;
    for (size_t k = 0; k < n; k++)
        if (a[k] != b[k]) return false;
    return true;
}

bool sm_links_equal(const sm_links *a, const sm_links *b) {
    return a->n_items == b->n_items && a->n == b->n && a->common == b->common &&
           memcmp(a->first, b->first, (a->n_items + 1) * sizeof *a->first) == 0 &&
           memcmp(a->partner, b->partner, a->n * sizeof *a->partner) == 0 && same_numbers(a->value, b->value, a->n) &&
           same_numbers(a->weight, b->weight, a->n);
}

size_t sm_links_n_lonely(const sm_links *links) {
    size_t n = 0;
    for (size_t i = 0; i < links->n_items; i++) n += links->first[i] == links->first[i + 1];
    return n;
}

/* ---- files ---- */

static void gather_upper(const sm_links *links, sm_upper *upper) {
    for (size_t i = 0; i < links->n_items; i++)
        for (size_t e = links->first[i]; e < links->first[i + 1]; e++) {
            if (links->partner[e] < i) continue;
            upper->n_partners[i]++;
            upper->partner[upper->n] = links->partner[e];
            upper->value[upper->n] = sm_links_value(links, e);
            if (upper->weight != NULL) upper->weight[upper->n] = links->weight[e];
            upper->n++;
        }
}

smerf_status sm_links_save(const sm_links *links, sm_tensors *tensors, smerf_error *error) {
    sm_upper upper;
    if (!sm_upper_start(&upper, links->n_items, links->n / 2, links->weight != NULL))
        return sm_no_memory(error, "saving pairs");
    gather_upper(links, &upper);
    sm_upper_trim(&upper, links->common);
    smerf_status status =
        sm_tensors_give(tensors, "target.n_partners", SM_U32, upper.n_partners, links->n_items, error);
    upper.n_partners = NULL; /* given away, whatever came of it */
    if (status == SMERF_OK) {
        status = sm_tensors_give(tensors, "target.partner", SM_U32, upper.partner, upper.n, error);
        upper.partner = NULL;
    }
    if (status == SMERF_OK && upper.value != NULL) {
        status = sm_tensors_give(tensors, "target.value", SM_F64, upper.value, upper.n, error);
        upper.value = NULL;
    }
    if (status == SMERF_OK && upper.weight != NULL) {
        status = sm_tensors_give(tensors, "target.weight", SM_F64, upper.weight, upper.n, error);
        upper.weight = NULL;
    }
    sm_upper_free(&upper);
    return status;
}

/* Counts add up to n, and partners ascend from the row's item to the last one. */
static bool is_upper(const uint32_t *n_partners, const uint32_t *partner, size_t n_items, size_t n) {
    size_t k = 0;
    for (size_t i = 0; i < n_items; i++) {
        if (n_partners[i] > n - k) return false;
        size_t before = i;
        for (size_t end = k + n_partners[i]; k < end; k++) {
            if (partner[k] <= before || partner[k] >= n_items) return false;
            before = partner[k];
        }
    }
    return k == n;
}

static smerf_status load_numbers(const sm_tensors *tensors, const char *name, size_t n, double **numbers,
                                 smerf_error *error) {
    const void *data = NULL;
    if (sm_tensors_find(tensors, name) == NULL) return SMERF_OK;
    smerf_status status = sm_tensors_get(tensors, name, SM_F64, n, &data, error);
    *numbers = (double *)data;
    return status;
}

smerf_status sm_links_load(sm_links *links, const sm_tensors *tensors, size_t n_items, double common,
                           smerf_error *error) {
    const sm_tensor *partner = sm_tensors_find(tensors, "target.partner");
    if (partner == NULL || partner->type != SM_U32 || partner->n >= UINT32_MAX || n_items >= INT32_MAX)
        return sm_fail(error, SMERF_BAD_FILE, "the model has no list of pairs");
    const void *n_partners = NULL;
    smerf_status status = sm_tensors_get(tensors, "target.n_partners", SM_U32, n_items, &n_partners, error);
    if (status != SMERF_OK) return status;
    /* Borrowed from the file and only read. */
    sm_upper upper = {.n = partner->n, .n_partners = (uint32_t *)n_partners, .partner = (uint32_t *)partner->data};
    if (!is_upper(upper.n_partners, upper.partner, n_items, upper.n))
        return sm_fail(error, SMERF_BAD_FILE, "the model's pairs do not fit its items");
    status = load_numbers(tensors, "target.value", upper.n, &upper.value, error);
    if (status == SMERF_OK) status = load_numbers(tensors, "target.weight", upper.n, &upper.weight, error);
    if (status != SMERF_OK) return status;
    for (size_t k = 0; k < upper.n && upper.value != NULL; k++)
        if (!(fabs(upper.value[k]) <= SM_LARGEST_DISTANCE))
            return sm_fail(error, SMERF_BAD_FILE, "the model's distances are not all finite");
    for (size_t k = 0; k < upper.n && upper.weight != NULL; k++)
        if (!(upper.weight[k] >= SM_SMALLEST_PAIR_WEIGHT && upper.weight[k] <= SM_LARGEST_PAIR_WEIGHT))
            return sm_fail(error, SMERF_BAD_FILE, "the model's weights of pairs are not all from %g to %g",
                           SM_SMALLEST_PAIR_WEIGHT, SM_LARGEST_PAIR_WEIGHT);
    return sm_links_mirror(links, &upper, n_items, common, error);
}
