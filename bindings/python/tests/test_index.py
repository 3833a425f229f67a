"""A kept catalogue gives what a search without it gives, to the last bit; one distance is that of many."""

import copy
import pickle
import threading

import numpy as np
import pytest

import smerf
from data import KINDS, features, known


def forest_of(kind, n=60, **parameters):
    given, more, _ = known(kind, n, 3)
    X = features(n, 4, 3)
    return X, smerf.DistanceForest(n_estimators=12, random_state=1, n_jobs=2, **more, **parameters).fit(X, **given)


def same(one, other):
    return all(np.array_equal(a, b) for a, b in zip(one, other, strict=True))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n_queries", [1, 5, 30])
def test_an_index_finds_what_kneighbors_finds(kind, n_queries):
    X, forest = forest_of(kind, **({"min_parent": 9} if kind == "absolute" else {}))
    new, more = features(n_queries, 4, 8, missing=0.2), features(200, 4, 9)
    for k in (1, 7, 200):
        assert same(forest.index(more).query(new, k), forest.kneighbors(new, k, Y=more))
    assert same(forest.index().query(new), forest.kneighbors(new))
    assert same(forest.index().query(X[:3]), forest.kneighbors(X[:3], oob=False))
    near = forest.index(more).within(new, 0.5)
    assert (near != forest.radius_neighbors_graph(new, 0.5, "distance", Y=more)).nnz == 0


@pytest.mark.parametrize("kind", ["labels", "distances"])
def test_an_index_grows_is_saved_and_pickled(kind, tmp_path):
    _, forest = forest_of(kind)
    more, new = features(150, 4, 9), features(9, 4, 5)
    index = forest.index(more[:50])
    assert index.add(more[50:51]).add(more[51:]) is index and len(index) == 150
    expected = forest.kneighbors(new, 6, Y=more)
    index.save(tmp_path / "grown.index")
    forest.index(more).save(tmp_path / "whole.index")
    assert (tmp_path / "grown.index").read_bytes() == (tmp_path / "whole.index").read_bytes()
    forest.save(tmp_path / "forest")
    again = smerf.load_index(tmp_path / "grown.index", smerf.load(tmp_path / "forest"))
    for one in (index, again, pickle.loads(pickle.dumps(index)), copy.deepcopy(index)):
        assert same(one.query(new, 6), expected) and len(one) == 150
        assert repr(one) == "<Index of 150 items>"


def test_the_index_stays_that_of_the_forest_it_was_made_from():
    X, forest = forest_of("labels")
    index, expected = forest.index(X), forest.kneighbors(X[:4], oob=False)
    forest.fit(X[:, :2], np.arange(60) % 2)
    assert same(index.query(X[:4]), expected)


def test_what_cannot_be_is_refused(tmp_path):
    X, forest = forest_of("labels")
    index = forest.index(X)
    index.save(tmp_path / "of.index")
    with pytest.raises(ValueError, match="61 neighbours are asked for, and the index has 60"):
        index.query(X, 61)
    with pytest.raises(ValueError, match="k"):
        index.query(X, 0)
    with pytest.raises(ValueError, match="features"):
        index.query(X[:, :2])
    with pytest.raises(ValueError, match="features"):
        index.add(X[:, :2])
    with pytest.raises(ValueError, match="index of another model"):
        smerf.load_index(tmp_path / "of.index", forest_of("response")[1])
    with pytest.raises(OSError, match="nothing.index"):
        smerf.load_index(tmp_path / "nothing.index", forest)
    with pytest.raises(TypeError, match="comes from the model"):
        smerf._core.Index(None)
    assert not hasattr(smerf.Mahalanobis(), "index")


def test_the_command_and_python_write_the_same_index(command):
    folder = command.folder
    X = features(40, 3, 2)
    np.save(folder / "x.npy", X)
    forest = smerf.DistanceForest(n_estimators=9, random_state=1, target="response").fit(X, X[:, 0])
    forest.save(folder / "model")
    command("index", "model", "x.npy", "-o", "command.index", "--quiet")
    forest.index(X).save(folder / "python.index")
    assert (folder / "command.index").read_bytes() == (folder / "python.index").read_bytes()


def test_items_may_be_added_while_others_ask():
    _, forest = forest_of("labels")
    more, new = features(3000, 4, 9), features(3, 4, 5)
    index = forest.index(more[:1000])
    allowed = {forest.kneighbors(new, 4, Y=more[:n])[1].tobytes() for n in range(1000, 3001, 100)}
    found = set()

    def ask():
        for _ in range(60):
            found.add(index.query(new, 4)[1].tobytes())

    threads = [threading.Thread(target=ask) for _ in range(3)]
    for thread in threads:
        thread.start()
    for n in range(1000, 3000, 100):
        index.add(more[n : n + 100])
    for thread in threads:
        thread.join()
    assert found <= allowed and len(index) == 3000


# ---- few items at a time ----


@pytest.mark.parametrize("kind", KINDS)
def test_one_at_a_time_is_as_all_at_once(kind):
    X, forest = forest_of(kind)
    all_at_once, metric = forest.distance(X), forest.get_metric()
    for i in range(0, 60, 7):
        for _ in range(3):  # the trees are prepared on the way
            assert np.array_equal(forest.distance(X[i : i + 1], X)[0], all_at_once[i])
        for j in range(0, 60, 11):
            assert metric(X[i], list(X[j])) == all_at_once[i, j]


def test_predictions_one_at_a_time_are_those_of_all():
    for kind in ("labels", "response"):
        X, forest = forest_of(kind)
        expected = forest.predict(X)
        assert all(forest.predict(X[i : i + 1])[0] == expected[i] for i in range(60))


def test_a_metric_refuses_what_is_no_item():
    X, forest = forest_of("labels")
    metric = forest.get_metric()
    with pytest.raises(ValueError, match="2 and 4 features, and the model has 4"):
        metric(X[0, :2], X[1])
    with pytest.raises(ValueError, match="feature 1 of an item is infinite"):
        metric(X[0], [0, np.inf, 0, 0])
    assert metric(X[0], [0, np.nan, 0, 0]) == forest.distance(X[:1], [[0, np.nan, 0, 0]])[0, 0]


def test_a_metric_of_categories_works_too():
    X = np.array([[float(i), ("red", "blue")[i % 2]] for i in range(20)], object)
    forest = smerf.DistanceForest(n_estimators=9, random_state=1).fit(X, np.arange(20) % 2)
    metric = forest.get_metric()
    assert metric(X[3], X[4]) == forest.distance(X[3:4], X[4:5])[0, 0]
