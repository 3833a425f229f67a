"""sklearn_walk.py - walks one of our trees and one of scikit-learn's together."""
import numpy as np

import exported
import oracle


def features_of(columns):
    return [{"name": c.name, "kind": c.kind, "levels": c.levels if c.kind == "category" else []} for c in columns]


def walk_together(nodes, theirs, problem):
    """Every node must hold the same items and part them alike. Where the two first part differently, both gains
    must agree to 1e-6 (scikit-learn breaks ties at random); below such a node nothing is compared.
    Returns how many inner nodes were the same."""
    x = np.column_stack([c.numbers() for c in problem.columns])
    return compare(nodes, 0, theirs.tree_, 0, np.arange(len(x)), x, problem)


def compare(nodes, k, tree, s, items, x, problem):
    node = nodes[k]
    is_leaf = tree.children_left[s] == -1
    assert ("leaf" in node) == is_leaf, f"node {k} with items {items.tolist()}: only one of the trees stops here"
    if is_leaf:
        return 0
    left = exported.goes_left(node, features_of(problem.columns), problem.columns)[items]
    their_left = x[items, tree.feature[s]] <= tree.threshold[s]
    if node["split"][0][0] != tree.feature[s] or (left != their_left).any():
        ours, other = gain_of(problem, items, left), gain_of(problem, items, their_left)
        assert abs(ours - other) <= 1e-6 * abs(other), f"node {k}: our gain {ours}, scikit-learn's {other}"
        return 0
    assert np.isclose(node["threshold"], tree.threshold[s], rtol=1e-6), f"threshold of node {k}"
    return (1 + compare(nodes, node["left"], tree, tree.children_left[s], items[left], x, problem)
            + compare(nodes, node["right"], tree, tree.children_right[s], items[~left], x, problem))


def gain_of(problem, items, left):
    return oracle.price(problem, items, [oracle.Cut(left)])[0].gain


def distinct_features(rng, n, p):
    """Distinct in every column, exact in float32, and further apart than scikit-learn calls equal."""
    return np.column_stack([rng.permutation(8 * n)[:n] / 64.0 for _ in range(p)])


def make_labels(rng, x, n_classes):
    score = x[:, 0] - x[:, -1] + rng.normal(scale=x.std(), size=len(x))
    return np.digitize(score, np.quantile(score, np.arange(1, n_classes) / n_classes))


def labelled_items(n, p, n_classes):
    """Features and classes, the same for the same numbers."""
    rng = np.random.default_rng([n, p, n_classes])
    x = distinct_features(rng, n, p)
    return x, make_labels(rng, x, n_classes)


def make_response(rng, x):
    """Multiples of 1/16 up to 64, so that half a squared difference is exact in float32."""
    score = np.sin(x[:, 0] / 3) + x[:, -1] / x.max() + rng.normal(scale=0.3, size=len(x))
    return np.clip(np.round(score * 128), -1024, 1023) / 16


def label_distances(c):
    return (c[:, None] != c[None, :]).astype(float)


def response_distances(y):
    return (y[:, None] - y[None, :]) ** 2 / 2
