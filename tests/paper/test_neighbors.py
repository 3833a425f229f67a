"""neighbors against the sorted rows of predict: every kind of target, every method, ties, radii and graphs."""
import csv
import io

import numpy as np
import pytest
import scipy.io
import sklearn.cluster

import cases
import helpers
import targets
import test_targets

Z, EDGES, FEW = ["--distances", "z.npy"], ["--edges", "edges.csv"], ["--burn", 4, "--draws", 4, "--factors", 3]
METHODS = {"euclidean": Z, "mahalanobis": Z, "bilinear": Z, "rfd": [*Z, "--trees", 5],
           "plugin": ["--response", "f0", "--trees", 5], "epm": [*EDGES, *FEW], "narm": [*EDGES, *FEW]}


def predicted(model, queries, items):
    """Distances as written: the shortest text that reads back."""
    rows = list(csv.reader(io.StringIO(helpers.run("predict", model, queries, "--against", items))))
    has_ids = rows[0][0] == ""
    return np.array([[float(cell) for cell in row[has_ids:]] for row in rows[has_ids:]])


def sorted_by_hand(distances, k, radius, is_own):
    """(query, rank, item, distance) from near to far, ties in the order of the items."""
    found = []
    for q, row in enumerate(distances):
        near = [j for j in np.argsort(row, kind="stable") if row[j] <= radius and not (is_own and j == q)]
        found += [(q, r + 1, j, row[j]) for r, j in enumerate(near[:k])]
    return found


def neighbors(model, items, *options, names):
    place = {name: i for i, name in enumerate(names)}
    lines = list(csv.reader(io.StringIO(helpers.run("neighbors", model, "--items", items, *options))))
    assert lines[0] == ["item", "rank", "neighbor", "distance"]
    return [(place[i], int(r), place[j], float(d)) for i, r, j, d in lines[1:]]


def assert_found(model, items, names, k=5):
    distances = predicted(model, items, items)
    n, radius = len(distances), np.median(distances)
    for threads in (1, 3):
        def ask(*options):
            return neighbors(model, items, *options, "--threads", threads, names=names)
        assert ask("-k", k) == sorted_by_hand(distances, k, np.inf, True)
        assert ask("-k", n + 7) == sorted_by_hand(distances, n, np.inf, True)
        assert ask("--radius", repr(float(radius))) == sorted_by_hand(distances, n, radius, True)
        assert ask("-k", k, "--queries", items) == sorted_by_hand(distances, k, np.inf, False)


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("kind", targets.KINDS)
def test_every_target_has_the_neighbors_that_predict_has(kind, seed, tmp_path):
    task = test_targets.make_task(kind, seed)
    model, _ = test_targets.fit_both(tmp_path, task)
    assert_found(model, tmp_path / "items.csv", task.target.names())


@pytest.mark.parametrize("method", METHODS)
def test_every_method_has_the_neighbors_that_predict_has(method, tmp_path):
    case = cases.make_case("distinct values", 900, n=20)
    helpers.save_case(tmp_path, case)
    (tmp_path / "edges.csv").write_text("source,target\n" + "".join(f"{i},{(i * 7 + 3) % 20}\n" for i in range(9)))
    words = [tmp_path / w if str(w).endswith(("npy", "csv")) else w for w in METHODS[method]]
    model = tmp_path / "model.smerf"
    helpers.run("fit", tmp_path / "items.csv", "--method", method, *words, "-o", model)
    assert_found(model, tmp_path / "items.csv", [str(i) for i in range(case.n)])


def test_scipy_reads_the_graph(tmp_path):
    case = cases.make_case("mixed", 901, n=20)
    model = helpers.fit(tmp_path, case, "--trees", 5)
    items = tmp_path / "items.csv"
    helpers.run("neighbors", model, "--items", items, "-k", 3, "--graph", tmp_path / "near.mtx")
    graph = scipy.io.mmread(tmp_path / "near.mtx").tocoo()
    expected = sorted_by_hand(predicted(model, items, items), 3, np.inf, True)
    assert graph.shape == (20, 20)
    assert list(zip(graph.row, graph.col, graph.data)) == [(q, j, d) for q, _, j, d in expected]


@pytest.mark.parametrize("eps", [0.1, 0.4])
def test_dbscan_takes_the_graph(eps, tmp_path):
    """The clusters of the whole matrix, whose diagonal DBSCAN takes to be 0."""
    rng = np.random.default_rng(3)
    x = np.concatenate([rng.normal(centre, 0.3, size=(30, 2)) for centre in (0, 2, 5)])
    lines = [f"{a!r},{b!r},{'abc'[i // 30]}" for i, (a, b) in enumerate(x.tolist())]
    (tmp_path / "items.csv").write_text("\n".join(["a,b,kind", *lines]))
    model, items = tmp_path / "model", tmp_path / "items.csv"
    helpers.run("fit", items, "--labels", "kind", "--trees", 50, "-o", model)
    helpers.run("neighbors", model, "--items", items, "--radius", eps, "--graph", tmp_path / "near.mtx")
    distances = predicted(model, items, items)
    np.fill_diagonal(distances, 0)
    scan = sklearn.cluster.DBSCAN(eps=eps, min_samples=4, metric="precomputed")
    found = scan.fit_predict(scipy.io.mmread(tmp_path / "near.mtx").tocsr())
    assert found.tolist() == scan.fit_predict(distances).tolist() and found.max() >= 1


def test_a_symmetric_graph_has_pairs_of_which_either_is_a_neighbor(tmp_path):
    case = cases.make_case("mixed", 902, n=25)
    model, items = helpers.fit(tmp_path, case, "--trees", 5), tmp_path / "items.csv"
    for words in (["-k", 3], ["-k", 1, "--oob"], ["--radius", 1e9], ["-k", 2, "--radius", -1]):
        helpers.run("neighbors", model, "--items", items, *words, "--graph", tmp_path / "one.mtx")
        helpers.run("neighbors", model, "--items", items, *words, "--graph", tmp_path / "both.mtx", "--symmetric")
        one, both = (scipy.io.mmread(tmp_path / f"{name}.mtx").tocoo() for name in ("one", "both"))
        ways = {(i, j): d for i, j, d in zip(one.row, one.col, one.data)}
        expected = ways | {(j, i): d for (i, j), d in ways.items()}
        assert {(i, j): d for i, j, d in zip(both.row, both.col, both.data)} == expected and both.nnz == len(expected)
