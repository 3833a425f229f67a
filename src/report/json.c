/* json.c - see json.h: text that no browser takes for markup, and base64. */
#include "report/json.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "io/text/text.h"

static void put_raw(sm_json *json, const char *text) { sm_output_write(json->output, text, strlen(text)); }

/* ---- text ---- */

/* How many bytes the character at the start of a text has, and which it is; 0: it is none in UTF-8. */
static size_t next_character(const unsigned char *text, uint32_t *character) {
    static const uint32_t smallest[5] = {0, 0, 0x80, 0x800, 0x10000};
    size_t n = text[0] < 0x80 ? 1 : text[0] >> 5 == 6 ? 2 : text[0] >> 4 == 14 ? 3 : text[0] >> 3 == 30 ? 4 : 0;
    if (n == 0) return 0;
    uint32_t code = n == 1 ? text[0] : text[0] & (0x7fu >> n);
    for (size_t k = 1; k < n; k++) { /* stops at the end of the text, too */
        if (text[k] >> 6 != 2) return 0;
        code = code << 6 | (text[k] & 0x3f);
    }
    if (code < smallest[n] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) return 0;
    *character = code;
    return n;
}

/* What HTML or JavaScript may take for something else than text. */
static bool must_hide(uint32_t character) {
    return character < 0x20 || character == '"' || character == '\\' || character == '<' || character == '>' ||
           character == '&' || character == '\'' || character == 0x7f || character == 0x2028 || character == 0x2029;
}

static void put_string(sm_json *json, const char *text) {
    const unsigned char *next = (const unsigned char *)text;
    put_raw(json, "\"");
    while (*next != '\0') {
        const unsigned char *first = next; /* of those that stay as they are */
        uint32_t character = 0;
        size_t n = next_character(next, &character);
        while (n > 0 && *next != '\0' && !must_hide(character)) {
            next += n;
            n = next_character(next, &character);
        }
        if (next > first) sm_output_write(json->output, first, (size_t)(next - first));
        if (*next == '\0') break;
        if (n == 0)
            put_raw(json, "\xef\xbf\xbd");
        else
            sm_output_print(json->output, "\\u%04x", (unsigned)character);
        next += n > 0 ? n : 1;
    }
    put_raw(json, "\"");
}

/* ---- structure ---- */

static void start_value(sm_json *json, const char *name) {
    if (json->needs_comma) put_raw(json, ",\n");
    json->needs_comma = true;
    if (name == NULL) return;
    put_string(json, name);
    put_raw(json, ": ");
}

void sm_json_open(sm_json *json, const char *name, char bracket) {
    start_value(json, name);
    sm_output_write(json->output, &bracket, 1);
    json->needs_comma = false;
}

void sm_json_close(sm_json *json, char bracket) {
    sm_output_write(json->output, &bracket, 1);
    json->needs_comma = true;
}

void sm_json_text(sm_json *json, const char *name, const char *text) {
    start_value(json, name);
    if (text == NULL)
        put_raw(json, "null");
    else
        put_string(json, text);
}

void sm_json_number(sm_json *json, const char *name, double value) {
    start_value(json, name);
    sm_put_json_number(json->output, value);
}

void sm_json_count(sm_json *json, const char *name, size_t count) {
    start_value(json, name);
    sm_output_print(json->output, "%zu", count);
}

void sm_json_flag(sm_json *json, const char *name, bool flag) {
    start_value(json, name);
    put_raw(json, flag ? "true" : "false");
}

void sm_json_null(sm_json *json, const char *name) {
    start_value(json, name);
    put_raw(json, "null");
}

/* ---- arrays ---- */

static void put_base64(sm_output *output, const unsigned char *bytes, size_t n) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < n; i += 3) {
        unsigned group = (unsigned)bytes[i] << 16 | (i + 1 < n ? (unsigned)bytes[i + 1] << 8 : 0) |
                         (i + 2 < n ? (unsigned)bytes[i + 2] : 0);
        char text[4] = {digits[group >> 18], digits[group >> 12 & 63], digits[group >> 6 & 63], digits[group & 63]};
        if (i + 1 >= n) text[2] = '=';
        if (i + 2 >= n) text[3] = '=';
        sm_output_write(output, text, 4);
    }
}

static uint32_t float_bits(double value) {
    const uint32_t not_a_number = 0x7fc00000; /* always the same one */
    float single = (float)value;
    uint32_t bits;
    memcpy(&bits, &single, sizeof bits);
    return isfinite(single) ? bits : not_a_number;
}

/* The values of one of the two arrays, a few at a time so that groups of three bytes are whole. */
static void put_array(sm_json *json, const char *name, const char *type, size_t size, const double *numbers,
                      const uint32_t *counts, size_t n) {
    enum { AT_A_TIME = 768 };
    unsigned char bytes[AT_A_TIME * 4];
    sm_json_open(json, name, '{');
    sm_json_text(json, "type", type);
    start_value(json, "data");
    put_raw(json, "\"");
    for (size_t first = 0; first < n; first += AT_A_TIME) {
        size_t n_values = n - first < AT_A_TIME ? n - first : AT_A_TIME;
        for (size_t k = 0; k < n_values; k++) {
            uint32_t bits = numbers != NULL ? float_bits(numbers[first + k]) : counts[first + k];
            if (size == 2 && bits > 65535) bits = 65535;
            for (size_t b = 0; b < size; b++) bytes[k * size + b] = (unsigned char)(bits >> (8 * b));
        }
        put_base64(json->output, bytes, n_values * size);
    }
    put_raw(json, "\"");
    sm_json_close(json, '}');
}

void sm_json_f32(sm_json *json, const char *name, const double *values, size_t n) {
    put_array(json, name, "f32", 4, values, NULL, n);
}

void sm_json_u32(sm_json *json, const char *name, const uint32_t *values, size_t n) {
    put_array(json, name, "u32", 4, NULL, values, n);
}

void sm_json_u16(sm_json *json, const char *name, const uint32_t *values, size_t n) {
    put_array(json, name, "u16", 2, NULL, values, n);
}
