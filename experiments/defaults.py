"""defaults.py - which defaults are good on data that nobody here made?

Every data set of real_data.py is divided several times: three quarters of the items to learn from, the others, which no forest has seen,
to be scored on. The forest is fitted as the paper has it, by default, and with several numbers of candidates and self-distances.

rmse          of the predicted distances among unseen items; beside it that of guessing the mean distance of the training pairs
spearman, auc as `smerf evaluate` has them
value         what the forest predicts of the items themselves: accuracy of labels, R^2 of a response; beside it the default
              forests of scikit-learn and, if R has it, ranger, with as many trees

Writes defaults.csv (a row per division and setting) and defaults.txt (means). What defaults.csv has already is not measured again: a run
that was cut off goes on, and one that shall begin anew wants another folder. docs/defaults.md is about them.
"""
import argparse
import csv
import functools
import io
import shutil
import subprocess
import tempfile
from pathlib import Path

import real_data
from common import add_common_options, mean_and_se, report, run_all, smerf, smerf_json, table, write_csv

import numpy as np
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

TREES = 300
LARGE, FEW_REPEATS = ["digits", "letters", "facebook-ego"], 3  # these are divided less often
GUESS, OTHERS = "guess", ["scikit-learn", "ranger"]
CHOSEN = {"paper": ["--paper"], "default": [], "parent 5": ["--min-parent", 5]}
SETTINGS = CHOSEN | {f"{c} {s}": ["--candidates", c, "--self-distance", s] for c in ["p^0.5", "p^0.75", "all"] for s in ["given", "exclude", "1"]}
load = functools.cache(real_data.load)
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


def write_truth(data, folder, name, rows):
    """The words of the command line for all that is true of some items."""
    if data.y is not None:
        return [f"--{data.kind}", ",".join(data.y)]
    if data.kind != "graph":
        np.save(folder / f"{name}.npy", data.true_distances(rows))
        return ["--distances", folder / f"{name}.npy"]
    path = folder / f"{name}.csv"
    edges = np.argwhere(np.triu(data.z[np.ix_(rows, rows)]))
    path.write_text("source,target\n" + "".join(f"{i},{j}\n" for i, j in edges))
    return ["--edges", path]


def write_known(data, folder, rows, repeat):
    """And for what is learned from: of pairs, three in ten are known."""
    if data.kind == "rank":
        return [*write_truth(data, folder, "known", rows), "--rank", 5]
    if data.kind != "pairs":
        return write_truth(data, folder, "known", rows)
    z, draw = data.true_distances(rows), np.random.default_rng(500 + repeat)
    known = [(i, j) for i in range(len(rows)) for j in range(i) if draw.random() < 0.3]
    path = folder / "pairs.csv"
    path.write_text("i,j,distance\n" + "".join(f"{i},{j},{float(z[i, j])!r}\n" for i, j in known))
    return ["--pairs", path]


def guess_rmse(data, train, test):
    known, asked = (data.true_distances(rows)[np.triu_indices(len(rows), 1)] for rows in (train, test))
    return float(np.sqrt(np.mean((asked - known.mean()) ** 2)))


def value_score(data, predicted, rows):
    true = [data.y["y"][i] for i in rows]
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
    y = np.array(data.y["y"] if data.kind == "labels" else [float(v) for v in data.y["y"]])
    forest = (RandomForestClassifier if data.kind == "labels" else RandomForestRegressor)(TREES, random_state=repeat)
    return forest.fit(x[train], y[train]).predict(x[test])


def ranger_values(folder, repeat):
    """None: ranger is not there, or does not take these data (missing values)."""
    if shutil.which("Rscript") is None:
        return None
    done = subprocess.run(["Rscript", "--vanilla", "-e", RANGER, folder / "train.csv", folder / "test.csv", str(TREES), str(repeat + 1)],
                          capture_output=True, text=True)
    return [row["y"] for row in csv.DictReader(io.StringIO(done.stdout))] if done.returncode == 0 else None


NO_SCORES = {"rmse": np.nan, "spearman": np.nan, "auc": np.nan, "value": np.nan}


def forest_scores(data, folder, known, truth, options, test):
    """What a forest with these options is worth on the test items."""
    model = folder / "model"
    smerf("fit", folder / "train.csv", *known, *options, "--trees", TREES, "-o", model)
    scores = smerf_json("evaluate", model, folder / "test.csv", *truth)
    has_value = data.kind in ("labels", "response")
    return {"rmse": scores["rmse"], "spearman": scores["spearman"], "auc": scores.get("auc-roc", np.nan),
            "value": value_score(data, forest_values(data, model, folder / "test.csv"), test) if has_value else np.nan}


def is_about(setting, kind):
    if setting in OTHERS:
        return kind in ("labels", "response")
    return kind == "graph" or not setting.endswith(" 1")  # the distance without a link


def one_division(task):
    """A row for each setting that is wanted."""
    name, repeat, settings = task
    data = load(name)
    if data is None:
        return []
    train, test = divide(data, repeat)
    rows = []
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        data.write_items(folder / "train.csv", train)
        data.write_items(folder / "test.csv", test)
        known, truth = write_known(data, folder, train, repeat), write_truth(data, folder, "true", test)
        for setting in settings:
            if not is_about(setting, data.kind):
                continue
            scores = dict(NO_SCORES)
            if setting == GUESS:
                scores["rmse"] = guess_rmse(data, train, test)
            elif setting in OTHERS:
                values = scikit_values(data, train, test, repeat) if setting == "scikit-learn" else ranger_values(folder, repeat)
                scores["value"] = np.nan if values is None else value_score(data, values, test)
            else:
                scores = forest_scores(data, folder, known, truth, [*SETTINGS[setting], "--seed", repeat + 1], test)
            rows.append({"data": name, "kind": data.kind, "repeat": repeat, "setting": setting} | scores)
    return rows


# ---------------------------------------------------------------- all of them

class Measured:
    """What the rows say of one data set: setting and score to a number for each division."""

    def __init__(self, rows):
        self.kind, self.rows = rows[0]["kind"], rows
        self.settings = list(dict.fromkeys(r["setting"] for r in rows))

    def each(self, setting, score):
        found = {r["repeat"]: r[score] for r in self.rows if r["setting"] == setting}
        return np.array([found[k] for k in sorted(found)])

    def has(self, setting, score):
        values = self.each(setting, score)
        return len(values) > 0 and not np.isnan(values).any()

    def cell(self, setting, score, relative=False, with_error=False):
        """A mean; relative to guessing, division by division."""
        if not self.has(setting, score):
            return "-"
        mean, error = mean_and_se(self.each(setting, score) / (self.each(GUESS, score) if relative else 1))
        return f"{mean:.3f} ({error:.3f})" if with_error else f"{mean:.3f}"

    def difference(self, setting, other, score):
        """Setting - other, division by division, and its standard error."""
        return mean_and_se(self.each(setting, score) - self.each(other, score))


GRID = [s for s in SETTINGS if s not in CHOSEN and not s.endswith(" 1")]
FOR_GRAPHS = [s for s in SETTINGS if s.endswith(" 1")]


def by_distance(all_data):
    """RMSE as a fraction of what guessing the mean has."""
    rows = [[name, m.kind, m.cell(GUESS, "rmse"), *(m.cell(s, "rmse", True, True) for s in CHOSEN), *(m.cell(s, "rmse", True) for s in GRID)]
            for name, m in all_data.items()]
    return table(["data", "target", "guess: RMSE", *CHOSEN, *GRID], rows)


def by_order(all_data):
    score = {"graph": "auc", "labels": "auc"}
    rows = [[name, m.kind, *(m.cell(s, score.get(m.kind, "spearman"), False, s in CHOSEN) for s in [*CHOSEN, *GRID])]
            for name, m in all_data.items()]
    return table(["data", "target", *CHOSEN, *GRID], rows)


def by_value(all_data):
    powers = [s for s in GRID if s.endswith(" given")]  # self-distances change no value
    rows = [[name, m.kind, *(m.cell(s, "value", False, True) for s in [*CHOSEN, *OTHERS]), *(m.cell(s, "value") for s in powers)]
            for name, m in all_data.items() if m.kind in ("labels", "response")]
    return table(["data", "target", *CHOSEN, *OTHERS, *(s.split()[0] for s in powers)], rows)


def with_links(all_data):
    rows = [[name, *(m.cell(s, "rmse", True) for s in FOR_GRAPHS), *(m.cell(s, "auc") for s in FOR_GRAPHS)]
            for name, m in all_data.items() if m.kind == "graph"]
    return table(["data", *FOR_GRAPHS, *("auc " + s for s in FOR_GRAPHS)], rows)


def losses(all_data):
    """Where the default is worse than something else by more than two standard errors."""
    lines = []
    for other, score, sign in [(GUESS, "rmse", 1), ("paper", "rmse", 1), *((o, "value", -1) for o in ["paper", *OTHERS])]:
        for name, m in all_data.items():
            if not m.has("default", score) or not m.has(other, score):
                continue
            mean, error = m.difference("default", other, score)
            scale = np.mean(m.each(other, score)) if score == "rmse" else 1
            if sign * mean > max(2 * error, 0.001 * scale):
                lines.append(f"{name}: {score} {mean / scale:+.1%} ({error / scale:.1%}) against {other}")
    return "\n".join(lines or ["nowhere"])


def tables(rows):
    all_data = {name: Measured([r for r in rows if r["data"] == name]) for name in real_data.LOADERS if any(r["data"] == name for r in rows)}
    parts = {"RMSE among unseen items, as a fraction of what guessing the mean has": by_distance(all_data),
             "Order among unseen items: AUC-ROC of graphs and labels, Spearman of all else": by_order(all_data),
             "Labels and responses of unseen items: accuracy, R^2": by_value(all_data),
             "Graphs with the self-distance 1: RMSE as a fraction of guessing, AUC-ROC": with_links(all_data),
             "Where the default is worse by more than two standard errors of the difference, and a thousandth": losses(all_data)}
    return "\n\n\n".join(f"{title}\n\n{text}" for title, text in parts.items())


def read_rows(path):
    """What an earlier run has measured."""
    if not path.exists():
        return []
    with open(path, newline="", encoding="utf-8") as file:
        return [row | {"repeat": int(row["repeat"])} | {s: float(row[s]) for s in NO_SCORES} for row in csv.DictReader(file)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add_common_options(parser)
    parser.add_argument("--only", nargs="+", choices=list(real_data.LOADERS), default=list(real_data.LOADERS))
    chosen = parser.parse_args()
    repeats = chosen.repeats or (2 if chosen.quick else 8)
    path = chosen.folder / "defaults.csv"
    rows = read_rows(path)
    known = {(r["data"], r["repeat"], r["setting"]) for r in rows}
    tasks = [(name, r, [s for s in [GUESS, *SETTINGS, *OTHERS] if (name, r, s) not in known])
             for r in range(repeats) for name in chosen.only if r < FEW_REPEATS or name not in LARGE]
    rows += run_all(one_division, [task for task in tasks if task[2]], chosen.jobs, lambda new: write_csv(path, rows + new))
    report(chosen.folder / "defaults.txt", f"{TREES} trees, {repeats} divisions ({FEW_REPEATS} of {', '.join(LARGE)}); standard errors in brackets\n\n\n{tables(rows)}")


if __name__ == "__main__":
    main()
