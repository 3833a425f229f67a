/* distances_leaves.c - how far apart two leaves are: the mean of z over their members, Eq. (2).
 *
 * h(l, l') is the sum over i in l of w_i (sum over j in l' of w_j z_ij), divided by both weights. To make h(l, l') and
 * h(l', l) the same to the last bit, the outer sum always runs over the leaf with the smaller number. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "kernels/kernels.h"
#include "target/dense/distances.h"

/* Adds to row[l] for the leaves l > leaf: the outer sum runs over this leaf. */
static void add_later_distances(const sm_distances *distances, const sm_leaves *leaves, size_t leaf, double *row) {
    for (size_t a = leaves->first[leaf]; a < leaves->first[leaf + 1]; a++) {
        const float *z = distances->z + (size_t)leaves->item[a] * distances->head.n_columns;
        size_t member = leaves->first[leaf + 1];
        for (size_t l = leaf + 1; l < leaves->n; l++) {
            double inner = 0;
            for (size_t end = leaves->first[l + 1]; member < end; member++)
                inner += leaves->weight[member] * (double)z[leaves->item[member]];
            row[l] += leaves->weight[a] * inner;
        }
    }
}

/* Adds to row[l] for the leaves l < leaf: the outer sum runs over them, so the inner sums over this leaf are formed
 * first, one for every member of an earlier leaf. Reads z_ji for z_ij, along the rows. */
static void add_earlier_distances(const sm_distances *distances, const sm_leaves *leaves, size_t leaf, double *row,
                                  double *inner) {
    size_t n_members = leaves->first[leaf];
    for (size_t member = 0; member < n_members; member++) inner[member] = 0;
    for (size_t a = leaves->first[leaf]; a < leaves->first[leaf + 1]; a++) {
        const float *z = distances->z + (size_t)leaves->item[a] * distances->head.n_columns;
        for (size_t member = 0; member < n_members; member++)
            inner[member] += leaves->weight[a] * (double)z[leaves->item[member]];
    }
    for (size_t l = 0; l < leaf; l++)
        for (size_t member = leaves->first[l]; member < leaves->first[l + 1]; member++)
            row[l] += leaves->weight[member] * inner[member];
}

static double sum_between(const sm_distances *distances, const sm_leaves *leaves, size_t a, size_t b) {
    double sum = 0;
    for (size_t i = leaves->first[a]; i < leaves->first[a + 1]; i++) {
        double inner = 0;
        for (size_t j = leaves->first[b]; j < leaves->first[b + 1]; j++)
            inner += leaves->weight[j] * sm_distances_pair(distances, leaves->item[i], leaves->item[j]);
        sum += leaves->weight[i] * inner;
    }
    return sum;
}

/* A leaf of one item: to another such leaf the distance is z, as it is. */
static bool is_one(const sm_leaves *leaves, size_t leaf) { return leaves->first[leaf + 1] - leaves->first[leaf] == 1; }

double sm_distances_leaf_pair(const smerf_target *target, const sm_leaves *leaves, size_t a, size_t b) {
    if (a > b) return sm_distances_leaf_pair(target, leaves, b, a);
    if (is_one(leaves, a) && is_one(leaves, b))
        return sm_distances_pair(sm_distances_of(target), leaves->item[leaves->first[a]],
                                 leaves->item[leaves->first[b]]);
    return sum_between(sm_distances_of(target), leaves, a, b) / (leaves->total[a] * leaves->total[b]);
}

void sm_distances_leaf_row(const smerf_target *target, const sm_leaves *leaves, size_t leaf, double *row,
                           double *scratch) {
    const sm_distances *distances = sm_distances_of(target);
    for (size_t l = 0; l < leaves->n; l++) row[l] = 0;
    add_earlier_distances(distances, leaves, leaf, row, scratch);
    add_later_distances(distances, leaves, leaf, row);
    row[leaf] = sum_between(distances, leaves, leaf, leaf);
    for (size_t l = 0; l < leaves->n; l++) row[l] /= leaves->total[leaf] * leaves->total[l];
    for (size_t l = 0; l < leaves->n && is_one(leaves, leaf); l++)
        if (is_one(leaves, l)) row[l] = sm_distances_leaf_pair(target, leaves, leaf, l);
}

bool sm_distances_item_block(const smerf_target *target, const sm_leaves *leaves, const sm_leaf_block *block,
                             float *table) {
    const sm_distances *distances = sm_distances_of(target);
    const float *rows[SM_BLOCK_ROWS];
    if (leaves->first[leaves->n] != leaves->n) return false;
    for (size_t r = 0; r < SM_BLOCK_ROWS; r++)
        rows[r] = distances->z + (size_t)leaves->item[block->leaf[r]] * distances->head.n_columns;
    block->kernels->pack(rows, distances->head.n_columns, table);
    for (size_t r = 0; r < SM_BLOCK_ROWS; r++) {
        size_t item = leaves->item[block->leaf[r]];
        table[item * SM_BLOCK_ROWS + r] = (float)sm_distances_pair(distances, item, item);
    }
    return true;
}

double sm_distances_mean_apart(const smerf_target *target, const sm_leaves *leaves, size_t first, size_t end) {
    const sm_distances *distances = sm_distances_of(target);
    double sum = 0, weight = 0;
    for (size_t i = first; i < end; i++)
        for (size_t j = first; j < i; j++) {
            double pair = leaves->weight[i] * leaves->weight[j];
            sum += pair * sm_distances_pair(distances, leaves->item[i], leaves->item[j]);
            weight += pair;
        }
    return weight > 0 ? sum / weight : NAN;
}

/* The sum of w_j z_ij over all items j, those that the tree has not seen having no weight; in lanes, for speed. */
static double sum_row(const float *z, const double *weight, size_t n) {
    enum { LANES = 8 };
    double lane[LANES] = {0}, sum = 0;
    size_t j = 0;
    for (; j + LANES <= n; j += LANES)
        for (size_t k = 0; k < LANES; k++) lane[k] += weight[j + k] * (double)z[j + k];
    for (size_t k = 0; k < LANES; k++) sum += lane[k];
    for (; j < n; j++) sum += weight[j] * (double)z[j];
    return sum;
}

bool sm_distances_root_means(const smerf_target *target, const sm_nodes *nodes, double *mean) {
    const sm_distances *distances = sm_distances_of(target);
    const sm_leaves *leaves = nodes->leaves;
    size_t n = target->n_columns;
    sm_arena arena = {0};
    double *weight = sm_arena_take_zeros(&arena, n, sizeof *weight);
    double *leaf_mean = sm_arena_take_zeros(&arena, leaves->n, sizeof *leaf_mean);
    bool has_memory = !arena.has_failed;
    for (size_t m = 0; m < leaves->first[leaves->n] && has_memory; m++) weight[leaves->item[m]] = leaves->weight[m];
    for (size_t l = 0; l < leaves->n && has_memory; l++)
        for (size_t m = leaves->first[l]; m < leaves->first[l + 1]; m++) {
            size_t item = leaves->item[m];
            const float *z = distances->z + item * n;
            double more = sm_distances_self(distances, item) - (double)z[item];
            leaf_mean[l] += leaves->weight[m] / leaves->total[l] *
                            ((sum_row(z, weight, n) + leaves->weight[m] * more) / nodes->total[0]);
        }
    if (has_memory) sm_nodes_average(nodes, leaf_mean, mean);
    sm_arena_free(&arena);
    return has_memory;
}

/* ---- the matrix as factor/factor.h wants to see it: multiplied with, never copied ---- */

enum { COLUMNS_AT_ONCE = 256 }; /* so many rows of X stay in the cache while a panel of Z passes */

static void distance_rows(const void *context, size_t first, size_t end, const double *x, size_t m, double *y) {
    const sm_distances *distances = context;
    size_t n = distances->head.n_columns;
    sm_panel_product panel = sm_kernels_select(SMERF_KERNELS_AUTO)->panel;
    memset(y, 0, (end - first) * m * sizeof *y);
    for (size_t k = 0; k < n; k += COLUMNS_AT_ONCE) {
        size_t n_columns = n - k < COLUMNS_AT_ONCE ? n - k : COLUMNS_AT_ONCE;
        panel(distances->z + first * n + k, n, end - first, n_columns, x + k * m, m, y);
    }
    for (size_t i = first; i < end && distances->diagonal != NULL; i++) {
        double more = distances->diagonal[i] - (double)distances->z[i * n + i];
        for (size_t c = 0; c < m; c++) y[(i - first) * m + c] += more * x[i * m + c];
    }
}

static void distance_moments(const void *context, size_t row, double centre, double *sum, double *squares) {
    const sm_distances *distances = context;
    size_t n = distances->head.n_columns;
    const float *z = distances->z + row * n;
    double self = sm_distances_self(distances, row) - centre, overruled = (double)z[row] - centre;
    *sum = self - overruled; /* exact where nothing is overruled */
    *squares = 0;
    for (size_t j = 0; j < n; j++) *sum += (double)z[j] - centre;
    for (size_t j = 0; j < row; j++) *squares += ((double)z[j] - centre) * ((double)z[j] - centre);
    for (size_t j = row + 1; j < n; j++) *squares += ((double)z[j] - centre) * ((double)z[j] - centre);
    *squares += self * self;
}

sm_operator sm_operator_distances(const sm_distances *distances) {
    return (sm_operator){
        .n = distances->head.n_rows, .context = distances, .rows = distance_rows, .row_moments = distance_moments};
}
