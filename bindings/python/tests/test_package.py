"""The package as it lies in the clone: one version, one licence, a reference that is up to date; and a wheel that others can take.

tests/run names the wheel that it has built in the environment variable SMERF_WHEEL."""

import doctest
import importlib.metadata
import os
import re
import shutil
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
        if hasattr(thing, "__all__"):  # a module
            assert all(">>>" in getattr(thing, member).__doc__ for member in thing.__all__), name
        if not isinstance(thing, type):
            continue
        for attribute in dir(thing):
            value = getattr(thing, attribute)
            own = getattr(value, "fget", None) or getattr(value, "__func__", value)
            if attribute.startswith("_") or not getattr(own, "__module__", "").startswith("smerf") or name == "Distances":
                continue
            assert ">>>" in (value.__doc__ or ""), f"{name}.{attribute}"


# ---- what PyPI shows, and what a wheel brings along ----


def tool(name, *words):
    """What a command of this environment says; the test is skipped where there is none."""
    found = shutil.which(name, path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    if found is None:
        pytest.skip(f"{name} is not installed")
    done = subprocess.run([found, *map(str, words)], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture
def wheel():
    path = os.environ.get("SMERF_WHEEL")
    if path is None:
        pytest.skip("SMERF_WHEEL names no wheel")
    return Path(path)


def test_the_metadata_are_what_pypi_wants():
    tomllib = pytest.importorskip("tomllib")  # Python 3.11
    about = importlib.metadata.metadata("smerf")
    project = tomllib.loads((PACKAGE / "pyproject.toml").read_text())["project"]
    assert about["License-Expression"] == "Apache-2.0" and about["License"] is None
    assert about.get_all("License-File") == ["LICENSE", "LICENSES-of-libraries.txt"]
    assert about["Author"] and about["Summary"] and about["Description-Content-Type"] == "text/markdown"
    assert all(" https://" in url for url in about.get_all("Project-URL"))
    assert set(about.get_all("Provides-Extra")) == {"pandas", "plot", "progress"}
    assert not any(label.startswith("License ::") for label in about.get_all("Classifier"))  # SPDX has replaced them
    told = [label.rpartition(" ")[2] for label in about.get_all("Classifier") if re.search(r":: 3\.\d+$", label)]
    built = tomllib.loads((PACKAGE / "pyproject.toml").read_text())["tool"]["cibuildwheel"]["build"].split()
    assert told[0] == project["requires-python"].removeprefix(">=")
    assert [f"cp{version.replace('.', '')}-*" for version in told] == built


def test_links_of_the_readme_work_on_pypi():
    """There they have no folder to be relative to."""
    text = (PACKAGE / "README.md").read_text()
    links = re.findall(r"\]\(([^)]*)\)", text) + re.findall(r"(?:href|src)=[\"']([^\"']*)", text)
    assert len(links) > 5 and all(re.match(r"https://[a-z0-9.-]+(/\S*)?$", link) for link in links), links


def test_the_readme_does_what_it_says(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (code,) = re.findall(r"```python\n(.*?)```", (PACKAGE / "README.md").read_text(), re.S)
    exec(compile(code, "README.md", "exec"), {})


def test_the_module_needs_the_c_library_only():
    """jansson, xxhash and zlib are linked statically, so that auditwheel finds nothing to take along."""
    needed = re.findall(r"NEEDED.*\[(.*)\]", tool("readelf", "--dynamic", smerf._core.__file__))
    assert needed and set(needed) <= {"libc.so.6", "libm.so.6", "libpthread.so.0", "ld-linux-x86-64.so.2"}


def test_the_module_shows_nothing_but_its_init():
    """A function of jansson or zlib that others could see would be mixed up with theirs."""
    lines = tool("nm", "--dynamic", "--defined-only", smerf._core.__file__).splitlines()
    assert [line.split()[-1] for line in lines] == ["PyInit__core"]


def test_auditwheel_takes_the_wheel(wheel, tmp_path):
    said = " ".join(tool("auditwheel", "show", wheel).split())
    listed = re.search(r"these system-provided shared libraries: (.*?)(?: This constrains|$)", said)[1]
    assert set(re.findall(r"\w[\w.+-]*\.so[.\d]*", listed)) <= {"libc.so.6", "libm.so.6", "libpthread.so.0", "ld-linux-x86-64.so.2"}
    assert '"manylinux_' in said


def test_twine_takes_the_wheel(wheel):
    assert "PASSED" in tool("twine", "check", "--strict", wheel)


def test_cibuildwheel_reads_its_configuration():
    said = tool("cibuildwheel", "--print-build-identifiers", "--platform", "linux", PACKAGE).split()
    assert len(said) >= 4 and all(re.match(r"cp3\d+-manylinux_x86_64$", one) for one in said)
