/* cmd_embed.c - smerf embed MODEL ITEMS --dim D [--landmarks N] [--oob], and smerf embed MODEL ITEMS --vectors [--queries] */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "common.h"
#include "fit_options.h"
#include "interrupt.h"
#include "io/matrix/npy.h"

static const cli_option own_options[] = {
    {"--dim", "D", "coordinates of each item on a map whose distances come near the predicted ones (default: 2)"},
    {"--landmarks", "N", "scale N of the items, and place the others by them (default: all up to 5000, else 5000)"},
    {"--seed", "N", "which landmarks are drawn: 0 ... 2^63-1 (default: 1)"},
    {"--oob", NULL, "a map of out-of-bag distances: ITEMS are the training items"},
    {"--oob-rule", "RULE", "both or either (default: as fitted)"},
    {"--json", NULL, "what is known of the map (and the coordinates, without -o) as JSON"},
    {"--vectors", NULL, "instead of a map: vectors for a search engine, whose neighbours are the forest's"},
    {"--queries", NULL, "with --vectors: ITEMS will be looked for, not found"},
    {"-o", "FILE", "where the result goes: .npy or CSV by its name (default: CSV to standard output)"},
    {"--id", "COLUMN", "names the items (default: as in training, or a column called 'id')"},
    {0},
};

static const cli_option *const options[] = {own_options, cli_general_options, NULL};

/* ---- a map ---- */

typedef struct map {
    const cli_items *items;
    size_t n, n_axes, n_landmarks, seed;
    double *x, *value; /* [n][n_axes], [n_axes] */
    smerf_map facts;
} map;

static void put_csv(sm_output *output, const map *of) {
    char space[24];
    sm_output_print(output, "item");
    for (size_t d = 0; d < of->n_axes; d++) sm_output_print(output, ",dim%zu", d + 1);
    sm_output_write(output, "\n", 1);
    for (size_t i = 0; i < of->n; i++) {
        sm_put_cell(output, cli_item_name(of->items, i, space));
        for (size_t d = 0; d < of->n_axes; d++) {
            sm_output_write(output, ",", 1);
            sm_put_number(output, of->x[i * of->n_axes + d]);
        }
        sm_output_write(output, "\n", 1);
    }
}

static void put_npy(sm_output *output, const map *of) {
    const size_t shape[2] = {of->n, of->n_axes};
    sm_npy_write_header(output, sizeof *of->x, 2, shape);
    sm_output_write(output, of->x, of->n * of->n_axes * sizeof *of->x);
}

static void put_json_coordinates(sm_output *output, const map *of) {
    char space[24];
    sm_output_print(output, ", \"items\": [");
    for (size_t i = 0; i < of->n; i++) {
        sm_output_print(output, "%s{\"item\": ", i == 0 ? "\n  " : ",\n  ");
        sm_put_json_string(output, cli_item_name(of->items, i, space));
        sm_output_print(output, ", \"coordinates\": [");
        for (size_t d = 0; d < of->n_axes; d++) {
            if (d > 0) sm_output_print(output, ", ");
            sm_put_json_number(output, of->x[i * of->n_axes + d]);
        }
        sm_output_print(output, "]}");
    }
    sm_output_print(output, "]");
}

static void put_json(sm_output *output, const map *of, bool has_coordinates) {
    sm_output_print(output, "{\"eigenvalues\": [");
    for (size_t d = 0; d < of->n_axes; d++) {
        if (d > 0) sm_output_print(output, ", ");
        sm_put_json_number(output, of->value[d]);
    }
    sm_output_print(output, "], \"share\": ");
    sm_put_json_number(output, of->facts.eigenvalue_fraction);
    sm_output_print(output, ", \"stress\": ");
    sm_put_json_number(output, of->facts.stress);
    sm_output_print(output, ", \"landmarks\": %zu", of->facts.n_landmarks);
    if (has_coordinates) put_json_coordinates(output, of);
    sm_output_print(output, "}\n");
}

static smerf_status write_map(const cli_args *args, const map *of, smerf_error *error) {
    const char *path = cli_get_output(args);
    sm_output *output;
    smerf_status status = SMERF_OK;
    if (path != NULL || !cli_has(args, "--json")) {
        status = sm_text_output_open(path != NULL ? path : "-", &output, error);
        if (status != SMERF_OK) return status;
        (path != NULL && cli_is_npy(path) ? put_npy : put_csv)(output, of);
        status = sm_output_finish(output, error);
    }
    if (status != SMERF_OK || !cli_has(args, "--json")) return status;
    status = sm_text_output_open("-", &output, error);
    if (status != SMERF_OK) return status;
    put_json(output, of, path == NULL);
    return sm_output_finish(output, error);
}

static void tell(const cli_args *args, const map *of) {
    char items[40], axes[40];
    if (cli_has(args, "--json")) return;
    cli_count(of->n, "item", items);
    cli_count(of->n_axes, "dimension", axes);
    if (of->facts.n_landmarks < of->n)
        cli_say(args, "%s in %s by %zu landmarks: stress %.3g among these", items, axes, of->facts.n_landmarks,
                of->facts.stress);
    else if (isnan(of->facts.stress))
        cli_say(args, "%s in %s, all in one place", items, axes);
    else
        cli_say(args, "%s in %s: stress %.3g", items, axes, of->facts.stress);
}

static smerf_status refuse_size(const map *of, smerf_error *error) {
    double bytes = (double)of->n * (double)of->n_axes * sizeof(double);
    snprintf(error->message, sizeof error->message,
             "%zu dimensions of %zu items take %.3g GB, more memory than there is", of->n_axes, of->n, bytes / 1e9);
    return SMERF_NO_MEMORY;
}

static smerf_status make_map(const cli_args *args, const smerf_model *model, const cli_items *items,
                             smerf_error *error) {
    map of = {.items = items, .n = items->table.n_rows, .n_axes = 2, .seed = 1};
    cli_follow follow;
    smerf_run run;
    smerf_status status = cli_get_size(args, "--dim", 1, &of.n_axes, error);
    if (status == SMERF_OK) status = cli_get_size(args, "--landmarks", 1, &of.n_landmarks, error);
    if (status == SMERF_OK) status = cli_get_size(args, "--seed", 0, &of.seed, error);
    smerf_map_options wanted =
        SMERF_INIT(smerf_map_options, .n_dimensions = of.n_axes, .n_landmarks = of.n_landmarks, .seed = of.seed);
    if (status == SMERF_OK) status = cli_read_out_of_bag(args, &wanted.out_of_bag, &wanted.oob_rule, error);
    if (status == SMERF_OK) status = cli_start_run(args, "making a map", &run, &follow, error);
    if (status != SMERF_OK) return status;
    of.x = calloc(of.n + 1, of.n_axes * sizeof *of.x);
    of.value = calloc(of.n_axes, sizeof *of.value);
    of.facts = SMERF_INIT(smerf_map, .coordinates = of.x, .eigenvalues = of.value);
    if (of.x == NULL || of.value == NULL)
        status = refuse_size(&of, error);
    else
        status = smerf_embed(model, items->items, &wanted, &run, &of.facts, error);
    cli_stop_following(&follow);
    if (status == SMERF_OK) status = write_map(args, &of, error);
    if (status == SMERF_OK) tell(args, &of);
    if (status == SMERF_OK) cli_tell_if_trained_on(args, model, items, "groups on the map look");
    free(of.x);
    free(of.value);
    return status;
}

/* ---- vectors ---- */

typedef struct vector_writer {
    const cli_items *items;
    sm_output *output;
    bool is_npy;
} vector_writer;

static void put_vector_head(const vector_writer *to, size_t size) {
    const size_t shape[2] = {to->items->table.n_rows, size};
    if (to->is_npy) {
        sm_npy_write_header(to->output, sizeof(float), 2, shape);
        return;
    }
    sm_output_print(to->output, "item");
    for (size_t d = 0; d < size; d++) sm_output_print(to->output, ",x%zu", d);
    sm_output_write(to->output, "\n", 1);
}

/* In the shortest form that reads back as the same float. */
static void put_float(sm_output *output, float value) {
    char text[24];
    for (int digits = 6; digits <= 9; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, (double)value);
        if (strtof(text, NULL) == value) break;
    }
    sm_output_print(output, "%s", text);
}

static int put_vector(void *context, size_t item, const float *vector, size_t size) {
    const vector_writer *to = context;
    char space[24];
    if (item == 0) put_vector_head(to, size);
    if (to->is_npy) {
        sm_output_write(to->output, vector, size * sizeof *vector);
    } else {
        sm_put_cell(to->output, cli_item_name(to->items, item, space));
        for (size_t d = 0; d < size; d++) {
            sm_output_write(to->output, ",", 1);
            put_float(to->output, vector[d]);
        }
        sm_output_write(to->output, "\n", 1);
    }
    return sm_output_has_failed(to->output) || cli_is_interrupted();
}

static smerf_status make_vectors(const cli_args *args, const smerf_model *model, const cli_items *items,
                                 smerf_error *error) {
    const char *path = cli_get_output(args) != NULL ? cli_get_output(args) : "-";
    vector_writer to = {.items = items, .is_npy = cli_is_npy(path)};
    cli_follow follow;
    smerf_run run;
    smerf_status status = cli_start_run(args, "making vectors", &run, &follow, error);
    if (status == SMERF_OK) status = sm_text_output_open(path, &to.output, error);
    if (status != SMERF_OK) return status;
    status = smerf_vectors(model, items->items, cli_has(args, "--queries"), &run,
                           &SMERF_INIT(smerf_vector_result, .sink = put_vector, .context = &to), error);
    cli_stop_following(&follow);
    if (status == SMERF_OK || sm_output_has_failed(to.output)) return sm_output_finish(to.output, error);
    sm_output_abandon(to.output);
    return status;
}

/* ---- the command ---- */

static smerf_status check_use(const cli_args *args, smerf_error *error) {
    static const char *const of_maps[] = {"--dim", "--landmarks", "--seed", "--json", "--oob", "--oob-rule"};
    for (size_t k = 0; k < sizeof of_maps / sizeof *of_maps; k++)
        if (cli_has(args, "--vectors") && cli_has(args, of_maps[k]))
            return cli_fail(args, error, "%s is about maps, and --vectors are none", of_maps[k]);
    if (cli_has(args, "--queries") && !cli_has(args, "--vectors"))
        return cli_fail(args, error, "--queries goes with --vectors");
    if (cli_has(args, "--json") && cli_get_output(args) != NULL && strcmp(cli_get_output(args), "-") == 0)
        return cli_fail(args, error, "--json and the coordinates cannot both go to standard output");
    return SMERF_OK;
}

static smerf_status run_embed(const cli_args *args, smerf_error *error) {
    smerf_model *model = NULL;
    cli_items items = {0};
    smerf_status status = check_use(args, error);
    if (status == SMERF_OK) status = smerf_model_load(args->words[0], &model, error);
    if (status == SMERF_OK) status = cli_read_known_items(args, model, args->words[1], &items, error);
    if (status == SMERF_OK) status = (cli_has(args, "--vectors") ? make_vectors : make_map)(args, model, &items, error);
    cli_free_items(&items);
    smerf_model_free(model);
    return status;
}

static const char *const examples[] = {
    "smerf embed model.smerf items.csv --dim 2 -o map.csv",
    "smerf embed animals.smerf animals.csv --vectors -o vectors.npy",
    NULL,
};

const cli_command cli_embed = {
    .name = "embed",
    .usage = "embed MODEL ITEMS [--dim D] [--landmarks N] [--oob] [-o FILE], or embed MODEL ITEMS "
             "--vectors [--queries] -o FILE.npy",
    .summary = "coordinates that show the distance, or vectors to search by it",
    .fewest_words = 2,
    .most_words = 2,
    .option_groups = options,
    .output = CLI_MATRIX,
    .examples = examples,
    .run = run_embed};
