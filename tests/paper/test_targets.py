"""Every kind of target grows the forest of `--distances` on the matrix that it stands for, and predicts its distances.

Random data, sizes and options: the same (kind, seed) is the same problem. What they were is printed when a test fails.
"""
import dataclasses
import zlib

import numpy as np
import pytest

import cases
import helpers
import targets
from oracle import Column

SEEDS = range(14)
STYLES = {
    "distinct": ([cases.continuous], False), "ties": ([cases.tied], False),
    "constant": ([cases.constant, cases.tied, cases.continuous], False), "missing": (cases.NUMBERS, True),
    "categories": ([cases.categories], False), "missing categories": ([cases.categories, cases.tied], True),
    "mixed": (cases.ANY, True), "duplicates": (cases.ANY, False),
}


@dataclasses.dataclass
class Task:
    name: str
    columns: list            # the features
    target: targets.Target
    weights: np.ndarray
    options: list

    @property
    def scale(self):
        return max(1e-12, np.abs(self.target.z).max())

    def item_columns(self):
        """Features and target columns, mixed but in a fixed order."""
        every = list(self.columns)
        for k, column in enumerate(self.target.columns):
            every.insert((7 * k + len(self.target.z)) % (len(every) + 1), column)
        return every


def draw(rng, choices):
    return choices[rng.integers(len(choices))]


def random_options(rng):
    options = ["--trees", 3, "--seed", int(rng.integers(2**40)), "--min-parent", int(draw(rng, [2, 2, 2, 3, 7]))]
    options += draw(rng, [[], [], ["--max-depth", 1], ["--max-depth", 3]])
    options += draw(rng, [[], [], ["--sample", "subsample:0.6"], ["--sample", "none"]])
    options += draw(rng, [[], ["--candidates", "all"], ["--candidates", 1], ["--candidates", 2]])
    options += draw(rng, [[], [], ["--splits", "oblique", "--density", draw(rng, [0.6, 1])]])
    options += draw(rng, [[], [], ["--self-distance", 1], ["--self-distance", 0.25], ["--self-distance", 0.5],
                          ["--self-distance", "exclude"], ["--self-distance", "exclude"]])
    return options


def random_features(rng, n):
    style = draw(rng, list(STYLES))
    recipes, missing = STYLES[style]
    columns = []
    while not cases.something_varies(columns):
        columns = cases.make_columns(rng, n, int(rng.integers(1, 6)), recipes, missing)
        if style == "duplicates":
            again = rng.integers(0, n, size=n)
            columns = [Column(c.name, [c.values[i] for i in again], c.kind) for c in columns]
    return style, columns


def random_weights(rng, n):
    return draw(rng, [None, None, rng.choice([0.25, 0.5, 1.0, 2.0, 3.5], size=n), np.exp(3 * rng.normal(size=n))])


def make_task(kind, seed):
    rng = np.random.default_rng([seed, zlib.crc32(kind.encode())])
    n = [2, 3, 60][seed] if seed < 3 else int(rng.integers(4, 36))
    style, columns = random_features(rng, n)
    target = targets.KINDS[kind](rng, columns)
    weights, options = random_weights(rng, n), random_options(rng)
    if weights is not None:
        options += ["--item-weights", "w"]
    return Task(f"make_task({kind!r}, {seed}): {n} items, {style}, {options}", columns, target, weights, options)


# ---------------------------------------------------------------- two fits

def fit_both(folder, task):
    """(model of the target, model of its matrix), both on the same items.csv."""
    helpers.save_items(folder / "items.csv", task.item_columns(), task.target.ids, task.weights)
    np.save(folder / "stands-for.npy", task.target.z.astype(np.float32))
    assert (task.target.z.astype(np.float32) == task.target.z).all(), "the test needs distances that float32 can hold"
    unused = ["--ignore", ",".join(c.name for c in task.target.columns)] if task.target.columns else []
    helpers.run("fit", folder / "items.csv", *task.target.arguments(folder), "-o", folder / "target.smerf",
                *task.options)
    helpers.run("fit", folder / "items.csv", "--distances", folder / "stands-for.npy", "-o", folder / "matrix.smerf",
                *unused, *task.options)
    return folder / "target.smerf", folder / "matrix.smerf"


def node_difference(expected, got, scale):
    if "gain" in expected and "gain" in got:
        if abs(expected["gain"] - got["gain"]) > 1e-9 * expected["weight"] * scale:
            return "gain"
        if not np.isclose(expected["weight"], got["weight"], rtol=1e-12):
            return "weight"
    rest = [{k: v for k, v in node.items() if k not in ("gain", "weight")} for node in (expected, got)]
    return "node" if rest[0] != rest[1] else None


def assert_same_forest(expected, got, scale, what):
    assert got["features"] == expected["features"], what
    assert len(got["trees"]) == len(expected["trees"]), what
    for b, (tree, other) in enumerate(zip(expected["trees"], got["trees"])):
        for k, (node, found) in enumerate(zip(tree["nodes"], other["nodes"])):
            difference = node_difference(node, found, scale)
            assert difference is None, f"{what}\ntree {b}, node {k}: {difference}\nexpected {node}\ngot      {found}"
        assert len(tree["nodes"]) == len(other["nodes"]), f"{what}: tree {b}"


# ---------------------------------------------------------------- and what they predict

def new_items(rng, columns, n):
    """Known values mixed anew, with gaps and levels never seen; no target columns."""
    made = []
    for c in columns:
        known = [v for v in c.values if v is not None]
        values = [draw(rng, known) for _ in range(n)]
        values[rng.integers(n)] = None if rng.random() < 0.5 or c.kind == "number" else "never seen"
        made.append(Column(c.name, values, c.kind))
    return made


def all_pairs(folder, task, model, rng):
    helpers.run("predict", model, folder / "items.csv", "-o", folder / "out.csv")
    n = len(task.target.z)
    return helpers.read_matrix(folder / "out.csv", n, n)[0]


def in_float32(folder, task, model, rng):
    helpers.run("predict", model, folder / "items.csv", "-o", folder / "out.npy")
    got = np.load(folder / "out.npy")
    assert got.dtype == np.float32 and (got == got.T).all()
    return got


def against(folder, task, model, rng):
    helpers.save_items(folder / "new.csv", new_items(rng, task.columns, 5), [f"new{i}" for i in range(5)])
    helpers.run("predict", model, folder / "new.csv", "--against", folder / "items.csv", "-o", folder / "out.csv")
    return helpers.read_matrix(folder / "out.csv", 5, len(task.target.z))[0]


def asked_pairs(folder, task, model, rng):
    names = task.target.names()
    rows = [f"{draw(rng, names)},{draw(rng, names)}\n" for _ in range(12)]
    (folder / "asked.csv").write_text("i,j\n" + "".join(rows), encoding="utf-8")
    text = helpers.run("predict", model, folder / "items.csv", "--pairs", folder / "asked.csv")
    return [float(row["distance"]) for row in helpers.read_table(text)]


def out_of_bag(folder, task, model, rng):
    if "none" in task.options:
        helpers.refused("predict", model, folder / "items.csv", "--oob", "-o", folder / "no.csv")
        return []
    n, rule = len(task.target.z), draw(rng, ["both", "either"])
    helpers.run("predict", model, folder / "items.csv", "--oob", "--oob-rule", rule, "-o", folder / "oob.csv")
    return helpers.read_matrix(folder / "oob.csv", n, n)[0]


def assert_same_numbers(expected, got, tolerance, what):
    expected, got = np.asarray(expected, float), np.asarray(got, float)
    assert expected.shape == got.shape and (np.isnan(expected) == np.isnan(got)).all(), what
    good = np.isclose(got, expected, rtol=0, atol=tolerance, equal_nan=True)
    assert good.all(), f"{what}: {got[~good][:3]} instead of {expected[~good][:3]}"


WAYS = [against, asked_pairs, out_of_bag, in_float32]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("kind", targets.KINDS)
def test_a_target_is_the_matrix_it_stands_for(kind, seed, tmp_path):
    task = make_task(kind, seed)
    model, expected = fit_both(tmp_path, task)
    assert_same_forest(helpers.export(expected), helpers.export(model), task.scale, task.name)
    for way in (all_pairs, WAYS[seed % 4], WAYS[(seed + 1) % 4]):
        a, b = (way(tmp_path, task, m, np.random.default_rng(seed)) for m in (expected, model))
        tolerance = 1e-6 if way is in_float32 else 1e-9
        assert_same_numbers(a, b, tolerance * max(1, task.scale), f"{way.__name__}, {task.name}")


@pytest.mark.parametrize("kind", ["labels", "responses", "absolute", "product", "edges", "real market", "all pairs"])
def test_a_larger_target_is_the_matrix_it_stands_for(kind, tmp_path):
    """Large enough for work to be shared between threads, and for leaves with many members."""
    rng = np.random.default_rng([1000, zlib.crc32(kind.encode())])
    columns = cases.make_columns(rng, 400, 5, [cases.continuous, cases.tied, cases.categories], missing=True)
    task = Task(f"larger {kind}", columns, targets.KINDS[kind](rng, columns), None, ["--trees", 4, "--min-parent", 5])
    model, expected = fit_both(tmp_path, task)
    assert_same_forest(helpers.export(expected), helpers.export(model), task.scale, task.name)
    for way in (all_pairs, against, out_of_bag):
        a, b = (way(tmp_path, task, m, np.random.default_rng(0)) for m in (expected, model))
        assert_same_numbers(a, b, 1e-9 * task.scale, f"{way.__name__}, {task.name}")


@pytest.mark.parametrize("kind", ["labels", "response", "absolute", "product", "edges", "all pairs"])
def test_gain_importance_is_that_of_the_matrix(kind, tmp_path):
    task = make_task(kind, 9)
    scores = [{row["feature"]: float(row["importance"]) for row in helpers.read_table(helpers.run("importance", model))}
              for model in fit_both(tmp_path, task)]
    assert scores[0] == pytest.approx(scores[1], abs=1e-8)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("kind", ["all pairs", "all observed"])
def test_nothing_missing_leaves_nothing_to_complete(kind, seed, tmp_path):
    task = make_task(kind, 50 + seed)
    plain, _ = fit_both(tmp_path, task)
    helpers.run("fit", tmp_path / "items.csv", *task.target.arguments(tmp_path), "-o", tmp_path / "off.smerf",
                *task.options, "--complete", "off")
    assert helpers.export(plain) == helpers.export(tmp_path / "off.smerf"), task.name
