/* values.c - how well the label or the response itself is predicted, of a forest that was fitted on such a target. */
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "report/sections.h"

enum { MOST_CLASSES = 500 }; /* of a matrix that a page can hold */

/* Labels that some item has or is taken for; those that the model does not know are one more, which is never predicted.
 *   is_met  [n_classes + 1] out */
static void find_met(const size_t *confusion, size_t n_classes, bool *is_met) {
    for (size_t c = 0; c <= n_classes; c++)
        for (size_t d = 0; d < n_classes; d++)
            if (confusion[c * n_classes + d] > 0) is_met[c] = is_met[d] = true;
}

static void write_confusion(sm_reporter *reporter, const size_t *confusion, size_t n_classes) {
    sm_json *json = &reporter->json;
    bool is_met[MOST_CLASSES + 1] = {false};
    find_met(confusion, n_classes, is_met);
    sm_json_open(json, "labels", '[');
    for (size_t c = 0; c <= n_classes; c++)
        if (is_met[c])
            sm_json_text(json, NULL,
                         c < n_classes ? smerf_model_value_name(reporter->wanted->model, c)
                                       : "(not known to the model)");
    sm_json_close(json, ']');
    sm_json_open(json, "counts", '[');
    for (size_t c = 0; c <= n_classes; c++) {
        if (!is_met[c]) continue;
        sm_json_open(json, NULL, '[');
        for (size_t d = 0; d <= n_classes; d++)
            if (is_met[d]) sm_json_count(json, NULL, d < n_classes ? confusion[c * n_classes + d] : 0);
        sm_json_close(json, ']');
    }
    sm_json_close(json, ']');
}

static void write_classification(sm_reporter *reporter, const smerf_value_scores *scores, size_t n_classes) {
    sm_json *json = &reporter->json;
    if (scores->confusion == NULL) {
        char text[32];
        sm_report_absent(reporter, "classification",
                         "There are %s labels, too many for a table of them; %.3f of the items are predicted right, "
                         "and %.3f would be by guessing the commonest label.",
                         sm_report_count(n_classes, text), scores->accuracy, scores->accuracy_by_chance);
        return;
    }
    sm_json_open(json, "classification", '{');
    sm_json_text(json, "kind", reporter->is_out_of_bag ? "out of bag" : "given target");
    sm_json_text(json, "how", "the largest mean fraction in the leaves that an item comes to");
    write_confusion(reporter, scores->confusion, n_classes);
    sm_json_count(json, "n_unpredicted", scores->n_unpredicted);
    sm_json_close(json, '}');
}

static void write_response(sm_reporter *reporter, const smerf_value_scores *scores) {
    sm_json *json = &reporter->json;
    sm_json_open(json, "response", '{');
    sm_json_text(json, "kind", reporter->is_out_of_bag ? "out of bag" : "given target");
    sm_json_number(json, "r_squared", scores->r_squared);
    sm_json_count(json, "n_items", scores->n_items);
    sm_json_close(json, '}');
}

smerf_status sm_write_values(sm_reporter *reporter, smerf_error *error) {
    const sm_report *wanted = reporter->wanted;
    const size_t n_values = smerf_model_n_values(wanted->model);
    const bool are_labels = n_values > 0 && strcmp(reporter->about.target, "labels") == 0;
    const char *why_not = NULL;
    if (n_values == 0) return SMERF_OK; /* the page says what these are for */
    if (!sm_exam_is_possible(reporter, &why_not)) {
        sm_report_absent(reporter, are_labels ? "classification" : "response", "%s", why_not);
        return SMERF_OK;
    }
    size_t *confusion = NULL;
    if (are_labels && n_values <= MOST_CLASSES) {
        confusion = sm_zeros((n_values + 1) * n_values, sizeof *confusion);
        if (confusion == NULL) return sm_no_memory(error, "scoring labels");
    }
    const smerf_request request =
        SMERF_INIT(smerf_request, .rows = wanted->items, .out_of_bag = reporter->is_out_of_bag);
    smerf_value_scores scores = SMERF_INIT(smerf_value_scores, .confusion = confusion);
    smerf_status status = smerf_evaluate_values(wanted->model, &request, wanted->truth, &reporter->run, &scores, error);
    if (status != SMERF_OK)
        status = sm_report_excuse(reporter, are_labels ? "classification" : "response", status, error);
    else if (scores.n_items == 0)
        sm_report_absent(reporter, are_labels ? "classification" : "response",
                         "Every tree has seen every item: nothing is out of bag.");
    else if (are_labels)
        write_classification(reporter, &scores, n_values);
    else
        write_response(reporter, &scores);
    sm_free(confusion);
    return status;
}
