/* asked.c - see asked.h. */
#include "predict/asked.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "predict/answers.h"

const sm_limits sm_usual_limits = {
    .group_bytes = 512e6, .leaves_bytes = 512e6, .panel_bytes = 64e6, .most_panel_bytes = 512e6, .whole_bytes = 256e6};

/* ---- matching ---- */

static smerf_status find_out_of_bag(sm_asked *asked, const smerf_items *items, smerf_error *error) {
    const smerf_model *model = asked->model;
    if (model->options.sample == SMERF_NO_SAMPLE)
        return sm_fail(
            error, SMERF_BAD_INPUT,
            "the model was fitted with --sample none: every tree has seen every item, nothing is out of bag");
    asked->place = sm_array(items->n_items, sizeof *asked->place);
    if (asked->place == NULL) return sm_no_memory(error, "looking up out-of-bag items");
    return sm_model_find_items(model, items, &asked->rows.view, asked->place, error);
}

static smerf_status match(sm_side *side, const smerf_model *model, const smerf_items *items, smerf_error *error) {
    side->items = items;
    side->n = items->n_items;
    return sm_view_match(&side->view, &model->features, items, error);
}

static smerf_status check_trees(const smerf_model *model, size_t n_trees, smerf_error *error) {
    smerf_status status = sm_model_check_forest(model, "its first trees", error);
    if (status == SMERF_OK && n_trees > model->options.n_trees)
        status = sm_fail(error, SMERF_BAD_INPUT, "the first %zu trees are asked, and the model has %zu", n_trees,
                         model->options.n_trees);
    return status;
}

smerf_status sm_asked_start(sm_asked *asked, const smerf_model *model, const smerf_question *question,
                            const sm_limits *limits, smerf_error *error) {
    *asked =
        (sm_asked){.model = model,
                   .limits = limits,
                   .n_trees = question->n_trees > 0 ? question->n_trees : model->options.n_trees,
                   .is_square = question->columns == NULL,
                   .is_out_of_bag = question->out_of_bag,
                   .rule = question->oob_rule == SMERF_OOB_AS_FITTED ? model->options.oob_rule : question->oob_rule,
                   .fallback = NAN};
    if (question->out_of_bag && !asked->is_square)
        return sm_fail(error, SMERF_BAD_INPUT, "out of bag is about pairs of training items: there is no second set");
    smerf_status status = SMERF_OK;
    if (question->out_of_bag) status = sm_model_check_forest(model, "out of bag", error);
    if (question->n_trees > 0 && status == SMERF_OK) status = check_trees(model, question->n_trees, error);
    if (status != SMERF_OK) return status;
    if (model->target != NULL && model->target->kind->fallback != NULL)
        asked->fallback = model->target->kind->fallback(model->target);
    status = match(&asked->rows, model, question->rows, error);
    if (status == SMERF_OK && !asked->is_square) status = match(&asked->others, model, question->columns, error);
    if (status == SMERF_OK && asked->is_out_of_bag) status = find_out_of_bag(asked, question->rows, error);
    if (status != SMERF_OK) sm_asked_free(asked);
    return status;
}

smerf_status sm_side_pick(sm_side *side, const uint32_t *const *lists, uint32_t *const *places, size_t n_lists,
                          size_t n, smerf_error *error) {
    size_t n_items = side->view.n_items, n_picked = 0;
    uint32_t *where = sm_array(n_items, sizeof *where);
    if (where == NULL) return sm_no_memory(error, "picking items");
    for (size_t i = 0; i < n_items; i++) where[i] = SMERF_MISSING;
    for (size_t l = 0; l < n_lists; l++)
        for (size_t k = 0; k < n; k++) where[lists[l][k]] = 0;
    for (size_t i = 0; i < n_items; i++)
        if (where[i] != SMERF_MISSING) where[i] = (uint32_t)n_picked++;
    side->pick = sm_array(n_picked, sizeof *side->pick);
    if (side->pick == NULL) {
        sm_free(where);
        return sm_no_memory(error, "picking items");
    }
    side->n = n_picked;
    for (size_t i = 0; i < n_items; i++)
        if (where[i] != SMERF_MISSING) side->pick[where[i]] = (uint32_t)i;
    for (size_t l = 0; l < n_lists; l++)
        for (size_t k = 0; k < n; k++) places[l][k] = where[lists[l][k]];
    sm_free(where);
    return SMERF_OK;
}

smerf_status sm_asked_check_pairs(const sm_asked *asked, const uint32_t *left, const uint32_t *right, size_t n_pairs,
                                  smerf_error *error) {
    size_t n_rows = asked->rows.n, n_columns = sm_asked_columns(asked)->n;
    for (size_t p = 0; p < n_pairs; p++)
        if (left[p] >= n_rows || right[p] >= n_columns)
            return sm_fail(error, SMERF_BAD_INPUT, "pair %zu is (%u, %u), and there are %zu and %zu items", p, left[p],
                           right[p], n_rows, n_columns);
    return SMERF_OK;
}

smerf_status sm_asked_pick_pairs(sm_asked *asked, const uint32_t *left, const uint32_t *right, size_t n_pairs,
                                 uint32_t *places, smerf_error *error) {
    const uint32_t *lists[2] = {left, right};
    uint32_t *to[2] = {places, places + n_pairs};
    smerf_status status = sm_side_pick(&asked->rows, lists, to, asked->is_square ? 2 : 1, n_pairs, error);
    if (status == SMERF_OK && !asked->is_square)
        status = sm_side_pick(&asked->others, lists + 1, to + 1, 1, n_pairs, error);
    return status == SMERF_OK ? sm_asked_plan(asked, true, true, error) : status;
}

void sm_asked_free(sm_asked *asked) {
    sm_side *sides[2] = {&asked->rows, &asked->others};
    for (size_t s = 0; s < 2; s++) {
        sm_view_free(&sides[s]->view);
        sm_free(sides[s]->pick);
        sm_free(sides[s]->leaf);
    }
    sm_answers_free(asked);
    for (size_t b = asked->first; b < asked->end; b++) sm_ready_free(&asked->ready[b - asked->first], asked->model);
    sm_free(asked->ready);
    sm_free(asked->place);
    sm_free(asked->asked_for);
    sm_free(asked->is_out);
    sm_free(asked->group_first);
    *asked = (sm_asked){0};
}

/* ---- groups ---- */

/* The items that will be sent down every tree, together or one after the other. */
static size_t n_items(const sm_asked *asked) { return asked->rows.n + (asked->others.is_sent ? asked->others.n : 0); }

/* What is remembered of the items for one tree. */
static double leaves_bytes(const sm_asked *asked) {
    double bytes = asked->is_out_of_bag ? (double)asked->rows.n * sizeof *asked->is_out : 0;
    if (asked->rows.is_sent) bytes += (double)asked->rows.n * sizeof *asked->rows.leaf;
    if (asked->others.is_sent) bytes += (double)asked->others.n * sizeof *asked->others.leaf;
    return bytes;
}

/* Fills group_first, and tells the most trees that a group has and the most bytes that one takes. */
static void deal_out(sm_asked *asked, size_t *most_trees, double *most_bytes) {
    double bytes = 0, leaves = asked->keeps_leaves ? 0 : leaves_bytes(asked);
    *most_bytes = 0;
    *most_trees = 0;
    asked->n_groups = 0;
    for (size_t b = 0; b < asked->n_trees; b++) {
        double more = (double)sm_ready_bytes(asked->model, b, n_items(asked)) + leaves;
        if (b == 0 || bytes + more > asked->limits->group_bytes) {
            asked->group_first[asked->n_groups++] = b;
            bytes = 0;
        }
        bytes += more;
        if (bytes > *most_bytes) *most_bytes = bytes;
        size_t n_trees = b + 1 - asked->group_first[asked->n_groups - 1];
        if (n_trees > *most_trees) *most_trees = n_trees;
    }
    asked->group_first[asked->n_groups] = asked->n_trees;
}

/* Where each training item stands among the rows that are asked about. */
static bool turn_places_round(sm_asked *asked) {
    const sm_side *rows = &asked->rows;
    asked->asked_for = sm_array(asked->model->n_items, sizeof *asked->asked_for);
    if (asked->asked_for == NULL) return false;
    for (size_t i = 0; i < asked->model->n_items; i++) asked->asked_for[i] = SMERF_MISSING;
    for (size_t k = 0; k < rows->n; k++)
        asked->asked_for[asked->place[rows->pick != NULL ? rows->pick[k] : k]] = (uint32_t)k;
    return true;
}

smerf_status sm_asked_plan(sm_asked *asked, bool sends_rows, bool sends_columns, smerf_error *error) {
    asked->rows.is_sent = sends_rows || (sends_columns && asked->is_square);
    asked->others.is_sent = sends_columns && !asked->is_square;
    double all_leaves = (double)asked->n_trees * leaves_bytes(asked), bytes;
    size_t n_trees;
    asked->keeps_leaves = all_leaves <= asked->limits->leaves_bytes;
    asked->group_first = sm_array(sm_size(asked->n_trees, 1, 1), sizeof *asked->group_first);
    if (asked->group_first == NULL) return sm_no_memory(error, "making the trees ready");
    deal_out(asked, &n_trees, &bytes);
    if (asked->keeps_leaves) bytes += all_leaves;
    smerf_status status = sm_check_memory(bytes, "making the trees ready", error);
    if (status != SMERF_OK) return status;

    asked->ready = sm_zeros(n_trees, sizeof *asked->ready);
    bool has_room = asked->ready != NULL;
    if (asked->keeps_leaves) n_trees = asked->n_trees;
    sm_side *sides[2] = {&asked->rows, &asked->others};
    for (size_t s = 0; s < 2 && has_room; s++) {
        if (!sides[s]->is_sent) continue;
        sides[s]->leaf = sm_array(sm_size(n_trees, sides[s]->n, 0), sizeof *sides[s]->leaf);
        has_room = sides[s]->leaf != NULL;
    }
    if (has_room && asked->is_out_of_bag) {
        asked->is_out = sm_array(sm_size(n_trees, asked->rows.n, 0), sizeof *asked->is_out);
        has_room = asked->is_out != NULL && turn_places_round(asked);
    }
    return has_room ? SMERF_OK : sm_no_memory(error, "making the trees ready");
}

/* ---- one group brought to hand ---- */

typedef struct group_job {
    sm_asked *asked;
    bool sends;                         /* leaf and is_out are not known yet */
    size_t first, end;                  /* trees that items are sent down */
    size_t n_row_tasks, n_column_tasks; /* of a batch of trees */
} group_job;

static void mark_out_of_bag(sm_asked *asked, size_t b) {
    const sm_tree *tree = &asked->model->trees[b];
    bool *is_out = asked->is_out + (asked->keeps_leaves ? b : b - asked->first) * asked->rows.n;
    memset(is_out, true, asked->rows.n * sizeof *is_out);
    for (size_t member = 0; member < sm_tree_n_members(tree); member++) {
        uint32_t row = asked->asked_for[tree->member_item[member]];
        if (row != SMERF_MISSING) is_out[row] = false;
    }
}

static smerf_status ready_tree(void *argument, size_t task, size_t thread, smerf_error *error) {
    group_job *job = argument;
    sm_asked *asked = job->asked;
    (void)thread;
    if (job->sends && asked->is_out_of_bag) mark_out_of_bag(asked, asked->first + task);
    bool is_ready = sm_ready_start(&asked->ready[task], asked->model, asked->first + task, n_items(asked));
    return is_ready ? SMERF_OK : sm_no_memory(error, "making the trees ready");
}

static smerf_status send_some(void *argument, size_t task, size_t thread, smerf_error *error) {
    group_job *job = argument;
    sm_asked *asked = job->asked;
    (void)thread;
    sm_side *side = task < job->n_row_tasks ? &asked->rows : &asked->others;
    size_t first = (task < job->n_row_tasks ? task : task - job->n_row_tasks) * SM_PACK_ITEMS;
    size_t end = first + SM_PACK_ITEMS < side->n ? first + SM_PACK_ITEMS : side->n;
    sm_pack pack;
    if (!sm_pack_start(&pack, &side->view, side->pick, first, end)) return sm_no_memory(error, "predicting");
    for (size_t b = job->first; b < job->end; b++) {
        uint32_t *leaf = side->leaf + (asked->keeps_leaves ? b : b - asked->first) * side->n;
        sm_descend_packed(&sm_asked_ready(asked, b)->descent, &pack, leaf + first);
    }
    sm_pack_free(&pack);
    return SMERF_OK;
}

static size_t n_tasks_for(const sm_side *side) {
    return side->is_sent ? (side->n + SM_PACK_ITEMS - 1) / SM_PACK_ITEMS : 0;
}

static smerf_status make_ready(group_job *job, sm_crew *crew, smerf_error *error) {
    sm_asked *asked = job->asked;
    smerf_status status = sm_crew_do(crew, asked->end - asked->first, ready_tree, job, error);
    job->n_row_tasks = n_tasks_for(&asked->rows);
    job->n_column_tasks = n_tasks_for(&asked->others);
    for (size_t b = asked->first; b < asked->end && job->sends && status == SMERF_OK; b = job->end) {
        job->first = b;
        job->end = sm_descent_batch_end(asked->model->trees, b, asked->end);
        status = sm_crew_do(crew, job->n_row_tasks + job->n_column_tasks, send_some, job, error);
    }
    return status;
}

smerf_status sm_asked_turn(sm_asked *asked, size_t group, sm_crew *crew, smerf_error *error) {
    size_t first = asked->group_first[group], end = asked->group_first[group + 1];
    if (asked->first == first && asked->end == end) return SMERF_OK;
    for (size_t b = asked->first; b < asked->end; b++) sm_ready_free(&asked->ready[b - asked->first], asked->model);
    asked->first = first;
    asked->end = end;
    group_job job = {.asked = asked, .sends = !asked->keeps_leaves || end > asked->n_sent};
    double share_to = crew->share_to; /* this is quick: it does not count as progress */
    crew->share_to = crew->share_from;
    smerf_status status = make_ready(&job, crew, error);
    crew->share_to = share_to;
    if (status == SMERF_OK && end > asked->n_sent) asked->n_sent = end;
    return status;
}

void sm_asked_row_leaves(const sm_asked *asked, size_t b, size_t first, size_t end, uint32_t *leaf) {
    const sm_side *rows = &asked->rows;
    if (rows->is_sent)
        memcpy(leaf, sm_asked_leaves(asked, rows, b) + first, (end - first) * sizeof *leaf);
    else
        sm_descend(&sm_asked_ready(asked, b)->descent, &rows->view, rows->pick, first, end, leaf);
}

/* ---- who speaks ---- */

bool sm_asked_all_speak(const sm_asked *asked) {
    const smerf_model *model = asked->model;
    if (model->method != NULL) return true;
    return !asked->is_out_of_bag && model->options.self_distance != SMERF_SELF_EXCLUDE &&
           !model->target->kind->may_be_silent;
}

/* ---- room ---- */

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
