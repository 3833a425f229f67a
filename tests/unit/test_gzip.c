/* test_gzip.c - compressed text: what comes out is what went in, or one line says why not. */
#include "tests/unit/files.h"

#include "io/matrix/npy.h"
#include "io/text/text.h"

enum { MOST = 1 << 20 };

static unsigned char packed[MOST];

/* Compresses text into a file; the number of its bytes, which are in `packed`. */
static size_t pack(const char *path, const char *text, size_t n) {
    sm_output *output;
    smerf_error error;
    if (sm_text_output_open(path, &output, &error) != SMERF_OK) fail_msg("%s", error.message);
    for (size_t i = 0; i < n; i += 777) sm_output_write(output, text + i, n - i < 777 ? n - i : 777);
    if (sm_output_finish(output, &error) != SMERF_OK) fail_msg("%s", error.message);
    FILE *file = fopen(path, "rb");
    size_t n_packed = fread(packed, 1, sizeof packed, file);
    fclose(file);
    return n_packed;
}

static void assert_opens(const char *path, const char *text, size_t n) {
    sm_source source;
    smerf_error error;
    if (sm_source_open(path, &source, &error) != SMERF_OK) fail_msg("%s", error.message);
    assert_int_equal(source.n_bytes, n);
    assert_memory_equal(source.bytes, text, n);
    assert_true(source.is_compressed);
    sm_source_close(&source);
}

static void assert_does_not_open(const char *words) {
    sm_source source;
    smerf_error error;
    assert_int_equal(sm_source_open("t.gz", &source, &error), SMERF_BAD_INPUT);
    assert_says(&error, "t.gz: the compressed file ", words);
    assert_null(source.bytes);
}

/* A long text of numbers, the caller's to free. */
static char *make_text(size_t n) {
    char *text = malloc(n + 32);
    size_t at = 0;
    for (unsigned long k = 1; at < n; k = k * 48271 % 2147483647)
        at += (size_t)sprintf(text + at, "%lu,%lu\n", k, k % 97);
    text[n - 1] = '\n';
    return text;
}

static void what_is_compressed_comes_out_again(void **state) {
    (void)state;
    static const size_t sizes[] = {1, 2, 65535, 65536, 65537, 1000000};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        char *text = make_text(sizes[k]);
        (void)pack("t.csv.gz", text, sizes[k]);
        assert_opens("t.csv.gz", text, sizes[k]);
        free(text);
    }
    (void)pack("t.csv.gz", "", 0);
    assert_opens("t.csv.gz", "", 0);
}

static void the_bytes_say_nothing_of_the_time(void **state) {
    (void)state;
    size_t n = pack("t.csv.gz", "a,b\n1,2\n", 8);
    assert_true(n > 18);
    assert_memory_equal(packed, "\x1F\x8B\x08\0\0\0\0\0", 8); /* no name, no time */
}

static void print_goes_through_it_too(void **state) {
    (void)state;
    sm_output *output;
    smerf_error error;
    assert_int_equal(sm_text_output_open("t.csv.gz", &output, &error), SMERF_OK);
    sm_output_print(output, "a,%s\n%d", "b", 1);
    sm_put_cell(output, "x,y");
    assert_int_equal(sm_output_finish(output, &error), SMERF_OK);
    assert_opens("t.csv.gz", "a,b\n1\"x,y\"", 10);
}

static void members_follow_each_other(void **state) {
    (void)state;
    unsigned char all[256];
    size_t n = pack("t.gz", "a,b\n", 4);
    memcpy(all, packed, n);
    size_t n_second = pack("t.gz", "1,2\n", 4);
    memcpy(all + n, packed, n_second);
    memset(all + n + n_second, 0, 16);
    write_bytes("t.gz", all, n + n_second);
    assert_opens("t.gz", "a,b\n1,2\n", 8);
    write_bytes("t.gz", all, n + n_second + 16); /* filled up with zeros */
    assert_opens("t.gz", "a,b\n1,2\n", 8);
    all[n + n_second + 15] = 'x';
    write_bytes("t.gz", all, n + n_second + 16);
    assert_does_not_open("is followed by something else (gzip)");
}

static void a_file_cut_anywhere_is_refused(void **state) {
    (void)state;
    char *text = make_text(3000);
    size_t n = pack("t.gz", text, 3000);
    free(text);
    for (size_t kept = 2; kept < n; kept++) {
        write_bytes("t.gz", packed, kept);
        assert_does_not_open("is cut short (gzip)");
    }
}

/* Some bytes of the header say nothing that matters; any other change is noticed. */
static void a_file_with_any_byte_changed_is_refused_or_the_same(void **state) {
    (void)state;
    char *text = make_text(300);
    size_t n = pack("t.gz", text, 300), n_fine = 0;
    for (size_t i = 2; i < n; i++) {
        sm_source source;
        smerf_error error;
        packed[i] ^= 0x10;
        write_bytes("t.gz", packed, n);
        packed[i] ^= 0x10;
        smerf_status status = sm_source_open("t.gz", &source, &error);
        if (status == SMERF_OK) {
            n_fine++;
            assert_true(source.n_bytes == 300 && memcmp(source.bytes, text, 300) == 0);
            sm_source_close(&source);
        } else {
            assert_int_equal(status, SMERF_BAD_INPUT);
            assert_says(&error, "t.gz: the compressed file is ", "(gzip)");
        }
    }
    assert_true(n_fine < 8);
    free(text);
}

static void an_array_is_not_compressed(void **state) {
    (void)state;
    sm_source source;
    smerf_error error;
    (void)pack("t.gz", "\x93NUMPY\x01\0", 8);
    assert_int_equal(sm_source_open("t.gz", &source, &error), SMERF_BAD_INPUT);
    assert_says(&error, "t.gz: a compressed .npy file", "gunzip");
}

static void an_abandoned_file_leaves_no_trace(void **state) {
    (void)state;
    sm_output *output;
    smerf_error error;
    assert_int_equal(sm_text_output_open("none.gz", &output, &error), SMERF_OK);
    sm_output_write(output, "a", 1);
    sm_output_abandon(output);
    assert_int_equal(access("none.gz", F_OK), -1);
    assert_int_equal(sm_text_output_open("/dev/full", &output, &error), SMERF_OK);
    sm_output_abandon(output);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_compressed_comes_out_again),
        cmocka_unit_test(the_bytes_say_nothing_of_the_time),
        cmocka_unit_test(print_goes_through_it_too),
        cmocka_unit_test(members_follow_each_other),
        cmocka_unit_test(a_file_cut_anywhere_is_refused),
        cmocka_unit_test(a_file_with_any_byte_changed_is_refused_or_the_same),
        cmocka_unit_test(an_array_is_not_compressed),
        cmocka_unit_test(an_abandoned_file_leaves_no_trace),
    };
    return cmocka_run_group_tests(tests, files_enter, files_leave);
}
