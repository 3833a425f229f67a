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
 * The sums of rows are put together from spans of columns, so that what is summed over a span stays in the cache. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "target/distances_rows.h"
#include "target/two.h"

/* Chunks of a span of columns. */
enum { SPAN = 8 };

/* A row of a chunk, with what a pick may write more, in whole lines of the cache. */
enum { COPY_ROOM = SM_CHUNK + 16 };

struct sm_search {
    sm_arena arena; /* holds all arrays */
    const sm_distances *distances;
    const sm_kernels *kernels;
    sm_node_rows rows;
    size_t n_cells; /* room for sums and ranks: a small node's go into one round, see n_at_once */
    size_t n_sums;  /* per item now: the whole one, and a masked one for each line-up */

    /* By item, in chunks: [chunks][n_sums][SM_CHUNK]. */
    double *sums;      /* of columns; less those of rows, if they are masked */
    int64_t *ranks;    /* nothing where the whole sum is */
    double *whole_row; /* [n_items] */

    double *weight;       /* [padded n_items] by place in the node */
    double *own;          /* [n_items] w_k^2 z_kk */
    double *left, *right; /* [n_items] what each item adds to either side */
    double *lanes;        /* [n_sums][SM_BAND][SM_LANES] of a band's rows */
    double *weighed;      /* [SM_BAND][SM_CHUNK] of a band and a chunk */
    float *copied;        /* [SM_BAND][COPY_ROOM] the rows of a tile that cannot be read in place */
    float *zeros;         /* [SM_CHUNK] what rows after the last one hold */
};

void sm_distances_search_free(sm_search *search) {
    if (search == NULL) return;
    sm_arena_free(&search->arena);
    sm_free(search);
}

static size_t n_chunks_of(size_t n) { return (n + SM_CHUNK - 1) / SM_CHUNK; }

/* ---- room ---- */

/* What a thread may take for sums and blocks: its share of the bytes of Z, less the program itself and what the thread
 * needs else for the items and line-ups of a node (train/fit.c has what the splitter takes). */
static double share_of(size_t n_all, const sm_search_size *size) {
    double z_bytes = (double)n_all * (double)n_all * sizeof(float), program = fmin(6 << 20, z_bytes / 4);
    double others = (double)size->n_items * ((double)(size->n_line_ups * 24 + size->list_bytes) + 200);
    return (0.85 * z_bytes - program) / (double)size->n_threads - others;
}

static double sum_bytes(size_t n_items, size_t n_line_ups) {
    return (double)n_items * (double)(n_line_ups + 1) * (sizeof(double) + sizeof(int64_t));
}

/* Line-ups of a root that are summed at once: all of them, or half, in two rounds, if many threads share the room. */
static size_t n_at_once(size_t n_all, const sm_search_size *size) {
    size_t n = size->n_line_ups;
    return sum_bytes(size->n_items, n) <= share_of(n_all, size) ? n : (n + 1) / 2;
}

/* The room for blocks: enough for the triangle of a root and what follows, or what is left of the share; but always
 * some, without which small nodes would be picked from all over Z. */
static size_t pool_floats(size_t n_all, const sm_search_size *size) {
    double left = share_of(n_all, size) - sum_bytes(size->n_items, n_at_once(n_all, size));
    double wanted = (double)sm_triangle(size->n_items) / SM_BLOCK_SHARE;
    return (size_t)fmin(wanted, fmax(left / sizeof(float), 1 << 14));
}

sm_search *sm_distances_search_new(const smerf_target *target, const sm_search_size *size, smerf_error *error) {
    size_t n = size->n_items;
    sm_search *search = sm_zeros(1, sizeof *search);
    if (search == NULL) {
        sm_no_memory(error, "preparing to grow trees");
        return NULL;
    }
    search->distances = sm_distances_of(target);
    search->kernels = sm_kernels_select(size->kernels);
    sm_arena *arena = &search->arena;
    sm_node_rows_start(&search->rows, arena, search->distances, search->kernels, n, pool_floats(target->n_rows, size));
    search->n_cells = sm_size(n_chunks_of(n) * SM_CHUNK, n_at_once(target->n_rows, size) + 1, 0);
    search->sums = sm_arena_take(arena, search->n_cells, sizeof *search->sums);
    search->ranks = sm_arena_take(arena, search->n_cells, sizeof *search->ranks);
    search->whole_row = sm_arena_take(arena, n, sizeof *search->whole_row);
    search->weight = sm_arena_take(arena, sm_padded(n), sizeof *search->weight);
    search->own = sm_arena_take(arena, n, sizeof *search->own);
    search->left = sm_arena_take(arena, n, sizeof *search->left);
    search->right = sm_arena_take(arena, n, sizeof *search->right);
    search->lanes = sm_arena_take(arena, sm_size(size->n_line_ups + 1, SM_BAND * SM_LANES, 0), sizeof *search->lanes);
    search->weighed = sm_arena_take(arena, SM_BAND * SM_CHUNK, sizeof *search->weighed);
    search->copied = sm_arena_take(arena, SM_BAND * COPY_ROOM, sizeof *search->copied);
    search->zeros = sm_arena_take_zeros(arena, SM_CHUNK, sizeof *search->zeros);
    if (!arena->has_failed) return search;
    sm_distances_search_free(search);
    sm_no_memory(error, "preparing to grow trees");
    return NULL;
}

size_t sm_distances_enter(sm_search *search, const sm_node *node, size_t view) {
    for (size_t k = 0; k < node->n; k++) {
        double w = search->weight[k] = node->weight[k];
        search->own[k] = w * w * sm_distances_self(search->distances, node->items[k]);
    }
    for (size_t k = node->n; k < sm_padded(node->n); k++) search->weight[k] = 0;
    return sm_node_rows_enter(&search->rows, node, view);
}

bool sm_distances_is_pure(sm_search *search, const sm_node *node) {
    double first = sm_distances_self(search->distances, node->items[0]);
    for (size_t k = 0; k < node->n; k++) {
        if (sm_distances_self(search->distances, node->items[k]) != first) return false;
        for (size_t j = k + 1; j < node->n; j++)
            if (sm_node_rows_pair(&search->rows, k, j) != first) return false;
    }
    return true;
}

/* ---- the sums over pairs ---- */

/* Where the numbers of one item or chunk lie. */
static size_t cell(const sm_search *search, size_t sum, size_t item) {
    return (item / SM_CHUNK * search->n_sums + sum) * SM_CHUNK + item % SM_CHUNK;
}

/* The columns of a chunk, padded. */
static size_t width_of(const sm_node *node, size_t chunk) {
    size_t rest = node->n - chunk * SM_CHUNK;
    return rest < SM_CHUNK ? sm_padded(rest) : SM_CHUNK;
}

static void start_sums(sm_search *search, const sm_node *node, const sm_line_up *line_ups, size_t n_line_ups) {
    search->n_sums = n_line_ups + 1;
    memset(search->whole_row, 0, node->n * sizeof *search->whole_row);
    for (size_t chunk = 0; chunk < n_chunks_of(node->n); chunk++)
        for (size_t s = 0; s < search->n_sums; s++)
            memset(search->sums + cell(search, s, chunk * SM_CHUNK), 0, width_of(node, chunk) * sizeof *search->sums);
    for (size_t u = 0; u < n_line_ups; u++) {
        for (size_t r = 0; r < node->n; r++) search->ranks[cell(search, u + 1, line_ups[u].order[r])] = (int64_t)r;
        for (size_t j = node->n; j < sm_padded(node->n); j++) search->ranks[cell(search, u + 1, j)] = 0;
    }
}

/* Where a tile lies: the rows of a band and the columns of a chunk. */
typedef struct place {
    size_t band, n_rows, chunk;
    size_t from, end, to; /* columns of the chunk, from the diagonal on; all but the padding end at `end` */
} place;

static place place_at(const sm_node *node, size_t band, size_t chunk) {
    size_t first = chunk * SM_CHUNK, rest = node->n - first, n_rows = node->n - band;
    return (place){.band = band,
                   .n_rows = n_rows < SM_BAND ? n_rows : SM_BAND,
                   .chunk = chunk,
                   .from = band > first ? band - first : 0,
                   .end = rest < SM_CHUNK ? rest : SM_CHUNK,
                   .to = width_of(node, chunk)};
}

/* Tiles are gone through span by span, and there band by band; after the last comes one without rows. */
static place place_after(const sm_node *node, const place *at) {
    size_t n_chunks = n_chunks_of(node->n), band = at->band, chunk = at->chunk + 1;
    size_t span = at->chunk / SPAN * SPAN, end = span + SPAN < n_chunks ? span + SPAN : n_chunks;
    if (chunk < end) return place_at(node, band, chunk);
    band += SM_BAND;
    chunk = band / SM_CHUNK > span ? band / SM_CHUNK : span; /* those before it are left of the diagonal */
    if (band < node->n && chunk < end) return place_at(node, band, chunk);
    return end < n_chunks ? place_at(node, 0, end) : (place){.n_rows = 0};
}

static bool is_on_diagonal(const place *at) { return at->band >= at->chunk * SM_CHUNK; }

/* Copies the first columns of a tile on the diagonal, with 0 for pairs that do not count; returns where they end. */
static size_t copy_diagonal(sm_search *search, const place *at, const float *const *z) {
    size_t to = at->from + SM_BAND < at->to ? at->from + SM_BAND : at->to;
    for (size_t r = 0; r < at->n_rows; r++) {
        float *copy = search->copied + r * COPY_ROOM;
        for (size_t j = at->from; j < to; j++) copy[j] = 0;
        for (size_t j = at->from + r + 1; j < to && j < at->end; j++) copy[j] = z[r][j];
    }
    return to;
}

/* Copies the last columns of a tile, which share a lane with padding. */
static void copy_end(sm_search *search, const place *at, size_t from, const float *const *z) {
    for (size_t r = 0; r < at->n_rows; r++) {
        float *copy = search->copied + r * COPY_ROOM;
        for (size_t j = from; j < at->to; j++) copy[j] = j < at->end ? z[r][j] : 0;
    }
}

/* Copies the rows of a tile that do not lie in place, with 0 for pairs that do not count. */
static void pick_rows(sm_search *search, const sm_node *node, const place *at) {
    for (size_t r = 0; r < at->n_rows; r++) {
        float *copy = search->copied + r * COPY_ROOM;
        sm_node_rows_pick(&search->rows, node, at->band + r, at->chunk, copy);
        for (size_t j = at->from; is_on_diagonal(at) && j < at->to && j <= at->from + r; j++) copy[j] = 0;
        for (size_t j = at->end; j < at->to; j++) copy[j] = 0;
    }
}

/* Only what lies on the diagonal or beside padding is copied, if all else can be read in place. */
static void weigh(sm_search *search, const sm_node *node, const place *at, const sm_tile *tile) {
    const float *copied[SM_BAND], *z[SM_BAND];
    for (size_t r = 0; r < SM_BAND; r++) copied[r] = r < at->n_rows ? search->copied + r * COPY_ROOM : search->zeros;
    if (!sm_node_rows_are_in_place(&search->rows, node)) {
        pick_rows(search, node, at);
        search->kernels->weigh(tile, copied, at->from, at->to);
        return;
    }
    for (size_t r = 0; r < SM_BAND; r++)
        z[r] = r < at->n_rows ? sm_node_rows_at(&search->rows, at->band + r, at->chunk) : search->zeros;
    size_t left = at->from, right = at->end / SM_LANES * SM_LANES;
    if (is_on_diagonal(at)) {
        left = copy_diagonal(search, at, z);
        search->kernels->weigh(tile, copied, at->from, left);
    }
    if (left < right) search->kernels->weigh(tile, z, left, right);
    if (left > right) right = left;
    if (right == at->to) return;
    copy_end(search, at, right, z);
    search->kernels->weigh(tile, copied, right, at->to);
}

/* Adds the pairs of a tile, by all line-ups. */
static void add_tile(sm_search *search, const sm_node *node, const place *at, const place *next) {
    size_t columns = cell(search, 0, at->chunk * SM_CHUNK), rows = cell(search, 0, at->band);
    sm_tile tile = {.n_strips = (at->n_rows + SM_STRIP_ROWS - 1) / SM_STRIP_ROWS,
                    .n_orders = search->n_sums - 1,
                    .from = at->from,
                    .to = at->to,
                    .column_weight = search->weight + at->chunk * SM_CHUNK,
                    .row_weight = search->weight + at->band,
                    .rank = search->ranks + columns + SM_CHUNK,
                    .row_rank = search->ranks + rows + SM_CHUNK,
                    .weighed = search->weighed,
                    .columns = search->sums + columns,
                    .row_lanes = search->lanes};
    if (sm_node_rows_are_in_place(&search->rows, node)) tile.n_ahead = next->n_rows;
    for (size_t r = 0; r < tile.n_ahead; r++)
        tile.ahead[r] = sm_node_rows_at(&search->rows, next->band + r, next->chunk);
    weigh(search, node, at, &tile);
    search->kernels->sum_after(&tile);
}

static void open_band(sm_search *search) {
    memset(search->lanes, 0, search->n_sums * SM_BAND * SM_LANES * sizeof *search->lanes);
}

/* Adds what the lanes of a band hold to the sums of its rows. */
static void close_band(sm_search *search, const place *at) {
    for (size_t r = 0; r < at->n_rows; r++)
        search->whole_row[at->band + r] += sm_join_lanes(search->lanes + r * SM_LANES);
    for (size_t s = 1; s < search->n_sums; s++) {
        double *sums = search->sums + cell(search, s, at->band);
        for (size_t r = 0; r < at->n_rows; r++) sums[r] -= sm_join_lanes(search->lanes + (s * SM_BAND + r) * SM_LANES);
    }
}

static void add_pairs(sm_search *search, const sm_node *node) {
    open_band(search);
    for (place at = place_at(node, 0, 0), next; at.n_rows > 0; at = next) {
        next = place_after(node, &at);
        add_tile(search, node, &at, &next);
        bool is_last = next.n_rows == 0 || next.band != at.band;
        if (is_last) close_band(search, &at);
        if (is_last && next.n_rows > 0) open_band(search);
    }
}

/* ---- the costs of cuts ---- */

static void walk(sm_search *search, const sm_node *node, size_t sum, const sm_line_up *line_up) {
    size_t n = node->n;
    for (size_t first = 0; first < n; first += SM_CHUNK) {
        const double *whole_column = search->sums + cell(search, 0, first), *whole_row = search->whole_row + first;
        const double *masked = search->sums + cell(search, sum, first), *own = search->own + first;
        for (size_t i = 0; i < SM_CHUNK && first + i < n; i++) {
            search->left[first + i] = 2 * (whole_row[i] + masked[i]) + own[i];
            search->right[first + i] = 2 * (whole_column[i] - masked[i]) + own[i];
        }
    }
    sm_two cost = {0, 0}, weight = {0, 0}; /* of the left side, and of the right: divided at once */
    for (size_t r = 0; r + 1 < n; r++) {
        size_t k = line_up->order[r], l = line_up->order[n - 1 - r];
        cost += (sm_two){search->left[k], search->right[l]};
        weight += (sm_two){search->weight[k], search->weight[l]};
        sm_two mean = cost / weight;
        line_up->left[r] = mean[0];
        line_up->right[n - 2 - r] = mean[1];
    }
}

double sm_distances_price(sm_search *search, const sm_node *node, const sm_line_up *line_ups, size_t n_line_ups) {
    size_t most = search->n_cells / (n_chunks_of(node->n) * SM_CHUNK) - 1;
    size_t n_rounds = n_line_ups == 0 ? 1 : (n_line_ups + most - 1) / most;
    for (size_t round = 0; round < n_rounds; round++) {
        size_t first = round * n_line_ups / n_rounds, end = (round + 1) * n_line_ups / n_rounds;
        start_sums(search, node, line_ups + first, end - first);
        add_pairs(search, node);
        for (size_t u = first; u < end; u++) walk(search, node, u - first + 1, &line_ups[u]);
    }
    double cost = 0;
    for (size_t k = 0; k < node->n; k++)
        cost += search->whole_row[k] + search->sums[cell(search, 0, k)] + search->own[k];
    return cost / node->total;
}

void sm_distances_levels(sm_search *search, const sm_node *node, const uint32_t *level, size_t n_levels, double *mean) {
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
