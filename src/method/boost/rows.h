/* rows.h - scores of one row with all columns: the plain way of score.h, for all columns at once.
 *
 * With the row's item fixed, what a split asks of a pair is whether the column's number lies in an interval. Columns have the ranks of their
 * numbers, 16 bits each; a split that is the same for all of them is decided once, with all that hangs on the side that is
 * lost. The others take the leaves of their left side from the columns that go right, eight columns at a time; the first leaf
 * that is left is the one. (The idea of leaves as bits is that of QuickScorer, Lucchese and others 2015.) */
#ifndef SM_BOOST_ROWS_H
#define SM_BOOST_ROWS_H

#include "method/boost/score.h"

typedef struct sm_boost_rows sm_boost_rows;

/* Makes ready; NULL in *out: the model has trees of more than 32 leaves, sets of levels of one item, splits on a base, or a number
 * has too many values. Borrows all. */
smerf_status sm_boost_rows_new(const sm_boost *boost, const sm_learned *learned, const sm_view *rows,
                               const sm_view *columns, size_t n_threads, sm_boost_rows **out, smerf_error *error);
void sm_boost_rows_free(sm_boost_rows *rows); /* takes NULL */

/* The scores of a row with columns range[0] ... range[1] - 1, each the same to the last bit as sm_boost_score gives it.
 *   is_reversed  of (column, row)
 *   score        [range[1] - range[0]] out */
void sm_boost_rows_score(const sm_boost_rows *rows, size_t row, bool is_reversed, size_t thread, const size_t range[2],
                         double *score);

#endif
