/* eigen.c - see eigen.h. Golub & Van Loan, Matrix Computations, sections 8.3.1 to 8.3.5. */
#include "base/eigen.h"

#include <float.h>
#include <math.h>

static double dot(const double *x, const double *y, size_t n) {
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += x[i] * y[i];
    return sum;
}

/* Squares of what is nothing beside entries near 1; their reciprocals would overflow if they came close to 0. */
static const double nothing = 1e-60;

/* The reflection I - beta v v' that maps x to alpha e_1. x becomes v; returns beta, 0 if there is nothing to do. */
static double reflector(double *x, size_t n, double *alpha) {
    double tail = dot(x + 1, x + 1, n - 1);
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
        double beta = reflector(v, m, &e[k]);
        if (beta == 0) continue;
        for (size_t i = 0; i < m; i++) p[i] = beta * dot(a + (k + 1 + i) * n + k + 1, v, m);
        double half = beta / 2 * dot(p, v, m);
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

static void rotate(double *x, double *y, size_t n, double c, double s) {
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
        rotate(vectors + k * n, vectors + (k + 1) * n, n, c, s);
    }
}

/* Brings the largest entry near 1, by a power of two, which rounds nothing: squares then neither vanish nor overflow. */
static int scale(double *a, size_t n) {
    double largest = 0;
    int exponent;
    for (size_t i = 0; i < n * n; i++) largest = fmax(largest, fabs(a[i]));
    frexp(largest, &exponent);
    for (size_t i = 0; i < n * n; i++) a[i] = ldexp(a[i], -exponent);
    return exponent;
}

void sm_eigen(double *a, size_t n, double *values, double *vectors, double *scratch) {
    double *e = scratch, *v = scratch + n, *p = scratch + 2 * n;
    int exponent = scale(a, n);
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
