/* test_fetch.c - pieces of a file, by direct I/O and through the page cache: the same bytes, whatever the system does. */
#include "tests/unit/files.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <time.h>

#include "base/memory.h"
#include "base/random.h"
#include "io/matrix/matrix_reader.h"

enum { N_BYTES = 300 * 4096 + 777, MOST = 40000 };

static unsigned char expected[N_BYTES];

/* ---- a system that does as the test wants ---- */

static enum { AS_IT_IS, IN_BLOCKS, IN_BITS, REFUSED, SLOWLY, SHORTER, DAMAGED } reading;
static enum { HELD, NOT_HELD, NOT_SAID } memory;
static size_t n_direct, n_copied;  /* reads that were done */
static long now;                   /* in nanoseconds, */
static long a_direct_read, a_copy; /* and how many these take */

static bool is_direct(int file) { return (fcntl(file, F_GETFL) & O_DIRECT) != 0; }

ssize_t pread(int file, void *to, size_t n, off_t from) {
    static int n_calls;
    ssize_t (*read)(int, void *, size_t, off_t);
    *(void **)&read = dlsym(RTLD_NEXT, "pread");
    bool is_refused = reading == REFUSED && is_direct(file), is_damaged = reading == DAMAGED && from >= 90000;
    if (reading == IN_BITS && n_calls++ % 3 == 0) errno = EINTR;
    if (reading == IN_BITS && n_calls % 3 == 1) return -1;
    if (is_refused) errno = EINVAL;
    if (is_damaged) errno = EIO;
    if (is_refused || is_damaged) return -1;
    if (reading == SHORTER && from >= 90000) return 0;
    if (reading == IN_BLOCKS && n > 4096) n = 4096;
    if (reading == IN_BITS && n > 1000) n = 1000;
    if (reading == SLOWLY) now += 50000000;
    now += is_direct(file) ? a_direct_read : a_copy;
    *(is_direct(file) ? &n_direct : &n_copied) += 1;
    return read(file, to, n, from);
}

int clock_gettime(clockid_t clock, struct timespec *time) {
    (void)clock;
    *time = (struct timespec){.tv_nsec = now};
    return 0;
}

int mincore(void *from, size_t n, unsigned char *is_held) {
    (void)from;
    assert_true(n <= 4096);
    *is_held = memory == HELD ? 0xff : 0xfe;
    if (memory == NOT_SAID) errno = ENOMEM;
    return memory == NOT_SAID ? -1 : 0;
}

/* ---- reading ---- */

static bool can_read_directly;

static int make_file(void **state) {
    sm_random random;
    if (files_enter(state) != 0) return 1;
    sm_random_start(&random, 1, 0, 1);
    for (size_t k = 0; k < N_BYTES; k++) expected[k] = (unsigned char)sm_random_below(&random, 256);
    write_bytes("bytes", expected, N_BYTES);
    int file = open("bytes", O_RDONLY | O_DIRECT);
    can_read_directly = file >= 0;
    if (file >= 0) close(file);
    if (!can_read_directly) printf("this file system has no direct I/O: everything is copied\n");
    return 0;
}

/* Many pieces from anywhere, with their ends on and beside those of blocks and of the file. */
static void assert_same_bytes(bool must_be_direct, bool may_be_direct) {
    sm_source source;
    sm_fetch fetch;
    sm_random random;
    smerf_error error = {0};
    char *buffer = sm_fetch_buffer(MOST);
    assert_int_equal(sm_source_open("bytes", &source, &error), SMERF_OK);
    sm_fetch_start(&fetch, &source, 0, N_BYTES);
    sm_random_start(&random, 2, 0, 1);
    n_direct = n_copied = 0;
    for (size_t round = 0; round < 200; round++) {
        size_t from = sm_random_below(&random, N_BYTES), n = 1 + sm_random_below(&random, MOST);
        if (round % 4 == 1) from = from / 4096 * 4096;
        if (round % 4 == 2) n = (n + 4095) / 4096 * 4096 - from % 4096;
        if (n > MOST) n = MOST;
        if (n > N_BYTES - from || round % 16 == 3) n = N_BYTES - from < MOST ? N_BYTES - from : MOST;
        const char *bytes = NULL;
        bool is_now = sm_fetch_is_direct(&fetch, from, n);
        if (must_be_direct && can_read_directly) assert_true(is_now);
        if (!may_be_direct) assert_false(is_now);
        if (sm_fetch_read(&fetch, from, n, is_now, buffer, &bytes, &error) != SMERF_OK) fail_msg("%s", error.message);
        assert_memory_equal(bytes, expected + from, n);
        assert_int_equal(bytes - buffer, from % 4096);
    }
    sm_fetch_end(&fetch);
    sm_source_close(&source);
    sm_free(buffer);
}

static void what_the_system_holds_is_copied(void **state) {
    (void)state;
    reading = AS_IT_IS;
    memory = HELD;
    assert_same_bytes(false, false);
    assert_int_equal(n_direct, 0);
    memory = NOT_SAID;
    assert_same_bytes(false, false);
}

static void what_it_does_not_hold_is_read_by_direct_io(void **state) {
    (void)state;
    memory = NOT_HELD;
    for (reading = AS_IT_IS; reading <= IN_BLOCKS; reading++) {
        assert_same_bytes(true, true);
        if (can_read_directly) assert_true(n_direct >= 200 && n_copied == 0);
    }
}

static void what_direct_io_cannot_read_is_copied(void **state) {
    (void)state;
    memory = NOT_HELD;
    for (reading = IN_BITS; reading <= REFUSED; reading++) {
        assert_same_bytes(true, true);
        assert_true(n_copied > 0);
    }
    reading = AS_IT_IS;
}

static void a_slow_disk_is_read_through_memory(void **state) {
    (void)state;
    memory = NOT_HELD;
    reading = SLOWLY;
    assert_same_bytes(false, true);
    if (can_read_directly) assert_int_equal(n_direct, 8);
    assert_true(n_copied >= 192);
    reading = AS_IT_IS;
}

/* How many of 200 pieces are read by direct I/O. */
static size_t count_direct(void) {
    sm_source source;
    sm_fetch fetch;
    smerf_error error = {0};
    const char *bytes;
    char *buffer = sm_fetch_buffer(1000);
    assert_int_equal(sm_source_open("bytes", &source, &error), SMERF_OK);
    sm_fetch_start(&fetch, &source, 0, N_BYTES);
    n_direct = n_copied = 0;
    for (size_t from = 0; from < 200 * 1000; from += 1000) {
        bool is_now = sm_fetch_choose(&fetch, from, 1000);
        assert_int_equal(sm_fetch_read(&fetch, from, 1000, is_now, buffer, &bytes, &error), SMERF_OK);
        assert_memory_equal(bytes, expected + from, 1000);
    }
    sm_fetch_end(&fetch);
    sm_source_close(&source);
    sm_free(buffer);
    assert_int_equal(n_direct + n_copied, 200);
    return n_direct;
}

/* A trial of 16 pieces each way, after 8 that do not count. */
static void the_quicker_way_is_kept_to(void **state) {
    (void)state;
    if (!can_read_directly) return;
    memory = NOT_HELD;
    reading = AS_IT_IS;
    a_direct_read = 1000;
    a_copy = 2000;
    assert_int_equal(count_direct(), 200 - 24);
    a_direct_read = 1800; /* a little quicker is not enough */
    assert_int_equal(count_direct(), 24);
    a_direct_read = 3000;
    assert_int_equal(count_direct(), 24);
    memory = HELD;
    assert_int_equal(count_direct(), 0);
    a_direct_read = a_copy = 0;
}

static void a_file_that_breaks_off_is_told(void **state) {
    (void)state;
    sm_source source;
    sm_fetch fetch;
    smerf_error error = {0};
    const char *bytes;
    char *buffer = sm_fetch_buffer(MOST);
    assert_int_equal(sm_source_open("bytes", &source, &error), SMERF_OK);
    for (memory = HELD; memory <= NOT_HELD; memory++) {
        sm_fetch_start(&fetch, &source, 0, N_BYTES);
        assert_int_equal(sm_fetch_may_wait(&fetch), memory == NOT_HELD && can_read_directly);
        bool is_now = sm_fetch_is_direct(&fetch, 100000, MOST);
        reading = SHORTER;
        assert_int_equal(sm_fetch_read(&fetch, 100000, MOST, is_now, buffer, &bytes, &error), SMERF_IO);
        assert_says(&error, "bytes: has become shorter while it was read", "");
        reading = DAMAGED;
        assert_int_equal(sm_fetch_read(&fetch, 100000, MOST, is_now, buffer, &bytes, &error), SMERF_IO);
        assert_says(&error, "bytes: cannot be read: ", strerror(EIO));
        assert_int_equal(sm_fetch_read(&fetch, 100000, MOST, is_now, buffer, &bytes, NULL), SMERF_IO);
        reading = AS_IT_IS;
        sm_fetch_end(&fetch);
    }
    sm_source_close(&source);
    sm_free(buffer);
    assert_null(sm_fetch_buffer(SIZE_MAX - 5));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_the_system_holds_is_copied),
        cmocka_unit_test(what_it_does_not_hold_is_read_by_direct_io),
        cmocka_unit_test(what_direct_io_cannot_read_is_copied),
        cmocka_unit_test(a_slow_disk_is_read_through_memory),
        cmocka_unit_test(the_quicker_way_is_kept_to),
        cmocka_unit_test(a_file_that_breaks_off_is_told),
    };
    return cmocka_run_group_tests(tests, make_file, files_leave);
}
