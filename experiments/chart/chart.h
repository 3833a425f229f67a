/* chart.h - panels with lines or bars, drawn as SVG and as PNG by the same hand.
 *
 *     scale.c          numbers to positions, round numbers beside the axes
 *     pen.c            colours, marks and text
 *     panel.c          one panel: axes, lines, bars, errors
 *     page.c           the page: titles, legend, a grid of panels; and the page as a file
 *     measurements.c   what is drawn: repeats and their means
 *
 * The same chart gives the same bytes, given the same fonts and libraries. */
#ifndef SM_CHART_CHART_H
#define SM_CHART_CHART_H

#include "base/output.h"

typedef struct sm_point {
    double x, y;  /* y NaN: not drawn */
    double error; /* drawn up and down from y; NaN: none */
} sm_point;

/* Colours that people with any colour vision can tell apart (Okabe & Ito), each with a mark of its own. */
typedef enum sm_style {
    SM_BLUE_CIRCLE,
    SM_SKY_CIRCLE, /* an open one: a variant of the first */
    SM_VERMILION_SQUARE,
    SM_GREEN_TRIANGLE,
    SM_PURPLE_DIAMOND,
    SM_ORANGE_TRIANGLE, /* on its tip */
    SM_BLACK_CROSS,     /* dashed */
    SM_GREY_CIRCLE,
    SM_N_STYLES
} sm_style;

typedef struct sm_series {
    const char *name; /* in the legend, once for all panels; NULL: not there */
    sm_style style;
    const sm_point *points; /* [n] in the order of x */
    size_t n;
} sm_series;

typedef struct sm_axis {
    const char *title; /* or NULL */
    bool is_log;
    double from, to;           /* where it ends; both 0: at round numbers around what is drawn */
    const double *ticks;       /* [n_ticks], or NULL: at round numbers */
    const char *const *labels; /* [n_ticks], or NULL: the numbers */
    size_t n_ticks;
} sm_axis;

typedef struct sm_panel {
    sm_axis x, y;
    bool has_bars;           /* bars of width 0.8 from 0 on, instead of lines */
    const sm_series *series; /* [n_series], the first on top */
    size_t n_series;
    const char *level_name; /* NULL: no level; else a line across at `level`, with its name */
    double level;
} sm_panel;

typedef struct sm_chart {
    const char *title;
    const char *note; /* a line in small print below it, or NULL */
    size_t n_rows, n_columns;
    const sm_panel *panels;           /* [n_rows][n_columns] */
    const char *const *column_titles; /* [n_columns], or NULL */
    double panel_width, panel_height; /* in units of which a letter has about ten */
} sm_chart;

/* Written to an open output, which stays the caller's. */
smerf_status sm_chart_write_svg(const sm_chart *chart, sm_output *output, smerf_error *error);
smerf_status sm_chart_write_png(const sm_chart *chart, sm_output *output, smerf_error *error);

/* Gives back what the drawing libraries keep between pictures, when the last is drawn; a next one finds it again. */
void sm_chart_forget_fonts(void);

#endif
