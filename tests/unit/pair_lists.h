/* pair_lists.h - for tests of targets that are lists of pairs: lists that make no sense, and arrays that no file should
 * hold. */
#ifndef TESTS_UNIT_PAIR_LISTS_H
#define TESTS_UNIT_PAIR_LISTS_H

#include "tests/unit/sparse.h"

#include "base/tensors.h"

typedef smerf_status (*list_maker)(const smerf_pair_list *list, size_t n, smerf_target **out, smerf_error *error);

/* With a sentence that holds these words, and the entry that is to blame. */
static inline void assert_refused(list_maker make, const listed *pairs, size_t n, size_t row, const char *words) {
    smerf_target *target = NULL;
    smerf_error error = {0};
    assert_int_equal(make(&pairs->list, n, &target, &error), SMERF_BAD_INPUT);
    assert_null(target);
    assert_int_equal(error.row, row);
    if (strstr(error.message, words) == NULL) fail_msg("said \"%s\" and not \"%s\"", error.message, words);
}

/* An array of a model file. */
typedef struct stored {
    const char *name;
    sm_tensor_type type;
    const void *data;
    size_t n;
} stored;

/* What a kind makes of such arrays for n_items. */
static inline smerf_status load_stored(const sm_target_kind *kind, size_t n_items, const stored *arrays,
                                       size_t n_arrays, smerf_target **out) {
    sm_tensors tensors = {0};
    smerf_error error;
    for (size_t k = 0; k < n_arrays; k++) {
        const stored *array = &arrays[k];
        demand_ok(sm_tensors_add(&tensors, array->name, array->type, array->data, array->n, &error), &error);
    }
    smerf_status status = kind->data.load(&tensors, n_items, out, &error);
    sm_tensors_free(&tensors);
    return status;
}

#endif
