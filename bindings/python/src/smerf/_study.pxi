# Options chosen by out-of-bag score, methods compared, data simulated.

METHODS = [_text(smerf_method_name(<smerf_method>m)) for m in range(SMERF_N_METHODS)]
METRICS = [_text(smerf_metric_name(<smerf_metric>m)) for m in range(SMERF_N_METRICS)]
RISING_METRICS = [_text(smerf_metric_name(<smerf_metric>m)) for m in range(SMERF_N_METRICS)
                  if smerf_metric_rises(<smerf_metric>m)]
MISSING = SMERF_MISSING
CANDIDATES_AUTO, CANDIDATES_ALL, CANDIDATES_PAPER = SMERF_CANDIDATES_AUTO, SMERF_CANDIDATES_ALL, SMERF_CANDIDATES_PAPER
NO_LIMIT = SMERF_NO_LIMIT
COMPLETE_OFF, COMPLETE_AUTO = SMERF_COMPLETE_OFF, SMERF_COMPLETE_AUTO


cdef void take_trial(void *context, const smerf_trial *trial) noexcept with gil:
    (<list>context).append({**facts_of(trial.options), "score": trial.score})


def tune(Items items, Target target, dict options, vary, int metric, Watch watch):
    """The best model, what was tried, and the number of the best."""
    cdef smerf_error error
    cdef Options chosen = Options(options)
    cdef smerf_tuning tuning
    cdef smerf_tuned best
    cdef Model made = Model(OURS)
    cdef list tried = []
    cdef smerf_status status
    memset(&tuning, 0, sizeof(tuning))
    memset(&best, 0, sizeof(best))
    tuning.size, best.size = sizeof(tuning), sizeof(best)
    tuning.metric = <smerf_metric>metric
    tuning.vary_candidates, tuning.vary_min_parent = "candidates" in vary, "min_parent" in vary
    tuning.vary_splits, tuning.vary_self = "splits" in vary, "self_distance" in vary
    tuning.tried, tuning.context = take_trial, <void *>tried
    with nogil:
        status = smerf_tune(items.items, target.target, &chosen.forest, &tuning, &watch.run, &best, &error)
    made.model = best.model
    check(status, &error, watch)
    made.borrowed = target.borrowed
    return made, tried, dict(tried[best.number])


def usual_metric(Target target):
    """What a target is tuned and scored by, unless told otherwise."""
    cdef smerf_comparison usual
    smerf_comparison_default(target.target, &usual)
    return METRICS[<int>usual.metric]


def compare(Items items, Target target, dict options, dict plan, Watch watch):
    """How every method fares: a list of dictionaries by method."""
    cdef smerf_error error
    cdef Options chosen = Options(options)
    cdef smerf_comparison comparison
    cdef smerf_status status
    cdef smerf_method_scores *standings = <smerf_method_scores *>malloc(SMERF_N_METHODS * sizeof(smerf_method_scores))
    if standings == NULL:
        raise MemoryError()
    smerf_comparison_default(target.target, &comparison)
    for name, value in plan.items():
        if name == "methods": comparison.methods = sum(1 << METHODS.index(method) for method in set(value))
        elif name == "n_repeats": comparison.n_repeats = value
        elif name == "train_share": comparison.train_fraction = value
        elif name == "by_pairs": comparison.by_pairs = value
        elif name == "tunes": comparison.tunes = value
        elif name == "metric": comparison.metric = <smerf_metric><int>METRICS.index(value)
    comparison.options = &chosen.forest
    memset(standings, 0, SMERF_N_METHODS * sizeof(smerf_method_scores))
    for m in range(SMERF_N_METHODS):
        standings[m].size = sizeof(smerf_method_scores)
    try:
        with nogil:
            status = smerf_compare(items.items, target.target, &comparison, &watch.run, standings, SMERF_N_METHODS, &error)
        check(status, &error, watch)
        metrics = [METRICS.index(name) for name in target.metrics()]
        has_order = not target.metrics()  # triplets have one score
        return [{"method": METHODS[m], "applies": bool(standings[m].applies),
                 "why_not": standings[m].why_not.decode("utf-8", "replace"), "seconds": standings[m].seconds,
                 "scores": {METRICS[k]: {"mean": standings[m].score[k].mean,
                                         "se": standings[m].score[k].standard_error} for k in metrics} |
                           ({"in-order": {"mean": standings[m].in_order.mean,
                                          "se": standings[m].in_order.standard_error}} if has_order else {})}
                for m in range(SMERF_N_METHODS)]
    finally:
        free(standings)


def simulate(int kind, size_t first_item, size_t n, uint64_t seed, uint32_t part):
    """Features [n][20] and the distances of all pairs [n][n]."""
    cdef smerf_error error
    cdef size_t i, j
    features, distances = np.empty((n, SMERF_SIMULATED_FEATURES)), np.empty((n, n))
    cdef double[:, ::1] x = features, z = distances
    cdef double[::1] y = np.empty(n)
    cdef smerf_simulation wanted
    wanted.size, wanted.kind, wanted.part, wanted.seed = sizeof(wanted), <smerf_simulation_kind>kind, part, seed
    wanted.first_item, wanted.n_items = first_item, n
    check(smerf_simulate(&wanted, &x[0, 0], &y[0], &error), &error)
    with nogil:
        for i in range(n):
            for j in range(n):
                z[i, j] = smerf_simulated_distance(<smerf_simulation_kind>kind, y[i], y[j])
    return features, distances
