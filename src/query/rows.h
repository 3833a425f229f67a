/* rows.h - predicted distances of a few rows to all columns: what every question about all pairs is made of. */
#ifndef SM_QUERY_ROWS_H
#define SM_QUERY_ROWS_H

#include "query/asked.h"

/* Rows are predicted in chunks: the distances of one leaf to all others serve every row that falls into it. */
enum { SM_CHUNK_ROWS = 32 };

/* A thread's room for one chunk. */
typedef struct sm_chunk {
    sm_leaf_room leaf;
    uint32_t *n_spoken; /* [SM_CHUNK_ROWS][n_columns] how many trees spoke for each pair; NULL where all do */
} sm_chunk;

bool sm_chunk_start(sm_chunk *chunk, const sm_asked *asked);
void sm_chunk_free(sm_chunk *chunk);

/* Distances of rows first .. end-1 (at most SM_CHUNK_ROWS), Eq. (3); NaN where no tree speaks.
 *   distances  [end - first][n_columns] out */
void sm_rows_predict(const sm_asked *asked, size_t first, size_t end, sm_chunk *chunk, double *distances);

/* The distance of one pair with self-distances counted: for a model that leaves them out, but has no tree with another
 * pair to ask. */
double sm_rows_with_self(const sm_asked *asked, size_t row, size_t column);

#endif
