/* loops/deviations.h - the loops of deviations.h, included by each file that makes a table of them.
 *
 * They are inlined with a constant number of groups, up to MOST_GROUPS, so that running sums are registers; a higher rank has them in
 * memory. */
#ifndef SM_KERNELS_LOOPS_DEVIATIONS_H
#define SM_KERNELS_LOOPS_DEVIATIONS_H

#include "kernels/loops/groups.h"

/* Sums over groups go in so many independent chains, which hides the latency of an addition. */
enum { MOST_GROUPS = 8, N_CHAINS = 4 };

/* Calls an inlined function with n_groups as a constant, if it is small. */
#define WITH_CONSTANT(n_groups, call)                                                                                  \
    switch (n_groups) {                                                                                                \
    case 1: call(1); break;                                                                                            \
    case 2: call(2); break;                                                                                            \
    case 3: call(3); break;                                                                                            \
    case 4: call(4); break;                                                                                            \
    case 5: call(5); break;                                                                                            \
    case 6: call(6); break;                                                                                            \
    case 7: call(7); break;                                                                                            \
    case 8: call(8); break;                                                                                            \
    default: call(n_groups);                                                                                           \
    }

/* Which numbers of a row's last group are of the rank. */
INLINE group_mask last_of(size_t rank) { return group_first_ones(rank - (sm_n_groups(rank) - 1) * SM_GROUP); }

/* Group g of n_groups.   there  see last_of */
INLINE group group_at(const double *from, size_t g, size_t n_groups, group_mask there) {
    return g + 1 < n_groups ? group_load(from + g * SM_GROUP) : group_load_some(from + g * SM_GROUP, there);
}

INLINE void add_to_chain(group *chains, size_t g, group more) {
    chains[g % N_CHAINS] = g < N_CHAINS ? more : group_add(chains[g % N_CHAINS], more);
}

INLINE group add_chains(const group *chains, size_t n_groups) {
    group lanes = n_groups > 1 ? group_add(chains[0], chains[1]) : chains[0];
    if (n_groups == 3) return group_add(lanes, chains[2]);
    return n_groups > 3 ? group_add(lanes, group_add(chains[2], chains[3])) : lanes;
}

/* Where running sums are: in `few`, which the compiler turns into registers, unless they are many. */
INLINE double *sums_for(size_t n_groups, double *few, double *many) { return n_groups <= MOST_GROUPS ? few : many; }

/* ---- a node ---- */

/* Sums of w (u - origin), where the origin is the first item: what the mean is above that is small if all are close together. */
INLINE void sum_deviations(const sm_deviations *node, const uint32_t *items, const double *weight, size_t n_groups,
                           group_mask there) {
    const double *us = node->form.u, *origin = node->origin;
    size_t n = node->n, rank = node->form.rank;
    double few[MOST_GROUPS * SM_GROUP], *sums = sums_for(n_groups, few, node->above);
    for (size_t g = 0; g < n_groups; g++) {
        group_store(node->origin + g * SM_GROUP, group_at(us + items[0] * rank, g, n_groups, there));
        group_store(sums + g * SM_GROUP, group_all_of(0));
    }
    for (size_t k = 1; k < n; k++) {
        const double *u = us + items[k] * rank;
        const group w = group_all_of(weight[k]);
        for (size_t g = 0; g < n_groups; g++) {
            group apart = group_subtract(group_at(u, g, n_groups, there), group_load(origin + g * SM_GROUP));
            group_store(sums + g * SM_GROUP, group_add(group_load(sums + g * SM_GROUP), group_multiply(w, apart)));
        }
    }
    for (size_t g = 0; g < n_groups; g++) group_store(node->above + g * SM_GROUP, group_load(sums + g * SM_GROUP));
}

/* Turns sums into the mean m; returns <m, m>. */
INLINE double find_node_mean(const sm_deviations *node, double total, size_t n_groups) {
    group chains[N_CHAINS] = {group_all_of(0)};
    for (size_t g = 0; g < n_groups; g++) {
        size_t r = g * SM_GROUP;
        group above = group_divide(group_load(node->above + r), group_all_of(total)),
              mean = group_add(group_load(node->origin + r), above);
        group scaled = group_multiply(group_load(node->form.scale + r), mean);
        add_to_chain(chains, g, group_multiply(scaled, mean));
        group_store(node->above + r, above);
        group_store(node->scaled + r, scaled);
    }
    return group_join(add_chains(chains, n_groups));
}

/* What deviations are taken from, and multiplied with: by themselves, too, if b is <d, d>. */
typedef struct middle {
    const double *origin, *above, *factor;
    bool squares;
} middle;

/* Leaves w d in the row; returns <m, d> or <d, d>. */
INLINE double deviate(const middle *from, const double *u, double weight, size_t n_groups, group_mask there,
                      double *row) {
    group chains[N_CHAINS] = {group_all_of(0)};
    for (size_t g = 0; g < n_groups; g++) {
        size_t r = g * SM_GROUP;
        group number = group_at(u, g, n_groups, there);
        group deviation =
            group_subtract(group_subtract(number, group_load(from->origin + r)), group_load(from->above + r));
        group product = group_multiply(group_load(from->factor + r), deviation);
        add_to_chain(chains, g, from->squares ? group_multiply(product, deviation) : product);
        group_store(row + r, group_multiply(group_all_of(weight), deviation)); /* and zeros, where facts will be */
    }
    return group_join(add_chains(chains, n_groups));
}

INLINE void fill_deviations(sm_deviations *node, const uint32_t *items, const double *weight, bool squares,
                            double square, size_t n_groups, group_mask there) {
    const double *us = node->form.u, *a = node->form.a, *own = node->form.own;
    const middle from = {node->origin, node->above, squares ? node->form.scale : node->scaled, squares};
    size_t rank = node->form.rank, n = node->n, stride = node->stride;
    double *row = node->rows, all_weight = 0, all_part = 0, all_own = 0;
    for (size_t k = 0; k < n; k++, row += stride) {
        size_t item = items[k];
        double w = weight[k], product = deviate(&from, us + item * rank, w, n_groups, there, row);
        double part = squares ? product : a[item] - 2 * product - square, *facts = row + rank;
        facts[SM_N_FACTS] = 0; /* where the next row starts, if not beyond this one's end */
        all_weight += facts[SM_WEIGHT] = w;
        all_part += facts[SM_PART] = w * part;
        all_own += facts[SM_OWN] = own != NULL ? w * w * own[item] : 0;
    }
    node->all[SM_WEIGHT] = all_weight;
    node->all[SM_PART] = all_part;
    node->all[SM_OWN] = all_own;
}

INLINE void enter_groups(sm_deviations *node, const uint32_t *items, const double *weight, double total,
                         size_t n_groups) {
    const group_mask there = last_of(node->form.rank);
    sum_deviations(node, items, weight, n_groups, there);
    double square = find_node_mean(node, total, n_groups);
    if (node->form.a != NULL)
        fill_deviations(node, items, weight, false, square, n_groups, there);
    else
        fill_deviations(node, items, weight, true, square, n_groups, there);
}

static void deviation_enter(sm_deviations *node, const uint32_t *items, const double *weight, size_t n, double total) {
    node->n = n;
#define ENTER(n_groups) enter_groups(node, items, weight, total, n_groups)
    WITH_CONSTANT(sm_n_groups(node->form.rank), ENTER)
#undef ENTER
}

/* ---- cuts ----
 * Sums run from item to item; what they cost is found for N_CUTS neighbours at once. */

enum { N_CUTS = 4, GROUPS_A_LINE = 2 };
_Static_assert(N_CUTS == SM_GROUP, "a group holds a number of each cut");

/* Rows that may not be in the L2 cache are prefetched so many steps before they are read. */
enum { N_AHEAD = 8, MANY_ROWS_BYTES = 1 << 19 };

/* A walk along a line-up. */
typedef struct walk {
    const double *rows, *scale;
    size_t n, rank, stride;
    const uint32_t *order;
    bool from_right;
    size_t n_prefetched; /* up to which step rows are prefetched */
    group facts;         /* of what has been added up; the last of them means nothing */
    double *sums;        /* [n_groups][SM_GROUP] likewise, s */
} walk;

/* What has been added up at some cuts: facts, and the lanes of <s, s>. */
typedef struct cuts {
    group facts[N_CUTS], lanes[N_CUTS];
} cuts;

INLINE walk walk_start(const sm_deviations *node, const uint32_t *order, bool from_right, size_t n_groups,
                       double *few) {
    walk on = {.rows = node->rows,
               .scale = node->form.scale,
               .n = node->n,
               .rank = node->form.rank,
               .stride = node->stride,
               .order = order,
               .from_right = from_right,
               .facts = group_all_of(0),
               .sums = sums_for(n_groups, few, node->sums)};
    bool are_many = node->n * node->stride * sizeof *node->rows > MANY_ROWS_BYTES;
    if (are_many && node->n > N_AHEAD + N_CUTS) on.n_prefetched = node->n - N_AHEAD - N_CUTS;
    for (size_t g = 0; g < n_groups; g++) group_store(on.sums + g * SM_GROUP, group_all_of(0));
    return on;
}

INLINE const double *row_at(const walk *on, size_t k) {
    return on->rows + on->order[on->from_right ? on->n - 1 - k : k] * on->stride;
}

INLINE void prefetch_rows(const walk *on, size_t k, size_t n_groups) {
    for (size_t c = 0; c < N_CUTS; c++)
        for (size_t g = 0; g <= n_groups; g += GROUPS_A_LINE)
            __builtin_prefetch(row_at(on, k + c + N_AHEAD) + g * SM_GROUP);
}

/* Adds the item of step k, and notes where that leads to. */
INLINE void walk_row(walk *on, size_t k, size_t n_groups, group *facts, group *lanes) {
    const double *row = row_at(on, k);
    group chains[N_CHAINS] = {group_all_of(0)};
    for (size_t g = 0; g < n_groups; g++) {
        size_t r = g * SM_GROUP;
        group sum = group_add(group_load(on->sums + r),
                              group_load(row + r)); /* after the last deviation: of facts, which have scale 0 */
        add_to_chain(chains, g, group_multiply(group_multiply(group_load(on->scale + r), sum), sum));
        group_store(on->sums + r, sum);
    }
    on->facts = group_add(on->facts, group_load(row + on->rank));
    *facts = on->facts;
    *lanes = add_chains(chains, n_groups);
}

/* Adds the items of at least one step and up to N_CUTS, from k on. */
INLINE void walk_rows(walk *on, size_t k, size_t n_steps, size_t n_groups, cuts *at) {
    if (k < on->n_prefetched) prefetch_rows(on, k, n_groups);
    walk_row(on, k, n_groups, &at->facts[0], &at->lanes[0]);
    for (size_t c = 1; c < N_CUTS; c++) {
        if (c < n_steps) {
            walk_row(on, k + c, n_groups, &at->facts[c], &at->lanes[c]);
        } else { /* what it costs will not be looked at */
            at->facts[c] = at->facts[0];
            at->lanes[c] = at->lanes[0];
        }
    }
}

/* 2 <s, s> of each cut. */
INLINE group read_squares(const cuts *at) {
    group lane[SM_GROUP];
    group_transpose(at->lanes, lane);
    group squares = group_add(group_add(lane[0], lane[2]), group_add(lane[1], lane[3]));
    return group_add(squares, squares);
}

INLINE group cost_of(group weight, group part, group own, group squares) {
    return group_add(group_add(part, part), group_divide(group_subtract(own, squares), weight));
}

INLINE void walk_once(const sm_deviations *node, const uint32_t *order, size_t n_groups, double *left, double *right) {
    double few[MOST_GROUPS * SM_GROUP];
    const group weight = group_all_of(node->all[SM_WEIGHT]), part = group_all_of(node->all[SM_PART]),
                own = group_all_of(node->all[SM_OWN]);
    walk on = walk_start(node, order, false, n_groups, few);
    for (size_t k = 0, n_steps = on.n - 1; k < n_steps; k += N_CUTS) {
        group facts[SM_GROUP];
        cuts at;
        walk_rows(&on, k, n_steps - k, n_groups, &at);
        group squares = read_squares(&at);
        group_transpose(at.facts, facts);
        group_store_some(left + k, cost_of(facts[SM_WEIGHT], facts[SM_PART], facts[SM_OWN], squares), n_steps - k);
        group_store_some(right + k,
                         cost_of(group_subtract(weight, facts[SM_WEIGHT]), group_subtract(part, facts[SM_PART]),
                                 group_subtract(own, facts[SM_OWN]), squares),
                         n_steps - k);
    }
}

INLINE void walk_side(const sm_deviations *node, const uint32_t *order, bool from_right, size_t n_groups, double *out) {
    double few[MOST_GROUPS * SM_GROUP], costs[N_CUTS];
    walk on = walk_start(node, order, from_right, n_groups, few);
    for (size_t k = 0, n_steps = on.n - 1; k < n_steps; k += N_CUTS) {
        group facts[SM_GROUP];
        cuts at;
        walk_rows(&on, k, n_steps - k, n_groups, &at);
        group_transpose(at.facts, facts);
        group_store(costs, cost_of(facts[SM_WEIGHT], facts[SM_PART], facts[SM_OWN], read_squares(&at)));
        for (size_t c = 0; c < N_CUTS && k + c < n_steps; c++) out[from_right ? n_steps - 1 - k - c : k + c] = costs[c];
    }
}

static void deviation_price_once(const sm_deviations *node, const uint32_t *order, double *left, double *right) {
#define WALK(n_groups) walk_once(node, order, n_groups, left, right)
    WITH_CONSTANT(sm_n_groups(node->form.rank), WALK)
#undef WALK
}

static void deviation_price_left(const sm_deviations *node, const uint32_t *order, double *costs) {
#define WALK(n_groups) walk_side(node, order, false, n_groups, costs)
    WITH_CONSTANT(sm_n_groups(node->form.rank), WALK)
#undef WALK
}

static void deviation_price_right(const sm_deviations *node, const uint32_t *order, double *costs) {
#define WALK(n_groups) walk_side(node, order, true, n_groups, costs)
    WITH_CONSTANT(sm_n_groups(node->form.rank), WALK)
#undef WALK
}

#define DEVIATION_LOOPS                                                                                                \
    .enter = deviation_enter, .price_once = deviation_price_once, .price_left = deviation_price_left,                  \
    .price_right = deviation_price_right

#endif
