/* predict.c - a program that can only predict: loads a model, reads a table of items whose cells are divided by tabs, and prints the distances of
 * all pairs, a row a line. It uses the public header alone, and is linked with a library that was built without training. */
#include <math.h>
#include <smerf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ITEMS = 1000, MOST_COLUMNS = 100, MOST_LINE = 10000 };

static char *cell[MOST_ITEMS + 1][MOST_COLUMNS]; /* the first row: names */
static size_t n_rows, n_columns;

static void fail(const char *what) {
    fprintf(stderr, "predict: %s\n", what);
    exit(1);
}

static void read_cells(const char *path) {
    char line[MOST_LINE];
    FILE *file = fopen(path, "r");
    if (file == NULL) fail("the items cannot be read");
    while (fgets(line, sizeof line, file) != NULL) {
        if (n_rows > MOST_ITEMS) fail("there are too many items");
        line[strcspn(line, "\r\n")] = '\0';
        char *next = strdup(line);
        for (n_columns = 0; next != NULL && n_columns < MOST_COLUMNS; n_columns++)
            cell[n_rows][n_columns] = strsep(&next, "\t");
        n_rows++;
    }
    fclose(file);
}

static size_t find_column(const char *name) {
    for (size_t c = 0; c < n_columns; c++)
        if (strcmp(cell[0][c], name) == 0) return c;
    fail("a feature of the model is no column");
    return 0;
}

static uint32_t level_of(const smerf_column *feature, const char *text) {
    for (size_t level = 0; level < feature->n_levels; level++)
        if (strcmp(feature->levels[level], text) == 0) return (uint32_t)level;
    return SMERF_MISSING;
}

/* Fills in the values of a feature that the model has described. */
static void fill_column(smerf_column *feature) {
    size_t n = n_rows - 1, c = find_column(feature->name);
    double *values = calloc(n, sizeof *values);
    uint32_t *codes = calloc(n, sizeof *codes);
    for (size_t i = 0; i < n; i++) {
        char *end;
        values[i] = strtod(cell[i + 1][c], &end);
        if (end == cell[i + 1][c]) values[i] = NAN; /* empty, or NA */
        codes[i] = level_of(feature, cell[i + 1][c]);
    }
    if (feature->kind == SMERF_NUMBER)
        feature->values = values;
    else
        feature->codes = codes;
}

static int print_row(void *context, size_t row, const double *distances, size_t n) {
    (void)context, (void)row;
    for (size_t j = 0; j < n; j++) printf("%s%.17g", j == 0 ? "" : ",", distances[j]);
    printf("\n");
    return 0;
}

int main(int n_words, char **words) {
    smerf_error error = {0};
    smerf_model *model = NULL;
    smerf_items *items = NULL;
    static smerf_column columns[MOST_COLUMNS];
    if (n_words != 3) fail("usage: predict MODEL ITEMS.tsv");
    if (smerf_model_load(words[1], &model, &error) != SMERF_OK) fail(error.message);
    read_cells(words[2]);
    smerf_description about = SMERF_INIT(smerf_description);
    smerf_model_describe(model, &about, NULL);
    for (size_t f = 0; f < about.n_features; f++) {
        smerf_model_feature(model, f, &columns[f]);
        fill_column(&columns[f]);
    }
    if (smerf_items_new(columns, about.n_features, n_rows - 1, &items, &error) != SMERF_OK) fail(error.message);
    if (about.id_column != NULL) {
        const char *ids[MOST_ITEMS];
        for (size_t i = 0; i + 1 < n_rows; i++) ids[i] = cell[i + 1][find_column(about.id_column)];
        if (smerf_items_set_ids(items, about.id_column, ids, &error) != SMERF_OK) fail(error.message);
    }
    smerf_request request = SMERF_INIT(smerf_request, .rows = items);
    if (smerf_predict_rows(model, &request, NULL, print_row, NULL, &error) != SMERF_OK) fail(error.message);
    smerf_items_free(items);
    smerf_model_free(model);
    return 0;
}
