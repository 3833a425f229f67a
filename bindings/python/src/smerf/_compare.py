"""Which method is best for some data, and data to try it on."""

from __future__ import annotations

from typing import Any, Iterable, Literal

from . import _core, _options
from ._asking import Floats
from ._forest import DistanceForest
from ._progress import watching
from ._types import Metric, Simulation, Target

SIMULATIONS = ("regression", "bilinear", "radial")


def compare(
    X: Any,
    y: Any = None,
    *,
    Z: Any = None,
    pairs: Any = None,
    graph: Any = None,
    observed: Any = None,
    sample_weight: Any = None,
    target: Target = "auto",
    methods: Iterable[str] | None = None,
    n_repeats: int = 5,
    train_share: float = 0.7,
    by: Literal["nodes", "pairs"] = "nodes",
    tune: bool = True,
    metric: Metric | None = None,
    n_jobs: int | None = None,
    random_state: Any = 1,
    verbose: int = 0,
    **options: int,
) -> dict[str, Any]:
    """Every method on the same data: divided, tuned, learned and scored, several times.

    Parameters
    ----------
    X, y, Z, pairs, graph, observed, sample_weight, target
        As in `DistanceForest` and its `fit`.
    methods : list of str, optional
        Of 'smerf', 'euclidean', 'mahalanobis', 'bilinear', 'rfd', 'plugin', 'epm', 'narm', 'mean', 'standardized',
        'gower'; all that can take the data by default.
    n_repeats : int, default=5
        How often the data are divided anew.
    train_share : float, default=0.7
        The fraction of the items to learn from.
    by : {'nodes', 'pairs'}, default='nodes'
        Test on items never seen, or on other pairs of the same items.
    tune : bool, default=True
        Whether the forest's parameters are chosen by its out-of-bag score.
    metric : str, optional
        What it is tuned by; 'auc-roc' for graphs, else 'rmse' by default.
    n_jobs, random_state, verbose
        As in `DistanceForest`.
    **options : int
        Of the methods: n_estimators, n_pairs, n_factors, n_burn, n_draws, n_chains.

    Returns
    -------
    result : dict
        'methods': for each method a dict by metric, each with 'mean' and 'se', and 'seconds'; 'left_out': the sentences
        with which others refused.

    Examples
    --------
    >>> import smerf
    >>> X, Z = smerf.simulate("regression", 50)
    >>> result = smerf.compare(X, Z, methods=["smerf", "euclidean"], n_repeats=2, tune=False, n_estimators=30)
    >>> scores = result["methods"]
    >>> scores["smerf"]["rmse"]["mean"] < scores["euclidean"]["rmse"]["mean"]
    True
    """
    names = {"n_estimators": "n_trees"}
    helper = DistanceForest(target=target)
    items, known = helper._problem(X, y, Z, pairs, graph, observed, sample_weight)
    allowed = ("n_estimators", "n_pairs", "n_factors", "n_burn", "n_draws", "n_chains")
    for name in options:
        if name not in allowed:
            raise TypeError(f"compare() got an unexpected keyword argument '{name}'")
    chosen: dict[str, Any] = {names.get(name, name): _options.count(name, options[name], 1) for name in options}
    chosen["seed"] = _options.seed(random_state)
    plan: dict[str, Any] = {
        "n_repeats": _options.count("n_repeats", n_repeats, 1),
        "train_share": float(train_share),
        "by_pairs": _options.word("by", by, ("nodes", "pairs")) == 1,
        "tunes": bool(tune),
    }
    if methods is not None:
        plan["methods"] = list(methods)
        for method in plan["methods"]:
            _options.word("methods", method, tuple(_core.METHODS))
    if metric is not None:
        _options.word("metric", metric, tuple(_core.METRICS))
        plan["metric"] = metric
    with watching(n_jobs, verbose, "comparing methods") as watch:
        standings = _core.compare(items, known.target, chosen, plan, watch)
    return {
        "methods": {s["method"]: {**s["scores"], "seconds": s["seconds"]} for s in standings if s["applies"]},
        "left_out": {s["method"]: s["why_not"] for s in standings if not s["applies"] and s["why_not"]},
    }


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
