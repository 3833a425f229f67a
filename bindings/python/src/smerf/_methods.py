"""The systems that the forest is compared with, as estimators of the same shape."""

from __future__ import annotations

import os
from typing import Any

from . import _core, _options
from ._forest import DistanceForest
from ._exploring import ExploringModel


class _Plain(ExploringModel):
    """A method without parameters of its own."""

    def __init__(
        self,
        *,
        target: str = "auto",
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


class _Linear(ExploringModel):
    """A matrix W, and perhaps a constant."""

    def __init__(
        self,
        *,
        intercept: bool = False,
        target: str = "auto",
        categories: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.intercept = intercept
        self.target = target
        self.categories = categories
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def _options(self) -> dict[str, Any]:
        return {**super()._options(), "has_intercept": _options.truth("intercept", self.intercept)}

    @classmethod
    def _parameters_of(cls, options: dict[str, Any]) -> dict[str, Any]:
        return {**super()._parameters_of(options), "intercept": options["has_intercept"]}


class Mahalanobis(_Linear):
    """(x - y)^T W (x - y) with W positive semidefinite, by least squares.

    Parameters
    ----------
    intercept : bool, default=False
        Learn a constant, too, that every distance has in common; items then do not count with themselves.
    target, categories, n_jobs, random_state, verbose
        As in `DistanceForest`.

    Examples
    --------
    >>> import smerf
    >>> X, Z = smerf.simulate("radial", 40)
    >>> smerf.Mahalanobis().fit(X, Z).distance(X).shape
    (40, 40)
    """

    _method = "mahalanobis"


class Bilinear(_Linear):
    """1 - x^T W y with W positive semidefinite, by least squares.

    Parameters
    ----------
    intercept : bool, default=False
        Learn a constant, too, that every distance has in common; items then do not count with themselves.
    target, categories, n_jobs, random_state, verbose
        As in `DistanceForest`.

    Examples
    --------
    >>> import smerf
    >>> X, Z = smerf.simulate("bilinear", 40)
    >>> smerf.Bilinear().fit(X, Z).distance(X).shape
    (40, 40)
    """

    _method = "bilinear"


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
        target: str = "auto",
        candidates: int | str = "auto",
        splits: str = "axis",
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
        target: str = "auto",
        candidates: int | str = "auto",
        splits: str = "axis",
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
    _usual_target = "response"  # it learns from nothing else


class _Sampled(ExploringModel):
    """A link model that is sampled."""

    def __init__(
        self,
        *,
        n_factors: int = 50,
        n_burn: int = 1500,
        n_draws: int = 1500,
        n_chains: int = 2,
        target: str = "auto",
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

    def _options(self) -> dict[str, Any]:
        names = ("n_factors", "n_burn", "n_draws", "n_chains")
        return {**super()._options(), **{name: _options.count(name, getattr(self, name), 1) for name in names}}

    @classmethod
    def _parameters_of(cls, options: dict[str, Any]) -> dict[str, Any]:
        names = ("n_factors", "n_burn", "n_draws", "n_chains")
        return {**super()._parameters_of(options), **{name: options[name] for name in names}}


class EPM(_Sampled):
    """Of a graph: the edge partition model; only pairs of nodes that it has seen.

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
