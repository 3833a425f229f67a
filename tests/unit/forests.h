/* forests.h - for tests of the library: small data sets with everything that data may have, and what a forest means,
 * told as plainly as possible. */
#ifndef TESTS_UNIT_FORESTS_H
#define TESTS_UNIT_FORESTS_H

#include "tests/unit/files.h"

#include <math.h>
#include <signal.h>

#include "base/random.h"

/* Instead of the system's: hundreds of models are saved, none has to survive a crash of the machine, and to wait for the
 * disk took most of the tests' time. test_output.c, which is about writing, has the real one. */
int fsync(int file) {
    (void)file;
    return 0;
}

enum { MOST_COLUMNS = 128, N_LEVELS = 5 };

/* Not in bytewise order. */
static const char *const level_names[N_LEVELS] = {"red", "amber", "green", "blue", "violet"};

typedef struct data_plan {
    size_t n_items, n_numbers, n_categories;
    double missing;    /* share of the values */
    bool has_diagonal; /* items are away from themselves */
    uint64_t seed;
} data_plan;

typedef struct data_set {
    data_plan plan;
    size_t n_columns;
    char names[MOST_COLUMNS][8]; /* x0, x1, ..., c0, c1, ... */
    smerf_column columns[MOST_COLUMNS];
    double *values;  /* [n_numbers][n_items] */
    uint32_t *codes; /* [n_categories][n_items] indices of level_names */
    float *z;        /* [n_items][n_items] */
    smerf_items *items;
    smerf_target *target;
} data_set;

static inline void demand_ok(smerf_status status, const smerf_error *error) {
    if (status != SMERF_OK) fail_msg("%s", error->message);
}

static inline void draw_features(data_set *data, sm_random *random) {
    const data_plan *plan = &data->plan;
    for (size_t k = 0; k < plan->n_numbers * plan->n_items; k++) {
        data->values[k] = sm_random_normal(random);
        if (sm_random_uniform(random) < plan->missing) data->values[k] = NAN;
    }
    for (size_t k = 0; k < plan->n_categories * plan->n_items; k++) {
        data->codes[k] = sm_random_below(random, N_LEVELS);
        if (sm_random_uniform(random) < plan->missing) data->codes[k] = SMERF_MISSING;
    }
}

/* What the distances depend on: the first two numbers, and the first category. */
static inline double hidden(const data_set *data, size_t item) {
    size_t n = data->plan.n_items, n_numbers = data->plan.n_numbers;
    double sum = 0;
    for (size_t f = 0; f < n_numbers && f < 2; f++)
        if (!isnan(data->values[f * n + item])) sum += data->values[f * n + item];
    if (data->plan.n_categories > 0 && data->codes[item] != SMERF_MISSING) sum += data->codes[item] % 3;
    return sum;
}

static inline void draw_distances(data_set *data, sm_random *random) {
    size_t n = data->plan.n_items;
    for (size_t i = 0; i < n; i++) {
        data->z[i * n + i] = data->plan.has_diagonal ? (float)sm_random_uniform(random) : 0;
        for (size_t j = 0; j < i; j++) {
            double distance = fabs(hidden(data, i) - hidden(data, j)) + 0.2 * sm_random_uniform(random);
            data->z[i * n + j] = data->z[j * n + i] = (float)distance;
        }
    }
}

static inline void name_columns(data_set *data) {
    size_t n = data->plan.n_items, n_numbers = data->plan.n_numbers;
    for (size_t f = 0; f < data->n_columns; f++) {
        bool is_number = f < n_numbers;
        snprintf(data->names[f], sizeof data->names[f], "%c%u", is_number ? 'x' : 'c',
                 (unsigned)(is_number ? f : f - n_numbers));
        data->columns[f] = (smerf_column){.name = data->names[f], .kind = is_number ? SMERF_NUMBER : SMERF_CATEGORY};
        if (is_number) {
            data->columns[f].values = data->values + f * n;
        } else {
            data->columns[f].codes = data->codes + (f - n_numbers) * n;
            data->columns[f].levels = level_names;
            data->columns[f].n_levels = N_LEVELS;
        }
    }
}

/* Room for all of it. */
static inline data_set *data_set_start(data_plan plan) {
    data_set *data = calloc(1, sizeof *data);
    assert_non_null(data);
    data->plan = plan;
    data->n_columns = plan.n_numbers + plan.n_categories;
    assert_true(data->n_columns <= MOST_COLUMNS);
    data->values = calloc(plan.n_numbers * plan.n_items + 1, sizeof *data->values);
    data->codes = calloc(plan.n_categories * plan.n_items + 1, sizeof *data->codes);
    data->z = calloc(plan.n_items * plan.n_items, sizeof *data->z);
    assert_true(data->values != NULL && data->codes != NULL && data->z != NULL);
    name_columns(data);
    return data;
}

static inline void data_set_finish(data_set *data) {
    smerf_error error;
    size_t n = data->plan.n_items;
    demand_ok(smerf_items_new(data->columns, data->n_columns, n, &data->items, &error), &error);
    demand_ok(smerf_target_new_distances(data->z, n, &data->target, &error), &error);
}

static inline data_set *data_set_new(data_plan plan) {
    data_set *data = data_set_start(plan);
    sm_random random;
    sm_random_start(&random, plan.seed, 77, plan.n_items);
    draw_features(data, &random);
    draw_distances(data, &random);
    data_set_finish(data);
    return data;
}

/* Some of the items, in the order given. */
static inline data_set *data_set_pick(const data_set *data, const size_t *rows, size_t n) {
    data_plan plan = data->plan;
    plan.n_items = n;
    data_set *picked = data_set_start(plan);
    for (size_t k = 0; k < n; k++) {
        for (size_t f = 0; f < plan.n_numbers; f++)
            picked->values[f * n + k] = data->values[f * data->plan.n_items + rows[k]];
        for (size_t f = 0; f < plan.n_categories; f++)
            picked->codes[f * n + k] = data->codes[f * data->plan.n_items + rows[k]];
        for (size_t l = 0; l < n; l++) picked->z[k * n + l] = data->z[rows[k] * data->plan.n_items + rows[l]];
    }
    data_set_finish(picked);
    return picked;
}

/* Calls the items t0, t1, ...; picked ones by the rows they had. */
static inline void name_items(data_set *data, const size_t *rows) {
    static char text[512][8];
    const char *ids[512];
    smerf_error error;
    assert_true(data->plan.n_items <= 512);
    for (size_t k = 0; k < data->plan.n_items; k++) {
        snprintf(text[k], sizeof text[k], "t%u", (unsigned)(rows != NULL ? rows[k] : k) % 100000);
        ids[k] = text[k];
    }
    demand_ok(smerf_items_set_ids(data->items, "name", ids, &error), &error);
}

static inline void data_set_free(data_set *data) {
    smerf_items_free(data->items);
    smerf_target_free(data->target);
    free(data->values);
    free(data->codes);
    free(data->z);
    free(data);
}

/* Numbers only, numbers with everything else, and a data set on which nothing is quick. */
static inline data_set *plain_data(size_t n_items) {
    return data_set_new((data_plan){.n_items = n_items, .n_numbers = 4, .seed = 1});
}

static inline data_set *mixed_data(size_t n_items) {
    return data_set_new((data_plan){
        .n_items = n_items, .n_numbers = 3, .n_categories = 2, .missing = 0.15, .has_diagonal = true, .seed = 2});
}

/* The same whatever the kind of target, so that kinds can be compared. */
static inline smerf_options options_for(size_t n_trees) {
    smerf_options options;
    smerf_options_paper(&options);
    options.n_trees = n_trees;
    return options;
}

static inline smerf_model *fit_with(const data_set *data, const smerf_options *options, const smerf_run *run) {
    smerf_model *model = NULL;
    smerf_error error;
    demand_ok(smerf_fit(data->items, data->target, options, run, &model, &error), &error);
    return model;
}

/* A child in which a crash is a crash: cmocka would catch it there, and run the rest of the tests twice. The child ends
 * with _exit and uses no assertions. */
static inline pid_t fork_child(void) {
    pid_t child = fork();
    const int crashes[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT};
    for (size_t k = 0; k < sizeof crashes / sizeof *crashes && child == 0; k++) signal(crashes[k], SIG_DFL);
    return child;
}

/* Progress that cancels after so many calls. */
typedef struct patience {
    size_t n_left;
} patience;

static inline int run_out(void *context, double fraction_done) {
    patience *left = context;
    (void)fraction_done;
    return left->n_left-- == 0;
}

/* ---- files ---- */

typedef struct file_bytes {
    char *bytes;
    size_t n;
} file_bytes;

static inline file_bytes read_bytes(const char *path) {
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    file_bytes read = {.n = (size_t)ftell(file)};
    rewind(file);
    read.bytes = malloc(read.n + 1);
    assert_non_null(read.bytes);
    assert_int_equal(fread(read.bytes, 1, read.n, file), read.n);
    fclose(file);
    return read;
}

/* A model as the bytes of its file, to be freed. */
static inline file_bytes bytes_of(const smerf_model *model) {
    smerf_error error;
    demand_ok(smerf_model_save(model, "bytes-of.smerf", &error), &error);
    return read_bytes("bytes-of.smerf");
}

static inline void assert_same_model(const smerf_model *a, const smerf_model *b) {
    file_bytes left = bytes_of(a), right = bytes_of(b);
    assert_int_equal(left.n, right.n);
    assert_memory_equal(left.bytes, right.bytes, left.n);
    free(left.bytes);
    free(right.bytes);
}

/* A loaded model of two trees with everything a file may hold. Leaves small.smerf behind. */
static inline smerf_model *small_model(size_t n_items, smerf_splits splits) {
    data_set *data = mixed_data(n_items);
    smerf_options options = options_for(2);
    options.splits = splits;
    options.density = splits == SMERF_OBLIQUE ? 0.5 : 0;
    double weights[64];
    smerf_error error;
    for (size_t i = 0; i < n_items; i++) weights[i] = 1 + (double)i;
    name_items(data, NULL);
    demand_ok(smerf_items_set_weights(data->items, "w", weights, &error), &error);
    smerf_model *model = fit_with(data, &options, NULL);
    demand_ok(smerf_model_save(model, "small.smerf", &error), &error);
    smerf_model_free(model); /* which has a reference to the target, and the target to z */
    data_set_free(data);
    demand_ok(smerf_model_load("small.smerf", &model, &error), &error);
    return model;
}

static inline bool same_tree(const smerf_model *a, size_t tree_a, const smerf_model *b, size_t tree_b) {
    smerf_tree_view left = SMERF_INIT(smerf_tree_view), right = SMERF_INIT(smerf_tree_view);
    smerf_model_tree(a, tree_a, &left, NULL);
    smerf_model_tree(b, tree_b, &right, NULL);
    if (left.n_nodes != right.n_nodes) return false;
    size_t n_members = left.first_member[left.n_leaves];
    return memcmp(left.threshold, right.threshold, left.n_splits * sizeof *left.threshold) == 0 &&
           memcmp(left.gain, right.gain, left.n_splits * sizeof *left.gain) == 0 &&
           memcmp(left.is_leaf, right.is_leaf, left.n_nodes * sizeof *left.is_leaf) == 0 &&
           n_members == right.first_member[right.n_leaves] &&
           memcmp(left.member_item, right.member_item, n_members * sizeof *left.member_item) == 0;
}

/* ---- what a forest means ---- */

/* The place of an item's level among the model's, which are in bytewise order. */
static inline uint32_t slow_level(const smerf_model *model, const data_set *data, size_t feature, size_t item) {
    smerf_column known;
    smerf_model_feature(model, feature, &known);
    uint32_t code = data->columns[feature].codes[item];
    for (uint32_t level = 0; level < known.n_levels && code != SMERF_MISSING; level++)
        if (strcmp(known.levels[level], level_names[code]) == 0) return level;
    return SMERF_MISSING;
}

static inline double slow_projection(const smerf_model *model, const smerf_tree_view *tree, size_t split,
                                     const data_set *data, size_t item) {
    double sum = 0;
    for (size_t t = tree->first_term[split]; t < tree->first_term[split + 1]; t++) {
        const smerf_column *column = &data->columns[tree->term_feature[t]];
        double value;
        if (column->kind == SMERF_NUMBER) {
            value = column->values[item];
        } else {
            uint32_t level = slow_level(model, data, tree->term_feature[t], item);
            value = level == SMERF_MISSING ? NAN : level == tree->term_level[t];
        }
        sum += tree->term_weight[t] * value;
    }
    return sum;
}

static inline bool slow_goes_left(const smerf_model *model, const smerf_tree_view *tree, size_t split,
                                  const data_set *data, size_t item) {
    if (!tree->is_category[split]) {
        double value = slow_projection(model, tree, split, data, item);
        return isnan(value) ? tree->missing_left[split] : value <= tree->threshold[split];
    }
    uint32_t level = slow_level(model, data, tree->term_feature[tree->first_term[split]], item);
    if (level == SMERF_MISSING) return tree->missing_left[split];
    size_t from = tree->first_left[split], to = tree->first_left[split + 1];
    bool lists_right = from < to && tree->left_level[from] == SMERF_MISSING;
    for (size_t i = from; i < to; i++)
        if (tree->left_level[i] == level) return !lists_right;
    return lists_right;
}

static inline size_t slow_leaf(const smerf_model *model, const smerf_tree_view *tree, const data_set *data,
                               size_t item) {
    size_t node = 0;
    while (!tree->is_leaf[node]) {
        size_t split = tree->index[node];
        node = slow_goes_left(model, tree, split, data, item) ? node + 1 : tree->right[split];
    }
    return tree->index[node];
}

/* How often a tree drew an item. */
static inline size_t slow_draws(const smerf_tree_view *tree, size_t item) {
    for (size_t m = 0; m < tree->first_member[tree->n_leaves]; m++)
        if (tree->member_item[m] == item) return tree->member_draws[m];
    return 0;
}

/* Mean z over the members first_a .. end_a - 1 and first_b .. end_b - 1, with draws times weights (NULL: all 1).
 * Self-distances are as in z; or *self; or, with is_apart, left out: NaN if nothing remains. */
static inline double slow_mean(const data_set *data, const smerf_tree_view *tree, const size_t a[2], const size_t b[2],
                               const double *weights, const double *self, bool is_apart) {
    double sum = 0, total = 0;
    for (size_t k = a[0]; k < a[1]; k++)
        for (size_t l = b[0]; l < b[1]; l++) {
            size_t i = tree->member_item[k], j = tree->member_item[l];
            if (is_apart && i == j) continue;
            double weight = (double)tree->member_draws[k] * (double)tree->member_draws[l];
            if (weights != NULL) weight *= weights[i] * weights[j];
            sum += weight * (i == j && self != NULL ? *self : (double)data->z[i * data->plan.n_items + j]);
            total += weight;
        }
    return total > 0 ? sum / total : NAN;
}

/* h(a, b) of Eq. (2). */
static inline double slow_leaf_distance(const data_set *data, const smerf_tree_view *tree, size_t a, size_t b,
                                        const double *weights, const double *self) {
    const size_t left[2] = {tree->first_member[a], tree->first_member[a + 1]};
    const size_t right[2] = {tree->first_member[b], tree->first_member[b + 1]};
    return slow_mean(data, tree, left, right, weights, self, false);
}

static inline void assert_near(double found, double expected, double slack) {
    if (isnan(found) && isnan(expected)) return;
    if (!(fabs(found - expected) <= slack)) fail_msg("%.17g is not %.17g", found, expected);
}

/* Row sink: fills a matrix, and sees that rows come in order. */
typedef struct square {
    double *distances; /* [n_rows][n_columns] */
    size_t n_rows;
} square;

static inline int keep_row(void *context, size_t row, const double *distances, size_t n_columns) {
    square *kept = context;
    if (row != kept->n_rows++) return 1;
    memcpy(kept->distances + row * n_columns, distances, n_columns * sizeof *distances);
    return 0;
}

static inline int forget_row(void *context, size_t row, const double *distances, size_t n_columns) {
    (void)context;
    (void)row;
    (void)distances;
    (void)n_columns;
    return 0;
}

/* All distances, to be freed. */
static inline double *predict_all(const smerf_model *model, const smerf_request *request, const smerf_run *run) {
    size_t n_rows = smerf_items_count(request->rows);
    size_t n_columns = request->columns != NULL ? smerf_items_count(request->columns) : n_rows;
    square kept = {.distances = malloc(n_rows * n_columns * sizeof *kept.distances)};
    smerf_error error;
    assert_non_null(kept.distances);
    demand_ok(smerf_predict_rows(model, request, run, keep_row, &kept, &error), &error);
    assert_int_equal(kept.n_rows, n_rows);
    return kept.distances;
}

#endif
