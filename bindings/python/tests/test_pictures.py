"""Pictures show the numbers that the model gives, where the caller wants them."""

import sys

import numpy as np
import pandas as pd
import pytest
from data import features

import smerf

pyplot = pytest.importorskip("matplotlib.pyplot")


@pytest.fixture
def forest():
    X, Z = smerf.simulate("radial", 60)
    yield smerf.DistanceForest(n_estimators=100, random_state=1).fit(X, Z)
    pyplot.close("all")


@pytest.fixture
def ax():
    figure, axes = pyplot.subplots()
    yield axes
    pyplot.close(figure)


def test_bars_are_importances_the_largest_on_top(forest, ax):
    assert smerf.plot.importance(forest, n_features=3, ax=ax) is ax
    names = [label.get_text() for label in ax.get_yticklabels()]
    values = dict(zip(names, (bar.get_width() for bar in ax.patches)))
    gains = forest.feature_importances_
    best = np.argsort(-gains)[:3]
    assert names == [f"x{f}" for f in best[::-1]] and list(values.values()) == gains[best[::-1]].tolist()


def test_bars_of_shuffled_features_have_their_errors(forest, ax):
    smerf.plot.importance(forest, permutation=True, n_features=2, ax=ax)
    found = forest.permutation_importance()
    best = np.argsort(-found.importances_mean)[:2][::-1]
    assert [bar.get_width() for bar in ax.patches] == found.importances_mean[best].tolist()
    (errors,) = next(container for container in ax.containers if hasattr(container, "has_xerr")).lines[2]
    ends = np.array([segment[:, 0] for segment in errors.get_segments()])
    np.testing.assert_allclose(ends[:, 1] - ends[:, 0], 4 * found.standard_error[best])


def points(ax):
    return np.concatenate([collection.get_offsets() for collection in ax.collections])


def test_a_map_shows_the_embedding(forest, ax):
    smerf.plot.map(forest, text=[f"item {i}" for i in range(60)], oob=True, ax=ax)
    np.testing.assert_array_equal(points(ax), forest.embed(oob=True))
    assert [text.get_text() for text in ax.texts] == [f"item {i}" for i in range(60)]


def test_a_map_is_coloured_by_labels_or_numbers(forest):
    label = pd.Series(np.repeat(["b", "a", "c"], 20), name="kind")
    ax = smerf.plot.map(forest, color=label, oob=False)
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["a", "b", "c"]
    assert ax.get_legend().get_title().get_text() == "kind"
    np.testing.assert_array_equal(ax.collections[0].get_offsets(), forest.embed(oob=False)[20:40])  # those of a
    many = smerf.plot.map(forest, color=np.arange(60).astype(str), oob=False)
    assert [text.get_text() for text in many.get_legend().get_texts()][-1] == "48 others" and len(points(many)) == 60
    scale = smerf.plot.map(forest, color=np.arange(60.0), oob=False)
    np.testing.assert_array_equal(scale.collections[0].get_array(), np.arange(60.0))
    assert len(scale.figure.axes) == 2
    assert len(pyplot.get_fignums()) == 3  # each in a figure of its own
    assert smerf.plot.map(forest, colors=["red"] * 60, n_landmarks=20, oob=False).collections[0].get_facecolor().shape[0] in (1, 60)


def test_a_labels_order_is_that_of_its_rows(forest):
    X, Z = smerf.simulate("radial", 60)
    frame = pd.DataFrame(X, index=pd.Index([f"i{k}" for k in range(60)], name="id"))
    frame.columns = [f"x{f}" for f in range(20)]
    named = smerf.DistanceForest(n_estimators=5, random_state=1).fit(frame, Z)
    label = pd.Series(["a"] * 20 + ["b"] * 40, index=frame.index)
    straight, shuffled = (smerf.plot.map(named, color=given, oob=False) for given in (label, label[::-1]))
    np.testing.assert_array_equal(straight.collections[0].get_offsets(), shuffled.collections[0].get_offsets())


def test_points_of_a_fit_are_known_and_predicted_distances(ax):
    X, Z = smerf.simulate("radial", 80)
    forest = smerf.DistanceForest(n_estimators=30, random_state=1).fit(X[:50], Z[:50, :50])
    smerf.plot.fit(forest, X[50:], Z=Z[50:, 50:], ax=ax)
    i, j = np.triu_indices(30, 1)
    expected = np.column_stack([Z[50:, 50:].astype(np.float32)[i, j], forest.distance(X[50:])[i, j]])
    np.testing.assert_array_equal(sorted(points(ax).tolist()), sorted(expected.tolist()))


def test_without_data_a_fit_is_out_of_bag(forest, ax):
    smerf.plot.fit(forest, n_pairs=100, ax=ax)
    _, Z = smerf.simulate("radial", 60)
    D, Z, i, j = forest.oob_distance(), Z.astype(np.float32), *np.triu_indices(60, 1)
    expected = set(zip(Z[i, j].tolist(), D[i, j].tolist()))
    found = points(ax)  # less those that no tree is eligible for
    assert 80 < len(found) <= 100 and set(map(tuple, found.tolist())) <= expected
    assert "out of bag" in ax.get_ylabel()


def test_fits_of_pairs_and_labels(ax, rng):
    X = features(40, 3, 1)
    i, j = np.triu_indices(40, 1)
    chosen = rng.random(len(i)) < 0.2
    pairs = (i[chosen], j[chosen], rng.random(chosen.sum()))
    forest = smerf.DistanceForest(n_estimators=10, complete="off", random_state=1).fit(X, pairs=pairs)
    with pytest.warns(smerf.InSampleWarning, match="predictions look too good; leaving X out shows them out of bag"):
        smerf.plot.fit(forest, X, pairs=pairs, ax=ax)
    np.testing.assert_array_equal(np.sort(points(ax)[:, 0]), np.sort(pairs[2]))
    of_labels = smerf.DistanceForest(n_estimators=10, random_state=1).fit(X, X[:, 0] > 0)
    shown = smerf.plot.fit(of_labels)
    assert [text.get_text() for text in shown.get_legend().get_texts()] == ["0", "1"]
    pyplot.close("all")


def test_a_heat_map_shows_every_distance_once(forest):
    X, _ = smerf.simulate("radial", 60)
    D = forest.distance(X).astype(np.float32)
    plain = smerf.plot.heat_map(forest, order=None, oob=False)
    np.testing.assert_array_equal(plain.images[0].get_array(), D)
    grouped = smerf.plot.heat_map(forest, n_clusters=4, oob=False)
    labels = forest.cluster(n_clusters=4, oob=False).labels
    assert "60 items in 4 clusters" in grouped.get_xlabel() and len(grouped.lines) == 6
    shown = np.asarray(grouped.images[0].get_array())
    rows = [int(np.flatnonzero((np.sort(D, axis=1) == np.sort(row)).all(axis=1))[0]) for row in shown]
    assert sorted(rows) == list(range(60)) and (np.diff(labels[rows]) >= 0).all()
    some = smerf.plot.heat_map(forest, order=[5, 3], oob=False)
    np.testing.assert_array_equal(some.images[0].get_array(), D[np.ix_([5, 3], [5, 3])])


def test_a_heat_map_of_training_items_is_out_of_bag_or_warns(forest):
    shown = smerf.plot.heat_map(forest, order=None, oob=True)
    np.testing.assert_array_equal(shown.images[0].get_array(), forest.oob_distance().astype(np.float32))
    for draw in (smerf.plot.heat_map, smerf.plot.map):
        with pytest.warns(smerf.InSampleWarning, match="oob=True asks only"):
            draw(forest)
        draw(forest, forest._items_of(None), oob=True)


def test_what_makes_no_sense_is_refused(forest):
    X, Z = smerf.simulate("radial", 60)
    with pytest.raises(ValueError, match="color has the shape"):
        smerf.plot.map(forest, color=np.arange(59), oob=False)
    with pytest.raises(ValueError, match="59 texts for 60 items"):
        smerf.plot.map(forest, text=["a"] * 59, oob=False)
    with pytest.raises(ValueError, match="color and colors exclude each other"):
        smerf.plot.map(forest, color=np.arange(60), colors=["red"] * 60)
    with pytest.raises(ValueError, match="goes with X"):
        smerf.plot.fit(forest, Z=Z)
    with pytest.raises(ValueError, match="item 60 of 60"):
        smerf.plot.heat_map(forest, order=[1, 60], oob=False)
    with pytest.raises(TypeError, match="forests tell which features matter, and this is a Mean"):
        smerf.plot.importance(smerf.Mean().fit(X, Z))
    with pytest.raises(ValueError, match="pass items and what is known"):
        smerf.plot.fit(smerf.Mean().fit(X, Z))
    with pytest.raises(ValueError, match="order='size'"):
        smerf.plot.heat_map(forest, order="size", oob=False)
    assert pyplot.get_fignums() == []  # nothing is drawn of what is refused


def test_without_matplotlib_a_sentence_says_so(forest, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match=r"pip install smerf\[plot\]"):
        smerf.plot.map(forest)
