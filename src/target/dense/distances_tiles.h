/* distances_tiles.h - how a node of a dense matrix is read while a tree is grown: where its rows lie, and the upper triangle a tile
 * at a time, a band of rows and a chunk of columns. Tiles come span by span of columns, and there band by band, so that what is
 * summed over a span stays in the cache. */
#ifndef SM_TARGET_DISTANCES_TILES_H
#define SM_TARGET_DISTANCES_TILES_H

#include "base/memory.h"
#include "target/dense/distances.h"

/* ---- rows ---- */

enum { SM_MOST_BLOCKS = 64 };

/* How much of the memory that is left one block may take: the rest is for those below it. */
#define SM_BLOCK_FRACTION 0.6

/* Only z_ij with i < j is looked at. */
typedef struct sm_block {
    const float *z; /* [n][n], or row after row from the diagonal on */
    size_t n;
    bool is_triangle;
} sm_block;

/* Column 0 of a row, or where it would be. */
static inline const float *sm_block_row(const sm_block *block, size_t i) {
    return block->z + i * block->n - (block->is_triangle ? i * (i + 1) / 2 : 0);
}

static inline size_t sm_triangle(size_t n) { return n * (n + 1) / 2; }

typedef struct sm_node_rows {
    void (*pick)(const float *from, const float *ahead, const sm_pick *picks, size_t n_picks, float *out);
    sm_block blocks[SM_MOST_BLOCKS]; /* 0 is Z itself */
    size_t n_blocks;
    float *pool;                 /* where the other blocks lie, one after the other */
    size_t pool_size, pool_used; /* in floats */
    size_t view;                 /* the block of the node entered last */
    uint32_t *index_in_block;    /* by item, for items in a block other than Z */
    uint32_t *in_block;          /* [n_items] of the node's items in their block */
    sm_pick *picks;              /* [n_items] that take the node's columns from a row of the block */
    size_t *first_pick;          /* [chunks + 1] */
} sm_node_rows;

/*   n_items      the most items of a node
 *   pool_floats  the most that blocks may take */
void sm_node_rows_start(sm_node_rows *rows, sm_arena *arena, const sm_distances *distances,
                        const sm_dense_kernels *kernels, size_t n_items, size_t pool_floats);

/* See sm_engine.enter. */
size_t sm_node_rows_enter(sm_node_rows *rows, const sm_node *node, size_t view);

/* Whether the node's items are all those of its block, so that its rows can be read where they lie. */
static inline bool sm_node_rows_are_in_place(const sm_node_rows *rows, const sm_node *node) {
    return rows->blocks[rows->view].n == node->n;
}

/* Column 0 of a chunk in row k, in place; there is something from the diagonal on. */
static inline const float *sm_node_rows_at(const sm_node_rows *rows, size_t k, size_t chunk) {
    return sm_block_row(&rows->blocks[rows->view], k) + chunk * SM_CHUNK;
}

/* Copies z_kj of the node for the columns j of a chunk, of which those after k count, if they are not in place.
 *   k_ahead, chunk_ahead  what will be read soon: it is prefetched
 *   scratch                  [SM_CHUNK + SM_PICK_SLACK] */
void sm_node_rows_pick(const sm_node_rows *rows, size_t k, size_t chunk, size_t k_ahead, size_t chunk_ahead,
                       float *scratch);

/* One distance between node indices k < j of the node. */
static inline double sm_node_rows_pair(const sm_node_rows *rows, size_t k, size_t j) {
    return (double)sm_block_row(&rows->blocks[rows->view], rows->in_block[k])[rows->in_block[j]];
}

/* ---- tiles ---- */

/* Chunks of a span of columns. */
enum { SM_SPAN = 8 };

/* A row of a chunk, with what a pick may write more, in whole lines of the cache. */
enum { SM_COPY_WIDTH = SM_CHUNK + 16 };

static inline size_t sm_n_chunks(size_t n) { return (n + SM_CHUNK - 1) / SM_CHUNK; }

/* Scratch for the rows of a tile that cannot be read in place. */
typedef struct sm_tile_scratch {
    float *copied; /* [SM_TILE_ROWS][SM_COPY_WIDTH] */
    float *zeros;  /* [SM_CHUNK] what rows after the last one hold */
} sm_tile_scratch;

void sm_tile_scratch_start(sm_tile_scratch *scratch, sm_arena *arena);

typedef struct sm_tile_position {
    size_t band, n_rows, chunk;
    size_t from, end, to; /* columns of the chunk, from the diagonal on; all but the padding end at `end` */
} sm_tile_position;

/* Columns of a tile, and where its rows lie there; 0 for pairs that do not count. */
typedef struct sm_tile_piece {
    const float *const *z; /* [SM_TILE_ROWS] */
    size_t from, to;
} sm_tile_piece;

typedef struct sm_tiles {
    const sm_node_rows *rows;
    const sm_node *node;
    sm_tile_scratch scratch;
    bool are_in_place;
    const float *copied[SM_TILE_ROWS]; /* where copies are, */
    const float *in_place[2][SM_TILE_ROWS], **z,
        **z_ahead; /* and where the rows lie of this tile and of the next one */

    /* The tile that is looked at, and the next one, without rows after the last. */
    sm_tile_position at, next;
    bool starts_band, ends_band, ends_span; /* a band is gone through once a span */
    sm_tile_piece pieces[3];                /* on the diagonal, in place, beside padding: those that there are */
    size_t n_pieces;
} sm_tiles;

void sm_tiles_start(sm_tiles *tiles, const sm_node_rows *rows, const sm_node *node, const sm_tile_scratch *scratch);

/* Turns to the next tile; false: that was the last. */
bool sm_tiles_next(sm_tiles *tiles);

static inline size_t sm_tiles_n_bands(const sm_tiles *tiles) {
    return (tiles->at.n_rows + SM_BAND_ROWS - 1) / SM_BAND_ROWS;
}

/* What kernels ask of a tile, all but the orders; rows of the next one are fetched meanwhile, if they are in place. */
void sm_tiles_frame(const sm_tiles *tiles, sm_tile_frame *frame);

#endif
