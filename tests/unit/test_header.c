/* test_header.c - what the public headers promise of themselves: versions, and structs that may grow. */
#include "tests/unit/forests.h"

#include "smerf_study.h"

static void version_of_header_and_library_agree(void **state) {
    (void)state;
    char version[64];
    snprintf(version, sizeof version, "%d.%d.%d", SMERF_VERSION_MAJOR, SMERF_VERSION_MINOR, SMERF_VERSION_PATCH);
    assert_string_equal(smerf_version(), version);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(version_of_header_and_library_agree)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
