"""cluster against NumPy and scikit-learn: costs, assignments, silhouettes of predicted matrices; all targets and methods."""
import json

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.metrics import silhouette_samples

import cases
import helpers
import targets
import test_neighbors
import test_targets


def predicted(folder, model, items, *options):
    """Distances in float32, from one triangle; an item is at 0 from itself."""
    helpers.run("predict", model, items, "-o", folder / "p.npy", *options)
    z = np.triu(np.load(folder / "p.npy").astype(np.float32), 1)
    return (z + z.T).astype(np.float64)


def cluster(model, items, names, *options):
    """JSON and CSV tell the same."""
    told = json.loads(helpers.run("cluster", model, items, "--json", *options))
    rows = helpers.read_table(helpers.run("cluster", model, items, "--silhouettes", *options))
    assert [row["item"] for row in rows] == list(names) == [item["item"] for item in told["items"]]
    place = {name: i for i, name in enumerate(names)}
    cluster = np.array([int(row["cluster"]) for row in rows]) - 1
    medoid = np.array([place[row["medoid"]] for row in rows])
    silhouette = np.array([helpers.to_number(row["silhouette"]) for row in rows])
    assert [item["cluster"] - 1 for item in told["items"]] == list(cluster)
    assert [c["size"] for c in told["clusters"]] == list(np.bincount(cluster)) and len(told["clusters"]) == told["k"]
    assert [place[c["medoid"]] for c in told["clusters"]] == [medoid[list(cluster).index(c)] for c in range(told["k"])]
    return told, cluster, medoid, silhouette


def cost_of(z, medoids):
    """Of any set of medoids: every other item is counted to the nearest."""
    others = np.setdiff1d(np.arange(len(z)), medoids)
    return z[np.ix_(others, medoids)].min(axis=1).sum()


def assert_medoids(z, told, cluster, medoid):
    medoids, scale = np.unique(medoid), np.abs(z).sum() + 1e-30
    assert len(medoids) == told["k"] and (medoid[medoids] == medoids).all()
    assert told["cost"] == pytest.approx(cost_of(z, medoids), abs=1e-12 * scale)
    first = [list(cluster).index(c) for c in range(told["k"])]
    assert first == sorted(first)
    for i in np.setdiff1d(np.arange(len(z)), medoids):  # the nearest, the first of several
        assert medoid[i] == medoids[np.argmin(z[i, medoids])]
    if len(medoids) > 1:
        for leaving in medoids:  # no swap lowers the cost
            for coming in np.setdiff1d(np.arange(len(z)), medoids):
                swapped = np.append(medoids[medoids != leaving], coming)
                assert cost_of(z, swapped) >= told["cost"] - 1e-12 * scale


def assert_silhouettes(z, told, cluster, silhouette):
    if 1 < told["k"] < len(z):
        counted = z - min(0, z.min())
        np.fill_diagonal(counted, 0)
        expected = silhouette_samples(counted, cluster, metric="precomputed")
        assert silhouette == pytest.approx(expected, abs=1e-9)
        assert told["silhouette"] == pytest.approx(expected.mean(), abs=1e-9)
    elif told["k"] == 1:
        assert told["silhouette"] is None and np.isnan(silhouette).all()
    else:
        assert (silhouette == 0).all()


def assert_clusters(folder, model, items, names):
    z = predicted(folder, model, items)
    for k in sorted({k for k in (1, 2, 3, 5, len(z)) if k <= len(z)}):
        told, cluster_of, medoid, silhouette = cluster(model, items, names, "-k", k, "--threads", 1 + k % 3)
        assert told["k"] == k
        assert_medoids(z, told, cluster_of, medoid)
        assert_silhouettes(z, told, cluster_of, silhouette)
    if len(z) < 3:
        return
    most = min(6, len(z) - 1)
    told, cluster_of, medoid, silhouette = cluster(model, items, names, "-k", "auto", "--most-k", most)
    tried = {one["k"]: one["silhouette"] for one in told["tried"]}
    assert list(tried) == list(range(2, most + 1)) and told["silhouette"] == max(tried.values()) == tried[told["k"]]
    assert_medoids(z, told, cluster_of, medoid)
    assert_silhouettes(z, told, cluster_of, silhouette)


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("kind", targets.KINDS)
def test_every_target_has_clusters(kind, seed, tmp_path):
    task = test_targets.make_task(kind, seed)
    model, _ = test_targets.fit_both(tmp_path, task)
    assert_clusters(tmp_path, model, tmp_path / "items.csv", task.target.names())


@pytest.mark.parametrize("method", test_neighbors.METHODS)
def test_every_method_has_clusters(method, tmp_path):
    case = cases.make_case("distinct values", 910, n=20)
    helpers.save_case(tmp_path, case)
    (tmp_path / "edges.csv").write_text("source,target\n" + "".join(f"{i},{(i * 7 + 3) % 20}\n" for i in range(9)))
    words = [tmp_path / w if str(w).endswith(("npy", "csv")) else w for w in test_neighbors.METHODS[method]]
    model = tmp_path / "model.smerf"
    helpers.run("fit", tmp_path / "items.csv", "--method", method, *words, "-o", model)
    assert_clusters(tmp_path, model, tmp_path / "items.csv", [str(i) for i in range(case.n)])


@pytest.mark.parametrize("rule", ["", "--oob-rule both", "--oob-rule either"])
def test_out_of_bag_they_are_those_of_the_out_of_bag_matrix(rule, tmp_path):
    """Of labels that are noise, seen items make neat clusters and unseen ones none."""
    rng, n = np.random.default_rng(3), 60
    rows = [",".join(f"{v:.4f}" for v in x) + f",{rng.choice(list('abc'))}" for x in rng.normal(size=(n, 4))]
    items, model = tmp_path / "items.csv", tmp_path / "model.smerf"
    items.write_text("a,b,c,d,y\n" + "\n".join(rows) + "\n")
    helpers.run("fit", items, "--labels", "y", "--trees", "200", "-o", model)
    options = ["--oob", *rule.split()]
    z, mean = predicted(tmp_path, model, items, *options), {}
    for k in (2, 3, 7):
        told, cluster_of, medoid, silhouette = cluster(model, items, [str(i) for i in range(n)], "-k", k, *options)
        assert_medoids(z, told, cluster_of, medoid)
        assert_silhouettes(z, told, cluster_of, silhouette)
        mean[k] = told["silhouette"]
    seen = cluster(model, items, [str(i) for i in range(n)], "-k", 3)[0]
    assert seen["silhouette"] > 0.4 and mean[3] < 0.2


def some_clouds(seed, n=240):
    """Items in six clouds, with a response and labels that tell them apart, nearly."""
    rng = np.random.default_rng(seed)
    cloud = rng.integers(6, size=n)
    x = rng.normal(size=(6, 4))[cloud] * 3 + rng.normal(size=(n, 4))
    rows = [[f"{v:.6f}" for v in xs] + [f"c{c}", f"{c + rng.normal() / 3:.6f}"] for xs, c in zip(x, cloud)]
    return "a,b,c,d,label,y\n" + "".join(",".join(row) + "\n" for row in rows)


@pytest.mark.parametrize("target", ["--labels label --ignore y", "--response y --ignore label",
                                    "--product a,b --ignore y,label"])
@pytest.mark.parametrize("k", [2, 4, 6, 11])
def test_means_are_as_good_as_those_of_scikit_learn(target, k, tmp_path):
    items, model = tmp_path / "items.csv", tmp_path / "model.smerf"
    items.write_text(some_clouds(k))
    helpers.run("fit", items, *target.split(), "--trees", 30, "-o", model)
    helpers.run("embed", model, items, "--vectors", "--queries", "-o", tmp_path / "v.npy")
    x = np.load(tmp_path / "v.npy").astype(float)
    told, cluster_of, medoid, silhouette = cluster(model, items, [str(i) for i in range(len(x))], "-k", k, "--means")
    centres = np.array([x[cluster_of == c].mean(axis=0) for c in range(k)])
    squared = ((x[:, None, :] - centres[None]) ** 2).sum(axis=2)
    own = squared[np.arange(len(x)), cluster_of]
    assert told["by"] == "means" and told["cost"] == pytest.approx(own.sum(), rel=1e-6)
    assert own == pytest.approx(squared.min(axis=1), abs=1e-6 * squared.max())
    assert own[medoid] == pytest.approx([own[cluster_of == c].min() for c in cluster_of], abs=1e-6 * squared.max())
    others = np.where(np.arange(k)[None] == cluster_of[:, None], np.inf, squared).min(axis=1)
    expected = np.where(np.bincount(cluster_of)[cluster_of] > 1, 1 - own / others, 0)
    assert silhouette == pytest.approx(expected, abs=1e-6)
    theirs = KMeans(k, n_init=10, random_state=0).fit(x)
    assert told["cost"] <= 1.03 * theirs.inertia_


def test_seeds_and_threads(tmp_path):
    items, model = tmp_path / "items.csv", tmp_path / "model.smerf"
    items.write_text(some_clouds(1))
    helpers.run("fit", items, "--labels", "label", "--trees", 20, "-o", model)
    for way in ([], ["--means"]):
        def ask(*options):
            return helpers.run("cluster", model, items, "-k", "auto", "--json", *way, *options)
        assert ask() == ask("--threads", 3) == ask("--seed", 1)
        assert json.loads(ask("--seed", 5))["k"] == json.loads(ask())["k"] == 6
