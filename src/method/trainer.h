/* trainer.h - how a method learns: the half of it that a build which only predicts leaves out. Each is a file or a few in a folder
 * `fit` beside the method, and a line in src/fit/train_method.c. */
#ifndef SM_METHOD_TRAINER_H
#define SM_METHOD_TRAINER_H

#include "model/method.h"

/* What there is to learn from. */
typedef struct sm_training_set {
    const smerf_items *items;
    const sm_view *view; /* the items in the order of the features */
    const sm_features *features;
    smerf_target *target;         /* n_rows == n_items, never a block */
    const double *weights;        /* [n_items] or NULL: all 1 */
    const smerf_options *options; /* as given */
    smerf_boost_options *chosen;  /* out: boost's, with what was chosen */
    sm_pool *pool;                /* threads, progress from 0 to 1, and cancelling */
} sm_training_set;

typedef struct sm_trainer {
    bool takes_triplets; /* it learns from triplets, too, or nothing from any target */

    /* Refuses targets and features that it cannot take, with a sentence that says which it can. */
    smerf_status (*check)(const sm_training_set *training, smerf_error *error);

    /* Learns. Deterministic in data, options and seed, for any number of threads. */
    smerf_status (*fit)(const sm_training_set *training, sm_learned **out, sm_diagnostics *diagnostics,
                        smerf_error *error);
} sm_trainer;

extern const sm_trainer sm_trainer_euclidean, sm_trainer_mahalanobis, sm_trainer_bilinear, sm_trainer_rfd,
    sm_trainer_plugin, sm_trainer_epm, sm_trainer_narm, sm_trainer_mean, sm_trainer_standardized, sm_trainer_gower,
    sm_trainer_boost;

#endif
