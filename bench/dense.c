/* dense.c - times growing on a dense matrix, each figure beside one of the same run that says what it is worth.
 *
 *   bench-dense [--json] [SIZE ...]     2000 5000 10000 items, if no size is given
 *
 * Pricing all cuts at the root is timed beside the obvious version (obvious.c) and, with four candidates, beside a plain
 * sum of Z, both with Z in memory and with as much of it in the caches as they hold; a second thread's gain on whole
 * trees beside its gain on that sum; peak memory beside the bytes of Z. Every size and number of threads runs in a
 * process of its own, so that peak memory is its own. The search at the root is timed in processor time, forests and
 * threads by the clock; the best of a few runs counts. Asserts nothing. */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "model/model.h"
#include "obvious.h"
#include "smerf_study.h"

enum { P = SMERF_SIMULATED_FEATURES, REPEATS = 15, N_TREES = 24, N_FORESTS = 4, ROOT_CANDIDATES = 4 };

static double read_clock(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void check(smerf_status status, const smerf_error *error) {
    if (status == SMERF_OK) return;
    fprintf(stderr, "bench-dense: %s\n", error->message);
    exit(1);
}

static void *room(size_t n, size_t size) {
    void *array = malloc(n * size);
    if (array == NULL) exit(1);
    return array;
}

/* ---- the data ---- */

/* The Radial data with Z in float32. */
typedef struct data {
    size_t n;
    double *x; /* by column */
    float *z;
    smerf_items *items;
    smerf_target *target;
} data;

/* Never freed: the process ends with it. */
static data make_data(size_t n) {
    smerf_error error;
    double *x = room(n * P, sizeof *x), *y = room(n, sizeof *y);
    smerf_column columns[P];
    static char names[P][8];
    data made = {
        .n = n, .x = room(n * P, sizeof *x), .z = sm_aligned_whole(n * n, sizeof *made.z)}; /* as one that is read */
    if (made.z == NULL) exit(1);
    check(smerf_simulate(
              &SMERF_INIT(smerf_simulation, .kind = SMERF_RADIAL, .first_item = 0, .n_items = n, .seed = 1, .part = 0),
              x, y, &error),
          &error);
    for (size_t i = 0; i < n * n; i++) made.z[i] = (float)smerf_simulated_distance(SMERF_RADIAL, y[i / n], y[i % n]);
    for (size_t f = 0; f < P; f++) {
        for (size_t i = 0; i < n; i++) made.x[f * n + i] = x[i * P + f];
        snprintf(names[f], sizeof names[f], "x%zu", f + 1);
        columns[f] = (smerf_column){.name = names[f], .kind = SMERF_NUMBER, .values = made.x + f * n};
    }
    check(smerf_items_new(columns, P, n, &made.items, &error), &error);
    check(smerf_target_new_distances(made.z, n, &made.target, &error), &error);
    free(x);
    free(y);
    return made;
}

/* ---- a plain sum of Z ---- */

typedef struct range {
    const float *z;
    size_t n;
    double sum;
} range;

/* Enough sums at once that adding never waits for adding: as fast as the numbers come. */
static void *sum_range(void *argument) {
    range *part = argument;
    float lanes[64] = {0};
    for (size_t i = 0; i + 64 <= part->n; i += 64)
        for (size_t lane = 0; lane < 64; lane++) lanes[lane] += part->z[i + lane];
    for (size_t lane = 0; lane < 64; lane++) part->sum += (double)lanes[lane];
    return NULL;
}

static volatile double sink;

/* More memory than caches have, so that they hold nothing of Z after a walk over it. */
enum { ELSEWHERE = 256 << 20, A_LINE = 64 };

static void forget_z(void) {
    static unsigned char *elsewhere;
    if (elsewhere == NULL) elsewhere = room(ELSEWHERE, 1);
    for (size_t i = 0; i < ELSEWHERE; i += A_LINE) elsewhere[i] = (unsigned char)i;
    sink += elsewhere[0];
}

/* With two threads each takes half of the rows. */
static double sum_seconds(const data *made, size_t n_threads, clockid_t clock) {
    size_t half = made->n / n_threads * made->n;
    range first = {.z = made->z, .n = half}, second = {.z = made->z + half, .n = made->n * made->n - half};
    pthread_t helper;
    double start = read_clock(clock);
    bool has_helper = n_threads > 1 && pthread_create(&helper, NULL, sum_range, &second) == 0;
    sum_range(&first);
    if (has_helper) pthread_join(helper, NULL);
    double seconds = read_clock(clock) - start;
    sink += first.sum + second.sum;
    return seconds;
}

/* ---- what is measured ---- */

typedef struct task {
    void (*measure)(const struct task *query, double *figures);
    size_t n, candidates, n_threads, n_trees, n_forests;
} task;

/* FAR: with Z in memory. */
enum { OURS, OBVIOUS, STREAM, STREAM_1, STREAM_2, OURS_FAR, STREAM_FAR, N_FIGURES, TREE = 0, TREE_PAIRS };

static const double *sort_by;
static int by_value(const void *a, const void *b) {
    double left = sort_by[*(const uint32_t *)a], right = sort_by[*(const uint32_t *)b];
    return (left > right) - (left < right);
}

static void line_up(const data *made, size_t feature, sm_line_up *line) {
    uint32_t *order = room(made->n, sizeof *order);
    for (size_t i = 0; i < made->n; i++) order[i] = (uint32_t)i;
    sort_by = made->x + feature * made->n;
    qsort(order, made->n, sizeof *order, by_value);
    *line = (sm_line_up){.order = order, .left = room(made->n, sizeof(double)), .right = room(made->n, sizeof(double))};
}

/* As a tree does it: approximate costs where these are faster, with the exact cost of the node. */
static double price_root(const sm_engine *engine, sm_search *search, const sm_node *node, const sm_line_up *lines,
                         size_t n_lines) {
    sm_error_bound bound;
    if (!engine->approximation->is_quicker(search, node, n_lines))
        return sm_price(engine->pricing, search, node, lines, n_lines);
    double cost = engine->approximation->price(search, node, lines, n_lines, &bound);
    for (size_t u = 0; u < n_lines; u++) engine->pricing->costs(search, node, u, &lines[u]);
    return cost;
}

/* The time of the search at the root, and that of a sum of Z. */
static void time_reading(const data *made, sm_search *search, const sm_node *node, const sm_line_up *lines,
                         size_t n_lines, bool is_far, double *ours, double *stream) {
    if (is_far) forget_z();
    *stream = fmin(*stream, sum_seconds(made, 1, CLOCK_THREAD_CPUTIME_ID));
    if (is_far) forget_z();
    double start = read_clock(CLOCK_THREAD_CPUTIME_ID);
    sink += price_root(made->target->kind->engines[0], search, node, lines, n_lines);
    *ours = fmin(*ours, read_clock(CLOCK_THREAD_CPUTIME_ID) - start);
}

/* The root of a tree on all items: n items of weight 1, a line-up along each of the first features. */
static void measure_root(const task *query, double *figures) {
    size_t n = query->n, d = query->candidates;
    data made = make_data(n);
    smerf_error error;
    sm_line_up lines[P];
    double *w = room(n, sizeof *w);
    uint32_t *items = room(n, sizeof *items);
    for (size_t i = 0; i < n; i++) {
        w[i] = 1;
        items[i] = (uint32_t)i;
    }
    for (size_t u = 0; u < d; u++) line_up(&made, u, &lines[u]);
    const sm_engine *engine = made.target->kind->engines[0];
    sm_search_size size = {.n_items = n, .n_line_ups = d, .n_threads = 1};
    sm_search *search = engine->search_new(made.target, &size, &error);
    if (search == NULL) check(SMERF_NO_MEMORY, &error);
    sm_node node = {.items = items, .n = n, .weight = w, .total = (double)n};
    engine->enter(search, &node, 0);
    for (int repeat = 0; repeat < REPEATS; repeat++) {
        time_reading(&made, search, &node, lines, d, false, &figures[OURS], &figures[STREAM]);
        figures[STREAM_1] = fmin(figures[STREAM_1], sum_seconds(&made, 1, CLOCK_MONOTONIC));
        figures[STREAM_2] = fmin(figures[STREAM_2], sum_seconds(&made, 2, CLOCK_MONOTONIC));
    }
    if (d == ROOT_CANDIDATES) {                          /* for the fraction of the stream */
        for (int repeat = 0; repeat < REPEATS; repeat++) /* apart, as caches are cold after it */
            time_reading(&made, search, &node, lines, d, true, &figures[OURS_FAR], &figures[STREAM_FAR]);
        return;
    }
    double start = read_clock(CLOCK_THREAD_CPUTIME_ID);
    sink += obvious_price(made.z, n, w, lines, d);
    figures[OBVIOUS] = read_clock(CLOCK_THREAD_CPUTIME_ID) - start;
}

/* The pairs of different items at all splits of a tree: what its growth has to look at, more if splits are uneven. */
static double count_pairs(const sm_tree *tree) {
    double pairs = 0, *n_items = room(tree->n_nodes, sizeof *n_items);
    for (size_t node = tree->n_nodes; node-- > 0;) { /* those below a node come after it */
        size_t number = tree->index[node];
        if (tree->is_leaf[node]) {
            n_items[node] = tree->first_member[number + 1] - tree->first_member[number];
        } else {
            n_items[node] = n_items[node + 1] + n_items[tree->right[number]];
            pairs += n_items[node] * (n_items[node] - 1) / 2;
        }
    }
    free(n_items);
    return pairs;
}

/* Seconds per tree: bootstrap, grown fully. */
static void measure_forest(const task *query, double *figures) {
    data made = make_data(query->n);
    smerf_error error;
    smerf_options options;
    smerf_options_paper(&options);
    options.n_trees = query->n_trees;
    options.candidates = query->candidates;
    smerf_run run = SMERF_INIT(smerf_run, .n_threads = query->n_threads);
    for (size_t repeat = 0; repeat < query->n_forests; repeat++) {
        smerf_model *model;
        double start = read_clock(CLOCK_MONOTONIC);
        check(smerf_fit(made.items, made.target, &options, &run, &model, &error), &error);
        figures[TREE] = fmin(figures[TREE], (read_clock(CLOCK_MONOTONIC) - start) / (double)query->n_trees);
        figures[TREE_PAIRS] = 0;
        for (size_t t = 0; t < query->n_trees; t++)
            figures[TREE_PAIRS] += count_pairs(&model->trees[t]) / (double)query->n_trees;
        smerf_model_free(model);
    }
}

/* Does the task in a process of its own; returns its peak memory in MB. */
static double run_task(task query, double figures[N_FIGURES]) {
    int ends[2];
    struct rusage used;
    for (size_t i = 0; i < N_FIGURES; i++) figures[i] = INFINITY;
    if (pipe(ends) != 0) exit(1);
    pid_t child = fork();
    if (child == 0) {
        query.measure(&query, figures);
        ssize_t n_written = write(ends[1], figures, N_FIGURES * sizeof *figures);
        _exit(n_written == (ssize_t)(N_FIGURES * sizeof *figures) ? 0 : 1);
    }
    close(ends[1]);
    ssize_t n_read = read(ends[0], figures, N_FIGURES * sizeof *figures);
    close(ends[0]);
    int status = 1;
    if (child < 0 || wait4(child, &status, 0, &used) < 0 || status != 0 || n_read <= 0) exit(1);
    return (double)used.ru_maxrss / 1024;
}

/* ---- the report ---- */

typedef struct report {
    size_t n, candidates;
    double seconds_ours, seconds_obvious, tree_seconds[2], peak_mb[4], z_mb, tree_pairs;
    double read_share, read_share_far, stream_gain_2; /* of the size */
} report;

static const size_t thread_counts[4] = {1, 2, 8, 32}; /* times: of the first two */

/* Continues what is known of the size. */
static report measure(report made, size_t candidates) {
    double figures[N_FIGURES];
    size_t n = made.n;
    made.candidates = candidates;
    made.z_mb = (double)n * (double)n * sizeof(float) / (1024 * 1024);
    run_task((task){.measure = measure_root, .n = n, .candidates = candidates}, figures);
    made.seconds_ours = figures[OURS];
    made.seconds_obvious = figures[OBVIOUS];
    for (size_t t = 0; t < 4; t++) {
        size_t n_threads = thread_counts[t];
        task forest = {.measure = measure_forest, .n = n, .candidates = candidates, .n_threads = n_threads};
        forest.n_trees = n_threads < 8 ? 8 : n_threads; /* memory: one forest, with a tree for each thread */
        forest.n_forests = 1;
        made.peak_mb[t] = run_task(forest, figures);
        if (t > 1) continue;
        forest.n_trees = N_TREES;
        forest.n_forests = N_FORESTS;
        run_task(forest, figures);
        made.tree_seconds[t] = figures[TREE];
        made.tree_pairs = figures[TREE_PAIRS];
    }
    return made;
}

static void print_json(const report *made) {
    printf("{\"n\": %zu, \"candidates\": %zu, \"seconds_ours\": %.6g, \"seconds_obvious\": %.6g, "
           "\"read_share_of_stream\": %.4g, \"read_share_from_memory\": %.4g, \"tree_seconds_1\": %.6g, "
           "\"tree_seconds_2\": %.6g, \"stream_gain_2\": %.4g, "
           "\"peak_mb_1\": %.5g, \"peak_mb_2\": %.5g, \"peak_mb_8\": %.5g, \"peak_mb_32\": %.5g, \"z_mb\": %.5g, "
           "\"pairs_a_tree\": %.4g}\n",
           made->n, made->candidates, made->seconds_ours, made->seconds_obvious, made->read_share, made->read_share_far,
           made->tree_seconds[0], made->tree_seconds[1], made->stream_gain_2, made->peak_mb[0], made->peak_mb[1],
           made->peak_mb[2], made->peak_mb[3], made->z_mb, made->tree_pairs);
}

static double exponent(double value, double smaller, const report *made, const report *before) {
    return log(value / smaller) / log((double)made->n / (double)before->n);
}

static void print_line(const report *made, const report *before) {
    double pairs = (double)made->n * (double)made->n * (double)made->candidates;
    printf("%6zu %5zu %9.4f %7.1f x %5.0f %% %4.0f %% %9.1f %8.2f x %8.2f x %7.2f %5.2f %5.2f %5.2f", made->n,
           made->candidates, 1e9 * made->seconds_ours / pairs, made->seconds_obvious / made->seconds_ours,
           100 * made->read_share_far, 100 * made->read_share, 1e3 * made->tree_seconds[0],
           made->tree_seconds[0] / made->tree_seconds[1], made->stream_gain_2, made->peak_mb[0] / made->z_mb,
           made->peak_mb[1] / made->z_mb, made->peak_mb[2] / made->z_mb, made->peak_mb[3] / made->z_mb);
    if (before->n != 0)
        printf(" %9.2f %7.2f", exponent(made->tree_seconds[0], before->tree_seconds[0], made, before),
               exponent(made->tree_pairs, before->tree_pairs, made, before));
    printf("\n");
}

static void print_head(void) {
    printf("                 all cuts at the root          whole trees: bootstrap, grown fully\n"
           "     n cand.   ns/pair   obvious      of stream   ms each  2 threads  (stream)  peak 1     2     8    32  "
           "exponent"
           " (pairs)\n");
}

static void print_foot(void) {
    printf(
        "\n  ns/pair: for each of n^2 pairs and candidate. obvious: its time over ours. of stream: the time of a plain "
        "sum of Z\n  over ours, with %d candidates: with Z in memory, and in the caches as far as it fits. 2 threads: "
        "what the second\n  gains, and what it gains the plain sum. peak: memory with 1, 2, 8 and 32 threads over the "
        "bytes of Z. exponent:\n  from the size before, of the time and of the pairs that the trees had to look at.\n",
        ROOT_CANDIDATES);
}

int main(int argc, char **argv) {
    static const char *usual[] = {"2000", "5000", "10000"};
    bool is_json = argc > 1 && strcmp(argv[1], "--json") == 0;
    int first = is_json ? 2 : 1;
    const char *const *sizes = argc > first ? (const char *const *)argv + first : usual;
    size_t n_sizes = argc > first ? (size_t)(argc - first) : sizeof usual / sizeof *usual;
    report last[2] = {{0}, {0}};
    if (!is_json) print_head();
    for (size_t i = 0; i < n_sizes; i++) {
        double figures[N_FIGURES];
        size_t n = strtoul(sizes[i], NULL, 10);
        if (n < 2) exit(1);
        run_task((task){.measure = measure_root, .n = n, .candidates = ROOT_CANDIDATES}, figures);
        report size = {.n = n,
                       .read_share = figures[STREAM] / figures[OURS],
                       .read_share_far = figures[STREAM_FAR] / figures[OURS_FAR],
                       .stream_gain_2 = figures[STREAM_1] / figures[STREAM_2]};
        for (size_t c = 0; c < 2; c++) {
            report made = measure(size, c == 0 ? 5 : 20);
            if (is_json)
                print_json(&made);
            else
                print_line(&made, &last[c]);
            fflush(stdout);
            last[c] = made;
        }
    }
    if (!is_json) print_foot();
    return 0;
}
