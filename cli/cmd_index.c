/* cmd_index.c - smerf index MODEL ITEMS [--add FILE] -o FILE */
#include "commands.h"
#include "common.h"
#include "interrupt.h"

static const cli_option own_options[] = {
    {"-o", "FILE", "where the index goes (required); its name ends in .index, or has no ending"},
    {"--add", "FILE", "an index that ITEMS are added to, behind those that it has; it stays as it is"},
    {"--id", "COLUMN", "names the items (default: as in training, or a column called 'id')"},
    {0},
};

static const cli_option *const options[] = {own_options, cli_general_options, NULL};

static smerf_status make_index(const cli_args *args, const smerf_model *model, const cli_items *items,
                               smerf_index **index, smerf_error *error) {
    const char *old = cli_get(args, "--add");
    cli_follow follow;
    smerf_run run;
    smerf_status status = old != NULL ? smerf_index_load(old, model, index, error) : SMERF_OK;
    if (status == SMERF_OK) status = cli_start_run(args, "sending items down the trees", &run, &follow, error);
    if (status != SMERF_OK) return status;
    if (old != NULL) cli_note(args, "%s: an index of %zu items", old, smerf_index_count(*index));
    status = old != NULL ? smerf_index_add(*index, items->items, &run, error)
                         : smerf_index_new(model, items->items, &run, index, error);
    cli_stop_following(&follow);
    return status;
}

static smerf_status run_index(const cli_args *args, smerf_error *error) {
    smerf_model *model = NULL;
    smerf_index *index = NULL;
    cli_items items = {0};
    const char *path = cli_get_output(args);
    if (path == NULL) return cli_fail(args, error, "-o FILE is missing: where shall the index go?");
    smerf_status status = smerf_model_load(args->words[0], &model, error);
    if (status == SMERF_OK) status = cli_read_known_items(args, model, args->words[1], &items, error);
    if (status == SMERF_OK) status = make_index(args, model, &items, &index, error);
    if (status == SMERF_OK && cli_is_interrupted()) status = SMERF_CANCELLED;
    if (status == SMERF_OK) status = smerf_index_save(index, path, error);
    if (status == SMERF_OK)
        cli_note(args, "an index of %zu items, written to %s: smerf neighbors MODEL --index FILE searches it",
                 smerf_index_count(index), cli_output_name(path));
    smerf_index_free(index);
    cli_free_items(&items);
    smerf_model_free(model);
    return status;
}

static const char *const examples[] = {
    "smerf index animals.smerf animals.csv -o animals.index",
    "smerf index animals.smerf new-animals.csv --add animals.index -o all.index",
    "smerf neighbors animals.smerf --index all.index --queries new-animals.csv -k 2",
    NULL,
};

const cli_command cli_index = {.name = "index",
                               .usage = "index MODEL ITEMS [--add FILE] -o FILE",
                               .summary = "a catalogue that is searched again and again, made once",
                               .fewest_words = 2,
                               .most_words = 2,
                               .option_groups = options,
                               .output = CLI_INDEX,
                               .examples = examples,
                               .run = run_index};
