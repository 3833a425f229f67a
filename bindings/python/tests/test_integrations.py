"""What other libraries make of vectors, distances and graphs, with the libraries themselves. UMAP is in test_sklearn.py, skops in
test_safety.py, polars and pyarrow in test_frames.py, graphs of networkx and igraph in test_inputs.py and test_labels.py."""

import numpy as np
import pytest
from sklearn.datasets import load_wine

import smerf


@pytest.fixture(scope="module")
def wine():
    X, y = load_wine(return_X_y=True)
    return X, y, smerf.DistanceForest(n_estimators=50, random_state=1).fit(X[::2], y[::2])


def test_faiss_finds_the_forests_neighbours(wine):
    faiss = pytest.importorskip("faiss")
    X, _, forest = wine
    catalogue, queries = forest.vectors(X[::2]), forest.vectors(X[1::2], query=True)
    index = faiss.IndexFlatL2(catalogue.shape[1])
    index.add(catalogue)
    _, found = index.search(queries, 5)
    D = forest.distance(X[1::2], X[::2])
    nearest = np.sort(D, axis=1)[:, :5]
    np.testing.assert_allclose(np.take_along_axis(D, found, axis=1), nearest, atol=1e-5)
    np.testing.assert_allclose(forest.kneighbors(X[1::2], 5)[0], nearest)


def test_networkx_finds_communities_in_the_graph(wine):
    networkx = pytest.importorskip("networkx")
    X, y, forest = wine
    graph = forest.to_networkx(X[1::2], n_neighbors=8)
    found = networkx.community.greedy_modularity_communities(graph, cutoff=3, best_n=3)
    agreed = sum(np.bincount(y[1::2][list(group)]).max() for group in found)
    assert agreed / 89 > 0.8
