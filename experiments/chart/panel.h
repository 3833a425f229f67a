/* panel.h - one panel of a chart. */
#ifndef SM_CHART_PANEL_H
#define SM_CHART_PANEL_H

#include "chart/pen.h"

/* Where the data are drawn; what stands beside the axes lies around it. */
typedef struct sm_frame {
    double left, top, width, height;
} sm_frame;

void sm_draw_panel(cairo_t *pen, const sm_panel *panel, const sm_frame *frame);

#endif
