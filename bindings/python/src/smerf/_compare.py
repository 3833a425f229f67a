"""Which method is best for some data, and data to try it on."""

from __future__ import annotations

from typing import Any, Iterable, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import _safe_indexing

from . import _core, _labels, _options
from ._asking import Floats
from ._comparison import Comparison, Contest, Division, contender
from ._forest import DistanceForest
from ._frames import values_of
from ._messages import refuse
from ._progress import check, watching
from ._targets import Known
from ._triplets import in_place_of
from ._types import Metric, Simulation, Target

SIMULATIONS = ("regression", "bilinear", "radial")
COUNTS = {
    "n_estimators": "n_trees",
    **{name: name for name in ("n_pairs", "n_factors", "n_burn", "n_draws", "n_chains", "pairs_a_round")},
}


def _group_codes(groups: Any, index: Any, n: int) -> NDArray[np.uint32] | None:
    """Groups as numbers, one an item."""
    if groups is None:
        return None
    given = np.asarray(values_of(_labels.aligned(groups, index, "groups")))
    if given.shape != (n,):
        raise ValueError(f"groups has the shape {given.shape} for {n} items")
    texts = [str(value) for value in given.tolist()]
    if any(text in ("nan", "None", "<NA>", "NaT") for text in texts):
        raise ValueError("groups has a missing value; every item belongs to a group")
    return np.unique(texts, return_inverse=True)[1].astype(np.uint32)


def _rows(known: Known, data: Any) -> Any:
    """What belongs to the items, where others have weight 0."""
    return data if known.kept is None or data is None else _safe_indexing(data, known.kept.astype(np.intp))


def _settings(options: dict[str, Any], random_state: Any) -> dict[str, Any]:
    chosen: dict[str, Any] = {"seed": _options.seed(random_state)}
    for name, value in options.items():
        if name not in COUNTS:
            raise TypeError(f"compare() got an unexpected keyword argument '{name}'")
        chosen[COUNTS[name]] = _options.count(name, value, 1)
    return chosen


def _plan(
    by: str, train_share: Any, n_repeats: Any, folds: Any, tune: Any, metric: str | None
) -> dict[str, Any]:
    """How the data are divided, as the library has it."""
    plan: dict[str, Any] = {
        "n_repeats": (5 if folds is None else 1) if n_repeats is None else _options.count("n_repeats", n_repeats, 1),
        "train_share": _options.number("train_share", train_share),
        "by_pairs": _options.word("by", by, ("nodes", "pairs")) == 1,
        "tunes": _options.truth("tune", tune),
    }
    if not 0 < plan["train_share"] < 1:
        raise refuse("train_share", train_share, "between 0 and 1")
    if folds is not None:
        plan["n_folds"] = _options.count("folds", folds, 2)
    if metric is not None:
        _options.word("metric", metric, tuple(_core.METRICS))
        plan["metric"] = metric
    return plan


def _named(methods: list[Any]) -> dict[str, Any]:
    """Methods by name, in order: None for one of smerf's own."""
    found: dict[str, Any] = {}
    for given in methods:
        if isinstance(given, str):
            _options.word("methods", given, tuple(_core.METHODS))
        name, method = (given, None) if isinstance(given, str) else contender(given)
        if name in found:
            raise ValueError(f"methods: two are called '{name}'; give one another name: (name, method)")
        found[name] = method
    if not found:
        raise ValueError("methods: there is none")
    return found


def compare(
    X: Any,
    y: Any = None,
    *,
    Z: Any = None,
    pairs: Any = None,
    graph: Any = None,
    observed: Any = None,
    triplets: Any = None,
    sample_weight: Any = None,
    target: Target = "auto",
    methods: Iterable[Any] | None = None,
    n_repeats: int | None = None,
    train_share: float = 0.7,
    by: Literal["nodes", "pairs"] = "nodes",
    folds: int | None = None,
    groups: Any = None,
    tune: bool = True,
    metric: Metric | None = None,
    n_jobs: int | None = None,
    random_state: Any = 1,
    verbose: int = 0,
    **options: int,
) -> Comparison:
    """Every method on the same data: divided, tuned, learned and scored, several times.

    Parameters
    ----------
    X, y, Z, pairs, graph, observed, triplets, sample_weight, target
        As in `DistanceForest` and its `fit`.
    methods : list, optional
        Of 'smerf', 'euclidean', 'mahalanobis', 'bilinear', 'rfd', 'plugin', 'epm', 'narm', 'mean', 'standardized',
        'gower'; all that can take the data by default. Others may be among them, alone or as (name, method): an estimator with
        ``fit(X, known)`` and ``distance(X)``, of which a clone learns from every division, or a function of
        ``(X_train, known, X_test)`` that gives the distances of all pairs of test items. `known` is the part of y that belongs to X_train,
        or the matrix of its distances where there is no y (NaN: not known). By pairs X_train and X_test are X, and
        `known` is always a matrix.
    n_repeats : int, optional
        How often the data are divided anew; 5 by default, 1 with folds.
    train_share : float, default=0.7
        The fraction of the items to learn from.
    by : {'nodes', 'pairs'}, default='nodes'
        Test on items never seen, or on other pairs of the same items.
    folds : int, optional
        Divide the items into so many folds, each of which is tested once.
    groups : array of shape (n,), optional
        Items with the same value are learned from together, or tested together.
    tune : bool, default=True
        Whether the forest's parameters are chosen by its out-of-bag score.
    metric : str, optional
        What it is tuned by; 'auc-roc' for graphs, else 'rmse' by default.
    n_jobs, random_state, verbose
        As in `DistanceForest`.
    **options : int
        Of the methods: n_estimators, n_pairs, n_factors, n_burn, n_draws, n_chains, pairs_a_round (of boosting; 60000 here).

    Returns
    -------
    result : Comparison
        A list of dicts, one a method: 'method', each metric (of triplets 'in-order'; the mean over the divisions), its standard error as in
        'rmse_se', 'seconds', 'n_rounds'. ``pandas.DataFrame(result)`` and ``result.to_frame()`` are tables, ``result["smerf"]`` is a row,
        and `left_out` has the sentences with which methods refused.

    Examples
    --------
    >>> import smerf
    >>> X, Z = smerf.simulate("regression", 50)
    >>> result = smerf.compare(X, Z, methods=["smerf", "euclidean"], n_repeats=2, tune=False, n_estimators=30)
    >>> [row["method"] for row in result]
    ['smerf', 'euclidean']
    >>> result["smerf"]["rmse"] < result["euclidean"]["rmse"]
    True
    """
    check(n_jobs, verbose)
    plan, chosen = _plan(by, train_share, n_repeats, folds, tune, metric), _settings(options, random_state)
    named = None if methods is None else _named([methods] if isinstance(methods, str) else list(methods))
    helper = DistanceForest(target=target)
    items, known = helper._problem(X, y, Z, in_place_of(pairs, triplets), graph, observed, sample_weight)
    index = _labels.index_of(X)
    sample_weight = _labels.aligned(sample_weight, index, "sample_weight")
    if groups is not None:
        plan["groups"] = _rows(known, _group_codes(groups, index, items.n if known.kept is None else len(sample_weight)))
    if plan["by_pairs"] and (folds is not None or groups is not None):
        raise ValueError(f"{'groups' if folds is None else 'folds'} is about items, and by='pairs' divides pairs")
    result = Comparison(known.target.metrics() or ["in-order"])
    if named is None or None in named.values():
        own = {} if named is None else {"methods": [name for name in named if named[name] is None]}
        with watching(n_jobs, verbose, "comparing methods") as watch:
            result._take(_core.compare(items, known.target, chosen, {**plan, **own}, watch))
    if named is not None:
        division = Division(known.target, plan, chosen["seed"], items.n)
        contest = Contest(_rows(known, X), known.of_y, _rows(known, sample_weight), division)
        contest.play([(name, method) for name, method in named.items() if method is not None], result, verbose)
        result.sort(key=lambda row: list(named).index(row["method"]))
    return result


def simulate(
    kind: Simulation, n_items: int, *, random_state: int = 1, part: int = 0, first_item: int = 0
) -> tuple[Floats, Floats]:
    """The data sets of the paper: 20 features, of which the first two matter.

    Parameters
    ----------
    kind : {'regression', 'bilinear', 'radial'}
        Which of the three.
    n_items : int
        How many items.
    random_state : int, default=1
        The seed.
    part : int, default=0
        0 is meant for training, others for testing.
    first_item : int, default=0
        Where in a data set without end the items start.

    Returns
    -------
    X : array of shape (n_items, 20)
        Features.
    Z : array of shape (n_items, n_items)
        Distances.

    Examples
    --------
    >>> import smerf
    >>> X, Z = smerf.simulate("radial", 30)
    >>> X.shape, Z.shape
    ((30, 20), (30, 30))
    """
    index = _options.word("kind", kind, SIMULATIONS)
    n = _options.count("n_items", n_items, 1)
    return _core.simulate(index, first_item, n, _options.seed(random_state), part)
