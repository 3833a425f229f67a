/* instructions.c - runs one of the main kernels on fixed data, on one thread, for callgrind to count instructions:
 *
 *   bench-instructions KERNEL FOLDER     files that are read go to FOLDER
 *   bench-instructions --list            the kernels
 *   bench-instructions --machine         compiler and kind of kernels that this processor gets
 *
 * bench/instructions has the script. Only measured_part is counted: data are made before it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common.h"
#include "io/matrix/matrix.h"
#include "io/text/table.h"
#include "kernels/kernels.h"

enum { N_FEATURES = 20 };

/* Everything that a kernel may need, and what it leaves. */
typedef struct scene {
    size_t n;
    double *x[N_FEATURES], *y;
    smerf_items *items;
    smerf_target *target;
    smerf_options options;
    smerf_model *model;
    char path[4096];
    double sum;
} scene;

typedef struct part {
    const char *name;
    size_t n;
    size_t n_trees;
    void (*prepare)(scene *stage);
    void (*run)(scene *stage);
} part;

/* callgrind counts between entering and leaving this function, so it must stay one. */
void measured_part(const part *kernel, scene *stage);
__attribute__((noinline)) void measured_part(const part *kernel, scene *stage) { kernel->run(stage); }

/* ---- Data ---- */

static uint64_t state = BENCH_SEED;

static void make_items(scene *stage) {
    static char names[N_FEATURES][8];
    smerf_column columns[N_FEATURES];
    smerf_error error;
    for (size_t f = 0; f < N_FEATURES; f++) {
        stage->x[f] = bench_zeros(stage->n, sizeof(double));
        for (size_t i = 0; i < stage->n; i++) stage->x[f][i] = bench_uniform(&state);
        snprintf(names[f], sizeof names[f], "x%zu", f);
        columns[f] = (smerf_column){.name = names[f], .kind = SMERF_NUMBER, .values = stage->x[f]};
    }
    bench_check(smerf_items_new(columns, N_FEATURES, stage->n, &stage->items, &error), &error);
    stage->y = bench_zeros(stage->n, sizeof(double));
    for (size_t i = 0; i < stage->n; i++)
        stage->y[i] = stage->x[0][i] + stage->x[1][i] * stage->x[2][i] + 0.3 * bench_uniform(&state);
}

static void make_labels(scene *stage) {
    static const char *const classes[] = {"a", "b", "c", "d", "e"};
    uint32_t *codes = bench_zeros(stage->n, sizeof *codes);
    smerf_error error;
    for (size_t i = 0; i < stage->n; i++) codes[i] = (uint32_t)fmin(4, floor(2.2 * stage->y[i]));
    bench_check(smerf_target_new_labels("y", codes, stage->n, classes, 5, &stage->target, &error), &error);
    free(codes);
}

static void make_oblique_labels(scene *stage) {
    make_labels(stage);
    stage->options.splits = SMERF_OBLIQUE;
}

static void make_response(scene *stage) {
    static const char *const names[] = {"y"};
    const double *const columns[] = {stage->y};
    smerf_error error;
    bench_check(smerf_target_new_response(names, columns, 1, stage->n, &stage->target, &error), &error);
}

static double distance_of(const scene *stage, size_t i, size_t j) {
    double sum = 0;
    for (size_t f = 0; f < 5; f++) sum += fabs(stage->x[f][i] - stage->x[f][j]);
    return sum;
}

static void make_distances(scene *stage) {
    size_t n = stage->n;
    float *z = bench_zeros(n * n, sizeof *z); /* the target's, until the program ends */
    smerf_error error;
    for (size_t i = 0; i < n * n; i++) z[i] = (float)distance_of(stage, i / n, i % n);
    bench_check(smerf_target_new_distances(z, n, &stage->target, &error), &error);
}

static void make_rank(scene *stage) {
    make_distances(stage);
    stage->options.rank = 8;
}

/* 10 of the pairs that each item could have, with values where they are rated. */
static void make_pair_list(scene *stage, smerf_pair_list *list, bool is_rated) {
    size_t n = 10 * stage->n;
    uint32_t *left = bench_zeros(n, sizeof *left), *right = bench_zeros(n, sizeof *right);
    double *value = bench_zeros(n, sizeof *value);
    for (size_t k = 0; k < n;) {
        size_t i = (size_t)(bench_uniform(&state) * (double)stage->n),
               j = (size_t)(bench_uniform(&state) * (double)stage->n);
        double apart = distance_of(stage, i, j);
        if (i == j || (!is_rated && apart > 1)) continue;
        left[k] = (uint32_t)i;
        right[k] = (uint32_t)j;
        value[k++] = is_rated ? apart : 1;
    }
    *list = (smerf_pair_list){.n = n, .left = left, .right = right, .value = value};
}

static void make_graph(scene *stage) {
    smerf_pair_list list;
    smerf_error error;
    make_pair_list(stage, &list, false);
    bench_check(smerf_target_new_graph(&list, NULL, stage->n, &stage->target, &error), &error);
}

static void make_pairs(scene *stage) {
    smerf_pair_list list;
    smerf_error error;
    make_pair_list(stage, &list, true);
    bench_check(smerf_target_new_pairs(&list, stage->n, &stage->target, &error), &error);
}

/* ---- Kernels ---- */

static void fit(scene *stage) {
    smerf_error error;
    const smerf_run run = SMERF_INIT(smerf_run, .n_threads = 1);
    bench_check(smerf_fit(stage->items, stage->target, &stage->options, &run, &stage->model, &error), &error);
}

static void make_labels_forest(scene *stage) {
    make_labels(stage);
    fit(stage);
}

static void make_distances_forest(scene *stage) {
    make_distances(stage);
    fit(stage);
}

static int add_row(void *context, size_t row, const double *distances, size_t n) {
    scene *stage = context;
    stage->sum += distances[row % n];
    return 0;
}

static void predict(scene *stage) {
    smerf_error error;
    const smerf_run run = SMERF_INIT(smerf_run, .n_threads = 1);
    const smerf_request request = SMERF_INIT(smerf_request, .rows = stage->items);
    bench_check(smerf_predict_rows(stage->model, &request, &run, add_row, stage, &error), &error);
}

static int drop_neighbors(void *context, size_t query, const smerf_neighbor *neighbors, size_t n) {
    (void)context, (void)query, (void)neighbors, (void)n;
    return 0;
}

static void find_neighbors(scene *stage) {
    const smerf_run run = SMERF_INIT(smerf_run, .n_threads = 1);
    const smerf_neighborhood wanted = SMERF_INIT(smerf_neighborhood, .items = stage->items, .k = 10);
    smerf_error error;
    bench_check(smerf_neighbors(stage->model, &wanted, &run, drop_neighbors, NULL, &error), &error);
}

static FILE *open_file(scene *stage, const char *name) {
    strncat(stage->path, name, sizeof stage->path - strlen(stage->path) - 1);
    FILE *file = fopen(stage->path, "wb");
    if (file == NULL) {
        fprintf(stderr, "bench: cannot write %s\n", stage->path);
        exit(1);
    }
    return file;
}

static void write_table(scene *stage) {
    FILE *file = open_file(stage, "/table.csv");
    for (size_t f = 0; f < N_FEATURES; f++) fprintf(file, "x%zu%c", f, f + 1 < N_FEATURES ? ',' : '\n');
    for (size_t i = 0; i < stage->n; i++)
        for (size_t f = 0; f < N_FEATURES; f++)
            fprintf(file, "%.17g%c", stage->x[f][i], f + 1 < N_FEATURES ? ',' : '\n');
    fclose(file);
}

static void read_table(scene *stage) {
    sm_table table;
    smerf_error error;
    const sm_table_spec spec = {0};
    bench_check(sm_table_read(stage->path, &spec, &table, &error), &error);
    stage->sum += table.columns[0].values[0];
}

static void write_matrix(scene *stage) {
    enum { HEADER = 128 };
    char header[HEADER + 1], shape[HEADER];
    FILE *file = open_file(stage, "/matrix.npy");
    snprintf(shape, sizeof shape, "{'descr': '<f8', 'fortran_order': False, 'shape': (%zu, %zu), }", stage->n,
             stage->n);
    snprintf(header, sizeof header, "%-117s\n", shape);
    fwrite("\x93NUMPY\x01\x00\x76\x00", 1, 10, file);
    fwrite(header, 1, HEADER - 10, file);
    for (size_t i = 0; i < stage->n * stage->n; i++) {
        double z = distance_of(stage, i / stage->n, i % stage->n);
        fwrite(&z, sizeof z, 1, file);
    }
    fclose(file);
}

static void read_matrix(scene *stage) {
    const sm_matrix_side side = {.n = stage->n};
    const sm_matrix_spec spec = {.rows = side, .columns = side, .is_square = true, .n_threads = 1};
    sm_matrix matrix;
    smerf_error error;
    bench_check(sm_matrix_read(stage->path, &spec, &matrix, &error), &error);
    stage->sum += (double)matrix.z[1];
}

static const part kernels[] = {
    {"grow labels", 5000, 2, make_labels, fit},
    {"grow response", 5000, 2, make_response, fit},
    {"grow oblique labels", 5000, 1, make_oblique_labels, fit},
    {"grow distances", 800, 2, make_distances, fit},
    {"grow rank 8", 300, 20, make_rank, fit},
    {"grow graph", 2000, 1, make_graph, fit},
    {"grow pairs", 2000, 1, make_pairs, fit},
    {"predict all pairs, labels", 500, 50, make_labels_forest, predict},
    {"predict all pairs, distances", 300, 20, make_distances_forest, predict},
    {"neighbours", 1000, 20, make_labels_forest, find_neighbors},
    {"read a table", 5000, 0, write_table, read_table},
    {"read a matrix", 1000, 0, write_matrix, read_matrix},
};
enum { N_KERNELS = sizeof kernels / sizeof *kernels };

static void run_kernel(const part *kernel, const char *folder) {
    scene stage = {.n = kernel->n};
    smerf_options_paper(&stage.options);
    stage.options.n_trees = kernel->n_trees;
    stage.options.candidates = 5;
    stage.options.complete = SMERF_COMPLETE_OFF;
    snprintf(stage.path, sizeof stage.path, "%s", folder);
    make_items(&stage);
    kernel->prepare(&stage);
    measured_part(kernel, &stage);
}

int main(int n_words, char **words) {
    if (n_words == 2 && strcmp(words[1], "--list") == 0) {
        for (size_t k = 0; k < N_KERNELS; k++) printf("%s\n", kernels[k].name);
        return 0;
    }
    if (n_words == 2 && strcmp(words[1], "--machine") == 0) {
#if defined(__clang__)
        printf("clang %d.%d.%d", __clang_major__, __clang_minor__, __clang_patchlevel__);
#else
        printf("gcc %d.%d.%d", __GNUC__, __GNUC_MINOR__, __GNUC_PATCHLEVEL__);
#endif
        printf(" / %s\n", sm_kernels_select(SMERF_KERNELS_AUTO)->name);
        return 0;
    }
    for (size_t k = 0; n_words == 3 && k < N_KERNELS; k++)
        if (strcmp(words[1], kernels[k].name) == 0) {
            run_kernel(&kernels[k], words[2]);
            return 0;
        }
    fprintf(stderr, "usage: bench-instructions KERNEL FOLDER | --list | --machine\n");
    return 2;
}
