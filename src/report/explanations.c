/* explanations.c - which features make pairs near or far: of items and their nearest, and of all pairs of some items. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/sort.h"
#include "report/sections.h"

typedef struct accounts {
    sm_picked near, some;               /* items explained with their nearest, and with each other */
    sm_arena arena;                     /* holds the arrays below */
    size_t n, p, n_shown;               /* pairs, features */
    uint64_t *pairs, *spare;            /* [n] left and right in one number, each pair once */
    uint32_t *left, *right;             /* [n] left < right */
    double *baseline, *distance, *rest; /* [n] */
    uint32_t *feature;                  /* [n][n_shown] */
    double *share;                      /* [n][n_shown] */
    double *all;                        /* [pairs at a time][p] */
} accounts;

/* ---- which pairs ---- */

static void add_pair(accounts *told, uint32_t one, uint32_t other) {
    told->pairs[told->n++] = one < other ? sm_pack_rank(one, other) : sm_pack_rank(other, one);
}

/* Two neighbours may name each other: each pair is kept once, by left and then by right. */
static void sort_pairs(accounts *told, uint32_t *places, uint32_t *spare_places) {
    size_t n = 0;
    for (size_t k = 0; k < told->n; k++) places[k] = 0;
    sm_sort(told->pairs, places, told->n, told->spare, spare_places);
    for (size_t k = 0; k < told->n; k++)
        if (k == 0 || told->pairs[k] != told->pairs[k - 1]) told->pairs[n++] = told->pairs[k];
    told->n = n;
    for (size_t k = 0; k < n; k++) {
        told->left[k] = sm_packed_rank(told->pairs[k]);
        told->right[k] = sm_packed_index(told->pairs[k]);
    }
}

static smerf_status choose_pairs(sm_reporter *reporter, accounts *told, smerf_error *error) {
    sm_arena *arena = &told->arena;
    smerf_status status = sm_picked_draw(reporter, SM_MOST_EXPLAINED, SM_DRAW_EXPLAINED, &told->near, error);
    if (status == SMERF_OK) status = sm_picked_draw(reporter, SM_N_SAMPLED, SM_DRAW_PAIRS, &told->some, error);
    if (status != SMERF_OK) return status;
    size_t most = told->near.n * SM_N_NEAREST + told->some.n * told->some.n / 2;
    told->pairs = sm_arena_take(arena, most, sizeof *told->pairs);
    told->spare = sm_arena_take(arena, most, sizeof *told->spare);
    told->left = sm_arena_take(arena, most, sizeof *told->left);
    told->right = sm_arena_take(arena, most, sizeof *told->right);
    if (arena->has_failed) return sm_no_memory(error, "explaining pairs");
    for (size_t k = 0; k < told->near.n && reporter->neighbor != NULL; k++) {
        const uint32_t *nearest = reporter->neighbor + (size_t)told->near.rows[k] * SM_N_NEIGHBORS;
        for (size_t j = 0; j < SM_N_NEAREST; j++)
            if (nearest[j] != SMERF_MISSING) add_pair(told, told->near.rows[k], nearest[j]);
    }
    for (size_t k = 0; k < told->some.n; k++)
        for (size_t j = k + 1; j < told->some.n; j++) add_pair(told, told->some.rows[k], told->some.rows[j]);
    sort_pairs(told, told->left, told->right);
    return SMERF_OK;
}

/* ---- what is said of them ---- */

enum { MOST_SHARES = 8 * 1024 * 1024, FEWEST_AT_A_TIME = 64 };

static size_t pairs_at_a_time(const accounts *told) {
    size_t n = MOST_SHARES / told->p > FEWEST_AT_A_TIME ? MOST_SHARES / told->p : FEWEST_AT_A_TIME;
    return n < told->n ? n : told->n;
}

/* The shares largest in size, from the largest on, the first feature on a tie; and the sum of the others. */
static void keep_largest(accounts *told, size_t pair, const double *shares) {
    uint32_t *feature = told->feature + pair * told->n_shown;
    double *share = told->share + pair * told->n_shown;
    size_t n = 0;
    told->rest[pair] = 0;
    for (size_t f = 0; f < told->p; f++) {
        size_t at = n;
        while (at > 0 && fabs(shares[f]) > fabs(share[at - 1])) at--;
        if (at == told->n_shown) continue;
        if (n < told->n_shown) n++;
        memmove(feature + at + 1, feature + at, (n - at - 1) * sizeof *feature);
        memmove(share + at + 1, share + at, (n - at - 1) * sizeof *share);
        feature[at] = (uint32_t)f;
        share[at] = shares[f];
    }
    for (size_t f = 0; f < told->p; f++) {
        bool is_shown = false;
        for (size_t k = 0; k < n && !is_shown; k++) is_shown = feature[k] == f;
        if (!is_shown) told->rest[pair] += shares[f];
    }
}

static smerf_status explain(sm_reporter *reporter, accounts *told, smerf_error *error) {
    sm_arena *arena = &told->arena;
    size_t n = told->n, at_a_time = pairs_at_a_time(told);
    told->baseline = sm_arena_take(arena, n, sizeof *told->baseline);
    told->distance = sm_arena_take(arena, n, sizeof *told->distance);
    told->rest = sm_arena_take(arena, n, sizeof *told->rest);
    told->feature = sm_arena_take(arena, sm_size(n, told->n_shown, 0), sizeof *told->feature);
    told->share = sm_arena_take(arena, sm_size(n, told->n_shown, 0), sizeof *told->share);
    told->all = sm_arena_take(arena, sm_size(at_a_time, told->p, 0), sizeof *told->all);
    if (arena->has_failed) return sm_no_memory(error, "explaining pairs");
    const smerf_request request = SMERF_INIT(smerf_request, .rows = reporter->wanted->items);
    double from = reporter->part.from, share = reporter->part.to - from;
    smerf_status status = SMERF_OK;
    for (size_t first = 0, end; first < n && status == SMERF_OK; first = end) {
        end = first + at_a_time < n ? first + at_a_time : n;
        reporter->part.from = from + share * (double)first / (double)n;
        reporter->part.to = from + share * (double)end / (double)n;
        status = smerf_explain_pairs(
            reporter->wanted->model, &request,
            &(smerf_pair_list){.n = end - first, .left = told->left + first, .right = told->right + first},
            &reporter->run,
            &SMERF_INIT(smerf_explanation, .baseline = told->baseline + first, .contributions = told->all,
                        .distance = told->distance + first),
            error);
        for (size_t k = first; k < end && status == SMERF_OK; k++)
            keep_largest(told, k, told->all + (k - first) * told->p);
    }
    return status;
}

/* ---- writing ---- */

static void write_accounts(sm_reporter *reporter, const accounts *told) {
    sm_json *json = &reporter->json;
    char some[32], all[32];
    sm_json_open(json, "explanations", '{');
    sm_json_open(json, "features", '[');
    for (size_t f = 0; f < told->p; f++) {
        smerf_column column;
        smerf_model_feature(reporter->wanted->model, f, &column);
        sm_json_text(json, NULL, column.name);
    }
    sm_json_close(json, ']');
    sm_json_count(json, "n_shown", told->n_shown);
    sm_json_u32(json, "left", told->left, told->n);
    sm_json_u32(json, "right", told->right, told->n);
    sm_json_f32(json, "baseline", told->baseline, told->n);
    sm_json_f32(json, "distance", told->distance, told->n);
    sm_json_u16(json, "feature", told->feature, told->n * told->n_shown);
    sm_json_f32(json, "share", told->share, told->n * told->n_shown);
    sm_json_f32(json, "rest", told->rest, told->n);
    sm_json_count(json, "n_sampled", told->some.n);
    sm_json_close(json, '}');
    if (told->near.n < reporter->n)
        sm_report_note(reporter, "Explanations are kept of %s of %s items and their five nearest.",
                       sm_report_count(told->near.n, some), sm_report_count(reporter->n, all));
}

smerf_status sm_write_explanations(sm_reporter *reporter, smerf_error *error) {
    accounts told = {.p = reporter->about.n_features};
    told.n_shown = told.p < SM_MOST_SHOWN ? told.p : SM_MOST_SHOWN;
    if (!reporter->is_forest || reporter->n < 2) {
        sm_report_absent(reporter, "explanations", "%s",
                         reporter->is_forest ? "There is one item, and so no pair to explain."
                                             : "Only the distances of forests are explained.");
        return SMERF_OK;
    }
    smerf_status status = choose_pairs(reporter, &told, error);
    if (status == SMERF_OK) status = explain(reporter, &told, error);
    if (status == SMERF_OK)
        write_accounts(reporter, &told);
    else
        status = sm_report_excuse(reporter, "explanations", status, error);
    sm_picked_free(&told.near);
    sm_picked_free(&told.some);
    sm_arena_free(&told.arena);
    return status;
}
