"""Categories of more levels than all of whose mean distances are looked at (docs/decisions/0026-many-levels.md).

Where levels stand along one line (one response, two classes) their order is that of the means, and the tree is the oracle's.
Else the best cut is held against the one that the exact order gives.
"""
import numpy as np
import pytest

import cases
import exported
import helpers
import oracle
from grown import assert_same_tree
from oracle import Column

MANY = 64  # more than these
AS_CATEGORY = ["--categories", "f0"]  # not a name, though most of its texts are different
EXHAUSTIVE = ["--sample", "none", "--candidates", "all", "--trees", 1, *AS_CATEGORY]


def level_column(rng, n, n_levels, missing=0.0):
    codes = np.concatenate([np.arange(n_levels), rng.integers(0, n_levels, size=n - n_levels)])
    codes = codes[rng.permutation(n)]
    return codes, Column("f0", [None if rng.random() < missing else f"L{k:03d}" for k in codes], "category")


def one_line(rng, n, target):
    """Numbers of which z follows, and the words for them."""
    if target == "labels":
        y = rng.integers(0, 2, size=n).astype(float)
        return y, np.abs(y[:, None] - y[None, :]), ["--labels", "t0"], Column("t0", [f"k{v:.0f}" for v in y], "category")
    y = np.round(16 * rng.normal(size=n)) / 4
    return y, (y[:, None] - y[None, :]) ** 2 / 2, ["--response", "t0"], Column("t0", y.tolist())


@pytest.mark.parametrize("n_levels", [65, 120])
@pytest.mark.parametrize("how", ["plain", "missing", "both"])
@pytest.mark.parametrize("target", ["labels", "response"])
@pytest.mark.parametrize("is_matrix", [False, True], ids=["column", "matrix"])
def test_levels_on_a_line_grow_the_oracles_tree(target, how, n_levels, is_matrix, tmp_path):
    rng = np.random.default_rng([n_levels, len(how), target == "labels"])
    n = 125
    _, column = level_column(rng, n, n_levels, 0.1 if how != "plain" else 0)
    other = Column("f1", rng.normal(size=n).tolist())
    y, z, words, values = one_line(rng, n, target)
    weights = rng.choice([0.5, 1, 2, 3.5], size=n) if how == "both" else None
    case = cases.Case(f"{target}, {n_levels} levels, {how}", [column, other], z, weights)
    helpers.save_items(tmp_path / "items.csv", [column, other, values], weights=weights)
    np.save(tmp_path / "z.npy", z)
    known = ["--distances", tmp_path / "z.npy", "--ignore", "t0"] if is_matrix else words
    model = tmp_path / "m.smerf"
    helpers.run("fit", tmp_path / "items.csv", *known, *EXHAUSTIVE, *case.options(), "-o", model)
    assert_same_tree(case, helpers.export(model)["trees"][0], options=EXHAUSTIVE)


# ---------------------------------------------------------------- in general

def best_gain(problem, items, codes, order):
    """Of the prefixes of an order of levels, by Eq. (1)."""
    cuts = [oracle.Cut(np.isin(codes, order[:k + 1])) for k in range(len(order) - 1)]
    return max(cut.gain for cut in oracle.price(problem, items, cuts))


@pytest.mark.parametrize("noise", [0.1, 1, 3])
def test_the_best_cut_of_a_matrix_gains_nearly_as_much_as_in_the_exact_order(noise, tmp_path):
    fractions = []
    for seed in range(6):
        rng = np.random.default_rng([seed, int(10 * noise)])
        n, n_levels = 240, int(rng.integers(66, 160))
        codes, column = level_column(rng, n, n_levels)
        u = np.c_[rng.normal(size=n_levels)[codes] + 0.3 * rng.normal(size=n), noise * rng.normal(size=(n, 3))]
        z = np.sqrt(((u[:, None] - u[None]) ** 2).sum(axis=2))
        folder = tmp_path / str(seed)
        folder.mkdir()
        case = cases.Case(f"noise {noise}, {seed}", [column], z, max_depth=1)
        found = helpers.export(helpers.fit(folder, case, *EXHAUSTIVE))["trees"][0]["nodes"][0]
        problem = oracle.Problem([column], z)
        items = np.arange(n)
        exact = best_gain(problem, items, codes, oracle.line_up_levels(problem, items, codes))
        left = np.isin([f"L{k:03d}" for k in codes], found["categories"])
        priced = oracle.price(problem, items, [oracle.Cut(left)])[0].gain
        assert found["gain"] == pytest.approx(priced, rel=1e-6)
        fractions.append(found["gain"] / exact)
    assert np.mean(fractions) > (0.97 if noise < 1 else 0.9), fractions


def test_levels_that_a_node_does_not_hold_go_where_the_export_says(tmp_path):
    rng = np.random.default_rng(3)
    n, n_levels = 200, 120
    codes, column = level_column(rng, n, n_levels)
    y = rng.normal(size=n_levels)[codes] + 0.2 * rng.normal(size=n)
    z = np.round(np.abs(y[:, None] - y[None, :]) * 64) / 64
    case = cases.Case("routing", [column, Column("f1", rng.normal(size=n).tolist())], z)
    model = helpers.fit(tmp_path, case, "--trees", 8, *AS_CATEGORY)
    forest = helpers.export(model)
    lefts = [len(node["categories"]) for tree in forest["trees"] for node in tree["nodes"] if "categories" in node]
    assert min(lefts) < 10 and max(lefts) > n_levels - 10  # sets of either sort
    new = [Column("f0", [f"L{k:03d}" for k in range(n_levels)] + ["unseen", None], "category"),
           Column("f1", rng.normal(size=n_levels + 2).tolist())]
    helpers.save_items(tmp_path / "new.csv", new)
    helpers.run("predict", model, tmp_path / "new.csv", "-o", tmp_path / "p.npy")
    expected = exported.predict(forest, z, new)
    np.testing.assert_allclose(np.load(tmp_path / "p.npy"), expected, rtol=2e-6, atol=1e-6)


# ---------------------------------------------------------------- importance

def importances(model, *more):
    rows = helpers.read_rows(helpers.run("importance", model, *more))
    return {row[0]: float(row[1]) for row in rows[1:]}


def test_noise_of_many_levels_gains_most_and_matters_nothing(tmp_path):
    """Why `importance` warns: on noise alone a category of many levels is at the top by gain, and not by permutation."""
    rng = np.random.default_rng(5)
    n = 200
    _, column = level_column(rng, n, 100)
    columns = [column, *(Column(f"x{k}", rng.normal(size=n).tolist()) for k in range(4))]
    helpers.save_items(tmp_path / "items.csv", [*columns, Column("t0", rng.normal(size=n).tolist())])
    model = tmp_path / "m.smerf"
    helpers.run("fit", tmp_path / "items.csv", "--response", "t0", "--trees", 60, "-o", model)
    by_gain = importances(model)
    assert by_gain["f0"] == 1 and all(by_gain[f"x{k}"] < 0.5 for k in range(4))
    rows = helpers.read_rows(helpers.run("importance", model, tmp_path / "items.csv", "--permutation"))
    mean, error = next((float(row[1]), float(row[2])) for row in rows[1:] if row[0] == "f0")
    assert mean < 3 * error
