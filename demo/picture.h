/* picture.h - the demo's picture: each unseen colour, and its neighbours in three ways of measuring, as an SVG file. */
#ifndef DEMO_PICTURE_H
#define DEMO_PICTURE_H

#include "base/output.h"
#include "demo/css_colours.h"

void picture_start(sm_output *output, size_t n_rows, size_t n_neighbours);
void picture_name(sm_output *output, size_t row, const css_colour *colour);

/*   way  0: people, 1: learned, 2: plain */
void picture_swatch(sm_output *output, size_t row, size_t way, size_t place, const css_colour *colour);
void picture_end(sm_output *output);

#endif
