/* pairs.c - the target that knows some pairs only: making, checking, saving and loading one.
 * Growing on it is pairs_search.c, predicting from it pairs_leaves.c. */
#include "target/links/pairs.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "target/links/graph.h"

/* What links are worth that have no array of values. */
static const double common_value = 1;

static void free_known_pairs(smerf_target *target) {
    sm_known_pairs *pairs = (sm_known_pairs *)target;
    sm_links_free(&pairs->own);
    sm_free(pairs->diagonal);
    sm_free(pairs->self_weight);
    smerf_target_free(pairs->shared);
    sm_free(pairs);
}

/* Everything that follows from the links and the diagonal. */
static void note_sizes(sm_known_pairs *pairs) {
    const sm_links *links = pairs->links;
    double sum = 0, weight = 0, self = 0;
    pairs->least_weight = pairs->most_weight = 1;
    for (size_t e = 0; e < links->n; e++) {
        double w = sm_links_weight(links, e), z = sm_links_value(links, e);
        sum += w * z;
        weight += w;
        pairs->largest = fmax(pairs->largest, fabs(z));
        pairs->least_weight = fmin(pairs->least_weight, w);
        pairs->most_weight = fmax(pairs->most_weight, w);
    }
    for (size_t i = 0; i < links->n_items; i++) {
        self += sm_known_self(pairs, i);
        pairs->largest = fmax(pairs->largest, fabs(sm_known_self(pairs, i)));
    }
    pairs->mean = weight > 0 ? sum / weight : self / (double)links->n_items;
    pairs->facts.n_pairs = links->n / 2;
    pairs->facts.n_unobserved = sm_links_n_lonely(links);
}

/* Takes links and diagonal, also on failure.   links  its own ones, or NULL: those of `shared` */
static smerf_status new_pairs(const sm_target_kind *kind, sm_links *links, const sm_known_pairs *shared,
                              double *diagonal, double self, sm_known_pairs **out, smerf_error *error) {
    sm_known_pairs *pairs = sm_zeros(1, sizeof *pairs);
    if (pairs == NULL) {
        if (links != NULL) sm_links_free(links);
        sm_free(diagonal);
        return sm_no_memory(error, "making a target");
    }
    if (links != NULL) pairs->own = *links;
    pairs->links = links != NULL ? &pairs->own : shared->links;
    pairs->diagonal = diagonal;
    pairs->self = self;
    sm_target_start(&pairs->head, kind, pairs->links->n_items, pairs->links->n_items);
    note_sizes(pairs);
    *out = pairs;
    return SMERF_OK;
}

/* ---- from a list of rated pairs ---- */

/* What repeats of one pair come to. */
typedef struct rating {
    double value, weight;
    bool is_conflict;
} rating;

static rating merge(const smerf_pair_list *list, const uint32_t *order, size_t n) {
    rating merged = {.value = sm_list_value(list, order[0])};
    double sum = 0, weight = 0;
    for (size_t k = 0; k < n; k++) {
        double value = sm_list_value(list, order[k]), w = list->weight != NULL ? list->weight[order[k]] : 1;
        sum += w * value;
        weight += w;
        merged.is_conflict = merged.is_conflict || value != merged.value;
    }
    if (merged.is_conflict) merged.value = sum / weight; /* which would round, were they all the same */
    merged.weight = weight / (double)n;
    return merged;
}

/* Of a pair of two items goes to the upper triangle, of an item and itself to the diagonal. */
static void gather_known_pairs(const smerf_pair_list *list, const uint32_t *order, sm_upper *upper, double *diagonal,
                               double *self_weight, smerf_pair_facts *facts) {
    for (size_t first = 0, end; first < list->n; first = end) {
        end = sm_list_run(list, order, first);
        uint32_t smaller = sm_list_smaller(list, order[first]), larger = sm_list_larger(list, order[first]);
        rating merged = merge(list, order + first, end - first);
        if (smaller == larger) {
            diagonal[smaller] = merged.value;
            self_weight[smaller] = merged.weight;
            continue;
        }
        upper->n_partners[smaller]++;
        upper->partner[upper->n] = larger;
        upper->value[upper->n] = merged.value;
        if (upper->weight != NULL) upper->weight[upper->n] = merged.weight;
        upper->n++;
        facts->n_repeated += end - first > 1;
        facts->n_conflicts += merged.is_conflict;
    }
    sm_upper_trim(upper, common_value);
}

static double *drop_zeros(double *diagonal, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (diagonal[i] != 0) return diagonal;
    sm_free(diagonal);
    return NULL;
}

smerf_status smerf_target_new_pairs(const smerf_pair_list *list, size_t n_items, smerf_target **out,
                                    smerf_error *error) {
    uint32_t *order = NULL;
    smerf_status status = sm_list_sort(list, n_items, &order, error);
    if (status != SMERF_OK) return status;
    sm_upper upper = {0};
    sm_links links = {0};
    smerf_pair_facts facts = {0};
    double *diagonal = sm_zeros(n_items, sizeof *diagonal), *self_weight = sm_zeros(n_items, sizeof *self_weight);
    if (diagonal != NULL && self_weight != NULL && sm_upper_start(&upper, n_items, list->n, list->weight != NULL)) {
        gather_known_pairs(list, order, &upper, diagonal, self_weight, &facts);
        sm_free(order);
        order = NULL;
        status = sm_links_mirror(&links, &upper, n_items, common_value, error);
    } else {
        status = sm_no_memory(error, "listing pairs");
    }
    sm_free(order);
    sm_upper_free(&upper);
    sm_known_pairs *pairs = NULL;
    if (status == SMERF_OK)
        status = new_pairs(&sm_target_pairs, &links, NULL, drop_zeros(diagonal, n_items), 0, &pairs, error);
    else
        sm_free(diagonal);
    if (status != SMERF_OK) {
        sm_free(self_weight);
        return status;
    }
    pairs->self_weight = drop_zeros(self_weight, n_items);
    pairs->facts.n_repeated = facts.n_repeated;
    pairs->facts.n_conflicts = facts.n_conflicts;
    *out = &pairs->head;
    return SMERF_OK;
}

/* ---- from a graph of which some pairs are observed ---- */

/* Every observed pair at distance 1; an item and itself always are observed. */
static void gather_observed(const smerf_pair_list *observed, const uint32_t *order, sm_upper *upper,
                            size_t *n_repeated) {
    for (size_t first = 0, end; first < observed->n; first = end) {
        end = sm_list_run(observed, order, first);
        uint32_t smaller = sm_list_smaller(observed, order[first]), larger = sm_list_larger(observed, order[first]);
        if (smaller == larger) continue;
        upper->n_partners[smaller]++;
        upper->partner[upper->n] = larger;
        upper->value[upper->n++] = 1;
        *n_repeated += end - first > 1;
    }
}

/* Puts the edges where their pairs are: both stand in the same order. Returns the first entry of the list, in its own
 * order, whose pair is not there; n: none. */
static size_t put_edges(const smerf_pair_list *edges, const uint32_t *order, sm_upper *upper) {
    size_t item = 0, k = 0, row_end = upper->n_partners[0], missing = edges->n;
    for (size_t first = 0, end; first < edges->n; first = end) {
        end = sm_list_run(edges, order, first);
        uint32_t smaller = sm_list_smaller(edges, order[first]), larger = sm_list_larger(edges, order[first]);
        while (item < smaller) {
            k = row_end;
            row_end += upper->n_partners[++item];
        }
        while (k < row_end && upper->partner[k] < larger) k++;
        if (k < row_end && upper->partner[k] == larger)
            upper->value[k] = 1 - sm_list_value(edges, order[first]);
        else if (order[first] < missing)
            missing = order[first];
    }
    return missing;
}

static smerf_status make_observed(const smerf_pair_list *edges, const uint32_t *edge_order,
                                  const smerf_pair_list *observed, const uint32_t *observed_order, size_t n_items,
                                  sm_known_pairs **out, smerf_error *error) {
    sm_upper upper;
    sm_links links;
    size_t n_repeated = 0;
    if (!sm_upper_start(&upper, n_items, observed->n, false)) return sm_no_memory(error, "listing observed pairs");
    gather_observed(observed, observed_order, &upper, &n_repeated);
    size_t missing = put_edges(edges, edge_order, &upper);
    smerf_status status = SMERF_OK;
    if (missing < edges->n) {
        status = sm_fail_at(error, missing, SMERF_NOWHERE,
                            SM_AT_ENTRY "the edge (%u, %u) is not among the observed pairs; every edge was observed",
                            missing, edges->left[missing], edges->right[missing]);
    } else {
        sm_upper_trim(&upper, common_value);
        status = sm_links_mirror(&links, &upper, n_items, common_value, error);
    }
    sm_upper_free(&upper);
    if (status == SMERF_OK) status = new_pairs(&sm_target_observed, &links, NULL, NULL, 0, out, error);
    if (status == SMERF_OK) (*out)->facts.n_repeated = n_repeated;
    return status;
}

smerf_status sm_observed_new(const smerf_pair_list *edges, const smerf_pair_list *observed, size_t n_items,
                             smerf_target **out, smerf_error *error) {
    const smerf_pair_list both_ends = {.n = observed->n, .left = observed->left, .right = observed->right};
    uint32_t *edge_order = NULL, *observed_order = NULL;
    sm_known_pairs *pairs = NULL;
    smerf_status status = sm_list_sort(&both_ends, n_items, &observed_order, error);
    if (status != SMERF_OK) {
        if (error != NULL) error->row = SMERF_NOWHERE; /* rows are those of the edges */
        return status;
    }
    status = sm_edges_sort(edges, n_items, &edge_order, error);
    if (status == SMERF_OK)
        status = make_observed(edges, edge_order, &both_ends, observed_order, n_items, &pairs, error);
    sm_free(edge_order);
    sm_free(observed_order);
    if (status == SMERF_OK) *out = &pairs->head;
    return status;
}

/* ---- what is known ---- */

static void pairs_true_row(const smerf_target *target, size_t row, double *out) {
    const sm_known_pairs *pairs = sm_known_pairs_of(target);
    for (size_t j = 0; j < target->n_columns; j++) out[j] = NAN;
    for (size_t e = pairs->links->first[row]; e < pairs->links->first[row + 1]; e++)
        out[pairs->links->partner[e]] = sm_links_value(pairs->links, e);
    out[row] = sm_known_self(pairs, row);
}

static double pairs_fallback(const smerf_target *target) { return sm_known_pairs_of(target)->mean; }

bool smerf_target_pair_facts(const smerf_target *target, smerf_pair_facts *facts) {
    if (target->kind == &sm_target_graph)
        *facts = sm_graph_of(target)->facts;
    else if (target->kind == &sm_target_pairs || target->kind == &sm_target_observed)
        *facts = sm_known_pairs_of(target)->facts;
    else
        return false;
    return true;
}

/* ---- variants and files ---- */

static smerf_status set_pairs_diagonal(const smerf_target *target, double value, smerf_target **out,
                                       smerf_error *error) {
    const sm_known_pairs *parent = sm_known_pairs_of(target);
    sm_known_pairs *pairs = NULL;
    smerf_status status = new_pairs(target->kind, NULL, parent, NULL, value, &pairs, error);
    if (status != SMERF_OK) return status;
    pairs->facts = parent->facts;
    pairs->head.from_similarities = target->from_similarities;
    pairs->head.largest_similarity = target->largest_similarity;
    pairs->shared = sm_target_retain((smerf_target *)target); /* counting owners does not change it */
    *out = &pairs->head;
    return SMERF_OK;
}

/* Some of the numbers of items. False: no memory.   numbers  NULL: none, and so is *out */
static bool take_numbers(const double *numbers, const uint32_t *rows, size_t n, double **out) {
    *out = NULL;
    if (numbers == NULL) return true;
    double *taken = sm_array(n, sizeof *taken);
    if (taken == NULL) return false;
    for (size_t k = 0; k < n; k++) taken[k] = numbers[rows[k]];
    *out = drop_zeros(taken, n);
    return true;
}

static smerf_status take_pairs(const smerf_target *target, const uint32_t *rows, size_t n, smerf_target **out,
                               smerf_error *error) {
    const sm_known_pairs *parent = sm_known_pairs_of(target);
    sm_links links;
    sm_known_pairs *pairs = NULL;
    double *diagonal;
    if (!take_numbers(parent->diagonal, rows, n, &diagonal)) return sm_no_memory(error, "taking pairs");
    smerf_status status = sm_links_take(parent->links, rows, n, &links, error);
    if (status == SMERF_OK)
        status = new_pairs(target->kind, &links, NULL, diagonal, parent->self, &pairs, error);
    else
        sm_free(diagonal);
    if (status == SMERF_OK && !take_numbers(parent->self_weight, rows, n, &pairs->self_weight)) {
        smerf_target_free(&pairs->head);
        status = sm_no_memory(error, "taking pairs");
    }
    if (status == SMERF_OK) *out = &pairs->head;
    return status;
}

static bool pairs_are_equal(const smerf_target *a, const smerf_target *b) {
    const sm_known_pairs *left = sm_known_pairs_of(a), *right = sm_known_pairs_of(b);
    if (a->from_similarities != b->from_similarities) return false;
    if (a->from_similarities && a->largest_similarity != b->largest_similarity) return false;
    if (!sm_links_equal(left->links, right->links)) return false;
    for (size_t i = 0; i < a->n_rows; i++)
        if (sm_known_self(left, i) != sm_known_self(right, i)) return false;
    return true;
}

/* The diagonal only where it is not zero. */
static smerf_status save_pairs(const smerf_target *target, sm_tensors *tensors, smerf_error *error) {
    const sm_known_pairs *pairs = sm_known_pairs_of(target);
    smerf_status status = sm_links_save(pairs->links, tensors, error);
    if (status != SMERF_OK || (pairs->diagonal == NULL && pairs->self == 0)) return status;
    double *diagonal = sm_array(target->n_rows, sizeof *diagonal);
    if (diagonal == NULL) return sm_no_memory(error, "saving pairs");
    for (size_t i = 0; i < target->n_rows; i++) diagonal[i] = sm_known_self(pairs, i);
    return sm_tensors_give(tensors, "target.diagonal", SM_F64, diagonal, target->n_rows, error);
}

static smerf_status load_diagonal(const sm_tensors *tensors, size_t n, double **diagonal, smerf_error *error) {
    if (sm_tensors_find(tensors, "target.diagonal") == NULL) return SMERF_OK;
    const void *data = NULL;
    smerf_status status = sm_tensors_get(tensors, "target.diagonal", SM_F64, n, &data, error);
    if (status != SMERF_OK) return status;
    const double *self = data;
    for (size_t i = 0; i < n; i++)
        if (!(fabs(self[i]) <= SM_LARGEST_DISTANCE))
            return sm_fail(error, SMERF_BAD_FILE, "the model's self-distances are not all finite");
    *diagonal = sm_copy(self, n, sizeof *self);
    return *diagonal != NULL ? SMERF_OK : sm_no_memory(error, "loading pairs");
}

static smerf_status load_kind(const sm_target_kind *kind, const sm_tensors *tensors, size_t n_items, smerf_target **out,
                              smerf_error *error) {
    double *diagonal = NULL;
    sm_links links;
    sm_known_pairs *pairs = NULL;
    smerf_status status = load_diagonal(tensors, n_items, &diagonal, error);
    if (status == SMERF_OK) {
        status = sm_links_load(&links, tensors, n_items, common_value, error);
        if (status != SMERF_OK) sm_free(diagonal);
    }
    if (status == SMERF_OK) status = new_pairs(kind, &links, NULL, diagonal, 0, &pairs, error);
    if (status == SMERF_OK) *out = &pairs->head;
    return status;
}

static smerf_status load_pairs(const sm_tensors *tensors, size_t n_items, smerf_target **out, smerf_error *error) {
    return load_kind(&sm_target_pairs, tensors, n_items, out, error);
}

static smerf_status load_observed(const sm_tensors *tensors, size_t n_items, smerf_target **out, smerf_error *error) {
    return load_kind(&sm_target_observed, tensors, n_items, out, error);
}

#define COMMON_TABLES                                                                                                  \
    .engines = {&sm_pairs_engine}, .data.free = free_known_pairs, .predicting.summary_bytes = sm_pairs_summary_bytes,  \
    .predicting.summarise = sm_pairs_summarise, .predicting.summary_free = sm_pairs_summary_free,                      \
    .predicting.may_be_undefined = true, .predicting.fallback = pairs_fallback,                                        \
    .predicting.leaf_row = sm_pairs_leaf_row, .predicting.leaf_pair = sm_pairs_leaf_pair,                              \
    .predicting.mean_apart = sm_pairs_mean_apart, .explaining.root_means = sm_pairs_root_means,                        \
    .explaining.path_means = sm_pairs_path_means, .data.true_row = pairs_true_row,                                     \
    .data.with_diagonal = set_pairs_diagonal, .data.take = take_pairs, .data.equal = pairs_are_equal,                  \
    .data.save = save_pairs

const sm_target_kind sm_target_pairs = {
    .name = "pairs",
    .metrics = SMERF_HAS(SMERF_RMSE) | SMERF_HAS(SMERF_SPEARMAN) | SMERF_HAS(SMERF_MAP10),
    .data.load = load_pairs,
    COMMON_TABLES,
};

const sm_target_kind sm_target_observed = {
    .name = "observed",
    .metrics = SMERF_HAS(SMERF_RMSE) | SMERF_HAS(SMERF_SPEARMAN) | SMERF_HAS(SMERF_MAP10) | SMERF_HAS(SMERF_AUC_ROC) |
               SMERF_HAS(SMERF_AUC_PR),
    .data.is_link = sm_graph_is_link,
    .data.load = load_observed,
    COMMON_TABLES,
};
