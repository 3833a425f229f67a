/* tensors.c - a list of named arrays, found by name and checked by type and length: see tensors.h. */
#include "base/tensors.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"

static const struct {
    const char *name;
    size_t n_bytes;
} types[SM_TENSOR_TYPES] = {[SM_U8] = {"U8", 1},   [SM_I8] = {"I8", 1},   [SM_U32] = {"U32", 4},
                            [SM_U64] = {"U64", 8}, [SM_F32] = {"F32", 4}, [SM_F64] = {"F64", 8}};

size_t sm_tensor_type_bytes(sm_tensor_type type) { return types[type].n_bytes; }
const char *sm_tensor_type_name(sm_tensor_type type) { return types[type].name; }

smerf_status sm_tensors_add(sm_tensors *tensors, const char *name, sm_tensor_type type, const void *data, size_t n,
                            smerf_error *error) {
    if (!sm_grow((void **)&tensors->tensor, &tensors->capacity, tensors->n + 1, sizeof *tensors->tensor))
        return sm_no_memory(error, "listing a model's arrays");
    sm_tensor *tensor = &tensors->tensor[tensors->n++];
    *tensor = (sm_tensor){.type = type, .n = n, .data = data};
    snprintf(tensor->name, sizeof tensor->name, "%s", name);
    return SMERF_OK;
}

smerf_status sm_tensors_give(sm_tensors *tensors, const char *name, sm_tensor_type type, void *data, size_t n,
                             smerf_error *error) {
    smerf_status status = sm_tensors_add(tensors, name, type, data, n, error);
    if (status == SMERF_OK)
        tensors->tensor[tensors->n - 1].owned = data;
    else
        sm_free(data);
    return status;
}

smerf_status sm_tensors_add_written(sm_tensors *tensors, const char *name, sm_tensor_type type, const void *of,
                                    size_t n, sm_tensor_put put, smerf_error *error) {
    smerf_status status = sm_tensors_add(tensors, name, type, of, n, error);
    if (status == SMERF_OK) tensors->tensor[tensors->n - 1].put = put;
    return status;
}

const sm_tensor *sm_tensors_find(const sm_tensors *tensors, const char *name) {
    for (size_t i = 0; i < tensors->n; i++)
        if (strcmp(tensors->tensor[i].name, name) == 0) return &tensors->tensor[i];
    return NULL;
}

smerf_status sm_tensors_get(const sm_tensors *tensors, const char *name, sm_tensor_type type, size_t n,
                            const void **data, smerf_error *error) {
    const sm_tensor *tensor = sm_tensors_find(tensors, name);
    if (tensor == NULL) return sm_fail(error, SMERF_BAD_FILE, "the model has no array '%s'", name);
    if (tensor->type != type || tensor->n != n)
        return sm_fail(error, SMERF_BAD_FILE, "the model's array '%s' is %s[%zu] and should be %s[%zu]", name,
                       sm_tensor_type_name(tensor->type), tensor->n, sm_tensor_type_name(type), n);
    *data = tensor->data;
    return SMERF_OK;
}

void sm_tensors_free(sm_tensors *tensors) {
    for (size_t i = 0; i < tensors->n; i++) sm_free(tensors->tensor[i].owned);
    sm_free(tensors->tensor);
    *tensors = (sm_tensors){0};
}
