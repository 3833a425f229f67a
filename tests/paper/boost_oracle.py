"""boost_oracle.py - gradient boosting on pairs, written down as plainly as possible: every split over all distinct values, sums in
double, no bins, no histograms. Knows nothing of how smerf does it.

  columns    what is seen of a pair, by feature: numbers, or for levels a set of bins
  grow       leaf by leaf, that whose split gains most
  Booster    start, rounds, prediction (of both orders, if the columns tell them apart)
"""
from dataclasses import dataclass

import numpy as np

DIFFERENCE, MEAN, SMALLER, LARGER, FIRST, SECOND, N_MISSING, BOTH = range(8)
KINDS = {"difference": [DIFFERENCE, MEAN], "ends": [SMALLER, LARGER], "items": [FIRST, SECOND],
         "all": [DIFFERENCE, MEAN, FIRST, SECOND]}
DIFFERENT, MISSING = 0, 255


@dataclass
class Column:
    feature: int
    kind: int
    is_set: bool
    thresholds: np.ndarray = None  # midway between the values that occur among the training pairs


def number(kind, x, y):
    return {DIFFERENCE: abs(x - y), MEAN: (x + y) / 2, SMALLER: np.where(np.isnan(x + y), np.nan, np.minimum(x, y)),
            LARGER: np.where(np.isnan(x + y), np.nan, np.maximum(x, y)), FIRST: x, SECOND: y,
            N_MISSING: np.isnan(x).astype(float) + np.isnan(y)}[kind]


def level_bins(kind, x, y):
    """x, y: 1 ... for levels, NaN for missing."""
    if kind == FIRST:
        return np.where(np.isnan(x), MISSING, x)
    if kind == SECOND:
        return np.where(np.isnan(y), MISSING, y)
    return np.where(np.isnan(x + y), MISSING, np.where(x == y, x, DIFFERENT))


def values_of(column, features, i, j):
    x, y = features[column.feature][0][i], features[column.feature][0][j]
    return level_bins(column.kind, x, y) if column.is_set else number(column.kind, x, y)


def make_columns(features, group, i, j):
    """features: [(values, is_category)]; of all pairs of training items."""
    columns = []
    for f, (values, is_category) in enumerate(features):
        own = [k for k in KINDS[group] if k in (FIRST, SECOND)]
        kinds = [BOTH, *own] if is_category else list(KINDS[group])
        if np.isnan(values).any():
            kinds.append(N_MISSING)
        columns += [Column(f, kind, is_category and kind != N_MISSING) for kind in kinds]
    for column in columns:
        if column.is_set:
            continue
        seen = np.unique(values_of(column, features, i, j))
        if column.kind in (FIRST, SECOND):
            seen = np.unique(features[column.feature][0])
        seen = np.array([0., 1., 2.]) if column.kind == N_MISSING else seen[~np.isnan(seen)]
        column.thresholds = seen[:-1] + (seen[1:] - seen[:-1]) / 2
    return columns


def worth(g, h, l2):
    return g * g / (h + l2) if h + l2 > 0 else 0.0


def best_split(table, columns, g, h, rows, options):
    """(gain, column, what goes left as a mask of rows, how it is told)"""
    best = (0.0, None, None, None)
    whole = worth(g[rows].sum(), h[rows].sum(), options["l2"])

    def consider(c, left, told):
        nonlocal best
        n = left.sum()
        if min(n, len(rows) - n) < options["min_leaf"]:
            return
        sides = [rows[left], rows[~left]]
        if any(h[side].sum() < options["least_hessian"] for side in sides):
            return
        gain = sum(worth(g[side].sum(), h[side].sum(), options["l2"]) for side in sides) - whole
        if gain > best[0] * (1 + 1e-9) + 1e-12 * whole:
            best = (gain, c, left, told)

    for c, column in enumerate(columns):
        value = table[c][rows]
        if column.is_set:
            present = np.unique(value)
            order = sorted(present, key=lambda b: (g[rows][value == b].sum() / (h[rows][value == b].sum() + 10), b))
            for n in range(1, len(order)):
                consider(c, np.isin(value, order[:n]), set(int(b) for b in order[:n]))
            continue
        missing = np.isnan(value)
        for missing_left in ([False, True] if missing.any() else [None]):
            for t in column.thresholds:
                left = np.where(missing, bool(missing_left), value <= t)
                if missing_left is None:
                    consider(c, left, (t, left.sum() * 2 >= len(left)))
                else:
                    consider(c, left, (t, missing_left))
    return best


@dataclass
class Node:
    rows: np.ndarray
    split: tuple = None
    children: tuple = None
    value: float = None


def grow(table, columns, g, h, options):
    nodes = [Node(np.arange(len(g)))]
    nodes[0].split = best_split(table, columns, g, h, nodes[0].rows, options)
    n_leaves = 1
    while n_leaves < options["leaves"]:
        leaves = [k for k, node in enumerate(nodes) if node.children is None and node.split[0] > 0]
        if not leaves:
            break
        k = max(leaves, key=lambda at: (nodes[at].split[0], -at))
        left = nodes[k].split[2]
        nodes[k].children = (len(nodes), len(nodes) + 1)
        for side in (nodes[k].rows[left], nodes[k].rows[~left]):
            nodes.append(Node(side))
            nodes[-1].split = best_split(table, columns, g, h, side, options)
        n_leaves += 1
    return nodes


def sigmoid(score):
    return 1 / (1 + np.exp(-score))


class Booster:
    def __init__(self, features, z, group, options, pair_weight=None, known=None):
        """features: [(values of all items, is_category)]; z [n][n]; known: mask of pairs that may be learned from."""
        n = len(z)
        self.columns_both = group in ("items", "all")
        i, j = np.nonzero(~np.eye(n, dtype=bool)) if self.columns_both else np.triu_indices(n, 1)
        self.columns = make_columns(features, group, *np.triu_indices(n, 1))
        if known is not None:
            keep = known[i, j]
            i, j = i[keep], j[keep]
        w = np.ones(len(i)) if pair_weight is None else pair_weight[i, j]
        w = w * len(w) / w.sum()
        table = [values_of(column, features, i, j) for column in self.columns]
        self.options, self.trees, target = options, [], z[i, j]
        mean = (w * target).sum() / w.sum()
        self.start = np.log(mean / (1 - mean)) if options["loss"] == "logistic" else mean
        score = np.full(len(i), self.start)
        for _ in range(options["rounds"]):
            p = sigmoid(score)
            is_logistic = options["loss"] == "logistic"
            g = w * (target - p) if is_logistic else w * (target - score)
            h = w * p * (1 - p) if is_logistic else w
            nodes = grow(table, self.columns, g, h, options)
            if len(nodes) == 1:
                break
            for node in nodes:
                if node.children is None:
                    node.value = options["rate"] * g[node.rows].sum() / (h[node.rows].sum() + options["l2"])
                    score[node.rows] += node.value
            self.trees.append(nodes)

    def one_order(self, features, i, j):
        score = np.full(len(i), self.start)
        table = [values_of(column, features, i, j) for column in self.columns]
        for nodes in self.trees:
            for p in range(len(i)):
                at = 0
                while nodes[at].children is not None:
                    _, c, _, told = nodes[at].split
                    value = table[c][p]
                    if self.columns[c].is_set:
                        left = int(value) in told
                    else:
                        left = told[1] if np.isnan(value) else value <= told[0]
                    at = nodes[at].children[0 if left else 1]
                score[p] += nodes[at].value
        return score

    def predict(self, features, i, j):
        score = self.one_order(features, i, j)
        if self.columns_both:
            score = score / 2 + self.one_order(features, j, i) / 2
        return sigmoid(score) if self.options["loss"] == "logistic" else score
