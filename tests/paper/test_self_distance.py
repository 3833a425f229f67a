"""--self-distance: a number sets every z_ii; exclude leaves the pairs (i, i) out of h(l, l)."""
import numpy as np
import pytest

import cases
import exported
import helpers


def subtree_members(nodes, k):
    if "leaf" in nodes[k]:
        return list(nodes[k]["members"])
    return subtree_members(nodes, nodes[k]["left"]) + subtree_members(nodes, nodes[k]["right"])


def mean_apart(members, z, weights):
    total = sum_of_weights = 0.0
    for i, draws in members:
        for j, other in members:
            if i != j:
                w = draws * weights[i] * other * weights[j]
                total, sum_of_weights = total + w * z[i, j], sum_of_weights + w
    return total / sum_of_weights if sum_of_weights else np.nan


def self_distances(tree, z, weights):
    """h(l, l) by leaf: its own pairs, or those of the nearest ancestor that has some."""
    nodes, found = tree["nodes"], {}

    def visit(k, inherited):
        here = mean_apart(subtree_members(nodes, k), z, weights)
        here = inherited if np.isnan(here) else here
        if "leaf" in nodes[k]:
            found[nodes[k]["leaf"]] = here
        else:
            visit(nodes[k]["left"], here)
            visit(nodes[k]["right"], here)

    visit(0, np.nan)
    return found


def predict_excluding(forest, case):
    z = exported.rounded(case.distances)
    weights = np.ones(case.n) if case.item_weights is None else np.asarray(case.item_weights, float)
    layers = []
    for tree in forest["trees"]:
        h = exported.leaf_distances(tree, z, weights).copy()
        for leaf, value in self_distances(tree, z, weights).items():
            h[leaf, leaf] = value
        leaves = np.array(exported.route(tree, forest["features"], case.columns))
        layers.append(h[np.ix_(leaves, leaves)])
    return np.nanmean(layers, axis=0)


@pytest.mark.parametrize("kind", ["mixed", "non-zero diagonal, mixed", "item weights, mixed"])
@pytest.mark.parametrize("min_parent, max_depth", [(2, None), (6, None), (2, 2)], ids=["full", "larger leaves", "shallow"])
def test_exclude_asks_pairs_of_different_items(tmp_path, kind, min_parent, max_depth):
    case = cases.make_case(kind, 11, n=24, p=3)
    case.min_parent, case.max_depth = min_parent, max_depth
    model = helpers.fit(tmp_path, case, "--trees", 15, "--self-distance", "exclude")
    helpers.run("predict", model, tmp_path / "items.csv", "-o", tmp_path / "out.npy")
    got, expected = np.load(tmp_path / "out.npy"), predict_excluding(helpers.export(model), case)
    helpers.assert_close(got, expected, np.abs(case.distances).max())


def test_exclude_grows_the_trees_that_given_grows(tmp_path):
    case = cases.make_case("non-zero diagonal, mixed", 12, n=30, p=3)
    given = helpers.export(helpers.fit(tmp_path, case, "--trees", 10, name="given"))
    excluded = helpers.export(helpers.fit(tmp_path, case, "--trees", 10, "--self-distance", "exclude", name="excluded"))
    assert given == excluded


def test_a_number_is_a_matrix_with_that_diagonal(tmp_path):
    case = cases.make_case("mixed", 13, n=30, p=3)
    set_by_option = helpers.export(helpers.fit(tmp_path, case, "--trees", 10, "--self-distance", "0.1", name="option"))
    np.fill_diagonal(case.distances, 0.1)
    np.save(tmp_path / "filled.npy", case.distances)
    set_in_matrix = helpers.export(helpers.fit(tmp_path, case, "--trees", 10, name="matrix", z="filled.npy"))
    assert set_by_option == set_in_matrix


def test_pairs_and_rows_agree(tmp_path):
    case = cases.make_case("mixed", 14, n=15, p=3)
    model = helpers.fit(tmp_path, case, "--trees", 10, "--self-distance", "exclude")
    helpers.run("predict", model, tmp_path / "items.csv", "-o", tmp_path / "all.csv")
    matrix, _, _ = helpers.read_matrix(tmp_path / "all.csv", case.n, case.n)
    listed = [(i, j) for i in range(case.n) for j in range(case.n)]
    (tmp_path / "pairs.csv").write_text("i,j\n" + "".join(f"{i},{j}\n" for i, j in listed))
    rows = helpers.read_table(helpers.run("predict", model, tmp_path / "items.csv", "--pairs", tmp_path / "pairs.csv"))
    assert [float(row["distance"]) for row in rows] == [matrix[i, j] for i, j in listed]
