# A page for the browser about a model and some items.


cdef smerf_status write_report(const sm_report *wanted, bint is_bare, const smerf_run *run, const char *path,
                               smerf_error *error) noexcept nogil:
    cdef sm_output *output = NULL
    cdef smerf_status status = sm_output_open(path, &output, error)
    if status != SMERF_OK:
        return status
    status = sm_report_write(wanted, is_bare, run, output, error)
    if status == SMERF_OK or sm_output_has_failed(output):
        return sm_output_finish(output, error)
    sm_output_abandon(output)
    return status


def report(Model model, Items items, Target truth, list columns, path, title, target_text, size_t n_clusters,
           bint is_bare, Watch watch):
    """`columns` is a list of (role, column as in Items, its numbers contiguous float64)."""
    cdef smerf_error error
    cdef smerf_status status
    cdef sm_report wanted
    cdef Words ids = None if items.ids is None else Words(items.ids[1])
    cdef size_t n = len(columns)
    cdef bytes file = os.fsencode(path), name = _utf8(title), known = _utf8(target_text or "")
    cdef const char *to = file
    cdef sm_report_column *shown = <sm_report_column *>malloc((n + 1) * sizeof(sm_report_column))
    if shown == NULL:
        raise MemoryError()
    memset(&wanted, 0, sizeof(wanted))
    wanted.model, wanted.items = model.model, items.items
    wanted.ids = NULL if ids is None else ids.text
    wanted.columns, wanted.n_columns = shown, n
    wanted.truth = NULL if truth is None else truth.target
    wanted.n_clusters = n_clusters
    wanted.title, wanted.model_file, wanted.items_file = name, b"MODEL", b"ITEMS"
    wanted.target_text = NULL if target_text is None else <const char *>known
    wanted.explain_command = b"smerf explain MODEL ITEMS --pair"
    try:
        kept = []
        for c, (role, column) in enumerate(columns):
            kept.append((_utf8(role), fill_column(&shown[c].column, column, items.n)))
            shown[c].role = <const char *>(<bytes>kept[c][0])
        with nogil:
            status = write_report(&wanted, is_bare, &watch.run, to, &error)
        check(status, &error, watch)
    finally:
        free(shown)
