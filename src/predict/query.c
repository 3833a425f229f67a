/* query.c - makes a request ready: matches items, finds trees out of bag, plans groups of trees: see query.h. */
#include "predict/query.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "predict/predictor.h"

const sm_limits sm_usual_limits = {
    .group_bytes = 512e6, .leaves_bytes = 512e6, .panel_bytes = 64e6, .most_panel_bytes = 512e6, .whole_bytes = 256e6};

/* ---- matching ---- */

static smerf_status find_out_of_bag(sm_query *query, const smerf_items *items, smerf_error *error) {
    const smerf_model *model = query->model;
    if (model->method == NULL && model->options.sample == SMERF_NO_SAMPLE)
        return sm_fail(
            error, SMERF_BAD_INPUT,
            "the model was fitted with {sample none}: every tree has seen every item, nothing is out of bag");
    query->training_row = sm_array(items->n_items, sizeof *query->training_row);
    if (query->training_row == NULL) return sm_no_memory(error, "looking up out-of-bag items");
    return sm_model_find_items(model, items, &query->rows.view, query->training_row, error);
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

/* The same request to the model that predictions start from, if there is one. */
static smerf_status start_base(sm_query *query, const smerf_request *request, smerf_error *error) {
    const smerf_model *model = query->model;
    bool may_have = model->method != NULL && model->method->base_of != NULL;
    const smerf_model *base = may_have ? model->method->base_of(model->learned) : NULL;
    if (base == NULL) return SMERF_OK;
    const smerf_request same = SMERF_INIT(smerf_request, .rows = request->rows, .columns = request->columns,
                                          .out_of_bag = request->out_of_bag);
    query->base = sm_zeros(1, sizeof *query->base);
    if (query->base == NULL) return sm_no_memory(error, "predicting");
    return sm_query_start(query->base, base, &same, query->limits, error);
}

smerf_status sm_query_start(sm_query *query, const smerf_model *model, const smerf_request *request,
                            const sm_limits *limits, smerf_error *error) {
    *query = (sm_query){.model = model,
                        .limits = limits,
                        .n_trees = request->n_trees > 0 ? request->n_trees : model->options.n_trees,
                        .is_square = request->columns == NULL,
                        .is_out_of_bag = request->out_of_bag,
                        .rule = request->oob_rule == SMERF_OOB_AS_FITTED ? model->options.oob_rule : request->oob_rule,
                        .fallback = NAN,
                        .prepared = request->out_of_bag ? NULL : sm_prepared_of(model)};
    if (request->out_of_bag && !query->is_square)
        return sm_fail(error, SMERF_BAD_INPUT, "out of bag is about pairs of training items: there is no second set");
    smerf_status status = SMERF_OK;
    if (request->out_of_bag) status = sm_model_check_out_of_bag(model, error);
    if (request->n_trees > 0 && status == SMERF_OK) status = check_trees(model, request->n_trees, error);
    if (status != SMERF_OK) return status;
    if (model->target != NULL && model->target->kind->predicting.fallback != NULL)
        query->fallback = sm_shrunk(&model->shrinkage, model->target->kind->predicting.fallback(model->target));
    status = match(&query->rows, model, request->rows, error);
    if (status == SMERF_OK && !query->is_square) status = match(&query->others, model, request->columns, error);
    if (status == SMERF_OK && query->is_out_of_bag) status = find_out_of_bag(query, request->rows, error);
    if (status == SMERF_OK) status = start_base(query, request, error);
    if (status != SMERF_OK) sm_query_free(query);
    return status;
}

smerf_status sm_query_start_kept(sm_query *query, const smerf_model *model, const smerf_items *rows,
                                 const sm_kept_items *kept, const sm_limits *limits, smerf_error *error) {
    smerf_status status = sm_query_start(query, model, &SMERF_INIT(smerf_request, .rows = rows), limits, error);
    if (status != SMERF_OK) return status;
    query->is_square = false;
    query->others = (sm_side){.n = kept->n, .kept = kept->leaf, .kept_step = kept->step};
    if (kept->prepared != NULL) query->prepared = kept->prepared;
    return SMERF_OK;
}

smerf_status sm_side_pick(sm_side *side, const uint32_t *const *lists, uint32_t *const *indices, size_t n_lists,
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
        for (size_t k = 0; k < n; k++) indices[l][k] = where[lists[l][k]];
    sm_free(where);
    return SMERF_OK;
}

smerf_status sm_query_check_pairs(const sm_query *query, const uint32_t *left, const uint32_t *right, size_t n_pairs,
                                  smerf_error *error) {
    size_t n_rows = query->rows.n, n_columns = sm_query_columns(query)->n;
    for (size_t p = 0; p < n_pairs; p++)
        if (left[p] >= n_rows || right[p] >= n_columns)
            return sm_fail(error, SMERF_BAD_INPUT, "pair %zu is (%u, %u), and there are %zu and %zu items", p, left[p],
                           right[p], n_rows, n_columns);
    return SMERF_OK;
}

smerf_status sm_query_pick_pairs(sm_query *query, const uint32_t *left, const uint32_t *right, size_t n_pairs,
                                 uint32_t *indices, smerf_error *error) {
    const uint32_t *lists[2] = {left, right};
    uint32_t *to[2] = {indices, indices + n_pairs};
    smerf_status status = sm_side_pick(&query->rows, lists, to, query->is_square ? 2 : 1, n_pairs, error);
    if (status == SMERF_OK && !query->is_square)
        status = sm_side_pick(&query->others, lists + 1, to + 1, 1, n_pairs, error);
    return status == SMERF_OK ? sm_query_plan(query, true, true, error) : status;
}

/* What is at hand. */
static void put_away(sm_query *query) {
    for (size_t b = query->first; b < query->end && query->prepared == NULL; b++)
        sm_ready_free(&query->ready[b - query->first], query->model);
}

void sm_query_free(sm_query *query) {
    sm_side *sides[2] = {&query->rows, &query->others};
    for (size_t s = 0; s < 2; s++) {
        sm_view_free(&sides[s]->view);
        sm_free(sides[s]->pick);
        sm_free(sides[s]->leaf);
    }
    sm_predictor_free(query);
    put_away(query);
    if (query->base != NULL) sm_query_free(query->base);
    sm_free(query->base);
    sm_free(query->ready);
    sm_free(query->training_row);
    sm_free(query->query_for);
    sm_free(query->is_out);
    sm_free(query->group_first);
    *query = (sm_query){0};
}

/* ---- groups ---- */

/* The items that will be sent down every tree, together or one after the other. */
static size_t n_items(const sm_query *query) { return query->rows.n + (query->others.is_sent ? query->others.n : 0); }

/* What is remembered of the items for one tree. */
static double leaves_bytes(const sm_query *query) {
    double bytes = query->is_out_of_bag ? (double)query->rows.n * sizeof *query->is_out : 0;
    if (query->rows.is_sent) bytes += (double)query->rows.n * sizeof *query->rows.leaf;
    if (query->others.is_sent) bytes += (double)query->others.n * sizeof *query->others.leaf;
    return bytes;
}

/* Fills group_first, and tells the most trees that a group has and the most bytes that one takes. */
static void deal_out(sm_query *query, size_t *most_trees, double *most_bytes) {
    double bytes = 0, leaves = query->keeps_leaves ? 0 : leaves_bytes(query);
    *most_bytes = 0;
    *most_trees = 0;
    query->n_groups = 0;
    for (size_t b = 0; b < query->n_trees; b++) {
        double more = leaves;
        if (query->prepared == NULL) more += (double)sm_ready_bytes(query->model, b, n_items(query));
        if (b == 0 || bytes + more > query->limits->group_bytes) {
            query->group_first[query->n_groups++] = b;
            bytes = 0;
        }
        bytes += more;
        if (bytes > *most_bytes) *most_bytes = bytes;
        size_t n_trees = b + 1 - query->group_first[query->n_groups - 1];
        if (n_trees > *most_trees) *most_trees = n_trees;
    }
    query->group_first[query->n_groups] = query->n_trees;
}

/* Where each training item stands among the rows that are asked about. */
static bool find_query_rows(sm_query *query) {
    const sm_side *rows = &query->rows;
    query->query_for = sm_array(query->model->n_items, sizeof *query->query_for);
    if (query->query_for == NULL) return false;
    for (size_t i = 0; i < query->model->n_items; i++) query->query_for[i] = SMERF_MISSING;
    for (size_t k = 0; k < rows->n; k++)
        query->query_for[query->training_row[rows->pick != NULL ? rows->pick[k] : k]] = (uint32_t)k;
    return true;
}

smerf_status sm_query_plan(sm_query *query, bool sends_rows, bool sends_columns, smerf_error *error) {
    query->rows.is_sent = sends_rows || (sends_columns && query->is_square);
    query->others.is_sent = sends_columns && !query->is_square && query->others.kept == NULL;
    double all_leaves = (double)query->n_trees * leaves_bytes(query), bytes;
    size_t n_trees;
    query->keeps_leaves = all_leaves <= query->limits->leaves_bytes;
    if (!query->keeps_leaves) query->prepared = NULL; /* then the trees come in groups */
    query->group_first = sm_array(sm_size(query->n_trees, 1, 1), sizeof *query->group_first);
    if (query->group_first == NULL) return sm_no_memory(error, "making the trees ready");
    deal_out(query, &n_trees, &bytes);
    if (query->keeps_leaves) bytes += all_leaves;
    smerf_status status = sm_check_memory(bytes, "making the trees ready", error);
    if (status != SMERF_OK) return status;

    query->ready = sm_zeros(n_trees, sizeof *query->ready);
    bool has_memory = query->ready != NULL;
    if (query->keeps_leaves) n_trees = query->n_trees;
    sm_side *sides[2] = {&query->rows, &query->others};
    for (size_t s = 0; s < 2 && has_memory; s++) {
        if (!sides[s]->is_sent) continue;
        sides[s]->leaf = sm_array(sm_size(n_trees, sides[s]->n, 0), sizeof *sides[s]->leaf);
        has_memory = sides[s]->leaf != NULL;
    }
    if (has_memory && query->is_out_of_bag) {
        query->is_out = sm_array(sm_size(n_trees, query->rows.n, 0), sizeof *query->is_out);
        has_memory = query->is_out != NULL && find_query_rows(query);
    }
    return has_memory ? SMERF_OK : sm_no_memory(error, "making the trees ready");
}

/* ---- one group brought to hand ---- */

typedef struct group_job {
    sm_query *query;
    bool sends;                         /* leaf and is_out are not known yet */
    size_t first, end;                  /* trees that items are sent down */
    size_t n_row_tasks, n_column_tasks; /* of a batch of trees */
} group_job;

static void mark_out_of_bag(sm_query *query, size_t b) {
    const sm_tree *tree = &query->model->trees[b];
    bool *is_out = query->is_out + (query->keeps_leaves ? b : b - query->first) * query->rows.n;
    memset(is_out, true, query->rows.n * sizeof *is_out);
    for (size_t member = 0; member < sm_tree_n_members(tree); member++) {
        uint32_t row = query->query_for[tree->member_item[member]];
        if (row != SMERF_MISSING) is_out[row] = false;
    }
}

static smerf_status ready_tree(void *argument, size_t task, size_t thread, smerf_error *error) {
    group_job *job = argument;
    sm_query *query = job->query;
    (void)thread;
    if (job->sends && query->is_out_of_bag) mark_out_of_bag(query, query->first + task);
    bool is_ready = sm_ready_start(&query->ready[task], query->model, query->first + task, n_items(query));
    return is_ready ? SMERF_OK : sm_no_memory(error, "making the trees ready");
}

static smerf_status send_some(void *argument, size_t task, size_t thread, smerf_error *error) {
    group_job *job = argument;
    sm_query *query = job->query;
    (void)thread;
    sm_side *side = task < job->n_row_tasks ? &query->rows : &query->others;
    size_t first = (task < job->n_row_tasks ? task : task - job->n_row_tasks) * SM_PACK_ITEMS;
    size_t end = first + SM_PACK_ITEMS < side->n ? first + SM_PACK_ITEMS : side->n;
    sm_pack pack;
    if (!sm_pack_start(&pack, &side->view, side->pick, first, end)) return sm_no_memory(error, "predicting");
    for (size_t b = job->first; b < job->end; b++) {
        uint32_t *leaf = side->leaf + (query->keeps_leaves ? b : b - query->first) * side->n;
        sm_descend_packed(&sm_query_ready(query, b)->descent, &pack, leaf + first);
    }
    sm_pack_free(&pack);
    return SMERF_OK;
}

static size_t n_tasks_for(const sm_side *side) {
    return side->is_sent ? (side->n + SM_PACK_ITEMS - 1) / SM_PACK_ITEMS : 0;
}

static smerf_status make_ready(group_job *job, sm_pool *pool, smerf_error *error) {
    sm_query *query = job->query;
    smerf_status status = SMERF_OK;
    if (query->prepared != NULL)
        memcpy(query->ready, query->prepared + query->first, (query->end - query->first) * sizeof *query->ready);
    else
        status = sm_pool_run(pool, query->end - query->first, ready_tree, job, error);
    job->n_row_tasks = n_tasks_for(&query->rows);
    job->n_column_tasks = n_tasks_for(&query->others);
    for (size_t b = query->first; b < query->end && job->sends && status == SMERF_OK; b = job->end) {
        job->first = b;
        job->end = sm_descent_batch_end(query->model->trees, b, query->end);
        status = sm_pool_run(pool, job->n_row_tasks + job->n_column_tasks, send_some, job, error);
    }
    return status;
}

smerf_status sm_query_turn(sm_query *query, size_t group, sm_pool *pool, smerf_error *error) {
    size_t first = query->group_first[group], end = query->group_first[group + 1];
    if (query->first == first && query->end == end) return SMERF_OK;
    put_away(query);
    query->first = first;
    query->end = end;
    group_job job = {.query = query, .sends = !query->keeps_leaves || end > query->n_sent};
    double fraction_to = pool->fraction_to; /* this is quick: it does not count as progress */
    pool->fraction_to = pool->fraction_from;
    smerf_status status = make_ready(&job, pool, error);
    pool->fraction_to = fraction_to;
    if (status == SMERF_OK && end > query->n_sent) query->n_sent = end;
    return status;
}

void sm_query_row_leaves(const sm_query *query, size_t b, size_t first, size_t end, uint32_t *leaf) {
    const sm_side *rows = &query->rows;
    if (rows->is_sent)
        memcpy(leaf, sm_query_leaves(query, rows, b) + first, (end - first) * sizeof *leaf);
    else
        sm_descend(&sm_query_ready(query, b)->descent, &rows->view, rows->pick, first, end, leaf);
}

/* ---- who speaks ---- */

/* Left out of every leaf, own distances leave nothing only where a tree has but one item, if all pairs are known. */
static bool has_pairs_in_every_tree(const sm_query *query) {
    for (size_t b = 0; b < query->n_trees; b++)
        if (sm_tree_n_members(&query->model->trees[b]) < 2) return false;
    return true;
}

bool sm_query_uses_all_trees(const sm_query *query) {
    const smerf_model *model = query->model;
    if (model->method != NULL) return true;
    if (query->is_out_of_bag || model->target->kind->predicting.may_be_undefined) return false;
    return model->options.self_distance != SMERF_SELF_EXCLUDE || has_pairs_in_every_tree(query);
}

/* ---- memory ---- */

bool sm_leaf_scratch_start(sm_leaf_scratch *scratch, const smerf_model *model) {
    size_t n_members = sm_model_most_members(model), n_leaves = sm_model_most_leaves(model);
    *scratch = (sm_leaf_scratch){0};
    scratch->row = sm_arena_take(&scratch->arena, n_leaves, sizeof *scratch->row);
    scratch->scratch = sm_arena_take(&scratch->arena, n_members, sizeof *scratch->scratch);
    return !scratch->arena.has_failed;
}

void sm_leaf_scratch_free(sm_leaf_scratch *scratch) { sm_arena_free(&scratch->arena); }

bool sm_leaf_table_start(sm_leaf_table *table, const smerf_model *model) {
    *table = (sm_leaf_table){0};
    table->distances = sm_array(SM_FEW_LEAVES * SM_FEW_LEAVES, sizeof *table->distances);
    return sm_leaf_scratch_start(&table->leaf, model) && table->distances != NULL;
}

void sm_leaf_table_free(sm_leaf_table *table) {
    sm_leaf_scratch_free(&table->leaf);
    sm_free(table->distances);
}

void sm_leaf_table_turn(sm_leaf_table *table, bool keeps_rows) {
    table->keeps_rows = keeps_rows;
    memset(table->has_row, 0, sizeof table->has_row);
}

double sm_leaf_table_distance(sm_leaf_table *table, const smerf_model *model, const sm_ready *ready, size_t from,
                              size_t to) {
    const sm_predicting *kind = &model->target->kind->predicting;
    const sm_leaves *leaves = &ready->leaves;
    if (from == to && ready->self != NULL) return ready->self[from];
    if (!table->keeps_rows) return kind->leaf_pair(model->target, leaves, from, to);
    double *row = table->distances + from * leaves->n;
    if (!table->has_row[from]) kind->leaf_row(model->target, leaves, from, row, table->leaf.scratch);
    table->has_row[from] = true;
    return row[to];
}
