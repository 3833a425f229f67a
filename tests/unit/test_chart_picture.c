/* test_chart_picture.c - charts of all kinds become pictures: whole ones, and the same ones every time. */
#include "tests/unit/files.h"

#include <math.h>

#include "chart/chart.h"

enum { MOST_BYTES = 1 << 20 };

static const sm_point rising[] = {{1, 0.1, 0.05}, {10, NAN, NAN}, {100, 0.4, NAN}, {1000, 0.9, 2}};
static const sm_point bars[] = {{1, 1, 0.2}, {2, 0.5, NAN}, {3, -0.25, 0.1}};
static const sm_series lines[] = {{"ours", SM_BLUE_CIRCLE, rising, 4}, {"theirs", SM_BLACK_CROSS, rising, 1}};
static const sm_series bar_series[] = {{"ours", SM_SKY_CIRCLE, bars, 3}};

static sm_chart chart_of(const sm_panel *panels, size_t n_rows, size_t n_columns) {
    return (sm_chart){.title = "a title with \xc3\xbcmlauts & <signs>",
                      .note = "a note",
                      .n_rows = n_rows,
                      .n_columns = n_columns,
                      .panels = panels,
                      .panel_width = 120,
                      .panel_height = 90};
}

static size_t read_all(const char *path, unsigned char *bytes) {
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t n = fread(bytes, 1, MOST_BYTES, file);
    assert_int_equal(fclose(file), 0);
    return n;
}

typedef smerf_status (*writer)(const sm_chart *chart, sm_output *output, smerf_error *error);

static size_t draw(writer write, const sm_chart *chart, unsigned char *bytes) {
    sm_output *output;
    smerf_error error;
    assert_int_equal(sm_output_open("picture", &output, &error), SMERF_OK);
    assert_int_equal(write(chart, output, &error), SMERF_OK);
    assert_int_equal(sm_output_finish(output, &error), SMERF_OK);
    return read_all("picture", bytes);
}

static void assert_pictures(const sm_chart *chart) {
    static unsigned char first[MOST_BYTES], second[MOST_BYTES];
    size_t n = draw(sm_chart_write_png, chart, first);
    assert_true(n > 1000 && memcmp(first, "\x89PNG\r\n\x1a\n", 8) == 0 && memcmp(first + n - 8, "IEND", 4) == 0);
    assert_int_equal(draw(sm_chart_write_png, chart, second), n);
    assert_memory_equal(first, second, n);
    n = draw(sm_chart_write_svg, chart, first);
    assert_true(n > 1000 && memcmp(first, "<?xml", 5) == 0 && memcmp(first + n - 7, "</svg>\n", 7) == 0);
}

static void lines_with_gaps_and_errors_are_drawn(void **state) {
    (void)state;
    const sm_panel panel = {.x = {.title = "x", .is_log = true}, .y = {.title = "y"}, .series = lines, .n_series = 2};
    sm_chart chart = chart_of(&panel, 1, 1);
    assert_pictures(&chart);
}

static void panels_stand_in_a_grid(void **state) {
    (void)state;
    static const char *const titles[] = {"one", "two"};
    const sm_panel panel = {
        .y = {.is_log = true}, .series = lines, .n_series = 2, .level_name = "a level", .level = 0.3};
    const sm_panel panels[] = {panel, panel, panel, panel, panel, panel};
    sm_chart chart = chart_of(panels, 3, 2);
    chart.column_titles = titles;
    assert_pictures(&chart);
}

static void bars_are_drawn(void **state) {
    (void)state;
    static const double ticks[] = {1, 2, 3};
    static const char *const labels[] = {"a", "b", "c"};
    const sm_panel panel = {.x = {.from = 0.4, .to = 3.6, .ticks = ticks, .labels = labels, .n_ticks = 3},
                            .has_bars = true,
                            .series = bar_series,
                            .n_series = 1};
    sm_chart chart = chart_of(&panel, 1, 1);
    assert_pictures(&chart);
}

static void an_empty_panel_is_no_trouble(void **state) {
    (void)state;
    const sm_panel panel = {.x = {.is_log = true}};
    sm_chart chart = chart_of(&panel, 1, 1);
    assert_pictures(&chart);
}

static void assert_full_disk_is_reported(writer write) {
    const sm_panel panel = {.series = lines, .n_series = 2};
    sm_chart chart = chart_of(&panel, 1, 1);
    sm_output *output;
    smerf_error error;
    assert_int_equal(sm_output_open("/dev/full", &output, &error), SMERF_OK);
    assert_int_equal(write(&chart, output, &error), SMERF_OK);
    assert_int_equal(sm_output_finish(output, &error), SMERF_IO);
}

static void a_full_disk_is_reported(void **state) {
    (void)state;
    assert_full_disk_is_reported(sm_chart_write_svg);
    assert_full_disk_is_reported(sm_chart_write_png);
}

static int leave(void **state) {
    sm_chart_forget_fonts();
    return files_leave(state);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_with_gaps_and_errors_are_drawn),
        cmocka_unit_test(panels_stand_in_a_grid),
        cmocka_unit_test(bars_are_drawn),
        cmocka_unit_test(an_empty_panel_is_no_trouble),
        cmocka_unit_test(a_full_disk_is_reported),
    };
    return cmocka_run_group_tests(tests, files_enter, leave);
}
