"""What people do with a distance: neighbours that vote, clusters, maps."""

from __future__ import annotations

import os
import tempfile
from typing import Any, Literal, overload

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import Bunch, check_array
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from . import _core, _frames, _in_sample, _inputs, _labels, _options
from ._asking import Floats
from ._inline import Report
from ._pairs import PairModel
from ._progress import asking
from ._types import ClustersBy, Oob, Path


def _has_vectors(model: ExploringModel) -> bool:
    if not hasattr(model, "_model"):
        is_there = model._method == "smerf" and model.target in ("auto", "labels", "response", "product")
    else:
        is_there = model._model.has_vectors()
    if not is_there:
        raise AttributeError("there are vectors of forests on labels, responses, products and distances of a low rank")
    return True


class ExploringModel(PairModel):
    """Adds votes, clusters and maps, of any method."""

    def vote(
        self, y: Any, X: Any = None, n_neighbors: int = 5, *, Y: Any = None, shares: bool = False, oob: Oob = None
    ) -> NDArray[Any]:
        """What the nearest items say of a label, or of a number.

        Parameters
        ----------
        y : array of shape (m,)
            Labels or numbers of the catalogue; numbers with a point (dtype float) are averaged.
        X : array of shape (n, p), optional
            Whose labels are wanted; without it those of the catalogue, in which no item has a vote on itself.
        n_neighbors : int, default=5
            How many neighbours vote.
        Y : array of shape (m, p), optional
            The catalogue; without it the training items.
        shares : bool, default=False
            The fraction of each class instead of the label, in the order of ``numpy.unique(y)``.
        oob : {None, 'auto', True, False}, default=None
            As in `kneighbors`: the training items are voted on out of bag.

        Returns
        -------
        votes : array of shape (n,), or (n, n_classes)
            The label with most votes (of several, that of the nearest neighbour), or the mean of the numbers.

        Examples
        --------
        >>> import smerf
        >>> from sklearn.datasets import load_iris
        >>> X, y = load_iris(return_X_y=True)
        >>> forest = smerf.DistanceForest(n_estimators=100, random_state=1).fit(X, y)
        >>> bool((forest.vote(y) == y).mean() > 0.9)  # out of bag: of labels that are noise it would be 1/3
        True
        """
        check_is_fitted(self)
        if y is None:
            raise ValueError("vote requires y to be passed: the labels or numbers of the catalogue's items")
        items = self._items_of(Y)
        queries = None if X is None else self._items_of(X)
        y = _labels.aligned(_frames.values_of(y), self._index_of(Y), "y", "X" if Y is None else "Y")
        y = check_array(y, ensure_2d=False, dtype=None, input_name="y")
        if y.shape != (items.n,):
            raise ValueError(f"y has the shape {y.shape}, and the catalogue {items.n} items")
        k = _options.count("n_neighbors", n_neighbors, 1)
        queries, out_of_bag = _in_sample.among(self, oob, items, queries, "votes are")
        self._check_enough(k, items.n, queries is None)
        with asking(self, "taking votes") as watch:
            if y.dtype.kind == "f":
                values = np.ascontiguousarray(y, dtype=np.float64)
                return _core.vote(self._model, items, queries, k, out_of_bag, None, 0, values, watch)[0][:, 0]
            classes, indices = np.unique(y, return_inverse=True)
            codes = np.ascontiguousarray(indices, dtype=np.uint32)
            found, winners = _core.vote(self._model, items, queries, k, out_of_bag, codes, len(classes), None, watch)
        if shares:
            return found
        lacking = np.flatnonzero(winners == _core.MISSING)
        if len(lacking) > 0:
            raise ValueError(f"item {lacking[0]} has no neighbour that could vote; shares=True has NaN there")
        return np.asarray(classes[winners])

    def cluster(
        self,
        X: Any = None,
        n_clusters: int | None = None,
        *,
        by: ClustersBy = "medoids",
        max_clusters: int | None = None,
        random_state: Any = 1,
        oob: Oob = None,
    ) -> Bunch:
        """Groups of items by the learned distance.

        Parameters
        ----------
        X : array of shape (n, p), optional
            Items; without them the training items.
        n_clusters : int, optional
            How many; without it 2 to `max_clusters` are tried, and that with the largest mean silhouette is kept.
        by : {'medoids', 'means'}, default='medoids'
            k-medoids, which needs the matrix of distances, or k-means in the forest's Euclidean view.
        max_clusters : int, optional
            20 by default.
        random_state : int, RandomState or None, default=1
            Where k-means starts.
        oob : {None, 'auto', True, False}, default=None
            True: of the training items at out-of-bag distances (by medoids). False: by all trees. None and 'auto': by all
            trees, with an `InSampleWarning` for training items, which lie in too good clusters.

        Returns
        -------
        result : Bunch
            `labels` (n,) from 0 in the order of the first items, `medoids` (n_clusters,) rows of the items that stand
            for the clusters, `silhouettes` (n,), `n_clusters`, `cost`, `silhouette` (the mean), and `tried`: mean
            silhouettes by number of clusters, where that was chosen.

        Examples
        --------
        >>> import smerf
        >>> from sklearn.datasets import load_iris
        >>> X, y = load_iris(return_X_y=True)
        >>> forest = smerf.DistanceForest(random_state=1).fit(X, y)
        >>> forest.cluster(n_clusters=3, oob=True).medoids.shape
        (3,)
        """
        items = self._items_of(X)
        k = 0 if n_clusters is None else _options.count("n_clusters", n_clusters, 1)
        most = 0 if max_clusters is None else _options.count("max_clusters", max_clusters, 2)
        index = _options.word("by", by, ("medoids", "means"))
        out_of_bag = _in_sample.is_out_of_bag(self, oob, items, "clusters and silhouettes are")
        with asking(self, "clustering") as watch:
            labels, standing, silhouettes, tries, facts = _core.cluster(
                self._model, items, index, k, most, _options.seed(random_state), out_of_bag, watch
            )
        _, first = np.unique(labels, return_index=True)
        return Bunch(
            labels=labels.astype(np.int64),
            medoids=standing[first].astype(np.int64),
            silhouettes=silhouettes,
            n_clusters=facts["k"],
            cost=facts["cost"],
            silhouette=facts["silhouette"],
            tried={int(number): float(tries[number]) for number in np.flatnonzero(~np.isnan(tries))},
        )

    @overload
    def embed(
        self,
        X: Any = None,
        n_components: int = 2,
        *,
        n_landmarks: int | None = None,
        random_state: Any = 1,
        return_facts: Literal[False] = False,
        oob: Oob = None,
    ) -> Floats: ...
    @overload
    def embed(
        self,
        X: Any = None,
        n_components: int = 2,
        *,
        n_landmarks: int | None = None,
        random_state: Any = 1,
        return_facts: Literal[True],
        oob: Oob = None,
    ) -> tuple[Floats, Bunch]: ...
    def embed(
        self,
        X: Any = None,
        n_components: int = 2,
        *,
        n_landmarks: int | None = None,
        random_state: Any = 1,
        return_facts: bool = False,
        oob: Oob = None,
    ) -> Any:
        """A map: coordinates whose Euclidean distances come near the learned ones (classical scaling).

        Parameters
        ----------
        X : array of shape (n, p), optional
            Items; without them the training items.
        n_components : int, default=2
            Number of coordinates.
        n_landmarks : int, optional
            So many items are scaled, and the others placed by their distances to them; all up to 5,000 by default.
        random_state : int, RandomState or None, default=1
            Which items are landmarks.
        return_facts : bool, default=False
            Also how good the map is.
        oob : {None, 'auto', True, False}, default=None
            True: of the training items at out-of-bag distances. False: by all trees. None and 'auto': by all trees, with an
            `InSampleWarning` for training items, which lie in too good groups.

        Returns
        -------
        coordinates : array of shape (n, n_components)
            Axes in the order of their eigenvalues.
        facts : Bunch
            `eigenvalues`, `stress`, `share_of_values` and `n_landmarks`, if asked for.

        Examples
        --------
        >>> import smerf
        >>> X, Z = smerf.simulate("radial", 60)
        >>> forest = smerf.DistanceForest(random_state=1).fit(X, Z)
        >>> forest.embed(oob=True).shape
        (60, 2)
        >>> forest.embed(smerf.simulate("radial", 30, part=1)[0]).shape
        (30, 2)
        """
        items = self._items_of(X)
        n, landmarks = _options.count("n_components", n_components, 1), n_landmarks
        landmarks = 0 if landmarks is None else _options.count("n_landmarks", landmarks, 1)
        out_of_bag = _in_sample.is_out_of_bag(self, oob, items, "groups on the map look")
        with asking(self, "mapping") as watch:
            coordinates, eigenvalues, facts = _core.embed(
                self._model, items, n, landmarks, _options.seed(random_state), out_of_bag, watch
            )
        return (coordinates, Bunch(eigenvalues=eigenvalues, **facts)) if return_facts else coordinates

    @overload
    def report(
        self,
        path: None = None,
        X: Any = None,
        y: Any = None,
        *,
        Z: Any = None,
        pairs: Any = None,
        graph: Any = None,
        observed: Any = None,
        show: dict[str, Any] | None = None,
        title: str | None = None,
        n_clusters: int | None = None,
    ) -> Report: ...
    @overload
    def report(
        self,
        path: Path,
        X: Any = None,
        y: Any = None,
        *,
        Z: Any = None,
        pairs: Any = None,
        graph: Any = None,
        observed: Any = None,
        show: dict[str, Any] | None = None,
        title: str | None = None,
        n_clusters: int | None = None,
    ) -> None: ...
    def report(
        self,
        path: Path | None = None,
        X: Any = None,
        y: Any = None,
        *,
        Z: Any = None,
        pairs: Any = None,
        graph: Any = None,
        observed: Any = None,
        show: dict[str, Any] | None = None,
        title: str | None = None,
        n_clusters: int | None = None,
    ) -> Report | None:
        """Write one page to look at: what was learned and how well, a map, neighbours, explanations.

        Parameters
        ----------
        path : str or path-like, optional
            Where the page goes; with a name that ends in .json only the numbers that it is made of. Without it the page is
            returned, and a notebook shows it.
        X : array of shape (n, p), optional
            Items; without them the training items.
        y, Z, pairs, graph, observed
            What is known of their pairs, as in `fit`; without it the scores are out of bag.
        show : dict of arrays of shape (n,), optional
            More columns to colour the map by, by name.
        title : str, optional
            What the page is called.
        n_clusters : int, optional
            As many as fit best by default.

        Returns
        -------
        report : Report
            Without a path.

        Examples
        --------
        >>> import os, smerf, tempfile
        >>> X, Z = smerf.simulate("radial", 60)
        >>> forest = smerf.DistanceForest(n_estimators=20, random_state=1).fit(X, Z)
        >>> path = os.path.join(tempfile.mkdtemp(), "report.html")
        >>> forest.report(path, show={"first half": X[:, 0] < 0.5})
        >>> os.path.getsize(path) > 100_000
        True
        """
        if path is None:
            with tempfile.TemporaryDirectory() as folder:
                page = os.path.join(folder, "report.html")
                told: dict[str, Any] = {"Z": Z, "pairs": pairs, "graph": graph, "observed": observed}
                self.report(page, X, y, **told, show=show, title=title, n_clusters=n_clusters)
                with open(page, encoding="utf-8", newline="") as file:
                    return Report(file.read())
        items = self._items_of(X)
        given = [name for name, value in (("y", y), ("Z", Z), ("pairs", pairs), ("graph", graph)) if value is not None]
        truth = self._truth(X, items.n, y, Z, pairs, graph, observed) if given else None
        y = _labels.aligned(_frames.values_of(y), self._index_of(X), "y")
        shown = {
            name: _labels.aligned(_frames.values_of(values), self._index_of(X), f"column '{name}'")
            for name, values in (show or {}).items()
        }
        columns = [("other", column) for column in _inputs.shown_columns(shown, items.n)]
        columns += [("feature", _inputs.plain_column(column)) for column in items.columns]
        if given == ["y"] and np.ndim(y) == 1:
            columns.insert(0, ("target", _inputs.shown_columns({self._target_name(): y}, items.n)[0]))
        n = 0 if n_clusters is None else _options.count("n_clusters", n_clusters, 1)
        name = type(self).__name__ if title is None else title
        with asking(self, "writing a report") as watch:
            is_bare = os.fspath(path).endswith(".json")
            _core.report(self._model, items, truth, columns, path, name, given[0] if given else None, n, is_bare, watch)
        return None

    def _target_name(self) -> str:
        return str((self._model.describe()["target_columns"] or ["y"])[0])

    @available_if(_has_vectors)  # type: ignore[untyped-decorator]
    def vectors(self, X: Any = None, *, query: bool = False) -> NDArray[np.float32]:
        """Items as vectors that any search engine for Euclidean distances can search.

        The squared Euclidean distance of a query's vector and a catalogue item's is the learned distance plus a number
        that depends on the query alone. For labels, responses, products and forms of low rank; exact for pairs in
        different leaves.

        Parameters
        ----------
        X : array of shape (n, p), optional
            Items; without them the training items.
        query : bool, default=False
            Whether they are queries, or items of the catalogue.

        Returns
        -------
        vectors : array of float32, one row an item
            Long: a few numbers for every tree.

        Examples
        --------
        >>> import smerf
        >>> from sklearn.datasets import load_iris
        >>> X, y = load_iris(return_X_y=True)
        >>> forest = smerf.DistanceForest(n_estimators=20, random_state=1).fit(X, y)
        >>> forest.vectors(X).shape
        (150, 61)
        """
        items = self._items_of(X)
        with asking(self, "writing vectors") as watch:
            return _core.vectors(self._model, items, query, watch)[0]
