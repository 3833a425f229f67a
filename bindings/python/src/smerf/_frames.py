"""Tables of pandas, polars and Arrow. Nobody has to have any of them: what was never imported is never met."""

from __future__ import annotations

import sys
from typing import Any, Callable, Sequence

import numpy as np
from numpy.typing import NDArray


def _is_of(data: Any, module: str, *names: str) -> bool:
    """Whether it is of one of these classes of a module, which is not imported for that."""
    found = sys.modules.get(module)
    return found is not None and isinstance(data, tuple(getattr(found, name) for name in names))


def is_pandas(data: Any) -> bool:
    return _is_of(data, "pandas", "DataFrame")


def is_series(data: Any) -> bool:
    return _is_of(data, "pandas", "Series")


def level_text(value: Any) -> str:
    """A level or label as the command would read it: whole numbers without a point."""
    if isinstance(value, bytes):
        return value.decode()
    if isinstance(value, (float, np.floating)) and float(value).is_integer():
        return str(int(value))
    return str(value)


class Column:
    """One column of a table that is not pandas'."""

    def __init__(
        self, name: str, values: NDArray[Any], levels: Sequence[Any] | None = None, is_ordered: bool = False
    ) -> None:
        self.name = name
        self.ordered = levels if is_ordered else None  # the levels, if their order means something
        self.values = values  # numbers; text, truth values and None as objects; or codes of levels, -1 where missing
        self.levels = levels

    def __array__(self, dtype: Any = None, copy: Any = None) -> NDArray[Any]:
        """The values themselves, levels in place of codes."""
        values = self.values
        if self.levels is not None:
            values = np.array([*self.levels, None], dtype=object)[values]
        elif values.dtype == object and all(isinstance(value, (bool, np.bool_)) for value in values):
            values = values.astype(bool)
        return values if dtype is None else values.astype(dtype)


class Frame:
    """A table that is not pandas', as columns of NumPy arrays, each made when it is asked for."""

    def __init__(self, source: Any, names: Sequence[str], n: int, make: Callable[[int], Column]) -> None:
        self.source = source  # polars' or Arrow's own
        self.columns = list(names)
        self.shape = n, len(self.columns)
        self.column = make

    def __len__(self) -> int:
        return self.shape[0]

    def __dataframe__(self) -> Frame:
        """Itself, which tells scikit-learn before 1.9 the names of its columns."""
        return self

    def column_names(self) -> list[str]:
        return self.columns

    def __getitem__(self, name: str) -> NDArray[Any]:
        return np.asarray(self.column(self.columns.index(name)))

    def to_numpy(self) -> NDArray[Any]:
        """All values as one array of two dimensions."""
        arrays = [np.asarray(self.column(f)) for f in range(self.shape[1])]
        return np.column_stack(arrays) if arrays else np.empty(self.shape)


# ---- polars ----


def _polars_column(name: str, series: Any) -> Column:
    import polars as pl

    kind = series.dtype
    if isinstance(kind, pl.Enum):
        return Column(name, _codes(series.to_physical().cast(pl.Int64).fill_null(-1).to_numpy()), kind.categories.to_list())
    if isinstance(kind, pl.Categorical):  # its physical order is that of the process: as text, so in order of appearance
        return Column(name, np.array(series.cast(pl.String).to_list(), dtype=object))
    if kind.is_numeric():
        if kind.is_decimal():
            series = series.cast(pl.Float64)
        return Column(name, series.to_numpy())  # whole numbers with nulls become float64 and NaN
    if kind in (pl.Boolean, pl.String, pl.Null):
        return Column(name, _objects(series.to_list()))
    raise ValueError(_not_a_feature(name, kind.is_temporal(), kind))


# ---- Arrow ----


def _arrow_column(name: str, values: Any) -> Column:
    import pyarrow as pa

    if isinstance(values, pa.ChunkedArray):
        kind = values.type
        values = values.unify_dictionaries() if pa.types.is_dictionary(kind) else values
        values = values.combine_chunks()
        if isinstance(values, pa.ChunkedArray):  # none, or too much for one array
            values = pa.concat_arrays(values.chunks) if values.num_chunks > 0 else pa.array([], kind)
    kind = values.type
    if pa.types.is_dictionary(kind):
        codes = values.indices.cast(pa.int64()).fill_null(-1).to_numpy(zero_copy_only=False)
        levels = values.dictionary.to_pylist()
        lost = [k for k, level in enumerate(levels) if level is None]  # Arrow may have a missing level, too
        return Column(name, np.where(np.isin(codes, lost), -1, _codes(codes)), levels, bool(kind.ordered))
    if pa.types.is_decimal(kind):
        values, kind = values.cast(pa.float64()), pa.float64()
    if pa.types.is_integer(kind) or pa.types.is_floating(kind):
        return Column(name, values.to_numpy(zero_copy_only=False))
    is_text = pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind)
    if pa.types.is_boolean(kind) or is_text or pa.types.is_null(kind):
        return Column(name, _objects(values.to_pylist()))
    raise ValueError(_not_a_feature(name, pa.types.is_temporal(kind), kind))


# ---- any of them ----


def _codes(codes: Any) -> NDArray[np.int64]:
    return np.asarray(codes, dtype=np.int64)


def _objects(values: list[Any]) -> NDArray[Any]:
    made = np.empty(len(values), dtype=object)
    made[:] = values
    return made


def _not_a_feature(name: str, is_time: bool, kind: Any) -> str:
    if is_time:
        return f"column '{name}' holds times; turn them into numbers, or into a category"
    return f"column '{name}' is of the type {kind}; a column is numbers, truth values, or text that is a category"


def is_foreign(data: Any) -> bool:
    """Whether it is a table, not pandas', of a kind that is known, or that gives itself as Arrow's does."""
    if is_pandas(data) or is_series(data) or isinstance(data, np.ndarray):
        return False
    return hasattr(data, "columns") and hasattr(data, "__arrow_c_stream__") or _is_of(
        data, "polars", "DataFrame", "LazyFrame"
    )


def values_of(data: Any) -> Any:
    """A table or column of polars or Arrow as an array; anything else as it is."""
    data = native(data)
    return np.asarray(data) if isinstance(data, Column) else data.to_numpy() if isinstance(data, Frame) else data


def is_frame(data: Any) -> bool:
    """Whether it is a table whose columns have names."""
    return is_pandas(data) or isinstance(data, Frame) or is_foreign(data)


def native(data: Any) -> Any:
    """A table or column of polars or Arrow as a `Frame` or `Column`; anything else as it is."""
    if _is_of(data, "polars", "LazyFrame"):
        raise ValueError("a polars LazyFrame holds no values yet; pass .collect()")
    if _is_of(data, "polars", "Series"):
        return _polars_column(data.name, data)
    if _is_of(data, "polars", "DataFrame"):
        return Frame(data, data.columns, data.height, lambda f: _polars_column(data.columns[f], data.to_series(f)))
    if _is_of(data, "pyarrow", "ChunkedArray", "Array"):
        return _arrow_column("", data)
    if not is_foreign(data):
        return data
    if not _is_of(data, "pyarrow", "Table"):
        try:
            import pyarrow
        except ImportError:
            raise TypeError(f"a {type(data).__name__} is read by way of pyarrow, which is not installed") from None
        data = pyarrow.table(data)
    names = [str(name) for name in data.column_names]
    return Frame(data, names, data.num_rows, lambda f: _arrow_column(names[f], data.column(f)))
