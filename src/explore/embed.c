/* embed.c - maps: coordinates whose distances come near the predicted ones.
 *
 *   1. landmarks   all items, or some of them, drawn
 *   2. distances   among the landmarks, squared, as floats
 *   3. scaling     classical multidimensional scaling of these        sm_scaling_find
 *   4. the others  are located by their distances to the landmarks: with v an axis' vector, lambda its eigenvalue, and m the mean
 *                  of the landmarks' columns, an item at squared distances d goes to -1/2 v' (d - m) / sqrt(lambda) (de Silva
 *                  and Tenenbaum); a landmark would come to where it is
 *   5. signs, stress */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "base/random.h"
#include "base/versioned.h"
#include "data/items.h"
#include "explore/explore.h"
#include "factor/factor.h"
#include "kernels/kernels.h"
#include "model/model.h"

/* ---- scaling ----
 *
 * factor/factor.h finds the eigenvalues of B that are largest in absolute value, and a map wants the largest. Where too few
 * of those found are positive, B is moved: -2c on the diagonal of Z adds c to every eigenvalue and leaves the vectors as they
 * are, and with -c the lowest eigenvalue (which was found, as the largest of its sign) all of them are positive. */

enum {
    FEW_ITEMS = 256,      /* factor.c solves so many whole: all eigenvalues are there for the asking */
    MORE_THAN_WANTED = 8, /* negative ones that may be among them */
    COLUMNS_AT_ONCE = 256 /* so many rows of X stay in the cache while a panel of Z passes */
};

typedef struct squares {
    const float *z;
    size_t n;
    double diagonal; /* in place of 0 */
    sm_panel_product multiply;
} squares;

static void square_rows(const void *context, size_t first, size_t end, const double *x, size_t m, double *y) {
    const squares *of = context;
    memset(y, 0, (end - first) * m * sizeof *y);
    for (size_t k = 0; k < of->n; k += COLUMNS_AT_ONCE) {
        size_t n_columns = of->n - k < COLUMNS_AT_ONCE ? of->n - k : COLUMNS_AT_ONCE;
        of->multiply(of->z + first * of->n + k, of->n, end - first, n_columns, x + k * m, m, y);
    }
    for (size_t i = first; i < end; i++)
        for (size_t c = 0; c < m; c++) y[(i - first) * m + c] += of->diagonal * x[i * m + c];
}

static void square_moments(const void *context, size_t row, double centre, double *sum, double *sum_squares) {
    const squares *of = context;
    const float *z = of->z + row * of->n;
    *sum = *sum_squares = 0;
    for (size_t j = 0; j < of->n; j++) {
        double apart = (j == row ? of->diagonal : (double)z[j]) - centre;
        *sum += apart;
        *sum_squares += apart * apart;
    }
}

/* What the rounding of Z to floats may make of an eigenvalue that is 0. */
static double rounding(const float *z, size_t n) {
    float largest = 0;
    for (size_t i = 0; i < n * n; i++) largest = fmaxf(largest, z[i]);
    return FLT_EPSILON * sqrt((double)n) * (double)largest;
}

/* The eigenvalues above `least` in falling order, which |value| - if all were moved by c, value - c - already is in. */
static size_t hand_over(const sm_factors *factors, double c, double least, sm_scaling *to) {
    size_t n_found = 0;
    for (size_t r = 0; r < factors->rank && n_found < to->n_axes; r++) {
        double length = sqrt(fabs(factors->value[r])); /* of u, where vectors have length 1 */
        if (!(factors->value[r] - c > least)) continue;
        to->value[n_found] = factors->value[r] - c;
        for (size_t i = 0; i < to->n; i++)
            to->vector[i * to->n_axes + n_found] = factors->u[i * factors->rank + r] / length;
        n_found++;
    }
    return n_found;
}

static double lowest_value(const sm_factors *factors) {
    double lowest = 0;
    for (size_t r = 0; r < factors->rank; r++) lowest = fmin(lowest, factors->value[r]);
    return lowest;
}

/* The sum of all |eigenvalues|; NaN: not known. */
static double sum_of_sizes(const sm_factors *factors) {
    double kept = 0;
    for (size_t r = 0; r < factors->rank; r++) kept += fabs(factors->value[r]);
    return kept / factors->eigenvalue_fraction;
}

smerf_status sm_scaling_find(const float *z, uint64_t seed, smerf_kernels kernels, sm_pool *pool, sm_scaling *scaling,
                             smerf_error *error) {
    const size_t n = scaling->n, n_axes = scaling->n_axes;
    squares of = {.z = z, .n = n, .multiply = sm_kernels_select(kernels)->panel};
    const sm_operator matrix = {
        .n = n, .wants_vectors = true, .context = &of, .rows = square_rows, .row_moments = square_moments};
    size_t wanted = n <= FEW_ITEMS || n < n_axes + MORE_THAN_WANTED ? n : n_axes + MORE_THAN_WANTED;
    sm_factors factors = {0};
    *scaling = (sm_scaling){.n = n, .n_axes = n_axes, .eigenvalue_fraction = NAN};
    scaling->value = sm_zeros(n_axes, sizeof *scaling->value);
    scaling->vector = sm_zeros(sm_size(n, n_axes, 0), sizeof *scaling->vector);
    if (scaling->value == NULL || scaling->vector == NULL) return sm_no_memory(error, "scaling distances");

    pool->fraction_from = 0;
    pool->fraction_to = 0.5;
    smerf_status status = sm_factor(&matrix, wanted, seed, pool, &factors, error);
    if (status != SMERF_OK) return status;
    double least = rounding(z, n), lowest = lowest_value(&factors), all = sum_of_sizes(&factors), found = 0;
    size_t n_found = hand_over(&factors, 0, least, scaling);
    bool may_be_more = n_found < n_axes && factors.rank == wanted && wanted < n;
    sm_factors_free(&factors);
    if (may_be_more) {
        of.diagonal = 2 * lowest;
        pool->fraction_from = 0.5;
        pool->fraction_to = 1;
        status = sm_factor(&matrix, wanted, seed, pool, &factors, error);
        if (status == SMERF_OK) hand_over(&factors, -lowest, least, scaling);
        sm_factors_free(&factors);
    }
    for (size_t axis = 0; axis < n_axes; axis++) found += scaling->value[axis];
    scaling->eigenvalue_fraction = all == 0 ? 1 : found / all;
    return status;
}

void sm_scaling_free(sm_scaling *scaling) {
    sm_free(scaling->value);
    sm_free(scaling->vector);
    *scaling = (sm_scaling){0};
}

/* Coordinates that differ by less than this share are as large as each other: the first of them has the sign. */
static const double same_size = 1e-6;

typedef struct embedding {
    const smerf_model *model;
    const smerf_items *items, *landmarks;
    size_t n_items, n, n_axes; /* n: landmarks */
    const uint32_t *landmark;  /* [n] their rows among the items, ascending; NULL: all */
    float *z;                  /* [n][n] squared distances of the landmarks */
    double *mean;              /* [n] of the columns of z */
    sm_scaling scaling;
    double *coordinates;       /* [n_items][n_axes] the caller's */
    bool *is_landmark;         /* [n_items] */
    double *apart, *predicted; /* [n] sums over rows, for the stress; afterwards `predicted` is scratch */
    bool is_out_of_bag;
    smerf_oob_rule rule;
    bool has_unknown; /* a distance is not known */
    size_t unknown_row, unknown_column;
} embedding;

/* ---- landmarks ---- */

/* One item after the other is taken with the chance that it is among those still wanted. */
static void draw_landmarks(size_t n_items, size_t n, uint64_t seed, uint32_t *landmark, bool *is_landmark) {
    sm_random random;
    sm_random_start(&random, seed, 0, SM_STREAM_LANDMARKS);
    size_t n_drawn = 0;
    for (size_t i = 0; i < n_items; i++) {
        is_landmark[i] = n == n_items || sm_random_below_64(&random, n_items - i) < n - n_drawn;
        if (is_landmark[i]) landmark[n_drawn++] = (uint32_t)i;
    }
}

/* ---- distances ---- */

static float squared(double distance) { return distance > 0 ? (float)(distance * distance) : 0; }

/* NaN would be taken for a distance that is not positive. */
static bool note_unknown(embedding *at, size_t row, size_t column) {
    at->has_unknown = true;
    at->unknown_row = row;
    at->unknown_column = column;
    return true;
}

static int keep_squares(void *context, size_t row, const double *distances, size_t n) {
    embedding *at = context;
    float *z = at->z + row * n;
    for (size_t j = 0; j < n; j++) {
        z[j] = j == row ? 0 : squared(distances[j]);
        if (j != row && isnan(distances[j])) return note_unknown(at, at->landmark[row], at->landmark[j]);
    }
    return 0;
}

static smerf_request request_of(const embedding *at, const smerf_items *rows) {
    return SMERF_INIT(smerf_request, .rows = rows, .out_of_bag = at->is_out_of_bag, .oob_rule = at->rule);
}

static smerf_status predict(embedding *at, const smerf_request *request, const smerf_run *run, smerf_row_sink sink,
                            smerf_error *error) {
    smerf_status status = smerf_predict_rows(at->model, request, run, sink, at, error);
    if (!at->has_unknown) return status;
    return sm_fail_unknown("maps", at->unknown_row, at->unknown_column, at->is_out_of_bag, error);
}

static void find_means(embedding *at) {
    for (size_t i = 0; i < at->n; i++) {
        double sum = 0;
        for (size_t j = 0; j < at->n; j++) sum += (double)at->z[i * at->n + j];
        at->mean[i] = sum / (double)at->n;
    }
}

static smerf_status check_sizes(const embedding *at, smerf_error *error) {
    for (size_t k = 0; k < at->n * at->n; k++)
        if (!isfinite(at->z[k]))
            return sm_fail(error, SMERF_BAD_INPUT, "a map: the predicted distances are too large to be squared");
    return SMERF_OK;
}

/* ---- coordinates ---- */

static void locate_landmarks(embedding *at) {
    const sm_scaling *scaling = &at->scaling;
    for (size_t k = 0; k < at->n; k++)
        for (size_t d = 0; d < at->n_axes; d++)
            at->coordinates[at->landmark[k] * at->n_axes + d] =
                sqrt(scaling->value[d]) * scaling->vector[k * at->n_axes + d];
}

static int locate_item(void *context, size_t row, const double *distances, size_t n) {
    embedding *at = context;
    double *x = at->coordinates + row * at->n_axes;
    if (at->is_landmark[row]) return 0;
    memset(x, 0, at->n_axes * sizeof *x);
    for (size_t k = 0; k < n; k++) {
        if (isnan(distances[k])) return note_unknown(at, row, at->landmark[k]);
        double apart = (double)squared(distances[k]) - at->mean[k];
        for (size_t d = 0; d < at->n_axes; d++) x[d] += apart * at->scaling.vector[k * at->n_axes + d];
    }
    for (size_t d = 0; d < at->n_axes; d++) {
        double value = at->scaling.value[d];
        x[d] = value > 0 ? -0.5 * x[d] / sqrt(value) : 0;
    }
    return 0;
}

/* Out of bag, where there is no second set of items: the landmarks are picked from a row of all. */
static int pick_and_locate(void *context, size_t row, const double *distances, size_t n) {
    embedding *at = context;
    (void)n;
    for (size_t k = 0; k < at->n; k++) at->predicted[k] = distances[at->landmark[k]];
    return locate_item(at, row, at->predicted, at->n);
}

static smerf_status locate_others(embedding *at, const smerf_run *run, smerf_error *error) {
    smerf_request request = request_of(at, at->items);
    if (at->is_out_of_bag) return predict(at, &request, run, pick_and_locate, error);
    request.columns = at->landmarks;
    return predict(at, &request, run, locate_item, error);
}

/* The coordinate largest in size is positive, the first of several. */
static void fix_signs(const embedding *at) {
    for (size_t d = 0; d < at->n_axes; d++) {
        double *axis = at->coordinates + d, largest = 0;
        size_t i = 0;
        for (size_t k = 0; k < at->n_items; k++) largest = fmax(largest, fabs(axis[k * at->n_axes]));
        while (i + 1 < at->n_items && fabs(axis[i * at->n_axes]) < largest * (1 - same_size)) i++;
        if (!(axis[i * at->n_axes] < 0)) continue;
        for (size_t k = 0; k < at->n_items; k++) axis[k * at->n_axes] = 0 - axis[k * at->n_axes]; /* no -0 */
    }
}

/* ---- how well ---- */

static smerf_status add_row(void *argument, size_t i, size_t thread, smerf_error *error) {
    embedding *at = argument;
    const double *here = at->coordinates + at->landmark[i] * at->n_axes;
    (void)thread, (void)error;
    at->apart[i] = at->predicted[i] = 0;
    for (size_t j = 0; j < i; j++) {
        const double *there = at->coordinates + at->landmark[j] * at->n_axes;
        double square = 0, predicted = sqrt((double)at->z[i * at->n + j]);
        for (size_t d = 0; d < at->n_axes; d++) square += (here[d] - there[d]) * (here[d] - there[d]);
        at->apart[i] += (sqrt(square) - predicted) * (sqrt(square) - predicted);
        at->predicted[i] += predicted * predicted;
    }
    return SMERF_OK;
}

static smerf_status find_stress(embedding *at, sm_pool *pool, double *stress, smerf_error *error) {
    double apart = 0, predicted = 0;
    pool->fraction_from = pool->fraction_to;
    smerf_status status = sm_pool_run(pool, at->n, add_row, at, error);
    for (size_t i = 0; i < at->n && status == SMERF_OK; i++) {
        apart += at->apart[i];
        predicted += at->predicted[i];
    }
    *stress = predicted > 0 ? sqrt(apart / predicted) : NAN;
    return status;
}

/* ---- all together ---- */

static smerf_status embed(embedding *at, uint64_t seed, const smerf_run *run, smerf_map *map, smerf_error *error) {
    sm_progress_part part = {.run = run, .from = 0, .to = at->n < at->n_items ? 0.2 : 0.6};
    smerf_run own = sm_progress_part_run(&part);
    sm_pool pool;
    const smerf_request among = request_of(at, at->landmarks);
    smerf_status status = predict(at, &among, &own, keep_squares, error);
    if (status == SMERF_OK) status = check_sizes(at, error);
    if (status != SMERF_OK) return status;
    find_means(at);
    part = (sm_progress_part){.run = run, .from = part.to, .to = at->n < at->n_items ? 0.4 : 1};
    sm_pool_start(&pool, &own);
    at->scaling = (sm_scaling){.n = at->n, .n_axes = at->n_axes};
    status = sm_scaling_find(at->z, seed, own.kernels, &pool, &at->scaling, error);
    if (status == SMERF_OK) locate_landmarks(at);
    if (status == SMERF_OK) status = find_stress(at, &pool, &map->stress, error);
    if (status == SMERF_OK && at->n < at->n_items) {
        part = (sm_progress_part){.run = run, .from = 0.4, .to = 1};
        status = locate_others(at, &own, error);
    }
    if (status != SMERF_OK) return status;
    fix_signs(at);
    map->n_landmarks = at->n;
    map->eigenvalue_fraction = at->scaling.eigenvalue_fraction;
    return SMERF_OK;
}

static smerf_status check_map(const smerf_model *model, const smerf_items *items, const smerf_map_options *options,
                              size_t n_landmarks, smerf_error *error) {
    bool have_ids = model->ids.n > 0 && items->ids.n > 0;
    if (options->n_dimensions == 0) return sm_fail(error, SMERF_BAD_INPUT, "a map has at least one dimension");
    if (options->seed > INT64_MAX) return sm_fail(error, SMERF_BAD_INPUT, "{seed}: it is not in 0 ... 2^63 - 1");
    if (n_landmarks == 0) return sm_fail(error, SMERF_BAD_INPUT, "a map needs an item");
    if (n_landmarks < items->n_items && model->method != NULL && model->method->knows_items && !have_ids)
        return sm_fail(error, SMERF_BAD_INPUT,
                       "{landmarks}: the model knows items without ids only all together; %zu landmarks would do",
                       items->n_items);
    double n = (double)n_landmarks, bytes = n * n * sizeof(float) + n * (double)options->n_dimensions * sizeof(double);
    return sm_check_memory(bytes, "a map", error);
}

/* The landmarks as items, which are still called by the rows that they have among all: out of bag they are known by these. */
static smerf_status take_landmarks(embedding *at, uint32_t *scratch, smerf_items **taken, smerf_error *error) {
    smerf_status status = smerf_items_take(at->items, at->landmark, at->n, taken, error);
    if (status != SMERF_OK) return status;
    at->landmarks = *taken;
    for (size_t k = 0; k < at->n; k++)
        scratch[k] = at->items->rows != NULL ? at->items->rows[at->landmark[k]] : at->landmark[k];
    return smerf_items_set_rows(*taken, scratch, error);
}

static smerf_status make_map(const smerf_model *model, const smerf_items *items, const smerf_map_options *options,
                             const smerf_run *run, smerf_map *map, smerf_error *error) {
    size_t n_items = smerf_items_count(items),
           n = options->n_landmarks > 0 ? options->n_landmarks : SMERF_MOST_LANDMARKS;
    if (n > n_items) n = n_items;
    smerf_items *taken = NULL;
    sm_arena arena = {0};
    smerf_status status = check_map(model, items, options, n, error);
    if (status != SMERF_OK) return status;
    embedding at = {.model = model,
                    .items = items,
                    .landmarks = items,
                    .n_items = n_items,
                    .n = n,
                    .n_axes = options->n_dimensions,
                    .coordinates = map->coordinates,
                    .is_out_of_bag = options->out_of_bag,
                    .rule = options->oob_rule};
    uint32_t *landmark = sm_arena_take(&arena, n, sizeof *landmark), *row = sm_arena_take(&arena, n, sizeof *row);
    at.landmark = landmark;
    at.is_landmark = sm_arena_take(&arena, n_items, sizeof *at.is_landmark);
    at.z = sm_arena_take(&arena, sm_size(n, n, 0), sizeof *at.z);
    at.mean = sm_arena_take(&arena, n, sizeof *at.mean);
    at.apart = sm_arena_take(&arena, n, sizeof *at.apart);
    at.predicted = sm_arena_take(&arena, n, sizeof *at.predicted);
    if (arena.has_failed) status = sm_no_memory(error, "making a map");
    if (status == SMERF_OK) draw_landmarks(n_items, n, options->seed, landmark, at.is_landmark);
    if (status == SMERF_OK && n < n_items) status = take_landmarks(&at, row, &taken, error);
    if (status == SMERF_OK) status = embed(&at, options->seed, run, map, error);
    if (status == SMERF_OK && map->eigenvalues != NULL)
        memcpy(map->eigenvalues, at.scaling.value, options->n_dimensions * sizeof *map->eigenvalues);
    sm_scaling_free(&at.scaling);
    smerf_items_free(taken);
    sm_arena_free(&arena);
    return status;
}

smerf_status smerf_embed(const smerf_model *model, const smerf_items *items, const smerf_map_options *options,
                         const smerf_run *run, smerf_map *map, smerf_error *error) {
    SM_READ(smerf_map_options, options, error);
    SM_READ_RUN(run, error);
    SM_READ_RESULT(smerf_map, map, made, error);
    smerf_status status = make_map(model, items, options, run, &made, error);
    SM_WRITE(smerf_map, made, map);
    return status;
}
