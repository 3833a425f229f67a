/* rfd.c - "rfd", random forest distance (Xiong, Johnson, Xu & Corso 2012): a regression forest on pairs of items.
 *   1. choose the pairs                                              fit/rfd_pairs.c
 *   2. describe each by its pair features                            pair_features.c
 *   3. grow our own regression forest on them: the pairs are its items, z is its response    fit/rfd_forest.c
 *   4. keep what prediction needs of it                              value_forest.c
 *   5. a distance is the mean over the trees of the mean z in the pair's leaf                rfd_walk.c
 * Links and labels are z of 0 and 1: the forest then estimates a probability. */
#include "method/pair_forest/rfd.h"

#include <float.h>

#include "base/memory.h"
#include "method/methods.h"

void sm_rfd_free(sm_learned *learned) {
    if (learned == NULL) return;
    sm_value_forest_free(&learned->forest);
    sm_free(learned);
}

/* ---- predicting ---- */

struct sm_predictor {
    const sm_value_forest *forest;
    sm_item_numbers rows, others; /* others: empty if the columns are the rows */
    const sm_item_numbers *columns;
};

static void predictor_free(sm_predictor *predictor) {
    if (predictor == NULL) return;
    sm_item_numbers_free(&predictor->rows);
    sm_item_numbers_free(&predictor->others);
    sm_free(predictor);
}

static smerf_status predictor_new(const sm_learned *learned, const sm_query_sides *sides, sm_pool *pool,
                                  sm_predictor **out, smerf_error *error) {
    (void)pool;
    sm_predictor *predictor = sm_zeros(1, sizeof *predictor);
    if (predictor == NULL) return sm_no_memory(error, "predicting");
    predictor->forest = &learned->forest;
    predictor->columns = sides->is_square ? &predictor->rows : &predictor->others;
    smerf_status status = sm_item_numbers_start(&predictor->rows, sides->rows.view, sides->features, error);
    if (status == SMERF_OK && !sides->is_square)
        status = sm_item_numbers_start(&predictor->others, sides->columns.view, sides->features, error);
    if (status == SMERF_OK)
        *out = predictor;
    else
        predictor_free(predictor);
    return status;
}

/* Tree by tree: each is in the cache while all pairs pass. */
static void predict_pairs(sm_predictor *predictor, const uint32_t *left, const uint32_t *right, size_t n,
                          double *distances) {
    const sm_value_forest *forest = predictor->forest;
    for (size_t p = 0; p < n; p++) distances[p] = 0;
    for (size_t b = 0; b < forest->n_trees; b++)
        sm_rfd_walk(&forest->trees[b], &predictor->rows, predictor->columns, left, right, n, distances);
    for (size_t p = 0; p < n; p++) distances[p] /= (double)forest->n_trees;
}

/* ---- files ---- */

static smerf_status save(const sm_learned *learned, sm_tensors *tensors, smerf_error *error) {
    return sm_value_forest_save(&learned->forest, tensors, error);
}

static smerf_status load(const sm_tensors *tensors, const sm_features *features, size_t n_items, sm_learned **out,
                         smerf_error *error) {
    (void)n_items;
    sm_features numbers = {.n = 2 * sm_item_numbers_count(features)}; /* a pair feature is a number: all zeros */
    sm_learned *learned = sm_zeros(1, sizeof *learned);
    numbers.feature = sm_zeros(numbers.n, sizeof *numbers.feature);
    smerf_status status = learned != NULL && numbers.feature != NULL ? SMERF_OK : sm_no_memory(error, "loading trees");
    if (status == SMERF_OK) status = sm_value_forest_load(&learned->forest, tensors, &numbers, 1, error);
    sm_free(numbers.feature);
    if (status == SMERF_OK)
        *out = learned;
    else
        sm_rfd_free(learned);
    return status;
}

const sm_method sm_method_rfd = {.name = "rfd",
                                 .free = sm_rfd_free,
                                 .predictor_new = predictor_new,
                                 .predictor_free = predictor_free,
                                 .predict_pairs = predict_pairs,
                                 .save = save,
                                 .load = load};

/* ---- descent of pairs ---- */

enum { ABREAST = 16 };

/* A pair on its way. */
typedef struct walker {
    const double *x, *y; /* the numbers of its items */
    uint32_t node;
    size_t pair;
} walker;

static inline walker set_off(const sm_item_numbers *rows, const sm_item_numbers *columns, const uint32_t *left,
                             const uint32_t *right, size_t pair) {
    return (walker){
        .x = sm_item_numbers_of(rows, left[pair]), .y = sm_item_numbers_of(columns, right[pair]), .pair = pair};
}

/* The sum as sm_view_project forms it, kept within the range after each addition. */
static double project_carefully(const sm_projection *projection, const double *x, const double *y) {
    double sum = 0;
    for (size_t t = 0; t < projection->n_terms; t++) {
        double value = projection->weight[t] * sm_pair_feature(x, y, projection->feature[t]);
        if (isnan(value)) return NAN;
        sum = fmax(-DBL_MAX, fmin(DBL_MAX, sum + value));
    }
    return sum;
}

static double project(const sm_value_tree *tree, size_t split, const double *x, const double *y) {
    const sm_projection projection = sm_tree_projection(&tree->long_splits, split);
    double sum = 0;
    for (size_t t = 0; t < projection.n_terms; t++)
        sum += projection.weight[t] * sm_pair_feature(x, y, projection.feature[t]);
    return isfinite(sum) ? sum : project_carefully(&projection, x, y);
}

/* Which way a node sends a pair is a toss-up, which the processor would guess wrong half the time: hence arithmetic in
 * place of branches. */
static inline uint32_t step_down(const sm_value_tree *tree, const sm_value_step *step, const walker *at) {
    uint32_t index = step->mark & SM_STEP_INDEX;
    double value =
        (step->mark & SM_STEP_IS_LONG) != 0 ? project(tree, index, at->x, at->y) : sm_pair_feature(at->x, at->y, index);
    bool is_missing = value != value, missing_left = (step->mark & SM_STEP_MISSING_LEFT) != 0;
    uint32_t mask = 0u - (uint32_t)((value <= step->threshold) | (is_missing & missing_left));
    return ((at->node + 1) & mask) | (step->right & ~mask);
}

void sm_rfd_walk(const sm_value_tree *tree, const sm_item_numbers *rows, const sm_item_numbers *columns,
                 const uint32_t *left, const uint32_t *right, size_t n, double *sums) {
    walker walkers[ABREAST];
    size_t n_walkers = 0, next = 0;
    for (; n_walkers < ABREAST && next < n; n_walkers++, next++)
        walkers[n_walkers] = set_off(rows, columns, left, right, next);
    while (n_walkers > 0)
        for (size_t w = 0; w < n_walkers; w++) {
            walker *at = &walkers[w];
            const sm_value_step *step = &tree->steps[at->node];
            if ((step->mark & SM_STEP_IS_LEAF) == 0) {
                at->node = step_down(tree, step, at);
                __builtin_prefetch(&tree->steps[at->node]); /* it comes while the others take their step */
                continue;
            }
            sums[at->pair] += step->threshold;
            *at = next < n ? set_off(rows, columns, left, right, next) : walkers[--n_walkers];
            next++;
        }
}
