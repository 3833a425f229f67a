"""The linear methods against another solver: the same objective, the same distances, for matrices, gaps, weights, pairs,
graphs and columns that depend on each other; and data that they can explain, which they do."""
import json

import numpy as np
import pytest
from safetensors.numpy import load_file

import helpers
import linear_oracle
from oracle import Column

METHODS = ["mahalanobis", "bilinear"]
LEVELS = ["a", "b", "c"]


def symmetric(z):
    return (z + z.T) / 2


def given_distances(rng, x, noise=0.3):
    """Something like distances, with much that no W explains; rounded to float32, as the command reads them."""
    y = x @ rng.normal(size=(x.shape[1], 2)) / np.sqrt(x.shape[1])
    z = np.abs(y[:, None] - y[None]).sum(axis=2) ** 1.5 + noise * symmetric(rng.random((len(x), len(x))))
    np.fill_diagonal(z, 0)
    return z.astype(np.float32).astype(float)


class Task:
    """Items, a test set, and a target as files and as two matrices: z (NaN: not known) and the weights of the pairs."""

    def __init__(self, folder, seed, n=40, p=4, n_test=15):
        self.folder, self.rng = folder, np.random.default_rng(seed)
        self.x = self.rng.normal(size=(n, p)) * np.exp(self.rng.normal(size=p)) + self.rng.normal(size=p)
        self.test = self.rng.normal(size=(n_test, p)) * self.x.std(axis=0) + self.x.mean(axis=0)
        self.z = given_distances(self.rng, self.x / self.x.std(axis=0))
        self.weight = np.ones((n, n))
        self.item_weights = None
        self.arguments = []

    def weigh_items(self):
        self.item_weights = np.exp(self.rng.normal(size=len(self.x)))
        self.weight *= np.outer(self.item_weights, self.item_weights)

    def matrix(self):
        np.save(self.folder / "z.npy", self.z)
        self.arguments = ["--distances", self.folder / "z.npy"]

    def condensed(self):
        np.save(self.folder / "z.npy", self.z[np.triu_indices(len(self.z), 1)])
        np.fill_diagonal(self.weight, 0)
        self.arguments = ["--distances", self.folder / "z.npy"]

    def matrix_with_gaps(self, share=0.3):
        gaps = np.triu(self.rng.random(self.z.shape) < share, 1)
        self.z[gaps | gaps.T] = np.nan
        self.matrix()

    def pairs(self, share=0.4, weighted=True):
        n = len(self.x)
        lines, weight = [], np.zeros((n, n))
        for i in range(n):
            for j in range(i, n):
                if self.rng.random() < share and (i < j or i % 3 == 0):
                    u = np.round(np.exp(self.rng.normal()), 3) if weighted else 1
                    weight[i, j] = weight[j, i] = u
                    lines.append(f"{i},{j},{float(self.z[i, j])!r},{u}")
        self.weight *= weight
        (self.folder / "pairs.csv").write_text("a,b,distance,weight\n" + "\n".join(lines) + "\n")
        self.arguments = ["--pairs", self.folder / "pairs.csv"]

    def edges(self):
        n = len(self.x)
        linked = np.triu(self.z < np.quantile(self.z, 0.2), 1)
        self.z = 1.0 - (linked | linked.T)
        np.fill_diagonal(self.weight, 0)
        lines = [f"{i},{j}" for i, j in np.argwhere(linked)]
        (self.folder / "edges.csv").write_text("source,target\n" + "\n".join(lines) + "\n")
        self.arguments = ["--edges", self.folder / "edges.csv"]

    def fit(self, method, *more, name="model"):
        columns = [Column(f"x{k}", self.x[:, k].tolist()) for k in range(self.x.shape[1])]
        helpers.save_items(self.folder / "items.csv", columns, weights=self.item_weights)
        helpers.save_items(self.folder / "test.csv",
                           [Column(f"x{k}", self.test[:, k].tolist()) for k in range(self.x.shape[1])])
        weights = ["--item-weights", "w"] if self.item_weights is not None else []
        model = self.folder / f"{name}.smerf"
        helpers.run("fit", self.folder / "items.csv", *self.arguments, "--method", method, "-o", model, *weights, *more)
        return model

    def predict(self, model, items="test.csv"):
        helpers.run("predict", model, self.folder / items, "-o", self.folder / "out.npy")
        return np.load(self.folder / "out.npy")


def diagnostics(model):
    return json.loads(helpers.run("info", model, "--json"))


def w_of(model):
    arrays = load_file(model)
    p = len(arrays["learned.means"])
    factor = arrays["learned.factor"].reshape(-1, p)
    return factor.T @ factor


def distances(x, w, method):
    if method == "bilinear":
        return 1 - x @ w @ x.T
    apart = x[:, None] - x[None]
    return np.einsum("ija,ab,ijb->ij", apart, w, apart)


def assert_optimal(task, model, method):
    expected = linear_oracle.solve(task.x, task.z, task.weight, method)
    terms = linear_oracle.pair_terms(task.x, task.z, task.weight, method)
    ours, theirs = (linear_oracle.objective(w, terms) for w in (w_of(model), expected))
    assert ours <= theirs * (1 + 1e-5) + 1e-12
    assert theirs <= ours * (1 + 1e-5) + 1e-12
    assert diagnostics(model)["kkt_residual"] < 1e-6
    want = distances(task.test, expected, method)
    assert np.abs(task.predict(model) - want).max() < 1e-5 * max(1, np.abs(want).max())


RECIPES = {
    "matrix": lambda t: t.matrix(),
    "condensed": lambda t: t.condensed(),
    "gaps": lambda t: t.matrix_with_gaps(),
    "weights": lambda t: (t.weigh_items(), t.matrix()),
    "condensed with weights": lambda t: (t.weigh_items(), t.condensed()),
    "gaps and weights": lambda t: (t.weigh_items(), t.matrix_with_gaps()),
    "pairs": lambda t: t.pairs(weighted=False),
    "weighted pairs": lambda t: (t.weigh_items(), t.pairs()),
    "edges": lambda t: t.edges(),
    "edges and weights": lambda t: (t.weigh_items(), t.edges()),
}


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("recipe", RECIPES)
@pytest.mark.parametrize("method", METHODS)
def test_w_is_what_another_solver_finds(method, recipe, seed, tmp_path):
    task = Task(tmp_path, seed)
    RECIPES[recipe](task)
    assert_optimal(task, task.fit(method), method)


@pytest.mark.parametrize("recipe", ["matrix", "gaps", "weighted pairs"])
@pytest.mark.parametrize("method", METHODS)
def test_columns_that_depend_on_each_other_get_the_smallest_w(method, recipe, tmp_path):
    task = Task(tmp_path, 5)
    mix = np.array([[1, 0, 1, 2], [0, 1, 1, -1], [0, 0, 0, 0], [1, 1, 2, 1]]) * 1.0  # rank 2, a zero column would be x2
    task.x, task.test = task.x @ mix, task.test @ mix + task.rng.normal(size=task.test.shape)
    RECIPES[recipe](task)
    model = task.fit(method)
    assert diagnostics(model)["rank_of_the_columns"] == 2
    assert_optimal(task, model, method)  # on test items that break the dependence, too


# ---------------------------------------------------------------- an intercept

@pytest.mark.parametrize("recipe", RECIPES)
@pytest.mark.parametrize("method", METHODS)
def test_an_intercept_is_what_another_solver_finds(method, recipe, tmp_path):
    task = Task(tmp_path, 11)
    RECIPES[recipe](task)
    model = task.fit(method, "--intercept")
    w, constant, expected = linear_oracle.solve_with_intercept(task.x, task.z, task.weight, method)
    mean = task.x.mean(axis=0)
    intercept = load_file(model)["learned.intercept"][0]

    def said(x):
        moved = distances(x - mean, w_of(model), method)
        return intercept + (moved if method == "mahalanobis" else moved - 1)

    weight = np.where(np.isnan(task.z), 0, task.weight) * (1 - np.eye(len(task.x)))
    ours = (weight / weight.sum() * np.nan_to_num(said(task.x) - task.z) ** 2).sum()
    assert ours == pytest.approx(expected, rel=1e-5)
    assert intercept == pytest.approx(constant if method == "mahalanobis" else 1 - constant, rel=1e-3, abs=1e-3)
    assert np.abs(w_of(model) - w).max() < 1e-3 * max(1, np.abs(w).max())
    np.testing.assert_allclose(task.predict(model), said(task.test), rtol=1e-5, atol=1e-5)


def test_only_matrices_have_an_intercept(tmp_path):
    task = Task(tmp_path, 1)
    task.matrix()
    task.fit("euclidean")
    said = helpers.refused("fit", tmp_path / "items.csv", *task.arguments, "--method", "euclidean", "--intercept", "-o",
                           tmp_path / "never")
    assert "--intercept means nothing to the method 'euclidean'" in said


# ---------------------------------------------------------------- data that a method explains

def test_bilinear_recovers_what_is_bilinear(tmp_path):
    helpers.run("simulate", "bilinear", "-n", 320, "--test", 200, "-o", tmp_path / "data")
    data = tmp_path / "data"
    helpers.run("fit", data / "items.csv", "--distances", data / "distances.npy", "--method", "bilinear", "-o",
                tmp_path / "m.smerf")
    scores = helpers.read_scores(helpers.run("evaluate", tmp_path / "m.smerf", data / "test-items.csv", "--distances",
                                             data / "test-distances.npy"))
    assert scores["rmse"] < 1e-6
    w = np.zeros((20, 20))
    w[:2, :2] = 0.25
    assert np.abs(w_of(tmp_path / "m.smerf") - w).max() < 1e-6


def test_mahalanobis_recovers_a_linear_response_without_noise(tmp_path):
    """The simulated regression data have noise in y; here y is the mean of the first two features itself."""
    helpers.run("simulate", "regression", "-n", 320, "--test", 200, "-o", tmp_path)
    for name in ("items", "test-items"):
        rows = helpers.read_rows((tmp_path / f"{name}.csv").read_text())
        x1, x2 = rows[0].index("x1"), rows[0].index("x2")
        lines = [[*row, repr((float(row[x1]) + float(row[x2])) / 2)] for row in rows[1:]]
        text = "\n".join(",".join(line) for line in [[*rows[0], "clean"], *lines])
        (tmp_path / f"{name}.csv").write_text(text + "\n")
    helpers.run("fit", tmp_path / "items.csv", "--response", "clean", "--method", "mahalanobis", "-o",
                tmp_path / "m.smerf")
    scores = helpers.read_scores(helpers.run("evaluate", tmp_path / "m.smerf", tmp_path / "test-items.csv",
                                             "--response", "clean"))
    assert scores["rmse"] < 1e-6
    w = np.zeros((20, 20))
    w[:2, :2] = 0.125  # half the squared difference
    assert np.abs(w_of(tmp_path / "m.smerf") - w).max() < 1e-6


# ---------------------------------------------------------------- euclidean, categories, missing values

def mixed_items(folder, rng, n=30):
    number = [None if rng.random() < 0.2 else float(v) for v in rng.normal(size=n)]
    second = [float(v) for v in rng.normal(size=n)]
    letter = [None if rng.random() < 0.2 else LEVELS[k] for k in rng.integers(0, 3, size=n)]
    letter[:3] = LEVELS
    helpers.save_items(folder / "items.csv", [Column("u", number), Column("v", second), Column("c", letter)])
    known = np.array([np.nan if v is None else v for v in number])
    hot = linear_oracle.one_hot(letter, LEVELS)
    is_known = np.array([c is not None for c in letter])
    hot[~is_known] = hot[is_known].mean(axis=0)
    return np.column_stack([np.where(np.isnan(known), np.nanmean(known), known), second, hot])


def test_euclidean_is_the_squared_distance_and_one_for_each_category_that_differs(tmp_path):
    x = mixed_items(tmp_path, np.random.default_rng(1))
    np.save(tmp_path / "z.npy", np.zeros((30, 30)))
    helpers.run("fit", tmp_path / "items.csv", "--distances", tmp_path / "z.npy", "--method", "euclidean", "-o",
                tmp_path / "m.smerf")
    helpers.run("predict", tmp_path / "m.smerf", tmp_path / "items.csv", "-o", tmp_path / "out.npy")
    apart = (x[:, None] - x[None]) ** 2
    np.testing.assert_allclose(np.load(tmp_path / "out.npy"), apart[:, :, :2].sum(2) + apart[:, :, 2:].sum(2) / 2,
                               rtol=1e-6)  # .npy files are float32


@pytest.mark.parametrize("method", METHODS)
def test_categories_are_one_hot_and_a_missing_value_is_the_mean(method, tmp_path):
    rng = np.random.default_rng(2)
    x = mixed_items(tmp_path, rng)
    z = given_distances(rng, x)
    np.save(tmp_path / "z.npy", z)
    helpers.run("fit", tmp_path / "items.csv", "--distances", tmp_path / "z.npy", "--method", method, "-o",
                tmp_path / "m.smerf")
    helpers.run("predict", tmp_path / "m.smerf", tmp_path / "items.csv", "-o", tmp_path / "out.npy")
    expected = distances(x, linear_oracle.solve(x, z, np.ones_like(z), method), method)
    assert np.abs(np.load(tmp_path / "out.npy") - expected).max() < 1e-5
