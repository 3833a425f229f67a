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
    double *contribution;               /* [n][n_shown] */
    double *all;                        /* [pairs at a time][p] */
} accounts;

/* ---- which pairs ---- */

static void add_explained_pair(accounts *found, uint32_t one, uint32_t other) {
    found->pairs[found->n++] = one < other ? sm_pack_rank(one, other) : sm_pack_rank(other, one);
}

/* Two neighbours may name each other: each pair is kept once, by left and then by right. */
static void sort_pairs(accounts *found, uint32_t *indices, uint32_t *spare_indices) {
    size_t n = 0;
    for (size_t k = 0; k < found->n; k++) indices[k] = 0;
    sm_sort(found->pairs, indices, found->n, found->spare, spare_indices);
    for (size_t k = 0; k < found->n; k++)
        if (k == 0 || found->pairs[k] != found->pairs[k - 1]) found->pairs[n++] = found->pairs[k];
    found->n = n;
    for (size_t k = 0; k < n; k++) {
        found->left[k] = sm_packed_rank(found->pairs[k]);
        found->right[k] = sm_packed_index(found->pairs[k]);
    }
}

static smerf_status choose_pairs(sm_reporter *reporter, accounts *found, smerf_error *error) {
    sm_arena *arena = &found->arena;
    smerf_status status = sm_picked_draw(reporter, SM_MOST_EXPLAINED, SM_DRAW_EXPLAINED, &found->near, error);
    if (status == SMERF_OK) status = sm_picked_draw(reporter, SM_N_SAMPLED, SM_DRAW_PAIRS, &found->some, error);
    if (status != SMERF_OK) return status;
    size_t most = found->near.n * SM_N_NEAREST + found->some.n * found->some.n / 2;
    found->pairs = sm_arena_take(arena, most, sizeof *found->pairs);
    found->spare = sm_arena_take(arena, most, sizeof *found->spare);
    found->left = sm_arena_take(arena, most, sizeof *found->left);
    found->right = sm_arena_take(arena, most, sizeof *found->right);
    if (arena->has_failed) return sm_no_memory(error, "explaining pairs");
    for (size_t k = 0; k < found->near.n && reporter->neighbor != NULL; k++) {
        const uint32_t *nearest = reporter->neighbor + (size_t)found->near.rows[k] * SM_N_NEIGHBORS;
        for (size_t j = 0; j < SM_N_NEAREST; j++)
            if (nearest[j] != SMERF_MISSING) add_explained_pair(found, found->near.rows[k], nearest[j]);
    }
    for (size_t k = 0; k < found->some.n; k++)
        for (size_t j = k + 1; j < found->some.n; j++)
            add_explained_pair(found, found->some.rows[k], found->some.rows[j]);
    sort_pairs(found, found->left, found->right);
    return SMERF_OK;
}

/* ---- what is said of them ---- */

enum { MOST_CONTRIBUTIONS = 8 * 1024 * 1024, FEWEST_AT_A_TIME = 64 };

static size_t pairs_at_a_time(const accounts *found) {
    size_t n = MOST_CONTRIBUTIONS / found->p > FEWEST_AT_A_TIME ? MOST_CONTRIBUTIONS / found->p : FEWEST_AT_A_TIME;
    return n < found->n ? n : found->n;
}

/* The contributions of largest absolute value, from the largest on, the first feature on a tie; and the sum of the others. */
static void keep_largest(accounts *found, size_t pair, const double *contributions) {
    uint32_t *feature = found->feature + pair * found->n_shown;
    double *contribution = found->contribution + pair * found->n_shown;
    size_t n = 0;
    found->rest[pair] = 0;
    for (size_t f = 0; f < found->p; f++) {
        size_t at = n;
        while (at > 0 && fabs(contributions[f]) > fabs(contribution[at - 1])) at--;
        if (at == found->n_shown) continue;
        if (n < found->n_shown) n++;
        memmove(feature + at + 1, feature + at, (n - at - 1) * sizeof *feature);
        memmove(contribution + at + 1, contribution + at, (n - at - 1) * sizeof *contribution);
        feature[at] = (uint32_t)f;
        contribution[at] = contributions[f];
    }
    for (size_t f = 0; f < found->p; f++) {
        bool is_shown = false;
        for (size_t k = 0; k < n && !is_shown; k++) is_shown = feature[k] == f;
        if (!is_shown) found->rest[pair] += contributions[f];
    }
}

static smerf_status explain_pairs(sm_reporter *reporter, accounts *found, smerf_error *error) {
    sm_arena *arena = &found->arena;
    size_t n = found->n, at_a_time = pairs_at_a_time(found);
    found->baseline = sm_arena_take(arena, n, sizeof *found->baseline);
    found->distance = sm_arena_take(arena, n, sizeof *found->distance);
    found->rest = sm_arena_take(arena, n, sizeof *found->rest);
    found->feature = sm_arena_take(arena, sm_size(n, found->n_shown, 0), sizeof *found->feature);
    found->contribution = sm_arena_take(arena, sm_size(n, found->n_shown, 0), sizeof *found->contribution);
    found->all = sm_arena_take(arena, sm_size(at_a_time, found->p, 0), sizeof *found->all);
    if (arena->has_failed) return sm_no_memory(error, "explaining pairs");
    const smerf_request request = SMERF_INIT(smerf_request, .rows = reporter->wanted->items);
    double from = reporter->part.from, length = reporter->part.to - from;
    smerf_status status = SMERF_OK;
    for (size_t first = 0, end; first < n && status == SMERF_OK; first = end) {
        end = first + at_a_time < n ? first + at_a_time : n;
        reporter->part.from = from + length * (double)first / (double)n;
        reporter->part.to = from + length * (double)end / (double)n;
        status = smerf_explain_pairs(
            reporter->wanted->model, &request,
            &(smerf_pair_list){.n = end - first, .left = found->left + first, .right = found->right + first},
            &reporter->run,
            &SMERF_INIT(smerf_explanation, .baseline = found->baseline + first, .contributions = found->all,
                        .distance = found->distance + first),
            error);
        for (size_t k = first; k < end && status == SMERF_OK; k++)
            keep_largest(found, k, found->all + (k - first) * found->p);
    }
    return status;
}

/* ---- writing ---- */

static void write_accounts(sm_reporter *reporter, const accounts *found) {
    sm_json *json = &reporter->json;
    char some[32], all[32];
    sm_json_open(json, "explanations", '{');
    sm_json_open(json, "features", '[');
    for (size_t f = 0; f < found->p; f++) {
        smerf_column column;
        smerf_model_feature(reporter->wanted->model, f, &column);
        sm_json_text(json, NULL, column.name);
    }
    sm_json_close(json, ']');
    sm_json_count(json, "n_shown", found->n_shown);
    sm_json_u32(json, "left", found->left, found->n);
    sm_json_u32(json, "right", found->right, found->n);
    sm_json_f32(json, "baseline", found->baseline, found->n);
    sm_json_f32(json, "distance", found->distance, found->n);
    sm_json_u16(json, "feature", found->feature, found->n * found->n_shown);
    sm_json_f32(json, "share", found->contribution, found->n * found->n_shown);
    sm_json_f32(json, "rest", found->rest, found->n);
    sm_json_count(json, "n_sampled", found->some.n);
    sm_json_close(json, '}');
    if (found->near.n < reporter->n)
        sm_report_note(reporter, "Explanations are kept of %s of %s items and their five nearest.",
                       sm_report_count(found->near.n, some), sm_report_count(reporter->n, all));
}

smerf_status sm_write_explanations(sm_reporter *reporter, smerf_error *error) {
    accounts found = {.p = reporter->about.n_features};
    found.n_shown = found.p < SM_MOST_SHOWN ? found.p : SM_MOST_SHOWN;
    if (!reporter->is_forest || reporter->n < 2) {
        sm_report_absent(reporter, "explanations", "%s",
                         reporter->is_forest ? "There is one item, and so no pair to explain."
                                             : "Only the distances of forests are explained.");
        return SMERF_OK;
    }
    smerf_status status = choose_pairs(reporter, &found, error);
    if (status == SMERF_OK) status = explain_pairs(reporter, &found, error);
    if (status == SMERF_OK)
        write_accounts(reporter, &found);
    else
        status = sm_report_excuse(reporter, "explanations", status, error);
    sm_picked_free(&found.near);
    sm_picked_free(&found.some);
    sm_arena_free(&found.arena);
    return status;
}
