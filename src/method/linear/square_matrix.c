/* square_matrix.c - see square_matrix.h. */
#include "method/linear/square_matrix.h"

#include <math.h>
#include <string.h>

#include "kernels/kernels.h"

static const sm_product_kernels *kernels(void) { return sm_kernels_select(SMERF_KERNELS_AUTO)->products; }

double sm_matrix_dot(const double *a, const double *b, size_t n) { return kernels()->dot(a, b, n); }

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
    const sm_left_factor left = {a, is_transposed ? 1 : n, is_transposed ? n : 1};
    memset(out, 0, n * n * sizeof *out);
    kernels()->add_product(left, b, n, n, n, out);
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
