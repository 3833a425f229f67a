"""common.py - for all experiments: running smerf, reading data, measures, means, tables. No forests here."""
import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before NumPy: the experiments use processes instead

import csv
import json
import multiprocessing
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
from scipy.stats import rankdata

ROOT = Path(__file__).resolve().parents[1]
COMMAND = os.environ.get("SMERF", str(ROOT / "build" / "smerf"))
SIMULATIONS = ["regression", "bilinear", "radial"]
MEASURES = ["rmse", "spearman", "map@10"]
N_TEST = 200


# ---------------------------------------------------------------- the command

def smerf(*arguments):
    """Standard output of `smerf ARGUMENTS`, on one thread (the experiments run side by side)."""
    line = [COMMAND, *map(str, arguments), "--threads", "1", "--quiet"]
    done = subprocess.run(line, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(line)}\n{done.stderr}")
    return done.stdout


def smerf_json(*arguments):
    return json.loads(smerf(*arguments, "--json"))


def simulate(simulation, n, seed, folder, n_test=N_TEST):
    """Training and test data in `folder`; returns their paths."""
    smerf("simulate", simulation, "-n", n, "--test", n_test, "--seed", seed, "-o", folder)
    names = ["items.csv", "distances.npy", "test-items.csv", "test-distances.npy"]
    return [Path(folder) / name for name in names]


def read_items(path):
    return np.loadtxt(path, delimiter=",", skiprows=1, ndmin=2)


def read_distances(path):
    """As smerf sees them: rounded to float32."""
    return np.load(path).astype(np.float32).astype(float)


# ---------------------------------------------------------------- measures (paper, section 5.1)

def rmse(predicted, true):
    pairs = np.triu_indices(len(true), k=1)
    return float(np.sqrt(np.mean((predicted[pairs] - true[pairs]) ** 2)))


def spearman(predicted, true):
    """Rank correlation of an item's distances to all others, averaged over items."""
    each = []
    for i in range(len(true)):
        others = np.arange(len(true)) != i
        t, p = rankdata(true[i, others]), rankdata(predicted[i, others])
        if np.ptp(t) == 0:
            continue
        each.append(0.0 if np.ptp(p) == 0 else np.corrcoef(t, p)[0, 1])
    return float(np.mean(each))


def map_at_10(predicted, true):
    """Average precision of the ranking of all others, the ten truly nearest being relevant, averaged over items."""
    each = []
    for i in range(len(true)):
        others = np.flatnonzero(np.arange(len(true)) != i)
        nearest = others[np.argsort(true[i, others], kind="stable")[:10]]
        ranking = others[np.argsort(predicted[i, others], kind="stable")]
        hits = np.flatnonzero(np.isin(ranking, nearest))
        each.append(np.mean(np.arange(1, len(hits) + 1) / (hits + 1)))
    return float(np.mean(each))


def measure(predicted, true):
    return dict(zip(MEASURES, [rmse(predicted, true), spearman(predicted, true), map_at_10(predicted, true)]))


# ---------------------------------------------------------------- runs, means, tables

def mean_and_se(values):
    values = np.asarray(values, dtype=float)
    return values.mean(), values.std(ddof=1) / np.sqrt(len(values)) if len(values) > 1 else np.nan


def run_all(task, arguments, jobs, keep=None):
    """The rows (dicts) of every task, in order; says on standard error how far it is. `keep` gets those that are there after each task."""
    rows, start = [], time.monotonic()
    with multiprocessing.Pool(jobs) as pool:
        for k, part in enumerate(pool.imap(task, arguments), start=1):
            rows += part
            if keep is not None and rows:
                keep(rows)
            print(f"{k} of {len(arguments)} done, {time.monotonic() - start:.0f} s", file=sys.stderr, flush=True)
    return rows


def write_csv(path, rows):
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "w", newline="") as file:
        writer = csv.DictWriter(file, fieldnames=list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def table(header, rows):
    """Lines of text: columns as wide as they must be, the first to the left, the others to the right."""
    rows = [[str(cell) for cell in row] for row in [header, *rows]]
    widths = [max(len(row[c]) for row in rows) for c in range(len(header))]
    lines = ["  ".join(cell.ljust(w) if c == 0 else cell.rjust(w) for c, (cell, w) in enumerate(zip(row, widths)))
             for row in rows]
    return "\n".join([lines[0], "-" * len(lines[0]), *lines[1:]])


def report(path, text):
    """Prints the text and keeps it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text + "\n")
    print(text)


def add_common_options(parser):
    parser.add_argument("--quick", action="store_true", help="few repeats: a few minutes, wide errors")
    parser.add_argument("--repeats", type=int, help="data sets of each kind")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="processes side by side (default: all cores)")
    parser.add_argument("-o", dest="folder", type=Path, default=ROOT / "build" / "experiments", help="where results go")
