/* quote.h - some of the rows of a table, as they stand in its file. */
#ifndef SM_IO_QUOTE_H
#define SM_IO_QUOTE_H

#include "base/output.h"
#include "io/text/source.h"

/* Writes the header and the chosen rows of ITEMS as CSV. A table that has no ids gets a first column `id` with the number
 * of each row, so that an item keeps its name. A CSV file is copied byte by byte, but for line ends, which become LF, and
 * blank lines; of .npy the numbers are written.
 *   is_chosen  by row; NULL: all of them
 *   has_ids    whether one of the columns names the items */
smerf_status sm_quote_write(const char *path, const bool *is_chosen, bool has_ids, sm_output *output,
                            smerf_error *error);

/* Refuses a table without ids that has a column called id, which the excerpts would have twice. */
smerf_status sm_quote_check(const char *path, bool has_ids, smerf_error *error);

#endif
