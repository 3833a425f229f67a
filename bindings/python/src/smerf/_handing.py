"""What a model hands to other programs and people: its facts, similarities, graphs."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from . import _core, _labels
from ._asking import DistanceModel
from ._types import Oob


class HandingModel(DistanceModel):
    """Adds what others take from a model."""

    def info(self) -> dict[str, Any]:
        """What a model is, as ``smerf info --json`` tells it.

        Returns
        -------
        facts : dict
            By name: 'method', 'target', 'items', 'features', of a forest 'trees', 'nodes', 'leaves' and how it was grown.

        Examples
        --------
        >>> import smerf
        >>> X, Z = smerf.simulate("radial", 60)
        >>> facts = smerf.DistanceForest(n_estimators=10, random_state=1).fit(X, Z).info()
        >>> facts["target"], facts["items"], facts["trees"], facts["seed"]
        ('distances', 60, 10, 1)
        """
        check_is_fitted(self)
        return _core.info(self._model)

    def similarity(self, X: Any, Y: Any = None, *, out: NDArray[Any] | None = None) -> NDArray[Any]:
        """Similarities of all pairs, on the scale that the similarities or weights of edges came in.

        Only of a model that has learned from similarities (pairs with a column of that name), which it takes from their
        largest, or from a graph, whose weights are 1 - distance, times what they were divided by: what
        ``smerf predict --output similarity`` writes.

        Parameters
        ----------
        X, Y, out
            As in `distance`.

        Returns
        -------
        similarities : array of shape (n, m)
            The larger, the more alike.

        Examples
        --------
        >>> import numpy as np, pandas, smerf
        >>> X = np.arange(12.0).reshape(6, 2)
        >>> rated = pandas.DataFrame({"i": [0, 0, 3], "j": [1, 4, 5], "similarity": [9.0, 1.0, 8.0]})
        >>> forest = smerf.DistanceForest(n_estimators=20, complete="off", random_state=1).fit(X, pairs=rated)
        >>> bool(np.allclose(forest.similarity(X), 9 - forest.distance(X)))
        True
        """
        check_is_fitted(self)
        if not self._model.has_scale():
            raise ValueError(
                "similarity gives back the scale of similarities or edges, and this model learned distances "
                f"(target '{self.target_}')"
            )
        return self._distances(X, Y, out, False, as_similarities=True)

    def to_networkx(
        self, X: Any = None, n_neighbors: int = 5, *, radius: float | None = None, oob: Oob = None
    ) -> Any:
        """The graph of nearest items for networkx: an edge from each item to its neighbours.

        Parameters
        ----------
        X : array of shape (n, p), optional
            Items; without them the training items.
        n_neighbors : int, default=5
            How many of the nearest each item is linked to; whoever is the neighbour of others has more edges.
        radius : float, optional
            Instead: all pairs up to this distance.
        oob : {None, 'auto', True, False}, default=None
            As in `kneighbors`: the training items are linked by their distances out of bag.

        Returns
        -------
        graph : networkx.Graph
            Nodes are the labels of X if it is a pandas frame, else rows from 0, in the order of X; an edge's `distance` is
            the learned one.

        Examples
        --------
        >>> import smerf
        >>> X, Z = smerf.simulate("radial", 60)
        >>> graph = smerf.DistanceForest(n_estimators=100, random_state=1).fit(X, Z).to_networkx(n_neighbors=3)
        >>> len(graph), min(degree for _, degree in graph.degree)
        (60, 3)
        """
        try:
            import networkx
        except ImportError:
            raise ImportError("to_networkx needs networkx: pip install networkx") from None
        check_is_fitted(self)
        index = self._index_of(X)
        items = self._items_of(X)
        if radius is None:
            near = self.kneighbors_graph(None, n_neighbors, mode="distance", Y=items, oob=oob)
        else:
            near = self.radius_neighbors_graph(None, radius, mode="distance", Y=items, oob=oob)
        names = list(range(items.n)) if index is None else index.tolist()
        if len(set(names)) < len(names):
            raise ValueError("a label is twice in X, and nodes must differ; X.reset_index(drop=True) has numbers")
        graph = networkx.Graph()
        graph.add_nodes_from(names)
        links = near.tocoo()
        graph.add_edges_from(
            (names[i], names[j], {"distance": distance})
            for i, j, distance in zip(links.row.tolist(), links.col.tolist(), links.data.tolist())
        )
        return graph
