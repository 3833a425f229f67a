/* test_report_json.c - what the page is given: text that cannot end a script, arrays that are the numbers they were, commas where
 * they belong. */
#include "tests/unit/files.h"

#include <math.h>

#include "report/json.h"

static sm_json start(void) {
    sm_json json = {0};
    smerf_error error;
    assert_int_equal(sm_output_open("out.json", &json.output, &error), SMERF_OK);
    return json;
}

static const char *finish(sm_json *json) {
    smerf_error error;
    assert_int_equal(sm_output_finish(json->output, &error), SMERF_OK);
    return read_text("out.json");
}

static void assert_text(const char *text, const char *expected) {
    sm_json json = start();
    sm_json_text(&json, NULL, text);
    assert_string_equal(finish(&json), expected);
}

/* ---- text ---- */

static void plain_text_stays(void **state) {
    (void)state;
    assert_text("", "\"\"");
    assert_text("a b", "\"a b\"");
    assert_text("\xc3\xa4\xe2\x82\xac\xf0\x9f\x8e\xa8", "\"\xc3\xa4\xe2\x82\xac\xf0\x9f\x8e\xa8\"");
    assert_text(NULL, "null");
}

static void nothing_ends_the_script(void **state) {
    (void)state;
    assert_text("</script><script>alert(1)</script>",
                "\"\\u003c/script\\u003e\\u003cscript\\u003ealert(1)\\u003c/script\\u003e\"");
    assert_text("<!--&amp;'\"\\", "\"\\u003c!--\\u0026amp;\\u0027\\u0022\\u005c\"");
    assert_text("\xe2\x80\xa8\xe2\x80\xa9", "\"\\u2028\\u2029\"");
    assert_text("\x01\t\n\r\x1f\x7f", "\"\\u0001\\u0009\\u000a\\u000d\\u001f\\u007f\"");
}

/* No character, cut short, too long a form, half of a pair, beyond the last one. */
static void bytes_that_are_no_text_are_replaced(void **state) {
    (void)state;
    static const char *const wrong[] = {
        "\x80",     "\xff",         "\xc3",         "\xe2\x82",         "\xf0\x9f\x8e",
        "\xc0\xaf", "\xe0\x80\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xf8\x88\x80\x80\x80"};
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        char text[16], expected[64] = "\"a";
        snprintf(text, sizeof text, "a%sb", wrong[k]);
        for (size_t b = 0; b < strlen(wrong[k]); b++) strcat(expected, "\xef\xbf\xbd");
        strcat(expected, "b\"");
        assert_text(text, expected);
    }
}

/* ---- structure ---- */

static void commas_stand_between_things(void **state) {
    (void)state;
    sm_json json = start();
    sm_json_open(&json, NULL, '{');
    sm_json_open(&json, "none", '[');
    sm_json_close(&json, ']');
    sm_json_open(&json, "some", '[');
    sm_json_count(&json, NULL, 7);
    sm_json_null(&json, NULL);
    sm_json_open(&json, NULL, '{');
    sm_json_close(&json, '}');
    sm_json_close(&json, ']');
    sm_json_number(&json, "x<", 0.1);
    sm_json_number(&json, "nan", NAN);
    sm_json_number(&json, "far", INFINITY);
    sm_json_flag(&json, "yes", true);
    sm_json_flag(&json, "no", false);
    sm_json_close(&json, '}');
    assert_string_equal(finish(&json),
                        "{\"none\": [],\n\"some\": [7,\nnull,\n{}],\n\"x\\u003c\": 0.1,\n\"nan\": null,\n"
                        "\"far\": null,\n\"yes\": true,\n\"no\": false}");
}

/* ---- arrays ---- */

static void assert_array(sm_json *json, const char *type, const char *data) {
    char expected[256];
    snprintf(expected, sizeof expected, "{\"type\": \"%s\",\n\"data\": \"%s\"}", type, data);
    assert_string_equal(finish(json), expected);
}

static void arrays_are_little_endian_base64(void **state) {
    (void)state;
    const double numbers[] = {1, -2.5, NAN, 1e300};
    const uint32_t counts[] = {1, 0x12345678, SMERF_MISSING}, small[] = {1, 513, SMERF_MISSING};
    sm_json json = start();
    sm_json_f32(&json, NULL, numbers, 4);
    assert_array(&json, "f32", "AACAPwAAIMAAAMB/AADAfw==");
    json = start();
    sm_json_u32(&json, NULL, counts, 3);
    assert_array(&json, "u32", "AQAAAHhWNBL/////");
    json = start();
    sm_json_u16(&json, NULL, small, 3);
    assert_array(&json, "u16", "AQABAv//");
    json = start();
    sm_json_u16(&json, NULL, small, 2);
    assert_array(&json, "u16", "AQABAg==");
    json = start();
    sm_json_u32(&json, NULL, counts, 0);
    assert_array(&json, "u32", "");
}

/* The digits back to bytes. */
static size_t decode(const char *text, unsigned char *bytes) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    size_t n = 0;
    unsigned group = 0, n_bits = 0;
    for (; *text != '"' && *text != '='; text++) {
        const char *digit = strchr(digits, *text);
        assert_non_null(digit);
        group = group << 6 | (unsigned)(digit - digits);
        n_bits += 6;
        if (n_bits < 8) continue;
        n_bits -= 8;
        bytes[n++] = (unsigned char)(group >> n_bits);
    }
    return n;
}

/* Around the number that is written at a time. */
static void long_arrays_come_back(void **state) {
    (void)state;
    static char text[1 << 16];
    static unsigned char bytes[1 << 15];
    uint32_t values[2000];
    for (uint32_t k = 0; k < 2000; k++) values[k] = k * 2654435761u;
    for (size_t n = 760; n < 1600; n++) {
        if (n == 780) n = 1530;
        sm_json json = start();
        sm_json_u32(&json, NULL, values, n);
        finish(&json);
        FILE *file = fopen("out.json", "rb");
        assert_non_null(file);
        text[fread(text, 1, sizeof text - 1, file)] = '\0';
        fclose(file);
        const char *data = strstr(text, "\"data\": \"");
        assert_non_null(data);
        assert_int_equal(decode(data + 9, bytes), 4 * n);
        assert_memory_equal(bytes, values, 4 * n); /* on a little-endian machine, as all are that we know */
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_text_stays),
        cmocka_unit_test(nothing_ends_the_script),
        cmocka_unit_test(bytes_that_are_no_text_are_replaced),
        cmocka_unit_test(commas_stand_between_things),
        cmocka_unit_test(arrays_are_little_endian_base64),
        cmocka_unit_test(long_arrays_come_back),
    };
    return cmocka_run_group_tests(tests, files_enter, files_leave);
}
