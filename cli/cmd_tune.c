/* cmd_tune.c - smerf tune ITEMS TARGET --metric M -o MODEL */

#include <string.h>

#include "commands.h"
#include "common.h"
#include "fit_options.h"
#include "io/text/text.h"
#include "smerf_study.h"

static const cli_option own_options[] = {
    {"-o", "MODEL", "where the best model goes (required)"},
    {"--metric", "NAME", "out-of-bag score to choose by: rmse (default), spearman, map@10, auc-roc, auc-pr"},
    {"--json", NULL, "what was tried as JSON"},
    {0},
};

static const cli_option *const options[] = {own_options,      cli_target_options,  cli_fit_options,
                                            cli_item_options, cli_general_options, NULL};

/* Everything that was tried, to be printed when the best is known. */
typedef struct record {
    smerf_trial trials[128];
    smerf_options options[128]; /* of the trials */
    bool varies_self;
    size_t n;
} record;

static void remember(void *context, const smerf_trial *trial) {
    record *tried = context;
    if (tried->n == sizeof tried->trials / sizeof *tried->trials) return;
    tried->options[tried->n] = *trial->options;
    tried->trials[tried->n] = *trial;
    tried->trials[tried->n].options = &tried->options[tried->n];
    tried->n++;
}

static void put_json_trial(sm_output *output, const smerf_trial *trial, const record *tried, smerf_metric metric) {
    char self[SM_NUMBER_SPACE];
    sm_output_print(output, "{\"splits\": \"%s\", \"candidates\": %zu, \"min_parent\": %zu, ",
                    cli_splits_name(trial->options->splits), trial->options->candidates, trial->options->min_parent);
    if (tried->varies_self) { /* a number is one here, as in smerf info --json */
        const char *quote = trial->options->self_distance == SMERF_SELF_VALUE ? "" : "\"";
        sm_output_print(output, "\"self_distance\": %s%s%s, ", quote, cli_self_name(trial->options, self), quote);
    }
    sm_output_print(output, "\"%s\": ", smerf_metric_name(metric));
    sm_put_json_number(output, trial->score);
    sm_output_print(output, "}");
}

static void put_json(sm_output *output, const record *tried, const smerf_trial *best, smerf_metric metric) {
    sm_output_print(output, "{\"tried\": [");
    for (size_t i = 0; i < tried->n; i++) {
        sm_output_print(output, i == 0 ? "\n  " : ",\n  ");
        put_json_trial(output, &tried->trials[i], tried, metric);
    }
    sm_output_print(output, "],\n \"best\": ");
    put_json_trial(output, best, tried, metric);
    sm_output_print(output, "}\n");
}

static void put_table(sm_output *output, const record *tried, const smerf_trial *best, smerf_metric metric) {
    sm_output_print(output, "splits   candidates  min-parent  %s%s\n", tried->varies_self ? "self-distance  " : "",
                    smerf_metric_name(metric));
    for (size_t i = 0; i < tried->n; i++) {
        const smerf_trial *trial = &tried->trials[i];
        char self[SM_NUMBER_SPACE];
        sm_output_print(output, "%-7s  %10zu  %10zu  ", cli_splits_name(trial->options->splits),
                        trial->options->candidates, trial->options->min_parent);
        if (tried->varies_self) sm_output_print(output, "%-13s  ", cli_self_name(trial->options, self));
        sm_output_print(output, "%.6g%s\n", trial->score, trial->number == best->number ? "  <- best" : "");
    }
}

static smerf_status put_result(const cli_args *args, const record *tried, const smerf_trial *best, smerf_metric metric,
                               smerf_error *error) {
    sm_output *output;
    smerf_status status = sm_output_open("-", &output, error);
    if (status != SMERF_OK) return status;
    if (cli_has(args, "--json"))
        put_json(output, tried, best, metric);
    else
        put_table(output, tried, best, metric);
    return sm_output_finish(output, error);
}

static smerf_status search(const cli_args *args, const cli_items *items, const cli_target *target, smerf_metric metric,
                           const smerf_options *chosen, smerf_error *error) {
    cli_follow follow;
    smerf_run run;
    smerf_tuned best = SMERF_INIT(smerf_tuned);
    record tried = {.n = 0};
    char settings[40];
    const smerf_tuning tuning = {.size = sizeof tuning,
                                 .metric = metric,
                                 .vary_candidates = !cli_has(args, "--candidates"),
                                 .vary_min_parent = !cli_has(args, "--min-parent"),
                                 .vary_splits = !cli_has(args, "--splits"),
                                 .vary_self = cli_has(args, "--edges") && !cli_has(args, "--self-distance"),
                                 .tried = remember,
                                 .context = &tried};
    tried.varies_self = tuning.vary_self;
    smerf_status status = cli_start_run(args, "trying settings", &run, &follow, error);
    if (status == SMERF_OK) status = cli_read_kernels(args, &run, error);
    if (status != SMERF_OK) return status;
    status = smerf_tune(items->items, target->target, chosen, &tuning, &run, &best, error);
    cli_stop_following(&follow);
    if (status != SMERF_OK) cli_name_option(args, error);
    if (status == SMERF_OK) status = smerf_model_save(best.model, cli_get(args, "-o"), error);
    if (status == SMERF_OK) status = put_result(args, &tried, &tried.trials[best.number], metric, error);
    if (status == SMERF_OK) cli_tell_target(args, target);
    if (status == SMERF_OK)
        cli_say(args, "tried %s in %.1f s, the best model is in %s", cli_count(tried.n, "setting", settings),
                cli_clock() - follow.started, cli_get(args, "-o"));
    smerf_model_free(best.model);
    return status;
}

static smerf_status run_tune(const cli_args *args, smerf_error *error) {
    cli_items items = {0};
    cli_target target = {0};
    smerf_options chosen;
    smerf_baseline_options baselines;
    const char *names[SMERF_N_METRICS];
    unsigned metric = SMERF_RMSE;
    for (unsigned m = 0; m < SMERF_N_METRICS; m++) names[m] = smerf_metric_name((smerf_metric)m);
    if (cli_get_output(args) == NULL)
        return cli_fail(args, error, "-o MODEL is missing: where shall the best model go?");
    if (strcmp(cli_get_output(args), "-") == 0)
        return cli_fail(args, error, "-o - is taken by the table of what was tried");
    smerf_status status = cli_get_word(args, "--metric", names, SMERF_N_METRICS, &metric, error);
    if (status == SMERF_OK) status = cli_read_fit_options(args, &chosen, &baselines, error);
    if (status == SMERF_OK && chosen.sample == SMERF_NO_SAMPLE)
        status = cli_fail(args, error, "--sample none leaves nothing out of bag to choose by");
    if (status == SMERF_OK) status = cli_check_target_options(args, false, error);
    if (status == SMERF_OK) status = sm_output_check(cli_get_output(args), error);
    if (status == SMERF_OK) status = cli_read_items(args, args->words[0], &items, error);
    if (status == SMERF_OK) status = cli_read_target(args, &items, NULL, false, &target, error);
    if (status == SMERF_OK) status = search(args, &items, &target, (smerf_metric)metric, &chosen, error);
    cli_free_target(&target);
    cli_free_items(&items);
    return status;
}

const cli_command cli_tune = {.name = "tune",
                              .usage = "tune ITEMS TARGET --metric M -o MODEL [OPTIONS]",
                              .summary = "chooses options by out-of-bag score, and learns with the best",
                              .fewest_words = 1,
                              .most_words = 1,
                              .option_groups = options,
                              .run = run_tune};
