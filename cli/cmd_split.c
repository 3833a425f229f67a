/* cmd_split.c - smerf split ITEMS TARGET --by nodes|pairs --train F -o DIR: files for honest evaluation.
 *
 * By nodes, pairs among the test items are the test, and pairs between training and test items are written too (for
 * evaluate --against). By pairs, as in the paper's scheme 2: a share F of the items has about F^2 of the pairs, and
 * that many pairs are drawn to train on. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "common.h"
#include "folder.h"
#include "io/edges.h"
#include "io/excerpt.h"
#include "io/npy.h"
#include "io/pairs.h"

static const cli_option own_options[] = {
    {"--by", "KIND", "nodes: some items to train on, the others to test with; pairs: some pairs (required)"},
    {"--train", "F", "the share of the items to train on, 0 < F < 1 (required); by pairs: as many pairs as these have"},
    {"-o", "DIR", "where the files go (required); made if it is not there"},
    {"--seed", "N", "0 ... 2^63 - 1 (default 1)"},
    {0},
};

static const cli_option *const options[] = {own_options, cli_target_options, cli_item_options, cli_general_options,
                                            NULL};

enum { BY_NODES, BY_PAIRS };

/* Which part of the pairs goes into a file. */
typedef enum part { TRAIN, TEST, CROSS } part;

static const char *const part_names[] = {"train", "test", "cross"};

typedef struct splitting {
    const cli_args *args;
    const char *folder, *items_path;
    cli_items items;
    cli_target target;
    size_t n;
    bool *is_train; /* [n] */
} splitting;

static smerf_status no_memory(smerf_error *error) {
    strcpy(error->message, "out of memory while splitting");
    return SMERF_NO_MEMORY;
}

/* ---- items ---- */

static smerf_status write_items(const splitting *split, const char *name, const bool *is_chosen, smerf_error *error) {
    sm_output *output;
    smerf_status status = cli_open_in(split->folder, name, &output, error);
    if (status != SMERF_OK) return status;
    status = sm_excerpt_write(split->items_path, is_chosen, split->items.table.ids != NULL, output, error);
    if (status == SMERF_OK) return sm_output_finish(output, error);
    sm_output_abandon(output);
    return status;
}

/* ---- lists of pairs, by nodes ---- */

static void put_pair(const splitting *split, size_t i, size_t j, sm_output *output) {
    char space[24];
    sm_put_cell(output, cli_item_name(&split->items, i, space));
    sm_output_write(output, ",", 1);
    sm_put_cell(output, cli_item_name(&split->items, j, space));
}

static bool belongs(const splitting *split, size_t i, size_t j, part wanted) {
    if (split->is_train[i] != split->is_train[j]) return wanted == CROSS;
    return wanted == (split->is_train[i] ? TRAIN : TEST);
}

/* Writes the pairs of one part, or all of them where nothing is split by nodes. */
static smerf_status write_list(const splitting *split, const char *name, const char *header, const sm_pairs *pairs,
                               const part *wanted, smerf_error *error) {
    sm_output *output;
    smerf_status status = cli_open_in(split->folder, name, &output, error);
    if (status != SMERF_OK) return status;
    sm_output_print(output, "%s%s\n", header, pairs->weight != NULL ? ",weight" : "");
    for (size_t k = 0; k < pairs->n && !sm_output_has_failed(output); k++) {
        if (wanted != NULL && !belongs(split, pairs->left[k], pairs->right[k], *wanted)) continue;
        put_pair(split, pairs->left[k], pairs->right[k], output);
        for (int column = 0; column < 2; column++) {
            const double *numbers = column == 0 ? pairs->value : pairs->weight;
            if (numbers == NULL) continue;
            sm_output_write(output, ",", 1);
            sm_put_number(output, numbers[k]);
        }
        sm_output_write(output, "\n", 1);
    }
    return sm_output_finish(output, error);
}

static smerf_status write_parts(const splitting *split, const char *what, const char *header, const sm_pairs *pairs,
                                smerf_error *error) {
    smerf_status status = SMERF_OK;
    for (unsigned p = TRAIN; p <= CROSS && status == SMERF_OK; p++) {
        char name[64];
        const part wanted = (part)p;
        snprintf(name, sizeof name, "%s-%s.csv", part_names[p], what);
        status = write_list(split, name, header, pairs, &wanted, error);
    }
    return status;
}

static sm_pairs_wish wish_for(const splitting *split) {
    return (sm_pairs_wish){.rows = cli_side(&split->items),
                           .columns = cli_side(&split->items),
                           .is_square = true,
                           .value_column = cli_get(split->args, "--value"),
                           .largest = NAN};
}

static const char *edge_header(const sm_pairs *edges) {
    return edges->value != NULL ? "source,target,weight" : "source,target";
}

static smerf_status cut_edges(const splitting *split, smerf_error *error) {
    const sm_pairs_wish wish = wish_for(split);
    sm_pairs edges = {0}, observed = {0};
    smerf_status status = sm_edges_read(cli_get(split->args, "--edges"), &wish, &edges, error);
    if (status == SMERF_OK) status = write_parts(split, "edges", edge_header(&edges), &edges, error);
    if (status == SMERF_OK && cli_has(split->args, "--observed")) {
        status = sm_pairs_read_observed(cli_get(split->args, "--observed"), &wish, &observed, error);
        if (status == SMERF_OK) status = write_parts(split, "observed", "i,j", &observed, error);
    }
    sm_pairs_free(&edges);
    sm_pairs_free(&observed);
    return status;
}

static smerf_status cut_pairs(const splitting *split, smerf_error *error) {
    sm_pairs_wish wish = wish_for(split);
    sm_pairs pairs = {0};
    smerf_status status = cli_get_number(split->args, "--similarity-max", &wish.largest, error);
    if (status == SMERF_OK) status = sm_pairs_read_values(cli_get(split->args, "--pairs"), &wish, &pairs, error);
    if (status == SMERF_OK) status = write_parts(split, "pairs", "i,j,distance", &pairs, error);
    sm_pairs_free(&pairs);
    return status;
}

/* ---- matrices, by nodes ---- */

static smerf_status write_block(const splitting *split, part wanted, smerf_error *error) {
    char name[64];
    sm_output *output;
    size_t n = split->n, n_train = 0;
    bool rows_train = wanted != TEST, columns_train = wanted == TRAIN;
    for (size_t i = 0; i < n; i++) n_train += split->is_train[i];
    const size_t shape[2] = {rows_train ? n_train : n - n_train, columns_train ? n_train : n - n_train};
    snprintf(name, sizeof name, "%s-distances.npy", part_names[wanted]);
    double *row = malloc(n * sizeof *row);
    smerf_status status = row != NULL ? cli_open_in(split->folder, name, &output, error) : no_memory(error);
    if (status == SMERF_OK) {
        sm_npy_write_header(output, sizeof(float), 2, shape);
        for (size_t i = 0; i < n && !sm_output_has_failed(output); i++) {
            if (split->is_train[i] != rows_train) continue;
            smerf_target_row(split->target.target, i, row);
            for (size_t j = 0; j < n; j++) {
                float distance = (float)row[j];
                if (split->is_train[j] == columns_train) sm_output_write(output, &distance, sizeof distance);
            }
        }
        status = sm_output_finish(output, error);
    }
    free(row);
    return status;
}

static smerf_status split_by_nodes(splitting *split, double share, uint64_t seed, smerf_error *error) {
    size_t n_train = (size_t)round(share * (double)split->n);
    if (n_train < 2 || split->n - n_train < 2)
        return cli_fail(split->args, error,
                        "--train %s of %zu items leaves %zu to train on and %zu to test with: "
                        "both need two",
                        cli_get(split->args, "--train"), split->n, n_train, split->n - n_train);
    smerf_status status = smerf_split(split->n, n_train, seed, split->is_train, error);
    if (status == SMERF_OK) status = write_items(split, "train-items.csv", split->is_train, error);
    for (size_t i = 0; i < split->n; i++) split->is_train[i] = !split->is_train[i];
    if (status == SMERF_OK) status = write_items(split, "test-items.csv", split->is_train, error);
    for (size_t i = 0; i < split->n; i++) split->is_train[i] = !split->is_train[i];
    if (status == SMERF_OK && cli_has(split->args, "--edges")) status = cut_edges(split, error);
    if (status == SMERF_OK && cli_has(split->args, "--pairs")) status = cut_pairs(split, error);
    if (split->target.matrix.z == NULL) return status; /* columns of the items have been cut with them */
    for (unsigned p = TRAIN; p <= CROSS && status == SMERF_OK; p++) status = write_block(split, (part)p, error);
    return status;
}

/* ---- by pairs ---- */

/* Counts the known pairs, and writes those of which *is_chosen says so, in order. */
static size_t walk_pairs(const splitting *split, const bool *is_train, bool wanted, double *row, sm_output *output) {
    size_t k = 0;
    for (size_t i = 0; i + 1 < split->n; i++) {
        smerf_target_row(split->target.target, i, row);
        for (size_t j = i + 1; j < split->n; j++) {
            if (isnan(row[j])) continue;
            if (output != NULL && is_train[k] == wanted) {
                put_pair(split, i, j, output);
                sm_output_write(output, ",", 1);
                sm_put_number(output, row[j]);
                sm_output_write(output, "\n", 1);
            }
            k++;
        }
    }
    return k;
}

static smerf_status write_chosen(const splitting *split, const bool *is_train, bool wanted, double *row,
                                 smerf_error *error) {
    sm_output *output;
    smerf_status status = cli_open_in(split->folder, wanted ? "train-pairs.csv" : "test-pairs.csv", &output, error);
    if (status != SMERF_OK) return status;
    sm_output_print(output, "i,j,distance\n");
    walk_pairs(split, is_train, wanted, row, output);
    return sm_output_finish(output, error);
}

static smerf_status copy_edges(const splitting *split, smerf_error *error) {
    const sm_pairs_wish wish = wish_for(split);
    sm_pairs edges = {0};
    smerf_status status = sm_edges_read(cli_get(split->args, "--edges"), &wish, &edges, error);
    if (status == SMERF_OK) status = write_list(split, "edges.csv", edge_header(&edges), &edges, NULL, error);
    sm_pairs_free(&edges);
    return status;
}

static smerf_status split_by_pairs(splitting *split, double share, uint64_t seed, smerf_error *error) {
    double n = (double)split->n, of_all = (share * n) * (share * n - 1) / (n * (n - 1));
    double *row = malloc(split->n * sizeof *row);
    if (row == NULL) return no_memory(error);
    size_t n_pairs = walk_pairs(split, NULL, false, row, NULL);
    size_t n_train = (size_t)fmax(0, round(of_all * (double)n_pairs));
    bool *is_train = malloc(n_pairs + 1);
    smerf_status status = is_train != NULL ? SMERF_OK : no_memory(error);
    if (status == SMERF_OK && (n_train == 0 || n_train == n_pairs))
        status = cli_fail(split->args, error,
                          "--train %s of %zu items makes %zu of %zu known pairs to train on: there "
                          "must be some, and some to test with",
                          cli_get(split->args, "--train"), split->n, n_train, n_pairs);
    if (status == SMERF_OK) status = smerf_split(n_pairs, n_train, seed, is_train, error);
    if (status == SMERF_OK) status = write_items(split, "items.csv", NULL, error);
    if (status == SMERF_OK) status = write_chosen(split, is_train, true, row, error);
    if (status == SMERF_OK) status = write_chosen(split, is_train, false, row, error);
    if (status == SMERF_OK && cli_has(split->args, "--edges")) status = copy_edges(split, error);
    free(is_train);
    free(row);
    return status;
}

/* ---- the command ---- */

static smerf_status read_use(const cli_args *args, unsigned *by, double *share, size_t *seed, smerf_error *error) {
    static const char *const kinds[] = {"nodes", "pairs"};
    if (!cli_has(args, "--by")) return cli_fail(args, error, "--by is missing: nodes or pairs?");
    if (!cli_has(args, "--train")) return cli_fail(args, error, "--train F is missing: how large a share to train on?");
    if (cli_get_output(args) == NULL) return cli_fail(args, error, "-o DIR is missing: where shall the files go?");
    smerf_status status = cli_get_word(args, "--by", kinds, 2, by, error);
    if (status == SMERF_OK) status = cli_get_number(args, "--train", share, error);
    if (status == SMERF_OK) status = cli_get_size(args, "--seed", 0, seed, error);
    if (status != SMERF_OK) return status;
    if (!(*share > 0 && *share < 1))
        return cli_fail(args, error, "--train '%s' is not between 0 and 1", cli_get(args, "--train"));
    if (*seed > INT64_MAX) return cli_fail(args, error, "--seed '%zu' is not in 0 ... 2^63 - 1", *seed);
    if (strcmp(args->words[0], "-") == 0)
        return cli_fail(args, error, "ITEMS are read twice here: standard input will not do");
    return cli_check_target_options(args, false, error);
}

static smerf_status run_split(const cli_args *args, smerf_error *error) {
    splitting split = {.args = args, .folder = cli_get_output(args), .items_path = args->words[0]};
    unsigned by = BY_NODES;
    double share = 0;
    size_t seed = 1;
    smerf_status status = read_use(args, &by, &share, &seed, error);
    if (status == SMERF_OK) status = cli_read_items(args, split.items_path, &split.items, error);
    if (status == SMERF_OK) status = cli_read_target(args, &split.items, NULL, false, &split.target, error);
    if (status == SMERF_OK) {
        split.n = split.items.table.n_rows;
        split.is_train = calloc(split.n, sizeof *split.is_train);
        if (split.is_train == NULL) status = no_memory(error);
    }
    if (status == SMERF_OK) status = cli_make_folder(split.folder, 0, "the files", error);
    if (status == SMERF_OK)
        status =
            by == BY_NODES ? split_by_nodes(&split, share, seed, error) : split_by_pairs(&split, share, seed, error);
    if (status == SMERF_OK) cli_say(args, "training and test files in %s", split.folder);
    free(split.is_train);
    cli_free_target(&split.target);
    cli_free_items(&split.items);
    return status;
}

const cli_command cli_split_command = {.name = "split",
                                       .usage = "split ITEMS TARGET --by nodes|pairs --train F -o DIR",
                                       .summary = "training and test files for honest evaluation",
                                       .fewest_words = 1,
                                       .most_words = 1,
                                       .option_groups = options,
                                       .run = run_split};
