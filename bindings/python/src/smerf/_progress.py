"""A bar that shows how far a call has come, where verbose asks for one."""

from __future__ import annotations

import contextlib
import sys
import time
from typing import Any, Callable, Iterator

from joblib import cpu_count, effective_n_jobs

from . import _core, _options
from ._messages import refuse

PATIENCE = 0.5  # seconds after which a question shows how far it has come; what learns shows it at once


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


class _LateBar:
    """For calls that are mostly short: a bar once they take long."""

    def __init__(self, what: str) -> None:
        self.what, self.start = what, time.monotonic()
        self.bar: _PlainBar | _TqdmBar | None = None

    def show(self, share: float) -> None:
        if self.bar is None and time.monotonic() - self.start > PATIENCE:
            self.bar = _new_bar(self.what)
        if self.bar is not None:
            self.bar.show(share)

    def close(self) -> None:
        if self.bar is not None:
            self.bar.close()


def n_threads(n_jobs: Any) -> int:
    """n_jobs as scikit-learn reads it. These are threads of C, which may run in any process: joblib has no say."""
    if n_jobs is None:
        return int(effective_n_jobs(None))  # one, unless joblib.parallel_config says otherwise
    if not _options.is_whole(n_jobs) or n_jobs == 0:
        raise refuse("n_jobs", n_jobs, "None or a whole number other than 0 (-1 is all cores)")
    return int(n_jobs) if n_jobs > 0 else max(1, int(cpu_count()) + 1 + int(n_jobs))


def check(n_jobs: Any, verbose: Any) -> None:
    """Refuses what says nothing about how to run."""
    n_threads(n_jobs)
    if not isinstance(verbose, bool):
        _options.count("verbose", verbose, 0)


@contextlib.contextmanager
def showing(verbose: int, what: str, is_late: bool = False) -> Iterator[Callable[[float], object] | None]:
    """A function that takes the share of a call that is done, or None."""
    bar: Any = (_LateBar(what) if is_late else _new_bar(what)) if verbose else None
    try:
        yield None if bar is None else bar.show
        if bar is not None:
            bar.show(1.0)
    finally:
        if bar is not None:
            bar.close()


@contextlib.contextmanager
def watching(n_jobs: int | None, verbose: int = 0, what: str = "", is_late: bool = False) -> Iterator[_core.Watch]:
    """How a call is run: on how many threads, and with or without a bar."""
    with showing(verbose, what, is_late) as tell:
        yield _core.Watch(n_threads(n_jobs), tell)


def asking(model: Any, what: str) -> contextlib.AbstractContextManager[_core.Watch]:
    """How a model answers: with a bar, if it is to be verbose and the answer takes long."""
    return watching(model.n_jobs, model.verbose, what, True)
