"""Which features make a forest's distances: in all, together, and for one pair."""

from __future__ import annotations

import warnings
from typing import Any, Sequence

import numpy as np
from sklearn.utils import Bunch
from sklearn.utils.validation import check_is_fitted

from . import _core, _inputs, _options
from ._asking import Floats
from ._exploring import ExploringModel
from ._progress import asking
from ._targets import rows_of


def _row(item: Any) -> Any:
    """One item as a table of one row."""
    if _inputs.is_series(item):
        return item.to_frame().T.infer_objects()
    if _inputs.is_frame(item):
        return item
    array = np.asarray(item)
    return array.reshape(1, -1) if array.ndim == 1 else array


class Explained(ExploringModel):
    """Adds what forests and boosting tell of their features, and their distances out of bag."""

    def oob_distance(self, X: Any = None) -> Floats:
        """Distances of the training items by trees that have not seen them; NaN where there is none.

        They are computed with every call, and not kept: they are as large as the matrix of all pairs.

        Parameters
        ----------
        X : array of shape (n, p), optional
            The training items, where the model comes from a file.

        Returns
        -------
        distances : array of shape (n, n)
            As ``distance(X, oob=True)``.

        Examples
        --------
        >>> import smerf
        >>> X, Z = smerf.simulate("radial", 40)
        >>> smerf.DistanceForest(n_estimators=50, random_state=1).fit(X, Z).oob_distance().shape
        (40, 40)
        """
        return self.distance(self._items_of(X), oob=True)

    @property
    def feature_importances_(self) -> Floats:
        """What the splits on each feature have gained, summing to 1.

        A warning names categories with few items for each level, which gain by noise; see `permutation_importance`.

        Examples
        --------
        >>> import smerf
        >>> X, Z = smerf.simulate("regression", 80)
        >>> forest = smerf.DistanceForest(n_estimators=50, random_state=1).fit(X, Z)
        >>> sorted(forest.feature_importances_.argsort()[-2:].tolist())
        [0, 1]
        """
        check_is_fitted(self)
        gains = _core.importance(self._model)
        overstated = np.flatnonzero(_core.importance_overstated(self._model, gains))
        if len(overstated) > 0:
            names = ", ".join(self._model.features()[k][0] for k in overstated)
            warnings.warn(
                f"{names}: gains overstate a category with few items for each level; permutation_importance does not",
                UserWarning,
                stacklevel=2,
            )
        total = gains.sum()
        return gains / total if total > 0 else gains

    def permutation_importance(self, X: Any = None) -> Bunch:
        """How much the squared error out of bag grows when a feature is shuffled.

        Parameters
        ----------
        X : array of shape (n, p), optional
            The training items, where the model comes from a file.

        Returns
        -------
        result : Bunch
            `importances_mean` over the trees, and `standard_error` of that mean; one number a feature.

        Examples
        --------
        >>> import smerf
        >>> X, Z = smerf.simulate("regression", 80)
        >>> forest = smerf.DistanceForest(n_estimators=50, random_state=1).fit(X, Z)
        >>> forest.permutation_importance().importances_mean.shape
        (20,)
        """
        items = self._items_of(X)
        with asking(self, "shuffling features") as watch:
            mean, error = _core.permutation_importance(self._model, items, watch)
        return Bunch(importances_mean=mean, standard_error=error)

    def interactions(self, features: Sequence[str | int], X: Any = None) -> Bunch:
        """What features do together: how much more the error grows when two are shuffled than when each is.

        Parameters
        ----------
        features : list of names or indices
            At least two.
        X : array of shape (n, p), optional
            The training items, where the model comes from a file.

        Returns
        -------
        result : Bunch
            `interactions_mean` over the trees and `standard_error`, one row and column a feature, the diagonal 0.

        Examples
        --------
        >>> import smerf
        >>> X, Z = smerf.simulate("regression", 80)
        >>> forest = smerf.DistanceForest(n_estimators=50, random_state=1).fit(X, Z)
        >>> forest.interactions([0, 1, 2]).interactions_mean.shape
        (3, 3)
        """
        items = self._items_of(X)
        names = [name for name, _ in self._model.features()]
        for name in features:
            if isinstance(name, str) and name not in names:
                raise ValueError(f"there is no feature '{name}'")
        chosen = rows_of([names.index(f) if isinstance(f, str) else f for f in features], len(names))
        with asking(self, "shuffling features") as watch:
            mean, error = _core.interaction(self._model, items, chosen, watch)
        return Bunch(interactions_mean=mean, standard_error=error)

    # ---- one distance ----

    def explain_pair(self, x: Any, y: Any) -> Bunch:
        """An account of one distance: where it starts, and what each feature adds.

        Parameters
        ----------
        x, y : array of shape (p,), series or frame of one row
            Two items.

        Returns
        -------
        account : Bunch
            `baseline`, `shares` (p,), `distance` and `feature_names`: baseline + the sum of the shares is the distance.

        Examples
        --------
        >>> import smerf
        >>> X, Z = smerf.simulate("regression", 80)
        >>> forest = smerf.DistanceForest(n_estimators=50, random_state=1).fit(X, Z)
        >>> account = forest.explain_pair(X[0], X[1])
        >>> bool(abs(account.baseline + account.shares.sum() - account.distance) < 1e-9)
        True
        """
        one = np.zeros(1, dtype=np.uint32)
        check_is_fitted(self)
        rows, columns = self._items_of(_row(x)), self._items_of(_row(y))
        with asking(self, "explaining") as watch:
            baseline, shares, distance = _core.explain_pairs(self._model, rows, columns, one, one, watch)
        return Bunch(
            baseline=float(baseline[0]),
            shares=shares[0],
            distance=float(distance[0]),
            feature_names=[name for name, _ in self._model.features()],
        )

    def explain_pairs(self, pairs: Any, X: Any, Y: Any = None) -> Bunch:
        """The same for many pairs.

        Parameters
        ----------
        pairs : array of shape (m, 2)
            Places in X (and in Y, for the second).
        X : array of shape (n, p)
            Items.
        Y : array of shape (k, p), optional
            Items that the second of each pair refers to.

        Returns
        -------
        account : Bunch
            `baseline` (m,), `shares` (m, p) and `distance` (m,).

        Examples
        --------
        >>> import smerf
        >>> X, Z = smerf.simulate("regression", 80)
        >>> forest = smerf.DistanceForest(n_estimators=50, random_state=1).fit(X, Z)
        >>> forest.explain_pairs([[0, 1], [2, 3]], X).shares.shape
        (2, 20)
        """
        indices = np.asarray(pairs)
        if indices.ndim != 2 or indices.shape[1] != 2:
            raise ValueError(f"indices of pairs have the shape (m, 2), and these have {indices.shape}")
        rows = self._items_of(X)
        columns = None if Y is None else self._items_of(Y)
        left = rows_of(indices[:, 0], rows.n)
        right = rows_of(indices[:, 1], (rows if columns is None else columns).n)
        with asking(self, "explaining") as watch:
            baseline, shares, distance = _core.explain_pairs(self._model, rows, columns, left, right, watch)
        return Bunch(baseline=baseline, shares=shares, distance=distance)

    def explain_items(self, items: Any, X: Any = None, n_neighbors: int = 10) -> Bunch:
        """What parts some items from the rest: features whose share is larger for others than for neighbours.

        Parameters
        ----------
        items : array of shape (m,)
            Places of the items among X.
        X : array of shape (n, p), optional
            All items; without them the training items.
        n_neighbors : int, default=10
            How many of the nearest count as near.

        Returns
        -------
        shares : Bunch
            `near` (m, p) and `others` (m, p): mean shares in the distances to the neighbours, and to all others.

        Examples
        --------
        >>> import smerf
        >>> X, Z = smerf.simulate("regression", 80)
        >>> forest = smerf.DistanceForest(n_estimators=50, random_state=1).fit(X, Z)
        >>> forest.explain_items([0, 1]).near.shape
        (2, 20)
        """
        rows = self._items_of(X)
        chosen = rows_of(items, rows.n)
        k = _options.count("n_neighbors", n_neighbors, 1)
        with asking(self, "explaining") as watch:
            near, others = _core.explain_items(self._model, rows, chosen, k, watch)
        return Bunch(near=near, others=others)
