"""Files and functions that the maps of the code name are there: docs/paper-map.md and others."""

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = ["docs/paper-map.md", "docs/architecture.md", "docs/adding-a-target.md", "docs/prediction-only.md"]
FILE = re.compile(r"(?<![\w*/.])([\w/]+\.(?:c|h|py|cmake))\b")
FUNCTION = re.compile(r"\b((?:smerf|sm|cli)_[a-z0-9_]+)\b")


def files():
    listed = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True)
    if listed.returncode != 0:
        pytest.skip("this is no clone of the repository")
    return listed.stdout.split()


@pytest.fixture(scope="module")
def sources():
    """All that is C, in one text."""
    paths = [ROOT / name for name in files() if name.endswith((".c", ".h"))]
    return "\n".join(path.read_text(encoding="utf-8") for path in paths if path.exists())


def code_in(page):
    """What a page writes as code."""
    text = (ROOT / page).read_text(encoding="utf-8")
    return re.findall(r"`([^`\n]+)`", text) + re.findall(r"^    (.+)$", text, re.MULTILINE)


@pytest.mark.parametrize("page", [page for page in PAGES if (ROOT / page).exists()])
def test_a_page_names_what_is_there(page, sources):
    names = files()
    absent = set()
    for code in code_in(page):
        absent |= {f for f in FILE.findall(code) if not any(("/" + name).endswith("/" + f) for name in names)}
        absent |= {f for f in FUNCTION.findall(code) if not re.search(rf"\b{f}", sources)}
    assert absent == set()


def test_there_is_a_map_of_the_paper():
    assert len(FUNCTION.findall((ROOT / PAGES[0]).read_text(encoding="utf-8"))) > 5
