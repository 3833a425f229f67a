/* ceiling.c - how well ratings by several judges can be predicted at best: see smerf.h, section 8.
 *   1. list      ratings by pair, pairs by item
 *   2. noise     how much judges differ about a pair, hence how far its mean may be from what all judges would say
 *   3. halves    how alike the items' partners are ranked by two halves of the judges, over many ways to halve them
 * docs/targets.md has the formulas. */
#include <math.h>
#include <string.h>

#include "base/random.h"
#include "base/versioned.h"
#include "evaluate/metrics.h"
#include "target/links/links.h"

enum { MOST_HALVED_ALL_WAYS = 8, N_HALVINGS = 100, FEWEST_PARTNERS = 3 };
static const size_t most_ratings_halved = (size_t)1 << 27; /* all halvings together */

typedef struct rating_table {
    const smerf_ratings *ratings;
    uint32_t *order;                         /* [n ratings] by pair */
    size_t n_pairs;                          /* of two different items */
    size_t *first, *end;                     /* [n_pairs] in order */
    size_t *first_of_item;                   /* [n_items + 1] in pair_of_item */
    uint32_t *pair_of_item;                  /* [2 n_pairs] */
    double *half[2];                         /* [n_pairs] means of the ratings of either half, or NaN */
    unsigned char *half_of_judge;            /* [n_judges] 0 or 1 */
    uint32_t *shuffled;                      /* [n_judges] */
    size_t most_partners;                    /* of an item */
    double *first_partners, *other_partners; /* [most_partners] */
    sm_arena arena;                          /* holds the arrays but for order */
    sm_scorer scorer;
} rating_table;

/* ---- 1  list ---- */

static bool allocate_table(rating_table *table, size_t n, size_t n_items, size_t n_judges) {
    sm_arena *arena = &table->arena;
    table->first = sm_arena_take(arena, n, sizeof *table->first);
    table->end = sm_arena_take(arena, n, sizeof *table->end);
    table->first_of_item = sm_arena_take_zeros(arena, n_items + 2, sizeof *table->first_of_item);
    table->pair_of_item = sm_arena_take(arena, sm_size(n, 2, 0), sizeof *table->pair_of_item);
    table->half[0] = sm_arena_take(arena, n, sizeof *table->half[0]);
    table->half[1] = sm_arena_take(arena, n, sizeof *table->half[1]);
    table->half_of_judge = sm_arena_take(arena, n_judges, sizeof *table->half_of_judge);
    table->shuffled = sm_arena_take(arena, n_judges, sizeof *table->shuffled);
    return !arena->has_failed;
}

static void list_pairs(rating_table *table) {
    const smerf_pair_list *list = &table->ratings->pairs;
    for (size_t first = 0, end; first < list->n; first = end) {
        end = sm_list_run(list, table->order, first);
        if (list->left[table->order[first]] == list->right[table->order[first]]) continue;
        table->first[table->n_pairs] = first;
        table->end[table->n_pairs++] = end;
    }
}

/* Lists the pairs of each item.   first_of_item  [n_items + 2] zeros, of which the last is scratch */
static void list_items(rating_table *table) {
    const smerf_pair_list *list = &table->ratings->pairs;
    size_t n_items = table->ratings->n_items, *first = table->first_of_item;
    for (size_t p = 0; p < table->n_pairs; p++) {
        uint32_t rating = table->order[table->first[p]];
        first[list->left[rating] + 2]++;
        first[list->right[rating] + 2]++;
    }
    for (size_t i = 2; i < n_items + 2; i++) {
        if (first[i] > table->most_partners) table->most_partners = first[i];
        first[i] += first[i - 1];
    }
    for (size_t p = 0; p < table->n_pairs; p++) {
        uint32_t rating = table->order[table->first[p]];
        table->pair_of_item[first[list->left[rating] + 1]++] = (uint32_t)p;
        table->pair_of_item[first[list->right[rating] + 1]++] = (uint32_t)p;
    }
}

static smerf_status make_table(rating_table *table, smerf_error *error) {
    const smerf_ratings *ratings = table->ratings;
    for (size_t k = 0; k < ratings->pairs.n; k++)
        if (ratings->judge[k] >= ratings->n_judges)
            return sm_fail_at(error, k, SMERF_NOWHERE, SM_AT_ENTRY "judge %u of %zu; they count from 0", k,
                              ratings->judge[k], ratings->n_judges);
    smerf_status status = sm_list_sort(&ratings->pairs, ratings->n_items, &table->order, error);
    if (status != SMERF_OK) return status;
    if (!allocate_table(table, ratings->pairs.n, ratings->n_items, ratings->n_judges))
        return sm_no_memory(error, "comparing judges");
    list_pairs(table);
    list_items(table);
    table->first_partners = sm_arena_take(&table->arena, table->most_partners, sizeof *table->first_partners);
    table->other_partners = sm_arena_take(&table->arena, table->most_partners, sizeof *table->other_partners);
    bool has_memory = sm_scorer_start(&table->scorer, table->most_partners, 0) && !table->arena.has_failed;
    return has_memory ? SMERF_OK : sm_no_memory(error, "comparing judges");
}

static double weight_of(const smerf_pair_list *list, size_t rating) {
    return list->weight != NULL ? list->weight[rating] : 1;
}

/* ---- 2  noise ---- */

/* Sum of squares about the mean of a pair's ratings, of which the first is taken off: where all are equal it is 0. */
static double squares_about_mean(const rating_table *table, size_t p) {
    const double *value = table->ratings->pairs.value;
    const uint32_t *order = table->order;
    size_t first = table->first[p], end = table->end[p];
    double sum = 0, squares = 0;
    for (size_t k = first; k < end; k++) sum += value[order[k]] - value[order[first]];
    double mean = sum / (double)(end - first);
    for (size_t k = first; k < end; k++) {
        double apart = value[order[k]] - value[order[first]] - mean;
        squares += apart * apart;
    }
    return squares;
}

/* The variance of the mean of a pair, by that of one rating: 1 / n where all weigh the same. */
static double spread_of_mean(const rating_table *table, size_t p) {
    double sum = 0, squares = 0;
    for (size_t k = table->first[p]; k < table->end[p]; k++) {
        double weight = weight_of(&table->ratings->pairs, table->order[k]);
        sum += weight;
        squares += weight * weight;
    }
    return squares / (sum * sum);
}

static void find_noise(const rating_table *table, smerf_ceiling *ceiling) {
    double squares = 0, spread = 0, freedom = 0;
    ceiling->n_pairs = table->n_pairs;
    for (size_t p = 0; p < table->n_pairs; p++) {
        size_t n = table->end[p] - table->first[p];
        if (p == 0 || n < ceiling->fewest_judges) ceiling->fewest_judges = n;
        if (n > ceiling->most_judges) ceiling->most_judges = n;
        squares += squares_about_mean(table, p);
        spread += spread_of_mean(table, p);
        freedom += (double)(n - 1);
    }
    ceiling->rmse = freedom > 0 ? sqrt(squares / freedom * spread / (double)table->n_pairs) : NAN;
}

/* ---- 3  halves ---- */

static void take_halves(rating_table *table) {
    const smerf_pair_list *list = &table->ratings->pairs;
    for (size_t p = 0; p < table->n_pairs; p++) {
        double sum[2] = {0}, weights[2] = {0};
        for (size_t k = table->first[p]; k < table->end[p]; k++) {
            size_t rating = table->order[k], half = table->half_of_judge[table->ratings->judge[rating]];
            sum[half] += weight_of(list, rating) * list->value[rating];
            weights[half] += weight_of(list, rating);
        }
        for (size_t half = 0; half < 2; half++)
            table->half[half][p] = weights[half] > 0 ? sum[half] / weights[half] : NAN;
    }
}

static bool varies(const double *values, size_t n) {
    for (size_t k = 1; k < n; k++)
        if (values[k] != values[0]) return true;
    return false;
}

/* How alike the halves rank an item's partners; NaN: they do not say. */
static double compare_partners(rating_table *table, size_t item) {
    size_t n = 0;
    for (size_t k = table->first_of_item[item]; k < table->first_of_item[item + 1]; k++) {
        size_t p = table->pair_of_item[k];
        if (isnan(table->half[0][p]) || isnan(table->half[1][p])) continue;
        table->first_partners[n] = table->half[0][p];
        table->other_partners[n++] = table->half[1][p];
    }
    if (n < FEWEST_PARTNERS || !varies(table->first_partners, n) || !varies(table->other_partners, n)) return NAN;
    table->scorer.n = n;
    return sm_scorer_row(&table->scorer, SIZE_MAX, table->first_partners, table->other_partners,
                         SMERF_HAS(SMERF_SPEARMAN))
        .spearman;
}

/* Adds the mean correlation over the items for one way to halve the judges. */
static void add_halving(rating_table *table, double *sum, size_t *n) {
    const smerf_ratings *ratings = table->ratings;
    double over_items = 0;
    size_t n_items = 0;
    take_halves(table);
    for (size_t i = 0; i < (ratings->n_rows > 0 ? ratings->n_rows : ratings->n_items); i++) {
        double correlation = compare_partners(table, i);
        if (isnan(correlation)) continue;
        over_items += correlation;
        n_items++;
    }
    if (n_items == 0) return;
    *sum += over_items / (double)n_items;
    ++*n;
}

/* Whether bits mark half of the judges; of two halves of the same size, the one with the first judge. */
static bool is_half(unsigned bits, size_t n_judges) {
    size_t n = 0;
    for (size_t j = 0; j < n_judges; j++) n += bits >> j & 1;
    return n == n_judges / 2 && (n_judges % 2 == 1 || (bits & 1) == 1);
}

static void halve_all_ways(rating_table *table, double *sum, size_t *n) {
    size_t n_judges = table->ratings->n_judges;
    for (unsigned bits = 0; bits < 1u << n_judges; bits++) {
        if (!is_half(bits, n_judges)) continue;
        for (size_t j = 0; j < n_judges; j++) table->half_of_judge[j] = bits >> j & 1;
        add_halving(table, sum, n);
    }
}

static void halve_at_random(rating_table *table, double *sum, size_t *n) {
    size_t n_judges = table->ratings->n_judges, n_halvings = N_HALVINGS;
    if (most_ratings_halved / N_HALVINGS < table->ratings->pairs.n)
        n_halvings = 1 + most_ratings_halved / table->ratings->pairs.n;
    for (uint32_t h = 0; h < n_halvings; h++) {
        sm_random random;
        sm_random_start(&random, 0, h, SM_STREAM_JUDGES);
        for (size_t j = 0; j < n_judges; j++) table->shuffled[j] = (uint32_t)j;
        sm_random_shuffle(&random, table->shuffled, n_judges);
        for (size_t j = 0; j < n_judges; j++) table->half_of_judge[table->shuffled[j]] = j < n_judges / 2;
        add_halving(table, sum, n);
    }
}

/* Spearman and Brown: what the correlation of two halves says of the whole; its root is what a perfect prediction has with it. */
static void find_reliability(rating_table *table, smerf_ceiling *ceiling) {
    double sum = 0;
    size_t n = 0;
    if (table->ratings->n_judges >= 2)
        (table->ratings->n_judges <= MOST_HALVED_ALL_WAYS ? halve_all_ways : halve_at_random)(table, &sum, &n);
    double correlation = n > 0 ? fmax(0, sum / (double)n) : NAN;
    ceiling->reliability = 2 * correlation / (1 + correlation);
    ceiling->spearman = sqrt(ceiling->reliability);
}

smerf_status smerf_ratings_ceiling(const smerf_ratings *ratings, smerf_ceiling *ceiling, smerf_error *error) {
    SM_READ(smerf_ratings, ratings, error);
    SM_READ_RESULT(smerf_ceiling, ceiling, full, error);
    rating_table table = {.ratings = ratings};
    smerf_status status = make_table(&table, error);
    if (status == SMERF_OK) {
        full = (smerf_ceiling){.size = sizeof full};
        find_noise(&table, &full);
        find_reliability(&table, &full);
        SM_WRITE(smerf_ceiling, full, ceiling);
    }
    sm_scorer_free(&table.scorer);
    sm_arena_free(&table.arena);
    sm_free(table.order);
    return status;
}
