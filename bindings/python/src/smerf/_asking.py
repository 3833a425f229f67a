"""Questions that every model answers: distances, neighbours, scores."""

from __future__ import annotations

from typing import Any, Literal, overload

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from . import _core, _frames, _in_sample, _labels, _options
from ._base import DistanceEstimator
from ._meanings import is_matrix
from ._progress import asking
from ._targets import make_target
from ._triplets import in_place_of
from ._types import GraphMode, Metric, Oob

Floats = NDArray[np.float64]

GRAPH_MODES = ("connectivity", "distance")


def _refuse_too_few(n_found: NDArray[np.int64], k: int) -> None:
    """Out of bag, pairs of items of which every tree has seen one have no distance."""
    lacking = np.flatnonzero(n_found < k)
    if len(lacking) > 0:
        raise ValueError(
            f"out of bag, item {lacking[0]} has {n_found[lacking[0]]} of {k} neighbours: the other pairs have no tree that has not "
            "seen them; more trees are needed, or oob=False"
        )


def _keeps_items(model: DistanceModel) -> bool:
    """Whether there are items to be at a distance from."""
    if hasattr(model, "_model") and model._items is None:
        raise AttributeError("a model from a file does not hold the items that it was fitted on: distance(X, items) is given them")
    return True


class DistanceModel(DistanceEstimator):
    """What can be asked of distances, however they were learned."""

    # ---- distances ----

    def distance(self, X: Any, Y: Any = None, *, out: NDArray[Any] | None = None, oob: bool = False) -> NDArray[Any]:
        """Distances of all pairs, or of the rows of X to the rows of Y.

        Parameters
        ----------
        X : array of shape (n, p)
            Items.
        Y : array of shape (m, p), optional
            Other items; without them the pairs are those of X.
        out : array of shape (n, m), optional
            Where the distances go: float32 or float64, of any strides; may be a memory-mapped array that is larger
            than memory.
        oob : bool
            Only trees that have not seen the two items speak; X are the training items. NaN where there is none.

        Returns
        -------
        distances : array of shape (n, m)
            `out`, or a new array of float64. An item's distance to itself is what the model says, not 0.

        Examples
        --------
        >>> import numpy as np, smerf
        >>> X, Z = smerf.simulate("bilinear", 60)
        >>> forest = smerf.DistanceForest(n_estimators=10, random_state=1).fit(X, Z)
        >>> forest.distance(X[:3], X).shape
        (3, 60)
        >>> forest.distance(X, out=np.empty((60, 60), np.float32)).dtype
        dtype('float32')
        """
        return self._distances(X, Y, out, oob)

    def _distances(
        self, X: Any, Y: Any, out: NDArray[Any] | None, oob: bool, *, as_similarities: bool = False
    ) -> NDArray[Any]:
        check_is_fitted(self)
        rows = self._items_of(X)
        columns = None if Y is None else self._items_of(Y)
        shape = rows.n, (rows if columns is None else columns).n
        if out is None:
            out = np.empty(shape)
        if out.shape != shape or out.dtype not in (np.float32, np.float64) or not out.dtype.isnative:
            raise ValueError(f"out is {out.dtype} of the shape {out.shape}; it must be float32 or float64 of {shape}")
        if not out.flags.writeable:
            raise ValueError("out is read-only")
        with asking(self, "finding distances") as watch:
            self._model.distances(rows, columns, oob, out, watch, as_similarities)
        return out

    def transform(self, X: Any) -> NDArray[Any]:
        """Distances to the items that the model was fitted on.

        This is what ``metric="precomputed"`` expects, so that a pipeline may end in scikit-learn's neighbours or
        clusters. (Coordinates are `embed` and `vectors`.)

        Parameters
        ----------
        X : array of shape (n, p)
            Items.

        Returns
        -------
        distances : array of shape (n, n_training_items)
            One column a training item.

        Examples
        --------
        >>> import smerf
        >>> from sklearn.datasets import load_iris
        >>> from sklearn.neighbors import KNeighborsClassifier
        >>> from sklearn.pipeline import make_pipeline
        >>> X, y = load_iris(return_X_y=True)
        >>> forest = smerf.DistanceForest(n_estimators=20, random_state=1)
        >>> voters = make_pipeline(forest, KNeighborsClassifier(metric="precomputed")).fit(X, y)
        >>> voters.score(X, y) > 0.95
        True
        """
        check_is_fitted(self)
        return self.distance(X, self._training_items())

    def _items_of(self, X: Any) -> _core.Items:
        return X if isinstance(X, _core.Items) else super()._items_of(X)

    def _index_of(self, X: Any) -> Any:
        """The index of a pandas frame of items, by default of those that it was fitted on."""
        return _labels.restored(self._index) if X is None else _labels.index_of(X)

    # ---- neighbours ----

    def _neighbors(
        self, X: Any, Y: Any, k: int, radius: float | None, oob: Any
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], Floats, int]:
        check_is_fitted(self)
        items = self._items_of(Y)
        queries = None if X is None else self._items_of(X)
        queries, out_of_bag = _in_sample.among(self, oob, items, queries, "neighbours are")
        if radius is None:
            self._check_enough(k, items.n, queries is None)
        with asking(self, "finding neighbours") as watch:
            start, indices, distances = self._model.neighbors(items, queries, k, radius, out_of_bag, watch)
        if out_of_bag and radius is None:
            _refuse_too_few(np.diff(start), k)
        return start, indices, distances, items.n

    def _nearest(
        self, X: Any, Y: Any, n_neighbors: int, oob: Any
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], Floats, int]:
        k = _options.count("n_neighbors", n_neighbors, 1)
        start, indices, distances, n_items = self._neighbors(X, Y, k, None, oob)
        if len(indices) < k * (len(start) - 1):
            raise ValueError(f"Expected n_neighbors <= n_samples_fit, but n_neighbors = {k}, n_samples_fit = {n_items}")
        return start, indices, distances, n_items

    @staticmethod
    def _check_enough(k: int, n_items: int, are_queries_too: bool) -> None:
        """Refuses more neighbours than a catalogue has."""
        most = n_items - 1 if are_queries_too else n_items
        if k > most:
            why = ", none of which is its own neighbour" if are_queries_too else ""
            raise ValueError(
                f"Expected n_neighbors <= {most}: n_neighbors={k}, and the catalogue has {n_items} items{why}"
            )

    @overload
    def kneighbors(
        self, X: Any = None, n_neighbors: int = 5, return_distance: Literal[True] = True, *, Y: Any = None, oob: Oob = None
    ) -> tuple[Floats, NDArray[np.int64]]: ...
    @overload
    def kneighbors(
        self, X: Any = None, n_neighbors: int = 5, *, return_distance: Literal[False], Y: Any = None, oob: Oob = None
    ) -> NDArray[np.int64]: ...
    @overload
    def kneighbors(
        self, X: Any, n_neighbors: int, return_distance: Literal[False], *, Y: Any = None, oob: Oob = None
    ) -> NDArray[np.int64]: ...
    def kneighbors(
        self, X: Any = None, n_neighbors: int = 5, return_distance: bool = True, *, Y: Any = None, oob: Oob = None
    ) -> tuple[Floats, NDArray[np.int64]] | NDArray[np.int64]:
        """The nearest items, without ever forming the matrix of distances.

        Parameters
        ----------
        X : array of shape (n, p), optional
            Whose neighbours are wanted; without it those of the catalogue, none of which is its own neighbour.
        n_neighbors : int
            How many.
        return_distance : bool
            Whether distances are returned too.
        Y : array of shape (m, p), optional
            The catalogue; without it the training items.
        oob : {None, 'auto', True, False}, default=None
            True: at out-of-bag distances, which only trees that have not seen both items give; X is left out or the X of
            `fit`, and no item is its own neighbour. False: by all trees. None and 'auto': out of bag for the training items,
            if the forest can; else, if they are training items, with an `InSampleWarning`.

        Returns
        -------
        distances : array of shape (n, n_neighbors)
            From near to far, if `return_distance`.
        indices : array of shape (n, n_neighbors)
            Places in the catalogue; equal distances in its order.

        Examples
        --------
        >>> import smerf
        >>> X, Z = smerf.simulate("radial", 60)
        >>> forest = smerf.DistanceForest(n_estimators=100, random_state=1).fit(X, Z)
        >>> new = smerf.simulate("radial", 2, part=1)[0]
        >>> distances, indices = forest.kneighbors(new, n_neighbors=3)
        >>> indices.shape
        (2, 3)
        >>> forest.kneighbors(return_distance=False).shape  # of the training items, out of bag
        (60, 5)
        """
        start, indices, distances, _ = self._nearest(X, Y, n_neighbors, oob)
        shape = len(start) - 1, n_neighbors
        indices = indices.reshape(shape)
        return (distances.reshape(shape), indices) if return_distance else indices

    def kneighbors_graph(
        self, X: Any = None, n_neighbors: int = 5, mode: GraphMode = "connectivity", *, Y: Any = None, oob: Oob = None
    ) -> sparse.csr_matrix:
        """The nearest items as a sparse matrix.

        Parameters
        ----------
        X, n_neighbors, Y, oob
            As in `kneighbors`.
        mode : {'connectivity', 'distance'}
            Ones, or distances.

        Returns
        -------
        graph : sparse matrix of shape (n, m)
            With `n_neighbors` entries a row.

        Examples
        --------
        >>> import smerf
        >>> X, Z = smerf.simulate("radial", 60)
        >>> forest = smerf.DistanceForest(n_estimators=100, random_state=1).fit(X, Z)
        >>> forest.kneighbors_graph(n_neighbors=4).nnz
        240
        """
        _options.word("mode", mode, GRAPH_MODES)
        return self._graph(*self._nearest(X, Y, n_neighbors, oob), mode)

    def radius_neighbors_graph(
        self, X: Any = None, radius: float = 1.0, mode: GraphMode = "connectivity", *, Y: Any = None, oob: Oob = None
    ) -> sparse.csr_matrix:
        """All items within a distance, as a sparse matrix.

        Parameters
        ----------
        X, Y, oob
            As in `kneighbors`.
        radius : float
            The largest distance.
        mode : {'connectivity', 'distance'}
            Ones, or distances.

        Returns
        -------
        graph : sparse matrix of shape (n, m)
            A row's entries from near to far.

        Examples
        --------
        >>> import smerf
        >>> X, Z = smerf.simulate("radial", 60)
        >>> forest = smerf.DistanceForest(n_estimators=10, random_state=1).fit(X, Z)
        >>> bool((forest.radius_neighbors_graph(radius=0.1, mode="distance").data <= 0.1).all())
        True
        """
        _options.word("mode", mode, GRAPH_MODES)
        return self._graph(*self._neighbors(X, Y, 0, _options.number("radius", radius), oob), mode)

    @staticmethod
    def _graph(start: Any, indices: Any, distances: Any, n_items: int, mode: GraphMode) -> sparse.csr_matrix:
        data = np.ones(len(indices)) if mode == "connectivity" else distances
        return sparse.csr_matrix((data, indices, start), shape=(len(start) - 1, n_items))

    # ---- scores ----

    def evaluate(
        self,
        X: Any,
        y: Any = None,
        *,
        Z: Any = None,
        pairs: Any = None,
        graph: Any = None,
        observed: Any = None,
        triplets: Any = None,
        Y: Any = None,
        metrics: Any = None,
        permutations: int | None = None,
        random_state: Any = 1,
    ) -> dict[str, float]:
        """How good the distances are; with an `InSampleWarning` if the items are those that they were learned from.

        Parameters
        ----------
        X, y, Z, pairs, graph, observed, triplets
            Items and what is known of their pairs, as in `fit`.
        Y : array of shape (m, p), optional
            Other items: the pairs are those between X and Y, and Z their distances, of shape (n, m).
        metrics : str or list of str, optional
            Of 'rmse', 'spearman', 'map@10', 'auc-roc', 'auc-pr'; without it all that the target has.
        permutations : int, optional
            Also correlations over all pairs at once, 'mantel-pearson' and 'mantel-spearman' ('spearman' is a mean over
            items), and Mantel's test of them by so many permutations of the items: 'mantel-pearson-p' and
            'mantel-spearman-p', NaN with 0 of them or where a pair is not known. Of more than 4000 items so many are drawn.
        random_state : int, RandomState or None, default=1
            Of the permutations.

        Returns
        -------
        scores : dict
            By the names of the metrics. Of triplets 'in-order', the fraction that has the right order (0.5 by chance), its
            'standard-error', and of a model that has learned from triplets 'log-loss' (0.6931 by chance).

        Examples
        --------
        >>> import smerf
        >>> X, Z = smerf.simulate("regression", 120)
        >>> forest = smerf.DistanceForest(n_estimators=20, random_state=1).fit(X[:80], Z[:80, :80])
        >>> sorted(forest.evaluate(X[80:], Z=Z[80:, 80:]))
        ['map@10', 'rmse', 'spearman']
        """
        check_is_fitted(self)
        rows = self._items_of(X)
        if triplets is not None:
            if Y is not None or metrics is not None:
                raise ValueError("triplets are about the items of X, and have no metrics to choose: leave out Y and metrics")
            truth = self._truth(X, rows.n, y, Z, in_place_of(pairs, triplets), graph, observed)
            with asking(self, "scoring") as watch:
                found: dict[str, float] = self._model.evaluate_triplets(rows, truth, watch)
            _in_sample.warn_of_scores(self, rows)
            return found
        columns = None if Y is None else self._items_of(Y)
        if columns is not None:
            Z = _labels.aligned_block(_frames.values_of(Z), self._index_of(X), self._index_of(Y))
        truth = self._truth(X, rows.n, y, Z, pairs, graph, observed, None if columns is None else columns.n)
        with asking(self, "scoring") as watch:
            scores = self._model.evaluate(rows, columns, truth, False, _options.metrics(metrics), watch)
        found = {**scores, **self._correlations(rows, columns, truth, False, permutations, random_state)}
        _in_sample.warn_of_scores(self, rows, columns)
        return found

    def _correlations(
        self, rows: Any, columns: Any, truth: Any, oob: bool, permutations: int | None, random_state: Any
    ) -> dict[str, float]:
        """What the command calls them: correlations over all pairs, and how probable they are by chance."""
        if permutations is None:
            return {}
        n = _options.count("permutations", permutations, 0)
        with asking(self, "permuting items") as watch:
            found = self._model.correlate(rows, columns, truth, oob, n, _options.seed(random_state), watch)
        return {
            "mantel-pearson": found["pearson"],
            "mantel-pearson-p": found["p_pearson"],
            "mantel-spearman": found["spearman"],
            "mantel-spearman-p": found["p_spearman"],
        }

    def _truth(
        self, X: Any, n: int, y: Any, Z: Any, pairs: Any, graph: Any, observed: Any, n_columns: int | None = None
    ) -> _core.Target:
        if n_columns is not None:
            block = np.ascontiguousarray(Z, dtype=np.float32)
            if block.shape != (n, n_columns) or any(given is not None for given in (y, pairs, graph, observed)):
                raise ValueError(f"between X and Y, Z is an array of the shape ({n}, {n_columns}), and nothing else is given")
            return _core.target_of_block(block)
        about = self._model.describe()
        is_of_y = self.target_ in ("labels", "response", "absolute", "product")
        is_of_graph = self.target_ in ("graph", "observed")
        largest = about["largest_similarity"] or (1.0 if is_of_graph else None)
        return make_target(
            self._index_of(X),
            n,
            y,
            Z,
            pairs,
            graph,
            observed,
            self.target_ if is_of_y and not is_matrix(y, n, len(about["target_columns"])) else "auto",
            type(self).__name__,
            largest=largest if is_of_graph == (graph is not None) else None,
        ).target

    def score(
        self,
        X: Any,
        y: Any = None,
        *,
        Z: Any = None,
        pairs: Any = None,
        graph: Any = None,
        observed: Any = None,
        triplets: Any = None,
        metric: Metric | None = None,
    ) -> float:
        """One number that is larger for better distances, as scikit-learn's searches want it.

        With an `InSampleWarning` if the items are those that the distances were learned from.

        Parameters
        ----------
        X, y, Z, pairs, graph, observed, triplets
            Items and what is known of their pairs, as in `fit`. Of triplets it is the fraction that has the right order.
        metric : str, optional
            One of those of `evaluate`; 'auc-roc' for graphs, else 'rmse' by default. 'rmse' counts negative.

        Returns
        -------
        score : float
            The larger the better.

        Examples
        --------
        >>> import smerf
        >>> from sklearn.model_selection import cross_val_score
        >>> X, Z = smerf.simulate("regression", 90)
        >>> forest = smerf.DistanceForest(n_estimators=10, random_state=1)
        >>> cross_val_score(forest, X, smerf.Distances(Z), cv=3).shape
        (3,)
        """
        check_is_fitted(self)
        if triplets is not None:
            every = self.evaluate(
                X, y, Z=Z, pairs=pairs, graph=graph, observed=observed, triplets=triplets, metrics=metric
            )
            return every["in-order"]
        rows = self._items_of(X)
        truth = self._truth(X, rows.n, y, Z, pairs, graph, observed)
        name: str = metric or _core.usual_metric(truth)
        with asking(self, "scoring") as watch:
            score = self._model.evaluate(rows, None, truth, False, _options.metrics(name), watch)[name]
        _in_sample.warn_of_scores(self, rows)
        return score if name in _core.RISING_METRICS else -score


# Here and not above the method, as scikit-learn wraps what a class calls `transform` for set_output.
DistanceModel.transform = available_if(_keeps_items)(DistanceModel.transform)  # type: ignore[method-assign]
