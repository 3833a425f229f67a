"""Columns that are no target, options that do not go with one, and questions that a model of it cannot answer; split."""

import numpy as np

from bad_case import NO_TARGET, NOT_THERE, WITH_IDS, WRONG, Case, cannot, option, use
from bad_lists import ID_Y
from workspace import ALL, npy_of


def column(name, text, target, line):
    """Items whose columns cannot be this target."""
    return Case(name, f"fit bad.csv {target} -o out", WRONG, f"bad.csv:{line}", {"bad.csv": text})


def columns(name, words, line):
    """Good items, of which a column that cannot be the target is asked for."""
    return Case(name, f"fit all.csv {words} -o out", WRONG, line)


# ---- parts of many lines ----

HAS_COLUMNS = 'there is "id", "a", "b", "c", "y"'
ONE_THING = "it can be one thing only"
EVERY_ITEM = "every item needs one (--drop-missing leaves out those without)"
OF_ITEMS = "predict: --values are of items, not of pairs: they go with neither --pairs nor --against"
VALUES = "predict: --values wants a model of labels or a response, and the target of this one is"
READ_TWICE = "is read twice here, and a pipe can be read once: save it as a file"
LOW_RANK = "the model keeps only a low-rank form of its target: give the target to score against"
SOME = "there must be some, and some to test with"

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
    use("--similarity-max with labels", "fit all.csv --labels c --similarity-max 2 -o out",
        "fit: --similarity-max goes with --similarities, --pairs or --edges"),
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
        "predict: -o 'out.npy': .npy files are not written here; the name may end in .csv (a table in CSV)"),
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
    split("split without --train", "--train 0.5", "", "--train F is missing: how large a fraction to train on?"),
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
    split("a share of the items and of the pairs", "nodes --train 0.5", "pairs --train 0.5 --train-pairs 0.5",
          "--train and --train-pairs exclude each other: a fraction of the items, or of the pairs?"),
    split("a share of the pairs by nodes", "--train 0.5", "--train-pairs 0.5",
          "--train-pairs goes with --by pairs; --by nodes takes --train"),
    split("a share of the pairs that is none", "nodes --train 0.5", "pairs --train-pairs 1",
          "--train-pairs '1' is not between 0 and 1"),
    split("too small a share of the pairs", "nodes --train 0.5", "pairs --train-pairs 0.01",
          f"--train-pairs 0.01 makes 0 of 6 known pairs to train on: {SOME}"),
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

CASES = [*COLUMNS, *OPTIONS, *ASKING, *SPLITTING, *BLOCKS]
