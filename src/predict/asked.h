/* asked.h - a question made ready: items matched to the model, and the trees brought to hand a group at a time.
 *
 *   1. sm_asked_start  matches the items, and recognises them if the question is about what is out of bag
 *   2. sm_side_pick    narrows a side down to the items that occur, where pairs are listed
 *   3. sm_asked_plan   deals the trees out to groups that fit into memory; small models are one group
 *   4. sm_asked_turn   brings one group to hand: its trees are made ready, and the items sent down them
 *
 * Whoever adds up over trees goes through the groups in order, so that every sum is formed in the order of the trees,
 * however they were dealt out. */
#ifndef SM_QUERY_ASKED_H
#define SM_QUERY_ASKED_H

#include "base/arena.h"
#include "base/parallel.h"
#include "predict/limits.h"
#include "predict/ready.h"

/* The items on one side of the pairs. */
typedef struct sm_side {
    const smerf_items *items;
    sm_view view;
    size_t n;        /* how many are asked about */
    uint32_t *pick;  /* [n] their places in the view, ascending; NULL: all */
    bool is_sent;    /* down the trees with every group; else whoever asks finds leaves as they are needed */
    uint32_t *leaf;  /* [trees][n] if sent: of the group, or of all trees; see sm_asked_leaves */
    uint32_t *place; /* [items] see answers.h; else NULL */
} sm_side;

typedef struct sm_answer_list sm_answer_list;

typedef struct sm_asked {
    const smerf_model *model;
    const sm_limits *limits;
    size_t n_trees;
    bool is_square; /* the columns are the rows */
    sm_side rows, others;

    bool is_out_of_bag;
    smerf_oob_rule rule;
    uint32_t *place;     /* [items of the rows] out of bag: rows of the training items */
    uint32_t *asked_for; /* [training items] and back, to places among the rows; SMERF_MISSING: not asked about */
    bool *is_out;        /* [trees][rows.n] not seen by the tree; trees as for leaf */

    double fallback; /* where trees may speak, but none has anything to say */

    size_t n_groups;
    size_t *group_first; /* [n_groups + 1] trees */
    bool keeps_leaves;   /* leaf and is_out are about all trees */
    size_t n_sent;       /* trees whose leaf and is_out have been filled, if they are kept */
    size_t first, end;   /* the trees at hand */
    sm_ready *ready;     /* [end - first] */

    sm_asked_sides sides; /* instead of all about trees, where the model is no forest: see answers.h */
    sm_answers *answers;
    sm_answer_list *lists; /* [n_threads] for methods that are asked for many pairs at a time; else NULL */
} sm_asked;

smerf_status sm_asked_start(sm_asked *asked, const smerf_model *model, const smerf_question *question,
                            const sm_limits *limits, smerf_error *error);
void sm_asked_free(sm_asked *asked); /* fine on one filled with zeros */

/* Narrows a side down to the items that are listed.
 *   lists   [n_lists] of [n] places in the view
 *   places  [n_lists] of [n] out: the same as places among the picked items */
smerf_status sm_side_pick(sm_side *side, const uint32_t *const *lists, uint32_t *const *places, size_t n_lists,
                          size_t n, smerf_error *error);

/* The same for listed pairs, which are checked first: picks the items that occur, and plans to send them.
 *   places  [2][n_pairs] out: of the left items, then of the right ones */
smerf_status sm_asked_check_pairs(const sm_asked *asked, const uint32_t *left, const uint32_t *right, size_t n_pairs,
                                  smerf_error *error);
smerf_status sm_asked_pick_pairs(sm_asked *asked, const uint32_t *left, const uint32_t *right, size_t n_pairs,
                                 uint32_t *places, smerf_error *error);

smerf_status sm_asked_plan(sm_asked *asked, bool sends_rows, bool sends_columns, smerf_error *error);

/* Brings a group to hand; nothing happens if it is there already. */
smerf_status sm_asked_turn(sm_asked *asked, size_t group, sm_crew *crew, smerf_error *error);

static inline const sm_side *sm_asked_columns(const sm_asked *asked) {
    return asked->is_square ? &asked->rows : &asked->others;
}

/* ---- about a tree b that is at hand ---- */

static inline const sm_ready *sm_asked_ready(const sm_asked *asked, size_t b) {
    return &asked->ready[b - asked->first];
}

/* The leaves of a side that was sent, by place in the side. */
static inline const uint32_t *sm_asked_leaves(const sm_asked *asked, const sm_side *side, size_t b) {
    return side->leaf + (asked->keeps_leaves ? b : b - asked->first) * side->n;
}

/* The leaves of rows first .. end-1, sent or not.   leaf  [end - first] out */
void sm_asked_row_leaves(const sm_asked *asked, size_t b, size_t first, size_t end, uint32_t *leaf);

/* Which rows the tree has not seen; NULL unless out of bag. */
static inline const bool *sm_asked_is_out(const sm_asked *asked, size_t b) {
    if (!asked->is_out_of_bag) return NULL;
    return asked->is_out + (asked->keeps_leaves ? b : b - asked->first) * asked->rows.n;
}

/* Whether a tree may speak for a pair, out of bag. */
static inline bool sm_asked_may_speak(const sm_asked *asked, bool row_is_out, bool column_is_out) {
    return asked->rule == SMERF_OOB_BOTH ? row_is_out && column_is_out : row_is_out || column_is_out;
}

/* ---- who has spoken ---- */

/* Whether every tree speaks for every pair. Where not, the trees that have spoken for a pair are counted in the lower
 * bits of a number, and its highest bit says whether any tree may speak for it at all. */
bool sm_asked_all_speak(const sm_asked *asked);

#define SM_MAY_SPEAK 0x80000000u
#define SM_N_SPOKEN(count) ((count) & ~SM_MAY_SPEAK)

/* ---- room ---- */

/* A thread's room for the distances of one leaf. */
typedef struct sm_leaf_room {
    sm_arena arena;
    double *row, *scratch;
} sm_leaf_room;

bool sm_leaf_room_start(sm_leaf_room *room, const smerf_model *model);
void sm_leaf_room_free(sm_leaf_room *room);

/* Rooms for all threads of a crew, or NULL. */
sm_leaf_room *sm_leaf_rooms_new(const smerf_model *model, size_t n_threads);
void sm_leaf_rooms_free(sm_leaf_room *rooms, size_t n_threads);

#endif
