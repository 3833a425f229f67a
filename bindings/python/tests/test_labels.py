"""Which row is which: labels where both sides have them, positions where one has none, a mismatch is an error."""

import pickle

import numpy as np
import pytest
from data import features, known
from scipy import sparse
from sklearn.model_selection import GridSearchCV, cross_val_score

import smerf

pd = pytest.importorskip("pandas")

N = 24
ORDER = np.random.default_rng(5).permutation(N)  # of what comes with X
INDICES = {
    "text": pd.Index([f"n{k}" for k in np.random.default_rng(1).permutation(N)]),
    "named text": pd.Index([f"n{k}" for k in range(N)], name="who"),
    "numbers": pd.Index(np.arange(N) * 10 + 3),
    "numbers in another order": pd.Index(np.random.default_rng(2).permutation(N)),
    "times": pd.date_range("2026-01-01", periods=N),
    "two levels": pd.MultiIndex.from_product([["a", "b"], range(N // 2)]),
}


def learned(X, *given, **more):
    complete = {"complete": "off"} if "observed" in more else {}
    return smerf.DistanceForest(n_estimators=4, random_state=1, **complete).fit(X, *given, **more)._model.to_bytes()


@pytest.fixture(params=INDICES)
def X(request):
    return pd.DataFrame(features(N, 3, 2), index=INDICES[request.param], columns=["a", "b", "c"])


@pytest.fixture
def words():
    return pd.DataFrame(features(N, 3, 2), index=INDICES["text"], columns=["a", "b", "c"])


@pytest.fixture
def counted():
    return pd.DataFrame(features(N, 3, 2), columns=["a", "b", "c"])


Z = known("distances", N, 2)[2]
A = known("graph", N, 2)[0]["graph"].toarray()
LEFT, RIGHT = np.nonzero(np.triu(A))
ONCE, TWICE = np.triu_indices(N, 1)
Y = np.random.default_rng(8).normal(size=N)


# ---- the same model, in whatever order it comes ----


def test_responses_labels_and_weights_in_another_order(X):
    y = pd.Series(Y, index=X.index)
    expected = learned(X, Y)
    assert learned(X, y) == learned(X, y.iloc[ORDER]) == expected
    several = pd.DataFrame({"u": Y, "v": Y**2}, index=X.index)
    assert learned(X, several.iloc[ORDER]) == learned(X, several)
    classes = pd.Series(np.where(Y > 0, "p", "q"), index=X.index)
    assert learned(X, classes.iloc[ORDER]) == learned(X, classes.to_numpy()) != learned(X, classes.to_numpy()[ORDER])
    weights = pd.Series(np.linspace(1, 3, N), index=X.index)
    expected = learned(X, Y, sample_weight=weights.to_numpy())
    assert learned(X, Y, sample_weight=weights.iloc[ORDER]) == expected


def test_distances_in_another_order(X):
    expected = learned(X, Z)
    frame = pd.DataFrame(Z, index=X.index, columns=X.index)
    other = ORDER[::-1]
    assert learned(X, frame) == learned(X, frame.iloc[ORDER, ORDER]) == learned(X, frame.iloc[ORDER, other]) == expected
    assert learned(X, Z=smerf.Distances(frame.iloc[ORDER, other])) == expected
    assert learned(X, Z=frame.iloc[ORDER, ORDER].set_axis(range(N), axis=1)) == expected  # rows speak for columns
    assert learned(X, Z=frame.iloc[ORDER, ORDER].set_axis(range(N), axis=0)) == expected
    assert learned(X.to_numpy(), frame.iloc[:, ORDER]) == learned(X.to_numpy(), Z)  # its own sides agree
    as_text = frame.set_axis([str(label) for label in X.index], axis=1)  # as read from a file
    assert learned(X, as_text.iloc[ORDER, other]) == expected


def test_pairs_and_edges_name_items_by_labels(X):
    expected = learned(X.reset_index(drop=True), pairs=(ONCE, TWICE, Z[ONCE, TWICE]))
    pairs = pd.DataFrame({"i": X.index[ONCE], "j": X.index[TWICE], "distance": Z[ONCE, TWICE]})
    edges = pd.DataFrame({"source": X.index[LEFT], "target": X.index[RIGHT]})
    observed = pd.DataFrame({"i": X.index[ONCE], "j": X.index[TWICE]})
    if X.index.name is None:  # else the model knows what items are called
        assert learned(X, pairs=pairs) == expected
    if X.index.nlevels == 1:  # NumPy takes couples for rows of an array
        assert learned(X, pairs=(list(pairs["i"]), list(pairs["j"]), pairs["distance"])) == learned(X, pairs=pairs)
    assert learned(X, graph=edges) == learned(X, graph=sparse.csr_array(A))
    assert learned(X, graph=sparse.csr_array(A), observed=observed) == learned(X, graph=edges, observed=observed)


def test_nodes_of_networkx_in_another_order(X):
    networkx = pytest.importorskip("networkx")
    expected = learned(X, graph=sparse.csr_array(A))
    for order in (np.arange(N), ORDER, np.argsort([str(label) for label in X.index])):
        graph = networkx.Graph()
        graph.add_nodes_from(X.index[order])
        graph.add_edges_from((X.index[a], X.index[b]) for a, b in zip(LEFT, RIGHT))
        assert learned(X, graph=graph) == expected
    numbers = networkx.Graph()
    numbers.add_nodes_from(range(N))  # counted, as networkx.from_numpy_array has it
    labels = {label: row for row, label in enumerate(X.index)}
    row = labels if set(labels) == set(range(N)) else {k: k for k in range(N)}
    end = {place: label for label, place in row.items()}
    numbers.add_edges_from((end[a], end[b]) for a, b in zip(LEFT.tolist(), RIGHT.tolist()))
    assert learned(X, graph=numbers) == expected


def test_names_of_igraph_in_another_order(X):
    igraph = pytest.importorskip("igraph")
    expected = learned(X, graph=sparse.csr_array(A))
    at = np.argsort(ORDER)
    graph = igraph.Graph(N, list(zip(at[LEFT].tolist(), at[RIGHT].tolist())))
    graph.vs["name"] = list(X.index[ORDER])
    assert learned(X, graph=graph) == expected
    graph.vs["name"] = [str(name) for name in graph.vs["name"]]
    assert learned(X, graph=graph) == expected
    del graph.vs["name"]  # no labels: in order
    assert learned(X, graph=graph) == learned(X, graph=sparse.csr_array(A[np.ix_(ORDER, ORDER)]))


def test_nodes_that_are_numbers_are_rows_of_what_has_no_labels(counted):
    networkx, igraph = pytest.importorskip("networkx"), pytest.importorskip("igraph")
    expected = learned(counted, graph=sparse.csr_array(A))
    at = np.argsort(ORDER)
    for kind in (int, str):
        of_networkx = networkx.Graph()
        of_networkx.add_nodes_from(map(kind, ORDER))
        of_networkx.add_edges_from((kind(a), kind(b)) for a, b in zip(LEFT, RIGHT))
        of_igraph = igraph.Graph(N, list(zip(at[LEFT].tolist(), at[RIGHT].tolist())))
        of_igraph.vs["name"] = list(map(kind, ORDER))
        for graph in (of_networkx, of_igraph):
            assert learned(counted, graph=graph) == expected
    words = networkx.relabel_nodes(networkx.from_numpy_array(A), {k: f"n{k}" for k in range(N)})
    assert learned(counted, graph=words) == expected  # in order


def test_scores_go_by_the_same_rule(words):
    forest = smerf.DistanceForest(n_estimators=10, random_state=1).fit(words, Z)
    frame = pd.DataFrame(Z, index=words.index, columns=words.index)
    other = words.iloc[ORDER]
    assert forest.evaluate(other, Z=frame) == forest.evaluate(other, Z=Z[np.ix_(ORDER, ORDER)])
    block = frame.iloc[ORDER[:9], ORDER[9:]]
    x, y = words.loc[block.index[::-1]], words.loc[block.columns[::-1]]
    assert forest.evaluate(x, Z=block, Y=y) == forest.evaluate(x, Z=block.to_numpy()[::-1, ::-1], Y=y)
    with pytest.raises(ValueError, match="but not in Z"):
        forest.evaluate(x, Z=block, Y=x)
    votes = forest.vote(pd.Series(Y, index=words.index).iloc[ORDER])
    np.testing.assert_array_equal(votes, forest.vote(Y))
    again = pickle.loads(pickle.dumps(forest))
    np.testing.assert_array_equal(again.vote(pd.Series(Y, index=words.index).iloc[ORDER]), votes)
    with pytest.raises(ValueError, match="but not in y"):
        forest.vote(pd.Series(Y[:-1], index=words.index[:-1]))


def test_what_has_no_labels_goes_by_position(words, counted):
    y = pd.Series(Y)
    assert learned(words, y) == learned(words, Y) == learned(words, list(Y))
    shuffled = pd.Series(Y, index=ORDER)
    assert learned(counted.to_numpy(), shuffled) == learned(counted.to_numpy(), Y)
    frame = pd.DataFrame(Z)
    assert learned(words, frame) == learned(words, Z)
    assert learned(counted, pd.DataFrame(Z, index=words.index, columns=words.index)) == learned(counted, Z)


def test_labels_that_occur_twice_are_well_where_nothing_has_to_be_matched(words):
    twice = words.set_axis(["a", "b"] * (N // 2))
    y = pd.Series(Y, index=twice.index)
    assert learned(twice, y) == learned(twice, Y)
    with pytest.raises(ValueError, match="label 'b' is twice in y"):
        learned(twice, y.iloc[::-1])
    with pytest.raises(ValueError, match="label 'a' is twice in X"):
        learned(twice, pairs=(["a"], ["b"], [1.0]))


def test_columns_of_polars_that_are_labels_of_x(words):
    pl = pytest.importorskip("polars")
    frame = pl.from_dict({label: Z[:, k] for k, label in enumerate(words.index)})
    order = [words.index[k] for k in ORDER]
    among = frame[ORDER].select(order)
    assert learned(words, among) == learned(words, frame) == learned(words, Z)
    assert learned(words, frame.rename({words.index[0]: "other"})) == learned(words, Z)  # no labels: every column has a name


def test_columns_that_a_report_shows(words, tmp_path):
    forest = smerf.DistanceForest(n_estimators=4, random_state=1).fit(words, Y)
    y = pd.Series(Y, index=words.index)
    pages = []
    for k, given in enumerate((y, y.iloc[ORDER], Y)):
        forest.report(tmp_path / f"{k}.json", y=given, show={"again": given}, title="t")
        forest.report(tmp_path / f"x{k}.json", words, y=given, show={"again": given}, title="t")
        pages.append([(tmp_path / f"{name}{k}.json").read_bytes() for name in ("", "x")])
    assert pages[0] == pages[1]
    with pytest.raises(ValueError, match="label 'n1' is in X but not in column 'again'"):
        forest.report(tmp_path / "r.json", show={"again": y.rename(index={"n1": "m1"})})


def test_splitters_cut_frames(words):
    forest = smerf.DistanceForest(n_estimators=4, random_state=1)
    frame = pd.DataFrame(Z, index=words.index, columns=words.index)
    expected = cross_val_score(forest, words, smerf.Distances(Z), cv=3)
    for given in (frame, smerf.Distances(frame)):
        np.testing.assert_array_equal(cross_val_score(forest, words, given, cv=3), expected)
    with_gaps = frame.mask(frame > frame.stack().quantile(0.9))  # many zeros less: told by labels, not by zeros
    cross_val_score(forest, words, with_gaps, cv=3, error_score="raise")
    y = pd.Series(Y, index=words.index)
    search = GridSearchCV(forest, {"min_parent": [2, 5]}, cv=3, error_score="raise")
    assert search.fit(words, y).best_score_ == search.fit(words, Y).best_score_


# ---- a mismatch ----


def frame_of(labels):
    return pd.DataFrame(Z, index=labels, columns=labels)


def changed(words, old, new):
    return [new if label == words.index[old] else label for label in words.index]


def test_a_label_that_is_not_on_both_sides_is_an_error_that_names_the_first(words):
    lost = words.index[4]
    labels = changed(words, 4, "strange")
    for name, given in {
        "y": {"y": pd.Series(Y, index=labels)},
        "Z": {"Z": frame_of(labels)},
        "sample_weight": {"y": Y, "sample_weight": pd.Series(np.ones(N), index=labels)},
    }.items():
        with pytest.raises(ValueError, match=f"label '{lost}' is in X but not in {name}"):
            learned(words, **given)
    both = frame_of(words.index).set_axis(labels, axis=1)
    with pytest.raises(ValueError, match=f"label '{lost}' is in the index of Z but not in the columns of Z"):
        learned(words, Z=both)
    with pytest.raises(ValueError, match="label 'more' is in y but not in X"):
        learned(words, pd.concat([pd.Series(Y, index=words.index), pd.Series([1.0], index=["more"])]))


@pytest.mark.parametrize("strange", ["strange", 3, 3.0])
def test_ids_that_x_lacks_are_named(words, strange):
    text = "3" if strange == 3 else strange
    first = words.index[0]
    for given in (
        {"pairs": pd.DataFrame({"i": [first, strange], "j": [words.index[1], first], "distance": [1.0, 2.0]})},
        {"pairs": ([first, strange], [words.index[1], first], [1.0, 2.0])},
        {"graph": pd.DataFrame({"source": [first], "target": [strange]})},
        {"graph": sparse.csr_array(A), "observed": pd.DataFrame({"i": [first], "j": [strange]})},
    ):
        with pytest.raises(ValueError, match=f"no item called '{text}'"):
            learned(words, **given)


def test_nodes_that_x_lacks_are_named(words):
    networkx, igraph = pytest.importorskip("networkx"), pytest.importorskip("igraph")
    labels = changed(words, 4, "strange")
    graph = networkx.relabel_nodes(networkx.from_numpy_array(A), dict(enumerate(labels)))
    with pytest.raises(ValueError, match="no item called 'strange'"):
        learned(words, graph=graph)
    with pytest.raises(ValueError, match="no item called 'strange'"):
        learned(words, graph=_igraph(igraph, labels))
    with pytest.raises(ValueError, match="label 'n1' is twice in the graph"):
        learned(words, graph=_igraph(igraph, ["n1"] * N))
    with pytest.raises(ValueError, match=f"no item called '{ORDER[0]}'"):
        learned(words, graph=_igraph(igraph, ORDER.tolist()))  # numbers that count would be no labels; these do not


def _igraph(igraph, names):
    graph = igraph.Graph.Adjacency(A.astype(int), mode="undirected")
    graph.vs["name"] = names
    return graph


def test_two_meanings_are_refused(counted):
    shuffled = counted.iloc[ORDER]
    for X, y in ((counted, pd.Series(Y, index=ORDER)), (shuffled, pd.Series(Y))):
        with pytest.raises(ValueError, match="the same numbers in another order.*reindex.*to_numpy"):
            learned(X, y)
        with pytest.raises(ValueError, match="the same numbers in another order"):
            learned(X, Z=pd.DataFrame(Z, index=y.index, columns=y.index))
        with pytest.raises(ValueError, match="the same numbers in another order"):
            learned(X, Y, sample_weight=pd.Series(np.ones(N), index=y.index))
