"""mahalanobis from triplets: a metric that gave the answers is found again, the optimum is scipy's, scores are those of plain sums, and parts
of a split hold what they should."""
import csv
import json

import numpy as np
import pytest
from safetensors.numpy import load_file
from scipy.optimize import minimize
from scipy.special import expit

import helpers
from linear_oracle import one_hot


def distances(x, w):
    apart = x[:, None] - x[None]
    return np.einsum("ija,ab,ijb->ij", apart, w, apart)


def draw(rng, d, m):
    """Triplets with the logistic chance of being right, and the share of the best possible answers."""
    t = rng.permuted(np.tile(np.arange(len(d)), (m, 1)), axis=1)[:, :3]
    margin = d[t[:, 0], t[:, 2]] - d[t[:, 0], t[:, 1]]
    wrong = rng.random(m) > expit(margin)
    t[wrong] = t[wrong][:, [0, 2, 1]]
    return t, expit(np.abs(margin)).mean()


def write_items(path, x, names=None):
    with open(path, "w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["id", *(names or [f"x{k}" for k in range(len(x[0]))])])
        rows.writerows([f"i{i}", *row] for i, row in enumerate(x))


def write_triplets(path, t, weight=None):
    with open(path, "w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["far", "Anchor", "NEAR"] + ([] if weight is None else ["weight"]))
        for k, (a, i, j) in enumerate(t):
            rows.writerow([f"i{j}", f"i{a}", f"i{i}"] + ([] if weight is None else [repr(float(weight[k]))]))


def fit(folder, *options, status=0):
    model = folder / "model.smerf"
    helpers.plain_run("fit", folder / "items.csv", "--triplets", folder / "t.csv", "--method", "mahalanobis",
                      "-o", model, *options, status=status)
    return model


def matrix_of(model):
    factor = load_file(model)["learned.factor"]
    n_columns = len(load_file(model)["learned.means"])
    f = factor.reshape(-1, n_columns)
    return f.T @ f


def info(model):
    return json.loads(helpers.run("info", model, "--json"))


# ---- what gave the answers is found ----


@pytest.mark.parametrize("seed", range(3))
def test_a_metric_is_found_from_noisy_answers(tmp_path, seed):
    rng = np.random.default_rng(seed)
    n, p = 80, 5
    factor = rng.normal(size=(p, 2)) * 0.7
    w = factor @ factor.T
    x, new = rng.normal(size=(n, p)), rng.normal(size=(60, p))
    t, _ = draw(rng, distances(x, w), 6000)
    write_items(tmp_path / "items.csv", x)
    write_triplets(tmp_path / "t.csv", t)
    model = fit(tmp_path)
    found, true = distances(new, matrix_of(model)), distances(new, w)
    upper = np.triu_indices(len(new), 1)
    assert np.corrcoef(found[upper], true[upper])[0, 1] > 0.98
    assert 0.8 < np.polyfit(true[upper], found[upper], 1)[0] < 1.25  # in log-odds, not only up to a scale
    test, best = draw(rng, true, 6000)
    (tmp_path / "new").mkdir()
    write_items(tmp_path / "new" / "items.csv", new)
    write_triplets(tmp_path / "new" / "t.csv", test)
    scores = json.loads(helpers.run("evaluate", model, tmp_path / "new" / "items.csv", "--triplets",
                                    tmp_path / "new" / "t.csv", "--json"))
    assert scores["in-order"] > best - 0.015
    told = info(model)
    assert told["target"] == "triplets" and told["unit"].startswith("log-odds")
    assert abs(told["held_out_in_order"] - scores["in-order"]) < 0.06  # other items


# ---- the optimum is scipy's ----


class Task:
    """Items of numbers, gaps and categories as a matrix of columns, and triplets with weights."""

    def __init__(self, folder, seed, n=30, m=400, has_categories=True, has_weights=True):
        rng = np.random.default_rng(seed)
        self.rng, self.folder = rng, folder
        numbers = rng.normal(size=(n, 3)) * [1, 20, 0.1] + [5, 0, 0]
        gaps = rng.random(numbers.shape) < 0.1
        columns = [numbers]
        rows = [["" if gap else repr(float(v)) for v, gap in zip(row, missing)] for row, missing in zip(numbers, gaps)]
        numbers[gaps] = np.nan
        numbers[:] = np.where(gaps, np.nanmean(numbers, axis=0), numbers)
        if has_categories:
            colour = rng.choice(["red", "green", "blue"], n)
            columns.append(one_hot(colour, sorted(set(colour))))
            rows = [[*row, c] for row, c in zip(rows, colour)]
        self.x = np.hstack(columns)
        hidden = distances(self.x / self.x.std(axis=0), np.diag(rng.random(self.x.shape[1])))
        self.t, _ = draw(rng, hidden * 0.7, m)
        self.t[: m // 5] = self.t[m // 5 : 2 * (m // 5)]  # repeats
        conflicts = rng.integers(m, size=m // 10)
        self.t[conflicts] = self.t[conflicts][:, [0, 2, 1]]
        self.weight = np.exp(rng.normal(size=m)) if has_weights else np.ones(m)
        write_items(folder / "items.csv", rows, [f"x{k}" for k in range(len(rows[0]))])
        write_triplets(folder / "t.csv", self.t, self.weight if has_weights else None)

    def frame(self):
        """Coordinates in which the ordered differences over all compared pairs, each counted once, have the identity as their mean
        outer product: the ridge is on A there."""
        pairs = {tuple(sorted(pair)) for a, i, j in self.t for pair in ((a, i), (a, j))}
        apart = np.array([self.x[i] - self.x[j] for i, j in pairs])
        values, vectors = np.linalg.eigh(apart.T @ apart / len(apart))
        keep = values > 1e-9 * values[-1]
        return vectors[:, keep] / np.sqrt(values[keep])

    def objective(self, y, a, ridge):
        d = distances(y, a)
        margin = d[self.t[:, 0], self.t[:, 2]] - d[self.t[:, 0], self.t[:, 1]]
        loss = np.logaddexp(0, -margin)
        return (self.weight * loss).sum() / self.weight.sum() + ridge / 2 * (a**2).sum()

    def solve(self, y, ridge):
        """W = L L^T, and L by scipy's quasi-Newton search."""
        p = y.shape[1]
        anchor, near, far = (y[self.t[:, c]] for c in range(3))
        d = np.einsum("ta,tb->tab", anchor - far, anchor - far) - np.einsum("ta,tb->tab", anchor - near, anchor - near)
        flat, weight = d.reshape(len(d), -1), self.weight / self.weight.sum()

        def cost(l):
            l = l.reshape(p, p)
            a = l @ l.T
            margin = flat @ a.ravel()
            g = ((-weight * expit(-margin)) @ flat).reshape(p, p) + ridge * a
            return (weight * np.logaddexp(0, -margin)).sum() + ridge / 2 * (a**2).sum(), (2 * (g + g.T) @ l).ravel()

        best = np.eye(p).ravel() * 0.3
        for _ in range(4):
            best = minimize(cost, best, jac=True, method="L-BFGS-B",
                            options={"maxiter": 20000, "maxfun": 40000, "ftol": 1e-16, "gtol": 1e-12, "maxcor": 40}).x
        return cost(best)[0]


@pytest.mark.parametrize("seed,options", [(0, {}), (1, {"has_weights": False}), (2, {"has_categories": False}),
                                          (3, {"m": 40}), (4, {"n": 8, "m": 60}), (5, {"m": 2000})])
def test_the_optimum_is_that_of_another_solver(tmp_path, seed, options):
    task = Task(tmp_path, seed, **options)
    model = fit(tmp_path)
    ridge = info(model)["ridge"]
    t = task.frame()
    y = (task.x - task.x.mean(axis=0)) @ t
    back = np.linalg.pinv(t)  # W = T A T'
    a = back @ matrix_of(model) @ back.T
    ours, theirs = task.objective(y, a, ridge), task.solve(y, ridge)
    assert ours <= theirs + 1e-6 and abs(ours - theirs) < 1e-5
    assert info(model)["kkt_residual"] < 1e-8


# ---- scores by plain sums ----


def score(d, t, weight):
    """In order, its standard error with the answers to one comparison together, log-loss, comparisons."""
    margin = d[t[:, 0], t[:, 2]] - d[t[:, 0], t[:, 1]]
    right = (margin > 0) + (margin == 0) / 2
    mean = (weight * right).sum() / weight.sum()
    groups = {}
    for (a, i, j), w, r in zip(t, weight, right):
        groups.setdefault((a, min(i, j), max(i, j)), []).append(w * (r - mean))
    n = len(groups)
    error = np.sqrt(sum(sum(g) ** 2 for g in groups.values()) * n / (n - 1)) / weight.sum()
    return mean, error, (weight * np.logaddexp(0, -margin)).sum() / weight.sum(), n


@pytest.mark.parametrize("method", ["mahalanobis", "euclidean", "standardized", "gower", "mean"])
def test_scores_are_those_of_plain_sums(tmp_path, method):
    task = Task(tmp_path, 7)
    model = tmp_path / "model.smerf"
    helpers.plain_run("fit", tmp_path / "items.csv", "--triplets", tmp_path / "t.csv", "--method", method, "-o", model)
    helpers.plain_run("predict", model, tmp_path / "items.csv", "-o", tmp_path / "d.npy")
    found = json.loads(helpers.run("evaluate", model, tmp_path / "items.csv", "--triplets", tmp_path / "t.csv", "--json"))
    d = np.array([[float(c) for c in row[1:]] for row in csv.reader(
        helpers.run("predict", model, tmp_path / "items.csv").splitlines()[1:])])
    mean, error, loss, n = score(d, task.t, task.weight)
    assert found["in-order"] == pytest.approx(mean, rel=1e-12)
    assert found["standard-error"] == pytest.approx(error, rel=1e-9, abs=1e-15)
    assert found["comparisons"]["scored"] == n
    if method == "mahalanobis":
        assert found["log-loss"] == pytest.approx(loss, rel=1e-12)
        assert found["by_chance"] == {"in-order": 0.5, "log-loss": pytest.approx(np.log(2), rel=1e-15)}
    else:
        assert found["log-loss"] is None and "log-loss" in found["why_not"] and found["by_chance"] == {"in-order": 0.5}


# ---- the odd one of three, threads, splits ----


def test_the_odd_one_of_three_is_two_triplets_of_half_the_weight(tmp_path):
    task = Task(tmp_path, 8)
    with open(tmp_path / "t.csv", "w") as file:
        file.write("odd,a,b,weight\n")
        file.writelines(f"i{j},i{a},i{i},{w!r}\n" for (a, i, j), w in zip(task.t, task.weight.tolist()))
    odd = matrix_of(fit(tmp_path))
    both = np.vstack([task.t, task.t[:, [1, 0, 2]]])
    write_triplets(tmp_path / "t.csv", both, np.tile(task.weight / 2, 2))
    assert np.allclose(odd, matrix_of(fit(tmp_path)), rtol=1e-9)


def test_any_number_of_threads_writes_the_same_bytes(tmp_path):
    Task(tmp_path, 9, n=60, m=3000)
    models = {fit(tmp_path, "--threads", n).read_bytes() for n in (1, 2, 5)}
    assert len(models) == 1


def lines(path):
    return path.read_text().splitlines()[1:]


def test_a_split_by_nodes_keeps_the_triplets_of_each_part(tmp_path):
    task = Task(tmp_path, 10)
    helpers.run("split", tmp_path / "items.csv", "--triplets", tmp_path / "t.csv", "--by", "nodes", "--train", 0.6,
                "-o", tmp_path / "parts")
    for part in ("train", "test"):
        items = {line.split(",")[0] for line in lines(tmp_path / "parts" / f"{part}-items.csv")}
        expected = [f"i{a},i{i},i{j},{w!r}" for (a, i, j), w in zip(task.t, task.weight.tolist())
                    if {f"i{a}", f"i{i}", f"i{j}"} <= items]
        assert lines(tmp_path / "parts" / f"{part}-triplets.csv") == expected


@pytest.mark.parametrize("form", ["anchor,near,far", "a,b,odd"])
def test_a_split_by_pairs_keeps_the_answers_to_one_comparison_together(tmp_path, form):
    task = Task(tmp_path, 11, n=8, has_weights=False)
    rows = [f"i{a},i{i},i{j}" for a, i, j in task.t]
    (tmp_path / "t.csv").write_text("\n".join([form, *rows]) + "\n")
    helpers.run("split", tmp_path / "items.csv", "--triplets", tmp_path / "t.csv", "--by", "pairs", "--train-pairs", 0.5,
                "-o", tmp_path / "parts")
    train, test = (lines(tmp_path / "parts" / f"{part}-triplets.csv") for part in ("train", "test"))

    def asked(row):
        a, i, j = row.split(",")
        return frozenset((a, i, j)) if form == "a,b,odd" else (a, frozenset((i, j)))

    assert sorted(train + test) == sorted(rows)
    first, second = set(map(asked, train)), set(map(asked, test))
    assert not first & second and abs(len(first) - len(second)) <= 1


def test_comparing_is_splitting_learning_and_evaluating_by_hand(tmp_path):
    Task(tmp_path, 12, n=40, m=1500)
    methods = ["mahalanobis", "euclidean", "standardized", "gower", "mean"]
    compared = json.loads(helpers.run("compare", tmp_path / "items.csv", "--triplets", tmp_path / "t.csv", "--repeats", 2,
                                      "--train", 0.6, "--seed", 5, "--json"))
    assert [one["method"] for one in compared["methods"]] == sorted(methods, key=["euclidean", "mahalanobis", "mean",
                                                                                 "standardized", "gower"].index)
    by_hand = {method: [] for method in methods}
    for seed in (5, 6):
        parts = tmp_path / f"parts{seed}"
        helpers.run("split", tmp_path / "items.csv", "--triplets", tmp_path / "t.csv", "--by", "nodes", "--train", 0.6,
                    "--seed", seed, "-o", parts)
        for method in methods:
            model = parts / "model"
            helpers.plain_run("fit", parts / "train-items.csv", "--triplets", parts / "train-triplets.csv", "--method",
                              method, "--seed", seed, "-o", model)
            by_hand[method].append(json.loads(helpers.run("evaluate", model, parts / "test-items.csv", "--triplets",
                                                          parts / "test-triplets.csv", "--json"))["in-order"])
    for one in compared["methods"]:
        values = by_hand[one["method"]]
        assert one["in-order"]["mean"] == pytest.approx(np.mean(values), rel=1e-12)
        assert one["in-order"]["se"] == pytest.approx(np.std(values, ddof=1) / np.sqrt(2), rel=1e-9, abs=1e-15)
