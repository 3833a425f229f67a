# Items: columns of numbers, which are kept alive here, and of categories, which are copied.


cdef class Items:
    """`columns` is a list of (name, array of numbers) and (name, uint32 array of codes, list of levels).

    Numbers are float64 or float32, and may have others between them, as the column of a table has; they are not copied.
    """
    cdef smerf_items *items
    cdef readonly size_t n
    cdef readonly list columns
    cdef readonly object ids, weights  # (column name, values), or None

    def __cinit__(self, list columns not None, size_t n, ids=None, weights=None):
        self.columns, self.n, self.ids, self.weights = columns, n, ids, weights
        self.make()
        if ids is not None:
            self.name_items(ids[0], ids[1])
        if weights is not None:
            self.weigh(weights[0], weights[1])

    cdef make(self):
        cdef smerf_error error
        cdef size_t n = len(self.columns), n_items = self.n
        cdef smerf_status status
        cdef smerf_items *made = NULL
        cdef smerf_column *column = <smerf_column *>malloc((n + 1) * sizeof(smerf_column))
        if column == NULL:
            raise MemoryError()
        try:
            kept = [fill_column(&column[f], given, n_items) for f, given in enumerate(self.columns)]
            with nogil:
                status = smerf_items_new(column, n, n_items, &made, &error)
            check(status, &error)
        finally:
            free(column)
        smerf_items_free(self.items)
        self.items = made

    cdef name_items(self, column, ids):
        cdef smerf_error error
        cdef bytes name = _utf8(column)
        cdef Words words = Words(ids)
        if words.n != self.n:
            raise ValueError(f"{words.n} ids for {self.n} items")
        check(smerf_items_set_ids(self.items, name, words.text, &error), &error)

    cdef weigh(self, column, const double[::1] weights):
        cdef smerf_error error
        cdef bytes name = _utf8(column)
        if <size_t>weights.shape[0] != self.n:
            raise ValueError(f"{weights.shape[0]} weights for {self.n} items")
        check(smerf_items_set_weights(self.items, name, &weights[0], &error), &error)

    def __dealloc__(self):
        smerf_items_free(self.items)

    def __deepcopy__(self, memo):
        return self  # nothing ever changes it

    def __reduce__(self):
        return Items, (self.columns, self.n, self.ids, self.weights)


cdef fill_column(smerf_column *column, given, size_t n_items):
    """Gives back what must live until the items are made."""
    cdef const double[:] doubles
    cdef const float[:] floats
    cdef const uint32_t[::1] codes
    cdef bytes name = _utf8(given[0])
    cdef Words levels
    memset(column, 0, sizeof(smerf_column))
    column.name = name
    if len(given) == 2:
        numbers = given[1]
        if numbers.shape != (n_items,) or n_items == 0 or (n_items > 1 and numbers.strides[0] <= 0):
            raise ValueError(f"column '{given[0]}' has the shape {numbers.shape} for {n_items} items")
        column.kind = SMERF_NUMBER
        column.step = numbers.strides[0] // numbers.itemsize if n_items > 1 else 1
        if numbers.dtype == np.float32:
            floats = numbers
            column.floats = &floats[0]
        else:
            doubles = numbers
            column.values = &doubles[0]
        return name
    codes, levels = given[1], Words(given[2])
    if <size_t>codes.shape[0] != n_items:
        raise ValueError(f"column '{given[0]}' has {codes.shape[0]} values for {n_items} items")
    column.kind = SMERF_CATEGORY
    column.codes = &codes[0] if n_items > 0 else NULL
    column.levels = levels.text
    column.n_levels = levels.n
    return name, levels
