/* page.c - titles, the legend and the grid of panels; and the page as an SVG or a PNG file, through the same drawing. */
#include <cairo-svg.h>
#include <fontconfig/fontconfig.h>
#include <math.h>
#include <string.h>

#include "chart/pen.h"

/* Space around things, from the outside in. */
static const double margin = 18, title_height = 26, note_height = 20, legend_height = 24, column_title_height = 24,
                    axis_width = 58, axis_height = 42, gap_across = 44, gap_down = 36;

static const sm_lettering big = {.size = 15, .is_bold = true, .colour = {0.13, 0.13, 0.13}},
                          note = {.size = 10.5, .colour = {0.38, 0.38, 0.38}},
                          plain = {.size = 11.5, .colour = {0.13, 0.13, 0.13}, .down = 0.5},
                          heading = {.size = 12.5, .is_bold = true, .colour = {0.13, 0.13, 0.13}, .across = 0.5};

static double head_height(const sm_chart *chart) {
    return margin + title_height + (chart->note != NULL ? note_height : 0) + legend_height +
           (chart->column_titles != NULL ? column_title_height : 8);
}

typedef struct sm_page {
    double width, height;
} sm_page;

static sm_page size_of_page(const sm_chart *chart) {
    double columns = (double)chart->n_columns, rows = (double)chart->n_rows;
    return (sm_page){.width = margin + axis_width + columns * chart->panel_width + (columns - 1) * gap_across + margin,
                     .height = head_height(chart) + rows * chart->panel_height + (rows - 1) * gap_down + axis_height +
                               margin};
}

static sm_frame frame_of(const sm_chart *chart, size_t row, size_t column) {
    return (sm_frame){.left = margin + axis_width + (double)column * (chart->panel_width + gap_across),
                      .top = head_height(chart) + (double)row * (chart->panel_height + gap_down),
                      .width = chart->panel_width,
                      .height = chart->panel_height};
}

/* ---- legend ---- */

enum { MOST_NAMES = 16 };

typedef struct entries {
    const sm_series *series[MOST_NAMES];
    size_t n;
} entries;

static bool has_name(const entries *legend, const char *name) {
    for (size_t k = 0; k < legend->n; k++)
        if (strcmp(legend->series[k]->name, name) == 0) return true;
    return false;
}

/* Every name once, whichever panels have it. */
static void collect(const sm_chart *chart, entries *legend) {
    for (size_t p = 0; p < chart->n_rows * chart->n_columns; p++)
        for (size_t s = 0; s < chart->panels[p].n_series; s++) {
            const sm_series *series = &chart->panels[p].series[s];
            if (series->name != NULL && series->n > 0 && legend->n < MOST_NAMES && !has_name(legend, series->name))
                legend->series[legend->n++] = series;
        }
}

static void draw_sample(cairo_t *pen, const sm_series *series, bool is_bar, double x, double y) {
    sm_pen_style(pen, series->style);
    if (is_bar) {
        cairo_rectangle(pen, x + 6, y - 5, 14, 10);
        cairo_fill(pen);
        return;
    }
    sm_draw_line(pen, x, y, x + 26, y);
    sm_draw_mark(pen, series->style, x + 13, y);
}

static void draw_legend(cairo_t *pen, const sm_chart *chart, double top) {
    entries legend = {.n = 0};
    double x = margin, y = top + 6;
    collect(chart, &legend);
    for (size_t k = 0; k < legend.n; k++) {
        draw_sample(pen, legend.series[k], chart->panels[0].has_bars, x, y);
        sm_draw_text(pen, &plain, x + 32, y, legend.series[k]->name);
        x += 32 + sm_text_width(pen, &plain, legend.series[k]->name) + 22;
    }
}

/* ---- the page ---- */

static void draw_page(cairo_t *pen, const sm_chart *chart) {
    double top = margin;
    sm_pen_colour(pen, sm_paper);
    cairo_paint(pen);
    sm_draw_text(pen, &big, margin, top, chart->title);
    top += title_height;
    if (chart->note != NULL) {
        sm_draw_text(pen, &note, margin, top, chart->note);
        top += note_height;
    }
    draw_legend(pen, chart, top);
    for (size_t row = 0; row < chart->n_rows; row++)
        for (size_t column = 0; column < chart->n_columns; column++) {
            sm_frame frame = frame_of(chart, row, column);
            if (row == 0 && chart->column_titles != NULL)
                sm_draw_text(pen, &heading, frame.left + frame.width / 2, frame.top - 18, chart->column_titles[column]);
            sm_draw_panel(pen, &chart->panels[row * chart->n_columns + column], &frame);
        }
}

/* ---- files ---- */

static const double pixels_per_unit = 2; /* sharp on screens and in print */

static cairo_status_t put_bytes(void *context, const unsigned char *bytes, unsigned n_bytes) {
    sm_output *output = context;
    sm_output_write(output, bytes, n_bytes);
    return sm_output_has_failed(output) ? CAIRO_STATUS_WRITE_ERROR : CAIRO_STATUS_SUCCESS;
}

/* A full disk is reported by the output when it is finished: only what cairo itself cannot do is an error here. */
static smerf_status status_of(cairo_status_t cairo, smerf_error *error) {
    if (cairo == CAIRO_STATUS_SUCCESS || cairo == CAIRO_STATUS_WRITE_ERROR) return SMERF_OK;
    return sm_fail(error, SMERF_NO_MEMORY, "a picture cannot be drawn: %s", cairo_status_to_string(cairo));
}

static cairo_status_t draw_on(cairo_surface_t *surface, const sm_chart *chart, double scale) {
    cairo_t *pen = cairo_create(surface);
    cairo_scale(pen, scale, scale);
    draw_page(pen, chart);
    cairo_status_t status = cairo_status(pen);
    cairo_destroy(pen);
    return status;
}

smerf_status sm_chart_write_svg(const sm_chart *chart, sm_output *output, smerf_error *error) {
    sm_page page = size_of_page(chart);
    cairo_surface_t *surface = cairo_svg_surface_create_for_stream(put_bytes, output, page.width, page.height);
    cairo_svg_surface_set_document_unit(surface, CAIRO_SVG_UNIT_PX);
    cairo_status_t status = draw_on(surface, chart, 1);
    cairo_surface_finish(surface); /* writes */
    if (status == CAIRO_STATUS_SUCCESS) status = cairo_surface_status(surface);
    cairo_surface_destroy(surface);
    return status_of(status, error);
}

smerf_status sm_chart_write_png(const sm_chart *chart, sm_output *output, smerf_error *error) {
    sm_page page = size_of_page(chart);
    int width = (int)ceil(pixels_per_unit * page.width), height = (int)ceil(pixels_per_unit * page.height);
    cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, width, height);
    cairo_status_t status = draw_on(surface, chart, pixels_per_unit);
    if (status == CAIRO_STATUS_SUCCESS) status = cairo_surface_write_to_png_stream(surface, put_bytes, output);
    cairo_surface_destroy(surface);
    return status_of(status, error);
}

void sm_chart_forget_fonts(void) {
    cairo_debug_reset_static_data();
    FcFini();
}
