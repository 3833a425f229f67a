/* panel.c - one panel: the ground, the axes, then what was measured. */
#include "chart/pen.h"

#include <math.h>

#include "chart/scale.h"

enum { TICKS_ACROSS = 8, TICKS_UP = 7 };

typedef struct sketch {
    cairo_t *pen;
    const sm_panel *panel;
    const sm_frame *frame;
    sm_scale x, y;
} sketch;

/* ---- what must fit in ---- */

typedef struct extent {
    double lowest, highest;
} extent;

static void widen(extent *range, double value, bool is_log) {
    if (isnan(value) || (is_log && value <= 0)) return;
    range->lowest = fmin(range->lowest, value);
    range->highest = fmax(range->highest, value);
}

static sm_scale scale_of(const sm_axis *axis, const extent *range) {
    if (axis->from != 0 || axis->to != 0) return (sm_scale){.from = axis->from, .to = axis->to, .is_log = axis->is_log};
    if (range->lowest > range->highest) return (sm_scale){.from = 1, .to = 10, .is_log = axis->is_log}; /* nothing */
    return sm_scale_around(range->lowest, range->highest, axis->is_log);
}

static void find_scales(sketch *sheet) {
    const sm_panel *panel = sheet->panel;
    extent x = {INFINITY, -INFINITY}, y = x;
    for (size_t s = 0; s < panel->n_series; s++)
        for (size_t k = 0; k < panel->series[s].n; k++) {
            const sm_point *point = &panel->series[s].points[k];
            double error = isnan(point->error) ? 0 : point->error;
            widen(&x, point->x, panel->x.is_log);
            widen(&y, point->y + error, panel->y.is_log);
            widen(&y, point->y - error, panel->y.is_log);
        }
    if (panel->has_bars) widen(&y, 0, panel->y.is_log);
    if (panel->level_name != NULL) widen(&y, panel->level, panel->y.is_log);
    sheet->x = scale_of(&panel->x, &x);
    sheet->y = scale_of(&panel->y, &y);
}

static double page_x(const sketch *sheet, double x) {
    return sheet->frame->left + sheet->frame->width * sm_scale_fraction(&sheet->x, x);
}

/* A value that a logarithm has no position for lies below everything. */
static double page_y(const sketch *sheet, double y) {
    if (sheet->y.is_log && y <= 0) return sheet->frame->top + 2 * sheet->frame->height;
    return sheet->frame->top + sheet->frame->height * (1 - sm_scale_fraction(&sheet->y, y));
}

/* ---- axes ---- */

typedef struct tick_list {
    double at[SM_MOST_TICKS];
    const double *value;
    const char *const *labels;
    size_t n;
} tick_list;

static void find_ticks(const sm_axis *axis, const sm_scale *scale, size_t most, tick_list *ticks) {
    ticks->labels = axis->labels;
    ticks->value = axis->ticks != NULL ? axis->ticks : ticks->at;
    ticks->n = axis->ticks != NULL ? axis->n_ticks : sm_scale_ticks(scale, most, ticks->at);
}

static const char *label_of(const tick_list *ticks, const sm_scale *scale, size_t which, char space[SM_TICK_SPACE]) {
    if (ticks->labels != NULL) return ticks->labels[which];
    return sm_scale_label(scale, ticks->value, ticks->n, which, space);
}

static void draw_ticks_up(const sketch *sheet) {
    static const sm_lettering small = {.size = 10.5, .across = 1, .down = 0.5};
    const sm_frame *frame = sheet->frame;
    char space[SM_TICK_SPACE];
    tick_list ticks;
    find_ticks(&sheet->panel->y, &sheet->y, TICKS_UP, &ticks);
    for (size_t t = 0; t < ticks.n; t++) {
        double y = page_y(sheet, ticks.value[t]);
        sm_pen_colour(sheet->pen, sm_grid_ink);
        cairo_set_line_width(sheet->pen, 1);
        sm_draw_line(sheet->pen, frame->left, y, frame->left + frame->width, y);
        sm_lettering lettering = small;
        lettering.colour = sm_faint_ink;
        sm_draw_text(sheet->pen, &lettering, frame->left - 6, y, label_of(&ticks, &sheet->y, t, space));
    }
}

static void draw_ticks_across(const sketch *sheet) {
    const sm_lettering small = {.size = 10.5, .across = 0.5, .down = 0, .colour = sm_faint_ink};
    double bottom = sheet->frame->top + sheet->frame->height;
    char space[SM_TICK_SPACE];
    tick_list ticks;
    find_ticks(&sheet->panel->x, &sheet->x, TICKS_ACROSS, &ticks);
    for (size_t t = 0; t < ticks.n; t++) {
        double x = page_x(sheet, ticks.value[t]);
        sm_pen_colour(sheet->pen, sm_faint_ink);
        cairo_set_line_width(sheet->pen, 1);
        if (!sheet->panel->has_bars) sm_draw_line(sheet->pen, x, bottom, x, bottom + 4);
        sm_draw_text(sheet->pen, &small, x, bottom + 8, label_of(&ticks, &sheet->x, t, space));
    }
}

static void draw_axes(const sketch *sheet) {
    const sm_frame *frame = sheet->frame;
    sm_lettering title = {.size = 12, .across = 0.5, .down = 0, .colour = sm_ink};
    double bottom = frame->top + frame->height;
    cairo_set_dash(sheet->pen, NULL, 0, 0);
    draw_ticks_up(sheet);
    draw_ticks_across(sheet);
    sm_pen_colour(sheet->pen, sm_faint_ink);
    cairo_set_line_width(sheet->pen, 1);
    sm_draw_line(sheet->pen, frame->left, bottom, frame->left + frame->width, bottom);
    if (sheet->panel->x.title != NULL)
        sm_draw_text(sheet->pen, &title, frame->left + frame->width / 2, bottom + 26, sheet->panel->x.title);
    title.is_upright = true;
    if (sheet->panel->y.title != NULL)
        sm_draw_text(sheet->pen, &title, frame->left - 54, frame->top + frame->height / 2, sheet->panel->y.title);
}

/* ---- what was measured ---- */

static void draw_level(const sketch *sheet) {
    static const double dots[] = {2, 3};
    const sm_frame *frame = sheet->frame;
    const sm_lettering lettering = {.size = 10.5, .across = 0, .down = 1, .colour = sm_ink};
    double y = page_y(sheet, sheet->panel->level);
    sm_pen_colour(sheet->pen, sm_ink);
    cairo_set_line_width(sheet->pen, 1.2);
    cairo_set_dash(sheet->pen, dots, 2, 0);
    sm_draw_line(sheet->pen, frame->left, y, frame->left + frame->width, y);
    cairo_set_dash(sheet->pen, NULL, 0, 0);
    sm_draw_text(sheet->pen, &lettering, frame->left + 4, y - 5, sheet->panel->level_name);
}

static bool is_beyond(const sketch *sheet, double y) {
    double dust = 1e-9 * (sheet->y.to - sheet->y.from);
    return y > sheet->y.to + dust || y < sheet->y.from - dust;
}

/* A bar with caps. */
static void draw_error(const sketch *sheet, const sm_point *point) {
    if (isnan(point->error) || isnan(point->y) || is_beyond(sheet, point->y)) return;
    double x = page_x(sheet, point->x), cap = 3;
    double high = page_y(sheet, point->y + point->error), low = page_y(sheet, point->y - point->error);
    sm_draw_line(sheet->pen, x, low, x, high);
    sm_draw_line(sheet->pen, x - cap, high, x + cap, high);
    sm_draw_line(sheet->pen, x - cap, low, x + cap, low);
}

/* A value beyond the axis: an arrow at the edge says where it is. */
static void draw_arrow(const sketch *sheet, sm_style style, double x, bool is_up) {
    const sm_frame *frame = sheet->frame;
    double edge = is_up ? frame->top : frame->top + frame->height, back = is_up ? 7 : -7;
    sm_pen_colour(sheet->pen, sm_style_colour(style));
    cairo_move_to(sheet->pen, x, edge);
    cairo_line_to(sheet->pen, x - 4, edge + back);
    cairo_line_to(sheet->pen, x + 4, edge + back);
    cairo_close_path(sheet->pen);
    cairo_fill(sheet->pen);
}

static void draw_point(const sketch *sheet, sm_style style, const sm_point *point) {
    if (isnan(point->y)) return;
    double x = page_x(sheet, point->x);
    if (is_beyond(sheet, point->y))
        draw_arrow(sheet, style, x, point->y > sheet->y.to);
    else
        sm_draw_mark(sheet->pen, style, x, page_y(sheet, point->y));
}

static void draw_line_series(const sketch *sheet, const sm_series *series) {
    cairo_t *pen = sheet->pen;
    sm_pen_style(pen, series->style);
    cairo_set_line_join(pen, CAIRO_LINE_JOIN_ROUND);
    cairo_new_path(pen);
    for (size_t k = 0; k < series->n; k++) {
        const sm_point *point = &series->points[k];
        if (isnan(point->y)) /* a gap: the next point starts a new piece */
            cairo_new_sub_path(pen);
        else
            cairo_line_to(pen, page_x(sheet, point->x), page_y(sheet, point->y));
    }
    cairo_stroke(pen);
    cairo_set_dash(pen, NULL, 0, 0);
    cairo_set_line_width(pen, 1.1);
    for (size_t k = 0; k < series->n; k++) draw_error(sheet, &series->points[k]);
    for (size_t k = 0; k < series->n; k++) draw_point(sheet, series->style, &series->points[k]);
}

static void draw_bar_series(const sketch *sheet, const sm_series *series) {
    cairo_t *pen = sheet->pen;
    double ground = page_y(sheet, 0);
    for (size_t k = 0; k < series->n; k++) {
        const sm_point *point = &series->points[k];
        if (isnan(point->y)) continue;
        double left = page_x(sheet, point->x - 0.4), right = page_x(sheet, point->x + 0.4);
        sm_pen_colour(pen, sm_style_colour(series->style));
        cairo_rectangle(pen, left, page_y(sheet, point->y), right - left, ground - page_y(sheet, point->y));
        cairo_fill(pen);
        sm_pen_colour(pen, sm_ink);
        cairo_set_line_width(pen, 1.1);
        draw_error(sheet, point);
    }
}

void sm_draw_panel(cairo_t *pen, const sm_panel *panel, const sm_frame *frame) {
    sketch sheet = {.pen = pen, .panel = panel, .frame = frame};
    find_scales(&sheet);
    draw_axes(&sheet);
    if (panel->level_name != NULL) draw_level(&sheet);
    cairo_save(pen);
    const double rim = 5; /* a mark at the end of the scale is not cut in half */
    cairo_rectangle(pen, frame->left - rim, frame->top - rim, frame->width + 2 * rim, frame->height + 2 * rim);
    cairo_clip(pen);
    for (size_t s = panel->n_series; s-- > 0;) {
        if (panel->has_bars)
            draw_bar_series(&sheet, &panel->series[s]);
        else
            draw_line_series(&sheet, &panel->series[s]);
    }
    cairo_restore(pen);
}
