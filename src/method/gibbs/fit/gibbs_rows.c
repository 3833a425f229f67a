/* gibbs_rows.c - arithmetic on rows of factors, for the samplers: see gibbs.h. */
#include "method/gibbs/gibbs.h"

double sm_row_sum(const double *row, size_t width) {
    double lane[SM_ROW_LANES] = {0};
    for (size_t k = 0; k < width; k += SM_ROW_LANES)
        for (size_t u = 0; u < SM_ROW_LANES; u++) lane[u] += row[k + u];
    return ((lane[0] + lane[4]) + (lane[2] + lane[6])) + ((lane[1] + lane[5]) + (lane[3] + lane[7]));
}

/* Rounding may leave a little of the target at the end: then it is the last one that is not 0. */
size_t sm_row_find(const double *product, const double *part, size_t width, double target) {
    size_t p = 0, last = 0;
    for (; p + 1 < width / SM_ROW_LANES && target >= part[p]; p++) target -= part[p];
    for (size_t k = p * SM_ROW_LANES; k < (p + 1) * SM_ROW_LANES; k++) {
        if (!(product[k] > 0)) continue;
        last = k;
        if (target < product[k]) return k;
        target -= product[k];
    }
    if (product[last] > 0) return last;
    for (size_t k = 0; k < width; k++)
        if (product[k] > 0) last = k;
    return last;
}

void sm_row_clear(double *row, size_t width) {
    for (size_t k = 0; k < width; k++) row[k] = 0;
}

void sm_row_add(double *restrict row, const double *restrict other, size_t width) {
    for (size_t k = 0; k < width; k++) row[k] += other[k];
}

void sm_row_subtract(double *restrict row, const double *restrict other, size_t width) {
    for (size_t k = 0; k < width; k++) row[k] -= other[k];
}

void sm_rows_total(const double *rows, size_t n, size_t width, double *total) {
    sm_row_clear(total, width);
    for (size_t i = 0; i < n; i++) sm_row_add(total, rows + i * width, width);
}

static void add_listed(const sm_network *network, size_t node, const double *restrict rows, size_t width,
                       double *restrict out) {
    size_t e = network->first[node], end = network->first[node + 1];
    for (; e + 4 <= end; e += 4) {
        const uint32_t *j = network->partner + e;
        const double *a = rows + j[0] * width, *b = rows + j[1] * width, *c = rows + j[2] * width,
                     *d = rows + j[3] * width;
        for (size_t k = 0; k < width; k++) out[k] += (a[k] + b[k]) + (c[k] + d[k]);
    }
    for (; e < end; e++) sm_row_add(out, rows + network->partner[e] * width, width);
}

/* A difference of sums may come out a hair below 0, which no sum of what is not negative is. */
void sm_rows_of_partners(const sm_network *network, size_t node, const double *restrict rows,
                         const double *restrict total, size_t width, double *restrict out) {
    sm_row_clear(out, width);
    add_listed(network, node, rows, width, out);
    if (network->lists_observed) return;
    const double *own = rows + node * width;
    for (size_t k = 0; k < width; k++) {
        double left = total[k] - own[k] - out[k];
        out[k] = left > 0 ? left : 0;
    }
}
