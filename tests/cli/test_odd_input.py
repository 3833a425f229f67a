"""Odd, but not bad: what is accepted, and what comes of it."""

import csv
import json

import numpy as np
import pytest

from command import run_well
from workspace import ITEMS, Z, npy_of

TREES = "--trees 4"


def learn(words, folder, name="new", **files):
    """Fits on files that are written first; the model's bytes, and the lines about it.  files: x_csv is x.csv"""
    for path, content in files.items():
        content = content if isinstance(content, bytes) else content.encode()
        (folder / path.replace("_", ".")).write_bytes(content)
    done = run_well(f"fit {words} {TREES} -o {name}", folder)
    return (folder / name).read_bytes(), done.stderr.decode().splitlines()[:-1]


def told(words, folder, **files):
    """What is said of the pairs, after the name of the file."""
    lines = learn(words, folder, **files)[1]
    assert len(lines) == 1
    return lines[0].removeprefix("smerf: ").partition(": ")[2]


def rows(text):
    return list(csv.reader(text.decode().splitlines()))


def distances(folder, model="new", items="items.csv"):
    """{(i, j): predicted distance}."""
    head, *lines = rows(run_well(f"predict {model} {items}", folder).stdout)
    return {(line[0], j): float(cell) for line in lines for j, cell in zip(head[1:], line[1:])}


def facts(folder, model="new"):
    return json.loads(run_well(f"info {model} --json", folder).stdout)


# ---- edges ----

PLAIN = "source,target\nu,v\nv,w\nw,x\n"
GRAPH = "items.csv --edges g.csv"


def test_an_edge_that_is_given_again_counts_once(folder):
    once, lines = learn(GRAPH, folder, g_csv=PLAIN)
    assert lines == ["smerf: g.csv: 3 edges"]
    again, lines = learn(GRAPH, folder, g_csv=PLAIN + "v,u\nw,x\nu,v\n")
    assert lines == ["smerf: g.csv: 3 edges, 2 given more than once"]
    assert again == once


@pytest.mark.parametrize("text", [
    PLAIN.replace(",", ";"),
    PLAIN.replace(",", "\t"),
    PLAIN.replace("\n", "\r\n"),
    "\ufeff" + PLAIN.replace("\n", "\n\n"),
    "source,target\nw,x\nw,v\nu,v\n",
    "source,target,weight\nu,v,1\nv,w,1.0\nw,x,1e0\n",
    'from,"to",since,"weight"\n"u",v,1999,1\nv,w,2001,1\nw,"x",2000,1\n',
    "%%MatrixMarket matrix coordinate pattern symmetric\n4 4 3\n2 1\n3 2\n4 3\n",
    "%%MatrixMarket matrix coordinate pattern symmetric\n% either triangle\n4 4 3\n1 2\n3 2\n\n3 4\n",
    "%%MATRIXMARKET Matrix Coordinate Pattern Symmetric\r\n4 4 3\r\n 2  1\r\n3\t2\r\n4 3",
    "%%MatrixMarket matrix coordinate integer general\n4 4 6\n1 2 1\n2 1 1\n2 3 1\n3 2 1\n3 4 1\n4 3 1\n",
    "%%MatrixMarket matrix coordinate real symmetric\n4 4 3\n2 1 1.0\n3 2 1\n4 3 1e0\n",
], ids=["semicolons", "tabs", "CRLF", "BOM, blank lines", "other order", "weights of 1", "other columns",
        "Matrix Market", "comments", "upper case", "general", "real"])  # fmt: skip
def test_the_same_graph_in_another_form(text, folder):
    assert learn(GRAPH, folder, g_csv=text)[0] == learn(GRAPH, folder, g_csv=PLAIN)[0]


def test_edges_may_come_from_standard_input(folder):
    wanted, _ = learn(GRAPH, folder, g_csv=PLAIN)
    done = run_well(f"fit items.csv --edges - {TREES} -o new", folder, stdin=PLAIN.encode())
    assert (folder / "new").read_bytes() == wanted
    assert done.stderr.startswith(b"smerf: standard input: 3 edges\n")


def test_edge_weights_may_be_negative(folder):
    assert told(GRAPH + " --sample none", folder, g_csv="source,target,weight\nu,v,-2\nw,x,0.5\n") == "2 edges"
    z = distances(folder)
    assert (z["u", "v"], z["w", "x"], z["u", "w"], z["u", "u"]) == (3, 0.5, 1, 0)


def test_a_column_of_weights_may_have_another_name(folder):
    wanted, _ = learn(GRAPH, folder, g_csv="source,target,weight\nu,v,-2\nw,x,0.5\n")
    text = "source,target,weight,strength\nu,v,7,-2\nw,x,7,0.5\n"
    assert learn(GRAPH + " --value strength", folder, g_csv=text)[0] == wanted


@pytest.mark.parametrize("text, line", [
    ("source,target\n", "0 edges; 4 nodes without any"),
    ("source,target\nu,v\n", "1 edge; 2 nodes without any"),
    ("source,target\nu,v\nv,w\n", "2 edges; 1 node without any"),
    ("%%MatrixMarket matrix coordinate pattern general\n4 4 0\n", "0 edges; 4 nodes without any"),
])  # fmt: skip
def test_nodes_without_an_edge_are_told(text, line, folder):
    assert told(GRAPH, folder, g_csv=text) == line


def test_a_graph_without_edges_is_all_non_links(folder):
    told(GRAPH + " --sample none", folder, g_csv="source,target\n")
    assert {d for (i, j), d in distances(folder).items() if i != j} == {1}


# ---- observed pairs ----

SEEN = GRAPH + " --observed seen.csv"


def test_edges_elsewhere_are_left_out(folder):
    seen = "i,j\nu,v\nv,w\nu,x\n"
    wanted, lines = learn(SEEN, folder, g_csv="source,target\nu,v\nv,w\n", seen_csv=seen)
    assert lines == ["smerf: g.csv: 2 edges among 3 known pairs"]
    model, lines = learn(SEEN, folder, g_csv=PLAIN + "x,w\n")
    assert lines == ["smerf: g.csv: 2 edges among 3 known pairs; 1 edge elsewhere left out"]
    assert model == wanted


@pytest.mark.parametrize("seen, line", [
    ("i,j\nu,v\nv,u\nv,w\nu,x\n", "2 edges among 3 known pairs, 1 given more than once; 1 edge elsewhere left out"),
    ("i,j,distance\nu,v,9\nw,v,9\nx,u,9\n", "2 edges among 3 known pairs; 1 edge elsewhere left out"),
    ("i,j\nu,v\nv,w\nu,x\nu,u\n", "2 edges among 3 known pairs; 1 edge elsewhere left out"),
])  # fmt: skip
def test_observed_pairs_are_pairs_alone(seen, line, folder):
    wanted, _ = learn(SEEN, folder, g_csv=PLAIN, seen_csv="i,j\nu,v\nv,w\nu,x\n")
    model, lines = learn(SEEN, folder, seen_csv=seen)
    assert lines == [f"smerf: g.csv: {line}"]
    assert model == wanted


def test_items_without_an_observed_pair_are_told(folder):
    assert told(SEEN, folder, g_csv=PLAIN, seen_csv="i,j\nu,v\nu,w\n") == (
        "1 edge among 2 known pairs; 2 edges elsewhere left out; 1 item without any")  # fmt: skip


def test_with_all_pairs_observed_predictions_are_those_of_the_graph(folder):
    learn(GRAPH, folder, "graph", g_csv=PLAIN)
    learn(SEEN, folder, seen_csv="i,j\nu,v\nu,w\nu,x\nv,w\nv,x\nw,x\n")
    graph, seen = distances(folder, "graph"), distances(folder)
    assert all(abs(graph[pair] - seen[pair]) < 1e-12 for pair in graph)


# ---- pairs ----

PAIRS = "items.csv --pairs p.csv --complete off"


def test_a_pair_that_is_given_twice_has_the_mean_value(folder):
    wanted, _ = learn(PAIRS, folder, p_csv="i,j,distance\nu,v,2\nv,w,3\nw,x,1\n")
    model, lines = learn(PAIRS, folder, p_csv="i,j,distance\nu,v,1\nv,w,3\nw,x,1\nv,u,3\nw,x,1\n")
    assert lines == ["smerf: p.csv: 3 known pairs, 2 given more than once (1 with different values: their mean is used)"]
    assert model == wanted


def test_the_mean_is_by_weight_and_the_weights_are_averaged(folder):
    wanted, _ = learn(PAIRS, folder, p_csv="i,j,distance,weight\nu,v,2.5,2\nv,w,3,1\nw,x,1,1\n")
    text = "i,j,distance,weight\nu,v,1,1\nv,w,3,1\nv,u,3,3\nw,x,1,1\n"
    model, lines = learn(PAIRS, folder, p_csv=text)
    assert lines == ["smerf: p.csv: 3 known pairs, 1 given more than once (1 with different values: their mean is used)"]
    assert model == wanted


@pytest.mark.parametrize("text, line", [
    ("i,j,distance\nu,v,1\n", "1 known pair; 2 items without any"),
    ("i,j,distance\nu,v,1\nv,w,1\n", "2 known pairs; 1 item without any"),
    ("i,j,distance\nu,v,1\nw,w,1\n", "1 known pair; 2 items without any"),
    ("i,j,distance\n", "0 known pairs; 4 items without any"),
])  # fmt: skip
def test_items_without_a_pair_are_told(text, line, folder):
    assert told(PAIRS, folder, p_csv=text) == line


@pytest.mark.parametrize("text, options", [
    ("i;j;distance\nu;v;2\nv;w;3\nw;x;1\n", ""),
    ("i\tj\tdistance\nu\tv\t2\nv\tw\t3\nw\tx\t1\n", ""),
    ("a,b,rating\nw,x,1\nv,u,2\nw,v,3\n", ""),
    ("a,b,rater,distance,day\nu,v,me,2,1\nv,w,you,3,1\nw,x,me,1,2\n", ""),
    ("a,b,first,second\nu,v,9,2\nv,w,9,3\nw,x,9,1\n", "--value second"),
    ("a,b,distance,similarity\nu,v,2,9\nv,w,3,9\nw,x,1,9\n", "--value distance"),
    ("a,b,weight\nu,v,2\nv,w,3\nw,x,1\n", "--value weight"),
    ("a,b,weight,d\nu,v,1,2\nv,w,1,3\nw,x,1,1\n", ""),
    ('"a","b","distance"\r\n"u","v","2"\r\n"v","w"," 3 "\r\n"w","x","1"\r\n', ""),
], ids=["semicolons", "tabs", "other order", "other columns", "--value", "two values", "weight as value", "weights of 1",
        "quotes"])  # fmt: skip
def test_the_same_pairs_in_another_form(text, options, folder):
    wanted, _ = learn(PAIRS, folder, p_csv="i,j,distance\nu,v,2\nv,w,3\nw,x,1\n")
    assert learn(f"{PAIRS} {options}", folder, p_csv=text)[0] == wanted


def test_similarities_on_a_scale_of_1_to_7_count_from_the_largest(folder):
    text = "i,j,similarity\nu,v,7\nu,w,4\nu,x,1\nv,w,4\nv,x,1\nw,x,4\n"
    assert told(PAIRS + " --sample none", folder, p_csv=text) == "6 known pairs"
    z = distances(folder)
    assert (z["u", "v"], z["u", "w"], z["u", "x"], z["u", "u"]) == (0, 3, 6, 0)
    assert facts(folder)["similarity_max"] == 7


@pytest.mark.parametrize("options, largest", [("", 1), ("--similarity-max 2", 2), ("--similarity-max 0.5", 0.5)])
def test_similarities_up_to_1_count_from_1_or_from_what_is_said(options, largest, folder):
    text = "i,j,similarity\nu,v,0.5\nu,w,0.25\nu,x,0\nv,w,0.75\nv,x,0.5\nw,x,-1\n"
    told(f"{PAIRS} {options} --sample none", folder, p_csv=text)
    z = distances(folder)
    assert (z["u", "v"], z["v", "w"], z["w", "x"]) == (largest - 0.5, largest - 0.75, largest + 1)


def test_a_pair_of_an_item_with_itself_is_its_self_distance(folder):
    told(PAIRS + " --sample none", folder, p_csv="i,j,distance\nu,v,2\nv,w,3\nw,x,1\nw,w,0.5\n")
    z = distances(folder)
    assert (z["u", "u"], z["w", "w"]) == (0, 0.5)


# ---- matrices with gaps ----

GAPS = "0,1,,7\n1,0,2,\n,2,0,4\n7,,4,0\n"
SAME = "i,j,distance\nu,v,1\nu,x,7\nv,w,2\nw,x,4\n"


@pytest.mark.parametrize("text, options", [
    (GAPS, ""),
    (GAPS.replace("0,", ",", 1), ""),
    (GAPS.replace(",,", ",NA,"), ""),
    (",u,v,w,x\nx,7,NaN,4,0\nw,NaN,2,0,4\nv,1,0,2,NaN\nu,0,1,NaN,7\n", ""),
    ("1,,7,2,NA,4\n", ""),
    ("0,1,,7\n1,0,2,\n,,0,4\n,,4,0\n", "--symmetrize mean"),
], ids=["plain", "diagonal too", "NA", "ids", "condensed", "one side"])  # fmt: skip
def test_a_matrix_with_gaps_is_a_list_of_pairs(text, options, folder):
    wanted, _ = learn(PAIRS, folder, p_csv=SAME)
    model, lines = learn(f"items.csv --distances gaps.csv --complete off {options}", folder, gaps_csv=text)
    assert lines == ["smerf: gaps.csv: 4 known pairs"]
    assert model == wanted


@pytest.mark.parametrize("array", [np.where(Z == 3, np.nan, Z), np.array([1, np.nan, 7, 2, np.nan, 4])])
def test_an_array_may_have_gaps_too(array, folder):
    if array.ndim == 2:
        array[1, 3] = array[3, 1] = np.nan
    wanted, _ = learn(PAIRS, folder, p_csv=SAME)
    assert learn("items.csv --distances gaps.npy --complete off", folder, gaps_npy=npy_of(array))[0] == wanted


def test_similarities_with_gaps_are_pairs_too(folder):
    learn("items.csv --similarities gaps.csv --sample none --complete off", folder, gaps_csv=GAPS)
    assert (facts(folder)["target"], facts(folder)["similarity_max"]) == ("pairs", 7)
    assert distances(folder)["w", "x"] == 3


def test_a_block_with_gaps_is_scored_where_it_is_known(folder):
    z = distances(folder, "model")
    (folder / "block.csv").write_text(",u,v,w,x\nw,3,,0,NA\nx,,6,,0\n")
    (folder / "two.csv").write_text("id,a,b\nw,4,9\nx,8,7\n")
    done = run_well("evaluate model two.csv --against items.csv --distances block.csv --metrics rmse", folder)
    errors = [z["w", "u"] - 3, z["w", "w"] - 0, z["x", "v"] - 6, z["x", "x"] - 0]
    assert float(done.stdout.split()[1]) == pytest.approx(np.sqrt(np.mean(np.square(errors))), rel=1e-9)
    assert done.stderr == (
        b"smerf: block.csv: 4 known pairs between the two sets\nsmerf: 4 pairs scored; 4 left out: not known\n")


# ---- labels ----


def values(folder, items="l.csv", model="new", options=""):
    return rows(run_well(f"predict {model} {items} --values {options}", folder).stdout)


def test_one_class_is_a_forest_of_leaves(folder):
    learn("l.csv --labels c", folder, l_csv="id,a,c\nu,1,red\nv,2,red\nw,4,red\n")
    assert values(folder) == [["item", "label", "share:red"], *[[item, "red", "1"] for item in "uvw"]]
    assert facts(folder)["nodes"] == 4
    done = run_well("evaluate new l.csv --labels c", folder)
    assert done.stdout == b"rmse 0\nrmse-of-the-mean 0\naccuracy 1\nlog-loss 0\n"
    for name in ("spearman", "map@10", "auc-roc", "auc-pr", "variance-explained"):
        assert f"smerf: no {name}: " in done.stderr.decode()


def test_as_many_classes_as_items(folder):
    learn("l.csv --labels c --sample none", folder, l_csv="id,a,c\nu,1,z\nv,2,y\nw,4,x\n")
    head, *lines = values(folder)
    assert head == ["item", "label", "share:x", "share:y", "share:z"]  # in bytewise order
    assert lines == [["u", "z", "0", "0", "1"], ["v", "y", "0", "1", "0"], ["w", "x", "1", "0", "0"]]


def test_numbers_can_be_labels(folder):
    learn("l.csv --labels c --sample none", folder, l_csv="id,a,c\nu,1,10\nv,2,9\nw,4,9.0\n")
    assert values(folder)[0] == ["item", "label", "share:10", "share:9", "share:9.0"]  # as they are written


def test_names_with_commas_quotes_and_other_letters(folder):
    text = 'id,"größe, ""a""",art\n"u, 1",1,"süß; sauer"\n"v ""2""",2,"süß; sauer"\n w,4,"a\nb"\nжx,8,"a\nb"\n'
    learn("l.csv --labels art --sample none", folder, l_csv=text)
    done = run_well("predict new l.csv --values", folder).stdout.decode()
    assert done.splitlines()[0:3] == ['item,label,"share:a', 'b","share:süß; sauer"', '"u, 1","süß; sauer",0,1']
    found = list(csv.reader(done.splitlines(keepends=True)))
    assert [row[0] for row in found[1:]] == ["u, 1", 'v "2"', " w", "жx"]
    assert [row[1] for row in found[1:]] == ["süß; sauer", "süß; sauer", "a\nb", "a\nb"]
    edges = 'source,target\n"u, 1","v ""2"""\n" w",жx\n'
    assert told("l.csv --ignore art --edges g.csv", folder, g_csv=edges) == "2 edges"
    pairs = 'i,j,distance\nжx," w",2\n"v ""2""","u, 1",1\n'
    assert told("l.csv --ignore art --pairs p.csv", folder, p_csv=pairs) == "2 known pairs"


def test_a_long_class_keeps_its_prefix(folder):
    name = "x" * 3000
    learn("l.csv --labels c", folder, l_csv=f"id,a,c\nu,1,{name}\nv,2,y\n")
    assert values(folder)[0] == ["item", "label", f"share:{name}", "share:y"]


def test_the_usual_id_gives_way_to_a_target(folder):
    learn("items.csv --labels id", folder)
    assert "id_column" not in facts(folder) and facts(folder)["target_columns"] == ["id"]


def test_columns_of_an_array_are_named_by_number(folder):
    x = np.array([[1, 5, 2], [2, 6, 1], [4, 9, 4], [8, 7, 3.0]])
    learn("x.npy --response 2,x0", folder, x_npy=npy_of(x))
    assert facts(folder)["target_columns"] == ["x2", "x0"]
    assert facts(folder)["feature_names"] == ["x1"]
    assert values(folder, "x.npy")[0] == ["item", "x2", "x0"]


def test_out_of_bag_values_are_empty_where_no_tree_can_speak(folder):
    run_well("fit all.csv --labels c --trees 1 -o new", folder)
    head, *lines = values(folder, "all.csv", options="--oob")
    empty = [line for line in lines if line[1] == ""]
    assert 0 < len(empty) < 4
    assert all(line[1:] == [""] * 4 for line in empty)


# ---- what else is told ----


def test_other_largest_similarities_are_told(folder):
    text = "i,j,similarity\nu,v,7\nv,w,3\nw,x,5\n"
    learn(PAIRS, folder, p_csv=text)
    (folder / "q.csv").write_text(text.replace("7", "6.5"))
    done = run_well("evaluate new items.csv --pairs q.csv", folder)
    assert done.stderr.decode().startswith(
        "smerf: q.csv: 3 known pairs\n"
        "smerf: distances are 6.5 - q here, and the model's are 7 - q; --similarity-max 7 makes them alike\n")  # fmt: skip
    again = run_well("evaluate new items.csv --pairs q.csv --similarity-max 7", folder)
    assert again.stderr.decode().startswith("smerf: q.csv: 3 known pairs\nsmerf: 3 pairs scored; 3 left out: not known\n")


def test_pairs_between_two_sets_are_told_as_such(folder):
    learn(GRAPH, folder, g_csv=PLAIN)
    (folder / "two.csv").write_text("".join(ITEMS.splitlines(keepends=True)[:3]))  # u and v
    done = run_well("evaluate new two.csv --against items.csv --edges g.csv", folder)
    assert done.stderr.decode().startswith("smerf: g.csv: 3 edges between the two sets\n")  # u-v, v-u, v-w


@pytest.mark.parametrize("words", ["fit items.csv --edges edges.csv -o new", "evaluate graph items.csv --edges edges.csv",
                                   "importance graph items.csv --permutation --edges edges.csv",
                                   "split items.csv --edges edges.csv --by nodes --train 0.5 -o new"])  # fmt: skip
def test_quiet_silences_what_is_told_of_pairs(words, folder):
    assert run_well(words, folder).stderr.startswith(b"smerf: edges.csv: 3 edges\n")
    assert run_well(f"{words} --quiet", folder).stderr == b""
