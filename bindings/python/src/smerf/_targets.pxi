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
