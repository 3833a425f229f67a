# What takes rows of distances and lists of neighbours from the library, without the interpreter's lock.

ctypedef struct row_buffer:
    char *first
    Py_ssize_t row_bytes, cell_bytes
    bint is_float
    bint is_similarity  # on this scale
    smerf_scale scale


cdef int take_row(void *context, size_t row, const double *distances, size_t n) noexcept nogil:
    cdef row_buffer *buffer = <row_buffer *>context
    cdef char *cell = buffer.first + <Py_ssize_t>row * buffer.row_bytes
    cdef double value
    cdef size_t j
    for j in range(n):
        value = smerf_similarity(&buffer.scale, distances[j]) if buffer.is_similarity else distances[j]
        if buffer.is_float:
            (<float *>cell)[0] = <float>value
        else:
            (<double *>cell)[0] = value
        cell += buffer.cell_bytes
    return 0


cdef row_buffer buffer_of(out):
    """Where an array's rows stand, whatever its strides."""
    cdef row_buffer buffer
    cdef float[:, :] floats
    cdef double[:, :] doubles
    buffer.is_float, buffer.is_similarity = out.dtype == np.float32, False
    if buffer.is_float:
        floats = out
        buffer.first = <char *>&floats[0, 0]
    else:
        doubles = out
        buffer.first = <char *>&doubles[0, 0]
    buffer.row_bytes, buffer.cell_bytes = out.strides
    return buffer


ctypedef struct neighbor_lists:
    int64_t *start      # [queries + 1], the caller's
    int64_t *item       # ours: grows
    double *distance
    size_t n, capacity
    bint is_full        # memory ran out


cdef int take_neighbors(void *context, size_t query, const smerf_neighbor *neighbors, size_t n) noexcept nogil:
    cdef neighbor_lists *lists = <neighbor_lists *>context
    cdef int64_t *item
    cdef double *distance
    cdef size_t capacity, k
    if lists.n + n > lists.capacity:
        capacity = 2 * (lists.n + n)
        item = <int64_t *>realloc(lists.item, capacity * sizeof(int64_t))
        if item != NULL:
            lists.item = item
        distance = <double *>realloc(lists.distance, capacity * sizeof(double))
        if distance != NULL:
            lists.distance = distance
        lists.is_full = item == NULL or distance == NULL
        if lists.is_full:
            return 1
        lists.capacity = capacity
    for k in range(n):
        lists.item[lists.n + k] = <int64_t>neighbors[k].item
        lists.distance[lists.n + k] = neighbors[k].distance
    lists.n += n
    lists.start[query + 1] = <int64_t>lists.n
    return 0


cdef arrays_of(neighbor_lists *lists):
    items, distances = np.empty(lists.n, np.int64), np.empty(lists.n, np.float64)
    cdef int64_t[::1] item = items
    cdef double[::1] distance = distances
    if lists.n > 0:
        memcpy(&item[0], lists.item, lists.n * sizeof(int64_t))
        memcpy(&distance[0], lists.distance, lists.n * sizeof(double))
    return items, distances
