/* labels.c - the target that is a label for each item: z = 1 if two labels differ, else 0. Making, saving and loading
 * one. Growing on it is labels_search.c, predicting from it labels_leaves.c. */
#include "target/labels/labels.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

static void free_labels(smerf_target *target) {
    sm_labels *labels = (sm_labels *)target;
    sm_one_column_end(&labels->column);
    sm_free(labels->own_class_of);
    sm_strings_free(&labels->own_classes);
    sm_free(labels);
}

/* ---- making ---- */

typedef struct named_class {
    const char *name;
    uint32_t index; /* among the classes as given */
} named_class;

static int compare_class_names(const void *a, const void *b) {
    return strcmp(((const named_class *)a)->name, ((const named_class *)b)->name);
}

static smerf_status check_codes(const uint32_t *codes, size_t n_items, size_t n_classes, smerf_error *error) {
    for (size_t i = 0; i < n_items; i++)
        if (codes[i] >= n_classes)
            return sm_fail_at(error, i, 0, "item %zu has label %u, and there are %zu classes, from 0", i, codes[i],
                              n_classes);
    return SMERF_OK;
}

static smerf_status check_class_names(const named_class *sorted, size_t n_classes, smerf_error *error) {
    for (size_t c = 0; c < n_classes; c++) {
        if (!sm_is_utf8(sorted[c].name)) return sm_fail(error, SMERF_BAD_INPUT, "a class is not UTF-8 text");
        if (c > 0 && strcmp(sorted[c - 1].name, sorted[c].name) == 0)
            return sm_fail(error, SMERF_BAD_INPUT, "the class '%s' is listed twice; classes must differ",
                           sorted[c].name);
    }
    return SMERF_OK;
}

/* Keeps the classes that occur, in the order of their names, and numbers the items' anew.
 *   sorted, new_index  [n_classes] scratch */
static smerf_status take_classes(sm_labels *labels, const uint32_t *codes, const char *const *classes, size_t n_classes,
                                 named_class *sorted, uint32_t *new_index, smerf_error *error) {
    size_t n_items = labels->column.head.n_rows, n_kept = 0;
    for (size_t c = 0; c < n_classes; c++) sorted[c] = (named_class){.name = classes[c], .index = (uint32_t)c};
    qsort(sorted, n_classes, sizeof *sorted, compare_class_names);
    smerf_status status = check_class_names(sorted, n_classes, error);
    if (status != SMERF_OK) return status;
    const char **kept = sm_array(n_classes, sizeof *kept);
    labels->own_class_of = sm_array(n_items, sizeof *labels->own_class_of);
    if (kept != NULL && labels->own_class_of != NULL) {
        for (size_t c = 0; c < n_classes; c++) new_index[c] = SMERF_MISSING;
        for (size_t i = 0; i < n_items; i++) new_index[codes[i]] = 0;
        for (size_t c = 0; c < n_classes; c++) {
            if (new_index[sorted[c].index] == SMERF_MISSING) continue;
            new_index[sorted[c].index] = (uint32_t)n_kept;
            kept[n_kept++] = sorted[c].name;
        }
        for (size_t i = 0; i < n_items; i++) labels->own_class_of[i] = new_index[codes[i]];
    }
    if (kept == NULL || labels->own_class_of == NULL || !sm_strings_copy(&labels->own_classes, kept, n_kept))
        status = sm_no_memory(error, "making a target");
    sm_free(kept);
    return status;
}

static smerf_status fill_labels(sm_labels *labels, const char *column, const uint32_t *codes, size_t n_items,
                                const char *const *classes, size_t n_classes, smerf_error *error) {
    smerf_status status = sm_one_column_start(&labels->column, &sm_target_labels, column, n_items, error);
    if (status == SMERF_OK && n_classes >= UINT32_MAX)
        status = sm_fail(error, SMERF_BAD_INPUT, "%zu classes: there must be fewer than 2^32", n_classes);
    if (status == SMERF_OK) status = check_codes(codes, n_items, n_classes, error);
    if (status != SMERF_OK) return status;
    named_class *sorted = sm_array(n_classes, sizeof *sorted);
    uint32_t *new_index = sm_array(n_classes, sizeof *new_index);
    status = sorted != NULL && new_index != NULL
                 ? take_classes(labels, codes, classes, n_classes, sorted, new_index, error)
                 : sm_no_memory(error, "making a target");
    sm_free(sorted);
    sm_free(new_index);
    labels->class_of = labels->own_class_of;
    labels->classes = &labels->own_classes;
    return status;
}

smerf_status smerf_target_new_labels(const char *column, const uint32_t *codes, size_t n_items,
                                     const char *const *classes, size_t n_classes, smerf_target **out,
                                     smerf_error *error) {
    sm_labels *labels = sm_zeros(1, sizeof *labels);
    if (labels == NULL) return sm_no_memory(error, "making a target");
    smerf_status status = fill_labels(labels, column, codes, n_items, classes, n_classes, error);
    if (status == SMERF_OK)
        *out = &labels->column.head;
    else
        smerf_target_free(&labels->column.head);
    return status;
}

/* ---- what is known ---- */

static void labels_true_row(const smerf_target *target, size_t row, double *out) {
    const uint32_t *class_of = sm_labels_of(target)->class_of;
    for (size_t j = 0; j < target->n_columns; j++) out[j] = class_of[j] != class_of[row];
    out[row] = sm_one_column_of(target)->diagonal;
}

static bool is_labels_link(double distance) { return distance == 0; }

static size_t n_labels_values(const smerf_target *target) { return sm_labels_of(target)->classes->n; }

static const char *labels_value_name(const smerf_target *target, size_t value) {
    return sm_labels_of(target)->classes->text[value];
}

/* ---- variants and files ---- */

static smerf_status set_labels_diagonal(const smerf_target *target, double value, smerf_target **out,
                                        smerf_error *error) {
    const sm_labels *parent = sm_labels_of(target);
    sm_labels *labels = sm_zeros(1, sizeof *labels);
    if (labels == NULL) return sm_no_memory(error, "setting self-distances");
    if (!sm_one_column_vary(&labels->column, target, value)) {
        smerf_target_free(&labels->column.head);
        return sm_no_memory(error, "setting self-distances");
    }
    labels->class_of = parent->class_of;
    labels->classes = parent->classes;
    *out = &labels->column.head;
    return SMERF_OK;
}

/* Classes that no longer occur are not known any more, as if the others had been all there were. */
static smerf_status take_labels(const smerf_target *target, const uint32_t *rows, size_t n, smerf_target **out,
                                smerf_error *error) {
    const sm_labels *parent = sm_labels_of(target);
    uint32_t *codes = sm_array(n, sizeof *codes);
    if (codes == NULL) return sm_no_memory(error, "taking labels");
    for (size_t k = 0; k < n; k++) codes[k] = parent->class_of[rows[k]];
    smerf_status status =
        smerf_target_new_labels(sm_one_column_name(&parent->column), codes, n,
                                (const char *const *)parent->classes->text, parent->classes->n, out, error);
    sm_free(codes);
    if (status == SMERF_OK) ((sm_one_column *)*out)->diagonal = parent->column.diagonal;
    return status;
}

static bool labels_are_equal(const smerf_target *a, const smerf_target *b) {
    const sm_labels *left = sm_labels_of(a), *right = sm_labels_of(b);
    return sm_one_column_equal(&left->column, &right->column) && sm_strings_equal(left->classes, right->classes) &&
           memcmp(left->class_of, right->class_of, a->n_rows * sizeof *left->class_of) == 0;
}

static smerf_status save_labels(const smerf_target *target, sm_tensors *tensors, smerf_error *error) {
    const sm_labels *labels = sm_labels_of(target);
    size_t n_bytes;
    char *names = sm_strings_pack(labels->classes, &n_bytes);
    if (names == NULL) return sm_no_memory(error, "saving a target");
    smerf_status status = sm_tensors_give(tensors, "target.class", SM_U8, names, n_bytes, error);
    if (status == SMERF_OK)
        status = sm_tensors_add(tensors, "target.label", SM_U32, labels->class_of, target->n_rows, error);
    return status == SMERF_OK ? sm_one_column_save(&labels->column, tensors, error) : status;
}

static smerf_status load_classes(sm_labels *labels, const sm_tensors *tensors, smerf_error *error) {
    const sm_tensor *names = sm_tensors_find(tensors, "target.class");
    const char *block = names != NULL ? names->data : NULL;
    if (names == NULL || names->type != SM_U8 || names->n == 0 || block[names->n - 1] != '\0')
        return sm_fail(error, SMERF_BAD_FILE, "the model does not name the classes of its labels");
    size_t n_classes = 0;
    for (size_t k = 0; k < names->n; k++) n_classes += block[k] == '\0';
    sm_strings *classes = &labels->own_classes;
    if (!sm_strings_unpack(classes, block, names->n, n_classes)) return sm_no_memory(error, "loading labels");
    for (size_t c = 0; c < n_classes; c++)
        if (!sm_is_utf8(classes->text[c]) || (c > 0 && strcmp(classes->text[c - 1], classes->text[c]) >= 0))
            return sm_fail(error, SMERF_BAD_FILE, "the classes of the model's labels are not texts in bytewise order");
    return SMERF_OK;
}

static smerf_status load_codes(sm_labels *labels, const sm_tensors *tensors, size_t n_items, smerf_error *error) {
    const void *data = NULL;
    smerf_status status = sm_tensors_get(tensors, "target.label", SM_U32, n_items, &data, error);
    if (status != SMERF_OK) return status;
    labels->own_class_of = sm_copy(data, n_items, sizeof *labels->own_class_of);
    if (labels->own_class_of == NULL) return sm_no_memory(error, "loading labels");
    for (size_t i = 0; i < n_items; i++)
        if (labels->own_class_of[i] >= labels->own_classes.n)
            return sm_fail(error, SMERF_BAD_FILE, "a label of the model is of class %u, and there are %zu",
                           labels->own_class_of[i], labels->own_classes.n);
    return SMERF_OK;
}

static smerf_status load_labels(const sm_tensors *tensors, size_t n_items, smerf_target **out, smerf_error *error) {
    sm_labels *labels = sm_zeros(1, sizeof *labels);
    if (labels == NULL) return sm_no_memory(error, "loading labels");
    smerf_status status = sm_one_column_load(&labels->column, &sm_target_labels, tensors, n_items, error);
    if (status == SMERF_OK) status = load_classes(labels, tensors, error);
    if (status == SMERF_OK) status = load_codes(labels, tensors, n_items, error);
    labels->class_of = labels->own_class_of;
    labels->classes = &labels->own_classes;
    if (status == SMERF_OK)
        *out = &labels->column.head;
    else
        smerf_target_free(&labels->column.head);
    return status;
}

const sm_target_kind sm_target_labels = {
    .name = "labels",
    .metrics = SMERF_HAS(SMERF_RMSE) | SMERF_HAS(SMERF_SPEARMAN) | SMERF_HAS(SMERF_MAP10) | SMERF_HAS(SMERF_AUC_ROC) |
               SMERF_HAS(SMERF_AUC_PR),
    .data.free = free_labels,
    .engines = {&sm_labels_scanner, &sm_labels_engine},
    .predicting.summary_bytes = sm_labels_summary_bytes,
    .predicting.summarise = sm_labels_summarise,
    .predicting.summary_free = sm_labels_summary_free,
    .predicting.leaf_row = sm_labels_leaf_row,
    .predicting.n_block_numbers = sm_labels_n_block_numbers,
    .predicting.leaf_block = sm_labels_leaf_block,
    .predicting.leaf_codes = sm_labels_leaf_codes,
    .predicting.leaf_pair = sm_labels_leaf_pair,
    .predicting.mean_apart = sm_labels_mean_apart,
    .explaining.node_bytes = sm_labels_node_bytes,
    .explaining.summarise_nodes = sm_labels_summarise_nodes,
    .explaining.nodes_free = sm_labels_nodes_free,
    .explaining.path_means = sm_labels_path_means,
    .values.n_values = n_labels_values,
    .values.value_name = labels_value_name,
    .values.leaf_values = sm_labels_leaf_values,
    .values.bound = SM_FRACTIONS_BOUND,
    .values.n_coordinates = sm_labels_n_coordinates,
    .values.leaf_point = sm_labels_leaf_point,
    .data.true_row = labels_true_row,
    .data.is_link = is_labels_link,
    .data.with_diagonal = set_labels_diagonal,
    .data.take = take_labels,
    .data.equal = labels_are_equal,
    .data.save = save_labels,
    .data.load = load_labels,
};
