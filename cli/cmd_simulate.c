/* cmd_simulate.c - smerf simulate regression|bilinear|radial -n N [--test M] -o DIR */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "commands.h"
#include "common.h"
#include "io/npy.h"

static const cli_option own_options[] = {
    {"-n", "N", "how many items to train on (required)"},
    {"--test", "M", "as many more to test with"},
    {"-o", "DIR", "where the files go (required); made if it is not there"},
    {"--seed", "N", "0 ... 2^63 - 1 (default 1)"},
    {0},
};

static const cli_option *const options[] = {own_options, cli_general_options, NULL};

enum { P = SMERF_SIMULATED_FEATURES };

static smerf_status open_in(const char *folder, const char *name, sm_output **output, smerf_error *error) {
    size_t size = strlen(folder) + strlen(name) + 2;
    char *path = malloc(size);
    if (path == NULL) {
        strcpy(error->message, "out of memory while writing files");
        return SMERF_NO_MEMORY;
    }
    snprintf(path, size, "%s/%s", folder, name);
    smerf_status status = sm_output_open(path, output, error);
    free(path);
    return status;
}

static smerf_status write_items(const char *folder, const char *name, const double *x, size_t n, smerf_error *error) {
    sm_output *output;
    smerf_status status = open_in(folder, name, &output, error);
    if (status != SMERF_OK) return status;
    for (size_t f = 0; f < P; f++) sm_output_print(output, "%sx%zu", f == 0 ? "" : ",", f + 1);
    sm_output_print(output, "\n");
    for (size_t i = 0; i < n; i++)
        for (size_t f = 0; f < P; f++) {
            sm_put_number(output, x[i * P + f]);
            sm_output_write(output, f + 1 == P ? "\n" : ",", 1);
        }
    return sm_output_finish(output, error);
}

static smerf_status write_distances(const char *folder, const char *name, const double *z, size_t n,
                                    smerf_error *error) {
    sm_output *output;
    const size_t shape[2] = {n, n};
    smerf_status status = open_in(folder, name, &output, error);
    if (status != SMERF_OK) return status;
    sm_npy_write_header(output, sizeof *z, 2, shape);
    sm_output_write(output, z, n * n * sizeof *z);
    return sm_output_finish(output, error);
}

static smerf_status make_part(smerf_simulation kind, size_t n, uint64_t seed, uint32_t part, const char *folder,
                              smerf_error *error) {
    double *x = NULL, *z = NULL;
    smerf_status status = SMERF_OK;
    if (n <= SIZE_MAX / sizeof(double) / n / 2) {
        x = malloc(n * P * sizeof *x);
        z = malloc(n * n * sizeof *z);
    }
    if (x == NULL || z == NULL) {
        snprintf(error->message, sizeof error->message, "the distances of %zu items need %.1f GB of memory", n,
                 (double)n * (double)n * sizeof(double) / 1e9);
        status = SMERF_NO_MEMORY;
    }
    if (status == SMERF_OK) status = smerf_simulate(kind, n, seed, part, x, z, error);
    if (status == SMERF_OK) status = write_items(folder, part == 0 ? "items.csv" : "test-items.csv", x, n, error);
    if (status == SMERF_OK)
        status = write_distances(folder, part == 0 ? "distances.npy" : "test-distances.npy", z, n, error);
    free(x);
    free(z);
    return status;
}

static smerf_status make_folder(const char *path, smerf_error *error) {
    if (mkdir(path, 0777) == 0 || errno == EEXIST) return SMERF_OK; /* a file of that name fails when written into */
    snprintf(error->message, sizeof error->message, "%.300s: cannot be made: %s", path, strerror(errno));
    return SMERF_IO;
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
    const char *folder = cli_get(args, "-o");
    if (folder == NULL) return cli_fail(args, error, "-o DIR is missing: where shall the files go?");
    status = make_folder(folder, error);
    if (status == SMERF_OK) status = make_part((smerf_simulation)kind, n, seed, 0, folder, error);
    if (status == SMERF_OK && n_test > 0) status = make_part((smerf_simulation)kind, n_test, seed, 1, folder, error);
    if (status == SMERF_OK) cli_say(args, "%s data in %s", kinds[kind], folder);
    return status;
}

const cli_command cli_simulate = {.name = "simulate",
                                  .usage = "simulate regression|bilinear|radial -n N [--test M] -o DIR",
                                  .summary = "the paper's simulated data",
                                  .fewest_words = 1,
                                  .most_words = 1,
                                  .option_groups = options,
                                  .run = run_simulate};
