"""expected.py - the numbers that the project expects at n = 320, and those that smerf reaches.

  accuracy     oblique splits, tuned by out-of-bag RMSE as in the paper, measured on 200 test items, ten repeats
  luck         the same without tuning on many other data sets: how far do means over ten repeats lie apart?
  importance   Radial, axis splits with all 20 candidates: what the 18 irrelevant features get, the largest being 1

Writes expected-accuracy.csv, expected-luck.csv, expected-importance.csv (a row per run) and expected.txt.
"""
import argparse
import csv
import tempfile
from pathlib import Path

from common import (MEASURES, N_TEST, SIMULATIONS, add_common_options, mean_and_se, read_distances, report, run_all,
                    simulate, smerf, smerf_json, table, write_csv)

import numpy as np

N_TRAIN = 320
EXPECTED = {
    ("regression", "rmse"): 0.048,
    ("regression", "spearman"): 0.74,
    ("bilinear", "rmse"): 0.033,
    ("radial", "rmse"): 0.029,
    ("radial", "spearman"): 0.86,
}
EXPECTED_MEAN, EXPECTED_LARGEST = 0.012, 0.03
RELEVANT = {"x1", "x2"}


def seed_of(simulation, repeat):
    return 1_000_000 * SIMULATIONS.index(simulation) + 1_000 * N_TRAIN + repeat


def tuned_accuracy(task):
    simulation, repeat = task
    seed = seed_of(simulation, repeat)
    with tempfile.TemporaryDirectory() as folder:
        items, distances, test_items, test_distances = simulate(simulation, N_TRAIN, seed, folder)
        model = Path(folder) / "model"
        best = smerf_json("tune", items, "--distances", distances, "--paper", "--splits", "oblique", "--metric", "rmse",
                          "-o", model, "--seed", 10_000_000 + seed)["best"]
        scores = smerf_json("evaluate", model, test_items, "--distances", test_distances)
    return [{"simulation": simulation, "repeat": repeat, "seed": seed, "candidates": best["candidates"],
             "min_parent": best["min_parent"], "oob_rmse": best["rmse"], **{m: scores[m] for m in MEASURES}}]


def untuned_accuracy(task):
    """With what tune nearly always chooses. `spread` is how much the true distances of the test items vary."""
    simulation, repeat = task
    seed = seed_of(simulation, repeat)
    with tempfile.TemporaryDirectory() as folder:
        items, distances, test_items, test_distances = simulate(simulation, N_TRAIN, seed, folder)
        model = Path(folder) / "model"
        smerf("fit", items, "--distances", distances, "--paper", "--splits", "oblique", "--candidates", "p^1.5", "--min-parent", 4,
              "-o", model, "--seed", 10_000_000 + seed)
        scores = smerf_json("evaluate", model, test_items, "--distances", test_distances)
        spread = read_distances(test_distances)[np.triu_indices(N_TEST, k=1)].std()
    return [{"simulation": simulation, "repeat": repeat, "seed": seed, **{m: scores[m] for m in MEASURES},
             "spread": spread}]


def radial_importance(repeat):
    seed = seed_of("radial", repeat)
    with tempfile.TemporaryDirectory() as folder:
        items, distances, *_ = simulate("radial", N_TRAIN, seed, folder)
        model = Path(folder) / "model"
        smerf("fit", items, "--distances", distances, "--candidates", "all", "-o", model, "--seed", 10_000_000 + seed)
        lines = list(csv.DictReader(smerf("importance", model).splitlines()))
    return [{"repeat": repeat, "seed": seed, "feature": r["feature"], "importance": float(r["importance"])}
            for r in lines]


# ---------------------------------------------------------------- next to what is expected

def accuracy_text(rows):
    """The expected numbers are means of ten repeats too: two such means typically differ by sqrt(2) standard errors."""
    lines = []
    for simulation in SIMULATIONS:
        of_it = [r for r in rows if r["simulation"] == simulation]
        for name in MEASURES:
            mean, se = mean_and_se([r[name] for r in of_it])
            expected = EXPECTED.get((simulation, name))
            has_z = expected is not None and len(of_it) >= 5  # an error estimated from less says nothing
            lines.append([simulation, name, f"{mean:.4f}", f"{se:.4f}", "-" if expected is None else f"{expected:g}",
                          f"{(mean - expected) / (2 ** 0.5 * se):+.1f}" if has_z else "-"])
    chosen = "; ".join(
        f"{s}: " + ", ".join(f"D {d} parent {m} ({k} times)" for (d, m), k in sorted(counts(rows, s).items()))
        for s in SIMULATIONS)
    return table(["simulation", "measure", "measured", "se", "expected", "z"], lines) + f"\n\nchosen by tune: {chosen}"


def luck_text(rows):
    lines, links = [], []
    for simulation in SIMULATIONS:
        of_it = [r for r in rows if r["simulation"] == simulation]
        for name in [m for m in MEASURES if (simulation, m) in EXPECTED]:
            values, expected = np.array([r[name] for r in of_it]), EXPECTED[simulation, name]
            sd = values.std(ddof=1)
            z = (expected - values.mean()) / (sd * np.sqrt(1 / 10 + 1 / len(values)))
            lines.append([simulation, name, f"{values.mean():.4f}", f"{sd / np.sqrt(10):.4f}", f"{expected:g}",
                          f"{z:+.1f}"])
        link = np.corrcoef([r["rmse"] for r in of_it], [r["spread"] for r in of_it])[0, 1]
        links.append(f"{simulation} {link:.2f}")
    return (table(["simulation", "measure", "mean", "sd of a mean of ten", "expected", "z"], lines) +
            f"\n\ncorrelation of RMSE with the spread of the true distances in the test set: {', '.join(links)}")


def counts(rows, simulation):
    chosen = [(r["candidates"], r["min_parent"]) for r in rows if r["simulation"] == simulation]
    return {c: chosen.count(c) for c in chosen}


def importance_text(rows):
    irrelevant = [r for r in rows if r["feature"] not in RELEVANT]
    by_repeat = {}
    for r in irrelevant:
        by_repeat.setdefault(r["repeat"], []).append(r["importance"])
    mean, se = mean_and_se([sum(v) / len(v) for v in by_repeat.values()])
    largest = max(r["importance"] for r in irrelevant)
    first_two = all({r["feature"] for r in rows if r["repeat"] == k and r["importance"] > max(v)} == RELEVANT
                    for k, v in by_repeat.items())
    return "\n".join([
        table(["18 irrelevant features", "measured", "se", "expected", ""],
              [["mean", f"{mean:.5f}", f"{se:.5f}", f"< {EXPECTED_MEAN}", "yes" if mean < EXPECTED_MEAN else "NO"],
               ["largest of all repeats", f"{largest:.5f}", "", f"<= {EXPECTED_LARGEST}",
                "yes" if largest <= EXPECTED_LARGEST else "NO"]]),
        f"\nx1 and x2 are the first two in every one of {len(by_repeat)} repeats: {'yes' if first_two else 'NO'}"])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_common_options(parser)
    chosen = parser.parse_args()
    repeats = chosen.repeats or (2 if chosen.quick else 10)
    others = range(100, 110 if chosen.quick else 130)

    importance = run_all(radial_importance, list(range(repeats)), chosen.jobs)
    luck = run_all(untuned_accuracy, [(s, r) for s in SIMULATIONS for r in others], chosen.jobs)
    accuracy = run_all(tuned_accuracy, [(s, r) for s in SIMULATIONS for r in range(repeats)], chosen.jobs)
    write_csv(chosen.folder / "expected-importance.csv", importance)
    write_csv(chosen.folder / "expected-luck.csv", luck)
    write_csv(chosen.folder / "expected-accuracy.csv", accuracy)
    report(chosen.folder / "expected.txt",
           f"n = {N_TRAIN}, 500 trees, {repeats} repeats. Oblique splits, tuned by out-of-bag RMSE, {N_TEST} test "
           f"items (z: difference / sqrt(2) se)\n\n{accuracy_text(accuracy)}\n\n"
           f"Untuned (90 candidates, parent 4) on {len(others)} other data sets: where does a mean of ten lie? "
           f"(z: of the expected one)\n\n{luck_text(luck)}\n\n"
           f"Gain importance on Radial, axis splits, all 20 candidates\n\n{importance_text(importance)}")


if __name__ == "__main__":
    main()
