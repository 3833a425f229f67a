/* test_rank.c - a target of full rank grows the trees of the matrix that it stands for; of a low one, what must be exact
 * is. */
#include "base/memory.h"
#include "target/vectors/rank.h"
#include "tests/unit/spectra.h"
#include "tests/unit/stand_in.h"

static smerf_target *rank_target_of(const smerf_target *target, size_t rank) {
    smerf_target *made = NULL;
    smerf_error error;
    sm_pool pool = pool_of(1);
    demand_ok(sm_rank_new(target, rank, 1, &pool, &made, &error), &error);
    return made;
}

static smerf_target *make_full_rank(size_t n, sm_random *random, float *z) {
    uint32_t n_values = 1 + sm_random_below(random, 6);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) z[i * n + j] = z[j * n + i] = (float)sm_random_below(random, n_values) - 2;
    smerf_target *target = target_of(z, n), *made = rank_target_of(target, n);
    smerf_target_free(target);
    return made;
}

static smerf_target *make_product(size_t n, sm_random *random, float *z) {
    static const char *const names[3] = {"y0", "y1", "y2"};
    double values[3][64];
    const double *columns[3] = {values[0], values[1], values[2]};
    smerf_target *target = NULL;
    smerf_error error;
    for (size_t c = 0; c < 3; c++)
        for (size_t i = 0; i < n; i++) values[c][i] = 0.25 * sm_random_below(random, 8);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            z[i * n + j] =
                (float)(1 - values[0][i] * values[0][j] - values[1][i] * values[1][j] - values[2][i] * values[2][j]);
    demand_ok(smerf_target_new_product(names, columns, 3, n, &target, &error), &error);
    smerf_target *made = rank_target_of(target, 3);
    smerf_target_free(target);
    return made;
}

static void full_rank_grows_the_trees_of_the_matrix(void **state) {
    (void)state;
    stand_in_trials(150, make_full_rank);
}

static void a_product_has_the_rank_of_its_columns(void **state) {
    (void)state;
    stand_in_trials(80, make_product);
}

static void self_distances_stay_as_given(void **state) {
    (void)state;
    enum { N = 40 };
    float *z = draw_matrix(NOISE, N, 9);
    smerf_target *target = target_of(z, N), *kept = rank_target_of(target, 3), *other = NULL;
    smerf_error error;
    double row[N];
    demand_ok(kept->kind->data.with_diagonal(kept, 7.25, &other, &error), &error);
    assert_true(kept->rank_fraction_of_squares < 1 &&
                other->rank_fraction_of_squares == kept->rank_fraction_of_squares);
    for (size_t i = 0; i < N; i++) {
        kept->kind->data.true_row(kept, i, row);
        assert_true(row[i] == (double)z[i * N + i]);
        other->kind->data.true_row(other, i, row);
        assert_true(row[i] == 7.25);
    }
    assert_false(kept->kind->data.equal(kept, other));
    assert_true(kept->kind->data.equal(kept, kept));
    smerf_target_free(kept);
    smerf_target_free(target); /* not needed any more, nor is `kept` */
    other->kind->data.true_row(other, 1, row);
    assert_true(row[1] == 7.25);
    smerf_target_free(other);
    free(z);
}

static void it_says_what_it_is(void **state) {
    (void)state;
    enum { N = 300 };
    float *z = draw_matrix(SQUARED, N, 9);
    smerf_target *target = target_of(z, N);
    smerf_target_note_similarities(target, 5);
    smerf_target *kept = rank_target_of(target, 2);
    sm_rank_facts facts = sm_rank_describe(kept);
    assert_ptr_equal(facts.origin, &sm_target_distances);
    assert_int_equal(facts.rank, 2);
    assert_true(facts.fraction_of_squares > 0.5 && facts.fraction_of_squares < 0.9); /* of three that are alike */
    assert_true(isnan(facts.eigenvalue_fraction));
    assert_true(kept->kind->data.is_approximate && !target->kind->data.is_approximate);
    assert_true(kept->from_similarities && kept->largest_similarity == 5);
    smerf_target_free(kept);
    smerf_target_free(target);
    free(z);
}

static void what_cannot_be_factored_is_refused(void **state) {
    (void)state;
    float z[4] = {0, 1, 1, 0};
    const double y[2] = {1, 2}, *columns[1] = {y};
    const char *names[1] = {"y"};
    smerf_target *target = target_of(z, 2), *response = NULL, *block = NULL, *made = NULL;
    smerf_error error;
    sm_pool pool = pool_of(1);
    demand_ok(smerf_target_new_response(names, columns, 1, 2, &response, &error), &error);
    demand_ok(smerf_target_new_block(z, 2, 2, &block, &error), &error);
    assert_int_equal(sm_rank_new(response, 1, 1, &pool, &made, &error), SMERF_BAD_INPUT);
    assert_int_equal(sm_rank_new(block, 1, 1, &pool, &made, &error), SMERF_BAD_INPUT);
    assert_int_equal(sm_rank_new(target, 0, 1, &pool, &made, &error), SMERF_BAD_INPUT);
    double large[2] = {1e200, -1e200};
    const size_t first[3] = {0, 1, 2};
    const uint32_t partner[2] = {1, 0};
    const sm_listed_pairs pairs = {.n_items = 2, .first = first, .partner = partner, .value = large};
    const sm_operator matrix = sm_operator_listed(&pairs);
    sm_factors factors;
    assert_int_equal(sm_factor(&matrix, 1, 1, &pool, &factors, &error), SMERF_BAD_INPUT);
    assert_null(made);
    smerf_target_free(target);
    smerf_target_free(response);
    smerf_target_free(block);
}

static void it_can_be_cancelled(void **state) {
    (void)state;
    enum { N = 1500 };
    float *z = draw_matrix(EUCLIDEAN, N, 9);
    smerf_target *target = target_of(z, N), *made = NULL;
    smerf_error error;
    for (size_t n_calls = 0; n_calls < 200; n_calls += 50) {
        patience left = {.n_left = n_calls};
        const smerf_run run = SMERF_INIT(smerf_run, .n_threads = 2, .progress = run_out, .context = &left);
        sm_pool pool;
        sm_pool_start(&pool, &run);
        assert_int_equal(sm_rank_new(target, 4, 1, &pool, &made, &error), SMERF_CANCELLED);
    }
    smerf_target_free(target);
    free(z);
}

/* Saves a target's tensors, spoils one, and loads them. */
static smerf_status load_spoilt(const smerf_target *kept, const char *name, double value, size_t n_less) {
    sm_tensors tensors = {.n = 0};
    smerf_error error;
    smerf_target *loaded = NULL;
    demand_ok(kept->kind->data.save(kept, &tensors, &error), &error);
    double *spoilt = NULL;
    for (size_t t = 0; t < tensors.n; t++) {
        if (strcmp(tensors.tensor[t].name, name) != 0) continue;
        tensors.tensor[t].n -= n_less;
        if (tensors.tensor[t].type != SM_F64) continue;
        spoilt = sm_copy(tensors.tensor[t].data, tensors.tensor[t].n, sizeof *spoilt);
        spoilt[0] = value;
        tensors.tensor[t].data = spoilt;
    }
    smerf_status status = kept->kind->data.load(&tensors, kept->n_rows, &loaded, &error);
    sm_free(spoilt);
    sm_tensors_free(&tensors);
    smerf_target_free(loaded);
    return status;
}

static void damage_is_noticed(void **state) {
    (void)state;
    enum { N = 20 };
    float *z = draw_matrix(NOISE, N, 9);
    smerf_target *target = target_of(z, N), *kept = rank_target_of(target, 3);
    const char *const names[] = {"target.u", "target.scale", "target.a", "target.self", "target.share"};
    assert_int_equal(load_spoilt(kept, "target.a", 3, 0), SMERF_OK);
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        assert_int_equal(load_spoilt(kept, names[k], NAN, 0), SMERF_BAD_FILE);
        assert_int_equal(load_spoilt(kept, names[k], INFINITY, 0), SMERF_BAD_FILE);
        if (k < 4) assert_int_equal(load_spoilt(kept, names[k], 0.5, 1), SMERF_BAD_FILE);
    }
    assert_int_equal(load_spoilt(kept, "target.share", 1.5, 0), SMERF_BAD_FILE);
    assert_int_equal(load_spoilt(kept, "target.origin", 0, 1), SMERF_BAD_FILE);
    smerf_target_free(kept);
    smerf_target_free(target);
    free(z);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(full_rank_grows_the_trees_of_the_matrix),
        cmocka_unit_test(a_product_has_the_rank_of_its_columns),
        cmocka_unit_test(self_distances_stay_as_given),
        cmocka_unit_test(it_says_what_it_is),
        cmocka_unit_test(what_cannot_be_factored_is_refused),
        cmocka_unit_test(it_can_be_cancelled),
        cmocka_unit_test(damage_is_noticed),
    };
    return cmocka_run_group_tests(tests, files_enter, files_leave);
}
