"""Predicted distances are drawn towards their mean, z' = m + s (z - m): s is the slope that out-of-bag trees, asked one by one, give;
parts of a forest give that of the whole; and every way to a distance, of every kind of target, has it."""
import csv
import io
import json
import math
import struct

import numpy as np
import pytest

import helpers

N, P = 24, 3
TARGETS = {"distances": "--distances z.npy", "rank": "--distances z.npy --rank 2", "pairs": "--pairs pairs.csv --complete off",
           "completed": "--pairs pairs.csv --complete 1", "graph": "--edges edges.csv", "observed": "--edges edges.csv --observed pairs.csv",
           "labels": "--labels y", "response": "--response v", "absolute": "--absolute v", "product": "--product v"}  # fmt: skip


def write_table(path, header, rows):
    path.write_text("\n".join([header, *(",".join(map(str, row)) for row in rows)]) + "\n")


def write_data(place, n, seed, signal=0.0):
    """Items, and targets of all kinds that have little or nothing to do with them."""
    rng = np.random.default_rng(seed)
    x, v = rng.normal(size=(n, P)), rng.normal(size=n)
    z = np.triu(rng.random((n, n)), 1) + signal * np.abs(x[:, :1] - x[:, :1].T)
    z = np.triu(z, 1).astype(np.float32)
    np.save(place / "z.npy", z + z.T)
    y = rng.integers(0, 3, n)
    write_table(place / "items.csv", "x0,x1,x2,v,y", [[*map(repr, map(float, row)), repr(float(b)), f"c{c}"] for row, b, c in zip(x, v, y)])
    i, j = np.triu_indices(n, 1)
    known, linked = rng.random(len(i)) < 0.6, rng.random(len(i)) < 0.3
    write_table(place / "pairs.csv", "i,j,distance", [(a, b, repr(float(z[a, b]))) for a, b in zip(i[known], j[known])])
    write_table(place / "edges.csv", "source,target", [(a, b) for a, b in zip(i[linked & known], j[linked & known])])
    return (z + z.T).astype(float)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("shrinkage")
    write_data(place, N, 3)
    return place


def learn(folder, target, *options, name="model"):
    words = [folder / word if "." in word else word for word in TARGETS[target].split()]
    ignored = [word for word in ("y", "v") if word not in words]
    helpers.plain_run("fit", folder / "items.csv", *words, "--ignore", ",".join(ignored), *options, "-o", folder / name)
    return folder / name


def about(model):
    return json.loads(helpers.plain_run("info", model, "--json"))


# ---------------------------------------------------------------- the slope, tree by tree

def counts(tree, n):
    return (tree < 64 or tree % 8 == 0) if n <= 64 else (tree < 32 or tree % 16 == 0)


def arrays(model):
    """The arrays shrink.* of a model file."""
    data = model.read_bytes()
    length = struct.unpack("<Q", data[:8])[0]
    header, kinds = json.loads(data[8:8 + length]), {"U32": "<u4", "U64": "<u8", "F64": "<f8"}
    return {name[7:]: np.frombuffer(data[8 + length + e["data_offsets"][0]: 8 + length + e["data_offsets"][1]], kinds[e["dtype"]])
            for name, e in header.items() if name.startswith("shrink.")}


def said_by_trees(folder, target, pairs, n_trees, n):
    """What each tree that counts says of pairs that it has not seen, from forests of one tree: [trees][pairs], NaN where it has."""
    write_table(folder / "asked.csv", "i,j", pairs)
    said = []
    for tree in range(n_trees):
        if counts(tree, n):
            model = learn(folder, target, "--trees", f"{tree}:{tree + 1}", "--shrink", "off", name="tree")
            out = helpers.plain_run("predict", model, folder / "items.csv", "--pairs", folder / "asked.csv", "--oob")
            said.append([float(row["distance"] or "nan") for row in csv.DictReader(io.StringIO(out))])
    return np.array(said)


def slope_and_error(said, truth, pairs, mean, n_trees, n):
    """By the text: covariance over the square of what a forest of n_trees says, both summed over pairs; jackknifed over items."""
    covariance, square = np.zeros(len(pairs)), np.zeros(len(pairs))
    for p in range(len(pairs)):
        f = said[~np.isnan(said[:, p]), p] - mean
        if len(f) < 2:
            continue
        between = np.mean([f[a] * f[b] for a in range(len(f)) for b in range(len(f)) if a != b])
        covariance[p] = (truth[p] - mean) * f.mean()
        square[p] = between + (np.mean(f**2) - between) / n_trees
    slope = covariance.sum() / square.sum()
    rest = [sum(covariance[p] - slope * square[p] for p in range(len(pairs)) if item in pairs[p]) for item in range(n)]
    return slope, math.sqrt(sum(r**2 for r in rest)) / square.sum()


@pytest.mark.parametrize("target", ["distances", "pairs", "labels"])
def test_the_slope_is_that_of_trees_asked_one_by_one(target, folder):
    n_trees = 80
    model = learn(folder, target, "--trees", n_trees)
    found, kept = about(model), arrays(model)
    pairs = list(zip(kept["left"].tolist(), kept["right"].tolist()))
    assert len(set(pairs)) == len(pairs) and all(a < b for a, b in pairs)
    assert target == "pairs" or len(pairs) == N * (N - 1) // 2
    said = said_by_trees(folder, target, pairs, n_trees, N)
    assert kept["n_trees"].tolist() == np.sum(~np.isnan(said), axis=0).tolist()
    slope, error = slope_and_error(said, kept["truth"], pairs, found["mean_distance"], n_trees, N)
    assert found["out_of_bag_slope"] == pytest.approx(slope, rel=1e-4)
    assert found["slope_error"] == pytest.approx(error, rel=1e-4)
    is_drawn = slope < 0.75 and slope + error / 2 < 1
    assert found["shrinkage"] == (max(found["out_of_bag_slope"], 0.02) if is_drawn else 1)


def test_of_many_pairs_some_are_drawn(tmp_path):
    n, n_trees = 70, 48
    z = write_data(tmp_path, n, 5)
    model = learn(tmp_path, "distances", "--trees", n_trees)
    found, kept = about(model), arrays(model)
    pairs = list(zip(kept["left"].tolist(), kept["right"].tolist()))
    assert len(pairs) == len(set(pairs)) == 1000 and pairs == sorted(pairs)
    assert kept["truth"].tolist() == [z[a, b] for a, b in pairs]
    assert np.bincount(np.array(pairs).ravel(), minlength=n).min() > 10  # all items have their share
    assert found["mean_distance"] == pytest.approx(z[np.triu_indices(n, 1)].mean(), rel=1e-12)
    slope, error = slope_and_error(said_by_trees(tmp_path, "distances", pairs, n_trees, n), kept["truth"], pairs, found["mean_distance"], n_trees, n)
    assert (found["out_of_bag_slope"], found["slope_error"]) == pytest.approx((slope, error), rel=1e-4)


def test_the_mean_is_that_of_the_known_distances_by_weight(tmp_path):
    z = write_data(tmp_path, N, 8)
    weight = 1 + np.arange(N) % 5
    lines = (tmp_path / "items.csv").read_text().splitlines()
    (tmp_path / "items.csv").write_text("\n".join([lines[0] + ",w", *(f"{row},{w}" for row, w in zip(lines[1:], weight))]) + "\n")
    i, j = np.triu_indices(N, 1)
    model = learn(tmp_path, "distances", "--trees", 3, "--item-weights", "w")
    assert about(model)["mean_distance"] == pytest.approx(np.average(z[i, j], weights=weight[i] * weight[j]), rel=1e-12)
    known = [row.split(",") for row in (tmp_path / "pairs.csv").read_text().splitlines()[1:]]
    (tmp_path / "items.csv").write_text("\n".join(lines) + "\n")
    model = learn(tmp_path, "pairs", "--trees", 3)
    assert about(model)["mean_distance"] == pytest.approx(np.mean([float(row[2]) for row in known]), rel=1e-12)


# ---------------------------------------------------------------- where it is drawn, and where it is not

def test_distances_that_are_learned_are_not_drawn(tmp_path):
    rng = np.random.default_rng(1)
    write_data(tmp_path, 40, 7)
    x = np.loadtxt(tmp_path / "items.csv", delimiter=",", skiprows=1, usecols=0)
    z = np.abs(x[:, None] - x[None, :]) + 0.01 * rng.random()
    np.fill_diagonal(z, 0)
    np.save(tmp_path / "z.npy", z.astype(np.float32))
    drawn, off = learn(tmp_path, "distances"), learn(tmp_path, "distances", "--shrink", "off", name="off")
    assert about(drawn)["shrinkage"] == 1 and about(drawn)["out_of_bag_slope"] > 1
    ask = [tmp_path / "items.csv"]
    assert helpers.plain_run("predict", drawn, *ask) == helpers.plain_run("predict", off, *ask)


@pytest.mark.parametrize("target", TARGETS)
def test_off_is_written_and_predicted_as_before(target, folder):
    """An option that does nothing leaves no trace; and the shrinkage changes no tree and no value."""
    off, one = learn(folder, target, "--trees", 9, "--shrink", "off", name="off"), learn(folder, target, "--trees", 9, "--shrink", 1, name="one")
    assert off.read_bytes() == one.read_bytes() and b"shrink" not in off.read_bytes()
    auto = learn(folder, target, "--trees", 9)
    trees = [json.loads(helpers.plain_run("export", m, "--format", "json"))["trees"] for m in (auto, off)]
    assert trees[0] == trees[1]
    if target in ("labels", "response"):
        values = [helpers.plain_run("predict", m, folder / "items.csv", "--values") for m in (auto, off)]
        assert values[0] == values[1]


def test_without_a_sample_nothing_is_out_of_bag(folder):
    assert "shrink" not in about(learn(folder, "labels", "--sample", "none", "--trees", 5))


def test_fit_says_how_far(folder):
    import subprocess
    line = ["fit", folder / "items.csv", "--distances", folder / "z.npy", "--ignore", "y,v", "-o", folder / "model"]
    def told(*more):
        return subprocess.run([helpers.COMMAND, *map(str, [*line, *more])], capture_output=True, text=True, check=True).stderr
    assert about(learn(folder, "distances"))["shrinkage"] < 1
    assert "out-of-bag pairs say" in told() and "--shrink off" in told()
    assert "out-of-bag pairs" not in told("--shrink", "off") and told("--quiet") == ""


# ---------------------------------------------------------------- parts, threads

@pytest.mark.parametrize("target", TARGETS)
def test_parts_and_threads_give_the_bytes_of_the_whole(target, folder):
    whole = learn(folder, target, "--trees", 90, "--threads", 1, name="whole").read_bytes()
    for n_threads in (2, 7):
        assert learn(folder, target, "--trees", 90, "--threads", n_threads).read_bytes() == whole
    ends = [0, 1, 40, 66, 71, 90]  # no tree of 66 ... 70 counts
    parts = [learn(folder, target, "--trees", f"{a}:{b}", name=f"part{a}") for a, b in zip(ends, ends[1:])]
    helpers.plain_run("merge", *reversed(parts), "-o", folder / "merged")
    assert (folder / "merged").read_bytes() == whole
    helpers.plain_run("merge", *parts[:2], "-o", folder / "first")
    helpers.plain_run("merge", folder / "first", *parts[2:], "-o", folder / "merged")
    assert (folder / "merged").read_bytes() == whole


def test_parts_that_are_drawn_differently_are_not_merged(folder):
    a, b = learn(folder, "labels", "--trees", "0:3", name="a"), learn(folder, "labels", "--trees", "3:6", "--shrink", 0.5, name="b")
    assert "they differ in shrink" in helpers.refused("merge", a, b, "-o", folder / "merged")


# ---------------------------------------------------------------- every way to a distance

S = 0.375  # a number that rounds nothing by itself


def table(*line):
    return list(csv.reader(io.StringIO(helpers.plain_run(*line))))


class Both:
    """Two models that differ in shrinkage alone."""

    def __init__(self, folder, target):
        options = ["--trees", 30, "--min-parent", 4]
        self.items = folder / "items.csv"
        self.drawn, self.off = learn(folder, target, *options, "--shrink", S, name="drawn"), learn(folder, target, *options, "--shrink", "off", name="off")
        self.mean = about(self.drawn)["mean_distance"]

    def shrunk(self, distances):
        return self.mean + S * (np.asarray(distances) - self.mean)

    def tables(self, *line):
        command, *rest = line
        return [table(command, model, self.items, *rest) for model in (self.drawn, self.off)]


@pytest.fixture(scope="module", params=TARGETS)
def both(request, folder):
    return Both(folder, request.param)


def close(a, b):
    np.testing.assert_allclose(np.asarray(a, float), np.asarray(b, float), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("options", [[], ["--oob"], ["--oob", "--oob-rule", "either"]], ids=str)
def test_rows(both, options):
    drawn, off = (np.array([[float(cell or "nan") for cell in row] for row in t]) for t in both.tables("predict", *options))
    close(drawn, both.shrunk(off))


@pytest.mark.parametrize("options", [[], ["--oob"]], ids=str)
def test_pairs_and_their_spread(both, folder, options):
    write_table(folder / "some.csv", "i,j", [(a, b) for a in range(N) for b in range(N)])
    drawn, off = both.tables("predict", "--pairs", folder / "some.csv", "--spread", *options)
    numbers = [np.array([[float(cell or "nan") for cell in row[2:]] for row in t[1:]]) for t in (drawn, off)]
    close(numbers[0][:, 0], both.shrunk(numbers[1][:, 0]))
    close(numbers[0][:, 1], S * numbers[1][:, 1])
    rows = np.array([[float(cell or "nan") for cell in row] for row in both.tables("predict", *options)[0]])
    close(numbers[0][:, 0].reshape(N, N), rows)


def test_neighbors(both):
    drawn, off = both.tables("neighbors", "-k", 5)
    assert [row[:3] for row in drawn] == [row[:3] for row in off]
    close([float(row[3]) for row in drawn[1:]], both.shrunk([float(row[3]) for row in off[1:]]))
    radius = float(np.median([float(row[3]) for row in drawn[1:]]))
    within = table("neighbors", both.drawn, both.items, "--radius", radius)
    predicted = np.array([[float(cell) for cell in row] for row in both.tables("predict")[0]])
    np.fill_diagonal(predicted, np.inf)
    assert len(within) - 1 == np.sum(predicted <= radius)


def test_the_quick_search_among_labels_has_it_too(folder):
    """Fully grown trees find two items 0 or 1 apart: their neighbours are found by counting (docs/neighbors.md)."""
    model, items = learn(folder, "labels", "--trees", 30, "--shrink", S), folder / "items.csv"
    predicted = np.array([[float(cell) for cell in row] for row in table("predict", model, items)])
    found = table("neighbors", model, items, "-k", 4)[1:]
    assert len(found) == 4 * N
    assert all(float(row[3]) == predicted[int(row[0]), int(row[2])] for row in found)
    assert len({float(row[3]) for row in found} - {0.0, 1.0}) > 3


def test_explanations_add_up(both):
    drawn, off = both.tables("explain", "--pair", 2, 9)
    a, b = ({row[0]: float(row[1]) for row in t[1:]} for t in (drawn, off))
    for name in a:
        close(a[name], both.shrunk(b[name]) if name.startswith("(") else S * b[name])
    assert sum(v for k, v in a.items() if k != "(distance)") == pytest.approx(a["(distance)"], abs=1e-9)


def test_clusters_and_maps_are_of_the_same_distances(both):
    """Medoids need no more than who is nearer: groups stay, and a map is that of the matrix."""
    drawn, off = both.tables("cluster", "-k", 3)
    assert drawn == off
    predicted = np.array([[float(cell) for cell in row] for row in both.tables("predict")[0]])
    np.fill_diagonal(predicted, 0)
    centred = np.eye(N) - 1 / N
    b = -0.5 * centred @ np.maximum(predicted, 0)**2 @ centred
    coordinates = np.array([[float(cell) for cell in row[-2:]] for row in both.tables("embed")[0][1:]])
    lengths = np.sort(np.linalg.eigvalsh(b))[::-1][:2]
    np.testing.assert_allclose((coordinates**2).sum(0), lengths, rtol=1e-6, atol=1e-9)
