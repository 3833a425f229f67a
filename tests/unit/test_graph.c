/* test_graph.c - a graph answers every question as the matrix that it stands for, and its forest is the forest of that
 * matrix; lists that are no graph are refused, and so are files that hold none. */
#include "tests/unit/engines.h"
#include "tests/unit/pair_lists.h"
#include "tests/unit/sparse_forests.h"

/* ---- random graphs ---- */

typedef enum edge_values { ONES, WHOLE, SIGNED, EIGHTHS } edge_values;

static double draw_value(sm_random *random, edge_values kind) {
    if (kind == WHOLE) return 1 + sm_random_below(random, 5);
    if (kind == SIGNED) return (sm_random_below(random, 13) - 6.0) / 2; /* now and then 0: no edge */
    if (kind == EIGHTHS) return (1 + sm_random_below(random, 16)) / 8.0;
    return 1;
}

/* The matrix, and the edges of which it is 1 minus: some of them again, in any order. */
static void draw_graph(known *all, listed *edges, size_t n, double density, edge_values kind, sm_random *random) {
    all->n = n;
    listed_start(edges, kind != ONES || sm_random_below(random, 2) == 0, false);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) {
            all->omega[i][j] = all->omega[j][i] = 1;
            all->z[i][j] = all->z[j][i] = i == j ? 0 : 1;
            if (i == j || sm_random_uniform(random) >= density) continue;
            double value = draw_value(random, kind);
            all->z[i][j] = all->z[j][i] = 1 - value;
            listed_add(edges, i, j, value, 1);
            if (sm_random_below(random, 4) == 0) listed_add(edges, i, j, value, 1);
        }
    listed_shuffle(edges, random);
}

static smerf_target *graph_of(const listed *edges, size_t n) {
    smerf_target *target = NULL;
    smerf_error error;
    demand_ok(smerf_target_new_graph(&edges->list, NULL, n, &target, &error), &error);
    return target;
}

static const double densities[] = {0, 0.05, 0.3, 0.9, 1};

/* ---- every question, against double sums ---- */

static void every_request_is_answered_as_the_matrix_would(void **state) {
    static known all;
    static listed edges;
    (void)state;
    const size_t sizes[] = {2, 3, 5, 17, 40, MOST_ITEMS};
    for (uint64_t round = 0; round < repetitions(60, 12); round++) { /* sizes, densities and values take turns */
        sm_random random;
        sm_random_start(&random, round, 0, 1);
        draw_graph(&all, &edges, sizes[round % 6], densities[round % 5], (edge_values)(round % 4), &random);
        smerf_target *target = graph_of(&edges, all.n);
        check_questions(&all, target, round);
        target = exchange_diagonal(&all, target, round % 3 == 0 ? 1 : -0.75);
        check_questions(&all, target, round);
        smerf_target_free(target);
    }
}

/* Two heavy nodes that are linked, and light ones that are not: what the light ones cost must not drown. */
static void light_nodes_cost_what_they_should_beside_heavy_ones(void **state) {
    static known all;
    static listed edges;
    (void)state;
    all.n = 4;
    for (size_t i = 0; i < 4; i++)
        for (size_t j = 0; j < 4; j++) {
            all.omega[i][j] = 1;
            all.z[i][j] = i != j;
        }
    all.z[0][3] = all.z[3][0] = 0;
    listed_start(&edges, false, false);
    listed_add(&edges, 3, 0, 1, 1);
    smerf_target *target = graph_of(&edges, 4);
    smerf_error error;
    const sm_search_size size = {.n_items = 4, .n_line_ups = 1, .n_threads = 1};
    sm_search *search = plain_engine(target->kind)->search_new(target, &size, &error);
    const double weight[4] = {1e100, 1e-100, 1e-100, 1e100};
    const uint32_t items[4] = {0, 1, 2, 3}, order[4] = {0, 1, 3, 2};
    double left[3], right[3];
    const sm_line_up line = {.order = order, .left = left, .right = right};
    sm_node node = {.items = items, .n = 4, .weight = weight, .total = 2e100};
    plain_engine(target->kind)->enter(search, &node, 0);
    double cost = sm_price(plain_engine(target->kind)->pricing, search, &node, &line, 1);
    assert_near(cost, 4e-100, 1e-112);     /* four pairs of 1, both ways: 8 / 2e100 */
    assert_near(left[0], 0, 0);            /* one node */
    assert_near(left[1], 2e-100, 1e-112);  /* one pair, both ways: 2 / 1e100 */
    assert_near(left[2], 2e-100, 1e-112);  /* two pairs: 4 / 2e100 */
    assert_near(right[0], 4e-100, 1e-112); /* two pairs: 4 / 1e100 */
    assert_near(right[1], 2e-100, 1e-112); /* one pair */
    plain_engine(target->kind)->search_free(search);
    smerf_target_free(target);
}

/* ---- forests ---- */

static smerf_target *draw_any(known *all, size_t n, uint64_t round, sm_random *random) {
    static listed edges;
    draw_graph(all, &edges, n, densities[round % 5], (edge_values)sm_random_below(random, 4), random);
    return graph_of(&edges, n);
}

static void forests_are_those_of_the_matrix(void **state) {
    (void)state;
    check_sparse_forests(draw_any, 400, 1);
}

/* Distances that depend on the features, so that trees have something to find; more items, deeper trees. */
static void forests_on_communities_are_those_of_the_matrix(void **state) {
    static known all;
    static listed edges;
    (void)state;
    for (uint64_t round = 0; round < repetitions(12, 2); round++) {
        sm_random random;
        sm_random_start(&random, round, 2, 1);
        data_set *data = draw_data(&random, MOST_ITEMS, round);
        draw_graph(&all, &edges, MOST_ITEMS, 0, ONES, &random);
        for (size_t i = 0; i < MOST_ITEMS; i++)
            for (size_t j = 0; j < i; j++) {
                if (fabs(hidden(data, i) - hidden(data, j)) + sm_random_uniform(&random) > 0.7) continue;
                all.z[i][j] = all.z[j][i] = 0;
                listed_add(&edges, i, j, 1, 1);
            }
        smerf_options options = draw_options(&random);
        smerf_target *target = graph_of(&edges, MOST_ITEMS);
        check_forest(data, target, &all, &options, true);
        smerf_target_free(target);
        data_set_free(data);
    }
}

/* ---- lists ---- */

static smerf_status make_graph(const smerf_pair_list *list, size_t n, smerf_target **out, smerf_error *error) {
    return smerf_target_new_graph(list, NULL, n, out, error);
}

static void what_is_no_graph_is_refused_with_its_entry(void **state) {
    static listed edges;
    (void)state;
    listed_start(&edges, true, false);
    assert_refused(make_graph, &edges, 0, SMERF_NOWHERE, "no items");
    listed_add(&edges, 0, 1, 1, 1);
    listed_add(&edges, 1, 2, 0.5, 1);
    listed_add(&edges, 2, 2, 1, 1);
    assert_refused(make_graph, &edges, 3, 2, "itself");
    edges.right[2] = 1; /* (2, 1): not as before */
    assert_refused(make_graph, &edges, 3, 2, "1 here and 0.5 before");
    edges.value[2] = 0.5;
    listed_add(&edges, 1, 0, 2, 1);
    assert_refused(make_graph, &edges, 3, 3, "2 here and 1 before");
    listed_add(&edges, 1, 2, 3, 1); /* an earlier pair, at a later entry */
    listed_add(&edges, 1, 0, 4, 1);
    assert_refused(make_graph, &edges, 3, 3, "2 here and 1 before");
    edges.list.n = 3;
    assert_refused(make_graph, &edges, 2, 1, "(1, 2) is none of 2 items");
    edges.value[1] = INFINITY;
    assert_refused(make_graph, &edges, 3, 1, "finite");
    edges.value[1] = NAN;
    assert_refused(make_graph, &edges, 3, 1, "finite");
    edges.value[1] = 1e39;
    assert_refused(make_graph, &edges, 3, 1, "finite");
}

static void what_was_found_in_a_list_is_told(void **state) {
    static listed edges;
    (void)state;
    listed_start(&edges, true, false);
    listed_add(&edges, 4, 1, 0.5, 1);
    listed_add(&edges, 1, 4, 0.5, 1);
    listed_add(&edges, 0, 1, 1, 1);
    listed_add(&edges, 2, 3, 0, 1); /* no link */
    listed_add(&edges, 3, 2, -0.0, 1);
    listed_add(&edges, 2, 0, 1e-20, 1); /* none that anyone would notice */
    smerf_target *target = graph_of(&edges, 6);
    smerf_pair_facts facts;
    assert_true(smerf_target_pair_facts(target, &facts));
    assert_true(facts.n_pairs == 2 && facts.n_repeated == 1 && facts.n_conflicts == 0 && facts.n_unobserved == 3);
    assert_int_equal(smerf_target_metrics(target), (1u << SMERF_N_METRICS) - 1);
    double row[6];
    target->kind->data.true_row(target, 1, row);
    assert_true(row[0] == 0 && row[1] == 0 && row[2] == 1 && row[3] == 1 && row[4] == 0.5 && row[5] == 1);
    assert_true(target->kind->data.is_link(row[4]) && target->kind->data.is_link(row[0]) &&
                !target->kind->data.is_link(row[2]));
    smerf_target_free(target);
}

static void matrices_have_no_facts(void **state) {
    (void)state;
    data_set *data = plain_data(5);
    smerf_pair_facts facts;
    assert_false(smerf_target_pair_facts(data->target, &facts));
    data_set_free(data);
}

/* ---- variants and files ---- */

static void graphs_are_equal_if_their_edges_are(void **state) {
    static listed edges, others;
    (void)state;
    smerf_error error;
    listed_start(&edges, false, false);
    listed_start(&others, true, false);
    listed_add(&edges, 0, 1, 1, 1);
    listed_add(&edges, 2, 1, 1, 1);
    listed_add(&others, 1, 2, 1, 1);
    listed_add(&others, 1, 0, 1, 1);
    listed_add(&others, 3, 0, 0, 1);
    smerf_target *a = graph_of(&edges, 4), *b = graph_of(&others, 4), *larger = graph_of(&edges, 5), *variant;
    others.value[0] = 0.5;
    smerf_target *weighted = graph_of(&others, 4);
    demand_ok(a->kind->data.with_diagonal(a, 1, &variant, &error), &error);
    assert_true(a->kind->data.equal(a, b));
    assert_false(a->kind->data.equal(a, larger));
    assert_false(a->kind->data.equal(a, weighted));
    assert_false(a->kind->data.equal(weighted, b));
    assert_false(a->kind->data.equal(a, variant));
    edges.right[1] = 3;
    smerf_target *other = graph_of(&edges, 4);
    assert_false(a->kind->data.equal(a, other));
    smerf_target *const all[] = {a, b, larger, weighted, variant, other};
    for (size_t k = 0; k < 6; k++) smerf_target_free(all[k]);
}

/* Arrays of a model, one after the other spoilt. */
typedef struct arrays {
    uint32_t n_partners[5], partner[4];
    double value[4], self[1];
} arrays;

static const arrays fine = {
    .n_partners = {2, 1, 0, 1, 0}, .partner = {1, 4, 3, 4}, .value = {0, 0.5, 2, -3}, .self = {1}};

static smerf_status load(const arrays *from, size_t n_partners, size_t n_pairs, size_t n_values, smerf_target **out) {
    const stored held[] = {{"target.n_partners", SM_U32, from->n_partners, n_partners},
                           {"target.partner", SM_U32, from->partner, n_pairs},
                           {"target.value", SM_F64, from->value, n_values},
                           {"target.self", SM_F64, from->self, 1}};
    return load_stored(&sm_target_graph, 5, held, 4, out);
}

#define ASSERT_SPOILT(...)                                                                                             \
    do {                                                                                                               \
        arrays spoilt = fine;                                                                                          \
        smerf_target *none = NULL;                                                                                     \
        __VA_ARGS__;                                                                                                   \
        assert_int_equal(load(&spoilt, 5, 4, 4, &none), SMERF_BAD_FILE);                                               \
        assert_null(none);                                                                                             \
    } while (0)

static void forged_arrays_are_refused(void **state) {
    (void)state;
    smerf_target *target = NULL;
    double row[5];
    assert_int_equal(load(&fine, 5, 4, 4, &target), SMERF_OK);
    target->kind->data.true_row(target, 4, row);
    assert_true(row[0] == 0.5 && row[1] == 1 && row[2] == 1 && row[3] == -3 && row[4] == 1);
    smerf_target_free(target);
    target = NULL;
    assert_int_equal(load(&fine, 4, 4, 4, &target), SMERF_BAD_FILE);
    assert_int_equal(load(&fine, 5, 3, 4, &target), SMERF_BAD_FILE);
    assert_int_equal(load(&fine, 5, 3, 3, &target), SMERF_BAD_FILE);
    assert_int_equal(load(&fine, 5, 4, 3, &target), SMERF_BAD_FILE);
    assert_null(target);
    ASSERT_SPOILT(spoilt.n_partners[0] = 1);
    ASSERT_SPOILT(spoilt.n_partners[0] = 3);
    ASSERT_SPOILT(spoilt.n_partners[0] = UINT32_MAX);
    ASSERT_SPOILT(spoilt.n_partners[4] = 1);
    ASSERT_SPOILT(spoilt.n_partners[0] = 4; spoilt.n_partners[1] = spoilt.n_partners[3] = 0);
    ASSERT_SPOILT(spoilt.partner[0] = 0);
    ASSERT_SPOILT(spoilt.partner[0] = 4);
    ASSERT_SPOILT(spoilt.partner[1] = 5);
    ASSERT_SPOILT(spoilt.partner[1] = UINT32_MAX);
    ASSERT_SPOILT(spoilt.partner[2] = 1);
    ASSERT_SPOILT(spoilt.partner[2] = 0);
    ASSERT_SPOILT(spoilt.partner[3] = 3);
    ASSERT_SPOILT(spoilt.value[0] = NAN);
    ASSERT_SPOILT(spoilt.value[3] = -INFINITY);
    ASSERT_SPOILT(spoilt.value[2] = 1e300);
    ASSERT_SPOILT(spoilt.self[0] = NAN);
    ASSERT_SPOILT(spoilt.self[0] = INFINITY);
}

static void missing_arrays_and_others_types_are_refused(void **state) {
    (void)state;
    smerf_target *none = NULL;
    const stored good[] = {{"target.n_partners", SM_U32, fine.n_partners, 5},
                           {"target.partner", SM_U32, fine.partner, 4},
                           {"target.value", SM_F64, fine.value, 4},
                           {"target.weight", SM_F64, fine.value, 4}};
    assert_int_equal(load_stored(&sm_target_graph, 5, good + 1, 1, &none), SMERF_BAD_FILE);
    assert_int_equal(load_stored(&sm_target_graph, 5, good, 1, &none), SMERF_BAD_FILE);
    const sm_tensor_type others[] = {SM_F32, SM_F32, SM_U64};
    for (size_t wrong = 0; wrong < 3; wrong++) {
        stored held[3] = {good[0], good[1], good[2]};
        held[wrong].type = others[wrong];
        assert_int_equal(load_stored(&sm_target_graph, 5, held, 3, &none), SMERF_BAD_FILE);
    }
    assert_int_equal(load_stored(&sm_target_graph, 5, good, 4, &none), SMERF_BAD_FILE); /* a graph has no weights */
    assert_null(none);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_request_is_answered_as_the_matrix_would),
        cmocka_unit_test(light_nodes_cost_what_they_should_beside_heavy_ones),
        cmocka_unit_test(forests_are_those_of_the_matrix),
        cmocka_unit_test(forests_on_communities_are_those_of_the_matrix),
        cmocka_unit_test(what_is_no_graph_is_refused_with_its_entry),
        cmocka_unit_test(what_was_found_in_a_list_is_told),
        cmocka_unit_test(matrices_have_no_facts),
        cmocka_unit_test(graphs_are_equal_if_their_edges_are),
        cmocka_unit_test(forged_arrays_are_refused),
        cmocka_unit_test(missing_arrays_and_others_types_are_refused),
    };
    return cmocka_run_group_tests(tests, files_enter, files_leave);
}
