/* cmd_split.c - smerf split ITEMS TARGET --by nodes|pairs --train F -o DIR: files for honest evaluation. */
#include <string.h>
#include <sys/stat.h>

#include "commands.h"
#include "folder.h"
#include "io/text/text.h"
#include "split.h"

static const cli_option own_options[] = {
    {"--by", "KIND", "nodes: some items to train on, the others to test with; pairs: some pairs (required)"},
    {"--train", "F",
     "the share of the items to train on, 0 < F < 1 (required); by pairs: as many pairs as these have, which is about "
     "F^2 of them"},
    {"--train-pairs", "F", "by pairs, instead of --train: the share of the known pairs to train on"},
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
                                 cli_get(split->args, "--observed")};
    for (size_t p = 0; p < 4; p++) {
        struct stat facts;
        if (paths[p] == NULL) continue;
        bool is_dash = strcmp(paths[p], "-") == 0;
        if (is_dash || (stat(paths[p], &facts) == 0 && !S_ISREG(facts.st_mode) && !S_ISDIR(facts.st_mode)))
            return cli_fail(split->args, error, "%s is read twice here, and a pipe can be read once: save it as a file",
                            is_dash ? "standard input" : paths[p]);
    }
    return SMERF_OK;
}

/* Files that are read must not be replaced by parts of themselves. */
static smerf_status check_inputs(const cli_splitting *split, unsigned by, smerf_error *error) {
    static const char *const written[2][16] = {
        {"train-items.csv", "test-items.csv", "train-edges.csv", "test-edges.csv", "cross-edges.csv",
         "train-observed.csv", "test-observed.csv", "cross-observed.csv", "train-pairs.csv", "test-pairs.csv",
         "cross-pairs.csv", "train-distances.npy", "test-distances.npy", "cross-distances.npy"},
        {"items.csv", "train-pairs.csv", "test-pairs.csv", "edges.csv"}};
    static const char *const reading[] = {"--distances", "--similarities", "--pairs", "--edges", "--observed"};
    for (const char *const *name = written[by]; *name != NULL; name++)
        for (size_t r = 0; r <= 5; r++) {
            const char *path = r < 5 ? cli_get(split->args, reading[r]) : split->items_path;
            if (path != NULL && cli_is_in(split->folder, *name, path))
                return cli_fail(split->args, error, "-o %s would replace %s, which is read: take another folder",
                                split->folder, path);
        }
    return SMERF_OK;
}

static smerf_status read_use(cli_splitting *split, unsigned *by, smerf_error *error) {
    static const char *const kinds[] = {"nodes", "pairs"};
    const cli_args *args = split->args;
    if (!cli_has(args, "--by")) return cli_fail(args, error, "--by is missing: nodes or pairs?");
    if (!cli_has(args, "--train") && !cli_has(args, "--train-pairs"))
        return cli_fail(args, error, "--train F is missing: how large a share to train on?");
    if (cli_has(args, "--train") && cli_has(args, "--train-pairs"))
        return cli_fail(args, error,
                        "--train and --train-pairs exclude each other: a share of the items, or of the pairs?");
    if (cli_get_output(args) == NULL) return cli_fail(args, error, "-o DIR is missing: where shall the files go?");
    if (strcmp(split->folder, "-") == 0) return cli_fail(args, error, "-o - will not do: several files need a folder");
    smerf_status status = cli_get_word(args, "--by", kinds, 2, by, error);
    if (status == SMERF_OK) status = cli_get_number(args, "--train", &split->share, error);
    if (status == SMERF_OK) status = cli_get_number(args, "--train-pairs", &split->pairs_share, error);
    if (status == SMERF_OK) status = cli_get_size(args, "--seed", 0, &split->seed, error);
    if (status != SMERF_OK) return status;
    const char *const name = cli_has(args, "--train") ? "--train" : "--train-pairs";
    double share = cli_has(args, "--train") ? split->share : split->pairs_share;
    if (!(share > 0 && share < 1))
        return cli_fail(args, error, "%s '%s' is not between 0 and 1", name, cli_get(args, name));
    if (*by == BY_NODES && cli_has(args, "--train-pairs"))
        return cli_fail(args, error, "--train-pairs goes with --by pairs; --by nodes takes --train");
    if (split->seed > INT64_MAX) return cli_fail(args, error, "--seed '%zu' is not in 0 ... 2^63 - 1", split->seed);
    status = cli_check_target_options(args, false, error);
    if (status == SMERF_OK) status = check_repeats(split, error);
    return status == SMERF_OK ? check_inputs(split, *by, error) : status;
}

static smerf_status run_split(const cli_args *args, smerf_error *error) {
    cli_splitting split = {.args = args, .folder = cli_get_output(args), .items_path = args->words[0], .seed = 1};
    unsigned by = BY_NODES;
    smerf_status status = read_use(&split, &by, error);
    if (status == SMERF_OK) status = cli_read_items(args, split.items_path, &split.items, error);
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

const cli_command cli_split_command = {.name = "split",
                                       .usage = "split ITEMS TARGET --by nodes|pairs --train F -o DIR",
                                       .summary = "training and test files for honest evaluation",
                                       .fewest_words = 1,
                                       .most_words = 1,
                                       .option_groups = options,
                                       .run = run_split};
