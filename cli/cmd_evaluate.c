/* cmd_evaluate.c - smerf evaluate MODEL ITEMS [--against ITEMS2] [TARGET] [--oob] [--metrics LIST] */
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "evaluate.h"
#include "fit_options.h"

static const cli_option own_options[] = {
    {"--against", "ITEMS2", "over the pairs between ITEMS and these"},
    {"--oob", NULL, "out of bag; without a target: against the distances the model was trained on"},
    {"--oob-rule", "RULE", "both or either (default: as fitted)"},
    {"--metrics", "LIST", "the scores that are wanted, of those below (default: those that the target has)"},
    {"-k", "K", "recall@k and ndcg@k, which --metrics may name, too: for this k (default 10)"},
    {"--permutations", "N", "Mantel's test of the correlations over all pairs, by N permutations of the items"},
    {"--seed", "N", "of the permutations (default 1)"},
    {"--confusion", "FILE", "labels: how many items of each are predicted to have which, as CSV"},
    {"--json", NULL, "as JSON, with what chance gives, and why a score is not there"},
    {"-o", "FILE", "where the scores go (default: standard output)"},
    {"--id", "COLUMN", "names the items (default: as in training, or a column called 'id')"},
    {"", NULL, "Scores of pairs (docs/scores.md); the usual ones first:"},
    {"", NULL, "  rmse                root of the mean squared error of the distances"},
    {"", NULL, "  spearman            rank correlation of an item's distances, mean over the items"},
    {"", NULL, "  map@10              average precision of the ten nearest, mean over the items"},
    {"", NULL, "  auc-roc, auc-pr     areas under curves, of graphs and labels: near pairs are links"},
    {"", NULL, "  rmse-of-the-mean    the RMSE of guessing the mean distance for every pair"},
    {"", NULL, "  variance-explained  1 - (rmse / rmse-of-the-mean)^2"},
    {"", NULL, "  recall@k            the fraction of the k nearest that is among the k predicted to be"},
    {"", NULL, "  ndcg@k              the same, where the nearest of all counts most"},
    {"", NULL, "  mantel-pearson, mantel-spearman      correlation over all pairs at once"},
    {"", NULL, "  mantel-pearson-p, mantel-spearman-p  their p-values, with --permutations"},
    {"", NULL, "  ceiling-rmse, ceiling-spearman       of a perfect prediction, with --judge"},
    {"", NULL, "With --triplets (docs/triplets.md):"},
    {"", NULL, "  in-order            the fraction of comparisons that have the answer of the triplets; 0.5 by chance"},
    {"", NULL, "  standard-error      of that"},
    {"", NULL, "  log-loss            of a model that has learned from triplets; 0.6931 by chance"},
    {"", NULL, "Scores of items, for a forest fitted on labels or a response:"},
    {"", NULL, "  accuracy, log-loss  of predicted labels"},
    {"", NULL, "  r2                  of a predicted response"},
    {0},
};

static const cli_option *const options[] = {own_options, cli_target_options, cli_general_options, NULL};

/* ---- options ---- */

static smerf_status read_metrics(const cli_args *args, cli_evaluation *all, smerf_error *error) {
    const char *text = cli_get(args, "--metrics");
    if (text == NULL) return SMERF_OK;
    size_t n;
    char **names = cli_split(text, &n);
    smerf_status status = SMERF_OK;
    all->are_named = true;
    for (size_t i = 0; i < n && names != NULL && status == SMERF_OK; i++) {
        unsigned id = cli_find_score(all, names[i]);
        if (id == CLI_N_SCORES)
            status =
                cli_fail(args, error,
                         "--metrics '%s' is not one of rmse, spearman, map@10, auc-roc, auc-pr, rmse-of-the-mean, "
                         "variance-explained, recall@k, ndcg@k (one k for both), mantel-pearson, mantel-pearson-p, "
                         "mantel-spearman, mantel-spearman-p, accuracy, log-loss, r2, ceiling-rmse, ceiling-spearman",
                         names[i]);
        else
            cli_want_score(all, id);
    }
    cli_free_list(names);
    return status;
}

static smerf_status check_permutations(const cli_args *args, const cli_evaluation *all, smerf_error *error) {
    bool wants_p = (all->wanted & (SMERF_HAS(CLI_MANTEL_PEARSON_P) | SMERF_HAS(CLI_MANTEL_SPEARMAN_P))) != 0;
    if (wants_p && all->n_permutations == 0)
        return cli_fail(args, error, "--metrics: a p-value needs --permutations N, such as 999");
    if (all->n_permutations > 0 && cli_has(args, "--against"))
        return cli_fail(args, error,
                        "--permutations and --against exclude each other: Mantel's test is about one set of "
                        "items");
    if (all->n_permutations > UINT32_MAX)
        return cli_fail(args, error, "--permutations %zu is above 2^32 - 1", all->n_permutations);
    if (all->seed > INT64_MAX) return cli_fail(args, error, "--seed '%zu' is not in 0 ... 2^63 - 1", all->seed);
    return SMERF_OK;
}

static smerf_status read_wanted(const cli_args *args, cli_evaluation *all, smerf_error *error) {
    all->seed = 1;
    smerf_status status = cli_get_size(args, "-k", 1, &all->n_nearest, error);
    if (status == SMERF_OK && all->n_nearest > UINT32_MAX)
        status = cli_fail(args, error, "-k %zu is above 2^32 - 1", all->n_nearest);
    if (status == SMERF_OK) status = cli_get_size(args, "--permutations", 1, &all->n_permutations, error);
    if (status == SMERF_OK) status = cli_get_size(args, "--seed", 0, &all->seed, error);
    if (status == SMERF_OK) status = read_metrics(args, all, error);
    return status == SMERF_OK ? check_permutations(args, all, error) : status;
}

/* ---- the column of labels or a response, found by itself ---- */

/* The target that the model was trained on as an option of the call, where it was columns of the items. */
typedef struct own_target {
    cli_args args; /* those of the call, and the option */
    cli_option option;
    sm_table_spec spec; /* its columns, which the items may not have */
} own_target;

/* False: the call has a target, needs none, or the model was trained on none of columns. */
static bool find_own_target(const cli_args *args, const smerf_model *model, own_target *own) {
    static const char *const names[][2] = {
        {"labels", "--labels"}, {"response", "--response"}, {"absolute", "--absolute"}, {"product", "--product"}};
    smerf_description about = SMERF_INIT(smerf_description);
    smerf_model_describe(model, &about, NULL);
    if (cli_has_target(args) || cli_has(args, "--oob") || args->n_given == CLI_MOST_OPTIONS) return false;
    *own = (own_target){.args = *args,
                        .spec = {.targets = about.target_columns,
                                 .n_targets = about.n_target_columns,
                                 .targets_are_labels = strcmp(about.target, "labels") == 0,
                                 .targets_may_be_absent = true}};
    for (size_t k = 0; k < sizeof names / sizeof *names && about.n_target_columns > 0; k++)
        if (strcmp(about.target, names[k][0]) == 0) own->option.name = names[k][1];
    own->args.given[own->args.n_given] = &own->option;
    own->args.seconds[own->args.n_given] = "";
    own->args.values[own->args.n_given++] = ""; /* the columns have been read */
    return own->option.name != NULL;
}

static smerf_status read_own_target(const own_target *own, const smerf_model *model, const char *path, cli_items *items,
                                    smerf_error *error) {
    smerf_status status = cli_read_known_items_and(&own->args, model, path, &own->spec, items, error);
    if (status != SMERF_OK || items->table.n_targets == own->spec.n_targets) return status;
    size_t missing = 0;
    while (missing < items->table.n_targets &&
           strcmp(items->table.targets[missing].name, own->spec.targets[missing]) == 0)
        missing++;
    status = cli_fail(&own->args, error,
                      "there is no target: %.120s has no column '%.60s', which the model was trained on; else give one "
                      "of --distances, --similarities, --pairs, --edges, --labels, --response, --absolute, --product",
                      path, own->spec.targets[missing]);
    cli_free_items(items);
    return status;
}

/* ---- the work ---- */

static bool are_labels(const smerf_model *model) {
    smerf_description about = SMERF_INIT(smerf_description);
    smerf_model_describe(model, &about, NULL);
    return strcmp(about.target, "labels") == 0;
}

/* Whether the truth is what the model predicts of single items. */
static bool has_item_truth(const cli_args *args, const smerf_model *model, bool is_square) {
    if (!is_square || smerf_model_n_values(model) == 0) return false;
    if (!cli_has_target(args)) return cli_has(args, "--oob");
    return cli_has(args, are_labels(model) ? "--labels" : "--response");
}

static smerf_status find_and_put(const cli_args *args, const cli_items *rows, const smerf_request *request,
                                 const cli_target *truth, cli_evaluation *all, smerf_error *error) {
    bool has_items = has_item_truth(args, all->model, request->columns == NULL);
    if (cli_has(args, "--confusion") && !(has_items && are_labels(all->model)))
        return cli_fail(args, error, "--confusion needs a forest fitted on labels, and those of ITEMS");
    smerf_status status = cli_find_scores(args, request, truth, has_items, all, error);
    if (status != SMERF_OK) return status;
    status = cli_put_scores(args, all, error);
    if (status == SMERF_OK && cli_has(args, "--confusion")) status = cli_put_confusion(args, all, error);
    if (status != SMERF_OK) return status;
    cli_compare_similarities(args, all->model, truth);
    cli_tell_scores(args, all);
    if (request->columns == NULL) cli_tell_if_trained_on(args, all->model, rows, "the scores are");
    return SMERF_OK;
}

static smerf_status score(const cli_args *args, const cli_items *rows, const cli_items *columns, smerf_oob_rule rule,
                          cli_evaluation *all, smerf_error *error) {
    cli_target truth = {0};
    bool out_of_bag = cli_has(args, "--oob");
    smerf_request request =
        SMERF_INIT(smerf_request, .rows = rows->items, .columns = columns != NULL ? columns->items : NULL,
                   .out_of_bag = out_of_bag, .oob_rule = rule);
    smerf_status status = cli_read_target(args, rows, columns, out_of_bag, &truth, error);
    if (status == SMERF_OK && cli_has(args, "--triplets")) {
        status = cli_score_triplets(args, &request, &truth, all->model, error);
        if (status == SMERF_OK) cli_tell_if_trained_on(args, all->model, rows, "the scores are");
    } else if (status == SMERF_OK) {
        status = find_and_put(args, rows, &request, &truth, all, error);
    }
    cli_free_target(&truth);
    return status;
}

static smerf_status read_and_score(const cli_args *args, smerf_oob_rule rule, cli_evaluation *all, smerf_error *error) {
    cli_items rows = {0}, columns = {0};
    own_target own;
    const char *against = cli_get(args, "--against");
    bool is_own = find_own_target(args, all->model, &own);
    smerf_status status = is_own ? read_own_target(&own, all->model, args->words[1], &rows, error)
                                 : cli_read_known_items(args, all->model, args->words[1], &rows, error);
    if (status == SMERF_OK && against != NULL)
        status = is_own ? read_own_target(&own, all->model, against, &columns, error)
                        : cli_read_known_items(args, all->model, against, &columns, error);
    if (status == SMERF_OK)
        status = score(is_own ? &own.args : args, &rows, against != NULL ? &columns : NULL, rule, all, error);
    cli_free_items(&rows);
    cli_free_items(&columns);
    return status;
}

static smerf_status run_evaluate(const cli_args *args, smerf_error *error) {
    smerf_model *model = NULL;
    smerf_oob_rule rule;
    cli_evaluation all = {0};
    if (cli_has(args, "--against") && cli_has(args, "--oob"))
        return cli_fail(args, error, "--oob and --against exclude each other: out of bag is about training items");
    if (cli_has(args, "--oob-rule") && !cli_has(args, "--oob"))
        return cli_fail(args, error, "--oob-rule goes with --oob");
    const char *table = cli_get(args, "--confusion"), *scores = cli_get_output(args);
    if (table != NULL && strcmp(table, "-") == 0 && (scores == NULL || strcmp(scores, "-") == 0))
        return cli_fail(args, error,
                        "--confusion - and the scores would both go to standard output: -o FILE parts them");
    smerf_status status = cli_check_triplet_options(args, error);
    if (status == SMERF_OK) status = cli_read_oob_rule(args, &rule, error);
    if (status == SMERF_OK) status = read_wanted(args, &all, error);
    if (status == SMERF_OK) status = smerf_model_load(args->words[0], &model, error);
    all.model = model;
    if (status == SMERF_OK) status = read_and_score(args, rule, &all, error);
    cli_free_evaluation(&all);
    smerf_model_free(model);
    return status;
}

static const char *const examples[] = {
    "smerf evaluate model.smerf items.csv --oob",
    "smerf evaluate model.smerf new.csv --distances new-distances.npy",
    "smerf evaluate model.smerf items.csv --triplets triplets.csv",
    NULL,
};

const cli_command cli_evaluate = {.name = "evaluate",
                                  .usage = "evaluate MODEL ITEMS [--against ITEMS2] [TARGET] [--oob] [--metrics LIST]",
                                  .summary = "how good predicted distances are, and what scores are worth",
                                  .fewest_words = 2,
                                  .most_words = 2,
                                  .option_groups = options,
                                  .examples = examples,
                                  .run = run_evaluate};
