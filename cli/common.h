/* common.h - what several commands do: read items and targets, and follow the work. */
#ifndef CLI_COMMON_H
#define CLI_COMMON_H

#include "command.h"
#include "io/matrix/matrix.h"
#include "io/text/table.h"
#include "io/text/text.h"

/* Options that several commands take. */
extern const cli_option cli_general_options[]; /* --quiet --threads */
extern const cli_option cli_item_options[];    /* --id --ignore --categories */
extern const cli_option cli_target_options[];  /* --distances ... */

/* ---- items ---- */

/* A table and the items made of it, which borrow its numbers. */
typedef struct cli_items {
    const char *path;
    sm_table table;
    smerf_items *items;
    const smerf_model *model; /* that is asked about them, borrowed; NULL: they are to learn from */
} cli_items;

/* Each reading notes what it took (cli_note).
 *
 * To learn from: every column is a feature, but for ids, weights and what is ignored; a column of names is refused. */
smerf_status cli_read_items(const cli_args *args, const char *path, cli_items *items, smerf_error *error);

/* The same, to be copied into other files: names are fine. */
smerf_status cli_read_items_to_copy(const cli_args *args, const char *path, cli_items *items, smerf_error *error);

/* To ask a model about: only its features, by name. */
smerf_status cli_read_known_items(const cli_args *args, const smerf_model *model, const char *path, cli_items *items,
                                  smerf_error *error);

/* The same, and all other columns to be shown: in items->table.others. */
smerf_status cli_read_shown_items(const cli_args *args, const smerf_model *model, const char *path, cli_items *items,
                                  smerf_error *error);

/* The same with columns beside the features, as the targets of a spec.
 *   targets  what it says of targets, and of other columns, counts */
smerf_status cli_read_known_items_and(const cli_args *args, const smerf_model *model, const char *path,
                                      const sm_table_spec *targets, cli_items *items, smerf_error *error);
void cli_free_items(cli_items *items); /* fine on one filled with zeros */

/* The items as one side of a matrix. */
sm_matrix_side cli_side(const cli_items *items);

/* An item's name: its id, or its row in the file.   space  for the row's digits */
const char *cli_item_name(const cli_items *items, size_t row, char space[24]);

/* Says where a complaint about one value of an item belongs. */
smerf_status cli_item_position(const cli_items *items, const char *column, size_t row, smerf_error *error);

/* Whether a model can be asked out of bag: a forest whose trees have not seen all items. */
bool cli_has_out_of_bag(const smerf_description *description);

/* Whether the model has learned something of pairs from all of these items. */
bool cli_has_learned_from(const smerf_model *model, const cli_items *items);

/* Says so, and what that makes too good: "the scores are". With --oob there is nothing to say. */
void cli_tell_if_trained_on(const cli_args *args, const smerf_model *model, const cli_items *items, const char *what);

/* ---- targets ---- */

typedef struct cli_target {
    sm_matrix matrix;
    smerf_target *target;
    size_t n_edges, n_left_out; /* with observed pairs: different edges that are among them, and that are not */
    double similarity_max;      /* what similarities were taken from, or weights of edges divided by; 0: neither */
    size_t n_judges;            /* of rated pairs with --judge; else 0 */
    smerf_ceiling ceiling;      /* what their differences say; only with judges */
    sm_dialect dialect;         /* of its file, if it is text */
    const char *source;         /* the file that it was read from */
    char facts[1200];           /* what was read there, in one line */
} cli_target;

bool cli_has_target(const cli_args *args);

/* The end of a line about a file of text: what is unusual in it, as in "; decimal commas". Returns text. */
const char *cli_dialect(const sm_dialect *dialect, char text[80]);

/* Whether a model was trained on edges: all of them, or those among observed pairs. */
bool cli_is_graph(const smerf_description *description);

/* Whether the target options fit together, before any file is read. */
smerf_status cli_check_target_options(const cli_args *args, bool is_optional, smerf_error *error);

/* Exactly one target must be given, unless is_optional: then target->target stays NULL.
 *   columns  NULL: the target is about pairs of rows */
smerf_status cli_read_target(const cli_args *args, const cli_items *rows, const cli_items *columns, bool is_optional,
                             cli_target *target, smerf_error *error);
void cli_free_target(cli_target *target);

/* Says so where --similarity-max makes similarities or weights of edges count otherwise than those the model was trained on. */
void cli_compare_similarities(const cli_args *args, const smerf_model *model, const cli_target *target);

/* ---- following the work ---- */

typedef struct cli_follow {
    const char *what; /* "growing trees" */
    bool is_shown;    /* on a terminal, unless --quiet */
    double started, last_shown;
} cli_follow;

/* From --threads or else OMP_NUM_THREADS; 0: as the machine has. */
smerf_status cli_get_threads(const cli_args *args, size_t *n_threads, smerf_error *error);

/* Fills the run from these and --quiet; *follow must live as long. */
smerf_status cli_start_run(const cli_args *args, const char *what, smerf_run *run, cli_follow *follow,
                           smerf_error *error);
void cli_stop_following(cli_follow *follow); /* wipes the line */

/* One line to standard error once the work is done, or before anything else is said or shown: where the work fails, its error is
 * the only line. Nothing with --quiet. */
void cli_note(const cli_args *args, const char *format, ...) __attribute__((format(printf, 2, 3)));
void cli_show_notes(void);

/* One line to standard error, unless --quiet. */
void cli_say(const cli_args *args, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Says how far distances are drawn towards the mean, if they are because out-of-bag pairs say so. */
void cli_say_shrinkage(const cli_args *args, const smerf_model *model);

/* Whether a file is to be one of NumPy's, by its name. */
bool cli_is_npy(const char *path);

/* "-" is standard output. */
const char *cli_output_name(const char *path);

/* Seconds since some moment. */
double cli_clock(void);

#endif
