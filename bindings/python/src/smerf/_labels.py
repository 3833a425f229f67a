"""Which row of X is meant: one rule for everything that has labels (docs/python.md, "Which row is which").

Labels are matched wherever both sides have them, as text; positions count only where one side has none; a label that the
other side lacks is an error that names it.
"""

from __future__ import annotations

from typing import Any, Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from ._frames import is_pandas, is_series, level_text, native


def _counts(index: Any) -> bool:
    """Whether an index has no name and counts 0 to n - 1: it is pandas' default, and no labels."""
    import pandas as pd

    return index.name is None and index.nlevels == 1 and bool(index.equals(pd.RangeIndex(len(index))))


def _counts_in_another_order(index: Any) -> bool:
    if index.nlevels > 1 or getattr(index.dtype, "kind", "O") not in "iuf" or not index.is_unique:
        return False
    return not _counts(index) and _counts(index.sort_values().rename(None))


def _texts(index: Iterable[Any]) -> list[str]:
    return [level_text(label) for label in index]


def _rows_of(texts: Sequence[str], whose: str) -> dict[str, int]:
    """The row of each label."""
    row: dict[str, int] = {}
    for text in texts:
        if text in row:
            raise ValueError(f"label '{text}' is twice in {whose}, so that labels cannot be matched")
        row[text] = len(row)
    return row


# ---- an index that an estimator keeps ----


def kept(index: Any) -> Any:
    """An index as plain Python objects, so that estimators can be saved by whatever saves such objects."""
    if index is None or _counts(index):
        return index if index is None else len(index)
    labels = index.tolist()
    is_plain = all(isinstance(label, (int, float, str)) for label in labels)
    return None if index.name is None else str(index.name), labels if is_plain else _texts(index)


def restored(index: Any) -> Any:
    """The index that was kept."""
    if index is None:
        return None
    import pandas as pd

    return pd.RangeIndex(index) if isinstance(index, int) else pd.Index(index[1], name=index[0])


# ---- what has one row an item: y, sample_weight, Z ----


def _order(index: Any, whose: str, wanted: Any, whose_wanted: str) -> NDArray[np.intp] | None:
    """Which rows under `index` are those of the index that is wanted; None: they are in its order."""
    if index.equals(wanted):
        return None
    texts, wanted_texts = _texts(index), _texts(wanted)
    if texts == wanted_texts:
        return None
    row, known = _rows_of(texts, whose), _rows_of(wanted_texts, whose_wanted)
    for label in wanted_texts:
        if label not in row:
            raise ValueError(f"label '{label}' is in {whose_wanted} but not in {whose}")
    for label in texts:
        if label not in known:
            raise ValueError(f"label '{label}' is in {whose} but not in {whose_wanted}")
    return np.array([row[label] for label in wanted_texts], dtype=np.intp)


def index_of(X: Any) -> Any:
    """The index of a pandas frame; None: there is none."""
    return X.index if is_pandas(X) else None


def _order_for(index: Any, whose: str, wanted: Any, whose_x: str) -> NDArray[np.intp] | None:
    """Which rows under an index are those of X; None: they are in X's order, or one of the two has no labels."""
    if index is None or wanted is None:
        return None
    if not _counts(index) and not _counts(wanted):
        return _order(index, whose, wanted, whose_x)
    if len(index) == len(wanted) and (_counts_in_another_order(index) or _counts_in_another_order(wanted)):
        mover, counter = (whose, whose_x) if _counts(wanted) else (whose_x, whose)
        raise ValueError(
            f"the index of {counter} counts 0 to {len(index) - 1}, and that of {mover} has the same numbers in another order: "
            f"to match them, {whose}.reindex({whose_x}.index); to go by position, {whose}.to_numpy()"
        )
    return None


def aligned(data: Any, wanted: Any, whose: str, whose_x: str = "X") -> Any:
    """A pandas Series or frame of one row an item in the order of X's index; anything else as it is."""
    if not (is_pandas(data) or is_series(data)):
        return data
    order = _order_for(data.index, whose, wanted, whose_x)
    return data if order is None else data.iloc[order]


def square(Z: Any) -> tuple[Any, Any]:
    """A pandas frame of distances with its columns in the order of its rows, as an array, and the index of both.

    Labels of one side speak for the other, if that has none. Of a frame that a splitter has cut, which has more columns
    than rows, the columns of its rows are taken.
    """
    rows_have, columns_have = not _counts(Z.index), not _counts(Z.columns)
    if Z.shape[0] < Z.shape[1] and rows_have:
        column = {text: c for c, text in enumerate(_texts(Z.columns))}
        texts = _texts(Z.index)
        if all(text in column for text in texts):
            return Z.to_numpy()[:, [column[text] for text in texts]], Z.index
    if Z.shape[0] != Z.shape[1] or not (rows_have and columns_have):
        return Z.to_numpy(), Z.columns if columns_have and Z.shape[0] == Z.shape[1] else Z.index
    order = _order(Z.columns, "the columns of Z", Z.index, "the index of Z")
    values = Z.to_numpy()
    return (values if order is None else values[:, order]), Z.index


def index_of_names(Z: Any, wanted: Any) -> Any:
    """The names of the columns of a table without an index as one of its items, if they are just the labels of X."""
    if wanted is None or _counts(wanted):
        return None
    names = [str(name) for name in native(Z).columns]
    if sorted(names) != sorted(_texts(wanted)):
        return None
    import pandas as pd

    return pd.Index(names)


def aligned_square(values: Any, index: Any, wanted: Any) -> Any:
    """Distances among the items of an index, or of None, in the order of X's index."""
    order = _order_for(index, "Z", wanted, "X")
    return values if order is None else values[np.ix_(order, order)]


def aligned_block(Z: Any, wanted_rows: Any, wanted_columns: Any) -> Any:
    """A frame of distances from the items of X to those of Y, in the orders of their indices."""
    if not is_pandas(Z):
        return Z
    rows, columns = _order_for(Z.index, "Z", wanted_rows, "X"), _order_for(Z.columns, "Z", wanted_columns, "Y")
    values = Z.to_numpy()
    values = values if rows is None else values[rows]
    return values if columns is None else values[:, columns]


# ---- what names its items: pairs, edges, nodes of graphs ----


def row_of_label(index: Any) -> dict[str, int] | None:
    """The row of each of X's labels; None: X has no labels, and its rows are numbers from 0."""
    return None if index is None or _counts(index) else _rows_of(_texts(index), "X")


def rows_of_ids(ids: Iterable[Any], row: dict[str, int]) -> list[int]:
    """Rows of items by their labels."""
    texts = _texts(ids)
    for text in texts:
        if text not in row:
            raise ValueError(
                f"there is no item called '{text}' in X, whose index names its rows (X.reset_index(drop=True) has numbers)"
            )
    return [row[text] for text in texts]


def rows_of_nodes(nodes: Sequence[Any], n: int, row: dict[str, int] | None) -> list[int]:
    """The row of each node of a graph: by X's labels; else by number, if all of them are; else in order."""
    texts = _texts(nodes)
    count = {str(k): k for k in range(n)}
    if row is not None and not (texts == list(count) and any(text not in row for text in texts)):
        _rows_of(texts, "the graph")
        return rows_of_ids(texts, row)
    if all(text in count for text in texts):
        _rows_of(texts, "the graph")
        return [count[text] for text in texts]
    if len(nodes) != n:
        raise ValueError(f"the graph has {len(nodes)} nodes, and there are {n} items")
    return list(range(n))
