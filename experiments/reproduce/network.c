/* network.c - see network.h: networks read, divided by nodes, and their figures. */
#include "network.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io/pairs/pairs.h"

/* ---- reading ---- */

/* NULL: no memory. */
static char *path_of(const cli_study *study, const char *name, const char *file) {
    size_t size = strlen(study->data) + strlen(name) + strlen(file) + 3;
    char *path = malloc(size);
    if (path != NULL) snprintf(path, size, "%s/%s/%s", study->data, name, file);
    return path;
}

bool cli_has_network(const cli_study *study, const char *name) {
    char *path = path_of(study, name, "nodes.csv");
    bool is_there = path != NULL && access(path, F_OK) == 0;
    free(path);
    return is_there;
}

static smerf_status read_edges(cli_network *network, smerf_error *error) {
    const sm_pairs_spec spec = {.rows = cli_side(&network->attributes), .is_square = true, .largest = 1};
    sm_pairs edges = {0};
    smerf_status status = sm_edges_read(network->paths[1], &spec, &edges, error);
    if (status != SMERF_OK) return status;
    network->n = network->attributes.table.n_rows;
    const smerf_pair_list list = {.n = edges.n, .left = edges.left, .right = edges.right};
    status = smerf_target_new_graph(&list, NULL, network->n, &network->graph, error);
    sm_pairs_free(&edges);
    return status;
}

smerf_status cli_read_network(const cli_study *study, const char *name, cli_network *network, smerf_error *error) {
    static const char *const files[] = {"nodes.csv", "edges.csv", "nodes_binary18.csv"};
    *network = (cli_network){.n = 0};
    for (size_t k = 0; k < 3; k++) {
        network->paths[k] = path_of(study, name, files[k]);
        if (network->paths[k] == NULL) return cli_no_memory(error, "reading a network");
    }
    smerf_status status = cli_read_items(study->args, network->paths[0], &network->attributes, error);
    if (status == SMERF_OK) status = read_edges(network, error);
    if (status == SMERF_OK && access(network->paths[2], F_OK) == 0)
        status = cli_read_items(study->args, network->paths[2], &network->binary, error);
    if (status != SMERF_OK) return status;
    size_t n_binary = network->binary.table.n_rows;
    if (n_binary == 0 || n_binary == network->n) return SMERF_OK;
    snprintf(error->message, sizeof error->message, "%.300s: has %zu nodes, and nodes.csv has %zu", network->paths[2],
             n_binary, network->n);
    return error->status = SMERF_BAD_INPUT;
}

void cli_free_network(cli_network *network) {
    cli_free_items(&network->attributes);
    cli_free_items(&network->binary);
    smerf_target_free(network->graph);
    for (size_t k = 0; k < 3; k++) free(network->paths[k]);
    *network = (cli_network){.n = 0};
}

/* ---- divided by nodes ---- */

static void list_rows(const bool *is_train, cli_node_split *split) {
    size_t n_train = 0, n_test = 0;
    for (size_t i = 0; i < split->n; i++)
        split->rows[is_train[i] ? n_train++ : split->n_train + n_test++] = (uint32_t)i;
}

static smerf_status cut_graph(const smerf_target *graph, cli_node_split *split, smerf_error *error) {
    size_t n = split->n, n_train = split->n_train;
    smerf_target *both = NULL;
    smerf_status status = smerf_target_take(graph, split->rows, n_train, &split->training, error);
    if (status == SMERF_OK)
        status = smerf_target_take(graph, split->rows + n_train, n - n_train, &split->testing, error);
    if (status == SMERF_OK) status = smerf_target_take(graph, split->rows, n, &both, error);
    if (status == SMERF_OK) status = smerf_target_new_between(both, n_train, &split->across, error);
    smerf_target_free(both);
    return status;
}

smerf_status cli_split_nodes(const cli_network *network, size_t n_train, uint64_t seed, cli_node_split *split,
                             smerf_error *error) {
    size_t n = network->n;
    *split = (cli_node_split){.n = n, .n_train = n_train, .rows = calloc(n, sizeof *split->rows)};
    bool *is_train = calloc(n, sizeof *is_train);
    smerf_status status =
        split->rows != NULL && is_train != NULL ? SMERF_OK : cli_no_memory(error, "dividing a network");
    if (status == SMERF_OK) status = smerf_split(n, n_train, seed, is_train, error);
    if (status == SMERF_OK) {
        list_rows(is_train, split);
        status = cut_graph(network->graph, split, error);
    }
    free(is_train);
    return status;
}

void cli_free_node_split(cli_node_split *split) {
    smerf_target_free(split->training);
    smerf_target_free(split->testing);
    smerf_target_free(split->across);
    free(split->rows);
    *split = (cli_node_split){0};
}

/* ---- figures: as the paper shows it, all methods on the same pairs, and pairs of a known and a new node ---- */

static const cli_figure_metric metrics[] = {{.name = "auc-roc", .title = "AUC-ROC"},
                                            {.name = "auc-pr", .title = "AUC-PR"}};

static const cli_figure_line as_in_the_paper[] = {{"smerf", "nodes", "SMERF, new nodes", SM_BLUE_CIRCLE},
                                                  {"narm", "nodes", "NARM, new nodes", SM_ORANGE_TRIANGLE},
                                                  {"epm", "pairs", "EPM, hidden pairs", SM_GREEN_TRIANGLE}};

static const cli_figure_line same_pairs[] = {{"smerf", "pairs", "SMERF", SM_BLUE_CIRCLE},
                                             {"narm", "pairs", "NARM", SM_ORANGE_TRIANGLE},
                                             {"epm", "pairs", "EPM", SM_GREEN_TRIANGLE}};

static const cli_figure_line across[] = {{"smerf", "nodes-across", "SMERF", SM_BLUE_CIRCLE},
                                         {"narm", "nodes-across", "NARM", SM_ORANGE_TRIANGLE}};

static const struct {
    const char *file, *title, *what;
    const cli_figure_line *lines;
    size_t n_lines;
} figures[] = {
    {"networks", "Link prediction", "Scored on pairs of two new nodes (SMERF, NARM) or on hidden pairs (EPM)",
     as_in_the_paper, 3},
    {"networks-pairs", "Link prediction: the same hidden pairs for every method", "Scored on the hidden pairs",
     same_pairs, 3},
    {"networks-across", "Link prediction: a known and a new node", "Scored on pairs of a training and a test node",
     across, 2},
};

smerf_status cli_draw_networks(const cli_study *study, const cli_figure_data *networks, size_t n_networks,
                               smerf_error *error) {
    smerf_status status = SMERF_OK;
    for (size_t k = 0; k < sizeof figures / sizeof *figures && status == SMERF_OK; k++) {
        char text[200], repeats[40];
        snprintf(text, sizeof text, "%s; mean of %s, bars: standard deviation.", figures[k].what,
                 cli_count(study->n_repeats, "repeat", repeats));
        const cli_figure figure = {.file = figures[k].file,
                                   .title = figures[k].title,
                                   .note = text,
                                   .data = networks,
                                   .n_data = n_networks,
                                   .metrics = metrics,
                                   .n_metrics = 2,
                                   .lines = figures[k].lines,
                                   .n_lines = figures[k].n_lines,
                                   .x = {.title = "share of the nodes trained on", .from = 0.05, .to = 0.95},
                                   .bar = SM_STANDARD_DEVIATION,
                                   .panel_width = 260,
                                   .panel_height = 190};
        status = cli_study_draw_figure(study, &figure, error);
    }
    return status;
}
