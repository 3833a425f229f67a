"""What is meant where a form leaves it open: labels or numbers, alike or not, weights above 1, a matrix that others may change."""

from __future__ import annotations

import sys
import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

USUAL_CLASSES = 20  # so many whole numbers are no reason to doubt that they are labels


def say(sentence: str, category: type[Warning] = UserWarning) -> None:
    """A warning about the caller's line, so that each line of theirs is told."""
    frame, depth = sys._getframe(1), 2
    while frame.f_back is not None and frame.f_globals.get("__package__") == __package__:
        frame, depth = frame.f_back, depth + 1
    warnings.warn(sentence, category, stacklevel=depth)


# ---- y ----


def kind_of(y: NDArray[Any]) -> str:
    """'labels' or 'response', as scikit-learn's type_of_target decides: by the values, so that no number's type changes it.

    Several columns of floats are a response, as labels are one column.
    """
    is_float = y.dtype.kind == "f"
    if is_float and ((y.ndim == 2 and y.shape[1] > 1) or (y != np.floor(y)).any()):
        return "response"
    if is_float:
        say(
            "y holds floats that are all whole, and is taken for labels; target='response' takes it for numbers "
            "(as DistanceForestRegressor does), target='labels' says that they are labels"
        )
    elif y.dtype.kind in "iu" and (n := len(np.unique(y))) > max(USUAL_CLASSES, len(y) // 10):
        say(
            f"y holds {n} different whole numbers for {len(y)} items, and is taken for labels; target='response' takes it for "
            "numbers (as DistanceForestRegressor does), target='labels' says that they are labels"
        )
    return "labels"


def is_matrix(y: Any, n: int, n_columns: int) -> bool:
    """Whether y is distances, or what a splitter has left of their rows, rather than n_columns of labels or numbers."""
    if isinstance(y, (list, tuple)):  # nested, as NumPy would have it; what has no shape is no matrix
        if len(y) == 0 or not isinstance(y[0], (list, tuple, np.ndarray)) or len(y[0]) < n:
            return False
        y = np.asarray(y)
    shape: tuple[int, ...] = getattr(y, "shape", ())
    return len(shape) == 2 and shape[1] != n_columns and shape[1] >= n > 1


# ---- pairs and edges ----


def distances_of_signs(values: Floats) -> Floats:
    """metric-learn's 1 for pairs that are alike and -1 for others as distances 0 and 1; other values as they stand."""
    if not (values == -1).any() or not np.isin(values, (-1, 1)).all():
        return values
    say("pairs of 1 and -1 are read as metric-learn has them: 1 is alike (distance 0), -1 is not (distance 1)")
    return np.where(values == 1, 0.0, 1.0)


def divided(weights: Floats | None, largest: float | None) -> tuple[Floats | None, float]:
    """Weights of edges that go to 1, and what they were divided by: the model's number, or their largest if that exceeds 1."""
    if largest is None:
        largest = 1.0 if weights is None else float(weights.max(initial=1.0))
        if not largest <= float(np.finfo(np.float32).max):  # NaN and what is too large are the library's to refuse
            largest = 1.0
        if largest > 1:
            say(f"weights of edges are divided by {largest:.9g}, the largest, so that no distance is negative")
    return weights if weights is None or largest == 1 else weights / largest, largest


# ---- matrices ----


def _is_fixed(array: Any) -> bool:
    """Whether nobody can write to an array's memory by way of NumPy."""
    while isinstance(array, np.ndarray):
        if array.flags.writeable:
            return False
        array = array.base
    try:
        return array is None or memoryview(array).readonly  # a file that is mapped
    except TypeError:
        return False


def owned(z: NDArray[Any], given: NDArray[Any]) -> NDArray[Any]:
    """z, or a copy if it lies in memory of the caller, who may change it; a read-only array is used in place."""
    return z.copy() if np.may_share_memory(z, given) and not _is_fixed(given) else z
