/* cmd_fit.c - smerf fit ITEMS TARGET -o MODEL */
#include <stdio.h>

#include "commands.h"
#include "common.h"
#include "fit_options.h"

static const cli_option own_options[] = {{"-o", "MODEL", "where the model goes (required)"}, {0}};

static const cli_option *const options[] = {own_options,      cli_target_options,  cli_fit_options,
                                            cli_item_options, cli_general_options, NULL};

/* How many trees in what time, and what was done about missing pairs; or by which method. */
static const char *say_how(const smerf_model *model, const smerf_options *chosen, double seconds, char text[120]) {
    smerf_description description;
    char trees[40];
    smerf_model_describe(model, &description);
    if (chosen->method != SMERF_METHOD_FOREST)
        snprintf(text, 120, "method %s in %.1f s", description.method, seconds);
    else if (description.options.complete > 0)
        snprintf(text, 120, "%s in %.1f s, missing pairs filled in at rank %zu",
                 cli_count(chosen->n_trees, "tree", trees), seconds, description.options.complete);
    else
        snprintf(text, 120, "%s in %.1f s", cli_count(chosen->n_trees, "tree", trees), seconds);
    return text;
}

/* What another method tells of its result, on one line: whether it is optimal, how far its chains are apart. */
static void tell_findings(const cli_args *args, const smerf_model *model) {
    char line[600];
    size_t at = 0;
    for (size_t k = 0; k < smerf_model_n_findings(model) && at < sizeof line; k++) {
        double value;
        const char *name = smerf_model_finding(model, k, &value);
        int n = snprintf(line + at, sizeof line - at, "%s%s %.4g", k > 0 ? ", " : "", name, value);
        if (n > 0) at += (size_t)n;
    }
    if (at > 0) cli_say(args, "%s", line);
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
    if (status == SMERF_OK) cli_tell_target(args, target);
    if (status == SMERF_OK)
        cli_say(args, "learned from %s with %s: %s, written to %s", cli_count(items->table.n_rows, "item", rows),
                cli_count(items->table.n_columns, "feature", columns),
                say_how(model, chosen, cli_clock() - follow.started, how), cli_output_name(cli_get_output(args)));
    if (status == SMERF_OK) tell_findings(args, model);
    smerf_model_free(model);
    return status;
}

static smerf_status run_fit(const cli_args *args, smerf_error *error) {
    cli_items items = {0};
    cli_target target = {0};
    smerf_options chosen;
    if (cli_get_output(args) == NULL) return cli_fail(args, error, "-o MODEL is missing: where shall the model go?");
    smerf_status status = cli_read_fit_options(args, &chosen, error);
    if (status == SMERF_OK) status = cli_check_target_options(args, false, error);
    if (status == SMERF_OK) status = sm_output_check(cli_get_output(args), error);
    if (status == SMERF_OK) status = cli_read_items(args, args->words[0], &items, error);
    if (status == SMERF_OK) status = cli_read_target(args, &items, NULL, false, &target, error);
    if (status == SMERF_OK) status = grow(args, &items, &target, &chosen, error);
    cli_free_target(&target);
    cli_free_items(&items);
    return status;
}

const cli_command cli_fit = {.name = "fit",
                             .usage = "fit ITEMS TARGET -o MODEL [OPTIONS]",
                             .summary = "learns a distance",
                             .fewest_words = 1,
                             .most_words = 1,
                             .option_groups = options,
                             .run = run_fit};
