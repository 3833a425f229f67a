/* status.c - fills a smerf_error: see status.h. */
#include "base/status.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* Around an option while a sentence is made; no UTF-8 text has these bytes, so that none comes from a name that is quoted. */
#define OPENS '\xfe'
#define CLOSES '\xff'

enum { LONGEST_FORMAT = 600 };

/* Braces of a format become marks. */
static void mark_options(const char *format, char marked[LONGEST_FORMAT]) {
    size_t n = 0;
    for (; format[n] != '\0' && n + 1 < LONGEST_FORMAT; n++)
        marked[n] = format[n] == '{' ? OPENS : format[n] == '}' ? CLOSES : format[n];
    marked[n] = '\0';
}

/* Takes the marks out of the message and notes where they stood. One that was cut off is no mention. */
static void take_mentions(smerf_error *error) {
    size_t n = 0, start = SIZE_MAX;
    error->n_mentions = 0;
    for (const char *c = error->message; *c != '\0'; c++) {
        if (*c == OPENS)
            start = n;
        else if (*c == CLOSES && start <= n && error->n_mentions < SMERF_MOST_MENTIONS) {
            error->mention[error->n_mentions++] =
                (smerf_mention){.at = (unsigned short)start, .length = (unsigned short)(n - start)};
            start = SIZE_MAX;
        } else if (*c != CLOSES)
            error->message[n++] = (unsigned char)*c < ' ' || *c == 127 ? ' ' : *c; /* one line, whatever is quoted */
    }
    error->message[n] = '\0';
}

static void fill_error(smerf_error *error, smerf_status status, size_t row, size_t column, const char *format,
                       va_list arguments) {
    char marked[LONGEST_FORMAT];
    if (error == NULL) return;
    error->status = status;
    error->row = row;
    error->column = column;
    mark_options(format, marked);
    vsnprintf(error->message, sizeof error->message, marked, arguments);
    take_mentions(error);
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

smerf_status sm_fail_within(smerf_error *error, const smerf_error *inner, size_t skip, const char *format, ...) {
    va_list arguments;
    if (error == NULL) return inner->status;
    va_start(arguments, format);
    fill_error(error, inner->status, inner->row, inner->column, format, arguments);
    va_end(arguments);
    size_t n = strlen(error->message), space = sizeof error->message - n;
    snprintf(error->message + n, space, "%s", inner->message + skip);
    for (size_t m = 0; m < inner->n_mentions && error->n_mentions < SMERF_MOST_MENTIONS; m++) {
        smerf_mention mention = inner->mention[m];
        if (mention.at < skip || mention.at - skip + mention.length >= space) continue;
        mention.at = (unsigned short)(mention.at - skip + n);
        error->mention[error->n_mentions++] = mention;
    }
    return inner->status;
}

smerf_status sm_no_memory(smerf_error *error, const char *what) {
    return sm_fail(error, SMERF_NO_MEMORY, "out of memory while %s", what);
}

const char *smerf_version(void) { return SMERF_VERSION_STRING; }
