/* split_nodes.c - some items to train on, the others to test with.
 *
 * Pairs among the test items are the test; pairs between training and test items are written too, for
 * evaluate --against. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "folder.h"
#include "io/matrix/npy.h"
#include "smerf_study.h"
#include "split.h"

static smerf_status cut_list(const cli_splitting *split, const bool *is_train, const char *what, const char *header,
                             const sm_pairs *pairs, smerf_error *error) {
    unsigned char *part_of = malloc(pairs->n + 1);
    if (part_of == NULL) return cli_split_no_memory(error);
    for (size_t k = 0; k < pairs->n; k++) {
        bool is_left = is_train[pairs->left[k]], is_right = is_train[pairs->right[k]];
        part_of[k] = is_left != is_right ? CLI_CROSS : is_left ? CLI_TRAIN : CLI_TEST;
    }
    smerf_status status = cli_write_parts(split, what, header, pairs, part_of, CLI_CROSS, error);
    free(part_of);
    return status;
}

static smerf_status cut_edges(const cli_splitting *split, const bool *is_train, smerf_error *error) {
    sm_pairs edges = {0}, observed = {0};
    smerf_status status = cli_read_listed_edges(split, &edges, error);
    if (status == SMERF_OK) status = cut_list(split, is_train, "edges", cli_edge_header(&edges), &edges, error);
    if (status == SMERF_OK && cli_has(split->args, "--observed")) {
        status = cli_read_listed_observed(split, &observed, error);
        if (status == SMERF_OK) status = cut_list(split, is_train, "observed", CLI_OBSERVED_HEADER, &observed, error);
    }
    sm_pairs_free(&edges);
    sm_pairs_free(&observed);
    return status;
}

static smerf_status cut_pairs(const cli_splitting *split, const bool *is_train, smerf_error *error) {
    sm_pairs pairs = {0};
    smerf_status status = cli_read_listed_pairs(split, &pairs, error);
    if (status == SMERF_OK) status = cut_list(split, is_train, "pairs", CLI_PAIR_HEADER, &pairs, error);
    sm_pairs_free(&pairs);
    return status;
}

/* Training items against test items are the cross block. */
static smerf_status write_block(const cli_splitting *split, const bool *is_train, cli_part wanted, smerf_error *error) {
    char name[64];
    sm_output *output;
    size_t n = split->n, n_train = 0;
    bool rows_train = wanted != CLI_TEST, columns_train = wanted == CLI_TRAIN;
    for (size_t i = 0; i < n; i++) n_train += is_train[i];
    const size_t shape[2] = {rows_train ? n_train : n - n_train, columns_train ? n_train : n - n_train};
    snprintf(name, sizeof name, "%s-distances.npy", cli_part_name(wanted));
    double *row = malloc(n * sizeof *row);
    smerf_status status = row != NULL ? cli_open_in(split->folder, name, &output, error) : cli_split_no_memory(error);
    if (status == SMERF_OK) {
        sm_npy_write_header(output, sizeof(float), 2, shape);
        for (size_t i = 0; i < n && !sm_output_has_failed(output); i++) {
            if (is_train[i] != rows_train) continue;
            smerf_target_row(split->target.target, i, row);
            for (size_t j = 0; j < n; j++) {
                float distance = (float)row[j];
                if (is_train[j] == columns_train) sm_output_write(output, &distance, sizeof distance);
            }
        }
        cli_keep_in(output);
    }
    free(row);
    return status;
}

/* The target of each part; columns of the items have been cut with them. */
static smerf_status cut_target(const cli_splitting *split, const bool *is_train, smerf_error *error) {
    if (cli_has(split->args, "--edges")) return cut_edges(split, is_train, error);
    if (cli_has(split->args, "--pairs")) return cut_pairs(split, is_train, error);
    if (cli_has(split->args, "--triplets")) return cli_cut_triplets(split, is_train, error);
    smerf_status status = SMERF_OK;
    for (unsigned p = CLI_TRAIN; p <= CLI_CROSS && status == SMERF_OK && split->target.matrix.z != NULL; p++)
        status = write_block(split, is_train, (cli_part)p, error);
    return status;
}

smerf_status cli_split_by_nodes(const cli_splitting *split, smerf_error *error) {
    size_t n = split->n, n_train = (size_t)round(split->fraction * (double)n);
    char items[40];
    if (n_train < 2 || n - n_train < 2)
        return cli_fail(split->args, error,
                        "--train %s of %zu items leaves %zu to train on and %zu to test with: both need two",
                        cli_get(split->args, "--train"), n, n_train, n - n_train);
    bool *is_train = malloc(2 * n * sizeof *is_train);
    if (is_train == NULL) return cli_split_no_memory(error);
    bool *is_test = is_train + n;
    smerf_status status = smerf_split(n, n_train, split->seed, is_train, error);
    for (size_t i = 0; i < n && status == SMERF_OK; i++) is_test[i] = !is_train[i];
    if (status == SMERF_OK) status = cli_make_folder(split->folder, 0, "the files", error);
    if (status == SMERF_OK) status = cli_write_items(split, "train-items.csv", is_train, error);
    if (status == SMERF_OK) status = cli_write_items(split, "test-items.csv", is_test, error);
    if (status == SMERF_OK) status = cut_target(split, is_train, error);
    status = cli_finish_kept(status, error);
    if (status == SMERF_OK)
        cli_say(split->args, "%s: %s to train on, %zu to test with", split->folder, cli_count(n_train, "item", items),
                n - n_train);
    free(is_train);
    return status;
}
