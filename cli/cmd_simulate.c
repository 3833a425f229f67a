/* cmd_simulate.c - smerf simulate regression|bilinear|radial -n N [--test M] -o DIR */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "common.h"
#include "folder.h"
#include "io/matrix/npy.h"
#include "smerf_study.h"

static const cli_option own_options[] = {
    {"-n", "N", "how many items to train on (required)"},
    {"--test", "M", "as many more to test with"},
    {"-o", "DIR", "where the files go (required); made if it is not there"},
    {"--seed", "N", "0 ... 2^63 - 1 (default 1)"},
    {0},
};

static const cli_option *const options[] = {own_options, cli_general_options, NULL};

static const char *const *files_written(const cli_args *args) {
    static const char *const names[] = {"items.csv", "distances.npy", "test-items.csv", "test-distances.npy", NULL};
    (void)args;
    return names;
}

enum { P = SMERF_SIMULATED_FEATURES };

/* One half of the files: to train on, or to test with. */
typedef struct simulated {
    smerf_simulation_kind kind;
    size_t n;
    uint64_t seed;
    uint32_t part; /* 0: to train on */
    const char *folder;
} simulated;

enum { ITEMS_AT_ONCE = 1000 };

/* Writes the items, and keeps the number that each one's distances depend on. */
static smerf_status write_items(const simulated *data, const char *name, double *y, smerf_error *error) {
    static double x[ITEMS_AT_ONCE * P];
    sm_output *output;
    smerf_status status = cli_open_in(data->folder, name, &output, error);
    if (status != SMERF_OK) return status;
    for (size_t f = 0; f < P; f++) sm_output_print(output, "%sx%zu", f == 0 ? "" : ",", f + 1);
    sm_output_print(output, "\n");
    for (size_t first = 0, n; first < data->n && status == SMERF_OK; first += n) {
        n = data->n - first < ITEMS_AT_ONCE ? data->n - first : ITEMS_AT_ONCE;
        const smerf_simulation wanted = SMERF_INIT(smerf_simulation, .kind = data->kind, .part = data->part,
                                                   .seed = data->seed, .first_item = first, .n_items = n);
        status = smerf_simulate(&wanted, x, y + first, error);
        for (size_t i = 0; i < n * P && status == SMERF_OK; i++) {
            sm_put_number(output, x[i]);
            sm_output_write(output, i % P + 1 == P ? "\n" : ",", 1);
        }
    }
    if (status == SMERF_OK)
        cli_keep_in(output);
    else
        sm_output_abandon(output);
    return status;
}

/* Row by row: the matrix need not fit into memory. */
static smerf_status write_distances(const simulated *data, const char *name, const double *y, smerf_error *error) {
    sm_output *output;
    const size_t shape[2] = {data->n, data->n};
    smerf_status status = cli_open_in(data->folder, name, &output, error);
    if (status != SMERF_OK) return status;
    sm_npy_write_header(output, sizeof *y, 2, shape);
    for (size_t i = 0; i < data->n && !sm_output_has_failed(output); i++)
        for (size_t j = 0; j < data->n; j++) {
            double distance = smerf_simulated_distance(data->kind, y[i], y[j]);
            sm_output_write(output, &distance, sizeof distance);
        }
    cli_keep_in(output);
    return SMERF_OK;
}

static smerf_status make_part(const simulated *data, smerf_error *error) {
    bool is_training = data->part == 0;
    double *y = data->n <= SIZE_MAX / sizeof *y ? malloc(data->n * sizeof *y) : NULL;
    if (y == NULL) {
        strcpy(error->message, "out of memory while simulating");
        return SMERF_NO_MEMORY;
    }
    smerf_status status = write_items(data, is_training ? "items.csv" : "test-items.csv", y, error);
    if (status == SMERF_OK)
        status = write_distances(data, is_training ? "distances.npy" : "test-distances.npy", y, error);
    free(y);
    return status;
}

static smerf_status run_simulate(const cli_args *args, smerf_error *error) {
    static const char *const kinds[] = {"regression", "bilinear", "radial"};
    size_t n = 0, n_test = 0, seed = 1;
    unsigned kind = 0;
    while (kind < 3 && strcmp(args->words[0], kinds[kind]) != 0) kind++;
    if (kind == 3)
        return cli_fail(args, error, "'%s' is not known; it is regression, bilinear or radial", args->words[0]);
    smerf_status status = cli_get_size(args, "-n", 1, &n, error);
    if (status == SMERF_OK) status = cli_get_size(args, "--test", 1, &n_test, error);
    if (status == SMERF_OK) status = cli_get_size(args, "--seed", 0, &seed, error);
    if (status != SMERF_OK) return status;
    if (seed > INT64_MAX) return cli_fail(args, error, "--seed '%zu' is not in 0 ... 2^63 - 1", seed);
    if (n == 0) return cli_fail(args, error, "-n N is missing: how many items?");
    const char *folder = cli_get_output(args);
    if (folder == NULL) return cli_fail(args, error, "-o DIR is missing: where shall the files go?");
    if (strcmp(folder, "-") == 0) return cli_fail(args, error, "-o - will not do: several files need a folder");
    simulated training = {.kind = (smerf_simulation_kind)kind, .n = n, .seed = seed, .folder = folder},
              testing = training;
    testing.n = n_test;
    testing.part = 1;
    size_t largest = n > n_test ? n : n_test;
    char what[64];
    snprintf(what, sizeof what, "the distances of %zu items", largest);
    status = cli_make_folder(folder, (double)largest * (double)largest * sizeof(double), what, error);
    if (status == SMERF_OK) status = make_part(&training, error);
    if (status == SMERF_OK && n_test > 0) status = make_part(&testing, error);
    status = cli_finish_kept(status, error);
    if (status == SMERF_OK) cli_say(args, "%s data in %s", kinds[kind], folder);
    return status;
}

static const char *const examples[] = {
    "smerf simulate radial -n 320 --test 200 -o radial",
    "smerf simulate regression -n 100 --seed 2 -o data",
    NULL,
};

const cli_command cli_simulate = {.name = "simulate",
                                  .usage = "simulate regression|bilinear|radial -n N [--test M] -o DIR",
                                  .summary = "the paper's simulated data",
                                  .fewest_words = 1,
                                  .most_words = 1,
                                  .option_groups = options,
                                  .output = CLI_FOLDER,
                                  .writes = files_written,
                                  .examples = examples,
                                  .run = run_simulate};
