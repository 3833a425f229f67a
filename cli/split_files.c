/* split_files.c - writes the parts of a split: see split.h. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "folder.h"
#include "io/text/text.h"
#include "lists.h"
#include "split.h"

smerf_status cli_split_no_memory(smerf_error *error) {
    strcpy(error->message, "out of memory while splitting");
    return SMERF_NO_MEMORY;
}

const char *cli_part_name(cli_part part) {
    static const char *const names[] = {"train", "test", "cross"};
    return names[part];
}

/* ---- items ---- */

smerf_status cli_write_items(const cli_splitting *split, const char *name, const bool *is_chosen, smerf_error *error) {
    const sm_table *table = &split->items.table;
    bool *in_file = NULL; /* the chosen ones where rows of the file were left out */
    sm_output *output = NULL;
    if (table->n_dropped > 0) {
        in_file = calloc(table->n_rows + table->n_dropped, sizeof *in_file);
        if (in_file == NULL) return cli_split_no_memory(error);
        for (size_t i = 0; i < table->n_rows; i++) in_file[table->file_rows[i]] = is_chosen == NULL || is_chosen[i];
    }
    smerf_status status = cli_open_in(split->folder, name, &output, error);
    if (status == SMERF_OK)
        status = sm_table_copy_rows(split->items_path, in_file != NULL ? in_file : is_chosen, table->ids != NULL,
                                    output, error);
    free(in_file);
    if (status == SMERF_OK)
        cli_keep_in(output);
    else
        sm_output_abandon(output);
    return status;
}

/* ---- lists of pairs ---- */

void cli_put_pair(const cli_splitting *split, size_t i, size_t j, sm_output *output) {
    char space[24];
    sm_put_cell(output, cli_item_name(&split->items, i, space));
    sm_output_write(output, ",", 1);
    sm_put_cell(output, cli_item_name(&split->items, j, space));
}

static void put_third(const cli_splitting *split, size_t item, sm_output *output) {
    char space[24];
    sm_output_write(output, ",", 1);
    sm_put_cell(output, cli_item_name(&split->items, item, space));
}

smerf_status cli_write_list(const cli_splitting *split, const char *name, const char *header, const sm_pairs *pairs,
                            const unsigned char *part_of, cli_part wanted, smerf_error *error) {
    sm_output *output;
    smerf_status status = cli_open_in(split->folder, name, &output, error);
    if (status != SMERF_OK) return status;
    sm_output_print(output, "%s%s%s\n", header, pairs->weight != NULL ? ",weight" : "",
                    pairs->judge != NULL ? ",judge" : "");
    for (size_t k = 0; k < pairs->n && !sm_output_has_failed(output); k++) {
        if (part_of != NULL && part_of[k] != wanted) continue;
        cli_put_pair(split, pairs->left[k], pairs->right[k], output);
        if (pairs->third != NULL) put_third(split, pairs->third[k], output);
        for (int column = 0; column < 2; column++) {
            const double *numbers = column == 0 ? pairs->value : pairs->weight;
            if (numbers == NULL) continue;
            sm_output_write(output, ",", 1);
            sm_put_number(output, numbers[k]);
        }
        if (pairs->judge != NULL) {
            sm_output_write(output, ",", 1);
            sm_put_cell(output, pairs->judges[pairs->judge[k]]);
        }
        sm_output_write(output, "\n", 1);
    }
    cli_keep_in(output);
    return SMERF_OK;
}

smerf_status cli_write_parts(const cli_splitting *split, const char *what, const char *header, const sm_pairs *pairs,
                             const unsigned char *part_of, cli_part last, smerf_error *error) {
    smerf_status status = SMERF_OK;
    for (unsigned p = CLI_TRAIN; p <= last && status == SMERF_OK; p++) {
        char name[64];
        snprintf(name, sizeof name, "%s-%s.csv", cli_part_name((cli_part)p), what);
        status = cli_write_list(split, name, header, pairs, part_of, (cli_part)p, error);
    }
    return status;
}

smerf_status cli_read_listed_pairs(const cli_splitting *split, sm_pairs *pairs, smerf_error *error) {
    cli_list_spec list;
    smerf_status status = cli_start_list(split->args, &split->items, NULL, &list, error);
    if (status == SMERF_OK) status = cli_get_number(split->args, "--similarity-max", &list.spec.largest, error);
    if (status == SMERF_OK) status = sm_pairs_read_values(cli_get(split->args, "--pairs"), &list.spec, pairs, error);
    cli_stop_list(&list);
    return status;
}

smerf_status cli_read_listed_edges(const cli_splitting *split, sm_pairs *edges, smerf_error *error) {
    cli_list_spec list;
    smerf_status status = cli_start_list(split->args, &split->items, NULL, &list, error);
    list.spec.largest = 1; /* weights stay as they are: who learns from them scales them */
    if (status == SMERF_OK) status = sm_edges_read(cli_get(split->args, "--edges"), &list.spec, edges, error);
    cli_stop_list(&list);
    return status;
}

smerf_status cli_read_listed_observed(const cli_splitting *split, sm_pairs *observed, smerf_error *error) {
    const sm_pairs_spec spec = {.rows = cli_side(&split->items), .is_square = true};
    return sm_pairs_read_observed(cli_get(split->args, "--observed"), &spec, observed, error);
}

const char *cli_edge_header(const sm_pairs *edges) {
    return edges->value != NULL ? "source,target,weight" : "source,target";
}
