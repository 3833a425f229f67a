/* splitter.h - finds the best split of one node. */
#ifndef SM_TRAIN_SPLITTER_H
#define SM_TRAIN_SPLITTER_H

#include "train/categories.h"
#include "train/direction.h"

/* The split a node settled on. Valid until the next search. */
typedef struct sm_split {
    const sm_direction *direction;
    double threshold;
    double gain;
    bool missing_left;
    const uint32_t *left_levels; /* for a category, ascending */
    size_t n_left_levels;
    const bool *goes_left; /* [n] by place in the node */
} sm_split;

/* One candidate's items in order: those present, then those with a missing value. */
typedef struct sm_candidate {
    const sm_direction *direction;
    size_t n_present;
    size_t missing_right, missing_left; /* its line-ups; missing_left is SIZE_MAX where no value is missing */
    bool *is_cut;                       /* [n_present] whether the gap after each may be cut */
    double best_gain;                   /* over all its cuts */
} sm_candidate;

/* Candidates are lined up and priced a batch at a time: as many as there is room for, all of them in all but the largest
 * nodes. */
typedef struct sm_splitter {
    sm_arena arena; /* holds the arrays below */
    const sm_problem *problem;
    sm_search *search;
    sm_directions directions;
    sm_categories categories;
    sm_candidate *candidates; /* [directions.n] */
    size_t first, end;        /* those of the batch that is priced now */
    size_t room;              /* items in all line-ups of a batch together */
    sm_line_up *line_ups;
    size_t n_line_ups;
    uint32_t *orders;            /* [room] */
    double *costs;               /* [2][room] */
    bool *cuts;                  /* [room] */
    uint64_t *keys, *spare_keys; /* where the costs will be: nothing is priced before everything is sorted */
    uint32_t *spare_places;      /* [most_in_bag], oblique */
    bool *goes_left;
    uint32_t *left_levels;
} sm_splitter;

smerf_status sm_splitter_start(sm_splitter *splitter, const sm_problem *problem, sm_search *search, smerf_error *error);

/* How many items all line-ups that are priced together hold: 21 bytes each. */
size_t sm_splitter_room(const sm_problem *problem);

void sm_splitter_free(sm_splitter *splitter); /* not the search */

/* False: no two items of the node differ along any candidate, so that it cannot be split. */
bool sm_splitter_best(sm_splitter *splitter, const sm_node *node, sm_random *random, sm_split *split);

#endif
