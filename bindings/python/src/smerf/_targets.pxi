# Targets: what is known of the pairs. A matrix is borrowed, and so kept alive here; all else is copied.


cdef class Target:
    """Comes from the functions below, which fill it before anybody sees it."""
    cdef smerf_target *target
    cdef object borrowed

    def __cinit__(self, key):
        if key is not OURS:
            raise TypeError("a target comes from the functions that make one")

    def __dealloc__(self):
        smerf_target_free(self.target)

    def note_similarities(self, double largest):
        """That its distances are `largest` minus similarities."""
        smerf_target_note_similarities(self.target, largest)

    def take(self, const uint32_t[::1] rows):
        """What is known of the pairs among some of the items."""
        cdef Target made = Target(OURS)
        cdef smerf_error error
        cdef size_t n = rows.shape[0]
        cdef smerf_status status
        with nogil:
            status = smerf_target_take(self.target, &rows[0], n, &made.target, &error)
        check(status, &error)
        return made

    def metrics(self):
        """The names of the metrics that it has a notion of."""
        return metric_names(smerf_target_metrics(self.target))

    def take(self, const uint32_t[::1] rows):
        """What is known of the pairs among some items."""
        cdef Target made = Target(OURS)
        cdef smerf_error error
        check(smerf_target_take(self.target, &rows[0], rows.shape[0], &made.target, &error), &error)
        made.borrowed = self.borrowed
        return made

    def divide(self, double train_share, uint64_t seed):
        """The pairs to train on, and those to test with, as two targets."""
        cdef Target train = Target(OURS), test = Target(OURS)
        cdef smerf_error error
        check(smerf_target_divide(self.target, train_share, seed, &train.target, &test.target, &error), &error)
        train.borrowed = test.borrowed = self.borrowed
        return train, test

    def matrix(self, size_t n_items):
        """The distances of all pairs, NaN where one is not known."""
        made = np.empty((n_items, n_items))
        cdef double[:, ::1] row = made
        for i in range(n_items):
            smerf_target_row(self.target, i, &row[i, 0])
        return made

    def score(self, const double[:, ::1] predicted):
        """Scores of distances from elsewhere, by the names of the metrics."""
        cdef smerf_error error
        cdef smerf_scores scores
        memset(&scores, 0, sizeof(scores))
        scores.size = sizeof(scores)
        check(smerf_score(&predicted[0, 0], self.target, 0, &scores, &error), &error)
        if scores.mean_partners < SMERF_FEWEST_PARTNERS:  # as smerf_compare has it
            scores.value[SMERF_MAP10] = float("nan")
        return {_text(smerf_metric_name(<smerf_metric>m)): scores.value[m] for m in range(SMERF_N_METRICS)
                if scores.metrics >> m & 1}


cdef list metric_names(unsigned metrics):
    return [_text(smerf_metric_name(<smerf_metric>m)) for m in range(SMERF_N_METRICS) if metrics >> m & 1]


def target_of_distances(const float[:, ::1] z, bint has_diagonal):
    """A symmetric matrix, which is not copied."""
    cdef Target made = Target(OURS)
    cdef smerf_error error
    cdef size_t n = z.shape[0]
    cdef smerf_status status
    with nogil:
        status = smerf_target_new_distances(&z[0, 0], n, &made.target, &error)
    check(status, &error)
    if not has_diagonal:
        smerf_target_note_no_diagonal(made.target)
    made.borrowed = z
    return made


def target_of_block(const float[:, ::1] z):
    """Distances between two sets of items, which are not copied."""
    cdef Target made = Target(OURS)
    cdef smerf_error error
    check(smerf_target_new_block(&z[0, 0], z.shape[0], z.shape[1], &made.target, &error), &error)
    made.borrowed = z
    return made


def target_of_labels(column, const uint32_t[::1] codes, classes):
    cdef Target made = Target(OURS)
    cdef smerf_error error
    cdef bytes name = _utf8(column)
    cdef Words words = Words(classes)
    check(smerf_target_new_labels(name, &codes[0], codes.shape[0], words.text, words.n, &made.target, &error), &error)
    return made


def target_of_columns(kind, names, const double[::1, :] values):
    """A response, a product, or an absolute difference, from columns one after the other."""
    cdef Target made = Target(OURS)
    cdef smerf_error error
    cdef Words words = Words(names)
    cdef size_t n = values.shape[0]
    cdef const double **columns = <const double **>malloc((words.n + 1) * sizeof(double *))
    if columns == NULL:
        raise MemoryError()
    for c in range(words.n):
        columns[c] = &values[0, c]
    try:
        if kind == "response":
            check(smerf_target_new_response(words.text, columns, words.n, n, &made.target, &error), &error)
        elif kind == "product":
            check(smerf_target_new_product(words.text, columns, words.n, n, &made.target, &error), &error)
        else:
            check(smerf_target_new_absolute(words.text[0], columns[0], n, &made.target, &error), &error)
    finally:
        free(columns)
    return made


cdef smerf_pair_list pair_list(const uint32_t[::1] left, const uint32_t[::1] right, const double[::1] value,
                               const double[::1] weight):
    cdef smerf_pair_list pairs
    memset(&pairs, 0, sizeof(pairs))
    pairs.n = left.shape[0]
    if pairs.n > 0:
        pairs.left = &left[0]
        pairs.right = &right[0]
        pairs.value = NULL if value is None else &value[0]
        pairs.weight = NULL if weight is None else &weight[0]
    return pairs


def target_of_pairs(const uint32_t[::1] left, const uint32_t[::1] right, const double[::1] value,
                    const double[::1] weight, size_t n_items):
    cdef Target made = Target(OURS)
    cdef smerf_error error
    cdef smerf_pair_list pairs = pair_list(left, right, value, weight)
    cdef smerf_status status
    with nogil:
        status = smerf_target_new_pairs(&pairs, n_items, &made.target, &error)
    check(status, &error)
    return made


def target_of_triplets(const uint32_t[::1] anchor, const uint32_t[::1] nearer, const uint32_t[::1] farther,
                       const double[::1] weight, size_t n_items):
    cdef Target made = Target(OURS)
    cdef smerf_error error
    cdef smerf_triplet_list triplets
    cdef smerf_status status
    if not anchor.shape[0] == nearer.shape[0] == farther.shape[0]:
        raise ValueError("the three columns of triplets are not of one length")
    memset(&triplets, 0, sizeof(triplets))
    triplets.n = anchor.shape[0]
    if triplets.n > 0:
        triplets.anchor, triplets.near, triplets.far = &anchor[0], &nearer[0], &farther[0]
        triplets.weight = NULL if weight is None else &weight[0]
    with nogil:
        status = smerf_target_new_triplets(&triplets, n_items, &made.target, &error)
    check(status, &error)
    return made


def target_of_graph(const uint32_t[::1] left, const uint32_t[::1] right, const double[::1] value, observed,
                    size_t n_items):
    """`observed` is None, or two arrays: the only pairs of which it is known whether there is an edge."""
    cdef Target made = Target(OURS)
    cdef smerf_error error
    cdef smerf_pair_list edges = pair_list(left, right, value, None), known
    cdef const smerf_pair_list *only = NULL
    cdef smerf_status status
    if observed is not None:
        known = pair_list(observed[0], observed[1], None, None)
        only = &known
    with nogil:
        status = smerf_target_new_graph(&edges, only, n_items, &made.target, &error)
    check(status, &error)
    return made
