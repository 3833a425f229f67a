"""Forests grown in parts: ranges of trees, more trees, merging; what growing costs; trees for other programs."""

from __future__ import annotations

import copy
import json
import os
import tempfile
from typing import Any, Iterable, TypeVar, Union, overload

from sklearn.base import clone
from sklearn.utils import Bunch
from sklearn.utils.validation import check_is_fitted

from . import _core, _options
from ._base import TUNED
from ._explaining import Explained
from ._meanings import say
from ._progress import check, watching
from ._types import Path

Forest = TypeVar("Forest", bound="GrowingForest")


class GrowingForest(Explained):
    """Adds to a forest how it is grown, and its trees."""

    n_estimators: int
    first_tree: int
    warm_start: bool

    # ---- more trees ----

    def _has_grown(self, options: dict[str, Any]) -> bool:
        if not (_options.truth("warm_start", self.warm_start) and hasattr(self, "_model")):
            return False
        grown = self._model.describe()["options"]
        if options["first_tree"] != grown["first_tree"]:
            raise ValueError(
                f"first_tree={self.first_tree}, and the forest that is to be continued starts with tree {grown['first_tree']}"
            )
        if options["n_trees"] < grown["n_trees"]:
            raise ValueError(
                f"n_estimators={self.n_estimators} must be larger or equal to {grown['n_trees']}, the trees that there are, "
                "when warm_start=True"
            )
        if options["n_trees"] == grown["n_trees"]:
            say("warm_start without a larger n_estimators grows no trees, and leaves the forest as it is")
            return True
        return False

    def _learn(
        self, items: _core.Items, known: _core.Target, options: dict[str, Any], watch: _core.Watch
    ) -> _core.Model:
        if not (self.warm_start and hasattr(self, "_model")):
            return super()._learn(items, known, options, watch)
        grown = self._model.describe()["options"]
        n_grown = grown["n_trees"]
        options = {**options, "n_trees": options["n_trees"] - n_grown, "first_tree": options["first_tree"] + n_grown}
        if not isinstance(self.random_state, int):  # the seed that was drawn
            options["seed"] = grown["seed"]
        return _core.merge([self._model, _core.fit(items, known, options, watch)])

    # ---- before and after ----

    def estimate(
        self,
        X: Any,
        y: Any = None,
        *,
        Z: Any = None,
        pairs: Any = None,
        graph: Any = None,
        observed: Any = None,
        sample_weight: Any = None,
    ) -> Bunch:
        """What `fit` will take, found by growing a few trees; nothing of the estimator changes.

        Parameters
        ----------
        X, y, Z, pairs, graph, observed, sample_weight
            As in `fit`.

        Returns
        -------
        estimate : Bunch
            `seconds`, as good as the machine is quiet, `bytes` of memory at the peak, `model_bytes` in a file, each NaN if it
            is not known; `n_trees_tried` and, on so many items, `n_items_tried`.

        Examples
        --------
        >>> import smerf
        >>> X, Z = smerf.simulate("radial", 60)
        >>> forest = smerf.DistanceForest(n_estimators=100, random_state=1)
        >>> estimate = forest.estimate(X, Z)
        >>> bool(estimate.seconds > 0 and estimate.bytes > estimate.model_bytes > 0)
        True
        """
        trial = clone(self)
        options = trial._options()
        check(self.n_jobs, self.verbose)
        items, known = trial._problem(X, y, Z, pairs, graph, observed, sample_weight)
        with watching(self.n_jobs, self.verbose, "estimating") as watch:
            return Bunch(**_core.estimate(items, known.target, options, watch))

    @overload
    def export(self, path: None = None) -> dict[str, Any]: ...
    @overload
    def export(self, path: Path) -> None: ...
    def export(self, path: Path | None = None) -> dict[str, Any] | None:
        """The whole forest for other programs, as ``smerf export --format json`` writes it.

        Parameters
        ----------
        path : str or path-like, optional
            Where the JSON goes (compressed, if its name ends in .gz).

        Returns
        -------
        forest : dict
            Without a path: `features`, and `trees` with their `nodes`, the root first. A node that is split has `split`, a list
            of (number of a feature, 1 or -1) whose sum decides (with a level: 1 if the item has it), `threshold`, up to which items
            go left, or `categories` that do, `missing`, where missing values go, `left` and `right`, numbers of nodes, `gain`, and
            `weight`, draws times item weights. A leaf has its number, `leaf`, and `members`, rows of training items with draws.

        Examples
        --------
        >>> import smerf
        >>> X, Z = smerf.simulate("radial", 60)
        >>> forest = smerf.DistanceForest(n_estimators=3, random_state=1).fit(X, Z).export()
        >>> len(forest["features"]), len(forest["trees"]), sorted(forest["trees"][0]["nodes"][0])[:3]
        (20, 3, ['gain', 'left', 'missing'])
        """
        check_is_fitted(self)
        if path is not None:
            _core.export(self._model, path)
            return None
        with tempfile.TemporaryDirectory() as folder:
            name = os.path.join(folder, "forest.json")
            _core.export(self._model, name)
            with open(name, encoding="utf-8") as file:
                forest: dict[str, Any] = json.load(file)
        return forest


def merge(forests: Iterable[Union[Forest, Path]]) -> Forest:
    """Join parts of one forest: the same data, parameters and seed, and trees that follow each other.

    The whole equals the forest that is grown in one go, byte for byte; the command's ``merge``.

    Parameters
    ----------
    forests : list of fitted forests, or paths of their files
        In any order. Each has `n_estimators` trees from `first_tree` on, and an int as `random_state`.

    Returns
    -------
    forest : object
        A fitted estimator of the class that the parts have.

    Examples
    --------
    >>> import smerf
    >>> X, Z = smerf.simulate("radial", 60)
    >>> parts = [
    ...     smerf.DistanceForest(n_estimators=5, first_tree=first, random_state=1).fit(X, Z) for first in (0, 5)
    ... ]
    >>> whole = smerf.DistanceForest(n_estimators=10, random_state=1).fit(X, Z)
    >>> bool((smerf.merge(parts).distance(X) == whole.distance(X)).all())
    True
    """
    from ._methods import load

    if isinstance(forests, (str, bytes, os.PathLike, GrowingForest)):
        raise TypeError("merge takes a list of forests, or of paths of their files")
    parts: list[Any] = [load(part) if isinstance(part, (str, os.PathLike)) else part for part in forests]
    for part in parts:
        if not isinstance(part, GrowingForest):
            raise TypeError(f"only forests can be merged, and this is a {type(part).__name__}")
        check_is_fitted(part)
    model = _core.merge([part._model for part in parts])
    options = model.describe()["options"]
    first = min(parts, key=lambda part: int(part._model.describe()["options"]["first_tree"]))
    whole = copy.copy(first)
    for name in ("threshold_", *TUNED):  # of a part
        whole.__dict__.pop(name, None)
    whole.set_params(n_estimators=options["n_trees"], first_tree=options["first_tree"])
    whole._model = model
    holders = [part for part in parts if part._items is not None]
    if whole._items is None and holders:  # a part from a file holds none
        whole._items, whole._index, whole._n_outputs = holders[0]._items, holders[0]._index, holders[0]._n_outputs
    return whole  # type: ignore[no-any-return]
