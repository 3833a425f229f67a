/* model_file.c - saves and loads models (docs/model-format.md). */
#include "model/model.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/strings.h"
#include "model/forest_arrays.h"
#include "model/safetensors.h"

static smerf_status pack_model(const smerf_model *model, sm_tensors *tensors, smerf_error *error) {
    smerf_status status = sm_tensors_add(tensors, "item.hash", SM_U64, model->hashes, model->n_items, error);
    if (status == SMERF_OK && model->weights != NULL)
        status = sm_tensors_add(tensors, "item.weight", SM_F64, model->weights, model->n_items, error);
    if (status == SMERF_OK && model->ids.n > 0) {
        size_t n_bytes;
        char *block = sm_strings_pack(&model->ids, &n_bytes);
        status = block != NULL ? sm_tensors_give(tensors, "item.id", SM_U8, block, n_bytes, error)
                               : sm_no_memory(error, "saving a model");
    }
    if (status == SMERF_OK && model->method != NULL) return model->method->save(model->learned, tensors, error);
    if (status == SMERF_OK) status = sm_forest_pack(model, tensors, error);
    if (status == SMERF_OK) status = model->target->kind->data.save(model->target, tensors, error);
    if (status == SMERF_OK && model->options.shrink == SMERF_SHRINK_AUTO)
        status = sm_shrinkage_save(&model->shrinkage, tensors, error);
    return status;
}

smerf_status smerf_model_save_noted(const smerf_model *model, const char *path, const char *note, smerf_error *error) {
    sm_tensors tensors = {0};
    if (note != NULL && !sm_is_utf8(note)) return sm_fail(error, SMERF_BAD_INPUT, "the note is not UTF-8 text");
    json_t *facts = sm_facts_write(model, note);
    smerf_status status = facts != NULL ? pack_model(model, &tensors, error) : sm_no_memory(error, "saving a model");
    if (status == SMERF_OK) status = sm_safetensors_write(path, facts, &tensors, error);
    json_decref(facts);
    sm_tensors_free(&tensors);
    return status;
}

smerf_status sm_model_digest(const smerf_model *model, char digits[33], smerf_error *error) {
    sm_tensors tensors = {0};
    json_t *facts = sm_facts_write(model, NULL);
    smerf_status status = SMERF_OK;
    const char *features = json_string_value(json_object_get(facts, "features"));
    if (features == NULL) status = sm_no_memory(error, "telling models apart");
    if (status == SMERF_OK) status = pack_model(model, &tensors, error);
    if (status == SMERF_OK) status = sm_safetensors_digest(features, &tensors, digits, error);
    json_decref(facts);
    sm_tensors_free(&tensors);
    return status;
}

smerf_status smerf_model_save(const smerf_model *model, const char *path, smerf_error *error) {
    return smerf_model_save_noted(model, path, model->note, error);
}

const char *smerf_model_note(const smerf_model *model) { return model->note; }

static smerf_status unpack_items(smerf_model *model, const sm_tensors *tensors, smerf_error *error) {
    const void *data;
    smerf_status status = sm_tensors_get(tensors, "item.hash", SM_U64, model->n_items, &data, error);
    if (status != SMERF_OK) return status;
    model->hashes = sm_copy(data, model->n_items, sizeof *model->hashes);
    if (model->hashes == NULL) return sm_no_memory(error, "loading a model");
    if (model->weight_column != NULL) {
        status = sm_tensors_get(tensors, "item.weight", SM_F64, model->n_items, &data, error);
        if (status != SMERF_OK) return status;
        model->weights = sm_copy(data, model->n_items, sizeof *model->weights);
        if (model->weights == NULL) return sm_no_memory(error, "loading a model");
        for (size_t i = 0; i < model->n_items; i++)
            if (!(model->weights[i] >= SM_SMALLEST_WEIGHT && model->weights[i] <= SM_LARGEST_WEIGHT))
                return sm_fail(error, SMERF_BAD_FILE, "the model's item weights are not all > 0");
    }
    if (model->id_column != NULL) {
        const sm_tensor *ids = sm_tensors_find(tensors, "item.id");
        if (ids == NULL || ids->type != SM_U8 || !sm_strings_unpack(&model->ids, ids->data, ids->n, model->n_items))
            return sm_fail(error, SMERF_BAD_FILE, "the model's item ids do not fit its items");
    }
    return SMERF_OK;
}

static smerf_status unpack_shrinkage(smerf_model *model, const sm_tensors *tensors, smerf_error *error) {
    const smerf_options *options = &model->options;
    smerf_status status = SMERF_OK;
    if (options->shrink == SMERF_SHRINK_AUTO)
        status = sm_shrinkage_load(&model->shrinkage, tensors, model->n_items, error);
    if (status == SMERF_OK &&
        !sm_shrinkage_choose(&model->shrinkage, options->shrink, options->n_trees, model->n_items))
        status = sm_no_memory(error, "loading a model");
    return status;
}

/*   kind  of the target; NULL: another method, which keeps none */
static smerf_status unpack_learned(smerf_model *model, const sm_tensors *tensors, const sm_target_kind *kind,
                                   smerf_error *error) {
    const sm_public_target *trained_on = &model->trained_on;
    if (kind == NULL) return model->method->load(tensors, &model->features, model->n_items, &model->learned, error);
    smerf_status status = sm_forest_unpack(model, tensors, error);
    if (status == SMERF_OK) status = kind->data.load(tensors, model->n_items, &model->target, error);
    if (status == SMERF_OK && trained_on->from_similarities)
        smerf_target_note_similarities(model->target, trained_on->largest_similarity);
    return status == SMERF_OK ? unpack_shrinkage(model, tensors, error) : status;
}

static smerf_status unpack_model(smerf_model *model, const sm_safetensors *file, const char *name, smerf_error *error) {
    const sm_target_kind *kind;
    smerf_status status = sm_facts_read(model, file->facts, name, &kind, error);
    if (status != SMERF_OK) return status;
    status = unpack_items(model, &file->tensors, error);
    if (status == SMERF_OK) status = unpack_learned(model, &file->tensors, kind, error);
    if (status == SMERF_BAD_FILE && error != NULL) { /* the rooms below do not know the file's name */
        char sentence[sizeof error->message];
        memcpy(sentence, error->message, sizeof sentence);
        return sm_fail(error, status, "%s: is damaged: %.300s", name, sentence);
    }
    return status;
}

smerf_status smerf_model_load(const char *path, smerf_model **out, smerf_error *error) {
    sm_safetensors file;
    smerf_status status = sm_safetensors_read(path, "model", &file, error);
    if (status != SMERF_OK) return status;
    smerf_model *model = sm_zeros(1, sizeof *model);
    if (model != NULL) sm_model_set_options(model, &SMERF_INIT(smerf_options));
    status =
        model != NULL ? unpack_model(model, &file, sm_input_name(path), error) : sm_no_memory(error, "loading a model");
    sm_safetensors_close(&file);
    if (status == SMERF_OK)
        *out = model;
    else
        smerf_model_free(model);
    return status;
}
