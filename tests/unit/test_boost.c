/* test_boost.c - boosting on pairs, part by part: histograms, splits, gradients, leaves, bags. Whole models are compared with an
 * independent program in tests/paper/test_boost.py. */
#include "tests/unit/forests.h"

#include "base/memory.h"
#include "method/boost/fit/bags.h"
#include "method/boost/score.h"

enum { N = 40 };

/* ---- data for the parts ---- */

typedef struct parts {
    data_set *data;
    sm_view view;
    sm_binned binned;
    sm_pool pool;
    size_t n_pairs;
    uint32_t *order, *left, *right, *hessian;
    int32_t *gradient;
    sm_pair_slice pairs;
} parts;

static void parts_start(parts *made, size_t n_items, smerf_pair_features features, bool has_hessians) {
    sm_random random;
    smerf_error error;
    size_t n = n_items * (n_items - 1);
    *made = (parts){.data = mixed_data(n_items), .n_pairs = n};
    sm_pool_start(&made->pool, NULL);
    const smerf_items *items = made->data->items;
    demand_ok(sm_view_match(&made->view, &items->features, items, &error), &error);
    demand_ok(sm_binned_start(&made->binned, &made->view, &items->features, features, &made->pool, &error), &error);
    made->order = malloc(n * sizeof *made->order);
    made->left = malloc(n * sizeof *made->left);
    made->right = malloc(n * sizeof *made->right);
    made->hessian = malloc(n * sizeof *made->hessian);
    made->gradient = malloc(n * sizeof *made->gradient);
    sm_random_start(&random, 3, 0, SM_STREAM_SIMULATE);
    for (uint32_t i = 0, k = 0; i < n_items; i++)
        for (uint32_t j = 0; j < n_items; j++) {
            if (i == j) continue;
            made->left[k] = i;
            made->right[k] = j;
            made->order[k] = k;
            made->hessian[k] = sm_random_below(&random, 1 << 20);
            made->gradient[k++] = (int32_t)sm_random_below(&random, 1 << 30) - (1 << 29);
        }
    made->pairs = (sm_pair_slice){.order = made->order,
                                  .n = n,
                                  .left = made->left,
                                  .right = made->right,
                                  .gradient = made->gradient,
                                  .hessian = has_hessians ? made->hessian : NULL};
}

static void parts_free(parts *made) {
    sm_view_free(&made->view);
    sm_binned_free(&made->binned);
    data_set_free(made->data);
    free(made->order);
    free(made->left);
    free(made->right);
    free(made->hessian);
    free(made->gradient);
}

/* ---- bins ---- */

static void a_few_values_have_a_bin_each_and_many_are_cut_into_equal_parts(void **state) {
    (void)state;
    double weight[1000];
    size_t end[256];
    for (size_t k = 0; k < 1000; k++) weight[k] = 1;
    assert_int_equal(sm_cut_into_bins(weight, 200, 256, end), 200);
    for (size_t b = 0; b < 200; b++) assert_int_equal(end[b], b + 1);
    assert_int_equal(sm_cut_into_bins(weight, 1000, 100, end), 100);
    for (size_t b = 0; b < 100; b++) assert_int_equal(end[b], 10 * (b + 1));
    weight[500] = 1e6; /* a heavy one is alone, and the others are divided all the same */
    size_t n = sm_cut_into_bins(weight, 1000, 100, end);
    assert_int_equal(end[n - 1], 1000);
    assert_true(n > 50 && n <= 100);
}

static void a_threshold_lies_between_its_neighbours(void **state) {
    (void)state;
    const double least = 0x1p-1074, one = 1, next = nextafter(1, 2);
    assert_true(sm_threshold_between(1, 3) == 2);
    assert_true(sm_threshold_between(0, least) == 0);
    assert_true(sm_threshold_between(one, next) == one);
    assert_true(sm_threshold_between(1e308, INFINITY) == 1e308);
    assert_true(sm_threshold_between(-1e308, 1e308) < 1e308);
}

/* The bin of a pair is that of its value: where no bin holds two values, exactly. */
static void the_bins_of_a_pair_are_those_of_its_values(void **state) {
    (void)state;
    parts made;
    parts_start(&made, N, SMERF_PAIRS_ALL, false);
    size_t n_checked = 0;
    for (size_t c = 0; c < made.binned.n_columns; c++) {
        const sm_pair_column *column = &made.binned.columns[c];
        const sm_binned_feature *feature = &made.binned.features[column->feature];
        const sm_numbers *numbers = &made.view.numbers[column->feature];
        if (column->threshold == NULL || !sm_are_numbers(numbers)) continue;
        for (size_t p = 0; p < made.n_pairs; p++) {
            size_t bin = sm_pair_bins(feature, made.left[p], made.right[p])[c - feature->first_column];
            double value =
                sm_pair_value(column->kind, sm_number_at(numbers, made.left[p]), sm_number_at(numbers, made.right[p]));
            if (isnan(value)) {
                assert_true(column->has_missing && bin == column->n_bins - 1);
                continue;
            }
            assert_true(value <= column->threshold[bin] && (bin == 0 || value > column->threshold[bin - 1]));
            n_checked++;
        }
    }
    assert_true(n_checked > 1000);
    parts_free(&made);
}

/* ---- histograms ---- */

static void check_histograms(size_t n_items, smerf_pair_features features, bool has_hessians) {
    parts made;
    parts_start(&made, n_items, features, has_hessians);
    size_t n_cells = made.binned.n_cells, n_features = made.binned.n_features;
    const size_t n_joint = (size_t)SM_MOST_BINS * SM_MOST_BINS * SM_JOINT_FEATURES;
    sm_cell *fast = sm_array(n_cells, sizeof *fast), *plain = sm_array(n_cells, sizeof *plain);
    sm_cell *joint = sm_zeros(n_joint, sizeof *joint);
    sm_histogram_fill(&made.binned, &made.pairs, 0, n_features, fast, joint);
    sm_histogram_fill_plainly(&made.binned, &made.pairs, 0, n_features, plain);
    assert_memory_equal(fast, plain, n_cells * sizeof *fast);
    for (size_t k = 0; k < n_joint; k++) assert_true(joint[k][0] == 0 && joint[k][1] == 0);
    sm_cell sum = sm_cells_sum(&made.pairs), column = {0, 0};
    for (size_t b = 0; b < made.binned.columns[0].n_bins; b++) column += plain[b];
    assert_true(sum[0] == column[0] && sum[1] == column[1]);
    assert_int_equal(sm_cell_count(sum), made.n_pairs);
    sm_free(fast);
    sm_free(plain);
    sm_free(joint);
    parts_free(&made);
}

/* With few pairs for the bins there are, and with so many that two items' bins are added up first. */
static void histograms_are_the_sums_over_pairs(void **state) {
    (void)state;
    for (int has_hessians = 0; has_hessians < 2; has_hessians++)
        for (smerf_pair_features features = SMERF_PAIRS_DIFFERENCE; features <= SMERF_PAIRS_ALL; features++) {
            check_histograms(13, features, has_hessians);
            check_histograms(90, features, has_hessians);
        }
}

/* ---- losses ---- */

static void gradients_are_the_slopes_of_the_losses(void **state) {
    (void)state;
    const double scores[] = {-3.1, -0.7, -0.01, 0.3, 1.2, 4.5}, step = 1e-5, delta = 0.8;
    for (size_t k = 0; k < 6; k++)
        for (int z = 0; z < 2; z++) {
            double hessian, score = scores[k];
            double up = sm_loss_value(SMERF_LOSS_SQUARED, z, score + step);
            double down = sm_loss_value(SMERF_LOSS_SQUARED, z, score - step);
            double gradient = sm_loss_gradient(SMERF_LOSS_SQUARED, z, score, 0, &hessian);
            assert_near(gradient, -(up - down) / (2 * step), 1e-8);
            assert_near(hessian, 1, 0);
            up = sm_loss_value(SMERF_LOSS_ABSOLUTE, z, score + step);
            down = sm_loss_value(SMERF_LOSS_ABSOLUTE, z, score - step);
            assert_near(sm_loss_gradient(SMERF_LOSS_ABSOLUTE, z, score, 0, &hessian), -(up - down) / (2 * step), 1e-8);
            up = sm_loss_value(SMERF_LOSS_LOGISTIC, z, score + step);
            down = sm_loss_value(SMERF_LOSS_LOGISTIC, z, score - step);
            gradient = sm_loss_gradient(SMERF_LOSS_LOGISTIC, z, score, 0, &hessian);
            assert_near(gradient, -(up - down) / (2 * step), 1e-8);
            double ahead, unused;
            ahead = sm_loss_gradient(SMERF_LOSS_LOGISTIC, z, score + step, 0, &unused);
            assert_near(hessian, (gradient - ahead) / step, 1e-4);
            double rest = z - score; /* huber: half a square up to delta, then delta (|rest| - delta / 2) */
            assert_near(sm_loss_gradient(SMERF_LOSS_HUBER, z, score, delta, &hessian),
                        fabs(rest) <= delta ? rest : copysign(delta, rest), 1e-15);
        }
}

static void the_logistic_loss_is_finite_far_out(void **state) {
    (void)state;
    assert_near(sm_loss_value(SMERF_LOSS_LOGISTIC, 1, 800), 0, 1e-12);
    assert_near(sm_loss_value(SMERF_LOSS_LOGISTIC, 0, 800), 800, 1e-9);
    assert_near(sm_loss_value(SMERF_LOSS_LOGISTIC, 1, -800), 800, 1e-9);
}

/* Whole numbers are within half a unit of the gradients, the largest being 2^30. */
static void whole_gradients_are_near_the_real_ones(void **state) {
    (void)state;
    enum { N_PAIRS = 1000 };
    static double z[N_PAIRS], score[N_PAIRS], weight[N_PAIRS];
    static int32_t whole[N_PAIRS];
    static uint32_t hessian[N_PAIRS];
    sm_random random;
    smerf_error error;
    sm_pool pool;
    sm_pool_start(&pool, NULL);
    sm_random_start(&random, 8, 0, SM_STREAM_SIMULATE);
    for (size_t k = 0; k < N_PAIRS; k++) {
        z[k] = (double)sm_random_below(&random, 2);
        score[k] = 3 * sm_random_normal(&random);
        weight[k] = sm_random_uniform(&random);
    }
    const sm_drawn_pairs pairs = {.n = N_PAIRS, .z = z, .score = score, .weight = weight};
    sm_gradients found = {.gradient = whole, .hessian = hessian};
    demand_ok(sm_loss_gradients(SMERF_LOSS_LOGISTIC, &pairs, &found, &pool, &error), &error);
    int32_t largest = 0;
    for (size_t k = 0; k < N_PAIRS; k++) {
        double second, first = weight[k] * sm_loss_gradient(SMERF_LOSS_LOGISTIC, z[k], score[k], 0, &second);
        assert_near(whole[k] * found.unit, first, 0.51 * found.unit);
        assert_near(hessian[k] * found.hessian_unit, weight[k] * second, 0.51 * found.hessian_unit);
        if (abs(whole[k]) > largest) largest = abs(whole[k]);
    }
    assert_int_equal(largest, 1 << SM_GRADIENT_BITS);
}

static void the_leaf_of_an_absolute_loss_is_the_weighted_median(void **state) {
    (void)state;
    double z[5] = {1, 2, 3, 4, 100}, score[5] = {0}, weight[5] = {1, 1, 1, 1, 1}, scratch[10];
    const uint32_t order[5] = {4, 2, 0, 3, 1};
    const sm_drawn_pairs pairs = {.n = 5, .z = z, .score = score, .weight = weight};
    assert_near(sm_loss_leaf(SMERF_LOSS_ABSOLUTE, &pairs, order, 5, 0, 0, scratch), 3, 0);
    weight[4] = 10;
    assert_near(sm_loss_leaf(SMERF_LOSS_ABSOLUTE, &pairs, order, 5, 0, 0, scratch), 100, 0);
    weight[4] = 0;
    assert_near(sm_loss_leaf(SMERF_LOSS_ABSOLUTE, &pairs, order, 5, 0, 0, scratch), 2.5, 0);
}

/* ---- whole models ---- */

static smerf_model *fit_boost(const data_set *data, const smerf_boost_options *boost, const smerf_run *run) {
    smerf_options options = options_for(7);
    options.method = SMERF_METHOD_BOOST;
    options.boost = boost;
    return fit_with(data, &options, run);
}

static smerf_boost_options few_rounds(size_t n_rounds) {
    smerf_boost_options boost;
    smerf_boost_options_default(&boost);
    boost.n_rounds = n_rounds;
    boost.min_leaf = 5;
    boost.n_leaves = 8;
    boost.pair_features = SMERF_PAIRS_ALL;
    return boost;
}

/* The leaf that a tree's own pairs came to by bins is the one that they come to by their values. */
static void training_pairs_come_to_the_same_leaves_by_bins_and_by_values(void **state) {
    (void)state;
    parts made;
    sm_pair_tree tree;
    smerf_error error;
    parts_start(&made, N, SMERF_PAIRS_ALL, false);
    const sm_tree_plan plan = {.binned = &made.binned, .n_leaves = 20, .min_leaf = 5};
    const sm_gradients gradients = {.gradient = made.gradient, .unit = 1, .hessian_unit = 1};
    demand_ok(sm_pair_tree_start(&tree, &plan, made.n_pairs, made.pool.n_threads, &error), &error);
    demand_ok(sm_pair_tree_grow(&tree, &made.pairs, &gradients, &made.pool, &error), &error);
    assert_int_equal(tree.n_leaves, 20);
    sm_learned *learned = sm_boost_learned_new(&made.data->items->features, N, 0);
    for (size_t f = 0; f < made.binned.n_features; f++)
        for (size_t l = 0; l < made.data->items->features.feature[f].levels.n; l++)
            learned->level_bin[learned->first_level[f] + l] = made.binned.features[f].level_bin[l];
    const sm_score_side side = {.rows = &made.view, .columns = &made.view};
    size_t n_seen = 0;
    for (size_t k = 0; k < tree.n_nodes; k++) {
        if (tree.nodes[k].left != 0) continue;
        n_seen += tree.nodes[k].n;
        assert_true(tree.nodes[k].n >= 5);
        for (size_t at = tree.nodes[k].first; at < tree.nodes[k].first + tree.nodes[k].n; at++) {
            uint32_t pair = tree.order[at], i = made.left[pair], j = made.right[pair];
            if (at > tree.nodes[k].first) assert_true(pair > tree.order[at - 1]); /* and they stand in order */
            assert_int_equal(sm_pair_tree_leaf(&tree, i, j, 0), k);
            size_t node = 0;
            while (tree.nodes[node].left != 0) {
                const sm_bin_split *split = &tree.nodes[node].split;
                const sm_pair_column *column = &made.binned.columns[split->column];
                sm_boost_split kept = {.feature = column->feature,
                                       .kind = (uint8_t)column->kind,
                                       .missing_left = split->missing_left,
                                       .set = column->threshold != NULL ? SMERF_MISSING : 0};
                if (column->threshold != NULL) kept.threshold = column->threshold[split->bin];
                const sm_boost sets = {.sets = (uint32_t *)split->set};
                node = sm_boost_goes_left(&sets, &kept, learned, &side, i, j, NAN) ? tree.nodes[node].left
                                                                                   : tree.nodes[node].right;
            }
            assert_int_equal(node, k);
        }
    }
    assert_int_equal(n_seen, made.n_pairs);
    sm_boost_learned_free(learned);
    sm_pair_tree_free(&tree);
    parts_free(&made);
}

/* What every split gains is what the sums of both sides say, and none gains more. */
static void the_root_takes_the_best_of_all_splits(void **state) {
    (void)state;
    parts made;
    sm_pair_tree tree;
    smerf_error error;
    parts_start(&made, 12, SMERF_PAIRS_DIFFERENCE, false);
    const sm_tree_plan plan = {.binned = &made.binned, .n_leaves = 2, .min_leaf = 3, .l2 = 0.5};
    const sm_gradients gradients = {.gradient = made.gradient, .unit = 1, .hessian_unit = 1};
    demand_ok(sm_pair_tree_start(&tree, &plan, made.n_pairs, made.pool.n_threads, &error), &error);
    demand_ok(sm_pair_tree_grow(&tree, &made.pairs, &gradients, &made.pool, &error), &error);
    double best = 0;
    for (size_t c = 0; c < made.binned.n_columns; c++) {
        const sm_pair_column *column = &made.binned.columns[c];
        if (column->threshold == NULL) continue; /* levels are tried in one order only */
        const sm_binned_feature *feature = &made.binned.features[column->feature];
        size_t n_values = column->n_bins - column->has_missing;
        for (size_t b = 0; b + 1 < n_values; b++)
            for (int missing_left = 0; missing_left < 2; missing_left++) {
                double sum[2] = {0, 0}, n[2] = {0, 0};
                for (size_t p = 0; p < made.n_pairs; p++) {
                    size_t bin = sm_pair_bins(feature, made.left[p], made.right[p])[c - feature->first_column];
                    bool is_left = bin < n_values ? bin <= b : missing_left;
                    sum[is_left] += made.gradient[p];
                    n[is_left]++;
                }
                if (n[0] < 3 || n[1] < 3) continue;
                double all = sum[0] + sum[1];
                double gain =
                    sum[0] * sum[0] / (n[0] + 0.5) + sum[1] * sum[1] / (n[1] + 0.5) - all * all / (n[0] + n[1] + 0.5);
                if (gain > best) best = gain;
            }
    }
    assert_true(best > 0);
    assert_true(tree.nodes[0].split.gain >= best * (1 - 1e-12));
    if (made.binned.columns[tree.nodes[0].split.column].threshold != NULL)
        assert_near(tree.nodes[0].split.gain, best, 1e-9 * best);
    sm_pair_tree_free(&tree);
    parts_free(&made);
}

/* Out of bag a pair is predicted by the bags that have left out both: as a model that was fitted on the others predicts it. */
static void a_bag_has_not_seen_the_items_that_it_leaves_out(void **state) {
    (void)state;
    data_set *data = mixed_data(N), *changed = mixed_data(N);
    uint8_t group[N];
    const smerf_boost_options boost = few_rounds(5);
    sm_groups_deal(group, N, 5, options_for(7).seed);
    for (size_t i = 0; i < N; i++) /* what is known of groups 1 and 3 changes */
        for (size_t j = 0; j < N; j++)
            if (group[i] % 2 == 1 || group[j] % 2 == 1) changed->z[i * N + j] += 3;
    smerf_model *model = fit_boost(data, &boost, NULL), *other = fit_boost(changed, &boost, NULL);
    const smerf_request request = SMERF_INIT(smerf_request, .rows = data->items, .out_of_bag = true);
    double *before = predict_all(model, &request, NULL), *after = predict_all(other, &request, NULL);
    size_t n_same = 0, n_other = 0;
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < N; j++) {
            bool is_held = group[i] % 2 == 1 && group[j] % 2 == 1 && group[i] != group[j];
            assert_true(isfinite(before[i * N + j]));
            if (is_held) assert_true(before[i * N + j] == after[i * N + j]);
            n_same += is_held;
            n_other += !is_held && before[i * N + j] != after[i * N + j];
        }
    assert_true(n_same > 20 && n_other > 20);
    free(before);
    free(after);
    smerf_model_free(model);
    smerf_model_free(other);
    data_set_free(data);
    data_set_free(changed);
}

/* Where not all pairs are learned from at a time, there are no more than was said, others later, and any number of threads has
 * the same ones. */
static void pairs_of_a_round_are_drawn_under_their_limit(void **state) {
    (void)state;
    data_set *data = plain_data(N);
    smerf_boost_options boost = few_rounds(60);
    const smerf_run one = SMERF_INIT(smerf_run, .n_threads = 1), three = SMERF_INIT(smerf_run, .n_threads = 3);
    boost.pairs_a_round = 200;
    smerf_model *model = fit_boost(data, &boost, &one), *again = fit_boost(data, &boost, &three);
    assert_same_model(model, again);
    double n_pairs = NAN;
    for (size_t k = 0; k < smerf_model_n_diagnostics(model); k++) {
        double value;
        if (strcmp(smerf_model_diagnostic(model, k, &value), "pairs a round") == 0) n_pairs = value;
    }
    assert_true(n_pairs > 100 && n_pairs <= 200);
    smerf_model_free(model);
    smerf_model_free(again);
    data_set_free(data);
}

/* ---- whatever it starts from, and whatever it makes small ---- */

typedef struct variant {
    smerf_boost_base base;
    smerf_pair_features features;
    bool has_labels;
} variant;

static smerf_target *labels_of(const data_set *data) {
    static const char *const classes[3] = {"a", "b", "c"};
    uint32_t codes[N];
    smerf_target *target = NULL;
    smerf_error error;
    for (size_t i = 0; i < N; i++) codes[i] = hidden(data, i) > 1 ? 2 : hidden(data, i) > 0;
    demand_ok(smerf_target_new_labels("class", codes, N, classes, 3, &target, &error), &error);
    return target;
}

static smerf_model *fit_variant(const data_set *data, const variant *as, const smerf_run *run) {
    smerf_boost_options boost = few_rounds(12);
    smerf_options options = options_for(7);
    smerf_model *model = NULL;
    smerf_error error;
    smerf_target *target = as->has_labels ? labels_of(data) : data->target;
    boost.base = as->base;
    boost.pair_features = as->features;
    options.method = SMERF_METHOD_BOOST;
    options.boost = &boost;
    demand_ok(smerf_fit(data->items, target, &options, run, &model, &error), &error);
    if (as->has_labels) smerf_target_free(target);
    return model;
}

/* Contributions add up to what is predicted by rows and by pairs, and that has both triangles the same. */
static void check_all_ways(const smerf_model *model, const data_set *data, bool is_out) {
    enum { MOST = 16 };
    static uint32_t left[N * N], right[N * N];
    static double baseline[N * N], contributions[N * N * MOST], distance[N * N];
    const smerf_request request = SMERF_INIT(smerf_request, .rows = data->items, .out_of_bag = is_out);
    smerf_error error;
    for (size_t k = 0; k < N * N; k++) {
        left[k] = (uint32_t)(k / N);
        right[k] = (uint32_t)(k % N);
    }
    assert_true(data->n_columns <= MOST);
    const smerf_pair_list pairs = {.n = N * N, .left = left, .right = right};
    demand_ok(smerf_explain_pairs(model, &request, &pairs, NULL,
                                  &SMERF_INIT(smerf_explanation, .baseline = baseline, .contributions = contributions,
                                              .distance = distance),
                                  &error),
              &error);
    double *rows = predict_all(model, &request, NULL);
    for (size_t k = 0; k < N * N; k++) {
        double sum = baseline[k];
        for (size_t f = 0; f < data->n_columns; f++) sum += contributions[k * data->n_columns + f];
        assert_true(isfinite(rows[k]) && rows[k] == distance[k]);
        assert_true(rows[k] == rows[k % N * N + k / N]);
        assert_near(sum, rows[k], 1e-9);
    }
    free(rows);
}

static void check_variant(const variant *as) {
    const smerf_run one = SMERF_INIT(smerf_run, .n_threads = 1), five = SMERF_INIT(smerf_run, .n_threads = 5);
    data_set *data = mixed_data(N);
    name_items(data, NULL);
    smerf_model *model = fit_variant(data, as, &one), *again = fit_variant(data, as, &five), *loaded = NULL;
    smerf_error error;
    assert_same_model(model, again);
    check_all_ways(model, data, false);
    check_all_ways(model, data, true);
    demand_ok(smerf_model_save(model, "variant.smerf", &error), &error);
    demand_ok(smerf_model_load("variant.smerf", &loaded, &error), &error);
    assert_same_model(model, loaded);
    for (int is_out = 0; is_out < 2; is_out++) {
        const smerf_request request = SMERF_INIT(smerf_request, .rows = data->items, .out_of_bag = is_out);
        double *before = predict_all(model, &request, &one), *after = predict_all(loaded, &request, &five);
        assert_memory_equal(before, after, N * N * sizeof *before);
        free(before);
        free(after);
    }
    smerf_model_free(model);
    smerf_model_free(again);
    smerf_model_free(loaded);
    data_set_free(data);
}

static void every_variant_is_saved_explained_and_the_same_by_any_number_of_threads(void **state) {
    (void)state;
    const variant variants[] = {{SMERF_BASE_NONE, SMERF_PAIRS_DIFFERENCE, false},
                                {SMERF_BASE_NONE, SMERF_PAIRS_ITEMS, true},
                                {SMERF_BASE_FOREST, SMERF_PAIRS_ENDS, false},
                                {SMERF_BASE_FOREST, SMERF_PAIRS_ALL, true},
                                {SMERF_BASE_NONE, SMERF_PAIRS_AUTO, false}};
    for (size_t k = 0; k < sizeof variants / sizeof *variants; k++) check_variant(&variants[k]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_few_values_have_a_bin_each_and_many_are_cut_into_equal_parts),
        cmocka_unit_test(a_threshold_lies_between_its_neighbours),
        cmocka_unit_test(the_bins_of_a_pair_are_those_of_its_values),
        cmocka_unit_test(histograms_are_the_sums_over_pairs),
        cmocka_unit_test(gradients_are_the_slopes_of_the_losses),
        cmocka_unit_test(the_logistic_loss_is_finite_far_out),
        cmocka_unit_test(whole_gradients_are_near_the_real_ones),
        cmocka_unit_test(the_leaf_of_an_absolute_loss_is_the_weighted_median),
        cmocka_unit_test(training_pairs_come_to_the_same_leaves_by_bins_and_by_values),
        cmocka_unit_test(the_root_takes_the_best_of_all_splits),
        cmocka_unit_test(a_bag_has_not_seen_the_items_that_it_leaves_out),
        cmocka_unit_test(pairs_of_a_round_are_drawn_under_their_limit),
        cmocka_unit_test(every_variant_is_saved_explained_and_the_same_by_any_number_of_threads),
    };
    return cmocka_run_group_tests(tests, files_enter, files_leave);
}
