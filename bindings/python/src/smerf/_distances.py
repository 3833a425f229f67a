"""A matrix of distances that scikit-learn's splitters cut on both axes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._frames import is_pandas, values_of
from ._labels import square


class Distances:
    """A square matrix of distances that is cut on both axes.

    scikit-learn's splitters (``GridSearchCV``, ``cross_val_score``, ``train_test_split``) take rows of what is passed
    as ``y``. Taking rows of this object takes the same rows and columns of the matrix, so that every part of the data
    comes with the distances among its own items.

    Parameters
    ----------
    Z : array or frame of shape (n, n)
        Distances; NaN where one is not known. The labels of a pandas frame stay, and are matched with X's.

    Examples
    --------
    >>> import numpy as np
    >>> from smerf import Distances
    >>> Z = Distances(np.array([[0.0, 1.0, 2.0], [1.0, 0.0, 3.0], [2.0, 3.0, 0.0]]))
    >>> len(Z)
    3
    >>> Z[[0, 2]].matrix
    array([[0., 2.],
           [2., 0.]])
    """

    def __init__(self, Z: Any) -> None:
        matrix, self.index = square_of(Z)
        if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
            raise ValueError(f"Z has the shape {matrix.shape}; distances among n items are n x n")
        self.matrix: NDArray[Any] = matrix

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the matrix."""
        return self.matrix.shape

    @property
    def dtype(self) -> np.dtype[Any]:
        """The type of the distances."""
        return self.matrix.dtype

    @property
    def ndim(self) -> int:
        """2."""
        return 2

    def __len__(self) -> int:
        return int(self.matrix.shape[0])

    def __getitem__(self, rows: Any) -> Distances:
        if isinstance(rows, tuple):  # Z[rows, ...], as scikit-learn writes it
            rows = rows[0]
        kept = np.arange(len(self))[rows]
        cut = Distances(self.matrix[np.ix_(np.atleast_1d(kept), np.atleast_1d(kept))])
        cut.index = None if self.index is None else self.index[np.atleast_1d(kept)]
        return cut

    def __array__(self, dtype: Any = None, copy: Any = None) -> NDArray[Any]:
        return np.array(self.matrix, dtype=dtype, copy=bool(copy)) if copy else np.asarray(self.matrix, dtype=dtype)

    def __repr__(self) -> str:
        return f"Distances(<{len(self)} x {len(self)}>)"


def square_of(Z: Any) -> tuple[NDArray[Any], Any]:
    """Distances as an array, and the index of a pandas frame of them, or None."""
    if isinstance(Z, Distances):
        return Z.matrix, Z.index
    if is_pandas(Z):
        values, index = square(Z)
        return np.asarray(values), index
    return np.asarray(values_of(Z)), None


def square_of_rows(rows: NDArray[Any]) -> NDArray[Any]:
    """The square part of m rows of a larger matrix of distances, if it is beyond doubt which columns are its own.

    A splitter that was given a plain matrix has cut its rows only. An item is at distance 0 from itself: if every row
    has exactly one 0, and what these columns make is symmetric, they are the columns that belong to the rows.
    """
    is_zero = rows == 0
    columns = is_zero.argmax(axis=1)
    if (is_zero.sum(axis=1) == 1).all() and len(np.unique(columns)) == len(columns):
        square: NDArray[Any] = rows[:, columns]
        if np.array_equal(square, square.T, equal_nan=True):
            return square
    raise ValueError(
        f"Z has the shape {rows.shape}: a splitter has cut its rows only, and its columns cannot be told from the zeros; "
        "pass smerf.Distances(Z), which is cut on both axes"
    )
