/* safetensors.h - the container of model files: a length, a JSON header, raw arrays (docs/model-format.md).
 *
 * The layout is that of safetensors, so that any language can read a model and nothing in it is ever executed. The
 * first fact of the header is a checksum of the whole file, so that a flipped bit anywhere is noticed. */
#ifndef SM_MODEL_SAFETENSORS_H
#define SM_MODEL_SAFETENSORS_H

#include <jansson.h>

#include "base/input.h"
#include "base/tensors.h"

/* Writes facts (an object of strings) and arrays to a file, whole or not at all. */
smerf_status sm_safetensors_write(const char *path, const json_t *facts, const sm_tensors *tensors, smerf_error *error);

/* A checksum of some words and of arrays with their names, as 32 hexadecimal digits: what a file would hold, without the file. */
smerf_status sm_safetensors_digest(const char *words, const sm_tensors *tensors, char digits[33], smerf_error *error);

typedef struct sm_safetensors {
    sm_input input;
    json_t *header;
    json_t *facts;      /* borrowed from the header */
    sm_tensors tensors; /* the data lie in the input, or in memory where the file was not aligned */
} sm_safetensors;

/* Everything about the container is checked, the checksum included: only what the arrays mean is left to the caller.
 *   what  for messages: "model" or "index" */
smerf_status sm_safetensors_read(const char *path, const char *what, sm_safetensors *file, smerf_error *error);
void sm_safetensors_close(sm_safetensors *file); /* fine on one filled with zeros */

#endif
