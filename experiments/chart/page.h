/* page.h - a chart as a page: how large it is, and how it is drawn on any surface. */
#ifndef SM_CHART_PAGE_H
#define SM_CHART_PAGE_H

#include "chart/pen.h"

typedef struct sm_page {
    double width, height;
} sm_page;

sm_page sm_page_of(const sm_chart *chart);
void sm_page_draw(cairo_t *pen, const sm_chart *chart);

#endif
