"""What the tests share: the command, if it is there, and some data."""

import os
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from hypothesis import settings

settings.register_profile("steady", derandomize=True, deadline=None, max_examples=40)
settings.load_profile("steady")

HERE = Path(__file__).resolve().parent
COMMAND = os.environ.get("SMERF", str(HERE.parents[2] / "build" / "smerf"))


@pytest.fixture
def command(tmp_path):
    """Runs the command in a folder of its own: command("fit", "x.npy", ...). Its folder is command.folder."""
    if shutil.which(COMMAND) is None:
        pytest.skip("the command is not built; SMERF says where it is")

    def run(*words):
        done = subprocess.run([COMMAND, *map(str, words)], cwd=tmp_path, capture_output=True, text=True, timeout=300)
        assert done.returncode == 0, done.stderr
        return done.stdout

    run.folder = tmp_path
    return run


@pytest.fixture
def rng():
    return np.random.default_rng(7)
