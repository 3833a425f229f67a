/* triplets.c - reads --triplets: which of two items is nearer to an anchor, or which of three is the odd one out. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lists.h"
#include "targets.h"
#include "triplets.h"

/* Reads --triplet-columns A,B,C.   *names  to be freed with cli_free_list, also after a failure; spec borrows them */
static smerf_status read_columns(const cli_args *args, sm_pairs_spec *spec, char ***names, smerf_error *error) {
    const char *text = cli_get(args, "--triplet-columns");
    size_t n;
    *names = NULL;
    if (text == NULL) return SMERF_OK;
    *names = cli_split(text, &n);
    if (*names == NULL) return cli_target_no_memory(error);
    bool are_three = n == 3 && strcmp((*names)[0], (*names)[1]) != 0 && strcmp((*names)[0], (*names)[2]) != 0 &&
                     strcmp((*names)[1], (*names)[2]) != 0;
    if (!are_three)
        return cli_fail(args, error, "--triplet-columns '%s' names three different columns, as in anchor,near,far",
                        text);
    for (size_t c = 0; c < 3; c++) spec->id_columns[c] = (*names)[c];
    return SMERF_OK;
}

smerf_status cli_read_listed_triplets(const cli_args *args, const cli_items *items, sm_pairs *triplets,
                                      smerf_error *error) {
    sm_pairs_spec spec = {.rows = cli_side(items), .is_square = true};
    char **names;
    *triplets = (sm_pairs){0};
    smerf_status status = read_columns(args, &spec, &names, error);
    if (status == SMERF_OK) status = sm_triplets_read(cli_get(args, "--triplets"), &spec, triplets, error);
    cli_free_list(names);
    return status;
}

/* ---- as a target ---- */

/* Who is the odd one of three says two things: each of the two others is nearer to the other than to the odd one. They are one
 * judgement, so that each has half its weight. */
static smerf_status split_judgements(const sm_pairs *judged, size_t n_items, smerf_target **out, smerf_error *error) {
    size_t n = judged->n;
    uint32_t *items = malloc((6 * n + 1) * sizeof *items);
    double *weight = malloc((2 * n + 1) * sizeof *weight);
    smerf_status status = items != NULL && weight != NULL ? SMERF_OK : cli_target_no_memory(error);
    uint32_t *anchor = items, *near = items + 2 * n, *far = items + 4 * n;
    for (size_t k = 0; k < n && status == SMERF_OK; k++) {
        anchor[2 * k] = near[2 * k + 1] = judged->left[k];
        near[2 * k] = anchor[2 * k + 1] = judged->right[k];
        far[2 * k] = far[2 * k + 1] = judged->third[k];
        weight[2 * k] = weight[2 * k + 1] = (judged->weight != NULL ? judged->weight[k] : 1) / 2;
    }
    const smerf_triplet_list list = {.n = 2 * n, .anchor = anchor, .near = near, .far = far, .weight = weight};
    if (status == SMERF_OK) status = smerf_target_new_triplets(&list, n_items, out, error);
    free(items);
    free(weight);
    return status;
}

static smerf_status make_target(const char *path, const sm_pairs *triplets, size_t n_items, smerf_target **out,
                                smerf_error *error) {
    const smerf_triplet_list list = {.n = triplets->n,
                                     .anchor = triplets->left,
                                     .near = triplets->right,
                                     .far = triplets->third,
                                     .weight = triplets->weight};
    smerf_status status = triplets->is_odd_one_out ? split_judgements(triplets, n_items, out, error)
                                                   : smerf_target_new_triplets(&list, n_items, out, error);
    if (status != SMERF_BAD_INPUT || error->row == SMERF_NOWHERE) return status;
    return sm_pairs_position(path, triplets->is_odd_one_out ? error->row / 2 : error->row, error);
}

static void note_triplets(const sm_pairs *triplets, cli_target *target) {
    const sm_pair_columns *columns = &triplets->columns;
    smerf_triplet_facts facts;
    char count[40];
    smerf_target_triplet_facts(target->target, &facts);
    if (triplets->is_odd_one_out)
        cli_add_fact(target, "the odd one of three, %s: each is two triplets of half the weight",
                     cli_count(triplets->n, "time", count));
    else
        cli_add_fact(target, "%s", cli_count(triplets->n, "triplet", count));
    cli_add_fact(target, "; %s", cli_count(facts.n_comparisons, "comparison", count));
    if (facts.n_repeated > 0) cli_add_fact(target, ", %zu made more than once", facts.n_repeated);
    if (facts.n_conflicts > 0) cli_add_fact(target, " (%zu with both answers)", facts.n_conflicts);
    if (facts.n_unobserved > 0) cli_add_fact(target, "; %s without any", cli_count(facts.n_unobserved, "item", count));
    cli_add_fact(target, "; columns used: %s, %s, %s", columns->ids[0], columns->ids[1], columns->ids[2]);
    if (columns->weight[0] != '\0') cli_add_fact(target, ", %s (weight)", columns->weight);
    if (columns->unused[0] != '\0') cli_add_fact(target, "; not used: %s", columns->unused);
}

smerf_status cli_read_triplets(const cli_args *args, const char *path, const cli_sides *of, cli_target *target,
                               smerf_error *error) {
    sm_pairs triplets;
    if (of->columns != NULL)
        return cli_fail(args, error, "--triplets is about the items of one set, and --against has two");
    smerf_status status = cli_read_listed_triplets(args, of->rows, &triplets, error);
    target->dialect = triplets.dialect;
    if (status == SMERF_OK) status = make_target(path, &triplets, of->rows->table.n_rows, &target->target, error);
    if (status == SMERF_OK) note_triplets(&triplets, target);
    sm_pairs_free(&triplets);
    return status;
}
