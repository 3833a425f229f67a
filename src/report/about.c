/* about.c - what the report is about: the model with its facts, the files, the items with their columns. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "io/text/text.h"
#include "report/sections.h"

/* ---- facts, all of them as text ---- */

enum { MOST_LISTED = 50 };

static void put_fact(void *context, const char *key, const char *text) {
    sm_json *json = context;
    sm_json_open(json, NULL, '[');
    sm_json_text(json, NULL, key);
    sm_json_text(json, NULL, text);
    sm_json_close(json, ']');
}

static void put_number(void *context, const char *key, double value) {
    char text[SM_NUMBER_SPACE];
    text[sm_number_format(value, text)] = '\0';
    put_fact(context, key, text);
}

static void put_count(void *context, const char *key, size_t count) {
    char text[24];
    snprintf(text, sizeof text, "%zu", count);
    put_fact(context, key, text);
}

static void put_none(void *context, const char *key) { put_fact(context, key, "none"); }

/* The first names of a list, as many as fit. */
static void put_names(void *context, const char *key, const char *(*name)(const void *list, size_t index),
                      const void *list, size_t n) {
    char text[4096] = "", end[40] = "";
    size_t n_put = 0, used = 0;
    for (; n_put < n && n_put < MOST_LISTED; n_put++) {
        const char *next = name(list, n_put);
        size_t n_bytes = strlen(next) + 2;
        if (used + n_bytes + sizeof end >= sizeof text) break;
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", n_put > 0 ? ", " : "", next);
    }
    if (n_put < n) snprintf(end, sizeof end, "%sand %zu more", n_put > 0 ? ", " : "", n - n_put);
    snprintf(text + used, sizeof text - used, "%s", end);
    put_fact(context, key, text);
}

static const char *listed_name(const void *list, size_t index) { return ((const char *const *)list)[index]; }

static const char *feature_name(const void *model, size_t index) {
    smerf_column column;
    smerf_model_feature(model, index, &column);
    return column.name;
}

static void put_list(void *context, const char *key, const char *const *names, size_t n) {
    put_names(context, key, listed_name, names, n);
}

static void put_features(void *context, const char *key, const smerf_model *model, size_t n) {
    put_names(context, key, feature_name, model, n);
}

static void write_model(sm_reporter *reporter) {
    sm_json *json = &reporter->json;
    const smerf_description *about = &reporter->about;
    const sm_fact_sink sink = {.text = put_fact,
                               .number = put_number,
                               .count = put_count,
                               .none = put_none,
                               .list = put_list,
                               .features = put_features,
                               .context = json};
    sm_json_open(json, "model", '{');
    sm_json_text(json, "method", about->method);
    sm_json_text(json, "target", about->target);
    sm_json_open(json, "target_columns", '[');
    for (size_t k = 0; k < about->n_target_columns; k++) sm_json_text(json, NULL, about->target_columns[k]);
    sm_json_close(json, ']');
    sm_json_count(json, "n_items", about->n_items);
    sm_json_count(json, "n_features", about->n_features);
    if (reporter->is_forest)
        sm_json_count(json, "n_trees", about->options->n_trees);
    else
        sm_json_null(json, "n_trees");
    sm_json_open(json, "facts", '[');
    sm_facts_tell(reporter->wanted->model, &sink);
    sm_json_close(json, ']');
    sm_json_close(json, '}');
}

void sm_write_about(sm_reporter *reporter) {
    const sm_report *wanted = reporter->wanted;
    sm_json *json = &reporter->json;
    sm_json_text(json, "smerf", smerf_version());
    sm_json_text(json, "title", wanted->title);
    sm_json_open(json, "files", '{');
    sm_json_text(json, "model", wanted->model_file);
    sm_json_text(json, "items", wanted->items_file);
    sm_json_text(json, "target", wanted->target_text);
    sm_json_close(json, '}');
    sm_json_text(json, "explain_command", wanted->explain_command);
    write_model(reporter);
}

/* ---- items ---- */

/* So many values of columns make about 5 MB; and so many columns are always shown. */
enum { MOST_VALUES = 1000000, FEWEST_COLUMNS = 24 };

/* How much a column matters: those that are no features more than any feature; of features the gain. Features in the
 * order of the file where there are no gains.
 *   matter  [n_columns] out */
static smerf_status weigh_columns(const sm_reporter *reporter, double *matter, smerf_error *error) {
    const sm_report *wanted = reporter->wanted;
    size_t n_features = reporter->about.n_features;
    double *gain = sm_zeros(n_features, sizeof *gain);
    if (gain == NULL) return sm_no_memory(error, "weighing columns");
    smerf_status status = reporter->is_forest ? smerf_importance_gain(wanted->model, gain, error) : SMERF_OK;
    for (size_t c = 0; c < wanted->n_columns && status == SMERF_OK; c++) {
        matter[c] = strcmp(wanted->columns[c].role, "feature") == 0 ? 0 : 2;
        for (size_t f = 0; f < n_features && matter[c] == 0; f++)
            if (strcmp(feature_name(wanted->model, f), wanted->columns[c].column.name) == 0) matter[c] = gain[f];
    }
    sm_free(gain);
    return status;
}

/*   is_shown  [n_columns] out */
static smerf_status choose_shown_columns(sm_reporter *reporter, bool *is_shown, smerf_error *error) {
    size_t n = reporter->wanted->n_columns, n_shown = 0, most = MOST_VALUES / reporter->n;
    if (most < FEWEST_COLUMNS) most = FEWEST_COLUMNS;
    for (size_t c = 0; c < n; c++) is_shown[c] = n <= most;
    if (n <= most) return SMERF_OK;
    double *matter = sm_array(n, sizeof *matter);
    smerf_status status =
        matter != NULL ? weigh_columns(reporter, matter, error) : sm_no_memory(error, "weighing columns");
    for (; n_shown < most && status == SMERF_OK; n_shown++) {
        size_t best = n;
        for (size_t c = 0; c < n; c++)
            if (!is_shown[c] && (best == n || matter[c] > matter[best])) best = c;
        is_shown[best] = true;
    }
    sm_free(matter);
    char shown[32], all[32];
    sm_report_note(reporter,
                   "%s of %s columns are kept here: those that are no features, and the most important features.",
                   sm_report_count(most, shown), sm_report_count(n, all));
    return status;
}

static void write_column(sm_json *json, const sm_report_column *shown, size_t n) {
    const smerf_column *column = &shown->column;
    bool is_number = column->kind == SMERF_NUMBER;
    sm_json_open(json, NULL, '{');
    sm_json_text(json, "name", column->name);
    sm_json_text(json, "role", shown->role);
    sm_json_text(json, "kind", is_number ? "number" : "category");
    if (is_number) {
        sm_json_f32(json, "values", column->values, n);
    } else {
        sm_json_open(json, "levels", '[');
        for (size_t l = 0; l < column->n_levels; l++) sm_json_text(json, NULL, column->levels[l]);
        sm_json_close(json, ']');
        sm_json_u32(json, "codes", column->codes, n);
    }
    sm_json_close(json, '}');
}

smerf_status sm_write_items(sm_reporter *reporter, smerf_error *error) {
    const sm_report *wanted = reporter->wanted;
    sm_json *json = &reporter->json;
    bool *is_shown = sm_zeros(wanted->n_columns, sizeof *is_shown);
    smerf_status status =
        is_shown != NULL ? choose_shown_columns(reporter, is_shown, error) : sm_no_memory(error, "writing a report");
    if (status != SMERF_OK) {
        sm_free(is_shown);
        return status;
    }
    sm_json_open(json, "items", '{');
    sm_json_count(json, "n", reporter->n);
    sm_json_flag(json, "are_training", reporter->are_training);
    sm_json_open(json, "ids", '[');
    for (size_t i = 0; i < reporter->n; i++) {
        char space[24];
        sm_json_text(json, NULL, sm_report_id(wanted, i, space));
    }
    sm_json_close(json, ']');
    sm_json_open(json, "columns", '[');
    for (size_t c = 0; c < wanted->n_columns; c++)
        if (is_shown[c]) write_column(json, &wanted->columns[c], reporter->n);
    sm_json_close(json, ']');
    sm_json_close(json, '}');
    sm_free(is_shown);
    return SMERF_OK;
}
