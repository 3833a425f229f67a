"""Nothing can be learned of labels that are noise, and every number about quality says so, or a warning is raised."""

import json
import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.metrics import adjusted_rand_score
from sklearn.model_selection import GridSearchCV, cross_val_score

import smerf

N, CLASSES = 120, 3


@pytest.fixture(scope="module")
def X():
    return np.random.default_rng(5).normal(size=(N, 5))


@pytest.fixture(scope="module")
def y():
    return np.random.default_rng(6).permutation(np.arange(N) % CLASSES)


@pytest.fixture(scope="module")
def forest(X, y):
    return smerf.DistanceForest(n_estimators=300, random_state=1).fit(X, y)


@pytest.fixture(scope="module")
def without(X, y):
    """Every tree has seen every item."""
    return smerf.DistanceForest(n_estimators=50, sample="none", random_state=1).fit(X, y)


def is_noise(accuracy):
    return accuracy < 0.5  # 1/3 by chance; 1 where the items have been seen


# ---- noise looks like noise ----


def test_votes_on_training_items_are_out_of_bag(forest, X, y):
    for found in (forest.vote(y), forest.vote(y, X), forest.vote(y, oob="auto"), forest.vote(y, oob=True)):
        assert is_noise((found == y).mean())
    shares = forest.vote(y, shares=True)
    assert is_noise((shares.argmax(axis=1) == y).mean())
    assert (forest.vote(y, oob=False) == y).mean() == 1


def test_neighbours_of_training_items_are_out_of_bag(forest, X, y):
    D = forest.oob_distance()
    np.fill_diagonal(D, np.inf)
    nearest = np.argsort(D, axis=1, kind="stable")[:, :5]
    for found in (forest.kneighbors(), forest.kneighbors(X), forest.kneighbors(oob=True)):
        np.testing.assert_array_equal(found[1], nearest)
        np.testing.assert_array_equal(found[0], np.take_along_axis(D, nearest, axis=1))
    assert is_noise((y[nearest] == y[:, None]).mean())
    for graph in (forest.kneighbors_graph(mode="distance"), forest.kneighbors_graph(X, mode="distance")):
        np.testing.assert_array_equal(np.sort(graph.indices.reshape(N, 5)), np.sort(nearest))
    within = forest.radius_neighbors_graph(radius=0.6)
    np.testing.assert_array_equal(within.toarray() > 0, D <= 0.6)
    assert (y[forest.kneighbors(oob=False)[1]] == y[:, None]).mean() > 0.95


def test_votes_are_counted_among_the_out_of_bag_neighbours(forest, y):
    nearest = forest.kneighbors(n_neighbors=7, return_distance=False)
    counts = np.stack([(y[nearest] == c).mean(axis=1) for c in range(CLASSES)], axis=1)
    np.testing.assert_allclose(forest.vote(y, n_neighbors=7, shares=True), counts)
    numbers = np.random.default_rng(0).normal(size=N)
    np.testing.assert_allclose(forest.vote(numbers, n_neighbors=7), numbers[nearest].mean(axis=1))


def test_thresholds_of_training_pairs_are_chosen_out_of_bag(forest, X, y):
    pairs = np.stack(np.triu_indices(N, 1), axis=1)
    alike = np.where(y[pairs[:, 0]] == y[pairs[:, 1]], 1, -1)
    D = forest.oob_distance()[pairs[:, 0], pairs[:, 1]]
    best = max(((D <= cut) == (alike == 1)).mean() for cut in [-1, *D])
    model = clone(forest).fit(X, y)
    for asked in ({}, {"oob": True}, {"oob": "auto"}):
        cut = model.calibrate_threshold(pairs, alike, X=X, **asked).threshold_
        assert ((D <= cut) == (alike == 1)).mean() == pytest.approx(best) and is_noise(1 - best)
    model.calibrate_threshold(pairs, alike, X=X, oob=False)
    assert (model.predict_pairs(pairs, X) == alike).mean() > 0.9  # which says nothing of new ones
    few = pairs[(pairs < 20).all(axis=1)]
    kind = np.where(y[few[:, 0]] == y[few[:, 1]], 1, -1)
    with pytest.warns(smerf.InSampleWarning, match="the threshold is too good; the whole X of fit is asked out of bag"):
        model.calibrate_threshold(few, kind, X=X[:20])
    with pytest.raises(ValueError, match="pass the X of fit"):
        model.calibrate_threshold(X[few], kind, oob=True)


def test_clusters_and_maps_out_of_bag(forest, y):
    seen, unseen = (forest.cluster(n_clusters=CLASSES, oob=oob) for oob in (False, True))
    assert adjusted_rand_score(y, seen.labels) == 1
    assert adjusted_rand_score(y, unseen.labels) < 0.1 and unseen.silhouette < 0.15
    D = forest.oob_distance()
    medoids = D[:, unseen.medoids]
    medoids[unseen.medoids, np.arange(CLASSES)] = 0
    np.testing.assert_allclose(unseen.cost, medoids.min(axis=1).sum(), rtol=1e-5)
    place, facts = forest.embed(oob=True, return_facts=True)
    J = np.eye(N) - 1 / N
    np.fill_diagonal(D, 0)
    values, vectors = np.linalg.eigh(-J @ D**2 @ J / 2)
    np.testing.assert_allclose(facts.eigenvalues, values[::-1][:2], rtol=1e-4)
    np.testing.assert_allclose(np.abs(place), np.abs(vectors[:, ::-1][:, :2] * np.sqrt(values[::-1][:2])), atol=1e-3)
    assert forest.embed(n_landmarks=30, oob=True).shape == (N, 2)


def test_scores_that_are_out_of_bag_or_on_other_items(forest, X, y):
    assert abs(forest.evaluate_oob()["auc-roc"] - 0.5) < 0.05 and abs(forest.evaluate_oob()["spearman"]) < 0.1
    assert abs(forest.oob_score(metric="auc-roc") - 0.5) < 0.05
    importance = forest.permutation_importance()
    assert (np.abs(importance.importances_mean) < 4 * importance.standard_error + 1e-3).all()
    classifier = smerf.DistanceForestClassifier(n_estimators=50, random_state=1)
    assert is_noise(cross_val_score(classifier, X, y, cv=4).mean())
    assert is_noise(GridSearchCV(classifier, {"min_parent": [2, 10]}, cv=4).fit(X, y).best_score_)
    assert abs(clone(forest).set_params(n_estimators=50).tune(X, y, vary=["min_parent"]).oob_score(metric="auc-roc") - 0.5) < 0.07


@pytest.mark.parametrize("metric, chance", [("auc-roc", 0.5), ("spearman", 0.0)])
def test_what_tuning_and_comparing_tell(X, y, metric, chance):
    tuned = smerf.DistanceForest(n_estimators=50, random_state=1).tune(X, y, metric=metric, vary=["min_parent"])
    assert np.abs(tuned.cv_results_[metric] - chance).max() < 0.1 and abs(tuned.best_score_ - chance) < 0.1
    found = smerf.compare(X, y, methods=["smerf", "mahalanobis", "rfd"], n_repeats=3, tune=False, n_estimators=30)
    assert len(found) == 3 and all(abs(row[metric] - chance) < 0.12 for row in found)


def test_a_report_scores_out_of_bag_and_says_what_is_in_sample(forest, X, y, tmp_path):
    for given in ((), (X, y)):
        forest.report(tmp_path / "r.json", *given)
        told = json.loads((tmp_path / "r.json").read_text())
        scores = {score["name"]: score["value"] for score in told["scores"]["list"]}
        assert told["scores"]["kind"] == "out of bag" and abs(scores["auc-roc"] - 0.5) < 0.05
        assert is_noise(np.trace(told["classification"]["counts"]) / N) and told["classification"]["kind"] == "out of bag"
        assert any("items that the model has learned from" in note for note in told["notes"])
    forest.report(tmp_path / "r.json", X + 1)
    assert not any("has learned from" in note for note in json.loads((tmp_path / "r.json").read_text())["notes"])


# ---- or a warning is raised ----

IN_SAMPLE = {
    "score": lambda forest, X, y: forest.score(X, y),
    "evaluate": lambda forest, X, y: forest.evaluate(X, y),
    "evaluate of a part": lambda forest, X, y: forest.evaluate(X[:40], y[:40]),
    "evaluate of a block": lambda forest, X, y: forest.evaluate(X, Z=(y[:, None] != y).astype(float), Y=X),
    "cluster": lambda forest, X, y: forest.cluster(n_clusters=3),
    "cluster X": lambda forest, X, y: forest.cluster(X, n_clusters=3, oob="auto"),
    "embed": lambda forest, X, y: forest.embed(),
    "embed a part": lambda forest, X, y: forest.embed(X[:40]),
    "neighbours of a part": lambda forest, X, y: forest.kneighbors(X[:40]),
    "votes on a part": lambda forest, X, y: forest.vote(y, X[:40]),
}


@pytest.mark.parametrize("ask", IN_SAMPLE.values(), ids=list(IN_SAMPLE))
def test_a_question_of_training_items_warns(forest, without, X, y, ask):
    with pytest.warns(smerf.InSampleWarning, match="has learned from these items, so that .* too good; .*(oob|evaluate_oob)"):
        ask(forest, X, y)
    with pytest.warns(smerf.InSampleWarning, match="ask about items that it has not seen"):
        ask(without, X, y)


@pytest.mark.parametrize("kind", [smerf.DistanceForestClassifier, smerf.DistanceForestRegressor])
def test_accuracy_and_r2_of_training_items_warn(kind, X, y):
    forest = kind(n_estimators=20, random_state=1).fit(X, y)
    with pytest.warns(smerf.InSampleWarning) as said:
        assert forest.score(X, y) > 0.7
    assert said[0].filename == __file__  # at the line of the caller
    assert forest.score(X[::-1], y[::-1], sample_weight=np.ones(N)) > 0.7  # known by row: other rows are other items


def test_a_forest_without_out_of_bag_warns_where_others_ask_out_of_bag(without, y):
    for ask in (without.vote, lambda y: without.kneighbors(), lambda y: without.radius_neighbors_graph(radius=0.5)):
        with pytest.warns(smerf.InSampleWarning):
            ask(y)
    for ask in (lambda: without.vote(y, oob=True), lambda: without.cluster(n_clusters=2, oob=True), lambda: without.embed(oob=True)):
        with pytest.raises(ValueError, match="nothing is out of bag"):
            ask()


@pytest.mark.parametrize("kind", [smerf.Mahalanobis, smerf.Bilinear, smerf.RandomForestDistance])
def test_methods_that_learn_pairs_warn(kind, X, y):
    model = kind(random_state=1).fit(X, y)
    for ask in (model.kneighbors, model.embed, lambda: model.vote(y), lambda: model.cluster(n_clusters=2), lambda: model.score(X, y)):
        with pytest.warns(smerf.InSampleWarning):
            ask()
    with pytest.raises(ValueError, match="no notion of out of bag|nothing is out of bag"):
        model.kneighbors(oob=True)


# ---- and otherwise none is ----


@pytest.mark.parametrize("kind", [smerf.Euclidean, smerf.Mean, smerf.Standardized, smerf.Gower])
def test_methods_that_learn_no_pairs_have_nothing_to_warn_of(kind, X, y):
    model = kind().fit(X, y)
    model.kneighbors(), model.vote(y), model.score(X, y), model.cluster(n_clusters=2), model.embed(), model.evaluate(X, y)


def test_new_items_and_what_is_said_to_be_meant_warn_of_nothing(forest, X, y):
    new = np.random.default_rng(8).normal(size=(50, 5))
    forest.kneighbors(new), forest.vote(y, new), forest.cluster(new, 2), forest.embed(new), forest.score(new, y[:50])
    forest.kneighbors(X[:5], Y=new), forest.kneighbors(new, Y=X), forest.evaluate(X[:9], Z=np.ones((9, 50)), Y=new)
    forest.kneighbors(X[:5], oob=False), forest.vote(y, X[:5], oob=False), forest.cluster(n_clusters=2, oob=False)
    forest.embed(oob=False), forest.cluster(X, by="means", n_clusters=2, oob=False)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", smerf.InSampleWarning)
        forest.score(X, y)


# ---- which items are meant ----


def test_a_model_from_a_file_knows_its_items_again(forest, X, y, tmp_path):
    forest.save(tmp_path / "m.smerf")
    for other in (smerf.load(tmp_path / "m.smerf"), pickle.loads(pickle.dumps(forest))):
        np.testing.assert_array_equal(other.vote(y, Y=X), forest.vote(y))
        np.testing.assert_array_equal(other.kneighbors(X, Y=X)[1], forest.kneighbors()[1])
        with pytest.warns(smerf.InSampleWarning):
            other.score(X, y)


def test_ids_say_which_items_these_are(X, y):
    frame = pd.DataFrame(X, index=pd.Index([f"i{k}" for k in range(N)], name="id"), columns=list("abcde"))
    forest = smerf.DistanceForest(n_estimators=100, random_state=1).fit(frame, y)
    with pytest.warns(smerf.InSampleWarning):
        forest.score(frame[::-1], pd.Series(y, index=frame.index)[::-1])
    np.testing.assert_array_equal(forest.vote(y, frame), forest.vote(y))


def test_wrong_wishes_are_refused(forest, X, y):
    with pytest.raises(ValueError, match="oob=True is about all training items"):
        forest.kneighbors(X[:5], oob=True)
    with pytest.raises(ValueError, match="is not the model's training item"):
        forest.cluster(X + 1, n_clusters=2, oob=True)
    with pytest.raises(ValueError, match="by medoids only"):
        forest.cluster(by="means", n_clusters=2, oob=True)
    for wrong in (1, "yes", "True"):
        for ask in (forest.kneighbors, forest.embed, lambda oob: forest.vote(y, oob=oob)):
            with pytest.raises(ValueError, match="oob=.* is not one of None, 'auto', True, False"):
                ask(oob=wrong)


def test_too_few_trees_for_neighbours_out_of_bag(X, y):
    few = smerf.DistanceForest(n_estimators=1, random_state=1).fit(X, y)
    with pytest.raises(ValueError, match="out of bag, item 0 has 0 of 5 neighbours.*more trees are needed, or oob=False"):
        few.kneighbors()
    with pytest.raises(ValueError, match="has no neighbour that could vote"):
        few.vote(y)
    assert np.isnan(few.vote(y, shares=True)).any() and np.isnan(few.vote(y.astype(float))).any()
    with pytest.raises(ValueError, match="maps need every distance"):
        few.embed(oob=True)
    assert few.kneighbors(oob=False)[1].shape == (N, 5)
