/* dense.c - times growing on a dense matrix, in one run: the search at the root beside the obvious version and beside
 * merely reading Z, and whole forests as n doubles. Prints ratios and growth exponents; asserts nothing. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "obvious.h"
#include "smerf.h"

enum { P = SMERF_SIMULATED_FEATURES };

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void check(smerf_status status, const smerf_error *error) {
    if (status == SMERF_OK) return;
    fprintf(stderr, "bench: %s\n", error->message);
    exit(1);
}

static void *room(size_t n, size_t size) {
    void *array = malloc(n * size);
    if (array == NULL) exit(1);
    return array;
}

/* The Radial data with Z in float32. */
typedef struct data {
    size_t n;
    double *x; /* by column */
    float *z;
    smerf_items *items;
    smerf_target *target;
} data;

static void make_data(data *made, size_t n) {
    smerf_error error;
    double *x = room(n * P, sizeof *x), *y = room(n, sizeof *y);
    smerf_column columns[P];
    static char names[P][8];
    *made = (data){.n = n, .x = room(n * P, sizeof *x), .z = room(n * n, sizeof *made->z)};
    check(smerf_simulate(SMERF_RADIAL, 0, n, 1, 0, x, y, &error), &error);
    for (size_t i = 0; i < n * n; i++) made->z[i] = (float)smerf_simulated_distance(SMERF_RADIAL, y[i / n], y[i % n]);
    for (size_t f = 0; f < P; f++) {
        for (size_t i = 0; i < n; i++) made->x[f * n + i] = x[i * P + f];
        snprintf(names[f], sizeof names[f], "x%zu", f + 1);
        columns[f] = (smerf_column){.name = names[f], .kind = SMERF_NUMBER, .values = made->x + f * n};
    }
    check(smerf_items_new(columns, P, n, &made->items, &error), &error);
    check(smerf_target_new_distances(made->z, n, &made->target, &error), &error);
    free(x);
    free(y);
}

static void free_data(data *made) {
    smerf_target_free(made->target);
    smerf_items_free(made->items);
    free(made->x);
    free(made->z);
}

static double read_all(const float *z, size_t n) {
    float lanes[32] = {0};
    for (size_t i = 0; i + 32 <= n; i += 32)
        for (size_t lane = 0; lane < 32; lane++) lanes[lane] += z[i + lane];
    double sum = 0;
    for (size_t lane = 0; lane < 32; lane++) sum += (double)lanes[lane];
    return sum;
}

static const double *sort_by;
static int by_value(const void *a, const void *b) {
    double left = sort_by[*(const uint32_t *)a], right = sort_by[*(const uint32_t *)b];
    return (left > right) - (left < right);
}

/* The root of a tree on all items: n items of weight 1, d line-ups along the first d features. */
static void time_root(size_t n, size_t d) {
    data made;
    make_data(&made, n);
    smerf_error error;
    sm_line_up ours[P], theirs[P];
    double *w = room(n, sizeof *w), worst = 0;
    uint32_t *items = room(n, sizeof *items);
    for (size_t i = 0; i < n; i++) {
        w[i] = 1;
        items[i] = (uint32_t)i;
    }
    for (size_t u = 0; u < d; u++) {
        uint32_t *order = room(n, sizeof *order);
        for (size_t i = 0; i < n; i++) order[i] = (uint32_t)i;
        sort_by = made.x + u * n;
        qsort(order, n, sizeof *order, by_value);
        ours[u] = (sm_line_up){.order = order, .left = room(n, sizeof(double)), .right = room(n, sizeof(double))};
        theirs[u] = (sm_line_up){.order = order, .left = room(n, sizeof(double)), .right = room(n, sizeof(double))};
    }
    const sm_target_kind *kind = made.target->kind;
    sm_search_size size = {.n_items = n, .n_line_ups = d, .n_threads = 1};
    sm_search *search = kind->search_new(made.target, &size, &error);
    sm_node node = {.items = items, .n = n, .weight = w, .total = (double)n};
    kind->enter(search, &node, 0);

    double read_time = INFINITY, our_time = INFINITY, their_time = INFINITY;
    volatile double sink = 0;
    for (int repeat = 0; repeat < 5; repeat++) {
        double start = now();
        sink += read_all(made.z, n * n);
        read_time = fmin(read_time, now() - start);
        start = now();
        sink += kind->price(search, &node, ours, d);
        our_time = fmin(our_time, now() - start);
    }
    double start = now();
    sink += obvious_price(made.z, n, w, theirs, d);
    their_time = now() - start;
    for (size_t u = 0; u < d; u++)
        for (size_t r = 0; r + 1 < n; r++)
            worst = fmax(worst, fabs(ours[u].left[r] - theirs[u].left[r]) / fabs(theirs[u].left[n - 2]));
    double pairs = (double)n * (double)n * (double)d;
    printf("%6zu  %4zu  %10.4f  %12.4f  %7.1f x  %9.0f %%   %.0e\n", n, d, our_time / pairs * 1e9,
           their_time / (pairs / 2) * 1e9, their_time / our_time, 100 * read_time / our_time, worst);
    kind->search_free(search);
    for (size_t u = 0; u < d; u++) {
        free((void *)ours[u].order);
        free(ours[u].left);
        free(ours[u].right);
        free(theirs[u].left);
        free(theirs[u].right);
    }
    free(w);
    free(items);
    free_data(&made);
}

static double time_forest(size_t n, size_t d, size_t n_threads) {
    data made;
    make_data(&made, n);
    smerf_error error;
    smerf_model *model;
    smerf_options options;
    smerf_options_default(&options);
    smerf_run run = {.n_threads = n_threads};
    options.n_trees = 20;
    options.candidates = d;
    double start = now();
    check(smerf_fit(made.items, made.target, &options, &run, &model, &error), &error);
    double time = (now() - start) / (double)options.n_trees;
    smerf_model_free(model);
    free_data(&made);
    return time;
}

int main(void) {
    printf("Pricing every cut of d line-ups at the root, one thread (the best of five)\n\n");
    printf("     n     d  ns/pair*d   obvious, ns    ratio   reading Z   difference\n");
    for (size_t n = 1000; n <= 4000; n *= 2) time_root(n, 4);
    time_root(4000, 20);
    printf("\n  ratio: the obvious version's time over ours. reading Z: the time of a plain sum of Z over "
           "ours.\n");
    printf("\nMilliseconds per tree (bootstrap, grown fully, 20 trees)\n\n     n     d  1 thread  2 threads  "
           "exponent\n");
    for (size_t d = 5; d <= 20; d += 15) {
        double last = 0;
        for (size_t n = 1000; n <= 4000; n *= 2) {
            double one = time_forest(n, d, 1), two = time_forest(n, d, 2);
            printf("%6zu  %4zu  %8.1f  %9.1f", n, d, 1e3 * one, 1e3 * two);
            if (last > 0) printf("  %8.2f", log2(one / last));
            printf("\n");
            last = one;
        }
    }
    return 0;
}
