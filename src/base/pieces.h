/* pieces.h - an array on its way to a file, a few numbers at a time: for what is put together while it is written. */
#ifndef SM_BASE_PIECES_H
#define SM_BASE_PIECES_H

#include <string.h>

#include "base/tensors.h"

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
