/* data.c - simulated items as the library wants them, with the same numbers as smerf simulate writes. */
#include <stdio.h>
#include <stdlib.h>

#include "reproduce.h"

enum { P = SMERF_SIMULATED_FEATURES };

/* Rows to columns.   x  [n][P] */
static void turn(const double *x, size_t n, double *columns) {
    for (size_t i = 0; i < n; i++)
        for (size_t f = 0; f < P; f++) columns[f * n + i] = x[i * P + f];
}

static smerf_status make_items(cli_simulated *data, size_t n_features, smerf_error *error) {
    char names[P][24];
    smerf_column columns[P];
    for (size_t f = 0; f < n_features; f++) {
        snprintf(names[f], sizeof names[f], "x%zu", f + 1);
        columns[f] = (smerf_column){.name = names[f], .kind = SMERF_NUMBER, .values = data->columns + f * data->n};
    }
    return smerf_items_new(columns, n_features, data->n, &data->items, error);
}

smerf_status cli_simulate_items(smerf_simulation_kind kind, size_t n, size_t n_features, uint64_t seed, uint32_t part,
                                cli_simulated *data, smerf_error *error) {
    *data = (cli_simulated){.n = n};
    double *x = calloc(n, P * sizeof *x);
    data->columns = calloc(n, P * sizeof *data->columns);
    data->y = calloc(n, sizeof *data->y);
    smerf_status status = SMERF_OK;
    if (x == NULL || data->columns == NULL || data->y == NULL) status = cli_no_memory(error, "simulating");
    if (status == SMERF_OK)
        status = smerf_simulate(
            &SMERF_INIT(smerf_simulation, .kind = kind, .first_item = 0, .n_items = n, .seed = seed, .part = part), x,
            data->y, error);
    if (status == SMERF_OK) {
        turn(x, n, data->columns);
        status = make_items(data, n_features, error);
    }
    free(x);
    return status;
}

smerf_status cli_simulate_distances(smerf_simulation_kind kind, cli_simulated *data, smerf_error *error) {
    size_t n = data->n;
    data->z = calloc(n, n * sizeof *data->z);
    if (data->z == NULL) return cli_no_memory(error, "simulating");
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            data->z[i * n + j] = (float)smerf_simulated_distance(kind, data->y[i], data->y[j]);
    return smerf_target_new_distances(data->z, n, &data->target, error);
}

void cli_free_simulated(cli_simulated *data) {
    smerf_target_free(data->target);
    smerf_items_free(data->items);
    free(data->z);
    free(data->y);
    free(data->columns);
    *data = (cli_simulated){0};
}
