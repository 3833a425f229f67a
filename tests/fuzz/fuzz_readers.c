/* fuzz_readers.c - whatever bytes a file holds, a reader gives sound results or one clear line.
 *
 * The first byte of an input chooses the reader and its spec, the second the number of items; the rest is the file, but
 * for the beginning of a Matrix Market file, which nobody would guess.
 * tests/fuzz/run builds and runs it.
 * With -DREPLAY, and any compiler, it is a program that replays the files it is given. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "io/matrix/matrix.h"
#include "io/pairs/pairs.h"
#include "io/text/table.h"
#include "io/text/text.h"
#include "tests/fuzz/replay.h"

enum {
    IS_TABLE = 0,
    IS_MATRIX = 1,
    IS_PAIRS = 2,
    IS_KNOWLEDGE = 3, /* pairs with numbers, or edges */
    HAS_IDS = 4,
    IS_SQUARE = 8,
    HAS_SPEC = 16,
    IS_KNOWN = 32,
    HAS_TARGETS = 64,
    ARE_LABELS = 128,
    MAY_BE_MISSING = 64,
    ARE_EDGES = 32,
    ARE_OBSERVED = 64,
    IS_MARKET = 128
};

static char *names[] = {"a", "b", "c", "0", "id", "x1", "1.5", ""};
enum { N_NAMES = sizeof names / sizeof names[0] };

static void demand(bool is_so, const char *what) {
    if (is_so) return;
    fprintf(stderr, "%s\n", what);
    abort();
}

static void check_failure(smerf_status status, const smerf_error *error) {
    demand(status == SMERF_BAD_INPUT || status == SMERF_NO_MEMORY, "a file that is there is bad input at worst");
    demand(error->status == status, "the error knows the status");
    size_t n = strlen(error->message);
    demand(n > 0 && n < sizeof error->message, "there is a message");
    for (size_t i = 0; i < n; i++) demand((unsigned char)error->message[i] >= 0x20, "the message is one line");
}

static void check_column(const sm_table_column *column, size_t n_rows) {
    demand(column->name != NULL && column->is_category == (column->codes != NULL), "a column is of one kind");
    for (size_t i = 0; i < n_rows; i++) {
        if (column->is_category) {
            demand(column->codes[i] < column->n_levels || column->codes[i] == SMERF_MISSING, "codes are indices");
            continue;
        }
        char text[SM_NUMBER_SPACE];
        double value = column->values[i], again = NAN;
        sm_cell cell = sm_number_parse(text, sm_number_format(value, text), &again);
        demand(cell == (isnan(value) ? SM_CELL_MISSING : SM_CELL_NUMBER), "values are finite or missing");
        demand(isnan(value) || memcmp(&value, &again, sizeof value) == 0, "a number reads back as it was written");
    }
}

static void fuzz_table(const char *path, uint8_t choice, size_t n_items) {
    const char *const numbers[] = {"a"}, *const categories[] = {"b", "x1"}, *const ignore[] = {"c"};
    const char *const targets[] = {"c", "id"};
    sm_table_spec spec = {.only_known = (choice & IS_KNOWN) != 0, .targets_are_labels = (choice & ARE_LABELS) != 0};
    spec.targets = targets;
    spec.drops_missing = spec.refuses_names = n_items % 2 == 0;
    spec.n_targets = (choice & HAS_TARGETS) == 0 ? 0 : (choice & ARE_LABELS) != 0 ? 1 : 2;
    if ((choice & HAS_IDS) != 0) spec.id = "0";
    if ((choice & IS_SQUARE) != 0) spec.weight = "1.5";
    if ((choice & HAS_SPEC) != 0) {
        spec.numbers = numbers;
        spec.categories = categories;
        spec.ignore = ignore;
        spec.n_numbers = spec.n_categories = spec.n_ignore = 1;
    }
    sm_table table;
    smerf_error error;
    smerf_status status = sm_table_read(path, &spec, &table, &error);
    if (status != SMERF_OK) check_failure(status, &error);
    for (size_t j = 0; j < table.n_columns; j++) check_column(&table.columns[j], table.n_rows);
    demand(table.n_targets == (status == SMERF_OK ? spec.n_targets : 0), "every target is there");
    for (size_t j = 0; j < table.n_targets; j++) {
        const sm_table_column *target = &table.targets[j];
        check_column(target, table.n_rows);
        demand(target->is_category == spec.targets_are_labels, "targets are of the kind that the spec says");
        for (size_t i = 0; i < table.n_rows; i++)
            demand(target->is_category ? target->codes[i] != SMERF_MISSING : isfinite(target->values[i]),
                   "no target is missing");
    }
    demand((table.file_rows != NULL) == (table.n_dropped > 0), "rows that are left out are known");
    for (size_t i = 0; table.ids != NULL && i < table.n_rows; i++) demand(table.ids[i][0] != '\0', "ids are there");
    for (size_t i = 0; table.weights != NULL && i < table.n_rows; i++)
        demand(table.weights[i] > 0 && isfinite(table.weights[i]), "weights are above zero");
    sm_table_free(&table);
}

static void fuzz_matrix(const char *path, uint8_t choice, size_t n) {
    const sm_matrix_side side = {n, (choice & HAS_IDS) != 0 ? names : NULL};
    sm_matrix_spec spec = {.rows = side, .columns = side, .is_square = (choice & IS_SQUARE) != 0, .largest = NAN};
    if (!spec.is_square) spec.columns.n = N_NAMES / 2;
    spec.are_similarities = (choice & HAS_SPEC) != 0;
    spec.take_means = (choice & IS_KNOWN) != 0;
    spec.may_be_missing = (choice & MAY_BE_MISSING) != 0;
    sm_matrix matrix;
    smerf_error error;
    smerf_status status = sm_matrix_read(path, &spec, &matrix, &error);
    if (status != SMERF_OK) check_failure(status, &error);
    size_t n_missing = 0;
    for (size_t i = 0; i < matrix.n_rows; i++) {
        for (size_t j = 0; j < matrix.n_columns; j++) {
            float z = matrix.z[i * matrix.n_columns + j],
                  mirror = spec.is_square ? matrix.z[j * matrix.n_columns + i] : z;
            bool is_missing = isnan(z), may_be = spec.may_be_missing && !(spec.is_square && i == j);
            demand(isfinite(z) || (may_be && is_missing), "distances are finite, or missing where they may be");
            demand(z == mirror || (is_missing && isnan(mirror)), "a square matrix is symmetric");
            n_missing += is_missing && (!spec.is_square || i < j);
        }
    }
    demand(n_missing == matrix.n_missing, "what is missing is counted");
    sm_matrix_free(&matrix);
}

static void fuzz_pairs(const char *path, uint8_t choice, size_t n) {
    const sm_matrix_side rows = {n, (choice & HAS_IDS) != 0 ? names : NULL}, columns = {N_NAMES, names};
    sm_pairs pairs;
    smerf_error error;
    smerf_status status = sm_pairs_read(path, &(sm_pairs_spec){.rows = rows, .columns = columns}, &pairs, &error);
    if (status != SMERF_OK) check_failure(status, &error);
    for (size_t i = 0; i < pairs.n; i++)
        demand(pairs.left[i] < rows.n && pairs.right[i] < columns.n, "pairs are places");
    sm_pairs_free(&pairs);
}

/* With IS_SQUARE: triplets of one set of items. */
static void fuzz_triplets(const char *path, uint8_t choice, size_t n) {
    sm_pairs_spec spec = {.rows = {n, (choice & HAS_IDS) != 0 ? names : NULL}, .is_square = true};
    for (size_t c = 0; c < 3 && (choice & HAS_SPEC) != 0; c++) spec.id_columns[c] = names[c];
    sm_pairs triplets;
    smerf_error error;
    smerf_status status = sm_triplets_read(path, &spec, &triplets, &error);
    if (status != SMERF_OK) check_failure(status, &error);
    for (size_t k = 0; k < triplets.n; k++) {
        uint32_t a = triplets.left[k], b = triplets.right[k], c = triplets.third[k];
        demand(a < n && b < n && c < n, "triplets are places");
        demand(a != b && a != c && b != c, "triplets are of three items");
        demand(triplets.weight == NULL || (triplets.weight[k] > 0 && isfinite(triplets.weight[k])),
               "weights are above zero");
    }
    sm_pairs_free(&triplets);
}

static void fuzz_knowledge(const char *path, uint8_t choice, size_t n) {
    const sm_matrix_side rows = {n, (choice & HAS_IDS) != 0 ? names : NULL},
                         columns = {N_NAMES / 2, names + N_NAMES / 2};
    sm_pairs_spec spec = {.rows = rows, .columns = columns, .is_square = (choice & IS_SQUARE) != 0, .largest = NAN};
    if ((choice & HAS_SPEC) != 0) {
        spec.value_column = "x1";
        spec.value_kind = SM_SIMILARITIES;
        spec.judge_column = (choice & HAS_IDS) != 0 ? "x2" : NULL;
    }
    bool are_edges = (choice & ARE_EDGES) != 0, are_values = !are_edges && (choice & ARE_OBSERVED) == 0;
    sm_pairs pairs;
    smerf_error error;
    smerf_status status = are_edges    ? sm_edges_read(path, &spec, &pairs, &error)
                          : are_values ? sm_pairs_read_values(path, &spec, &pairs, &error)
                                       : sm_pairs_read_observed(path, &spec, &pairs, &error);
    if (status != SMERF_OK) check_failure(status, &error);
    size_t first_right = spec.is_square ? 0 : rows.n, n_places = rows.n + (spec.is_square ? 0 : columns.n);
    demand(!are_values || status != SMERF_OK || pairs.value != NULL, "there are values");
    for (size_t k = 0; k < pairs.n; k++) {
        demand(pairs.left[k] < rows.n && pairs.right[k] >= first_right && pairs.right[k] < n_places,
               "pairs are places");
        demand(!are_edges || pairs.left[k] != pairs.right[k], "no edge goes to where it comes from");
        demand(pairs.value == NULL || isfinite(pairs.value[k]), "values are finite");
        demand(pairs.weight == NULL || (pairs.weight[k] > 0 && isfinite(pairs.weight[k])), "weights are above zero");
        demand(pairs.row == NULL || k == 0 || pairs.row[k] >= pairs.row[k - 1], "rows come in order");
        demand(pairs.judge == NULL || pairs.judge[k] < pairs.n_judges, "judges have names");
    }
    if (pairs.judge != NULL) {
        size_t n_lines = pairs.n;
        status = sm_pairs_fold_judges(&pairs, &error);
        demand(status == SMERF_OK && pairs.n <= n_lines, "ratings become fewer");
    }
    for (size_t k = 0; k < 3; k++) { /* any row, also one that is not there */
        smerf_error complaint = {.status = SMERF_BAD_INPUT, .message = "wrong"};
        demand(sm_pairs_position(path, k * pairs.n, &complaint) == SMERF_BAD_INPUT, "the status stays");
        check_failure(SMERF_BAD_INPUT, &complaint);
    }
    sm_pairs_free(&pairs);
}

static void write_banner(int file, size_t kind, size_t n_items) {
    static const char *const kinds[4] = {"real symmetric", "pattern symmetric", "real general", "pattern general"};
    char text[100];
    int n = snprintf(text, sizeof text, "%%%%MatrixMarket matrix coordinate %s\n%zu %zu ", kinds[kind % 4], n_items,
                     n_items);
    demand(write(file, text, (size_t)n) == n, "the banner fits a file");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
    if (n < 2) return 0;
    uint8_t choice = data[0];
    size_t n_items = 1 + data[1] % N_NAMES;
    char path[64];
    int file = memfd_create("fuzz", 0);
    if ((choice & (3 | IS_MARKET)) == (IS_KNOWLEDGE | IS_MARKET)) write_banner(file, data[1] / N_NAMES, n_items);
    demand(file >= 0 && write(file, data + 2, n - 2) == (ssize_t)(n - 2), "the input fits a file");
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    switch (choice & 3) {
    case IS_TABLE: fuzz_table(path, choice, n_items); break;
    case IS_MATRIX: fuzz_matrix(path, choice, n_items); break;
    case IS_PAIRS: (choice & IS_SQUARE ? fuzz_triplets : fuzz_pairs)(path, choice, n_items); break;
    case IS_KNOWLEDGE: fuzz_knowledge(path, choice, n_items); break;
    }
    close(file);
    return 0;
}
