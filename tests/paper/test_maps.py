"""embed against NumPy: classical scaling by all eigenvalues of the predicted matrix, landmarks by their formula, and the
Euclidean view by the distances that it stands for."""
import json

import numpy as np
import pytest

import cases
import helpers
import targets
import test_permutation
import test_targets

VIEWED = ["labels", "one class", "response", "responses", "product"]  # targets that have vectors
LANDMARKS = 13  # the place of their random stream


# ---------------------------------------------------------------- maps

def predicted(folder, model, *options):
    helpers.run("predict", model, folder / "items.csv", "-o", folder / "predicted.csv", *options)
    n = len(helpers.read_table((folder / "items.csv").read_text()))
    return helpers.read_matrix(folder / "predicted.csv", n, n)[0]


def squares(distances):
    """An item is at 0 from itself, and so are two at a negative distance."""
    made = np.maximum(distances, 0) ** 2
    np.fill_diagonal(made, 0)
    return made


def scale(z, dim):
    """Eigenvalues and unit vectors of -1/2 J Z J, the largest first; and all eigenvalues."""
    j = np.eye(len(z)) - 1 / len(z)
    values, vectors = np.linalg.eigh(-0.5 * j @ z @ j)
    order = np.argsort(-values)[:dim]
    return values[order], vectors[:, order], values


def embed(folder, model, *words):
    told = json.loads(helpers.run("embed", model, folder / "items.csv", "--json", "-o", folder / "map.npy", *words))
    rows = helpers.read_rows(helpers.run("embed", model, folder / "items.csv", *words))
    x = np.load(folder / "map.npy")
    assert rows[0] == ["item", *(f"dim{d + 1}" for d in range(x.shape[1]))]
    assert (np.array([[float(v) for v in row[1:]] for row in rows[1:]]) == x).all()
    return x, told


def assert_map(x, told, distances, dim):
    z = squares(distances)
    values, vectors, every = scale(z, dim)
    size = max(np.abs(every).max(), 1e-30)
    values = np.concatenate([values, np.zeros(dim - len(values))])
    kept = np.where(values > 1e-6 * size, values, 0)
    np.testing.assert_allclose(told["eigenvalues"], kept, atol=2e-6 * size)
    for d in range(min(dim, len(z))):
        last = d + 1 == len(every) or kept[d] == 0
        if last or values[d] - np.sort(every)[::-1][d + 1] > 0.01 * size:  # what the axes up to here say together
            expected = (vectors[:, : d + 1] * kept[: d + 1]) @ vectors[:, : d + 1].T
            np.testing.assert_allclose(x[:, : d + 1] @ x[:, : d + 1].T, expected, atol=1e-4 * size)
    if len(z) <= 256 and np.abs(every).sum() > 1e-9:
        assert told["share"] == pytest.approx(kept.sum() / np.abs(every).sum(), abs=1e-5)
    apart = np.sqrt(((x[:, None] - x[None]) ** 2).sum(axis=2))
    if z.any():
        stress = np.sqrt(((apart - np.sqrt(z)) ** 2).sum() / z.sum())
        assert told["stress"] == pytest.approx(stress, abs=1e-5)
    first = np.argmax(np.abs(x) >= np.abs(x).max(axis=0) * (1 - 1e-6), axis=0)
    assert (x[first, np.arange(dim)] >= 0).all()


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("kind", targets.KINDS)
def test_a_map_of_every_target_is_its_scaling(kind, seed, tmp_path):
    model, _ = test_targets.fit_both(tmp_path, test_targets.make_task(kind, seed))
    dim = [1, 2, 3, 5, 8][seed]
    x, told = embed(tmp_path, model, "--dim", dim)
    assert_map(x, told, predicted(tmp_path, model), dim)


def test_a_map_of_more_items_than_are_solved_whole(tmp_path):
    case = cases.make_case("distinct values", 31, n=400)
    model = helpers.fit(tmp_path, case, "--trees", 20)
    x, told = embed(tmp_path, model, "--dim", 4)
    assert told["share"] is None and told["landmarks"] == 400
    assert_map(x, told, predicted(tmp_path, model), 4)


def drawn(n, wanted, seed):
    stream, places = test_permutation.words(seed, 0, LANDMARKS), []
    for i in range(n):
        if test_permutation.below(stream, n - i) < wanted - len(places):
            places.append(i)
    return places


@pytest.mark.parametrize("rule", ["--oob-rule both", "--oob-rule either"])
def test_out_of_bag_it_is_the_scaling_of_the_out_of_bag_matrix(rule, tmp_path):
    model = helpers.fit(tmp_path, cases.make_case("mixed", 37, n=60), "--trees", 150)
    x, told = embed(tmp_path, model, "--dim", 2, "--oob", *rule.split())
    assert_map(x, told, predicted(tmp_path, model, "--oob", *rule.split()), 2)


@pytest.mark.parametrize("options", [[], ["--oob"]])
@pytest.mark.parametrize("seed", range(1, 4))
def test_landmarks_are_scaled_and_the_others_placed(seed, options, tmp_path):
    case = cases.make_case("mixed", 40 + seed, n=80)
    model = helpers.fit(tmp_path, case, "--trees", 150 if options else 15)
    x, told = embed(tmp_path, model, "--dim", 3, "--landmarks", 25, "--seed", seed, *options)
    z, at = squares(predicted(tmp_path, model, *options)), drawn(80, 25, seed)
    values, vectors, _ = scale(z[np.ix_(at, at)], 3)
    expected = -0.5 * (z[:, at] - z[np.ix_(at, at)].mean(axis=0)) @ vectors / np.sqrt(values)
    expected *= np.sign((expected * x).sum(axis=0))
    assert told["landmarks"] == 25
    np.testing.assert_allclose(told["eigenvalues"], values, rtol=1e-4)
    np.testing.assert_allclose(x, expected, atol=1e-4 * np.abs(x).max())


# ---------------------------------------------------------------- vectors

def vectors(folder, model, items, *words):
    helpers.run("embed", model, folder / items, "--vectors", "-o", folder / "vectors.npy", *words)
    made = np.load(folder / "vectors.npy")
    assert made.dtype == np.float32
    return made.astype(float)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("kind", VIEWED)
def test_squared_distances_differ_from_predictions_by_a_number_of_the_query(kind, seed, tmp_path):
    task = test_targets.make_task(kind, seed)
    if "--self-distance" in task.options:  # changes what items of the same leaf are apart, which vectors do not know
        at = task.options.index("--self-distance")
        del task.options[at : at + 2]
    model, _ = test_targets.fit_both(tmp_path, task)
    distances = predicted(tmp_path, model)
    catalogue, queries = vectors(tmp_path, model, "items.csv"), vectors(tmp_path, model, "items.csv", "--queries")
    assert (queries[:, -1] == 0).all() and (catalogue[:, -1] >= 0).all() and catalogue[:, -1].min() == 0
    square = ((queries[:, None] - catalogue[None]) ** 2).sum(axis=2)
    rest = distances - square
    size = max(np.abs(distances).max(), 1e-12)
    np.testing.assert_allclose(rest, rest[:, :1].repeat(len(rest), 1), atol=1e-5 * size)


def make_data(folder, n, rng):
    x = rng.normal(size=(n, 6))
    label = (x[:, 0] + x[:, 1] ** 2 > 0.7).astype(int) + (x[:, 2] > 0.3)
    y = np.sin(2 * x[:, 0]) + x[:, 1]
    names = [f"f{k}" for k in range(6)]
    for name, rows in (("items.csv", slice(0, n - 200)), ("queries.csv", slice(n - 200, n))):
        lines = [",".join(map(repr, [*row, float(v)])) + f",c{c}\n"
                 for row, v, c in zip(x[rows].tolist(), y[rows], label[rows])]  # fmt: skip
        (folder / name).write_text(",".join([*names, "y", "label"]) + "\n" + "".join(lines))


@pytest.mark.parametrize("words", [["--response", "y", "--ignore", "label"],
                                   ["--labels", "label", "--ignore", "y", "--min-parent", 12]])  # fmt: skip
def test_a_search_engine_finds_the_forests_neighbors(words, tmp_path):
    faiss = pytest.importorskip("faiss")
    make_data(tmp_path, 2200, np.random.default_rng(8))
    model, k = tmp_path / "model", 10
    helpers.run("fit", tmp_path / "items.csv", *words, "--trees", 40, "-o", model)
    rows = helpers.read_table(helpers.run("neighbors", model, "--items", tmp_path / "items.csv", "--queries",
                                          tmp_path / "queries.csv", "-k", k))  # fmt: skip
    distance = np.array([float(row["distance"]) for row in rows]).reshape(-1, k)
    whole = np.array([[float(v) for v in row] for row in helpers.read_rows(helpers.run(
        "predict", model, tmp_path / "queries.csv", "--against", tmp_path / "items.csv"))])  # fmt: skip
    catalogue = vectors(tmp_path, model, "items.csv").astype(np.float32)
    queries = vectors(tmp_path, model, "queries.csv", "--queries").astype(np.float32)

    brute = faiss.IndexFlatL2(catalogue.shape[1])
    brute.add(catalogue)
    _, found = brute.search(queries, k)
    reached = np.take_along_axis(whole, found, axis=1)
    size = whole.max()
    np.testing.assert_allclose(np.sort(reached, axis=1), distance, atol=1e-5 * size)  # ties and rounding apart

    once, place = np.unique(catalogue, axis=0, return_index=True)  # vectors that repeat would cut the graph into pieces
    graph = faiss.IndexHNSWFlat(catalogue.shape[1], 32)
    graph.hnsw.efConstruction, graph.hnsw.efSearch = 200, 200
    graph.add(once)
    _, found = graph.search(queries, k)
    nearest = np.sort(whole[:, place], axis=1)[:, k - 1 : k]
    assert np.mean(np.take_along_axis(whole, place[found], axis=1) <= nearest + 1e-5 * size) > 0.99
