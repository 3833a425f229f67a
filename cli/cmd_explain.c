/* cmd_explain.c - smerf explain MODEL ITEMS --pair I J | --pairs FILE | --item I */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "common.h"
#include "fit_options.h"
#include "io/text/names.h"
#include "lists.h"

static const cli_option own_options[] = {
    {"--pair", "I J", "the distance of two items: what each feature adds to the mean distance, or takes from it"},
    {"--pairs", "FILE", "the same for all pairs listed in a CSV file with two columns of ids: one row each"},
    {"--pair-columns", "A,B", "the columns of FILE that hold the ids (default: the first two that may)"},
    {"--item", "I", "which features part an item from the others: shares for its nearest, and for all"},
    {"-k", "K", "with --item: how many nearest (default: 10)"},
    {"--against", "ITEMS2", "the second item of each pair is one of these"},
    {"--oob", NULL, "out of bag: ITEMS are the training items; empty where no tree is eligible"},
    {"--oob-rule", "RULE", "both or either (default: as fitted)"},
    {"--json", NULL, "as JSON (not with --pairs)"},
    {"-o", "FILE", "where the result goes (default: standard output)"},
    {"--id", "COLUMN", "names the items (default: as in training, or a column called 'id')"},
    {0},
};

static const cli_option *const options[] = {own_options, cli_general_options, NULL};

/* What is asked, and what comes of it. */
typedef struct explaining {
    const cli_args *args;
    smerf_model *model;
    cli_items rows, columns;
    bool has_columns;
    smerf_request request;
    size_t n_features;
    double *baseline, *contributions, *distance; /* of pairs; of an item: those of the near, then of all */
    size_t n_near;                               /* of an item */
} explaining;

static const cli_items *columns_of(const explaining *at) { return at->has_columns ? &at->columns : &at->rows; }

static const char *feature_name(const explaining *at, size_t f) {
    smerf_column column;
    smerf_model_feature(at->model, f, &column);
    return column.name;
}

static smerf_status reserve_results(explaining *at, size_t n_pairs, smerf_error *error) {
    at->baseline = calloc(n_pairs + 1, sizeof *at->baseline);
    at->distance = calloc(n_pairs + 1, sizeof *at->distance);
    at->contributions = n_pairs < SIZE_MAX / sizeof *at->contributions / (at->n_features + 1)
                            ? calloc(n_pairs * at->n_features + 1, sizeof *at->contributions)
                            : NULL;
    if (at->baseline != NULL && at->distance != NULL && at->contributions != NULL) return SMERF_OK;
    strcpy(error->message, "out of memory while explaining distances");
    return SMERF_NO_MEMORY;
}

/* Where an item stands. */
static smerf_status find_item(const explaining *at, const cli_items *items, const char *id, uint32_t *row,
                              smerf_error *error) {
    sm_id_table id_table = {0};
    smerf_status status = sm_id_table_start(&id_table, items->table.ids, items->table.n_rows, error);
    if (status != SMERF_OK) return status;
    *row = sm_id_table_find(&id_table, id, strlen(id));
    sm_id_table_stop(&id_table);
    if (*row != SMERF_MISSING) return SMERF_OK;
    if (items->table.ids != NULL)
        return cli_fail(at->args, error, "no item of %.200s is called '%.100s'", items->path, id);
    return cli_fail(at->args, error, "'%.100s' is not a row of %.200s, which are called 0 to %zu", id, items->path,
                    items->table.n_rows - 1);
}

/* ---- features in order ---- */

typedef struct ranked {
    const char *name;
    size_t index;
    double size; /* by which they are ordered, the largest first */
} ranked;

static int largest_first(const void *a, const void *b) {
    const ranked *left = a, *right = b;
    if (left->size != right->size) return left->size > right->size ? -1 : 1;
    return (left->index > right->index) - (left->index < right->index);
}

/* The features by size.   size  NaN counts as 0; NULL: no memory */
static ranked *rank_features(const explaining *at, double (*size)(const explaining *at, size_t feature)) {
    ranked *features = calloc(at->n_features + 1, sizeof *features);
    for (size_t f = 0; f < at->n_features && features != NULL; f++) {
        double value = size(at, f);
        features[f] = (ranked){.name = feature_name(at, f), .index = f, .size = isnan(value) ? 0 : value};
    }
    if (features != NULL) qsort(features, at->n_features, sizeof *features, largest_first);
    return features;
}

static smerf_status put_ranked(const explaining *at, double (*size)(const explaining *at, size_t feature),
                               void (*put)(const explaining *at, const ranked *features, sm_output *output),
                               smerf_error *error) {
    sm_output *output;
    ranked *features = rank_features(at, size);
    if (features == NULL) {
        strcpy(error->message, "out of memory while ranking features");
        return SMERF_NO_MEMORY;
    }
    smerf_status status = sm_text_output_open(cli_has(at->args, "-o") ? cli_get(at->args, "-o") : "-", &output, error);
    if (status == SMERF_OK) {
        put(at, features, output);
        status = sm_output_finish(output, error);
    }
    free(features);
    return status;
}

/* ---- one pair ---- */

static double contribution_size(const explaining *at, size_t f) { return fabs(at->contributions[f]); }

static void put_pair(const explaining *at, const ranked *features, sm_output *output) {
    if (!cli_has(at->args, "--json")) {
        sm_output_print(output, "feature,share\n(baseline),");
        sm_put_number(output, at->baseline[0]);
        for (size_t f = 0; f < at->n_features; f++) {
            sm_output_print(output, "\n");
            sm_put_cell(output, features[f].name);
            sm_output_print(output, ",");
            sm_put_number(output, at->contributions[features[f].index]);
        }
        sm_output_print(output, "\n(distance),");
        sm_put_number(output, at->distance[0]);
        sm_output_print(output, "\n");
        return;
    }
    sm_output_print(output, "{\"baseline\": ");
    sm_put_json_number(output, at->baseline[0]);
    sm_output_print(output, ", \"shares\": {");
    for (size_t f = 0; f < at->n_features; f++) {
        sm_output_print(output, f == 0 ? "\n  " : ",\n  ");
        sm_put_json_string(output, features[f].name);
        sm_output_print(output, ": ");
        sm_put_json_number(output, at->contributions[features[f].index]);
    }
    sm_output_print(output, "},\n \"distance\": ");
    sm_put_json_number(output, at->distance[0]);
    sm_output_print(output, "}\n");
}

static smerf_status explain_pair(explaining *at, const smerf_run *run, smerf_error *error) {
    uint32_t left, right;
    smerf_status status = find_item(at, &at->rows, cli_get(at->args, "--pair"), &left, error);
    if (status == SMERF_OK) status = find_item(at, columns_of(at), cli_get_second(at->args, "--pair"), &right, error);
    if (status == SMERF_OK) status = reserve_results(at, 1, error);
    if (status == SMERF_OK)
        status = smerf_explain_pairs(at->model, &at->request,
                                     &(smerf_pair_list){.n = 1, .left = &left, .right = &right}, run,
                                     &SMERF_INIT(smerf_explanation, .baseline = at->baseline,
                                                 .contributions = at->contributions, .distance = at->distance),
                                     error);
    return status == SMERF_OK ? put_ranked(at, contribution_size, put_pair, error) : status;
}

/* ---- listed pairs ---- */

static void put_pairs(const explaining *at, const sm_pairs *pairs, sm_output *output) {
    char space[24];
    sm_output_print(output, "i,j,(baseline)");
    for (size_t f = 0; f < at->n_features; f++) {
        sm_output_print(output, ",");
        sm_put_cell(output, feature_name(at, f));
    }
    sm_output_print(output, "\n");
    for (size_t p = 0; p < pairs->n; p++) {
        sm_put_cell(output, cli_item_name(&at->rows, pairs->left[p], space));
        sm_output_print(output, ",");
        sm_put_cell(output, cli_item_name(columns_of(at), pairs->right[p], space));
        sm_output_print(output, ",");
        sm_put_number(output, at->baseline[p]);
        for (size_t f = 0; f < at->n_features; f++) {
            sm_output_print(output, ",");
            sm_put_number(output, at->contributions[p * at->n_features + f]);
        }
        sm_output_print(output, "\n");
    }
}

static smerf_status explain_pairs(explaining *at, const smerf_run *run, smerf_error *error) {
    sm_pairs pairs = {0};
    sm_output *output;
    smerf_status status = cli_read_listed(at->args, &at->rows, columns_of(at), &pairs, error);
    if (status == SMERF_OK) status = reserve_results(at, pairs.n, error);
    if (status == SMERF_OK)
        status = smerf_explain_pairs(at->model, &at->request,
                                     &(smerf_pair_list){.n = pairs.n, .left = pairs.left, .right = pairs.right}, run,
                                     &SMERF_INIT(smerf_explanation, .baseline = at->baseline,
                                                 .contributions = at->contributions, .distance = at->distance),
                                     error);
    if (status == SMERF_OK)
        status = sm_text_output_open(cli_has(at->args, "-o") ? cli_get(at->args, "-o") : "-", &output, error);
    if (status == SMERF_OK) {
        put_pairs(at, &pairs, output);
        status = sm_output_finish(output, error);
    }
    if (status == SMERF_OK) cli_say_unused(at->args, &pairs);
    sm_pairs_free(&pairs);
    return status;
}

/* ---- one item ---- */

static double separates(const explaining *at, size_t f) {
    return at->contributions[at->n_features + f] - at->contributions[f];
}

static void put_item(const explaining *at, const ranked *features, sm_output *output) {
    bool is_json = cli_has(at->args, "--json");
    if (is_json) {
        sm_output_print(output, "{\"item\": ");
        sm_put_json_string(output, cli_get(at->args, "--item"));
        sm_output_print(output, ", \"nearest\": %zu, \"others\": %zu, \"features\": [", at->n_near,
                        at->rows.table.n_rows - 1);
    } else {
        sm_output_print(output, "feature,near,all,separates\n");
    }
    for (size_t k = 0; k < at->n_features; k++) {
        size_t f = features[k].index;
        const double values[3] = {at->contributions[f], at->contributions[at->n_features + f], separates(at, f)};
        static const char *const names[3] = {", \"near\": ", ", \"all\": ", ", \"separates\": "};
        if (is_json) {
            sm_output_print(output, "%s{\"feature\": ", k == 0 ? "\n  " : ",\n  ");
            sm_put_json_string(output, features[k].name);
        } else {
            sm_put_cell(output, features[k].name);
        }
        for (size_t v = 0; v < 3; v++) {
            sm_output_print(output, "%s", is_json ? names[v] : ",");
            if (is_json)
                sm_put_json_number(output, values[v]);
            else
                sm_put_number(output, values[v]);
        }
        sm_output_print(output, is_json ? "}" : "\n");
    }
    if (is_json) sm_output_print(output, "]}\n");
}

static smerf_status explain_item(explaining *at, const smerf_run *run, smerf_error *error) {
    uint32_t item;
    size_t k = 10, n = at->rows.table.n_rows;
    char near[40], others[40];
    smerf_status status = cli_get_size(at->args, "-k", 1, &k, error);
    if (status == SMERF_OK && n < 2)
        status = cli_fail(at->args, error, "%.300s: there is one item, and nothing to part it from", at->rows.path);
    if (status == SMERF_OK) status = find_item(at, &at->rows, cli_get(at->args, "--item"), &item, error);
    if (status == SMERF_OK) status = reserve_results(at, 2, error);
    at->n_near = k < n ? k : n - 1;
    if (status == SMERF_OK)
        status = smerf_explain_items(
            at->model, &SMERF_INIT(smerf_item_request, .rows = at->rows.items, .items = &item, .n_items = 1, .k = k),
            run, at->contributions, at->contributions + at->n_features, error);
    if (status == SMERF_OK) status = put_ranked(at, separates, put_item, error);
    if (status == SMERF_OK)
        cli_say(at->args, "means over %s, and over all %s", cli_count(at->n_near, "nearest item", near),
                cli_count(n - 1, "other", others));
    return status;
}

/* ---- the command ---- */

static smerf_status check_use(const cli_args *args, smerf_error *error) {
    int n_query = cli_has(args, "--pair") + cli_has(args, "--pairs") + cli_has(args, "--item");
    if (n_query != 1)
        return cli_fail(args, error, "what is to be explained? Give one of --pair I J, --pairs FILE and --item I");
    if (cli_has(args, "--item") && (cli_has(args, "--against") || cli_has(args, "--oob")))
        return cli_fail(args, error, "--item is about ITEMS alone: it goes with neither --against nor --oob");
    if (cli_has(args, "-k") && !cli_has(args, "--item")) return cli_fail(args, error, "-k goes with --item");
    if (cli_has(args, "--pair-columns") && !cli_has(args, "--pairs"))
        return cli_fail(args, error, "--pair-columns goes with --pairs");
    if (cli_has(args, "--pairs") && cli_has(args, "--json"))
        return cli_fail(args, error, "--pairs writes CSV: --json goes with --pair and --item");
    if (cli_has(args, "--oob") && cli_has(args, "--against"))
        return cli_fail(args, error, "--oob and --against exclude each other: out of bag is about training items");
    if (cli_has(args, "--oob-rule") && !cli_has(args, "--oob"))
        return cli_fail(args, error, "--oob-rule goes with --oob");
    return SMERF_OK;
}

static smerf_status explain(explaining *at, const smerf_run *run, smerf_error *error) {
    smerf_description description = SMERF_INIT(smerf_description);
    smerf_model_describe(at->model, &description, NULL);
    at->n_features = description.n_features;
    at->request.rows = at->rows.items;
    at->request.columns = at->has_columns ? at->columns.items : NULL;
    if (cli_has(at->args, "--pair")) return explain_pair(at, run, error);
    return cli_has(at->args, "--pairs") ? explain_pairs(at, run, error) : explain_item(at, run, error);
}

static smerf_status run_explain(const cli_args *args, smerf_error *error) {
    explaining at = {.args = args,
                     .has_columns = cli_has(args, "--against"),
                     .request = SMERF_INIT(smerf_request, .out_of_bag = cli_has(args, "--oob"))};
    cli_follow follow;
    smerf_run run;
    smerf_status status = check_use(args, error);
    if (status == SMERF_OK) status = cli_read_oob_rule(args, &at.request.oob_rule, error);
    if (status == SMERF_OK) status = smerf_model_load(args->words[0], &at.model, error);
    if (status == SMERF_OK) status = cli_read_known_items(args, at.model, args->words[1], &at.rows, error);
    if (status == SMERF_OK && at.has_columns)
        status = cli_read_known_items(args, at.model, cli_get(args, "--against"), &at.columns, error);
    if (status == SMERF_OK) status = cli_start_run(args, "explaining", &run, &follow, error);
    if (status == SMERF_OK) {
        status = explain(&at, &run, error);
        cli_stop_following(&follow);
    }
    free(at.baseline);
    free(at.contributions);
    free(at.distance);
    cli_free_items(&at.rows);
    cli_free_items(&at.columns);
    smerf_model_free(at.model);
    return status;
}

static const char *const examples[] = {
    "smerf explain animals.smerf animals.csv --pair bat owl",
    "smerf explain animals.smerf animals.csv --item bat -k 3",
    NULL,
};

const cli_command cli_explain = {
    .name = "explain",
    .usage = "explain MODEL ITEMS --pair I J | --pairs FILE | --item I [-k K] [--against ITEMS2] [--json] [-o FILE]",
    .summary = "which features make two items near or far",
    .fewest_words = 2,
    .most_words = 2,
    .option_groups = options,
    .output = CLI_TABLE,
    .examples = examples,
    .run = run_explain};
