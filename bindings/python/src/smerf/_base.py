"""What every estimator of smerf shares: learning from X and what is known of the pairs, being saved, copied and shown."""

from __future__ import annotations

import json
import os
from typing import Any, Sequence, TypeVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from . import _core, _inputs, _labels, _options
from ._meanings import is_matrix, say
from ._progress import check, watching
from ._targets import Known, make_target
from ._triplets import in_place_of

Self = TypeVar("Self", bound="DistanceEstimator")

TUNED = ("best_params_", "best_score_", "best_index_", "cv_results_")  # what a search leaves


class DistanceEstimator(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Learns distances; see its subclasses."""

    _method = "smerf"
    target = "auto"
    _meanings: dict[str, str] = {}  # of a target, where y is no matrix and it means something else than usual
    categories: Any = None
    _index: Any = None  # of the pandas frame that it was fitted on, as _labels.kept
    _ordered: dict[str, list[str]] = {}  # the levels of each column of ordered categories, which are numbers to the model
    n_jobs: int | None
    random_state: Any
    verbose: int

    # ---- learning ----

    def fit(
        self: Self,
        X: Any,
        y: Any = None,
        *,
        Z: Any = None,
        pairs: Any = None,
        graph: Any = None,
        observed: Any = None,
        triplets: Any = None,
        sample_weight: Any = None,
    ) -> Self:
        """Learn a distance from features and what is known of the pairs.

        Exactly one of `y`, `Z`, `pairs`, `graph` and `triplets` is given.

        Parameters
        ----------
        X : array, frame or sparse matrix of shape (n, p)
            Features; NaN (None, null, pandas.NA) is missing. Frames are those of pandas, polars and pyarrow, whose columns of
            text and of categories are categories. A sparse matrix is made dense. Where a pandas frame's index has labels,
            whatever else has labels is matched with them ("Which row is which" in docs/python.md).
        y : array of shape (n,) or (n, k), optional
            Labels or numbers, of which `target` says how they make distances. A square matrix or nested list here is Z.
        Z : array of shape (n, n), condensed vector, frame or Distances, optional
            Distances, symmetric; NaN where one is not known. The estimator keeps a copy in float32; a
            C-contiguous float32 array that is read-only (``Z.setflags(write=False)``, a memory map of mode 'r') is used
            in place.
        pairs : tuple of arrays or frame, optional
            Some pairs and their distances: ``(indices, distances)`` with indices of shape (m, 2),
            ``(i, j, distances)``, either with weights at the end (1 and -1 for distances: alike or not, as metric-learn
            has it), or a frame with columns i, j (else the first two), distance, dissimilarity or similarity, and perhaps
            weight, in any case. Items are X's labels; where X has none, numbers of rows from 0.
        graph : SciPy sparse matrix, networkx or igraph graph, frame with source and target, optional
            Links: the distance is 1 - weight, 1 where there is no link. Weights are divided by the largest if that exceeds
            1, with a warning. Nodes of networkx, and those of igraph that have a `name`, are items as in `pairs`.
        observed : array of shape (m, 2), optional
            With `graph`: the only pairs of which it is known whether they are linked.
        triplets : array of shape (m, 3), or frame with columns anchor, near, far, optional
            No distances, but which of two items is nearer to an anchor: `Mahalanobis` learns from these, and its distances are
            log-odds then. ``(triplets, weights)``, or a column weight, weighs them; a frame with the columns a, b, odd says which
            of three is unlike the two others. Items are as in `pairs`.
        sample_weight : array of shape (n,), optional
            Weights of the items. They weigh splits and leaf means, not the drawing. Items of weight 0 are left out, with a
            warning, as if X did not hold them: the training items are the others.

        Returns
        -------
        self : object
            The fitted estimator.

        Examples
        --------
        >>> import smerf
        >>> X, Z = smerf.simulate("regression", 80, random_state=1)
        >>> forest = smerf.DistanceForest(n_estimators=20, random_state=1).fit(X, Z)
        >>> forest.distance(X[:2]).shape
        (2, 2)
        """
        options = self._options()
        check(self.n_jobs, self.verbose)
        if self._has_grown(options):
            return self
        items, known = self._problem(X, y, Z, in_place_of(pairs, triplets), graph, observed, sample_weight)
        with watching(self.n_jobs, self.verbose, "learning") as watch:
            model = self._learn(items, known.target, options, watch)
        self._remember(model, items, known)
        return self

    def _has_grown(self, options: dict[str, Any]) -> bool:
        """Whether there is nothing left to learn: of forests that go on where they were."""
        return False

    def _learn(
        self, items: _core.Items, known: _core.Target, options: dict[str, Any], watch: _core.Watch
    ) -> _core.Model:
        return _core.fit(items, known, options, watch)

    def _options(self) -> dict[str, Any]:
        return {"method": _core.METHODS.index(self._method), "seed": _options.seed(self.random_state)}

    def _problem(
        self, X: Any, y: Any, Z: Any, pairs: Any, graph: Any, observed: Any, sample_weight: Any
    ) -> tuple[_core.Items, Known]:
        """Items and target of a fit; sets what scikit-learn wants to know of the features."""
        given, X = X, _inputs.checked(X, fewest=2)
        validate_data(self, _inputs.source_of(X), reset=True, skip_check_array=True)
        names = [str(name) for name in getattr(self, "feature_names_in_", _inputs.number_names(X.shape[1]))]
        index, ids = _labels.index_of(given), _inputs.item_ids(given)
        weights = None
        if sample_weight is not None:
            sample_weight = _labels.aligned(sample_weight, index, "sample_weight")
            weights = _check_sample_weight(sample_weight, np.empty((X.shape[0], 0)), dtype=np.float64)
        is_plain = y is not None and not (self.target == "auto" and is_matrix(y, X.shape[0], 0))
        known = make_target(
            index,
            X.shape[0],
            y,
            Z,
            pairs,
            graph,
            observed,
            self._meanings.get(self.target, self.target) if is_plain else self.target,
            self.__class__.__name__,
            is_kept=True,
        )
        flags = _inputs.category_flags(self.categories, names)
        ordered = _inputs.ordered_levels(X, names, flags)
        columns = _inputs.columns_of(X, names, flags, ordered)
        known = known._replace(index=index, ordered=ordered)
        if weights is not None and (weights == 0).any():
            return self._without_zeros(columns, known, ids, weights)
        return _inputs.items_of(columns, X.shape[0], ids, weights), known

    @staticmethod
    def _without_zeros(
        columns: Sequence[_inputs.Column], known: Known, ids: tuple[str, list[str]] | None, weights: NDArray[np.float64]
    ) -> tuple[_core.Items, Known]:
        """Items and target as if those of weight 0 had not been given."""
        rows = np.flatnonzero(weights).astype(np.uint32)
        if len(rows) < 2:
            raise ValueError(f"sample_weight: {len(rows)} of {len(weights)} items have a weight above 0, and 2 are needed")
        say("items whose sample_weight is 0 are left out")
        ids = None if ids is None else (ids[0], [ids[1][row] for row in rows])
        columns = [_inputs.taken(column, rows) for column in columns]
        index = None if known.index is None else known.index[rows]
        of_y = None if known.of_y is None else _safe_indexing(known.of_y, rows.astype(np.intp))
        known = known._replace(target=known.target.take(rows), index=index, of_y=of_y, kept=rows)
        return _inputs.items_of(columns, len(rows), ids, weights[rows]), known

    def _remember(self, model: _core.Model, items: _core.Items | None, known: Known | None) -> None:
        """What a fitted estimator knows. `known` is None for a model from a file."""
        for name in ("classes_", "threshold_", *TUNED):  # of a fit before
            self.__dict__.pop(name, None)
        self._model, self._items = model, items
        about = model.describe()
        self.target_ = about["target"]
        self._index = None if known is None else _labels.kept(known.index)
        self._ordered = {} if known is None or known.ordered is None else known.ordered
        self._n_outputs = known.n_outputs if known is not None else 0
        self._n_features_out = about["n_items"]
        if self.target_ == "labels":
            self._remember_classes(model.value_names(), None if known is None else known.classes)

    def _remember_classes(self, texts: Sequence[str], classes: NDArray[Any] | None) -> None:
        """`classes_` are sorted as scikit-learn sorts them, the model's as text."""
        if classes is None:
            classes = np.unique(_inputs.values_of_texts(texts))
        self.classes_ = classes
        index = {_inputs.level_text(label): k for k, label in enumerate(classes)}
        self._class_indices = np.array([index[text] for text in texts])

    # ---- items of a question ----

    def _items_of(self, X: Any) -> _core.Items:
        """Items as the model knows them. None: those that it was fitted on."""
        check_is_fitted(self)
        if X is None:
            return self._training_items()
        given, X = X, _inputs.checked(X)
        validate_data(self, _inputs.source_of(X), reset=False, skip_check_array=True)
        features = self._model.features()
        if not _inputs.is_frame(X) or not hasattr(self, "feature_names_in_"):
            if X.shape[1] != len(features):
                raise ValueError(
                    f"X has {X.shape[1]} features, but {type(self).__name__} is expecting {len(features)} features as input"
                )
            names, flags = [name for name, _ in features], [levels is not None for _, levels in features]
        else:
            kinds = {name: levels is not None for name, levels in features}
            names = [str(name) for name in X.columns]
            flags = [kinds.get(name, False) for name in names]
        ids = _inputs.item_ids(given, self._model.describe()["id_column"] or "")
        return _inputs.items_of(_inputs.columns_of(X, names, flags, self._ordered), X.shape[0], ids)

    def _training_items(self) -> _core.Items:
        if self._items is None:
            raise ValueError("a model from a file does not hold the items that it was fitted on; pass them")
        return self._items

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_model")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        tags.target_tags.required = True
        tags.target_tags.multi_output = True
        return tags

    # ---- files ----

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to a file that the command reads too.

        The file holds what was learned, `threshold_` and the order of ordered categories, and nothing of X; pickle keeps
        the estimator whole, X included.

        Parameters
        ----------
        path : str or path-like
            Where the model goes.

        Examples
        --------
        >>> import os, smerf, tempfile
        >>> X, Z = smerf.simulate("radial", 60)
        >>> forest = smerf.DistanceForest(n_estimators=5, random_state=1).fit(X, Z)
        >>> path = os.path.join(tempfile.mkdtemp(), "radial.smerf")
        >>> forest.save(path)
        >>> bool((smerf.load(path).distance(X) == forest.distance(X)).all())
        True
        """
        check_is_fitted(self)
        note = {"threshold": getattr(self, "threshold_", None), "ordered": self._ordered}
        kept = {name: value for name, value in note.items() if value is not None and value != {}}
        self._model.save(path, json.dumps(kept, ensure_ascii=False) if kept else None)

    @classmethod
    def load(cls: type[Self], path: str | os.PathLike[str]) -> Self:
        """Read a model from a file, whether Python or the command wrote it.

        The parameters are those that it was learned with, as the file has them: what was chosen automatically is spelled
        out ('auto' candidates are a number), so that `fit` with them grows the same forest from the same data. `threshold_` and the order of
        ordered categories come back. Labels that are whole numbers come back as such, 'False' and 'True' as truth values,
        others as text. What needs the items that it was fitted on (`kneighbors`, `transform`, out of bag) must be given them.

        Parameters
        ----------
        path : str or path-like
            The file.

        Returns
        -------
        estimator : object
            A fitted estimator.

        Examples
        --------
        >>> import os, smerf, tempfile
        >>> X, Z = smerf.simulate("radial", 60)
        >>> path = os.path.join(tempfile.mkdtemp(), "radial.smerf")
        >>> smerf.DistanceForest(n_estimators=5, random_state=1).fit(X, Z).save(path)
        >>> smerf.DistanceForest.load(path).n_estimators
        5
        """
        model = _core.load(path)
        about = model.describe()
        if about["method"] != cls._method:
            raise ValueError(f"the model was made by the method '{about['method']}'; smerf.load finds its class")
        estimator = cls(**cls._parameters_of(about["options"]))
        features = [name for name, _ in model.features()]
        estimator.n_features_in_ = len(features)
        if features != _inputs.number_names(len(features)):
            estimator.feature_names_in_ = np.array(features, dtype=object)
        estimator._remember(model, None, None)
        estimator._recall(model.note())
        return estimator

    def _recall(self, note: str | None) -> None:
        """What `save` has kept beside the model; what other programs keep there is not ours."""
        try:
            kept = json.loads(note or "{}")
        except ValueError:
            return
        threshold, ordered = (kept.get("threshold"), kept.get("ordered")) if isinstance(kept, dict) else (None, None)
        if isinstance(threshold, (int, float)):
            self.threshold_ = float(threshold)
        if isinstance(ordered, dict):
            self._ordered = {str(name): [str(level) for level in levels] for name, levels in ordered.items()}

    @classmethod
    def _parameters_of(cls, options: dict[str, Any]) -> dict[str, Any]:
        return {"random_state": options["seed"]}

    @property
    def findings_(self) -> dict[str, float]:
        """Numbers that the method tells of what it learned, such as 'kkt residual'; none of a forest.

        Examples
        --------
        >>> import smerf
        >>> X, Z = smerf.simulate("regression", 30)
        >>> sorted(smerf.Mahalanobis().fit(X, Z).findings_)[:1]
        ['columns']
        """
        check_is_fitted(self)
        return dict(self._model.describe()["findings"])
