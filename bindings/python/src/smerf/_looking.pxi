# What a model is: its facts, its trees as JSON, the matrix of a linear method; and what a fit will cost.


cdef str fact_name(const char *key):
    """"first tree" is what people read, "first_tree" what programs do."""
    return _text(key).replace(" ", "_").replace("-", "_")


cdef void fact_text(void *context, const char *key, const char *text) noexcept with gil:
    (<dict>context)[fact_name(key)] = _text(text)


cdef void fact_number(void *context, const char *key, double value) noexcept with gil:
    (<dict>context)[fact_name(key)] = value


cdef void fact_count(void *context, const char *key, size_t count) noexcept with gil:
    (<dict>context)[fact_name(key)] = count


cdef void fact_none(void *context, const char *key) noexcept with gil:
    (<dict>context)[fact_name(key)] = None


cdef void fact_list(void *context, const char *key, name_list names, size_t n) noexcept with gil:
    (<dict>context)[fact_name(key)] = [_text(names[i]) for i in range(n)]


cdef void fact_features(void *context, const char *key, const smerf_model *model, size_t n) noexcept with gil:
    cdef smerf_column column
    names = []
    for f in range(n):
        smerf_model_feature(model, f, &column)
        names.append(_text(column.name))
    (<dict>context)[fact_name(key)] = names


def info(Model model):
    """The facts that `smerf info` tells, by their names in its JSON."""
    cdef sm_fact_sink sink
    cdef dict facts = {}
    sink.text, sink.number, sink.count, sink.none = fact_text, fact_number, fact_count, fact_none
    sink.list, sink.features, sink.context = fact_list, fact_features, <void *>facts
    sm_facts_tell(model.model, &sink)
    return facts


def export(Model model, path):
    """A forest as JSON."""
    cdef smerf_error error
    cdef bytes name = os.fsencode(path)
    cdef const char *to = name
    cdef sm_output *output = NULL
    cdef smerf_status status
    with nogil:
        status = sm_text_output_open(to, &output, &error)
        if status == SMERF_OK:
            status = sm_forest_write(model.model, output, &error)
            if status == SMERF_OK:
                status = sm_output_finish(output, &error)
            else:
                sm_output_abandon(output)
    check(status, &error)


def linear(Model model):
    """F [components][columns], the intercept, and the means of the columns."""
    cdef smerf_error error
    cdef smerf_linear about
    memset(&about, 0, sizeof(about))
    about.size = sizeof(about)
    check(smerf_model_linear(model.model, &about, &error), &error)
    cdef size_t n = about.n_columns, rank = about.n_components
    factor, middle = np.empty((rank, n)), np.empty(n)
    cdef double[:, ::1] components = factor
    cdef double[::1] means = middle
    if rank > 0:
        memcpy(&components[0, 0], about.components, rank * n * sizeof(double))
    memcpy(&means[0], about.means, n * sizeof(double))
    return factor, about.intercept, middle


def linear_matrix(Model model):
    """W, [columns][columns]."""
    cdef smerf_error error
    n = linear(model)[2].shape[0]
    matrix = np.empty((n, n))
    cdef double[:, ::1] w = matrix
    check(smerf_model_linear_matrix(model.model, &w[0, 0], &error), &error)
    return matrix


def known_rows(source, rows, size_t n_columns):
    """What a target, or the one that a forest was trained on, knows of some rows: [rows][columns], NaN where nothing is."""
    cdef const smerf_target *target
    if isinstance(source, Model):
        target = smerf_model_target((<Model>source).model)
        if target == NULL:
            raise ValueError("the model does not keep what it was trained on: pass items and what is known of their pairs")
    else:
        target = (<Target?>source).target
    made = np.empty((len(rows), n_columns))
    cdef double[:, ::1] known = made
    for k, row in enumerate(rows):
        smerf_target_row(target, row, &known[k, 0])
    return made


def estimate(Items items, Target target, dict options, Watch watch):
    """What a fit will take; None where it is not known."""
    cdef smerf_error error
    cdef Options chosen = Options(options)
    cdef smerf_estimate found
    cdef smerf_status status
    memset(&found, 0, sizeof(found))
    found.size = sizeof(found)
    with nogil:
        status = smerf_fit_estimate(items.items, target.target, &chosen.forest, &watch.run, &found, &error)
    check(status, &error, watch)
    return {"seconds": found.seconds, "bytes": found.bytes, "model_bytes": found.model_bytes,
            "n_trees_tried": found.n_trees_tried, "n_items_tried": found.n_items_tried}
