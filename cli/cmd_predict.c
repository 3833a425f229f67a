/* cmd_predict.c - smerf predict MODEL ITEMS [--against ITEMS2] [--pairs FILE] [--values] [--oob] */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "common.h"
#include "fit_options.h"
#include "interrupt.h"
#include "io/matrix/npy.h"
#include "lists.h"

static const cli_option own_options[] = {
    {"-o", "FILE", "where the distances go: .npy (float32) or CSV by its name (default: CSV to standard output)"},
    {"--against", "ITEMS2", "distances from ITEMS to these, instead of among ITEMS"},
    {"--pairs", "FILE", "only the pairs listed in a CSV file with two columns of ids"},
    {"--pair-columns", "A,B", "the columns of FILE that hold the ids (default: the first two that may)"},
    {"--output", "WHAT",
     "distance (default), or similarity: the scale of the similarities, or weights of edges, learned from"},
    {"--values", NULL, "the label or response itself, of a model that was fitted on one"},
    {"--spread", NULL, "with --pairs: a column sd, the standard deviation over the trees"},
    {"--oob", NULL, "out of bag: ITEMS are the training items; empty where no tree is eligible"},
    {"--oob-rule", "RULE", "both or either (default: as fitted)"},
    {"--id", "COLUMN", "names the items (default: as in training, or a column called 'id')"},
    {0},
};

static const cli_option *const options[] = {own_options, cli_general_options, NULL};

/* What is asked of a model. */
typedef struct asking {
    smerf_model *model;
    cli_items rows, columns;
    bool has_columns;
    smerf_request request;
    bool is_similarity; /* which is written in place of a distance */
    smerf_scale scale;
} asking;

static double on_scale(const asking *query, double distance) {
    return query->is_similarity ? smerf_similarity(&query->scale, distance) : distance;
}

/* The scale that the model's similarities, or weights of edges, had. */
static smerf_status read_scale(const cli_args *args, asking *query, smerf_error *error) {
    static const char *const outputs[] = {"distance", "similarity"};
    unsigned output = 0;
    smerf_description description = SMERF_INIT(smerf_description);
    smerf_status status = cli_get_word(args, "--output", outputs, 2, &output, error);
    if (status != SMERF_OK || output == 0) return status;
    query->is_similarity = smerf_model_scale(query->model, &query->scale);
    smerf_model_describe(query->model, &description, NULL);
    if (!query->is_similarity)
        return cli_fail(args, error,
                        "--output similarity gives back the scale of similarities or edges, and this model learned "
                        "distances (target '%s')",
                        description.target);
    return SMERF_OK;
}

static const cli_items *columns_of(const asking *query) { return query->has_columns ? &query->columns : &query->rows; }

/* ---- matrix ---- */

typedef struct matrix_writer {
    const asking *query;
    sm_output *output;
    bool is_npy, has_ids;
    float *floats;
} matrix_writer;

static void put_csv_head(const matrix_writer *writer) {
    const cli_items *columns = columns_of(writer->query);
    char space[24];
    for (size_t j = 0; j < columns->table.n_rows; j++) {
        sm_output_write(writer->output, ",", 1);
        sm_put_cell(writer->output, cli_item_name(columns, j, space));
    }
    sm_output_write(writer->output, "\n", 1);
}

/* Only when there is a first row: a question that is refused leaves nothing behind on standard output. */
static void put_head(const matrix_writer *writer) {
    const size_t shape[2] = {writer->query->rows.table.n_rows, columns_of(writer->query)->table.n_rows};
    if (writer->is_npy)
        sm_npy_write_header(writer->output, sizeof *writer->floats, 2, shape);
    else if (writer->has_ids)
        put_csv_head(writer);
}

static int put_row(void *context, size_t row, const double *distances, size_t n_columns) {
    matrix_writer *writer = context;
    const asking *query = writer->query;
    if (row == 0) put_head(writer);
    if (writer->is_npy) {
        for (size_t j = 0; j < n_columns; j++) writer->floats[j] = (float)on_scale(query, distances[j]);
        sm_output_write(writer->output, writer->floats, n_columns * sizeof *writer->floats);
    } else {
        char space[24];
        if (writer->has_ids) sm_put_cell(writer->output, cli_item_name(&writer->query->rows, row, space));
        for (size_t j = 0; j < n_columns; j++) {
            if (j > 0 || writer->has_ids) sm_output_write(writer->output, ",", 1);
            sm_put_number(writer->output, on_scale(query, distances[j]));
        }
        sm_output_write(writer->output, "\n", 1);
    }
    return sm_output_has_failed(writer->output) || cli_is_interrupted();
}

static smerf_status write_matrix(const cli_args *args, const asking *query, const smerf_run *run, smerf_error *error) {
    const char *path = cli_get(args, "-o") != NULL ? cli_get(args, "-o") : "-";
    size_t n_columns = columns_of(query)->table.n_rows;
    matrix_writer writer = {.query = query, .is_npy = cli_is_npy(path)};
    writer.has_ids = query->rows.table.ids != NULL || columns_of(query)->table.ids != NULL;
    writer.floats = malloc((n_columns + 1) * sizeof *writer.floats);
    if (writer.floats == NULL) {
        strcpy(error->message, "out of memory while writing distances");
        return SMERF_NO_MEMORY;
    }
    smerf_status status = sm_text_output_open(path, &writer.output, error);
    if (status != SMERF_OK) {
        free(writer.floats);
        return status;
    }
    status = smerf_predict_rows(query->model, &query->request, run, put_row, &writer, error);
    free(writer.floats);
    if (status == SMERF_OK || sm_output_has_failed(writer.output)) return sm_output_finish(writer.output, error);
    sm_output_abandon(writer.output);
    return status;
}

/* ---- listed pairs ---- */

static void put_pairs(const asking *query, const sm_pairs *pairs, const double *distance, const double *spread,
                      sm_output *output) {
    char space[24];
    sm_output_print(output, "i,j,%s%s\n", query->is_similarity ? "similarity" : "distance",
                    spread != NULL ? ",sd" : "");
    for (size_t p = 0; p < pairs->n; p++) {
        sm_put_cell(output, cli_item_name(&query->rows, pairs->left[p], space));
        sm_output_write(output, ",", 1);
        sm_put_cell(output, cli_item_name(columns_of(query), pairs->right[p], space));
        sm_output_write(output, ",", 1);
        sm_put_number(output, on_scale(query, distance[p]));
        if (spread != NULL) {
            sm_output_write(output, ",", 1);
            sm_put_number(output, query->is_similarity ? query->scale.factor * spread[p] : spread[p]);
        }
        sm_output_write(output, "\n", 1);
    }
}

static smerf_status write_pairs(const cli_args *args, const asking *query, const smerf_run *run, smerf_error *error) {
    sm_pairs pairs = {0};
    sm_output *output = NULL;
    double *distance = NULL, *spread = NULL;
    smerf_status status = cli_read_listed(args, &query->rows, columns_of(query), &pairs, error);
    if (status != SMERF_OK) return status;
    distance = malloc((pairs.n + 1) * sizeof *distance);
    if (cli_has(args, "--spread")) spread = malloc((pairs.n + 1) * sizeof *spread);
    if (distance == NULL || (cli_has(args, "--spread") && spread == NULL)) {
        strcpy(error->message, "out of memory while predicting pairs");
        status = SMERF_NO_MEMORY;
        goto done;
    }
    status = smerf_predict_pairs(query->model, &query->request,
                                 &(smerf_pair_list){.n = pairs.n, .left = pairs.left, .right = pairs.right}, run,
                                 &SMERF_INIT(smerf_pair_result, .distance = distance, .spread = spread), error);
    if (status == SMERF_OK)
        status = sm_text_output_open(cli_has(args, "-o") ? cli_get(args, "-o") : "-", &output, error);
    if (status == SMERF_OK) {
        put_pairs(query, &pairs, distance, spread, output);
        status = sm_output_finish(output, error);
    }
    if (status == SMERF_OK) cli_say_unused(args, &pairs);
done:
    free(distance);
    free(spread);
    sm_pairs_free(&pairs);
    return status;
}

/* ---- labels and responses ---- */

static void put_label(const smerf_model *model, const double *fractions, size_t n_classes, sm_output *output) {
    size_t best = 0;
    for (size_t c = 1; c < n_classes; c++)
        if (fractions[c] > fractions[best]) best = c;
    sm_output_write(output, ",", 1);
    if (!isnan(fractions[best])) sm_put_cell(output, smerf_model_value_name(model, best));
}

static void put_value_names(const smerf_model *model, bool are_labels, sm_output *output) {
    sm_output_print(output, are_labels ? "item,label" : "item");
    for (size_t v = 0; v < smerf_model_n_values(model); v++) {
        sm_output_write(output, ",", 1);
        sm_put_cell_after(output, are_labels ? "share:" : "", smerf_model_value_name(model, v));
    }
    sm_output_write(output, "\n", 1);
}

static void put_values(const asking *query, const double *values, sm_output *output) {
    const smerf_model *model = query->model;
    size_t n_values = smerf_model_n_values(model);
    smerf_description description = SMERF_INIT(smerf_description);
    smerf_model_describe(model, &description, NULL);
    bool are_labels = strcmp(description.target, "labels") == 0;
    char space[24];
    put_value_names(model, are_labels, output);
    for (size_t i = 0; i < query->rows.table.n_rows; i++) {
        const double *row = values + i * n_values;
        sm_put_cell(output, cli_item_name(&query->rows, i, space));
        if (are_labels) put_label(model, row, n_values, output);
        for (size_t v = 0; v < n_values; v++) {
            sm_output_write(output, ",", 1);
            sm_put_number(output, row[v]);
        }
        sm_output_write(output, "\n", 1);
    }
}

static smerf_status check_values(const cli_args *args, const smerf_model *model, smerf_error *error) {
    smerf_description description = SMERF_INIT(smerf_description);
    if (!cli_has(args, "--values") || smerf_model_n_values(model) > 0) return SMERF_OK;
    smerf_model_describe(model, &description, NULL);
    return cli_fail(args, error, "--values wants a model of labels or a response, and the target of this one is '%s'",
                    description.target);
}

static smerf_status write_values(const cli_args *args, const asking *query, const smerf_run *run, smerf_error *error) {
    sm_output *output = NULL;
    double *values = calloc(query->rows.table.n_rows * smerf_model_n_values(query->model) + 1, sizeof *values);
    if (values == NULL) {
        strcpy(error->message, "out of memory while predicting values");
        return SMERF_NO_MEMORY;
    }
    smerf_status status = smerf_predict_values(query->model, &query->request, run, values, error);
    if (status == SMERF_OK)
        status = sm_text_output_open(cli_has(args, "-o") ? cli_get(args, "-o") : "-", &output, error);
    if (status == SMERF_OK) {
        put_values(query, values, output);
        status = sm_output_finish(output, error);
    }
    free(values);
    return status;
}

/* ---- all of them ---- */

static smerf_status write_answer(const cli_args *args, const asking *query, const smerf_run *run, smerf_error *error) {
    if (cli_has(args, "--values")) return write_values(args, query, run, error);
    if (cli_has(args, "--pairs")) return write_pairs(args, query, run, error);
    return write_matrix(args, query, run, error);
}

static smerf_status check_use(const cli_args *args, smerf_error *error) {
    if (cli_has(args, "--spread") && !cli_has(args, "--pairs"))
        return cli_fail(args, error, "--spread goes with --pairs");
    if (cli_has(args, "--pair-columns") && !cli_has(args, "--pairs"))
        return cli_fail(args, error, "--pair-columns goes with --pairs");
    if (cli_has(args, "--output") && cli_has(args, "--values"))
        return cli_fail(args, error, "--output is of pairs, and --values are of items: they exclude each other");
    if (cli_has(args, "--oob") && cli_has(args, "--against"))
        return cli_fail(args, error, "--oob and --against exclude each other: out of bag is about training items");
    if (cli_has(args, "--oob-rule") && !cli_has(args, "--oob"))
        return cli_fail(args, error, "--oob-rule goes with --oob");
    if (cli_has(args, "--values") && (cli_has(args, "--pairs") || cli_has(args, "--against")))
        return cli_fail(args, error, "--values are of items, not of pairs: they go with neither --pairs nor --against");
    return SMERF_OK;
}

static smerf_status run_predict(const cli_args *args, smerf_error *error) {
    asking query = {.has_columns = cli_has(args, "--against"),
                    .request = SMERF_INIT(smerf_request, .out_of_bag = cli_has(args, "--oob"))};
    cli_follow follow;
    smerf_run run;
    smerf_status status = check_use(args, error);
    if (status == SMERF_OK) status = cli_read_oob_rule(args, &query.request.oob_rule, error);
    if (status == SMERF_OK) status = smerf_model_load(args->words[0], &query.model, error);
    if (status == SMERF_OK) status = check_values(args, query.model, error);
    if (status == SMERF_OK) status = read_scale(args, &query, error);
    if (status == SMERF_OK) status = cli_read_known_items(args, query.model, args->words[1], &query.rows, error);
    if (status == SMERF_OK && query.has_columns)
        status = cli_read_known_items(args, query.model, cli_get(args, "--against"), &query.columns, error);
    if (status == SMERF_OK) status = cli_start_run(args, "predicting", &run, &follow, error);
    if (status == SMERF_OK) {
        query.request.rows = query.rows.items;
        query.request.columns = query.has_columns ? query.columns.items : NULL;
        status = write_answer(args, &query, &run, error);
        cli_stop_following(&follow);
    }
    cli_free_items(&query.rows);
    cli_free_items(&query.columns);
    smerf_model_free(query.model);
    return status;
}

static const char *const examples[] = {
    "smerf predict model.smerf new.csv -o predicted.npy",
    "smerf predict model.smerf items.csv --oob -o out-of-bag.csv",
    "smerf predict animals.smerf new-animals.csv --values",
    NULL,
};

const cli_command cli_predict = {
    .name = "predict",
    .usage = "predict MODEL ITEMS [--against ITEMS2] [--pairs FILE] [--values] [--oob] [-o FILE]",
    .summary = "distances: all pairs, a block, or just the listed pairs; or labels and responses",
    .fewest_words = 2,
    .most_words = 2,
    .option_groups = options,
    .output = CLI_MATRIX,
    .examples = examples,
    .run = run_predict};
