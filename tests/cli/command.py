"""The command under test, and how the tests run it."""

import os
import re
import shlex
import subprocess
from pathlib import Path

HERE = Path(__file__).resolve().parent
SMERF = os.environ.get("SMERF", str(HERE.parents[1] / "build" / "smerf"))
REPRODUCE = SMERF + "-reproduce"  # the program of the paper's experiments stands beside it
LONG = 120  # seconds, after which a test gives up
IS_SANITIZED = b"__asan_init" in Path(SMERF).read_bytes()  # and so slow that tests with many runs take a sample


def environment(**more):
    """The caller's environment, without what would change the words of the command."""
    plain = {name: value for name, value in os.environ.items() if name != "OMP_NUM_THREADS"}
    return plain | {"LC_ALL": "C"} | more


def call_of(words):
    """The words of a call; those that start with smerf-reproduce name that program."""
    program, *rest = shlex.split(words) or [""]
    return [REPRODUCE, *rest] if program == "smerf-reproduce" else [SMERF, *shlex.split(words)]


def run(words, folder, stdin=b"", patience=LONG, **more):
    """Runs `smerf WORDS`, written as in a shell, in a folder; stdout and stderr come back as bytes.
    more: environment variables"""
    call = call_of(words)
    return subprocess.run(call, cwd=folder, input=stdin, capture_output=True, env=environment(**more), timeout=patience)


def about_others(stderr):
    """What was said besides the lines about the items that were read; test_files.py and the recorded calls look at those."""
    return re.sub(rb"smerf: [^\n]*: \d+ items?, \d+ features?[ ,][^\n]*\n", b"", stderr)


def run_well(words, folder, **more):
    """The same for a call that must succeed."""
    done = run(words, folder, **more)
    assert done.returncode == 0, f"smerf {words}: {done.stderr.decode()}"
    return done
