/* reproduce_network.c - see reproduce_network.h. */
#include "reproduce_network.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io/edges.h"

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
    const sm_pairs_wish wish = {.rows = cli_side(&network->attributes), .is_square = true};
    smerf_status status = sm_edges_read(network->paths[1], &wish, &network->edges, error);
    if (status != SMERF_OK) return status;
    network->n = network->attributes.table.n_rows;
    const sm_pairs *edges = &network->edges;
    const smerf_pair_list list = {.n = edges->n, .left = edges->left, .right = edges->right};
    return smerf_target_new_graph(&list, NULL, network->n, &network->graph, error);
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
    sm_pairs_free(&network->edges);
    smerf_target_free(network->graph);
    for (size_t k = 0; k < 3; k++) free(network->paths[k]);
    *network = (cli_network){.n = 0};
}

/* ---- divided by nodes ---- */

static void line_up(const bool *is_train, cli_node_split *split) {
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
        line_up(is_train, split);
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

/* ---- divided by pairs ---- */

/* The place of a pair among (0, 1), (0, 2), ... (1, 2), ... */
static size_t pair_number(size_t n, size_t i, size_t j) {
    size_t first = i < j ? i : j, second = i < j ? j : i;
    return first * n - first * (first + 1) / 2 + second - first - 1;
}

/* Lists of pairs that are being made. */
typedef struct lists {
    uint32_t *left, *right;           /* pairs that are known */
    uint32_t *edge_left, *edge_right; /* links among them */
} lists;

/* A graph of which those pairs are known that are to train on, or those that are not. */
static smerf_status make_observed(const cli_network *network, const bool *is_train, bool wanted, const lists *own,
                                  smerf_target **graph, smerf_error *error) {
    const sm_pairs *all = &network->edges;
    size_t n = network->n, n_known = 0, n_edges = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = i + 1; j < n; j++) {
            if (is_train[pair_number(n, i, j)] != wanted) continue;
            own->left[n_known] = (uint32_t)i;
            own->right[n_known++] = (uint32_t)j;
        }
    for (size_t e = 0; e < all->n; e++) {
        if (is_train[pair_number(n, all->left[e], all->right[e])] != wanted) continue;
        own->edge_left[n_edges] = all->left[e];
        own->edge_right[n_edges++] = all->right[e];
    }
    const smerf_pair_list edges = {.n = n_edges, .left = own->edge_left, .right = own->edge_right};
    const smerf_pair_list known = {.n = n_known, .left = own->left, .right = own->right};
    return smerf_target_new_graph(&edges, &known, n, graph, error);
}

smerf_status cli_split_pairs(const cli_network *network, size_t n_train, uint64_t seed, cli_pair_split *split,
                             smerf_error *error) {
    size_t n_pairs = network->n * (network->n - 1) / 2;
    bool *is_train = calloc(n_pairs + 1, sizeof *is_train);
    uint32_t *ends = calloc(2 * (n_pairs + network->edges.n) + 1, sizeof *ends);
    *split = (cli_pair_split){0};
    smerf_status status = is_train != NULL && ends != NULL ? SMERF_OK : cli_no_memory(error, "dividing a network");
    if (status == SMERF_OK) status = smerf_split(n_pairs, n_train * (n_train - 1) / 2, seed, is_train, error);
    if (status == SMERF_OK) {
        const lists own = {.left = ends,
                           .right = ends + n_pairs,
                           .edge_left = ends + 2 * n_pairs,
                           .edge_right = ends + 2 * n_pairs + network->edges.n};
        status = make_observed(network, is_train, true, &own, &split->training, error);
        if (status == SMERF_OK) status = make_observed(network, is_train, false, &own, &split->testing, error);
    }
    free(is_train);
    free(ends);
    return status;
}

void cli_free_pair_split(cli_pair_split *split) {
    smerf_target_free(split->training);
    smerf_target_free(split->testing);
    *split = (cli_pair_split){0};
}
