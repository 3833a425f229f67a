/* test_pair_target.c - pairs, and graphs of which some pairs are observed, answer every question as double sums over what
 * is known would. */
#include "tests/unit/known_pairs.h"

/* ---- every question, against double sums ---- */

static double slow_fallback(const known *all) {
    double sum = 0, weight = 0, self = 0;
    for (size_t i = 0; i < all->n; i++) {
        self += all->z[i][i] / (double)all->n;
        for (size_t j = 0; j < i; j++) {
            sum += all->omega[i][j] * all->z[i][j];
            weight += all->omega[i][j];
        }
    }
    return weight > 0 ? sum / weight : self;
}

static void check_known(const known *all, const smerf_target *target, uint64_t round) {
    assert_true(target->kind->predicting.may_be_undefined);
    assert_near(target->kind->predicting.fallback(target), slow_fallback(all), 1e-13);
    check_questions(all, target, round);
}

/* As it is, and with another diagonal. */
static void check_target(known *all, smerf_target *target, uint64_t round) {
    check_known(all, target, round);
    target = exchange_diagonal(all, target, 1.25);
    check_known(all, target, round);
    smerf_target_free(target);
}

static void every_request_is_answered_from_the_observed_pairs(void **state) {
    static known all;
    static listed pairs;
    (void)state;
    const size_t sizes[] = {2, 3, 6, 21, 50, MOST_ITEMS, 1};
    for (uint64_t round = 0; round < repetitions(63, 7); round++) { /* sizes and densities take turns */
        sm_random random;
        sm_random_start(&random, round, 0, 3);
        const pairs_plan plan = {.n = sizes[round % 7],
                                 .density = densities[round % 6],
                                 .repeated = 0.3,
                                 .conflicting = 0.5,
                                 .has_weights = round % 2 == 0,
                                 .has_diagonal = round % 3 == 0};
        smerf_pair_facts expected = draw_pairs(&all, &pairs, &plan, &random), facts;
        smerf_target *target = target_of(&pairs, plan.n);
        assert_true(smerf_target_pair_facts(target, &facts));
        assert_memory_equal(&facts, &expected, sizeof facts);
        check_target(&all, target, round);
    }
}

static void every_request_is_answered_from_the_observed_pairs_of_a_graph(void **state) {
    static known all;
    (void)state;
    const size_t sizes[] = {2, 5, 21, 50, MOST_ITEMS};
    for (uint64_t round = 0; round < repetitions(60, 6); round++) {
        sm_random random;
        sm_random_start(&random, round, 1, 3);
        smerf_target *target = draw_observed(&all, sizes[round % 5], densities[round % 6], &random);
        check_target(&all, target, round);
    }
}

/* Weights of pairs at the ends of their range, on top of those of items. */
static void extreme_weights_of_pairs_do_no_harm(void **state) {
    static known all;
    static listed pairs;
    (void)state;
    const double weights[] = {1e-50, 1e-20, 1, 1e20, 1e50};
    for (uint64_t round = 0; round < repetitions(30, 6); round++) {
        sm_random random;
        sm_random_start(&random, round, 2, 3);
        all.n = 2 + sm_random_below(&random, 40);
        listed_start(&pairs, true, true);
        for (size_t i = 0; i < all.n; i++)
            for (size_t j = 0; j <= i; j++) {
                all.z[i][j] = all.z[j][i] = 0;
                all.omega[i][j] = all.omega[j][i] = i == j;
                if (i == j || sm_random_uniform(&random) >= densities[round % 6]) continue;
                all.z[i][j] = all.z[j][i] = draw_eighths(&random) * (round % 4 == 0 ? 1e38 : 1);
                all.omega[i][j] = all.omega[j][i] = weights[sm_random_below(&random, 5)];
                listed_add(&pairs, i, j, all.z[i][j], all.omega[i][j]);
            }
        smerf_target *target = target_of(&pairs, all.n);
        check_questions(&all, target, round);
        smerf_target_free(target);
    }
}

/* ---- backing off ---- */

/* Three leaves of one item each, ((0, 1), 2), and one known pair. */
static void leaves_climb_together_until_something_is_known(void **state) {
    static listed pairs;
    (void)state;
    const uint32_t first[] = {0, 1, 2, 3}, item[] = {0, 1, 2}, parent[] = {0, 0, 1, 1, 0}, node[] = {2, 3, 4};
    const uint32_t first_leaf[] = {0, 0, 0, 1, 2}, end_leaf[] = {3, 2, 1, 2, 3};
    const double weight[] = {1, 2, 3};
    sm_leaves leaves = {.n = 3,
                        .first = first,
                        .item = item,
                        .weight = weight,
                        .total = weight,
                        .n_nodes = 5,
                        .parent = parent,
                        .first_leaf = first_leaf,
                        .end_leaf = end_leaf,
                        .node = node};
    listed_start(&pairs, true, false);
    listed_add(&pairs, 0, 2, 5, 1);
    listed_add(&pairs, 1, 1, 0.5, 1);
    smerf_target *target = target_of(&pairs, 3);
    void *summary = target->kind->predicting.summarise(target, &leaves);
    leaves.summary = summary;
    double row[3], scratch[3];
    target->kind->predicting.leaf_row(target, &leaves, 1, row, scratch);
    assert_true(row[0] == 5);   /* nothing in {0, 1}, twice; then the root */
    assert_true(row[1] == 0.5); /* of item 1 and itself */
    assert_true(row[2] == 5);   /* {0, 1} against all */
    assert_true(target->kind->predicting.leaf_pair(target, &leaves, 0, 2) == 5);
    assert_true(isnan(target->kind->predicting.mean_apart(target, &leaves, 0, 2)));
    assert_true(target->kind->predicting.mean_apart(target, &leaves, 0, 3) == 5);
    target->kind->predicting.summary_free(summary);
    smerf_target_free(target);

    pairs.list.n = 0; /* nothing is known of two items */
    target = target_of(&pairs, 3);
    leaves.summary = summary = target->kind->predicting.summarise(target, &leaves);
    target->kind->predicting.leaf_row(target, &leaves, 1, row, scratch);
    assert_true(isnan(row[0]) && row[1] == 0 && isnan(row[2]));
    assert_true(isnan(target->kind->predicting.leaf_pair(target, &leaves, 2, 0)));
    assert_true(target->kind->predicting.leaf_pair(target, &leaves, 2, 2) == 0);
    assert_true(target->kind->predicting.fallback(target) == 0);
    target->kind->predicting.summary_free(summary);
    smerf_target_free(target);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_request_is_answered_from_the_observed_pairs),
        cmocka_unit_test(every_request_is_answered_from_the_observed_pairs_of_a_graph),
        cmocka_unit_test(extreme_weights_of_pairs_do_no_harm),
        cmocka_unit_test(leaves_climb_together_until_something_is_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
