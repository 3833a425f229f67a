/* scale.c - how time and memory grow with the size of the data, for the targets that never need a matrix.
 *
 *   bench-scale KIND FIRST LAST TREES THREADS     KIND is labels, response, graph or pairs
 *
 * Sizes double from FIRST to LAST items. Each size runs in a process of its own, so that peak memory is its own. Graphs
 * have 10 edges a node, pairs 100 an item; there are 20 features. The exponent of a line is how fast processor time grows
 * from the size before: 1 is linear. "model MB" is the forest in memory; the last column is what is needed beside it, in
 * units of 16 bytes x items x features. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "smerf.h"

enum { N_FEATURES = 20, EDGES_A_NODE = 10, PAIRS_AN_ITEM = 100, N_CLASSES = 5 };

typedef struct measured {
    double seconds, cpu_seconds, peak_bytes, model_bytes;
} measured;

typedef struct work {
    const char *kind;
    size_t n, n_trees, n_threads;
} work;

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* What all threads have worked: less noisy than the clock on a machine that others use too. */
static double worked(void) {
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void fail(const smerf_error *error) {
    fprintf(stderr, "bench-scale: %s\n", error->message);
    exit(1);
}

static uint64_t state = 88172645463325252u;

static uint64_t draw(void) { /* xorshift: quick, and good enough to make up data */
    state ^= state << 13;
    state ^= state >> 7;
    return state ^= state << 17;
}

static double draw_uniform(void) { return (double)(draw() >> 11) * 0x1p-53; }

static void *need(size_t count, size_t size) {
    void *room = calloc(count, size);
    if (room == NULL) {
        fprintf(stderr, "bench-scale: no memory\n");
        exit(1);
    }
    return room;
}

/* What the first features say of an item, with some noise. */
static double hidden(double *const *x, size_t i) {
    return x[0][i] + sin(6 * x[1][i]) + x[2][i] * x[3][i] + 0.3 * draw_uniform();
}

static smerf_items *make_items(size_t n, double **x) {
    static char names[N_FEATURES][8];
    smerf_column columns[N_FEATURES];
    smerf_items *items = NULL;
    smerf_error error;
    for (size_t f = 0; f < N_FEATURES; f++) {
        x[f] = need(n, sizeof *x[f]);
        for (size_t i = 0; i < n; i++) x[f][i] = draw_uniform();
        snprintf(names[f], sizeof names[f], "x%zu", f);
        columns[f] = (smerf_column){.name = names[f], .kind = SMERF_NUMBER, .values = x[f]};
    }
    if (smerf_items_new(columns, N_FEATURES, n, &items, &error) != SMERF_OK) fail(&error);
    return items;
}

static smerf_target *make_columns(const work *job, double *const *x) {
    static const char *const classes[N_CLASSES] = {"a", "b", "c", "d", "e"}, *const names[1] = {"y"};
    smerf_target *target = NULL;
    smerf_error error;
    smerf_status status;
    double *y = need(job->n, sizeof *y);
    const double *const columns[1] = {y};
    for (size_t i = 0; i < job->n; i++) y[i] = hidden(x, i);
    if (strcmp(job->kind, "response") == 0) {
        status = smerf_target_new_response(names, columns, 1, job->n, &target, &error);
    } else {
        uint32_t *codes = need(job->n, sizeof *codes);
        for (size_t i = 0; i < job->n; i++) codes[i] = (uint32_t)fmax(0, fmin(N_CLASSES - 1, floor(2 * y[i] + 1)));
        status = smerf_target_new_labels("y", codes, job->n, classes, N_CLASSES, &target, &error);
        free(codes);
    }
    free(y);
    if (status != SMERF_OK) fail(&error);
    return target;
}

/* Pairs of items whose hidden numbers are alike come more often: links, or ratings. */
static smerf_target *make_pairs(const work *job, double *const *x) {
    bool is_graph = strcmp(job->kind, "graph") == 0;
    size_t n_pairs = job->n * (is_graph ? EDGES_A_NODE : PAIRS_AN_ITEM);
    uint32_t *left = need(n_pairs, sizeof *left), *right = need(n_pairs, sizeof *right);
    double *y = need(job->n, sizeof *y), *value = need(n_pairs, sizeof *value);
    for (size_t i = 0; i < job->n; i++) y[i] = hidden(x, i);
    for (size_t k = 0; k < n_pairs;) {
        size_t i = draw() % job->n, j = draw() % job->n;
        double apart = y[i] - y[j];
        if (i == j || (is_graph && exp(-4 * apart * apart) < draw_uniform())) continue;
        left[k] = (uint32_t)i;
        right[k] = (uint32_t)j;
        value[k++] = apart * apart + 0.1 * draw_uniform();
    }
    const smerf_pair_list list = {.n = n_pairs, .left = left, .right = right, .value = is_graph ? NULL : value};
    smerf_target *target = NULL;
    smerf_error error;
    smerf_status status = is_graph ? smerf_target_new_graph(&list, NULL, job->n, &target, &error)
                                   : smerf_target_new_pairs(&list, job->n, &target, &error);
    if (status != SMERF_OK) fail(&error);
    free(left);
    free(right);
    free(y);
    free(value);
    return target;
}

static double bytes_of_model(const smerf_model *model, const work *job) {
    smerf_description description;
    smerf_model_describe(model, &description);
    double n = (double)description.n_items, bytes = 8 * n; /* hashes, and what it keeps of the target: */
    if (strcmp(job->kind, "labels") == 0) bytes += 4 * n;
    if (strcmp(job->kind, "response") == 0) bytes += 8 * n;
    if (strcmp(job->kind, "graph") == 0) bytes += n * (8 + 2 * 4 * EDGES_A_NODE);
    if (strcmp(job->kind, "pairs") == 0) bytes += n * (8 + 2 * 12 * PAIRS_AN_ITEM);
    for (size_t b = 0; b < description.options.n_trees; b++) {
        smerf_tree_view tree;
        smerf_model_tree(model, b, &tree);
        bytes += (double)tree.n_nodes * 5 + (double)tree.n_splits * 31 + (double)tree.n_leaves * 4 +
                 (double)tree.first_member[tree.n_leaves] * 8;
    }
    return bytes;
}

static measured measure(const work *job) {
    double *x[N_FEATURES];
    smerf_items *items = make_items(job->n, x);
    bool has_pairs = strcmp(job->kind, "graph") == 0 || strcmp(job->kind, "pairs") == 0;
    smerf_target *target = has_pairs ? make_pairs(job, x) : make_columns(job, x);
    smerf_options options;
    smerf_model *model = NULL;
    smerf_error error;
    const smerf_run run = {.n_threads = job->n_threads};
    smerf_options_default(&options);
    options.n_trees = job->n_trees;
    options.complete = SMERF_COMPLETE_OFF;
    double started = now(), began = worked();
    if (smerf_fit(items, target, &options, &run, &model, &error) != SMERF_OK) fail(&error);
    measured found = {
        .seconds = now() - started, .cpu_seconds = worked() - began, .model_bytes = bytes_of_model(model, job)};
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    found.peak_bytes = (double)usage.ru_maxrss * 1024;
    return found; /* the process ends: nothing is freed */
}

static measured measure_apart(const work *job) {
    int ends[2];
    measured found = {0};
    if (pipe(ends) != 0) exit(1);
    pid_t child = fork();
    if (child == 0) {
        found = measure(job);
        bool is_told = write(ends[1], &found, sizeof found) == sizeof found;
        _exit(is_told ? 0 : 1);
    }
    close(ends[1]);
    bool is_read = child > 0 && read(ends[0], &found, sizeof found) == sizeof found;
    close(ends[0]);
    waitpid(child, NULL, 0);
    if (!is_read) exit(1);
    return found;
}

int main(int n_words, char **words) {
    if (n_words != 6) {
        fprintf(stderr, "usage: bench-scale labels|response|graph|pairs FIRST LAST TREES THREADS\n");
        return 2;
    }
    size_t first = strtoull(words[2], NULL, 10), last = strtoull(words[3], NULL, 10);
    work job = {.kind = words[1], .n_trees = strtoull(words[4], NULL, 10), .n_threads = strtoull(words[5], NULL, 10)};
    printf("%s, %zu trees, %zu threads, %d features\n", job.kind, job.n_trees, job.n_threads, N_FEATURES);
    printf("%10s %10s %12s %10s %10s %10s %14s\n", "items", "seconds", "cpu seconds", "exponent", "peak MB", "model MB",
           "rest/(16 n p)");
    double before = 0;
    for (job.n = first; job.n <= last; job.n *= 2) {
        measured found = measure_apart(&job);
        printf("%10zu %10.2f %12.2f %10.2f %10.0f %10.0f %14.2f\n", job.n, found.seconds, found.cpu_seconds,
               before > 0 ? log2(found.cpu_seconds / before) : NAN, found.peak_bytes / 1e6, found.model_bytes / 1e6,
               (found.peak_bytes - found.model_bytes) / (16.0 * (double)job.n * N_FEATURES));
        fflush(stdout);
        before = found.cpu_seconds;
    }
    return 0;
}
