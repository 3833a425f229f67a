/* network.h - a network with attributes, and what is learned from and scored when it is divided. */
#ifndef CLI_REPRODUCE_NETWORK_H
#define CLI_REPRODUCE_NETWORK_H

#include "reproduce.h"

typedef struct cli_network {
    size_t n;             /* nodes */
    cli_items attributes; /* as they are */
    cli_items binary;     /* coded by hand, for methods that want that; no rows: there is no such file */
    smerf_target *graph;
    char *paths[3]; /* of the three files, which messages name */
} cli_network;

/* Reads FOLDER/NAME/nodes.csv and edges.csv, and nodes_binary18.csv where there is one. */
smerf_status cli_read_network(const cli_study *study, const char *name, cli_network *network, smerf_error *error);
void cli_free_network(cli_network *network); /* fine on one filled with zeros */

/* Whether there is such a network in the data folder. */
bool cli_has_network(const cli_study *study, const char *name);

/* Divided by nodes: rows of those to train on, then of those to test with. */
typedef struct cli_node_split {
    size_t n, n_train;
    uint32_t *rows;                   /* [n] */
    smerf_target *training, *testing; /* among the one, and among the other */
    smerf_target *across;             /* between them: training nodes are the rows */
} cli_node_split;

smerf_status cli_split_nodes(const cli_network *network, size_t n_train, uint64_t seed, cli_node_split *split,
                             smerf_error *error);
void cli_free_node_split(cli_node_split *split); /* fine on one filled with zeros */

/* Link prediction in pictures. */
smerf_status cli_draw_networks(const cli_study *study, const cli_figure_data *networks, size_t n_networks,
                               smerf_error *error);

#endif
