/* versioned.h - structs of smerf.h that begin with their size, and may be older or newer than this library.
 *
 * Every public function first reads those that it is given into full structs of its own: what an older program does not have
 * is 0 (or a default), and what a newer one has set is refused. Inside, all structs are full. Results go the other way: as
 * much as fits is written. docs/decisions/0021-structs-that-can-grow.md */
#ifndef SM_BASE_VERSIONED_H
#define SM_BASE_VERSIONED_H

#include "base/status.h"

typedef struct sm_struct {
    const char *name;
    size_t size;  /* of this library's */
    size_t first; /* of the first version's: there is none that is smaller */
} sm_struct;

/* Copies what the caller has into *full, and sets its size. The rest of *full is left as it is.
 *   given  begins with its size; NULL is refused */
smerf_status sm_struct_read(const sm_struct *type, const void *given, void *full, smerf_error *error);

/* Copies as much of a full struct as the caller has, all but the size. */
void sm_struct_write(const sm_struct *type, const void *full, void *given);

/* Fills in a caller's struct, of which only the size is known, from a full one. What is not a size leaves it with size 0,
 * which is refused wherever it goes. */
void sm_struct_fill(const sm_struct *type, const void *full, void *given, size_t size);

/* The last field of each struct in its first version. */
#define SM_LAST_smerf_baseline_options n_chains
#define SM_LAST_smerf_boost_options pairs_a_round
#define SM_LAST_smerf_options baselines
#define SM_LAST_smerf_run context
#define SM_LAST_smerf_estimate n_items_tried
#define SM_LAST_smerf_request n_trees
#define SM_LAST_smerf_pair_result spread
#define SM_LAST_smerf_neighborhood radius
#define SM_LAST_smerf_scores value
#define SM_LAST_smerf_triplet_scores log_loss
#define SM_LAST_smerf_ratings n_rows
#define SM_LAST_smerf_ceiling reliability
#define SM_LAST_smerf_correlation p_spearman
#define SM_LAST_smerf_value_scores r_squared
#define SM_LAST_smerf_interactions n_features
#define SM_LAST_smerf_explanation distance
#define SM_LAST_smerf_item_request k
#define SM_LAST_smerf_clustering seed
#define SM_LAST_smerf_clusters mean_silhouette
#define SM_LAST_smerf_map_options seed
#define SM_LAST_smerf_map stress
#define SM_LAST_smerf_vector_result term
#define SM_LAST_smerf_description ignored
#define SM_LAST_smerf_linear intercept
#define SM_LAST_smerf_tree_view member_draws
#define SM_LAST_smerf_tuning context
#define SM_LAST_smerf_tuned score
#define SM_LAST_smerf_grid n_selves
#define SM_LAST_smerf_simulation n_items
#define SM_LAST_smerf_comparison options
#define SM_LAST_smerf_method_scores score

#define SM_UP_TO(type, last) (offsetof(type, last) + sizeof(((type *)0)->last))
#define SM_UP_TO_(type, last) SM_UP_TO(type, last)
#define SM_STRUCT(type) (&(const sm_struct){#type, sizeof(type), SM_UP_TO_(type, SM_LAST_##type)})

/* At the top of a public function that owns nothing yet: a full copy of the struct that `name` points to, to which it points
 * from here on; returns from the function if the struct is refused. */
#define SM_READ(type, name, error)                                                                                     \
    type name##_copy = {0};                                                                                            \
    {                                                                                                                  \
        smerf_status read_status = sm_struct_read(SM_STRUCT(type), name, &name##_copy, error);                         \
        if (read_status != SMERF_OK) return read_status;                                                               \
    }                                                                                                                  \
    (name) = &name##_copy

/* The same for a run, which may be NULL. */
#define SM_READ_RUN(run, error)                                                                                        \
    const smerf_run no_run = {.size = sizeof(smerf_run)};                                                              \
    if ((run) == NULL) (run) = &no_run;                                                                                \
    SM_READ(smerf_run, run, error)

/* A result: `full` is a full copy of *given, to be filled in and written back with SM_WRITE. */
#define SM_READ_RESULT(type, given, full, error)                                                                       \
    type full = {0};                                                                                                   \
    {                                                                                                                  \
        smerf_status read_status = sm_struct_read(SM_STRUCT(type), given, &(full), error);                             \
        if (read_status != SMERF_OK) return read_status;                                                               \
    }                                                                                                                  \
    (full).size = sizeof(type)
#define SM_WRITE(type, full, given) sm_struct_write(SM_STRUCT(type), &(full), given)

#endif
