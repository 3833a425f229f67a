"""What the tests share."""

import shutil
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

import workspace  # noqa: E402


@pytest.fixture(scope="session")
def good_folder(tmp_path_factory):
    """Made once; not to be changed."""
    folder = tmp_path_factory.mktemp("good")
    workspace.fill(folder)
    return folder


@pytest.fixture
def folder(good_folder, tmp_path):
    """A copy of it to spoil."""
    shutil.copytree(good_folder, tmp_path, dirs_exist_ok=True)
    return tmp_path
