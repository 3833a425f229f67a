"""defaults.py - which defaults are good on data that nobody here made?

Every data set of real_data.py is divided several times: three quarters of the items to learn from, the others, which no forest has seen,
to be scored on. For each kind of target the forest is fitted with several numbers of candidates and self-distances.

rmse, guess   of the predicted distances among unseen items; of guessing the mean distance of the training pairs
spearman, auc as `smerf evaluate` has them
value         what the forest predicts of the items themselves: accuracy of labels, R^2 of a response; beside it the default
              forests of scikit-learn and, if R has it, ranger, with as many trees

Writes defaults.csv (a row per division and setting) and defaults.txt (means). docs/defaults.md is about them.
"""
import argparse
import csv
import io
import itertools
import shutil
import subprocess
import tempfile
from pathlib import Path

import real_data
from common import add_common_options, mean_and_se, report, run_all, smerf, smerf_json, table, write_csv

import numpy as np
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

CANDIDATES = ["p^0.5", "p^0.75", "all"]
SELF_DISTANCES = ["given", "exclude"]
TREES = 300
TRAIN = 0.75
RANGER = """a <- commandArgs(TRUE); suppressMessages(library(ranger)); train <- read.csv(a[1], stringsAsFactors = TRUE)
test <- read.csv(a[2], stringsAsFactors = TRUE)
for (n in names(train)) if (is.factor(train[[n]])) { l <- union(levels(train[[n]]), levels(test[[n]]))
  train[[n]] <- factor(train[[n]], l); if (n != "y") test[[n]] <- factor(test[[n]], l) }
train$y <- if (is.factor(train$y)) droplevels(train$y) else train$y
write.csv(data.frame(y = predict(ranger(y ~ ., train, num.trees = as.integer(a[3]), seed = as.integer(a[4])), test)$predictions))"""


# ---------------------------------------------------------------- one division

def divide(data, repeat):
    order = np.random.default_rng(100 + repeat).permutation(data.n)
    n_train = round(TRAIN * data.n)
    return np.sort(order[:n_train]), np.sort(order[n_train:])


def write_target(data, folder, name, rows):
    """The words of the command line for the target among some items."""
    if data.kind in ("labels", "response"):
        return [f"--{data.kind}", "y"]
    path = folder / f"{name}.npy"
    if data.kind == "distances":
        np.save(path, data.true_distances(rows))
        return ["--distances", path]
    path = folder / f"{name}.csv"
    edges = np.argwhere(np.triu(data.z[np.ix_(rows, rows)]))
    path.write_text("source,target\n" + "".join(f"{i},{j}\n" for i, j in edges))
    return ["--edges", path]


def guess_rmse(data, train, test):
    known, asked = (data.true_distances(rows)[np.triu_indices(len(rows), 1)] for rows in (train, test))
    return float(np.sqrt(np.mean((asked - known.mean()) ** 2)))


def value_score(data, predicted, rows):
    true = [data.y[i] for i in rows]
    if data.kind == "labels":
        return float(np.mean([p == t for p, t in zip(predicted, true)]))
    true, predicted = np.array(true, dtype=float), np.array(predicted, dtype=float)
    return float(1 - np.mean((predicted - true) ** 2) / np.var(true))


def forest_values(data, model, items):
    rows = list(csv.DictReader(io.StringIO(smerf("predict", model, items, "--values"))))
    return [row["label" if data.kind == "labels" else "y"] for row in rows]


def coded(column):
    """As scikit-learn wants it: numbers with NaN, or codes of categories."""
    try:
        return [float(cell) if cell != "" else np.nan for cell in column]
    except ValueError:
        levels = sorted(set(column))
        return [levels.index(cell) for cell in column]


def scikit_values(data, train, test, repeat):
    x = np.array([coded(column) for column in data.columns.values()]).T
    y = np.array(data.y if data.kind == "labels" else [float(v) for v in data.y])
    forest = (RandomForestClassifier if data.kind == "labels" else RandomForestRegressor)(TREES, random_state=repeat)
    return forest.fit(x[train], y[train]).predict(x[test])


def ranger_values(folder, repeat):
    """None: ranger is not there, or does not take these data (missing values)."""
    if shutil.which("Rscript") is None:
        return None
    done = subprocess.run(["Rscript", "--vanilla", "-e", RANGER, folder / "train.csv", folder / "test.csv", str(TREES), str(repeat + 1)],
                          capture_output=True, text=True)
    return [row["y"] for row in csv.DictReader(io.StringIO(done.stdout))] if done.returncode == 0 else None


def one_division(task):
    """A row for each setting."""
    name, repeat = task
    data = real_data.load(name)
    if data is None:
        return []
    train, test = divide(data, repeat)
    common = {"data": name, "kind": data.kind, "repeat": repeat, "guess": guess_rmse(data, train, test)}
    rows = []
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        items, asked, model = (folder / n for n in ("train.csv", "test.csv", "model"))
        data.write_items(items, train)
        data.write_items(asked, test)
        target, truth = write_target(data, folder, "known", train), write_target(data, folder, "true", test)
        for candidates, self_distance in itertools.product(CANDIDATES, SELF_DISTANCES):
            smerf("fit", items, *target, "--candidates", candidates, "--self-distance", self_distance, "--trees", TREES,
                  "--seed", repeat + 1, "-o", model)
            scores = smerf_json("evaluate", model, asked, *truth)
            value = value_score(data, forest_values(data, model, asked), test) if data.y is not None else np.nan
            rows.append(common | {"setting": f"{candidates} {self_distance}", "rmse": scores["rmse"], "spearman": scores["spearman"],
                                  "auc": scores.get("auc-roc", np.nan), "value": value})
        others = {"scikit-learn": scikit_values(data, train, test, repeat), "ranger": ranger_values(folder, repeat)} if data.y else {}
    for other, values in others.items():
        if values is not None:
            rows.append(common | {"setting": other, "rmse": np.nan, "spearman": np.nan, "auc": np.nan,
                                  "value": value_score(data, values, test)})
    return rows


# ---------------------------------------------------------------- all of them

SCORES = {"distances": ["rmse", "spearman"], "graph": ["rmse", "auc"], "labels": ["rmse", "auc", "value"],
          "response": ["rmse", "spearman", "value"]}


def cell(rows, score):
    mean, error = mean_and_se([r[score] for r in rows])
    return "-" if np.isnan(mean) else f"{mean:.4g} ({error:.2g})"


def tables(rows):
    texts = []
    for kind, scores in SCORES.items():
        lines = []
        for name in dict.fromkeys(r["data"] for r in rows if r["kind"] == kind):
            of_data = [r for r in rows if r["data"] == name]
            lines.append([name, "guess the mean", cell(of_data, "guess"), *[""] * (len(scores) - 1)])
            for setting in dict.fromkeys(r["setting"] for r in of_data):
                of_setting = [r for r in of_data if r["setting"] == setting]
                lines.append(["", setting, *(cell(of_setting, s) for s in scores)])
        if lines:
            texts.append(f"{kind}\n\n{table(['data', 'setting', *scores], lines)}")
    return "\n\n\n".join(texts)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_common_options(parser)
    parser.add_argument("--only", nargs="+", choices=list(real_data.LOADERS), default=list(real_data.LOADERS))
    chosen = parser.parse_args()
    repeats = chosen.repeats or (2 if chosen.quick else 8)
    rows = run_all(one_division, [(name, r) for name in chosen.only for r in range(repeats)], chosen.jobs)
    write_csv(chosen.folder / "defaults.csv", rows)
    report(chosen.folder / "defaults.txt", f"Unseen items, mean (standard error) of {repeats} divisions, {TREES} trees\n\n{tables(rows)}")


if __name__ == "__main__":
    main()
