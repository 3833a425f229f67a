"""`evaluate` for every kind of target: scores as the interface page words them, areas under curves as scikit-learn's.

Forests on labels and graphs give many distances that are equal but for rounding. So the scores are those of the distances
that `predict` writes, which must be the forest's to 1e-12; told apart by their last bits, or with those taken for equal.
"""
import json
from dataclasses import dataclass

import numpy as np
import pytest

import cases
import exported
import helpers
import metrics
import pairs_oracle
import targets
from oracle import Column

FOUND = ["labels", "edges", "integer edges", "dyadic edges", "pattern market", "all observed"]
OTHER = ["response", "responses", "absolute", "product", "all pairs", "all similar pairs", "matrix"]
N = 36


@dataclass
class Made:
    columns: list
    target: targets.Target
    words: list
    weights: np.ndarray
    model: str

    def expected(self):
        return exported.predict(helpers.export(self.model), self.target.z, self.columns, item_weights=self.weights)


def make(folder, kind, seed, trees=40, min_parent=10, more=()):
    """Weights that are no round numbers keep distances apart that would otherwise be equal by chance."""
    rng = np.random.default_rng([seed, len(kind)])
    columns = cases.make_columns(rng, N, 3, [cases.continuous, cases.categories], missing=True)
    target = targets.KINDS[kind](rng, columns)
    weights = np.exp(rng.normal(size=N))
    helpers.save_items(folder / "items.csv", [*columns, *target.columns], target.ids, weights)
    words = target.arguments(folder)
    helpers.run("fit", folder / "items.csv", *words, "-o", folder / "m.smerf", "--item-weights", "w",
                "--trees", trees, "--min-parent", min_parent, *more)
    return Made(columns, target, words, weights, folder / "m.smerf")


def predicted(folder, model, items, expected, *options):
    """The distances as the command gives them, after a look that they are the forest's."""
    helpers.run("predict", model, folder / items, "-o", folder / "predicted.csv", *options)
    got = helpers.read_matrix(folder / "predicted.csv", *expected.shape)[0]
    np.testing.assert_allclose(got, expected, rtol=0, atol=1e-12 * (1 + np.nanmax(np.abs(expected))))
    return got


OF_ITEMS = {"accuracy", "log-loss", "r2"}  # test_scores.py has these


def expected_scores(distances, true, links, between):
    """None: the data cannot give it."""
    found = metrics.scores(distances, true, links, between)
    if metrics.mean_partners(distances, true, between) < 20:
        del found["map@10"]
    return {**found, **metrics.of_the_mean(distances, true, between)}


def assert_scores(text, distances, true, links=None, between=False):
    got = {name: score for name, score in helpers.read_scores(text).items() if name not in OF_ITEMS}
    by_bits = expected_scores(distances, true, links, between)
    rounded = expected_scores(metrics.without_rounding(distances), true, links, between)
    assert set(got) == {name for name in by_bits if by_bits[name] is not None}, f"scores called {sorted(got)}"
    for name, score in got.items():
        either = [pytest.approx(value[name], rel=1e-9, abs=1e-12) for value in (by_bits, rounded)]
        assert score in either, f"{name}: {score}, not {by_bits[name]} or {rounded[name]}"


# ---------------------------------------------------------------- one set of items

@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("kind", FOUND + OTHER)
def test_scores_of_all_pairs(kind, seed, tmp_path):
    made = make(tmp_path, kind, seed)
    distances = predicted(tmp_path, made.model, "items.csv", made.expected())
    line = ["evaluate", made.model, tmp_path / "items.csv", *made.words]
    text = helpers.run(*line)
    assert_scores(text, distances, made.target.z, made.target.links)
    as_json, as_text = json.loads(helpers.run(*line, "--json")), helpers.read_scores(text)
    assert {name: as_json[name] for name in as_text} == as_text


@pytest.mark.parametrize("rule", ["both", "either"])
@pytest.mark.parametrize("kind", FOUND + OTHER)
def test_scores_out_of_bag(kind, rule, tmp_path):
    made = make(tmp_path, kind, 10, more=["--oob-rule", rule])
    expected = exported.predict_oob(helpers.export(made.model), made.target.z, made.columns, rule, made.weights)
    distances = predicted(tmp_path, made.model, "items.csv", expected, "--oob")
    text = helpers.run("evaluate", made.model, tmp_path / "items.csv", *made.words, "--oob")
    assert_scores(text, distances, made.target.z, made.target.links)
    assert helpers.run("evaluate", made.model, tmp_path / "items.csv", "--oob") == text  # its own target


@pytest.mark.parametrize("kind", FOUND)
def test_ties_of_a_stump_are_grouped(kind, tmp_path):
    """Three different distances at most, so that an order within ties would show."""
    made = make(tmp_path, kind, 20, trees=1, min_parent=2, more=["--max-depth", 1])
    distances = np.round(made.expected(), 12)
    assert len(np.unique(distances)) <= 3
    expected = metrics.auc(distances, made.target.z, made.target.links)
    line = ["evaluate", made.model, tmp_path / "items.csv", *made.words, "--metrics", "auc-roc,auc-pr"]
    assert helpers.read_scores(helpers.run(*line)) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("kind", OTHER)
def test_areas_are_refused_where_there_are_no_links(kind, tmp_path):
    made = make(tmp_path, kind, 30, trees=2)
    for name in ("auc-roc", "rmse,auc-pr"):
        helpers.refused("evaluate", made.model, tmp_path / "items.csv", *made.words, "--metrics", name, "--quiet")


def test_a_model_can_be_scored_on_another_target(tmp_path):
    made = make(tmp_path, "labels", 40)
    distances = predicted(tmp_path, made.model, "items.csv", made.expected())
    other = targets.KINDS["edges"](np.random.default_rng(1), made.columns)
    helpers.save_items(tmp_path / "again.csv", made.columns, other.ids)
    text = helpers.run("evaluate", made.model, tmp_path / "again.csv", *other.arguments(tmp_path))
    assert_scores(text, distances, other.z, other.links)
    np.save(tmp_path / "z.npy", other.z)
    text = helpers.run("evaluate", made.model, tmp_path / "again.csv", "--distances", tmp_path / "z.npy")
    assert_scores(text, distances, other.z)


# ---------------------------------------------------------------- some pairs

def some_pairs(rng, z, share):
    """z where a pair is listed, NaN elsewhere; a few items have one or two partners only, one has none."""
    listed = np.triu(rng.random(z.shape) < share, 1)
    for i, partners in ((0, 0), (1, 1), (2, 2)):
        listed[i], listed[:, i] = False, False
        listed[i, 10:10 + partners] = True
    return np.where(listed | listed.T, z, np.nan)


def list_of(rng, z, names, value=True):
    rows = ["i,j,distance" if value else "i,j"]
    for i, j in np.argwhere(~np.isnan(np.triu(z, 1)) & np.triu(np.ones(z.shape, dtype=bool), 1)):
        a, b = (i, j) if rng.random() < 0.5 else (j, i)
        rows.append(f"{names[a]},{names[b]}" + (f",{float(z[i, j])!r}" if value else ""))
    return "\n".join(rows) + "\n"


@pytest.mark.parametrize("share", [0.1, 0.5])
@pytest.mark.parametrize("kind", ["labels", "response", "matrix"])
def test_pairs_that_are_not_listed_are_left_out(kind, share, tmp_path):
    made, rng = make(tmp_path, kind, 50), np.random.default_rng(5)
    truth = some_pairs(rng, cases.symmetric(rng.random((N, N))), share)
    distances = predicted(tmp_path, made.model, "items.csv", made.expected())
    (tmp_path / "pairs.csv").write_text(list_of(rng, truth, made.target.names()), encoding="utf-8")
    text = helpers.run("evaluate", made.model, tmp_path / "items.csv", "--pairs", tmp_path / "pairs.csv")
    assert_scores(text, distances, truth)
    np.save(tmp_path / "holes.npy", truth)
    text = helpers.run("evaluate", made.model, tmp_path / "items.csv", "--distances", tmp_path / "holes.npy")
    assert_scores(text, distances, exported.rounded(truth))


@pytest.mark.parametrize("kind", ["edges", "dyadic edges"])
def test_areas_over_observed_pairs(kind, tmp_path):
    made, rng = make(tmp_path, kind, 60), np.random.default_rng(6)
    target = made.target
    truth = some_pairs(rng, target.z, 0.4)
    known = np.argwhere(np.triu(target.links & ~np.isnan(truth), 1))
    edges = targets.edges_text(rng, known, 1 - target.z, target.names(), kind != "edges")
    (tmp_path / "known.csv").write_text(edges, encoding="utf-8")
    (tmp_path / "observed.csv").write_text(list_of(rng, truth, target.names(), value=False), encoding="utf-8")
    text = helpers.run("evaluate", made.model, tmp_path / "items.csv", "--edges", tmp_path / "known.csv",
                       "--observed", tmp_path / "observed.csv")
    assert_scores(text, predicted(tmp_path, made.model, "items.csv", made.expected()), truth, target.links)


@pytest.mark.parametrize("oob", [False, True], ids=["all", "oob"])
@pytest.mark.parametrize("kind", ["half", "weights", "repeats, weights"])
def test_a_forest_of_some_pairs_is_scored_on_them(kind, oob, tmp_path):
    case = pairs_oracle.make_case(kind, 70, n=N, p=3)
    helpers.save_items(tmp_path / "items.csv", case.columns, case.ids, case.item_weights)
    (tmp_path / "pairs.csv").write_text(case.text(), encoding="utf-8")
    model = tmp_path / "m.smerf"
    helpers.run("fit", tmp_path / "items.csv", "--pairs", tmp_path / "pairs.csv", "--complete", "off", "-o", model,
                "--trees", 25, *case.options())
    forest = helpers.export(model)
    expected = pairs_oracle.predict_oob(forest, case) if oob else pairs_oracle.predict(forest, case)
    more = ["--oob"] if oob else []
    distances = predicted(tmp_path, model, "items.csv", expected, *more)
    text = helpers.run("evaluate", model, tmp_path / "items.csv", "--pairs", tmp_path / "pairs.csv", *more)
    assert_scores(text, distances, case.distances)


# ---------------------------------------------------------------- between two sets

def two_sets(folder, kind, seed):
    """One target over both sets; the forest has seen the second one only."""
    rng = np.random.default_rng([seed, len(kind)])
    columns = cases.make_columns(rng, N + 15, 3, [cases.continuous, cases.categories], missing=True)
    target = targets.KINDS[kind](rng, columns)
    names = [f"new{i}" for i in range(15)] + [f"old{i}" for i in range(N)]
    for name, rows in (("new", slice(0, 15)), ("old", slice(15, None))):
        part = [Column(c.name, c.values[rows], c.kind) for c in [*columns, *target.columns]]
        helpers.save_items(folder / f"{name}.csv", part, names[rows])
    np.save(folder / "train.npy", target.z[15:, 15:])  # every target is exact in float32
    unused = ["--ignore", ",".join(c.name for c in target.columns)] if target.columns else []
    helpers.run("fit", folder / "old.csv", "--distances", folder / "train.npy", "-o", folder / "m.smerf", *unused,
                "--trees", 40, "--min-parent", 10)
    new, old = ([Column(c.name, c.values[rows], c.kind) for c in columns] for rows in (slice(0, 15), slice(15, None)))
    return target, names, new, old, helpers.export(folder / "m.smerf")


@pytest.mark.parametrize("kind", ["labels", "responses", "absolute", "product", "edges", "dyadic edges", "all pairs"])
def test_scores_between_two_sets(kind, tmp_path):
    target, names, new, old, forest = two_sets(tmp_path, kind, 80)
    block = np.ix_(range(15), range(15, N + 15))
    expected = exported.predict(forest, target.z[15:, 15:], new, old)
    distances = predicted(tmp_path, tmp_path / "m.smerf", "new.csv", expected, "--against", tmp_path / "old.csv")
    words = target.words
    if "edges" in kind or "pairs" in kind:
        words = [words[0], save_between(tmp_path, target, names, kind)]
    text = helpers.run("evaluate", tmp_path / "m.smerf", tmp_path / "new.csv", "--against", tmp_path / "old.csv", *words)
    links = None if target.links is None else target.links[block]
    assert_scores(text, distances, target.z[block], links, between=True)


def save_between(folder, target, names, kind, within=False):
    rng = np.random.default_rng(0)
    wanted = np.ones(target.z.shape, dtype=bool) if target.links is None else target.links.copy()
    if not within:
        wanted[:15, :15] = wanted[15:, 15:] = False
    edges = targets.shuffled_edges(rng, wanted)
    values = target.z if target.links is None else 1 - target.z
    text = targets.edges_text(rng, edges, values, names, kind != "edges")
    (folder / "between.csv").write_text(text.replace("weight", "distance") if "pairs" in kind else text)
    return folder / "between.csv"


@pytest.mark.parametrize("kind", ["edges", "all pairs"])
def test_pairs_within_a_set_do_not_count_between_two(kind, tmp_path):
    target, names, *_ = two_sets(tmp_path, kind, 90)
    line = ["evaluate", tmp_path / "m.smerf", tmp_path / "new.csv", "--against", tmp_path / "old.csv", target.words[0]]
    expected = helpers.run(*line, save_between(tmp_path, target, names, kind))
    assert helpers.run(*line, save_between(tmp_path, target, names, kind, within=True)) == expected
