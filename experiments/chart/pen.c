/* pen.c - the styles, marks and letters, through cairo: see pen.h. */
#include "chart/pen.h"

#include <math.h>

const sm_colour sm_ink = {0.13, 0.13, 0.13}, sm_faint_ink = {0.38, 0.38, 0.38}, sm_grid_ink = {0.90, 0.90, 0.90},
                sm_paper = {1, 1, 1};

typedef enum shape { CIRCLE, SQUARE, TRIANGLE, DIAMOND, TRIANGLE_DOWN, CROSS } shape;

static const struct {
    sm_colour colour;
    shape mark;
    bool is_open, is_dashed;
} styles[SM_N_STYLES] = {
    [SM_BLUE_CIRCLE] = {{0, 0.447, 0.698}, CIRCLE, false, false},
    [SM_SKY_CIRCLE] = {{0.337, 0.706, 0.914}, CIRCLE, true, false},
    [SM_VERMILION_SQUARE] = {{0.835, 0.369, 0}, SQUARE, false, false},
    [SM_GREEN_TRIANGLE] = {{0, 0.620, 0.451}, TRIANGLE, false, false},
    [SM_PURPLE_DIAMOND] = {{0.800, 0.475, 0.655}, DIAMOND, false, false},
    [SM_ORANGE_TRIANGLE] = {{0.902, 0.624, 0}, TRIANGLE_DOWN, false, false},
    [SM_BLACK_CROSS] = {{0.2, 0.2, 0.2}, CROSS, false, true},
    [SM_GREY_CIRCLE] = {{0.70, 0.70, 0.70}, CIRCLE, false, false},
};

void sm_pen_colour(cairo_t *pen, sm_colour colour) { cairo_set_source_rgb(pen, colour.red, colour.green, colour.blue); }

sm_colour sm_style_colour(sm_style style) { return styles[style].colour; }

void sm_pen_style(cairo_t *pen, sm_style style) {
    static const double dashes[] = {5, 3};
    sm_pen_colour(pen, styles[style].colour);
    cairo_set_line_width(pen, 1.8);
    cairo_set_dash(pen, dashes, styles[style].is_dashed ? 2 : 0, 0);
}

/* ---- marks ---- */

static void polygon(cairo_t *pen, double x, double y, const double (*corners)[2], size_t n, double size) {
    for (size_t k = 0; k < n; k++) cairo_line_to(pen, x + size * corners[k][0], y + size * corners[k][1]);
    cairo_close_path(pen);
}

/* Sizes that look alike. */
static void outline(cairo_t *pen, shape mark, double x, double y) {
    static const double square[][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
    static const double triangle[][2] = {{0, -1.1}, {1.1, 0.8}, {-1.1, 0.8}};
    static const double tip_down[][2] = {{0, 1.1}, {1.1, -0.8}, {-1.1, -0.8}};
    static const double diamond[][2] = {{0, -1.2}, {1.2, 0}, {0, 1.2}, {-1.2, 0}};
    cairo_new_path(pen);
    switch (mark) {
    case CIRCLE: cairo_arc(pen, x, y, 3.7, 0, 2 * acos(-1)); break;
    case SQUARE: polygon(pen, x, y, square, 4, 3.3); break;
    case TRIANGLE: polygon(pen, x, y, triangle, 3, 4.1); break;
    case TRIANGLE_DOWN: polygon(pen, x, y, tip_down, 3, 4.1); break;
    case DIAMOND: polygon(pen, x, y, diamond, 4, 3.8); break;
    case CROSS:
        cairo_move_to(pen, x - 3.2, y - 3.2);
        cairo_line_to(pen, x + 3.2, y + 3.2);
        cairo_move_to(pen, x - 3.2, y + 3.2);
        cairo_line_to(pen, x + 3.2, y - 3.2);
        break;
    }
}

void sm_draw_mark(cairo_t *pen, sm_style style, double x, double y) {
    outline(pen, styles[style].mark, x, y);
    cairo_set_dash(pen, NULL, 0, 0);
    if (styles[style].mark == CROSS) {
        sm_pen_colour(pen, styles[style].colour);
        cairo_set_line_width(pen, 1.8);
        cairo_stroke(pen);
        return;
    }
    sm_pen_colour(pen, styles[style].is_open ? sm_paper : styles[style].colour);
    cairo_fill_preserve(pen);
    /* a rim of paper keeps marks apart that lie on each other */
    sm_pen_colour(pen, styles[style].is_open ? styles[style].colour : sm_paper);
    cairo_set_line_width(pen, styles[style].is_open ? 1.6 : 0.8);
    cairo_stroke(pen);
}

void sm_draw_line(cairo_t *pen, double from_x, double from_y, double to_x, double to_y) {
    cairo_move_to(pen, from_x, from_y);
    cairo_line_to(pen, to_x, to_y);
    cairo_stroke(pen);
}

/* ---- text ---- */

static void take_font(cairo_t *pen, const sm_lettering *lettering) {
    cairo_select_font_face(pen, "DejaVu Sans", CAIRO_FONT_SLANT_NORMAL,
                           lettering->is_bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_font_size(pen, lettering->size);
}

double sm_text_width(cairo_t *pen, const sm_lettering *lettering, const char *text) {
    cairo_text_extents_t extents;
    take_font(pen, lettering);
    cairo_text_extents(pen, text, &extents);
    return extents.x_advance;
}

void sm_draw_text(cairo_t *pen, const sm_lettering *lettering, double x, double y, const char *text) {
    const double capital_height = 0.73 * lettering->size; /* the same for every text, so that neighbours line up */
    cairo_save(pen);
    cairo_translate(pen, x, y);
    if (lettering->is_upright) cairo_rotate(pen, -acos(-1) / 2);
    double width = sm_text_width(pen, lettering, text);
    cairo_move_to(pen, -lettering->across * width, (1 - lettering->down) * capital_height);
    sm_pen_colour(pen, lettering->colour);
    cairo_show_text(pen, text);
    cairo_restore(pen);
}
