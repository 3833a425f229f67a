/* test_means.c - k means against Lloyd's rounds without any bounds, from the same start: the same ways, the same bits; and
 * starts, orphans, and points that are the same. */
#include "tests/unit/forests.h"

#include "explore/means.h"

enum { WIDTH = 16, MOST_K = 12 };

typedef enum points_kind { CLOUDS, NOISE, GRID, FEW_PLACES, ONE_PLACE, OUTLIER, N_POINTS_KINDS } points_kind;

/* To be freed. The last coordinates are padding. */
static float *draw_points(points_kind kind, size_t n, uint64_t seed) {
    float *x = calloc(n * WIDTH, sizeof *x);
    sm_random random;
    assert_non_null(x);
    sm_random_start(&random, seed, kind, 3);
    for (size_t i = 0; i < n; i++) {
        uint32_t cloud = sm_random_below(&random, 4);
        for (size_t r = 0; r < WIDTH - 3; r++) {
            double noise = sm_random_normal(&random), place = 0;
            if (kind == CLOUDS) place = 5.0 * (r % 4 == cloud) + noise;
            if (kind == NOISE) place = noise;
            if (kind == GRID) place = r < 2 ? sm_random_below(&random, 4) : 0; /* ties between centres */
            if (kind == FEW_PLACES) place = cloud % 3 == r;
            if (kind == OUTLIER) place = i == n / 2 ? 1e6 : 1e-3 * noise;
            x[i * WIDTH + r] = (float)place;
        }
    }
    return x;
}

/* ---- by hand ---- */

typedef struct by_hand {
    const float *x;
    size_t n, k;
    double centre[MOST_K][WIDTH];
    uint32_t cluster[600];
} by_hand;

static double squared(const by_hand *here, size_t point, size_t c) {
    return sm_means_squared(here->x + point * WIDTH, here->centre[c], WIDTH);
}

static void adopt_by_hand(by_hand *here, size_t size[MOST_K]) {
    for (size_t c = 0; c < here->k; c++) {
        size_t best = here->n;
        double most = -INFINITY;
        for (size_t i = 0; i < here->n && size[c] == 0; i++) {
            double far = squared(here, i, here->cluster[i]);
            if (size[here->cluster[i]] < 2 || far <= most) continue;
            most = far;
            best = i;
        }
        if (size[c] > 0) continue;
        size[here->cluster[best]]--;
        size[c] = 1;
        here->cluster[best] = (uint32_t)c;
    }
}

static void round_by_hand(by_hand *here) {
    size_t size[MOST_K] = {0};
    for (size_t i = 0; i < here->n; i++) {
        uint32_t best = here->cluster[i];
        for (size_t c = 0; c < here->k; c++)
            if (squared(here, i, c) < squared(here, i, best)) best = (uint32_t)c;
        here->cluster[i] = best;
        size[best]++;
    }
    adopt_by_hand(here, size);
    memset(here->centre, 0, sizeof here->centre);
    for (size_t i = 0; i < here->n; i++)
        for (size_t r = 0; r < WIDTH; r++) here->centre[here->cluster[i]][r] += here->x[i * WIDTH + r];
    for (size_t c = 0; c < here->k; c++)
        for (size_t r = 0; r < WIDTH; r++) here->centre[c][r] /= (double)size[c];
}

static double cost_of(const by_hand *here) {
    double cost = 0;
    for (size_t i = 0; i < here->n; i++) cost += squared(here, i, here->cluster[i]);
    return cost;
}

/* ---- rounds ---- */

/* Any points as a start, good or bad, some of them twice. */
static void start_both(by_hand *here, sm_means *means, sm_random *random) {
    uint32_t items[MOST_K];
    memset(here->cluster, 0, sizeof here->cluster);
    for (size_t c = 0; c < here->k; c++) {
        items[c] = sm_random_below(random, (uint32_t)here->n);
        for (size_t r = 0; r < WIDTH; r++) here->centre[c][r] = here->x[items[c] * WIDTH + r];
    }
    sm_means_set(means, items, here->k);
}

static void bounds_change_no_way_and_the_cost_never_rises(void **state) {
    (void)state;
    smerf_error error;
    for (unsigned way = 0; way < N_POINTS_KINDS * 8; way++) {
        by_hand here = {.n = way % 5 == 0 ? 13 : 150 + way, .k = 1 + way % MOST_K};
        float *x = draw_points(way % N_POINTS_KINDS, here.n, way);
        sm_pool pool;
        sm_random random;
        sm_means means;
        size_t n_gone = 1;
        double cost = INFINITY;
        here.x = x;
        sm_pool_start(&pool, &SMERF_INIT(smerf_run, .n_threads = 1 + way % 3));
        sm_random_start(&random, 1, way, 5);
        demand_ok(sm_means_start(&means, x, here.n, WIDTH, MOST_K, &error), &error);
        start_both(&here, &means, &random);
        for (size_t round = 0; round < 60 && (n_gone > 0 || round < 2); round++) {
            demand_ok(sm_means_round(&means, &pool, &n_gone, &error), &error);
            round_by_hand(&here);
            assert_memory_equal(means.cluster, here.cluster, here.n * sizeof *means.cluster);
            assert_memory_equal(means.centre, here.centre, here.k * sizeof here.centre[0]);
            for (size_t c = 0; c < here.k; c++) assert_true(means.size[c] > 0);
            assert_true(cost_of(&here) <= cost * (1 + 1e-12));
            cost = cost_of(&here);
        }
        assert_int_equal(n_gone, 0);
        sm_means_free(&means);
        free(x);
    }
}

static void the_search_ends_at_the_means_of_its_clusters(void **state) {
    (void)state;
    smerf_error error;
    for (unsigned way = 0; way < N_POINTS_KINDS * 2; way++) {
        by_hand here = {.n = 90, .k = 2 + way % 9};
        float *x = draw_points(way % N_POINTS_KINDS, here.n, 50 + way);
        double own[600], other[600];
        sm_pool pool;
        sm_random random;
        sm_means means;
        here.x = x;
        sm_pool_start(&pool, &SMERF_INIT(smerf_run, .n_threads = 2));
        sm_random_start(&random, 2, way, 5);
        demand_ok(sm_means_start(&means, x, here.n, WIDTH, MOST_K, &error), &error);
        start_both(&here, &means, &random);
        demand_ok(sm_means_improve(&means, &pool, &error), &error);
        assert_true(means.n_rounds < SM_MEANS_MOST_ROUNDS);
        memcpy(here.cluster, means.cluster, here.n * sizeof *here.cluster);
        memcpy(here.centre, means.centre, here.k * sizeof here.centre[0]);
        round_by_hand(&here); /* changes nothing */
        assert_memory_equal(means.cluster, here.cluster, here.n * sizeof *means.cluster);
        assert_memory_equal(means.centre, here.centre, here.k * sizeof here.centre[0]);
        assert_true(means.cost == cost_of(&here));
        demand_ok(sm_means_distances(&means, &pool, own, other, &error), &error);
        for (size_t i = 0; i < here.n; i++) {
            double nearest = INFINITY;
            for (size_t c = 0; c < here.k; c++)
                if (c != here.cluster[i]) nearest = fmin(nearest, squared(&here, i, c));
            assert_true(own[i] == squared(&here, i, here.cluster[i]) && other[i] == nearest && own[i] <= other[i]);
        }
        sm_means_free(&means);
        free(x);
    }
}

/* ---- starts ---- */

static void starts_are_different_points_and_shorter_ones_are_parts(void **state) {
    (void)state;
    smerf_error error;
    for (unsigned way = 0; way < N_POINTS_KINDS * 4; way++) {
        size_t n = way % 2 == 0 ? MOST_K : 100;
        float *x = draw_points(way % N_POINTS_KINDS, n, 90 + way);
        uint32_t items[MOST_K], fewer[5], again[MOST_K];
        sm_pool pool, three;
        sm_means means;
        sm_pool_start(&pool, &SMERF_INIT(smerf_run, .n_threads = 1));
        sm_pool_start(&three, &SMERF_INIT(smerf_run, .n_threads = 3));
        demand_ok(sm_means_start(&means, x, n, WIDTH, MOST_K, &error), &error);
        demand_ok(sm_means_draw(&means, 4, way, MOST_K, items, &pool, &error), &error);
        demand_ok(sm_means_draw(&means, 4, way, 5, fewer, &pool, &error), &error);
        demand_ok(sm_means_draw(&means, 4, way, MOST_K, again, &three, &error), &error);
        for (size_t a = 0; a < MOST_K; a++)
            for (size_t b = 0; b < a; b++) assert_int_not_equal(items[a], items[b]);
        assert_memory_equal(items, fewer, sizeof fewer);
        assert_memory_equal(items, again, sizeof items);
        sm_means_free(&means);
        free(x);
    }
}

/* Where there are clouds, each has one of the first points; and a place that is free is taken before one that is not. */
static void starts_are_far_apart(void **state) {
    (void)state;
    smerf_error error;
    for (uint32_t start = 0; start < 10; start++)
        for (unsigned way = 0; way < 2; way++) {
            float *x = draw_points(way == 0 ? FEW_PLACES : OUTLIER, 60, 7);
            uint32_t items[3];
            sm_pool pool;
            sm_means means;
            sm_pool_start(&pool, NULL);
            demand_ok(sm_means_start(&means, x, 60, WIDTH, 3, &error), &error);
            demand_ok(sm_means_draw(&means, 4, start, 3, items, &pool, &error), &error);
            for (size_t a = 0; a < 3 && way == 0; a++)
                for (size_t b = 0; b < a; b++)
                    assert_memory_not_equal(x + items[a] * WIDTH, x + items[b] * WIDTH, WIDTH * sizeof *x);
            if (way == 1) assert_true(items[0] == 30 || items[1] == 30);
            sm_means_free(&means);
            free(x);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bounds_change_no_way_and_the_cost_never_rises),
        cmocka_unit_test(the_search_ends_at_the_means_of_its_clusters),
        cmocka_unit_test(starts_are_different_points_and_shorter_ones_are_parts),
        cmocka_unit_test(starts_are_far_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
