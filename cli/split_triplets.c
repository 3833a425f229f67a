/* split_triplets.c - triplets to train on and to test with: by nodes those among the items of each part, and by pairs some comparisons.
 *
 * Lines are written as they were read, so that the odd one of three stays one judgement, and all lines about one comparison stay together. */
#include <stdlib.h>
#include <string.h>

#include "split.h"
#include "triplets.h"

static const char *header_of(const sm_pairs *triplets) {
    return triplets->is_odd_one_out ? "a,b,odd" : "anchor,near,far";
}

/* ---- by nodes ---- */

static cli_part part_of_items(const sm_pairs *triplets, size_t k, const bool *is_train) {
    int n_train = is_train[triplets->left[k]] + is_train[triplets->right[k]] + is_train[triplets->third[k]];
    return n_train == 3 ? CLI_TRAIN : n_train == 0 ? CLI_TEST : CLI_CROSS;
}

smerf_status cli_cut_triplets(const cli_splitting *split, const bool *is_train, smerf_error *error) {
    sm_pairs triplets;
    size_t n[3] = {0};
    char count[40];
    smerf_status status = cli_read_listed_triplets(split->args, &split->items, &triplets, error);
    unsigned char *part_of = malloc(triplets.n + 1);
    if (status == SMERF_OK && part_of == NULL) status = cli_split_no_memory(error);
    for (size_t k = 0; k < triplets.n && status == SMERF_OK; k++)
        n[part_of[k] = (unsigned char)part_of_items(&triplets, k, is_train)]++;
    if (status == SMERF_OK)
        status = cli_write_parts(split, "triplets", header_of(&triplets), &triplets, part_of, CLI_TEST, error);
    if (status == SMERF_OK)
        cli_note(split->args,
                 "%s among the items to train on, %zu among those to test with; %zu with items of both are left out",
                 cli_count(n[CLI_TRAIN], "triplet", count), n[CLI_TEST], n[CLI_CROSS]);
    free(part_of);
    sm_pairs_free(&triplets);
    return status;
}

/* ---- by comparisons ---- */

/* What a line asks: the anchor and the two others, or all three. */
typedef struct question {
    uint32_t items[3]; /* the anchor first, the others ascending; of the odd one of three all ascending */
    size_t line;
} question;

static int by_item(const void *left, const void *right) {
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return a < b ? -1 : a > b;
}

static int by_question(const void *left, const void *right) {
    const question *a = left, *b = right;
    for (size_t k = 0; k < 3; k++)
        if (a->items[k] != b->items[k]) return a->items[k] < b->items[k] ? -1 : 1;
    return a->line < b->line ? -1 : 1;
}

/* Numbers the different questions from 0, in the order of their items.   number  [n] out */
static smerf_status number_questions(const sm_pairs *triplets, uint32_t *number, size_t *n_different,
                                     smerf_error *error) {
    question *all = malloc((triplets->n + 1) * sizeof *all);
    *n_different = 0;
    if (all == NULL) return cli_split_no_memory(error);
    for (size_t k = 0; k < triplets->n; k++) {
        all[k] = (question){.items = {triplets->left[k], triplets->right[k], triplets->third[k]}, .line = k};
        size_t first = triplets->is_odd_one_out ? 0 : 1;
        qsort(all[k].items + first, 3 - first, sizeof *all[k].items, by_item);
    }
    qsort(all, triplets->n, sizeof *all, by_question);
    for (size_t k = 0; k < triplets->n; k++) {
        *n_different += k == 0 || memcmp(all[k].items, all[k - 1].items, sizeof all[k].items) != 0;
        number[all[k].line] = (uint32_t)(*n_different - 1);
    }
    free(all);
    return SMERF_OK;
}

smerf_status cli_divide_triplets(const cli_splitting *split, cli_drawing *drawn, smerf_error *error) {
    sm_pairs triplets;
    smerf_status status = cli_read_listed_triplets(split->args, &split->items, &triplets, error);
    uint32_t *number = malloc((triplets.n + 1) * sizeof *number);
    unsigned char *part_of = malloc(triplets.n + 1);
    if (status == SMERF_OK && (number == NULL || part_of == NULL)) status = cli_split_no_memory(error);
    if (status == SMERF_OK) status = number_questions(&triplets, number, &drawn->n_pairs, error);
    if (status == SMERF_OK) status = cli_draw_pairs(split, drawn, error);
    for (size_t k = 0; k < triplets.n && status == SMERF_OK; k++)
        part_of[k] = drawn->is_train[number[k]] ? CLI_TRAIN : CLI_TEST;
    if (status == SMERF_OK)
        status = cli_write_parts(split, "triplets", header_of(&triplets), &triplets, part_of, CLI_TEST, error);
    free(number);
    free(part_of);
    sm_pairs_free(&triplets);
    return status;
}
