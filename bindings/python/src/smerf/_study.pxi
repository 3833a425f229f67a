# Options chosen by out-of-bag score, methods compared, data simulated.

METHODS = [_text(smerf_method_name(<smerf_method>m)) for m in range(SMERF_N_METHODS)]
METRICS = [_text(smerf_metric_name(<smerf_metric>m)) for m in range(SMERF_N_METRICS)]
RISING_METRICS = [_text(smerf_metric_name(<smerf_metric>m)) for m in range(SMERF_N_METRICS)
                  if smerf_metric_rises(<smerf_metric>m)]
MISSING = SMERF_MISSING
CANDIDATES_AUTO, CANDIDATES_ALL, CANDIDATES_PAPER = SMERF_CANDIDATES_AUTO, SMERF_CANDIDATES_ALL, SMERF_CANDIDATES_PAPER
NO_LIMIT = SMERF_NO_LIMIT
RIDGE_AUTO = SMERF_RIDGE_AUTO
COMPLETE_OFF, COMPLETE_AUTO = SMERF_COMPLETE_OFF, SMERF_COMPLETE_AUTO


cdef class Search:
    """What was tried, and what was not."""
    cdef list tried, left_out
    cdef Watch watch

    def __cinit__(self, Watch watch):
        self.tried, self.left_out, self.watch = [], [], watch


cdef void take_trial(void *context, const smerf_trial *trial) noexcept with gil:
    (<Search>context).tried.append({**facts_of(trial.options), "score": trial.score})


cdef void take_left_out(void *context, const smerf_trial *trial) noexcept with gil:
    (<Search>context).left_out.append({**facts_of(trial.options), "score": trial.score})


cdef cbool is_stopping(void *context) noexcept nogil:
    return (<Search>context).watch.is_stopping


cdef class Grid:
    """A grid as C has it, from lists of values: candidates as (number, power), self_distance as (kind, value)."""
    cdef smerf_grid grid
    cdef smerf_candidate_count *candidates
    cdef size_t *min_parents
    cdef smerf_splits *splits
    cdef double *densities
    cdef smerf_self_setting *selves

    def __cinit__(self, dict given):
        memset(&self.grid, 0, sizeof(self.grid))
        self.grid.size = sizeof(self.grid)
        n = 1 + max([len(values) for values in given.values()], default=0)
        self.candidates = <smerf_candidate_count *>malloc(n * sizeof(smerf_candidate_count))
        self.min_parents = <size_t *>malloc(n * sizeof(size_t))
        self.splits = <smerf_splits *>malloc(n * sizeof(smerf_splits))
        self.densities = <double *>malloc(n * sizeof(double))
        self.selves = <smerf_self_setting *>malloc(n * sizeof(smerf_self_setting))
        if (self.candidates == NULL or self.min_parents == NULL or self.splits == NULL or self.densities == NULL
                or self.selves == NULL):
            raise MemoryError()
        for k, (number, power) in enumerate(given.get("candidates", [])):
            self.candidates[k].number, self.candidates[k].power = number, power
            self.grid.candidates, self.grid.n_candidates = self.candidates, k + 1
        for k, value in enumerate(given.get("min_parent", [])):
            self.min_parents[k] = value
            self.grid.min_parents, self.grid.n_min_parents = self.min_parents, k + 1
        for k, value in enumerate(given.get("splits", [])):
            self.splits[k] = <smerf_splits><int>value
            self.grid.splits, self.grid.n_splits = self.splits, k + 1
        for k, value in enumerate(given.get("density", [])):
            self.densities[k] = value
            self.grid.densities, self.grid.n_densities = self.densities, k + 1
        for k, (kind, value) in enumerate(given.get("self_distance", [])):
            self.selves[k].kind, self.selves[k].value = <smerf_self><int>kind, value
            self.grid.selves, self.grid.n_selves = self.selves, k + 1

    def __dealloc__(self):
        free(self.candidates)
        free(self.min_parents)
        free(self.splits)
        free(self.densities)
        free(self.selves)


def tune(Items items, Target target, dict options, dict plan, Watch watch):
    """The best model, what was tried, what was not, and the number of the best among the tried.

    `plan` has vary, a list of names; grid, lists of values by name; metric, a number; and seconds, 0 for no end.
    """
    cdef smerf_error error
    cdef Options chosen = Options(options)
    cdef Grid grid = Grid(plan["grid"])
    cdef Search search = Search(watch)
    cdef smerf_tuning tuning
    cdef smerf_tuned best
    cdef Model made = Model(OURS)
    cdef smerf_status status
    vary = plan["vary"]
    memset(&tuning, 0, sizeof(tuning))
    memset(&best, 0, sizeof(best))
    tuning.size, best.size = sizeof(tuning), sizeof(best)
    tuning.metric, tuning.seconds = <smerf_metric><int>plan["metric"], plan["seconds"]
    tuning.vary_candidates, tuning.vary_min_parent = "candidates" in vary, "min_parent" in vary
    tuning.vary_splits, tuning.vary_self = "splits" in vary, "self_distance" in vary
    tuning.tried, tuning.left_out, tuning.stops = take_trial, take_left_out, is_stopping
    tuning.context, tuning.grid = <void *>search, &grid.grid
    watch.can_stop = True
    with nogil:
        status = smerf_tune(items.items, target.target, &chosen.forest, &tuning, &watch.run, &best, &error)
    made.model = best.model
    check(status, &error, watch)
    made.borrowed = target.borrowed
    return made, search.tried, search.left_out, best.number


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
    cdef const uint32_t[::1] groups = None
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
        elif name == "n_folds": comparison.n_folds = value
        elif name == "groups": groups = value
    if groups is not None:
        comparison.groups = &groups[0]
    comparison.options = &chosen.forest
    if "pairs_a_round" not in options:
        chosen.forest.boost = NULL  # as the library has it for comparisons
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
                 "why_not": sentence_of(&standings[m].refusal) if standings[m].refusal.status != SMERF_OK else "",
                 "seconds": standings[m].seconds, "n_rounds": standings[m].n_rounds,
                 "scores": {METRICS[k]: {"mean": standings[m].score[k].mean,
                                         "se": standings[m].score[k].standard_error} for k in metrics} |
                           ({"in-order": {"mean": standings[m].in_order.mean,
                                          "se": standings[m].in_order.standard_error}} if has_order else {})}
                for m in range(SMERF_N_METHODS)]
    finally:
        free(standings)


def division(Target target, dict plan, uint64_t seed, size_t round, size_t n_items):
    """Which items a round of a comparison by nodes learns from."""
    cdef smerf_error error
    cdef Options chosen = Options({"seed": seed})
    cdef smerf_comparison comparison
    cdef const uint32_t[::1] groups = plan.get("groups")
    made = np.zeros(n_items, dtype=np.bool_)
    cdef unsigned char[::1] is_train = made.view(np.uint8)
    smerf_comparison_default(target.target, &comparison)
    comparison.train_fraction, comparison.n_folds = plan["train_share"], plan.get("n_folds", 0)
    comparison.options = &chosen.forest
    if groups is not None:
        comparison.groups = &groups[0]
    check(smerf_compare_division(target.target, &comparison, round, <cbool *>&is_train[0], &error), &error)
    return made


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
