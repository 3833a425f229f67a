/* distances_levels.c - mean distances between the levels of a category, from a dense matrix: all of them for few levels, those to
 * some landmarks for many.
 *
 * One product with all mean distances would read all pairs of the node, and a line-up takes ten. So H has a stand-in: the items
 * of the node, level after level, are walked in equal steps to at most MOST_LANDMARKS of them, and C is the mean distance of each
 * level to each of these, centred both ways like H. The leading direction of C C' is nearly that of H (both sides
 * have the same columns, but C only some of them), and a product with it is a walk over C. Which items are landmarks
 * follows from the node alone. */
#include <math.h>
#include <string.h>

#include "target/dense/distances_search.h"

enum { MOST_LANDMARKS = 128 };

void sm_distances_levels(sm_search *search, const sm_node *node, const uint32_t *level, size_t n_levels, double *mean) {
    double *level_weight = search->left; /* free between two prices, and there are no more levels than items */
    memset(mean, 0, n_levels * n_levels * sizeof *mean);
    memset(level_weight, 0, n_levels * sizeof *level_weight);
    for (size_t k = 0; k < node->n; k++) {
        if (level[k] == SMERF_MISSING) continue;
        level_weight[level[k]] += search->weight[k];
        mean[level[k] * n_levels + level[k]] += search->own[k];
        for (size_t j = k + 1; j < node->n; j++) {
            if (level[j] == SMERF_MISSING) continue;
            double y = search->weight[k] * search->weight[j] * sm_node_rows_pair(&search->rows, k, j);
            mean[level[k] * n_levels + level[j]] += y;
            mean[level[j] * n_levels + level[k]] += y;
        }
    }
    for (size_t a = 0; a < n_levels; a++)
        for (size_t b = 0; b < n_levels; b++) mean[a * n_levels + b] /= level_weight[a] * level_weight[b];
}

/* ---- many levels ---- */

void sm_landmarks_start(sm_landmarks *landmarks, sm_arena *arena, size_t n_items, size_t n_levels) {
    size_t many = n_levels > SM_FEW_LEVELS ? n_items : 0;
    size_t q = many < n_levels ? many : n_levels;
    landmarks->by_level = sm_arena_take(arena, many, sizeof *landmarks->by_level);
    landmarks->first = sm_arena_take(arena, many > 0 ? q + 1 : 0, sizeof *landmarks->first);
    landmarks->item = sm_arena_take(arena, many > 0 ? MOST_LANDMARKS : 0, sizeof *landmarks->item);
    landmarks->product = sm_arena_take(arena, many > 0 ? MOST_LANDMARKS : 0, sizeof *landmarks->product);
    landmarks->distance = sm_arena_take(arena, sm_size(many > 0 ? q : 0, MOST_LANDMARKS, 0), sizeof(double));
}

double sm_landmarks_bytes(size_t n_items, size_t n_levels) {
    double q = (double)(n_items < n_levels ? n_items : n_levels);
    return n_levels > SM_FEW_LEVELS ? 4 * (double)n_items + q * (4 + 8 * MOST_LANDMARKS) : 0;
}

/* Level after level, then in equal steps. */
static void choose_landmarks(sm_landmarks *landmarks, const sm_node *node, const sm_node_levels *levels) {
    uint32_t *first = landmarks->first;
    memset(first, 0, (levels->n_levels + 1) * sizeof *first);
    for (size_t k = 0; k < node->n; k++)
        if (levels->level[k] != SMERF_MISSING) first[levels->level[k] + 1]++;
    for (size_t a = 0; a < levels->n_levels; a++) first[a + 1] += first[a];
    size_t n_present = first[levels->n_levels];
    for (size_t k = 0; k < node->n; k++)
        if (levels->level[k] != SMERF_MISSING) landmarks->by_level[first[levels->level[k]]++] = (uint32_t)k;
    landmarks->n = n_present < MOST_LANDMARKS ? n_present : MOST_LANDMARKS;
    for (size_t l = 0; l < landmarks->n; l++)
        landmarks->item[l] = landmarks->by_level[(2 * l + 1) * n_present / (2 * landmarks->n)];
}

static void find_means_to_landmarks(sm_search *search, const sm_node *node, const sm_node_levels *levels) {
    sm_landmarks *landmarks = &search->landmarks;
    size_t m = landmarks->n;
    memset(landmarks->distance, 0, levels->n_levels * m * sizeof *landmarks->distance);
    for (size_t k = 0; k < node->n; k++) {
        uint32_t a = levels->level[k];
        if (a == SMERF_MISSING) continue;
        double fraction = search->weight[k] / levels->weight[a], *to = landmarks->distance + a * m;
        for (size_t l = 0; l < m; l++) {
            size_t j = landmarks->item[l];
            double z = j == k ? sm_distances_self(search->distances, node->items[k])
                              : sm_node_rows_pair(&search->rows, k < j ? k : j, k < j ? j : k); /* an upper triangle */
            to[l] += fraction * z;
        }
    }
}

/* Less the mean over the landmarks, and over the levels by their weights. */
static void centre_landmarks(sm_landmarks *landmarks, const sm_node_levels *levels) {
    size_t m = landmarks->n;
    double all = 0, *mean = landmarks->product;
    memset(mean, 0, m * sizeof *mean);
    for (size_t a = 0; a < levels->n_levels; a++) all += levels->weight[a];
    for (size_t a = 0; a < levels->n_levels; a++) {
        double *of = landmarks->distance + a * m, sum = 0;
        for (size_t l = 0; l < m; l++) sum += of[l];
        for (size_t l = 0; l < m; l++) of[l] -= sum / (double)m;
        for (size_t l = 0; l < m; l++) mean[l] += levels->weight[a] / all * of[l];
    }
    for (size_t a = 0; a < levels->n_levels; a++)
        for (size_t l = 0; l < m; l++) landmarks->distance[a * m + l] -= mean[l];
}

double sm_distances_level_start(sm_search *search, const sm_node *node, const sm_node_levels *levels) {
    sm_landmarks *landmarks = &search->landmarks;
    choose_landmarks(landmarks, node, levels);
    find_means_to_landmarks(search, node, levels);
    double largest = 0;
    for (size_t i = 0; i < levels->n_levels * landmarks->n; i++) largest = fmax(largest, fabs(landmarks->distance[i]));
    centre_landmarks(landmarks, levels);
    return 1e-9 * largest * largest * (double)landmarks->n; /* of squares, what is nothing is so of their roots */
}

void sm_distances_level_product(sm_search *search, const sm_node *node, const sm_node_levels *levels, const double *x,
                                double *y) {
    const sm_landmarks *landmarks = &search->landmarks;
    size_t m = landmarks->n;
    (void)node;
    memset(landmarks->product, 0, m * sizeof *landmarks->product);
    for (size_t a = 0; a < levels->n_levels; a++)
        for (size_t l = 0; l < m; l++) landmarks->product[l] += x[a] * landmarks->distance[a * m + l];
    for (size_t a = 0; a < levels->n_levels; a++) {
        y[a] = 0;
        for (size_t l = 0; l < m; l++) y[a] += landmarks->product[l] * landmarks->distance[a * m + l];
    }
}
