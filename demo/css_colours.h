/* css_colours.h - the named colours of the web (CSS Color Module Level 4, section 6.1). */
#ifndef DEMO_CSS_COLOURS_H
#define DEMO_CSS_COLOURS_H

#include <stddef.h>
#include <stdint.h>

enum {
    CSS_N_COLOURS = 148,  /* the 147 names of SVG, and rebeccapurple */
    CSS_N_DISTINCT = 139, /* aqua = cyan, fuchsia = magenta, and seven greys are also spelt gray */
};

typedef struct css_colour {
    const char *name; /* lower case, lives as long as the program */
    uint8_t red, green, blue;
} css_colour;

/* Every name, in alphabetical order. */
extern const css_colour css_colours[CSS_N_COLOURS];

/* Copies each colour once, under the first of its names, still in alphabetical order. Returns how many.
 *   out  [CSS_N_DISTINCT], the caller's */
size_t css_colours_distinct(css_colour *out);

#endif
