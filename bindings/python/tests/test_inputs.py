"""Frames, pairs and graphs: the many ways to say the same."""

import numpy as np
import pytest
from data import features, known
from scipy import sparse

import smerf

pd = pytest.importorskip("pandas")


def distances(X, queries=None, **target):
    parameters = {name: target.pop(name) for name in ("target", "complete", "categories") if name in target}
    forest = smerf.DistanceForest(n_estimators=6, random_state=1, **parameters).fit(X, **target)
    return forest.distance(X if queries is None else queries)


# ---- frames ----


@pytest.fixture
def mixed():
    rng = np.random.default_rng(3)
    frame = pd.DataFrame(
        {
            "number": rng.normal(size=40),
            "whole": rng.integers(5, size=40),
            "colour": rng.choice(["red", "green", "blue"], size=40),
        }
    )
    y = (frame["colour"] == "red") * 1.0 + frame["whole"] + 0.1
    return frame, y


def test_text_is_a_category_in_every_form(mixed):
    frame, y = mixed
    expected = distances(frame, y=y)
    for type_ in ("category", "string", object):
        np.testing.assert_array_equal(distances(frame.astype({"colour": type_}), y=y), expected)
    np.testing.assert_array_equal(distances(frame.to_numpy(dtype=object), y=y), expected)
    unused = frame.astype({"colour": pd.CategoricalDtype(["blue", "green", "mauve", "red"])})
    np.testing.assert_array_equal(distances(unused, y=y), expected)


def test_numbers_of_pandas_own_types(mixed):
    frame, y = mixed
    frame = frame.drop(columns="colour")
    frame.loc[::4, "number"] = np.nan
    expected = distances(frame, y=y)
    own = frame.astype({"number": "Float64", "whole": "Int64"})
    np.testing.assert_array_equal(distances(own, y=y), expected)
    own["flag"] = pd.array([True, None] * 20, dtype="boolean")
    frame["flag"] = [1.0, np.nan] * 20
    np.testing.assert_array_equal(distances(own, y=y), distances(frame, y=y))


@pytest.mark.parametrize("type_", ["int64", "Int64", "UInt8", "boolean", "category", "string", "object"])
def test_labels_of_pandas_types(mixed, type_):
    frame, _ = mixed
    y = (frame["whole"] % 2).astype("boolean" if type_ == "boolean" else type_ if "nt" in type_ else str).astype(type_)
    forest = smerf.DistanceForest(n_estimators=10, random_state=1).fit(frame[["number", "whole"]], y.rename("parity"))
    assert forest.target_ == "labels"
    assert (forest.predict(frame[["number", "whole"]]) == y.to_numpy()).mean() > 0.9


def test_missing_categories_and_unseen_ones(mixed):
    frame, y = mixed
    frame.loc[::5, "colour"] = None
    forest = smerf.DistanceForest(n_estimators=10, random_state=1).fit(frame, y)
    unseen, missing = frame.copy(), frame.copy()
    unseen["colour"], missing["colour"] = "mauve", None
    np.testing.assert_array_equal(forest.distance(unseen), forest.distance(missing))


def test_codes_can_be_categories(mixed):
    frame, y = mixed
    named = distances(frame, y=y, categories=["whole"])
    as_category = distances(frame.astype({"whole": "category"}), y=y)
    np.testing.assert_array_equal(named, as_category)
    X, mixed_up = frame[["number", "whole"]].to_numpy(), frame["whole"].to_numpy() % 2 + 0.5
    assert not np.array_equal(distances(X, y=mixed_up, categories=[1]), distances(X, y=mixed_up))


@pytest.mark.parametrize(
    "column, sentence",
    [
        (pd.Series([1, "red"] * 20, dtype=object), "'colour', row 0: 1 among text"),
        (pd.Series(pd.date_range("2020", periods=40)), "'colour' holds times"),
        (pd.Series([1j] * 40), "Complex"),
        (pd.Series([1.0, np.inf] * 20), "column 'colour', row 1: an infinity"),
        (pd.Series([[1]] * 40), "."),
    ],
)
def test_columns_that_make_no_sense_are_named(mixed, column, sentence):
    frame, y = mixed
    frame["colour"] = column
    with pytest.raises((ValueError, TypeError), match=sentence):
        distances(frame, y=y)


def test_kinds_must_agree(mixed):
    frame, y = mixed
    forest = smerf.DistanceForest(n_estimators=2).fit(frame, y)
    frame["number"] = "red"
    with pytest.raises(ValueError, match="could not convert|number"):
        forest.distance(frame)


def test_columns_of_one_name_are_refused(mixed):
    frame, y = mixed
    frame.columns = ["a", "a", "b"]
    with pytest.raises(ValueError, match="two columns are called 'a'|unique column names"):
        distances(frame, y=y)


def test_a_named_index_names_the_items(mixed, tmp_path):
    frame, y = mixed
    frame.index = pd.Index([f"n{i}" for i in range(40)], name="who")
    forest = smerf.DistanceForest(n_estimators=50, random_state=1).fit(frame, y)
    shuffled = frame.iloc[::-1]
    np.testing.assert_array_equal(forest.distance(shuffled, oob=True), forest.oob_distance()[::-1, ::-1])


# ---- pairs ----


def test_pairs_in_every_form():
    X = features(30, 3, 2)
    (i, j, d) = known("pairs", 30, 2)[0]["pairs"]
    i, j, d = i[::3], j[::3], d[::3]
    expected = distances(X, pairs=(i, j, d))
    weights = np.linspace(1, 2, len(d))
    forms = [(np.column_stack([i, j]), d), (j, i, d), pd.DataFrame({"i": i, "j": j, "distance": d})]
    for form in forms:
        np.testing.assert_array_equal(distances(X, pairs=form), expected)
    weighed = distances(X, pairs=(i, j, d, weights))
    assert not np.array_equal(weighed, expected)
    for form in ((np.column_stack([i, j]), d, weights), pd.DataFrame({"i": i, "j": j, "distance": d, "weight": weights})):
        np.testing.assert_array_equal(distances(X, pairs=form), weighed)
    holes = np.full((30, 30), np.nan)
    holes[i, j] = holes[j, i] = d.astype(np.float32)
    np.fill_diagonal(holes, 0)
    rounded = distances(X, pairs=(i, j, d.astype(np.float32)))
    np.testing.assert_allclose(distances(X, Z=holes), rounded)
    named = pd.DataFrame(X, index=pd.Index([f"n{k}" for k in range(30)], name="id"))
    named.columns = ["x0", "x1", "x2"]
    labels = pd.DataFrame({"i": named.index[i], "j": named.index[j], "distance": d})
    np.testing.assert_array_equal(distances(named, pairs=labels), expected)
    with pytest.raises(ValueError, match="no item called 'nobody'"):
        distances(named, pairs=labels.assign(i="nobody"))


def test_columns_of_frames_of_pairs_are_known_by_their_names_in_any_case():
    X = features(30, 3, 2)
    (i, j, d) = known("pairs", 30, 2)[0]["pairs"]
    weights = np.linspace(1, 2, len(d))
    expected = distances(X, pairs=(i, j, d, weights))
    for frame in (
        pd.DataFrame({"Weight": weights, "DISTANCE": d, "I": i, "J": j}),
        pd.DataFrame({"Dissimilarity": d, "from": i, "to": j, "WEIGHT": weights, "note": "x"}),
    ):
        np.testing.assert_array_equal(distances(X, pairs=frame), expected)
    q = np.floor(8 * d)  # exact, as the distances are then
    expected = distances(X, pairs=(i, j, max(1, q.max()) - q))
    forest = smerf.DistanceForest(n_estimators=10, random_state=1)
    for name in ("similarity", "Similarity", "SIMILARITY"):
        frame = pd.DataFrame({"i": i, "j": j, name: q})
        np.testing.assert_array_equal(distances(X, pairs=frame), expected)
    assert b"largest_similarity" in forest.fit(X, pairs=frame)._model.to_bytes()  # which the command shows
    graph = pd.DataFrame({"type": "x", "Target": j, "Source": i, "Weight": np.minimum(d, 1)})
    np.testing.assert_array_equal(
        distances(X, graph=graph), distances(X, graph=pd.DataFrame({"source": i, "target": j, "weight": np.minimum(d, 1)}))
    )


@pytest.mark.parametrize(
    "pairs, sentence",
    [
        (pd.DataFrame({"i": [0], "j": [1], "rating": [1.0]}), r"\['rating'\] beside the ids is called 'distance'"),
        (pd.DataFrame({"i": [0], "j": [1], "distance": [1.0], "Similarity": [1.0]}), "'distance' and 'Similarity'"),
        (pd.DataFrame({"i": [0], "j": [1], "distance": [1.0], "Distance": [1.0]}), "both called 'distance'"),
        (pd.DataFrame({"i": [0], "j": [1], "similarity": [np.nan]}), "finite|missing|nan"),
        (pd.DataFrame({"i": [0], "j": [1]}), "come with distances"),
        (([0, 1], [1, 99], [1.0, 2.0]), "item 99 of 30"),
        (([0, -1], [1, 2], [1.0, 2.0]), "item -1 of 30"),
        (([0, 1], [1, 2], [1.0]), "2 pairs"),
        (([0, 1], [1, 2]), "come with distances"),
        (([0.5, 1], [1, 2], [1.0, 2.0]), "whole numbers"),
        (([0, 1], [1, 2], [1.0, np.nan]), "finite|missing|nan"),
        (([0, 1], [1, 2], [1.0, 1.0], [1.0, 0.0]), "weight"),
        (pd.DataFrame({"a": [1]}), "columns 'i' and 'j'"),
    ],
)
def test_bad_pairs_are_refused(pairs, sentence):
    with pytest.raises(ValueError, match=sentence):
        distances(features(30, 3, 2), pairs=pairs)


# ---- graphs ----


def test_graphs_in_every_form():
    networkx = pytest.importorskip("networkx")
    X = features(30, 3, 2)
    A = known("graph", 30, 2)[0]["graph"].toarray()
    expected = distances(X, graph=sparse.csr_array(A))
    i, j = np.nonzero(np.triu(A))
    names = [f"n{k}" for k in range(30)]
    frame = pd.DataFrame(X, index=names, columns=["x0", "x1", "x2"])
    by_name = networkx.Graph()
    by_name.add_edges_from((names[a], names[b]) for a, b in zip(i[::-1], j[::-1]))
    forms = [sparse.csr_matrix(A), sparse.coo_array(np.triu(A)), networkx.from_numpy_array(A), np.column_stack([i, j])]
    forms += [pd.DataFrame({"source": i, "target": j}), sparse.csc_array(A.astype(bool))]
    for form in forms:
        np.testing.assert_array_equal(distances(X, graph=form), expected)
    np.testing.assert_array_equal(distances(frame, graph=by_name), expected)
    frame.index.name = "who"
    listed = pd.DataFrame({"source": frame.index[i], "target": frame.index[j]})
    for form in (by_name, listed, sparse.csr_array(A)):
        np.testing.assert_array_equal(distances(frame, graph=form), expected)
    weighed = networkx.from_numpy_array(A / 2)
    np.testing.assert_array_equal(distances(X, graph=weighed), distances(X, graph=sparse.csr_array(A / 2)))


def test_graphs_of_igraph():
    igraph = pytest.importorskip("igraph")
    X = features(30, 3, 2)
    A = known("graph", 30, 2)[0]["graph"].toarray()
    graph = igraph.Graph.Adjacency(A.astype(int), mode="undirected")
    np.testing.assert_array_equal(distances(X, graph=graph), distances(X, graph=sparse.csr_array(A)))
    graph.es["weight"] = [0.5] * graph.ecount()
    np.testing.assert_array_equal(distances(X, graph=graph), distances(X, graph=sparse.csr_array(A / 2)))
    with pytest.raises(ValueError, match="29 nodes"):
        distances(X, graph=igraph.Graph(29))


def test_some_pairs_of_a_graph_are_observed():
    X = features(30, 3, 2)
    A = np.triu(known("graph", 30, 2)[0]["graph"].toarray())
    i, j = np.triu_indices(30, 1)
    everything = distances(X, graph=sparse.csr_array(A), observed=np.column_stack([i, j]), complete="off")
    edges = np.column_stack(np.nonzero(A))
    some = np.unique(np.vstack([edges, np.column_stack([i, j])[::2]]), axis=0)
    assert not np.array_equal(distances(X, graph=sparse.csr_array(A), observed=some, complete="off"), everything)
    with pytest.raises(ValueError, match="observed goes with graph"):
        distances(X, y=X[:, 0], observed=edges)


@pytest.mark.parametrize(
    "graph, sentence",
    [(sparse.eye(30), "itself|self"), (sparse.csr_array((29, 29)), "30 x 30"), (np.array([[0, 99]]), "item 99")],
)
def test_bad_graphs_are_refused(graph, sentence):
    with pytest.raises(ValueError, match=sentence):
        distances(features(30, 3, 2), graph=graph)


def test_condensed_distances_are_square_ones():
    from scipy.spatial.distance import squareform

    X, Z = features(20, 3, 2), known("distances", 20, 2)[2]
    np.testing.assert_array_equal(distances(X, Z=squareform(Z, checks=False)), distances(X, Z=Z))
    np.testing.assert_array_equal(distances(X, y=Z), distances(X, Z=Z))
