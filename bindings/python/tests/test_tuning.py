"""Tuning leaves the estimator's parameters alone, and takes what the command takes."""

import os
import signal
import threading
import time
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import smerf

FEW = {"n_estimators": 20, "random_state": 1}


@pytest.fixture(scope="module")
def data():
    return smerf.simulate("regression", 60)


def test_parameters_stay_and_the_best_is_fitted(data):
    X, Z = data
    forest = smerf.DistanceForest(**FEW, min_parent=3)
    before = forest.get_params()
    assert forest.tune(X, Z) is forest
    assert forest.get_params() == before and clone(forest).get_params() == before
    best = clone(forest).set_params(**forest.best_params_).fit(X, Z)
    np.testing.assert_array_equal(forest.distance(X), best.distance(X))
    assert forest.best_score_ == best.oob_score() == forest.oob_score()
    assert forest.best_score_ == max(forest.cv_results_["score"])
    assert set(forest.best_params_) == {"candidates", "min_parent", "splits", "self_distance"}


def test_results_are_columns_of_a_frame(data):
    X, Z = data
    forest = smerf.DistanceForest(**FEW).tune(X, Z, metric="spearman")
    table = pd.DataFrame(forest.cv_results_)
    assert len(table) > 20 and table["param_min_parent"].dtype.kind == "i" and table["param_splits"].isin(["axis", "oblique"]).all()
    np.testing.assert_array_equal(table["score"], table["spearman"])
    np.testing.assert_array_equal(table["rank"], (-table["score"]).rank(method="min").astype(int))
    assert table["rank"][forest.best_index_] == 1 and table["params"][forest.best_index_] == forest.best_params_
    for params, row in zip(table["params"], table.itertuples()):
        assert params["candidates"] == row.param_candidates and params["splits"] == row.param_splits


def test_every_setting_has_the_score_of_its_forest(data):
    X, Z = data
    grid = {"candidates": [2, "p^0.5", "p"], "min_parent": [2, 8]}
    forest = smerf.DistanceForest(**FEW).tune(X, Z, grid=grid)
    found = forest.cv_results_
    assert sorted(zip(found["param_candidates"], found["param_min_parent"])) == [(c, m) for c in (2, 5, 20) for m in (2, 8)]
    for params, rmse, score in zip(found["params"], found["rmse"], found["score"]):
        one = smerf.DistanceForest(**FEW, **params).fit(X, Z)
        assert rmse == one.evaluate_oob(metrics="rmse")["rmse"] == -score


def test_a_grid_is_all_that_varies_unless_more_is_asked_for(data):
    X, Z = data
    forest = smerf.DistanceForest(**FEW, candidates=7).tune(X, Z, grid={"min_parent": [2, 5]})
    assert forest.best_params_.keys() == {"min_parent"} and forest._model.describe()["options"]["candidates"] == 7
    forest.tune(X, Z, grid={"min_parent": [2, 5]}, vary=["splits"])
    assert set(forest.cv_results_["param_splits"]) == {"axis", "oblique"}
    assert set(forest.cv_results_["param_min_parent"]) == {2, 5}


def test_selves_and_densities_come_back_as_parameters(data):
    X, Z = data
    grid = {"self_distance": ["given", "exclude", 0.5], "density": [0.1, 0.3], "splits": ["oblique"], "candidates": [4]}
    forest = smerf.DistanceForest(**FEW).tune(X, Z, grid=grid)
    found = forest.cv_results_
    assert set(map(str, found["param_self_distance"])) == {"given", "exclude", "0.5"} and len(found["params"]) == 6
    assert set(found["param_density"]) == {0.1, 0.3}
    best = smerf.DistanceForest(**FEW).set_params(**forest.best_params_).fit(X, Z)
    np.testing.assert_array_equal(forest.distance(X), best.distance(X))


@pytest.mark.parametrize("kind", [smerf.DistanceForestClassifier, smerf.DistanceForestRegressor])
def test_classifiers_and_regressors_are_tuned_too(kind, data):
    X, Z = data
    y = (X[:, 0] > 0).astype(int) if kind is smerf.DistanceForestClassifier else X[:, 0]
    forest = kind(**FEW).tune(X, y, grid={"min_parent": [2, 20]})
    assert forest.best_params_["min_parent"] in (2, 20) and forest.predict(X).shape == y.shape


def test_a_fit_forgets_what_was_tuned(data):
    X, Z = data
    forest = smerf.DistanceForest(**FEW).tune(X, Z, grid={"min_parent": [2, 5]}).fit(X, Z)
    assert not any(hasattr(forest, name) for name in ("best_params_", "best_score_", "best_index_", "cv_results_"))


def slow():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(300, 10))
    return X, np.abs(X[:, None] - X).sum(axis=2)


def check_stopped(forest, found, said):
    score = forest.cv_results_["score"]
    n_tried = (~np.isnan(score)).sum()
    assert 1 <= n_tried < len(score) and forest.best_index_ < n_tried
    assert forest.cv_results_["rank"][n_tried:].min() > n_tried - 1
    assert f"{len(score) - n_tried} of {len(score)} settings were not tried ({said})" in str(found[-1].message)
    assert forest.best_score_ == np.nanmax(score)


def test_a_search_ends_when_its_time_is_up():
    X, Z = slow()
    forest = smerf.DistanceForest(n_estimators=300, random_state=1)
    with pytest.warns(UserWarning, match="for lack of time") as found:
        forest.tune(X, Z, time=0.3)
    check_stopped(forest, found, "for lack of time")


def test_ctrl_c_ends_a_search_with_the_best_so_far():
    X, Z = slow()
    forest = smerf.DistanceForest(n_estimators=300, random_state=1)
    timer = threading.Timer(0.7, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    try:
        with pytest.warns(UserWarning, match="interrupted") as found:
            forest.tune(X, Z)
    finally:
        timer.cancel()
    check_stopped(forest, found, "interrupted")
    assert forest.distance(X[:2]).shape == (2, 2)


def test_a_second_ctrl_c_ends_the_call():
    """One setting takes longer than both."""
    X, Z = slow()
    forest = smerf.DistanceForest(n_estimators=200000, random_state=1)
    timers = [threading.Timer(after, os.kill, (os.getpid(), signal.SIGINT)) for after in (0.5, 1.2)]
    start = time.monotonic()
    for timer in timers:
        timer.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            forest.tune(X, Z)
    finally:
        for timer in timers:
            timer.cancel()
    assert time.monotonic() - start < 20 and not hasattr(forest, "cv_results_")


def test_a_search_that_is_done_says_nothing(data):
    X, Z = data
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        smerf.DistanceForest(**FEW).tune(X, Z, grid={"min_parent": [2, 5]}, time=600)
