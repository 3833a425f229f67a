"""Z is not copied, and nothing is lost."""

import gc
import resource
import tracemalloc

import numpy as np
import pytest

import smerf


def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize()


def test_a_float32_matrix_is_used_in_place():
    X, Z = smerf.simulate("regression", 1500)
    Z = np.ascontiguousarray(Z, dtype=np.float32)
    forest = smerf.DistanceForest(n_estimators=1, max_depth=1, candidates=1, random_state=1)
    tracemalloc.start()
    forest.fit(X, Z)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 0.25 * Z.nbytes
    before = forest.distance(X[:5])
    Z *= 2  # whoever holds the same memory notices
    np.testing.assert_array_equal(forest.distance(X[:5]), 2 * before)


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
    forest = smerf.DistanceForest(n_estimators=1, max_depth=1, candidates=1, random_state=1)
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
            forest.fit(X, Z).kneighbors(X, 3)
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
