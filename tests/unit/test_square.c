/* test_square.c - a matrix and its mirror image, in tiles, against one entry after the other. */
#include "tests/unit/files.h"

#include <math.h>

#include "base/random.h"
#include "base/square.h"

enum { MOST = 200 };

static float z[MOST * MOST];

static void fill(sm_random *random, size_t n) {
    for (size_t i = 0; i < n; i++)
        for (size_t j = i; j < n; j++) z[i * n + j] = z[j * n + i] = (float)sm_random_normal(random);
}

static bool find_first(size_t n, size_t *row, size_t *column) {
    for (size_t i = 0; i < n; i++)
        for (size_t j = i + 1; j < n; j++) {
            float a = z[i * n + j], b = z[j * n + i];
            if (a == b || (isnan(a) && isnan(b))) continue;
            *row = i;
            *column = j;
            return true;
        }
    return false;
}

/* Rows from `first` on against what stands above the diagonal in their columns; later rows are no matter. */
static bool band_is_symmetric(size_t n, size_t first) {
    for (size_t i = first; i < n && i < first + SM_SQUARE_BAND; i++)
        for (size_t j = 0; j < i; j++) {
            float a = z[i * n + j], b = z[j * n + i];
            if (a != b && !(isnan(a) && isnan(b))) return false;
        }
    return true;
}

static void assert_found(size_t n) {
    size_t row, column, found_row, found_column;
    bool is_odd = find_first(n, &row, &column);
    for (size_t first = 0; first < n; first += SM_SQUARE_BAND)
        assert_int_equal(sm_square_band_is_symmetric(z, n, first), band_is_symmetric(n, first));
    assert_int_equal(sm_square_is_symmetric(z, n, &found_row, &found_column), !is_odd);
    if (is_odd) assert_true(found_row == row && found_column == column);
}

static void the_first_entry_that_is_not_mirrored_is_found(void **state) {
    (void)state;
    sm_random random;
    sm_random_start(&random, 1, 0, 1);
    for (int round = 0; round < 600; round++) {
        uint32_t n = 1 + sm_random_below(&random, MOST);
        fill(&random, n);
        assert_found(n);
        for (uint32_t k = sm_random_below(&random, 4); k > 0; k--) {
            float *odd = &z[sm_random_below(&random, n * n)];
            *odd = nextafterf(*odd, 9);
        }
        assert_found(n);
    }
}

static void zeros_of_both_signs_are_equal_and_so_are_missing_entries(void **state) {
    (void)state;
    sm_random random;
    sm_random_start(&random, 2, 0, 1);
    size_t n = 130, row, column;
    fill(&random, n);
    z[3 * n + 70] = 0;
    z[70 * n + 3] = -0.0f;
    z[100 * n + 5] = NAN;
    z[5 * n + 100] = -NAN;
    assert_true(sm_square_is_symmetric(z, n, &row, &column));
    z[100 * n + 5] = 1; /* missing on one side only */
    assert_found(n);
}

static void floats_are_finite_or_not(void **state) {
    (void)state;
    static const float odd[] = {INFINITY, -INFINITY, NAN, -NAN};
    sm_random random;
    sm_random_start(&random, 3, 0, 1);
    for (uint32_t n = 0; n < 70; n++) {
        for (size_t i = 0; i < n; i++) z[i] = i % 3 == 0 ? 3.4028234e38f : -1e-45f;
        assert_true(sm_are_finite(z, n));
        if (n == 0) continue;
        z[sm_random_below(&random, n)] = odd[n % 4];
        assert_false(sm_are_finite(z, n));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_entry_that_is_not_mirrored_is_found),
        cmocka_unit_test(zeros_of_both_signs_are_equal_and_so_are_missing_entries),
        cmocka_unit_test(floats_are_finite_or_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
