"""Explanations: they are what their definition says for every kind of target, sum to the prediction, and do not change when
the two items do."""
import json

import numpy as np
import pytest
import safetensors

import cases
import exported
import explain_oracle
import helpers
import pairs_oracle
import targets
import test_completed_self
import test_pairs_target
import test_rank
import test_targets
from explain_oracle import Known

SUM = 1e-9      # of the largest distance
SHARES = 1e-8


# ---------------------------------------------------------------- asking

def some_pairs(rng, n, m, k=24):
    pairs = [(int(rng.integers(n)), int(rng.integers(m))) for _ in range(k)]
    return pairs + [(i, i) for i in range(min(n, m, 4))]


def save_pairs(path, pairs, names, other_names):
    path.write_text("i,j\n" + "".join(f"{names[i]},{other_names[j]}\n" for i, j in pairs), encoding="utf-8")
    return path


def ask(folder, model, pairs, names, *more, other_names=None):
    """(features, cells: a row of texts a pair, distances as predicted)"""
    path = save_pairs(folder / "asked.csv", pairs, names, other_names or names)
    words = model, folder / "items.csv", "--pairs", path, *more
    header, *rows = helpers.read_rows(helpers.run("explain", *words))
    assert header[:3] == ["i", "j", "(baseline)"] and [r[:2] for r in rows] == [
        [names[i], (other_names or names)[j]] for i, j in pairs]
    predicted = helpers.read_table(helpers.run("predict", *words))
    return header[3:], [row[2:] for row in rows], np.array([helpers.to_number(p["distance"]) for p in predicted])


def check(features, cells, distances, expected, forest, scale, what):
    got = np.array([[helpers.to_number(c) for c in row] for row in cells])
    assert features == [f["name"] for f in forest["features"]]
    np.testing.assert_allclose(got.sum(axis=1), distances, rtol=0, atol=SUM * scale, err_msg=what)
    baseline, shares, predicted = (np.array(part) for part in zip(*expected))
    np.testing.assert_allclose(distances, predicted, rtol=0, atol=SHARES * scale, err_msg=f"{what}: distance")
    np.testing.assert_allclose(got[:, 0], baseline, rtol=0, atol=SHARES * scale, err_msg=f"{what}: baseline")
    np.testing.assert_allclose(got[:, 1:], shares, rtol=0, atol=SHARES * scale, err_msg=f"{what}: shares")


def turned(pairs):
    return [(j, i) for i, j in pairs]


def check_model(folder, model, known, columns, names, scale, what, rng):
    """Training items, turned round, out of bag, and against new ones."""
    forest, n = helpers.export(model), len(names)
    pairs = some_pairs(rng, n, n)
    features, cells, distances = ask(folder, model, pairs, names)
    check(features, cells, distances, explain_oracle.explain(forest, known, columns, columns, pairs), forest, scale, what)
    assert ask(folder, model, turned(pairs), names)[1] == cells, f"{what}: turned round"
    against = take(rng, columns, 7)
    helpers.save_items(folder / "new.csv", against)
    new_pairs = some_pairs(rng, n, 7)
    features, cells, distances = ask(folder, model, new_pairs, names, "--against", folder / "new.csv",
                                     other_names=[str(i) for i in range(7)])
    check(features, cells, distances, explain_oracle.explain(forest, known, columns, against, new_pairs), forest, scale,
          f"{what}: against")
    return forest, pairs


def take(rng, columns, n):
    """New items: each value is that of some other item."""
    return [type(c)(c.name, [c.values[k] for k in rng.integers(0, len(c.values), size=n)], c.kind) for c in columns]


def option(options, name, default):
    return options[options.index(name) + 1] if name in options else default


def with_diagonal(z, self_distance):
    z = np.array(z, float)
    if self_distance not in ("given", "exclude"):
        np.fill_diagonal(z, float(self_distance))
    return z


# ---------------------------------------------------------------- every kind

@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("kind", list(targets.KINDS))
def test_shares_are_what_they_are_said_to_be(kind, seed, tmp_path):
    task = test_targets.make_task(kind, seed)
    own = option(task.options, "--self-distance", "given")
    model = test_rank.fit(tmp_path, task, *(["--complete", "off"] if "--observed" in task.target.words
                                            or "--pairs" in task.target.words else []))
    known = Known(with_diagonal(task.target.z, own), item_weights=task.weights, exclude=own == "exclude")
    check_model(tmp_path, model, known, task.columns, task.target.names(), max(1, task.scale), task.name,
                np.random.default_rng(seed))


@pytest.mark.parametrize("own", ["given", "0.5", "exclude"])
@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("kind", list(pairs_oracle.KINDS))
def test_shares_of_pairs_with_gaps(kind, seed, own, tmp_path):
    case = pairs_oracle.make_case(kind, seed)
    model = test_pairs_target.fit(tmp_path, case, "--trees", 6, "--self-distance", own)
    known = Known(with_diagonal(case.distances, own), case.pair_weights, case.item_weights, own == "exclude")
    scale = max(1, np.nanmax(np.abs(case.distances)))
    names = case.ids or [str(i) for i in range(case.n)]
    check_model(tmp_path, model, known, case.columns, names, scale, f"{case.name}, {own}", np.random.default_rng(seed))


@pytest.mark.parametrize("own", ["given", "1", "exclude"])
@pytest.mark.parametrize("share", [0.1, 0.5])
def test_shares_of_a_graph_of_which_some_pairs_are_observed(own, share, tmp_path):
    rng = np.random.default_rng(int(10 * share))
    n = 30
    columns = cases.make_columns(rng, n, 4, cases.ANY, True)
    linked, observed = np.triu(rng.random((2, n, n)) < [[[0.4]], [[share]]], 1)
    edges, looked_at = np.argwhere(linked & observed), np.argwhere(observed)
    helpers.save_items(tmp_path / "items.csv", columns)
    for name, pairs in (("edges.csv", edges), ("observed.csv", looked_at)):
        (tmp_path / name).write_text("source,target\n" + "".join(f"{i},{j}\n" for i, j in pairs))
    model = tmp_path / "model.smerf"
    helpers.run("fit", tmp_path / "items.csv", "--edges", tmp_path / "edges.csv", "--observed", tmp_path / "observed.csv",
                "--complete", "off", "--trees", 8, "--self-distance", own, "-o", model)
    z = 1.0 - linked - linked.T
    np.fill_diagonal(z, 0)
    known = Known(with_diagonal(z, own), observed + observed.T + np.eye(n), exclude=own == "exclude")
    check_model(tmp_path, model, known, columns, [str(i) for i in range(n)], 1, f"observed, {own}", rng)


@pytest.mark.parametrize("own", ["given", "0.75", "exclude"])
@pytest.mark.parametrize("rank", [1, 3])
def test_shares_of_completed_pairs(own, rank, tmp_path):
    columns, z, is_listed = test_completed_self.draw(20 + rank)
    n = len(z)
    test_completed_self.save(tmp_path, columns, z, is_listed)
    model = tmp_path / "m.smerf"
    helpers.run("fit", tmp_path / "items.csv", "--pairs", tmp_path / "pairs.csv", "--complete", rank, "--trees", 8,
                "--min-parent", 4, "--self-distance", own, "-o", model)
    full = test_completed_self.completed(model, z, is_listed)
    np.fill_diagonal(full, np.where(np.diag(is_listed), np.diag(z), 0))
    known = Known(with_diagonal(full, own), exclude=own == "exclude")
    check_model(tmp_path, model, known, columns, [str(i) for i in range(n)], np.abs(full).max(), f"completed, {own}",
                np.random.default_rng(rank))


def low_rank(model, n):
    with safetensors.safe_open(str(model), framework="numpy") as file:
        a, u, scale, own = (file.get_tensor(f"target.{name}") for name in ("a", "u", "scale", "self"))
    u = u.reshape(n, -1)
    z = a[:, None] + a[None] - 2 * (u * scale) @ u.T
    np.fill_diagonal(z, own)
    return z


@pytest.mark.parametrize("own", ["given", "1", "exclude"])
@pytest.mark.parametrize("task", [("matrix", 5), ("edges", 5), ("product", 5)], indirect=True, ids=lambda p: p[0])
def test_shares_of_a_form_of_low_rank(task, own, tmp_path):
    rest = list(task.options)
    if "--self-distance" in rest:
        del rest[rest.index("--self-distance"):rest.index("--self-distance") + 2]
    task.options = [*rest, "--self-distance", own]
    model = test_rank.fit(tmp_path, task, "--rank", 2)
    z = low_rank(model, len(task.target.z))
    known = Known(z, item_weights=task.weights, exclude=own == "exclude")
    check_model(tmp_path, model, known, task.columns, task.target.names(), np.abs(z).max(), f"rank, {own}",
                np.random.default_rng(5))


task = test_rank.task


@pytest.mark.parametrize("kind", ["very small and large distances", "duplicate items", "non-zero diagonal, mixed",
                                  "item weights, mixed", "categories with missing values"])
def test_shares_of_a_matrix(kind, tmp_path):
    for seed in range(4):
        case = cases.make_case(kind, seed)
        folder = tmp_path / str(seed)
        folder.mkdir()
        model = helpers.fit(folder, case, "--trees", 6)
        known = Known(exported.rounded(case.distances), item_weights=case.item_weights)
        scale = np.abs(case.distances).max()
        check_model(folder, model, known, case.columns, [str(i) for i in range(case.n)], scale, case.name,
                    np.random.default_rng(seed))


# ---------------------------------------------------------------- out of bag

@pytest.mark.parametrize("rule", ["both", "either"])
@pytest.mark.parametrize("kind", ["few", "half", "nothing missing"])
def test_out_of_bag_only_trees_that_may_speak_are_asked(kind, rule, tmp_path):
    case = pairs_oracle.make_case(kind, 3, n=20)
    model = test_pairs_target.fit(tmp_path, case, "--trees", 5)
    forest = helpers.export(model)
    names = case.ids or [str(i) for i in range(case.n)]

    def speaks(tree, i, j):
        out = exported.in_bag_draws(tree, case.n) == 0
        return out[i] and out[j] if rule == "both" else out[i] or out[j]

    pairs = [(i, j) for i in range(case.n) for j in range(i + 1)]
    features, cells, distances = ask(tmp_path, model, pairs, names, "--oob", "--oob-rule", rule)
    expected = explain_oracle.explain(forest, Known(case.distances, case.pair_weights, case.item_weights), case.columns,
                                      case.columns, pairs, speaks)
    check(features, cells, distances, expected, forest, np.nanmax(np.abs(case.distances)), kind)
    assert rule == "either" or any(c == "" for row in cells for c in row), "no pair that no tree can speak for"


# ---------------------------------------------------------------- the other forms

def test_one_pair_says_what_the_list_says(tmp_path):
    case = cases.make_case("mixed", 8, n=30, p=4)
    model = helpers.fit(tmp_path, case, "--trees", 10)
    features, cells, distances = ask(tmp_path, model, [(4, 9)], [str(i) for i in range(30)])
    rows = helpers.read_rows(helpers.run("explain", model, tmp_path / "items.csv", "--pair", 4, 9))
    assert rows[0] == ["feature", "share"] and rows[1] == ["(baseline)", cells[0][0]]
    assert rows[-1][0] == "(distance)" and float(rows[-1][1]) == distances[0]
    shares = rows[2:-1]
    assert dict(shares) == dict(zip(features, cells[0][1:]))
    sizes = [abs(float(share)) for _, share in shares]
    assert sizes == sorted(sizes, reverse=True)
    told = json.loads(helpers.run("explain", model, tmp_path / "items.csv", "--pair", 4, 9, "--json"))
    assert told["baseline"] == float(cells[0][0]) and told["distance"] == distances[0]
    assert list(told["shares"]) == [name for name, _ in shares]
    assert told["shares"] == {name: float(cell) for name, cell in zip(features, cells[0][1:])}


@pytest.mark.parametrize("k", [1, 5, 100])
def test_an_item_is_explained_by_its_nearest_and_by_all_others(k, tmp_path):
    case = cases.make_case("mixed", 9, n=25, p=4)
    case.min_parent = 5  # equal distances among them
    model = helpers.fit(tmp_path, case, "--trees", 4)
    item, others = 7, [j for j in range(25) if j != 7]
    features, cells, distances = ask(tmp_path, model, [(item, j) for j in others], [str(i) for i in range(25)])
    shares = np.array([[float(c) for c in row[1:]] for row in cells])
    nearest = np.argsort(distances, kind="stable")[:k]
    rows = helpers.read_table(helpers.run("explain", model, tmp_path / "items.csv", "--item", item, "-k", k))
    assert {r["feature"] for r in rows} == set(features)
    scale = np.abs(shares).max()
    for row in rows:
        f = features.index(row["feature"])
        near, every = shares[nearest, f].mean(), shares[:, f].mean()
        found = [float(row[name]) for name in ("near", "all", "separates")]
        np.testing.assert_allclose(found, [near, every, every - near], rtol=0, atol=1e-12 * scale)
    parts = [float(row["separates"]) for row in rows]
    assert parts == sorted(parts, reverse=True)
    told = json.loads(helpers.run("explain", model, tmp_path / "items.csv", "--item", item, "-k", k, "--json"))
    assert (told["item"], told["nearest"], told["others"]) == (str(item), min(k, 24), 24)
    assert [{n: float(v) if n != "feature" else v for n, v in row.items()} for row in rows] == told["features"]


def test_features_that_no_split_looks_at_have_no_share(tmp_path):
    rng = np.random.default_rng(3)
    x = np.column_stack([rng.random(60), np.ones(60), rng.random(60)])
    z = np.abs(x[:, None, 0] - x[None, :, 0])
    model = helpers.fit(tmp_path, cases.case_from_arrays(x, z), "--trees", 20)
    told = json.loads(helpers.run("explain", model, tmp_path / "items.csv", "--pair", 3, 4, "--json"))
    assert told["shares"]["f1"] == 0
    assert abs(told["shares"]["f0"]) > 3 * abs(told["shares"]["f2"])


def test_other_methods_have_no_explanations(tmp_path):
    model = tmp_path / "model.smerf"
    helpers.save_case(tmp_path, cases.make_case("negative distances", 2, n=12, p=3))
    helpers.run("fit", tmp_path / "items.csv", "--distances", tmp_path / "z.npy", "--method", "mahalanobis", "-o", model)
    assert "explanations" in helpers.refused("explain", model, tmp_path / "items.csv", "--pair", 0, 1)
