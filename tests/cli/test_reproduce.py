"""smerf-reproduce measures what the other commands measure, writes tidy tables and whole pictures, or nothing at all."""

import csv
import json
import struct
import zlib
from xml.etree import ElementTree

import numpy as np
import pytest

from command import run, run_well
from running import interrupt_at_work

PNG = b"\x89PNG\r\n\x1a\n"


# ---- reading what was written ----


def read(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def value(rows, **like):
    """The one value of the rows that are like this."""
    found = [row["value"] for row in rows if all(row[name] == text for name, text in like.items())]
    assert len(found) == 1, f"{len(found)} rows are like {like}"
    return float(found[0])


def scores(words, folder):
    return json.loads(run_well(f"{words} --json", folder).stdout)


def check_png(path):
    """Whole, with rows of the announced length, and not all of one colour."""
    content, place, data = path.read_bytes(), len(PNG), b""
    assert content.startswith(PNG)
    while place < len(content):
        (length,), name = struct.unpack(">I", content[place : place + 4]), content[place + 4 : place + 8]
        chunk = content[place + 8 : place + 8 + length]
        (checksum,) = struct.unpack(">I", content[place + 8 + length : place + 12 + length])
        assert zlib.crc32(name + chunk) == checksum
        if name == b"IHDR":
            width, height, depth, colours = struct.unpack(">IIBB", chunk[:10])
        data += chunk if name == b"IDAT" else b""
        place += 12 + length
    assert name == b"IEND" and (depth, colours) == (8, 2) and width > 600 and height > 400
    pixels = zlib.decompress(data)
    assert len(pixels) == height * (1 + 3 * width)
    assert len(set(pixels)) > 20


def check_svg(path):
    root = ElementTree.parse(path).getroot()
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert len(list(root.iter())) > 100


def check_pictures(folder, *names):
    for name in names:
        check_png(folder / f"{name}.png")
        check_svg(folder / f"{name}.svg")


# ---- the same numbers by other commands ----

TUNE = "--paper --metric rmse --splits oblique --trees 12"


def test_simulations_are_what_simulate_tune_and_evaluate_say(tmp_path):
    run_well("smerf-reproduce simulations --sizes 20,30 --repeats 2 --trees 12 --methods smerf -o out", tmp_path)
    rows = read(tmp_path / "out" / "simulations.csv")
    assert len(rows) == 3 * 2 * 2 * 5
    for kind, n, repeat in [("regression", "20", "1"), ("radial", "30", "2")]:
        like = {"data": kind, "n": n, "repeat": repeat, "method": "smerf"}
        (seed,) = {row["seed"] for row in rows if all(row[name] == text for name, text in like.items())}
        run_well(f"simulate {kind} -n {n} --test 200 --seed {seed} -o data", tmp_path)
        tuned = f"tune data/items.csv --distances data/distances.npy {TUNE} --seed {seed} -o model"
        best = scores(tuned, tmp_path)["best"]
        assert value(rows, metric="candidates", **like) == best["candidates"]
        assert value(rows, metric="min-parent", **like) == best["min_parent"]
        expected = scores("evaluate model data/test-items.csv --distances data/test-distances.npy", tmp_path)
        for metric in ("rmse", "spearman", "map@10"):
            assert value(rows, metric=metric, **like) == expected[metric]
    check_pictures(tmp_path / "out", "simulations")


def test_importance_is_what_fit_and_importance_say(tmp_path):
    run_well("smerf-reproduce importance --repeats 1 --trees 5 -o out", tmp_path)
    rows = read(tmp_path / "out" / "importance.csv")
    assert len(rows) == 2 * 20
    run_well(f"simulate radial -n 320 --seed {rows[0]['seed']} -o data", tmp_path)
    for method, options in {"smerf": "--splits oblique --candidates p^1.5", "smerf-axis": "--candidates all"}.items():
        target = "data/items.csv --distances data/distances.npy"
        run_well(f"fit {target} {options} --trees 5 --seed {rows[0]['seed']} -o model", tmp_path)
        printed = run_well("importance model", tmp_path).stdout.decode().splitlines()
        for row in csv.DictReader(printed):
            feature = row["feature"].removeprefix("x")
            assert value(rows, method=method, feature=feature) == float(row["importance"])
    check_pictures(tmp_path / "out", "importance")


def additive(n, part, seed, folder):
    """The items of the convergence study: two features, a response, and other features to make its noise from."""
    run_well(f"simulate bilinear -n {n} --test {n} --seed {seed} -o {folder.name}", folder.parent)
    u = np.loadtxt(folder / ("items.csv" if part == 0 else "test-items.csv"), delimiter=",", skiprows=1)
    noise = 0.1 * np.sqrt(-2 * np.log(1 - u[:, 2])) * np.cos(2 * np.pi * u[:, 3])
    return u[:, :2], u[:, 0] ** 2 + u[:, 1] ** 2 + noise


@pytest.mark.parametrize("method", ["bootstrap", "subsample"])
def test_convergence_is_half_the_variance_over_trees(method, tmp_path):
    n, trees = 40, 130  # more than are grown at once
    run_well(f"smerf-reproduce convergence --sizes {n} --repeats 1 --trees {trees} --methods {method} -o out", tmp_path)
    (row,) = read(tmp_path / "out" / "convergence.csv")
    x, y = additive(n, 0, row["seed"], tmp_path / "data")
    points, _ = additive(200, 1, row["seed"], tmp_path / "points")
    lines = [f"{a:.17g},{b:.17g},{c:.17g}\n" for (a, b), c in zip(x, y)]
    (tmp_path / "items.csv").write_text("x1,x2,y\n" + "".join(lines))
    (tmp_path / "points.csv").write_text("x1,x2\n" + "".join(f"{a:.17g},{b:.17g}\n" for a, b in points))
    sample = "bootstrap" if method == "bootstrap" else f"subsample:{n**-0.3:.17g}"
    means = []
    for tree in range(trees):  # one at a time: the variance itself, and not a difference of two means
        options = f"--trees {tree}:{tree + 1} --seed {row['seed']} --sample {sample} --candidates 2 --threads 1"
        run_well(f"fit items.csv --response y {options} -o model", tmp_path)
        printed = run_well("predict model points.csv --values", tmp_path).stdout.decode().splitlines()
        means.append([float(line.split(",")[1]) for line in printed[1:]])
    means = np.array(means)
    i, j = np.triu_indices(200, k=1)
    expected = (means[:, i] - means[:, j]).var(axis=0).mean() / 2
    assert float(row["value"]) == pytest.approx(expected, rel=1e-9)
    check_pictures(tmp_path / "out", "convergence")


# ---- networks ----


def make_network(folder, n=30, seed=1):
    """Links are likelier where attributes agree."""
    folder.mkdir(parents=True)
    rng = np.random.default_rng(seed)
    x = rng.integers(0, 2, size=(n, 4))
    nodes = "".join(f"v{k},{','.join(map(str, row))}\n" for k, row in enumerate(x))
    (folder / "nodes.csv").write_text("id,a,b,c,d\n" + nodes)
    i, j = np.triu_indices(n, k=1)
    linked = rng.random(len(i)) < 0.05 + 0.5 * (x[i, :2] == x[j, :2]).all(axis=1)
    (folder / "edges.csv").write_text(
        "source,target\n" + "".join(f"v{a},v{b}\n" for a, b in zip(i[linked], j[linked]))
    )


def tuned_for(target, metric, seed, folder):
    options = f"--metric {metric} --splits axis --trees 15 --seed {seed}"
    return scores(f"tune {target} {options} -o model", folder)["best"]


def test_networks_are_what_split_tune_and_evaluate_say(tmp_path):
    make_network(tmp_path / "data" / "nips234")
    words = "smerf-reproduce networks --data data --shares 0.4,0.6 --repeats 1 --trees 15 --methods smerf -o out"
    said = run_well(words, tmp_path).stderr.decode()
    assert "smerf: lazega-cowork is not in data, and is left out\n" in said
    rows = [row for row in read(tmp_path / "out" / "networks.csv") if row["share"] == "0.6"]
    target, seed = "data/nips234/nodes.csv --edges data/nips234/edges.csv", rows[0]["seed"]
    run_well(f"split {target} --by nodes --train 0.6 --seed {seed} -o parts", tmp_path)
    for metric in ("auc-roc", "auc-pr"):
        best = tuned_for("parts/train-items.csv --edges parts/train-edges.csv", metric, seed, tmp_path)
        assert value(rows, split="nodes", metric=f"candidates for {metric}") == best["candidates"]
        new = scores("evaluate model parts/test-items.csv --edges parts/test-edges.csv", tmp_path)
        against = "--against parts/test-items.csv --edges parts/cross-edges.csv"
        across = scores(f"evaluate model parts/train-items.csv {against}", tmp_path)
        assert value(rows, split="nodes", metric=metric) == new[metric]
        assert value(rows, split="nodes-across", metric=metric) == across[metric]
    check_pictures(tmp_path / "out", "networks", "networks-pairs", "networks-across")


def test_hidden_pairs_are_what_split_by_pairs_hides(tmp_path):
    make_network(tmp_path / "data" / "nips234")
    words = "smerf-reproduce networks --data data --shares 0.6 --repeats 1 --trees 15 --methods smerf -o out"
    run_well(words, tmp_path)
    rows = read(tmp_path / "out" / "networks.csv")
    target, seed = "data/nips234/nodes.csv --edges data/nips234/edges.csv", rows[0]["seed"]
    run_well(f"split {target} --by pairs --train 0.6 --seed {seed} -o parts", tmp_path)
    for part in ("train", "test"):
        pairs = read(tmp_path / "parts" / f"{part}-pairs.csv")
        links = [p for p in pairs if p["distance"] == "0"]
        (tmp_path / f"{part}.csv").write_text("i,j\n" + "".join(f"{p['i']},{p['j']}\n" for p in pairs))
        (tmp_path / f"{part}-edges.csv").write_text("i,j\n" + "".join(f"{p['i']},{p['j']}\n" for p in links))
    for metric in ("auc-roc", "auc-pr"):
        tuned_for("parts/items.csv --edges train-edges.csv --observed train.csv", metric, seed, tmp_path)
        hidden = scores("evaluate model parts/items.csv --edges test-edges.csv --observed test.csv", tmp_path)
        assert value(rows, split="pairs", metric=metric) == hidden[metric]


# ---- tables ----

SMALL = "smerf-reproduce simulations --sizes 8,16 --repeats 3 --trees 3 --methods smerf-axis"


def test_the_summary_has_the_means_of_the_rows(tmp_path):
    run_well(f"{SMALL} -o out", tmp_path)
    rows = read(tmp_path / "out" / "simulations.csv")
    summary = read(tmp_path / "out" / "simulations-summary.csv")
    assert len(summary) * 3 == len(rows)
    for line in summary:
        names = ("data", "n", "method", "metric")
        values = np.array([float(r["value"]) for r in rows if all(r[name] == line[name] for name in names)])
        assert len(values) == int(line["repeats"]) == 3
        assert float(line["mean"]) == pytest.approx(values.mean(), rel=1e-12)
        assert float(line["sd"]) == pytest.approx(values.std(ddof=1), rel=1e-9, abs=1e-12)
        assert float(line["se"]) == pytest.approx(values.std(ddof=1) / 3**0.5, rel=1e-9, abs=1e-12)


def test_a_seed_gives_the_same_bytes_on_any_number_of_threads(tmp_path):
    for out, options in {"a": "--threads 1", "b": "--threads 2", "c": "--seed 2"}.items():
        run_well(f"{SMALL} {options} -o {out}", tmp_path)
    names = sorted(path.name for path in (tmp_path / "a").iterdir())
    assert names == ["simulations-summary.csv", "simulations.csv", "simulations.png", "simulations.svg"]
    for name in names:
        first, second, third = ((tmp_path / out / name).read_bytes() for out in "abc")
        assert first == second
        assert first != third


# ---- what cannot be done ----

NEW = "-o new"

BAD = {
    "unknown": (f"simulation {NEW}", 2, "'simulation' is not known; it is simulations, importance, convergence or networks"),
    "no folder": ("importance", 2, "-o DIR is missing: where shall the results go?"),
    "standard output": ("importance -o -", 2, "-o - will not do: several files need a folder"),
    "no data": (f"networks {NEW}", 2, "--data DIR is missing: where are the networks?"),
    "data for nothing": (f"importance --data . {NEW}", 2, "--data means nothing to 'importance'"),
    "sizes for nothing": (f"importance --sizes 3 {NEW}", 2, "--sizes means nothing to 'importance'"),
    "draws for nothing": (f"simulations --draws 3 {NEW}", 2, "--draws means nothing to 'simulations'"),
    "method of others": (f"simulations --methods smerf,epm {NEW}", 2, "--methods: 'epm' takes no part in 'simulations'"),
    "too small": (f"simulations --sizes 2 {NEW}", 2, "--sizes: '2' is not in 4 ... 10000"),
    "falling": (f"simulations --sizes 20,10 {NEW}", 2, "--sizes: '10' is not larger than the one before"),
    "half an item": (f"simulations --sizes 20.5 {NEW}", 2, "--sizes: '20.5' is not a whole number"),
    "share": (f"networks --data . --shares 0.5,1.5 {NEW}", 2, "--shares: '1.5' is not in 0.05 ... 0.95"),
    "no repeats": (f"importance --repeats 0 {NEW}", 2, "--repeats 0 is below 1"),
    "many repeats": (f"importance --repeats 1001 {NEW}", 2, "--repeats 1001 is above 1000"),
}  # fmt: skip


@pytest.mark.parametrize("words, code, line", BAD.values(), ids=BAD)
def test_wrong_use_is_told_in_one_line_and_leaves_nothing(words, code, line, tmp_path):
    done = run(f"smerf-reproduce {words}", tmp_path)
    assert done.stderr.decode() == f"smerf-reproduce: {line}\n"
    assert (done.returncode, done.stdout) == (code, b"")
    assert list(tmp_path.iterdir()) == []


def test_a_file_is_no_folder(tmp_path):
    (tmp_path / "file").write_text("old")
    done = run("smerf-reproduce importance -o file", tmp_path)
    assert done.stderr.decode().startswith("smerf-reproduce: file/importance")
    assert done.stderr.count(b"\n") == 1
    assert done.returncode == 1
    assert (tmp_path / "file").read_text() == "old"


def test_a_folder_without_networks_is_refused(tmp_path):
    (tmp_path / "data").mkdir()
    done = run("smerf-reproduce networks --data data -o new", tmp_path)
    names = "lazega-cowork/nodes.csv, facebook-ego/nodes.csv or nips234/nodes.csv"
    assert done.stderr.decode() == f"smerf-reproduce: data: has no network: {names}\n"
    assert done.returncode == 1
    assert not (tmp_path / "new").exists()


def test_an_interrupt_leaves_nothing(tmp_path):
    code, stdout, stderr = interrupt_at_work("smerf-reproduce simulations --sizes 320 --methods smerf -o new", tmp_path)
    assert (code, stdout) == (130, b"")
    assert stderr.decode().endswith("cancelled\n") and stderr.count(b"\n") == 1
    assert list(tmp_path.iterdir()) == []
