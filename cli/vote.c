/* vote.c - see vote.h.
 *
 * The column is a feature of the model, or one beside them: a category, a number, or number codes that --categories makes a
 * category. Classes are told in bytewise order. */
#include "vote.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *cli_catalogue(const cli_args *args) {
    return cli_has(args, "--items") ? cli_get(args, "--items") : args->words[1];
}

/* ---- reading ---- */

static bool is_listed(const char *name, const char *const *names, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (strcmp(names[i], name) == 0) return true;
    return false;
}

static bool is_feature(const smerf_model *model, const char *name) {
    smerf_description description = SMERF_INIT(smerf_description);
    smerf_model_describe(model, &description, NULL);
    for (size_t f = 0; f < description.n_features; f++) {
        smerf_column column;
        smerf_model_feature(model, f, &column);
        if (strcmp(column.name, name) == 0) return true;
    }
    return false;
}

/* The column that is voted on, wherever it is; NULL: the file has none. */
static const sm_table_column *column_of(const cli_args *args, const cli_items *items) {
    const char *name = cli_get(args, "--vote");
    if (items->table.n_targets > 0) return &items->table.targets[0];
    for (size_t f = 0; f < items->table.n_columns; f++)
        if (strcmp(items->table.columns[f].name, name) == 0) return &items->table.columns[f];
    return NULL;
}

/* A feature may have gaps, a vote may not. */
static smerf_status check_gaps(const cli_args *args, const cli_items *items, smerf_error *error) {
    const sm_table_column *column = column_of(args, items);
    for (size_t i = 0; column != NULL && i < items->table.n_rows; i++) {
        if (column->is_category ? column->codes[i] != SMERF_MISSING : !isnan(column->values[i])) continue;
        error->status = SMERF_BAD_INPUT;
        snprintf(error->message, sizeof error->message, "a missing value; every item needs one to be voted on");
        return cli_item_position(items, column->name, i, error);
    }
    return SMERF_OK;
}

static smerf_status check_categories(const cli_args *args, const smerf_model *model, bool *are_labels,
                                     smerf_error *error) {
    const char *name = cli_get(args, "--vote"), *categories = cli_get(args, "--categories");
    *are_labels = categories != NULL;
    if (categories != NULL && strcmp(categories, name) != 0)
        return cli_fail(args, error, "--categories is about the column that is voted on, '%s'", name);
    if (categories != NULL && is_feature(model, name))
        return cli_fail(args, error, "'%s' is a feature of the model, which knows what it is: leave --categories out",
                        name);
    return SMERF_OK;
}

smerf_status cli_read_voters(const cli_args *args, const smerf_model *model, cli_items *items, cli_items *queries,
                             smerf_error *error) {
    const char *name = cli_get(args, "--vote");
    bool are_labels;
    smerf_status status = check_categories(args, model, &are_labels, error);
    if (status != SMERF_OK) return status;
    sm_table_spec spec = {.targets = &name, .n_targets = is_feature(model, name) ? 0 : 1, .targets_are_open = true};
    spec.targets_are_labels = are_labels;
    status = cli_read_known_items_and(args, model, cli_catalogue(args), &spec, items, error);
    if (status == SMERF_OK) status = check_gaps(args, items, error);
    if (status != SMERF_OK || !cli_has(args, "--queries")) return status;
    spec.targets_are_open = false; /* but as among the items */
    spec.targets_are_labels = column_of(args, items)->is_category;
    spec.targets_may_be_absent = true;
    status = cli_read_known_items_and(args, model, cli_get(args, "--queries"), &spec, queries, error);
    return status == SMERF_OK ? check_gaps(args, queries, error) : status;
}

/* ---- the votes ---- */

typedef struct votes {
    const cli_items *queries;
    const sm_table_column *column, *truth; /* truth: of the queries, or NULL */
    size_t n_queries, n_classes;           /* n_classes: 0 for numbers */
    const char **classes;                  /* [n_classes] in bytewise order */
    uint32_t *codes, *winner;              /* [items], [queries]: indices of classes */
    double *values;                        /* [queries][n_classes or 1] */
    size_t n_scored;
    double accuracy, rmse, r2;
} votes;

static void free_votes(votes *of) {
    free(of->classes);
    free(of->codes);
    free(of->winner);
    free(of->values);
}

static int bytewise(const void *a, const void *b) { return strcmp(*(const char *const *)a, *(const char *const *)b); }

static uint32_t find_class(const votes *of, const char *name) {
    const char *const *found = bsearch(&name, of->classes, of->n_classes, sizeof *of->classes, bytewise);
    return found != NULL ? (uint32_t)(found - of->classes) : SMERF_MISSING;
}

/* False: no memory. */
static bool start_votes(votes *of, const cli_items *items) {
    const sm_table_column *column = of->column;
    size_t n = items->table.n_rows;
    of->n_classes = column->is_category ? column->n_levels : 0;
    of->n_queries = of->queries->table.n_rows;
    of->classes = calloc(of->n_classes + 1, sizeof *of->classes);
    of->codes = calloc(n + 1, sizeof *of->codes);
    of->winner = calloc(of->n_queries + 1, sizeof *of->winner);
    of->values = calloc(of->n_queries + 1, (of->n_classes > 0 ? of->n_classes : 1) * sizeof *of->values);
    if (of->classes == NULL || of->codes == NULL || of->winner == NULL || of->values == NULL) return false;
    for (size_t c = 0; c < of->n_classes; c++) of->classes[c] = column->levels[c];
    qsort(of->classes, of->n_classes, sizeof *of->classes, bytewise);
    for (size_t i = 0; i < n && of->n_classes > 0; i++) of->codes[i] = find_class(of, column->levels[column->codes[i]]);
    return true;
}

static const char *true_class(const votes *of, size_t query) { return of->truth->levels[of->truth->codes[query]]; }

/* Queries without neighbours have no prediction, and are not scored. */
static bool is_predicted(const votes *of, size_t query) {
    return of->n_classes > 0 ? of->winner[query] != SMERF_MISSING : !isnan(of->values[query]);
}

static void score(votes *of) {
    double n_right = 0, sum = 0, apart = 0, spread = 0;
    for (size_t q = 0; q < of->n_queries && of->truth != NULL; q++) {
        if (!is_predicted(of, q)) continue;
        of->n_scored++;
        if (of->n_classes > 0)
            n_right += strcmp(of->classes[of->winner[q]], true_class(of, q)) == 0;
        else
            sum += of->truth->values[q];
    }
    double n = (double)of->n_scored, mean = sum / n;
    for (size_t q = 0; q < of->n_queries && of->truth != NULL && of->n_classes == 0; q++) {
        if (!is_predicted(of, q)) continue;
        apart += pow(of->values[q] - of->truth->values[q], 2);
        spread += pow(of->truth->values[q] - mean, 2);
    }
    of->accuracy = of->n_classes > 0 && n > 0 ? n_right / n : NAN;
    of->rmse = of->n_classes == 0 && n > 0 ? sqrt(apart / n) : NAN;
    of->r2 = of->n_classes == 0 && spread > 0 ? 1 - apart / spread : NAN;
}

/* ---- writing ---- */

static void put_csv_row(sm_output *output, const votes *of, size_t q) {
    char space[24];
    sm_put_cell(output, cli_item_name(of->queries, q, space));
    sm_output_write(output, ",", 1);
    if (of->n_classes > 0 && is_predicted(of, q)) sm_put_cell(output, of->classes[of->winner[q]]);
    if (of->n_classes == 0) sm_put_number(output, of->values[q]);
    if (of->truth != NULL) sm_output_write(output, ",", 1);
    if (of->truth != NULL && of->n_classes > 0) sm_put_cell(output, true_class(of, q));
    if (of->truth != NULL && of->n_classes == 0) sm_put_number(output, of->truth->values[q]);
    for (size_t c = 0; c < of->n_classes; c++) {
        sm_output_write(output, ",", 1);
        sm_put_number(output, of->values[q * of->n_classes + c]);
    }
    sm_output_write(output, "\n", 1);
}

static void put_csv(sm_output *output, const votes *of) {
    sm_output_print(output, "item,");
    sm_put_cell(output, of->column->name);
    if (of->truth != NULL) sm_output_print(output, ",truth");
    for (size_t c = 0; c < of->n_classes; c++) {
        sm_output_write(output, ",", 1);
        sm_put_cell_after(output, "share:", of->classes[c]);
    }
    sm_output_write(output, "\n", 1);
    for (size_t q = 0; q < of->n_queries; q++) put_csv_row(output, of, q);
}

static void put_json_row(sm_output *output, const votes *of, size_t q) {
    char space[24];
    sm_output_print(output, "%s{\"item\": ", q == 0 ? "\n  " : ",\n  ");
    sm_put_json_string(output, cli_item_name(of->queries, q, space));
    sm_output_print(output, ", \"predicted\": ");
    if (of->n_classes == 0)
        sm_put_json_number(output, of->values[q]);
    else if (is_predicted(of, q))
        sm_put_json_string(output, of->classes[of->winner[q]]);
    else
        sm_output_print(output, "null");
    if (of->truth != NULL) sm_output_print(output, ", \"truth\": ");
    if (of->truth != NULL && of->n_classes > 0) sm_put_json_string(output, true_class(of, q));
    if (of->truth != NULL && of->n_classes == 0) sm_put_json_number(output, of->truth->values[q]);
    if (of->n_classes > 0) sm_output_print(output, ", \"shares\": {");
    for (size_t c = 0; c < of->n_classes; c++) {
        if (c > 0) sm_output_print(output, ", ");
        sm_put_json_string(output, of->classes[c]);
        sm_output_print(output, ": ");
        sm_put_json_number(output, of->values[q * of->n_classes + c]);
    }
    sm_output_print(output, of->n_classes > 0 ? "}}" : "}");
}

static void put_json(sm_output *output, const votes *of) {
    sm_output_print(output, "{\"column\": ");
    sm_put_json_string(output, of->column->name);
    sm_output_print(output, ", \"n_scored\": %zu, \"%s\": ", of->n_scored, of->n_classes > 0 ? "accuracy" : "rmse");
    sm_put_json_number(output, of->n_classes > 0 ? of->accuracy : of->rmse);
    if (of->n_classes == 0) {
        sm_output_print(output, ", \"r2\": ");
        sm_put_json_number(output, of->r2);
    }
    sm_output_print(output, ", \"predictions\": [");
    for (size_t q = 0; q < of->n_queries; q++) put_json_row(output, of, q);
    sm_output_print(output, "]}\n");
}

/* ---- saying ---- */

static void tell_score(const cli_args *args, const smerf_model *model, const votes *of) {
    smerf_description description = SMERF_INIT(smerf_description);
    char items[40];
    smerf_model_describe(model, &description, NULL);
    if (of->truth == NULL || of->n_scored == 0) return;
    cli_count(of->n_scored, "item", items);
    if (of->n_classes > 0)
        cli_say(args, "accuracy %.4g over %s", of->accuracy, items);
    else
        cli_say(args, "rmse %.4g, r2 %.4g over %s", of->rmse, of->r2, items);
    bool is_seen = !cli_has(args, "--oob") &&
                   is_listed(of->column->name, description.target_columns, description.n_target_columns) &&
                   cli_has_learned_from(model, of->queries);
    if (is_seen)
        cli_say(args, "the model has learned '%s' from these items, so that the score is too good%s", of->column->name,
                cli_has_out_of_bag(&description) && !cli_has(args, "--queries")
                    ? "; --oob asks only the trees that have not seen them"
                    : "");
}

/* ---- all together ---- */

static smerf_status take_votes(const cli_args *args, const smerf_model *model, const smerf_neighborhood *wanted,
                               votes *of, smerf_error *error) {
    const smerf_known_values known = {.n_classes = of->n_classes, .codes = of->codes, .values = of->column->values};
    cli_follow follow;
    smerf_run run;
    smerf_status status = cli_start_run(args, "looking for neighbours", &run, &follow, error);
    if (status != SMERF_OK) return status;
    status = smerf_vote(model, wanted, &known, &run, of->values, of->winner, error);
    cli_stop_following(&follow);
    return status;
}

smerf_status cli_vote(const cli_args *args, const smerf_model *model, const smerf_neighborhood *wanted,
                      const cli_items *items, const cli_items *queries, smerf_error *error) {
    sm_output *output = NULL;
    votes of = {.queries = queries, .column = column_of(args, items), .truth = column_of(args, queries)};
    smerf_status status = SMERF_OK;
    if (!start_votes(&of, items)) {
        strcpy(error->message, "out of memory while taking votes");
        status = SMERF_NO_MEMORY;
    }
    if (status == SMERF_OK) status = take_votes(args, model, wanted, &of, error);
    if (status == SMERF_OK)
        status = sm_text_output_open(cli_get_output(args) != NULL ? cli_get_output(args) : "-", &output, error);
    if (status == SMERF_OK) {
        score(&of);
        if (cli_has(args, "--json"))
            put_json(output, &of);
        else
            put_csv(output, &of);
        status = sm_output_finish(output, error);
    }
    if (status == SMERF_OK) tell_score(args, model, &of);
    free_votes(&of);
    return status;
}
