"""Pictures of what was learned, with matplotlib (``pip install smerf[plot]``).

Each function draws on the axes that it is given, or in a new figure, and gives the axes back.

Examples
--------
>>> import matplotlib
>>> matplotlib.use("Agg")
>>> import smerf
>>> X, Z = smerf.simulate("radial", 60)
>>> forest = smerf.DistanceForest(n_estimators=100, random_state=1).fit(X, Z)
>>> smerf.plot.map(forest, oob=True).get_xlabel()
'axis 1'
"""

from __future__ import annotations

from typing import Any, Sequence

import numpy as np
from numpy.typing import NDArray

from . import _core, _frames, _in_sample, _labels, _options
from ._explaining import Explained
from ._exploring import ExploringModel
from ._progress import asking
from ._targets import rows_of
from ._types import Oob

__all__ = ["fit", "heat_map", "importance", "map"]

MOST_LISTED = 12  # classes that a legend has room for
MOST_LEVELS = 5  # known distances that are drawn as so many histograms


def _check_matplotlib() -> None:
    """Before anything is computed."""
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        raise ImportError("smerf.plot needs matplotlib: pip install smerf[plot]") from None


def _axes(ax: Any) -> Any:
    """Once everything is computed, so that what is refused leaves no empty figure."""
    from matplotlib import pyplot

    return pyplot.subplots()[1] if ax is None else ax


# ---- which features matter ----


def importance(
    forest: Explained, X: Any = None, *, permutation: bool = False, n_features: int = 20, ax: Any = None
) -> Any:
    """Bars: which features matter, the largest on top.

    Parameters
    ----------
    forest : DistanceForest
        Fitted.
    X : array of shape (n, p), optional
        With `permutation`, the training items, where the model comes from a file.
    permutation : bool, default=False
        The importance by shuffling, with two standard errors, instead of `feature_importances_`.
    n_features : int, default=20
        So many at most.
    ax : matplotlib Axes, optional
        Where it is drawn; in a new figure by default.

    Returns
    -------
    ax : matplotlib Axes

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> import smerf
    >>> X, Z = smerf.simulate("radial", 60)
    >>> forest = smerf.DistanceForest(n_estimators=20, random_state=1).fit(X, Z)
    >>> ax = smerf.plot.importance(forest, n_features=5)
    >>> len(ax.patches), ax.get_yticklabels()[-1].get_text() in ("x0", "x1")
    (5, True)
    """
    _check_matplotlib()
    if not isinstance(forest, Explained):
        raise TypeError(f"forests tell which features matter, and this is a {type(forest).__name__}")
    most = _options.count("n_features", n_features, 1)
    errors = None
    if permutation:
        found = forest.permutation_importance(X)
        values, errors = found.importances_mean, 2 * found.standard_error
        label = "growth of the squared error when shuffled"
    else:
        values, label = forest.feature_importances_, "fraction of all gains"
    names = [name for name, _ in forest._model.features()]
    order = np.argsort(-values, kind="stable")[:most][::-1]
    ax = _axes(ax)
    ax.barh([names[f] for f in order], values[order], xerr=None if errors is None else errors[order])
    ax.margins(y=0.01)
    ax.set_xlabel(label)
    return ax


# ---- a map ----


def _texts_or_numbers(color: Any, n: int, index: Any) -> NDArray[Any]:
    values = np.asarray(_labels.aligned(_frames.values_of(color), index, "color"))
    if values.shape != (n,):
        raise ValueError(f"color has the shape {values.shape} for {n} items")
    return values


def _scatter(ax: Any, places: NDArray[Any], values: NDArray[Any], name: str | None) -> None:
    if values.dtype.kind in "iuf" and len(np.unique(values)) > MOST_LISTED:
        shown = ax.scatter(*places.T, c=values, s=18, cmap="viridis")
        ax.figure.colorbar(shown, ax=ax, label=name or "")
        return
    classes = np.unique(values.astype(str) if values.dtype.kind == "O" else values)
    for k, one in enumerate(classes[:MOST_LISTED]):
        members = places[values.astype(classes.dtype) == one]
        ax.scatter(*members.T, s=18, color=f"C{k % 10}", marker="os^"[k // 10 % 3], label=str(one))
    if len(classes) > MOST_LISTED:
        others = places[np.isin(values.astype(classes.dtype), classes[MOST_LISTED:])]
        ax.scatter(*others.T, s=18, color="0.7", label=f"{len(classes) - MOST_LISTED} others")
    ax.legend(title=name, fontsize="small", title_fontsize="small")


def map(  # noqa: A001 - smerf.plot.map is what it draws
    model: ExploringModel,
    X: Any = None,
    *,
    color: Any = None,
    colors: Sequence[Any] | None = None,
    text: Sequence[str] | None = None,
    ax: Any = None,
    **embedding: Any,
) -> Any:
    """A map: points whose distances on the picture come near the learned ones.

    Parameters
    ----------
    model : estimator
        Fitted.
    X : array of shape (n, p), optional
        Items; without them the training items.
    color : array or Series of shape (n,), optional
        Labels or numbers to colour by, with a legend or a scale.
    colors : list of colours, optional
        Instead: the colour of each point.
    text : list of str, optional
        What stands beside each point.
    ax : matplotlib Axes, optional
        Where it is drawn; in a new figure by default.
    **embedding
        Of `embed`: n_landmarks, random_state, oob (out of bag, of the training items).

    Returns
    -------
    ax : matplotlib Axes

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> import smerf
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> forest = smerf.DistanceForest(n_estimators=100, random_state=1).fit(X, y)
    >>> [entry.get_text() for entry in smerf.plot.map(forest, color=y, oob=True).get_legend().get_texts()]
    ['0', '1', '2']
    """
    _check_matplotlib()
    if color is not None and colors is not None:
        raise ValueError("color and colors exclude each other: what to colour by, or the colours themselves")
    places = model.embed(X, 2, **embedding)
    values = None if color is None else _texts_or_numbers(color, len(places), model._index_of(X))
    if text is not None and len(text) != len(places):
        raise ValueError(f"{len(text)} texts for {len(places)} items")
    ax = _axes(ax)
    if values is not None:
        name = getattr(color, "name", None)
        _scatter(ax, places, values, None if name is None else str(name))
    else:
        ax.scatter(*places.T, s=18 if colors is None else 60, c=colors, edgecolors=None if colors is None else "0.5")
    if text is not None:
        for place, word in zip(places, text):
            ax.annotate(str(word), place, xytext=(3, 3), textcoords="offset points", fontsize="x-small")
    ax.set(xlabel="axis 1", ylabel="axis 2", xticks=[], yticks=[])
    ax.set_aspect("equal", adjustable="datalim")
    return ax


# ---- predicted against known ----


def fit(
    model: ExploringModel,
    X: Any = None,
    y: Any = None,
    *,
    Z: Any = None,
    pairs: Any = None,
    graph: Any = None,
    observed: Any = None,
    n_pairs: int = 5000,
    random_state: Any = 1,
    ax: Any = None,
) -> Any:
    """Predicted distances against those that are known, pair by pair; on the diagonal they are the same.

    Where few different distances are known (labels and plain graphs have 0 and 1), a histogram of the predicted ones for each.

    Parameters
    ----------
    model : estimator
        Fitted.
    X, y, Z, pairs, graph, observed
        Items and what is known of their pairs, as in `evaluate`. Without any: the training items of a forest, what it was
        trained on, and predictions out of bag.
    n_pairs : int, default=5000
        So many at most, drawn at random.
    random_state : int, RandomState or None, default=1
        Which.
    ax : matplotlib Axes, optional
        Where it is drawn; in a new figure by default.

    Returns
    -------
    ax : matplotlib Axes

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> import smerf
    >>> X, Z = smerf.simulate("radial", 90)
    >>> forest = smerf.DistanceForest(n_estimators=20, random_state=1).fit(X[:60], Z[:60, :60])
    >>> smerf.plot.fit(forest, X[60:], Z=Z[60:, 60:]).get_ylabel()
    'predicted distance'
    >>> smerf.plot.fit(forest).get_ylabel()
    'predicted distance, out of bag'
    """
    _check_matplotlib()
    is_oob = X is None
    items = model._items_of(X)
    if is_oob and any(given is not None for given in (y, Z, pairs, graph, observed)):
        raise ValueError("what is known of the pairs goes with X")
    truth = model._model if is_oob else model._truth(X, items.n, y, Z, pairs, graph, observed)
    most = _options.count("n_pairs", n_pairs, 1)
    left, right, known = _known_pairs(truth, items.n, most, np.random.default_rng(_options.seed(random_state)))
    with asking(model, "finding distances") as watch:
        predicted = model._model.pairs(items, None, left, right, is_oob, False, watch)[0]
    is_there = ~np.isnan(predicted)
    known, predicted = known[is_there], predicted[is_there]
    if len(known) == 0:
        raise ValueError("no pair is both known and predicted" + (" out of bag" if is_oob else ""))
    if not is_oob:
        _in_sample.warn_of_scores(model, items, what="predictions look", remedy="leaving X out shows them out of bag")
    what = "predicted distance" + (", out of bag" if is_oob else "")
    ax = _axes(ax)
    levels = np.unique(known)
    if len(levels) <= MOST_LEVELS:  # labels, plain graphs: points would lie on top of each other
        for level in levels:
            ax.hist(predicted[known == level], bins=40, density=True, alpha=0.6, label=f"{level:g}")
        ax.legend(title="known distance")
        ax.set(xlabel=what, ylabel="density of pairs")
        return ax
    ax.scatter(known, predicted, s=8, alpha=min(1.0, max(0.1, 300 / len(known))), edgecolors="none", rasterized=True)
    ends = [min(known.min(), predicted.min()), max(known.max(), predicted.max())]
    ax.plot(ends, ends, color="0.4", linewidth=1, linestyle="--")
    ax.set(xlabel="known distance", ylabel=what)
    return ax


def _known_pairs(
    truth: _core.Model | _core.Target, n: int, most: int, rng: np.random.Generator
) -> tuple[NDArray[np.uint32], NDArray[np.uint32], NDArray[np.float64]]:
    """Pairs of different items that are known, and their distances: of rows in random order, until there are enough."""
    found: list[tuple[NDArray[Any], NDArray[Any], NDArray[Any]]] = []
    n_found, rank = 0, np.empty(n, dtype=np.int64)
    order = rng.permutation(n)
    rank[order] = np.arange(n)
    for start in range(0, n, 64):
        rows = order[start : start + 64]
        for row, known in zip(rows.tolist(), _core.known_rows(truth, rows.tolist(), n)):
            columns = np.flatnonzero(~np.isnan(known) & (rank > rank[row]))  # each pair once
            found.append((np.full(len(columns), row), columns, known[columns]))
            n_found += len(columns)
        if n_found >= 4 * most:
            break
    left, right, distances = (np.concatenate(parts) for parts in zip(*found))
    kept = np.sort(rng.permutation(len(left))[:most])
    return left[kept].astype(np.uint32), right[kept].astype(np.uint32), distances[kept]


# ---- all distances ----


def heat_map(
    model: ExploringModel,
    X: Any = None,
    *,
    order: Sequence[int] | str | None = "clusters",
    n_clusters: int | None = None,
    oob: Oob = None,
    ax: Any = None,
) -> Any:
    """All distances as a square of colours; items of a cluster stand together.

    Parameters
    ----------
    model : estimator
        Fitted.
    X : array of shape (n, p), optional
        Items; without them the training items.
    order : 'clusters', None or array of rows, default='clusters'
        By cluster, as given, or these rows in this order.
    n_clusters : int, optional
        As in `cluster`.
    oob : {None, 'auto', True, False}, default=None
        As in `cluster`, of the distances, too; out of bag, one that is not known is left blank.
    ax : matplotlib Axes, optional
        Where it is drawn; in a new figure by default.

    Returns
    -------
    ax : matplotlib Axes

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> import smerf
    >>> X, Z = smerf.simulate("radial", 60)
    >>> forest = smerf.DistanceForest(n_estimators=100, random_state=1).fit(X, Z)
    >>> smerf.plot.heat_map(forest, n_clusters=4, oob=True).images[0].get_array().shape
    (60, 60)
    """
    _check_matplotlib()
    items = model._items_of(X)
    out_of_bag = _in_sample.is_out_of_bag(model, oob, items, "groups look")
    distances = model.distance(items, out=np.empty((items.n, items.n), np.float32), oob=out_of_bag)
    edges: list[int] = []
    rows: NDArray[Any]
    if isinstance(order, str):
        _options.word("order", order, ("clusters",))
        groups = model.cluster(items, n_clusters, oob=out_of_bag)
        rows = np.lexsort((distances[np.arange(items.n), groups.medoids[groups.labels]], groups.labels))
        edges = np.flatnonzero(np.diff(groups.labels[rows])).tolist()
    else:
        rows = np.arange(items.n) if order is None else rows_of(order, items.n)
    ax = _axes(ax)
    shown = ax.imshow(distances[np.ix_(rows, rows)], cmap="viridis_r", interpolation="nearest")
    for edge in edges:
        ax.axhline(edge + 0.5, color="white", linewidth=0.8)
        ax.axvline(edge + 0.5, color="white", linewidth=0.8)
    ax.figure.colorbar(shown, ax=ax, label="distance")
    ax.set(xticks=[], yticks=[])
    ax.set_xlabel(f"{len(rows)} items" + (f" in {len(edges) + 1} clusters" if isinstance(order, str) else ""))
    return ax
