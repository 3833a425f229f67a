/* sections.h - the sections of the report and their common state (sm_reporter). Each section computes its numbers first and then
 * writes them; what a model has no notion of is left out with a sentence. */
#ifndef SM_REPORT_SECTIONS_H
#define SM_REPORT_SECTIONS_H

#include "base/memory.h"
#include "base/parallel.h"
#include "report/json.h"
#include "report/report.h"

enum {
    SM_MOST_SCORED = 1000,     /* items whose pairs are scored */
    SM_MOST_GROWN = 300,       /* the same for each number of trees */
    SM_MOST_LANDMARKED = 1000, /* landmarks of the map */
    SM_MOST_CLUSTERED = 5000,  /* the others go to the nearest medoid */
    SM_MOST_HEAT = 250,
    SM_MOST_EXPLAINED = 5000, /* items that are explained with their nearest */
    SM_N_NEIGHBORS = 10,
    SM_N_NEAREST = 5, /* of which so many are explained */
    SM_N_SAMPLED = 100,
    SM_MOST_SHOWN = 12, /* features of an explanation */
    SM_MOST_SENTENCES = 32
};

/* A name and a sentence; both kept until the end of the report. */
typedef struct sm_sentence {
    const char *section; /* NULL: a note */
    char text[512];
} sm_sentence;

typedef struct sm_reporter {
    const sm_report *wanted;
    sm_json json;
    sm_progress_part part; /* which part of the work the section at hand is */
    smerf_run run;         /* reports its progress within it */
    sm_arena arena;        /* holds the arrays below */
    smerf_description about;
    size_t n; /* items */
    bool is_forest;
    uint32_t *training_row; /* [n] which training items they are; SMERF_MISSING: none */
    bool are_training;      /* all of them are */
    bool is_out_of_bag;     /* and trees have not seen them all */

    /* what sections leave for others */
    uint32_t *neighbor; /* [n][SM_N_NEIGHBORS] or NULL; SMERF_MISSING: no further one */
    double *neighbor_distance;
    uint32_t *cluster; /* [n], or NULL: there are none */
    uint32_t *medoid;  /* [n_clusters] */
    size_t n_clusters;

    sm_sentence *sentences; /* [SM_MOST_SENTENCES] */
    size_t n_sentences;
} sm_reporter;

/* ---- what they say ---- */

void sm_report_note(sm_reporter *reporter, const char *format, ...) __attribute__((format(printf, 2, 3)));
void sm_report_absent(sm_reporter *reporter, const char *section, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Where the library refused with a sentence, the section is absent for that reason; other failures stay. */
smerf_status sm_report_excuse(sm_reporter *reporter, const char *section, smerf_status status, smerf_error *error);

/* "20,000".   text  where it is written; returned */
const char *sm_report_count(size_t n, char text[32]);

/* An item's name: its id, or its row.   space  for the row's digits */
const char *sm_report_id(const sm_report *wanted, size_t item, char space[24]);

/* ---- samples ---- */

/* Some of the items, ascending. */
typedef struct sm_picked {
    size_t n;
    uint32_t *rows; /* [n] */
    bool *is_taken; /* [items] */
    smerf_items *items;
} sm_picked;

/* What a sample is drawn for: different purposes draw different items. */
typedef enum sm_draw { SM_DRAW_SCORED = 1, SM_DRAW_CLUSTERED, SM_DRAW_HEAT, SM_DRAW_EXPLAINED, SM_DRAW_PAIRS } sm_draw;

/* Draws at most so many of the items by the model's seed, all if there are no more. */
smerf_status sm_picked_draw(const sm_reporter *reporter, size_t most, sm_draw purpose, sm_picked *sample,
                            smerf_error *error);
void sm_picked_free(sm_picked *sample); /* fine on one filled with zeros */

/* The items of some rows, known by a model as what they are.   rows  [n] different */
smerf_status sm_items_of(const sm_reporter *reporter, const uint32_t *rows, size_t n, smerf_items **out,
                         smerf_error *error);

/* ---- sections ---- */

void sm_write_about(sm_reporter *reporter);
smerf_status sm_write_items(sm_reporter *reporter, smerf_error *error);
smerf_status sm_write_map(sm_reporter *reporter, smerf_error *error);
smerf_status sm_write_neighbors(sm_reporter *reporter, smerf_error *error);
smerf_status sm_write_clusters(sm_reporter *reporter, smerf_error *error);
smerf_status sm_write_heat(sm_reporter *reporter, smerf_error *error);
smerf_status sm_write_explanations(sm_reporter *reporter, smerf_error *error);
smerf_status sm_write_scores(sm_reporter *reporter, smerf_error *error); /* scores, fit, curves */
smerf_status sm_write_values(sm_reporter *reporter, smerf_error *error); /* classification, or response */
smerf_status sm_write_growth(sm_reporter *reporter, smerf_error *error);
smerf_status sm_write_importance(sm_reporter *reporter, smerf_error *error);

/* What is scored: the pairs of a sample, and what is true of them. */
typedef struct sm_exam {
    sm_picked sample;
    smerf_request request;
    smerf_target *truth; /* NULL: the model's own */
} sm_exam;

/* Whether there is anything to score against; else why not. */
bool sm_exam_is_possible(const sm_reporter *reporter, const char **why_not);
smerf_status sm_exam_start(const sm_reporter *reporter, size_t most, sm_exam *exam, smerf_error *error);
void sm_exam_free(sm_exam *exam);

/* ---- template.c: the page without its data, as page/ made it; built into the program ---- */

/* The page up to where the data go, and from there on: all but the mark that stands for them. */
extern const char sm_template[], sm_template_end[];

#define SM_TEMPLATE_MARK "/*DATA*/"

#endif
