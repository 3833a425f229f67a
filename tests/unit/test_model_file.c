/* test_model_file.c - a model comes back from its file as it was; a file that was cut or flipped is refused. */
#include "tests/unit/forests.h"

#include <fcntl.h>

/* ---- there and back ---- */

static void assert_same_options(const smerf_options *a, const smerf_options *b) {
    assert_true(a->seed == b->seed && a->first_tree == b->first_tree && a->n_trees == b->n_trees);
    assert_true(a->splits == b->splits && a->candidates == b->candidates && a->density == b->density);
    assert_true(a->candidates_power == 0 && b->candidates_power == 0);
    assert_true(a->min_parent == b->min_parent && a->max_depth == b->max_depth);
    assert_true(a->sample == b->sample && a->sample_fraction == b->sample_fraction && a->oob_rule == b->oob_rule);
    assert_true(a->self_distance == b->self_distance && a->self_value == b->self_value);
}

static void assert_comes_back(const smerf_model *model) {
    smerf_model *again = NULL;
    smerf_error error;
    demand_ok(smerf_model_save(model, "m.smerf", &error), &error);
    demand_ok(smerf_model_load("m.smerf", &again, &error), &error);
    assert_same_model(model, again);
    smerf_description was = SMERF_INIT(smerf_description), is = SMERF_INIT(smerf_description);
    smerf_model_describe(model, &was, NULL);
    smerf_model_describe(again, &is, NULL);
    assert_string_equal(was.target, is.target);
    assert_true(was.n_nodes == is.n_nodes && was.n_items == is.n_items && was.n_features == is.n_features);
    assert_same_options(was.options, is.options);
    assert_true(was.from_similarities == is.from_similarities && was.largest_similarity == is.largest_similarity);
    for (size_t f = 0; f < was.n_features; f++) {
        smerf_column before, after;
        smerf_model_feature(model, f, &before);
        smerf_model_feature(again, f, &after);
        assert_string_equal(before.name, after.name);
        assert_true(before.kind == after.kind && before.n_levels == after.n_levels);
    }
    smerf_model_free(again);
}

static void a_model_comes_back_as_it_was(void **state) {
    (void)state;
    data_set *data = mixed_data(40);
    for (int way = 0; way < 12; way++) {
        smerf_options options = options_for(5);
        options.splits = way % 2 == 0 ? SMERF_AXIS : SMERF_OBLIQUE;
        options.self_distance = (smerf_self)(way % 3);
        options.self_value = way % 3 == SMERF_SELF_VALUE ? 0.1 : 0;
        options.sample = (smerf_sample)(way / 4);
        options.sample_fraction = options.sample == SMERF_SUBSAMPLE ? 0.6 : 1;
        options.max_depth = way == 5 ? 0 : way == 7 ? 3 : SMERF_NO_LIMIT;
        options.oob_rule = way > 6 ? SMERF_OOB_EITHER : SMERF_OOB_BOTH;
        options.first_tree = (size_t)way * 1000000;
        options.seed = way == 3 ? INT64_MAX : 3;
        smerf_model *model = fit_with(data, &options, NULL);
        assert_comes_back(model);
        smerf_model_free(model);
    }
    data_set_free(data);
}

static void what_is_known_of_the_items_comes_back(void **state) {
    (void)state;
    data_set *data = mixed_data(30);
    double weights[30];
    const char *const ignored[2] = {"note", "caf\xc3\xa9 \"au lait\"\n"};
    for (size_t i = 0; i < 30; i++) weights[i] = 1.0 / (double)(i + 1);
    smerf_error error;
    name_items(data, NULL);
    demand_ok(smerf_items_set_weights(data->items, "mass", weights, &error), &error);
    demand_ok(smerf_items_set_ignored(data->items, ignored, 2, &error), &error);
    smerf_target_note_similarities(data->target, 1.0 / 3);
    const smerf_options options = options_for(3);
    smerf_model *model = fit_with(data, &options, NULL), *again;
    demand_ok(smerf_model_save(model, "m.smerf", &error), &error);
    demand_ok(smerf_model_load("m.smerf", &again, &error), &error);
    smerf_description is = SMERF_INIT(smerf_description);
    smerf_model_describe(again, &is, NULL);
    assert_string_equal(is.id_column, "name");
    assert_string_equal(is.weight_column, "mass");
    assert_int_equal(is.n_ignored, 2);
    assert_string_equal(is.ignored[1], ignored[1]);
    assert_true(is.from_similarities && is.largest_similarity == 1.0 / 3);
    smerf_scale scale;
    assert_true(smerf_model_scale(again, &scale) && scale.largest == 1.0 / 3 && scale.factor == 1);
    assert_true(smerf_similarity(&scale, 0.25) == 1.0 / 3 - 0.25);
    assert_same_model(model, again);
    smerf_model_free(model);
    smerf_model_free(again);
    data_set_free(data);
}

static void a_note_stays_with_the_file_and_changes_nothing_of_the_model(void **state) {
    (void)state;
    static const char note[] = "{\"threshold\": 0.5} caf\xc3\xa9\n";
    data_set *data = plain_data(30);
    const smerf_options options = options_for(3);
    smerf_model *model = fit_with(data, &options, NULL), *noted, *again, *plain;
    smerf_error error;
    assert_null(smerf_model_note(model));
    demand_ok(smerf_model_save_noted(model, "n.smerf", note, &error), &error);
    assert_null(smerf_model_note(model));
    demand_ok(smerf_model_load("n.smerf", &noted, &error), &error);
    assert_string_equal(smerf_model_note(noted), note);
    demand_ok(smerf_model_save(noted, "again.smerf", &error), &error);
    demand_ok(smerf_model_load("again.smerf", &again, &error), &error);
    assert_string_equal(smerf_model_note(again), note);
    demand_ok(smerf_model_save_noted(noted, "plain.smerf", NULL, &error), &error);
    demand_ok(smerf_model_load("plain.smerf", &plain, &error), &error);
    assert_null(smerf_model_note(plain));
    assert_same_model(model, plain); /* to the byte, from the file with the note */
    assert_int_equal(smerf_model_save_noted(model, "bad.smerf", "\xff", &error), SMERF_BAD_INPUT);
    assert_string_equal(error.message, "the note is not UTF-8 text");
    smerf_model_free(model);
    smerf_model_free(noted);
    smerf_model_free(again);
    smerf_model_free(plain);
    data_set_free(data);
}

static void a_file_that_is_not_there_is_no_damaged_model(void **state) {
    (void)state;
    smerf_model *model = NULL;
    smerf_error error;
    assert_int_equal(smerf_model_load("nowhere.smerf", &model, &error), SMERF_IO);
    assert_says(&error, "nowhere.smerf: ", "cannot be opened");
    assert_int_equal(smerf_model_load(".", &model, &error), SMERF_IO);
    write_text("t.csv", "a,b\n1,2\n");
    assert_int_equal(smerf_model_load("t.csv", &model, &error), SMERF_BAD_FILE);
    assert_string_equal(error.message, "t.csv: is not a smerf model");
    assert_null(model);
}

/* ---- damaged ---- */

static void assert_bad_file(const char *path, const char *what, size_t number) {
    smerf_model *model = NULL;
    smerf_error error = {0};
    smerf_status status = smerf_model_load(path, &model, &error);
    if (status != SMERF_BAD_FILE || model != NULL || error.status != status)
        fail_msg("%s %zu: status %d, \"%s\"", what, number, (int)status, error.message);
    assert_says(&error, path, "");
}

static void a_file_cut_short_anywhere_is_refused(void **state) {
    (void)state;
    smerf_model *model = small_model(6, SMERF_AXIS);
    file_bytes whole = bytes_of(model);
    write_bytes("cut.smerf", whole.bytes, whole.n);
    for (size_t n = whole.n; n-- > 0;) {
        assert_int_equal(truncate("cut.smerf", (off_t)n), 0);
        assert_bad_file("cut.smerf", "cut after byte", n);
    }
    free(whole.bytes);
    smerf_model_free(model);
}

static void a_file_that_goes_on_is_refused(void **state) {
    (void)state;
    smerf_model *model = small_model(6, SMERF_AXIS);
    file_bytes whole = bytes_of(model);
    char *longer = calloc(whole.n + 8, 1);
    memcpy(longer, whole.bytes, whole.n);
    for (size_t n_more = 1; n_more <= 8; n_more++) {
        write_bytes("long.smerf", longer, whole.n + n_more);
        assert_bad_file("long.smerf", "bytes too many:", n_more);
    }
    free(longer);
    free(whole.bytes);
    smerf_model_free(model);
}

static void one_flipped_bit_anywhere_is_noticed(void **state) {
    (void)state;
    smerf_model *model = small_model(6, SMERF_AXIS);
    file_bytes whole = bytes_of(model);
    write_bytes("flip.smerf", whole.bytes, whole.n);
    int file = open("flip.smerf", O_WRONLY);
    assert_true(file >= 0);
    for (size_t bit = 0; bit < 8 * whole.n; bit++) {
        char byte = (char)(whole.bytes[bit / 8] ^ 1 << bit % 8);
        assert_int_equal(pwrite(file, &byte, 1, (off_t)(bit / 8)), 1);
        assert_bad_file("flip.smerf", "flipped bit", bit);
        assert_int_equal(pwrite(file, &whole.bytes[bit / 8], 1, (off_t)(bit / 8)), 1);
    }
    close(file);
    smerf_model *again;
    smerf_error error;
    demand_ok(smerf_model_load("flip.smerf", &again, &error), &error); /* all bits are back */
    smerf_model_free(again);
    free(whole.bytes);
    smerf_model_free(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_model_comes_back_as_it_was),
        cmocka_unit_test(what_is_known_of_the_items_comes_back),
        cmocka_unit_test(a_note_stays_with_the_file_and_changes_nothing_of_the_model),
        cmocka_unit_test(a_file_that_is_not_there_is_no_damaged_model),
        cmocka_unit_test(a_file_cut_short_anywhere_is_refused),
        cmocka_unit_test(a_file_that_goes_on_is_refused),
        cmocka_unit_test(one_flipped_bit_anywhere_is_noticed),
    };
    return cmocka_run_group_tests(tests, files_enter, files_leave);
}
