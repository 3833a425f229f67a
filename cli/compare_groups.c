/* compare_groups.c - the column of --groups, and what is said of a comparison. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "compare.h"

/* ---- groups ---- */

static smerf_status check_group_column(const cli_groups *groups, const char *path, smerf_error *error) {
    const sm_table *table = &groups->table;
    for (size_t i = 0; i < table->n_rows; i++) {
        if (table->columns[0].codes[i] != SMERF_MISSING) continue;
        error->status = SMERF_BAD_INPUT;
        snprintf(error->message, sizeof error->message, "a missing value; every item belongs to a group");
        return sm_table_position(path, groups->column, i, error);
    }
    return SMERF_OK;
}

smerf_status cli_read_groups(const cli_args *args, const char *path, cli_groups *groups, smerf_error *error) {
    *groups = (cli_groups){.column = cli_get(args, "--groups")};
    if (groups->column == NULL) return SMERF_OK;
    if (strcmp(path, "-") == 0)
        return cli_fail(args, error,
                        "--groups reads ITEMS once more, and standard input can be read once: save it as a "
                        "file");
    const sm_table_spec spec = {.only_known = true,
                                .categories = &groups->column,
                                .n_categories = 1,
                                .id = cli_get(args, "--id"),
                                .id_may_be_absent = true};
    smerf_status status = sm_table_read(path, &spec, &groups->table, error);
    if (status != SMERF_OK) return status;
    groups->n = groups->table.columns[0].n_levels;
    return check_group_column(groups, path, error);
}

void cli_free_groups(cli_groups *groups) {
    sm_table_free(&groups->table);
    *groups = (cli_groups){0};
}

/* ---- what is said ---- */

/* Methods that differ from the best by no more than the standard error of the difference, in a list. */
static size_t list_near_best(const cli_comparison *done, char *text, size_t space) {
    size_t n = 0, length = 0;
    for (unsigned m = 0; m < SMERF_N_METHODS; m++) {
        const smerf_method_scores *standing = &done->scores[m];
        const smerf_mean_score *difference = cli_compared_difference(standing, done->main);
        if (!standing->applies || !(difference->standard_error > 0)) continue;
        if (fabs(difference->mean) > difference->standard_error || length >= space) continue;
        length += (size_t)snprintf(text + length, space - length, "%s%s", n++ > 0 ? ", " : "",
                                   smerf_method_name((smerf_method)m));
    }
    return n;
}

/* No division has enough partners for it. */
static bool lacks_precision(const cli_comparison *done) {
    if ((done->metrics & SMERF_HAS(SMERF_MAP10)) == 0) return false;
    for (unsigned m = 0; m < SMERF_N_METHODS; m++)
        if (done->scores[m].applies && !isnan(done->scores[m].score[SMERF_MAP10].mean)) return false;
    return true;
}

static void tell_certainty(const cli_args *args, const cli_comparison *done, size_t n_methods) {
    char near_best[200];
    const char *metric = cli_compared_name(done->main);
    if (done->n_rounds < 2 || n_methods < 2) return;
    if (list_near_best(done, near_best, sizeof near_best) == 0)
        cli_say(args, "by %s every method is further from the best than the standard error of the difference", metric);
    else
        cli_say(args,
                "by %s these are within a standard error of the best, and cannot be told from it: %s; --repeats N "
                "divides the data more often",
                metric, near_best);
}

void cli_tell_comparison(const cli_args *args, const cli_comparison *done, double seconds) {
    char methods[40], repeats[40], folds[60] = "", why[CLI_SENTENCE_SPACE];
    size_t n = 0, n_folds = done->plan.n_folds;
    for (unsigned m = 0; m < SMERF_N_METHODS; m++) {
        const smerf_method_scores *standing = &done->scores[m];
        n += standing->applies;
        if (!standing->applies && standing->refusal.status != SMERF_OK)
            cli_say(args, "%s is left out: %s", smerf_method_name((smerf_method)m),
                    cli_sentence(&standing->refusal, why));
    }
    if (done->groups.column != NULL)
        cli_say(args, "%zu groups by column '%s' stay together", done->groups.n, done->groups.column);
    if (n_folds > 0) snprintf(folds, sizeof folds, "%zu folds and ", n_folds);
    cli_say(args, "compared %s over %s%s in %.1f s", cli_count(n, "method", methods), folds,
            cli_count(done->n_rounds / (n_folds > 0 ? n_folds : 1), "repeat", repeats), seconds);
    if (lacks_precision(done))
        cli_say(args, "no map@10: a test item has fewer than %d partners, of which ten are relevant",
                SMERF_FEWEST_PARTNERS);
    tell_certainty(args, done, n);
}
