# Models: learned, used, saved and loaded.


cdef class Options:
    """Options as C has them: the forest's point to those of the other methods."""
    cdef smerf_options forest
    cdef smerf_baseline_options baselines
    cdef smerf_boost_options boost

    def __cinit__(self, dict given):
        smerf_options_default(&self.forest)
        smerf_baseline_options_default(&self.baselines)
        smerf_boost_options_default(&self.boost)
        self.forest.baselines = &self.baselines
        self.forest.boost = &self.boost
        for name, value in given.items():
            if not self.set(name, value):
                raise TypeError(f"no option is called {name}")

    cdef bint set(self, str name, value) except -1:
        cdef smerf_options *options = &self.forest
        if name == "method": options.method = <smerf_method><int>value
        elif name == "seed": options.seed = value
        elif name == "first_tree": options.first_tree = value
        elif name == "n_trees": options.n_trees = value
        elif name == "splits": options.splits = <smerf_splits><int>value
        elif name == "candidates": options.candidates = value
        elif name == "candidates_power": options.candidates_power = value
        elif name == "density": options.density = value
        elif name == "min_parent": options.min_parent = value
        elif name == "max_depth": options.max_depth = value
        elif name == "sample": options.sample = <smerf_sample><int>value
        elif name == "sample_share": options.sample_fraction = value
        elif name == "oob_rule": options.oob_rule = <smerf_oob_rule><int>value
        elif name == "self_distance": options.self_distance = <smerf_self><int>value
        elif name == "self_value": options.self_value = value
        elif name == "shrink": options.shrink = value
        elif name == "complete": options.complete = value
        elif name == "rank": options.rank = value
        elif name == "n_pairs": self.baselines.n_pairs = value
        elif name == "n_factors": self.baselines.n_factors = value
        elif name == "n_burn": self.baselines.n_burn = value
        elif name == "n_draws": self.baselines.n_draws = value
        elif name == "n_chains": self.baselines.n_chains = value
        elif name == "has_intercept": self.baselines.has_intercept = value
        elif name == "ridge": self.baselines.ridge = value
        elif name == "n_linear_bags": self.baselines.n_bags = value
        else: return self.set_boost(name, value)
        return True

    cdef bint set_boost(self, str name, value) except -1:
        cdef smerf_boost_options *boost = &self.boost
        if name == "n_rounds": boost.n_rounds = value
        elif name == "most_rounds": boost.most_rounds = value
        elif name == "n_leaves": boost.n_leaves = value
        elif name == "min_leaf": boost.min_leaf = value
        elif name == "learning_rate": boost.learning_rate = value
        elif name == "l2": boost.l2 = value
        elif name == "n_bags": boost.n_bags = value
        elif name == "pairs_a_round": boost.pairs_a_round = value
        elif name == "loss": boost.loss = <smerf_boost_loss><int>value
        elif name == "pair_features": boost.pair_features = <smerf_pair_features><int>value
        elif name == "base": boost.base = <smerf_boost_base><int>value
        else: return False
        return True


cdef dict boost_facts_of(const smerf_boost_options *boost):
    return {"n_rounds": boost.n_rounds, "most_rounds": boost.most_rounds, "n_leaves": boost.n_leaves,
            "min_leaf": boost.min_leaf, "learning_rate": boost.learning_rate, "l2": boost.l2, "n_bags": boost.n_bags,
            "pairs_a_round": boost.pairs_a_round, "loss": <int>boost.loss,
            "pair_features": <int>boost.pair_features, "base": <int>boost.base}


cdef dict facts_of(const smerf_options *options):
    cdef const smerf_baseline_options *baselines = options.baselines
    cdef const smerf_boost_options *boost = options.boost
    return {"seed": options.seed, "first_tree": options.first_tree, "n_trees": options.n_trees,
            "splits": <int>options.splits, "candidates": options.candidates, "density": options.density,
            "min_parent": options.min_parent, "max_depth": options.max_depth, "sample": <int>options.sample,
            "sample_share": options.sample_fraction, "oob_rule": <int>options.oob_rule,
            "self_distance": <int>options.self_distance, "self_value": options.self_value, "shrink": options.shrink,
            "complete": options.complete, "rank": options.rank, "n_pairs": baselines.n_pairs,
            "n_factors": baselines.n_factors, "n_burn": baselines.n_burn, "n_draws": baselines.n_draws,
            "n_chains": baselines.n_chains, "has_intercept": bool(baselines.has_intercept),
            "ridge": baselines.ridge, "n_linear_bags": baselines.n_bags,
            **({} if boost == NULL else boost_facts_of(boost))}


cdef const smerf_items *items_or_null(Items items) noexcept:
    return NULL if items is None else items.items


cdef smerf_request request_of(Items rows, Items columns, bint out_of_bag):
    cdef smerf_request request
    memset(&request, 0, sizeof(request))
    request.size = sizeof(request)
    request.rows = rows.items
    request.columns = items_or_null(columns)
    request.out_of_bag = out_of_bag
    return request


cdef smerf_pair_list pairs_of(const uint32_t[::1] left, const uint32_t[::1] right):
    """At least one."""
    cdef smerf_pair_list pairs
    memset(&pairs, 0, sizeof(pairs))
    pairs.n, pairs.left, pairs.right = left.shape[0], &left[0], &right[0]
    return pairs


cdef size_t FEW_ITEMS = 64  # of a request: a prepared model is quicker


cdef class Model:
    """`Model(bytes)` reads what `to_bytes` gave; else it comes from `fit`, `load`, `merge` or `tune`, which fill it."""
    cdef smerf_model *model
    cdef object borrowed  # the matrix that a forest was grown on
    cdef object listed    # what features() has told
    cdef size_t n_small   # requests about few items so far

    def __cinit__(self, data):
        if data is not OURS:
            self.read(data)

    cdef read(self, bytes data):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "model")
            with open(path, "wb") as file:
                file.write(data)
            self.load(path)

    cdef load(self, path):
        cdef smerf_error error
        cdef bytes name = os.fsencode(path)
        cdef const char *source = name
        cdef smerf_status status
        with nogil:
            status = smerf_model_load(source, &self.model, &error)
        check(status, &error)

    def __dealloc__(self):
        smerf_model_free(self.model)

    # ---- in and out ----

    def save(self, path, note=None):
        """`note` is a text that `note` gives back of the model that is loaded from the file."""
        cdef smerf_error error
        cdef bytes name = os.fsencode(path), text = _utf8(note or "")
        cdef const char *to = name
        cdef const char *kept = NULL if note is None else <const char *>text
        cdef smerf_status status
        with nogil:
            status = smerf_model_save_noted(self.model, to, kept, &error)
        check(status, &error)

    def note(self):
        """The text that it was saved with, or None."""
        return _text(smerf_model_note(self.model))

    def to_bytes(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "model")
            self.save(path)
            with open(path, "rb") as file:
                return file.read()

    def __deepcopy__(self, memo):
        return self  # nothing ever changes it

    def __reduce__(self):
        return Model, (self.to_bytes(),)  # the form that skops takes too

    # ---- what it is ----

    cdef smerf_description about(self):
        cdef smerf_error error
        cdef smerf_description about
        memset(&about, 0, sizeof(about))
        about.size = sizeof(about)
        check(smerf_model_describe(self.model, &about, &error), &error)
        return about

    def describe(self):
        cdef smerf_description about = self.about()
        cdef double value
        findings = {}
        for k in range(smerf_model_n_diagnostics(self.model)):
            name = _text(smerf_model_diagnostic(self.model, k, &value))
            findings[name] = value
        return {"method": _text(about.method), "target": _text(about.target),
                "target_columns": [_text(about.target_columns[c]) for c in range(about.n_target_columns)],
                "n_items": about.n_items, "n_features": about.n_features, "n_nodes": about.n_nodes,
                "n_leaves": about.n_leaves, "id_column": _text(about.id_column),
                "rank_share": about.rank_fraction,
                "shrinkage": about.shrinkage, "mean_distance": about.mean_distance,
                "largest_similarity": about.largest_similarity if about.from_similarities else None,
                "options": facts_of(about.options), "findings": findings}

    def features(self):
        """(name, levels) of every feature; levels is None for numbers."""
        cdef smerf_description about
        cdef smerf_column column
        if self.listed is not None:
            return self.listed
        about = self.about()
        features = []
        for f in range(about.n_features):
            smerf_model_feature(self.model, f, &column)
            levels = [_text(column.levels[k]) for k in range(column.n_levels)]
            features.append((_text(column.name), levels if column.kind == SMERF_CATEGORY else None))
        self.listed = tuple(features)
        return self.listed

    def training_rows(self, Items items):
        """Which training items these are, by id (by row without ids) and by their features; MISSING: none of them."""
        cdef smerf_error error
        cdef smerf_status status
        found = np.empty(max(1, items.n), np.uint32)
        cdef uint32_t[::1] rows = found
        with nogil:
            status = smerf_model_training_rows(self.model, items.items, &rows[0], &error)
        check(status, &error)
        return found[: items.n]

    def has_out_of_bag(self):
        """Whether pairs of training items can be predicted out of bag."""
        return bool(smerf_model_has_out_of_bag(self.model))

    def learns_pairs(self):
        """Whether it predicts the pairs of its training items better than others."""
        return bool(smerf_method_learns_pairs(self.about().options.method))

    def has_vectors(self):
        return smerf_vectors_size(self.model) > 0

    def value_names(self):
        return [_text(smerf_model_value_name(self.model, v)) for v in range(smerf_model_n_values(self.model))]

    # ---- small requests ----

    def prepare(self, Watch watch):
        """Makes the trees ready for all requests to come."""
        cdef smerf_error error
        cdef smerf_status status
        with nogil:
            status = smerf_model_prepare(self.model, &watch.run, &error)
        check(status, &error, watch)

    cdef notice(self, Items rows, Items columns, Watch watch):
        """The second request about few items is worth preparing for: more will follow."""
        if rows.n + (0 if columns is None else columns.n) > FEW_ITEMS:
            return
        self.n_small += 1
        if self.n_small == 2:
            self.prepare(watch)

    # ---- distances ----

    def has_scale(self):
        """Whether it has learned from similarities, or weights of edges."""
        cdef smerf_scale scale
        return bool(smerf_model_scale(self.model, &scale))

    def distances(self, Items rows, Items columns, bint out_of_bag, out, Watch watch, bint as_similarities=False):
        """Into out, [rows][columns] of float32 or float64; on the scale of similarities, if the model has one."""
        cdef smerf_error error
        cdef smerf_request request = request_of(rows, columns, out_of_bag)
        cdef row_buffer buffer = buffer_of(out)
        cdef smerf_status status
        self.notice(rows, columns, watch)
        buffer.is_similarity = as_similarities and smerf_model_scale(self.model, &buffer.scale)
        with nogil:
            status = smerf_predict_rows(self.model, &request, &watch.run, take_row, &buffer, &error)
        check(status, &error, watch)

    def pairs(self, Items rows, Items columns, const uint32_t[::1] left, const uint32_t[::1] right, bint out_of_bag,
              bint with_spread, Watch watch):
        cdef smerf_error error
        cdef smerf_request request = request_of(rows, columns, out_of_bag)
        cdef size_t n = left.shape[0]
        cdef smerf_pair_list pairs
        cdef smerf_pair_result result
        cdef smerf_status status
        distances, spreads = np.empty(n), np.empty(n)
        cdef double[::1] distance = distances, spread = spreads
        if n == 0:
            return distances, spreads
        pairs = pairs_of(left, right)
        result.size = sizeof(result)
        result.distance, result.spread = &distance[0], &spread[0] if with_spread else NULL
        self.notice(rows, columns, watch)
        with nogil:
            status = smerf_predict_pairs(self.model, &request, &pairs, &watch.run, &result, &error)
        check(status, &error, watch)
        return distances, spreads

    def values(self, Items rows, bint out_of_bag, Watch watch):
        """Shares of classes, or responses: [rows][values]."""
        cdef smerf_error error
        cdef smerf_request request = request_of(rows, None, out_of_bag)
        cdef smerf_status status
        made = np.empty((rows.n, max(1, smerf_model_n_values(self.model))))
        cdef double[:, ::1] values = made
        self.notice(rows, None, watch)
        with nogil:
            status = smerf_predict_values(self.model, &request, &watch.run, &values[0, 0], &error)
        check(status, &error, watch)
        return made

    def leaves(self, Items rows, Watch watch):
        cdef smerf_error error
        cdef smerf_description about = self.about()
        cdef smerf_status status
        made = np.empty((rows.n, about.options.n_trees), np.uint32)
        cdef uint32_t[:, ::1] leaves = made
        with nogil:
            status = smerf_predict_leaves(self.model, rows.items, &watch.run, &leaves[0, 0], &error)
        check(status, &error, watch)
        return made

    def neighbors(self, Items items, Items queries, size_t k, radius, bint out_of_bag, Watch watch):
        """As compressed rows: where each query's start, rows of items, distances."""
        cdef smerf_error error
        cdef smerf_neighborhood wanted
        cdef neighbor_lists lists
        cdef smerf_status status
        memset(&wanted, 0, sizeof(wanted))
        wanted.size = sizeof(wanted)
        memset(&lists, 0, sizeof(lists))
        wanted.items = items.items
        wanted.queries = items_or_null(queries)
        wanted.k = k
        wanted.has_radius = radius is not None
        wanted.radius = 0 if radius is None else radius
        wanted.out_of_bag = out_of_bag
        starts = np.zeros((items if queries is None else queries).n + 1, np.int64)
        cdef int64_t[::1] start = starts
        lists.start = &start[0]
        try:
            with nogil:
                status = smerf_neighbors(self.model, &wanted, &watch.run, take_neighbors, &lists, &error)
            if lists.is_full:
                raise MemoryError("out of memory while collecting neighbours")
            check(status, &error, watch)
            return (starts, *arrays_of(&lists))
        finally:
            free(lists.item)
            free(lists.distance)

    # ---- how good ----

    def evaluate(self, Items rows, Items columns, Target truth, bint out_of_bag, unsigned metrics, Watch watch):
        cdef smerf_error error
        cdef smerf_request request = request_of(rows, columns, out_of_bag)
        cdef const smerf_target *known = NULL if truth is None else truth.target
        cdef smerf_scores scores
        cdef smerf_status status
        memset(&scores, 0, sizeof(scores))
        scores.size = sizeof(scores)
        with nogil:
            status = smerf_evaluate(self.model, &request, known, metrics, &watch.run, &scores, &error)
        check(status, &error, watch)
        return {_text(smerf_metric_name(<smerf_metric>m)): scores.value[m] for m in range(SMERF_N_METRICS)
                if scores.metrics >> m & 1}


    def correlate(self, Items rows, Items columns, Target truth, bint out_of_bag, size_t n_permutations, uint64_t seed,
                  Watch watch):
        """Correlations over all pairs, and Mantel's test of them."""
        cdef smerf_error error
        cdef smerf_request request = request_of(rows, columns, out_of_bag)
        cdef const smerf_target *known = NULL if truth is None else truth.target
        cdef smerf_correlation found
        cdef smerf_status status
        memset(&found, 0, sizeof(found))
        found.size, found.n_permutations, found.seed = sizeof(found), n_permutations, seed
        with nogil:
            status = smerf_correlate(self.model, &request, known, &watch.run, &found, &error)
        check(status, &error, watch)
        return {"pearson": found.pearson, "p_pearson": found.p_pearson, "spearman": found.spearman,
                "p_spearman": found.p_spearman, "n_items": found.n_rows, "n_pairs": found.n_pairs}

    def evaluate_triplets(self, Items rows, Target truth, Watch watch):
        """How many comparisons are in order; 'log-loss' only where distances are log-odds."""
        cdef smerf_error error
        cdef smerf_request request = request_of(rows, None, False)
        cdef smerf_triplet_scores scores
        cdef smerf_status status
        memset(&scores, 0, sizeof(scores))
        scores.size = sizeof(scores)
        with nogil:
            status = smerf_evaluate_triplets(self.model, &request, truth.target, &watch.run, &scores, &error)
        check(status, &error, watch)
        found = {"in-order": scores.in_order, "standard-error": scores.standard_error}
        return {**found, "log-loss": scores.log_loss} if self.about().are_log_odds else found


def fit(Items items, Target target, dict options, Watch watch):
    cdef smerf_error error
    cdef Options chosen = Options(options)
    cdef Model made = Model(OURS)
    cdef smerf_status status
    with nogil:
        status = smerf_fit(items.items, target.target, &chosen.forest, &watch.run, &made.model, &error)
    check(status, &error, watch)
    made.borrowed = target.borrowed
    return made


def load(path):
    cdef Model made = Model(OURS)
    made.load(path)
    return made


def merge(parts):
    """Joins parts of one forest."""
    cdef smerf_error error
    cdef Model made = Model(OURS)
    cdef size_t n = len(parts)
    cdef const smerf_model **models = <const smerf_model **>malloc((n + 1) * sizeof(smerf_model *))
    if models == NULL:
        raise MemoryError()
    for k in range(n):
        models[k] = (<Model?>parts[k]).model
    try:
        check(smerf_model_merge(models, n, &made.model, &error), &error)
    finally:
        free(models)
    # The target of the whole is that of the part with the first tree, and so is what it borrows.
    made.borrowed = (<Model>min(parts, key=lambda part: part.describe()["options"]["first_tree"])).borrowed
    return made
