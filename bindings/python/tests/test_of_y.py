"""DistanceForestClassifier and DistanceForestRegressor: the same engine, and nothing to guess."""

import inspect
import pickle

import numpy as np
import pytest
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_diabetes, load_iris
from sklearn.ensemble import StackingRegressor, VotingClassifier
from sklearn.inspection import permutation_importance
from sklearn.linear_model import LinearRegression
from sklearn.metrics import accuracy_score, r2_score
from sklearn.model_selection import GridSearchCV, cross_val_score

import smerf

pytestmark = pytest.mark.filterwarnings("ignore::smerf.InSampleWarning")  # scores are compared, not believed
FEW = dict(n_estimators=20, random_state=1)
PAIR = [(smerf.DistanceForestClassifier, "labels"), (smerf.DistanceForestRegressor, "response")]


@pytest.fixture(scope="module")
def iris():
    return load_iris(return_X_y=True)


@pytest.fixture(scope="module")
def diabetes():
    return load_diabetes(return_X_y=True)


@pytest.mark.parametrize("kind, target", PAIR)
@pytest.mark.parametrize("type_", [np.int64, np.float64, np.uint8, np.float32])
def test_no_dtype_changes_what_y_means(iris, kind, target, type_):
    """Nothing is warned of either: a warning would be an error."""
    X, y = iris
    forest = kind(**FEW).fit(X, y.astype(type_))
    same = smerf.DistanceForest(target=target, **FEW).fit(X, y.astype(type_))
    assert forest.target_ == target and forest._model.to_bytes() == same._model.to_bytes()
    np.testing.assert_array_equal(forest.predict(X), same.predict(X))


def test_scores_are_those_of_scikit_learn(iris, diabetes):
    for kind, (X, y), score in ((*PAIR[0][:1], iris, accuracy_score), (*PAIR[1][:1], diabetes, r2_score)):
        forest = kind(**FEW).fit(X[::2], y[::2])
        found = forest.predict(X[1::2])
        assert forest.score(X[1::2], y[1::2]) == score(y[1::2], found)
        weights = np.linspace(1, 2, len(found))
        assert forest.score(X[1::2], y[1::2], sample_weight=weights) == score(y[1::2], found, sample_weight=weights)
        assert forest.evaluate(X, y)["rmse"] > 0 and forest.oob_score() < 0  # of distances


def test_integers_that_measure_something_are_learned_as_such(diabetes):
    X, y = diabetes
    forest = smerf.DistanceForestRegressor(n_estimators=50, random_state=1)
    whole, with_point = (cross_val_score(forest, X, given).mean() for given in (y.astype(int), y.astype(float)))
    assert whole == with_point > 0.35


def test_they_are_what_scikit_learn_takes_them_for(iris, diabetes):
    classifier, regressor = smerf.DistanceForestClassifier(**FEW), smerf.DistanceForestRegressor(**FEW)
    assert is_classifier(classifier) and not is_regressor(classifier)
    assert is_regressor(regressor) and not is_classifier(regressor)
    for other in (smerf.DistanceForest(), smerf.Mahalanobis()):
        assert not is_classifier(other) and not is_regressor(other)
    X, y = iris
    voting = VotingClassifier([("a", classifier), ("b", clone(classifier))], voting="soft").fit(X, y)
    assert voting.score(X, y) > 0.95
    calibrated = CalibratedClassifierCV(classifier, cv=3).fit(X, y)
    np.testing.assert_allclose(calibrated.predict_proba(X).sum(axis=1), 1)
    assert GridSearchCV(classifier, {"min_parent": [2, 40]}, cv=3, scoring="roc_auc_ovr").fit(X, y).best_score_ > 0.9
    X, y = diabetes
    assert StackingRegressor([("a", regressor)], LinearRegression(), cv=3).fit(X, y).score(X, y) > 0.3
    fitted = regressor.fit(X, y)
    assert permutation_importance(fitted, X, y, n_repeats=2, random_state=0).importances_mean.shape == (10,)


@pytest.mark.parametrize("kind, target", PAIR)
def test_what_leaves_something_to_guess_is_refused(iris, kind, target):
    X, y = iris
    Z = (y[:, None] != y).astype(float)
    forest = kind(**FEW)
    assert "target" not in forest.get_params() and list(inspect.signature(forest.fit).parameters) == ["X", "y", "sample_weight"]
    with pytest.raises(TypeError, match="target"):
        kind(target="auto")
    with pytest.raises(ValueError, match="learns from y; DistanceForest takes distances"):
        forest.fit(X, smerf.Distances(Z))
    with pytest.raises(ValueError, match="learns from y; DistanceForest takes distances"):
        forest.tune(X, Z=Z)
    if target == "labels":
        with pytest.raises(ValueError, match="Unknown label type: continuous"):
            forest.fit(X, X[:, 0] + 0.05)
        with pytest.raises(ValueError):
            forest.fit(X, Z)


def test_a_square_y_is_numbers_to_a_regressor():
    rng = np.random.default_rng(0)
    X, Y = rng.normal(size=(12, 3)), rng.normal(size=(12, 12))
    forest = smerf.DistanceForestRegressor(**FEW).fit(X, Y)
    assert forest.predict(X).shape == (12, 12) and forest.score(X, Y) == r2_score(Y, forest.predict(X))


def test_what_cannot_be_asked_is_not_there(iris):
    X, y = iris
    Z = np.abs(X[:, :1] - X[:, 0])
    there = {"predict": True, "predict_proba": True}
    of = {
        smerf.DistanceForest(**FEW): there,
        smerf.DistanceForest(**FEW).fit(X, y): there,
        smerf.DistanceForest(**FEW).fit(X, X[:, 0] + 0.05): {"predict": True, "predict_proba": False},
        smerf.DistanceForest(**FEW).fit(X, Z): {"predict": False, "predict_proba": False},
        smerf.DistanceForest(target="absolute", **FEW): {"predict": False, "predict_proba": False},
        smerf.DistanceForestClassifier(**FEW): there,
        smerf.DistanceForestClassifier(**FEW).fit(X, y): there,
        smerf.DistanceForestRegressor(**FEW): {"predict": True, "predict_proba": False},
        smerf.DistanceForestRegressor(**FEW).fit(X, y): {"predict": True, "predict_proba": False},
    }
    for forest, expected in of.items():
        assert {name: hasattr(forest, name) for name in expected} == expected, forest


def test_a_fit_settles_what_can_be_asked_anew(iris):
    X, y = iris
    forest = smerf.DistanceForest(**FEW).fit(X, np.abs(X[:, :1] - X[:, 0]))
    assert not hasattr(forest, "predict")
    assert hasattr(forest.fit(X, y), "predict_proba")


@pytest.mark.parametrize("kind, target", PAIR)
def test_copies_files_and_tuning(iris, kind, target, tmp_path):
    X, y = iris
    forest = kind(**FEW).tune(X, y, vary=["min_parent"])
    assert len(forest.cv_results_["params"]) == 3 and forest.min_parent == 2 and forest.target_ == target
    other = pickle.loads(pickle.dumps(forest))
    forest.save(tmp_path / "m.smerf")
    loaded = kind.load(tmp_path / "m.smerf")
    for copy in (other, loaded, smerf.load(tmp_path / "m.smerf")):
        np.testing.assert_array_equal(copy.predict(X), forest.predict(X))
    assert loaded.get_params()["n_estimators"] == 20 and loaded.score(X, y) == forest.score(X, y)
    stranger = {"labels": smerf.DistanceForestRegressor, "response": smerf.DistanceForestClassifier}[target]
    with pytest.raises(ValueError, match=f"fitted on a target '{target}'"):
        stranger.load(tmp_path / "m.smerf")


def test_labels_of_text_and_a_single_column(iris):
    X, y = iris
    texts = np.array(["b", "a", "c"])[y]
    forest = smerf.DistanceForestClassifier(**FEW).fit(X, texts)
    assert forest.classes_.tolist() == ["a", "b", "c"] and forest.score(X, texts) > 0.95
    with pytest.warns(UserWarning, match="column-vector"):
        assert smerf.DistanceForestClassifier(**FEW).fit(X, y[:, None]).predict(X).shape == (150,)
    two = np.c_[y, X[:, 0]]
    forest = smerf.DistanceForestRegressor(**FEW).fit(X, two)
    assert forest.predict(X).shape == (150, 2) and forest.score(X, two) > 0.8
    with pytest.raises(ValueError):
        smerf.DistanceForestClassifier(**FEW).fit(X, two)
