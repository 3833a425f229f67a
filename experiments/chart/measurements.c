/* measurements.c - rows kept, means of repeats, CSV: see measurements.h. */
#include "chart/measurements.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "io/text/text.h"

smerf_status sm_measurements_add(sm_measurements *all, const sm_measurement *row, smerf_error *error) {
    if (!sm_grow((void **)&all->rows, &all->capacity, all->n + 1, sizeof *all->rows))
        return sm_no_memory(error, "keeping measurements");
    all->rows[all->n++] = *row;
    return SMERF_OK;
}

void sm_measurements_free(sm_measurements *all) {
    sm_free(all->rows);
    *all = (sm_measurements){0};
}

/* ---- means ---- */

sm_summary sm_summarise(const double *values, size_t n) {
    sm_summary summary = {.mean = NAN, .deviation = NAN, .error = NAN};
    double sum = 0, squares = 0;
    for (size_t k = 0; k < n; k++) {
        if (isnan(values[k])) continue;
        sum += values[k];
        summary.n++;
    }
    if (summary.n == 0) return summary;
    double count = (double)summary.n;
    summary.mean = sum / count;
    if (summary.n == 1) return summary;
    for (size_t k = 0; k < n; k++)
        if (!isnan(values[k])) squares += (values[k] - summary.mean) * (values[k] - summary.mean);
    summary.deviation = sqrt(squares / (count - 1));
    summary.error = summary.deviation / sqrt(count);
    return summary;
}

static bool is_same(const char *a, const char *b) { return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0); }

static bool is_same_line(const sm_measurement *a, const sm_measurement *b) {
    return is_same(a->data, b->data) && is_same(a->split, b->split) && is_same(a->method, b->method) &&
           is_same(a->metric, b->metric);
}

static bool is_repeat(const sm_measurement *a, const sm_measurement *b) { return a->at == b->at && is_same_line(a, b); }

sm_summary sm_measurements_summary(const sm_measurements *all, const sm_measurement *like) {
    double values[SM_MOST_REPEATS];
    size_t n = 0;
    for (size_t k = 0; k < all->n && n < SM_MOST_REPEATS; k++)
        if (is_repeat(&all->rows[k], like)) values[n++] = all->rows[k].value;
    return sm_summarise(values, n);
}

/* The first of its repeats: where the summary has its line. */
static bool is_first(const sm_measurements *all, size_t row) {
    for (size_t k = 0; k < row; k++)
        if (is_repeat(&all->rows[k], &all->rows[row])) return false;
    return true;
}

size_t sm_measurements_points(const sm_measurements *all, const sm_measurement *like, sm_error_bar bar,
                              sm_point *points, size_t most) {
    size_t n = 0;
    for (size_t k = 0; k < all->n && n < most; k++) {
        const sm_measurement *row = &all->rows[k];
        if (!is_same_line(row, like) || !is_first(all, k)) continue;
        sm_summary summary = sm_measurements_summary(all, row);
        points[n++] = (sm_point){
            .x = row->at, .y = summary.mean, .error = bar == SM_STANDARD_ERROR ? summary.error : summary.deviation};
    }
    return n;
}

/* ---- CSV ---- */

static bool has_splits(const sm_measurements *all) { return all->n > 0 && all->rows[0].split != NULL; }

static void put_head(const sm_measurements *all, const char *rest, sm_output *output) {
    sm_output_print(output, "data,%s%s,%s\n", has_splits(all) ? "split," : "", all->at_name, rest);
}

static void put_cell(const char *text, sm_output *output) {
    sm_put_cell(output, text);
    sm_output_write(output, ",", 1);
}

static void put_number(double value, const char *end, sm_output *output) {
    sm_put_number(output, value);
    sm_output_print(output, "%s", end);
}

static void put_key(const sm_measurements *all, const sm_measurement *row, sm_output *output) {
    put_cell(row->data, output);
    if (has_splits(all)) put_cell(row->split, output);
    put_number(row->at, ",", output);
}

void sm_measurements_write(const sm_measurements *all, sm_output *output) {
    put_head(all, "repeat,seed,method,metric,value", output);
    for (size_t k = 0; k < all->n; k++) {
        const sm_measurement *row = &all->rows[k];
        put_key(all, row, output);
        sm_output_print(output, "%zu,%llu,", row->repeat, (unsigned long long)row->seed);
        put_cell(row->method, output);
        put_cell(row->metric, output);
        put_number(row->value, "\n", output);
    }
}

void sm_measurements_write_summary(const sm_measurements *all, sm_output *output) {
    put_head(all, "method,metric,repeats,mean,sd,se", output);
    for (size_t k = 0; k < all->n; k++) {
        if (!is_first(all, k)) continue;
        const sm_measurement *row = &all->rows[k];
        sm_summary summary = sm_measurements_summary(all, row);
        put_key(all, row, output);
        put_cell(row->method, output);
        put_cell(row->metric, output);
        sm_output_print(output, "%zu,", summary.n);
        put_number(summary.mean, ",", output);
        put_number(summary.deviation, ",", output);
        put_number(summary.error, "\n", output);
    }
}
