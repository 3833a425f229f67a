"""knn.py - do learned distances improve k nearest neighbours? On the classic data sets that come with scikit-learn.

Repeated stratified cross-validation. Every distance is learned from the training items and queried through the command:
`smerf neighbors MODEL --items train.csv --queries test.csv -k K --vote y`. K is one of KS, chosen by leaving one out of
the training items (out of bag for smerf, whose forest has seen them).

raw          Euclidean distance of the features as they are
standard     of the features divided by their standard deviations (the others below start from these, too)
mahalanobis  smerf fit --method mahalanobis
lda, nca     scikit-learn's LinearDiscriminantAnalysis and NeighborhoodComponentsAnalysis, then Euclidean
smerf        smerf fit, on labels or on the response
forest       no neighbours: what the same forest predicts itself (smerf predict --values)

Writes knn.csv (a row per fold and method) and knn.txt.
"""
import argparse
import csv
import io
import tempfile
import warnings
from pathlib import Path

from common import add_common_options, mean_and_se, report, run_all, smerf, smerf_json, table, write_csv

import numpy as np
from sklearn import datasets
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.neighbors import NeighborhoodComponentsAnalysis

KS = [1, 3, 5, 9, 15, 25]
FOLDS = 5
NOISE = 20  # columns of pure noise that are put beside the features of some data sets
METHODS = ["raw", "standard", "mahalanobis", "lda", "nca", "smerf", "forest"]
ON_LABELS_ONLY = ["lda", "nca"]


# ---------------------------------------------------------------- data

def with_noise(x, y):
    return np.hstack([x, np.random.default_rng(0).normal(size=(len(x), NOISE))]), y


def circles():
    x, y = datasets.make_circles(400, noise=0.1, factor=0.5, random_state=0)
    return with_noise(x, y)


CLASSIC = {
    "iris": lambda: datasets.load_iris(return_X_y=True), "wine": lambda: datasets.load_wine(return_X_y=True),
    "breast cancer": lambda: datasets.load_breast_cancer(return_X_y=True),
    "digits": lambda: datasets.load_digits(return_X_y=True),
    "diabetes": lambda: datasets.load_diabetes(return_X_y=True, scaled=False),
}
MADE = {
    "iris and noise": lambda: with_noise(*CLASSIC["iris"]()), "wine and noise": lambda: with_noise(*CLASSIC["wine"]()),
    "circles and noise": circles, "friedman 1": lambda: datasets.make_friedman1(400, n_features=10, random_state=0),
}
DATA = CLASSIC | MADE
RESPONSES = ["diabetes", "friedman 1"]


def write_items(path, x, y):
    header = ",".join([*(f"x{k}" for k in range(x.shape[1])), "y"])
    lines = [",".join([*(repr(float(v)) for v in row), value]) for row, value in zip(x, y)]
    path.write_text("\n".join([header, *lines]) + "\n")


# ---------------------------------------------------------------- one fold

def standardised(x, x_test):
    spread = x.std(axis=0)
    spread[spread == 0] = 1
    return (x - x.mean(axis=0)) / spread, (x_test - x.mean(axis=0)) / spread


def transformed(method, x, y, x_test):
    """The features that a method starts from."""
    if method == "raw":
        return x, x_test
    x, x_test = standardised(x, x_test)
    if method not in ON_LABELS_ONLY:
        return x, x_test
    learner = LinearDiscriminantAnalysis() if method == "lda" else NeighborhoodComponentsAnalysis(
        max_iter=50, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # columns that depend on each other, and iterations that end early
        learner.fit(x, y)
    return learner.transform(x), learner.transform(x_test)


def forest_score(model, test, y, is_response):
    """What the forest predicts itself, scored in the same way."""
    rows = list(csv.DictReader(io.StringIO(smerf("predict", model, test, "--values"))))
    if is_response:
        return float(np.sqrt(np.mean((np.array([float(r["y"]) for r in rows]) - y) ** 2)))
    return float(np.mean([r["label"] == f"c{c}" for r, c in zip(rows, y)]))


def choose_k(model, train, method, measure):
    scores = [smerf_json("neighbors", model, "--items", train, "-k", k, "--vote", "y",
                         *(["--oob"] if method == "smerf" else []))[measure] for k in KS]
    return KS[int(np.argmin(scores) if measure == "rmse" else np.argmax(scores))]


def split(x, y, is_response, repeat, fold):
    folds = (KFold if is_response else StratifiedKFold)(FOLDS, shuffle=True, random_state=repeat)
    return list(folds.split(x, y))[fold]


def one_fold(task):
    """A row for each method."""
    name, repeat, fold = task
    x, y = DATA[name]()
    is_response = name in RESPONSES
    train, test = split(x, y, is_response, repeat, fold)
    measure, written = ("rmse", repr) if is_response else ("accuracy", lambda c: f"c{c}")
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        model, items, queries = (Path(folder) / n for n in ("model", "train.csv", "test.csv"))
        for method in METHODS:
            if is_response and method in ON_LABELS_ONLY:
                continue
            if method != "forest":
                z, z_test = transformed(method, x[train], y[train], x[test])
                write_items(items, z, [written(v) for v in y[train].tolist()])
                write_items(queries, z_test, [written(v) for v in y[test].tolist()])
                learner = method if method == "mahalanobis" else "smerf" if method == "smerf" else "euclidean"
                smerf("fit", items, "--response" if is_response else "--labels", "y", "--method", learner, *(["--paper"] if learner == "smerf" else []),
                      "-o", model)
                k = choose_k(model, items, method, measure)
                score = smerf_json("neighbors", model, "--items", items, "--queries", queries, "-k", k, "--vote",
                                   "y")[measure]
            else:  # of the model before
                k, score = 0, forest_score(model, queries, y[test], is_response)
            rows.append({"data": name, "repeat": repeat, "fold": fold, "method": method, "k": k, "measure": measure,
                         "score": score})
    return rows


# ---------------------------------------------------------------- all of them

def cell(rows, name, method):
    scores = [r["score"] for r in rows if (r["data"], r["method"]) == (name, method)]
    if not scores:
        return "-"
    mean, se = mean_and_se(scores)
    return f"{mean:.2f} ({se:.2f})" if name in RESPONSES else f"{100 * mean:.1f} ({100 * se:.1f})"


def shape(name):
    x, y = DATA[name]()
    return f"{len(x)} x {x.shape[1]}", "rmse" if name in RESPONSES else f"% of {len(set(y))}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_common_options(parser)
    parser.add_argument("--only", nargs="+", choices=list(DATA), default=list(DATA), help="some of the data sets")
    chosen = parser.parse_args()
    repeats = chosen.repeats or (1 if chosen.quick else 5)
    tasks = [(n, r, f) for n in chosen.only for r in range(min(repeats, 2) if n == "digits" else repeats)
             for f in range(FOLDS)]
    rows = run_all(one_fold, tasks, chosen.jobs)
    write_csv(chosen.folder / "knn.csv", rows)
    text = table(["data", "items", "measure", *METHODS],
                 [[n, *shape(n), *(cell(rows, n, m) for m in METHODS)] for n in chosen.only])
    report(chosen.folder / "knn.txt", f"k nearest neighbours, mean (standard error) over the folds of {repeats} times "
           f"{FOLDS}-fold cross-validation (digits: at most twice)\n\n{text}")


if __name__ == "__main__":
    main()
