/* write.h - numbers and names as CSV and JSON want them. */
#ifndef SM_IO_WRITE_H
#define SM_IO_WRITE_H

#include "base/output.h"

/* A number in the shortest form that reads back; NaN is an empty cell, or null. */
void sm_put_number(sm_output *output, double value);
void sm_put_json_number(sm_output *output, double value);

/* A name as a cell of CSV, quoted where it must be; and as a string of JSON. */
void sm_put_cell(sm_output *output, const char *text);
void sm_put_cell_after(sm_output *output, const char *prefix, const char *text); /* both in one cell; a plain prefix */
void sm_put_json_string(sm_output *output, const char *text);

#endif
