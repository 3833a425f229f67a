/* test_ceiling.c - ratings by several judges, by hand; against NumPy they are compared in tests/paper/test_ceiling.py. */
#include "tests/unit/scarce_memory.h"

#include <math.h>

enum { N_PAIRS = 6, MOST_JUDGES = 20, MOST = N_PAIRS * MOST_JUDGES };

/* All pairs of four items, each rated by every judge. */
typedef struct panel {
    uint32_t left[MOST], right[MOST], judge[MOST];
    double value[MOST], weight[MOST];
    smerf_ratings ratings;
} panel;

/* Judge j says p + spread * ((5 p + 3 j) mod 4) of pair p. */
static void make_panel(panel *all, size_t n_judges, double spread) {
    static const uint32_t ends[N_PAIRS][2] = {{0, 1}, {0, 2}, {3, 0}, {1, 2}, {3, 1}, {2, 3}};
    size_t n = 0;
    for (size_t j = 0; j < n_judges; j++)
        for (size_t p = 0; p < N_PAIRS; p++, n++) {
            all->left[n] = ends[p][j % 2];
            all->right[n] = ends[p][1 - j % 2];
            all->judge[n] = (uint32_t)j;
            all->value[n] = (double)p + spread * (double)((5 * p + 3 * j) % 4);
            all->weight[n] = 2;
        }
    all->ratings =
        SMERF_INIT(smerf_ratings, .pairs = {.n = n, .left = all->left, .right = all->right, .value = all->value},
                   .judge = all->judge, .n_judges = n_judges, .n_items = 4);
}

static smerf_ceiling find(const smerf_ratings *ratings) {
    smerf_ceiling ceiling = SMERF_INIT(smerf_ceiling);
    smerf_error error;
    if (smerf_ratings_ceiling(ratings, &ceiling, &error) != SMERF_OK) fail_msg("%s", error.message);
    return ceiling;
}

static void judges_who_agree_leave_nothing_to_be_wished(void **state) {
    (void)state;
    panel all;
    for (size_t n_judges = 2; n_judges <= MOST_JUDGES; n_judges += 3) {
        make_panel(&all, n_judges, 0);
        const smerf_ceiling ceiling = find(&all.ratings);
        assert_true(ceiling.rmse == 0 && fabs(ceiling.spearman - 1) < 1e-15 && fabs(ceiling.reliability - 1) < 1e-15);
        assert_true(ceiling.n_pairs == N_PAIRS && ceiling.fewest_judges == n_judges && ceiling.most_judges == n_judges);
    }
}

static void the_error_of_a_mean_is_that_of_a_judge_over_their_number(void **state) {
    (void)state;
    panel all;
    make_panel(&all, 2, 0);
    for (size_t p = 0; p < N_PAIRS; p++) all.value[p] += 2; /* s^2 = 2, of a mean 1 */
    assert_true(find(&all.ratings).rmse == 1);
    all.ratings.pairs.weight = all.weight; /* that are equal */
    assert_true(find(&all.ratings).rmse == 1);
    for (size_t p = 0; p < N_PAIRS; p++) all.weight[p] = 6; /* 2 (36 + 4) / 8^2 */
    assert_true(fabs(find(&all.ratings).rmse - sqrt(1.25)) < 1e-15);
}

static void one_rating_of_a_pair_says_nothing(void **state) {
    (void)state;
    panel all;
    make_panel(&all, 1, 1);
    smerf_ceiling ceiling = find(&all.ratings);
    assert_true(isnan(ceiling.rmse) && isnan(ceiling.spearman) && isnan(ceiling.reliability));
    for (size_t p = 0; p < N_PAIRS; p++) all.judge[p] = (uint32_t)p % 3; /* several judges, but one of a pair */
    all.ratings.n_judges = 3;
    ceiling = find(&all.ratings);
    assert_true(isnan(ceiling.rmse) && isnan(ceiling.spearman) && ceiling.most_judges == 1);
    all.ratings.pairs.n = 0;
    ceiling = find(&all.ratings);
    assert_true(isnan(ceiling.rmse) && ceiling.n_pairs == 0 && ceiling.most_judges == 0);
}

static void the_order_of_ratings_does_not_matter(void **state) {
    (void)state;
    panel all, turned;
    make_panel(&all, 12, 2);
    make_panel(&turned, 12, 2);
    size_t n = all.ratings.pairs.n;
    for (size_t k = 0; k < n; k++) {
        turned.left[k] = all.right[n - 1 - k];
        turned.right[k] = all.left[n - 1 - k];
        turned.value[k] = all.value[n - 1 - k];
        turned.judge[k] = all.judge[n - 1 - k];
    }
    const smerf_ceiling one = find(&all.ratings), other = find(&turned.ratings), again = find(&all.ratings);
    assert_true(one.spearman > 0 && one.spearman < 1 && one.rmse > 0);
    assert_true(fabs(one.rmse - other.rmse) < 1e-12 && fabs(one.spearman - other.spearman) < 1e-12);
    assert_true(one.rmse == again.rmse && one.spearman == again.spearman);
}

static void correlations_may_be_averaged_over_some_items(void **state) {
    (void)state;
    panel all;
    make_panel(&all, 4, 2);
    double of_all = find(&all.ratings).spearman;
    all.ratings.n_rows = 4;
    assert_true(find(&all.ratings).spearman == of_all);
    all.ratings.n_rows = 1;
    assert_true(find(&all.ratings).spearman != of_all);
}

static void ratings_that_make_no_sense_are_refused(void **state) {
    (void)state;
    panel all;
    smerf_ceiling ceiling = SMERF_INIT(smerf_ceiling);
    smerf_error error;
    make_panel(&all, 3, 1);
    all.judge[7] = 3;
    assert_int_equal(smerf_ratings_ceiling(&all.ratings, &ceiling, &error), SMERF_BAD_INPUT);
    assert_says(&error, "entry 7: judge 3 of 3", "");
    all.judge[7] = 2;
    all.left[4] = 4;
    assert_int_equal(smerf_ratings_ceiling(&all.ratings, &ceiling, &error), SMERF_BAD_INPUT);
    all.left[4] = 3;
    all.value[0] = INFINITY;
    assert_int_equal(smerf_ratings_ceiling(&all.ratings, &ceiling, NULL), SMERF_BAD_INPUT);
}

static void every_failed_allocation_is_reported_and_leaks_nothing(void **state) {
    (void)state;
    panel all;
    smerf_error error;
    make_panel(&all, 12, 1);
    for (shortage lack = {.of = "a ceiling"}; shortage_starts(&lack, &error);) {
        smerf_ceiling ceiling = SMERF_INIT(smerf_ceiling);
        shortage_ends(&lack, smerf_ratings_ceiling(&all.ratings, &ceiling, &error), &error);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(judges_who_agree_leave_nothing_to_be_wished),
        cmocka_unit_test(the_error_of_a_mean_is_that_of_a_judge_over_their_number),
        cmocka_unit_test(one_rating_of_a_pair_says_nothing),
        cmocka_unit_test(the_order_of_ratings_does_not_matter),
        cmocka_unit_test(correlations_may_be_averaged_over_some_items),
        cmocka_unit_test(ratings_that_make_no_sense_are_refused),
        cmocka_unit_test(every_failed_allocation_is_reported_and_leaks_nothing),
    };
    return cmocka_run_group_tests(tests, files_enter, files_leave);
}
