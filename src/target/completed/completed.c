/* completed.c - pairs of which the missing ones were filled in, never as a matrix.
 *
 * Every distance is the sum of two parts that have their own engines: what the completion says, which comes from vectors
 * (vectors.h), and what a known pair differs from that, which is sparse (a graph: 0 but for its links). Costs, distances
 * between leaves and means are sums over pairs, so each is the sum of what the two parts say. A graph has distance 1
 * where there is no link, so the vectors have 1 less. */
#include "target/completed/completed.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "target/links/graph.h"
#include "target/links/pairs.h"

/* A completion is as large as the distances that it was fitted to, give or take: more than these can be, and far less
 * than would leave the range of a double in sums of weighted ones. */
static const double largest_rest = 1e45;

static void free_completed(smerf_target *target) {
    sm_completed *completed = (sm_completed *)target;
    sm_completion_free(&completed->form);
    sm_free(completed->lowered);
    sm_free(completed->self);
    smerf_target_free(completed->rest);
    smerf_target_free(completed->pairs);
    sm_free(completed);
}

const smerf_target *sm_completed_pairs(const smerf_target *target) {
    return target->kind == &sm_target_completed ? sm_completed_of(target)->pairs : NULL;
}

/* ---- making one ---- */

/* The known pairs as links: 1 more than what the form says too little. */
static smerf_status make_rest(const sm_links *links, const sm_completion *form, smerf_target **out,
                              smerf_error *error) {
    sm_upper rest;
    if (!sm_upper_start(&rest, links->n_items, links->n / 2, false)) return sm_no_memory(error, "completing pairs");
    smerf_status status = SMERF_OK;
    for (size_t i = 0; i < links->n_items; i++)
        for (size_t e = links->first[i]; e < links->first[i + 1] && status == SMERF_OK; e++) {
            uint32_t j = links->partner[e];
            double too_much = j > i ? sm_completion_pair(form, i, j) - sm_links_value(links, e) : 0;
            if (!(fabs(too_much) <= largest_rest))
                status =
                    sm_fail(error, SMERF_BAD_INPUT,
                            "{complete}: items %zu and %u are at distance %g, and at %g by the completion, which is "
                            "too far off",
                            i, j, sm_links_value(links, e), sm_completion_pair(form, i, j));
            if (!sm_graph_is_link(1 - too_much)) continue;
            rest.n_partners[i]++;
            rest.partner[rest.n] = j;
            rest.value[rest.n++] = 1 - too_much;
        }
    if (status == SMERF_OK) status = sm_graph_new(&rest, links->n_items, out, error);
    sm_upper_free(&rest);
    return status;
}

smerf_status sm_completed_new(smerf_target *pairs, sm_completion *completion, smerf_target **out, smerf_error *error) {
    const sm_known_pairs *known = sm_known_pairs_of(pairs);
    size_t n = pairs->n_rows;
    sm_completed *completed = sm_zeros(1, sizeof *completed);
    if (completed == NULL) {
        sm_completion_free(completion);
        return sm_no_memory(error, "completing pairs");
    }
    sm_target_start(&completed->head, &sm_target_completed, n, n);
    completed->head.from_similarities = pairs->from_similarities;
    completed->head.largest_similarity = pairs->largest_similarity;
    completed->pairs = sm_target_retain(pairs);
    completed->form = *completion;
    *completion = (sm_completion){0};
    completed->lowered = sm_array(n, sizeof *completed->lowered);
    completed->self = sm_array(n, sizeof *completed->self);
    smerf_status status = SMERF_OK;
    if (completed->lowered == NULL || completed->self == NULL)
        status = sm_no_memory(error, "completing pairs");
    else
        status = make_rest(known->links, &completed->form, &completed->rest, error);
    if (status != SMERF_OK) {
        smerf_target_free(&completed->head);
        return status;
    }
    for (size_t i = 0; i < n; i++) {
        completed->lowered[i] = completed->form.a[i] - 0.5;
        completed->self[i] = sm_known_self(known, i); /* the rest has 0 from an item to itself */
    }
    completed->vectors = (sm_vectors){.n_items = n,
                                      .rank = completed->form.rank,
                                      .u = completed->form.u,
                                      .scale = completed->form.scale,
                                      .a = completed->lowered,
                                      .self = completed->self};
    *out = &completed->head;
    return SMERF_OK;
}

/* ---- predicting ---- */

typedef struct summary {
    sm_vector_summary *vectors;
    void *rest;
} summary;

static size_t completed_summary_bytes(const smerf_target *target, size_t n_leaves) {
    const sm_completed *completed = sm_completed_of(target);
    return sizeof(summary) + sm_vector_summary_bytes(&completed->vectors, n_leaves) +
           completed->rest->kind->predicting.summary_bytes(completed->rest, n_leaves);
}

static void free_completed_summary(void *made) {
    summary *old = made;
    if (old == NULL) return;
    sm_vector_summary_free(old->vectors);
    sm_target_graph.predicting.summary_free(old->rest);
    sm_free(old);
}

static void *summarise_completed(const smerf_target *target, const sm_leaves *leaves) {
    const sm_completed *completed = sm_completed_of(target);
    summary *made = sm_zeros(1, sizeof *made);
    if (made == NULL) return NULL;
    made->vectors = sm_vector_summarise(&completed->vectors, leaves);
    made->rest = completed->rest->kind->predicting.summarise(completed->rest, leaves);
    if (made->vectors != NULL && made->rest != NULL) return made;
    free_completed_summary(made);
    return NULL;
}

/* The leaves as the rest wants to see them. */
static sm_leaves for_rest(const sm_leaves *leaves) {
    sm_leaves own = *leaves;
    own.summary = ((const summary *)leaves->summary)->rest;
    return own;
}

static void completed_leaf_row(const smerf_target *target, const sm_leaves *leaves, size_t leaf, double *row,
                               double *scratch) {
    const sm_completed *completed = sm_completed_of(target);
    const summary *made = leaves->summary;
    const sm_leaves own = for_rest(leaves);
    completed->rest->kind->predicting.leaf_row(completed->rest, &own, leaf, row, scratch);
    for (size_t l = 0; l < leaves->n; l++) row[l] += sm_vector_leaf_pair(&completed->vectors, made->vectors, leaf, l);
}

static double completed_leaf_pair(const smerf_target *target, const sm_leaves *leaves, size_t a, size_t b) {
    const sm_completed *completed = sm_completed_of(target);
    const summary *made = leaves->summary;
    const sm_leaves own = for_rest(leaves);
    return completed->rest->kind->predicting.leaf_pair(completed->rest, &own, a, b) +
           sm_vector_leaf_pair(&completed->vectors, made->vectors, a, b);
}

static double completed_mean_apart(const smerf_target *target, const sm_leaves *leaves, size_t first, size_t end) {
    const sm_completed *completed = sm_completed_of(target);
    const sm_leaves own = for_rest(leaves);
    return completed->rest->kind->predicting.mean_apart(completed->rest, &own, first, end) +
           sm_vector_mean_apart(&completed->vectors, leaves, first, end);
}

static size_t completed_node_bytes(const smerf_target *target, const sm_leaves *leaves) {
    return sm_vector_node_bytes(&sm_completed_of(target)->vectors, leaves);
}

static void *summarise_completed_nodes(const smerf_target *target, const sm_nodes *nodes) {
    const summary *made = nodes->leaves->summary;
    return sm_vector_summarise_nodes(&sm_completed_of(target)->vectors, made->vectors, nodes);
}

static void free_completed_nodes(void *made) { sm_vector_nodes_free(made); }

static void completed_path_means(const smerf_target *target, const sm_nodes *nodes, size_t leaf, const uint32_t *path,
                                 size_t n, double *mean, double *scratch) {
    const sm_completed *completed = sm_completed_of(target);
    const sm_leaves own = for_rest(nodes->leaves);
    const sm_nodes rest = {.leaves = &own, .total = nodes->total};
    completed->rest->kind->explaining.path_means(completed->rest, &rest, leaf, path, n, mean, scratch);
    sm_vector_path_means(&completed->vectors, ((const summary *)nodes->leaves->summary)->vectors, nodes, leaf, path, n,
                         scratch);
    for (size_t k = 0; k < n; k++) mean[k] += scratch[k];
}

/* What was filled in is no truth. */
static void completed_true_row(const smerf_target *target, size_t row, double *out) {
    const smerf_target *pairs = sm_completed_of(target)->pairs;
    pairs->kind->data.true_row(pairs, row, out);
}

/* ---- files ---- */

/* Of what the pairs were made from, the target itself knows: those from a file do not. */
static bool same_pairs(const smerf_target *a, const smerf_target *b) {
    const sm_known_pairs *left = sm_known_pairs_of(a), *right = sm_known_pairs_of(b);
    if (a->kind != b->kind || !sm_links_equal(left->links, right->links)) return false;
    for (size_t i = 0; i < a->n_rows; i++)
        if (sm_known_self(left, i) != sm_known_self(right, i)) return false;
    return true;
}

static bool completed_are_equal(const smerf_target *a, const smerf_target *b) {
    const sm_completed *left = sm_completed_of(a), *right = sm_completed_of(b);
    size_t n = a->n_rows, rank = left->form.rank;
    if (a->from_similarities != b->from_similarities) return false;
    if (a->from_similarities && a->largest_similarity != b->largest_similarity) return false;
    if (!same_pairs(left->pairs, right->pairs)) return false;
    return rank == right->form.rank && memcmp(left->form.a, right->form.a, n * sizeof(double)) == 0 &&
           memcmp(left->form.u, right->form.u, n * rank * sizeof(double)) == 0 &&
           memcmp(left->form.scale, right->form.scale, rank * sizeof(double)) == 0;
}

static smerf_status save_completed(const smerf_target *target, sm_tensors *tensors, smerf_error *error) {
    const sm_completed *completed = sm_completed_of(target);
    static const uint8_t has_links[2] = {0, 1};
    bool is_graph = completed->pairs->kind == &sm_target_observed;
    smerf_status status = completed->pairs->kind->data.save(completed->pairs, tensors, error);
    if (status == SMERF_OK) status = sm_tensors_add(tensors, "target.is_graph", SM_U8, &has_links[is_graph], 1, error);
    if (status == SMERF_OK)
        status = sm_tensors_add(tensors, "target.a", SM_F64, completed->form.a, target->n_rows, error);
    if (status == SMERF_OK)
        status = sm_tensors_add(tensors, "target.u", SM_F64, completed->form.u, target->n_rows * completed->form.rank,
                                error);
    if (status == SMERF_OK)
        status = sm_tensors_add(tensors, "target.scale", SM_F64, completed->form.scale, completed->form.rank, error);
    return status;
}

static smerf_status load_completed(const sm_tensors *tensors, size_t n_items, smerf_target **out, smerf_error *error) {
    const void *is_graph = NULL;
    const sm_tensor *scale = sm_tensors_find(tensors, "target.scale");
    smerf_target *pairs = NULL;
    sm_completion form = {.n_items = n_items, .rank = scale != NULL ? scale->n : 0};
    smerf_status status = sm_tensors_get(tensors, "target.is_graph", SM_U8, 1, &is_graph, error);
    if (status == SMERF_OK) status = sm_target_load_numbers(tensors, "target.a", n_items, largest_rest, &form.a, error);
    if (status == SMERF_OK)
        status =
            sm_target_load_numbers(tensors, "target.u", sm_size(n_items, form.rank, 0), largest_rest, &form.u, error);
    if (status == SMERF_OK)
        status = sm_target_load_numbers(tensors, "target.scale", form.rank, largest_rest, &form.scale, error);
    if (status == SMERF_OK && *(const uint8_t *)is_graph > 1)
        status = sm_fail(error, SMERF_BAD_FILE, "the model does not say whether its pairs are those of a graph");
    if (status == SMERF_OK)
        status = (*(const uint8_t *)is_graph != 0 ? &sm_target_observed : &sm_target_pairs)
                     ->data.load(tensors, n_items, &pairs, error);
    if (status == SMERF_OK) status = sm_completed_new(pairs, &form, out, error);
    if (status == SMERF_BAD_INPUT) {
        status = SMERF_BAD_FILE; /* distances that cannot be are the file's fault here */
        if (error != NULL) error->status = status;
    }
    sm_completion_free(&form);
    smerf_target_free(pairs);
    return status;
}

const sm_target_kind sm_target_completed = {
    .name = "completed",
    .data.free = free_completed,
    .engines = {&sm_completed_engine},
    .predicting.summary_bytes = completed_summary_bytes,
    .predicting.summarise = summarise_completed,
    .predicting.summary_free = free_completed_summary,
    .predicting.leaf_row = completed_leaf_row,
    .predicting.leaf_pair = completed_leaf_pair,
    .predicting.mean_apart = completed_mean_apart,
    .explaining.node_bytes = completed_node_bytes,
    .explaining.summarise_nodes = summarise_completed_nodes,
    .explaining.nodes_free = free_completed_nodes,
    .explaining.path_means = completed_path_means,
    .data.true_row = completed_true_row,
    .data.equal = completed_are_equal,
    .data.save = save_completed,
    .data.load = load_completed,
};
