/* test_target.c - the dense target answers every question as the double sum of the paper would, whatever it has copied
 * to be quick, and refuses what is no distance. */
#include "tests/unit/nodes.h"

#include "base/memory.h"
#include "tests/unit/engines.h"

enum { MOST_ITEMS = 300, MOST_LINE_UPS = 11, MOST_LEVELS = 9 };

/* ---- walking nested nodes, as growing a tree does ---- */

typedef struct walker {
    const data_set *data;
    const smerf_target *target;
    const sm_target_kind *kind;
    sm_search *search;
    double weight[MOST_ITEMS]; /* by item */
    const double *diagonal;    /* in place of z_ii, or NULL */
    sm_random random;
    size_t n_line_ups; /* the most at once */
    double *predictor; /* every number the search gave, one after the other */
    size_t n_predictor, capacity;
    bool is_replay; /* compare with the answers instead of adding to them */
} walker;

static double z_of(const walker *at, size_t i, size_t j) {
    if (i == j && at->diagonal != NULL) return at->diagonal[i];
    return (double)at->data->z[i * at->data->plan.n_items + j];
}

/* Whatever was copied or which kernels ran: the same bits in every walk. */
static void note(walker *at, double answer) {
    if (at->is_replay) {
        assert_memory_equal(&at->predictor[at->n_predictor], &answer, sizeof answer);
    } else {
        assert_true(sm_grow((void **)&at->predictor, &at->capacity, at->n_predictor + 1, sizeof answer));
        at->predictor[at->n_predictor] = answer;
    }
    at->n_predictor++;
}

/* Q(S) / W of the items order[first .. end-1] of a node. */
static double slow_cost(const walker *at, const sm_node *node, const uint32_t *order, size_t first, size_t end) {
    double cost = 0, weight = 0;
    for (size_t r = first; r < end; r++) {
        size_t i = node->items[order[r]];
        for (size_t s = first; s < end; s++) {
            size_t j = node->items[order[s]];
            cost += at->weight[i] * at->weight[j] * z_of(at, i, j);
        }
        weight += at->weight[i];
    }
    return cost / weight;
}

static void check_line_up(walker *at, const sm_node *node, const sm_line_up *line) {
    for (size_t r = 0; r + 1 < node->n; r++) {
        note(at, line->left[r]);
        note(at, line->right[r]);
    }
    size_t step = node->n / 7 + 1; /* some cuts: each is a double sum */
    for (size_t r = 0; r + 1 < node->n; r += step) {
        double left = slow_cost(at, node, line->order, 0, r + 1);
        double right = slow_cost(at, node, line->order, r + 1, node->n);
        assert_near(line->left[r], left, 1e-12 * (1 + node->total));
        assert_near(line->right[r], right, 1e-12 * (1 + node->total));
    }
}

static void check_price(walker *at, const sm_node *node) {
    static uint32_t orders[MOST_LINE_UPS][MOST_ITEMS];
    static double left[MOST_LINE_UPS][MOST_ITEMS], right[MOST_LINE_UPS][MOST_ITEMS];
    sm_line_up lines[MOST_LINE_UPS];
    size_t n_lines = 1 + sm_random_below(&at->random, (uint32_t)at->n_line_ups);
    for (size_t u = 0; u < n_lines; u++) {
        draw_order(orders[u], node->n, &at->random);
        lines[u] = (sm_line_up){.order = orders[u], .left = left[u], .right = right[u]};
    }
    double cost = sm_price(plain_engine(at->kind)->pricing, at->search, node, lines, n_lines);
    note(at, cost);
    assert_near(cost, slow_cost(at, node, orders[0], 0, node->n), 1e-12 * (1 + node->total));
    for (size_t u = 0; u < n_lines; u++) check_line_up(at, node, &lines[u]);
}

static void check_pure(walker *at, const sm_node *node) {
    double first = z_of(at, node->items[0], node->items[0]);
    bool is_pure = true;
    for (size_t k = 0; k < node->n; k++)
        for (size_t l = 0; l < node->n; l++) is_pure = is_pure && z_of(at, node->items[k], node->items[l]) == first;
    assert_int_equal(plain_engine(at->kind)->is_pure(at->search, node), is_pure);
}

static double slow_level_mean(const walker *at, const sm_node *node, const uint32_t *level, size_t a, size_t b) {
    double sum = 0, weight = 0;
    for (size_t k = 0; k < node->n; k++)
        for (size_t l = 0; l < node->n; l++) {
            if (level[k] != a || level[l] != b) continue;
            size_t i = node->items[k], j = node->items[l];
            sum += at->weight[i] * at->weight[j] * z_of(at, i, j);
            weight += at->weight[i] * at->weight[j];
        }
    return sum / weight;
}

static void check_levels(walker *at, const sm_node *node) {
    uint32_t level[MOST_ITEMS], n_levels = 1 + sm_random_below(&at->random, MOST_LEVELS);
    double mean[MOST_LEVELS * MOST_LEVELS];
    if (n_levels > node->n) n_levels = (uint32_t)node->n;
    draw_levels(level, node->n, n_levels, &at->random);
    plain_engine(at->kind)->level_distances(at->search, node, level, n_levels, mean);
    for (size_t a = 0; a < n_levels; a++)
        for (size_t b = 0; b < n_levels; b++) {
            note(at, mean[a * n_levels + b]);
            assert_near(mean[a * n_levels + b], slow_level_mean(at, node, level, a, b), 1e-12);
        }
}

static void walk(walker *at, uint32_t *items, size_t n, size_t view, size_t depth) {
    if (n < 2 || depth > 12) return;
    double weight[MOST_ITEMS]; /* by place */
    sm_node node = {.items = items, .n = n, .weight = weight};
    for (size_t k = 0; k < n; k++) node.total += weight[k] = at->weight[items[k]];
    view = plain_engine(at->kind)->enter(at->search, &node, view);
    note(at, (double)n);
    check_pure(at, &node);
    check_price(at, &node);
    if (depth % 2 == 0) check_levels(at, &node);
    static uint32_t right[MOST_ITEMS];
    size_t n_left = draw_children(items, n, right, sm_random_uniform(&at->random), &at->random);
    walk(at, items, n_left, view, depth + 1);
    walk(at, items + n_left, n - n_left, view, depth + 1);
}

/* Trees one after the other with one search, each over a bag of its own. */
static void walk_trees(walker *at, size_t n_threads, smerf_kernels kernels) {
    size_t n = at->data->plan.n_items;
    smerf_error error;
    const sm_search_size size = {
        .n_items = n, .n_line_ups = at->n_line_ups, .n_threads = n_threads, .kernels = kernels};
    at->search = plain_engine(at->kind)->search_new(at->target, &size, &error);
    assert_non_null(at->search);
    sm_random_start(&at->random, 5, 0, n);
    at->n_predictor = 0;
    for (size_t tree = 0; tree < 3; tree++) {
        uint32_t items[MOST_ITEMS];
        size_t n_in_bag = 0;
        for (uint32_t i = 0; i < n; i++) {
            uint32_t n_draws = tree == 0 ? 1 : sm_random_below(&at->random, 4);
            at->weight[i] = n_draws * (tree == 2 ? 0.25 + sm_random_uniform(&at->random) : 1);
            if (n_draws > 0) items[n_in_bag++] = i;
        }
        walk(at, items, n_in_bag, 0, 0);
    }
    plain_engine(at->kind)->search_free(at->search);
}

static void walk_in_all_ways(walker *at) {
    const size_t budgets[] = {1, 2, 64};
    at->is_replay = false;
    for (size_t b = 0; b < 3; b++)
        for (int kernels = 0; kernels < 2; kernels++) {
            walk_trees(at, budgets[b], kernels == 0 ? SMERF_KERNELS_PLAIN : SMERF_KERNELS_AUTO);
            at->is_replay = true;
        }
    sm_free(at->predictor);
    at->predictor = NULL;
    at->capacity = 0;
}

static walker walker_of(const data_set *data, size_t n_line_ups) {
    return (walker){.data = data, .target = data->target, .kind = data->target->kind, .n_line_ups = n_line_ups};
}

static void cuts_cost_what_the_double_sum_says_in_nested_nodes(void **state) {
    (void)state;
    const size_t sizes[] = {2, 3, 7, 33, 64, 65, 70, 131, MOST_ITEMS};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        data_set *data =
            data_set_new((data_plan){.n_items = sizes[s], .n_numbers = 2, .has_diagonal = s % 2 == 0, .seed = 3});
        walker at = walker_of(data, 1 + s);
        walk_in_all_ways(&at);
        data_set_free(data);
    }
}

static void another_diagonal_is_heeded_everywhere(void **state) {
    (void)state;
    data_set *data = data_set_new((data_plan){.n_items = 150, .n_numbers = 2, .has_diagonal = true, .seed = 4});
    double diagonal[150];
    for (size_t i = 0; i < 150; i++) diagonal[i] = (double)0.1f; /* rounded as if read with the matrix */
    walker at = walker_of(data, 5);
    smerf_target *variant;
    smerf_error error;
    demand_ok(at.kind->data.with_diagonal(data->target, 0.1, &variant, &error), &error);
    at.target = variant;
    at.diagonal = diagonal;
    walk_in_all_ways(&at);
    smerf_target_free(variant);
    at.target = data->target; /* which is as it was */
    at.diagonal = NULL;
    walk_in_all_ways(&at);
    data_set_free(data);
}

/* Distances below zero make costs below zero. */
static void distances_may_be_negative(void **state) {
    (void)state;
    data_set *data = data_set_new((data_plan){.n_items = 140, .n_numbers = 2, .has_diagonal = true, .seed = 5});
    for (size_t k = 0; k < 140 * 140; k++) data->z[k] -= 1;
    walker at = walker_of(data, 4);
    walk_in_all_ways(&at);
    data_set_free(data);
}

/* ---- pure nodes ---- */

static bool is_pure(const float *z, size_t n_items, const uint32_t *items, size_t n) {
    smerf_target *target;
    smerf_error error;
    const sm_search_size size = {.n_items = n_items, .n_line_ups = 1, .n_threads = 1};
    double weight[MOST_ITEMS];
    for (size_t i = 0; i < n_items; i++) weight[i] = 1;
    demand_ok(smerf_target_new_distances(z, n_items, &target, &error), &error);
    sm_search *search = plain_engine(target->kind)->search_new(target, &size, &error);
    sm_node node = {.items = items, .n = n, .weight = weight, .total = (double)n};
    plain_engine(target->kind)->enter(search, &node, 0);
    bool answer = plain_engine(target->kind)->is_pure(search, &node);
    plain_engine(target->kind)->search_free(search);
    smerf_target_free(target);
    return answer;
}

static void pure_means_all_equal_with_the_diagonal(void **state) {
    (void)state;
    const uint32_t all[4] = {0, 1, 2, 3}, first[3] = {0, 1, 2}, pair[2] = {1, 3};
    float z[16];
    for (size_t k = 0; k < 16; k++) z[k] = 2;
    assert_true(is_pure(z, 4, all, 4));
    z[3 * 4 + 3] = 0;
    assert_false(is_pure(z, 4, all, 4));
    assert_true(is_pure(z, 4, first, 3));
    z[3 * 4 + 3] = 2;
    z[3 * 4 + 1] = z[1 * 4 + 3] = 2.5f;
    assert_false(is_pure(z, 4, all, 4));
    assert_false(is_pure(z, 4, pair, 2));
    assert_true(is_pure(z, 4, first, 3));
}

static void copies_of_one_item_without_distance_are_pure(void **state) {
    (void)state;
    static const float z[100];
    const uint32_t some[5] = {1, 2, 4, 8, 9};
    assert_true(is_pure(z, 10, some, 5));
}

/* ---- leaves ---- */

typedef struct partition {
    sm_leaves leaves;
    uint32_t first[MOST_ITEMS + 1], item[MOST_ITEMS];
    double weight[MOST_ITEMS], total[MOST_ITEMS];
} partition;

/* Some of the items, in leaves of one item and of many. */
static void draw_partition(partition *drawn, size_t n_items, size_t n_leaves, uint64_t number) {
    sm_random random;
    sm_random_start(&random, 8, (uint32_t)n_items, number);
    size_t n_members = n_leaves + sm_random_below(&random, (uint32_t)(n_items - n_leaves + 1));
    for (uint32_t i = 0; i < n_items; i++) drawn->item[i] = i;
    sm_random_shuffle(&random, drawn->item, n_items);
    for (size_t l = 0; l <= n_leaves; l++) drawn->first[l] = (uint32_t)(l * n_members / n_leaves);
    for (size_t l = 1; l + 1 < n_leaves; l += 2) drawn->first[l] = drawn->first[l + 1] - 1;
    for (size_t m = 0; m < n_members; m++)
        drawn->weight[m] = (1 + sm_random_below(&random, 3)) * (number % 2 == 0 ? 1 : sm_random_uniform(&random) + 0.1);
    for (size_t l = 0; l < n_leaves; l++) {
        drawn->total[l] = 0;
        for (size_t m = drawn->first[l]; m < drawn->first[l + 1]; m++) drawn->total[l] += drawn->weight[m];
    }
    drawn->leaves = (sm_leaves){
        .n = n_leaves, .first = drawn->first, .item = drawn->item, .weight = drawn->weight, .total = drawn->total};
}

static double slow_leaves(const walker *at, const sm_leaves *leaves, size_t a, size_t b) {
    double sum = 0, weight = 0;
    for (size_t k = leaves->first[a]; k < leaves->first[a + 1]; k++)
        for (size_t l = leaves->first[b]; l < leaves->first[b + 1]; l++) {
            sum += leaves->weight[k] * leaves->weight[l] * z_of(at, leaves->item[k], leaves->item[l]);
            weight += leaves->weight[k] * leaves->weight[l];
        }
    return sum / weight;
}

static void check_leaves(const walker *at, const partition *drawn) {
    static double rows[MOST_ITEMS * MOST_ITEMS];
    double scratch[MOST_ITEMS];
    const sm_leaves *leaves = &drawn->leaves;
    size_t n = leaves->n;
    for (size_t a = 0; a < n; a++) at->kind->predicting.leaf_row(at->target, leaves, a, rows + a * n, scratch);
    for (size_t a = 0; a < n; a++)
        for (size_t b = 0; b < n; b++) {
            double pair = at->kind->predicting.leaf_pair(at->target, leaves, a, b);
            assert_memory_equal(&rows[a * n + b], &pair, sizeof pair);
            assert_memory_equal(&rows[a * n + b], &rows[b * n + a], sizeof pair);
            assert_near(pair, slow_leaves(at, leaves, a, b), 1e-13 * (1 + fabs(pair)));
        }
}

static void leaves_are_apart_by_their_mean_distance_exactly_as_seen_from_both(void **state) {
    (void)state;
    const size_t sizes[] = {1, 2, 5, 40, 200};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (uint64_t number = 0; number < 6; number++) {
            data_set *data = data_set_new(
                (data_plan){.n_items = sizes[s], .n_numbers = 2, .has_diagonal = number % 3 == 0, .seed = 6 + number});
            walker at = walker_of(data, 1);
            partition drawn;
            size_t n_leaves = number == 0 ? sizes[s] : 1 + (sizes[s] - 1) / (number + 1);
            draw_partition(&drawn, sizes[s], n_leaves, number);
            check_leaves(&at, &drawn);
            data_set_free(data);
        }
}

static void leaves_heed_another_diagonal(void **state) {
    (void)state;
    data_set *data = data_set_new((data_plan){.n_items = 30, .n_numbers = 2, .seed = 9});
    double diagonal[30];
    for (size_t i = 0; i < 30; i++) diagonal[i] = (double)0.7f;
    walker at = walker_of(data, 1);
    smerf_target *variant;
    smerf_error error;
    demand_ok(at.kind->data.with_diagonal(data->target, 0.7, &variant, &error), &error);
    at.target = variant;
    at.diagonal = diagonal;
    partition drawn;
    draw_partition(&drawn, 30, 8, 3);
    check_leaves(&at, &drawn);
    smerf_target_free(variant);
    data_set_free(data);
}

static void the_mean_apart_leaves_self_distances_out(void **state) {
    (void)state;
    data_set *data = data_set_new((data_plan){.n_items = 50, .n_numbers = 2, .has_diagonal = true, .seed = 10});
    walker at = walker_of(data, 1);
    partition drawn;
    draw_partition(&drawn, 50, 10, 5);
    for (size_t first = 0; first < drawn.first[10]; first++)
        for (size_t end = first + 1; end <= drawn.first[10]; end += 3) {
            double sum = 0, weight = 0;
            for (size_t k = first; k < end; k++)
                for (size_t l = first; l < end; l++) {
                    double pair = k == l ? 0 : drawn.weight[k] * drawn.weight[l];
                    sum += pair * z_of(&at, drawn.item[k], drawn.item[l]);
                    weight += pair;
                }
            double found = at.kind->predicting.mean_apart(at.target, &drawn.leaves, first, end);
            assert_near(found, weight > 0 ? sum / weight : NAN, 1e-13);
        }
    data_set_free(data);
}

/* ---- making, sharing, telling the truth ---- */

static void assert_refused(smerf_status status, const smerf_error *error, size_t row, size_t column,
                           const char *sentence) {
    assert_int_equal(status, SMERF_BAD_INPUT);
    assert_string_equal(error->message, sentence);
    assert_true(error->row == row && error->column == column);
}

static void an_asymmetric_matrix_is_refused_with_its_first_cell(void **state) {
    (void)state;
    static float z[MOST_ITEMS * MOST_ITEMS]; /* several tiles of the check */
    smerf_target *target = NULL;
    smerf_error error;
    const size_t n = MOST_ITEMS, cells[][2] = {{0, 1}, {63, 64}, {64, 65}, {5, 299}, {298, 299}, {128, 200}};
    for (size_t c = 0; c < sizeof cells / sizeof *cells; c++) {
        size_t i = cells[c][0], j = cells[c][1];
        char sentence[200];
        snprintf(sentence, sizeof sentence, "z[%zu][%zu] = 0 but z[%zu][%zu] = 2: a distance is symmetric", j, i, i, j);
        z[i * n + j] = 2;
        assert_refused(smerf_target_new_distances(z, n, &target, &error), &error, j, i, sentence);
        z[299 * n + 298] = 1; /* further ones do not matter */
        if (i < 298) assert_refused(smerf_target_new_distances(z, n, &target, &error), &error, j, i, sentence);
        z[i * n + j] = z[299 * n + 298] = 0;
    }
    z[3 * n + 250] = z[4 * n + 5] = z[3 * n + 90] = 1;
    assert_refused(smerf_target_new_distances(z, n, &target, &error), &error, 90, 3,
                   "z[90][3] = 0 but z[3][90] = 1: a distance is symmetric");
    assert_null(target);
    memset(z, 0, sizeof z);
}

static void both_zeros_are_symmetric(void **state) {
    (void)state;
    const float z[4] = {0, -0.0f, 0, 0};
    smerf_target *target;
    assert_int_equal(smerf_target_new_distances(z, 2, &target, NULL), SMERF_OK);
    smerf_target_free(target);
}

static void what_is_not_finite_is_refused_with_its_cell(void **state) {
    (void)state;
    float z[9] = {0, 1, 2, 1, 0, 3, 2, 3, 0};
    smerf_target *target = NULL;
    smerf_error error;
    z[5] = z[7] = NAN;
    assert_refused(smerf_target_new_distances(z, 3, &target, &error), &error, 1, 2,
                   "z[1][2] is missing; distances are finite numbers");
    z[5] = z[7] = 3;
    z[8] = -INFINITY;
    assert_refused(smerf_target_new_distances(z, 3, &target, &error), &error, 2, 2,
                   "z[2][2] is infinite; distances are finite numbers");
    z[8] = 0;
    z[3] = INFINITY;
    assert_refused(smerf_target_new_block(z, 3, 3, &target, &error), &error, 1, 0,
                   "z[1][0] is infinite; distances are finite numbers");
    z[3] = NAN; /* in a block, not known */
    demand_ok(smerf_target_new_block(z, 3, 3, &target, &error), &error);
    smerf_target_free(target);
    target = NULL;
    assert_refused(smerf_target_new_distances(z, 0, &target, &error), &error, SMERF_NOWHERE, SMERF_NOWHERE,
                   "a matrix of distances has no rows");
    assert_refused(smerf_target_new_block(z, 2, 0, &target, &error), &error, SMERF_NOWHERE, SMERF_NOWHERE,
                   "a matrix of distances has no rows");
    assert_null(target);
}

static void the_truth_is_what_was_given(void **state) {
    (void)state;
    const float z[9] = {0.5, 1, 2, 1, 0.25, 3, 2, 3, 0}, block[6] = {1, 2, 3, 4, 5, 6};
    smerf_target *square_one, *between, *variant;
    smerf_error error;
    double row[3];
    demand_ok(smerf_target_new_distances(z, 3, &square_one, &error), &error);
    demand_ok(smerf_target_new_block(block, 2, 3, &between, &error), &error);
    demand_ok(square_one->kind->data.with_diagonal(square_one, -4, &variant, &error), &error);
    square_one->kind->data.true_row(square_one, 1, row);
    assert_true(row[0] == 1 && row[1] == 0.25 && row[2] == 3);
    between->kind->data.true_row(between, 1, row);
    assert_true(row[0] == 4 && row[1] == 5 && row[2] == 6);
    variant->kind->data.true_row(variant, 1, row);
    assert_true(row[0] == 1 && row[1] == -4 && row[2] == 3);
    smerf_target_free(square_one);
    smerf_target_free(between);
    smerf_target_free(variant);
}

/* The variant outlives its owner's reference to the original, and a model its owner's reference to the target. */
static void a_target_lives_as_long_as_someone_holds_it(void **state) {
    (void)state;
    data_set *data = plain_data(20);
    smerf_options options = options_for(3);
    options.self_distance = SMERF_SELF_VALUE;
    options.self_value = 0.5;
    smerf_model *model = fit_with(data, &options, NULL);
    smerf_target_free(data->target);
    data->target = NULL;
    const smerf_request request = SMERF_INIT(smerf_request, .rows = data->items);
    free(predict_all(model, &request, NULL));
    smerf_model_free(model);
    data_set_free(data);
}

static void similarities_are_noted_also_in_variants(void **state) {
    (void)state;
    data_set *data = plain_data(10);
    smerf_target *variant;
    smerf_error error;
    smerf_target_note_similarities(data->target, 3.5);
    demand_ok(data->target->kind->data.with_diagonal(data->target, 1, &variant, &error), &error);
    assert_true(variant->from_similarities && variant->largest_similarity == 3.5);
    smerf_target_free(variant);
    data_set_free(data);
}

static void targets_are_equal_if_their_distances_are(void **state) {
    (void)state;
    data_set *data = plain_data(12), *same = plain_data(12), *larger = plain_data(13);
    const sm_target_kind *kind = data->target->kind;
    smerf_target *variant;
    smerf_error error;
    assert_true(kind->data.equal(data->target, same->target));
    assert_false(kind->data.equal(data->target, larger->target));
    demand_ok(kind->data.with_diagonal(same->target, 0, &variant, &error), &error);
    assert_true(kind->data.equal(data->target, variant)); /* the diagonal was 0 */
    smerf_target_note_similarities(variant, 1);
    assert_false(kind->data.equal(data->target, variant));
    same->z[11 * 12 + 10] = same->z[10 * 12 + 11] += 1;
    assert_false(kind->data.equal(data->target, same->target));
    smerf_target_free(variant);
    data_set_free(data);
    data_set_free(same);
    data_set_free(larger);
}

static void a_kind_is_found_by_its_name(void **state) {
    (void)state;
    assert_ptr_equal(sm_target_kind_find("distances"), &sm_target_distances);
    assert_null(sm_target_kind_find("distance"));
    assert_null(sm_target_kind_find(""));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cuts_cost_what_the_double_sum_says_in_nested_nodes),
        cmocka_unit_test(another_diagonal_is_heeded_everywhere),
        cmocka_unit_test(distances_may_be_negative),
        cmocka_unit_test(pure_means_all_equal_with_the_diagonal),
        cmocka_unit_test(copies_of_one_item_without_distance_are_pure),
        cmocka_unit_test(leaves_are_apart_by_their_mean_distance_exactly_as_seen_from_both),
        cmocka_unit_test(leaves_heed_another_diagonal),
        cmocka_unit_test(the_mean_apart_leaves_self_distances_out),
        cmocka_unit_test(an_asymmetric_matrix_is_refused_with_its_first_cell),
        cmocka_unit_test(both_zeros_are_symmetric),
        cmocka_unit_test(what_is_not_finite_is_refused_with_its_cell),
        cmocka_unit_test(the_truth_is_what_was_given),
        cmocka_unit_test(a_target_lives_as_long_as_someone_holds_it),
        cmocka_unit_test(similarities_are_noted_also_in_variants),
        cmocka_unit_test(targets_are_equal_if_their_distances_are),
        cmocka_unit_test(a_kind_is_found_by_its_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
