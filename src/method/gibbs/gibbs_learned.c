/* gibbs_learned.c - see gibbs_learned.h: memory, and files. */
#include "method/gibbs/gibbs_learned.h"

#include <float.h>

#include "base/memory.h"

/* ---- memory ---- */

static size_t n_pairs(const sm_learned *learned) { return learned->n_nodes * (learned->n_nodes - 1) / 2; }

/* Where each state starts; false: no memory, or more than can be counted. */
static bool lay_out_states(sm_learned *learned, const uint32_t *n_factors, size_t n_states) {
    learned->n_states = n_states;
    learned->n_factors = sm_copy(n_factors, n_states, sizeof *n_factors);
    learned->first_cell = sm_zeros(n_states + 1, sizeof *learned->first_cell);
    learned->first_lambda = sm_zeros(n_states + 1, sizeof *learned->first_lambda);
    if (learned->n_factors == NULL || learned->first_cell == NULL || learned->first_lambda == NULL) return false;
    for (size_t s = 0; s < n_states; s++) {
        learned->first_cell[s + 1] = learned->first_cell[s] + n_factors[s];
        learned->first_lambda[s + 1] = sm_size(n_factors[s], n_factors[s], learned->first_lambda[s]);
        if (learned->first_lambda[s + 1] == SIZE_MAX) return false;
    }
    return true;
}

bool sm_learned_reserve(sm_learned *learned, const uint32_t *n_factors, size_t n_states) {
    if (!lay_out_states(learned, n_factors, n_states)) return false;
    size_t n_cells = sm_learned_n_cells(learned);
    learned->phi = sm_zeros(sm_size(learned->n_nodes, n_cells, 0), sizeof *learned->phi);
    learned->lambda = sm_zeros(learned->first_lambda[n_states], sizeof *learned->lambda);
    bool has_memory = learned->phi != NULL && learned->lambda != NULL;
    if (learned->attributes.n > 0) {
        learned->h = sm_zeros(sm_size(learned->attributes.n, n_cells, 0), sizeof *learned->h);
        has_memory = has_memory && learned->h != NULL;
    }
    return has_memory;
}

void sm_learned_free(sm_learned *learned) {
    if (learned == NULL) return;
    sm_free(learned->probability);
    sm_free(learned->n_factors);
    sm_free(learned->first_cell);
    sm_free(learned->first_lambda);
    sm_free(learned->phi);
    sm_free(learned->lambda);
    sm_free(learned->h);
    sm_attributes_free(&learned->attributes);
    sm_free(learned);
}

/* ---- files ---- */

smerf_status sm_learned_save(const sm_learned *learned, sm_tensors *tensors, smerf_error *error) {
    size_t n_cells = sm_learned_n_cells(learned), n_lambda = learned->first_lambda[learned->n_states];
    smerf_status status = sm_tensors_add(tensors, "learned.seed", SM_U64, &learned->seed, 1, error);
    if (status == SMERF_OK)
        status = sm_tensors_add(tensors, "learned.n_factors", SM_U32, learned->n_factors, learned->n_states, error);
    if (status == SMERF_OK)
        status = sm_tensors_add(tensors, "learned.phi", SM_F32, learned->phi, learned->n_nodes * n_cells, error);
    if (status == SMERF_OK)
        status = sm_tensors_add(tensors, "learned.lambda", SM_F32, learned->lambda, n_lambda, error);
    if (status == SMERF_OK && learned->probability != NULL)
        status = sm_tensors_add(tensors, "learned.probability", SM_F32, learned->probability, n_pairs(learned), error);
    if (status != SMERF_OK || learned->h == NULL) return status;
    status = sm_tensors_add(tensors, "learned.h", SM_F32, learned->h, learned->attributes.n * n_cells, error);
    return status == SMERF_OK ? sm_attributes_save(&learned->attributes, tensors, error) : status;
}

/* Copies an array of numbers from 0 to `largest`; anything else is damage. */
static smerf_status load_state_numbers(const sm_tensors *tensors, const char *name, size_t n, float largest, float *out,
                                       smerf_error *error) {
    const void *data = NULL;
    smerf_status status = sm_tensors_get(tensors, name, SM_F32, n, &data, error);
    if (status != SMERF_OK) return status;
    for (size_t k = 0; k < n; k++) {
        out[k] = ((const float *)data)[k];
        if (!(out[k] >= 0 && out[k] <= largest))
            return sm_fail(error, SMERF_BAD_FILE, "the model's array '%s' holds numbers that it cannot hold", name);
    }
    return SMERF_OK;
}

/* Sizes are compared with those of the arrays before memory is reserved for them. */
static smerf_status load_states(sm_learned *learned, const sm_tensors *tensors, smerf_error *error) {
    const sm_tensor *n_factors = sm_tensors_find(tensors, "learned.n_factors");
    const sm_tensor *phi = sm_tensors_find(tensors, "learned.phi"),
                    *lambda = sm_tensors_find(tensors, "learned.lambda");
    if (n_factors == NULL || n_factors->type != SM_U32 || n_factors->n > SM_MOST_STATES || phi == NULL ||
        lambda == NULL)
        return sm_fail(error, SMERF_BAD_FILE, "the model has no list of states");
    const uint32_t *n = n_factors->data;
    size_t n_cells = 0, n_lambda = 0;
    bool is_good = true;
    for (size_t s = 0; s < n_factors->n; s++) {
        is_good = is_good && n[s] % SM_STATE_LANES == 0 && n[s] < 1u << 24;
        n_cells += n[s];
        n_lambda = sm_size(n[s], n[s], n_lambda);
    }
    if (!is_good || lambda->n != n_lambda || phi->n != sm_size(learned->n_nodes, n_cells, 0))
        return sm_fail(error, SMERF_BAD_FILE, "the model's states do not fit its nodes");
    const sm_tensor *h = sm_tensors_find(tensors, "learned.h");
    if (learned->attributes.n > 0 && (h == NULL || h->n != sm_size(learned->attributes.n, n_cells, 0)))
        return sm_fail(error, SMERF_BAD_FILE, "the model's states do not fit its attributes");
    if (!sm_learned_reserve(learned, n, n_factors->n)) return sm_no_memory(error, "loading states");
    smerf_status status = load_state_numbers(tensors, "learned.phi", phi->n, FLT_MAX, learned->phi, error);
    if (status == SMERF_OK)
        status = load_state_numbers(tensors, "learned.lambda", n_lambda, FLT_MAX, learned->lambda, error);
    if (status == SMERF_OK && learned->h != NULL)
        status = load_state_numbers(tensors, "learned.h", h->n, FLT_MAX, learned->h, error);
    return status;
}

static smerf_status load_probabilities(sm_learned *learned, const sm_tensors *tensors, smerf_error *error) {
    const sm_tensor *tensor = sm_tensors_find(tensors, "learned.probability");
    if (tensor == NULL) return SMERF_OK;
    if (learned->n_nodes > SM_MOST_NODES_IN_PAIRS || tensor->n != n_pairs(learned))
        return sm_fail(error, SMERF_BAD_FILE, "the model's probabilities do not fit its nodes");
    learned->probability = sm_array(tensor->n, sizeof *learned->probability);
    if (learned->probability == NULL) return sm_no_memory(error, "loading probabilities");
    return load_state_numbers(tensors, "learned.probability", tensor->n, 1, learned->probability, error);
}

smerf_status sm_learned_load(const sm_tensors *tensors, const sm_features *features, bool has_attributes,
                             size_t n_nodes, sm_learned **out, smerf_error *error) {
    const void *seed = NULL;
    smerf_status status = sm_tensors_get(tensors, "learned.seed", SM_U64, 1, &seed, error);
    if (status != SMERF_OK) return status;
    sm_learned *learned = sm_zeros(1, sizeof *learned);
    if (learned == NULL) return sm_no_memory(error, "loading a model");
    learned->n_nodes = n_nodes;
    learned->seed = *(const uint64_t *)seed;
    if (has_attributes) status = sm_attributes_load(&learned->attributes, features, tensors, error);
    if (status == SMERF_OK) status = load_states(learned, tensors, error);
    if (status == SMERF_OK) status = load_probabilities(learned, tensors, error);
    if (status == SMERF_OK && learned->n_states == 0 && (has_attributes || learned->probability == NULL))
        status = sm_fail(error, SMERF_BAD_FILE, "the model has neither states nor probabilities");
    if (status == SMERF_OK)
        *out = learned;
    else
        sm_learned_free(learned);
    return status;
}
