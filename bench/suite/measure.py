"""measure.py - runs the sides of a comparison, each in a process of its own, and makes medians of them."""
import json
import os
import re
import shutil
import signal
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LIMIT_SECONDS = 1800  # of one run
ENOUGH_SECONDS = 180  # a side that has run for so long is not repeated
THREAD_VARIABLES = ["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "RAYON_NUM_THREADS",
                    "NUMEXPR_NUM_THREADS"]


@dataclass
class Bench:
    """How this run is done."""
    quick: bool
    threads: int
    repeats: int
    build: Path = ROOT / "build"

    def __post_init__(self):
        self.folder = self.build / "bench"
        self.data = self.folder / "data"
        self.data.mkdir(parents=True, exist_ok=True)
        self.python = sys.executable
        self.older_python = str(self.build / "bench-venv-older/bin/python")

    def ours(self, command, **words):
        return [str(self.build / "bench-ours"), command, *as_words(words)]

    def peer(self, script, python=None, **words):
        return [python or self.python, str(ROOT / "bench/peers" / script), *as_words(words)]

    def ranger(self, **words):
        return ["Rscript", "--vanilla", str(ROOT / "bench/peers/ranger.R"), *as_words(words)]


def as_words(words):
    return [f"{name}={value}" for name, value in words.items()]


@dataclass
class Side:
    """One tool's way of doing a piece of work."""
    name: str
    command: list
    threads: int
    n: float = 1  # pieces (trees) that the time is divided by
    times: float = 1  # what the time is multiplied by, where only a part is run
    before: object = None  # called before each run
    runs: list = field(default_factory=list)
    failed: str = ""


def limited(threads):
    return {**os.environ, **{name: str(threads) for name in THREAD_VARIABLES}}


def last_words(text):
    """The last line of a complaint, if there is one."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1][:200] if lines else "no message"


def run_lines(command, threads):
    """The objects that a program prints, one a line; or why there are none."""
    if shutil.which(command[0]) is None:
        return [], f"{Path(command[0]).name} is not installed"
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=limited(threads),
                               cwd=ROOT)
    try:
        out, complaints = process.communicate(timeout=LIMIT_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        return [], f"stopped after {LIMIT_SECONDS} s"
    found = [json.loads(line) for line in out.splitlines() if line.startswith("{")]
    if process.returncode < 0:
        return found, f"ended by {signal.Signals(-process.returncode).name} (memory?)"
    if process.returncode != 0 or not found:
        return found, last_words(complaints or out)
    return found, ""


def peak_bytes(command):
    """The memory that a command takes at most; None: it fails. Asked for while it runs: what wait4 tells is at least ours."""
    most = 0
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
        while process.poll() is None:
            status = Path(f"/proc/{process.pid}/status").read_text(encoding="utf-8")
            found = re.search(r"^VmHWM:\s+(\d+) kB", status, re.MULTILINE)
            most = int(found[1]) * 1024 if found else most
            time.sleep(0.001)
    return most if process.returncode == 0 else None


def run_side(side):
    if side.before:
        side.before()
    found, why_not = run_lines(side.command, side.threads)
    if why_not:
        side.failed = why_not
    else:
        side.runs.append(found[-1])


def run_sides(sides, repeats):
    """In turns, so that a slow minute of the machine falls on all of them."""
    for _ in range(repeats):
        for side in sides:
            has_enough = sum(run["seconds"] for run in side.runs) > ENOUGH_SECONDS
            if not side.failed and not has_enough:
                run_side(side)
                print(f"    {side.name}: {told(side)}", file=sys.stderr, flush=True)


def told(side):
    return side.failed or f"{side.runs[-1]['seconds']:.3g} s"


def result(side):
    """Medians over the runs; what is no number is taken from the last."""
    row = {"who": side.name, "threads": side.threads, "failed": side.failed, "runs": len(side.runs)}
    if not side.runs:
        return row
    for name, value in side.runs[-1].items():
        numbers = [run[name] for run in side.runs if isinstance(run.get(name), (int, float))]
        row[name] = statistics.median(numbers) if numbers else value
    row["failed"] = ""
    for name in ("seconds", "cpu_seconds"):
        row[name] *= side.times
    row["seconds_each"] = row["seconds"] / side.n
    if all(name in row for name in ("peak_mb", "before_mb")):
        row["added_mb"] = row["peak_mb"] - row["before_mb"]
    return row


def compare(bench, sides, repeats=None):
    """Results in the order of the sides, the first of which is ours: with how many times our time each of them takes."""
    run_sides(sides, repeats or bench.repeats)
    rows = [result(side) for side in sides]
    for row in rows[1:]:
        for name in ("seconds", "cpu_seconds"):
            if not row["failed"] and not rows[0]["failed"] and rows[0][name] > 0:
                row["ratio" if name == "seconds" else "cpu_ratio"] = row[name] / rows[0][name]
    return rows


def claim(what, target, measured, is_met, note=""):
    """A line of the summary. is_met: True, False, or None where it could not be measured."""
    return {"what": what, "target": target, "measured": measured, "met": is_met, "note": note}


def claim_ratio(what, row, at_least, is_fair=True, note=""):
    """That a side takes so many times as long as ours; is_fair says whether both reached the same quality."""
    if "ratio" not in row:
        return claim(what, f"at least {at_least:g} x", "-", None, row["failed"] or "not measured")
    unfair = "" if is_fair else "not at equal accuracy"
    return claim(what, f"at least {at_least:g} x", f"{row['ratio']:.1f} x", bool(row["ratio"] >= at_least and is_fair),
                 "; ".join(filter(None, [unfair, note])))


def exponent(sizes, times):
    """The slope of log time over log size."""
    import numpy as np

    return float(np.polyfit(np.log(sizes), np.log(times), 1)[0])
