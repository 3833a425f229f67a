/* distances_search.h - what a thread keeps while it looks for splits of nodes of a dense matrix. */
#ifndef SM_TARGET_DISTANCES_SEARCH_H
#define SM_TARGET_DISTANCES_SEARCH_H

#include "target/dense/distances_tiles.h"

/* Sums of whole numbers, see distances_approximate.c. */
typedef struct sm_approximate_sums {
    float *weight;                  /* [padded n_items] by node index */
    int32_t *columns;               /* [SM_SPAN][n_sums][SM_CHUNK] of a span, since they were last carried over */
    int32_t *lanes;                 /* [n_sums][SM_TILE_ROWS][SM_APPROXIMATE_LANES] of a band's rows */
    double *joined;                 /* [n_sums][SM_TILE_ROWS] the same rows, lanes added up */
    int32_t *weighed;               /* [SM_TILE_ROWS][SM_CHUNK] of a band and a chunk */
    double *rows;                   /* [2][SM_TILE_ROWS][SM_EXACT_LANES] of a band's rows, exactly; or on either side */
    float row_weight[SM_TILE_ROWS]; /* scale w_k of a band's rows */
    double scale;                   /* a power of two: whole numbers are this many times what they stand for */
} sm_approximate_sums;

/* Some items of a node, and how far its levels are from them, see distances_levels.c. */
typedef struct sm_landmarks {
    uint32_t *by_level,
        *first;     /* [n_items], [n_levels + 1] node indices, level after level; where the next one starts */
    uint32_t *item; /* [n] node indices */
    size_t n;
    double *distance; /* [n_levels][n] means, centred */
    double *product;  /* [n] */
} sm_landmarks;

struct sm_search {
    sm_arena arena; /* holds all arrays */
    const sm_distances *distances;
    const sm_dense_kernels *kernels;
    sm_node_rows rows;
    sm_tile_scratch tile_scratch;
    size_t n_cells; /* how many sums and ranks there is memory for */
    size_t n_sums;  /* per item now: the whole one, and a masked one for each line-up */

    /* By item, in chunks: [chunks][n_sums][SM_CHUNK]. */
    double *sums;      /* of columns; less those of rows, if they are masked */
    int32_t *ranks;    /* nothing where the whole sum is */
    double *whole_row; /* [n_items] */

    double *weight;       /* [padded n_items] by node index */
    double *own;          /* [n_items] w_k^2 z_kk */
    double *left, *right; /* [padded n_items] what each item adds to either side; or its weight on either */
    double *lanes;        /* [n_sums][SM_TILE_ROWS][SM_LANES] of a band's rows */
    double *weighed;      /* [SM_TILE_ROWS][SM_CHUNK] of a band and a chunk */
    sm_approximate_sums approximate;
    sm_landmarks landmarks;
};

/* Where the numbers of one item or chunk lie. */
static inline size_t sm_cell(const sm_search *search, size_t sum, size_t item) {
    return (item / SM_CHUNK * search->n_sums + sum) * SM_CHUNK + item % SM_CHUNK;
}

/* Notes the ranks of the line-ups, and sets all sums to zero. */
void sm_distances_start_sums(sm_search *search, const sm_node *node, const sm_line_up *line_ups, size_t n_line_ups);

/* What a tile of the node is, with its orders: in place, as copying it would wait for what was just written. */
void sm_distances_frame(const sm_search *search, const sm_tiles *tiles, sm_tile_frame *frame);

/* distances_levels.c: as in sm_engine. */
void sm_distances_levels(sm_search *search, const sm_node *node, const uint32_t *level, size_t n_levels, double *mean);
double sm_distances_level_start(sm_search *search, const sm_node *node, const sm_node_levels *levels);
void sm_distances_level_product(sm_search *search, const sm_node *node, const sm_node_levels *levels, const double *x,
                                double *y);
void sm_landmarks_start(sm_landmarks *landmarks, sm_arena *arena, size_t n_items, size_t n_levels);
double sm_landmarks_bytes(size_t n_items, size_t n_levels);

/* distances_approximate.c */
extern const sm_approximation sm_distances_approximation;
double sm_distances_cost(sm_search *search, const sm_node *node);
void sm_approximate_start(sm_approximate_sums *approximate, sm_arena *arena, size_t n_items, size_t n_line_ups);
double sm_approximate_bytes(size_t n_items, size_t n_line_ups);

#endif
