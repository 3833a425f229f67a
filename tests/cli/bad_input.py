"""Bad items, matrices and words, and what goes wrong with each command: what is done, and the one line that says so."""

import numpy as np

from bad_case import (A_FOLDER, DAMAGED, FIT, NO_IDS, NO_TARGET, NOT_THERE, NUL, RAGGED, WITH_IDS, WRONG, Case, cannot,
                      option, use)  # fmt: skip
from workspace import ITEMS, Z, csv_of, npy_of


def items(name, text, line, options=""):
    """Items that cannot be learned from."""
    return Case(name, f"fit bad.csv --distances z.csv -o out {options}", WRONG, line, {"bad.csv": text})


def item_array(name, numbers, line, options=""):
    """The same in .npy."""
    return Case(name, f"fit bad.npy --distances z.csv -o out {options}", WRONG, line, {"bad.npy": npy_of(numbers)})


def matrix(name, text, line, option="--distances"):
    """Distances that do not fit the four items."""
    return Case(name, f"fit items.csv {option} bad.csv -o out", WRONG, line, {"bad.csv": text})


def matrix_array(name, content, line):
    """The same in .npy."""
    content = content if isinstance(content, bytes) else npy_of(content)
    return Case(name, "fit items.csv --distances bad.npy -o out", WRONG, f"bad.npy: {line}", {"bad.npy": content})


# ---- what the cases are made of ----

NPY = npy_of(Z)


def changed(row, column, value):
    """The good distances with another number in one place."""
    z = Z.copy()
    z[row, column] = value
    return z


def with_npy_header(old, new):
    """The good .npy file with a word of its header changed, and blanks to keep its length."""
    start, end = NPY.index(b"{"), NPY.index(b"\n")
    text = NPY[start:end].replace(old, new).rstrip()
    return NPY[:start] + text.ljust(end - start) + NPY[end:]


# Parts of many lines.
FULL = "/dev/full: cannot be written: No space left on device"
FEATURES = "no feature is left: every column is an id, a weight, a target or ignored"
FINITE = "numbers must be finite, or missing"
COLUMNS = 'there is "id", "a", "b"'
AS_TEXT = "(--categories takes all of it as text)"
NEED = "4 items need 4 x 4 numbers, or 5 x 5 cells with ids, or 6 numbers in one line or column"
NEED_NPY = "4 items need 4 x 4 numbers, or 6 numbers in one line or column"
SYMMETRIC = "a distance is symmetric (--symmetrize mean averages the two)"
ONE_SIDED = "a distance is symmetric (--symmetrize mean takes the one that is given)"
TYPES = "float32, float64, integers and booleans can be read"
METRICS = "rmse, spearman, map@10, auc-roc"
NO_LINKS = "auc-roc needs a graph or labels: a target of kind 'distances' has no links"
NOTHING_OUT = "the model was fitted with --sample none: every tree has seen every item, nothing is out of bag"
NOT_TRAINED_ON = "is not one of the model's training items; out of bag is about those"
EXCLUDE = "--oob and --against exclude each other: out of bag is about training items"
ONE_FOREST = "merge wants the same data, options and seed"


# ---- the cases ----

READING_ITEMS = [
    cannot("items are not there", "fit nowhere.csv --distances z.csv -o out", f"nowhere.csv: {NOT_THERE}"),
    cannot("items are a folder", "fit . --distances z.csv -o out", f".: {A_FOLDER}"),
    items("empty items", "",
          "bad.csv:1:1: the file is empty: a header and a row for each item are needed"),
    items("blank items", "\n\n",
          "bad.csv:3:1: the file is empty: a header and a row for each item are needed"),
    items("header only", "id,a,b\n",
          "bad.csv:2:1: a header without rows; one row for each item is needed"),
    items("header only, without line end", "id,a,b",
          "bad.csv:1:7: a header without rows; one row for each item is needed"),
    items("no header", "1.5,2\n3,4\n",
          "bad.csv:1:1: the first line holds numbers, and a header with the names of the columns is needed"),
    items("short row", "id,a,b\nu,1,5\nv,2\n",
          f"bad.csv:3:3: {RAGGED.format('fewer', 3)}"),
    items("long row", "id,a,b\nu,1,5\nv,2,6,3\n",
          f"bad.csv:3:7: {RAGGED.format('more', 3)}"),
    items("comma at the end of a row", "id,a,b\nu,1,5,\n",
          f"bad.csv:2:7: {RAGGED.format('more', 3)}"),
    items("text among numbers", "id,a,b\nu,1,5\nv,2,6\nw,four,9\n",
          f'bad.csv:4:3: "four" is no number, and column "a" holds numbers above {AS_TEXT}'),
    items("number among text", "id,a,b\nu,red,5\nv,blue,6\nw,4,9\n",
          f'bad.csv:4:3: "4" is a number, and column "a" holds text above {AS_TEXT}'),
    items("columns counted in characters, not bytes", "id,größe,b\nü,1,5\nßöß,vier,9\n",
          f'bad.csv:3:5: "vier" is no number, and column "größe" holds numbers above {AS_TEXT}'),
    items("byte order mark that does not count", "\ufeffid,a,a\n",
          'bad.csv:1:6: a second column is called "a"; the names must be different'),
    items("CRLF as one line end", "id,a,b\r\nu,1,5\r\nv,two,6\r\n",
          f'bad.csv:3:3: "two" is no number, and column "a" holds numbers above {AS_TEXT}'),
    items("lines in quotes and blank lines count", 'id,a,b\n\n"u\nu",1,5\nv,two,6\n',
          f'bad.csv:5:3: "two" is no number, and column "a" holds numbers above {AS_TEXT}'),
    items("infinity", "id,a,b\nu,1,5\nv,inf,6\n",
          f'bad.csv:3:3: an infinite value in column "a"; {FINITE}'),
    items("minus infinity", "id,a,b\nu,1,-Infinity\n",
          f'bad.csv:2:5: an infinite value in column "b"; {FINITE}'),
    items("number beyond double", "id,a,b\nu,1,1e999\n",
          f'bad.csv:2:5: an infinite value in column "b"; {FINITE}'),
    items("id twice", "id,a\nu,1\nv,2\nu,3\n",
          'bad.csv:4:1: a second item has the id "u"; ids must be different'),
    items("empty id", "id,a\nu,1\n,2\n",
          "bad.csv:3:1: an item without an id; each needs one"),
    items("column name twice", "id,a,a\nu,1,5\n",
          'bad.csv:1:6: a second column is called "a"; the names must be different'),
    items("empty column name", "id,,b\nu,1,5\n",
          "bad.csv:1:4: a column without a name; each needs one"),
    items("quote never closed", 'id,a\nu,1\n"v,2\nw,3\n',
          "bad.csv:3:1: a quote that opens here is never closed"),
    items("text after a quote", 'id,a\n"u"u,1\n',
          "bad.csv:2:4: text after a closing quote (a quote inside quotes is written twice)"),
    items("NUL byte", "id,a\nu,\0\n", f"bad.csv:2:3: {NUL}"),
    items("NUL byte in quotes", 'id,a\n"u\0",1\n', f"bad.csv:2:3: {NUL}"),
    items("UTF-16", ITEMS.encode("utf-16-le"), f"bad.csv:1:2: {NUL}"),
    items("only an id", "id\nu\nv\nw\nx\n", f"bad.csv:1:1: {FEATURES}"),
    items("every feature ignored", ITEMS, f"bad.csv:1:1: {FEATURES}", "--ignore a,b"),
    use("one item", "fit bad.csv --distances one.csv -o out", "bad.csv: there is one item; a distance needs at least two",
        {"bad.csv": "id,a\nu,1\n", "one.csv": "0\n"}),
    items("more items than distances", ITEMS + "y,1,1\n",
          "z.csv:1:1: the first line has 4 cells; "
          "5 items need 5 x 5 numbers, or 6 x 6 cells with ids, or 10 numbers in one line or column"),
    item_array("items in one dimension", np.arange(4.0),
               "bad.npy: items are a 2-D array of at least one row and one column"),
    item_array("items in three dimensions", np.zeros((4, 2, 2)),
               "bad.npy: has 3 dimensions, and 1 or 2 can be read"),
    item_array("array without columns", np.zeros((4, 0)),
               "bad.npy: items are a 2-D array of at least one row and one column"),
    item_array("array without rows", np.zeros((0, 2)),
               "bad.npy: items are a 2-D array of at least one row and one column"),
    item_array("infinity in an array", np.array([[1, 2], [3, np.inf], [4, 5], [6, 7]]),
               f'bad.npy: row 1, column 1: an infinite value in column "x1"; {FINITE}'),
]

NAMING_COLUMNS = [
    items("--id is no column", ITEMS, f'bad.csv:1:1: there is no column "name"; {COLUMNS}', "--id name"),
    items("--ignore is no column", ITEMS, f'bad.csv:1:1: there is no column "c"; {COLUMNS}', "--ignore a,c"),
    items("--categories is no column", ITEMS, f'bad.csv:1:1: there is no column "c"; {COLUMNS}', "--categories c"),
    items("--item-weights is no column", ITEMS, f'bad.csv:1:1: there is no column "c"; {COLUMNS}', "--item-weights c"),
    item_array("--ignore is no column of an array", np.zeros((4, 2)),
               'bad.npy: there is no column "2"; there is "x0", "x1"', "--ignore 2"),
    items("item weight 0", "id,a,b\nu,1,5\nv,2,0\n",
          "bad.csv:3:5: an item weight must be a number > 0", "--item-weights b"),
    items("item weight below 0", "id,a,b\nu,1,5\nv,2,-6\n",
          "bad.csv:3:5: an item weight must be a number > 0", "--item-weights b"),
    items("item weight missing", "id,a,b\nu,1,5\nv,2,\n",
          "bad.csv:3:5: an item weight must be a number > 0", "--item-weights b"),
    items("item weight is text", "id,a,b\nu,1,5\nv,2,six\n",
          'bad.csv:3:5: "six" is no number, and column "b" must hold numbers', "--item-weights b"),
]

READING_DISTANCES = [
    cannot("distances are not there", "fit items.csv --distances nowhere -o out", f"nowhere: {NOT_THERE}"),
    cannot("distances are a folder", "fit items.csv --distances . -o out", f".: {A_FOLDER}"),
    matrix("empty distances", "", f"bad.csv:1:1: the file is empty; {NEED}"),
    matrix("matrix of 3 x 3", csv_of(Z[:3, :3]), f"bad.csv:1:1: the first line has 3 cells; {NEED}"),
    matrix("matrix of 3 x 4", csv_of(Z[:3]), f"bad.csv:4:1: only 3 of 4 lines; {NEED}"),
    matrix("matrix of 5 x 4", csv_of(Z) + "0,0,0,0\n", f"bad.csv:5:1: more than 4 lines; {NEED}"),
    matrix("short line", "0,1,3,7\n1,0,2\n", f"bad.csv:2:5: a line of only 3 cells; {NEED}"),
    matrix("long line", "0,1,3,7\n1,0,2,6,5\n", f"bad.csv:2:7: a line of more than 4 cells; {NEED}"),
    matrix("condensed line of 7", "1,3,7,2,6,4,4\n", f"bad.csv:1:1: the first line has 7 cells; {NEED}"),
    matrix("condensed column of 5", "1\n3\n7\n2\n6\n", f"bad.csv:6:1: only 5 of 6 lines; {NEED}"),
    matrix("condensed column of 7", "1\n3\n7\n2\n6\n4\n4\n", f"bad.csv:7:1: more than 6 lines; {NEED}"),
    matrix("gap on one side only", "0,1,3,7\n1,0,2,NaN\n3,2,0,4\n7,6,4,0\n",
           f"bad.csv:4:3: z[3][1] = 6 but z[1][3] is missing: {ONE_SIDED}"),
    matrix("empty on one side only", "0,1,3,\n,0,2,6\n3,2,0,4\n7,6,4,0\n",
           f"bad.csv:2:1: z[1][0] is missing but z[0][1] = 1: {ONE_SIDED}"),
    matrix("gap on one side only, with ids", WITH_IDS.replace("w,3", "w,NA"),
           f"bad.csv:4:3: z[w][u] is missing but z[u][w] = 3: {ONE_SIDED}"),
    matrix("similarity on one side only", csv_of(changed(1, 3, np.nan)),
           f"bad.csv:4:3: q[3][1] = 6 but q[1][3] is missing: {ONE_SIDED.replace('distance', 'similarity')}",
           "--similarities"),
    matrix("infinite distance", csv_of(changed(0, 2, np.inf)),
           "bad.csv:1:5: an infinite distance; it must be finite"),
    matrix("distance beyond float32", csv_of(changed(1, 3, 1e39)),
           "bad.csv:2:7: 1e+39 is too large a distance for float32, which ends at 3.4e38"),
    matrix("text for a distance", "0,1,3,7\n1,0,two,6\n", 'bad.csv:2:5: "two" is no number'),
    matrix("NUL byte in a matrix", "0,1,3,7\n1,0,\0,6\n", f"bad.csv:2:5: {NUL}"),
    matrix("quote never closed in a matrix", '0,1,3,7\n1,0,"2,6\n',
           "bad.csv:2:5: a quote that opens here is never closed"),
    matrix("asymmetric", csv_of(changed(2, 0, 5)),
           f"bad.csv:3:1: z[2][0] = 5 but z[0][2] = 3: {SYMMETRIC}"),
    matrix("asymmetric with ids", WITH_IDS.replace("w,3", "w,5"),
           f"bad.csv:4:3: z[w][u] = 5 but z[u][w] = 3: {SYMMETRIC}"),
    matrix("asymmetric with ids in another order", ",v,u,x,w\nw,2,5,4,0\nu,1,0,7,3\nv,0,1,6,2\nx,6,7,0,4\n",
           f"bad.csv:2:5: z[w][u] = 5 but z[u][w] = 3: {SYMMETRIC}"),
    matrix("id of no item", WITH_IDS.replace("w,3", "y,3"), 'bad.csv:4:1: no item has the id "y"'),
    matrix("id of no item in the first line", WITH_IDS.replace(",x\n", ",y\n"), 'bad.csv:1:8: no item has the id "y"'),
    matrix("id twice in a matrix", WITH_IDS.replace("w,3", "v,3"),
           'bad.csv:4:1: the id "v" for the second time; each item comes once'),
    matrix("id twice in the first line", WITH_IDS.replace(",x\n", ",u\n"),
           'bad.csv:1:8: the id "u" for the second time; each item comes once'),
    matrix("id without a line", WITH_IDS[: WITH_IDS.index("x,7")],
           f"bad.csv:5:1: only 4 of 5 lines; {NEED}"),
    use("ids for items that have none", "fit bad.csv --distances ids.csv -o out",
        'ids.csv:1:2: no item has the id "u"', {"bad.csv": NO_IDS, "ids.csv": WITH_IDS}),
]

READING_ARRAYS = [
    matrix_array("no magic", b"NUMPY\x93" + NPY[6:], "does not start as a .npy file does (numpy.save writes one)"),
    matrix_array("empty array file", b"", "does not start as a .npy file does (numpy.save writes one)"),
    matrix_array("array cut short in its header", NPY[:60], "ends within the header of a .npy file"),
    matrix_array("array cut short", NPY[:-1], "has 127 bytes of numbers, and its header (4 x 4) needs 128"),
    matrix_array("array too long", NPY + b"\0", "has 129 bytes of numbers, and its header (4 x 4) needs 128"),
    matrix_array("array version 9", NPY[:6] + b"\x09" + NPY[7:], "is a .npy file of version 9.0, and 1 to 3 can be read"),
    matrix_array("complex numbers", Z.astype(complex), f"holds numbers of type '<c16', and {TYPES}"),
    matrix_array("half floats", Z.astype(np.float16), f"holds numbers of type '<f2', and {TYPES}"),
    matrix_array("text in an array", Z.astype(str), f"holds numbers of type '<U32', and {TYPES}"),
    matrix_array("objects", with_npy_header(b"<f8", b"|O"), f"holds numbers of type '|O', and {TYPES}"),
    matrix_array("records", np.zeros(6, dtype=[("z", "f8")]), "holds records, and an array of plain numbers is needed"),
    matrix_array("three dimensions", np.zeros((2, 2, 4)), "has 3 dimensions, and 1 or 2 can be read"),
    matrix_array("no dimension", np.float64(3), "has 0 dimensions, and 1 or 2 can be read"),
    matrix_array("shape below 0", with_npy_header(b"(4, 4)", b"(-4, 4)"), "has a header that is none of a .npy file"),
    matrix_array("shape beyond the file", with_npy_header(b"(4, 4)", b"(400000000, 4)"),
                 "has 128 bytes of numbers, and its header (400000000 x 4) needs 12800000000"),
    matrix_array("shape beyond 64 bits", with_npy_header(b"(4, 4)", b"(9999999999, 9999999999)"),
                 "has a header that asks for more numbers than any file can hold"),
    matrix_array("array of 5 x 5", np.zeros((5, 5)), f"has 5 x 5 numbers; {NEED_NPY}"),
    matrix_array("array of 4 x 3", np.zeros((4, 3)), f"has 4 x 3 numbers; {NEED_NPY}"),
    matrix_array("condensed array of 5", np.zeros(5), f"has 5 x 1 numbers; {NEED_NPY}"),
    matrix_array("asymmetric array", changed(2, 0, 5),
                 f"row 2, column 0: z[2][0] = 5 but z[0][2] = 3: {SYMMETRIC}"),
    matrix_array("gap on one side only in an array", changed(1, 3, np.nan),
                 f"row 3, column 1: z[3][1] = 6 but z[1][3] is missing: {ONE_SIDED}"),
    matrix_array("infinite distance in an array", changed(0, 2, np.inf),
                 "row 0, column 2: an infinite distance; it must be finite"),
]

READING_WORDS = [
    use("unknown command", "learn items.csv", "there is no command 'learn'; see 'smerf --help'"),
    option("unknown option", "--forest 5", "unknown option '--forest'; see 'smerf fit --help'"),
    option("unknown short option", "-x", "unknown option '-x'; see 'smerf fit --help'"),
    option("option twice", "--trees 5 --trees=6", "--trees is given twice"),
    option("output twice", "-o out", "-o is given twice"),
    option("value for an option that takes none", "--quiet=yes", "--quiet takes no value"),
    option("word too many", "more.csv", "'more.csv' is one word too many; usage: smerf fit ITEMS TARGET -o MODEL [OPTIONS]"),
    use("word too few", "info", "info: too few words; usage: smerf info MODEL [--json]"),
    use("no items", "fit --distances z.csv -o out",
        "fit: too few words; usage: smerf fit ITEMS TARGET -o MODEL [OPTIONS]"),
    use("no output", "fit items.csv --distances z.csv", "fit: -o MODEL is missing: where shall the model go?"),
    use("no target", "fit items.csv -o out", f"fit: {NO_TARGET}"),
    option("two targets", "--similarities z.csv",
           "--distances and --similarities exclude each other: give exactly one target"),
    option("--similarity-max without similarities", "--similarity-max 2",
           "--similarity-max goes with --similarities, --pairs or --edges"),
    use("--similarity-max is text", "fit items.csv --similarities z.csv --similarity-max much -o out",
        "fit: --similarity-max 'much' is not a number"),
    option("--symmetrize unknown", "--symmetrize median", "--symmetrize 'median' is not known; it is mean"),
    option("--method unknown", "--method guess", "--method 'guess' is not known; it is smerf, euclidean, mahalanobis, bilinear, rfd, plugin, epm, narm, mean, standardized, gower or boost"),
    option("--trees 0", "--trees 0", "--trees '0' grows no tree"),
    option("--trees 5:5", "--trees 5:5", "--trees '5:5' grows no tree"),
    option("--trees a:b", "--trees a:b", "--trees 'a:b' is neither a number B nor a range A:B"),
    option("--trees 1.5", "--trees 1.5", "--trees '1.5' is neither a number B nor a range A:B"),
    option("--trees 2^32", "--trees 4294967296", "--trees '4294967296': numbers must stay below 2^32"),
    option("--candidates 0", "--candidates 0",
           "--candidates '0' is not a number > 0, 'all', 'auto', 'paper' or a power such as p^0.5"),
    option("--candidates p^", "--candidates p^",
           "--candidates 'p^' is not a number > 0, 'all', 'auto', 'paper' or a power such as p^0.5"),
    use("too many candidates", f"{FIT} --candidates 1000000000 --splits oblique",
        "fit: --candidates: 1e+09 directions of 2 features are too many"),
    option("--splits unknown", "--splits curved", "--splits 'curved' is not known; it is axis or oblique"),
    use("--density with axis splits", f"{FIT} --density 0.5", "fit: --density: only oblique splits have one"),
    option("--density 1.5", "--density 1.5 --splits oblique", "--density 1.5 is not in (0, 1]"),
    option("--density is text", "--density thin --splits oblique", "--density 'thin' is not a number"),
    use("--density leaves nothing", f"{FIT} --density 0.01 --splits oblique",
        "fit: --density: 0.01 leaves no non-zeros in 2 projections of 2 features; take a larger one"),
    option("--min-parent 1", "--min-parent 1", "--min-parent 1 is below 2"),
    option("--max-depth is text", "--max-depth deep", "--max-depth 'deep' is not a whole number"),
    option("--sample subsample:0", "--sample subsample:0",
           "--sample 'subsample:0' is not bootstrap, none, or subsample:F with 0 < F <= 1"),
    option("--sample subsample:1.5", "--sample subsample:1.5",
           "--sample 'subsample:1.5' is not bootstrap, none, or subsample:F with 0 < F <= 1"),
    option("--oob-rule unknown", "--oob-rule neither", "--oob-rule 'neither' is not known; it is both or either"),
    option("--self-distance nonsense", "--self-distance nonsense",
           "--self-distance 'nonsense' is not auto, given, exclude, or a number"),
    option("--seed -1", "--seed -1", "--seed '-1' is not a whole number in 0 ... 2^63 - 1"),
    option("--seed 2^63", "--seed 9223372036854775808",
           "--seed '9223372036854775808' is not a whole number in 0 ... 2^63 - 1"),
    option("--threads 0", "--threads 0", "--threads 0 is below 1"),
    option("--threads is text", "--threads two", "--threads 'two' is not a whole number"),
    option("--kernels unknown", "--kernels fast", "--kernels 'fast' is not known; it is auto or plain"),
]

WRITING = [
    cannot("output in no folder", "fit items.csv --distances z.csv -o nowhere/out",
           "nowhere/out: cannot be written: No such file or directory"),
    cannot("output is a folder", "fit items.csv --distances z.csv -o .", ".: cannot be written: Is a directory"),
    cannot("output under a file", "fit items.csv --distances z.csv -o z.csv/out",
           "z.csv/out: cannot be written: Not a directory"),
    cannot("full disk: fit", "fit items.csv --distances z.csv -o /dev/full", FULL),
    cannot("full disk: tune", "tune items.csv --distances z.csv --trees 20 -o /dev/full", FULL),
    cannot("full disk: predict", "predict model items.csv -o /dev/full", FULL),
    cannot("full disk: pairs", "predict model items.csv --pairs pairs.csv -o /dev/full", FULL,
           {"pairs.csv": "i,j\nu,v\n"}),
    cannot("full disk: importance", "importance model -o /dev/full", FULL),
    cannot("full disk: export", "export model -o /dev/full", FULL),
    cannot("full disk: merge", "merge model next -o /dev/full", FULL),
    cannot("predict in no folder", "predict model items.csv -o nowhere/out.npy",
           "nowhere/out.npy: cannot be written: No such file or directory"),
    cannot("simulate in no folder", "simulate radial -n 3 -o nowhere/new",
           "nowhere/new: cannot be made: No such file or directory"),
]

NEIGHBORS = [
    use("neighbours of nobody", "neighbors model -k 1 -o out", "neighbors: among which items to look is said once: smerf neighbors MODEL ITEMS (or --items, or --index)"),
    use("neighbours without a number", "neighbors model --items items.csv -o out",
        "neighbors: how many neighbours, or how far? Give -k K, --radius R, or both"),
    use("no neighbours", "neighbors model --items items.csv -k 0 -o out", "neighbors: -k 0 is below 1"),
    use("-k is text", "neighbors model --items items.csv -k two -o out", "neighbors: -k 'two' is not a whole number"),
    use("-k is negative", "neighbors model --items items.csv -k -1 -o out",
        "neighbors: -k '-1' is not a whole number"),
    use("--radius is text", "neighbors model --items items.csv --radius far -o out",
        "neighbors: --radius 'far' is not a number"),
    use("--radius is nothing", "neighbors model --items items.csv --radius NaN -o out",
        "neighbors: --radius 'NaN' is not a number"),
    use("queries as a word", "neighbors model items.csv items.csv -k 1 -o out",
        "neighbors: 'items.csv' is one word too many; usage: smerf neighbors MODEL ITEMS|--index FILE [--queries ITEMS2] -k K "
        "[--radius R] [--oob] [--vote COLUMN] [--graph FILE [--symmetric]] [-o FILE]"),
    use("one file for both", "neighbors model --items items.csv -k 1 --graph out -o out",
        "neighbors: --graph and -o are the same file"),
    use("items and queries from standard input", "neighbors model --items - --queries - -k 1 -o out",
        "neighbors: standard input can be read only once"),
    use("feature missing in queries", "neighbors model --items items.csv --queries bad.csv -k 1 -o out",
        'bad.csv:1:1: there is no column "b"; there is "id", "a"', {"bad.csv": "id,a\nu,1\n"}),
    use("out of bag for queries", "neighbors model --items items.csv --queries items.csv -k 1 --oob -o out",
        "neighbors: --oob and --queries exclude each other: out of bag is about training items"),
    use("a rule without out of bag", "neighbors model --items items.csv -k 1 --oob-rule both -o out",
        "neighbors: --oob-rule goes with --oob"),
    use("no such rule for neighbours", "neighbors model --items items.csv -k 1 --oob --oob-rule some -o out",
        "neighbors: --oob-rule 'some' is not known; it is both or either"),
    use("symmetric without a graph", "neighbors model --items items.csv -k 1 --symmetric -o out",
        "neighbors: --symmetric goes with --graph"),
    use("a symmetric graph of two sets", "neighbors model --items items.csv --queries items.csv -k 1 --symmetric --graph out",
        "neighbors: --symmetric and --queries exclude each other: a graph of two sets has two sides"),
    use("votes and a graph", "neighbors model --items all.csv -k 1 --vote c --graph out",
        "neighbors: --vote writes votes, and --graph the neighbours: give one of them"),
    use("categories without votes", "neighbors model --items all.csv -k 1 --categories c -o out",
        "neighbors: --categories goes with --vote"),
    use("votes on one column, categories in another", "neighbors model --items all.csv -k 1 --vote y --categories c -o out",
        "neighbors: --categories is about the column that is voted on, 'y'"),
    use("votes on classes of a feature", "neighbors model --items all.csv -k 1 --vote a --categories a -o out",
        "neighbors: 'a' is a feature of the model, which knows what it is: leave --categories out"),
    use("votes on nothing", "neighbors model --items items.csv -k 1 --vote c -o out",
        'items.csv:1:1: there is no column "c"; there is "id", "a", "b"'),
    use("votes on the id", "neighbors model --items items.csv --id id -k 1 --vote id -o out",
        'items.csv:1:1: column "id" is named as the target and as the id; it can be one thing only'),
    use("a missing label", "neighbors model --items bad.csv -k 1 --vote c -o out",
        "bad.csv:3:7: a missing label; every item needs one", {"bad.csv": "id,a,b,c\nu,1,5,red\nv,2,6,\n"}),
    use("the first label is missing", "neighbors model --items bad.csv -k 1 --vote c -o out",
        "bad.csv:2:7: a missing label or number; every item needs one", {"bad.csv": "id,a,b,c\nu,1,5,NA\nv,2,6,1\n"}),
    use("a missing number to vote on", "neighbors model --items bad.csv -k 1 --vote c -o out",
        "bad.csv:3:7: a missing response; every item needs one", {"bad.csv": "id,a,b,c\nu,1,5,3\nv,2,6,NaN\n"}),
    use("a missing feature to vote on", "neighbors model --items bad.csv -k 1 --vote b -o out",
        "bad.csv:3:5: a missing value; every item needs one to be voted on", {"bad.csv": "id,a,b\nu,1,5\nv,2,NA\n"}),
    use("votes on numbers and text", "neighbors model --items bad.csv -k 1 --vote c -o out",
        'bad.csv:3:7: "red" is no number, and column "c" holds numbers above (--categories takes all of it as text)',
        {"bad.csv": "id,a,b,c\nu,1,5,3\nv,2,6,red\n"}),
    use("votes on text and numbers", "neighbors model --items bad.csv -k 1 --vote c -o out",
        'bad.csv:3:7: "3" is a number, and column "c" holds text above (--categories takes all of it as text)',
        {"bad.csv": "id,a,b,c\nu,1,5,red\nv,2,6,3\n"}),
    use("queries with words for numbers", "neighbors model --items all.csv --queries bad.csv -k 1 --vote y -o out",
        'bad.csv:2:7: "red" is no number, and column "y" must hold numbers', {"bad.csv": "id,a,b,y\nu,1,5,red\n"}),
    use("strangers out of bag", "neighbors model --items bad.csv -k 1 --oob -o out",
        "item 'v' is not one of the model's training items; out of bag is about those",
        {"bad.csv": "id,a,b\nu,1,5\nv,3,6\n"}),
    cannot("full disk: votes", "neighbors model --items all.csv -k 1 --vote c -o /dev/full", FULL),
    cannot("catalogue is not there", "neighbors model --items nowhere.csv -k 1 -o out", f"nowhere.csv: {NOT_THERE}"),
    cannot("queries are not there", "neighbors model --items items.csv --queries nowhere.csv -k 1 -o out",
           f"nowhere.csv: {NOT_THERE}"),
    cannot("model to search with is not there", "neighbors nowhere --items items.csv -k 1 -o out",
           f"nowhere: {NOT_THERE}"),
    cannot("graph in no folder", "neighbors model --items items.csv -k 1 --graph nowhere/near.mtx -o out",
           "nowhere/near.mtx: cannot be written: No such file or directory"),
    cannot("full disk: neighbours", "neighbors model --items items.csv -k 1 -o /dev/full", FULL),
    cannot("full disk: graph", "neighbors model --items items.csv -k 1 --graph /dev/full", FULL),
]

EMBEDDING = [
    use("a map without items", "embed model -o out",
        "embed: too few words; usage: smerf embed MODEL ITEMS [--dim D] [--landmarks N] [--oob] [-o FILE], or embed MODEL ITEMS "
        "--vectors [--queries] -o FILE.npy"),
    use("a map of no dimension", "embed model items.csv --dim 0 -o out", "embed: --dim 0 is below 1"),
    use("no landmark", "embed model items.csv --landmarks 0 -o out", "embed: --landmarks 0 is below 1"),
    use("--dim is text", "embed model items.csv --dim two -o out", "embed: --dim 'two' is not a whole number"),
    use("vectors of two dimensions", "embed labels all.csv --vectors --dim 2 -o out.npy",
        "embed: --dim is about maps, and --vectors are none"),
    use("vectors as JSON", "embed labels all.csv --vectors --json -o out.npy",
        "embed: --json is about maps, and --vectors are none"),
    use("vectors out of bag", "embed labels all.csv --vectors --oob -o out.npy",
        "embed: --oob is about maps, and --vectors are none"),
    use("a rule for a map in the bag", "embed model items.csv --oob-rule both -o out", "embed: --oob-rule goes with --oob"),
    use("a map out of no bag", "embed nobag items.csv --oob -o out", NOTHING_OUT),
    use("a map of queries", "embed labels all.csv --queries -o out.npy", "embed: --queries goes with --vectors"),
    use("two results to one place", "embed model items.csv --json -o -",
        "embed: --json and the coordinates cannot both go to standard output"),
    use("vectors of distances", "embed model items.csv --vectors -o out.npy",
        "vectors are there for labels, responses, products, and distances of a low --rank; the target of this model is "
        "'distances'"),
    use("vectors of a graph", "embed graph items.csv --vectors -o out.npy",
        "vectors are there for labels, responses, products, and distances of a low --rank; the target of this model is "
        "'graph'"),
    use("a map of items without a feature", "embed model bad.csv -o out",
        'bad.csv:1:1: there is no column "b"; there is "id", "a"', {"bad.csv": "id,a\nu,1\n"}),
    cannot("a map of nothing", "embed model nowhere.csv -o out", f"nowhere.csv: {NOT_THERE}"),
    cannot("a map in no folder", "embed model items.csv -o nowhere/out",
           "nowhere/out: cannot be written: No such file or directory"),
    cannot("full disk: map", "embed model items.csv -o /dev/full", FULL),
    cannot("full disk: vectors", "embed labels all.csv --vectors -o /dev/full", FULL),
]

PREDICTING = [
    use("feature missing", "predict model bad.csv -o out", 'bad.csv:1:1: there is no column "b"; there is "id", "a"',
        {"bad.csv": "id,a\nu,1\n"}),
    use("category where numbers were", "predict model kinds.csv -o out",
        'kinds.csv:2:5: "red" is no number, and column "b" must hold numbers'),
    cannot("model to predict with is not there", "predict nowhere items.csv -o out", f"nowhere: {NOT_THERE}"),
    cannot("items to predict are not there", "predict model nowhere.csv -o out", f"nowhere.csv: {NOT_THERE}"),
    cannot("second items are not there", "predict model items.csv --against nowhere.csv -o out",
           f"nowhere.csv: {NOT_THERE}"),
    use("feature missing in the second items", "predict model items.csv --against bad.csv -o out",
        'bad.csv:1:1: there is no column "b"; there is "id", "a"', {"bad.csv": "id,a\nu,1\n"}),
    use("--oob with changed items", "predict model moved.csv --oob -o out", f"item 'w' {NOT_TRAINED_ON}"),
    use("--oob with foreign items", "predict model bad.csv --oob -o out", f"item 'y' {NOT_TRAINED_ON}",
        {"bad.csv": ITEMS.replace("x", "y")}),
    use("--oob with changed items without ids", "predict model bad.csv --oob -o out",
        "row 2 is not the model's training item 2; out of bag is about those", {"bad.csv": NO_IDS.replace("9", "9.5")}),
    use("--oob of a model without bags", "predict nobag items.csv --oob -o out", NOTHING_OUT),
    use("--oob and --against", "predict model items.csv --oob --against items.csv -o out", f"predict: {EXCLUDE}"),
    use("--oob-rule without --oob", "predict model items.csv --oob-rule both -o out",
        "predict: --oob-rule goes with --oob"),
    use("--spread without --pairs", "predict model items.csv --spread -o out", "predict: --spread goes with --pairs"),
    use("pairs as an array", "predict model items.csv --pairs pairs.csv -o out.npy",
        "predict: -o 'out.npy': .npy files are not written here; the name may end in .csv (a table in CSV)", {"pairs.csv": "i,j\nu,v\n"}),
]

EVALUATING = [
    use("nothing to evaluate against", "evaluate model items.csv",
        f"evaluate: {NO_TARGET}"),
    use("target of 3 x 3", "evaluate model items.csv --distances bad.csv",
        f"bad.csv:1:1: the first line has 3 cells; {NEED}", {"bad.csv": csv_of(Z[:3, :3])}),
    use("target array of 3 x 3", "evaluate model items.csv --distances bad.npy",
        f"bad.npy: has 3 x 3 numbers; {NEED_NPY}", {"bad.npy": npy_of(Z[:3, :3])}),
    use("block of the wrong size", "evaluate model items.csv --against items.csv --distances bad.npy",
        "bad.npy: has 3 x 4 numbers; 4 x 4 items need 4 x 4 numbers", {"bad.npy": npy_of(Z[:3])}),
    use("unknown metric", "evaluate model items.csv --distances z.csv --metrics rmse,mae",
        f"evaluate: --metrics 'mae' is not one of {METRICS}, auc-pr, rmse-of-the-mean, variance-explained, recall@k, ndcg@k "
        "(one k for both), mantel-pearson, mantel-pearson-p, mantel-spearman, mantel-spearman-p, accuracy, log-loss, r2, "
        "ceiling-rmse, ceiling-spearman"),
    use("two ks", "evaluate model items.csv --distances z.csv --metrics recall@3,ndcg@4",
        f"evaluate: --metrics 'ndcg@4' is not one of {METRICS}, auc-pr, rmse-of-the-mean, variance-explained, recall@k, ndcg@k "
        "(one k for both), mantel-pearson, mantel-pearson-p, mantel-spearman, mantel-spearman-p, accuracy, log-loss, r2, "
        "ceiling-rmse, ceiling-spearman"),
    use("accuracy of distances", "evaluate model items.csv --distances z.csv --metrics accuracy",
        "evaluate: --metrics: accuracy, log-loss and r2 need a forest fitted on labels or a response, and those of ITEMS"),
    use("a table of labels of distances", "evaluate model items.csv --distances z.csv --confusion out",
        "evaluate: --confusion needs a forest fitted on labels, and those of ITEMS"),
    use("a p-value without permutations", "evaluate model items.csv --distances z.csv --metrics mantel-pearson-p",
        "evaluate: --metrics: a p-value needs --permutations N, such as 999"),
    use("permutations between two sets", "evaluate model items.csv --against items.csv --distances z.csv --permutations 9",
        "evaluate: --permutations and --against exclude each other: Mantel's test is about one set of items"),
    use("no permutation", "evaluate model items.csv --distances z.csv --permutations 0",
        "evaluate: --permutations 0 is below 1"),
    use("map@10 of few partners", "evaluate model items.csv --distances z.csv --metrics map@10",
        "evaluate: --metrics map@10: items have 3 partners on average, and the ten nearest count as relevant, so that any order "
        "has about 1; take recall@k with a small k"),
    use("auc-roc on distances", "evaluate model items.csv --distances z.csv --metrics auc-roc", NO_LINKS),
    use("evaluate --oob and --against", "evaluate model items.csv --oob --against items.csv --distances z.csv",
        f"evaluate: {EXCLUDE}"),
    use("evaluate --oob-rule without --oob", "evaluate model items.csv --oob-rule both --distances z.csv",
        "evaluate: --oob-rule goes with --oob"),
    use("evaluate --oob of a model without bags", "evaluate nobag items.csv --oob", NOTHING_OUT),
    use("evaluate --oob with changed items", "evaluate model moved.csv --oob", f"item 'w' {NOT_TRAINED_ON}"),
    use("--symmetrize between two sets", "evaluate model items.csv --against items.csv --distances z.csv --symmetrize mean",
        "evaluate: --symmetrize makes no sense for two sets of items"),
    use("--symmetrize without a matrix", "evaluate model items.csv --oob --symmetrize mean",
        "evaluate: --symmetrize goes with a matrix"),
]

INSPECTING = [
    use("items without --permutation", "importance model items.csv -o out",
        "importance: items and a target go with --permutation"),
    use("--permutation without items", "importance model --permutation -o out",
        "importance: --permutation needs the training items: smerf importance MODEL [ITEMS [TARGET] --permutation "
        "[--interactions N]]"),
    use("--interactions without --permutation", "importance model --interactions 2 -o out",
        "importance: --interactions goes with --permutation"),
    use("interactions of one feature", "importance model items.csv --permutation --interactions 1 -o out",
        "importance: --interactions 1 is below 2"),
    use("interactions of too many", "importance model items.csv --permutation --interactions 3 -o out",
        "importance: --interactions 3: the model has 2 features"),
    use("--permutation of a model without bags", "importance nobag items.csv --permutation -o out", NOTHING_OUT),
    use("--permutation with changed items", "importance model moved.csv --permutation -o out",
        f"item 'w' {NOT_TRAINED_ON}"),
    use("--permutation with a target of the wrong size",
        "importance model items.csv --permutation --distances bad.csv -o out",
        f"bad.csv:1:1: the first line has 3 cells; {NEED}", {"bad.csv": csv_of(Z[:3, :3])}),
    use("unknown format", "export model --format yaml -o out", "export: --format 'yaml' is not known; it is json"),
]

MERGING = [
    use("parts that overlap", "merge model overlap -o out",
        "the trees overlap: a part ends before tree 4 and the next one starts with tree 2"),
    use("parts that leave a gap", "merge gap model -o out",
        "the trees leave a gap: a part ends before tree 4 and the next one starts with tree 5"),
    use("part twice", "merge model model -o out",
        "the trees overlap: a part ends before tree 4 and the next one starts with tree 0"),
    use("parts of another seed", "merge model seed2 -o out",
        f"these are not parts of one forest: they differ in seed; {ONE_FOREST}"),
    use("parts of other options", "merge model deep1 -o out",
        f"these are not parts of one forest: they differ in max-depth; {ONE_FOREST}"),
    use("parts of other items", "merge model moved -o out",
        f"these are not parts of one forest: they differ in items; {ONE_FOREST}"),
    use("parts of another target", "merge model twice -o out",
        f"these are not parts of one forest: they differ in target; {ONE_FOREST}"),
    use("merge without output", "merge model next", "merge: -o MODEL is missing: where shall the joined model go?"),
    use("nothing to merge", "merge -o out", "merge: too few words; usage: smerf merge MODEL... -o MODEL"),
    cannot("part that is not there", "merge model nowhere -o out", f"nowhere: {NOT_THERE}"),
    use("damaged part", "merge model bad -o out", f"bad: {DAMAGED}", {"bad": lambda good: good[:-1]}),
]

TUNING = [
    use("tune by an unknown metric", "tune items.csv --distances z.csv --metric mae -o out",
        f"tune: --metric 'mae' is not known; it is {METRICS} or auc-pr"),
    use("tune by auc-roc on distances", "tune items.csv --distances z.csv --metric auc-roc --trees 4 -o out", NO_LINKS),
    use("tune without output", "tune items.csv --distances z.csv",
        "tune: -o MODEL is missing: where shall the best model go?"),
    use("tune with too few trees", "tune items.csv --distances z.csv --metric spearman --trees 1 -o out",
        "no setting has a score by spearman: too few pairs are out of bag (grow more trees), or all distances are equal"),
    use("tune --density with axis splits", "tune items.csv --distances z.csv --density 0.5 --splits axis -o out",
        "tune: --density: only oblique splits have one"),
]

SIMULATING = [
    use("unknown simulation", "simulate spiral -n 3 -o new",
        "simulate: 'spiral' is not known; it is regression, bilinear or radial"),
    use("simulate without -n", "simulate radial -o new", "simulate: -n N is missing: how many items?"),
    use("simulate -n 0", "simulate radial -n 0 -o new", "simulate: -n 0 is below 1"),
    use("simulate without output", "simulate radial -n 3", "simulate: -o DIR is missing: where shall the files go?"),
    use("simulate --seed 2^63", "simulate radial -n 3 --seed 9223372036854775808 -o new",
        "simulate: --seed '9223372036854775808' is not in 0 ... 2^63 - 1"),
]

# ---- lines that were once unclear, or not there at all ----

UTF8 = "a byte that is not UTF-8, and CSV is text (in UTF-8)"

ONCE_UNCLEAR = [
    items("column name in Latin-1", "id,größe\nu,1\nv,2\nw,4\nx,8\n".encode("latin-1"), f"bad.csv:1:6: {UTF8}"),
    items("category in Latin-1", "id,a\nu,rot\nv,grün\nw,rot\nx,rot\n".encode("latin-1"), f"bad.csv:3:5: {UTF8}"),
    use("fewer items than distances", "fit bad.csv --distances z.csv -o out",
        'z.csv:1:3: no item has the id "1"; '
        "3 items need 3 x 3 numbers, or 4 x 4 cells with ids, or 3 numbers in one line or column",
        {"bad.csv": "id,a\nu,1\nv,2\nw,4\n"}),
    matrix("matrix of 5 x 5", csv_of(np.ones((5, 5))), f'bad.csv:1:3: no item has the id "1"; {NEED}'),
    matrix("condensed line of 5", "1,3,7,2,6\n", f'bad.csv:1:3: no item has the id "3"; {NEED}'),
    items("one item with the distances of four", "id,a\nu,1\n", "bad.csv: there is one item; a distance needs at least two"),
    items("infinite item weight", "id,a,b\nu,1,5\nv,2,inf\n",
          "bad.csv:3:5: an item weight must be a number > 0", "--item-weights b"),
    option("column as id and weight", "--id a --item-weights a", "column 'a' is in both --id and --item-weights"),
    option("column as category and weight", "--categories a --item-weights a",
           "column 'a' is in both --categories and --item-weights"),
    option("column as category and ignored", "--categories a --ignore a",
           "column 'a' is in both --categories and --ignore"),
    matrix("asymmetric similarities", csv_of(changed(2, 0, 5)),
           "bad.csv:3:1: q[2][0] = 5 but q[0][2] = 3: a similarity is symmetric (--symmetrize mean averages the two)",
           "--similarities"),
    use("no command", "", "there is no command; see 'smerf --help'"),
    option("option without value", "--trees", "--trees wants a value: --trees B"),
    use("option for a value", "fit items.csv --distances -o out", "fit: --distances wants a value: --distances FILE"),
    use("candidates beyond counting", f"{FIT} --candidates p^1000 --splits oblique",
        "fit: --candidates: 1.07151e+301 directions of 2 features are too many"),
    option("--min-parent beyond 64 bits", "--min-parent 99999999999999999999",
           "--min-parent '99999999999999999999' is too large"),
    use("empty output name", "fit items.csv --distances z.csv -o ''", "fit: -o MODEL is missing: where shall the model go?"),
    cannot("line end in a file name", "info 'no\nwhere'", f"no where: {NOT_THERE}"),
    use("predict --id is no column", "predict model items.csv --id name -o out",
        f'items.csv:1:1: there is no column "name"; {COLUMNS}'),
    use("predict --id is a feature", "predict model items.csv --id a -o out",
        "predict: --id 'a' is a feature of the model"),
    use("--similarity-max without a target", "importance model --similarity-max 3 -o out",
        "importance: --similarity-max goes with --similarities, --pairs or --edges"),
    *[use(f"--threads 0: {words}", f"{words} --threads 0", f"{words.split()[0]}: --threads 0 is below 1")
      for words in ("info model", "export model -o out", "merge model next -o out", "simulate radial -n 3 -o new")],
    use("parts of other features", "merge model not-b -o out",
        f"these are not parts of one forest: they differ in features; {ONE_FOREST}"),
    use("tune without bags", "tune items.csv --distances z.csv --sample none --trees 4 -o out",
        "tune: --sample none leaves nothing out of bag to choose by"),
    use("tune to standard output", "tune items.csv --distances z.csv --trees 20 -o -",
        "tune: -o - is taken by the table of what was tried"),
    use("standard input twice", "fit - --distances - -o out", "fit: standard input can be read only once"),
    cannot("simulate what does not fit", "simulate radial -n 1000000000 -o new",
           "the distances of 1000000000 items take 8000000000.0 GB, and FREE GB are free on the disk"),
]  # fmt: skip

CASES = [
    *READING_ITEMS, *NAMING_COLUMNS, *READING_DISTANCES, *READING_ARRAYS, *READING_WORDS, *WRITING, *NEIGHBORS, *EMBEDDING, *PREDICTING, *EVALUATING, *INSPECTING, *MERGING, *TUNING, *SIMULATING, *ONCE_UNCLEAR,
]
