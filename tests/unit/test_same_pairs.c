/* test_same_pairs.c - which pairs are the same, against looking at every two of them. */
#include "tests/unit/files.h"

#include "base/memory.h"
#include "io/pairs/pairs.h"
#include "io/text/table.h"

enum { MOST = 60 };

static unsigned next(unsigned *state) { return *state = *state * 1103515245U + 12345U, *state >> 16 & 0x7FFF; }

/* Random pairs, with values, weights and rows or without. */
static sm_pairs make_pairs(unsigned *dice, size_t n, unsigned n_items, bool has_numbers) {
    sm_pairs pairs = {.n = n};
    pairs.left = sm_array(n, sizeof *pairs.left);
    pairs.right = sm_array(n, sizeof *pairs.right);
    if (has_numbers) {
        pairs.value = sm_array(n, sizeof *pairs.value);
        pairs.weight = sm_array(n, sizeof *pairs.weight);
        pairs.row = sm_array(n, sizeof *pairs.row);
    }
    for (size_t k = 0; k < n; k++) {
        pairs.left[k] = next(dice) % n_items;
        pairs.right[k] = next(dice) % n_items;
        if (!has_numbers) continue;
        pairs.value[k] = (double)k;
        pairs.weight[k] = (double)k + 0.5;
        pairs.row[k] = 2 * k + 1;
    }
    return pairs;
}

static bool are_same(const sm_pairs *a, size_t k, const sm_pairs *b, size_t l) {
    return (a->left[k] == b->left[l] && a->right[k] == b->right[l]) ||
           (a->left[k] == b->right[l] && a->right[k] == b->left[l]);
}

static bool is_among(const sm_pairs *pairs, size_t k, const sm_pairs *others, size_t n_others) {
    for (size_t l = 0; l < n_others; l++)
        if (are_same(pairs, k, others, l)) return true;
    return false;
}

static void assert_numbered(const sm_pairs *pairs) {
    uint32_t number[MOST];
    size_t n_different, n_expected = 0;
    bool is_used[MOST] = {false};
    assert_int_equal(sm_pairs_number(pairs, number, &n_different, NULL), SMERF_OK);
    for (size_t k = 0; k < pairs->n; k++) {
        bool is_self = pairs->left[k] == pairs->right[k];
        assert_true((number[k] == SMERF_MISSING) == is_self);
        n_expected += !is_self && !is_among(pairs, k, pairs, k);
        if (is_self) continue;
        assert_true(number[k] < n_different);
        is_used[number[k]] = true;
        for (size_t l = 0; l < k; l++) assert_true((number[l] == number[k]) == are_same(pairs, k, pairs, l));
    }
    assert_int_equal(n_different, n_expected);
    for (size_t p = 0; p < n_different; p++) assert_true(is_used[p]);
}

static void pairs_of_the_same_items_have_the_same_number(void **state) {
    (void)state;
    unsigned dice = 1;
    for (size_t trial = 0; trial < 300; trial++) {
        sm_pairs pairs = make_pairs(&dice, next(&dice) % (MOST + 1), 1 + next(&dice) % 12, trial % 2 == 0);
        assert_numbered(&pairs);
        sm_pairs_free(&pairs);
    }
}

static void numbers_stand_in_the_order_of_the_rows(void **state) {
    (void)state;
    uint32_t left[] = {5, 0, 3, 2, 1, 4000000000U}, right[] = {0, 3, 1, 2, 3, 7}, number[6];
    const sm_pairs pairs = {.n = 6, .left = left, .right = right};
    size_t n_different;
    assert_int_equal(sm_pairs_number(&pairs, number, &n_different, NULL), SMERF_OK);
    assert_int_equal(n_different, 4); /* (0, 3), (0, 5), (1, 3), (7, 4000000000) */
    const uint32_t expected[] = {1, 0, 2, SMERF_MISSING, 2, 3};
    assert_memory_equal(number, expected, sizeof expected);
}

static void assert_kept(const sm_pairs *before, const sm_pairs *others, const sm_pairs *after) {
    size_t n = 0;
    for (size_t k = 0; k < before->n; k++) {
        if (!is_among(before, k, others, others->n)) continue;
        assert_true(n < after->n && after->left[n] == before->left[k] && after->right[n] == before->right[k]);
        assert_int_equal(after->row[n], before->row != NULL ? before->row[k] : k);
        if (before->value != NULL) assert_true(after->value[n] == before->value[k]);
        if (before->weight != NULL) assert_true(after->weight[n] == before->weight[k]);
        n++;
    }
    assert_int_equal(after->n, n);
}

static void edges_among_others_are_kept_in_their_order(void **state) {
    (void)state;
    unsigned dice = 2;
    for (size_t trial = 0; trial < 300; trial++) {
        unsigned seed = dice, n_items = 2 + next(&dice) % 10;
        size_t n = next(&dice) % (MOST + 1), n_kept, n_left_out, n_different[2] = {0, 0};
        sm_pairs others = make_pairs(&seed, seed % 40, n_items, false);
        sm_pairs before = make_pairs(&dice, n, n_items, trial % 2 == 0);
        sm_pairs edges = {.n = n,
                          .left = sm_copy(before.left, n, sizeof *before.left),
                          .right = sm_copy(before.right, n, sizeof *before.right)};
        if (before.value != NULL) {
            edges.value = sm_copy(before.value, n, sizeof *before.value);
            edges.weight = sm_copy(before.weight, n, sizeof *before.weight);
            edges.row = sm_copy(before.row, n, sizeof *before.row);
        }
        assert_int_equal(sm_pairs_keep_among(&edges, &others, &n_kept, &n_left_out, NULL), SMERF_OK);
        assert_kept(&before, &others, &edges);
        for (size_t k = 0; k < n; k++)
            if (!is_among(&before, k, &before, k)) n_different[is_among(&before, k, &others, others.n)]++;
        assert_int_equal(n_left_out, n_different[0]);
        assert_int_equal(n_kept, n_different[1]);
        sm_pairs_free(&others);
        sm_pairs_free(&before);
        sm_pairs_free(&edges);
    }
}

/* ---- the other complaint that gets its position: about a value of a table ---- */

static void assert_position(const char *text, const char *column, size_t row, const char *expected) {
    smerf_error error = {.status = SMERF_BAD_INPUT, .message = "too large", .row = 7, .column = 1};
    write_text("t.csv", text);
    assert_int_equal(sm_table_position("t.csv", column, row, &error), SMERF_BAD_INPUT);
    assert_string_equal(error.message, expected);
    assert_true(error.row == 7 && error.column == 1);
}

static void a_complaint_about_a_value_gets_its_position(void **state) {
    (void)state;
    assert_position("id,a,b\nu,1,2\nv,3,4\n", "b", 1, "t.csv:3:5: too large");
    assert_position("id,a,b\nu,1,2\nv,3,4\n", "id", 0, "t.csv:2:1: too large");
    assert_position("\xEF\xBB\xBFid;\"b\";a\r\n\r\nu;1;2\r\n\"v\nü\";3;4", "b", 1, "t.csv:5:4: too large");
    assert_position("a,b\n1,2\n", "b", 5, "t.csv:2:3: too large"); /* another file by now: its last cell */
    smerf_error error = {.status = SMERF_BAD_INPUT, .message = "too large"};
    const double number = 1;
    write_npy("t.npy", "{'descr': '<f8', 'fortran_order': False, 'shape': (1, 1), }", &number, sizeof number);
    assert_int_equal(sm_table_position("t.npy", "x0", 0, &error), SMERF_BAD_INPUT);
    assert_string_equal(error.message, "t.npy: too large");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_of_the_same_items_have_the_same_number),
        cmocka_unit_test(numbers_stand_in_the_order_of_the_rows),
        cmocka_unit_test(edges_among_others_are_kept_in_their_order),
        cmocka_unit_test(a_complaint_about_a_value_gets_its_position),
    };
    return cmocka_run_group_tests(tests, files_enter, files_leave);
}
