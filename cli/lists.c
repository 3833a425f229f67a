/* lists.c - lists of pairs: rated ones and edges as targets, and those that a model is asked about. What was read of them,
 * and what was not, becomes the facts of a target. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lists.h"
#include "targets.h"

/* ---- options ---- */

/* Reads --pair-columns A,B.   *names  to be freed with cli_free_list, also after a failure; spec borrows them */
static smerf_status read_id_columns(const cli_args *args, sm_pairs_spec *spec, char ***names, smerf_error *error) {
    const char *text = cli_get(args, "--pair-columns");
    size_t n;
    *names = NULL;
    if (text == NULL) return SMERF_OK;
    *names = cli_split(text, &n);
    if (*names == NULL) return cli_target_no_memory(error);
    if (n != 2 || strcmp((*names)[0], (*names)[1]) == 0)
        return cli_fail(args, error, "--pair-columns '%s' names two different columns, as in i,j", text);
    for (size_t c = 0; c < 2; c++) spec->id_columns[c] = (*names)[c];
    return SMERF_OK;
}

static smerf_status read_value_kind(const cli_args *args, sm_pairs_spec *spec, smerf_error *error) {
    static const char *const kinds[] = {"distance", "similarity"};
    unsigned kind = 0;
    smerf_status status = cli_get_word(args, "--value-is", kinds, 2, &kind, error);
    if (cli_has(args, "--value-is")) spec->value_kind = kind == 0 ? SM_DISTANCES : SM_SIMILARITIES;
    return status;
}

smerf_status cli_start_list(const cli_args *args, const cli_items *rows, const cli_items *columns, cli_list_spec *list,
                            smerf_error *error) {
    *list = (cli_list_spec){.spec = {.rows = cli_side(rows),
                                     .columns = cli_side(columns != NULL ? columns : rows),
                                     .is_square = columns == NULL,
                                     .value_column = cli_get(args, "--value"),
                                     .judge_column = cli_get(args, "--judge"),
                                     .largest = NAN}};
    smerf_status status = read_id_columns(args, &list->spec, &list->id_columns, error);
    return status == SMERF_OK ? read_value_kind(args, &list->spec, error) : status;
}

void cli_stop_list(cli_list_spec *list) { cli_free_list(list->id_columns); }

/* ---- pairs to ask about ---- */

smerf_status cli_read_listed(const cli_args *args, const cli_items *rows, const cli_items *columns, sm_pairs *pairs,
                             smerf_error *error) {
    cli_list_spec list;
    *pairs = (sm_pairs){0};
    smerf_status status = cli_start_list(args, rows, columns, &list, error);
    if (status == SMERF_OK) status = sm_pairs_read(cli_get(args, "--pairs"), &list.spec, pairs, error);
    cli_stop_list(&list);
    return status;
}

void cli_say_unused(const cli_args *args, const sm_pairs *pairs) {
    const sm_pair_columns *columns = &pairs->columns;
    if (columns->unused[0] != '\0')
        cli_say(args, "%s: columns used: %s, %s; not used: %s", sm_input_name(cli_get(args, "--pairs")),
                columns->ids[0], columns->ids[1], columns->unused);
}

/* ---- facts ---- */

static smerf_pair_list list_of(const sm_pairs *pairs) {
    return (smerf_pair_list){
        .n = pairs->n, .left = pairs->left, .right = pairs->right, .value = pairs->value, .weight = pairs->weight};
}

/* Where the library complains of an entry, says where in the file that is. */
static smerf_status name_line(const char *path, const sm_pairs *pairs, smerf_status status, smerf_error *error) {
    size_t entry = error->row;
    if (status != SMERF_BAD_INPUT || entry >= pairs->n) return status;
    return sm_pairs_position(path, pairs->row != NULL ? pairs->row[entry] : entry, error);
}

void cli_note_counts(const cli_args *args, const cli_sides *of, bool has_judges, cli_target *target) {
    smerf_pair_facts facts;
    char count[40];
    if (!smerf_target_pair_facts(target->target, &facts)) return;
    bool is_observed = cli_has(args, "--observed"), is_graph = cli_has(args, "--edges") && !is_observed;
    if (is_observed) cli_add_fact(target, "%s among ", cli_count(target->n_edges, "edge", count));
    cli_add_fact(target, "%s", cli_count(facts.n_pairs, is_graph ? "edge" : "known pair", count));
    if (of->columns != NULL) cli_add_fact(target, " between the two sets");
    if (facts.n_repeated > 0 && !has_judges) cli_add_fact(target, ", %zu given more than once", facts.n_repeated);
    if (facts.n_conflicts > 0 && !has_judges)
        cli_add_fact(target, " (%zu with different values: their mean is used)", facts.n_conflicts);
    if (target->n_left_out > 0)
        cli_add_fact(target, "; %s elsewhere left out", cli_count(target->n_left_out, "edge", count));
    if (facts.n_unobserved > 0 && of->columns == NULL)
        cli_add_fact(target, "; %s without any", cli_count(facts.n_unobserved, is_graph ? "node" : "item", count));
}

static void note_columns(const sm_pair_columns *columns, const char *value_noun, cli_target *target) {
    if (columns->ids[0][0] == '\0') return; /* a file without columns */
    cli_add_fact(target, "; columns used: %s, %s", columns->ids[0], columns->ids[1]);
    if (columns->value[0] != '\0') cli_add_fact(target, ", %s%s", columns->value, value_noun);
    if (columns->weight[0] != '\0') cli_add_fact(target, ", %s (weight)", columns->weight);
    if (columns->judge[0] != '\0') cli_add_fact(target, ", %s (judge)", columns->judge);
    if (columns->unused[0] != '\0') cli_add_fact(target, "; not used: %s", columns->unused);
}

/* ---- rated pairs ---- */

/* What the judges' differences say of the best possible score. */
static smerf_status find_ceiling(const sm_pairs *pairs, const cli_sides *of, cli_target *target, smerf_error *error) {
    const smerf_ratings ratings =
        SMERF_INIT(smerf_ratings, .pairs = list_of(pairs), .judge = pairs->judge, .n_judges = pairs->n_judges,
                   .n_items = cli_n_both(of), .n_rows = of->rows->table.n_rows);
    target->ceiling = SMERF_INIT(smerf_ceiling);
    target->n_judges = pairs->n_judges;
    return smerf_ratings_ceiling(&ratings, &target->ceiling, error);
}

static smerf_status make_rated(const char *path, sm_pairs *pairs, const cli_sides *of, cli_target *target,
                               smerf_error *error) {
    bool has_judges = pairs->judge != NULL;
    smerf_status status = has_judges ? sm_pairs_fold_judges(pairs, error) : SMERF_OK;
    const smerf_pair_list list = list_of(pairs);
    if (status == SMERF_OK)
        status = name_line(path, pairs, smerf_target_new_pairs(&list, cli_n_both(of), &target->target, error), error);
    return status == SMERF_OK && has_judges ? find_ceiling(pairs, of, target, error) : status;
}

smerf_status cli_read_rated_pairs(const cli_args *args, const char *path, const cli_sides *of, cli_target *target,
                                  smerf_error *error) {
    sm_pairs pairs = {0};
    cli_list_spec list;
    smerf_status status = cli_start_list(args, of->rows, of->columns, &list, error);
    if (status == SMERF_OK) status = cli_choose_largest(args, of, false, &list.spec.largest, error);
    if (status == SMERF_OK) status = sm_pairs_read_values(path, &list.spec, &pairs, error);
    if (status == SMERF_OK && cli_has(args, "--similarity-max") && !pairs.are_similarities)
        status = cli_fail(args, error, "--similarity-max goes with similarities, and %s has distances", path);
    target->dialect = pairs.dialect;
    if (status == SMERF_OK) status = make_rated(path, &pairs, of, target, error);
    if (status == SMERF_OK) {
        cli_note_counts(args, of, pairs.judge != NULL, target);
        note_columns(&pairs.columns, pairs.are_similarities ? " (similarity)" : " (distance)", target);
        if (pairs.are_similarities) cli_note_largest(args, of, pairs.largest, target);
    }
    sm_pairs_free(&pairs);
    cli_stop_list(&list);
    return status;
}

/* ---- edges ---- */

/* The library speaks of the weights that it was given, and users know those in the file. */
static smerf_status complain(const char *path, sm_pairs *edges, const smerf_pair_list *known, size_t n_items,
                             smerf_error *error) {
    smerf_target *target = NULL;
    smerf_error complaint = *error;
    for (size_t k = 0; k < edges->n && edges->value != NULL; k++) edges->value[k] *= edges->largest;
    const smerf_pair_list list = list_of(edges);
    if (smerf_target_new_graph(&list, known, n_items, &target, &complaint) == SMERF_BAD_INPUT) *error = complaint;
    smerf_target_free(target);
    return name_line(path, edges, SMERF_BAD_INPUT, error);
}

static smerf_status make_graph(const char *path, sm_pairs *edges, const sm_pairs *observed, const cli_sides *of,
                               cli_target *target, smerf_error *error) {
    const smerf_pair_list list = list_of(edges), known = list_of(observed);
    const smerf_pair_list *only = observed->left != NULL ? &known : NULL;
    smerf_status status = smerf_target_new_graph(&list, only, cli_n_both(of), &target->target, error);
    return status == SMERF_BAD_INPUT ? complain(path, edges, only, cli_n_both(of), error) : status;
}

/* How weights became distances, where that is more than 1 - weight. */
static void note_weights(const cli_args *args, const cli_sides *of, const sm_pairs *edges, cli_target *target) {
    size_t n_negative = 0;
    char count[40], number[SM_NUMBER_SPACE];
    for (size_t k = 0; k < edges->n && edges->value != NULL; k++) n_negative += edges->value[k] > 1;
    if (edges->columns.other_number[0] != '\0')
        cli_add_fact(target, "; --value %s would make that the weight", edges->columns.other_number);
    if (edges->largest != 1) cli_note_largest(args, of, edges->largest, target);
    if (n_negative > 0)
        cli_add_fact(target, "; %s above %s: negative distances", cli_count(n_negative, "weight", count),
                     cli_show_number(edges->largest, number));
}

/* Edges that are not among the observed pairs are not known to be edges either: they are left out. */
smerf_status cli_read_edges(const cli_args *args, const char *path, const cli_sides *of, cli_target *target,
                            smerf_error *error) {
    sm_pairs edges = {0}, observed = {0};
    cli_list_spec list;
    const char *observed_path = cli_get(args, "--observed");
    smerf_status status = cli_start_list(args, of->rows, of->columns, &list, error);
    if (status == SMERF_OK) status = cli_choose_largest(args, of, true, &list.spec.largest, error);
    if (status == SMERF_OK) status = sm_edges_read(path, &list.spec, &edges, error);
    target->dialect = edges.dialect;
    list.spec.id_columns[0] = list.spec.id_columns[1] = NULL; /* of the edges */
    if (status == SMERF_OK && observed_path != NULL)
        status = sm_pairs_read_observed(observed_path, &list.spec, &observed, error);
    if (status == SMERF_OK && observed_path != NULL)
        status = sm_pairs_keep_among(&edges, &observed, &target->n_edges, &target->n_left_out, error);
    if (status == SMERF_OK) status = make_graph(path, &edges, &observed, of, target, error);
    if (status == SMERF_OK) {
        cli_note_counts(args, of, false, target);
        note_columns(&edges.columns, "", target);
        if (observed.columns.unused[0] != '\0')
            cli_add_fact(target, "; of %s: %s, %s; not used: %s", observed_path, observed.columns.ids[0],
                         observed.columns.ids[1], observed.columns.unused);
        note_weights(args, of, &edges, target);
    }
    sm_pairs_free(&edges);
    sm_pairs_free(&observed);
    cli_stop_list(&list);
    return status;
}
