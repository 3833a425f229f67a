/* reproduce.h - the paper's experiments: their options, state and figures.
 *
 *     reproduce.c    the program: options, and the table of experiments
 *     study.c        progress, seeds, results
 *     figure.c       the grids of panels that the paper shows
 *     data.c         simulated items
 *     simulations.c, importance.c, convergence.c, networks.c
 *
 * An experiment measures first and writes last, so that nothing is half written. */
#ifndef CLI_REPRODUCE_H
#define CLI_REPRODUCE_H

#include "chart/measurements.h"
#include "common.h"
#include "smerf_study.h"

enum { CLI_MOST_SETTINGS = 32, CLI_MOST_METHODS = 8 };

struct cli_study;

/* How the paper does it, and how quickly it can be looked at. */
typedef struct cli_experiment {
    const char *name;
    const char *at_name;         /* what stands along the horizontal axis: "n", "share" */
    const char *settings_option; /* the option that lists other settings, or NULL */
    double smallest, largest;    /* of a setting */
    double settings[CLI_MOST_SETTINGS], quick_settings[CLI_MOST_SETTINGS]; /* each ended by 0 */
    size_t n_repeats, n_quick_repeats, n_trees, n_quick_trees;
    const char *const *methods; /* ended by NULL; NULL: there is no choice */
    bool has_samplers;          /* --burn and its like mean something */
    bool needs_data;            /* --data */
    smerf_status (*run)(struct cli_study *study, smerf_error *error);
} cli_experiment;

extern const cli_experiment cli_simulations, cli_importance_study, cli_convergence, cli_networks;

/* An experiment as the options want it, and what has been measured so far. */
typedef struct cli_study {
    const cli_args *args;
    const cli_experiment *experiment;
    const char *folder, *data;
    bool is_quick;
    size_t seed, n_repeats, n_trees;
    double settings[CLI_MOST_SETTINGS];
    size_t n_settings;
    bool is_wanted[CLI_MOST_METHODS];            /* as in the experiment's methods */
    size_t n_factors, n_burn, n_draws, n_chains; /* 0: as the experiment says */
    sm_measurements measured;
    smerf_run run; /* for calls of the library */
    /* progress */
    smerf_run outer;
    cli_follow follow;
    double work_done, work;
} cli_study;

/* ---- study.c ---- */

/* Options for a forest of this study. */
void cli_study_options(const cli_study *study, uint64_t seed, smerf_options *options);

/* The seed of one repeat: those of different settings and repeats differ.   at  a whole number */
uint64_t cli_study_seed(const cli_study *study, size_t at, size_t repeat);

/* A smerf_progress: the whole study is followed, and not every call in it.   context  the study */
int cli_study_follow(void *context, double fraction_done);

/* Between two pieces of work: notices Ctrl-C.   work  how much was done, of study->work */
smerf_status cli_study_advance(cli_study *study, double work, smerf_error *error);

/* One line about what is done. */
void cli_study_say(const cli_study *study, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Writes what was measured, and its means. */
smerf_status cli_study_save(const cli_study *study, smerf_error *error);

/* Draws a chart as FILE.svg and FILE.png. */
smerf_status cli_study_draw(const cli_study *study, const char *file, const sm_chart *chart, smerf_error *error);

smerf_status cli_no_memory(smerf_error *error, const char *what);

/* ---- figure.c ---- */

typedef struct cli_figure_data {
    const char *name, *title;
} cli_figure_data;

typedef struct cli_figure_metric {
    const char *name, *title;
    bool is_log;
    double from, to;      /* of the axis, or both 0 */
    const char *left_out; /* a method that would hide the others, or NULL */
} cli_figure_metric;

typedef struct cli_figure_line {
    const char *method, *split, *title;
    sm_style style;
} cli_figure_line;

/* A row of panels for each metric, a column for each data set, a line for each method. */
typedef struct cli_figure {
    const char *file, *title, *note;
    const cli_figure_data *data;
    const cli_figure_metric *metrics;
    const cli_figure_line *lines;
    size_t n_data, n_metrics, n_lines;
    sm_axis x; /* of every panel; its title stands below the last row */
    sm_error_bar bar;
    double panel_width, panel_height;
    const char *level_name; /* as in a panel */
    double level;
} cli_figure;

/* The axis of studies over numbers of training items: a tick for each, on a log scale. */
sm_axis cli_study_size_axis(const cli_study *study);

/* What has no measurement is left out. */
smerf_status cli_study_draw_figure(const cli_study *study, const cli_figure *figure, smerf_error *error);

/* ---- data.c ---- */

/* Simulated items with everything that is borrowed by them. */
typedef struct cli_simulated {
    size_t n;
    double *columns; /* [20][n] */
    double *y;       /* [n] */
    float *z;        /* [n][n], or NULL */
    smerf_items *items;
    smerf_target *target; /* or NULL */
} cli_simulated;

/* The first n_features of the items of one part; see smerf_simulate. */
smerf_status cli_simulate_items(smerf_simulation_kind kind, size_t n, size_t n_features, uint64_t seed, uint32_t part,
                                cli_simulated *data, smerf_error *error);

/* Gives them their distances. */
smerf_status cli_simulate_distances(smerf_simulation_kind kind, cli_simulated *data, smerf_error *error);
void cli_free_simulated(cli_simulated *data); /* fine on one filled with zeros */

#endif
