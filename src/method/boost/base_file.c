/* base_file.c - the forest that boosting starts from, inside its model file: a forest's arrays have other names than those of what was
 * learned on top of it, so that both stand side by side. Names, hashes and weights of items are those of the whole model. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "method/boost/boost.h"
#include "model/forest_arrays.h"

/* The options that prediction needs, as numbers. */
enum { BASE_TREES, BASE_SAMPLE, BASE_RULE, BASE_SELF, BASE_SELF_VALUE, N_BASE_OPTIONS };

smerf_status sm_boost_base_save(const smerf_model *base, sm_tensors *tensors, smerf_error *error) {
    const smerf_options *options = &base->options;
    const char *kind = base->target->kind->name;
    double *numbers = sm_array(N_BASE_OPTIONS, sizeof *numbers);
    if (numbers == NULL) return sm_no_memory(error, "saving a model");
    numbers[BASE_TREES] = (double)options->n_trees;
    numbers[BASE_SAMPLE] = options->sample;
    numbers[BASE_RULE] = options->oob_rule;
    numbers[BASE_SELF] = options->self_distance;
    numbers[BASE_SELF_VALUE] = options->self_value;
    smerf_status status = sm_tensors_give(tensors, "learned.base", SM_F64, numbers, N_BASE_OPTIONS, error);
    if (status == SMERF_OK) status = sm_tensors_add(tensors, "learned.base_target", SM_U8, kind, strlen(kind), error);
    if (status == SMERF_OK) status = sm_forest_pack(base, tensors, error);
    if (status == SMERF_OK) status = base->target->kind->data.save(base->target, tensors, error);
    return status;
}

/* ---- loading ---- */

static bool is_whole(double number, double least, double most) {
    return number >= least && number <= most && number == floor(number);
}

static smerf_status take_base_options(const double *numbers, smerf_options *options, smerf_error *error) {
    if (!is_whole(numbers[BASE_TREES], 1, UINT32_MAX) || !is_whole(numbers[BASE_SAMPLE], 0, SMERF_NO_SAMPLE) ||
        !is_whole(numbers[BASE_RULE], SMERF_OOB_BOTH, SMERF_OOB_EITHER) ||
        !is_whole(numbers[BASE_SELF], SMERF_SELF_GIVEN, SMERF_SELF_EXCLUDE) || !isfinite(numbers[BASE_SELF_VALUE]))
        return sm_fail(error, SMERF_BAD_FILE, "the model's options of the forest that it starts from make no sense");
    options->n_trees = (size_t)numbers[BASE_TREES];
    options->sample = (smerf_sample)numbers[BASE_SAMPLE];
    options->oob_rule = (smerf_oob_rule)numbers[BASE_RULE];
    options->self_distance = (smerf_self)numbers[BASE_SELF];
    options->self_value = numbers[BASE_SELF_VALUE];
    return SMERF_OK;
}

static smerf_status take_base_items(const sm_tensors *tensors, smerf_model *base, smerf_error *error) {
    const void *data;
    size_t n = base->n_items;
    const sm_tensor *ids = sm_tensors_find(tensors, "item.id"), *weights = sm_tensors_find(tensors, "item.weight");
    smerf_status status = sm_tensors_get(tensors, "item.hash", SM_U64, n, &data, error);
    if (status != SMERF_OK) return status;
    base->hashes = sm_copy(data, n, sizeof *base->hashes);
    if (base->hashes == NULL) return sm_no_memory(error, "loading a model");
    if (ids != NULL && (ids->type != SM_U8 || !sm_strings_unpack(&base->ids, ids->data, ids->n, n)))
        return sm_fail(error, SMERF_BAD_FILE, "the model's item ids do not fit its items");
    if (weights == NULL) return SMERF_OK;
    status = sm_tensors_get(tensors, "item.weight", SM_F64, n, &data, error);
    if (status != SMERF_OK) return status;
    base->weights = sm_copy(data, n, sizeof *base->weights);
    if (base->weights == NULL) return sm_no_memory(error, "loading a model");
    for (size_t i = 0; i < n; i++)
        if (!(base->weights[i] >= SM_SMALLEST_WEIGHT && base->weights[i] <= SM_LARGEST_WEIGHT))
            return sm_fail(error, SMERF_BAD_FILE, "the model's item weights are not all > 0");
    return SMERF_OK;
}

static const sm_target_kind *find_base_target(const sm_tensors *tensors) {
    char name[24] = "";
    const sm_tensor *tensor = sm_tensors_find(tensors, "learned.base_target");
    if (tensor == NULL || tensor->type != SM_U8 || tensor->n >= sizeof name) return NULL;
    memcpy(name, tensor->data, tensor->n);
    return sm_target_kind_find(name);
}

static smerf_status take_base(const sm_tensors *tensors, const double *numbers, smerf_model *base, smerf_error *error) {
    const sm_target_kind *kind = find_base_target(tensors);
    smerf_options options = base->options;
    if (kind == NULL)
        return sm_fail(error, SMERF_BAD_FILE, "the forest that the model starts from has a target of no known kind");
    smerf_status status = take_base_options(numbers, &options, error);
    if (status == SMERF_OK) status = take_base_items(tensors, base, error);
    if (status != SMERF_OK) return status;
    base->options = options;
    status = sm_forest_unpack(base, tensors, error);
    if (status == SMERF_OK) status = kind->data.load(tensors, base->n_items, &base->target, error);
    return status;
}

smerf_status sm_boost_base_load(const sm_tensors *tensors, const sm_features *features, size_t n_items,
                                smerf_model **out, smerf_error *error) {
    const void *numbers;
    if (sm_tensors_find(tensors, "learned.base") == NULL) return SMERF_OK;
    smerf_status status = sm_tensors_get(tensors, "learned.base", SM_F64, N_BASE_OPTIONS, &numbers, error);
    if (status != SMERF_OK) return status;
    smerf_model *base = sm_zeros(1, sizeof *base);
    if (base == NULL) return sm_no_memory(error, "loading a model");
    sm_model_set_options(base, &SMERF_INIT(smerf_options));
    base->n_items = n_items;
    status = sm_features_copy(&base->features, features) ? take_base(tensors, numbers, base, error)
                                                         : sm_no_memory(error, "loading a model");
    if (status == SMERF_OK)
        *out = base;
    else
        smerf_model_free(base);
    return status;
}
