/* scale.c - how time and memory grow with the size of the data, for the targets that never need a matrix.
 *
 *   bench-scale KIND FIRST LAST TREES THREADS [--json]     KIND is labels, response, graph, groups, pairs or filled
 *
 * A graph links neighbours in the space of three features, and a larger one has more neighbourhoods, as networks do. Groups
 * is the hard case: a few groups that grow with the graph, inside which links are random; trees then peel off node after
 * node, and get deeper with size.
 *
 * Filled is pairs once more, with missing ones filled in where that helps (--complete auto): what choosing costs.
 *
 * Sizes double from FIRST to LAST items. Each size runs in a process of its own, so that peak memory is its own. Graphs
 * have 10 edges a node, pairs 100 an item; there are 20 features. The exponent of a line is how fast processor time grows
 * from the size before: 1 is linear. "model MB" is the forest in memory; the last column is what is needed beside it, in
 * units of 16 bytes x items x features. "splits above" is how many splits an item goes through in the first tree: where it
 * grows, time must. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common.h"

enum { N_FEATURES = 20, EDGES_A_NODE = 10, NODES_A_CELL = 30, PAIRS_AN_ITEM = 100, N_CLASSES = 5 };

typedef struct measured {
    double seconds, cpu_seconds, peak_bytes, model_bytes, n_splits_above;
} measured;

typedef struct work {
    const char *kind;
    size_t n, n_trees, n_threads;
} work;

static uint64_t state = BENCH_SEED;

static double draw_uniform(void) { return bench_uniform(&state); }
static size_t draw(size_t n) { return (size_t)(draw_uniform() * (double)n); }

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
        x[f] = bench_zeros(n, sizeof *x[f]);
        for (size_t i = 0; i < n; i++) x[f][i] = draw_uniform();
        snprintf(names[f], sizeof names[f], "x%zu", f);
        columns[f] = (smerf_column){.name = names[f], .kind = SMERF_NUMBER, .values = x[f]};
    }
    bench_check(smerf_items_new(columns, N_FEATURES, n, &items, &error), &error);
    return items;
}

static smerf_target *make_columns(const work *job, double *const *x) {
    static const char *const classes[N_CLASSES] = {"a", "b", "c", "d", "e"}, *const names[1] = {"y"};
    smerf_target *target = NULL;
    smerf_error error;
    smerf_status status;
    double *y = bench_zeros(job->n, sizeof *y);
    const double *const columns[1] = {y};
    for (size_t i = 0; i < job->n; i++) y[i] = hidden(x, i);
    if (strcmp(job->kind, "response") == 0) {
        status = smerf_target_new_response(names, columns, 1, job->n, &target, &error);
    } else {
        uint32_t *codes = bench_zeros(job->n, sizeof *codes);
        for (size_t i = 0; i < job->n; i++) codes[i] = (uint32_t)fmax(0, fmin(N_CLASSES - 1, floor(2 * y[i] + 1)));
        status = smerf_target_new_labels("y", codes, job->n, classes, N_CLASSES, &target, &error);
        free(codes);
    }
    free(y);
    bench_check(status, &error);
    return target;
}

/* ---- pairs ---- */

typedef struct pair_makings {
    size_t n; /* pairs */
    uint32_t *left, *right;
    double *value; /* ratings; NULL: links */
} pair_makings;

/* Any two items, the more often the more alike they are: ratings, or the links of a few groups that grow with the graph. */
static void draw_anywhere(const work *job, double *const *x, pair_makings *pairs) {
    double *y = bench_zeros(job->n, sizeof *y);
    for (size_t i = 0; i < job->n; i++) y[i] = hidden(x, i);
    for (size_t k = 0; k < pairs->n;) {
        size_t i = draw(job->n), j = draw(job->n);
        double apart = y[i] - y[j];
        if (i == j || (pairs->value == NULL && exp(-4 * apart * apart) < draw_uniform())) continue;
        pairs->left[k] = (uint32_t)i;
        pairs->right[k] = (uint32_t)j;
        if (pairs->value != NULL) pairs->value[k] = apart * apart + 0.1 * draw_uniform();
        k++;
    }
    free(y);
}

/* Neighbours in the space of the first three features: the neighbourhoods of a larger graph are more, not larger. The
 * space is cut into cells of about NODES_A_CELL nodes; links stay inside a cell or go to the next along one axis. */
static void draw_nearby(const work *job, double *const *x, pair_makings *pairs) {
    size_t side = (size_t)fmax(2, floor(cbrt((double)job->n / NODES_A_CELL))), n_cells = side * side * side;
    uint32_t *cell = bench_zeros(job->n, sizeof *cell), *members = bench_zeros(job->n, sizeof *members);
    size_t *first = bench_zeros(n_cells + 2, sizeof *first);
    for (size_t i = 0; i < job->n; i++) {
        for (size_t f = 0; f < 3; f++) cell[i] = cell[i] * (uint32_t)side + (uint32_t)(x[f][i] * (double)side);
        first[cell[i] + 2]++;
    }
    for (size_t c = 0; c < n_cells; c++) first[c + 2] += first[c + 1];
    for (size_t i = 0; i < job->n; i++) members[first[cell[i] + 1]++] = (uint32_t)i;
    const size_t strides[4] = {0, 1, side, side * side};
    for (size_t k = 0; k < pairs->n;) {
        size_t i = draw(job->n), c = (cell[i] + strides[draw(4)]) % n_cells, n_members = first[c + 1] - first[c];
        if (n_members == 0) continue;
        size_t j = members[first[c] + draw(n_members)];
        if (i == j) continue;
        pairs->left[k] = (uint32_t)i;
        pairs->right[k++] = (uint32_t)j;
    }
    free(cell);
    free(members);
    free(first);
}

static smerf_target *make_pairs(const work *job, double *const *x) {
    bool is_graph = strcmp(job->kind, "graph") == 0 || strcmp(job->kind, "groups") == 0;
    size_t n = job->n * (is_graph ? EDGES_A_NODE : PAIRS_AN_ITEM);
    pair_makings pairs = {.n = n,
                          .left = bench_zeros(n, sizeof *pairs.left),
                          .right = bench_zeros(n, sizeof *pairs.right),
                          .value = is_graph ? NULL : bench_zeros(n, sizeof *pairs.value)};
    if (strcmp(job->kind, "graph") == 0)
        draw_nearby(job, x, &pairs);
    else
        draw_anywhere(job, x, &pairs);
    const smerf_pair_list list = {.n = n, .left = pairs.left, .right = pairs.right, .value = pairs.value};
    smerf_target *target = NULL;
    smerf_error error;
    smerf_status status = is_graph ? smerf_target_new_graph(&list, NULL, job->n, &target, &error)
                                   : smerf_target_new_pairs(&list, job->n, &target, &error);
    bench_check(status, &error);
    free(pairs.left);
    free(pairs.right);
    free(pairs.value);
    return target;
}

static double bytes_of_model(const smerf_model *model, const work *job) {
    smerf_description description = SMERF_INIT(smerf_description);
    smerf_model_describe(model, &description, NULL);
    double n = (double)description.n_items, bytes = 8 * n; /* hashes, and what it keeps of the target: */
    if (strcmp(job->kind, "labels") == 0) bytes += 4 * n;
    if (strcmp(job->kind, "response") == 0) bytes += 8 * n;
    if (strcmp(job->kind, "graph") == 0 || strcmp(job->kind, "groups") == 0) bytes += n * (8 + 2 * 4 * EDGES_A_NODE);
    if (strcmp(job->kind, "pairs") == 0 || strcmp(job->kind, "filled") == 0) bytes += n * (8 + 2 * 12 * PAIRS_AN_ITEM);
    for (size_t b = 0; b < description.options->n_trees; b++) {
        smerf_tree_view tree = SMERF_INIT(smerf_tree_view);
        smerf_model_tree(model, b, &tree, NULL);
        bytes += (double)tree.n_nodes * 5 + (double)tree.n_splits * 31 + (double)tree.n_leaves * 4 +
                 (double)tree.first_member[tree.n_leaves] * 8;
    }
    return bytes;
}

static double splits_above(const smerf_model *model) {
    smerf_tree_view tree = SMERF_INIT(smerf_tree_view);
    smerf_model_tree(model, 0, &tree, NULL);
    uint32_t *depth = bench_zeros(tree.n_nodes, sizeof *depth);
    double sum = 0;
    for (size_t node = 0; node < tree.n_nodes; node++) {
        size_t place = tree.index[node];
        if (tree.is_leaf[node])
            sum += depth[node] * (double)(tree.first_member[place + 1] - tree.first_member[place]);
        else
            depth[node + 1] = depth[tree.right[place]] = depth[node] + 1;
    }
    free(depth);
    return sum / (double)tree.first_member[tree.n_leaves];
}

static measured measure(const work *job) {
    double *x[N_FEATURES];
    smerf_items *items = make_items(job->n, x);
    bool has_pairs = strcmp(job->kind, "labels") != 0 && strcmp(job->kind, "response") != 0;
    smerf_target *target = has_pairs ? make_pairs(job, x) : make_columns(job, x);
    smerf_options options;
    smerf_model *model = NULL;
    smerf_error error;
    const smerf_run run = SMERF_INIT(smerf_run, .n_threads = job->n_threads);
    smerf_options_paper(&options);
    options.n_trees = job->n_trees;
    if (strcmp(job->kind, "filled") != 0) options.complete = SMERF_COMPLETE_OFF;
    bench_work fit = bench_start();
    bench_check(smerf_fit(items, target, &options, &run, &model, &error), &error);
    bench_stop(&fit);
    return (measured){.seconds = fit.seconds,
                      .cpu_seconds = fit.cpu_seconds,
                      .peak_bytes = fit.peak_mb * 1e6,
                      .model_bytes = bytes_of_model(model, job),
                      .n_splits_above = splits_above(model)}; /* the process ends: nothing is freed */
}

static measured measure_apart(const work *job) {
    int ends[2];
    measured found = {0};
    if (pipe(ends) != 0) exit(1);
    pid_t child = fork();
    if (child == 0) {
        found = measure(job);
        bool is_written = write(ends[1], &found, sizeof found) == sizeof found;
        _exit(is_written ? 0 : 1);
    }
    close(ends[1]);
    bool is_read = child > 0 && read(ends[0], &found, sizeof found) == sizeof found;
    close(ends[0]);
    waitpid(child, NULL, 0);
    if (!is_read) exit(1);
    return found;
}

static void print_table_line(const work *job, const measured *found, double before) {
    printf("%10zu %10.2f %12.2f %10.2f %10.0f %10.0f %14.2f %13.1f\n", job->n, found->seconds, found->cpu_seconds,
           before > 0 ? log2(found->cpu_seconds / before) : NAN, found->peak_bytes / 1e6, found->model_bytes / 1e6,
           (found->peak_bytes - found->model_bytes) / (16.0 * (double)job->n * N_FEATURES), found->n_splits_above);
}

static void print_json_line(const work *job, const measured *found) {
    printf("{\"kind\": \"%s\", \"n\": %zu, \"trees\": %zu, \"threads\": %zu, \"seconds\": %.4f, \"cpu_seconds\": %.4f, "
           "\"peak_mb\": %.1f, \"model_mb\": %.1f, \"splits_above\": %.2f}\n",
           job->kind, job->n, job->n_trees, job->n_threads, found->seconds, found->cpu_seconds, found->peak_bytes / 1e6,
           found->model_bytes / 1e6, found->n_splits_above);
}

static bool is_kind_known(const char *kind) {
    static const char *const kinds[] = {"labels", "response", "graph", "groups", "pairs", "filled"};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        if (strcmp(kind, kinds[k]) == 0) return true;
    return false;
}

int main(int n_words, char **words) {
    bool is_json = n_words == 7 && strcmp(words[6], "--json") == 0;
    if ((n_words != 6 && !is_json) || !is_kind_known(words[1])) {
        fprintf(stderr,
                "usage: bench-scale labels|response|graph|groups|pairs|filled FIRST LAST TREES THREADS [--json]\n");
        return 2;
    }
    size_t first = strtoull(words[2], NULL, 10), last = strtoull(words[3], NULL, 10);
    work job = {.kind = words[1], .n_trees = strtoull(words[4], NULL, 10), .n_threads = strtoull(words[5], NULL, 10)};
    if (!is_json) {
        printf("%s, %zu trees, %zu threads, %d features\n", job.kind, job.n_trees, job.n_threads, N_FEATURES);
        printf("%10s %10s %12s %10s %10s %10s %14s %13s\n", "items", "seconds", "cpu seconds", "exponent", "peak MB",
               "model MB", "rest/(16 n p)", "splits above");
    }
    double before = 0;
    for (job.n = first; job.n <= last; job.n *= 2) {
        measured found = measure_apart(&job);
        if (is_json)
            print_json_line(&job, &found);
        else
            print_table_line(&job, &found, before);
        fflush(stdout);
        before = found.cpu_seconds;
    }
    return 0;
}
