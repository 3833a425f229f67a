"""The paper's estimate for a response that is known: regression forest means and a residual variance, plugged in."""
import numpy as np
import pytest

import helpers
from oracle import Column


def make_items(folder, rng, n, weights=None, name="items.csv"):
    x = rng.normal(size=(n, 3))
    kind = rng.choice(["a", "b", "c"], n)
    y = np.column_stack([np.sin(x[:, 0]) + (kind == "a") + 0.3 * rng.normal(size=n), x[:, 1] + rng.normal(size=n)])
    x[rng.random(x.shape) < 0.05] = np.nan
    columns = [Column(f"x{k}", [None if np.isnan(v) else v for v in x[:, k]]) for k in range(3)]
    columns += [Column("kind", kind.tolist(), "category"), Column("y", y[:, 0].tolist()), Column("v", y[:, 1].tolist())]
    helpers.save_items(folder / name, columns, weights=weights)
    return y


def values(folder, model, items, *options):
    _, *rows = helpers.read_rows(helpers.run("predict", model, folder / items, "--values", *options))
    return np.array([[helpers.to_number(cell) for cell in row[1:]] for row in rows])


@pytest.mark.parametrize("names", [["y"], ["y", "v"]])
@pytest.mark.parametrize("options", [[], ["--splits", "oblique"], ["--sample", "subsample:0.6"]])
@pytest.mark.parametrize("n_trees", [3, 40])
def test_distances_are_half_squared_differences_of_means_and_the_residual_variance(names, options, n_trees, tmp_path):
    rng = np.random.default_rng(1)
    y = make_items(tmp_path, rng, 60)[:, : len(names)]
    make_items(tmp_path, rng, 20, name="new.csv")
    words = [tmp_path / "items.csv", "--response", ",".join(names), "--trees", n_trees, *options]
    ignored = ["--ignore", "v"] if len(names) == 1 else []
    forest, plugin = tmp_path / "forest.smerf", tmp_path / "plugin.smerf"
    helpers.plain_run("fit", *words, *ignored, "-o", forest)
    helpers.run("fit", *words, *ignored, "--method", "plugin", "-o", plugin)

    residuals = values(tmp_path, forest, "items.csv", "--oob") - y
    variance = np.nanmean((residuals ** 2).sum(axis=1))  # an item that every tree has seen has none
    mean = values(tmp_path, forest, "new.csv")
    expected = ((mean[:, None, :] - mean[None, :, :]) ** 2).sum(axis=2) / 2 + variance
    helpers.run("predict", plugin, tmp_path / "new.csv", "-o", tmp_path / "predicted.csv")
    found, _, _ = helpers.read_matrix(tmp_path / "predicted.csv", 20, 20)
    assert np.allclose(found, expected, rtol=1e-12)


def test_other_targets_and_whole_samples_are_refused(tmp_path):
    make_items(tmp_path, np.random.default_rng(2), 20)
    items, out = tmp_path / "items.csv", ["-o", tmp_path / "m.smerf", "--method", "plugin"]
    assert "needs a response" in helpers.refused("fit", items, "--labels", "kind", *out)
    assert "residual" in helpers.refused("fit", items, "--response", "y", "--sample", "none", *out)
