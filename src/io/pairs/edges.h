/* edges.h - reads the edges of an undirected graph: CSV (source,target[,weight]) or Matrix Market. */
#ifndef SM_IO_EDGES_H
#define SM_IO_EDGES_H

#include "io/pairs/pairs.h"

/* CSV: as pairs.h says, and the value of an edge is in value_column, or else in a column called weight; it may be any
 * finite number, and without such a column `value` is NULL. Further columns are ignored. An edge from an item to itself is
 * refused with its place.
 *
 * Matrix Market (a file that starts with %%MatrixMarket): a coordinate matrix, real, integer or pattern (then `value` is
 * NULL), general or symmetric, n x n for n items; entries are rows of the items, from 1. Refused, with their places: an
 * entry on the diagonal, out of range or damaged; more or fewer entries than announced; in a general matrix an entry
 * whose mirror image is absent or different (each edge is given once; a symmetric matrix may hold either triangle).
 * Between two sets it is refused: it has no ids.
 *
 * Edges that are given again stay; sm_pairs.weight is NULL, and the wish's `largest` is not looked at. */
smerf_status sm_edges_read(const char *path, const sm_pairs_spec *spec, sm_pairs *edges, smerf_error *error);

#endif
