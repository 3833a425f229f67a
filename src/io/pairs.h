/* pairs.h - reads a CSV file whose first two columns are ids of items. */
#ifndef SM_IO_PAIRS_H
#define SM_IO_PAIRS_H

#include "io/matrix.h"

typedef struct sm_pairs {
    size_t n;
    uint32_t *left, *right; /* [n] places in the rows and in the columns */
} sm_pairs;

/* There is a header (its names are free), at least two columns; further columns are ignored. Ids are matched as text;
 * where a side has no ids, they are row numbers from 0. No pairs at all are fine. Refused with its place: an unknown
 * id, a row with more or fewer cells than the header, a first line of two numbers that are ids (the header was
 * forgotten). */
smerf_status sm_pairs_read(const char *path, const sm_matrix_side *rows, const sm_matrix_side *columns, sm_pairs *pairs,
                           smerf_error *error);
void sm_pairs_free(sm_pairs *pairs);

#endif
