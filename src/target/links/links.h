/* links.h - distances of some pairs: a sparse symmetric matrix by rows (sm_links, factor/forms.h), and its parts inside
 * nodes and leaves.
 *
 * This is the engine of graphs and of pairs. What an unlisted pair means is the kind's business. */
#ifndef SM_TARGET_LINKS_H
#define SM_TARGET_LINKS_H

#include <float.h>

#include "base/memory.h"
#include "factor/forms.h"
#include "target/target.h"

/* Distances as a matrix may hold, and weights that can be multiplied with those of two items. */
#define SM_LARGEST_DISTANCE ((double)FLT_MAX)
#define SM_SMALLEST_PAIR_WEIGHT 1e-50
#define SM_LARGEST_PAIR_WEIGHT 1e50

/* ---- making them: links.c, and reading lists: links_list.c ---- */

/* Each pair once, in the row of its smaller item: as files have it, and what a list becomes first. */
typedef struct sm_upper {
    size_t n;
    uint32_t *n_partners;   /* [n_items] */
    uint32_t *partner;      /* [n] larger than the row's own item, ascending in each row */
    double *value, *weight; /* [n], or NULL as above */
} sm_upper;

bool sm_upper_start(sm_upper *upper, size_t n_items, size_t n_most,
                    bool has_weights); /* with values; false: no memory */
void sm_upper_free(sm_upper *upper);

/* Drops values that are all `common`, and weights that are all 1. */
void sm_upper_trim(sm_upper *upper, double common);

smerf_status sm_links_mirror(sm_links *links, const sm_upper *upper, size_t n_items, double common, smerf_error *error);
void sm_links_free(sm_links *links);
bool sm_links_equal(const sm_links *a, const sm_links *b);

/* Those between some of the items, in the order of the rows.   rows  [n] different from each other */
smerf_status sm_links_take(const sm_links *links, const uint32_t *rows, size_t n, sm_links *out, smerf_error *error);

size_t sm_links_n_lonely(const sm_links *links); /* items without a partner */

smerf_status sm_links_save(const sm_links *links, sm_tensors *tensors, smerf_error *error);
smerf_status sm_links_load(sm_links *links, const sm_tensors *tensors, size_t n_items, double common,
                           smerf_error *error);

/* How messages about an entry of a list start. Who read the list from a file tells its line instead, which users can
 * look at: see sm_pairs_position (io/pairs.h). */
#define SM_AT_ENTRY "entry %zu: "

/* The entries of a list in the order of (smaller item, larger item), repeats in the order of the list. Refuses items
 * that do not exist and numbers that make no sense; the entry is told as the error's row. */
smerf_status sm_list_sort(const smerf_pair_list *list, size_t n_items, uint32_t **order, smerf_error *error);

/* The end of the run of entries for the same pair that starts at order[first]. */
size_t sm_list_run(const smerf_pair_list *list, const uint32_t *order, size_t first);

static inline uint32_t sm_list_smaller(const smerf_pair_list *list, size_t entry) {
    return list->left[entry] < list->right[entry] ? list->left[entry] : list->right[entry];
}

static inline uint32_t sm_list_larger(const smerf_pair_list *list, size_t entry) {
    return list->left[entry] < list->right[entry] ? list->right[entry] : list->left[entry];
}

static inline double sm_list_value(const smerf_pair_list *list, size_t entry) {
    return list->value != NULL ? list->value[entry] : 1;
}

/* A word to the memory about rows that will soon be read, in an order that has nothing to do with where they lie.
 * Always inlined, since gcc drops calls of what does nothing else.
 *   order  [n] of rows; at: the one that is read now */
__attribute__((always_inline)) static inline void sm_links_call_for(const sm_links *links, const uint32_t *order,
                                                                    size_t at, size_t n) {
    enum { AHEAD = 8 };
    if (at + 2 * AHEAD >= n) return;
    __builtin_prefetch(&links->first[order[at + 2 * AHEAD]]);
    const size_t *soon = &links->first[order[at + AHEAD]];
    __builtin_prefetch(links->partner + soon[0]);
    __builtin_prefetch(links->partner + soon[1]);
}

/* ---- near each other: links_order.c ---- */

/* All items, breadth first over their links: from the first that was not yet reached, partners ascending. False: no memory.
 *   order  [n_items + 1] out; what stands last means nothing */
bool sm_links_order(const sm_links *links, uint32_t *order);

/* The same for sm_target_kind.near_order: only where items are so many that it pays. */
smerf_status sm_links_near_order(const sm_links *links, uint32_t **order, smerf_error *error);

/* ---- growing: links_search.c ---- */

enum { SM_MOST_BLOCKS = 64, SM_LINKS_LANES = 4 };

/* A thread's room. */
typedef struct sm_links_scratch {
    sm_arena arena;                  /* holds the arrays below */
    sm_links blocks[SM_MOST_BLOCKS]; /* links inside nodes, by place in the node; 0 is the whole */
    size_t n_blocks;
    sm_links pool;               /* where the other blocks lie, one after the other; n is what they take */
    size_t rows_used, rows_size; /* of pool.first */
    uint32_t *place_in_block;    /* [all items] by item, for items in a block other than the whole */
    uint32_t *place_in_node;     /* [all items] by place in a block; SMERF_MISSING while no node is read */
    uint32_t *places;            /* [n_items] of the node's items in their block */

    /* Of the node entered last. */
    const sm_links *links; /* by place in the node */
    sm_links unkept;       /* which may be these */
    const double *weight;  /* [n] by place: the node's */
    bool is_whole;         /* weights are whole numbers, few enough for int32_t, so that their sums are exact */
    int32_t *whole;        /* [n_items] the weights, if they are */

    /* Of the line-ups looked at last, see sm_links_look. */
    int32_t *rank;  /* [n][n_lanes] by place, of those that were looked at together */
    size_t n_lanes; /* one, or SM_LINKS_LANES of which some may idle */
    size_t n_cells; /* that fit: items times line-ups */
    void *cells;    /* [line-ups][n] by rank: counted sides, or any */
    double *found;  /* [4][SM_LINKS_LANES] of one item, in the order of sm_sides */
    bool is_counted;
    int64_t linked; /* sum of w_i w_j over ordered pairs that are linked, if they are counted */
} sm_links_scratch;

/* How many line-ups of a node of size->n_items a room has place for, see sm_target_kind.n_at_once. */
size_t sm_links_at_once(const sm_links *links, const sm_search_size *size);

smerf_status sm_links_scratch_start(sm_links_scratch *room, const sm_links *links, const sm_search_size *size,
                                    smerf_error *error);
void sm_links_scratch_free(sm_links_scratch *room);
size_t sm_links_enter(sm_links_scratch *room, const sm_node *node, size_t view);

/* Of the partners j of an item k in the node: what stands before and after it. */
typedef struct sm_sides {
    double weight_before, weight_after; /* sum of w_j weight_kj */
    double value_before, value_after;   /* sum of w_j weight_kj value_kj */
} sm_sides;

/* The same where weights are whole numbers and links have neither weights nor values of their own, and the item's weight. */
typedef struct sm_counts {
    int32_t before, after, own;
} sm_counts;

/* links_sums.c: looks at all sides of some line-ups, as many as the room has place for. Those of one do not depend on the
 * others.   line_ups  NULL: one, of the items in the order of their places */
void sm_links_look(sm_links_scratch *room, const sm_node *node, const sm_line_up *line_ups, size_t n_line_ups);

/* What was seen: the sides of the items of one line-up, from left to right. Counts if room->is_counted, else the others.
 *   returns  [n] */
static inline const sm_counts *sm_links_counts(const sm_links_scratch *room, size_t line_up) {
    return (const sm_counts *)room->cells + line_up * room->links->n_items;
}

static inline const sm_sides *sm_links_sides(const sm_links_scratch *room, size_t line_up) {
    return (const sm_sides *)room->cells + line_up * room->links->n_items;
}

/* Writes down the ranks of one line-up, for whoever asks for them; nobody looks at several until the next are looked at.
 *   order  NULL: the order of the places */
void sm_links_rank_all(sm_links_scratch *room, const uint32_t *order);

static inline size_t sm_links_rank(const sm_links_scratch *room, size_t place) { return (size_t)room->rank[place]; }

/* The places of a node in the order of their levels, those without one last.
 *   order  [n] out
 *   first  [n_levels + 1] out: level b has order[first[b] .. first[b + 1] - 1] */
void sm_level_order(const sm_node *node, const uint32_t *level, size_t n_levels, uint32_t *order, size_t *first);

/* ---- predicting: links_leaves.c ---- */

/* Where the items are in a tree. */
typedef struct sm_places {
    uint32_t *place; /* [n_items] among the members; SMERF_MISSING: in none of the leaves */
    uint32_t *leaf;  /* [members] */
} sm_places;

/* Whether a place is among first .. end - 1; none is not. One comparison, which hardly ever surprises. */
static inline bool sm_place_is_in(uint32_t place, size_t first, size_t end) { return place - first < end - first; }

bool sm_places_start(sm_places *places, size_t n_items, const sm_leaves *leaves); /* false: no memory */
void sm_places_free(sm_places *places);

/* Sums over the pairs of different members among first .. end - 1, each once. */
typedef struct sm_pair_sums {
    double all;    /* w_i w_j, linked or not */
    double weight; /* w_i w_j weight_ij, of linked ones */
    double value;  /* w_i w_j weight_ij value_ij */
} sm_pair_sums;

sm_pair_sums sm_links_sum(const sm_links *links, const sm_leaves *leaves, const sm_places *places, size_t first,
                          size_t end);

/* The same for the members of every node.   sums  [n_nodes] out; false: no memory */
bool sm_links_sum_nodes(const sm_links *links, const sm_leaves *leaves, const sm_places *places, sm_pair_sums *sums);

/* Adds the pairs of members first .. end - 1 with all other members of the tree: each to the last node of a way down from the
 * root that has the other one, so that a node's own sum is that over the rest of the way. */
typedef struct sm_path_sums {
    const uint32_t *path; /* [n] nodes, each the parent of the next */
    size_t n;
    double *weight, *value; /* [n] sums as above */
} sm_path_sums;

void sm_links_add_path(const sm_links *links, const sm_leaves *leaves, const sm_places *places, size_t first,
                       size_t end, const sm_path_sums *to);

/* The node whose members are first .. end - 1; n_nodes: none. */
size_t sm_leaves_find(const sm_leaves *leaves, const sm_places *places, size_t first, size_t end);

#endif
