/* distances_tiles.c - see distances_tiles.h. Only what lies on the diagonal or beside padding is copied, if all else can be
 * read in place. */
#include "target/dense/distances_tiles.h"

void sm_tile_scratch_start(sm_tile_scratch *room, sm_arena *arena) {
    room->copied = sm_arena_take(arena, SM_TILE_ROWS * SM_COPY_ROOM, sizeof *room->copied);
    room->zeros = sm_arena_take_zeros(arena, SM_CHUNK, sizeof *room->zeros);
}

/* ---- where tiles lie ---- */

static sm_tile_place place_at(const sm_node *node, size_t band, size_t chunk) {
    size_t first = chunk * SM_CHUNK, rest = node->n - first, n_rows = node->n - band;
    return (sm_tile_place){.band = band,
                           .n_rows = n_rows < SM_TILE_ROWS ? n_rows : SM_TILE_ROWS,
                           .chunk = chunk,
                           .from = band > first ? band - first : 0,
                           .end = rest < SM_CHUNK ? rest : SM_CHUNK,
                           .to = rest < SM_CHUNK ? sm_padded(rest) : SM_CHUNK};
}

static sm_tile_place place_after(const sm_node *node, const sm_tile_place *at) {
    size_t n_chunks = sm_n_chunks(node->n), band = at->band, chunk = at->chunk + 1;
    size_t span = at->chunk / SM_SPAN * SM_SPAN, end = span + SM_SPAN < n_chunks ? span + SM_SPAN : n_chunks;
    if (chunk < end) return place_at(node, band, chunk);
    band += SM_TILE_ROWS;
    chunk = band / SM_CHUNK > span ? band / SM_CHUNK : span; /* those before it are left of the diagonal */
    if (band < node->n && chunk < end) return place_at(node, band, chunk);
    return end < n_chunks ? place_at(node, 0, end) : (sm_tile_place){.n_rows = 0};
}

static bool is_on_diagonal(const sm_tile_place *at) { return at->band >= at->chunk * SM_CHUNK; }

/* ---- their rows ---- */

static float *copy_of(const sm_tiles *tiles, size_t r) { return tiles->room.copied + r * SM_COPY_ROOM; }

static void add_piece(sm_tiles *tiles, const float *const *z, size_t from, size_t to) {
    tiles->pieces[tiles->n_pieces++] = (sm_tile_piece){.z = z, .from = from, .to = to};
}

/* Copies the first columns of a tile on the diagonal; returns where they end. */
static size_t copy_diagonal(const sm_tiles *tiles) {
    const sm_tile_place *at = &tiles->at;
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
    const sm_tile_place *at = &tiles->at;
    for (size_t r = 0; r < at->n_rows; r++)
        for (size_t j = from; j < at->to; j++) copy_of(tiles, r)[j] = j < at->end ? tiles->z[r][j] : 0;
}

static void pick_rows(sm_tiles *tiles) {
    const sm_tile_place *at = &tiles->at, *ahead = tiles->next.n_rows > 0 ? &tiles->next : at;
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
    const sm_tile_place *at = &tiles->at;
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
static void find_rows(const sm_tiles *tiles, const sm_tile_place *at, const float *const *before, const float **z) {
    for (size_t r = 0; r < SM_TILE_ROWS; r++)
        if (r >= at->n_rows)
            z[r] = tiles->room.zeros;
        else
            z[r] = before != NULL ? before[r] + SM_CHUNK : sm_node_rows_at(tiles->rows, at->band + r, at->chunk);
}

/* ---- one after the other ---- */

void sm_tiles_start(sm_tiles *tiles, const sm_node_rows *rows, const sm_node *node, const sm_tile_scratch *room) {
    tiles->rows = rows;
    tiles->node = node;
    tiles->room = *room;
    tiles->are_in_place = sm_node_rows_are_in_place(rows, node);
    tiles->next = place_at(node, 0, 0);
    tiles->ends_band = true;
    tiles->z = tiles->in_place[0];
    tiles->z_ahead = tiles->in_place[1];
    if (tiles->are_in_place) find_rows(tiles, &tiles->next, NULL, tiles->z_ahead);
}

bool sm_tiles_next(sm_tiles *tiles) {
    sm_tile_place *at = &tiles->at, *next = &tiles->next;
    const float **z = tiles->z;
    tiles->z = tiles->z_ahead;
    tiles->z_ahead = z;
    tiles->starts_band = tiles->ends_band;
    *at = *next;
    if (at->n_rows == 0) return false;
    *next = place_after(tiles->node, at);
    tiles->ends_span = next->n_rows == 0 || next->chunk / SM_SPAN != at->chunk / SM_SPAN;
    tiles->ends_band = tiles->ends_span || next->band != at->band;
    tiles->n_pieces = 0;
    for (size_t r = 0; r < SM_TILE_ROWS && tiles->starts_band; r++)
        tiles->copied[r] = r < at->n_rows ? copy_of(tiles, r) : tiles->room.zeros;
    if (tiles->are_in_place) {
        find_rows(tiles, next, tiles->ends_band ? NULL : tiles->z, tiles->z_ahead);
        divide(tiles);
    } else
        pick_rows(tiles);
    return true;
}

void sm_tiles_frame(const sm_tiles *tiles, sm_tile_frame *frame) {
    frame->n_bands = sm_tiles_strips(tiles);
    frame->n_ahead = tiles->are_in_place ? tiles->next.n_rows : 0;
    frame->ahead = tiles->z_ahead;
    frame->from = tiles->at.from;
    frame->to = tiles->at.to;
}
