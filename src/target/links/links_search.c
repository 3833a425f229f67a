/* links_search.c - the links inside a node.
 *
 * The links of a node are written by place in the node, from the links of the nearest node above it that were kept: a
 * block. They are kept in turn if they are at most half as many, so that inner nodes touch few links but their own.
 * Blocks lie on a stack and go when their subtree is done. Each is at most half of the one below it, and the links of a
 * node are written on top of the stack: all of them together are never more than the whole has. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "target/links/links.h"

/* Sides that a room has place for whatever the number of items: nobody misses the memory. */
enum { LEAST_CELLS = 1 << 18 };

void sm_links_scratch_free(sm_links_scratch *room) { sm_arena_free(&room->arena); }

static bool are_counted(const sm_links *links) { return links->value == NULL && links->weight == NULL; }

/* As many as are looked at together if sides take little memory, else those of one candidate. */
size_t sm_links_at_once(const sm_links *links, const sm_search_size *size) {
    size_t least = size->are_draws && are_counted(links) ? SM_LINKS_LANES : 2;
    size_t most = size->n_items < LEAST_CELLS / least ? LEAST_CELLS / (size->n_items + 1) : least;
    return most < size->n_line_ups ? most : size->n_line_ups;
}

smerf_status sm_links_scratch_start(sm_links_scratch *room, const sm_links *links, const sm_search_size *size,
                                    smerf_error *error) {
    size_t n_items = size->n_items, n_at_once = sm_links_at_once(links, size);
    bool is_always_counted = size->are_draws && are_counted(links);
    *room = (sm_links_scratch){.n_blocks = 1, .rows_size = sm_size(n_items, 3, 3)};
    room->blocks[0] = *links;
    room->n_cells = sm_size(n_at_once > 0 ? n_at_once : 1, n_items, 0);
    sm_arena *arena = &room->arena;
    size_t n_entries = links->n + 1; /* one more is written and not kept, see read_row */
    room->pool.first = sm_arena_take(arena, room->rows_size, sizeof *room->pool.first);
    room->pool.partner = sm_arena_take(arena, n_entries, sizeof *room->pool.partner);
    if (links->value != NULL) room->pool.value = sm_arena_take(arena, n_entries, sizeof *room->pool.value);
    if (links->weight != NULL) room->pool.weight = sm_arena_take(arena, n_entries, sizeof *room->pool.weight);
    room->place_in_block = sm_arena_take(arena, links->n_items, sizeof *room->place_in_block);
    room->place_in_node = sm_arena_take(arena, links->n_items, sizeof *room->place_in_node);
    room->places = sm_arena_take(arena, n_items, sizeof *room->places);
    room->whole = sm_arena_take(arena, n_items, sizeof *room->whole);
    room->rank = sm_arena_take(arena, room->n_cells, sizeof *room->rank);
    room->found = sm_arena_take(arena, 4 * SM_LINKS_LANES, sizeof *room->found);
    room->cells = sm_arena_take(arena, room->n_cells, is_always_counted ? sizeof(sm_counts) : sizeof(sm_sides));
    if (arena->has_failed) {
        sm_links_scratch_free(room);
        return sm_no_memory(error, "preparing to grow trees");
    }
    for (size_t i = 0; i < links->n_items; i++) room->place_in_node[i] = SMERF_MISSING;
    return SMERF_OK;
}

/* ---- turning to a node ---- */

static void pop_blocks(sm_links_scratch *room, size_t view) {
    while (room->n_blocks > view + 1) {
        const sm_links *last = &room->blocks[--room->n_blocks];
        room->pool.n -= last->n;
        room->rows_used -= last->n_items + 1;
    }
}

/* Copies the entries of one row whose partners are in the node; returns how many. Every entry is written, and the next
 * one over it if it is not kept: no branch that nobody could foresee. */
static size_t read_row(const sm_links_scratch *room, const sm_links *source, size_t row, const sm_links *to,
                       size_t at) {
    size_t first = at;
    for (size_t e = source->first[row]; e < source->first[row + 1]; e++) {
        uint32_t place = room->place_in_node[source->partner[e]];
        to->partner[at] = place;
        if (to->value != NULL) to->value[at] = source->value[e];
        if (to->weight != NULL) to->weight[at] = source->weight[e];
        at += place != SMERF_MISSING;
    }
    return at - first;
}

/* Writes the links of the node on top of the stack. */
static sm_links read_node(sm_links_scratch *room, const sm_node *node, size_t view) {
    const sm_links *source = &room->blocks[view], *pool = &room->pool;
    sm_links links = {.n_items = node->n,
                      .first = pool->first + room->rows_used,
                      .partner = pool->partner + pool->n,
                      .value = pool->value != NULL ? pool->value + pool->n : NULL,
                      .weight = pool->weight != NULL ? pool->weight + pool->n : NULL,
                      .common = source->common};
    for (size_t k = 0; k < node->n; k++) {
        room->places[k] = view == 0 ? node->items[k] : room->place_in_block[node->items[k]];
        room->place_in_node[room->places[k]] = (uint32_t)k;
    }
    for (size_t k = 0; k < node->n; k++) {
        sm_links_call_for(source, room->places, k, node->n);
        links.first[k] = links.n;
        links.n += read_row(room, source, room->places[k], &links, links.n);
    }
    links.first[node->n] = links.n;
    for (size_t k = 0; k < node->n; k++) room->place_in_node[room->places[k]] = SMERF_MISSING;
    return links;
}

/* Whether the links of a node become a block: few enough, with room for the rows of any node below. */
static bool is_kept(const sm_links_scratch *room, const sm_links *links, const sm_links *source) {
    return source->n > 0 && links->n <= source->n / 2 && room->n_blocks < SM_MOST_BLOCKS &&
           room->rows_used + 2 * (links->n_items + 1) <= room->rows_size;
}

static void look_at_weights(sm_links_scratch *room, const sm_node *node) {
    room->weight = node->weight;
    room->is_whole = node->total < INT32_MAX;
    for (size_t k = 0; k < node->n && room->is_whole; k++) {
        room->is_whole = node->weight[k] == rint(node->weight[k]);
        if (room->is_whole) room->whole[k] = (int32_t)node->weight[k];
    }
}

/* Whether the node has all items of a block at their places. Those of a node above are; those of the whole may stand in another
 * order than items do. */
static bool is_all_of(const sm_links *source, const sm_node *node, size_t view) {
    if (source->n_items != node->n) return false;
    for (size_t k = 0; k < node->n && view == 0; k++)
        if (node->items[k] != k) return false;
    return true;
}

size_t sm_links_enter(sm_links_scratch *room, const sm_node *node, size_t view) {
    pop_blocks(room, view);
    look_at_weights(room, node);
    const sm_links *source = &room->blocks[view];
    room->is_counted = room->is_whole && are_counted(source);
    if (is_all_of(source, node, view)) {
        room->links = source;
        return view;
    }
    room->unkept = read_node(room, node, view);
    room->links = &room->unkept;
    if (!is_kept(room, room->links, source)) return view;
    for (size_t k = 0; k < node->n; k++) room->place_in_block[node->items[k]] = (uint32_t)k;
    room->pool.n += room->links->n;
    room->rows_used += node->n + 1;
    view = room->n_blocks++;
    room->blocks[view] = room->unkept;
    room->links = &room->blocks[view];
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
