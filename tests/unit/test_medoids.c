/* test_medoids.c - FasterPAM against its definition: what a swap changes, what is kept from swap to swap, and that no swap
 * is left that gains; then clusters and silhouettes of whole matrices, against looking at all of them. */
#include "tests/unit/matrices.h"

#include "explore/medoids.h"

static sm_pool pool_of(size_t n_threads) {
    sm_pool pool;
    sm_pool_start(&pool, &SMERF_INIT(smerf_run, .n_threads = n_threads));
    return pool;
}

static void draw_medoids(sm_random *random, size_t n, size_t k, uint32_t *items) {
    for (size_t s = 0; s < k; s++) do
            items[s] = sm_random_below(random, (uint32_t)n);
        while (is_among(items[s], items, s));
}

static double size_of(const float *z, size_t n) {
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++) sum += fabs((double)z[i * n + j]);
    return sum;
}

/* ---- what is kept ---- */

static void assert_state(const sm_medoids *kept, const float *z) {
    double cost = 0, loss[32] = {0};
    for (size_t o = 0; o < kept->n; o++) {
        double near = INFINITY, second = INFINITY;
        size_t owner = 0;
        for (size_t s = 0; s < kept->k; s++) {
            double d = kept->item[s] == o ? -INFINITY : z[kept->item[s] * kept->n + o];
            if (d < near) {
                second = near;
                near = d;
                owner = s;
            } else if (d < second) {
                second = d;
            }
        }
        assert_true((double)kept->near[o] == near && (double)kept->second[o] == second);
        assert_true(kept->owner[o] == owner || near == second);
        cost += near == -INFINITY ? 0 : near;
        loss[owner] += second - (near == -INFINITY ? 0 : near);
    }
    assert_memory_equal(&kept->cost, &cost, sizeof cost);
    assert_memory_equal(kept->loss, loss, kept->k * sizeof *loss);
    assert_true(kept->cost == cost_by_hand(z, kept->n, kept->item, kept->k));
}

/* Whatever is swapped, good or bad, and back again. */
static void what_is_kept_is_what_a_fresh_look_finds(void **state) {
    (void)state;
    smerf_error error;
    sm_pool pool = pool_of(1);
    for (unsigned way = 0; way < N_MATRIX_KINDS * 3; way++) {
        size_t n = 20 + way, k = 2 + way % 6;
        float *z = draw_matrix(way % N_MATRIX_KINDS, n, way);
        uint32_t items[8];
        sm_random random;
        sm_medoids kept;
        sm_random_start(&random, 3, way, 1);
        demand_ok(sm_medoids_start(&kept, z, n, 8, &pool, &error), &error);
        draw_medoids(&random, n, k, items);
        sm_medoids_set(&kept, items, k);
        assert_state(&kept, z);
        for (size_t swap = 0; swap < 40; swap++) {
            size_t slot = sm_random_below(&random, (uint32_t)k), item = sm_random_below(&random, (uint32_t)n);
            if (is_among(item, kept.item, k)) continue;
            sm_medoids_swap(&kept, slot, item);
            assert_state(&kept, z);
        }
        sm_medoids_free(&kept);
        free(z);
    }
}

/* ---- the published rule ---- */

static void a_swap_changes_the_cost_by_what_was_said(void **state) {
    (void)state;
    smerf_error error;
    sm_pool pool = pool_of(1);
    for (unsigned way = 0; way < N_MATRIX_KINDS * 3; way++) {
        size_t n = 40, k = 2 + way % 5; /* more items than are passed at a glance */
        float *z = draw_matrix(way % N_MATRIX_KINDS, n, 100 + way);
        uint32_t items[8], other[8];
        double changes[8 * SM_MEDOIDS_LANES], tolerance = 1e-12 * size_of(z, n);
        sm_random random;
        sm_medoids kept;
        sm_random_start(&random, 4, way, 1);
        demand_ok(sm_medoids_start(&kept, z, n, 8, &pool, &error), &error);
        draw_medoids(&random, n, k, items);
        sm_medoids_set(&kept, items, k);
        for (size_t x = 0; x < n; x++) {
            size_t slot;
            double least = INFINITY;
            if (is_among(x, items, k)) continue;
            double change = sm_medoids_best_swap(&kept, x, changes, &slot);
            for (size_t s = 0; s < k; s++) {
                memcpy(other, items, sizeof other);
                other[s] = (uint32_t)x;
                double by_hand = cost_by_hand(z, n, other, k) - kept.cost;
                least = fmin(least, by_hand);
                if (s == slot) assert_true(fabs(change - by_hand) <= tolerance);
            }
            assert_true(fabs(change - least) <= tolerance);
        }
        sm_medoids_free(&kept);
        free(z);
    }
}

static void each_item_of_the_start_is_the_best_to_add(void **state) {
    (void)state;
    smerf_error error;
    sm_pool pool = pool_of(2);
    for (unsigned way = 0; way < N_MATRIX_KINDS; way++) {
        size_t n = 35, k = 6;
        float *z = draw_matrix(way, n, 200 + way);
        uint32_t built[6], other[6];
        sm_medoids kept;
        demand_ok(sm_medoids_start(&kept, z, n, k, &pool, &error), &error);
        demand_ok(sm_medoids_build(&kept, k, built, &pool, &error), &error);
        for (size_t s = 0; s < k; s++) {
            assert_false(is_among(built[s], built, s));
            memcpy(other, built, sizeof other);
            for (size_t x = 0; x < n; x++) {
                other[s] = (uint32_t)x;
                if (is_among(x, built, s)) continue;
                double more = cost_by_hand(z, n, other, s + 1) - cost_by_hand(z, n, built, s + 1);
                assert_true(more >= -1e-12 * size_of(z, n));
                if (way == FEW_VALUES || way == ALL_EQUAL) assert_true(more > 0 || x >= built[s]);
            }
        }
        sm_medoids_free(&kept);
        free(z);
    }
}

/* From bad starts, with stretches for several threads: no swap of any medoid is left that lowers the cost. */
static void the_search_ends_where_no_swap_gains(void **state) {
    (void)state;
    smerf_error error;
    for (unsigned way = 0; way < N_MATRIX_KINDS * 6; way++) {
        size_t n = 9 + way % 30, k = 1 + way % 5;
        float *z = draw_matrix(way % N_MATRIX_KINDS, n, 300 + way);
        uint32_t items[8];
        sm_random random;
        sm_medoids kept;
        sm_pool pool = pool_of(1 + way % 3);
        sm_random_start(&random, 5, way, 1);
        demand_ok(sm_medoids_start(&kept, z, n, 8, &pool, &error), &error);
        draw_medoids(&random, n, k, items);
        sm_medoids_set(&kept, items, k);
        demand_ok(sm_medoids_improve(&kept, &pool, &error), &error);
        assert_true(kept.cost <= cost_by_hand(z, n, items, k));
        assert_true(best_neighbour_by_hand(z, n, kept.item, k) >= kept.cost - 1e-12 * size_of(z, n));
        sm_medoids_free(&kept);
        free(z);
    }
}

/* ---- whole matrices ---- */

typedef struct result {
    uint32_t cluster[1200], medoid[1200];
    double silhouette[1200], tried[1200];
    smerf_clusters found;
} result;

static result *cluster(const float *z, size_t n, smerf_clustering query, size_t n_threads) {
    result *made = calloc(1, sizeof *made);
    const smerf_run run = SMERF_INIT(smerf_run, .n_threads = n_threads);
    smerf_error error;
    assert_true(made != NULL && n <= 1200);
    made->found = SMERF_INIT(smerf_clusters, .cluster = made->cluster, .medoid = made->medoid,
                             .silhouette = made->silhouette, .tried = made->tried);
    demand_ok(smerf_cluster_distances(z, n, &query, &run, &made->found, &error), &error);
    made->found.cluster = made->found.medoid = NULL; /* so that two results can be compared byte by byte */
    made->found.silhouette = made->found.tried = NULL;
    return made;
}

/* Each item is with the nearest medoid, the first of several; clusters are numbered as they come. */
static void assert_clusters(const result *made, const float *z, size_t n, size_t k) {
    uint32_t medoid[1200], n_met = 0;
    assert_int_equal(made->found.k, k);
    for (size_t i = 0; i < n; i++) {
        assert_true(made->cluster[i] <= n_met && made->cluster[i] < k);
        if (made->cluster[i] == n_met) medoid[n_met++] = made->medoid[i];
        assert_int_equal(made->medoid[i], medoid[made->cluster[i]]);
    }
    assert_int_equal(n_met, k);
    for (size_t i = 0; i < n; i++) {
        uint32_t own = made->medoid[i];
        if (is_among(i, medoid, k)) assert_int_equal(own, i);
        for (size_t s = 0; s < k && own != i; s++) {
            float d = z[i * n + medoid[s]];
            assert_true(d > z[i * n + own] || (d == z[i * n + own] && medoid[s] >= own));
        }
    }
    assert_true(made->found.cost == cost_by_hand(z, n, medoid, k));
}

static double silhouette_by_hand(const result *made, const float *z, size_t n, size_t item) {
    double smallest = 0, sum[32] = {0}, size[32] = {0}, b = INFINITY;
    uint32_t own = made->cluster[item];
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++) smallest = fmin(smallest, z[i * n + j]);
    for (size_t j = 0; j < n; j++) {
        if (j == item) continue;
        sum[made->cluster[j]] += (double)z[item * n + j] - smallest;
        size[made->cluster[j]]++;
    }
    if (size[own] == 0) return 0;
    double a = sum[own] / size[own];
    for (size_t c = 0; c < made->found.k; c++)
        if (c != own) b = fmin(b, sum[c] / size[c]);
    return a == 0 && b == 0 ? 0 : (b - a) / fmax(a, b);
}

static void assert_silhouettes(const result *made, const float *z, size_t n) {
    double mean = 0;
    for (size_t i = 0; i < n; i++) {
        assert_true(fabs(made->silhouette[i] - silhouette_by_hand(made, z, n, i)) <= 1e-12);
        assert_true(fabs(made->silhouette[i]) <= 1);
        mean += made->silhouette[i] / (double)n;
    }
    assert_true(fabs(made->found.mean_silhouette - mean) <= 1e-12);
}

static void small_sets_have_the_best_medoids_of_all(void **state) {
    (void)state;
    size_t n_best = 0, n_sets = 0;
    for (unsigned way = 0; way < N_MATRIX_KINDS * 45; way++) {
        size_t n = 2 + way % 9, k = 1 + way / N_MATRIX_KINDS % 3;
        float *z = draw_matrix(way % N_MATRIX_KINDS, n, 400 + way);
        uint32_t chosen[3];
        if (k <= n) {
            result *made = cluster(z, n, SMERF_INIT(smerf_clustering, .k = k, .seed = way), 1);
            double best = best_of_all(z, n, chosen, 0, k), tolerance = 1e-12 * size_of(z, n);
            assert_clusters(made, z, n, k);
            if (k > 1) assert_silhouettes(made, z, n);
            assert_true(made->found.cost >= best);
            n_sets++;
            n_best += made->found.cost <= best + tolerance;
            free(made);
        }
        free(z);
    }
    assert_true(n_sets > 250 && n_best == n_sets); /* ten starts each leave nothing behind on so few items */
}

static void clusters_and_silhouettes_are_as_defined(void **state) {
    (void)state;
    for (unsigned way = 0; way < N_MATRIX_KINDS * 3; way++) {
        size_t n = 20 + 7 * way, k = 2 + way % 9;
        float *z = draw_matrix(way % N_MATRIX_KINDS, n, 500 + way);
        result *made = cluster(z, n, SMERF_INIT(smerf_clustering, .k = k, .seed = 1), 2);
        assert_clusters(made, z, n, k);
        assert_silhouettes(made, z, n);
        for (size_t i = 0; i < n; i++) assert_true(isnan(made->tried[i]));
        free(made);
        free(z);
    }
}

static void the_largest_mean_silhouette_is_chosen(void **state) {
    (void)state;
    for (unsigned way = 0; way < N_MATRIX_KINDS * 2; way++) {
        size_t n = way < N_MATRIX_KINDS ? 30 : 3 + way % 6, most = way < N_MATRIX_KINDS ? 20 : n - 1;
        float *z = draw_matrix(way % N_MATRIX_KINDS, n, 600 + way);
        result *made = cluster(z, n, SMERF_INIT(smerf_clustering, .seed = 1), 1);
        size_t best = 2;
        for (size_t k = 0; k < n; k++) {
            assert_true(isnan(made->tried[k]) == (k < 2 || k > most));
            if (k < 2 || k > most) continue;
            result *alone = cluster(z, n, SMERF_INIT(smerf_clustering, .k = k, .seed = 1), 1);
            assert_true(alone->found.mean_silhouette == made->tried[k]);
            if (made->tried[k] > made->tried[best]) best = k;
            if (k == made->found.k) assert_memory_equal(made->cluster, alone->cluster, n * sizeof *alone->cluster);
            free(alone);
        }
        assert_int_equal(made->found.k, best);
        assert_true(made->found.mean_silhouette == made->tried[best]);
        assert_clusters(made, z, n, best);
        if (way == POINTS) assert_int_equal(best, 3);
        free(made);
        free(z);
    }
}

static void one_item_is_a_cluster_and_every_item_may_be_one(void **state) {
    (void)state;
    for (unsigned kind = 0; kind < N_MATRIX_KINDS; kind++)
        for (size_t n = 1; n < 8; n++) {
            float *z = draw_matrix(kind, n, 700 + kind);
            result *alone = cluster(z, n, SMERF_INIT(smerf_clustering, .k = n), 2);
            result *together = cluster(z, n, SMERF_INIT(smerf_clustering, .k = 1), 2);
            assert_clusters(alone, z, n, n);
            assert_clusters(together, z, n, 1);
            assert_true(alone->found.cost == 0 && isnan(together->found.mean_silhouette));
            for (size_t i = 0; i < n; i++) {
                assert_true(isnan(together->silhouette[i]));
                if (n > 1) assert_true(alone->silhouette[i] == 0);
            }
            free(alone);
            free(together);
            free(z);
        }
}

/* More items than a thread looks at alone, more medoids than are built. */
static void threads_change_no_bit(void **state) {
    (void)state;
    const size_t k[4] = {2, 9, 120, 0};
    for (unsigned way = 0; way < 4; way++) {
        size_t n = way == 3 ? 300 : 1100;
        float *z = draw_matrix(way == 1 ? ANYTHING : POINTS, n, 800 + way);
        const smerf_clustering query = SMERF_INIT(smerf_clustering, .k = k[way], .most_k = way == 3 ? 6 : 0, .seed = 7);
        result *one = cluster(z, n, query, 1), *three = cluster(z, n, query, 3);
        assert_memory_equal(one, three, sizeof *one);
        assert_clusters(one, z, n, one->found.k);
        free(one);
        free(three);
        free(z);
    }
}

static void assert_refused(const float *z, size_t n, smerf_clustering query, const char *why) {
    uint32_t numbers[2 * 8];
    smerf_clusters found = SMERF_INIT(smerf_clusters, .cluster = numbers, .medoid = numbers + 8);
    smerf_error error;
    assert_int_equal(smerf_cluster_distances(z, n, &query, NULL, &found, &error), SMERF_BAD_INPUT);
    assert_string_equal(error.message, why);
}

static void what_cannot_be_clustered_is_refused(void **state) {
    (void)state;
    float *z = draw_matrix(POINTS, 5, 1);
    assert_refused(z, 5, SMERF_INIT(smerf_clustering, .k = 6),
                   "6 clusters of 5 items: there can be no more clusters than items");
    assert_refused(z, 1, SMERF_INIT(smerf_clustering, .k = 2),
                   "2 clusters of 1 item: there can be no more clusters than items");
    assert_refused(z, 2, SMERF_INIT(smerf_clustering, .k = 0),
                   "the number of clusters is chosen for three items or more, and there are 2: say how many");
    assert_refused(z, 5, SMERF_INIT(smerf_clustering, .most_k = 5),
                   "most_k: 5 is not between 2 and 4, one less than there are items");
    assert_refused(z, 5, SMERF_INIT(smerf_clustering, .most_k = 1),
                   "most_k: 1 is not between 2 and 4, one less than there are items");
    assert_refused(z, 5, SMERF_INIT(smerf_clustering, .k = 2, .by = SMERF_MEANS),
                   "a matrix of distances can be clustered by medoids only");
    z[1 * 5 + 3] = INFINITY;
    assert_refused(z, 5, SMERF_INIT(smerf_clustering, .k = 2), "the distance of items 1 and 3 is not a finite number");
    z[1 * 5 + 3] = 2;
    z[3 * 5 + 1] = 2.5;
    assert_refused(z, 5, SMERF_INIT(smerf_clustering, .k = 2),
                   "the distances of items 1 and 3 are 2 one way and 2.5 the other way");
    free(z);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_kept_is_what_a_fresh_look_finds),
        cmocka_unit_test(a_swap_changes_the_cost_by_what_was_said),
        cmocka_unit_test(each_item_of_the_start_is_the_best_to_add),
        cmocka_unit_test(the_search_ends_where_no_swap_gains),
        cmocka_unit_test(small_sets_have_the_best_medoids_of_all),
        cmocka_unit_test(clusters_and_silhouettes_are_as_defined),
        cmocka_unit_test(the_largest_mean_silhouette_is_chosen),
        cmocka_unit_test(one_item_is_a_cluster_and_every_item_may_be_one),
        cmocka_unit_test(threads_change_no_bit),
        cmocka_unit_test(what_cannot_be_clustered_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
