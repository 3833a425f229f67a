/* grid.c - reads the grid of settings that a user writes, option by option: see grid.h. */
#include "grid.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fit_options.h"
#include "io/text/text.h"

/* Each adds one value to its list; false: it is none. */

static bool add_candidates(cli_grid *grid, const char *text) {
    smerf_candidate_count *count = &grid->candidates[grid->grid.n_candidates++];
    return cli_parse_candidates(text, &count->number, &count->power);
}

static bool add_min_parent(cli_grid *grid, const char *text) {
    char *end;
    unsigned long value = strtoul(text, &end, 10);
    grid->min_parents[grid->grid.n_min_parents++] = value;
    return text[0] >= '0' && text[0] <= '9' && *end == '\0' && value >= 2 && value < UINT32_MAX;
}

static bool add_splits(cli_grid *grid, const char *text) {
    bool is_oblique = strcmp(text, cli_splits_name(SMERF_OBLIQUE)) == 0;
    grid->splits[grid->grid.n_splits++] = is_oblique ? SMERF_OBLIQUE : SMERF_AXIS;
    return is_oblique || strcmp(text, cli_splits_name(SMERF_AXIS)) == 0;
}

static bool add_density(cli_grid *grid, const char *text) {
    double *value = &grid->densities[grid->grid.n_densities++];
    return sm_number_parse(text, strlen(text), value) == SM_CELL_NUMBER && *value > 0 && *value <= 1;
}

static bool add_self(cli_grid *grid, const char *text) {
    smerf_self_setting *self = &grid->selves[grid->grid.n_selves++];
    return cli_parse_self(text, &self->kind, &self->value);
}

static const struct {
    const char *key, *values; /* values: what they may be, for the message */
    bool (*add)(cli_grid *grid, const char *text);
    size_t most; /* values */
} keys[] = {
    {"candidates", "numbers, all, auto, p, or powers such as p^0.5", add_candidates, CLI_MOST_VALUES},
    {"min-parent", "whole numbers from 2", add_min_parent, CLI_MOST_VALUES},
    {"splits", "axis, oblique", add_splits, 2},
    {"self-distance", "given, exclude, or numbers", add_self, CLI_MOST_VALUES},
    {"density", "numbers above 0, up to 1", add_density, CLI_MOST_VALUES},
};

enum { N_KEYS = sizeof keys / sizeof *keys };

static smerf_status fail_at_key(const cli_args *args, const char *key, size_t length, smerf_error *error) {
    char known[160] = "";
    for (size_t k = 0; k < N_KEYS; k++) {
        size_t n = strlen(known);
        snprintf(known + n, sizeof known - n, "%s%s", k == 0 ? "" : k + 1 == N_KEYS ? " or " : ", ", keys[k].key);
    }
    return cli_fail(args, error, "--grid: '%.*s' is not known; it is %s, each followed by = and values", (int)length,
                    key, known);
}

/* "min-parent=2,8" */
static smerf_status read_key(const cli_args *args, const char *text, cli_grid *grid, smerf_error *error) {
    size_t length = strcspn(text, "="), k = 0, n = 0;
    char option[40];
    while (k < N_KEYS && (strlen(keys[k].key) != length || strncmp(keys[k].key, text, length) != 0)) k++;
    if (k == N_KEYS || text[length] == '\0') return fail_at_key(args, text, length, error);
    snprintf(option, sizeof option, "--%s", keys[k].key);
    if (cli_has(args, option))
        return cli_fail(args, error, "%s is given, and in --grid: one of them says what it is", option);
    char **values = cli_split(text + length + 1, &n);
    smerf_status status = SMERF_OK;
    if (values == NULL) {
        strcpy(error->message, "out of memory while reading --grid");
        return SMERF_NO_MEMORY;
    }
    if (n > keys[k].most)
        status = cli_fail(args, error, "--grid: %s has more than %zu values", keys[k].key, keys[k].most);
    for (size_t v = 0; v < n && status == SMERF_OK; v++)
        if (!keys[k].add(grid, values[v]))
            status = cli_fail(args, error, "--grid: '%s' is not a value of %s, which takes %s", values[v], keys[k].key,
                              keys[k].values);
    cli_free_list(values);
    return status;
}

smerf_status cli_read_grid(const cli_args *args, cli_grid *grid, smerf_error *error) {
    *grid = (cli_grid){.grid = {.size = sizeof grid->grid,
                                .candidates = grid->candidates,
                                .min_parents = grid->min_parents,
                                .splits = grid->splits,
                                .densities = grid->densities,
                                .selves = grid->selves}};
    const char *text = cli_get(args, "--grid");
    smerf_status status = SMERF_OK;
    bool is_seen[N_KEYS] = {false};
    while (text != NULL && status == SMERF_OK) {
        size_t length = strcspn(text, ";");
        char *part = strndup(text, length);
        if (part == NULL) {
            strcpy(error->message, "out of memory while reading --grid");
            return SMERF_NO_MEMORY;
        }
        for (size_t k = 0; k < N_KEYS && status == SMERF_OK; k++) {
            size_t n = strlen(keys[k].key);
            if (strncmp(part, keys[k].key, n) != 0 || part[n] != '=') continue;
            if (is_seen[k]) status = cli_fail(args, error, "--grid: %s is there twice", keys[k].key);
            is_seen[k] = true;
        }
        if (status == SMERF_OK) status = read_key(args, part, grid, error);
        free(part);
        text = text[length] == ';' && text[length + 1] != '\0' ? text + length + 1 : NULL;
    }
    return status;
}
