"""Boosting on pairs: against an independent program (boost_oracle.py), tree by tree; and what must hold of its bags."""
import numpy as np
import pytest
import safetensors

import boost_oracle
import helpers


def column(rng, n, kind):
    """(values as the oracle wants them, cells of a file)"""
    if kind == "category":
        codes = rng.integers(0, 3, n).astype(float)
        return (codes + 1, True), ["abc"[int(c)] for c in codes]
    if kind == "holes in a category":
        codes = np.where(rng.random(n) < 0.2, np.nan, rng.integers(0, 3, n).astype(float))
        return (codes + 1, True), ["" if np.isnan(c) else "abc"[int(c)] for c in codes]
    values = {"number": rng.normal(size=n), "holes": np.where(rng.random(n) < 0.25, np.nan, rng.normal(size=n)),
              "constant": np.full(n, 2.5), "ties": rng.integers(0, 4, n).astype(float)}[kind]
    return (values, False), ["" if np.isnan(v) else repr(float(v)) for v in values]


def write_items(path, cells):
    rows = ["id," + ",".join(f"f{k}" for k in range(len(cells)))]
    rows += [f"i{r}," + ",".join(row) for r, row in enumerate(zip(*cells))]
    path.write_text("\n".join(rows) + "\n")


def distances(rng, features, noise=0.3):
    n = len(features[0][0])
    z = np.zeros((n, n))
    for values, is_category in features:
        filled = np.nan_to_num(values, nan=0.5)
        z += (filled[:, None] != filled[None, :]) if is_category else abs(filled[:, None] - filled[None, :])
    z += abs(filled[:, None] + filled[None, :]) + noise * rng.random((n, n))
    z = np.triu(z, 1)
    return (z + z.T).astype(np.float32)


def options(**changed):
    plain = {"rounds": 6, "leaves": 6, "min_leaf": 4, "rate": 0.3, "l2": 0.0, "least_hessian": 0.0, "loss": "squared"}
    return {**plain, **changed}


def fit(folder, target, group, asked, name="model"):
    model = folder / f"{name}.smerf"
    helpers.plain_run("fit", folder / "items.csv", *target, "-o", model, "--method", "boost", "--bags", 0,
                      "--rounds", asked["rounds"], "--leaves", asked["leaves"], "--min-leaf", asked["min_leaf"],
                      "--learning-rate", asked["rate"], "--l2", asked["l2"], "--loss", asked["loss"],
                      "--pair-features", group, "--quiet")
    return model


def predicted(folder, model):
    helpers.plain_run("predict", model, folder / "items.csv", "-o", folder / "p.npy", "--quiet")
    return np.load(folder / "p.npy")


def trees_of(model):
    """[[(feature, kind, threshold or set, missing goes left, left, right)]], [values of leaves]"""
    with safetensors.safe_open(str(model), framework="numpy") as file:
        a = {name.removeprefix("learned."): file.get_tensor(name) for name in file.keys() if name.startswith("learned.")}
    trees, leaves, split, value, n_set = [], [], 0, 0, 0
    for n in a["n_splits"]:
        tree = []
        for s in range(split, split + n):
            kind, missing_left = a["what"][s] & 127, bool(a["what"][s] & 128)
            feature, told = a["feature"][s], a["threshold"][s]
            if a["threshold"][s] == 0 and kind in (4, 5, 7) and feature in SETS:
                words = a["set"][8 * n_set:8 * n_set + 8]
                told = {32 * w + b for w in range(8) for b in range(32) if words[w] >> b & 1}
                n_set += 1
            tree.append((int(feature), int(kind), told, missing_left, *a["child"][2 * s:2 * s + 2]))
        trees.append(tree)
        leaves.append(a["value"][value:value + n + 1])
        split, value = split + n, value + n + 1
    return trees, leaves


SETS = set()  # features that are categories, of the case at hand


def assert_same_trees(model, oracle):
    trees, leaves = trees_of(model)
    assert len(trees) == len(oracle.trees)
    for tree, values, nodes in zip(trees, leaves, oracle.trees):
        inner = [k for k, node in enumerate(nodes) if node.children is not None]
        outer = [k for k, node in enumerate(nodes) if node.children is None]
        assert len(inner) == len(tree)
        np.testing.assert_allclose(values, [nodes[k].value for k in outer], rtol=1e-6, atol=1e-9)
        for k, (feature, kind, told, missing_left, left, right) in zip(inner, tree):
            _, c, _, expected = nodes[k].split
            wanted = oracle.columns[c]
            assert (feature, kind) == (wanted.feature, wanted.kind)
            if wanted.is_set:
                assert told == expected
            else:
                assert abs(told - expected[0]) <= 1e-12 * (1 + abs(told))
                assert missing_left == expected[1]
            for child, at in ((left, nodes[k].children[0]), (right, nodes[k].children[1])):
                is_leaf = bool(child & 0x80000000)
                assert is_leaf == (nodes[at].children is None)
                index = child & 0x7fffffff
                assert (outer if is_leaf else inner)[index] == at


CASES = {
    "numbers": ["number", "number", "number"],
    "missing": ["number", "holes", "holes"],
    "levels": ["number", "category", "holes in a category"],
    "ties and constants": ["ties", "constant", "number"],
}


@pytest.mark.parametrize("group", ["difference", "ends", "items", "all"])
@pytest.mark.parametrize("case", CASES)
def test_trees_are_those_of_the_brute_force_program(tmp_path, case, group):
    rng = np.random.default_rng(11)
    made = [column(rng, 16, kind) for kind in CASES[case]]
    features = [m[0] for m in made]
    SETS.clear()
    SETS.update(f for f, (_, is_category) in enumerate(features) if is_category)
    write_items(tmp_path / "items.csv", [m[1] for m in made])
    z = distances(rng, features)
    np.save(tmp_path / "z.npy", z)
    asked = options(l2=0.5 if group == "ends" else 0.0)
    model = fit(tmp_path, ("--distances", tmp_path / "z.npy"), group, asked)
    oracle = boost_oracle.Booster(features, z.astype(float), group, asked)
    i, j = np.triu_indices(16, 1)
    if case == "numbers" or (case == "levels" and group == "difference"):  # nowhere two splits are equally good
        assert_same_trees(model, oracle)
    found = predicted(tmp_path, model)[i, j]
    expected = oracle.predict(features, i, j)
    assert found.std() > 0.1
    if case != "ties and constants":
        np.testing.assert_allclose(found, expected, atol=1e-6)
    else:  # of equally good splits either may be taken: then both fit as well
        assert abs(((found - z[i, j]) ** 2).mean() / ((expected - z[i, j]) ** 2).mean() - 1) < 0.05


def test_weights_of_items_and_of_pairs_count(tmp_path):
    rng = np.random.default_rng(5)
    made = [column(rng, 15, "number") for _ in range(3)]
    features = [m[0] for m in made]
    weight = rng.uniform(0.2, 3, 15)
    write_items(tmp_path / "items.csv", [m[1] for m in made] + [[repr(float(w)) for w in weight]])
    z, omega = distances(rng, features), np.zeros((15, 15))
    i, j = np.triu_indices(15, 1)
    known = rng.random(len(i)) < 0.8
    lines = ["i,j,distance,weight"]
    for a, b in zip(i[known], j[known]):
        omega[a, b] = rng.uniform(0.1, 2)
        lines.append(f"i{a},i{b},{float(z[a, b])!r},{float(omega[a, b])!r}")
    (tmp_path / "pairs.csv").write_text("\n".join(lines) + "\n")
    omega += omega.T
    asked = options(min_leaf=5)
    model = fit(tmp_path, ("--pairs", tmp_path / "pairs.csv", "--item-weights", "f3"), "difference", asked)
    oracle = boost_oracle.Booster(features, z.astype(float), "difference", asked,
                                  pair_weight=omega * weight[:, None] * weight[None, :], known=omega > 0)
    # thresholds lie between values of all pairs of items, known or not
    np.testing.assert_allclose(predicted(tmp_path, model)[i, j], oracle.predict(features, i, j), atol=2e-5)


def test_labels_have_the_logistic_loss(tmp_path):
    rng = np.random.default_rng(8)
    made = [column(rng, 16, "number") for _ in range(2)]
    features = [m[0] for m in made]
    labels = np.where(features[0][0] + 0.4 * rng.normal(size=16) > 0, "up", "down")
    write_items(tmp_path / "items.csv", [m[1] for m in made] + [list(labels)])
    z = (labels[:, None] != labels[None, :]).astype(float)
    asked = options(loss="logistic", least_hessian=1e-3)
    for group in ("difference", "all"):
        model = fit(tmp_path, ("--labels", "f2"), group, asked)
        oracle = boost_oracle.Booster(features, z, group, asked)
        i, j = np.triu_indices(16, 1)
        found = predicted(tmp_path, model)[i, j]
        assert ((found > 0) & (found < 1)).all()
        np.testing.assert_allclose(found, oracle.predict(features, i, j), atol=2e-6)


def test_two_items_have_their_distance(tmp_path):
    (tmp_path / "items.csv").write_text("x\n1\n2\n")
    (tmp_path / "z.csv").write_text("0,3\n3,0\n")
    for more in ([], ["--bags", 0, "--rounds", 5, "--pair-features", "all"]):
        helpers.plain_run("fit", tmp_path / "items.csv", "--distances", tmp_path / "z.csv", "--method", "boost", *more,
                          "-o", tmp_path / "m.smerf", "--quiet")
        assert predicted(tmp_path, tmp_path / "m.smerf")[0, 1] == 3


def test_shuffled_distances_are_not_predicted_out_of_bag(tmp_path):
    rng = np.random.default_rng(4)
    made = [column(rng, 60, "number") for _ in range(4)]
    write_items(tmp_path / "items.csv", [m[1] for m in made])
    z = distances(rng, [m[0] for m in made])
    i, j = np.triu_indices(60, 1)
    scores = {}
    for name, order in (("as they are", np.arange(60)), ("shuffled", rng.permutation(60))):
        known = z[np.ix_(order, order)]
        np.save(tmp_path / "z.npy", known)
        model = tmp_path / "m.smerf"
        helpers.plain_run("fit", tmp_path / "items.csv", "--distances", tmp_path / "z.npy", "--method", "boost", "-o",
                          model, "--most-rounds", 100, "--pair-features", "difference", "--quiet")
        helpers.plain_run("predict", model, tmp_path / "items.csv", "--oob", "-o", tmp_path / "p.npy", "--quiet")
        found = np.load(tmp_path / "p.npy")
        assert np.isfinite(found[i, j]).all() and (found == found.T).all()
        rmse = np.sqrt(((found - known)[i, j] ** 2).mean()) / known[i, j].std()
        scores[name] = rmse, np.corrcoef(found[i, j], known[i, j])[0, 1]
    assert scores["as they are"][0] < 0.6 and scores["as they are"][1] > 0.8
    assert scores["shuffled"][0] > 0.97 and abs(scores["shuffled"][1]) < 0.2


def test_it_is_as_good_as_histogram_boosting_on_the_same_features(tmp_path):
    ensemble = pytest.importorskip("sklearn.ensemble")
    rng = np.random.default_rng(2)
    x = rng.random((180, 5))
    z = np.sqrt(((x[:, None, :3] - x[None, :, :3]) ** 2).sum(-1)).astype(np.float32)
    train, test = np.arange(120), np.arange(120, 180)
    rows = [[repr(float(v)) for v in x[train, f]] for f in range(5)]
    write_items(tmp_path / "items.csv", rows)
    write_items(tmp_path / "new.csv", [[repr(float(v)) for v in x[test, f]] for f in range(5)])
    np.save(tmp_path / "z.npy", np.ascontiguousarray(z[np.ix_(train, train)]))
    asked = options(rounds=80, leaves=31, min_leaf=20, rate=0.1)
    model = fit(tmp_path, ("--distances", tmp_path / "z.npy"), "difference", asked)
    helpers.plain_run("predict", model, tmp_path / "new.csv", "-o", tmp_path / "p.npy", "--quiet")

    def features(items):
        i, j = np.triu_indices(len(items), 1)
        a, b = x[items][i], x[items][j]
        return np.hstack([abs(a - b), (a + b) / 2]), z[np.ix_(items, items)][i, j], i, j

    known, response, _, _ = features(train)
    new, truth, i, j = features(test)
    other = ensemble.HistGradientBoostingRegressor(max_iter=80, max_leaf_nodes=31, min_samples_leaf=20, learning_rate=0.1,
                                                   early_stopping=False).fit(known, response)
    theirs = np.sqrt(((other.predict(new) - truth) ** 2).mean())
    ours = np.sqrt(((np.load(tmp_path / "p.npy")[i, j] - truth) ** 2).mean())
    assert ours < 1.03 * theirs
