/* evaluate.h - what the files of smerf evaluate share: cmd_evaluate.c is the command, evaluate_scores.c has the library find the
 * scores and says why one is not there, evaluate_result.c writes them. docs/scores.md has what each of them is. */
#ifndef CLI_EVALUATE_H
#define CLI_EVALUATE_H

#include "common.h"

/* Those of smerf_metric first, with their numbers, and then the others in the order in which they are written. */
typedef enum cli_score_id {
    CLI_RMSE_OF_THE_MEAN = SMERF_N_METRICS,
    CLI_VARIANCE_EXPLAINED,
    CLI_RECALL,
    CLI_NDCG,
    CLI_MANTEL_PEARSON,
    CLI_MANTEL_PEARSON_P,
    CLI_MANTEL_SPEARMAN,
    CLI_MANTEL_SPEARMAN_P,
    CLI_ACCURACY,
    CLI_LOG_LOSS,
    CLI_R_SQUARED,
    CLI_CEILING_RMSE,
    CLI_CEILING_SPEARMAN,
    CLI_N_SCORES
} cli_score_id;

typedef struct cli_score {
    char name[32];
    double value;      /* NaN: there is none, */
    char why_not[160]; /* for this reason */
    double by_chance;  /* NaN: chance says nothing */
} cli_score;

/* What the options ask for, and what was found. */
typedef struct cli_evaluation {
    const smerf_model *model;
    unsigned wanted; /* scores, a sum of SMERF_HAS(id); 0: all that the target has */
    cli_score_id order[CLI_N_SCORES];
    size_t n;       /* scores in order: as asked for, and in the end all that are written */
    bool are_named; /* by --metrics */
    size_t n_nearest, n_permutations, seed;
    cli_score score[CLI_N_SCORES];
    smerf_scores pairs;
    smerf_value_scores values;
    smerf_correlation correlation;
    size_t n_items;    /* that correlations are about: on both sides, if there are two */
    size_t *confusion; /* [n_classes + 1][n_classes] or NULL */
    size_t n_classes;
} cli_evaluation;

void cli_want_score(cli_evaluation *all, unsigned id);
void cli_free_evaluation(cli_evaluation *all);

/* A score's number by its name: "recall@k" and "ndcg@k" with any number for k, which is kept. CLI_N_SCORES: there is none. */
unsigned cli_find_score(cli_evaluation *all, const char *name);

/* Has the library find the scores that are wanted.
 *   truth        without a target: what the model was trained on
 *   has_values   the truth is what the model predicts of single items */
smerf_status cli_find_scores(const cli_args *args, const smerf_request *request, const cli_target *truth,
                             bool has_values, cli_evaluation *all, smerf_error *error);

/* Writes them: to a terminal with four digits, else with all. */
smerf_status cli_put_scores(const cli_args *args, const cli_evaluation *all, smerf_error *error);

/* The table of labels, true and predicted, to the file of --confusion. */
smerf_status cli_put_confusion(const cli_args *args, const cli_evaluation *all, smerf_error *error);

/* How much was scored, what was left out and why, and what chance gives. */
void cli_tell_scores(const cli_args *args, const cli_evaluation *all);

/* ---- evaluate_triplets.c ---- */

/* Refuses what is about distances, where there are triplets. */
smerf_status cli_check_triplet_options(const cli_args *args, smerf_error *error);

/* Has the library score the order of distances, writes the scores and tells what they are worth.   truth  of triplets */
smerf_status cli_score_triplets(const cli_args *args, const smerf_request *request, const cli_target *truth,
                                const smerf_model *model, smerf_error *error);

#endif
