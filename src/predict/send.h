/* send.h - sends items down all trees of a forest, for those who keep what comes of it: codes of leaves, or leaves. */
#ifndef SM_QUERY_SEND_H
#define SM_QUERY_SEND_H

#include "base/parallel.h"
#include "model/model.h"

/* Takes the leaves of items first .. end-1 in tree b, first being a multiple of SM_PACK_ITEMS from where the sending began.
 * Threads call it at the same time, each about items of its own.   leaf  [end - first] */
typedef void (*sm_leaf_put)(void *to, size_t b, size_t first, size_t end, const uint32_t *leaf);

/* Sends items first .. end-1 of a view down all trees. These are made ready a few at a time, so that a forest need not fit into
 * memory a second time. */
typedef struct sm_sending {
    const smerf_model *model;
    const sm_view *view;
    size_t first, end;
    sm_leaf_put put;
    void *to;
    const char *what; /* for messages: "looking for neighbours" */
} sm_sending;

smerf_status sm_send_down(const sm_sending *sending, sm_pool *pool, smerf_error *error);

#endif
