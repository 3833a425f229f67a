"""cases.py - small random data sets, each kind with its own trap. The same (kind, seed) is the same data."""
import zlib
from dataclasses import dataclass

import numpy as np

from oracle import Column

NAMES = ["pear", "Apple", "fig", "élan", "date", "kiwi, green", "banana"]


@dataclass
class Case:
    name: str
    columns: list
    distances: np.ndarray
    item_weights: np.ndarray = None
    min_parent: int = 2
    max_depth: int = None
    pair_weights: np.ndarray = None  # of a list of pairs, 0 where a pair is not observed

    @property
    def n(self):
        return len(self.distances)

    def options(self):
        chosen = ["--min-parent", self.min_parent]
        if self.max_depth is not None:
            chosen += ["--max-depth", self.max_depth]
        if self.item_weights is not None:
            chosen += ["--item-weights", "w"]
        return chosen


# ---------------------------------------------------------------- features

def continuous(rng, n):
    return rng.normal(size=n).tolist()


def tied(rng, n):
    return rng.integers(0, 4, size=n).astype(float).tolist()


def constant(rng, n):
    return [float(rng.integers(5))] * n


def skewed(rng, n):
    return np.exp(4 * rng.normal(size=n)).tolist()


def categories(rng, n):
    names = [NAMES[k] for k in rng.permutation(len(NAMES))[:rng.integers(2, 8)]]
    return [names[k] for k in rng.integers(0, len(names), size=n)]


def punch_holes(rng, values, share):
    """Some values become missing, never all of them."""
    holes = rng.random(len(values)) < share
    holes[rng.integers(len(values))] = False
    return [None if hole else v for hole, v in zip(holes, values)]


def make_column(rng, n, k, recipe, missing):
    values = recipe(rng, n)
    if missing:
        values = punch_holes(rng, values, rng.choice([0.1, 0.3, 0.6]))
    return Column(f"f{k}", values, "category" if recipe is categories else "number")


def make_columns(rng, n, p, recipes, missing=False):
    return [make_column(rng, n, k, recipes[rng.integers(len(recipes))], missing) for k in range(p)]


# ---------------------------------------------------------------- distances

def symmetric(matrix):
    upper = np.triu(matrix, 1)
    return upper + upper.T


def hidden_positions(rng, columns):
    """Two coordinates that follow the first two features and some noise, so that the cuts mean something."""
    n = len(columns[0].values)
    places = rng.normal(scale=0.3, size=(n, 2))
    for k, column in enumerate(columns[:2]):
        x = column.numbers() if column.kind == "number" else column.codes(column.levels).astype(float)
        x = np.nan_to_num(x, nan=1.0)
        places[:, k] += (x - x.mean()) / (x.std() + 1e-9)
    return places


def euclidean(rng, columns):
    y = hidden_positions(rng, columns)
    return symmetric(np.sqrt(((y[:, None] - y[None, :]) ** 2).sum(axis=2)))


def integer(rng, columns):
    n = len(columns[0].values)
    return symmetric(rng.integers(0, rng.integers(2, 5), size=(n, n)).astype(float))


def all_one(rng, columns):
    n = len(columns[0].values)
    return np.ones((n, n)) - np.eye(n)


def labels(rng, columns):
    c = np.round(hidden_positions(rng, columns)[:, 0])
    return (c[:, None] != c[None, :]).astype(float)


def on_a_line(rng, columns):
    y = np.round(hidden_positions(rng, columns)[:, 0])
    return (y[:, None] - y[None, :]) ** 2 / 2


def signed(rng, columns):
    n = len(columns[0].values)
    return symmetric(rng.normal(size=(n, n))) - 0.3


def with_diagonal(recipe):
    def make(rng, columns):
        z = recipe(rng, columns)
        np.fill_diagonal(z, rng.choice([0.0, 0.5, 1.0, 3.0], size=len(z)))
        return z
    return make


def scaled(recipe):
    def make(rng, columns):
        return recipe(rng, columns) * rng.choice([1e-9, 1e-3, 1e6])
    return make


# ---------------------------------------------------------------- kinds of data sets

NUMBERS = [continuous, tied, skewed]
ANY = [continuous, tied, categories, constant]

KINDS = {
    # name: (feature recipes, missing values, distances, item weights)
    "distinct values": ([continuous], False, euclidean, False),
    "tied values": ([tied], False, euclidean, False),
    "constant features": ([constant, tied, continuous], False, euclidean, False),
    "missing values": (NUMBERS, True, euclidean, False),
    "missing values, integer distances": ([tied], True, integer, False),
    "categories": ([categories], False, euclidean, False),
    "categories, integer distances": ([categories], False, integer, False),
    "categories on a line": ([categories], False, on_a_line, False),
    "categories with missing values": ([categories], True, signed, False),
    "mixed": (ANY, True, euclidean, False),
    "mixed, integer distances": (ANY, True, integer, False),
    "every cut tied": (ANY, True, all_one, False),
    "labels": (ANY, False, labels, False),
    "non-zero diagonal": (NUMBERS, False, with_diagonal(euclidean), False),
    "non-zero diagonal, mixed": (ANY, True, with_diagonal(integer), False),
    "negative distances": (NUMBERS, True, signed, False),
    "item weights": (NUMBERS, False, euclidean, True),
    "item weights, mixed": (ANY, True, with_diagonal(integer), True),
    "item weights, every cut tied": (ANY, True, all_one, True),
    "very small and large distances": (ANY, True, scaled(euclidean), False),
    "duplicate items": (ANY, False, euclidean, False),
}


def something_varies(columns):
    return any(len(set(c.values)) > 1 for c in columns)


def repeat_items(rng, columns, z):
    """The same items, drawn again: equal rows of features and equal rows of distances."""
    again = rng.integers(0, len(z), size=len(z))
    return [Column(c.name, [c.values[i] for i in again], c.kind) for c in columns], z[np.ix_(again, again)]


def make_case(kind, seed, n=None, p=None):
    rng = np.random.default_rng([seed, zlib.crc32(kind.encode())])
    recipes, missing, distances, weighted = KINDS[kind]
    n, p = n or int(rng.integers(2, 41)), p or int(rng.integers(1, 9))
    columns = []
    while not something_varies(columns):
        columns = make_columns(rng, n, p, recipes, missing)
        z = distances(rng, columns)
        if kind == "duplicate items":
            columns, z = repeat_items(rng, columns, z)
    weights = rng.choice([0.25, 0.5, 1.0, 2.0, 3.5], size=n) if weighted else None
    return Case(f"make_case({kind!r}, {seed}, {n}, {p})", columns, z, weights,
                min_parent=int(rng.choice([2, 2, 2, 3, 6])), max_depth=[None, None, None, 1, 3][rng.integers(5)])


def case_from_arrays(x, z, **more):
    """A case without traps: numbers only."""
    return Case("given arrays", [Column(f"f{k}", x[:, k].tolist()) for k in range(x.shape[1])], z, **more)
