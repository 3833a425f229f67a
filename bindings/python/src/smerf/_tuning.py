"""Parameters chosen by out-of-bag score."""

from __future__ import annotations

import warnings
from typing import Any, Callable, Iterable, Mapping, Sequence, TypeVar

import numpy as np
from numpy.typing import NDArray

from . import _core, _options
from ._explaining import Explained
from ._messages import refuse
from ._progress import check, watching
from ._types import Metric

Self = TypeVar("Self", bound="Tuned")

VARIED = ("candidates", "min_parent", "splits", "self_distance")
GRID = (*VARIED, "density")


# ---- a grid as users write it ----


def _count_or_power(value: Any) -> tuple[int, float]:
    chosen = _options.candidates(value)
    return chosen.get("candidates", 0), chosen.get("candidates_power", 0.0)


def _kind_and_value(value: Any) -> tuple[int, float]:
    chosen = _options.self_distance(value)
    return chosen["self_distance"], chosen.get("self_value", 0.0)


_READERS: dict[str, Callable[[Any], Any]] = {
    "candidates": _count_or_power,
    "min_parent": lambda value: _options.count("min_parent", value, 2),
    "splits": lambda value: _options.word("splits", value, _options.SPLITS),
    "self_distance": _kind_and_value,
    "density": _options.density,
}


def _grid(given: Any) -> dict[str, list[Any]]:
    """Lists of values by name, as the library has them."""
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise refuse("grid", given, "a dict of lists of values, such as {'candidates': ['p^0.5', 'p'], 'min_parent': [2, 8]}")
    lists = {}
    for name, values in given.items():
        _options.word("grid", name, GRID)
        if isinstance(values, (str, bytes)) or not isinstance(values, (Sequence, np.ndarray)) or len(values) == 0:
            raise ValueError(f"grid: {name} has {values!r}; it takes a list of at least one value")
        lists[name] = [_READERS[name](value) for value in values]
    return lists


# ---- what was found, as users read it ----


def _parameters(trial: dict[str, Any], names: Sequence[str]) -> dict[str, Any]:
    density = trial["density"] if trial["splits"] == 1 else None
    every = {**_options.as_parameters(trial), "density": density}
    return {name: every[name] for name in names}


def _column(values: list[Any]) -> NDArray[Any]:
    """Numbers, or objects where there are others among them."""
    are_numbers = all(_options.is_number(value) for value in values)
    made = np.empty(len(values), dtype=object)
    made[:] = values
    return np.array(values) if are_numbers else made


def _results(trials: list[dict[str, Any]], names: Sequence[str], metric: str) -> dict[str, Any]:
    params = [_parameters(trial, names) for trial in trials]
    raw = np.array([trial["score"] for trial in trials], dtype=np.float64)
    score = raw if metric in _core.RISING_METRICS else -raw
    better = (score[np.newaxis, :] > score[:, np.newaxis]).sum(axis=1)
    rank = np.where(np.isnan(score), np.isfinite(score).sum(), better) + 1
    columns = {f"param_{name}": _column([one[name] for one in params]) for name in names}
    return {**columns, "params": params, metric: raw, "score": score, "rank": rank.astype(np.int64)}


def _tell(watch: _core.Watch, tried: list[Any], left_out: list[Any]) -> None:
    if left_out:
        why = "interrupted" if watch.is_stopping else "for lack of time"
        warnings.warn(
            f"{len(left_out)} of {len(tried) + len(left_out)} settings were not tried ({why}): this is the best of the others; "
            "cv_results_ lists them with NaN",
            UserWarning,
            stacklevel=3,
        )


class Tuned(Explained):
    """Adds the choice of parameters."""

    def tune(
        self: Self,
        X: Any,
        y: Any = None,
        *,
        Z: Any = None,
        pairs: Any = None,
        graph: Any = None,
        observed: Any = None,
        sample_weight: Any = None,
        metric: Metric | None = None,
        vary: Iterable[str] | None = None,
        grid: Mapping[str, Sequence[Any]] | None = None,
        time: float | None = None,
    ) -> Self:
        """Choose parameters by out-of-bag score, and fit with the best.

        The estimator's own parameters stay as they are; the model that it holds is the best one. Ctrl-C ends the search
        with the best so far, once one setting is tried, and a second Ctrl-C ends the call.

        Parameters
        ----------
        X, y, Z, pairs, graph, observed, sample_weight
            As in `fit`.
        metric : str, optional
            'auc-roc' for graphs, else 'rmse' by default.
        vary : list of str, optional
            Which of 'candidates', 'min_parent', 'splits' and 'self_distance' vary as the paper's grid has them; all of them
            by default, none if there is a `grid`. The others are as the parameters say.
        grid : dict of lists, optional
            What to try: ``{"candidates": ["p^0.5", "p"], "min_parent": [2, 8]}``; also 'splits', 'self_distance' and
            'density' (of oblique splits). At most 512 settings.
        time : float, optional
            Seconds after which no more is tried; one setting always is.

        Returns
        -------
        self : object
            Fitted, with `best_params_` (a dict for `set_params`), `best_score_` (the larger the better: minus the RMSE),
            `best_index_` and `cv_results_`, a dict of arrays with one entry a setting: 'param_candidates', ..., 'params', the
            metric, 'score', 'rank'; NaN for settings that were not tried.

        Examples
        --------
        >>> import smerf
        >>> X, Z = smerf.simulate("regression", 60)
        >>> forest = smerf.DistanceForest(n_estimators=20, random_state=1)
        >>> forest = forest.tune(X, Z, grid={"min_parent": [2, 4, 8]})
        >>> sorted(forest.cv_results_)
        ['param_min_parent', 'params', 'rank', 'rmse', 'score']
        >>> forest.cv_results_["param_min_parent"][forest.best_index_] == forest.best_params_["min_parent"]
        np.True_
        >>> forest.min_parent
        2
        """
        options, lists = self._options(), _grid(grid)
        check(self.n_jobs, self.verbose)
        chosen = list(VARIED if vary is None and not lists else () if vary is None else [vary] if isinstance(vary, str) else vary)
        for name in chosen:
            _options.word("vary", name, VARIED)
        if not chosen and not lists:
            raise ValueError("vary is empty and there is no grid: nothing is left to choose")
        seconds = 0.0 if time is None else _options.number("time", time, "a number of seconds above 0, or None")
        if time is not None and not 0 < seconds < np.inf:
            raise refuse("time", time, "a number of seconds above 0, or None")
        items, known = self._problem(X, y, Z, pairs, graph, observed, sample_weight)
        scored_by: str = metric or _core.usual_metric(known.target)
        index = _options.word("metric", scored_by, tuple(_core.METRICS))
        plan = {"vary": chosen, "grid": lists, "metric": index, "seconds": seconds}
        with watching(self.n_jobs, self.verbose, "trying settings") as watch:
            model, tried, left_out, best = _core.tune(items, known.target, options, plan, watch)
        self._remember(model, items, known)
        names = [name for name in GRID if name in chosen or name in lists]
        self.cv_results_ = _results(tried + left_out, names, scored_by)
        self.best_index_ = best
        self.best_params_ = dict(self.cv_results_["params"][best])
        self.best_score_ = float(self.cv_results_["score"][best])
        _tell(watch, tried, left_out)
        return self
