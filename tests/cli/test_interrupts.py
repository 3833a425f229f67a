"""Ctrl-C ends any command soon, whatever it is at, with exit status 130 and nothing left behind."""

import shutil
import signal
import subprocess
import time

import numpy as np
import pytest

from command import run_well
from running import busy_seconds, catches, started, wait_for
from workspace import npy_of

SOON = 10  # seconds, on a machine that has much else to do: it takes half of one where it has not
MOMENTS = [0.05, 0.3, 0.8]  # of processor time

LONG_RUNS = {
    "reading": "fit - --response y -o new",
    "distances": "fit wide.npy --distances z.npy --trees 100000 -o new",
    "oblique": "fit wide.npy --distances z.npy --splits oblique --candidates p^1.5 --trees 100000 -o new",
    "categories": "fit levels.csv --response y --trees 100000 -o new",
    "rank": "fit wide.npy --distances z.npy --rank 200 --trees 100000 -o new",
    "completion": "fit wide.npy --pairs pairs.csv --trees 100000 -o new",
    "mahalanobis": "fit broad.npy --distances broad-z.npy --method mahalanobis -o new",
    "bilinear": "fit broad.npy --distances broad-z.npy --method bilinear -o new",
    "rfd": "fit wide.npy --distances z.npy --method rfd --trees 100000 -o new",
    "epm": "fit wide.npy --edges edges.csv --method epm --burn 1000000 -o new",
    "estimate": "fit wide.npy --distances z.npy --splits oblique --candidates p^1.5 --estimate",
    "tune": "tune wide.npy --distances z.npy --trees 100000 -o new",
    "compare": "compare wide.npy --distances z.npy -o new",
    "predict": "predict model crowd.npy -o new.csv",
    "neighbors": "neighbors model crowd.npy -k 5 -o new.csv --graph new.mtx",
    "evaluate": "evaluate model crowd.npy --response x60",
    "permutation": "importance model wide.npy --permutation --interactions 20",
    "explain": "explain model crowd.npy --item 7",
    "cluster": "cluster model crowd.npy -k auto -o new.csv",
    "means": "cluster labels crowd.npy -k auto --means -o new.csv",
    "embed": "embed model crowd.npy --landmarks 4000 -o new.npy",
    "report": "report model crowd.npy -o new.html",
    "export": "export model -o new.json",
    "split": "split crowd.npy --response x0 --by pairs --train 0.7 -o new",
    "simulate": "simulate radial -n 6000 -o new",
}


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    folder = tmp_path_factory.mktemp("long")
    random = np.random.default_rng(1)
    x = random.normal(size=(700, 60))
    z = np.abs(x[:, None, 0] - x[None, :, 0]) + np.abs(x[:, None, 1] - x[None, :, 1])
    (folder / "wide.npy").write_bytes(npy_of(x))
    (folder / "z.npy").write_bytes(npy_of(z.astype("f4")))
    broad = random.normal(size=(1000, 400))
    (folder / "broad.npy").write_bytes(npy_of(broad))
    (folder / "broad-z.npy").write_bytes(npy_of(np.abs(broad[:, None, 0] - broad[None, :, 0]).astype("f4")))
    (folder / "crowd.npy").write_bytes(npy_of(random.normal(size=(8000, 61))))
    rows = zip(random.integers(0, 3000, 20000), random.normal(size=20000))
    (folder / "levels.csv").write_text("a,y\n" + "".join(f"l{a},{y:.4f}\n" for a, y in rows))
    pairs = np.unique(np.sort(random.integers(0, 700, (20000, 2))), axis=0)
    pairs = pairs[pairs[:, 0] < pairs[:, 1]]
    (folder / "pairs.csv").write_text("i,j,distance\n" + "".join(f"{i},{j},{z[i, j]:.4f}\n" for i, j in pairs))
    (folder / "edges.csv").write_text("source,target\n" + "".join(f"{i},{j}\n" for i, j in pairs if z[i, j] < 1))
    run_well("fit wide.npy --distances z.npy --trees 500 --quiet -o model", folder)
    run_well("fit wide.npy --response x0 --trees 500 --quiet -o labels", folder)
    return folder


def interrupt_after(moment, words, folder):
    """The exit status, what it said, how long it took to end; None: it was done before."""
    pipe = subprocess.PIPE
    with started(words, folder, stdin=pipe, stdout=subprocess.DEVNULL, stderr=pipe) as process:
        if " - " in words:
            process.stdin.write(b"x,y\n1,2\n")
            process.stdin.flush()
        wait_for(lambda: process.poll() is not None or catches(process, signal.SIGINT))
        begun = time.monotonic()
        is_reading = " - " in words
        wait_for(
            lambda: process.poll() is not None
            or busy_seconds(process) > moment
            or (is_reading and time.monotonic() - begun > moment)
        )
        if process.poll() is not None:
            return None
        sent = time.monotonic()
        process.send_signal(signal.SIGINT)
        code = process.wait(timeout=6 * SOON)
        return code, process.stderr.read().decode(), time.monotonic() - sent


@pytest.mark.parametrize("words", LONG_RUNS.values(), ids=LONG_RUNS)
def test_an_interrupt_ends_it_soon_and_leaves_nothing(words, place):
    before = sorted(path.name for path in place.rglob("*"))
    ends = [interrupt_after(moment, words, place) for moment in MOMENTS]
    assert ends[0] is not None, "too short a run to be interrupted"
    for code, said, seconds in (end for end in ends if end is not None):
        assert code == 130
        assert said.endswith("smerf: cancelled\n")
        assert seconds < SOON
    for path in place.glob("new*"):  # of a run that was done before its last moment
        assert None in ends
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    if None not in ends:
        assert sorted(path.name for path in place.rglob("*")) == before


# ---- tune: the first Ctrl-C asks for the best so far ----

# A few settings that are tried soon, and one that takes for ever.
TUNE = (
    "tune wide.npy --distances z.npy --trees {0} --grid "
    "'candidates=1,5000;min-parent=200;splits=oblique;density=0.02;self-distance=given' -o new"
)
STOPPING = b"smerf: stopping, with the best so far; press Ctrl-C again to stop without a model\n"


def tuning_at_work(folder, n_interrupts, use):
    """Interrupts tune once it has tried something; what `use` makes of its exit status, output and messages.
    Before the first result an interrupt ends it, so that it is tried again with more patience."""
    for moment in [0.5 * 2**k for k in range(8)]:
        with started(TUNE.format(4000), folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            wait_for(lambda: process.poll() is not None or busy_seconds(process) > moment)
            assert process.poll() is None, "it has tried everything"
            process.send_signal(signal.SIGINT)
            line = process.stderr.readline()
            if line == STOPPING and n_interrupts == 2:
                process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=60)
        if line == STOPPING:
            return use(process.returncode, out.decode(), err.decode())
        assert (process.returncode, line, err, out) == (130, b"smerf: cancelled\n", b"", b"")
        assert not (folder / "new").exists()
    pytest.fail("it never offered to stop")


def test_the_first_interrupt_of_tune_writes_the_best_so_far(place):
    def look(code, out, err):
        assert code == 0
        items, target, stopped, tried = err.splitlines()
        assert items.startswith("smerf: wide.npy: ") and target.startswith("smerf: z.npy: ")
        assert stopped.startswith("smerf: stopped, with 1 setting not tried")
        assert tried.startswith("smerf: tried 1 setting in ")
        assert out.count("\n") == 2 and out.endswith("<- best\n")
        assert '"smerf"' in run_well("info new --json", place).stdout.decode()
        (place / "new").unlink()

    tuning_at_work(place, 1, look)


def test_the_second_interrupt_of_tune_writes_nothing(place):
    def look(code, out, err):
        if code == 0:  # it had written the best before the second one came
            (place / "new").unlink()
            return
        assert (code, out) == (130, "")
        assert err.endswith("smerf: cancelled\n")
        assert not (place / "new").exists()

    tuning_at_work(place, 2, look)
