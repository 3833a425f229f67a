/* compare_result.c - a comparison as a table, and as JSON. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "compare.h"

const char *cli_compared_name(unsigned score) {
    return score == CLI_IN_ORDER ? "in-order" : smerf_metric_name((smerf_metric)score);
}

const smerf_mean_score *cli_compared_mean(const smerf_method_scores *of, unsigned score) {
    return score == CLI_IN_ORDER ? &of->in_order : &of->score[score];
}

const smerf_mean_score *cli_compared_difference(const smerf_method_scores *of, unsigned score) {
    return score == CLI_IN_ORDER ? &of->in_order_difference : &of->difference[score];
}

static bool is_better(double score, double best, unsigned metric) {
    if (isnan(score)) return false;
    bool rises = metric == CLI_IN_ORDER || smerf_metric_rises((smerf_metric)metric);
    return isnan(best) || (rises ? score > best : score < best);
}

static double best_mean(const cli_comparison *done, unsigned metric) {
    double best = NAN;
    for (unsigned m = 0; m < SMERF_N_METHODS; m++) {
        const smerf_method_scores *standing = &done->scores[m];
        double mean = cli_compared_mean(standing, metric)->mean;
        if (standing->applies && is_better(mean, best, metric)) best = mean;
    }
    return best;
}

/* ---- the table ---- */

enum { CELL_SPACE = 64, NAME_WIDTH = 12 };

/* What stands after a score: the best, one that differs from it by no more than the standard error of the difference. */
static const char *mark_of(const smerf_method_scores *standing, unsigned metric, double best) {
    const smerf_mean_score *difference = cli_compared_difference(standing, metric);
    if (cli_compared_mean(standing, metric)->mean == best) return " *";
    return fabs(difference->mean) <= difference->standard_error ? " ~" : "";
}

/* Two digits of the standard error, and as many of the mean as these leave sense in. */
static void write_cell(double mean, double standard_error, const char *mark, char text[CELL_SPACE]) {
    if (isnan(mean)) {
        snprintf(text, CELL_SPACE, "-");
    } else if (!(standard_error > 0)) {
        snprintf(text, CELL_SPACE, "%.4g%s%s", mean, standard_error == 0 ? " +- 0" : "", mark);
    } else if (standard_error < 1e-6 || fabs(mean) >= 1e6 || standard_error >= 1e6) {
        snprintf(text, CELL_SPACE, "%.4g +- %.2g%s", mean, standard_error, mark);
    } else {
        int decimals = (int)fmax(0, 1 - floor(log10(standard_error)));
        snprintf(text, CELL_SPACE, "%.*f +- %.*f%s", decimals, mean, decimals, standard_error, mark);
    }
}

static void write_column(const cli_comparison *done, unsigned metric, char cells[SMERF_N_METHODS][CELL_SPACE]) {
    double best = best_mean(done, metric);
    for (unsigned m = 0; m < SMERF_N_METHODS; m++) {
        const smerf_method_scores *standing = &done->scores[m];
        const smerf_mean_score *score = cli_compared_mean(standing, metric);
        cells[m][0] = '\0';
        if (standing->applies)
            write_cell(score->mean, score->standard_error, mark_of(standing, metric, best), cells[m]);
    }
}

static int width_of(char cells[SMERF_N_METHODS][CELL_SPACE], const char *name) {
    size_t width = strlen(name);
    for (unsigned m = 0; m < SMERF_N_METHODS; m++)
        if (strlen(cells[m]) > width) width = strlen(cells[m]);
    return (int)width;
}

void cli_put_comparison(sm_output *output, const cli_comparison *done) {
    static char cells[CLI_N_COMPARED][SMERF_N_METHODS][CELL_SPACE];
    int width[CLI_N_COMPARED];
    sm_output_print(output, "%-*s", NAME_WIDTH, "method");
    for (unsigned k = 0; k < CLI_N_COMPARED; k++) {
        if ((done->metrics & SMERF_HAS(k)) == 0) continue;
        write_column(done, k, cells[k]);
        width[k] = width_of(cells[k], cli_compared_name(k));
        sm_output_print(output, "  %-*s", width[k], cli_compared_name(k));
    }
    sm_output_print(output, "  seconds\n");
    for (unsigned m = 0; m < SMERF_N_METHODS; m++) {
        if (!done->scores[m].applies) continue;
        sm_output_print(output, "%-*s", NAME_WIDTH, smerf_method_name((smerf_method)m));
        for (unsigned k = 0; k < CLI_N_COMPARED; k++)
            if (done->metrics & SMERF_HAS(k)) sm_output_print(output, "  %-*s", width[k], cells[k][m]);
        sm_output_print(output, "  %7.1f\n", done->scores[m].seconds);
    }
}

/* ---- JSON ---- */

typedef const smerf_mean_score *(*compared_score)(const smerf_method_scores *of, unsigned score);

static void put_json_scores(sm_output *output, const cli_comparison *done, const smerf_method_scores *of,
                            compared_score find) {
    for (unsigned k = 0; k < CLI_N_COMPARED; k++) {
        if ((done->metrics & SMERF_HAS(k)) == 0) continue;
        sm_output_print(output, ", \"%s\": {\"mean\": ", cli_compared_name(k));
        sm_put_json_number(output, find(of, k)->mean);
        sm_output_print(output, ", \"se\": ");
        sm_put_json_number(output, find(of, k)->standard_error);
        sm_output_print(output, "}");
    }
}

/* The methods that take part, with their scores or by how much these differ from the best; or those that were left out. */
typedef enum json_part { SCORES, DIFFERENCES, LEFT_OUT } json_part;

static void put_json_methods(sm_output *output, const cli_comparison *done, json_part part) {
    bool take_part = part != LEFT_OUT;
    const char *separator = "";
    for (unsigned m = 0; m < SMERF_N_METHODS; m++) {
        const smerf_method_scores *standing = &done->scores[m];
        if (standing->applies != take_part || (!take_part && standing->refusal.status == SMERF_OK)) continue;
        sm_output_print(output, "%s\n  {\"method\": \"%s\"", separator, smerf_method_name((smerf_method)m));
        separator = ",";
        if (take_part) {
            put_json_scores(output, done, standing, part == DIFFERENCES ? cli_compared_difference : cli_compared_mean);
        } else {
            char why[CLI_SENTENCE_SPACE];
            sm_output_print(output, ", \"why\": ");
            sm_put_json_string(output, cli_sentence(&standing->refusal, why));
        }
        sm_output_print(output, "}");
    }
}

void cli_put_json_comparison(sm_output *output, const cli_comparison *done) {
    const smerf_comparison *plan = &done->plan;
    bool tunes = plan->tunes && done->main != CLI_IN_ORDER; /* no method that takes triplets has anything to choose */
    const char *quote = tunes ? "\"" : "";
    sm_output_print(output, "{\"by\": \"%s\", \"train\": ", plan->by_pairs ? "pairs" : "nodes");
    sm_put_json_number(output, plan->train_fraction);
    if (plan->n_folds > 0) sm_output_print(output, ", \"folds\": %zu", plan->n_folds);
    sm_output_print(output, ", \"repeats\": %zu, \"seed\": %llu, \"tuned_by\": %s%s%s,\n \"methods\": [",
                    done->n_rounds / (plan->n_folds > 0 ? plan->n_folds : 1), (unsigned long long)plan->options->seed,
                    quote, tunes ? smerf_metric_name(plan->metric) : "null", quote);
    put_json_methods(output, done, SCORES);
    sm_output_print(output, "],\n \"left_out\": [");
    put_json_methods(output, done, LEFT_OUT);
    sm_output_print(output, "],\n \"differences\": [");
    put_json_methods(output, done, DIFFERENCES);
    sm_output_print(output, "]}\n");
}
