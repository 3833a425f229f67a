"""Lists of pairs and edges as people have them: which columns are read as what, and what is said of it."""

import csv
import json

import numpy as np
import pytest

from command import about_others, run, run_well
from workspace import npy_of

TREES = "--sample none --trees 4"
PAIRS = "items.csv --pairs p.csv --complete off"


def learn(words, folder, **files):
    """Fits on files that are written first, and returns what is said of the target; the model is `new`."""
    for path, content in files.items():
        content = content if isinstance(content, bytes) else content.encode()
        (folder / path.replace("_", ".")).write_bytes(content)
    lines = about_others(run_well(f"fit {words} {TREES} -o new", folder).stderr).decode().splitlines()
    return [line.removeprefix("smerf: ") for line in lines[:-1]]


def predicted(folder, options="", model="new"):
    """{(i, j): what is predicted}."""
    text = run_well(f"predict {model} items.csv {options}", folder).stdout.decode()
    head, *lines = csv.reader(text.splitlines())
    return {(line[0], j): float(cell) for line in lines for j, cell in zip(head[1:], line[1:])}


def distances(folder, words):
    """{(i, j): the distance that is learned from}: what split writes down."""
    run_well(f"split {words.replace('--complete off', '')} --by pairs --train 0.7 -o there", folder)
    parts = [(folder / "there" / f"{part}-pairs.csv").read_text().splitlines()[1:] for part in ("train", "test")]
    return {(i, j): float(z) for i, j, z, *_ in csv.reader(parts[0] + parts[1])}


# ---- pairs ----

TEXT = "i,j,distance\nu,v,2\nv,w,3\nw,x,1\n"


@pytest.mark.parametrize("header, read", [
    ("i,j,distance", "i, j, distance (distance)"),
    ("i,j,Dissimilarity", "i, j, Dissimilarity (distance)"),
    ("first,second,DISTANCE", "first, second, DISTANCE (distance)"),
    ("i,j,Similarity", "i, j, Similarity (similarity); distances are 3 - similarity"),
    ("i,j,SIMILARITY", "i, j, SIMILARITY (similarity); distances are 3 - similarity"),
])  # fmt: skip
def test_it_is_said_how_a_column_was_read(header, read, folder):
    assert learn(PAIRS, folder, p_csv=TEXT.replace("i,j,distance", header)) == [
        f"p.csv: 3 known pairs; columns used: {read}"]  # fmt: skip
    z = distances(folder, PAIRS)
    assert (z["u", "v"], z["v", "w"], z["w", "x"]) == ((2, 3, 1) if "(distance)" in read else (1, 0, 2))


@pytest.mark.parametrize("kind, u_v", [("distance", 2), ("similarity", 1)])
@pytest.mark.parametrize("name, options", [("rating", "--value rating"), ("rating", ""), ("weight", "--value weight")])
def test_what_another_column_holds_is_for_the_user_to_say(kind, u_v, name, options, folder):
    line, = learn(f"{PAIRS} {options} --value-is {kind}", folder, p_csv=TEXT.replace("distance", name))
    assert line.startswith(f"p.csv: 3 known pairs; columns used: i, j, {name} ({kind})")
    assert distances(folder, f"{PAIRS} {options} --value-is {kind}")["u", "v"] == u_v


def test_columns_that_are_not_used_are_listed(folder):
    text = "when,i,similarity,j,Weight,why\n1,u,2,v,3,x\n"
    assert learn(PAIRS + " --pair-columns i,j", folder, p_csv=text) == [
        "p.csv: 1 known pair; 2 items without any; columns used: i, j, similarity (similarity), Weight (weight); "
        "not used: when, why; distances are 2 - similarity"]  # fmt: skip


def test_row_names_of_r_are_no_ids(folder):
    text = '"","i","j","distance"\n"1","u","v",2\n"2","v","w",3\n"3","w","x",1\n'
    assert learn(PAIRS, folder, p_csv=text) == [
        "p.csv: 3 known pairs; columns used: i, j, distance (distance); not used: (no name)"]  # fmt: skip


EVERYWHERE = {
    "tune": "tune items.csv {} --metric rmse --trees 4 -o tuned",
    "evaluate": "evaluate new items.csv {}",
    "compare": "compare items.csv {} --methods euclidean --repeats 1 --train 0.5",
    "split by pairs": "split items.csv {} --by pairs --train 0.5 -o there",
    "split by nodes": "split items.csv {} --by nodes --train 0.5 -o there",
    "report": "report new items.csv {} -o page.html",
    "importance": "importance model items.csv --permutation {}",
}


FULL = "i,j,Similarity\nu,v,2\nu,w,1\nu,x,3\nv,w,3\nv,x,0\nw,x,1\n"


@pytest.mark.parametrize("name", EVERYWHERE)
def test_it_holds_wherever_pairs_are_read(name, folder):
    learn(PAIRS, folder, p_csv=FULL)
    done = run_well(EVERYWHERE[name].format("--pairs p.csv"), folder)
    assert about_others(done.stderr).decode().startswith("smerf: p.csv: 6 known pairs; columns used: i, j, Similarity (similarity)")


@pytest.mark.parametrize("words", ["predict new items.csv --pairs q.csv", "explain new items.csv --pairs q.csv"])
def test_ids_alone_may_stand_anywhere(words, folder):
    learn(PAIRS, folder, p_csv=FULL)
    (folder / "q.csv").write_text("i,j\nu,v\nw,x\n")
    wanted = run_well(words, folder)
    assert about_others(wanted.stderr) == b""
    (folder / "q.csv").write_text("similarity,from,to\n3,u,v\n4,w,x\n")
    done = run_well(words, folder)
    assert done.stdout == wanted.stdout
    assert about_others(done.stderr) == b"smerf: q.csv: columns used: from, to; not used: similarity\n"
    (folder / "q.csv").write_text("day,to,from\n1,v,u\n2,x,w\n")
    assert run_well(f"{words} --pair-columns from,to --quiet", folder).stdout == wanted.stdout


# ---- edges ----

EDGES = "source,target,weight\nu,v,0.25\nv,w,0.5\nw,x,1\n"
GRAPH = "items.csv --edges g.csv"


@pytest.mark.parametrize("text, options, line", [
    ("Source,Target,Type,Id,Label,Weight\nu,v,Undirected,0,,1\nv,w,Undirected,1,,2\nw,x,Undirected,2,,4\n", "",
     "3 edges; columns used: Source, Target, Weight; not used: Type, Id, Label; weights are divided by 4, the largest "
     "(--similarity-max 1 leaves them as they are)"),
    ("source,target,count\nu,v,1\nv,w,2\nw,x,4\n", "--value count",
     "3 edges; columns used: source, target, count; weights are divided by 4, the largest "
     "(--similarity-max 1 leaves them as they are)"),
    ("WEIGHT,a,b\n5,u,v\n10,v,w\n20,w,x\n", "--similarity-max 20",
     "3 edges; columns used: a, b, WEIGHT; weights are divided by 20"),
    ("%%MatrixMarket matrix coordinate integer symmetric\n4 4 3\n2 1 1\n3 2 2\n4 3 4\n", "",
     "3 edges; weights are divided by 4, the largest (--similarity-max 1 leaves them as they are)"),
    (EDGES, "", "3 edges; columns used: source, target, weight"),
])  # fmt: skip
def test_the_strongest_edge_has_distance_0(text, options, line, folder):
    assert learn(f"{GRAPH} {options}", folder, g_csv=text) == [f"g.csv: {line}"]
    z = distances(folder, f"{GRAPH} {options}")
    assert (z["u", "v"], z["v", "w"], z["w", "x"], z["u", "x"]) == (0.75, 0.5, 0, 1)


def test_numbers_that_are_not_used_are_pointed_at(folder):
    text = "source,target,kind,count\nu,v,a,1\nv,w,b,2\n"
    assert learn(GRAPH, folder, g_csv=text) == [
        "g.csv: 2 edges; 1 node without any; columns used: source, target; not used: kind, count; "
        "--value count would make that the weight"]  # fmt: skip


def test_weights_may_stay_as_they_are(folder):
    assert learn(f"{GRAPH} --similarity-max 1", folder, g_csv=EDGES.replace("0.5", "5")) == [
        "g.csv: 3 edges; columns used: source, target, weight; 1 weight above 1: negative distances"]  # fmt: skip
    assert distances(folder, f"{GRAPH} --similarity-max 1")["v", "w"] == -4
    assert "similarity_max" not in json.loads(run_well("info new --json", folder).stdout)


def test_edges_are_scored_on_the_scale_of_the_model(folder):
    learn(GRAPH, folder, g_csv="source,target,weight\nu,v,1\nv,w,2\nw,x,4\n")
    assert json.loads(run_well("info new --json", folder).stdout)["similarity_max"] == 4
    (folder / "few.csv").write_text("source,target,weight\nu,v,1\nv,w,2\n")
    z = predicted(folder)
    truth = dict.fromkeys(["uv", "uw", "ux", "vw", "vx", "wx"], 1) | {"uv": 0.75, "vw": 0.5}
    wanted = np.sqrt(np.mean([(z[i, j] - d) ** 2 for (i, j), d in truth.items()]))
    done = run_well("evaluate new items.csv --edges few.csv --metrics rmse", folder)
    assert float(done.stdout.split()[1]) == pytest.approx(wanted, rel=1e-12)
    assert b"weights are divided by 4, as in the model\n" in done.stderr
    other = run_well("evaluate new items.csv --edges few.csv --metrics rmse --similarity-max 2", folder)
    assert b"smerf: weights are divided by 2 here, and by 4 in the model; --similarity-max 4 makes them alike\n" in other.stderr
    assert other.stdout != done.stdout


def test_a_graph_that_was_not_scaled_is_a_scale_too(folder):
    learn(GRAPH, folder, g_csv=EDGES)
    (folder / "more.csv").write_text("source,target,weight\nu,v,3\n")
    done = run_well("evaluate new items.csv --edges more.csv", folder)
    assert b"weight; 1 weight above 1: negative distances\n" in done.stderr and b"divided" not in done.stderr


def test_splits_keep_the_weights_of_the_file(folder):
    (folder / "g.csv").write_text("a,b,Weight\nu,v,3\nv,w,12\nw,x,7\nu,x,9\n")
    run_well("split items.csv --edges g.csv --by nodes --train 0.5 -o there", folder)
    parts = [(folder / "there" / f"{part}-edges.csv").read_text().splitlines() for part in ("train", "test", "cross")]
    assert {lines[0] for lines in parts} == {"source,target,weight"}
    assert sorted(line.split(",")[2] for lines in parts for line in lines[1:]) == ["12", "3", "7", "9"]


def test_models_of_graphs_of_different_scales_are_no_parts_of_one(folder):
    for name, options in (("a", "--trees 0:2"), ("b", "--trees 2:4 --similarity-max 8")):
        (folder / "g.csv").write_text("source,target,weight\nu,v,1\nv,w,2\nw,x,4\n")
        run_well(f"fit {GRAPH} {options} -o {name}", folder)
    assert run("merge a b -o both", folder).returncode == 2


# ---- matrices and columns ----


@pytest.mark.parametrize("words, line", [
    ("--distances z.csv", "z.csv: distances of 4 items; square, CSV with ids, kept as float32"),
    ("--similarities s.npy",
     "s.npy: similarities of 4 items; square, .npy, kept as float32; distances are 3 - similarity"),
    ("--similarities s.npy --similarity-max 5",
     "s.npy: similarities of 4 items; square, .npy, kept as float32; distances are 5 - similarity"),
    ("--distances c.npy", "c.npy: distances of 4 items; condensed, .npy, kept as float32"),
    ("--distances gaps.csv", "gaps.csv: 5 known pairs; square, CSV, kept as float32, 1 pair missing"),
    ("--labels c", "all.csv: labels c, 2 classes"),
    ("--response y", "all.csv: response y"),
    ("--absolute y", "all.csv: absolute difference of y"),
    ("--product y,b", "all.csv: product of y, b"),
])  # fmt: skip
def test_every_target_says_what_was_read(words, line, folder):
    z = np.array([[0, 1, 2, 3], [1, 0, 1, 2], [2, 1, 0, 1], [3, 2, 1, 0]], dtype=float)
    ids = "u v w x".split()
    rows = "".join(f"{name}," + ",".join(map(str, row)) + "\n" for name, row in zip(ids, z))
    (folder / "z.csv").write_text("," + ",".join(ids) + "\n" + rows)
    (folder / "s.npy").write_bytes(npy_of(z))
    (folder / "c.npy").write_bytes(npy_of(z[np.triu_indices(4, 1)]))
    (folder / "gaps.csv").write_text("0,1,2,\n1,0,1,2\n2,1,0,1\n,2,1,0\n")
    (folder / "all.csv").write_text("id,a,b,c,y\nu,1,1,p,1\nv,2,3,q,2\nw,3,1,p,4\nx,4,2,q,5\n")
    items = "all.csv" if line.startswith("all") else "items.csv"
    if items == "all.csv":
        words += " --ignore " + ",".join({"c", "y"} - set(words.split()[1].split(",")))
    assert learn(f"{items} {words}", folder) == [line]


@pytest.mark.parametrize("model, options, fact", [
    ("labels", "--labels c", "labels c, 3 classes"), ("response", "--response y,a", "response y, a"),
    ("absolute", "--absolute y", "absolute difference of y"),
])  # fmt: skip
def test_columns_known_from_training_are_named_once(model, options, fact, folder):
    given, known = (run_well(f"evaluate {model} all.csv {words}", folder) for words in (options, ""))
    assert known.stdout == given.stdout
    line = f"smerf: all.csv: {fact}\n"
    assert line in given.stderr.decode()
    assert known.stderr.decode() == given.stderr.decode().replace(line, line.replace("\n", ", as in training\n"))


# ---- similarities given back ----


def test_predictions_on_the_scale_of_the_similarities(folder):
    learn(PAIRS, folder, p_csv="i,j,similarity\nu,v,7\nu,w,4\nu,x,1\nv,w,4\nv,x,1\nw,x,4\n")
    z, q = predicted(folder), predicted(folder, "--output similarity")
    assert q == {pair: 7 - d for pair, d in z.items()}
    assert (q["u", "v"], q["u", "w"], q["u", "x"], q["u", "u"]) == (7, 4, 1, 7)
    assert predicted(folder, "--output distance") == z
    assert predicted(folder, "--output similarity --against items.csv") == q
    (folder / "q.csv").write_text("i,j\nu,x\n")
    done = run_well("predict new items.csv --pairs q.csv --output similarity --spread", folder)
    assert done.stdout == b"i,j,similarity,sd\nu,x,1,0\n"
    run_well("predict new items.csv --output similarity -o q.npy", folder)
    assert np.load(folder / "q.npy")[0].tolist() == [7, 7, 4, 1]


def test_predictions_on_the_scale_of_the_weights(folder):
    learn(f"{GRAPH} --self-distance given", folder, g_csv="source,target,weight\nu,v,1\nw,x,4\n")
    z, q = predicted(folder), predicted(folder, "--output similarity")
    assert q == {pair: (1 - d) * 4 for pair, d in z.items()}
    assert (q["u", "v"], q["w", "x"], q["u", "x"], q["u", "u"]) == (1, 4, 0, 4)
    learn(GRAPH, folder, g_csv="source,target,weight\nu,v,0.25\nw,x,1\n")
    assert predicted(folder, "--output similarity")["u", "v"] == 0.25


def test_out_of_bag_similarities_are_empty_where_distances_are(folder):
    (folder / "p.csv").write_text(FULL)
    run_well(f"fit {PAIRS} --trees 3 -o new", folder)
    one, other = (run_well(f"predict new items.csv --oob {o}", folder).stdout for o in ("", "--output similarity"))
    cells = [[line.split(",") for line in text.decode().splitlines()] for text in (one, other)]
    assert any("" in line[1:] for line in cells[0][1:])
    for z, q in zip(*(lines[1:] for lines in cells)):
        assert [cell == "" for cell in z] == [cell == "" for cell in q]
        assert all(float(d) + float(s) == pytest.approx(3) for d, s in zip(z[1:], q[1:]) if d)


# ---- judges ----

JUDGED = "i,j,who,distance\n" + "".join(
    f"{pair[0]},{pair[1]},{who},{value}\n"
    for who, values in {"ann": (1, 2, 6, 2, 5, 3), "bob": (2, 2, 5, 1, 6, 2), "cat": (1, 3, 5, 2, 4, 3)}.items()
    for pair, value in zip(("uv", "uw", "ux", "vw", "vx", "wx"), values)
)


def test_judges_are_averaged_and_their_differences_make_a_ceiling(folder):
    lines = learn(PAIRS + " --judge who", folder, p_csv=JUDGED)
    assert lines[0] == "p.csv: 6 known pairs; columns used: i, j, distance (distance), who (judge)"
    assert lines[1].startswith("p.csv: 3 judges, 3 of each pair; a perfect prediction would have rmse 0.")
    assert predicted(folder)["u", "x"] == pytest.approx(16 / 3, rel=1e-15)
    done = run_well("evaluate new items.csv --pairs p.csv --judge who", folder).stdout.decode()
    assert [line.split()[0] for line in done.splitlines()] == [
        "rmse", "spearman", "rmse-of-the-mean", "variance-explained", "ceiling-rmse", "ceiling-spearman"]  # fmt: skip
    as_json = json.loads(run_well("evaluate new items.csv --pairs p.csv --judge who --json", folder).stdout)
    scores = {name: float(value) for name, value in map(str.split, done.splitlines())}
    assert {name: as_json[name] for name in scores} == scores
    few = run_well("evaluate new items.csv --pairs p.csv --judge who --metrics spearman,ceiling-spearman", folder).stdout.decode()
    assert [line.split()[0] for line in few.splitlines()] == ["spearman", "ceiling-spearman"]
    plain = run_well("evaluate new items.csv --pairs p.csv", folder).stdout.decode()
    assert done.startswith(plain)  # every judge rated once: the mean over judges is that of the lines


def test_a_report_has_the_ceiling_of_the_judges(folder):
    learn(PAIRS + " --judge who", folder, p_csv=JUDGED)
    scores = json.loads(run_well("evaluate new items.csv --pairs p.csv --judge who --json", folder).stdout)
    report = "report new items.csv --pairs p.csv --json -o -"
    assert "ceiling" not in json.loads(run_well(report, folder).stdout)["scores"]
    found = json.loads(run_well(f"{report} --judge who", folder).stdout)["scores"]["ceiling"]
    assert found == {"rmse": scores["ceiling-rmse"], "spearman": scores["ceiling-spearman"], "judges": [3, 3]}
    (folder / "p.csv").write_text("i,j,who,distance\nu,v,ann,1\nw,x,ann,3\n")
    assert "ceiling" not in json.loads(run_well(f"{report} --judge who", folder).stdout)["scores"]


def test_a_judge_who_rates_twice_counts_once(folder):
    text = "i,j,who,distance\nu,v,ann,1\nv,u,ann,3\nu,v,bob,8\nw,x,bob,1\n"
    learn(PAIRS + " --judge who", folder, p_csv=text)
    assert predicted(folder)["u", "v"] == 5


def test_one_judge_says_nothing_of_a_ceiling(folder):
    lines = learn(PAIRS + " --judge who", folder, p_csv="i,j,who,distance\nu,v,ann,1\nw,x,ann,3\n")
    assert lines[1] == "p.csv: 1 judge; no pair has two, so nothing is known of how far they differ"
    done = run_well("evaluate new items.csv --pairs p.csv --judge who", folder)
    assert b"ceiling" not in done.stdout + done.stderr and done.stderr.decode().count(lines[1]) == 1
    done = run_well("evaluate new items.csv --pairs p.csv --judge who --metrics ceiling-rmse,ceiling-spearman", folder)
    assert done.stdout == b"" and b"smerf: no ceiling-rmse: no pair has two judges\n" in done.stderr
    done = run("evaluate new items.csv --pairs p.csv --metrics ceiling-rmse", folder)
    assert (done.returncode, done.stderr) == (
        2, b"smerf: evaluate: --metrics: ceilings are of ratings by several judges: --pairs with --judge\n")  # fmt: skip


def test_splits_keep_the_judges(folder):
    (folder / "p.csv").write_text(JUDGED)
    run_well("split items.csv --pairs p.csv --judge who --by pairs --train 0.7 -o there", folder)
    parts = [(folder / "there" / f"{part}-pairs.csv").read_text().splitlines() for part in ("train", "test")]
    assert {lines[0] for lines in parts} == {"i,j,distance,judge"}
    rated = sorted(line.split(",") for lines in parts for line in lines[1:])
    assert rated == sorted([i, j, value, who] for i, j, who, value in csv.reader(JUDGED.splitlines()[1:]))
