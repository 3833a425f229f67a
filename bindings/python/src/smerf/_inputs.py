"""X as the library wants it: columns of numbers, and categories as codes.

Numbers in float32 or float64 are used where they lie, in rows or in columns; from anything else an array of float64 is
made and kept as long as the items.
"""

from __future__ import annotations

import re
from typing import Any, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.utils import check_array
from sklearn.utils.validation import _get_feature_names

from . import _core
from ._frames import Column as ForeignColumn
from ._frames import Frame as Frame
from ._frames import is_frame as is_frame
from ._frames import is_pandas, native
from ._frames import is_series as is_series
from ._frames import level_text as level_text
from ._messages import refuse

Column = tuple[Any, ...]
"""(name, array of float32 or float64), or (name, uint32 codes, levels)."""


# ---- one column ----


def values_of_texts(texts: Sequence[str]) -> list[Any]:
    """Labels from their text: truth values or whole numbers, if all of them read as such."""
    if all(text in ("False", "True") for text in texts):
        return [text == "True" for text in texts]
    if all(re.fullmatch("0|-?[1-9][0-9]*", text) for text in texts):
        return [int(text) for text in texts]
    return list(texts)


def _is_missing(value: Any) -> bool:
    if value is None:
        return True
    if isinstance(value, (str, bytes)):
        return False
    different = value != value  # NaN, NaT and pandas.NA differ from themselves or cannot say
    return different is not False and different is not np.False_


def _coded(name: str, values: Sequence[Any] | NDArray[Any]) -> Column:
    """A category from its values; only levels that occur are known."""
    index: dict[str, int] = {}
    codes = np.empty(len(values), np.uint32)
    for i, value in enumerate(values):
        codes[i] = _core.MISSING if _is_missing(value) else index.setdefault(level_text(value), len(index))
    return name, codes, list(index)


def _in_place(values: NDArray[Any]) -> bool:
    """Whether the library can read an array where it lies: rows go forward by whole numbers of cells."""
    step = values.strides[0]
    is_float = values.dtype in (np.float32, np.float64) and values.dtype.isnative
    return is_float and values.flags.aligned and step > 0 and step % values.itemsize == 0


def _numbers(values: NDArray[Any]) -> NDArray[Any]:
    return values if _in_place(values) else np.ascontiguousarray(values, dtype=np.float64)


def _object_column(name: str, values: NDArray[Any], is_category: bool | None) -> Column:
    """Numbers, or a category if all of them are text; a mixture is refused."""
    texts = np.fromiter((isinstance(v, (str, bytes)) for v in values), bool, len(values))
    if is_category or (is_category is None and texts.any()):
        missing = np.fromiter((_is_missing(v) for v in values), bool, len(values))
        if is_category is None and not (texts | missing).all():
            row = int(np.flatnonzero(~(texts | missing))[0])
            raise ValueError(
                f"column '{name}', row {row}: {values[row]!r} among text; a column is numbers, or text that is a category"
            )
        return _coded(name, values)
    missing_or_number = [np.nan if _is_missing(v) else v for v in values]
    return name, np.array([float(v) for v in missing_or_number], dtype=np.float64)


def _level_column(name: str, codes: NDArray[Any], levels: Sequence[Any]) -> Column:
    """A category from codes, -1 where it is missing; only levels that occur are known, in the order of all."""
    texts = [level_text(level) for level in levels]
    used = np.unique(codes[codes >= 0])
    new_place = np.full(len(texts) + 1, _core.MISSING, dtype=np.uint32)  # the last: code -1
    new_place[used] = np.arange(len(used), dtype=np.uint32)
    return name, np.ascontiguousarray(new_place[codes]), [texts[level] for level in used]


def _ordered_column(name: str, values: Sequence[Any], levels: Sequence[str]) -> Column:
    """An ordered category as numbers, from 0 on in the order of its levels; what is none of them is missing."""
    number = {level: float(k) for k, level in enumerate(levels)}
    found = [np.nan if _is_missing(value) else number.get(level_text(value), np.nan) for value in values]
    return name, np.array(found, dtype=np.float64)


def _foreign_column(name: str, column: ForeignColumn, is_category: bool | None) -> Column:
    """A column of a table that is not pandas'."""
    if column.levels is not None and is_category is not False:
        return _level_column(name, column.values, column.levels)
    values = column.values if column.levels is None else np.asarray(column)
    if values.dtype.kind in "iuf":
        return _coded(name, values.tolist()) if is_category else (name, _numbers(values))
    return _object_column(name, values, is_category)


def _series_column(name: str, series: Any, is_category: bool | None) -> Column:
    """A column of a pandas frame. `is_category` is what the model says, None in training."""
    import pandas as pd

    if isinstance(series.dtype, pd.CategoricalDtype) and is_category is not False:
        return _level_column(name, series.cat.codes.to_numpy(), series.cat.categories)
    if pd.api.types.is_bool_dtype(series.dtype) or pd.api.types.is_numeric_dtype(series.dtype):
        if is_category:
            return _coded(name, series.tolist())
        if pd.api.types.is_complex_dtype(series.dtype):
            raise ValueError(f"Complex data not supported: column '{name}'")
        if series.dtype in (np.float32, np.float64):
            return name, _numbers(series.to_numpy())
        return name, _numbers(series.to_numpy(dtype=np.float64, na_value=np.nan))
    if pd.api.types.is_datetime64_any_dtype(series.dtype) or pd.api.types.is_timedelta64_dtype(series.dtype):
        raise ValueError(f"column '{name}' holds times; turn them into numbers, or into a category")
    return _object_column(name, series.to_numpy(dtype=object), is_category)


# ---- all of them ----


Ordered = dict[str, list[str]]
"""Levels, in order, of the columns of ordered categories."""


def ordered_levels(X: Any, names: Sequence[str], categories: Sequence[bool | None]) -> Ordered:
    """Columns of pandas' and Arrow's ordered categories, but for those that are to be categories like others."""
    found: Ordered = {}
    for f, name in enumerate(names):
        if categories[f] or not is_frame(X):
            continue
        levels = X.column(f).ordered if isinstance(X, Frame) else _pandas_order(X.iloc[:, f])
        if levels is not None:
            found[name] = [level_text(level) for level in levels]
    return found


def _pandas_order(series: Any) -> Sequence[Any] | None:
    import pandas as pd

    is_ordered = isinstance(series.dtype, pd.CategoricalDtype) and series.cat.ordered
    return list(series.cat.categories) if is_ordered else None


def _frame_column(X: Any, f: int, name: str, is_category: bool | None, ordered: Ordered) -> Column:
    if isinstance(X, Frame):
        column = X.column(f)
        if name in ordered:
            return _ordered_column(name, np.asarray(column).tolist(), ordered[name])
        return _foreign_column(name, column, is_category)
    series = X.iloc[:, f]
    if name in ordered:
        return _ordered_column(name, series.tolist(), ordered[name])
    return _series_column(name, series, is_category)


def _array_columns(
    X: NDArray[Any], names: Sequence[str], categories: Sequence[bool | None], ordered: Ordered
) -> list[Column]:
    are_numbers = X.dtype.kind in "biuf"
    values = X if not are_numbers or _in_place(X) else np.asarray(X, dtype=np.float64, order="F")
    columns: list[Column] = []
    for f, name in enumerate(names):
        if name in ordered:
            columns.append(_ordered_column(name, X[:, f].tolist(), ordered[name]))
        elif not are_numbers:
            columns.append(_object_column(name, X[:, f].astype(object), categories[f]))
        else:
            columns.append(_coded(name, X[:, f].tolist()) if categories[f] else (name, values[:, f]))
    return columns


def checked(X: Any, fewest: int = 1) -> Any:
    """X as a two-dimensional array or frame, with scikit-learn's words where it is none."""
    X = native(X)
    if is_frame(X):
        if X.shape[0] < fewest:
            raise ValueError(f"Found array with {X.shape[0]} sample(s) (shape={X.shape}) while {fewest} are required.")
        if X.shape[1] == 0:
            raise ValueError(f"Found array with 0 feature(s) (shape={X.shape}) while a minimum of 1 is required.")
        return X
    X = check_array(X, accept_sparse=True, dtype=None, ensure_all_finite=False, ensure_min_samples=fewest)
    return X.toarray(order="F") if sparse.issparse(X) else X


def source_of(X: Any) -> Any:
    """What was checked, as scikit-learn sees the names of its columns; an older one does not know polars."""
    return X.source if isinstance(X, Frame) and _get_feature_names(X.source) is not None else X


def number_names(n: int) -> list[str]:
    """What the command calls the columns of an array."""
    return [f"x{f}" for f in range(n)]


def category_flags(categories: Any, names: Sequence[str]) -> list[bool | None]:
    """Which columns are to be categories, from names or indices; None: their values say."""
    flags: list[bool | None] = [None] * len(names)
    if isinstance(categories, str):
        raise refuse("categories", categories, "a list of names or indices of columns")
    for column in [] if categories is None else categories:
        index = list(names).index(column) if isinstance(column, str) and column in names else column
        if isinstance(index, bool) or not isinstance(index, (int, np.integer)) or not 0 <= index < len(names):
            raise ValueError(f"categories: there is no column {column!r}")
        flags[index] = True
    return flags


def plain_column(column: Column) -> Column:
    """A column with its numbers next to each other, as doubles."""
    return column if len(column) == 3 else (column[0], np.ascontiguousarray(column[1], dtype=np.float64))


def shown_columns(columns: dict[str, Any], n: int) -> list[Column]:
    """Columns that are no features: numbers, or categories."""
    made = []
    for name, values in columns.items():
        array = np.asarray(values)
        if array.shape != (n,):
            raise ValueError(f"column '{name}' has the shape {array.shape} for {n} items")
        is_number = array.dtype.kind in "iuf"
        made.append((name, array.astype(np.float64)) if is_number else _coded(name, array.tolist()))
    return made


def item_ids(X: Any, id_column: str | None = None) -> tuple[str, list[str]] | None:
    """A pandas frame whose index has a name tells what the items are called, if no two are called the same."""
    if not is_pandas(X) or X.index.name is None or not X.index.is_unique:
        return None
    if id_column is not None and str(X.index.name) != id_column:
        return None
    return str(X.index.name), [level_text(label) for label in X.index]


def columns_of(
    X: Any, names: Sequence[str], categories: Sequence[bool | None], ordered: Ordered
) -> list[Column]:
    if is_frame(X):
        return [_frame_column(X, f, name, categories[f], ordered) for f, name in enumerate(names)]
    return _array_columns(X, names, categories, ordered)


def taken(column: Column, rows: NDArray[np.uint32]) -> Column:
    """Some rows of a column."""
    if len(column) == 2:
        return column[0], np.ascontiguousarray(column[1][rows])
    codes = column[1][rows].astype(np.int64)
    return _level_column(column[0], np.where(codes == _core.MISSING, -1, codes), column[2])


def items_of(
    columns: Sequence[Column], n: int, ids: tuple[str, list[str]] | None, weights: NDArray[np.float64] | None = None
) -> _core.Items:
    return _core.Items(list(columns), n, ids, None if weights is None else ("sample_weight", np.ascontiguousarray(weights)))
