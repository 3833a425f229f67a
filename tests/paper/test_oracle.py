"""The oracle itself, checked without the command: against scikit-learn, against all subsets, and by hand."""
import itertools

import numpy as np
import pytest
import scipy.stats
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import cases
import exported
import metrics
import oracle
import sklearn_walk as sk
from oracle import Column, Problem


def columns_of(x):
    return [Column(f"f{k}", x[:, k].tolist()) for k in range(x.shape[1])]


def test_labels_as_distances_grow_the_gini_tree():
    for seed in range(6):
        rng = np.random.default_rng(seed)
        x = sk.distinct_features(rng, 60, 3)
        c = sk.make_labels(rng, x, 2 + seed % 3)
        problem = Problem(columns_of(x), sk.label_distances(c))
        theirs = DecisionTreeClassifier(random_state=seed).fit(x, c)
        assert sk.walk_together(oracle.grow(problem), theirs, problem) > 3


def test_half_squared_difference_grows_the_regression_tree():
    for seed in range(6):
        rng = np.random.default_rng(seed)
        x = sk.distinct_features(rng, 60, 3)
        y = sk.make_response(rng, x)
        problem = Problem(columns_of(x), sk.response_distances(y))
        theirs = DecisionTreeRegressor(random_state=seed).fit(x, y)
        assert sk.walk_together(oracle.grow(problem), theirs, problem) > 10


def test_draws_and_item_weights_are_sample_weights():
    for seed in range(4):
        rng = np.random.default_rng(seed)
        x = sk.distinct_features(rng, 50, 3)
        y = sk.make_response(rng, x)
        draws, weights = rng.integers(1, 4, size=50), rng.choice([0.5, 1.0, 2.5], size=50)
        problem = Problem(columns_of(x), sk.response_distances(y), weights, draws)
        theirs = DecisionTreeRegressor(random_state=0).fit(x, y, sample_weight=draws * weights)
        assert sk.walk_together(oracle.grow(problem), theirs, problem) > 10


def subset_gains(problem, items, codes):
    present = sorted(set(codes))
    for size in range(1, len(present)):
        for chosen in itertools.combinations(present, size):
            yield sk.gain_of(problem, items, np.isin(codes, chosen))


def test_prefixes_of_the_line_up_hold_the_best_subset_of_a_response():
    for seed in range(20):
        rng = np.random.default_rng(seed)
        column = Column("c", cases.categories(rng, 30), "category")
        y = np.round(rng.normal(size=30) * 16) / 16
        problem = Problem([column], sk.response_distances(y), rng.choice([0.5, 1.0, 2.0], size=30))
        items, codes = np.arange(30), column.codes(column.levels)
        best_prefix = max(c.gain for c in oracle.price(problem, items, oracle.feature_cuts(problem, items, column)))
        assert np.isclose(best_prefix, max(subset_gains(problem, items, codes)), rtol=1e-9)


def test_levels_of_a_response_come_in_the_order_of_their_means():
    y = np.array([3.0, 1.0, 2.0, 0.0])
    column = Column("c", ["a", "b", "c", "d"], "category")
    problem = Problem([column], sk.response_distances(y))
    codes = column.codes(column.levels)
    assert oracle.line_up_levels(problem, np.arange(4), codes) == [0, 2, 1, 3]  # a is largest: it comes first


def test_a_first_level_at_the_centre_leaves_the_direction_to_the_next():
    y = np.array([0.0, 1.0, -1.0])
    column = Column("c", ["a", "b", "c"], "category")
    problem = Problem([column], sk.response_distances(y))
    assert oracle.line_up_levels(problem, np.arange(3), column.codes(column.levels)) == [1, 0, 2]


def test_a_repeated_eigenvalue_leaves_nothing_open():
    column = Column("c", list("abcde"), "category")
    problem = Problem([column], np.ones((5, 5)) - np.eye(5))
    assert oracle.line_up_levels(problem, np.arange(5), column.codes(column.levels)) == [0, 1, 2, 3, 4]
    assert problem.ambiguities == []


def test_levels_are_numbered_in_bytewise_order():
    assert Column("c", ["b", "é", "B", None, "10", "9"], "category").levels == ["10", "9", "B", "b", "é"]


def test_thresholds_lie_midway_and_never_on_the_larger_value():
    one = np.nextafter(1.0, 2.0)
    two = np.nextafter(one, 2.0)
    assert (one + two) / 2 == two and oracle.midpoint(one, two) == one
    assert oracle.midpoint(1.0, 2.0) == 1.5
    assert oracle.midpoint(1.0e308, 1.5e308) == 1.25e308
    assert oracle.midpoint(0.0, 5e-324) == 0.0


def test_one_value_and_missing_ones_vary():
    z = np.array([[0.0, 0, 1], [0, 0, 1], [1, 1, 0]])
    root = oracle.grow(Problem([Column("f0", [7.0, 7.0, None])], z))[0]
    assert (root["threshold"], root["missing"]) == (7.0, "right")


def test_missing_values_go_where_they_gain_most():
    y = np.array([0.0, 0, 4, 4, 4])
    root = oracle.grow(Problem([Column("f0", [1.0, 2, 3, 4, None])], sk.response_distances(y)))[0]
    assert (root["threshold"], root["missing"]) == (2.5, "right")
    y = np.array([0.0, 0, 4, 4, 0])
    root = oracle.grow(Problem([Column("f0", [1.0, 2, 3, 4, None])], sk.response_distances(y)))[0]
    assert (root["threshold"], root["missing"]) == (2.5, "left")


def test_ties_go_to_the_first_feature_then_the_smallest_threshold_then_missing_left():
    z = np.ones((4, 4)) - np.eye(4)
    column = Column("f0", [1.0, 2, 3, None])
    root = oracle.grow(Problem([Column("c", [0.0] * 4), column, Column("f2", [4.0, 3, 2, 1])], z))[0]
    assert (root["split"], root["threshold"], root["missing"]) == ([[1, 1]], 1.5, "left")


def test_the_gain_of_a_pair_is_its_distance():
    z = np.array([[0.0, 3.0], [3.0, 0.0]])
    nodes = oracle.grow(Problem([Column("f0", [1.0, 2.0])], z))
    assert nodes[0]["gain"] == 3.0 and nodes[0]["weight"] == 2
    assert nodes[1:] == [{"leaf": 0, "members": [[0, 1]]}, {"leaf": 1, "members": [[1, 1]]}]


def test_a_pure_node_counts_its_diagonal():
    x = [Column("f0", [1.0, 2.0])]
    assert len(oracle.grow(Problem(x, np.zeros((2, 2))))) == 1
    assert len(oracle.grow(Problem(x, np.ones((2, 2))))) == 1
    assert len(oracle.grow(Problem(x, np.eye(2)))) == 3  # a negative gain is a gain


@pytest.mark.parametrize("kind", cases.KINDS)
def test_the_checker_accepts_the_oracles_trees_and_no_data_hang_on_rounding(kind):
    for seed in range(4):
        case = cases.make_case(kind, seed)
        problem = Problem(case.columns, case.distances, case.item_weights,
                          min_parent=case.min_parent, max_depth=case.max_depth)
        nodes = oracle.grow(problem)
        assert problem.ambiguities == [], case.name
        rules = exported.Rules(case.min_parent, case.max_depth, candidates=len(case.columns))
        exported.check_tree({"nodes": nodes}, sk.features_of(case.columns), case, rules)


def test_spearman_is_scipys():
    rng = np.random.default_rng(0)
    predicted, true = rng.integers(0, 6, (9, 9)).astype(float), rng.integers(0, 6, (9, 9)).astype(float)
    rows = [scipy.stats.spearmanr(np.delete(predicted[i], i), np.delete(true[i], i))[0] for i in range(9)]
    assert np.isclose(metrics.spearman(predicted, true), np.mean(rows))


def test_equal_predictions_score_no_rank_correlation_and_equal_truths_none_at_all():
    true = np.array([[0.0, 1, 1, 1], [1, 0, 2, 3], [1, 2, 0, 4], [1, 3, 4, 0]])
    predicted = true.copy()
    predicted[1] = [5.0, 0, 5, 5]
    assert metrics.spearman(predicted, true) == pytest.approx(2 / 3)


def test_average_precision_by_hand():
    assert metrics.average_precision({1, 4}, [1, 2, 4, 3]) == pytest.approx((1 / 1 + 2 / 3) / 2)
