"""Arguments that make no sense are refused at the call, with a sentence; what `load` and labels keep."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.utils._param_validation import InvalidParameterError

import smerf

N = 24
X = np.random.default_rng(5).normal(size=(N, 3))
Z = np.abs(X[:, None] - X).sum(axis=2)
NAN = float("nan")

WRONG = {
    "n_estimators": [10.5, 0, -1, True, "10", NAN, None],
    "target": ["label", 1, None],
    "candidates": [True, 0, -2, 1.5, NAN, "p^", "p^-1", "p^nan", "p^inf", "half", None, [1]],
    "splits": ["diagonal", 0, None, True],
    "density": [0, 1.5, -0.1, NAN, True, "0.5"],
    "min_parent": [1, 2.0, NAN, True, None],
    "max_depth": [-1, 1.5, True, "3"],
    "sample": ["bag", "subsample:0", "subsample:2", "subsample:x", "subsample:nan", None, 0.5, True],
    "oob_rule": ["any", None, 1],
    "self_distance": [NAN, np.inf, True, "none", None],
    "complete": [0, True, 1.5, "on", None],
    "rank": [0, 1.5, True, "2"],
    "n_jobs": [1.5, 0, "2", True, NAN],
    "random_state": [1.5, -1, True, "seed", 2**63, NAN],
    "verbose": [-1, 1.5, "yes", NAN, None],
    "categories": ["x0", [9], ["x9"], [1.5], [True]],
}


@pytest.mark.parametrize("name, value", [(name, value) for name, values in WRONG.items() for value in values])
def test_a_parameter_that_makes_no_sense_is_refused_at_fit_and_named(name, value):
    forest = smerf.DistanceForest(**{"n_estimators": 3, "random_state": 1, "splits": "axis", name: value})
    for learn in (forest.fit, forest.tune):
        with pytest.raises(ValueError) as raised:
            learn(X, Z)
        assert name in str(raised.value) and "\n" not in str(raised.value)
        assert repr(value) in str(raised.value) or name == "categories"
    assert not hasattr(forest, "target_")
    assert isinstance(raised.value, TypeError) or name in ("target", "categories")


def test_a_refusal_is_scikit_learns():
    with pytest.raises(InvalidParameterError, match=r"n_jobs=1.5 is not None or a whole number other than 0"):
        smerf.Euclidean(n_jobs=1.5).fit(X, Z)
    with pytest.raises(TypeError, match=r"n_estimators=10.5 is not a whole number from 1 on"):
        smerf.Plugin(n_estimators=10.5).fit(X, X[:, 0])
    with pytest.raises(TypeError, match=r"n_burn=True is not a whole number from 1 on"):
        smerf.EPM(n_burn=True).fit(X, Z)
    with pytest.raises(TypeError, match=r"intercept='yes' is not True or False"):
        smerf.Mahalanobis(intercept="yes").fit(X, Z)
    forest = smerf.DistanceForest(n_estimators=3).fit(X, Z)
    forest.n_jobs = 0.5
    with pytest.raises(InvalidParameterError, match="n_jobs=0.5"):
        forest.distance(X)


@pytest.mark.parametrize(
    "ask, name",
    [
        (lambda f: f.kneighbors(n_neighbors=2.5), "n_neighbors=2.5"),
        (lambda f: f.kneighbors(n_neighbors=True), "n_neighbors=True"),
        (lambda f: f.kneighbors_graph(n_neighbors=2, mode="weights"), "mode='weights'"),
        (lambda f: f.radius_neighbors_graph(radius="far"), "radius='far'"),
        (lambda f: f.radius_neighbors_graph(radius=NAN), "radius=nan"),
        (lambda f: f.evaluate(X, Z=Z, metrics="r2"), "metric='r2'"),
        (lambda f: f.evaluate(X, Z=Z, metrics=3), "metric=3"),
        (lambda f: f.evaluate(X, Z=Z, permutations=-1), "permutations=-1"),
        (lambda f: f.evaluate_oob(permutations=1.5), "permutations=1.5"),
        (lambda f: f.cluster(n_clusters=0), "n_clusters=0"),
        (lambda f: f.cluster(by="means of means"), "by='means of means'"),
        (lambda f: f.embed(n_components=1.0), "n_components=1.0"),
        (lambda f: f.tune(X, Z, vary=["rank"]), "vary='rank'"),
        (lambda f: f.tune(X, Z, vary=[]), "vary is empty"),
        (lambda f: f.tune(X, Z, metric="r2"), "metric='r2'"),
        (lambda f: f.tune(X, Z, time=0), "time=0"),
        (lambda f: f.tune(X, Z, time=NAN), "time=nan"),
        (lambda f: f.tune(X, Z, grid=[2, 4]), "grid="),
        (lambda f: f.tune(X, Z, grid={"rank": [2]}), "grid='rank'"),
        (lambda f: f.tune(X, Z, grid={"min_parent": 2}), "grid: min_parent"),
        (lambda f: f.tune(X, Z, grid={"splits": "axis"}), "grid: splits"),
        (lambda f: f.tune(X, Z, grid={"min_parent": []}), "grid: min_parent"),
        (lambda f: f.tune(X, Z, grid={"min_parent": [1]}), "min_parent=1"),
        (lambda f: f.tune(X, Z, grid={"candidates": ["p^x"]}), "candidates='p^x'"),
        (lambda f: smerf.compare(X, Z, n_repeats=0), "n_repeats=0"),
        (lambda f: smerf.compare(X, Z, train_share=1.5), "train_share=1.5"),
        (lambda f: smerf.compare(X, Z, train_share="most"), "train_share='most'"),
        (lambda f: smerf.compare(X, Z, by="items"), "by='items'"),
        (lambda f: smerf.compare(X, Z, folds=1), "folds=1"),
        (lambda f: smerf.compare(X, Z, tune="yes"), "tune='yes'"),
        (lambda f: smerf.compare(X, Z, methods=["xgboost"]), "methods='xgboost'"),
        (lambda f: smerf.compare(X, Z, methods=[]), "methods: there is none"),
        (lambda f: smerf.compare(X, Z, n_jobs=0), "n_jobs=0"),
        (lambda f: smerf.compare(X, Z, groups=[1, 2]), r"groups has the shape"),
        (lambda f: smerf.compare(X, Z, groups=[None] * N), "groups has a missing value"),
        (lambda f: smerf.compare(X, Z, groups=[1] * N, by="pairs"), "groups is about items"),
        (lambda f: smerf.compare(X, Z, n_burn=2.5), "n_burn=2.5"),
    ],
)
def test_arguments_of_questions_are_checked(ask, name):
    forest = smerf.DistanceForest(n_estimators=3, random_state=1).fit(X, Z)
    with pytest.raises((ValueError, TypeError)) as raised:
        ask(forest)
    assert name in str(raised.value)


def test_numpys_numbers_are_numbers():
    plain = smerf.DistanceForest(n_estimators=5, candidates=2, min_parent=3, random_state=1, n_jobs=2).fit(X, Z)
    given = {"n_estimators": np.int64(5), "candidates": np.uint8(2), "min_parent": np.int32(3), "random_state": np.uint64(1)}
    other = smerf.DistanceForest(**given, n_jobs=np.int16(2), verbose=False, self_distance="auto").fit(X, Z)
    np.testing.assert_array_equal(plain.distance(X), other.distance(X))


def test_p_is_all_features():
    several = [
        smerf.DistanceForest(n_estimators=5, candidates=value, random_state=1).fit(X, Z).distance(X) for value in ("p", "p^1", "all", 3)
    ]
    for one in several[1:]:
        np.testing.assert_array_equal(one, several[0])


# ---- labels that are truth values ----


@pytest.mark.parametrize(
    "make",
    [
        lambda y: y,
        lambda y: y.tolist(),
        lambda y: y.astype(object),
        pd.Series,
        lambda y: pd.Series(y, dtype="boolean"),
        lambda y: pd.Series(y, dtype="category"),
        lambda y: y[:, np.newaxis],
    ],
)
def test_truth_values_stay_truth_values(make, tmp_path):
    y = X[:, 0] > 0
    forest = smerf.DistanceForest(n_estimators=5, random_state=1).fit(X, make(y))
    forest.save(tmp_path / "m.smerf")
    for one in (forest, smerf.load(tmp_path / "m.smerf"), pickle.loads(pickle.dumps(forest))):
        assert one.target_ == "labels" and one.classes_.dtype == bool and one.classes_.tolist() == [False, True]
        assert one.predict(X).dtype == bool
        np.testing.assert_array_equal(one.predict(X), forest.predict(X))
    assert (forest.predict(X) == y).mean() > 0.8


def test_labels_from_files_keep_their_type_where_it_can_be_told(tmp_path):
    for labels in ([3, 1, -2], ["a", "b", "3"], ["01", "1", "2"], ["\u00b2", "1", "2"], ["--1", "1", "2"], [True, False, True]):
        y = np.array(labels * 8)
        smerf.DistanceForest(n_estimators=3, random_state=1).fit(X, y).save(tmp_path / "m.smerf")
        loaded = smerf.load(tmp_path / "m.smerf")
        assert loaded.classes_.tolist() == np.unique(y).tolist() and loaded.classes_.dtype.kind == y.dtype.kind


# ---- what a file keeps ----


def test_a_threshold_is_saved_and_loaded(tmp_path, command):
    y = (X[:, 0] > 0).astype(int)
    pairs = np.random.default_rng(1).integers(N, size=(60, 2))
    alike = np.where(y[pairs[:, 0]] == y[pairs[:, 1]], 1, -1)
    forest = smerf.DistanceForest(n_estimators=5, random_state=1).fit(X, y)
    forest.save(tmp_path / "plain.smerf")
    assert not hasattr(smerf.load(tmp_path / "plain.smerf"), "threshold_")
    forest.calibrate_threshold(pairs, alike, X=X)
    forest.save(tmp_path / "m.smerf")
    loaded = smerf.load(tmp_path / "m.smerf")
    assert loaded.threshold_ == forest.threshold_
    np.testing.assert_array_equal(loaded.predict_pairs(pairs, X), forest.predict_pairs(pairs, X))
    loaded.save(tmp_path / "again.smerf")
    assert (tmp_path / "again.smerf").read_bytes() == (tmp_path / "m.smerf").read_bytes()
    command("info", tmp_path / "m.smerf")  # reads it too
    del forest.threshold_
    forest.save(tmp_path / "m.smerf")
    assert (tmp_path / "m.smerf").read_bytes() == (tmp_path / "plain.smerf").read_bytes()
    forest.threshold_ = 0.0
    forest.save(tmp_path / "m.smerf")
    assert smerf.load(tmp_path / "m.smerf").threshold_ == 0
    assert not hasattr(forest.fit(X, y), "threshold_")


@pytest.mark.parametrize("note", ['["a list"]', "no JSON", '{"threshold": "high", "ordered": []}', "{}"])
def test_a_note_of_somebody_else_is_left_alone(note, tmp_path):
    forest = smerf.DistanceForest(n_estimators=3, random_state=1).fit(X, Z)
    forest._model.save(tmp_path / "m.smerf", note)
    loaded = smerf.load(tmp_path / "m.smerf")
    assert not hasattr(loaded, "threshold_") and loaded._model.note() == note
    np.testing.assert_array_equal(loaded.distance(X), forest.distance(X))


@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"candidates": "p^0.5", "sample": "subsample:0.5", "oob_rule": "either"},
        {"splits": "oblique", "density": 0.4, "max_depth": 3, "min_parent": 4},
        {"self_distance": 0.25, "candidates": "all", "sample": "none"},
    ],
)
def test_the_parameters_of_a_loaded_model_grow_the_same_forest(parameters, tmp_path):
    """What was automatic is spelled out, as the file has it; what was said comes back as it was said where that is the same."""
    forest = smerf.DistanceForest(n_estimators=5, random_state=3, **parameters).fit(X, Z)
    forest.save(tmp_path / "m.smerf")
    loaded = smerf.load(tmp_path / "m.smerf")
    for name in {*parameters} - {"candidates"}:
        assert getattr(loaded, name) == parameters[name]
    assert loaded.n_estimators == 5 and loaded.random_state == 3
    clone(loaded).fit(X, Z).save(tmp_path / "again.smerf")
    assert (tmp_path / "again.smerf").read_bytes() == (tmp_path / "m.smerf").read_bytes()
