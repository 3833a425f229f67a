/* estimate.c - what a fit will cost, found by growing a few of its trees.
 *   1. plan   how many trees, and on how many of the items: on all of them wherever that is a small part of the fit
 *             or a matter of a second, and never more than two seconds. Where the fewest items are too much work, fewer
 *             directions are tried at each node, too. The choice goes by the work that the sizes promise and not by the clock,
 *             so that the same request has the same answer as far as memory goes; only where they promised far too little
 *             is the try given up, and a smaller one made.
 *   2. try    smerf_fit, watched through its progress: when the first tree is done, and how they follow each other
 *   3. scale  to all trees and all items
 * Memory is counted from the sizes of things; only how large a tree becomes is taken from those that were grown. */
#include "fit/estimate.h"

#include <math.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "base/versioned.h"
#include "fit/train_method.h"
#include "model/model.h"

#define SECOND 1e9 /* of work */
enum {
    FEWEST_ITEMS = 400,
    FEWEST_CANDIDATES = 25,
    MOST_TREES = 64,
    SIZED_TREES = 2
};                       /* trees whose size is looked at, whatever the threads */
#define MOST_SECONDS 3.0 /* of processors, a thread: then a try is given up */

typedef struct plan {
    size_t n_items, n_trees;
    size_t n_candidates; /* fewer than a fit has; 0: as many */
    bool is_whole;       /* these are all of them */
} plan;

/* What is seen of a fit while it goes on. */
typedef struct watch {
    const smerf_run *run;
    double fraction;      /* of the trees that are done, as told last */
    double first, latest; /* when the calling thread was done with its first tree, and with the last that it did */
    clock_t most;         /* processor time, after which it is given up; 0: never */
    bool is_given_up;
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

/* The same with other options. */
static sm_fit_size with_candidates(const sm_fit_size *size, smerf_options *options, size_t n_candidates) {
    sm_fit_size changed = *size;
    *options = *size->options;
    options->candidates = n_candidates;
    changed.options = options;
    return changed;
}

/* Some of the items, and where these are few, some of the directions. */
static plan plan_part(const sm_fit_size *size, double most_items, double allowed) {
    double part = most_items, d = (double)size->options->candidates;
    plan few = {0};
    while (part > FEWEST_ITEMS && fit_work(size, part, (double)trees_to_try(size, part)) > allowed) part *= 0.8;
    smerf_options fewer;
    sm_fit_size tried = *size;
    while (d > FEWEST_CANDIDATES && fit_work(&tried, part, (double)trees_to_try(&tried, part)) > allowed) {
        d *= 0.8;
        few.n_candidates = (size_t)d;
        tried = with_candidates(size, &fewer, few.n_candidates);
    }
    few.n_items = (size_t)ceil(part);
    few.n_trees = trees_to_try(&tried, part);
    return few;
}

static plan make_plan(const sm_fit_size *size) {
    const double n = (double)size->n_items, n_trees = (double)size->options->n_trees;
    const double allowed = fmin(fmax(SECOND, fit_work(size, n, n_trees) / 20), 2 * SECOND);
    if (fit_work(size, n, n_trees) <= allowed)
        return (plan){.n_items = size->n_items, .n_trees = size->options->n_trees, .is_whole = true};
    size_t few = trees_to_try(size, n);
    if (few < size->options->n_trees && fit_work(size, n, (double)few) <= allowed)
        return (plan){.n_items = size->n_items, .n_trees = few};
    return plan_part(size, n, allowed);
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
    seen->is_given_up = seen->most > 0 && clock() > seen->most;
    if (seen->is_given_up) return 1;
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

/*   can_give_up  when it takes too long: *found is then filled with zeros */
static smerf_status try_trees(const smerf_items *items, smerf_target *target, const smerf_options *options,
                              const smerf_run *run, bool can_give_up, pace *found, smerf_error *error) {
    sm_pool pool;
    sm_pool_start(&pool, run);
    const size_t n_threads = pool.n_threads < options->n_trees ? pool.n_threads : options->n_trees;
    watch seen = {.run = run};
    if (can_give_up) seen.most = clock() + (clock_t)(MOST_SECONDS * CLOCKS_PER_SEC * (double)n_threads);
    *found = (pace){0};
    smerf_run watched = *run;
    watched.progress = look;
    watched.context = &seen;
    smerf_model *model = NULL;
    double started = sm_seconds_now();
    smerf_status status = smerf_fit(items, target, options, &watched, &model, error);
    double ended = sm_seconds_now();
    if (status == SMERF_CANCELLED && seen.is_given_up) return SMERF_OK;
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
    smerf_options fewer;
    const sm_fit_size with_fewer =
        with_candidates(size, &fewer, tried->n_candidates > 0 ? tried->n_candidates : size->options->candidates);
    double tree = found->tree * sm_fit_tree_work(size, n) / sm_fit_tree_work(&with_fewer, part);
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

/* Zeros in *found: it was given up, as it can be while there are items or directions that can be left out. A part of the items is
 * tried with what all of them get.
 *   options  resolved */
static smerf_status try_plan(const smerf_items *items, smerf_target *target, const smerf_options *options,
                             const smerf_run *run, const plan *few, pace *found, smerf_error *error) {
    smerf_options few_trees = *options;
    few_trees.n_trees = few->n_trees;
    if (!few->is_whole) few_trees.first_tree = 0;            /* so that numbers cannot run out */
    if (!few->is_whole) few_trees.shrink = SMERF_SHRINK_OFF; /* of which more is done for the first trees */
    smerf_items *some = NULL;
    smerf_target *among = NULL;
    smerf_status status = SMERF_OK;
    bool is_part = few->n_items < items->n_items;
    if (few->n_candidates > 0) {
        few_trees.candidates = few->n_candidates;
        few_trees.candidates_power = 0;
    }
    if (is_part) status = take_part(items, target, few->n_items, &some, &among, error);
    if (status == SMERF_OK)
        status = try_trees(is_part ? some : items, is_part ? among : target, &few_trees, run,
                           few->n_items > FEWEST_ITEMS, found, error);
    smerf_target_free(among);
    smerf_items_free(some);
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
    pace found;
    status = try_plan(items, target, &resolved, run, &few, &found, error);
    while (status == SMERF_OK && found.whole == 0) { /* the sizes promised less work than there is */
        few = plan_part(&size, fmax(FEWEST_ITEMS, (double)few.n_items / 8), SECOND / 8);
        status = try_plan(items, target, &resolved, run, &few, &found, error);
    }
    if (status == SMERF_OK) scale(&size, &few, &found, estimate);
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
        return sm_fail(error, SMERF_BAD_INPUT, "{method}: there is no such method");
    found.seconds = found.bytes = found.model_bytes = NAN;
    found.n_trees_tried = found.n_items_tried = 0;
    if (full.options.method == SMERF_METHOD_FOREST)
        status = estimate_forest(items, target, &full.options, run, &found, error);
    SM_WRITE(smerf_estimate, found, estimate);
    return status;
}
