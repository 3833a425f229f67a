/* test_report_memory.c - every allocation of a report that fails is reported and leaks nothing; a report can be cancelled
 * anywhere. */
#include "tests/unit/scarce_memory.h"

#include "tests/unit/forests.h"

#include "report/report.h"
#include "tests/unit/files.h"

enum { N = 9 };

typedef struct scene {
    data_set *data;
    smerf_target *target;
    smerf_model *model;
    sm_report_column columns[MOST_COLUMNS];
    sm_report wanted;
} scene;

/* Labels, so that there are curves, too. */
static void start(scene *here) {
    static const char *const classes[2] = {"a", "b"};
    uint32_t codes[N];
    smerf_error error;
    smerf_options options = options_for(3);
    here->data = mixed_data(N);
    for (size_t i = 0; i < N; i++) codes[i] = hidden(here->data, i) > 0;
    demand_ok(smerf_target_new_labels("c", codes, N, classes, 2, &here->target, &error), &error);
    demand_ok(smerf_fit(here->data->items, here->target, &options, NULL, &here->model, &error), &error);
    for (size_t c = 0; c < here->data->n_columns; c++)
        here->columns[c] = (sm_report_column){.column = here->data->columns[c], .role = "feature"};
    here->wanted = (sm_report){.model = here->model,
                               .items = here->data->items,
                               .columns = here->columns,
                               .n_columns = here->data->n_columns,
                               .title = "labels",
                               .model_file = "model",
                               .items_file = "items",
                               .explain_command = "explain"};
}

static void stop(scene *here) {
    smerf_model_free(here->model);
    smerf_target_free(here->target);
    data_set_free(here->data);
}

/* The output's own memory is not at stake. */
static smerf_status write_report(const scene *here, const smerf_run *run, smerf_error *error) {
    sm_output *output;
    long call = failing_call;
    bool drought = is_drought;
    let_fail(0, false);
    demand_ok(sm_output_open("/dev/null", &output, error), error);
    let_fail(call, drought);
    smerf_status status = sm_report_write(&here->wanted, false, run, output, error);
    long n = n_calls;
    sm_output_abandon(output);
    n_calls = n;
    return status;
}

static void every_failed_allocation_is_reported_and_leaks_nothing(void **state) {
    (void)state;
    const smerf_run alone = SMERF_INIT(smerf_run, .n_threads = 1);
    scene here;
    smerf_error error;
    start(&here);
    for (int is_given = 0; is_given < 2; is_given++) {
        here.wanted.truth = is_given ? here.target : NULL;
        for (shortage lack = {.of = "writing a report"}; shortage_starts(&lack, &error);)
            shortage_ends(&lack, write_report(&here, &alone, &error), &error);
    }
    stop(&here);
}

static void a_report_can_be_cancelled_at_any_time(void **state) {
    (void)state;
    scene here;
    smerf_error error;
    start(&here);
    smerf_status status = SMERF_CANCELLED;
    for (size_t n = 0; status == SMERF_CANCELLED; n++) {
        patience left = {.n_left = n};
        const smerf_run run = SMERF_INIT(smerf_run, .n_threads = 1, .progress = run_out, .context = &left);
        long n_before = n_live;
        status = write_report(&here, &run, &error);
        assert_int_equal(n_live, n_before);
        assert_true(n > 3 || status == SMERF_CANCELLED);
    }
    assert_int_equal(status, SMERF_OK);
    stop(&here);
}

/* From 0 to 1, never back. */
static int see_progress(void *context, double fraction_done) {
    double *last = context;
    if (fraction_done < *last - 1e-12 || fraction_done > 1 + 1e-12) fail_msg("%g after %g", fraction_done, *last);
    *last = fraction_done;
    return 0;
}

static void progress_only_grows(void **state) {
    (void)state;
    scene here;
    smerf_error error;
    double last = 0;
    const smerf_run run = SMERF_INIT(smerf_run, .n_threads = 2, .progress = see_progress, .context = &last);
    start(&here);
    demand_ok(write_report(&here, &run, &error), &error);
    assert_true(last > 0.9);
    stop(&here);
}

static void what_judges_leave_is_written_with_the_scores(void **state) {
    (void)state;
    static const smerf_ceiling ceiling = {.fewest_judges = 2, .most_judges = 5, .rmse = NAN, .spearman = 0.75};
    static char text[1 << 20];
    const smerf_run alone = SMERF_INIT(smerf_run, .n_threads = 1);
    scene here;
    smerf_error error;
    sm_output *output;
    start(&here);
    here.wanted.ceiling = &ceiling;
    demand_ok(sm_output_open("ceiling.json", &output, &error), &error);
    demand_ok(sm_report_write(&here.wanted, true, &alone, output, &error), &error);
    demand_ok(sm_output_finish(output, &error), &error);
    FILE *file = fopen("ceiling.json", "rb");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    assert_non_null(strstr(text, "\"ceiling\": {\"rmse\": null,\n\"spearman\": 0.75,\n\"judges\": [2,\n5]}"));
    stop(&here);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_failed_allocation_is_reported_and_leaks_nothing),
        cmocka_unit_test(a_report_can_be_cancelled_at_any_time),
        cmocka_unit_test(progress_only_grows),
        cmocka_unit_test(what_judges_leave_is_written_with_the_scores),
    };
    return cmocka_run_group_tests(tests, files_enter, files_leave);
}
