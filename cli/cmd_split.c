/* cmd_split.c - smerf split ITEMS TARGET --by nodes|pairs --train F -o DIR: files for honest evaluation. */
#include <string.h>
#include <sys/stat.h>

#include "commands.h"
#include "io/text/text.h"
#include "split.h"

static const cli_option own_options[] = {
    {"--by", "KIND",
     "nodes: some items to train on, the others to test with; pairs: some pairs, or comparisons of --triplets "
     "(required)"},
    {"--train", "F",
     "the fraction of the items to train on, 0 < F < 1 (required); by pairs: as many pairs as these have, which is "
     "about "
     "F^2 of them"},
    {"--train-pairs", "F",
     "by pairs, instead of --train: the fraction of the known pairs (or comparisons) to train on"},
    {"-o", "DIR", "where the files go (required); made if it is not there"},
    {"--seed", "N", "0 ... 2^63 - 1 (default 1)"},
    {0},
};

static const cli_option *const options[] = {own_options, cli_target_options, cli_item_options, cli_general_options,
                                            NULL};

enum { BY_NODES, BY_PAIRS };

/* What is read again when the parts are written must still be there then. */
static smerf_status check_repeats(const cli_splitting *split, smerf_error *error) {
    const char *const paths[] = {split->items_path, cli_get(split->args, "--pairs"), cli_get(split->args, "--edges"),
                                 cli_get(split->args, "--observed"), cli_get(split->args, "--triplets")};
    for (size_t p = 0; p < sizeof paths / sizeof *paths; p++) {
        struct stat facts;
        if (paths[p] == NULL) continue;
        bool is_dash = strcmp(paths[p], "-") == 0;
        if (is_dash || (stat(paths[p], &facts) == 0 && !S_ISREG(facts.st_mode) && !S_ISDIR(facts.st_mode)))
            return cli_fail(split->args, error, "%s is read twice here, and a pipe can be read once: save it as a file",
                            is_dash ? "standard input" : paths[p]);
    }
    return SMERF_OK;
}

static const char *const *files_written(const cli_args *args) {
    static const char *const by_nodes[] = {"train-items.csv",
                                           "test-items.csv",
                                           "train-edges.csv",
                                           "test-edges.csv",
                                           "cross-edges.csv",
                                           "train-observed.csv",
                                           "test-observed.csv",
                                           "cross-observed.csv",
                                           "train-pairs.csv",
                                           "test-pairs.csv",
                                           "cross-pairs.csv",
                                           "train-distances.npy",
                                           "test-distances.npy",
                                           "cross-distances.npy",
                                           "train-triplets.csv",
                                           "test-triplets.csv",
                                           NULL};
    static const char *const by_pairs[] = {
        "items.csv", "train-pairs.csv", "test-pairs.csv", "edges.csv", "train-triplets.csv", "test-triplets.csv", NULL};
    const char *by = cli_get(args, "--by");
    return by != NULL && strcmp(by, "pairs") == 0 ? by_pairs : by_nodes;
}

static smerf_status read_use(cli_splitting *split, unsigned *by, smerf_error *error) {
    static const char *const kinds[] = {"nodes", "pairs"};
    const cli_args *args = split->args;
    if (!cli_has(args, "--by")) return cli_fail(args, error, "--by is missing: nodes or pairs?");
    if (!cli_has(args, "--train") && !cli_has(args, "--train-pairs"))
        return cli_fail(args, error, "--train F is missing: how large a fraction to train on?");
    if (cli_has(args, "--train") && cli_has(args, "--train-pairs"))
        return cli_fail(args, error,
                        "--train and --train-pairs exclude each other: a fraction of the items, or of the pairs?");
    if (cli_get_output(args) == NULL) return cli_fail(args, error, "-o DIR is missing: where shall the files go?");
    if (strcmp(split->folder, "-") == 0) return cli_fail(args, error, "-o - will not do: several files need a folder");
    smerf_status status = cli_get_word(args, "--by", kinds, 2, by, error);
    if (status == SMERF_OK) status = cli_get_number(args, "--train", &split->fraction, error);
    if (status == SMERF_OK) status = cli_get_number(args, "--train-pairs", &split->pairs_fraction, error);
    if (status == SMERF_OK) status = cli_get_size(args, "--seed", 0, &split->seed, error);
    if (status != SMERF_OK) return status;
    const char *const name = cli_has(args, "--train") ? "--train" : "--train-pairs";
    double fraction = cli_has(args, "--train") ? split->fraction : split->pairs_fraction;
    if (!(fraction > 0 && fraction < 1))
        return cli_fail(args, error, "%s '%s' is not between 0 and 1", name, cli_get(args, name));
    if (*by == BY_NODES && cli_has(args, "--train-pairs"))
        return cli_fail(args, error, "--train-pairs goes with --by pairs; --by nodes takes --train");
    if (split->seed > INT64_MAX) return cli_fail(args, error, "--seed '%zu' is not in 0 ... 2^63 - 1", split->seed);
    status = cli_check_target_options(args, false, error);
    return status == SMERF_OK ? check_repeats(split, error) : status;
}

static smerf_status run_split(const cli_args *args, smerf_error *error) {
    cli_splitting split = {.args = args, .folder = cli_get_output(args), .items_path = args->words[0], .seed = 1};
    unsigned by = BY_NODES;
    smerf_status status = read_use(&split, &by, error);
    if (status == SMERF_OK) status = cli_read_items_to_copy(args, split.items_path, &split.items, error);
    if (status == SMERF_OK) status = cli_read_target(args, &split.items, NULL, false, &split.target, error);
    if (status == SMERF_OK) status = sm_table_check_copy(split.items_path, split.items.table.ids != NULL, error);
    if (status == SMERF_OK) {
        split.n = split.items.table.n_rows;
        status = (by == BY_NODES ? cli_split_by_nodes : cli_split_by_pairs)(&split, error);
    }
    cli_free_target(&split.target);
    cli_free_items(&split.items);
    return status;
}

static const char *const examples[] = {
    "smerf split items.csv --distances distances.npy --by nodes --train 0.7 -o parts",
    "smerf split animals.csv --labels kind --by pairs --train 0.7 -o pairs",
    NULL,
};

const cli_command cli_split_command = {.name = "split",
                                       .usage = "split ITEMS TARGET --by nodes|pairs --train F -o DIR",
                                       .summary = "training and test files for honest evaluation",
                                       .fewest_words = 1,
                                       .most_words = 1,
                                       .option_groups = options,
                                       .output = CLI_FOLDER,
                                       .writes = files_written,
                                       .examples = examples,
                                       .run = run_split};
