/* fuzz_readers.c - whatever bytes a file holds, a reader gives sound results or one clear line.
 *
 * The first byte of an input chooses the reader and its wish, the second the number of items; the rest is the file.
 *     clang -fsanitize=fuzzer,address,undefined -D_GNU_SOURCE -Iinclude -Isrc tests/fuzz/fuzz_readers.c \
 *         src/io/[a-z]*.c src/base/[a-z]*.c -lxxhash -lm -lpthread -o fuzz_readers
 * With -DREPLAY, and any compiler, it is a program that replays the files it is given. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "io/matrix.h"
#include "io/number.h"
#include "io/pairs.h"
#include "io/table.h"
#include "tests/fuzz/replay.h"

enum { IS_TABLE = 0, IS_MATRIX = 1, IS_PAIRS = 2, HAS_IDS = 4, IS_SQUARE = 8, HAS_WISHES = 16, IS_KNOWN = 32 };

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
            demand(column->codes[i] < column->n_levels || column->codes[i] == SMERF_MISSING, "codes are places");
            continue;
        }
        char text[SM_NUMBER_SPACE];
        double value = column->values[i], again = NAN;
        sm_cell cell = sm_number_parse(text, sm_number_format(value, text), &again);
        demand(cell == (isnan(value) ? SM_CELL_MISSING : SM_CELL_NUMBER), "values are finite or missing");
        demand(isnan(value) || memcmp(&value, &again, sizeof value) == 0, "a number reads back as it was written");
    }
}

static void fuzz_table(const char *path, uint8_t choice) {
    const char *const numbers[] = {"a"}, *const categories[] = {"b", "x1"}, *const ignore[] = {"c"};
    sm_table_wish wish = {.only_known = (choice & IS_KNOWN) != 0};
    if ((choice & HAS_IDS) != 0) wish.id = "0";
    if ((choice & IS_SQUARE) != 0) wish.weight = "1.5";
    if ((choice & HAS_WISHES) != 0) {
        wish.numbers = numbers;
        wish.categories = categories;
        wish.ignore = ignore;
        wish.n_numbers = wish.n_categories = wish.n_ignore = 1;
    }
    sm_table table;
    smerf_error error;
    smerf_status status = sm_table_read(path, &wish, &table, &error);
    if (status != SMERF_OK) check_failure(status, &error);
    for (size_t j = 0; j < table.n_columns; j++) check_column(&table.columns[j], table.n_rows);
    for (size_t i = 0; table.ids != NULL && i < table.n_rows; i++) demand(table.ids[i][0] != '\0', "ids are there");
    for (size_t i = 0; table.weights != NULL && i < table.n_rows; i++)
        demand(table.weights[i] > 0 && isfinite(table.weights[i]), "weights are above zero");
    sm_table_free(&table);
}

static void fuzz_matrix(const char *path, uint8_t choice, size_t n) {
    const sm_matrix_side side = {n, (choice & HAS_IDS) != 0 ? names : NULL};
    sm_matrix_wish wish = {.rows = side, .columns = side, .is_square = (choice & IS_SQUARE) != 0, .largest = NAN};
    if (!wish.is_square) wish.columns.n = N_NAMES / 2;
    wish.are_similarities = (choice & HAS_WISHES) != 0;
    wish.take_means = (choice & IS_KNOWN) != 0;
    sm_matrix matrix;
    smerf_error error;
    smerf_status status = sm_matrix_read(path, &wish, &matrix, &error);
    if (status != SMERF_OK) check_failure(status, &error);
    for (size_t i = 0; i < matrix.n_rows; i++) {
        for (size_t j = 0; j < matrix.n_columns; j++) {
            float z = matrix.z[i * matrix.n_columns + j];
            demand(isfinite(z), "distances are finite");
            demand(!wish.is_square || z == matrix.z[j * matrix.n_columns + i], "a square matrix is symmetric");
        }
    }
    sm_matrix_free(&matrix);
}

static void fuzz_pairs(const char *path, uint8_t choice, size_t n) {
    const sm_matrix_side rows = {n, (choice & HAS_IDS) != 0 ? names : NULL}, columns = {N_NAMES, names};
    sm_pairs pairs;
    smerf_error error;
    smerf_status status = sm_pairs_read(path, &rows, &columns, &pairs, &error);
    if (status != SMERF_OK) check_failure(status, &error);
    for (size_t i = 0; i < pairs.n; i++)
        demand(pairs.left[i] < rows.n && pairs.right[i] < columns.n, "pairs are places");
    sm_pairs_free(&pairs);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
    if (n < 2) return 0;
    uint8_t choice = data[0];
    size_t n_items = 1 + data[1] % N_NAMES;
    char path[64];
    int file = memfd_create("fuzz", 0);
    demand(file >= 0 && write(file, data + 2, n - 2) == (ssize_t)(n - 2), "the input fits a file");
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    switch (choice & 3) {
    case IS_MATRIX: fuzz_matrix(path, choice, n_items); break;
    case IS_PAIRS: fuzz_pairs(path, choice, n_items); break;
    default: fuzz_table(path, choice); break;
    }
    close(file);
    return 0;
}
