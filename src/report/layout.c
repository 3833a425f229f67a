/* layout.c - where the items are: the nearest of each, and a map of all. */
#include <string.h>

#include "base/memory.h"
#include "report/sections.h"

/* ---- neighbours ---- */

static int keep_neighbors(void *context, size_t item, const smerf_neighbor *neighbors, size_t n) {
    sm_reporter *reporter = context;
    for (size_t k = 0; k < n; k++) {
        reporter->neighbor[item * SM_N_NEIGHBORS + k] = (uint32_t)neighbors[k].item;
        reporter->neighbor_distance[item * SM_N_NEIGHBORS + k] = neighbors[k].distance;
    }
    return 0;
}

smerf_status sm_write_neighbors(sm_reporter *reporter, smerf_error *error) {
    sm_json *json = &reporter->json;
    size_t n = sm_size(reporter->n, SM_N_NEIGHBORS, 0);
    reporter->neighbor = sm_arena_take(&reporter->arena, n, sizeof *reporter->neighbor);
    reporter->neighbor_distance = sm_arena_take(&reporter->arena, n, sizeof *reporter->neighbor_distance);
    if (reporter->arena.has_failed) return sm_no_memory(error, "looking for neighbours");
    memset(reporter->neighbor, 0xff, n * sizeof *reporter->neighbor); /* SMERF_MISSING, and NaN */
    memset(reporter->neighbor_distance, 0xff, n * sizeof *reporter->neighbor_distance);
    const smerf_neighborhood wanted =
        SMERF_INIT(smerf_neighborhood, .items = reporter->wanted->items, .k = SM_N_NEIGHBORS);
    smerf_status status =
        smerf_neighbors(reporter->wanted->model, &wanted, &reporter->run, keep_neighbors, reporter, error);
    if (status != SMERF_OK) {
        reporter->neighbor = NULL;
        return sm_report_excuse(reporter, "neighbors", status, error);
    }
    sm_json_open(json, "neighbors", '{');
    sm_json_count(json, "k", SM_N_NEIGHBORS);
    sm_json_u32(json, "item", reporter->neighbor, n);
    sm_json_f32(json, "distance", reporter->neighbor_distance, n);
    sm_json_close(json, '}');
    return SMERF_OK;
}

/* ---- map ---- */

static void write_map(sm_reporter *reporter, const double *coordinates, double *axis, const smerf_map *facts) {
    static const char *const names[2] = {"x", "y"};
    sm_json *json = &reporter->json;
    size_t n = reporter->n;
    sm_json_open(json, "map", '{');
    for (size_t d = 0; d < 2; d++) {
        for (size_t i = 0; i < n; i++) axis[i] = coordinates[2 * i + d];
        sm_json_f32(json, names[d], axis, n);
    }
    sm_json_count(json, "n_landmarks", facts->n_landmarks);
    sm_json_number(json, "share", facts->eigenvalue_fraction);
    sm_json_number(json, "stress", facts->stress);
    sm_json_close(json, '}');
    char some[32], all[32];
    if (facts->n_landmarks < n)
        sm_report_note(reporter,
                       "The map is that of %s of %s items; the others are placed by their distances to these.",
                       sm_report_count(facts->n_landmarks, some), sm_report_count(n, all));
}

smerf_status sm_write_map(sm_reporter *reporter, smerf_error *error) {
    const sm_report *wanted = reporter->wanted;
    size_t n = reporter->n;
    double *coordinates = sm_array(sm_size(n, 2, 0), sizeof *coordinates), *axis = sm_array(n, sizeof *axis);
    smerf_status status = coordinates != NULL && axis != NULL ? SMERF_OK : sm_no_memory(error, "drawing a map");
    if (status == SMERF_OK) {
        const smerf_map_options options =
            SMERF_INIT(smerf_map_options, .n_dimensions = 2, .n_landmarks = SM_MOST_LANDMARKED,
                       .seed = reporter->about.options->seed);
        smerf_map map = SMERF_INIT(smerf_map, .coordinates = coordinates);
        status = smerf_embed(wanted->model, wanted->items, &options, &reporter->run, &map, error);
        if (status == SMERF_OK)
            write_map(reporter, coordinates, axis, &map);
        else
            status = sm_report_excuse(reporter, "map", status, error);
    }
    sm_free(coordinates);
    sm_free(axis);
    return status;
}
