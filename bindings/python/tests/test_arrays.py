"""Arrays of every shape and sort: each gives its result, or its clear exception."""

import numpy as np
import pytest
from data import features, known
from scipy import sparse

import smerf

N = 30


@pytest.fixture(scope="module")
def plain():
    X, Z = smerf.simulate("regression", N)
    return np.round(8 * X), Z.astype(np.float32)  # whole numbers, so that every type holds them


def grown(X, Z):
    return smerf.DistanceForest(n_estimators=5, random_state=1).fit(X, Z=Z)


def strided(X):
    wide = np.zeros((2 * X.shape[0], 3 * X.shape[1]), X.dtype)
    wide[::2, ::3] = X
    return wide[::2, ::3]


def read_only(X):
    X = X.copy()
    X.flags.writeable = False
    return X


SAME = {
    "fortran": np.asfortranarray,
    "strided": strided,
    "backwards": lambda X: X[::-1, ::-1].copy()[::-1, ::-1],
    "read-only": read_only,
    "big-endian": lambda X: X.astype(X.dtype.newbyteorder(">")),
    "float32": lambda X: X.astype(np.float32),
    "float16": lambda X: X.astype(np.float16),
    "long double": lambda X: X.astype(np.longdouble),
    "list": lambda X: X.tolist(),
    "object": lambda X: X.astype(object),
    "matrix of a subclass": lambda X: X.view(np.recarray) if X.dtype.names else X.view(type("Own", (np.ndarray,), {})),
}


@pytest.mark.parametrize("name", SAME)
def test_x_gives_the_same_whatever_it_lies_in(plain, name):
    X, Z = plain
    expected = grown(X, Z).distance(X)
    np.testing.assert_array_equal(grown(SAME[name](X), Z).distance(SAME[name](X)), expected)


@pytest.mark.parametrize("kind", ["distances", "labels", "response"])
@pytest.mark.parametrize("splits", ["axis", "oblique"])
def test_models_of_float32_are_those_of_the_same_numbers_as_doubles(kind, splits):
    X = features(50, 6, 3, missing=0.1).astype(np.float32)
    target, parameters, _ = known(kind, 50, 3)
    forest = smerf.DistanceForest(n_estimators=10, splits=splits, random_state=1, **parameters)
    expected = forest.fit(X.astype(np.float64), **target)._model.to_bytes()
    for form in (X, np.asfortranarray(X), strided(X), X.astype(">f4"), np.ascontiguousarray(X.astype(float)), X[::-1][::-1]):
        forest.fit(form, **target)
        assert forest._model.to_bytes() == expected
        assert np.isfinite(forest.permutation_importance().importances_mean).all()


@pytest.mark.parametrize("type_", [np.int8, np.int16, np.int64, np.dtype(">i4")])
def test_whole_numbers_are_numbers(plain, type_):
    X, Z = plain
    np.testing.assert_array_equal(grown(X.astype(type_), Z).distance(X), grown(X, Z).distance(X))
    signless = np.abs(X)
    np.testing.assert_array_equal(grown(signless.astype(np.uint8), Z).distance(signless), grown(signless, Z).distance(signless))


def test_truth_values_are_numbers(plain):
    X, Z = plain
    np.testing.assert_array_equal(grown(X > 0, Z).distance(X > 0), grown((X > 0).astype(float), Z).distance((X > 0) * 1.0))


@pytest.mark.parametrize("form", ["csr", "csc", "coo", "lil", "dok", "bsr", "dia"])
def test_sparse_is_dense(plain, form):
    X, Z = plain
    S = sparse.coo_array(X).asformat(form)
    np.testing.assert_array_equal(grown(S, Z).distance(S), grown(X, Z).distance(X))


@pytest.mark.parametrize("name", [name for name in SAME if name not in ("float32", "float16", "list")])
def test_z_gives_the_same_whatever_it_lies_in(plain, name):
    X, Z = plain
    np.testing.assert_array_equal(grown(X, SAME[name](Z)).distance(X), grown(X, Z).distance(X))


def test_z_may_be_of_other_types(plain):
    X, Z = plain
    expected = grown(X, Z).distance(X)
    np.testing.assert_array_equal(grown(X, Z.astype(np.float64)).distance(X), expected)
    np.testing.assert_array_equal(grown(X, Z.tolist()).distance(X), expected)
    whole = np.round(10 * Z)
    np.testing.assert_array_equal(grown(X, whole.astype(np.int32)).distance(X), grown(X, whole).distance(X))
    np.testing.assert_array_equal(grown(X, Z > 0.1).distance(X), grown(X, (Z > 0.1) * 1.0).distance(X))


def test_missing_numbers_are_missing_in_every_form(plain):
    X, Z = plain
    X = X.copy()
    X[::3, 0] = np.nan
    expected = grown(X, Z).distance(X)
    objects = X.astype(object)
    objects[::3, 0] = None
    np.testing.assert_array_equal(grown(objects, Z).distance(objects), expected)
    np.testing.assert_array_equal(grown(sparse.csr_array(X), Z).distance(X), expected)


BAD_X = {
    "infinity": (lambda X: np.where(X == X[3, 2], np.inf, X), "column 'x2', row 3: an infinity|infinity"),
    "empty": (lambda X: X[:0], "0 sample"),
    "no features": (lambda X: X[:, :0], "0 feature"),
    "one item": (lambda X: X[:1], "1 sample|n_samples = 1|minimum of 2"),
    "one-dimensional": (lambda X: X[0], "Reshape your data"),
    "three-dimensional": (lambda X: X[None], "dim 3|3 dims|3D"),
    "complex": (lambda X: X + 1j, "Complex data not supported"),
    "ragged text": (lambda X: np.where(X == X[3, 2], "red", X.astype(object)), "among text"),
    "dictionary": (lambda X: {"a": 1}, "."),
}


@pytest.mark.parametrize("name", BAD_X)
def test_bad_x_is_refused_with_a_sentence(plain, name):
    X, Z = plain
    spoil, sentence = BAD_X[name]
    with pytest.raises(ValueError, match=sentence):
        grown(spoil(X), Z)


def spoilt(Z, i, j, value):
    Z = Z.astype(float)
    Z[i, j] = value
    return Z


BAD_Z = {
    "not symmetric": (lambda Z: spoilt(Z, 3, 1, 99), r"z\[3\]\[1\] = 99 but z\[1\]\[3\] = .* symmetric"),
    "infinite": (lambda Z: spoilt(Z, 3, 1, np.inf), "infinite|finite"),
    "too large for float32": (lambda Z: spoilt(spoilt(Z, 3, 1, 1e300), 1, 3, 1e300), "infinite"),
    "one-sided gap": (lambda Z: spoilt(Z, 3, 1, np.nan), "symmetric"),
    "too small": (lambda Z: Z[:-1, :-1], r"30 x 30"),
    "condensed too short": (lambda Z: np.zeros(7), "435 condensed"),
    "sparse": (lambda Z: sparse.csr_array(Z), "sparse"),
    "text": (lambda Z: Z.astype(str).astype(object) + "x", "could not convert"),
}


@pytest.mark.parametrize("name", BAD_Z)
def test_bad_z_is_refused_with_a_sentence(plain, name):
    X, Z = plain
    spoil, sentence = BAD_Z[name]
    with pytest.raises(ValueError, match=sentence):
        grown(X, spoil(Z))


BAD_Y = {
    "too short": (lambda n: np.zeros(n - 1), "inconsistent"),
    "missing": (lambda n: np.array([np.nan] + [0.0] * (n - 1)), "NaN"),
    "infinite": (lambda n: np.array([np.inf] + [0.0] * (n - 1)), "infinity"),
}


@pytest.mark.parametrize("name", BAD_Y)
def test_bad_y_is_refused_with_a_sentence(plain, name):
    spoil, sentence = BAD_Y[name]
    with pytest.raises(ValueError, match=sentence):
        smerf.DistanceForest(n_estimators=2).fit(plain[0], spoil(N))


def test_exactly_one_target(plain):
    X, Z = plain
    with pytest.raises(ValueError, match="y and Z exclude each other"):
        smerf.DistanceForest().fit(X, X[:, 0], Z=Z)
    with pytest.raises(ValueError, match="requires y to be passed"):
        smerf.DistanceForest().fit(X)


BAD_PARAMETERS = {
    "n_estimators": 0,
    "target": "distance",
    "candidates": "p^-1",
    "splits": "curved",
    "density": 2.0,
    "min_parent": 1,
    "max_depth": -1,
    "sample": "subsample:2",
    "oob_rule": "none",
    "self_distance": "zero",
    "shrink": 1.5,
    "complete": "maybe",
    "rank": 0,
    "random_state": -1,
    "categories": ["nowhere"],
}


@pytest.mark.parametrize("name", BAD_PARAMETERS)
def test_bad_parameters_are_named(plain, name):
    with pytest.raises(ValueError, match=name):
        smerf.DistanceForest(**{"n_estimators": 2, **{name: BAD_PARAMETERS[name]}}).fit(*plain)


# ---- where distances go ----


def test_out_may_lie_anywhere(plain, tmp_path):
    X, Z = plain
    forest = grown(X, Z)
    expected = forest.distance(X)
    mapped = np.lib.format.open_memmap(tmp_path / "d.npy", mode="w+", dtype=np.float32, shape=(N, N))
    assert forest.distance(X, out=mapped) is mapped
    mapped.flush()
    np.testing.assert_array_equal(np.load(tmp_path / "d.npy"), expected.astype(np.float32))
    for out in (np.empty((N, N), order="F"), np.empty((2 * N, 2 * N))[::2, ::-2], np.empty((N, N), np.float32).T):
        np.testing.assert_array_equal(forest.distance(X, out=out), expected.astype(out.dtype))


@pytest.mark.parametrize(
    "out, sentence",
    [
        (np.empty((N, N + 1)), "shape"),
        (np.empty((N, N), np.int64), "float32 or float64"),
        (np.empty((N, N), ">f8"), "float32 or float64"),
        (read_only(np.empty((N, N))), "read-only"),
    ],
)
def test_bad_out_is_refused(plain, out, sentence):
    with pytest.raises(ValueError, match=sentence):
        grown(*plain).distance(plain[0], out=out)


def test_pairs_of_nothing_are_nothing(plain):
    forest = grown(*plain)
    assert forest.pair_distance(np.empty((0, 2, 20))).shape == (0,)
    assert forest.pair_distance(np.empty((0, 2), int), plain[0]).shape == (0,)
    with pytest.raises(ValueError, match="count from 0"):
        forest.pair_distance([[0, N]], plain[0])
    with pytest.raises(ValueError, match="count from 0"):
        forest.pair_distance([[-1, 2]], plain[0])
