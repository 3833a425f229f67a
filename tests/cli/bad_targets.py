"""Bad input for every target beside a full matrix, and for split: what is done wrong, and the one line that says so.

Items, models and the rules are those of bad_input.py.
"""

import numpy as np

from bad_input import NOT_THERE, NO_TARGET, WITH_IDS, Case, WRONG, cannot, option, use
from damage import flip, with_entry, with_fact, with_number, without_entry
from workspace import ALL, npy_of


def edges(name, text, line, options=""):
    """Edges that cannot be learned from."""
    return Case(name, f"fit items.csv --edges bad.csv -o out {options}", WRONG, f"bad.csv:{line}", {"bad.csv": text})


def market(name, text, line):
    """The same as Matrix Market."""
    return edges(f"Matrix Market: {name}", text, line)


def pairs(name, text, line, options=""):
    """Pairs that cannot be learned from."""
    return Case(name, f"fit items.csv --pairs bad.csv -o out {options}", WRONG, f"bad.csv:{line}", {"bad.csv": text})


def column(name, text, target, line):
    """Items whose columns cannot be this target."""
    return Case(name, f"fit bad.csv {target} -o out", WRONG, f"bad.csv:{line}", {"bad.csv": text})


def columns(name, words, line):
    """Good items, of which a column that cannot be the target is asked for."""
    return Case(name, f"fit all.csv {words} -o out", WRONG, line)


def damaged(target, name, change, line):
    """A model of another target that is damaged."""
    return Case(f"{target} model: {name}", "info bad", WRONG, f"bad: is damaged: {line}", {"bad": (target, change)})


# ---- parts of many lines ----

ID_Y = 'no item has the id "y"'
NUL = "a NUL byte, and CSV is text (in UTF-8)"
TWO_ITEMS = "an edge joins two different items"
RAGGED = "a row with {} cells than the header, which has {}"
NEEDS_HEADER = "the first line is a pair, and a header is needed above it"
ABOVE_0 = "the weight of a pair must be a number > 0"
HAS_COLUMNS = 'there is "id", "a", "b", "c", "y"'
ONE_THING = "it can be one thing only"
EVERY_ITEM = "every item needs one"
UNDIRECTED = "the matrix of an undirected graph"
NO_FIT = "the model's pairs do not fit its items"
NO_NUMBERS = "there is no column with numbers: each pair needs a distance or a similarity"
OF_ITEMS = "predict: --values are of items, not of pairs: they go with neither --pairs nor --against"
VALUES = "predict: --values wants a model of labels or a response, and the target of this one is"
READ_TWICE = "is read twice here, and a pipe can be read once: save it as a file"
LOW_RANK = "the model keeps only a low-rank form of its target: give the target to score against"
SOME = "there must be some, and some to test with"

# ---- edges ----

EDGES = [
    cannot("edges are not there", "fit items.csv --edges nowhere -o out", f"nowhere: {NOT_THERE}"),
    cannot("edges are a folder", "fit items.csv --edges . -o out", ".: is a folder, and a file is needed"),
    edges("no edges", "", "1:1: the file is empty: a header and edges are needed"),
    edges("source of no item", "source,target\nu,v\ny,w\n", f"3:1: {ID_Y}"),
    edges("target of no item", "source,target\nu,v\nw,y\n", f"3:3: {ID_Y}"),
    edges("first of several unknown items", "source,target,weight\nu,v,1\nw,y,1\nz,u,x\n", f"3:3: {ID_Y}"),
    edges("edge to itself", "source,target\nu,v\nw,w\n", f'3:3: an edge from "w" to itself; {TWO_ITEMS}'),
    edges("edge with another weight", "source,target,weight\nu,v,1\nw,x,1\nv,u,2\n",
          "4:1: this edge has the value 2 here and 1 before; an edge has one value"),
    edges("edges of one column", "source\nu\n", "1:1: one column, and two with ids are needed"),
    edges("edges without a header", "u,v\nv,w\n", f"1:1: {NEEDS_HEADER}"),
    edges("short edge", "source,target\nu\n", f"2:1: {RAGGED.format('fewer', 2)}"),
    edges("long edge", "source,target\nu,v,w\n", f"2:5: {RAGGED.format('more', 2)}"),
    edges("edge weight missing", "source,target,weight\nu,v,\n", "2:5: a missing weight; every edge needs one"),
    edges("edge weight infinite", "source,target,weight\nu,v,-inf\n", "2:5: an infinite weight; it must be finite"),
    edges("edge weight is text", "source,target,weight\nu,v,much\n", '2:5: "much" is no number'),
    edges("edge weight beyond float32", "source,target,weight\nw,x,1\nu,v,1e39\n",
          "3:1: the value of this pair is 1e+39; values are finite numbers up to 3.40282e+38"),
    edges("two weights", "source,target,weight,weight\nu,v,1,1\n",
          '1:22: a second column is called "weight"; the names must be different'),
    edges("edges in binary", bytes(range(256)), f"1:1: {NUL}"),
    edges("edges in UTF-16", "source,target\nu,v\n".encode("utf-16-le"), f"1:2: {NUL}"),
    edges("bytes that are not UTF-8", b"source,target\n\x80\xff,v\n", '2:1: no item has the id "??"'),
    edges("quote never closed in edges", 'source,target\n"u,v\n', "2:1: a quote that opens here is never closed"),
    edges("edges with CRLF and a blank line", "source,target\r\nu,v\r\n\r\nw,y\r\n", f"4:3: {ID_Y}"),
    edges("edges in characters, not bytes", 'source,target\nu,v\n"ü",y\n', '3:1: no item has the id "ü"'),
    edges("--value is no column of edges", "source,target,weight\nu,v,1\n",
          '1:1: there is no column "strength" after the two of the ids', "--value strength"),
    edges("--value is an id of edges", "source,target,weight\nu,v,1\n",
          '1:1: there is no column "source" after the two of the ids', "--value source"),
    use("row of no item", "fit bad.csv --edges edges.csv -o out", 'edges.csv:2:3: no item has the id "4"',
        {"bad.csv": ALL.replace("id", "name"), "edges.csv": "source,target\n3,4\n"}),
    use("rows are numbers without leading zeros", "fit bad.csv --edges edges.csv -o out",
        'edges.csv:2:1: no item has the id "00"', {"bad.csv": ALL.replace("id", "name"), "edges.csv": "s,t\n00,1\n"}),
]  # fmt: skip

REAL, SYMMETRIC = (f"%%MatrixMarket matrix coordinate real {kind}\n" for kind in ("general", "symmetric"))

MARKET = [
    market("mirror image differs", REAL + "4 4 2\n1 2 1\n2 1 2\n",
           f"4:1: the entry (2, 1) = 2, but (1, 2) = 1: {UNDIRECTED} is symmetric"),
    market("mirror image absent", REAL + "4 4 1\n1 2 1\n",
           f"3:1: the entry (1, 2) without its mirror image (2, 1): {UNDIRECTED} has both, or is called symmetric"),
    market("entry twice instead of its mirror image", REAL + "4 4 2\n1 2 1\n1 2 1\n",
           f"3:1: the entry (1, 2) without its mirror image (2, 1): {UNDIRECTED} has both, or is called symmetric"),
    market("too small", SYMMETRIC + "3 3 1\n2 1 1\n", "2:1: a matrix of 3 x 3; 4 items need 4 x 4"),
    market("not square", SYMMETRIC + "% four items\n4 5 1\n2 1 1\n", "3:1: a matrix of 4 x 5; 4 items need 4 x 4"),
    market("index too large", SYMMETRIC + "4 4 1\n5 2 1\n", '3:1: "5" is no item; they count from 1 to 4'),
    market("index 0", SYMMETRIC + "4 4 1\n2 0 1\n", '3:3: "0" is no item; they count from 1 to 4'),
    market("index below 0", SYMMETRIC + "4 4 1\n-1 2 1\n", '3:1: "-1" is no item; they count from 1 to 4'),
    market("index is text", SYMMETRIC + "4 4 1\nu v 1\n", '3:1: "u" is no item; they count from 1 to 4'),
    market("cut short", SYMMETRIC + "4 4 2\n2 1 1\n", "4:1: only 1 of the 2 entries announced"),
    market("cut short in an entry", SYMMETRIC + "4 4 1\n2 1", "3:4: the line ends where a value is needed"),
    market("cut short in the sizes", SYMMETRIC + "4 4\n", "2:4: the line ends where the number of entries is needed"),
    market("cut short after the banner", SYMMETRIC, "2:1: the line ends where the number of rows is needed"),
    market("absurd number of entries", SYMMETRIC + "4 4 99999999999999999999\n2 1 1\n",
           "4:1: only 1 of the 18446744073709551615 entries announced"),
    market("entry too many", SYMMETRIC + "4 4 1\n2 1 1\n3 1 1\n", "4:1: one entry more than the 1 announced"),
    market("entry to itself", SYMMETRIC + "4 4 1\n2 2 1\n", f"3:1: an edge from item 2 to itself; {TWO_ITEMS}"),
    market("weight is text", SYMMETRIC + "4 4 1\n2 1 x\n", '3:5: "x" is no number'),
    market("weight missing", SYMMETRIC + "4 4 1\n2 1 nan\n", '3:5: "nan" is a missing weight; every edge needs one'),
    market("weight infinite", SYMMETRIC + "4 4 1\n2 1 inf\n", '3:5: "inf" is infinite; a weight must be finite'),
    market("word too many", SYMMETRIC + "4 4 1\n2 1 1 7\n", '3:7: "7" is more than belongs in this line'),
    market("entry with another weight", SYMMETRIC + "4 4 2\n2 1 1\n1 2 2\n",
           "4:1: this edge has the value 2 here and 1 before; an edge has one value"),
    market("fraction among integers", "%%MatrixMarket matrix coordinate integer symmetric\n4 4 1\n2 1 0.5\n",
           '3:5: "0.5" is no whole number, and the first line says integer'),
    market("wrong banner", "%MatrixMarket matrix coordinate real general\n4 4 0\n",
           '1:1: "%" opens no CSV file, and Matrix Market starts with %%MatrixMarket'),
    market("array", "%%MatrixMarket matrix array real general\n4 4\n",
           '1:23: "array" cannot be read; a graph is a coordinate matrix (a full one is for --distances or '
           "--similarities, as CSV or .npy)"),
    market("complex", "%%MatrixMarket matrix coordinate complex symmetric\n4 4 1\n2 1 1 0\n",
           '1:34: "complex" cannot be read; weights are real or integer, or none: pattern'),
    market("hermitian", "%%MatrixMarket matrix coordinate real hermitian\n4 4 0\n",
           f'1:39: "hermitian" cannot be read; {UNDIRECTED} is symmetric, or general and has each edge twice'),
    market("vector", "%%MatrixMarket vector coordinate real general\n4 4 0\n",
           '1:16: "vector" cannot be read; a graph is a matrix'),
    market("banner cut short", "%%MatrixMarket matrix coordinate\n", "1:33: the line ends where real is needed"),
    use("Matrix Market: --value", "fit items.csv --edges bad.mtx --value weight -o out",
        "bad.mtx: a Matrix Market file has no columns of which --value could choose one",
        {"bad.mtx": SYMMETRIC + "4 4 1\n2 1 1\n"}),
    use("Matrix Market: between two sets", "evaluate graph items.csv --against items.csv --edges bad.mtx",
        "bad.mtx: a Matrix Market file has no ids, and edges between two sets of items need them: "
        "CSV with source,target has", {"bad.mtx": SYMMETRIC + "4 4 1\n2 1 1\n"}),
]  # fmt: skip


def observed(name, text, line):
    return use(name, "fit items.csv --edges edges.csv --observed bad.csv -o out", f"bad.csv:{line}", {"bad.csv": text})


KNOWN = [
    cannot("observed pairs are not there", "fit items.csv --edges edges.csv --observed nowhere -o out",
           f"nowhere: {NOT_THERE}"),
    observed("no observed pairs", "", "1:1: the file is empty: a header and pairs are needed"),
    observed("observed pair of no item", "i,j\nu,v\nu,y\n", f"3:3: {ID_Y}"),
    observed("observed pairs of one column", "i\nu\n", "1:1: one column, and two with ids are needed"),
    observed("observed pairs without a header", "u,v\nv,w\n", f"1:1: {NEEDS_HEADER}"),
]  # fmt: skip

# ---- pairs ----

PAIRS = [
    cannot("pairs are not there", "fit items.csv --pairs nowhere -o out", f"nowhere: {NOT_THERE}"),
    pairs("no rated pairs", "", "1:1: the file is empty: a header and pairs are needed"),
    pairs("rated pair of no item", "i,j,distance\nu,v,1\nu,y,1\n", f"3:3: {ID_Y}"),
    pairs("no item in a rated pair", "i,j,distance\ny,u,1\n", f"2:1: {ID_Y}"),
    pairs("rated pairs without a header", "u,v,1\nv,w,2\n", f"1:1: {NEEDS_HEADER}"),
    pairs("short rated pair", "i,j,distance\nu,v\n", f"2:3: {RAGGED.format('fewer', 3)}"),
    pairs("pair weight 0", "i,j,distance,weight\nu,v,1,0\n", f"2:7: {ABOVE_0}"),
    pairs("pair weight below 0", "i,j,weight,distance\nu,v,-1,1\n", f"2:5: {ABOVE_0}"),
    pairs("pair weight infinite", "i,j,distance,weight\nu,v,1,inf\n", "2:7: an infinite weight; it must be finite"),
    pairs("pair weight missing", "i,j,distance,weight\nu,v,1,NaN\n", "2:7: a missing weight; every pair needs one"),
    pairs("pair weight empty", "i,j,distance,weight\nu,v,1,\n", "2:7: a missing weight; every pair needs one"),
    pairs("pair weight is text", "i,j,distance,weight\nu,v,1,much\n", '2:7: "much" is no number'),
    pairs("pair weight too small", "i,j,distance,weight\nu,v,1,1e-60\n",
          "2:1: the weight of this pair is 1e-60; weights are numbers from 1e-50 to 1e+50"),
    pairs("pair weight too large", "i,j,distance,weight\nv,w,1,1\nu,v,1,1e60\n",
          "3:1: the weight of this pair is 1e+60; weights are numbers from 1e-50 to 1e+50"),
    pairs("distance and similarity", "i,j,distance,similarity\nu,v,1,2\n",
          "1:1: there is a distance and a similarity, and one is needed (--value COLUMN chooses one)"),
    pairs("no value", "i,j\nu,v\n", f"1:1: {NO_NUMBERS}"),
    pairs("no value beside the weight", "i,j,weight\nu,v,1\n", f"1:1: {NO_NUMBERS}"),
    pairs("several values", "i,j,first,second\nu,v,1,2\n",
          "1:1: there are several columns after those of the ids, and none is called distance or similarity "
          "(--value COLUMN chooses one)"),
    pairs("two distances", "i,j,distance,distance\nu,v,1,1\n",
          '1:14: a second column is called "distance"; the names must be different'),
    pairs("distance of a pair missing", "i,j,distance\nu,v,\n", "2:5: a missing distance; every pair needs one"),
    pairs("similarity of a pair missing", "i,j,similarity\nu,v,NA\n", "2:5: a missing similarity; every pair needs one"),
    pairs("distance of a pair infinite", "i,j,distance\nu,v,inf\n", "2:5: an infinite distance; it must be finite"),
    pairs("distance of a pair is text", "i,j,distance\nu,v,far\n", '2:5: "far" is no number'),
    pairs("distance of a pair beyond float32", "i,j,distance\nu,v,1e39\n",
          "2:1: the value of this pair is 1e+39; values are finite numbers up to 3.40282e+38"),
    pairs("similarities too far apart", "i,j,similarity\nv,w,1e308\nu,v,-1e308\n",
          "3:1: the similarity -1e+308 is too far from the largest, 1e+308"),
    pairs("pairs in binary", bytes(range(256)), f"1:1: {NUL}"),
    pairs("--value is no column", "i,j,first,second\nu,v,1,2\n",
          '1:1: there is no column "third" after the two of the ids', "--value third"),
    use("--similarity-max for distances of pairs", "fit items.csv --pairs rated.csv --similarity-max 3 -o out",
        "fit: --similarity-max goes with similarities, and rated.csv has distances"),
    use("--similarity-max of pairs is text", "fit items.csv --pairs rated.csv --similarity-max much -o out",
        "fit: --similarity-max 'much' is not a number"),
    use("--similarity-max is infinite", "fit items.csv --pairs rated.csv --similarity-max inf -o out",
        "fit: --similarity-max 'inf' is not a number"),
]  # fmt: skip

# ---- columns ----

THREE = "id,a,c\nu,1,{}\nv,2,{}\nw,4,{}\n"

COLUMNS = [
    column("label missing", THREE.format("red", "", "blue"), "--labels c", f"3:5: a missing label; {EVERY_ITEM}"),
    column("label NA", THREE.format("red", "blue", "NA"), "--labels c", f"4:5: a missing label; {EVERY_ITEM}"),
    column("response missing", THREE.format(1, "", 3), "--response c", f"3:5: a missing response; {EVERY_ITEM}"),
    column("absolute missing", THREE.format(1, 2, "NaN"), "--absolute c", f"4:5: a missing response; {EVERY_ITEM}"),
    column("product missing", THREE.format("NA", 2, 3), "--product c", f"2:5: a missing response; {EVERY_ITEM}"),
    column("response is text", THREE.format(1, "two", 3), "--response c",
           '3:5: "two" is no number, and column "c" must hold numbers'),
    column("response infinite", THREE.format(1, 2, "inf"), "--response c",
           '4:5: an infinite value in column "c"; numbers must be finite'),
    column("response too large", THREE.format(1, "1.5e18", 3), "--response c",
           "3:5: column 'c', item 1: 1.5e+18 is not a number between -1e18 and 1e18"),
    column("product too large", THREE.format(1, 2, "-1e300"), "--product c",
           "4:5: column 'c', item 2: -1e+300 is not a number between -1e18 and 1e18"),
    column("absolute too large", THREE.format("1e91", 2, 3), "--absolute c",
           "2:5: column 'c', item 0: 1e+91 is not a number between -1e90 and 1e90"),
    columns("no such label", "--labels d", f'all.csv:1:1: there is no column "d"; {HAS_COLUMNS}'),
    columns("no such response", "--response y,d", f'all.csv:1:1: there is no column "d"; {HAS_COLUMNS}'),
    columns("no such absolute", "--absolute d", f'all.csv:1:1: there is no column "d"; {HAS_COLUMNS}'),
    columns("no such product", "--product d,y", f'all.csv:1:1: there is no column "d"; {HAS_COLUMNS}'),
    columns("target without a name", "--labels ''", f'all.csv:1:1: there is no column ""; {HAS_COLUMNS}'),
    columns("target column is the id", "--labels c --id c", "fit: column 'c' is in both --id and --labels"),
    columns("target column is ignored", "--response y --ignore a,y",
            "fit: column 'y' is in both --ignore and --response"),
    columns("target column is a category", "--absolute y --categories y",
            "fit: column 'y' is in both --categories and --absolute"),
    columns("target column is the weight", "--product y --item-weights y",
            "fit: column 'y' is in both --item-weights and --product"),
    columns("target column twice", "--response y,a,y", 'all.csv:1:1: column "y" is named as the target a second time'),
    columns("every column is the target", "--response a,b,y --ignore c",
            "all.csv:1:1: no feature is left: every column is an id, a weight, a target or ignored"),
    columns("several labels", "--labels c,a", "fit: --labels takes one column, and 'c,a' names several"),
    columns("several absolutes", "--absolute y,a", "fit: --absolute takes one column, and 'y,a' names several"),
    use("column of an array that is the id and the target", "fit bad.npy --id 0 --response x0 -o out",
        f'bad.npy: column "x0" is named as the target and as the id; {ONE_THING}', {"bad.npy": npy_of(np.eye(3))}),
    use("no such column of an array", "fit bad.npy --response 3 -o out",
        'bad.npy: there is no column "3"; there is "x0", "x1", "x2"', {"bad.npy": npy_of(np.eye(3))}),
    use("response missing in an array", "fit bad.npy --response 1 -o out",
        f"bad.npy: row 2, column 1: a missing response; {EVERY_ITEM}",
        {"bad.npy": npy_of(np.array([[1, 2], [3, 4], [5, np.nan]]))}),
    use("response too large in an array", "fit bad.npy --response 1 -o out",
        "bad.npy: column 'x1', item 1: 1e+19 is not a number between -1e18 and 1e18",
        {"bad.npy": npy_of(np.array([[1, 2], [3, 1e19], [5, 6]]))}),
]  # fmt: skip

# ---- options ----

OPTIONS = [
    use("graph and labels", "fit all.csv --edges edges.csv --labels c -o out",
        "fit: --edges and --labels exclude each other: give exactly one target"),
    use("response and absolute", "fit all.csv --response y --absolute a -o out",
        "fit: --response and --absolute exclude each other: give exactly one target"),
    use("distances and pairs", "fit items.csv --pairs rated.csv --distances z.csv -o out",
        "fit: --distances and --pairs exclude each other: give exactly one target"),
    option("--value without pairs", "--value y", "--value goes with --pairs or --edges"),
    option("--observed without edges", "--observed observed.csv", "--observed goes with --edges"),
    use("--observed with pairs", "fit items.csv --pairs rated.csv --observed observed.csv -o out",
        "fit: --observed goes with --edges"),
    use("--similarity-max with edges", "fit items.csv --edges edges.csv --similarity-max 2 -o out",
        "fit: --similarity-max goes with --similarities or --pairs"),
    use("--symmetrize with edges", "fit items.csv --edges edges.csv --symmetrize mean -o out",
        "fit: --symmetrize goes with a matrix"),
    use("--symmetrize with labels", "fit all.csv --labels c --symmetrize mean -o out",
        "fit: --symmetrize goes with a matrix"),
    use("edges and items from standard input", "fit - --edges - -o out", "fit: standard input can be read only once"),
    use("edges and observed pairs from standard input", "fit items.csv --edges - --observed - -o out",
        "fit: standard input can be read only once"),
    option("--rank 0", "--rank 0", "--rank 0 is below 1"),
    option("--rank is text", "--rank full", "--rank 'full' is not a whole number"),
    option("--rank 1.5", "--rank 1.5", "--rank '1.5' is not a whole number"),
    option("--rank beyond 64 bits", "--rank 99999999999999999999", "--rank '99999999999999999999' is too large"),
    *[use(f"--rank for {kind}", f"fit all.csv {target} --rank 2 -o out",
          f"fit: --rank: a low rank, of at least 1, is for distances, graphs and products, not for {kind}")
      for kind, target in {"labels": "--labels c", "response": "--response y", "absolute": "--absolute y",
                           "pairs": "--pairs rated.csv", "observed": "--edges edges.csv --observed observed.csv"}.items()],
    *[use(f"--complete for {kind}", f"fit all.csv {target} --complete 2 -o out",
          f"fit: --complete: a target of kind '{kind}' has no missing pairs to fill in")
      for kind, target in {"labels": "--labels c", "distances": "--distances z.csv", "graph": "--edges edges.csv"}.items()],
    use("--complete 65", "fit items.csv --pairs rated.csv --complete 65 -o out",
        "fit: --complete: a rank of 65 is more than 64"),
    *[use(f"--complete {rank}", f"fit items.csv --pairs rated.csv --complete {rank} -o out",
          f"fit: --complete '{rank}' is not off, auto, or a rank > 0") for rank in ("0", "-1", "x", "1.5", "2^64")],
]  # fmt: skip

# ---- asking models ----

ASKING = [
    *[use(f"--values of a model of {name}", f"predict {name} all.csv --values -o out", f"{VALUES} '{kind}'")
      for name, kind in {"model": "distances", "absolute": "absolute", "product": "product", "graph": "graph",
                         "observed": "observed", "pairs": "pairs", "completed": "pairs",
                         "rank": "distances"}.items()],
    use("--values with --pairs", "predict labels all.csv --values --pairs observed.csv -o out", OF_ITEMS),
    use("--values with --against", "predict labels all.csv --values --against all.csv -o out", OF_ITEMS),
    use("--values as an array", "predict labels all.csv --values -o out.npy",
        "predict: --values writes CSV; 'out.npy' says .npy"),
    use("--values with --spread", "predict labels all.csv --values --spread -o out",
        "predict: --spread goes with --pairs"),
    use("--values --oob with changed items", "predict labels bad.csv --values --oob -o out",
        "item 'w' is not one of the model's training items; out of bag is about those",
        {"bad.csv": ALL.replace("9", "9.5")}),
    use("--values without a feature", "predict labels items.csv --values -o out",
        'items.csv:1:1: there is no column "y"; there is "id", "a", "b"'),
    *[use(f"auc-roc of {name}", f"evaluate {name} all.csv {target} --metrics rmse,auc-roc",
          f"auc-roc needs a graph or labels: a target of kind '{name}' has no links")
      for name, target in {"response": "--response y", "absolute": "--absolute y", "product": "--product y",
                           "pairs": "--pairs rated.csv"}.items()],
    use("auc-pr out of bag of pairs", "evaluate pairs items.csv --oob --metrics auc-pr",
        "auc-pr needs a graph or labels: a target of kind 'pairs' has no links"),
    use("tune by auc-pr on pairs", "tune items.csv --pairs rated.csv --metric auc-pr --trees 4 -o out",
        "auc-pr needs a graph or labels: a target of kind 'pairs' has no links"),
    use("out of bag of a low rank without a target", "evaluate rank items.csv --oob", LOW_RANK),
    use("permutation of a low rank without a target", "importance rank items.csv --permutation -o out", LOW_RANK),
    use("truth is a feature", "evaluate labels all.csv --labels a",
        f'all.csv:1:1: column "a" is named as the target and as a feature; {ONE_THING}'),
    use("truth is not there", "evaluate graph items.csv --labels c",
        'items.csv:1:1: there is no column "c"; there is "id", "a", "b"'),
    use("truth is not there in the second items", "evaluate graph all.csv --against items.csv --labels c",
        'items.csv:1:1: there is no column "c"; there is "id", "a", "b"'),
    use("truth of neither set", "evaluate graph items.csv --against bad.csv --edges edges.csv",
        'edges.csv:3:3: no item has the id "t"',
        {"bad.csv": "id,a,b\ny,1,2\n", "edges.csv": "source,target\nu,y\nv,t\n"}),
    use("truth too large between two sets", "evaluate absolute all.csv --against bad.csv --absolute y",
        "bad.csv:3:11: column 'y', item 5: 1e+91 is not a number between -1e90 and 1e90",
        {"bad.csv": ALL.replace("red,2", "red,1e91")}),
    use("importance with a target but without --permutation", "importance labels --labels c -o out",
        "importance: items and a target go with --permutation"),
    use("permutation with a wrong target", "importance graph items.csv --permutation --edges bad.csv -o out",
        f"bad.csv:2:3: {ID_Y}", {"bad.csv": "source,target\nu,y\n"}),
    use("parts of another kind of target", "merge graph observed -o out",
        "these are not parts of one forest: they differ in target; merge wants the same data, options and seed"),
]  # fmt: skip

# ---- split ----

SPLIT = "split all.csv --labels c --by nodes --train 0.5 -o new"


def split(name, old, new, line):
    """A good call of split with one thing changed."""
    return use(name, SPLIT.replace(old, new), f"split: {line}")


SPLITTING = [
    split("split without --by", "--by nodes", "", "--by is missing: nodes or pairs?"),
    split("split without --train", "--train 0.5", "", "--train F is missing: how large a share to train on?"),
    split("split without output", "-o new", "", "-o DIR is missing: where shall the files go?"),
    split("split to standard output", "-o new", "-o -", "-o - will not do: several files need a folder"),
    split("split by something else", "nodes", "items", "--by 'items' is not known; it is nodes or pairs"),
    split("split without target", "--labels c", "", NO_TARGET),
    *[split(f"split --train {share}", "0.5", share, f"--train '{share}' is not between 0 and 1")
      for share in ("0", "1", "1.5", "-0.5")],
    *[split(f"split --train {share}", "0.5", share, f"--train '{share}' is not a number")
      for share in ("half", "nan", "inf")],
    split("too few items to train on", "0.5", "0.3",
          "--train 0.3 of 4 items leaves 1 to train on and 3 to test with: both need two"),
    split("too few items to test with", "0.5", "0.8",
          "--train 0.8 of 4 items leaves 3 to train on and 1 to test with: both need two"),
    split("too few pairs to train on", "nodes --train 0.5", "pairs --train 0.2",
          f"--train 0.2 of 4 items makes 0 of 6 known pairs to train on: {SOME}"),
    split("too few pairs to test with", "nodes --train 0.5", "pairs --train 0.97",
          f"--train 0.97 of 4 items makes 6 of 6 known pairs to train on: {SOME}"),
    split("split of items from standard input", "all.csv", "-", f"standard input {READ_TWICE}"),
    use("split of edges from standard input", "split items.csv --edges - --by nodes --train 0.5 -o new",
        f"split: standard input {READ_TWICE}"),
    use("split of pairs from standard input", "split items.csv --pairs - --by pairs --train 0.5 -o new",
        f"split: standard input {READ_TWICE}"),
    split("split --seed 2^63", "-o new", "-o new --seed 9223372036854775808",
          "--seed '9223372036854775808' is not in 0 ... 2^63 - 1"),
    use("split over its own items", "split items.csv --edges rated.csv --by pairs --train 0.7 -o .",
        "split: -o . would replace items.csv, which is read: take another folder"),
    use("split over its own pairs", "split all.csv --pairs train-pairs.csv --by nodes --train 0.5 -o .",
        "split: -o . would replace train-pairs.csv, which is read: take another folder",
        {"train-pairs.csv": "i,j,distance\nu,v,1\n"}),
    use("split of items without ids, but with a column called so",
        "split all.csv --ignore id --labels c --by nodes --train 0.5 -o new",
        'all.csv:1:1: the items have no ids here, and cannot get any: a column is called "id" already'),
    use("split of a label that is not there", SPLIT.replace("--labels c", "--labels d"),
        f'all.csv:1:1: there is no column "d"; {HAS_COLUMNS}'),
    use("split of bad edges", "split items.csv --edges bad.csv --by nodes --train 0.5 -o new", f"bad.csv:2:3: {ID_Y}",
        {"bad.csv": "source,target\nu,y\n"}),
    cannot("split of items that are not there", SPLIT.replace("all.csv", "nowhere"), f"nowhere: {NOT_THERE}"),
    cannot("split into a folder in no folder", SPLIT.replace("new", "nowhere/new"),
           "nowhere/new: cannot be made: No such file or directory"),
    cannot("split into a file", SPLIT.replace("new", "z.csv"),
           "z.csv/train-items.csv: cannot be written: Not a directory"),
]  # fmt: skip

# ---- blocks ----

BLOCKS = [
    use("gaps in a block of another size", "evaluate model items.csv --against items.csv --distances bad.npy",
        "bad.npy: has 3 x 4 numbers; 4 x 4 items need 4 x 4 numbers", {"bad.npy": npy_of(np.full((3, 4), np.nan))}),
    use("infinity in a block with gaps", "evaluate model items.csv --against items.csv --distances bad.csv",
        "bad.csv:3:4: an infinite distance; it must be finite",
        {"bad.csv": WITH_IDS.replace("v,1,0", "v,,inf")}),
]  # fmt: skip

# ---- damaged models of every target ----

OVERLAP = "its arrays overlap, or leave gaps"


def for_each(targets, make):
    return [case for target in targets for case in make(target)]


def of_columns(target, limit, line):
    return [damaged(target, f"{value} among the values", with_number("target.value", 1, value), line)
            for value in (np.nan, -np.inf, limit)]  # fmt: skip


def of_pairs(target):
    array = "target.{}".format
    return [
        *[damaged(target, f"{value} among the values", with_number(array("value"), 1, value),
                  "the model's distances are not all finite") for value in (np.nan, np.inf, 1e39)],
        damaged(target, "partner of no item", with_number(array("partner"), 0, 4), NO_FIT),
        damaged(target, "item as its own partner", with_number(array("partner"), 0, 0), NO_FIT),
        damaged(target, "partners out of order", with_number(array("partner"), -1, 0), NO_FIT),
        damaged(target, "too many partners", with_number(array("n_partners"), 0, 9), NO_FIT),
        damaged(target, "far too many partners", with_number(array("n_partners"), 3, 2**32 - 1), NO_FIT),
        damaged(target, "too few partners", with_number(array("n_partners"), 0, 0), NO_FIT),
        *[damaged(target, f"without {name}", without_entry(array(name)), OVERLAP)
          for name in ("value", "partner", "n_partners")],
    ]  # fmt: skip


DAMAGED = [
    damaged("labels", "label of no class", with_number("target.label", 0, 3),
            "a label of the model is of class 3, and there are 3"),
    damaged("labels", "class that is not UTF-8", with_number("target.class", 0, 0xFF),
            "the classes of the model's labels are not texts in bytewise order"),
    damaged("labels", "classes out of order", with_number("target.class", 0, ord("z")),
            "the classes of the model's labels are not texts in bytewise order"),
    damaged("labels", "empty class", with_number("target.class", 1, 0),
            "the classes of the model's labels are not texts in bytewise order"),
    damaged("labels", "class without end", with_number("target.class", -1, ord("x")),
            "the model does not name the classes of its labels"),
    damaged("labels", "column without end", with_number("target.column", -1, ord("x")),
            "the name of the target's column is not one text"),
    damaged("labels", "column that is not UTF-8", with_number("target.column", 0, 0xFF),
            "the name of the target's column is not one text"),
    *[damaged("labels", f"without {name}", without_entry(f"target.{name}"), OVERLAP)
      for name in ("label", "class", "column")],
    damaged("labels", "labels of another type", with_entry("target.label", dtype="F32"),
            "the model's array 'target.label' is F32[4] and should be U32[4]"),
    damaged("labels", "labels too short", with_entry("target.label", shape=[1]),
            "the header's entry 'target.label' makes no sense"),
    damaged("labels", "as a graph", with_fact("target", "graph"), "the model has no list of pairs"),
    damaged("response", "as labels", with_fact("target", "labels"), "the name of the target's column is not one text"),
    damaged("response", "more columns", with_number("target.column", 0, 0),
            "the model's array 'target.value' is F64[8] and should be F64[12]"),
    *[damaged("product", f"column names with {byte:#x} at {at}", with_number("target.column", at, byte),
              "the names of the model's target columns are not texts") for at, byte in ((-1, ord("x")), (0, 0xFF))],
    damaged("absolute", "two columns", with_number("target.column", 0, 0),
            "the name of the target's column is not one text"),
    *of_columns("response", 1e19, "the model's target.value holds numbers that it cannot have"),
    *of_columns("product", 1e19, "the model's target.value holds numbers that it cannot have"),
    *of_columns("absolute", 1e91, "the values of the model's target are not all numbers up to 1e90"),
    *for_each(("graph", "observed", "pairs", "completed"), of_pairs),
    *[damaged("pairs", f"weight {weight}", with_number("target.weight", 0, weight),
              "the model's weights of pairs are not all from 1e-50 to 1e+50")
      for weight in (0, -1, np.nan, np.inf, 1e60)],
    *[damaged("pairs", f"self-distance {value}", with_number("target.diagonal", 0, value),
              "the model's self-distances are not all finite") for value in (np.nan, np.inf)],
    damaged("pairs", "without weight", without_entry("target.weight"), OVERLAP),
    damaged("pairs", "without diagonal", without_entry("target.diagonal"), OVERLAP),
    *[damaged("completed", f"{value} in {array}", with_number(f"target.{array}", -1, value),
              f"the model's target.{array} holds numbers that it cannot have")
      for array in ("a", "u", "scale") for value in (np.nan, np.inf, 1e300)],
    *[damaged("rank", f"{value} in {array}", with_number(f"target.{array}", -1, value),
              f"the model's target.{array} holds numbers that it cannot have")
      for array in ("a", "u", "scale", "self", "share") for value in (np.nan, np.inf)],
    *[damaged("rank", f"share {share}", with_number("target.share", 0, share),
              "the model's share of the spectrum is not between 0 and 1") for share in (-0.1, 1.5)],
    damaged("rank", "made from nothing known", with_number("target.origin", 0, ord("x")),
            "the model does not say what its low rank was made from"),
    *[damaged(target, f"without {array}", without_entry(f"target.{array}"), OVERLAP)
      for target, arrays in {"rank": ["a", "u", "scale", "self", "share", "origin"],
                             "completed": ["a", "u", "scale", "is_graph"]}.items() for array in arrays],
    *[damaged(target, "flipped bit", flip(-20), "the checksum does not fit the content")
      for target in ("labels", "response", "absolute", "product", "graph", "observed", "pairs", "completed", "rank")],
]  # fmt: skip

CASES = [*EDGES, *MARKET, *KNOWN, *PAIRS, *COLUMNS, *OPTIONS, *ASKING, *SPLITTING, *BLOCKS, *DAMAGED]
