/* deviations_loops.h - the loops of deviations.h, included by each file that makes a table of them.
 *
 * Written in groups of four: one register or two, whatever the processor has. A line-up is walked with the running sums of up to
 * MOST_GROUPS in registers; a higher rank is walked several times, a block of groups at a time. */
#ifndef SM_KERNELS_DEVIATIONS_LOOPS_H
#define SM_KERNELS_DEVIATIONS_LOOPS_H

#include <string.h>

#include "kernels/deviations.h"

enum { MOST_GROUPS = 8 };

typedef double group __attribute__((vector_size(SM_GROUP * sizeof(double))));
typedef int64_t group_mask __attribute__((vector_size(SM_GROUP * sizeof(int64_t))));
typedef double two __attribute__((vector_size(2 * sizeof(double))));

#define INLINE static inline __attribute__((always_inline))

INLINE void load(const double *from, group *to) { memcpy(to, from, sizeof *to); }

INLINE void store(double *to, const group *from) { memcpy(to, from, sizeof *from); }

/* A group of which only the first n may be read; the others are 0. */
INLINE void load_some(const double *from, size_t n, group *to) {
    if (n >= SM_GROUP)
        load(from, to);
    else
        *to = (group){from[0], n > 1 ? from[1] : 0, n > 2 ? from[2] : 0, 0};
}

INLINE double join(const group *lanes) { return ((*lanes)[0] + (*lanes)[2]) + ((*lanes)[1] + (*lanes)[3]); }

/* ---- a node ---- */

static void add_up(const sm_deviation_form *form, const uint32_t *items, const double *weight, size_t n,
                   const double *restrict origin, double *restrict sums) {
    size_t rank = form->rank;
    memset(sums, 0, sm_n_groups(rank) * sizeof(group));
    for (size_t k = 0; k < n; k++) {
        const double *u = form->u + items[k] * rank;
        for (size_t r = 0; r < rank; r += SM_GROUP) {
            group number, from, sum;
            load_some(u + r, rank - r, &number);
            load(origin + r, &from);
            load(sums + r, &sum);
            sum += weight[k] * (number - from);
            store(sums + r, &sum);
        }
    }
}

/* Leaves w d in the row; returns <m, d>, or <d, d> if there is no m. */
INLINE double deviate(const sm_deviation_form *form, const double *u, double weight, const double *restrict origin,
                      const double *restrict above, const double *scaled, double *restrict row) {
    group lanes = {0};
    for (size_t r = 0; r < form->rank; r += SM_GROUP) {
        group number, from, by, factor;
        load_some(u + r, form->rank - r, &number);
        load(origin + r, &from);
        load(above + r, &by);
        group deviation = number - from - by, weighed = weight * deviation;
        if (scaled != NULL) {
            load(scaled + r, &factor);
        } else {
            load(form->scale + r, &factor);
            factor *= deviation;
        }
        lanes += factor * deviation;
        store(row + r, &weighed); /* what it leaves after the last deviation is room for facts */
    }
    return join(&lanes);
}

static void fill(const sm_deviation_form *form, const uint32_t *items, const double *weight, const double *origin,
                 const double *above, const double *scaled, double square, sm_deviations *node) {
    group all = {0};
    const double *a = form->a;
    for (size_t k = 0; k < node->n; k++) {
        size_t item = items[k];
        double w = weight[k], *row = node->rows + k * node->stride;
        double product =
            deviate(form, form->u + item * form->rank, w, origin, above, a != NULL ? scaled : NULL, row);
        double part = a != NULL ? a[item] - 2 * product - square : product;
        group facts = {w, w * part, form->own != NULL ? w * w * form->own[item] : 0, 0};
        store(row + form->rank, &facts); /* its 0 is where the next row starts, if not beyond this one's end */
        all += facts;
    }
    store(node->all, &all);
}

/* ---- cuts ---- */

/* What has been added up of one side. */
typedef struct side {
    group facts; /* the last of them is that of no one */
    group sums[MOST_GROUPS];
} side;

/* Which of the numbers of the last group are deviations. */
INLINE void make_mask(size_t rank, group_mask *mask) {
    int64_t n = (int64_t)(rank - (sm_n_groups(rank) - 1) * SM_GROUP);
    *mask = (group_mask){0, 1, 2, 3} < n;
}

/* Adds an item's groups from `first` on; returns their share of <s, s>. Inlined with a constant number of groups, so that the
 * sums need no array.   mask  of the last of them */
INLINE double add_groups(const sm_deviations *node, size_t place, size_t first, size_t n_groups, const group_mask *mask,
                         side *to) {
    const double *row = node->rows + place * node->stride + first * SM_GROUP, *scales = node->scale + first * SM_GROUP;
    group lanes = {0};
    for (size_t g = 0; g < n_groups; g++) {
        group more, scale;
        load(row + g * SM_GROUP, &more);
        load(scales + g * SM_GROUP, &scale);
        if (g + 1 == n_groups && mask != NULL) more = (group)((group_mask)more & *mask);
        to->sums[g] += more;
        lanes += scale * to->sums[g] * to->sums[g];
    }
    return join(&lanes);
}

INLINE void add_facts(const sm_deviations *node, size_t place, side *to) {
    group facts;
    load(node->rows + place * node->stride + node->rank, &facts);
    to->facts += facts;
}

/* Where the k-th step of a walk goes, and which cut it comes to. */
INLINE size_t place_at(const sm_deviations *node, size_t k, bool from_right) {
    return from_right ? node->n - 1 - k : k;
}

INLINE size_t cut_at(const sm_deviations *node, size_t k, bool from_right) { return from_right ? node->n - 2 - k : k; }

/* Walks with all blocks but the last, and leaves their share of <s, s> where the costs will be; returns how many groups
 * they were. */
static size_t square_blocks(const sm_deviations *node, const uint32_t *order, bool from_right, double *squares) {
    size_t first = 0;
    for (; sm_n_groups(node->rank) - first > MOST_GROUPS; first += MOST_GROUPS) {
        side added = {0};
        for (size_t k = 0; k + 1 < node->n; k++) {
            double square =
                add_groups(node, order[place_at(node, k, from_right)], first, MOST_GROUPS, NULL, &added);
            double *out = &squares[cut_at(node, k, from_right)];
            *out = first > 0 ? *out + square : square;
        }
    }
    return first;
}

INLINE void walk_once(const sm_deviations *node, const uint32_t *order, size_t first, size_t n_groups, double *left,
                      double *right) {
    group_mask mask;
    const group all = {node->all[0], node->all[1], node->all[2], node->all[3]};
    side from_left = {0};
    make_mask(node->rank, &mask);
    for (size_t k = 0; k + 1 < node->n; k++) {
        double square = add_groups(node, order[k], first, n_groups, &mask, &from_left);
        if (first > 0) square += left[k];
        add_facts(node, order[k], &from_left);
        group rest = all - from_left.facts;
        two weights = {from_left.facts[SM_WEIGHT], rest[SM_WEIGHT]}, parts = {from_left.facts[SM_PART], rest[SM_PART]},
            owns = {from_left.facts[SM_OWN], rest[SM_OWN]};
        two costs = 2 * parts + (owns - 2 * square) / weights;
        left[k] = costs[0];
        right[k] = costs[1];
    }
}

INLINE void walk_side(const sm_deviations *node, const uint32_t *order, bool from_right, size_t first, size_t n_groups,
                      double *costs) {
    group_mask mask;
    side added = {0};
    make_mask(node->rank, &mask);
    for (size_t k = 0; k + 1 < node->n; k++) {
        size_t place = order[place_at(node, k, from_right)];
        double square = add_groups(node, place, first, n_groups, &mask, &added), *cost = &costs[cut_at(node, k, from_right)];
        if (first > 0) square += *cost;
        add_facts(node, place, &added);
        *cost = 2 * added.facts[SM_PART] + (added.facts[SM_OWN] - 2 * square) / added.facts[SM_WEIGHT];
    }
}

/* Calls an inlined function with n_groups as a constant. */
#define WITH_CONSTANT(n_groups, call)                                                                                  \
    switch (n_groups) {                                                                                                \
    case 1: call(1); break;                                                                                            \
    case 2: call(2); break;                                                                                            \
    case 3: call(3); break;                                                                                            \
    case 4: call(4); break;                                                                                            \
    case 5: call(5); break;                                                                                            \
    case 6: call(6); break;                                                                                            \
    case 7: call(7); break;                                                                                            \
    default: call(MOST_GROUPS);                                                                                        \
    }

static void price_once(const sm_deviations *node, const uint32_t *order, double *left, double *right) {
    size_t first = square_blocks(node, order, false, left);
#define WALK(n) walk_once(node, order, first, n, left, right)
    WITH_CONSTANT(sm_n_groups(node->rank) - first, WALK)
#undef WALK
}

static void price_left(const sm_deviations *node, const uint32_t *order, double *costs) {
    size_t first = square_blocks(node, order, false, costs);
#define WALK(n) walk_side(node, order, false, first, n, costs)
    WITH_CONSTANT(sm_n_groups(node->rank) - first, WALK)
#undef WALK
}

static void price_right(const sm_deviations *node, const uint32_t *order, double *costs) {
    size_t first = square_blocks(node, order, true, costs);
#define WALK(n) walk_side(node, order, true, first, n, costs)
    WITH_CONSTANT(sm_n_groups(node->rank) - first, WALK)
#undef WALK
}

#define DEVIATION_LOOPS                                                                                                \
    .add_up = add_up, .fill = fill, .price_once = price_once, .price_left = price_left, .price_right = price_right

#endif
