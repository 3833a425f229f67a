/* split_pairs.c - some pairs to train on, the others to test with: the paper's scheme 2.
 *
 * A fraction F of the items (--train) has about F^2 of the pairs, and that many are drawn to train on; or a fraction of the pairs
 * (--train-pairs). Nothing is lost: an item's
 * distance to itself goes to the training pairs where it is not 0, and a pair that is listed twice keeps both of its
 * lines, on the same side. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "folder.h"
#include "io/pairs/pairs.h"
#include "smerf_study.h"
#include "split.h"

static bool are_triplets(const cli_splitting *split) { return cli_has(split->args, "--triplets"); }

/* What is divided. */
static const char *noun_of(const cli_splitting *split) { return are_triplets(split) ? "comparison" : "pair"; }

/* As large a fraction of the triplets as the items to train on have among themselves, where all triplets are known. */
static size_t count_triplets(const cli_splitting *split, size_t n_known) {
    double n = (double)split->n, k = round(split->fraction * n);
    return k < 3 ? 0 : (size_t)round((double)n_known * k * (k - 1) * (k - 2) / (n * (n - 1) * (n - 2)));
}

static size_t count_to_train_on(const cli_splitting *split, size_t n_known) {
    if (split->pairs_fraction > 0) return (size_t)round(split->pairs_fraction * (double)n_known);
    if (are_triplets(split)) return count_triplets(split, n_known);
    return smerf_split_n_pairs(n_known, split->n, split->fraction);
}

smerf_status cli_draw_pairs(const cli_splitting *split, cli_drawing *drawn, smerf_error *error) {
    bool is_of_pairs = split->pairs_fraction > 0;
    const char *noun = noun_of(split);
    drawn->n_train = count_to_train_on(split, drawn->n_pairs);
    if (is_of_pairs && (drawn->n_train == 0 || drawn->n_train == drawn->n_pairs))
        return cli_fail(split->args, error,
                        "--train-pairs %s makes %zu of %zu known %ss to train on: there must be some, and some to test "
                        "with",
                        cli_get(split->args, "--train-pairs"), drawn->n_train, drawn->n_pairs, noun);
    if (drawn->n_train == 0 || drawn->n_train == drawn->n_pairs)
        return cli_fail(split->args, error,
                        "--train %s of %zu items makes %zu of %zu known %ss to train on: there must be some, and "
                        "some to test with",
                        cli_get(split->args, "--train"), split->n, drawn->n_train, drawn->n_pairs, noun);
    drawn->is_train = malloc(drawn->n_pairs * sizeof *drawn->is_train);
    if (drawn->is_train == NULL) return cli_split_no_memory(error);
    smerf_status status = smerf_split(drawn->n_pairs, drawn->n_train, split->seed, drawn->is_train, error);
    if (status == SMERF_OK) status = cli_make_folder(split->folder, 0, "the files", error);
    return status == SMERF_OK ? cli_write_items(split, "items.csv", NULL, error) : status;
}

/* ---- pairs as they are listed ---- */

static smerf_status divide_list(const cli_splitting *split, const sm_pairs *pairs, cli_drawing *drawn,
                                smerf_error *error) {
    uint32_t *number = malloc((pairs->n + 1) * sizeof *number);
    unsigned char *part_of = malloc(pairs->n + 1);
    smerf_status status = number != NULL && part_of != NULL ? SMERF_OK : cli_split_no_memory(error);
    if (status == SMERF_OK) status = sm_pairs_number(pairs, number, &drawn->n_pairs, error);
    if (status == SMERF_OK) status = cli_draw_pairs(split, drawn, error);
    for (size_t k = 0; k < pairs->n && status == SMERF_OK; k++)
        part_of[k] = number[k] == SMERF_MISSING || drawn->is_train[number[k]] ? CLI_TRAIN : CLI_TEST;
    if (status == SMERF_OK) status = cli_write_parts(split, "pairs", CLI_PAIR_HEADER, pairs, part_of, CLI_TEST, error);
    free(part_of);
    free(number);
    return status;
}

static smerf_status split_list(const cli_splitting *split, cli_drawing *drawn, smerf_error *error) {
    sm_pairs pairs = {0};
    smerf_status status = cli_read_listed_pairs(split, &pairs, error);
    if (status == SMERF_OK) status = divide_list(split, &pairs, drawn, error);
    sm_pairs_free(&pairs);
    return status;
}

/* ---- pairs of any other target ---- */

static void put_distance(const cli_splitting *split, size_t i, size_t j, double distance, sm_output *output) {
    cli_put_pair(split, i, j, output);
    sm_output_write(output, ",", 1);
    sm_put_number(output, distance);
    sm_output_write(output, "\n", 1);
}

/* Counts the known pairs, and writes those that are wanted, in order.   row  [n] scratch */
static size_t walk_pairs(const cli_splitting *split, const bool *is_train, bool wanted, double *row,
                         sm_output *output) {
    size_t k = 0;
    for (size_t i = 0; i < split->n && (output == NULL || !sm_output_has_failed(output)); i++) {
        smerf_target_row(split->target.target, i, row);
        if (output != NULL && wanted && row[i] != 0) put_distance(split, i, i, row[i], output);
        for (size_t j = i + 1; j < split->n; j++) {
            if (isnan(row[j])) continue;
            if (output != NULL && is_train[k] == wanted) put_distance(split, i, j, row[j], output);
            k++;
        }
    }
    return k;
}

static smerf_status write_rows(const cli_splitting *split, const cli_drawing *drawn, bool wanted, double *row,
                               smerf_error *error) {
    sm_output *output;
    smerf_status status = cli_open_in(split->folder, wanted ? "train-pairs.csv" : "test-pairs.csv", &output, error);
    if (status != SMERF_OK) return status;
    sm_output_print(output, "%s\n", CLI_PAIR_HEADER);
    walk_pairs(split, drawn->is_train, wanted, row, output);
    cli_keep_in(output);
    return SMERF_OK;
}

static smerf_status split_rows(const cli_splitting *split, cli_drawing *drawn, smerf_error *error) {
    double *row = malloc(split->n * sizeof *row);
    if (row == NULL) return cli_split_no_memory(error);
    drawn->n_pairs = walk_pairs(split, NULL, false, row, NULL);
    smerf_status status = cli_draw_pairs(split, drawn, error);
    if (status == SMERF_OK) status = write_rows(split, drawn, true, row, error);
    if (status == SMERF_OK) status = write_rows(split, drawn, false, row, error);
    free(row);
    return status;
}

/* All edges: which of them are known is told by the pairs (--observed). */
static smerf_status copy_edges(const cli_splitting *split, smerf_error *error) {
    sm_pairs edges = {0};
    smerf_status status = cli_read_listed_edges(split, &edges, error);
    if (status == SMERF_OK)
        status = cli_write_list(split, "edges.csv", cli_edge_header(&edges), &edges, NULL, CLI_TRAIN, error);
    sm_pairs_free(&edges);
    return status;
}

/* ---- both ---- */

static void tell(const cli_splitting *split, const cli_drawing *drawn) {
    static const char *const from_columns[] = {"--labels", "--response", "--absolute", "--product"};
    char pairs[40], fraction[100];
    const char *noun = noun_of(split);
    double percent = 100 * (double)drawn->n_train / (double)drawn->n_pairs;
    if (split->pairs_fraction > 0)
        snprintf(fraction, sizeof fraction, "%.3g %% of the %ss", percent, noun);
    else
        snprintf(fraction, sizeof fraction, "%.3g %% of the %ss, as many as %.4g %% of the items have", percent, noun,
                 100 * split->fraction);
    cli_say(split->args, "%s: %s to train on, %zu to test with; trained on: %s", split->folder,
            cli_count(drawn->n_train, noun, pairs), drawn->n_pairs - drawn->n_train, fraction);
    for (size_t t = 0; t < 4; t++) /* the column that the distances were made of must not become a feature */
        if (cli_has(split->args, from_columns[t]))
            cli_say(split->args, "%s/items.csv still has what the distances were made of: learn with --ignore %s",
                    split->folder, cli_get(split->args, from_columns[t]));
}

smerf_status cli_split_by_pairs(const cli_splitting *split, smerf_error *error) {
    cli_drawing drawn = {0};
    smerf_status status = are_triplets(split)               ? cli_divide_triplets(split, &drawn, error)
                          : cli_has(split->args, "--pairs") ? split_list(split, &drawn, error)
                                                            : split_rows(split, &drawn, error);
    if (status == SMERF_OK && cli_has(split->args, "--edges")) status = copy_edges(split, error);
    status = cli_finish_kept(status, error);
    if (status == SMERF_OK) tell(split, &drawn);
    free(drawn.is_train);
    return status;
}
