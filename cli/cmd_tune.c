/* cmd_tune.c - smerf tune ITEMS TARGET --metric M -o MODEL */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "common.h"
#include "fit_options.h"
#include "grid.h"
#include "interrupt.h"
#include "io/text/text.h"
#include "smerf_study.h"

static const cli_option own_options[] = {
    {"-o", "MODEL", "where the best model goes (required)"},
    {"--metric", "NAME", "out-of-bag score to choose by: rmse (default), spearman, map@10, auc-roc, auc-pr"},
    {"--time", "SECONDS", "stops trying when so many have gone by; one setting is always tried (default: all are)"},
    {"--grid", "VALUES", "what to try: candidates=p^0.5,p;min-parent=2,8 (also splits, self-distance, density)"},
    {"--json", NULL, "what was tried as JSON"},
    {0},
};

static const cli_option *const options[] = {own_options,      cli_target_options,  cli_fit_options,
                                            cli_item_options, cli_general_options, NULL};

/* Everything that was tried, to be printed when the best is known. */
enum { MOST_KEPT = 512 }; /* settings that a grid may have */

typedef struct kept_trials {
    smerf_trial trials[MOST_KEPT];
    smerf_options options[MOST_KEPT]; /* of the trials */
    size_t n;
} kept_trials;

typedef struct record {
    kept_trials tried, too_long, not_tried;
    bool varies_self;
} record;

static void keep_trial(kept_trials *kept, const smerf_trial *trial) {
    if (kept->n == MOST_KEPT) return;
    kept->options[kept->n] = *trial->options;
    kept->trials[kept->n] = *trial;
    kept->trials[kept->n].options = &kept->options[kept->n];
    kept->n++;
}

/* From the first result on, Ctrl-C asks for the best so far. */
static void remember(void *context, const smerf_trial *trial) {
    record *all = context;
    keep_trial(&all->tried, trial);
    if (!isnan(trial->score)) cli_offer_to_stop(true);
}

static void remember_left_out(void *context, const smerf_trial *trial) {
    record *all = context;
    keep_trial(trial->number == trial->n_trials ? &all->too_long : &all->not_tried, trial);
}

static bool is_stopping(void *context) {
    (void)context;
    return cli_is_stopping();
}

static void put_json_setting(sm_output *output, const smerf_trial *trial, const record *all) {
    char self[SM_NUMBER_SPACE];
    sm_output_print(output, "{\"splits\": \"%s\", \"candidates\": %zu, \"min_parent\": %zu",
                    cli_splits_name(trial->options->splits), trial->options->candidates, trial->options->min_parent);
    if (all->varies_self) { /* a number is one here, as in smerf info --json */
        const char *quote = trial->options->self_distance == SMERF_SELF_VALUE ? "" : "\"";
        sm_output_print(output, ", \"self_distance\": %s%s%s", quote, cli_self_name(trial->options, self), quote);
    }
}

static void put_json_trial(sm_output *output, const smerf_trial *trial, const record *all, smerf_metric metric) {
    put_json_setting(output, trial, all);
    sm_output_print(output, ", \"%s\": ", smerf_metric_name(metric));
    sm_put_json_number(output, trial->score);
    sm_output_print(output, "}");
}

static void put_json(sm_output *output, const record *all, const smerf_trial *best, smerf_metric metric) {
    const kept_trials *const left_out[] = {&all->too_long, &all->not_tried};
    size_t n_put = 0;
    sm_output_print(output, "{\"tried\": [");
    for (size_t i = 0; i < all->tried.n; i++) {
        sm_output_print(output, i == 0 ? "\n  " : ",\n  ");
        put_json_trial(output, &all->tried.trials[i], all, metric);
    }
    sm_output_print(output, "],\n");
    for (size_t k = 0; k < 2; k++)
        for (size_t i = 0; i < left_out[k]->n; i++) {
            sm_output_print(output, n_put++ == 0 ? " \"not_tried\": [\n  " : ",\n  ");
            put_json_setting(output, &left_out[k]->trials[i], all);
            sm_output_print(output, "}");
        }
    if (n_put > 0) sm_output_print(output, "],\n");
    sm_output_print(output, " \"best\": ");
    put_json_trial(output, best, all, metric);
    sm_output_print(output, "}\n");
}

static void put_table(sm_output *output, const record *all, const smerf_trial *best, smerf_metric metric) {
    sm_output_print(output, "splits   candidates  min-parent  %s%s\n", all->varies_self ? "self-distance  " : "",
                    smerf_metric_name(metric));
    for (size_t i = 0; i < all->tried.n; i++) {
        const smerf_trial *trial = &all->tried.trials[i];
        char self[SM_NUMBER_SPACE];
        sm_output_print(output, "%-7s  %10zu  %10zu  ", cli_splits_name(trial->options->splits),
                        trial->options->candidates, trial->options->min_parent);
        if (all->varies_self) sm_output_print(output, "%-13s  ", cli_self_name(trial->options, self));
        sm_output_print(output, "%.6g%s\n", trial->score, trial->number == best->number ? "  <- best" : "");
    }
}

static smerf_status put_result(const cli_args *args, const record *all, size_t best, smerf_metric metric,
                               smerf_error *error) {
    sm_output *output;
    smerf_status status = sm_output_open("-", &output, error);
    if (status != SMERF_OK) return status;
    (cli_has(args, "--json") ? put_json : put_table)(output, all, &all->tried.trials[best], metric);
    return sm_output_finish(output, error);
}

/* "axis 20, oblique 3, oblique 5": kinds of splits and candidates, each once; which of their other values is in the JSON. */
static const char *list_left_out(const kept_trials *left_out, char text[200]) {
    size_t n = 0;
    text[0] = '\0';
    for (size_t i = 0; i < left_out->n && n + 60 < 200; i++) {
        const smerf_options *now = &left_out->options[i], *before = i > 0 ? &left_out->options[i - 1] : NULL;
        if (before != NULL && before->splits == now->splits && before->candidates == now->candidates) continue;
        n += (size_t)snprintf(text + n, 200 - n, "%s%s %zu", n > 0 ? ", " : "", cli_splits_name(now->splits),
                              now->candidates);
        if (n + 60 >= 200) snprintf(text + n, 200 - n, " ...");
    }
    return text;
}

static void tell(const cli_args *args, const record *all, double seconds) {
    char settings[40], list[200];
    if (all->too_long.n > 0)
        cli_say(args, "left out, as they would take too long (splits and candidates): %s; --grid tries what you name",
                list_left_out(&all->too_long, list));
    if (all->not_tried.n > 0)
        cli_say(args, "stopped, with %s not tried (splits and candidates): %s",
                cli_count(all->not_tried.n, "setting", settings), list_left_out(&all->not_tried, list));
    cli_say(args, "tried %s in %.1f s, the best model is in %s", cli_count(all->tried.n, "setting", settings), seconds,
            cli_get(args, "-o"));
}

/* ---- the work ---- */

/* What is asked of the search. */
typedef struct plan {
    smerf_options options;
    smerf_baseline_options baselines;
    smerf_boost_options boost;
    unsigned metric;
    double seconds;
    cli_grid grid;
} plan;

static smerf_status search(const cli_args *args, const cli_items *items, const cli_target *target, const plan *wanted,
                           smerf_error *error) {
    cli_follow follow;
    smerf_run run;
    smerf_tuned best = SMERF_INIT(smerf_tuned);
    static record all;
    const smerf_metric metric = (smerf_metric)wanted->metric;
    const smerf_tuning tuning = {.size = sizeof tuning,
                                 .metric = metric,
                                 .vary_candidates = !cli_has(args, "--candidates"),
                                 .vary_min_parent = !cli_has(args, "--min-parent"),
                                 .vary_splits = !cli_has(args, "--splits"),
                                 .vary_self = !cli_has(args, "--self-distance") && !cli_has(args, "--paper"),
                                 .tried = remember,
                                 .context = &all,
                                 .grid = &wanted->grid.grid,
                                 .seconds = wanted->seconds,
                                 .stops = is_stopping,
                                 .left_out = remember_left_out};
    all.varies_self = tuning.vary_self || wanted->grid.grid.n_selves > 0;
    smerf_status status = cli_start_run(args, "trying settings", &run, &follow, error);
    if (status == SMERF_OK) status = cli_read_kernels(args, &run, error);
    if (status != SMERF_OK) return status;
    status = smerf_tune(items->items, target->target, &wanted->options, &tuning, &run, &best, error);
    cli_offer_to_stop(false);
    cli_stop_following(&follow);
    if (status != SMERF_OK) cli_name_option(args, error);
    if (status == SMERF_OK) status = smerf_model_save(best.model, cli_get(args, "-o"), error);
    if (status == SMERF_OK) status = put_result(args, &all, best.number, metric, error);
    if (status == SMERF_OK) tell(args, &all, cli_clock() - follow.started);
    if (status == SMERF_OK) cli_say_shrinkage(args, best.model);
    smerf_model_free(best.model);
    return status;
}

static smerf_status read_plan(const cli_args *args, plan *wanted, smerf_error *error) {
    const char *names[SMERF_N_METRICS];
    for (unsigned m = 0; m < SMERF_N_METRICS; m++) names[m] = smerf_metric_name((smerf_metric)m);
    if (cli_get_output(args) == NULL)
        return cli_fail(args, error, "-o MODEL is missing: where shall the best model go?");
    if (strcmp(cli_get_output(args), "-") == 0)
        return cli_fail(args, error, "-o - is taken by the table of what was tried");
    smerf_status status = cli_get_word(args, "--metric", names, SMERF_N_METRICS, &wanted->metric, error);
    if (status == SMERF_OK) status = cli_get_number(args, "--time", &wanted->seconds, error);
    if (status == SMERF_OK && cli_has(args, "--time") && !(wanted->seconds > 0 && isfinite(wanted->seconds)))
        status = cli_fail(args, error, "--time '%s' is not a number of seconds above 0", cli_get(args, "--time"));
    if (status == SMERF_OK)
        status = cli_read_fit_options(args, &wanted->options, &wanted->baselines, &wanted->boost, error);
    if (status == SMERF_OK) status = cli_read_grid(args, &wanted->grid, error);
    if (status == SMERF_OK && wanted->options.sample == SMERF_NO_SAMPLE)
        status = cli_fail(args, error, "--sample none leaves nothing out of bag to choose by");
    return status;
}

static smerf_status run_tune(const cli_args *args, smerf_error *error) {
    cli_items items = {0};
    cli_target target = {0};
    plan wanted = {.metric = SMERF_RMSE};
    smerf_status status = read_plan(args, &wanted, error);
    if (status == SMERF_OK) status = cli_check_target_options(args, false, error);
    if (status == SMERF_OK) status = sm_output_check(cli_get_output(args), error);
    if (status == SMERF_OK) status = cli_read_items(args, args->words[0], &items, error);
    if (status == SMERF_OK) status = cli_read_target(args, &items, NULL, false, &target, error);
    if (status == SMERF_OK) status = search(args, &items, &target, &wanted, error);
    cli_free_target(&target);
    cli_free_items(&items);
    return status;
}

static const char *const examples[] = {
    "smerf tune items.csv --distances distances.npy -o tuned.smerf",
    "smerf tune animals.csv --labels kind --metric spearman --time 60 --grid \"min-parent=2,8;splits=axis\" -o "
    "tuned.smerf",
    NULL,
};

const cli_command cli_tune = {.name = "tune",
                              .usage = "tune ITEMS TARGET --metric M -o MODEL [OPTIONS]",
                              .summary = "chooses options by out-of-bag score, and learns with the best",
                              .fewest_words = 1,
                              .most_words = 1,
                              .option_groups = options,
                              .output = CLI_MODEL,
                              .examples = examples,
                              .run = run_tune};
