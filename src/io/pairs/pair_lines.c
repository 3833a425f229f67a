/* pair_lines.c - see pair_lines.h. Lines are read in batches, so that the ids of a batch are looked up together. */
#include "io/pairs/pair_lines.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "io/text/text.h"

/* Pairs are known by their position in a row: a row that is too long by mistake must not become another pair, so that a header
 * may be one cell short only as R writes it, in quotes. */
static void check_short_header(sm_source *source) {
    if (source->dialect.has_short_header)
        source->dialect.has_short_header = source->bytes[sm_csv_first_line(source)] == '"';
}

smerf_status sm_pair_lines_open(sm_pair_lines *lines, const char *path, const sm_pairs_spec *spec, smerf_error *error) {
    const sm_matrix_side *rows = &spec->rows, *columns = &spec->columns;
    *lines = (sm_pair_lines){.ends = spec->is_square ? SM_BOTH_IN_ROWS : SM_ONE_IN_EACH,
                             .ids = {SM_NO_CELL, SM_NO_CELL, SM_NO_CELL},
                             .n_ids = 2,
                             .value = SM_NO_CELL,
                             .weight = SM_NO_CELL,
                             .judge = SM_NO_CELL,
                             .noun = "pair",
                             .has_loops = true,
                             .largest_value = -INFINITY,
                             .error = error};
    if (!spec->is_square && (rows->n >= SMERF_MISSING || columns->n >= SMERF_MISSING - rows->n))
        return sm_fail(error, SMERF_BAD_INPUT, "more items than can be counted in 32 bits");
    smerf_status status = sm_source_open(path, &lines->source, error);
    if (status != SMERF_OK) return status;
    check_short_header(&lines->source);
    sm_csv_start(&lines->csv, &lines->source);
    status = sm_id_table_start(&lines->rows, rows->ids, rows->n, error);
    if (status == SMERF_OK && !spec->is_square)
        status = sm_id_table_start(&lines->columns, columns->ids, columns->n, error);
    return status;
}

smerf_status sm_pair_lines_close(sm_pair_lines *lines, smerf_status status, sm_pairs *pairs) {
    if (status != SMERF_OK) sm_pairs_free(&lines->pairs);
    lines->pairs.dialect = lines->source.dialect;
    *pairs = lines->pairs;
    sm_id_table_stop(&lines->rows);
    sm_id_table_stop(&lines->columns);
    sm_names_free(lines->odd_ids);
    sm_names_free(lines->judges);
    sm_csv_stop(&lines->csv);
    sm_source_close(&lines->source);
    return status;
}

/* ---- Who an id is ---- */

static bool looks_in_rows(const sm_pair_lines *lines, size_t c) { return lines->ends != SM_ROW_THEN_COLUMN || c == 0; }

static bool looks_in_columns(const sm_pair_lines *lines, size_t c) {
    return lines->ends == SM_ONE_IN_EACH || (lines->ends == SM_ROW_THEN_COLUMN && c == 1);
}

/* The rows of one id, SMERF_MISSING where it is not looked for or not found. */
typedef struct end {
    uint32_t in_rows, in_columns;
} end;

static bool is_known(end one) { return one.in_rows != SMERF_MISSING || one.in_columns != SMERF_MISSING; }

static bool are_same(end a, end b) {
    return (a.in_rows != SMERF_MISSING && a.in_rows == b.in_rows) ||
           (a.in_columns != SMERF_MISSING && a.in_columns == b.in_columns);
}

bool sm_pair_lines_has_id(const sm_pair_lines *lines, size_t which, const sm_csv_cell *cell) {
    return (looks_in_rows(lines, which) && sm_id_table_find(&lines->rows, cell->text, cell->n) != SMERF_MISSING) ||
           (looks_in_columns(lines, which) && sm_id_table_find(&lines->columns, cell->text, cell->n) != SMERF_MISSING);
}

size_t sm_pair_lines_find_row(const sm_source *source, size_t row) {
    sm_csv csv;
    sm_csv_cell cell = {0};
    bool is_found = true, starts_row = true;
    size_t n_rows = 0; /* the header is one */
    sm_csv_start(&csv, source);
    while (sm_csv_next(&csv, &cell, &is_found, NULL) == SMERF_OK && is_found && !(starts_row && n_rows == row + 1)) {
        n_rows += cell.ends_row;
        starts_row = cell.ends_row;
    }
    sm_csv_stop(&csv);
    return is_found ? cell.position : source->n_bytes;
}

/* ---- The lines ---- */

static bool allocate_pairs(sm_pair_lines *lines, size_t most) {
    sm_pairs *pairs = &lines->pairs;
    bool has_value = lines->value != SM_NO_CELL, has_weight = lines->weight != SM_NO_CELL;
    bool has_row = lines->ends == SM_ONE_IN_EACH, has_judge = lines->judge != SM_NO_CELL, has_third = lines->n_ids == 3;
    pairs->left = sm_array(most, sizeof *pairs->left);
    pairs->right = sm_array(most, sizeof *pairs->right);
    if (has_third) pairs->third = sm_array(most, sizeof *pairs->third);
    if (has_value) pairs->value = sm_array(most, sizeof *pairs->value);
    if (has_weight) pairs->weight = sm_array(most, sizeof *pairs->weight);
    if (has_row) pairs->row = sm_array(most, sizeof *pairs->row);
    if (has_judge) pairs->judge = sm_array(most, sizeof *pairs->judge);
    return pairs->left != NULL && pairs->right != NULL && (pairs->value != NULL) == has_value &&
           (pairs->weight != NULL) == has_weight && (pairs->row != NULL) == has_row &&
           (pairs->judge != NULL) == has_judge && (pairs->third != NULL) == has_third;
}

static smerf_status reserve_pairs(sm_pair_lines *lines) {
    size_t most = sm_csv_most_rows(&lines->csv, lines->n_cells);
    size_t bytes = lines->n_ids * sizeof(uint32_t);
    if (lines->value != SM_NO_CELL) bytes += sizeof(double);
    if (lines->weight != SM_NO_CELL) bytes += sizeof(double);
    if (lines->judge != SM_NO_CELL) bytes += sizeof(uint32_t);
    if (lines->ends == SM_ONE_IN_EACH) { /* a line may be two pairs */
        bytes += sizeof(size_t);
        most = sm_size(most, 2, 0);
    }
    smerf_status status = sm_check_memory((double)most * (double)bytes, lines->source.name, lines->error);
    if (status != SMERF_OK) return status;
    return allocate_pairs(lines, most) ? SMERF_OK : sm_no_memory(lines->error, "reading pairs");
}

/* Lines that have been read, but for who their ids are: many are looked up at once (sm_id_table_find_many). */
enum { AT_ONCE = 64 };

typedef struct batch {
    size_t n;                               /* whole lines */
    size_t n_ids[SM_MOST_IDS];              /* of each kind: n, or one more while a line is being read */
    sm_text ids[SM_MOST_IDS][AT_ONCE];      /* no bytes: index n in lines->odd_ids */
    size_t positions[SM_MOST_IDS][AT_ONCE]; /* in the source */
    uint32_t in_rows[SM_MOST_IDS][AT_ONCE], in_columns[SM_MOST_IDS][AT_ONCE];
    double values[AT_ONCE], weights[AT_ONCE];
    uint32_t judges[AT_ONCE];
} batch;

/* Puts an id down. One with quotes inside stands nowhere in the source as it is, so it is copied. */
static smerf_status take_pair_id(sm_pair_lines *lines, batch *now, size_t c, const sm_csv_cell *cell) {
    sm_text id = {cell->text, cell->n};
    bool is_new;
    if (cell->text == lines->csv.unquoted) {
        if (lines->odd_ids == NULL) lines->odd_ids = sm_names_new();
        uint32_t index = SMERF_MISSING;
        if (lines->odd_ids != NULL) index = sm_names_add(lines->odd_ids, cell->text, cell->n, &is_new);
        if (index == SMERF_MISSING) return sm_no_memory(lines->error, "reading ids");
        id = (sm_text){NULL, index};
    }
    now->positions[c][now->n] = cell->position;
    now->ids[c][now->n] = id;
    now->n_ids[c]++;
    return SMERF_OK;
}

static void find_ids(const sm_pair_lines *lines, batch *now) {
    for (size_t c = 0; c < lines->n_ids; c++) {
        sm_text *ids = now->ids[c];
        for (size_t k = 0; k < now->n_ids[c]; k++) {
            now->in_rows[c][k] = now->in_columns[c][k] = SMERF_MISSING;
            if (ids[k].bytes != NULL) continue;
            const char *text = sm_names_get(lines->odd_ids, (uint32_t)ids[k].n);
            ids[k] = (sm_text){text, strlen(text)};
        }
        if (looks_in_rows(lines, c)) sm_id_table_find_many(&lines->rows, ids, now->n_ids[c], now->in_rows[c]);
        if (looks_in_columns(lines, c)) sm_id_table_find_many(&lines->columns, ids, now->n_ids[c], now->in_columns[c]);
    }
}

static end batch_end(const batch *now, size_t k, size_t c) { return (end){now->in_rows[c][k], now->in_columns[c][k]}; }

/* Whether an id is one of those before it in its line. */
static bool is_repeated(const batch *now, size_t k, size_t c) {
    for (size_t before = 0; before < c; before++)
        if (are_same(batch_end(now, k, before), batch_end(now, k, c))) return true;
    return false;
}

static smerf_status check_id(const sm_pair_lines *lines, const batch *now, size_t k, size_t c) {
    char shown[SM_QUOTE];
    const sm_text *id = &now->ids[c][k];
    if (!is_known(batch_end(now, k, c)))
        return sm_source_fail(&lines->source, now->positions[c][k], lines->error, "no item has the id \"%s\"",
                              sm_quote(id->bytes, id->n, shown));
    if (!lines->has_loops && is_repeated(now, k, c))
        return sm_source_fail(&lines->source, now->positions[c][k], lines->error,
                              lines->n_ids == 3
                                  ? "\"%s\" stands in this line twice; a triplet is about three different items"
                                  : "an edge from \"%s\" to itself; an edge joins two different items",
                              sm_quote(id->bytes, id->n, shown));
    return SMERF_OK;
}

/* A number that is not plain: in quotes or among spaces, or none that can be kept. */
static smerf_status take_pair_number(const sm_pair_lines *lines, bool is_weight, const sm_csv_cell *cell,
                                     double *number) {
    char shown[SM_QUOTE], hint[SM_COMMA_HINT];
    sm_cell content = sm_source_number(&lines->source, cell->text, cell->n, number);
    if (content == SM_CELL_NUMBER) return SMERF_OK;
    if (content == SM_CELL_TEXT)
        return sm_source_fail(&lines->source, cell->position, lines->error, "\"%s\" is no number%s",
                              sm_quote(cell->text, cell->n, shown),
                              sm_source_comma_hint(&lines->source, cell->text, cell->n, hint));
    const char *noun = is_weight ? "weight" : lines->value_noun;
    if (content == SM_CELL_MISSING)
        return sm_source_fail(&lines->source, cell->position, lines->error, "a missing %s; every %s needs one", noun,
                              lines->noun);
    return sm_source_fail(&lines->source, cell->position, lines->error, "an infinite %s; it must be finite", noun);
}

static smerf_status check_weight(const sm_pair_lines *lines, const sm_csv_cell *cell, double weight) {
    if (weight > 0) return SMERF_OK;
    return sm_source_fail(&lines->source, cell->position, lines->error, "the weight of a %s must be a number > 0",
                          lines->n_ids == 3 ? "triplet" : "pair");
}

static smerf_status take_judge(sm_pair_lines *lines, const sm_csv_cell *cell, uint32_t *judge) {
    double number;
    bool is_new;
    if (sm_number_parse(cell->text, cell->n, &number) == SM_CELL_MISSING)
        return sm_source_fail(&lines->source, cell->position, lines->error, "a missing judge; every %s needs one",
                              lines->noun);
    smerf_status status = sm_csv_check_text(cell, &lines->source, lines->error);
    if (status != SMERF_OK) return status;
    if (lines->judges == NULL) lines->judges = sm_names_new();
    *judge = lines->judges != NULL ? sm_names_add(lines->judges, cell->text, cell->n, &is_new) : SMERF_MISSING;
    return *judge != SMERF_MISSING ? SMERF_OK : sm_no_memory(lines->error, "reading judges");
}

static inline void put_pair(sm_pairs *pairs, uint32_t left, uint32_t right, size_t row, const batch *now, size_t k) {
    pairs->left[pairs->n] = left;
    pairs->right[pairs->n] = right;
    if (pairs->value != NULL) pairs->value[pairs->n] = now->values[k];
    if (pairs->weight != NULL) pairs->weight[pairs->n] = now->weights[k];
    if (pairs->row != NULL) pairs->row[pairs->n] = row;
    if (pairs->judge != NULL) pairs->judge[pairs->n] = now->judges[k];
    if (pairs->third != NULL) pairs->third[pairs->n] = now->in_rows[2][k];
    pairs->n++;
}

static inline void put_line(sm_pair_lines *lines, size_t row, const batch *now, size_t k) {
    sm_pairs *pairs = &lines->pairs;
    const end u = batch_end(now, k, 0), v = batch_end(now, k, 1);
    if (pairs->value != NULL && now->values[k] > lines->largest_value) lines->largest_value = now->values[k];
    if (lines->ends != SM_ONE_IN_EACH) {
        put_pair(pairs, u.in_rows, lines->ends == SM_BOTH_IN_ROWS ? v.in_rows : v.in_columns, row, now, k);
        return;
    }
    const uint32_t n_rows = (uint32_t)lines->rows.n_items;
    bool is_there = u.in_rows != SMERF_MISSING && v.in_columns != SMERF_MISSING;
    bool is_mirror_there = v.in_rows != SMERF_MISSING && u.in_columns != SMERF_MISSING;
    if (is_there) put_pair(pairs, u.in_rows, n_rows + v.in_columns, row, now, k);
    if (is_mirror_there && !are_same(u, v)) put_pair(pairs, v.in_rows, n_rows + u.in_columns, row, now, k);
}

/* Empties a batch, which starts with this row. */
static smerf_status put_batch(sm_pair_lines *lines, size_t row, batch *now) {
    smerf_status status = SMERF_OK;
    find_ids(lines, now);
    for (size_t k = 0; k < now->n_ids[0] && status == SMERF_OK; k++) {
        status = check_id(lines, now, k, 0);
        for (size_t c = 1; c < lines->n_ids && status == SMERF_OK && k < now->n_ids[c]; c++)
            status = check_id(lines, now, k, c);
        if (status == SMERF_OK && k < now->n) put_line(lines, row + k, now, k);
    }
    now->n = 0;
    memset(now->n_ids, 0, sizeof now->n_ids);
    return status;
}

/* Reads cell c of the line that comes after the whole ones. */
static inline smerf_status read_pair_cell(sm_pair_lines *lines, batch *now, size_t c, sm_csv_cell *cell,
                                          bool *is_found) {
    bool is_weight = c == lines->weight, is_number = is_weight || c == lines->value;
    double *number = is_weight ? &now->weights[now->n] : &now->values[now->n];
    bool is_plain = is_number && sm_csv_next_number(&lines->csv, cell, number);
    smerf_status status = SMERF_OK;
    *is_found = true;
    if (!is_plain) status = sm_csv_next(&lines->csv, cell, is_found, lines->error);
    if (status != SMERF_OK || !*is_found) return status;
    if (cell->ends_row != (c + 1 == lines->n_cells))
        return sm_source_fail(&lines->source, cell->ends_row ? cell->position : lines->csv.next, lines->error,
                              "a row with %s cells than the header, which has %zu", cell->ends_row ? "fewer" : "more",
                              lines->n_cells);
    for (size_t which = 0; which < lines->n_ids; which++)
        if (c == lines->ids[which]) return take_pair_id(lines, now, which, cell);
    if (c == lines->judge) return take_judge(lines, cell, &now->judges[now->n]);
    if (is_number && !is_plain) status = take_pair_number(lines, is_weight, cell, number);
    return status == SMERF_OK && is_weight ? check_weight(lines, cell, *number) : status;
}

static smerf_status read_pair_lines(sm_pair_lines *lines, batch *now) {
    sm_csv_cell cell = {0};
    bool is_found = true;
    smerf_status status = SMERF_OK;
    size_t row = 0; /* of the first line of the batch */
    for (size_t c = 0; status == SMERF_OK && is_found; c = cell.ends_row ? 0 : c + 1) {
        status = read_pair_cell(lines, now, c, &cell, &is_found);
        if (status != SMERF_OK || !is_found || !cell.ends_row || ++now->n < AT_ONCE) continue;
        status = put_batch(lines, row, now);
        row += AT_ONCE;
    }
    /* After a failure, too: an unknown id above is reported first. */
    smerf_status last = put_batch(lines, row, now);
    return last != SMERF_OK ? last : status;
}

smerf_status sm_pair_lines_read(sm_pair_lines *lines) {
    smerf_status status = reserve_pairs(lines);
    if (status != SMERF_OK) return status;
    batch *now = sm_zeros(1, sizeof *now);
    if (now == NULL) return sm_no_memory(lines->error, "reading pairs");
    status = read_pair_lines(lines, now);
    sm_free(now);
    if (status != SMERF_OK || lines->judge == SM_NO_CELL) return status;
    if (lines->judges == NULL) lines->judges = sm_names_new(); /* there are no lines */
    if (lines->judges != NULL) lines->pairs.judges = sm_names_list(lines->judges);
    if (lines->pairs.judges == NULL) return sm_no_memory(lines->error, "reading judges");
    lines->pairs.n_judges = sm_names_count(lines->judges);
    return SMERF_OK;
}
