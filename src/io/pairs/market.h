/* market.h - graphs in Matrix Market files: see edges.h. */
#ifndef SM_IO_MARKET_H
#define SM_IO_MARKET_H

#include "io/pairs/pairs.h"
#include "io/text/source.h"

/* Whether the bytes start as a Matrix Market file does. */
bool sm_market_is(const sm_source *source);

/* The entries of an n x n matrix below or above its diagonal as edges: rows count from 0. Of a general matrix, which has
 * each twice, those are given that come first. */
smerf_status sm_market_read(const sm_source *source, size_t n_items, sm_pairs *edges, smerf_error *error);

/* Where an entry stands, from 0; the end of the text if there are not so many. */
size_t sm_market_find_entry(const sm_source *source, size_t entry);

#endif
