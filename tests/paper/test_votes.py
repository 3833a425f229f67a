"""neighbors --vote and --oob against predicted matrices: scikit-learn's k nearest neighbours, and leaving one out by hand."""
import json

import numpy as np
import pytest
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor

import cases
import helpers
import targets
import test_targets

KINDS = ["labels", "responses", "product", "edges", "all pairs", "matrix"]


def matrix(folder, model, *words):
    """As `predict` writes it, in the shortest form that reads back."""
    helpers.run("predict", model, folder / "items.csv", *words, "-o", folder / "predicted.csv")
    n = len(helpers.read_table((folder / "items.csv").read_text()))
    return helpers.read_matrix(folder / "predicted.csv", n, n)[0]


def ranks(distances):
    """Places in the sorted row: the same neighbours, but without the ties that scikit-learn breaks as it likes."""
    order = np.argsort(distances, axis=1, kind="stable")
    made = np.empty(distances.shape)
    np.put_along_axis(made, order, np.arange(distances.shape[1], dtype=float)[None, :].repeat(len(order), 0), axis=1)
    return made


def fit(folder, kind, seed):
    """A model of some target, beside two columns to vote on: `kind_of` (classes) and `much` (numbers)."""
    task = test_targets.make_task(kind, seed)
    rng = np.random.default_rng([77, seed])
    n = len(task.target.z)
    kind_of = [str(c) for c in rng.choice(["low", "mid", "Zed"], size=n)]
    much = targets.quarters(rng.normal(size=n)).tolist()
    task.target.columns += [targets.Column("kind_of", kind_of, "category"), targets.Column("much", much)]
    helpers.save_items(folder / "items.csv", task.item_columns(), task.target.ids, task.weights)
    helpers.run("fit", folder / "items.csv", *task.target.arguments(folder), "--ignore", "kind_of,much", "-o",
                folder / "model", *task.options)
    return folder / "model", np.array(kind_of), np.array(much), task.options


def vote(model, items, column, k, *words):
    rows = helpers.read_table(helpers.run("neighbors", model, "--items", items, "-k", k, "--vote", column, *words))
    told = json.loads(helpers.run("neighbors", model, "--items", items, "-k", k, "--vote", column, "--json", *words))
    predicted = [row[column] for row in rows]
    is_number = "rmse" in told
    assert [None if p == "" else float(p) if is_number else p for p in predicted] == [
        p["predicted"] for p in told["predictions"]]
    shares = np.array([[helpers.to_number(v) for name, v in row.items() if name.startswith("share:")] for row in rows])
    return predicted, shares, told


def majority(labels, near):
    """The class with the most votes; of several the one that comes first."""
    counts = {c: sum(labels[j] == c for j in near) for c in labels}
    return next((labels[j] for j in near if counts[labels[j]] == max(counts.values())), "")


@pytest.mark.parametrize("seed", range(3, 7))
@pytest.mark.parametrize("kind", KINDS)
def test_leaving_one_out_is_what_scikit_learn_says_without_the_item(kind, seed, tmp_path):
    model, labels, numbers, _ = fit(tmp_path, kind, seed)
    distances, n = matrix(tmp_path, model), len(labels)
    for k in (1, 2, min(5, n - 1)):
        predicted, shares, told = vote(model, tmp_path / "items.csv", "kind_of", k)
        means, _, scored = vote(model, tmp_path / "items.csv", "much", k)
        for i in range(n):
            rest = np.delete(np.arange(n), i)
            z, row = np.zeros((n - 1, n - 1)), ranks(distances[i : i + 1, rest])
            classes = KNeighborsClassifier(k, metric="precomputed").fit(z, labels[rest])
            values = KNeighborsRegressor(k, metric="precomputed").fit(z, numbers[rest])
            expected = dict(zip(classes.classes_, classes.predict_proba(row)[0]))
            np.testing.assert_allclose(shares[i], [expected.get(c, 0) for c in sorted(set(labels))], atol=1e-12)
            assert float(means[i]) == pytest.approx(values.predict(row)[0], abs=1e-12)
            assert predicted[i] == majority(labels, rest[np.argsort(row[0])][:k])
        assert told["n_scored"] == n and told["accuracy"] == pytest.approx(np.mean(np.array(predicted) == labels))
        errors = np.array(means, float) - numbers
        assert scored["rmse"] == pytest.approx(np.sqrt(np.mean(errors**2)))
        assert scored["r2"] == pytest.approx(1 - np.sum(errors**2) / np.sum((numbers - numbers.mean()) ** 2))


@pytest.mark.parametrize("rule", ["both", "either"])
@pytest.mark.parametrize("kind", ["labels", "responses", "matrix"])
def test_out_of_bag_neighbors_are_those_of_the_out_of_bag_matrix(kind, rule, tmp_path):
    model, labels, _, options = next(made for made in (fit(tmp_path, kind, s) for s in range(3, 40)) if "none" not in made[3])
    distances = matrix(tmp_path, model, "--oob", "--oob-rule", rule)
    rows = helpers.read_table(helpers.run("neighbors", model, "--items", tmp_path / "items.csv", "-k", 3, "--oob",
                                          "--oob-rule", rule))  # fmt: skip
    names = [row["item"] for row in helpers.read_table(helpers.run(
        "neighbors", model, "--items", tmp_path / "items.csv", "-k", 1, "--vote", "kind_of"))]  # fmt: skip
    found, near = [], []
    for i, row in enumerate(distances):
        order = [j for j in np.argsort(row, kind="stable") if j != i and not np.isnan(row[j])][:3]
        near.append(order)
        found += [(names[i], str(r + 1), names[j], row[j]) for r, j in enumerate(order)]
    assert [(r["item"], r["rank"], r["neighbor"], float(r["distance"])) for r in rows] == found
    predicted, _, told = vote(model, tmp_path / "items.csv", "kind_of", 3, "--oob", "--oob-rule", rule)
    assert predicted == [majority(labels, order) for order in near]
    assert told["n_scored"] == sum(len(order) > 0 for order in near)


def test_queries_are_voted_on_by_the_items_and_scored_where_their_classes_are_known(tmp_path):
    rng = np.random.default_rng(5)
    x = rng.normal(size=(60, 3))
    code = (x[:, 0] > 0).astype(int) + 2 * (x[:, 1] > 0)
    text = [",".join(map(str, [*row, c])) + "\n" for row, c in zip(x.tolist(), code)]
    (tmp_path / "train.csv").write_text("a,b,c,code\n" + "".join(text[:40]))
    (tmp_path / "test.csv").write_text("a,b,c,code\n" + "".join(text[40:]))
    model = tmp_path / "model"
    helpers.run("fit", tmp_path / "train.csv", "--labels", "code", "--trees", 30, "-o", model)
    distances = np.array([[float(v) for v in row] for row in helpers.read_rows(
        helpers.run("predict", model, tmp_path / "test.csv", "--against", tmp_path / "train.csv"))])  # fmt: skip
    words = ["--queries", tmp_path / "test.csv"]
    predicted, shares, told = vote(model, tmp_path / "train.csv", "code", 5, *words, "--categories", "code")
    reference = KNeighborsClassifier(5, metric="precomputed").fit(np.zeros((40, 40)), code[:40])
    np.testing.assert_allclose(shares, reference.predict_proba(ranks(distances)))
    assert told["accuracy"] == np.mean(np.array(predicted, int) == code[40:]) and told["n_scored"] == 20
    means, _, scored = vote(model, tmp_path / "train.csv", "code", 5, *words)  # as numbers
    expected = KNeighborsRegressor(5, metric="precomputed").fit(np.zeros((40, 40)), code[:40]).predict(ranks(distances))
    np.testing.assert_allclose(np.array(means, float), expected)
    assert scored["rmse"] == pytest.approx(np.sqrt(np.mean((expected - code[40:]) ** 2)))


def test_other_methods_vote_too(tmp_path):
    case = cases.make_case("distinct values", 911, n=20)
    helpers.save_case(tmp_path, case)
    model = tmp_path / "model"
    for method in ("euclidean", "mahalanobis", "rfd"):
        helpers.run("fit", tmp_path / "items.csv", "--method", method, "--distances", tmp_path / "z.npy", "-o", model)
        distances = matrix(tmp_path, model)
        means, _, _ = vote(model, tmp_path / "items.csv", "f0", 3)
        values = np.array(case.columns[0].values)
        np.fill_diagonal(distances, np.inf)
        expected = values[np.argsort(distances, axis=1, kind="stable")[:, :3]].mean(axis=1)
        np.testing.assert_allclose(np.array(means, float), expected)
