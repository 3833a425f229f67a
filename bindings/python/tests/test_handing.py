"""Similarities on the scale that they came in, graphs for networkx, a report for a notebook, the matrix of a linear method."""

import html
import pickle
import re

import numpy as np
import pandas as pd
import pytest
from data import features
from sklearn.exceptions import NotFittedError

import smerf


def rated(n, seed, largest=1.0):
    """All pairs of n items with similarities from 0 to 7, of which the largest may be below 1."""
    i, j = np.triu_indices(n, 1)
    values = np.random.default_rng(seed).uniform(0, largest, len(i))
    return pd.DataFrame({"i": i, "j": j, "similarity": values})


def linked(n, seed, largest):
    i, j = np.triu_indices(n, 1)
    rng = np.random.default_rng(seed)
    chosen = rng.random(len(i)) < 0.3
    weights = rng.uniform(0, largest, chosen.sum())
    return pd.DataFrame({"source": i[chosen], "target": j[chosen], "weight": weights})


# ---- similarities ----


@pytest.mark.parametrize("largest", [0.8, 7.0])
def test_similarities_of_rated_pairs_are_the_commands(command, largest):
    X, pairs = features(25, 3, 1), rated(25, 1, largest)
    forest = smerf.DistanceForest(n_estimators=15, complete="off", random_state=1).fit(X, pairs=pairs)
    compare_with_the_command(command, forest, X)
    scale = max(1.0, pairs["similarity"].max())
    np.testing.assert_array_equal(forest.similarity(X, X[:3]), scale - forest.distance(X, X[:3]))


@pytest.mark.filterwarnings("ignore:weights of edges are divided")
@pytest.mark.parametrize("largest", [0.8, 7.0])
def test_weights_of_edges_are_the_commands(command, largest):
    X, edges = features(25, 3, 1), linked(25, 1, largest)
    forest = smerf.DistanceForest(n_estimators=15, random_state=1).fit(X, graph=edges)
    compare_with_the_command(command, forest, X)
    scale = max(1.0, edges["weight"].max())
    np.testing.assert_array_equal(forest.similarity(X), scale * (1 - forest.distance(X)))


def compare_with_the_command(command, forest, X):
    forest.save(command.folder / "model.smerf")
    np.save(command.folder / "x.npy", X)
    command("predict", "model.smerf", "x.npy", "--output", "similarity", "-o", "q.npy", "--quiet")
    said = np.load(command.folder / "q.npy")
    np.testing.assert_array_equal(said, forest.similarity(X, out=np.empty((25, 25), np.float32)))
    np.testing.assert_array_equal(said, smerf.load(command.folder / "model.smerf").similarity(X).astype(np.float32))


def test_a_model_of_distances_has_no_similarities():
    X, Z = smerf.simulate("radial", 20)
    for model in (smerf.DistanceForest(n_estimators=2), smerf.Mean()):
        with pytest.raises(ValueError, match=r"this model learned distances \(target 'distances'\)"):
            model.fit(X, Z).similarity(X)
    with pytest.raises(NotFittedError):
        smerf.DistanceForest().similarity(X)


def test_other_methods_give_similarities_too():
    X, pairs = features(12, 3, 1), rated(12, 1, 3.0)
    model = smerf.Bilinear().fit(X, pairs=pairs)
    np.testing.assert_array_equal(model.similarity(X), pairs["similarity"].max() - model.distance(X))


# ---- networkx ----


def test_a_graph_links_each_item_to_its_nearest():
    pytest.importorskip("networkx")
    X, Z = smerf.simulate("radial", 40)
    forest = smerf.DistanceForest(n_estimators=100, random_state=1).fit(X, Z)
    D = forest.oob_distance()
    np.fill_diagonal(D, np.inf)
    nearest = np.argsort(D, axis=1, kind="stable")[:, :4]
    expected = {frozenset((i, int(j))) for i in range(40) for j in nearest[i]}
    graph = forest.to_networkx(n_neighbors=4)
    assert list(graph.nodes) == list(range(40)) and {frozenset(edge) for edge in graph.edges} == expected
    assert all(distance == D[i, j] for i, j, distance in graph.edges(data="distance"))
    seen = forest.to_networkx(n_neighbors=4, oob=False)
    assert {frozenset(edge) for edge in seen.edges} != expected
    D = forest.distance(X)
    assert all(distance == D[i, j] for i, j, distance in seen.edges(data="distance"))
    with pytest.warns(smerf.InSampleWarning, match="leaving X out asks out of bag"):
        within = forest.to_networkx(X[:20], radius=0.2)
    near = {frozenset((i, j)) for i in range(20) for j in range(i) if D[i, j] <= 0.2}
    assert len(within) == 20 and 0 < len(near) and {frozenset(edge) for edge in within.edges} == near


def test_nodes_are_called_as_the_rows():
    pytest.importorskip("networkx")
    X, Z = smerf.simulate("radial", 20)
    frame = pd.DataFrame(X, index=[f"item {i}" for i in range(20)])
    frame.columns = [f"x{f}" for f in range(20)]
    forest = smerf.DistanceForest(n_estimators=100, random_state=1).fit(frame, Z)
    assert list(forest.to_networkx(n_neighbors=2).nodes) == list(frame.index)
    with pytest.raises(ValueError, match="a label is twice in X"):
        forest.to_networkx(pd.concat([frame, frame]), n_neighbors=2)


# ---- notebooks ----


def test_a_report_without_a_path_is_the_page(tmp_path):
    X, Z = smerf.simulate("radial", 40)
    forest = smerf.DistanceForest(n_estimators=10, random_state=1).fit(X, Z)
    assert forest.report(tmp_path / "page.html", title="Ra<dial") is None
    report = forest.report(title="Ra<dial")
    report.save(tmp_path / "again.html")
    assert (tmp_path / "again.html").read_bytes() == (tmp_path / "page.html").read_bytes()
    shown = report._repr_html_()
    frame = re.fullmatch(r'<iframe srcdoc="([^"]*)" width="100%" height="800" [^<>]*></iframe>', shown)
    assert shown.isascii() and html.unescape(frame[1]) == report.html
    assert len(repr(report)) < 100  # a plain console shows no page
    assert pickle.loads(pickle.dumps(report)).html == report.html


def test_a_report_without_a_path_takes_what_one_with_it_takes():
    X, Z = smerf.simulate("radial", 60)
    forest = smerf.DistanceForest(n_estimators=10, random_state=1).fit(X[:40], Z[:40, :40])
    report = forest.report(None, X[40:], Z=Z[40:, 40:], show={"a column": np.arange(20)}, n_clusters=3)
    assert "a column" in report.html
    with pytest.raises(ValueError, match="has the shape"):
        forest.report(None, X[40:], show={"a column": np.arange(19)})


# ---- matrices ----


def design(frame, metric):
    """Numbers and indicators of levels, means in place of what is missing: by hand."""
    columns = []
    for name in metric.column_names_:
        feature, is_level, level = name.partition("=")
        values = frame[feature]
        column = np.where(values.isna(), np.nan, values == level) if is_level else values.to_numpy()
        columns.append(np.where(np.isnan(column.astype(float)), np.nanmean(column.astype(float)), column.astype(float)))
    return np.column_stack(columns)


@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("estimator", [smerf.Mahalanobis, smerf.Bilinear])
def test_distances_are_what_the_matrix_says(estimator, intercept, rng, tmp_path):
    frame = pd.DataFrame(features(50, 3, 2, missing=0.1), columns=["a", "b", "c"])
    frame["colour"] = rng.choice(["red", "green", "blue", None], size=50)
    Z = np.abs(rng.normal(size=(50, 50)))
    metric = estimator(intercept=intercept).fit(frame, Z + Z.T)
    assert metric.column_names_ == ["a", "b", "c", "colour=blue", "colour=green", "colour=red"]
    of_differences = estimator is smerf.Mahalanobis
    W = metric.get_mahalanobis_matrix() if of_differences else metric.get_bilinear_matrix()
    x, D = design(frame, metric), metric.distance(frame)
    np.testing.assert_allclose(metric.means_, x.mean(axis=0), atol=1e-12)
    if intercept and not of_differences:
        x = x - metric.means_
    assert (metric.intercept_ in (0.0, 1.0)) != intercept
    difference = x[:, None] - x[None]
    expected = np.einsum("ijp,pq,ijq->ij", difference, W, difference) if of_differences else -x @ W @ x.T
    np.testing.assert_allclose(D, metric.intercept_ + expected, atol=1e-10)
    np.testing.assert_allclose(metric.components_.T @ metric.components_, W, atol=1e-12)
    np.testing.assert_array_equal(W, W.T)
    metric.save(tmp_path / "model.smerf")
    again = smerf.load(tmp_path / "model.smerf")
    np.testing.assert_array_equal(again.components_, metric.components_)
    assert again.intercept_ == metric.intercept_


def test_who_learns_no_matrix_shows_none():
    assert not hasattr(smerf.Euclidean, "components_") and not hasattr(smerf.DistanceForest, "get_mahalanobis_matrix")
    assert not hasattr(smerf.Mahalanobis(), "components_")  # before it is fitted
    with pytest.raises(NotFittedError):
        smerf.Mahalanobis().get_mahalanobis_matrix()


def test_a_matrix_of_rank_0_has_no_components():
    X = features(20, 3, 1)
    metric = smerf.Mahalanobis().fit(X, np.zeros((20, 20)))
    assert metric.components_.shape == (0, 3)
    np.testing.assert_array_equal(metric.get_mahalanobis_matrix(), np.zeros((3, 3)))
