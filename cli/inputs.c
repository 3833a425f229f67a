/* inputs.c - reads items as the options say, and notes what they were; targets.c reads what is known of their pairs. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common.h"

const cli_option cli_item_options[] = {
    {"--id", "COLUMN",
     "names the items (default: a column called 'id', a first one without a name, or row numbers from 0)"},
    {"--ignore", "COLUMNS", "columns that are no features, separated by commas"},
    {"--categories", "COLUMNS", "number codes that are categories"},
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
    if (status == SMERF_OK && table->weights != NULL) {
        status = smerf_items_set_weights(items->items, weight_column, table->weights, error);
        if (status == SMERF_BAD_INPUT && error->row < table->n_rows)
            status = cli_item_position(items, weight_column, error->row, error);
    }
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

/* The columns of --ignore, and that of --groups, which is no feature either. NULL: no memory. */
static char **ignored_columns(const cli_args *args, size_t *n) {
    const char *ignore = cli_get(args, "--ignore"), *groups = cli_get(args, "--groups");
    if (groups == NULL) return list_of(args, "--ignore", n);
    if (ignore == NULL) return cli_split(groups, n);
    char *both = malloc(strlen(ignore) + strlen(groups) + 2);
    if (both == NULL) return NULL;
    sprintf(both, "%s,%s", ignore, groups);
    char **names = cli_split(both, n);
    free(both);
    return names;
}

/* A column can be one thing only. */
static smerf_status check_columns(const cli_args *args, smerf_error *error) {
    static const char *const options[] = {"--id",     "--categories", "--item-weights", "--ignore", "--groups",
                                          "--labels", "--response",   "--absolute",     "--product"};
    enum { N_OPTIONS = 9 };
    char **lists[N_OPTIONS];
    size_t n[N_OPTIONS];
    smerf_status status = SMERF_OK;
    for (size_t a = 0; a < N_OPTIONS; a++) lists[a] = list_of(args, options[a], &n[a]);
    for (size_t a = 0; a < N_OPTIONS; a++)
        for (size_t b = a + 1; b < N_OPTIONS; b++)
            for (size_t i = 0; i < n[a] && lists[a] != NULL; i++)
                for (size_t j = 0; j < n[b] && lists[b] != NULL; j++)
                    if (status == SMERF_OK && strcmp(lists[a][i], lists[b][j]) == 0)
                        status = cli_fail(args, error, "column '%s' is in both %s and %s", lists[a][i], options[a],
                                          options[b]);
    for (size_t a = 0; a < N_OPTIONS; a++) cli_free_list(lists[a]);
    return status;
}

/* The columns that the target is taken from, if it is; NULL: no memory. */
static char **target_columns(const cli_args *args, sm_table_spec *spec) {
    static const char *const options[] = {"--labels", "--response", "--absolute", "--product"};
    const char *chosen = options[0];
    for (size_t i = 0; i < 4; i++)
        if (cli_has(args, options[i])) chosen = options[i];
    char **names = list_of(args, chosen, &spec->n_targets);
    spec->targets = (const char *const *)names;
    spec->targets_are_labels = cli_has(args, "--labels");
    spec->can_drop_missing = true;
    spec->drops_missing = cli_has(args, "--drop-missing");
    return names;
}

/* ---- what was read, in a line ---- */

enum { LINE = 960, NAMED_AT_MOST = 5 };

static void add(char line[LINE], const char *format, ...) __attribute__((format(printf, 2, 3)));

static void add(char line[LINE], const char *format, ...) {
    size_t used = strlen(line);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line + used, LINE - used, format, arguments);
    va_end(arguments);
}

static void add_ids(char line[LINE], const sm_table *table) {
    char name[SM_QUOTE];
    if (table->ids == NULL)
        add(line, ", no ids");
    else if (table->id_column[0] == '\0')
        add(line, ", ids in the first column, which has no name");
    else
        add(line, ", ids in '%s'", sm_quote(table->id_column, strlen(table->id_column), name));
}

static void add_ignored(char line[LINE], const sm_strings *ignored) {
    char name[SM_QUOTE];
    for (size_t i = 0; i < ignored->n && i < NAMED_AT_MOST; i++) {
        const char *text = ignored->text[i];
        add(line, "%s", i == 0 ? ", ignored " : ", ");
        if (text[0] == '\0')
            add(line, "the first column, which has no name");
        else
            add(line, "'%s'", sm_quote(text, strlen(text), name));
    }
    if (ignored->n > NAMED_AT_MOST) add(line, " and %zu more", ignored->n - NAMED_AT_MOST);
}

/*   model  the items are for one: the numbers and categories among its features are known */
static void note_items(const cli_args *args, const cli_items *items, bool is_for_model) {
    const sm_table *table = &items->table;
    char line[LINE] = "", count[40], dialect[80];
    size_t n_categories = 0;
    for (size_t f = 0; f < table->n_columns; f++) n_categories += table->columns[f].is_category;
    add(line, "%s, ", cli_count(table->n_rows, "item", count));
    add(line, "%s", cli_count(table->n_columns, "feature", count));
    if (is_for_model)
        add(line, " of the model");
    else if (n_categories == 0)
        add(line, table->n_columns == 1 ? " (a number)" : " (numbers)");
    else if (n_categories == table->n_columns)
        add(line, n_categories == 1 ? " (a category)" : " (categories)");
    else {
        add(line, " (%s, ", cli_count(table->n_columns - n_categories, "number", count));
        add(line, "%zu %s)", n_categories, n_categories == 1 ? "category" : "categories");
    }
    add_ids(line, table);
    add_ignored(line, &table->ignored);
    if (table->n_dropped > 0) add(line, "; left out %s without a target", cli_count(table->n_dropped, "item", count));
    cli_note(args, "%.200s: %s%s", sm_input_name(items->path), line, cli_dialect(&table->dialect, dialect));
}

const char *cli_dialect(const sm_dialect *dialect, char text[80]) {
    snprintf(text, 80, "%s%s%s", dialect->separator == ' ' ? "; cells separated by spaces" : "",
             dialect->has_decimal_commas ? "; decimal commas" : "", dialect->skips_first ? "; row names left out" : "");
    return text;
}

/* ---- items ---- */

static smerf_status read_items(const cli_args *args, const char *path, bool refuses_names, cli_items *items,
                               smerf_error *error) {
    *items = (cli_items){.path = path};
    size_t n_ignored, n_categories;
    char **ignored = ignored_columns(args, &n_ignored), **categories = list_of(args, "--categories", &n_categories);
    sm_table_spec spec = {.id = cli_get(args, "--id"),
                          .ignore = (const char *const *)ignored,
                          .n_ignore = n_ignored,
                          .categories = (const char *const *)categories,
                          .n_categories = n_categories,
                          .refuses_names = refuses_names,
                          .weight = cli_get(args, "--item-weights")};
    char **targets = target_columns(args, &spec);
    smerf_status status = SMERF_NO_MEMORY;
    snprintf(error->message, sizeof error->message, "out of memory while reading items");
    if (ignored != NULL && categories != NULL && targets != NULL) status = check_columns(args, error);
    if (status == SMERF_OK) status = sm_table_read(path, &spec, &items->table, error);
    if (status == SMERF_OK && items->table.n_rows == 1) {
        snprintf(error->message, sizeof error->message, "%.300s: there is one item; a distance needs at least two",
                 path);
        status = SMERF_BAD_INPUT;
    }
    if (status == SMERF_OK) status = make_items(items, ignored, n_ignored, spec.weight, error);
    cli_free_list(ignored);
    cli_free_list(categories);
    cli_free_list(targets);
    if (status == SMERF_OK) note_items(args, items, false);
    if (status != SMERF_OK) cli_free_items(items);
    return status;
}

smerf_status cli_read_items(const cli_args *args, const char *path, cli_items *items, smerf_error *error) {
    return read_items(args, path, true, items, error);
}

smerf_status cli_read_items_to_copy(const cli_args *args, const char *path, cli_items *items, smerf_error *error) {
    return read_items(args, path, false, items, error);
}

smerf_status cli_read_known_items_and(const cli_args *args, const smerf_model *model, const char *path,
                                      const sm_table_spec *targets, cli_items *items, smerf_error *error) {
    *items = (cli_items){.path = path};
    smerf_description description = SMERF_INIT(smerf_description);
    smerf_model_describe(model, &description, NULL);
    const char **names = calloc(2 * description.n_features + 1, sizeof *names);
    if (names == NULL) {
        snprintf(error->message, sizeof error->message, "out of memory while reading items");
        return SMERF_NO_MEMORY;
    }
    const char **numbers = names, **categories = names + description.n_features;
    sm_table_spec spec = *targets;
    spec.only_known = true;
    spec.id = cli_get(args, "--id");
    spec.id_may_be_absent = spec.id == NULL;
    if (spec.id == NULL) spec.id = description.id_column;
    for (size_t f = 0; f < description.n_features; f++) {
        smerf_column column;
        smerf_model_feature(model, f, &column);
        if (spec.id != NULL && strcmp(column.name, spec.id) == 0) {
            smerf_status status = cli_fail(args, error, "--id '%s' is a feature of the model", spec.id);
            free(names);
            return status;
        }
        if (column.kind == SMERF_CATEGORY)
            categories[spec.n_categories++] = column.name;
        else
            numbers[spec.n_numbers++] = column.name;
    }
    spec.numbers = numbers;
    spec.categories = categories;
    smerf_status status = sm_table_read(path, &spec, &items->table, error);
    free(names);
    items->model = model;
    if (status == SMERF_OK) status = make_items(items, NULL, 0, NULL, error);
    if (status == SMERF_OK) note_items(args, items, true);
    if (status != SMERF_OK) cli_free_items(items);
    return status;
}

static smerf_status read_known(const cli_args *args, const smerf_model *model, const char *path, bool keeps_others,
                               cli_items *items, smerf_error *error) {
    sm_table_spec spec = {.keeps_others = keeps_others};
    char **targets = target_columns(args, &spec);
    if (targets == NULL) {
        *items = (cli_items){.path = path};
        snprintf(error->message, sizeof error->message, "out of memory while reading items");
        return SMERF_NO_MEMORY;
    }
    smerf_status status = cli_read_known_items_and(args, model, path, &spec, items, error);
    cli_free_list(targets);
    return status;
}

smerf_status cli_read_known_items(const cli_args *args, const smerf_model *model, const char *path, cli_items *items,
                                  smerf_error *error) {
    return read_known(args, model, path, false, items, error);
}

smerf_status cli_read_shown_items(const cli_args *args, const smerf_model *model, const char *path, cli_items *items,
                                  smerf_error *error) {
    return read_known(args, model, path, true, items, error);
}

void cli_free_items(cli_items *items) {
    smerf_items_free(items->items);
    sm_table_free(&items->table);
    *items = (cli_items){0};
}

bool cli_has_out_of_bag(const smerf_description *description) {
    return strcmp(description->method, smerf_method_name(SMERF_METHOD_FOREST)) == 0 &&
           description->options->sample != SMERF_NO_SAMPLE;
}

bool cli_has_learned_from(const smerf_model *model, const cli_items *items) {
    smerf_description about = SMERF_INIT(smerf_description);
    size_t n = items->table.n_rows;
    smerf_model_describe(model, &about, NULL);
    if (!smerf_method_learns_pairs(about.options->method)) return false;
    uint32_t *rows = malloc((n + 1) * sizeof *rows);
    smerf_error ignored;
    bool has_learned = rows != NULL && smerf_model_training_rows(model, items->items, rows, &ignored) == SMERF_OK;
    for (size_t i = 0; i < n && has_learned; i++) has_learned = rows[i] != SMERF_MISSING;
    free(rows);
    return has_learned;
}

void cli_tell_if_trained_on(const cli_args *args, const smerf_model *model, const cli_items *items, const char *what) {
    smerf_description about = SMERF_INIT(smerf_description);
    if (cli_has(args, "--oob") || !cli_has_learned_from(model, items)) return;
    smerf_model_describe(model, &about, NULL);
    cli_say(args, "the model has learned from these items, so that %s too good%s", what,
            cli_has_out_of_bag(&about) ? "; --oob asks only the trees that have not seen them" : "");
}

sm_matrix_side cli_side(const cli_items *items) {
    return (sm_matrix_side){.n = items->table.n_rows, .ids = items->table.ids};
}

static size_t row_in_file(const cli_items *items, size_t row) {
    return items->table.file_rows != NULL ? items->table.file_rows[row] : row;
}

smerf_status cli_item_position(const cli_items *items, const char *column, size_t row, smerf_error *error) {
    return sm_table_position(items->path, column, row_in_file(items, row), error);
}

const char *cli_item_name(const cli_items *items, size_t row, char space[24]) {
    if (items->table.ids != NULL) return items->table.ids[row];
    snprintf(space, 24, "%zu", row_in_file(items, row));
    return space;
}
