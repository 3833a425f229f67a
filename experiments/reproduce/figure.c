/* figure.c - grids of panels: a row for each metric, a column for each data set. */
#include <stdlib.h>
#include <string.h>

#include "reproduce.h"

/* Everything that a chart borrows. */
typedef struct material {
    const char **titles; /* of columns */
    sm_panel *panels;    /* [n_metrics][n_data] */
    sm_series *series;   /* [n_metrics][n_data][n_lines] */
    sm_point *points;    /* [n_metrics][n_data][n_lines][CLI_MOST_SETTINGS] */
    size_t n_columns;
} material;

static bool has_data(const cli_study *study, const char *data) {
    for (size_t k = 0; k < study->measured.n; k++)
        if (strcmp(study->measured.rows[k].data, data) == 0) return true;
    return false;
}

/* The lines of one panel that have points. */
static size_t fill_series(const cli_study *study, const cli_figure *figure, const cli_figure_metric *metric,
                          const char *data, sm_series *series, sm_point *points) {
    size_t n = 0;
    for (size_t l = 0; l < figure->n_lines; l++) {
        const cli_figure_line *line = &figure->lines[l];
        const sm_measurement like = {
            .data = data, .split = line->split, .method = line->method, .metric = metric->name};
        sm_point *own = points + l * CLI_MOST_SETTINGS;
        if (metric->left_out != NULL && strcmp(metric->left_out, line->method) == 0) continue;
        size_t n_points = sm_measurements_points(&study->measured, &like, figure->bar, own, CLI_MOST_SETTINGS);
        if (n_points == 0) continue;
        series[n] = (sm_series){.name = line->title, .style = line->style, .points = own, .n = n_points};
        n++;
    }
    return n;
}

static void fill_panels(const cli_study *study, const cli_figure *figure, material *all) {
    size_t n_panels = 0;
    for (size_t d = 0; d < figure->n_data; d++)
        if (has_data(study, figure->data[d].name)) all->titles[all->n_columns++] = figure->data[d].title;
    for (size_t m = 0; m < figure->n_metrics; m++) {
        const cli_figure_metric *metric = &figure->metrics[m];
        bool is_first = true;
        for (size_t d = 0; d < figure->n_data; d++) {
            if (!has_data(study, figure->data[d].name)) continue;
            sm_series *series = all->series + n_panels * figure->n_lines;
            sm_point *points = all->points + n_panels * figure->n_lines * CLI_MOST_SETTINGS;
            sm_panel *panel = &all->panels[n_panels++];
            *panel = (sm_panel){.x = figure->x, .series = series, .level = figure->level};
            panel->level_name = figure->level_name;
            panel->y = (sm_axis){.is_log = metric->is_log, .from = metric->from, .to = metric->to};
            panel->y.title = is_first ? metric->title : NULL;
            panel->x.title = m + 1 == figure->n_metrics ? figure->x.title : NULL;
            panel->n_series = fill_series(study, figure, metric, figure->data[d].name, series, points);
            is_first = false;
        }
    }
}

sm_axis cli_study_size_axis(const cli_study *study) {
    return (sm_axis){.title = "training items n",
                     .is_log = true,
                     .ticks = study->settings,
                     .n_ticks = study->n_settings,
                     .from = study->settings[0] / 1.25,
                     .to = study->settings[study->n_settings - 1] * 1.25};
}

smerf_status cli_study_draw_figure(const cli_study *study, const cli_figure *figure, smerf_error *error) {
    size_t n_panels = figure->n_metrics * figure->n_data, n_series = n_panels * figure->n_lines;
    material all = {.titles = calloc(figure->n_data, sizeof *all.titles),
                    .panels = calloc(n_panels, sizeof *all.panels),
                    .series = calloc(n_series, sizeof *all.series),
                    .points = calloc(n_series * CLI_MOST_SETTINGS, sizeof *all.points)};
    smerf_status status;
    if (all.titles == NULL || all.panels == NULL || all.series == NULL || all.points == NULL) {
        status = cli_no_memory(error, "drawing");
    } else {
        fill_panels(study, figure, &all);
        sm_chart chart = {.title = figure->title,
                          .note = figure->note,
                          .n_rows = figure->n_metrics,
                          .n_columns = all.n_columns,
                          .panels = all.panels,
                          .column_titles = figure->data[0].title != NULL ? all.titles : NULL,
                          .panel_width = figure->panel_width,
                          .panel_height = figure->panel_height};
        status = cli_study_draw(study, figure->file, &chart, error);
    }
    free(all.titles);
    free(all.panels);
    free(all.series);
    free(all.points);
    return status;
}
