/* report.h - one HTML page about a model and some items: what was learned, how well, a map, neighbours, explanations.
 *
 * The page draws itself (page/, made beforehand and part of the program); here the numbers are found and written down as JSON, a
 * section at a time, in the words of page/FORMAT.md. Not part of the library: it calls what any program can call. */
#ifndef SM_REPORT_REPORT_H
#define SM_REPORT_REPORT_H

#include "base/output.h"

/* A column that the page can show, whatever it is to the model. */
typedef struct sm_report_column {
    smerf_column column; /* as long as the items */
    const char *role;    /* "feature", "target" or "other" */
} sm_report_column;

typedef struct sm_report {
    const smerf_model *model;
    const smerf_items *items;
    const char *const *ids; /* [items]; NULL: their rows */
    const sm_report_column *columns;
    size_t n_columns;
    const smerf_target
        *truth; /* of the items; NULL: what the model was trained on, if the items are its training items */
    const smerf_ceiling *ceiling; /* of the truth; NULL: it was not rated by judges */
    size_t n_clusters;            /* 0: chosen */
    const char *title, *model_file, *items_file;
    const char *target_text;     /* how the truth was given; NULL: it was not */
    const char *explain_command; /* to which two ids are added */
} sm_report;

/* Writes the page, or with is_bare only its JSON. Bits of the same model, items and truth are the same for any number of threads. */
smerf_status sm_report_write(const sm_report *wanted, bool is_bare, const smerf_run *run, sm_output *output,
                             smerf_error *error);

/* ---- what a model is, fact by fact, for whoever writes them down: `smerf info` and the report ---- */

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

/* ---- a whole forest as JSON: features, and the nodes of every tree with their splits or members ---- */

/* Refuses a model without trees. Whoever opened the output finishes it, or leaves no trace. */
smerf_status sm_forest_write(const smerf_model *model, sm_output *output, smerf_error *error);

#endif
