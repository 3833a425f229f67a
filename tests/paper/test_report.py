"""Every section of a report against what the other commands say, and against numpy and scikit-learn."""
import csv
import io
import json

import numpy as np
import pytest
import sklearn.metrics

import cases
import helpers
import metrics
import report
import targets
import test_neighbors
import test_targets
from oracle import Column

TREES = 12


def numbers(values):
    return [np.nan if v is None else v for v in values]


def matrix(model, items, *options, n=None):
    """Predicted distances as written: the shortest text that reads back. Of n items: the first distance may be missing."""
    rows = list(csv.reader(io.StringIO(helpers.run("predict", model, items, *options))))
    has_ids = rows[0][0] == "" if n is None else len(rows) > n
    return np.array([[helpers.to_number(cell) for cell in row[has_ids:]] for row in rows[has_ids:]])


# ---------------------------------------------------------------- one section each

def check_items(found, task, names):
    items = found["items"]
    assert items["n"] == len(names) and items["ids"] == names
    roles = {c.name: (c, "feature") for c in task.columns} | {c.name: (c, "target") for c in task.target.columns}
    if task.weights is not None:
        roles["w"] = (Column("w", list(task.weights)), "other")
    assert {c["name"]: c["role"] for c in items["columns"]} == {name: role for name, (_, role) in roles.items()}
    for shown in items["columns"]:
        column = roles[shown["name"]][0]
        if shown["kind"] == "number":
            values = [np.nan if v is None else float(v) for v in column.values]
            report.assert_same(shown["values"], report.as_floats(values), shown["name"])
        else:
            levels = [None if c == report.MISSING else shown["levels"][c] for c in shown["codes"]]
            assert levels == [None if v is None else str(v) for v in column.values]


def check_neighbors(found, model, items, names):
    k, expected_items, expected = 10, np.full((len(names), 10), report.MISSING), np.full((len(names), 10), np.nan)
    for q, rank, item, distance in test_neighbors.neighbors(model, items, "-k", k, names=names):
        expected_items[q, rank - 1], expected[q, rank - 1] = item, distance
    assert found["k"] == k
    report.assert_same(found["item"], expected_items.ravel(), "neighbours")
    report.assert_same(found["distance"], report.as_floats(expected.ravel()), "distances of neighbours")


def check_map(found, model, items, seed):
    told = json.loads(helpers.run("embed", model, items, "--landmarks", 1000, "--seed", seed, "--json", "--quiet"))
    places = np.array([item["coordinates"] for item in told["items"]])
    report.assert_same(found["x"], report.as_floats(places[:, 0]), "x")
    report.assert_same(found["y"], report.as_floats(places[:, 1]), "y")
    assert (found["n_landmarks"], found["share"], found["stress"]) == (told["landmarks"], told["share"], told["stress"])


def check_clusters(found, model, items, names, seed):
    told = json.loads(helpers.run("cluster", model, items, "-k", "auto", "--seed", seed, "--json", "--quiet"))
    assert found["by"] == "medoids" and found["chosen"] and found["k"] == told["k"]
    place = {name: i for i, name in enumerate(names)}
    assert [names[m] for m in found["medoids"]] == [c["medoid"] for c in told["clusters"]]
    assert {item["item"]: item["cluster"] for item in told["items"]} == {
        name: int(found["of"][place[name]]) + told["clusters"][0]["cluster"] for name in names}
    silhouettes = np.full(len(names), np.nan)
    for item in told["items"]:
        silhouettes[place[item["item"]]] = np.nan if item["silhouette"] is None else item["silhouette"]
    report.assert_same(found["silhouettes"], report.as_floats(silhouettes), "silhouettes")
    assert found["silhouette"] == told["silhouette"]


def check_heat(found, clusters, distances):
    shown = np.array(found["items"])
    assert sorted(shown) == list(range(len(distances)))
    report.assert_same(found["distance"], report.as_floats(distances[np.ix_(shown, shown)]).ravel(), "heat map")
    if clusters is None:
        return
    of = clusters["of"][shown]
    assert (np.diff(of.astype(int)) >= 0).all(), "by cluster"
    for c, medoid in enumerate(clusters["medoids"]):
        inside = shown[of == c]
        assert inside[0] == medoid
        assert (np.diff(distances[inside[1:], medoid]) >= 0).all(), "and within it by distance"


def check_explanations(found, model, items, names, neighbors, folder):
    n = len(names)
    pairs = {(i, j) for i in range(min(n, 100)) for j in range(i + 1, min(n, 100))}
    near = neighbors["item"].reshape(n, 10)[:, :5]
    pairs |= {tuple(sorted((i, int(j)))) for i in range(n) for j in near[i] if j != report.MISSING}
    assert list(zip(found["left"], found["right"])) == sorted(pairs) and found["n_sampled"] == min(n, 100)
    with open(folder / "told.csv", "w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows([("i", "j"), *((names[i], names[j]) for i, j in sorted(pairs))])
    rows = helpers.read_rows(helpers.run("explain", model, items, "--pairs", folder / "told.csv"))
    told = np.array([[float(cell) for cell in row[2:]] for row in rows[1:]])
    baseline, shares, n_shown = told[:, 0], told[:, 1:], found["n_shown"]
    assert rows[0][3:] == found["features"] and n_shown == min(12, shares.shape[1])
    report.assert_same(found["baseline"], report.as_floats(baseline), "baseline")
    report.assert_near(found["distance"], told.sum(axis=1), "distance", 1e-5)
    order = np.argsort(-np.abs(shares), axis=1, kind="stable")
    report.assert_same(found["feature"].reshape(-1, n_shown), order[:, :n_shown], "which features")
    report.assert_same(found["share"].reshape(-1, n_shown),
                       report.as_floats(np.take_along_axis(shares, order[:, :n_shown], axis=1)), "shares")
    rest = np.take_along_axis(shares, order[:, n_shown:], axis=1).sum(axis=1)
    report.assert_near(found["rest"], rest, "rest", 1e-6 * max(1.0, np.abs(told).max()))


def check_scores(found, model, items, predicted, true, words):
    told = json.loads(helpers.run("evaluate", model, items, *words, "--json", "--quiet"))
    keep = metrics.counted(predicted, true)
    metrics.assert_told(found["list"], told)
    assert (found["n_items"], found["n_pairs"]) == (len(true), keep.sum())
    if keep.any():
        report.assert_near([found["mean"], found["sd"]], [true[keep].mean(), true[keep].std()], "moments")


def places(bins, values):
    """Equal bins, of which the last holds its end, too."""
    if bins["n"] == 1:
        return np.zeros(len(values), dtype=int)
    share = (values - bins["from"]) / (bins["to"] - bins["from"])
    return np.minimum((share * bins["n"]).astype(int), bins["n"] - 1)


def check_fit(found, predicted, true):
    keep = metrics.counted(predicted, true)
    if not keep.any():
        assert found is None
        return
    p, t = predicted[keep], true[keep]
    for bins, values in ((found["predicted"], p), (found["observed"], t)):
        assert (bins["from"], bins["to"]) == (values.min(), values.max())
        assert bins["n"] == (60 if values.min() < values.max() else 1)
    counts = found["counts"].reshape(found["observed"]["n"], found["predicted"]["n"])
    assert counts.sum() == found["n_pairs"] == len(t)
    expected = np.zeros_like(counts)
    np.add.at(expected, (places(found["observed"], t), places(found["predicted"], p)), 1)
    assert (expected == counts).all(), "density"
    check_by_distance(found["by_distance"], p, t)


def check_by_distance(found, p, t):
    assert sum(b["n"] for b in found) == len(t) and len(found) <= 20
    for b in found:
        keep = (t >= b["from"]) & (t <= b["to"])
        error = (p - t)[keep]
        assert keep.sum() == b["n"]
        report.assert_near([b["bias"], b["rmse"]], [error.mean(), np.sqrt((error ** 2).mean())], "errors", 1e-7)


def check_curves(found, predicted, true, links):
    keep = metrics.counted(predicted, true)
    links = None if links is None else links & (true != 1)  # an edge of weight 0 is none
    if links is None or not keep.any() or links[keep].all() or not links[keep].any():
        assert found is None
        return
    y, score = links[keep], -predicted[keep]
    false_share, recall, _ = sklearn.metrics.roc_curve(y, score, drop_intermediate=False)
    report.assert_near(found["roc"], np.stack([false_share, recall], axis=1) if len(found["roc"]) == len(recall)
                       else thinned(found["roc"], false_share, recall), "ROC")
    precision, recall, _ = sklearn.metrics.precision_recall_curve(y, score)
    first = np.flatnonzero(recall == 1)[-1]  # the first threshold that finds all
    report.assert_near(found["pr"], thinned(found["pr"], recall[first:], precision[first:]), "precision and recall")
    report.assert_near(found["share_of_links"], y.mean(), "share of links")


def thinned(points, x, y):
    """For each point the nearest one of the curve; the ends are theirs."""
    all_points = np.stack([x, y], axis=1)
    if all_points[0][0] > all_points[-1][0]:
        all_points = all_points[::-1]
    points = np.array(points)
    assert np.allclose(points[[0, -1]], all_points[[0, -1]])
    return np.array([all_points[np.abs(all_points - p).sum(axis=1).argmin()] for p in points])


def predicting_trees(model, n, is_out_of_bag=True):
    """[trees][n][n] of the first so many trees, how many predict the pair: by what the trees hold."""
    trees = json.loads(helpers.run("export", model, "--format", "json"))["trees"]
    out = np.ones((len(trees), n), dtype=bool)
    for b, tree in enumerate(trees if is_out_of_bag else []):
        for node in tree["nodes"]:
            out[b, [item for item, _ in node.get("members", [])]] = False
    return (out[:, :, None] & out[:, None, :]).cumsum(axis=0)


def spreads(model, items, names, folder, *options):
    """[n][n] the standard deviation over the trees, above the diagonal."""
    upper = np.triu_indices(len(names), 1)
    with open(folder / "all-pairs.csv", "w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows([("i", "j"), *((names[i], names[j]) for i, j in zip(*upper))])
    rows = helpers.read_rows(helpers.run("predict", model, items, "--pairs", folder / "all-pairs.csv", "--spread", *options))
    sd = np.full((len(names), len(names)), np.nan)
    sd[upper] = [helpers.to_number(row[3]) for row in rows[1:]]
    return sd


def check_growth(found, predictions, counts, sd, true, links=None):
    """`predictions` and `counts` of each number of trees, from the fewest on; the second of them, or the first, is about half."""
    upper = np.triu(np.ones(true.shape, dtype=bool), 1)
    kept = (counts[0] > 0) & ~np.isnan(true)
    links = None if links is None else links & (true != 1)  # an edge of weight 0 is none
    if not (kept & upper).any():
        assert found is None
        return
    harmonic = [1 / np.mean(1 / c[kept & upper]) for c in counts]
    report.assert_near(found["predicting"], harmonic, "trees that predict a pair")
    assert found["n_pairs"] == (kept & upper).sum() and found["n_items"] == len(true)
    known = [metrics.scores(np.where(kept, p, np.nan), true, links) if links is None or 0 < links[kept & upper].mean() < 1
             else metrics.scores(np.where(kept, p, np.nan), true) for p in predictions]
    free = (counts[-1] - 1.0)[kept & upper]
    variance = (free * sd[kept & upper] ** 2).sum() / free.sum() if free.sum() > 0 else np.nan
    half = max(k for k, size in enumerate(found["trees"]) if size <= found["trees"][-1] / 2)
    for metric in found["metrics"]:
        if metric["name"] not in known[0]:
            assert np.isnan(numbers(metric["values"])).all()
            continue
        values = [scores[metric["name"]] for scores in known]
        if metric["name"] == "spearman" and len(true) < 4:
            continue  # metrics.py wants three partners; smerf takes two where there are no more
        report.assert_near(numbers(metric["values"]), values, metric["name"], 1e-9)
        told = numbers([metric["limit"]] + ([metric["with_all"]] if "with_all" in metric else []))
        rest = [1 / harmonic[-1], 1 / harmonic[-1] - 1 / found["trees"][-1]][: len(told)]
        if metric["name"] == "rmse":
            squares = [values[-1] ** 2 - variance * r for r in rest]
            expected = [np.sqrt(max(s, 0)) if not np.isnan(s) else s for s in squares]
        elif harmonic[half] < 2:
            expected = [np.nan] * len(told)
        else:
            slope = (values[-1] - values[half]) / (1 / harmonic[half] - 1 / harmonic[-1])
            expected = [min(values[-1] + slope * r, 1) for r in rest]
        report.assert_near(told, expected, metric["name"] + " of more trees", 1e-7)


def check_first_trees(found, task, arguments, folder, true):
    """Out of bag, against smaller forests."""
    items, names, sizes = folder / "items.csv", task.target.names(), [5, 10, TREES]
    predictions = []
    for n_trees in sizes:
        helpers.run("fit", items, *arguments, *task.options, "--trees", n_trees, "-o", folder / "smaller.smerf", "--quiet")
        predictions.append(matrix(folder / "smaller.smerf", items, "--oob", n=len(names)))
    counts = predicting_trees(folder / "model.smerf", len(names))[[size - 1 for size in sizes]]
    sd = spreads(folder / "model.smerf", items, names, folder, "--oob")
    assert found is None or (found["kind"], found["trees"]) == ("out of bag", sizes)
    check_growth(found, predictions, counts, sd, true, task.target.links)


def check_values(found, task, model, items):
    """What is predicted of labels and responses themselves, out of bag."""
    told = helpers.read_table(helpers.run("predict", model, items, "--values", "--oob"))
    if found["model"]["target"] == "labels":
        check_labels(found["classification"], task.target.columns[0].values, [row["label"] for row in told])
    else:
        columns = [(c.values, [helpers.to_number(row[c.name]) for row in told]) for c in task.target.columns]
        check_response(found["response"], np.array(columns, dtype=float))


def check_labels(found, true, predicted):
    scored = [(str(t), p) for t, p in zip(true, predicted) if p != ""]
    if not scored:
        assert found is None
        return
    labels = sorted({label for pair in scored for label in pair}, key=str.encode)
    assert found["labels"] == labels and found["n_unpredicted"] == len(true) - len(scored)
    expected = sklearn.metrics.confusion_matrix(*zip(*scored), labels=labels)
    assert found["counts"] == expected.tolist()


def check_response(found, columns):
    """`columns` [column][true, predicted][item]"""
    columns = columns[:, :, ~np.isnan(columns[0, 1])]
    if columns.shape[2] == 0:
        assert found is None
        return
    assert found["n_items"] == columns.shape[2]
    scores = [np.nan if np.ptp(t) == 0 else sklearn.metrics.r2_score(t, p) for t, p in columns]
    report.assert_near(numbers([found["r_squared"]]), [np.mean(scores)], "R squared")


def check_importance(found, model, items):
    gain = {row["feature"]: float(row["importance"]) for row in helpers.read_table(helpers.run("importance", model))}
    assert dict(zip(found["features"], found["gain"])) == gain
    told = helpers.read_table(helpers.run("importance", model, items, "--permutation"))
    shuffled = {row["feature"]: [helpers.to_number(row[c]) for c in list(row)[1:3]] for row in told}
    report.assert_same([numbers([p, e]) for p, e in zip(found["permutation"], found["standard_error"])],
                       [shuffled[f] for f in found["features"]], "permutation")
    together = found["interaction"]
    if len(found["features"]) < 2 or together is None:
        return
    top = [found["permutation"][f] for f in together["features"]]
    assert len(top) == min(8, len(found["features"])) and top == sorted(top, reverse=True)
    told = json.loads(helpers.run("importance", model, items, "--permutation", "--interactions", len(top), "--json"))
    expected = {frozenset((i["feature"], i["with"])): i for i in told["interactions"]}
    for a, f in enumerate(together["features"]):
        for b, g in enumerate(together["features"]):
            pair = expected[frozenset((found["features"][f], found["features"][g]))] if a != b else None
            value = together["value"][a][b]
            assert value == (0 if a == b else pair["interaction"]), "features together"


# ---------------------------------------------------------------- every kind of target

def fit_task(folder, kind, seed):
    """Random features and weights, and a target of this kind, with options under which all sections make sense."""
    task = test_targets.make_task(kind, seed)
    task.options = ["--seed", 5 + seed] + (["--item-weights", "w"] if task.weights is not None else [])
    helpers.save_items(folder / "items.csv", task.item_columns(), task.target.ids, task.weights)
    arguments = task.target.arguments(folder)
    helpers.run("fit", folder / "items.csv", *arguments, "--trees", TREES, *task.options, "-o", folder / "model.smerf")
    return task, arguments


def check_report(found, task, arguments, folder):
    model, items, names = folder / "model.smerf", folder / "items.csv", task.target.names()
    seed, n = task.options[1], len(names)
    assert found["format"] == 1 and found["title"] == "model.smerf" and found["items"]["are_training"]
    assert [found["model"][key] for key in ("n_items", "n_features", "n_trees")] == [n, len(task.columns), TREES]
    check_items(found, task, names)
    check_neighbors(found["neighbors"], model, items, names)
    check_map(found["map"], model, items, seed)
    if n >= 3:
        check_clusters(found["clusters"], model, items, names, seed)
    check_heat(found["heat"], found["clusters"], matrix(model, items))
    check_explanations(found["explanations"], model, items, names, found["neighbors"], folder)
    predicted, true = matrix(model, items, "--oob"), task.target.z.astype(np.float32).astype(float)
    assert found["scores"]["kind"] == "out of bag"
    check_scores(found["scores"], model, items, predicted, true, ["--oob"])
    check_fit(found["fit"], predicted, true)
    check_curves(found["curves"], predicted, true, task.target.links)
    check_first_trees(found["growth"], task, arguments, folder, true)
    if found["model"]["target"] in ("labels", "response"):
        check_values(found, task, model, items)
    else:
        assert "classification" not in found and "response" not in found
    check_importance(found["importance"], model, items)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("kind", targets.KINDS)
def test_every_section_is_what_the_other_commands_say(kind, seed, tmp_path):
    task, arguments = fit_task(tmp_path, kind, seed)
    found = report.write(tmp_path / "model.smerf", tmp_path / "items.csv", folder=tmp_path)
    try:
        check_report(found, task, arguments, tmp_path)
    except AssertionError as wrong:
        raise AssertionError(f"{task.name}\n{wrong}") from wrong


# ---------------------------------------------------------------- items that the model has not seen

def test_new_items_are_scored_against_a_given_target(tmp_path):
    case, others = cases.make_case("distinct values", 31, n=30, p=4), cases.make_case("distinct values", 32, n=17, p=4)
    model, items = helpers.fit(tmp_path, case, "--trees", TREES), tmp_path / "new.csv"
    helpers.save_items(items, others.columns)
    np.save(tmp_path / "new.npy", others.distances)
    bare = report.write(model, items, folder=tmp_path)
    given = report.write(model, items, "--distances", tmp_path / "new.npy", folder=tmp_path)
    assert not bare["items"]["are_training"]
    for section in ("scores", "fit", "growth"):
        assert bare[section] is None and "no target was given" in bare["absent"][section]
    assert bare["importance"]["permutation"] is None and any("shuffled" in note for note in bare["notes"])
    true = others.distances.astype(np.float32).astype(float)
    predicted = matrix(model, items)
    assert given["scores"]["kind"] == "given target"
    assert given["files"]["target"] == f"--distances {tmp_path / 'new.npy'}"
    check_scores(given["scores"], model, items, predicted, true, ["--distances", tmp_path / "new.npy"])
    check_fit(given["fit"], predicted, true)
    assert given["growth"]["metrics"][0]["values"][-1] == given["scores"]["list"][0]["value"]
    check_first_trees_of_new_items(given["growth"], case, others, tmp_path)
    check_heat(bare["heat"], bare["clusters"], predicted)


def check_first_trees_of_new_items(found, case, others, folder):
    items, n, sizes, predictions = folder / "new.csv", len(others.distances), [1, 2, 5, 10, TREES], []
    for n_trees in sizes:
        predictions.append(matrix(helpers.fit(folder, case, "--trees", n_trees, name="smaller"), items))
    counts = [np.full((n, n), size) for size in sizes]
    sd = spreads(folder / "model.smerf", items, [str(i) for i in range(n)], folder)
    assert (found["kind"], found["trees"]) == ("given target", sizes)
    assert all("with_all" not in metric and metric["limit"] is not None for metric in found["metrics"])
    check_growth(found, predictions, counts, sd, others.distances.astype(np.float32).astype(float))


@pytest.mark.parametrize("n_trees, seeds, least, most", [(10, range(1, 7), 0.02, 0.2), (400, [1], 0, 0.005)])
def test_whether_more_trees_help_is_what_new_items_say(n_trees, seeds, least, most, tmp_path):
    """The squared error of new items is told to end where that of many trees is, from these and from out of bag alike."""
    helpers.run("simulate", "radial", "-n", 200, "--test", 100, "-o", tmp_path)
    words = [tmp_path / "items.csv", "--distances", tmp_path / "distances.npy"]
    new = [tmp_path / "test-items.csv", "--distances", tmp_path / "test-distances.npy"]
    helpers.run("fit", *words, "--trees", 2000, "-o", tmp_path / "many.smerf")
    best = json.loads(helpers.run("evaluate", tmp_path / "many.smerf", *new, "--json"))["rmse"]
    gains = []
    for seed in seeds:
        model = tmp_path / "model.smerf"
        helpers.run("fit", *words, "--trees", n_trees, "--seed", seed, "-o", model)
        own = report.write(model, tmp_path / "items.csv", folder=tmp_path)["growth"]["metrics"]
        given = report.write(model, *new, folder=tmp_path)["growth"]["metrics"]
        assert given[0]["name"] == own[0]["name"] == "rmse"
        value = given[0]["values"][-1]
        gains.append([1 - given[0]["limit"] / value, 1 - own[0]["limit"] / own[0]["with_all"], 1 - best / value])
    of_new, out_of_bag, truly = np.mean(gains, axis=0)
    assert least < of_new < most and least < out_of_bag < most, gains
    assert max(abs(of_new - truly), abs(out_of_bag - truly)) < 0.03, gains
    shown = {metric["name"]: metric for metric in own}["spearman"]
    if n_trees == 400:
        assert shown["values"][-1] < shown["with_all"] < shown["limit"] < shown["with_all"] + 0.0025


def test_one_tree_does_not_tell_what_more_would_do(tmp_path):
    case = cases.make_case("distinct values", 41, n=20)
    found = report.write(helpers.fit(tmp_path, case, "--trees", 1), tmp_path / "items.csv", folder=tmp_path)
    assert found["growth"] is None and "One tree" in found["absent"]["growth"]


# ---------------------------------------------------------------- labels themselves

def save_labels(path, x, labels):
    path.write_text("x,kind\n" + "".join(f"{v},{label}\n" for v, label in zip(x, labels)))


def test_labels_that_the_model_does_not_know_have_a_row(tmp_path):
    save_labels(tmp_path / "items.csv", range(12), ["low"] * 6 + ["high"] * 6)
    save_labels(tmp_path / "new.csv", [0, 1, 11, 5], ["low", "middle", "high", "low"])
    model = tmp_path / "model.smerf"
    helpers.run("fit", tmp_path / "items.csv", "--labels", "kind", "--sample", "none", "--trees", 3, "-o", model)
    found = report.write(model, tmp_path / "new.csv", "--labels", "kind", folder=tmp_path)["classification"]
    assert found["kind"] == "given target" and found["labels"] == ["high", "low", "(not known to the model)"]
    assert found["counts"] == [[1, 0, 0], [0, 2, 0], [0, 1, 0]] and found["n_unpredicted"] == 0


def test_a_target_of_another_kind_says_nothing_of_labels(tmp_path):
    save_labels(tmp_path / "items.csv", range(12), ["low"] * 6 + ["high"] * 6)
    np.save(tmp_path / "z.npy", np.abs(np.subtract.outer(np.arange(12.0), np.arange(12.0))))
    model = tmp_path / "model.smerf"
    helpers.run("fit", tmp_path / "items.csv", "--labels", "kind", "--trees", 5, "-o", model)
    found = report.write(model, tmp_path / "items.csv", "--distances", tmp_path / "z.npy", folder=tmp_path)
    assert found["classification"] is None and "'labels'" in found["absent"]["classification"]


def test_of_very_many_labels_no_matrix_is_made(tmp_path):
    labels = [f"k{i // 2}" for i in range(1010)]
    save_labels(tmp_path / "items.csv", range(1010), labels)
    model = tmp_path / "model.smerf"
    helpers.run("fit", tmp_path / "items.csv", "--labels", "kind", "--trees", 3, "-o", model)
    found = report.write(model, tmp_path / "items.csv", folder=tmp_path)
    told = helpers.read_table(helpers.run("predict", model, tmp_path / "items.csv", "--values", "--oob"))
    right = np.mean([row["label"] == label for row, label in zip(told, labels) if row["label"] != ""])
    assert found["classification"] is None
    assert f"505 labels, too many for a table of them; {right:.3f} of the items" in found["absent"]["classification"]


def test_training_items_in_another_order_are_known_again(tmp_path):
    case = cases.make_case("distinct values", 33, n=25, p=3)
    ids = [f"i{k}" for k in range(25)]
    helpers.save_items(tmp_path / "items.csv", case.columns, ids)
    np.save(tmp_path / "z.npy", case.distances)
    model = tmp_path / "model.smerf"
    helpers.run("fit", tmp_path / "items.csv", "--distances", tmp_path / "z.npy", "--trees", TREES, "-o", model)
    order = np.random.default_rng(1).permutation(25)[:20]
    turned = [Column(c.name, [c.values[i] for i in order], c.kind) for c in case.columns]
    helpers.save_items(tmp_path / "turned.csv", turned, [ids[i] for i in order])
    found = report.write(model, tmp_path / "turned.csv", folder=tmp_path)
    true = case.distances.astype(np.float32).astype(float)[np.ix_(order, order)]
    predicted = matrix(model, tmp_path / "turned.csv", "--oob")
    assert found["items"]["are_training"] and found["scores"]["kind"] == "out of bag"
    check_scores(found["scores"], model, tmp_path / "turned.csv", predicted, true, ["--oob"])
    check_fit(found["fit"], predicted, true)


# ---------------------------------------------------------------- other models

@pytest.mark.parametrize("method", test_neighbors.METHODS)
def test_other_methods_have_what_makes_sense(method, tmp_path):
    case = cases.make_case("distinct values", 900, n=20)
    helpers.save_case(tmp_path, case)
    edges = "source,target\n" + "".join(f"{i},{(i * 7 + 3) % 20}\n" for i in range(9))
    (tmp_path / "edges.csv").write_text(edges)
    words = [tmp_path / w if str(w).endswith(("npy", "csv")) else w for w in test_neighbors.METHODS[method]]
    model, items, names = tmp_path / "model.smerf", tmp_path / "items.csv", [str(i) for i in range(20)]
    helpers.run("fit", items, "--method", method, *words, "-o", model)
    found = report.write(model, items, folder=tmp_path)
    assert found["model"]["method"] == method and found["model"]["n_trees"] is None
    check_neighbors(found["neighbors"], model, items, names)
    check_map(found["map"], model, items, 1)
    check_heat(found["heat"], found["clusters"], matrix(model, items))
    for section in ("scores", "fit", "curves", "growth", "importance", "explanations"):
        assert found[section] is None and found["absent"][section].endswith(".")
    target = words[:2]
    given = report.write(model, items, *target, folder=tmp_path)
    told = json.loads(helpers.run("evaluate", model, items, *target, "--json", "--quiet"))
    metrics.assert_told(given["scores"]["list"], told)
    assert any("trained on these items" in note for note in given["notes"])


def test_without_a_sample_nothing_is_out_of_bag(tmp_path):
    case = cases.make_case("mixed", 34, n=20)
    model = helpers.fit(tmp_path, case, "--trees", 3, "--sample", "none")
    found = report.write(model, tmp_path / "items.csv", folder=tmp_path)
    assert found["scores"] is None and "nothing is out of bag" in found["absent"]["scores"]
    assert found["importance"]["gain"] and found["importance"]["permutation"] is None
    assert found["explanations"] is not None


def test_a_form_of_low_rank_needs_a_target(tmp_path):
    case = cases.make_case("distinct values", 35, n=20)
    model = helpers.fit(tmp_path, case, "--trees", 3, "--rank", 2)
    found = report.write(model, tmp_path / "items.csv", folder=tmp_path)
    assert found["scores"] is None and "low-rank" in found["absent"]["scores"]
    given = report.write(model, tmp_path / "items.csv", "--distances", tmp_path / "z.npy", folder=tmp_path)
    assert given["scores"]["kind"] == "out of bag" and given["importance"]["permutation"]


def test_pairs_of_which_most_are_missing(tmp_path):
    case = cases.make_case("distinct values", 36, n=24)
    rng = np.random.default_rng(2)
    known = [(i, j) for i in range(24) for j in range(i) if rng.random() < 0.25]
    lines = "".join(f"{i},{j},{float(case.distances[i, j])!r}\n" for i, j in known)
    (tmp_path / "pairs.csv").write_text("i,j,distance\n" + lines)
    helpers.save_items(tmp_path / "items.csv", case.columns)
    model, items = tmp_path / "model.smerf", tmp_path / "items.csv"
    for complete in ("off", 2):
        helpers.run("fit", items, "--pairs", tmp_path / "pairs.csv", "--complete", complete, "--trees", TREES, "-o", model)
        found = report.write(model, items, folder=tmp_path)
        true = np.full((24, 24), np.nan)
        for i, j in known:
            true[i, j] = true[j, i] = case.distances[i, j]
        predicted = matrix(model, items, "--oob")
        told = json.loads(helpers.run("evaluate", model, items, "--oob", "--json"))
        metrics.assert_told(found["scores"]["list"], told)
        check_fit(found["fit"], predicted, true)
        assert 0 < found["growth"]["n_pairs"] <= len(known), "of pairs that were filled in, those that were given"


# ---------------------------------------------------------------- few items, equal items

@pytest.mark.parametrize("n", [1, 2])
def test_one_item_and_two(n, tmp_path):
    case = cases.make_case("distinct values", 37, n=20)
    model = helpers.fit(tmp_path, case, "--trees", 3)
    few = [Column(c.name, c.values[:n], c.kind) for c in case.columns]
    helpers.save_items(tmp_path / "few.csv", few)
    found = report.write(model, tmp_path / "few.csv", folder=tmp_path)
    assert found["clusters"] is None and "three items" in found["absent"]["clusters"]
    assert found["items"]["n"] == n and len(found["map"]["x"]) == n and found["heat"]["items"] == list(range(n))
    assert (found["explanations"] is None) == (n == 1)
    assert (found["neighbors"]["item"] != report.MISSING).sum() == n * (n - 1)


def test_constant_distances(tmp_path):
    x = np.random.default_rng(3).normal(size=(20, 2))
    z = np.full((20, 20), 0.5) - 0.5 * np.eye(20)
    case = cases.case_from_arrays(x, z)
    model = helpers.fit(tmp_path, case, "--trees", 5)
    found = report.write(model, tmp_path / "items.csv", folder=tmp_path)
    assert found["fit"]["observed"] == {"from": 0.5, "to": 0.5, "n": 1}
    assert len(found["fit"]["by_distance"]) == 1 and found["scores"]["sd"] == 0
    assert len(found["map"]["x"]) == 20


# ---------------------------------------------------------------- names

HOSTILE = ["</script><script>alert(1)</script>", "<!-- <script>", "]]>", "\u2028\u2029", 'quote " and \' and \\', "&lt;b&gt;",
           "caf\u00e9 \U0001f3a8", "a,b", "line\nbreak", "__proto__", "-->", "%s%n", "\u202eright to left"]


def test_names_are_shown_and_not_run(tmp_path):
    n = len(HOSTILE)
    rng = np.random.default_rng(4)
    x = rng.normal(size=n)
    lines = io.StringIO()
    writer = csv.writer(lines, lineterminator="\n")
    writer.writerow(["id", "</script>x", "\u2028kind", "<b>note"])
    writer.writerows([[name, repr(float(v)), name, f"{name}!"] for name, v in zip(HOSTILE, x)])
    items = tmp_path / "</script> items.csv".replace("/", "_")
    items.write_text(lines.getvalue(), encoding="utf-8")
    np.save(tmp_path / "z.npy", np.abs(x[:, None] - x[None, :]))
    model = tmp_path / "it's <b>.smerf"
    helpers.run("fit", items, "--distances", tmp_path / "z.npy", "--ignore", "<b>note", "--trees", 5, "-o", model)
    found = report.write(model, items, "--title", "</title><script>alert(2)</script>", folder=tmp_path)
    assert found["items"]["ids"] == HOSTILE and found["title"] == "</title><script>alert(2)</script>"
    columns = {c["name"]: c for c in found["items"]["columns"]}
    assert [columns["\u2028kind"]["levels"][c] for c in columns["\u2028kind"]["codes"]] == HOSTILE
    assert columns["<b>note"]["role"] == "other" and columns["</script>x"]["role"] == "feature"
    assert found["explain_command"].endswith(" --pair") and "'\\''" in found["explain_command"]
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "alert(1)" in text and "<script>alert(" not in text and "\u2028" not in text


def test_columns_may_hold_anything(tmp_path):
    """A column that the model does not know is shown, whatever it holds: numbers only if every value is one."""
    case = cases.make_case("distinct values", 38, n=6, p=1)
    model = helpers.fit(tmp_path, case, "--trees", 3)
    more = {"mixed": ["1", "two", "", "4", "5", "6"], "counts": ["1", "", "3", "NA", "5", "6e2"],
            "nothing": [""] * 6, "far": ["inf", "1", "2", "3", "4", "5"]}
    lines = (tmp_path / "items.csv").read_text().splitlines()
    rows = [f"{line},{','.join(values)}" for line, values in zip(lines[1:], zip(*more.values()))]
    (tmp_path / "more.csv").write_text("\n".join([f"{lines[0]},{','.join(more)}", *rows]) + "\n")
    found = report.write(model, tmp_path / "more.csv", folder=tmp_path)
    columns = {c["name"]: c for c in found["items"]["columns"]}
    assert [columns["mixed"]["levels"][c] if c != report.MISSING else "" for c in columns["mixed"]["codes"]] == more["mixed"]
    report.assert_same(columns["counts"]["values"], [1, np.nan, 3, np.nan, 5, 600], "counts")
    assert np.isnan(columns["nothing"]["values"]).all() and columns["far"]["kind"] == "category"
    assert all(columns[name]["role"] == "other" for name in more)


# ---------------------------------------------------------------- many items

def many(folder, n, p, n_trees, **more):
    rng = np.random.default_rng(n)
    x = rng.normal(size=(n, p))
    kind = np.digitize(x[:, 0] + x[:, 1] ** 2, [-0.5, 0.5, 1.5])
    lines = [",".join(f"{v:.5g}" for v in row) + f",k{k}" for row, k in zip(x, kind)]
    header = ",".join(f"x{j}" for j in range(p)) + ",kind"
    (folder / "items.csv").write_text("\n".join([header, *lines]) + "\n")
    helpers.run("fit", folder / "items.csv", "--labels", "kind", "--trees", n_trees, "-o", folder / "model.smerf")
    return folder / "model.smerf", folder / "items.csv"


def test_samples_are_told_and_small_enough(tmp_path):
    """Items without ids, so that samples are known by their rows; more than are clustered or explained."""
    model, items = many(tmp_path, 5300, 12, 4)
    found = report.write(model, items, folder=tmp_path)
    size = (tmp_path / "report.html").stat().st_size
    assert size < 10e6 * 5300 / 5000, f"{size} bytes"
    assert found["scores"]["n_items"] == 1000 and found["growth"]["n_items"] == 300
    told = json.loads(helpers.run("evaluate", model, items, "--oob", "--metrics", "rmse", "--json"))
    assert abs(found["scores"]["list"][0]["value"] / told["rmse"] - 1) < 0.05
    for part in ("1,000 of 5,300 items were scored", "5,000 of 5,300 items", "250 of 5,300", "300 of 5,300"):
        assert any(part in note for note in found["notes"]), part
    shown = found["heat"]["items"]
    distances = np.load(predict_between(model, items, shown, shown, tmp_path))
    report.assert_same(found["heat"]["distance"], report.as_floats(distances).ravel(), "heat map")
    clusters = found["clusters"]
    outside = np.flatnonzero(np.isnan(clusters["silhouettes"]))
    assert len(outside) == 300
    to_medoids = np.load(predict_between(model, items, outside, clusters["medoids"], tmp_path))
    report.assert_same(clusters["of"][outside], to_medoids.argmin(axis=1), "the nearest medoid")
    assert np.unique(clusters["of"]).tolist() == list(range(clusters["k"]))


def predict_between(model, items, rows, columns, folder):
    lines = items.read_text().splitlines()
    for name, some in (("rows.csv", rows), ("columns.csv", columns)):
        (folder / name).write_text("\n".join([lines[0], *(lines[1 + i] for i in some)]) + "\n")
    helpers.run("predict", model, folder / "rows.csv", "--against", folder / "columns.csv", "-o", folder / "between.npy")
    return folder / "between.npy"


def test_of_many_columns_the_most_important_are_kept(tmp_path):
    rng = np.random.default_rng(5)
    x = rng.normal(size=(2000, 520))
    lines = [",".join(f"{v:.3g}" for v in row) + f",{'ab'[int(row[300] > 0)]},note {i % 7}" for i, row in enumerate(x)]
    (tmp_path / "items.csv").write_text("\n".join([",".join(f"x{j}" for j in range(520)) + ",kind,note", *lines]) + "\n")
    model = tmp_path / "model.smerf"
    helpers.run("fit", tmp_path / "items.csv", "--labels", "kind", "--ignore", "note", "--trees", 3, "-o", model)
    found = report.write(model, tmp_path / "items.csv", folder=tmp_path)
    names = [c["name"] for c in found["items"]["columns"]]
    assert len(names) == 500 and {"kind", "note", "x300"} <= set(names)
    assert any("500 of 522 columns" in note for note in found["notes"])
    assert found["explanations"]["n_shown"] == 12
