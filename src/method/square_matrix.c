/* square_matrix.c - see square_matrix.h. */
#include "method/square_matrix.h"

#include <math.h>
#include <string.h>

enum { LANES = 4 };

double sm_matrix_dot(const double *a, const double *b, size_t n) {
    double sum[LANES] = {0};
    size_t k = 0;
    for (; k + LANES <= n; k += LANES)
        for (size_t lane = 0; lane < LANES; lane++) sum[lane] += a[k + lane] * b[k + lane];
    for (; k < n; k++) sum[k % LANES] += a[k] * b[k];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

double sm_matrix_norm(const double *a, size_t n) { return sqrt(sm_matrix_dot(a, a, n)); }

void sm_matrix_mirror(double *a, size_t n) {
    for (size_t i = 0; i < n; i++)
        for (size_t j = i + 1; j < n; j++) a[j * n + i] = a[i * n + j];
}

void sm_matrix_symmetrise(double *a, size_t n) {
    for (size_t i = 0; i < n; i++)
        for (size_t j = i + 1; j < n; j++) a[i * n + j] = a[j * n + i] = (a[i * n + j] + a[j * n + i]) / 2;
}

/* out = A B, or A' B. */
static void multiply(const double *a, const double *b, size_t n, bool is_transposed, double *out) {
    memset(out, 0, n * n * sizeof *out);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n; k++) {
            double factor = is_transposed ? a[k * n + i] : a[i * n + k];
            for (size_t j = 0; j < n; j++) out[i * n + j] += factor * b[k * n + j];
        }
}

/* A is symmetric, so V A V' = V (V A)'. */
void sm_matrix_turn(double *a, const double *vectors, size_t n, double *room) {
    multiply(vectors, a, n, false, room);
    for (size_t i = 0; i < n; i++) /* in place, (V A)' */
        for (size_t j = i + 1; j < n; j++) {
            double swap = room[i * n + j];
            room[i * n + j] = room[j * n + i];
            room[j * n + i] = swap;
        }
    multiply(vectors, room, n, false, a);
    sm_matrix_symmetrise(a, n);
}

void sm_matrix_turn_back(double *a, const double *vectors, size_t n, double *room) {
    multiply(a, vectors, n, false, room);
    multiply(vectors, room, n, true, a);
    sm_matrix_symmetrise(a, n);
}
