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
 * into that of its column, a part of B; without a mask, into sums that all line-ups have in common. Per item and line-up, with
 * the difference m = masked column - masked row, which is all that is kept,
 *     B = whole row + m,   A = whole column - m.
 *
 * The sums of rows are put together from spans of columns, so that what is summed over a span stays in the cache. Large
 * nodes are priced approximately first (distances_approximate.c). */
#include "target/dense/distances_search.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/two.h"

/* What line-ups may take in any case: for less, nobody waits for another reading of Z. Likewise blocks, without which small nodes
 * would be picked from all over Z, and all threads together. */
enum { LEAST_BYTES = 1 << 19, LEAST_POOL = 1 << 14, LEAST_MEMORY = 16 << 20 };

static void free_distances_search(sm_search *search) {
    if (search == NULL) return;
    sm_arena_free(&search->arena);
    sm_free(search);
}

/* ---- memory ---- */

static double bytes_of_z(size_t n_all) { return (double)n_all * (double)n_all * sizeof(float); }
static double program_bytes(size_t n_all) { return fmin(6 << 20, bytes_of_z(n_all) / 3); }

/* What a thread needs for its items beside line-ups and blocks: here, and where trees are grown. */
enum { SEARCH_BYTES = 64, GROWING_BYTES = 136 };
static double growing_bytes(const sm_search_size *size) {
    return (double)size->n_items * (double)(size->list_bytes + GROWING_BYTES);
}

/* What a thread may take for line-ups and blocks: its part of the bytes of Z, less the program itself and what the
 * thread needs else. */
static double bytes_of_a_thread(double part, size_t n_all, const sm_search_size *size) {
    double others = growing_bytes(size) + SEARCH_BYTES * (double)size->n_items;
    return (part * bytes_of_z(n_all) - program_bytes(n_all)) / (double)size->n_threads - others;
}

/* What line-ups take: where items stand and which gaps may be cut, for whoever lines them up; ranks and sums. */
enum { ORDER_BYTES = 5, CELL_BYTES = sizeof(int32_t) + sizeof(double) };
static double line_up_bytes(const sm_search_size *size, size_t n_line_ups) {
    return (double)size->n_items * (double)n_line_ups * (ORDER_BYTES + CELL_BYTES);
}

/* All of them, or half if many threads share the memory. */
static size_t distances_line_ups_at_once(const smerf_target *target, const sm_search_size *size) {
    size_t n = size->n_line_ups, half = n < 4 ? n : (n + 3) / 4 * 2; /* even: candidates may have two */
    return line_up_bytes(size, n) <= fmax(bytes_of_a_thread(0.95, target->n_rows, size), LEAST_BYTES) ? n : half;
}

/* The memory for blocks: enough for the triangle of a root and what follows, or what is left. */
static size_t pool_floats(const smerf_target *target, const sm_search_size *size) {
    double left =
        bytes_of_a_thread(0.85, target->n_rows, size) - line_up_bytes(size, distances_line_ups_at_once(target, size));
    double wanted = (double)sm_triangle(size->n_items) / SM_BLOCK_FRACTION;
    return (size_t)fmin(wanted, fmax(left / sizeof(float), LEAST_POOL));
}

/* Smaller nodes, of which more line-ups are priced at once, leave more free in their last chunks. */
static size_t n_cells(const smerf_target *target, const sm_search_size *size) {
    return sm_size(distances_line_ups_at_once(target, size) + 1, size->n_items,
                   sm_size(size->n_line_ups + 1, SM_CHUNK, 0));
}

double sm_distances_search_bytes(const smerf_target *target, const sm_search_size *size) {
    double cells = CELL_BYTES * (double)n_cells(target, size),
           approximate = sm_approximate_bytes(size->n_items, size->n_line_ups);
    return sizeof(float) * (double)pool_floats(target, size) + cells + approximate +
           sm_landmarks_bytes(size->n_items, size->n_levels) + SEARCH_BYTES * (double)size->n_items;
}

/* All threads together may take as much as Z does; beside a small one, as much as nobody misses. */
static size_t most_distances_threads(const smerf_target *target, const sm_search_size *size) {
    size_t n_all = target->n_rows;
    double available = fmax(bytes_of_z(n_all), LEAST_MEMORY) - program_bytes(n_all);
    sm_search_size fewer = *size;
    for (; fewer.n_threads > 1; fewer.n_threads--) {
        double orders = ORDER_BYTES * (double)(fewer.n_items * distances_line_ups_at_once(target, &fewer));
        double needed = growing_bytes(&fewer) + orders + sm_distances_search_bytes(target, &fewer);
        if ((double)fewer.n_threads * needed <= available) break;
    }
    return fewer.n_threads;
}

static sm_search *new_distances_search(const smerf_target *target, const sm_search_size *size, smerf_error *error) {
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
    sm_tile_scratch_start(&search->tile_scratch, arena);
    sm_approximate_start(&search->approximate, arena, n, size->n_line_ups);
    sm_landmarks_start(&search->landmarks, arena, n, size->n_levels);
    if (!arena->has_failed) return search;
    free_distances_search(search);
    sm_no_memory(error, "preparing to grow trees");
    return NULL;
}

static size_t enter_distances_node(sm_search *search, sm_node *node, size_t view) {
    for (size_t k = 0; k < node->n; k++) {
        double w = search->weight[k] = node->weight[k];
        search->own[k] = w * w * sm_distances_self(search->distances, node->items[k]);
    }
    for (size_t k = node->n; k < sm_padded(node->n); k++) search->weight[k] = 0;
    return sm_node_rows_enter(&search->rows, node, view);
}

static bool distances_is_pure(sm_search *search, const sm_node *node) {
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
static void add_exact_tile(sm_search *search, const sm_tiles *tiles) {
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

static void open_exact_band(sm_search *search) {
    memset(search->lanes, 0, search->n_sums * SM_TILE_ROWS * SM_LANES * sizeof *search->lanes);
}

/* Adds what the lanes of a band hold to the sums of its rows. */
static void close_exact_band(sm_search *search, const sm_tile_position *at) {
    for (size_t r = 0; r < at->n_rows; r++)
        search->whole_row[at->band + r] += sm_join_lanes(search->lanes + r * SM_LANES);
    for (size_t s = 1; s < search->n_sums; s++) {
        double *sums = search->sums + sm_cell(search, s, at->band);
        for (size_t r = 0; r < at->n_rows; r++)
            sums[r] -= sm_join_lanes(search->lanes + (s * SM_TILE_ROWS + r) * SM_LANES);
    }
}

static void add_exact_pairs(sm_search *search, const sm_node *node) {
    sm_tiles tiles;
    sm_tiles_start(&tiles, &search->rows, node, &search->tile_scratch);
    while (sm_tiles_next(&tiles)) {
        if (tiles.starts_band) open_exact_band(search);
        add_exact_tile(search, &tiles);
        if (tiles.ends_band) close_exact_band(search, &tiles.at);
    }
}

/* ---- the costs of cuts ---- */

static void fill_distances_costs(sm_search *search, const sm_node *node, size_t line_up, const sm_line_up *out) {
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

static double price_distances_cuts(sm_search *search, const sm_node *node, const sm_line_up *line_ups,
                                   size_t n_line_ups) {
    sm_distances_start_sums(search, node, line_ups, n_line_ups);
    add_exact_pairs(search, node);
    double cost = 0;
    for (size_t k = 0; k < node->n; k++)
        cost += search->whole_row[k] + search->sums[sm_cell(search, 0, k)] + search->own[k];
    return cost / node->total;
}

static const sm_pricing pricing = {
    .price = price_distances_cuts, .costs = fill_distances_costs, .n_at_once = distances_line_ups_at_once};

const sm_engine sm_distances_engine = {
    .search_new = new_distances_search,
    .search_free = free_distances_search,
    .enter = enter_distances_node,
    .is_pure = distances_is_pure,
    .best_cut = sm_best_approximately,
    .pricing = &pricing,
    .approximation = &sm_distances_approximation,
    .cost = sm_distances_cost,
    .level_distances = sm_distances_levels,
    .level_start = sm_distances_level_start,
    .level_product = sm_distances_level_product,
    .most_threads = most_distances_threads,
};
