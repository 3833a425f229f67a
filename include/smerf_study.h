/* smerf_study.h - what studies of models need beyond smerf.h, whose rules hold here too.
 *
 *     1  tune           choose the options by out-of-bag score
 *     2  simulate       the paper's data sets
 *     3  split          what to train on, and what to test with
 *     4  compare        which method is best for some data */
#ifndef SMERF_STUDY_H
#define SMERF_STUDY_H

#include "smerf.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- 1  Tune --------------------------------------------------------------------------------------------
 * Fits the paper's grid of settings and keeps the one with the best out-of-bag score (the first, on a tie). */

/* One setting of the grid; it is the library's, and lives while it is reported. */
typedef struct smerf_trial {
    size_t size;
    size_t number, n_trials;
    const smerf_options *options;
    double score;
} smerf_trial;

typedef void (*smerf_trial_sink)(void *context, const smerf_trial *trial);

/* Elements of a grid. Frozen. */
typedef struct smerf_candidate_count {
    size_t number; /* or SMERF_CANDIDATES_ALL; 0: by the power */
    double power;  /* of the number of features; 0 with a number of 0: the default */
} smerf_candidate_count;

typedef struct smerf_self_setting {
    smerf_self kind;
    double value; /* for SMERF_SELF_VALUE */
} smerf_self_setting;

/* What to try, the caller's for the call. A list of 0 values leaves it to vary_... below. At most 512 settings come of it. */
typedef struct smerf_grid {
    size_t size;
    const smerf_candidate_count *candidates;
    size_t n_candidates;
    const size_t *min_parents;
    size_t n_min_parents;
    const smerf_splits *splits;
    size_t n_splits;
    const double *densities; /* of oblique splits */
    size_t n_densities;
    const smerf_self_setting *selves;
    size_t n_selves;
} smerf_grid;

typedef struct smerf_tuning {
    size_t size;
    smerf_metric metric;
    bool vary_candidates;   /* p^0.25, p^0.5, p^0.75, p, and p^1.5 with oblique splits */
    bool vary_min_parent;   /* 2, 4, 8 */
    bool vary_splits;       /* axis, oblique */
    bool vary_self;         /* given, exclude; of graphs also 1. What does not vary is as the options say */
    smerf_trial_sink tried; /* or NULL: called with every setting, in order, on the calling thread */
    void *context;          /* handed to tried, left_out and stops */
    const smerf_grid *grid; /* what to try instead; NULL: as vary_... say */
    double seconds;         /* when so many have gone by, no more is tried; 0: however long it takes */
    /* or NULL: called often, on the calling thread; true: no more is tried. One setting is tried whatever these say, and what was
     * begun when the time was up is dropped */
    bool (*stops)(void *context);
    /* or NULL: called with every setting that was not tried, whose score is NaN: before the first trial with those of the
     * paper's grid that would take too long (more directions than ten times the features, and over a minute of them; their number
     * is n_trials), after the last with those for which there was no time */
    smerf_trial_sink left_out;
} smerf_tuning;

typedef struct smerf_tuned {
    size_t size;
    smerf_model *model;      /* the winner, the caller's; smerf_model_describe has its options */
    size_t number, n_trials; /* which of the trials it was */
    double score;
    size_t n_tried; /* how many of the trials were tried: fewer if they were stopped */
} smerf_tuned;

SMERF_API smerf_status smerf_tune(const smerf_items *items, smerf_target *target, const smerf_options *options,
                                  const smerf_tuning *tuning, const smerf_run *run, smerf_tuned *result,
                                  smerf_error *error);

/* ---- 2  Simulate ----------------------------------------------------------------------------------------
 * The data sets of the paper's section 5.1: 20 features, of which the first two matter. */

typedef enum smerf_simulation_kind { SMERF_REGRESSION, SMERF_BILINEAR, SMERF_RADIAL } smerf_simulation_kind;

#define SMERF_SIMULATED_FEATURES 20

/* Items first_item ... first_item + n_items - 1 of a data set without end. */
typedef struct smerf_simulation {
    size_t size;
    smerf_simulation_kind kind;
    uint32_t part; /* 0 is meant for training, others for testing */
    uint64_t seed;
    size_t first_item, n_items;
} smerf_simulation;

/*   x  [n_items][20], the caller's
 *   y  [n_items], the caller's: the one number that an item's distances depend on */
SMERF_API smerf_status smerf_simulate(const smerf_simulation *simulation, double *x, double *y, smerf_error *error);

/* The distance of two items, from their numbers. */
SMERF_API double smerf_simulated_distance(smerf_simulation_kind kind, double y, double other);

/* ---- 3  Split -------------------------------------------------------------------------------------------
 * For honest evaluation: n_train of n things (items or pairs) to train on, each choice equally likely.
 *   is_train  [n], the caller's */
SMERF_API smerf_status smerf_split(size_t n, size_t n_train, uint64_t seed, bool *is_train, smerf_error *error);

/* How many of n_known pairs to train on for a fraction of the items: as large a fraction of the pairs as k = round(fraction *
 * n_items) items have among themselves, which is k (k - 1) / 2 where all pairs are known. */
SMERF_API size_t smerf_split_n_pairs(size_t n_known, size_t n_items, double train_fraction);

/* Divides the known pairs of a target in two: smerf_split draws smerf_split_n_pairs of them, ordered by their smaller item
 * and then by their larger one, to train on, and the others are to test with. A graph becomes one of
 * which some pairs are observed, and so do labels (items of the same label are linked); all else becomes rated pairs, with
 * items' distances to themselves among those to train on, where they were given. */
SMERF_API smerf_status smerf_target_divide(const smerf_target *target, double train_fraction, uint64_t seed,
                                           smerf_target **train, smerf_target **test, smerf_error *error);

/* ---- 4  Compare -----------------------------------------------------------------------------------------
 * Every method learns from the same parts of some data and is scored on the rest, several times: docs/methods/compare.md.
 *
 * Repeat r = 0, 1, ... has the seed options.seed + r, for what is drawn and for all that learn. By nodes, smerf_split of the
 * items draws round(train_fraction * n) of them; methods learn from these, and are scored on the pairs among the others.
 * By pairs, smerf_target_divide says from which they learn, and on which they are scored.
 *
 * Folds (by nodes): each item is tested once in a repeat. Repeat r deals the items out to K folds by options.seed + r; in its round
 * f fold f is tested, and the others are learned from, with the seed options.seed + r * K + f. Groups (by nodes): items with the
 * same number are learned from together or tested together; train_fraction is of the groups. Methods can be told apart if each
 * differs from the best, by the metric, by more than the standard error of the difference.
 *
 * Triplets are divided by nodes: methods learn from those among the items to learn from, or learn nothing from the target at all, and are
 * scored on those among the others, by how many are in order. The metric is not looked at then. */

#define SMERF_COMPARED_PAIRS ((size_t)60000)

typedef struct smerf_comparison {
    size_t size;
    unsigned methods;      /* a sum of SMERF_HAS(method): these, or fail; 0: all that can take the data */
    size_t n_repeats;      /* at least 1 */
    double train_fraction; /* 0 < fraction < 1 */
    bool by_pairs;         /* else by nodes */
    bool tunes;          /* smerf's options are chosen by smerf_tune, with all that a grid can vary; others have none */
    smerf_metric metric; /* that it is tuned by */
    const smerf_options
        *options; /* method is not looked at; NULL: as smerf_options_default has them. Without a boost of their own
                                     boosting learns from SMERF_COMPARED_PAIRS pairs at a time */

    size_t n_folds;         /* of the items; 0: none, see below */
    const uint32_t *groups; /* [n_items] of the items; NULL: none, see below */
    size_t n_most_repeats;  /* more than n_repeats: repeated until the methods can be told apart, so often at most */
} smerf_comparison;

/* All methods, five repeats, 0.7 of the items to learn from, by nodes, tuned by auc-roc for a graph and else by rmse.
 *   target  NULL: not known yet, and so not a graph
 *   size    sizeof the struct, as the program was compiled */
SMERF_API void smerf_comparison_fill(const smerf_target *target, smerf_comparison *comparison, size_t size);

static inline void smerf_comparison_default(const smerf_target *target, smerf_comparison *comparison) {
    smerf_comparison_fill(target, comparison, sizeof *comparison);
}

/* Over the rounds: the repeats, or the folds of all repeats. Frozen: an element of an array. */
typedef struct smerf_mean_score {
    double mean;           /* NaN: not a metric of the target, or never known */
    double standard_error; /* of the mean: sd / sqrt(rounds); NaN with one round */
} smerf_mean_score;

/* How a method fares. */
typedef struct smerf_method_scores {
    size_t size;
    bool applies;
    smerf_error refusal;                     /* why it does not; SMERF_OK: it was not requested */
    double seconds;                          /* in all; nothing else here depends on the machine */
    smerf_mean_score score[SMERF_N_METRICS]; /* by smerf_metric */
    smerf_mean_score
        difference[SMERF_N_METRICS]; /* its score less that of the method with the best mean, round by round */
    size_t n_rounds;                 /* that there were */
    smerf_mean_score in_order,
        in_order_difference; /* of triplets, which have no other: as smerf_triplet_scores has it */
} smerf_method_scores;

/* smerf_target_metrics says which metrics a target has. A division whose test items have fewer than SMERF_FEWEST_PARTNERS partners
 * has no map@10.
 *   scores    [n_scores] by smerf_method, the caller's, all with the same size
 *   n_scores  SMERF_N_METHODS, as the program was compiled; methods that it does not know are left out */
SMERF_API smerf_status smerf_compare(const smerf_items *items, const smerf_target *target,
                                     const smerf_comparison *comparison, const smerf_run *run,
                                     smerf_method_scores *scores, size_t n_scores, smerf_error *error);

/* Which items a round of a comparison by nodes learns from, so that others can be scored on the same divisions.
 *   round     from 0: the repeat, or with K folds the repeat * K + the fold
 *   is_train  [n_items], the caller's */
SMERF_API smerf_status smerf_compare_division(const smerf_target *target, const smerf_comparison *comparison,
                                              size_t round, bool *is_train, smerf_error *error);

#ifdef __cplusplus
}
#endif
#endif
