"""Parameters as users write them, turned into the numbers of smerf_options."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import check_random_state

from . import _core

SPLITS = ("axis", "oblique")
CANDIDATES = {"auto": _core.CANDIDATES_AUTO, "all": _core.CANDIDATES_ALL, "paper": _core.CANDIDATES_PAPER}
SELF_DISTANCES = {"given": 0, "exclude": 2, "auto": 3}  # 1 is a number
OOB_RULES = ("both", "either")  # from 1 on: 0 is "as the model says"
LOSSES = ("auto", "squared", "absolute", "huber", "logistic")
PAIR_FEATURES = ("auto", "difference", "ends", "items", "all")
BASES = ("none", "forest")


def seed(random_state: Any) -> int:
    """An integer is the command's ``--seed``; else one is drawn, as scikit-learn's forests do."""
    if isinstance(random_state, (int, np.integer)):
        if not 0 <= random_state < 2**63:
            raise ValueError(f"random_state={random_state} is not in 0 ... 2^63 - 1")
        return int(random_state)
    return int(check_random_state(random_state).randint(np.iinfo(np.int32).max))


def count(name: str, value: Any, least: int) -> int:
    if isinstance(value, (int, np.integer)) and not isinstance(value, bool) and value >= least:
        return int(value)
    raise ValueError(f"{name}={value!r} is not a whole number from {least} on")


def word(name: str, value: Any, words: tuple[str, ...]) -> int:
    if value in words:
        return words.index(value)
    raise ValueError(f"{name}={value!r} is not one of {', '.join(map(repr, words))}")


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def candidates(value: Any) -> dict[str, Any]:
    """A number, 'all', 'auto', 'paper', or a power of p such as 'p^0.5'."""
    if isinstance(value, (int, np.integer)) and value > 0:
        return {"candidates": min(int(value), _core.CANDIDATES_PAPER - 1)}
    if isinstance(value, str) and value in CANDIDATES:
        return {"candidates": CANDIDATES[value]}
    if isinstance(value, str) and value.startswith("p^"):
        power = _number(value[2:])
        if power is not None and power > 0:
            return {"candidates_power": power}
    raise ValueError(f"candidates={value!r} is not a number > 0, 'all', 'auto', 'paper' or a power such as 'p^0.5'")


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
    return {"candidates": "paper", "self_distance": "given"}


def sample(value: Any) -> dict[str, Any]:
    """'bootstrap', 'none', or 'subsample:F'."""
    if value == "bootstrap":
        return {"sample": 0}
    if value == "none":
        return {"sample": 2}
    if isinstance(value, str) and value.startswith("subsample:"):
        share = _number(value[len("subsample:") :])
        if share is not None and 0 < share <= 1:
            return {"sample": 1, "sample_share": share}
    raise ValueError(f"sample={value!r} is not 'bootstrap', 'none', or 'subsample:F' with 0 < F <= 1")


def self_distance(value: Any) -> dict[str, Any]:
    """'auto', 'given', 'exclude', or a number."""
    if isinstance(value, str) and value in SELF_DISTANCES:
        return {"self_distance": SELF_DISTANCES[value]}
    if isinstance(value, (int, float, np.integer, np.floating)):
        return {"self_distance": 1, "self_value": float(value)}
    raise ValueError(f"self_distance={value!r} is not 'auto', 'given', 'exclude', or a number")


def complete(value: Any) -> dict[str, Any]:
    """'auto', 'off', or a rank."""
    if value == "auto":
        return {"complete": _core.COMPLETE_AUTO}
    if value == "off":
        return {"complete": _core.COMPLETE_OFF}
    return {"complete": count("complete", value, 1)}


def growing(estimator: Any) -> dict[str, Any]:
    """What every forest is grown by."""
    density, depth = estimator.density, estimator.max_depth
    if density is not None and not (isinstance(density, (int, float, np.floating)) and 0 < density <= 1):
        raise ValueError(f"density={density!r} is neither None nor in (0, 1]")
    return {
        "n_trees": count("n_estimators", estimator.n_estimators, 1),
        "splits": word("splits", estimator.splits, SPLITS),
        "density": 0.0 if density is None else float(density),
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
    chosen = [names] if isinstance(names, str) else list(names)
    return sum({1 << word("metric", name, tuple(_core.METRICS)) for name in chosen})
