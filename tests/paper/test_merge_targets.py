"""One seed, one model file, for every kind of target: in parts, at any number of threads, however the target is written."""
import zlib

import numpy as np
import pytest

import cases
import helpers
import pairs_oracle
import targets
from oracle import Column

OF_COLUMNS = ["labels", "response", "responses", "absolute", "product"]
OF_FILES = ["edges", "dyadic edges", "integer market", "real market", "all observed", "all pairs", "all similar pairs"]
RANKED = {"ranked matrix": "matrix", "ranked edges": "edges", "ranked product": "product"}
KINDS = [*OF_COLUMNS, *OF_FILES, "some pairs", "some observed", *RANKED]


def make(folder, kind, n=90):
    """Writes the files; the words of `fit` without -o and --trees."""
    if kind in ("some pairs", "some observed"):
        return some_pairs(folder, kind, n)
    rng = np.random.default_rng([n, zlib.crc32(kind.encode())])
    columns = cases.make_columns(rng, n, 4, [cases.continuous, cases.tied, cases.categories], missing=True)
    target = targets.KINDS[RANKED.get(kind, kind)](rng, columns)
    weights = np.exp(rng.normal(size=n))
    helpers.save_items(folder / "items.csv", [*columns, *target.columns], target.ids, weights)
    words = [folder / "items.csv", *target.arguments(folder), "--item-weights", "w"]
    return words + (["--rank", 6] if kind in RANKED else [])


def some_pairs(folder, kind, n):
    case = pairs_oracle.make_case("repeats, weights", 5, n=n, p=4)
    helpers.save_items(folder / "items.csv", case.columns, case.ids)
    if kind == "some pairs":
        (folder / "pairs.csv").write_text(case.text(), encoding="utf-8")
        return [folder / "items.csv", "--pairs", folder / "pairs.csv", "--complete", "off"]
    names = case.ids or [str(i) for i in range(n)]
    known = sorted({(min(i, j), max(i, j)) for i, j, _, _ in case.rows if i != j})
    for name, pairs in (("edges", known[::3]), ("observed", known)):
        (folder / f"{name}.csv").write_text("source,target\n" + "".join(f"{names[i]},{names[j]}\n" for i, j in pairs))
    return [folder / "items.csv", "--edges", folder / "edges.csv", "--observed", folder / "observed.csv",
            "--complete", "off"]


def fit(folder, words, trees, name, *more):
    model = folder / f"{name}.smerf"
    helpers.run("fit", *words, "-o", model, "--trees", trees, *more)
    return model


WAYS = {"axis": [], "oblique": ["--splits", "oblique", "--density", 0.5, "--candidates", 3],
        "subsample": ["--sample", "subsample:0.5", "--candidates", 2, "--self-distance", "exclude"]}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", KINDS)
def test_parts_and_threads_leave_no_trace(kind, way, tmp_path):
    words = make(tmp_path, kind) + WAYS[way]
    whole = fit(tmp_path, words, 10, "whole")
    expected = whole.read_bytes()
    parts = [fit(tmp_path, words, part, part.replace(":", "-")) for part in ("0:5", "5:10")]
    helpers.run("merge", parts[1], parts[0], "-o", tmp_path / "merged.smerf")
    assert (tmp_path / "merged.smerf").read_bytes() == expected, "merged"
    for threads in (1, 3):
        again = fit(tmp_path, words, 10, f"threads{threads}", "--threads", threads)
        assert again.read_bytes() == expected, f"{threads} threads"
    texts = [helpers.run("predict", model, tmp_path / "items.csv", "--threads", t)
             for model, t in ((whole, 1), (tmp_path / "merged.smerf", 3))]
    assert texts[0] == texts[1]
    assert all(len(helpers.export(p)["trees"]) == 5 for p in parts)
    assert helpers.export(parts[1])["trees"] == helpers.export(whole)["trees"][5:]


@pytest.mark.parametrize("kind", ["labels", "responses", "absolute", "product", "edges", "all pairs", "some pairs",
                                  "ranked edges"])
def test_large_nodes_are_shared_without_a_trace(kind, tmp_path):
    words = make(tmp_path, kind, n=500)
    expected = fit(tmp_path, words, 4, "one", "--threads", 1).read_bytes()
    for more in (["--threads", 4], ["--kernels", "plain"]):
        assert fit(tmp_path, words, 4, "more", *more).read_bytes() == expected, more


@pytest.mark.parametrize("kind", ["labels", "response"])
def test_values_survive_a_merge(kind, tmp_path):
    words = make(tmp_path, kind)
    whole = fit(tmp_path, words, 10, "whole")
    parts = [fit(tmp_path, words, part, part.replace(":", "-")) for part in ("0:5", "5:10")]
    helpers.run("merge", *parts, "-o", tmp_path / "merged.smerf")
    texts = [helpers.run("predict", m, tmp_path / "items.csv", "--values") for m in (whole, tmp_path / "merged.smerf")]
    assert texts[0] == texts[1] and len(texts[0].splitlines()) == 91


def test_parts_on_different_targets_are_refused(tmp_path):
    """Same items, options and seed; another target."""
    columns = cases.make_columns(np.random.default_rng(1), 30, 3, [cases.continuous])
    for name, word in (("labels", "--labels"), ("response", "--response"), ("absolute", "--absolute")):
        parts = []
        for trees, values in (("0:5", [0.0, 1.0, 2.0] * 10), ("5:10", [0.0, 2.0, 2.0] * 10)):
            helpers.save_items(tmp_path / "items.csv", [*columns, Column("t", values)])
            parts.append(fit(tmp_path, [tmp_path / "items.csv", word, "t"], trees, f"{name}{trees[0]}"))
        helpers.refused("merge", *parts, "-o", tmp_path / "no.smerf")
        assert not (tmp_path / "no.smerf").exists(), name


# ---------------------------------------------------------------- how the target is written

def two_forms(folder, kind):
    """Words for the same target, written in two ways."""
    rng = np.random.default_rng(77)
    columns = cases.make_columns(rng, 60, 3, [cases.continuous])
    helpers.save_items(folder / "items.csv", columns)
    links = targets.random_links(rng, columns)
    weights = targets.edge_weights(rng, "integer", links.shape)
    names = [str(i) for i in range(60)]
    forms = []
    for k in range(2):
        edges = targets.edges_text(rng, targets.shuffled_edges(rng, links), weights, names, True)
        (folder / f"edges{k}.csv").write_text(edges)
        (folder / f"edges{k}.mtx").write_text(targets.market_text(rng, links, weights, "integer", k == 0))
        lines = edges.replace("weight", "distance").splitlines()
        (folder / f"pairs{k}.csv").write_text("\n".join(lines) + "\n")
    if kind == "edges":
        forms = [["--edges", folder / f"edges{k}.csv"] for k in range(2)]
    elif kind == "market":
        forms = [["--edges", folder / "edges0.csv"], ["--edges", folder / "edges0.mtx"], ["--edges", folder / "edges1.mtx"]]
    else:
        forms = [["--pairs", folder / f"pairs{k}.csv", "--complete", "off"] for k in range(2)]
    return [[folder / "items.csv", *form] for form in forms]


@pytest.mark.parametrize("kind", ["edges", "market", "pairs"])
def test_order_direction_and_format_of_a_list_leave_no_trace(kind, tmp_path):
    models = [fit(tmp_path, words, 10, f"form{k}").read_bytes() for k, words in enumerate(two_forms(tmp_path, kind))]
    assert all(m == models[0] for m in models)
