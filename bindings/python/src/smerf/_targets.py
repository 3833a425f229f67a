"""What is known of the pairs, in any of the forms that users have it in, as the library's target."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.spatial.distance import squareform
from sklearn.utils import check_array

from . import _core
from ._distances import Distances, square_of, square_of_rows
from ._frames import Column, is_frame, is_series, level_text, native, values_of
from ._labels import aligned, aligned_square, index_of_names, row_of_label, rows_of_ids, rows_of_nodes
from ._meanings import distances_of_signs, divided, is_matrix, kind_of, owned
from ._triplets import Triplets, target_of

KINDS = ("auto", "labels", "response", "absolute", "product")
LINKED = "linked"  # labels as a graph, for methods that take nothing else


class Known(NamedTuple):
    """A target, and what Python remembers of it."""

    target: _core.Target
    classes: NDArray[Any] | None = None  # of labels, sorted as NumPy sorts them
    n_outputs: int = 0  # columns of a response; 0: y was one-dimensional
    index: Any = None  # of a pandas frame X
    ordered: dict[str, list[str]] | None = None  # levels of the ordered categories of X
    of_y: Any = None  # y, if the target was made of labels or numbers
    kept: NDArray[np.uint32] | None = None  # the rows of X that are items, where others have weight 0


# ---- matrices ----


def _first_difference(z: NDArray[np.float32]) -> str:
    differ = (z != z.T) & ~(np.isnan(z) & np.isnan(z.T))
    i, j = (int(index) for index in np.argwhere(np.tril(differ))[0])
    return f"z[{i}][{j}] = {z[i, j]:.9g} but z[{j}][{i}] = {z[j, i]:.9g}: a distance is symmetric"


def _gappy(z: NDArray[np.float32], has_diagonal: bool) -> _core.Target:
    """A matrix with missing entries is a list of pairs; if only its diagonal is missing, it is a matrix with zeros there."""
    z = z.copy()
    missing = np.isnan(np.diagonal(z))
    has_diagonal = has_diagonal and not missing.any()
    z[np.flatnonzero(missing), np.flatnonzero(missing)] = 0
    if not np.array_equal(z, z.T, equal_nan=True):
        raise ValueError(_first_difference(z))
    is_known = np.triu(~np.isnan(z))
    if is_known.sum() == len(z) * (len(z) + 1) // 2:
        return _core.target_of_distances(z, has_diagonal)
    if not has_diagonal:
        is_known[np.diag_indices(len(z))] &= np.diagonal(z) != 0  # zeros there are only filled in
    left, right = (np.ascontiguousarray(index, dtype=np.uint32) for index in np.nonzero(is_known))
    return _core.target_of_pairs(left, right, z[left, right].astype(np.float64), None, len(z))


def _matrix(Z: Any, n: int, items: Any, is_kept: bool) -> _core.Target:
    if sparse.issparse(Z):
        raise ValueError("Z is sparse; distances that are not known go into pairs=, and a graph into graph=")
    given, index = square_of(Z)
    if index is None and is_frame(Z):
        index = index_of_names(Z, items)
    if given.ndim == 2 and given.shape[0] == n < given.shape[1]:
        given = square_of_rows(given)
    if given.dtype.kind not in "biuf":
        given = given.astype(np.float64)
    if given.ndim == 1:
        if len(given) != n * (n - 1) // 2:
            raise ValueError(f"Z has {len(given)} numbers; {n} items need {n} x {n}, or {n * (n - 1) // 2} condensed ones")
        given = squareform(given, force="tomatrix", checks=False)
        has_diagonal = False
    else:
        has_diagonal = True
    if given.shape != (n, n):
        raise ValueError(f"Z has the shape {given.shape}; {n} items need {n} x {n}, or {n * (n - 1) // 2} condensed numbers")
    given = aligned_square(given, index, items)
    with np.errstate(over="ignore"):  # the library refuses what becomes infinite
        z = np.ascontiguousarray(given, dtype=np.float32)
    if np.isnan(z.min()):
        return _gappy(z, has_diagonal)
    return _core.target_of_distances(owned(z, given) if is_kept else z, has_diagonal)


# ---- labels and numbers ----


def _names(y: Any, n: int) -> list[str]:
    if (is_series(y) and y.name is not None) or (isinstance(y, Column) and y.name):
        return [str(y.name)]
    if not isinstance(y, Column) and is_frame(y):
        return [str(name) for name in y.columns]
    return ["y"] if n == 1 else [f"y{c}" for c in range(n)]


def _labels(y: NDArray[Any], name: str) -> Known:
    if y.ndim == 2 and y.shape[1] == 1:
        y = y[:, 0]
    if y.ndim != 1:
        raise ValueError(f"labels are one column, and y has the shape {y.shape}")
    if y.dtype == object and all(isinstance(label, (bool, np.bool_)) for label in y):
        y = y.astype(bool)
    classes, codes = np.unique(y, return_inverse=True)
    if len({level_text(label) for label in classes}) < len(classes):
        raise ValueError("two labels read the same; labels must differ as text")
    texts = [level_text(label) for label in classes]
    target = _core.target_of_labels(name, np.ascontiguousarray(codes, dtype=np.uint32), texts)
    return Known(target, classes=classes)


def _linked(y: NDArray[Any]) -> Known:
    """The graph in which items of one label are linked: z is that of the labels."""
    if y.ndim == 2 and y.shape[1] == 1:
        y = y[:, 0]
    if y.ndim != 1 or kind_of(y) != "labels":
        raise ValueError(f"links are between items of one label, and y of the shape {y.shape} is no labels; a graph goes into graph=")
    left, right = (np.ascontiguousarray(index, dtype=np.uint32) for index in np.nonzero(np.triu(y[:, None] == y, 1)))
    return Known(_core.target_of_graph(left, right, None, None, len(y)))


def _values(y: Any, n: int, kind: str) -> Known:
    given = native(y)
    y = values_of(given)
    if is_series(y) and y.dtype.kind in "iub" and not isinstance(y.dtype, np.dtype):
        y = y.to_numpy(dtype=y.dtype.type)  # pandas' own whole numbers and truth values stay what they are
    elif is_series(y) and y.dtype == "category":
        y = np.asarray(y)  # whole numbers and truth values, which scikit-learn would make floats of
    y = check_array(y, ensure_2d=False, dtype=None, ensure_min_samples=0, input_name="y", allow_nd=False)
    if len(y) != n:
        raise ValueError(f"Found input variables with inconsistent numbers of samples: X has {n}, y has {len(y)}")
    if kind == "auto":
        kind = kind_of(y)
    if kind == LINKED:
        return _linked(y)
    if kind == "labels":
        return _labels(y, _names(given, 1)[0])
    columns = np.asarray(y.reshape(n, -1), dtype=np.float64, order="F")
    if kind == "absolute" and columns.shape[1] != 1:
        raise ValueError(f"target='absolute' takes one column, and y has the shape {y.shape}")
    names = _names(given, columns.shape[1])
    return Known(_core.target_of_columns(kind, names, columns), n_outputs=0 if y.ndim == 1 else columns.shape[1])


# ---- pairs and graphs ----


def rows_of(labels: Any, n: int, row: dict[str, int] | None = None) -> NDArray[np.uint32]:
    """Rows of items: by X's labels, if it has any, else by number from 0."""
    if row is not None:  # a list may hold numbers and text, which an array turns into text
        return np.array(rows_of_ids(labels if isinstance(labels, list) else np.asarray(labels).tolist(), row), dtype=np.uint32)
    given = np.asarray(labels)
    if given.ndim != 1:
        raise ValueError(f"rows of items are one-dimensional, and these have the shape {given.shape}")
    if len(given) == 0:
        return np.zeros(0, dtype=np.uint32)
    if given.dtype.kind not in "iu":
        if given.dtype.kind != "f" or (given != np.floor(given)).any():
            raise ValueError(f"rows of items are whole numbers, and these are {given.dtype}")
    if given.min() < 0 or given.max() >= n:
        raise ValueError(f"item {int(given.min() if given.min() < 0 else given.max())} of {n}; they count from 0")
    return np.ascontiguousarray(given, dtype=np.uint32)


def _named(frame: Any, *names: str) -> list[Any]:
    """The columns of a frame with one of these names, in any case."""
    return [column for column in frame.columns if isinstance(column, str) and column.lower() in names]


def _one_named(frame: Any, name: str) -> Any:
    """The column of this name in any case, or None."""
    found = _named(frame, name)
    if len(found) > 1:
        raise ValueError(f"columns {found[0]!r} and {found[1]!r} are both called '{name}'; the names must be different")
    return found[0] if found else None


def _id_columns(frame: Any, first: str, second: str) -> list[Any]:
    """The two columns of ids: by their names, in any case, or the first two that may be ids, as the command has it."""
    given = [_one_named(frame, first), _one_named(frame, second)]
    if None not in given:
        return given
    others = [c for c in frame.columns if c not in _named(frame, "distance", "dissimilarity", "similarity", "weight")]
    if len(others) < 2:
        raise ValueError(f"a frame of pairs has the columns '{first}' and '{second}'; this has {list(frame.columns)}")
    return others[:2]


def _value_column(frame: Any, ids: list[Any]) -> tuple[Any, bool]:
    """The column that is called by what it holds, and whether these are similarities. Nothing is guessed of other names."""
    known = [_one_named(frame, name) for name in ("distance", "dissimilarity", "similarity")]
    found = [column for column in known if column is not None]
    others = [column for column in frame.columns if column not in (*ids, *found, *_named(frame, "weight"))]
    if len(found) > 1:
        raise ValueError(f"there are columns {found[0]!r} and {found[1]!r}, and one is needed")
    if not found and others:
        raise ValueError(
            f"none of the columns {others} beside the ids is called 'distance', 'dissimilarity' or 'similarity', which "
            "says what it holds; rename one, or pass pairs=(i, j, distances)"
        )
    if not found:
        raise ValueError("pairs come with distances: pairs=(indices, distances), or a frame with i, j, distance")
    return found[0], found[0] == known[2]


def _pair_parts(pairs: Any, first: str, second: str) -> list[Any]:
    """[left, right, value or None, weight or None] of a frame, a tuple of arrays, or an array of two columns; a frame has no
    value."""
    if is_frame(pairs):
        weight = _one_named(pairs, "weight")
        ids = _id_columns(pairs, first, second)
        return [pairs[ids[0]], pairs[ids[1]], None, None if weight is None else pairs[weight]]
    parts = list(pairs) if isinstance(pairs, (tuple, list)) and np.ndim(pairs[0]) > 0 else [pairs]
    if isinstance(pairs, list) and all(np.ndim(part) == 1 and len(part) == 2 for part in pairs):
        parts = [pairs]  # a list of couples
    indices = np.asarray(parts[0])
    if indices.ndim == 2 and indices.shape[1] == 2:
        parts = [indices[:, 0], indices[:, 1], *parts[1:]]
    if not 2 <= len(parts) <= 4:
        raise ValueError("pairs are two columns of rows, perhaps with values and weights")
    return parts + [None] * (4 - len(parts))


def _floats(values: Any, n: int) -> NDArray[np.float64] | None:
    if values is None:
        return None
    array = np.ascontiguousarray(values, dtype=np.float64)
    if array.shape != (n,):
        raise ValueError(f"{n} pairs, and numbers of the shape {array.shape}")
    return array


def _rated(pairs: Any, n: int, row: dict[str, int] | None, largest: float | None) -> _core.Target:
    left, right, value, weight = _pair_parts(pairs, "i", "j")
    are_similarities = False
    if is_frame(pairs):
        column, are_similarities = _value_column(pairs, _id_columns(pairs, "i", "j"))
        value = pairs[column]
    if value is None:
        raise ValueError("pairs come with distances: pairs=(indices, distances), or a frame with i, j, distance")
    i, j = rows_of(left, n, row), rows_of(right, n, row)
    if len(i) != len(j):
        raise ValueError(f"pairs of {len(i)} and {len(j)} items")
    values = _floats(value, len(i))
    assert values is not None
    if not are_similarities:
        values = values if is_frame(pairs) else distances_of_signs(values)
        return _core.target_of_pairs(i, j, values, _floats(weight, len(i)), n)
    if largest is None:  # as the command takes it; NaN is refused as a distance is
        largest = float(values.max(initial=1.0))
    target = _core.target_of_pairs(i, j, largest - values, _floats(weight, len(i)), n)
    target.note_similarities(largest)
    return target


def _edge_parts(graph: Any, n: int, row: dict[str, int] | None) -> tuple[Any, Any, Any] | None:
    """Rows at both ends of the edges of a graph, and their weights; None: it is no graph but a list of edges."""
    if sparse.issparse(graph):
        if graph.shape != (n, n):
            raise ValueError(f"the graph has the shape {graph.shape}; {n} items need {n} x {n}")
        edges = graph.tocoo()
        return edges.row, edges.col, edges.data
    if hasattr(graph, "get_edgelist"):  # igraph
        if "name" in graph.vs.attributes():
            row_of_vertex = np.array(rows_of_nodes(graph.vs["name"], n, row), dtype=np.int64)
        elif graph.vcount() != n:
            raise ValueError(f"the graph has {graph.vcount()} nodes, and there are {n} items")
        else:
            row_of_vertex = np.arange(n)
        ends = row_of_vertex[np.array(graph.get_edgelist(), dtype=np.int64).reshape(-1, 2)]
        weights = graph.es["weight"] if "weight" in graph.es.attributes() else None
        return ends[:, 0], ends[:, 1], weights
    if hasattr(graph, "nodes") and hasattr(graph, "edges"):  # networkx
        nodes = list(graph.nodes)
        row_of_node = dict(zip(nodes, rows_of_nodes(nodes, n, row)))
        listed = [(row_of_node[a], row_of_node[b], weight) for a, b, weight in graph.edges(data="weight", default=1.0)]
        left, right, weights = zip(*listed) if listed else ((), (), ())
        return left, right, weights
    return None


def _graph(graph: Any, observed: Any, n: int, row: dict[str, int] | None, largest: float | None) -> _core.Target:
    parts = _edge_parts(graph, n, row)
    if parts is None:  # a list of edges
        left, right, value, weight = _pair_parts(graph, "source", "target")
        if is_frame(graph):
            value = weight
        i, j = rows_of(left, n, row), rows_of(right, n, row)
    else:
        left, right, value = parts
        i, j = rows_of(left, n), rows_of(right, n)
    known = None
    if observed is not None:
        first, second, _, _ = _pair_parts(observed, "i", "j")
        known = rows_of(first, n, row), rows_of(second, n, row)
    weights, largest = divided(_floats(value, len(i)), largest)
    target = _core.target_of_graph(i, j, weights, known, n)
    if largest != 1:
        target.note_similarities(largest)
    return target


# ---- all of them ----


def make_target(
    items: Any,
    n: int,
    y: Any,
    Z: Any,
    pairs: Any,
    graph: Any,
    observed: Any,
    kind: str,
    whose: str,
    *,
    largest: float | None = None,
    is_kept: bool = False,
) -> Known:
    """Exactly one of y, Z, pairs and graph is given; a square matrix in place of y is Z.

    Triplets come in place of pairs. `items` is the index of a pandas frame X, or None. `largest` is what a model's similarities were taken from or its
    weights divided by; `is_kept` says that the target lives on in a model, whatever becomes of a matrix that the caller holds.
    """
    if kind not in (*KINDS, LINKED):
        raise ValueError(f"target={kind!r} is not one of {', '.join(map(repr, KINDS))}")
    name_of_pairs = "triplets" if isinstance(pairs, Triplets) else "pairs"
    given = [name for name, value in (("y", y), ("Z", Z), (name_of_pairs, pairs), ("graph", graph)) if value is not None]
    if len(given) > 1:
        raise ValueError(f"{given[0]} and {given[1]} exclude each other: give exactly one of y, Z, pairs, graph, triplets")
    if not given:
        raise ValueError(
            f"{whose} requires y to be passed, but the target y is None; give exactly one of y, Z, pairs, graph, triplets"
        )
    if observed is not None and graph is None:
        raise ValueError("observed goes with graph")
    if isinstance(pairs, Triplets):
        return Known(target_of(pairs, n, rows_of, row_of_label(items)))
    if pairs is not None:
        return Known(_rated(native(pairs), n, row_of_label(items), largest))
    if graph is not None:
        return Known(_graph(native(graph), native(observed), n, row_of_label(items), largest))
    if isinstance(y, Distances):
        y, Z = None, y
    if y is not None and kind == "auto" and is_matrix(y, n, 0):
        try:
            return Known(_matrix(y, n, items, is_kept))
        except ValueError as error:
            what = "y has as many columns as there are items, or more, and is taken for distances; target='response' says otherwise"
            raise ValueError(f"{error} ({what})") from None
    if Z is not None:
        return Known(_matrix(Z, n, items, is_kept))
    y = aligned(y, items, "y")
    return _values(y, n, kind)._replace(of_y=y)
