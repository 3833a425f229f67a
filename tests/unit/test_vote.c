/* test_vote.c - what neighbours say of an item is what one counts by hand among those that smerf_neighbors tells of. */
#include "tests/unit/column_targets.h"

enum { N = 24, N_CLASSES = 3 };

/* ---- by hand ---- */

typedef struct tally {
    const uint32_t *codes; /* NULL: numbers */
    const double *numbers;
    double values[N * N_CLASSES];
    uint32_t winner[N];
} tally;

/* Whether class a beats class b: by votes, then by who comes first. */
static bool beats(const uint32_t *codes, const smerf_neighbor *neighbors, size_t n, uint32_t a, uint32_t b) {
    size_t votes[2] = {0, 0}, first[2] = {n, n};
    for (size_t k = n; k-- > 0;)
        for (size_t side = 0; side < 2; side++)
            if (codes[neighbors[k].item] == (side == 0 ? a : b)) {
                votes[side]++;
                first[side] = k;
            }
    return votes[0] > votes[1] || (votes[0] == votes[1] && first[0] < first[1]);
}

static int count_by_hand(void *context, size_t query, const smerf_neighbor *neighbors, size_t n) {
    tally *to = context;
    if (to->codes == NULL) {
        double sum = 0;
        for (size_t k = 0; k < n; k++) sum += to->numbers[neighbors[k].item];
        to->values[query] = sum / (double)n; /* NaN without neighbours */
        return 0;
    }
    to->winner[query] = n > 0 ? 0 : SMERF_MISSING;
    for (uint32_t c = 0; c < N_CLASSES; c++) {
        double votes = 0;
        for (size_t k = 0; k < n; k++) votes += to->codes[neighbors[k].item] == c;
        to->values[query * N_CLASSES + c] = votes / (double)n;
        if (n > 0 && beats(to->codes, neighbors, n, c, to->winner[query])) to->winner[query] = c;
    }
    return 0;
}

static void assert_same_numbers(const double *a, const double *b, size_t n) {
    for (size_t k = 0; k < n; k++) assert_true(a[k] == b[k] || (isnan(a[k]) && isnan(b[k])));
}

static void assert_votes(const smerf_model *model, const smerf_neighborhood *wanted, size_t n_queries) {
    double numbers[N], values[N * N_CLASSES];
    uint32_t codes[N], winner[N];
    smerf_error error;
    for (size_t i = 0; i < N; i++) {
        codes[i] = (uint32_t)(i * i + i / 3) % N_CLASSES;
        numbers[i] = sin((double)i) * 10;
    }
    tally labels = {.codes = codes}, means = {.numbers = numbers};
    const smerf_known_values on_labels = {.n_classes = N_CLASSES, .codes = codes}, on_numbers = {.values = numbers};
    demand_ok(smerf_neighbors(model, wanted, NULL, count_by_hand, &labels, &error), &error);
    demand_ok(smerf_neighbors(model, wanted, NULL, count_by_hand, &means, &error), &error);
    for (size_t n_threads = 1; n_threads < 4; n_threads++) {
        const smerf_run run = SMERF_INIT(smerf_run, .n_threads = n_threads);
        demand_ok(smerf_vote(model, wanted, &on_labels, &run, values, winner, &error), &error);
        assert_same_numbers(values, labels.values, n_queries * N_CLASSES);
        assert_memory_equal(winner, labels.winner, n_queries * sizeof *winner);
        demand_ok(smerf_vote(model, wanted, &on_numbers, &run, values, NULL, &error), &error);
        assert_same_numbers(values, means.values, n_queries);
    }
}

/* ---- claims ---- */

/* Labels make many equal distances, and even numbers of neighbours many equal shares; a small radius leaves none. */
static void votes_are_those_of_the_neighbors(void **state) {
    (void)state;
    data_set *data = mixed_data(N), *some = data_set_pick(data, (size_t[]){5, 2, 2, 9}, 4);
    smerf_options euclidean = options_for(1);
    euclidean.method = SMERF_METHOD_RFD;
    smerf_model *models[3] = {fit_to(data, labels_for(data, 3), 6, 2), fit_to(data, response_for(data), 6, 3),
                              fit_with(data, &euclidean, NULL)};
    for (size_t m = 0; m < 3; m++)
        for (size_t k = 0; k < 8; k++) {
            const smerf_neighborhood own =
                SMERF_INIT(smerf_neighborhood, .items = data->items, .k = k, .has_radius = k % 2 == 0, .radius = 0.4,
                           .out_of_bag = m < 2 && k > 4);
            const smerf_neighborhood others =
                SMERF_INIT(smerf_neighborhood, .items = data->items, .queries = some->items, .k = k,
                           .has_radius = k % 2 == 0, .radius = 0.4);
            assert_votes(models[m], &own, N);
            assert_votes(models[m], &others, 4);
        }
    for (size_t m = 0; m < 3; m++) smerf_model_free(models[m]);
    data_set_free(data);
    data_set_free(some);
}

static void one_item_alone_has_no_votes(void **state) {
    (void)state;
    data_set *data = plain_data(N), *one = data_set_pick(data, (size_t[]){5}, 1);
    smerf_model *model = fit_to(data, response_for(data), 3, 2);
    const uint32_t code = 0;
    const double number = 7;
    double value[2] = {0, 0};
    uint32_t winner = 0;
    smerf_error error = {0};
    const smerf_neighborhood alone = SMERF_INIT(smerf_neighborhood, .items = one->items, .k = 3);
    demand_ok(
        smerf_vote(model, &alone, &(smerf_known_values){.n_classes = 2, .codes = &code}, NULL, value, &winner, &error),
        &error);
    assert_true(isnan(value[0]) && isnan(value[1]));
    assert_int_equal(winner, SMERF_MISSING);
    const smerf_neighborhood all =
        SMERF_INIT(smerf_neighborhood, .items = one->items, .queries = one->items, .k = 3); /* now it votes on itself */
    demand_ok(smerf_vote(model, &all, &(smerf_known_values){.values = &number}, NULL, value, NULL, &error), &error);
    assert_true(value[0] == 7);
    smerf_model_free(model);
    data_set_free(data);
    data_set_free(one);
}

static int cancel(void *context, double fraction_done) {
    (void)context;
    (void)fraction_done;
    return 1;
}

static void what_is_no_vote_is_refused(void **state) {
    (void)state;
    data_set *data = plain_data(3);
    const smerf_options options = options_for(2);
    smerf_model *model = fit_with(data, &options, NULL);
    const uint32_t codes[3] = {0, 1, 2};
    const double numbers[3] = {0, NAN, 2}, fine[3] = {0, 1, 2};
    double values[9];
    smerf_error error;
    smerf_neighborhood wanted = SMERF_INIT(smerf_neighborhood, .items = data->items, .k = 1);
    const smerf_known_values bad[3] = {{.n_classes = 2, .codes = codes}, {.values = numbers}, {.n_classes = 2}};
    for (size_t k = 0; k < 3; k++)
        assert_int_equal(smerf_vote(model, &wanted, &bad[k], NULL, values, NULL, &error), SMERF_BAD_INPUT);
    assert_int_equal(smerf_vote(model, &wanted, &(smerf_known_values){0}, NULL, values, NULL, &error), SMERF_BAD_INPUT);
    const smerf_run run = SMERF_INIT(smerf_run, .n_threads = 1, .progress = cancel);
    assert_int_equal(smerf_vote(model, &wanted, &(smerf_known_values){.values = fine}, &run, values, NULL, &error),
                     SMERF_CANCELLED);
    wanted.k = 0;
    assert_int_equal(smerf_vote(model, &wanted, &(smerf_known_values){.values = fine}, NULL, values, NULL, &error),
                     SMERF_BAD_INPUT);
    smerf_model_free(model);
    data_set_free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(votes_are_those_of_the_neighbors),
        cmocka_unit_test(one_item_alone_has_no_votes),
        cmocka_unit_test(what_is_no_vote_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
