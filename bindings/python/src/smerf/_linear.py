"""What the linear methods have learned: a matrix W = F^T F, as metric-learn shows it."""

from __future__ import annotations

from sklearn.utils.validation import check_is_fitted

from . import _core
from ._asking import Floats
from ._exploring import ExploringModel


class MatrixModel(ExploringModel):
    """Adds the matrix to a method that learns one."""

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
