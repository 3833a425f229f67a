/* branches.c - branches of a tree are handed to idle threads, and put together again in preorder: see branches.h. */
#include "train/grow/branches.h"

#include <string.h>

#include "base/memory.h"

/* A subtree of so many items takes the better part of a millisecond, and to start a thread for it 30 microseconds. */
enum { LEAST_BRANCH = 1024 };

/* A tree of which some branch is not grown yet. */
typedef struct sm_open_tree {
    sm_branch *first;
    size_t n_open;
} sm_open_tree;

smerf_status sm_branches_start(sm_branches *branches, sm_pool *pool, size_t n_trees, smerf_error *error) {
    *branches = (sm_branches){.pool = pool, .least = LEAST_BRANCH, .n_trees = n_trees};
    branches->trees = sm_zeros(n_trees, sizeof *branches->trees);
    if (branches->trees == NULL) return sm_no_memory(error, "preparing to grow trees");
    sm_gate_make(&branches->gate, 1);
    return SMERF_OK;
}

static void branch_free(sm_branch *branch) {
    sm_free(branch->items);
    sm_free(branch->draws);
    sm_tree_free(&branch->grown);
    sm_free(branch);
}

static void free_all(sm_branch *first) {
    while (first != NULL) {
        sm_branch *next = first->next;
        branch_free(first);
        first = next;
    }
}

void sm_branches_free(sm_branches *branches) {
    for (size_t t = 0; t < branches->n_trees; t++) free_all(branches->trees[t].first);
    sm_free(branches->trees);
    sm_gate_free(&branches->gate);
}

/* ---- who grows what ---- */

sm_branch *sm_branches_begin(sm_branches *branches, size_t tree) {
    sm_branch *whole = sm_zeros(1, sizeof *whole);
    if (whole == NULL) return NULL;
    whole->tree = tree;
    branches->trees[tree] = (sm_open_tree){.first = whole, .n_open = 1}; /* nobody else knows of it yet */
    return whole;
}

sm_branch *sm_branch_new(sm_branch *from, size_t n) {
    sm_branch *branch = sm_zeros(1, sizeof *branch);
    if (branch == NULL) return NULL;
    branch->tree = from->tree;
    branch->from = from;
    branch->n = n;
    branch->items = sm_array(n, sizeof *branch->items);
    branch->draws = sm_array(n, sizeof *branch->draws);
    if (branch->items != NULL && branch->draws != NULL) return branch;
    branch_free(branch);
    return NULL;
}

void sm_branches_leave(sm_branches *branches, sm_branch *branch) {
    sm_branch *from = branch->from;
    sm_gate_enter(&branches->gate);
    branch->next = from->next;
    from->next = branch;
    branch->next_waiting = branches->waiting;
    branches->waiting = branch;
    branches->trees[branch->tree].n_open++;
    sm_gate_leave(&branches->gate);
    sm_pool_add(branches->pool);
}

sm_branch *sm_branches_take(sm_branches *branches) {
    sm_gate_enter(&branches->gate);
    sm_branch *branch = branches->waiting;
    if (branch != NULL) branches->waiting = branch->next_waiting;
    sm_gate_leave(&branches->gate);
    return branch;
}

/* ---- one tree of them ---- */

bool sm_branch_reserve(sm_tree *tree, size_t n, bool has_categories) {
    tree->is_leaf = sm_array(2 * n, sizeof *tree->is_leaf);
    tree->index = sm_array(2 * n, sizeof *tree->index);
    tree->right = sm_array(n, sizeof *tree->right);
    tree->threshold = sm_array(n, sizeof *tree->threshold);
    tree->gain = sm_array(n, sizeof *tree->gain);
    tree->missing_left = sm_array(n, sizeof *tree->missing_left);
    tree->is_category = sm_array(n, sizeof *tree->is_category);
    tree->first_term = sm_array(n + 1, sizeof *tree->first_term);
    if (has_categories) tree->first_left = sm_array(n + 1, sizeof *tree->first_left);
    tree->first_member = sm_array(n + 1, sizeof *tree->first_member);
    tree->member_item = sm_array(n, sizeof *tree->member_item);
    tree->member_draws = sm_array(n, sizeof *tree->member_draws);
    return tree->is_leaf != NULL && tree->index != NULL && tree->right != NULL && tree->threshold != NULL &&
           tree->gain != NULL && tree->missing_left != NULL && tree->is_category != NULL && tree->first_term != NULL &&
           (tree->first_left != NULL || !has_categories) && tree->first_member != NULL && tree->member_item != NULL &&
           tree->member_draws != NULL;
}

static size_t n_terms_of_branch(const sm_tree *tree) { return tree->first_term[tree->n_splits]; }
static size_t n_left_levels_of(const sm_tree *tree) {
    return tree->first_left != NULL ? tree->first_left[tree->n_splits] : 0;
}

/* Capacity for all branches together. */
static bool reserve_whole(sm_tree *whole, const sm_branch *first) {
    bool has_categories = first->grown.first_left != NULL;
    size_t n_members = 0, n_terms = 0, n_left_levels = 0;
    for (const sm_branch *branch = first; branch != NULL; branch = branch->next) {
        n_members += sm_tree_n_members(&branch->grown);
        n_terms += n_terms_of_branch(&branch->grown);
        n_left_levels += n_left_levels_of(&branch->grown);
    }
    *whole = (sm_tree){0};
    bool has_memory = sm_branch_reserve(whole, n_members, has_categories);
    whole->term_feature = sm_array(n_terms, sizeof *whole->term_feature);
    whole->term_weight = sm_array(n_terms, sizeof *whole->term_weight);
    if (has_categories) {
        whole->term_level = sm_array(n_terms, sizeof *whole->term_level);
        whole->left_level = sm_array(n_left_levels, sizeof *whole->left_level);
        has_memory = has_memory && whole->term_level != NULL && whole->left_level != NULL;
        if (has_memory) whole->first_left[0] = 0;
    }
    if (!has_memory || whole->term_feature == NULL || whole->term_weight == NULL) return false;
    whole->first_term[0] = whole->first_member[0] = 0;
    return true;
}

/* Indices into an array follow those before them.   to, from  [n + 1], of which the first is there already */
static void follow(uint32_t *to, const uint32_t *from, size_t n) {
    uint32_t before = to[0];
    for (size_t i = 1; i <= n; i++) to[i] = before + from[i];
}

static void put_branch(void *to, size_t at, const void *from, size_t n, size_t size) {
    if (n > 0) memcpy((char *)to + at * size, from, n * size);
}

static void add_nodes(sm_tree *whole, const sm_tree *part) {
    put_branch(whole->is_leaf, whole->n_nodes, part->is_leaf, part->n_nodes, sizeof *part->is_leaf);
    for (size_t k = 0; k < part->n_nodes; k++)
        whole->index[whole->n_nodes + k] =
            (uint32_t)(part->index[k] + (part->is_leaf[k] ? whole->n_leaves : whole->n_splits));
}

static void add_splits(sm_tree *whole, const sm_tree *part) {
    size_t at = whole->n_splits, n = part->n_splits, term = whole->first_term[at], n_terms = n_terms_of_branch(part);
    for (size_t s = 0; s < n; s++) whole->right[at + s] = (uint32_t)(part->right[s] + whole->n_nodes);
    put_branch(whole->threshold, at, part->threshold, n, sizeof *part->threshold);
    put_branch(whole->gain, at, part->gain, n, sizeof *part->gain);
    put_branch(whole->missing_left, at, part->missing_left, n, sizeof *part->missing_left);
    put_branch(whole->is_category, at, part->is_category, n, sizeof *part->is_category);
    put_branch(whole->term_feature, term, part->term_feature, n_terms, sizeof *part->term_feature);
    put_branch(whole->term_weight, term, part->term_weight, n_terms, sizeof *part->term_weight);
    follow(whole->first_term + at, part->first_term, n);
    if (part->first_left == NULL) return;
    put_branch(whole->term_level, term, part->term_level, n_terms, sizeof *part->term_level);
    put_branch(whole->left_level, whole->first_left[at], part->left_level, n_left_levels_of(part),
               sizeof *part->left_level);
    follow(whole->first_left + at, part->first_left, n);
}

static void add_leaves(sm_tree *whole, const sm_tree *part) {
    size_t member = whole->first_member[whole->n_leaves], n_members = sm_tree_n_members(part);
    put_branch(whole->member_item, member, part->member_item, n_members, sizeof *part->member_item);
    put_branch(whole->member_draws, member, part->member_draws, n_members, sizeof *part->member_draws);
    follow(whole->first_member + whole->n_leaves, part->first_member, part->n_leaves);
}

/* Adds a branch behind those before it, and notes it in the split that it belongs to. */
static void add_branch(sm_tree *whole, sm_branch *branch) {
    const sm_tree *part = &branch->grown;
    branch->first_node = whole->n_nodes;
    branch->first_split = whole->n_splits;
    add_nodes(whole, part);
    add_splits(whole, part);
    add_leaves(whole, part);
    whole->n_nodes += part->n_nodes;
    whole->n_splits += part->n_splits;
    whole->n_leaves += part->n_leaves;
    if (branch->from == NULL) return;
    size_t split = branch->from->first_split + branch->split;
    whole->right[split] = (uint32_t)branch->first_node;
    if (branch->is_owed) whole->gain[split] -= branch->cost;
}

static bool put_together(sm_branch *first, sm_tree *tree) {
    sm_tree whole = first->grown;
    if (first->next == NULL) {
        first->grown = (sm_tree){0};
    } else if (reserve_whole(&whole, first)) {
        for (sm_branch *branch = first; branch != NULL; branch = branch->next) add_branch(&whole, branch);
    } else {
        sm_tree_free(&whole);
        return false;
    }
    sm_tree_move(tree, &whole);
    sm_tree_trim(tree);
    return true;
}

bool sm_branches_end(sm_branches *branches, sm_branch *branch, sm_tree *trees) {
    sm_open_tree *open = &branches->trees[branch->tree];
    sm_gate_enter(&branches->gate);
    bool is_last = --open->n_open == 0;
    sm_gate_leave(&branches->gate);
    if (!is_last) return true;
    bool has_memory = put_together(open->first, &trees[branch->tree]);
    free_all(open->first);
    open->first = NULL;
    return has_memory;
}
