"""The forest of labels and the forest of numbers, where nothing is left to guess: scikit-learn's classifier and regressor."""

from __future__ import annotations

import os
from typing import Any, Iterable, TypeVar

import numpy as np
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d

from . import _core, _in_sample
from ._distances import Distances
from ._forest import DistanceForest
from ._targets import Known
from ._types import OobRule, SelfDistance, Splits

Self = TypeVar("Self", bound="ForestOfY")


class ForestOfY(DistanceForest):
    """A forest that learns from y alone, and knows what it means."""

    complete, rank = "auto", None  # of targets that these forests do not have

    def __init__(
        self,
        *,
        n_estimators: int = 500,
        candidates: int | str = "auto",
        splits: Splits = "axis",
        density: float | None = None,
        min_parent: int = 2,
        max_depth: int | None = None,
        sample: str = "bootstrap",
        oob_rule: OobRule = "both",
        self_distance: SelfDistance = "auto",
        shrink: str | float = "auto",
        first_tree: int = 0,
        warm_start: bool = False,
        categories: Iterable[str | int] | None = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.n_estimators = n_estimators
        self.candidates = candidates
        self.splits = splits
        self.density = density
        self.min_parent = min_parent
        self.max_depth = max_depth
        self.sample = sample
        self.oob_rule = oob_rule
        self.self_distance = self_distance
        self.shrink = shrink
        self.first_tree = first_tree
        self.warm_start = warm_start
        self.categories = categories
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def fit(self: Self, X: Any, y: Any, sample_weight: Any = None) -> Self:  # type: ignore[override]
        """Learn a distance from features and y.

        Parameters
        ----------
        X : array, frame or sparse matrix of shape (n, p)
            Features; as in `DistanceForest`.
        y : array of shape (n,), or of shape (n, k) for numbers
            Labels of a classifier, numbers of a regressor, whatever their dtype.
        sample_weight : array of shape (n,), optional
            As in `DistanceForest`.

        Returns
        -------
        self : object
            The fitted estimator.

        Examples
        --------
        >>> import smerf
        >>> from sklearn.datasets import load_iris
        >>> X, y = load_iris(return_X_y=True)
        >>> smerf.DistanceForestClassifier(n_estimators=20, random_state=1).fit(X, y).target_
        'labels'
        >>> smerf.DistanceForestRegressor(n_estimators=20, random_state=1).fit(X, y).target_
        'response'
        """
        return super().fit(X, y, sample_weight=sample_weight)

    def _problem(
        self, X: Any, y: Any, Z: Any, pairs: Any, graph: Any, observed: Any, sample_weight: Any
    ) -> tuple[_core.Items, Known]:
        if isinstance(y, Distances) or any(given is not None for given in (Z, pairs, graph, observed)):
            raise ValueError(f"{type(self).__name__} learns from y; DistanceForest takes distances, pairs and graphs too")
        y = None if y is None else self._checked(y)
        return super()._problem(X, y, None, None, None, None, sample_weight)

    def _checked(self, y: Any) -> Any:
        return y

    @classmethod
    def _parameters_of(cls, options: dict[str, Any]) -> dict[str, Any]:
        every = super()._parameters_of(options)
        return {name: every[name] for name in cls._get_param_names() if name in every}

    @classmethod
    def load(cls: type[Self], path: str | os.PathLike[str]) -> Self:
        """Read a model of such a target from a file; as `DistanceForest.load`.

        Parameters
        ----------
        path : str or path-like
            The file.

        Returns
        -------
        estimator : object
            A fitted estimator.

        Examples
        --------
        >>> import os, smerf, tempfile
        >>> from sklearn.datasets import load_iris
        >>> X, y = load_iris(return_X_y=True)
        >>> path = os.path.join(tempfile.mkdtemp(), "iris.smerf")
        >>> smerf.DistanceForestClassifier(n_estimators=5, random_state=1).fit(X, y).save(path)
        >>> smerf.DistanceForestClassifier.load(path).classes_
        array([0, 1, 2])
        """
        estimator = super().load(path)
        if estimator.target_ != cls.target:
            raise ValueError(f"the model was fitted on a target '{estimator.target_}'; smerf.load finds its class")
        return estimator


class ScoredOnNew:
    """Before scikit-learn's mixins, whose `score` it hands on."""

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """The accuracy of a classifier, R^2 of a regressor; with an `InSampleWarning` if X are the items that it has learned from.

        Parameters
        ----------
        X : array of shape (n, p)
            Items.
        y : array of shape (n,), or of shape (n, k) for numbers
            Their labels or numbers.
        sample_weight : array of shape (n,), optional
            What each item counts.

        Returns
        -------
        score : float
            The larger the better.

        Examples
        --------
        >>> import smerf
        >>> from sklearn.datasets import load_iris
        >>> X, y = load_iris(return_X_y=True)
        >>> forest = smerf.DistanceForestClassifier(n_estimators=20, random_state=1).fit(X[::2], y[::2])
        >>> forest.score(X[1::2], y[1::2]) > 0.9
        True
        """
        score: float = super().score(X, y, sample_weight=sample_weight)  # type: ignore[misc]
        _in_sample.warn_of_scores(self, self._items_of(X), what="the score is")  # type: ignore[arg-type, attr-defined]
        return score


class DistanceForestClassifier(ScoredOnNew, ClassifierMixin, ForestOfY):  # type: ignore[misc]
    """The forest of labels: y is labels whatever its dtype, and `score` is the accuracy.

    Two items are at distance 1 if their labels differ, else 0: the engine and the model are those of
    ``DistanceForest(target="labels")``, and every question about distances is answered as there (`evaluate` scores them).

    Parameters
    ----------
    n_estimators, candidates, splits, density, min_parent, max_depth, sample, oob_rule, self_distance, shrink, first_tree, warm_start
        As in `DistanceForest`.
    categories, n_jobs, random_state, verbose
        As in `DistanceForest`.

    Attributes
    ----------
    classes_ : array
        The labels, sorted.

    Examples
    --------
    >>> import smerf
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.model_selection import cross_val_score
    >>> X, y = load_iris(return_X_y=True)
    >>> forest = smerf.DistanceForestClassifier(n_estimators=50, random_state=1)
    >>> bool(cross_val_score(forest, X, y).mean() > 0.9)
    True
    """

    target = "labels"

    def _checked(self, y: Any) -> Any:
        if np.asarray(y).ndim == 2:
            y = column_or_1d(y, warn=True)
        check_classification_targets(y)
        return y

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = False
        return tags


class DistanceForestRegressor(ScoredOnNew, RegressorMixin, ForestOfY):  # type: ignore[misc]
    """The forest of numbers: y is a response whatever its dtype, and `score` is R^2.

    Two items are at half the squared difference of their numbers, summed over columns: the engine and the model are those
    of ``DistanceForest(target="response")``, and every question about distances is answered as there (`evaluate` scores them).

    Parameters
    ----------
    n_estimators, candidates, splits, density, min_parent, max_depth, sample, oob_rule, self_distance, shrink, first_tree, warm_start
        As in `DistanceForest`.
    categories, n_jobs, random_state, verbose
        As in `DistanceForest`.

    Examples
    --------
    >>> import smerf
    >>> from sklearn.datasets import load_diabetes
    >>> from sklearn.model_selection import cross_val_score
    >>> X, y = load_diabetes(return_X_y=True)
    >>> forest = smerf.DistanceForestRegressor(n_estimators=50, random_state=1)
    >>> bool(cross_val_score(forest, X, y.astype(int)).mean() > 0.35)
    True
    """

    target = "response"

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags = None
        return tags
