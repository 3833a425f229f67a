/* estimate.c - what a fit will cost, found by growing a few of its trees.
 *   1. plan   how many trees, and on how many of the items: on all of them wherever that is a small part of the fit
 *             or a matter of a second. The choice goes by the work that the sizes promise and not by the clock, so
 *             that the same request has the same answer as far as memory goes.
 *   2. try    smerf_fit, watched through its progress: when the first tree is done, and how they follow each other
 *   3. scale  to all trees and all items
 * Memory is counted from the sizes of things; only how large a tree becomes is taken from those that were grown. */
#include "fit/estimate.h"

#include <math.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/versioned.h"
#include "fit/train_method.h"
#include "model/model.h"

#define SECOND 1e9                                             /* of work */
enum { FEWEST_ITEMS = 400, MOST_TREES = 64, SIZED_TREES = 2 }; /* trees whose size is looked at, whatever the threads */

typedef struct plan {
    size_t n_items, n_trees;
    bool is_whole; /* these are all of them */
} plan;

/* What is seen of a fit while it goes on. */
typedef struct watch {
    const smerf_run *run;
    double fraction;      /* of the trees that are done, as told last */
    double first, latest; /* when the calling thread was done with its first tree, and with the last that it did */
} watch;

/* ---- 1  Plan ---- */

static double fit_work(const sm_fit_size *size, double n_items, double n_trees) {
    double rounds = fmax(1, n_trees / (double)size->n_threads);
    return sm_fit_setup_work(size, n_items) + rounds * sm_fit_tree_work(size, n_items);
}

/* As many as a third of a second allows, and two for each thread: the first warms up. */
static size_t trees_to_try(const sm_fit_size *size, double n_items) {
    double fewest = 2 * (double)size->n_threads;
    double wanted = SECOND / 3 / sm_fit_tree_work(size, n_items) * (double)size->n_threads;
    return (size_t)fmax(fewest, fmin(wanted, fmax(fewest, MOST_TREES)));
}

static plan make_plan(const sm_fit_size *size) {
    const double n = (double)size->n_items, n_trees = (double)size->options->n_trees;
    const double allowed = fmax(SECOND, fit_work(size, n, n_trees) / 20);
    if (fit_work(size, n, n_trees) <= allowed) return (plan){size->n_items, size->options->n_trees, true};
    size_t few = trees_to_try(size, n);
    if (few < size->options->n_trees && fit_work(size, n, (double)few) <= allowed)
        return (plan){.n_items = size->n_items, .n_trees = few};
    double part = n;
    while (part > FEWEST_ITEMS && fit_work(size, part, (double)trees_to_try(size, part)) > allowed) part *= 0.8;
    return (plan){.n_items = (size_t)ceil(part), .n_trees = trees_to_try(size, part)};
}

/* ---- 2  Try ---- */

/* The caller may cancel, and is told of no progress: the fit is still to come. */
static int look(void *context, double fraction_done) {
    watch *seen = context;
    if (fraction_done > seen->fraction) {
        seen->latest = sm_seconds_now();
        if (seen->first == 0) seen->first = seen->latest;
        seen->fraction = fraction_done;
    }
    return seen->run->progress != NULL ? seen->run->progress(seen->run->context, 0) : 0;
}

/* Items spread evenly over all of them, and the target cut likewise. */
static smerf_status take_part(const smerf_items *items, const smerf_target *target, size_t n, smerf_items **some,
                              smerf_target **among, smerf_error *error) {
    uint32_t *rows = sm_array(n, sizeof *rows);
    if (rows == NULL) return sm_no_memory(error, "estimating a fit");
    double step = (double)items->n_items / (double)n;
    for (size_t k = 0; k < n; k++) rows[k] = (uint32_t)((double)k * step);
    smerf_status status = smerf_items_take(items, rows, n, some, error);
    if (status == SMERF_OK) status = smerf_target_take(target, rows, n, among, error);
    sm_free(rows);
    return status;
}

/* Seconds before the first tree, and those of all threads together for one more. */
typedef struct pace {
    double setup, tree, whole;
    double tree_bytes, tree_file_bytes;
} pace;

static void measure_trees(const smerf_model *model, pace *found) {
    size_t n = model->options.n_trees < SIZED_TREES ? model->options.n_trees : SIZED_TREES;
    for (size_t t = 0; t < n; t++) {
        found->tree_bytes += sm_fit_tree_bytes(&model->trees[t]) / (double)n;
        found->tree_file_bytes += sm_fit_tree_file_bytes(&model->trees[t]) / (double)n;
    }
}

static smerf_status try_trees(const smerf_items *items, smerf_target *target, const smerf_options *options,
                              const smerf_run *run, size_t n_threads, pace *found, smerf_error *error) {
    watch seen = {.run = run};
    smerf_run watched = *run;
    watched.progress = look;
    watched.context = &seen;
    smerf_model *model = NULL;
    double started = sm_seconds_now();
    smerf_status status = smerf_fit(items, target, options, &watched, &model, error);
    double ended = sm_seconds_now();
    if (status != SMERF_OK) return status;
    *found = (pace){.tree = (ended - started) / (double)options->n_trees, .whole = ended - started};
    if (seen.first > 0 &&
        options->n_trees > n_threads) { /* all threads are done with their first at about the same time */
        found->tree = (seen.latest - seen.first) / (double)(options->n_trees - n_threads);
        found->setup = fmax(0, seen.first - found->tree * (double)n_threads - started);
    }
    measure_trees(model, found);
    smerf_model_free(model);
    return SMERF_OK;
}

/* ---- 3  Scale ---- */

/* Of a file, hashed and written to a disk that keeps up. */
static const double write_seconds_per_byte = 1e-9;

static void scale(const sm_fit_size *size, const plan *tried, const pace *found, smerf_estimate *estimate) {
    double n = (double)size->n_items, part = (double)tried->n_items, rounds = (double)size->options->n_trees;
    double tree = found->tree * sm_fit_tree_work(size, n) / sm_fit_tree_work(size, part);
    double setup = found->setup * sm_fit_setup_work(size, n) / sm_fit_setup_work(size, part);
    if (rounds < (double)size->n_threads) rounds = (double)size->n_threads;
    estimate->model_bytes = sm_fit_file_bytes(size, found->tree_file_bytes * n / part);
    estimate->bytes = sm_fit_bytes(size, found->tree_bytes * n / part);
    estimate->seconds =
        (tried->is_whole ? found->whole : setup + rounds * tree) + estimate->model_bytes * write_seconds_per_byte;
    estimate->n_trees_tried = tried->n_trees;
    estimate->n_items_tried = tried->n_items;
}

/* What a fit would refuse is refused here, in the same words. */
static smerf_status check_fit(const smerf_items *items, smerf_target *target, const smerf_options *options,
                              smerf_options *resolved, smerf_error *error) {
    smerf_options closed = *options;
    size_t rank;
    if (closed.complete == SMERF_COMPLETE_AUTO) closed.complete = SMERF_COMPLETE_OFF; /* that is for later */
    smerf_status status = sm_choose_completion(items, target, &closed, NULL, &rank, error);
    if (status == SMERF_OK) status = sm_fit_check(items, target, options, resolved, error);
    return status;
}

static smerf_status estimate_forest(const smerf_items *items, smerf_target *target, const smerf_options *options,
                                    const smerf_run *run, smerf_estimate *estimate, smerf_error *error) {
    smerf_options resolved;
    smerf_status status = check_fit(items, target, options, &resolved, error);
    if (status != SMERF_OK) return status;
    sm_fit_size size;
    sm_fit_size_start(&size, items, target, &resolved, run);
    plan few = make_plan(&size);
    smerf_options few_trees = *options;
    few_trees.n_trees = few.n_trees;
    few_trees.candidates = resolved.candidates; /* a part of the items is tried with what all of them get */
    few_trees.candidates_power = 0;
    few_trees.self_distance = resolved.self_distance;
    if (!few.is_whole) few_trees.first_tree = 0; /* so that numbers cannot run out */
    smerf_items *some = NULL;
    smerf_target *among = NULL;
    bool is_part = few.n_items < size.n_items;
    if (is_part) status = take_part(items, target, few.n_items, &some, &among, error);
    pace found;
    if (status == SMERF_OK)
        status =
            try_trees(is_part ? some : items, is_part ? among : target, &few_trees, run, size.n_threads, &found, error);
    if (status == SMERF_OK) scale(&size, &few, &found, estimate);
    smerf_target_free(among);
    smerf_items_free(some);
    return status;
}

smerf_status smerf_fit_estimate(const smerf_items *items, smerf_target *target, const smerf_options *options,
                                const smerf_run *run, smerf_estimate *estimate, smerf_error *error) {
    sm_full_options full;
    smerf_status status = sm_options_read(options, &full, error);
    if (status != SMERF_OK) return status;
    SM_READ_RUN(run, error);
    SM_READ_RESULT(smerf_estimate, estimate, found, error);
    if (full.options.method >= SMERF_N_METHODS)
        return sm_fail(error, SMERF_BAD_INPUT, "method: there is no such method");
    found.seconds = found.bytes = found.model_bytes = NAN;
    found.n_trees_tried = found.n_items_tried = 0;
    if (full.options.method == SMERF_METHOD_FOREST)
        status = estimate_forest(items, target, &full.options, run, &found, error);
    SM_WRITE(smerf_estimate, found, estimate);
    return status;
}
