"""The systems that the forest is compared with, as estimators of the same shape."""

from __future__ import annotations

import os
from typing import Any, TypeVar

from . import _core, _options
from ._forest import DistanceForest
from ._explaining import Explained
from ._exploring import ExploringModel
from ._linear import Bilinear, Mahalanobis
from ._types import Splits, Target


Self = TypeVar("Self", bound="_Sampled")


class _Plain(ExploringModel):
    """A method without parameters of its own."""

    def __init__(
        self,
        *,
        target: Target = "auto",
        categories: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.target = target
        self.categories = categories
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose


class Euclidean(_Plain):
    """Squared Euclidean distance of the features as given; nothing is learned.

    Parameters
    ----------
    target, categories, n_jobs, random_state, verbose
        As in `DistanceForest`.

    Examples
    --------
    >>> import smerf
    >>> X, Z = smerf.simulate("radial", 40)
    >>> smerf.Euclidean().fit(X, Z).distance(X).shape
    (40, 40)
    """

    _method = "euclidean"


class Mean(_Plain):
    """Of any two items the mean of the known training distances.

    Parameters
    ----------
    target, categories, n_jobs, random_state, verbose
        As in `DistanceForest`.

    Examples
    --------
    >>> import smerf
    >>> X, Z = smerf.simulate("radial", 40)
    >>> smerf.Mean().fit(X, Z).distance(X).shape
    (40, 40)
    """

    _method = "mean"


class Standardized(_Plain):
    """Euclidean distance of the features, each divided by its standard deviation.

    Parameters
    ----------
    target, categories, n_jobs, random_state, verbose
        As in `DistanceForest`.

    Examples
    --------
    >>> import smerf
    >>> X, Z = smerf.simulate("radial", 40)
    >>> smerf.Standardized().fit(X, Z).distance(X).shape
    (40, 40)
    """

    _method = "standardized"


class Gower(_Plain):
    """The mean over the features of their differences, each divided by its range; a category differs or not.

    Parameters
    ----------
    target, categories, n_jobs, random_state, verbose
        As in `DistanceForest`.

    Examples
    --------
    >>> import smerf
    >>> X, Z = smerf.simulate("radial", 40)
    >>> smerf.Gower().fit(X, Z).distance(X).shape
    (40, 40)
    """

    _method = "gower"


class _Grown(ExploringModel):
    """A method that grows an ordinary forest."""

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
        categories: Any = None,
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
        self.categories = categories
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def _options(self) -> dict[str, Any]:
        return {**super()._options(), **_options.growing(self)}

    @classmethod
    def _parameters_of(cls, options: dict[str, Any]) -> dict[str, Any]:
        every = DistanceForest._parameters_of(options)
        return {name: every[name] for name in cls._get_param_names() if name in every}


class RandomForestDistance(_Grown):
    """A regression forest on features of pairs (Xiong and others, 2012).

    Parameters
    ----------
    n_pairs : int, optional
        Learns from so many pairs at most, drawn at random; 60,000 by default.
    n_estimators, target, candidates, splits, density, min_parent, max_depth, sample
        As in `DistanceForest`.
    categories, n_jobs, random_state, verbose
        As in `DistanceForest`.

    Examples
    --------
    >>> import smerf
    >>> X, Z = smerf.simulate("radial", 40)
    >>> rfd = smerf.RandomForestDistance(n_estimators=10, n_pairs=500, random_state=1)
    >>> rfd.fit(X, Z).distance(X).shape
    (40, 40)
    """

    _method = "rfd"

    def __init__(
        self,
        *,
        n_estimators: int = 500,
        n_pairs: int | None = None,
        target: Target = "auto",
        candidates: int | str = "auto",
        splits: Splits = "axis",
        density: float | None = None,
        min_parent: int = 2,
        max_depth: int | None = None,
        sample: str = "bootstrap",
        categories: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        super().__init__(
            n_estimators=n_estimators,
            target=target,
            candidates=candidates,
            splits=splits,
            density=density,
            min_parent=min_parent,
            max_depth=max_depth,
            sample=sample,
            categories=categories,
            n_jobs=n_jobs,
            random_state=random_state,
            verbose=verbose,
        )
        self.n_pairs = n_pairs

    def _options(self) -> dict[str, Any]:
        options = super()._options()
        return options if self.n_pairs is None else {**options, "n_pairs": _options.count("n_pairs", self.n_pairs, 1)}


class Plugin(_Grown):
    """Of a response: half the squared difference of a regression forest's means, plus the residual variance.

    Parameters
    ----------
    n_estimators, target, candidates, splits, density, min_parent, max_depth, sample
        As in `DistanceForest`.
    categories, n_jobs, random_state, verbose
        As in `DistanceForest`.

    Examples
    --------
    >>> import smerf
    >>> from sklearn.datasets import make_regression
    >>> X, y = make_regression(60, 5, random_state=0)
    >>> smerf.Plugin(n_estimators=10, random_state=1).fit(X, y).distance(X).shape
    (60, 60)
    """

    _method = "plugin"
    _meanings = {"auto": "response"}  # it learns from nothing else


class _Sampled(ExploringModel):
    """A link model that is sampled. Labels are a graph whose links join items of one label, at the same distances."""

    _meanings = {"auto": "linked", "labels": "linked"}

    def __init__(
        self,
        *,
        n_factors: int = 50,
        n_burn: int = 1500,
        n_draws: int = 1500,
        n_chains: int = 2,
        target: Target = "auto",
        categories: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.n_factors = n_factors
        self.n_burn = n_burn
        self.n_draws = n_draws
        self.n_chains = n_chains
        self.target = target
        self.categories = categories
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def fit(  # type: ignore[override]
        self: Self, X: Any, y: Any = None, *, Z: Any = None, pairs: Any = None, graph: Any = None, observed: Any = None
    ) -> Self:
        """Learn a distance from features and a graph. These models know no weights of items.

        Parameters
        ----------
        X, y, Z, pairs, graph, observed
            As in `DistanceForest`, of which they take a graph, or labels whose items are linked.

        Returns
        -------
        self : object
            The fitted estimator.

        Examples
        --------
        >>> import smerf
        >>> from sklearn.datasets import load_iris
        >>> X, y = load_iris(return_X_y=True)
        >>> smerf.NARM(n_factors=3, n_burn=5, n_draws=5, random_state=1).fit(X, y).target_
        'graph'
        """
        return super().fit(X, y, Z=Z, pairs=pairs, graph=graph, observed=observed)

    def _options(self) -> dict[str, Any]:
        names = ("n_factors", "n_burn", "n_draws", "n_chains")
        return {**super()._options(), **{name: _options.count(name, getattr(self, name), 1) for name in names}}

    @classmethod
    def _parameters_of(cls, options: dict[str, Any]) -> dict[str, Any]:
        names = ("n_factors", "n_burn", "n_draws", "n_chains")
        return {**super()._parameters_of(options), **{name: options[name] for name in names}}


class EPM(_Sampled):
    """Of a graph: the edge partition model; only pairs of nodes that it has seen.

    Labels as `y` are a graph, too: items of one label are linked.

    Parameters
    ----------
    n_factors : int, default=50
        The most groups that nodes may belong to.
    n_burn, n_draws : int, default=1500
        Iterations before, and while draws are collected.
    n_chains : int, default=2
        Chains that start apart, all of which are averaged.
    target, categories, n_jobs, random_state, verbose
        As in `DistanceForest`.

    Examples
    --------
    >>> import networkx, numpy as np, smerf
    >>> graph = networkx.karate_club_graph()
    >>> X = np.arange(34.0).reshape(-1, 1)
    >>> epm = smerf.EPM(n_factors=4, n_burn=20, n_draws=20, random_state=1)
    >>> epm.fit(X, graph=networkx.Graph(graph.edges)).distance(X).shape
    (34, 34)
    """

    _method = "epm"


class NARM(_Sampled):
    """Of a graph: the node attribute relational model.

    Labels as `y` are a graph, too: items of one label are linked.

    Parameters
    ----------
    n_factors : int, default=50
        The most groups that nodes may belong to.
    n_burn, n_draws : int, default=1500
        Iterations before, and while draws are collected.
    n_chains : int, default=2
        Chains that start apart, all of which are averaged.
    target, categories, n_jobs, random_state, verbose
        As in `DistanceForest`.

    Examples
    --------
    >>> import networkx, numpy as np, smerf
    >>> graph = networkx.karate_club_graph()
    >>> X = np.arange(34.0).reshape(-1, 1)
    >>> narm = smerf.NARM(n_factors=4, n_burn=20, n_draws=20, random_state=1)
    >>> narm.fit(X, graph=networkx.Graph(graph.edges)).distance(X).shape
    (34, 34)
    """

    _method = "narm"


class Boost(Explained):
    """Gradient boosting: regression trees on features of pairs, added up.

    Parameters
    ----------
    n_rounds : int, optional
        How many trees; by default as many as predict pairs of held-out items best.
    most_rounds : int, default=1000
        No more than these, where they are chosen.
    n_leaves : int, default=31
        Leaves of a tree, at most.
    min_leaf : int, default=20
        Pairs of a leaf, at least.
    learning_rate : float, default=0.1
        What counts of a tree.
    l2 : float, default=0.0
        Added to the weight of a leaf, whose value becomes smaller.
    loss : {'auto', 'squared', 'absolute', 'huber', 'logistic'}, default='auto'
        Logistic for labels and graphs without weights, else squared.
    pair_features : {'auto', 'difference', 'ends', 'items', 'all'}, default='auto'
        What is seen of two numbers: their difference and mean; the smaller and the larger; both, in both orders; all but
        the smaller and the larger; or what predicts pairs of held-out items best.
    base : {'none', 'forest'}, default='none'
        What it starts from.
    n_bags : int, default=10
        3, 6, 10, 15, ...: models that leave out two groups of items each, for out of bag and for choosing; or 0.
    pairs_a_round : int, default=2000000
        It learns from no more pairs at a time.
    target, categories, n_jobs, random_state, verbose
        As in `DistanceForest`.

    Examples
    --------
    >>> import smerf
    >>> X, Z = smerf.simulate("radial", 40)
    >>> boost = smerf.Boost(most_rounds=50, pair_features="difference", random_state=1).fit(X, Z)
    >>> boost.distance(X).shape, boost.oob_distance().shape
    ((40, 40), (40, 40))
    """

    _method = "boost"

    def __init__(
        self,
        *,
        n_rounds: int | None = None,
        most_rounds: int = 1000,
        n_leaves: int = 31,
        min_leaf: int = 20,
        learning_rate: float = 0.1,
        l2: float = 0.0,
        loss: str = "auto",
        pair_features: str = "auto",
        base: str = "none",
        n_bags: int = 10,
        pairs_a_round: int = 2000000,
        target: str = "auto",
        categories: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.n_rounds = n_rounds
        self.most_rounds = most_rounds
        self.n_leaves = n_leaves
        self.min_leaf = min_leaf
        self.learning_rate = learning_rate
        self.l2 = l2
        self.loss = loss
        self.pair_features = pair_features
        self.base = base
        self.n_bags = n_bags
        self.pairs_a_round = pairs_a_round
        self.target = target
        self.categories = categories
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def _options(self) -> dict[str, Any]:
        return {**super()._options(), **_options.boosting(self)}

    @classmethod
    def _parameters_of(cls, options: dict[str, Any]) -> dict[str, Any]:
        return {**super()._parameters_of(options), **_options.boosting_parameters(options)}


ESTIMATORS: dict[str, type[ExploringModel]] = {
    estimator._method: estimator
    for estimator in (
        DistanceForest,
        Euclidean,
        Mahalanobis,
        Bilinear,
        RandomForestDistance,
        Plugin,
        EPM,
        NARM,
        Mean,
        Standardized,
        Gower,
        Boost,
    )
}


def load(path: str | os.PathLike[str]) -> ExploringModel:
    """Read a model of any method from a file, whether Python or the command wrote it.

    Parameters
    ----------
    path : str or path-like
        The file.

    Returns
    -------
    estimator : object
        A fitted estimator of the class that the model's method has.

    Examples
    --------
    >>> import os, smerf, tempfile
    >>> X, Z = smerf.simulate("radial", 40)
    >>> path = os.path.join(tempfile.mkdtemp(), "linear.smerf")
    >>> smerf.Mahalanobis().fit(X, Z).save(path)
    >>> type(smerf.load(path)).__name__
    'Mahalanobis'
    """
    return ESTIMATORS[_core.load(path).describe()["method"]].load(path)
