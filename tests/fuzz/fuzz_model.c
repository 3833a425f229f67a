/* fuzz_model.c - whatever a model file holds, loading gives a sound model or one clear line, also if the checksum fits.
 *
 * An input that looks like a model file is taken as one. Any other is a list of changes to a small model that is made
 * here: two bytes say where, one what to do, one with which number. Either way the checksum is put right, so that the
 * checks behind it have work to do.
 * tests/fuzz/run builds and runs it.
 * With -DREPLAY, and any compiler, it is a program that replays the files it is given. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <xxhash.h>

#include "smerf.h"
#include "tests/fuzz/replay.h"

enum { MOST_BYTES = 1 << 18, N_ITEMS = 9, CHECKSUM_FROM = 8 + 29, DIGITS = 32 };

static void demand(bool is_so, const char *what) {
    if (is_so) return;
    fprintf(stderr, "%s\n", what);
    abort();
}

/* ---- the models that changes are made to ---- */

static smerf_items *make_items(void) {
    static const double x[N_ITEMS] = {1, 5, 2, NAN, 8, 3, 1, 4, 9}, y[N_ITEMS] = {3, 3, 1, 2, NAN, 7, 0, -1, 2};
    static const uint32_t codes[N_ITEMS] = {0, 1, 2, 0, 1, SMERF_MISSING, 2, 0, 1};
    static const char *const levels[3] = {"red", "green", "blue"};
    static const char *const ids[N_ITEMS] = {"a", "b", "c", "d", "e", "f", "g", "h", "i"};
    static const double weights[N_ITEMS] = {1, 2, 1, 3, 1, 1, 2, 1, 1};
    const smerf_column columns[3] = {
        {.name = "x", .values = x},
        {.name = "colour", .kind = SMERF_CATEGORY, .codes = codes, .levels = levels, .n_levels = 3},
        {.name = "y", .values = y}};
    smerf_items *items = NULL;
    demand(smerf_items_new(columns, 3, N_ITEMS, &items, NULL) == SMERF_OK, "items are made");
    demand(smerf_items_set_ids(items, "name", ids, NULL) == SMERF_OK, "items are named");
    demand(smerf_items_set_weights(items, "mass", weights, NULL) == SMERF_OK, "items are weighed");
    return items;
}

/* Which model it is: two forests, and what other methods keep of theirs; boosting, and boosting that starts from a forest. */
enum { AXIS, OBLIQUE, RFD, PLUGIN, BOOST, BOOST_FROM_FOREST, N_MODELS };

static smerf_target *make_target(size_t which) {
    static const char *const names[] = {"a", "b"};
    static const double a[N_ITEMS] = {1, 5, 2, 4, 8, 3, 1, 4, 9}, b[N_ITEMS] = {2, 0, 2, 4, 1, 3, 1, -4, 5};
    static const double *const responses[] = {a, b};
    static float z[N_ITEMS * N_ITEMS];
    smerf_target *target = NULL;
    for (size_t i = 0; i < N_ITEMS; i++)
        for (size_t j = 0; j <= i; j++)
            z[i * N_ITEMS + j] = z[j * N_ITEMS + i] = (float)((i * 7 + 3) * (j * 7 + 3) % 11);
    smerf_status status = which == PLUGIN ? smerf_target_new_response(names, responses, 2, N_ITEMS, &target, NULL)
                                          : smerf_target_new_distances(z, N_ITEMS, &target, NULL);
    demand(status == SMERF_OK, "a target is made");
    return target;
}

static smerf_model *make_model(size_t which) {
    smerf_items *items = make_items();
    smerf_target *target = make_target(which);
    smerf_model *model = NULL;
    smerf_options options;
    static const smerf_method methods[N_MODELS] = {[RFD] = SMERF_METHOD_RFD,
                                                   [PLUGIN] = SMERF_METHOD_PLUGIN,
                                                   [BOOST] = SMERF_METHOD_BOOST,
                                                   [BOOST_FROM_FOREST] = SMERF_METHOD_BOOST};
    bool is_oblique = which == OBLIQUE || which == RFD;
    const smerf_run run = SMERF_INIT(smerf_run, .n_threads = 1);
    smerf_options_default(&options);
    options.n_trees = which == PLUGIN ? 9 : 2; /* plugin wants every item out of some tree's bag */
    options.method = methods[which];
    smerf_boost_options boost;
    smerf_boost_options_default(&boost);
    boost.n_rounds = 3;
    boost.min_leaf = 2;
    boost.n_leaves = 4;
    boost.n_bags = which == BOOST ? 3 : 0;
    boost.pair_features = SMERF_PAIRS_ALL;
    boost.base = which == BOOST ? SMERF_BASE_NONE : SMERF_BASE_FOREST;
    options.boost = &boost;
    options.splits = is_oblique ? SMERF_OBLIQUE : SMERF_AXIS;
    options.density = is_oblique ? 0.7 : 0;
    options.self_distance = which == OBLIQUE ? SMERF_SELF_EXCLUDE : SMERF_SELF_GIVEN;
    demand(smerf_fit(items, target, &options, &run, &model, NULL) == SMERF_OK, "a model is fitted");
    smerf_target_free(target);
    smerf_items_free(items);
    return model;
}

static size_t make_file(size_t which, uint8_t *bytes) {
    char path[] = "/tmp/fuzz-model-XXXXXX";
    int file = mkstemp(path);
    smerf_model *model = make_model(which);
    demand(file >= 0 && smerf_model_save(model, path, NULL) == SMERF_OK, "a model is saved");
    smerf_model_free(model);
    close(file);
    FILE *saved = fopen(path, "rb");
    demand(saved != NULL, "a saved model is there");
    size_t n = fread(bytes, 1, MOST_BYTES, saved);
    fclose(saved);
    unlink(path);
    demand(n > CHECKSUM_FROM + DIGITS && n < MOST_BYTES, "a small model is small");
    return n;
}

/* ---- changes ---- */

enum { SET_BYTE, FLIP_BIT, SET_WORD, ADD_TO_WORD, REMOVE, REPEAT, N_CHANGES };

static const uint32_t odd_words[8] = {0, 1, 2, 3, 255, INT32_MAX, UINT32_MAX - 1, UINT32_MAX};

static size_t change(uint8_t *bytes, size_t n, const uint8_t record[4]) {
    size_t at = ((size_t)record[0] | (size_t)record[1] << 8) % n, n_after = n - at;
    size_t word_at = at / 4 * 4;
    uint32_t word;
    size_t length = (size_t)(record[3] % 32) + 1;
    if (length > n_after) length = n_after;
    if (word_at + 4 > n) return n;
    memcpy(&word, bytes + word_at, 4);
    switch (record[2] % N_CHANGES) {
    case SET_BYTE: bytes[at] = record[3]; break;
    case FLIP_BIT: bytes[at] ^= (uint8_t)(1u << record[3] % 8); break;
    case SET_WORD: word = odd_words[record[3] % 8]; break;
    case ADD_TO_WORD: word += (uint32_t)record[3] - 128; break;
    case REMOVE: memmove(bytes + at, bytes + at + length, n_after - length); return n - length;
    case REPEAT:
        if (n + length > MOST_BYTES) return n;
        memmove(bytes + at + length, bytes + at, n_after);
        return n + length;
    default: break;
    }
    if (record[2] % N_CHANGES >= SET_WORD) memcpy(bytes + word_at, &word, 4);
    return n;
}

static size_t changed_model(const uint8_t *data, size_t n, uint8_t *bytes) {
    static uint8_t models[N_MODELS][MOST_BYTES];
    static size_t sizes[N_MODELS];
    for (size_t k = 0; k < N_MODELS; k++)
        if (sizes[k] == 0) sizes[k] = make_file(k, models[k]);
    /* Inputs that were found before there was boosting keep their meaning. */
    size_t kind = n > 0 ? data[0] : 0, which = kind < 128 ? kind % BOOST : BOOST + kind % 2, n_bytes = sizes[which];
    memcpy(bytes, models[which], n_bytes);
    for (size_t k = 1; k + 4 <= n && n_bytes > 64; k += 4) n_bytes = change(bytes, n_bytes, data + k);
    return n_bytes;
}

static void put_checksum(uint8_t *bytes, size_t n) {
    char digits[DIGITS + 1];
    if (n < CHECKSUM_FROM + DIGITS) return;
    memset(bytes + CHECKSUM_FROM, '0', DIGITS);
    XXH128_hash_t hash = XXH3_128bits(bytes, n);
    snprintf(digits, sizeof digits, "%016llx%016llx", (unsigned long long)hash.high64, (unsigned long long)hash.low64);
    memcpy(bytes + CHECKSUM_FROM, digits, DIGITS);
}

/* ---- using what was loaded ---- */

enum { N_QUERY = 3 };

/* Items with the features that the model wants: small, missing and large ones. */
static smerf_items *items_for(const smerf_model *model, size_t n_features, uint32_t *codes) {
    static const double values[N_QUERY] = {0.5, NAN, 1e300};
    smerf_column *columns = calloc(n_features, sizeof *columns);
    smerf_items *items = NULL;
    demand(columns != NULL, "there is memory for columns");
    for (size_t f = 0; f < n_features; f++) {
        smerf_model_feature(model, f, &columns[f]);
        uint32_t last = columns[f].n_levels > 0 ? (uint32_t)columns[f].n_levels - 1 : SMERF_MISSING;
        const uint32_t some[N_QUERY] = {last == SMERF_MISSING ? last : 0, SMERF_MISSING, last};
        memcpy(codes + f * N_QUERY, some, sizeof some);
        columns[f].values = values;
        columns[f].codes = codes + f * N_QUERY;
    }
    smerf_status status = smerf_items_new(columns, n_features, N_QUERY, &items, NULL);
    demand(status == SMERF_OK || status == SMERF_BAD_INPUT, "two features may have one name, in a file");
    free(columns);
    return items;
}

static int keep_row(void *context, size_t row, const double *distances, size_t n_columns) {
    memcpy((double *)context + row * n_columns, distances, n_columns * sizeof *distances);
    return 0;
}

static void ask(const smerf_model *model, const smerf_items *items, bool is_forest) {
    const smerf_request request = SMERF_INIT(smerf_request, .rows = items);
    const smerf_run run = SMERF_INIT(smerf_run, .n_threads = 1);
    const uint32_t left[N_QUERY] = {0, 1, 2}, right[N_QUERY] = {1, 2, 0};
    double rows[N_QUERY * N_QUERY], pairs[N_QUERY], spread[N_QUERY];
    if (smerf_predict_rows(model, &request, &run, keep_row, rows, NULL) != SMERF_OK) return;
    demand(smerf_predict_pairs(model, &request, &(smerf_pair_list){.n = N_QUERY, .left = left, .right = right}, &run,
                               &SMERF_INIT(smerf_pair_result, .distance = pairs, .spread = is_forest ? spread : NULL),
                               NULL) == SMERF_OK,
           "who can predict rows can predict pairs");
    for (size_t k = 0; k < N_QUERY; k++) {
        double row = rows[left[k] * N_QUERY + right[k]], mirrored = rows[right[k] * N_QUERY + left[k]];
        demand(isnan(row) || (row == pairs[k] && row == mirrored), "a distance is the same in every way");
    }
}

static void look_at_trees(const smerf_model *model, const smerf_description *description) {
    for (size_t b = 0; b < description->options->n_trees; b++) {
        smerf_tree_view tree = SMERF_INIT(smerf_tree_view);
        smerf_model_tree(model, b, &tree, NULL);
        demand(tree.n_nodes == 2 * tree.n_leaves - 1 && tree.n_splits == tree.n_leaves - 1, "trees are binary");
        for (size_t node = 0; node < tree.n_nodes; node++)
            demand(tree.is_leaf[node] ||
                       (tree.right[tree.index[node]] > node + 1 && tree.right[tree.index[node]] < tree.n_nodes),
                   "children come after their parents");
        for (size_t m = 0; m < tree.first_member[tree.n_leaves]; m++)
            demand(tree.member_item[m] < description->n_items, "members are items");
        double *weights = malloc(tree.n_nodes * sizeof *weights);
        demand(weights != NULL, "there is memory for weights");
        smerf_model_node_weights(model, b, weights);
        free(weights);
    }
}

static void use(const smerf_model *model) {
    smerf_description description = SMERF_INIT(smerf_description);
    smerf_model_describe(model, &description, NULL);
    bool is_forest = strcmp(description.method, "smerf") == 0;
    if (is_forest) look_at_trees(model, &description);
    double *importance = malloc(description.n_features * sizeof *importance);
    uint32_t *codes = malloc(description.n_features * N_QUERY * sizeof *codes);
    demand(importance != NULL && codes != NULL, "there is memory for features");
    bool has_gains = is_forest || strcmp(description.method, "boost") == 0;
    demand((smerf_importance_gain(model, importance, NULL) == SMERF_OK) == has_gains, "every forest has importances");
    smerf_items *items = items_for(model, description.n_features, codes);
    if (items != NULL) ask(model, items, is_forest);
    smerf_items_free(items);
    free(codes);
    free(importance);
    demand(smerf_model_save(model, "/dev/null", NULL) == SMERF_OK, "what was loaded can be saved");
}

static void check_failure(smerf_status status, const smerf_error *error) {
    demand(status == SMERF_BAD_FILE || status == SMERF_NO_MEMORY, "a file that is there is damaged at worst");
    demand(error->status == status, "the error knows the status");
    demand(error->message[0] != '\0' && strlen(error->message) < sizeof error->message, "there is a message");
    demand(strchr(error->message, '\n') == NULL, "the message is one line");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
    static uint8_t bytes[MOST_BYTES];
    if (n > MOST_BYTES) return 0;
    size_t n_bytes = n;
    if (n > 8 && data[8] == '{')
        memcpy(bytes, data, n);
    else
        n_bytes = changed_model(data, n, bytes);
    put_checksum(bytes, n_bytes);
    char path[64];
    int file = memfd_create("fuzz", 0);
    demand(file >= 0 && write(file, bytes, n_bytes) == (ssize_t)n_bytes, "the input fits a file");
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    smerf_model *model = NULL;
    smerf_error error = {0};
    smerf_status status = smerf_model_load(path, &model, &error);
    close(file);
    if (status != SMERF_OK) check_failure(status, &error);
    if (status == SMERF_OK) use(model);
    smerf_model_free(model);
    return 0;
}
