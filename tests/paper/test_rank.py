"""--rank R: the full rank is the full forest, a rank of 16 is nearly as good on distances that have no small rank."""
import json

import numpy as np
import pytest

import cases
import helpers
import targets
import test_targets
from oracle import Column

KINDS = ["integer matrix", "labels matrix", "line matrix", "matrix", "edges", "dyadic edges", "signed edges",
         "integer market", "product"]
MATRICES = {"integer matrix": cases.integer, "labels matrix": cases.labels, "line matrix": cases.on_a_line}


def of_matrix(recipe):
    def make(rng, columns):
        return targets.Target(["--distances", "z.csv"], z := recipe(rng, columns),
                              files={"z.csv": helpers.matrix_text(z)})
    return make


@pytest.fixture
def task(request, monkeypatch):
    kind, seed = request.param
    for name, recipe in MATRICES.items():
        monkeypatch.setitem(targets.KINDS, name, of_matrix(recipe))
    return test_targets.make_task(kind, seed)


def fit(folder, task, *more, name="model"):
    helpers.save_items(folder / "items.csv", task.item_columns(), task.target.ids, task.weights)
    model = folder / f"{name}.smerf"
    helpers.run("fit", folder / "items.csv", *task.target.arguments(folder), "-o", model, *task.options, *more)
    return model


# ---------------------------------------------------------------- full rank

@pytest.mark.parametrize("task", [(kind, 3 + seed) for kind in KINDS for seed in range(5)], indirect=True,
                         ids=lambda p: f"{p[0]}-{p[1]}")
def test_the_full_rank_is_the_full_forest(task, tmp_path):
    n = len(task.target.z)
    full, ranked = fit(tmp_path, task), fit(tmp_path, task, "--rank", n, name="ranked")
    loose = 1e3 * task.scale  # gains to 1e-6: they come from eigenvectors
    test_targets.assert_same_forest(helpers.export(full), helpers.export(ranked), loose, task.name)
    for way in (test_targets.all_pairs, test_targets.against, test_targets.out_of_bag):
        a, b = (way(tmp_path, task, m, np.random.default_rng(0)) for m in (full, ranked))
        test_targets.assert_same_numbers(a, b, 1e-6 * task.scale, f"{way.__name__}, {task.name}")


# ---------------------------------------------------------------- the share of the spectrum

def share_kept(model):
    """Whatever it is called, as long as the name says so."""
    facts = json.loads(helpers.run("info", model, "--json"))
    found = [v for k, v in facts.items()
             if isinstance(v, (int, float)) and not isinstance(v, bool)
             and ("spectrum" in k or ("share" in k and "sample" not in k))]
    assert len(found) == 1, f"not one share of the spectrum in {facts}"
    return found[0]


@pytest.mark.parametrize("task", [("matrix", 2), ("edges", 2), ("signed edges", 2)], indirect=True,
                         ids=lambda p: p[0])
def test_more_rank_keeps_more_of_the_spectrum(task, tmp_path):
    n = len(task.target.z)
    task.options = ["--trees", 1]
    shares = [share_kept(fit(tmp_path, task, "--rank", rank)) for rank in (1, 2, 4, 8, 16, n)]
    assert all(0 < s <= 1 + 1e-9 for s in shares), shares
    assert all(a < b for a, b in zip(shares[:4], shares[1:])), shares
    assert shares[-2] <= shares[-1] == pytest.approx(1, abs=1e-6)


def groups(rng, n, k):
    c = rng.integers(0, k, size=n)
    return (c[:, None] != c[None, :]).astype(float)


def line(rng, n):
    y = np.round(rng.normal(size=n))
    return (y[:, None] - y[None, :]) ** 2 / 2


SPECTRA = {
    "integers": lambda rng, n: cases.symmetric(rng.integers(0, 3, size=(n, n)).astype(float)),
    "two groups": lambda rng, n: groups(rng, n, 2),  # all but one eigenvalue are 0
    "three groups": lambda rng, n: groups(rng, n, 3),
    "line": line,
    "one odd item": lambda rng, n: np.add.outer(*[(np.arange(n) == 3).astype(float)] * 2) % 2,
    "all alike": lambda rng, n: np.ones((n, n)) - np.eye(n),  # all but one are equal
}


@pytest.mark.parametrize("n", [6, 24, 40])
@pytest.mark.parametrize("spectrum", SPECTRA)
def test_the_share_is_that_of_the_double_centred_matrix(spectrum, n, tmp_path):
    """Sum of the largest |lambda| of K = -1/2 J Z J over the sum of all."""
    z = SPECTRA[spectrum](np.random.default_rng(n), n)
    case = cases.case_from_arrays(np.arange(float(n))[:, None], z)
    j = np.eye(n) - 1 / n
    sizes = np.sort(np.abs(np.linalg.eigvalsh(-0.5 * j @ z @ j)))[::-1]
    for rank in (1, 2, 5, n):
        got = share_kept(helpers.fit(tmp_path, case, "--trees", 1, "--rank", rank))
        assert got == pytest.approx(sizes[:rank].sum() / sizes.sum(), rel=1e-6), rank


def test_a_product_has_no_more_rank_than_columns(tmp_path):
    rng = np.random.default_rng(5)
    features = cases.make_columns(rng, 50, 3, [cases.continuous])
    y = [Column(f"t{k}", rng.normal(size=50).tolist()) for k in range(3)]
    helpers.save_items(tmp_path / "items.csv", [*features, *y])
    line = ["fit", tmp_path / "items.csv", "--product", "t0,t1,t2", "--trees", 5, "-o"]
    helpers.run(*line, tmp_path / "full.smerf")
    expected = helpers.export(tmp_path / "full.smerf")
    for rank, kept in ((1, False), (3, True), (20, True)):
        helpers.run(*line, tmp_path / "m.smerf", "--rank", rank)
        assert (share_kept(tmp_path / "m.smerf") > 1 - 1e-6) == kept, rank
        if kept:
            test_targets.assert_same_forest(expected, helpers.export(tmp_path / "m.smerf"), 1e4, f"rank {rank}")


# ---------------------------------------------------------------- a small rank

METRICS = {"euclidean": lambda d: np.sqrt((d ** 2).sum(axis=2)), "l1": lambda d: np.abs(d).sum(axis=2)}


def places(folder, metric, name, n, seed):
    x = np.random.default_rng(seed).random((n, 5))
    helpers.save_items(folder / f"{name}.csv", [Column(f"x{k}", x[:, k].tolist()) for k in range(5)])
    np.save(folder / f"{name}.npy", METRICS[metric](x[:, None] - x[None, :]))


@pytest.mark.parametrize("metric", METRICS)
def test_rank_16_is_nearly_as_good_as_the_whole_matrix(metric, tmp_path):
    places(tmp_path, metric, "train", 300, 3)
    places(tmp_path, metric, "test", 200, 4)
    scores = {}
    for rank in ([], ["--rank", 16]):
        helpers.run("fit", tmp_path / "train.csv", "--distances", tmp_path / "train.npy", "-o", tmp_path / "m.smerf",
                    "--trees", 150, *rank)
        text = helpers.run("evaluate", tmp_path / "m.smerf", tmp_path / "test.csv", "--distances", tmp_path / "test.npy")
        scores[bool(rank)] = helpers.read_scores(text)
    full, low = scores[False], scores[True]
    assert full["rmse"] < 0.3 and full["map@10"] > 0.3, "the full forest should have learned something"
    assert low["rmse"] <= 1.02 * full["rmse"], scores
    assert low["map@10"] >= full["map@10"] - 0.02, scores
