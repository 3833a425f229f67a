"""pairs_oracle.py - lists of pairs, most of them missing: random ones, what they mean, and what a forest of them predicts.

  z, omega     repeats become one pair with the mean value, averaged by weight, and the mean weight; an item's pair with
               itself is observed, with weight 1 and distance 0 unless given
  growing      oracle.py, with means over the observed pairs
  predictions  h(l, l') is the mean over the observed pairs between two leaves. Without any, both leaves climb to
               their parents, step by step and together (the root stays), until a pair of two different items is
               observed between the two sets. A tree without any is left out of the average; if all are, the
               prediction is the mean over all observed pairs of two different items.
"""
import zlib
from dataclasses import dataclass, field

import numpy as np

import cases
import exported


@dataclass
class PairsCase(cases.Case):
    rows: list = field(default_factory=list)  # (i, j, value, weight) as they stand in the file
    ids: list = None
    weighted: bool = False

    def text(self):
        names = self.ids or [str(i) for i in range(self.n)]
        lines = [f"{names[i]},{names[j]},{float(v)!r}" + (f",{float(w)!r}" if self.weighted else "")
                 for i, j, v, w in self.rows]
        return "\n".join(["i,j,distance" + (",weight" if self.weighted else ""), *lines]) + "\n"

    def with_diagonal(self, value):
        """--self-distance VALUE"""
        np.fill_diagonal(self.distances, value)
        return self


def meaning(rows, n):
    """(z with NaN where nothing is observed, omega with 0 there)"""
    of_pair = {}
    for i, j, value, weight in rows:
        of_pair.setdefault((min(i, j), max(i, j)), []).append((value, weight))
    z, omega = np.full((n, n), np.nan), np.zeros((n, n))
    np.fill_diagonal(z, 0.0)
    np.fill_diagonal(omega, 1.0)
    for (i, j), seen in of_pair.items():
        values, weights = np.array(seen).T
        z[i, j] = z[j, i] = (values * weights).sum() / weights.sum()
        if i != j:
            omega[i, j] = omega[j, i] = weights.mean()
    return z, omega


# ---------------------------------------------------------------- random lists

def share_of_pairs(share):
    def choose(rng, n):
        return np.triu(rng.random((n, n)) < share, 1)
    return choose


def scarce(rng, n):
    """Two or three pairs altogether."""
    return choose_some(np.triu(np.ones((n, n), dtype=bool), 1), rng, rng.integers(2, 4))


def islands(rng, n):
    """Nothing is known between the two halves."""
    side = rng.random(n) < 0.5
    return np.triu(side[:, None] == side[None, :], 1) & (rng.random((n, n)) < 0.7)


def star(rng, n):
    """Everything that is known is known of one item."""
    centre = rng.integers(n)
    near = np.zeros((n, n), dtype=bool)
    near[centre] = near[:, centre] = rng.random(n) < 0.9
    return np.triu(near | near.T, 1)


def choose_some(allowed, rng, k):
    places = np.argwhere(allowed)
    kept = np.zeros(allowed.shape, dtype=bool)
    for i, j in places[rng.permutation(len(places))[:k]]:
        kept[i, j] = True
    return kept


def no_weights(rng, m):
    return np.ones(m)


def exact_weights(rng, m):
    return rng.choice([0.25, 1.0, 4.0], size=m)


def any_weights(rng, m):
    return np.exp(2 * rng.normal(size=m))


KINDS = {
    # name: (features, missing features, distances, pairs, pair weights, repeats, given diagonal, item weights)
    "half": (cases.NUMBERS, False, cases.euclidean, share_of_pairs(0.5), no_weights, False, False, False),
    "nothing missing": (cases.ANY, True, cases.euclidean, share_of_pairs(1.1), no_weights, True, True, False),
    "few": (cases.NUMBERS, False, cases.euclidean, share_of_pairs(0.12), no_weights, False, False, False),
    "few, ties": (cases.ANY, True, cases.integer, share_of_pairs(0.15), no_weights, False, False, False),
    "scarce": ([cases.tied], False, cases.integer, scarce, no_weights, False, False, False),
    "islands": (cases.ANY, True, cases.euclidean, islands, no_weights, False, False, False),
    "star": ([cases.tied, cases.continuous], False, cases.integer, star, no_weights, False, False, False),
    "categories": ([cases.categories], False, cases.euclidean, share_of_pairs(0.4), no_weights, False, False, False),
    "few, categories": ([cases.categories], True, cases.integer, share_of_pairs(0.1), no_weights, False, False, False),
    "weights": (cases.ANY, True, cases.euclidean, share_of_pairs(0.4), any_weights, False, False, False),
    "weights, ties": ([cases.tied], True, cases.integer, share_of_pairs(0.3), exact_weights, False, False, False),
    "repeats": (cases.NUMBERS, True, cases.euclidean, share_of_pairs(0.3), no_weights, True, False, False),
    "repeats, weights": (cases.ANY, True, cases.euclidean, share_of_pairs(0.3), any_weights, True, True, False),
    "diagonal": (cases.ANY, True, cases.integer, share_of_pairs(0.25), exact_weights, False, True, False),
    "item weights": (cases.ANY, True, cases.euclidean, share_of_pairs(0.3), any_weights, False, True, True),
    "negative": (cases.NUMBERS, True, cases.signed, share_of_pairs(0.3), no_weights, False, False, False),
    "every cut tied": (cases.ANY, True, cases.all_one, share_of_pairs(0.3), no_weights, False, False, True),
}


def list_pairs(rng, z, chosen, weigh, repeats, diagonal):
    """Rows in any order and either direction. A repeat has a value and a weight of its own."""
    pairs = [tuple(p) for p in np.argwhere(chosen)]
    if diagonal:
        pairs += [(i, i) for i in np.flatnonzero(rng.random(len(z)) < 0.4)]
    if repeats:
        pairs += [pairs[k] for k in rng.integers(0, len(pairs), size=len(pairs) // 2)]
    weights, rows = weigh(rng, len(pairs)), []
    for k in rng.permutation(len(pairs)):
        i, j = pairs[k]
        value = float(rng.choice([0.0, 0.5, 1.0])) if i == j else z[i, j]
        value += rng.normal(scale=0.1) if repeats else 0.0
        rows.append((*((i, j) if rng.random() < 0.5 else (j, i)), value, weights[k]))
    return rows


def make_case(kind, seed, n=None, p=None):
    rng = np.random.default_rng([seed, zlib.crc32(kind.encode())])
    recipes, missing, distances, choose, weigh, repeats, diagonal, item_weights = KINDS[kind]
    n, p = n or int(rng.integers(4, 28)), p or int(rng.integers(1, 6))
    columns, chosen = [], np.zeros((n, n), dtype=bool)
    while not cases.something_varies(columns):
        columns = cases.make_columns(rng, n, p, recipes, missing)
    while not chosen.any():
        chosen = choose(rng, n)
    rows = list_pairs(rng, distances(rng, columns), chosen, weigh, repeats, diagonal)
    z, omega = meaning(rows, n)
    ids = [None, [f"p{k}" for k in range(n)], [str(k) for k in rng.permutation(n)]][rng.integers(3)]
    return PairsCase(f"pairs_oracle.make_case({kind!r}, {seed}, {n}, {p})", columns, z,
                     rng.choice([0.25, 0.5, 1.0, 2.0, 3.5], size=n) if item_weights else None,
                     min_parent=int(rng.choice([2, 2, 2, 3, 6])), max_depth=[None, None, None, 1, 3][rng.integers(5)],
                     pair_weights=omega, rows=rows, ids=ids, weighted=weigh is not no_weights)


# ---------------------------------------------------------------- predictions

def node_members(tree, weights):
    """[node][item]: the weight of each item's draws, of inner nodes too; and the parent of every node."""
    nodes = tree["nodes"]
    held, parent = np.zeros((len(nodes), len(weights))), np.zeros(len(nodes), dtype=int)
    for k in reversed(range(len(nodes))):  # children come after their parent
        for item, draws in nodes[k].get("members", []):
            held[k, item] += draws * weights[item]
        for side in ("left", "right"):
            if side in nodes[k]:
                held[k] += held[nodes[k][side]]
                parent[nodes[k][side]] = k
    return held, parent


def leaf_distances(tree, case, exclude=False):
    """h(l, l') with the climb; NaN where the whole tree has no evidence."""
    weights = np.ones(case.n) if case.item_weights is None else np.asarray(case.item_weights, float)
    held, parent = node_members(tree, weights)
    z, apart = np.nan_to_num(case.distances), case.pair_weights * (1 - np.eye(case.n))
    total, weight = held @ (apart * z) @ held.T, held @ apart @ held.T
    leaves = [k for k, node in enumerate(tree["nodes"]) if "leaf" in node]
    h = np.full((len(leaves), len(leaves)), np.nan)
    for l, a in enumerate(leaves):
        for m, b in enumerate(leaves):
            if l == m and not exclude:
                own = held[a] ** 2
                h[l, l] = (total[a, a] + own @ z.diagonal()) / (weight[a, a] + own.sum())
            else:
                h[l, m] = climb(a, b, parent, total, weight)
    return h


def climb(a, b, parent, total, weight):
    while weight[a, b] == 0 and (a, b) != (0, 0):
        a, b = parent[a], parent[b]
    return total[a, b] / weight[a, b] if weight[a, b] > 0 else np.nan


def mean_of_all(case):
    above = np.triu(case.pair_weights, 1)
    return (above * np.nan_to_num(case.distances)).sum() / above.sum()


def average(forest, case, rows, columns, speaks, exclude):
    """(mean over the trees that may speak and have evidence, where some may speak and none has any)"""
    shape = len(rows[0].values), len(columns[0].values)
    total, count, asked = np.zeros(shape), np.zeros(shape), np.zeros(shape, dtype=bool)
    for tree in forest["trees"]:
        a, b = (exported.route(tree, forest["features"], c) for c in (rows, columns))
        block = leaf_distances(tree, case, exclude)[np.ix_(a, b)]
        allowed = np.broadcast_to(speaks(tree), shape)
        good = allowed & ~np.isnan(block)
        total, count, asked = total + np.where(good, block, 0.0), count + good, asked | allowed
    return np.where(count > 0, total / np.maximum(count, 1), np.nan), asked & (count == 0)


def predict(forest, case, rows=None, columns=None, exclude=False, speaks=lambda tree: True):
    rows = case.columns if rows is None else rows
    columns = rows if columns is None else columns
    mean, silent = average(forest, case, rows, columns, speaks, exclude)
    if not silent.any():
        return mean
    return np.where(silent, predict(forest, case, rows, columns, False, speaks) if exclude else mean_of_all(case), mean)


def predict_oob(forest, case, rule="both", exclude=False):
    def speaks(tree):
        out = exported.in_bag_draws(tree, case.n) == 0
        return np.logical_and.outer(out, out) if rule == "both" else np.logical_or.outer(out, out)
    return predict(forest, case, exclude=exclude, speaks=speaks)
