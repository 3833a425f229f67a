"""The linear methods: a matrix W = F^T F that multiplies features, shown as metric-learn shows it."""

from __future__ import annotations

from typing import Any, Literal

from sklearn.utils.validation import check_is_fitted

from . import _core, _options
from ._asking import Floats
from ._exploring import ExploringModel
from ._types import Target


class LinearModel(ExploringModel):
    """A matrix W, and perhaps a constant."""

    def __init__(
        self,
        *,
        intercept: bool = False,
        ridge: float | Literal["auto"] = 0.0,
        n_bags: int = 0,
        target: Target = "auto",
        categories: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.intercept = intercept
        self.ridge = ridge
        self.n_bags = n_bags
        self.target = target
        self.categories = categories
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def _options(self) -> dict[str, Any]:
        is_chosen = isinstance(self.ridge, str) and self.ridge == "auto"
        return {
            **super()._options(),
            "has_intercept": _options.truth("intercept", self.intercept),
            "ridge": _core.RIDGE_AUTO if is_chosen else _options.number("ridge", self.ridge),
            "n_linear_bags": _options.count("n_bags", self.n_bags, 0),
        }

    @classmethod
    def _parameters_of(cls, options: dict[str, Any]) -> dict[str, Any]:
        return {**super()._parameters_of(options), **{
            "intercept": options["has_intercept"],
            "ridge": "auto" if options["ridge"] == _core.RIDGE_AUTO else options["ridge"],
            "n_bags": options["n_linear_bags"],
        }}

    # ---- what was learned ----

    @property
    def components_(self) -> Floats:
        """F of W = F^T F, of shape (rank of W, n_columns).

        A column stands for a number, or for one level of a category, in the order of `column_names_`.

        Examples
        --------
        >>> import numpy as np, smerf
        >>> X, Z = smerf.simulate("regression", 60)
        >>> metric = smerf.Mahalanobis().fit(X, Z)
        >>> new = X[:5] @ metric.components_.T
        >>> bool(np.allclose(((new[0] - new[1]) ** 2).sum(), metric.distance(X[:2])[0, 1]))
        True
        """
        check_is_fitted(self)
        return _core.linear(self._model)[0]

    @property
    def intercept_(self) -> float:
        """What every distance has in common: with `intercept` what was learned, else 0, or 1 of `Bilinear`.

        Examples
        --------
        >>> import smerf
        >>> X, Z = smerf.simulate("regression", 60)
        >>> smerf.Mahalanobis().fit(X, Z).intercept_, smerf.Mahalanobis(intercept=True).fit(X, Z + 2).intercept_ > 1
        (0.0, True)
        """
        check_is_fitted(self)
        return _core.linear(self._model)[1]

    @property
    def means_(self) -> Floats:
        """Means of the columns over the training items, which missing values stand for.

        Examples
        --------
        >>> import numpy as np, smerf
        >>> X, Z = smerf.simulate("regression", 60)
        >>> bool(np.allclose(smerf.Mahalanobis().fit(X, Z).means_, X.mean(axis=0)))
        True
        """
        check_is_fitted(self)
        return _core.linear(self._model)[2]

    @property
    def column_names_(self) -> list[str]:
        """What the columns of W stand for: a feature, or 'feature=level' of a category.

        Examples
        --------
        >>> import smerf
        >>> X, Z = smerf.simulate("regression", 60)
        >>> smerf.Mahalanobis().fit(X, Z).column_names_[:2]
        ['x0', 'x1']
        """
        check_is_fitted(self)
        return [
            name if levels is None else f"{name}={level}"
            for name, levels in self._model.features()
            for level in ([None] if levels is None else levels)
        ]

    def _matrix(self) -> Floats:
        check_is_fitted(self)
        return _core.linear_matrix(self._model)


class Mahalanobis(LinearModel):
    """(x - y)^T W (x - y) with W positive semidefinite, by least squares; or from triplets, by their likelihood.

    From triplets (`fit(X, triplets=...)`) distances are log-odds: i is nearer to an anchor than j with the odds
    exp(d(anchor, j) - d(anchor, i)) (docs/triplets.md).

    Parameters
    ----------
    intercept : bool, default=False
        Learn a constant, too, that every distance has in common; items then do not count with themselves.
    ridge : float or 'auto', default=0.0
        Draws W towards 0, whatever the units of the features; 1 is about as strong as the pairs; 'auto' is chosen on pairs of
        held-out items.
    n_bags : int, default=0
        3, 6, 10, 15, ...: so many more matrices, which leave out two of 3, 4, 5, 6, ... groups of items each, for
        `distance(X, oob=True)`.
    target, categories, n_jobs, random_state, verbose
        As in `DistanceForest`.

    Examples
    --------
    >>> import smerf
    >>> X, Z = smerf.simulate("radial", 40)
    >>> smerf.Mahalanobis().fit(X, Z).distance(X).shape
    (40, 40)
    >>> import numpy as np
    >>> triplets = np.random.default_rng(0).permuted(np.tile(np.arange(40), (500, 1)), axis=1)[:, :3]
    >>> a, i, j = triplets.T
    >>> triplets = np.where((Z[a, i] < Z[a, j])[:, None], triplets, triplets[:, [0, 2, 1]])
    >>> smerf.Mahalanobis().fit(X[:30], triplets=triplets[(triplets < 30).all(axis=1)]).score(X, triplets=triplets) > 0.5
    True
    """

    _method = "mahalanobis"

    def get_mahalanobis_matrix(self) -> Floats:
        """W, symmetric and positive semidefinite, of shape (n_columns, n_columns); metric-learn's name for it.

        The distance is `intercept_` + (x - y)^T W (x - y), without metric-learn's square root.

        Examples
        --------
        >>> import numpy as np, smerf
        >>> X, Z = smerf.simulate("regression", 60)
        >>> metric = smerf.Mahalanobis().fit(X, Z)
        >>> difference = X[0] - X[1]
        >>> bool(np.isclose(difference @ metric.get_mahalanobis_matrix() @ difference, metric.distance(X[:2])[0, 1]))
        True
        """
        return self._matrix()


class Bilinear(LinearModel):
    """1 - x^T W y with W positive semidefinite, by least squares.

    Parameters
    ----------
    intercept : bool, default=False
        Learn a constant, too, that every distance has in common; items then do not count with themselves.
    ridge : float or 'auto', default=0.0
        Draws W towards 0, whatever the units of the features; 1 is about as strong as the pairs; 'auto' is chosen on pairs of
        held-out items.
    n_bags : int, default=0
        3, 6, 10, 15, ...: so many more matrices, which leave out two of 3, 4, 5, 6, ... groups of items each, for
        `distance(X, oob=True)`.
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

    def get_bilinear_matrix(self) -> Floats:
        """W, symmetric and positive semidefinite, of shape (n_columns, n_columns); metric-learn's name for it.

        The distance is 1 - x^T W y; with `intercept` it is `intercept_` - (x - m)^T W (y - m), where m are `means_`.

        Examples
        --------
        >>> import numpy as np, smerf
        >>> X, Z = smerf.simulate("bilinear", 60)
        >>> metric = smerf.Bilinear().fit(X, Z)
        >>> bool(np.isclose(1 - X[0] @ metric.get_bilinear_matrix() @ X[1], metric.distance(X[:2])[0, 1]))
        True
        """
        return self._matrix()
