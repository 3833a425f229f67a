"""Triplets as users have them: which of two items is nearer to a third, or which of three is the odd one out."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._frames import is_frame, native


class Triplets(NamedTuple):
    """What was passed as triplets=, on its way to a target in place of pairs."""

    given: Any


def in_place_of(pairs: Any, triplets: Any) -> Any:
    """The pairs, or the triplets in their place."""
    if triplets is None:
        return pairs
    if pairs is not None:
        raise ValueError("pairs and triplets exclude each other: give exactly one of y, Z, pairs, graph, triplets")
    return Triplets(triplets)


class _Parts(NamedTuple):
    items: list[Any]  # three columns of rows or labels
    weight: Any
    is_odd_one_out: bool


def _of_frame(frame: Any) -> _Parts:
    """By names, in any case, as the command has it."""
    row: dict[str, Any] = {}
    for column in frame.columns:
        name = column.lower() if isinstance(column, str) else ""
        if name in row and name in ("anchor", "near", "far", "a", "b", "odd", "weight"):
            raise ValueError(f"columns {row[name]!r} and {column!r} are both called '{name}'; the names must be different")
        row.setdefault(name, column)
    forms = [names for names in (("anchor", "near", "far"), ("a", "b", "odd")) if all(name in row for name in names)]
    if len(forms) != 1:
        raise ValueError(
            f"a frame of triplets has the columns 'anchor', 'near' and 'far', or 'a', 'b' and 'odd'; this has {list(frame.columns)}"
        )
    weight = frame[row["weight"]] if "weight" in row else None
    return _Parts([frame[row[name]] for name in forms[0]], weight, forms[0][2] == "odd")


def _of_arrays(triplets: Any) -> _Parts:
    """Rows or labels of shape (m, 3); or (these, weights)."""
    weight = None
    if isinstance(triplets, tuple) and len(triplets) == 2:
        triplets, weight = triplets
    rows = list(triplets)
    if isinstance(triplets, list) and all(isinstance(row, (tuple, list)) and len(row) == 3 for row in rows):
        return _Parts([[row[c] for row in rows] for c in range(3)], weight, False)  # labels may be of several types
    array = np.asarray(triplets)
    if array.size == 0:
        array = array.reshape(0, 3).astype(np.uint32)
    if array.ndim != 2 or array.shape[1] != 3:
        raise ValueError(
            f"triplets are anchor, near and far, of the shape (m, 3), perhaps (triplets, weights); these have {array.shape}"
        )
    return _Parts([array[:, c] for c in range(3)], weight, False)


def target_of(triplets: Triplets, n: int, rows_of: Any, row: dict[str, int] | None) -> _core.Target:
    """The odd one of three is two triplets of half the weight.

    `rows_of` finds the rows of labels, or of numbers where `row`, the row of each of X's labels, is None.
    """
    given = native(triplets.given)
    parts = _of_frame(given) if is_frame(given) else _of_arrays(given)
    items = [rows_of(column, n, row) for column in parts.items]
    m = len(items[0])
    weight: NDArray[np.float64] | None = None
    if parts.weight is not None:
        weight = np.ascontiguousarray(parts.weight, dtype=np.float64)
        if weight.shape != (m,):
            raise ValueError(f"{m} triplets, and weights of the shape {weight.shape}")
    if parts.is_odd_one_out:
        a, b, odd = items
        weight = np.tile((np.ones(m) if weight is None else weight) / 2, 2)
        items = [np.concatenate(column) for column in ((a, b), (b, a), (odd, odd))]
    anchor, near, far = items
    return _core.target_of_triplets(anchor, near, far, weight, n)
