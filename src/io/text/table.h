/* table.h - reads ITEMS: a CSV file with a header or a 2-D .npy file, into columns. */
#ifndef SM_IO_TABLE_H
#define SM_IO_TABLE_H

#include "base/strings.h"
#include "io/text/text.h"

/* How the caller wants the table read. Columns are named, or given by number (from 0) in a file without names. */
typedef struct sm_table_spec {
    const char *id; /* the id column; NULL: one called "id", if there is one and the spec does not name it, or else
                                  the first one, if it has no name */
    const char *const *ignore; /* [n_ignore] no features */
    size_t n_ignore;
    const char *const *categories; /* [n_categories] read as categories even if they look like numbers */
    size_t n_categories;
    const char *const *numbers; /* [n_numbers] must be numbers: text in them is an error even in every row */
    size_t n_numbers;
    const char *const *targets; /* [n_targets] different columns that hold the target, no features (even if ignored) */
    size_t n_targets;
    bool targets_are_labels;    /* read as categories whatever they look like; else they must be numbers, */
    bool targets_are_open;      /* or may be either, as their values say */
    bool targets_may_be_absent; /* the table has those that are there */
    const char *weight;         /* a column of item weights, finite and > 0, no feature; or NULL */
    bool only_known;       /* read only the columns in categories and numbers (and id, weight, targets); each must be
                           there, but for the id; `ignore` is not looked at */
    bool keeps_others;     /* with only_known: the other columns are read, too, whatever they hold */
    bool id_may_be_absent; /* the id column above is a guess: without it, it is as if the spec named none */
    bool can_drop_missing; /* items without a target can be left out: a message may say so, */
    bool drops_missing;    /* and they are */
    bool
        refuses_names; /* a feature of text that is different almost everywhere is refused, unless it is in categories */
} sm_table_spec;

typedef struct sm_table_column {
    char *name;
    bool is_category;
    double *values;  /* number: [n_rows], NaN where missing; else NULL */
    uint32_t *codes; /* category: [n_rows], SMERF_MISSING where missing; else NULL */
    char **levels;   /* category: [n_levels] in order of first appearance, in one block; else NULL */
    size_t n_levels;
} sm_table_column;

typedef struct sm_table {
    size_t n_rows, n_columns; /* the features only */
    sm_table_column *columns;
    char *id_column;          /* NULL: there is none, and ids is NULL */
    char **ids;               /* [n_rows], in one block */
    double *weights;          /* [n_rows] or NULL */
    sm_table_column *targets; /* [n_targets] those that are there, in the order of the spec, no value missing */
    size_t n_targets;
    sm_table_column
        *others; /* [n_others] in the order of the file, if they are kept; numbers where every value is one */
    size_t n_others;
    sm_strings ignored; /* the names of columns that were not read; "": the first one */
    size_t n_dropped;   /* rows that were left out, */
    size_t *file_rows;  /* [n_rows] and then which row of the file each is; else NULL */
    sm_dialect dialect;
} sm_table;

/* Refused, each with file, line and column: no header (an empty file, or a first line of numbers that are not all
 * whole), no rows, a row with more or fewer cells than the header, columns that mix numbers and text (all at once, with the
 * first cell that disagrees with those above it), text that would be a number but for its comma, an infinity, an empty name of a column
 * that is not the first, a repeated column name, a repeated or empty
 * id, a named column that is not there (also in `ignore` and `categories`), no feature left, a weight that is missing
 * or not > 0, a target that is missing, or that is the id, the weight, a named feature or another target as well. (An
 * id that the spec does not name, or may be absent, gives way to a target.)
 * A column whose values are all missing is a column of numbers. In .npy files columns are called x0, x1, ...; a spec
 * may name them so or by number; category levels of numbers are written as sm_number_format does. */
smerf_status sm_table_read(const char *path, const sm_table_spec *spec, sm_table *table, smerf_error *error);
void sm_table_free(sm_table *table); /* fine on a table filled with zeros */

/* Says where a complaint about one value belongs, as sm_source_position does; .npy files are only named, too.
 *   column  by its name, which the table has
 *   row     of the items, from 0 */
smerf_status sm_table_position(const char *path, const char *column, size_t row, smerf_error *error);

#endif
