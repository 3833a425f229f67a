/* test_forged_model.c - files whose checksum fits and whose content does not: each is refused, none does harm. */
#include "tests/unit/forests.h"

#include <jansson.h>
#include <xxhash.h>

/* ---- forging ---- */

typedef struct forged {
    json_t *header, *facts;
    char *data;
    size_t n_data;
    size_t n_blanks; /* after the header */
} forged;

static const char opening[] = "{\"__metadata__\":{\"checksum\":\"";
enum { OPENING = sizeof opening - 1, DIGITS = 32 };

/* From the file small.smerf, which small_model leaves. */
static forged forge(void) {
    file_bytes whole = read_bytes("small.smerf");
    uint64_t n_header;
    memcpy(&n_header, whole.bytes, sizeof n_header);
    forged file = {.header = json_loadb(whole.bytes + 8, n_header, 0, NULL), .n_data = whole.n - 8 - n_header};
    assert_non_null(file.header);
    file.facts = json_object_get(file.header, "__metadata__");
    file.data = malloc(file.n_data + 1);
    memcpy(file.data, whole.bytes + 8 + n_header, file.n_data);
    free(whole.bytes);
    return file;
}

static void forged_free(forged *file) {
    json_decref(file->header);
    free(file->data);
}

/* The XXH3 hash of the file with zeros for digits, as digits. */
static void put_checksum(char *bytes, size_t n) {
    char digits[DIGITS + 1];
    memset(bytes + 8 + OPENING, '0', DIGITS);
    XXH128_hash_t hash = XXH3_128bits(bytes, n);
    snprintf(digits, sizeof digits, "%016llx%016llx", (unsigned long long)hash.high64, (unsigned long long)hash.low64);
    memcpy(bytes + 8 + OPENING, digits, DIGITS);
}

static void forged_write(const forged *file, const char *path) {
    char *text = json_dumps(file->header, JSON_COMPACT);
    assert_non_null(text);
    size_t n_text = strlen(text), n_header = (n_text + 7) / 8 * 8 + file->n_blanks, n = 8 + n_header + file->n_data;
    char *bytes = malloc(n);
    uint64_t length = n_header;
    assert_memory_equal(text, opening, OPENING);
    memcpy(bytes, &length, 8);
    memset(bytes + 8, ' ', n_header);
    memcpy(bytes + 8, text, n_text);
    memcpy(bytes + 8 + n_header, file->data, file->n_data);
    put_checksum(bytes, n);
    write_bytes(path, bytes, n);
    free(bytes);
    free(text);
}

/* The first byte of an array, and its length. */
static void *array_of(const forged *file, const char *name, size_t *n) {
    json_int_t length, start, end;
    json_t *entry = json_object_get(file->header, name);
    if (entry == NULL) fail_msg("the model has no array '%s' to spoil", name);
    assert_int_equal(json_unpack(entry, "{s:[I], s:[I, I]}", "shape", &length, "data_offsets", &start, &end), 0);
    if (n != NULL) *n = (size_t)length;
    return file->data + start;
}

static uint32_t *u32_of(const forged *file, const char *name) { return array_of(file, name, NULL); }
static uint64_t *u64_of(const forged *file, const char *name) { return array_of(file, name, NULL); }
static double *f64_of(const forged *file, const char *name) { return array_of(file, name, NULL); }

static void set_fact(const forged *file, const char *key, const char *value) {
    assert_int_equal(json_object_set_new(file->facts, key, json_string(value)), 0);
}

/* One value inside the fact `options`, whose text is JSON; NULL takes it away. */
static void set_option(const forged *file, const char *key, const char *value) {
    json_t *options = json_loads(json_string_value(json_object_get(file->facts, "options")), 0, NULL);
    if (value == NULL)
        json_object_del(options, key);
    else
        json_object_set_new(options, key, json_loads(value, JSON_DECODE_ANY, NULL));
    char *text = json_dumps(options, JSON_COMPACT);
    set_fact(file, "options", text);
    free(text);
    json_decref(options);
}

static void set_entry(const forged *file, const char *name, const char *json) {
    json_t *entry = json_loads(json, 0, NULL);
    assert_non_null(entry);
    assert_int_equal(json_object_set_new(file->header, name, entry), 0);
}

static json_t *entry_of(const forged *file, const char *name) { return json_object_get(file->header, name); }

/* The first split of the forest that is by category, or is not: its place among the nodes. */
static uint8_t *kind_of_split(const forged *file, bool is_category) {
    size_t n;
    uint8_t *kinds = array_of(file, "node.kind", &n);
    for (size_t k = 0; k < n; k++)
        if (kinds[k] != 1 && ((kinds[k] & 2) != 0) == is_category) return &kinds[k];
    fail_msg("the model has no such split");
    return NULL;
}

typedef void (*spoiler)(const forged *file);

static void assert_refused(spoiler spoil, const char *name) {
    forged file = forge();
    spoil(&file);
    forged_write(&file, "forged.smerf");
    smerf_model *loaded = NULL;
    smerf_error error = {0};
    smerf_status status = smerf_model_load("forged.smerf", &loaded, &error);
    smerf_model_free(loaded);
    forged_free(&file);
    if (status != SMERF_BAD_FILE) fail_msg("%s: status %d, \"%s\"", name, (int)status, error.message);
    if (strchr(error.message, '\n') != NULL) fail_msg("%s: two lines: \"%s\"", name, error.message);
    assert_says(&error, "forged.smerf: ", "");
}

#define SPOIL(name, ...)                                                                                               \
    static void name(const forged *file) { __VA_ARGS__; }

typedef struct named_spoiler {
    const char *name;
    spoiler spoil;
} named_spoiler;

#define NAMED(spoil)                                                                                                   \
    { #spoil, spoil }

static void assert_all_refused(const named_spoiler *table, size_t n, smerf_splits splits) {
    smerf_model_free(small_model(20, splits));
    for (size_t k = 0; k < n; k++) assert_refused(table[k].spoil, table[k].name);
}

/* Trees. */
SPOIL(no_leaves, u32_of(file, "tree.n_leaves")[0] = 0)
SPOIL(a_leaf_more, u32_of(file, "tree.n_leaves")[0]++)
SPOIL(a_leaf_less, u32_of(file, "tree.n_leaves")[0]--)
SPOIL(a_leaf_less_at_the_end, u32_of(file, "tree.n_leaves")[1]--)
SPOIL(absurdly_many_leaves, u32_of(file, "tree.n_leaves")[0] = UINT32_MAX)
SPOIL(leaves_moved, u32_of(file, "tree.n_leaves")[0]--; u32_of(file, "tree.n_leaves")[1]++)
SPOIL(a_kind_of_node_unknown, ((uint8_t *)array_of(file, "node.kind", NULL))[0] = 8)
SPOIL(a_leaf_by_category, *kind_of_split(file, false) = 1 | 2)
SPOIL(a_tree_that_ends_early, ((uint8_t *)array_of(file, "node.kind", NULL))[0] = 1)
SPOIL(a_number_split_by_levels, *kind_of_split(file, false) |= 2)
SPOIL(levels_split_by_a_threshold, *kind_of_split(file, true) &= (uint8_t)~2u)
SPOIL(a_threshold_that_is_no_number, f64_of(file, "split.threshold")[1] = NAN)
SPOIL(an_infinite_threshold, f64_of(file, "split.threshold")[0] = -INFINITY)
SPOIL(a_gain_that_is_no_number, f64_of(file, "split.gain")[1] = NAN)
SPOIL(a_feature_too_many, u32_of(file, "term.feature")[0] = 5)
SPOIL(an_absurd_feature, u32_of(file, "term.feature")[2] = UINT32_MAX)
SPOIL(a_leaf_without_members, u32_of(file, "leaf.n_members")[0] = 0)
SPOIL(a_leaf_of_too_many, u32_of(file, "leaf.n_members")[1] = UINT32_MAX)
SPOIL(members_left_over, {
    size_t n;
    uint32_t *counts = array_of(file, "leaf.n_members", &n);
    counts[n - 1]--;
    counts[n - 2]--;
})
SPOIL(an_item_too_many, u32_of(file, "member.item")[0] = 20)
SPOIL(an_absurd_item, u32_of(file, "member.item")[1] = UINT32_MAX)
SPOIL(an_item_in_two_leaves, u32_of(file, "member.item")[1] = u32_of(file, "member.item")[0])
SPOIL(an_item_never_drawn, u32_of(file, "member.draws")[2] = 0)
SPOIL(a_level_too_many, u32_of(file, "left.level")[0] = N_LEVELS)
SPOIL(an_absurd_level, u32_of(file, "left.level")[0] = UINT32_MAX - 1)
SPOIL(levels_on_the_right_that_are_none, {
    size_t n;
    uint32_t *counts = array_of(file, "split.n_left", &n), *levels = u32_of(file, "left.level");
    while (*counts != 1) levels += *counts++;
    levels[0] = UINT32_MAX;
})
SPOIL(too_many_levels_on_the_left, {
    size_t n;
    uint32_t *counts = array_of(file, "split.n_left", &n);
    for (size_t s = 0; s < n; s++) counts[s] = 1000;
})
SPOIL(levels_out_of_order, {
    size_t n;
    uint32_t *counts = array_of(file, "split.n_left", &n), *levels = u32_of(file, "left.level");
    while (*counts < 2) levels += *counts++;
    levels[1] = levels[0];
})

static void a_tree_that_never_ends(const forged *file) {
    size_t n;
    uint8_t *kinds = array_of(file, "node.kind", &n);
    for (size_t k = 0; k < n; k++)
        if (kinds[k] == 1) kinds[k] = 0;
}

/* As many leaves and splits as before, but the tree is whole before its last node. */
static void a_tree_in_the_wrong_order(const forged *file) {
    size_t n;
    uint8_t *kinds = array_of(file, "node.kind", &n);
    size_t split = 0;
    for (size_t k = 0; k < 3; k++) kinds[k] = k == 1 ? 0 : 1; /* leaf, split, leaf */
    for (size_t k = 3; k < n; k++)
        if (kinds[k] == 1 && split++ == 0) kinds[k] = 0;
}

static void trees_that_do_not_hang_together_are_refused(void **state) {
    (void)state;
    const named_spoiler table[] = {NAMED(no_leaves),
                                   NAMED(a_leaf_more),
                                   NAMED(a_leaf_less),
                                   NAMED(a_leaf_less_at_the_end),
                                   NAMED(absurdly_many_leaves),
                                   NAMED(leaves_moved),
                                   NAMED(a_kind_of_node_unknown),
                                   NAMED(a_leaf_by_category),
                                   NAMED(a_tree_that_ends_early),
                                   NAMED(a_tree_that_never_ends),
                                   NAMED(a_tree_in_the_wrong_order),
                                   NAMED(a_number_split_by_levels),
                                   NAMED(levels_split_by_a_threshold),
                                   NAMED(a_threshold_that_is_no_number),
                                   NAMED(an_infinite_threshold),
                                   NAMED(a_gain_that_is_no_number),
                                   NAMED(a_feature_too_many),
                                   NAMED(an_absurd_feature),
                                   NAMED(a_leaf_without_members),
                                   NAMED(a_leaf_of_too_many),
                                   NAMED(members_left_over),
                                   NAMED(an_item_too_many),
                                   NAMED(an_absurd_item),
                                   NAMED(an_item_in_two_leaves),
                                   NAMED(an_item_never_drawn),
                                   NAMED(a_level_too_many),
                                   NAMED(an_absurd_level),
                                   NAMED(too_many_levels_on_the_left),
                                   NAMED(levels_on_the_right_that_are_none),
                                   NAMED(levels_out_of_order)};
    assert_all_refused(table, sizeof table / sizeof *table, SMERF_AXIS);
}

/* Sums. */
static int8_t *weights_of(const forged *file) { return array_of(file, "term.weight", NULL); }

/* The first term on a number, or on a category: features 0, 1, 2 are numbers. */
static size_t term_on(const forged *file, bool is_category) {
    size_t t = 0;
    while ((u32_of(file, "term.feature")[t] > 2) != is_category) t++;
    return t;
}

SPOIL(a_weight_of_three, weights_of(file)[0] = 3)
SPOIL(a_weight_of_zero, weights_of(file)[1] = 0)
SPOIL(a_weight_below, weights_of(file)[0] = -128)
SPOIL(a_sum_of_nothing, u32_of(file, "split.n_terms")[0] = 0)
SPOIL(a_sum_of_too_much, u32_of(file, "split.n_terms")[0] = UINT32_MAX)
SPOIL(a_sum_of_less, u32_of(file, "split.n_terms")[0]--)
SPOIL(a_sum_of_more, u32_of(file, "split.n_terms")[0]++)
SPOIL(an_indicator_of_no_level, u32_of(file, "term.level")[term_on(file, true)] = N_LEVELS)
SPOIL(an_indicator_of_missing, u32_of(file, "term.level")[term_on(file, true)] = SMERF_MISSING)
SPOIL(a_number_with_a_level, u32_of(file, "term.level")[term_on(file, false)] = 0)
SPOIL(sums_without_weights, json_object_del(file->header, "term.weight"))
SPOIL(categories_without_levels, json_object_del(file->header, "term.level"))

static void sums_that_make_no_sense_are_refused(void **state) {
    (void)state;
    const named_spoiler table[] = {
        NAMED(a_weight_of_three),     NAMED(a_weight_of_zero),         NAMED(a_weight_below),
        NAMED(a_sum_of_nothing),      NAMED(a_sum_of_too_much),        NAMED(a_sum_of_less),
        NAMED(a_sum_of_more),         NAMED(an_indicator_of_no_level), NAMED(an_indicator_of_missing),
        NAMED(a_number_with_a_level), NAMED(sums_without_weights),     NAMED(categories_without_levels)};
    assert_all_refused(table, sizeof table / sizeof *table, SMERF_OBLIQUE);
}

/* Facts. */
SPOIL(a_future_version, set_fact(file, "format_version", "2"))
SPOIL(version_zero, set_fact(file, "format_version", "0"))
SPOIL(a_version_in_words, set_fact(file, "format_version", "one"))
SPOIL(another_format, set_fact(file, "format", "zip"))
SPOIL(an_unknown_method, set_fact(file, "method", "oracle"))
SPOIL(a_method_of_two_lines, set_fact(file, "method", "two\nlines"))
SPOIL(a_target_of_two_lines, set_fact(file, "target", "two\nlines"))
SPOIL(an_unknown_target, set_fact(file, "target", "wishes"))
SPOIL(one_item, set_fact(file, "n_items", "1"))
SPOIL(an_item_less, set_fact(file, "n_items", "19"))
SPOIL(absurdly_many_items, set_fact(file, "n_items", "4294967294"))
SPOIL(too_many_items, set_fact(file, "n_items", "9223372036854775807"))
SPOIL(items_below_zero, set_fact(file, "n_items", "-20"))
SPOIL(half_an_item, set_fact(file, "n_items", "20.0"))
SPOIL(items_in_words, set_fact(file, "n_items", "\"20\""))
SPOIL(no_trees, set_fact(file, "n_trees", "0"))
SPOIL(a_tree_more, set_fact(file, "n_trees", "3"))
SPOIL(absurdly_many_trees, set_fact(file, "n_trees", "4294967295"))
SPOIL(trees_beyond_their_numbers, set_fact(file, "first_tree", "4294967295"))
SPOIL(trees_below_zero, set_fact(file, "first_tree", "-1"))
SPOIL(no_options, json_object_del(file->facts, "options"))
SPOIL(options_that_are_a_list, set_fact(file, "options", "[]"))
SPOIL(options_that_are_no_json, set_fact(file, "options", "{"))
SPOIL(a_seed_below_zero, set_option(file, "seed", "-1"))
SPOIL(unknown_splits, set_option(file, "splits", "\"curved\""))
SPOIL(no_candidates, set_option(file, "candidates", "0"))
SPOIL(min_parent_one, set_option(file, "min_parent", "1"))
SPOIL(a_depth_below_zero, set_option(file, "max_depth", "-1"))
SPOIL(a_depth_in_words, set_option(file, "max_depth", "\"deep\""))
SPOIL(an_unknown_sample, set_option(file, "sample", "\"some\""))
SPOIL(a_share_of_nothing, set_option(file, "sample_share", "0"))
SPOIL(a_share_of_more, set_option(file, "sample_share", "1.5"))
SPOIL(an_unknown_rule, set_option(file, "oob_rule", "\"as fitted\""))
SPOIL(an_unknown_self, set_option(file, "self_distance", "\"other\""))
SPOIL(no_seed, set_option(file, "seed", NULL))
SPOIL(no_splits, set_option(file, "splits", NULL))
SPOIL(no_depth, set_option(file, "max_depth", NULL))
SPOIL(no_features, set_fact(file, "features", "[]"))
SPOIL(features_by_number, set_fact(file, "features", "[1,2,3,4,5]"))
SPOIL(features_of_another_kind, set_fact(file, "features", "[{\"name\":\"x0\",\"kind\":\"colour\"}]"))
SPOIL(a_category_that_lacks_levels, set_fact(file, "features", "[{\"name\":\"x0\",\"kind\":\"category\"}]"))
SPOIL(levels_in_disorder,
      set_fact(file, "features", "[{\"name\":\"x0\",\"kind\":\"category\",\"levels\":[\"b\",\"a\"]}]"))
SPOIL(a_level_twice, set_fact(file, "features", "[{\"name\":\"x0\",\"kind\":\"category\",\"levels\":[\"a\",\"a\"]}]"))
SPOIL(ignored_columns_by_number, set_fact(file, "ignored_columns", "[7]"))
SPOIL(facts_that_are_no_object, {
    json_t *checksum = json_pack("{s:s}", "checksum", "00000000000000000000000000000000");
    json_object_clear(file->facts);
    json_object_update(file->facts, checksum);
    json_decref(checksum);
})

static void facts_that_make_no_sense_are_refused(void **state) {
    (void)state;
    const named_spoiler table[] = {NAMED(a_future_version),
                                   NAMED(version_zero),
                                   NAMED(a_version_in_words),
                                   NAMED(another_format),
                                   NAMED(an_unknown_method),
                                   NAMED(an_unknown_target),
                                   NAMED(one_item),
                                   NAMED(an_item_less),
                                   NAMED(absurdly_many_items),
                                   NAMED(too_many_items),
                                   NAMED(items_below_zero),
                                   NAMED(half_an_item),
                                   NAMED(items_in_words),
                                   NAMED(no_trees),
                                   NAMED(a_tree_more),
                                   NAMED(absurdly_many_trees),
                                   NAMED(trees_beyond_their_numbers),
                                   NAMED(trees_below_zero),
                                   NAMED(no_options),
                                   NAMED(options_that_are_a_list),
                                   NAMED(options_that_are_no_json),
                                   NAMED(a_seed_below_zero),
                                   NAMED(unknown_splits),
                                   NAMED(no_candidates),
                                   NAMED(min_parent_one),
                                   NAMED(a_depth_below_zero),
                                   NAMED(a_depth_in_words),
                                   NAMED(an_unknown_sample),
                                   NAMED(a_share_of_nothing),
                                   NAMED(a_share_of_more),
                                   NAMED(an_unknown_rule),
                                   NAMED(an_unknown_self),
                                   NAMED(no_seed),
                                   NAMED(no_splits),
                                   NAMED(no_depth),
                                   NAMED(no_features),
                                   NAMED(features_by_number),
                                   NAMED(features_of_another_kind),
                                   NAMED(a_category_that_lacks_levels),
                                   NAMED(levels_in_disorder),
                                   NAMED(a_level_twice),
                                   NAMED(ignored_columns_by_number),
                                   NAMED(facts_that_are_no_object)};
    assert_all_refused(table, sizeof table / sizeof *table, SMERF_AXIS);
}

/* What says how far distances are drawn towards the mean. */
SPOIL(a_shrinkage_of_nothing, set_option(file, "shrink", "0"))
SPOIL(a_shrinkage_of_one, set_option(file, "shrink", "1.0"))
SPOIL(a_shrinkage_below, set_option(file, "shrink", "-1"))
SPOIL(a_shrinkage_in_words, set_option(file, "shrink", "\"much\""))
SPOIL(no_shrinkage_in_its_format, set_option(file, "shrink", NULL))
SPOIL(a_shrinkage_in_the_first_format, set_fact(file, "format_version", "1"))
SPOIL(no_mean_distance, json_object_del(file->facts, "mean_distance"))
SPOIL(a_mean_distance_in_words, set_fact(file, "mean_distance", "\"far\""))
SPOIL(a_mean_distance_too_far, set_fact(file, "mean_distance", "1e300"))
SPOIL(no_unit, json_object_del(file->facts, "shrink_unit"))
SPOIL(a_unit_of_nothing, set_fact(file, "shrink_unit", "0.0"))
SPOIL(a_unit_below, set_fact(file, "shrink_unit", "-1.0"))
SPOIL(no_left_items, json_object_del(file->header, "shrink.left"))
SPOIL(no_sums, json_object_del(file->header, "shrink.sum"))
SPOIL(a_pair_of_one_item, u32_of(file, "shrink.right")[0] = u32_of(file, "shrink.left")[0])
SPOIL(a_pair_the_other_way, u32_of(file, "shrink.left")[3] = u32_of(file, "shrink.right")[3] + 1)
SPOIL(a_pair_twice, u32_of(file, "shrink.right")[1] = u32_of(file, "shrink.right")[0])
SPOIL(a_pair_of_an_item_too_many, {
    size_t n;
    uint32_t *right = array_of(file, "shrink.right", &n);
    right[n - 1] = 24;
})
SPOIL(a_truth_that_is_no_number, f64_of(file, "shrink.truth")[2] = NAN)
SPOIL(a_truth_too_far, f64_of(file, "shrink.truth")[2] = 1e39)
SPOIL(absurdly_many_trees_of_a_pair, u32_of(file, "shrink.n_trees")[0] = UINT32_MAX)
SPOIL(a_sum_of_no_trees, u32_of(file, "shrink.n_trees")[0] = 0; u64_of(file, "shrink.sum")[0] = 1)
SPOIL(an_absurd_sum, u64_of(file, "shrink.sum")[0] = UINT64_MAX)
SPOIL(absurd_squares, u64_of(file, "shrink.squares")[0] = UINT64_MAX)
SPOIL(squares_that_are_too_small, {
    u32_of(file, "shrink.n_trees")[0] = 2;
    u64_of(file, "shrink.sum")[0] = (2ull << 24) + 10;
    u64_of(file, "shrink.squares")[0] = 49; /* 5 + 5: at least 50 */
})

static void shrinkage_that_makes_no_sense_is_refused(void **state) {
    (void)state;
    const named_spoiler table[] = {NAMED(a_shrinkage_of_nothing),
                                   NAMED(a_shrinkage_of_one),
                                   NAMED(a_shrinkage_below),
                                   NAMED(a_shrinkage_in_words),
                                   NAMED(no_shrinkage_in_its_format),
                                   NAMED(a_shrinkage_in_the_first_format),
                                   NAMED(no_mean_distance),
                                   NAMED(a_mean_distance_in_words),
                                   NAMED(a_mean_distance_too_far),
                                   NAMED(no_unit),
                                   NAMED(a_unit_of_nothing),
                                   NAMED(a_unit_below),
                                   NAMED(no_left_items),
                                   NAMED(no_sums),
                                   NAMED(a_pair_of_one_item),
                                   NAMED(a_pair_the_other_way),
                                   NAMED(a_pair_twice),
                                   NAMED(a_pair_of_an_item_too_many),
                                   NAMED(a_truth_that_is_no_number),
                                   NAMED(a_truth_too_far),
                                   NAMED(absurdly_many_trees_of_a_pair),
                                   NAMED(a_sum_of_no_trees),
                                   NAMED(an_absurd_sum),
                                   NAMED(absurd_squares),
                                   NAMED(squares_that_are_too_small)};
    data_set *data = mixed_data(24);
    smerf_options options = options_for(30);
    smerf_error error;
    options.shrink = SMERF_SHRINK_AUTO;
    smerf_model *model = fit_with(data, &options, NULL), *again;
    demand_ok(smerf_model_save(model, "small.smerf", &error), &error);
    demand_ok(smerf_model_load("small.smerf", &again, &error), &error);
    assert_same_model(model, again);
    for (size_t k = 0; k < sizeof table / sizeof *table; k++) assert_refused(table[k].spoil, table[k].name);
    smerf_model_free(again);
    smerf_model_free(model);
    data_set_free(data);
}

static void what_a_newer_program_wrote_is_named(void **state) {
    (void)state;
    const struct {
        const char *key, *value, *sentence;
    } table[] = {
        {"format_version", "3", "forged.smerf: has format version 3, and this smerf reads versions 1 and 2"},
        {"method", "oracle", "forged.smerf: was made by the method 'oracle', which this smerf does not know"},
        {"target", "wishes", "forged.smerf: has a target of kind 'wishes', which this smerf does not know"},
        {"format", "zip", "forged.smerf: is not a smerf model"},
    };
    smerf_model *loaded = NULL;
    smerf_model_free(small_model(20, SMERF_AXIS));
    for (size_t k = 0; k < sizeof table / sizeof *table; k++) {
        forged file = forge();
        set_fact(&file, table[k].key, table[k].value);
        forged_write(&file, "forged.smerf");
        smerf_error error;
        assert_int_equal(smerf_model_load("forged.smerf", &loaded, &error), SMERF_BAD_FILE);
        assert_string_equal(error.message, table[k].sentence);
        forged_free(&file);
    }
}

/* Arrays. */
static void set_number(const forged *file, const char *name, const char *key, size_t place, json_int_t value) {
    json_array_set_new(json_object_get(entry_of(file, name), key), place, json_integer(value));
}

static json_int_t number_of(const forged *file, const char *name, const char *key, size_t place) {
    return json_integer_value(json_array_get(json_object_get(entry_of(file, name), key), place));
}

SPOIL(another_type, json_object_set_new(entry_of(file, "split.threshold"), "dtype", json_string("U64")))
SPOIL(a_type_that_there_is_not, json_object_set_new(entry_of(file, "split.threshold"), "dtype", json_string("Q9")))
SPOIL(no_type, json_object_del(entry_of(file, "split.threshold"), "dtype"))
SPOIL(a_type_by_number, json_object_set_new(entry_of(file, "split.threshold"), "dtype", json_integer(8)))
SPOIL(two_dimensions, json_array_append_new(json_object_get(entry_of(file, "split.gain"), "shape"), json_integer(1)))
SPOIL(no_dimensions, json_array_clear(json_object_get(entry_of(file, "split.gain"), "shape")))
SPOIL(a_length_below_zero, set_number(file, "split.gain", "shape", 0, -1))
SPOIL(an_absurd_length, set_number(file, "split.gain", "shape", 0, INT64_MAX))
SPOIL(an_element_less, set_number(file, "split.gain", "shape", 0, number_of(file, "split.gain", "shape", 0) - 1))
SPOIL(a_start_below_zero, set_number(file, "split.gain", "data_offsets", 0, -8))
SPOIL(an_end_beyond_the_file, {
    set_number(file, "item.hash", "data_offsets", 0, (json_int_t)file->n_data - 8);
    set_number(file, "item.hash", "data_offsets", 1, (json_int_t)file->n_data + 152);
})
SPOIL(an_end_before_the_start, {
    json_int_t start = number_of(file, "split.gain", "data_offsets", 0);
    set_number(file, "split.gain", "data_offsets", 0, number_of(file, "split.gain", "data_offsets", 1));
    set_number(file, "split.gain", "data_offsets", 1, start);
})
SPOIL(an_entry_with_more, json_object_set_new(entry_of(file, "split.gain"), "colour", json_string("red")))
SPOIL(an_entry_that_is_a_list, set_entry(file, "split.gain", "[1]"))
SPOIL(an_entry_of_nothing, set_entry(file, "split.gain", "{}"))
SPOIL(a_name_too_long, set_entry(file, "a.name.that.is.much.longer.than.any.of.ours",
                                 "{\"dtype\":\"U8\",\"shape\":[0],\"data_offsets\":[0,0]}"))
SPOIL(a_name_of_two_lines, set_entry(file, "two\nlines", "{}"))
SPOIL(no_hashes, json_object_del(file->header, "item.hash"))
SPOIL(no_ids, json_object_del(file->header, "item.id"))
SPOIL(no_weights, json_object_del(file->header, "item.weight"))
SPOIL(no_thresholds, json_object_del(file->header, "split.threshold"))
SPOIL(no_kinds, json_object_del(file->header, "node.kind"))
SPOIL(no_distances, json_object_del(file->header, "target.distances"))
SPOIL(counts_without_levels, json_object_del(file->header, "left.level"))
SPOIL(levels_without_counts, json_object_del(file->header, "split.n_left"))
SPOIL(ids_without_an_end, ((char *)array_of(file, "item.id", NULL))[2] = 'x')
SPOIL(an_id_too_many, ((char *)array_of(file, "item.id", NULL))[0] = '\0')
SPOIL(a_weight_that_is_zero, f64_of(file, "item.weight")[0] = 0)
SPOIL(a_weight_that_is_no_number, f64_of(file, "item.weight")[3] = NAN)
SPOIL(a_weight_without_end, f64_of(file, "item.weight")[0] = INFINITY)
SPOIL(a_distance_that_is_no_number, ((float *)array_of(file, "target.distances", NULL))[5] = NAN)
SPOIL(a_distance_without_end, ((float *)array_of(file, "target.distances", NULL))[189] = INFINITY)

static void arrays_that_make_no_sense_are_refused(void **state) {
    (void)state;
    const named_spoiler table[] = {NAMED(another_type),
                                   NAMED(a_type_that_there_is_not),
                                   NAMED(no_type),
                                   NAMED(a_type_by_number),
                                   NAMED(two_dimensions),
                                   NAMED(no_dimensions),
                                   NAMED(a_length_below_zero),
                                   NAMED(an_absurd_length),
                                   NAMED(an_element_less),
                                   NAMED(a_start_below_zero),
                                   NAMED(an_end_beyond_the_file),
                                   NAMED(an_end_before_the_start),
                                   NAMED(an_entry_with_more),
                                   NAMED(an_entry_that_is_a_list),
                                   NAMED(an_entry_of_nothing),
                                   NAMED(a_name_too_long),
                                   NAMED(no_hashes),
                                   NAMED(no_ids),
                                   NAMED(no_weights),
                                   NAMED(no_thresholds),
                                   NAMED(no_kinds),
                                   NAMED(no_distances),
                                   NAMED(counts_without_levels),
                                   NAMED(ids_without_an_end),
                                   NAMED(an_id_too_many),
                                   NAMED(a_weight_that_is_zero),
                                   NAMED(a_weight_that_is_no_number),
                                   NAMED(a_weight_without_end),
                                   NAMED(a_distance_that_is_no_number),
                                   NAMED(a_distance_without_end)};
    assert_all_refused(table, sizeof table / sizeof *table, SMERF_AXIS);
}

static void levels_on_the_left_without_their_counts_are_refused(void **state) {
    (void)state;
    const named_spoiler table[] = {NAMED(levels_without_counts)};
    assert_all_refused(table, 1, SMERF_AXIS);
}

static void messages_are_one_line_whatever_the_file_says(void **state) {
    (void)state;
    const named_spoiler table[] = {NAMED(a_name_of_two_lines), NAMED(a_method_of_two_lines),
                                   NAMED(a_target_of_two_lines)};
    assert_all_refused(table, 3, SMERF_AXIS);
}

SPOIL(a_self_distance_that_is_no_number, f64_of(file, "target.diagonal")[0] = NAN)
SPOIL(a_self_distance_without_end, f64_of(file, "target.diagonal")[3] = -INFINITY)
SPOIL(a_self_distance_beyond_floats, f64_of(file, "target.diagonal")[2] = 1e300)
SPOIL(a_self_distance_between_floats, f64_of(file, "target.diagonal")[1] = 1 + 1e-9)

static void self_distances_that_are_not_finite_are_refused(void **state) {
    (void)state;
    const named_spoiler table[] = {NAMED(a_self_distance_that_is_no_number), NAMED(a_self_distance_without_end)};
    assert_all_refused(table, 2, SMERF_AXIS);
}

/* Predictions by rows round them to floats, those by pairs do not: the two would differ. */
static void self_distances_that_are_no_floats_are_refused(void **state) {
    (void)state;
    const named_spoiler table[] = {NAMED(a_self_distance_beyond_floats), NAMED(a_self_distance_between_floats)};
    assert_all_refused(table, 2, SMERF_AXIS);
}

/* Gains that are the thresholds: same type and length, and every number of both is fine. */
static void one_array_on_top_of_another(const forged *file) {
    for (size_t k = 0; k < 2; k++)
        set_number(file, "split.gain", "data_offsets", k, number_of(file, "split.threshold", "data_offsets", k));
}

static void arrays_that_overlap_are_refused(void **state) {
    (void)state;
    const named_spoiler table[] = {NAMED(one_array_on_top_of_another)};
    assert_all_refused(table, 1, SMERF_AXIS);
}

static void bytes_of_no_array_are_refused(void **state) {
    (void)state;
    smerf_model *loaded = NULL;
    smerf_model_free(small_model(20, SMERF_AXIS));
    forged file = forge();
    file.data = realloc(file.data, file.n_data + 8);
    memset(file.data + file.n_data, 7, 8);
    file.n_data += 8;
    forged_write(&file, "forged.smerf");
    smerf_status status = smerf_model_load("forged.smerf", &loaded, NULL);
    smerf_model_free(loaded);
    forged_free(&file);
    assert_int_equal(status, SMERF_BAD_FILE);
}

/* The last of all left levels is left over. */
static void a_left_level_less(const forged *file) {
    size_t n;
    uint32_t *counts = array_of(file, "split.n_left", &n), *last = counts + n - 1;
    while (*last == 0) last--;
    (*last)--;
}

static void levels_that_no_split_has_are_refused(void **state) {
    (void)state;
    const named_spoiler table[] = {NAMED(a_left_level_less)};
    assert_all_refused(table, 1, SMERF_AXIS);
}

/* ---- and what is fine ---- */

static void a_forged_file_that_changes_nothing_is_the_file(void **state) {
    (void)state;
    smerf_model *model = small_model(20, SMERF_OBLIQUE);
    forged file = forge();
    forged_write(&file, "forged.smerf");
    file_bytes found = read_bytes("forged.smerf"), expected = bytes_of(model);
    assert_int_equal(found.n, expected.n);
    assert_memory_equal(found.bytes, expected.bytes, found.n);
    free(found.bytes);
    free(expected.bytes);
    forged_free(&file);
    smerf_model_free(model);
}

static void arrays_that_are_not_aligned_are_read_all_the_same(void **state) {
    (void)state;
    smerf_model *model = small_model(20, SMERF_AXIS), *again;
    for (size_t n_blanks = 1; n_blanks < 8; n_blanks++) {
        forged file = forge();
        file.n_blanks = n_blanks;
        forged_write(&file, "odd.smerf");
        smerf_error error;
        demand_ok(smerf_model_load("odd.smerf", &again, &error), &error);
        assert_same_model(model, again);
        smerf_model_free(again);
        forged_free(&file);
    }
    smerf_model_free(model);
}

/* No allocation follows from such a length: it is compared with the size of the file first. */
static void a_header_longer_than_the_file_is_refused(void **state) {
    (void)state;
    smerf_model *model = small_model(6, SMERF_AXIS);
    const uint64_t lengths[] = {0, 1, 2, 60, 61, UINT64_MAX, UINT64_MAX - 7, INT64_MAX, (uint64_t)1 << 40};
    file_bytes whole = bytes_of(model);
    for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++) {
        memcpy(whole.bytes, &lengths[k], 8);
        put_checksum(whole.bytes, whole.n);
        write_bytes("length.smerf", whole.bytes, whole.n);
        smerf_model *loaded = NULL;
        assert_int_equal(smerf_model_load("length.smerf", &loaded, NULL), SMERF_BAD_FILE);
    }
    free(whole.bytes);
    smerf_model_free(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trees_that_do_not_hang_together_are_refused),
        cmocka_unit_test(sums_that_make_no_sense_are_refused),
        cmocka_unit_test(facts_that_make_no_sense_are_refused),
        cmocka_unit_test(shrinkage_that_makes_no_sense_is_refused),
        cmocka_unit_test(what_a_newer_program_wrote_is_named),
        cmocka_unit_test(arrays_that_make_no_sense_are_refused),
        cmocka_unit_test(levels_on_the_left_without_their_counts_are_refused),
        cmocka_unit_test(messages_are_one_line_whatever_the_file_says),
        cmocka_unit_test(self_distances_that_are_not_finite_are_refused),
        cmocka_unit_test(self_distances_that_are_no_floats_are_refused),
        cmocka_unit_test(arrays_that_overlap_are_refused),
        cmocka_unit_test(bytes_of_no_array_are_refused),
        cmocka_unit_test(levels_that_no_split_has_are_refused),
        cmocka_unit_test(a_forged_file_that_changes_nothing_is_the_file),
        cmocka_unit_test(arrays_that_are_not_aligned_are_read_all_the_same),
        cmocka_unit_test(a_header_longer_than_the_file_is_refused),
    };
    return cmocka_run_group_tests(tests, files_enter, files_leave);
}
