"""Explanations, votes, clusters, maps and vectors, against NumPy, SciPy and the command."""

import itertools
import json

import numpy as np
import pandas as pd
import pytest
from data import features, known
from scipy.spatial.distance import squareform

import smerf

N = 24


@pytest.fixture(scope="module", params=["distances", "labels", "response", "graph"])
def forest(request):
    X = features(N, 3, 4)
    target, parameters, _ = known(request.param, N, 4)
    return smerf.DistanceForest(n_estimators=15, random_state=2, **parameters).fit(X, **target)


@pytest.fixture(scope="module")
def X():
    return features(N, 3, 4)


# ---- explanations ----


def test_shares_add_up_to_the_distance(forest, X):
    pairs = np.array(list(itertools.combinations(range(6), 2)))
    account = forest.explain_pairs(pairs, X)
    np.testing.assert_allclose(account.baseline + account.shares.sum(axis=1), account.distance, atol=1e-9)
    np.testing.assert_allclose(account.distance, forest.pair_distance(pairs, X), atol=1e-9)
    one = forest.explain_pair(X[pairs[3, 0]], X[pairs[3, 1]])
    np.testing.assert_allclose(one.shares, account.shares[3], atol=1e-12)
    assert one.feature_names == ["x0", "x1", "x2"]


def test_one_pair_of_a_frame(X):
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(X, columns=list("abc")).assign(d=["u", "v"] * (N // 2))
    forest = smerf.DistanceForest(n_estimators=5, random_state=1).fit(frame, X[:, 0])
    by_row = forest.explain_pair(frame.iloc[[0]], frame.iloc[[1]])
    by_series = forest.explain_pair(frame.iloc[0], frame.iloc[1])
    np.testing.assert_array_equal(by_row.shares, by_series.shares)
    assert by_row.feature_names == list("abcd")


def test_items_are_explained_by_their_pairs(forest, X):
    k = 4
    found = forest.explain_items([2, 7], X, n_neighbors=k)
    for row, item in enumerate([2, 7]):
        others = np.array([j for j in range(N) if j != item])
        shares = forest.explain_pairs(np.column_stack([np.full(N - 1, item), others]), X).shares
        nearest = np.argsort(forest.pair_distance(np.column_stack([np.full(N - 1, item), others]), X), kind="stable")[:k]
        np.testing.assert_allclose(found.others[row], shares.mean(axis=0), atol=1e-9)
        np.testing.assert_allclose(found.near[row], shares[nearest].mean(axis=0), atol=1e-9)


def test_permutation_finds_the_features_that_matter():
    X, Z = smerf.simulate("regression", 120)
    forest = smerf.DistanceForest(n_estimators=100, random_state=1).fit(X, Z)
    result = forest.permutation_importance()
    assert set(np.argsort(result.importances_mean)[-2:]) == {0, 1}
    assert (result.standard_error >= 0).all()
    together = forest.interactions(["x0", 1, 5])
    np.testing.assert_array_equal(together.interactions_mean, together.interactions_mean.T)
    assert (np.diag(together.interactions_mean) == 0).all()
    with pytest.raises(ValueError, match="no feature 'colour'"):
        forest.interactions(["colour", 1])


def test_gains_sum_to_one(forest):
    assert forest.feature_importances_.shape == (3,)
    assert forest.feature_importances_.sum() == pytest.approx(1) or forest.feature_importances_.max() <= 0


def test_the_command_explains_alike(command):
    X, Z = smerf.simulate("radial", 40)
    np.save(command.folder / "x.npy", X)
    forest = smerf.DistanceForest(n_estimators=10, random_state=1).fit(X, Z)
    forest.save(command.folder / "m.smerf")
    told = json.loads(command("explain", "m.smerf", "x.npy", "--pair", 3, 7, "--json"))
    account = forest.explain_pair(X[3], X[7])
    assert told["distance"] == pytest.approx(account.distance, abs=1e-12)
    np.testing.assert_allclose([told["shares"][name] for name in account.feature_names], account.shares, atol=1e-12)


# ---- votes ----


def test_votes_are_those_of_the_nearest(forest, X):
    rng = np.random.default_rng(5)
    labels, numbers = rng.choice(["u", "v", "w"], size=N), rng.normal(size=N)
    queries = features(7, 3, 9)
    _, nearest = forest.kneighbors(queries, 3)
    np.testing.assert_allclose(forest.vote(numbers, queries, 3), numbers[nearest].mean(axis=1))
    shares = forest.vote(labels, queries, 3, shares=True)
    np.testing.assert_allclose(shares, (labels[nearest][:, :, None] == np.unique(labels)).mean(axis=1))
    for winner, row in zip(forest.vote(labels, queries, 3), labels[nearest]):
        most = max(list(row).count(label) for label in row)
        assert winner == next(label for label in row if list(row).count(label) == most)
    with pytest.raises(ValueError, match="catalogue 24 items"):
        forest.vote(labels[:3], queries)


# ---- clusters ----


def test_medoids_cost_what_the_best_of_all_choices_cost_or_little_more(forest, X):
    D = forest.distance(X)
    np.fill_diagonal(D, 0)
    result = forest.cluster(X, 3, oob=False)
    assert result.labels.shape == (N,) and set(result.labels) == {0, 1, 2} and result.n_clusters == 3
    cost = D[np.arange(N), result.medoids[result.labels]].sum()
    assert result.cost == pytest.approx(cost, rel=1e-5)
    best = min(D[:, list(some)].min(axis=1).sum() for some in itertools.combinations(range(N), 3))
    assert cost <= 1.1 * best + 1e-9
    np.testing.assert_allclose(D[:, result.medoids].min(axis=1).sum(), cost, rtol=1e-5)


def test_the_number_of_clusters_is_chosen_by_silhouette(forest):
    result = forest.cluster(max_clusters=6, oob=False)
    assert set(result.tried) == {2, 3, 4, 5, 6}
    assert result.tried[result.n_clusters] == max(result.tried.values()) == pytest.approx(result.silhouette)
    assert result.silhouettes.mean() == pytest.approx(result.silhouette)


def test_means_cluster_labels(iris=None):
    from sklearn.datasets import load_iris

    X, y = load_iris(return_X_y=True)
    forest = smerf.DistanceForest(n_estimators=20, random_state=1).fit(X, y)
    result = forest.cluster(X, 3, by="means", oob=False)
    assert max((result.labels[y == 0] == k).mean() for k in range(3)) > 0.95


# ---- maps ----


def test_maps_are_classical_scaling(forest, X):
    D = np.clip(forest.distance(X), 0, None)
    np.fill_diagonal(D, 0)
    J = np.eye(N) - 1 / N
    values, vectors = np.linalg.eigh(-J @ D**2 @ J / 2)
    coordinates, facts = forest.embed(X, 2, return_facts=True, oob=False)
    np.testing.assert_allclose(facts.eigenvalues, values[::-1][:2], rtol=1e-6, atol=1e-9)
    expected = vectors[:, ::-1][:, :2] * np.sqrt(np.clip(values[::-1][:2], 0, None))
    if values[-1] - values[-2] > 1e-6 and values[-2] - values[-3] > 1e-6:
        np.testing.assert_allclose(np.abs(coordinates), np.abs(expected), atol=1e-4)  # drawn distances: axes are near each other
    assert facts.n_landmarks == N
    assert forest.embed(X, 3, n_landmarks=10, oob=False).shape == (N, 3)


def test_vectors_find_the_neighbours():
    from sklearn.datasets import load_iris

    X, y = load_iris(return_X_y=True)
    forest = smerf.DistanceForest(n_estimators=20, min_parent=10, random_state=1).fit(X, y)
    catalogue, queries = forest.vectors(X[::2]), forest.vectors(X[1:20:2], query=True)
    squared = ((queries[:, None].astype(float) - catalogue[None]) ** 2).sum(axis=2)
    D = forest.distance(X[1:20:2], X[::2])
    apart = squared - D  # depends on the query alone, for pairs in different leaves
    different = (forest.apply(X[1:20:2])[:, None] != forest.apply(X[::2])[None]).all(axis=2)
    for row, is_apart in zip(apart, different):
        if is_apart.sum() > 1:
            assert np.ptp(row[is_apart]) < 1e-4
    Z = squareform(np.arange(1.0, 11))
    with pytest.raises(AttributeError) as refused:
        smerf.DistanceForest(n_estimators=2).fit(X[:5], Z).vectors()
    assert "there are vectors of forests on labels" in str(refused.value.__cause__)


# ---- pairs as metric-learn has them ----


def test_thresholds(X):
    from sklearn.datasets import load_iris
    from sklearn.metrics import f1_score

    X, y = load_iris(return_X_y=True)
    forest = smerf.DistanceForest(n_estimators=30, max_depth=2, random_state=1).fit(X, y)
    pairs = np.random.default_rng(0).integers(150, size=(300, 2))
    alike = np.where(y[pairs[:, 0]] == y[pairs[:, 1]], 1, -1)
    distances = forest.pair_distance(pairs, X)
    cuts = np.concatenate([[distances.min() - 1], np.unique(distances)])
    told = np.where(distances[None] <= cuts[:, None], 1, -1)
    accuracy = (told == alike).mean(axis=1)
    tpr, tnr = (told[:, alike == 1] == 1).mean(axis=1), (told[:, alike == -1] == -1).mean(axis=1)

    def found(**how):
        return forest.calibrate_threshold(pairs, alike, X=X, oob=False, **how).predict_pairs(pairs, X)

    assert (found() == alike).mean() == pytest.approx(accuracy.max())
    assert f1_score(alike, found(strategy="f_beta")) == pytest.approx(max(f1_score(alike, row, zero_division=0) for row in told))
    assert (found(strategy="max_tpr", min_rate=0.9)[alike == 1] == 1).mean() == pytest.approx(tpr[tnr >= 0.9].max())
    assert (found(strategy="max_tnr", min_rate=0.9)[alike == -1] == -1).mean() == pytest.approx(tnr[tpr >= 0.9].max())
    with pytest.raises(ValueError, match="min_rate"):
        forest.calibrate_threshold(pairs, alike, "max_tpr", X=X)
    with pytest.raises(ValueError, match="1 for pairs that are alike"):
        forest.calibrate_threshold(pairs, alike * 0, X=X)


def test_pairs_as_arrays_as_places_and_as_a_function(forest, X):
    pairs = np.random.default_rng(0).integers(N, size=(10, 2))
    stacked = X[pairs]
    expected = forest.distance(X)[pairs[:, 0], pairs[:, 1]]
    np.testing.assert_allclose(forest.pair_distance(stacked), expected, atol=1e-12)
    np.testing.assert_allclose(forest.pair_distance(pairs, X), expected, atol=1e-12)
    np.testing.assert_array_equal(forest.pair_score(stacked), -forest.pair_distance(stacked))
    metric = forest.get_metric()
    assert metric(*stacked[0]) == pytest.approx(expected[0], abs=1e-12)
    assert (forest.pair_spread(pairs, X) >= 0).all()
    with pytest.raises(ValueError, match=r"\(m, 2, p\)"):
        forest.pair_distance(pairs)


# ---- a page ----


def test_a_report_holds_what_the_commands_holds(command):
    X, Z = smerf.simulate("radial", 40)
    np.save(command.folder / "x.npy", X)
    forest = smerf.DistanceForest(n_estimators=20, random_state=1).fit(X, Z)
    forest.save(command.folder / "m.smerf")
    command("report", "m.smerf", "x.npy", "--json", "-o", "theirs.json")
    forest.report(command.folder / "ours.json", title="m.smerf")
    theirs, ours = (json.loads((command.folder / name).read_text()) for name in ("theirs.json", "ours.json"))

    assert set(ours) == set(theirs)
    for section in set(ours) - {"files", "explain_command"}:
        assert ours[section] == theirs[section], section


def test_a_report_shows_what_it_is_given(tmp_path):
    from sklearn.datasets import load_iris

    X, y = load_iris(return_X_y=True)
    forest = smerf.DistanceForest(n_estimators=20, random_state=1).fit(X.astype(np.float32), y)
    forest.report(tmp_path / "r.json", X, y, show={"kind": np.array(["a", "b", "c"])[y], "size": X[:, 0]}, n_clusters=3)
    text = (tmp_path / "r.json").read_text()
    assert '"kind"' in text and '"size"' in text and "DistanceForest" in text
    forest.report(tmp_path / "r.html", title="Irises")
    page = (tmp_path / "r.html").read_text()
    assert page.lstrip().lower().startswith("<!doctype html>") and "Irises" in page
    with pytest.raises(ValueError, match="column 'short' has the shape"):
        forest.report(tmp_path / "r.html", show={"short": [1, 2]})
    with pytest.raises(OSError):
        forest.report(tmp_path / "no" / "folder" / "r.html")


def test_importances_of_a_category_of_many_levels_come_with_a_warning():
    rng = np.random.default_rng(1)
    names = np.array([f"L{k:03d}" for k in rng.integers(0, 100, 300)], dtype=object)
    X = pd.DataFrame({"a": rng.normal(size=300), "cat": names, "few": names.astype("U2")})
    forest = smerf.DistanceForest(n_estimators=5, random_state=1).fit(X, rng.normal(size=300))
    with pytest.warns(UserWarning, match="^cat: gains overstate a category with few items for each level"):
        assert forest.feature_importances_.sum() == pytest.approx(1)
