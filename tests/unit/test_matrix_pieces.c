/* test_matrix_pieces.c - .npy files that are read in several pieces and by several threads: every type and order, the first of
 * several mistakes, and files that break off while they are read. */
#include "tests/unit/files.h"

#include <dlfcn.h>
#include <errno.h>
#include <math.h>
#include <stdatomic.h>
#include <sys/mman.h>

#include "base/random.h"
#include "io/matrix/matrix.h"

enum { N = 1100 }; /* items: ten pieces of 2^17 numbers; condensed, five */

static double z[N * N];

static void fill(size_t seed) {
    sm_random random;
    sm_random_start(&random, seed, 0, 1);
    for (size_t i = 0; i < N; i++)
        for (size_t j = i; j < N; j++) z[i * N + j] = z[j * N + i] = sm_random_below(&random, 100);
}

/* ---- files that are read badly ---- */

static enum { AS_IT_IS, IN_BITS, SHORTER, DAMAGED } reading;

ssize_t pread(int file, void *to, size_t n, off_t from) {
    static atomic_uint n_calls;
    ssize_t (*read)(int, void *, size_t, off_t);
    *(void **)&read = dlsym(RTLD_NEXT, "pread");
    if (reading == IN_BITS && atomic_fetch_add(&n_calls, 1) % 3 == 0) {
        errno = EINTR;
        return -1;
    }
    if (reading == IN_BITS && n > 65537) n = 65537;
    if (reading == SHORTER && from > 5000000) return 0;
    if (reading == DAMAGED && from > 5000000) {
        errno = EIO;
        return -1;
    }
    return read(file, to, n, from);
}

/* About every other piece is said to be on the disk only. */
int mincore(void *from, size_t n, unsigned char *is_held) {
    static atomic_uint n_calls;
    (void)from;
    (void)n;
    *is_held = atomic_fetch_add(&n_calls, 1) % 16 != 0;
    return 0;
}

/* ---- files of all kinds ---- */

typedef struct kind {
    const char *descr;
    bool is_fortran;
} kind;

/* One number as numpy would store it. */
static size_t put(const char *descr, double number, unsigned char *to) {
    size_t n = (size_t)(descr[2] - '0');
    if (n == 8) {
        memcpy(to, &number, n);
    } else if (n == 4 && descr[1] == 'f') {
        float single = (float)number;
        memcpy(to, &single, n);
    } else if (n == 4) {
        int32_t whole = (int32_t)number;
        memcpy(to, &whole, n);
    } else {
        *to = (unsigned char)number;
    }
    for (size_t k = 0; k < n / 2 && descr[0] == '>'; k++) {
        unsigned char swap = to[k];
        to[k] = to[n - 1 - k];
        to[n - 1 - k] = swap;
    }
    return n;
}

static void write_file(kind of, const double *numbers, size_t n_rows, size_t n_columns) {
    char head[128] = "\x93NUMPY\x01";
    int length = snprintf(head + 10, sizeof head - 10, "{'descr': '%s', 'fortran_order': %s, 'shape': (%zu, %zu)}",
                          of.descr, of.is_fortran ? "True" : "False", n_rows, n_columns);
    head[8] = (char)length;
    FILE *file = fopen("z.npy", "wb");
    fwrite(head, 1, 10 + (size_t)length, file);
    for (size_t k = 0; k < n_rows * n_columns; k++) {
        unsigned char bytes[8] = {0};
        size_t from = of.is_fortran ? k % n_rows * n_columns + k / n_rows : k;
        size_t n = put(of.descr, numbers[from], bytes);
        fwrite(bytes, 1, n, file);
    }
    assert_int_equal(fclose(file), 0);
}

static sm_matrix_spec square_spec(size_t n_threads) {
    return (sm_matrix_spec){.rows = {.n = N}, .columns = {.n = N}, .is_square = true, .n_threads = n_threads};
}

static void assert_read(const sm_matrix_spec *spec) {
    sm_matrix matrix;
    smerf_error error = {0};
    if (sm_matrix_read("z.npy", spec, &matrix, &error) != SMERF_OK) fail_msg("%s", error.message);
    for (size_t k = 0; k < spec->rows.n * spec->columns.n; k++)
        if (matrix.z[k] != (float)z[k]) fail_msg("number %zu is %g", k, (double)matrix.z[k]);
    sm_matrix_free(&matrix);
}

static void every_type_and_order_is_read_by_any_number_of_threads(void **state) {
    (void)state;
    static const kind kinds[] = {{"<f8", false}, {">f8", false}, {"<f4", false}, {">i4", false},
                                 {"|u1", false}, {"<f8", true},  {">f4", true}};
    fill(1);
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        write_file(kinds[k], z, N, N);
        for (size_t n_threads = 0; n_threads < 4; n_threads++) {
            sm_matrix_spec spec = square_spec(n_threads);
            assert_read(&spec);
        }
    }
}

static void condensed_and_narrow_files_are_read_in_pieces(void **state) {
    (void)state;
    static double pairs[N * (N - 1) / 2];
    fill(2);
    size_t n_pairs = 0;
    for (size_t i = 0; i < N; i++) {
        z[i * N + i] = 0;
        for (size_t j = i + 1; j < N; j++) pairs[n_pairs++] = z[i * N + j];
    }
    write_file((kind){"<f8", false}, pairs, 1, n_pairs);
    sm_matrix_spec spec = square_spec(2);
    assert_read(&spec);
    spec = (sm_matrix_spec){.rows = {.n = N * N / 3}, .columns = {.n = 3}};
    write_file((kind){"<f8", false}, z, N * N / 3, 3);
    assert_read(&spec);
}

static void reads_in_bits_and_interrupted_ones_are_gone_on_with(void **state) {
    (void)state;
    fill(3);
    write_file((kind){"<f8", false}, z, N, N);
    reading = IN_BITS;
    sm_matrix_spec spec = square_spec(2);
    assert_read(&spec);
    reading = AS_IT_IS;
}

/* A distance of a matrix that is too large to be kept beside what is read of it. */
static unsigned char large_distance(size_t i, size_t j) { return (unsigned char)((i + 1) * (j + 1) % 251); }

static void a_large_matrix_is_read_in_larger_pieces(void **state) {
    (void)state;
    enum { LARGE = 4200 };
    static unsigned char row[LARGE];
    const char head[] = "\x93NUMPY\x01\0\x3f\0{'descr': '|u1', 'fortran_order': False, 'shape': (4200, 4200)}";
    FILE *file = fopen("z.npy", "wb");
    fwrite(head, 1, sizeof head - 1, file);
    for (size_t i = 0; i < LARGE; i++) {
        for (size_t j = 0; j < LARGE; j++) row[j] = large_distance(i, j);
        fwrite(row, 1, LARGE, file);
    }
    assert_int_equal(fclose(file), 0);
    const sm_matrix_spec spec = {.rows = {.n = LARGE}, .columns = {.n = LARGE}, .is_square = true, .n_threads = 2};
    sm_matrix matrix;
    smerf_error error = {0};
    if (sm_matrix_read("z.npy", &spec, &matrix, &error) != SMERF_OK) fail_msg("%s", error.message);
    for (size_t k = 0; k < (size_t)LARGE * LARGE; k++)
        if (matrix.z[k] != (float)large_distance(k / LARGE, k % LARGE)) fail_msg("number %zu is wrong", k);
    sm_matrix_free(&matrix);
}

/* ---- what is refused ---- */

static void assert_refused(const sm_matrix_spec *spec, smerf_status status, const char *start, const char *words) {
    sm_matrix matrix;
    smerf_error error = {0};
    assert_int_equal(sm_matrix_read("z.npy", spec, &matrix, &error), status);
    assert_null(matrix.z);
    assert_says(&error, start, words);
    assert_int_equal(sm_matrix_read("z.npy", spec, &matrix, NULL), status);
}

static void a_file_that_breaks_off_while_it_is_read_is_refused(void **state) {
    (void)state;
    fill(4);
    write_file((kind){"<f8", false}, z, N, N);
    for (size_t n_threads = 1; n_threads < 3; n_threads++) {
        sm_matrix_spec spec = square_spec(n_threads);
        reading = SHORTER;
        assert_refused(&spec, SMERF_IO, "z.npy: has become shorter while it was read", "");
        reading = DAMAGED;
        assert_refused(&spec, SMERF_IO, "z.npy: cannot be read: ", strerror(EIO));
        reading = AS_IT_IS;
    }
}

static void the_first_number_that_cannot_be_kept_is_reported(void **state) {
    (void)state;
    static const double odd[] = {INFINITY, NAN, 1e39};
    sm_random random;
    sm_random_start(&random, 5, 0, 1);
    for (uint32_t round = 0; round < 12; round++) {
        char expected_message[64];
        size_t first = SIZE_MAX;
        fill(round);
        for (uint32_t k = 0; k < 1 + round % 4; k++) {
            size_t at = sm_random_below(&random, N * N);
            z[at] = odd[(round + k) % 3];
            if (at < first) first = at;
        }
        write_file((kind){"<f8", round % 3 == 0}, z, N, N);
        snprintf(expected_message, sizeof expected_message, "z.npy: row %zu, column %zu: ", first / N, first % N);
        for (size_t n_threads = 1; n_threads < 3; n_threads++) {
            sm_matrix_spec spec = square_spec(n_threads);
            assert_refused(&spec, SMERF_BAD_INPUT, expected_message, "");
        }
    }
}

static void the_first_pair_that_is_not_symmetric_is_reported(void **state) {
    (void)state;
    sm_random random;
    sm_random_start(&random, 6, 0, 1);
    for (uint32_t round = 0; round < 12; round++) {
        char expected_message[64];
        size_t i = N, j = N;
        fill(round);
        for (uint32_t k = 0; k < 1 + round % 3; k++) {
            size_t row = sm_random_below(&random, N), column = sm_random_below(&random, N);
            if (row == column) continue;
            z[row * N + column] += 1000;
            size_t low = row < column ? row : column, high = row < column ? column : row;
            if (low > i || (low == i && high > j)) continue;
            i = low;
            j = high;
        }
        if (i == N) continue;
        write_file((kind){"<f4", false}, z, N, N);
        snprintf(expected_message, sizeof expected_message, "z.npy: row %zu, column %zu: z[%zu][%zu] = ", j, i, j, i);
        for (size_t n_threads = 1; n_threads < 3; n_threads++) {
            sm_matrix_spec spec = square_spec(n_threads);
            assert_refused(&spec, SMERF_BAD_INPUT, expected_message, "symmetric");
            spec.is_square = false; /* then it is none of our business */
            assert_read(&spec);
        }
    }
}

static void missing_and_largest_numbers_are_found_in_every_piece(void **state) {
    (void)state;
    static const size_t cells[][2] = {{0, 1}, {500, 600}, {N - 1, N - 2}};
    for (size_t k = 0; k < 3; k++) {
        sm_matrix matrix;
        sm_matrix_spec spec = square_spec(2);
        size_t i = cells[k][0], j = cells[k][1];
        fill(k);
        z[i * N + j] = z[j * N + i] = NAN;
        z[i * N + i] = 777;
        write_file((kind){"<f8", false}, z, N, N);
        spec.are_similarities = spec.may_be_missing = true;
        spec.largest = NAN;
        assert_int_equal(sm_matrix_read("z.npy", &spec, &matrix, NULL), SMERF_OK);
        assert_true(matrix.n_missing == 1 && matrix.largest == 777 && isnan(matrix.z[i * N + j]));
        sm_matrix_free(&matrix);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_type_and_order_is_read_by_any_number_of_threads),
        cmocka_unit_test(condensed_and_narrow_files_are_read_in_pieces),
        cmocka_unit_test(a_large_matrix_is_read_in_larger_pieces),
        cmocka_unit_test(reads_in_bits_and_interrupted_ones_are_gone_on_with),
        cmocka_unit_test(a_file_that_breaks_off_while_it_is_read_is_refused),
        cmocka_unit_test(the_first_number_that_cannot_be_kept_is_reported),
        cmocka_unit_test(the_first_pair_that_is_not_symmetric_is_reported),
        cmocka_unit_test(missing_and_largest_numbers_are_found_in_every_piece),
    };
    return cmocka_run_group_tests(tests, files_enter, files_leave);
}
