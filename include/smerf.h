/* smerf.h - learn how far apart things are.
 *
 * Give smerf some items, each described by features, and what is known of the distances between them.
 * It learns a forest that predicts the distance of any two items, also of items it has never seen
 * (Tomita & Vogelstein, "Robust Similarity and Distance Learning via Decision Forests").
 *
 * Read this file from top to bottom, it is the manual:
 *
 *     1  errors         every call that can fail says why in a sentence
 *     2  items          features in
 *     3  targets        what is known of the pairs
 *     4  options, run   how to learn; threads, progress, cancelling
 *     5  fit            learn
 *     6  predict        distances out, and labels or responses
 *     7  neighbours     the nearest items, and what they say of a label or a number
 *     8  evaluate       how good the distances are
 *     9  importance     which features matter, and which matter together
 *    10  explain        which features make two items near or far
 *    11  clusters       groups of items
 *    12  maps           coordinates to look at, vectors to search
 *    13  models         save, load, merge, look inside
 *
 * smerf_study.h has what studies of models need: tune, simulate, split, compare.
 *
 * The shortest program that does something useful is examples/learn.c.
 *
 * Rules that hold everywhere:
 *   - The library never prints, never exits, reads no environment variable and keeps no global state.
 *   - What you pass in is borrowed for the call, unless a comment says "must outlive" or "copied".
 *   - Objects come from _new, smerf_fit or smerf_model_load and go with the matching _free; every _free takes NULL.
 *   - A model is never changed by a call that takes it as const: any number of threads may share it.
 *   - The same data, options and seed give the same model, bit for bit, for any number of threads.
 *   - Structs that begin with `size` can grow: it is the size that the struct has in the header you compile with, so that a
 *     program goes on working with libraries older and newer than that. SMERF_INIT sets it, and all else to 0:
 *         smerf_request request = SMERF_INIT(smerf_request, .rows = items, .out_of_bag = true);
 *     A size that makes no sense is refused, and so is a field of a newer header that is set and that the library does not
 *     know. All other structs are frozen: they stay as they are (docs/decisions/0021-structs-that-can-grow.md). */
#ifndef SMERF_H
#define SMERF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define SMERF_API __attribute__((visibility("default")))
#else
#define SMERF_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* The version of this header, and of the library that is running, as "major.minor.patch". */
#define SMERF_VERSION_MAJOR 0
#define SMERF_VERSION_MINOR 1
#define SMERF_VERSION_PATCH 0
#define SMERF_VERSION (SMERF_VERSION_MAJOR * 1000000 + SMERF_VERSION_MINOR * 1000 + SMERF_VERSION_PATCH)
SMERF_API const char *smerf_version(void);

/* A struct that can grow, with its size, the fields that are named, and 0 in all others: SMERF_INIT(type, .field = ...). */
#define SMERF_INIT(...) SMERF_INIT_(__VA_ARGS__, )
#ifdef __cplusplus
#define SMERF_INIT_(type, ...)                                                                                         \
    type { .size = sizeof(type), __VA_ARGS__ } /* with fields: C++20 */
#else
#define SMERF_INIT_(type, ...) ((type){.size = sizeof(type), __VA_ARGS__})
#endif

/* ---- 1  Errors -------------------------------------------------------------------------------------------
 * Functions that can fail return a status and describe the failure in *error (which may be NULL). */

typedef enum smerf_status {
    SMERF_OK = 0,
    SMERF_NO_MEMORY, /* memory ran out, or the need is larger than the machine */
    SMERF_IO,        /* a file cannot be opened, read or written */
    SMERF_CANCELLED, /* the progress callback asked to stop */
    SMERF_BAD_INPUT, /* an argument, an option or a value that makes no sense */
    SMERF_BAD_FILE   /* a model file that is damaged, or is none */
} smerf_status;

#define SMERF_NOWHERE SIZE_MAX

/* Where a sentence names an option, so that each front can name it in its own words: "min_parent", or with a value, "sample
 * none". At which byte of the message, and how long. Frozen. */
typedef struct smerf_mention {
    unsigned short at, length;
} smerf_mention;

#define SMERF_MOST_MENTIONS 4

/* Frozen. */
typedef struct smerf_error {
    smerf_status status;
    char message[480];  /* one sentence: what is wrong, and what would be right */
    size_t row, column; /* the offending cell of a matrix, from 0; SMERF_NOWHERE if there is none */
    size_t n_mentions;
    smerf_mention mention[SMERF_MOST_MENTIONS]; /* in order; the command makes --min-parent of "min_parent" */
} smerf_error;

/* ---- 2  Items --------------------------------------------------------------------------------------------
 * n items, described by columns of numbers or of categories. */

typedef enum smerf_kind { SMERF_NUMBER, SMERF_CATEGORY } smerf_kind;

#define SMERF_MISSING UINT32_MAX /* the code of a missing category; a missing number is NaN */

/* Frozen: an element of an array. */
typedef struct smerf_column {
    const char *name;          /* copied */
    smerf_kind kind;           /* which of the two groups below is set */
    const double *values;      /* number: [n_items], finite or NaN; must outlive the items */
    const float *floats;       /* the same in float32, where values is NULL */
    size_t step;               /* from one item's number to the next; 0 is 1. A row-major table of p columns: p */
    const uint32_t *codes;     /* category: [n_items], indices of levels or SMERF_MISSING; copied */
    const char *const *levels; /* category: [n_levels], different from each other; copied */
    size_t n_levels;
} smerf_column;

typedef struct smerf_items smerf_items;

SMERF_API smerf_status smerf_items_new(const smerf_column *columns, size_t n_columns, size_t n_items, smerf_items **out,
                                       smerf_error *error);
SMERF_API void smerf_items_free(smerf_items *items);
SMERF_API size_t smerf_items_count(const smerf_items *items);

/* Names the items; without it they are called by their row, from 0.
 *   ids     [n_items], different from each other; copied
 *   column  what the ids are called, kept in the model; copied */
SMERF_API smerf_status smerf_items_set_ids(smerf_items *items, const char *column, const char *const *ids,
                                           smerf_error *error);

/* Weighs the items in training (in the split objective and in leaf means, not in the drawing).
 *   weights [n_items], from 1e-100 to 1e100; copied
 *   column  what the weights are called, kept in the model; copied */
SMERF_API smerf_status smerf_items_set_weights(smerf_items *items, const char *column, const double *weights,
                                               smerf_error *error);

/* Says which rows of their source the items are, where they were taken from one: a model knows items without ids by their
 * row, so that without it a sample of its training items is not known out of bag.
 *   rows    [n_items], different from each other; copied */
SMERF_API smerf_status smerf_items_set_rows(smerf_items *items, const uint32_t *rows, smerf_error *error);

/* Columns of the source that are no features: kept in the model, so that a later reader can leave them out too.
 *   names   [n_names]; copied */
SMERF_API smerf_status smerf_items_set_ignored(smerf_items *items, const char *const *names, size_t n_names,
                                               smerf_error *error);

/* Some of the items, in the order of the rows, with their ids and weights: as if the source had held no others, so that a
 * category has the levels that occur among them. Everything is copied.
 *   rows    [n], different from each other */
SMERF_API smerf_status smerf_items_take(const smerf_items *items, const uint32_t *rows, size_t n, smerf_items **out,
                                        smerf_error *error);

/* ---- 3  Targets ------------------------------------------------------------------------------------------
 * What is known of the pairs. A target has a reference count: a model keeps a reference, and _free drops yours. */

typedef struct smerf_target smerf_target;

/* Any symmetric matrix of distances.
 *   z       [n_items][n_items] row-major, finite, z[i][j] == z[j][i]; must outlive the target and its models */
SMERF_API smerf_status smerf_target_new_distances(const float *z, size_t n_items, smerf_target **out,
                                                  smerf_error *error);

/* Labels: z = 1 if they differ, else 0. The forest is a classification forest too, see smerf_predict_values.
 *   codes    [n_items], indices of classes; copied
 *   classes  [n_classes], different from each other, any order; copied
 *   column   what the labels are called, kept in the model; copied */
SMERF_API smerf_status smerf_target_new_labels(const char *column, const uint32_t *codes, size_t n_items,
                                               const char *const *classes, size_t n_classes, smerf_target **out,
                                               smerf_error *error);

/* Columns of numbers. A response: z = half the squared difference, summed over the columns (the forest is a regression
 * forest too, see smerf_predict_values); a product: z = 1 - the sum of the products.
 *   names    [n_columns]; copied
 *   columns  [n_columns] of [n_items] finite numbers; copied */
SMERF_API smerf_status smerf_target_new_response(const char *const *names, const double *const *columns,
                                                 size_t n_columns, size_t n_items, smerf_target **out,
                                                 smerf_error *error);
SMERF_API smerf_status smerf_target_new_product(const char *const *names, const double *const *columns,
                                                size_t n_columns, size_t n_items, smerf_target **out,
                                                smerf_error *error);

/* One column of numbers: z = the absolute difference. */
SMERF_API smerf_status smerf_target_new_absolute(const char *name, const double *values, size_t n_items,
                                                 smerf_target **out, smerf_error *error);

/* Pairs of items: edges of a graph or rated pairs, each with a number, and there (i, j) and (j, i) are the same pair; or
 * those to predict (section 6). Frozen: a view of arrays. */
typedef struct smerf_pair_list {
    size_t n;
    const uint32_t *left, *right; /* [n] rows of the items; of the rows and the columns of a request */
    const double *value;          /* [n] finite; NULL: all 1; not looked at in a request */
    const double *weight;         /* [n] of rated pairs, finite and > 0; NULL: all 1; not looked at elsewhere */
} smerf_pair_list;

/* An undirected graph: z = 1 - the edge's value, 1 where there is no edge, 0 from a node to itself. An edge that is
 * given again counts once, and must have the same value; an edge from a node to itself is refused.
 *   edges     copied
 *   observed  or NULL: the only pairs of which it is known whether there is an edge; copied, without its numbers */
SMERF_API smerf_status smerf_target_new_graph(const smerf_pair_list *edges, const smerf_pair_list *observed,
                                              size_t n_items, smerf_target **out, smerf_error *error);

/* Distances of some pairs. Pairs that are given again become one with the mean value, averaged by weight, and the mean
 * weight. (i, i) sets an item's distance to itself, which is 0 elsewhere.
 *   pairs     value is the distance; copied */
SMERF_API smerf_status smerf_target_new_pairs(const smerf_pair_list *pairs, size_t n_items, smerf_target **out,
                                              smerf_error *error);

/* What was found when a graph or a list of pairs was read. Frozen. */
typedef struct smerf_pair_facts {
    size_t n_pairs;      /* different pairs of two items that are known */
    size_t n_repeated;   /* of these: given more than once */
    size_t n_conflicts;  /* of those: with different values */
    size_t n_unobserved; /* items without a known pair */
} smerf_pair_facts;

/* False: the target is none of these, all its pairs are known. */
SMERF_API bool smerf_target_pair_facts(const smerf_target *target, smerf_pair_facts *facts);

/* Triplets: item `near` is nearer to the anchor than item `far` is. Frozen: a view of arrays. */
typedef struct smerf_triplet_list {
    size_t n;
    const uint32_t *anchor, *near, *far; /* [n] rows of the items, three different ones each */
    const double *weight;                /* [n] above 0, at most 1e100; NULL: all 1 */
} smerf_triplet_list;

/* Triplets as a target: no distance is known, only which of two is larger. The method mahalanobis learns from them
 * (docs/triplets.md), smerf_evaluate_triplets scores by them; all that wants distances refuses them. A triplet that is given again
 * adds to its weight, and may conflict with others: both count. Of smerf_target_take those stay of which all three items do.
 *   triplets  copied */
SMERF_API smerf_status smerf_target_new_triplets(const smerf_triplet_list *triplets, size_t n_items, smerf_target **out,
                                                 smerf_error *error);

/* A comparison is what a triplet answers: which of two items is nearer to an anchor. Frozen. */
typedef struct smerf_triplet_facts {
    size_t n_comparisons; /* different ones */
    size_t n_repeated;    /* of these: answered more than once */
    size_t n_conflicts;   /* of those: in both ways */
    size_t n_unobserved;  /* items without any */
} smerf_triplet_facts;

/* False: the target has no triplets. */
SMERF_API bool smerf_target_triplet_facts(const smerf_target *target, smerf_triplet_facts *facts);

/* Distances between two different sets of items, to evaluate against (not to train on).
 *   z       [n_rows][n_columns] row-major, finite or NaN: not known; must outlive the target */
SMERF_API smerf_status smerf_target_new_block(const float *z, size_t n_rows, size_t n_columns, smerf_target **out,
                                              smerf_error *error);

/* The same from a target over both sets: its first n_rows items are the rows, the others the columns.
 *   both    retained */
SMERF_API smerf_status smerf_target_new_between(smerf_target *both, size_t n_rows, smerf_target **out,
                                                smerf_error *error);

/* What is known of one row of pairs: NaN where nothing is.
 *   distances  one for each item (of the columns, between two sets), the caller's */
SMERF_API void smerf_target_row(const smerf_target *target, size_t row, double *distances);

/* What is known of the pairs among some of the items, in the order of the rows: a target of the same kind, copied. Not of
 * distances between two sets. Of pairs that a fit completed, those that were given.
 *   rows    [n], different from each other */
SMERF_API smerf_status smerf_target_take(const smerf_target *target, const uint32_t *rows, size_t n, smerf_target **out,
                                         smerf_error *error);

/* Notes that the distances were made from similarities q as z = largest - q, or the distances of a graph from weights a as
 * z = 1 - a / largest; smerf_model_describe tells it. */
SMERF_API void smerf_target_note_similarities(smerf_target *target, double largest);

/* Notes that a matrix came without its diagonal, which is only filled in: methods that fit z_ii leave it out. (Graphs and
 * lists of pairs know that by themselves.) */
SMERF_API void smerf_target_note_no_diagonal(smerf_target *target);
SMERF_API void smerf_target_free(smerf_target *target);

/* ---- 4  Options and run ----------------------------------------------------------------------------------
 * Options decide what is learned; a run decides only how the work is done. */

typedef enum smerf_splits { SMERF_AXIS, SMERF_OBLIQUE } smerf_splits;
typedef enum smerf_sample { SMERF_BOOTSTRAP, SMERF_SUBSAMPLE, SMERF_NO_SAMPLE } smerf_sample;

/* Which trees are eligible for a training pair out of bag: those that missed both items, or those that missed either one. A
 * request may leave the choice to the model. */
typedef enum smerf_oob_rule { SMERF_OOB_AS_FITTED, SMERF_OOB_BOTH, SMERF_OOB_EITHER } smerf_oob_rule;

/* An item's distance to itself: as the target gives it, one value everywhere, or left out of a leaf's distance
 * to itself (growing as given); or the best of these for the kind of target (docs/defaults.md). A model has one of the first three. */
typedef enum smerf_self { SMERF_SELF_GIVEN, SMERF_SELF_VALUE, SMERF_SELF_EXCLUDE, SMERF_SELF_AUTO } smerf_self;

#define SMERF_CANDIDATES_AUTO ((size_t)0) /* by the kind of target (docs/defaults.md) */
#define SMERF_CANDIDATES_ALL SIZE_MAX
#define SMERF_CANDIDATES_PAPER (SIZE_MAX - 1) /* all of up to 20 features; of more p^0.75, but not below 20 */
#define SMERF_NO_LIMIT SIZE_MAX
#define SMERF_COMPLETE_OFF ((size_t)0)
#define SMERF_COMPLETE_AUTO SIZE_MAX /* chosen on held-out pairs */
#define SMERF_SHRINK_OFF (0.0)
#define SMERF_SHRINK_AUTO (-1.0) /* by what out-of-bag pairs say */

/* How to learn: the forest of the paper, or one of the systems that it is compared with (docs/methods.md). */
typedef enum smerf_method {
    SMERF_METHOD_FOREST,      /* "smerf" */
    SMERF_METHOD_EUCLIDEAN,   /* squared Euclidean distance of the features as given; nothing is learned */
    SMERF_METHOD_MAHALANOBIS, /* (x - y)^T W (x - y) with W positive semidefinite, by least squares */
    SMERF_METHOD_BILINEAR,    /* 1 - x^T W y, likewise */
    SMERF_METHOD_RFD,         /* a regression forest on features of pairs */
    SMERF_METHOD_PLUGIN, /* a response: half the squared difference of regression forest means + residual variance */
    SMERF_METHOD_EPM,    /* a graph: the edge partition model; only pairs of nodes it has seen */
    SMERF_METHOD_NARM,   /* a graph: the node attribute relational model */
    SMERF_METHOD_MEAN,   /* of any two items the mean of the known training distances */
    SMERF_METHOD_STANDARDIZED, /* Euclidean distance of the features, each divided by its standard deviation */
    SMERF_METHOD_GOWER,        /* the mean over the features of their differences, each divided by its range */
    SMERF_METHOD_BOOST         /* gradient boosting: regression trees on features of pairs */
} smerf_method;

#define SMERF_N_METHODS 12

#define SMERF_RIDGE_AUTO (-1.0) /* chosen on pairs of held-out items (docs/methods/linear.md) */

/* What only the methods that the forest is compared with have. */
typedef struct smerf_baseline_options {
    size_t size;
    size_t n_pairs;   /* rfd: learns from so many pairs at most, drawn at random */
    size_t n_factors; /* epm, narm: the most groups that nodes may belong to */
    size_t n_burn;    /* epm, narm: iterations before, and */
    size_t n_draws;   /* while draws are collected */
    size_t n_chains;  /* epm, narm: chains that start apart, all of which are averaged */
    size_t
        has_intercept; /* mahalanobis, bilinear: 1: a constant is learned, too, from pairs of different items; or 0 */
    double ridge;      /* mahalanobis, bilinear: draws W towards 0; 0: does not; or the word above */
    size_t n_bags;     /* mahalanobis, bilinear: as of boosting, below, for out of bag; 0: none */
} smerf_baseline_options;

/* What boosting makes small. Logistic: of labels and graphs, whose distance is then 1 - the probability of alike or linked; auto
 * is that for these, and squared for all others. */
typedef enum smerf_boost_loss {
    SMERF_LOSS_AUTO,
    SMERF_LOSS_SQUARED,
    SMERF_LOSS_ABSOLUTE,
    SMERF_LOSS_HUBER,
    SMERF_LOSS_LOGISTIC
} smerf_boost_loss;

/* What boosting's trees see of a number in both items x and y: |x - y| and (x + y) / 2; the smaller and the larger; x and y
 * themselves, learning from every pair in both orders and predicting the mean of both; all but the smaller and the larger; or, of
 * the first, the third and all, whichever predicts pairs of held-out items best. */
typedef enum smerf_pair_features {
    SMERF_PAIRS_AUTO,
    SMERF_PAIRS_DIFFERENCE,
    SMERF_PAIRS_ENDS,
    SMERF_PAIRS_ITEMS,
    SMERF_PAIRS_ALL
} smerf_pair_features;

/* What boosting starts from: the mean, or a forest, whose prediction is a feature of a pair, too. */
typedef enum smerf_boost_base { SMERF_BASE_NONE, SMERF_BASE_FOREST } smerf_boost_base;

/* What only boosting has (docs/methods/boost.md). */
typedef struct smerf_boost_options {
    size_t size;
    size_t n_rounds;      /* trees; 0: as many as predict pairs of held-out items best, */
    size_t most_rounds;   /* but no more than these */
    size_t n_leaves;      /* of a tree, at most; 2 ... 256 */
    size_t min_leaf;      /* pairs of a leaf, at least */
    double learning_rate; /* in (0, 1] */
    double l2;            /* added to the weight of a leaf: its value is smaller */
    size_t
        n_bags; /* 3, 6, 10, 15, ...: models that leave out two of 3, 4, 5, 6, ... groups of items each, for out of bag
                      and for choosing; 0: none */
    smerf_boost_loss loss;
    smerf_pair_features pair_features;
    smerf_boost_base base;
    size_t pairs_a_round; /* no more pairs than these are learned from at a time; others are drawn as rounds go on */
} smerf_boost_options;

typedef struct smerf_options {
    size_t size;
    smerf_method method;
    smerf_splits splits;     /* one feature a split, or a sparse sum of features */
    uint64_t seed;           /* 0 ... 2^63 - 1 */
    size_t first_tree;       /* the number of the first tree: parts of a forest can be grown apart and merged */
    size_t n_trees;          /* how many trees are grown from there */
    size_t candidates;       /* directions tried at each node (the paper's d), or one of the three words above */
    double candidates_power; /* if > 0: ceil(p ^ this) candidates, whatever the field above says */
    double density;          /* oblique: fraction of non-zeros in the projections; 0 means 3/p, or 1/p if p < 10 */
    size_t min_parent;       /* the smallest node that is split, in draws; at least 2 */
    size_t max_depth;        /* the root has depth 0 */
    double sample_fraction;  /* subsample: ceil(fraction * n) items without replacement, 0 < fraction <= 1 */
    smerf_sample sample;     /* what each tree is grown on */
    smerf_oob_rule oob_rule; /* kept in the model; a request may override it */
    double self_value;       /* for SMERF_SELF_VALUE */
    smerf_self self_distance;
    size_t complete; /* pairs: fill missing ones by completion of this rank before growing, or a word above */
    size_t rank;     /* distances, graphs, products: grow on the leading part of this rank; 0: on all of it */
    const smerf_baseline_options *baselines; /* NULL: as smerf_baseline_options_default has them */
    const smerf_boost_options *boost;        /* NULL: as smerf_boost_options_default has them */
    double
        shrink; /* predicted distances are drawn towards the mean m of the known ones, m + shrink (z - m): in (0, 1], or a word
                      above. Auto draws only where the forest has learned more noise than that is worth, which out-of-bag pairs
                      tell (docs/defaults.md) */
} smerf_options;

/* Fill in all fields, the size among them: 500 trees, axis splits, automatic candidates, self-distances and shrinkage, bootstrap, seed 1; and
 * 60000 pairs, 50 factors, 1500 + 1500 iterations, 2 chains; and up to 1000 rounds at a rate of 0.1, 31 leaves of 20 pairs, 10 bags,
 * 2,000,000 pairs a round.   size  sizeof the struct, as the program was compiled */
SMERF_API void smerf_options_fill(smerf_options *options, size_t size);
SMERF_API void smerf_baseline_options_fill(smerf_baseline_options *options, size_t size);
SMERF_API void smerf_boost_options_fill(smerf_boost_options *options, size_t size);

static inline void smerf_options_default(smerf_options *options) { smerf_options_fill(options, sizeof *options); }
static inline void smerf_baseline_options_default(smerf_baseline_options *options) {
    smerf_baseline_options_fill(options, sizeof *options);
}
static inline void smerf_boost_options_default(smerf_boost_options *options) {
    smerf_boost_options_fill(options, sizeof *options);
}

/* The paper's forest, whatever the kind of target: as smerf_options_default, but with SMERF_CANDIDATES_PAPER, self-distances as
 * given, and nothing drawn towards the mean. (It tunes the candidates, and min_parent: see smerf_tune.) */
static inline void smerf_options_paper(smerf_options *options) {
    smerf_options_default(options);
    options->candidates = SMERF_CANDIDATES_PAPER;
    options->self_distance = SMERF_SELF_GIVEN;
    options->shrink = SMERF_SHRINK_OFF;
}

/* "smerf", "euclidean", "mahalanobis", "bilinear", "rfd", "plugin", "epm", "narm", "mean", "standardized", "gower",
 * "boost". */
SMERF_API const char *smerf_method_name(smerf_method method);

/* Whether it learns something of single pairs, so that it predicts those of its training items better than others. Euclidean,
 * standardized and Gower distances and the mean do not. */
SMERF_API bool smerf_method_learns_pairs(smerf_method method);

/* Called now and then from the calling thread, fraction_done in [0, 1]. Return non-zero to cancel. */
typedef int (*smerf_progress)(void *context, double fraction_done);

typedef enum smerf_kernels { SMERF_KERNELS_AUTO, SMERF_KERNELS_PLAIN } smerf_kernels;

typedef struct smerf_run {
    size_t size;
    size_t n_threads;        /* 0: as many as there are cores */
    smerf_kernels kernels;   /* plain: the portable loops; the same bits, more slowly */
    smerf_progress progress; /* or NULL */
    void *context;           /* handed to progress */
} smerf_run;                 /* a NULL run is fine everywhere */

/* ---- 5  Fit ----------------------------------------------------------------------------------------------
 * Grows a forest, or learns by another method. A forest holds a reference to the target, and no model holds anything of
 * the items but names and hashes. */

typedef struct smerf_model smerf_model;

SMERF_API smerf_status smerf_fit(const smerf_items *items, smerf_target *target, const smerf_options *options,
                                 const smerf_run *run, smerf_model **out, smerf_error *error);
SMERF_API void smerf_model_free(smerf_model *model);

/* What a fit will cost, from here to the model in a file. */
typedef struct smerf_estimate {
    size_t size;
    double seconds;       /* NaN: not known */
    double bytes;         /* of memory at most, the items and the target included; NaN: not known */
    double model_bytes;   /* in a file; likewise */
    size_t n_trees_tried; /* found by growing so many trees */
    size_t n_items_tried; /* on so many of the items; 0: nothing was tried, and nothing is known */
} smerf_estimate;

/* Grows a few trees and tells what all of them will take: within a second, or a twentieth of the time that it tells of.
 * On too many items for that it grows them on fewer. Memory is counted, and the same each time; time is measured, so that it
 * is as good as the machine is quiet. Refuses what smerf_fit refuses. Only forests are known; run's progress may cancel. */
SMERF_API smerf_status smerf_fit_estimate(const smerf_items *items, smerf_target *target, const smerf_options *options,
                                          const smerf_run *run, smerf_estimate *estimate, smerf_error *error);

/* ---- 6  Predict ------------------------------------------------------------------------------------------
 * A request names the items between which distances are wanted. Features are matched by name; further columns
 * do no harm; a category that training never saw counts as missing. Out of bag, the rows must be training items
 * (known by id and by their features) and columns must be NULL; a pair without an eligible tree is NaN. */

typedef struct smerf_request {
    size_t size;
    const smerf_items *rows;
    const smerf_items *columns; /* NULL: the rows again */
    bool out_of_bag;
    smerf_oob_rule oob_rule; /* 0, SMERF_OOB_AS_FITTED: as the model says */
    size_t n_trees;          /* only the first so many trees of the forest are used, no more than it has; 0: all */
} smerf_request;

/* Takes one row of distances, rows in order, always on the calling thread. Return non-zero to cancel. */
typedef int (*smerf_row_sink)(void *context, size_t row, const double *distances, size_t n_columns);

/* All distances, a row at a time: memory for a few rows, never for the matrix. */
SMERF_API smerf_status smerf_predict_rows(const smerf_model *model, const smerf_request *request, const smerf_run *run,
                                          smerf_row_sink sink, void *context, smerf_error *error);

typedef struct smerf_pair_result {
    size_t size;
    double *distance; /* [n], the caller's */
    double *spread;   /* [n], the caller's, or NULL: standard deviation over the trees */
} smerf_pair_result;

/* Distances of the listed pairs only: of row left[k] and column right[k] of the request. */
SMERF_API smerf_status smerf_predict_pairs(const smerf_model *model, const smerf_request *request,
                                           const smerf_pair_list *pairs, const smerf_run *run,
                                           const smerf_pair_result *result, smerf_error *error);

/* The label or the response itself, of a forest fitted on such a target: the fraction of each class, or each column, one
 * row an item. Out of bag, an item that every tree has seen is NaN.
 *   values  [n_rows][smerf_model_n_values], the caller's */
SMERF_API smerf_status smerf_predict_values(const smerf_model *model, const smerf_request *request,
                                            const smerf_run *run, double *values, smerf_error *error);

/* The leaf of every tree that an item comes to, of a forest: leaf indices as in smerf_tree_view.
 *   leaves  [n_items][n_trees], the caller's */
SMERF_API smerf_status smerf_predict_leaves(const smerf_model *model, const smerf_items *items, const smerf_run *run,
                                            uint32_t *leaves, smerf_error *error);

/* Makes a forest's trees ready once, for all requests that follow: a request about a few items then takes microseconds, where
 * it would read all members of all leaves. The same bits as before. The model keeps what is made, in up to 512 MB; a forest that
 * would take more, and another method, are left as they are. Nothing happens the second time. It is the one call that changes a
 * model, and other threads may use the model meanwhile. */
SMERF_API smerf_status smerf_model_prepare(smerf_model *model, const smerf_run *run, smerf_error *error);

/* How many classes or columns, and what they are called (classes in bytewise order); 0 for other targets. */
SMERF_API size_t smerf_model_n_values(const smerf_model *model);
SMERF_API const char *smerf_model_value_name(const smerf_model *model, size_t value);

/* ---- 7  Neighbours ---------------------------------------------------------------------------------------
 * The nearest items of a catalogue, at the distances that section 6 predicts, in memory that does not grow with the number of
 * pairs. A pair whose distance is not known (NaN) is left out. */

typedef struct smerf_neighborhood {
    size_t size;
    const smerf_items *items;   /* the catalogue */
    const smerf_items *queries; /* whose neighbours are wanted; NULL: the items', none of which is its own neighbour */
    size_t k;                   /* how many neighbours, if there are so many; 0: all within the radius */
    bool has_radius;            /* only those at a distance <= radius */
    bool out_of_bag;            /* at out-of-bag distances: the items are the training items, and queries is NULL */
    smerf_oob_rule oob_rule;
    double radius;
} smerf_neighborhood;

/* Frozen: an element of an array. */
typedef struct smerf_neighbor {
    size_t item; /* a row of the catalogue */
    double distance;
} smerf_neighbor;

/* Takes the neighbours of one query from near to far, equal distances in the order of the items; queries in order, always
 * on the calling thread. Return non-zero to cancel. */
typedef int (*smerf_neighbor_sink)(void *context, size_t query, const smerf_neighbor *neighbors, size_t n);

SMERF_API smerf_status smerf_neighbors(const smerf_model *model, const smerf_neighborhood *neighborhood,
                                       const smerf_run *run, smerf_neighbor_sink sink, void *context,
                                       smerf_error *error);

/* A catalogue that is kept, of a forest: what is left of an item is its leaf in every tree, and searching does not send the items
 * down the trees again. It finds the neighbours that smerf_neighbors finds, at the same distances to the last bit.
 *
 * Memory: 4 bytes for an item and tree; 1 byte for labels where all leaves are pure, as in fully grown trees. The items themselves
 * are not kept, but their ids are. Any number of threads may search an index at the same time, while none adds to it. */
typedef struct smerf_index smerf_index;

/*   model  must outlive the index; one that has been prepared (smerf_model_prepare) is not made ready a second time
 *   items  no more than 2^32 - 2 */
SMERF_API smerf_status smerf_index_new(const smerf_model *model, const smerf_items *items, const smerf_run *run,
                                       smerf_index **out, smerf_error *error);

/* More items, which come after those that are there: the same index as if all had been given at once. Ids must be different from
 * those that are there; all items have ids, or none has. On failure the index is as it was. */
SMERF_API smerf_status smerf_index_add(smerf_index *index, const smerf_items *items, const smerf_run *run,
                                       smerf_error *error);
SMERF_API void smerf_index_free(smerf_index *index);
SMERF_API size_t smerf_index_count(const smerf_index *index);

/* What an item is called, and what ids are called; NULL: items are called by their row. They live until items are added. */
SMERF_API const char *smerf_index_id(const smerf_index *index, size_t item);
SMERF_API const char *smerf_index_id_column(const smerf_index *index);

/*   neighborhood  its items are NULL: they are those of the index; its queries are not, and it is not out of bag */
SMERF_API smerf_status smerf_index_query(const smerf_index *index, const smerf_neighborhood *neighborhood,
                                         const smerf_run *run, smerf_neighbor_sink sink, void *context,
                                         smerf_error *error);

/* A file of its own, written as smerf_model_save writes. It belongs to one model, and is refused with another: the same trees,
 * target and features, whatever file they were loaded from. */
SMERF_API smerf_status smerf_index_save(const smerf_index *index, const char *path, smerf_error *error);
SMERF_API smerf_status smerf_index_load(const char *path, const smerf_model *model, smerf_index **out,
                                        smerf_error *error);

/* What is known of the items of a catalogue, for their neighbours to be guessed from: labels, or a number. Frozen: a view of arrays. */
typedef struct smerf_known_values {
    size_t n_classes;      /* 0: numbers */
    const uint32_t *codes; /* labels: [items] below n_classes */
    const double *values;  /* numbers: [items] finite */
} smerf_known_values;

/* k nearest neighbours: the fraction that each class has among the neighbours of a query, or the mean of their numbers. NaN for a
 * query without neighbours. Without queries an item has no vote on itself: leave one out.
 *   values  [n_queries][n_classes or 1], the caller's
 *   winner  [n_queries] or NULL, labels only: the class with the largest fraction, of several the one whose first neighbour is
 *           nearest; SMERF_MISSING without neighbours */
SMERF_API smerf_status smerf_vote(const smerf_model *model, const smerf_neighborhood *neighborhood,
                                  const smerf_known_values *known, const smerf_run *run, double *values,
                                  uint32_t *winner, smerf_error *error);

/* ---- 8  Evaluate -----------------------------------------------------------------------------------------
 * Scores of predicted against true distances. A score that the data cannot give is NaN. */

typedef enum smerf_metric { SMERF_RMSE, SMERF_SPEARMAN, SMERF_MAP10, SMERF_AUC_ROC, SMERF_AUC_PR } smerf_metric;

#define SMERF_N_METRICS 5
#define SMERF_HAS(metric) (1u << (metric))

/* Ten partners are relevant to map@10: where an item has fewer than these, on average, any order scores high. */
#define SMERF_FEWEST_PARTNERS 20

typedef struct smerf_scores {
    size_t size;
    size_t n_pairs;                /* the pairs that counted */
    unsigned metrics;              /* those that were requested, as a sum of SMERF_HAS(metric) */
    double value[SMERF_N_METRICS]; /* by smerf_metric; NaN where not requested, or where the data cannot say */

    /* What a guess that knows no pair from another would have: of RMSE the mean of the true distances that counted, which is the
     * best of all guesses; of map@10 and those below a random order, in expectation; of AUC-PR the fraction of links. */
    double by_chance[SMERF_N_METRICS];
    double variance_explained; /* with RMSE: 1 - (RMSE / that of the mean)^2; NaN where all true distances are equal */
    size_t n_unknown;          /* pairs that did not count: the truth does not know them, */
    size_t n_unpredicted;      /* or it does, and they have no prediction (never out of bag) */
    double mean_partners;      /* pairs of an item that counted, over the items that have any */

    /* Over the items that have more than k partners. Recall: the fraction of the k truly nearest that are among the k
     * nearest by prediction. nDCG: of these the first is worth k, the next k - 1, ...; sum of worth / log2(1 + rank) over
     * the k nearest by prediction, divided by the largest there is. Ties by item order. */
    size_t n_nearest; /* in: k; 0: neither is computed */
    double recall, recall_by_chance, ndcg, ndcg_by_chance;
} smerf_scores;

/* "rmse", "spearman", "map@10", "auc-roc", "auc-pr". */
SMERF_API const char *smerf_metric_name(smerf_metric metric);

/* Whether more is better. */
SMERF_API bool smerf_metric_rises(smerf_metric metric);

/* The metrics a target has a notion of, as a sum of SMERF_HAS(metric). */
SMERF_API unsigned smerf_target_metrics(const smerf_target *truth);

/*   truth    over the request's rows and columns; NULL out of bag: what the model was trained on
 *   metrics  a sum of SMERF_HAS(metric); 0: all that the truth has */
SMERF_API smerf_status smerf_evaluate(const smerf_model *model, const smerf_request *request, const smerf_target *truth,
                                      unsigned metrics, const smerf_run *run, smerf_scores *scores, smerf_error *error);

/* The same scores for distances from elsewhere.
 *   predicted  [n_rows][n_columns] as in truth; NaN: no prediction, left out */
SMERF_API smerf_status smerf_score(const double *predicted, const smerf_target *truth, unsigned metrics,
                                   smerf_scores *scores, smerf_error *error);

/* How often two distances are in the order that a triplet says; weights count. */
typedef struct smerf_triplet_scores {
    size_t size;
    size_t n_comparisons; /* different ones that counted: both of their distances are predicted */
    size_t n_unpredicted; /* those that did not (never out of bag) */
    size_t n_ties;        /* of those that counted: both distances are the same */
    double
        in_order; /* the fraction in the right order, by weight; a tie is half right. 0.5 by chance. NaN: none counted */
    double standard_error; /* of that, as if comparisons were drawn one by one; NaN with fewer than two */
    double
        log_loss; /* mean of log(1 + exp(-(d(anchor, far) - d(anchor, near)))), log 2 by chance; NaN: the distances are no
                        log-odds, see smerf_description */
} smerf_triplet_scores;

/*   request  without columns
 *   truth    of triplets, over the request's rows */
SMERF_API smerf_status smerf_evaluate_triplets(const smerf_model *model, const smerf_request *request,
                                               const smerf_target *truth, const smerf_run *run,
                                               smerf_triplet_scores *scores, smerf_error *error);

/* Ratings of pairs by several judges, at most one of a judge and a pair. The distance of a pair is the mean of its ratings. */
typedef struct smerf_ratings {
    size_t size;
    smerf_pair_list pairs; /* value is a rating, weight what it weighs in the mean */
    const uint32_t *judge; /* [pairs.n] from 0 */
    size_t n_judges, n_items;
    size_t n_rows; /* the first items, over which correlations are averaged; 0: all of them */
} smerf_ratings;

/* How well means of ratings can be predicted at best. Judges differ, so that a mean is not what all judges of the world would
 * say: a prediction of the latter would have the scores below. docs/targets.md has the formulas. NaN: the ratings do not
 * say, as no pair has two of them. */
typedef struct smerf_ceiling {
    size_t size;
    size_t n_pairs;                    /* different pairs of two items */
    size_t fewest_judges, most_judges; /* of a pair */
    double rmse;                       /* root of the mean variance of a pair's mean */
    double spearman;                   /* root of: */
    double reliability; /* split-half, by Spearman and Brown, of the rank correlations of SMERF_SPEARMAN */
} smerf_ceiling;

SMERF_API smerf_status smerf_ratings_ceiling(const smerf_ratings *ratings, smerf_ceiling *ceiling, smerf_error *error);

/* Correlation of predicted and true distances over all pairs at once, each counted once, where smerf_evaluate's Spearman is a mean
 * over items; and Mantel's test of it: the probability that it would be as high if the items of the truth were dealt out at
 * random, estimated by permuting them: (1 + permutations that correlate as well) / (1 + permutations). The same for any number of
 * threads. Of more items than most_items so many are drawn at random, of rows and columns each. */
typedef struct smerf_correlation {
    size_t size;
    size_t n_permutations;             /* in: 0: no test. Not with columns */
    size_t most_items;                 /* in: 0: 4000 */
    uint64_t seed;                     /* in: of the draw, and of the permutations */
    size_t n_rows, n_columns, n_pairs; /* the items that were drawn, and their pairs that counted */
    double pearson, spearman;          /* NaN: fewer than three pairs, or one of both distances does not vary */
    double p_pearson, p_spearman; /* NaN: not requested, no correlation, or not every pair is known and predicted */
} smerf_correlation;

/*   truth  as in smerf_evaluate */
SMERF_API smerf_status smerf_correlate(const smerf_model *model, const smerf_request *request,
                                       const smerf_target *truth, const smerf_run *run, smerf_correlation *result,
                                       smerf_error *error);

/* How well the label or the response itself is predicted (smerf_predict_values), of a forest fitted on such a target. The
 * predicted label is the class with the largest fraction, the first on a tie. A guess by chance knows the labels of the items that
 * are scored, but not whose they are. Scores are NaN where the target has no notion of them, or no item is scored.
 *   confusion  in: NULL, or the caller's [n_classes + 1][n_classes], by smerf_model_value_name: how many items of each label
 *              are predicted to have which; the last row is for labels that the model does not know */
typedef struct smerf_value_scores {
    size_t size;
    size_t *confusion;         /* of labels */
    size_t n_items;            /* that were scored */
    size_t n_unpredicted;      /* that were not: out of bag, every tree has seen them */
    double accuracy;           /* labels: the fraction that is predicted right */
    double accuracy_by_chance; /* guessing the commonest label */
    double log_loss;           /* labels: mean of -ln of the fraction of the true class, or of 2^-52 if that is less */
    double log_loss_by_chance; /* guessing the fractions of the labels */
    double r_squared;          /* a response: 1 - squared errors / squared deviations from the mean, averaged over the
                                  columns; NaN where a column does not vary */
} smerf_value_scores;

/*   truth  labels or a response over the request's rows; NULL out of bag: what the model was trained on. Classes are matched by
 *          their names, columns of a response by their order */
SMERF_API smerf_status smerf_evaluate_values(const smerf_model *model, const smerf_request *request,
                                             const smerf_target *truth, const smerf_run *run,
                                             smerf_value_scores *scores, smerf_error *error);

/* ---- 9  Importance ---------------------------------------------------------------------------------------*/

/* Sum of the gains of all splits made on each feature, divided by the largest sum if that is positive.
 *   importance [n_features] */
SMERF_API smerf_status smerf_importance_gain(const smerf_model *model, double *importance, smerf_error *error);

/* Gains flatter a category of many levels: the order of its levels is fitted to the training items, so that it gains by noise
 * alone, the more the fewer items a level has. Which importances are overstated: of categories of 16 levels or more, with
 * less than 50 training items for each, that have a tenth of the largest importance or more. smerf_importance_permutation, out
 * of bag, has no such bias.
 *   importance   [n_features] from smerf_importance_gain
 *   is_overstated  [n_features] */
SMERF_API void smerf_importance_overstated(const smerf_model *model, const double *importance, bool *is_overstated);

/* How much the squared error of out-of-bag pairs grows when one feature is shuffled among the out-of-bag items of
 * a tree: mean over the trees, and the standard error of that mean.
 *   items       the training items
 *   truth       NULL: what the model was trained on
 *   importance, standard_error  [n_features] */
SMERF_API smerf_status smerf_importance_permutation(const smerf_model *model, const smerf_items *items,
                                                    const smerf_target *truth, const smerf_run *run, double *importance,
                                                    double *standard_error, smerf_error *error);

/* What two features do together: how much more the squared error grows when both are shuffled (each in its own way) than
 * when one and the other are, added up. Mean over the trees, and the standard error of that mean. Shuffles are those of
 * smerf_importance_permutation.
 *   interaction, standard_error  [n_features][n_features] symmetric, the diagonal 0 */
typedef struct smerf_interactions {
    size_t size;
    const smerf_items *items;  /* the training items */
    const smerf_target *truth; /* NULL: what the model was trained on */
    const uint32_t *features;  /* [n_features] different indices of features, at least two */
    size_t n_features;
} smerf_interactions;

SMERF_API smerf_status smerf_importance_interaction(const smerf_model *model, const smerf_interactions *wanted,
                                                    const smerf_run *run, double *interaction, double *standard_error,
                                                    smerf_error *error);

/* ---- 10  Explain -----------------------------------------------------------------------------------------
 * An account of predicted distances, of a forest: a baseline (the mean distance at the root) and the contribution of each
 * feature on the way from there to the prediction. In every tree both items go from the root to their leaves; at each split on
 * the way the mean distance between the two current nodes changes, and that change belongs to the split's feature (in equal
 * parts to the features of a sum). First one item goes all the way and then the other; both orders are averaged, and then the
 * trees. Trees for which a pair is undefined count neither here nor in the prediction; if it is in all, all is baseline
 * (docs/explain.md has all the rules). Out of bag, a pair without an eligible tree is NaN. */

typedef struct smerf_explanation {
    size_t size;
    double *baseline;      /* [n_pairs], the caller's */
    double *contributions; /* [n_pairs][n_features], the caller's: baseline + contributions is the predicted distance */
    double *distance;      /* [n_pairs], the caller's, or NULL: what smerf_predict_pairs gives */
} smerf_explanation;

SMERF_API smerf_status smerf_explain_pairs(const smerf_model *model, const smerf_request *request,
                                           const smerf_pair_list *pairs, const smerf_run *run,
                                           const smerf_explanation *result, smerf_error *error);

/* What parts some items from the rest: for each feature its mean contribution to the distances of an item to its k nearest
 * among the rows, and to all other rows. A feature that contributes much more for the others is one that separates. */
typedef struct smerf_item_request {
    size_t size;
    const smerf_items *rows;
    const uint32_t *items; /* [n_items] rows of those that are explained */
    size_t n_items;
    size_t k;
} smerf_item_request;

/*   near, all  [n_items][n_features], the caller's: mean contributions for the neighbours, and for all others */
SMERF_API smerf_status smerf_explain_items(const smerf_model *model, const smerf_item_request *request,
                                           const smerf_run *run, double *near, double *all, smerf_error *error);

/* ---- 11  Clusters ----------------------------------------------------------------------------------------
 * Groups of items by the model's distance. A forest puts items that it has learned from nearer to their own kind than new ones,
 * and their silhouettes are too good; out of bag they are not. A pair whose distance is not known is refused. */

typedef enum smerf_clusters_by {
    SMERF_MEDOIDS, /* k-medoids by FasterPAM: needs the matrix of distances, as float32 */
    SMERF_MEANS    /* k-means in the forest's Euclidean view (section 12), in memory that grows with the items */
} smerf_clusters_by;

typedef struct smerf_clustering {
    size_t size;
    size_t k; /* 0: 2 ... most_k are tried, and that with the largest mean silhouette is kept, the smallest on a tie */
    size_t most_k; /* 0: 20, or n - 1 if that is less */
    smerf_clusters_by by;
    uint64_t seed;
    bool out_of_bag; /* at out-of-bag distances: the items are the training items, and it is by medoids */
    smerf_oob_rule oob_rule;
} smerf_clustering;

typedef struct smerf_clusters {
    size_t size;

    /* The caller's arrays. */
    uint32_t *cluster; /* [n_items] 0 ... k - 1, numbered in the order of their first items */
    uint32_t *
        medoid; /* [n_items] the row of the item that represents each item's cluster: the medoid, or the item nearest to
                           the centre */
    double *
        silhouette; /* [n_items] or NULL; 0 in a cluster of one. By means: the simplified one, from distances to the centres */
    double *tried; /* [n_items] or NULL: tried[k] is the mean silhouette with k clusters where k was chosen, else NaN */

    /* What the call fills in. */
    size_t k;
    double cost; /* the sum of the items' distances to their medoids (a medoid is at 0), or to their centres squared */
    double mean_silhouette; /* NaN with one cluster */
} smerf_clusters;

SMERF_API smerf_status smerf_cluster(const smerf_model *model, const smerf_items *items,
                                     const smerf_clustering *clustering, const smerf_run *run, smerf_clusters *result,
                                     smerf_error *error);

/* The same by medoids for a matrix of one's own.
 *   z  [n_items][n_items] symmetric, finite; its diagonal is taken to be 0 */
SMERF_API smerf_status smerf_cluster_distances(const float *z, size_t n_items, const smerf_clustering *clustering,
                                               const smerf_run *run, smerf_clusters *result, smerf_error *error);

/* ---- 12  Maps --------------------------------------------------------------------------------------------*/

#define SMERF_MOST_LANDMARKS ((size_t)5000)

typedef struct smerf_map_options {
    size_t size;
    size_t n_dimensions;
    size_t
        n_landmarks; /* 0: all items, if these are SMERF_MOST_LANDMARKS at most, else so many of them; drawn by the seed */
    uint64_t seed;
    bool out_of_bag; /* of out-of-bag distances: the items are the training items, and all their pairs are predicted */
    smerf_oob_rule oob_rule;
} smerf_map_options;

typedef struct smerf_map {
    size_t size;

    /* The caller's arrays. */
    double *coordinates; /* [n_items][n_dimensions] */
    double *eigenvalues; /* [n_dimensions] or NULL */

    /* What the call fills in. */
    size_t n_landmarks;         /* n_items: all items were scaled together */
    double eigenvalue_fraction; /* the D largest eigenvalues, of the sum of all |eigenvalues|; NaN: not all are known */
    double stress; /* Kruskal's stress-1 over the landmarks' pairs: the root of the sum of (distance on the map -
                               predicted)^2 over that of predicted^2; NaN where all of these are 0 */
} smerf_map;

/* Classical multidimensional scaling: coordinates whose Euclidean distances come near the predicted ones (an item is at 0
 * from itself, and so are two whose predicted distance is negative). With more items than landmarks, the landmarks are scaled
 * and the others located by their distances to them (de Silva and Tenenbaum). Axes stand in the order of their eigenvalues; the
 * sign of each is such that the coordinate largest in size is positive. An axis whose eigenvalue is not positive is 0. A pair
 * whose distance is not known is refused. */
SMERF_API smerf_status smerf_embed(const smerf_model *model, const smerf_items *items, const smerf_map_options *options,
                                   const smerf_run *run, smerf_map *map, smerf_error *error);

/* The Euclidean view: items as vectors such that the squared Euclidean distance of a query's vector and a catalogue item's is the
 * predicted distance plus a number that depends on the query alone, so that any search engine finds the forest's neighbours.
 * For labels, responses, products and forms of low rank without negative eigenvalues; others are refused. It is exact for
 * pairs in different leaves (docs/maps.md).
 * How long the vectors are, the catalogue's last coordinate included, which is 0 for queries. 0: there is no such view. */
SMERF_API size_t smerf_vectors_size(const smerf_model *model);

/* Takes the vector of one item, items in order, on the calling thread. Return non-zero to cancel. */
typedef int (*smerf_vector_sink)(void *context, size_t item, const float *vector, size_t size);

typedef struct smerf_vector_result {
    size_t size;
    smerf_vector_sink sink;
    void *context; /* handed to the sink */
    double
        *term; /* [n_items] or NULL, the caller's: what is to be added to the squared distance of two query vectors for
                      each of the two */
} smerf_vector_result;

/*   is_query  the last coordinate is 0; else it holds the item's own term */
SMERF_API smerf_status smerf_vectors(const smerf_model *model, const smerf_items *items, bool is_query,
                                     const smerf_run *run, const smerf_vector_result *result, smerf_error *error);

/* ---- 13  Models ------------------------------------------------------------------------------------------*/

/* Written under a temporary name, synced and renamed: a crash leaves the old file or the new one. */
SMERF_API smerf_status smerf_model_save(const smerf_model *model, const char *path, smerf_error *error);
SMERF_API smerf_status smerf_model_load(const char *path, smerf_model **out, smerf_error *error);

/* The same with a text that the program wants to find in the file again, such as what it has made of the model since; it changes
 * nothing of the model. smerf_model_save writes the note that a model was loaded with; a merged model has none.
 *   note    UTF-8; NULL: none */
SMERF_API smerf_status smerf_model_save_noted(const smerf_model *model, const char *path, const char *note,
                                              smerf_error *error);
SMERF_API const char *smerf_model_note(const smerf_model *model); /* that it was loaded with, the model's; or NULL */

/* Joins parts of one forest (same data, options and seed), in the order of their tree numbers. */
SMERF_API smerf_status smerf_model_merge(const smerf_model *const *parts, size_t n_parts, smerf_model **out,
                                         smerf_error *error);

typedef struct smerf_description {
    size_t size;
    const char *method; /* "smerf", or see smerf_method_name */
    const char *target; /* "distances", "labels", "response", "product", "absolute", "graph", "pairs", "observed": a
                               graph of which some pairs are known, or "triplets" */
    size_t n_target_columns;
    const char *const *target_columns; /* the columns that the target was taken from */
    double rank_fraction; /* with a rank: what was kept of the sum of |eigenvalues|; NaN: they are not all known */
    double rank_fraction_of_squares; /* and of the sum of their squares, which always is */
    bool from_similarities;          /* z = largest_similarity - q; of a graph: 1 - weight / largest_similarity */
    double largest_similarity;       /* (a graph without it: 1 - weight) */
    size_t n_items, n_features, n_nodes, n_leaves;
    const smerf_options *options; /* with every automatic choice spelled out, and with baselines */
    const char *id_column;        /* NULL: items are called by their row */
    const char *weight_column;    /* NULL: items are not weighed */
    size_t n_ignored;
    const char *const *ignored;
    double
        shrinkage; /* predicted distances are mean_distance + shrinkage (what the trees say - mean_distance); 1: not drawn */
    double mean_distance; /* of the known training pairs, by weight; NaN where options->shrink is off */
    double
        shrinkage_slope; /* where it is automatic, of true on predicted out-of-bag distances: shrinkage is that, but 0.02 at
                               least, if it is below 0.75, and below 1 by more than half of */
    double shrinkage_error; /* its standard error. NaN: too few pairs are out of bag, or all are alike */
    size_t
        are_log_odds; /* 1: learned from triplets: that i is nearer to an anchor than j has the log-odds d(anchor, j) - d(anchor, i) */
} smerf_description;

/* Strings, arrays and options live as long as the model. */
SMERF_API smerf_status smerf_model_describe(const smerf_model *model, smerf_description *description,
                                            smerf_error *error);

/* The scale of the similarities q that a model's distances were taken from, z = largest - q, or of the weights of a graph's edges,
 * z = 1 - weight / factor. Frozen. */
typedef struct smerf_scale {
    double largest, factor; /* of similarities: factor is 1; of edges: largest is 1 */
} smerf_scale;

/* False: it learned from neither, and *scale is left as it was. */
SMERF_API bool smerf_model_scale(const smerf_model *model, smerf_scale *scale);

/* A distance on that scale. */
static inline double smerf_similarity(const smerf_scale *scale, double distance) {
    return scale->factor * (scale->largest - distance);
}

/* What a forest was trained on, over its training items, to look at; lives as long as the model. NULL: it is no forest, or keeps
 * only a low-rank form. */
SMERF_API const smerf_target *smerf_model_target(const smerf_model *model);

/* Whether pairs of training items can be predicted out of bag: a forest unless every tree has seen every item, other methods if they
 * have learned in bags. */
SMERF_API bool smerf_model_has_out_of_bag(const smerf_model *model);

/* Which training items these are, known by id (by row without ids) and by their features.
 *   rows  [n_items] rows of the training items; SMERF_MISSING: none of them */
SMERF_API smerf_status smerf_model_training_rows(const smerf_model *model, const smerf_items *items, uint32_t *rows,
                                                 smerf_error *error);

/* Numbers that a method other than the forest tells of what it has learned, such as "kkt residual". */
SMERF_API size_t smerf_model_n_diagnostics(const smerf_model *model);
SMERF_API const char *smerf_model_diagnostic(const smerf_model *model, size_t diagnostic, double *value);

/* Feature f as training knew it: values and codes are NULL, levels are in bytewise order. */
SMERF_API void smerf_model_feature(const smerf_model *model, size_t feature, smerf_column *column);

/* W of mahalanobis and bilinear (section 4) as F^T F. It multiplies columns: a number is one, a category one for each level, in
 * the order of the features and their levels; a missing value stands for the mean of its column. A distance is intercept +
 * (x - y)^T W (x - y), or intercept - x^T W y, and there x and y are less the means if an intercept was learned. Arrays live as long
 * as the model. */
typedef struct smerf_linear {
    size_t size;
    size_t n_components, n_columns; /* components: the rank of W */
    const double *components;       /* [n_components][n_columns] F */
    const double *means;            /* [n_columns] */
    const size_t *first_column;     /* [n_features + 1]: of each feature, and the end of the last */
    double intercept;               /* 0, or of bilinear 1, if none was learned */
} smerf_linear;

SMERF_API smerf_status smerf_model_linear(const smerf_model *model, smerf_linear *linear, smerf_error *error);

/* W itself, symmetric to the last bit.
 *   w  [n_columns][n_columns], the caller's */
SMERF_API smerf_status smerf_model_linear_matrix(const smerf_model *model, double *w, smerf_error *error);

/* One tree, of a forest. Nodes stand in preorder: node 0 is the root, and the left child of inner node k is k + 1. A tree with
 * n leaves has n - 1 splits. Lives as long as the model. */
typedef struct smerf_tree_view {
    size_t size;
    size_t n_nodes, n_splits, n_leaves;
    const bool *is_leaf;          /* [n_nodes] */
    const uint32_t *index;        /* [n_nodes] of the node's split, or of its leaf; both from 0 in preorder */
    const uint32_t *right;        /* [n_splits] the right child */
    const double *threshold;      /* [n_splits] x <= threshold goes left */
    const double *gain;           /* [n_splits] Eq. (1) */
    const bool *missing_left;     /* [n_splits] where a missing value goes */
    const bool *is_category;      /* [n_splits] a set of levels goes left, instead of x <= threshold */
    const uint32_t *first_term;   /* [n_splits + 1] x is the sum of the terms first_term[s] ... first_term[s + 1] - 1 */
    const uint32_t *term_feature; /* one feature */
    const int8_t *term_weight;    /* times +1 or -1 */
    const uint32_t *term_level;   /* the level whose indicator enters, SMERF_MISSING for a number; NULL: all numbers */
    const uint32_t *first_left;   /* [n_splits + 1] the levels that go left, ascending; NULL: no split by category */
    const uint32_t *left_level; /* a list that starts with SMERF_MISSING has those that go right: all others go left */
    const uint32_t *first_member; /* [n_leaves + 1] */
    const uint32_t *member_item;  /* rows of the training items */
    const uint32_t *member_draws; /* how often each was drawn */
} smerf_tree_view;

/*   tree  from 0, whatever number the model's first tree has */
SMERF_API smerf_status smerf_model_tree(const smerf_model *model, size_t tree, smerf_tree_view *view,
                                        smerf_error *error);

/* Draws times item weights in every node of one tree.
 *   weights  [n_nodes], the caller's */
SMERF_API void smerf_model_node_weights(const smerf_model *model, size_t tree, double *weights);

#ifdef __cplusplus
}
#endif
#endif
