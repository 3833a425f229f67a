"""exported.py - what a forest means, worked out from `smerf export --format json`, X and Z alone.

  routing       which leaf an item falls into
  predictions   h(l, l') of Eq. (2), the forest average of Eq. (3), out of bag, gain importance
  check_tree    every node once more: its members, weight, gain, cut, and why a leaf is a leaf
"""
from dataclasses import dataclass

import numpy as np

import oracle
from oracle import LEFT, RIGHT


# ---------------------------------------------------------------- routing

def by_name(columns):
    return {c.name: c for c in columns}


def indicator(column, level, known_levels):
    """1 for the level, 0 for another known one, NaN for missing and for a level never seen."""
    return np.array([np.nan if v not in known_levels else float(v == level) for v in column.values])


def projection(split, features, columns):
    """The sum of weight x value in listed order; NaN if one of the values is missing."""
    total = 0.0
    for feature, weight, *level in split:
        known = features[feature]
        column = by_name(columns)[known["name"]]
        values = indicator(column, level[0], known["levels"]) if level else column.numbers()
        total = total + weight * values
    return total


def goes_left(node, features, columns):
    """For every row of `columns`: does it go left at this node?"""
    missing_left = node["missing"] == LEFT
    if "categories" in node:
        known = features[node["split"][0][0]]
        values = by_name(columns)[known["name"]].values
        return np.array([missing_left if v not in known["levels"] else v in node["categories"] for v in values])
    x = projection(node["split"], features, columns)
    return np.where(np.isnan(x), missing_left, x <= node["threshold"])


def route(tree, features, columns):
    """The leaf number of every row."""
    n = len(columns[0].values)
    leaves = np.full(n, -1)
    descend(tree["nodes"], 0, np.arange(n), features, columns, leaves)
    return leaves


def descend(nodes, k, rows, features, columns, leaves):
    node = nodes[k]
    if "leaf" in node:
        leaves[rows] = node["leaf"]
        return
    left = goes_left(node, features, columns)[rows]
    descend(nodes, node["left"], rows[left], features, columns, leaves)
    descend(nodes, node["right"], rows[~left], features, columns, leaves)


# ---------------------------------------------------------------- predictions

def in_bag_draws(tree, n):
    draws = np.zeros(n, dtype=int)
    for node in tree["nodes"]:
        for item, count in node.get("members", []):
            draws[item] += count
    return draws


def leaf_distances(tree, z, item_weights):
    """h(l, l') for every pair of leaves, Eq. (2) with draws and item weights."""
    leaves = sorted((node for node in tree["nodes"] if "leaf" in node), key=lambda node: node["leaf"])
    w = np.zeros((len(leaves), len(z)))
    for l, leaf in enumerate(leaves):
        for item, count in leaf["members"]:
            w[l, item] += count * item_weights[item]
    size = w.sum(axis=1)
    return (w @ z @ w.T) / np.outer(size, size)


def rounded(distances):
    return np.asarray(distances, dtype=np.float32).astype(np.float64)


def tree_predictions(tree, features, z, item_weights, rows, columns):
    h = leaf_distances(tree, z, item_weights)
    a, b = route(tree, features, rows), route(tree, features, columns)
    return h[np.ix_(a, b)]


def predict(forest, distances, rows, columns=None, item_weights=None):
    """Eq. (3) for every pair of a row of `rows` and a row of `columns` (default: the same)."""
    z = rounded(distances)
    weights = np.ones(len(z)) if item_weights is None else np.asarray(item_weights, float)
    columns = rows if columns is None else columns
    each = [tree_predictions(t, forest["features"], z, weights, rows, columns) for t in forest["trees"]]
    return np.mean(each, axis=0)


def predict_oob(forest, distances, rows, rule="both", item_weights=None):
    """Each pair averaged over the trees that have both items, or either one, out of bag; else NaN."""
    z = rounded(distances)
    weights = np.ones(len(z)) if item_weights is None else np.asarray(item_weights, float)
    total, count = np.zeros(z.shape), np.zeros(z.shape)
    for tree in forest["trees"]:
        out = in_bag_draws(tree, len(z)) == 0
        counts = np.logical_and.outer(out, out) if rule == "both" else np.logical_or.outer(out, out)
        total += counts * tree_predictions(tree, forest["features"], z, weights, rows, rows)
        count += counts
    return np.where(count > 0, total / np.maximum(count, 1), np.nan)


def gain_importance(forest):
    """{feature name: importance}: gains shared by the features of a split, divided by the largest sum."""
    sums = np.zeros(len(forest["features"]))
    for tree in forest["trees"]:
        for node in tree["nodes"]:
            for feature, *_ in node.get("split", []):
                sums[feature] += node["gain"] / len(node["split"])
    if sums.max() > 0:
        sums = sums / sums.max()
    return {feature["name"]: s for feature, s in zip(forest["features"], sums)}


# ---------------------------------------------------------------- checking a tree

@dataclass
class Rules:
    """What the tree was grown with. `candidates` None: no claim about them (oblique splits)."""

    min_parent: int = 2
    max_depth: int = None
    candidates: int = None
    oblique: bool = False
    always_finds_a_cut: bool = True  # False: an oblique draw may fail, and leave an impure leaf


def check_tree(tree, features, case, rules):
    """Raises AssertionError at the first node that breaks a rule. `case` has columns, distances, item_weights."""
    nodes = tree["nodes"]
    problem = oracle.Problem(case.columns, case.distances, case.item_weights,
                             draws=in_bag_draws(tree, len(case.distances)),
                             min_parent=rules.min_parent, max_depth=rules.max_depth,
                             pair_weights=case.pair_weights)
    check_numbering(nodes)
    items = np.flatnonzero(problem.draws > 0)
    assert len(items) > 0, "a tree without members"
    check_node(nodes, 0, items, 0, features, problem, rules)


def check_numbering(nodes):
    """Preorder: a left child follows its parent, a right child follows the left subtree; leaves count up."""
    assert check_subtree_numbers(nodes, 0) == len(nodes), "nodes that no path reaches"
    leaves = [node["leaf"] for node in nodes if "leaf" in node]
    assert leaves == list(range(len(leaves))), f"leaves numbered {leaves}"


def check_subtree_numbers(nodes, k):
    if "leaf" in nodes[k]:
        return k + 1
    assert nodes[k]["left"] == k + 1, f"left child of node {k} is {nodes[k]['left']}"
    after_left = check_subtree_numbers(nodes, k + 1)
    assert nodes[k]["right"] == after_left, f"right child of node {k} is {nodes[k]['right']}, not {after_left}"
    return check_subtree_numbers(nodes, after_left)


def check_node(nodes, k, items, depth, features, problem, rules):
    node = nodes[k]
    if "leaf" in node:
        check_leaf(node, k, items, depth, problem, rules)
        return
    assert oracle.may_split(problem, items, depth), f"node {k} is split though it should be a leaf"
    assert same(node["weight"], problem.w[items].sum()), f"weight of node {k}: {node['weight']}"
    left = goes_left(node, features, problem.columns)[items]
    assert left.any() and not left.all(), f"node {k} leaves one side empty"
    check_cut(node, k, items, left, features, problem, rules)
    check_node(nodes, node["left"], items[left], depth + 1, features, problem, rules)
    check_node(nodes, node["right"], items[~left], depth + 1, features, problem, rules)


def check_leaf(node, k, items, depth, problem, rules):
    held = sorted(i for i, _ in node["members"])
    assert held == items.tolist(), f"leaf at node {k} lists {held}, but {items.tolist()} arrive"
    if oracle.may_split(problem, items, depth) and rules.always_finds_a_cut:
        varying = [c.name for c in problem.columns if oracle.feature_cuts(problem, items, c)]
        assert not varying, f"node {k} is a leaf though it may be split along {varying}"


def check_cut(node, k, items, left, features, problem, rules):
    check_direction(node, k, features, rules)
    cuts = oracle.price(problem, items, cuts_of_node(node, items, features, problem))
    place = matching_cut(cuts, node, left)
    assert place is not None, f"node {k}: its threshold and missing side are no cut of its direction"
    cut = cuts[place]
    check_place(node, k, items, cut, features, problem)
    assert close_gain(node["gain"], cut), f"node {k}: gain {node['gain']}, recomputed {cut.gain}"
    check_best(cuts, place, k)
    if rules.candidates is not None:
        check_candidates(cut, node["split"][0][0], k, items, problem, rules.candidates)


def check_direction(node, k, features, rules):
    used = [f for f, *_ in node["split"]]
    if not rules.oblique:
        assert len(used) == 1 and node["split"][0][1:] == [1], f"node {k}: no axis split, {node['split']}"
        return
    assert len(set(used)) == len(used), f"node {k} lists a feature twice"
    for f, weight, *level in node["split"]:
        assert weight in (1, -1), f"node {k}: weight {weight} in a projection"
        is_category = features[f]["kind"] == "category"
        assert (len(level) == 1 and level[0] in features[f]["levels"]) if is_category else not level, \
            f"node {k}: {node['split']}"


def cuts_of_node(node, items, features, problem):
    if "categories" in node:
        return oracle.feature_cuts(problem, items, problem.columns[node["split"][0][0]])
    return oracle.number_cuts(projection(node["split"], features, problem.columns)[items])


def matching_cut(cuts, node, left):
    for place, cut in enumerate(cuts):
        if (cut.goes_left == left).all() and cut.missing in (None, node["missing"]):
            return place
    return None


def check_place(node, k, items, cut, features, problem):
    """The threshold midway, the missing side of a node that misses nothing, the levels listed."""
    if cut.missing is None:
        heavier = oracle.heavier_side(problem, items, cut.goes_left)
        assert node["missing"] == heavier, f"node {k}: missing {node['missing']}, heavier {heavier}"
    if "categories" in node:
        column = problem.columns[node["split"][0][0]]
        expected = oracle.listed_levels(column, column.codes(column.levels)[items], cut, node["missing"])
        assert sorted(node["categories"]) == sorted(expected), f"node {k}: {node['categories']}, not {expected}"
    else:
        assert same(node["threshold"], cut.threshold), f"node {k}: threshold {node['threshold']}, not {cut.threshold}"


def check_best(cuts, place, k):
    """No cut of the direction is better, none before it as good. (Other candidates may have been better still
    within the tolerance, so an earlier cut that is worse by less than the tolerance is no mistake.)"""
    chosen, best = cuts[place], max(cuts, key=lambda c: c.gain)
    assert chosen.gain >= best.gain - 1.1 * oracle.TIE * best.largest_term, \
        f"node {k}: gain {chosen.gain}, but {best.gain} at {best.threshold or best.prefix}"
    for earlier in cuts[:place]:
        assert earlier.gain < chosen.gain - 1e-12 * chosen.largest_term, \
            f"node {k}: {earlier.threshold or earlier.prefix} is as good, and comes first"


def check_candidates(chosen, feature, k, items, problem, n_candidates):
    """The winner of D drawn features beats, or ties with, at least D - 1 other features that vary."""
    beaten, varying = 0, 0
    for f, column in enumerate(problem.columns):
        cuts = oracle.price(problem, items, oracle.feature_cuts(problem, items, column))
        if f == feature or not cuts:
            continue
        varying += 1
        best = max(cuts, key=lambda c: c.gain)
        beaten += best.gain <= chosen.gain + 1.1 * oracle.TIE * best.largest_term
    expected = min(n_candidates - 1, varying)
    assert beaten >= expected, f"node {k}: beats {beaten} of {varying} other features, {n_candidates} were candidates"


# ---------------------------------------------------------------- numbers

def same(a, b):
    return bool(np.isclose(a, b, rtol=1e-12, atol=0))


def close_gain(gain, cut):
    return abs(gain - cut.gain) <= 1e-6 * abs(cut.gain) + 1e-9 * cut.largest_term


def describe_difference(expected, got):
    """The first node in which two trees differ, in words; None if they are the same."""
    for k, (a, b) in enumerate(zip(expected, got)):
        what = node_difference(a, b)
        if what:
            return f"node {k}: {what}\n  expected {a}\n  got      {b}"
    if len(expected) != len(got):
        return f"{len(got)} nodes instead of {len(expected)}"
    return None


def node_difference(a, b):
    if ("leaf" in a) != ("leaf" in b):
        return "leaf or not"
    if "leaf" in a:
        return None if a["leaf"] == b["leaf"] and a["members"] == sorted(b["members"]) else "leaf"
    if ("categories" in a) != ("categories" in b):
        return "kind of split"
    for name in ("split", "missing", "left", "right"):
        if a[name] != b[name]:
            return name
    if "threshold" in a and not same(a["threshold"], b["threshold"]):
        return "threshold"
    if "categories" in a and sorted(a["categories"]) != sorted(b["categories"]):
        return "categories"
    if not same(a["weight"], b["weight"]):
        return "weight"
    tolerance = 1e-6 * abs(a["gain"]) + 1e-9 * a["largest_term"]
    return "gain" if abs(a["gain"] - b["gain"]) > tolerance else None
