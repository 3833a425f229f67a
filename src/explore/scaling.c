/* scaling.c - the coordinates of classical multidimensional scaling: eigenvalues of the doubly centred matrix, see explore.h.
 *
 * factor/factor.h finds the eigenvalues of B that are largest in absolute value, and a map wants the largest. Where too few
 * of those found are positive, B is moved: -2c on the diagonal of Z adds c to every eigenvalue and leaves the vectors as they
 * are, and with -c the lowest eigenvalue (which was found, as the largest of its sign) all of them are positive. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "explore/explore.h"
#include "factor/factor.h"
#include "kernels/kernels.h"

enum {
    FEW_ITEMS = 256,      /* factor.c solves so many whole: all eigenvalues are there for the asking */
    MORE_THAN_WANTED = 8, /* negative ones that may be among them */
    COLUMNS_AT_ONCE = 256 /* so many rows of X stay in the cache while a panel of Z passes */
};

typedef struct squares {
    const float *z;
    size_t n;
    double diagonal; /* in place of 0 */
    sm_panel_product multiply;
} squares;

static void square_rows(const void *context, size_t first, size_t end, const double *x, size_t m, double *y) {
    const squares *of = context;
    memset(y, 0, (end - first) * m * sizeof *y);
    for (size_t k = 0; k < of->n; k += COLUMNS_AT_ONCE) {
        size_t n_columns = of->n - k < COLUMNS_AT_ONCE ? of->n - k : COLUMNS_AT_ONCE;
        of->multiply(of->z + first * of->n + k, of->n, end - first, n_columns, x + k * m, m, y);
    }
    for (size_t i = first; i < end; i++)
        for (size_t c = 0; c < m; c++) y[(i - first) * m + c] += of->diagonal * x[i * m + c];
}

static void square_moments(const void *context, size_t row, double centre, double *sum, double *sum_squares) {
    const squares *of = context;
    const float *z = of->z + row * of->n;
    *sum = *sum_squares = 0;
    for (size_t j = 0; j < of->n; j++) {
        double apart = (j == row ? of->diagonal : (double)z[j]) - centre;
        *sum += apart;
        *sum_squares += apart * apart;
    }
}

/* What the rounding of Z to floats may make of an eigenvalue that is 0. */
static double rounding(const float *z, size_t n) {
    float largest = 0;
    for (size_t i = 0; i < n * n; i++) largest = fmaxf(largest, z[i]);
    return FLT_EPSILON * sqrt((double)n) * (double)largest;
}

/* The eigenvalues above `least` in falling order, which |value| - if all were moved by c, value - c - already is in. */
static size_t hand_over(const sm_factors *factors, double c, double least, sm_scaling *to) {
    size_t n_found = 0;
    for (size_t r = 0; r < factors->rank && n_found < to->n_axes; r++) {
        double length = sqrt(fabs(factors->value[r])); /* of u, where vectors have length 1 */
        if (!(factors->value[r] - c > least)) continue;
        to->value[n_found] = factors->value[r] - c;
        for (size_t i = 0; i < to->n; i++)
            to->vector[i * to->n_axes + n_found] = factors->u[i * factors->rank + r] / length;
        n_found++;
    }
    return n_found;
}

static double lowest_value(const sm_factors *factors) {
    double lowest = 0;
    for (size_t r = 0; r < factors->rank; r++) lowest = fmin(lowest, factors->value[r]);
    return lowest;
}

/* The sum of all |eigenvalues|; NaN: not known. */
static double sum_of_sizes(const sm_factors *factors) {
    double kept = 0;
    for (size_t r = 0; r < factors->rank; r++) kept += fabs(factors->value[r]);
    return kept / factors->eigenvalue_fraction;
}

smerf_status sm_scaling_find(const float *z, uint64_t seed, smerf_kernels kernels, sm_pool *pool, sm_scaling *scaling,
                             smerf_error *error) {
    const size_t n = scaling->n, n_axes = scaling->n_axes;
    squares of = {.z = z, .n = n, .multiply = sm_kernels_select(kernels)->panel};
    const sm_operator matrix = {
        .n = n, .wants_vectors = true, .context = &of, .rows = square_rows, .row_moments = square_moments};
    size_t wanted = n <= FEW_ITEMS || n < n_axes + MORE_THAN_WANTED ? n : n_axes + MORE_THAN_WANTED;
    sm_factors factors = {0};
    *scaling = (sm_scaling){.n = n, .n_axes = n_axes, .eigenvalue_fraction = NAN};
    scaling->value = sm_zeros(n_axes, sizeof *scaling->value);
    scaling->vector = sm_zeros(sm_size(n, n_axes, 0), sizeof *scaling->vector);
    if (scaling->value == NULL || scaling->vector == NULL) return sm_no_memory(error, "scaling distances");

    pool->fraction_from = 0;
    pool->fraction_to = 0.5;
    smerf_status status = sm_factor(&matrix, wanted, seed, pool, &factors, error);
    if (status != SMERF_OK) return status;
    double least = rounding(z, n), lowest = lowest_value(&factors), all = sum_of_sizes(&factors), found = 0;
    size_t n_found = hand_over(&factors, 0, least, scaling);
    bool may_be_more = n_found < n_axes && factors.rank == wanted && wanted < n;
    sm_factors_free(&factors);
    if (may_be_more) {
        of.diagonal = 2 * lowest;
        pool->fraction_from = 0.5;
        pool->fraction_to = 1;
        status = sm_factor(&matrix, wanted, seed, pool, &factors, error);
        if (status == SMERF_OK) hand_over(&factors, -lowest, least, scaling);
        sm_factors_free(&factors);
    }
    for (size_t axis = 0; axis < n_axes; axis++) found += scaling->value[axis];
    scaling->eigenvalue_fraction = all == 0 ? 1 : found / all;
    return status;
}

void sm_scaling_free(sm_scaling *scaling) {
    sm_free(scaling->value);
    sm_free(scaling->vector);
    *scaling = (sm_scaling){0};
}
