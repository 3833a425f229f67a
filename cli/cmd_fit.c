/* cmd_fit.c - smerf fit ITEMS TARGET -o MODEL */
#include <math.h>
#include <stdio.h>

#include "commands.h"
#include "common.h"
#include "fit_options.h"

static const cli_option own_options[] = {
    {"-o", "MODEL", "where the model goes (required, but for --estimate)"},
    {"--estimate", NULL, "only tells how long it would take, and how much memory; nothing is written"},
    {"--json", NULL, "what is estimated as JSON"},
    {0},
};

static const cli_option *const options[] = {own_options,      cli_target_options,  cli_fit_options,
                                            cli_item_options, cli_general_options, NULL};

/* How many trees in what time, and what was done about missing pairs; or by which method. */
static const char *say_how(const smerf_model *model, const smerf_options *chosen, double seconds, char text[120]) {
    smerf_description description = SMERF_INIT(smerf_description);
    char trees[40];
    smerf_model_describe(model, &description, NULL);
    if (chosen->method != SMERF_METHOD_FOREST)
        snprintf(text, 120, "method %s in %.1f s", description.method, seconds);
    else if (description.options->complete > 0)
        snprintf(text, 120, "%s in %.1f s, missing pairs filled in at rank %zu",
                 cli_count(chosen->n_trees, "tree", trees), seconds, description.options->complete);
    else
        snprintf(text, 120, "%s in %.1f s", cli_count(chosen->n_trees, "tree", trees), seconds);
    return text;
}

/* What another method tells of its result, on one line: whether it is optimal, how far its chains are apart. */
static void tell_diagnostics(const cli_args *args, const smerf_model *model) {
    char line[600];
    size_t at = 0;
    for (size_t k = 0; k < smerf_model_n_diagnostics(model) && at < sizeof line; k++) {
        double value;
        const char *name = smerf_model_diagnostic(model, k, &value);
        bool is_count = value == floor(value) && fabs(value) < 1e15; /* 15750, and not 1.575e+04 */
        int n =
            snprintf(line + at, sizeof line - at, is_count ? "%s%s %.0f" : "%s%s %.4g", k > 0 ? ", " : "", name, value);
        if (n > 0) at += (size_t)n;
    }
    if (at > 0) cli_say(args, "%s", line);
}

static void tell_unit(const cli_args *args, const smerf_model *model) {
    smerf_description about = SMERF_INIT(smerf_description);
    smerf_model_describe(model, &about, NULL);
    if (about.are_log_odds)
        cli_say(args, "distances are in log-odds: i is nearer to an anchor than j with the odds exp(d(anchor, j) - "
                      "d(anchor, i))");
}

static smerf_status grow(const cli_args *args, const cli_items *items, const cli_target *target,
                         const smerf_options *chosen, smerf_error *error) {
    cli_follow follow;
    smerf_run run;
    smerf_model *model = NULL;
    char rows[40], columns[40], how[120];
    bool is_forest = chosen->method == SMERF_METHOD_FOREST;
    smerf_status status = cli_start_run(args, is_forest ? "growing trees" : "learning", &run, &follow, error);
    if (status == SMERF_OK) status = cli_read_kernels(args, &run, error);
    if (status != SMERF_OK) return status;
    status = smerf_fit(items->items, target->target, chosen, &run, &model, error);
    cli_stop_following(&follow);
    if (status != SMERF_OK) cli_name_option(args, error);
    if (status == SMERF_OK) status = smerf_model_save(model, cli_get(args, "-o"), error);
    if (status == SMERF_OK)
        cli_say(args, "learned from %s with %s: %s, written to %s", cli_count(items->table.n_rows, "item", rows),
                cli_count(items->table.n_columns, "feature", columns),
                say_how(model, chosen, cli_clock() - follow.started, how), cli_output_name(cli_get_output(args)));
    if (status == SMERF_OK) tell_diagnostics(args, model);
    if (status == SMERF_OK) tell_unit(args, model);
    smerf_model_free(model);
    return status;
}

/* ---- the cost beforehand ---- */

/* "less than 0.1 s", "about 1.4 s", "about 12 min", "about 3.1 h", "about 5.2 days". */
static const char *say_time(double seconds, char text[32]) {
    if (seconds < 0.1)
        snprintf(text, 32, "less than 0.1 s");
    else if (seconds < 100)
        snprintf(text, 32, seconds < 10 ? "about %.1f s" : "about %.0f s", seconds);
    else if (seconds < 6000)
        snprintf(text, 32, "about %.0f min", seconds / 60);
    else
        snprintf(text, 32, seconds < 48 * 3600 ? "about %.1f h" : "about %.1f days",
                 seconds / (seconds < 48 * 3600 ? 3600 : 86400));
    return text;
}

/* "850 kB", "12 MB", "3.2 GB". */
static const char *say_bytes(double bytes, char text[24]) {
    const char *unit = bytes < 1e6 ? "kB" : bytes < 1e9 ? "MB" : "GB";
    double number = bytes / (bytes < 1e6 ? 1e3 : bytes < 1e9 ? 1e6 : 1e9);
    snprintf(text, 24, number < 10 ? "%.1f %s" : "%.0f %s", number, unit);
    return text;
}

static void put_estimate(sm_output *output, const smerf_options *chosen, const cli_items *items,
                         const smerf_estimate *estimate) {
    char time[32], memory[24], file[24], all[40];
    if (estimate->n_items_tried == 0) {
        sm_output_print(output, "time and memory of the method '%s' are not known beforehand\n",
                        smerf_method_name(chosen->method));
        return;
    }
    sm_output_print(output, "%s, %s of memory, and a model of %s\n", say_time(estimate->seconds, time),
                    say_bytes(estimate->bytes, memory), say_bytes(estimate->model_bytes, file));
    cli_count(chosen->n_trees, "tree", all);
    if (estimate->n_trees_tried < chosen->n_trees)
        sm_output_print(output, "(found by growing %zu of %s", estimate->n_trees_tried, all);
    else
        sm_output_print(output, "(found by growing all of %s", all);
    if (estimate->n_items_tried < items->table.n_rows)
        sm_output_print(output, " on %zu of %s", estimate->n_items_tried, cli_count(items->table.n_rows, "item", all));
    sm_output_print(output, ")\n");
}

static void put_json_estimate(sm_output *output, const smerf_estimate *estimate) {
    sm_output_print(output, "{\"seconds\": ");
    sm_put_json_number(output, estimate->seconds);
    sm_output_print(output, ", \"bytes\": ");
    sm_put_json_number(output, round(estimate->bytes));
    sm_output_print(output, ", \"model_bytes\": ");
    sm_put_json_number(output, round(estimate->model_bytes));
    sm_output_print(output, ", \"trees_tried\": %zu, \"items_tried\": %zu}\n", estimate->n_trees_tried,
                    estimate->n_items_tried);
}

static smerf_status tell_cost(const cli_args *args, const cli_items *items, const cli_target *target,
                              const smerf_options *chosen, smerf_error *error) {
    cli_follow follow;
    smerf_run run;
    smerf_estimate estimate = SMERF_INIT(smerf_estimate);
    smerf_status status = cli_start_run(args, "estimating", &run, &follow, error);
    if (status == SMERF_OK) status = cli_read_kernels(args, &run, error);
    if (status != SMERF_OK) return status;
    status = smerf_fit_estimate(items->items, target->target, chosen, &run, &estimate, error);
    cli_stop_following(&follow);
    if (status != SMERF_OK) {
        cli_name_option(args, error);
        return status;
    }
    sm_output *output = NULL;
    status = sm_output_open("-", &output, error);
    if (status != SMERF_OK) return status;
    if (cli_has(args, "--json"))
        put_json_estimate(output, &estimate);
    else
        put_estimate(output, chosen, items, &estimate);
    return sm_output_finish(output, error);
}

static smerf_status run_fit(const cli_args *args, smerf_error *error) {
    cli_items items = {0};
    cli_target target = {0};
    smerf_options chosen;
    smerf_baseline_options baselines;
    bool only_tells = cli_has(args, "--estimate");
    if (!only_tells && cli_get_output(args) == NULL)
        return cli_fail(args, error, "-o MODEL is missing: where shall the model go?");
    if (!only_tells && cli_has(args, "--json")) return cli_fail(args, error, "--json goes with --estimate");
    smerf_status status = cli_read_fit_options(args, &chosen, &baselines, error);
    if (status == SMERF_OK) status = cli_check_target_options(args, false, error);
    if (status == SMERF_OK && cli_get_output(args) != NULL) status = sm_output_check(cli_get_output(args), error);
    if (status == SMERF_OK) status = cli_read_items(args, args->words[0], &items, error);
    if (status == SMERF_OK) status = cli_read_target(args, &items, NULL, false, &target, error);
    if (status == SMERF_OK) status = (only_tells ? tell_cost : grow)(args, &items, &target, &chosen, error);
    cli_free_target(&target);
    cli_free_items(&items);
    return status;
}

static const char *const examples[] = {
    "smerf fit items.csv --distances distances.npy -o model.smerf",
    "smerf fit animals.csv --labels kind --sample none -o animals.smerf",
    "smerf fit items.csv --distances distances.npy --estimate",
    "smerf fit items.csv --triplets triplets.csv --method mahalanobis -o judged.smerf",
    NULL,
};

const cli_command cli_fit = {.name = "fit",
                             .usage = "fit ITEMS TARGET -o MODEL [OPTIONS]",
                             .summary = "learns a distance",
                             .fewest_words = 1,
                             .most_words = 1,
                             .option_groups = options,
                             .output = CLI_MODEL,
                             .examples = examples,
                             .run = run_fit};
