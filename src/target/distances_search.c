/* distances_search.c - prices every cut of a node from a dense matrix.
 *
 * Of each pair of the node, the one that stands later in a line-up owns y_kj = w_k w_j z_kj: with B_k the sum that item
 * k owns, and A_k the sum of its pairs with later items, the costs of all cuts follow in two walks along the line-up:
 *     from the left,  Q(L) grows by 2 B_k + w_k^2 z_kk;
 *     from the right, Q(R) grows by 2 A_k + w_k^2 z_kk.
 *
 * Walking the items in sorted order and gathering z would be the obvious way (bench/obvious.c). Instead the upper
 * triangle of the node is streamed in storage order, in strips of rows and chunks of columns (kernels.h). A pair goes
 * under the mask "the column's item comes after the row's" into the sum of its row, which becomes a part of A, and into
 * that of its column, a part of B; without a mask, into sums that every line-up shares. Per item and line-up, with the
 * difference m = masked column - masked row, which is all that is kept,
 *     B = whole row + m,   A = whole column - m.
 *
 * The sums of rows are put together from spans of columns, so that what is summed over a span stays in the cache. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "target/distances_rows.h"

/* Rows whose weighed distances are at hand at once; chunks of a span of columns. */
enum { BAND = 2 * SM_STRIP_ROWS, SPAN = 8 };

/* A row of a chunk, with what a pick may write more, in whole lines of the cache. */
enum { COPY_ROOM = SM_CHUNK + 16 };

struct sm_search {
    sm_arena arena; /* holds all arrays */
    const sm_distances *distances;
    const sm_kernels *kernels;
    sm_node_rows rows;
    size_t n_sums; /* per item now: the whole one, and a masked one for each line-up */

    /* By item, in chunks: [chunks][n_sums][SM_CHUNK]. */
    double *sums;      /* of columns; less those of rows, if they are masked */
    int64_t *ranks;    /* nothing where the whole sum is */
    double *whole_row; /* [n_items] */

    double *weight;       /* [padded n_items] by place in the node */
    double *own;          /* [n_items] w_k^2 z_kk */
    double *left, *right; /* [n_items] what each item adds to either side */
    double *lanes;        /* [n_sums][BAND][SM_LANES] of a band's rows */
    double *weighed;      /* [BAND][SM_CHUNK] of a band and a chunk */
    float *copied;        /* [SM_STRIP_ROWS][COPY_ROOM] the rows of a strip that cannot be read in place */
    float *zeros;         /* [SM_CHUNK] what rows after the last one hold */
};

void sm_distances_search_free(sm_search *search) {
    if (search == NULL) return;
    sm_arena_free(&search->arena);
    sm_free(search);
}

static size_t n_chunks_of(size_t n) { return (n + SM_CHUNK - 1) / SM_CHUNK; }

/* The room for blocks: enough for the triangle of a root and what follows, or less if many threads share the bytes of Z
 * with all else that they need for the items and line-ups of a node (train/fit.c has what the splitter takes), and with
 * the program itself; but always some, without which small nodes would be picked from all over Z. */
static size_t pool_floats(size_t n_all, const sm_search_size *size) {
    double n = (double)size->n_items, z_bytes = (double)n_all * (double)n_all * sizeof(float);
    double program = fmin(6 << 20, z_bytes / 4),
           others = n * ((double)(size->n_line_ups * 40 + size->list_bytes) + 200);
    double share = (0.85 * z_bytes - program) / (double)size->n_threads - others;
    double wanted = (double)sm_triangle(size->n_items) / SM_BLOCK_SHARE;
    return (size_t)fmin(wanted, fmax(share / sizeof(float), 1 << 15));
}

sm_search *sm_distances_search_new(const smerf_target *target, const sm_search_size *size, smerf_error *error) {
    size_t n = size->n_items, n_sums = size->n_line_ups + 1;
    sm_search *search = sm_zeros(1, sizeof *search);
    if (search == NULL) {
        sm_no_memory(error, "preparing to grow trees");
        return NULL;
    }
    search->distances = sm_distances_of(target);
    search->kernels = sm_kernels_select(size->kernels);
    sm_arena *arena = &search->arena;
    sm_node_rows_start(&search->rows, arena, search->distances, search->kernels, n, pool_floats(target->n_rows, size));
    size_t n_cells = sm_size(n_chunks_of(n) * SM_CHUNK, n_sums, 0);
    search->sums = sm_arena_take(arena, n_cells, sizeof *search->sums);
    search->ranks = sm_arena_take(arena, n_cells, sizeof *search->ranks);
    search->whole_row = sm_arena_take(arena, n, sizeof *search->whole_row);
    search->weight = sm_arena_take(arena, sm_padded(n), sizeof *search->weight);
    search->own = sm_arena_take(arena, n, sizeof *search->own);
    search->left = sm_arena_take(arena, n, sizeof *search->left);
    search->right = sm_arena_take(arena, n, sizeof *search->right);
    search->lanes = sm_arena_take(arena, sm_size(n_sums, BAND * SM_LANES, 0), sizeof *search->lanes);
    search->weighed = sm_arena_take(arena, BAND * SM_CHUNK, sizeof *search->weighed);
    search->copied = sm_arena_take(arena, SM_STRIP_ROWS * COPY_ROOM, sizeof *search->copied);
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

/* The rows k .. k + 3 in the columns of a chunk from `from` on, with 0 for what is not right of the diagonal. */
static void strip_rows(sm_search *search, const sm_node *node, size_t k, size_t chunk, size_t from, const float **z) {
    size_t first = chunk * SM_CHUNK, width = width_of(node, chunk);
    size_t end = first + width > node->n ? node->n - first : width;
    bool is_whole = k < first && end == width;
    for (size_t r = 0; r < SM_STRIP_ROWS; r++) {
        z[r] = search->zeros;
        if (k + r >= node->n) continue;
        float *copy = search->copied + r * COPY_ROOM;
        const float *row = sm_node_rows_part(&search->rows, node, k + r, chunk, copy);
        z[r] = (is_whole ? row : copy) + from;
        if (is_whole) continue;
        size_t start = k < first ? 0 : k + r + 1 - first;
        if (row != copy) memcpy(copy + start, row + start, (end - start) * sizeof *copy);
        for (size_t j = from; j < start; j++) copy[j] = 0;
        for (size_t j = end; j < width; j++) copy[j] = 0;
    }
}

/* Adds the pairs of a band of rows and a chunk of columns: two strips, by all line-ups. */
static void add_chunk(sm_search *search, const sm_node *node, size_t band, size_t chunk) {
    size_t first = chunk * SM_CHUNK, width = width_of(node, chunk), from[2], n_strips = 0;
    for (size_t k = band; k < node->n && k < band + BAND && k < first + width; k += SM_STRIP_ROWS, n_strips++) {
        const float *z[SM_STRIP_ROWS];
        from[n_strips] = k > first ? k - first : 0;
        size_t start = from[n_strips], strip = n_strips * SM_STRIP_ROWS;
        strip_rows(search, node, k, chunk, start, z);
        search->kernels->weigh(z, search->weight + first + start, search->weight + k, width - start,
                               search->weighed + strip * SM_CHUNK + start, search->lanes + strip * SM_LANES,
                               search->sums + cell(search, 0, first + start));
    }
    for (size_t s = 1; s < search->n_sums; s++)
        for (size_t i = 0; i < n_strips; i++) {
            size_t strip = i * SM_STRIP_ROWS, ranks = cell(search, s, first + from[i]);
            search->kernels->sum_after(search->weighed + strip * SM_CHUNK + from[i], search->ranks + ranks,
                                       search->ranks + cell(search, s, band + strip), width - from[i],
                                       search->lanes + (s * BAND + strip) * SM_LANES, search->sums + ranks);
        }
}

/* Adds the pairs of a band of rows and the chunks first .. end - 1. */
static void add_span(sm_search *search, const sm_node *node, size_t band, size_t first, size_t end) {
    size_t n_rows = node->n - band < BAND ? node->n - band : BAND;
    memset(search->lanes, 0, search->n_sums * BAND * SM_LANES * sizeof *search->lanes);
    for (size_t chunk = first; chunk < end; chunk++) add_chunk(search, node, band, chunk);
    for (size_t r = 0; r < n_rows; r++) search->whole_row[band + r] += sm_join_lanes(search->lanes + r * SM_LANES);
    for (size_t s = 1; s < search->n_sums; s++) {
        double *sums = search->sums + cell(search, s, band);
        for (size_t r = 0; r < n_rows; r++) sums[r] -= sm_join_lanes(search->lanes + (s * BAND + r) * SM_LANES);
    }
}

static void add_pairs(sm_search *search, const sm_node *node) {
    size_t n_chunks = n_chunks_of(node->n);
    for (size_t span = 0; span < n_chunks; span += SPAN) {
        size_t end = span + SPAN < n_chunks ? span + SPAN : n_chunks;
        for (size_t band = 0; band < node->n && band < end * SM_CHUNK; band += BAND) {
            size_t first = band / SM_CHUNK; /* chunks before it are left of the diagonal */
            add_span(search, node, band, first > span ? first : span, end);
        }
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
    double cost = 0, weight = 0;
    for (size_t r = 0; r + 1 < n; r++) {
        size_t k = line_up->order[r];
        cost += search->left[k];
        weight += search->weight[k];
        line_up->left[r] = cost / weight;
    }
    cost = weight = 0;
    for (size_t r = n; r-- > 1;) {
        size_t k = line_up->order[r];
        cost += search->right[k];
        weight += search->weight[k];
        line_up->right[r - 1] = cost / weight;
    }
}

double sm_distances_price(sm_search *search, const sm_node *node, const sm_line_up *line_ups, size_t n_line_ups) {
    start_sums(search, node, line_ups, n_line_ups);
    add_pairs(search, node);
    for (size_t u = 0; u < n_line_ups; u++) walk(search, node, u + 1, &line_ups[u]);
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
