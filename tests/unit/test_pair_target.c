/* test_pair_target.c - pairs, and graphs of which some pairs are observed, answer every question as double sums over what
 * is known would; with nothing missing they are the matrix. */
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

/* The library asks for memory in one place. Here is a copy of it in which calls can be made to fail. */
static atomic_long n_calls, n_live;
static long failing_call; /* from 1; 0: none fails */
static bool no_zeros;

static bool must_fail(void) { return atomic_fetch_add(&n_calls, 1) + 1 == failing_call; }

static void *counted(void *array) {
    if (array != NULL) atomic_fetch_add(&n_live, 1);
    return array;
}

static void *try_malloc(size_t n) { return must_fail() ? NULL : counted(malloc(n)); }
static void *try_calloc(size_t n, size_t size) { return no_zeros || must_fail() ? NULL : counted(calloc(n, size)); }
static void *try_aligned_alloc(size_t to, size_t n) { return must_fail() ? NULL : counted(aligned_alloc(to, n)); }
static void *try_realloc(void *array, size_t n) {
    if (must_fail()) return NULL;
    return array == NULL ? counted(malloc(n)) : realloc(array, n);
}
static void counted_free(void *array) {
    if (array != NULL) atomic_fetch_sub(&n_live, 1);
    free(array);
}

#define malloc try_malloc
#define calloc try_calloc
#define aligned_alloc try_aligned_alloc
#define realloc try_realloc
#define free counted_free
#include "base/memory.c"
#undef malloc
#undef calloc
#undef aligned_alloc
#undef realloc
#undef free

#include "tests/unit/sparse.h"

#include "target/pairs.h"

/* ---- random pairs ---- */

typedef struct pairs_plan {
    size_t n;
    double density;               /* share of the pairs that are known */
    double repeated, conflicting; /* share of those that are given again, and with other values */
    bool has_weights, has_diagonal;
} pairs_plan;

/* Multiples of 1/8: sums of them are exact in any order, and so are float32 matrices. */
static double draw_eighths(sm_random *random) { return (sm_random_below(random, 33) - 8.0) / 8; }

static double draw_weight(sm_random *random, bool has_weights) {
    return has_weights ? (1 + sm_random_below(random, 24)) / 8.0 : 1;
}

/* Adds one pair to the list, as often as it likes, and what it comes to. */
static void draw_pair(known *all, listed *pairs, const pairs_plan *plan, size_t i, size_t j, sm_random *random,
                      smerf_pair_facts *facts) {
    double first = draw_eighths(random), sum = 0, weights = 0;
    size_t n = sm_random_uniform(random) < plan->repeated ? 2 + sm_random_below(random, 2) : 1;
    bool differs = n > 1 && sm_random_uniform(random) < plan->conflicting, is_conflict = false;
    for (size_t k = 0; k < n; k++) {
        double value = differs ? draw_eighths(random) : first, weight = draw_weight(random, plan->has_weights);
        if (k == 0) first = value;
        is_conflict = is_conflict || value != first;
        listed_add(pairs, i, j, value, weight);
        sum += weight * value;
        weights += weight;
    }
    all->z[i][j] = all->z[j][i] = sum / weights;
    all->omega[i][j] = all->omega[j][i] = i == j ? 1 : weights / (double)n;
    if (i == j) return;
    facts->n_pairs++;
    facts->n_repeated += n > 1;
    facts->n_conflicts += is_conflict;
}

static smerf_pair_facts draw_pairs(known *all, listed *pairs, const pairs_plan *plan, sm_random *random) {
    smerf_pair_facts facts = {0};
    all->n = plan->n;
    listed_start(pairs, true, plan->has_weights);
    for (size_t i = 0; i < plan->n; i++)
        for (size_t j = 0; j <= i; j++) {
            all->z[i][j] = all->z[j][i] = 0;
            all->omega[i][j] = all->omega[j][i] = i == j;
            bool is_given = i == j ? plan->has_diagonal && sm_random_below(random, 3) > 0
                                   : sm_random_uniform(random) < plan->density;
            if (is_given) draw_pair(all, pairs, plan, i, j, random, &facts);
        }
    for (size_t i = 0; i < plan->n; i++) {
        bool is_lonely = true;
        for (size_t j = 0; j < plan->n; j++) is_lonely = is_lonely && (i == j || all->omega[i][j] == 0);
        facts.n_unobserved += is_lonely;
    }
    listed_shuffle(pairs, random);
    return facts;
}

static smerf_target *target_of(const listed *pairs, size_t n) {
    smerf_target *target = NULL;
    smerf_error error;
    demand_ok(smerf_target_new_pairs(&pairs->list, n, &target, &error), &error);
    return target;
}

/* A graph, and the pairs of it that were looked at: both in any order and with repeats. */
static smerf_target *draw_observed(known *all, size_t n, double density, sm_random *random) {
    static listed edges, observed;
    all->n = n;
    listed_start(&edges, true, false);
    listed_start(&observed, sm_random_below(random, 2) == 0, sm_random_below(random, 2) == 0);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) {
            double value = sm_random_below(random, 3) == 0 ? draw_eighths(random) : 0;
            bool is_known = i == j || sm_random_uniform(random) < density, is_edge = i != j && is_known && value != 0;
            all->omega[i][j] = all->omega[j][i] = is_known;
            all->z[i][j] = all->z[j][i] = i == j ? 0 : is_edge ? 1 - value : is_known;
            for (size_t k = sm_random_below(random, 2); k < 2 && is_edge; k++) listed_add(&edges, i, j, value, 1);
            for (size_t k = sm_random_below(random, 2); k < 2 && is_known; k++) listed_add(&observed, i, j, NAN, NAN);
        }
    listed_shuffle(&edges, random);
    listed_shuffle(&observed, random);
    smerf_target *target = NULL;
    smerf_error error;
    demand_ok(smerf_target_new_graph(&edges.list, &observed.list, n, &target, &error), &error);
    return target;
}

static const double densities[] = {0, 0.01, 0.05, 0.3, 0.8, 1};

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

static void check_questions(known *all, smerf_target *target, uint64_t round) {
    assert_true(target->kind->may_be_silent);
    assert_near(target->kind->fallback(target), slow_fallback(all), 1e-13);
    check_truth(all, target);
    walk_trees(all, target, round);
    check_leaves(all, target);
}

/* As it is, and with another diagonal. */
static void check_target(known *all, smerf_target *target, uint64_t round) {
    smerf_target *variant;
    smerf_error error;
    check_questions(all, target, round);
    demand_ok(target->kind->with_diagonal(target, 1.25, &variant, &error), &error);
    assert_ptr_equal(variant->kind, target->kind);
    smerf_target_free(target); /* the variant holds on to it */
    for (size_t i = 0; i < all->n; i++) all->z[i][i] = 1.25;
    check_questions(all, variant, round);
    smerf_target_free(variant);
}

static void every_question_is_answered_from_the_observed_pairs(void **state) {
    static known all;
    static listed pairs;
    (void)state;
    const size_t sizes[] = {2, 3, 6, 21, 50, MOST_ITEMS, 1};
    for (uint64_t round = 0; round < 63; round++) {
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

static void every_question_is_answered_from_the_observed_pairs_of_a_graph(void **state) {
    static known all;
    (void)state;
    const size_t sizes[] = {2, 5, 21, 50, MOST_ITEMS};
    for (uint64_t round = 0; round < 60; round++) {
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
    for (uint64_t round = 0; round < 30; round++) {
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
        check_truth(&all, target);
        walk_trees(&all, target, round);
        check_leaves(&all, target);
        smerf_target_free(target);
    }
}

/* A row needs room of its own; without, it takes its time. */
static void without_memory_a_row_of_leaves_is_the_same(void **state) {
    static known all;
    static listed pairs;
    (void)state;
    for (uint64_t round = 0; round < 12; round++) {
        sm_random random;
        sm_random_start(&random, round, 3, 3);
        const pairs_plan plan = {.n = 40, .density = densities[round % 6], .has_weights = true};
        draw_pairs(&all, &pairs, &plan, &random);
        smerf_target *target = target_of(&pairs, plan.n);
        tree_of_leaves tree;
        grow_leaves(&tree, target, plan.n, round);
        double row[MOST_ITEMS], again[MOST_ITEMS], scratch[MOST_ITEMS];
        for (size_t l = 0; l < tree.leaves.n; l++) {
            target->kind->leaf_row(target, &tree.leaves, l, row, scratch);
            no_zeros = true;
            target->kind->leaf_row(target, &tree.leaves, l, again, scratch);
            no_zeros = false;
            for (size_t k = 0; k < tree.leaves.n; k++)
                assert_true(isnan(row[k]) ? isnan(again[k]) : row[k] == again[k]);
        }
        fell(&tree, target);
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
    void *summary = target->kind->summarise(target, &leaves);
    leaves.summary = summary;
    double row[3], scratch[3];
    target->kind->leaf_row(target, &leaves, 1, row, scratch);
    assert_true(row[0] == 5);   /* nothing in {0, 1}, twice; then the root */
    assert_true(row[1] == 0.5); /* of item 1 and itself */
    assert_true(row[2] == 5);   /* {0, 1} against all */
    assert_true(target->kind->leaf_pair(target, &leaves, 0, 2) == 5);
    assert_true(isnan(target->kind->mean_apart(target, &leaves, 0, 2)));
    assert_true(target->kind->mean_apart(target, &leaves, 0, 3) == 5);
    target->kind->summary_free(summary);
    smerf_target_free(target);

    pairs.list.n = 0; /* nothing is known of two items */
    target = target_of(&pairs, 3);
    leaves.summary = summary = target->kind->summarise(target, &leaves);
    target->kind->leaf_row(target, &leaves, 1, row, scratch);
    assert_true(isnan(row[0]) && row[1] == 0 && isnan(row[2]));
    assert_true(isnan(target->kind->leaf_pair(target, &leaves, 2, 0)));
    assert_true(target->kind->leaf_pair(target, &leaves, 2, 2) == 0);
    assert_true(target->kind->fallback(target) == 0);
    target->kind->summary_free(summary);
    smerf_target_free(target);
}

/* ---- forests ---- */

/* Nothing missing, in any order and with repeats that come to the value: the forest of the matrix. */
static void with_nothing_missing_forests_are_those_of_the_matrix(void **state) {
    static known all;
    static listed pairs;
    (void)state;
    for (uint64_t round = 0; round < 200; round++) {
        sm_random random;
        sm_random_start(&random, round, 4, 3);
        size_t n = 2 + sm_random_below(&random, 59);
        data_set *data = draw_data(&random, n, round);
        smerf_options options = draw_options(&random);
        smerf_target *target;
        if (round % 3 == 0) {
            target = draw_observed(&all, n, 1, &random);
        } else {
            const pairs_plan plan = {.n = n, .density = 1, .repeated = 0.2, .has_diagonal = round % 2 == 0};
            draw_pairs(&all, &pairs, &plan, &random);
            target = target_of(&pairs, n);
        }
        check_forest(data, target, &all, &options, round % 7 == 0);
        smerf_target_free(target);
        data_set_free(data);
    }
}

/* A tree of a model, as leaves. */
static void leaves_of(tree_of_leaves *tree, const smerf_tree_view *view, const double *weights) {
    *tree = (tree_of_leaves){.leaves = {.n = view->n_leaves, .n_nodes = view->n_nodes}};
    for (size_t node = view->n_nodes; node-- > 0;) {
        size_t place = view->place[node];
        if (view->is_leaf[node]) {
            tree->node[place] = (uint32_t)node;
            tree->first_leaf[node] = (uint32_t)place;
            tree->end_leaf[node] = (uint32_t)place + 1;
        } else {
            size_t right = view->right[place];
            tree->parent[node + 1] = tree->parent[right] = (uint32_t)node;
            tree->first_leaf[node] = tree->first_leaf[node + 1];
            tree->end_leaf[node] = tree->end_leaf[right];
        }
    }
    for (size_t m = 0; m < view->first_member[view->n_leaves]; m++)
        tree->weight[m] = view->member_draws[m] * weights[view->member_item[m]];
    tree->leaves.first = view->first_member;
    tree->leaves.item = view->member_item;
    tree->leaves.weight = tree->weight;
    tree->leaves.parent = tree->parent;
    tree->leaves.first_leaf = tree->first_leaf;
    tree->leaves.end_leaf = tree->end_leaf;
    tree->leaves.node = tree->node;
}

/* Where the trees know nothing of each other's leaves they are left out. */
static void check_predictions(const smerf_model *model, const data_set *data, const known *all, const double *weights,
                              size_t n_trees) {
    static tree_of_leaves trees[8];
    static smerf_tree_view views[8];
    const smerf_question question = {.rows = data->items};
    double *found = predict_all(model, &question, NULL);
    for (size_t b = 0; b < n_trees; b++) {
        smerf_model_tree(model, b, &views[b]);
        leaves_of(&trees[b], &views[b], weights);
    }
    for (size_t i = 0; i < all->n; i++)
        for (size_t j = 0; j < all->n; j++) {
            double sum = 0;
            size_t n_spoken = 0;
            for (size_t b = 0; b < n_trees; b++) {
                slow_sums sums = slow_climb(all, &trees[b].leaves, slow_leaf(model, &views[b], data, i),
                                            slow_leaf(model, &views[b], data, j));
                if (sums.pairs == 0) continue;
                sum += slow_ratio(&sums);
                n_spoken++;
            }
            if (n_spoken > 0) assert_near(found[i * all->n + j], sum / (double)n_spoken, 1e-11);
        }
    free(found);
}

static void predictions_back_off_where_pairs_are_missing(void **state) {
    static known all;
    static listed pairs;
    (void)state;
    for (uint64_t round = 0; round < 60; round++) {
        sm_random random;
        sm_random_start(&random, round, 5, 3);
        const pairs_plan plan = {.n = 2 + sm_random_below(&random, 59),
                                 .density = densities[1 + round % 4],
                                 .has_weights = round % 2 == 0,
                                 .has_diagonal = round % 3 == 0};
        draw_pairs(&all, &pairs, &plan, &random);
        data_set *data = data_set_new(
            (data_plan){.n_items = plan.n, .n_numbers = 3, .n_categories = round % 2, .missing = 0.1, .seed = round});
        double weights[MOST_ITEMS];
        smerf_error error;
        for (size_t i = 0; i < plan.n; i++) weights[i] = 0.5 + sm_random_uniform(&random);
        demand_ok(smerf_items_set_weights(data->items, "w", weights, &error), &error);
        smerf_options options = options_for(5);
        options.complete = SMERF_COMPLETE_OFF;
        options.min_parent = 2 + sm_random_below(&random, 6);
        smerf_target *target = target_of(&pairs, plan.n);
        smerf_model *model = NULL, *alone = NULL;
        const smerf_run one_thread = {.n_threads = 1};
        demand_ok(smerf_fit(data->items, target, &options, NULL, &model, &error), &error);
        demand_ok(smerf_fit(data->items, target, &options, &one_thread, &alone, &error), &error);
        check_predictions(model, data, &all, weights, 5);
        assert_same_predictions(model, alone, data->items, true, 0);
        if (round % 6 == 0) {
            assert_same_model(model, alone);
            assert_survives(model, data->items);
        }
        smerf_model_free(model);
        smerf_model_free(alone);
        smerf_target_free(target);
        data_set_free(data);
    }
}

/* ---- lists ---- */

static void assert_refused(const listed *pairs, size_t n, size_t row, const char *words) {
    smerf_target *target = NULL;
    smerf_error error = {0};
    assert_int_equal(smerf_target_new_pairs(&pairs->list, n, &target, &error), SMERF_BAD_INPUT);
    assert_null(target);
    assert_int_equal(error.row, row);
    if (strstr(error.message, words) == NULL) fail_msg("said \"%s\" and not \"%s\"", error.message, words);
}

static void lists_that_make_no_sense_are_refused_with_the_entry(void **state) {
    static listed pairs;
    (void)state;
    const double wrong_weights[] = {0, -1, 1e-51, 1e51, INFINITY, NAN};
    const double wrong_values[] = {INFINITY, -INFINITY, NAN, 4e38, -1e300};
    listed_start(&pairs, true, true);
    assert_refused(&pairs, 0, SMERF_NOWHERE, "no items");
    listed_add(&pairs, 0, 1, 1, 1);
    listed_add(&pairs, 2, 1, 1, 1);
    assert_refused(&pairs, 2, 1, "(2, 1) is none of 2 items");
    for (size_t k = 0; k < sizeof wrong_weights / sizeof *wrong_weights; k++) {
        pairs.weight[1] = wrong_weights[k];
        assert_refused(&pairs, 3, 1, "weight");
    }
    pairs.weight[1] = 1;
    for (size_t k = 0; k < sizeof wrong_values / sizeof *wrong_values; k++) {
        pairs.value[1] = wrong_values[k];
        assert_refused(&pairs, 3, 1, "finite");
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
    target->kind->true_row(target, 1, row);
    assert_true(row[0] == 1 && row[1] == 0 && isnan(row[2]) && row[3] == 0);
    assert_true(target->kind->is_link(row[3]) && !target->kind->is_link(row[0]));
    assert_int_equal(smerf_target_metrics(target), (1u << SMERF_N_METRICS) - 1);
    smerf_target_free(target);
}

static void plain_pairs_have_no_links(void **state) {
    static listed pairs;
    (void)state;
    listed_start(&pairs, false, false);
    listed_add(&pairs, 0, 1, 1, 1);
    smerf_target *target = target_of(&pairs, 2);
    assert_null(target->kind->is_link);
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
    assert_true(a->kind->equal(a, same));
    for (size_t k = 0; k < 4; k++) {
        assert_false(a->kind->equal(a, others[k]));
        smerf_target_free(others[k]);
    }
    smerf_target *variant;
    smerf_error error;
    demand_ok(a->kind->with_diagonal(a, 0, &variant, &error), &error);
    assert_false(a->kind->equal(a, variant));
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
    demand_ok(target->kind->with_diagonal(target, 1, &variant, &error), &error);
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
    sm_tensors tensors = {0};
    smerf_error error;
    demand_ok(sm_tensors_add(&tensors, "target.n_partners", SM_U32, from->n_partners, 4, &error), &error);
    demand_ok(sm_tensors_add(&tensors, "target.partner", SM_U32, from->partner, 3, &error), &error);
    demand_ok(sm_tensors_add(&tensors, "target.value", SM_F64, from->value, 3, &error), &error);
    demand_ok(sm_tensors_add(&tensors, "target.weight", SM_F64, from->weight, n_weights, &error), &error);
    demand_ok(sm_tensors_add(&tensors, "target.diagonal", SM_F64, from->diagonal, n_diagonal, &error), &error);
    smerf_status status = kind->load(&tensors, 4, out, &error);
    sm_tensors_free(&tensors);
    return status;
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
    target->kind->true_row(target, 3, row);
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

/* ---- without memory ---- */

enum { GRAPH, PAIRS, OBSERVED };

/* Makes a target and asks everything of it that needs memory. */
static smerf_status live_once(int kind, const data_set *data, const listed *edges, const listed *pairs,
                              smerf_error *error) {
    smerf_target *target = NULL, *variant = NULL, *again = NULL;
    size_t n = data->plan.n_items;
    sm_tensors tensors = {0};
    const sm_search_size size = {.n_items = n, .n_levels = 4, .n_line_ups = 1, .n_threads = 1};
    sm_search *search = NULL;
    tree_of_leaves tree;
    smerf_status status =
        kind == PAIRS ? smerf_target_new_pairs(&pairs->list, n, &target, error)
                      : smerf_target_new_graph(&edges->list, kind == GRAPH ? NULL : &pairs->list, n, &target, error);
    if (status == SMERF_OK) status = target->kind->with_diagonal(target, 1, &variant, error);
    if (status == SMERF_OK) status = variant->kind->save(variant, &tensors, error);
    if (status == SMERF_OK) status = variant->kind->load(&tensors, n, &again, error);
    if (status == SMERF_OK) {
        search = again->kind->search_new(again, &size, error);
        if (search == NULL) status = error->status;
    }
    if (status == SMERF_OK) {
        again->kind->search_free(search);
        plant(&tree, n, 1);
        void *summary = again->kind->summarise(again, &tree.leaves);
        if (summary == NULL)
            status = sm_fail(error, SMERF_NO_MEMORY, "no summary");
        else
            again->kind->summary_free(summary);
    }
    sm_tensors_free(&tensors);
    smerf_target_free(target);
    smerf_target_free(variant);
    smerf_target_free(again);
    return status;
}

static void every_failed_allocation_is_reported_and_leaks_nothing(void **state) {
    static known all;
    static listed edges, pairs;
    (void)state;
    sm_random random;
    sm_random_start(&random, 1, 6, 3);
    const pairs_plan plan = {.n = 12, .density = 1, .repeated = 0.5, .has_weights = true, .has_diagonal = true};
    draw_pairs(&all, &pairs, &plan, &random);
    listed_start(&edges, true, false);
    for (size_t i = 1; i < 12; i++) listed_add(&edges, i, i / 2, 0.5, 1);
    data_set *data = plain_data(12);
    for (int kind = GRAPH; kind <= OBSERVED; kind++) {
        long before = n_live;
        for (long k = 1;; k++) {
            smerf_error error = {0};
            n_calls = 0;
            failing_call = k;
            smerf_status status = live_once(kind, data, &edges, &pairs, &error);
            failing_call = 0;
            assert_int_equal(n_live, before);
            if (n_calls < k) {
                demand_ok(status, &error);
                assert_true(k > 20);
                break;
            }
            assert_int_equal(status, SMERF_NO_MEMORY);
            assert_true(error.status == SMERF_NO_MEMORY && error.message[0] != '\0');
        }
    }
    data_set_free(data);
}

static void kinds_are_found_by_their_names(void **state) {
    (void)state;
    assert_ptr_equal(sm_target_kind_find("pairs"), &sm_target_pairs);
    assert_ptr_equal(sm_target_kind_find("observed"), &sm_target_observed);
    assert_ptr_equal(sm_target_kind_find("graph"), &sm_target_graph);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_question_is_answered_from_the_observed_pairs),
        cmocka_unit_test(every_question_is_answered_from_the_observed_pairs_of_a_graph),
        cmocka_unit_test(extreme_weights_of_pairs_do_no_harm),
        cmocka_unit_test(without_memory_a_row_of_leaves_is_the_same),
        cmocka_unit_test(leaves_climb_together_until_something_is_known),
        cmocka_unit_test(with_nothing_missing_forests_are_those_of_the_matrix),
        cmocka_unit_test(predictions_back_off_where_pairs_are_missing),
        cmocka_unit_test(lists_that_make_no_sense_are_refused_with_the_entry),
        cmocka_unit_test(edges_that_were_not_observed_are_refused_with_the_entry),
        cmocka_unit_test(plain_pairs_have_no_links),
        cmocka_unit_test(pairs_are_equal_if_all_their_numbers_are),
        cmocka_unit_test(similarities_are_noted_also_in_variants),
        cmocka_unit_test(forged_arrays_are_refused),
        cmocka_unit_test(every_failed_allocation_is_reported_and_leaks_nothing),
        cmocka_unit_test(kinds_are_found_by_their_names),
    };
    return cmocka_run_group_tests(tests, files_enter, files_leave);
}
