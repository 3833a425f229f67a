/* groups.c - clusters of the items, and the learned distances of some of them in the order of these.
 *
 * Medoids need a matrix of distances: more items than SM_MOST_CLUSTERED are sampled, and the others go to the nearest medoid. */
#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/sort.h"
#include "report/sections.h"

/* For what is quick beside the rest of a section: it reports no progress. */
static smerf_run quiet_run(const sm_reporter *reporter) {
    return SMERF_INIT(smerf_run, .n_threads = reporter->run.n_threads, .kernels = reporter->run.kernels);
}

/* ---- clusters ---- */

/* What smerf_cluster says of the sample. */
typedef struct grouping {
    sm_picked sample;
    sm_arena arena; /* holds the arrays below */
    uint32_t *cluster, *medoid;
    double *silhouette, *tried; /* [sample.n]; tried has one more */
    double *all_silhouettes;    /* [n] NaN where it is not known */
    double *nearest;            /* [n] distances to the nearest medoid so far */
    smerf_clusters found;
} grouping;

static smerf_status find_groups(sm_reporter *reporter, grouping *groups, smerf_error *error) {
    sm_arena *arena = &groups->arena;
    smerf_status status = sm_picked_draw(reporter, SM_MOST_CLUSTERED, SM_DRAW_CLUSTERED, &groups->sample, error);
    if (status != SMERF_OK) return status;
    size_t n = groups->sample.n;
    groups->cluster = sm_arena_take(arena, n, sizeof *groups->cluster);
    groups->medoid = sm_arena_take(arena, n, sizeof *groups->medoid);
    groups->silhouette = sm_arena_take(arena, n, sizeof *groups->silhouette);
    groups->tried = sm_arena_take(arena, n, sizeof *groups->tried);
    groups->all_silhouettes = sm_arena_take(arena, reporter->n, sizeof *groups->all_silhouettes);
    groups->nearest = sm_arena_take(arena, reporter->n, sizeof *groups->nearest);
    if (arena->has_failed) return sm_no_memory(error, "clustering");
    const smerf_clustering wanted = SMERF_INIT(smerf_clustering, .by = SMERF_MEDOIDS, .k = reporter->wanted->n_clusters,
                                               .seed = reporter->about.options->seed);
    groups->found = SMERF_INIT(smerf_clusters, .cluster = groups->cluster, .medoid = groups->medoid,
                               .silhouette = groups->silhouette, .tried = groups->tried);
    return smerf_cluster(reporter->wanted->model, groups->sample.items, &wanted, &reporter->run, &groups->found, error);
}

/* Takes the distances of one medoid to all items: those that were not sampled go to the nearest, the first on a tie. */
typedef struct assignment {
    sm_reporter *reporter;
    grouping *groups;
} assignment;

static int assign_items(void *context, size_t cluster, const double *distances, size_t n) {
    assignment *at = context;
    for (size_t i = 0; i < n; i++) {
        if (at->groups->sample.is_taken[i]) continue;
        if (cluster > 0 && !(distances[i] < at->groups->nearest[i])) continue;
        at->groups->nearest[i] = distances[i];
        at->reporter->cluster[i] = (uint32_t)cluster;
    }
    return 0;
}

/* From the sample to all items. */
static smerf_status spread_groups(sm_reporter *reporter, grouping *groups, smerf_error *error) {
    const sm_picked *sample = &groups->sample;
    size_t k = groups->found.k;
    uint32_t *medoid = sm_arena_take(&reporter->arena, k, sizeof *medoid);
    uint32_t *cluster = sm_arena_take(&reporter->arena, reporter->n, sizeof *cluster);
    if (reporter->arena.has_failed) return sm_no_memory(error, "clustering");
    for (size_t i = 0; i < reporter->n; i++) groups->all_silhouettes[i] = NAN;
    for (size_t s = 0; s < sample->n; s++) {
        cluster[sample->rows[s]] = groups->cluster[s];
        medoid[groups->cluster[s]] = sample->rows[groups->medoid[s]];
        groups->all_silhouettes[sample->rows[s]] = groups->silhouette[s];
    }
    reporter->cluster = cluster;
    reporter->medoid = medoid;
    reporter->n_clusters = k;
    if (sample->n == reporter->n) return SMERF_OK;
    smerf_items *medoids;
    smerf_status status = sm_items_of(reporter, medoid, k, &medoids, error);
    if (status != SMERF_OK) return status;
    const smerf_request request = SMERF_INIT(smerf_request, .rows = medoids, .columns = reporter->wanted->items);
    const smerf_run quiet = quiet_run(reporter);
    assignment at = {.reporter = reporter, .groups = groups};
    status = smerf_predict_rows(reporter->wanted->model, &request, &quiet, assign_items, &at, error);
    smerf_items_free(medoids);
    return status;
}

static void write_groups(sm_reporter *reporter, const grouping *groups) {
    sm_json *json = &reporter->json;
    sm_json_open(json, "clusters", '{');
    sm_json_text(json, "by", "medoids");
    sm_json_count(json, "k", reporter->n_clusters);
    sm_json_u16(json, "of", reporter->cluster, reporter->n);
    sm_json_open(json, "medoids", '[');
    for (size_t c = 0; c < reporter->n_clusters; c++) sm_json_count(json, NULL, reporter->medoid[c]);
    sm_json_close(json, ']');
    sm_json_flag(json, "chosen", reporter->wanted->n_clusters == 0);
    sm_json_number(json, "silhouette", groups->found.mean_silhouette);
    sm_json_f32(json, "silhouettes", groups->all_silhouettes, reporter->n);
    sm_json_open(json, "tried", '[');
    for (size_t k = 2; k < groups->sample.n && reporter->wanted->n_clusters == 0; k++) {
        if (isnan(groups->tried[k])) continue;
        sm_json_open(json, NULL, '[');
        sm_json_count(json, NULL, k);
        sm_json_number(json, NULL, groups->tried[k]);
        sm_json_close(json, ']');
    }
    sm_json_close(json, ']');
    sm_json_close(json, '}');
    char some[32], all[32];
    if (reporter->are_training && smerf_method_learns_pairs(reporter->about.options->method))
        sm_report_note(
            reporter,
            "The map and the clusters are of items that the model has learned from: new ones would lie less neatly "
            "apart.");
    if (groups->sample.n < reporter->n)
        sm_report_note(reporter, "Clusters are those of %s of %s items; the others are counted to the nearest medoid.",
                       sm_report_count(groups->sample.n, some), sm_report_count(reporter->n, all));
}

smerf_status sm_write_clusters(sm_reporter *reporter, smerf_error *error) {
    grouping groups = {0};
    if (reporter->wanted->n_clusters == 0 && reporter->n < 3) {
        sm_report_absent(reporter, "clusters", "Fewer than three items have no clusters to choose from.");
        return SMERF_OK;
    }
    smerf_status status = find_groups(reporter, &groups, error);
    if (status == SMERF_OK) status = spread_groups(reporter, &groups, error);
    if (status == SMERF_OK) {
        write_groups(reporter, &groups);
    } else if (reporter->wanted->n_clusters == 0) { /* a number that the caller gave must be fine */
        reporter->cluster = NULL;
        status = sm_report_excuse(reporter, "clusters", status, error);
    }
    sm_picked_free(&groups.sample);
    sm_arena_free(&groups.arena);
    return status;
}

/* ---- heat map ---- */

typedef struct heat {
    sm_picked sample;
    uint32_t medoid[SM_MOST_HEAT], order[SM_MOST_HEAT]; /* [m] rows of items, in the order of the sample; of the map */
    double apart[SM_MOST_HEAT];                         /* [m] from the medoid */
    double *distance;                                   /* [m][m] */
    smerf_items *items;
} heat;

/* By cluster, and within it by the distance to the medoid. */
static smerf_status order_heat(sm_reporter *reporter, heat *map, smerf_error *error) {
    size_t m = map->sample.n;
    uint32_t *rows = map->order, spare_rows[SM_MOST_HEAT], by_distance[SM_MOST_HEAT];
    uint64_t keys[SM_MOST_HEAT], spare_keys[SM_MOST_HEAT];
    for (size_t k = 0; k < m; k++) rows[k] = map->sample.rows[k];
    if (reporter->cluster == NULL) return SMERF_OK;
    for (size_t k = 0; k < m; k++) map->medoid[k] = reporter->medoid[reporter->cluster[rows[k]]];
    const smerf_request request = SMERF_INIT(smerf_request, .rows = reporter->wanted->items);
    const smerf_run quiet = quiet_run(reporter);
    smerf_status status = smerf_predict_pairs(
        reporter->wanted->model, &request, &(smerf_pair_list){.n = m, .left = map->sample.rows, .right = map->medoid},
        &quiet, &SMERF_INIT(smerf_pair_result, .distance = map->apart), error);
    if (status != SMERF_OK) return status;
    for (size_t k = 0; k < m; k++) {
        bool is_medoid = rows[k] == map->medoid[k];
        by_distance[k] = (uint32_t)k;
        keys[k] = sm_sort_key(is_medoid ? -INFINITY : isnan(map->apart[k]) ? INFINITY : map->apart[k]);
    }
    sm_sort(keys, by_distance, m, spare_keys, spare_rows);
    for (size_t k = 0; k < m; k++) {
        rows[k] = map->sample.rows[by_distance[k]];
        keys[k] = reporter->cluster[rows[k]];
    }
    sm_sort(keys, rows, m, spare_keys, spare_rows);
    return SMERF_OK;
}

static int keep_row(void *context, size_t row, const double *distances, size_t n) {
    memcpy((double *)context + row * n, distances, n * sizeof *distances);
    return 0;
}

static smerf_status find_heat(sm_reporter *reporter, heat *map, smerf_error *error) {
    smerf_status status = sm_picked_draw(reporter, SM_MOST_HEAT, SM_DRAW_HEAT, &map->sample, error);
    if (status != SMERF_OK) return status;
    size_t m = map->sample.n;
    map->distance = sm_array(m * m, sizeof *map->distance);
    if (map->distance == NULL) return sm_no_memory(error, "drawing distances");
    status = order_heat(reporter, map, error);
    if (status == SMERF_OK) status = sm_items_of(reporter, map->order, m, &map->items, error);
    const smerf_request request = SMERF_INIT(smerf_request, .rows = map->items);
    if (status == SMERF_OK)
        status = smerf_predict_rows(reporter->wanted->model, &request, &reporter->run, keep_row, map->distance, error);
    return status;
}

smerf_status sm_write_heat(sm_reporter *reporter, smerf_error *error) {
    sm_json *json = &reporter->json;
    heat map = {0};
    smerf_status status = find_heat(reporter, &map, error);
    size_t m = map.sample.n;
    if (status == SMERF_OK) {
        char some[32], all[32];
        sm_json_open(json, "heat", '{');
        sm_json_open(json, "items", '[');
        for (size_t k = 0; k < m; k++) sm_json_count(json, NULL, map.order[k]);
        sm_json_close(json, ']');
        sm_json_f32(json, "distance", map.distance, m * m);
        sm_json_close(json, '}');
        if (m < reporter->n)
            sm_report_note(reporter, "The heat map shows %s of %s items.", sm_report_count(m, some),
                           sm_report_count(reporter->n, all));
    } else {
        status = sm_report_excuse(reporter, "heat", status, error);
    }
    sm_picked_free(&map.sample);
    smerf_items_free(map.items);
    sm_free(map.distance);
    return status;
}
