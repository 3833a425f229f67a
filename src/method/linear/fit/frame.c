/* frame.c - coordinates in which least squares over pairs is well conditioned: see frame.h. */
#include "method/linear/fit/frame.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/square.h"
#include "factor/tall.h"
#include "method/linear/fit/psd_least_squares.h"

enum { ROWS_AT_ONCE = 64 };

/* Squared sizes below this fraction of the largest are rounding. */
static const double nothing = 1e-12;

/* A column that varies by less than this fraction of its largest value is constant. */
static const double constant = 1e-13;

/* The state of the work: x = what was given, in a basis of n_now directions, where t says which. */
typedef struct work {
    const sm_training_pairs *pairs;
    sm_pool *pool;
    bool is_of_differences, is_centred;
    size_t n_items, n_columns, n_now;
    double *x;     /* [n_items][n_now] */
    double *t;     /* [n_columns][n_now], for columns in units of 2^exponent; NULL: the identity, as at the start */
    int *exponent; /* [n_columns] */
} work;

void sm_frame_free(sm_frame *frame) {
    sm_free(frame->y);
    sm_free(frame->t);
    *frame = (sm_frame){0};
}

/* ---- 1: centre and scale ---- */

static void centre_column(const work *at, double *x, double size) {
    size_t n = at->n_items, stride = at->n_columns;
    double shift = 0, left = 0;
    for (size_t i = 0; i < n; i++) shift += at->pairs->weight[i] * x[i * stride];
    if (at->pairs->links != NULL || !at->is_of_differences)
        shift = 0; /* no formula needs it: less the plain mean is
                                                                           good enough, or what predictions take */
    for (size_t i = 0; i < n; i++) x[i * stride] -= shift;
    for (size_t i = 0; i < n; i++) left = fmax(left, fabs(x[i * stride]));
    for (size_t i = 0; i < n && !(left > constant * size); i++) x[i * stride] = 0;
}

/* The power of two that is the size of a column. */
static int size_of_column(const work *at, const double *x) {
    double largest = 0, squares = 0;
    int exponent, more;
    for (size_t i = 0; i < at->n_items; i++) largest = fmax(largest, fabs(x[i * at->n_columns]));
    if (largest == 0) return 0;
    frexp(largest, &exponent);
    for (size_t i = 0; i < at->n_items; i++) {
        double small = ldexp(x[i * at->n_columns], -exponent);
        squares += small * small;
    }
    frexp(sqrt(squares / (double)at->n_items), &more);
    return exponent + more;
}

static void prepare_columns(work *at, const sm_design *design) {
    for (size_t c = 0; c < at->n_columns; c++) {
        double *x = at->x + c, size = 0;
        for (size_t i = 0; i < at->n_items; i++) size = fmax(size, fabs(x[i * at->n_columns]));
        for (size_t i = 0; i < at->n_items && at->is_centred; i++) x[i * at->n_columns] -= design->mean[c];
        if (at->is_centred) centre_column(at, x, size);
        at->exponent[c] = size_of_column(at, x);
        for (size_t i = 0; i < at->n_items; i++) x[i * at->n_columns] = ldexp(x[i * at->n_columns], -at->exponent[c]);
    }
}

/* ---- 2 and 3: another basis ---- */

typedef struct product {
    size_t n, m, k;
    const double *a, *b; /* [n][m], [m][k] */
    double *out;         /* [n][k] */
} product;

static smerf_status product_rows(void *context, size_t task, size_t thread, smerf_error *error) {
    const product *job = context;
    (void)thread, (void)error;
    size_t end = (task + 1) * ROWS_AT_ONCE < job->n ? (task + 1) * ROWS_AT_ONCE : job->n;
    for (size_t i = task * ROWS_AT_ONCE; i < end; i++) {
        double *out = job->out + i * job->k;
        memset(out, 0, job->k * sizeof *out);
        for (size_t l = 0; l < job->m; l++)
            for (size_t c = 0; c < job->k; c++) out[c] += job->a[i * job->m + l] * job->b[l * job->k + c];
    }
    return SMERF_OK;
}

/* *a [n][m] becomes A B [n][k]. */
static smerf_status multiply_tall(sm_pool *pool, double **a, size_t n, size_t m, const double *b, size_t k,
                                  smerf_error *error) {
    product job = {.n = n, .m = m, .k = k, .a = *a, .b = b};
    job.out = sm_array(sm_size(n, k, 0), sizeof *job.out);
    if (job.out == NULL) return sm_no_memory(error, "choosing coordinates");
    smerf_status status = sm_pool_run(pool, (n + ROWS_AT_ONCE - 1) / ROWS_AT_ONCE, product_rows, &job, error);
    sm_free(*a);
    *a = job.out;
    return status;
}

/* Both x and t to another basis.   basis  [n_now][k] */
static smerf_status change_basis(work *at, const double *basis, size_t k, smerf_error *error) {
    smerf_status status = multiply_tall(at->pool, &at->x, at->n_items, at->n_now, basis, k, error);
    if (status == SMERF_OK && at->t != NULL)
        status = multiply_tall(at->pool, &at->t, at->n_columns, at->n_now, basis, k, error);
    else if (status == SMERF_OK)
        at->t = sm_copy(basis, sm_size(at->n_columns, k, 0), sizeof *at->t);
    at->n_now = k;
    return status == SMERF_OK && at->t == NULL ? sm_no_memory(error, "choosing coordinates") : status;
}

/* The eigenvectors of a [m][m] whose values count, in the order they come: index[0 .. k-1]. Returns k.
 *   a  overwritten    values  [m] out    vectors  [m][m] out    scratch  [3 * m] */
static size_t find_directions(double *a, size_t m, double *values, double *vectors, double *scratch, size_t *index) {
    double largest = 0;
    size_t k = 0;
    if (m == 0) return 0;
    sm_symmetric_symmetrise(a, m);
    sm_eigen(a, m, values, vectors, scratch);
    for (size_t d = 0; d < m; d++) largest = fmax(largest, values[d]);
    for (size_t d = 0; d < m; d++)
        if (values[d] > nothing * largest) index[k++] = d;
    return k;
}

/* An eigenvalue problem of m numbers, and the basis [.][m] that comes of it. */
typedef struct directions {
    double *a, *values, *vectors, *scratch, *basis;
    size_t *index;
} directions;

static void directions_free(directions *of) {
    double *arrays[] = {of->a, of->values, of->vectors, of->scratch, of->basis};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) sm_free(arrays[k]);
    sm_free(of->index);
}

static smerf_status directions_start(directions *of, size_t m, size_t n_basis, smerf_error *error) {
    size_t mm = sm_size(m, m, 0);
    *of = (directions){.a = sm_array(mm, sizeof(double)),
                       .values = sm_array(m, sizeof(double)),
                       .vectors = sm_array(mm, sizeof(double)),
                       .scratch = sm_array(sm_size(3, m, 0), sizeof(double)),
                       .basis = sm_array(sm_size(n_basis, m, 0), sizeof(double)),
                       .index = sm_array(m, sizeof(size_t))};
    if (of->a != NULL && of->values != NULL && of->vectors != NULL && of->scratch != NULL && of->basis != NULL &&
        of->index != NULL)
        return SMERF_OK;
    directions_free(of);
    return sm_no_memory(error, "choosing coordinates");
}

/* More columns than items: the rows span few directions, found from the inner products of the rows. */
static smerf_status reduce_columns(work *at, smerf_error *error) {
    size_t n = at->n_items, p = at->n_now;
    directions of;
    smerf_status status = directions_start(&of, n, p, error);
    if (status != SMERF_OK) return status;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++)
            of.a[i * n + j] = of.a[j * n + i] = sm_symmetric_dot(at->x + i * p, at->x + j * p, p);
    size_t k = find_directions(of.a, n, of.values, of.vectors, of.scratch, of.index);
    memset(of.basis, 0, p * k * sizeof *of.basis);
    for (size_t d = 0; d < k; d++) {
        const double *u = of.vectors + of.index[d] * n, size = sqrt(of.values[of.index[d]]);
        for (size_t i = 0; i < n; i++)
            for (size_t c = 0; c < p; c++) of.basis[c * k + d] += u[i] / size * at->x[i * p + c];
    }
    status = change_basis(at, of.basis, k, error);
    directions_free(&of);
    return status;
}

/* v [n_items][n_now], such that X' V is the second moment. */
static void weigh_moment(const work *at, double *v) {
    const sm_training_pairs *pairs = at->pairs;
    size_t m = at->n_now;
    for (size_t i = 0; i < at->n_items; i++) {
        const double *x = at->x + i * m;
        double weight = pairs->links == NULL ? pairs->weight[i] : pairs->self_weight[i];
        bool is_listed = pairs->links != NULL, is_spread = is_listed && at->is_of_differences;
        for (size_t c = 0; c < m && is_spread; c++) v[i * m + c] = 0;
        for (size_t e = is_listed ? pairs->links->first[i] : 0; is_listed && e < pairs->links->first[i + 1]; e++) {
            const double *other = at->x + pairs->links->partner[e] * m, own = sm_listed_weight(pairs, i, e);
            weight += own;
            for (size_t c = 0; c < m && is_spread; c++) v[i * m + c] += 2 * own * (x[c] - other[c]);
        }
        if (!is_spread) /* over all pairs, that of the differences is twice that of the items */
            for (size_t c = 0; c < m; c++) v[i * m + c] = (at->is_of_differences ? 2 : 1) * weight * x[c];
    }
}

static smerf_status whiten_frame(work *at, smerf_error *error) {
    size_t m = at->n_now;
    directions of;
    smerf_status status = directions_start(&of, m, m, error);
    if (status != SMERF_OK) return status;
    double *v = sm_array(sm_size(at->n_items, m, 0), sizeof *v);
    if (v == NULL) status = sm_no_memory(error, "choosing coordinates");
    if (status == SMERF_OK) {
        weigh_moment(at, v);
        status = sm_tall_inner(at->pool, at->x, v, at->n_items, m, of.a, error);
    }
    if (status == SMERF_OK) {
        size_t k = find_directions(of.a, m, of.values, of.vectors, of.scratch, of.index);
        for (size_t c = 0; c < m; c++)
            for (size_t d = 0; d < k; d++)
                of.basis[c * k + d] = of.vectors[of.index[d] * m + c] / sqrt(of.values[of.index[d]]);
        status = change_basis(at, of.basis, k, error);
    }
    sm_free(v);
    directions_free(&of);
    return status;
}

/* ---- 4: original units, smallest norm ---- */

/* Makes the columns of e [p][k] orthonormal, by Gram and Schmidt, each column twice. */
static void orthonormalise_columns(double *e, size_t p, size_t k) {
    for (size_t d = 0; d < k; d++)
        for (int round = 0; round < 3; round++) { /* 0 only brings it to size 1 */
            double squares = 0;
            for (size_t before = 0; before < d && round > 0; before++) {
                double along = 0;
                for (size_t c = 0; c < p; c++) along += e[c * k + before] * e[c * k + d];
                for (size_t c = 0; c < p; c++) e[c * k + d] -= along * e[c * k + before];
            }
            for (size_t c = 0; c < p; c++) squares += e[c * k + d] * e[c * k + d];
            for (size_t c = 0; c < p && squares > 0; c++) e[c * k + d] /= sqrt(squares);
        }
}

/* t becomes E E' t, with E an orthonormal basis of the rows of X. These are spanned by t in units of the columns, which
 * are t with each column's unit multiplied instead of divided. */
static smerf_status project_on_rows(double *t, const work *at, smerf_error *error) {
    size_t p = at->n_columns, k = at->n_now;
    double *e = sm_array(sm_size(p, k, 0), sizeof *e), *inner = sm_zeros(sm_size(k, k, 0), sizeof *inner);
    smerf_status status = e != NULL && inner != NULL ? SMERF_OK : sm_no_memory(error, "choosing coordinates");
    if (status == SMERF_OK) {
        int most = at->exponent[0]; /* the largest unit becomes 1, so that squares do not overflow */
        for (size_t c = 0; c < p; c++) most = at->exponent[c] > most ? at->exponent[c] : most;
        for (size_t c = 0; c < p; c++)
            for (size_t d = 0; d < k; d++) e[c * k + d] = ldexp(at->t[c * k + d], at->exponent[c] - most);
        orthonormalise_columns(e, p, k);
        for (size_t c = 0; c < p; c++)
            for (size_t a = 0; a < k; a++)
                for (size_t b = 0; b < k; b++) inner[a * k + b] += e[c * k + a] * t[c * k + b];
        memset(t, 0, p * k * sizeof *t);
        for (size_t c = 0; c < p; c++)
            for (size_t a = 0; a < k; a++)
                for (size_t b = 0; b < k; b++) t[c * k + b] += e[c * k + a] * inner[a * k + b];
    }
    sm_free(e);
    sm_free(inner);
    return status;
}

static smerf_status finish_frame(const work *at, double **t, smerf_error *error) {
    size_t p = at->n_columns, k = at->n_now;
    *t = sm_array(sm_size(p, k, 0), sizeof **t);
    if (*t == NULL) return sm_no_memory(error, "choosing coordinates");
    for (size_t c = 0; c < p; c++)
        for (size_t d = 0; d < k; d++) (*t)[c * k + d] = ldexp(at->t[c * k + d], -at->exponent[c]);
    return k > 0 && k < p ? project_on_rows(*t, at, error) : SMERF_OK;
}

/* ---- all of it ---- */

static smerf_status start_frame(work *at, const sm_training_set *training, const sm_design *design,
                                smerf_error *error) {
    size_t n = at->n_items, p = at->n_columns;
    smerf_status status = sm_check_memory(4.0 * (double)n * (double)p * sizeof(double), "the items as numbers", error);
    if (status != SMERF_OK) return status;
    at->x = sm_array(sm_size(n, p, 0), sizeof *at->x);
    at->exponent = sm_array(p, sizeof *at->exponent);
    if (at->x == NULL || at->exponent == NULL) return sm_no_memory(error, "choosing coordinates");
    for (size_t i = 0; i < n; i++) sm_design_row(design, training->view, i, at->x + i * p);
    prepare_columns(at, design);
    return SMERF_OK;
}

smerf_status sm_frame_new(sm_frame *frame, const sm_training_set *training, const sm_learned *learned,
                          const sm_training_pairs *pairs, smerf_error *error) {
    const sm_design *design = &learned->design;
    work at = {.pairs = pairs,
               .pool = training->pool,
               .is_of_differences = learned->is_of_differences,
               .is_centred = sm_linear_is_centred(learned),
               .n_items = pairs->n_items,
               .n_columns = design->n_columns,
               .n_now = design->n_columns};
    *frame = (sm_frame){.n_items = at.n_items, .n_columns = at.n_columns};
    smerf_status status = start_frame(&at, training, design, error);
    if (status == SMERF_OK) status = at.n_columns > at.n_items ? reduce_columns(&at, error) : SMERF_OK;
    for (int round = 0; round < 2 && status == SMERF_OK; round++) status = whiten_frame(&at, error);
    if (status == SMERF_OK) status = finish_frame(&at, &frame->t, error);
    frame->rank = at.n_now;
    frame->y = at.x;
    sm_free(at.t);
    sm_free(at.exponent);
    if (status != SMERF_OK) sm_frame_free(frame);
    return status;
}
