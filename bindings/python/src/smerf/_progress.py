"""A bar that shows how far a call has come, where verbose asks for one."""

from __future__ import annotations

import contextlib
import sys
from typing import Callable, Iterator

from joblib import cpu_count, effective_n_jobs

from . import _core


class _PlainBar:
    """For those who have no tqdm: a line that is written over."""

    def __init__(self, what: str) -> None:
        self.what = what

    def show(self, share: float) -> None:
        done = round(20 * share)
        sys.stderr.write(f"\r{self.what}: {100 * share:3.0f}%|{'#' * done}{' ' * (20 - done)}|")
        sys.stderr.flush()

    def close(self) -> None:
        sys.stderr.write("\n")


class _TqdmBar:
    def __init__(self, what: str) -> None:
        from tqdm.auto import tqdm

        shape = "{desc}: {percentage:3.0f}%|{bar}| [{elapsed}<{remaining}]"
        self.bar = tqdm(total=1.0, desc=what, bar_format=shape)

    def show(self, share: float) -> None:
        self.bar.update(share - self.bar.n)

    def close(self) -> None:
        self.bar.close()


def _new_bar(what: str) -> _PlainBar | _TqdmBar:
    try:
        return _TqdmBar(what)
    except ImportError:
        return _PlainBar(what)


def n_threads(n_jobs: int | None) -> int:
    """n_jobs as scikit-learn reads it. These are threads of C, which may run in any process: joblib has no say."""
    if n_jobs is None:
        return int(effective_n_jobs(None))  # one, unless joblib.parallel_config says otherwise
    if n_jobs == 0:
        raise ValueError("n_jobs == 0 has no meaning")
    return int(n_jobs) if n_jobs > 0 else max(1, int(cpu_count()) + 1 + int(n_jobs))


@contextlib.contextmanager
def watching(n_jobs: int | None, verbose: int = 0, what: str = "") -> Iterator[_core.Watch]:
    """How a call is run: on how many threads, and with or without a bar."""
    bar = _new_bar(what) if verbose else None
    tell: Callable[[float], object] | None = bar.show if bar is not None else None
    try:
        yield _core.Watch(n_threads(n_jobs), tell)
        if bar is not None:
            bar.show(1.0)
    finally:
        if bar is not None:
            bar.close()
