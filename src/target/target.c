/* target.c - the list of kinds, and what all of them have in common. */
#include "target/target.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "target/completed/completed.h"
#include "target/links/pairs.h"
#include "target/vectors/rank.h"

/* Those that a model file may hold: not triplets, on which no forest is grown. */
static const sm_target_kind *const kinds[] = {
    &sm_target_distances, &sm_target_labels, &sm_target_response, &sm_target_product,   &sm_target_absolute,
    &sm_target_graph,     &sm_target_pairs,  &sm_target_observed, &sm_target_completed, &sm_target_rank};

const sm_target_kind *sm_target_kind_find(const char *name) {
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(kinds[i]->name, name) == 0) return kinds[i];
    return NULL;
}

const sm_engine *sm_target_engine(const smerf_target *target, const sm_search_size *size) {
    const sm_engine *const *engine = target->kind->engines;
    while ((*engine)->fits != NULL && !(*engine)->fits(target, size)) engine++;
    return *engine;
}

void sm_target_start(smerf_target *target, const sm_target_kind *kind, size_t n_rows, size_t n_columns) {
    target->kind = kind;
    target->n_rows = n_rows;
    target->n_columns = n_columns;
    target->rank_fraction = target->rank_fraction_of_squares = 1;
    atomic_init(&target->n_owners, 1);
}

smerf_target *sm_target_retain(smerf_target *target) {
    atomic_fetch_add(&target->n_owners, 1);
    return target;
}

smerf_status sm_target_load_numbers(const sm_tensors *tensors, const char *name, size_t n, double largest, double **out,
                                    smerf_error *error) {
    const void *data = NULL;
    smerf_status status = sm_tensors_get(tensors, name, SM_F64, n, &data, error);
    if (status != SMERF_OK) return status;
    const double *numbers = data;
    for (size_t k = 0; k < n; k++)
        if (!(fabs(numbers[k]) <= largest))
            return sm_fail(error, SMERF_BAD_FILE, "the model's %s holds numbers that it cannot have", name);
    *out = sm_copy(numbers, n, sizeof *numbers);
    return *out != NULL ? SMERF_OK : sm_no_memory(error, "loading a target");
}

smerf_status sm_target_load_columns(const sm_tensors *tensors, sm_strings *columns, smerf_error *error) {
    const sm_tensor *found = sm_tensors_find(tensors, "target.column");
    *columns = (sm_strings){0};
    if (found == NULL) return SMERF_OK;
    const char *names = found->data;
    size_t n = 0;
    bool are_texts = found->type == SM_U8 && found->n > 0 && names[found->n - 1] == '\0';
    for (size_t k = 0; k < found->n && are_texts; k++) n += names[k] == '\0';
    if (are_texts && !sm_strings_unpack(columns, names, found->n, n)) return sm_no_memory(error, "loading a target");
    for (size_t c = 0; c < columns->n && are_texts; c++) are_texts = sm_is_utf8(columns->text[c]);
    if (are_texts) return SMERF_OK;
    sm_strings_free(columns);
    return sm_fail(error, SMERF_BAD_FILE, "the names of the model's target columns are not texts");
}

smerf_status sm_target_check_distances(const smerf_target *target, const char *who, smerf_error *error) {
    if (!sm_target_inner(target)->kind->data.has_no_distances) return SMERF_OK;
    return sm_fail(
        error, SMERF_BAD_INPUT,
        "%s needs distances, and triplets only say which of two is larger; the method that learns from triplets "
        "is mahalanobis",
        who);
}

const char *sm_target_public_name(const smerf_target *target) {
    if (target->kind == &sm_target_rank) return sm_rank_describe(target).origin->name;
    return sm_target_inner(target)->kind->name;
}

void smerf_target_free(smerf_target *target) {
    if (target == NULL || atomic_fetch_sub(&target->n_owners, 1) != 1) return;
    sm_strings_free(&target->columns);
    target->kind->data.free(target);
}

void smerf_target_note_similarities(smerf_target *target, double largest) {
    target->from_similarities = true;
    target->largest_similarity = largest;
}

void smerf_target_note_no_diagonal(smerf_target *target) { target->has_no_diagonal = true; }

void smerf_target_row(const smerf_target *target, size_t row, double *distances) {
    target->kind->data.true_row(target, row, distances);
}

unsigned smerf_target_metrics(const smerf_target *truth) { return sm_target_inner(truth)->kind->metrics; }

void sm_nodes_average(const sm_nodes *nodes, const double *leaf_mean, double *mean) {
    const sm_leaves *leaves = nodes->leaves;
    for (size_t node = 0; node < leaves->n_nodes; node++) mean[node] = 0;
    for (size_t l = 0; l < leaves->n; l++) mean[leaves->node[l]] = leaf_mean[l];
    for (size_t node = leaves->n_nodes; node-- > 1;) /* children come after their parents */
        mean[leaves->parent[node]] += nodes->fraction[node] * mean[node];
}
