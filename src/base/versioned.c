/* versioned.c - the structs of smerf.h that begin with their size, and how each is read and filled: see versioned.h. */
#include "base/versioned.h"

#include <string.h>

/* No struct will ever be larger: such a size is memory that nobody has initialised. */
enum { ABSURD_SIZE = 1 << 16 };

static smerf_status check_struct_size(const sm_struct *type, const void *given, size_t size, smerf_error *error) {
    if (size < type->first || size > ABSURD_SIZE)
        return sm_fail(
            error, SMERF_BAD_INPUT,
            "%s: its size is %zu and should be %zu: begin with SMERF_INIT(%s), or with its _default function",
            type->name, size, type->size, type->name);
    for (size_t i = type->size; i < size; i++)
        if (((const unsigned char *)given)[i] != 0)
            return sm_fail(error, SMERF_BAD_INPUT,
                           "%s: it was made for a newer smerf: this is version %s, which does not know all that is set",
                           type->name, smerf_version());
    return SMERF_OK;
}

smerf_status sm_struct_read(const sm_struct *type, const void *given, void *full, smerf_error *error) {
    if (given == NULL) return sm_fail(error, SMERF_BAD_INPUT, "%s: it is NULL", type->name);
    size_t size;
    memcpy(&size, given, sizeof size);
    smerf_status status = check_struct_size(type, given, size, error);
    if (status != SMERF_OK) return status;
    memcpy(full, given, size < type->size ? size : type->size);
    memcpy(full, &type->size, sizeof type->size);
    return SMERF_OK;
}

void sm_struct_write(const sm_struct *type, const void *full, void *given) {
    size_t size;
    memcpy(&size, given, sizeof size);
    if (size > type->size) size = type->size;
    memcpy((char *)given + sizeof size, (const char *)full + sizeof size, size - sizeof size);
}

void sm_struct_fill(const sm_struct *type, const void *full, void *given, size_t size) {
    bool is_size = size >= type->first && size <= ABSURD_SIZE;
    size_t written = is_size ? size : 0;
    memcpy(given, &written, sizeof written);
    if (!is_size) return;
    memset((char *)given + sizeof size, 0, size - sizeof size);
    sm_struct_write(type, full, given);
}
