/* boost_file.c - what boosting has learned as named arrays, and back: the arrays are not to be trusted.
 *
 * All sums of trees stand one after the other: the one for new items, and those of the bags (docs/model-format.md). */
#include <string.h>

#include "base/memory.h"
#include "method/boost/boost.h"

/* ---- saving ---- */

/* The numbers of all sums, put together. */
typedef struct boost_arrays {
    size_t n_boosts, n_trees, n_splits, n_sets;
    double *start;                   /* [n_boosts] */
    uint32_t *n_of;                  /* [n_boosts] trees */
    uint32_t *n_of_tree;             /* [n_trees] splits */
    double *threshold, *gain, *mean; /* [n_splits] */
    uint32_t *feature, *child;       /* [n_splits], [n_splits][2] */
    uint8_t *what;                   /* [n_splits] the kind, and MISSING_LEFT */
    double *value;                   /* [n_splits + n_trees] */
    uint32_t *set;                   /* [n_sets][SM_SET_WORDS] */
} boost_arrays;

enum { MISSING_LEFT = 128 };

static const sm_boost *boost_at(const sm_learned *learned, size_t b) {
    return b == 0 ? &learned->all : &learned->bags[b - 1];
}

static void free_boost_arrays(boost_arrays *arrays) {
    void *all[] = {arrays->start,   arrays->n_of,  arrays->n_of_tree, arrays->threshold, arrays->gain, arrays->mean,
                   arrays->feature, arrays->child, arrays->what,      arrays->value,     arrays->set};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) sm_free(all[k]);
}

static bool reserve_boost_arrays(boost_arrays *arrays, const sm_learned *learned) {
    *arrays = (boost_arrays){.n_boosts = 1 + sm_n_bags(learned->n_groups)};
    for (size_t b = 0; b < arrays->n_boosts; b++) {
        arrays->n_trees += boost_at(learned, b)->n_trees;
        arrays->n_splits += boost_at(learned, b)->n_splits;
        arrays->n_sets += boost_at(learned, b)->n_sets;
    }
    size_t n = arrays->n_splits;
    arrays->start = sm_array(arrays->n_boosts, sizeof *arrays->start);
    arrays->n_of = sm_array(arrays->n_boosts, sizeof *arrays->n_of);
    arrays->n_of_tree = sm_array(arrays->n_trees, sizeof *arrays->n_of_tree);
    arrays->threshold = sm_array(n, sizeof *arrays->threshold);
    arrays->gain = sm_array(n, sizeof *arrays->gain);
    arrays->mean = sm_array(n, sizeof *arrays->mean);
    arrays->feature = sm_array(n, sizeof *arrays->feature);
    arrays->child = sm_array(sm_size(n, 2, 0), sizeof *arrays->child);
    arrays->what = sm_array(n, sizeof *arrays->what);
    arrays->value = sm_array(n + arrays->n_trees, sizeof *arrays->value);
    arrays->set = sm_array(sm_size(arrays->n_sets, SM_SET_WORDS, 0), sizeof *arrays->set);
    return arrays->start != NULL && arrays->n_of != NULL && arrays->n_of_tree != NULL && arrays->threshold != NULL &&
           arrays->gain != NULL && arrays->mean != NULL && arrays->feature != NULL && arrays->child != NULL &&
           arrays->what != NULL && arrays->value != NULL && arrays->set != NULL;
}

static void copy_boost(boost_arrays *arrays, size_t b, const sm_boost *boost, size_t at[3]) {
    arrays->start[b] = boost->start;
    arrays->n_of[b] = (uint32_t)boost->n_trees;
    for (size_t t = 0; t < boost->n_trees; t++) arrays->n_of_tree[at[0] + t] = boost->first[t + 1] - boost->first[t];
    for (size_t s = 0; s < boost->n_splits; s++) {
        const sm_boost_split *split = &boost->splits[s];
        size_t to = at[1] + s;
        arrays->threshold[to] = split->threshold;
        arrays->gain[to] = boost->gain[s];
        arrays->mean[to] = boost->mean[s];
        arrays->feature[to] = split->feature;
        arrays->child[2 * to] = split->left;
        arrays->child[2 * to + 1] = split->right;
        arrays->what[to] = (uint8_t)(split->kind | (split->missing_left ? MISSING_LEFT : 0));
    }
    size_t n_values = boost->n_splits + boost->n_trees, n_words = boost->n_sets * SM_SET_WORDS;
    if (n_values > 0) memcpy(arrays->value + at[1] + at[0], boost->value, n_values * sizeof *arrays->value);
    if (n_words > 0) memcpy(arrays->set + at[2] * SM_SET_WORDS, boost->sets, n_words * sizeof *arrays->set);
    at[0] += boost->n_trees;
    at[1] += boost->n_splits;
    at[2] += boost->n_sets;
}

/* Hands each array over; what was not taken on failure is freed here. */
static smerf_status give_arrays(boost_arrays *arrays, sm_tensors *tensors, smerf_error *error) {
    struct {
        const char *name;
        sm_tensor_type type;
        void *data;
        size_t n;
    } all[] = {{"learned.start", SM_F64, arrays->start, arrays->n_boosts},
               {"learned.n_trees", SM_U32, arrays->n_of, arrays->n_boosts},
               {"learned.n_splits", SM_U32, arrays->n_of_tree, arrays->n_trees},
               {"learned.threshold", SM_F64, arrays->threshold, arrays->n_splits},
               {"learned.gain", SM_F64, arrays->gain, arrays->n_splits},
               {"learned.mean", SM_F64, arrays->mean, arrays->n_splits},
               {"learned.feature", SM_U32, arrays->feature, arrays->n_splits},
               {"learned.child", SM_U32, arrays->child, 2 * arrays->n_splits},
               {"learned.what", SM_U8, arrays->what, arrays->n_splits},
               {"learned.value", SM_F64, arrays->value, arrays->n_splits + arrays->n_trees},
               {"learned.set", SM_U32, arrays->set, arrays->n_sets * SM_SET_WORDS}};
    smerf_status status = SMERF_OK;
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        if (status == SMERF_OK)
            status = sm_tensors_give(tensors, all[k].name, all[k].type, all[k].data, all[k].n, error);
        else
            sm_free(all[k].data);
    }
    return status;
}

/* What is not about trees. */
static smerf_status save_facts(const sm_learned *learned, const uint8_t *level_bin, size_t n_levels,
                               sm_tensors *tensors, smerf_error *error) {
    uint8_t *kind = sm_array(3, sizeof *kind), *levels = sm_copy(level_bin, n_levels, sizeof *levels);
    if (kind == NULL || levels == NULL) {
        sm_free(kind);
        sm_free(levels);
        return sm_no_memory(error, "saving a model");
    }
    kind[0] = learned->is_logistic;
    kind[1] = learned->is_directed;
    kind[2] = (uint8_t)learned->n_groups;
    smerf_status status = sm_tensors_give(tensors, "learned.levels", SM_U8, levels, n_levels, error);
    if (status == SMERF_OK)
        status = sm_tensors_give(tensors, "learned.kind", SM_U8, kind, 3, error);
    else
        sm_free(kind);
    if (status == SMERF_OK && learned->n_groups > 0)
        status = sm_tensors_add(tensors, "learned.group", SM_U8, learned->group_of, learned->n_items, error);
    return status;
}

smerf_status sm_boost_save(const sm_learned *learned, sm_tensors *tensors, smerf_error *error) {
    boost_arrays arrays;
    size_t at[3] = {0, 0, 0};
    if (!reserve_boost_arrays(&arrays, learned)) {
        free_boost_arrays(&arrays);
        return sm_no_memory(error, "saving a model");
    }
    for (size_t b = 0; b < arrays.n_boosts; b++) copy_boost(&arrays, b, boost_at(learned, b), at);
    smerf_status status = give_arrays(&arrays, tensors, error);
    if (status == SMERF_OK) status = save_facts(learned, learned->level_bin, learned->n_levels, tensors, error);
    if (status == SMERF_OK && learned->base != NULL) status = sm_boost_base_save(learned->base, tensors, error);
    return status;
}

/* ---- loading ---- */

/* Where the arrays are, and what has been taken of them. */
typedef struct boost_reader {
    const sm_features *features;
    size_t n_boosts, n_trees, n_splits, n_sets, n_values;
    const double *start, *threshold, *gain, *mean, *value;
    const uint32_t *n_of, *n_of_tree, *feature, *child, *set;
    const uint8_t *what;
    size_t tree, split, n_set; /* taken so far */
} boost_reader;

static smerf_status refuse(const char *what, smerf_error *error) {
    return sm_fail(error, SMERF_BAD_FILE, "the model's %s make no sense", what);
}

/* Sums of counts, each at least `least`; SIZE_MAX: too many. */
static size_t sum_counts(const uint32_t *counts, size_t n, uint32_t least) {
    size_t sum = 0;
    for (size_t k = 0; k < n; k++) {
        if (counts[k] < least) return SIZE_MAX;
        sum += counts[k];
    }
    return sum;
}

static smerf_status find_boost_arrays(boost_reader *from, const sm_tensors *tensors, smerf_error *error) {
    const void *data[11] = {NULL};
    smerf_status status = sm_tensors_get(tensors, "learned.start", SM_F64, from->n_boosts, &data[0], error);
    if (status == SMERF_OK)
        status = sm_tensors_get(tensors, "learned.n_trees", SM_U32, from->n_boosts, &data[1], error);
    if (status != SMERF_OK) return status;
    from->start = data[0];
    from->n_of = data[1];
    from->n_trees = sum_counts(from->n_of, from->n_boosts, 0);
    status = sm_tensors_get(tensors, "learned.n_splits", SM_U32, from->n_trees, &data[2], error);
    if (status != SMERF_OK) return status;
    from->n_of_tree = data[2];
    from->n_splits = sum_counts(from->n_of_tree, from->n_trees, 1);
    if (from->n_splits >= SM_BOOST_LEAF) return refuse("numbers of splits", error);
    const sm_tensor *set = sm_tensors_find(tensors, "learned.set");
    if (set == NULL || set->type != SM_U32 || set->n % SM_SET_WORDS != 0) return refuse("sets of levels", error);
    from->set = set->data;
    from->n_sets = set->n / SM_SET_WORDS;
    const struct {
        const char *name;
        sm_tensor_type type;
        size_t n;
    } rest[] = {
        {"learned.threshold", SM_F64, from->n_splits}, {"learned.gain", SM_F64, from->n_splits},
        {"learned.mean", SM_F64, from->n_splits},      {"learned.value", SM_F64, from->n_splits + from->n_trees},
        {"learned.feature", SM_U32, from->n_splits},   {"learned.child", SM_U32, 2 * from->n_splits},
        {"learned.what", SM_U8, from->n_splits}};
    for (size_t k = 0; k < sizeof rest / sizeof *rest && status == SMERF_OK; k++)
        status = sm_tensors_get(tensors, rest[k].name, rest[k].type, rest[k].n, &data[3 + k], error);
    from->threshold = data[3], from->gain = data[4], from->mean = data[5], from->value = data[6];
    from->feature = data[7], from->child = data[8], from->what = data[9];
    return status;
}

static bool is_known_feature(const boost_reader *from, const sm_learned *learned, const sm_boost_split *split) {
    sm_pair_kind kind = (sm_pair_kind)split->kind;
    if (split->kind >= SM_N_PAIR_KINDS || (sm_pair_is_directed(kind) && !learned->is_directed)) return false;
    if (kind == SM_PAIR_BASE) return split->feature == learned->n_features && learned->base != NULL;
    if (split->feature >= learned->n_features) return false;
    bool is_category = from->features->feature[split->feature].kind == SMERF_CATEGORY;
    if (sm_pair_is_directed(kind) || kind == SM_PAIR_N_MISSING) return true;
    return is_category == (kind == SM_PAIR_BOTH);
}

static bool has_set(const boost_reader *from, const sm_boost_split *split) {
    if (split->kind == SM_PAIR_N_MISSING || split->kind == SM_PAIR_BASE) return false;
    return from->features->feature[split->feature].kind == SMERF_CATEGORY;
}

/* Takes the next split; false: it makes no sense. Sets are taken in order. */
static bool take_split(boost_reader *from, const sm_learned *learned, sm_boost *boost, size_t s) {
    size_t at = from->split + s;
    sm_boost_split *split = &boost->splits[s];
    *split = (sm_boost_split){.threshold = from->threshold[at],
                              .feature = from->feature[at],
                              .set = SMERF_MISSING,
                              .left = from->child[2 * at],
                              .right = from->child[2 * at + 1],
                              .kind = (uint8_t)(from->what[at] & (MISSING_LEFT - 1)),
                              .missing_left = (from->what[at] & MISSING_LEFT) != 0};
    boost->gain[s] = from->gain[at];
    boost->mean[s] = from->mean[at];
    if (isnan(split->threshold) || !(boost->gain[s] >= 0 && isfinite(boost->gain[s])) || !isfinite(boost->mean[s]) ||
        !is_known_feature(from, learned, split))
        return false;
    if (!has_set(from, split)) return true;
    if (from->n_set + boost->n_sets >= from->n_sets) return false;
    split->set = (uint32_t)boost->n_sets++;
    return true;
}

/* Every child comes after its parent, and is one of one node only: then there are no circles, and all nodes hang together.
 *   seen  [2 n_splits + 1] scratch */
static bool tree_hangs_together(const sm_boost_split *splits, size_t n_splits, bool *seen) {
    memset(seen, 0, (2 * n_splits + 1) * sizeof *seen);
    for (size_t s = 0; s < n_splits; s++)
        for (size_t side = 0; side < 2; side++) {
            uint32_t child = side == 0 ? splits[s].left : splits[s].right;
            bool is_leaf = (child & SM_BOOST_LEAF) != 0;
            size_t index = child & ~SM_BOOST_LEAF;
            if (is_leaf ? index > n_splits : index <= s || index >= n_splits) return false;
            bool *mark = &seen[is_leaf ? n_splits + index : index];
            if (*mark) return false;
            *mark = true;
        }
    return true;
}

static bool reserve_boost(sm_boost *boost, size_t n_sets) {
    size_t n = boost->n_splits;
    boost->first = sm_zeros(boost->n_trees + 1, sizeof *boost->first);
    boost->splits = sm_array(n, sizeof *boost->splits);
    boost->gain = sm_array(n, sizeof *boost->gain);
    boost->mean = sm_array(n, sizeof *boost->mean);
    boost->value = sm_array(n + boost->n_trees, sizeof *boost->value);
    boost->sets = sm_array(sm_size(n_sets, SM_SET_WORDS, 0), sizeof *boost->sets);
    return boost->first != NULL && boost->splits != NULL && boost->gain != NULL && boost->mean != NULL &&
           boost->value != NULL && boost->sets != NULL;
}

static smerf_status take_boost(boost_reader *from, const sm_learned *learned, size_t b, sm_boost *boost,
                               smerf_error *error) {
    boost->n_trees = from->n_of[b];
    boost->start = from->start[b];
    boost->n_splits = sum_counts(from->n_of_tree + from->tree, boost->n_trees, 1);
    if (!isfinite(boost->start) && !(isnan(boost->start) && b > 0 && boost->n_trees == 0))
        return refuse("starts", error);
    if (!reserve_boost(boost, from->n_sets - from->n_set)) return sm_no_memory(error, "loading a model");
    bool *seen = sm_array(2 * boost->n_splits + 1, sizeof *seen), is_fine = seen != NULL;
    if (seen == NULL) return sm_no_memory(error, "loading a model");
    for (size_t t = 0; t < boost->n_trees; t++) boost->first[t + 1] = boost->first[t] + from->n_of_tree[from->tree + t];
    for (size_t s = 0; s < boost->n_splits && is_fine; s++) is_fine = take_split(from, learned, boost, s);
    for (size_t t = 0; t < boost->n_trees && is_fine; t++)
        is_fine = tree_hangs_together(boost->splits + boost->first[t], boost->first[t + 1] - boost->first[t], seen);
    for (size_t k = 0; k < boost->n_splits + boost->n_trees && is_fine; k++) {
        boost->value[k] = from->value[from->split + from->tree + k];
        is_fine = isfinite(boost->value[k]);
    }
    sm_free(seen);
    if (!is_fine) return refuse("trees", error);
    memcpy(boost->sets, from->set + from->n_set * SM_SET_WORDS, boost->n_sets * SM_SET_WORDS * sizeof *boost->sets);
    from->tree += boost->n_trees;
    from->split += boost->n_splits;
    from->n_set += boost->n_sets;
    return SMERF_OK;
}

static smerf_status take_levels(const sm_tensors *tensors, sm_learned *learned, smerf_error *error) {
    const void *data = NULL;
    smerf_status status = sm_tensors_get(tensors, "learned.levels", SM_U8, learned->n_levels, &data, error);
    if (status != SMERF_OK) return status;
    memcpy(learned->level_bin, data, learned->n_levels);
    for (size_t k = 0; k < learned->n_levels; k++)
        if (learned->level_bin[k] == SM_BIN_DIFFERENT || learned->level_bin[k] > SM_MOST_LEVEL_BINS)
            return refuse("bins of levels", error);
    return SMERF_OK;
}

static smerf_status take_groups(const sm_tensors *tensors, sm_learned *learned, smerf_error *error) {
    const void *data = NULL;
    if (learned->n_groups == 0) return SMERF_OK;
    smerf_status status = sm_tensors_get(tensors, "learned.group", SM_U8, learned->n_items, &data, error);
    if (status != SMERF_OK) return status;
    memcpy(learned->group_of, data, learned->n_items);
    for (size_t i = 0; i < learned->n_items; i++)
        if (learned->group_of[i] >= learned->n_groups) return refuse("groups of items", error);
    return SMERF_OK;
}

static smerf_status take_all(const sm_tensors *tensors, const sm_features *features, sm_learned *learned,
                             smerf_error *error) {
    boost_reader from = {.features = features, .n_boosts = 1 + sm_n_bags(learned->n_groups)};
    smerf_status status = take_levels(tensors, learned, error);
    if (status == SMERF_OK) status = take_groups(tensors, learned, error);
    if (status == SMERF_OK) status = sm_boost_base_load(tensors, features, learned->n_items, &learned->base, error);
    if (status == SMERF_OK) status = find_boost_arrays(&from, tensors, error);
    for (size_t b = 0; b < from.n_boosts && status == SMERF_OK; b++)
        status = take_boost(&from, learned, b, b == 0 ? &learned->all : &learned->bags[b - 1], error);
    if (status == SMERF_OK && from.n_set != from.n_sets) status = refuse("sets of levels", error);
    return status;
}

smerf_status sm_boost_load(const sm_tensors *tensors, const sm_features *features, size_t n_items, sm_learned **out,
                           smerf_error *error) {
    const void *data = NULL;
    smerf_status status = sm_tensors_get(tensors, "learned.kind", SM_U8, 3, &data, error);
    if (status != SMERF_OK) return status;
    const uint8_t *kind = data;
    if (kind[0] > 1 || kind[1] > 1 || kind[2] > SM_MOST_GROUPS || kind[2] == 1 || kind[2] == 2)
        return refuse("kinds", error);
    sm_learned *learned = sm_boost_learned_new(features, n_items, kind[2]);
    if (learned == NULL) return sm_no_memory(error, "loading a model");
    learned->is_logistic = kind[0];
    learned->is_directed = kind[1];
    status = take_all(tensors, features, learned, error);
    if (status == SMERF_OK)
        *out = learned;
    else
        sm_boost_learned_free(learned);
    return status;
}
