/* facts.h - what a model is, fact by fact, for whoever writes them down: `smerf info` and the report. */
#ifndef SM_REPORT_FACTS_H
#define SM_REPORT_FACTS_H

#include <stddef.h>

#include "smerf.h"

/* Takes the facts, in order, each under the name that people read ("first tree"). */
typedef struct sm_fact_sink {
    void (*text)(void *context, const char *key, const char *text);
    void (*number)(void *context, const char *key, double value);
    void (*count)(void *context, const char *key, size_t count);
    void (*none)(void *context, const char *key); /* there is no limit */
    void (*list)(void *context, const char *key, const char *const *names, size_t n);
    void (*features)(void *context, const char *key, const smerf_model *model, size_t n);
    void *context;
} sm_fact_sink;

void sm_facts_tell(const smerf_model *model, const sm_fact_sink *sink);

#endif
