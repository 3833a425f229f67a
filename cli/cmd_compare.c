/* cmd_compare.c - smerf compare ITEMS TARGET: every method on the same data, divided, tuned, learned and scored. */
#include <string.h>

#include "commands.h"
#include "compare.h"

/* Items up to which repeats go on until the methods can be told apart, and how many repeats there may be. */
enum { SMALL_DATA = 200, MOST_REPEATS = 20 };

static const cli_option own_options[] = {
    {"--methods", "LIST", "these methods, by the names that fit --method takes (default: all that can take the data)"},
    {"--repeats", "N", "how often the data are divided anew (default 5; of 200 items at most, up to 20 if need be)"},
    {"--folds", "K", "divide the items into K folds instead, each of which is tested once; --repeats is 1 then"},
    {"--groups", "COLUMN", "items with the same value are never divided; the column is no feature"},
    {"--train", "F", "the fraction of the items to learn from (default 0.7); by pairs: as many pairs as these have"},
    {"--by", "KIND", "nodes (default): test on items never seen; pairs: on other pairs of the same items"},
    {"--tune", "yes|no", "yes (default): choose smerf's options, as tune does; the others have none to choose"},
    {"--metric", "NAME", "out-of-bag score to tune by (default: auc-roc for edges, else rmse)"},
    {"--trees", "B", "smerf, rfd, plugin: how many trees (default 500)"},
    {"--sample-pairs", "N", "rfd: learn from N pairs at most, drawn at random (default 60000)"},
    {"--factors", "K", "epm, narm: the most groups that nodes may belong to (default 50)"},
    {"--burn", "N", "epm, narm: iterations before draws are collected (default 1500)"},
    {"--draws", "N", "epm, narm: iterations that are collected (default 1500)"},
    {"--chains", "N", "epm, narm: chains that start apart and are averaged (default 2)"},
    {"--pairs-a-round", "N", "boost: learn from N pairs at a time, drawn at random (default 60000)"},
    {"--seed", "N", "of the first repeat; each has one more than the one before (default 1)"},
    {"--item-weights", "COLUMN", "weighs items in learning"},
    {"--json", NULL, "as JSON"},
    {"-o", "FILE", "where the result goes (default: standard output)"},
    {0},
};

static const cli_option *const options[] = {own_options, cli_target_options, cli_item_options, cli_general_options,
                                            NULL};

/* ---- options ---- */

static smerf_status read_method(const cli_args *args, const char *name, unsigned *methods, smerf_error *error) {
    for (unsigned m = 0; m < SMERF_N_METHODS; m++) {
        if (strcmp(name, smerf_method_name((smerf_method)m)) != 0) continue;
        *methods |= SMERF_HAS(m);
        return SMERF_OK;
    }
    return cli_fail(args, error,
                    "--methods '%s' is not one of smerf, euclidean, mahalanobis, bilinear, rfd, plugin, epm, narm, "
                    "mean, standardized, gower, boost",
                    name);
}

static smerf_status read_methods(const cli_args *args, unsigned *methods, smerf_error *error) {
    size_t n = 0;
    char **names = cli_has(args, "--methods") ? cli_split(cli_get(args, "--methods"), &n) : NULL;
    smerf_status status = SMERF_OK;
    for (size_t i = 0; i < n && names != NULL && status == SMERF_OK; i++)
        status = read_method(args, names[i], methods, error);
    cli_free_list(names);
    return status;
}

static smerf_status get_count(const cli_args *args, const char *name, size_t *count, smerf_error *error) {
    smerf_status status = cli_get_size(args, name, 1, count, error);
    if (status == SMERF_OK && *count > UINT32_MAX)
        status = cli_fail(args, error, "%s %s is above 2^32 - 1", name, cli_get(args, name));
    return status;
}

static smerf_status read_options(const cli_args *args, cli_comparison *all, smerf_error *error) {
    smerf_options *chosen = &all->options;
    smerf_baseline_options *baselines = &all->baselines;
    const struct {
        const char *name;
        size_t *count;
    } counts[] = {{"--trees", &chosen->n_trees},
                  {"--sample-pairs", &baselines->n_pairs},
                  {"--factors", &baselines->n_factors},
                  {"--burn", &baselines->n_burn},
                  {"--draws", &baselines->n_draws},
                  {"--chains", &baselines->n_chains},
                  {"--pairs-a-round", &all->boost.pairs_a_round}};
    size_t seed = (size_t)chosen->seed;
    smerf_status status = cli_get_size(args, "--seed", 0, &seed, error);
    chosen->seed = seed;
    for (size_t k = 0; k < sizeof counts / sizeof *counts && status == SMERF_OK; k++)
        status = get_count(args, counts[k].name, counts[k].count, error);
    return status;
}

static smerf_status read_folds(const cli_args *args, cli_comparison *all, smerf_error *error) {
    smerf_comparison *plan = &all->plan;
    smerf_status status = cli_get_size(args, "--folds", 2, &plan->n_folds, error);
    if (status == SMERF_OK && plan->n_folds > UINT32_MAX)
        status = cli_fail(args, error, "--folds %zu is above 2^32 - 1", plan->n_folds);
    if (status == SMERF_OK && plan->n_folds > 0 && cli_has(args, "--train"))
        status =
            cli_fail(args, error, "--folds and --train exclude each other: of K folds all but one are learned from");
    if (status == SMERF_OK && plan->by_pairs && (plan->n_folds > 0 || cli_has(args, "--groups")))
        status = cli_fail(args, error, "%s is about items, and --by pairs divides pairs",
                          plan->n_folds > 0 ? "--folds" : "--groups");
    all->repeats_are_given = cli_has(args, "--repeats");
    if (plan->n_folds > 0 && !all->repeats_are_given) plan->n_repeats = 1;
    return status;
}

static smerf_status read_plan(const cli_args *args, cli_comparison *all, smerf_error *error) {
    smerf_comparison *plan = &all->plan;
    static const char *const kinds[] = {"nodes", "pairs"}, *const predictor[] = {"no", "yes"};
    unsigned by = 0, tunes = 1;
    smerf_status status = read_methods(args, &plan->methods, error);
    if (status == SMERF_OK) status = cli_get_size(args, "--repeats", 1, &plan->n_repeats, error);
    if (status == SMERF_OK) status = cli_get_number(args, "--train", &plan->train_fraction, error);
    if (status == SMERF_OK) status = cli_get_word(args, "--by", kinds, 2, &by, error);
    if (status == SMERF_OK) status = cli_get_word(args, "--tune", predictor, 2, &tunes, error);
    if (status == SMERF_OK) status = read_options(args, all, error);
    if (status != SMERF_OK) return status;
    plan->by_pairs = by == 1;
    plan->tunes = tunes == 1;
    status = read_folds(args, all, error);
    if (status != SMERF_OK) return status;
    if (!(plan->train_fraction > 0 && plan->train_fraction < 1))
        return cli_fail(args, error, "--train '%s' is not between 0 and 1", cli_get(args, "--train"));
    if (!plan->tunes && cli_has(args, "--metric"))
        return cli_fail(args, error, "--metric is what to tune by, and --tune no does not");
    return SMERF_OK;
}

static smerf_status read_metric(const cli_args *args, smerf_metric *metric, smerf_error *error) {
    const char *names[SMERF_N_METRICS];
    unsigned chosen = *metric;
    for (unsigned m = 0; m < SMERF_N_METRICS; m++) names[m] = smerf_metric_name((smerf_metric)m);
    smerf_status status = cli_get_word(args, "--metric", names, SMERF_N_METRICS, &chosen, error);
    *metric = (smerf_metric)chosen;
    return status;
}

/* ---- the work ---- */

static smerf_status put_result(const cli_args *args, const cli_comparison *done, smerf_error *error) {
    sm_output *output;
    smerf_status status = sm_text_output_open(cli_has(args, "-o") ? cli_get(args, "-o") : "-", &output, error);
    if (status != SMERF_OK) return status;
    (cli_has(args, "--json") ? cli_put_json_comparison : cli_put_comparison)(output, done);
    return sm_output_finish(output, error);
}

static smerf_status compare(const cli_args *args, const cli_items *items, const cli_target *target, cli_comparison *all,
                            smerf_error *error) {
    cli_follow follow;
    smerf_run run;
    smerf_status status = cli_start_run(args, "comparing methods", &run, &follow, error);
    if (status != SMERF_OK) return status;
    status = smerf_compare(items->items, target->target, &all->plan, &run, all->scores, SMERF_N_METHODS, error);
    cli_stop_following(&follow);
    if (status != SMERF_OK) {
        cli_name_option(args, error);
        return status;
    }
    for (unsigned m = 0; m < SMERF_N_METHODS; m++)
        if (all->scores[m].applies) all->n_rounds = all->scores[m].n_rounds;
    double seconds = cli_clock() - follow.started;
    status = put_result(args, all, error);
    if (status == SMERF_OK) cli_tell_comparison(args, all, seconds);
    return status;
}

static smerf_status run_compare(const cli_args *args, smerf_error *error) {
    cli_items items = {0};
    cli_target target = {0};
    cli_comparison all = {.n_rounds = 0};
    smerf_comparison_default(NULL, &all.plan);
    smerf_options_default(&all.options);
    smerf_baseline_options_default(&all.baselines);
    all.options.baselines = &all.baselines;
    smerf_boost_options_default(&all.boost);
    all.boost.pairs_a_round = SMERF_COMPARED_PAIRS;
    all.options.boost = &all.boost;
    all.plan.options = &all.options;
    for (size_t m = 0; m < SMERF_N_METHODS; m++) all.scores[m] = SMERF_INIT(smerf_method_scores);
    smerf_status status = read_plan(args, &all, error);
    if (status == SMERF_OK) status = read_metric(args, &all.plan.metric, error);
    if (status == SMERF_OK) status = cli_check_target_options(args, false, error);
    if (status == SMERF_OK && cli_has(args, "--triplets") && cli_has(args, "--metric"))
        status = cli_fail(args, error,
                          "--metric makes no sense with --triplets, which have one score: how many are in order");
    if (status == SMERF_OK && cli_has(args, "-o")) status = sm_output_check(cli_get(args, "-o"), error);
    if (status == SMERF_OK) status = cli_read_items(args, args->words[0], &items, error);
    if (status == SMERF_OK) status = cli_read_groups(args, args->words[0], &all.groups, error);
    if (status == SMERF_OK) status = cli_read_target(args, &items, NULL, false, &target, error);
    if (status == SMERF_OK) {
        smerf_comparison usual;
        smerf_comparison_default(target.target, &usual);
        if (!cli_has(args, "--metric")) all.plan.metric = usual.metric;
        bool has_triplets = cli_has(args, "--triplets");
        all.metrics = has_triplets ? SMERF_HAS(CLI_IN_ORDER) : smerf_target_metrics(target.target);
        all.main = has_triplets ? (unsigned)CLI_IN_ORDER : (unsigned)all.plan.metric;
        if (all.groups.column != NULL) all.plan.groups = all.groups.table.columns[0].codes;
        bool is_small = smerf_items_count(items.items) <= SMALL_DATA;
        if (is_small && !all.repeats_are_given && all.plan.n_folds == 0) all.plan.n_most_repeats = MOST_REPEATS;
        status = compare(args, &items, &target, &all, error);
    }
    cli_free_target(&target);
    cli_free_items(&items);
    cli_free_groups(&all.groups);
    return status;
}

static const char *const examples[] = {
    "smerf compare items.csv --distances distances.npy --methods smerf,euclidean --repeats 2",
    "smerf compare animals.csv --labels kind --methods smerf,euclidean --tune no -o compared.txt",
    NULL,
};

const cli_command cli_compare = {.name = "compare",
                                 .usage = "compare ITEMS TARGET [OPTIONS]",
                                 .summary = "every method on the same data: divides, tunes, learns and scores",
                                 .fewest_words = 1,
                                 .most_words = 1,
                                 .option_groups = options,
                                 .examples = examples,
                                 .run = run_compare};
