/* quote.c - see quote.h. */
#include "io/text/quote.h"

#include <string.h>

#include "io/matrix/npy.h"
#include "io/text/csv.h"
#include "io/text/write.h"

/* Finds the row that starts at the next cell. *found is false at the end. */
static smerf_status next_row(sm_csv *csv, size_t *start, bool *found, smerf_error *error) {
    sm_csv_cell cell;
    smerf_status status = sm_csv_next(csv, &cell, found, error);
    *start = cell.place;
    while (status == SMERF_OK && *found && !cell.ends_row) status = sm_csv_next(csv, &cell, found, error);
    return status;
}

/* The bytes of a row without its line end. */
static void put_row(const sm_source *source, size_t start, size_t end, sm_output *output) {
    while (end > start && (source->bytes[end - 1] == '\n' || source->bytes[end - 1] == '\r')) end--;
    sm_output_write(output, source->bytes + start, end - start);
    sm_output_write(output, "\n", 1);
}

static smerf_status put_csv(const sm_source *source, const bool *is_chosen, bool has_ids, sm_output *output,
                            smerf_error *error) {
    sm_csv csv;
    sm_csv_start(&csv, source);
    const char separator[] = {csv.separator, '\0'};
    size_t start, n_lines = 0;
    bool is_found = true;
    smerf_status status = next_row(&csv, &start, &is_found, error);
    for (; status == SMERF_OK && is_found; n_lines++) {
        size_t this_row = start, end;
        bool is_header = n_lines == 0;
        end = csv.next;
        status = next_row(&csv, &start, &is_found, error);
        if (!is_header && is_chosen != NULL && !is_chosen[n_lines - 1]) continue;
        if (!has_ids && is_header) sm_output_print(output, "id%s", separator);
        if (!has_ids && !is_header) sm_output_print(output, "%zu%s", n_lines - 1, separator);
        put_row(source, this_row, end, output);
    }
    sm_csv_stop(&csv);
    return status;
}

static smerf_status put_npy(const sm_source *source, const bool *is_chosen, bool has_ids, sm_output *output,
                            smerf_error *error) {
    sm_npy npy;
    smerf_status status = sm_npy_read(source, &npy, error);
    if (status != SMERF_OK) return status;
    if (!has_ids) sm_output_print(output, "id,");
    for (size_t j = 0; j < npy.shape[1]; j++) sm_output_print(output, "%sx%zu", j > 0 ? "," : "", j);
    sm_output_write(output, "\n", 1);
    for (size_t i = 0; i < npy.shape[0]; i++) {
        if (is_chosen != NULL && !is_chosen[i]) continue;
        if (!has_ids) sm_output_print(output, "%zu,", i);
        for (size_t j = 0; j < npy.shape[1]; j++) {
            if (j > 0) sm_output_write(output, ",", 1);
            sm_put_number(output, sm_npy_get(&npy, i, j));
        }
        sm_output_write(output, "\n", 1);
    }
    return SMERF_OK;
}

static smerf_status check_no_id(const sm_source *source, smerf_error *error) {
    sm_csv csv;
    sm_csv_cell cell = {0};
    bool is_found = true;
    smerf_status status = SMERF_OK;
    sm_csv_start(&csv, source);
    while (status == SMERF_OK && is_found && !cell.ends_row) {
        status = sm_csv_next(&csv, &cell, &is_found, error);
        if (status == SMERF_OK && is_found && cell.n == 2 && memcmp(cell.text, "id", 2) == 0)
            status =
                sm_source_fail(source, cell.place, error,
                               "the items have no ids here, and cannot get any: a column is called \"id\" already");
    }
    sm_csv_stop(&csv);
    return status;
}

smerf_status sm_quote_check(const char *path, bool has_ids, smerf_error *error) {
    sm_source source;
    smerf_status status = sm_source_open(path, &source, error);
    if (status != SMERF_OK) return status;
    if (!has_ids && !sm_npy_is(&source)) status = check_no_id(&source, error);
    sm_source_close(&source);
    return status;
}

smerf_status sm_quote_write(const char *path, const bool *is_chosen, bool has_ids, sm_output *output,
                            smerf_error *error) {
    sm_source source;
    smerf_status status = sm_source_open(path, &source, error);
    if (status != SMERF_OK) return status;
    status = sm_npy_is(&source) ? put_npy(&source, is_chosen, has_ids, output, error)
                                : put_csv(&source, is_chosen, has_ids, output, error);
    sm_source_close(&source);
    return status;
}
