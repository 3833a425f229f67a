/* scalar/loops.c - every kernel in plain C but those of dense.c, and the table of them all. */
#include "kernels/kernels.h"
#include "kernels/loops/blocks.h"
#include "kernels/loops/codes.h"
#include "kernels/loops/deviations.h"
#include "kernels/loops/products.h"
#include "kernels/loops/rows.h"

static void block_pack(const float *const *rows, size_t n, float *block) { block_pack_from(rows, 0, n, block); }

/* ---- a matrix times vectors ---- */

static void panel_row(const float *z, size_t n, const double *x, size_t n_columns, double *y) {
    for (size_t c = 0; c < n_columns; c += SM_PANEL_COLUMNS) {
        double sum[SM_PANEL_COLUMNS];
        for (size_t lane = 0; lane < SM_PANEL_COLUMNS; lane++) sum[lane] = y[c + lane];
        for (size_t k = 0; k < n; k++)
            for (size_t lane = 0; lane < SM_PANEL_COLUMNS; lane++)
                sum[lane] += (double)z[k] * x[k * n_columns + c + lane];
        for (size_t lane = 0; lane < SM_PANEL_COLUMNS; lane++) y[c + lane] = sum[lane];
    }
}

static void panel_product(const float *z, size_t stride, size_t n_rows, size_t n, const double *x, size_t n_columns,
                          double *y) {
    for (size_t r = 0; r < n_rows; r++) panel_row(z + r * stride, n, x, n_columns, y + r * n_columns);
}

/* ---- stable partition ---- */

/* Each number is written to both sides, and kept on one: there is no branch to mispredict. The right side is written from the end of
 * the spare list on, backwards, so that one count says where both go on. */
static size_t part_list(const uint64_t *table, uint32_t *list, size_t n, const bool *goes_left, uint32_t *spare) {
    (void)table;
    size_t n_left = 0, k = 0;
    for (; k + 4 <= n; k += 4) {
        const uint32_t four[4] = {list[k], list[k + 1], list[k + 2], list[k + 3]};
        for (size_t i = 0; i < 4; i++) {
            list[n_left] = spare[n - 1 - k - i + n_left] = four[i];
            n_left += goes_left[four[i]];
        }
    }
    for (; k < n; k++) {
        uint32_t number = list[k];
        list[n_left] = spare[n - 1 - k + n_left] = number;
        n_left += goes_left[number];
    }
    for (size_t r = n_left; r < n; r++) list[r] = spare[n - 1 - (r - n_left)];
    return n_left;
}

/* ---- the table ---- */

extern const sm_dense_kernels sm_dense_kernels_scalar; /* dense.c, which wants flags of its own */

static const sm_deviation_kernels deviation_kernels = {DEVIATION_LOOPS};
static const sm_block_kernels block_kernels = {.pack = block_pack, BLOCK_LOOPS};
static const sm_code_kernels code_kernels = {.count_same = count_same};
static const sm_product_kernels product_kernels = {
    .add_product = product_add_product, .dot = product_dot, .add_apart = product_add_apart, .add = product_add};
static const sm_row_kernels row_kernels = {
    .dot = row_dot, .products = row_products, .times = row_times, .outer = row_outer};

const sm_kernels sm_kernels_scalar = {.name = "plain",
                                      .dense = &sm_dense_kernels_scalar,
                                      .deviations = &deviation_kernels,
                                      .blocks = &block_kernels,
                                      .codes = &code_kernels,
                                      .products = &product_kernels,
                                      .rows = &row_kernels,
                                      .panel = panel_product,
                                      .part = part_list};
