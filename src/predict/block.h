/* block.h - a block of predictions: SM_BLOCK_ROWS rows side by side, added up tree by tree over some of the columns.
 *
 * For each tree the distances of the rows' leaves to all leaves become a table, a cache line for each leaf, and each
 * column adds the line of its leaf. Every pair is added up in the order of the trees, whatever blocks and columns there are. */
#ifndef SM_PREDICT_BLOCK_H
#define SM_PREDICT_BLOCK_H

#include "kernels/blocks.h"
#include "predict/query.h"

typedef struct sm_span {
    size_t first, end;
} sm_span;

enum { SM_MOST_SPANS = 2 };

/* Which rows, up to SM_BLOCK_ROWS, and which columns. */
typedef struct sm_block {
    size_t first, end;
    size_t n_spans;
    sm_span span[SM_MOST_SPANS];
} sm_block;

/* A thread's room. Sums stand span after span. */
typedef struct sm_block_scratch {
    sm_leaf_scratch leaf;
    sm_arena arena;
    const sm_block_kernels *kernels;
    double *sums;      /* [most columns][SM_BLOCK_ROWS] */
    uint32_t *counts;  /* the same shape, see sm_query_uses_all_trees; NULL where all do */
    double *table;     /* [leaves][SM_BLOCK_ROWS] */
    double *rows;      /* [SM_BLOCK_ROWS][leaves]; NULL where the target makes tables itself */
    double *scratch;   /* the target's, if it does */
    uint32_t *marks;   /* the same shape; NULL where all speak: what a tree adds to the counts */
    uint32_t *columns; /* [most columns] indices in the sums; NULL where all trees are eligible */
    float *items;      /* [training items][SM_BLOCK_ROWS]; NULL where the target has no such table */
} sm_block_scratch;

/* False: no memory, and there is nothing to free. */
bool sm_block_scratch_start(sm_block_scratch *scratch, const sm_query *query, size_t most_columns);
void sm_block_scratch_free(sm_block_scratch *scratch);

/* The bytes that takes, about. */
double sm_block_scratch_bytes(const sm_query *query, size_t most_columns);

size_t sm_block_n_columns(const sm_block *block);

/* Sums and counts 0. */
void sm_block_clear(const sm_block *block, sm_block_scratch *scratch);

/* Fills room->table for leaves of a tree, which may repeat, with what the target says: a leaf's distance to itself has its
 * items' own distances in it. For rooms with as many columns as the tree has leaves, at least.   leaf  [SM_BLOCK_ROWS] */
void sm_block_table(const smerf_target *target, const sm_ready *ready, const uint32_t *leaf, sm_block_scratch *scratch);

/* Adds trees first .. end-1, which are at hand. */
void sm_block_add(const sm_query *query, const sm_block *block, size_t first, size_t end, sm_block_scratch *scratch);

/* Where a batch of trees ends that starts with `first`: what blocks of so many columns read of it stays in the cache from
 * one to the next.   n_rows  that are predicted */
size_t sm_block_batch_end(const sm_query *query, size_t first, size_t n_rows, size_t n_columns);

/* Whether a tree of few leaves has the distances of all of them formed once, for all blocks together: how many numbers
 * these are, else 0. A batch has SM_MOST_LEAF_ROWS of them at most. */
size_t sm_block_n_leaf_rows(const sm_query *query, size_t b, size_t n_rows);

enum { SM_MOST_LEAF_ROWS = 4000000 };

/* From sums to means: NaN where no tree is eligible, the fallback where none has a word to say. True: there is such a pair,
 * which is left to sm_predict_undefined, and keeps the count SM_IS_ELIGIBLE. */
bool sm_block_divide(const sm_query *query, const sm_block *block, sm_block_scratch *scratch);

#endif
