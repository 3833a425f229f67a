/* forms.h - symmetric matrices in few numbers: a sparse one by rows, and one that comes from vectors. Nothing here, nor
 * in the rest of the folder, knows of targets or forests. */
#ifndef SM_FACTOR_FORMS_H
#define SM_FACTOR_FORMS_H

#include <stddef.h>
#include <stdint.h>

/* ---- some pairs: nothing is said of the others ---- */

typedef struct sm_links {
    size_t n_items;
    size_t n;          /* entries: each pair stands in the rows of both its items */
    size_t *first;     /* [n_items + 1] where each row starts */
    uint32_t *partner; /* [n] ascending in each row, never the row's own item */
    double *value;     /* [n] distances; NULL: all are `common` */
    double *weight;    /* [n] > 0; NULL: all 1 */
    double common;
} sm_links;

static inline double sm_links_value(const sm_links *links, size_t entry) {
    return links->value != NULL ? links->value[entry] : links->common;
}

static inline double sm_links_weight(const sm_links *links, size_t entry) {
    return links->weight != NULL ? links->weight[entry] : 1;
}

/* The entry of a pair, by binary search; the end of the item's row: they are not linked. */
static inline size_t sm_links_find(const sm_links *links, size_t item, uint32_t partner) {
    size_t low = links->first[item], end = links->first[item + 1], high = end;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (links->partner[middle] < partner)
            low = middle + 1;
        else
            high = middle;
    }
    return low < end && links->partner[low] == partner ? low : end;
}

/* ---- all pairs, from vectors: z_ij = a_i + a_j - 2 sum over r of scale_r u_ir u_jr ---- */

typedef struct sm_vectors {
    size_t n_items, rank;
    const double *u;     /* [n_items][rank] */
    const double *scale; /* [rank] */
    const double *a;     /* [n_items]; NULL: sum of scale_r u_ir^2, so that z_ii = 0 */
    const double *self;  /* [n_items] z_ii; NULL: as the form says */
} sm_vectors;

#endif
