"""What a score is worth, and the scores beyond those of test_metrics_targets.py: each against numpy, scipy or scikit-learn,
on data with ties, missing pairs, one item, and truths and predictions that do not vary."""
import itertools
import json
import math

import numpy as np
import pytest

import cases
import helpers
import metrics
import targets
from oracle import Column
from test_metrics_targets import N, list_of, make, predicted, save_between, some_pairs, two_sets

CHANCES = {"spearman": 0, "auc-roc": 0.5, "mantel-pearson": 0, "mantel-spearman": 0, "r2": 0}


def evaluated(made_or_model, *words):
    return json.loads(helpers.run("evaluate", made_or_model, *words, "--json"))


def assert_json(got, distances, true, links=None, between=False, k=None):
    """Everything that is said of pairs."""
    either = [distances, metrics.without_rounding(distances)]
    of_the_mean = metrics.of_the_mean(distances, true, between)
    assert {name: got[name] for name in of_the_mean} == {name: pytest.approx(value, rel=1e-9)
                                                         for name, value in of_the_mean.items()}
    assert got["pairs"] == metrics.left_out(distances, true, between)
    chances = dict(CHANCES)
    if links is not None:
        chances["auc-pr"] = float(links[metrics.counted(distances, true, between)].mean())
    if metrics.mean_partners(distances, true, between) < 20:
        assert got["map@10"] is None and "map@10" in got["why_not"]
    else:
        chances["map@10"] = metrics.map_by_chance(distances, true, between)
    if k is not None:
        expected = [metrics.nearest(d, true, k, between) for d in either]
        for which, name in enumerate(["recall", "ndcg"]):
            chances[f"{name}@{k}"] = expected[0]["by_chance"][which]
            assert got[f"{name}@{k}"] in [pytest.approx(e[name], rel=1e-9, abs=1e-12) for e in expected]
    for name, value in got["by_chance"].items():
        if name not in ("accuracy", "log-loss"):
            assert value == pytest.approx(chances[name], rel=1e-9, abs=1e-12), name
    assert set(got["why_not"]) == {name for name in got if got[name] is None}


# ---------------------------------------------------------------- pairs

@pytest.mark.parametrize("k", [1, 3, 20])
@pytest.mark.parametrize("oob", [False, True], ids=["all", "oob"])
@pytest.mark.parametrize("kind", ["labels", "edges", "response", "matrix"])
def test_pairs_are_worth_what_they_are(kind, oob, k, tmp_path):
    made = make(tmp_path, kind, 100 + k, trees=4)  # of four trees, some pairs are never out of bag
    more = ["--oob"] if oob else []
    helpers.run("predict", made.model, tmp_path / "items.csv", "-o", tmp_path / "p.csv", *more)
    distances = helpers.read_matrix(tmp_path / "p.csv", N, N)[0]
    assert np.isnan(distances).any() == oob
    got = evaluated(made.model, tmp_path / "items.csv", *made.words, "-k", k, *more)
    assert_json(got, distances, made.target.z, made.target.links, k=k)


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
def test_pairs_that_are_not_known_are_counted(share, tmp_path):
    made, rng = make(tmp_path, "matrix", 50), np.random.default_rng(7)
    truth = some_pairs(rng, cases.symmetric(rng.integers(0, 5, (N, N)).astype(float)), share)
    distances = predicted(tmp_path, made.model, "items.csv", made.expected())
    (tmp_path / "pairs.csv").write_text(list_of(rng, truth, made.target.names()), encoding="utf-8")
    words = [tmp_path / "items.csv", "--pairs", tmp_path / "pairs.csv", "-k", 2, "--permutations", 5]
    got = evaluated(made.model, *words)
    assert_json({**got}, distances, truth, k=2)
    expected = metrics.correlations(distances, truth)
    assert {name: got[name] for name in expected} == {n: pytest.approx(v, abs=1e-10) for n, v in expected.items()}
    assert got["mantel-pearson-p"] is None and "all pairs" in got["why_not"]["mantel-spearman-p"]


@pytest.mark.parametrize("kind", ["labels", "edges", "all pairs"])
def test_between_two_sets(kind, tmp_path):
    target, names, new, old, _ = two_sets(tmp_path, kind, 80)
    block = np.ix_(range(15), range(15, N + 15))
    line = ["predict", tmp_path / "m.smerf", tmp_path / "new.csv", "--against", tmp_path / "old.csv", "-o", tmp_path / "p.csv"]
    helpers.run(*line)
    distances = helpers.read_matrix(tmp_path / "p.csv", 15, N)[0]
    words = target.words if kind == "labels" else [target.words[0], save_between(tmp_path, target, names, kind)]
    got = evaluated(tmp_path / "m.smerf", tmp_path / "new.csv", "--against", tmp_path / "old.csv", *words, "-k", 4)
    links = None if target.links is None else target.links[block]
    assert_json(got, distances, target.z[block], links, between=True, k=4)
    named = evaluated(tmp_path / "m.smerf", tmp_path / "new.csv", "--against", tmp_path / "old.csv", *words,
                      "--metrics", "mantel-pearson,mantel-spearman")
    expected = metrics.correlations(distances, target.z[block], between=True)
    assert [named[name] for name in expected] == pytest.approx(list(expected.values()), abs=1e-10)


def test_chances_of_map_are_those_of_all_orders():
    """The formula against every order of a few items."""
    for n, relevant in ((1, 1), (4, 2), (5, 3), (6, 1)):
        orders = list(itertools.permutations(range(n)))
        mean = np.mean([metrics.average_precision(set(range(relevant)), order) for order in orders])
        assert metrics.precision_of_a_random_order(n, relevant) == pytest.approx(mean, rel=1e-12)


# ---------------------------------------------------------------- Mantel's test

def small_case(folder, n, seed, ties=True):
    rng = np.random.default_rng(seed)
    x = rng.integers(0, 4, (n, 2)).astype(float)
    z = np.abs(x[:, :1] - x[:, :1].T) + cases.symmetric(rng.integers(0, 3, (n, n)).astype(float))
    np.fill_diagonal(z, 0)
    helpers.save_items(folder / "items.csv", [Column(f"x{f}", x[:, f].tolist()) for f in range(2)])
    np.save(folder / "z.npy", z)
    helpers.run("fit", folder / "items.csv", "--distances", folder / "z.npy", "-o", folder / "m.smerf", "--trees", 5)
    helpers.run("predict", folder / "m.smerf", folder / "items.csv", "-o", folder / "p.csv")
    return z, helpers.read_matrix(folder / "p.csv", n, n)[0]


@pytest.mark.parametrize("seed", range(3))
def test_p_values_are_those_of_all_permutations(seed, tmp_path):
    n, n_drawn = 6, 20000
    z, distances = small_case(tmp_path, n, seed)
    exact = metrics.mantel_p(distances, z, itertools.permutations(range(n)))
    got = evaluated(tmp_path / "m.smerf", tmp_path / "items.csv", "--distances", tmp_path / "z.npy", "--permutations",
                    n_drawn, "--seed", seed)
    expected = metrics.correlations(distances, z)
    assert [got[name] for name in expected] == pytest.approx(list(expected.values()), abs=1e-12)
    for p, name in zip(exact, ("mantel-pearson-p", "mantel-spearman-p")):
        assert abs(got[name] - p) < 5 * math.sqrt(p * (1 - p) / n_drawn) + 2 / n_drawn, name


def test_p_values_are_the_same_for_any_number_of_threads(tmp_path):
    small_case(tmp_path, 6, 1)
    line = ["evaluate", tmp_path / "m.smerf", tmp_path / "items.csv", "--distances", tmp_path / "z.npy", "--permutations", 200]
    texts = {helpers.run(*line, "--threads", n) for n in (1, 2, 3)}
    assert len(texts) == 1 and helpers.run(*line, "--seed", 2) not in texts


# ---------------------------------------------------------------- labels and responses

def values_of(folder, model, items, *options):
    table = helpers.read_table(helpers.run("predict", model, folder / items, "--values", *options))
    classes = [name[len("share:"):] for name in table[0] if name.startswith("share:")]
    columns = [f"share:{c}" for c in classes] or [name for name in table[0] if name != "item"]
    return np.array([[helpers.to_number(row[c]) for c in columns] for row in table]), classes


@pytest.mark.parametrize("oob", [False, True], ids=["all", "oob"])
@pytest.mark.parametrize("seed", range(3))
def test_labels(seed, oob, tmp_path):
    made = make(tmp_path, "labels", seed, trees=2)  # of two trees, some items are in both
    more = ["--oob"] if oob else []
    fractions, classes = values_of(tmp_path, made.model, "items.csv", *more)
    assert np.isnan(fractions).any() == oob
    labels = [str(v) for v in made.target.columns[0].values]
    found, chance, table = metrics.of_labels(fractions, classes, labels)
    got = evaluated(made.model, tmp_path / "items.csv", *([] if oob else made.words), *more)
    for name in found:
        assert got[name] == pytest.approx(found[name], rel=1e-12), name
        assert got["by_chance"][name] == pytest.approx(chance[name], rel=1e-12), name
    assert got["confusion"] == {"labels": classes, "counts": table}
    assert got["items"] == {"scored": int((~np.isnan(fractions[:, 0])).sum()),
                            "not_predicted": int(np.isnan(fractions[:, 0]).sum())}
    helpers.run("evaluate", made.model, tmp_path / "items.csv", *made.words, *more, "--confusion", tmp_path / "c.csv")
    rows = helpers.read_table((tmp_path / "c.csv").read_text())
    assert [[int(row[f"predicted:{c}"]) for c in classes] for row in rows] == table[:len(classes)]


def test_a_label_that_training_never_saw_is_wrong(tmp_path):
    (tmp_path / "items.csv").write_text("x,c\n1,a\n2,a\n3,b\n4,b\n5,b\n")
    (tmp_path / "new.csv").write_text("x,c\n1,b\n2,z\n5,b\n6,y\n1,a\n")
    helpers.run("fit", tmp_path / "items.csv", "--labels", "c", "-o", tmp_path / "m.smerf", "--trees", 7)
    fractions, classes = values_of(tmp_path, tmp_path / "m.smerf", "new.csv")
    found, chance, table = metrics.of_labels(fractions, classes, ["b", "z", "b", "y", "a"])
    got = evaluated(tmp_path / "m.smerf", tmp_path / "new.csv")  # it finds the column
    assert (got["accuracy"], got["log-loss"]) == pytest.approx((found["accuracy"], found["log-loss"]), rel=1e-12)
    assert (got["by_chance"]["accuracy"], got["by_chance"]["log-loss"]) == pytest.approx(
        (chance["accuracy"], chance["log-loss"]), rel=1e-12)
    assert got["confusion"]["counts"] == table


@pytest.mark.parametrize("oob", [False, True], ids=["all", "oob"])
@pytest.mark.parametrize("kind", ["response", "responses"])
def test_responses(kind, oob, tmp_path):
    made = make(tmp_path, kind, 3, trees=3)
    more = ["--oob"] if oob else []
    values, _ = values_of(tmp_path, made.model, "items.csv", *more)
    named = made.words[made.words.index("--response") + 1].split(",")
    true = np.array([next(c.values for c in made.target.columns if c.name == name) for name in named], float).T
    got = evaluated(made.model, tmp_path / "items.csv", *made.words, *more)
    assert got["r2"] == pytest.approx(metrics.of_response(values, true), rel=1e-9)
    assert got["r2"] == evaluated(made.model, tmp_path / "items.csv", *made.words, *more, "--metrics", "r2")["r2"]


# ---------------------------------------------------------------- nothing to score

def test_truths_that_do_not_vary_have_reasons_and_no_numbers(tmp_path):
    (tmp_path / "items.csv").write_text("x,y\n" + "".join(f"{i},{i % 5}\n" for i in range(30)))
    (tmp_path / "same.csv").write_text("x,y\n" + "".join(f"{i},0.1\n" for i in range(30)))
    (tmp_path / "one.csv").write_text("x,y\n1,2\n")
    helpers.run("fit", tmp_path / "items.csv", "--response", "y", "-o", tmp_path / "m.smerf", "--trees", 5)
    got = evaluated(tmp_path / "m.smerf", tmp_path / "same.csv", "--permutations", 9, "-k", 30)
    assert got["rmse"] > 0 and got["rmse-of-the-mean"] == 0
    for name in ("spearman", "variance-explained", "mantel-pearson", "mantel-spearman-p", "recall@30"):
        assert got[name] is None and got["why_not"][name], name
    assert "r2" not in got  # not asked for, and there is none
    named = evaluated(tmp_path / "m.smerf", tmp_path / "same.csv", "--metrics", "r2,spearman")
    assert named["r2"] is None and named["why_not"]["r2"] == "the response does not vary"
    one = evaluated(tmp_path / "m.smerf", tmp_path / "one.csv", "--permutations", 3)
    assert [one[name] for name in ("rmse", "spearman", "map@10", "variance-explained")] == [None] * 4
    lines = helpers.run("evaluate", tmp_path / "m.smerf", tmp_path / "one.csv")
    assert "nan" not in lines.lower()


def test_predictions_that_do_not_vary(tmp_path):
    (tmp_path / "items.csv").write_text("x,y\n" + "".join(f"{i},{i % 5}\n" for i in range(30)))
    helpers.run("fit", tmp_path / "items.csv", "--response", "y", "-o", tmp_path / "m.smerf", "--method", "mean")
    got = evaluated(tmp_path / "m.smerf", tmp_path / "items.csv", "--metrics",
                    "spearman,rmse,rmse-of-the-mean,variance-explained,mantel-pearson,mantel-spearman")
    assert got["spearman"] == 0 and got["rmse"] == pytest.approx(got["rmse-of-the-mean"])
    assert got["variance-explained"] == pytest.approx(0, abs=1e-12)
    assert got["mantel-pearson"] is None and got["mantel-spearman"] is None


@pytest.mark.parametrize("kind", ["labels", "response", "responses", "absolute", "product"])
def test_the_column_of_the_target_is_found(kind, tmp_path):
    made = make(tmp_path, kind, 9, trees=3)
    assert evaluated(made.model, tmp_path / "items.csv") == evaluated(made.model, tmp_path / "items.csv", *made.words)
    helpers.save_items(tmp_path / "bare.csv", made.columns, made.target.ids, made.weights)
    message = helpers.refused("evaluate", made.model, tmp_path / "bare.csv")
    assert "there is no target" in message and "has no column" in message


def test_an_average_precision_that_means_nothing_is_refused(tmp_path):
    (tmp_path / "items.csv").write_text("x,y\n" + "".join(f"{i},{i % 5}\n" for i in range(20)))
    helpers.run("fit", tmp_path / "items.csv", "--response", "y", "-o", tmp_path / "m.smerf", "--trees", 5)
    assert "map@10" not in helpers.read_scores(helpers.run("evaluate", tmp_path / "m.smerf", tmp_path / "items.csv"))
    assert "map@10" in helpers.refused("evaluate", tmp_path / "m.smerf", tmp_path / "items.csv", "--metrics", "map@10", "--quiet")
    (tmp_path / "items.csv").write_text("x,y\n" + "".join(f"{i},{i % 5}\n" for i in range(21)))
    assert "map@10" in helpers.read_scores(helpers.run("evaluate", tmp_path / "m.smerf", tmp_path / "items.csv"))


# ---------------------------------------------------------------- plain distances

def plain_distance(train, row, other, method):
    """standardized and gower, a pair at a time, as docs/methods/plain.md has them."""
    total, n, n_used = 0.0, 0, 0
    for f, column in enumerate(train):
        values = [v for v in column.values if v is not None]
        if column.kind == "number" and len(set(values)) < 2:
            continue
        n_used += 1
        a, b = row[f], other[f]
        if a is None or b is None:
            continue
        if column.kind == "number":
            scale = np.std(values, ddof=1) if method == "standardized" else max(values) - min(values)
            apart = abs(a - b) / scale
        else:
            apart = float(a != b)
        total += apart ** 2 if method == "standardized" else apart
        n += 1
    mean = total / n if n else (1.0 if n_used else 0.0)
    return math.sqrt(n_used * mean) if method == "standardized" else mean


@pytest.mark.parametrize("method", ["standardized", "gower"])
def test_plain_distances(method, tmp_path):
    rng = np.random.default_rng(3)
    n = 25
    columns = [Column("a", [None if rng.random() < 0.4 else float(v) for v in rng.normal(0, 100, n)]),
               Column("b", [float(v) for v in rng.integers(0, 3, n)]), Column("same", [2.0] * n),
               Column("c", [None if rng.random() < 0.4 else str(v) for v in rng.choice(["u", "v", "w"], n)], "category")]
    columns[1].values[:2] = [None, None]
    columns[0].values[:2], columns[3].values[:2] = [None, None], [None, None]  # nothing known of the first two
    train = [Column(c.name, c.values[2:], c.kind) for c in columns]
    helpers.save_items(tmp_path / "train.csv", train)
    helpers.save_items(tmp_path / "items.csv", columns)
    np.save(tmp_path / "z.npy", cases.symmetric(rng.random((n - 2, n - 2))))
    helpers.run("fit", tmp_path / "train.csv", "--distances", tmp_path / "z.npy", "-o", tmp_path / "m.smerf", "--method", method)
    helpers.run("predict", tmp_path / "m.smerf", tmp_path / "items.csv", "-o", tmp_path / "p.csv")
    got = helpers.read_matrix(tmp_path / "p.csv", n, n)[0]
    rows = [[c.values[i] for c in columns] for i in range(n)]
    expected = [[plain_distance(train, a, b, method) for b in rows] for a in rows]
    np.testing.assert_allclose(got, expected, rtol=1e-10, atol=1e-12)
    np.testing.assert_array_equal(got, got.T)


def test_the_mean_is_that_of_the_known_training_pairs(tmp_path):
    made, rng = make(tmp_path, "matrix", 50), np.random.default_rng(7)
    truth = some_pairs(rng, cases.symmetric(rng.random((N, N))), 0.5)
    (tmp_path / "pairs.csv").write_text(list_of(rng, truth, made.target.names()), encoding="utf-8")
    helpers.run("fit", tmp_path / "items.csv", "--pairs", tmp_path / "pairs.csv", "--ignore", "w", "-o", tmp_path / "m.smerf", "--method", "mean")
    helpers.run("predict", tmp_path / "m.smerf", tmp_path / "items.csv", "-o", tmp_path / "p.csv")
    got = helpers.read_matrix(tmp_path / "p.csv", N, N)[0]
    np.testing.assert_allclose(got, np.nanmean(truth[np.triu_indices(N, 1)]), rtol=1e-12)
