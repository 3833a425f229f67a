/* network_figures.c - link prediction in pictures: as the paper shows it, all methods on the same pairs, and
 * pairs of a known and a new node. */
#include <stdio.h>

#include "network.h"

static const cli_figure_metric metrics[] = {{.name = "auc-roc", .title = "AUC-ROC"},
                                            {.name = "auc-pr", .title = "AUC-PR"}};

static const cli_figure_line as_in_the_paper[] = {{"smerf", "nodes", "SMERF, new nodes", SM_BLUE_CIRCLE},
                                                  {"narm", "nodes", "NARM, new nodes", SM_ORANGE_TRIANGLE},
                                                  {"epm", "pairs", "EPM, hidden pairs", SM_GREEN_TRIANGLE}};

static const cli_figure_line same_pairs[] = {{"smerf", "pairs", "SMERF", SM_BLUE_CIRCLE},
                                             {"narm", "pairs", "NARM", SM_ORANGE_TRIANGLE},
                                             {"epm", "pairs", "EPM", SM_GREEN_TRIANGLE}};

static const cli_figure_line across[] = {{"smerf", "nodes-across", "SMERF", SM_BLUE_CIRCLE},
                                         {"narm", "nodes-across", "NARM", SM_ORANGE_TRIANGLE}};

static const struct {
    const char *file, *title, *what;
    const cli_figure_line *lines;
    size_t n_lines;
} figures[] = {
    {"networks", "Link prediction", "Scored on pairs of two new nodes (SMERF, NARM) or on hidden pairs (EPM)",
     as_in_the_paper, 3},
    {"networks-pairs", "Link prediction: the same hidden pairs for every method", "Scored on the hidden pairs",
     same_pairs, 3},
    {"networks-across", "Link prediction: a known and a new node", "Scored on pairs of a training and a test node",
     across, 2},
};

smerf_status cli_draw_networks(const cli_study *study, const cli_figure_data *networks, size_t n_networks,
                               smerf_error *error) {
    smerf_status status = SMERF_OK;
    for (size_t k = 0; k < sizeof figures / sizeof *figures && status == SMERF_OK; k++) {
        char text[200], repeats[40];
        snprintf(text, sizeof text, "%s; mean of %s, bars: standard deviation.", figures[k].what,
                 cli_count(study->n_repeats, "repeat", repeats));
        const cli_figure figure = {.file = figures[k].file,
                                   .title = figures[k].title,
                                   .note = text,
                                   .data = networks,
                                   .n_data = n_networks,
                                   .metrics = metrics,
                                   .n_metrics = 2,
                                   .lines = figures[k].lines,
                                   .n_lines = figures[k].n_lines,
                                   .x = {.title = "share of the nodes trained on", .from = 0.05, .to = 0.95},
                                   .bar = SM_STANDARD_DEVIATION,
                                   .panel_width = 260,
                                   .panel_height = 190};
        status = cli_study_draw_figure(study, &figure, error);
    }
    return status;
}
