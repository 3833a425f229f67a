"""fit --estimate: what a fit would cost, told beforehand. Memory is counted, so it can be checked; time is not."""

import json
import re
import shlex
import subprocess
import sys

import numpy as np
import pytest

from command import IS_SANITIZED, SMERF, about_others, environment, run, run_well

N_ITEMS, N_LINKS = 1500, 40000
FIT = "fit items.csv --ignore y,y2,kind --trees 60 --threads 2"
COLUMNS = "fit items.csv --trees 60 --threads 2"
TARGETS = {
    "distances": f"{FIT} --distances z.npy",
    "oblique": f"{FIT} --distances z.npy --splits oblique",
    "low rank": f"{FIT} --distances z.npy --rank 4",
    "labels": f"{COLUMNS} --labels kind --ignore y,y2",
    "response": f"{COLUMNS} --response y,y2 --ignore kind",
    "product": f"{COLUMNS} --product y,y2 --ignore kind",
    "absolute": f"{COLUMNS} --absolute y --ignore y2,kind",
    "edges": f"{FIT} --edges edges.csv",
    "edges of low rank": f"{FIT} --edges edges.csv --rank 5",
    "pairs": f"{FIT} --pairs pairs.csv --complete off",
    "completed": f"{FIT} --pairs pairs.csv --complete 3",
}


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """Items that fill some megabytes with each kind of target."""
    folder = tmp_path_factory.mktemp("estimate")
    random = np.random.default_rng(1)
    x = random.normal(size=(N_ITEMS, 6))
    y = x[:, 0] + x[:, 1] ** 2
    z = np.abs(y[:, None] - y[None, :]) + 0.1 * np.abs(x[:, 2][:, None] - x[:, 2][None, :])
    np.save(folder / "z.npy", z.astype("f4"))
    with open(folder / "items.csv", "w") as file:
        file.write("a,b,c,d,e,f,y,y2,kind\n")
        for row, value in zip(x, y):
            file.write(",".join(f"{number:.5f}" for number in row))
            file.write(f",{value:.5f},{row[3]:.5f},{'low' if value < 0.5 else 'high'}\n")
    links = np.unique(np.sort(random.integers(0, N_ITEMS, (N_LINKS, 2))), axis=0)
    links = links[links[:, 0] < links[:, 1]]
    with open(folder / "edges.csv", "w") as edges, open(folder / "pairs.csv", "w") as pairs:
        edges.write("source,target\n")
        pairs.write("i,j,distance\n")
        for i, j in links:
            pairs.write(f"{i},{j},{z[i, j]:.4f}\n")
            if z[i, j] < 0.8:
                edges.write(f"{i},{j}\n")
    return folder


def estimate(words, folder):
    return json.loads(run_well(f"{words} --estimate --json", folder).stdout)


# A process starts with the peak of the one that it was started from: that one is small.
MEASURE = """
import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
"""


def peak_bytes(words, folder):
    """The most memory that a call has taken."""
    call = [sys.executable, "-S", "-c", MEASURE, SMERF, *shlex.split(words)]
    done = subprocess.run(call, cwd=folder, env=environment(), check=True, capture_output=True)
    return int(done.stdout) * 1024


every_target = pytest.mark.parametrize("words", TARGETS.values(), ids=TARGETS)


@pytest.mark.skipif(IS_SANITIZED, reason="sanitizers take memory of their own")
@every_target
def test_memory_is_about_what_a_fit_takes(words, place):
    told = estimate(words, place)
    taken = peak_bytes(f"{words} -o model --quiet", place)
    assert 0.6 < told["bytes"] / taken < 1.7
    assert 0.75 < told["model_bytes"] / (place / "model").stat().st_size < 1.35
    assert told["seconds"] > 0
    (place / "model").unlink()


@every_target
def test_memory_is_told_the_same_each_time(words, place):
    first, second = estimate(words, place), estimate(words, place)
    del first["seconds"], second["seconds"]
    assert first == second


def test_nothing_is_written(place):
    before = sorted(path.name for path in place.iterdir())
    run_well(f"{TARGETS['labels']} --estimate", place)
    run_well(f"{TARGETS['labels']} --estimate -o new", place)
    assert sorted(path.name for path in place.iterdir()) == before


def test_two_lines_are_printed(place):
    done = run_well(f"{TARGETS['labels']} --estimate", place)
    first, second = done.stdout.decode().splitlines()
    assert first.startswith(("about ", "less than 0.1 s")) and " of memory, and a model of " in first
    assert second == "(found by growing all of 60 trees)"
    assert re.fullmatch(rb"smerf: \S+: labels \S+, \d+ classes\n", about_others(done.stderr))


def test_more_trees_and_threads_take_more_memory(place):
    few, many = estimate(TARGETS["response"], place), estimate(f"{TARGETS['response']} --trees 600".replace("--trees 60 ", ""), place)
    assert many["bytes"] > few["bytes"] and many["model_bytes"] > 5 * few["model_bytes"]
    one = estimate(TARGETS["distances"].replace("--threads 2", "--threads 1"), place)
    assert one["bytes"] <= estimate(TARGETS["distances"], place)["bytes"]


def test_many_items_are_estimated_on_some_of_them(tmp_path):
    """Two trees on so many items are too much of a fit of four."""
    random = np.random.default_rng(2)
    np.save(tmp_path / "items.npy", random.normal(size=(60000, 41)))
    told = estimate("fit items.npy --response x40 --candidates all --trees 4 --threads 1", tmp_path)
    assert 0 < told["items_tried"] < 60000
    assert told["model_bytes"] > 4 * 0.6 * 60000 * 8  # the members alone


@pytest.mark.parametrize(
    "more", ["--trees 0", "--density 2", "--min-parent 1", "--rank 3", "--complete 2", "--candidates none", "--threads x"]
)
def test_what_a_fit_refuses_is_refused_in_the_same_words(more, place):
    words = f"fit items.csv --labels kind --ignore y,y2 {more}"
    fitted, estimated = run(f"{words} -o new", place), run(f"{words} --estimate", place)
    assert fitted.returncode == estimated.returncode == 2
    assert fitted.stderr == estimated.stderr
    assert estimated.stdout == b""


def test_other_methods_are_not_known(place):
    done = run_well(f"{FIT.replace('--trees 60', '')} --distances z.npy --method euclidean --estimate", place)
    assert done.stdout == b"time and memory of the method 'euclidean' are not known beforehand\n"
    told = estimate(f"{FIT.replace('--trees 60', '')} --distances z.npy --method euclidean", place)
    assert told == {"seconds": None, "bytes": None, "model_bytes": None, "trees_tried": 0, "items_tried": 0}


def test_json_is_for_estimates(place):
    done = run(f"{TARGETS['labels']} --json -o new", place)
    assert done.returncode == 2 and b"--json goes with --estimate" in done.stderr
