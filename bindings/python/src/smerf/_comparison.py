"""The result of a comparison, and how methods from elsewhere take part in one."""

from __future__ import annotations

import copy
import time
from typing import Any, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import has_fit_parameter

from . import _core
from ._asking import Floats
from ._progress import showing


class Comparison(list[dict[str, Any]]):
    """How methods fare: a list of dicts, one a method, which pandas makes a frame of; shown as a table.

    Attributes
    ----------
    metrics : list of str
        What was scored.
    left_out : dict
        By the names of methods that refused, the sentences with which they did.

    Examples
    --------
    >>> import smerf
    >>> X, Z = smerf.simulate("regression", 40)
    >>> found = smerf.compare(X, Z, methods=["mean", "euclidean"], n_repeats=2)
    >>> found["mean"]["n_rounds"]
    2
    """

    def __init__(self, metrics: Sequence[str]) -> None:
        super().__init__()
        self.metrics = list(metrics)
        self.left_out: dict[str, str] = {}

    def __getitem__(self, key: Any) -> Any:
        """A row by its number, or by the name of its method."""
        if not isinstance(key, str):
            return super().__getitem__(key)
        for row in self:
            if row["method"] == key:
                return row
        raise KeyError(f"there is no method '{key}'" + (f": {self.left_out[key]}" if key in self.left_out else ""))

    def to_frame(self) -> Any:
        """The rows as a pandas frame, whose index is the methods.

        Examples
        --------
        >>> import smerf
        >>> X, Z = smerf.simulate("regression", 40)
        >>> found = smerf.compare(X, Z, methods=["mean", "euclidean"], n_repeats=2)
        >>> found.to_frame().columns.tolist()[:2]
        ['rmse', 'rmse_se']
        """
        import pandas as pd

        return pd.DataFrame(list(self)).set_index("method")

    def __repr__(self) -> str:
        """A table, as the command writes it."""
        cells = [["method", *self.metrics, "seconds"]]
        for row in self:
            scores = [
                "-" if np.isnan(row[metric]) else f"{row[metric]:.4g} +- {row[metric + '_se']:.2g}" for metric in self.metrics
            ]
            cells.append([row["method"], *scores, f"{row['seconds']:.1f}"])
        widths = [max(map(len, column)) for column in zip(*cells)]
        lines = ["  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip() for line in cells]
        lines += [f"{name} is left out: {why}" for name, why in self.left_out.items()]
        return "\n".join(lines)

    def _take(self, standings: list[dict[str, Any]]) -> None:
        """Adds what the library says of its methods."""
        for standing in standings:
            if standing["applies"]:
                means = {name: score["mean"] for name, score in standing["scores"].items()}
                errors = {name: score["se"] for name, score in standing["scores"].items()}
                self._add(standing["method"], means, errors, standing["seconds"], standing["n_rounds"])
            elif standing["why_not"]:
                self.left_out[standing["method"]] = standing["why_not"]

    def _add(self, method: str, means: dict[str, float], errors: dict[str, float], seconds: float, n_rounds: int) -> None:
        row: dict[str, Any] = {"method": method}
        for metric in self.metrics:
            row[metric], row[f"{metric}_se"] = float(means[metric]), float(errors[metric])
        self.append({**row, "seconds": float(seconds), "n_rounds": int(n_rounds)})


# ---- who takes part from elsewhere ----


def contender(given: Any) -> tuple[str, Any]:
    """A method with its name, from (name, method) or from a method alone."""
    is_named = isinstance(given, tuple) and len(given) == 2 and isinstance(given[0], str)
    name, method = given if is_named else (getattr(given, "__name__", type(given).__name__), given)
    if not callable(method) and not (hasattr(method, "fit") and hasattr(method, "distance")):
        raise TypeError(
            f"methods: {given!r} is neither the name of one of smerf's, nor an estimator with fit(X, known) and distance(X), nor "
            "a function of (X_train, known, X_test); the last two perhaps as (name, method)"
        )
    return name, method


def _predicted(method: Any, X_train: Any, known: Any, weight: Any, X_test: Any) -> Any:
    if not hasattr(method, "fit"):
        return method(X_train, known, X_test)
    fresh = clone(method) if hasattr(method, "get_params") else copy.deepcopy(method)
    keywords = {} if weight is None else {"sample_weight": weight}
    return fresh.fit(X_train, known, **keywords).distance(X_test)


class Division:
    """How the data are divided, round by round, as the library divides them for its own methods."""

    def __init__(self, target: _core.Target, plan: dict[str, Any], seed: int, n_items: int) -> None:
        self.target, self.plan, self.seed, self.n_items = target, plan, seed, n_items
        self.n_rounds = plan["n_repeats"] * plan.get("n_folds", 1)
        self.by_pairs = plan["by_pairs"]

    def rounds(self) -> Iterator[tuple[NDArray[np.uint32], _core.Target, NDArray[np.uint32], _core.Target]]:
        """Items to learn from and what is known of them, items to test with and the truth about them."""
        every = np.arange(self.n_items, dtype=np.uint32)
        for k in range(self.n_rounds):
            if self.by_pairs:
                train, truth = self.target.divide(self.plan["train_share"], self.seed + k)
                yield every, train, every, truth
            else:
                is_train = _core.division(self.target, self.plan, self.seed, k, self.n_items)
                learned, tested = every[is_train], every[~is_train]
                yield learned, self.target.take(learned), tested, self.target.take(tested)


class Contest:
    """The data of a comparison, as methods from elsewhere get them."""

    def __init__(self, X: Any, y: Any, sample_weight: Any, division: Division) -> None:
        self.X, self.division = X, division
        self.y = None if division.by_pairs else y
        self.weight = sample_weight

    def _rows(self, data: Any, rows: NDArray[np.uint32]) -> Any:
        return None if data is None else _safe_indexing(data, rows.astype(np.intp))

    def _scores(self, name: str, method: Any) -> Iterator[dict[str, float]]:
        for learned, train, tested, truth in self.division.rounds():
            known = train.matrix(len(learned)) if self.y is None else self._rows(self.y, learned)
            given = _predicted(
                method, self._rows(self.X, learned), known, self._rows(self.weight, learned), self._rows(self.X, tested)
            )
            predicted = np.ascontiguousarray(given, dtype=np.float64)
            if predicted.shape != (len(tested), len(tested)):
                raise ValueError(
                    f"methods: {name} gave distances of the shape {predicted.shape} for {len(tested)} test items, which need "
                    f"({len(tested)}, {len(tested)})"
                )
            yield truth.score(predicted)

    def play(self, others: list[tuple[str, Any]], result: Comparison, verbose: int) -> None:
        """Adds a row for each of the methods."""
        for name, method in others:
            if self.weight is not None and hasattr(method, "fit") and not has_fit_parameter(method, "sample_weight"):
                raise ValueError(f"methods: the fit of {name} takes no sample_weight; leave it out")
            start, scores = time.perf_counter(), []
            with showing(verbose, f"comparing {name}") as tell:
                for found in self._scores(name, method):
                    scores.append(found)
                    if tell is not None:
                        tell(len(scores) / self.division.n_rounds)
            columns = {metric: np.array([one.get(metric, np.nan) for one in scores]) for metric in result.metrics}
            means = {metric: _mean(values) for metric, values in columns.items()}
            errors = {metric: _standard_error(values) for metric, values in columns.items()}
            result._add(name, means, errors, time.perf_counter() - start, len(scores))


def _mean(values: Floats) -> float:
    """Over the rounds that have the score."""
    there = values[~np.isnan(values)]
    return float(there.mean()) if len(there) > 0 else np.nan


def _standard_error(values: Floats) -> float:
    there = values[~np.isnan(values)]
    return float(there.std(ddof=1) / np.sqrt(len(there))) if len(there) > 1 else np.nan
