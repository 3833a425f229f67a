"""What all Python checks share: where their files go."""

import os
import shutil
from pathlib import Path

MEMORY = Path("/dev/shm")
ROOM = 2**30  # bytes that must be free there


def pytest_configure(config):
    """The command waits until what it has written is safe on the disk, which takes longer than most tests. In memory
    nothing is waited for."""
    has_room = MEMORY.is_dir() and os.access(MEMORY, os.W_OK) and shutil.disk_usage(MEMORY).free > ROOM
    if has_room:
        os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(MEMORY))
