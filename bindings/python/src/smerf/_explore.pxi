# What people do with a distance: features explained, votes, clusters, maps.


def importance(Model model):
    cdef smerf_error error
    made = np.empty(len(model.features()))
    cdef double[::1] found = made
    check(smerf_importance_gain(model.model, &found[0], &error), &error)
    return made


def importance_overstated(Model model, const double[::1] importance):
    """Whether the gains of each feature overstate what it does."""
    made = np.zeros(importance.shape[0], dtype=np.bool_)
    cdef unsigned char[::1] found = made.view(np.uint8)
    smerf_importance_overstated(model.model, &importance[0], <cbool *>&found[0])
    return made


def permutation_importance(Model model, Items items, Watch watch):
    """Means over the trees, and their standard errors."""
    cdef smerf_error error
    cdef smerf_status status
    means, errors = np.empty(len(model.features())), np.empty(len(model.features()))
    cdef double[::1] mean = means, standard_error = errors
    with nogil:
        status = smerf_importance_permutation(model.model, items.items, NULL, &watch.run, &mean[0],
                                              &standard_error[0], &error)
    check(status, &error, watch)
    return means, errors


def interaction(Model model, Items items, const uint32_t[::1] features, Watch watch):
    """The same for every two of some features."""
    cdef smerf_error error
    cdef smerf_status status
    cdef size_t n = features.shape[0]
    means, errors = np.empty((n, n)), np.empty((n, n))
    cdef double[:, ::1] mean = means, standard_error = errors
    cdef smerf_interactions wanted
    memset(&wanted, 0, sizeof(wanted))
    wanted.size, wanted.items = sizeof(wanted), items.items
    wanted.features, wanted.n_features = &features[0], n
    with nogil:
        status = smerf_importance_interaction(model.model, &wanted, &watch.run, &mean[0, 0], &standard_error[0, 0],
                                              &error)
    check(status, &error, watch)
    return means, errors


def explain_pairs(Model model, Items rows, Items columns, const uint32_t[::1] left, const uint32_t[::1] right,
                  Watch watch):
    """Baselines, contributions [pairs][features], distances."""
    cdef smerf_error error
    cdef smerf_status status
    cdef smerf_request request = request_of(rows, columns, False)
    cdef smerf_pair_list pairs
    cdef smerf_explanation result
    cdef size_t n = left.shape[0]
    baselines, distances, contributions = np.empty(n), np.empty(n), np.empty((n, len(model.features())))
    cdef double[::1] baseline = baselines, distance = distances
    cdef double[:, ::1] contribution = contributions
    if n == 0:
        return baselines, contributions, distances
    pairs = pairs_of(left, right)
    result.size = sizeof(result)
    result.baseline, result.contributions, result.distance = &baseline[0], &contribution[0, 0], &distance[0]
    with nogil:
        status = smerf_explain_pairs(model.model, &request, &pairs, &watch.run, &result, &error)
    check(status, &error, watch)
    return baselines, contributions, distances


def explain_items(Model model, Items rows, const uint32_t[::1] items, size_t k, Watch watch):
    """Mean contributions for the neighbours of each item, and for all others."""
    cdef smerf_error error
    cdef smerf_status status
    cdef size_t n = items.shape[0]
    cdef smerf_item_request request
    nears, alls = np.empty((n, len(model.features()))), np.empty((n, len(model.features())))
    cdef double[:, ::1] near = nears, all_others = alls
    if n == 0:
        return nears, alls
    memset(&request, 0, sizeof(request))
    request.size, request.rows, request.k = sizeof(request), rows.items, k
    request.items, request.n_items = &items[0], n
    with nogil:
        status = smerf_explain_items(model.model, &request, &watch.run, &near[0, 0], &all_others[0, 0], &error)
    check(status, &error, watch)
    return nears, alls


def vote(Model model, Items items, Items queries, size_t k, bint out_of_bag, const uint32_t[::1] codes, size_t n_classes,
         const double[::1] values, Watch watch):
    """Shares of classes and winners, or means of values (codes is None)."""
    cdef smerf_error error
    cdef smerf_status status
    cdef smerf_neighborhood wanted
    cdef smerf_known_values ballot
    memset(&wanted, 0, sizeof(wanted))
    wanted.size = sizeof(wanted)
    memset(&ballot, 0, sizeof(ballot))
    wanted.items = items.items
    wanted.queries = items_or_null(queries)
    wanted.k = k
    wanted.out_of_bag = out_of_bag
    ballot.n_classes = n_classes
    if codes is not None:
        ballot.codes = &codes[0]
    else:
        ballot.values = &values[0]
    n = (items if queries is None else queries).n
    shares, winners = np.empty((n, max(1, n_classes))), np.empty(n, np.uint32)
    cdef double[:, ::1] share = shares
    cdef uint32_t[::1] winner = winners
    cdef uint32_t *to_winner = &winner[0] if n_classes > 0 else NULL
    with nogil:
        status = smerf_vote(model.model, &wanted, &ballot, &watch.run, &share[0, 0], to_winner, &error)
    check(status, &error, watch)
    return shares, winners


def cluster(Model model, Items items, int by, size_t k, size_t most_k, uint64_t seed, bint out_of_bag, Watch watch):
    """Clusters, the items that stand for them, silhouettes, what was tried, facts."""
    cdef smerf_error error
    cdef smerf_status status
    cdef smerf_clustering wanted
    cdef smerf_clusters found
    memset(&wanted, 0, sizeof(wanted))
    wanted.size, wanted.out_of_bag = sizeof(wanted), out_of_bag
    wanted.by, wanted.k, wanted.most_k, wanted.seed = <smerf_clusters_by>by, k, most_k, seed
    clusters, medoids = np.empty(items.n, np.uint32), np.empty(items.n, np.uint32)
    silhouettes, tries = np.empty(items.n), np.full(max(items.n, 2), np.nan)
    cdef uint32_t[::1] cluster = clusters, medoid = medoids
    cdef double[::1] silhouette = silhouettes, tried = tries
    memset(&found, 0, sizeof(found))
    found.size, found.cluster, found.medoid = sizeof(found), &cluster[0], &medoid[0]
    found.silhouette, found.tried = &silhouette[0], &tried[0]
    with nogil:
        status = smerf_cluster(model.model, items.items, &wanted, &watch.run, &found, &error)
    check(status, &error, watch)
    facts = {"k": found.k, "cost": found.cost, "silhouette": found.mean_silhouette}
    return clusters, medoids, silhouettes, tries, facts


def embed(Model model, Items items, size_t n_dimensions, size_t n_landmarks, uint64_t seed, bint out_of_bag,
          Watch watch):
    """Coordinates, eigenvalues, facts."""
    cdef smerf_error error
    cdef smerf_status status
    cdef smerf_map_options wanted
    cdef smerf_map map
    made, values = np.empty((items.n, n_dimensions)), np.empty(n_dimensions)
    cdef double[:, ::1] coordinates = made
    cdef double[::1] eigenvalues = values
    memset(&wanted, 0, sizeof(wanted))
    wanted.size, wanted.n_dimensions, wanted.out_of_bag = sizeof(wanted), n_dimensions, out_of_bag
    wanted.n_landmarks, wanted.seed = n_landmarks, seed
    memset(&map, 0, sizeof(map))
    map.size, map.coordinates, map.eigenvalues = sizeof(map), &coordinates[0, 0], &eigenvalues[0]
    with nogil:
        status = smerf_embed(model.model, items.items, &wanted, &watch.run, &map, &error)
    check(status, &error, watch)
    return made, values, {"n_landmarks": map.n_landmarks, "share_of_values": map.eigenvalue_fraction,
                          "stress": map.stress}


cdef int take_vector(void *context, size_t item, const float *vector, size_t size) noexcept nogil:
    memcpy(<float *>context + item * size, vector, size * sizeof(float))
    return 0


def vectors(Model model, Items items, bint is_query, Watch watch):
    """The Euclidean view, [items][size], and what is to be added for each item."""
    cdef smerf_error error
    cdef smerf_status status
    cdef size_t size = smerf_vectors_size(model.model)
    made, terms = np.empty((items.n, max(1, size)), np.float32), np.empty(items.n)
    cdef float[:, ::1] vector = made
    cdef double[::1] term = terms
    cdef smerf_vector_result result
    result.size, result.sink, result.context, result.term = sizeof(result), take_vector, &vector[0, 0], &term[0]
    with nogil:
        status = smerf_vectors(model.model, items.items, is_query, &watch.run, &result, &error)
    check(status, &error, watch)
    return made, terms
