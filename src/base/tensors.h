/* tensors.h - named arrays and facts: what a model is made of, before it is a file and after it was one. */
#ifndef SM_BASE_TENSORS_H
#define SM_BASE_TENSORS_H

#include <string.h>

#include "base/status.h"

typedef enum sm_tensor_type { SM_U8, SM_I8, SM_U32, SM_U64, SM_F32, SM_F64 } sm_tensor_type;

#define SM_TENSOR_TYPES 6

size_t sm_tensor_type_bytes(sm_tensor_type type);
const char *sm_tensor_type_name(sm_tensor_type type); /* as in safetensors: "U8", ... */

/* An array that is put together while it is written: hands its bytes on, piece by piece, the same each time. */
typedef void (*sm_tensor_sink)(void *to, const void *bytes, size_t n_bytes);
typedef void (*sm_tensor_put)(const void *of, sm_tensor_sink sink, void *to);

typedef struct sm_tensor {
    char name[32];
    sm_tensor_type type;
    size_t n;         /* elements: all our tensors are vectors */
    const void *data; /* borrowed, unless owned */
    void *owned;
    sm_tensor_put put; /* NULL: the bytes are those of data; else what to call with data */
} sm_tensor;

typedef struct sm_tensors {
    sm_tensor *tensor;
    size_t n, capacity;
} sm_tensors;

/* Adds an array that must outlive the tensors; or hands one over that is freed with them, also on failure. */
smerf_status sm_tensors_add(sm_tensors *tensors, const char *name, sm_tensor_type type, const void *data, size_t n,
                            smerf_error *error);
smerf_status sm_tensors_give(sm_tensors *tensors, const char *name, sm_tensor_type type, void *data, size_t n,
                             smerf_error *error);

/* Adds an array of n elements that `put` will hand on. Only for writing. */
smerf_status sm_tensors_add_written(sm_tensors *tensors, const char *name, sm_tensor_type type, const void *of,
                                    size_t n, sm_tensor_put put, smerf_error *error);

/* NULL if there is none of that name. */
const sm_tensor *sm_tensors_find(const sm_tensors *tensors, const char *name);

/* The array of that name, type and length; anything else is refused as a damaged model. */
smerf_status sm_tensors_get(const sm_tensors *tensors, const char *name, sm_tensor_type type, size_t n,
                            const void **data, smerf_error *error);

void sm_tensors_free(sm_tensors *tensors);

/* ---- an array on its way to a file, a few numbers at a time: for what is put together while it is written. ---- */

typedef struct sm_pieces {
    sm_tensor_sink sink;
    void *to;
    size_t n; /* bytes that wait */
    unsigned char bytes[4096];
} sm_pieces;

/* The last ones must be flushed by whoever puts. */
static inline void sm_pieces_flush(sm_pieces *pieces) {
    pieces->sink(pieces->to, pieces->bytes, pieces->n);
    pieces->n = 0;
}

static inline void sm_pieces_put(sm_pieces *pieces, const void *value, size_t n_bytes) {
    if (pieces->n + n_bytes > sizeof pieces->bytes) sm_pieces_flush(pieces);
    memcpy(pieces->bytes + pieces->n, value, n_bytes);
    pieces->n += n_bytes;
}

static inline void sm_pieces_put_u32(sm_pieces *pieces, size_t value) {
    uint32_t number = (uint32_t)value;
    sm_pieces_put(pieces, &number, sizeof number);
}

static inline void sm_pieces_put_f64(sm_pieces *pieces, double value) { sm_pieces_put(pieces, &value, sizeof value); }

#endif
