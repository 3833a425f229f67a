/* descent.c - sends many items down one tree, several side by side: see descent.h. */
#include "predict/descent.h"

#include <math.h>

#include "base/memory.h"

/* Sorts of splits: by one number, with missing ones going right or left; or sm_tree_goes_left knows. */
enum { MISSING_RIGHT, MISSING_LEFT, ANOTHER_SORT };

/* So many items go down side by side; every few steps those that have arrived reserves memory for others. */
enum { LANES = 16, STEPS = 6, NODES_AN_ITEM = 8 };

/* Steps of a batch of trees, and features of items that are packed. */
enum { BATCH_BYTES = 4000000, MOST_PACKED = 64 };

/* ---- a tree made ready ---- */

size_t sm_descent_bytes(const sm_tree *tree, size_t n_items) {
    size_t a_node = sizeof(sm_step) + sizeof(uint32_t) + sizeof(uint8_t);
    return n_items >= tree->n_nodes / NODES_AN_ITEM ? tree->n_nodes * a_node : 0;
}

/* Leaves look like splits at which every number goes left, to the leaf itself.
 *   at, child  where the node and its left child stand among the steps */
static sm_step step_at(const sm_tree *tree, size_t node, uint32_t at, uint32_t child, uint8_t *sort) {
    size_t split = tree->index[node];
    *sort = MISSING_RIGHT;
    if (tree->is_leaf[node]) return (sm_step){.threshold = INFINITY, .child = at};
    if (!sm_tree_split_is_plain(tree, split)) {
        *sort = ANOTHER_SORT;
        return (sm_step){.feature = (uint32_t)split, .child = child};
    }
    if (tree->missing_left[split]) *sort = MISSING_LEFT;
    return (sm_step){
        .threshold = tree->threshold[split], .feature = tree->term_feature[tree->first_term[split]], .child = child};
}

/* Level by level: what all items pass is in few lines of the cache. */
void sm_descent_start(sm_descent *descent, const sm_tree *tree, size_t n_items, sm_arena *arena) {
    *descent = (sm_descent){.tree = tree, .is_plain = true};
    if (sm_descent_bytes(tree, n_items) == 0) return;
    sm_step *steps = sm_arena_take(arena, tree->n_nodes, sizeof *steps);
    uint32_t *leaf = sm_arena_take(arena, tree->n_nodes, sizeof *leaf), n_placed = 1; /* nodes at first, as they come */
    uint8_t *sort = sm_arena_take(arena, tree->n_nodes, sizeof *sort);
    if (arena->has_failed) return;
    leaf[0] = 0;
    for (uint32_t at = 0; at < tree->n_nodes; at++) {
        uint32_t node = leaf[at];
        steps[at] = step_at(tree, node, at, n_placed, &sort[at]);
        leaf[at] = tree->index[node];
        descent->is_plain = descent->is_plain && sort[at] != ANOTHER_SORT;
        if (tree->is_leaf[node]) continue;
        leaf[n_placed++] = node + 1;
        leaf[n_placed++] = tree->right[tree->index[node]];
    }
    descent->steps = steps;
    descent->leaf = leaf;
    descent->sort = sort;
}

size_t sm_descent_batch_end(const sm_tree *trees, size_t first, size_t end) {
    double bytes = (double)trees[first].n_nodes * sizeof(sm_step);
    size_t b = first + 1;
    for (; b < end; b++) {
        bytes += (double)trees[b].n_nodes * sizeof(sm_step);
        if (bytes > BATCH_BYTES) break;
    }
    return b;
}

/* ---- any items, any tree ---- */

/* Which way a node sends an item is a toss-up, which the processor would guess wrong half the time: hence arithmetic in
 * place of branches. */
static uint32_t step_down(const sm_descent *descent, const sm_view *view, uint32_t node, size_t item) {
    const sm_step step = descent->steps[node];
    if (step.child == node) return node;
    if (descent->sort[node] == ANOTHER_SORT)
        return step.child + !sm_tree_goes_left(descent->tree, step.feature, view, item);
    double value = sm_number_at(&view->numbers[step.feature], item);
    bool is_missing = value != value, missing_left = descent->sort[node] == MISSING_LEFT;
    return step.child + !((value <= step.threshold) | (is_missing & missing_left));
}

void sm_descend(const sm_descent *descent, const sm_view *view, const uint32_t *pick, size_t first, size_t end,
                uint32_t *leaf) {
    for (size_t from = first; from < end; from += LANES) {
        size_t item[LANES], n = end - from < LANES ? end - from : LANES;
        uint32_t node[LANES] = {0};
        bool is_moving = descent->steps != NULL;
        for (size_t k = 0; k < n; k++) item[k] = pick != NULL ? pick[from + k] : from + k;
        while (is_moving) {
            is_moving = false;
            for (size_t k = 0; k < n; k++) {
                uint32_t next = step_down(descent, view, node[k], item[k]);
                is_moving = is_moving || next != node[k];
                node[k] = next;
            }
        }
        for (size_t k = 0; k < n; k++)
            leaf[from - first + k] =
                descent->steps != NULL ? descent->leaf[node[k]] : sm_tree_leaf(descent->tree, view, item[k]);
    }
}

/* ---- packed items, trees of plain splits ---- */

bool sm_pack_start(sm_pack *pack, const sm_view *view, const uint32_t *pick, size_t first, size_t end) {
    size_t p = view->n_features;
    bool is_any_missing = false;
    *pack = (sm_pack){.view = view, .pick = pick, .first = first, .end = end};
    if (p > MOST_PACKED) return true;
    pack->values = sm_array(sm_size(end - first, p, 0), sizeof *pack->values);
    if (pack->values == NULL) return false;
    for (size_t f = 0; f < p; f++)
        for (size_t i = first; i < end; i++) {
            const sm_numbers *numbers = &view->numbers[f];
            double value = sm_are_numbers(numbers) ? sm_number_at(numbers, pick != NULL ? pick[i] : i) : 0;
            is_any_missing |= value != value;
            pack->values[(i - first) * p + f] = value;
        }
    if (is_any_missing) sm_pack_free(pack);
    return true;
}

void sm_pack_free(sm_pack *pack) {
    sm_free(pack->values);
    pack->values = NULL;
}

/* An item on its way. */
typedef struct lane {
    const double *values;
    uint32_t node, slot; /* slot: in the pack */
} lane;

static inline void step_lanes(const sm_step *steps, lane *lanes, size_t n) {
    for (size_t s = 0; s < STEPS; s++)
        for (lane *at = lanes; at < lanes + n; at++) {
            const sm_step *step = &steps[at->node];
            at->node = step->child + !(at->values[step->feature] <= step->threshold);
        }
}

/* Notes where the items are, and gives the lanes of those that have arrived to others, of which `next` comes first. When
 * an item arrives is a toss-up as well. Returns how many are still on their way.   nodes  [n_items] */
static inline size_t change_lanes(const sm_step *steps, const sm_pack *pack, lane *lanes, size_t n, uint32_t *next,
                                  uint32_t *nodes) {
    uint32_t n_items = (uint32_t)(pack->end - pack->first), n_moving = 0;
    for (lane *at = lanes; at < lanes + n; at++) {
        bool has_arrived = steps[at->node].child == at->node;
        uint32_t takes = has_arrived & (*next < n_items), mask = 0u - takes;
        nodes[at->slot] = at->node;
        at->node &= ~mask;
        at->slot = (at->slot & ~mask) | (*next & mask);
        at->values = pack->values + at->slot * pack->view->n_features;
        *next += takes;
        n_moving += 1u - (has_arrived & (1u - takes));
    }
    return n_moving;
}

void sm_descend_packed(const sm_descent *descent, const sm_pack *pack, uint32_t *leaf) {
    lane lanes[LANES];
    size_t n_items = pack->end - pack->first, n = n_items < LANES ? n_items : LANES, n_moving = n;
    uint32_t next = (uint32_t)n;
    if (descent->steps == NULL || !descent->is_plain || pack->values == NULL) {
        sm_descend(descent, pack->view, pack->pick, pack->first, pack->end, leaf);
        return;
    }
    for (size_t k = 0; k < n; k++)
        lanes[k] = (lane){.values = pack->values + k * pack->view->n_features, .slot = (uint32_t)k};
    while (n_moving > 0) {
        step_lanes(descent->steps, lanes, n);
        n_moving = change_lanes(descent->steps, pack, lanes, n, &next, leaf);
    }
    for (size_t i = 0; i < n_items; i++) leaf[i] = descent->leaf[leaf[i]];
}
