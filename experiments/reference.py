"""reference.py - the paper's forest once more: NumPy, brute force, nothing shared with the C program.

Written from the paper (section 2) and from "Growing, exactly" in the interface, for number features without missing
values and a dense matrix of distances. It draws its own random numbers, so its trees are not those of smerf: what must
agree are means over many of them (simulations.py).

  1. draw items for a tree (bootstrap); an item drawn twice is one item of weight 2
  2. at each node draw candidates: features, or sparse sums of features
  3. price every cut of every candidate by Eq. (1), from the node's block of Z in sorted order
  4. split at the best one until a node is small or pure
  5. mean distance between the items of two leaves, Eq. (2); average over trees, Eq. (3)

`python reference.py` checks step 3 against the double sums of the paper, and the whole against a regression tree.
"""
from dataclasses import dataclass

import numpy as np


@dataclass
class Options:
    trees: int = 500
    splits: str = "axis"  # or "oblique"
    candidates: int = 20
    density: float = None  # oblique: fraction of non-zeros; 3/p, or 1/p if p < 10
    min_parent: int = 2
    bootstrap: bool = True


@dataclass
class Leaf:
    items: np.ndarray
    number: int = -1


@dataclass
class Split:
    direction: np.ndarray  # one weight per feature
    threshold: float
    gain: float
    left: object = None
    right: object = None


# ---------------------------------------------------------------- candidates

def axis_candidates(values, options, rng):
    """Up to D features that vary among `values` (one row per item), as the columns of a p x D matrix."""
    p = values.shape[1]
    features = np.arange(p) if options.candidates >= p else rng.permutation(p)
    varying = features[np.ptp(values, axis=0)[features] > 0]
    return np.eye(p)[:, varying[:options.candidates]]


def oblique_candidates(values, options, rng):
    """round(F p D) entries of a p x D matrix are +1 or -1; its empty columns are no candidates."""
    p, d = values.shape[1], options.candidates
    density = options.density or (3 / p if p >= 10 else 1 / p)
    for _ in range(1 + 3):
        directions = np.zeros(p * d)
        entries = rng.choice(p * d, size=round(density * p * d), replace=False)
        directions[entries] = rng.choice([-1.0, 1.0], size=len(entries))
        directions = directions.reshape(p, d)
        directions = directions[:, np.any(directions != 0, axis=0)]
        if np.any(np.ptp(values @ directions, axis=0) > 0):
            break
    return directions


# ---------------------------------------------------------------- the best cut, Eq. (1)

def cut_gains(line_ups, distances, weights):
    """Gain of every cut of every line-up, and the largest absolute term it is made of; -inf where equal values part.

    line_ups   [s, D]  one column per candidate: the value of every item
    distances  [s, s]  the node's block of Z
    weights    [s]     draws of each item
    Returns gains, terms [s - 1, D], the line-ups in sorted order, where cut k lies behind the k-th smallest value.
    """
    s, d = line_ups.shape
    order = np.argsort(line_ups, axis=0, kind="stable")
    weighted = weights[:, None] * distances * weights[None, :]
    total = weighted.sum()

    # Q(L) is the sum of the leading square of the sorted block; Q(R) is what is left without L's rows and columns.
    blocks = weighted[order.T[:, :, None], order.T[:, None, :]]
    q_left = np.diagonal(blocks.cumsum(axis=1).cumsum(axis=2), axis1=1, axis2=2).T
    q_rows = weighted.sum(axis=1)[order].cumsum(axis=0)
    q_right = total - 2 * q_rows + q_left
    w_left = weights[order].cumsum(axis=0)
    w = weights.sum()

    values = np.take_along_axis(line_ups, order, axis=0)
    parts = values[1:] > values[:-1]
    q_left, q_right, w_left = q_left[:-1], q_right[:-1], w_left[:-1]
    left, right = q_left / w_left, q_right / (w - w_left)
    gains = np.where(parts, total / w - left - right, -np.inf)
    terms = np.maximum(abs(total / w), np.maximum(abs(left), abs(right)))
    return gains, terms, values


def best_cut(line_ups, distances, weights):
    """(candidate, threshold, gain) of the best cut, or None. Of equals the first candidate, then the first cut."""
    gains, terms, values = cut_gains(line_ups, distances, weights)
    best = np.unravel_index(np.argmax(gains), gains.shape)
    if gains[best] == -np.inf:
        return None
    as_good = gains >= gains[best] - 1e-9 * terms[best]
    candidate = np.argmax(as_good.any(axis=0))
    cut = np.argmax(as_good[:, candidate])
    low, high = values[cut, candidate], values[cut + 1, candidate]
    middle = low + (high - low) / 2
    return candidate, (middle if middle < high else low), gains[cut, candidate]


# ---------------------------------------------------------------- trees

def grow(items, weights, x, z, options, rng):
    """The tree over `items`, whose weights are weights[items]."""
    block = z[np.ix_(items, items)]
    if weights[items].sum() < options.min_parent or np.ptp(block) == 0 or not np.any(np.ptp(x[items], axis=0) > 0):
        return Leaf(items)
    draw = axis_candidates if options.splits == "axis" else oblique_candidates
    directions = draw(x[items], options, rng)
    found = best_cut(x[items] @ directions, block, weights[items])
    if found is None:
        return Leaf(items)

    candidate, threshold, gain = found
    split = Split(directions[:, candidate], threshold, gain)
    goes_left = x[items] @ directions[:, candidate] <= threshold
    split.left = grow(items[goes_left], weights, x, z, options, rng)
    split.right = grow(items[~goes_left], weights, x, z, options, rng)
    return split


def leaves_of(node):
    return [node] if isinstance(node, Leaf) else leaves_of(node.left) + leaves_of(node.right)


def route(node, x, rows, leaf_numbers):
    """Writes the number of the leaf that each of `rows` falls into."""
    if isinstance(node, Leaf):
        leaf_numbers[rows] = node.number
        return
    goes_left = x[rows] @ node.direction <= node.threshold
    route(node.left, x, rows[goes_left], leaf_numbers)
    route(node.right, x, rows[~goes_left], leaf_numbers)


def leaf_distances(leaves, weights, z):
    """h(l, l') of Eq. (2), every draw counted."""
    members = np.zeros((len(leaves), len(z)))
    for leaf in leaves:
        members[leaf.number, leaf.items] = weights[leaf.items]
    sizes = members.sum(axis=1)
    return members @ z @ members.T / np.outer(sizes, sizes)


# ---------------------------------------------------------------- the forest

def forest_distances(x, z, x_new, options, rng):
    """Learns from items x and distances z, and returns the predicted distances among the items x_new, Eq. (3)."""
    n, total = len(x), 0.0
    for _ in range(options.trees):
        draws = rng.integers(n, size=n) if options.bootstrap else np.arange(n)
        weights = np.bincount(draws, minlength=n).astype(float)
        tree = grow(np.flatnonzero(weights), weights, x, z, options, rng)
        leaves = leaves_of(tree)
        for number, leaf in enumerate(leaves):
            leaf.number = number
        fallen = np.empty(len(x_new), dtype=int)
        route(tree, x_new, np.arange(len(x_new)), fallen)
        total = total + leaf_distances(leaves, weights, z)[np.ix_(fallen, fallen)]
    return total / options.trees


# ---------------------------------------------------------------- is the reference right?

def mean_distance(items, z):
    """I(S), as the paper writes it; an item drawn twice is listed twice."""
    return sum(z[i, j] for i in items for j in items) / len(items) ** 2


def check_cuts(rng):
    """Every gain of cut_gains is the double sum of Eq. (1)."""
    for _ in range(50):
        s = int(rng.integers(2, 9))
        line_ups = rng.integers(0, 5, size=(s, 3)).astype(float)
        z = rng.normal(size=(s, s))
        z = z + z.T
        draws = rng.integers(1, 4, size=s)
        node = np.repeat(np.arange(s), draws)
        gains, _, values = cut_gains(line_ups, z, draws.astype(float))
        for d in range(3):
            for k in range(s - 1):
                if values[k, d] == values[k + 1, d]:
                    assert gains[k, d] == -np.inf
                    continue
                left = [i for i in node if line_ups[i, d] <= values[k, d]]
                right = [i for i in node if line_ups[i, d] > values[k, d]]
                plain = sum(sign * len(part) * mean_distance(part, z)
                            for sign, part in [(1, node), (-1, left), (-1, right)])
                assert abs(plain - gains[k, d]) < 1e-9, (plain, gains[k, d])


def check_regression_tree(rng):
    """Proposition 2: with z = (y - y')^2 / 2 a leaf holds what scikit-learn's regression tree puts together.

    (New items may part ways: where two features cut alike, scikit-learn chooses at random.)"""
    from sklearn.tree import DecisionTreeRegressor
    x, y = rng.random((200, 4)), rng.random(200)
    z = (y[:, None] - y[None, :]) ** 2 / 2
    tree = grow(np.arange(200), np.ones(200), x, z, Options(candidates=4, min_parent=6), rng)
    theirs = DecisionTreeRegressor(min_samples_split=6, random_state=1).fit(x, y).predict(x)
    for leaf in leaves_of(tree):
        assert np.allclose(theirs[leaf.items], y[leaf.items].mean())


if __name__ == "__main__":
    generator = np.random.default_rng(1)
    check_cuts(generator)
    check_regression_tree(generator)
    print("reference.py: gains and a regression tree are as they should be")
