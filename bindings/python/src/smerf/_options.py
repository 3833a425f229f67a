"""Parameters as users write them, turned into the numbers of smerf_options."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from . import _core
from ._messages import refuse

SPLITS = ("axis", "oblique")
CANDIDATES = {"auto": _core.CANDIDATES_AUTO, "all": _core.CANDIDATES_ALL, "paper": _core.CANDIDATES_PAPER}
SELF_DISTANCES = {"given": 0, "exclude": 2, "auto": 3}  # 1 is a number
SHRINKS = {"auto": -1.0, "off": 0.0}  # others are numbers
OOB_RULES = ("both", "either")  # from 1 on: 0 is "as the model says"
LOSSES = ("auto", "squared", "absolute", "huber", "logistic")
PAIR_FEATURES = ("auto", "difference", "ends", "items", "all")
BASES = ("none", "forest")


def seed(random_state: Any) -> int:
    """An integer is the command's ``--seed``; else one is drawn, as scikit-learn's forests do."""
    if is_whole(random_state):
        if not 0 <= random_state < 2**63:
            raise refuse("random_state", random_state, "in 0 ... 2^63 - 1")
        return int(random_state)
    if not (random_state is None or isinstance(random_state, (np.random.RandomState, type(np.random)))):
        raise refuse("random_state", random_state, "a whole number, None, or a numpy.random.RandomState")
    return int(check_random_state(random_state).randint(np.iinfo(np.int32).max))


def is_whole(value: Any) -> bool:
    """Whether it is an int of Python or NumPy. Truth values are none, though Python counts them as such."""
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def is_number(value: Any) -> bool:
    """Whether it is a number, NaN not."""
    is_float = isinstance(value, (float, np.floating))
    return is_whole(value) or (is_float and not np.isnan(value))


def count(name: str, value: Any, least: int) -> int:
    if is_whole(value) and value >= least:
        return int(value)
    raise refuse(name, value, f"a whole number from {least} on")


def number(name: str, value: Any, what: str = "a number") -> float:
    if is_number(value):
        return float(value)
    raise refuse(name, value, what)


def word(name: str, value: Any, words: tuple[str, ...]) -> int:
    if isinstance(value, str) and value in words:
        return words.index(value)
    raise refuse(name, value, f"one of {', '.join(map(repr, words))}")


def truth(name: str, value: Any) -> bool:
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    raise refuse(name, value, "True or False")


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def candidates(value: Any) -> dict[str, Any]:
    """A number, 'all', 'auto', 'paper', 'p', or a power of p such as 'p^0.5'."""
    if is_whole(value) and value > 0:
        return {"candidates": min(int(value), _core.CANDIDATES_PAPER - 1)}
    if isinstance(value, str) and value in CANDIDATES:
        return {"candidates": CANDIDATES[value]}
    if isinstance(value, str) and (value == "p" or value.startswith("p^")):
        power = 1.0 if value == "p" else _number(value[2:])
        if power is not None and 0 < power < np.inf:
            return {"candidates_power": power}
    raise refuse("candidates", value, "a whole number from 1 on, 'all', 'auto', 'paper', 'p' or a power such as 'p^0.5'")


def paper() -> dict[str, Any]:
    """Parameters of the paper's forest, the same for everything that can be learned from; the command's ``--paper``.

    Returns
    -------
    parameters : dict
        For `DistanceForest`.

    Examples
    --------
    >>> import smerf
    >>> smerf.DistanceForest(n_estimators=20, **smerf.paper()).candidates
    'paper'
    """
    return {"candidates": "paper", "self_distance": "given", "shrink": "off"}


def sample(value: Any) -> dict[str, Any]:
    """'bootstrap', 'none', or 'subsample:F'."""
    if isinstance(value, str) and value in ("bootstrap", "none"):
        return {"sample": 0 if value == "bootstrap" else 2}
    if isinstance(value, str) and value.startswith("subsample:"):
        share = _number(value[len("subsample:") :])
        if share is not None and 0 < share <= 1:
            return {"sample": 1, "sample_share": share}
    raise refuse("sample", value, "'bootstrap', 'none', or 'subsample:F' with 0 < F <= 1")


def self_distance(value: Any) -> dict[str, Any]:
    """'auto', 'given', 'exclude', or a number."""
    if is_number(value) and abs(value) < np.inf:
        return {"self_distance": 1, "self_value": float(value)}
    if isinstance(value, str) and value in SELF_DISTANCES:
        return {"self_distance": SELF_DISTANCES[value]}
    raise refuse("self_distance", value, "'auto', 'given', 'exclude', or a number")


def shrink(value: Any) -> dict[str, Any]:
    """'auto', 'off', or a factor."""
    if isinstance(value, str) and value in SHRINKS:
        return {"shrink": SHRINKS[value]}
    if isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool) and 0 < value <= 1:
        return {"shrink": float(value)}
    raise ValueError(f"shrink={value!r} is not 'auto', 'off', or a number in (0, 1]")


def complete(value: Any) -> dict[str, Any]:
    """'auto', 'off', or a rank."""
    if is_whole(value) and value >= 1:
        return {"complete": int(value)}
    if isinstance(value, str) and value in ("auto", "off"):
        return {"complete": _core.COMPLETE_AUTO if value == "auto" else _core.COMPLETE_OFF}
    raise refuse("complete", value, "'auto', 'off', or a whole number from 1 on")


def density(value: Any) -> float:
    if is_number(value) and 0 < value <= 1:
        return float(value)
    raise refuse("density", value, "a number in (0, 1], or None")


def growing(estimator: Any) -> dict[str, Any]:
    """What every forest is grown by."""
    depth = estimator.max_depth
    return {
        "n_trees": count("n_estimators", estimator.n_estimators, 1),
        "splits": word("splits", estimator.splits, SPLITS),
        "density": 0.0 if estimator.density is None else density(estimator.density),
        "min_parent": count("min_parent", estimator.min_parent, 2),
        "max_depth": _core.NO_LIMIT if depth is None else count("max_depth", depth, 0),
        **candidates(estimator.candidates),
        **sample(estimator.sample),
    }


def boosting(estimator: Any) -> dict[str, Any]:
    """What only boosting has."""
    rate, l2 = estimator.learning_rate, estimator.l2
    if not (isinstance(rate, (int, float, np.floating)) and 0 < rate <= 1):
        raise ValueError(f"learning_rate={rate!r} is not in (0, 1]")
    if not (isinstance(l2, (int, float, np.floating)) and 0 <= l2 < float("inf")):
        raise ValueError(f"l2={l2!r} is not a number >= 0")
    return {
        "n_rounds": 0 if estimator.n_rounds is None else count("n_rounds", estimator.n_rounds, 1),
        "most_rounds": count("most_rounds", estimator.most_rounds, 1),
        "n_leaves": count("n_leaves", estimator.n_leaves, 2),
        "min_leaf": count("min_leaf", estimator.min_leaf, 1),
        "learning_rate": float(rate),
        "l2": float(l2),
        "n_bags": count("n_bags", estimator.n_bags, 0),
        "pairs_a_round": count("pairs_a_round", estimator.pairs_a_round, 1),
        "loss": word("loss", estimator.loss, LOSSES),
        "pair_features": word("pair_features", estimator.pair_features, PAIR_FEATURES),
        "base": word("base", estimator.base, BASES),
    }


def boosting_parameters(options: dict[str, Any]) -> dict[str, Any]:
    """The same from a model, as a user would write them."""
    names = ("most_rounds", "n_leaves", "min_leaf", "learning_rate", "l2", "n_bags", "pairs_a_round")
    words = {"loss": LOSSES, "pair_features": PAIR_FEATURES, "base": BASES}
    return {
        "n_rounds": options["n_rounds"] or None,
        **{name: options[name] for name in names},
        **{name: known[options[name]] for name, known in words.items()},
    }


def as_parameters(options: dict[str, Any]) -> dict[str, Any]:
    """The parameters that tuning varies, as a user would write them."""
    own = {0: "given", 1: options["self_value"], 2: "exclude"}[options["self_distance"]]
    return {
        "candidates": options["candidates"],
        "min_parent": options["min_parent"],
        "splits": SPLITS[options["splits"]],
        "self_distance": own,
    }


def metrics(names: Any) -> int:
    """Names of metrics as a sum of bits; None is 0, which means all that there are."""
    if names is None:
        return 0
    chosen = list(names) if isinstance(names, (list, tuple, set, frozenset, np.ndarray)) else [names]
    return sum({1 << word("metric", name, tuple(_core.METRICS)) for name in chosen})
