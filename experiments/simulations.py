"""simulations.py - is smerf statistically the same as the brute-force reference?

On each of the paper's three simulations, for several n and many repeats, smerf and reference.py learn from the same
training items and are measured on the same 200 test items. Their random numbers differ, so the measures differ; the
mean of the paired differences must be 0 within its standard error. A repeat has its own data, and its own seeds.

Writes simulations.csv (a row per forest), simulations-summary.csv (a row per comparison) and simulations.txt.
"""
import argparse
import csv
import tempfile
from pathlib import Path

from common import (MEASURES, N_TEST, SIMULATIONS, add_common_options, mean_and_se, measure, read_distances,
                    read_items, report, run_all, simulate, smerf, smerf_json, table, write_csv)

import numpy as np
from scipy import stats

import reference

# Names, and what they mean to both programs. The second also tells whether --min-parent counts draws.
SETTINGS = {
    "axis, all 20": {"splits": "axis", "candidates": 20, "min_parent": 2},
    "axis, 5, parent 8": {"splits": "axis", "candidates": 5, "min_parent": 8},
    "oblique, 20": {"splits": "oblique", "candidates": 20, "min_parent": 2},
}


# ---------------------------------------------------------------- one data set

def smerf_distances(files, chosen, trees, seed, folder):
    """What smerf predicts for the test items, and how it scores itself."""
    items, distances, test_items, test_distances = files
    model = folder / "model"
    options = [word for name, value in chosen.items() for word in ("--" + name.replace("_", "-"), value)]
    smerf("fit", items, "--distances", distances, "--paper", "-o", model, "--trees", trees, "--seed", seed, *options)
    predicted = smerf("predict", model, test_items)  # text: every digit, where .npy would round and make ties
    scores = smerf_json("evaluate", model, test_items, "--distances", test_distances)
    return np.loadtxt(predicted.splitlines(), delimiter=","), scores


def compare(task):
    """Rows for one data set: every setting, both programs."""
    simulation, n, repeat, trees = task
    seed = 1_000_000 * SIMULATIONS.index(simulation) + 1_000 * n + repeat
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        files = simulate(simulation, n, seed, folder)
        x, z, x_test, z_test = [read(f) for read, f in zip([read_items, read_distances] * 2, files)]
        for k, (name, chosen) in enumerate(SETTINGS.items()):
            theirs = reference.forest_distances(x, z, x_test, reference.Options(trees=trees, **chosen),
                                                np.random.default_rng([seed, k]))
            ours, own_scores = smerf_distances(files, chosen, trees, 10_000_000 + seed, Path(folder))
            row = {"simulation": simulation, "n": n, "repeat": repeat, "seed": seed, "setting": name, "trees": trees}
            ours = measure(ours, z_test)
            off = max(abs(own_scores[m] - ours[m]) for m in MEASURES)
            rows.append({**row, "program": "smerf", **ours, "evaluate_off_by": off})
            rows.append({**row, "program": "reference", **measure(theirs, z_test), "evaluate_off_by": ""})
    return rows


# ---------------------------------------------------------------- all of them

def summarise(rows):
    """A row per simulation, setting, n and measure: both means, the paired difference, its standard error and t."""
    summary = []
    for simulation, setting, n, name in ((s, k, n, m) for s in SIMULATIONS for k in SETTINGS
                                         for n in sorted({r["n"] for r in rows}) for m in MEASURES):
        ours, theirs = (np.array([r[name] for r in rows if (r["simulation"], r["setting"], r["n"], r["program"]) ==
                                  (simulation, setting, n, program)]) for program in ("smerf", "reference"))
        difference, se = mean_and_se(ours - theirs)
        t = difference / se
        summary.append({"simulation": simulation, "setting": setting, "n": n, "measure": name, "repeats": len(ours),
                        "smerf": ours.mean(), "reference": theirs.mean(), "difference": difference, "se": se, "t": t,
                        "p": 2 * stats.t.sf(abs(t), len(ours) - 1)})
    return summary


def together(summary, df):
    """Small differences of one sign add up: the t values of a measure are independent, with variance df / (df - 2)."""
    for name in MEASURES:
        t = [s["t"] for s in summary if s["measure"] == name]
        yield f"{name} {sum(t) / np.sqrt(len(t) * df / (df - 2)):+.2f}"


def read_rows(paths):
    """The rows of earlier runs, each data set once."""
    rows = {}
    for path in paths:
        with open(path, newline="") as file:
            for r in csv.DictReader(file):
                r.update({"n": int(r["n"]), "repeat": int(r["repeat"]), **{m: float(r[m]) for m in MEASURES}})
                r["evaluate_off_by"] = float(r["evaluate_off_by"] or 0)
                rows[r["simulation"], r["n"], r["repeat"], r["setting"], r["program"]] = r
    return list(rows.values())


def verdict(summary, off):
    """Sentences: how many differences are larger than chance makes them?"""
    t = np.array([abs(s["t"]) for s in summary])
    df, count = summary[0]["repeats"] - 1, len(summary)
    chance = {limit: count * 2 * stats.t.sf(limit, df) for limit in (2, 3)}
    smallest = min(s["p"] for s in summary)
    reach = np.median([3 * s["se"] / s["reference"] for s in summary])
    same = "statistically indistinguishable" if (t < 3).all() else "NOT indistinguishable"
    return "\n".join([
        f"|t| > 2: {(t > 2).sum()} of {count} comparisons (chance alone: {chance[2]:.1f})",
        f"|t| > 3: {(t > 3).sum()} of {count} comparisons (chance alone: {chance[3]:.1f}); largest |t| {t.max():.2f}, "
        f"its p times {count} comparisons is {min(1, smallest * count):.2f}",
        f"all comparisons of a measure together (a standard normal z): {', '.join(together(summary, df))}",
        f"half of the comparisons would show (3 se) a difference of {100 * reach:.2f} % of the measure",
        f"`smerf evaluate` and the measures used here differ by at most {off:.1e}",
        f"smerf and the reference are {same} (all |t| < 3: {'yes' if (t < 3).all() else 'no'})"])


def as_text(summary):
    return table(["simulation", "setting", "n", "measure", "smerf", "reference", "difference", "se", "t"],
                 [[s["simulation"], s["setting"], s["n"], s["measure"], f"{s['smerf']:.5f}", f"{s['reference']:.5f}",
                   f"{s['difference']:+.5f}", f"{s['se']:.5f}", f"{s['t']:+.2f}"] for s in summary])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_common_options(parser)
    parser.add_argument("--first", type=int, default=0, metavar="R", help="number of the first repeat (other data)")
    parser.add_argument("--rows", type=Path, nargs="+", metavar="CSV", help="run nothing: sum up these simulations.csv")
    parser.add_argument("--trees", type=int, help="trees of each forest")
    parser.add_argument("--sizes", type=int, nargs="+", help="numbers of training items")
    chosen = parser.parse_args()
    repeats = chosen.repeats or (6 if chosen.quick else 20)
    trees = chosen.trees or (50 if chosen.quick else 100)
    sizes = chosen.sizes or ([40, 80] if chosen.quick else [40, 80, 160])

    if chosen.rows:
        rows = read_rows(chosen.rows)
    else:
        numbers = range(chosen.first, chosen.first + repeats)
        rows = run_all(compare, [(s, n, r, trees) for s in SIMULATIONS for n in sizes for r in numbers], chosen.jobs)
    summary = summarise(rows)
    off = max(r["evaluate_off_by"] for r in rows if r["program"] == "smerf")
    write_csv(chosen.folder / "simulations.csv", rows)
    write_csv(chosen.folder / "simulations-summary.csv", summary)
    report(chosen.folder / "simulations.txt",
           f"smerf and the reference on the same data: {summary[0]['repeats']} repeats, {rows[0]['trees']} trees, "
           f"{N_TEST} test items\n\n"
           f"{as_text(summary)}\n\n{verdict(summary, off)}")


if __name__ == "__main__":
    main()
