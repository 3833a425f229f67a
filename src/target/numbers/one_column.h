/* one_column.h - what targets have in common that are taken from one column of the items: its name, and one distance of every
 * item to itself. */
#ifndef SM_TARGET_ONE_COLUMN_H
#define SM_TARGET_ONE_COLUMN_H

#include "target/target.h"

/* Each kind's own struct starts with it. */
typedef struct sm_one_column {
    smerf_target head;    /* its columns: the name, or none */
    double diagonal;      /* z_ii */
    smerf_target *shared; /* the target that the column belongs to, if it is not ours */
} sm_one_column;

static inline const sm_one_column *sm_one_column_of(const smerf_target *target) {
    return (const sm_one_column *)target;
}

/* Fills one that is filled with zeros; after that it is freed with smerf_target_free, also if this failed.
 *   name  NULL: it has none */
smerf_status sm_one_column_start(sm_one_column *column, const sm_target_kind *kind, const char *name, size_t n_items,
                                 smerf_error *error);

/* The same for a variant of a target with another diagonal, which keeps the target alive. False: no memory. */
bool sm_one_column_vary(sm_one_column *column, const smerf_target *target, double diagonal);

/* The column's name, or NULL. */
const char *sm_one_column_name(const sm_one_column *column);

/* Drops what it owns, all but the head. */
void sm_one_column_end(sm_one_column *column);

bool sm_one_column_equal(const sm_one_column *a, const sm_one_column *b);

/* The name as target.column, and the diagonal as target.diagonal, where there is one. Loading fills one as above. */
smerf_status sm_one_column_save(const sm_one_column *column, sm_tensors *tensors, smerf_error *error);
smerf_status sm_one_column_load(sm_one_column *column, const sm_target_kind *kind, const sm_tensors *tensors,
                                size_t n_items, smerf_error *error);

#endif
