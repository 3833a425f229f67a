/* direction.h - the directions that a node tries: single features, or sparse sums of features. */
#ifndef SM_TRAIN_DIRECTION_H
#define SM_TRAIN_DIRECTION_H

#include "base/memory.h"
#include "base/random.h"
#include "train/grow/problem.h"
#include "train/split/categories.h"

/* x is the sum of weight * feature over the terms; a category stands alone (and is lined up by its levels), or enters
 * a sum as the indicator of one level. */
typedef struct sm_direction {
    size_t first_term, n_terms;
    bool is_category;
} sm_direction;

typedef struct sm_directions {
    sm_arena arena; /* holds the arrays below */
    const sm_problem *problem;
    size_t n; /* candidates found for this node */
    sm_direction *direction;
    uint32_t *term_feature, *term_level;
    int8_t *term_weight;
    uint32_t *order, *swapped;     /* [n_features] for drawing features without replacement */
    uint64_t *cells, *spare_cells; /* for drawing the non-zeros of projections without replacement */
    uint32_t *indices, *spare_indices;
    uint64_t *table; /* the cells drawn so far, as a set */
    size_t table_size;
    unsigned table_shift;
    sm_held held; /* the levels that a node holds of one category */
} sm_directions;

smerf_status sm_directions_start(sm_directions *directions, const sm_problem *problem, smerf_error *error);
void sm_directions_free(sm_directions *directions);

/* Draws the candidates of a node: only directions along which its items differ. None: the node cannot be split.
 *   may_be_alike  bits of columns of numbers (sm_column_bit): along all others items differ */
void sm_directions_draw(sm_directions *directions, const sm_node *node, uint64_t may_be_alike, sm_random *random);

/* The value of a direction for one item; NaN: missing. Not for a category. */
double sm_direction_value(const sm_directions *directions, const sm_direction *direction, size_t item);

/* Its values for all items of a node.   values  [node->n] out */
void sm_direction_values(const sm_directions *directions, const sm_direction *direction, const sm_node *node,
                         double *values);

#endif
