/* answers.h - questions to a model that is no forest: its method makes itself ready, and gives rows of distances. */
#ifndef SM_QUERY_ANSWERS_H
#define SM_QUERY_ANSWERS_H

#include "query/asked.h"

/* Has the method make itself ready: asked->answers. Nothing happens if it is already. */
smerf_status sm_answers_start(sm_asked *asked, sm_crew *crew, smerf_error *error);
void sm_answers_free(sm_asked *asked);

/* Distances of the listed pairs.   left, right  [n_pairs] places in the sides */
smerf_status sm_answer_pairs(sm_asked *asked, const uint32_t *left, const uint32_t *right, size_t n_pairs,
                             sm_crew *crew, double *distance, smerf_error *error);

#endif
