"""Looking at an estimator computes nothing large, keeps nothing large, and never fails."""

import inspect
import pickle
import warnings

import numpy as np
import pytest
from sklearn.utils import estimator_html_repr

import smerf
from smerf._asking import DistanceModel
from smerf._forest import DistanceForest

KNOWN = {"distances": lambda X, Z: (X, Z), "labels": lambda X, Z: (X, X[:, 0] > 0.5), "response": lambda X, Z: (X, X[:, 0])}


@pytest.fixture(scope="module")
def data():
    return smerf.simulate("regression", 60)


@pytest.fixture
def questions(monkeypatch):
    """The names of the methods that ask a model of items, as often as they are called."""
    called = []

    def counted(name, method):
        def call(*words, **named):
            called.append(name)
            return method(*words, **named)

        return call

    for owner, name in ((DistanceModel, "_items_of"), (DistanceModel, "distance"), (DistanceForest, "evaluate_oob")):
        monkeypatch.setattr(owner, name, counted(name, getattr(owner, name)))
    return called


def shown(estimator):
    members = dict(inspect.getmembers(estimator))
    assert "oob_score" in members and not hasattr(estimator, "oob_score_") and not hasattr(estimator, "oob_distance_")
    assert "<div" in estimator_html_repr(estimator) and "<div" in estimator._repr_html_()
    assert type(estimator).__name__ in repr(estimator)


@pytest.mark.parametrize("kind", KNOWN)
@pytest.mark.parametrize("sample", ["bootstrap", "none"])
def test_showing_a_fitted_forest_asks_nothing_of_it(data, questions, kind, sample):
    forest = smerf.DistanceForest(n_estimators=5, sample=sample, random_state=1)
    shown(forest)
    forest.fit(*KNOWN[kind](*data))
    before = pickle.dumps(forest)
    del questions[:]
    shown(forest)
    assert questions == []
    assert len(pickle.dumps(forest)) == len(before)


def test_showing_a_model_from_a_file(data, questions, tmp_path):
    smerf.DistanceForest(n_estimators=5, random_state=1).fit(*data).save(tmp_path / "m.smerf")
    loaded = smerf.load(tmp_path / "m.smerf")
    del questions[:]
    shown(loaded)
    assert questions == []


@pytest.mark.parametrize("method", [smerf.Euclidean(), smerf.Mahalanobis(), smerf.Bilinear()])
def test_showing_other_methods(data, method):
    for estimator in (method, method.fit(*data)):
        inspect.getmembers(estimator)
        assert "<div" in estimator._repr_html_()


def test_out_of_bag_is_computed_when_it_is_asked_for_and_not_kept(data):
    X, Z = data
    forest = smerf.DistanceForest(n_estimators=60, random_state=1).fit(X, Z)
    before = len(pickle.dumps(forest))
    first = forest.oob_distance()
    np.testing.assert_array_equal(first, forest.distance(X, oob=True))
    assert forest.oob_score() == -forest.evaluate_oob()["rmse"]
    assert forest.oob_score(metric="spearman") == forest.evaluate_oob()["spearman"]
    assert len(pickle.dumps(forest)) == before and forest.oob_distance() is not first


def test_a_model_from_a_file_is_told_its_items_for_out_of_bag(data, tmp_path):
    X, Z = data
    forest = smerf.DistanceForest(n_estimators=60, random_state=1).fit(X, Z)
    forest.save(tmp_path / "m.smerf")
    loaded = smerf.load(tmp_path / "m.smerf")
    np.testing.assert_array_equal(loaded.oob_distance(X), forest.oob_distance())
    assert loaded.oob_score(X) == forest.oob_score()
    with pytest.raises(ValueError, match="does not hold the items"):
        loaded.oob_score()


def test_nothing_is_warned_of_by_showing(data):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        shown(smerf.DistanceForest(n_estimators=5, random_state=1).fit(*data))
