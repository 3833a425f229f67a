/* cmd_export.c - smerf export MODEL --format json: the whole forest, for other programs. */
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "common.h"

static const cli_option own_options[] = {
    {"--format", "json", "the form (default, and the only one)"},
    {"-o", "FILE", "where it goes (default: standard output)"},
    {0},
};

static const cli_option *const options[] = {own_options, cli_general_options, NULL};

static void put_features(sm_output *output, const smerf_model *model, size_t n_features) {
    sm_output_print(output, "{\"features\": [");
    for (size_t f = 0; f < n_features; f++) {
        smerf_column column;
        smerf_model_feature(model, f, &column);
        sm_output_print(output, "%s{\"name\": ", f == 0 ? "" : ", ");
        sm_put_json_string(output, column.name);
        sm_output_print(output, ", \"kind\": \"%s\"", column.kind == SMERF_NUMBER ? "number" : "category");
        if (column.kind == SMERF_CATEGORY) {
            sm_output_print(output, ", \"levels\": [");
            for (size_t i = 0; i < column.n_levels; i++) {
                sm_output_print(output, "%s", i == 0 ? "" : ", ");
                sm_put_json_string(output, column.levels[i]);
            }
            sm_output_print(output, "]");
        }
        sm_output_print(output, "}");
    }
    sm_output_print(output, "],\n\"trees\": [");
}

static void put_terms(sm_output *output, const smerf_model *model, const smerf_tree_view *tree, size_t split) {
    sm_output_print(output, "{\"split\": [");
    for (size_t t = tree->first_term[split]; t < tree->first_term[split + 1]; t++) {
        sm_output_print(output, "%s[%u, %d", t == tree->first_term[split] ? "" : ", ", tree->term_feature[t],
                        tree->term_weight[t]);
        if (tree->term_level != NULL && tree->term_level[t] != SMERF_MISSING) {
            smerf_column column;
            smerf_model_feature(model, tree->term_feature[t], &column);
            sm_output_print(output, ", ");
            sm_put_json_string(output, column.levels[tree->term_level[t]]);
        }
        sm_output_print(output, "]");
    }
    sm_output_print(output, "], ");
}

static void put_cut(sm_output *output, const smerf_model *model, const smerf_tree_view *tree, size_t split) {
    if (!tree->is_category[split]) {
        sm_output_print(output, "\"threshold\": ");
        sm_put_json_number(output, tree->threshold[split]);
        return;
    }
    smerf_column column;
    smerf_model_feature(model, tree->term_feature[tree->first_term[split]], &column);
    sm_output_print(output, "\"categories\": [");
    size_t next = tree->first_left[split], end = tree->first_left[split + 1], n_put = 0;
    bool lists_right = next < end && tree->left_level[next] == SMERF_MISSING;
    if (lists_right) next++;
    for (size_t level = 0; level < column.n_levels; level++) {
        bool is_listed = next < end && tree->left_level[next] == level;
        if (is_listed) next++;
        if (is_listed == lists_right) continue;
        sm_output_print(output, "%s", n_put++ == 0 ? "" : ", ");
        sm_put_json_string(output, column.levels[level]);
    }
    sm_output_print(output, "]");
}

static void put_leaf(sm_output *output, const smerf_tree_view *tree, size_t leaf) {
    sm_output_print(output, "{\"leaf\": %zu, \"members\": [", leaf);
    for (size_t m = tree->first_member[leaf]; m < tree->first_member[leaf + 1]; m++)
        sm_output_print(output, "%s[%u, %u]", m == tree->first_member[leaf] ? "" : ", ", tree->member_item[m],
                        tree->member_draws[m]);
    sm_output_print(output, "]}");
}

static void put_node(sm_output *output, const smerf_model *model, const smerf_tree_view *tree, size_t node,
                     double weight) {
    size_t index = tree->index[node];
    if (tree->is_leaf[node]) {
        put_leaf(output, tree, index);
        return;
    }
    put_terms(output, model, tree, index);
    put_cut(output, model, tree, index);
    sm_output_print(output, ", \"missing\": \"%s\", \"left\": %zu, \"right\": %u, \"gain\": ",
                    tree->missing_left[index] ? "left" : "right", node + 1, tree->right[index]);
    sm_put_json_number(output, tree->gain[index]);
    sm_output_print(output, ", \"weight\": ");
    sm_put_json_number(output, weight);
    sm_output_print(output, "}");
}

static bool put_trees(sm_output *output, const smerf_model *model, size_t n_trees) {
    for (size_t b = 0; b < n_trees && !sm_output_has_failed(output); b++) {
        smerf_tree_view tree = SMERF_INIT(smerf_tree_view);
        smerf_model_tree(model, b, &tree, NULL);
        double *weights = malloc(tree.n_nodes * sizeof *weights);
        if (weights == NULL) return false;
        smerf_model_node_weights(model, b, weights);
        sm_output_print(output, "%s\n{\"nodes\": [", b == 0 ? "" : ",");
        for (size_t node = 0; node < tree.n_nodes; node++) {
            sm_output_print(output, "%s", node == 0 ? "" : ",\n  ");
            put_node(output, model, &tree, node, weights[node]);
        }
        sm_output_print(output, "]}");
        free(weights);
    }
    sm_output_print(output, "]}\n");
    return true;
}

static smerf_status check_forest(const cli_args *args, const smerf_model *model, smerf_error *error) {
    smerf_description description = SMERF_INIT(smerf_description);
    smerf_model_describe(model, &description, NULL);
    if (description.options->method == SMERF_METHOD_FOREST) return SMERF_OK;
    return cli_fail(args, error, "%s was made by the method '%s': only a forest can be exported", args->words[0],
                    description.method);
}

static smerf_status run_export(const cli_args *args, smerf_error *error) {
    static const char *const formats[] = {"json"};
    unsigned format = 0;
    smerf_model *model = NULL;
    sm_output *output = NULL;
    smerf_status status = cli_get_word(args, "--format", formats, 1, &format, error);
    if (status == SMERF_OK) status = smerf_model_load(args->words[0], &model, error);
    if (status == SMERF_OK) status = check_forest(args, model, error);
    if (status == SMERF_OK)
        status = sm_text_output_open(cli_has(args, "-o") ? cli_get(args, "-o") : "-", &output, error);
    if (status == SMERF_OK) {
        smerf_description description = SMERF_INIT(smerf_description);
        smerf_model_describe(model, &description, NULL);
        put_features(output, model, description.n_features);
        if (put_trees(output, model, description.options->n_trees)) {
            status = sm_output_finish(output, error);
        } else {
            sm_output_abandon(output);
            strcpy(error->message, "out of memory while exporting");
            status = SMERF_NO_MEMORY;
        }
    }
    smerf_model_free(model);
    return status;
}

static const char *const examples[] = {
    "smerf export model.smerf --format json -o forest.json",
    "smerf export animals.smerf --format json",
    NULL,
};

const cli_command cli_export = {.name = "export",
                                .usage = "export MODEL --format json [-o FILE]",
                                .summary = "the whole forest as JSON",
                                .fewest_words = 1,
                                .most_words = 1,
                                .option_groups = options,
                                .output = CLI_JSON,
                                .examples = examples,
                                .run = run_export};
