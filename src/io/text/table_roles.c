/* table_roles.c - the names of a table's columns, and what the spec says of each: see table_reader.h. */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "io/text/table_reader.h"

/* ---- Names ---- */

smerf_status sm_table_fail_header(const sm_table_reader *reader, const char *what) {
    if (!reader->is_npy) return sm_source_fail(&reader->source, reader->header, reader->error, "%s", what);
    return sm_fail(reader->error, SMERF_BAD_INPUT, "%s: %s", reader->source.name, what);
}

/* Whole numbers may be names (years, pandas' default); other numbers are data. */
static bool looks_like_data(const sm_source *source, const sm_names *names) {
    bool has_fraction = false;
    for (uint32_t j = 0; j < sm_names_count(names); j++) {
        const char *name = sm_names_get(names, j);
        double value;
        if (sm_source_number(source, name, strlen(name), &value) != SM_CELL_NUMBER) return false;
        if (strspn(name, "0123456789") < strlen(name)) has_fraction = true;
    }
    return has_fraction;
}

smerf_status sm_table_read_header(sm_table_reader *reader, sm_csv *csv) {
    const sm_source *source = &reader->source;
    sm_csv_cell cell = {0};
    reader->header = csv->next;
    while (!cell.ends_row) {
        bool is_found, is_new;
        char shown[SM_QUOTE];
        smerf_status status = sm_csv_next(csv, &cell, &is_found, reader->error);
        if (status != SMERF_OK) return status;
        if (!is_found)
            return sm_table_fail_header(reader, "the file is empty: a header and a row for each item are needed");
        if (cell.n == 0 && sm_names_count(reader->names) > 0)
            return sm_source_fail(source, cell.position, reader->error, "a column without a name; each needs one");
        status = sm_csv_check_text(&cell, source, reader->error);
        if (status != SMERF_OK) return status;
        if (sm_names_add(reader->names, cell.text, cell.n, &is_new) == SMERF_MISSING)
            return sm_no_memory(reader->error, "reading a header");
        if (!is_new)
            return sm_source_fail(source, cell.position, reader->error,
                                  "a second column is called \"%s\"; the names must be different",
                                  sm_quote(cell.text, cell.n, shown));
    }
    if (looks_like_data(source, reader->names))
        return sm_table_fail_header(
            reader, "the first line holds numbers, and a header with the names of the columns is needed");
    return SMERF_OK;
}

smerf_status sm_table_make_names(sm_table_reader *reader, size_t n_columns) {
    for (size_t j = 0; j < n_columns; j++) {
        char name[SM_QUOTE];
        bool is_new;
        int n = snprintf(name, sizeof name, "x%zu", j);
        if (sm_names_add(reader->names, name, (size_t)n, &is_new) == SMERF_MISSING)
            return sm_no_memory(reader->error, "naming columns");
    }
    return SMERF_OK;
}

/* ---- Roles ---- */

sm_column *sm_table_find(const sm_table_reader *reader, const char *name) {
    size_t n = strlen(name);
    uint32_t index = sm_names_find(reader->names, name, n);
    if (index == SMERF_MISSING && reader->is_npy) /* by number, where there are no names */
        index = sm_id_table_find(&(sm_id_table){.n_items = reader->n_columns}, name, n);
    return index == SMERF_MISSING ? NULL : &reader->columns[index];
}

static smerf_status fail_to_find(const sm_table_reader *reader, const char *name) {
    char shown[SM_QUOTE], what[320];
    int n = snprintf(what, sizeof what, "there is no column \"%s\"; there is", sm_quote(name, strlen(name), shown));
    for (uint32_t j = 0; j < reader->n_columns && n < 200; j++) {
        const char *there = sm_names_get(reader->names, j);
        n += snprintf(what + n, sizeof what - (size_t)n, "%s \"%s\"", j > 0 ? "," : "",
                      sm_quote(there, strlen(there), shown));
        if (n >= 200 && j + 1 < reader->n_columns) snprintf(what + n, sizeof what - (size_t)n, ", ...");
    }
    return sm_table_fail_header(reader, what);
}

static smerf_status give_kind(sm_table_reader *reader, const char *const *names, size_t n_names, sm_column_kind kind) {
    for (size_t i = 0; i < n_names; i++) {
        sm_column *column = sm_table_find(reader, names[i]);
        if (column == NULL) return fail_to_find(reader, names[i]);
        column->role = SM_FEATURE;
        column->kind = kind;
        column->is_named = true;
    }
    return SMERF_OK;
}

static smerf_status give_role(sm_table_reader *reader, const char *name, sm_column_role role, bool is_needed) {
    sm_column *column = sm_table_find(reader, name);
    if (column == NULL) return is_needed ? fail_to_find(reader, name) : SMERF_OK;
    column->role = role;
    if (role == SM_ID) column->kind = SM_WORDS;
    if (role == SM_WEIGHT) column->kind = SM_NUMBERS;
    column->is_named = true;
    return SMERF_OK;
}

/* What else the spec makes of a column that is to be a target; NULL: nothing. */
static const char *other_use(const sm_table_reader *reader, const sm_column *column) {
    switch (column->role) {
    case SM_ID: return reader->spec->id_may_be_absent ? NULL : "the id";
    case SM_WEIGHT: return "the weight";
    case SM_FEATURE: return !column->is_named ? NULL : column->kind == SM_WORDS ? "a category" : "a feature";
    case SM_TARGET: /* has a message of its own */
    case SM_OTHER:
    case SM_IGNORED: break;
    }
    return NULL;
}

static smerf_status give_targets(sm_table_reader *reader) {
    const sm_table_spec *spec = reader->spec;
    for (size_t i = 0; i < spec->n_targets; i++) {
        sm_column *column = sm_table_find(reader, spec->targets[i]);
        if (column == NULL && spec->targets_may_be_absent) continue;
        if (column == NULL) return fail_to_find(reader, spec->targets[i]);
        const char *use = other_use(reader, column);
        char shown[SM_QUOTE], what[160];
        if (use != NULL || column->role == SM_TARGET) {
            snprintf(what, sizeof what, "column \"%s\" is named as the target %s%s%s",
                     sm_quote(column->name, strlen(column->name), shown), use != NULL ? "and as " : "a second time",
                     use != NULL ? use : "", use != NULL ? "; it can be one thing only" : "");
            return sm_table_fail_header(reader, what);
        }
        column->role = SM_TARGET;
        column->can_drop = spec->can_drop_missing;
        if (spec->targets_are_open && !spec->targets_are_labels) continue;
        column->kind = spec->targets_are_labels ? SM_WORDS : SM_NUMBERS;
        column->is_named = true;
    }
    return SMERF_OK;
}

/* Where no column that the spec names is the id, one called "id" is, or else the first one, if it has no name: row names. A column
 * without a name is never a feature. */
static smerf_status give_usual_id(sm_table_reader *reader) {
    sm_column *nameless = sm_table_find(reader, ""), *usual = sm_table_find(reader, "id");
    bool has_id = reader->spec->id != NULL && sm_table_find(reader, reader->spec->id) != NULL;
    sm_column *id = usual != NULL && !usual->is_named && usual->role != SM_TARGET ? usual : nameless;
    if (nameless != NULL && nameless->role != SM_ID) nameless->role = SM_IGNORED;
    return has_id || id == NULL ? SMERF_OK : give_role(reader, id->name, SM_ID, true);
}

static smerf_status check_table_features(sm_table_reader *reader) {
    size_t n_features = 0;
    for (size_t j = 0; j < reader->n_columns; j++) {
        n_features += reader->columns[j].role == SM_FEATURE;
        reader->n_kept += reader->columns[j].role != SM_IGNORED;
    }
    if (n_features > 0) return SMERF_OK;
    return sm_table_fail_header(reader, "no feature is left: every column is an id, a weight, a target or ignored");
}

smerf_status sm_table_give_roles(sm_table_reader *reader) {
    const sm_table_spec *spec = reader->spec;
    reader->n_columns = sm_names_count(reader->names);
    reader->columns = sm_zeros(reader->n_columns, sizeof *reader->columns);
    reader->plain = sm_zeros(reader->n_columns, sizeof *reader->plain);
    if (reader->columns == NULL || reader->plain == NULL) return sm_no_memory(reader->error, "reading a table");
    for (size_t j = 0; j < reader->n_columns; j++) {
        reader->columns[j].name = sm_names_get(reader->names, (uint32_t)j);
        reader->columns[j].role = !spec->only_known ? SM_FEATURE : spec->keeps_others ? SM_OTHER : SM_IGNORED;
        reader->columns[j].kind = reader->columns[j].role == SM_OTHER ? SM_WORDS
                                  : reader->is_npy                    ? SM_NUMBERS
                                                                      : SM_OPEN;
    }
    smerf_status status = give_kind(reader, spec->numbers, spec->n_numbers, SM_NUMBERS);
    if (status == SMERF_OK) status = give_kind(reader, spec->categories, spec->n_categories, SM_WORDS);
    for (size_t i = 0; i < spec->n_ignore && status == SMERF_OK && !spec->only_known; i++)
        status = give_role(reader, spec->ignore[i], SM_IGNORED, true);
    if (status == SMERF_OK && spec->weight != NULL) status = give_role(reader, spec->weight, SM_WEIGHT, true);
    if (status == SMERF_OK && spec->id != NULL) status = give_role(reader, spec->id, SM_ID, !spec->id_may_be_absent);
    if (status == SMERF_OK) status = give_targets(reader);
    if (status == SMERF_OK) status = give_usual_id(reader);
    return status == SMERF_OK ? check_table_features(reader) : status;
}
