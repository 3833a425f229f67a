/* fit_options.c - the options of fit and tune, as words and as smerf_options: see fit_options.h. */
#include "fit_options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "io/text/text.h"

const cli_option cli_fit_options[] = {
    {"--method", "NAME",
     "how to learn: smerf (default), euclidean, mahalanobis, bilinear, rfd, plugin, epm, narm, mean, standardized, "
     "gower or boost (docs/methods.md)"},
    {"--trees", "B", "how many trees (default 500); A:B grows trees A ... B-1 only, for merge"},
    {"--candidates", "D",
     "directions tried at each node: a number, all, a power such as p^0.5, paper, or auto (default): p^0.5 for labels, "
     "as paper for distances and pairs, else p^0.75"},
    {"--splits", "KIND", "axis (default), or oblique for sparse random projections"},
    {"--density", "F", "oblique: fraction of non-zeros in the projections (default 3/p, 1/p if p < 10)"},
    {"--min-parent", "N", "smallest node that is split, in draws (default 2)"},
    {"--max-depth", "N", "the root has depth 0 (default: no limit)"},
    {"--sample", "KIND", "bootstrap (default), subsample:F, or none"},
    {"--oob-rule", "RULE", "both (default) or either: which trees count for a training pair"},
    {"--self-distance", "KIND",
     "an item's to itself: given, a number, exclude, or auto (default): exclude for distances, pairs and edges, else "
     "given"},
    {"--shrink", "S",
     "predicted distances are drawn towards the mean by this factor, 0 < S <= 1; off, or auto (default): as far as "
     "out-of-bag pairs say that the forest has learned noise"},
    {"--complete", "RANK", "pairs: fill missing ones by completion of this rank; off, or auto (default)"},
    {"--rank", "R", "distances, edges, products: grow on their leading part of rank R (default: on all of it)"},
    {"--sample-pairs", "N", "rfd: learn from N pairs at most, drawn at random (default 60000)"},
    {"--factors", "K", "epm, narm: the most groups that nodes may belong to (default 50)"},
    {"--burn", "N", "epm, narm: iterations before draws are collected (default 1500)"},
    {"--draws", "N", "epm, narm: iterations that are collected (default 1500)"},
    {"--chains", "N", "epm, narm: chains that start apart and are averaged (default 2)"},
    {"--intercept", NULL, "mahalanobis, bilinear: learn a constant, too, that every distance has in common"},
    {"--ridge", "R",
     "mahalanobis, bilinear: draws the matrix towards 0; 1 is about as strong as the pairs, auto is chosen on pairs of "
     "held-out items (default 0)"},
    {"--rounds", "N", "boost: so many trees (default: as many as predict pairs of held-out items best)"},
    {"--most-rounds", "N", "boost: no more trees than these where they are chosen (default 1000)"},
    {"--leaves", "N", "boost: leaves of a tree, at most (default 31)"},
    {"--min-leaf", "N", "boost: pairs of a leaf, at least (default 20)"},
    {"--learning-rate", "F", "boost: what counts of a tree (default 0.1)"},
    {"--l2", "F", "boost: added to the weight of a leaf, whose value becomes smaller (default 0)"},
    {"--loss", "NAME",
     "boost: squared, absolute, huber, logistic, or auto (default): logistic for labels and for edges that all weigh "
     "1, else "
     "squared"},
    {"--pair-features", "GROUP",
     "boost: what is seen of two numbers x and y: difference (and mean), ends (the smaller and the larger), items (x "
     "and "
     "y, in both orders), all (but ends), or auto (default): chosen on pairs of held-out items"},
    {"--base", "NAME", "boost: what it starts from: none (default: the mean), or forest, with default options"},
    {"--bags", "N",
     "boost (default 10), mahalanobis, bilinear (default 0): 3, 6, 10, 15, ... models that leave out two groups of "
     "items "
     "each; 0: nothing out of bag"},
    {"--pairs-a-round", "N", "boost: learns from N pairs at a time at most, drawn at random (default 2000000)"},
    {"--paper", NULL,
     "the paper's forest: --candidates paper (all up to 20, then max(20, p^0.75)), --self-distance given and "
     "--shrink off, where these are not given"},
    {"--item-weights", "COLUMN", "weighs items in splits and leaf means"},
    {"--seed", "N", "0 ... 2^63 - 1 (default 1)"},
    {"--kernels", "KIND", "auto (default) or plain: the same result with portable loops"},
    {0},
};

static const char *const split_names[] = {"axis", "oblique"};
static const char *const rule_names[] = {"both", "either"}; /* from SMERF_OOB_BOTH on */
static const char *const kernel_names[] = {"auto", "plain"};

const char *cli_splits_name(smerf_splits splits) { return split_names[splits]; }

const char *cli_self_name(const smerf_options *options, char space[SM_NUMBER_SPACE]) {
    if (options->self_distance == SMERF_SELF_GIVEN) return "given";
    if (options->self_distance == SMERF_SELF_EXCLUDE) return "exclude";
    space[sm_number_format(options->self_value, space)] = '\0';
    return space;
}

static bool read_whole(const char *text, const char *end, uint64_t *out) {
    if (text == end || *text < '0' || *text > '9') return false;
    char *stop;
    errno = 0;
    *out = strtoull(text, &stop, 10);
    return stop == end && errno == 0;
}

static smerf_status read_trees(const cli_args *args, smerf_options *options, smerf_error *error) {
    const char *text = cli_get(args, "--trees");
    if (text == NULL) return SMERF_OK;
    const char *colon = strchr(text, ':'), *end = text + strlen(text);
    uint64_t from = 0, to = 0;
    bool is_fine =
        colon == NULL ? read_whole(text, end, &to) : read_whole(text, colon, &from) && read_whole(colon + 1, end, &to);
    if (!is_fine) return cli_fail(args, error, "--trees '%s' is neither a number B nor a range A:B", text);
    if (to <= from) return cli_fail(args, error, "--trees '%s' grows no tree", text);
    if (to > UINT32_MAX) return cli_fail(args, error, "--trees '%s': numbers must stay below 2^32", text);
    options->first_tree = (size_t)from;
    options->n_trees = (size_t)(to - from);
    return SMERF_OK;
}

bool cli_parse_candidates(const char *text, size_t *candidates, double *power) {
    static const char *const words[] = {"auto", "all", "paper"};
    static const size_t meanings[] = {SMERF_CANDIDATES_AUTO, SMERF_CANDIDATES_ALL, SMERF_CANDIDATES_PAPER};
    uint64_t number;
    for (size_t k = 0; k < 3; k++)
        if (strcmp(text, words[k]) == 0) {
            *candidates = meanings[k];
            return true;
        }
    if (text[0] == 'p') {
        *power = 1;
        return text[1] == '\0' ||
               (text[1] == '^' && sm_number_parse(text + 2, strlen(text + 2), power) == SM_CELL_NUMBER && *power > 0);
    }
    if (!read_whole(text, text + strlen(text), &number) || number == 0) return false;
    *candidates = number < SMERF_CANDIDATES_PAPER ? (size_t)number : SMERF_CANDIDATES_PAPER - 1;
    return true;
}

static smerf_status read_candidates(const cli_args *args, smerf_options *options, smerf_error *error) {
    const char *text = cli_get(args, "--candidates");
    if (text == NULL || cli_parse_candidates(text, &options->candidates, &options->candidates_power)) return SMERF_OK;
    return cli_fail(args, error,
                    "--candidates '%s' is not a number > 0, 'all', 'auto', 'paper' or a power such as p^0.5", text);
}

static smerf_status read_sample(const cli_args *args, smerf_options *options, smerf_error *error) {
    const char *text = cli_get(args, "--sample");
    if (text == NULL || strcmp(text, "bootstrap") == 0) return SMERF_OK;
    if (strcmp(text, "none") == 0) {
        options->sample = SMERF_NO_SAMPLE;
        return SMERF_OK;
    }
    if (strncmp(text, "subsample:", 10) == 0) {
        const char *fraction = text + 10;
        options->sample = SMERF_SUBSAMPLE;
        if (sm_number_parse(fraction, strlen(fraction), &options->sample_fraction) == SM_CELL_NUMBER &&
            options->sample_fraction > 0 && options->sample_fraction <= 1)
            return SMERF_OK;
    }
    return cli_fail(args, error, "--sample '%s' is not bootstrap, none, or subsample:F with 0 < F <= 1", text);
}

bool cli_parse_self(const char *text, smerf_self *kind, double *value) {
    static const char *const words[] = {"given", "exclude", "auto"};
    static const smerf_self kinds[] = {SMERF_SELF_GIVEN, SMERF_SELF_EXCLUDE, SMERF_SELF_AUTO};
    for (size_t k = 0; k < 3; k++)
        if (strcmp(text, words[k]) == 0) {
            *kind = kinds[k];
            return true;
        }
    *kind = SMERF_SELF_VALUE;
    return sm_number_parse(text, strlen(text), value) == SM_CELL_NUMBER;
}

static smerf_status read_self(const cli_args *args, smerf_options *options, smerf_error *error) {
    const char *text = cli_get(args, "--self-distance");
    if (text == NULL || cli_parse_self(text, &options->self_distance, &options->self_value)) return SMERF_OK;
    return cli_fail(args, error, "--self-distance '%s' is not auto, given, exclude, or a number", text);
}

static smerf_status read_shrink(const cli_args *args, smerf_options *options, smerf_error *error) {
    const char *text = cli_get(args, "--shrink");
    if (text == NULL) return SMERF_OK;
    options->shrink = strcmp(text, "auto") == 0 ? SMERF_SHRINK_AUTO : SMERF_SHRINK_OFF;
    if (strcmp(text, "auto") == 0 || strcmp(text, "off") == 0) return SMERF_OK;
    if (sm_number_parse(text, strlen(text), &options->shrink) == SM_CELL_NUMBER && options->shrink > 0 &&
        options->shrink <= 1)
        return SMERF_OK;
    return cli_fail(args, error, "--shrink '%s' is not auto, off, or a number S with 0 < S <= 1", text);
}

static smerf_status read_complete(const cli_args *args, smerf_options *options, smerf_error *error) {
    const char *text = cli_get(args, "--complete");
    uint64_t rank;
    if (text == NULL || strcmp(text, "auto") == 0) return SMERF_OK;
    if (strcmp(text, "off") == 0) {
        options->complete = SMERF_COMPLETE_OFF;
        return SMERF_OK;
    }
    if (!read_whole(text, text + strlen(text), &rank) || rank == 0 || rank >= SMERF_COMPLETE_AUTO)
        return cli_fail(args, error, "--complete '%s' is not off, auto, or a rank > 0", text);
    options->complete = (size_t)rank;
    return SMERF_OK;
}

static smerf_status read_seed(const cli_args *args, smerf_options *options, smerf_error *error) {
    const char *text = cli_get(args, "--seed");
    if (text == NULL || (read_whole(text, text + strlen(text), &options->seed) && options->seed <= INT64_MAX))
        return SMERF_OK;
    return cli_fail(args, error, "--seed '%s' is not a whole number in 0 ... 2^63 - 1", text);
}

/* ---- methods ---- */

#define METHOD(name) (1u << SMERF_METHOD_##name)
#define FORESTS (METHOD(FOREST) | METHOD(RFD) | METHOD(PLUGIN))
#define MATRICES (METHOD(MAHALANOBIS) | METHOD(BILINEAR))
#define SAMPLERS (METHOD(EPM) | METHOD(NARM))

/* What is about some methods only. */
static const struct {
    const char *option;
    unsigned methods;
} meant_for[] = {
    {"--trees", FORESTS},
    {"--candidates", FORESTS},
    {"--splits", FORESTS},
    {"--density", FORESTS},
    {"--min-parent", FORESTS},
    {"--max-depth", FORESTS},
    {"--sample", FORESTS},
    {"--oob-rule", METHOD(FOREST)},
    {"--self-distance", METHOD(FOREST)},
    {"--shrink", METHOD(FOREST)},
    {"--paper", METHOD(FOREST)},
    {"--complete", METHOD(FOREST)},
    {"--rank", METHOD(FOREST)},
    {"--sample-pairs", METHOD(RFD)},
    {"--factors", SAMPLERS},
    {"--burn", SAMPLERS},
    {"--draws", SAMPLERS},
    {"--chains", SAMPLERS},
    {"--intercept", MATRICES},
    {"--ridge", MATRICES},
    {"--rounds", METHOD(BOOST)},
    {"--most-rounds", METHOD(BOOST)},
    {"--leaves", METHOD(BOOST)},
    {"--min-leaf", METHOD(BOOST)},
    {"--learning-rate", METHOD(BOOST)},
    {"--l2", METHOD(BOOST)},
    {"--loss", METHOD(BOOST)},
    {"--pair-features", METHOD(BOOST)},
    {"--base", METHOD(BOOST)},
    {"--bags", METHOD(BOOST) | MATRICES},
    {"--pairs-a-round", METHOD(BOOST)},
};

static smerf_status read_method(const cli_args *args, smerf_options *options, smerf_error *error) {
    const char *names[SMERF_N_METHODS];
    unsigned method = 0;
    for (unsigned m = 0; m < SMERF_N_METHODS; m++) names[m] = smerf_method_name((smerf_method)m);
    smerf_status status = cli_get_word(args, "--method", names, SMERF_N_METHODS, &method, error);
    options->method = (smerf_method)method;
    for (size_t k = 0; k < sizeof meant_for / sizeof *meant_for && status == SMERF_OK; k++)
        if (cli_has(args, meant_for[k].option) && (meant_for[k].methods & (1u << method)) == 0)
            status = cli_fail(args, error, "%s means nothing to the method '%s'", meant_for[k].option, names[method]);
    return status;
}

/* ---- all together ---- */

static smerf_status read_ridge(const cli_args *args, smerf_baseline_options *baselines, smerf_error *error) {
    const char *text = cli_get(args, "--ridge");
    if (text != NULL && strcmp(text, "auto") == 0) {
        baselines->ridge = SMERF_RIDGE_AUTO;
        return SMERF_OK;
    }
    smerf_status status = cli_get_number(args, "--ridge", &baselines->ridge, error);
    if (status == SMERF_OK && !(baselines->ridge >= 0 && baselines->ridge <= 1e12))
        status = cli_fail(args, error, "--ridge %s is neither auto nor in 0 ... 1e12", text);
    return status;
}

static smerf_status read_baselines(const cli_args *args, smerf_baseline_options *baselines, smerf_error *error) {
    smerf_baseline_options_default(baselines);
    smerf_status status = cli_get_size(args, "--sample-pairs", 1, &baselines->n_pairs, error);
    if (status == SMERF_OK) status = cli_get_size(args, "--factors", 1, &baselines->n_factors, error);
    if (status == SMERF_OK) status = cli_get_size(args, "--burn", 1, &baselines->n_burn, error);
    if (status == SMERF_OK) status = cli_get_size(args, "--draws", 1, &baselines->n_draws, error);
    if (status == SMERF_OK) status = cli_get_size(args, "--chains", 1, &baselines->n_chains, error);
    baselines->has_intercept = cli_has(args, "--intercept");
    if (status == SMERF_OK) status = read_ridge(args, baselines, error);
    if (status == SMERF_OK) status = cli_get_size(args, "--bags", 0, &baselines->n_bags, error);
    return status;
}

static smerf_status read_boost(const cli_args *args, smerf_boost_options *boost, smerf_error *error) {
    static const char *const losses[] = {"auto", "squared", "absolute", "huber", "logistic"};
    static const char *const features[] = {"auto", "difference", "ends", "items", "all"};
    static const char *const bases[] = {"none", "forest"};
    unsigned loss = 0, pair_features = 0, base = 0;
    smerf_boost_options_default(boost);
    smerf_status status = cli_get_size(args, "--rounds", 1, &boost->n_rounds, error);
    if (status == SMERF_OK) status = cli_get_size(args, "--most-rounds", 1, &boost->most_rounds, error);
    if (status == SMERF_OK) status = cli_get_size(args, "--leaves", 2, &boost->n_leaves, error);
    if (status == SMERF_OK) status = cli_get_size(args, "--min-leaf", 1, &boost->min_leaf, error);
    if (status == SMERF_OK) status = cli_get_number(args, "--learning-rate", &boost->learning_rate, error);
    if (status == SMERF_OK) status = cli_get_number(args, "--l2", &boost->l2, error);
    if (status == SMERF_OK) status = cli_get_word(args, "--loss", losses, 5, &loss, error);
    if (status == SMERF_OK) status = cli_get_word(args, "--pair-features", features, 5, &pair_features, error);
    if (status == SMERF_OK) status = cli_get_word(args, "--base", bases, 2, &base, error);
    if (status == SMERF_OK) status = cli_get_size(args, "--bags", 0, &boost->n_bags, error);
    if (status == SMERF_OK) status = cli_get_size(args, "--pairs-a-round", 1, &boost->pairs_a_round, error);
    boost->loss = (smerf_boost_loss)loss;
    boost->pair_features = (smerf_pair_features)pair_features;
    boost->base = (smerf_boost_base)base;
    return status;
}

smerf_status cli_read_fit_options(const cli_args *args, smerf_options *options, smerf_baseline_options *baselines,
                                  smerf_boost_options *boost, smerf_error *error) {
    unsigned splits = 0, rule = 0;
    if (cli_has(args, "--paper"))
        smerf_options_paper(options);
    else
        smerf_options_default(options);
    options->baselines = baselines;
    options->boost = boost;
    smerf_status status = read_method(args, options, error);
    if (status == SMERF_OK) status = read_trees(args, options, error);
    if (status == SMERF_OK) status = read_candidates(args, options, error);
    if (status == SMERF_OK) status = cli_get_word(args, "--splits", split_names, 2, &splits, error);
    if (status == SMERF_OK) status = cli_get_number(args, "--density", &options->density, error);
    if (status == SMERF_OK) status = cli_get_size(args, "--min-parent", 2, &options->min_parent, error);
    if (status == SMERF_OK) status = cli_get_size(args, "--max-depth", 0, &options->max_depth, error);
    if (status == SMERF_OK) status = read_sample(args, options, error);
    if (status == SMERF_OK) status = cli_get_word(args, "--oob-rule", rule_names, 2, &rule, error);
    if (status == SMERF_OK) status = read_self(args, options, error);
    if (status == SMERF_OK) status = read_shrink(args, options, error);
    if (status == SMERF_OK) status = read_complete(args, options, error);
    if (status == SMERF_OK) status = cli_get_size(args, "--rank", 1, &options->rank, error);
    if (status == SMERF_OK) status = read_baselines(args, baselines, error);
    if (status == SMERF_OK) status = read_boost(args, boost, error);
    if (status == SMERF_OK) status = read_seed(args, options, error);
    options->splits = (smerf_splits)splits;
    options->oob_rule = (smerf_oob_rule)(SMERF_OOB_BOTH + rule);
    if (status == SMERF_OK && cli_has(args, "--density") && !(options->density > 0 && options->density <= 1))
        return cli_fail(args, error, "--density %s is not in (0, 1]", cli_get(args, "--density"));
    return status;
}

smerf_status cli_read_kernels(const cli_args *args, smerf_run *run, smerf_error *error) {
    unsigned kernels = 0;
    smerf_status status = cli_get_word(args, "--kernels", kernel_names, 2, &kernels, error);
    run->kernels = (smerf_kernels)kernels;
    return status;
}

smerf_status cli_read_out_of_bag(const cli_args *args, bool *out_of_bag, smerf_oob_rule *rule, smerf_error *error) {
    *out_of_bag = cli_has(args, "--oob");
    if (cli_has(args, "--oob-rule") && !*out_of_bag) return cli_fail(args, error, "--oob-rule goes with --oob");
    return cli_read_oob_rule(args, rule, error);
}

smerf_status cli_read_oob_rule(const cli_args *args, smerf_oob_rule *rule, smerf_error *error) {
    unsigned chosen = 0;
    smerf_status status = cli_get_word(args, "--oob-rule", rule_names, 2, &chosen, error);
    *rule = cli_has(args, "--oob-rule") ? (smerf_oob_rule)(SMERF_OOB_BOTH + chosen) : SMERF_OOB_AS_FITTED;
    return status;
}
