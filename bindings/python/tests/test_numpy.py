"""Distances against an independent computation: for every tree the mean distance between the items of two leaves.

Without sampling every item is in its leaf once, so that `apply` says who the members of the leaves are.
"""

import numpy as np
import pytest
from data import KINDS, features, known
from hypothesis import given
from hypothesis import strategies as some

import smerf


def by_hand(leaves, query_leaves, Z, weights):
    total = np.zeros((len(query_leaves), len(query_leaves)))
    for tree in range(leaves.shape[1]):
        members = (leaves[:, tree][:, None] == np.arange(leaves[:, tree].max() + 1)) * weights[:, None]
        h = members.T @ Z @ members / np.outer(members.sum(axis=0), members.sum(axis=0))
        total += h[np.ix_(query_leaves[:, tree], query_leaves[:, tree])]
    return total / leaves.shape[1]


@pytest.mark.parametrize("kind", KINDS)
@given(
    n=some.integers(2, 30),
    p=some.integers(1, 5),
    seed=some.integers(0, 10**6),
    missing=some.sampled_from([0.0, 0.3]),
    min_parent=some.integers(2, 12),
    weighed=some.booleans(),
)
def test_a_distance_is_the_mean_over_trees_of_the_mean_between_leaves(kind, n, p, seed, missing, min_parent, weighed):
    X = features(n, p, seed, missing)
    target, parameters, Z = known(kind, n, seed)
    weights = np.random.default_rng(seed).uniform(0.5, 2, n) if weighed else np.ones(n)
    forest = smerf.DistanceForest(
        n_estimators=4, sample="none", candidates=1, min_parent=min_parent, self_distance="given", random_state=seed, **parameters
    )
    forest.fit(X, **target, sample_weight=weights if weighed else None)
    queries = np.vstack([X, features(5, p, seed + 1, missing)])
    expected = by_hand(forest.apply(X), forest.apply(queries), Z, weights)
    np.testing.assert_allclose(forest.distance(queries), expected, atol=1e-9)
    places = np.random.default_rng(seed).integers(len(queries), size=(9, 2))
    np.testing.assert_allclose(forest.pair_distance(places, queries), expected[places[:, 0], places[:, 1]], atol=1e-9)


@given(n=some.integers(5, 40), seed=some.integers(0, 10**6), k=some.integers(1, 4))
def test_neighbours_are_the_first_of_the_sorted_distances(n, seed, k):
    X = features(n, 3, seed)
    target, parameters, _ = known("distances", n, seed)
    forest = smerf.DistanceForest(n_estimators=10, random_state=seed, **parameters).fit(X, **target)
    queries = features(6, 3, seed + 1)
    D = forest.distance(queries, X)
    distances, indices = forest.kneighbors(queries, k)
    order = np.argsort(D, axis=1, kind="stable")[:, :k]
    np.testing.assert_array_equal(indices, order)
    np.testing.assert_array_equal(distances, np.take_along_axis(D, order, axis=1))
    own = forest.distance(X)
    np.fill_diagonal(own, np.inf)
    np.testing.assert_array_equal(forest.kneighbors(n_neighbors=k, oob=False)[1], np.argsort(own, axis=1, kind="stable")[:, :k])
    radius = float(np.median(D))
    graph = forest.radius_neighbors_graph(queries, radius, mode="distance").toarray()
    np.testing.assert_array_equal(graph, np.where(D <= radius, D, 0))


@given(n=some.integers(4, 40), seed=some.integers(0, 10**6))
def test_labels_and_responses_are_means_over_the_leaves(n, seed):
    X = features(n, 3, seed)
    rng = np.random.default_rng(seed)
    labels, y = rng.integers(3, size=n) * 5, rng.normal(size=(n, 2))
    queries = features(7, 3, seed + 1)
    for truth in (labels, y):
        forest = smerf.DistanceForest(n_estimators=3, sample="none", candidates=1, min_parent=6, random_state=seed)
        forest.set_params(target="auto" if truth.ndim == 1 else "response").fit(X, truth)
        columns = (truth[:, None] == np.unique(truth)).astype(float) if truth.ndim == 1 else truth
        leaves, query_leaves = forest.apply(X), forest.apply(queries)
        means = np.mean(
            [[columns[leaves[:, b] == leaf].mean(axis=0) for leaf in query_leaves[:, b]] for b in range(3)], axis=0
        )
        if truth.ndim == 1:
            np.testing.assert_allclose(forest.predict_proba(queries), means, atol=1e-12)
            best = means.max(axis=1) - np.sort(means, axis=1)[:, -2 if means.shape[1] > 1 else -1] > 1e-9
            np.testing.assert_array_equal(forest.predict(queries)[best], np.unique(truth)[means.argmax(axis=1)][best])
        else:
            np.testing.assert_allclose(forest.predict(queries), means, atol=1e-12)


def test_scores_are_those_of_numpy(rng):
    X, Z = smerf.simulate("regression", 90)
    forest = smerf.DistanceForest(n_estimators=20, random_state=1).fit(X[:60], Z[:60, :60])
    D, truth = forest.distance(X[60:]), Z[60:, 60:].astype(np.float32)
    upper = np.triu_indices(30, 1)
    rmse = np.sqrt(((D - truth)[upper] ** 2).mean())
    assert forest.evaluate(X[60:], Z=truth)["rmse"] == pytest.approx(rmse, abs=1e-9)
    assert forest.score(X[60:], truth) == pytest.approx(-rmse, abs=1e-9)
    between = forest.distance(X[:5], X[60:])
    block = np.sqrt(((between - Z[:5, 60:].astype(np.float32)) ** 2).mean())
    assert forest.evaluate(X[:5], Z=Z[:5, 60:], Y=X[60:])["rmse"] == pytest.approx(block, abs=1e-9)


def test_out_of_bag_leaves_out_the_trees_that_have_seen_an_item():
    X, Z = smerf.simulate("regression", 50)
    forest = smerf.DistanceForest(n_estimators=200, random_state=1).fit(X, Z)
    D = forest.oob_distance()
    assert np.isfinite(D[np.triu_indices(50, 1)]).all()
    error = (D - Z.astype(np.float32))[np.triu_indices(50, 1)]
    assert -forest.oob_score() == pytest.approx(np.sqrt((error**2).mean()), abs=1e-9)
    seen = forest.distance(X) - Z.astype(np.float32)
    assert (error**2).mean() > (seen[np.triu_indices(50, 1)] ** 2).mean()
