/* common.h - for all timing programs: clocks, memory, words of the form name=value, one line of results. */
#ifndef BENCH_COMMON_H
#define BENCH_COMMON_H

#include "smerf.h"

double bench_now(void);    /* seconds on the clock */
double bench_worked(void); /* processor seconds of all threads: less noisy where others work too */

/* What the process holds, and the most that it ever held, in 1e6 bytes. */
double bench_memory_mb(void);
double bench_peak_mb(void);

/* These end the program with a message instead of failing. */
void bench_check(smerf_status status, const smerf_error *error);
void *bench_zeros(size_t count, size_t size); /* an array; the program ends where there is no memory */

/* The program's words, each name=value. A word that is looked up must be there, unless it may be absent (NULL then). */
void bench_take_words(int n_words, char **words);
const char *bench_word(const char *name);
const char *bench_word_or_null(const char *name);
size_t bench_count(const char *name);

/* The same numbers on every machine, quickly: uniform in [0, 1). */
double bench_uniform(uint64_t *state);
#define BENCH_SEED UINT64_C(88172645463325252)

/* Time and memory of one piece of work. */
typedef struct bench_work {
    double seconds, cpu_seconds, before_mb, peak_mb;
} bench_work;

bench_work bench_start(void);
void bench_stop(bench_work *work);

/* Prints the work and further numbers (NaN: null) as one line of JSON.
 *   names, values  [n] */
void bench_print(const bench_work *work, const char *const *names, const double *values, size_t n);

#endif
