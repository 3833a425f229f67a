/* links_search.c - the links inside a node.
 *
 * The links of a node are written by node index, from the links of the nearest node above it that were kept: a
 * block. They are kept in turn if they are at most half as many, so that inner nodes touch few links but their own.
 * Blocks lie on a stack and go when their subtree is done. Each is at most half of the one below it, and the links of a
 * node are written on top of the stack: all of them together are never more than the whole has. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "target/links/links.h"

/* Sides that there is scratch for whatever the number of items: nobody misses the memory. */
enum { LEAST_CELLS = 1 << 18 };

void sm_links_scratch_free(sm_links_scratch *scratch) { sm_arena_free(&scratch->arena); }

static bool are_counted(const sm_links *links) { return links->value == NULL && links->weight == NULL; }

/* As many as are looked at together if sides take little memory, else those of one candidate. */
size_t sm_links_at_once(const sm_links *links, const sm_search_size *size) {
    size_t least = size->are_draws && are_counted(links) ? SM_LINKS_LANES : 2;
    size_t most = size->n_items < LEAST_CELLS / least ? LEAST_CELLS / (size->n_items + 1) : least;
    return most < size->n_line_ups ? most : size->n_line_ups;
}

smerf_status sm_links_scratch_start(sm_links_scratch *scratch, const sm_links *links, const sm_search_size *size,
                                    smerf_error *error) {
    size_t n_items = size->n_items, n_at_once = sm_links_at_once(links, size);
    bool is_always_counted = size->are_draws && are_counted(links);
    *scratch = (sm_links_scratch){.n_blocks = 1, .rows_size = sm_size(n_items, 3, 3)};
    scratch->blocks[0] = *links;
    scratch->n_cells = sm_size(n_at_once > 0 ? n_at_once : 1, n_items, 0);
    sm_arena *arena = &scratch->arena;
    size_t n_entries = links->n + 1; /* one more is written and not kept, see read_row */
    scratch->pool.first = sm_arena_take(arena, scratch->rows_size, sizeof *scratch->pool.first);
    scratch->pool.partner = sm_arena_take(arena, n_entries, sizeof *scratch->pool.partner);
    if (links->value != NULL) scratch->pool.value = sm_arena_take(arena, n_entries, sizeof *scratch->pool.value);
    if (links->weight != NULL) scratch->pool.weight = sm_arena_take(arena, n_entries, sizeof *scratch->pool.weight);
    scratch->index_in_block = sm_arena_take(arena, links->n_items, sizeof *scratch->index_in_block);
    scratch->index_in_node = sm_arena_take(arena, links->n_items, sizeof *scratch->index_in_node);
    scratch->in_block = sm_arena_take(arena, n_items, sizeof *scratch->in_block);
    scratch->whole = sm_arena_take(arena, n_items, sizeof *scratch->whole);
    scratch->rank = sm_arena_take(arena, scratch->n_cells, sizeof *scratch->rank);
    scratch->found = sm_arena_take(arena, 4 * SM_LINKS_LANES, sizeof *scratch->found);
    scratch->cells = sm_arena_take(arena, scratch->n_cells, is_always_counted ? sizeof(sm_counts) : sizeof(sm_sides));
    if (arena->has_failed) {
        sm_links_scratch_free(scratch);
        return sm_no_memory(error, "preparing to grow trees");
    }
    for (size_t i = 0; i < links->n_items; i++) scratch->index_in_node[i] = SMERF_MISSING;
    return SMERF_OK;
}

/* ---- turning to a node ---- */

static void pop_blocks(sm_links_scratch *scratch, size_t view) {
    while (scratch->n_blocks > view + 1) {
        const sm_links *last = &scratch->blocks[--scratch->n_blocks];
        scratch->pool.n -= last->n;
        scratch->rows_used -= last->n_items + 1;
    }
}

/* Copies the entries of one row whose partners are in the node; returns how many. Every entry is written, and the next
 * one over it if it is not kept: no branch that nobody could foresee. */
static size_t read_links_of(const sm_links_scratch *scratch, const sm_links *source, size_t row, const sm_links *to,
                            size_t at) {
    size_t first = at;
    for (size_t e = source->first[row]; e < source->first[row + 1]; e++) {
        uint32_t index = scratch->index_in_node[source->partner[e]];
        to->partner[at] = index;
        if (to->value != NULL) to->value[at] = source->value[e];
        if (to->weight != NULL) to->weight[at] = source->weight[e];
        at += index != SMERF_MISSING;
    }
    return at - first;
}

/* Writes the links of the node on top of the stack. */
static sm_links read_node(sm_links_scratch *scratch, const sm_node *node, size_t view) {
    const sm_links *source = &scratch->blocks[view], *pool = &scratch->pool;
    sm_links links = {.n_items = node->n,
                      .first = pool->first + scratch->rows_used,
                      .partner = pool->partner + pool->n,
                      .value = pool->value != NULL ? pool->value + pool->n : NULL,
                      .weight = pool->weight != NULL ? pool->weight + pool->n : NULL,
                      .common = source->common};
    for (size_t k = 0; k < node->n; k++) {
        scratch->in_block[k] = view == 0 ? node->items[k] : scratch->index_in_block[node->items[k]];
        scratch->index_in_node[scratch->in_block[k]] = (uint32_t)k;
    }
    for (size_t k = 0; k < node->n; k++) {
        sm_links_call_for(source, scratch->in_block, k, node->n);
        links.first[k] = links.n;
        links.n += read_links_of(scratch, source, scratch->in_block[k], &links, links.n);
    }
    links.first[node->n] = links.n;
    for (size_t k = 0; k < node->n; k++) scratch->index_in_node[scratch->in_block[k]] = SMERF_MISSING;
    return links;
}

/* Whether the links of a node become a block: few enough, with scratch for the rows of any node below. */
static bool is_kept(const sm_links_scratch *scratch, const sm_links *links, const sm_links *source) {
    return source->n > 0 && links->n <= source->n / 2 && scratch->n_blocks < SM_MOST_BLOCKS &&
           scratch->rows_used + 2 * (links->n_items + 1) <= scratch->rows_size;
}

static void look_at_link_weights(sm_links_scratch *scratch, const sm_node *node) {
    scratch->weight = node->weight;
    scratch->is_whole = node->total < INT32_MAX;
    for (size_t k = 0; k < node->n && scratch->is_whole; k++) {
        scratch->is_whole = node->weight[k] == rint(node->weight[k]);
        if (scratch->is_whole) scratch->whole[k] = (int32_t)node->weight[k];
    }
}

/* Whether the node has all items of a block at their indices. Those of a node above are; those of the whole may stand in another
 * order than items do. */
static bool is_all_of(const sm_links *source, const sm_node *node, size_t view) {
    if (source->n_items != node->n) return false;
    for (size_t k = 0; k < node->n && view == 0; k++)
        if (node->items[k] != k) return false;
    return true;
}

size_t sm_links_enter(sm_links_scratch *scratch, const sm_node *node, size_t view) {
    pop_blocks(scratch, view);
    look_at_link_weights(scratch, node);
    const sm_links *source = &scratch->blocks[view];
    scratch->is_counted = scratch->is_whole && are_counted(source);
    if (is_all_of(source, node, view)) {
        scratch->links = source;
        return view;
    }
    scratch->unkept = read_node(scratch, node, view);
    scratch->links = &scratch->unkept;
    if (!is_kept(scratch, scratch->links, source)) return view;
    for (size_t k = 0; k < node->n; k++) scratch->index_in_block[node->items[k]] = (uint32_t)k;
    scratch->pool.n += scratch->links->n;
    scratch->rows_used += node->n + 1;
    view = scratch->n_blocks++;
    scratch->blocks[view] = scratch->unkept;
    scratch->links = &scratch->blocks[view];
    return view;
}

/* ---- levels ---- */

void sm_level_order(const sm_node *node, const uint32_t *level, size_t n_levels, uint32_t *order, size_t *first) {
    memset(first, 0, (n_levels + 1) * sizeof *first);
    for (size_t k = 0; k < node->n; k++)
        if (level[k] != SMERF_MISSING) first[level[k] + 1]++;
    for (size_t b = 0; b < n_levels; b++) first[b + 1] += first[b];
    size_t next_without = first[n_levels];
    for (size_t k = 0; k < node->n; k++)
        order[level[k] != SMERF_MISSING ? first[level[k]]++ : next_without++] = (uint32_t)k;
    for (size_t b = n_levels; b > 0; b--) first[b] = first[b - 1]; /* each has moved on to the next */
    first[0] = 0;
}
