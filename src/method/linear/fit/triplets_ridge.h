/* triplets_ridge.h - how strong the ridge is with which mahalanobis learns from triplets: the one that predicts held-out triplets best.
 *
 * Items are dealt out to three parts, twice. Each part is held out once: training sees the triplets without any of its items, and is tested
 * on those within it, as pairs that share an item with training would be too easy. The frame, too, is that of the training part: in one of all
 * items those held out stand apart from the others where there are few items, and whatever was learned would say nothing of them. Where that leaves too few triplets, comparisons are
 * dealt out instead. With fewer than ten of these nothing can be chosen. */
#ifndef SM_METHOD_TRIPLETS_RIDGE_H
#define SM_METHOD_TRIPLETS_RIDGE_H

#include "method/linear/fit/triplets_loss.h"

typedef struct sm_ridge_choice {
    double ridge;
    bool is_chosen;            /* else nothing was held out, and the rest is not set */
    bool by_items;             /* else by comparisons */
    size_t n_held_out;         /* triplets that were tested, over the folds */
    double log_loss, in_order; /* of these, by weight, with that ridge */
} sm_ridge_choice;

/*   learned  its design */
smerf_status sm_ridge_choose(const sm_training_set *training, const sm_learned *learned, sm_ridge_choice *choice,
                             smerf_error *error);

#endif
