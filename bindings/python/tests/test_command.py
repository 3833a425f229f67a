"""Python and the command make the same models, byte for byte, and say the same of them."""

import csv
import json

import numpy as np
import pytest
from data import KINDS, features, known

import smerf
from smerf import _core, _methods


def write_table(path, header, rows):
    with open(path, "w", newline="") as file:
        csv.writer(file).writerows([header, *rows])


def with_nan(said):
    """What JSON says of scores, which has no NaN."""
    return {name: np.nan if value is None else value for name, value in said.items()}


def fit_both(command, kind, n=40, p=4, seed=3, words=(), **parameters):
    """The estimator, and what the command wrote for the same data, options and seed."""
    X = features(n, p, seed, missing=0.1)
    target, own, _ = known(kind, n, seed)
    names = [f"x{f}" for f in range(p)]
    header, rows, option = list(names), [["" if np.isnan(v) else repr(v) for v in row] for row in X.tolist()], []
    given = next(iter(target.values()))
    if kind == "distances":
        np.save(command.folder / "z.npy", given)
        option = ["--distances", "z.npy"]
    elif kind == "graph":
        edges = given.tocoo()
        write_table(
            command.folder / "edges.csv",
            ["source", "target"],
            [(i, j) for i, j in zip(edges.row, edges.col) if i < j],
        )
        option = ["--edges", "edges.csv"]
    elif kind == "pairs":
        write_table(command.folder / "pairs.csv", ["i", "j", "distance"], zip(*(part.tolist() for part in given)))
        option = ["--pairs", "pairs.csv", "--complete", "off"]
    else:
        columns = given.reshape(n, -1)
        header += ["y"] if columns.shape[1] == 1 else ["y0", "y1"]
        for row, values in zip(rows, columns.tolist()):
            row += values
        word = {"several": "response"}.get(kind, kind)
        option = [f"--{word}", ",".join(header[p:])]
    write_table(command.folder / "items.csv", header, rows)
    command("fit", "items.csv", *option, "--trees", 20, "--seed", seed, "-o", "model.smerf", "--quiet", *words)
    forest = smerf.DistanceForest(n_estimators=20, random_state=seed, **own, **parameters).fit(X, **target)
    return X, forest, command.folder / "model.smerf"


@pytest.mark.parametrize("kind", KINDS)
def test_models_are_the_same_to_the_byte(command, kind):
    X, forest, path = fit_both(command, kind)
    forest.save(command.folder / "own.smerf")
    assert (command.folder / "own.smerf").read_bytes() == path.read_bytes()
    np.save(command.folder / "queries.npy", X[:9])
    command("predict", "model.smerf", "queries.npy", "-o", "d.npy", "--quiet")
    np.testing.assert_array_equal(
        np.load(command.folder / "d.npy"), forest.distance(X[:9], out=np.empty((9, 9), np.float32))
    )


@pytest.mark.parametrize(
    "words, parameters",
    [
        (["--splits", "oblique"], {"splits": "oblique"}),
        (["--splits", "oblique", "--density", "0.5"], {"splits": "oblique", "density": 0.5}),
        (["--candidates", "p^0.5"], {"candidates": "p^0.5"}),
        (["--candidates", "2", "--min-parent", "6"], {"candidates": 2, "min_parent": 6}),
        (["--max-depth", "3", "--sample", "subsample:0.5"], {"max_depth": 3, "sample": "subsample:0.5"}),
        (["--sample", "none", "--candidates", "1"], {"sample": "none", "candidates": 1}),
        (["--oob-rule", "either", "--self-distance", "exclude"], {"oob_rule": "either", "self_distance": "exclude"}),
        (["--self-distance", "0.25"], {"self_distance": 0.25}),
        (["--shrink", "0.25"], {"shrink": 0.25}),
        (["--shrink", "off"], {"shrink": "off"}),
        (["--shrink", "auto"], {"shrink": "auto"}),
        (["--rank", "3"], {"rank": 3}),
    ],
)
def test_options_mean_the_same(command, words, parameters):
    _, forest, path = fit_both(command, "distances", words=words, **parameters)
    forest.save(command.folder / "own.smerf")
    assert (command.folder / "own.smerf").read_bytes() == path.read_bytes()
    again = smerf.load(path)
    own = {name: value for name, value in again.get_params().items() if name in parameters}
    assert own == {**parameters, **({"candidates": 2} if parameters.get("candidates") == "p^0.5" else {})}


def test_pandas_and_a_table_make_the_same_model(command):
    pd = pytest.importorskip("pandas")
    X = features(30, 2, 5, missing=0.1)
    colours = np.random.default_rng(0).choice(["red", "green", "blue", None], size=30)
    frame = pd.DataFrame({"a": X[:, 0], "b": X[:, 1], "colour": pd.Categorical(colours)})
    frame.index = pd.Index([f"item {i}" for i in range(30)], name="id")
    _, _, Z = known("distances", 30, 5)
    frame.to_csv(command.folder / "items.csv")
    pd.DataFrame(Z, index=frame.index[::-1], columns=frame.index[::-1]).to_csv(command.folder / "z.csv")
    command("fit", "items.csv", "--distances", "z.csv", "--trees", 10, "--seed", 4, "-o", "m.smerf", "--quiet")
    forest = smerf.DistanceForest(n_estimators=10, random_state=4)
    forest.fit(frame, Z=pd.DataFrame(Z, index=frame.index[::-1], columns=frame.index[::-1]))
    forest.save(command.folder / "own.smerf")
    assert (command.folder / "own.smerf").read_bytes() == (command.folder / "m.smerf").read_bytes()
    loaded = smerf.load(command.folder / "m.smerf")
    np.testing.assert_array_equal(loaded.distance(frame), forest.distance(frame))
    np.testing.assert_array_equal(loaded.distance(frame, oob=True), forest.oob_distance())


def test_gaps_and_condensed_vectors_are_read_alike(command):
    from scipy.spatial.distance import squareform

    X = features(25, 3, 8)
    _, _, Z = known("distances", 25, 8)
    np.save(command.folder / "x.npy", X)
    holes = np.triu(np.random.default_rng(1).random((25, 25)) < 0.3, 1)
    gappy = np.where(holes | holes.T, np.nan, Z)
    no_diagonal = Z.copy()
    np.fill_diagonal(no_diagonal, np.nan)
    for name, matrix in {"gappy": gappy, "condensed": squareform(Z, checks=False), "no_diagonal": no_diagonal}.items():
        np.save(command.folder / "z.npy", matrix)
        command("fit", "x.npy", "--distances", "z.npy", "--trees", 10, "--seed", 4, "-o", "m.smerf", "--quiet")
        smerf.DistanceForest(n_estimators=10, random_state=4).fit(X, Z=matrix).save(command.folder / "own.smerf")
        assert (command.folder / "own.smerf").read_bytes() == (command.folder / "m.smerf").read_bytes(), name


def test_tuning_tries_the_same_and_ends_with_the_same(command):
    X, Z = smerf.simulate("regression", 40)
    np.save(command.folder / "x.npy", X)
    np.save(command.folder / "z.npy", Z)
    told = command("tune", "x.npy", "--distances", "z.npy", "--trees", 20, "--seed", 2, "-o", "m.smerf", "--json")
    forest = smerf.DistanceForest(n_estimators=20, random_state=2).tune(X, Z)
    forest.save(command.folder / "own.smerf")
    assert (command.folder / "own.smerf").read_bytes() == (command.folder / "m.smerf").read_bytes()
    varied = ("splits", "candidates", "min_parent", "self_distance")
    found = forest.cv_results_
    tried = [{**setting, "rmse": rmse} for setting, rmse in zip(found["params"], found["rmse"])]
    assert json.loads(told)["tried"] == [{name: trial[name] for name in (*varied, "rmse")} for trial in tried]
    best = json.loads(told)["best"]
    assert forest.best_params_ == {name: best[name] for name in varied}


def test_the_papers_parameters_are_the_commands(command):
    X, Z = smerf.simulate("radial", 40)
    np.save(command.folder / "x.npy", X)
    np.save(command.folder / "z.npy", Z)
    for words, parameters in ([], {}), (["--paper"], smerf.paper()):
        command("fit", "x.npy", "--distances", "z.npy", "--trees", 5, "--seed", 2, *words, "-o", "m.smerf")
        smerf.DistanceForest(n_estimators=5, random_state=2, **parameters).fit(X, Z).save(command.folder / "own.smerf")
        assert (command.folder / "own.smerf").read_bytes() == (command.folder / "m.smerf").read_bytes()


@pytest.mark.parametrize("n", [40, 80])  # too few partners for map@10, and enough
def test_comparing_says_the_same(command, n):
    X, Z = smerf.simulate("radial", n)
    np.save(command.folder / "x.npy", X)
    np.save(command.folder / "z.npy", Z)
    words = ["--methods", "smerf,euclidean,mahalanobis", "--repeats", 2, "--trees", 10, "--tune", "no", "--json"]
    told = json.loads(command("compare", "x.npy", "--distances", "z.npy", *words))
    methods = ["smerf", "euclidean", "mahalanobis"]
    found = smerf.compare(X, Z, methods=methods, n_repeats=2, n_estimators=10, tune=False)
    assert [entry["method"] for entry in told["methods"]] == [row["method"] for row in found]
    for entry in told["methods"]:
        row = found[entry["method"]]
        for name, said in entry.items():
            if name != "method":
                np.testing.assert_equal({"mean": row[name], "se": row[f"{name}_se"]}, with_nan(said))
        assert np.isnan(row["map@10"]) == (n == 40)


@pytest.mark.parametrize(
    "method, estimator",
    [
        ("euclidean", smerf.Euclidean()),
        ("mahalanobis", smerf.Mahalanobis()),
        ("bilinear", smerf.Bilinear()),
        ("mean", smerf.Mean()),
        ("standardized", smerf.Standardized()),
        ("gower", smerf.Gower()),
        ("boost", smerf.Boost(most_rounds=30)),
        ("rfd", smerf.RandomForestDistance(n_estimators=10, n_pairs=300)),
        ("plugin", smerf.Plugin(n_estimators=10)),
        ("epm", smerf.EPM(n_factors=5, n_burn=20, n_draws=20)),
        ("narm", smerf.NARM(n_factors=5, n_burn=20, n_draws=20)),
    ],
)
def test_other_methods_make_the_same_models(command, method, estimator):
    X = features(24, 3, 6)
    kind = {"plugin": "response", "epm": "graph", "narm": "graph"}.get(method, "distances")
    target, _, _ = known(kind, 24, 6)
    given = next(iter(target.values()))
    rows, header, words = X.tolist(), ["x0", "x1", "x2"], []
    if kind == "distances":
        np.save(command.folder / "z.npy", given)
        words = ["--distances", "z.npy"]
    elif kind == "graph":
        edges = given.tocoo()
        write_table(command.folder / "e.csv", ["source", "target"], [(i, j) for i, j in zip(edges.row, edges.col) if i < j])
        words = ["--edges", "e.csv"]
    else:
        rows, header, words = [[*row, y] for row, y in zip(rows, given.tolist())], [*header, "y"], ["--response", "y"]
    write_table(command.folder / "items.csv", header, rows)
    own = {"n_estimators": "--trees", "n_pairs": "--sample-pairs", "n_factors": "--factors", "n_burn": "--burn", "n_draws": "--draws",
           "most_rounds": "--most-rounds"}
    for name, option in own.items():
        if name in estimator.get_params():
            words += [option, estimator.get_params()[name]]
    command("fit", "items.csv", *words, "--method", method, "--seed", 5, "-o", "m.smerf", "--quiet")
    estimator.set_params(random_state=5).fit(X, **target).save(command.folder / "own.smerf")
    assert (command.folder / "own.smerf").read_bytes() == (command.folder / "m.smerf").read_bytes()
    loaded = smerf.load(command.folder / "m.smerf")
    assert type(loaded) is type(estimator)
    np.testing.assert_array_equal(loaded.distance(X), estimator.distance(X))


def test_every_method_has_an_estimator():
    assert list(_methods.ESTIMATORS) == _core.METHODS
