/* pairs.c - see pairs.h. */
#include "io/pairs.h"

#include "base/memory.h"
#include "io/csv.h"
#include "io/names.h"

typedef struct pairs_reader {
    sm_source source;
    sm_csv csv;
    sm_roll rolls[2]; /* of the rows, and of the columns */
    size_t n_cells;   /* of each line */
    sm_pairs pairs;
    smerf_error *error;
} pairs_reader;

/* Reads the header. Two ids are no header (but for i and j, which predict writes): the first pair would be lost without a
 * word. */
static smerf_status read_header(pairs_reader *reader) {
    const sm_source *source = &reader->source;
    sm_csv_cell cell = {0};
    bool is_found = true, is_pair = true, is_ours = true;
    for (reader->n_cells = 0; !cell.ends_row; reader->n_cells++) {
        smerf_status status = sm_csv_next(&reader->csv, &cell, &is_found, reader->error);
        if (status != SMERF_OK) return status;
        if (!is_found)
            return sm_source_fail(source, 0, reader->error, "the file is empty: a header and pairs are needed");
        if (reader->n_cells < 2) {
            is_ours &= cell.n == 1 && cell.text[0] == "ij"[reader->n_cells];
            is_pair &= sm_roll_find(&reader->rolls[reader->n_cells], cell.text, cell.n) != SMERF_MISSING;
        }
    }
    if (reader->n_cells < 2)
        return sm_source_fail(source, cell.place, reader->error, "one column, and two with ids are needed");
    if (is_pair && !is_ours)
        return sm_source_fail(source, 0, reader->error, "the first line is a pair, and a header is needed above it");
    return SMERF_OK;
}

static smerf_status read_rows(pairs_reader *reader) {
    uint32_t *places[2] = {reader->pairs.left, reader->pairs.right};
    sm_csv_cell cell = {0};
    for (size_t c = 0;; c = cell.ends_row ? 0 : c + 1) {
        bool is_found;
        smerf_status status = sm_csv_next(&reader->csv, &cell, &is_found, reader->error);
        if (status != SMERF_OK || !is_found) return status;
        if (cell.ends_row != (c + 1 == reader->n_cells))
            return sm_source_fail(&reader->source, cell.place, reader->error,
                                  "a row with %s cells than the header, which has %zu",
                                  cell.ends_row ? "fewer" : "more", reader->n_cells);
        if (c < 2) {
            char shown[SM_EXCERPT];
            uint32_t place = sm_roll_find(&reader->rolls[c], cell.text, cell.n);
            if (place == SMERF_MISSING)
                return sm_source_fail(&reader->source, cell.place, reader->error, "no item has the id \"%s\"",
                                      sm_excerpt(cell.text, cell.n, shown));
            places[c][reader->pairs.n] = place;
        }
        reader->pairs.n += cell.ends_row;
    }
}

static smerf_status read_pairs(pairs_reader *reader) {
    smerf_status status = read_header(reader);
    if (status != SMERF_OK) return status;
    size_t most = sm_csv_most_rows(&reader->csv, reader->n_cells);
    status = sm_check_memory((double)most * 2 * sizeof(uint32_t), reader->source.name, reader->error);
    if (status != SMERF_OK) return status;
    reader->pairs.left = sm_array(most, sizeof(uint32_t));
    reader->pairs.right = sm_array(most, sizeof(uint32_t));
    if (reader->pairs.left == NULL || reader->pairs.right == NULL) return sm_no_memory(reader->error, "reading pairs");
    return read_rows(reader);
}

smerf_status sm_pairs_read(const char *path, const sm_matrix_side *rows, const sm_matrix_side *columns, sm_pairs *pairs,
                           smerf_error *error) {
    pairs_reader reader = {.error = error};
    *pairs = (sm_pairs){0};
    smerf_status status = sm_source_open(path, &reader.source, error);
    if (status != SMERF_OK) return status;
    sm_csv_start(&reader.csv, &reader.source);
    status = sm_roll_start(&reader.rolls[0], rows->ids, rows->n, error);
    if (status == SMERF_OK) status = sm_roll_start(&reader.rolls[1], columns->ids, columns->n, error);
    if (status == SMERF_OK) status = read_pairs(&reader);
    if (status == SMERF_OK)
        *pairs = reader.pairs; /* now the caller's */
    else
        sm_pairs_free(&reader.pairs);
    sm_roll_stop(&reader.rolls[0]);
    sm_roll_stop(&reader.rolls[1]);
    sm_csv_stop(&reader.csv);
    sm_source_close(&reader.source);
    return status;
}

void sm_pairs_free(sm_pairs *pairs) {
    sm_free(pairs->left);
    sm_free(pairs->right);
    *pairs = (sm_pairs){0};
}
