/* distances_approximate.c - large nodes of a dense matrix in two thirds of the time, or half: all cuts are priced approximately, and those
 * that could be the best once more, exactly.
 *
 * Approximately: y_kj = w_k w_j z_kj is rounded to a whole multiple of 1 / scale. Whole numbers of 32 bits are compared, masked
 * and added eight at a time where doubles go by four, and their sums are the same in any order. From time to time, before
 * they could overflow, they are carried over to the sums in doubles that distances_search.c has: what follows, from sums
 * to costs, is the same.
 *
 * How far off can a cut's cost Q(L) / W_L + Q(R) / W_R be? Weights are floats, so y is formed in floats with two roundings,
 * and becomes whole with one more: it is off by at most |y| 2^-23 + 1 / (2 scale). With no weight below wmin, twice the sum of
 * the latter over the pairs of L is at most n_L^2 / (2 scale), and n_L / (2 scale wmin) of Q(L) / W_L; over both sides
 *     n / (2 scale wmin).
 * The former is the fraction 2^-23 of the costs themselves if no z is negative, else at most zmax W 2^-23.
 *
 * Exactly: the node's own cost is found in doubles on the way. If only one cut can be the best, that is all it takes: what
 * its sides cost is found when they are nodes themselves. Cuts that are near each other are compared by the few items
 * between them (move_cut). Else the sides of each such cut are added up, in one more reading of the node. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "target/dense/distances_search.h"

/* Smaller nodes are priced exactly as soon, and so are those with few line-ups. */
enum { LEAST_ITEMS = 192, LEAST_LINE_UPS = 4 };

/* Sums of columns are carried over after so many rows. */
enum { CARRY_ROWS = 128 };

/* Where products of floats are far from both ends of their range, and the heaviest items do not hide what the lightest add. */
static const double most_weight = 1 << 10, most_distance = 1.1e12, most_unequal = 64;

/* The most columns of a span. */
static size_t span_of(size_t n_items) {
    size_t n_chunks = sm_n_chunks(n_items);
    return (n_chunks < SM_SPAN ? n_chunks : SM_SPAN) * SM_CHUNK;
}

void sm_approximate_start(sm_approximate_sums *approximate, sm_arena *arena, size_t n_items, size_t n_line_ups) {
    size_t n_sums = n_line_ups + 1;
    approximate->rows = sm_arena_take(arena, 2 * SM_TILE_ROWS * SM_EXACT_LANES, sizeof *approximate->rows);
    if (n_items < LEAST_ITEMS) return; /* no node will need the rest */
    approximate->weight = sm_arena_take(arena, sm_padded(n_items), sizeof *approximate->weight);
    approximate->columns = sm_arena_take(arena, sm_size(n_sums, span_of(n_items), 0), sizeof *approximate->columns);
    approximate->lanes =
        sm_arena_take(arena, sm_size(n_sums, SM_TILE_ROWS * SM_APPROXIMATE_LANES, 0), sizeof *approximate->lanes);
    approximate->joined = sm_arena_take(arena, sm_size(n_sums, SM_TILE_ROWS, 0), sizeof *approximate->joined);
    approximate->weighed = sm_arena_take(arena, SM_TILE_ROWS * SM_CHUNK, sizeof *approximate->weighed);
}

double sm_approximate_bytes(size_t n_items, size_t n_line_ups) {
    return sizeof(int32_t) * (double)(n_line_ups + 1) * (double)span_of(n_items);
}

typedef struct weights {
    bool are_floats;
    double least, most;
    double heaviest; /* what is added to one whole number at most: by a lane of a span, or by rows up to a carry */
} weights;

/* Weights are numbers: no need to look for others, as fmin and fmax do. */
static double smaller(double a, double b) { return a < b ? a : b; }
static double larger(double a, double b) { return a > b ? a : b; }

static weights look_at_distances_weights(const sm_search *search, const sm_node *node) {
    weights found = {.are_floats = true, .least = INFINITY};
    double lanes[SM_APPROXIMATE_LANES] = {0}, rows = 0;
    for (size_t k = 0; k < node->n; k++) {
        double w = search->weight[k];
        found.are_floats &= (double)(float)w == w;
        found.least = smaller(found.least, w);
        found.most = larger(found.most, w);
        if (k % (SM_SPAN * SM_CHUNK) == 0) memset(lanes, 0, sizeof lanes);
        if (k % CARRY_ROWS == 0) rows = 0;
        rows += w;
        lanes[k % SM_APPROXIMATE_LANES] += w;
        found.heaviest = larger(found.heaviest, larger(rows, lanes[k % SM_APPROXIMATE_LANES]));
    }
    return found;
}

static bool is_approximate_quicker(sm_search *search, const sm_node *node, size_t n_line_ups) {
    double zmax = (double)search->distances->facts.largest;
    if (node->n < LEAST_ITEMS || n_line_ups < LEAST_LINE_UPS) return false;
    if (!(zmax <= most_distance && zmax >= 1 / most_distance)) return false;
    weights all = look_at_distances_weights(search, node);
    bool are_alike = all.most <= most_weight && all.least >= 1 / most_weight && all.most <= most_unequal * all.least;
    return are_alike && all.are_floats;
}

/* ---- sums of rows, exactly ---- */

enum { WHOLE, RIGHT = 0, LEFT, N_SIDES };

/* Of a band's rows, on one side: [SM_TILE_ROWS][SM_EXACT_LANES]. */
static double *distances_rows_of(const sm_search *search, size_t side) {
    return search->approximate.rows + side * SM_TILE_ROWS * SM_EXACT_LANES;
}

/* Adds the distances of a tile to the sums of its rows, in doubles.   weight  [padded n] of columns on that side */
static void add_rows(sm_search *search, const sm_tiles *tiles, size_t side, const double *weight) {
    sm_rows_tile tile = {.n_bands = sm_tiles_n_bands(tiles),
                         .weight = weight + tiles->at.chunk * SM_CHUNK,
                         .row_lanes = distances_rows_of(search, side)};
    for (const sm_tile_piece *piece = tiles->pieces; piece < tiles->pieces + tiles->n_pieces; piece++)
        search->kernels->sum_rows(&tile, piece->z, piece->from, piece->to);
}

static void open_rows(sm_search *search) {
    memset(search->approximate.rows, 0, N_SIDES * SM_TILE_ROWS * SM_EXACT_LANES * sizeof *search->approximate.rows);
}

/* What a row of the band adds to Q, from the lanes of its sum. */
static double row_sum(const sm_search *search, const sm_tiles *tiles, size_t side, size_t r) {
    const double *lanes = distances_rows_of(search, side) + r * SM_EXACT_LANES;
    return 2 * search->weight[tiles->at.band + r] * (sm_join_lanes(lanes) + sm_join_lanes(lanes + SM_LANES));
}

static double own_sum(const sm_search *search, const sm_node *node) {
    double sum = 0;
    for (size_t k = 0; k < node->n; k++) sum += search->own[k];
    return sum;
}

/* ---- approximately ---- */

/* The largest power of two for which no sum of whole numbers reaches 2^31. A hundredth more of a bound covers what is left
 * out above: roundings of roundings, and those of sums in doubles. */
static sm_error_bound choose_scale(sm_search *search, const sm_node *node) {
    const sm_float_facts *z = &search->distances->facts;
    weights all = look_at_distances_weights(search, node);
    double scale = ldexp(1, ilogb(0.99 * 0x1p31 / ((double)z->largest * all.most * all.heaviest)));
    search->approximate.scale = scale;
    for (size_t k = 0; k < sm_padded(node->n); k++) search->approximate.weight[k] = (float)search->weight[k];
    sm_error_bound bound = {.least = 1.01 * (double)node->n / (2 * scale * all.least)};
    if (z->has_negative)
        bound.least += 1.01 * (double)z->largest * node->total * 0x1p-23;
    else
        bound.fraction = 1.01 * 0x1p-23;
    return bound;
}

static void open_approximate_band(sm_search *search, const sm_tile_position *at) {
    sm_approximate_sums *approximate = &search->approximate;
    for (size_t r = 0; r < SM_TILE_ROWS; r++)
        approximate->row_weight[r] = r < at->n_rows ? (float)(search->weight[at->band + r] * approximate->scale) : 0;
    memset(approximate->lanes, 0, search->n_sums * SM_TILE_ROWS * SM_APPROXIMATE_LANES * sizeof *approximate->lanes);
}

static void add_approximate_tile(sm_search *search, const sm_tiles *tiles) {
    const sm_approximate_sums *approximate = &search->approximate;
    sm_approximate_tile tile;
    sm_distances_frame(search, tiles, &tile.frame);
    tile.column_weight = approximate->weight + tiles->at.chunk * SM_CHUNK;
    tile.row_weight = approximate->row_weight;
    tile.weighed = approximate->weighed;
    tile.columns = approximate->columns + tiles->at.chunk % SM_SPAN * search->n_sums * SM_CHUNK;
    tile.row_lanes = approximate->lanes;
    for (const sm_tile_piece *piece = tiles->pieces; piece < tiles->pieces + tiles->n_pieces; piece++)
        search->kernels->weigh_approximate(&tile, piece->z, piece->from, piece->to);
    search->kernels->sum_approximate(&tile);
}

/* Adds what the lanes of a band hold to the sums of its rows. */
static void close_approximate_band(sm_search *search, const sm_tile_position *at) {
    double unit = 1 / search->approximate.scale, *joined = search->approximate.joined;
    search->kernels->join_approximate(search->approximate.lanes, search->n_sums * SM_TILE_ROWS, joined);
    for (size_t r = 0; r < at->n_rows; r++) search->whole_row[at->band + r] += unit * joined[r];
    for (size_t s = 1; s < search->n_sums; s++) {
        double *masked = search->sums + sm_cell(search, s, at->band);
        for (size_t r = 0; r < at->n_rows; r++) masked[r] -= unit * joined[s * SM_TILE_ROWS + r];
    }
}

/* Adds what the columns of a span hold to their sums: those right of the first row since the last time. */
static void carry_columns(sm_search *search, const sm_node *node, const sm_tile_position *at) {
    double unit = 1 / search->approximate.scale;
    size_t n_chunks = sm_n_chunks(node->n), span = at->chunk / SM_SPAN * SM_SPAN, first = at->band / SM_CHUNK;
    size_t end = span + SM_SPAN < n_chunks ? span + SM_SPAN : n_chunks;
    for (size_t chunk = first > span ? first : span; chunk < end; chunk++) {
        int32_t *columns = search->approximate.columns + chunk % SM_SPAN * search->n_sums * SM_CHUNK;
        double *sums = search->sums + sm_cell(search, 0, chunk * SM_CHUNK); /* some nobody reads */
        search->kernels->carry_approximate(columns, search->n_sums * SM_CHUNK, unit, sums);
    }
}

static double price_distances_approximately(sm_search *search, const sm_node *node, const sm_line_up *line_ups,
                                            size_t n_line_ups, sm_error_bound *bound) {
    sm_approximate_sums *approximate = &search->approximate;
    double cost = own_sum(search, node);
    sm_distances_start_sums(search, node, line_ups, n_line_ups);
    *bound = choose_scale(search, node);
    memset(approximate->columns, 0, search->n_sums * span_of(node->n) * sizeof *approximate->columns);
    sm_tiles tiles;
    sm_tiles_start(&tiles, &search->rows, node, &search->tile_scratch);
    while (sm_tiles_next(&tiles)) {
        if (tiles.starts_band) {
            open_rows(search);
            open_approximate_band(search, &tiles.at);
        }
        add_approximate_tile(search, &tiles);
        add_rows(search, &tiles, WHOLE, search->weight);
        if (tiles.ends_band) {
            close_approximate_band(search, &tiles.at);
            for (size_t r = 0; r < tiles.at.n_rows; r++) cost += row_sum(search, &tiles, WHOLE, r);
        }
        bool is_full = tiles.ends_band && (tiles.at.band + SM_TILE_ROWS) % CARRY_ROWS == 0;
        if (is_full || tiles.ends_span) carry_columns(search, node, &tiles.at);
    }
    return cost / node->total;
}

/* ---- what a cut costs, and a node ---- */

double sm_distances_cost(sm_search *search, const sm_node *node) {
    double cost = own_sum(search, node);
    sm_tiles tiles;
    sm_tiles_start(&tiles, &search->rows, node, &search->tile_scratch);
    while (sm_tiles_next(&tiles)) {
        if (tiles.starts_band) open_rows(search);
        add_rows(search, &tiles, WHOLE, search->weight);
        for (size_t r = 0; tiles.ends_band && r < tiles.at.n_rows; r++) cost += row_sum(search, &tiles, WHOLE, r);
    }
    return cost / node->total;
}

/* Item by item, each with all others: those before it in the order, and those after it. */
static void move_distances_cut(sm_search *search, const sm_node *node, const uint32_t *order, size_t from, size_t to,
                               double *left, double *right) {
    *left = *right = 0;
    for (size_t r = from; r < to; r++) {
        size_t k = order[r];
        double sums[2] = {0, 0};
        for (size_t i = 0; i < node->n; i++) {
            size_t j = order[i];
            if (i == r) continue;
            sums[i > r] += search->weight[j] * sm_node_rows_pair(&search->rows, k < j ? k : j, k < j ? j : k);
        }
        *left += 2 * search->weight[k] * sums[0] + search->own[k];
        *right += 2 * search->weight[k] * sums[1] + search->own[k];
    }
}

/* Weights by side: an item has none on the other. */
static void take_sides(sm_search *search, const sm_node *node, const uint32_t *order, size_t n_left) {
    memset(search->left, 0, sm_padded(node->n) * sizeof *search->left);
    memcpy(search->right, search->weight, sm_padded(node->n) * sizeof *search->right);
    for (size_t r = 0; r < n_left; r++) {
        search->left[order[r]] = search->weight[order[r]];
        search->right[order[r]] = 0;
    }
}

static size_t side_of(const sm_search *search, size_t k) { return search->left[k] > 0 ? LEFT : RIGHT; }

static void price_distances_cut(sm_search *search, const sm_node *node, const uint32_t *order, size_t n_left,
                                double *left, double *right) {
    double cost[N_SIDES] = {0}, weight[N_SIDES] = {0};
    take_sides(search, node, order, n_left);
    for (size_t k = 0; k < node->n; k++) {
        cost[side_of(search, k)] += search->own[k];
        weight[side_of(search, k)] += search->weight[k];
    }
    sm_tiles tiles;
    sm_tiles_start(&tiles, &search->rows, node, &search->tile_scratch);
    while (sm_tiles_next(&tiles)) {
        if (tiles.starts_band) open_rows(search);
        add_rows(search, &tiles, LEFT, search->left);
        add_rows(search, &tiles, RIGHT, search->right);
        for (size_t r = 0; tiles.ends_band && r < tiles.at.n_rows; r++) {
            size_t side = side_of(search, tiles.at.band + r); /* a row counts where its item is */
            cost[side] += row_sum(search, &tiles, side, r);
        }
    }
    *left = cost[LEFT] / weight[LEFT];
    *right = cost[RIGHT] / weight[RIGHT];
}

const sm_approximation sm_distances_approximation = {.is_quicker = is_approximate_quicker,
                                                     .price = price_distances_approximately,
                                                     .move_cut = move_distances_cut,
                                                     .price_cut = price_distances_cut};
