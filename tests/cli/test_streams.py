"""Results go to standard output, messages to standard error, progress to a terminal only."""

import contextlib
import os
import pty
import re
import shlex
import signal
import subprocess

import pytest

from command import SMERF, environment, run, run_well
from running import busy_seconds, make_much, started, wait_for

# Commands that say something when they are done, and commands that print a result.
SAYING = {
    "fit": "fit items.csv --distances z.csv --trees 4 -o new",
    "merge": "merge model next -o new",
    "simulate": "simulate radial -n 3 -o new",
    "split": "split all.csv --labels c --by nodes --train 0.5 -o new",
}
PRINTING = {
    "predict": "predict model items.csv",
    "pairs": "predict model items.csv --pairs pairs.csv",
    "values": "predict labels all.csv --values",
    "evaluate": "evaluate model items.csv --distances z.csv --quiet",
    "importance": "importance model",
    "permutation": "importance model items.csv --permutation",
    "info": "info model",
    "export": "export model",
    "help": "--help",
    "help of a command": "fit --help",
    "version": "--version",
}
TUNE = "tune items.csv --distances z.csv --trees 20 -o new"

every_saying = pytest.mark.parametrize("words", SAYING.values(), ids=SAYING)
every_printing = pytest.mark.parametrize("words", PRINTING.values(), ids=PRINTING)


@pytest.fixture
def place(folder):
    (folder / "pairs.csv").write_text("i,j\nu,v\n")
    return folder


@pytest.fixture
def busy(tmp_path):
    make_much(tmp_path)
    return tmp_path


def grow(n_trees):
    return f"fit many.npy --distances many-z.npy --trees {n_trees} -o new"


@every_saying
def test_messages_go_to_standard_error(words, place):
    done = run_well(words, place)
    assert done.stdout == b""
    assert re.fullmatch(rb"smerf: .*\n", done.stderr)


@every_saying
def test_quiet_silences(words, place):
    done = run_well(f"{words} --quiet", place)
    assert (done.stdout, done.stderr) == (b"", b"")


@every_printing
def test_results_go_to_standard_output(words, place):
    done = run_well(words, place)
    assert done.stdout.endswith(b"\n")
    assert done.stderr == b""


def test_tune_prints_a_table_and_says_where_the_model_is(place):
    done = run_well(TUNE, place)
    assert done.stdout.startswith(b"splits ")
    assert re.fullmatch(rb"smerf: tried \d+ settings in [0-9.]+ s, the best model is in new\n", done.stderr)
    quiet = run_well(f"{TUNE} --quiet", place)
    assert (quiet.stdout, quiet.stderr) == (done.stdout, b"")


def test_quiet_does_not_silence_errors(place):
    assert run("info nowhere --quiet", place).stderr.startswith(b"smerf: nowhere: ")


# ---- standard input ----


def test_a_dash_is_standard_input(place):
    model, items, z = ((place / name).read_bytes() for name in ("model", "items.csv", "z.npy"))
    wanted = run_well("predict model items.csv", place).stdout
    assert run_well("predict - items.csv", place, stdin=model).stdout == wanted
    assert run_well("predict model -", place, stdin=items).stdout == wanted
    run_well("fit items.csv --distances - --trees 4 -o new", place, stdin=z)
    assert (place / "new").read_bytes() == model


# ---- standard output that takes nothing ----


def run_in_shell(words, redirection, folder):
    command = f"{shlex.quote(SMERF)} {words} {redirection}"
    return subprocess.run(["sh", "-c", command], cwd=folder, env=environment(), capture_output=True)


@every_printing
def test_a_full_disk_behind_standard_output_is_an_error(words, place):
    done = run_in_shell(words, ">/dev/full", place)
    assert done.returncode == 1
    assert re.fullmatch(rb"smerf: .*cannot be written.*\n", done.stderr)


@every_printing
def test_a_closed_standard_output_is_an_error(words, place):
    done = run_in_shell(words, ">&-", place)
    assert done.returncode == 1
    assert done.stderr.startswith(b"smerf: ")


@pytest.mark.parametrize("redirection, why", [(">/dev/full", "No space left on device"), (">&-", "Bad file descriptor")])
def test_one_line_names_standard_output(redirection, why, place):
    done = run_in_shell("info model", redirection, place)
    assert done.stderr.decode() == f"smerf: standard output: cannot be written: {why}\n"


def test_who_prints_nothing_needs_no_standard_output(place):
    done = run_in_shell(f"{SAYING['fit']} --quiet", ">&-", place)
    assert (place / "new").exists()
    assert (done.returncode, done.stderr) == (0, b"")


def test_a_closed_standard_error_does_not_harm_the_output(place):
    done = run_in_shell(SAYING["fit"], "2>&-", place)
    assert done.returncode == 0
    assert (place / "new").read_bytes() == (place / "model").read_bytes()


def test_who_stops_reading_ends_the_command(place):
    run_well("fit items.csv --distances z.csv --trees 2000 --quiet -o new", place)
    with started("export new", place, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdout.read(1)
        process.stdout.close()
        process.wait()
    assert process.returncode != 0


# ---- threads ----


@pytest.mark.parametrize("wish", ["1", "3", "2,4", "", "many"])
def test_omp_num_threads_changes_no_byte(wish, place):
    run_well(SAYING["fit"], place, OMP_NUM_THREADS=wish)
    assert (place / "new").read_bytes() == (place / "model").read_bytes()


def count_threads(process):
    return len(os.listdir(f"/proc/{process.pid}/task"))


@pytest.mark.parametrize("words, wish, n_threads", [
    ("--threads 1", {}, 1),
    ("", {"OMP_NUM_THREADS": "1"}, 1),
    ("", {"OMP_NUM_THREADS": "3"}, 3),
    ("--threads 2", {"OMP_NUM_THREADS": "3"}, 2),
])  # fmt: skip
def test_so_many_threads_work(words, wish, n_threads, busy):
    with started(f"{grow(1000000)} {words}", busy, wish, stderr=subprocess.DEVNULL) as process:
        wait_for(lambda: busy_seconds(process) > 0.3)
        assert count_threads(process) == n_threads


# ---- progress ----

WIPE = b"\r\x1b[K"


@contextlib.contextmanager
def on_a_terminal(words, folder):
    """A process whose standard error is a terminal, and our end of it."""
    ours, theirs = pty.openpty()
    try:
        with started(words, folder, stdin=theirs, stdout=subprocess.DEVNULL, stderr=theirs, start_new_session=True) as it:
            os.close(theirs)
            yield it, ours
    finally:
        os.close(ours)


def read_until(ours, mark=None):
    """What a terminal receives until the mark, or until the other end is closed."""
    seen = b""
    with contextlib.suppress(OSError):  # Linux says so when the other end is closed
        while mark is None or mark not in seen:
            piece = os.read(ours, 1000)
            if not piece:
                break
            seen += piece
    return seen


def shown_by(words, folder):
    with on_a_terminal(words, folder) as (process, ours):
        return read_until(ours), process.wait()


def test_progress_is_shown_on_a_terminal_and_wiped(busy):
    n_trees, seen = 100, b""
    while b"%" not in seen:  # longer until it is long enough for this machine
        n_trees *= 2
        seen, code = shown_by(grow(n_trees), busy)
        assert code == 0
    lines = seen.split(WIPE)
    assert lines[0] == b""
    assert all(re.fullmatch(rb"growing trees +\d+ %(  \d+ s left)?", line) for line in lines[1:-1])
    assert re.fullmatch(rb"smerf: learned .* written to new\r\n", lines[-1])


def test_quiet_shows_no_progress(busy):
    with on_a_terminal(grow(1000000) + " --quiet", busy) as (process, ours):
        os.set_blocking(ours, False)
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(timeout=1)
        with pytest.raises(BlockingIOError):
            os.read(ours, 1000)


def test_an_interrupt_wipes_the_progress(busy):
    with on_a_terminal(grow(1000000), busy) as (process, ours):
        read_until(ours, b"%")
        process.send_signal(signal.SIGINT)
        rest = read_until(ours)
        assert process.wait() == 1
    assert rest.endswith(WIPE + b"smerf: cancelled\r\n")


def test_no_progress_without_a_terminal(busy):
    seen = run_well(grow(2000), busy).stderr
    assert re.fullmatch(rb"smerf: learned .* written to new\n", seen)
