/* rfd.c - "rfd", random forest distance (Xiong, Johnson, Xu & Corso 2012): a regression forest on pairs of items.
 *   1. choose the pairs                                              fit/rfd_pairs.c
 *   2. describe each by its pair features                            pair_forest.h
 *   3. grow our own regression forest on them: the pairs are its items, z is its response    fit/pair_forest_fit.c
 *   4. keep what prediction needs of it                              value_forest.c
 *   5. a distance is the mean over the trees of the mean z in the pair's leaf
 * Links and labels are z of 0 and 1: the forest then estimates a probability. */
#include "method/pair_forest/pair_forest.h"

#include <float.h>

#include "base/memory.h"
#include "method/methods.h"

/* ---- items as numbers ---- */

/* Numbers beyond this count as this: the sum or difference of two could leave the range of a double. */
static const double largest_number = DBL_MAX / 2;

/* A category without two levels keeps one indicator: that it is missing may say something. */
static size_t n_numbers_of_feature(const sm_feature *feature) {
    if (feature->kind == SMERF_NUMBER) return 1;
    return feature->levels.n > 2 ? feature->levels.n : 1;
}

size_t sm_item_numbers_count(const sm_features *features) {
    size_t n = 0;
    for (size_t f = 0; f < features->n; f++) n += n_numbers_of_feature(&features->feature[f]);
    return n;
}

/* Fills a column, or the columns of a category's levels.   to  the first item's number */
static void fill_item_numbers(sm_item_numbers *numbers, const sm_view *view, size_t f, size_t n_columns, double *to) {
    for (size_t i = 0; i < numbers->n_items; i++, to += numbers->n) {
        if (sm_are_numbers(&view->numbers[f])) {
            double value = sm_number_at(&view->numbers[f], i);
            *to = value > largest_number ? largest_number : value < -largest_number ? -largest_number : value;
            continue;
        }
        uint32_t code = view->codes[f][i];
        for (size_t level = 0; level < n_columns; level++) to[level] = code == SMERF_MISSING ? NAN : code == level;
    }
}

smerf_status sm_item_numbers_start(sm_item_numbers *numbers, const sm_view *view, const sm_features *features,
                                   smerf_error *error) {
    *numbers = (sm_item_numbers){.n_items = view->n_items, .n = sm_item_numbers_count(features)};
    double bytes = (double)numbers->n_items * (double)numbers->n * sizeof *numbers->values;
    smerf_status status = sm_check_memory(bytes, "describing the items by numbers", error);
    if (status != SMERF_OK) return status;
    numbers->values = sm_array(sm_size(numbers->n_items, numbers->n, 0), sizeof *numbers->values);
    if (numbers->values == NULL) return sm_no_memory(error, "describing the items by numbers");
    for (size_t f = 0, k = 0; f < features->n; f++) {
        size_t n_columns = n_numbers_of_feature(&features->feature[f]);
        fill_item_numbers(numbers, view, f, n_columns, numbers->values + k);
        k += n_columns;
    }
    return SMERF_OK;
}

void sm_item_numbers_free(sm_item_numbers *numbers) {
    sm_free(numbers->values);
    *numbers = (sm_item_numbers){0};
}

/* ---- descent of pairs ---- */

/* Pair features are made on the way, from the numbers of the two items: a tree looks at few of them, and all of them for all
 * pairs would not fit into the cache. */

enum { LANES = 16 };

/* A pair on its way. */
typedef struct pair_lane {
    const double *x, *y; /* the numbers of its items */
    uint32_t node;
    size_t pair;
} pair_lane;

static inline pair_lane start_pair(const sm_item_numbers *rows, const sm_item_numbers *columns, const uint32_t *left,
                                   const uint32_t *right, size_t pair) {
    return (pair_lane){
        .x = sm_item_numbers_of(rows, left[pair]), .y = sm_item_numbers_of(columns, right[pair]), .pair = pair};
}

/* The sum as sm_view_project forms it, kept within the range after each addition. */
static double project_pair_in_range(const sm_projection *projection, const double *x, const double *y) {
    double sum = 0;
    for (size_t t = 0; t < projection->n_terms; t++) {
        double value = projection->weight[t] * sm_pair_feature(x, y, projection->feature[t]);
        if (isnan(value)) return NAN;
        sum = fmax(-DBL_MAX, fmin(DBL_MAX, sum + value));
    }
    return sum;
}

static double project_pair(const sm_value_tree *tree, size_t split, const double *x, const double *y) {
    const sm_projection projection = sm_tree_projection(&tree->long_splits, split);
    double sum = 0;
    for (size_t t = 0; t < projection.n_terms; t++)
        sum += projection.weight[t] * sm_pair_feature(x, y, projection.feature[t]);
    return isfinite(sum) ? sum : project_pair_in_range(&projection, x, y);
}

/* Branch prediction would miss half the time, so the way is arithmetic. */
static inline uint32_t step_pair_down(const sm_value_tree *tree, const sm_value_step *step, const pair_lane *at) {
    uint32_t index = step->mark & SM_STEP_INDEX;
    double value = (step->mark & SM_STEP_IS_LONG) != 0 ? project_pair(tree, index, at->x, at->y)
                                                       : sm_pair_feature(at->x, at->y, index);
    bool is_missing = value != value, missing_left = (step->mark & SM_STEP_MISSING_LEFT) != 0;
    uint32_t mask = 0u - (uint32_t)((value <= step->threshold) | (is_missing & missing_left));
    return ((at->node + 1) & mask) | (step->right & ~mask);
}

/* Adds to each pair's sum what its leaf holds. Several pairs go down side by side, so that the processor waits for several
 * nodes at a time.   left, right  [n] rows and columns */
static void descend_pairs(const sm_value_tree *tree, const sm_item_numbers *rows, const sm_item_numbers *columns,
                          const uint32_t *left, const uint32_t *right, size_t n, double *sums) {
    pair_lane lanes[LANES];
    size_t n_lanes = 0, next = 0;
    for (; n_lanes < LANES && next < n; n_lanes++, next++)
        lanes[n_lanes] = start_pair(rows, columns, left, right, next);
    while (n_lanes > 0)
        for (size_t w = 0; w < n_lanes; w++) {
            pair_lane *at = &lanes[w];
            const sm_value_step *step = &tree->steps[at->node];
            if ((step->mark & SM_STEP_IS_LEAF) == 0) {
                at->node = step_pair_down(tree, step, at);
                __builtin_prefetch(&tree->steps[at->node]); /* it arrives while the other lanes take their step */
                continue;
            }
            sums[at->pair] += step->threshold;
            *at = next < n ? start_pair(rows, columns, left, right, next) : lanes[--n_lanes];
            next++;
        }
}

/* ---- predicting ---- */

struct sm_predictor {
    const sm_value_forest *forest;
    sm_item_numbers rows, others; /* others: empty if the columns are the rows */
    const sm_item_numbers *columns;
};

static void free_rfd_predictor(sm_predictor *predictor) {
    if (predictor == NULL) return;
    sm_item_numbers_free(&predictor->rows);
    sm_item_numbers_free(&predictor->others);
    sm_free(predictor);
}

static smerf_status new_rfd_predictor(const sm_learned *learned, const sm_query_sides *sides, sm_pool *pool,
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
        free_rfd_predictor(predictor);
    return status;
}

/* Tree by tree: each is in the cache while all pairs pass. */
static void predict_rfd_pairs(sm_predictor *predictor, const uint32_t *left, const uint32_t *right, size_t n,
                              double *distances) {
    const sm_value_forest *forest = predictor->forest;
    for (size_t p = 0; p < n; p++) distances[p] = 0;
    for (size_t b = 0; b < forest->n_trees; b++)
        descend_pairs(&forest->trees[b], &predictor->rows, predictor->columns, left, right, n, distances);
    for (size_t p = 0; p < n; p++) distances[p] /= (double)forest->n_trees;
}

/* ---- files ---- */

static smerf_status save_rfd(const sm_learned *learned, sm_tensors *tensors, smerf_error *error) {
    return sm_value_forest_save(&learned->forest, tensors, error);
}

static smerf_status load_rfd(const sm_tensors *tensors, const sm_features *features, size_t n_items, sm_learned **out,
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
        sm_pair_forest_free(learned);
    return status;
}

const sm_method sm_method_rfd = {.name = "rfd",
                                 .free = sm_pair_forest_free,
                                 .predictor_new = new_rfd_predictor,
                                 .predictor_free = free_rfd_predictor,
                                 .predict_pairs = predict_rfd_pairs,
                                 .save = save_rfd,
                                 .load = load_rfd};
