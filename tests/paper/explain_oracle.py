"""explain_oracle.py - shares of a predicted distance, by brute force over their definition, from `export`, X and Z alone.

  node means   the mean of z over all observed ordered pairs of members, an item and itself included where both nodes have
               it; two nodes without an observed pair climb as two leaves do
  a walk       from (root, root) to (leaf, leaf): one item goes all the way, then the other. Each step changes the mean, and the
               change belongs to the features of the split that was taken; the last step ends at what the tree predicts
  shares       both orders averaged, then the trees that have something to say
"""
from dataclasses import dataclass

import numpy as np

import exported
import pairs_oracle


@dataclass
class Known:
    """What a forest was trained on."""

    z: np.ndarray               # diagonal included; anything where nothing is observed
    omega: np.ndarray = None    # weights of observed pairs, 0: not observed; None: all pairs are
    item_weights: np.ndarray = None
    exclude: bool = False       # --self-distance exclude

    def __post_init__(self):
        n = len(self.z)
        self.z = np.nan_to_num(np.asarray(self.z, float))
        self.omega = np.ones((n, n)) if self.omega is None else self.omega
        self.item_weights = np.ones(n) if self.item_weights is None else np.asarray(self.item_weights, float)

    def mean_of_all(self):
        above = np.triu(self.omega, 1)
        return (above * self.z).sum() / above.sum() if above.any() else self.z.diagonal().mean()


class TreeMeans:
    def __init__(self, tree, known):
        self.nodes, self.known = tree["nodes"], known
        held, self.parent = pairs_oracle.node_members(tree, known.item_weights)
        apart = known.omega * (1 - np.eye(len(known.z)))
        self.total, self.weight = held @ (known.omega * known.z) @ held.T, held @ known.omega @ held.T
        self.total_apart, self.weight_apart = held @ (apart * known.z) @ held.T, held @ apart @ held.T
        self.node_of_leaf = [k for k, node in enumerate(self.nodes) if "leaf" in node]
        self.overlap = held @ (held > 0).T > 0

    def between(self, a, b):
        if self.overlap[a, b] or self.weight_apart[a, b] > 0:
            return self.total[a, b] / self.weight[a, b]
        return pairs_oracle.climb(a, b, self.parent, self.total_apart, self.weight_apart)

    def predicted(self, a, b, exclude):
        if a != b or not exclude:
            return self.between(a, b)
        while a != 0 and self.weight_apart[a, a] == 0:
            a = self.parent[a]
        return self.total_apart[a, a] / self.weight_apart[a, a] if self.weight_apart[a, a] > 0 else np.nan

    def way(self, leaf):
        """Nodes from the root to a leaf."""
        node, way = self.node_of_leaf[leaf], []
        while node != 0:
            way.append(node)
            node = self.parent[node]
        return [0, *reversed(way)]


def walk(first, second):
    """States (node of the one who goes first, node of the other) and the node whose split each step takes."""
    states, splits = [(0, 0)], []
    for before, after in zip(first, first[1:]):
        states.append((after, 0))
        splits.append(before)
    for before, after in zip(second, second[1:]):
        states.append((first[-1], after))
        splits.append(before)
    return states, splits


def explain_tree(means, leaf, other, n_features):
    """(baseline, shares, distance), or None where the tree has nothing to say."""
    ways = means.way(leaf), means.way(other)
    predicted = means.predicted(ways[0][-1], ways[1][-1], means.known.exclude)
    if np.isnan(predicted):
        return None
    if len(means.nodes) == 1:
        return predicted, np.zeros(n_features), predicted
    shares = np.zeros(n_features)
    for first, second in (ways, ways[::-1]):
        states, splits = walk(first, second)
        values = [means.between(a, b) for a, b in states]
        values[-1] = predicted
        for split, before, after in zip(splits, values, values[1:]):
            terms = means.nodes[split]["split"]
            for feature, *_ in terms:
                shares[feature] += (after - before) / len(terms) / 2
    return means.between(0, 0), shares, predicted


def explain(forest, known, rows, columns, pairs, speaks=lambda tree, i, j: True):
    """One (baseline, shares, distance) a pair."""
    n_features = len(forest["features"])
    trees = [(TreeMeans(t, known), exported.route(t, forest["features"], rows),
              exported.route(t, forest["features"], columns), t) for t in forest["trees"]]
    return [explain_pair(trees, known, i, j, n_features, speaks) for i, j in pairs]


def explain_pair(trees, known, i, j, n_features, speaks):
    asked = [(means, a[i], b[j]) for means, a, b, tree in trees if speaks(tree, i, j)]
    if not asked:
        return np.nan, np.full(n_features, np.nan), np.nan
    found = [e for e in (explain_tree(*each, n_features) for each in asked) if e is not None]
    if found:
        return tuple(np.mean([e[k] for e in found], axis=0) for k in range(3))
    given = [means.predicted(means.node_of_leaf[a], means.node_of_leaf[b], False) for means, a, b in asked]
    given = [value for value in given if not np.isnan(value)]
    value = np.mean(given) if known.exclude and given else known.mean_of_all()
    return value, np.zeros(n_features), value
