/* distances_tiles.c - see distances_tiles.h.
 *
 * Rows of a node are picked from Z, or from a block: a compact copy of the upper triangle of a node, made when it is at
 * most half as large as that of the block it would read from. Blocks lie on a stack, freed when their subtree is done;
 * none takes all of the memory that is left, so that there is always some for those below. A copy holds the
 * same numbers, so no result depends on it. As a node's items are in ascending order, picking runs forward, and takes
 * what it can of eight neighbours at a time.
 *
 * Of a tile only what lies on the diagonal or beside padding is copied, if all else can be read in place. */
#include "target/dense/distances_tiles.h"

#include <string.h>

/* ---- rows ---- */

enum { SMALLEST_BLOCK = 32, NEIGHBOURS = 8 };

void sm_node_rows_start(sm_node_rows *rows, sm_arena *arena, const sm_distances *distances,
                        const sm_dense_kernels *kernels, size_t n_items, size_t pool_floats) {
    size_t n_all = distances->head.n_rows;
    *rows = (sm_node_rows){.n_blocks = 1, .pool_size = pool_floats};
    rows->pick = n_all < NEIGHBOURS ? sm_kernels_scalar.dense->pick : kernels->pick;
    rows->blocks[0] = (sm_block){.z = distances->z, .n = n_all};
    rows->pool = sm_arena_take_whole(arena, pool_floats + SM_PICK_SLACK, sizeof *rows->pool);
    rows->index_in_block = sm_arena_take(arena, n_all, sizeof *rows->index_in_block);
    rows->in_block = sm_arena_take(arena, n_items, sizeof *rows->in_block);
    rows->picks = sm_arena_take(arena, n_items, sizeof *rows->picks);
    rows->first_pick = sm_arena_take(arena, n_items / SM_CHUNK + 2, sizeof *rows->first_pick);
}

/* Picks that take the node's columns, chunk by chunk. */
static void plan_picks(sm_node_rows *rows, size_t n) {
    size_t n_all = rows->blocks[rows->view].n, n_picks = 0, chunk = 0;
    uint32_t last = n_all < NEIGHBOURS ? 0 : (uint32_t)(n_all - NEIGHBOURS);
    sm_pick *pick = NULL;
    for (size_t j = 0; j < n; j++) {
        uint32_t index = rows->in_block[j];
        if (j % SM_CHUNK == 0) {
            rows->first_pick[chunk++] = n_picks;
            pick = NULL;
        }
        if (pick == NULL || index >= pick->first + NEIGHBOURS) {
            pick = &rows->picks[n_picks++];
            *pick = (sm_pick){.first = index < last ? index : last}; /* never past the end of a row */
        }
        pick->offset[pick->n++] = (uint8_t)(index - pick->first);
    }
    rows->first_pick[chunk] = n_picks;
}

static const float *block_row(const sm_node_rows *rows, size_t k) {
    return sm_block_row(&rows->blocks[rows->view], rows->in_block[k]);
}

/* The picks of a chunk, as far as the node's columns have such. */
static const sm_pick *picks_of(const sm_node_rows *rows, size_t chunk) { return rows->picks + rows->first_pick[chunk]; }

/* Copies the node's distances into a block of their own. */
static void push_block(sm_node_rows *rows, const sm_node *node) {
    size_t n = node->n, n_chunks = (n + SM_CHUNK - 1) / SM_CHUNK;
    const sm_pick *end = picks_of(rows, n_chunks);
    float *copy = rows->pool + rows->pool_used, *to = copy, scratch[SM_CHUNK + SM_PICK_SLACK];
    for (size_t k = 0; k < n; k++) {
        const float *row = block_row(rows, k), *ahead = block_row(rows, k + 1 < n ? k + 1 : k);
        size_t chunk = k / SM_CHUNK, skipped = k % SM_CHUNK;
        size_t width = chunk + 1 < n_chunks ? SM_CHUNK : n - chunk * SM_CHUNK;
        const sm_pick *first = picks_of(rows, chunk), *next = picks_of(rows, chunk + 1);
        rows->pick(row, ahead, first, (size_t)(next - first), scratch); /* before the diagonal lie other rows */
        memcpy(to, scratch + skipped, (width - skipped) * sizeof *to);
        rows->pick(row, ahead, next, (size_t)(end - next), to + width - skipped);
        to += n - k;
    }
    for (size_t k = 0; k < n; k++) {
        rows->index_in_block[node->items[k]] = (uint32_t)k;
        rows->in_block[k] = (uint32_t)k;
    }
    rows->pool_used += sm_triangle(n);
    rows->view = rows->n_blocks++;
    rows->blocks[rows->view] = (sm_block){.z = copy, .n = n, .is_triangle = true};
}

size_t sm_node_rows_enter(sm_node_rows *rows, const sm_node *node, size_t view) {
    size_t n = node->n, n_above = rows->blocks[view].n;
    while (rows->n_blocks > view + 1) /* done with: depth first */
        rows->pool_used -= sm_triangle(rows->blocks[--rows->n_blocks].n);
    rows->view = view;
    for (size_t k = 0; k < n; k++)
        rows->in_block[k] = view == 0 ? node->items[k] : rows->index_in_block[node->items[k]];
    if (n == n_above) return view;
    plan_picks(rows, n);
    bool is_worth_it = n > SMALLEST_BLOCK && 2 * n * n <= n_above * n_above;
    double available = SM_BLOCK_FRACTION * (double)(rows->pool_size - rows->pool_used);
    if (is_worth_it && rows->n_blocks < SM_MOST_BLOCKS && (double)sm_triangle(n) <= available) push_block(rows, node);
    return rows->view;
}

void sm_node_rows_pick(const sm_node_rows *rows, size_t k, size_t chunk, size_t k_ahead, size_t chunk_ahead,
                       float *scratch) {
    const sm_pick *picks = picks_of(rows, chunk), *end = picks_of(rows, chunk + 1);
    ptrdiff_t step = (ptrdiff_t)picks_of(rows, chunk_ahead)->first - (ptrdiff_t)picks->first;
    rows->pick(block_row(rows, k), block_row(rows, k_ahead) + step, picks, (size_t)(end - picks), scratch);
}

/* ---- tiles ---- */

void sm_tile_scratch_start(sm_tile_scratch *scratch, sm_arena *arena) {
    scratch->copied = sm_arena_take(arena, SM_TILE_ROWS * SM_COPY_WIDTH, sizeof *scratch->copied);
    scratch->zeros = sm_arena_take_zeros(arena, SM_CHUNK, sizeof *scratch->zeros);
}

/* ---- where tiles lie ---- */

static sm_tile_position position_at(const sm_node *node, size_t band, size_t chunk) {
    size_t first = chunk * SM_CHUNK, rest = node->n - first, n_rows = node->n - band;
    return (sm_tile_position){.band = band,
                              .n_rows = n_rows < SM_TILE_ROWS ? n_rows : SM_TILE_ROWS,
                              .chunk = chunk,
                              .from = band > first ? band - first : 0,
                              .end = rest < SM_CHUNK ? rest : SM_CHUNK,
                              .to = rest < SM_CHUNK ? sm_padded(rest) : SM_CHUNK};
}

static sm_tile_position position_after(const sm_node *node, const sm_tile_position *at) {
    size_t n_chunks = sm_n_chunks(node->n), band = at->band, chunk = at->chunk + 1;
    size_t span = at->chunk / SM_SPAN * SM_SPAN, end = span + SM_SPAN < n_chunks ? span + SM_SPAN : n_chunks;
    if (chunk < end) return position_at(node, band, chunk);
    band += SM_TILE_ROWS;
    chunk = band / SM_CHUNK > span ? band / SM_CHUNK : span; /* those before it are left of the diagonal */
    if (band < node->n && chunk < end) return position_at(node, band, chunk);
    return end < n_chunks ? position_at(node, 0, end) : (sm_tile_position){.n_rows = 0};
}

static bool is_on_diagonal(const sm_tile_position *at) { return at->band >= at->chunk * SM_CHUNK; }

/* ---- their rows ---- */

static float *copy_of(const sm_tiles *tiles, size_t r) { return tiles->scratch.copied + r * SM_COPY_WIDTH; }

static void add_piece(sm_tiles *tiles, const float *const *z, size_t from, size_t to) {
    tiles->pieces[tiles->n_pieces++] = (sm_tile_piece){.z = z, .from = from, .to = to};
}

/* Copies the first columns of a tile on the diagonal; returns where they end. */
static size_t copy_diagonal(const sm_tiles *tiles) {
    const sm_tile_position *at = &tiles->at;
    size_t to = at->from + SM_TILE_ROWS < at->to ? at->from + SM_TILE_ROWS : at->to;
    for (size_t r = 0; r < at->n_rows; r++) {
        float *copy = copy_of(tiles, r);
        for (size_t j = at->from; j < to; j++) copy[j] = 0;
        for (size_t j = at->from + r + 1; j < to && j < at->end; j++) copy[j] = tiles->z[r][j];
    }
    return to;
}

/* Copies the last columns of a tile, which share a lane with padding. */
static void copy_end(const sm_tiles *tiles, size_t from) {
    const sm_tile_position *at = &tiles->at;
    for (size_t r = 0; r < at->n_rows; r++)
        for (size_t j = from; j < at->to; j++) copy_of(tiles, r)[j] = j < at->end ? tiles->z[r][j] : 0;
}

static void pick_rows(sm_tiles *tiles) {
    const sm_tile_position *at = &tiles->at, *ahead = tiles->next.n_rows > 0 ? &tiles->next : at;
    for (size_t r = 0; r < at->n_rows; r++) {
        float *copy = copy_of(tiles, r);
        size_t r_ahead = r < ahead->n_rows ? r : 0;
        sm_node_rows_pick(tiles->rows, at->band + r, at->chunk, ahead->band + r_ahead, ahead->chunk, copy);
        for (size_t j = at->from; is_on_diagonal(at) && j < at->to && j <= at->from + r; j++) copy[j] = 0;
        for (size_t j = at->end; j < at->to; j++) copy[j] = 0;
    }
    add_piece(tiles, tiles->copied, at->from, at->to);
}

static void divide(sm_tiles *tiles) {
    const sm_tile_position *at = &tiles->at;
    size_t left = at->from, right = at->end / SM_APPROXIMATE_LANES * SM_APPROXIMATE_LANES;
    if (is_on_diagonal(at)) {
        left = copy_diagonal(tiles);
        add_piece(tiles, tiles->copied, at->from, left);
    }
    if (left < right) add_piece(tiles, tiles->z, left, right);
    if (left > right) right = left;
    if (right == at->to) return;
    copy_end(tiles, right);
    add_piece(tiles, tiles->copied, right, at->to);
}

/* Where the rows of a tile lie that are read in place: beside those of the tile before, or in another band. */
static void find_rows(const sm_tiles *tiles, const sm_tile_position *at, const float *const *before, const float **z) {
    for (size_t r = 0; r < SM_TILE_ROWS; r++)
        if (r >= at->n_rows)
            z[r] = tiles->scratch.zeros;
        else
            z[r] = before != NULL ? before[r] + SM_CHUNK : sm_node_rows_at(tiles->rows, at->band + r, at->chunk);
}

/* ---- one after the other ---- */

void sm_tiles_start(sm_tiles *tiles, const sm_node_rows *rows, const sm_node *node, const sm_tile_scratch *scratch) {
    tiles->rows = rows;
    tiles->node = node;
    tiles->scratch = *scratch;
    tiles->are_in_place = sm_node_rows_are_in_place(rows, node);
    tiles->next = position_at(node, 0, 0);
    tiles->ends_band = true;
    tiles->z = tiles->in_place[0];
    tiles->z_ahead = tiles->in_place[1];
    if (tiles->are_in_place) find_rows(tiles, &tiles->next, NULL, tiles->z_ahead);
}

bool sm_tiles_next(sm_tiles *tiles) {
    sm_tile_position *at = &tiles->at, *next = &tiles->next;
    const float **z = tiles->z;
    tiles->z = tiles->z_ahead;
    tiles->z_ahead = z;
    tiles->starts_band = tiles->ends_band;
    *at = *next;
    if (at->n_rows == 0) return false;
    *next = position_after(tiles->node, at);
    tiles->ends_span = next->n_rows == 0 || next->chunk / SM_SPAN != at->chunk / SM_SPAN;
    tiles->ends_band = tiles->ends_span || next->band != at->band;
    tiles->n_pieces = 0;
    for (size_t r = 0; r < SM_TILE_ROWS && tiles->starts_band; r++)
        tiles->copied[r] = r < at->n_rows ? copy_of(tiles, r) : tiles->scratch.zeros;
    if (tiles->are_in_place) {
        find_rows(tiles, next, tiles->ends_band ? NULL : tiles->z, tiles->z_ahead);
        divide(tiles);
    } else
        pick_rows(tiles);
    return true;
}

void sm_tiles_frame(const sm_tiles *tiles, sm_tile_frame *frame) {
    frame->n_bands = sm_tiles_n_bands(tiles);
    frame->n_ahead = tiles->are_in_place ? tiles->next.n_rows : 0;
    frame->ahead = tiles->z_ahead;
    frame->from = tiles->at.from;
    frame->to = tiles->at.to;
}
