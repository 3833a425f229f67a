/* gibbs_predictor.c - distances from what epm and narm have learned: 1 - the mean probability of a link over the states.
 *
 * With phi_i' Lambda phi_j the rate of a pair, q_i = Lambda phi_i, and phi_jk ~ Gamma(g_jk, rate c_j), c_j ~ Gamma(1, 1)
 * for a new node j, whose g comes from its attributes:
 *     two training nodes    the mean that was kept, else the mean over states of exp(-phi_i' q_j)
 *     a new node j          phi_j is integrated out: the mean of prod_k (1 + q_ik / c_j)^-g_jk
 *     two new nodes         phi of one is drawn and that of the other integrated out, both ways, and the two averaged
 *
 * The c of new nodes: the 1/2S, 3/2S, ... quantiles of their distribution, dealt out to the S states at random. That has
 * less noise than drawing them, and makes ln(1 + q_ik / c) a number of node i and the state alone: a pair costs one dot
 * product and one exp a state. Nodes that are drawn and nodes that are integrated out have different deals, since two new
 * nodes have independent c. What is drawn for a new node depends on seed, state and its attributes only.
 *
 * An item and itself are at distance 0: the same training node, or the same row and column of a square query. New
 * nodes with equal attributes are different nodes everywhere else. */
#include <math.h>

#include "base/hash.h"
#include "base/memory.h"
#include "method/gibbs/gibbs_learned.h"

/* No number is larger, so that sums of products stay finite. */
static const double largest = 1e30;

typedef struct ready_side {
    size_t n_items;
    const uint32_t *node; /* [n_items] the training node; SMERF_MISSING: new */
    const sm_view *view;
    float *shape; /* [n_items][n_cells] g of new nodes */
    float *reach; /* [n_items][n_cells] ln(1 + q / c); NULL: not needed, for there are no new nodes */
    float *pull;  /* [n_items][n_cells] q of training nodes; NULL: not needed, for their probabilities are known */
} ready_side;

struct sm_predictor {
    const sm_learned *learned;
    bool is_square;
    ready_side rows, columns;       /* of a square query: the same */
    double *c_drawn, *c_integrated; /* [n_states] */
};

/* What the threads need while sides are made ready. */
typedef struct ready_job {
    const sm_predictor *predictor;
    ready_side *side;
    double *phi, *g; /* [n_threads][n_cells] */
    uint32_t *set;   /* [n_threads][n_features + 1] */
} ready_job;

/* ---- making ready ---- */

/* Quantiles of Gamma(1, 1), dealt out by a stream of their own. */
static void deal_quantiles(double *c, size_t n, uint64_t seed, uint32_t which, uint32_t *order) {
    sm_random random;
    sm_random_start(&random, seed, which, SM_STREAM_NEW_NODE);
    for (size_t s = 0; s < n; s++) order[s] = (uint32_t)s;
    sm_random_shuffle(&random, order, n);
    for (size_t s = 0; s < n; s++) c[s] = -log(1 - (order[s] + 0.5) / (double)n);
}

static void find_shapes(const sm_learned *learned, const uint32_t *set, size_t n_set, double *g) {
    size_t n_cells = sm_learned_n_cells(learned);
    for (size_t k = 0; k < n_cells; k++) g[k] = 1;
    for (size_t a = 0; a < n_set; a++) {
        const float *h = learned->h + set[a] * n_cells;
        for (size_t k = 0; k < n_cells; k++) g[k] *= (double)h[k];
    }
    for (size_t k = 0; k < n_cells; k++) g[k] = fmin(g[k], largest);
}

static void draw_new_node(const sm_predictor *predictor, const uint32_t *set, size_t n_set, const double *g,
                          double *phi) {
    const sm_learned *learned = predictor->learned;
    uint64_t stream = sm_hash(set, n_set * sizeof *set, SM_STREAM_NEW_NODE);
    for (size_t s = 0; s < learned->n_states; s++) {
        sm_draws draws;
        sm_draws_start(&draws, learned->seed, (uint32_t)s, stream);
        for (size_t k = learned->first_cell[s]; k < learned->first_cell[s + 1]; k++)
            phi[k] = fmin(sm_draw_gamma(&draws, g[k]) / predictor->c_drawn[s], largest);
    }
}

/* q_k of a cell: a row of its state's Lambda times phi.   phi  of the state */
static double pull_of(const sm_learned *learned, size_t s, size_t k, const double *phi) {
    size_t n = learned->n_factors[s];
    const float *row = learned->lambda + learned->first_lambda[s] + k * n;
    double sum = 0;
    for (size_t l = 0; l < n; l++) sum += (double)row[l] * phi[l];
    return fmin(sum, largest);
}

static void spread_out(const sm_predictor *predictor, const ready_side *side, size_t item, const double *phi) {
    const sm_learned *learned = predictor->learned;
    size_t n_cells = sm_learned_n_cells(learned);
    for (size_t s = 0; s < learned->n_states; s++)
        for (size_t k = 0, cell = learned->first_cell[s]; k < learned->n_factors[s]; k++, cell++) {
            double pull = pull_of(learned, s, k, phi + learned->first_cell[s]);
            if (side->reach != NULL)
                side->reach[item * n_cells + cell] = (float)log1p(pull / predictor->c_integrated[s]);
            if (side->pull != NULL) side->pull[item * n_cells + cell] = (float)pull;
        }
}

static smerf_status prepare_item(void *argument, size_t item, size_t thread, smerf_error *error) {
    const ready_job *job = argument;
    const sm_learned *learned = job->predictor->learned;
    const ready_side *side = job->side;
    size_t n_cells = sm_learned_n_cells(learned);
    double *phi = job->phi + thread * n_cells, *g = job->g + thread * n_cells;
    uint32_t *set = job->set + thread * (learned->attributes.n_features + 1);
    (void)error;
    if (side->node[item] != SMERF_MISSING) {
        for (size_t k = 0; k < n_cells; k++) phi[k] = (double)learned->phi[side->node[item] * n_cells + k];
    } else {
        size_t n_set = sm_attributes_of(&learned->attributes, side->view, item, set);
        find_shapes(learned, set, n_set, g);
        draw_new_node(job->predictor, set, n_set, g, phi);
        for (size_t k = 0; k < n_cells; k++) side->shape[item * n_cells + k] = (float)g[k];
    }
    spread_out(job->predictor, side, item, phi);
    return SMERF_OK;
}

static bool has_new(const ready_side *side) {
    for (size_t i = 0; i < side->n_items; i++)
        if (side->node[i] == SMERF_MISSING) return true;
    return false;
}

/*   any_new  a new node is on one side or the other */
static smerf_status reserve_side(const sm_learned *learned, ready_side *side, bool any_new, smerf_error *error) {
    size_t n_cells = sm_learned_n_cells(learned), n = sm_size(side->n_items, n_cells, 0);
    bool needs_shape = has_new(side), needs_pull = learned->probability == NULL;
    double bytes = 4 * (double)n * ((needs_shape ? 1 : 0) + (any_new ? 1 : 0) + (needs_pull ? 1 : 0));
    smerf_status status = sm_check_memory(bytes, "the nodes asked for", error);
    if (status != SMERF_OK) return status;
    if (needs_shape) side->shape = sm_zeros(n, sizeof *side->shape);
    if (any_new) side->reach = sm_array(n, sizeof *side->reach);
    if (needs_pull) side->pull = sm_array(n, sizeof *side->pull);
    if ((needs_shape && side->shape == NULL) || (any_new && side->reach == NULL) || (needs_pull && side->pull == NULL))
        return sm_no_memory(error, "making nodes ready");
    return SMERF_OK;
}

static smerf_status prepare_side(const sm_predictor *predictor, ready_side *side, bool any_new, sm_pool *pool,
                                 smerf_error *error) {
    const sm_learned *learned = predictor->learned;
    size_t n_cells = sm_learned_n_cells(learned), n_threads = pool->n_threads;
    if (!any_new && learned->probability != NULL) return SMERF_OK;
    smerf_status status = reserve_side(learned, side, any_new, error);
    if (status != SMERF_OK) return status;
    ready_job job = {.predictor = predictor,
                     .side = side,
                     .phi = sm_array(sm_size(n_threads, n_cells, 0), sizeof *job.phi),
                     .g = sm_array(sm_size(n_threads, n_cells, 0), sizeof *job.g),
                     .set = sm_array(sm_size(n_threads, learned->attributes.n_features + 1, 0), sizeof *job.set)};
    if (job.phi == NULL || job.g == NULL || job.set == NULL)
        status = sm_no_memory(error, "making nodes ready");
    else
        status = sm_pool_run(pool, side->n_items, prepare_item, &job, error);
    sm_free(job.phi);
    sm_free(job.g);
    sm_free(job.set);
    return status;
}

static ready_side describe_side(const sm_query_items *items) {
    return (ready_side){.n_items = items->view->n_items, .node = items->training_row, .view = items->view};
}

smerf_status sm_gibbs_predictor_new(const sm_learned *learned, const sm_query_sides *sides, sm_pool *pool,
                                    sm_predictor **out, smerf_error *error) {
    size_t n_states = learned->n_states;
    sm_predictor *predictor = sm_zeros(1, sizeof *predictor);
    uint32_t *order = sm_array(n_states, sizeof *order);
    smerf_status status = SMERF_OK;
    if (predictor == NULL || order == NULL) {
        status = sm_no_memory(error, "making ready");
        goto done;
    }
    *predictor = (sm_predictor){.learned = learned,
                                .is_square = sides->is_square,
                                .rows = describe_side(&sides->rows),
                                .columns = describe_side(&sides->columns),
                                .c_drawn = sm_array(n_states, sizeof(double)),
                                .c_integrated = sm_array(n_states, sizeof(double))};
    if (predictor->c_drawn == NULL || predictor->c_integrated == NULL) {
        status = sm_no_memory(error, "making ready");
        goto done;
    }
    deal_quantiles(predictor->c_drawn, n_states, learned->seed, 0, order);
    deal_quantiles(predictor->c_integrated, n_states, learned->seed, 1, order);
    bool any_new = has_new(&predictor->rows) || has_new(&predictor->columns);
    status = prepare_side(predictor, &predictor->rows, any_new, pool, error);
    if (status == SMERF_OK && !sides->is_square)
        status = prepare_side(predictor, &predictor->columns, any_new, pool, error);
    if (status == SMERF_OK && sides->is_square) predictor->columns = predictor->rows;
    if (status == SMERF_OK) {
        *out = predictor; /* now the caller's */
        predictor = NULL;
    }
done:
    sm_free(order);
    sm_gibbs_predictor_free(predictor);
    return status;
}

static void free_side(ready_side *side) {
    sm_free(side->shape);
    sm_free(side->reach);
    sm_free(side->pull);
}

void sm_gibbs_predictor_free(sm_predictor *predictor) {
    if (predictor == NULL) return;
    free_side(&predictor->rows);
    if (!predictor->is_square) free_side(&predictor->columns);
    sm_free(predictor->c_drawn);
    sm_free(predictor->c_integrated);
    sm_free(predictor);
}

/* ---- predicting ---- */

/* In lanes that are joined in a fixed order.   n  a multiple of SM_STATE_LANES */
static double dot_floats(const float *a, const float *b, size_t n) {
    double lane[SM_STATE_LANES] = {0};
    for (size_t k = 0; k < n; k += SM_STATE_LANES)
        for (size_t u = 0; u < SM_STATE_LANES; u++) lane[u] += (double)a[k + u] * (double)b[k + u];
    return (lane[0] + lane[2]) + (lane[1] + lane[3]);
}

/* The mean over states of exp(-a' b).   a, b  [n_cells] */
static double mean_exp(const sm_learned *learned, const float *a, const float *b) {
    double sum = 0;
    for (size_t s = 0; s < learned->n_states; s++)
        sum += exp(-dot_floats(a + learned->first_cell[s], b + learned->first_cell[s], learned->n_factors[s]));
    return sum / (double)learned->n_states;
}

/* The smaller node's phi meets the larger one's q, whichever comes first: rounding would make them differ. */
static double between_trained(const sm_predictor *predictor, size_t row, size_t column) {
    const sm_learned *learned = predictor->learned;
    size_t n_cells = sm_learned_n_cells(learned), i = predictor->rows.node[row], j = predictor->columns.node[column];
    if (i == j) return 0;
    if (learned->probability != NULL) return 1 - (double)learned->probability[sm_pair_index(learned->n_nodes, i, j)];
    if (i < j) return mean_exp(learned, learned->phi + i * n_cells, predictor->columns.pull + column * n_cells);
    return mean_exp(learned, learned->phi + j * n_cells, predictor->rows.pull + row * n_cells);
}

static double gibbs_distance(const sm_predictor *predictor, size_t row, size_t column) {
    const sm_learned *learned = predictor->learned;
    const ready_side *rows = &predictor->rows, *columns = &predictor->columns;
    size_t left = row * sm_learned_n_cells(learned), right = column * sm_learned_n_cells(learned);
    bool row_is_new = rows->node[row] == SMERF_MISSING, column_is_new = columns->node[column] == SMERF_MISSING;
    if (!row_is_new && !column_is_new) return between_trained(predictor, row, column);
    if (predictor->is_square && row == column) return 0;
    if (!row_is_new) return mean_exp(learned, columns->shape + right, rows->reach + left);
    double column_drawn = mean_exp(learned, rows->shape + left, columns->reach + right);
    if (!column_is_new) return column_drawn;
    return (column_drawn + mean_exp(learned, columns->shape + right, rows->reach + left)) / 2;
}

void sm_gibbs_predict_row(sm_predictor *predictor, size_t row, const uint32_t *columns, size_t n, size_t thread,
                          double *distances) {
    (void)thread;
    for (size_t k = 0; k < n; k++) distances[k] = gibbs_distance(predictor, row, columns != NULL ? columns[k] : k);
}
