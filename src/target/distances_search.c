/* distances_search.c - prices every cut of a node from a dense matrix.
 *
 * For each line-up and each item k of the node, P_k is the sum of w_j z_kj over the items j that stand before k. It
 * comes from streaming the rows of Z in storage order under the mask rank_j < rank_k, several line-ups and rows at a
 * time (kernels.h), instead of walking the items in sorted order and gathering: more than ten times faster. With
 * T_k, the whole row sum, the costs of all cuts follow in two walks along the line-up:
 *     from the left,  Q(L) grows by w_k (2 P_k + w_k z_kk);
 *     from the right, Q(R) grows by w_k (2 (T_k - P_k - w_k z_kk) + w_k z_kk).
 * Neither side is a difference of large numbers, so every cost is good to about 1e-14.
 *
 * Rows of a node are gathered from Z, or from a block: a compact copy of the rows and columns of a node, made when it
 * holds at most half of the items of the block it would read from. Blocks lie on a stack, freed when their subtree is
 * done. All of them together take at most 4/3 of the first one, which is kept within this thread's share of the bytes
 * of Z. A copy holds the same numbers, so no result depends on it. */
#include <string.h>

#include "base/arena.h"
#include "base/memory.h"
#include "target/distances.h"

enum { SMALLEST_BLOCK = 32, MOST_BLOCKS = 64 };

typedef struct block {
    const float *z; /* [n][stride] */
    size_t n, stride;
} block;

struct sm_search {
    sm_arena arena; /* holds the arrays below */
    const sm_distances *distances;
    const sm_kernels *kernels;
    block blocks[MOST_BLOCKS]; /* 0 is Z itself */
    size_t n_blocks;
    float *pool;                 /* where the other blocks lie, one after the other */
    size_t pool_size, pool_used; /* in floats */
    size_t view;                 /* the block of the node entered last */
    uint32_t *place_in_block;    /* by item, for items in a block other than Z */
    uint32_t *places;            /* [n_items] of the node's items in their block */
    double *weight;              /* [padded n_items] by place in the node */
    float *gathered;             /* [n_items] */
    double *weighed;             /* [SM_TILE_ROWS][padded n_items] */
    double *row_sum;             /* [n_items] T */
    int32_t *ranks;              /* [n_line_ups][padded n_items] */
    double *before;              /* [n_line_ups][n_items] P */
};

void sm_distances_search_free(sm_search *search) {
    if (search == NULL) return;
    sm_arena_free(&search->arena);
    sm_free(search);
}

/* Half of the items, or fewer if many threads share the bytes of Z; a first block of m items needs 4/3 m^2 floats. */
static size_t first_block_items(size_t n_items, size_t n_threads) {
    size_t most = n_items / 2;
    double share = (double)n_items * (double)n_items * 0.75 / (double)n_threads;
    while (most > 0 && 4.0 / 3 * (double)most * (double)most > share) most = most * 15 / 16;
    return most;
}

sm_search *sm_distances_search_new(const smerf_target *target, const sm_search_size *size, smerf_error *error) {
    size_t n_all = target->n_rows, n = size->n_items, padded = sm_padded(n), first;
    sm_search *search = sm_zeros(1, sizeof *search);
    if (search == NULL) {
        sm_no_memory(error, "preparing to grow trees");
        return NULL;
    }
    first = first_block_items(n_all, size->n_threads);
    search->distances = sm_distances_of(target);
    search->kernels = sm_kernels_select(size->kernels);
    search->blocks[0] = (block){.z = search->distances->z, .n = n_all, .stride = n_all};
    search->n_blocks = 1;
    search->pool_size = first * first + first * first / 3;
    sm_arena *arena = &search->arena;
    search->pool = sm_arena_take(arena, search->pool_size, sizeof *search->pool);
    search->place_in_block = sm_arena_take(arena, n_all, sizeof *search->place_in_block);
    search->places = sm_arena_take(arena, n, sizeof *search->places);
    search->weight = sm_arena_take(arena, padded, sizeof *search->weight);
    search->gathered = sm_arena_take(arena, padded, sizeof *search->gathered);
    search->weighed = sm_arena_take(arena, sm_size(padded, SM_TILE_ROWS, 0), sizeof *search->weighed);
    search->row_sum = sm_arena_take(arena, n, sizeof *search->row_sum);
    search->ranks = sm_arena_take(arena, sm_size(padded, size->n_line_ups, 0), sizeof *search->ranks);
    search->before = sm_arena_take(arena, sm_size(n, size->n_line_ups, 0), sizeof *search->before);
    if (!arena->has_failed) return search;
    sm_distances_search_free(search);
    sm_no_memory(error, "preparing to grow trees");
    return NULL;
}

static void gather(const float *row, const uint32_t *places, size_t n, float *out) {
    for (size_t j = 0; j < n; j++) out[j] = row[places[j]];
}

/* Copies the node's rows and columns into a block of their own. */
static void push_block(sm_search *search, const sm_node *node) {
    const block *from = &search->blocks[search->view];
    float *copy = search->pool + search->pool_used;
    for (size_t k = 0; k < node->n; k++)
        gather(from->z + search->places[k] * from->stride, search->places, node->n, copy + k * node->n);
    for (size_t k = 0; k < node->n; k++) {
        search->place_in_block[node->items[k]] = (uint32_t)k;
        search->places[k] = (uint32_t)k;
    }
    search->pool_used += node->n * node->n;
    search->view = search->n_blocks++;
    search->blocks[search->view] = (block){.z = copy, .n = node->n, .stride = node->n};
}

size_t sm_distances_enter(sm_search *search, const sm_node *node, size_t view) {
    while (search->n_blocks > view + 1) { /* done with: depth first */
        const block *last = &search->blocks[--search->n_blocks];
        search->pool_used -= last->n * last->n;
    }
    search->view = view;
    for (size_t k = 0; k < node->n; k++)
        search->places[k] = view == 0 ? node->items[k] : search->place_in_block[node->items[k]];
    bool is_worth_it = node->n > SMALLEST_BLOCK && 2 * node->n <= search->blocks[view].n;
    if (is_worth_it && search->n_blocks < MOST_BLOCKS && search->pool_used + node->n * node->n <= search->pool_size)
        push_block(search, node);
    for (size_t k = 0; k < node->n; k++) search->weight[k] = node->weight[k];
    return search->view;
}

/* Row k of the node: z_kj for all items j of the node, in place or gathered. */
static const float *node_row(sm_search *search, const sm_node *node, size_t k) {
    const block *source = &search->blocks[search->view];
    const float *row = source->z + search->places[k] * source->stride;
    if (source->n == node->n) return row;
    gather(row, search->places, node->n, search->gathered);
    return search->gathered;
}

/* The same times w_j, with the diagonal that the target wants, padded. */
static void weighed_row(sm_search *search, const sm_node *node, size_t k, double *out) {
    search->kernels->weigh(node_row(search, node, k), search->weight, node->n, out);
    out[k] = sm_distances_self(search->distances, node->items[k]) * search->weight[k];
}

bool sm_distances_is_pure(sm_search *search, const sm_node *node) {
    double first = sm_distances_self(search->distances, node->items[0]);
    for (size_t k = 0; k < node->n; k++) {
        if (sm_distances_self(search->distances, node->items[k]) != first) return false;
        const float *row = node_row(search, node, k);
        for (size_t j = 0; j < k; j++)
            if ((double)row[j] != first) return false;
    }
    return true;
}

static void fill_ranks(sm_search *search, const sm_node *node, const sm_line_up *line_ups, size_t n_line_ups) {
    size_t padded = sm_padded(node->n);
    for (size_t u = 0; u < n_line_ups; u++) {
        int32_t *ranks = search->ranks + u * padded;
        for (size_t r = 0; r < node->n; r++) ranks[line_ups[u].order[r]] = (int32_t)r;
        for (size_t j = node->n; j < padded; j++) ranks[j] = SM_RANK_PAD;
    }
}

/* T and P for rows k .. k + n_rows - 1. */
static void sum_rows(sm_search *search, const sm_node *node, size_t k, size_t n_rows, size_t n_line_ups) {
    size_t n = node->n, padded = sm_padded(n);
    const double *weighed[SM_TILE_ROWS];
    for (size_t r = 0; r < n_rows; r++) {
        double *row = search->weighed + r * padded;
        weighed_row(search, node, k + r, row);
        search->row_sum[k + r] = search->kernels->sum(row, padded);
        weighed[r] = row;
    }
    size_t n_tiles = (n_line_ups + SM_TILE_LINE_UPS - 1) / SM_TILE_LINE_UPS;
    for (size_t tile = 0, u = 0, n_now; tile < n_tiles; tile++, u += n_now) {
        n_now = (n_line_ups - u + n_tiles - tile - 1) / (n_tiles - tile); /* evenly: 5 are 3 and 2, not 4 and 1 */
        const int32_t *ranks[SM_TILE_LINE_UPS];
        int32_t own[SM_TILE_ROWS * SM_TILE_LINE_UPS];
        double sums[SM_TILE_ROWS * SM_TILE_LINE_UPS];
        for (size_t v = 0; v < n_now; v++) {
            ranks[v] = search->ranks + (u + v) * padded;
            for (size_t r = 0; r < n_rows; r++) own[r * SM_TILE_LINE_UPS + v] = ranks[v][k + r];
        }
        search->kernels->masked_sums(weighed, n_rows, ranks, n_now, padded, own, sums);
        for (size_t v = 0; v < n_now; v++)
            for (size_t r = 0; r < n_rows; r++) search->before[(u + v) * n + k + r] = sums[r * SM_TILE_LINE_UPS + v];
    }
}

static void walk(const sm_search *search, const sm_node *node, const double *before, const sm_line_up *line_up) {
    size_t n = node->n;
    double cost = 0, weight = 0;
    for (size_t r = 0; r + 1 < n; r++) {
        size_t k = line_up->order[r];
        double w = search->weight[k], self = w * sm_distances_self(search->distances, node->items[k]);
        cost += w * (2 * before[k] + self);
        weight += w;
        line_up->left[r] = cost / weight;
    }
    cost = weight = 0;
    for (size_t r = n; r-- > 1;) {
        size_t k = line_up->order[r];
        double w = search->weight[k], self = w * sm_distances_self(search->distances, node->items[k]);
        cost += w * (2 * (search->row_sum[k] - before[k] - self) + self);
        weight += w;
        line_up->right[r - 1] = cost / weight;
    }
}

double sm_distances_price(sm_search *search, const sm_node *node, const sm_line_up *line_ups, size_t n_line_ups) {
    fill_ranks(search, node, line_ups, n_line_ups);
    for (size_t k = 0; k < node->n; k += SM_TILE_ROWS)
        sum_rows(search, node, k, node->n - k < SM_TILE_ROWS ? node->n - k : SM_TILE_ROWS, n_line_ups);
    for (size_t u = 0; u < n_line_ups; u++) walk(search, node, search->before + u * node->n, &line_ups[u]);
    double cost = 0;
    for (size_t k = 0; k < node->n; k++) cost += search->weight[k] * search->row_sum[k];
    return cost / node->total;
}

void sm_distances_levels(sm_search *search, const sm_node *node, const uint32_t *level, size_t n_levels, double *mean) {
    double *level_weight = search->row_sum; /* free between two prices, and there are no more levels than items */
    memset(mean, 0, n_levels * n_levels * sizeof *mean);
    memset(level_weight, 0, n_levels * sizeof *level_weight);
    for (size_t k = 0; k < node->n; k++) {
        if (level[k] == SMERF_MISSING) continue;
        level_weight[level[k]] += search->weight[k];
        weighed_row(search, node, k, search->weighed);
        double *sums = mean + level[k] * n_levels;
        for (size_t j = 0; j < node->n; j++)
            if (level[j] != SMERF_MISSING) sums[level[j]] += search->weight[k] * search->weighed[j];
    }
    for (size_t a = 0; a < n_levels; a++)
        for (size_t b = 0; b < n_levels; b++) mean[a * n_levels + b] /= level_weight[a] * level_weight[b];
}
