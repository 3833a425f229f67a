/* absolute_leaves.c - how far apart two leaves are: the mean absolute difference of their members.
 *
 * A leaf of several items keeps its members by value, with running sums of their fractions p and of p (y - lowest), so that
 * the mean distance of a value to the leaf takes one search among them:
 *     x (2 P - 1) + (M - 2 M_P),   x = y - lowest,
 * with P and M_P the sums over the members up to y, and M over all. A leaf of one item is its value, and needs nothing
 * else: as a rule most leaves are like that. The distance of two leaves goes through the members of the one that has
 * fewer (the one with the smaller number, if they have as many): the same bits from either side. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "target/numbers/absolute.h"

/* A member of a leaf of several. */
typedef struct point {
    double value, fraction;
    double fraction_to, moment_to; /* the sums up to this one: of p, of p (y - lowest) */
} point;

typedef struct summary {
    sm_arena arena;
    double *lowest;    /* [leaves] the smallest value; in a leaf of one item, the only one */
    uint32_t *several; /* [n_several] the leaves of several items */
    size_t n_several;
    uint32_t *first;    /* [leaves] where a leaf of several items has its points */
    point *points;      /* by value in each leaf */
    uint32_t *by_value; /* [members] of all leaves */
} summary;

static size_t n_members_of(const sm_leaves *leaves, size_t leaf) {
    return leaves->first[leaf + 1] - leaves->first[leaf];
}

/* Leaves of several items divide what members there are beyond one a leaf. */
size_t sm_absolute_summary_bytes(const smerf_target *target, size_t n_leaves) {
    size_t n = target->n_rows, n_more = n > n_leaves ? n - n_leaves : 0, n_points = 2 * n_more < n ? 2 * n_more : n;
    return n_leaves * (sizeof(double) + sizeof(uint32_t)) + n_points * (sizeof(point) + sizeof(uint32_t)) +
           n * sizeof(uint32_t);
}

void sm_absolute_summary_free(void *made) {
    summary *leaves = made;
    if (leaves == NULL) return;
    sm_arena_free(&leaves->arena);
    sm_free(leaves);
}

/* ---- summing up ---- */

/* Which leaves have several items, and where their points will be; returns how many points there are. */
static size_t lay_out_points(const sm_leaves *leaves, summary *made) {
    size_t n_points = 0;
    made->n_several = 0;
    for (size_t l = 0; l < leaves->n; l++) {
        made->first[l] = (uint32_t)n_points;
        if (n_members_of(leaves, l) == 1) continue;
        made->several[made->n_several++] = (uint32_t)l;
        n_points += n_members_of(leaves, l);
    }
    return n_points;
}

/*   member_of  [n_items] scratch */
static void sort_absolute_members(const sm_absolute *absolute, const sm_leaves *leaves, uint32_t *member_of,
                                  uint32_t *by_value) {
    size_t n_items = absolute->column.head.n_rows, n_members = leaves->first[leaves->n], next = 0;
    for (size_t i = 0; i < n_items; i++) member_of[i] = SMERF_MISSING;
    for (size_t m = 0; m < n_members; m++) member_of[leaves->item[m]] = (uint32_t)m;
    for (size_t k = 0; k < n_items; k++)
        if (member_of[absolute->order[k]] != SMERF_MISSING) by_value[next++] = member_of[absolute->order[k]];
}

/* Deals the members out to their leaves, by value, and adds them up there.
 *   leaf_of, n_dealt  [members], [leaves] scratch */
static void fill_points(const sm_absolute *absolute, const sm_leaves *leaves, uint32_t *leaf_of, uint32_t *n_dealt,
                        summary *made) {
    size_t n_members = leaves->first[leaves->n];
    for (size_t l = 0; l < leaves->n; l++) {
        n_dealt[l] = 0;
        for (size_t m = leaves->first[l]; m < leaves->first[l + 1]; m++) leaf_of[m] = (uint32_t)l;
    }
    for (size_t k = 0; k < n_members; k++) {
        uint32_t member = made->by_value[k], leaf = leaf_of[member];
        double value = absolute->value[leaves->item[member]];
        if (n_dealt[leaf]++ == 0) made->lowest[leaf] = value;
        if (n_members_of(leaves, leaf) == 1) continue;
        point *at = &made->points[made->first[leaf] + n_dealt[leaf] - 1];
        *at = (point){.value = value, .fraction = leaves->weight[member] / leaves->total[leaf]};
        at->fraction_to = at->fraction + (n_dealt[leaf] > 1 ? at[-1].fraction_to : 0);
        at->moment_to = at->fraction * (value - made->lowest[leaf]) + (n_dealt[leaf] > 1 ? at[-1].moment_to : 0);
    }
}

void *sm_absolute_summarise(const smerf_target *target, const sm_leaves *leaves) {
    const sm_absolute *absolute = sm_absolute_of(target);
    size_t n_members = leaves->first[leaves->n], n_several = 0, n_points = 0;
    for (size_t l = 0; l < leaves->n; l++) n_several += n_members_of(leaves, l) > 1;
    summary *made = sm_zeros(1, sizeof *made);
    sm_arena scratch = {0};
    uint32_t *member_of = sm_arena_take(&scratch, target->n_rows, sizeof *member_of);
    uint32_t *leaf_of = sm_arena_take(&scratch, n_members, sizeof *leaf_of);
    uint32_t *n_dealt = sm_arena_take(&scratch, leaves->n, sizeof *n_dealt);
    bool has_memory = made != NULL && !scratch.has_failed;
    if (has_memory) {
        made->lowest = sm_arena_take(&made->arena, leaves->n, sizeof *made->lowest);
        made->first = sm_arena_take(&made->arena, leaves->n, sizeof *made->first);
        made->several = sm_arena_take(&made->arena, n_several, sizeof *made->several);
        made->by_value = sm_arena_take(&made->arena, n_members, sizeof *made->by_value);
        if (!made->arena.has_failed) n_points = lay_out_points(leaves, made);
        made->points = sm_arena_take(&made->arena, n_points, sizeof *made->points);
        has_memory = !made->arena.has_failed;
    }
    if (has_memory) {
        sort_absolute_members(absolute, leaves, member_of, made->by_value);
        fill_points(absolute, leaves, leaf_of, n_dealt, made);
    } else {
        sm_absolute_summary_free(made);
        made = NULL;
    }
    sm_arena_free(&scratch);
    return made;
}

/* ---- distances ---- */

/* How many of n points are up to a value, at least `from`: in steps of growing length from there, then by halving. */
static size_t count_to(const point *points, size_t n, double value, size_t from) {
    size_t step = 1;
    while (from + step <= n && points[from + step - 1].value <= value) {
        from += step;
        step *= 2;
    }
    size_t end = from + step <= n ? from + step - 1 : n;
    while (from < end) {
        size_t middle = from + (end - from) / 2;
        if (points[middle].value <= value)
            from = middle + 1;
        else
            end = middle;
    }
    return from;
}

/* Mean distance of a value to n points, of which so many are up to it. */
static double mean_distance(const point *points, size_t n, double value, size_t n_to) {
    double x = value - points[0].value, moment = points[n - 1].moment_to;
    double fraction_to = n_to > 0 ? points[n_to - 1].fraction_to : 0,
           moment_to = n_to > 0 ? points[n_to - 1].moment_to : 0;
    return x * (2 * fraction_to - 1) + (moment - 2 * moment_to);
}

/* Mean distance of a value to a leaf of several items. */
static double value_to_leaf(const summary *made, const sm_leaves *leaves, double value, size_t leaf) {
    const point *points = made->points + made->first[leaf];
    size_t n = n_members_of(leaves, leaf);
    return mean_distance(points, n, value, count_to(points, n, value, 0));
}

/* Both of several items. */
static double leaf_to_leaf(const summary *made, const sm_leaves *leaves, size_t outer, size_t inner) {
    const point *from = made->points + made->first[outer], *to = made->points + made->first[inner];
    size_t n_from = n_members_of(leaves, outer), n = n_members_of(leaves, inner), n_to = 0;
    double sum = 0;
    for (size_t k = 0; k < n_from; k++) {
        n_to = count_to(to, n, from[k].value, n_to);
        sum += from[k].fraction * mean_distance(to, n, from[k].value, n_to);
    }
    return sum;
}

/* h(l, l). */
static double leaf_to_itself(const smerf_target *target, const sm_leaves *leaves, size_t leaf) {
    const summary *made = leaves->summary;
    const point *points = made->points + made->first[leaf];
    double diagonal = sm_one_column_of(target)->diagonal, squares = 0;
    size_t n = n_members_of(leaves, leaf);
    if (n == 1) return diagonal;
    for (size_t k = 0; k < n; k++) squares += points[k].fraction * points[k].fraction;
    return leaf_to_leaf(made, leaves, leaf, leaf) + diagonal * squares;
}

double sm_absolute_leaf_pair(const smerf_target *target, const sm_leaves *leaves, size_t a, size_t b) {
    const summary *made = leaves->summary;
    size_t n_a = n_members_of(leaves, a), n_b = n_members_of(leaves, b);
    if (a == b) return leaf_to_itself(target, leaves, a);
    if (n_a == 1 && n_b == 1) return fabs(made->lowest[a] - made->lowest[b]);
    if (n_a == 1) return value_to_leaf(made, leaves, made->lowest[a], b);
    if (n_b == 1) return value_to_leaf(made, leaves, made->lowest[b], a);
    bool a_is_outer = n_a < n_b || (n_a == n_b && a < b);
    return leaf_to_leaf(made, leaves, a_is_outer ? a : b, a_is_outer ? b : a);
}

void sm_absolute_leaf_row(const smerf_target *target, const sm_leaves *leaves, size_t leaf, double *row,
                          double *scratch) {
    const summary *made = leaves->summary;
    (void)scratch;
    if (n_members_of(leaves, leaf) == 1) {
        double value = made->lowest[leaf];
        for (size_t l = 0; l < leaves->n; l++) row[l] = fabs(value - made->lowest[l]);
        for (size_t s = 0; s < made->n_several; s++)
            row[made->several[s]] = value_to_leaf(made, leaves, value, made->several[s]);
        row[leaf] = sm_one_column_of(target)->diagonal;
        return;
    }
    for (size_t l = 0; l < leaves->n; l++) row[l] = sm_absolute_leaf_pair(target, leaves, leaf, l);
}

/* ---- self-distances left out ---- */

/* Few members: pair by pair. */
static double mean_of_absolute_pairs(const double *value, const sm_leaves *leaves, size_t first, size_t end) {
    double sum = 0, weight = 0;
    for (size_t i = first; i < end; i++)
        for (size_t j = first; j < i; j++) {
            double pair = leaves->weight[i] * leaves->weight[j];
            sum += pair * fabs(value[leaves->item[i]] - value[leaves->item[j]]);
            weight += pair;
        }
    return sum / weight;
}

/* Many members: up the values, passing over the members of the tree that are not meant. */
static double mean_of_steps(const double *value, const sm_leaves *leaves, size_t first, size_t end) {
    const summary *made = leaves->summary;
    size_t n_members = leaves->first[leaves->n];
    double sum = 0, weight = 0, before = 0, distance = 0, last = 0; /* distance: sum of w_j (y - y_j), those before */
    for (size_t k = 0; k < n_members; k++) {
        uint32_t member = made->by_value[k];
        if (member < first || member >= end) continue;
        double y = value[leaves->item[member]];
        if (before > 0) distance += before * (y - last);
        last = y;
        sum += leaves->weight[member] * distance;
        weight += leaves->weight[member] * before;
        before += leaves->weight[member];
    }
    return sum / weight;
}

double sm_absolute_mean_apart(const smerf_target *target, const sm_leaves *leaves, size_t first, size_t end) {
    const double *value = sm_absolute_of(target)->value;
    if (end - first < 2) return NAN;
    bool is_few = (end - first) * (end - first) <= leaves->first[leaves->n];
    return is_few ? mean_of_absolute_pairs(value, leaves, first, end) : mean_of_steps(value, leaves, first, end);
}

/* ---- all members ---- */

/* Adds to each member the sum of w_j |y - y_j| over those before it on the way up the values, or down them. */
static void add_steps(const double *value, const sm_leaves *leaves, bool is_up, double *sum) {
    const summary *made = leaves->summary;
    size_t n = leaves->first[leaves->n];
    double before = 0, distance = 0, last = 0;
    for (size_t k = 0; k < n; k++) {
        uint32_t member = made->by_value[is_up ? k : n - 1 - k];
        double y = value[leaves->item[member]];
        if (before > 0) distance += before * fabs(y - last);
        last = y;
        sum[member] += distance;
        before += leaves->weight[member];
    }
}

bool sm_absolute_root_means(const smerf_target *target, const sm_nodes *nodes, double *mean) {
    const sm_leaves *leaves = nodes->leaves;
    const double *value = sm_absolute_of(target)->value, diagonal = sm_one_column_of(target)->diagonal;
    sm_arena arena = {0};
    double *sum = sm_arena_take_zeros(&arena, leaves->first[leaves->n], sizeof *sum);
    double *leaf_mean = sm_arena_take_zeros(&arena, leaves->n, sizeof *leaf_mean);
    bool has_memory = !arena.has_failed;
    if (has_memory) {
        add_steps(value, leaves, true, sum);
        add_steps(value, leaves, false, sum);
        for (size_t l = 0; l < leaves->n; l++)
            for (size_t m = leaves->first[l]; m < leaves->first[l + 1]; m++)
                leaf_mean[l] +=
                    leaves->weight[m] / leaves->total[l] * ((sum[m] + leaves->weight[m] * diagonal) / nodes->total[0]);
        sm_nodes_average(nodes, leaf_mean, mean);
    }
    sm_arena_free(&arena);
    return has_memory;
}
