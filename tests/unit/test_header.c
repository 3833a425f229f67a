/* test_header.c - what the public headers promise of themselves: versions, and structs that may grow. */
#include "tests/unit/forests.h"

#include "base/versioned.h"
#include "smerf_study.h"

static void version_of_header_and_library_agree(void **state) {
    (void)state;
    char version[64];
    snprintf(version, sizeof version, "%d.%d.%d", SMERF_VERSION_MAJOR, SMERF_VERSION_MINOR, SMERF_VERSION_PATCH);
    assert_string_equal(smerf_version(), version);
    assert_int_equal(SMERF_VERSION, SMERF_VERSION_MAJOR * 1000000 + SMERF_VERSION_MINOR * 1000 + SMERF_VERSION_PATCH);
}

/* ---- every struct ---- */

#define STRUCTS(DO)                                                                                                    \
    DO(smerf_run)                                                                                                      \
    DO(smerf_estimate)                                                                                                 \
    DO(smerf_request)                                                                                                  \
    DO(smerf_pair_result)                                                                                              \
    DO(smerf_neighborhood)                                                                                             \
    DO(smerf_interactions)                                                                                             \
    DO(smerf_explanation)                                                                                              \
    DO(smerf_item_request)                                                                                             \
    DO(smerf_clusters)                                                                                                 \
    DO(smerf_map)                                                                                                      \
    DO(smerf_vector_result)                                                                                            \
    DO(smerf_triplet_scores)                                                                                           \
    DO(smerf_linear)                                                                                                   \
    DO(smerf_tree_view)                                                                                                \
    DO(smerf_tuning)                                                                                                   \
    DO(smerf_grid)                                                                                                     \
    DO(smerf_tuned)                                                                                                    \
    DO(smerf_simulation) DO(smerf_value_scores) DO(smerf_correlation)

/* Those that have grown, and their last fields now. */
#define GROWN_STRUCTS(DO)                                                                                              \
    DO(smerf_options, shrink)                                                                                          \
    DO(smerf_description, are_log_odds)                                                                                \
    DO(smerf_scores, ndcg_by_chance)                                                                                   \
    DO(smerf_comparison, n_most_repeats)                                                                               \
    DO(smerf_method_scores, in_order_difference)                                                                       \
    DO(smerf_baseline_options, n_bags)                                                                                 \
    DO(smerf_clustering, oob_rule)                                                                                     \
    DO(smerf_map_options, oob_rule)

/* A field added to padding at the end would leave the size as it was. SM_LAST stays as it is when a struct grows; what is its last field
 * since then stands here. */
static size_t end_of_grown(const char *name) {
    static const struct {
        const char *name;
        size_t end;
    } grown[] = {{"smerf_tuning", SM_UP_TO(smerf_tuning, left_out)}, {"smerf_tuned", SM_UP_TO(smerf_tuned, n_tried)}};
    for (size_t g = 0; g < sizeof grown / sizeof *grown; g++)
        if (strcmp(grown[g].name, name) == 0) return grown[g].end;
    return 0;
}

#define HAS_NO_PADDING_AT_THE_END(type)                                                                                \
    assert_int_equal(offsetof(type, size), 0);                                                                         \
    assert_int_equal(end_of_grown(#type) > 0 ? end_of_grown(#type) : SM_STRUCT(type)->first, sizeof(type));            \
    assert_int_equal(SMERF_INIT(type).size, sizeof(type));

#define HAS_GROWN_WITHOUT_PADDING(type, last)                                                                          \
    assert_int_equal(offsetof(type, size), 0);                                                                         \
    assert_true(SM_STRUCT(type)->first < sizeof(type));                                                                \
    assert_int_equal(SM_UP_TO(type, last), sizeof(type));                                                              \
    assert_int_equal(SMERF_INIT(type).size, sizeof(type));

static void structs_begin_with_their_size_and_end_without_padding(void **state) {
    (void)state;
    STRUCTS(HAS_NO_PADDING_AT_THE_END)
    GROWN_STRUCTS(HAS_GROWN_WITHOUT_PADDING)
}

/* ---- a struct of three versions ---- */

typedef struct first_version {
    size_t size;
    int64_t a;
} first_version;

typedef struct own_version {
    size_t size;
    int64_t a, b;
} own_version;

typedef struct next_version {
    size_t size;
    int64_t a, b, c;
} next_version;

static const sm_struct shape = {"things", sizeof(own_version), sizeof(first_version)};

static void an_older_struct_is_read_and_the_rest_left_as_it_is(void **state) {
    (void)state;
    const first_version given = SMERF_INIT(first_version, .a = 3);
    own_version full = {.b = 7};
    smerf_error error;
    demand_ok(sm_struct_read(&shape, &given, &full, &error), &error);
    assert_true(full.size == sizeof full && full.a == 3 && full.b == 7);
}

static void a_newer_struct_is_read_if_it_wants_nothing_new(void **state) {
    (void)state;
    next_version given = SMERF_INIT(next_version, .a = 3, .b = 4);
    own_version full = {0};
    smerf_error error;
    demand_ok(sm_struct_read(&shape, &given, &full, &error), &error);
    assert_true(full.size == sizeof full && full.a == 3 && full.b == 4);
    given.c = 1;
    assert_int_equal(sm_struct_read(&shape, &given, &full, &error), SMERF_BAD_INPUT);
    assert_non_null(strstr(error.message, "things: it was made for a newer smerf"));
}

static void a_size_that_makes_no_sense_is_refused(void **state) {
    (void)state;
    const size_t sizes[] = {0, 1, sizeof(first_version) - 1, (1 << 16) + 1, SIZE_MAX};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        own_version given = {.size = sizes[k], .a = 1}, full = {.a = 5};
        smerf_error error;
        assert_int_equal(sm_struct_read(&shape, &given, &full, &error), SMERF_BAD_INPUT);
        assert_non_null(strstr(error.message, "SMERF_INIT(things)"));
        assert_int_equal(full.a, 5);
        assert_int_equal(sm_struct_read(&shape, NULL, &full, NULL), SMERF_BAD_INPUT);
    }
}

static void results_are_written_as_far_as_they_fit(void **state) {
    (void)state;
    const own_version full = SMERF_INIT(own_version, .a = 3, .b = 4);
    struct {
        first_version given;
        int64_t behind;
    } older = {.given = SMERF_INIT(first_version), .behind = 9};
    next_version newer = SMERF_INIT(next_version, .c = 9);
    sm_struct_write(&shape, &full, &older.given);
    assert_true(older.given.size == sizeof older.given && older.given.a == 3 && older.behind == 9);
    sm_struct_write(&shape, &full, &newer);
    assert_true(newer.size == sizeof newer && newer.a == 3 && newer.b == 4 && newer.c == 9);
}

static void defaults_are_filled_in_as_far_as_they_fit(void **state) {
    (void)state;
    const own_version full = SMERF_INIT(own_version, .a = 3, .b = 4);
    next_version newer = {.size = 77, .c = 9};
    sm_struct_fill(&shape, &full, &newer, sizeof newer);
    assert_true(newer.size == sizeof newer && newer.a == 3 && newer.b == 4 && newer.c == 0);
    own_version none = {.size = 77, .a = 9};
    sm_struct_fill(&shape, &full, &none, 3);
    assert_true(none.size == 0 && none.a == 9); /* which is refused wherever it goes */
}

/* ---- programs compiled with other headers ---- */

/* As a header of later days may have them. */
typedef struct later_options {
    smerf_options known;
    size_t more;
} later_options;

typedef struct later_request {
    smerf_request known;
    size_t more;
} later_request;

static smerf_status fit_and_evaluate(const data_set *data, const smerf_options *options, const smerf_request *request,
                                     smerf_scores *scores, smerf_error *error) {
    smerf_model *model = NULL;
    smerf_status status = smerf_fit(data->items, data->target, options, NULL, &model, error);
    if (status == SMERF_OK) status = smerf_evaluate(model, request, NULL, 0, NULL, scores, error);
    smerf_model_free(model);
    return status;
}

static void a_program_with_a_newer_header_works_until_it_wants_what_is_new(void **state) {
    (void)state;
    data_set *data = plain_data(20);
    const smerf_options usual = options_for(8);
    const smerf_request plain = SMERF_INIT(smerf_request, .rows = data->items, .out_of_bag = true);
    later_options options = {.known = usual};
    later_request request = {.known = plain};
    options.known.size = sizeof options;
    request.known.size = sizeof request;
    smerf_scores expected = SMERF_INIT(smerf_scores), found = SMERF_INIT(smerf_scores);
    smerf_error error;
    demand_ok(fit_and_evaluate(data, &usual, &plain, &expected, &error), &error);
    demand_ok(fit_and_evaluate(data, &options.known, &request.known, &found, &error), &error);
    assert_memory_equal(&found, &expected, sizeof found);
    options.more = 1;
    assert_int_equal(fit_and_evaluate(data, &options.known, &request.known, &found, &error), SMERF_BAD_INPUT);
    assert_non_null(strstr(error.message, "smerf_options: it was made for a newer smerf"));
    options.more = 0;
    request.more = 1;
    assert_int_equal(fit_and_evaluate(data, &options.known, &request.known, &found, &error), SMERF_BAD_INPUT);
    assert_non_null(strstr(error.message, "smerf_request: it was made for a newer smerf"));
    data_set_free(data);
}

/* Programs that do not know that distances can be drawn towards the mean have them as they were. */
static void a_program_with_an_older_header_draws_no_distances(void **state) {
    (void)state;
    data_set *data = plain_data(30);
    smerf_options usual, older;
    smerf_options_default(&usual);
    usual.n_trees = 40;
    older = usual;
    older.size = SM_STRUCT(smerf_options)->first;
    smerf_model *drawn = fit_with(data, &usual, NULL), *as_it_was = fit_with(data, &older, NULL);
    usual.shrink = SMERF_SHRINK_OFF;
    smerf_model *off = fit_with(data, &usual, NULL);
    smerf_description about = SMERF_INIT(smerf_description), before = SMERF_INIT(smerf_description);
    smerf_error error;
    assert_same_model(as_it_was, off);
    demand_ok(smerf_model_describe(drawn, &about, &error), &error);
    assert_true(about.options->shrink == SMERF_SHRINK_AUTO && about.shrinkage_error > 0);
    before.size = SM_STRUCT(smerf_description)->first;
    demand_ok(smerf_model_describe(drawn, &before, &error), &error);
    assert_true(before.n_items == 30 && before.shrinkage == 0);
    smerf_model_free(drawn);
    smerf_model_free(as_it_was);
    smerf_model_free(off);
    data_set_free(data);
}

static void a_later_default_fills_what_is_known_and_leaves_the_rest_zero(void **state) {
    (void)state;
    later_options options;
    smerf_options usual;
    smerf_options_default(&usual);
    smerf_options_fill(&options.known, sizeof options);
    assert_int_equal(options.known.size, sizeof options);
    assert_int_equal(options.more, 0);
    options.known.size = usual.size;
    assert_true(options.known.n_trees == 500 && usual.n_trees == 500 && options.known.seed == usual.seed);
    assert_true(options.known.complete == SMERF_COMPLETE_AUTO && options.known.baselines == NULL);
}

/* ---- what is forgotten ---- */

static void a_forgotten_size_is_refused_with_a_sentence(void **state) {
    (void)state;
    data_set *data = plain_data(12);
    const smerf_options options = options_for(3);
    smerf_model *model = fit_with(data, &options, NULL);
    smerf_request request = {.rows = data->items};
    smerf_scores scores = {0};
    smerf_run run = {.n_threads = 1};
    smerf_error error;
    assert_int_equal(smerf_evaluate(model, &request, data->target, 0, NULL, &scores, &error), SMERF_BAD_INPUT);
    assert_non_null(strstr(error.message, "smerf_request: its size is 0"));
    request.size = sizeof request;
    assert_int_equal(smerf_evaluate(model, &request, data->target, 0, &run, &scores, &error), SMERF_BAD_INPUT);
    assert_non_null(strstr(error.message, "smerf_run: its size is 0"));
    run.size = sizeof run;
    assert_int_equal(smerf_evaluate(model, &request, data->target, 0, &run, &scores, &error), SMERF_BAD_INPUT);
    assert_non_null(strstr(error.message, "smerf_scores: its size is 0"));
    scores.size = sizeof scores;
    demand_ok(smerf_evaluate(model, &request, data->target, 0, &run, &scores, &error), &error);
    smerf_model_free(model);
    data_set_free(data);
}

static void baselines_of_a_wrong_size_are_refused_and_none_are_the_defaults(void **state) {
    (void)state;
    data_set *data = plain_data(12);
    smerf_baseline_options baselines = {.n_pairs = 5};
    smerf_options options = options_for(3);
    smerf_model *model = NULL;
    smerf_error error;
    options.method = SMERF_METHOD_RFD;
    options.baselines = &baselines;
    assert_int_equal(smerf_fit(data->items, data->target, &options, NULL, &model, &error), SMERF_BAD_INPUT);
    assert_non_null(strstr(error.message, "smerf_baseline_options: its size is 0"));
    options.baselines = NULL;
    demand_ok(smerf_fit(data->items, data->target, &options, NULL, &model, &error), &error);
    smerf_description about = SMERF_INIT(smerf_description);
    demand_ok(smerf_model_describe(model, &about, &error), &error);
    assert_true(about.options->baselines->n_pairs == 60000 && about.options->baselines->n_chains == 2);
    assert_int_equal(about.options->size, sizeof options);
    smerf_model_free(model);
    data_set_free(data);
}

/* A program of a time with fewer methods, which has fewer of them to write to. */
static void a_comparison_leaves_out_methods_that_the_program_does_not_know(void **state) {
    (void)state;
    data_set *data = plain_data(30);
    const smerf_options options = options_for(3);
    smerf_comparison plan;
    smerf_comparison_default(data->target, &plan);
    plan.n_repeats = 1;
    plan.tunes = false;
    plan.options = &options;
    smerf_method_scores scores[3];
    for (size_t m = 0; m < 3; m++) scores[m] = SMERF_INIT(smerf_method_scores, .seconds = -1);
    smerf_error error;
    demand_ok(smerf_compare(data->items, data->target, &plan, NULL, scores, 2, &error), &error);
    assert_true(scores[0].applies && scores[1].applies && scores[2].seconds == -1);
    plan.methods = SMERF_HAS(SMERF_METHOD_BILINEAR);
    assert_int_equal(smerf_compare(data->items, data->target, &plan, NULL, scores, 2, &error), SMERF_BAD_INPUT);
    assert_int_equal(smerf_compare(data->items, data->target, &plan, NULL, scores, 0, &error), SMERF_BAD_INPUT);
    data_set_free(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(version_of_header_and_library_agree),
        cmocka_unit_test(structs_begin_with_their_size_and_end_without_padding),
        cmocka_unit_test(an_older_struct_is_read_and_the_rest_left_as_it_is),
        cmocka_unit_test(a_newer_struct_is_read_if_it_wants_nothing_new),
        cmocka_unit_test(a_size_that_makes_no_sense_is_refused),
        cmocka_unit_test(results_are_written_as_far_as_they_fit),
        cmocka_unit_test(defaults_are_filled_in_as_far_as_they_fit),
        cmocka_unit_test(a_program_with_a_newer_header_works_until_it_wants_what_is_new),
        cmocka_unit_test(a_program_with_an_older_header_draws_no_distances),
        cmocka_unit_test(a_later_default_fills_what_is_known_and_leaves_the_rest_zero),
        cmocka_unit_test(a_forgotten_size_is_refused_with_a_sentence),
        cmocka_unit_test(baselines_of_a_wrong_size_are_refused_and_none_are_the_defaults),
        cmocka_unit_test(a_comparison_leaves_out_methods_that_the_program_does_not_know),
    };
    return cmocka_run_group_tests(tests, files_enter, files_leave);
}
