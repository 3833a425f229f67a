/* options_facts.h - the options of a model among its facts: those of a forest, of boosting, or of another method. */
#ifndef SM_MODEL_OPTIONS_FACTS_H
#define SM_MODEL_OPTIONS_FACTS_H

#include "model/model.h"

/* With every automatic choice spelled out. NULL: no memory. */
json_t *sm_options_json(const smerf_options *options);

/* Fills the options of a model whose method is known. False: they are not such options. */
bool sm_options_read_json(json_t *object, smerf_model *model);

#endif
