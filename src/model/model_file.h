/* model_file.h - the facts in a model's header. */
#ifndef SM_MODEL_MODEL_FILE_H
#define SM_MODEL_MODEL_FILE_H

#include <jansson.h>

#include "model/model.h"

/* Written in the header; a reader refuses what is newer than it knows. */
enum { SM_FORMAT_VERSION = 1 };

/* model_facts.c: everything that is not an array, as an object of strings. NULL: no memory. */
json_t *sm_facts_write(const smerf_model *model);

/* Fills options, n_items, features, columns; the target's kind goes to *kind, NULL if the method keeps no target. */
smerf_status sm_facts_read(smerf_model *model, const json_t *facts, const char *name, const sm_target_kind **kind,
                           smerf_error *error);

#endif
