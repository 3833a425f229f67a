"""A category of thousands of levels: it costs about what a number costs, in time, memory and the model; and importance warns."""

import json
import random
import signal
import subprocess
import sys

import numpy as np
import pytest

from command import IS_SANITIZED, SMERF, environment, run_well
from running import interrupt_at_work

N, N_SMALL = 20000, 2000
TARGETS = {
    "labels": "fit many.csv --labels kind --ignore y,few",
    "response": "fit many.csv --response y --ignore kind,few",
    "absolute": "fit many.csv --absolute y --ignore kind,few",
    "edges": "fit many.csv --edges edges.csv --ignore y,kind,few",
    "pairs": "fit many.csv --pairs pairs.csv --complete off --ignore y,kind,few",
    "distances": "fit some.csv --distances z.npy --ignore y,kind,few",
}
LEVELS = "--categories name"
every_target = pytest.mark.parametrize("words", TARGETS.values(), ids=TARGETS)


def write_items(path, n, random):
    x = random.normal(size=(n, 3))
    names = random.permutation(n)
    y = x[:, 0] + 0.5 * random.normal(size=n)
    rows = [f"{i},{a:.5f},{b:.5f},{c:.5f},name{k:05d},f{k % 5},{v:.5f},{'low' if v < 0.3 else 'high'}"
            for i, ((a, b, c), k, v) in enumerate(zip(x, names, y))]
    path.write_text("id,a,b,c,name,few,y,kind\n" + "\n".join(rows) + "\n")
    return y


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """Every item has a name of its own."""
    folder = tmp_path_factory.mktemp("levels")
    random = np.random.default_rng(1)
    order = np.argsort(write_items(folder / "many.csv", N, random))
    links = [(order[i], order[i + step]) for step in (1, 3, 10) for i in range(N - step)]
    (folder / "edges.csv").write_text("source,target\n" + "".join(f"{i},{j}\n" for i, j in links))
    (folder / "pairs.csv").write_text("i,j,distance\n" + "".join(f"{i},{j},{(i + j) % 7}\n" for i, j in links))
    y = write_items(folder / "some.csv", N_SMALL, random)
    np.save(folder / "z.npy", np.abs(y[:, None] - y[None, :]).astype("f4"))
    return folder


@every_target
def test_a_level_for_each_item_grows_the_same_model_on_any_number_of_threads(words, place):
    models = []
    for threads in (1, 3):
        run_well(f"{words} {LEVELS} --trees 3 --threads {threads} --quiet -o model", place)
        models.append((place / "model").read_bytes())
    assert models[0] == models[1]
    run_well(f"{words},name --trees 3 --quiet -o plain", place)
    assert len(models[0]) < 3 * (place / "plain").stat().st_size + 2_000_000  # the names, and lists of levels


@pytest.mark.skipif(IS_SANITIZED, reason="sanitizers take time and memory of their own")
@every_target
def test_memory_is_about_what_is_told(words, place):
    told = json.loads(run_well(f"{words} {LEVELS} --trees 6 --threads 2 --estimate --json", place).stdout)
    measure = ("import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True);"
               "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)")
    call = f"{words} {LEVELS} --trees 6 --threads 2 --quiet -o model".split()
    done = subprocess.run([sys.executable, "-S", "-c", measure, SMERF, *call], cwd=place, env=environment(), check=True,
                          capture_output=True)
    assert 0.6 < told["bytes"] / (1024 * int(done.stdout)) < 1.7
    assert 0.75 < told["model_bytes"] / (place / "model").stat().st_size < 1.35


def test_an_oblique_forest_takes_one_level_at_a_time(place):
    run_well(f"{TARGETS['response']} {LEVELS} --splits oblique --trees 3 --quiet -o model", place)
    assert (place / "model").stat().st_size < 10_000_000


@every_target
def test_an_interrupt_is_heeded_at_once(words, place):
    code, _, stderr = interrupt_at_work(f"{words} {LEVELS} --trees 100000 -o never", place, signal.SIGINT)
    assert code in (1, 130) and stderr.endswith(b"smerf: cancelled\n")
    assert not (place / "never").exists()


# ---------------------------------------------------------------- importance

def test_importance_names_a_category_that_gains_overstate(place):
    draw = random.Random(5)
    lines = [f"{draw.random()},n{i % 60},{draw.random()}\n" for i in range(120)]
    (place / "few.csv").write_text("a,name,y\n" + "".join(lines))
    run_well(f"{TARGETS['response']} {LEVELS} --trees 3 --quiet -o model", place)
    done = run_well("importance model", place)
    assert done.stderr.decode() == (
        "smerf: name (20000 levels): gains overstate a category with few items for each level; --permutation does not\n")
    assert done.stdout.startswith(b"feature,importance\nname,1\n")
    quiet = run_well("importance model --quiet", place)
    assert (quiet.stdout, quiet.stderr) == (done.stdout, b"")
    run_well("fit few.csv --response y --categories name --trees 20 --quiet -o model", place)
    report = json.loads(run_well("report model few.csv --json -o -", place).stdout)
    assert "Gains overstate categories with few items for each level: name (60 levels)." in report["notes"]


def test_importance_says_nothing_of_few_levels(place):
    run_well("fit many.csv --response y --ignore kind,name --trees 3 --quiet -o model", place)
    done = run_well("importance model", place)
    assert done.stderr == b"" and b"few," in done.stdout
