"""Sentences in Python's words: how arguments are checked, and how the library's sentences name them.

The library names options as the command does, and says where (smerf_mention of smerf.h); here they become arguments.
"""

from __future__ import annotations

from typing import Any, Sequence

from sklearn.utils._param_validation import InvalidParameterError as InvalidParameterError

ARGUMENTS = {
    "bags": "n_bags",
    "burn": "n_burn",
    "chains": "n_chains",
    "draws": "n_draws",
    "edges": "graph",
    "factors": "n_factors",
    "item_weights": "sample_weight",
    "landmarks": "n_landmarks",
    "leaves": "n_leaves",
    "most_k": "max_clusters",
    "repeats": "n_repeats",
    "rounds": "n_rounds",
    "sample_pairs": "n_pairs",
    "seed": "random_state",
    "train": "train_share",
    "trees": "n_estimators",
}
"""What options are called here, where that is not their own name."""


def argument(mention: str) -> str:
    """An option, perhaps with a value, as an argument: "trees" is n_estimators, and "sample none" sample='none'."""
    name, _, value = mention.partition(" ")
    name = ARGUMENTS.get(name, name)
    return f"{name}={value if value.isdigit() else repr(value)}" if value else name


def sentence(message: bytes, mentions: Sequence[tuple[int, int]]) -> str:
    """A sentence of the library, whose options are at (position, length)."""
    parts, start = [], 0
    for at, length in mentions:
        parts += [message[start:at].decode("utf-8", "replace"), argument(message[at : at + length].decode())]
        start = at + length
    return "".join(parts) + message[start:].decode("utf-8", "replace")


def refuse(name: str, value: Any, what: str) -> InvalidParameterError:
    """An argument that makes no sense; scikit-learn's exception, which is a ValueError and a TypeError."""
    return InvalidParameterError(f"{name}={value!r} is not {what}")
