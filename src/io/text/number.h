/* number.h - decimal numbers in text: read exactly, written as short as they read back the same. */
#ifndef SM_IO_NUMBER_H
#define SM_IO_NUMBER_H

#include <stddef.h>

typedef enum sm_cell { SM_CELL_NUMBER, SM_CELL_MISSING, SM_CELL_INFINITE, SM_CELL_TEXT } sm_cell;

/* What a cell of text holds. Spaces around it do not count. Missing: empty, NA, NaN (also nan, NAN).
 * Infinite: inf, infinity in any case with or without a sign, or a number too large for a double.
 * Only plain decimal numbers (sign, digits, point, exponent) are numbers: no hex, no thousands separators.
 * Correctly rounded, whatever the locale. *value is set for numbers only. */
sm_cell sm_number_parse(const char *text, size_t n, double *value);

/* The same for a number that starts here, without spaces, and may go on until `end`: returns the place after it, or
 * NULL if there is none. *value is infinite if the number is too large for a double. */
const char *sm_number_scan(const char *text, const char *end, double *value);

#define SM_NUMBER_SPACE 32

/* The shortest decimal form that reads back as the same double; returns its length. NaN is "" (a missing cell). */
size_t sm_number_format(double value, char text[SM_NUMBER_SPACE]);

#endif
