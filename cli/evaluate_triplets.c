/* evaluate_triplets.c - how often a model's distances are in the order that triplets say, as lines and as JSON. */
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "evaluate.h"

static const double log_2 = 0.69314718055994530942;

/* The scores, by the names that are written. */
typedef struct named_score {
    const char *name;
    double value, by_chance; /* NaN: there is none */
} named_score;

enum { N_TRIPLET_SCORES = 3 };

static void name_scores(const smerf_triplet_scores *found, named_score scores[N_TRIPLET_SCORES]) {
    scores[0] = (named_score){"in-order", found->in_order, 0.5};
    scores[1] = (named_score){"standard-error", found->standard_error, NAN};
    scores[2] = (named_score){"log-loss", found->log_loss, log_2};
}

static const char *why_not(const smerf_triplet_scores *found, size_t which) {
    if (found->n_comparisons == 0) return "no comparison has both of its distances predicted";
    return which == 1 ? "there is one comparison"
                      : "the distances are no log-odds, as they were not learned from triplets";
}

static void put_lines(const named_score *scores, bool is_short, sm_output *output) {
    for (size_t k = 0; k < N_TRIPLET_SCORES; k++) {
        if (isnan(scores[k].value)) continue;
        sm_output_print(output, "%s ", scores[k].name);
        if (is_short)
            sm_output_print(output, "%.4g", scores[k].value);
        else
            sm_put_number(output, scores[k].value);
        sm_output_print(output, "\n");
    }
}

static void put_json_triplets(const smerf_triplet_scores *found, const named_score *scores, sm_output *output) {
    const char *separator = "";
    sm_output_print(output, "{");
    for (size_t k = 0; k < N_TRIPLET_SCORES; k++) {
        sm_output_print(output, "\"%s\": ", scores[k].name);
        sm_put_json_number(output, scores[k].value);
        sm_output_print(output, ", ");
    }
    sm_output_print(output, "\"by_chance\": {");
    for (size_t k = 0; k < N_TRIPLET_SCORES; k++) {
        if (isnan(scores[k].value) || isnan(scores[k].by_chance)) continue;
        sm_output_print(output, "%s\"%s\": ", separator, scores[k].name);
        sm_put_json_number(output, scores[k].by_chance);
        separator = ", ";
    }
    sm_output_print(output, "}, \"why_not\": {");
    separator = "";
    for (size_t k = 0; k < N_TRIPLET_SCORES; k++) {
        if (!isnan(scores[k].value)) continue;
        sm_output_print(output, "%s\"%s\": ", separator, scores[k].name);
        sm_put_json_string(output, why_not(found, k));
        separator = ", ";
    }
    sm_output_print(output, "}, \"comparisons\": {\"scored\": %zu, \"ties\": %zu, \"not_predicted\": %zu}}\n",
                    found->n_comparisons, found->n_ties, found->n_unpredicted);
}

static void tell_triplets(const cli_args *args, const smerf_triplet_scores *found, const named_score *scores) {
    char comparisons[40];
    cli_count(found->n_comparisons, "comparison", comparisons);
    if (found->n_unpredicted > 0)
        cli_say(args, "%s scored; %zu left out: %s", comparisons, found->n_unpredicted,
                cli_has(args, "--oob") ? "never out of bag" : "not predicted");
    else
        cli_say(args, "%s scored", comparisons);
    if (found->n_ties > 0) cli_say(args, "%zu of them at equal distances, which are half right", found->n_ties);
    for (size_t k = 0; k < N_TRIPLET_SCORES; k++)
        if (isnan(scores[k].value)) cli_say(args, "no %s: %s", scores[k].name, why_not(found, k));
    if (isnan(scores[0].value)) return;
    if (isnan(scores[2].value))
        cli_say(args, "by chance: in-order 0.5");
    else
        cli_say(args, "by chance: in-order 0.5, log-loss %.4g", log_2);
}

smerf_status cli_check_triplet_options(const cli_args *args, smerf_error *error) {
    static const char *const others[] = {"--against", "--metrics", "-k", "--permutations", "--confusion"};
    for (size_t k = 0; k < sizeof others / sizeof *others && cli_has(args, "--triplets"); k++)
        if (cli_has(args, others[k]))
            return cli_fail(args, error,
                            "%s makes no sense with --triplets, which only say which of two distances is larger",
                            others[k]);
    return SMERF_OK;
}

smerf_status cli_score_triplets(const cli_args *args, const smerf_request *request, const cli_target *truth,
                                const smerf_model *model, smerf_error *error) {
    cli_follow follow;
    smerf_run run;
    smerf_triplet_scores found = SMERF_INIT(smerf_triplet_scores);
    named_score scores[N_TRIPLET_SCORES];
    const char *path = cli_get_output(args) != NULL ? cli_get_output(args) : "-";
    smerf_status status = cli_start_run(args, "evaluating", &run, &follow, error);
    if (status != SMERF_OK) return status;
    status = smerf_evaluate_triplets(model, request, truth->target, &run, &found, error);
    cli_stop_following(&follow);
    sm_output *output;
    if (status == SMERF_OK) status = sm_text_output_open(path, &output, error);
    if (status != SMERF_OK) return status;
    name_scores(&found, scores);
    if (cli_has(args, "--json"))
        put_json_triplets(&found, scores, output);
    else
        put_lines(scores, strcmp(path, "-") == 0 && isatty(STDOUT_FILENO), output);
    status = sm_output_finish(output, error);
    if (status == SMERF_OK) tell_triplets(args, &found, scores);
    return status;
}
