/* query.h - a request made ready: items matched to the model, and the trees brought to hand a group at a time.
 *
 *   1. sm_query_start  matches the items, and recognises them if the request is about what is out of bag
 *   2. sm_side_pick    narrows a side down to the items that occur, where pairs are listed
 *   3. sm_query_plan   deals the trees out to groups that fit into memory; small models are one group
 *   4. sm_query_turn   brings one group to hand: its trees are made ready, and the items sent down them
 *
 * Whoever adds up over trees goes through the groups in order, so that every sum is formed in the order of the trees,
 * however they were dealt out. */
#ifndef SM_QUERY_QUERY_H
#define SM_QUERY_QUERY_H

#include "base/memory.h"
#include "base/parallel.h"
#include "predict/limits.h"
#include "predict/prepared.h"

/* The items on one side of the pairs. */
typedef struct sm_side {
    const smerf_items *items;
    sm_view view;
    size_t n;             /* how many are asked about */
    uint32_t *pick;       /* [n] their rows in the view, ascending; NULL: all */
    bool is_sent;         /* down the trees with every group; else whoever asks finds leaves as they are needed */
    uint32_t *leaf;       /* [trees][n] if sent: of the group, or of all trees; see sm_query_leaves */
    const uint32_t *kept; /* [all trees][kept_step] their leaves, which an index knows: there is no view; else NULL */
    size_t kept_step;
    uint32_t *training_row; /* [items] see predictor.h; else NULL */
} sm_side;

typedef struct sm_answer_list sm_answer_list;

typedef struct sm_query {
    const smerf_model *model;
    const sm_limits *limits;
    size_t n_trees;
    bool is_square; /* the columns are the rows */
    sm_side rows, others;

    bool is_out_of_bag;
    smerf_oob_rule rule;
    uint32_t *training_row; /* [items of the rows] out of bag: rows of the training items */
    uint32_t *query_for;    /* [training items] and back, to the rows of the request; SMERF_MISSING: not among them */
    bool *is_out;           /* [trees][rows.n] not seen by the tree; trees as for leaf */

    double
        fallback; /* where trees is eligible, but none has anything to say: shrunk, like every distance that is told */

    size_t n_groups;
    size_t *group_first;      /* [n_groups + 1] trees */
    bool keeps_leaves;        /* leaf and is_out are about all trees */
    size_t n_sent;            /* trees whose leaf and is_out have been filled, if they are kept */
    size_t first, end;        /* the trees at hand */
    sm_ready *ready;          /* [end - first] */
    const sm_ready *prepared; /* [n_trees] where somebody keeps all trees ready: `ready` borrows from them; else NULL */

    sm_query_sides sides; /* instead of all about trees, where the model is no forest: see predictor.h */
    sm_predictor *predictor;
    struct sm_query *base;  /* the same request to the model that its predictions start from, or NULL */
    uint32_t *every_column; /* [rows.n] 0, 1, ..., for methods that mirror rows; else NULL */
    sm_answer_list *lists;  /* [n_threads] for methods that are asked for many pairs at a time; else NULL */
} sm_query;

smerf_status sm_query_start(sm_query *query, const smerf_model *model, const smerf_request *request,
                            const sm_limits *limits, smerf_error *error);
/* The same about items that an index keeps, as columns.   kept  see sm_side   prepared  see sm_query; may be NULL */
typedef struct sm_kept_items {
    size_t n;
    const uint32_t *leaf;
    size_t step;
    const sm_ready *prepared;
} sm_kept_items;

smerf_status sm_query_start_kept(sm_query *query, const smerf_model *model, const smerf_items *rows,
                                 const sm_kept_items *kept, const sm_limits *limits, smerf_error *error);
void sm_query_free(sm_query *query); /* fine on one filled with zeros */

/* Narrows a side down to the items that are listed.
 *   lists   [n_lists] of [n] rows of the view
 *   indices [n_lists] of [n] out: the same as indices of the picked items */
smerf_status sm_side_pick(sm_side *side, const uint32_t *const *lists, uint32_t *const *indices, size_t n_lists,
                          size_t n, smerf_error *error);

/* The same for listed pairs, which are checked first: picks the items that occur, and plans to send them.
 *   indices [2][n_pairs] out: of the left items, then of the right ones */
smerf_status sm_query_check_pairs(const sm_query *query, const uint32_t *left, const uint32_t *right, size_t n_pairs,
                                  smerf_error *error);
smerf_status sm_query_pick_pairs(sm_query *query, const uint32_t *left, const uint32_t *right, size_t n_pairs,
                                 uint32_t *indices, smerf_error *error);

smerf_status sm_query_plan(sm_query *query, bool sends_rows, bool sends_columns, smerf_error *error);

/* Brings a group to hand; nothing happens if it is there already. */
smerf_status sm_query_turn(sm_query *query, size_t group, sm_pool *pool, smerf_error *error);

static inline const sm_side *sm_query_columns(const sm_query *query) {
    return query->is_square ? &query->rows : &query->others;
}

/* ---- about a tree b that is at hand ---- */

static inline const sm_ready *sm_query_ready(const sm_query *query, size_t b) {
    return &query->ready[b - query->first];
}

/* The leaves of a side that was sent, by index in the side. */
static inline const uint32_t *sm_query_leaves(const sm_query *query, const sm_side *side, size_t b) {
    if (side->kept != NULL) return side->kept + b * side->kept_step;
    return side->leaf + (query->keeps_leaves ? b : b - query->first) * side->n;
}

/* The leaves of rows first .. end-1, sent or not.   leaf  [end - first] out */
void sm_query_row_leaves(const sm_query *query, size_t b, size_t first, size_t end, uint32_t *leaf);

/* Which rows the tree has not seen; NULL unless out of bag. */
static inline const bool *sm_query_is_out(const sm_query *query, size_t b) {
    if (!query->is_out_of_bag) return NULL;
    return query->is_out + (query->keeps_leaves ? b : b - query->first) * query->rows.n;
}

/* Whether a tree is eligible for a pair, out of bag. */
static inline bool sm_query_may_use_tree(const sm_query *query, bool row_is_out, bool column_is_out) {
    return query->rule == SMERF_OOB_BOTH ? row_is_out && column_is_out : row_is_out || column_is_out;
}

/* ---- who has spoken ---- */

/* Whether every tree speaks for every pair. Where not, the trees that have spoken for a pair are counted in the lower
 * bits of a number, and its highest bit says whether any tree is eligible for it at all. */
bool sm_query_uses_all_trees(const sm_query *query);

#define SM_IS_ELIGIBLE 0x80000000u
#define SM_N_PREDICTING(count) ((count) & ~SM_IS_ELIGIBLE)

/* ---- memory ---- */

/* A thread's memory for the distances of one leaf. */
typedef struct sm_leaf_scratch {
    sm_arena arena;
    double *row, *scratch;
} sm_leaf_scratch;

bool sm_leaf_scratch_start(sm_leaf_scratch *scratch, const smerf_model *model);
void sm_leaf_scratch_free(sm_leaf_scratch *scratch);

/* A thread's distances between two leaves of a tree that is ready, Eq. (2), a leaf and itself as the model has it. Few leaves are
 * large ones: then whole rows of them may be formed, once. */
enum { SM_FEW_LEAVES = 128 };

typedef struct sm_leaf_table {
    sm_leaf_scratch leaf;
    bool keeps_rows, has_row[SM_FEW_LEAVES];
    double *distances; /* [SM_FEW_LEAVES][SM_FEW_LEAVES] */
} sm_leaf_table;

bool sm_leaf_table_start(sm_leaf_table *table, const smerf_model *model); /* false: no memory */
void sm_leaf_table_free(sm_leaf_table *table);
void sm_leaf_table_turn(sm_leaf_table *table, bool keeps_rows); /* to another tree; rows only of up to SM_FEW_LEAVES */
double sm_leaf_table_distance(sm_leaf_table *table, const smerf_model *model, const sm_ready *ready, size_t from,
                              size_t to);

#endif
