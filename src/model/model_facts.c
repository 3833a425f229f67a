/* model_facts.c - the facts of a model as JSON, and back.
 *
 * In the safetensors layout facts are strings. Numbers are written as text, lists and objects as JSON in a string. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "model/model.h"

static const char *const split_names[] = {"axis", "oblique"};
static const char *const sample_names[] = {"bootstrap", "subsample", "none"};
static const char *const rule_names[] = {"both", "either"}; /* from SMERF_OOB_BOTH on */
static const char *const self_names[] = {"given", "value", "exclude"};

#define COUNT(names) (sizeof(names) / sizeof *(names))

/* ---- writing ---- */

static json_t *strings_json(const sm_strings *strings) {
    json_t *list = json_array();
    for (size_t i = 0; i < strings->n && list != NULL; i++)
        if (json_array_append_new(list, json_string(strings->text[i])) != 0) {
            json_decref(list);
            return NULL;
        }
    return list;
}

static json_t *features_json(const sm_features *features) {
    json_t *list = json_array();
    for (size_t f = 0; f < features->n && list != NULL; f++) {
        const sm_feature *feature = &features->feature[f];
        json_t *entry = feature->kind == SMERF_NUMBER ? json_pack("{s:s, s:s}", "name", feature->name, "kind", "number")
                                                      : json_pack("{s:s, s:s, s:o}", "name", feature->name, "kind",
                                                                  "category", "levels", strings_json(&feature->levels));
        if (json_array_append_new(list, entry) != 0) {
            json_decref(list);
            return NULL;
        }
    }
    return list;
}

static json_t *method_options_json(const smerf_options *options) {
    const smerf_baseline_options *baselines = options->baselines;
    json_t *object = json_pack("{s:I, s:I, s:I, s:I, s:I, s:I}", "seed", (json_int_t)options->seed, "pairs",
                               (json_int_t)baselines->n_pairs, "factors", (json_int_t)baselines->n_factors, "burn",
                               (json_int_t)baselines->n_burn, "draws", (json_int_t)baselines->n_draws, "chains",
                               (json_int_t)baselines->n_chains);
    if (object == NULL || !baselines->has_intercept) return object; /* written only where it matters */
    if (json_object_set_new(object, "intercept", json_true()) == 0) return object;
    json_decref(object);
    return NULL;
}

static json_t *options_json(const smerf_options *options) {
    json_t *depth = options->max_depth == SMERF_NO_LIMIT ? json_null() : json_integer((json_int_t)options->max_depth);
    json_t *object = json_pack(
        "{s:I, s:s, s:I, s:f, s:I, s:o, s:s, s:f, s:s, s:s, s:f}", "seed", (json_int_t)options->seed, "splits",
        split_names[options->splits], "candidates", (json_int_t)options->candidates, "density", options->density,
        "min_parent", (json_int_t)options->min_parent, "max_depth", depth, "sample", sample_names[options->sample],
        "sample_share", options->sample_fraction, "oob_rule", rule_names[options->oob_rule - SMERF_OOB_BOTH],
        "self_distance", self_names[options->self_distance], "self_value", options->self_value);
    bool is_fine = object != NULL;
    if (options->rank > 0) /* these two are written only where they matter: older models have neither */
        is_fine = is_fine && json_object_set_new(object, "rank", json_integer((json_int_t)options->rank)) == 0;
    if (options->complete > 0)
        is_fine = is_fine && json_object_set_new(object, "complete", json_integer((json_int_t)options->complete)) == 0;
    if (is_fine) return object;
    json_decref(object);
    return NULL;
}

static json_t *diagnostics_json(const sm_diagnostics *diagnostics) {
    json_t *list = json_array();
    for (size_t k = 0; k < diagnostics->n && list != NULL; k++) {
        const struct sm_diagnostic *diagnostic = &diagnostics->diagnostic[k];
        if (json_array_append_new(list, json_pack("[s, f]", diagnostic->name, diagnostic->value)) != 0) {
            json_decref(list);
            return NULL;
        }
    }
    return list;
}

/* Adds a fact whose value is JSON in a string; takes the value. */
static bool add_json(json_t *facts, const char *key, json_t *value) {
    char *text = value != NULL ? json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY) : NULL;
    bool is_added = text != NULL && json_object_set_new(facts, key, json_string(text)) == 0;
    free(text);
    json_decref(value);
    return is_added;
}

/* What only a forest has, or only another method. */
static bool add_learned(json_t *facts, const smerf_model *model) {
    if (model->method != NULL)
        return json_object_set_new(facts, "target", json_string(model->trained_on.name)) == 0 &&
               add_json(facts, "target_columns", strings_json(&model->trained_on.columns)) &&
               add_json(facts, "n_items", json_integer((json_int_t)model->n_items)) &&
               add_json(facts, "options", method_options_json(&model->options)) &&
               add_json(facts, "findings", diagnostics_json(&model->diagnostics));
    return json_object_set_new(facts, "target", json_string(model->target->kind->name)) == 0 &&
           add_json(facts, "first_tree", json_integer((json_int_t)model->options.first_tree)) &&
           add_json(facts, "n_trees", json_integer((json_int_t)model->options.n_trees)) &&
           add_json(facts, "n_items", json_integer((json_int_t)model->n_items)) &&
           add_json(facts, "options", options_json(&model->options));
}

json_t *sm_facts_write(const smerf_model *model) {
    smerf_description description = SMERF_INIT(smerf_description);
    smerf_model_describe(model, &description, NULL);
    json_t *facts = json_object();
    bool is_fine = facts != NULL;
    is_fine = is_fine && json_object_set_new(facts, "format", json_string("smerf")) == 0;
    is_fine = is_fine && add_json(facts, "format_version", json_integer(SM_FORMAT_VERSION));
    is_fine = is_fine && json_object_set_new(facts, "method", json_string(description.method)) == 0;
    is_fine = is_fine && add_learned(facts, model);
    is_fine = is_fine && add_json(facts, "features", features_json(&model->features));
    is_fine = is_fine && add_json(facts, "ignored_columns", strings_json(&model->ignored));
    if (model->id_column != NULL)
        is_fine = is_fine && json_object_set_new(facts, "id_column", json_string(model->id_column)) == 0;
    if (model->weight_column != NULL)
        is_fine = is_fine && json_object_set_new(facts, "weight_column", json_string(model->weight_column)) == 0;
    if (description.from_similarities)
        is_fine = is_fine && add_json(facts, "largest_similarity", json_real(description.largest_similarity));
    if (is_fine) return facts;
    json_decref(facts);
    return NULL;
}

/* ---- reading ---- */

/* The JSON in a fact's string; NULL if it is absent or makes no sense. */
static json_t *get_json(const json_t *facts, const char *key) {
    const char *text = json_string_value(json_object_get(facts, key));
    return text != NULL ? json_loads(text, JSON_DECODE_ANY | JSON_REJECT_DUPLICATES, NULL) : NULL;
}

/* A whole number from 0 to most. */
static bool get_size(const json_t *facts, const char *key, size_t most, size_t *out) {
    json_t *value = get_json(facts, key);
    json_int_t number = json_integer_value(value);
    bool is_fine = json_is_integer(value) && number >= 0 && (uint64_t)number <= most;
    if (is_fine) *out = (size_t)number;
    json_decref(value);
    return is_fine;
}

static bool get_word(const json_t *object, const char *key, const char *const *words, size_t n_words, unsigned *out) {
    const char *word = json_string_value(json_object_get(object, key));
    for (*out = 0; word != NULL && *out < n_words; (*out)++)
        if (strcmp(words[*out], word) == 0) return true;
    return false;
}

/* A whole number that may be absent: 0. */
static bool get_count(const json_t *object, const char *key, size_t *out) {
    const json_t *value = json_object_get(object, key);
    json_int_t number = json_integer_value(value);
    *out = (size_t)number;
    return value == NULL || (json_is_integer(value) && number > 0 && number <= UINT32_MAX);
}

static bool read_options(const json_t *facts, smerf_options *options) {
    json_t *object = get_json(facts, "options");
    json_int_t seed, candidates, min_parent, depth = -1;
    json_t *max_depth;
    double density, fraction, self_value;
    unsigned splits, sample, rule, self;
    bool is_fine = object != NULL &&
                   json_unpack(object, "{s:I, s:I, s:F, s:I, s:o, s:F, s:F}", "seed", &seed, "candidates", &candidates,
                               "density", &density, "min_parent", &min_parent, "max_depth", &max_depth, "sample_share",
                               &fraction, "self_value", &self_value) == 0 &&
                   get_word(object, "splits", split_names, COUNT(split_names), &splits) &&
                   get_word(object, "sample", sample_names, COUNT(sample_names), &sample) &&
                   get_word(object, "oob_rule", rule_names, COUNT(rule_names), &rule) &&
                   get_word(object, "self_distance", self_names, COUNT(self_names), &self) &&
                   get_count(object, "rank", &options->rank) && get_count(object, "complete", &options->complete);
    if (is_fine && !json_is_null(max_depth)) {
        is_fine = json_is_integer(max_depth);
        depth = json_integer_value(max_depth);
        is_fine = is_fine && depth >= 0;
    }
    is_fine = is_fine && seed >= 0 && candidates >= 1 && min_parent >= 2 && fraction > 0 && fraction <= 1 &&
              isfinite(density) && isfinite(self_value);
    if (is_fine) {
        options->seed = (uint64_t)seed;
        options->candidates = (size_t)candidates;
        options->density = density;
        options->min_parent = (size_t)min_parent;
        options->max_depth = depth < 0 ? SMERF_NO_LIMIT : (size_t)depth;
        options->sample_fraction = fraction;
        options->self_value = self_value;
        options->splits = (smerf_splits)splits;
        options->sample = (smerf_sample)sample;
        options->oob_rule = (smerf_oob_rule)(SMERF_OOB_BOTH + rule);
        options->self_distance = (smerf_self)self;
    }
    json_decref(object);
    return is_fine;
}

static bool read_strings(const json_t *list, sm_strings *strings) {
    size_t n = json_array_size(list);
    const char **text = sm_array(n, sizeof *text);
    bool is_fine = text != NULL && json_is_array(list);
    for (size_t i = 0; i < n && is_fine; i++) {
        text[i] = json_string_value(json_array_get(list, i));
        is_fine = text[i] != NULL;
    }
    is_fine = is_fine && sm_strings_copy(strings, text, n);
    sm_free(text);
    return is_fine;
}

static bool read_feature(const json_t *entry, sm_feature *feature) {
    const char *name, *kind;
    if (json_unpack((json_t *)entry, "{s:s, s:s}", "name", &name, "kind", &kind) != 0) return false;
    feature->name = sm_copy_string(name);
    feature->kind = strcmp(kind, "category") == 0 ? SMERF_CATEGORY : SMERF_NUMBER;
    if (feature->name == NULL || (feature->kind == SMERF_NUMBER && strcmp(kind, "number") != 0)) return false;
    if (feature->kind == SMERF_NUMBER) return true;
    if (!read_strings(json_object_get(entry, "levels"), &feature->levels)) return false;
    for (size_t i = 1; i < feature->levels.n; i++) /* readers look levels up by halving */
        if (strcmp(feature->levels.text[i - 1], feature->levels.text[i]) >= 0) return false;
    return true;
}

static bool read_features(const json_t *facts, sm_features *features) {
    json_t *list = get_json(facts, "features");
    size_t n = json_array_size(list);
    features->feature = n > 0 ? sm_zeros(n, sizeof *features->feature) : NULL;
    bool is_fine = features->feature != NULL;
    if (is_fine) features->n = n;
    for (size_t f = 0; f < n && is_fine; f++) is_fine = read_feature(json_array_get(list, f), &features->feature[f]);
    json_decref(list);
    return is_fine;
}

/* An absent fact is fine, and NULL. */
static bool read_text(const json_t *facts, const char *key, char **out) {
    const char *text = json_string_value(json_object_get(facts, key));
    *out = text != NULL ? sm_copy_string(text) : NULL;
    return text == NULL || *out != NULL;
}

static bool read_method_options(const json_t *facts, smerf_options *options, smerf_baseline_options *baselines) {
    json_t *object = get_json(facts, "options");
    json_int_t seed;
    bool is_fine = object != NULL && json_unpack(object, "{s:I}", "seed", &seed) == 0 && seed >= 0 &&
                   get_count(object, "pairs", &baselines->n_pairs) &&
                   get_count(object, "factors", &baselines->n_factors) &&
                   get_count(object, "burn", &baselines->n_burn) && get_count(object, "draws", &baselines->n_draws) &&
                   get_count(object, "chains", &baselines->n_chains);
    if (is_fine) options->seed = (uint64_t)seed;
    baselines->has_intercept = json_is_true(json_object_get(object, "intercept"));
    json_decref(object);
    return is_fine;
}

static bool read_diagnostics(const json_t *facts, sm_diagnostics *diagnostics) {
    json_t *list = get_json(facts, "findings");
    size_t n = json_array_size(list);
    bool is_fine = json_is_array(list) && n <= SM_MOST_DIAGNOSTICS;
    for (size_t k = 0; k < n && is_fine; k++) {
        const char *name;
        double value;
        is_fine = json_unpack(json_array_get(list, k), "[s, F]", &name, &value) == 0 &&
                  strlen(name) < sizeof diagnostics->diagnostic->name;
        if (is_fine) sm_diagnostics_add(diagnostics, name, value);
    }
    json_decref(list);
    return is_fine;
}

/* What only another method has. */
static bool read_method(smerf_model *model, const json_t *facts) {
    json_t *columns = get_json(facts, "target_columns");
    bool is_fine = read_text(facts, "target", &model->trained_on.name) && model->trained_on.name != NULL &&
                   read_strings(columns, &model->trained_on.columns) &&
                   read_method_options(facts, &model->options, &model->baselines) &&
                   read_diagnostics(facts, &model->diagnostics);
    json_decref(columns);
    return is_fine;
}

/* What only a forest has. */
static bool read_forest(smerf_model *model, const json_t *facts) {
    smerf_options *options = &model->options;
    size_t n_trees = 0;
    bool is_fine = get_size(facts, "first_tree", UINT32_MAX, &options->first_tree) && read_options(facts, options) &&
                   get_size(facts, "n_trees", UINT32_MAX - options->first_tree, &n_trees) && n_trees >= 1;
    if (is_fine) options->n_trees = n_trees; /* else there are none to free */
    return is_fine;
}

/* What every model has. */
static bool read_items(smerf_model *model, const json_t *facts) {
    json_t *ignored = get_json(facts, "ignored_columns"), *largest = get_json(facts, "largest_similarity");
    bool is_fine = get_size(facts, "n_items", UINT32_MAX - 1, &model->n_items) && model->n_items >= 2 &&
                   read_features(facts, &model->features) && read_strings(ignored, &model->ignored) &&
                   read_text(facts, "id_column", &model->id_column) &&
                   read_text(facts, "weight_column", &model->weight_column);
    model->trained_on.from_similarities = json_is_number(largest);
    model->trained_on.largest_similarity = json_number_value(largest);
    json_decref(ignored);
    json_decref(largest);
    return is_fine;
}

smerf_status sm_facts_read(smerf_model *model, const json_t *facts, const char *name, const sm_target_kind **kind,
                           smerf_error *error) {
    const char *format = json_string_value(json_object_get(facts, "format"));
    size_t version = 0;
    if (format == NULL || strcmp(format, "smerf") != 0)
        return sm_fail(error, SMERF_BAD_FILE, "%s: is not a smerf model", name);
    if (!get_size(facts, "format_version", SIZE_MAX >> 1, &version) || version != SM_FORMAT_VERSION)
        return sm_fail(error, SMERF_BAD_FILE, "%s: has format version %zu, and this smerf reads version %d", name,
                       version, SM_FORMAT_VERSION);
    const char *method = json_string_value(json_object_get(facts, "method"));
    if (method == NULL || !sm_method_find(method, &model->options.method))
        return sm_fail(error, SMERF_BAD_FILE, "%s: was made by the method '%.40s', which this smerf does not know",
                       name, method != NULL ? method : "");
    model->method = sm_method_of(model->options.method);
    const char *target = json_string_value(json_object_get(facts, "target"));
    *kind = target != NULL && model->method == NULL ? sm_target_kind_find(target) : NULL;
    if (*kind == NULL && model->method == NULL)
        return sm_fail(error, SMERF_BAD_FILE, "%s: has a target of kind '%.40s', which this smerf does not know", name,
                       target != NULL ? target : "");
    if (read_items(model, facts) && (model->method != NULL ? read_method(model, facts) : read_forest(model, facts)))
        return SMERF_OK;
    return sm_fail(error, SMERF_BAD_FILE, "%s: is damaged: the facts in its header make no sense", name);
}
