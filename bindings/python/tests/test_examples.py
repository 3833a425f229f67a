"""Every example runs, says something, and draws its picture."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
CLONE = Path(os.environ.get("SMERF_CLONE", EXAMPLES.parents[2]))
MORSE = Path(os.environ.get("SMERF_DATA", CLONE.parent / "shared" / "data" / "similarity")) / "morse36"


@pytest.mark.parametrize("name", sorted(path.stem for path in EXAMPLES.glob("*.py")))
def test_an_example_draws_its_picture(name, tmp_path):
    words = [str(MORSE), str(tmp_path)] if name == "morse" else [str(tmp_path)]
    done = subprocess.run(
        [sys.executable, "-W", "error", EXAMPLES / f"{name}.py", *words],
        env={**os.environ, "MPLBACKEND": "Agg"},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    if name == "morse" and not MORSE.exists():
        pytest.skip("the data are not here")
    assert done.stdout.strip()
    assert (tmp_path / f"{name}.png").stat().st_size > 5000
