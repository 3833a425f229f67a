"""Lists of pairs with most of them missing, against brute force: every tree, and every prediction (--complete off)."""
import functools

import numpy as np
import pytest

import cases
import exported
import grown
import helpers
import oracle
import pairs_oracle
import sklearn_walk as sk
from grown import oracle_tree
from oracle import Column

KINDS = list(pairs_oracle.KINDS)
OFF = ["--complete", "off"]
EXHAUSTIVE = ["--sample", "none", "--candidates", "all", "--trees", 1]


def save(folder, case):
    helpers.save_items(folder / "items.csv", case.columns, case.ids, case.item_weights)
    (folder / "pairs.csv").write_text(case.text(), encoding="utf-8")


def fit(folder, case, *options, words=None, name="model"):
    save(folder, case)
    model = folder / f"{name}.smerf"
    helpers.run("fit", folder / "items.csv", *(words or ["--pairs", folder / "pairs.csv"]), "-o", model, *OFF,
                *case.options(), *options)
    return model


def told(case, *options):
    words = " ".join(map(str, [*case.options(), *OFF, *options]))
    return (f"\n{case.name}\nsmerf fit items.csv --pairs pairs.csv -o m {words}\n--- items.csv\n"
            f"{helpers.items_text(case.columns, case.ids, case.item_weights)}--- pairs.csv\n{case.text()}---")


assert_same_tree = functools.partial(grown.assert_same_tree, tell=told)


def assert_follows_the_rules(case, forest, rules, options):
    for b, tree in enumerate(forest["trees"]):
        try:
            exported.check_tree(tree, forest["features"], case, rules)
        except AssertionError as mistake:
            raise AssertionError(f"tree {b}: {mistake}{told(case, *options)}") from None


# ---------------------------------------------------------------- the brute force itself

@pytest.mark.parametrize("seed", range(3))
def test_with_nothing_missing_the_oracle_grows_the_tree_of_the_matrix(seed):
    case = pairs_oracle.make_case("nothing missing", seed)
    case.distances = np.round(64 * case.distances) / 64  # exact in float32
    whole = cases.Case(case.name, case.columns, case.distances, None, case.min_parent, case.max_depth)
    assert (case.pair_weights == 1).all()
    problem = oracle.Problem(whole.columns, whole.distances, None, None, whole.min_parent, whole.max_depth)
    assert exported.describe_difference(oracle.grow(problem), oracle_tree(case)) is None
    forest = {"features": sk.features_of(case.columns), "trees": [{"nodes": oracle_tree(case)}]}
    helpers.assert_close(pairs_oracle.predict(forest, case), exported.predict(forest, case.distances, case.columns), 1)


def test_cost_and_climb_by_hand():
    """Four items on a line; known are 0-1 at distance 4 and 2-3 at distance 1 with weight 3."""
    z, omega = pairs_oracle.meaning([(0, 1, 3.0, 1.0), (1, 0, 5.0, 1.0), (3, 2, 1.0, 3.0)], 4)
    case = pairs_oracle.PairsCase("by hand", [Column("f0", [1.0, 2.0, 3.0, 4.0])], z, pair_weights=omega)
    problem = oracle.Problem(case.columns, z, pair_weights=omega)
    assert oracle.cost(problem, np.arange(4)) == pytest.approx(4 * (2 * 4 + 2 * 3 * 1) / (4 + 2 + 6))
    assert oracle.cost(problem, np.array([0, 2])) == 0
    leaves = [{"leaf": 0, "members": [[0, 1]]}, {"leaf": 1, "members": [[1, 1]]}, {"leaf": 2, "members": [[2, 1], [3, 1]]}]
    nodes = [{"left": 1, "right": 4}, {"left": 2, "right": 3}, leaves[0], leaves[1], leaves[2]]
    expected = [[0, 4, 4], [4, 0, 4], [4, 4, 2 * 3 * 1 / (6 + 2)]]  # 4: between {0, 1} and all, 0-1 and 1-0 are known
    np.testing.assert_allclose(pairs_oracle.leaf_distances({"nodes": nodes}, case), expected)
    excluded = pairs_oracle.leaf_distances({"nodes": nodes}, case, exclude=True)
    np.testing.assert_allclose(excluded.diagonal(), [4, 4, 1])


@pytest.mark.parametrize("kind", KINDS)
def test_the_checker_accepts_the_oracles_trees_and_no_data_hang_on_rounding(kind):
    for seed in range(4):
        case = pairs_oracle.make_case(kind, seed)
        rules = exported.Rules(case.min_parent, case.max_depth, candidates=len(case.columns))
        exported.check_tree({"nodes": oracle_tree(case)}, sk.features_of(case.columns), case, rules)


# ---------------------------------------------------------------- trees

@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("kind", KINDS)
def test_an_exhaustive_tree_is_the_oracles(kind, seed, tmp_path):
    case = pairs_oracle.make_case(kind, seed)
    assert_same_tree(case, helpers.export(fit(tmp_path, case, *EXHAUSTIVE))["trees"][0], options=EXHAUSTIVE)


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("kind", KINDS)
def test_a_tree_on_a_sample_is_the_oracles_on_its_draws(kind, seed, tmp_path):
    case = pairs_oracle.make_case(kind, 100 + seed)
    options = ["--candidates", "all", "--trees", 3, "--seed", seed] + [[], ["--sample", "subsample:0.7"]][seed]
    for tree in helpers.export(fit(tmp_path, case, *options))["trees"]:
        assert_same_tree(case, tree, exported.in_bag_draws(tree, case.n), options)


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("kind", KINDS)
def test_every_node_takes_the_best_cut_of_its_candidates(kind, seed, tmp_path):
    case = pairs_oracle.make_case(kind, 200 + seed)
    axis, oblique = ["--trees", 2, "--candidates", 1 + seed], ["--trees", 2, "--splits", "oblique", "--density", 0.6]
    rules = exported.Rules(case.min_parent, case.max_depth, candidates=1 + seed)
    assert_follows_the_rules(case, helpers.export(fit(tmp_path, case, *axis)), rules, axis)
    rules = exported.Rules(case.min_parent, case.max_depth, oblique=True, always_finds_a_cut=False)
    assert_follows_the_rules(case, helpers.export(fit(tmp_path, case, *oblique)), rules, oblique)


@pytest.mark.parametrize("value", [0.0, 0.25, 1.0])
@pytest.mark.parametrize("kind", ["few, ties", "diagonal", "weights", "every cut tied", "scarce"])
def test_a_number_sets_every_self_distance(kind, value, tmp_path):
    case = pairs_oracle.make_case(kind, 300)
    options = [*EXHAUSTIVE, "--self-distance", value]
    model = fit(tmp_path, case, *options)
    case = case.with_diagonal(value)
    forest = helpers.export(model)
    assert_same_tree(case, forest["trees"][0], options=options)
    assert_predicts(tmp_path, model, case, pairs_oracle.predict(forest, case), options)


def test_a_larger_tree_is_the_oracles(tmp_path):
    for kind in ("few", "weights", "few, categories"):
        case = pairs_oracle.make_case(kind, 7, n=120, p=2)
        case.min_parent, case.max_depth = 2, None
        assert_same_tree(case, helpers.export(fit(tmp_path, case, *EXHAUSTIVE))["trees"][0], options=EXHAUSTIVE)


# ---------------------------------------------------------------- predictions

def assert_predicts(folder, model, case, expected, options, *more):
    helpers.run("predict", model, folder / "items.csv", "-o", folder / "out.csv", *more)
    got = helpers.read_matrix(folder / "out.csv", case.n, case.n)[0]
    scale = np.nanmax(np.abs(case.distances)) or 1.0
    good = np.isclose(got, expected, rtol=0, atol=1e-9 * scale, equal_nan=True)
    assert good.all(), f"{np.argwhere(~good)[0]}: {got[~good][0]}, not {expected[~good][0]}{told(case, *options)}"


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("kind", KINDS)
def test_predictions_climb_to_the_nearest_evidence(kind, seed, tmp_path):
    case = pairs_oracle.make_case(kind, 400 + seed)
    exclude = seed == 2
    options = ["--trees", [1, 6, 6][seed], *(["--self-distance", "exclude"] if exclude else [])]
    model = fit(tmp_path, case, *options)
    forest = helpers.export(model)
    assert_predicts(tmp_path, model, case, pairs_oracle.predict(forest, case, exclude=exclude), options)
    for rule in ("both", "either"):
        expected = pairs_oracle.predict_oob(forest, case, rule, exclude)
        assert_predicts(tmp_path, model, case, expected, options, "--oob", "--oob-rule", rule)


@pytest.mark.parametrize("seed", [0, 5, 6, 7])
def test_without_any_evidence_the_prediction_is_the_mean_of_all_pairs(seed, tmp_path):
    """Only a given diagonal can split such a tree: otherwise it is one leaf, at the distance of its self-pairs."""
    rng = np.random.default_rng(seed)
    rows = [(0, 1, 2.0, 1.0), (2, 3, 5.0, 3.0)] + [(i, i, float(i % 3), 1.0) for i in range(12)]
    z, omega = pairs_oracle.meaning(rows, 12)
    columns = [Column(f"f{k}", rng.normal(size=12).tolist()) for k in range(2)]
    case = pairs_oracle.PairsCase("two pairs", columns, z, pair_weights=omega, rows=rows, weighted=True)
    options = ["--trees", 2, "--seed", seed, "--sample", "subsample:0.3"]
    model = fit(tmp_path, case, *options)
    expected = pairs_oracle.predict(helpers.export(model), case)
    assert (expected == (2 + 3 * 5) / 4).sum() > 20, "the test needs trees without evidence"
    assert_predicts(tmp_path, model, case, expected, options)


def test_blocks_and_listed_pairs_climb_alike(tmp_path):
    case = pairs_oracle.make_case("few", 600, n=25)
    model = fit(tmp_path, case, "--trees", 5)
    forest = helpers.export(model)
    names = case.ids or [str(i) for i in range(case.n)]
    expected = pairs_oracle.predict(forest, case)
    listed = [(i, j) for i in range(case.n) for j in (0, 7, i)]
    (tmp_path / "asked.csv").write_text("i,j\n" + "".join(f"{names[i]},{names[j]}\n" for i, j in listed))
    rows = helpers.read_table(helpers.run("predict", model, tmp_path / "items.csv", "--pairs", tmp_path / "asked.csv"))
    np.testing.assert_allclose([float(r["distance"]) for r in rows], [expected[p] for p in listed], rtol=1e-9)
    few = [Column(c.name, c.values[3:9], c.kind) for c in case.columns]
    helpers.save_items(tmp_path / "few.csv", few)
    helpers.run("predict", model, tmp_path / "few.csv", "--against", tmp_path / "items.csv", "-o", tmp_path / "b.csv")
    block = helpers.read_matrix(tmp_path / "b.csv", 6, case.n)[0]
    np.testing.assert_allclose(block, pairs_oracle.predict(forest, case, few, case.columns), rtol=1e-9)
