/* rank.c - the target of low rank. Where its vectors come from is factor/factor.c, what is done with them vectors.c. */
#include "target/vectors/rank.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "factor/factor.h"
#include "target/dense/distances.h"
#include "target/links/graph.h"
#include "target/vectors/vectors_kind.h"

/* Distances that differ by less than this, relative to the largest, are the same but for rounding. */
static const double rounding = 1e-9;

/* In files; beyond what distances can be, products could overflow. */
static const double largest_number = (double)FLT_MAX;

typedef struct rank_target { /* starts as sm_vector_target does */
    smerf_target head;
    sm_vectors vectors;    /* borrows from the arrays below, or from those of `shared` */
    double *u, *scale, *a; /* NULL if they are not ours */
    double *self;
    double slack; /* by which distances that are equal may differ */
    const sm_target_kind *origin;
    smerf_target *shared; /* the target that the vectors belong to, if they are not ours */
} rank_target;

static const rank_target *rank_of(const smerf_target *target) { return (const rank_target *)target; }

static void free_rank(smerf_target *target) {
    rank_target *kept = (rank_target *)target;
    sm_free(kept->u);
    sm_free(kept->scale);
    sm_free(kept->a);
    sm_free(kept->self);
    smerf_target_free(kept->shared);
    sm_free(kept);
}

/* ---- making one ---- */

/* No |z| is larger than what this says. */
static double bound(const sm_vectors *vectors) {
    double largest_a = 0, largest_k = 0, largest_self = 0;
    for (size_t i = 0; i < vectors->n_items; i++) {
        double k = 0;
        for (size_t r = 0; r < vectors->rank; r++)
            k += fabs(vectors->scale[r]) * vectors->u[i * vectors->rank + r] * vectors->u[i * vectors->rank + r];
        largest_a = fmax(largest_a, fabs(vectors->a[i]));
        largest_k = fmax(largest_k, k);
        largest_self = fmax(largest_self, fabs(vectors->self[i]));
    }
    return fmax(2 * (largest_a + largest_k), largest_self);
}

/* Takes over the arrays, also if memory runs out: then NULL. */
static rank_target *assemble(sm_factors *factors, double *self, const sm_target_kind *origin) {
    rank_target *kept = sm_zeros(1, sizeof *kept);
    if (kept == NULL) {
        sm_factors_free(factors);
        sm_free(self);
        return NULL;
    }
    size_t n = factors->n_items;
    sm_target_start(&kept->head, &sm_target_rank, n, n);
    kept->u = factors->u;
    kept->scale = factors->scale;
    kept->a = factors->a;
    kept->self = self;
    kept->origin = origin;
    kept->head.rank_fraction = factors->eigenvalue_fraction;
    kept->head.rank_fraction_of_squares = factors->fraction_of_squares;
    sm_free(factors->value);
    kept->vectors = (sm_vectors){
        .n_items = n, .rank = factors->rank, .u = kept->u, .scale = kept->scale, .a = kept->a, .self = kept->self};
    kept->slack = rounding * bound(&kept->vectors);
    return kept;
}

/* What is known of `target` beside the distances. */
static bool copy_notes(smerf_target *to, const smerf_target *target) {
    to->from_similarities = target->from_similarities;
    to->largest_similarity = target->largest_similarity;
    return sm_strings_copy(&to->columns, (const char *const *)target->columns.text, target->columns.n);
}

static double rank_self(const smerf_target *target, size_t item) {
    if (target->kind == &sm_target_graph) return sm_graph_of(target)->self;
    if (target->kind == &sm_target_distances) return sm_distances_self(sm_distances_of(target), item);
    return sm_vectors_self(sm_columns_vectors(target), item);
}

static smerf_status factor_graph(const sm_graph *graph, const double *self, size_t rank, uint64_t seed, sm_pool *pool,
                                 sm_factors *factors, smerf_error *error) {
    const sm_links *links = graph->links;
    const sm_listed_pairs pairs = {.n_items = links->n_items,
                                   .first = links->first,
                                   .partner = links->partner,
                                   .value = links->value,
                                   .common = links->common,
                                   .elsewhere = 1,
                                   .self = self};
    const sm_operator matrix = sm_operator_listed(&pairs);
    return sm_factor(&matrix, rank, seed, pool, factors, error);
}

static smerf_status factor(const smerf_target *target, const double *self, size_t rank, uint64_t seed, sm_pool *pool,
                           sm_factors *factors, smerf_error *error) {
    if (target->kind == &sm_target_graph)
        return factor_graph(sm_graph_of(target), self, rank, seed, pool, factors, error);
    if (target->kind == &sm_target_product)
        return sm_factor_vectors(sm_columns_vectors(target), rank, pool, factors, error);
    const sm_operator matrix = sm_operator_distances(sm_distances_of(target));
    return sm_factor(&matrix, rank, seed, pool, factors, error);
}

smerf_status sm_rank_new(const smerf_target *target, size_t rank, uint64_t seed, sm_pool *pool, smerf_target **out,
                         smerf_error *error) {
    bool is_fit =
        target->kind == &sm_target_distances || target->kind == &sm_target_product || target->kind == &sm_target_graph;
    if (!is_fit || target->is_block || rank == 0)
        return sm_fail(error, SMERF_BAD_INPUT,
                       "{rank}: a low rank, of at least 1, is for distances, graphs and products, not for %s",
                       target->is_block ? "distances between two sets of items" : target->kind->name);
    sm_factors factors;
    double *self = sm_array(target->n_rows, sizeof *self);
    for (size_t i = 0; i < target->n_rows && self != NULL; i++) self[i] = rank_self(target, i);
    if (self == NULL) return sm_no_memory(error, "finding the leading part of a target");
    smerf_status status = factor(target, self, rank, seed, pool, &factors, error);
    if (status != SMERF_OK) {
        sm_free(self);
        return status;
    }
    rank_target *kept = assemble(&factors, self, target->kind);
    if (kept == NULL) return sm_no_memory(error, "making a target of low rank");
    if (!copy_notes(&kept->head, target)) {
        smerf_target_free(&kept->head);
        return sm_no_memory(error, "making a target of low rank");
    }
    *out = &kept->head;
    return SMERF_OK;
}

sm_rank_facts sm_rank_describe(const smerf_target *target) {
    const rank_target *kept = rank_of(target);
    return (sm_rank_facts){.origin = kept->origin,
                           .rank = kept->vectors.rank,
                           .fraction_of_squares = target->rank_fraction_of_squares,
                           .eigenvalue_fraction = target->rank_fraction};
}

/* ---- growing ---- */

static bool rank_is_pure(sm_search *search, const sm_node *node) {
    return sm_vector_all_equal(search->vectors, node, rank_of(search->target)->slack);
}

/* ---- variants and files ---- */

static smerf_status set_rank_diagonal(const smerf_target *target, double value, smerf_target **out,
                                      smerf_error *error) {
    const rank_target *parent = rank_of(target);
    rank_target *kept = sm_zeros(1, sizeof *kept);
    if (kept == NULL) return sm_no_memory(error, "setting self-distances");
    sm_target_start(&kept->head, &sm_target_rank, target->n_rows, target->n_rows);
    kept->self = sm_array(target->n_rows, sizeof *kept->self);
    if (kept->self == NULL || !copy_notes(&kept->head, target)) {
        smerf_target_free(&kept->head);
        return sm_no_memory(error, "setting self-distances");
    }
    for (size_t i = 0; i < target->n_rows; i++) kept->self[i] = value;
    kept->vectors = parent->vectors;
    kept->vectors.self = kept->self;
    kept->slack = rounding * bound(&kept->vectors);
    kept->origin = parent->origin;
    kept->head.rank_fraction = target->rank_fraction;
    kept->head.rank_fraction_of_squares = target->rank_fraction_of_squares;
    kept->shared = sm_target_retain((smerf_target *)target); /* counting owners does not change it */
    *out = &kept->head;
    return SMERF_OK;
}

static bool same(const double *a, const double *b, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (a[i] != b[i]) return false;
    return true;
}

static bool ranks_are_equal(const smerf_target *a, const smerf_target *b) {
    const rank_target *left = rank_of(a), *right = rank_of(b);
    size_t n = a->n_rows, rank = left->vectors.rank;
    if (n != b->n_rows || rank != right->vectors.rank || left->origin != right->origin) return false;
    if (a->from_similarities != b->from_similarities || !sm_strings_equal(&a->columns, &b->columns)) return false;
    if (a->from_similarities && a->largest_similarity != b->largest_similarity) return false;
    return same(left->vectors.u, right->vectors.u, n * rank) && same(left->vectors.scale, right->vectors.scale, rank) &&
           same(left->vectors.a, right->vectors.a, n) && same(left->vectors.self, right->vectors.self, n);
}

static smerf_status save_fractions(const smerf_target *target, sm_tensors *tensors, smerf_error *error) {
    const double fractions[2] = {target->rank_fraction_of_squares, target->rank_fraction};
    double *copy = sm_copy(fractions, 2, sizeof *copy);
    if (copy == NULL) return sm_no_memory(error, "saving a target");
    return sm_tensors_give(tensors, "target.share", SM_F64, copy, isnan(fractions[1]) ? 1 : 2, error);
}

static smerf_status save_rank(const smerf_target *target, sm_tensors *tensors, smerf_error *error) {
    const rank_target *kept = rank_of(target);
    size_t n = target->n_rows, rank = kept->vectors.rank, n_bytes;
    smerf_status status = sm_tensors_add(tensors, "target.u", SM_F64, kept->vectors.u, n * rank, error);
    if (status == SMERF_OK) status = sm_tensors_add(tensors, "target.scale", SM_F64, kept->vectors.scale, rank, error);
    if (status == SMERF_OK) status = sm_tensors_add(tensors, "target.a", SM_F64, kept->vectors.a, n, error);
    if (status == SMERF_OK) status = sm_tensors_add(tensors, "target.self", SM_F64, kept->vectors.self, n, error);
    if (status == SMERF_OK) status = save_fractions(target, tensors, error);
    if (status == SMERF_OK)
        status = sm_tensors_add(tensors, "target.origin", SM_U8, kept->origin->name, strlen(kept->origin->name), error);
    if (status != SMERF_OK || target->columns.n == 0) return status;
    char *names = sm_strings_pack(&target->columns, &n_bytes);
    if (names == NULL) return sm_no_memory(error, "saving a target");
    return sm_tensors_give(tensors, "target.column", SM_U8, names, n_bytes, error);
}

static smerf_status load_origin(const sm_tensors *tensors, const sm_target_kind **origin, smerf_error *error) {
    const sm_tensor *name = sm_tensors_find(tensors, "target.origin");
    char text[32] = "";
    if (name != NULL && name->type == SM_U8 && name->n < sizeof text) memcpy(text, name->data, name->n);
    *origin = sm_target_kind_find(text);
    if (*origin != NULL && *origin != &sm_target_rank) return SMERF_OK;
    return sm_fail(error, SMERF_BAD_FILE, "the model does not say what its low rank was made from");
}

static smerf_status load_fractions(const sm_tensors *tensors, sm_factors *factors, smerf_error *error) {
    const sm_tensor *tensor = sm_tensors_find(tensors, "target.share");
    size_t n_fractions = tensor != NULL && tensor->n == 2 ? 2 : 1;
    double *fraction = NULL;
    smerf_status status =
        sm_target_load_numbers(tensors, "target.share", n_fractions, largest_number, &fraction, error);
    if (status != SMERF_OK) return status;
    for (size_t i = 0; i < n_fractions; i++)
        if (!(fraction[i] >= 0 && fraction[i] <= 1))
            status = sm_fail(error, SMERF_BAD_FILE, "the model's share of the spectrum is not between 0 and 1");
    factors->fraction_of_squares = fraction[0];
    factors->eigenvalue_fraction = n_fractions == 2 ? fraction[1] : NAN;
    sm_free(fraction);
    return status;
}

static smerf_status load_rank(const sm_tensors *tensors, size_t n_items, smerf_target **out, smerf_error *error) {
    const sm_tensor *scale = sm_tensors_find(tensors, "target.scale");
    sm_factors factors = {.n_items = n_items, .rank = scale != NULL ? scale->n : 0};
    double *self = NULL;
    const sm_target_kind *origin = NULL;
    smerf_status status =
        sm_target_load_numbers(tensors, "target.scale", factors.rank, largest_number, &factors.scale, error);
    if (status == SMERF_OK)
        status = sm_target_load_numbers(tensors, "target.u", sm_size(n_items, factors.rank, 0), largest_number,
                                        &factors.u, error);
    if (status == SMERF_OK)
        status = sm_target_load_numbers(tensors, "target.a", n_items, largest_number, &factors.a, error);
    if (status == SMERF_OK)
        status = sm_target_load_numbers(tensors, "target.self", n_items, largest_number, &self, error);
    if (status == SMERF_OK) status = load_fractions(tensors, &factors, error);
    if (status == SMERF_OK) status = load_origin(tensors, &origin, error);
    if (status != SMERF_OK) {
        sm_factors_free(&factors);
        sm_free(self);
        return status;
    }
    rank_target *kept = assemble(&factors, self, origin);
    if (kept == NULL) return sm_no_memory(error, "loading a target");
    status = sm_target_load_columns(tensors, &kept->head.columns, error);
    if (status == SMERF_OK)
        *out = &kept->head;
    else
        smerf_target_free(&kept->head);
    return status;
}

static const sm_engine rank_engine = {SM_VECTOR_ENGINE, .is_pure = rank_is_pure};

const sm_target_kind sm_target_rank = {
    SM_VECTOR_KIND,
    .name = "rank",
    .metrics = SMERF_HAS(SMERF_RMSE) | SMERF_HAS(SMERF_SPEARMAN) | SMERF_HAS(SMERF_MAP10),
    .data.free = free_rank,
    .engines = {&rank_engine},
    .data.is_approximate = true,
    .data.with_diagonal = set_rank_diagonal,
    .data.equal = ranks_are_equal,
    .data.save = save_rank,
    .data.load = load_rank,
};
