"""What `fit` does when nothing is said: it is what the options that it stands for do, no worse than guessing the mean on data that
nobody here made, and as good as scikit-learn's defaults. (experiments/defaults.py measures that on many more.)"""
import csv
import io
import json
import math

import numpy as np
import pytest
from sklearn import datasets
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

import helpers

TREES = 60


def write_items(path, x, y=None):
    """Columns x0, x1, ..., and y, if it is given."""
    names = [f"x{k}" for k in range(x.shape[1])]
    rows = [[repr(float(v)) for v in row] for row in x]
    if y is not None:
        names, rows = [*names, "y"], [[*row, str(v)] for row, v in zip(rows, y)]
    path.write_text("\n".join(map(",".join, [names, *rows])) + "\n")


# ---------------------------------------------------------------- what the words stand for

N, P = 30, 25
KINDS = {  # the target, candidates of 25 features, and self-distance
    "distances": ("--distances z.npy", 20, "exclude"), "similarities": ("--similarities z.npy", 20, "exclude"),
    "pairs": ("--pairs pairs.csv --complete off", 20, "exclude"), "filled in": ("--pairs pairs.csv --complete 1", 20, "exclude"),
    "chosen": ("--pairs pairs.csv", 20, "exclude"), "rank": ("--distances z.npy --rank 2", 20, "exclude"),
    "graph": ("--edges edges.csv", 12, "exclude"), "observed": ("--edges edges.csv --observed pairs.csv", 12, "exclude"),
    "labels": ("--labels y", 5, "given"), "response": ("--response y", 12, "given"), "absolute": ("--absolute y", 12, "given"),
    "product": ("--product y", 12, "given"), "rank of products": ("--product y --rank 1", 12, "given"),
}  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place, rng = tmp_path_factory.mktemp("defaults"), np.random.default_rng(4)
    x = rng.normal(size=(N, P))
    y = np.round(x[:, 0] + rng.normal(size=N)).astype(int)
    write_items(place / "items.csv", x, y)
    apart = np.abs(y[:, None] - y[None, :]) + 0.1 * np.abs(x[:, :1] - x[:, :1].T)
    np.save(place / "z.npy", apart)
    i, j = np.triu_indices(N, 1)
    known, linked = rng.random(len(i)) < 0.5, apart[i, j] < 0.5
    lines = [f"{a},{b},{d!r}" for a, b, d in zip(i[known], j[known], apart[i, j][known].tolist())]
    (place / "pairs.csv").write_text("\n".join(["i,j,distance", *lines]) + "\n")
    (place / "edges.csv").write_text("\n".join(["source,target", *(f"{a},{b}" for a, b in zip(i[linked], j[linked]))]) + "\n")
    return place


def learn(folder, target, *options, command="fit"):
    words = [folder / word if "." in word else word for word in target.split()]
    ignored = [] if "y" in words else ["--ignore", "y"]
    return [command, folder / "items.csv", *words, *ignored, "--trees", 4, *options]


def model_of(folder, target, *options):
    helpers.plain_run(*learn(folder, target, *options, "-o", folder / "model"))
    return (folder / "model").read_bytes()


@pytest.mark.parametrize("kind", KINDS)
def test_a_default_fit_is_that_with_its_choices_written_down(kind, folder):
    target, candidates, own = KINDS[kind]
    default = model_of(folder, target)
    info = json.loads(helpers.plain_run("info", folder / "model", "--json"))
    assert (info["candidates"], info["self_distance"]) == (candidates, own)
    assert default == model_of(folder, target, "--candidates", candidates, "--self-distance", own)
    assert default == model_of(folder, target, "--candidates", "auto", "--self-distance", "auto", "--shrink", "auto")
    assert default != model_of(folder, target, "--shrink", "off") and info["shrink"] == "auto"


@pytest.mark.parametrize("kind", KINDS)
def test_paper_is_one_word_for_the_papers_options(kind, folder):
    target, _, _ = KINDS[kind]
    assert model_of(folder, target, "--paper") == model_of(folder, target, "--candidates", 20, "--self-distance", "given", "--shrink", "off")


@pytest.mark.parametrize("p, candidates", [(1, 1), (7, 7), (20, 20), (21, 20), (54, 20), (55, 21), (100, 32)])
def test_the_papers_candidates_are_all_of_few_features(p, candidates, tmp_path):
    write_items(tmp_path / "items.csv", np.random.default_rng(p).normal(size=(6, p)), "aabbcc")
    helpers.plain_run("fit", tmp_path / "items.csv", "--labels", "y", "--paper", "--trees", 2, "-o", tmp_path / "model")
    assert json.loads(helpers.plain_run("info", tmp_path / "model", "--json"))["candidates"] == candidates


def test_what_is_given_counts_beside_paper(folder):
    both = model_of(folder, "--labels y", "--paper", "--candidates", 3, "--self-distance", "exclude")
    assert both == model_of(folder, "--labels y", "--candidates", 3, "--self-distance", "exclude", "--shrink", "off")
    paper = model_of(folder, "--labels y", "--paper", "--candidates", "auto", "--shrink", "auto")
    assert paper == model_of(folder, "--labels y")
    assert "means nothing to the method 'rfd'" in helpers.refused(*learn(folder, "--labels y", "--paper", "--method", "rfd", "-o", "no"))


@pytest.mark.parametrize("kind", ["distances", "labels", "graph"])
def test_an_estimate_is_about_the_choices(kind, folder):
    target, candidates, own = KINDS[kind]
    spelled = ["--candidates", candidates, "--self-distance", own]
    memory = [json.loads(helpers.plain_run(*learn(folder, target, "--estimate", "--json", *options)))["bytes"]
              for options in ([], spelled)]
    assert memory[0] == memory[1] > 0


@pytest.mark.parametrize("kind, selves", [("distances", ["given", "exclude"]), ("labels", ["given", "exclude"]),
                                          ("response", ["given", "exclude"]), ("pairs", ["given", "exclude"]),
                                          ("graph", ["given", "exclude", 1]), ("observed", ["given", "exclude", 1])])
def test_tune_tries_self_distances_for_every_target(kind, selves, folder):
    only = ["--metric", "rmse", "--candidates", 2, "--min-parent", 2, "--splits", "axis", "--json", "-o", folder / "tuned"]
    line = learn(folder, KINDS[kind][0], *only, command="tune")
    tried = json.loads(helpers.plain_run(*line))["tried"]
    assert [trial["self_distance"] for trial in tried] == selves
    assert len(json.loads(helpers.plain_run(*line, "--self-distance", "auto"))["tried"]) == 1
    assert len(json.loads(helpers.plain_run(*line, "--paper"))["tried"]) == 1


# ---------------------------------------------------------------- how good it is

def divisions(n, n_repeats=6):
    for repeat in range(n_repeats):
        order = np.random.default_rng(repeat).permutation(n)
        yield repeat, np.sort(order[: 3 * n // 4]), np.sort(order[3 * n // 4 :])


def rmse_over_guess(folder, x, z, train, test, *options):
    """Of the distances among unseen items: RMSE as a fraction of what guessing the mean has."""
    write_items(folder / "train.csv", x[train])
    write_items(folder / "test.csv", x[test])
    np.save(folder / "train.npy", z[np.ix_(train, train)])
    np.save(folder / "test.npy", z[np.ix_(test, test)])
    helpers.plain_run("fit", folder / "train.csv", "--distances", folder / "train.npy", "--trees", TREES, "-o", folder / "model", *options)
    line = ("evaluate", folder / "model", folder / "test.csv", "--distances", folder / "test.npy", "--metrics", "rmse", "--json")
    mean = np.nanmean(z[np.ix_(train, train)][np.triu_indices(len(train), 1)])
    unseen = z[np.ix_(test, test)][np.triu_indices(len(test), 1)]
    return json.loads(helpers.plain_run(*line))["rmse"] / math.sqrt(np.nanmean((unseen - mean) ** 2))


def noise(n=40):
    """Distances that have nothing to do with the features: the mean is all there is to know."""
    rng = np.random.default_rng(9)
    z = np.triu(rng.random((n, n)), 1)
    return rng.normal(size=(n, 6)), z + z.T


def random_pairs(n=40):
    """Noise of which six in ten pairs are known."""
    x, z = noise(n)
    gaps = np.triu(np.random.default_rng(11).random((n, n)) < 0.4, 1)
    return x, np.where(gaps | gaps.T, np.nan, z)


def half_known(n=36):
    """An additive distance under as much noise."""
    rng = np.random.default_rng(10)
    x, (_, z) = rng.normal(size=(n, 5)), noise(n)
    return x, np.abs(x[:, :1] - x[:, :1].T) * 0.15 + z


def linnerud():
    """How different three body measures of twenty men are, by what exercises they do."""
    x, y = datasets.load_linnerud(return_X_y=True)
    y = (y - y.mean(0)) / y.std(0)
    return x, np.sqrt(((y[:, None] - y[None, :]) ** 2).sum(2))


def wine():
    """The last five measures of a wine, by the first eight."""
    x, _ = datasets.load_wine(return_X_y=True)
    y = (x - x.mean(0)) / x.std(0)
    return x[:, :8], np.abs(y[:, None, 8:] - y[None, :, 8:]).sum(2)


def means_over_guess(folder, make, *options):
    x, z = make()
    found = [rmse_over_guess(folder, x, z, train, test, *options) for _, train, test in divisions(len(x))]
    return np.mean(found), np.std(found, ddof=1) / math.sqrt(len(found))


@pytest.mark.parametrize("make", [half_known, wine])
def test_distances_are_not_worse_than_the_mean(make, tmp_path):
    mean, error = means_over_guess(tmp_path, make)
    assert mean < 1 + 2 * error


@pytest.mark.parametrize("make, gain", [(noise, 0.02), (linnerud, 0.1), (random_pairs, 0.01)])
def test_where_there_is_nothing_to_learn_a_default_fit_is_no_worse_than_the_mean(make, gain, tmp_path):
    """A forest learns some noise, and leaves of one item say that two others in them are at no distance. The first is drawn towards
    the mean, the second left out."""
    default, error = means_over_guess(tmp_path, make)
    paper, _ = means_over_guess(tmp_path, make, "--paper")
    assert default < 1 + 2 * error + 0.005
    assert default < paper - gain


def test_labels_and_responses_without_a_meaning_are_no_worse_than_the_mean_either(tmp_path):
    rng = np.random.default_rng(12)
    x, found = rng.normal(size=(60, 5)), {"labels": [], "response": []}
    for repeat in range(8):
        for kind, y in [("labels", rng.choice(["a", "b", "c"], 60)), ("response", rng.normal(size=60))]:
            write_items(tmp_path / "train.csv", x[:40], y[:40])
            write_items(tmp_path / "test.csv", x[40:], y[40:])
            helpers.plain_run("fit", tmp_path / "train.csv", f"--{kind}", "y", "--trees", TREES, "--seed", repeat, "-o", tmp_path / "model")
            line = ("evaluate", tmp_path / "model", tmp_path / "test.csv", f"--{kind}", "y", "--metrics", "rmse", "--json")
            apart = (y[:, None] != y[None, :]).astype(float) if kind == "labels" else 0.5 * (y[:, None] - y[None, :])**2
            i, j = np.triu_indices(40, 1)
            a, b = np.triu_indices(20, 1)
            guess = math.sqrt(np.mean((apart[40 + a, 40 + b] - apart[i, j].mean())**2))
            found[kind].append(json.loads(helpers.plain_run(*line))["rmse"] / guess)
    for ratios in found.values():
        assert np.mean(ratios) < 1 + 2 * np.std(ratios, ddof=1) / math.sqrt(8) + 0.005


VALUES = {"iris": datasets.load_iris, "wine": datasets.load_wine, "breast cancer": datasets.load_breast_cancer,
          "diabetes": datasets.load_diabetes}


def value_score(predicted, true):
    if isinstance(true[0], str):
        return float(np.mean(np.asarray(predicted) == true))
    return float(1 - np.mean((np.asarray(predicted, dtype=float) - true) ** 2) / np.var(true))


@pytest.mark.parametrize("name", VALUES)
def test_labels_and_responses_are_as_good_as_scikit_learns(name, tmp_path):
    x, y = VALUES[name](return_X_y=True)
    is_response = name == "diabetes"
    y = y.astype(float) if is_response else np.array([f"c{v}" for v in y])
    forest = RandomForestRegressor if is_response else RandomForestClassifier
    differences = []
    for repeat, train, test in divisions(len(x)):
        write_items(tmp_path / "train.csv", x[train], y[train])
        write_items(tmp_path / "test.csv", x[test])
        helpers.plain_run("fit", tmp_path / "train.csv", "--response" if is_response else "--labels", "y", "--trees", TREES, "--seed",
                          repeat, "-o", tmp_path / "model")
        rows = csv.DictReader(io.StringIO(helpers.plain_run("predict", tmp_path / "model", tmp_path / "test.csv", "--values")))
        ours = value_score([row["y" if is_response else "label"] for row in rows], y[test])
        theirs = value_score(forest(TREES, random_state=repeat).fit(x[train], y[train]).predict(x[test]), y[test])
        differences.append(ours - theirs)
    assert np.mean(differences) > -2 * np.std(differences, ddof=1) / math.sqrt(len(differences)) - 0.005
