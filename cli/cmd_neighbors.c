/* cmd_neighbors.c - smerf neighbors MODEL ITEMS [--queries ITEMS2] [-k K] [--radius R] [--graph FILE]
 * [--vote COLUMN]; with --index FILE in place of ITEMS */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "common.h"
#include "fit_options.h"
#include "interrupt.h"
#include "vote.h"

static const cli_option own_options[] = {
    {"--items", "ITEMS", "the same as ITEMS in its place: among which neighbours are looked for"},
    {"--index", "FILE",
     "in place of ITEMS: an index of them (smerf index), which need not be sent down the trees again"},
    {"--queries", "ITEMS2", "whose neighbours (default: those of ITEMS; none is its own neighbour)"},
    {"-k", "K", "the K nearest; fewer where there are fewer. Equal distances: in the order of ITEMS"},
    {"--radius", "R", "only those at a distance of R or less; without -k all of them"},
    {"--oob", NULL, "at out-of-bag distances: ITEMS are the training items; pairs without one are left out"},
    {"--oob-rule", "RULE", "both or either (default: as fitted)"},
    {"--vote", "COLUMN", "what the neighbours say of a column of ITEMS: the class most of them have, or their mean"},
    {"--categories", "COLUMN", "with --vote: its numbers are codes of classes"},
    {"--json", NULL, "as JSON"},
    {"-o", "FILE", "where the CSV goes (default: standard output, unless there is a --graph)"},
    {"--graph", "FILE", "the distances as a sparse matrix, queries by items, in Matrix Market form (.mtx)"},
    {"--symmetric", NULL, "with --graph: a pair is in it if either is a neighbour of the other"},
    {"--id", "COLUMN", "names the items (default: as in training, or a column called 'id')"},
    {0},
};

static const cli_option *const options[] = {own_options, cli_general_options, NULL};

/* ---- writing ---- */

/* Among which items is looked: a file, or an index. */
typedef struct catalogue {
    const cli_items *items;
    smerf_index *index; /* NULL: a file */
} catalogue;

static size_t catalogue_size(const catalogue *of) {
    return of->index != NULL ? smerf_index_count(of->index) : of->items->table.n_rows;
}

static const char *catalogue_name(const catalogue *of, size_t item, char space[24]) {
    if (of->index == NULL) return cli_item_name(of->items, item, space);
    const char *id = smerf_index_id(of->index, item);
    if (id == NULL) snprintf(space, 24, "%zu", item);
    return id != NULL ? id : space;
}

/* A graph is kept until it is known how many entries it has. */
typedef struct writer {
    const cli_items *queries;
    const catalogue *items;
    sm_output *csv; /* NULL: no CSV */
    bool is_json;   /* but JSON */
    bool keeps;     /* for a graph */
    size_t *first;  /* [queries + 1] */
    smerf_neighbor *kept;
    size_t n, capacity;
    bool has_failed; /* no memory */
} writer;

static void put_json(const writer *to, size_t query, const smerf_neighbor *neighbors, size_t n) {
    char space[24];
    sm_output_print(to->csv, query == 0 ? "{\"queries\": [\n  {\"item\": " : ",\n  {\"item\": ");
    sm_put_json_string(to->csv, cli_item_name(to->queries, query, space));
    sm_output_print(to->csv, ", \"neighbors\": [");
    for (size_t i = 0; i < n; i++) {
        sm_output_print(to->csv, "%s{\"neighbor\": ", i == 0 ? "" : ", ");
        sm_put_json_string(to->csv, catalogue_name(to->items, neighbors[i].item, space));
        sm_output_print(to->csv, ", \"distance\": ");
        sm_put_json_number(to->csv, neighbors[i].distance);
        sm_output_print(to->csv, "}");
    }
    sm_output_print(to->csv, query + 1 == to->queries->table.n_rows ? "]}]}\n" : "]}");
}

static void put_neighbors(const writer *to, size_t query, const smerf_neighbor *neighbors, size_t n) {
    char space[24];
    if (query == 0) sm_output_print(to->csv, "item,rank,neighbor,distance\n");
    for (size_t i = 0; i < n; i++) {
        sm_put_cell(to->csv, cli_item_name(to->queries, query, space));
        sm_output_print(to->csv, ",%zu,", i + 1);
        sm_put_cell(to->csv, catalogue_name(to->items, neighbors[i].item, space));
        sm_output_write(to->csv, ",", 1);
        sm_put_number(to->csv, neighbors[i].distance);
        sm_output_write(to->csv, "\n", 1);
    }
}

static bool keep_neighbors(writer *to, size_t query, const smerf_neighbor *neighbors, size_t n) {
    if (to->n + n > to->capacity) {
        size_t capacity = 2 * (to->n + n);
        smerf_neighbor *larger = realloc(to->kept, capacity * sizeof *larger);
        if (larger == NULL) return false;
        to->kept = larger;
        to->capacity = capacity;
    }
    if (n > 0) memcpy(to->kept + to->n, neighbors, n * sizeof *neighbors);
    to->n += n;
    to->first[query + 1] = to->n;
    return true;
}

static int take_neighbors(void *context, size_t query, const smerf_neighbor *neighbors, size_t n) {
    writer *to = context;
    if (to->csv != NULL) (to->is_json ? put_json : put_neighbors)(to, query, neighbors, n);
    if (to->keeps && !keep_neighbors(to, query, neighbors, n)) to->has_failed = true;
    return to->has_failed || (to->csv != NULL && sm_output_has_failed(to->csv)) || cli_is_interrupted();
}

static void put_entry(sm_output *output, size_t row, size_t column, double distance) {
    sm_output_print(output, "%zu %zu ", row + 1, column + 1);
    sm_put_number(output, distance);
    sm_output_write(output, "\n", 1);
}

static smerf_status write_graph(const writer *from, const char *path, smerf_error *error) {
    size_t n_queries = from->queries->table.n_rows;
    sm_output *output;
    smerf_status status = sm_text_output_open(path, &output, error);
    if (status != SMERF_OK) return status;
    sm_output_print(output, "%%%%MatrixMarket matrix coordinate real general\n%zu %zu %zu\n", n_queries,
                    catalogue_size(from->items), from->n);
    for (size_t q = 0; q < n_queries; q++)
        for (size_t k = from->first[q]; k < from->first[q + 1]; k++)
            put_entry(output, q, from->kept[k].item, from->kept[k].distance);
    return sm_output_finish(output, error);
}

/* ---- a symmetric graph ---- */

/* Entry of the lower half. */
typedef struct half {
    size_t row, column;
    double distance;
} half;

static int compare_halves(const void *left, const void *right) {
    const half *a = left, *b = right;
    if (a->row != b->row) return a->row < b->row ? -1 : 1;
    return a->column < b->column ? -1 : a->column > b->column;
}

/* Pairs that are neighbours in both directions are there twice, and become one. */
static size_t find_halves(const writer *from, half *halves) {
    size_t n = 0, n_different = 0;
    for (size_t q = 0; q < from->queries->table.n_rows; q++)
        for (size_t k = from->first[q]; k < from->first[q + 1]; k++) {
            size_t item = from->kept[k].item;
            halves[n++] = (half){item > q ? item : q, item > q ? q : item, from->kept[k].distance};
        }
    qsort(halves, n, sizeof *halves, compare_halves);
    for (size_t k = 0; k < n; k++)
        if (k == 0 || compare_halves(&halves[k - 1], &halves[k]) != 0) halves[n_different++] = halves[k];
    return n_different;
}

static smerf_status write_symmetric_graph(const writer *from, const char *path, smerf_error *error) {
    sm_output *output = NULL;
    half *halves = calloc(from->n + 1, sizeof *halves);
    if (halves == NULL) {
        strcpy(error->message, "out of memory while writing a graph");
        return SMERF_NO_MEMORY;
    }
    size_t n_items = catalogue_size(from->items), n = find_halves(from, halves);
    smerf_status status = sm_text_output_open(path, &output, error);
    if (status == SMERF_OK) {
        sm_output_print(output, "%%%%MatrixMarket matrix coordinate real symmetric\n%zu %zu %zu\n", n_items, n_items,
                        n);
        for (size_t k = 0; k < n; k++) put_entry(output, halves[k].row, halves[k].column, halves[k].distance);
        status = sm_output_finish(output, error);
    }
    free(halves);
    return status;
}

/* ---- the command ---- */

/* What an index cannot do, as it keeps neither features nor other columns. */
static smerf_status check_index_use(const cli_args *args, smerf_error *error) {
    static const char *const others[] = {"--oob", "--vote", "--symmetric"};
    if (!cli_has(args, "--queries"))
        return cli_fail(args, error,
                        "--index wants --queries ITEMS2: an index knows the leaves of its items only, and "
                        "not the items themselves");
    for (size_t k = 0; k < sizeof others / sizeof *others; k++)
        if (cli_has(args, others[k]))
            return cli_fail(args, error, "--index and %s exclude each other: that needs ITEMS themselves", others[k]);
    return SMERF_OK;
}

static smerf_status check_use(const cli_args *args, smerf_neighborhood *wanted, smerf_error *error) {
    if (cli_has(args, "--items") + (args->n_words == 2) + cli_has(args, "--index") != 1)
        return cli_fail(args, error,
                        "among which items to look is said once: smerf neighbors MODEL ITEMS (or --items, or --index)");
    if (cli_has(args, "--index") && check_index_use(args, error) != SMERF_OK) return SMERF_BAD_INPUT;
    if (!cli_has(args, "-k") && !cli_has(args, "--radius"))
        return cli_fail(args, error, "how many neighbours, or how far? Give -k K, --radius R, or both");
    if (cli_has(args, "--oob") && cli_has(args, "--queries"))
        return cli_fail(args, error, "--oob and --queries exclude each other: out of bag is about training items");
    if (cli_has(args, "--oob-rule") && !cli_has(args, "--oob"))
        return cli_fail(args, error, "--oob-rule goes with --oob");
    if (cli_has(args, "--vote") && cli_has(args, "--graph"))
        return cli_fail(args, error, "--vote writes votes, and --graph the neighbours: give one of them");
    if (cli_has(args, "--categories") && !cli_has(args, "--vote"))
        return cli_fail(args, error, "--categories goes with --vote");
    if (cli_has(args, "--symmetric") && !cli_has(args, "--graph"))
        return cli_fail(args, error, "--symmetric goes with --graph");
    if (cli_has(args, "--symmetric") && cli_has(args, "--queries"))
        return cli_fail(args, error, "--symmetric and --queries exclude each other: a graph of two sets has two sides");
    wanted->out_of_bag = cli_has(args, "--oob");
    wanted->has_radius = cli_has(args, "--radius");
    smerf_status status = cli_get_size(args, "-k", 1, &wanted->k, error);
    if (status == SMERF_OK) status = cli_read_oob_rule(args, &wanted->oob_rule, error);
    return status == SMERF_OK ? cli_get_number(args, "--radius", &wanted->radius, error) : status;
}

/* Both outputs are there, or neither is. */
static smerf_status search(const cli_args *args, const smerf_model *model, const smerf_neighborhood *wanted, writer *to,
                           smerf_error *error) {
    const char *graph = cli_get(args, "--graph"), *path = cli_get_output(args);
    cli_follow follow;
    smerf_run run;
    to->keeps = graph != NULL;
    to->first = calloc(to->queries->table.n_rows + 1, sizeof *to->first);
    if (to->first == NULL) {
        strcpy(error->message, "out of memory while looking for neighbours");
        return SMERF_NO_MEMORY;
    }
    smerf_status status = SMERF_OK;
    if (graph != NULL) status = sm_output_check(graph, error);
    if (status == SMERF_OK && (graph == NULL || path != NULL))
        status = sm_text_output_open(path != NULL ? path : "-", &to->csv, error);
    if (status == SMERF_OK) status = cli_start_run(args, "looking for neighbours", &run, &follow, error);
    if (status != SMERF_OK) return status;
    const smerf_index *index = to->items->index;
    status = index != NULL ? smerf_index_query(index, wanted, &run, take_neighbors, to, error)
                           : smerf_neighbors(model, wanted, &run, take_neighbors, to, error);
    cli_stop_following(&follow);
    if (to->has_failed) {
        strcpy(error->message, "out of memory while looking for neighbours");
        status = SMERF_NO_MEMORY;
    }
    if (status == SMERF_OK && graph != NULL)
        status = (cli_has(args, "--symmetric") ? write_symmetric_graph : write_graph)(to, graph, error);
    return status;
}

static smerf_status write_neighbors(const cli_args *args, const smerf_model *model, const smerf_neighborhood *wanted,
                                    const catalogue *items, const cli_items *queries, smerf_error *error) {
    writer to = {.queries = queries, .items = items, .is_json = cli_has(args, "--json")};
    smerf_status status = search(args, model, wanted, &to, error);
    if (to.csv != NULL && (status == SMERF_OK || sm_output_has_failed(to.csv)))
        status = sm_output_finish(to.csv, error);
    else
        sm_output_abandon(to.csv);
    free(to.first);
    free(to.kept);
    return status;
}

static smerf_status read_items(const cli_args *args, const smerf_model *model, cli_items *items, cli_items *queries,
                               smerf_error *error) {
    if (cli_has(args, "--vote")) return cli_read_voters(args, model, items, queries, error);
    smerf_status status = SMERF_OK;
    if (!cli_has(args, "--index")) status = cli_read_known_items(args, model, cli_catalogue(args), items, error);
    if (status != SMERF_OK || !cli_has(args, "--queries")) return status;
    return cli_read_known_items(args, model, cli_get(args, "--queries"), queries, error);
}

static smerf_status load_index(const cli_args *args, const smerf_model *model, smerf_index **index,
                               smerf_error *error) {
    const char *path = cli_get(args, "--index");
    if (path == NULL) return SMERF_OK;
    smerf_status status = smerf_index_load(path, model, index, error);
    if (status == SMERF_OK) cli_note(args, "%s: an index of %zu items", path, smerf_index_count(*index));
    return status;
}

static smerf_status run_neighbors(const cli_args *args, smerf_error *error) {
    smerf_model *model = NULL;
    cli_items items = {0}, queries = {0};
    catalogue among = {.items = &items};
    smerf_neighborhood wanted = SMERF_INIT(smerf_neighborhood);
    smerf_status status = check_use(args, &wanted, error);
    if (status == SMERF_OK) status = smerf_model_load(args->words[0], &model, error);
    if (status == SMERF_OK) status = load_index(args, model, &among.index, error);
    if (status == SMERF_OK) status = read_items(args, model, &items, &queries, error);
    if (status == SMERF_OK) {
        const cli_items *askers = queries.items != NULL ? &queries : &items;
        wanted.items = items.items;
        wanted.queries = queries.items;
        status = cli_has(args, "--vote") ? cli_vote(args, model, &wanted, &items, askers, error)
                                         : write_neighbors(args, model, &wanted, &among, askers, error);
    }
    smerf_index_free(among.index);
    cli_free_items(&items);
    cli_free_items(&queries);
    smerf_model_free(model);
    return status;
}

static const char *const examples[] = {
    "smerf neighbors animals.smerf animals.csv --queries new-animals.csv -k 2",
    "smerf neighbors model.smerf items.csv -k 5 --graph nearest.mtx --symmetric",
    "smerf neighbors animals.smerf animals.csv -k 3 --vote kind",
    "smerf index animals.smerf animals.csv -o animals.index",
    "smerf neighbors animals.smerf --index animals.index --queries new-animals.csv -k 2",
    NULL,
};

const cli_command cli_neighbors = {
    .name = "neighbors",
    .usage = "neighbors MODEL ITEMS|--index FILE [--queries ITEMS2] -k K [--radius R] [--oob] "
             "[--vote COLUMN] [--graph FILE [--symmetric]] [-o FILE]",
    .summary = "nearest items, and what they say of a label or a number",
    .fewest_words = 1,
    .most_words = 2,
    .option_groups = options,
    .output = CLI_TABLE,
    .examples = examples,
    .run = run_neighbors};
