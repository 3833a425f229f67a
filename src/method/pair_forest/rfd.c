/* rfd.c - "rfd", random forest distance (Xiong, Johnson, Xu & Corso 2012): a regression forest on pairs of items.
 *   1. choose the pairs                                              fit/rfd_pairs.c
 *   2. describe each by its pair features                            pair_features.c
 *   3. grow our own regression forest on them: the pairs are its items, z is its response    fit/rfd_forest.c
 *   4. keep what prediction needs of it                              value_forest.c
 *   5. a distance is the mean over the trees of the mean z in the pair's leaf                rfd_walk.c
 * Links and labels are z of 0 and 1: the forest then estimates a probability. */
#include "method/pair_forest/rfd.h"
#include "base/memory.h"
#include "method/methods.h"
#include "method/pair_forest/rfd_walk.h"

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
