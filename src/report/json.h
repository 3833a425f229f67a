/* json.h - what the page is given, written as it comes: objects and lists with commas where they belong, text that cannot end
 * a script, and long arrays of numbers in base64 (page/FORMAT.md). */
#ifndef SM_REPORT_JSON_H
#define SM_REPORT_JSON_H

#include "base/output.h"

typedef struct sm_json {
    sm_output *output;
    bool needs_comma;
} sm_json;

/* Everywhere: name NULL inside a list. */

/*   bracket  '{' or '[', and the same closed */
void sm_json_open(sm_json *json, const char *name, char bracket);
void sm_json_close(sm_json *json, char bracket);

/* Bytes that are no UTF-8 become U+FFFD; a NULL text is null. */
void sm_json_text(sm_json *json, const char *name, const char *text);
void sm_json_number(sm_json *json, const char *name, double value); /* null if it is not finite */
void sm_json_count(sm_json *json, const char *name, size_t count);
void sm_json_flag(sm_json *json, const char *name, bool flag);
void sm_json_null(sm_json *json, const char *name);

/* {"type": ..., "data": "BASE64"}. What is no finite float32 is NaN. */
void sm_json_f32(sm_json *json, const char *name, const double *values, size_t n);
void sm_json_u32(sm_json *json, const char *name, const uint32_t *values, size_t n);
void sm_json_u16(sm_json *json, const char *name, const uint32_t *values, size_t n); /* 65535 for larger ones */

#endif
