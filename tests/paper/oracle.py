"""oracle.py - grows one tree the slow and obvious way, to check the command against.

Written from the paper and the interface page alone, without a look at the C code.
  1. line the node's items up along every feature, in file order
  2. price every cut by Eq. (1), each time from all pairs of the node
  3. take the best one under the tie rule, and do the same with both parts
Everything is double precision; a matrix of distances is first rounded to float32, as the command does.
Pairs may be missing (NaN) and have weights of their own: means are then over the observed pairs, each item's pair
with itself among them.
The result has the form of one tree of `smerf export --format json`.

What depends on less than the arithmetic guarantees (a gain right at the edge of the tolerance, say)
is noted in `ambiguities`; a test on such data would check rounding, not the rules.
"""
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

LEFT, RIGHT = "left", "right"
TIE = 1e-9          # of the largest term of Eq. (1): gains this close are tied
EQUAL_EIGEN = 1e-9  # of the largest |H|: eigenvalues this close are one
EQUAL_ENTRY = 1e-7  # of the largest entry: levels this close keep the order of their numbers
ZERO_ENTRY = 1e-7   # a unit vector's share in the eigenspace that counts as none


@dataclass
class Column:
    """One feature as written in the file: floats, or strings for a category; None is missing."""

    name: str
    values: list
    kind: str = "number"

    @property
    def levels(self):
        return sorted({v for v in self.values if v is not None}, key=str.encode)

    def numbers(self):
        return np.array([np.nan if v is None else float(v) for v in self.values])

    def codes(self, levels):
        """Places in `levels`; -1 for a missing value and for a level that is not listed."""
        number = {name: k for k, name in enumerate(levels)}
        return np.array([number.get(v, -1) for v in self.values])


@dataclass
class Problem:
    """Everything a tree depends on. The weight of an item is its draws times its own weight.
    `pair_weights`: of a list of pairs, 0 where a pair is not observed; None for a whole matrix."""

    columns: list
    distances: np.ndarray
    item_weights: np.ndarray = None
    draws: np.ndarray = None
    min_parent: int = 2
    max_depth: int = None
    pair_weights: np.ndarray = None
    ambiguities: list = field(default_factory=list)

    def __post_init__(self):
        n = len(self.columns[0].values)
        if self.pair_weights is None:
            self.z, self.omega = np.asarray(self.distances, dtype=np.float32).astype(np.float64), np.ones((n, n))
        else:
            self.z, self.omega = np.nan_to_num(self.distances), np.asarray(self.pair_weights, float)
        self.draws = np.ones(n, dtype=int) if self.draws is None else np.asarray(self.draws)
        own = np.ones(n) if self.item_weights is None else np.asarray(self.item_weights, float)
        self.w = self.draws * own


@dataclass
class Cut:
    """One way to part a node. `missing` is None where the node has no missing value."""

    goes_left: np.ndarray
    missing: str = None
    threshold: float = None
    prefix: list = None  # level numbers, for a category
    gain: float = None
    largest_term: float = None


# ---------------------------------------------------------------- Eq. (1)

def mean_distance(problem, a, b, if_none_is_observed=None):
    rows = a[:, None]
    w = problem.w[rows] * problem.w[b] * problem.omega[rows, b]
    total = w.sum()
    return (w * problem.z[rows, b]).sum() / total if total > 0 else if_none_is_observed


def cost(problem, items):
    """W I(S), with I(S) the mean over the observed pairs: the double sum as it stands."""
    return problem.w[items].sum() * mean_distance(problem, items, items)


def price(problem, items, cuts):
    """Fills in what the cuts of one node gain, and returns them."""
    whole = cost(problem, items)
    for cut in cuts:
        terms = [whole, cost(problem, items[cut.goes_left]), cost(problem, items[~cut.goes_left])]
        cut.gain = terms[0] - terms[1] - terms[2]
        cut.largest_term = max(abs(t) for t in terms)
    return cuts


def first_of_the_best(cuts, ambiguities):
    """`cuts` come by candidate, then threshold, then missing to the left: the first tied one wins."""
    top = max(cuts, key=lambda c: c.gain)
    tolerance = TIE * top.largest_term
    edge = top.gain - tolerance
    if any(0 < abs(c.gain - edge) < 0.2 * tolerance for c in cuts):
        ambiguities.append("a gain at the edge of the tie tolerance")
    return next(c for c in cuts if c.gain >= edge)


# ---------------------------------------------------------------- cuts of one direction

def midpoint(low, high):
    """Midway, rounded once; the smaller value if that would round up to the larger."""
    middle = float((Fraction(float(low)) + Fraction(float(high))) / 2)
    return middle if middle < high else float(low)


def with_missing(goes_left, missing, **place):
    if not missing.any():
        return [Cut(goes_left, None, **place)]
    return [Cut(goes_left | missing, LEFT, **place), Cut(goes_left & ~missing, RIGHT, **place)]


def number_cuts(values):
    missing = np.isnan(values)
    present = np.unique(values[~missing])
    cuts = []
    for low, high in zip(present, present[1:]):
        cuts += with_missing(values <= low, missing, threshold=midpoint(low, high))
    if missing.any() and len(present) > 0:
        cuts.append(Cut(~missing, RIGHT, threshold=float(present[-1])))
    return cuts


def category_cuts(problem, items, codes):
    missing = codes < 0
    order = line_up_levels(problem, items, codes)
    cuts = []
    for k in range(1, len(order)):
        cuts += with_missing(np.isin(codes, order[:k]), missing, prefix=order[:k])
    if missing.any() and order:
        cuts.append(Cut(~missing, RIGHT, prefix=order))
    return cuts


def feature_cuts(problem, items, column):
    if column.kind == "category":
        return category_cuts(problem, items, column.codes(column.levels)[items])
    return number_cuts(column.numbers()[items])


# ---------------------------------------------------------------- levels of a category

def level_means(problem, items, groups):
    """H, the mean distance between the items of any two levels (the node's mean if none is observed), and the
    levels' weights."""
    of_node = mean_distance(problem, items, items)
    h = np.empty((len(groups), len(groups)))
    for k, a in enumerate(groups):
        for l, b in enumerate(groups[:k + 1]):
            h[k, l] = h[l, k] = mean_distance(problem, a, b, of_node)
    return h, np.array([problem.w[g].sum() for g in groups])


def level_coordinates(h, weights, ambiguities):
    """-E E^T e: E spans the eigenspace of the largest |lambda| of K = -1/2 J H J^T."""
    n = len(h)
    j = np.eye(n) - np.outer(np.ones(n), weights) / weights.sum()
    k = -0.5 * j @ h @ j.T
    lambdas, vectors = np.linalg.eigh((k + k.T) / 2)
    same = EQUAL_EIGEN * np.abs(h).max()
    near_top = lambdas[np.abs(lambdas) >= np.abs(lambdas).max() - same]
    top = near_top.max()  # of +x and -x the positive one
    gaps = np.concatenate([np.abs(lambdas - top), np.abs(lambdas).max() - np.abs(lambdas)])
    if same > 0 and ((gaps > 0.1 * same) & (gaps < 10 * same)).any():
        ambiguities.append("eigenvalues at the edge of being equal")
    space = vectors[:, np.abs(lambdas - top) <= same]
    for e in np.eye(n):
        share = np.linalg.norm(space.T @ e)
        if 1e-12 < share < 1e-5:
            ambiguities.append("a level that is hardly in the eigenspace")
        if share > ZERO_ENTRY:
            return -space @ (space.T @ e)
    raise AssertionError("an eigenspace has at least one direction")


def sort_entries(entries, ambiguities):
    """Ascending; a run of entries closer than the tolerance stays in the order of its numbers."""
    near = EQUAL_ENTRY * np.abs(entries).max()
    by_value = sorted(range(len(entries)), key=lambda k: (entries[k], k))
    runs = [[by_value[0]]]
    for before, here in zip(by_value, by_value[1:]):
        gap = entries[here] - entries[before]
        if 0.2 * near < gap < 5 * near:
            ambiguities.append("levels at the edge of being equal")
        if gap < near:
            runs[-1].append(here)
        else:
            runs.append([here])
    return [k for run in runs for k in sorted(run)]


def line_up_levels(problem, items, codes):
    """Numbers of the levels in the node, in the order whose prefixes are the cuts."""
    present = sorted(set(codes[codes >= 0].tolist()))
    if len(present) < 2:
        return present
    h, weights = level_means(problem, items, [items[codes == c] for c in present])
    entries = level_coordinates(h, weights, problem.ambiguities)
    return [present[k] for k in sort_entries(entries, problem.ambiguities)]


# ---------------------------------------------------------------- growing

def is_pure(problem, items):
    observed = problem.z[np.ix_(items, items)][problem.omega[np.ix_(items, items)] > 0]
    return bool((observed == observed[0]).all())


def may_split(problem, items, depth):
    deep_enough = problem.max_depth is not None and depth >= problem.max_depth
    return problem.draws[items].sum() >= problem.min_parent and not deep_enough and not is_pure(problem, items)


def heavier_side(problem, items, goes_left):
    return LEFT if problem.w[items[goes_left]].sum() >= problem.w[items[~goes_left]].sum() else RIGHT


def listed_levels(column, codes, cut, missing):
    """The levels that go left: the prefix, and what the node does not hold if missing goes left."""
    absent = [k for k in range(len(column.levels)) if k not in codes] if missing == LEFT else []
    return [column.levels[k] for k in sorted(cut.prefix + absent)]


def best_split(problem, items):
    """(feature, cut) of the winner over all features in file order, or None if none varies."""
    cuts, feature_of = [], {}
    for f, column in enumerate(problem.columns):
        of_column = feature_cuts(problem, items, column)
        cuts += of_column
        feature_of |= {id(cut): f for cut in of_column}
    if not cuts:
        return None
    winner = first_of_the_best(price(problem, items, cuts), problem.ambiguities)
    return feature_of[id(winner)], winner


def inner_node(problem, items, feature, cut):
    column = problem.columns[feature]
    missing = cut.missing or heavier_side(problem, items, cut.goes_left)
    node = {"split": [[feature, 1]], "missing": missing, "gain": cut.gain,
            "weight": problem.w[items].sum(), "largest_term": cut.largest_term}
    if column.kind == "category":
        node["categories"] = listed_levels(column, column.codes(column.levels)[items], cut, missing)
    else:
        node["threshold"] = cut.threshold
    return node


def leaf_node(problem, items, nodes):
    number = sum("leaf" in node for node in nodes)
    return {"leaf": number, "members": [[int(i), int(problem.draws[i])] for i in items]}


def grow(problem):
    """The whole tree as a list of nodes in preorder."""
    nodes = []
    grow_node(problem, np.flatnonzero(problem.draws > 0), 0, nodes)
    return nodes


def grow_node(problem, items, depth, nodes):
    found = best_split(problem, items) if may_split(problem, items, depth) else None
    if found is None:
        nodes.append(leaf_node(problem, items, nodes))
        return
    feature, cut = found
    node = inner_node(problem, items, feature, cut)
    nodes.append(node)
    node["left"] = len(nodes)
    grow_node(problem, items[cut.goes_left], depth + 1, nodes)
    node["right"] = len(nodes)
    grow_node(problem, items[~cut.goes_left], depth + 1, nodes)
