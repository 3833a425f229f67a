"""Permutation importance, recomputed from the exported forest, X and Z, with the random stream that the decision page
docs/decisions/0007-permutation-importance.md describes."""
import copy
import json

import numpy as np
import pytest

import cases
import exported
import helpers

MASK = 0xFFFFFFFF


def philox(counter, key):
    """Philox 4x32 with ten rounds (Salmon et al. 2011)."""
    c, k = list(counter), list(key)
    for _ in range(10):
        low, high = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
        c = [(high >> 32) ^ c[1] ^ k[0], high & MASK, (low >> 32) ^ c[3] ^ k[1], low & MASK]
        k = [(k[0] + 0x9E3779B9) & MASK, (k[1] + 0xBB67AE85) & MASK]
    return c


def words(seed, tree, place):
    block = 0
    while True:
        yield from philox([block, tree, place & MASK, place >> 32], [seed & MASK, seed >> 32])
        block += 1


def below(stream, bound):
    """Lemire: the high half of word * bound, with the short stretch rejected."""
    while True:
        product = next(stream) * bound
        if (product & MASK) >= (1 << 32) % bound:
            return product >> 32


def shuffled(places, seed, tree, feature):
    stream, places = words(seed, tree, 4 + (feature << 8)), list(places)
    for i in range(len(places), 1, -1):
        j = below(stream, i)
        places[i - 1], places[j] = places[j], places[i - 1]
    return places


def weights_of(case):
    return np.ones(case.n) if case.item_weights is None else np.asarray(case.item_weights, float)


def pair_error(tree, forest, case, columns, out):
    z = exported.rounded(case.distances)
    h = exported.leaf_distances(tree, z, weights_of(case))
    leaves = np.array(exported.route(tree, forest["features"], columns))[out]
    scale, mean = forest.get("drawn", (1, 0))
    predicted, true = mean + scale * (h[np.ix_(leaves, leaves)] - mean), z[np.ix_(out, out)]
    above = np.triu_indices(len(out), 1)
    return np.mean((predicted[above] - true[above]) ** 2)


def increases(forest, case, seed, sets=None):
    """[trees][sets of features]: how much the out-of-bag error of a tree grows when each set is shuffled, one by one unless
    sets are given."""
    rows, sets = [], sets or [[f] for f in range(len(case.columns))]
    for b, tree in enumerate(forest["trees"]):
        out = np.flatnonzero(exported.in_bag_draws(tree, case.n) == 0)
        if len(out) < 2:
            continue
        before = pair_error(tree, forest, case, case.columns, out)
        row = []
        for features in sets:
            columns = copy.deepcopy(case.columns)
            for f in features:
                for place, source in zip(out, shuffled(out, seed, b, f)):
                    columns[f].values[place] = case.columns[f].values[source]
            row.append(pair_error(tree, forest, case, columns, out) - before)
        rows.append(row)
    return np.array(rows)


def test_philox_gives_the_published_words():
    assert philox([0] * 4, [0] * 2) == [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]
    assert philox([MASK] * 4, [MASK] * 2) == [0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD]


@pytest.mark.parametrize("kind", ["mixed", "categories", "missing values", "item weights, mixed"])
@pytest.mark.parametrize("options", [[], ["--splits", "oblique", "--density", 0.5], ["--shrink", 0.4]], ids=["axis", "oblique", "drawn"])
def test_shuffling_a_feature_costs_what_the_paper_pencil_says(tmp_path, kind, options):
    seed = 12345678901
    case = cases.make_case(kind, 5, n=25, p=3)
    model = helpers.fit(tmp_path, case, "--trees", 12, "--seed", seed, *options)
    text = helpers.run("importance", model, tmp_path / "items.csv", "--distances", tmp_path / "z.npy", "--permutation")
    got = {row["feature"]: row for row in helpers.read_table(text)}
    forest, about = helpers.export(model), json.loads(helpers.run("info", model, "--json"))
    forest["drawn"] = (about.get("shrinkage", 1), about.get("mean_distance", 0))
    expected = increases(forest, case, seed)
    scale = np.abs(expected).max() + 1e-12
    for f, column in enumerate(case.columns):
        values = expected[:, f]
        assert float(got[column.name]["importance"]) == pytest.approx(values.mean(), abs=1e-6 * scale)
        assert float(got[column.name]["se"]) == pytest.approx(values.std(ddof=1) / np.sqrt(len(values)), abs=1e-6 * scale)
    order = [float(row["importance"]) for row in helpers.read_table(text)]
    assert order == sorted(order, reverse=True)


def test_its_own_target_is_the_default(tmp_path):
    case = cases.make_case("mixed", 6, n=20, p=3)
    model = helpers.fit(tmp_path, case, "--trees", 10)
    items = tmp_path / "items.csv"
    given = helpers.run("importance", model, items, "--distances", tmp_path / "z.npy", "--permutation")
    assert helpers.run("importance", model, items, "--permutation") == given


# ---------------------------------------------------------------- two features together

@pytest.mark.parametrize("kind", ["mixed", "categories", "item weights, mixed"])
@pytest.mark.parametrize("options", [[], ["--splits", "oblique", "--density", 0.5]], ids=["axis", "oblique"])
def test_an_interaction_is_what_both_cost_less_what_each_does(tmp_path, kind, options):
    seed, top = 77, 3
    case = cases.make_case(kind, 8, n=25, p=4)
    case.min_parent, case.max_depth = 2, None
    model = helpers.fit(tmp_path, case, "--trees", 12, "--seed", seed, *options)
    words = "importance", model, tmp_path / "items.csv", "--distances", tmp_path / "z.npy", "--permutation"
    names = [column.name for column in case.columns]
    order = [names.index(row["feature"]) for row in helpers.read_table(helpers.run(*words))][:top]
    rows = helpers.read_table(helpers.run(*words, "--interactions", top))
    pairs = [(f, g) for k, g in enumerate(order) for f in order[:k]]
    forest = helpers.export(model)
    alone = increases(forest, case, seed)
    both = increases(forest, case, seed, [list(pair) for pair in pairs])
    scale = np.abs(both).max() + 1e-12
    assert len(rows) == len(pairs)
    for (f, g), together in zip(pairs, both.T):
        values = together - alone[:, f] - alone[:, g]
        row, = [r for r in rows if (r["feature"], r["with"]) == (names[f], names[g])]
        assert float(row["interaction"]) == pytest.approx(values.mean(), abs=1e-6 * scale)
        assert float(row["se"]) == pytest.approx(values.std(ddof=1) / np.sqrt(len(values)), abs=1e-6 * scale)
    sizes = [abs(float(row["interaction"])) for row in rows]
    assert sizes == sorted(sizes, reverse=True)
    told = json.loads(helpers.run(*words, "--interactions", top, "--json"))["interactions"]
    assert told == [{n: v if n in ("feature", "with") else float(v) for n, v in row.items()} for row in rows]


def test_features_that_no_tree_uses_together_do_nothing_together(tmp_path):
    case = cases.make_case("mixed", 4, n=30, p=3)
    case.max_depth = 1
    model = helpers.fit(tmp_path, case, "--trees", 20)
    rows = helpers.read_table(helpers.run("importance", model, tmp_path / "items.csv", "--permutation", "--interactions", 3))
    assert [(float(r["interaction"]), float(r["se"])) for r in rows] == [(0, 0)] * 3
