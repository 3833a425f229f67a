/* write.c - see write.h. */
#include "io/text/write.h"

#include <math.h>
#include <string.h>

#include "io/text/number.h"

void sm_put_number(sm_output *output, double value) {
    char text[SM_NUMBER_SPACE];
    sm_output_write(output, text, sm_number_format(value, text));
}

void sm_put_json_number(sm_output *output, double value) {
    if (isfinite(value))
        sm_put_number(output, value);
    else
        sm_output_write(output, "null", 4);
}

void sm_put_cell(sm_output *output, const char *text) { sm_put_cell_after(output, "", text); }

void sm_put_cell_after(sm_output *output, const char *prefix, const char *text) {
    if (strpbrk(text, ",;\t\"\r\n") == NULL) {
        sm_output_write(output, prefix, strlen(prefix));
        sm_output_write(output, text, strlen(text));
        return;
    }
    sm_output_write(output, "\"", 1);
    sm_output_write(output, prefix, strlen(prefix));
    for (const char *c = text; *c != '\0'; c++) sm_output_write(output, *c == '"' ? "\"\"" : c, *c == '"' ? 2 : 1);
    sm_output_write(output, "\"", 1);
}

void sm_put_json_string(sm_output *output, const char *text) {
    sm_output_write(output, "\"", 1);
    for (const char *c = text; *c != '\0'; c++) {
        if (*c == '"' || *c == '\\')
            sm_output_print(output, "\\%c", *c);
        else if ((unsigned char)*c < 0x20)
            sm_output_print(output, "\\u%04x", (unsigned)*c);
        else
            sm_output_write(output, c, 1);
    }
    sm_output_write(output, "\"", 1);
}
