/* study.c - what every experiment needs: options, seeds, progress, and results. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "folder.h"
#include "reproduce.h"

smerf_status cli_no_memory(smerf_error *error, const char *what) {
    snprintf(error->message, sizeof error->message, "out of memory while %s", what);
    return error->status = SMERF_NO_MEMORY;
}

void cli_study_options(const cli_study *study, uint64_t seed, smerf_options *options) {
    smerf_options_paper(options);
    options->seed = seed;
    options->n_trees = study->n_trees;
}

/* Digits that can be read: 1000320007 is the seventh repeat at 320, with --seed 1. */
uint64_t cli_study_seed(const cli_study *study, size_t at, size_t repeat) {
    return (study->seed * 1000000000 + at * 1000 + repeat) & INT64_MAX;
}

/* ---- progress ---- */

int cli_study_follow(void *context, double fraction_done) {
    const cli_study *study = context;
    (void)fraction_done;
    return study->outer.progress(study->outer.context, study->work > 0 ? study->work_done / study->work : 0);
}

smerf_status cli_study_advance(cli_study *study, double work, smerf_error *error) {
    study->work_done += work;
    if (cli_study_follow(study, 1) == 0) return SMERF_OK;
    strcpy(error->message, "cancelled");
    return error->status = SMERF_CANCELLED;
}

void cli_study_say(const cli_study *study, const char *format, ...) {
    char line[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    if (study->follow.is_shown) fputs("\r\033[K", stderr); /* instead of the line of progress */
    cli_say(study->args, "%s", line);
}

/* ---- results ---- */

typedef void (*writer)(const sm_measurements *all, sm_output *output);

static smerf_status write_table(const cli_study *study, const char *ending, writer write, smerf_error *error) {
    char name[80];
    sm_output *output;
    snprintf(name, sizeof name, "%s%s.csv", study->experiment->name, ending);
    smerf_status status = cli_open_in(study->folder, name, &output, error);
    if (status != SMERF_OK) return status;
    write(&study->measured, output);
    return sm_output_finish(output, error);
}

smerf_status cli_study_save(const cli_study *study, smerf_error *error) {
    smerf_status status = write_table(study, "", sm_measurements_write, error);
    if (status != SMERF_OK) return status;
    return write_table(study, "-summary", sm_measurements_write_summary, error);
}

static smerf_status write_picture(const cli_study *study, const char *file, const char *ending, const sm_chart *chart,
                                  smerf_error *error) {
    char name[80];
    sm_output *output;
    bool is_svg = strcmp(ending, "svg") == 0;
    snprintf(name, sizeof name, "%s.%s", file, ending);
    smerf_status status = cli_open_in(study->folder, name, &output, error);
    if (status != SMERF_OK) return status;
    status = is_svg ? sm_chart_write_svg(chart, output, error) : sm_chart_write_png(chart, output, error);
    if (status == SMERF_OK) return sm_output_finish(output, error);
    sm_output_abandon(output);
    return status;
}

smerf_status cli_study_draw(const cli_study *study, const char *file, const sm_chart *chart, smerf_error *error) {
    smerf_status status = write_picture(study, file, "svg", chart, error);
    return status == SMERF_OK ? write_picture(study, file, "png", chart, error) : status;
}
