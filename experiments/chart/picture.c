/* picture.c - a page as an SVG or a PNG file, through the same drawing. */
#include <cairo-svg.h>
#include <fontconfig/fontconfig.h>
#include <math.h>

#include "chart/page.h"

static const double pixels_per_unit = 2; /* sharp on screens and in print */

static cairo_status_t put(void *context, const unsigned char *bytes, unsigned n_bytes) {
    sm_output *output = context;
    sm_output_write(output, bytes, n_bytes);
    return sm_output_has_failed(output) ? CAIRO_STATUS_WRITE_ERROR : CAIRO_STATUS_SUCCESS;
}

/* A full disk is told by the output when it is finished: only what cairo itself cannot do is an error here. */
static smerf_status tell(cairo_status_t cairo, smerf_error *error) {
    if (cairo == CAIRO_STATUS_SUCCESS || cairo == CAIRO_STATUS_WRITE_ERROR) return SMERF_OK;
    return sm_fail(error, SMERF_NO_MEMORY, "a picture cannot be drawn: %s", cairo_status_to_string(cairo));
}

static cairo_status_t draw_on(cairo_surface_t *surface, const sm_chart *chart, double scale) {
    cairo_t *pen = cairo_create(surface);
    cairo_scale(pen, scale, scale);
    sm_page_draw(pen, chart);
    cairo_status_t status = cairo_status(pen);
    cairo_destroy(pen);
    return status;
}

smerf_status sm_chart_write_svg(const sm_chart *chart, sm_output *output, smerf_error *error) {
    sm_page page = sm_page_of(chart);
    cairo_surface_t *surface = cairo_svg_surface_create_for_stream(put, output, page.width, page.height);
    cairo_svg_surface_set_document_unit(surface, CAIRO_SVG_UNIT_PX);
    cairo_status_t status = draw_on(surface, chart, 1);
    cairo_surface_finish(surface); /* writes */
    if (status == CAIRO_STATUS_SUCCESS) status = cairo_surface_status(surface);
    cairo_surface_destroy(surface);
    return tell(status, error);
}

smerf_status sm_chart_write_png(const sm_chart *chart, sm_output *output, smerf_error *error) {
    sm_page page = sm_page_of(chart);
    int width = (int)ceil(pixels_per_unit * page.width), height = (int)ceil(pixels_per_unit * page.height);
    cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, width, height);
    cairo_status_t status = draw_on(surface, chart, pixels_per_unit);
    if (status == CAIRO_STATUS_SUCCESS) status = cairo_surface_write_to_png_stream(surface, put, output);
    cairo_surface_destroy(surface);
    return tell(status, error);
}

void sm_chart_forget_fonts(void) {
    cairo_debug_reset_static_data();
    FcFini();
}
