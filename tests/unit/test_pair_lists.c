/* test_pair_lists.c - lists of pairs, and of observed pairs of a graph: what is refused, what is told of them, when two
 * are the same, and what no file may hold. */
#include "tests/unit/known_pairs.h"
#include "tests/unit/pair_lists.h"

#include "target/links/pairs.h"

/* ---- lists ---- */

static void lists_that_make_no_sense_are_refused_with_the_entry(void **state) {
    static listed pairs;
    (void)state;
    const double wrong_weights[] = {0, -1, 1e-51, 1e51, INFINITY, NAN};
    const double wrong_values[] = {INFINITY, -INFINITY, NAN, 4e38, -1e300};
    listed_start(&pairs, true, true);
    assert_refused(smerf_target_new_pairs, &pairs, 0, SMERF_NOWHERE, "no items");
    listed_add(&pairs, 0, 1, 1, 1);
    listed_add(&pairs, 2, 1, 1, 1);
    assert_refused(smerf_target_new_pairs, &pairs, 2, 1, "(2, 1) is none of 2 items");
    for (size_t k = 0; k < sizeof wrong_weights / sizeof *wrong_weights; k++) {
        pairs.weight[1] = wrong_weights[k];
        assert_refused(smerf_target_new_pairs, &pairs, 3, 1, "weight");
    }
    pairs.weight[1] = 1;
    for (size_t k = 0; k < sizeof wrong_values / sizeof *wrong_values; k++) {
        pairs.value[1] = wrong_values[k];
        assert_refused(smerf_target_new_pairs, &pairs, 3, 1, "finite");
    }
}

static void edges_that_were_not_observed_are_refused_with_the_entry(void **state) {
    static listed edges, observed;
    (void)state;
    smerf_target *target = NULL;
    smerf_error error = {0};
    listed_start(&edges, false, false);
    listed_start(&observed, false, false);
    listed_add(&observed, 0, 1, 1, 1);
    listed_add(&observed, 3, 1, 1, 1);
    listed_add(&observed, 2, 2, 1, 1);
    listed_add(&edges, 1, 3, 1, 1);
    listed_add(&edges, 2, 1, 1, 1); /* the first in the list, though not where pairs are in order */
    listed_add(&edges, 0, 2, 1, 1);
    listed_add(&edges, 3, 2, 1, 1);
    assert_int_equal(smerf_target_new_graph(&edges.list, &observed.list, 4, &target, &error), SMERF_BAD_INPUT);
    assert_int_equal(error.row, 1);
    assert_non_null(strstr(error.message, "(2, 1) is not among the observed pairs"));
    observed.left[1] = 7;
    assert_int_equal(smerf_target_new_graph(&edges.list, &observed.list, 4, &target, &error), SMERF_BAD_INPUT);
    assert_int_equal(error.row, SMERF_NOWHERE);
    assert_null(target);
    observed.left[1] = 3;
    edges.list.n = 1;
    listed_add(&observed, 1, 0, 1, 1);
    demand_ok(smerf_target_new_graph(&edges.list, &observed.list, 4, &target, &error), &error);
    smerf_pair_facts facts;
    double row[4];
    assert_true(smerf_target_pair_facts(target, &facts));
    assert_true(facts.n_pairs == 2 && facts.n_repeated == 1 && facts.n_conflicts == 0 && facts.n_unobserved == 1);
    target->kind->data.true_row(target, 1, row);
    assert_true(row[0] == 1 && row[1] == 0 && isnan(row[2]) && row[3] == 0);
    assert_true(target->kind->data.is_link(row[3]) && !target->kind->data.is_link(row[0]));
    assert_int_equal(smerf_target_metrics(target), (1u << SMERF_N_METRICS) - 1);
    smerf_target_free(target);
}

static void plain_pairs_have_no_links(void **state) {
    static listed pairs;
    (void)state;
    listed_start(&pairs, false, false);
    listed_add(&pairs, 0, 1, 1, 1);
    smerf_target *target = target_of(&pairs, 2);
    assert_null(target->kind->data.is_link);
    assert_int_equal(smerf_target_metrics(target),
                     SMERF_HAS(SMERF_RMSE) | SMERF_HAS(SMERF_SPEARMAN) | SMERF_HAS(SMERF_MAP10));
    smerf_target_free(target);
}

/* ---- variants and files ---- */

static void pairs_are_equal_if_all_their_numbers_are(void **state) {
    static listed pairs;
    (void)state;
    listed_start(&pairs, true, true);
    listed_add(&pairs, 0, 1, 2, 1);
    listed_add(&pairs, 2, 2, 3, 1);
    smerf_target *a = target_of(&pairs, 3), *same = target_of(&pairs, 3), *others[4];
    pairs.value[0] = 1;
    others[0] = target_of(&pairs, 3);
    pairs.value[0] = 2;
    pairs.weight[0] = 2;
    others[1] = target_of(&pairs, 3);
    pairs.weight[0] = 1;
    pairs.value[1] = 4;
    others[2] = target_of(&pairs, 3);
    pairs.value[1] = 3;
    others[3] = target_of(&pairs, 3);
    smerf_target_note_similarities(others[3], 1);
    assert_true(a->kind->data.equal(a, same));
    for (size_t k = 0; k < 4; k++) {
        assert_false(a->kind->data.equal(a, others[k]));
        smerf_target_free(others[k]);
    }
    smerf_target *variant;
    smerf_error error;
    demand_ok(a->kind->data.with_diagonal(a, 0, &variant, &error), &error);
    assert_false(a->kind->data.equal(a, variant));
    smerf_target_free(variant);
    smerf_target_free(a);
    smerf_target_free(same);
}

static void similarities_are_noted_also_in_variants(void **state) {
    static listed pairs;
    (void)state;
    listed_start(&pairs, true, false);
    listed_add(&pairs, 0, 1, 2, 1);
    smerf_target *target = target_of(&pairs, 2), *variant;
    smerf_error error;
    smerf_target_note_similarities(target, 3.5);
    demand_ok(target->kind->data.with_diagonal(target, 1, &variant, &error), &error);
    assert_true(variant->from_similarities && variant->largest_similarity == 3.5);
    smerf_target_free(variant);
    smerf_target_free(target);
}

typedef struct arrays {
    uint32_t n_partners[4], partner[3];
    double value[3], weight[3], diagonal[4];
} arrays;

static const arrays fine = {.n_partners = {1, 2, 0, 0},
                            .partner = {3, 2, 3},
                            .value = {2, 0.5, -1},
                            .weight = {1, 2, 1e-50},
                            .diagonal = {0, 0, 1, 0}};

static smerf_status load(const sm_target_kind *kind, const arrays *from, size_t n_weights, size_t n_diagonal,
                         smerf_target **out) {
    const stored held[] = {{"target.n_partners", SM_U32, from->n_partners, 4},
                           {"target.partner", SM_U32, from->partner, 3},
                           {"target.value", SM_F64, from->value, 3},
                           {"target.weight", SM_F64, from->weight, n_weights},
                           {"target.diagonal", SM_F64, from->diagonal, n_diagonal}};
    return load_stored(kind, 4, held, 5, out);
}

#define ASSERT_SPOILT(...)                                                                                             \
    do {                                                                                                               \
        arrays spoilt = fine;                                                                                          \
        smerf_target *none = NULL;                                                                                     \
        __VA_ARGS__;                                                                                                   \
        assert_int_equal(load(&sm_target_pairs, &spoilt, 3, 4, &none), SMERF_BAD_FILE);                                \
        assert_int_equal(load(&sm_target_observed, &spoilt, 3, 4, &none), SMERF_BAD_FILE);                             \
        assert_null(none);                                                                                             \
    } while (0)

static void forged_arrays_are_refused(void **state) {
    (void)state;
    smerf_target *target = NULL;
    double row[4];
    assert_int_equal(load(&sm_target_observed, &fine, 3, 4, &target), SMERF_OK);
    assert_ptr_equal(target->kind, &sm_target_observed);
    target->kind->data.true_row(target, 3, row);
    assert_true(row[0] == 2 && row[1] == -1 && isnan(row[2]) && row[3] == 0);
    smerf_target_free(target);
    target = NULL;
    assert_int_equal(load(&sm_target_pairs, &fine, 2, 4, &target), SMERF_BAD_FILE);
    assert_int_equal(load(&sm_target_pairs, &fine, 3, 3, &target), SMERF_BAD_FILE);
    assert_null(target);
    ASSERT_SPOILT(spoilt.n_partners[0] = 2);
    ASSERT_SPOILT(spoilt.n_partners[1] = 1);
    ASSERT_SPOILT(spoilt.n_partners[3] = UINT32_MAX);
    ASSERT_SPOILT(spoilt.partner[0] = 0);
    ASSERT_SPOILT(spoilt.partner[1] = 3);
    ASSERT_SPOILT(spoilt.partner[2] = 4);
    ASSERT_SPOILT(spoilt.value[1] = NAN);
    ASSERT_SPOILT(spoilt.value[1] = 1e39);
    ASSERT_SPOILT(spoilt.weight[0] = 0);
    ASSERT_SPOILT(spoilt.weight[0] = -1);
    ASSERT_SPOILT(spoilt.weight[1] = NAN);
    ASSERT_SPOILT(spoilt.weight[2] = INFINITY);
    ASSERT_SPOILT(spoilt.weight[2] = 1e-60);
    ASSERT_SPOILT(spoilt.diagonal[3] = NAN);
    ASSERT_SPOILT(spoilt.diagonal[0] = -INFINITY);
}

static void kinds_are_found_by_their_names(void **state) {
    (void)state;
    assert_ptr_equal(sm_target_kind_find("pairs"), &sm_target_pairs);
    assert_ptr_equal(sm_target_kind_find("observed"), &sm_target_observed);
    assert_ptr_equal(sm_target_kind_find("graph"), &sm_target_graph);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_that_make_no_sense_are_refused_with_the_entry),
        cmocka_unit_test(edges_that_were_not_observed_are_refused_with_the_entry),
        cmocka_unit_test(plain_pairs_have_no_links),
        cmocka_unit_test(pairs_are_equal_if_all_their_numbers_are),
        cmocka_unit_test(similarities_are_noted_also_in_variants),
        cmocka_unit_test(forged_arrays_are_refused),
        cmocka_unit_test(kinds_are_found_by_their_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
