/* test_approximate_trees.c - trees on a dense matrix are those that exact costs give, though large nodes are priced approximately first; to
 * the same bits with any kernels and number of threads. */
#include "model/model.h"
#include "tests/unit/forests.h"

#include "target/target.h"
#include "tests/unit/engines.h"

typedef struct plan {
    data_plan data;
    bool has_few;     /* different numbers and distances: cuts are as good as others all the time */
    bool has_doubles; /* the same column twice */
    smerf_options options;
} plan;

static void coarsen(data_set *data, const plan *of) {
    size_t n = of->data.n_items;
    for (size_t k = 0; k < of->data.n_numbers * n && of->has_few; k++) data->values[k] = round(2 * data->values[k]);
    for (size_t k = 0; k < n * n && of->has_few; k++) data->z[k] = roundf(data->z[k]);
    if (of->has_doubles) memcpy(data->values + n, data->values, n * sizeof *data->values);
}

static data_set *draw_data(const plan *of) {
    data_set *data = data_set_start(of->data);
    sm_random random;
    sm_random_start(&random, of->data.seed, 77, of->data.n_items);
    draw_features(data, &random);
    coarsen(data, of);
    draw_distances(data, &random);
    coarsen(data, of);
    data_set_finish(data);
    return data;
}

/* The same splits, and gains that are the same but for rounding. */
static void assert_same_trees(const smerf_model *a, const smerf_model *b, size_t n_trees) {
    for (size_t t = 0; t < n_trees; t++) {
        const sm_tree *left = &a->trees[t], *right = &b->trees[t];
        assert_int_equal(left->n_nodes, right->n_nodes);
        assert_memory_equal(left->index, right->index, left->n_nodes * sizeof *left->index);
        assert_memory_equal(left->threshold, right->threshold, left->n_splits * sizeof *left->threshold);
        assert_memory_equal(left->missing_left, right->missing_left, left->n_splits);
        assert_memory_equal(left->first_term, right->first_term, (left->n_splits + 1) * sizeof *left->first_term);
        size_t n_terms = left->first_term[left->n_splits];
        assert_memory_equal(left->term_feature, right->term_feature, n_terms * sizeof *left->term_feature);
        size_t n_members = left->first_member[left->n_leaves];
        assert_memory_equal(left->member_item, right->member_item, n_members * sizeof *left->member_item);
        double size = left->n_splits > 0 ? 10 * (double)n_members : 0; /* about what a root costs */
        for (size_t s = 0; s < left->n_splits; s++) assert_near(left->gain[s], right->gain[s], 1e-13 * size);
    }
}

/* Growing without approximate costs, which is how it was before. */
static void assert_approximate_costs_change_nothing(const plan *of) {
    data_set *data = draw_data(of);
    const sm_target_kind *usual = data->target->kind;
    sm_engine exact = *plain_engine(usual);
    sm_target_kind without = *usual;
    exact.best_cut = sm_best_by_costs;
    without.engines[0] = &exact;
    smerf_model *approximately = fit_with(data, &of->options, NULL);
    data->target->kind = &without;
    smerf_model *exactly = fit_with(data, &of->options, NULL);
    data->target->kind = usual;
    assert_same_trees(approximately, exactly, of->options.n_trees);
    const smerf_run runs[] = {SMERF_INIT(smerf_run, .n_threads = 1, .kernels = SMERF_KERNELS_PLAIN),
                              SMERF_INIT(smerf_run, .n_threads = of->options.n_trees)};
    for (size_t r = 0; r < sizeof runs / sizeof *runs; r++) {
        smerf_model *model = fit_with(data, &of->options, &runs[r]);
        for (size_t t = 0; t < of->options.n_trees; t++) assert_true(same_tree(model, t, approximately, t));
        smerf_model_free(model);
    }
    smerf_model_free(approximately);
    smerf_model_free(exactly);
    data_set_free(data);
}

static void trees_are_those_of_exact_costs(void **state) {
    (void)state;
    for (unsigned way = 0; way < 16; way++) {
        plan of = {.data = {.n_items = 500,
                            .n_numbers = 8,
                            .n_categories = way & 1,
                            .missing = way & 2 ? 0.1 : 0,
                            .has_diagonal = way % 3 == 0,
                            .seed = way},
                   .has_few = (way & 4) != 0,
                   .has_doubles = way % 5 == 1,
                   .options = options_for(4)};
        of.options.candidates = 6;
        of.options.splits = way & 8 ? SMERF_OBLIQUE : SMERF_AXIS;
        of.options.sample = way % 3 == 1 ? SMERF_NO_SAMPLE : SMERF_BOOTSTRAP;
        of.options.max_depth = way % 4 == 3 ? 2 : SMERF_NO_LIMIT;
        of.options.min_parent = way % 4 == 2 ? 150 : 2;
        assert_approximate_costs_change_nothing(&of);
    }
}

/* Many threads have little room each: candidates are priced a batch at a time, and the best may be in any. */
static void trees_are_the_same_in_batches(void **state) {
    (void)state;
    for (unsigned way = 0; way < 2; way++) {
        plan of = {.data = {.n_items = 1400, .n_numbers = 24, .missing = 0, .seed = way},
                   .has_few = way == 1,
                   .options = options_for(8)};
        of.options.candidates = 24;
        of.options.sample = SMERF_NO_SAMPLE;
        of.options.max_depth = 1;
        sm_search_size size = {.n_items = 1400, .n_line_ups = 24, .n_threads = 8, .list_bytes = 4 * 25};
        data_set *data = draw_data(&of);
        assert_int_equal(plain_engine(data->target->kind)->pricing->n_at_once(data->target, &size), 12);
        data_set_free(data);
        assert_approximate_costs_change_nothing(&of);
    }
}

/* ---- cuts that are nearly as good as each other ---- */

static size_t n_moves, n_repriced;
static const sm_approximation *counted;

static void count_move(sm_search *search, const sm_node *node, const uint32_t *order, size_t from, size_t to,
                       double *left, double *right) {
    n_moves++;
    counted->move_cut(search, node, order, from, to, left, right);
}

static void count_repriced(sm_search *search, const sm_node *node, const uint32_t *order, size_t n_left, double *left,
                           double *right) {
    n_repriced++;
    counted->price_cut(search, node, order, n_left, left, right);
}

/* Two groups that are mirror images of each other, 1 apart, and some items between them along the first column, which lean
 * towards the second group or the first. Cuts on both sides of these are as good as each other but for that. */
static data_set *draw_groups(size_t n, size_t n_between, double lean, uint64_t seed) {
    data_set *data = data_set_start((data_plan){.n_items = n, .n_numbers = 4, .seed = seed});
    size_t first = (n - n_between) / 2, end = first + n_between;
    sm_random random;
    sm_random_start(&random, seed, 78, n);
    draw_features(data, &random);
    for (size_t i = 0; i < n; i++) {
        data->values[i] = (double)i;
        for (size_t j = 0; j < n; j++) {
            int group = i < first ? -1 : i >= end, other = j < first ? -1 : j >= end;
            size_t depth = i < n - 1 - i ? i : n - 1 - i, other_depth = j < n - 1 - j ? j : n - 1 - j;
            double within = i == j ? 0 : 0.1 + 0.2 * (double)((depth * other_depth + depth + other_depth) % 97) / 97;
            double apart = group * other == -1 ? 1 : group == other ? within : 0.5 - lean * (group + other);
            data->z[i * n + j] = (float)apart;
        }
    }
    data_set_finish(data);
    return data;
}

/* Grows one split in both ways.   n_moves, n_repriced  out: how the approximate one came about */
static void assert_same_split(size_t n, size_t n_between, double lean) {
    data_set *data = draw_groups(n, n_between, lean, 5);
    smerf_options options = options_for(1);
    options.candidates = 4;
    options.sample = SMERF_NO_SAMPLE;
    options.max_depth = 1;
    const sm_target_kind *usual = data->target->kind;
    counted = plain_engine(usual)->approximation;
    sm_approximation counting_cuts = *counted;
    counting_cuts.move_cut = count_move;
    counting_cuts.price_cut = count_repriced;
    sm_engine counting_engine = *plain_engine(usual), exact = *plain_engine(usual);
    counting_engine.approximation = &counting_cuts;
    exact.best_cut = sm_best_by_costs;
    sm_target_kind counting = *usual, without = *usual;
    counting.engines[0] = &counting_engine;
    without.engines[0] = &exact;
    n_moves = n_repriced = 0;
    data->target->kind = &counting;
    smerf_model *approximately = fit_with(data, &options, NULL);
    data->target->kind = &without;
    smerf_model *exactly = fit_with(data, &options, NULL);
    data->target->kind = usual;
    assert_same_trees(approximately, exactly, 1);
    smerf_model_free(approximately);
    smerf_model_free(exactly);
    data_set_free(data);
}

static void cuts_near_each_other_are_told_apart_by_what_lies_between(void **state) {
    (void)state;
    static const double leans[] = {1e-5, -1e-5, 3e-6, -3e-6};
    for (size_t i = 0; i < sizeof leans / sizeof *leans; i++) {
        assert_same_split(801, 1, leans[i]);
        assert_int_equal(n_moves, 1);
        assert_int_equal(n_repriced, 0);
    }
}

/* As good as each other, or so near to it that only exact costs tell; farther apart than is worth looking at; not in question. */
static void other_cuts_are_priced_exactly(void **state) {
    (void)state;
    assert_same_split(801, 1, 0);
    for (double lean = 1e-9; lean < 1e-2; lean *= 1.7) {
        assert_same_split(801, 1, lean);
        assert_same_split(801, 1, -lean);
        assert_same_split(801, 3, lean);
        assert_same_split(801, 3, -lean);
    }
    assert_same_split(801, 21, 1e-7);
    assert_int_equal(n_moves, 0);
    assert_same_split(801, 1, 0.1);
    assert_int_equal(n_moves + n_repriced, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trees_are_those_of_exact_costs),
        cmocka_unit_test(trees_are_the_same_in_batches),
        cmocka_unit_test(cuts_near_each_other_are_told_apart_by_what_lies_between),
        cmocka_unit_test(other_cuts_are_priced_exactly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
