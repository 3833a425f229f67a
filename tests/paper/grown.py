"""grown.py - a tree that the command has grown, held against the oracle's."""
import pytest

import exported
import helpers
import oracle


def oracle_tree(case, draws=None):
    problem = oracle.Problem(case.columns, case.distances, case.item_weights, draws, case.min_parent, case.max_depth,
                             case.pair_weights)
    nodes = oracle.grow(problem)
    if problem.ambiguities:
        pytest.skip(f"{case.name}: {problem.ambiguities[0]}")
    return nodes


def assert_same_tree(case, tree, draws=None, options=(), tell=helpers.reproduce):
    """`tell(case, *options)` is how to see the difference for oneself."""
    difference = exported.describe_difference(oracle_tree(case, draws), tree["nodes"])
    assert difference is None, difference + tell(case, *options)
