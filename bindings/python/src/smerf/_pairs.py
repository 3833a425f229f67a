"""Pairs as metric-learn knows them: arrays of two items each, their distances, and a threshold that says which are alike."""

from __future__ import annotations

from typing import Any, Callable

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import NotFittedError
from sklearn.metrics import precision_recall_curve, roc_curve
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, column_or_1d

from . import _core, _in_sample, _options
from ._asking import Floats
from ._handing import HandingModel
from ._progress import asking
from ._targets import rows_of
from ._types import Oob, Strategy


def _has_trees(model: PairModel) -> bool:
    if model._method != "smerf":
        raise AttributeError("a spread over the trees is of forests")
    return True


class PairModel(HandingModel):
    """Adds what metric-learn's estimators offer."""

    threshold_: float

    def pair_distance(self, pairs: Any, X: Any = None, Y: Any = None) -> Floats:
        """Distances of the listed pairs only.

        Parameters
        ----------
        pairs : array of shape (m, 2, p), or of shape (m, 2)
            Two items each; or, with X, rows of X (and in Y, for the second).
        X : array of shape (n, p), optional
            Items that `pairs` refers to.
        Y : array of shape (k, p), optional
            Items that the second of each pair refers to.

        Returns
        -------
        distances : array of shape (m,)
            One a pair.

        Examples
        --------
        >>> import numpy as np, smerf
        >>> X, Z = smerf.simulate("radial", 60)
        >>> forest = smerf.DistanceForest(n_estimators=10, random_state=1).fit(X, Z)
        >>> forest.pair_distance(np.stack([X[:4], X[4:8]], axis=1)).shape
        (4,)
        >>> forest.pair_distance([[0, 4], [1, 5]], X).shape
        (2,)
        """
        return self._pair_distance(pairs, X, Y, False)[0]

    def _pair_distance(
        self, pairs: Any, X: Any, Y: Any, with_spread: bool, oob: bool = False
    ) -> tuple[Floats, Floats]:
        check_is_fitted(self)
        pairs = np.asarray(pairs)
        if X is None:
            if pairs.ndim != 3 or pairs.shape[1] != 2:
                raise ValueError(f"pairs have the shape (m, 2, p), and these have {pairs.shape}; rows of X go with X")
            if len(pairs) == 0:
                return np.empty(0), np.empty(0)
            X, Y = pairs[:, 0], pairs[:, 1]
            indices = np.repeat(np.arange(len(pairs)), 2).reshape(-1, 2)
        else:
            if pairs.ndim != 2 or pairs.shape[1] != 2:
                raise ValueError(f"indices of pairs have the shape (m, 2), and these have {pairs.shape}")
            indices = pairs
        rows = self._items_of(X)
        columns = None if Y is None else self._items_of(Y)
        left = rows_of(indices[:, 0], rows.n)
        right = rows_of(indices[:, 1], (rows if columns is None else columns).n)
        with asking(self, "finding distances") as watch:
            return self._model.pairs(rows, columns, left, right, oob, with_spread, watch)

    @available_if(_has_trees)  # type: ignore[untyped-decorator]
    def pair_spread(self, pairs: Any, X: Any = None, Y: Any = None) -> Floats:
        """Standard deviations over the trees of the distances that `pair_distance` gives; of forests.

        Parameters
        ----------
        pairs, X, Y
            As in `pair_distance`.

        Returns
        -------
        spread : array of shape (m,)
            One a pair.

        Examples
        --------
        >>> import smerf
        >>> X, Z = smerf.simulate("radial", 60)
        >>> forest = smerf.DistanceForest(n_estimators=10, random_state=1).fit(X, Z)
        >>> bool((forest.pair_spread([[0, 4], [1, 5]], X) >= 0).all())
        True
        """
        return self._pair_distance(pairs, X, Y, True)[1]

    def pair_score(self, pairs: Any, X: Any = None, Y: Any = None) -> Floats:
        """Minus the distances: the larger, the more alike.

        Parameters
        ----------
        pairs, X, Y
            As in `pair_distance`.

        Returns
        -------
        scores : array of shape (m,)
            One a pair.

        Examples
        --------
        >>> import smerf
        >>> X, Z = smerf.simulate("radial", 60)
        >>> forest = smerf.DistanceForest(n_estimators=10, random_state=1).fit(X, Z)
        >>> bool((forest.pair_score([[0, 4]], X) == -forest.pair_distance([[0, 4]], X)).all())
        True
        """
        return -self.pair_distance(pairs, X, Y)

    def get_metric(self) -> Callable[[Any, Any], float]:
        """The distance as a function of two vectors of features.

        Handy for what takes such a function; `distance` is much quicker for many pairs. A forest's trees are made ready
        when the function is made, and kept with the model (up to 512 MB): a call then takes microseconds.

        Returns
        -------
        metric : function
            Of two arrays of shape (p,).

        Examples
        --------
        >>> import smerf
        >>> X, Z = smerf.simulate("radial", 60)
        >>> metric = smerf.DistanceForest(n_estimators=10, random_state=1).fit(X, Z).get_metric()
        >>> metric(X[0], X[1]) == metric(X[1], X[0])
        True
        """
        check_is_fitted(self)

        if self._model.describe()["method"] == "smerf" and all(levels is None for _, levels in self._model.features()):
            with asking(self, "making trees ready") as watch:
                self._model.prepare(watch)
            of_two = _core.Metric(self._model, _core.Watch(1))
            return lambda u, v: of_two(np.asarray(u, dtype=np.float64), np.asarray(v, dtype=np.float64))

        def metric(u: Any, v: Any) -> float:
            both = np.stack([np.asarray(u), np.asarray(v)])[np.newaxis]
            return float(self.pair_distance(both)[0])

        return metric

    # ---- alike or not ----

    def calibrate_threshold(
        self,
        pairs: Any,
        y: Any,
        strategy: Strategy = "accuracy",
        min_rate: float | None = None,
        beta: float = 1.0,
        *,
        X: Any = None,
        oob: Oob = None,
    ) -> PairModel:
        """Choose the largest distance at which two items count as alike.

        Parameters
        ----------
        pairs : array of shape (m, 2, p), or of shape (m, 2) with X
            As in `pair_distance`.
        y : array of shape (m,)
            1 for pairs that are alike, -1 for others.
        strategy : {'accuracy', 'f_beta', 'max_tpr', 'max_tnr'}
            What is made as large as can be: the fraction of pairs that are told right; the F score; the fraction of alike
            pairs that are found while at least `min_rate` of the others are; or the other way round.
        min_rate : float
            For 'max_tpr' and 'max_tnr'.
        beta : float
            For 'f_beta': how much more recall counts than precision.
        X : array of shape (n, p), optional
            Items that `pairs` refers to.
        oob : {None, 'auto', True, False}, default=None
            Whether distances are those of trees that have seen neither item, where X are the training items. By default they
            are, as the others are too small: new items that are alike would be told apart. Pairs that every tree has seen are
            then left out. Pairs that bring their own items (m, 2, p) should be of new ones.

        Returns
        -------
        self : object
            With `threshold_`.

        Examples
        --------
        >>> import numpy as np, smerf
        >>> from sklearn.datasets import load_iris
        >>> X, y = load_iris(return_X_y=True)
        >>> forest = smerf.DistanceForest(n_estimators=20, random_state=1).fit(X, y)
        >>> pairs = np.random.default_rng(0).integers(150, size=(200, 2))
        >>> alike = np.where(y[pairs[:, 0]] == y[pairs[:, 1]], 1, -1)
        >>> forest = forest.calibrate_threshold(pairs, alike, X=X)
        >>> bool((forest.predict_pairs(pairs, X) == alike).mean() > 0.9)
        True
        """
        _options.word("strategy", strategy, ("accuracy", "f_beta", "max_tpr", "max_tnr"))
        if y is None:
            raise ValueError("calibrate_threshold requires y to be passed: 1 for pairs that are alike and -1 for others")
        check_is_fitted(self)
        items = None if X is None else self._items_of(X)
        out_of_bag = _in_sample.are_pairs_out_of_bag(self, oob, items, "the threshold is")
        scores, alike = -self._pair_distance(pairs, X, None, False, out_of_bag)[0], column_or_1d(y)
        if len(alike) == len(scores):
            scores, alike = scores[~np.isnan(scores)], alike[~np.isnan(scores)]
        if len(alike) != len(scores) or not np.isin(alike, (-1, 1)).all() or len(np.unique(alike)) < 2:
            raise ValueError("y is 1 for pairs that are alike and -1 for others, one a pair, and both occur")
        if strategy == "f_beta":
            precision, recall, cuts = precision_recall_curve(alike, scores, pos_label=1)
            with np.errstate(invalid="ignore"):
                value = np.nan_to_num((1 + beta**2) * precision * recall / (beta**2 * precision + recall))[:-1]
            self.threshold_ = float(-cuts[np.argmax(value)])
            return self
        fpr, tpr, cuts = roc_curve(alike, scores, pos_label=1, drop_intermediate=False)
        cuts[0] = np.nextafter(cuts[1], np.inf)  # nothing is alike
        self.threshold_ = float(-cuts[_best_cut(strategy, fpr, tpr, alike, min_rate)])
        return self

    def predict_pairs(self, pairs: Any, X: Any = None, Y: Any = None) -> NDArray[np.int64]:
        """Whether two items are alike: 1, or -1 if they are farther apart than `threshold_`.

        Parameters
        ----------
        pairs, X, Y
            As in `pair_distance`.

        Returns
        -------
        alike : array of shape (m,)
            1 or -1.

        Examples
        --------
        >>> import smerf
        >>> X, Z = smerf.simulate("radial", 60)
        >>> forest = smerf.DistanceForest(n_estimators=10, random_state=1).fit(X, Z)
        >>> forest.threshold_ = 0.5
        >>> set(forest.predict_pairs([[0, 4], [1, 5]], X).tolist()) <= {1, -1}
        True
        """
        check_is_fitted(self)
        if not hasattr(self, "threshold_"):
            raise NotFittedError(
                "predict_pairs needs a threshold: call calibrate_threshold(pairs, y) first, or set threshold_ to a distance"
            )
        return np.where(self.pair_distance(pairs, X, Y) <= self.threshold_, 1, -1)


def _best_cut(
    strategy: str, fpr: Floats, tpr: Floats, alike: NDArray[Any], min_rate: float | None
) -> int:
    """The point on a ROC curve that a strategy wants; the first, on a tie."""
    if strategy == "accuracy":
        n_alike, n_others = (alike == 1).sum(), (alike == -1).sum()
        return int(np.argmax(tpr * n_alike + (1 - fpr) * n_others))
    if min_rate is None or not 0 <= min_rate <= 1:
        raise ValueError(f"strategy='{strategy}' needs a min_rate in [0, 1]")
    kept, wanted = (1 - fpr, tpr) if strategy == "max_tpr" else (tpr, 1 - fpr)
    allowed = np.flatnonzero(kept >= min_rate)
    return int(allowed[np.argmax(wanted[allowed])])
