"""The package as it lies in the clone: one version, one licence, a reference that is up to date."""

import doctest
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import smerf

CLONE = Path(os.environ.get("SMERF_CLONE", Path(__file__).resolve().parents[3]))
PACKAGE = CLONE / "bindings" / "python"

pytestmark = pytest.mark.skipif(not (PACKAGE / "pyproject.toml").exists(), reason="not in a clone")


def test_one_version():
    of_library = re.search(r"project\(smerf VERSION ([0-9.]+)", (CLONE / "CMakeLists.txt").read_text())
    of_package = re.search(r'^version = "([0-9.]+)"', (PACKAGE / "pyproject.toml").read_text(), re.M)
    assert of_library[1] == of_package[1] == smerf.__version__


def test_one_licence():
    assert (PACKAGE / "LICENSE").read_bytes() == (CLONE / "LICENSE").read_bytes()


def test_the_reference_is_up_to_date():
    """docs/python-api.md is what the docstrings say; bindings/python/reference.py writes it."""
    made = subprocess.run([sys.executable, PACKAGE / "reference.py"], capture_output=True, text=True, check=True).stdout
    assert made == (CLONE / "docs" / "python-api.md").read_text()


def test_the_manuals_tour_says_what_it_says(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    failed, tried = doctest.testfile(str(CLONE / "docs" / "python.md"), module_relative=False)
    assert tried > 10 and failed == 0


def test_every_public_method_has_an_example():
    for name in smerf.__all__:
        thing = getattr(smerf, name)
        assert ">>>" in thing.__doc__, name
        if not isinstance(thing, type):
            continue
        for attribute in dir(thing):
            value = getattr(thing, attribute)
            own = getattr(value, "fget", None) or getattr(value, "__func__", value)
            if attribute.startswith("_") or not getattr(own, "__module__", "").startswith("smerf") or name == "Distances":
                continue
            assert ">>>" in (value.__doc__ or ""), f"{name}.{attribute}"
