/* deviations_loops.h - the loops of deviations.h, included by each file that makes a table of them.
 *
 * Written in groups of four: one register or two, whatever the processor has. Most loops are inlined with a constant number of
 * groups, up to MOST_GROUPS, so that running sums need no array; a higher rank has them in memory. */
#ifndef SM_KERNELS_DEVIATIONS_LOOPS_H
#define SM_KERNELS_DEVIATIONS_LOOPS_H

#include <string.h>
#if defined(__AVX2__)
#include <immintrin.h>
#endif

#include "kernels/deviations.h"

/* Sums over groups go in so many chains, so that none has to wait long for the one before. */
enum { MOST_GROUPS = 8, N_CHAINS = 4 };

typedef double group __attribute__((vector_size(SM_GROUP * sizeof(double)), may_alias));
typedef int64_t group_mask __attribute__((vector_size(SM_GROUP * sizeof(int64_t))));

#define INLINE static inline __attribute__((always_inline))

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

INLINE void load(const double *from, group *to) { memcpy(to, from, sizeof *to); }

INLINE void store(double *to, const group *from) { memcpy(to, from, sizeof *from); }

/* Which numbers of a row's last group are of the rank. */
INLINE void make_mask(size_t rank, group_mask *is_there) {
    int64_t n = (int64_t)(rank - (sm_n_groups(rank) - 1) * SM_GROUP);
    *is_there = (group_mask){0, 1, 2, 3} < n;
}

/* Group g of n_groups. Those of the last that are not there are 0, and not read. */
INLINE void load_group(const double *from, size_t g, size_t n_groups, const group_mask *is_there, group *to) {
    from += g * SM_GROUP;
    if (g + 1 < n_groups) {
        load(from, to);
        return;
    }
#if defined(__AVX2__)
    *to = _mm256_maskload_pd(from, (__m256i)*is_there);
#else
    for (size_t lane = 0; lane < SM_GROUP; lane++) (*to)[lane] = (*is_there)[lane] ? from[lane] : 0;
#endif
}

INLINE void add_to_chain(group *chains, size_t g, const group *more) {
    if (g < N_CHAINS)
        chains[g] = *more;
    else
        chains[g % N_CHAINS] += *more;
}

INLINE void join_chains(const group *chains, size_t n_groups, group *lanes) {
    *lanes = chains[0];
    if (n_groups > 1) *lanes += chains[1];
    if (n_groups == 3) *lanes += chains[2];
    if (n_groups > 3) *lanes += chains[2] + chains[3];
}

/* ---- a node ---- */

INLINE void add_up_groups(const sm_deviation_form *form, const uint32_t *items, const double *weight, size_t n,
                          const double *origin, size_t n_groups, double *out) {
    const double *us = form->u;
    size_t rank = form->rank;
    group few[MOST_GROUPS], *sums = n_groups <= MOST_GROUPS ? few : (group *)(void *)out;
    group_mask is_there;
    make_mask(rank, &is_there);
    for (size_t g = 0; g < n_groups; g++) sums[g] = (group){0};
    for (size_t k = 0; k < n; k++) {
        const double *u = us + items[k] * rank;
        for (size_t g = 0; g < n_groups; g++) {
            group number, from;
            load_group(u, g, n_groups, &is_there, &number);
            load(origin + g * SM_GROUP, &from);
            sums[g] += weight[k] * (number - from);
        }
    }
    for (size_t g = 0; g < n_groups; g++) store(out + g * SM_GROUP, &sums[g]);
}

static void add_up(const sm_deviation_form *form, const uint32_t *items, const double *weight, size_t n,
                   const double *origin, double *sums) {
#define ADD_UP(n_groups) add_up_groups(form, items, weight, n, origin, n_groups, sums)
    WITH_CONSTANT(sm_n_groups(form->rank), ADD_UP)
#undef ADD_UP
}

/* What the deviations of a node are taken from, and multiplied with: by themselves, too, if b is <d, d>. */
typedef struct middle {
    const double *origin, *above, *factor;
    bool squares;
} middle;

/* Leaves w d in the row; returns <m, d> or <d, d>. */
INLINE double deviate(const middle *from, const double *u, double weight, size_t n_groups, const group_mask *is_there,
                      double *row) {
    group chains[N_CHAINS] = {{0}};
    for (size_t g = 0; g < n_groups; g++) {
        group number, origin, above, factor;
        load_group(u, g, n_groups, is_there, &number);
        load(from->origin + g * SM_GROUP, &origin);
        load(from->above + g * SM_GROUP, &above);
        load(from->factor + g * SM_GROUP, &factor);
        group deviation = number - origin - above, weighed = weight * deviation, products = factor * deviation;
        if (from->squares) products *= deviation;
        add_to_chain(chains, g, &products);
        store(row + g * SM_GROUP, &weighed); /* what it leaves after the last deviation is room for facts */
    }
    group lanes;
    join_chains(chains, n_groups, &lanes);
    return (lanes[0] + lanes[2]) + (lanes[1] + lanes[3]);
}

INLINE void fill_rows(const sm_deviation_form *form, const uint32_t *items, const double *weight, const middle *from,
                      double square, size_t n_groups, sm_deviations *node) {
    const double *us = form->u, *a = form->a, *own = form->own;
    size_t rank = form->rank, n = node->n, stride = node->stride;
    double *row = node->rows;
    group all = {0};
    group_mask is_there;
    make_mask(rank, &is_there);
    for (size_t k = 0; k < n; k++, row += stride) {
        size_t item = items[k];
        double w = weight[k], product = deviate(from, us + item * rank, w, n_groups, &is_there, row);
        double part = from->squares ? product : a[item] - 2 * product - square;
        group facts = {w, w * part, own != NULL ? w * w * own[item] : 0, 0};
        store(row + rank, &facts); /* its 0 is where the next row starts, if not beyond this one's end */
        all += facts;
    }
    store(node->all, &all);
}

static void fill(const sm_deviation_form *form, const uint32_t *items, const double *weight, const double *origin,
                 const double *above, const double *scaled, double square, sm_deviations *node) {
    const middle mean = {.origin = origin, .above = above, .factor = scaled, .squares = false};
    const middle itself = {.origin = origin, .above = above, .factor = form->scale, .squares = true};
#define FROM_MEAN(n_groups) fill_rows(form, items, weight, &mean, square, n_groups, node)
#define FROM_ITSELF(n_groups) fill_rows(form, items, weight, &itself, square, n_groups, node)
    if (form->a != NULL)
        WITH_CONSTANT(sm_n_groups(form->rank), FROM_MEAN)
    else
        WITH_CONSTANT(sm_n_groups(form->rank), FROM_ITSELF)
#undef FROM_MEAN
#undef FROM_ITSELF
}

/* ---- cuts ----
 * Sums run from item to item; what they cost is found for N_CUTS neighbours at once. */

enum { N_CUTS = 4 };
_Static_assert(N_CUTS == SM_GROUP, "a group holds a number of each cut");

/* out[j][i] = in[i][j] */
INLINE void turn(const group *in, group *out) {
#if defined(__AVX2__)
    group low = _mm256_unpacklo_pd(in[0], in[1]), high = _mm256_unpackhi_pd(in[0], in[1]);
    group next_low = _mm256_unpacklo_pd(in[2], in[3]), next_high = _mm256_unpackhi_pd(in[2], in[3]);
    out[0] = _mm256_permute2f128_pd(low, next_low, 0x20);
    out[1] = _mm256_permute2f128_pd(high, next_high, 0x20);
    out[2] = _mm256_permute2f128_pd(low, next_low, 0x31);
    out[3] = _mm256_permute2f128_pd(high, next_high, 0x31);
#else
    for (size_t i = 0; i < SM_GROUP; i++)
        for (size_t j = 0; j < SM_GROUP; j++) out[j][i] = in[i][j];
#endif
}

/* What has been added up at some cuts: facts, and the lanes of <s, s>. */
typedef struct cuts {
    group facts[N_CUTS], lanes[N_CUTS];
} cuts;

/* A walk along a line-up. */
typedef struct walk {
    sm_deviations node;
    const uint32_t *order;
    bool from_right;
    group_mask is_there;
    group facts, *sums; /* of what has been added up; sums: [n_groups] s */
} walk;

/* Adds the item of step k, and says where that leads to. */
INLINE void add_row(walk *on, size_t k, size_t n_groups, group *facts, group *lanes) {
    size_t place = on->order[on->from_right ? on->node.n - 1 - k : k];
    const double *row = on->node.rows + place * on->node.stride, *scales = on->node.scale;
    group chains[N_CHAINS] = {{0}}, more;
    for (size_t g = 0; g < n_groups; g++) {
        group scale;
        load(row + g * SM_GROUP, &more);
        load(scales + g * SM_GROUP, &scale);
        if (g + 1 == n_groups) more = (group)((group_mask)more & on->is_there); /* facts are next */
        on->sums[g] += more;
        group squares = scale * on->sums[g] * on->sums[g];
        add_to_chain(chains, g, &squares);
    }
    load(row + on->node.rank, &more);
    on->facts += more;
    *facts = on->facts;
    join_chains(chains, n_groups, lanes);
}

/* Adds the items of at least one step and up to N_CUTS, from k on. */
INLINE void add_rows(walk *on, size_t k, size_t n_steps, size_t n_groups, cuts *at) {
    add_row(on, k, n_groups, &at->facts[0], &at->lanes[0]);
    for (size_t c = 1; c < N_CUTS; c++) {
        if (c < n_steps) {
            add_row(on, k + c, n_groups, &at->facts[c], &at->lanes[c]);
        } else { /* what it costs will not be looked at */
            at->facts[c] = at->facts[0];
            at->lanes[c] = at->lanes[0];
        }
    }
}

/* Of each cut.   facts  [SM_N_FACTS] out    twice  out: 2 <s, s> */
INLINE void read_cuts(const cuts *at, group *facts, group *twice) {
    group turned[SM_GROUP];
    turn(at->lanes, turned);
    *twice = 2 * ((turned[0] + turned[2]) + (turned[1] + turned[3]));
    turn(at->facts, turned);
    for (size_t f = 0; f < SM_N_FACTS; f++) facts[f] = turned[f];
}

INLINE void start(walk *on, const sm_deviations *node, const uint32_t *order, size_t n_groups, group *few) {
    *on = (walk){.node = *node, .order = order, .sums = n_groups <= MOST_GROUPS ? few : (group *)(void *)node->sums};
    make_mask(node->rank, &on->is_there);
    for (size_t g = 0; g < n_groups; g++) on->sums[g] = (group){0};
}

INLINE void keep(const group *costs, size_t n, double *out) {
    if (n >= N_CUTS)
        store(out, costs);
    else
        for (size_t c = 0; c < n; c++) out[c] = (*costs)[c];
}

INLINE void walk_once(const sm_deviations *node, const uint32_t *order, size_t n_groups, double *left, double *right) {
    group few[MOST_GROUPS], facts[SM_N_FACTS], twice;
    cuts at;
    walk on;
    start(&on, node, order, n_groups, few);
    const double weight = node->all[SM_WEIGHT], part = node->all[SM_PART], own = node->all[SM_OWN];
    for (size_t k = 0; k + 1 < on.node.n; k += N_CUTS) {
        size_t n_left = on.node.n - 1 - k;
        add_rows(&on, k, n_left, n_groups, &at);
        read_cuts(&at, facts, &twice);
        group lefts = 2 * facts[SM_PART] + (facts[SM_OWN] - twice) / facts[SM_WEIGHT];
        group rights =
            2 * (part - facts[SM_PART]) + ((own - facts[SM_OWN]) - twice) / (weight - facts[SM_WEIGHT]);
        keep(&lefts, n_left, left + k);
        keep(&rights, n_left, right + k);
    }
}

INLINE void walk_side(const sm_deviations *node, const uint32_t *order, bool from_right, size_t n_groups,
                      double *out) {
    group few[MOST_GROUPS], facts[SM_N_FACTS], twice;
    cuts at;
    walk on;
    start(&on, node, order, n_groups, few);
    on.from_right = from_right;
    for (size_t k = 0; k + 1 < on.node.n; k += N_CUTS) {
        size_t n_left = on.node.n - 1 - k;
        add_rows(&on, k, n_left, n_groups, &at);
        read_cuts(&at, facts, &twice);
        group costs = 2 * facts[SM_PART] + (facts[SM_OWN] - twice) / facts[SM_WEIGHT];
        for (size_t c = 0; c < N_CUTS && c < n_left; c++) out[from_right ? n_left - 1 - c : k + c] = costs[c];
    }
}

static void price_once(const sm_deviations *node, const uint32_t *order, double *left, double *right) {
#define WALK(n_groups) walk_once(node, order, n_groups, left, right)
    WITH_CONSTANT(sm_n_groups(node->rank), WALK)
#undef WALK
}

static void price_left(const sm_deviations *node, const uint32_t *order, double *costs) {
#define WALK(n_groups) walk_side(node, order, false, n_groups, costs)
    WITH_CONSTANT(sm_n_groups(node->rank), WALK)
#undef WALK
}

static void price_right(const sm_deviations *node, const uint32_t *order, double *costs) {
#define WALK(n_groups) walk_side(node, order, true, n_groups, costs)
    WITH_CONSTANT(sm_n_groups(node->rank), WALK)
#undef WALK
}

#define DEVIATION_LOOPS                                                                                                \
    .add_up = add_up, .fill = fill, .price_once = price_once, .price_left = price_left, .price_right = price_right

#endif
