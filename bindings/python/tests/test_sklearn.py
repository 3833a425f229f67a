"""It behaves as scikit-learn's estimators do, and works with them."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.cluster import DBSCAN
from sklearn.datasets import load_iris
from sklearn.manifold import TSNE
from sklearn.model_selection import GridSearchCV, cross_val_score, train_test_split
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import smerf

# ---- scikit-learn's own checks, of every estimator for every target ----

FEW = {"n_estimators": 5, "random_state": 1}
FEW_DRAWS = {"n_factors": 3, "n_burn": 5, "n_draws": 5, "random_state": 1}
TARGETS = ["auto", "labels", "response", "absolute", "product"]
PLAIN = [smerf.Euclidean, smerf.Mahalanobis, smerf.Bilinear, smerf.Mean, smerf.Standardized, smerf.Gower]
CHECKED = [
    *(smerf.DistanceForest(target=target, **FEW) for target in TARGETS),
    smerf.DistanceForestClassifier(n_estimators=20, random_state=1),
    smerf.DistanceForestRegressor(n_estimators=20, random_state=1),
    *(kind(target=target) for kind in PLAIN for target in TARGETS),
    *(smerf.RandomForestDistance(n_estimators=3, n_pairs=200, target=target, random_state=1) for target in TARGETS),
    *(smerf.Plugin(target=target, **FEW) for target in ("auto", "response")),  # it learns from nothing else
    *(kind(target=target, **FEW_DRAWS) for kind in (smerf.EPM, smerf.NARM) for target in ("auto", "labels")),  # as a graph
    *(
        smerf.Boost(n_rounds=3, min_leaf=2, n_bags=0, pair_features="difference", target=target, random_state=1)
        for target in TARGETS
    ),
]

# Every check that fails, and why that is right. A check that is listed and passes fails the test.
COPIES = "an item given twice is two items, each with a column of `transform`; one of weight 2 is one, and drawn as one"
BY_ROW = "without ids nodes of the graph are known by their rows: the model knows them all together, in their order"
SEEN = "it asks about items that were not in the graph, and the model knows only those that were"
REASONS = {
    **{
        (kind, f"check_sample_weight_equivalence_on_{data}_data"): COPIES
        for kind in ("DistanceForest", "DistanceForestClassifier", "DistanceForestRegressor", "RandomForestDistance", "Plugin", "Boost")
        + tuple(kind.__name__ for kind in PLAIN)
        for data in ("dense", "sparse")
    },
    ("EPM", "check_methods_sample_order_invariance"): BY_ROW,
    ("EPM", "check_methods_subset_invariance"): BY_ROW,
    ("EPM", "check_fit_idempotent"): SEEN,
    ("NARM", "check_methods_sample_order_invariance"): BY_ROW,
    ("NARM", "check_methods_subset_invariance"): BY_ROW,
}


@parametrize_with_checks(CHECKED)
@pytest.mark.filterwarnings("ignore")
def test_scikit_learns_own_checks(estimator, check):
    if (type(estimator).__name__, getattr(check, "func", check).__name__) in REASONS:
        with pytest.raises((AssertionError, ValueError)):
            check(estimator)
    else:
        check(estimator)


@pytest.fixture(scope="module")
def iris():
    return load_iris(return_X_y=True)


@pytest.fixture(scope="module")
def simulated():
    return smerf.simulate("regression", 60)


def test_parameters_are_keywords_and_clone_copies_them():
    with pytest.raises(TypeError):
        smerf.DistanceForest(100)
    forest = smerf.DistanceForest(n_estimators=7, splits="oblique", self_distance=0.5, categories=["a"])
    assert clone(forest).get_params() == forest.get_params()
    assert "n_estimators=7" in repr(forest)
    assert "<div" in forest._repr_html_()


def test_a_search_cuts_the_matrix_on_both_axes(simulated):
    X, Z = simulated
    grid = {"min_parent": [2, 40]}
    forest = smerf.DistanceForest(n_estimators=10, random_state=1)
    cut = GridSearchCV(forest, grid, cv=3).fit(X, smerf.Distances(Z))
    plain = GridSearchCV(forest, grid, cv=3).fit(X, Z)
    assert cut.best_params_ == plain.best_params_ == {"min_parent": 2}
    np.testing.assert_array_equal(cut.cv_results_["mean_test_score"], plain.cv_results_["mean_test_score"])
    train, test = np.arange(20, 60), np.arange(20)
    by_hand = clone(forest).fit(X[train], Z[np.ix_(train, train)]).score(X[test], Z[np.ix_(test, test)])
    assert cut.cv_results_["split0_test_score"][0] == by_hand
    np.testing.assert_array_equal(
        cross_val_score(forest, X, Z, cv=3), [cut.cv_results_[f"split{k}_test_score"][0] for k in range(3)]
    )


def test_rows_whose_columns_cannot_be_told_are_refused(simulated):
    X, Z = simulated
    with pytest.raises(ValueError, match="smerf.Distances"):
        smerf.DistanceForest(n_estimators=2).fit(X[:30], (Z + 1)[:30])
    twins = Z.copy()
    twins[0, 1] = twins[1, 0] = 0
    with pytest.raises(ValueError, match="smerf.Distances"):
        smerf.DistanceForest(n_estimators=2).fit(X[:30], twins[:30])


def test_distances_can_be_split_and_shown(simulated):
    X, Z = simulated
    train_X, test_X, train_Z, test_Z = train_test_split(X, smerf.Distances(Z), random_state=0)
    assert train_Z.shape == (45, 45) and test_Z.shape == (15, 15)
    assert smerf.DistanceForest(n_estimators=10).fit(train_X, train_Z).score(test_X, test_Z) < 0
    assert repr(test_Z) == "Distances(<15 x 15>)"
    mask = np.arange(60) < 7
    np.testing.assert_array_equal(np.asarray(smerf.Distances(Z)[mask]), Z[:7, :7])
    with pytest.raises(ValueError, match="n x n"):
        smerf.Distances(Z[:3])


def test_a_pipeline_ends_in_neighbours(iris):
    X, y = iris
    forest = smerf.DistanceForest(n_estimators=20, random_state=1)
    voters = make_pipeline(StandardScaler(), forest, KNeighborsClassifier(metric="precomputed"))
    assert cross_val_score(voters, X, y, cv=3).mean() > 0.9
    names = voters.fit(X, y)[:-1].get_feature_names_out()
    assert len(names) == 150 and names[0] == "distanceforest0"
    search = GridSearchCV(voters, {"distanceforest__candidates": [1, "all"]}, cv=2).fit(X, y)
    assert search.best_score_ > 0.9


def test_distances_feed_clusters_and_maps(iris):
    X, y = iris
    D = smerf.DistanceForest(n_estimators=50, random_state=1).fit(X, y).distance(X)
    D = np.sqrt(np.clip((D + D.T) / 2, 0, None))
    np.fill_diagonal(D, 0)
    assert len(set(DBSCAN(eps=0.3, metric="precomputed").fit(D).labels_.tolist()) - {-1}) >= 3
    map_ = TSNE(metric="precomputed", init="random", perplexity=20, max_iter=250, random_state=0).fit_transform(D)
    assert map_.shape == (150, 2)


@pytest.mark.filterwarnings("ignore")
def test_distances_feed_umap(iris):
    umap = pytest.importorskip("umap")
    X, y = iris
    D = smerf.DistanceForest(n_estimators=50, random_state=1).fit(X, y).distance(X)
    assert umap.UMAP(metric="precomputed", random_state=0, n_epochs=20).fit_transform(D).shape == (150, 2)


def test_sets_output_as_pandas(iris):
    pd = pytest.importorskip("pandas")
    X, y = iris
    forest = smerf.DistanceForest(n_estimators=3, random_state=1).set_output(transform="pandas")
    frame = forest.fit(X, y).transform(X[:4])
    assert isinstance(frame, pd.DataFrame) and frame.shape == (4, 150)


def test_names_of_features_are_kept_and_checked(iris):
    pd = pytest.importorskip("pandas")
    X, y = iris
    frame = pd.DataFrame(X, columns=list("abcd"))
    forest = smerf.DistanceForest(n_estimators=3, random_state=1).fit(frame, y)
    assert forest.feature_names_in_.tolist() == list("abcd")
    with pytest.raises(ValueError, match="feature names"):
        forest.predict(frame.rename(columns={"a": "e"}))
    with pytest.raises(ValueError, match="order"):
        forest.predict(frame[["b", "a", "c", "d"]])
    with pytest.warns(UserWarning, match="feature names"):
        np.testing.assert_array_equal(forest.predict(X), forest.predict(frame))
    forest.fit(X, y)
    with pytest.raises(ValueError, match="4 features|expecting 4"):
        forest.predict(X[:, :2])


@pytest.mark.parametrize("y", [np.array(["b", "a", "c"])[load_iris().target], load_iris().target * 5 - 5, load_iris().target == 1])
def test_labels_come_back_as_they_were(iris, y):
    forest = smerf.DistanceForest(n_estimators=20, random_state=1).fit(iris[0], y)
    assert forest.predict(iris[0]).dtype == y.dtype
    assert (forest.predict(iris[0]) == y).mean() > 0.95
    np.testing.assert_array_equal(forest.classes_, np.unique(y))
    best = forest.classes_[forest.predict_proba(iris[0]).argmax(axis=1)]
    assert (best == forest.predict(iris[0])).all()


def test_what_a_forest_has_no_notion_of_is_refused(simulated):
    X, Z = simulated
    forest = smerf.DistanceForest(n_estimators=2, sample="none").fit(X, Z)
    with pytest.raises(AttributeError) as refused:
        forest.predict(X)
    assert "only labels and response can be predicted so, and the target is 'distances'" in str(refused.value.__cause__)
    assert not hasattr(forest, "predict") and not hasattr(forest, "predict_proba")
    with pytest.raises(ValueError, match="bag|sampl"):
        forest.oob_distance()
    with pytest.raises(ValueError, match="n_neighbors"):
        forest.kneighbors(X, 100, oob=False)
