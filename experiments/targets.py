"""targets.py - how much is lost where the target is incomplete, cut to a low rank, or a network?

missing   pairs hidden at random: what `fit --pairs` loses against `fit --distances` with all of them, completed or not
rank      `--rank R` against full rank, on distances that are no squared Euclidean ones
networks  links among nodes never seen, and between them and those trained on, for each --self-distance; what tune picks

Writes targets-missing.csv, targets-rank.csv, targets-networks.csv, targets-tune.csv (a row per forest) and targets.txt.
"""
import argparse
import tempfile
from pathlib import Path

from common import (ROOT, add_common_options, mean_and_se, report, run_all, simulate, smerf,
                    smerf_json, table, write_csv)

import numpy as np
from scipy.spatial.distance import cdist

N_TEST = 300
TREES = 200
FEATURES = 5  # of the data made here

N_MISSING = 320
HIDDEN = [0.5, 0.8, 0.95]
LARGEST_LOSS = {0.5: 1.05, 0.8: 1.08, 0.95: 1.35}  # test RMSE over that with all pairs, completed
WITH_TARGET = ["regression", "radial"]
KINDS = WITH_TARGET + ["euclidean", "ratings"]

N_RANK = 500
RANKS = [2, 4, 8, 16, 32]
KEPT = "share_of_the_squared_spectrum_kept"  # with so many items not all eigenvalues are computed
METRICS = {"euclidean": "euclidean", "L1": "cityblock"}
RANK_JUDGED, LARGEST_RMSE_RATIO, LARGEST_MAP_LOSS = 16, 1.02, 0.02

NETWORKS = ["lazega-cowork", "facebook-ego", "nips234"]
SELF_DISTANCES = ["given", "1", "exclude"]
AUC = ["auc-roc", "auc-pr"]
TUNED_TREES = 100


def yes(is_met):
    return "yes" if is_met else "NO"


def with_error(values, digits=3):
    mean, se = mean_and_se(values)
    return f"{mean:.{digits}f} ({se:.{digits}f})"


def write_items(path, x):
    header = ",".join(f"x{k + 1}" for k in range(x.shape[1]))
    np.savetxt(path, x, delimiter=",", header=header, comments="", fmt="%.17g")


def uniform_items(n, rng, folder):
    """Training and test features, written too."""
    x, x_test = rng.random((n, FEATURES)), rng.random((N_TEST, FEATURES))
    write_items(folder / "items.csv", x)
    write_items(folder / "test-items.csv", x_test)
    return x, x_test


def fit_and_score(folder, target, *options):
    """Test scores of a forest, and what `info` says about it."""
    model = folder / "model"
    smerf("fit", folder / "items.csv", *target, "--paper", "--trees", TREES, "-o", model, *options)
    scores = smerf_json("evaluate", model, folder / "test-items.csv", "--distances", folder / "test-distances.npy",
                        "--metrics", "rmse,map@10")
    return scores, smerf_json("info", model)


# ---------------------------------------------------------------- missing pairs

def ratings(distances, rng):
    """Similarities rated 1 to 7 by people who err by 0.7: 7 is the same, 1 is 1.5 apart or more."""
    n = len(distances)
    noise = np.triu(rng.normal(0, 0.7, (n, n)), k=1)
    rated = np.clip(np.round(7 - 4 * distances + noise + noise.T), 1, 7)
    np.fill_diagonal(rated, 7)
    return rated


def missing_data(kind, seed, rng, folder):
    """Files in `folder`; the known values of all training pairs, and the words that say what they are."""
    if kind in WITH_TARGET:
        simulate(kind, N_MISSING, seed, folder, N_TEST)
        return np.load(folder / "distances.npy"), "distance", []
    x, x_test = uniform_items(N_MISSING, rng, folder)
    true = cdist(x_test, x_test)
    if kind == "euclidean":
        np.save(folder / "test-distances.npy", true)
        return cdist(x, x), "distance", []
    np.save(folder / "test-distances.npy", np.minimum(4 * true, 6))  # what is rated, without the error
    return ratings(cdist(x, x), rng), "similarity", ["--similarity-max", 7]


def write_known_pairs(path, values, name, hidden, rng):
    i, j = np.triu_indices(len(values), k=1)
    known = np.sort(rng.permutation(len(i))[:round((1 - hidden) * len(i))])
    rows = (f"{a},{b},{values[a, b]:.17g}\n" for a, b in zip(i[known], j[known]))
    path.write_text(f"a,b,{name}\n" + "".join(rows))


def missing(task):
    """Rows for one data set: all pairs, then every hidden fraction with and without completion."""
    kind, repeat = task
    seed = 1_000 * KINDS.index(kind) + repeat
    rng = np.random.default_rng([1, seed])
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        values, column, options = missing_data(kind, seed, rng, folder)
        np.save(folder / "all.npy", values)
        options += ["--seed", 10_000_000 + seed]
        matrix = "--distances" if column == "distance" else "--similarities"
        full, _ = fit_and_score(folder, [matrix, folder / "all.npy"], *options)
        rows = []
        for hidden in HIDDEN:
            write_known_pairs(folder / "pairs.csv", values, column, hidden, rng)
            for complete in ("auto", "off"):
                target = ["--pairs", folder / "pairs.csv", "--complete", complete]
                scores, info = fit_and_score(folder, target, *options)
                rows.append({"data": kind, "repeat": repeat, "hidden": hidden, "complete": complete,
                             "rank": info.get("completed_to_rank", 0), "rmse": scores["rmse"],
                             "rmse_all_pairs": full["rmse"], "ratio": scores["rmse"] / full["rmse"]})
    return rows


def missing_text(rows):
    lines = []
    for kind, hidden in ((k, h) for k in KINDS for h in HIDDEN):
        of_it = [r for r in rows if (r["data"], r["hidden"]) == (kind, hidden)]
        auto, off = ([r for r in of_it if r["complete"] == c] for c in ("auto", "off"))
        ratio = [r["ratio"] for r in auto]
        target = LARGEST_LOSS[hidden] if kind in WITH_TARGET else None
        lines.append([kind, f"{100 * hidden:.0f} %", with_error([r["rmse_all_pairs"] for r in auto], 4),
                      with_error(ratio), "-" if target is None else f"<= {target}",
                      "-" if target is None else yes(np.mean(ratio) <= target),
                      with_error([r["ratio"] for r in off]), " ".join(str(r["rank"] or "none") for r in auto)])
    header = ["data", "hidden", "RMSE, all pairs", "ratio, auto", "target", "met", "ratio, off", "ranks chosen"]
    return table(header, lines)


# ---------------------------------------------------------------- low rank

def low_rank(task):
    """Rows for one data set: every rank beside full rank."""
    metric, repeat = task
    seed = 1_000 * list(METRICS).index(metric) + repeat
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        x, x_test = uniform_items(N_RANK, np.random.default_rng([2, seed]), folder)
        np.save(folder / "distances.npy", cdist(x, x, METRICS[metric]))
        np.save(folder / "test-distances.npy", cdist(x_test, x_test, METRICS[metric]))
        target, options = ["--distances", folder / "distances.npy"], ["--seed", 10_000_000 + seed]
        full, _ = fit_and_score(folder, target, *options)
        rows = []
        for rank in RANKS:
            scores, info = fit_and_score(folder, target, "--rank", rank, *options)
            rows.append({"distance": metric, "repeat": repeat, "rank": rank, "kept": info[KEPT],
                         "rmse": scores["rmse"], "rmse_full": full["rmse"], "rmse_ratio": scores["rmse"] / full["rmse"],
                         "map@10": scores["map@10"], "map@10_full": full["map@10"],
                         "map@10_difference": scores["map@10"] - full["map@10"]})
    return rows


def rank_text(rows):
    lines = []
    for metric, rank in ((m, r) for m in METRICS for r in RANKS):
        of_it = [r for r in rows if (r["distance"], r["rank"]) == (metric, rank)]
        ratio, difference = ([r[c] for r in of_it] for c in ("rmse_ratio", "map@10_difference"))
        is_met = np.mean(ratio) <= LARGEST_RMSE_RATIO and np.mean(difference) >= -LARGEST_MAP_LOSS
        lines.append([metric, rank, with_error([r["kept"] for r in of_it], 5),
                      with_error([r["rmse_full"] for r in of_it], 4), with_error(ratio),
                      with_error([r["map@10_full"] for r in of_it]), with_error(difference, 4),
                      yes(is_met) if rank == RANK_JUDGED else "-"])
    return table(["distance", "rank", "squares kept", "RMSE, full", "RMSE ratio", "map@10, full", "map@10 difference",
                  "met"], lines)


# ---------------------------------------------------------------- networks

def split_network(network, data, seed, folder):
    source = data / "networks" / network
    smerf("split", source / "nodes.csv", "--edges", source / "edges.csv", "--by", "nodes", "--train", 0.5, "--seed", seed,
          "-o", folder)


def link_scores(model, folder):
    """AUC on the pairs among test nodes, and on those between test and training nodes."""
    test, metrics = folder / "test-items.csv", ["--metrics", ",".join(AUC)]
    new = smerf_json("evaluate", model, test, "--edges", folder / "test-edges.csv", *metrics)
    old = smerf_json("evaluate", model, test, "--against", folder / "train-items.csv", "--edges",
                     folder / "cross-edges.csv", *metrics)
    return {**{f"{m} new": new[m] for m in AUC}, **{f"{m} old-new": old[m] for m in AUC}}


def training(folder):
    return [folder / "train-items.csv", "--edges", folder / "train-edges.csv"]


def network(task):
    """Rows for one split of one network: every self-distance."""
    name, repeat, data = task
    rows = []
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        split_network(name, data, repeat + 1, folder)
        for self_distance in SELF_DISTANCES:
            model = folder / "model"
            smerf("fit", *training(folder), "--paper", "--self-distance", self_distance, "--trees", TREES, "--seed",
                  10_000_000 + repeat, "-o", model)
            rows.append({"network": name, "repeat": repeat, "self_distance": self_distance,
                         **link_scores(model, folder)})
    return rows


def tuned_network(task):
    """What tune picks on the first split, and whether it is better than the paper's options with as many trees."""
    name, data = task
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        split_network(name, data, 1, folder)
        model, options = folder / "model", ["--trees", TUNED_TREES, "--seed", 10_000_000]
        smerf("fit", *training(folder), "--paper", *options, "-o", model)
        rows = [{"network": name, "options": "paper", "out of bag": smerf_json(
            "evaluate", model, folder / "train-items.csv", "--oob", "--metrics", "auc-roc")["auc-roc"],
            **link_scores(model, folder)}]
        best = smerf_json("tune", *training(folder), "--metric", "auc-roc", *options, "-o", model)["best"]
        picked = (f"{best['splits']}, {best['candidates']} candidates, parent {best['min_parent']}, "
                  f"self {best['self_distance']}")
        rows.append({"network": name, "options": picked, "out of bag": best["auc-roc"], **link_scores(model, folder)})
    return rows


def network_text(rows):
    columns = [f"{m} {pairs}" for pairs in ("new", "old-new") for m in AUC]
    groups = [(n, s) for n in NETWORKS for s in SELF_DISTANCES]
    return table(["network", "self-distance", *columns],
                 [[n, s, *(with_error([r[c] for r in rows if (r["network"], r["self_distance"]) == (n, s)])
                           for c in columns)] for n, s in groups])


def tuned_text(rows):
    columns = list(rows[0])[2:]
    return table(["network", "options", *columns],
                 [[r["network"], r["options"], *(f"{r[c]:.3f}" for c in columns)] for r in rows])


# ---------------------------------------------------------------- all of them

def run_missing(chosen, repeats):
    rows = run_all(missing, [(k, r) for k in KINDS for r in range(repeats)], chosen.jobs)
    write_csv(chosen.folder / "targets-missing.csv", rows)
    return (f"Missing pairs: {N_MISSING} items, {N_TEST} test items, {TREES} trees, {repeats} data sets. Ratio: test "
            f"RMSE over that with all pairs\n\n{missing_text(rows)}")


def run_rank(chosen, repeats):
    rows = run_all(low_rank, [(m, r) for m in METRICS for r in range(repeats)], chosen.jobs)
    write_csv(chosen.folder / "targets-rank.csv", rows)
    return (f"Low rank: {N_RANK} items with {FEATURES} uniform features, {N_TEST} test items, {TREES} trees, {repeats} "
            f"data sets, against full rank. Squares kept: share of the squared spectrum\n(met, at rank {RANK_JUDGED}: "
            f"RMSE ratio <= {LARGEST_RMSE_RATIO}, map@10 difference >= -{LARGEST_MAP_LOSS})\n\n{rank_text(rows)}")


def run_networks(chosen, repeats):
    absent = [n for n in NETWORKS if not (chosen.data / "networks" / n / "edges.csv").is_file()]
    if absent:
        return (f"Networks: skipped, {chosen.data / 'networks'} has no {', '.join(absent)} "
                f"(--data names the folder that holds networks/)")
    tuned = run_all(tuned_network, [(n, chosen.data) for n in NETWORKS], chosen.jobs)
    rows = run_all(network, [(n, r, chosen.data) for n in NETWORKS for r in range(repeats)], chosen.jobs)
    write_csv(chosen.folder / "targets-networks.csv", rows)
    write_csv(chosen.folder / "targets-tune.csv", tuned)
    return (f"Networks: half of the nodes to train on, {TREES} trees, {repeats} splits. New: pairs among test nodes; "
            f"old-new: between test and training nodes\n\n{network_text(rows)}\n\n"
            f"What tune --metric auc-roc picks, first split, {TUNED_TREES} trees\n\n{tuned_text(tuned)}")


PARTS = {"missing": run_missing, "rank": run_rank, "networks": run_networks}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_common_options(parser)
    parser.add_argument("--only", choices=list(PARTS), nargs="+", default=list(PARTS), help="some of the experiments")
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data",
                        help="folder that holds networks/")
    chosen = parser.parse_args()
    repeats = chosen.repeats or (2 if chosen.quick else 5)
    texts = [run(chosen, repeats) for name, run in PARTS.items() if name in chosen.only]
    report(chosen.folder / "targets.txt", "Mean (standard error) over data sets\n\n" + "\n\n\n".join(texts))


if __name__ == "__main__":
    main()
