"""A catalogue that is kept, for neighbours that are wanted again and again."""

from __future__ import annotations

import copy
import os
import threading
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from . import _core, _options
from ._progress import asking

if TYPE_CHECKING:
    from ._asking import DistanceModel

Floats = NDArray[np.float64]


class Index:
    """Items of which neighbours are wanted again and again.

    What is kept of an item is its leaf in every tree, and not the item: a query is sent down the trees, and the items are
    not. The neighbours and distances are those of `kneighbors` by all trees (``oob=False``), to the last bit: an index is for
    queries that the forest has not learned from. It comes from the `index` method of a
    forest, or from `smerf.load_index`; it can be pickled, with the forest as it was fitted then. Threads may query it at the
    same time; `add` waits for them.

    Examples
    --------
    >>> import smerf
    >>> X, Z = smerf.simulate("radial", 80)
    >>> forest = smerf.DistanceForest(n_estimators=10, random_state=1).fit(X[:60], Z[:60, :60])
    >>> index = forest.index(X[:60])
    >>> distances, indices = index.query(X[60:], k=3)
    >>> bool((indices == forest.kneighbors(X[60:], 3, Y=X[:60])[1]).all())
    True
    >>> len(index.add(X[60:]))
    80
    """

    def __init__(self, forest: DistanceModel, kept: _core.Index) -> None:
        self._forest = copy.copy(forest)  # which may be fitted again, and then be another
        self._forest._items = None
        self._kept = kept
        self._start_lock()

    def _start_lock(self) -> None:
        self._has_changed, self._n_readers = threading.Condition(), 0

    def __len__(self) -> int:
        return len(self._kept)

    def __repr__(self) -> str:
        return f"<Index of {len(self)} items>"

    def __getstate__(self) -> dict[str, Any]:
        return {"_forest": self._forest, "_kept": self._kept}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._start_lock()

    def _ask(self, X: Any, k: int, radius: float | None) -> tuple[NDArray[np.int64], NDArray[np.int64], Floats]:
        queries = self._forest._items_of(X)
        with self._has_changed:
            self._n_readers += 1
        try:
            with asking(self._forest, "finding neighbours") as watch:
                return self._kept.query(queries, k, radius, watch)
        finally:
            with self._has_changed:
                self._n_readers -= 1
                self._has_changed.notify_all()

    def query(self, X: Any, k: int = 5) -> tuple[Floats, NDArray[np.int64]]:
        """The nearest items of each query.

        Parameters
        ----------
        X : array of shape (n, p)
            Whose neighbours are wanted. An item of the index is a neighbour like any other, also of itself.
        k : int
            How many.

        Returns
        -------
        distances : array of shape (n, k)
            From near to far.
        indices : array of shape (n, k)
            Places in the index; equal distances in its order.

        Examples
        --------
        >>> import smerf
        >>> X, Z = smerf.simulate("radial", 60)
        >>> index = smerf.DistanceForest(n_estimators=10, random_state=1).fit(X, Z).index(X)
        >>> index.query(X[:2], k=3)[1].shape
        (2, 3)
        """
        k = _options.count("k", k, 1)
        if k > len(self):
            raise ValueError(f"k = {k} neighbours are asked for, and the index has {len(self)} items")
        start, indices, distances = self._ask(X, k, None)
        shape = len(start) - 1, k
        return distances.reshape(shape), indices.reshape(shape)

    def within(self, X: Any, radius: float, k: int | None = None) -> sparse.csr_matrix:
        """The items at a distance of `radius` or less, as a sparse matrix of distances.

        Parameters
        ----------
        X : array of shape (n, p)
            Queries.
        radius : float
            The largest distance.
        k : int, optional
            No more than so many of each.

        Returns
        -------
        graph : sparse matrix of shape (n, number of items)
            A row's entries from near to far; a distance of 0 is an entry too.

        Examples
        --------
        >>> import smerf
        >>> X, Z = smerf.simulate("radial", 60)
        >>> index = smerf.DistanceForest(n_estimators=10, random_state=1).fit(X, Z).index(X)
        >>> bool((index.within(X[:5], 0.1).data <= 0.1).all())
        True
        """
        start, indices, distances = self._ask(X, 0 if k is None else _options.count("k", k, 1), float(radius))
        return sparse.csr_matrix((distances, indices, start), shape=(len(start) - 1, len(self)))

    def add(self, X: Any) -> Index:
        """Add items behind those that are there: the same index as if all had been given at once.

        Parameters
        ----------
        X : array of shape (n, p)
            Items.

        Returns
        -------
        self : object
            The index.

        Examples
        --------
        >>> import smerf
        >>> X, Z = smerf.simulate("radial", 60)
        >>> forest = smerf.DistanceForest(n_estimators=10, random_state=1).fit(X, Z)
        >>> len(forest.index(X[:20]).add(X[20:]))
        60
        """
        items = self._forest._items_of(X)
        with self._has_changed:
            self._has_changed.wait_for(lambda: self._n_readers == 0)
            with asking(self._forest, "adding items") as watch:
                self._kept.add(items, watch)
        return self

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the index to a file that the command reads too.

        It belongs to the forest, and is of no use without: save that as well.

        Parameters
        ----------
        path : str or path-like
            Where it goes; the command's end in .index.

        Examples
        --------
        >>> import os, smerf, tempfile
        >>> X, Z = smerf.simulate("radial", 60)
        >>> forest = smerf.DistanceForest(n_estimators=5, random_state=1).fit(X, Z)
        >>> path = os.path.join(tempfile.mkdtemp(), "radial.index")
        >>> forest.index(X).save(path)
        >>> len(smerf.load_index(path, forest))
        60
        """
        self._kept.save(path)


class Indexing:
    """What makes an index."""

    def index(self: Any, X: Any = None) -> Index:
        """Keep a catalogue, to search it again and again; of forests.

        Parameters
        ----------
        X : array of shape (n, p), optional
            The catalogue; without it the training items.

        Returns
        -------
        index : Index
            To be asked with `Index.query`. It takes 4 bytes for an item and tree, or 1 byte for labels where all leaves are
            pure, as they are by default.

        Examples
        --------
        >>> import smerf
        >>> X, Z = smerf.simulate("radial", 60)
        >>> smerf.DistanceForest(n_estimators=10, random_state=1).fit(X, Z).index()
        <Index of 60 items>
        """
        items = self._items_of(X)
        with asking(self, "making an index") as watch:
            return Index(self, _core.index(self._model, items, watch))


def load_index(path: str | os.PathLike[str], forest: DistanceModel) -> Index:
    """Read an index from a file, whether Python or the command wrote it.

    Parameters
    ----------
    path : str or path-like
        The file.
    forest : object
        The forest that it belongs to: any other is refused.

    Returns
    -------
    index : Index
        As it was saved.

    Examples
    --------
    >>> import os, smerf, tempfile
    >>> X, Z = smerf.simulate("radial", 60)
    >>> forest = smerf.DistanceForest(n_estimators=5, random_state=1).fit(X, Z)
    >>> path = os.path.join(tempfile.mkdtemp(), "radial.index")
    >>> forest.index(X).save(path)
    >>> smerf.load_index(path, forest)
    <Index of 60 items>
    """
    check_is_fitted(forest)
    return Index(forest, _core.load_index(path, forest._model))
