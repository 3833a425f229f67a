"""The tour in README.md, and the examples of docs/scores.md and docs/triplets.md, are what the program prints. SMERF_RECORD=1 writes down what it prints now: read the
difference."""
import os
import re
import subprocess
from pathlib import Path

import pytest

from command import IS_SANITIZED, SMERF

ROOT = Path(__file__).resolve().parents[2]
COMMAND = Path(SMERF).resolve()
IS_RECORDING = os.environ.get("SMERF_RECORD") == "1"


def tour(text):
    """[(command, expected output)] from the console blocks."""
    steps = []
    for block in re.findall(r"```console\n(.*?)```", text, re.S):
        for line in block.splitlines():
            if line.startswith("$ "):
                steps.append((line[2:], []))
            else:
                steps[-1][1].append(line)
    return [(command, "\n".join(lines)) for command, lines in steps]


def without_times(text):
    without_seconds = re.sub(r" +\d+\.\d$", " T", text, flags=re.M)  # the last column of compare
    return re.sub(r"in \d+\.\d s", "in T s", without_seconds).strip()


@pytest.mark.skipif(IS_SANITIZED, reason="forests of 500 trees; every command of the tour is in other tests, on small data")
@pytest.mark.parametrize("page", ["README.md", "docs/scores.md", "docs/triplets.md"])
def test_the_tour_prints_what_the_readme_shows(page, tmp_path):
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "smerf").symlink_to(COMMAND)
    environment = {**os.environ, "PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}"}
    text = (ROOT / page).read_text(encoding="utf-8")
    steps = tour(text)
    assert len(steps) > 8
    for command, expected in steps:
        done = subprocess.run(["sh", "-c", command], cwd=tmp_path, env=environment, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300)
        if IS_RECORDING and without_times(done.stdout) != without_times(expected):
            text = text.replace(f"$ {command}\n{expected}", f"$ {command}\n{done.stdout.rstrip()}", 1)
        else:
            assert without_times(done.stdout) == without_times(expected), command
    if IS_RECORDING:
        (ROOT / page).write_text(text, encoding="utf-8")
