# A catalogue that is kept, and the distance of two items at a time.


cdef class Index:
    """Comes from `index` or `load_index`, which fill it. Whoever adds sees that nobody searches meanwhile."""
    cdef smerf_index *index
    cdef Model model  # which must outlive it

    def __cinit__(self, ours):
        if ours is not OURS:
            raise TypeError("an index comes from the model that it belongs to")

    def __dealloc__(self):
        smerf_index_free(self.index)

    def __len__(self):
        return smerf_index_count(self.index)

    def __reduce__(self):
        return index_from_bytes, (self.to_bytes(), self.model)

    def add(self, Items items, Watch watch):
        cdef smerf_error error
        cdef smerf_status status
        with nogil:
            status = smerf_index_add(self.index, items.items, &watch.run, &error)
        check(status, &error, watch)

    def query(self, Items queries, size_t k, radius, Watch watch):
        """As `Model.neighbors`."""
        cdef smerf_error error
        cdef smerf_neighborhood wanted
        cdef neighbor_lists lists
        cdef smerf_status status
        memset(&wanted, 0, sizeof(wanted))
        wanted.size = sizeof(wanted)
        memset(&lists, 0, sizeof(lists))
        wanted.queries = queries.items
        wanted.k = k
        wanted.has_radius = radius is not None
        wanted.radius = 0 if radius is None else radius
        starts = np.zeros(queries.n + 1, np.int64)
        cdef int64_t[::1] start = starts
        lists.start = &start[0]
        try:
            with nogil:
                status = smerf_index_query(self.index, &wanted, &watch.run, take_neighbors, &lists, &error)
            if lists.is_full:
                raise MemoryError("out of memory while collecting neighbours")
            check(status, &error, watch)
            return (starts, *arrays_of(&lists))
        finally:
            free(lists.item)
            free(lists.distance)

    def save(self, path):
        cdef smerf_error error
        cdef bytes name = os.fsencode(path)
        cdef const char *to = name
        cdef smerf_status status
        with nogil:
            status = smerf_index_save(self.index, to, &error)
        check(status, &error)

    def to_bytes(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "index")
            self.save(path)
            with open(path, "rb") as file:
                return file.read()


def index(Model model, Items items, Watch watch):
    cdef smerf_error error
    cdef Index made = Index(OURS)
    cdef smerf_status status
    made.model = model
    with nogil:
        status = smerf_index_new(model.model, items.items, &watch.run, &made.index, &error)
    check(status, &error, watch)
    return made


def load_index(path, Model model):
    cdef smerf_error error
    cdef Index made = Index(OURS)
    cdef bytes name = os.fsencode(path)
    cdef const char *source = name
    cdef smerf_status status
    made.model = model
    with nogil:
        status = smerf_index_load(source, model.model, &made.index, &error)
    check(status, &error)
    return made


def index_from_bytes(bytes data, Model model):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "index")
        with open(path, "wb") as file:
            file.write(data)
        return load_index(path, model)


cdef class Metric:
    """The distance of two rows of numbers: one call of the library, which reads them where they are copied to.

    It keeps the interpreter's lock, as it takes microseconds: several threads may share it.
    """
    cdef Model model
    cdef Items items
    cdef Watch watch
    cdef double[:, ::1] rows

    def __cinit__(self, Model model not None, Watch watch not None):
        names = [name for name, _ in model.features()]
        table = np.zeros((2, len(names)))
        self.model, self.watch, self.rows = model, watch, table
        self.items = Items([(name, table[:, f]) for f, name in enumerate(names)], 2)

    def __reduce__(self):
        return Metric, (self.model, Watch(1))

    def __call__(self, const double[:] u, const double[:] v):
        cdef smerf_error error
        cdef smerf_request request = request_of(self.items, None, False)
        cdef smerf_pair_list pairs
        cdef smerf_pair_result result
        cdef uint32_t left = 0, right = 1
        cdef double distance = 0
        cdef Py_ssize_t f, p = self.rows.shape[1]
        if u.shape[0] != p or v.shape[0] != p:
            raise ValueError(f"the two items have {u.shape[0]} and {v.shape[0]} features, and the model has {p}")
        for f in range(p):
            if isinf(u[f]) or isinf(v[f]):
                raise ValueError(f"feature {f} of an item is infinite; a number is finite, or NaN where it is missing")
            self.rows[0, f], self.rows[1, f] = u[f], v[f]
        memset(&pairs, 0, sizeof(pairs))
        pairs.n, pairs.left, pairs.right = 1, &left, &right
        result.size = sizeof(result)
        result.distance, result.spread = &distance, NULL
        check(smerf_predict_pairs(self.model.model, &request, &pairs, &self.watch.run, &result, &error), &error, self.watch)
        return distance
