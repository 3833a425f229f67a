/* cmd_cluster.c - smerf cluster MODEL ITEMS -k K|auto [--means | --oob] */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "common.h"
#include "fit_options.h"

static const cli_option own_options[] = {
    {"-k", "K", "how many clusters; 'auto': as many as have the largest mean silhouette"},
    {"--most-k", "N", "with -k auto: 2 ... N are tried (default: 20, or one less than there are items)"},
    {"--means", NULL, "k-means among the forest's vectors, for many items: no matrix of all distances"},
    {"--silhouettes", NULL, "a column 'silhouette' of the CSV: how well an item lies in its cluster, from -1 to 1"},
    {"--oob", NULL, "at out-of-bag distances: ITEMS are the training items"},
    {"--oob-rule", "RULE", "both or either (default: as fitted)"},
    {"--seed", "N", "0 ... 2^63 - 1 (default 1)"},
    {"-o", "FILE", "where the result goes (default: standard output)"},
    {"--json", NULL, "as JSON, with everything that is known"},
    {"--id", "COLUMN", "names the items (default: as in training, or a column called 'id')"},
    {0},
};

static const cli_option *const options[] = {own_options, cli_general_options, NULL};

/* Everything that smerf_cluster gives. */
typedef struct answer {
    smerf_clustering query;
    smerf_clusters found;
    size_t n;
    uint32_t *cluster, *medoid; /* [n] */
    double *silhouette, *tried; /* [n] */
} answer;

/* ---- writing ---- */

static void put_csv(sm_output *output, const cli_items *items, const answer *from, bool has_silhouettes) {
    char space[24];
    sm_output_print(output, "item,cluster,medoid%s\n", has_silhouettes ? ",silhouette" : "");
    for (size_t i = 0; i < from->n; i++) {
        sm_put_cell(output, cli_item_name(items, i, space));
        sm_output_print(output, ",%u,", (unsigned)from->cluster[i] + 1);
        sm_put_cell(output, cli_item_name(items, from->medoid[i], space));
        if (has_silhouettes) {
            sm_output_print(output, ",");
            sm_put_number(output, from->silhouette[i]);
        }
        sm_output_print(output, "\n");
    }
}

static void put_tried(sm_output *output, const answer *from) {
    const char *comma = "";
    sm_output_print(output, "  \"tried\": [");
    for (size_t k = 0; k < from->n; k++) {
        if (isnan(from->tried[k])) continue;
        sm_output_print(output, "%s{\"k\": %zu, \"silhouette\": ", comma, k);
        sm_put_json_number(output, from->tried[k]);
        sm_output_print(output, "}");
        comma = ", ";
    }
    sm_output_print(output, "],\n");
}

/* Clusters stand in the order of their first items, so that each is new where its number is. */
static void put_clusters(sm_output *output, const cli_items *items, const answer *from) {
    char space[24];
    size_t n_put = 0;
    sm_output_print(output, "  \"clusters\": [");
    for (size_t i = 0; i < from->n; i++) {
        if (from->cluster[i] < n_put) continue;
        size_t size = 0;
        double sum = 0;
        for (size_t j = i; j < from->n; j++) {
            if (from->cluster[j] != from->cluster[i]) continue;
            size++;
            sum += from->silhouette[j];
        }
        sm_output_print(output, "%s{\"cluster\": %zu, \"size\": %zu, \"medoid\": ", n_put == 0 ? "\n    " : ",\n    ",
                        n_put + 1, size);
        sm_put_json_string(output, cli_item_name(items, from->medoid[i], space));
        sm_output_print(output, ", \"silhouette\": ");
        sm_put_json_number(output, sum / (double)size);
        sm_output_print(output, "}");
        n_put++;
    }
    sm_output_print(output, "],\n");
}

static void put_json(sm_output *output, const cli_items *items, const answer *from) {
    char space[24];
    sm_output_print(output,
                    "{\"by\": \"%s\", \"k\": %zu, \"cost\": ", from->query.by == SMERF_MEANS ? "means" : "medoids",
                    from->found.k);
    sm_put_json_number(output, from->found.cost);
    sm_output_print(output, ", \"silhouette\": ");
    sm_put_json_number(output, from->found.mean_silhouette);
    sm_output_print(output, ",\n");
    if (from->query.k == 0) put_tried(output, from);
    put_clusters(output, items, from);
    sm_output_print(output, "  \"items\": [");
    for (size_t i = 0; i < from->n; i++) {
        sm_output_print(output, "%s{\"item\": ", i == 0 ? "\n    " : ",\n    ");
        sm_put_json_string(output, cli_item_name(items, i, space));
        sm_output_print(output, ", \"cluster\": %u, \"medoid\": ", (unsigned)from->cluster[i] + 1);
        sm_put_json_string(output, cli_item_name(items, from->medoid[i], space));
        sm_output_print(output, ", \"silhouette\": ");
        sm_put_json_number(output, from->silhouette[i]);
        sm_output_print(output, "}");
    }
    sm_output_print(output, "]}\n");
}

static smerf_status put_answer(const cli_args *args, const cli_items *items, const answer *from, smerf_error *error) {
    const char *path = cli_get_output(args);
    sm_output *output;
    smerf_status status = sm_text_output_open(path != NULL ? path : "-", &output, error);
    if (status != SMERF_OK) return status;
    if (cli_has(args, "--json"))
        put_json(output, items, from);
    else
        put_csv(output, items, from, cli_has(args, "--silhouettes"));
    return sm_output_finish(output, error);
}

/* One line: how many, how good, and what else was tried. */
static void say(const cli_args *args, const answer *from) {
    char counted[40], tried[1024] = "", rated[64] = "";
    for (size_t k = 0; k < from->n; k++) {
        size_t length = strlen(tried);
        if (!isnan(from->tried[k]) && length + 40 < sizeof tried)
            snprintf(tried + length, sizeof tried - length, "%s%zu (%.3f)", length == 0 ? "; tried " : ", ", k,
                     from->tried[k]);
    }
    if (!isnan(from->found.mean_silhouette))
        snprintf(rated, sizeof rated, ", mean silhouette %.3f", from->found.mean_silhouette);
    cli_say(args, "%s, cost %.6g%s%s", cli_count(from->found.k, "cluster", counted), from->found.cost, rated, tried);
}

/* ---- the command ---- */

static smerf_status read_spec(const cli_args *args, smerf_clustering *query, smerf_error *error) {
    const char *k = cli_get(args, "-k");
    size_t seed = 1;
    if (k == NULL) return cli_fail(args, error, "how many clusters? Give -k K, or -k auto");
    bool is_auto = strcmp(k, "auto") == 0;
    if (!is_auto && cli_has(args, "--most-k")) return cli_fail(args, error, "--most-k goes with -k auto");
    smerf_status status = is_auto ? SMERF_OK : cli_get_size(args, "-k", 1, &query->k, error);
    if (status == SMERF_OK) status = cli_get_size(args, "--most-k", 2, &query->most_k, error);
    if (status == SMERF_OK) status = cli_get_size(args, "--seed", 0, &seed, error);
    if (status != SMERF_OK) return status;
    if (seed > INT64_MAX) return cli_fail(args, error, "--seed '%zu' is not in 0 ... 2^63 - 1", seed);
    query->seed = seed;
    query->by = cli_has(args, "--means") ? SMERF_MEANS : SMERF_MEDOIDS;
    if (cli_has(args, "--means") && cli_has(args, "--oob"))
        return cli_fail(args, error, "--means and --oob exclude each other: vectors are of all trees");
    return cli_read_out_of_bag(args, &query->out_of_bag, &query->oob_rule, error);
}

/* Where a matrix is too large, vectors may not be. */
static void hint_at_means(const smerf_model *model, const answer *to, smerf_error *error) {
    size_t length = strlen(error->message), size = smerf_vectors_size(model);
    if (to->query.by == SMERF_MEANS || size == 0) return;
    snprintf(error->message + length, sizeof error->message - length, "; --means would need %.1f GB",
             (double)to->n * (double)size * sizeof(float) / 1e9);
}

static smerf_status find_clusters(const cli_args *args, const smerf_model *model, const cli_items *items, answer *to,
                                  smerf_error *error) {
    cli_follow follow;
    smerf_run run;
    smerf_status status = SMERF_OK;
    if (cli_get_output(args) != NULL) status = sm_output_check(cli_get_output(args), error);
    if (status == SMERF_OK) status = cli_start_run(args, "looking for clusters", &run, &follow, error);
    if (status != SMERF_OK) return status;
    to->found = SMERF_INIT(smerf_clusters, .cluster = to->cluster, .medoid = to->medoid, .silhouette = to->silhouette,
                           .tried = to->tried);
    status = smerf_cluster(model, items->items, &to->query, &run, &to->found, error);
    cli_stop_following(&follow);
    if (status == SMERF_NO_MEMORY) hint_at_means(model, to, error);
    if (status == SMERF_BAD_INPUT) cli_name_option(args, error);
    return status;
}

static smerf_status reserve_answer(answer *to, size_t n, smerf_error *error) {
    to->n = n;
    to->cluster = calloc(n, sizeof *to->cluster);
    to->medoid = calloc(n, sizeof *to->medoid);
    to->silhouette = calloc(n, sizeof *to->silhouette);
    to->tried = calloc(n, sizeof *to->tried);
    if (to->cluster != NULL && to->medoid != NULL && to->silhouette != NULL && to->tried != NULL) return SMERF_OK;
    strcpy(error->message, "out of memory while looking for clusters");
    return SMERF_NO_MEMORY;
}

static smerf_status run_cluster(const cli_args *args, smerf_error *error) {
    smerf_model *model = NULL;
    cli_items items = {0};
    answer to = {.query = SMERF_INIT(smerf_clustering)};
    smerf_status status = read_spec(args, &to.query, error);
    if (status == SMERF_OK) status = smerf_model_load(args->words[0], &model, error);
    if (status == SMERF_OK) status = cli_read_known_items(args, model, args->words[1], &items, error);
    if (status == SMERF_OK) status = reserve_answer(&to, items.table.n_rows, error);
    if (status == SMERF_OK) status = find_clusters(args, model, &items, &to, error);
    if (status == SMERF_OK) status = put_answer(args, &items, &to, error);
    if (status == SMERF_OK) say(args, &to);
    if (status == SMERF_OK && to.found.k > 1)
        cli_tell_if_trained_on(args, model, &items, "clusters and silhouettes are");
    free(to.cluster);
    free(to.medoid);
    free(to.silhouette);
    free(to.tried);
    cli_free_items(&items);
    smerf_model_free(model);
    return status;
}

static const char *const examples[] = {
    "smerf cluster animals.smerf animals.csv -k 3",
    "smerf cluster model.smerf items.csv -k auto --silhouettes -o clusters.csv",
    NULL,
};

const cli_command cli_cluster = {.name = "cluster",
                                 .usage =
                                     "cluster MODEL ITEMS -k K|auto [--most-k N] [--means] [--oob] [--silhouettes] "
                                     "[-o FILE]",
                                 .summary = "groups of items that are near to each other",
                                 .fewest_words = 2,
                                 .most_words = 2,
                                 .option_groups = options,
                                 .output = CLI_TABLE,
                                 .examples = examples,
                                 .run = run_cluster};
