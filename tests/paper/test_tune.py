"""tune tries the paper's grid, scores it out of bag, and writes the model that fit writes with the best setting."""
import json
import math

import numpy as np
import pytest

import cases
import helpers
from oracle import Column


def tune(folder, *options):
    return json.loads(helpers.run("tune", folder / "items.csv", "--distances", folder / "z.npy", "-o", folder / "tuned.smerf",
                                  "--json", "--quiet", *options))


def refit(folder, setting, *options, name="again"):
    model = folder / f"{name}.smerf"
    helpers.run("fit", folder / "items.csv", "--distances", folder / "z.npy", "-o", model, "--splits", setting["splits"],
                "--candidates", setting["candidates"], "--min-parent", setting["min_parent"], *options)
    return model


def out_of_bag(folder, model, metric):
    text = helpers.run("evaluate", model, folder / "items.csv", "--oob", "--metrics", metric)
    return helpers.read_scores(text)[metric]


@pytest.fixture
def folder(tmp_path):
    case = cases.make_case("mixed", 21, n=30, p=5)
    case.item_weights = None
    helpers.save_case(tmp_path, case)
    return tmp_path


def settings(result):
    return [(s["splits"], s["candidates"], s["min_parent"]) for s in result["tried"]]


def expected_grid(p):
    powers = {"axis": [0.25, 0.5, 0.75, 1], "oblique": [0.25, 0.5, 0.75, 1, 1.5]}
    grid = []
    for splits, exponents in powers.items():
        for d in dict.fromkeys(math.ceil(p**e - 1e-9) for e in exponents):
            grid += [(splits, d, m) for m in (2, 4, 8)]
    return grid


def test_the_grid_is_the_papers(folder):
    assert settings(tune(folder, "--trees", 5)) == expected_grid(5)


def test_the_grid_of_twenty_features(tmp_path):
    helpers.run("simulate", "radial", "-n", 12, "-o", tmp_path)
    (tmp_path / "distances.npy").rename(tmp_path / "z.npy")
    assert settings(tune(tmp_path, "--trees", 5)) == expected_grid(20)
    assert {d for _, d, _ in expected_grid(20)} == {3, 5, 10, 20, 90}


def test_what_would_take_too_long_is_listed_once(tmp_path):
    """Self-distances that grow the same trees come again when settings are listed."""
    n, p = 12, 4100  # p^1.5 directions of p features are over 1e9 numbers
    rng = np.random.default_rng(4)
    columns = [Column(f"x{k}", values.tolist()) for k, values in enumerate(rng.integers(0, 9, size=(p, n)))]
    helpers.save_items(tmp_path / "items.csv", [*columns, Column("y", rng.normal(size=n).tolist())])
    told = json.loads(helpers.plain_run("tune", tmp_path / "items.csv", "--response", "y", "-o", tmp_path / "m.smerf", "--json",
                                        "--quiet", "--trees", 3))
    left_out = [tuple(setting.values()) for setting in told["not_tried"]]
    directions = math.ceil(p**1.5)
    assert left_out == [("oblique", directions, m, own) for m in (2, 4, 8) for own in ("given", "exclude")]


def test_what_is_given_does_not_vary(folder):
    assert settings(tune(folder, "--trees", 5, "--splits", "axis", "--candidates", 2)) == [("axis", 2, m) for m in (2, 4, 8)]
    assert settings(tune(folder, "--trees", 5, "--splits", "axis", "--candidates", 2, "--min-parent", 3)) == [("axis", 2, 3)]


@pytest.mark.parametrize("metric, best", [("rmse", min), ("spearman", max), ("map@10", max)])
def test_scores_are_out_of_bag_and_the_best_wins(folder, metric, best):
    result = tune(folder, "--trees", 20, "--metric", metric)
    scores = [s[metric] for s in result["tried"]]
    assert result["best"] == result["tried"][scores.index(best(scores))]
    for setting in result["tried"]:
        model = refit(folder, setting, "--trees", 20)
        assert out_of_bag(folder, model, metric) == setting[metric]


@pytest.mark.parametrize("options", [[], ["--sample", "subsample:0.6"], ["--oob-rule", "either", "--max-depth", 4]],
                         ids=["bootstrap", "subsample", "either, shallow"])
def test_the_model_has_the_bytes_of_fit(folder, options):
    for min_parent in ([], ["--min-parent", 8]):
        result = tune(folder, "--trees", 20, *options, *min_parent)
        model = refit(folder, result["best"], "--trees", 20, *options)
        assert model.read_bytes() == (folder / "tuned.smerf").read_bytes()


def test_the_table_marks_the_best(folder):
    text = helpers.run("tune", folder / "items.csv", "--distances", folder / "z.npy", "-o", folder / "tuned.smerf",
                       "--trees", 5, "--quiet")
    lines = text.splitlines()
    assert lines[0].split() == ["splits", "candidates", "min-parent", "rmse"]
    assert len(lines) == 1 + len(expected_grid(5))
    assert sum(line.endswith("<- best") for line in lines) == 1
