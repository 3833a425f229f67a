/* ours.c - smerf's side of the comparisons: does one piece of work through the library, times only that, and prints one
 * line of JSON. bench/suite runs it beside other tools, which do the same with the same files.
 *
 *   bench-ours COMMAND NAME=VALUE...
 *
 *   forest       kind=labels|response x= y= trees= candidates= threads= [splits=oblique] [model=] [test_x= test_y=]
 *   distances    x= n= trees= candidates= threads= [rank=] test_x=      Z is made up from x: see l1
 *   all-pairs    kind=labels|distances x= y= trees= candidates= threads= [model=] [out=]     only predicting is timed
 *   index        x= y= items= items_y= queries= queries_y= trees= candidates= threads= k= [vectors= query_vectors=]
 *                one query after the other is timed, once the index is there
 *   table        file=
 *   matrix       file= n= threads=
 *   mahalanobis  x= z=|pairs= threads= */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common.h"
#include "io/matrix/matrix.h"
#include "io/text/table.h"

/* ---- Files ---- */

static smerf_items *items_of(sm_table *table, size_t n) {
    smerf_column *columns = bench_zeros(table->n_columns, sizeof *columns);
    smerf_items *items;
    smerf_error error;
    for (size_t f = 0; f < table->n_columns; f++)
        columns[f] =
            (smerf_column){.name = table->columns[f].name, .kind = SMERF_NUMBER, .values = table->columns[f].values};
    bench_check(smerf_items_new(columns, table->n_columns, n, &items, &error), &error);
    free(columns);
    return items;
}

static sm_table read_table(const char *path) {
    sm_table table;
    smerf_error error;
    const sm_table_spec spec = {0};
    bench_check(sm_table_read(path, &spec, &table, &error), &error);
    return table;
}

/* The one column of a file. */
static double *read_numbers(const char *path) {
    sm_table table = read_table(path);
    return table.columns[0].values;
}

static sm_matrix read_matrix(const char *path, size_t n, size_t n_threads) {
    const sm_matrix_side side = {.n = n};
    const sm_matrix_spec spec = {.rows = side, .columns = side, .is_square = true, .n_threads = n_threads};
    sm_matrix matrix;
    smerf_error error;
    bench_check(sm_matrix_read(path, &spec, &matrix, &error), &error);
    return matrix;
}

/* ---- What is learned ---- */

static smerf_target *labels_target(const double *y, size_t n) {
    enum { N_NAMES = 100 };
    static char names[N_NAMES][4];
    const char *classes[N_NAMES];
    size_t n_classes = 0;
    uint32_t *codes = bench_zeros(n, sizeof *codes);
    smerf_target *target;
    smerf_error error;
    for (size_t i = 0; i < n; i++) {
        codes[i] = (uint32_t)y[i];
        n_classes = codes[i] + 1 > n_classes ? codes[i] + 1 : n_classes;
    }
    for (size_t c = 0; c < n_classes && c < N_NAMES; c++) {
        snprintf(names[c], sizeof names[c], "%02zu", c);
        classes[c] = names[c];
    }
    bench_check(smerf_target_new_labels("y", codes, n, classes, n_classes, &target, &error), &error);
    free(codes);
    return target;
}

static smerf_target *response_target(const double *y, size_t n) {
    static const char *const names[1] = {"y"};
    const double *const columns[1] = {y};
    smerf_target *target;
    smerf_error error;
    bench_check(smerf_target_new_response(names, columns, 1, n, &target, &error), &error);
    return target;
}

/* The sum of absolute differences of the first features: a distance of no small rank. */
enum { N_FEATURES_OF_L1 = 5 };

static float l1(const sm_table *table, size_t i, size_t j) {
    double sum = 0;
    for (size_t f = 0; f < N_FEATURES_OF_L1; f++)
        sum += fabs(table->columns[f].values[i] - table->columns[f].values[j]);
    return (float)sum;
}

static smerf_target *l1_target(const sm_table *table, size_t n) {
    float *z = bench_zeros(n * n, sizeof *z);
    smerf_target *target;
    smerf_error error;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) z[i * n + j] = l1(table, i, j);
    bench_check(smerf_target_new_distances(z, n, &target, &error), &error);
    return target; /* z stays until the program ends */
}

static smerf_options options_from_words(void) {
    smerf_options options;
    smerf_options_paper(&options);
    options.n_trees = bench_count("trees");
    options.candidates = bench_count("candidates");
    if (bench_word_or_null("rank") != NULL) options.rank = bench_count("rank");
    const char *splits = bench_word_or_null("splits");
    if (splits != NULL && strcmp(splits, "oblique") == 0) options.splits = SMERF_OBLIQUE;
    return options;
}

static bool is_kind(const char *kind) { return strcmp(bench_word("kind"), kind) == 0; }

/* ---- Scores ---- */

static double accuracy(const double *fractions, size_t n_classes, const double *truth, size_t n) {
    size_t n_right = 0;
    for (size_t i = 0; i < n; i++) {
        size_t best = 0;
        for (size_t c = 1; c < n_classes; c++)
            if (fractions[i * n_classes + c] > fractions[i * n_classes + best]) best = c;
        n_right += best == (size_t)truth[i];
    }
    return (double)n_right / (double)n;
}

static double r_squared(const double *predicted, const double *truth, size_t n) {
    double mean = 0, error = 0, spread = 0;
    for (size_t i = 0; i < n; i++) mean += truth[i] / (double)n;
    for (size_t i = 0; i < n; i++) {
        error += (predicted[i] - truth[i]) * (predicted[i] - truth[i]);
        spread += (truth[i] - mean) * (truth[i] - mean);
    }
    return 1 - error / spread;
}

static double score_of_values(const smerf_model *model, const smerf_run *run) {
    sm_table test = read_table(bench_word("test_x"));
    double *truth = read_numbers(bench_word("test_y"));
    size_t n_values = smerf_model_n_values(model);
    double *values = bench_zeros(test.n_rows * n_values, sizeof *values);
    smerf_error error;
    const smerf_request request = SMERF_INIT(smerf_request, .rows = items_of(&test, test.n_rows));
    bench_check(smerf_predict_values(model, &request, run, values, &error), &error);
    return is_kind("labels") ? accuracy(values, n_values, truth, test.n_rows) : r_squared(values, truth, test.n_rows);
}

/* Root mean squared error over pairs of test items. */
static double error_of_distances(const smerf_model *model, const smerf_run *run) {
    enum { N_PAIRS = 100000 };
    sm_table test = read_table(bench_word("test_x"));
    uint32_t *left = bench_zeros(N_PAIRS, sizeof *left), *right = bench_zeros(N_PAIRS, sizeof *right);
    double *distance = bench_zeros(N_PAIRS, sizeof *distance), sum = 0;
    uint64_t state = BENCH_SEED;
    size_t n = test.n_rows < 2000 ? test.n_rows : 2000;
    smerf_error error;
    const smerf_request request = SMERF_INIT(smerf_request, .rows = items_of(&test, n));
    for (size_t k = 0; k < N_PAIRS; k++) {
        left[k] = (uint32_t)(bench_uniform(&state) * (double)n);
        right[k] = (uint32_t)(bench_uniform(&state) * (double)n);
    }
    bench_check(smerf_predict_pairs(model, &request, &(smerf_pair_list){.n = N_PAIRS, .left = left, .right = right},
                                    run, &SMERF_INIT(smerf_pair_result, .distance = distance), &error),
                &error);
    for (size_t k = 0; k < N_PAIRS; k++) {
        double miss = distance[k] - (double)l1(&test, left[k], right[k]);
        sum += miss * miss;
    }
    return sqrt(sum / N_PAIRS);
}

/* ---- The commands. A process does one piece of work and ends: nothing is freed ---- */

static void run_forest(void) {
    sm_table train = read_table(bench_word("x"));
    double *y = read_numbers(bench_word("y"));
    const smerf_options options = options_from_words();
    const smerf_run run = SMERF_INIT(smerf_run, .n_threads = bench_count("threads"));
    smerf_model *model;
    smerf_error error;
    bench_work work = bench_start();
    smerf_items *items = items_of(&train, train.n_rows);
    smerf_target *target = is_kind("labels") ? labels_target(y, train.n_rows) : response_target(y, train.n_rows);
    bench_check(smerf_fit(items, target, &options, &run, &model, &error), &error);
    bench_stop(&work);
    if (bench_word_or_null("model") != NULL) bench_check(smerf_model_save(model, bench_word("model"), &error), &error);
    const double score = bench_word_or_null("test_x") != NULL ? score_of_values(model, &run) : NAN;
    static const char *const names[] = {"score"};
    bench_print(&work, names, &score, 1);
}

static void run_distances(void) {
    sm_table train = read_table(bench_word("x"));
    size_t n = bench_count("n");
    smerf_target *target = l1_target(&train, n);
    const smerf_options options = options_from_words();
    const smerf_run run = SMERF_INIT(smerf_run, .n_threads = bench_count("threads"));
    smerf_model *model;
    smerf_error error;
    bench_work work = bench_start();
    bench_check(smerf_fit(items_of(&train, n), target, &options, &run, &model, &error), &error);
    bench_stop(&work);
    static const char *const names[] = {"score"};
    const double score = error_of_distances(model, &run);
    bench_print(&work, names, &score, 1);
}

/* Rows are added up, so that none goes unread, and written where another program wants to compare them. */
typedef struct row_taker {
    double sum;
    FILE *file;
} row_taker;

static int take_row(void *context, size_t row, const double *distances, size_t n) {
    row_taker *taker = context;
    (void)row;
    for (size_t j = 0; j < n; j++) taker->sum += distances[j];
    if (taker->file != NULL && fwrite(distances, sizeof *distances, n, taker->file) != n) return 1;
    return 0;
}

static void run_all_pairs(void) {
    sm_table train = read_table(bench_word("x"));
    size_t n = train.n_rows;
    const smerf_options options = options_from_words();
    const smerf_run run = SMERF_INIT(smerf_run, .n_threads = bench_count("threads"));
    smerf_items *items = items_of(&train, n);
    smerf_target *target = is_kind("labels") ? labels_target(read_numbers(bench_word("y")), n) : l1_target(&train, n);
    smerf_model *model;
    smerf_error error;
    row_taker taker = {0};
    bench_check(smerf_fit(items, target, &options, &run, &model, &error), &error);
    if (bench_word_or_null("model") != NULL) bench_check(smerf_model_save(model, bench_word("model"), &error), &error);
    if (bench_word_or_null("out") != NULL) taker.file = fopen(bench_word("out"), "wb");
    const smerf_request request = SMERF_INIT(smerf_request, .rows = items);
    bench_work work = bench_start();
    bench_check(smerf_predict_rows(model, &request, &run, take_row, &taker, &error), &error);
    bench_stop(&work);
    if (taker.file != NULL) fclose(taker.file);
    static const char *const names[] = {"mean"};
    const double mean = taker.sum / ((double)n * (double)n);
    bench_print(&work, names, &mean, 1);
}

/* The share of neighbours that have the label of their query. */
typedef struct neighbor_taker {
    const double *labels;
    double wanted;
    size_t n_same, n;
} neighbor_taker;

static int take_neighbors(void *context, size_t query, const smerf_neighbor *neighbors, size_t n) {
    neighbor_taker *taker = context;
    (void)query;
    for (size_t k = 0; k < n; k++) taker->n_same += taker->labels[neighbors[k].item] == taker->wanted;
    taker->n += n;
    return 0;
}

static int write_vector(void *context, size_t item, const float *vector, size_t size) {
    (void)item;
    return fwrite(vector, sizeof *vector, size, context) != size;
}

/* Rows of float32, for tools that search vectors. */
static void write_vectors(const smerf_model *model, const smerf_items *items, bool is_query, const char *path) {
    smerf_error error;
    FILE *file = fopen(path, "wb");
    const smerf_vector_result result = SMERF_INIT(smerf_vector_result, .sink = write_vector, .context = file);
    bench_check(smerf_vectors(model, items, is_query, NULL, &result, &error), &error);
    fclose(file);
}

static smerf_items *row_of(const sm_table *table, size_t row) {
    sm_table one = *table;
    one.columns = bench_zeros(table->n_columns, sizeof *one.columns);
    for (size_t f = 0; f < table->n_columns; f++) {
        one.columns[f] = table->columns[f];
        one.columns[f].values += row;
    }
    return items_of(&one, 1);
}

static void run_index(void) {
    sm_table train = read_table(bench_word("x")), items = read_table(bench_word("items"));
    sm_table queries = read_table(bench_word("queries"));
    const double *labels = read_numbers(bench_word("items_y")), *truth = read_numbers(bench_word("queries_y"));
    const smerf_options options = options_from_words();
    const smerf_run run = SMERF_INIT(smerf_run, .n_threads = bench_count("threads")),
                    one = SMERF_INIT(smerf_run, .n_threads = 1);
    smerf_target *target = labels_target(read_numbers(bench_word("y")), train.n_rows);
    smerf_items *catalogue = items_of(&items, items.n_rows);
    smerf_model *model;
    smerf_index *index;
    smerf_error error;
    neighbor_taker taker = {.labels = labels};
    bench_check(smerf_fit(items_of(&train, train.n_rows), target, &options, &run, &model, &error), &error);
    bench_check(smerf_index_new(model, catalogue, &run, &index, &error), &error);
    smerf_items **rows = bench_zeros(queries.n_rows, sizeof *rows);
    for (size_t q = 0; q < queries.n_rows; q++) rows[q] = row_of(&queries, q);
    bench_work work = bench_start();
    for (size_t q = 0; q < queries.n_rows; q++) {
        const smerf_neighborhood wanted = SMERF_INIT(smerf_neighborhood, .queries = rows[q], .k = bench_count("k"));
        taker.wanted = truth[q];
        bench_check(smerf_index_query(index, &wanted, &one, take_neighbors, &taker, &error), &error);
    }
    bench_stop(&work);
    if (bench_word_or_null("vectors") != NULL) {
        write_vectors(model, catalogue, false, bench_word("vectors"));
        write_vectors(model, items_of(&queries, queries.n_rows), true, bench_word("query_vectors"));
    }
    static const char *const names[] = {"score"};
    const double score = (double)taker.n_same / (double)taker.n;
    bench_print(&work, names, &score, 1);
}

static void run_table(void) {
    bench_work work = bench_start();
    sm_table table = read_table(bench_word("file"));
    bench_stop(&work);
    double sum = 0;
    for (size_t f = 0; f < table.n_columns; f++)
        for (size_t i = 0; i < table.n_rows; i++) sum += table.columns[f].values[i];
    static const char *const names[] = {"sum"};
    bench_print(&work, names, &sum, 1);
}

static void run_matrix(void) {
    size_t n = bench_count("n");
    bench_work work = bench_start();
    sm_matrix matrix = read_matrix(bench_word("file"), n, bench_count("threads"));
    bench_stop(&work);
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += (double)matrix.z[i * n + (i + 1) % n];
    static const char *const names[] = {"sum"};
    bench_print(&work, names, &sum, 1);
}

static smerf_target *pairs_target(const sm_table *rows, size_t n) {
    uint32_t *left = bench_zeros(rows->n_rows, sizeof *left), *right = bench_zeros(rows->n_rows, sizeof *right);
    smerf_target *target;
    smerf_error error;
    for (size_t k = 0; k < rows->n_rows; k++) {
        left[k] = (uint32_t)rows->columns[0].values[k];
        right[k] = (uint32_t)rows->columns[1].values[k];
    }
    const smerf_pair_list list = {.n = rows->n_rows, .left = left, .right = right, .value = rows->columns[2].values};
    bench_check(smerf_target_new_pairs(&list, n, &target, &error), &error);
    return target;
}

static smerf_target *matrix_target(const sm_matrix *matrix) {
    smerf_target *target;
    smerf_error error;
    bench_check(smerf_target_new_distances(matrix->z, matrix->n_rows, &target, &error), &error);
    return target;
}

static void run_mahalanobis(void) {
    sm_table table = read_table(bench_word("x")), rows = {0};
    sm_matrix matrix = {0};
    bool has_pairs = bench_word_or_null("pairs") != NULL;
    smerf_model *model;
    smerf_error error;
    smerf_options options;
    smerf_scores scores = SMERF_INIT(smerf_scores);
    const smerf_run run = SMERF_INIT(smerf_run, .n_threads = bench_count("threads"));
    smerf_options_default(&options);
    options.method = SMERF_METHOD_MAHALANOBIS;
    if (has_pairs)
        rows = read_table(bench_word("pairs"));
    else
        matrix = read_matrix(bench_word("z"), table.n_rows, run.n_threads);
    bench_work work = bench_start();
    smerf_items *items = items_of(&table, table.n_rows);
    smerf_target *target = has_pairs ? pairs_target(&rows, table.n_rows) : matrix_target(&matrix);
    bench_check(smerf_fit(items, target, &options, &run, &model, &error), &error);
    bench_stop(&work);
    const smerf_request request = SMERF_INIT(smerf_request, .rows = items);
    bench_check(smerf_evaluate(model, &request, target, SMERF_HAS(SMERF_RMSE), &run, &scores, &error), &error);
    static const char *const names[] = {"score"};
    bench_print(&work, names, &scores.value[SMERF_RMSE], 1);
}

int main(int n_words, char **words) {
    static const struct {
        const char *name;
        void (*run)(void);
    } commands[] = {
        {"forest", run_forest}, {"distances", run_distances}, {"all-pairs", run_all_pairs},    {"index", run_index},
        {"table", run_table},   {"matrix", run_matrix},       {"mahalanobis", run_mahalanobis}};
    bench_take_words(n_words - 1, words + 1);
    for (size_t k = 0; n_words > 1 && k < sizeof commands / sizeof *commands; k++)
        if (strcmp(words[1], commands[k].name) == 0) {
            commands[k].run();
            return 0;
        }
    fprintf(stderr, "usage: bench-ours forest|distances|all-pairs|index|table|matrix|mahalanobis NAME=VALUE...\n");
    return 2;
}
