#include "common.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double seconds_of(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

double bench_now(void) { return seconds_of(CLOCK_MONOTONIC); }
double bench_worked(void) { return seconds_of(CLOCK_PROCESS_CPUTIME_ID); }

/* A line such as "VmHWM:   1234 kB". */
static double status_mb(const char *name) {
    char line[256];
    double kilobytes = NAN;
    FILE *file = fopen("/proc/self/status", "r");
    if (file == NULL) return NAN;
    while (fgets(line, sizeof line, file) != NULL)
        if (strncmp(line, name, strlen(name)) == 0) kilobytes = strtod(line + strlen(name) + 1, NULL);
    fclose(file);
    return kilobytes * 1024 / 1e6;
}

double bench_memory_mb(void) { return status_mb("VmRSS"); }
double bench_peak_mb(void) { return status_mb("VmHWM"); }

static void give_up(const char *message, const char *detail) {
    fprintf(stderr, "bench: %s%s\n", message, detail);
    exit(1);
}

void bench_check(smerf_status status, const smerf_error *error) {
    if (status != SMERF_OK) give_up(error->message, "");
}

void *bench_zeros(size_t count, size_t size) {
    void *array = calloc(count > 0 ? count : 1, size);
    if (array == NULL) give_up("no memory", "");
    return array;
}

static char **all_words;
static int n_all_words;

void bench_take_words(int n_words, char **words) {
    all_words = words;
    n_all_words = n_words;
}

const char *bench_word_or_null(const char *name) {
    size_t n = strlen(name);
    for (int k = 0; k < n_all_words; k++)
        if (strncmp(all_words[k], name, n) == 0 && all_words[k][n] == '=') return all_words[k] + n + 1;
    return NULL;
}

const char *bench_word(const char *name) {
    const char *word = bench_word_or_null(name);
    if (word == NULL) give_up("please give a value: ", name);
    return word;
}

size_t bench_count(const char *name) { return strtoull(bench_word(name), NULL, 10); }

double bench_uniform(uint64_t *state) { /* xorshift: good enough to make up data */
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return (double)(*state >> 11) * 0x1p-53;
}

bench_work bench_start(void) {
    return (bench_work){.seconds = bench_now(), .cpu_seconds = bench_worked(), .before_mb = bench_memory_mb()};
}

void bench_stop(bench_work *work) {
    work->seconds = bench_now() - work->seconds;
    work->cpu_seconds = bench_worked() - work->cpu_seconds;
    work->peak_mb = bench_peak_mb();
}

void bench_print(const bench_work *work, const char *const *names, const double *values, size_t n) {
    printf("{\"seconds\": %.6f, \"cpu_seconds\": %.6f, \"before_mb\": %.1f, \"peak_mb\": %.1f", work->seconds,
           work->cpu_seconds, work->before_mb, work->peak_mb);
    for (size_t k = 0; k < n; k++) {
        if (isnan(values[k]))
            printf(", \"%s\": null", names[k]);
        else
            printf(", \"%s\": %.12g", names[k], values[k]);
    }
    printf("}\n");
    fflush(stdout);
}
