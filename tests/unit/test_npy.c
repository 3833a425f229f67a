/* test_npy.c - NumPy's files: every type, order and version that can be read, and how the others are refused. */
#include "tests/unit/files.h"

#include <math.h>

#include "io/matrix/npy.h"

#define DICTIONARY(descr, order, shape) "{'descr': '" descr "', 'fortran_order': " order ", 'shape': " shape ", }"

static void open_npy(const char *path, sm_source *source, sm_npy *npy) {
    smerf_error error;
    assert_int_equal(sm_source_open(path, source, &error), SMERF_OK);
    assert_true(sm_npy_is(source));
    if (sm_npy_read(source, npy, &error) != SMERF_OK) fail_msg("%s", error.message);
}

/* Reads t.npy as 1 row of 4 numbers. */
static void assert_holds(const double expected[4]) {
    sm_source source;
    sm_npy npy;
    open_npy("t.npy", &source, &npy);
    assert_true(npy.n_dims == 2 && npy.shape[0] == 1 && npy.shape[1] == 4);
    for (size_t j = 0; j < 4; j++) {
        double number = sm_npy_get(&npy, 0, j);
        assert_memory_equal(&number, &expected[j], sizeof number);
    }
    sm_source_close(&source);
}

static void assert_refused(const void *bytes, size_t n, const char *words) {
    sm_source source;
    sm_npy npy;
    smerf_error error;
    write_bytes("t.npy", bytes, n);
    assert_int_equal(sm_source_open("t.npy", &source, &error), SMERF_OK);
    assert_true(sm_npy_is(&source));
    assert_int_equal(sm_npy_read(&source, &npy, &error), SMERF_BAD_INPUT);
    assert_says(&error, "t.npy: ", words);
    sm_source_close(&source);
}

static void assert_refused_dictionary(const char *dictionary, const char *words) {
    char bytes[512] = "\x93NUMPY\x01";
    size_t n = strlen(dictionary);
    assert_true(n < 256);
    bytes[8] = (char)n;
    memcpy(bytes + 10, dictionary, n);
    assert_refused(bytes, 10 + n, words);
}

static void swap_bytes(void *numbers, size_t item_bytes, size_t n) {
    unsigned char *bytes = numbers;
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < item_bytes / 2; k++) {
            unsigned char byte = bytes[i * item_bytes + k];
            bytes[i * item_bytes + k] = bytes[i * item_bytes + item_bytes - 1 - k];
            bytes[i * item_bytes + item_bytes - 1 - k] = byte;
        }
    }
}

/* Both byte orders of one type; the machine is little-endian, as the data below. */
static void assert_type(const char *type, void *numbers, size_t item_bytes, const double expected[4]) {
    char dictionary[128];
    for (int is_big = 0; is_big < 2; is_big++) {
        snprintf(dictionary, sizeof dictionary, DICTIONARY("%c%s", "False", "(1, 4)"), is_big ? '>' : '<', type);
        write_npy("t.npy", dictionary, numbers, 4 * item_bytes);
        assert_holds(expected);
        swap_bytes(numbers, item_bytes, 4);
    }
}

static void every_type_is_read_in_both_byte_orders(void **state) {
    (void)state;
    if (*(const char *)&(const int){1} != 1) skip();
    float f4[] = {1.5f, -2, NAN, 3e38f};
    double f8[] = {0.1, -0.0, INFINITY, 5e-324};
    int8_t i1[] = {0, 1, -1, -128};
    int16_t i2[] = {0, 258, -2, INT16_MIN};
    int32_t i4[] = {0, 66051, -3, INT32_MIN};
    int64_t i8[] = {0, 283686952306183, -4, INT64_MIN};
    uint8_t u1[] = {0, 1, 128, 255};
    uint16_t u2[] = {0, 258, 32768, 65535};
    uint32_t u4[] = {0, 66051, 2147483648, UINT32_MAX};
    uint64_t u8[] = {0, 283686952306183, (uint64_t)1 << 63, UINT64_MAX};
    assert_type("f4", f4, 4, (double[]){1.5, -2, (double)f4[2], (double)3e38f});
    assert_type("f8", f8, 8, (double[]){0.1, -0.0, INFINITY, 5e-324});
    assert_type("i1", i1, 1, (double[]){0, 1, -1, -128});
    assert_type("i2", i2, 2, (double[]){0, 258, -2, -32768});
    assert_type("i4", i4, 4, (double[]){0, 66051, -3, -2147483648.0});
    assert_type("i8", i8, 8, (double[]){0, 283686952306183, -4, -0x1p63});
    assert_type("u1", u1, 1, (double[]){0, 1, 128, 255});
    assert_type("u2", u2, 2, (double[]){0, 258, 32768, 65535});
    assert_type("u4", u4, 4, (double[]){0, 66051, 2147483648, 4294967295});
    assert_type("u8", u8, 8, (double[]){0, 283686952306183, 0x1p63, 0x1p64});
}

static void booleans_are_zero_or_one(void **state) {
    (void)state;
    write_npy("t.npy", DICTIONARY("|b1", "False", "(1, 4)"), "\0\1\0\7", 4);
    assert_holds((double[]){0, 1, 0, 1});
}

static void native_order_may_be_written_in_three_ways(void **state) {
    (void)state;
    const int32_t numbers[] = {1, 2, 3, -4};
    write_npy("t.npy", DICTIONARY("=i4", "False", "(1, 4)"), numbers, sizeof numbers);
    assert_holds((double[]){1, 2, 3, -4});
    write_npy("t.npy", DICTIONARY("i4", "False", "(1, 4)"), numbers, sizeof numbers);
    assert_holds((double[]){1, 2, 3, -4});
    write_npy("t.npy", DICTIONARY("|i1", "False", "(1, 4)"), "\1\2\3\xFC", 4);
    assert_holds((double[]){1, 2, 3, -4});
}

static void both_orders_of_the_numbers_are_read(void **state) {
    (void)state;
    enum { N_ROWS = 70, N_COLUMNS = 3 };
    float numbers[N_ROWS * N_COLUMNS];
    for (int k = 0; k < N_ROWS * N_COLUMNS; k++) numbers[k] = (float)k;
    for (int is_fortran = 0; is_fortran < 2; is_fortran++) {
        write_npy("t.npy", is_fortran ? DICTIONARY("<f4", "True", "(70, 3)") : DICTIONARY("<f4", "False", "(70, 3)"),
                  numbers, sizeof numbers);
        sm_source source;
        sm_npy npy;
        double tile[64 * 2];
        open_npy("t.npy", &source, &npy);
        assert_int_equal(npy.is_fortran, is_fortran);
        for (size_t i = 0; i < N_ROWS; i++)
            for (size_t j = 0; j < N_COLUMNS; j++)
                assert_true(sm_npy_get(&npy, i, j) == (double)(is_fortran ? j * N_ROWS + i : i * N_COLUMNS + j));
        sm_npy_get_tile(&npy, &(sm_npy_tile){.row = 6, .n_rows = 64, .column = 1, .n_columns = 2}, tile);
        for (size_t i = 0; i < 64; i++)
            for (size_t j = 0; j < 2; j++) assert_true(tile[2 * i + j] == sm_npy_get(&npy, 6 + i, 1 + j));
        sm_npy_get_run(&npy, 100, 64, tile);
        for (size_t k = 0; k < 64; k++) assert_true(tile[k] == (double)(100 + k));
        sm_source_close(&source);
    }
}

/* Each number stands in one tile, and no tile comes after one that lies behind it in the file. */
static void tiles_cover_the_array_in_the_order_of_the_file(void **state) {
    (void)state;
    static const size_t shapes[][2] = {{1, 1}, {64, 64}, {65, 1}, {1, 200}, {130, 67}, {64, 129}, {0, 3}, {3, 0}};
    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++) {
        for (int is_fortran = 0; is_fortran < 2; is_fortran++) {
            static unsigned char seen[130 * 129];
            const size_t n_rows = shapes[s][0], n_columns = shapes[s][1];
            const sm_source source = {0};
            const sm_npy npy = {
                .source = &source, .is_fortran = is_fortran, .item_bytes = 1, .shape = {n_rows, n_columns}};
            memset(seen, 0, sizeof seen);
            size_t last = 0;
            for (sm_npy_tile tile = {0}; sm_npy_next_tile(&npy, &tile);) {
                assert_true(tile.n_rows <= SM_NPY_TILE && tile.n_columns <= SM_NPY_TILE);
                size_t first = is_fortran ? tile.column * n_rows + tile.row : tile.row * n_columns + tile.column;
                assert_true(first >= last);
                last = first;
                for (size_t i = 0; i < tile.n_rows; i++)
                    for (size_t j = 0; j < tile.n_columns; j++) seen[(tile.row + i) * n_columns + tile.column + j]++;
            }
            for (size_t k = 0; k < n_rows * n_columns; k++) assert_int_equal(seen[k], 1);
        }
    }
}

static void one_dimension_is_a_column(void **state) {
    (void)state;
    sm_source source;
    sm_npy npy;
    write_npy("t.npy", DICTIONARY("|u1", "False", "(3,)"), "\1\2\3", 3);
    open_npy("t.npy", &source, &npy);
    assert_true(npy.n_dims == 1 && npy.shape[0] == 3 && npy.shape[1] == 1);
    assert_true(sm_npy_get(&npy, 2, 0) == 3);
    sm_source_close(&source);
}

static void versions_two_and_three_have_longer_lengths(void **state) {
    (void)state;
    const char *dictionary = DICTIONARY("|u1", "False", "(1, 4)") "\n";
    size_t n = strlen(dictionary);
    for (char version = 2; version <= 3; version++) {
        char bytes[512] = "\x93NUMPY";
        bytes[6] = version;
        bytes[8] = (char)n;
        memcpy(bytes + 12, dictionary, n);
        memcpy(bytes + 12 + n, "\1\2\3\4", 4);
        write_bytes("t.npy", bytes, 12 + n + 4);
        assert_holds((double[]){1, 2, 3, 4});
        for (size_t cut = 6; cut < 12 + n + 4; cut++) assert_refused(bytes, cut, "");
    }
    assert_refused("\x93NUMPY\4\0\0\0\0\0", 12, "version 4.0");
    assert_refused("\x93NUMPY\0\0\0\0\0\0", 12, "version 0.0");
}

static void headers_may_be_spaced_and_ordered_freely(void **state) {
    (void)state;
    static const char *const dictionaries[] = {
        "{'descr':'|u1','fortran_order':False,'shape':(1,4)}",
        "{ \"shape\" : ( 1 , 4 , ) , \"fortran_order\" : False , \"descr\" : \"|u1\" }   \n",
        "{'shape': (1L, 4L), 'descr': '|u1', 'fortran_order': True, }",
    };
    for (size_t i = 0; i < sizeof dictionaries / sizeof dictionaries[0]; i++) {
        write_npy("t.npy", dictionaries[i], "\1\2\3\4", 4);
        assert_holds((double[]){1, 2, 3, 4});
    }
}

static void other_headers_are_refused(void **state) {
    (void)state;
    static const char *const dictionaries[] = {"",
                                               "{}",
                                               "{",
                                               "{'descr': '<f8'}",
                                               "{'descr': '<f8', 'fortran_order': False, 'shape': (0,)",
                                               "{'descr': '<f8', 'fortran_order': False, 'shape': (0,)} x",
                                               "{'descr': '<f8', 'fortran_order': Maybe, 'shape': (0,)}",
                                               "{'descr': '<f8', 'fortran_order': False, 'shape': (0)}",
                                               "{'descr': '<f8', 'fortran_order': False, 'shape': (-1,)}",
                                               "{'descr': '<f8', 'fortran_order': False, 'shape': 0}",
                                               "{'descr': '<f8', 'descr': '<f8', 'shape': (0,)}",
                                               "{'descr': '<f8', 'fortran_order': False, 'shape': (0,), 'x': 1}",
                                               "{'descr': '<f8, 'fortran_order': False, 'shape': (0,)}",
                                               "{'descr' '<f8', 'fortran_order': False, 'shape': (0,)}",
                                               "{'descr': <f8, 'fortran_order': False, 'shape': (0,)}"};
    for (size_t i = 0; i < sizeof dictionaries / sizeof dictionaries[0]; i++)
        assert_refused_dictionary(dictionaries[i], "header");
}

static void other_types_are_refused(void **state) {
    (void)state;
    static const char *const types[] = {"<c8",  "<c16", "|O", "<U5", "|S3", "<f2", "<f16", "<M8[ns]", "<i3",
                                        "<i16", "|b2",  "",   "<",   "<f",  "<8f", "<f88", "?",       "\x1B[31m"};
    char dictionary[128];
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        snprintf(dictionary, sizeof dictionary, DICTIONARY("%s", "False", "(0,)"), types[i]);
        assert_refused_dictionary(dictionary, "float32, float64, integers and booleans");
    }
    assert_refused_dictionary("{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (0,), }", "records");
}

static void other_numbers_of_dimensions_are_refused(void **state) {
    (void)state;
    assert_refused_dictionary(DICTIONARY("<f8", "False", "()"), "0 dimensions");
    assert_refused_dictionary(DICTIONARY("<f8", "False", "(1, 2, 3)"), "3 dimensions");
}

static void sizes_that_no_file_has_are_refused(void **state) {
    (void)state;
    static const char *const shapes[] = {"(4611686018427387904,)",    "(4611686018427387904, 4611686018427387904)",
                                         "(2305843009213693952, 8)",  "(18446744073709551615, 1)",
                                         "(18446744073709551616, 0)", "(99999999999999999999999999, 1)",
                                         "(4294967296, 4294967296)",  "(1, 18446744073709551615)"};
    char dictionary[200];
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        snprintf(dictionary, sizeof dictionary, DICTIONARY("<f8", "False", "%s"), shapes[i]);
        assert_refused_dictionary(dictionary, "any file can hold");
    }
    assert_refused_dictionary(DICTIONARY("<f8", "False", "(1152921504606846975, 1)"), "needs 9223372036854775800");
}

static void a_file_cut_short_anywhere_is_refused(void **state) {
    (void)state;
    char bytes[256] = "\x93NUMPY\x01";
    const char *dictionary = DICTIONARY("<f8", "False", "(2, 2)");
    size_t n = strlen(dictionary);
    bytes[8] = (char)n;
    memcpy(bytes + 10, dictionary, n);
    for (size_t cut = 0; cut < 10 + n + 32; cut++) assert_refused(bytes, cut, "");
    assert_refused(bytes, 10 + n + 33, "has 33 bytes of numbers");
    assert_refused(bytes, 10 + n + 31, "needs 32");
}

static void a_name_that_ends_in_npy_is_no_proof(void **state) {
    (void)state;
    assert_refused("a,b\n1,2\n", 8, "does not start as a .npy file does");
    assert_refused("", 0, "does not start");
}

static void written_headers_are_read_back(void **state) {
    (void)state;
    static const size_t shapes[][2] = {{3, 2}, {6, 0}, {100000, 100000}};
    for (size_t i = 0; i < 3; i++) {
        for (size_t item_bytes = 4; item_bytes <= 8; item_bytes += 4) {
            size_t n_dims = shapes[i][1] == 0 ? 1 : 2, n = i < 2 ? 6 : 0;
            double numbers[6] = {0};
            sm_output *output;
            smerf_error error;
            assert_int_equal(sm_output_open("w.npy", &output, &error), SMERF_OK);
            sm_npy_write_header(output, item_bytes, n_dims, shapes[i]);
            sm_output_write(output, numbers, n * item_bytes);
            assert_int_equal(sm_output_finish(output, &error), SMERF_OK);
            sm_source source;
            sm_npy npy;
            assert_int_equal(sm_source_open("w.npy", &source, &error), SMERF_OK);
            assert_int_equal((source.n_bytes - n * item_bytes) % 64, 0);
            if (i == 2) {
                assert_int_equal(sm_npy_read(&source, &npy, &error), SMERF_BAD_INPUT);
                assert_says(&error, "w.npy: has 0 bytes of numbers", "100000 x 100000");
            } else {
                assert_int_equal(sm_npy_read(&source, &npy, &error), SMERF_OK);
                assert_true(npy.n_dims == n_dims && npy.shape[0] == shapes[i][0] && npy.item_bytes == item_bytes);
                assert_true(npy.type == (item_bytes == 4 ? SM_NPY_F32 : SM_NPY_F64) && !npy.is_fortran);
            }
            sm_source_close(&source);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_type_is_read_in_both_byte_orders),
        cmocka_unit_test(booleans_are_zero_or_one),
        cmocka_unit_test(native_order_may_be_written_in_three_ways),
        cmocka_unit_test(both_orders_of_the_numbers_are_read),
        cmocka_unit_test(tiles_cover_the_array_in_the_order_of_the_file),
        cmocka_unit_test(one_dimension_is_a_column),
        cmocka_unit_test(versions_two_and_three_have_longer_lengths),
        cmocka_unit_test(headers_may_be_spaced_and_ordered_freely),
        cmocka_unit_test(other_headers_are_refused),
        cmocka_unit_test(other_types_are_refused),
        cmocka_unit_test(other_numbers_of_dimensions_are_refused),
        cmocka_unit_test(sizes_that_no_file_has_are_refused),
        cmocka_unit_test(a_file_cut_short_anywhere_is_refused),
        cmocka_unit_test(a_name_that_ends_in_npy_is_no_proof),
        cmocka_unit_test(written_headers_are_read_back),
    };
    return cmocka_run_group_tests(tests, files_enter, files_leave);
}
