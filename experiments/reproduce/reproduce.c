/* reproduce.c - the paper's experiments: smerf-reproduce simulations|importance|convergence|networks -o DIR */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "folder.h"
#include "interrupt.h"
#include "io/text/text.h"
#include "program.h"
#include "reproduce.h"

static const cli_option own_options[] = {
    {"-o", "DIR", "where tables and pictures go (required); made if it is not there"},
    {"--quick", NULL, "fewer sizes, repeats and trees: to have a look, not to quote"},
    {"--data", "DIR", "networks: the folder with lazega-cowork, facebook-ego and nips234 (required there)"},
    {"--methods", "LIST", "only these, separated by commas"},
    {"--sizes", "LIST", "simulations, convergence: other numbers of items to train on"},
    {"--shares", "LIST", "networks: other shares of the nodes to train on"},
    {"--repeats", "N", "other than the paper's"},
    {"--trees", "B", "other than the paper's"},
    {"--factors", "K", "networks: for epm and narm (default 50 for Lazega, 100 for the others)"},
    {"--burn", "N", "networks: iterations before draws are collected (default 1500)"},
    {"--draws", "N", "networks: iterations that are collected (default 1500)"},
    {"--chains", "N", "networks: chains that are averaged (default 2)"},
    {"--seed", "N", "0 ... 2^63 - 1 (default 1)"},
    {0},
};

static const cli_option *const options[] = {own_options, cli_general_options, NULL};

static const cli_experiment *const experiments[] = {&cli_simulations, &cli_importance_study, &cli_convergence,
                                                    &cli_networks};

enum { N_EXPERIMENTS = sizeof experiments / sizeof *experiments };

/* ---- options ---- */

static smerf_status find_experiment(const cli_args *args, cli_study *study, smerf_error *error) {
    char known[120] = "";
    for (size_t e = 0; e < N_EXPERIMENTS; e++) {
        if (strcmp(args->words[0], experiments[e]->name) == 0) study->experiment = experiments[e];
        size_t n = strlen(known);
        snprintf(known + n, sizeof known - n, "%s%s",
                 e == 0                  ? ""
                 : e + 1 < N_EXPERIMENTS ? ", "
                                         : " or ",
                 experiments[e]->name);
    }
    if (study->experiment != NULL) return SMERF_OK;
    return cli_fail(args, error, "'%s' is not known; it is %s", args->words[0], known);
}

/* Options that are about other experiments. */
static smerf_status check_meaning(const cli_args *args, const cli_experiment *experiment, smerf_error *error) {
    const struct {
        const char *option;
        bool has_meaning;
    } meanings[] = {
        {"--methods", experiment->methods != NULL},
        {"--sizes", experiment->settings_option != NULL && strcmp(experiment->settings_option, "--sizes") == 0},
        {"--shares", experiment->settings_option != NULL && strcmp(experiment->settings_option, "--shares") == 0},
        {"--data", experiment->needs_data},
        {"--factors", experiment->has_samplers},
        {"--burn", experiment->has_samplers},
        {"--draws", experiment->has_samplers},
        {"--chains", experiment->has_samplers}};
    for (size_t k = 0; k < sizeof meanings / sizeof *meanings; k++)
        if (cli_has(args, meanings[k].option) && !meanings[k].has_meaning)
            return cli_fail(args, error, "%s means nothing to '%s'", meanings[k].option, experiment->name);
    if (experiment->needs_data && !cli_has(args, "--data"))
        return cli_fail(args, error, "--data DIR is missing: where are the networks?");
    return SMERF_OK;
}

static smerf_status choose_methods(cli_study *study, smerf_error *error) {
    const cli_args *args = study->args;
    const char *const *methods = study->experiment->methods, *list = cli_get(args, "--methods");
    for (size_t m = 0; methods != NULL && methods[m] != NULL; m++) study->is_wanted[m] = list == NULL;
    if (list == NULL) return SMERF_OK;
    size_t n;
    char **names = cli_split(list, &n);
    if (names == NULL) return cli_no_memory(error, "reading options");
    smerf_status status = SMERF_OK;
    for (size_t k = 0; k < n && status == SMERF_OK; k++) {
        size_t m = 0;
        while (methods[m] != NULL && strcmp(methods[m], names[k]) != 0) m++;
        if (methods[m] != NULL)
            study->is_wanted[m] = true;
        else
            status = cli_fail(args, error, "--methods: '%s' takes no part in '%s'", names[k], study->experiment->name);
    }
    cli_free_list(names);
    return status;
}

/* One value of --sizes or --shares. They must rise, so that a line has a direction. */
static smerf_status add_setting(cli_study *study, const char *text, smerf_error *error) {
    const cli_experiment *experiment = study->experiment;
    double setting;
    if (sm_number_parse(text, strlen(text), &setting) != SM_CELL_NUMBER || setting < experiment->smallest ||
        setting > experiment->largest)
        return cli_fail(study->args, error, "%s: '%s' is not in %g ... %g", experiment->settings_option, text,
                        experiment->smallest, experiment->largest);
    if (experiment->smallest >= 1 && setting != (double)(size_t)setting)
        return cli_fail(study->args, error, "%s: '%s' is not a whole number", experiment->settings_option, text);
    if (study->n_settings > 0 && setting <= study->settings[study->n_settings - 1])
        return cli_fail(study->args, error, "%s: '%s' is not larger than the one before", experiment->settings_option,
                        text);
    if (study->n_settings == CLI_MOST_SETTINGS)
        return cli_fail(study->args, error, "%s: %d will do", experiment->settings_option, CLI_MOST_SETTINGS);
    study->settings[study->n_settings++] = setting;
    return SMERF_OK;
}

static smerf_status choose_settings(cli_study *study, smerf_error *error) {
    const cli_experiment *experiment = study->experiment;
    const char *list = experiment->settings_option != NULL ? cli_get(study->args, experiment->settings_option) : NULL;
    if (list == NULL) {
        const double *settings = study->is_quick ? experiment->quick_settings : experiment->settings;
        while (study->n_settings < CLI_MOST_SETTINGS && settings[study->n_settings] != 0) {
            study->settings[study->n_settings] = settings[study->n_settings];
            study->n_settings++;
        }
        return SMERF_OK;
    }
    size_t n;
    char **texts = cli_split(list, &n);
    if (texts == NULL) return cli_no_memory(error, "reading options");
    smerf_status status = SMERF_OK;
    for (size_t k = 0; k < n && status == SMERF_OK; k++) status = add_setting(study, texts[k], error);
    cli_free_list(texts);
    return status;
}

static smerf_status read_numbers(cli_study *study, smerf_error *error) {
    const cli_experiment *experiment = study->experiment;
    const cli_args *args = study->args;
    study->seed = 1;
    study->n_repeats = study->is_quick ? experiment->n_quick_repeats : experiment->n_repeats;
    study->n_trees = study->is_quick ? experiment->n_quick_trees : experiment->n_trees;
    smerf_status status = cli_get_size(args, "--repeats", 1, &study->n_repeats, error);
    if (status == SMERF_OK) status = cli_get_size(args, "--trees", 1, &study->n_trees, error);
    if (status == SMERF_OK) status = cli_get_size(args, "--factors", 1, &study->n_factors, error);
    if (status == SMERF_OK) status = cli_get_size(args, "--burn", 1, &study->n_burn, error);
    if (status == SMERF_OK) status = cli_get_size(args, "--draws", 1, &study->n_draws, error);
    if (status == SMERF_OK) status = cli_get_size(args, "--chains", 1, &study->n_chains, error);
    if (status == SMERF_OK) status = cli_get_size(args, "--seed", 0, &study->seed, error);
    if (status != SMERF_OK) return status;
    if (study->seed > INT64_MAX) return cli_fail(args, error, "--seed '%zu' is not in 0 ... 2^63 - 1", study->seed);
    if (study->n_repeats > SM_MOST_REPEATS)
        return cli_fail(args, error, "--repeats %zu is above %d", study->n_repeats, SM_MOST_REPEATS);
    return SMERF_OK;
}

static smerf_status read_options(const cli_args *args, cli_study *study, smerf_error *error) {
    *study = (cli_study){.args = args, .folder = cli_get_output(args), .data = cli_get(args, "--data")};
    study->is_quick = cli_has(args, "--quick");
    smerf_status status = find_experiment(args, study, error);
    if (status == SMERF_OK) status = check_meaning(args, study->experiment, error);
    if (status == SMERF_OK) status = choose_methods(study, error);
    if (status == SMERF_OK) status = choose_settings(study, error);
    if (status == SMERF_OK) status = read_numbers(study, error);
    if (status != SMERF_OK) return status;
    if (study->folder == NULL) return cli_fail(args, error, "-o DIR is missing: where shall the results go?");
    if (strcmp(study->folder, "-") == 0) return cli_fail(args, error, "-o - will not do: several files need a folder");
    return SMERF_OK;
}

/* ---- the work ---- */

/* A study takes minutes or hours: whether its results can be written is found out before. */
static smerf_status prepare_folder(const cli_study *study, bool *is_new, smerf_error *error) {
    struct stat found;
    *is_new = stat(study->folder, &found) != 0;
    smerf_status status = cli_make_folder(study->folder, 0, "the results", error);
    if (status == SMERF_OK) {
        sm_output *output;
        status = cli_open_in(study->folder, study->experiment->name, &output, error);
        if (status == SMERF_OK) sm_output_abandon(output);
    }
    return status;
}

static smerf_status run_study(cli_study *study, smerf_error *error) {
    study->measured.at_name = study->experiment->at_name;
    smerf_status status = cli_start_run(study->args, study->experiment->name, &study->outer, &study->follow, error);
    if (status == SMERF_OK) {
        study->run = study->outer;
        study->run.progress = cli_study_follow;
        study->run.context = study;
        status = study->experiment->run(study, error);
    }
    cli_stop_following(&study->follow);
    sm_measurements_free(&study->measured);
    sm_chart_forget_fonts();
    return status;
}

static smerf_status run_reproduce(const cli_args *args, smerf_error *error) {
    cli_study study;
    bool is_new = false;
    smerf_status status = read_options(args, &study, error);
    if (status == SMERF_OK) status = prepare_folder(&study, &is_new, error);
    if (status == SMERF_OK) status = run_study(&study, error);
    if (status != SMERF_OK && is_new) rmdir(study.folder); /* fails where there is something in it, as it should */
    if (status == SMERF_OK)
        cli_say(args, "%s: tables and pictures in %s, %.0f s", study.experiment->name, study.folder,
                cli_clock() - study.follow.started);
    return status;
}

static const cli_command reproduce = {.program = "smerf-reproduce",
                                      .name = "",
                                      .usage = "simulations|importance|convergence|networks -o DIR [OPTIONS]",
                                      .summary = "the paper's experiments: tables and pictures",
                                      .fewest_words = 1,
                                      .most_words = 1,
                                      .option_groups = options,
                                      .output = CLI_FOLDER,
                                      .run = run_reproduce};

int main(int n, char **words) {
    cli_catch_interrupts();
    return cli_close_output(reproduce.program, cli_run_command(&reproduce, n - 1, words + 1));
}
