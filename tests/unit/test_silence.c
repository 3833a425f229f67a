/* test_silence.c - what is predicted where some trees, or all, have nothing to say of a pair. */
#include "tests/unit/questions.h"

/* The members of the nodes above an item's leaf, and of the leaf, from the root on; returns how many nodes. */
static size_t slow_path(const smerf_model *model, const smerf_tree_view *tree, const data_set *data, size_t item,
                        size_t members[][2]) {
    size_t node = 0, first_leaf = 0, n_leaves = tree->n_leaves, n = 0;
    for (;;) {
        members[n][0] = tree->first_member[first_leaf];
        members[n++][1] = tree->first_member[first_leaf + n_leaves];
        if (tree->is_leaf[node]) return n;
        size_t split = tree->index[node], n_left = 0;
        for (size_t k = node + 1; k < tree->right[split]; k++) n_left += tree->is_leaf[k];
        bool goes_left = slow_goes_left(model, tree, split, data, item);
        first_leaf += goes_left ? 0 : n_left;
        n_leaves = goes_left ? n_left : n_leaves - n_left;
        node = goes_left ? node + 1 : tree->right[split];
    }
}

/* What one tree says of a pair; NaN: nothing. */
static double slow_word(const smerf_model *model, const smerf_tree_view *tree, const data_set *data, size_t i, size_t j,
                        bool is_apart, bool has_silence) {
    size_t from = slow_leaf(model, tree, data, i), to = slow_leaf(model, tree, data, j), members[64][2];
    if (!is_apart || from != to)
        return has_silence && fake_is_silent(tree->n_leaves, from, to)
                   ? NAN
                   : slow_leaf_distance(data, tree, from, to, NULL, NULL);
    double apart = NAN;
    for (size_t n = slow_path(model, tree, data, i, members); n > 0 && isnan(apart); n--)
        apart = slow_mean(data, tree, members[n - 1], members[n - 1], NULL, NULL, true);
    return apart;
}

static double slow_answer(const smerf_model *model, const data_set *data, size_t i, size_t j,
                          const smerf_oob_rule *rule, bool is_apart, bool has_silence) {
    smerf_description description = SMERF_INIT(smerf_description);
    double sum = 0, n = 0;
    bool is_allowed = false;
    smerf_model_describe(model, &description, NULL);
    for (size_t b = 0; b < description.options->n_trees; b++) {
        smerf_tree_view tree = SMERF_INIT(smerf_tree_view);
        smerf_model_tree(model, b, &tree, NULL);
        if (rule != NULL && !may_speak(&tree, i, j, *rule)) continue;
        double word = slow_word(model, &tree, data, i, j, is_apart, has_silence);
        is_allowed = true;
        sum += isnan(word) ? 0 : word;
        n += !isnan(word);
    }
    if (n > 0 || !is_allowed) return sum / n; /* NaN if no tree may speak */
    return is_apart ? slow_answer(model, data, i, j, rule, false, has_silence) : has_silence ? FAKE_FALLBACK : NAN;
}

/* How many pairs no tree had a word for that it might have said; rows and pairs, under all limits. */
static size_t assert_predictor(const smerf_model *model, const data_set *data, const smerf_oob_rule *rule,
                               bool is_apart, bool has_silence) {
    size_t n = data->plan.n_items, n_rare = 0;
    smerf_request request = SMERF_INIT(smerf_request, .rows = data->items, .out_of_bag = rule != NULL);
    if (rule != NULL) request.oob_rule = *rule;
    double *found = predict_all(model, &request, NULL);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) {
            double expected = slow_answer(model, data, i, j, rule, is_apart, has_silence);
            assert_near(found[i * n + j], expected, 1e-12);
            n_rare += expected == FAKE_FALLBACK;
        }
    free(found);
    return n_rare;
}

static void silent_trees_are_left_out_and_if_all_are_the_fallback_speaks(void **state) {
    (void)state;
    const smerf_oob_rule both = SMERF_OOB_BOTH, either = SMERF_OOB_EITHER;
    for (int is_apart = 0; is_apart < 2; is_apart++) {
        data_set *data = mixed_data(25);
        smerf_options options = options_for(4);
        options.self_distance = is_apart == 1 ? SMERF_SELF_EXCLUDE : SMERF_SELF_GIVEN;
        smerf_model *model = fit_with(data, &options, NULL);
        pretend(data->target, WITH_SILENCE);
        assert_true(assert_predictor(model, data, NULL, is_apart == 1, true) > 0);
        assert_true(assert_predictor(model, data, &both, is_apart == 1, true) > 0);
        assert_true(assert_predictor(model, data, &either, is_apart == 1, true) > 0);
        smerf_model_free(model);
        data_set_free(data);
    }
}

/* A handful of items: many trees are grown on one of them, and have no pair of different items. */
static void without_a_pair_of_different_items_own_distances_count_after_all(void **state) {
    (void)state;
    const smerf_oob_rule both = SMERF_OOB_BOTH, either = SMERF_OOB_EITHER;
    for (size_t n = 2; n <= 5; n++)
        for (size_t n_trees = 1; n_trees <= 6; n_trees++) {
            data_set *data = mixed_data(n);
            smerf_options options = options_for(n_trees);
            options.self_distance = SMERF_SELF_EXCLUDE;
            smerf_model *model = fit_with(data, &options, NULL);
            assert_predictor(model, data, NULL, true, false);
            assert_predictor(model, data, &both, true, false);
            assert_predictor(model, data, &either, true, false);
            pretend(data->target, WITH_SILENCE);
            assert_predictor(model, data, NULL, true, true);
            assert_predictor(model, data, &both, true, true);
            assert_predictor(model, data, &either, true, true);
            smerf_model_free(model);
            data_set_free(data);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(silent_trees_are_left_out_and_if_all_are_the_fallback_speaks),
        cmocka_unit_test(without_a_pair_of_different_items_own_distances_count_after_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
