"""Outputs appear whole or not at all; what stood there before survives a run that fails."""

import os
import resource
import shlex
import signal
import stat
import subprocess
import tempfile
import threading
from pathlib import Path

import pytest

from command import LONG, SMERF, environment, run, run_well
from running import interrupt_at_work, make_much
from workspace import OLD

FIT = "fit items.csv --distances z.csv --trees 4 --quiet"

WRITERS = {
    "fit": FIT,
    "tune": "tune items.csv --distances z.csv --trees 20 --quiet",
    "predict": "predict model items.csv",
    "pairs": "predict model items.csv --pairs pairs.csv",
    "neighbors": "neighbors model --items items.csv -k 2",
    "votes": "neighbors model --items all.csv -k 2 --vote c --quiet",
    "map": "embed model items.csv --quiet",
    "vectors": "embed labels all.csv --vectors",
    "cluster": "cluster model items.csv -k 2 --quiet",
    "means": "cluster labels all.csv -k 2 --means --json --quiet",
    "values": "predict labels all.csv --values",
    "fit on edges": "fit items.csv --edges edges.csv --trees 4 --quiet",
    "evaluate": "evaluate graph items.csv --edges edges.csv --quiet",
    "importance": "importance model",
    "report": "report model items.csv --quiet",
    "numbers of a report": "report labels all.csv --json --quiet",
    "export": "export model",
    "merge": "merge model next --quiet",
}

every_writer = pytest.mark.parametrize("words", WRITERS.values(), ids=WRITERS)


@pytest.fixture
def place(folder):
    """The folder of good files, with pairs."""
    (folder / "pairs.csv").write_text("i,j\nu,v\n")
    return folder


def names(folder):
    return sorted(path.name for path in folder.iterdir())


@every_writer
def test_only_the_output_is_new(words, place):
    before = names(place)
    run_well(f"{words} -o new", place)
    assert names(place) == sorted([*before, "new"])


@every_writer
def test_an_old_output_is_replaced(words, place):
    before = names(place)
    run_well(f"{words} -o out", place)
    assert (place / "out").read_bytes() != OLD
    assert names(place) == before


@every_writer
def test_dev_null_takes_any_output(words, place):
    before = names(place)
    run_well(f"{words} -o /dev/null", place)
    assert names(place) == before
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)


@every_writer
def test_a_named_pipe_is_written_directly(words, place):
    run_well(f"{words} -o new", place)
    os.mkfifo(place / "pipe")
    received = []
    reader = threading.Thread(target=lambda: received.append((place / "pipe").read_bytes()), daemon=True)
    reader.start()
    run_well(f"{words} -o pipe", place)
    reader.join(LONG)
    assert received == [(place / "new").read_bytes()]
    assert stat.S_ISFIFO(os.stat(place / "pipe").st_mode)


@pytest.mark.parametrize("words", [words for name, words in WRITERS.items() if name != "tune"])
def test_a_dash_is_standard_output(words, place):
    run_well(f"{words} -o new", place)
    assert run_well(f"{words} -o -", place).stdout == (place / "new").read_bytes()


def test_a_link_stays_and_what_it_points_to_is_written(place):
    (place / "far").mkdir()
    (place / "far" / "target").write_bytes(OLD)
    (place / "link").symlink_to("far/target")
    run_well(f"{FIT} -o link", place)
    assert (place / "link").is_symlink()
    assert (place / "far" / "target").read_bytes() == (place / "model").read_bytes()
    assert names(place / "far") == ["target"]


def test_a_link_to_nothing_yet_stays_a_link(place):
    (place / "link").symlink_to("later")
    run_well(f"{FIT} -o link", place)
    assert (place / "link").is_symlink()
    assert (place / "later").read_bytes() == (place / "model").read_bytes()


def test_rights_of_an_old_output_are_kept(place):
    (place / "out").chmod(0o600)
    run_well(f"{FIT} -o out", place)
    assert stat.S_IMODE(os.stat(place / "out").st_mode) == 0o600


# ---- runs that fail ----


def run_with_small_files(words, folder, most_bytes):
    """Runs with a limit on the size of files: the disk is full after so many bytes."""
    return subprocess.run(
        [SMERF, *shlex.split(words)], cwd=folder, env=environment(), capture_output=True, timeout=LONG,
        restore_signals=False,  # Python ignores SIGXFSZ: writing fails instead
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (most_bytes, most_bytes)),
    )  # fmt: skip


@pytest.mark.parametrize("words", ["predict model items.csv", "predict labels all.csv --values", "export model", FIT])
def test_a_disk_that_fills_up_leaves_the_old_output(words, place):
    before = names(place)
    done = run_with_small_files(f"{words} -o out", place, most_bytes=50)
    assert done.stderr.decode().replace(str(place) + "/", "") == "smerf: out: cannot be written: File too large\n"
    assert done.returncode == 1
    assert (place / "out").read_bytes() == OLD
    assert names(place) == before


# ---- the files of split ----

BY_NODES = "split items.csv --edges edges.csv --by nodes --train 0.5"
BY_PAIRS = "split items.csv --edges edges.csv --by pairs --train 0.7"
PARTS = {
    BY_NODES: ["cross-edges.csv", "test-edges.csv", "test-items.csv", "train-edges.csv", "train-items.csv"],
    BY_PAIRS: ["edges.csv", "items.csv", "test-pairs.csv", "train-pairs.csv"],
}

every_split = pytest.mark.parametrize("words", PARTS, ids=["by nodes", "by pairs"])


@every_split
def test_split_makes_its_folder_and_nothing_else(words, place):
    before = names(place)
    run_well(f"{words} -o new", place)
    assert names(place) == sorted([*before, "new"])
    assert names(place / "new") == PARTS[words]


@every_split
def test_split_replaces_its_files_and_leaves_others(words, place):
    (place / "old").mkdir()
    for name in [*PARTS[words], "notes.txt"]:
        (place / "old" / name).write_bytes(OLD)
    run_well(f"{words} -o old", place)
    assert names(place / "old") == sorted([*PARTS[words], "notes.txt"])
    assert [name for name in names(place / "old") if (place / "old" / name).read_bytes() == OLD] == ["notes.txt"]


@every_split
def test_a_split_that_is_refused_makes_no_folder(words, place):
    before = names(place)
    assert run(f"{words.replace('0.5', '0.1').replace('0.7', '0.1')} -o new", place).returncode == 2
    assert names(place) == before


@every_split
def test_a_folder_in_the_way_stops_a_split_and_old_files_stay(words, place):
    last = "cross-edges.csv" if words == BY_NODES else "edges.csv"  # as they are written
    (place / "old" / last).mkdir(parents=True)
    for name in PARTS[words]:
        if name != last:
            (place / "old" / name).write_bytes(OLD)
    done = run(f"{words} -o old", place)
    assert (done.returncode, done.stderr.decode()) == (1, f"smerf: old/{last}: cannot be written: Is a directory\n")
    assert names(place / "old") == PARTS[words]
    assert all((place / "old" / name).read_bytes() != b"" for name in PARTS[words] if name != last)


@every_split
def test_a_disk_that_fills_up_leaves_no_half_of_a_file(words, place):
    (place / "old").mkdir()
    for name in PARTS[words]:
        (place / "old" / name).write_bytes(OLD)
    run_well(f"{words} -o whole", place)
    done = run_with_small_files(f"{words} -o old", place, most_bytes=20)
    assert done.returncode == 1
    line = done.stderr.decode().replace(str(place) + "/", "")
    assert line in [f"smerf: old/{name}: cannot be written: File too large\n" for name in PARTS[words]]
    assert names(place / "old") == PARTS[words]
    for name in PARTS[words]:
        assert (place / "old" / name).read_bytes() in (OLD, (place / "whole" / name).read_bytes())


NOBODY = 65534


def run_as_nobody(words, folder):
    """As a user who may not write everywhere, unless we are one already."""
    user = {"user": NOBODY, "group": NOBODY, "extra_groups": []} if os.getuid() == 0 else {}
    return subprocess.run([SMERF, *shlex.split(words)], cwd=folder, env=environment(), capture_output=True, **user)


@pytest.fixture
def public(place):
    """The good files in a folder that everyone may read."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for path in place.iterdir():
            (folder / path.name).write_bytes(path.read_bytes())
        folder.chmod(0o555)
        try:
            seen = run_as_nobody("--version", folder)
        except PermissionError:
            seen = None
        if seen is None or seen.returncode != 0:
            pytest.skip("nobody may not run the command here")
        yield folder
        folder.chmod(0o755)


def test_a_read_only_folder_is_an_error(public):
    done = run_as_nobody(f"{FIT} -o new", public)
    assert (done.returncode, done.stderr) == (1, b"smerf: new: cannot be written: Permission denied\n")
    assert "new" not in names(public)


def test_a_read_only_output_is_an_error(public):
    public.chmod(0o777)
    (public / "out").chmod(0o444)
    before = names(public)
    done = run_as_nobody(f"{FIT} -o out", public)
    assert (done.returncode, done.stderr) == (1, b"smerf: out: cannot be written: Permission denied\n")
    assert (public / "out").read_bytes() == OLD
    assert names(public) == before


def test_an_unreadable_input_is_an_error(public):
    (public / "items.csv").chmod(0)
    done = run_as_nobody(f"{FIT} -o /dev/null", public)
    assert (done.returncode, done.stderr) == (1, b"smerf: items.csv: cannot be opened: Permission denied\n")


# ---- runs that are stopped ----

LONG_RUNS = {
    "fit": "fit many.npy --distances many-z.npy --trees 1000000 -o out",
    "tune": "tune many.npy --distances many-z.npy --trees 1000000 -o out",
    "predict": "predict big crowd.npy -o out",
    "predict npy": "predict big crowd.npy -o out.npy",
}


@pytest.fixture(scope="module")
def busy_folder(tmp_path_factory):
    """Made once for all runs, none of which changes it."""
    folder = tmp_path_factory.mktemp("busy")
    make_much(folder)
    run_well("fit many.npy --distances many-z.npy --trees 100 --quiet -o big", folder)
    (folder / "out").write_bytes(OLD)
    (folder / "out.npy").write_bytes(OLD)
    return folder


def check_stopped(words, folder, number):
    before = names(folder)
    code, stdout, stderr = interrupt_at_work(words, folder, number)
    assert (code, stderr) == (128 + number, b"smerf: cancelled\n")
    assert (folder / "out").read_bytes() == OLD and (folder / "out.npy").read_bytes() == OLD
    assert names(folder) == before
    return stdout


@pytest.mark.parametrize("words", LONG_RUNS.values(), ids=LONG_RUNS)
def test_an_interrupt_stops_cleanly(words, busy_folder):
    assert check_stopped(words, busy_folder, signal.SIGINT) == b""


def test_being_terminated_stops_as_cleanly(busy_folder):
    assert check_stopped(LONG_RUNS["fit"], busy_folder, signal.SIGTERM) == b""


@pytest.mark.parametrize("output", ["nowhere/out", "."])
def test_an_output_that_cannot_be_written_is_refused_before_the_work(output, busy_folder):
    words = LONG_RUNS["fit"].replace("-o out", f"-o {output}")
    try:
        assert run(words, busy_folder, patience=3).returncode == 1
    except subprocess.TimeoutExpired:
        pytest.fail("still growing trees")
