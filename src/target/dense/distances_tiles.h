/* distances_tiles.h - the upper triangle of a node of a dense matrix, a tile at a time: a band of rows and a chunk of
 * columns. Tiles come span by span of columns, and there band by band, so that what is summed over a span stays in the
 * cache. */
#ifndef SM_TARGET_DISTANCES_TILES_H
#define SM_TARGET_DISTANCES_TILES_H

#include "target/dense/distances_rows.h"

/* Chunks of a span of columns. */
enum { SM_SPAN = 8 };

/* A row of a chunk, with what a pick may write more, in whole lines of the cache. */
enum { SM_COPY_ROOM = SM_CHUNK + 16 };

static inline size_t sm_n_chunks(size_t n) { return (n + SM_CHUNK - 1) / SM_CHUNK; }

/* Room for the rows of a tile that cannot be read in place. */
typedef struct sm_tile_scratch {
    float *copied; /* [SM_TILE_ROWS][SM_COPY_ROOM] */
    float *zeros;  /* [SM_CHUNK] what rows after the last one hold */
} sm_tile_scratch;

void sm_tile_scratch_start(sm_tile_scratch *room, sm_arena *arena);

typedef struct sm_tile_place {
    size_t band, n_rows, chunk;
    size_t from, end, to; /* columns of the chunk, from the diagonal on; all but the padding end at `end` */
} sm_tile_place;

/* Columns of a tile, and where its rows lie there; 0 for pairs that do not count. */
typedef struct sm_tile_piece {
    const float *const *z; /* [SM_TILE_ROWS] */
    size_t from, to;
} sm_tile_piece;

typedef struct sm_tiles {
    const sm_node_rows *rows;
    const sm_node *node;
    sm_tile_scratch room;
    bool are_in_place;
    const float *copied[SM_TILE_ROWS]; /* where copies are, */
    const float *in_place[2][SM_TILE_ROWS], **z,
        **z_ahead; /* and where the rows lie of this tile and of the next one */

    /* The tile that is looked at, and the next one, without rows after the last. */
    sm_tile_place at, next;
    bool starts_band, ends_band, ends_span; /* a band is gone through once a span */
    sm_tile_piece pieces[3];                /* on the diagonal, in place, beside padding: those that there are */
    size_t n_pieces;
} sm_tiles;

void sm_tiles_start(sm_tiles *tiles, const sm_node_rows *rows, const sm_node *node, const sm_tile_scratch *room);

/* Turns to the next tile; false: that was the last. */
bool sm_tiles_next(sm_tiles *tiles);

static inline size_t sm_tiles_strips(const sm_tiles *tiles) {
    return (tiles->at.n_rows + SM_BAND_ROWS - 1) / SM_BAND_ROWS;
}

/* What kernels ask of a tile, all but the orders; rows of the next one are fetched meanwhile, if they are in place. */
void sm_tiles_frame(const sm_tiles *tiles, sm_tile_frame *frame);

#endif
