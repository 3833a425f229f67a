/* pair_squares.c - the least-squares objective over pairs: its matrix, and products with it. See pair_squares.h. */
#include "method/linear/fit/pair_squares.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "factor/tall.h"
#include "kernels/kernels.h"

enum { PANEL = 8, MOST_BLOCKS = 64, FEWEST_ITEMS = 128 };

/* ---- blocks of items, whose sums are added in their order ---- */

static size_t first_item(const sm_pair_squares *squares, size_t block) { /* a whole panel */
    size_t n_panels = (squares->frame->n_items + PANEL - 1) / PANEL, first = block * n_panels / squares->n_blocks;
    return first * PANEL < squares->frame->n_items ? first * PANEL : squares->frame->n_items;
}

typedef struct apply_job {
    sm_pair_squares *squares;
    const double *a;       /* [rank][rank] */
    const double *doubled; /* the same, entries above the diagonal doubled */
} apply_job;

/* a_i = y_i' A y_i of eight items: over the upper triangle, with the entries above the diagonal doubled. */
static void measure_panel(const apply_job *job, size_t panel) {
    size_t rank = job->squares->frame->rank;
    const double *y = job->squares->panels + panel * rank * PANEL;
    double out[PANEL] = {0};
    for (size_t k = 0; k < rank; k++) {
        double sum[PANEL] = {0};
        for (size_t l = k; l < rank; l++)
            for (size_t lane = 0; lane < PANEL; lane++) sum[lane] += job->doubled[k * rank + l] * y[l * PANEL + lane];
        for (size_t lane = 0; lane < PANEL; lane++) out[lane] += sum[lane] * y[k * PANEL + lane];
    }
    memcpy(job->squares->a + panel * PANEL, out, sizeof out);
}

/* sum += own_i a_i y_i y_i' of four items, in the upper triangle. */
static void add_four(const sm_pair_squares *squares, size_t i, double *sum) {
    size_t rank = squares->frame->rank;
    const double *y = squares->frame->y + i * rank, *y1 = y + rank, *y2 = y1 + rank, *y3 = y2 + rank;
    const double *own = squares->own + i, *a = squares->a + i;
    for (size_t k = 0; k < rank; k++) {
        double f0 = own[0] * a[0] * y[k], f1 = own[1] * a[1] * y1[k];
        double f2 = own[2] * a[2] * y2[k], f3 = own[3] * a[3] * y3[k];
        double *row = sum + k * rank;
        for (size_t l = k; l < rank; l++) row[l] += (f0 * y[l] + f1 * y1[l]) + (f2 * y2[l] + f3 * y3[l]);
    }
}

static void add_one(const sm_pair_squares *squares, size_t i, double *sum) {
    size_t rank = squares->frame->rank;
    const double *y = squares->frame->y + i * rank;
    for (size_t k = 0; k < rank; k++) {
        double factor = squares->own[i] * squares->a[i] * y[k];
        for (size_t l = k; l < rank; l++) sum[k * rank + l] += factor * y[l];
    }
}

static smerf_status own_block(void *context, size_t task, size_t thread, smerf_error *error) {
    const apply_job *job = context;
    sm_pair_squares *squares = job->squares;
    (void)thread, (void)error;
    size_t rank = squares->frame->rank, i = first_item(squares, task), end = first_item(squares, task + 1);
    double *sum = squares->sums + task * rank * rank;
    memset(sum, 0, rank * rank * sizeof *sum);
    for (size_t panel = i / PANEL; panel * PANEL < end; panel++) measure_panel(job, panel);
    for (; i + 4 <= end; i += 4) add_four(squares, i, sum);
    for (; i < end; i++) add_one(squares, i, sum);
    return SMERF_OK;
}

/* ---- listed pairs ---- */

/* Y A, and a_i with it. */
static smerf_status multiply_block(void *context, size_t task, size_t thread, smerf_error *error) {
    const apply_job *job = context;
    sm_pair_squares *squares = job->squares;
    (void)thread, (void)error;
    size_t rank = squares->frame->rank;
    size_t first = first_item(squares, task), end = first_item(squares, task + 1);
    const double *y = squares->frame->y + first * rank;
    double *ya = squares->ya + first * rank;
    memset(ya, 0, (end - first) * rank * sizeof *ya);
    squares->kernels->add_product((sm_left_factor){y, rank, 1}, job->a, end - first, rank, rank, ya);
    for (size_t i = first; i < end; i++, ya += rank, y += rank) squares->a[i] = squares->kernels->dot(ya, y, rank);
    return SMERF_OK;
}

/* v_i, such that sum y_i v_i' is the sum of weight_ij number_ij D_ij; the numbers are what A says of the pairs, or
 * without it what is given. */
static void gather_partners(const sm_pair_squares *squares, size_t i, bool is_given, double *v) {
    const sm_training_pairs *pairs = squares->pairs;
    const sm_links *links = pairs->links;
    size_t rank = squares->frame->rank;
    const double *y = squares->frame->y + i * rank, *ya = squares->ya + i * rank;
    memset(v, 0, rank * sizeof *v);
    for (size_t e = links->first[i]; e < links->first[i + 1]; e++) {
        size_t j = links->partner[e];
        const double *other = squares->frame->y + j * rank;
        double weight = sm_listed_weight(pairs, i, e), value = sm_links_value(links, e);
        double inner = is_given ? 0 : squares->kernels->dot(ya, other, rank);
        if (squares->is_of_differences) {
            double number = 2 * weight * (is_given ? value : squares->a[i] + squares->a[j] - 2 * inner);
            squares->kernels->add_apart(number, y, other, rank, v);
        } else {
            double number = weight * (is_given ? 1 - value : inner);
            squares->kernels->add(number, other, rank, v);
        }
    }
    double self = is_given ? pairs->self_weight[i] * (1 - sm_training_self(pairs, i)) : squares->own[i] * squares->a[i];
    for (size_t c = 0; c < rank && !squares->is_of_differences; c++) v[c] += self * y[c];
}

static smerf_status gather_block(void *context, size_t task, size_t thread, smerf_error *error) {
    const apply_job *job = context;
    sm_pair_squares *squares = job->squares;
    (void)thread, (void)error;
    for (size_t i = first_item(squares, task); i < first_item(squares, task + 1); i++)
        gather_partners(squares, i, job->a == NULL, squares->v + i * squares->frame->rank);
    return SMERF_OK;
}

/* ---- H ---- */

static smerf_status apply_own(apply_job *job, sm_pool *pool, double *out, smerf_error *error) {
    sm_pair_squares *squares = job->squares;
    size_t rank = squares->frame->rank, rr = rank * rank;
    double *doubled = squares->sums + squares->n_blocks * rr;
    for (size_t k = 0; k < rank; k++)
        for (size_t l = k; l < rank; l++) doubled[k * rank + l] = (k == l ? 1 : 2) * job->a[k * rank + l];
    job->doubled = doubled;
    smerf_status status = sm_pool_run(pool, squares->n_blocks, own_block, job, error);
    memset(out, 0, rr * sizeof *out);
    for (size_t b = 0; b < squares->n_blocks; b++)
        for (size_t k = 0; k < rr; k++) out[k] += squares->sums[b * rr + k];
    sm_symmetric_mirror(out, rank);
    return status;
}

static smerf_status apply_listed(apply_job *job, sm_pool *pool, double *out, smerf_error *error) {
    sm_pair_squares *squares = job->squares;
    const sm_frame *frame = squares->frame;
    smerf_status status = SMERF_OK;
    if (job->a != NULL) status = sm_pool_run(pool, squares->n_blocks, multiply_block, job, error);
    if (status == SMERF_OK) status = sm_pool_run(pool, squares->n_blocks, gather_block, job, error);
    if (status == SMERF_OK) status = sm_tall_inner(pool, frame->y, squares->v, frame->n_items, frame->rank, out, error);
    if (status == SMERF_OK) sm_symmetric_symmetrise(out, frame->rank);
    return status;
}

smerf_status sm_pair_squares_apply(void *context, sm_pool *pool, const double *a, double *out, smerf_error *error) {
    sm_pair_squares *squares = context;
    size_t rank = squares->frame->rank;
    apply_job job = {.squares = squares, .a = a};
    smerf_status status = SMERF_OK;
    double trace = 0;
    memset(out, 0, rank * rank * sizeof *out);
    if (squares->normal != NULL)
        sm_normal_equations_apply(squares, a, out);
    else if (squares->pairs->links != NULL)
        status = apply_listed(&job, pool, out, error);
    else if (squares->has_own)
        status = apply_own(&job, pool, out, error);
    for (size_t k = 0; k < rank; k++) trace += a[k * (rank + 1)];
    for (size_t k = 0; k < rank * rank; k++) out[k] += squares->of_a * a[k];
    for (size_t k = 0; k < rank; k++) out[k * (rank + 1)] += squares->of_trace * trace;
    if (squares->centre != NULL) sm_intercept_apply(squares, a, out);
    return status;
}

bool sm_pair_squares_is_direct(const sm_pair_squares *squares) {
    return squares->pairs->links == NULL && !squares->is_of_differences && !squares->has_own && squares->centre == NULL;
}

/* out = sum w_i y_i y_i', which the frame has made the identity but for rounding. */
static smerf_status find_moment(sm_pair_squares *squares, sm_pool *pool, double *out, smerf_error *error) {
    const sm_frame *frame = squares->frame;
    size_t rank = frame->rank;
    for (size_t i = 0; i < frame->n_items; i++)
        for (size_t c = 0; c < rank; c++) squares->v[i * rank + c] = squares->pairs->weight[i] * frame->y[i * rank + c];
    smerf_status status = sm_tall_inner(pool, frame->y, squares->v, frame->n_items, rank, out, error);
    if (status == SMERF_OK) sm_symmetric_symmetrise(out, rank);
    return status;
}

smerf_status sm_pair_squares_residual(sm_pair_squares *squares, sm_pool *pool, const double *a, double *residual,
                                      smerf_error *error) {
    size_t rank = squares->frame->rank, rr = rank * rank;
    sm_arena arena = {0};
    double *moment = sm_arena_take(&arena, rr, sizeof *moment), *step = sm_arena_take(&arena, rr, sizeof *step);
    double *values = sm_arena_take(&arena, rank, sizeof *values), *vectors = sm_arena_take(&arena, rr, sizeof *vectors);
    double *scratch = sm_arena_take(&arena, rr + 3 * rank, sizeof *scratch), size = sm_symmetric_norm(squares->b, rr);
    smerf_status status =
        arena.has_failed ? sm_no_memory(error, "solving for W") : find_moment(squares, pool, moment, error);
    if (status == SMERF_OK) {
        memcpy(step, a, rr * sizeof *step);
        sm_symmetric_turn(step, moment, rank, scratch); /* H A = M A M */
        for (size_t k = 0; k < rr; k++) step[k] = a[k] - (step[k] - squares->b[k]);
        sm_psd_part(step, rank, values, vectors, scratch);
        for (size_t k = 0; k < rr; k++) step[k] -= a[k];
        *residual = size > 0 ? sm_symmetric_norm(step, rr) / size : 0;
    }
    sm_arena_free(&arena);
    return status;
}

/* ---- b, where all pairs are known ---- */

/* v_i of all items from Z X, where X is w_i y_i and w_i: sums over j of w_j z_ij y_j, and of w_j z_ij. */
static void gather_products(sm_pair_squares *squares, const double *zx, size_t m) {
    const sm_frame *frame = squares->frame;
    const double *w = squares->pairs->weight;
    size_t rank = frame->rank;
    double *mean = squares->sums; /* of y: 1 - z_ij is what a product fits */
    memset(mean, 0, rank * sizeof *mean);
    for (size_t i = 0; i < frame->n_items; i++)
        for (size_t c = 0; c < rank; c++) mean[c] += w[i] * frame->y[i * rank + c];
    for (size_t i = 0; i < frame->n_items; i++) {
        const double *y = frame->y + i * rank, *from = zx + i * m;
        double *v = squares->v + i * rank;
        double conventional = squares->own[i] * (1 - sm_training_self(squares->pairs, i)); /* 0 where z_ii was given */
        for (size_t c = 0; c < rank; c++)
            v[c] = squares->is_of_differences ? 2 * w[i] * (from[rank] * y[c] - from[c])
                                              : w[i] * (mean[c] - from[c]) + conventional * y[c];
    }
}

static smerf_status find_products(sm_pair_squares *squares, sm_pool *pool, smerf_error *error) {
    const sm_frame *frame = squares->frame;
    size_t n = frame->n_items, rank = frame->rank, m = sm_panel_padded(rank + 1);
    double *x = sm_zeros(sm_size(n, m, 0), sizeof *x), *zx = sm_array(sm_size(n, m, 0), sizeof *zx);
    smerf_status status = x != NULL && zx != NULL ? SMERF_OK : sm_no_memory(error, "multiplying distances");
    for (size_t i = 0; i < n && status == SMERF_OK; i++) {
        for (size_t c = 0; c < rank; c++) x[i * m + c] = squares->pairs->weight[i] * frame->y[i * rank + c];
        x[i * m + rank] = squares->pairs->weight[i];
    }
    if (status == SMERF_OK) status = sm_training_times(squares->pairs, pool, x, m, zx, error);
    if (status == SMERF_OK) gather_products(squares, zx, m);
    if (status == SMERF_OK) status = sm_tall_inner(pool, frame->y, squares->v, n, rank, squares->b, error);
    if (status == SMERF_OK) sm_symmetric_symmetrise(squares->b, rank);
    sm_free(x);
    sm_free(zx);
    return status;
}

/* ---- making one ---- */

static void choose_parts(sm_pair_squares *squares) {
    const sm_training_pairs *pairs = squares->pairs;
    bool is_complete = pairs->links == NULL;
    squares->of_a = is_complete ? 1 : 0;
    squares->of_trace = is_complete && squares->is_of_differences ? 0.5 : 0;
    for (size_t i = 0; i < pairs->n_items; i++) {
        double self = is_complete ? pairs->weight[i] * pairs->weight[i] : 0;
        if (squares->is_of_differences)
            squares->own[i] = is_complete ? 2 * pairs->weight[i] : 0;
        else
            squares->own[i] = pairs->self_weight[i] - self;
        squares->has_own = squares->has_own || squares->own[i] != 0;
    }
}

static smerf_status take_squares_scratch(sm_pair_squares *squares, smerf_error *error) {
    size_t n = squares->frame->n_items, rank = squares->frame->rank, n_panels = (n + PANEL - 1) / PANEL;
    size_t each = sm_size(n, rank, 0), rr = rank * rank;
    squares->n_blocks = (n + FEWEST_ITEMS - 1) / FEWEST_ITEMS;
    if (squares->n_blocks > MOST_BLOCKS) squares->n_blocks = MOST_BLOCKS;
    squares->own = sm_zeros(n, sizeof(double));
    squares->panels = sm_zeros(sm_size(n_panels * PANEL, rank, 0), sizeof(double));
    squares->a = sm_zeros(n_panels * PANEL, sizeof(double));
    squares->ya = sm_array(each, sizeof(double));
    squares->v = sm_array(each, sizeof(double));
    squares->sums = sm_array(sm_size(squares->n_blocks + 1, rr, 0), sizeof(double));
    squares->b = sm_array(rr, sizeof(double));
    if (squares->own == NULL || squares->panels == NULL || squares->a == NULL || squares->ya == NULL ||
        squares->v == NULL || squares->sums == NULL || squares->b == NULL)
        return sm_no_memory(error, "fitting pairs");
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < rank; k++)
            squares->panels[(i / PANEL * rank + k) * PANEL + i % PANEL] = squares->frame->y[i * rank + k];
    return SMERF_OK;
}

smerf_status sm_pair_squares_start(sm_pair_squares *squares, const sm_training_pairs *pairs, const sm_frame *frame,
                                   bool is_of_differences, sm_pool *pool, smerf_error *error) {
    *squares = (sm_pair_squares){.pairs = pairs, .frame = frame, .is_of_differences = is_of_differences};
    squares->kernels = sm_kernels_select(SMERF_KERNELS_AUTO)->products;
    smerf_status status = take_squares_scratch(squares, error);
    if (status == SMERF_OK) {
        choose_parts(squares);
        apply_job given = {.squares = squares};
        status =
            pairs->links != NULL ? apply_listed(&given, pool, squares->b, error) : find_products(squares, pool, error);
    }
    if (status == SMERF_OK && sm_normal_equations_pay(squares)) status = sm_normal_equations_form(squares, pool, error);
    for (size_t k = 0; k < frame->rank * frame->rank && status == SMERF_OK; k++)
        if (!isfinite(squares->b[k]))
            status = sm_fail(error, SMERF_BAD_INPUT, "the distances are so large that their sums overflow");
    if (status != SMERF_OK) sm_pair_squares_free(squares);
    return status;
}

void sm_pair_squares_free(sm_pair_squares *squares) {
    double *arrays[] = {squares->own,  squares->panels, squares->a, squares->ya,    squares->v,
                        squares->sums, squares->normal, squares->b, squares->centre};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) sm_free(arrays[k]);
    *squares = (sm_pair_squares){0};
}
