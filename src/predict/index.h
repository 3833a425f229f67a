/* index.h - a catalogue that is kept: what is left of its items, and the ways to search it.
 *
 *   index.c        made, grown, freed; ids
 *   index_tiles.c  codes of items in tiles, arranged so that few tiles come near a query
 *   index_query.c  a search: which way, its lists, what each thread does
 *   index_codes.c  by codes: tiles that are too far are passed over
 *   index_leaves.c by leaves, for few queries; for many, blocks as in any search (neighbors.c)
 *   index_file.c   saved and loaded
 *
 * Whatever the way, a distance is what the sum over the trees in their order gives, and ties go by the order of the items. */
#ifndef SM_PREDICT_INDEX_H
#define SM_PREDICT_INDEX_H

#include "predict/block.h"
#include "predict/codes.h"
#include "predict/neighbors.h"
#include "predict/prepared.h"

/* Items stand in tiles, a number side by side that the kernels for codes want. Classes are dealt out to so many groups; a tile of
 * codes knows of each the most trees in which one of its items has a code of it. */
#define SM_INDEX_TILE SM_CODE_TILE
enum { SM_CODE_GROUPS = 16 };

/* Items as codes. The first n_arranged stand in an order of their own, the rest as they came. */
typedef struct sm_index_tiles {
    uint8_t *codes;    /* [tiles of the capacity][trees][SM_CODE_TILE] */
    uint32_t *item_at; /* [capacity] which item stands where */
    size_t n_arranged;
    uint16_t *most;  /* [tiles of the capacity][SM_CODE_GROUPS] */
    uint32_t *least; /* [tiles of the capacity] the first item of each tile */
} sm_index_tiles;

/* Between which the sums lie that the items of a tile have, over the trees: of a value of their leaves, and of its square. */
typedef struct sm_value_range {
    double least, most, most_squared;
} sm_value_range;

/* Items as leaves. Where the target's values bound distances, those that are arranged stand in the order of their values. */
typedef struct sm_index_leaves {
    uint32_t *leaf;    /* [trees][capacity] */
    uint32_t *item_at; /* [capacity] which item stands where */
    size_t n_arranged;
    uint32_t *least;        /* [tiles of the capacity] the first item of each tile */
    size_t n_groups;        /* of values; 0: they bound nothing */
    double scale;           /* the largest value of any leaf */
    sm_value_range *ranges; /* [tiles of the capacity][n_groups] */
} sm_index_leaves;

struct smerf_index {
    const smerf_model *model;
    size_t n_items, capacity;
    char *id_column; /* NULL: items are called by their row */
    sm_strings ids;  /* [n_items], or none */
    size_t ids_capacity;
    sm_leaf_codes codes;         /* of the model's leaves; none: it searches leaves */
    sm_index_tiles tiles;        /* by codes, */
    sm_index_leaves leaves;      /* or by leaves, and then */
    sm_prepared_trees *prepared; /* all trees, unless the model has them, or they take too much */
};

static inline bool sm_index_has_codes(const smerf_index *index) { return index->codes.of != NULL; }

/* [n_items] which item stands where. */
static inline const uint32_t *sm_index_item_at(const smerf_index *index) {
    return sm_index_has_codes(index) ? index->tiles.item_at : index->leaves.item_at;
}

/* An index without items. */
smerf_status sm_index_start(const smerf_model *model, sm_pool *pool, smerf_index **out, smerf_error *error);

/* Memory for n items; contents are kept. */
smerf_status sm_index_reserve(smerf_index *index, size_t n, smerf_error *error);

/* An array of more elements, those that are new filled with zeros. False: no memory, and it is as it was. */
bool sm_index_widen(void **array, size_t n_before, size_t n, size_t size);

/* ---- tiles ---- */

bool sm_tiles_reserve(sm_index_tiles *tiles, size_t capacity, size_t needed, size_t n_trees);
void sm_tiles_free(sm_index_tiles *tiles);

/* Items up to n_items have come, of which those from `first` on are new: brings what is known of their tiles up to date, and
 * arranges all items anew where many stand as they came. A failure changes nothing for the items before. */
smerf_status sm_tiles_update(smerf_index *index, size_t first, size_t n_items, size_t n_threads, smerf_error *error);

/* Calls act(of, tile) for every tile of so many items, on threads: every tile has its turn, and nobody is asked whether to go on. */
void sm_index_for_tiles(size_t n_items, size_t n_threads, void (*act)(const void *of, size_t tile), const void *of);

/* ---- leaves, and the values that they have ---- */

/* All trees ready; NULL: they take too much. */
static inline const sm_ready *sm_index_ready(const smerf_index *index) {
    return index->prepared != NULL ? index->prepared->ready : sm_prepared_of(index->model);
}

/* Finds out whether values bound distances. */
void sm_leaves_start(smerf_index *index);
bool sm_leaves_reserve(smerf_index *index, size_t needed);
void sm_leaves_free(sm_index_leaves *leaves);

/* As sm_tiles_update. */
smerf_status sm_leaves_update(smerf_index *index, size_t first, size_t n_items, size_t n_threads, smerf_error *error);

/* Sums over the trees of the values of some leaves, and of their squares, by group.
 *   leaf    [trees] step apart
 *   values  [values of the target] scratch
 *   sums    [n_groups][2] out */
void sm_leaf_sums(const smerf_index *index, const uint32_t *leaf, size_t step, double *values, double *sums);

/* What an item of a tile is away from a query with these sums at least, as a mean over the trees. */
double sm_tile_bound(const smerf_index *index, size_t tile, const double *sums);

/* ---- a search ---- */

/* Threads share the items of a catalogue where there are fewer queries than threads: each has lists of its own. */
typedef struct sm_index_search {
    sm_neighbor_search search; /* its lists are those of the first part */
    const smerf_index *index;
    size_t n_parts;
    sm_nearest *more; /* [n_parts - 1][search.most_queries] */
} sm_index_search;

/* The list of a query of the panel for one part of the items. */
static inline sm_nearest *sm_index_list(const sm_index_search *of, size_t part, size_t query) {
    size_t q = query - of->search.first;
    return part == 0 ? &of->search.nearest[q] : &of->more[(part - 1) * of->search.most_queries + q];
}

static inline bool sm_index_offer(sm_nearest *list, size_t item, double distance) {
    return !sm_nearest_wants_item(list, item, distance) || sm_nearest_keep(list, item, distance);
}

/* The items that belong to a part: whole tiles. */
static inline sm_span sm_index_part(const sm_index_search *of, size_t part) {
    size_t n_items = of->index->n_items, n = (sm_code_tiles(n_items) + of->n_parts - 1) / of->n_parts * SM_CODE_TILE;
    size_t first = part * n < n_items ? part * n : n_items;
    return (sm_span){first, n_items - first < n ? n_items : first + n};
}

/* Both fill the lists of a panel. */
smerf_status sm_index_count_codes(sm_index_search *of, smerf_error *error);
smerf_status sm_index_add_leaves(sm_index_search *of, smerf_error *error);

/* Fewer queries than this are quicker one by one than in blocks, whatever the leaves. */
enum { SM_FEW_QUERIES = 8 };

#endif
