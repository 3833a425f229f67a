"""What scikit-learn does with classifiers and regressors, it does with ours: ensembles, calibration, inspection, displays, searches."""

import warnings

import matplotlib
import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.ensemble import BaggingClassifier, BaggingRegressor, StackingClassifier, StackingRegressor, VotingClassifier, VotingRegressor
from sklearn.inspection import PartialDependenceDisplay, partial_dependence, permutation_importance
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import ConfusionMatrixDisplay, RocCurveDisplay, accuracy_score, roc_auc_score
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_predict, cross_val_score, learning_curve
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

import smerf

matplotlib.use("Agg")
CLASSIFIER = smerf.DistanceForestClassifier(n_estimators=30, random_state=1)
REGRESSOR = smerf.DistanceForestRegressor(n_estimators=30, random_state=1)


@pytest.fixture(scope="module")
def iris():
    return train_test_split(*load_iris(return_X_y=True), random_state=0)


@pytest.fixture(scope="module")
def tumours():
    return train_test_split(*load_breast_cancer(return_X_y=True), random_state=0)


@pytest.fixture(scope="module")
def diabetes():
    return train_test_split(*load_diabetes(return_X_y=True), random_state=0)


# ---- what they are ----


def test_folds_are_stratified_by_default(iris):
    assert is_classifier(CLASSIFIER) and is_regressor(REGRESSOR)
    X, y = load_iris(return_X_y=True)  # sorted by label: plain folds would hold labels that were never seen
    found = cross_val_score(CLASSIFIER, X, y, cv=3)
    assert found.min() > 0.9
    np.testing.assert_array_equal(found, cross_val_score(CLASSIFIER, X, y, cv=StratifiedKFold(3)))


# ---- ensembles ----


def test_voting(iris, diabetes):
    X, new, y, truth = iris
    names = np.array(["setosa", "versicolor", "virginica"])
    for voting in ("hard", "soft"):
        vote = VotingClassifier([("forest", CLASSIFIER), ("line", LogisticRegression(max_iter=1000))], voting=voting)
        assert vote.fit(X, names[y]).score(new, names[truth]) > 0.9
    X, new, y, truth = diabetes
    both = VotingRegressor([("forest", REGRESSOR), ("line", LinearRegression())]).fit(X, y)
    alone = [clone(REGRESSOR).fit(X, y).predict(new), LinearRegression().fit(X, y).predict(new)]
    np.testing.assert_allclose(both.predict(new), np.mean(alone, axis=0))


def test_stacking(iris, diabetes):
    X, new, y, truth = iris
    stack = StackingClassifier([("forest", CLASSIFIER)], LogisticRegression(max_iter=1000), cv=3).fit(X, y)
    assert stack.score(new, truth) > 0.9
    X, new, y, truth = diabetes
    assert StackingRegressor([("forest", REGRESSOR)], LinearRegression(), cv=3).fit(X, y).score(new, truth) > 0.2


@pytest.mark.filterwarnings("ignore:items whose sample_weight is 0")  # some versions bag by weights
def test_bagging(iris, diabetes):
    X, new, y, truth = iris
    bag = BaggingClassifier(CLASSIFIER, n_estimators=4, random_state=0).fit(X, y)
    assert bag.score(new, truth) > 0.9 and bag.predict_proba(new).shape == (len(new), 3)
    rare = np.where(np.arange(len(y)) < 2, 2, y == 0)  # some bags lack the label
    bag = BaggingClassifier(CLASSIFIER, n_estimators=6, random_state=0).fit(X, rare)
    np.testing.assert_allclose(bag.predict_proba(new).sum(axis=1), 1)
    X, new, y, truth = diabetes
    assert BaggingRegressor(REGRESSOR, n_estimators=4, random_state=0).fit(X, y).score(new, truth) > 0.2


def test_calibration(tumours):
    X, new, y, truth = tumours
    for method in ("sigmoid", "isotonic"):
        calibrated = CalibratedClassifierCV(CLASSIFIER, method=method, cv=3).fit(X, y)
        shares = calibrated.predict_proba(new)
        np.testing.assert_allclose(shares.sum(axis=1), 1)
        assert calibrated.score(new, truth) > 0.9 and roc_auc_score(truth, shares[:, 1]) > 0.97


# ---- inspection ----


def test_partial_dependence(tumours, diabetes):
    X, new, y, truth = diabetes
    forest = clone(REGRESSOR).fit(X, y)
    found = partial_dependence(forest, X, [2], grid_resolution=4)
    by_hand = []
    for value in found["grid_values"][0]:
        moved = X.copy()
        moved[:, 2] = value
        by_hand.append(forest.predict(moved).mean())
    np.testing.assert_allclose(found["average"][0], by_hand)
    display = PartialDependenceDisplay.from_estimator(forest, X[:50], [0, (2, 8)], grid_resolution=3)
    assert len(display.pd_results) == 2
    X, new, y, truth = tumours
    shares = partial_dependence(clone(CLASSIFIER).fit(X, y), X[:40], [20], grid_resolution=3)["average"]
    assert ((shares >= 0) & (shares <= 1)).all()


def test_displays(tumours):
    X, new, y, truth = tumours
    forest = clone(CLASSIFIER).fit(X, y)
    curve = RocCurveDisplay.from_estimator(forest, new, truth)
    assert np.ravel(curve.roc_auc)[0] == pytest.approx(roc_auc_score(truth, forest.predict_proba(new)[:, 1]))
    table = ConfusionMatrixDisplay.from_estimator(forest, new, truth).confusion_matrix
    assert table.sum() == len(new) and np.trace(table) == (forest.predict(new) == truth).sum()


def test_importance_by_permutation(tumours):
    X, new, y, truth = tumours
    noise = np.random.default_rng(0).normal(size=(len(new), 1))
    forest = clone(CLASSIFIER).fit(np.c_[X[:, [27]], np.random.default_rng(1).normal(size=(len(X), 1))], y)
    found = permutation_importance(forest, np.c_[new[:, [27]], noise], truth, n_repeats=3, random_state=0)
    assert found.importances_mean[0] > 0.2 > 0.1 > abs(found.importances_mean[1])


def test_importance_on_training_items_warns(iris):
    X, _, y, _ = iris
    with pytest.warns(smerf.InSampleWarning):  # of the score that nothing has been shuffled for
        permutation_importance(clone(CLASSIFIER).fit(X, y), X, y, n_repeats=1, random_state=0)


@pytest.mark.filterwarnings("ignore::smerf.InSampleWarning")  # training scores are what is asked for
def test_learning_curve(tumours):
    X, _, y, _ = tumours
    sizes, seen, unseen = learning_curve(CLASSIFIER, X, y, train_sizes=[30, 250], cv=3, shuffle=True, random_state=0)
    assert list(sizes) == [30, 250] and (seen == 1).all()
    assert unseen.mean(axis=1)[0] < unseen.mean(axis=1)[1] and unseen.min() > 0.8


# ---- searches, pipelines, columns ----


def test_searches(iris, diabetes):
    X, new, y, truth = iris
    search = GridSearchCV(CLASSIFIER, {"min_parent": [2, 60], "candidates": [1, "all"]}, cv=3, scoring="roc_auc_ovr").fit(X, y)
    assert search.best_params_["min_parent"] == 2 or search.best_score_ > 0.99
    assert search.score(new, truth) > 0.9 and search.predict_proba(new).shape == (len(new), 3)
    X, new, y, truth = diabetes
    search = GridSearchCV(REGRESSOR, {"min_parent": [2, 40]}, cv=3).fit(X, y)
    assert search.best_score_ > 0.2 and search.best_estimator_.score(new, truth) == search.score(new, truth)


def test_pipelines_of_columns():
    rng = np.random.default_rng(0)
    town = rng.choice(["Aar", "Bex", "Chur"], size=200)
    frame = pd.DataFrame({"age": rng.normal(40, 9, size=200), "town": town, "noise": rng.normal(size=200)})
    y = np.where((frame["age"] > 40) & (town != "Bex"), "yes", "no")
    columns = ColumnTransformer([("n", StandardScaler(), ["age", "noise"]), ("c", OneHotEncoder(), ["town"])])
    as_they_are = ColumnTransformer([("n", StandardScaler(), ["age", "noise"])], remainder="passthrough").set_output(transform="pandas")
    for before in (columns, as_they_are):
        chain = make_pipeline(before, CLASSIFIER)
        assert cross_val_score(chain, frame, y, cv=4).min() > 0.85
        assert chain.fit(frame[:150], y[:150]).predict_proba(frame[150:]).shape == (50, 2)
    shown = chain.fit(frame, y)
    assert [name for name in shown[-1].feature_names_in_] == ["n__age", "n__noise", "remainder__town"]
    assert set(cross_val_predict(chain, frame, y, cv=3)) == {"yes", "no"}


# ---- weights of 0 ----

LEFT_OUT = "items whose sample_weight is 0 are left out"


def without(X, y, weights, kind):
    kept = np.flatnonzero(weights)
    return clone(kind).fit(X[kept], y[kept], sample_weight=weights[kept])


@pytest.mark.parametrize("kind", [CLASSIFIER, REGRESSOR], ids=["labels", "numbers"])
def test_items_of_weight_0_are_as_if_they_were_not_there(iris, kind):
    X, new, y, _ = iris
    weights = np.random.default_rng(2).integers(0, 3, size=len(y)).astype(float)
    expected = without(X, y, weights, kind)
    with pytest.warns(UserWarning, match=LEFT_OUT):
        forest = clone(kind).fit(X, y, sample_weight=weights)
    assert forest._model.to_bytes() == expected._model.to_bytes()
    assert forest.transform(new).shape == (len(new), (weights > 0).sum())
    np.testing.assert_array_equal(forest.kneighbors()[1], expected.kneighbors()[1])


def test_a_label_that_has_no_weight_has_no_share(iris):
    X, new, y, truth = iris
    with pytest.warns(UserWarning, match=LEFT_OUT):
        forest = clone(CLASSIFIER).fit(X, y, sample_weight=(y != 1).astype(float))
    assert forest.classes_.tolist() == [0, 1, 2] and (forest.predict_proba(new)[:, 1] == 0).all()
    assert set(forest.predict(new)) == {0, 2}
    assert accuracy_score(truth[truth != 1], forest.predict(new[truth != 1])) > 0.9


def known_forms(X, y):
    """The same distances in every form, with all items and with those that are kept."""
    Z = np.abs(X[:, :1] - X[:, 0])
    kept = np.flatnonzero(np.arange(len(X)) % 3)
    row = {item: k for k, item in enumerate(kept)}
    pairs = np.array([(i, j) for i in range(len(X)) for j in range(i) if (i + j) % 3])
    inner = np.array([pair for pair in pairs if pair[0] in row and pair[1] in row])
    moved = np.array([(row[i], row[j]) for i, j in inner])
    links = sparse.csr_matrix(np.triu(Z > 1, 1).astype(float))
    return kept, {
        "Z": (dict(Z=Z), dict(Z=Z[np.ix_(kept, kept)])),
        "pairs": (dict(pairs=(pairs, Z[tuple(pairs.T)])), dict(pairs=(moved, Z[tuple(inner.T)]))),
        "graph": (dict(graph=links), dict(graph=links[kept][:, kept])),
        "several": (dict(y=X[:, :2]), dict(y=X[kept][:, :2])),
    }


@pytest.mark.parametrize("form", ["Z", "pairs", "graph", "several"])
def test_weights_of_0_in_every_form(form):
    X = load_iris().data[::5]
    kept, forms = known_forms(X, None)
    everything, part = forms[form]
    weights = (np.arange(len(X)) % 3).astype(float)
    forest = smerf.DistanceForest(n_estimators=5, complete="off", random_state=1)
    with pytest.warns(UserWarning, match=LEFT_OUT):
        found = clone(forest).fit(X, sample_weight=weights, **everything).distance(X)
    np.testing.assert_array_equal(found, clone(forest).fit(X[kept], sample_weight=weights[kept], **part).distance(X))


def test_categories_and_ids_of_what_is_left():
    frame = pd.DataFrame(
        {"kind": pd.Categorical(list("abcabcabcd")), "size": np.arange(10.0)},
        index=pd.Index([f"i{k}" for k in range(10)], name="id"),
    )
    y, weights = np.arange(10) % 2, np.r_[np.ones(9), 0]
    with pytest.warns(UserWarning, match=LEFT_OUT):
        forest = clone(CLASSIFIER).fit(frame, y, sample_weight=weights)
    assert forest._model.features()[0] == ("kind", ["a", "b", "c"])  # nothing is left of d
    assert forest._model.to_bytes() == clone(CLASSIFIER).fit(frame[:9], y[:9], sample_weight=weights[:9])._model.to_bytes()
    forest.vote(pd.Series(y[:9], index=frame.index[:9]))


def test_weights_that_leave_nothing_are_refused(iris):
    X, _, y, _ = iris
    with pytest.raises(ValueError, match="sample_weight: 1 of 112 items have a weight above 0, and 2 are needed"):
        clone(CLASSIFIER).fit(X, y, sample_weight=np.eye(len(y))[0])
    with pytest.raises(ValueError):
        clone(CLASSIFIER).fit(X, y, sample_weight=-np.ones(len(y)))


# ---- what can be asked ----


def there(model, *names):
    return {name for name in names if hasattr(model, name)}


ASKED = ("predict", "predict_proba", "pair_spread", "vectors", "transform")
OF = {  # target: what can be asked before a fit, and after it
    "labels": ({"predict", "predict_proba", "vectors"}, {"predict", "predict_proba", "vectors"}),
    "response": ({"predict", "vectors"}, {"predict", "vectors"}),
    "absolute": (set(), set()),
    "product": ({"vectors"}, {"vectors"}),
    "auto": ({"predict", "predict_proba", "vectors"}, {"predict", "predict_proba", "vectors"}),
}


@pytest.mark.parametrize("target", OF)
def test_what_a_forest_of_each_target_can_be_asked(target, tmp_path):
    X, y = load_iris(return_X_y=True)
    always = {"pair_spread", "transform"}
    forest = smerf.DistanceForest(n_estimators=3, target=target, random_state=1)
    assert there(forest, *ASKED) == OF[target][0] | always
    assert there(forest.fit(X, y), *ASKED) == OF[target][1] | always
    for name in OF[target][1]:
        assert len(getattr(forest, name)(X)) == len(X)
    forest.save(tmp_path / "m.smerf")
    assert there(smerf.load(tmp_path / "m.smerf"), *ASKED) == OF[target][1] | {"pair_spread"}


@pytest.mark.parametrize("given", ["Z", "pairs", "graph", "rank"])
def test_what_a_forest_of_distances_can_be_asked(given):
    X = load_iris().data[::5]
    Z = (X[:, :1] - X[:, 0]) ** 2
    known = known_forms(X, None)[1].get(given, (dict(Z=Z), None))[0]
    forest = smerf.DistanceForest(n_estimators=3, complete="off", rank=1 if given == "rank" else None, random_state=1)
    assert there(forest.fit(X, **known), *ASKED) == {"pair_spread", "transform"} | ({"vectors"} if given == "rank" else set())


@pytest.mark.parametrize(
    "kind",
    [smerf.Euclidean, smerf.Mahalanobis, smerf.Bilinear, smerf.Mean, smerf.Standardized, smerf.Gower, smerf.RandomForestDistance]
    + [smerf.Plugin],
)
def test_what_other_methods_can_be_asked(kind):
    X, y = load_diabetes(return_X_y=True)
    model = kind() if "n_estimators" not in kind().get_params() else kind(n_estimators=3)
    assert there(model, *ASKED) == there(model.fit(X[:50], y[:50] + 0.5), *ASKED) == {"transform"}
    with pytest.raises(AttributeError):
        model.pair_spread([[0, 1]], X)


def test_looking_for_what_is_there_warns_of_nothing():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert not hasattr(smerf.DistanceForestRegressor(), "predict_proba") and hasattr(smerf.DistanceForestRegressor(), "vectors")
