/* common.c - following the work. Reading is inputs.c. */
#include "common.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>

#include "interrupt.h"

const cli_option cli_general_options[] = {
    {"--threads", "N", "threads to use (default: all cores, or OMP_NUM_THREADS)"},
    {"--quiet", NULL, "no messages"},
    {0},
};

/* ---- progress ---- */

double cli_clock(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int follow_work(void *context, double fraction_done) {
    cli_follow *follow = context;
    double now = cli_clock();
    if (follow->is_shown && now - follow->last_shown > 0.2) {
        cli_show_notes();
        follow->last_shown = now;
        double left = fraction_done > 0.01 ? (now - follow->started) * (1 - fraction_done) / fraction_done : -1;
        fprintf(stderr, "\r\033[K%s  %3.0f %%", follow->what, 100 * fraction_done);
        if (left >= 0) fprintf(stderr, "  %.0f s left", left);
        fflush(stderr);
    }
    return cli_is_interrupted();
}

void cli_stop_following(cli_follow *follow) {
    cli_follow_interrupts(false, false);
    if (follow->is_shown) fprintf(stderr, "\r\033[K");
}

/* OMP_NUM_THREADS may be a list, one number for each level of nesting: the first counts. */
static size_t threads_wanted_by_environment(void) {
    const char *text = getenv("OMP_NUM_THREADS");
    long n = text != NULL ? strtol(text, NULL, 10) : 0;
    return n > 0 ? (size_t)n : 0;
}

smerf_status cli_get_threads(const cli_args *args, size_t *n_threads, smerf_error *error) {
    *n_threads = threads_wanted_by_environment();
    return cli_get_size(args, "--threads", 1, n_threads, error);
}

smerf_status cli_start_run(const cli_args *args, const char *what, smerf_run *run, cli_follow *follow,
                           smerf_error *error) {
    double now = cli_clock();
    *follow = (cli_follow){.what = what,
                           .is_shown = isatty(STDERR_FILENO) && !cli_has(args, "--quiet"),
                           .started = now,
                           .last_shown = now};
    cli_follow_interrupts(true, follow->is_shown);
    *run = SMERF_INIT(smerf_run, .progress = follow_work, .context = follow);
    return cli_get_threads(args, &run->n_threads, error);
}

/* ---- what is said ---- */

static char notes[8192]; /* lines */

void cli_show_notes(void) {
    fputs(notes, stderr);
    notes[0] = '\0';
}

void cli_note(const cli_args *args, const char *format, ...) {
    char line[1600];
    size_t used = strlen(notes);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    for (char *c = line; *c != '\0'; c++) /* one line, whatever is in the name of a file */
        if ((unsigned char)*c < ' ' || *c == 127) *c = ' ';
    bool fits = used + strlen(line) + sizeof "smerf: \n" <= sizeof notes;
    if (fits && !cli_has(args, "--quiet")) snprintf(notes + used, sizeof notes - used, "smerf: %s\n", line);
}

void cli_say(const cli_args *args, const char *format, ...) {
    if (cli_has(args, "--quiet")) return;
    cli_show_notes();
    va_list arguments;
    va_start(arguments, format);
    fputs("smerf: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
}

void cli_say_shrinkage(const cli_args *args, const smerf_model *model) {
    smerf_description about = SMERF_INIT(smerf_description);
    smerf_model_describe(model, &about, NULL);
    if (about.options->shrink == SMERF_SHRINK_AUTO && about.shrinkage < 1)
        cli_say(args,
                "out-of-bag pairs say that distances differ from their mean, %.4g, by %.2g of what the trees say "
                "(standard error %.2g): predicted distances are drawn towards it by %.2g; --shrink off leaves them",
                about.mean_distance, about.shrinkage_slope, about.shrinkage_error, about.shrinkage);
}

const char *cli_output_name(const char *path) { return strcmp(path, "-") == 0 ? "standard output" : path; }

bool cli_is_npy(const char *path) {
    size_t n = strlen(path);
    return n >= 4 && strcasecmp(path + n - 4, ".npy") == 0;
}
