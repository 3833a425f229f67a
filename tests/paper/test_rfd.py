"""A forest on pairs of items is scikit-learn's regression forest on the same pair features."""
import numpy as np
import pytest
from sklearn.ensemble import RandomForestRegressor
from sklearn.tree import DecisionTreeRegressor

import helpers
from oracle import Column

ONE_TREE = ["--sample", "none", "--candidates", "all", "--trees", 1]


def pair_features(x, y):
    """|x - y| and (x + y) / 2 of every number, next to each other."""
    both = np.stack([np.abs(x - y), (x + y) / 2], axis=-1)
    return both.reshape(*both.shape[:-2], -1)


def upper(x):
    i, j = np.triu_indices(len(x), 1)
    return i, j, pair_features(x[i], x[j])


def fit(folder, x, z, *options, name="model", weights=None):
    columns = [Column(f"f{k}", x[:, k].tolist()) for k in range(x.shape[1])]
    helpers.save_items(folder / "items.csv", columns, weights=weights)
    np.save(folder / "z.npy", z)
    more = ["--item-weights", "w"] if weights is not None else []
    model = folder / f"{name}.smerf"
    helpers.run("fit", folder / "items.csv", "--distances", folder / "z.npy", "--method", "rfd", "-o", model, *options,
                *more)
    return model


def predict(folder, model, x):
    helpers.save_items(folder / "asked.csv", [Column(f"f{k}", x[:, k].tolist()) for k in range(x.shape[1])])
    helpers.run("predict", model, folder / "asked.csv", "-o", folder / "predicted.npy")
    return np.load(folder / "predicted.npy")


def their_square(forest, x):
    n, i, j = len(x), *np.triu_indices(len(x))
    values = forest.predict(pair_features(x[i], x[j]))
    square = np.empty((n, n))
    square[i, j] = square[j, i] = values
    return square


def without_ties(rng, n, p):
    """No two pairs have the same difference or the same mean, and float32 holds them all (scikit-learn keeps no more)."""
    golomb = [0]
    while len(golomb) < n:  # a Sidon set: all sums of two differ, and so do all differences
        candidate = golomb[-1] + 1
        taken = {abs(a - b) for a in golomb for b in golomb if a != b}
        while {candidate - a for a in golomb} & taken:
            candidate += 1
        golomb.append(candidate)
    marks = np.array(golomb, float)
    return np.column_stack([rng.permutation(marks) for _ in range(p)])


def distances(rng, x):
    score = x[:, 0] / x.max() - np.sin(x[:, -1] / x.max() * 5)
    z = np.abs(score[:, None] - score[None, :]) + 0.05 * rng.random((len(x), len(x)))
    z = np.triu(z, 1).astype(np.float32)
    return z + z.T


@pytest.mark.parametrize("n, p", [(4, 1), (10, 2), (18, 3)])
@pytest.mark.parametrize("min_parent", [2, 12])
def test_one_tree_predicts_what_the_regression_tree_on_pairs_predicts(n, p, min_parent, tmp_path):
    rng = np.random.default_rng([n, p])
    x = without_ties(rng, n, p)
    z = distances(rng, x)
    model = fit(tmp_path, x, z, *ONE_TREE, "--min-parent", min_parent)
    i, j, features = upper(x)
    # two features may part a node alike, and scikit-learn then takes any: trees that never had the choice must agree
    theirs = [their_square(DecisionTreeRegressor(min_samples_split=min_parent, random_state=s)
                           .fit(features, z[i, j]), x) for s in range(12)]
    agreed = np.ptp(theirs, axis=0) < 1e-9
    assert agreed[i, j].mean() > 0.5
    assert np.allclose(predict(tmp_path, model, x)[agreed], theirs[0][agreed], rtol=1e-6)


def test_weights_of_items_become_weights_of_pairs(tmp_path):
    rng = np.random.default_rng(5)
    x = without_ties(rng, 14, 2)
    z, weights = distances(rng, x), rng.integers(1, 5, 14).astype(float)
    model = fit(tmp_path, x, z, *ONE_TREE, "--max-depth", 2, weights=weights.tolist())
    i, j, features = upper(x)
    tree = DecisionTreeRegressor(max_depth=2, random_state=1).fit(features, z[i, j], sample_weight=weights[i] * weights[j])
    assert np.allclose(predict(tmp_path, model, x), their_square(tree, x), rtol=1e-6)


def test_links_become_probabilities(tmp_path):
    rng = np.random.default_rng(6)
    x = without_ties(rng, 16, 2)
    links = [(a, b) for a in range(16) for b in range(a) if abs(x[a, 0] - x[b, 0]) < 40 or rng.random() < 0.1]
    helpers.save_items(tmp_path / "items.csv", [Column("f0", x[:, 0].tolist()), Column("f1", x[:, 1].tolist())])
    (tmp_path / "edges.csv").write_text("source,target\n" + "".join(f"{a},{b}\n" for a, b in links))
    helpers.run("fit", tmp_path / "items.csv", "--edges", tmp_path / "edges.csv", "--method", "rfd", *ONE_TREE,
                "--max-depth", 1, "-o", tmp_path / "model.smerf")
    z = np.ones((16, 16))
    for a, b in links:
        z[a, b] = z[b, a] = 0
    i, j, features = upper(x)
    tree = DecisionTreeRegressor(max_depth=1, random_state=1).fit(features, z[i, j])
    assert np.allclose(predict(tmp_path, tmp_path / "model.smerf", x), their_square(tree, x), rtol=1e-6)


@pytest.mark.parametrize("kind", ["regression", "bilinear", "radial"])
def test_a_forest_is_as_good_as_scikit_learns(kind, tmp_path):
    """On the paper's data: the error of both on new items, over three seeds each."""
    helpers.run("simulate", kind, "-n", 50, "--test", 100, "-o", tmp_path)
    x, test = (np.loadtxt(tmp_path / f"{name}.csv", delimiter=",", skiprows=1) for name in ["items", "test-items"])
    z, truth = np.load(tmp_path / "distances.npy"), np.load(tmp_path / "test-distances.npy")
    i, j, features = upper(x)
    k, l = np.triu_indices(len(test), 1)
    ours, theirs = [], []
    for seed in range(3):
        model = tmp_path / "model.smerf"
        helpers.run("fit", tmp_path / "items.csv", "--distances", tmp_path / "distances.npy", "--method", "rfd", "--seed",
                    seed, "--trees", 100, "-o", model)
        ours.append(np.sqrt(np.mean((predict_file(tmp_path, model)[k, l] - truth[k, l]) ** 2)))
        forest = RandomForestRegressor(100, max_features=27, random_state=seed, n_jobs=1).fit(features, z[i, j])
        theirs.append(np.sqrt(np.mean((forest.predict(pair_features(test[k], test[l])) - truth[k, l]) ** 2)))
    assert abs(np.mean(ours) - np.mean(theirs)) < 0.02 * np.mean(theirs) + 4 * np.std(theirs), (ours, theirs)


def predict_file(folder, model):
    helpers.run("predict", model, folder / "test-items.csv", "-o", folder / "predicted.npy")
    return np.load(folder / "predicted.npy")


def test_of_many_pairs_some_are_drawn(tmp_path):
    rng = np.random.default_rng(8)
    x = rng.normal(size=(30, 3))
    z = distances(rng, x)
    all_of_them = fit(tmp_path, x, z, "--trees", 3)
    more = fit(tmp_path, x, z, "--trees", 3, "--sample-pairs", 1000, name="more")
    some = fit(tmp_path, x, z, "--trees", 3, "--sample-pairs", 100, name="some")
    again = fit(tmp_path, x, z, "--trees", 3, "--sample-pairs", 100, name="again")
    assert np.array_equal(predict(tmp_path, all_of_them, x), predict(tmp_path, more, x))
    assert some.read_bytes() == again.read_bytes()
    assert "pairs            100" in helpers.run("info", some) and "pairs known      435" in helpers.run("info", some)
