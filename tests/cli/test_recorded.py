"""Recorded calls: what cases/NAME/cmd prints is what stands beside it, in stdout, stderr and exit.

Each cmd is a shell script that runs in a copy of data/, with `smerf` in its path. SMERF_RECORD=1 writes down what is
printed now instead of comparing; `git diff` then shows what has changed, to be looked at as a user would.
"""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from command import HERE, LONG, REPRODUCE, SMERF, environment

CASES = sorted(path.parent for path in HERE.glob("cases/*/cmd"))
STREAMS = ("stdout", "stderr", "exit")
IS_RECORDING = os.environ.get("SMERF_RECORD") == "1"


@pytest.fixture
def data(tmp_path):
    """A copy of the data to play in, and `smerf` in a folder of its own."""
    shutil.copytree(HERE / "data", tmp_path / "data")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "smerf").symlink_to(Path(SMERF).resolve())
    (tmp_path / "bin" / "smerf-reproduce").symlink_to(Path(REPRODUCE).resolve())
    return tmp_path / "data"


def play(case, data):
    """What a case prints, by the names of the files that record it."""
    path = f"{data.parent / 'bin'}:{os.environ['PATH']}"
    done = subprocess.run(
        ["sh", "-eu", case / "cmd"], cwd=data, env=environment(PATH=path), capture_output=True, timeout=LONG
    )
    without_times = re.sub(r"in [0-9.]+ s\b", "in T s", done.stderr.decode())
    return {"stdout": done.stdout.decode(), "stderr": without_times, "exit": f"{done.returncode}\n"}


def write_down(case, printed):
    for stream, text in printed.items():
        (case / stream).write_text(text)


def recorded(case):
    return {stream: (case / stream).read_text() for stream in STREAMS}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_it_prints_what_was_recorded(case, data):
    printed = play(case, data)
    if IS_RECORDING:
        write_down(case, printed)
    assert printed == recorded(case)


def test_every_command_has_its_help_recorded():
    listed = re.findall(r"^  ([a-z]+) ", (HERE / "cases" / "help" / "stdout").read_text(), re.MULTILINE)
    assert {f"help-{name}" for name in listed} == {case.name for case in CASES if case.name.startswith("help-")}
