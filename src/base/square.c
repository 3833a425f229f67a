/* square.c - see square.h. An entry and its mirror image are far apart in memory: a pass takes tiles of both, so that each cache line
 * is read once. */
#include "base/square.h"

#include <float.h>
#include <math.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

/* 64 lines of 64 floats and as many of the mirror image: 32 kB. */
enum { TILE = SM_SQUARE_BAND };

/* A tile that touches or lies above the diagonal. */
typedef struct tile {
    size_t first_row, rows_end, first_column, columns_end;
} tile;

/* The next tile, row by row of tiles; the first comes after {0}. False: there is none. */
static bool next_tile(tile *at, size_t n) {
    if (at->columns_end < n) {
        at->first_column = at->columns_end;
    } else {
        at->first_row = at->rows_end;
        at->first_column = at->rows_end;
    }
    at->rows_end = n - at->first_row < TILE ? n : at->first_row + TILE;
    at->columns_end = n - at->first_column < TILE ? n : at->first_column + TILE;
    return at->first_row < n;
}

static size_t larger(size_t a, size_t b) { return a > b ? a : b; }

void sm_square_mirror(float *z, size_t n) {
    for (tile at = {0}; next_tile(&at, n);)
        for (size_t i = at.first_row; i < at.rows_end; i++)
            for (size_t j = larger(at.first_column, i + 1); j < at.columns_end; j++) z[j * n + i] = z[i * n + j];
}

static float mean_of_two(float a, float b) {
    float between = (float)(((double)a + (double)b) / 2);
    return !isnan(between) ? between : isnan(a) ? b : a;
}

void sm_square_average(float *z, size_t n) {
    for (tile at = {0}; next_tile(&at, n);)
        for (size_t i = at.first_row; i < at.rows_end; i++)
            for (size_t j = larger(at.first_column, i + 1); j < at.columns_end; j++)
                z[i * n + j] = z[j * n + i] = mean_of_two(z[i * n + j], z[j * n + i]);
}

static bool are_equal(float a, float b) { return a == b || (isnan(a) && isnan(b)); }

/* Whether four by four entries have the bits of those that they mirror.
 *   z, mirror  where the blocks start, in rows of n entries */
static inline bool are_mirrored(const float *z, const float *mirror, size_t n) {
#ifdef __SSE2__
    __m128i differ = _mm_setzero_si128(), rows[4], columns[4];
    for (size_t k = 0; k < 4; k++) rows[k] = _mm_loadu_si128((const __m128i *)(const void *)(z + k * n));
    for (size_t k = 0; k < 4; k++) columns[k] = _mm_loadu_si128((const __m128i *)(const void *)(mirror + k * n));
    __m128i low01 = _mm_unpacklo_epi32(columns[0], columns[1]), low23 = _mm_unpacklo_epi32(columns[2], columns[3]);
    __m128i high01 = _mm_unpackhi_epi32(columns[0], columns[1]), high23 = _mm_unpackhi_epi32(columns[2], columns[3]);
    differ = _mm_or_si128(differ, _mm_xor_si128(rows[0], _mm_unpacklo_epi64(low01, low23)));
    differ = _mm_or_si128(differ, _mm_xor_si128(rows[1], _mm_unpackhi_epi64(low01, low23)));
    differ = _mm_or_si128(differ, _mm_xor_si128(rows[2], _mm_unpacklo_epi64(high01, high23)));
    differ = _mm_or_si128(differ, _mm_xor_si128(rows[3], _mm_unpackhi_epi64(high01, high23)));
    return _mm_movemask_epi8(_mm_cmpeq_epi32(differ, _mm_setzero_si128())) == 0xFFFF;
#else
    bool are_equal = true;
    for (size_t k = 0; k < 4; k++)
        for (size_t l = 0; l < 4; l++) are_equal &= memcmp(z + k * n + l, mirror + l * n + k, sizeof *z) == 0;
    return are_equal;
#endif
}

/* Whether a whole tile has the bits of its mirror image; if not, or if it is no whole one, entries are to be looked at one
 * by one: 0 and -0 are equal, and so are any two that are missing. */
static bool is_mirrored_tile(const float *z, size_t n, const tile *at) {
    if (at->rows_end - at->first_row < TILE || at->columns_end - at->first_column < TILE) return false;
    bool is_equal = true;
    for (size_t i = at->first_row; i < at->rows_end && is_equal; i += 4)
        for (size_t j = at->first_column; j < at->columns_end; j += 4)
            is_equal &= are_mirrored(z + i * n + j, z + j * n + i, n);
    return is_equal;
}

/* Whether a tile is symmetric to the one that it mirrors. */
static bool is_symmetric_tile(const float *z, size_t n, const tile *at) {
    if (is_mirrored_tile(z, n, at)) return true;
    for (size_t i = at->first_row; i < at->rows_end; i++)
        for (size_t j = larger(at->first_column, i + 1); j < at->columns_end; j++)
            if (!are_equal(z[i * n + j], z[j * n + i])) return false;
    return true;
}

bool sm_square_band_is_symmetric(const float *z, size_t n, size_t first) {
    tile at = {.first_column = first, .columns_end = n - first < TILE ? n : first + TILE};
    for (; at.first_row <= first; at.first_row += TILE) {
        at.rows_end = n - at.first_row < TILE ? n : at.first_row + TILE;
        if (!is_symmetric_tile(z, n, &at)) return false;
    }
    return true;
}

bool sm_square_is_symmetric(const float *z, size_t n, size_t *row, size_t *column) {
    bool is_symmetric = true;
    for (size_t first = 0; first < n && is_symmetric; first += TILE)
        is_symmetric = sm_square_band_is_symmetric(z, n, first);
    if (is_symmetric) return true;
    bool is_found = false;
    for (tile at = {0}; next_tile(&at, n);) {
        if (is_found && at.first_row > *row) break; /* later tiles have later rows only */
        if (is_mirrored_tile(z, n, &at)) continue;
        size_t rows_end = is_found ? *row : at.rows_end;
        for (size_t i = at.first_row; i < rows_end; i++) {
            for (size_t j = larger(at.first_column, i + 1); j < at.columns_end; j++) {
                if (are_equal(z[i * n + j], z[j * n + i])) continue;
                is_found = true;
                *row = rows_end = i; /* of later tiles only an earlier row could come before it */
                *column = j;
                break;
            }
        }
    }
    return false;
}

/* ---- eigenvectors ---- */

static double dot_product(const double *x, const double *y, size_t n) {
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += x[i] * y[i];
    return sum;
}

/* Squares of what is nothing beside entries near 1; their reciprocals would overflow if they came close to 0. */
static const double nothing = 1e-60;

/* The reflection I - beta v v' that maps x to alpha e_1. x becomes v; returns beta, 0 if there is nothing to do. */
static double make_reflector(double *x, size_t n, double *alpha) {
    double tail = dot_product(x + 1, x + 1, n - 1);
    *alpha = x[0];
    if (tail < nothing) return 0;
    double norm = sqrt(x[0] * x[0] + tail);
    *alpha = x[0] > 0 ? -norm : norm;
    x[0] -= *alpha;
    return 2 / (x[0] * x[0] + tail);
}

/* a becomes tridiagonal (diagonal d, off-diagonal e), vectors the product of the reflections, transposed. */
static void tridiagonalise(double *a, size_t n, double *d, double *e, double *vectors, double *v, double *p) {
    for (size_t i = 0; i < n * n; i++) vectors[i] = i % (n + 1) == 0 ? 1 : 0;
    for (size_t k = 0; k + 2 < n; k++) {
        size_t m = n - k - 1; /* the part below row k */
        for (size_t i = 0; i < m; i++) v[i] = a[(k + 1 + i) * n + k];
        double beta = make_reflector(v, m, &e[k]);
        if (beta == 0) continue;
        for (size_t i = 0; i < m; i++) p[i] = beta * dot_product(a + (k + 1 + i) * n + k + 1, v, m);
        double half = beta / 2 * dot_product(p, v, m);
        for (size_t i = 0; i < m; i++) p[i] -= half * v[i];
        for (size_t i = 0; i < m; i++)
            for (size_t j = 0; j < m; j++) a[(k + 1 + i) * n + k + 1 + j] -= v[i] * p[j] + p[i] * v[j];
        for (size_t column = 0; column < n; column++) { /* rows k+1.. of the transposed product */
            double sum = 0;
            for (size_t i = 0; i < m; i++) sum += v[i] * vectors[(k + 1 + i) * n + column];
            for (size_t i = 0; i < m; i++) vectors[(k + 1 + i) * n + column] -= beta * sum * v[i];
        }
    }
    for (size_t i = 0; i < n; i++) d[i] = a[i * n + i];
    if (n >= 2) e[n - 2] = a[(n - 1) * n + n - 2];
}

static void rotate_rows(double *x, double *y, size_t n, double c, double s) {
    for (size_t i = 0; i < n; i++) {
        double old = x[i];
        x[i] = c * old + s * y[i];
        y[i] = c * y[i] - s * old;
    }
}

/* One implicit QR step on the unreduced part first .. last. */
static void qr_step(double *d, double *e, size_t first, size_t last, double *vectors, size_t n) {
    double delta = (d[last - 1] - d[last]) / 2, off = e[last - 1];
    double shift = d[last] - off * off / (delta + copysign(hypot(delta, off), delta));
    double x = d[first] - shift, z = e[first];
    for (size_t k = first; k < last; k++) {
        double r = hypot(x, z), c = r > 0 ? x / r : 1, s = r > 0 ? z / r : 0;
        double d1 = d[k], d2 = d[k + 1], ek = e[k];
        if (k > first) e[k - 1] = r;
        d[k] = c * c * d1 + 2 * c * s * ek + s * s * d2;
        d[k + 1] = s * s * d1 - 2 * c * s * ek + c * c * d2;
        e[k] = c * s * (d2 - d1) + (c * c - s * s) * ek;
        x = e[k];
        if (k + 1 < last) {
            z = s * e[k + 1];
            e[k + 1] *= c;
        }
        rotate_rows(vectors + k * n, vectors + (k + 1) * n, n, c, s);
    }
}

/* Brings the largest entry near 1, by a power of two, which rounds nothing: squares then neither vanish nor overflow. */
static int scale_near_one(double *a, size_t n) {
    double largest = 0;
    int exponent;
    for (size_t i = 0; i < n * n; i++) largest = fmax(largest, fabs(a[i]));
    frexp(largest, &exponent);
    for (size_t i = 0; i < n * n; i++) a[i] = ldexp(a[i], -exponent);
    return exponent;
}

void sm_eigen(double *a, size_t n, double *values, double *vectors, double *scratch) {
    double *e = scratch, *v = scratch + n, *p = scratch + 2 * n;
    int exponent = scale_near_one(a, n);
    tridiagonalise(a, n, values, e, vectors, v, p);
    size_t last = n - 1, n_steps = 0, most_steps = 64 * n; /* three steps a value are usual; never loop for ever */
    while (last > 0 && n_steps < most_steps) {
        for (size_t i = 0; i < last; i++)
            if (fabs(e[i]) <= DBL_EPSILON * (fabs(values[i]) + fabs(values[i + 1])) || fabs(e[i]) < DBL_MIN) e[i] = 0;
        if (e[last - 1] == 0) {
            last--;
            continue;
        }
        size_t first = last - 1;
        while (first > 0 && e[first - 1] != 0) first--;
        qr_step(values, e, first, last, vectors, n);
        n_steps++;
    }
    for (size_t i = 0; i < n; i++) values[i] = ldexp(values[i], exponent);
}
