/* learn.c - a whole program: learns a distance from a few pairs of numbers, asks for one that it has never seen.
 *
 *   cc learn.c $(pkg-config --cflags --libs smerf) -o learn && ./learn */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <smerf.h>

enum { N_ITEMS = 60 };

static void check(smerf_status status, const smerf_error *error) {
    if (status == SMERF_OK) return;
    fprintf(stderr, "%s\n", error->message);
    exit(1);
}

int main(void) {
    /* Items on a spiral. People who compare them mind the angle only, but that is for smerf to find out. */
    double angle[N_ITEMS], radius[N_ITEMS];
    float z[N_ITEMS * N_ITEMS];
    for (int i = 0; i < N_ITEMS; i++) {
        angle[i] = i * 0.1;
        radius[i] = (double)(i * 7919 % N_ITEMS);
    }
    for (int i = 0; i < N_ITEMS; i++)
        for (int j = 0; j < N_ITEMS; j++) z[i * N_ITEMS + j] = (float)fabs(angle[i] - angle[j]);

    /* Two columns of features, one matrix of distances. */
    smerf_error error;
    const smerf_column columns[] = {{.name = "angle", .kind = SMERF_NUMBER, .values = angle},
                                    {.name = "radius", .kind = SMERF_NUMBER, .values = radius}};
    smerf_items *items = NULL;
    smerf_target *target = NULL;
    check(smerf_items_new(columns, 2, N_ITEMS, &items, &error), &error);
    check(smerf_target_new_distances(z, N_ITEMS, &target, &error), &error);

    /* Learn. */
    smerf_options options;
    smerf_model *model = NULL;
    smerf_options_default(&options);
    options.n_trees = 100;
    check(smerf_fit(items, target, &options, NULL, &model, &error), &error);

    /* How good is it on pairs that a tree has not seen, and which feature matters? */
    smerf_scores scores = SMERF_INIT(smerf_scores);
    double importance[2];
    smerf_request training = SMERF_INIT(smerf_request, .rows = items, .out_of_bag = true);
    check(smerf_evaluate(model, &training, NULL, 0, NULL, &scores, &error), &error);
    check(smerf_importance_gain(model, importance, &error), &error);
    printf("out-of-bag rmse %.3f, spearman %.3f\n", scores.value[SMERF_RMSE], scores.value[SMERF_SPEARMAN]);
    printf("importance: angle %.3f, radius %.3f\n", importance[0], importance[1]);

    /* Two new items, and their distance. */
    const double new_angle[] = {1.05, 4.02}, new_radius[] = {3, 50};
    const smerf_column new_columns[] = {{.name = "angle", .kind = SMERF_NUMBER, .values = new_angle},
                                        {.name = "radius", .kind = SMERF_NUMBER, .values = new_radius}};
    const uint32_t left[] = {0}, right[] = {1};
    smerf_items *new_items = NULL;
    double distance;
    check(smerf_items_new(new_columns, 2, 2, &new_items, &error), &error);
    smerf_request request = SMERF_INIT(smerf_request, .rows = new_items);
    smerf_pair_list pairs = {.n = 1, .left = left, .right = right};
    smerf_pair_result result = SMERF_INIT(smerf_pair_result, .distance = &distance);
    check(smerf_predict_pairs(model, &request, &pairs, NULL, &result, &error), &error);
    printf("predicted distance %.2f, true distance %.2f\n", distance, new_angle[1] - new_angle[0]);

    smerf_items_free(new_items);
    smerf_model_free(model);
    smerf_target_free(target);
    smerf_items_free(items);
    return 0;
}
