/* asked.c - see asked.h. */
#include "query/asked.h"

#include <math.h>

#include "base/memory.h"

bool sm_leaf_room_start(sm_leaf_room *room, const smerf_model *model) {
    size_t n_members = sm_model_most_members(model), n_leaves = sm_model_most_leaves(model);
    *room = (sm_leaf_room){0};
    room->row = sm_arena_take(&room->arena, n_leaves, sizeof *room->row);
    room->scratch = sm_arena_take(&room->arena, n_members, sizeof *room->scratch);
    return !room->arena.has_failed;
}

void sm_leaf_room_free(sm_leaf_room *room) { sm_arena_free(&room->arena); }

sm_leaf_room *sm_leaf_rooms_new(const smerf_model *model, size_t n_threads) {
    sm_leaf_room *rooms = sm_zeros(n_threads, sizeof *rooms);
    for (size_t t = 0; t < n_threads && rooms != NULL; t++)
        if (!sm_leaf_room_start(&rooms[t], model)) {
            sm_leaf_rooms_free(rooms, n_threads);
            return NULL;
        }
    return rooms;
}

void sm_leaf_rooms_free(sm_leaf_room *rooms, size_t n_threads) {
    for (size_t t = 0; t < n_threads && rooms != NULL; t++) sm_leaf_room_free(&rooms[t]);
    sm_free(rooms);
}

/* ---- sending items down the trees ---- */

typedef struct route_job {
    const smerf_model *model;
    const sm_view *view;
    uint32_t *leaf;
} route_job;

static smerf_status route_tree(void *argument, size_t tree, size_t thread, smerf_error *error) {
    route_job *job = argument;
    (void)thread;
    (void)error;
    size_t n = job->view->n_items;
    sm_tree_route(&job->model->trees[tree], job->view, 0, n, job->leaf + tree * n);
    return SMERF_OK;
}

static smerf_status route(sm_asked *asked, const sm_view *view, sm_crew *crew, uint32_t **leaf, smerf_error *error) {
    double bytes = (double)asked->n_trees * (double)view->n_items * sizeof **leaf;
    smerf_status status = sm_check_memory(bytes, "sending the items down the trees", error);
    if (status != SMERF_OK) return status;
    *leaf = sm_array(sm_size(asked->n_trees, view->n_items, 0), sizeof **leaf);
    if (*leaf == NULL) return sm_no_memory(error, "sending items down the trees");
    route_job job = {.model = asked->model, .view = view, .leaf = *leaf};
    return sm_crew_do(crew, asked->n_trees, route_tree, &job, error);
}

/* ---- out of bag ---- */

static smerf_status find_out_of_bag(sm_asked *asked, const smerf_items *items, const sm_view *view,
                                    smerf_error *error) {
    const smerf_model *model = asked->model;
    if (model->options.sample == SMERF_NO_SAMPLE)
        return sm_fail(
            error, SMERF_BAD_INPUT,
            "the model was fitted with --sample none: every tree has seen every item, nothing is out of bag");
    asked->place = sm_array(view->n_items, sizeof *asked->place);
    asked->row_is_out = sm_array(sm_size(asked->n_trees, view->n_items, 0), sizeof *asked->row_is_out);
    bool *is_out = sm_array(model->n_items, sizeof *is_out);
    smerf_status status = SMERF_OK;
    if (asked->place == NULL || asked->row_is_out == NULL || is_out == NULL)
        status = sm_no_memory(error, "looking up out-of-bag items");
    else
        status = sm_model_find_items(model, items, view, asked->place, error);
    for (size_t b = 0; b < asked->n_trees && status == SMERF_OK; b++) {
        sm_model_out_of_bag(model, b, is_out);
        for (size_t i = 0; i < view->n_items; i++) asked->row_is_out[b * view->n_items + i] = is_out[asked->place[i]];
    }
    sm_free(is_out);
    return status;
}

/* ---- trees ---- */

static smerf_status ready_tree(void *argument, size_t tree, size_t thread, smerf_error *error) {
    sm_asked *asked = argument;
    (void)thread;
    bool is_ready = sm_ready_start(&asked->ready[tree], asked->model, tree);
    return is_ready ? SMERF_OK : sm_no_memory(error, "making the trees ready");
}

static smerf_status ready_trees(sm_asked *asked, sm_crew *crew, smerf_error *error) {
    asked->ready = sm_zeros(asked->n_trees, sizeof *asked->ready);
    if (asked->ready == NULL) return sm_no_memory(error, "making the trees ready");
    return sm_crew_do(crew, asked->n_trees, ready_tree, asked, error);
}

/* ---- all together ---- */

static smerf_status prepare(sm_asked *asked, const smerf_question *question, const sm_view *rows,
                            const sm_view *columns, sm_crew *crew, smerf_error *error) {
    smerf_status status = route(asked, rows, crew, &asked->row_leaf, error);
    if (status == SMERF_OK && asked->is_square) asked->column_leaf = asked->row_leaf;
    if (status == SMERF_OK && !asked->is_square) status = route(asked, columns, crew, &asked->column_leaf, error);
    if (status == SMERF_OK && asked->is_out_of_bag) status = find_out_of_bag(asked, question->rows, rows, error);
    if (status == SMERF_OK) status = ready_trees(asked, crew, error);
    return status;
}

smerf_status sm_asked_start(sm_asked *asked, const smerf_model *model, const smerf_question *question, sm_crew *crew,
                            smerf_error *error) {
    *asked =
        (sm_asked){.model = model,
                   .n_trees = model->options.n_trees,
                   .n_rows = question->rows->n_items,
                   .is_square = question->columns == NULL,
                   .is_out_of_bag = question->out_of_bag,
                   .rule = question->oob_rule == SMERF_OOB_AS_FITTED ? model->options.oob_rule : question->oob_rule};
    asked->n_columns = asked->is_square ? asked->n_rows : question->columns->n_items;
    if (question->out_of_bag && !asked->is_square)
        return sm_fail(error, SMERF_BAD_INPUT, "out of bag is about pairs of training items: there is no second set");
    sm_view rows = {0}, columns = {0};
    smerf_status status = sm_view_match(&rows, &model->features, question->rows, error);
    if (status == SMERF_OK && !asked->is_square)
        status = sm_view_match(&columns, &model->features, question->columns, error);
    double share_to = crew->share_to; /* sending items down is quick: it does not count as progress */
    crew->share_to = crew->share_from;
    if (status == SMERF_OK) status = prepare(asked, question, &rows, &columns, crew, error);
    crew->share_to = share_to;
    sm_view_free(&rows);
    sm_view_free(&columns);
    if (status != SMERF_OK) sm_asked_free(asked);
    return status;
}

void sm_asked_free(sm_asked *asked) {
    if (!asked->is_square) sm_free(asked->column_leaf);
    sm_free(asked->row_leaf);
    sm_free(asked->place);
    sm_free(asked->row_is_out);
    for (size_t b = 0; b < asked->n_trees && asked->ready != NULL; b++) sm_ready_free(&asked->ready[b], asked->model);
    sm_free(asked->ready);
    *asked = (sm_asked){0};
}
