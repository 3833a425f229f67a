"""What is large is copied only where somebody could change it, and nothing is lost."""

import gc
import resource
import tracemalloc

import numpy as np
import pytest

import smerf


def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize()


@pytest.mark.parametrize("is_mapped", [False, True])
def test_a_read_only_float32_matrix_is_used_in_place(is_mapped, tmp_path):
    X, Z = smerf.simulate("regression", 1500)
    Z = np.ascontiguousarray(Z, dtype=np.float32)
    if is_mapped:
        np.save(tmp_path / "z.npy", Z)
        Z = np.load(tmp_path / "z.npy", mmap_mode="r")
    else:
        Z.setflags(write=False)
    forest = smerf.DistanceForest(n_estimators=1, max_depth=1, candidates=1, random_state=1)
    tracemalloc.start()
    forest.fit(X, Z)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 0.25 * Z.nbytes


def test_scoring_copies_no_matrix():
    X, Z = smerf.simulate("regression", 1500)
    Z = np.ascontiguousarray(Z, dtype=np.float32)
    forest = smerf.DistanceForest(n_estimators=1, max_depth=1, candidates=1, random_state=1).fit(X[:50], Z[:50, :50])
    tracemalloc.start()
    forest.score(X, Z)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 0.25 * Z.nbytes


def _as_given(Z):
    return Z, {"Z": Z}


def _as_y(Z):
    return Z, {"y": Z}


def _as_distances(Z):
    return Z, {"Z": smerf.Distances(Z)}


def _as_a_read_only_view(Z):
    view = Z[:]
    view.setflags(write=False)  # but its base can be written to
    return Z, {"Z": view}


def _as_a_frame(Z):
    pd = pytest.importorskip("pandas")
    return Z, {"Z": pd.DataFrame(Z, copy=False)}


@pytest.mark.parametrize("given", [_as_given, _as_y, _as_distances, _as_a_read_only_view, _as_a_frame])
def test_a_matrix_that_changes_after_fit_changes_no_model(given):
    X, Z = smerf.simulate("regression", 80)
    held, keywords = given(np.ascontiguousarray(Z, dtype=np.float32))
    forest = smerf.DistanceForest(n_estimators=5, random_state=1).fit(X, **keywords)
    before, saved = forest.distance(X), forest._model.to_bytes()
    held *= 2
    np.testing.assert_array_equal(forest.distance(X), before)
    assert forest._model.to_bytes() == saved


def test_the_matrix_lives_as_long_as_the_model():
    X, Z = smerf.simulate("regression", 300)
    forest = smerf.DistanceForest(n_estimators=5, random_state=1).fit(X, np.ascontiguousarray(Z, np.float32))
    expected = smerf.DistanceForest(n_estimators=5, random_state=1).fit(X, Z).distance(X)
    del Z
    gc.collect()
    np.ones((600, 600))  # somebody else takes the memory, if it was given back
    np.testing.assert_array_equal(forest.distance(X), expected)


def peak():
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) * 1024 for line in file if line.startswith("VmHWM"))


@pytest.mark.parametrize("type_", [np.float32, np.float64])
@pytest.mark.parametrize("order", ["C", "F"])
def test_features_are_used_in_place(type_, order):
    X = np.asarray(np.random.default_rng(0).normal(size=(20000, 50)), dtype=type_, order=order)
    y = X[:, 0] > 0
    tracemalloc.start()
    forest = smerf.DistanceForest(n_estimators=1, max_depth=1, random_state=1).fit(X, y)
    forest.predict(X)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 0.25 * X.nbytes


def test_asking_of_many_features_takes_no_room_for_a_copy():
    """Of the whole process, in which the library's own memory counts too."""
    X = np.ones((40000, 400), dtype=np.float32)
    X[:, 0] = np.arange(40000)
    forest = smerf.DistanceForest(n_estimators=1, target="response", max_depth=1, candidates=1, random_state=1)
    forest.fit(X[:2000], X[:2000, 0])
    pairs = np.array([[0, 39999]])
    before = peak()
    forest.pair_distance(pairs, X)
    assert peak() - before < 0.25 * X.nbytes


def test_a_thousand_fits_leave_nothing_behind():
    X, Z = smerf.simulate("regression", 60)
    labels = (X[:, 0] > 0).astype(int)

    def once(k):
        forest = smerf.DistanceForest(n_estimators=2, random_state=k)
        if k % 2:
            forest.fit(X, Z).kneighbors(X, 3, oob=False)
        else:
            forest.fit(X, labels).predict(X)
        forest.distance(X)
        try:
            forest.fit(X, Z=Z[:5])
        except ValueError:
            pass

    for k in range(100):
        once(k)
    gc.collect()
    before = resident()
    for k in range(1000):
        once(k)
    gc.collect()
    assert resident() - before < 3e6  # a lost matrix a fit would be 14 MB, a lost model more
