"""The forest of the paper as an estimator: its parameters, and what only a forest can tell."""

from __future__ import annotations

from typing import Any, Iterable

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import ClassifierTags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from . import _core, _options
from ._asking import Floats
from ._growing import GrowingForest
from ._index import Indexing
from ._progress import asking
from ._tuning import Tuned
from ._types import Complete, Metric, OobRule, SelfDistance, Splits, Target


def _means(forest: DistanceForest, *kinds: str) -> bool:
    """Whether it was fitted on one of these targets, or may be."""
    kind = forest.target_ if hasattr(forest, "_model") else forest.target
    if kind not in ("auto", *kinds):
        raise AttributeError(f"only {' and '.join(kinds)} can be predicted so, and the target is '{kind}'")
    return True


def _predicts(forest: DistanceForest) -> bool:
    return _means(forest, "labels", "response")


def _has_shares(forest: DistanceForest) -> bool:
    return _means(forest, "labels")


class DistanceForest(Indexing, GrowingForest, Tuned):
    """Similarity and metric random forest: learns how far apart items are.

    Parameters
    ----------
    n_estimators : int, default=500
        Number of trees.
    target : {'auto', 'labels', 'response', 'absolute', 'product'}, default='auto'
        What `y` means. 'labels': the distance is 1 if two labels differ, else 0. 'response': half the squared
        difference, summed over the columns. 'absolute': the absolute difference. 'product': 1 - the sum of products.
        'auto': numbers of which one has a fraction are a response; text, truth values and whole numbers, whatever
        their dtype, are labels, as scikit-learn's ``type_of_target`` has it. It warns where that is doubtful: floats
        that are all whole, and more than 20 different integers that are more than a tenth of the items.
    candidates : int, 'auto', 'all', 'paper', 'p' or a power such as 'p^0.5', default='auto'
        Directions tried at each node. 'paper': all up to 20 features, beyond that the larger of 20 and p^0.75.
        'auto': 'p^0.5' for labels, as 'paper' for distances and pairs, else 'p^0.75'.
    splits : {'axis', 'oblique'}, default='axis'
        One feature a split, or a sparse sum of features.
    density : float, optional
        Oblique: fraction of non-zeros in the projections; 3/p, or 1/p if p < 10, by default.
    min_parent : int, default=2
        The smallest node that is split, in draws.
    max_depth : int, optional
        The root has depth 0.
    sample : {'bootstrap', 'none'} or 'subsample:F', default='bootstrap'
        What each tree is grown on.
    oob_rule : {'both', 'either'}, default='both'
        Which trees speak for a training pair out of bag: those that missed both items, or either one.
    self_distance : {'auto', 'given', 'exclude'} or float, default='auto'
        An item's distance to itself. 'exclude' leaves it out of what a leaf predicts; 'auto' does so for
        distances, pairs and graphs, and takes it as given for others.
    shrink : {'auto', 'off'} or float, default='auto'
        Predicted distances are drawn towards their mean m, m + shrink (z - m): by this factor, in (0, 1]. 'auto' draws
        them as far as out-of-bag pairs say that the forest has learned noise, which is mostly not at all.
    complete : 'auto', 'off' or int, default='auto'
        Pairs: fill in missing ones by completion of this rank before growing.
    rank : int, optional
        Distances, graphs, products: grow on the leading part of this rank.
    first_tree : int, default=0
        The number of the first tree: parts of a forest can be grown apart, and joined by `merge`.
    warm_start : bool, default=False
        Whether `fit` goes on where it was: with more `n_estimators` it adds trees, so that the forest is that of one go.
    categories : list of names or indices of columns, optional
        Columns of numbers that are codes of categories. (Columns of text and of pandas' type category always are.)
    n_jobs : int, optional
        Threads; None is one, -1 all cores. They change no bit of a result.
    random_state : int, RandomState or None, default=None
        An int is the command's ``--seed``: the same data, parameters and int give the same model, byte for byte.
    verbose : int, default=0
        1 shows how far a fit has come, and any other call that takes long.

    Attributes
    ----------
    n_features_in_, feature_names_in_
        As scikit-learn has them.
    classes_ : array
        The labels, if it was fitted on labels.
    target_ : str
        What it was fitted on: 'distances', 'labels', 'response', 'absolute', 'product', 'graph', 'pairs', 'observed'.
    best_params_, best_score_, best_index_, cv_results_
        What `tune` has found.
    threshold_ : float
        What `calibrate_threshold` found.

    Examples
    --------
    >>> import smerf
    >>> X, Z = smerf.simulate("regression", 100, random_state=1)
    >>> forest = smerf.DistanceForest(n_estimators=50, random_state=1).fit(X, Z)
    >>> forest.oob_score() > -0.2
    True
    >>> round(float(forest.feature_importances_.sum()), 6)
    1.0
    """

    def __init__(
        self,
        *,
        n_estimators: int = 500,
        target: Target = "auto",
        candidates: int | str = "auto",
        splits: Splits = "axis",
        density: float | None = None,
        min_parent: int = 2,
        max_depth: int | None = None,
        sample: str = "bootstrap",
        oob_rule: OobRule = "both",
        self_distance: SelfDistance = "auto",
        shrink: str | float = "auto",
        complete: Complete = "auto",
        rank: int | None = None,
        first_tree: int = 0,
        warm_start: bool = False,
        categories: Iterable[str | int] | None = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.n_estimators = n_estimators
        self.target = target
        self.candidates = candidates
        self.splits = splits
        self.density = density
        self.min_parent = min_parent
        self.max_depth = max_depth
        self.sample = sample
        self.oob_rule = oob_rule
        self.self_distance = self_distance
        self.shrink = shrink
        self.complete = complete
        self.rank = rank
        self.first_tree = first_tree
        self.warm_start = warm_start
        self.categories = categories
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def _options(self) -> dict[str, Any]:
        return {
            **super()._options(),
            **_options.growing(self),
            "oob_rule": 1 + _options.word("oob_rule", self.oob_rule, _options.OOB_RULES),
            "rank": 0 if self.rank is None else _options.count("rank", self.rank, 1),
            "first_tree": _options.count("first_tree", self.first_tree, 0),
            **_options.self_distance(self.self_distance),
            **_options.shrink(self.shrink),
            **_options.complete(self.complete),
        }

    @classmethod
    def _parameters_of(cls, options: dict[str, Any]) -> dict[str, Any]:
        samples = {0: "bootstrap", 1: f"subsample:{options['sample_share']!r}", 2: "none"}
        depth, rank = options["max_depth"], options["rank"]
        return {
            **super()._parameters_of(options),
            **_options.as_parameters(options),
            "n_estimators": options["n_trees"],
            "first_tree": options["first_tree"],
            "density": options["density"] if options["splits"] == 1 else None,
            "max_depth": None if depth == _core.NO_LIMIT else depth,
            "sample": samples[options["sample"]],
            "oob_rule": _options.OOB_RULES[options["oob_rule"] - 1],
            "complete": options["complete"] or "off",
            "shrink": {-1.0: "auto", 0.0: "off"}.get(options["shrink"], options["shrink"]),
            "rank": rank or None,
        }

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags = ClassifierTags()  # it predicts labels too
        return tags

    # ---- labels and responses ----

    def _values(self, X: Any, oob: bool = False) -> Floats:
        items = self._items_of(X)
        with asking(self, "predicting") as watch:
            return self._model.values(items, oob, watch)

    @available_if(_predicts)  # type: ignore[untyped-decorator]
    def predict(self, X: Any) -> NDArray[Any]:
        """The label or the response itself, of a forest fitted on one.

        Parameters
        ----------
        X : array of shape (n, p)
            Items.

        Returns
        -------
        y : array of shape (n,) or (n, k)
            Labels, or numbers.

        Examples
        --------
        >>> import smerf
        >>> from sklearn.datasets import load_iris
        >>> X, y = load_iris(return_X_y=True)
        >>> forest = smerf.DistanceForest(n_estimators=20, random_state=1).fit(X, y)
        >>> bool((forest.predict(X) == y).mean() > 0.95)
        True
        """
        values = self._values(X)
        if self.target_ == "labels":  # equal shares: the first as text, as the command has it
            return np.asarray(self.classes_[self._class_indices[values.argmax(axis=1)]])
        return values if self._n_outputs > 0 or values.shape[1] > 1 else values[:, 0]

    @available_if(_has_shares)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> Floats:
        """The fraction of each class, of a forest fitted on labels.

        Parameters
        ----------
        X : array of shape (n, p)
            Items.

        Returns
        -------
        shares : array of shape (n, n_classes)
            In the order of `classes_`.

        Examples
        --------
        >>> import smerf
        >>> from sklearn.datasets import load_iris
        >>> X, y = load_iris(return_X_y=True)
        >>> forest = smerf.DistanceForest(n_estimators=20, random_state=1).fit(X, y)
        >>> forest.predict_proba(X).shape
        (150, 3)
        """
        values = self._values(X)
        shares = np.zeros((len(values), len(self.classes_)))  # a class of which all items had weight 0 has none
        shares[:, self._class_indices] = values
        return shares

    def apply(self, X: Any) -> NDArray[np.int64]:
        """The leaf of every tree that an item comes to.

        Parameters
        ----------
        X : array of shape (n, p)
            Items.

        Returns
        -------
        leaves : array of shape (n, n_estimators)
            Numbers of leaves, from 0 in each tree, as ``smerf export`` numbers them.

        Examples
        --------
        >>> import smerf
        >>> X, Z = smerf.simulate("radial", 60)
        >>> smerf.DistanceForest(n_estimators=7, random_state=1).fit(X, Z).apply(X).shape
        (60, 7)
        """
        items = self._items_of(X)
        with asking(self, "finding leaves") as watch:
            return self._model.leaves(items, watch).astype(np.int64)

    # ---- out of bag ----

    def oob_score(self, X: Any = None, *, metric: Metric | None = None) -> float:
        """How good the distances are out of bag, as one number that is larger for better ones.

        Parameters
        ----------
        X : array of shape (n, p), optional
            The training items, where the model comes from a file.
        metric : str, optional
            One of those of `evaluate`; 'auc-roc' for graphs, else 'rmse' by default. 'rmse' counts negative.

        Returns
        -------
        score : float
            The larger the better.

        Examples
        --------
        >>> import smerf
        >>> X, Z = smerf.simulate("regression", 80)
        >>> smerf.DistanceForest(n_estimators=50, random_state=1).fit(X, Z).oob_score() < 0
        True
        """
        check_is_fitted(self)
        name = metric or ("auc-roc" if self.target_ in ("graph", "observed") else "rmse")
        score = self.evaluate_oob(X, metrics=name)[name]
        return score if name in _core.RISING_METRICS else -score

    def evaluate_oob(
        self, X: Any = None, *, metrics: Any = None, permutations: int | None = None, random_state: Any = 1
    ) -> dict[str, float]:
        """How good the distances are out of bag.

        Parameters
        ----------
        X : array of shape (n, p), optional
            The training items, where the model comes from a file.
        metrics, permutations, random_state
            As in `evaluate`.

        Returns
        -------
        scores : dict
            By the names of the metrics.

        Examples
        --------
        >>> import smerf
        >>> X, Z = smerf.simulate("regression", 80)
        >>> sorted(smerf.DistanceForest(n_estimators=50, random_state=1).fit(X, Z).evaluate_oob())
        ['map@10', 'rmse', 'spearman']
        """
        items = self._items_of(X)
        with asking(self, "scoring") as watch:
            scores = self._model.evaluate(items, None, None, True, _options.metrics(metrics), watch)
        return {**scores, **self._correlations(items, None, None, True, permutations, random_state)}
