/* ciede2000.h - how different two colours look to a person.
 *
 *   sRGB 0..255  --lab_from_srgb-->  CIELAB  --ciede2000-->  one number; about 1 is just noticeable
 *
 * Pure arithmetic in double: no state, no allocation, safe from any thread. */
#ifndef DEMO_CIEDE2000_H
#define DEMO_CIEDE2000_H

typedef struct lab_colour {
    double lightness; /* L*, 0 black .. 100 white */
    double a;         /* a*, green (-) to red (+) */
    double b;         /* b*, blue (-) to yellow (+) */
} lab_colour;

/* CIELAB (white D65, 2 degree observer) of an sRGB colour, each channel 0..255; fractions are welcome. */
lab_colour lab_from_srgb(double red, double green, double blue);

/* The CIEDE2000 difference, with kL = kC = kH = 1. Swapping the colours gives the same double, bit for bit.
 * It is not a metric: the triangle inequality can fail. */
double ciede2000(lab_colour left, lab_colour right);

#endif
