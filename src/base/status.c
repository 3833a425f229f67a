/* status.c - fills a smerf_error: see status.h. */
#include "base/status.h"

#include <stdarg.h>
#include <stdio.h>

static void fill_error(smerf_error *error, smerf_status status, size_t row, size_t column, const char *format,
                       va_list arguments) {
    if (error == NULL) return;
    error->status = status;
    error->row = row;
    error->column = column;
    vsnprintf(error->message, sizeof error->message, format, arguments);
    for (char *c = error->message; *c != '\0'; c++) /* one line, whatever a name that is quoted holds */
        if ((unsigned char)*c < ' ' || *c == 127) *c = ' ';
}

smerf_status sm_fail(smerf_error *error, smerf_status status, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fill_error(error, status, SMERF_NOWHERE, SMERF_NOWHERE, format, arguments);
    va_end(arguments);
    return status;
}

smerf_status sm_fail_at(smerf_error *error, size_t row, size_t column, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fill_error(error, SMERF_BAD_INPUT, row, column, format, arguments);
    va_end(arguments);
    return SMERF_BAD_INPUT;
}

smerf_status sm_no_memory(smerf_error *error, const char *what) {
    return sm_fail(error, SMERF_NO_MEMORY, "out of memory while %s", what);
}

const char *smerf_version(void) { return SMERF_VERSION_STRING; }
