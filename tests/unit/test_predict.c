/* test_predict.c - a predicted distance is the mean over the trees of the mean between two leaves, the same to the last
 * bit whoever asks and however; out of bag only those speak who may. */
#include "tests/unit/fake_kinds.h"

#include <pthread.h>

#include "query/asked.h"

enum { N = 60, N_TREES = 15 };

static const smerf_run one_thread = {.n_threads = 1};

/* ---- as the paper says ---- */

/* Which trees have a say out of bag. */
static bool may_speak(const smerf_tree_view *tree, size_t i, size_t j, smerf_oob_rule rule) {
    bool i_is_out = slow_draws(tree, i) == 0, j_is_out = slow_draws(tree, j) == 0;
    return rule == SMERF_OOB_BOTH ? i_is_out && j_is_out : i_is_out || j_is_out;
}

/* Eq. (3), and the spread over the trees. In the bag: a NULL rule. */
static double slow_distance(const smerf_model *model, const data_set *data, const double *weights, size_t i, size_t j,
                            const smerf_oob_rule *rule, double *spread) {
    smerf_description description;
    double values[500], sum = 0, squares = 0;
    size_t n = 0;
    smerf_model_describe(model, &description);
    for (size_t b = 0; b < description.options.n_trees; b++) {
        smerf_tree_view tree;
        smerf_model_tree(model, b, &tree);
        if (rule != NULL && !may_speak(&tree, i, j, *rule)) continue;
        size_t from = slow_leaf(model, &tree, data, i), to = slow_leaf(model, &tree, data, j);
        sum += values[n++] = slow_leaf_distance(data, &tree, from, to, weights, NULL);
    }
    double mean = sum / (double)n; /* NaN if no tree speaks */
    for (size_t k = 0; k < n; k++) squares += (values[k] - mean) * (values[k] - mean);
    if (spread != NULL) *spread = n == 1 ? 0 : n == 0 ? NAN : sqrt(squares / (double)(n - 1));
    return mean;
}

static void assert_as_told(const smerf_model *model, const data_set *data, const double *weights,
                           const smerf_oob_rule *rule) {
    size_t n = data->plan.n_items;
    const smerf_question question = {
        .rows = data->items, .out_of_bag = rule != NULL, .oob_rule = rule != NULL ? *rule : SMERF_OOB_AS_FITTED};
    double *found = predict_all(model, &question, NULL);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            assert_near(found[i * n + j], slow_distance(model, data, weights, i, j, rule, NULL), 1e-12);
    free(found);
}

static smerf_model *fit_small(const data_set *data, smerf_splits splits) {
    smerf_options options = options_for(N_TREES);
    options.splits = splits;
    options.min_parent = 4; /* so that leaves hold several items */
    return fit_with(data, &options, NULL);
}

static void a_distance_is_the_mean_over_trees_of_the_mean_between_leaves(void **state) {
    (void)state;
    data_set *data = mixed_data(N);
    for (int splits = 0; splits < 2; splits++) {
        smerf_model *model = fit_small(data, splits == 0 ? SMERF_AXIS : SMERF_OBLIQUE);
        assert_as_told(model, data, NULL, NULL);
        smerf_model_free(model);
    }
    data_set_free(data);
}

static void item_weights_weigh_the_mean_between_leaves(void **state) {
    (void)state;
    data_set *data = mixed_data(N);
    double weights[N];
    for (size_t i = 0; i < N; i++) weights[i] = 0.25 + (double)(i * 7 % 11);
    smerf_error error;
    demand_ok(smerf_items_set_weights(data->items, "w", weights, &error), &error);
    smerf_model *model = fit_small(data, SMERF_AXIS);
    assert_as_told(model, data, weights, NULL);
    smerf_model_free(model);
    data_set_free(data);
}

static void out_of_bag_only_trees_speak_that_have_not_seen_the_items(void **state) {
    (void)state;
    data_set *data = mixed_data(N);
    const smerf_oob_rule both = SMERF_OOB_BOTH, either = SMERF_OOB_EITHER;
    smerf_model *model = fit_small(data, SMERF_AXIS);
    assert_as_told(model, data, NULL, &both);
    assert_as_told(model, data, NULL, &either);
    smerf_model_free(model);
    data_set_free(data);
}

static void the_rule_is_the_models_unless_the_question_has_one(void **state) {
    (void)state;
    data_set *data = mixed_data(N);
    const smerf_oob_rule rules[2] = {SMERF_OOB_BOTH, SMERF_OOB_EITHER};
    for (size_t k = 0; k < 2; k++) {
        smerf_options options = options_for(N_TREES);
        options.oob_rule = rules[k];
        smerf_model *model = fit_with(data, &options, NULL);
        const smerf_question fitted = {.rows = data->items, .out_of_bag = true, .oob_rule = SMERF_OOB_AS_FITTED};
        const smerf_question told = {.rows = data->items, .out_of_bag = true, .oob_rule = rules[k]};
        double *as_fitted = predict_all(model, &fitted, NULL), *as_told = predict_all(model, &told, NULL);
        assert_memory_equal(as_fitted, as_told, N * N * sizeof *as_told);
        free(as_fitted);
        free(as_told);
        smerf_model_free(model);
    }
    data_set_free(data);
}

/* One tree: a pair that it has seen has nobody to speak for it. */
static void a_pair_that_no_tree_can_speak_for_is_nan(void **state) {
    (void)state;
    data_set *data = plain_data(20);
    const smerf_options options = options_for(1);
    smerf_model *model = fit_with(data, &options, NULL);
    const smerf_question question = {.rows = data->items, .out_of_bag = true, .oob_rule = SMERF_OOB_BOTH};
    double *found = predict_all(model, &question, NULL);
    smerf_tree_view tree;
    smerf_model_tree(model, 0, &tree);
    for (size_t i = 0; i < 20; i++)
        for (size_t j = 0; j < 20; j++)
            assert_int_equal(isnan(found[i * 20 + j]) != 0, !may_speak(&tree, i, j, SMERF_OOB_BOTH));
    free(found);
    smerf_model_free(model);
    data_set_free(data);
}

/* ---- to the last bit ---- */

static void ask_all_pairs(const smerf_model *model, const smerf_question *question, const smerf_run *run, size_t n_rows,
                          size_t n_columns, double *distance, double *spread) {
    uint32_t *left = malloc(n_rows * n_columns * sizeof *left), *right = malloc(n_rows * n_columns * sizeof *right);
    smerf_error error;
    assert_true(left != NULL && right != NULL);
    for (size_t k = 0; k < n_rows * n_columns; k++) {
        left[k] = (uint32_t)(k / n_columns);
        right[k] = (uint32_t)(k % n_columns);
    }
    demand_ok(smerf_predict_pairs(model, question, left, right, n_rows * n_columns, run, distance, spread, &error),
              &error);
    free(left);
    free(right);
}

static void assert_pairs_are_rows(const smerf_model *model, const smerf_question *question) {
    size_t n = smerf_items_count(question->rows), m = n;
    if (question->columns != NULL) m = smerf_items_count(question->columns);
    double *rows = predict_all(model, question, NULL), *pairs = malloc(n * m * sizeof *pairs);
    ask_all_pairs(model, question, NULL, n, m, pairs, NULL);
    assert_memory_equal(rows, pairs, n * m * sizeof *rows);
    for (size_t i = 0; i < n && question->columns == NULL; i++)
        for (size_t j = 0; j < i; j++) assert_memory_equal(&rows[i * n + j], &rows[j * n + i], sizeof *rows);
    free(rows);
    free(pairs);
}

/* Few large leaves and many small ones are found in different ways; all that may change the sums is tried. */
static void pairs_are_the_cells_of_rows_and_swapping_changes_nothing(void **state) {
    (void)state;
    data_set *data = mixed_data(260);
    double weights[260];
    for (size_t i = 0; i < 260; i++) weights[i] = 1 / (1.0 + (double)(i % 7));
    smerf_error error;
    for (size_t way = 0; way < 8; way++) {
        smerf_options options = options_for(5);
        options.min_parent = way % 2 == 0 ? 2 : 30; /* some 160 leaves, or a dozen */
        if (way & 2) options.self_distance = SMERF_SELF_EXCLUDE;
        if (way == 4) demand_ok(smerf_items_set_weights(data->items, "w", weights, &error), &error);
        smerf_model *model = fit_with(data, &options, NULL);
        smerf_question question = {.rows = data->items};
        assert_pairs_are_rows(model, &question);
        question.out_of_bag = true;
        question.oob_rule = SMERF_OOB_EITHER;
        assert_pairs_are_rows(model, &question);
        smerf_model_free(model);
    }
    data_set_free(data);
}

static void threads_and_saving_change_no_bit(void **state) {
    (void)state;
    data_set *data = mixed_data(150);
    smerf_model *model = fit_small(data, SMERF_OBLIQUE), *again;
    smerf_error error;
    demand_ok(smerf_model_save(model, "p.smerf", &error), &error);
    demand_ok(smerf_model_load("p.smerf", &again, &error), &error);
    const smerf_question question = {.rows = data->items};
    double *expected = predict_all(model, &question, &one_thread), *pairs = malloc(150 * 150 * sizeof *pairs);
    for (size_t n_threads = 0; n_threads <= 7; n_threads++) {
        const smerf_run run = {.n_threads = n_threads};
        double *found = predict_all(n_threads % 2 == 0 ? model : again, &question, &run);
        ask_all_pairs(n_threads % 2 == 0 ? again : model, &question, &run, 150, 150, pairs, NULL);
        assert_memory_equal(found, expected, 150 * 150 * sizeof *found);
        assert_memory_equal(pairs, expected, 150 * 150 * sizeof *pairs);
        free(found);
    }
    free(expected);
    free(pairs);
    smerf_model_free(model);
    smerf_model_free(again);
    data_set_free(data);
}

static void a_block_is_cut_out_of_the_square(void **state) {
    (void)state;
    data_set *data = mixed_data(N);
    size_t left[17], right[45];
    for (size_t k = 0; k < 17; k++) left[k] = (k * 23 + 5) % N;
    for (size_t k = 0; k < 45; k++) right[k] = (k * 7 + 1) % N;
    data_set *rows = data_set_pick(data, left, 17), *columns = data_set_pick(data, right, 45);
    for (int self = 0; self < 2; self++) {
        smerf_options options = options_for(N_TREES);
        options.self_distance = self == 0 ? SMERF_SELF_GIVEN : SMERF_SELF_EXCLUDE;
        options.min_parent = 6;
        smerf_model *model = fit_with(data, &options, NULL);
        const smerf_question all = {.rows = data->items}, some = {.rows = rows->items, .columns = columns->items};
        double *whole = predict_all(model, &all, NULL), *block = predict_all(model, &some, NULL);
        for (size_t i = 0; i < 17; i++)
            for (size_t j = 0; j < 45; j++)
                assert_memory_equal(&block[i * 45 + j], &whole[left[i] * N + right[j]], sizeof *block);
        assert_pairs_are_rows(model, &some);
        free(whole);
        free(block);
        smerf_model_free(model);
    }
    data_set_free(data);
    data_set_free(rows);
    data_set_free(columns);
}

/* ---- trees that have nothing to say ---- */

/* The members of the nodes above an item's leaf, and of the leaf, from the root on; returns how many nodes. */
static size_t slow_path(const smerf_model *model, const smerf_tree_view *tree, const data_set *data, size_t item,
                        size_t members[][2]) {
    size_t node = 0, first_leaf = 0, n_leaves = tree->n_leaves, n = 0;
    for (;;) {
        members[n][0] = tree->first_member[first_leaf];
        members[n++][1] = tree->first_member[first_leaf + n_leaves];
        if (tree->is_leaf[node]) return n;
        size_t split = tree->place[node], n_left = 0;
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
    smerf_description description;
    double sum = 0, n = 0;
    bool is_allowed = false;
    smerf_model_describe(model, &description);
    for (size_t b = 0; b < description.options.n_trees; b++) {
        smerf_tree_view tree;
        smerf_model_tree(model, b, &tree);
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
static size_t assert_answers(const smerf_model *model, const data_set *data, const smerf_oob_rule *rule, bool is_apart,
                             bool has_silence) {
    size_t n = data->plan.n_items, n_rare = 0;
    smerf_question question = {.rows = data->items, .out_of_bag = rule != NULL};
    if (rule != NULL) question.oob_rule = *rule;
    double *found = predict_all(model, &question, NULL);
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
        assert_true(assert_answers(model, data, NULL, is_apart == 1, true) > 0);
        assert_true(assert_answers(model, data, &both, is_apart == 1, true) > 0);
        assert_true(assert_answers(model, data, &either, is_apart == 1, true) > 0);
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
            assert_answers(model, data, NULL, true, false);
            assert_answers(model, data, &both, true, false);
            assert_answers(model, data, &either, true, false);
            pretend(data->target, WITH_SILENCE);
            assert_answers(model, data, NULL, true, true);
            assert_answers(model, data, &both, true, true);
            assert_answers(model, data, &either, true, true);
            smerf_model_free(model);
            data_set_free(data);
        }
}

/* ---- limits ---- */

static void assert_limits_change_no_bit(const smerf_model *model, const smerf_question *question) {
    size_t n = smerf_items_count(question->rows), m = n;
    if (question->columns != NULL) m = smerf_items_count(question->columns);
    size_t bytes = n * m * sizeof(double);
    double *rows = predict_all(model, question, &one_thread), *pairs = malloc(bytes), *spread = malloc(bytes);
    double *found = malloc(bytes), *found_spread = malloc(bytes);
    uint32_t *left = malloc(n * m * sizeof *left), *right = malloc(n * m * sizeof *right);
    smerf_error error;
    for (uint32_t k = 0; k < n * m; k++) {
        left[k] = k / (uint32_t)m;
        right[k] = k % (uint32_t)m;
    }
    demand_ok(smerf_predict_pairs(model, question, left, right, n * m, NULL, pairs, spread, &error), &error);
    assert_memory_equal(pairs, rows, bytes);
    for (size_t k = 0; k < N_LIMITS * 3; k++) {
        const sm_limits *limits = &small_limits[k / 3];
        const smerf_run run = {.n_threads = 1 + k % 3};
        square kept = {.distances = found};
        memset(found, 0xff, bytes);
        demand_ok(sm_predict_rows(model, question, limits, &run, keep_row, &kept, &error), &error);
        assert_int_equal(kept.n_rows, n);
        assert_memory_equal(found, rows, bytes);
        memset(found, 0xff, bytes);
        demand_ok(sm_predict_pairs(model, question, limits, left, right, n * m, &run, found, NULL, &error), &error);
        assert_memory_equal(found, rows, bytes);
        memset(found_spread, 0xff, bytes);
        demand_ok(sm_predict_pairs(model, question, limits, left, right, n * m, &run, found, found_spread, &error),
                  &error);
        assert_memory_equal(found, rows, bytes);
        assert_memory_equal(found_spread, spread, bytes);
    }
    void *arrays[] = {rows, pairs, spread, found, found_spread, left, right};
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) free(arrays[k]);
}

static void limits_change_no_bit(void **state) {
    (void)state;
    for (unsigned way = 0; way < 8; way++) {
        bool is_tiny = way >= 6; /* pairs that no tree speaks for */
        data_set *data = mixed_data(is_tiny ? 4 : 70);
        size_t few[3] = {2, 0, 1};
        data_set *some = data_set_pick(data, few, 3);
        smerf_options options = options_for(is_tiny ? 3 : 7);
        options.self_distance = way & 1 || is_tiny ? SMERF_SELF_EXCLUDE : SMERF_SELF_GIVEN;
        smerf_model *model = fit_with(data, &options, NULL);
        if (way & 2) pretend(data->target, WITH_SILENCE);
        assert_limits_change_no_bit(model, &(smerf_question){.rows = data->items});
        assert_limits_change_no_bit(model, &(smerf_question){.rows = data->items, .out_of_bag = true});
        assert_limits_change_no_bit(
            model, &(smerf_question){.rows = data->items, .out_of_bag = true, .oob_rule = SMERF_OOB_EITHER});
        assert_limits_change_no_bit(model, &(smerf_question){.rows = data->items, .columns = some->items});
        assert_limits_change_no_bit(model, &(smerf_question){.rows = some->items, .columns = data->items});
        smerf_model_free(model);
        data_set_free(some);
        data_set_free(data);
    }
}

static double group_bytes(const smerf_model *model, const sm_asked *asked, size_t group, double items) {
    double bytes = 0;
    for (size_t b = asked->group_first[group]; b < asked->group_first[group + 1]; b++)
        bytes += (double)sm_ready_bytes(model, b, 70) + items;
    return bytes;
}

/* As many trees as fit, one at least; a model that fits is one group. */
static void groups_hold_as_many_trees_as_fit(void **state) {
    (void)state;
    data_set *data = mixed_data(70);
    const smerf_options options = options_for(20);
    smerf_model *model = fit_with(data, &options, NULL);
    const smerf_question question = {.rows = data->items, .out_of_bag = true};
    const double items = 70 * (sizeof(uint32_t) + sizeof(bool));
    for (size_t k = 0; k < 40; k++) {
        const sm_limits limits = {.group_bytes = 1000 * (double)k,
                                  .leaves_bytes = k % 2 == 0 ? 20 * items : 19 * items};
        sm_asked asked;
        smerf_error error;
        demand_ok(sm_asked_start(&asked, model, &question, &limits, &error), &error);
        demand_ok(sm_asked_plan(&asked, true, true, &error), &error);
        assert_int_equal(asked.keeps_leaves, k % 2 == 0);
        assert_true(asked.group_first[0] == 0 && asked.group_first[asked.n_groups] == 20);
        double each = asked.keeps_leaves ? 0 : items;
        for (size_t g = 0; g < asked.n_groups; g++) {
            size_t first = asked.group_first[g], end = asked.group_first[g + 1];
            double bytes = group_bytes(model, &asked, g, each);
            assert_true(end > first && (end == first + 1 || bytes <= limits.group_bytes));
            if (end < 20) assert_true(bytes + (double)sm_ready_bytes(model, end, 70) + each > limits.group_bytes);
        }
        sm_asked_free(&asked);
    }
    smerf_model_free(model);
    data_set_free(data);
}

static void only_items_that_occur_in_pairs_are_sent_down(void **state) {
    (void)state;
    data_set *data = mixed_data(N);
    smerf_model *model = fit_small(data, SMERF_AXIS);
    const uint32_t left[5] = {40, 7, 40, 7, 12}, right[5] = {7, 7, 59, 12, 40};
    const uint32_t picked[4] = {7, 12, 40, 59}, left_places[5] = {2, 0, 2, 0, 1}, right_places[5] = {0, 0, 3, 1, 2};
    const uint32_t *lists[2] = {left, right};
    uint32_t found[2][5], *places[2] = {found[0], found[1]};
    const smerf_question question = {.rows = data->items};
    sm_asked asked;
    sm_crew crew;
    smerf_error error;
    sm_crew_start(&crew, &one_thread);
    demand_ok(sm_asked_start(&asked, model, &question, &sm_usual_limits, &error), &error);
    demand_ok(sm_side_pick(&asked.rows, lists, places, 2, 5, &error), &error);
    assert_int_equal(asked.rows.n, 4);
    assert_memory_equal(asked.rows.pick, picked, sizeof picked);
    assert_memory_equal(found[0], left_places, sizeof left_places);
    assert_memory_equal(found[1], right_places, sizeof right_places);
    demand_ok(sm_asked_plan(&asked, true, true, &error), &error);
    demand_ok(sm_asked_turn(&asked, 0, &crew, &error), &error);
    for (size_t b = 0; b < N_TREES; b++) {
        smerf_tree_view tree;
        smerf_model_tree(model, b, &tree);
        for (size_t k = 0; k < 4; k++)
            assert_int_equal(sm_asked_leaves(&asked, &asked.rows, b)[k], slow_leaf(model, &tree, data, picked[k]));
    }
    sm_asked_free(&asked);
    smerf_model_free(model);
    data_set_free(data);
}

/* Side by side over packed nodes, or alone if they are few; all of them, or picked ones. */
static void items_end_in_the_leaf_that_the_tree_sends_them_to(void **state) {
    (void)state;
    data_set *data =
        data_set_new((data_plan){.n_items = 203, .n_numbers = 2, .n_categories = 2, .missing = 0.3, .seed = 5});
    for (int splits = 0; splits < 2; splits++) {
        smerf_options options = options_for(4);
        options.splits = splits == 0 ? SMERF_AXIS : SMERF_OBLIQUE;
        smerf_model *model = fit_with(data, &options, NULL);
        sm_view view;
        smerf_error error;
        demand_ok(sm_view_match(&view, &model->features, data->items, &error), &error);
        uint32_t pick[203], leaf[203];
        for (uint32_t k = 0; k < 203; k++) pick[k] = (k * 19 + 3) % 203;
        for (size_t b = 0; b < 4; b++)
            for (size_t way = 0; way < 4; way++) {
                sm_arena arena = {0};
                sm_descent descent;
                smerf_tree_view tree;
                smerf_model_tree(model, b, &tree);
                sm_descent_start(&descent, &model->trees[b], way % 2 == 0 ? 203 : 0, &arena);
                assert_int_equal(descent.steps != NULL, way % 2 == 0);
                size_t first = way * 3, end = 203 - way;
                sm_descend(&descent, &view, way < 2 ? NULL : pick, first, end, leaf);
                for (size_t k = first; k < end; k++)
                    assert_int_equal(leaf[k - first], slow_leaf(model, &tree, data, way < 2 ? k : pick[k]));
                sm_arena_free(&arena);
            }
        sm_view_free(&view);
        smerf_model_free(model);
    }
    data_set_free(data);
}

/* Leaves are then asked for one by one. */
static void few_columns_of_a_large_tree_are_cut_out_of_the_square(void **state) {
    (void)state;
    data_set *data = mixed_data(260);
    size_t right[5] = {3, 250, 99, 100, 3};
    data_set *columns = data_set_pick(data, right, 5);
    for (int self = 0; self < 2; self++) {
        smerf_options options = options_for(5);
        options.self_distance = self == 0 ? SMERF_SELF_GIVEN : SMERF_SELF_EXCLUDE;
        smerf_model *model = fit_with(data, &options, NULL);
        assert_true(model->trees[0].n_leaves > 96);
        const smerf_question all = {.rows = data->items}, some = {.rows = data->items, .columns = columns->items};
        double *whole = predict_all(model, &all, NULL), *block = predict_all(model, &some, NULL);
        for (size_t i = 0; i < 260; i++)
            for (size_t j = 0; j < 5; j++)
                assert_memory_equal(&block[i * 5 + j], &whole[i * 260 + right[j]], sizeof *block);
        free(whole);
        free(block);
        smerf_model_free(model);
    }
    data_set_free(columns);
    data_set_free(data);
}

/* ---- the sink ---- */

typedef struct listener {
    pthread_t caller;
    size_t n_rows, n_columns, stop_at, n_wrong;
} listener;

static int listen_to_row(void *context, size_t row, const double *distances, size_t n_columns) {
    listener *here = context;
    bool is_right = row == here->n_rows && n_columns == here->n_columns && isfinite(distances[n_columns - 1]) &&
                    pthread_equal(pthread_self(), here->caller);
    here->n_wrong += !is_right;
    return here->n_rows++ == here->stop_at;
}

static void rows_come_in_order_on_the_calling_thread(void **state) {
    (void)state;
    data_set *data = mixed_data(150);
    smerf_model *model = fit_small(data, SMERF_AXIS);
    const smerf_question question = {.rows = data->items};
    smerf_error error;
    for (size_t n_threads = 1; n_threads <= 4; n_threads++) {
        const smerf_run run = {.n_threads = n_threads};
        listener here = {.caller = pthread_self(), .n_columns = 150, .stop_at = SIZE_MAX};
        demand_ok(smerf_predict_rows(model, &question, &run, listen_to_row, &here, &error), &error);
        assert_true(here.n_rows == 150 && here.n_wrong == 0);
    }
    smerf_model_free(model);
    data_set_free(data);
}

static void the_sink_can_cancel_at_any_row(void **state) {
    (void)state;
    data_set *data = mixed_data(70);
    smerf_model *model = fit_small(data, SMERF_AXIS);
    const smerf_question question = {.rows = data->items};
    smerf_error error;
    for (size_t stop_at = 0; stop_at < 70; stop_at += 23) {
        listener here = {.caller = pthread_self(), .n_columns = 70, .stop_at = stop_at};
        assert_int_equal(smerf_predict_rows(model, &question, NULL, listen_to_row, &here, &error), SMERF_CANCELLED);
        assert_int_equal(here.n_rows, stop_at + 1);
        assert_string_equal(error.message, "cancelled");
    }
    smerf_model_free(model);
    data_set_free(data);
}

static int no_more(void *context, double share_done) {
    (void)context;
    (void)share_done;
    return 1;
}

static void progress_can_cancel_every_question(void **state) {
    (void)state;
    data_set *data = mixed_data(70);
    smerf_model *model = fit_small(data, SMERF_AXIS);
    const smerf_question question = {.rows = data->items, .out_of_bag = true, .oob_rule = SMERF_OOB_AS_FITTED};
    const smerf_run run = {.n_threads = 1, .progress = no_more};
    const uint32_t place = 0;
    double distance, importance[5], errors[5];
    listener here = {.caller = pthread_self(), .n_columns = 70, .stop_at = SIZE_MAX};
    smerf_scores scores;
    assert_int_equal(smerf_predict_rows(model, &question, &run, listen_to_row, &here, NULL), SMERF_CANCELLED);
    assert_int_equal(smerf_predict_pairs(model, &question, &place, &place, 1, &run, &distance, NULL, NULL),
                     SMERF_CANCELLED);
    assert_int_equal(smerf_evaluate(model, &question, NULL, 0, &run, &scores, NULL), SMERF_CANCELLED);
    assert_int_equal(smerf_importance_permutation(model, data->items, NULL, &run, importance, errors, NULL),
                     SMERF_CANCELLED);
    assert_int_equal(here.n_rows, 0);
    smerf_model_free(model);
    data_set_free(data);
}

/* ---- recognising items ---- */

static void items_are_known_by_id_in_any_order_and_number(void **state) {
    (void)state;
    data_set *data = mixed_data(N);
    name_items(data, NULL);
    smerf_model *model = fit_small(data, SMERF_AXIS);
    size_t rows[40];
    for (size_t k = 0; k < 40; k++) rows[k] = (k * 37 + 11) % N;
    data_set *some = data_set_pick(data, rows, 40);
    name_items(some, rows);
    const smerf_question all = {.rows = data->items, .out_of_bag = true, .oob_rule = SMERF_OOB_BOTH};
    const smerf_question picked = {.rows = some->items, .out_of_bag = true, .oob_rule = SMERF_OOB_BOTH};
    double *whole = predict_all(model, &all, NULL), *found = predict_all(model, &picked, NULL);
    for (size_t i = 0; i < 40; i++)
        for (size_t j = 0; j < 40; j++)
            assert_memory_equal(&found[i * 40 + j], &whole[rows[i] * N + rows[j]], sizeof *found);
    free(whole);
    free(found);
    smerf_model_free(model);
    data_set_free(some);
    data_set_free(data);
}

static void assert_unasked(const smerf_model *model, const smerf_question *question, const char *sentence) {
    listener here = {.caller = pthread_self()};
    const uint32_t place = 0;
    double distance;
    smerf_error error;
    assert_int_equal(smerf_predict_rows(model, question, NULL, listen_to_row, &here, &error), SMERF_BAD_INPUT);
    assert_string_equal(error.message, sentence);
    assert_int_equal(smerf_predict_pairs(model, question, &place, &place, 1, NULL, &distance, NULL, &error),
                     SMERF_BAD_INPUT);
    assert_string_equal(error.message, sentence);
    assert_int_equal(here.n_rows, 0);
}

static void foreign_items_are_not_asked_out_of_bag(void **state) {
    (void)state;
    data_set *data = mixed_data(20);
    size_t rows[20], names[20];
    for (size_t k = 0; k < 20; k++) rows[k] = names[k] = 19 - k;
    data_set *turned = data_set_pick(data, rows, 20);
    smerf_model *by_row = fit_small(data, SMERF_AXIS);
    const smerf_question question = {.rows = turned->items, .out_of_bag = true, .oob_rule = SMERF_OOB_BOTH};
    assert_unasked(by_row, &question, "row 0 is not the model's training item 0; out of bag is about those");
    name_items(data, NULL);
    smerf_model *by_id = fit_small(data, SMERF_AXIS);
    names[3] = 77;
    name_items(turned, names);
    assert_unasked(by_id, &question, "item 't77' is not one of the model's training items; out of bag is about those");
    names[3] = rows[3];
    turned->values[5] = 1e9; /* known by its name, but not by its features */
    name_items(turned, names);
    assert_unasked(by_id, &question, "item 't14' is not one of the model's training items; out of bag is about those");
    smerf_model_free(by_row);
    smerf_model_free(by_id);
    data_set_free(turned);
    data_set_free(data);
}

static void more_rows_than_training_items_are_foreign(void **state) {
    (void)state;
    data_set *data = plain_data(10);
    size_t rows[11];
    for (size_t k = 0; k < 11; k++) rows[k] = k % 10;
    data_set *more = data_set_pick(data, rows, 11);
    smerf_model *model = fit_small(data, SMERF_AXIS);
    const smerf_question question = {.rows = more->items, .out_of_bag = true, .oob_rule = SMERF_OOB_BOTH};
    assert_unasked(model, &question, "row 10 is not the model's training item 10; out of bag is about those");
    smerf_model_free(model);
    data_set_free(more);
    data_set_free(data);
}

static void out_of_bag_has_no_second_set_and_needs_a_sample(void **state) {
    (void)state;
    data_set *data = plain_data(20);
    smerf_options options = options_for(3);
    smerf_model *sampled = fit_with(data, &options, NULL);
    options.sample = SMERF_NO_SAMPLE;
    smerf_model *whole = fit_with(data, &options, NULL);
    smerf_question question = {.rows = data->items, .columns = data->items, .out_of_bag = true};
    assert_unasked(sampled, &question, "out of bag is about pairs of training items: there is no second set");
    question.columns = NULL;
    assert_unasked(whole, &question,
                   "the model was fitted with --sample none: every tree has seen every item, nothing is out of bag");
    smerf_model_free(sampled);
    smerf_model_free(whole);
    data_set_free(data);
}

static void a_level_never_seen_counts_as_missing(void **state) {
    (void)state;
    data_set *data = mixed_data(N);
    smerf_model *model = fit_small(data, SMERF_AXIS);
    static const char *const strange[N_LEVELS] = {"q", "r", "s", "t", "u"};
    uint32_t missing[N];
    for (size_t i = 0; i < N; i++) missing[i] = SMERF_MISSING;
    smerf_column columns[5];
    memcpy(columns, data->columns, sizeof columns);
    columns[3].levels = strange;
    smerf_items *unknown, *absent;
    smerf_error error;
    demand_ok(smerf_items_new(columns, 5, N, &unknown, &error), &error);
    columns[3].codes = missing;
    demand_ok(smerf_items_new(columns, 5, N, &absent, &error), &error);
    const smerf_question first = {.rows = unknown}, second = {.rows = absent};
    double *a = predict_all(model, &first, NULL), *b = predict_all(model, &second, NULL);
    assert_memory_equal(a, b, N * N * sizeof *a);
    free(a);
    free(b);
    smerf_items_free(unknown);
    smerf_items_free(absent);
    smerf_model_free(model);
    data_set_free(data);
}

/* ---- pairs ---- */

static void the_spread_is_the_standard_deviation_over_the_trees(void **state) {
    (void)state;
    data_set *data = mixed_data(30);
    smerf_model *model = fit_small(data, SMERF_AXIS);
    const smerf_oob_rule rules[2] = {SMERF_OOB_BOTH, SMERF_OOB_EITHER};
    double *distance = malloc(900 * sizeof *distance), *spread = malloc(900 * sizeof *spread);
    for (size_t way = 0; way < 3; way++) {
        const smerf_oob_rule *rule = way == 0 ? NULL : &rules[way - 1];
        const smerf_question question = {
            .rows = data->items, .out_of_bag = way > 0, .oob_rule = way > 0 ? *rule : SMERF_OOB_BOTH};
        ask_all_pairs(model, &question, NULL, 30, 30, distance, spread);
        for (size_t k = 0; k < 900; k++) {
            double expected, mean = slow_distance(model, data, NULL, k / 30, k % 30, rule, &expected);
            assert_near(distance[k], mean, 1e-12);
            assert_near(spread[k], expected, 1e-12);
        }
    }
    free(distance);
    free(spread);
    smerf_model_free(model);
    data_set_free(data);
}

static void one_tree_has_no_spread(void **state) {
    (void)state;
    data_set *data = plain_data(10);
    const smerf_options options = options_for(1);
    smerf_model *model = fit_with(data, &options, NULL);
    const smerf_question question = {.rows = data->items};
    double distance[100], spread[100];
    ask_all_pairs(model, &question, NULL, 10, 10, distance, spread);
    for (size_t k = 0; k < 100; k++) assert_true(spread[k] == 0);
    smerf_model_free(model);
    data_set_free(data);
}

static void a_pair_of_no_items_is_refused(void **state) {
    (void)state;
    data_set *data = plain_data(10);
    size_t few[4] = {0, 1, 2, 3};
    data_set *columns = data_set_pick(data, few, 4);
    smerf_model *model = fit_small(data, SMERF_AXIS);
    const smerf_question question = {.rows = data->items, .columns = columns->items};
    const uint32_t left[3] = {9, 0, 10}, right[3] = {3, 4, 0};
    double distance[3];
    smerf_error error;
    demand_ok(smerf_predict_pairs(model, &question, left, right, 1, NULL, distance, NULL, &error), &error);
    assert_int_equal(smerf_predict_pairs(model, &question, left, right, 3, NULL, distance, NULL, &error),
                     SMERF_BAD_INPUT);
    assert_string_equal(error.message, "pair 1 is (0, 4), and there are 10 and 4 items");
    assert_int_equal(smerf_predict_pairs(model, &question, left + 2, right + 2, 1, NULL, distance, NULL, &error),
                     SMERF_BAD_INPUT);
    demand_ok(smerf_predict_pairs(model, &question, NULL, NULL, 0, NULL, NULL, NULL, &error), &error);
    smerf_model_free(model);
    data_set_free(columns);
    data_set_free(data);
}

/* More pairs than one task takes, each asked for twice. */
static void many_pairs_are_answered_each_for_itself(void **state) {
    (void)state;
    enum { N_PAIRS = 5000 };
    data_set *data = mixed_data(N);
    smerf_model *model = fit_small(data, SMERF_AXIS);
    const smerf_question question = {.rows = data->items};
    const smerf_run run = {.n_threads = 3};
    double *whole = predict_all(model, &question, NULL);
    static uint32_t left[N_PAIRS], right[N_PAIRS];
    static double distance[N_PAIRS];
    for (uint32_t k = 0; k < N_PAIRS; k++) {
        left[k] = k * 31 % N;
        right[k] = k * 17 % 59;
    }
    smerf_error error;
    demand_ok(smerf_predict_pairs(model, &question, left, right, N_PAIRS, &run, distance, NULL, &error), &error);
    for (size_t k = 0; k < N_PAIRS; k++)
        assert_memory_equal(&distance[k], &whole[left[k] * N + right[k]], sizeof *distance);
    free(whole);
    smerf_model_free(model);
    data_set_free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_distance_is_the_mean_over_trees_of_the_mean_between_leaves),
        cmocka_unit_test(item_weights_weigh_the_mean_between_leaves),
        cmocka_unit_test(out_of_bag_only_trees_speak_that_have_not_seen_the_items),
        cmocka_unit_test(the_rule_is_the_models_unless_the_question_has_one),
        cmocka_unit_test(a_pair_that_no_tree_can_speak_for_is_nan),
        cmocka_unit_test(pairs_are_the_cells_of_rows_and_swapping_changes_nothing),
        cmocka_unit_test(threads_and_saving_change_no_bit),
        cmocka_unit_test(a_block_is_cut_out_of_the_square),
        cmocka_unit_test(silent_trees_are_left_out_and_if_all_are_the_fallback_speaks),
        cmocka_unit_test(without_a_pair_of_different_items_own_distances_count_after_all),
        cmocka_unit_test(limits_change_no_bit),
        cmocka_unit_test(groups_hold_as_many_trees_as_fit),
        cmocka_unit_test(only_items_that_occur_in_pairs_are_sent_down),
        cmocka_unit_test(items_end_in_the_leaf_that_the_tree_sends_them_to),
        cmocka_unit_test(few_columns_of_a_large_tree_are_cut_out_of_the_square),
        cmocka_unit_test(rows_come_in_order_on_the_calling_thread),
        cmocka_unit_test(the_sink_can_cancel_at_any_row),
        cmocka_unit_test(progress_can_cancel_every_question),
        cmocka_unit_test(items_are_known_by_id_in_any_order_and_number),
        cmocka_unit_test(foreign_items_are_not_asked_out_of_bag),
        cmocka_unit_test(more_rows_than_training_items_are_foreign),
        cmocka_unit_test(out_of_bag_has_no_second_set_and_needs_a_sample),
        cmocka_unit_test(a_level_never_seen_counts_as_missing),
        cmocka_unit_test(the_spread_is_the_standard_deviation_over_the_trees),
        cmocka_unit_test(one_tree_has_no_spread),
        cmocka_unit_test(a_pair_of_no_items_is_refused),
        cmocka_unit_test(many_pairs_are_answered_each_for_itself),
    };
    return cmocka_run_group_tests(tests, files_enter, files_leave);
}
