/* target.c - the list of kinds, and what all of them share. */
#include "target/target.h"

#include <string.h>

static const sm_target_kind *const kinds[] = {&sm_target_distances, &sm_target_response, &sm_target_product, &sm_target_rank};

const sm_target_kind *sm_target_kind_find(const char *name) {
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(kinds[i]->name, name) == 0) return kinds[i];
    return NULL;
}

void sm_target_start(smerf_target *target, const sm_target_kind *kind, size_t n_rows, size_t n_columns) {
    target->kind = kind;
    target->n_rows = n_rows;
    target->n_columns = n_columns;
    atomic_init(&target->n_owners, 1);
}

smerf_target *sm_target_share(smerf_target *target) {
    atomic_fetch_add(&target->n_owners, 1);
    return target;
}

void smerf_target_free(smerf_target *target) {
    if (target == NULL || atomic_fetch_sub(&target->n_owners, 1) != 1) return;
    sm_strings_free(&target->columns);
    target->kind->free(target);
}

void smerf_target_note_similarities(smerf_target *target, double largest) {
    target->from_similarities = true;
    target->largest_similarity = largest;
}

unsigned smerf_target_metrics(const smerf_target *truth) { return truth->kind->metrics; }
