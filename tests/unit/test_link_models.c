/* test_link_models.c - epm and narm as models: fitted, asked, saved and loaded. That their samplers are right is
 * test_gibbs.c's business. */
#include "tests/unit/forests.h"

#include "base/draws.h"
#include "base/memory.h"
#include "method/gibbs/gibbs_learned.h"
#include "method/methods.h"

enum { N = 24 };

/* Nodes that are alike are linked. */
static smerf_target *graph_of(const data_set *data, bool is_observed, double weight) {
    uint32_t left[N * N], right[N * N], all_left[N * N], all_right[N * N];
    double value[N * N];
    size_t n = 0, n_all = 0;
    for (uint32_t i = 0; i < N; i++)
        for (uint32_t j = i + 1; j < N; j++) {
            if ((i + j) % 3 == 0 && is_observed) continue;
            all_left[n_all] = i;
            all_right[n_all++] = j;
            if (fabs(hidden(data, i) - hidden(data, j)) > 0.4) continue;
            value[n] = weight;
            left[n] = i;
            right[n++] = j;
        }
    const smerf_pair_list edges = {.n = n, .left = left, .right = right, .value = value};
    const smerf_pair_list observed = {.n = n_all, .left = all_left, .right = all_right};
    smerf_target *target = NULL;
    smerf_error error;
    demand_ok(smerf_target_new_graph(&edges, is_observed ? &observed : NULL, N, &target, &error), &error);
    return target;
}

static const smerf_baseline_options short_chains = {
    .size = sizeof short_chains, .n_pairs = 1, .n_factors = 6, .n_burn = 30, .n_draws = 40, .n_chains = 2};

static smerf_options short_options(smerf_method method) {
    smerf_options options;
    smerf_options_default(&options);
    options.method = method;
    options.baselines = &short_chains;
    return options;
}

static smerf_model *fit_links(const data_set *data, smerf_method method, bool is_observed, size_t n_threads) {
    const smerf_run run = SMERF_INIT(smerf_run, .n_threads = n_threads);
    smerf_options options = short_options(method);
    smerf_target *target = graph_of(data, is_observed, 1);
    smerf_model *model = NULL;
    smerf_error error;
    demand_ok(smerf_fit(data->items, target, &options, &run, &model, &error), &error);
    smerf_target_free(target);
    return model;
}

static const smerf_method both[] = {SMERF_METHOD_EPM, SMERF_METHOD_NARM};

static void one_seed_gives_one_model_on_any_number_of_threads(void **state) {
    (void)state;
    data_set *data = mixed_data(N);
    for (size_t m = 0; m < 4; m++) {
        smerf_model *one = fit_links(data, both[m % 2], m / 2, 1), *three = fit_links(data, both[m % 2], m / 2, 3);
        assert_same_model(one, three);
        smerf_model_free(one);
        smerf_model_free(three);
    }
    data_set_free(data);
}

/* ---- asking ---- */

/* Distances between all rows and all columns (NULL: the rows), to be freed. */
static double *ask_all(const smerf_model *model, const data_set *rows, const data_set *columns) {
    const smerf_request request =
        SMERF_INIT(smerf_request, .rows = rows->items, .columns = columns != NULL ? columns->items : NULL);
    double *distances = predict_all(model, &request, NULL);
    size_t n = rows->plan.n_items * (columns != NULL ? columns : rows)->plan.n_items;
    for (size_t k = 0; k < n; k++) assert_true(distances[k] >= 0 && distances[k] <= 1);
    return distances;
}

static data_set *new_nodes(size_t n) {
    return data_set_new((data_plan){.n_items = n, .n_numbers = 3, .n_categories = 2, .missing = 0.15, .seed = 9});
}

/* Training nodes, new ones, and both against each other; and the same after the model was a file. */
static void assert_sane_predictor(const smerf_model *model, const data_set *data, const data_set *others) {
    smerf_error error;
    smerf_model *loaded = NULL;
    demand_ok(smerf_model_save(model, "links.smerf", &error), &error);
    demand_ok(smerf_model_load("links.smerf", &loaded, &error), &error);
    size_t n = data->plan.n_items, n_others = others->plan.n_items;
    double *all = ask_all(model, data, others == data ? NULL : others), *again = ask_all(loaded, data, others);
    double *turned = ask_all(model, others, others == data ? NULL : data);
    assert_memory_equal(all, again, n * n_others * sizeof *all);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n_others; j++) {
            assert_true(all[i * n_others + j] == turned[j * n + i]);
            if (others == data && i == j) assert_true(all[i * n + i] == 0);
        }
    free(all);
    free(again);
    free(turned);
    smerf_model_free(loaded);
}

static void distances_are_the_same_both_ways_and_from_a_file(void **state) {
    (void)state;
    data_set *data = mixed_data(N), *others = new_nodes(7);
    smerf_model *epm = fit_links(data, SMERF_METHOD_EPM, false, 2), *narm = fit_links(data, SMERF_METHOD_NARM, true, 2);
    assert_sane_predictor(epm, data, data);
    assert_sane_predictor(narm, data, data);
    assert_sane_predictor(narm, data, others);
    smerf_model_free(epm);
    smerf_model_free(narm);
    data_set_free(data);
    data_set_free(others);
}

static void what_else_is_query_for_changes_nothing(void **state) {
    (void)state;
    data_set *data = mixed_data(N), *others = new_nodes(7);
    const size_t rows[3] = {5, 2, 6};
    data_set *some = data_set_pick(others, rows, 3);
    smerf_model *model = fit_links(data, SMERF_METHOD_NARM, false, 2);
    double *all = ask_all(model, others, NULL), *few = ask_all(model, some, NULL);
    double *all_known = ask_all(model, data, others), *few_known = ask_all(model, data, some);
    for (size_t k = 0; k < 3; k++) {
        for (size_t l = 0; l < 3; l++) assert_true(few[k * 3 + l] == all[rows[k] * 7 + rows[l]]);
        for (size_t i = 0; i < N; i++) assert_true(few_known[i * 3 + k] == all_known[i * 7 + rows[k]]);
    }
    double *between = ask_all(model, some, others); /* no square: the same attributes, but not the same node */
    assert_true(between[5] > 0 && all[5 * 7 + 5] == 0);
    free(all);
    free(few);
    free(all_known);
    free(few_known);
    free(between);
    smerf_model_free(model);
    data_set_free(data);
    data_set_free(others);
    data_set_free(some);
}

/* ---- new nodes, against plain simulation ---- */

enum { N_STATES = 100, N_CELLS = 4 };

/* A hundred times the same state: two training nodes, four factors, two attributes; the second is everybody's. */
static sm_learned *learned_by_hand(void) {
    sm_learned *learned = sm_zeros(1, sizeof *learned);
    uint32_t n_factors[N_STATES];
    for (size_t s = 0; s < N_STATES; s++) n_factors[s] = N_CELLS;
    learned->n_nodes = 2;
    learned->seed = 5;
    learned->attributes = (sm_attributes){.n = 2, .n_features = 1};
    learned->attributes.coding = sm_zeros(1, sizeof *learned->attributes.coding);
    learned->attributes.coding[0].n = 1;
    assert_true(sm_learned_reserve(learned, n_factors, N_STATES));
    const float phi[2][N_CELLS] = {{0.5f, 1, 0, 0.2f}, {1, 0, 0.3f, 0}};
    const float h[2][N_CELLS] = {{2, 0.5f, 1, 3}, {0.4f, 0.6f, 0.2f, 0.1f}};
    for (size_t s = 0; s < N_STATES; s++) {
        for (size_t k = 0; k < N_CELLS * N_CELLS; k++)
            learned->lambda[learned->first_lambda[s] + k] = k % (N_CELLS + 1) == 0 ? 0.8f : 0.1f;
        for (size_t k = 0; k < N_CELLS; k++)
            for (size_t i = 0; i < 2; i++) {
                learned->phi[i * N_STATES * N_CELLS + s * N_CELLS + k] = phi[i][k];
                learned->h[i * N_STATES * N_CELLS + s * N_CELLS + k] = h[i][k];
            }
    }
    return learned;
}

/* phi of a node, as the protocol draws it: c ~ Gamma(1, 1), phi ~ Gamma(g, rate c). */
static void simulate_new(const sm_learned *learned, bool has_attribute, sm_draws *draws, double *phi) {
    double c = sm_draw_gamma(draws, 1);
    for (size_t k = 0; k < N_CELLS; k++) {
        double g = (double)learned->h[N_STATES * N_CELLS + k] * (has_attribute ? (double)learned->h[k] : 1);
        phi[k] = sm_draw_gamma(draws, g) / c;
    }
}

/*   node  0: the first training node; 1: new without the attribute; 2: new with it */
static double simulated_distance(const sm_learned *learned, size_t a, size_t b) {
    enum { N_DRAWS = 200000 };
    const size_t nodes[2] = {a, b};
    double sum = 0, phi[2][N_CELLS];
    sm_draws draws;
    sm_draws_start(&draws, 1, (uint32_t)a, b);
    for (size_t d = 0; d < N_DRAWS; d++) {
        for (size_t u = 0; u < 2; u++)
            for (size_t k = 0; k < N_CELLS && nodes[u] == 0; k++) phi[u][k] = (double)learned->phi[k];
        for (size_t u = 0; u < 2; u++)
            if (nodes[u] != 0) simulate_new(learned, nodes[u] == 2, &draws, phi[u]);
        double rate = 0;
        for (size_t k = 0; k < N_CELLS * N_CELLS; k++)
            rate += phi[0][k / N_CELLS] * (double)learned->lambda[k] * phi[1][k % N_CELLS];
        sum += exp(-rate);
    }
    return sum / N_DRAWS;
}

static void new_nodes_are_predicted_as_the_protocol_draws_them(void **state) {
    (void)state;
    sm_learned *learned = learned_by_hand();
    const double values[5] = {0, 0, 1, 0, 1};
    sm_numbers columns[1] = {{.doubles = values, .step = 1}};
    const sm_view view = {.n_items = 5, .n_features = 1, .numbers = columns};
    const uint32_t training_row[5] = {0, SMERF_MISSING, SMERF_MISSING, SMERF_MISSING, SMERF_MISSING};
    const sm_query_items items = {.view = &view, .training_row = training_row};
    const sm_query_sides sides = {.rows = items, .columns = items, .is_square = true, .n_trained = 2};
    sm_pool pool;
    sm_predictor *predictor = NULL;
    smerf_error error;
    sm_pool_start(&pool, NULL);
    demand_ok(sm_gibbs_predictor_new(learned, &sides, &pool, &predictor, &error), &error);
    const size_t kind[5] = {0, 1, 2, 1, 2};
    for (size_t i = 0; i < 5; i++) {
        double distances[5];
        sm_gibbs_predict_row(predictor, i, NULL, 5, 0, distances);
        for (size_t j = 0; j < 5; j++) {
            if (i == j) continue;
            double expected = simulated_distance(learned, kind[i], kind[j]); /* drawn ones have an error of 0.03 */
            bool is_drawn = i > 0 && j > 0;
            if (!(fabs(distances[j] - expected) < (is_drawn ? 0.06 : 0.005)))
                fail_msg("nodes %zu and %zu: %g, and %g by simulation", i, j, distances[j], expected);
        }
    }
    sm_gibbs_predictor_free(predictor);
    sm_learned_free(learned);
}

/* Of more nodes than pairs are kept of, states speak for training pairs too. */
static void states_give_what_their_formula_says(void **state) {
    (void)state;
    sm_learned *learned = learned_by_hand();
    const sm_view view = {.n_items = 2};
    const uint32_t training_row[2] = {1, 0};
    const sm_query_items items = {.view = &view, .training_row = training_row};
    const sm_query_sides sides = {.rows = items, .columns = items, .is_square = true, .n_trained = 2};
    sm_pool pool;
    sm_predictor *predictor = NULL;
    smerf_error error;
    sm_pool_start(&pool, NULL);
    demand_ok(sm_gibbs_predictor_new(learned, &sides, &pool, &predictor, &error), &error);
    double forth[2], back[2];
    sm_gibbs_predict_row(predictor, 0, NULL, 2, 0, forth);
    sm_gibbs_predict_row(predictor, 1, NULL, 2, 0, back);
    assert_true(forth[0] == 0 && back[1] == 0 && forth[1] == back[0]);
    double rate = 0;
    for (size_t k = 0; k < N_CELLS * N_CELLS; k++)
        rate += (double)learned->phi[k / N_CELLS] * (double)learned->lambda[k] *
                (double)learned->phi[N_STATES * N_CELLS + k % N_CELLS];
    assert_true(fabs(forth[1] - exp(-rate)) < 1e-6);
    sm_gibbs_predictor_free(predictor);
    sm_learned_free(learned);
}

/* ---- refusals ---- */

static void assert_refused(const data_set *data, smerf_target *target, smerf_method method, const char *what) {
    smerf_options options = short_options(method);
    smerf_model *model = NULL;
    smerf_error error;
    assert_int_equal(smerf_fit(data->items, target, &options, NULL, &model, &error), SMERF_BAD_INPUT);
    if (strstr(error.message, what) == NULL) fail_msg("'%s' does not say '%s'", error.message, what);
}

static void what_they_cannot_learn_from_is_refused(void **state) {
    (void)state;
    data_set *data = mixed_data(N);
    smerf_target *weighted = graph_of(data, false, 0.5), *half_seen = graph_of(data, true, 0.5),
                 *plain = graph_of(data, false, 1);
    double weights[N];
    smerf_error error;
    for (size_t m = 0; m < 2; m++) {
        assert_refused(data, data->target, both[m], "learns from a graph");
        assert_refused(data, weighted, both[m], "weight 0.5");
        assert_refused(data, half_seen, both[m], "weight 0.5");
    }
    for (size_t i = 0; i < N; i++) weights[i] = 1 + (double)i;
    demand_ok(smerf_items_set_weights(data->items, "w", weights, &error), &error);
    for (size_t m = 0; m < 2; m++) assert_refused(data, plain, both[m], "weights of items");
    smerf_target_free(weighted);
    smerf_target_free(half_seen);
    smerf_target_free(plain);
    data_set_free(data);
}

static void epm_says_that_a_node_is_new(void **state) {
    (void)state;
    data_set *data = mixed_data(N), *others = new_nodes(3);
    const size_t rows[3] = {0, 1, 500};
    name_items(data, NULL);
    smerf_model *model = fit_links(data, SMERF_METHOD_EPM, false, 1);
    name_items(others, rows);
    square kept = {0};
    smerf_error error;
    const smerf_request request = SMERF_INIT(smerf_request, .rows = data->items, .columns = others->items);
    assert_true(smerf_predict_rows(model, &request, NULL, keep_row, &kept, &error) == SMERF_BAD_INPUT);
    assert_non_null(strstr(error.message, "is new (narm and smerf predict new nodes)"));
    smerf_model_free(model);
    data_set_free(data);
    data_set_free(others);
}

static void a_fit_can_be_cancelled(void **state) {
    (void)state;
    data_set *data = mixed_data(N);
    smerf_target *target = graph_of(data, false, 1);
    for (size_t n_calls = 0; n_calls < 200; n_calls += 37) {
        patience left = {.n_left = n_calls};
        const smerf_run run = SMERF_INIT(smerf_run, .n_threads = 2, .progress = run_out, .context = &left);
        smerf_options options = short_options(both[n_calls % 2]);
        smerf_baseline_options long_chains = short_chains;
        long_chains.n_burn = 1000;
        options.baselines = &long_chains;
        smerf_model *model = NULL;
        smerf_error error;
        assert_int_equal(smerf_fit(data->items, target, &options, &run, &model, &error), SMERF_CANCELLED);
    }
    smerf_target_free(target);
    data_set_free(data);
}

/* ---- damaged files ---- */

static smerf_status load_learned(const sm_tensors *tensors, const smerf_items *items) {
    sm_learned *learned = NULL;
    smerf_error error;
    smerf_status status = sm_method_narm.load(tensors, &items->features, N, &learned, &error);
    sm_method_narm.free(learned);
    return status;
}

static void damaged_arrays_are_refused(void **state) {
    (void)state;
    data_set *data = mixed_data(N);
    smerf_model *model = fit_links(data, SMERF_METHOD_NARM, false, 1);
    sm_tensors tensors = {0};
    smerf_error error;
    demand_ok(sm_method_narm.save(model->learned, &tensors, &error), &error);
    assert_int_equal(load_learned(&tensors, data->items), SMERF_OK);
    for (size_t t = 0; t < tensors.n; t++) {
        sm_tensor *tensor = &tensors.tensor[t], whole = *tensor;
        tensor->n--; /* too short */
        assert_int_equal(load_learned(&tensors, data->items), SMERF_BAD_FILE);
        *tensor = whole;
        tensor->type = tensor->type == SM_F32 ? SM_F64 : SM_F32;
        assert_int_equal(load_learned(&tensors, data->items), SMERF_BAD_FILE);
        *tensor = whole;
        strcpy(tensor->name, "elsewhere");
        if (strcmp(whole.name, "learned.probability") != 0) /* without it, the states speak */
            assert_int_equal(load_learned(&tensors, data->items), SMERF_BAD_FILE);
        *tensor = whole;
        const float bad[] = {NAN, INFINITY, -1};
        for (size_t b = 0; b < 3 && whole.type == SM_F32; b++) {
            float *number = (float *)whole.data + whole.n / 2, good = *number;
            *number = bad[b];
            assert_int_equal(load_learned(&tensors, data->items), SMERF_BAD_FILE);
            *number = good;
        }
    }
    uint32_t *n_factors = (uint32_t *)sm_tensors_find(&tensors, "learned.n_factors")->data, good = n_factors[0];
    const uint32_t bad[] = {0, 1, 3, 4000000000u, UINT32_MAX};
    for (size_t b = 0; b < sizeof bad / sizeof *bad; b++) {
        n_factors[0] = bad[b];
        assert_int_equal(load_learned(&tensors, data->items), SMERF_BAD_FILE);
    }
    n_factors[0] = good;
    sm_tensors_free(&tensors);
    smerf_model_free(model);
    data_set_free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_seed_gives_one_model_on_any_number_of_threads),
        cmocka_unit_test(distances_are_the_same_both_ways_and_from_a_file),
        cmocka_unit_test(what_else_is_query_for_changes_nothing),
        cmocka_unit_test(new_nodes_are_predicted_as_the_protocol_draws_them),
        cmocka_unit_test(states_give_what_their_formula_says),
        cmocka_unit_test(what_they_cannot_learn_from_is_refused),
        cmocka_unit_test(epm_says_that_a_node_is_new),
        cmocka_unit_test(a_fit_can_be_cancelled),
        cmocka_unit_test(damaged_arrays_are_refused),
    };
    return cmocka_run_group_tests(tests, files_enter, files_leave);
}
