/* test_many_levels.c - categories of many levels: what engines say of products with mean distances, the order that follows, held
 * against the order that all mean distances give, and whole fits. */
#include "tests/unit/files.h"
#include "tests/unit/forests.h"

#include "base/square.h"
#include "tests/unit/effort.h"
#include "tests/unit/engines.h"
#include "tests/unit/filled.h"
#include "tests/unit/nodes.h"
#include "train/split/categories.h"

enum { MOST = 400, N_KINDS = 7 };

/* ---- targets of every kind, over items of which the first coordinate is called `main` ---- */

typedef struct drawn {
    smerf_target *target;
    float *z; /* of a matrix */
    double weight[MOST];
    uint32_t level[MOST]; /* by item, SMERF_MISSING for some */
    size_t n, n_levels;
} drawn;

/*   noise  beside the main coordinate, which is an effect of the level with something of the item's own */
static void draw_coordinates(const drawn *made, double noise, double (*u)[4], sm_random *random) {
    double effect[MOST + 1];
    for (size_t a = 0; a <= made->n_levels; a++) effect[a] = sm_random_normal(random);
    for (size_t i = 0; i < made->n; i++) {
        size_t a = made->level[i] == SMERF_MISSING ? made->n_levels : made->level[i];
        u[i][0] = effect[a] + 0.3 * sm_random_normal(random);
        for (size_t r = 1; r < 4; r++) u[i][r] = noise * sm_random_normal(random);
    }
}

static double apart(double (*u)[4], size_t i, size_t j) {
    double sum = 0;
    for (size_t r = 0; r < 4; r++) sum += (u[i][r] - u[j][r]) * (u[i][r] - u[j][r]);
    return sqrt(sum);
}

/* Links between items that are near each other, or their distances, of every n-th pair. */
static smerf_target *draw_listed(const drawn *made, double (*u)[4], bool is_graph) {
    size_t n = 0, most = made->n * made->n;
    uint32_t *left = calloc(most, sizeof *left), *right = calloc(most, sizeof *right);
    double *value = calloc(most, sizeof *value);
    for (uint32_t i = 0; i < made->n; i++)
        for (uint32_t j = 0; j < i; j++) {
            if (is_graph ? apart(u, i, j) > 0.5 : (i * 7 + j * 13) % 5 != 0) continue;
            left[n] = i;
            right[n] = j;
            value[n++] = is_graph ? 1 - 0.25 * (double)((i + j) % 3) : apart(u, i, j);
        }
    const smerf_pair_list list = {.n = n, .left = left, .right = right, .value = value};
    smerf_target *target = NULL;
    smerf_error error;
    demand_ok(is_graph ? smerf_target_new_graph(&list, NULL, made->n, &target, &error)
                       : smerf_target_new_pairs(&list, made->n, &target, &error),
              &error);
    free(left);
    free(right);
    free(value);
    return target;
}

static smerf_target *draw_numbers(const drawn *made, double (*u)[4], int kind) {
    static const char *const names[] = {"a", "b", "c", "d"}, *const classes[] = {"k0", "k1", "k2", "k3", "k4"};
    double values[4][MOST];
    uint32_t codes[MOST];
    const double *const columns[] = {values[0], values[1], values[2], values[3]};
    smerf_target *target = NULL;
    smerf_error error;
    for (size_t i = 0; i < made->n; i++) {
        for (size_t r = 0; r < 4; r++) values[r][i] = u[i][r];
        codes[i] = u[i][0] < -1 ? 0 : u[i][0] < 0 ? 1 : u[i][1] < 0 ? 2 : u[i][0] < 1 ? 3 : 4;
    }
    smerf_status status = kind == 0   ? smerf_target_new_labels("k", codes, made->n, classes, 5, &target, &error)
                          : kind == 1 ? smerf_target_new_response(names, columns, 4, made->n, &target, &error)
                          : kind == 2 ? smerf_target_new_product(names, columns, 4, made->n, &target, &error)
                                      : smerf_target_new_absolute("a", values[0], made->n, &target, &error);
    demand_ok(status, &error);
    return target;
}

/*   kind  labels, response, product, absolute, graph, pairs, distances */
static void draw(drawn *made, int kind, size_t n, size_t n_levels, double noise, sm_random *random) {
    static double u[MOST][4];
    *made = (drawn){.n = n, .n_levels = n_levels};
    for (size_t i = 0; i < n; i++) {
        bool is_missing = i >= n_levels && sm_random_below(random, 10) == 0;
        made->level[i] = is_missing     ? SMERF_MISSING
                         : i < n_levels ? (uint32_t)i
                                        : sm_random_below(random, (uint32_t)n_levels);
        made->weight[i] = (1 + sm_random_below(random, 3)) * (0.5 + sm_random_uniform(random));
    }
    draw_coordinates(made, noise, u, random);
    smerf_error error;
    if (kind < 4) {
        made->target = draw_numbers(made, u, kind);
    } else if (kind < 6) {
        made->target = draw_listed(made, u, kind == 4);
    } else {
        made->z = calloc(n * n, sizeof *made->z);
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < i; j++) made->z[i * n + j] = made->z[j * n + i] = (float)apart(u, i, j);
        demand_ok(smerf_target_new_distances(made->z, n, &made->target, &error), &error);
    }
}

static void drawn_free(drawn *made) {
    smerf_target_free(made->target);
    free(made->z);
}

/* ---- one node with all items ---- */

typedef struct one_node {
    sm_search *search;
    sm_node node;
    uint32_t items[MOST], level[MOST]; /* by node index, numbered from 0 */
    double level_weight[MOST];
} one_node;

static void enter_one(one_node *at, const smerf_target *target, const drawn *made, smerf_kernels kernels) {
    const sm_engine *engine = plain_engine(target->kind);
    const sm_search_size size = {
        .n_items = made->n, .n_levels = MOST, .n_line_ups = 2, .n_threads = 1, .kernels = kernels};
    smerf_error error;
    at->search = engine->search_new(target, &size, &error);
    assert_non_null(at->search);
    at->node = (sm_node){.items = at->items, .n = made->n, .weight = made->weight};
    memset(at->level_weight, 0, sizeof at->level_weight);
    for (uint32_t i = 0; i < made->n; i++) {
        at->items[i] = i;
        at->node.total += made->weight[i];
        at->level[i] = made->level[i];
        if (at->level[i] != SMERF_MISSING) at->level_weight[at->level[i]] += made->weight[i];
    }
    engine->enter(at->search, &at->node, 0);
}

/* ---- products ---- */

/* So that only a number that all have in common may differ. */
static void take_first_away(double *y, size_t q) {
    for (size_t a = q; a-- > 0;) y[a] -= y[0];
}

static void multiply_all(const double *h, const double *x, double *y, size_t q) {
    for (size_t a = 0; a < q; a++) {
        y[a] = 0;
        for (size_t b = 0; b < q; b++) y[a] += h[a * q + b] * x[b];
    }
}

static void check_products(const smerf_target *target, const drawn *made, sm_random *random) {
    static double h[SM_FEW_LEVELS * SM_FEW_LEVELS];
    const sm_engine *engine = plain_engine(target->kind);
    size_t q = made->n_levels;
    double x[MOST], expected[MOST], found[MOST], sum = 0, size = 0;
    one_node at;
    enter_one(&at, target, made, SMERF_KERNELS_AUTO);
    const sm_node_levels levels = {.level = at.level, .n_levels = q, .weight = at.level_weight};
    engine->level_distances(at.search, &at.node, at.level, q, h);
    double told = engine->level_start(at.search, &at.node, &levels);
    for (size_t i = 0; i < q * q; i++) size = fmax(size, fabs(h[i]));
    assert_true(told >= 0.1 * size && told <= 100 * size + 1);
    for (int again = 0; again < 2; again++) {
        sum = 0;
        for (size_t a = 0; a + 1 < q; a++) sum += x[a] = sm_random_normal(random);
        x[q - 1] = -sum;
        multiply_all(h, x, expected, q);
        engine->level_product(at.search, &at.node, &levels, x, found);
        take_first_away(expected, q);
        take_first_away(found, q);
        for (size_t a = 0; a < q; a++) assert_near(found[a], expected[a], 1e-12 * size * (double)q * (1 + fabs(sum)));
    }
    engine->search_free(at.search);
}

static void products_are_those_with_the_mean_distances(void **state) {
    (void)state;
    sm_random random;
    sm_random_start(&random, 1, 0, 0);
    for (int kind = 0; kind < 6; kind++)
        for (size_t q = 2; q <= SM_FEW_LEVELS; q += 31) {
            drawn made;
            draw(&made, kind, 150, q, 1, &random);
            check_products(made.target, &made, &random);
            smerf_target *variant;
            smerf_error error;
            demand_ok(made.target->kind->data.with_diagonal(made.target, 0.75, &variant, &error), &error);
            check_products(variant, &made, &random); /* another distance of an item to itself is heeded */
            smerf_target_free(variant);
            drawn_free(&made);
        }
    for (size_t trial = 0; trial < 10; trial++) { /* pairs that were filled in */
        drawn made;
        draw(&made, 0, 60, 20, 1, &random);
        filled *pairs = filled_new(60, trial % 2 == 0, &random);
        check_products(pairs->target, &made, &random);
        filled_free(pairs);
        drawn_free(&made);
    }
}

/* With few items each is a landmark, and the stand-in is the square of what it stands for. */
static void landmarks_stand_in_for_a_matrix(void **state) {
    (void)state;
    enum { N = 50 };
    sm_random random;
    sm_random_start(&random, 2, 0, 0);
    drawn made;
    draw(&made, 6, N, N, 1, &random);
    for (size_t i = 0; i < N; i++) made.weight[i] = 1;
    one_node at;
    enter_one(&at, made.target, &made, SMERF_KERNELS_AUTO);
    made.n_levels = N;
    const sm_node_levels levels = {.level = at.level, .n_levels = N, .weight = at.level_weight};
    double h[N * N], x[N], once[N], twice[N], found[N], mean = 0;
    const sm_engine *engine = plain_engine(made.target->kind);
    engine->level_distances(at.search, &at.node, at.level, N, h);
    assert_true(engine->level_start(at.search, &at.node, &levels) > 0);
    for (size_t a = 0; a < N; a++) mean += x[a] = sm_random_normal(&random);
    for (size_t a = 0; a < N; a++) x[a] -= mean / N;
    multiply_all(h, x, once, N);
    mean = 0;
    for (size_t a = 0; a < N; a++) mean += once[a];
    for (size_t a = 0; a < N; a++) once[a] -= mean / N;
    multiply_all(h, once, twice, N);
    engine->level_product(at.search, &at.node, &levels, x, found);
    take_first_away(twice, N);
    take_first_away(found, N);
    for (size_t a = 0; a < N; a++) assert_near(found[a], twice[a], 1e-9);
    engine->search_free(at.search);
    drawn_free(&made);
}

/* ---- the order ---- */

/* The indices of the levels in the order of a line-up. */
static void line_up(const drawn *made, smerf_kernels kernels, uint32_t *index_of) {
    char *texts[MOST];
    for (size_t a = 0; a < made->n_levels; a++) texts[a] = "";
    sm_feature feature = {.kind = SMERF_CATEGORY, .levels = {.n = made->n_levels, .text = texts}};
    const sm_features features = {.n = 1, .feature = &feature};
    const uint32_t *codes = made->level;
    sm_view view = {.n_items = made->n, .n_features = 1, .codes = &codes};
    const sm_problem problem = {.n_features = 1,
                                .features = &features,
                                .view = &view,
                                .engine = plain_engine(made->target->kind),
                                .most_in_bag = made->n};
    sm_categories categories;
    smerf_error error;
    one_node at;
    demand_ok(sm_categories_start(&categories, &problem, &error), &error);
    enter_one(&at, made->target, made, kernels);
    for (int again = 0; again < 2; again++) /* one line-up does not spoil the next */
        assert_int_equal(sm_categories_line_up(&categories, &problem, at.search, &at.node, 0), made->n_levels);
    memcpy(index_of, categories.held.index_of, made->n_levels * sizeof *index_of);
    problem.engine->search_free(at.search);
    sm_categories_free(&categories);
}

/* What the best prefix of an order gains, by the mean distances. */
static double best_gain(const drawn *made, const double *h, const double *weight, const uint32_t *index_of) {
    size_t q = made->n_levels;
    uint32_t order[MOST];
    double best = 0, all = 0, whole = 0;
    for (uint32_t a = 0; a < q; a++) order[index_of[a]] = a;
    for (size_t a = 0; a < q; a++) {
        all += weight[a];
        for (size_t b = 0; b < q; b++) whole += weight[a] * weight[b] * h[a * q + b];
    }
    double left = 0, right = whole, left_weight = 0;
    for (size_t r = 0; r + 1 < q; r++) { /* level c moves from the right to the left */
        size_t c = order[r];
        double to_left = 0, to_right = 0;
        for (size_t s = 0; s < q; s++) {
            double y = weight[c] * weight[order[s]] * h[c * q + order[s]];
            if (s < r) to_left += 2 * y;
            if (s > r) to_right += 2 * y;
        }
        double own = weight[c] * weight[c] * h[c * q + c];
        left += to_left + own;
        right -= to_right + own;
        left_weight += weight[c];
        best = fmax(best, whole / all - left / left_weight - right / (all - left_weight));
    }
    return best;
}

/* As decision 6 has it, from all mean distances. */
static void order_exactly(const drawn *made, const double *h, const double *weight, uint32_t *index_of) {
    size_t q = made->n_levels, most = 0;
    double *k = calloc(2 * q * q + 5 * q, sizeof *k), *vectors = k + q * q, *values = vectors + q * q, all = 0;
    double *means = values + q, grand = 0;
    for (size_t a = 0; a < q; a++) all += weight[a];
    for (size_t a = 0; a < q; a++) {
        for (size_t b = 0; b < q; b++) means[a] += weight[b] / all * h[a * q + b];
        grand += weight[a] / all * means[a];
    }
    for (size_t a = 0; a < q; a++)
        for (size_t b = 0; b < q; b++) k[a * q + b] = -0.5 * (h[a * q + b] - means[a] - means[b] + grand);
    sm_eigen(k, q, values, vectors, means + q);
    for (size_t e = 1; e < q; e++)
        if (fabs(values[e]) > fabs(values[most])) most = e;
    const double *along = vectors + most * q;
    double sign = along[0] > 0 ? -1 : 1;
    for (size_t a = 0; a < q; a++) {
        index_of[a] = 0;
        for (size_t b = 0; b < q; b++)
            index_of[a] += sign * along[b] < sign * along[a] || (b < a && !(sign * along[b] > sign * along[a]));
    }
    free(k);
}

static double *find_all(const drawn *made, double *weight) {
    size_t q = made->n_levels;
    double *h = calloc(q * q, sizeof *h);
    one_node at;
    enter_one(&at, made->target, made, SMERF_KERNELS_AUTO);
    plain_engine(made->target->kind)->level_distances(at.search, &at.node, at.level, q, h);
    memcpy(weight, at.level_weight, q * sizeof *weight);
    plain_engine(made->target->kind)->search_free(at.search);
    return h;
}

/* The fraction of the exact order's gain that the order of products has. */
static double fraction_of_gain(const drawn *made) {
    uint32_t near[MOST], exact[MOST];
    double weight[MOST], *h = find_all(made, weight);
    order_exactly(made, h, weight, exact);
    line_up(made, SMERF_KERNELS_AUTO, near);
    double fraction = best_gain(made, h, weight, near) / best_gain(made, h, weight, exact);
    free(h);
    return fraction;
}

static const char *const kind_names[] = {"labels", "response", "product", "absolute", "graph", "pairs", "distances"};

/* Levels in one strong direction, and in none: noise of four columns. */
static void the_best_cut_gains_nearly_what_the_exact_order_gives(void **state) {
    (void)state;
    static const double noises[] = {0.1, 1, 3};
    sm_random random;
    sm_random_start(&random, 3, 0, 0);
    for (int kind = 0; kind < N_KINDS; kind++)
        for (size_t how = 0; how < 3; how++) {
            double sum = 0, least = 1;
            size_t n_trials = repetitions(12, 3);
            for (size_t trial = 0; trial < n_trials; trial++) {
                size_t q = 66 + sm_random_below(&random, 135);
                drawn made;
                draw(&made, kind, MOST, q, noises[how], &random);
                double fraction = fraction_of_gain(&made);
                sum += fraction;
                least = fmin(least, fraction);
                drawn_free(&made);
            }
            print_message("%-9s noise %.1f: %.4f of the gain, at least %.4f\n", kind_names[kind], noises[how],
                          sum / (double)n_trials, least);
            assert_true(sum / (double)n_trials > (how == 0 ? 0.97 : 0.9));
        }
}

/* Two classes: the order of their fractions. One response: of the means. Whatever the number of levels. */
static void one_direction_has_one_order(void **state) {
    (void)state;
    static const char *const names[] = {"a"}, *const classes[] = {"no", "yes"};
    sm_random random;
    sm_random_start(&random, 4, 0, 0);
    for (int is_labels = 0; is_labels < 2; is_labels++)
        for (size_t trial = 0; trial < 10; trial++) {
            drawn made;
            draw(&made, 1, MOST, trial == 0 ? MOST : 80 + 20 * trial, 1, &random);
            smerf_target_free(made.target);
            double y[MOST], mean[MOST] = {0}, all[MOST] = {0};
            uint32_t codes[MOST], index_of[MOST];
            const double *const columns[] = {y};
            smerf_error error;
            for (size_t i = 0; i < MOST; i++) {
                y[i] = is_labels ? codes[i] = sm_random_below(&random, 2) : sm_random_normal(&random);
                if (made.level[i] == SMERF_MISSING) continue;
                mean[made.level[i]] += made.weight[i] * y[i];
                all[made.level[i]] += made.weight[i];
            }
            demand_ok(is_labels ? smerf_target_new_labels("k", codes, MOST, classes, 2, &made.target, &error)
                                : smerf_target_new_response(names, columns, 1, MOST, &made.target, &error),
                      &error);
            line_up(&made, SMERF_KERNELS_AUTO, index_of);
            double largest = 0, centre = 0, total = 0;
            for (size_t a = 0; a < made.n_levels; a++) {
                centre += mean[a];
                total += all[a];
                mean[a] /= all[a];
            }
            for (size_t a = 0; a < made.n_levels; a++) largest = fmax(largest, fabs(mean[a] - centre / total));
            double sign = mean[0] > centre / total ? -1 : 1; /* the first level is on the left */
            for (size_t a = 0; a < made.n_levels; a++)
                for (size_t b = 0; b < made.n_levels; b++)
                    if (sign * (mean[b] - mean[a]) > 1e-6 * largest) assert_true(index_of[a] < index_of[b]);
            drawn_free(&made);
        }
}

static void kernels_give_one_order(void **state) {
    (void)state;
    sm_random random;
    sm_random_start(&random, 5, 0, 0);
    for (int kind = 0; kind < N_KINDS; kind++) {
        drawn made;
        uint32_t plain[MOST], vector[MOST];
        draw(&made, kind, MOST, 150, 1, &random);
        line_up(&made, SMERF_KERNELS_PLAIN, plain);
        line_up(&made, SMERF_KERNELS_AUTO, vector);
        assert_memory_equal(plain, vector, made.n_levels * sizeof *plain);
        drawn_free(&made);
    }
}

/* Every level one item; every item the same as every other: then by number. */
static void levels_without_a_direction_stand_by_number(void **state) {
    (void)state;
    static const char *const names[] = {"a"}, *const classes[] = {"only", "other"};
    double y[MOST] = {0};
    uint32_t codes[MOST] = {0}, index_of[MOST];
    const double *const columns[] = {y};
    float *z = calloc((size_t)MOST * MOST, sizeof *z);
    const smerf_pair_list none = {.n = 0};
    sm_random random;
    sm_random_start(&random, 6, 0, 0);
    for (int kind = 0; kind < 6; kind++) {
        drawn made;
        smerf_error error;
        draw(&made, 1, MOST, kind % 2 == 0 ? MOST : 100, 1, &random);
        smerf_target_free(made.target);
        for (size_t i = 0; i < MOST; i++) y[i] = 1e6 / 3;
        smerf_status status = kind == 0   ? smerf_target_new_labels("k", codes, MOST, classes, 2, &made.target, &error)
                              : kind == 1 ? smerf_target_new_response(names, columns, 1, MOST, &made.target, &error)
                              : kind == 2 ? smerf_target_new_absolute("a", y, MOST, &made.target, &error)
                              : kind == 3 ? smerf_target_new_pairs(&none, MOST, &made.target, &error)
                                          : smerf_target_new_distances(z, MOST, &made.target, &error);
        demand_ok(status, &error);
        line_up(&made, SMERF_KERNELS_AUTO, index_of);
        for (size_t a = 0; a < made.n_levels; a++) assert_int_equal(index_of[a], a);
        drawn_free(&made);
    }
    free(z);
}

/* ---- whole fits ---- */

static smerf_items *items_of(const drawn *made, sm_random *random) {
    static char texts[MOST][24];
    static double numbers[MOST];
    const char *levels[MOST];
    for (size_t a = 0; a < made->n_levels; a++) {
        snprintf(texts[a], sizeof texts[a], "L%03zu", a);
        levels[a] = texts[a];
    }
    for (size_t i = 0; i < made->n; i++) numbers[i] = sm_random_normal(random);
    const smerf_column columns[] = {
        {.name = "x", .kind = SMERF_NUMBER, .values = numbers},
        {.name = "cat", .kind = SMERF_CATEGORY, .codes = made->level, .levels = levels, .n_levels = made->n_levels}};
    smerf_items *items = NULL;
    smerf_error error;
    demand_ok(smerf_items_new(columns, 2, made->n, &items, &error), &error);
    return items;
}

/* One seed, one forest: on any number of threads, with either kernels, and from its file. */
static void one_seed_grows_one_forest_of_many_levels(void **state) {
    (void)state;
    sm_random random;
    sm_random_start(&random, 7, 0, 0);
    for (int kind = 0; kind < N_KINDS; kind++)
        for (int is_oblique = 0; is_oblique < 2; is_oblique++) {
            drawn made;
            draw(&made, kind, 300, 180, 1, &random);
            smerf_items *items = items_of(&made, &random);
            smerf_options options;
            smerf_options_default(&options);
            options.n_trees = 5;
            options.complete = SMERF_COMPLETE_OFF;
            options.splits = is_oblique ? SMERF_OBLIQUE : SMERF_AXIS;
            smerf_model *models[3], *loaded = NULL;
            smerf_error error;
            for (size_t way = 0; way < 3; way++) {
                const smerf_run run = SMERF_INIT(smerf_run, .n_threads = 1 + 2 * way,
                                                 .kernels = way == 1 ? SMERF_KERNELS_PLAIN : SMERF_KERNELS_AUTO);
                demand_ok(smerf_fit(items, made.target, &options, &run, &models[way], &error), &error);
                assert_same_model(models[0], models[way]);
            }
            demand_ok(smerf_model_save(models[0], "many.smerf", &error), &error);
            demand_ok(smerf_model_load("many.smerf", &loaded, &error), &error);
            assert_same_model(models[0], loaded);
            smerf_model_free(loaded);
            for (size_t way = 0; way < 3; way++) smerf_model_free(models[way]);
            smerf_items_free(items);
            drawn_free(&made);
        }
    remove("many.smerf");
}

/* However many levels there are, a split lists no more than its node has; and everybody goes where the list says. */
static void a_split_lists_no_more_levels_than_its_node_holds(void **state) {
    (void)state;
    sm_random random;
    sm_random_start(&random, 8, 0, 0);
    drawn made;
    draw(&made, 1, 300, 250, 1, &random);
    smerf_items *items = items_of(&made, &random);
    smerf_options options;
    smerf_options_default(&options);
    options.n_trees = 20;
    smerf_model *model;
    smerf_error error;
    demand_ok(smerf_fit(items, made.target, &options, NULL, &model, &error), &error);
    size_t n_right = 0, n_left = 0;
    for (size_t b = 0; b < options.n_trees; b++) {
        smerf_tree_view tree = SMERF_INIT(smerf_tree_view);
        demand_ok(smerf_model_tree(model, b, &tree, &error), &error);
        for (size_t node = 0; node < tree.n_nodes; node++) {
            size_t split = tree.index[node], n_items = 0;
            if (tree.is_leaf[node] || !tree.is_category[split]) continue;
            for (size_t below = node, open = 1; open > 0; below++) { /* the subtree, in preorder */
                if (!tree.is_leaf[below]) {
                    open++;
                    continue;
                }
                open--;
                n_items += tree.first_member[tree.index[below] + 1] - tree.first_member[tree.index[below]];
            }
            size_t first = tree.first_left[split], n_listed = tree.first_left[split + 1] - first;
            bool lists_right = tree.left_level[first] == SMERF_MISSING;
            assert_true(n_listed >= 1 && n_listed <= n_items);
            assert_true(lists_right == tree.missing_left[split]);
            *(lists_right ? &n_right : &n_left) += 1;
        }
    }
    assert_true(n_right > 20 && n_left > 20);
    smerf_model_free(model);
    smerf_items_free(items);
    drawn_free(&made);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_are_those_with_the_mean_distances),
        cmocka_unit_test(landmarks_stand_in_for_a_matrix),
        cmocka_unit_test(the_best_cut_gains_nearly_what_the_exact_order_gives),
        cmocka_unit_test(one_direction_has_one_order),
        cmocka_unit_test(kernels_give_one_order),
        cmocka_unit_test(levels_without_a_direction_stand_by_number),
        cmocka_unit_test(one_seed_grows_one_forest_of_many_levels),
        cmocka_unit_test(a_split_lists_no_more_levels_than_its_node_holds),
    };
    return cmocka_run_group_tests(tests, files_enter, files_leave);
}
