/* columns.c - targets that are columns of numbers: a response, z = half the squared difference summed over the columns,
 * and a product, z = 1 - the sum of the products. Both are vectors (vectors.h), of which the columns are the
 * coordinates. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "target/vectors/vectors_kind.h"

/* Beyond this, squares of sums times weights could leave the range of a double. */
static const double largest_value = 1e18;

typedef struct columns_target { /* starts as sm_vector_target does */
    smerf_target head;
    sm_vectors vectors;   /* borrows from the arrays below */
    double *values;       /* [n_items][n_columns]; NULL: those of `shared` */
    double *scale, *a;    /* a: a product's */
    double *self;         /* [n_items] in place of what the form says; NULL: as it says */
    smerf_target *shared; /* the target that the values belong to, if they are not ours */
} columns_target;

static const columns_target *columns_of(const smerf_target *target) { return (const columns_target *)target; }

static void free_columns_target(smerf_target *target) {
    columns_target *columns = (columns_target *)target;
    sm_free(columns->values);
    sm_free(columns->scale);
    sm_free(columns->a);
    sm_free(columns->self);
    smerf_target_free(columns->shared);
    sm_free(columns);
}

/* A target around values [n_items][n_columns], which it takes over unless they are `shared`'s. NULL: no memory. */
static columns_target *new_columns(const sm_target_kind *kind, const double *values, smerf_target *shared,
                                   const char *const *names, size_t n_columns, size_t n_items) {
    columns_target *columns = sm_zeros(1, sizeof *columns);
    if (columns == NULL) return NULL;
    sm_target_start(&columns->head, kind, n_items, n_items);
    bool is_product = kind == &sm_target_product;
    columns->scale = sm_array(n_columns, sizeof *columns->scale);
    if (is_product) columns->a = sm_array(n_items, sizeof *columns->a);
    bool has_memory = columns->scale != NULL && (!is_product || columns->a != NULL) &&
                      sm_strings_copy(&columns->head.columns, names, n_columns);
    if (!has_memory) {
        smerf_target_free(&columns->head);
        return NULL;
    }
    for (size_t c = 0; c < n_columns; c++) columns->scale[c] = 0.5;
    for (size_t i = 0; i < n_items && is_product; i++) columns->a[i] = 0.5;
    columns->vectors =
        (sm_vectors){.n_items = n_items, .rank = n_columns, .u = values, .scale = columns->scale, .a = columns->a};
    if (shared != NULL)
        columns->shared = sm_target_retain(shared);
    else
        columns->values = (double *)values;
    return columns;
}

static smerf_status check_columns(const char *const *names, const double *const *columns, size_t n_columns,
                                  size_t n_items, smerf_error *error) {
    if (n_columns == 0 || n_items == 0) return sm_fail(error, SMERF_BAD_INPUT, "a response needs a column of numbers");
    for (size_t c = 0; c < n_columns; c++) {
        if (!sm_is_utf8(names[c])) return sm_fail(error, SMERF_BAD_INPUT, "a column name is not UTF-8 text");
        for (size_t i = 0; i < n_items; i++)
            if (!(fabs(columns[c][i]) <= largest_value))
                return sm_fail_at(error, i, c, "column '%s', item %zu: %g is not a number between -1e18 and 1e18",
                                  names[c], i, columns[c][i]);
    }
    return SMERF_OK;
}

static smerf_status make(const sm_target_kind *kind, const char *const *names, const double *const *columns,
                         size_t n_columns, size_t n_items, smerf_target **out, smerf_error *error) {
    smerf_status status = check_columns(names, columns, n_columns, n_items, error);
    if (status != SMERF_OK) return status;
    double *values = sm_array(sm_size(n_items, n_columns, 0), sizeof *values);
    columns_target *made = NULL;
    for (size_t i = 0; i < n_items && values != NULL; i++)
        for (size_t c = 0; c < n_columns; c++) values[i * n_columns + c] = columns[c][i];
    if (values != NULL) made = new_columns(kind, values, NULL, names, n_columns, n_items);
    if (made == NULL) {
        sm_free(values);
        return sm_no_memory(error, "making a target");
    }
    *out = &made->head;
    return SMERF_OK;
}

smerf_status smerf_target_new_response(const char *const *names, const double *const *columns, size_t n_columns,
                                       size_t n_items, smerf_target **out, smerf_error *error) {
    return make(&sm_target_response, names, columns, n_columns, n_items, out, error);
}

smerf_status smerf_target_new_product(const char *const *names, const double *const *columns, size_t n_columns,
                                      size_t n_items, smerf_target **out, smerf_error *error) {
    return make(&sm_target_product, names, columns, n_columns, n_items, out, error);
}

const sm_vectors *sm_columns_vectors(const smerf_target *target) { return &columns_of(target)->vectors; }

/* ---- growing ---- */

/* Items with the same numbers are all equally far apart, each from itself too, unless that is overruled. Different ones
 * are so only if self-distances are overruled, and in a response only if they are the corners of a simplex, which has
 * at most one more than there are columns. */
static bool columns_is_pure(sm_search *search, const sm_node *node) {
    const sm_vectors *vectors = sm_vectors_of(search->target);
    bool are_same = sm_vector_all_same(search->vectors, node), is_overruled = vectors->self != NULL;
    if (are_same)
        return !is_overruled ||
               sm_vectors_pair(vectors, node->items[0], node->items[1]) == vectors->self[node->items[0]];
    if (!is_overruled || (vectors->a == NULL && node->n > vectors->rank + 1)) return false;
    return sm_vector_all_equal(search->vectors, node, 0);
}

/* ---- predicting ---- */

static size_t n_columns_values(const smerf_target *target) { return target->columns.n; }

static const char *columns_value_name(const smerf_target *target, size_t value) { return target->columns.text[value]; }

static void columns_leaf_values(const smerf_target *target, const sm_leaves *leaves, size_t leaf, double *values) {
    const sm_vector_summary *summary = leaves->summary;
    size_t n = target->columns.n;
    memcpy(values, summary->mean + leaf * n, n * sizeof *values);
}

/* ---- variants and files ---- */

static bool overrule(columns_target *columns, double value) {
    columns->self = sm_array(columns->head.n_rows, sizeof *columns->self);
    for (size_t i = 0; i < columns->head.n_rows && columns->self != NULL; i++) columns->self[i] = value;
    columns->vectors.self = columns->self;
    return columns->self != NULL;
}

static smerf_status set_columns_diagonal(const smerf_target *target, double value, smerf_target **out,
                                         smerf_error *error) {
    const columns_target *parent = columns_of(target);
    const char *const *names = (const char *const *)target->columns.text;
    columns_target *columns = new_columns(target->kind, parent->vectors.u, (smerf_target *)target, names,
                                          target->columns.n, target->n_rows); /* counting owners does not change it */
    if (columns == NULL || !overrule(columns, value)) {
        if (columns != NULL) smerf_target_free(&columns->head);
        return sm_no_memory(error, "setting self-distances");
    }
    *out = &columns->head;
    return SMERF_OK;
}

static smerf_status take_columns(const smerf_target *target, const uint32_t *rows, size_t n, smerf_target **out,
                                 smerf_error *error) {
    const columns_target *parent = columns_of(target);
    const char *const *names = (const char *const *)target->columns.text;
    size_t n_columns = target->columns.n;
    columns_target *columns = NULL;
    double *values = sm_array(sm_size(n, n_columns, 0), sizeof *values);
    for (size_t k = 0; k < n && values != NULL; k++)
        memcpy(values + k * n_columns, parent->vectors.u + rows[k] * n_columns, n_columns * sizeof *values);
    if (values != NULL) columns = new_columns(target->kind, values, NULL, names, n_columns, n);
    if (columns == NULL) sm_free(values);
    if (columns == NULL || (parent->self != NULL && !overrule(columns, parent->self[0]))) {
        if (columns != NULL) smerf_target_free(&columns->head);
        return sm_no_memory(error, "taking values");
    }
    *out = &columns->head;
    return SMERF_OK;
}

static bool columns_are_equal(const smerf_target *a, const smerf_target *b) {
    const columns_target *left = columns_of(a), *right = columns_of(b);
    size_t n_numbers = a->n_rows * a->columns.n;
    if (a->n_rows != b->n_rows || !sm_strings_equal(&a->columns, &b->columns)) return false;
    if ((left->self != NULL) != (right->self != NULL)) return false;
    if (left->self != NULL && left->self[0] != right->self[0]) return false;
    for (size_t k = 0; k < n_numbers; k++)
        if (left->vectors.u[k] != right->vectors.u[k]) return false;
    return true;
}

static smerf_status save_columns(const smerf_target *target, sm_tensors *tensors, smerf_error *error) {
    const columns_target *columns = columns_of(target);
    size_t n_bytes;
    smerf_status status =
        sm_tensors_add(tensors, "target.value", SM_F64, columns->vectors.u, target->n_rows * target->columns.n, error);
    if (status != SMERF_OK) return status;
    char *names = sm_strings_pack(&target->columns, &n_bytes);
    if (names == NULL) return sm_no_memory(error, "saving a target");
    status = sm_tensors_give(tensors, "target.column", SM_U8, names, n_bytes, error);
    if (status == SMERF_OK && columns->self != NULL)
        status = sm_tensors_add(tensors, "target.self", SM_F64, columns->self, 1, error);
    return status;
}

/* NULL: the file has none. */
static smerf_status load_self(const sm_tensors *tensors, const double **self, smerf_error *error) {
    const void *data = NULL;
    smerf_status status = SMERF_OK;
    if (sm_tensors_find(tensors, "target.self") != NULL)
        status = sm_tensors_get(tensors, "target.self", SM_F64, 1, &data, error);
    *self = data;
    if (status == SMERF_OK && *self != NULL && !(fabs(**self) <= (double)FLT_MAX)) /* as the option has it */
        status = sm_fail(error, SMERF_BAD_FILE, "the model's self-distance is not a number that float32 can hold");
    return status;
}

static smerf_status load_columns(const sm_target_kind *kind, const sm_tensors *tensors, size_t n_items,
                                 smerf_target **out, smerf_error *error) {
    const double *self = NULL;
    double *values = NULL;
    columns_target *columns = NULL;
    sm_strings names = {0};
    smerf_status status = sm_target_load_columns(tensors, &names, error);
    if (status == SMERF_OK && names.n == 0)
        status = sm_fail(error, SMERF_BAD_FILE, "the model does not name the columns of its target");
    if (status == SMERF_OK) status = load_self(tensors, &self, error);
    if (status == SMERF_OK)
        status = sm_target_load_numbers(tensors, "target.value", sm_size(n_items, names.n, 0), largest_value, &values,
                                        error);
    if (status == SMERF_OK) {
        columns = new_columns(kind, values, NULL, (const char *const *)names.text, names.n, n_items);
        if (columns == NULL) sm_free(values);
        if (columns == NULL || (self != NULL && !overrule(columns, *self)))
            status = sm_no_memory(error, "loading a target");
    }
    sm_strings_free(&names);
    if (status == SMERF_OK)
        *out = &columns->head;
    else if (columns != NULL)
        smerf_target_free(&columns->head);
    return status;
}

static smerf_status load_response(const sm_tensors *tensors, size_t n_items, smerf_target **out, smerf_error *error) {
    return load_columns(&sm_target_response, tensors, n_items, out, error);
}

static smerf_status load_product(const sm_tensors *tensors, size_t n_items, smerf_target **out, smerf_error *error) {
    return load_columns(&sm_target_product, tensors, n_items, out, error);
}

#define SHARED_BY_BOTH                                                                                                 \
    SM_VECTOR_KIND, .metrics = SMERF_HAS(SMERF_RMSE) | SMERF_HAS(SMERF_SPEARMAN) | SMERF_HAS(SMERF_MAP10),             \
                    .data.free = free_columns_target, .data.with_diagonal = set_columns_diagonal,                      \
                    .data.take = take_columns, .data.equal = columns_are_equal, .data.save = save_columns

static const sm_engine columns_engine = {SM_VECTOR_ENGINE, .is_pure = columns_is_pure};

const sm_target_kind sm_target_response = {.name = "response",
                                           SHARED_BY_BOTH,
                                           .engines = {&sm_response_scanner, &columns_engine},
                                           .data.load = load_response,
                                           .values.n_values = n_columns_values,
                                           .values.value_name = columns_value_name,
                                           .values.leaf_values = columns_leaf_values,
                                           .values.bound = SM_SQUARES_BOUND};

const sm_target_kind sm_target_product = {
    .name = "product", SHARED_BY_BOTH, .engines = {&columns_engine}, .data.load = load_product};
