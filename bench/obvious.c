/* obvious.c - the split search that everybody writes first, to compare with: see obvious.h. */
#include "obvious.h"

/* Q(L) grows by the distances of the next item to those already left; Q(R) shrinks by its distances to the rest. */
static void price_one(const float *z, size_t n, const double *w, double all, const double *row_sum,
                      const sm_line_up *line_up) {
    double left = 0, right = all, left_weight = 0, right_weight = 0;
    for (size_t i = 0; i < n; i++) right_weight += w[i];
    for (size_t r = 0; r + 1 < n; r++) {
        size_t k = line_up->order[r];
        const float *row = z + k * n;
        double before = 0, self = w[k] * (double)row[k];
        for (size_t q = 0; q < r; q++) before += w[line_up->order[q]] * (double)row[line_up->order[q]];
        left += w[k] * (2 * before + self);
        right -= w[k] * (2 * (row_sum[k] - before - self) + self);
        left_weight += w[k];
        right_weight -= w[k];
        line_up->left[r] = left / left_weight;
        line_up->right[r] = right / right_weight;
    }
}

double obvious_price(const float *z, size_t n, const double *w, const sm_line_up *line_ups, size_t n_line_ups) {
    double row_sum[n], all = 0, weight = 0;
    for (size_t k = 0; k < n; k++) {
        row_sum[k] = 0;
        for (size_t j = 0; j < n; j++) row_sum[k] += w[j] * (double)z[k * n + j];
        all += w[k] * row_sum[k];
        weight += w[k];
    }
    for (size_t u = 0; u < n_line_ups; u++) price_one(z, n, w, all, row_sum, &line_ups[u]);
    return all / weight;
}
