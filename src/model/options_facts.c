/* options_facts.c - the options of a model as JSON, and back: see options_facts.h. */
#include "model/options_facts.h"

#include <math.h>
#include <string.h>

static const char *const split_names[] = {"axis", "oblique"};
static const char *const sample_names[] = {"bootstrap", "subsample", "none"};
static const char *const rule_names[] = {"both", "either"}; /* from SMERF_OOB_BOTH on */
static const char *const self_names[] = {"given", "value", "exclude"};
static const char *const loss_names[] = {"auto", "squared", "absolute", "huber", "logistic"};
static const char *const pair_feature_names[] = {"auto", "difference", "ends", "items", "all"};
static const char *const base_names[] = {"none", "forest"};

#define COUNT(names) (sizeof(names) / sizeof *(names))

/* ---- writing ---- */

static json_t *method_options_json(const smerf_options *options) {
    const smerf_baseline_options *baselines = options->baselines;
    json_t *object = json_pack("{s:I, s:I, s:I, s:I, s:I, s:I}", "seed", (json_int_t)options->seed, "pairs",
                               (json_int_t)baselines->n_pairs, "factors", (json_int_t)baselines->n_factors, "burn",
                               (json_int_t)baselines->n_burn, "draws", (json_int_t)baselines->n_draws, "chains",
                               (json_int_t)baselines->n_chains);
    bool is_fine = object != NULL;
    if (baselines->has_intercept > 0) /* these three are written only where they matter */
        is_fine = is_fine && json_object_set_new(object, "intercept", json_true()) == 0;
    if (baselines->n_bags > 0)
        is_fine = is_fine && json_object_set_new(object, "bags", json_integer((json_int_t)baselines->n_bags)) == 0;
    if (baselines->ridge != 0)
        is_fine = is_fine && json_object_set_new(object, "ridge", json_real(baselines->ridge)) == 0;
    if (is_fine) return object;
    json_decref(object);
    return NULL;
}

static json_t *shrink_json(double shrink) {
    return shrink == SMERF_SHRINK_AUTO ? json_string("auto") : json_real(shrink);
}

/* With what was chosen where nothing was said. */
static json_t *boost_options_json(const smerf_options *options) {
    const smerf_boost_options *boost = options->boost;
    return json_pack("{s:I, s:I, s:I, s:I, s:I, s:f, s:f, s:I, s:I, s:s, s:s, s:s}", "seed", (json_int_t)options->seed,
                     "rounds", (json_int_t)boost->n_rounds, "most_rounds", (json_int_t)boost->most_rounds, "leaves",
                     (json_int_t)boost->n_leaves, "min_leaf", (json_int_t)boost->min_leaf, "learning_rate",
                     boost->learning_rate, "l2", boost->l2, "bags", (json_int_t)boost->n_bags, "pairs_a_round",
                     (json_int_t)boost->pairs_a_round, "loss", loss_names[boost->loss], "pair_features",
                     pair_feature_names[boost->pair_features], "base", base_names[boost->base]);
}

static json_t *forest_options_json(const smerf_options *options) {
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
    if (options->shrink != SMERF_SHRINK_OFF) /* as is this one, with a format of its own */
        is_fine = is_fine && json_object_set_new(object, "shrink", shrink_json(options->shrink)) == 0;
    if (is_fine) return object;
    json_decref(object);
    return NULL;
}

json_t *sm_options_json(const smerf_options *options) {
    if (options->method == SMERF_METHOD_FOREST) return forest_options_json(options);
    return options->method == SMERF_METHOD_BOOST ? boost_options_json(options) : method_options_json(options);
}

/* ---- reading ---- */

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

/* "auto" or a number; absent: off. */
static bool get_shrink(const json_t *object, double *shrink) {
    const json_t *value = json_object_get(object, "shrink");
    *shrink = SMERF_SHRINK_OFF;
    if (value == NULL) return true;
    if (json_is_string(value)) *shrink = SMERF_SHRINK_AUTO;
    if (json_is_string(value)) return strcmp(json_string_value(value), "auto") == 0;
    *shrink = json_number_value(value);
    return json_is_number(value) && *shrink > 0 && *shrink < 1;
}

static bool read_forest_options(json_t *object, smerf_options *options) {
    json_int_t seed, candidates, min_parent, depth = -1;
    json_t *max_depth;
    double density, fraction, self_value;
    unsigned splits, sample, rule, self;
    bool is_fine = json_unpack(object, "{s:I, s:I, s:F, s:I, s:o, s:F, s:F}", "seed", &seed, "candidates", &candidates,
                               "density", &density, "min_parent", &min_parent, "max_depth", &max_depth, "sample_share",
                               &fraction, "self_value", &self_value) == 0 &&
                   get_word(object, "splits", split_names, COUNT(split_names), &splits) &&
                   get_word(object, "sample", sample_names, COUNT(sample_names), &sample) &&
                   get_word(object, "oob_rule", rule_names, COUNT(rule_names), &rule) &&
                   get_word(object, "self_distance", self_names, COUNT(self_names), &self) &&
                   get_count(object, "rank", &options->rank) && get_count(object, "complete", &options->complete) &&
                   get_shrink(object, &options->shrink);
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
    return is_fine;
}

static bool read_method_options(json_t *object, smerf_options *options, smerf_baseline_options *baselines) {
    json_int_t seed;
    bool is_fine = json_unpack(object, "{s:I}", "seed", &seed) == 0 && seed >= 0 &&
                   get_count(object, "pairs", &baselines->n_pairs) &&
                   get_count(object, "factors", &baselines->n_factors) &&
                   get_count(object, "burn", &baselines->n_burn) && get_count(object, "draws", &baselines->n_draws) &&
                   get_count(object, "chains", &baselines->n_chains) && get_count(object, "bags", &baselines->n_bags);
    if (is_fine) options->seed = (uint64_t)seed;
    baselines->has_intercept = json_is_true(json_object_get(object, "intercept"));
    baselines->ridge = json_number_value(json_object_get(object, "ridge"));
    return is_fine;
}

/* A whole number from least on. */
static bool get_whole(const json_t *object, const char *key, json_int_t least, size_t *out) {
    const json_t *value = json_object_get(object, key);
    *out = (size_t)json_integer_value(value);
    return json_is_integer(value) && json_integer_value(value) >= least && json_integer_value(value) <= UINT32_MAX;
}

static bool read_boost_options(json_t *object, smerf_options *options, smerf_boost_options *boost) {
    json_int_t seed;
    unsigned loss, pair_features, base;
    bool is_fine =
        json_unpack(object, "{s:I, s:F, s:F}", "seed", &seed, "learning_rate", &boost->learning_rate, "l2",
                    &boost->l2) == 0 &&
        seed >= 0 && boost->learning_rate > 0 && boost->learning_rate <= 1 && boost->l2 >= 0 &&
        get_whole(object, "rounds", 0, &boost->n_rounds) && get_whole(object, "most_rounds", 1, &boost->most_rounds) &&
        get_whole(object, "leaves", 2, &boost->n_leaves) && get_whole(object, "min_leaf", 1, &boost->min_leaf) &&
        get_whole(object, "bags", 0, &boost->n_bags) && get_whole(object, "pairs_a_round", 1, &boost->pairs_a_round) &&
        get_word(object, "loss", loss_names, COUNT(loss_names), &loss) &&
        get_word(object, "pair_features", pair_feature_names, COUNT(pair_feature_names), &pair_features) &&
        get_word(object, "base", base_names, COUNT(base_names), &base);
    if (is_fine) {
        options->seed = (uint64_t)seed;
        boost->loss = (smerf_boost_loss)loss;
        boost->pair_features = (smerf_pair_features)pair_features;
        boost->base = (smerf_boost_base)base;
    }
    return is_fine;
}

bool sm_options_read_json(json_t *object, smerf_model *model) {
    if (model->options.method == SMERF_METHOD_FOREST) return read_forest_options(object, &model->options);
    return model->options.method == SMERF_METHOD_BOOST
               ? read_boost_options(object, &model->options, &model->boost)
               : read_method_options(object, &model->options, &model->baselines);
}
