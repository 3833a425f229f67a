/* report.c - see report.h: the sections in order, the work they are, and the page around them. */
#include "report/report.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "report/sections.h"

/* ---- sentences ---- */

static void keep_sentence(sm_reporter *reporter, const char *section, const char *format, va_list values) {
    if (reporter->n_sentences == SM_MOST_SENTENCES) return;
    sm_sentence *sentence = &reporter->sentences[reporter->n_sentences++];
    sentence->section = section;
    vsnprintf(sentence->text, sizeof sentence->text, format, values);
}

void sm_report_note(sm_reporter *reporter, const char *format, ...) {
    va_list values;
    va_start(values, format);
    keep_sentence(reporter, NULL, format, values);
    va_end(values);
}

void sm_report_absent(sm_reporter *reporter, const char *section, const char *format, ...) {
    va_list values;
    va_start(values, format);
    keep_sentence(reporter, section, format, values);
    va_end(values);
    sm_json_null(&reporter->json, section);
}

smerf_status sm_report_excuse(sm_reporter *reporter, const char *section, smerf_status status, smerf_error *error) {
    if (status != SMERF_BAD_INPUT) return status;
    char first = error->message[0];
    if (first >= 'a' && first <= 'z') first = (char)(first - 'a' + 'A');
    sm_report_absent(reporter, section, "%c%s.", first, error->message + 1);
    *error = (smerf_error){0};
    return SMERF_OK;
}

static void write_sentences(sm_reporter *reporter) {
    sm_json *json = &reporter->json;
    sm_json_open(json, "notes", '[');
    for (size_t k = 0; k < reporter->n_sentences; k++)
        if (reporter->sentences[k].section == NULL) sm_json_text(json, NULL, reporter->sentences[k].text);
    sm_json_close(json, ']');
    sm_json_open(json, "absent", '{');
    for (size_t k = 0; k < reporter->n_sentences; k++)
        if (reporter->sentences[k].section != NULL)
            sm_json_text(json, reporter->sentences[k].section, reporter->sentences[k].text);
    sm_json_close(json, '}');
}

const char *sm_report_count(size_t n, char text[32]) {
    char digits[24];
    size_t n_digits = (size_t)snprintf(digits, sizeof digits, "%zu", n), at = 0;
    for (size_t k = 0; k < n_digits; k++) {
        if (k > 0 && (n_digits - k) % 3 == 0) text[at++] = ',';
        text[at++] = digits[k];
    }
    text[at] = '\0';
    return text;
}

const char *sm_report_id(const sm_report *wanted, size_t item, char space[24]) {
    if (wanted->ids != NULL) return wanted->ids[item];
    snprintf(space, 24, "%zu", item);
    return space;
}

/* ---- the sections, and how much work each is ---- */

/* In distances that one tree predicts; a guess, for those who wait. */
static double work_of_map(const sm_reporter *reporter) {
    double n = (double)reporter->n, n_landmarks = fmin(n, SM_MOST_LANDMARKED);
    return n > n_landmarks ? n * n_landmarks : n * n / 2;
}

static double work_of_neighbors(const sm_reporter *reporter) { return (double)reporter->n * (double)reporter->n / 2; }

static double work_of_clusters(const sm_reporter *reporter) {
    double n = fmin((double)reporter->n, SM_MOST_CLUSTERED);
    return n * n;
}

static double work_of_heat(const sm_reporter *reporter) {
    (void)reporter;
    return SM_MOST_HEAT * SM_MOST_HEAT;
}

static double work_of_explanations(const sm_reporter *reporter) {
    return 200 * (fmin((double)reporter->n, SM_MOST_EXPLAINED) * SM_N_NEAREST + SM_N_SAMPLED * SM_N_SAMPLED / 2);
}

static double work_of_scores(const sm_reporter *reporter) {
    double n = fmin((double)reporter->n, SM_MOST_SCORED);
    return 2 * n * n;
}

static double work_of_values(const sm_reporter *reporter) {
    return (double)reporter->n * (double)smerf_model_n_values(reporter->wanted->model);
}

static double work_of_growth(const sm_reporter *reporter) {
    double n = fmin((double)reporter->n, SM_MOST_GROWN);
    return 2 * n * n;
}

static double work_of_importance(const sm_reporter *reporter) {
    double n = fmin((double)reporter->n, SM_MOST_SCORED);
    return 4 * n * n;
}

static const struct {
    smerf_status (*write)(sm_reporter *reporter, smerf_error *error);
    double (*work)(const sm_reporter *reporter);
} sections[] = {{sm_write_neighbors, work_of_neighbors},
                {sm_write_map, work_of_map},
                {sm_write_clusters, work_of_clusters},
                {sm_write_heat, work_of_heat},
                {sm_write_explanations, work_of_explanations},
                {sm_write_scores, work_of_scores},
                {sm_write_values, work_of_values},
                {sm_write_growth, work_of_growth},
                {sm_write_importance, work_of_importance}};

enum { N_SECTIONS = sizeof sections / sizeof *sections };

static smerf_status write_sections(sm_reporter *reporter, smerf_error *error) {
    smerf_status status = SMERF_OK;
    double whole = 0, done = 0;
    for (size_t s = 0; s < N_SECTIONS; s++) whole += sections[s].work(reporter);
    for (size_t s = 0; s < N_SECTIONS && status == SMERF_OK; s++) {
        reporter->part.from = done / whole;
        done += sections[s].work(reporter);
        reporter->part.to = done / whole;
        status = sections[s].write(reporter, error);
        if (status == SMERF_OK && sm_output_has_failed(reporter->json.output))
            return SMERF_OK; /* reported when it is finished */
    }
    return status;
}

/* ---- all together ---- */

static smerf_status start_report(sm_reporter *reporter, smerf_error *error) {
    const sm_report *wanted = reporter->wanted;
    reporter->about = SMERF_INIT(smerf_description);
    smerf_model_describe(wanted->model, &reporter->about, NULL);
    reporter->n = smerf_items_count(wanted->items);
    reporter->is_forest = reporter->about.options->method == SMERF_METHOD_FOREST;
    reporter->training_row = sm_arena_take(&reporter->arena, reporter->n, sizeof *reporter->training_row);
    reporter->sentences = sm_arena_take(&reporter->arena, SM_MOST_SENTENCES, sizeof *reporter->sentences);
    if (reporter->arena.has_failed) return sm_no_memory(error, "writing a report");
    smerf_status status = smerf_model_training_rows(wanted->model, wanted->items, reporter->training_row, error);
    reporter->are_training = status == SMERF_OK;
    for (size_t i = 0; i < reporter->n && reporter->are_training; i++)
        reporter->are_training = reporter->training_row[i] != SMERF_MISSING;
    reporter->is_out_of_bag =
        reporter->are_training && reporter->is_forest && reporter->about.options->sample != SMERF_NO_SAMPLE;
    return status;
}

static smerf_status write_data(sm_reporter *reporter, smerf_error *error) {
    sm_json *json = &reporter->json;
    sm_json_open(json, NULL, '{');
    sm_json_count(json, "format", 1);
    sm_write_about(reporter);
    smerf_status status = sm_write_items(reporter, error);
    if (status == SMERF_OK) status = write_sections(reporter, error);
    write_sentences(reporter);
    sm_json_close(json, '}');
    return status;
}

smerf_status sm_report_write(const sm_report *wanted, bool is_bare, const smerf_run *run, sm_output *output,
                             smerf_error *error) {
    sm_reporter reporter = {.wanted = wanted, .json.output = output, .part.run = run};
    smerf_error own;
    if (error == NULL) error = &own;
    const char *mark = strstr(sm_template, SM_TEMPLATE_MARK), *rest = mark + strlen(SM_TEMPLATE_MARK);
    reporter.run = sm_progress_part_run(&reporter.part);
    smerf_status status = start_report(&reporter, error);
    if (status == SMERF_OK && !is_bare) sm_output_write(output, sm_template, (size_t)(mark - sm_template));
    if (status == SMERF_OK) status = write_data(&reporter, error);
    if (is_bare)
        sm_output_write(output, "\n", 1);
    else
        sm_output_write(output, rest, (size_t)(sm_template_end - rest));
    sm_arena_free(&reporter.arena);
    return status;
}
