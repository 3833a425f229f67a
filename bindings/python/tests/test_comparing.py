"""Comparisons: tables, folds and groups as in the command, and methods from elsewhere on the same divisions."""

import json
import pickle

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from scipy.spatial.distance import cdist
from sklearn.base import BaseEstimator

import smerf

FEW = {"n_estimators": 10, "tune": False}
N = 60


@pytest.fixture(scope="module")
def data():
    return smerf.simulate("regression", N)


class Plain(BaseEstimator):
    """Squared Euclidean distance, as smerf.Euclidean has it."""

    def fit(self, X, known):
        assert X.shape[0] == known.shape[0]
        self.fitted_ = True
        return self

    def distance(self, X):
        return cdist(X, X, "sqeuclidean")


def same_scores(one, other):
    for key, value in one.items():
        if key not in ("method", "seconds"):
            np.testing.assert_allclose(other[key], value, rtol=1e-9, err_msg=key)


def test_the_result_is_a_list_a_frame_and_a_table(data):
    X, Z = data
    found = smerf.compare(X, Z, methods=["mean", "euclidean"], n_repeats=3)
    assert isinstance(found, list) and [row["method"] for row in found] == ["mean", "euclidean"]
    assert list(found[0]) == ["method", "rmse", "rmse_se", "spearman", "spearman_se", "map@10", "map@10_se", "seconds", "n_rounds"]
    table = found.to_frame()
    assert table.index.tolist() == ["mean", "euclidean"] and table.loc["mean", "rmse"] == found["mean"]["rmse"]
    pd.testing.assert_frame_equal(pd.DataFrame(found).set_index("method"), table)
    lines = repr(found).splitlines()
    assert lines[0].split() == ["method", "rmse", "spearman", "map@10", "seconds"] and len(lines) == 3
    assert f"{found['mean']['rmse']:.4g} +- {found['mean']['rmse_se']:.2g}" in lines[1]
    json.dumps(list(found))
    again = pickle.loads(pickle.dumps(found))
    assert again.metrics == found.metrics and repr(again) == repr(found) and again["mean"]["rmse"] == found["mean"]["rmse"]
    with pytest.raises(KeyError, match="no method 'rfd'"):
        found["rfd"]
    assert found[1:][0]["method"] == "euclidean"


@pytest.mark.parametrize("more", [{}, {"n_repeats": 3}, {"folds": 4}, {"folds": 3, "n_repeats": 2}, {"groups": True}, {"groups": True, "folds": 3}])
def test_methods_from_elsewhere_are_scored_on_the_same_divisions(more, data):
    X, Z = data
    if "groups" in more:
        more = {**more, "groups": np.arange(N) % 10}
    found = smerf.compare(X, Z, methods=["euclidean", Plain(), ("function", lambda a, known, b: cdist(b, b, "sqeuclidean"))], **more)
    assert [row["method"] for row in found] == ["euclidean", "Plain", "function"]
    same_scores(found["euclidean"], found["Plain"])
    same_scores(found["euclidean"], found["function"])
    rounds = more.get("n_repeats", 1 if "folds" in more else 5) * more.get("folds", 1)
    assert {row["n_rounds"] for row in found} == {rounds}


@pytest.mark.parametrize("folds", [None, 5])
def test_folds_and_groups_are_the_commands(folds, command, data):
    X, Z = data
    groups = np.array(list("abcdef"))[np.arange(N) % 6]
    pd.DataFrame(X).assign(g=groups).to_csv(command.folder / "items.csv", index=False)
    np.save(command.folder / "z.npy", Z)
    words = ["--methods", "smerf,euclidean", "--trees", 10, "--tune", "no", "--groups", "g", "--json"]
    words += ["--repeats", 3] if folds is None else ["--folds", folds]
    told = json.loads(command("compare", "items.csv", "--distances", "z.npy", *words))
    found = smerf.compare(X, Z, methods=["smerf", "euclidean"], groups=pd.Series(groups), folds=folds, n_repeats=3 if folds is None else None, **FEW)
    for entry in told["methods"]:
        for metric in ("rmse", "spearman"):
            assert found[entry["method"]][metric] == pytest.approx(entry[metric]["mean"], rel=1e-12)
            assert found[entry["method"]][f"{metric}_se"] == pytest.approx(entry[metric]["se"], rel=1e-9)


@pytest.mark.parametrize("kind", ["labels", "response", "graph", "pairs"])
def test_a_forest_from_elsewhere_fares_as_ours(kind, data):
    """A clone of ours with the seed of the one division, and what it is given of y."""
    X, Z = data
    known = {
        "labels": {"y": np.array(["a", "b"])[(X[:, 0] > 0).astype(int)]},
        "response": {"y": X[:, 0] + X[:, 1]},
        "graph": {"graph": sparse.csr_array(np.triu(Z < np.quantile(Z, 0.2), 1).astype(float))},
        "pairs": {"pairs": (*np.triu_indices(N, 1), Z[np.triu_indices(N, 1)])},
    }[kind]
    if kind == "graph":
        known["graph"] = known["graph"] + known["graph"].T
    same = {"n_estimators": 10, "random_state": 4}
    if kind in ("graph", "pairs"):  # a matrix is another kind of target, with the same trees if candidates are the same
        same["candidates"] = "all"
    seen = []

    def watch(X_train, part, X_test):
        seen.append((len(X_train), np.shape(part), len(X_test)))
        return smerf.DistanceForest(**same).fit(X_train, part).distance(X_test)

    found = smerf.compare(
        X, **known, methods=["smerf", ("ours", smerf.DistanceForest(**same)), watch], n_repeats=1, random_state=4, tune=False, n_estimators=10
    )
    assert [row["method"] for row in found] == ["smerf", "ours", "watch"]
    assert seen == [(42, (42,) if "y" in known else (42, 42), 18)]
    same_scores(found["ours"], found["watch"])
    if kind in ("labels", "response"):
        same_scores(found["smerf"], found["ours"])


def test_by_pairs_others_learn_from_a_matrix_with_gaps(data):
    X, Z = data
    seen = []

    def constant(X_train, known, X_test):
        seen.append(known)
        assert X_train.shape == X_test.shape == X.shape and known.shape == (N, N)
        off = ~np.eye(N, dtype=bool)
        return np.full((N, N), known[off & ~np.isnan(known)].mean())

    found = smerf.compare(X, Z, methods=["mean", constant], by="pairs", n_repeats=2, train_share=0.5)
    same_scores(found["mean"], {**found["constant"], "spearman": found["mean"]["spearman"], "map@10": found["mean"]["map@10"],
                                "spearman_se": found["mean"]["spearman_se"], "map@10_se": found["mean"]["map@10_se"]})
    known = ~np.isnan(seen[0])
    np.testing.assert_allclose(seen[0][known], Z.astype(np.float32)[known])
    assert (known == known.T).all() and 0.1 < known.mean() < 0.5 and not np.array_equal(known, ~np.isnan(seen[1]))


def test_rows_of_frames_and_labels_are_cut_together(data):
    """Labels come in another order than X, and are matched by their index."""
    X, _ = data
    frame = pd.DataFrame(X, columns=[f"c{k}" for k in range(X.shape[1])], index=[f"i{k}" for k in range(N)])
    y = pd.Series((X[:, 0] > 0.5).astype(int), index=frame.index).sample(frac=1, random_state=1)
    seen = []

    def look(X_train, known, X_test):
        assert isinstance(X_train, pd.DataFrame) and X_train.index.equals(known.index)
        np.testing.assert_array_equal(known.to_numpy(), (X_train["c0"] > 0.5).astype(int))
        assert not set(X_train.index) & set(X_test.index)
        seen.append(len(X_train))
        return np.zeros((len(X_test), len(X_test)))

    smerf.compare(frame, y, methods=[look], n_repeats=2)
    assert seen == [42, 42]


def test_what_cannot_take_part_is_told(data):
    X, Z = data
    with pytest.raises(TypeError, match="neither the name of one of smerf's, nor an estimator"):
        smerf.compare(X, Z, methods=[3])
    with pytest.raises(ValueError, match="two are called 'Plain'"):
        smerf.compare(X, Z, methods=[Plain(), Plain()])
    with pytest.raises(ValueError, match=r"short gave distances of the shape \(3, 3\) for 18 test items"):
        smerf.compare(X, Z, methods=[("short", lambda a, b, c: np.zeros((3, 3)))])
    with pytest.raises(ValueError, match="the fit of Plain takes no sample_weight"):
        smerf.compare(X, Z, methods=[Plain()], sample_weight=np.ones(N))


def test_weights_go_to_those_who_take_them(data):
    X, Z = data
    weight = np.random.default_rng(1).uniform(0.5, 2, size=N)
    found = smerf.compare(
        X, X[:, 0], sample_weight=weight, methods=["smerf", ("ours", smerf.DistanceForest(n_estimators=10, random_state=1))], n_repeats=1, **FEW
    )
    same_scores(found["smerf"], found["ours"])


@pytest.mark.parametrize("labelled", [False, True])
def test_items_of_weight_0_are_not_there(data, labelled):
    """Groups, weights and what methods from elsewhere get lose the same rows."""
    X, _ = data
    weight = np.where(np.arange(N) % 5 == 2, 0.0, 1.0 + np.arange(N) / N)
    kept = np.flatnonzero(weight)
    y, groups = X[:, 0], np.repeat(np.arange(12), 5)
    methods = ["smerf", ("ours", smerf.DistanceForest(n_estimators=10, random_state=1))]
    given = {"methods": methods, "folds": 3, **FEW}
    expected = smerf.compare(X[kept], y[kept], groups=groups[kept], sample_weight=weight[kept], **given)
    if labelled:
        index = [f"i{k}" for k in range(N)]
        X = pd.DataFrame(X, index=index, columns=[f"x{f}" for f in range(X.shape[1])])
        y, groups, weight = (pd.Series(values, index=index)[::-1] for values in (y, groups, weight))
    with pytest.warns(UserWarning, match="items whose sample_weight is 0 are left out"):
        found = smerf.compare(X, y, groups=groups, sample_weight=weight, **given)
    for name in ("smerf", "ours"):
        same_scores(found[name], expected[name])


def test_correlations_over_all_pairs_are_scipys(data):
    from scipy.stats import pearsonr, spearmanr

    X, Z = data
    forest = smerf.DistanceForest(n_estimators=10, random_state=1).fit(X[:40], Z[:40, :40])
    found = forest.evaluate(X[40:], Z=Z[40:, 40:], permutations=999)
    upper = np.triu_indices(20, 1)
    predicted, true = forest.distance(X[40:])[upper], Z[40:, 40:].astype(np.float32)[upper]
    assert found["mantel-pearson"] == pytest.approx(pearsonr(predicted, true)[0], rel=1e-6)
    assert found["mantel-spearman"] == pytest.approx(spearmanr(predicted, true)[0], rel=1e-6)
    assert 0.001 <= found["mantel-pearson-p"] < 0.05
    again = forest.evaluate(X[40:], Z=Z[40:, 40:], permutations=999, random_state=2)
    assert again["mantel-pearson"] == found["mantel-pearson"]
    none = forest.evaluate(X[40:], Z=Z[40:, 40:], permutations=0)
    assert np.isnan(none["mantel-pearson-p"]) and none["mantel-pearson"] == found["mantel-pearson"]
    assert "mantel-pearson" not in forest.evaluate(X[40:], Z=Z[40:, 40:])


def test_correlations_are_the_commands(command, data):
    X, Z = data
    np.save(command.folder / "x.npy", X)
    np.save(command.folder / "z.npy", Z)
    command("fit", "x.npy", "--distances", "z.npy", "--trees", 20, "--seed", 3, "-o", "m.smerf")
    told = json.loads(command("evaluate", "m.smerf", "x.npy", "--distances", "z.npy", "--permutations", 99, "--json"))
    with pytest.warns(smerf.InSampleWarning):
        found = smerf.load(command.folder / "m.smerf").evaluate(X, Z=Z, permutations=99)
    scores = told.get("scores", told)
    for name in ("mantel-pearson", "mantel-pearson-p", "mantel-spearman", "mantel-spearman-p"):
        assert found[name] == pytest.approx(scores[name], rel=1e-12)


def test_noise_correlates_with_nothing():
    """Random labels: out of bag Mantel's test finds nothing."""
    rng = np.random.default_rng(8)
    X, y = rng.normal(size=(80, 5)), rng.integers(2, size=80)
    found = smerf.DistanceForest(n_estimators=100, random_state=1).fit(X, y).evaluate_oob(permutations=199)
    assert found["mantel-pearson-p"] > 0.01 and abs(found["mantel-pearson"]) < 0.2
