/* test_attributes.c - features become yes-or-no attributes as attributes.h says. */
#include "tests/unit/files.h"

#include <math.h>

#include "method/gibbs/attributes.h"

enum { N_ITEMS = 8, N_FEATURES = 6 };

static const double age[N_ITEMS] = {10, 20, 30, 40, 50, 60, 70, NAN};
static const double flag[N_ITEMS] = {0, 1, 1, 0, NAN, 0, 1, 1};
static const double two[N_ITEMS] = {1, 2, 1, 2, 1, 2, 1, 1};
static const double same[N_ITEMS] = {3, 3, 3, 3, 3, 3, NAN, 3};
static const double none[N_ITEMS] = {NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
static const uint32_t colour[N_ITEMS] = {0, 1, 2, SMERF_MISSING, 0, 1, 2, 0};
static const char *const colours[3] = {"amber", "blue", "red"};

static const smerf_column columns[N_FEATURES] = {
    {.name = "age", .kind = SMERF_NUMBER, .values = age},
    {.name = "flag", .kind = SMERF_NUMBER, .values = flag},
    {.name = "two", .kind = SMERF_NUMBER, .values = two},
    {.name = "same", .kind = SMERF_NUMBER, .values = same},
    {.name = "none", .kind = SMERF_NUMBER, .values = none},
    {.name = "colour", .kind = SMERF_CATEGORY, .codes = colour, .levels = colours, .n_levels = 3},
};

typedef struct learned_items {
    smerf_items *items;
    sm_view view;
    sm_attributes attributes;
} learned_items;

static learned_items learn(void) {
    learned_items learned;
    smerf_error error;
    assert_int_equal(smerf_items_new(columns, N_FEATURES, N_ITEMS, &learned.items, &error), SMERF_OK);
    const sm_features *features = &learned.items->features;
    assert_int_equal(sm_view_match(&learned.view, features, learned.items, &error), SMERF_OK);
    assert_int_equal(sm_attributes_learn(&learned.attributes, features, &learned.view, &error), SMERF_OK);
    return learned;
}

static void forget(learned_items *learned) {
    sm_attributes_free(&learned->attributes);
    sm_view_free(&learned->view);
    smerf_items_free(learned->items);
}

static void numbers_are_cut_at_quartiles(void **state) {
    (void)state;
    learned_items learned = learn();
    const struct sm_coding *coding = learned.attributes.coding;
    assert_int_equal(coding[0].n, 4);
    assert_true(coding[0].cut[0] == 20 && coding[0].cut[1] == 40 && coding[0].cut[2] == 60);
    assert_int_equal(coding[1].n, 1); /* 0 and 1 as they are */
    assert_int_equal(coding[2].n, 2); /* equal cut points are one, and none is at the largest value */
    assert_true(coding[2].cut[0] == 1);
    assert_int_equal(coding[3].n, 0);
    assert_int_equal(coding[4].n, 0);
    assert_int_equal(coding[5].n, 3);
    assert_int_equal(learned.attributes.n, 4 + 1 + 2 + 3 + 1);
    forget(&learned);
}

static void assert_set(const learned_items *learned, size_t item, const uint32_t *expected, size_t n) {
    uint32_t set[N_FEATURES + 1];
    assert_int_equal(sm_attributes_of(&learned->attributes, &learned->view, item, set), n);
    assert_memory_equal(set, expected, n * sizeof *set);
}

static void an_item_has_the_attributes_of_its_values(void **state) {
    (void)state;
    learned_items learned = learn();
    assert_set(&learned, 0, (const uint32_t[]){0, 5, 7, 10}, 4);
    assert_set(&learned, 1, (const uint32_t[]){0, 4, 6, 8, 10}, 5);
    assert_set(&learned, 3, (const uint32_t[]){1, 6, 10}, 3);
    assert_set(&learned, 6, (const uint32_t[]){3, 4, 5, 9, 10}, 5);
    assert_set(&learned, 7, (const uint32_t[]){4, 5, 7, 10}, 4); /* no age, hence none of its intervals */
    forget(&learned);
}

static void members_are_the_same_the_other_way_round(void **state) {
    (void)state;
    learned_items learned = learn();
    sm_attribute_members members;
    smerf_error error;
    size_t n = 0;
    assert_int_equal(sm_attribute_members_new(&members, &learned.attributes, &learned.view, &error), SMERF_OK);
    for (size_t i = 0; i < N_ITEMS; i++) {
        uint32_t set[N_FEATURES + 1];
        size_t n_set = sm_attributes_of(&learned.attributes, &learned.view, i, set);
        for (size_t a = 0; a < n_set; a++, n++) {
            bool is_there = false;
            for (size_t k = members.first[set[a]]; k < members.first[set[a] + 1]; k++)
                is_there = is_there || members.item[k] == i;
            assert_true(is_there);
        }
    }
    assert_int_equal(members.first[members.n_attributes], n);
    sm_attribute_members_free(&members);
    forget(&learned);
}

/* ---- files ---- */

static smerf_status load_again(const learned_items *learned, const sm_tensors *tensors) {
    sm_attributes loaded;
    smerf_error error;
    smerf_status status = sm_attributes_load(&loaded, &learned->items->features, tensors, &error);
    if (status != SMERF_OK) return status;
    assert_int_equal(loaded.n, learned->attributes.n);
    for (size_t f = 0; f < N_FEATURES; f++)
        assert_memory_equal(&loaded.coding[f], &learned->attributes.coding[f], sizeof loaded.coding[f]);
    sm_attributes_free(&loaded);
    return SMERF_OK;
}

static void attributes_come_back_as_they_were_or_not_at_all(void **state) {
    (void)state;
    learned_items learned = learn();
    sm_tensors tensors = {0};
    smerf_error error;
    assert_int_equal(sm_attributes_save(&learned.attributes, &tensors, &error), SMERF_OK);
    assert_int_equal(load_again(&learned, &tensors), SMERF_OK);
    uint32_t *n_of = (uint32_t *)sm_tensors_find(&tensors, "learned.n_attributes")->data;
    double *cuts = (double *)sm_tensors_find(&tensors, "learned.cuts")->data;
    const uint32_t bad_numbers[] = {0, 1, 3, 5, UINT32_MAX};
    for (size_t k = 0; k < sizeof bad_numbers / sizeof *bad_numbers; k++) {
        n_of[0] = bad_numbers[k];
        assert_int_equal(load_again(&learned, &tensors), SMERF_BAD_FILE);
    }
    n_of[0] = 4;
    n_of[5] = 2; /* a level is missing */
    assert_int_equal(load_again(&learned, &tensors), SMERF_BAD_FILE);
    n_of[5] = 3;
    const double bad_cuts[] = {NAN, INFINITY, 40, 50};
    for (size_t k = 0; k < sizeof bad_cuts / sizeof *bad_cuts; k++) {
        cuts[0] = bad_cuts[k];
        assert_int_equal(load_again(&learned, &tensors), SMERF_BAD_FILE);
    }
    sm_tensors_free(&tensors);
    forget(&learned);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_cut_at_quartiles),
        cmocka_unit_test(an_item_has_the_attributes_of_its_values),
        cmocka_unit_test(members_are_the_same_the_other_way_round),
        cmocka_unit_test(attributes_come_back_as_they_were_or_not_at_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
