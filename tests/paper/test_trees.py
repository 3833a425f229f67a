"""Every tree the command grows, against the brute-force oracle and against the rules of growing."""
import dataclasses
import math

import numpy as np
import pytest
import scipy.stats

import cases
import exported
import helpers
from grown import assert_same_tree
from oracle import Column

SEEDS = range(10)
EXHAUSTIVE = ["--sample", "none", "--candidates", "all", "--trees", 1]


def assert_grows_the_oracles_tree(folder, case, *more):
    options = [*EXHAUSTIVE, *more]
    forest = helpers.export(helpers.fit(folder, case, *options))
    assert_features(forest, case)
    assert len(forest["trees"]) == 1
    assert_same_tree(case, forest["trees"][0], options=options)


def assert_features(forest, case):
    described = [(f["name"], f["kind"], f.get("levels") or []) for f in forest["features"]]
    assert described == [(c.name, c.kind, c.levels if c.kind == "category" else []) for c in case.columns]


def assert_follows_the_rules(case, forest, rules, options=()):
    for b, tree in enumerate(forest["trees"]):
        try:
            exported.check_tree(tree, forest["features"], case, rules)
        except AssertionError as mistake:
            raise AssertionError(f"tree {b}: {mistake}{helpers.reproduce(case, *options)}") from None


def fitted(folder, case, *options):
    return helpers.export(helpers.fit(folder, case, *options))


# ---------------------------------------------------------------- nothing random

@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("kind", cases.KINDS)
def test_an_exhaustive_tree_is_the_oracles(kind, seed, tmp_path):
    assert_grows_the_oracles_tree(tmp_path, cases.make_case(kind, seed))


@pytest.mark.parametrize("n", [2, 3, 4, 5])
@pytest.mark.parametrize("kind", ["missing values", "mixed, integer distances", "every cut tied", "categories"])
def test_the_smallest_data_sets_grow_the_oracles_tree(kind, n, tmp_path):
    assert_grows_the_oracles_tree(tmp_path, cases.make_case(kind, 100 + n, n=n))


@pytest.mark.parametrize("kind", ["distinct values", "mixed", "item weights, mixed", "duplicate items"])
def test_a_larger_exhaustive_tree_is_the_oracles(kind, tmp_path):
    case = cases.make_case(kind, 7, n=210, p=3)
    assert_grows_the_oracles_tree(tmp_path, dataclasses.replace(case, min_parent=2, max_depth=None))


@pytest.mark.parametrize("n_levels", [24, 40, 60])
@pytest.mark.parametrize("groups", [2, 3, None], ids=["two groups", "three groups", "line"])
def test_many_levels_line_up_though_most_eigenvalues_are_zero(groups, n_levels, tmp_path):
    for seed in range(4):
        rng = np.random.default_rng([n_levels, seed])
        n = n_levels + 30
        codes = [*range(n_levels), *rng.integers(0, n_levels, size=30)]
        y = np.round(rng.normal(size=n)) if groups is None else rng.integers(0, groups, size=n)
        z = (y[:, None] - y[None, :]) ** 2 / 2 if groups is None else y[:, None] != y[None, :]
        case = cases.Case(f"{groups} groups, {n_levels} levels, {seed}",
                          [Column("f0", [f"L{k:02d}" for k in codes], "category")], z.astype(float))
        folder = tmp_path / str(seed)
        folder.mkdir()
        assert_grows_the_oracles_tree(folder, case, "--categories", "f0")  # which looks like a name


def test_number_codes_become_categories_in_bytewise_order(tmp_path):
    rng = np.random.default_rng(5)
    codes = Column("f0", [str(k) for k in rng.choice([1, 2, 10, 9], size=25)], "category")
    columns = [codes, Column("f1", cases.tied(rng, 25))]
    case = cases.Case("number codes", columns, cases.euclidean(rng, columns))
    options = [*EXHAUSTIVE, "--categories", "f0"]
    forest = fitted(tmp_path, case, *options)
    assert forest["features"][0]["levels"] == ["1", "10", "2", "9"]
    assert_same_tree(case, forest["trees"][0], options=options)


def hand_made(values, z, kind="number", **more):
    return cases.Case("hand-made", [Column("f0", values, kind)], np.asarray(z, float), **more)


def line(*positions):
    y = np.array(positions, float)
    return np.abs(y[:, None] - y[None, :])


UP = np.nextafter(1.0, 2.0)

EDGES = {
    "midpoint that rounds up": hand_made([UP, np.nextafter(UP, 2.0), 3.0], line(0, 4, 5)),
    "midpoint that overflows": hand_made([1.0e308, 1.5e308, -1.7e308], line(0, 4, 9)),
    "minus zero and zero": hand_made([-0.0, 0.0, 1.0], line(0, 4, 5)),
    "denormal values": hand_made([5e-324, 1e-323, 0.0], line(0, 4, 9)),
    "one value and missing ones": hand_made([7.0, None, 7.0, None], line(0, 5, 1, 6)),
    "missing or not is the best cut": hand_made([1.0, 2.0, None, None], line(0, 1, 9, 10)),
    "one level and missing ones": hand_made(["a", None, "a", None], line(0, 5, 1, 6), "category"),
    "first level in the centre": hand_made(["a", "b", "c", "a"], line(0, 1, -1, 0) ** 2, "category"),
    "levels all equally far": hand_made(list("dbaec"), np.ones((5, 5)) - np.eye(5), "category"),
    "levels at distance nothing": hand_made(list("aabbc"), np.eye(5), "category"),
    "largest eigenvalue negative": hand_made(list("abcd"), -line(0, 1, 2, 7) ** 2, "category"),
    "two levels, sides equally heavy": hand_made(list("abab"), line(0, 3, 0, 3), "category"),
    "weights make the right side heavier": hand_made([1.0, 2, 3], line(0, 1, 7),
                                                     item_weights=np.array([0.5, 0.5, 3.0])),
    "all distances zero": hand_made([1.0, 2, 3], np.zeros((3, 3))),
    "all distances equal, diagonal too": hand_made([1.0, 2, 3], np.full((3, 3), 2.5)),
    "diagonal alone": hand_made([1.0, 2, 3], np.diag([1.0, 1.0, 2.0])),
    "a difference that float32 cannot see": hand_made([1.0, 2, 3, 4], 1 + 1e-10 * line(0, 1, 2, 3)),
}


@pytest.mark.parametrize("edge", EDGES)
def test_an_edge_case_grows_the_oracles_tree(edge, tmp_path):
    assert_grows_the_oracles_tree(tmp_path, EDGES[edge])


def test_items_that_are_all_equal_make_one_leaf_or_are_refused(tmp_path):
    case = hand_made([2.0] * 4, line(0, 1, 2, 3))
    helpers.save_case(tmp_path, case)
    line_of_fit = ["fit", tmp_path / "items.csv", "--distances", tmp_path / "z.npy", "-o", tmp_path / "m", *EXHAUSTIVE]
    try:
        helpers.run(*line_of_fit)
    except AssertionError:
        helpers.refused(*line_of_fit)
        return
    assert_same_tree(case, helpers.export(tmp_path / "m")["trees"][0])


# ---------------------------------------------------------------- random items

@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("kind", cases.KINDS)
def test_a_bootstrap_tree_is_the_oracles_on_its_draws(kind, seed, tmp_path):
    case = cases.make_case(kind, 200 + seed)
    options = ["--candidates", "all", "--trees", 3, "--seed", seed]
    for tree in fitted(tmp_path, case, *options)["trees"]:
        draws = exported.in_bag_draws(tree, case.n)
        assert draws.sum() == case.n
        assert_same_tree(case, tree, draws, options)


@pytest.mark.parametrize("seed", range(6))
def test_a_subsample_tree_is_the_oracles_on_its_items(seed, tmp_path):
    kind = ["mixed", "missing values", "categories", "item weights, mixed", "labels", "tied values"][seed]
    case = cases.make_case(kind, 300 + seed)
    options = ["--sample", "subsample:0.6875", "--candidates", "all", "--trees", 3]
    for tree in fitted(tmp_path, case, *options)["trees"]:
        draws = exported.in_bag_draws(tree, case.n)
        assert draws.max() == 1 and draws.sum() == math.ceil(0.6875 * case.n)
        assert_same_tree(case, tree, draws, options)


def test_as_many_candidates_as_features_are_all_of_them(tmp_path):
    case = cases.make_case("mixed", 41, n=30, p=4)
    every = fitted(tmp_path, case, "--candidates", "all", "--trees", 5)
    for d in [4, 99, "p^1", "p^2", "auto"]:
        assert fitted(tmp_path, case, "--candidates", d, "--trees", 5) == every


def stump(case):
    return dataclasses.replace(case, min_parent=2, max_depth=1)


def test_bootstrap_draws_are_fair(tmp_path):
    case = stump(cases.make_case("distinct values", 1, n=50, p=1))
    draws = [exported.in_bag_draws(t, 50) for t in fitted(tmp_path, case, "--trees", 400)["trees"]]
    assert scipy.stats.chisquare(np.sum(draws, axis=0)).pvalue > 1e-4
    distinct = np.mean([(d > 0).mean() for d in draws])
    assert abs(distinct - (1 - 0.98 ** 50)) < 0.01


def test_subsamples_are_fair(tmp_path):
    case = stump(cases.make_case("distinct values", 1, n=40, p=1))
    trees = fitted(tmp_path, case, "--sample", "subsample:0.25", "--trees", 400)["trees"]
    drawn = np.sum([exported.in_bag_draws(t, 40) for t in trees], axis=0)
    assert drawn.sum() == 4000
    assert scipy.stats.chisquare(drawn).pvalue > 1e-4  # without replacement: even closer than chi-square


# ---------------------------------------------------------------- random candidates

@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("kind", cases.KINDS)
def test_every_node_takes_the_best_cut_of_a_few_features(kind, seed, tmp_path):
    case = cases.make_case(kind, 400 + seed)
    d = 1 + seed
    options = ["--candidates", d, "--trees", 3]
    rules = exported.Rules(case.min_parent, case.max_depth, candidates=d)
    assert_follows_the_rules(case, fitted(tmp_path, case, *options), rules, options)


def test_a_power_of_p_is_rounded_up(tmp_path):
    case = cases.make_case("distinct values", 3, n=30, p=8)
    forest = fitted(tmp_path, case, "--candidates", "p^0.5", "--trees", 8)
    assert forest == fitted(tmp_path, case, "--candidates", 3, "--trees", 8)
    assert_follows_the_rules(case, forest, exported.Rules(case.min_parent, case.max_depth, candidates=3))


def test_a_single_candidate_is_any_feature_that_varies(tmp_path):
    rng = np.random.default_rng(0)
    columns = [Column(f"f{k}", cases.constant(rng, 20) if k % 2 else cases.continuous(rng, 20)) for k in range(8)]
    case = cases.Case("half constant", columns, cases.euclidean(rng, columns))
    trees = fitted(tmp_path, case, "--candidates", 1, "--trees", 400)["trees"]
    roots = np.bincount([t["nodes"][0]["split"][0][0] for t in trees], minlength=8)
    assert (roots[1::2] == 0).all()
    assert scipy.stats.chisquare(roots[::2]).pvalue > 1e-4


# ---------------------------------------------------------------- oblique splits

@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("kind", cases.KINDS)
def test_every_oblique_node_takes_the_best_cut_of_its_direction(kind, seed, tmp_path):
    case = cases.make_case(kind, 500 + seed)
    options = ["--splits", "oblique", "--trees", 3, "--density", [0.2, 0.5, 0.9][seed], "--candidates", 4]
    rules = exported.Rules(case.min_parent, case.max_depth, oblique=True, always_finds_a_cut=False)
    assert_follows_the_rules(case, fitted(tmp_path, case, *options), rules, options)


def splits_of(forest):
    return [node["split"] for tree in forest["trees"] for node in tree["nodes"] if "split" in node]


def test_full_density_uses_every_feature_with_either_sign(tmp_path):
    case = cases.make_case("distinct values", 9, n=30, p=4)
    forest = fitted(tmp_path, case, "--splits", "oblique", "--density", 1, "--candidates", 2, "--trees", 20)
    splits = splits_of(forest)
    assert all(sorted(f for f, _ in split) == [0, 1, 2, 3] for split in splits)
    assert {w for split in splits for _, w in split} == {1, -1}
    rules = exported.Rules(case.min_parent, case.max_depth, oblique=True)
    assert_follows_the_rules(case, forest, rules)


def test_the_density_bounds_the_features_of_a_split(tmp_path):
    case = cases.make_case("distinct values", 9, n=40, p=8)
    forest = fitted(tmp_path, case, "--splits", "oblique", "--density", 0.125, "--candidates", 3, "--trees", 30)
    sizes = [len(split) for split in splits_of(forest)]
    assert max(sizes) <= 3  # round(0.125 x 8 x 3) non-zeros in the whole matrix
    assert min(sizes) == 1 and max(sizes) > 1


def test_the_default_density_is_one_in_p_for_few_features(tmp_path):
    case = cases.make_case("distinct values", 10, n=40, p=8)
    options = ["--splits", "oblique", "--trees", 10, "--candidates", 5]
    assert fitted(tmp_path, case, *options) == fitted(tmp_path, case, *options, "--density", 0.125)


def test_a_category_enters_a_projection_as_one_of_its_levels(tmp_path):
    case = cases.make_case("categories", 11, n=40, p=3)
    forest = fitted(tmp_path, case, "--splits", "oblique", "--density", 1, "--trees", 20)
    splits = splits_of(forest)
    assert splits and all(len(entry) == 3 for split in splits for entry in split)
    used = {entry[2] for split in splits for entry in split if entry[0] == 0}
    assert used == set(case.columns[0].levels)
