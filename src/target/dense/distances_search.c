/* distances_search.c - prices every cut of a node from a dense matrix.
 *
 * Of each pair of the node, the one that stands later in a line-up owns y_kj = w_k w_j z_kj: with B_k the sum that item
 * k owns, and A_k the sum of its pairs with later items, the costs of all cuts follow in two walks along the line-up:
 *     from the left,  Q(L) grows by 2 B_k + w_k^2 z_kk;
 *     from the right, Q(R) grows by 2 A_k + w_k^2 z_kk.
 *
 * Walking the items in sorted order and gathering z would be the obvious way (bench/obvious.c). Instead the upper
 * triangle of the node is streamed in storage order, in tiles: a band of rows and a chunk of columns (kernels.h). A pair
 * goes under the mask "the column's item comes after the row's" into the sum of its row, which becomes a part of A, and
 * into that of its column, a part of B; without a mask, into sums that every line-up shares. Per item and line-up, with
 * the difference m = masked column - masked row, which is all that is kept,
 *     B = whole row + m,   A = whole column - m.
 *
 * The sums of rows are put together from spans of columns, so that what is summed over a span stays in the cache. Large
 * nodes are priced roughly first (distances_rough.c). */
#include "target/dense/distances_search.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/two.h"

/* What line-ups may take in any case: for less, nobody waits for another reading of Z. Likewise blocks, without which small nodes
 * would be picked from all over Z, and all threads together. */
enum { LEAST_SHARE = 1 << 19, LEAST_POOL = 1 << 14, LEAST_ROOM = 16 << 20 };

static void free_search(sm_search *search) {
    if (search == NULL) return;
    sm_arena_free(&search->arena);
    sm_free(search);
}

/* ---- room ---- */

static double bytes_of_z(size_t n_all) { return (double)n_all * (double)n_all * sizeof(float); }
static double program_bytes(size_t n_all) { return fmin(6 << 20, bytes_of_z(n_all) / 3); }

/* What a thread needs for its items beside line-ups and blocks: here, and where trees are grown. */
enum { SEARCH_BYTES = 64, GROWING_BYTES = 136 };
static double growing_bytes(const sm_search_size *size) {
    return (double)size->n_items * (double)(size->list_bytes + GROWING_BYTES);
}

/* What a thread may take for line-ups and blocks: its share of a part of the bytes of Z, less the program itself and what the
 * thread needs else. */
static double share_of(double part, size_t n_all, const sm_search_size *size) {
    double others = growing_bytes(size) + SEARCH_BYTES * (double)size->n_items;
    return (part * bytes_of_z(n_all) - program_bytes(n_all)) / (double)size->n_threads - others;
}

/* What line-ups take: where items stand and which gaps may be cut, for whoever lines them up; ranks and sums. */
enum { ORDER_BYTES = 5, CELL_BYTES = sizeof(int32_t) + sizeof(double) };
static double line_up_bytes(const sm_search_size *size, size_t n_line_ups) {
    return (double)size->n_items * (double)n_line_ups * (ORDER_BYTES + CELL_BYTES);
}

/* All of them, or half if many threads share the room. */
static size_t line_ups_at_once(const smerf_target *target, const sm_search_size *size) {
    size_t n = size->n_line_ups, half = n < 4 ? n : (n + 3) / 4 * 2; /* even: candidates may have two */
    return line_up_bytes(size, n) <= fmax(share_of(0.95, target->n_rows, size), LEAST_SHARE) ? n : half;
}

/* The room for blocks: enough for the triangle of a root and what follows, or what is left of the share. */
static size_t pool_floats(const smerf_target *target, const sm_search_size *size) {
    double left = share_of(0.85, target->n_rows, size) - line_up_bytes(size, line_ups_at_once(target, size));
    double wanted = (double)sm_triangle(size->n_items) / SM_BLOCK_SHARE;
    return (size_t)fmin(wanted, fmax(left / sizeof(float), LEAST_POOL));
}

/* Smaller nodes, of which more line-ups are priced at once, leave more free in their last chunks. */
static size_t n_cells(const smerf_target *target, const sm_search_size *size) {
    return sm_size(line_ups_at_once(target, size) + 1, size->n_items, sm_size(size->n_line_ups + 1, SM_CHUNK, 0));
}

double sm_distances_search_bytes(const smerf_target *target, const sm_search_size *size) {
    double cells = CELL_BYTES * (double)n_cells(target, size), rough = sm_rough_bytes(size->n_items, size->n_line_ups);
    return sizeof(float) * (double)pool_floats(target, size) + cells + rough + SEARCH_BYTES * (double)size->n_items;
}

/* All threads together may take as much as Z does; beside a small one, as much as nobody misses. */
static size_t most_threads(const smerf_target *target, const sm_search_size *size) {
    size_t n_all = target->n_rows;
    double room = fmax(bytes_of_z(n_all), LEAST_ROOM) - program_bytes(n_all);
    sm_search_size fewer = *size;
    for (; fewer.n_threads > 1; fewer.n_threads--) {
        double orders = ORDER_BYTES * (double)(fewer.n_items * line_ups_at_once(target, &fewer));
        double needed = growing_bytes(&fewer) + orders + sm_distances_search_bytes(target, &fewer);
        if ((double)fewer.n_threads * needed <= room) break;
    }
    return fewer.n_threads;
}

static sm_search *new_search(const smerf_target *target, const sm_search_size *size, smerf_error *error) {
    size_t n = size->n_items;
    sm_search *search = sm_zeros(1, sizeof *search);
    if (search == NULL) {
        sm_no_memory(error, "preparing to grow trees");
        return NULL;
    }
    search->distances = sm_distances_of(target);
    search->kernels = sm_kernels_select(size->kernels)->dense;
    sm_arena *arena = &search->arena;
    sm_node_rows_start(&search->rows, arena, search->distances, search->kernels, n, pool_floats(target, size));
    search->n_cells = n_cells(target, size);
    search->sums = sm_arena_take(arena, search->n_cells, sizeof *search->sums);
    search->ranks = sm_arena_take(arena, search->n_cells, sizeof *search->ranks);
    search->whole_row = sm_arena_take(arena, n, sizeof *search->whole_row);
    search->weight = sm_arena_take(arena, sm_padded(n), sizeof *search->weight);
    search->own = sm_arena_take(arena, n, sizeof *search->own);
    search->left = sm_arena_take(arena, sm_padded(n), sizeof *search->left);
    search->right = sm_arena_take(arena, sm_padded(n), sizeof *search->right);
    search->lanes =
        sm_arena_take(arena, sm_size(size->n_line_ups + 1, SM_TILE_ROWS * SM_LANES, 0), sizeof *search->lanes);
    search->weighed = sm_arena_take(arena, SM_TILE_ROWS * SM_CHUNK, sizeof *search->weighed);
    sm_tile_scratch_start(&search->tile_room, arena);
    sm_rough_start(&search->rough, arena, n, size->n_line_ups);
    if (!arena->has_failed) return search;
    free_search(search);
    sm_no_memory(error, "preparing to grow trees");
    return NULL;
}

static size_t enter_node(sm_search *search, sm_node *node, size_t view) {
    for (size_t k = 0; k < node->n; k++) {
        double w = search->weight[k] = node->weight[k];
        search->own[k] = w * w * sm_distances_self(search->distances, node->items[k]);
    }
    for (size_t k = node->n; k < sm_padded(node->n); k++) search->weight[k] = 0;
    return sm_node_rows_enter(&search->rows, node, view);
}

static bool is_pure(sm_search *search, const sm_node *node) {
    double first = sm_distances_self(search->distances, node->items[0]);
    for (size_t k = 0; k < node->n; k++) {
        if (sm_distances_self(search->distances, node->items[k]) != first) return false;
        for (size_t j = k + 1; j < node->n; j++)
            if (sm_node_rows_pair(&search->rows, k, j) != first) return false;
    }
    return true;
}

/* ---- the sums over pairs ---- */

/* The columns of a chunk, padded. */
static size_t width_of(const sm_node *node, size_t chunk) {
    size_t rest = node->n - chunk * SM_CHUNK;
    return rest < SM_CHUNK ? sm_padded(rest) : SM_CHUNK;
}

void sm_distances_start_sums(sm_search *search, const sm_node *node, const sm_line_up *line_ups, size_t n_line_ups) {
    assert(sm_n_chunks(node->n) * SM_CHUNK * (n_line_ups + 1) <= search->n_cells);
    search->n_sums = n_line_ups + 1;
    memset(search->whole_row, 0, node->n * sizeof *search->whole_row);
    for (size_t chunk = 0; chunk < sm_n_chunks(node->n); chunk++)
        for (size_t s = 0; s < search->n_sums; s++)
            memset(search->sums + sm_cell(search, s, chunk * SM_CHUNK), 0,
                   width_of(node, chunk) * sizeof *search->sums);
    for (size_t u = 0; u < n_line_ups; u++) {
        for (size_t r = 0; r < node->n; r++) search->ranks[sm_cell(search, u + 1, line_ups[u].order[r])] = (int32_t)r;
        for (size_t j = node->n; j < sm_padded(node->n); j++) search->ranks[sm_cell(search, u + 1, j)] = 0;
    }
}

void sm_distances_frame(const sm_search *search, const sm_tiles *tiles, sm_tile_frame *frame) {
    sm_tiles_frame(tiles, frame);
    frame->n_orders = search->n_sums - 1;
    frame->rank = search->ranks + sm_cell(search, 1, tiles->at.chunk * SM_CHUNK);
    frame->row_rank = search->ranks + sm_cell(search, 1, tiles->at.band);
}

/* Adds the pairs of a tile, by all line-ups. */
static void add_tile(sm_search *search, const sm_tiles *tiles) {
    size_t first = tiles->at.chunk * SM_CHUNK;
    sm_tile tile;
    sm_distances_frame(search, tiles, &tile.frame);
    tile.column_weight = search->weight + first;
    tile.row_weight = search->weight + tiles->at.band;
    tile.weighed = search->weighed;
    tile.columns = search->sums + sm_cell(search, 0, first);
    tile.row_lanes = search->lanes;
    for (const sm_tile_piece *piece = tiles->pieces; piece < tiles->pieces + tiles->n_pieces; piece++)
        search->kernels->weigh(&tile, piece->z, piece->from, piece->to);
    search->kernels->sum_after(&tile);
}

static void open_band(sm_search *search) {
    memset(search->lanes, 0, search->n_sums * SM_TILE_ROWS * SM_LANES * sizeof *search->lanes);
}

/* Adds what the lanes of a band hold to the sums of its rows. */
static void close_band(sm_search *search, const sm_tile_place *at) {
    for (size_t r = 0; r < at->n_rows; r++)
        search->whole_row[at->band + r] += sm_join_lanes(search->lanes + r * SM_LANES);
    for (size_t s = 1; s < search->n_sums; s++) {
        double *sums = search->sums + sm_cell(search, s, at->band);
        for (size_t r = 0; r < at->n_rows; r++)
            sums[r] -= sm_join_lanes(search->lanes + (s * SM_TILE_ROWS + r) * SM_LANES);
    }
}

static void add_pairs(sm_search *search, const sm_node *node) {
    sm_tiles tiles;
    sm_tiles_start(&tiles, &search->rows, node, &search->tile_room);
    while (sm_tiles_next(&tiles)) {
        if (tiles.starts_band) open_band(search);
        add_tile(search, &tiles);
        if (tiles.ends_band) close_band(search, &tiles.at);
    }
}

/* ---- the costs of cuts ---- */

static void fill_costs(sm_search *search, const sm_node *node, size_t line_up, const sm_line_up *out) {
    size_t n = node->n, sum = line_up + 1;
    for (size_t first = 0; first < n; first += SM_CHUNK) {
        const double *whole_column = search->sums + sm_cell(search, 0, first), *whole_row = search->whole_row + first;
        const double *masked = search->sums + sm_cell(search, sum, first), *own = search->own + first;
        for (size_t i = 0; i < SM_CHUNK && first + i < n; i++) {
            search->left[first + i] = 2 * (whole_row[i] + masked[i]) + own[i];
            search->right[first + i] = 2 * (whole_column[i] - masked[i]) + own[i];
        }
    }
    sm_two cost = {0, 0}, weight = {0, 0}; /* of the left side, and of the right: divided at once */
    for (size_t r = 0; r + 1 < n; r++) {
        size_t k = out->order[r], l = out->order[n - 1 - r];
        cost += (sm_two){search->left[k], search->right[l]};
        weight += (sm_two){search->weight[k], search->weight[l]};
        sm_two mean = cost / weight;
        out->left[r] = mean[0];
        out->right[n - 2 - r] = mean[1];
    }
}

static double price_cuts(sm_search *search, const sm_node *node, const sm_line_up *line_ups, size_t n_line_ups) {
    sm_distances_start_sums(search, node, line_ups, n_line_ups);
    add_pairs(search, node);
    double cost = 0;
    for (size_t k = 0; k < node->n; k++)
        cost += search->whole_row[k] + search->sums[sm_cell(search, 0, k)] + search->own[k];
    return cost / node->total;
}

static void level_distances(sm_search *search, const sm_node *node, const uint32_t *level, size_t n_levels,
                            double *mean) {
    double *level_weight = search->left; /* free between two prices, and there are no more levels than items */
    memset(mean, 0, n_levels * n_levels * sizeof *mean);
    memset(level_weight, 0, n_levels * sizeof *level_weight);
    for (size_t k = 0; k < node->n; k++) {
        if (level[k] == SMERF_MISSING) continue;
        level_weight[level[k]] += search->weight[k];
        mean[level[k] * n_levels + level[k]] += search->own[k];
        for (size_t j = k + 1; j < node->n; j++) {
            if (level[j] == SMERF_MISSING) continue;
            double y = search->weight[k] * search->weight[j] * sm_node_rows_pair(&search->rows, k, j);
            mean[level[k] * n_levels + level[j]] += y;
            mean[level[j] * n_levels + level[k]] += y;
        }
    }
    for (size_t a = 0; a < n_levels; a++)
        for (size_t b = 0; b < n_levels; b++) mean[a * n_levels + b] /= level_weight[a] * level_weight[b];
}

static const sm_pricing pricing = {.price = price_cuts, .costs = fill_costs, .n_at_once = line_ups_at_once};

const sm_engine sm_distances_engine = {
    .search_new = new_search,
    .search_free = free_search,
    .enter = enter_node,
    .is_pure = is_pure,
    .best_cut = sm_best_approximately,
    .pricing = &pricing,
    .approximation = &sm_distances_approximation,
    .cost = sm_distances_cost,
    .level_distances = level_distances,
    .most_threads = most_threads,
};
