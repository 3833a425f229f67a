"""compare comes to what split, tune, fit and evaluate come to, one after the other."""

import csv
import itertools
import json
import math
import re

import numpy as np
import pytest

from command import about_others, run, run_well
from workspace import npy_of

N, SHARE, SEED, REPEATS = 26, 0.6, 7, 3
NAMES = [f"i{k}" for k in range(N)]
FEW = "--trees 12"
QUICK = "--burn 20 --draws 20"
DRAWN = "--pairs-a-round 150"  # of more, so that it matters
METHODS = ["smerf", "euclidean", "mahalanobis", "bilinear", "rfd", "plugin", "epm", "narm", "mean", "standardized", "gower", "boost"]
EVERY = ["rmse", "spearman", "map@10"]
AREAS = ["auc-roc", "auc-pr"]

ITEM_TARGETS = {"labels": "--labels kind", "response": "--response y,a", "absolute": "--absolute y", "product": "--product y"}
FILE_TARGETS = {
    "distances": "--distances z.npy",
    "condensed": "--distances condensed.npy",
    "similarities": "--similarities z.npy",
    "gaps": "--distances gaps.npy",
    "edges": "--edges edges.csv",
    "weighted": "--edges weighted.csv",
    "observed": "--edges edges.csv --observed observed.csv",
    "pairs": "--pairs rated.csv",
}
TARGETS = ITEM_TARGETS | FILE_TARGETS


# ---- data ----


def write_pairs(path, header, rows):
    path.write_text(header + "\n" + "".join(f"{NAMES[i]},{NAMES[j]}{rest}\n" for i, j, rest in rows))


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    folder, rng = tmp_path_factory.mktemp("compare"), np.random.default_rng(5)
    x = rng.normal(size=(N, 4)).round(3)
    kinds = ["blue" if row[0] > 0 else "red" for row in x]
    colours = rng.choice(["ash", "oak", "elm"], size=N)
    lines = [f"{NAMES[k]},{','.join(map(str, x[k]))},{colours[k]},{kinds[k]},{k % 5 + 1}\n" for k in range(N)]
    (folder / "items.csv").write_text("id,a,b,c,y,tree,kind,heft\n" + "".join(lines))
    z = np.abs(x[:, None, :2] - x[None, :, :2]).sum(axis=2)
    (folder / "z.npy").write_bytes(npy_of(z))
    (folder / "condensed.npy").write_bytes(npy_of(z[np.triu_indices(N, 1)]))
    every = list(itertools.combinations(range(N), 2))
    gaps = z.copy()
    for i, j in every[::5]:
        gaps[i, j] = gaps[j, i] = np.nan
    (folder / "gaps.npy").write_bytes(npy_of(gaps))
    linked = [pair for pair in every if z[pair] < 1]
    write_pairs(folder / "edges.csv", "source,target", [(i, j, "") for i, j in linked])
    write_pairs(folder / "weighted.csv", "source,target,weight", [(i, j, f",{(i + j) % 3 / 4}") for i, j in linked])
    write_pairs(folder / "observed.csv", "i,j", [(i, j, "") for i, j in every if (i * j) % 5])
    rated = [(j, i, f",{z[i, j]:.3f},{1 + (i + j) % 3}") for i, j in every if (i + j) % 4]
    rated += [(0, 0, ",0.25,2"), (1, 1, ",0,1"), (*linked[0], ",9,1")]  # itself, and once more
    write_pairs(folder / "rated.csv", "i,j,distance,weight", rated)
    return folder


def compare(words, folder, **more):
    done = run_well(f"compare items.csv {words} --json", folder, **more)
    return json.loads(done.stdout), about_others(done.stderr).decode()


# ---- by hand ----


def drop_diagonal(path):
    """A matrix that split has written, as a vector that says nothing of items and themselves."""
    z = np.load(path)
    path.write_bytes(npy_of(z[np.triu_indices(len(z), 1)]))


def cut_by_nodes(target, folder):
    """The target options of the training and of the test files."""
    if "condensed" in target:
        drop_diagonal(folder / "parts/train-distances.npy")
    if target in ITEM_TARGETS.values():
        return [target, target]
    kind = "edges" if "--edges" in target else "pairs" if "--pairs" in target else "distances"
    what = {"edges": "edges.csv", "pairs": "pairs.csv", "distances": "distances.npy"}[kind]
    both = [f"--{kind} parts/{part}-{what}" for part in ("train", "test")]
    if "--observed" in target:
        both = [f"{words} --observed parts/{part}-observed.csv" for words, part in zip(both, ("train", "test"))]
    return both


def link_same_labels(folder):
    """Pairs at distance 0 as edges: how labels are divided by pairs."""
    lines = [line for part in ("train", "test") for line in csv.DictReader(open(folder / f"parts/{part}-pairs.csv"))]
    edges = [f"{line['i']},{line['j']}\n" for line in lines if float(line["distance"]) == 0 and line["i"] != line["j"]]
    (folder / "parts/edges.csv").write_text("source,target\n" + "".join(edges))


def add_given_zeros(path):
    """Items at distance 0 from themselves, which split leaves out, because a forest takes them for granted."""
    with open(path) as file:
        listed = {line["i"] for line in csv.DictReader(file) if line["i"] == line["j"]}
    with open(path, "a") as file:
        file.writelines(f"{name},{name},0\n" for name in NAMES if name not in listed)


def cut_by_pairs(target, folder):
    gives_diagonal = target in ITEM_TARGETS.values() or "z.npy" in target or "gaps" in target
    if gives_diagonal and "--labels" not in target:
        add_given_zeros(folder / "parts/train-pairs.csv")
    if "--labels" in target:
        link_same_labels(folder)
    ignored = f"--ignore {target.split()[1]}" if target in ITEM_TARGETS.values() else ""
    if "--labels" in target or "--edges" in target:
        return [f"--edges parts/edges.csv --observed parts/{part}-pairs.csv {ignored}" for part in ("train", "test")]
    return [f"--pairs parts/{part}-pairs.csv {ignored}" for part in ("train", "test")]


def options_of(method):
    own = {"epm": QUICK, "narm": QUICK, "boost": DRAWN}
    return own.get(method, FEW if method in ("smerf", "rfd", "plugin") else "")


def scores_by_hand(method, target, by, folder, tuned_by=None):
    """The scores of every repeat, through the files of split."""
    found = []
    for seed in range(SEED, SEED + REPEATS):
        run_well(f"split items.csv {target} --by {by} --train {SHARE} --seed {seed} -o parts", folder)
        train, test = cut_by_nodes(target, folder) if by == "nodes" else cut_by_pairs(target, folder)
        items = ["train-items.csv", "test-items.csv"] if by == "nodes" else ["items.csv", "items.csv"]
        if "--ignore" in test:
            test = re.sub("--ignore .*", "", test)  # which the model remembers
        learn = f"tune --metric {tuned_by}" if tuned_by else f"fit --method {method}"
        run_well(f"{learn} parts/{items[0]} {train} --seed {seed} {options_of(method)} -o model", folder)
        told = json.loads(run_well(f"evaluate model parts/{items[1]} {test} --json", folder).stdout)
        found.append({metric: told[metric] for metric in [*EVERY, *AREAS] if metric in told})
    return found


def close(value):
    return pytest.approx(value, rel=1e-9, abs=1e-12)


def assert_summary(told, scores):
    for metric in scores[0]:
        values = [score[metric] for score in scores if score[metric] is not None]
        if not values:
            assert told[metric] == {"mean": None, "se": None}, metric
            continue
        mean = sum(values) / len(values)
        error = math.sqrt(sum((value - mean) ** 2 for value in values) / (len(values) - 1) / len(values))
        assert told[metric] == {"mean": close(mean), "se": close(error)}, metric


def check(target, by, place, tmp_path, extra="--tune no", tuned_by=None):
    words = f"{target} --by {by} --train {SHARE} --repeats {REPEATS} --seed {SEED} {FEW} {QUICK} {DRAWN} {extra}"
    result, _ = compare(words, place)
    for path in place.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    for told in result["methods"]:
        scores = scores_by_hand(told["method"], target, by, tmp_path, tuned_by)
        assert set(scores[0]) == set(told) - {"method"}
        assert_summary(told, scores)
    return result


# What applies beside smerf, euclidean, mahalanobis, bilinear and rfd.
ALSO = {("response", "nodes"): ["plugin"]} | {("labels", "pairs"): ["epm", "narm"]}
ALSO |= {(name, "nodes"): ["narm"] for name in ("edges", "observed")}
ALSO |= {(name, "pairs"): ["epm", "narm"] for name in ("edges", "observed")}


@pytest.mark.parametrize("by", ["nodes", "pairs"])
@pytest.mark.parametrize("name", TARGETS)
def test_every_method_is_scored_as_by_hand(name, by, place, tmp_path):
    result = check(TARGETS[name], by, place, tmp_path)
    told = [entry["method"] for entry in result["methods"]]
    assert told == sorted(["smerf", "euclidean", "mahalanobis", "bilinear", "rfd", "mean", "standardized", "gower", "boost", *ALSO.get((name, by), [])],
                          key=METHODS.index)  # fmt: skip
    assert sorted(told + [entry["method"] for entry in result["left_out"]]) == sorted(METHODS)
    links = name in ("labels", "edges", "weighted", "observed")
    assert list(result["methods"][0]) == ["method", *EVERY, *(AREAS if links else [])]


TUNED = [("distances", "", "rmse"), ("edges", "", "auc-roc"), ("labels", "", "rmse"), ("labels", "--metric auc-pr", "auc-pr")]


@pytest.mark.parametrize("name, options, metric", TUNED)
def test_smerf_is_tuned_as_by_hand(name, options, metric, place, tmp_path):
    result = check(TARGETS[name], "nodes", place, tmp_path, f"--methods smerf {options}", metric)
    assert result["tuned_by"] == metric


def test_items_may_be_weighed(place):
    words = "--distances z.npy --repeats 2 --trees 10 --tune no --methods smerf"
    plain, weighed = (compare(f"{words} {option} heft", place)[0] for option in ("--ignore", "--item-weights"))
    assert plain["methods"] != weighed["methods"]


# ---- what is told ----


def test_the_json_says_what_was_done(place):
    words = "--labels kind --methods euclidean,smerf --repeats 2 --train 0.5 --seed 3 --trees 5 --tune no --by pairs"
    result, messages = compare(words, place)
    assert [entry.pop("method") for entry in result.pop("methods")] == ["smerf", "euclidean"]
    assert [entry.pop("method") for entry in result.pop("differences")] == ["smerf", "euclidean"]
    assert result == {"by": "pairs", "train": 0.5, "repeats": 2, "seed": 3, "tuned_by": None, "left_out": []}
    *first, last = messages.splitlines()
    assert first[0] == "smerf: items.csv: labels kind, 2 classes"
    assert re.fullmatch(r"smerf: compared 2 methods over 2 repeats in [0-9.]+ s", first[1])
    assert re.fullmatch("smerf: by rmse .* standard error of the (difference|best).*", last)


def test_methods_that_do_not_apply_are_told_in_a_line_each(place):
    words = "--edges edges.csv --repeats 1 --trees 5 --tune no --burn 5 --draws 5"
    result, messages = compare(words, place)
    left_out = {entry["method"]: entry["why"] for entry in result["left_out"]}
    assert list(left_out) == ["plugin", "epm"]
    assert left_out["epm"] == "knows only the nodes it was trained on (narm and smerf predict new nodes)"
    for method, why in left_out.items():
        assert f"smerf: {method} is left out: {why}\n" in messages
    assert messages.count("\n") == 3 + len(left_out)  # about the edges, the whole, and map@10
    quiet = run_well(f"compare items.csv {words} --quiet", place)
    assert quiet.stderr == b""


def table(words, folder):
    done = run_well(f"compare items.csv {words} --quiet", folder)
    return [re.split(r"  +", line) for line in done.stdout.decode().splitlines()]


def test_the_table_marks_the_best_of_each_metric(place):
    words = "--edges edges.csv --repeats 3 --trees 10 --tune no --methods smerf,euclidean,bilinear"
    head, *lines = table(words, place)
    result, _ = compare(words, place)
    assert head == ["method", *EVERY, *AREAS, "seconds"]
    assert [line[0] for line in lines] == ["smerf", "euclidean", "bilinear"]
    for at, metric in enumerate(head[1:-1], 1):
        means = [entry[metric]["mean"] for entry in result["methods"]]
        best = None if None in means else min(means) if metric == "rmse" else max(means)
        for line, entry in zip(lines, result["methods"]):
            if line[at] == "-":
                assert metric == "map@10" and entry[metric]["mean"] is None  # fewer than twenty partners
                continue
            mean, error = re.fullmatch(r"(\S+) \+- (\S+)( [*~])?", line[at]).groups()[:2]
            assert line[at].endswith(" *") == (entry[metric]["mean"] == best)
            assert float(error) == pytest.approx(entry[metric]["se"], rel=0.06)
            assert float(mean) == pytest.approx(entry[metric]["mean"], abs=entry[metric]["se"])


def test_one_repeat_has_no_standard_error(place):
    words = "--distances z.npy --repeats 1 --trees 5 --tune no --methods smerf"
    assert all("+-" not in cell for line in table(words, place) for cell in line)
    result, _ = compare(words, place)
    assert result["methods"][0]["rmse"]["se"] is None


def test_the_number_of_threads_changes_nothing(place):
    words = f"compare items.csv --edges edges.csv --by pairs --repeats 2 --trees 10 {QUICK} --json --quiet"
    one, two = (run_well(f"{words} --threads {n}", place).stdout for n in (1, 2))
    assert one == two


def test_the_result_may_go_to_a_file(place, tmp_path):
    words = f"compare items.csv --distances z.npy --repeats 2 --trees 5 --tune no --methods smerf --json --quiet"
    done = run_well(f"{words} -o {tmp_path / 'result.json'}", place)
    assert done.stdout == b""
    assert (tmp_path / "result.json").read_bytes() == run_well(words, place).stdout


# ---- folds and groups ----


def groups_of(place, column):
    lines = list(csv.DictReader(open(place / "items.csv")))
    return [line[column] for line in lines]


def scores_of_folds(place, folds):
    """RMSE of the mean of the pairs within the training part, over the pairs within each fold."""
    z = np.load(place / "z.npy").astype(np.float32).astype(float)
    found = []
    for fold in folds:
        train = [i for i in range(N) if i not in fold]
        pairs = np.triu_indices(len(train), 1)
        guess = z[np.ix_(train, train)][pairs].mean()
        truth = z[np.ix_(fold, fold)][np.triu_indices(len(fold), 1)]
        found.append(math.sqrt(np.mean((truth - guess) ** 2)))
    return found


def test_groups_are_tested_as_a_whole(place):
    """Two groups, two folds: there is only one way."""
    kinds = groups_of(place, "kind")
    folds = [[i for i in range(N) if kinds[i] == kind] for kind in sorted(set(kinds))]
    values = scores_of_folds(place, folds)
    words = "--distances z.npy --methods mean --tune no --folds 2 --groups kind"
    result, messages = compare(words, place)
    assert result["methods"][0]["rmse"] == {"mean": close(np.mean(values)), "se": close(np.std(values, ddof=1) / math.sqrt(2))}
    assert (result["folds"], result["repeats"]) == (2, 1)
    assert "smerf: 2 groups by column 'kind' stay together\n" in messages and "2 folds and 1 repeat" in messages
    again, _ = compare("--distances z.npy --methods mean --tune no --groups kind --train 0.5 --repeats 1", place)
    assert again["methods"][0]["rmse"]["mean"] in [close(value) for value in values]


def test_a_column_of_groups_is_no_feature(place):
    words = "--distances z.npy --methods smerf --tune no --repeats 2 --trees 10"
    with_groups, _ = compare(f"{words} --groups id", place)  # every item is a group
    without, _ = compare(words, place)
    assert with_groups["methods"] == without["methods"]


def test_differences_are_from_the_best(place):
    result, _ = compare("--distances z.npy --methods mean,gower --tune no --folds 13", place)
    differences = {entry["method"]: entry["rmse"] for entry in result["differences"]}
    means = {entry["method"]: entry["rmse"]["mean"] for entry in result["methods"]}
    best = min(means, key=means.get)
    other = ({"mean", "gower"} - {best}).pop()
    assert differences[best] == {"mean": 0, "se": 0}
    assert differences[other]["mean"] == close(means[other] - means[best])


def test_small_data_are_divided_until_methods_differ(place):
    clear, messages = compare("--distances z.npy --methods mean,euclidean --tune no", place)
    assert clear["repeats"] == 5 and "further from the best" in messages
    words = "--distances z.npy --methods mean,smerf --tune no --trees 1"
    result, messages = compare(words, place)
    difference = {entry["method"]: entry["rmse"] for entry in result["differences"]}
    apart = [entry for entry in difference.values() if entry["se"] > 0]
    assert 5 <= result["repeats"] <= 20
    if result["repeats"] < 20:
        assert all(abs(entry["mean"]) > entry["se"] for entry in apart)
    fixed, _ = compare(f"{words} --repeats {result['repeats']}", place)
    assert fixed["methods"] == result["methods"]


# ---- wrong use ----

KNOWN = "smerf, euclidean, mahalanobis, bilinear, rfd, plugin, epm, narm, mean, standardized, gower, boost"
WRONG = {
    "--distances z.npy --methods forest": f"--methods 'forest' is not one of {KNOWN}",
    "--distances z.npy --methods smerf,": f"--methods '' is not one of {KNOWN}",
    "--distances z.npy --methods smerf,plugin":
        "--methods: plugin: needs a response, the number itself and not distances; the target is 'distances'",
    "--edges edges.csv --methods epm":
        "--methods: epm: knows only the nodes it was trained on (narm and smerf predict new nodes)",
    "--labels kind --methods narm":
        "--methods: narm: learns from a graph (--edges, perhaps with --observed), not from labels",
    "--distances z.npy --repeats 0": "--repeats 0 is below 1",
    "--distances z.npy --repeats some": "--repeats 'some' is not a whole number",
    "--distances z.npy --train 1": "--train '1' is not between 0 and 1",
    "--distances z.npy --train half": "--train 'half' is not a number",
    "--distances z.npy --train 0.04":
        "--train: 0.04 of 26 items makes 1 of 26 items to learn from: there must be two, and two to test with",
    "--distances z.npy --train 0.04 --by pairs":
        "--train: 0.04 of 26 items makes 0 of 325 known pairs to learn from: there must be some, and some to test with",
    "--distances z.npy --by items": "--by 'items' is not known; it is nodes or pairs",
    "--distances z.npy --tune maybe": "--tune 'maybe' is not known; it is no or yes",
    "--distances z.npy --metric mse": "--metric 'mse' is not known; it is rmse, spearman, map@10, auc-roc or auc-pr",
    "--distances z.npy --metric auc-roc":
        "--metric: auc-roc needs a graph or labels: a target of kind 'distances' has no links",
    "--distances z.npy --metric rmse --tune no": "--metric is what to tune by, and --tune no does not",
    "--distances z.npy --folds 1": "--folds 1 is below 2",
    "--distances z.npy --folds 3 --train 0.5":
        "--folds and --train exclude each other: of K folds all but one are learned from",
    "--distances z.npy --folds 3 --by pairs": "--folds is about items, and --by pairs divides pairs",
    "--distances z.npy --groups kind --by pairs": "--groups is about items, and --by pairs divides pairs",
    "--distances z.npy --folds 27": "--folds: 27 cannot be made of 26 items",
    "--distances z.npy --folds 20": "--folds: 25 of 26 items to learn from: there must be two, and two to test with",
    "--distances z.npy --groups kind --folds 3": "--folds: 3 cannot be made of 2 groups",
    "--distances z.npy --groups kind --train 0.1":
        "--train: 0.1 of 2 groups makes 0 to learn from: there must be some, and some to test with",
    "--labels kind --groups kind": "column 'kind' is in both --groups and --labels",
    "--distances z.npy --seed 9223372036854775807": "--seed: with one more for each repeat it leaves 0 ... 2^63 - 1",
    "--distances z.npy --trees 3:5": "--trees '3:5' is not a whole number",
    "--distances z.npy --trees 4294967296": "--trees 4294967296 is above 2^32 - 1",
    "--distances z.npy --candidates 3": "unknown option '--candidates'; see 'smerf compare --help'",
}  # fmt: skip


@pytest.mark.parametrize("words", WRONG)
def test_wrong_use_is_told_in_one_line(words, place):
    done = run(f"compare items.csv {words}", place)
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.decode() == f"smerf: compare: {WRONG[words]}\n"


def test_a_place_that_cannot_be_written_is_told_before_the_work(place):
    done = run("compare items.csv --distances z.npy -o nowhere/result", place)
    assert (done.returncode, done.stdout) == (1, b"")
    assert done.stderr.startswith(b"smerf: nowhere/result: ")
