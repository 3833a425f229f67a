/* similarities.c - what similarities are taken from (z = largest - q), and weights of edges divided by (z = 1 - weight / largest):
 * one number, which a model remembers, so that what it is asked about counts as what it has learned from. */
#include <string.h>

#include "targets.h"

bool cli_is_graph(const smerf_description *description) {
    return strcmp(description->target, "graph") == 0 || strcmp(description->target, "observed") == 0;
}

/* What those of a model were taken from or divided by; 0: it was not trained on the like. */
static double largest_in_model(const smerf_model *model, bool is_graph) {
    smerf_description description = SMERF_INIT(smerf_description);
    smerf_model_describe(model, &description, NULL);
    if (cli_is_graph(&description) != is_graph) return 0;
    return description.from_similarities ? description.largest_similarity : is_graph;
}

smerf_status cli_choose_largest(const cli_args *args, const cli_sides *of, bool is_graph, double *largest,
                                smerf_error *error) {
    smerf_status status = cli_get_number(args, "--similarity-max", largest, error);
    if (status != SMERF_OK) return status;
    if (cli_has(args, "--similarity-max"))
        return is_graph && *largest <= 0
                   ? cli_fail(args, error, "--similarity-max %s: weights of edges are divided by a number > 0",
                              cli_get(args, "--similarity-max"))
                   : SMERF_OK;
    double in_model = of->rows->model != NULL ? largest_in_model(of->rows->model, is_graph) : 0;
    if (in_model != 0) *largest = in_model;
    return SMERF_OK;
}

void cli_note_largest(const cli_args *args, const cli_sides *of, double largest, cli_target *target) {
    bool is_graph = cli_has(args, "--edges"), is_given = cli_has(args, "--similarity-max");
    bool is_of_model = !is_given && of->rows->model != NULL && largest_in_model(of->rows->model, is_graph) != 0;
    char number[SM_NUMBER_SPACE];
    cli_show_number(largest, number);
    smerf_target_note_similarities(target->target, largest);
    target->similarity_max = largest;
    if (!is_graph)
        cli_add_fact(target, "; distances are %s - similarity%s", number, is_of_model ? ", as in the model" : "");
    else
        cli_add_fact(target, "; weights are divided by %s%s", number,
                     is_of_model ? ", as in the model"
                     : is_given  ? ""
                                 : ", the largest (--similarity-max 1 leaves them as they are)");
}

void cli_compare_similarities(const cli_args *args, const smerf_model *model, const cli_target *target) {
    bool is_graph = cli_has(args, "--edges");
    double in_model = largest_in_model(model, is_graph);
    double here = target->similarity_max == 0 && is_graph ? 1 : target->similarity_max;
    char numbers[2][SM_NUMBER_SPACE];
    if (target->target == NULL || here == 0 || in_model == 0 || here == in_model) return;
    cli_show_number(here, numbers[0]);
    cli_show_number(in_model, numbers[1]);
    if (is_graph)
        cli_say(args, "weights are divided by %s here, and by %s in the model; --similarity-max %s makes them alike",
                numbers[0], numbers[1], numbers[1]);
    else
        cli_say(args, "distances are %s - q here, and the model's are %s - q; --similarity-max %s makes them alike",
                numbers[0], numbers[1], numbers[1]);
}
