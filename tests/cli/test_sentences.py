"""The library's sentences name options apart from their words (src/base/status.h); the command writes them as --options."""

import re
from pathlib import Path

import numpy as np
import pytest

from command import run, run_well
from workspace import npy_of

ROOT = Path(__file__).resolve().parents[2]
READERS = {"io"}  # read files for the command alone, and may name its options
LITERAL = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
CALL = re.compile(r"sm_fail(?:_at|_within)?\(")
MARK = re.compile(r"\{([^{}]*)\}")
DYNAMIC = {
    "boost_fit.c": {"rounds", "most_rounds", "leaves", "min_leaf", "pairs_a_round"},
    "divide.c": {"folds", "train", "groups"},
    "train_method.c": {"sample_pairs", "factors", "burn", "draws", "chains", "trees"},
}


def library_files():
    files = [path for path in sorted((ROOT / "src").rglob("*.[ch]")) if path.relative_to(ROOT / "src").parts[0] not in READERS]
    assert len(files) > 200
    return files


def without_comments(text):
    return re.sub(r"/\*.*?\*/|//[^\n]*", " ", text, flags=re.DOTALL)


def sentences():
    """(file, format) of every call that fails with a sentence; pieces of a format that stand side by side are one."""
    for path in library_files():
        code = re.sub(r'"\s*\n\s*"', "", without_comments(path.read_text()))
        for call in CALL.finditer(code):
            end = code.index(";", call.end()) if ";" in code[call.end() :] else len(code)
            literals = LITERAL.findall(code[call.end() : end])
            if literals:
                yield path, literals[0]


@pytest.fixture(scope="module")
def options(tmp_path_factory):
    """All that the commands have, with _ for -."""
    folder = tmp_path_factory.mktemp("help")
    commands = re.findall(r"^  ([a-z]+)  ", run_well("--help", folder).stdout.decode(), re.MULTILINE)
    texts = [run_well(f"{command} --help", folder).stdout.decode() for command in commands]
    texts += [run_well(f"help {topic}", folder).stdout.decode() for topic in ("targets", "items", "fit-options")]
    found = set(re.findall(r"--([a-z][a-z0-9-]*)", "\n".join(texts)))
    assert {"rank", "most-k", "edges", "repeats", "grid"} <= found
    return {name.replace("-", "_") for name in found}


def test_no_text_of_the_library_names_an_option_of_the_command():
    for path in library_files():
        for text in LITERAL.findall(without_comments(path.read_text())):
            assert re.search(r"(?<!-)--[a-z]", text) is None, f"{path}: {text}"


def test_what_sentences_mark_are_options(options):
    marked = set()
    for path, text in sentences():
        for mark in MARK.findall(text):
            if mark == "%s":
                assert path.name in DYNAMIC, f"{path}: {text}"
                marked |= DYNAMIC[path.name]
                assert all(f'"{name}"' in path.read_text() for name in DYNAMIC[path.name])
            else:
                assert mark.split(" ")[0] in options, f"{path}: {text}"
                marked.add(mark.split(" ")[0])
    assert len(marked) > 20 and marked <= options, marked - options


def test_a_sentence_that_begins_with_an_option_marks_it(options):
    for path, text in sentences():
        start = re.match(r"([a-z][a-z_-]*): ", text)
        if start is not None and start[1] != "vectors":  # which are what the sentence is about
            assert start[1].replace("-", "_") not in options, f"{path}: {text}"


# ---- provoked ----


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sentences")
    x = np.random.default_rng(3).normal(size=(30, 4))
    (folder / "z.npy").write_bytes(npy_of(np.abs(x[:, None] - x).sum(axis=2)))
    rows = [",".join(map(str, row)) + f",{'ab'[k % 2]},{k + 1}" for k, row in enumerate(x)]
    (folder / "items.csv").write_text("\n".join(["p,q,r,s,kind,heft", *rows]) + "\n")
    (folder / "edges.csv").write_text("source,target\n" + "".join(f"{k},{k + 1}\n" for k in range(29)))
    (folder / "pairs.csv").write_text("i,j,distance\n" + "".join(f"{k},{k + 2},{k}\n" for k in range(28)))
    run_well("fit items.csv --ignore kind,heft --distances z.npy --trees 3 --sample none -o none", folder)
    run_well("fit items.csv --ignore kind --absolute heft --trees 3 -o absolute", folder)
    run_well("fit items.csv --ignore kind,heft --edges edges.csv --method epm --burn 3 --draws 3 -o epm", folder)
    return folder


FIT = "fit items.csv --ignore kind,heft -o new"
Z = "--distances z.npy"

# bindings/python/tests/test_messages.py has the same, in Python's words.
PROVOKED = {
    "evaluate none items.csv --oob": "the model was fitted with --sample none: every tree",
    "importance none items.csv --permutation": "the model was fitted with --sample none: every tree",
    f"{FIT} {Z} --method epm": "epm learns from a graph (--edges, perhaps with --observed), not from distances",
    "fit items.csv --ignore kind -o new --edges edges.csv --method epm --item-weights heft": "leave --item-weights out",
    "embed absolute items.csv --vectors -o v.npy": "and distances of a low --rank; the target",
    "cluster absolute items.csv -k 3 --means": "clusters by means: vectors are there for labels, responses, products, and distances of a low --rank;",
    "fit items.csv --ignore kind -o new --response heft --method plugin --sample none": "plugin: --sample none leaves no item out of a tree, and so no residuals; take --sample bootstrap",
    "fit items.csv --ignore heft -o new --labels kind --rank 2": "fit: --rank: a low rank",
    f"{FIT} {Z} --complete 2": "fit: --complete: a target of kind 'distances' has no missing pairs",
    f"{FIT} --pairs pairs.csv --complete 1000": "fit: --complete: a rank of 1000 is more than 64",
    f"{FIT} {Z} --splits oblique --candidates 999999999": "fit: --candidates: 1e+09 directions",
    f"{FIT} {Z} --density 0.5": "fit: --density: only oblique splits have one",
    f"{FIT} {Z} --splits oblique --candidates 1 --density 0.001": "fit: --density: 0.001 leaves no non-zeros",
    f"{FIT} {Z} --self-distance 1e300": "fit: --self-distance: 1e+300 is not a number that float32 can hold",
    f"{FIT} {Z} --method rfd --sample-pairs 99999999999": "fit: --sample-pairs: 99999999999 is not in 1 ...",
    "cluster absolute items.csv -k auto --most-k 30": "cluster: --most-k: 30 is not between 2 and 29",
    f"compare items.csv --ignore kind,heft {Z} --folds 31": "compare: --folds: 31 cannot be made of 30 items",
    f"compare items.csv --ignore kind,heft {Z} --train 0.01": "compare: --train: 0.01 of 30 items makes 0 of 30 items",
    f"compare items.csv --ignore heft {Z} --groups kind --train 0.1": "compare: --train: 0.1 of 2 groups makes 0",
    f"compare items.csv --ignore kind,heft {Z} --methods epm": "compare: --methods: epm: learns from a graph (--edges, perhaps with --observed)",
    f"compare items.csv --ignore kind,heft {Z} --metric auc-roc": "compare: --metric: auc-roc needs a graph or labels",
    f"compare items.csv --ignore kind,heft {Z} --seed {2**63 - 1}": "compare: --seed: with one more for each repeat",
    "embed epm items.csv --landmarks 3 -o map.csv": "--landmarks: the model knows items without ids only all together",
    f"tune items.csv --ignore kind,heft {Z} -o new --grid 'min-parent={','.join(map(str, range(2, 40)))};candidates={','.join(['2,3,4'])};splits=axis,oblique;self-distance=given,exclude,1'": "tune: --grid: there are more than 512 settings",
}


@pytest.mark.parametrize("words", PROVOKED)
def test_the_command_names_its_options(words, place):
    done = run(words + " --quiet", place)
    assert done.returncode == 2 and done.stdout == b""
    assert PROVOKED[words] in done.stderr.decode() and done.stderr.count(b"\n") == 1
    assert done.stderr.startswith(b"smerf: ")


def test_a_method_that_is_left_out_is_told_with_options(place):
    words = f"compare items.csv --ignore kind,heft {Z} --repeats 1 --tune no --trees 3"
    done = run_well(words, place)
    assert b"epm is left out: learns from a graph (--edges, perhaps with --observed), not from distances" in done.stderr
    told = run_well(words + " --json --quiet", place).stdout.decode()
    assert '"why": "learns from a graph (--edges, perhaps with --observed), not from distances"' in told
