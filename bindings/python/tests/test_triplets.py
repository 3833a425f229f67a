"""triplets=: forms, labels, scores, and the command's model to the byte."""

import numpy as np
import pandas as pd
import pytest

import smerf



@pytest.fixture(scope="module")
def data():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 3))
    factor = rng.normal(size=(3, 2))
    Y = X @ factor
    Z = ((Y[:, None] - Y[None]) ** 2).sum(axis=2)
    t = rng.permuted(np.tile(np.arange(40), (1500, 1)), axis=1)[:, :3]
    margin = Z[t[:, 0], t[:, 2]] - Z[t[:, 0], t[:, 1]]
    wrong = rng.random(len(t)) > 1 / (1 + np.exp(-margin))
    t[wrong] = t[wrong][:, [0, 2, 1]]
    return X, t


def test_scores_are_those_of_its_distances(data):
    X, t = data
    model = smerf.Mahalanobis(random_state=1).fit(X, triplets=t)
    D = model.distance(X)
    margin = D[t[:, 0], t[:, 2]] - D[t[:, 0], t[:, 1]]
    with pytest.warns(smerf.InSampleWarning, match="has learned from these items"):
        found = model.evaluate(X, triplets=t)
    assert found["in-order"] == pytest.approx((margin > 0).mean())
    assert found["log-loss"] == pytest.approx(np.logaddexp(0, -margin).mean())
    assert 0 < found["standard-error"] < 0.02
    with pytest.warns(smerf.InSampleWarning):
        assert model.score(X, triplets=t) == found["in-order"] > 0.8
    assert model.target_ == "triplets" and model.findings_["kkt residual"] < 1e-8
    assert set(smerf.Euclidean().fit(X, triplets=t).evaluate(X, triplets=t)) == {"in-order", "standard-error"}


def test_every_form_says_the_same(data):
    X, t = data
    expected = smerf.Mahalanobis(random_state=1).fit(X, triplets=t).distance(X)
    frame = pd.DataFrame(t[:, [2, 0, 1]], columns=["FAR", "Anchor", "near"])
    named = pd.DataFrame(X, index=[f"i{i}" for i in range(len(X))])
    forms = [(X, t.tolist()), (X, [tuple(row) for row in t]), (X, (t, np.ones(len(t)))), (X, frame),
             (named, [[f"i{i}" for i in row] for row in t]), (named, np.char.add("i", t.astype(str))),
             (named, frame.map(lambda i: f"i{i}"))]  # fmt: skip
    for items, triplets in forms:
        assert (smerf.Mahalanobis(random_state=1).fit(items, triplets=triplets).distance(items) == expected).all()


def test_weights_and_the_odd_one_of_three(data):
    X, t = data
    twice = smerf.Mahalanobis(random_state=1).fit(X, triplets=np.vstack([t, t[:300]])).distance(X)
    weight = np.where(np.arange(len(t)) < 300, 2.0, 1.0)
    assert (smerf.Mahalanobis(random_state=1).fit(X, triplets=(t, weight)).distance(X) == twice).all()
    frame = pd.DataFrame({"a": t[:, 0], "b": t[:, 1], "odd": t[:, 2], "weight": weight})
    both = np.vstack([t, t[:, [1, 0, 2]]]), np.tile(weight / 2, 2)
    odd = smerf.Mahalanobis(random_state=1).fit(X, triplets=frame)
    assert (odd.distance(X) == smerf.Mahalanobis(random_state=1).fit(X, triplets=both).distance(X)).all()


def test_the_model_is_the_commands(data, tmp_path, command):
    X, t = data
    pd.DataFrame(X, columns=["x0", "x1", "x2"]).to_csv(tmp_path / "items.csv", index=False)
    pd.DataFrame(t, columns=["anchor", "near", "far"]).to_csv(tmp_path / "t.csv", index=False)
    command("fit", tmp_path / "items.csv", "--triplets", tmp_path / "t.csv", "--method", "mahalanobis", "-o", tmp_path / "theirs", "--seed", 3)
    smerf.Mahalanobis(random_state=3).fit(X, triplets=t).save(tmp_path / "ours")
    theirs, ours = smerf.load(tmp_path / "theirs"), smerf.load(tmp_path / "ours")
    assert (theirs.distance(X) == ours.distance(X)).all() and theirs.findings_ == ours.findings_
    new = X + 0.1
    assert theirs.score(new, triplets=t) == ours.score(new, triplets=t)


def test_compare_knows_them(data):
    X, t = data
    result = smerf.compare(X, triplets=t, n_repeats=2)
    assert {row["method"] for row in result} == {"mahalanobis", "euclidean", "mean", "standardized", "gower"}
    assert result["mean"]["in-order"] == 0.5 and result["mahalanobis"]["in-order"] > 0.8
    assert "triplets" in result.left_out["smerf"]


@pytest.mark.parametrize(
    ("triplets", "words"),
    [
        ([[0, 1, 1]], "item 1 stands there twice"),
        ([[0, 1, 40]], "item 40 of 40"),
        ([[0, 1]], r"of the shape \(m, 3\)"),
        (np.zeros((2, 3, 1)), r"of the shape \(m, 3\)"),
        (([[0, 1, 2]], [1.0, 2.0]), "1 triplets, and weights of the shape"),
        (([[0, 1, 2]], [0.0]), "the weight 0"),
        (pd.DataFrame({"anchor": [0], "near": [1]}), "a frame of triplets has the columns"),
        (pd.DataFrame([[0, 1, 2, 3]], columns=["anchor", "near", "far", "Near"]), "both called 'near'"),
        (np.empty((0, 3), dtype=int), "there is no triplet"),
    ],
)
def test_what_makes_no_sense_is_refused(data, triplets, words):
    with pytest.raises(ValueError, match=words):
        smerf.Mahalanobis(random_state=1).fit(data[0], triplets=triplets)


def test_what_does_not_go_together_is_refused(data):
    X, t = data
    model = smerf.Mahalanobis(random_state=1).fit(X, triplets=t)
    for refused, words in [
        (lambda: smerf.DistanceForest().fit(X, triplets=t), "a forest needs distances"),
        (lambda: smerf.Mahalanobis(intercept=True).fit(X, triplets=t), "leave it out"),
        (lambda: smerf.Mahalanobis(random_state=1).fit(X, X[:, 0], triplets=t), "y and triplets exclude each other"),
        (lambda: smerf.Mahalanobis(random_state=1).fit(X, pairs=([[0, 1]], [1.0]), triplets=t), "pairs and triplets exclude each other"),
        (lambda: model.evaluate(X, triplets=t, metrics="rmse"), "leave out Y and metrics"),
        (lambda: model.evaluate(X, triplets=t, Y=X), "leave out Y and metrics"),
    ]:
        with pytest.raises(ValueError, match=words):
            refused()
