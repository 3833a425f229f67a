/* evaluate_result.c - scores as lines and as JSON, the table of labels, and what is said of them. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "evaluate.h"

static const char *path_of_scores(const cli_args *args) {
    return cli_get_output(args) != NULL ? cli_get_output(args) : "-";
}

/* ---- lines ---- */

static void put_lines(const cli_args *args, const cli_evaluation *all, sm_output *output) {
    bool is_short = strcmp(path_of_scores(args), "-") == 0 && isatty(STDOUT_FILENO);
    for (size_t i = 0; i < all->n; i++) {
        const cli_score *score = &all->score[all->order[i]];
        if (isnan(score->value)) continue;
        sm_output_print(output, "%s ", score->name);
        if (is_short)
            sm_output_print(output, "%.4g", score->value);
        else
            sm_put_number(output, score->value);
        sm_output_print(output, "\n");
    }
}

/* ---- JSON ---- */

static void put_json_scores(const cli_evaluation *all, sm_output *output) {
    for (size_t i = 0; i < all->n; i++) {
        const cli_score *score = &all->score[all->order[i]];
        sm_output_print(output, "%s\"%s\": ", i == 0 ? "" : ", ", score->name);
        sm_put_json_number(output, score->value);
    }
}

static void put_json_chances(const cli_evaluation *all, sm_output *output) {
    const char *separator = "";
    for (size_t i = 0; i < all->n; i++) {
        const cli_score *score = &all->score[all->order[i]];
        if (isnan(score->by_chance) || isnan(score->value)) continue;
        sm_output_print(output, "%s\"%s\": ", separator, score->name);
        sm_put_json_number(output, score->by_chance);
        separator = ", ";
    }
}

static void put_json_reasons(const cli_evaluation *all, sm_output *output) {
    const char *separator = "";
    for (size_t i = 0; i < all->n; i++) {
        const cli_score *score = &all->score[all->order[i]];
        if (!isnan(score->value)) continue;
        sm_output_print(output, "%s\"%s\": ", separator, score->name);
        sm_put_json_string(output, score->why_not);
        separator = ", ";
    }
}

/* Labels, and how many items of each are predicted to have which; the last row: labels that the model does not know. */
static void put_json_confusion(const cli_evaluation *all, sm_output *output) {
    size_t n = all->n_classes;
    sm_output_print(output, ", \"confusion\": {\"labels\": [");
    for (size_t c = 0; c < n; c++) {
        sm_output_print(output, c > 0 ? ", " : "");
        sm_put_json_string(output, smerf_model_value_name(all->model, c));
    }
    sm_output_print(output, "], \"counts\": [");
    for (size_t label = 0; label <= n; label++) {
        sm_output_print(output, "%s[", label > 0 ? ", " : "");
        for (size_t c = 0; c < n; c++)
            sm_output_print(output, "%s%zu", c > 0 ? ", " : "", all->confusion[label * n + c]);
        sm_output_print(output, "]");
    }
    sm_output_print(output, "]}");
}

/* One object: the scores by their names, and then what they are worth. */
static void put_json(const cli_evaluation *all, sm_output *output) {
    sm_output_print(output, "{");
    put_json_scores(all, output);
    sm_output_print(output, "%s\"by_chance\": {", all->n > 0 ? ", " : "");
    put_json_chances(all, output);
    sm_output_print(output, "}, \"why_not\": {");
    put_json_reasons(all, output);
    sm_output_print(output, "}");
    if (all->pairs.size > 0)
        sm_output_print(output, ", \"pairs\": {\"scored\": %zu, \"not_known\": %zu, \"not_predicted\": %zu}",
                        all->pairs.n_pairs, all->pairs.n_unknown, all->pairs.n_unpredicted);
    if (all->values.size > 0)
        sm_output_print(output, ", \"items\": {\"scored\": %zu, \"not_predicted\": %zu}", all->values.n_items,
                        all->values.n_unpredicted);
    if (all->confusion != NULL) put_json_confusion(all, output);
    if (all->correlation.size > 0)
        sm_output_print(output, ", \"mantel\": {\"items\": %zu, \"pairs\": %zu, \"permutations\": %zu, \"seed\": %zu}",
                        all->correlation.n_rows, all->correlation.n_pairs, all->n_permutations, all->seed);
    sm_output_print(output, "}\n");
}

smerf_status cli_put_scores(const cli_args *args, const cli_evaluation *all, smerf_error *error) {
    sm_output *output;
    smerf_status status = sm_output_open(path_of_scores(args), &output, error);
    if (status != SMERF_OK) return status;
    if (cli_has(args, "--json"))
        put_json(all, output);
    else
        put_lines(args, all, output);
    return sm_output_finish(output, error);
}

/* ---- the table of labels ---- */

smerf_status cli_put_confusion(const cli_args *args, const cli_evaluation *all, smerf_error *error) {
    sm_output *output;
    size_t n = all->n_classes, n_unknown = 0;
    smerf_status status = sm_output_open(cli_get(args, "--confusion"), &output, error);
    if (status != SMERF_OK) return status;
    sm_output_print(output, "label");
    for (size_t c = 0; c < n; c++) {
        sm_output_print(output, ",");
        sm_put_cell_after(output, "predicted:", smerf_model_value_name(all->model, c));
    }
    for (size_t label = 0; label <= n; label++) {
        const size_t *row = all->confusion + label * n;
        for (size_t c = 0; c < n && label == n; c++) n_unknown += row[c];
        if (label == n && n_unknown == 0) break;
        sm_output_print(output, "\n");
        if (label < n) sm_put_cell(output, smerf_model_value_name(all->model, label));
        for (size_t c = 0; c < n; c++) sm_output_print(output, ",%zu", row[c]);
    }
    sm_output_print(output, "\n");
    return sm_output_finish(output, error);
}

/* ---- what is said ---- */

static void tell_left_out(const cli_args *args, const cli_evaluation *all) {
    char pairs[40], items[40], reasons[120] = "";
    const smerf_scores *found = &all->pairs;
    size_t n_out = found->n_unknown + found->n_unpredicted;
    const char *why = cli_has(args, "--oob") ? "never out of bag" : "not predicted";
    if (found->n_unknown > 0 && found->n_unpredicted > 0)
        snprintf(reasons, sizeof reasons, "; %zu left out: %zu not known, %zu %s", n_out, found->n_unknown,
                 found->n_unpredicted, why);
    else if (n_out > 0)
        snprintf(reasons, sizeof reasons, "; %zu left out: %s", n_out, found->n_unknown > 0 ? "not known" : why);
    if (found->size > 0) cli_say(args, "%s scored%s", cli_count(found->n_pairs, "pair", pairs), reasons);
    reasons[0] = '\0';
    if (all->values.n_unpredicted > 0)
        snprintf(reasons, sizeof reasons, "; %zu left out: %s", all->values.n_unpredicted, why);
    if (all->values.size > 0) cli_say(args, "%s predicted%s", cli_count(all->values.n_items, "item", items), reasons);
}

static void tell_correlation(const cli_args *args, const cli_evaluation *all) {
    const smerf_correlation *found = &all->correlation;
    char pairs[40], permutations[40], tested[80] = "", drawn[80] = "";
    size_t n_drawn = found->n_rows + (cli_has(args, "--against") ? found->n_columns : 0);
    if (found->n_permutations > 0)
        snprintf(tested, sizeof tested, ", %s", cli_count(found->n_permutations, "permutation", permutations));
    if (n_drawn < all->n_items)
        snprintf(drawn, sizeof drawn, " of %zu items drawn at random from %zu", n_drawn, all->n_items);
    cli_say(args, "mantel: over %s%s%s, seed %zu", cli_count(found->n_pairs, "pair", pairs), drawn, tested, all->seed);
}

static void tell_chances(const cli_args *args, const cli_evaluation *all) {
    char text[400] = "";
    size_t n = 0;
    for (size_t i = 0; i < all->n; i++) {
        const cli_score *score = &all->score[all->order[i]];
        if (isnan(score->by_chance) || isnan(score->value) || n >= sizeof text) continue;
        n += (size_t)snprintf(text + n, sizeof text - n, "%s%s %.4g", n > 0 ? ", " : "", score->name, score->by_chance);
    }
    if (n > 0) cli_say(args, "by chance: %s", text);
}

void cli_tell_scores(const cli_args *args, const cli_evaluation *all) {
    tell_left_out(args, all);
    if (all->correlation.size > 0) tell_correlation(args, all);
    for (size_t i = 0; i < all->n; i++) {
        const cli_score *score = &all->score[all->order[i]];
        if (isnan(score->value)) cli_say(args, "no %s: %s", score->name, score->why_not);
    }
    tell_chances(args, all);
    /* Further lines on what scores are worth come here. */
}
