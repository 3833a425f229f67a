/* forest.c - a whole forest as JSON, for other programs: see report.h. `smerf export` and Python's export write it. */
#include "base/memory.h"
#include "io/text/text.h"
#include "report/report.h"

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

static smerf_status put_tree(sm_output *output, const smerf_model *model, size_t number, smerf_error *error) {
    smerf_tree_view tree = SMERF_INIT(smerf_tree_view);
    smerf_status status = smerf_model_tree(model, number, &tree, error);
    if (status != SMERF_OK) return status;
    double *weights = sm_array(tree.n_nodes, sizeof *weights);
    if (weights == NULL) return sm_no_memory(error, "exporting a forest");
    smerf_model_node_weights(model, number, weights);
    sm_output_print(output, "%s\n{\"nodes\": [", number == 0 ? "" : ",");
    for (size_t node = 0; node < tree.n_nodes; node++) {
        sm_output_print(output, "%s", node == 0 ? "" : ",\n  ");
        put_node(output, model, &tree, node, weights[node]);
    }
    sm_output_print(output, "]}");
    sm_free(weights);
    return SMERF_OK;
}

smerf_status sm_forest_write(const smerf_model *model, sm_output *output, smerf_error *error) {
    smerf_description description = SMERF_INIT(smerf_description);
    smerf_status status = smerf_model_describe(model, &description, error);
    if (status != SMERF_OK) return status;
    put_features(output, model, description.n_features);
    for (size_t b = 0; b < description.options->n_trees && status == SMERF_OK && !sm_output_has_failed(output); b++)
        status = put_tree(output, model, b, error);
    sm_output_print(output, "]}\n");
    return status;
}
