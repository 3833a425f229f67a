/* inputs.c - reads items and targets as the options say. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common.h"

const cli_option cli_item_options[] = {
    {"--id", "COLUMN", "names the items (default: a column called 'id', else row numbers from 0)"},
    {"--ignore", "COLUMNS", "columns that are no features, separated by commas"},
    {"--categories", "COLUMNS", "number codes that are categories"},
    {0},
};

const cli_option cli_target_options[] = {
    {"", NULL, "TARGET is exactly one of --distances and --similarities:"},
    {"--distances", "FILE", "n x n matrix or condensed vector; .npy or CSV"},
    {"--similarities", "FILE", "the same, read as z = M - q; M = 1 if no q exceeds 1, else the largest q"},
    {"--similarity-max", "M", "the similarity that is distance 0"},
    {"--symmetrize", "mean", "average z_ij and z_ji where they differ"},
    {0},
};

/* ---- items ---- */

static smerf_status make_items(cli_items *items, char *const *ignored, size_t n_ignored, const char *weight_column,
                               smerf_error *error) {
    const sm_table *table = &items->table;
    smerf_column *columns = calloc(table->n_columns + 1, sizeof *columns);
    if (columns == NULL) {
        snprintf(error->message, sizeof error->message, "out of memory while reading items");
        return SMERF_NO_MEMORY;
    }
    for (size_t f = 0; f < table->n_columns; f++) {
        const sm_table_column *column = &table->columns[f];
        columns[f] = (smerf_column){.name = column->name,
                                    .kind = column->is_category ? SMERF_CATEGORY : SMERF_NUMBER,
                                    .values = column->values,
                                    .codes = column->codes,
                                    .levels = (const char *const *)column->levels,
                                    .n_levels = column->n_levels};
    }
    smerf_status status = smerf_items_new(columns, table->n_columns, table->n_rows, &items->items, error);
    free(columns);
    if (status == SMERF_OK && table->ids != NULL)
        status = smerf_items_set_ids(items->items, table->id_column, (const char *const *)table->ids, error);
    if (status == SMERF_OK && table->weights != NULL)
        status = smerf_items_set_weights(items->items, weight_column, table->weights, error);
    if (status == SMERF_OK && n_ignored > 0)
        status = smerf_items_set_ignored(items->items, (const char *const *)ignored, n_ignored, error);
    return status;
}

/* The names in an option's list; an option that is not given is an empty list. NULL: no memory. */
static char **list_of(const cli_args *args, const char *option, size_t *n) {
    const char *text = cli_get(args, option);
    *n = 0;
    return text != NULL ? cli_split(text, n) : calloc(1, sizeof(char *));
}

/* A column can be one thing only. */
static smerf_status check_columns(const cli_args *args, smerf_error *error) {
    static const char *const options[] = {"--id", "--categories", "--item-weights", "--ignore"};
    char **lists[4];
    size_t n[4];
    smerf_status status = SMERF_OK;
    for (size_t a = 0; a < 4; a++) lists[a] = list_of(args, options[a], &n[a]);
    for (size_t a = 0; a < 4; a++)
        for (size_t b = a + 1; b < 4; b++)
            for (size_t i = 0; i < n[a] && lists[a] != NULL; i++)
                for (size_t j = 0; j < n[b] && lists[b] != NULL; j++)
                    if (status == SMERF_OK && strcmp(lists[a][i], lists[b][j]) == 0)
                        status = cli_fail(args, error, "column '%s' is in both %s and %s", lists[a][i], options[a],
                                          options[b]);
    for (size_t a = 0; a < 4; a++) cli_free_list(lists[a]);
    return status;
}

smerf_status cli_read_items(const cli_args *args, const char *path, cli_items *items, smerf_error *error) {
    *items = (cli_items){0};
    size_t n_ignored, n_categories;
    char **ignored = list_of(args, "--ignore", &n_ignored), **categories = list_of(args, "--categories", &n_categories);
    sm_table_wish wish = {.id = cli_get(args, "--id"),
                          .ignore = (const char *const *)ignored,
                          .n_ignore = n_ignored,
                          .categories = (const char *const *)categories,
                          .n_categories = n_categories,
                          .weight = cli_get(args, "--item-weights")};
    smerf_status status = SMERF_NO_MEMORY;
    snprintf(error->message, sizeof error->message, "out of memory while reading items");
    if (ignored != NULL && categories != NULL) status = check_columns(args, error);
    if (status == SMERF_OK) status = sm_table_read(path, &wish, &items->table, error);
    if (status == SMERF_OK && items->table.n_rows == 1) {
        snprintf(error->message, sizeof error->message, "%.300s: there is one item; a distance needs at least two",
                 path);
        status = SMERF_BAD_INPUT;
    }
    if (status == SMERF_OK) status = make_items(items, ignored, n_ignored, wish.weight, error);
    cli_free_list(ignored);
    cli_free_list(categories);
    if (status != SMERF_OK) cli_free_items(items);
    return status;
}

smerf_status cli_read_known_items(const cli_args *args, const smerf_model *model, const char *path, cli_items *items,
                                  smerf_error *error) {
    *items = (cli_items){0};
    smerf_description description;
    smerf_model_describe(model, &description);
    const char **names = calloc(2 * description.n_features + 1, sizeof *names);
    if (names == NULL) {
        snprintf(error->message, sizeof error->message, "out of memory while reading items");
        return SMERF_NO_MEMORY;
    }
    const char **numbers = names, **categories = names + description.n_features;
    sm_table_wish wish = {.id = cli_get(args, "--id"), .only_known = true};
    wish.id_may_be_absent = wish.id == NULL;
    if (wish.id == NULL) wish.id = description.id_column;
    for (size_t f = 0; f < description.n_features; f++) {
        smerf_column column;
        smerf_model_feature(model, f, &column);
        if (wish.id != NULL && strcmp(column.name, wish.id) == 0) {
            free(names);
            return cli_fail(args, error, "--id '%s' is a feature of the model", wish.id);
        }
        if (column.kind == SMERF_CATEGORY)
            categories[wish.n_categories++] = column.name;
        else
            numbers[wish.n_numbers++] = column.name;
    }
    wish.numbers = numbers;
    wish.categories = categories;
    smerf_status status = sm_table_read(path, &wish, &items->table, error);
    free(names);
    if (status == SMERF_OK) status = make_items(items, NULL, 0, NULL, error);
    if (status != SMERF_OK) cli_free_items(items);
    return status;
}

void cli_free_items(cli_items *items) {
    smerf_items_free(items->items);
    sm_table_free(&items->table);
    *items = (cli_items){0};
}

sm_matrix_side cli_side(const cli_items *items) {
    return (sm_matrix_side){.n = items->table.n_rows, .ids = items->table.ids};
}

const char *cli_item_name(const cli_items *items, size_t row, char space[24]) {
    if (items->table.ids != NULL) return items->table.ids[row];
    snprintf(space, 24, "%zu", row);
    return space;
}

/* ---- targets ---- */

smerf_status cli_check_target_options(const cli_args *args, bool is_optional, smerf_error *error) {
    bool has_distances = cli_has(args, "--distances"), has_similarities = cli_has(args, "--similarities");
    if (has_distances && has_similarities)
        return cli_fail(args, error, "--distances and --similarities exclude each other: give exactly one target");
    if (!has_distances && !has_similarities && !is_optional)
        return cli_fail(args, error, "there is no target: give --distances FILE or --similarities FILE");
    if (cli_has(args, "--similarity-max") && !has_similarities)
        return cli_fail(args, error, "--similarity-max goes with --similarities");
    if (cli_has(args, "--symmetrize") && !has_distances && !has_similarities)
        return cli_fail(args, error, "--symmetrize goes with a matrix");
    return SMERF_OK;
}

smerf_status cli_read_target(const cli_args *args, const cli_items *rows, const cli_items *columns, bool is_optional,
                             cli_target *target, smerf_error *error) {
    static const char *const means[] = {"mean"};
    *target = (cli_target){0};
    unsigned mean = 0;
    sm_matrix_wish wish = {.rows = cli_side(rows),
                           .columns = cli_side(columns != NULL ? columns : rows),
                           .is_square = columns == NULL,
                           .are_similarities = cli_has(args, "--similarities"),
                           .largest = NAN,
                           .take_means = cli_has(args, "--symmetrize")};
    smerf_status status = cli_check_target_options(args, is_optional, error);
    if (status == SMERF_OK) status = cli_get_word(args, "--symmetrize", means, 1, &mean, error);
    if (status == SMERF_OK) status = cli_get_number(args, "--similarity-max", &wish.largest, error);
    if (status == SMERF_OK && wish.take_means && columns != NULL)
        status = cli_fail(args, error, "--symmetrize makes no sense for two sets of items");
    const char *path = cli_get(args, wish.are_similarities ? "--similarities" : "--distances");
    if (status != SMERF_OK || path == NULL) return status;
    status = sm_matrix_read(path, &wish, &target->matrix, error);
    if (status == SMERF_OK)
        status = columns == NULL
                     ? smerf_target_new_distances(target->matrix.z, target->matrix.n_rows, &target->target, error)
                     : smerf_target_new_block(target->matrix.z, target->matrix.n_rows, target->matrix.n_columns,
                                              &target->target, error);
    if (status == SMERF_OK && wish.are_similarities)
        smerf_target_note_similarities(target->target, target->matrix.largest);
    if (status != SMERF_OK) cli_free_target(target);
    return status;
}

void cli_free_target(cli_target *target) {
    smerf_target_free(target->target);
    sm_matrix_free(&target->matrix);
    *target = (cli_target){0};
}
