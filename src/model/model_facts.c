/* model_facts.c - the facts of a model as JSON, and back.
 *
 * In the safetensors layout facts are strings. Numbers are written as text, lists and objects as JSON in a string. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "model/options_facts.h"

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

/* What distances are drawn towards, and what the sums that say how far are counted in. */
static bool add_shrinkage(json_t *facts, const smerf_model *model) {
    if (model->options.shrink == SMERF_SHRINK_OFF) return true;
    return add_json(facts, "mean_distance", json_real(model->shrinkage.mean)) &&
           (model->options.shrink != SMERF_SHRINK_AUTO ||
            add_json(facts, "shrink_unit", json_real(model->shrinkage.unit)));
}

/* What only a forest has, or only another method. */
static bool add_learned(json_t *facts, const smerf_model *model) {
    if (model->method != NULL)
        return json_object_set_new(facts, "target", json_string(model->trained_on.name)) == 0 &&
               add_json(facts, "target_columns", strings_json(&model->trained_on.columns)) &&
               add_json(facts, "n_items", json_integer((json_int_t)model->n_items)) &&
               add_json(facts, "options", sm_options_json(&model->options)) &&
               add_json(facts, "findings", diagnostics_json(&model->diagnostics));
    return json_object_set_new(facts, "target", json_string(model->target->kind->name)) == 0 &&
           add_json(facts, "first_tree", json_integer((json_int_t)model->options.first_tree)) &&
           add_json(facts, "n_trees", json_integer((json_int_t)model->options.n_trees)) &&
           add_json(facts, "n_items", json_integer((json_int_t)model->n_items)) &&
           add_json(facts, "options", sm_options_json(&model->options)) && add_shrinkage(facts, model);
}

static int format_of(const smerf_model *model) {
    return model->options.shrink == SMERF_SHRINK_OFF ? SM_FORMAT_VERSION : SM_SHRINKING_FORMAT_VERSION;
}

json_t *sm_facts_write(const smerf_model *model, const char *note) {
    smerf_description description = SMERF_INIT(smerf_description);
    smerf_model_describe(model, &description, NULL);
    json_t *facts = json_object();
    bool is_fine = facts != NULL;
    is_fine = is_fine && json_object_set_new(facts, "format", json_string("smerf")) == 0;
    is_fine = is_fine && add_json(facts, "format_version", json_integer(format_of(model)));
    is_fine = is_fine && json_object_set_new(facts, "method", json_string(description.method)) == 0;
    is_fine = is_fine && add_learned(facts, model);
    is_fine = is_fine && add_json(facts, "features", features_json(&model->features));
    is_fine = is_fine && add_json(facts, "ignored_columns", strings_json(&model->ignored));
    if (model->id_column != NULL)
        is_fine = is_fine && json_object_set_new(facts, "id_column", json_string(model->id_column)) == 0;
    if (model->weight_column != NULL)
        is_fine = is_fine && json_object_set_new(facts, "weight_column", json_string(model->weight_column)) == 0;
    if (note != NULL) is_fine = is_fine && json_object_set_new(facts, "note", json_string(note)) == 0;
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

static bool read_options(smerf_model *model, const json_t *facts) {
    json_t *object = get_json(facts, "options");
    bool is_fine = object != NULL && sm_options_read_json(object, model);
    json_decref(object);
    return is_fine;
}

/* What only another method has. */
static bool read_method(smerf_model *model, const json_t *facts) {
    json_t *columns = get_json(facts, "target_columns");
    bool is_fine = read_text(facts, "target", &model->trained_on.name) && model->trained_on.name != NULL &&
                   read_strings(columns, &model->trained_on.columns) && read_options(model, facts) &&
                   read_diagnostics(facts, &model->diagnostics);
    json_decref(columns);
    return is_fine;
}

static bool get_number(const json_t *facts, const char *key, double *out) {
    json_t *value = get_json(facts, key);
    bool is_fine = json_is_number(value) && fabs(json_number_value(value)) <= (double)FLT_MAX;
    if (is_fine) *out = json_number_value(value);
    json_decref(value);
    return is_fine;
}

static bool read_shrinkage(smerf_model *model, const json_t *facts) {
    sm_shrinkage *shrinkage = &model->shrinkage;
    if (model->options.shrink == SMERF_SHRINK_OFF) return true;
    if (!get_number(facts, "mean_distance", &shrinkage->mean)) return false;
    return model->options.shrink != SMERF_SHRINK_AUTO ||
           (get_number(facts, "shrink_unit", &shrinkage->unit) && shrinkage->unit > 0);
}

/* What only a forest has. */
static bool read_forest(smerf_model *model, const json_t *facts) {
    smerf_options *options = &model->options;
    size_t n_trees = 0;
    bool is_fine = get_size(facts, "first_tree", UINT32_MAX, &options->first_tree) && read_options(model, facts) &&
                   get_size(facts, "n_trees", UINT32_MAX - options->first_tree, &n_trees) && n_trees >= 1;
    is_fine = is_fine && read_shrinkage(model, facts);
    if (is_fine) options->n_trees = n_trees; /* else there are none to free */
    return is_fine;
}

/* What every model has. */
static bool read_items(smerf_model *model, const json_t *facts) {
    json_t *ignored = get_json(facts, "ignored_columns"), *largest = get_json(facts, "largest_similarity");
    bool is_fine = get_size(facts, "n_items", UINT32_MAX - 1, &model->n_items) && model->n_items >= 2 &&
                   read_features(facts, &model->features) && read_strings(ignored, &model->ignored) &&
                   read_text(facts, "id_column", &model->id_column) &&
                   read_text(facts, "weight_column", &model->weight_column) && read_text(facts, "note", &model->note);
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
    if (format != NULL && strcmp(format, "smerf index") == 0)
        return sm_fail(error, SMERF_BAD_FILE, "%s: is an index of items, and not a model", name);
    if (format == NULL || strcmp(format, "smerf") != 0)
        return sm_fail(error, SMERF_BAD_FILE, "%s: is not a smerf model", name);
    if (!get_size(facts, "format_version", SIZE_MAX >> 1, &version) ||
        (version != SM_FORMAT_VERSION && version != SM_SHRINKING_FORMAT_VERSION))
        return sm_fail(error, SMERF_BAD_FILE, "%s: has format version %zu, and this smerf reads versions %d and %d",
                       name, version, SM_FORMAT_VERSION, SM_SHRINKING_FORMAT_VERSION);
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
    if (read_items(model, facts) && (model->method != NULL ? read_method(model, facts) : read_forest(model, facts)) &&
        version == (size_t)format_of(model))
        return SMERF_OK;
    return sm_fail(error, SMERF_BAD_FILE, "%s: is damaged: the facts in its header make no sense", name);
}
