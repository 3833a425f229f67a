/* tree_builder.c - grows one tree, or a branch of one.
 *
 * A node is a slice of one array of slots, in ascending order; splitting it reorders the slice in place, keeping the
 * order on both sides. Nodes are visited depth first, left before right, from a stack of slices, which is preorder: the
 * order in which a tree is kept. Where to cut is the splitter's business; when to stop is decided here. */
#include "train/grow/tree_builder.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "base/sort.h"
#include "train/split/splitter.h"

#define NO_PARENT SIZE_MAX
#define SPLIT_ABOVE (SIZE_MAX - 1) /* in the branch that this one was taken from */

/* So many small nodes may go along with a large one that is left to another thread. */
enum { MOST_SMALL = 16 };

typedef struct pending {
    size_t first, end; /* the slice */
    size_t depth;
    size_t parent;   /* the split whose right child this is, or NO_PARENT */
    size_t owed;     /* the split from whose gain the cost of this node has yet to be taken, or one of the above */
    size_t view;     /* of the target, see sm_engine.enter */
    uint64_t stream; /* of the node's own random stream */
} pending;

struct sm_tree_builder {
    sm_arena arena; /* holds the arrays below, all but the tree and the stack */
    const sm_problem *problem;
    sm_search *search;
    sm_sorted sorted;
    sm_splitter splitter;
    sm_slots slots;
    uint32_t *draws;      /* [n_items, or n_slots if that is more] of this tree; once its slots are filled, scratch for
                             slots.c and for sorted.c, in turns */
    uint32_t *node_items; /* [most_in_bag] of the node that is grown, where someone needs them */
    double *node_weight;  /* [most_in_bag] likewise */
    sm_branch *branch;    /* that grows now */
    pending *stack;
    size_t stack_size, n_pending;
    size_t n_others; /* those at the bottom of the stack, which others grow */
    sm_tree grown;   /* with capacity for the largest tree; moved to the branch when it is done */
    bool has_categories;
    size_t terms_size, levels_size;
    size_t n_terms, n_levels; /* of sets that go left */
};

static smerf_status start_search(sm_tree_builder *builder, smerf_kernels kernels, smerf_error *error) {
    const sm_problem *problem = builder->problem;
    sm_search_size size = sm_problem_search_size(problem);
    size.n_slots = sm_slots_needed(problem);
    size.kernels = kernels;
    builder->search = problem->engine->search_new(problem->target, &size, error);
    return builder->search != NULL ? SMERF_OK : SMERF_NO_MEMORY;
}

smerf_status sm_tree_builder_new(const sm_problem *problem, smerf_kernels kernels, sm_tree_builder **out,
                                 smerf_error *error) {
    sm_tree_builder *builder = sm_zeros(1, sizeof *builder);
    if (builder == NULL) return sm_no_memory(error, "preparing to grow trees");
    size_t n = problem->most_in_bag;
    builder->problem = problem;
    size_t n_slots = sm_slots_needed(problem);
    builder->draws =
        sm_arena_take(&builder->arena, n_slots > problem->n_items ? n_slots : problem->n_items, sizeof *builder->draws);
    builder->node_items = sm_arena_take(&builder->arena, n, sizeof *builder->node_items);
    builder->node_weight =
        sm_arena_take(&builder->arena, problem->engine->lists_slots ? 0 : n, sizeof *builder->node_weight);
    smerf_status status = SMERF_OK;
    if (builder->arena.has_failed) status = sm_no_memory(error, "preparing to grow trees");
    if (status == SMERF_OK) status = start_search(builder, kernels, error);
    if (status == SMERF_OK) status = sm_slots_start(&builder->slots, problem, builder->search, builder->draws, error);
    if (status == SMERF_OK)
        status = sm_sorted_start(&builder->sorted, problem, n_slots, builder->draws, kernels, error);
    const sm_splitter given = {
        .problem = problem, .search = builder->search, .sorted = &builder->sorted, .slots = &builder->slots};
    if (status == SMERF_OK) status = sm_splitter_start(&builder->splitter, &given, error);
    if (status == SMERF_OK)
        *out = builder;
    else
        sm_tree_builder_free(builder);
    return status;
}

void sm_tree_builder_free(sm_tree_builder *builder) {
    if (builder == NULL) return;
    sm_splitter_free(&builder->splitter);
    sm_sorted_free(&builder->sorted);
    sm_slots_free(&builder->slots);
    if (builder->search != NULL) builder->problem->engine->search_free(builder->search);
    sm_tree_free(&builder->grown);
    sm_arena_free(&builder->arena);
    sm_free(builder->stack);
    sm_free(builder);
}

static bool push_node(sm_tree_builder *builder, pending node) {
    if (!sm_grow((void **)&builder->stack, &builder->stack_size, builder->n_pending + 1, sizeof *builder->stack))
        return false;
    builder->stack[builder->n_pending++] = node;
    return true;
}

/* ---- a tree, or a branch of one ---- */

static size_t number_of(const sm_tree_builder *builder) {
    return builder->problem->options->first_tree + builder->branch->tree;
}

/* Finds the items of the branch, and puts its node on the stack. */
static bool start_branch(sm_tree_builder *builder, sm_branch *branch) {
    const sm_problem *problem = builder->problem;
    sm_tree *tree = &builder->grown;
    bool is_whole = branch->from == NULL;
    builder->branch = branch;
    builder->has_categories = sm_problem_most_levels(problem) > 0;
    if (!sm_branch_reserve(tree, is_whole ? problem->most_in_bag : branch->n, builder->has_categories)) return false;
    if (is_whole) {
        sm_sample_draw(problem, number_of(builder), builder->draws);
        if (!sm_slots_fill(&builder->slots, builder->draws)) return false; /* see problem.c: never */
    } else {
        sm_slots_take(&builder->slots, branch->items, branch->draws, branch->n);
    }
    sm_sorted_clear(&builder->sorted);
    tree->n_nodes = tree->n_splits = tree->n_leaves = 0;
    tree->first_term[0] = tree->first_member[0] = 0;
    if (builder->has_categories) tree->first_left[0] = 0;
    builder->n_terms = builder->n_levels = builder->n_pending = builder->n_others = 0;
    return push_node(builder, (pending){.end = builder->slots.n_in_bag,
                                        .depth = branch->depth,
                                        .parent = NO_PARENT,
                                        .owed = branch->is_owed ? SPLIT_ABOVE : NO_PARENT,
                                        .stream = is_whole ? SM_STREAM_ROOT : branch->stream});
}

/* The rules that need no look at the distances. */
static bool must_be_leaf(const sm_tree_builder *builder, const pending *node) {
    const smerf_options *options = builder->problem->options;
    const sm_slots *slots = &builder->slots;
    if (node->end - node->first < 2 || node->depth >= options->max_depth) return true;
    if (node->end - node->first >= options->min_parent) return false;
    size_t n_draws = 0;
    for (size_t k = node->first; k < node->end; k++) n_draws += slots->draws[slots->order[k]];
    return n_draws < options->min_parent;
}

/* Puts the slots of a leaf in the order of their items. Costs are done with: their scratch is free. */
static void sort_leaf(sm_tree_builder *builder, uint32_t *leaf, size_t n) {
    const sm_line_scratch *scratch = &builder->splitter.usual;
    uint64_t *keys = (uint64_t *)(void *)scratch->costs;
    if (n < 2) return;
    for (size_t k = 0; k < n; k++) keys[k] = sm_pack_rank(builder->slots.items[leaf[k]], leaf[k]);
    sm_sort_packed(keys, n, (uint64_t *)(void *)scratch->other_side);
    for (size_t k = 0; k < n; k++) leaf[k] = sm_packed_index(keys[k]);
}

static void add_leaf(sm_tree_builder *builder, const pending *node) {
    sm_tree *tree = &builder->grown;
    const sm_slots *slots = &builder->slots;
    size_t member = tree->first_member[tree->n_leaves];
    if (builder->problem->near_order != NULL) sort_leaf(builder, slots->order + node->first, node->end - node->first);
    for (size_t k = node->first; k < node->end; k++, member++) {
        tree->member_item[member] = slots->items[slots->order[k]];
        tree->member_draws[member] = slots->draws[slots->order[k]];
    }
    tree->is_leaf[tree->n_nodes] = true;
    tree->index[tree->n_nodes++] = (uint32_t)tree->n_leaves++;
    tree->first_member[tree->n_leaves] = (uint32_t)member;
}

static bool grow_terms(sm_tree_builder *builder, size_t n_more) {
    sm_tree *tree = &builder->grown;
    size_t needed = builder->n_terms + n_more, size = builder->terms_size, same = size, also = size;
    if (!sm_grow((void **)&tree->term_feature, &same, needed, sizeof *tree->term_feature)) return false;
    if (builder->has_categories && !sm_grow((void **)&tree->term_level, &also, needed, sizeof *tree->term_level))
        return false;
    if (!sm_grow((void **)&tree->term_weight, &size, needed, sizeof *tree->term_weight)) return false;
    builder->terms_size = size;
    return true;
}

static bool add_split(sm_tree_builder *builder, const sm_split *split) {
    sm_tree *tree = &builder->grown;
    const sm_directions *directions = &builder->splitter.directions;
    const sm_direction *direction = split->direction;
    size_t s = tree->n_splits;
    if (!grow_terms(builder, direction->n_terms)) return false;
    if (!sm_grow((void **)&tree->left_level, &builder->levels_size, builder->n_levels + split->n_left_levels,
                 sizeof *tree->left_level))
        return false;
    for (size_t t = direction->first_term; t < direction->first_term + direction->n_terms; t++) {
        tree->term_feature[builder->n_terms] = directions->term_feature[t];
        if (builder->has_categories) tree->term_level[builder->n_terms] = directions->term_level[t];
        tree->term_weight[builder->n_terms++] = directions->term_weight[t];
    }
    for (size_t i = 0; i < split->n_left_levels; i++) tree->left_level[builder->n_levels++] = split->left_levels[i];
    sm_keep_gap(tree, s, split->gap);
    tree->gain[s] = split->gain;
    tree->missing_left[s] = split->missing_left;
    tree->is_category[s] = direction->is_category;
    tree->first_term[s + 1] = (uint32_t)builder->n_terms;
    if (builder->has_categories) tree->first_left[s + 1] = (uint32_t)builder->n_levels;
    tree->is_leaf[tree->n_nodes] = false;
    tree->index[tree->n_nodes++] = (uint32_t)tree->n_splits++;
    return true;
}

/* Reorders the node's slots and lists; returns where the right side starts. */
static size_t part_node(sm_tree_builder *builder, const pending *node, const bool *goes_left) {
    uint32_t *spare = (uint32_t *)(void *)builder->splitter.candidates.scratch->costs; /* done with */
    size_t n_left =
        sm_part_slots(&builder->sorted, builder->slots.order + node->first, node->end - node->first, goes_left, spare);
    bool are_leaves = node->depth + 1 >= builder->problem->options->max_depth;
    if (!are_leaves) sm_sorted_part(&builder->sorted, goes_left);
    return node->first + n_left;
}

/* Turns to a node.   view  of the target: in, that of its parent; out, that of its children */
static void enter_node(sm_tree_builder *builder, sm_node *node, size_t *view) {
    const sm_engine *engine = builder->problem->engine;
    if (!engine->lists_slots) {
        for (size_t k = 0; k < node->n; k++)
            node->total += builder->node_weight[k] = builder->slots.weight[node->slots[k]];
        node->weight = builder->node_weight;
    }
    if (engine->enter != NULL) *view = engine->enter(builder->search, node, *view);
}

/* Engines may know items by their slots. Others need them, and so do sorting and looking whether all have the same number. */
static bool may_need_items(const sm_tree_builder *builder, const pending *node) {
    return !builder->problem->engine->lists_slots || !sm_sorted_holds(&builder->sorted, node->first) ||
           builder->splitter.may_be_alike != 0;
}

/* Takes the cost of a node from the gain of the split above, where that was left open. */
static void pay_cost(sm_tree_builder *builder, const pending *node, double cost) {
    if (node->owed == SPLIT_ABOVE)
        builder->branch->cost = cost;
    else if (node->owed != NO_PARENT)
        builder->grown.gain[node->owed] -= cost;
}

/* The same for a node that was entered, but not priced. */
static void find_and_pay_cost(sm_tree_builder *builder, const pending *node, const sm_node *query) {
    if (node->owed != NO_PARENT) pay_cost(builder, node, builder->problem->engine->cost(builder->search, query));
}

/* A leaf by rule is entered only if someone wants to know what it costs. */
static void add_leaf_by_rule(sm_tree_builder *builder, const pending *node) {
    sm_node query = {
        .items = builder->node_items, .n = node->end - node->first, .slots = builder->slots.order + node->first};
    size_t view = node->view;
    add_leaf(builder, node);
    if (node->owed == NO_PARENT) return;
    for (size_t k = 0; k < query.n; k++) builder->node_items[k] = builder->slots.items[query.slots[k]];
    enter_node(builder, &query, &view);
    find_and_pay_cost(builder, node, &query);
}

/* Grows one node: a leaf, or a split with two more nodes on the stack. False: no memory. */
static bool grow_node(sm_tree_builder *builder, const pending *node) {
    const sm_problem *problem = builder->problem;
    if (must_be_leaf(builder, node)) {
        add_leaf_by_rule(builder, node);
        return true;
    }
    sm_node query = {
        .items = builder->node_items, .n = node->end - node->first, .slots = builder->slots.order + node->first};
    size_t view = node->view;
    sm_slots_turn(&builder->slots, node->first, query.n, &builder->sorted);
    builder->splitter.may_be_alike = sm_slots_alike(&builder->slots, node->first, query.n);
    for (size_t k = 0; k < query.n && may_need_items(builder, node); k++)
        builder->node_items[k] = builder->slots.items[query.slots[k]];
    enter_node(builder, &query, &view);
    bool is_pure = problem->engine->is_pure(builder->search, &query);
    sm_sorted_turn(&builder->sorted, &query, node->first);
    sm_random random;
    sm_random_start(&random, problem->options->seed, (uint32_t)number_of(builder), node->stream);
    sm_split split;
    if (is_pure || !sm_splitter_best(&builder->splitter, &query, &random, &split)) {
        find_and_pay_cost(builder, node, &query);
        add_leaf(builder, node);
        return true;
    }
    pay_cost(builder, node, split.node_cost);
    if (!add_split(builder, &split)) return false;
    size_t middle = part_node(builder, node, split.goes_left);
    pending left = {.first = node->first,
                    .end = middle,
                    .depth = node->depth + 1,
                    .parent = NO_PARENT,
                    .owed = split.is_open ? builder->grown.n_splits - 1 : NO_PARENT,
                    .view = view,
                    .stream = sm_random_child(node->stream, 0)};
    pending right = {.first = middle,
                     .end = node->end,
                     .depth = node->depth + 1,
                     .parent = builder->grown.n_splits - 1,
                     .owed = left.owed,
                     .view = view,
                     .stream = sm_random_child(node->stream, 1)};
    return push_node(builder, right) && push_node(builder, left);
}

/* ---- what others do ---- */

static size_t n_items_of(const pending *node) { return node->end - node->first; }

static bool leave_branch(sm_tree_builder *builder, const pending *node, sm_branches *branches) {
    const sm_slots *slots = &builder->slots;
    sm_branch *branch = sm_branch_new(builder->branch, n_items_of(node));
    if (branch == NULL) return false;
    for (size_t k = 0; k < branch->n; k++) {
        uint32_t slot = slots->order[node->first + k];
        branch->items[k] = slots->items[slot];
        branch->draws[k] = slots->draws[slot];
    }
    branch->split = node->parent;
    branch->depth = node->depth;
    branch->stream = node->stream;
    branch->is_owed = node->owed != NO_PARENT;
    sm_branches_leave(branches, branch);
    return true;
}

/* Leaves nodes to threads that have nothing to do: from the bottom of the stack, which would come last, up to a large one. All of
 * these are right children. */
static void leave_branches(sm_tree_builder *builder, sm_branches *branches) {
    while (sm_branches_are_wanted(branches)) {
        size_t end = builder->n_others, most = end + MOST_SMALL;
        while (end < builder->n_pending && end < most && n_items_of(&builder->stack[end]) < branches->least) end++;
        if (end == builder->n_pending || end == most) return;
        for (; builder->n_others <= end; builder->n_others++)
            if (!leave_branch(builder, &builder->stack[builder->n_others], branches)) return; /* then it is done here */
    }
}

static void forget_tree(sm_tree_builder *builder) {
    sm_tree_free(&builder->grown);
    builder->terms_size = builder->levels_size = 0;
}

smerf_status sm_tree_builder_grow(sm_tree_builder *builder, sm_branch *branch, sm_branches *branches, size_t thread,
                                  smerf_error *error) {
    bool has_memory = start_branch(builder, branch);
    while (has_memory && builder->n_pending > builder->n_others) {
        pending node = builder->stack[--builder->n_pending];
        if (n_items_of(&node) >= branches->least) { /* small nodes are soon done */
            leave_branches(builder, branches);
            if (sm_pool_is_stopped(branches->pool, thread)) {
                forget_tree(builder);
                return sm_fail(error, SMERF_CANCELLED, "cancelled");
            }
        }
        if (node.parent != NO_PARENT) builder->grown.right[node.parent] = (uint32_t)builder->grown.n_nodes;
        has_memory = grow_node(builder, &node);
    }
    if (!has_memory) {
        forget_tree(builder);
        return sm_no_memory(error, "growing a tree");
    }
    sm_make_thresholds(&builder->grown, builder->problem, sm_splitter_idle(&builder->splitter));
    sm_tree_move(&branch->grown, &builder->grown);
    builder->terms_size = builder->levels_size = 0; /* the arrays went along */
    return SMERF_OK;
}
