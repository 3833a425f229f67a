"""Propositions 1 and 2 of the paper: the trees are scikit-learn's for labels and for a response."""
import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import cases
import helpers
import oracle
import sklearn_walk as sk

SIZES = [(20, 1), (50, 4), (120, 8), (300, 5)]
EXHAUSTIVE = ["--sample", "none", "--candidates", "all", "--trees", 1]


def grow(folder, x, z, **more):
    case = cases.case_from_arrays(x, z, **more)
    nodes = helpers.export(helpers.fit(folder, case, *EXHAUSTIVE))["trees"][0]["nodes"]
    problem = oracle.Problem(case.columns, z, case.item_weights)
    return nodes, problem, helpers.reproduce(case, *EXHAUSTIVE) if len(x) <= 50 else f"\nfiles in {folder}"


def assert_walks_along(nodes, theirs, problem, data, at_least):
    try:
        in_common = sk.walk_together(nodes, theirs, problem)
    except AssertionError as mistake:
        raise AssertionError(f"{mistake}{data}") from None
    assert in_common >= at_least, f"only {in_common} nodes in common"


@pytest.mark.parametrize("n_classes", [2, 3, 5])
@pytest.mark.parametrize("n, p", SIZES)
def test_labels_as_distances_grow_the_gini_tree(n, p, n_classes, tmp_path):
    x, c = sk.labelled_items(n, p, n_classes)
    nodes, problem, data = grow(tmp_path, x, sk.label_distances(c))
    theirs = DecisionTreeClassifier(random_state=1).fit(x, c)
    assert_walks_along(nodes, theirs, problem, data, at_least=2)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("n, p", SIZES)
def test_half_squared_difference_grows_the_regression_tree(n, p, seed, tmp_path):
    rng = np.random.default_rng([n, p, seed])
    x = sk.distinct_features(rng, n, p)
    y = sk.make_response(rng, x)
    nodes, problem, data = grow(tmp_path, x, sk.response_distances(y))
    theirs = DecisionTreeRegressor(random_state=1).fit(x, y)
    assert_walks_along(nodes, theirs, problem, data, at_least=n // 8)


@pytest.mark.parametrize("seed", range(4))
def test_item_weights_are_sample_weights(seed, tmp_path):
    rng = np.random.default_rng(seed)
    x = sk.distinct_features(rng, 90, 4)
    y, weights = sk.make_response(rng, x), rng.choice([0.5, 1.0, 2.25], size=90)
    nodes, problem, data = grow(tmp_path, x, sk.response_distances(y), item_weights=weights)
    theirs = DecisionTreeRegressor(random_state=1).fit(x, y, sample_weight=weights)
    assert_walks_along(nodes, theirs, problem, data, at_least=12)


@pytest.mark.parametrize("options", [{"min_parent": 10}, {"max_depth": 3}])
def test_the_stopping_rules_are_scikit_learns(options, tmp_path):
    rng = np.random.default_rng(3)
    x = sk.distinct_features(rng, 150, 4)
    y = sk.make_response(rng, x)
    nodes, problem, data = grow(tmp_path, x, sk.response_distances(y), **options)
    theirs = DecisionTreeRegressor(random_state=1, min_samples_split=options.get("min_parent", 2),
                                   max_depth=options.get("max_depth")).fit(x, y)
    assert_walks_along(nodes, theirs, problem, data, at_least=5)
