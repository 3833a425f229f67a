"""--complete with --self-distance: the tree of the completed matrix with that diagonal, by brute force, and its predictions."""
import numpy as np
import pytest
import safetensors

import exported
import helpers
import oracle
from oracle import Column

N = 40
EXHAUSTIVE = ["--sample", "none", "--candidates", "all", "--trees", 1]


def draw(seed):
    """Items, and the distances of some of their pairs, with errors so that no two are equal; some z_ii are listed."""
    rng = np.random.default_rng(seed)
    x = rng.random((N, 3))
    z = ((x[:, None] - x[None]) ** 2).sum(axis=2) + rng.normal(0, 0.05, (N, N))
    z = np.tril(z) + np.tril(z, -1).T
    is_listed = np.tril(rng.random((N, N)) < 0.5)
    return [Column(f"x{k}", x[:, k].tolist()) for k in range(3)], z, is_listed | is_listed.T


def save(folder, columns, z, is_listed):
    helpers.save_items(folder / "items.csv", columns)
    lines = [f"{i},{j},{float(z[i, j])!r}" for i in range(N) for j in range(i + 1) if is_listed[i, j]]
    (folder / "pairs.csv").write_text("\n".join(["i,j,distance", *lines, ""]), encoding="utf-8")


def completed(model, z, is_listed):
    """What the model's arrays say of all pairs of different items: a_i + a_j - 2 sum scale_r u_ir u_jr where not listed."""
    with safetensors.safe_open(str(model), framework="numpy") as file:
        a, u, scale = (file.get_tensor(f"target.{name}") for name in ("a", "u", "scale"))
    u = u.reshape(N, -1)
    return np.where(is_listed, z, a[:, None] + a[None] - 2 * (u * scale) @ u.T)


@pytest.mark.parametrize("rank", [1, 3])
@pytest.mark.parametrize("self_distance", ["given", "0", "0.75", "-2"])
def test_a_completed_matrix_has_the_diagonal_that_is_set(self_distance, rank, tmp_path):
    columns, z, is_listed = draw(100 + rank)
    model = tmp_path / "m.smerf"
    save(tmp_path, columns, z, is_listed)
    helpers.run("fit", tmp_path / "items.csv", "--pairs", tmp_path / "pairs.csv", "--complete", rank,
                "--self-distance", self_distance, *EXHAUSTIVE, "-o", model)
    full = completed(model, z, is_listed)
    np.fill_diagonal(full, np.where(np.diag(is_listed), np.diag(z), 0) if self_distance == "given" else
                     float(self_distance))
    problem = oracle.Problem(columns, full, None, None, 2, None)
    nodes = oracle.grow(problem)
    assert not problem.ambiguities
    forest = helpers.export(model)
    assert exported.describe_difference(nodes, forest["trees"][0]["nodes"]) is None
    helpers.run("predict", model, tmp_path / "items.csv", "-o", tmp_path / "out.npy")
    tree = forest["trees"][0]
    expected = exported.tree_predictions(tree, forest["features"], full, np.ones(N), columns, columns)
    helpers.assert_close(np.load(tmp_path / "out.npy"), expected, np.abs(full).max())


def test_the_diagonal_is_exact_where_leaves_are_single_items(tmp_path):
    columns, z, is_listed = draw(7)
    save(tmp_path, columns, z, is_listed)
    helpers.run("fit", tmp_path / "items.csv", "--pairs", tmp_path / "pairs.csv", "--complete", 2, "--self-distance", 0.3,
                "--sample", "none", "--trees", 8, "-o", tmp_path / "m.smerf")
    out = helpers.run("predict", tmp_path / "m.smerf", tmp_path / "items.csv")
    predicted = np.array([row[-N:] for row in helpers.read_rows(out)[-N:]], dtype=float)
    assert (np.diag(predicted) == 0.3).all()


def test_distances_near_the_end_of_float32_can_be_filled_in(tmp_path):
    """What the completion says of a known pair may be further off than a distance can be."""
    columns, _, is_listed = draw(8)
    rng = np.random.default_rng(8)
    z = 3.4e38 * rng.choice([-1, 1], (N, N))
    save(tmp_path, columns, np.tril(z) + np.tril(z, -1).T, is_listed)
    for complete in ("auto", 3):
        helpers.run("fit", tmp_path / "items.csv", "--pairs", tmp_path / "pairs.csv", "--complete", complete,
                    "--trees", 5, "-o", tmp_path / "m.smerf")
        out = helpers.run("predict", tmp_path / "m.smerf", tmp_path / "items.csv")
        assert "nan" not in out.lower() and "inf" not in out.lower()
