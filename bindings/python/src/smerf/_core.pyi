from os import PathLike
from typing import Any, Callable, Sequence

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Codes = NDArray[np.uint32]
Places = NDArray[np.int64]

METHODS: list[str]
METRICS: list[str]
RISING_METRICS: list[str]
MISSING: int
CANDIDATES_AUTO: int
CANDIDATES_ALL: int
CANDIDATES_PAPER: int
NO_LIMIT: int
COMPLETE_OFF: int
COMPLETE_AUTO: int

def version() -> str: ...

class Watch:
    def __init__(self, n_threads: int = 0, bar: Callable[[float], object] | None = None) -> None: ...

class Items:
    n: int
    columns: list[tuple[Any, ...]]
    ids: tuple[str, list[str]] | None
    weights: tuple[str, Floats] | None
    def __init__(
        self,
        columns: list[tuple[Any, ...]],
        n: int,
        ids: tuple[str, list[str]] | None = None,
        weights: tuple[str, Floats] | None = None,
    ) -> None: ...

class Target:
    def metrics(self) -> list[str]: ...

def target_of_distances(z: NDArray[np.float32], has_diagonal: bool) -> Target: ...
def target_of_block(z: NDArray[np.float32]) -> Target: ...
def target_of_labels(column: str, codes: Codes, classes: Sequence[str]) -> Target: ...
def target_of_columns(kind: str, names: Sequence[str], values: Floats) -> Target: ...
def target_of_pairs(left: Codes, right: Codes, value: Floats, weight: Floats | None, n_items: int) -> Target: ...
def target_of_graph(
    left: Codes, right: Codes, value: Floats | None, observed: tuple[Codes, Codes] | None, n_items: int
) -> Target: ...

class Model:
    def save(self, path: str | PathLike[str]) -> None: ...
    def to_bytes(self) -> bytes: ...
    def describe(self) -> dict[str, Any]: ...
    def features(self) -> list[tuple[str, list[str] | None]]: ...
    def value_names(self) -> list[str]: ...
    def distances(
        self, rows: Items, columns: Items | None, out_of_bag: bool, out: NDArray[Any], watch: Watch
    ) -> None: ...
    def pairs(
        self,
        rows: Items,
        columns: Items | None,
        left: Codes,
        right: Codes,
        out_of_bag: bool,
        with_spread: bool,
        watch: Watch,
    ) -> tuple[Floats, Floats]: ...
    def values(self, rows: Items, out_of_bag: bool, watch: Watch) -> Floats: ...
    def leaves(self, rows: Items, watch: Watch) -> Codes: ...
    def neighbors(
        self, items: Items, queries: Items | None, k: int, radius: float | None, out_of_bag: bool, watch: Watch
    ) -> tuple[Places, Places, Floats]: ...
    def evaluate(
        self,
        rows: Items,
        columns: Items | None,
        truth: Target | None,
        out_of_bag: bool,
        metrics: int,
        watch: Watch,
    ) -> dict[str, float]: ...

def fit(items: Items, target: Target, options: dict[str, Any], watch: Watch) -> Model: ...
def load(path: str | PathLike[str]) -> Model: ...
def model_from_bytes(data: bytes) -> Model: ...
def merge(parts: Sequence[Model]) -> Model: ...
def tune(
    items: Items, target: Target, options: dict[str, Any], vary: Sequence[str], metric: int, watch: Watch
) -> tuple[Model, list[dict[str, Any]], dict[str, Any]]: ...
def usual_metric(target: Target) -> str: ...
def compare(
    items: Items, target: Target, options: dict[str, Any], plan: dict[str, Any], watch: Watch
) -> list[dict[str, Any]]: ...
def simulate(kind: int, first_item: int, n: int, seed: int, part: int) -> tuple[Floats, Floats]: ...
def importance(model: Model) -> Floats: ...
def importance_overstated(model: Model, importance: Floats) -> NDArray[np.bool_]: ...
def permutation_importance(model: Model, items: Items, watch: Watch) -> tuple[Floats, Floats]: ...
def interaction(model: Model, items: Items, features: Codes, watch: Watch) -> tuple[Floats, Floats]: ...
def explain_pairs(
    model: Model, rows: Items, columns: Items | None, left: Codes, right: Codes, watch: Watch
) -> tuple[Floats, Floats, Floats]: ...
def explain_items(model: Model, rows: Items, items: Codes, k: int, watch: Watch) -> tuple[Floats, Floats]: ...
def vote(
    model: Model,
    items: Items,
    queries: Items | None,
    k: int,
    codes: Codes | None,
    n_classes: int,
    values: Floats | None,
    watch: Watch,
) -> tuple[Floats, Codes]: ...
def cluster(
    model: Model, items: Items, by: int, k: int, most_k: int, seed: int, watch: Watch
) -> tuple[Codes, Codes, Floats, Floats, dict[str, Any]]: ...
def embed(
    model: Model, items: Items, n_dimensions: int, n_landmarks: int, seed: int, watch: Watch
) -> tuple[Floats, Floats, dict[str, Any]]: ...
def vectors(model: Model, items: Items, is_query: bool, watch: Watch) -> tuple[NDArray[np.float32], Floats]: ...
def report(
    model: Model,
    items: Items,
    truth: Target | None,
    columns: list[tuple[str, tuple[Any, ...]]],
    path: str | PathLike[str],
    title: str,
    target_text: str | None,
    n_clusters: int,
    is_bare: bool,
    watch: Watch,
) -> None: ...
