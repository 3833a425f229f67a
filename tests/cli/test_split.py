"""split loses nothing and invents nothing, and what it writes can be learned from."""

import csv
import io
import itertools
import json
import re
from collections import Counter

import numpy as np
import pytest

from command import run_well
from workspace import npy_of

N = 12
NAMES = [f"i{k}" for k in range(N)]
SHARES = [0.3, 0.75]


# ---- data ----


def numbers(seed=1):
    return np.random.default_rng(seed).integers(0, 50, size=(N, 3))


def table(ids=True, line_end="\n", separator=","):
    head = [*(["id"] if ids else []), "a", "b", "c", "kind"]
    lines = [[*([NAMES[k]] if ids else []), *map(str, x), ["blue", "red"][x[0] % 2]] for k, x in enumerate(numbers())]
    return "".join(separator.join(line) + line_end for line in [head, *lines])


def name_of(k, ids=True):
    return NAMES[k] if ids else str(k)


def some_pairs(seed=2, n=30):
    every = list(itertools.combinations(range(N), 2))
    chosen = np.random.default_rng(seed).choice(len(every), size=n, replace=False)
    return [every[k][:: 1 if k % 2 else -1] for k in chosen]  # in both directions


def matrix():
    x = numbers().astype(float)
    return np.abs(x[:, None, :] - x[None, :, :]).sum(axis=2)


# ---- reading what was written ----


def read(path):
    with open(path, newline="") as file:
        return list(csv.reader(file))


def items_in(path):
    """{id: the other cells}."""
    head, *lines = read(path)
    return {line[0]: tuple(line[1:]) for line in lines}


def body(path):
    """The rows as they are, each as often as it is there."""
    return Counter(tuple(line) for line in read(path)[1:])


def files(folder):
    return sorted(path.name for path in folder.iterdir())


def split(words, folder, by, share, name="parts", options=""):
    done = run_well(f"split {words} --by {by} --train {share} -o {name} {options}", folder)
    return folder / name, done.stderr.decode().splitlines()


def n_training_pairs(n_known, share):
    of_items = round(share * N + 1e-9)
    return round(n_known * (of_items**2 - of_items) / (N**2 - N))


@pytest.fixture
def with_ids():
    return True


with_and_without_ids = pytest.mark.parametrize("with_ids", [True, False], ids=["ids", "no ids"])


@pytest.fixture
def place(tmp_path, with_ids):
    """Items, and one file of each kind that a target can be."""
    (tmp_path / "items.csv").write_text(table(with_ids))
    (tmp_path / "z.npy").write_bytes(npy_of(matrix()))
    gaps = matrix()
    for i, j in some_pairs(seed=3, n=20):
        gaps[i, j] = gaps[j, i] = np.nan
    (tmp_path / "gaps.npy").write_bytes(npy_of(gaps))
    names = [(name_of(i, with_ids), name_of(j, with_ids)) for i, j in some_pairs()]
    plain = "".join(f"{i},{j}\n" for i, j in names)
    (tmp_path / "edges.csv").write_text(f"source,target\n{plain}{names[0][1]},{names[0][0]}\n")
    weighted = "".join(f"{i},{j},{k / 8},n\n" for k, (i, j) in enumerate(names))
    (tmp_path / "weighted.csv").write_text(f"x,y,weight,note\n{weighted}")
    seen = [(name_of(i, with_ids), name_of(j, with_ids)) for i, j in some_pairs(seed=4)]
    (tmp_path / "observed.csv").write_text("i,j,why\n" + "".join(f"{i},{j},-\n" for i, j in [*seen, seen[0]]))
    rated = [f"{i},{j},{k % 7 + 1},{k % 3 + 1}\n" for k, (i, j) in enumerate(names)]
    rated += [f"{names[4][1]},{names[4][0]},5,2\n", f"{names[0][0]},{names[0][0]},6.5,1\n"]
    (tmp_path / "rated.csv").write_text("i,j,similarity,weight\n" + "".join(rated))
    return tmp_path


TARGETS = {
    "labels": "--labels kind",
    "response": "--response a,b",
    "absolute": "--absolute a",
    "product": "--product a,b",
    "distances": "--distances z.npy",
    "similarities": "--similarities z.npy",
    "gaps": "--distances gaps.npy",
    "edges": "--edges edges.csv",
    "weighted": "--edges weighted.csv",
    "observed": "--edges edges.csv --observed observed.csv",
    "pairs": "--pairs rated.csv",
}

every_target = pytest.mark.parametrize("target", TARGETS.values(), ids=TARGETS)


# ---- by nodes ----


def parts_of(target):
    """What the target is cut into."""
    if "--edges" in target:
        return ["edges.csv", *(["observed.csv"] if "--observed" in target else [])]
    if "--pairs" in target:
        return ["pairs.csv"]
    return ["distances.npy"] if ".npy" in target else []


@with_and_without_ids
@every_target
@pytest.mark.parametrize("share", SHARES)
def test_by_nodes_every_item_is_in_one_part_as_it_was(target, share, place, with_ids):
    parts, lines = split(f"items.csv {target}", place, "nodes", share)
    train, test = items_in(parts / "train-items.csv"), items_in(parts / "test-items.csv")
    n_train = round(share * N + 1e-9)
    assert (len(train), len(test)) == (n_train, N - n_train)
    assert lines[-1] == f"smerf: parts: {n_train} items to train on, {N - n_train} to test with"
    cells = [line[1:] if with_ids else line for line in read(place / "items.csv")[1:]]
    assert train | test == {name_of(k, with_ids): tuple(line) for k, line in enumerate(cells)}
    assert read(parts / "train-items.csv")[0] == ["id", "a", "b", "c", "kind"]
    order = [name for name in (name_of(k, with_ids) for k in range(N)) if name in train]
    assert list(train) == order  # as in the file
    wanted = [f"{part}-{what}" for what in parts_of(target) for part in ("cross", "test", "train")]
    assert files(parts) == sorted([*wanted, "test-items.csv", "train-items.csv"])


@with_and_without_ids
@every_target
def test_by_nodes_every_pair_is_in_its_part(target, place, with_ids):
    parts, _ = split(f"items.csv {target}", place, "nodes", 0.5)
    train = set(items_in(parts / "train-items.csv"))
    for what in parts_of(target):
        if what.endswith(".npy"):
            continue
        for part, n_in_train in {"train": {2}, "test": {0}, "cross": {1}}.items():
            for pair in body(parts / f"{part}-{what}"):
                assert len([end for end in pair[:2] if end in train]) in n_in_train


def all_parts(parts, what):
    return sum((body(parts / f"{part}-{what}") for part in ("train", "test", "cross")), Counter())


def test_by_nodes_edges_are_all_there_once(place):
    parts, _ = split("items.csv --edges edges.csv", place, "nodes", 0.5)
    assert all_parts(parts, "edges.csv") == body(place / "edges.csv")


def test_by_nodes_edges_keep_their_weights(place):
    parts, _ = split("items.csv --edges weighted.csv", place, "nodes", 0.5)
    assert read(parts / "train-edges.csv")[0] == ["source", "target", "weight"]
    written = all_parts(parts, "edges.csv")
    wanted = {(i, j, float(w)) for i, j, w, _ in body(place / "weighted.csv")}
    assert {(i, j, float(w)) for i, j, w in written} == wanted


def test_by_nodes_observed_pairs_are_all_there_once(place):
    parts, _ = split(f"items.csv {TARGETS['observed']}", place, "nodes", 0.5)
    assert all_parts(parts, "observed.csv") == Counter(
        {line[:2]: n for line, n in body(place / "observed.csv").items()})  # fmt: skip


def test_by_nodes_pairs_are_all_there_as_distances(place):
    parts, _ = split("items.csv --pairs rated.csv", place, "nodes", 0.5)
    assert read(parts / "train-pairs.csv")[0] == ["i", "j", "distance", "weight"]
    wanted = Counter((i, j, 7 - float(q), float(w)) for i, j, q, w in body(place / "rated.csv").elements())
    written = Counter((i, j, float(z), float(w)) for i, j, z, w in all_parts(parts, "pairs.csv").elements())
    assert written == wanted


@with_and_without_ids
@pytest.mark.parametrize("target, wanted", [("--distances z.npy", matrix),
                                            ("--similarities z.npy", lambda: matrix().max() - matrix())])  # fmt: skip
def test_by_nodes_a_matrix_is_cut_into_blocks(target, wanted, place, with_ids):
    parts, _ = split(f"items.csv {target}", place, "nodes", 0.5)
    places = {name_of(k, with_ids): k for k in range(N)}
    train, test = ([places[name] for name in items_in(parts / f"{part}-items.csv")] for part in ("train", "test"))
    for part, rows, columns in [("train", train, train), ("test", test, test), ("cross", train, test)]:
        block = np.load(parts / f"{part}-distances.npy")
        assert block.dtype == np.float32
        assert np.array_equal(block, wanted()[np.ix_(rows, columns)].astype(np.float32))


def test_by_nodes_gaps_stay_gaps(place, with_ids):
    parts, _ = split("items.csv --distances gaps.npy", place, "nodes", 0.5)
    train, test, cross = (np.load(parts / f"{part}-distances.npy") for part in ("train", "test", "cross"))
    assert np.isnan(train).sum() + np.isnan(test).sum() + 2 * np.isnan(cross).sum() == 2 * 20


# ---- by pairs ----


def known_pairs(target, place, with_ids):
    """{(i, j): distance} with i < j, by brute force."""
    x, z = numbers(), {}
    kinds = [value % 2 for value in x[:, 0]]
    places = {name_of(k, with_ids): k for k in range(N)}
    listed = body(place / ("weighted.csv" if "weighted" in target else "edges.csv"))
    edges = {frozenset((places[line[0]], places[line[1]])): float([*line, 1][2]) for line in listed}
    for i, j in itertools.combinations(range(N), 2):
        link = edges.get(frozenset((i, j)), 0)
        z[i, j] = {
            "--labels kind": float(kinds[i] != kinds[j]),
            "--response a,b": ((x[i, :2] - x[j, :2]) ** 2).sum() / 2,
            "--absolute a": abs(x[i, 0] - x[j, 0]),
            "--product a,b": 1 - (x[i, :2] * x[j, :2]).sum(),
            "--distances z.npy": matrix()[i, j],
            "--similarities z.npy": matrix().max() - matrix()[i, j],
            "--distances gaps.npy": np.load(place / "gaps.npy")[i, j],
        }.get(target, 1 - link / max(1, *edges.values()))
    if "--observed" in target:
        seen = {frozenset((places[line[0]], places[line[1]])) for line in body(place / "observed.csv")}
        z = {pair: value for pair, value in z.items() if frozenset(pair) in seen}
    return {pair: float(value) for pair, value in z.items() if not np.isnan(value)}


def read_pairs(path, with_ids):
    places = {name_of(k, with_ids): k for k in range(N)}
    return [(places[line[0]], places[line[1]], float(line[2])) for line in read(path)[1:]]


@with_and_without_ids
@pytest.mark.parametrize("target", [target for name, target in TARGETS.items() if name != "pairs"],
                         ids=[name for name in TARGETS if name != "pairs"])  # fmt: skip
@pytest.mark.parametrize("share", SHARES)
def test_by_pairs_every_known_pair_is_in_one_part(target, share, place, with_ids):
    parts, lines = split(f"items.csv {target}", place, "pairs", share)
    known = known_pairs(target, place, with_ids)
    train, test = (read_pairs(parts / f"{part}-pairs.csv", with_ids) for part in ("train", "test"))
    selves = [pair for pair in train if pair[0] == pair[1]]
    train = [pair for pair in train if pair[0] != pair[1]]
    assert len(train) == n_training_pairs(len(known), share)
    assert len(train) + len(test) == len(known)
    assert {(i, j): z for i, j, z in train + test} == pytest.approx(known)
    assert any(line.startswith(f"smerf: parts: {len(train)} pairs to train on, {len(test)} to test with;") for line in lines)
    x = numbers()
    diagonal = {"--product a,b": lambda i: 1 - (x[i, :2] ** 2).sum(), "--similarities z.npy": lambda i: matrix().max()}
    wanted = [(i, i, float(diagonal[target](i))) for i in range(N)] if target in diagonal else []
    assert selves == [pair for pair in wanted if pair[2] != 0]
    assert files(parts) == [*["edges.csv"] * ("--edges" in target), "items.csv", "test-pairs.csv", "train-pairs.csv"]


@with_and_without_ids
@pytest.mark.parametrize("share", SHARES)
def test_by_pairs_listed_pairs_keep_lines_and_weights(share, place, with_ids):
    parts, _ = split("items.csv --pairs rated.csv", place, "pairs", share)
    train, test = (body(parts / f"{part}-pairs.csv") for part in ("train", "test"))
    wanted = Counter((i, j, 7 - float(q), float(w)) for i, j, q, w in body(place / "rated.csv").elements())
    assert Counter((i, j, float(z), float(w)) for i, j, z, w in (train + test).elements()) == wanted
    sets = [{frozenset(line[:2]) for line in part if line[0] != line[1]} for part in (train, test)]
    assert not sets[0] & sets[1]  # a pair that is given twice stays together
    assert len(sets[0]) == n_training_pairs(30, share)
    assert all(line[0] != line[1] for line in test)  # (i, i) is to train on


@with_and_without_ids
def test_by_pairs_items_and_edges_are_all_there(place, with_ids):
    parts, _ = split("items.csv --edges weighted.csv", place, "pairs", 0.5)
    head, *lines = read(place / "items.csv")
    if not with_ids:
        head, lines = ["id", *head], [[str(k), *line] for k, line in enumerate(lines)]
    assert read(parts / "items.csv") == [head, *lines]
    assert read(parts / "edges.csv")[0] == ["source", "target", "weight"]
    assert [(i, j, float(w)) for i, j, w in read(parts / "edges.csv")[1:]] == [
        (i, j, float(w)) for i, j, w, _ in read(place / "weighted.csv")[1:]]  # fmt: skip


@pytest.mark.parametrize("target, columns", [("--labels kind", "kind"), ("--response a,b", "a,b"),
                                             ("--absolute a", "a"), ("--product b,a", "b,a")])  # fmt: skip
def test_by_pairs_columns_that_tell_the_distances_are_warned_of(target, columns, place):
    _, lines = split(f"items.csv {target}", place, "pairs", 0.5)
    assert lines[3:] == [
        f"smerf: parts/items.csv still has what the distances were made of: learn with --ignore {columns}"]  # fmt: skip


# ---- the seed ----


@every_target
@pytest.mark.parametrize("by", ["nodes", "pairs"])
def test_the_seed_decides(target, by, place):
    def content(name, options):
        parts, _ = split(f"items.csv {target}", place, by, 0.5, name, options)
        return {path.name: path.read_bytes() for path in parts.iterdir()}

    first = content("first", "--seed 1")
    assert content("again", "") == first  # the default
    assert content("threads", "--threads 1 --quiet") == first
    others = [content(f"other{seed}", f"--seed {seed}") for seed in (2, 9223372036854775807)]
    assert all(other.keys() == first.keys() and other != first for other in others)


def test_every_item_is_drawn_about_as_often(tmp_path):
    (tmp_path / "items.csv").write_text(table())
    seen = Counter()
    for seed in range(40):
        parts, _ = split("items.csv --labels kind", tmp_path, "nodes", 0.5, options=f"--seed {seed} --quiet")
        seen.update(items_in(parts / "train-items.csv").keys())
    assert set(seen) == set(NAMES)
    assert all(7 <= seen[name] <= 33 for name in NAMES)  # 20 is expected, 3.2 the standard deviation


# ---- learning from what was written ----


def scores(words, folder):
    return json.loads(run_well(f"evaluate {words} --json", folder).stdout)


LEARNING = {
    "--labels kind": "--labels kind",
    "--response a,b": "--response a,b",
    "--absolute a": "--absolute a",
    "--product a,b": "--product a,b",
    "--distances z.npy": "--distances {}-distances.npy",
    "--distances gaps.npy": "--distances {}-distances.npy",
    "--edges edges.csv": "--edges {}-edges.csv",
    "--edges weighted.csv": "--edges {}-edges.csv",
    "--edges edges.csv --observed observed.csv": "--edges {0}-edges.csv --observed {0}-observed.csv",
    "--pairs rated.csv": "--pairs {}-pairs.csv",
}


@with_and_without_ids
@pytest.mark.parametrize("target", LEARNING)
def test_parts_by_nodes_can_be_learned_from_and_tested_with(target, place):
    parts, _ = split(f"items.csv {target}", place, "nodes", 0.5)
    said = LEARNING[target].format
    run_well(f"fit train-items.csv {said('train')} --trees 10 -o m", parts)
    test = scores(f"m test-items.csv {said('test')} --metrics rmse", parts)
    cross = scores(f"m train-items.csv --against test-items.csv {said('cross')} --metrics rmse", parts)
    turned = scores(f"m test-items.csv --against train-items.csv {said('cross')} --metrics rmse", parts)
    assert test["rmse"] >= 0 and cross["rmse"] > 0
    if "distances" not in said("cross"):  # a block has its rows and columns the other way round then
        assert turned["rmse"] == pytest.approx(cross["rmse"])


@with_and_without_ids
@every_target
def test_parts_by_pairs_can_be_learned_from_and_tested_with(target, place):
    parts, _ = split(f"items.csv {target}", place, "pairs", 0.75)
    run_well("fit items.csv --ignore kind --pairs train-pairs.csv --trees 10 -o m", parts)
    assert scores("m items.csv --pairs test-pairs.csv --metrics rmse", parts)["rmse"] > 0


@pytest.mark.parametrize("target", ["--edges edges.csv", "--edges edges.csv --observed observed.csv"])
def test_parts_of_a_graph_by_pairs_are_graphs(target, place):
    parts, _ = split(f"items.csv {target}", place, "pairs", 0.75)
    done = run_well("fit items.csv --edges edges.csv --observed train-pairs.csv --trees 10 -o m", parts)
    n_train = len(read(parts / "train-pairs.csv")) - 1
    assert f"among {n_train} known pairs" in done.stderr.decode()
    found = scores("m items.csv --edges edges.csv --observed test-pairs.csv", parts)
    assert set(found) >= {"rmse", "spearman", "map@10", "auc-roc", "auc-pr"}


def test_a_part_can_be_split_again_into_its_own_folder(place):
    split("items.csv --edges edges.csv", place, "nodes", 0.75)
    again, _ = split("parts/train-items.csv --edges parts/train-edges.csv", place, "pairs", 0.5)
    assert {"train-items.csv", "items.csv", "train-pairs.csv"} <= set(files(again))


# ---- odd files ----


def test_quoted_cells_keep_quotes_and_line_breaks(tmp_path):
    text = 'id,"a ""b""",note\n"i\n1",1,"x, y"\r\ni2,2,"say ""hi""\r\nagain"\n\n"i;3",3,\n i4 ,4,"z"'
    (tmp_path / "items.csv").write_bytes(text.encode())
    parts, _ = split('items.csv --absolute \'a "b"\'', tmp_path, "nodes", 0.5)
    first, second = ((parts / f"{part}-items.csv").read_bytes() for part in ("train", "test"))
    head = b'id,"a ""b""",note\n'
    assert first.startswith(head) and second.startswith(head)
    written = first.removeprefix(head) + second.removeprefix(head)
    rows = {b'"i\n1",1,"x, y"\n', b'i2,2,"say ""hi""\r\nagain"\n', b'"i;3",3,\n', b' i4 ,4,"z"\n'}
    assert len(written) == sum(map(len, rows)) and all(row in written for row in rows)


def test_pairs_of_odd_names_read_back(tmp_path):
    names = ["a,b", 'say "hi"', "two\nlines", " space ", "ünï", "-", "0", "i;j"]
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerows([["id", "x", "y"], *[[name, k, k * k % 5] for k, name in enumerate(names)]])
    (tmp_path / "items.csv").write_text(file.getvalue())
    parts, _ = split("items.csv --absolute y", tmp_path, "pairs", 0.6)
    run_well("fit items.csv --ignore y --pairs train-pairs.csv -o m --trees 5", parts)
    pairs = read(parts / "train-pairs.csv")[1:] + read(parts / "test-pairs.csv")[1:]
    assert {frozenset(pair[:2]) for pair in pairs} == set(map(frozenset, itertools.combinations(names, 2)))


@pytest.mark.parametrize("line_end", ["\r\n", "\r"], ids=["CRLF", "CR"])
@pytest.mark.parametrize("separator", [",", ";", "\t"], ids=["comma", "semicolon", "tab"])
def test_line_ends_become_plain_and_separators_stay(line_end, separator, tmp_path):
    plain, odd = tmp_path / "plain", tmp_path / "odd"
    for folder, end in ((plain, "\n"), (odd, line_end)):
        folder.mkdir()
        (folder / "items.csv").write_bytes(table(False, end, separator).encode())
        split("items.csv --labels kind", folder, "nodes", 0.5)
    for name in ("train-items.csv", "test-items.csv"):
        content = (odd / "parts" / name).read_bytes()
        assert content == (plain / "parts" / name).read_bytes()
        assert content.startswith(f"id{separator}a{separator}".encode()) and b"\r" not in content


def test_a_byte_order_mark_goes(tmp_path):
    (tmp_path / "items.csv").write_text("\ufeff" + table(), encoding="utf-8")
    parts, _ = split("items.csv --labels kind", tmp_path, "nodes", 0.5)
    assert (parts / "train-items.csv").read_bytes().startswith(b"id,a,")


@pytest.mark.parametrize("options, head", [("", ["id", "x0", "x1", "x2"]), ("--id 1", ["x0", "x1", "x2"])])
def test_items_of_an_array_become_csv(options, head, tmp_path):
    x = numbers().astype(float)
    x[:, 1] = np.arange(N) + 0.5
    x[3, 0] = np.nan
    (tmp_path / "items.npy").write_bytes(npy_of(x / 3))
    parts, _ = split(f"items.npy --absolute 2 {options}", tmp_path, "nodes", 0.5)
    lines = [line for part in ("train", "test") for line in read(parts / f"{part}-items.csv")[1:]]
    assert read(parts / "train-items.csv")[0] == head
    if not options:
        lines.sort(key=lambda line: int(line[0]))
        assert [int(line[0]) for line in lines] == list(range(N))
        lines = [line[1:] for line in lines]
    found = np.array([[float(cell or "nan") for cell in line] for line in lines])
    assert np.array_equal(found[found[:, 1].argsort()], x / 3, equal_nan=True)


def test_the_id_may_be_any_column(tmp_path):
    (tmp_path / "items.csv").write_text(table().replace("id,", "name,", 1))
    (tmp_path / "edges.csv").write_text("source,target\ni0,i1\ni5,i6\ni2,i9\n")
    parts, _ = split("items.csv --id name --edges edges.csv", tmp_path, "nodes", 0.5)
    assert read(parts / "train-items.csv")[0][0] == "name"
    assert all_parts(parts, "edges.csv") == body(tmp_path / "edges.csv")


# ---- a share of the pairs ----


def test_a_share_of_the_pairs_is_just_that(place):
    text = (place / "rated.csv").read_text()
    folder, told = split_pairs_by_share("items.csv --pairs rated.csv", place, 0.3)
    n_train, n_test = map(int, re.search(r": (\d+) pairs? to train on, (\d+) to test with", "\n".join(told)).groups())
    assert n_train == round(0.3 * (n_train + n_test))
    both = [line[:2] for part in ("train", "test") for line in read(folder / f"{part}-pairs.csv")[1:]]
    assert sorted(both) == sorted(line.split(",")[:2] for line in text.splitlines()[1:])
    assert not any("as many as" in line for line in told)
    _, told = split("items.csv --pairs rated.csv", place, "pairs", 0.5, name="by-items")
    assert any("% of the pairs, as many as 50 % of the items have" in line for line in told)


def split_pairs_by_share(words, folder, share):
    done = run_well(f"split {words} --by pairs --train-pairs {share} -o of-pairs", folder)
    return folder / "of-pairs", done.stderr.decode().splitlines()
