"""Long runs: started, watched, and stopped."""

import contextlib
import os
import signal
import subprocess
import time
from pathlib import Path

import numpy as np

from command import LONG, call_of, environment
from workspace import npy_of

TICK = 0.02  # seconds between two looks


def wait_for(condition):
    """Waits until it holds, or gives up."""
    end = time.monotonic() + LONG
    while not condition():
        assert time.monotonic() < end, "nothing came of waiting"
        time.sleep(TICK)


def busy_seconds(process):
    """The processor time a running process has used."""
    after_name = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(after_name[11]) + int(after_name[12])) / os.sysconf("SC_CLK_TCK")


def catches(process, number):
    """Whether it has a handler for a signal."""
    for line in Path(f"/proc/{process.pid}/status").read_text().splitlines():
        if line.startswith("SigCgt:"):
            return int(line.split()[1], 16) >> number - 1 & 1 == 1
    return False


@contextlib.contextmanager
def started(words, folder, variables={}, **more):
    """A process that is gone afterwards, whatever happens.  variables: of the environment"""
    process = subprocess.Popen(call_of(words), cwd=folder, env=environment(**variables), **more)
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def interrupt_at_work(words, folder, number=signal.SIGINT):
    """Starts a call, lets it work for a moment, sends a signal; what it says then, and its exit status."""
    with started(words, folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        wait_for(lambda: catches(process, number) and busy_seconds(process) > 0.3)
        process.send_signal(number)
        stdout, stderr = process.communicate(timeout=LONG)
        return process.returncode, stdout, stderr


def make_much(folder):
    """Items and distances to be busy with for long."""
    x = np.random.default_rng(1).normal(size=(200, 10))
    z = np.abs(x[:, None, :] - x[None, :, :]).sum(axis=2)
    (folder / "many.npy").write_bytes(npy_of(x))
    (folder / "many-z.npy").write_bytes(npy_of(z))
    (folder / "crowd.npy").write_bytes(npy_of(np.tile(x, (100, 1))))
