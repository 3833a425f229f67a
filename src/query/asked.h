/* asked.h - a question made ready: items matched to the model and sent down every tree. */
#ifndef SM_QUERY_ASKED_H
#define SM_QUERY_ASKED_H

#include "base/arena.h"
#include "base/parallel.h"
#include "query/ready.h"

typedef struct sm_asked {
    const smerf_model *model;
    size_t n_trees, n_rows, n_columns;
    bool is_square;        /* the columns are the rows */
    uint32_t *row_leaf;    /* [n_trees][n_rows] */
    uint32_t *column_leaf; /* [n_trees][n_columns]; row_leaf if square */
    bool is_out_of_bag;
    smerf_oob_rule rule;
    uint32_t *place;  /* [n_rows] out of bag: rows of the training items */
    bool *row_is_out; /* [n_trees][n_rows] out of bag: not seen by the tree */
    sm_ready *ready;  /* [n_trees] */
} sm_asked;

smerf_status sm_asked_start(sm_asked *asked, const smerf_model *model, const smerf_question *question, sm_crew *crew,
                            smerf_error *error);
void sm_asked_free(sm_asked *asked); /* fine on one filled with zeros */

/* Whether tree b may speak for a pair, out of bag. */
static inline bool sm_asked_may_speak(const sm_asked *asked, bool row_is_out, bool column_is_out) {
    return asked->rule == SMERF_OOB_BOTH ? row_is_out && column_is_out : row_is_out || column_is_out;
}

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
