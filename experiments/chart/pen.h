/* pen.h - how charts draw: colours, marks, text, panels. */
#ifndef SM_CHART_PEN_H
#define SM_CHART_PEN_H

#include <cairo.h>

#include "chart/chart.h"

typedef struct sm_colour {
    double red, green, blue;
} sm_colour;

extern const sm_colour sm_ink, sm_faint_ink, sm_grid_ink, sm_paper;

void sm_pen_colour(cairo_t *pen, sm_colour colour);
sm_colour sm_style_colour(sm_style style);

/* Sets colour, width and dashes of a style's line. */
void sm_pen_style(cairo_t *pen, sm_style style);

/* A style's mark around a point. */
void sm_draw_mark(cairo_t *pen, sm_style style, double x, double y);

void sm_draw_line(cairo_t *pen, double from_x, double from_y, double to_x, double to_y);

typedef struct sm_lettering {
    double size;
    bool is_bold;
    sm_colour colour;
    double across;   /* which part of the text is at x: 0 its start, 0.5 its middle, 1 its end */
    double down;     /* the same with its height: 0 its top, 1 the line that letters stand on */
    bool is_upright; /* turned by a quarter, to be read from below; across and down are the text's own */
} sm_lettering;

void sm_draw_text(cairo_t *pen, const sm_lettering *lettering, double x, double y, const char *text);
double sm_text_width(cairo_t *pen, const sm_lettering *lettering, const char *text);

/* ---- panel.c: one panel of a chart ---- */

/* Where the data are drawn; what stands beside the axes lies around it. */
typedef struct sm_frame {
    double left, top, width, height;
} sm_frame;

void sm_draw_panel(cairo_t *pen, const sm_panel *panel, const sm_frame *frame);

#endif
