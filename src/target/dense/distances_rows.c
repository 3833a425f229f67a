/* distances_rows.c - see distances_rows.h.
 *
 * Rows of a node are picked from Z, or from a block: a compact copy of the upper triangle of a node, made when it is at
 * most half as large as that of the block it would read from. Blocks lie on a stack, freed when their subtree is done;
 * none takes all of the memory that is left, so that there is always some for those below. A copy holds the
 * same numbers, so no result depends on it. As a node's items are in ascending order, picking runs forward, and takes
 * what it can of eight neighbours at a time. */
#include "target/dense/distances_rows.h"

#include <string.h>

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
