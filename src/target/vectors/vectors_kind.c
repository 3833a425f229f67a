/* vectors_kind.c - see vectors_kind.h: hands every call on to the vectors. */
#include "target/vectors/vectors_kind.h"

#include "base/memory.h"

void sm_vector_kind_search_free(sm_search *search) {
    if (search == NULL) return;
    sm_vector_search_free(search->vectors);
    sm_free(search);
}

sm_search *sm_vector_kind_search_new(const smerf_target *target, const sm_search_size *size, smerf_error *error) {
    sm_search *search = sm_zeros(1, sizeof *search);
    if (search == NULL) {
        sm_no_memory(error, "preparing to grow trees");
        return NULL;
    }
    search->target = target;
    search->vectors = sm_vector_search_new(sm_vectors_of(target), size, error);
    if (search->vectors != NULL) return search;
    sm_free(search);
    return NULL;
}

size_t sm_vector_kind_enter(sm_search *search, sm_node *node, size_t view) {
    sm_vector_enter(search->vectors, node);
    return view;
}

static double price_vector_cuts(sm_search *search, const sm_node *node, const sm_line_up *line_ups, size_t n_line_ups) {
    return sm_vector_price(search->vectors, node, line_ups, n_line_ups);
}

const sm_pricing sm_vector_kind_pricing = {.price = price_vector_cuts};

void sm_vector_kind_levels(sm_search *search, const sm_node *node, const uint32_t *level, size_t n_levels,
                           double *mean) {
    sm_vector_levels(search->vectors, node, level, n_levels, mean);
}

double sm_vector_kind_level_start(sm_search *search, const sm_node *node, const sm_node_levels *levels) {
    (void)node;
    return sm_vector_level_start(search->vectors, levels);
}

void sm_vector_kind_level_product(sm_search *search, const sm_node *node, const sm_node_levels *levels, const double *x,
                                  double *y) {
    (void)node;
    sm_vector_level_product(search->vectors, levels, x, y);
}

size_t sm_vector_kind_summary_bytes(const smerf_target *target, size_t n_leaves) {
    return sm_vector_summary_bytes(sm_vectors_of(target), n_leaves);
}

void *sm_vector_kind_summarise(const smerf_target *target, const sm_leaves *leaves) {
    return sm_vector_summarise(sm_vectors_of(target), leaves);
}

void sm_vector_kind_summary_free(void *summary) { sm_vector_summary_free(summary); }

size_t sm_vector_kind_n_block_numbers(const smerf_target *target) {
    return sm_size(sm_vectors_of(target)->rank, SM_BLOCK_ROWS, 0);
}

void sm_vector_kind_leaf_block(const smerf_target *target, const sm_leaves *leaves, const sm_leaf_block *block,
                               double *table) {
    sm_vector_leaf_block(sm_vectors_of(target), leaves->summary, leaves->n, block, table);
}

bool sm_vector_kind_add_block(const smerf_target *target, const sm_leaves *leaves, const sm_leaf_block *block,
                              const uint32_t *column_leaf, size_t n, double *sums) {
    return sm_vector_add_block(sm_vectors_of(target), leaves->summary, block, column_leaf, n, sums);
}

void sm_vector_kind_leaf_row(const smerf_target *target, const sm_leaves *leaves, size_t leaf, double *row,
                             double *scratch) {
    (void)scratch;
    sm_vector_leaf_row(sm_vectors_of(target), leaves->summary, leaves->n, leaf, row);
}

double sm_vector_kind_leaf_pair(const smerf_target *target, const sm_leaves *leaves, size_t a, size_t b) {
    return sm_vector_leaf_pair(sm_vectors_of(target), leaves->summary, a, b);
}

size_t sm_vector_kind_n_coordinates(const smerf_target *target) {
    return sm_vector_n_coordinates(sm_vectors_of(target));
}

void sm_vector_kind_leaf_point(const smerf_target *target, const sm_leaves *leaves, size_t leaf, double *point,
                               double *term) {
    sm_vector_leaf_point(sm_vectors_of(target), leaves->summary, leaf, point, term);
}

double sm_vector_kind_mean_apart(const smerf_target *target, const sm_leaves *leaves, size_t first, size_t end) {
    return sm_vector_mean_apart(sm_vectors_of(target), leaves, first, end);
}

size_t sm_vector_kind_node_bytes(const smerf_target *target, const sm_leaves *leaves) {
    return sm_vector_node_bytes(sm_vectors_of(target), leaves);
}

void *sm_vector_kind_summarise_nodes(const smerf_target *target, const sm_nodes *nodes) {
    return sm_vector_summarise_nodes(sm_vectors_of(target), nodes->leaves->summary, nodes);
}

void sm_vector_kind_nodes_free(void *summary) { sm_vector_nodes_free(summary); }

void sm_vector_kind_path_means(const smerf_target *target, const sm_nodes *nodes, size_t leaf, const uint32_t *path,
                               size_t n, double *mean, double *scratch) {
    (void)scratch;
    sm_vector_path_means(sm_vectors_of(target), nodes->leaves->summary, nodes, leaf, path, n, mean);
}

void sm_vector_kind_true_row(const smerf_target *target, size_t row, double *out) {
    sm_vectors_true_row(sm_vectors_of(target), row, out);
}
