"""Questions about items that the model has learned from: out of bag, where that is what is meant, or with a warning.

Training items are known as the library knows them: by id (by row without ids) and by their features. So `X` left out and
the `X` of `fit` are the same question, and a model from a file knows them again.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core
from ._meanings import say

if TYPE_CHECKING:
    from ._base import DistanceEstimator

ALL, SOME, OTHERS = "all", "some", "others"


class InSampleWarning(UserWarning):
    """Something about quality is asked of the items that the model has learned from, so that the answer is too good.

    A forest puts items that it has learned from nearer to their own kind than new ones, also where there is nothing to be
    learned. The warning says how to ask out of bag, and ``oob=False`` says that it is meant, where there is such a
    parameter. ``warnings.simplefilter("ignore", smerf.InSampleWarning)`` silences all.

    Examples
    --------
    >>> import smerf, warnings
    >>> X, Z = smerf.simulate("regression", 60)
    >>> forest = smerf.DistanceForest(n_estimators=20, random_state=1).fit(X, Z)
    >>> with warnings.catch_warnings(record=True) as said:
    ...     warnings.simplefilter("always")
    ...     score = forest.score(X, Z)
    >>> said[0].category is smerf.InSampleWarning
    True
    """


def has_out_of_bag(estimator: DistanceEstimator) -> bool:
    """Whether there is something in the model that has not seen an item: trees, or bags."""
    return estimator._model.has_out_of_bag()


def part_of_training(estimator: DistanceEstimator, items: _core.Items) -> str:
    """Whether these are ALL training items in their order, SOME of them, or OTHERS, if only one of them is."""
    if items is estimator._items:
        return ALL
    rows = estimator._model.training_rows(items)
    if len(rows) == 0 or (rows == _core.MISSING).any():
        return OTHERS
    is_whole = len(rows) == estimator._model.describe()["n_items"]
    return ALL if is_whole and (rows == np.arange(len(rows))).all() else SOME


def wish_of(oob: Any) -> bool | None:
    """True, False, or None where nothing is said."""
    if oob is None or (isinstance(oob, str) and oob == "auto"):
        return None
    if isinstance(oob, (bool, np.bool_)):
        return bool(oob)
    raise ValueError(f"oob={oob!r} is not one of None, 'auto', True, False")


def warn(estimator: DistanceEstimator, what: str, remedy: str | None = None) -> None:
    """Says that the model has learned from what it is asked about.   what: "the scores are"; remedy: where trees are out of bag"""
    if not has_out_of_bag(estimator):
        remedy = "ask about items that it has not seen"
    elif remedy is None:
        remedy = "oob=True asks only the trees that have not seen them, oob=False says that this is meant"
    say(f"the model has learned from these items, so that {what} too good; {remedy}", InSampleWarning)


def warn_of_scores(
    estimator: DistanceEstimator,
    *sides: _core.Items | None,
    what: str = "the scores are",
    remedy: str = "evaluate_oob and oob_score ask only the trees that have not seen them",
) -> None:
    """A warning if all items of all sides are training items."""
    if estimator._model.learns_pairs() and all(side is None or part_of_training(estimator, side) != OTHERS for side in sides):
        warn(estimator, what, remedy)


def is_out_of_bag(estimator: DistanceEstimator, oob: Any, items: _core.Items, what: str) -> bool:
    """Of what shows items among each other: out of bag only if that is asked for; with a warning if nothing is said."""
    wish = wish_of(oob)
    if wish is None and estimator._model.learns_pairs() and part_of_training(estimator, items) != OTHERS:
        warn(estimator, what)
    return bool(wish)


def among(
    estimator: DistanceEstimator, oob: Any, items: _core.Items, queries: _core.Items | None, what: str
) -> tuple[_core.Items | None, bool]:
    """Queries of a search among items, None for the items themselves, and whether it is out of bag.

    Where nothing is said, the training items are searched out of bag for themselves, if that can be done.
    """
    wish = wish_of(oob)
    if wish is False or (wish is None and not estimator._model.learns_pairs()):
        return queries, False
    searched = part_of_training(estimator, items)
    asked = searched if queries is None else part_of_training(estimator, queries)
    is_whole = searched == asked == ALL
    if wish is True:
        if queries is not None and not is_whole:
            raise ValueError("oob=True is about all training items: leave X out, or pass the X of fit")
        return None, True
    if is_whole and has_out_of_bag(estimator):
        return None, True
    if OTHERS not in (searched, asked):
        warn(estimator, what, "leaving X out asks out of bag, about all of them; oob=False says that this is meant")
    return queries, False


def are_pairs_out_of_bag(estimator: DistanceEstimator, oob: Any, items: _core.Items | None, what: str) -> bool:
    """Of pairs of rows of X: out of bag if X is all training items, and that can be done; with a warning if it is some of them.

    items: those of X; None: pairs bring their own, of which nobody knows whether they were learned from.
    """
    wish = wish_of(oob)
    if items is None:
        if wish is True:
            raise ValueError("oob=True is about pairs of rows of X: pass the X of fit")
        return False
    if wish is not None or not estimator._model.learns_pairs():
        return bool(wish)
    part = part_of_training(estimator, items)
    if part == ALL and has_out_of_bag(estimator):
        return True
    if part != OTHERS:
        warn(estimator, what, "the whole X of fit is asked out of bag; oob=False says that this is meant")
    return False
