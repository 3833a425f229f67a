/* cmd_evaluate.c - smerf evaluate MODEL ITEMS [--against ITEMS2] TARGET [--oob] [--metrics LIST] */
#include <math.h>
#include <string.h>

#include "commands.h"
#include "common.h"
#include "fit_options.h"

static const cli_option own_options[] = {
    {"--against", "ITEMS2", "over the pairs between ITEMS and these"},
    {"--oob", NULL, "out of bag; without a target: against the distances the model was trained on"},
    {"--oob-rule", "RULE", "both or either (default: as fitted)"},
    {"--metrics", "LIST", "of rmse, spearman, map@10, auc-roc, auc-pr (default: all that the target has)"},
    {"--json", NULL, "as JSON"},
    {"-o", "FILE", "where the scores go (default: standard output)"},
    {"--id", "COLUMN", "names the items (default: as in training, or a column called 'id')"},
    {0},
};

static const cli_option *const options[] = {own_options, cli_target_options, cli_general_options, NULL};

/* The metrics asked for, in the order of the call; none: all that the target has. */
typedef struct wanted {
    smerf_metric metric[SMERF_N_METRICS];
    size_t n;
    unsigned set;
} wanted;

static void want(wanted *metrics, unsigned metric) {
    if (metrics->set & SMERF_HAS(metric)) return;
    metrics->set |= SMERF_HAS(metric);
    metrics->metric[metrics->n++] = (smerf_metric)metric;
}

static smerf_status read_metrics(const cli_args *args, wanted *metrics, smerf_error *error) {
    const char *text = cli_get(args, "--metrics");
    *metrics = (wanted){.n = 0};
    if (text == NULL) return SMERF_OK;
    size_t n;
    char **names = cli_split(text, &n);
    smerf_status status = SMERF_OK;
    for (size_t i = 0; i < n && names != NULL && status == SMERF_OK; i++) {
        unsigned m = 0;
        while (m < SMERF_N_METRICS && strcmp(names[i], smerf_metric_name((smerf_metric)m)) != 0) m++;
        if (m == SMERF_N_METRICS)
            status =
                cli_fail(args, error, "--metrics '%s' is not one of rmse, spearman, map@10, auc-roc, auc-pr", names[i]);
        else
            want(metrics, m);
    }
    cli_free_list(names);
    return status;
}

static void put_score(sm_output *output, bool is_json, const char *prefix, const char *name, double value) {
    if (is_json) {
        sm_output_print(output, "\"%s%s\": ", prefix, name);
        sm_put_json_number(output, value);
        return;
    }
    sm_output_print(output, "%s%s ", prefix, name);
    if (isnan(value)) sm_output_print(output, "NaN");
    sm_put_number(output, value);
    sm_output_print(output, "\n");
}

/* What the scores of a perfect prediction would be, of ratings by several judges: after the scores. */
static void put_ceiling(sm_output *output, bool is_json, const smerf_ceiling *ceiling, const wanted *metrics) {
    const struct {
        smerf_metric metric;
        double value;
    } of[] = {{SMERF_RMSE, ceiling->rmse}, {SMERF_SPEARMAN, ceiling->spearman}};
    for (size_t m = 0; m < 2; m++) {
        if ((metrics->set & SMERF_HAS(of[m].metric)) == 0) continue;
        if (is_json) sm_output_print(output, ", ");
        put_score(output, is_json, "ceiling-", smerf_metric_name(of[m].metric), of[m].value);
    }
}

/*   truth  what was evaluated against */
static smerf_status put_scores(const cli_args *args, const smerf_scores *scores, const wanted *metrics,
                               const cli_target *truth, smerf_error *error) {
    sm_output *output;
    smerf_status status = sm_text_output_open(cli_has(args, "-o") ? cli_get(args, "-o") : "-", &output, error);
    if (status != SMERF_OK) return status;
    bool is_json = cli_has(args, "--json");
    if (is_json) sm_output_print(output, "{");
    for (size_t i = 0; i < metrics->n; i++) {
        if (is_json && i > 0) sm_output_print(output, ", ");
        put_score(output, is_json, "", smerf_metric_name(metrics->metric[i]), scores->value[metrics->metric[i]]);
    }
    if (truth->n_judges > 0) put_ceiling(output, is_json, &truth->ceiling, metrics);
    if (is_json) sm_output_print(output, "}\n");
    return sm_output_finish(output, error);
}

static smerf_status score(const cli_args *args, const smerf_model *model, const cli_items *rows,
                          const cli_items *columns, smerf_oob_rule rule, wanted *metrics, smerf_error *error) {
    cli_target truth = {0};
    cli_follow follow;
    smerf_run run;
    smerf_scores scores = SMERF_INIT(smerf_scores);
    bool out_of_bag = cli_has(args, "--oob");
    smerf_request request =
        SMERF_INIT(smerf_request, .rows = rows->items, .columns = columns != NULL ? columns->items : NULL,
                   .out_of_bag = out_of_bag, .oob_rule = rule);
    smerf_status status = cli_read_target(args, rows, columns, out_of_bag, &truth, error);
    if (status == SMERF_OK) status = cli_start_run(args, "evaluating", &run, &follow, error);
    if (status == SMERF_OK) {
        status = smerf_evaluate(model, &request, truth.target, metrics->set, &run, &scores, error);
        cli_stop_following(&follow);
    }
    if (status == SMERF_OK) {
        for (unsigned m = 0; m < SMERF_N_METRICS; m++)
            if (scores.metrics & SMERF_HAS(m)) want(metrics, m);
        status = put_scores(args, &scores, metrics, &truth, error);
    }
    if (status == SMERF_OK) {
        cli_compare_similarities(args, model, &truth);
    }
    cli_free_target(&truth);
    return status;
}

static smerf_status run_evaluate(const cli_args *args, smerf_error *error) {
    smerf_model *model = NULL;
    cli_items rows = {0}, columns = {0};
    smerf_oob_rule rule;
    wanted metrics;
    bool has_columns = cli_has(args, "--against");
    if (has_columns && cli_has(args, "--oob"))
        return cli_fail(args, error, "--oob and --against exclude each other: out of bag is about training items");
    if (cli_has(args, "--oob-rule") && !cli_has(args, "--oob"))
        return cli_fail(args, error, "--oob-rule goes with --oob");
    smerf_status status = cli_read_oob_rule(args, &rule, error);
    if (status == SMERF_OK) status = read_metrics(args, &metrics, error);
    if (status == SMERF_OK) status = smerf_model_load(args->words[0], &model, error);
    if (status == SMERF_OK) status = cli_read_known_items(args, model, args->words[1], &rows, error);
    if (status == SMERF_OK && has_columns)
        status = cli_read_known_items(args, model, cli_get(args, "--against"), &columns, error);
    if (status == SMERF_OK) status = score(args, model, &rows, has_columns ? &columns : NULL, rule, &metrics, error);
    cli_free_items(&rows);
    cli_free_items(&columns);
    smerf_model_free(model);
    return status;
}

static const char *const examples[] = {
    "smerf evaluate model.smerf items.csv --oob",
    "smerf evaluate model.smerf new.csv --distances new-distances.npy",
    NULL,
};

const cli_command cli_evaluate = {.name = "evaluate",
                                  .usage = "evaluate MODEL ITEMS [--against ITEMS2] TARGET [--oob] [--metrics LIST]",
                                  .summary =
                                      "how good predicted distances are: rmse, spearman, map@10, auc-roc, auc-pr",
                                  .fewest_words = 2,
                                  .most_words = 2,
                                  .option_groups = options,
                                  .examples = examples,
                                  .run = run_evaluate};
