"""Bad input: what is done wrong, and the one line that says so.

CASES hold; XFAIL lists the lines that should be printed and are not yet. Each case runs in its own copy of the folder
that workspace.py makes, with its own files added. `out` and `out.npy` are there already, and must stay as they are.
"""

from typing import NamedTuple

import numpy as np

from damage import flip, header_end, safetensors, with_entry, with_fact, without_entry
from workspace import ITEMS, Z, csv_of, npy_of

COULD_NOT, WRONG = 1, 2


class Case(NamedTuple):
    name: str
    words: str  # after "smerf", as in a shell
    code: int
    line: str  # what stands on standard error, after "smerf: "
    files: dict = {}  # name: text, bytes, or a function that makes them of the bytes of a good model


FIT = "fit items.csv --distances z.csv -o out"


def items(name, text, line, options=""):
    """Items that cannot be learned from."""
    return Case(name, f"fit bad.csv --distances z.csv -o out {options}", WRONG, line, {"bad.csv": text})


def item_array(name, array, line, options=""):
    return Case(name, f"fit bad.npy --distances z.csv -o out {options}", WRONG, line, {"bad.npy": npy_of(array)})


def matrix(name, text, line, options="--distances bad.csv"):
    """Distances in CSV that do not fit the four items."""
    return Case(name, f"fit items.csv {options} -o out", WRONG, line, {"bad.csv": text})


def array(name, data, line):
    """The same in .npy."""
    files = {"bad.npy": data if isinstance(data, bytes) else npy_of(data)}
    return Case(name, "fit items.csv --distances bad.npy -o out", WRONG, line, files)


def option(name, words, line):
    """A call of fit that would be fine without these words."""
    return Case(name, f"{FIT} {words}", WRONG, f"fit: {line}")


def use(name, words, line, files={}):
    """Another wrong use."""
    return Case(name, words, WRONG, line, files)


def cannot(name, words, line, files={}):
    """What could not be done."""
    return Case(name, words, COULD_NOT, line, files)


def model(name, damage, line):
    """A model that is damaged, or is none."""
    return Case(name, "info bad", WRONG, f"bad: {line}", {"bad": damage})


# ---- what the cases are made of ----

WITH_IDS = ",u,v,w,x\nu,0,1,3,7\nv,1,0,2,6\nw,3,2,0,4\nx,7,6,4,0\n"
NO_IDS = "a,b\n1,5\n2,6\n4,9\n8,7\n"
NPY = npy_of(Z)

NEED = "4 items need 4 x 4 numbers, or 5 x 5 cells with ids, or 6 numbers in one line or column"
NEED_NPY = "4 items need 4 x 4 numbers, or 6 numbers in one line or column"
SYMMETRIC = "a distance is symmetric (--symmetrize mean averages the two)"
AS_TEXT = "(--categories takes all of it as text)"
METRICS = "rmse, spearman, map@10, auc-roc"
NOTHING_OUT = "the model was fitted with --sample none: every tree has seen every item, nothing is out of bag"
ONE_FOREST = "merge wants the same data, options and seed"
FIT_USAGE = "usage: smerf fit ITEMS TARGET -o MODEL [OPTIONS]"
NOT_FOUND = "cannot be opened: No such file or directory"
FULL = "/dev/full: cannot be written: No space left on device"


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


# ---- the cases ----

ITEM_CASES = [
    cannot("items are not there", "fit nowhere.csv --distances z.csv -o out", f"nowhere.csv: {NOT_FOUND}"),
    cannot("items are a folder", "fit . --distances z.csv -o out", ".: is a folder, and a file is needed"),
    items("items are empty", "", "bad.csv:1:1: the file is empty: a header and a row for each item are needed"),
    items("items are blank lines", "\n\n", "bad.csv:3:1: the file is empty: a header and a row for each item are needed"),
    items("items are a header only", "id,a,b\n", "bad.csv:2:1: a header without rows; one row for each item is needed"),
    items(
        "items are a header without line end",
        "id,a,b",
        "bad.csv:1:7: a header without rows; one row for each item is needed",
    ),
    items(
        "items have no header",
        "1.5,2\n3,4\n5,6\n7,8\n",
        "bad.csv:1:1: the first line holds numbers, and a header with the names of the columns is needed",
    ),
    items("short row", "id,a,b\nu,1,5\nv,2\n", "bad.csv:3:3: a row with fewer cells than the header, which has 3"),
    items("long row", "id,a,b\nu,1,5\nv,2,6,3\n", "bad.csv:3:7: a row with more cells than the header, which has 3"),
    items("row ends with a comma", "id,a,b\nu,1,5,\n", "bad.csv:2:7: a row with more cells than the header, which has 3"),
    items(
        "text among numbers",
        "id,a,b\nu,1,5\nv,2,6\nw,four,9\n",
        f'bad.csv:4:3: "four" is no number, and column "a" holds numbers above {AS_TEXT}',
    ),
    items(
        "number among text",
        "id,a,b\nu,red,5\nv,blue,6\nw,4,9\n",
        f'bad.csv:4:3: "4" is a number, and column "a" holds text above {AS_TEXT}',
    ),
    items(
        "columns are counted in characters, not bytes",
        "id,größe,b\nü,1,5\nßöß,vier,9\n",
        f'bad.csv:3:5: "vier" is no number, and column "größe" holds numbers above {AS_TEXT}',
    ),
    items(
        "a byte order mark does not count",
        "\ufeffid,a,a\n",
        'bad.csv:1:6: a second column is called "a"; the names must be different',
    ),
    items(
        "CRLF is one line end",
        "id,a,b\r\nu,1,5\r\nv,two,6\r\n",
        f'bad.csv:3:3: "two" is no number, and column "a" holds numbers above {AS_TEXT}',
    ),
    items(
        "lines in quotes and blank lines count",
        'id,a,b\n\n"u\nu",1,5\nv,two,6\n',
        f'bad.csv:5:3: "two" is no number, and column "a" holds numbers above {AS_TEXT}',
    ),
    items(
        "infinity",
        "id,a,b\nu,1,5\nv,inf,6\n",
        'bad.csv:3:3: an infinite value in column "a"; numbers must be finite, or missing',
    ),
    items(
        "minus infinity",
        "id,a,b\nu,1,-Infinity\n",
        'bad.csv:2:5: an infinite value in column "b"; numbers must be finite, or missing',
    ),
    items(
        "number beyond double",
        "id,a,b\nu,1,1e999\n",
        'bad.csv:2:5: an infinite value in column "b"; numbers must be finite, or missing',
    ),
    items("id twice", "id,a\nu,1\nv,2\nu,3\n", 'bad.csv:4:1: a second item has the id "u"; ids must be different'),
    items("id is empty", "id,a\nu,1\n,2\n", "bad.csv:3:1: an item without an id; each needs one"),
    items("column name twice", "id,a,a\n", 'bad.csv:1:6: a second column is called "a"; the names must be different'),
    items("column name is empty", "id,,b\n", "bad.csv:1:4: a column without a name; each needs one"),
    items("quote is never closed", 'id,a\n"u,1\nv,2\n', "bad.csv:2:1: a quote that opens here is never closed"),
    items(
        "text after a quote",
        'id,a\n"u"u,1\n',
        "bad.csv:2:4: text after a closing quote (a quote inside quotes is written twice)",
    ),
    items("NUL byte", "id,a\nu,\0\n", "bad.csv:2:3: a NUL byte, and CSV is text (in UTF-8)"),
    items("NUL byte in quotes", 'id,a\n"u\0",1\n', "bad.csv:2:3: a NUL byte, and CSV is text (in UTF-8)"),
    items("UTF-16", ITEMS.encode("utf-16-le"), "bad.csv:1:2: a NUL byte, and CSV is text (in UTF-8)"),
    items(
        "only an id",
        "id\nu\nv\nw\nx\n",
        "bad.csv:1:1: no feature is left: every column is an id, a weight or ignored",
    ),
    items(
        "every feature is ignored",
        ITEMS,
        "bad.csv:1:1: no feature is left: every column is an id, a weight or ignored",
        "--ignore a,b",
    ),
    use(
        "one item",
        "fit bad.csv --distances one.csv -o out",
        "there is one item; a distance needs at least two",
        {"bad.csv": "id,a\nu,1\n", "one.csv": "0\n"},
    ),
    items("more items than distances", ITEMS + "y,1,1\n", "z.csv:1:1: the first line has 4 cells; 5 items need "
          "5 x 5 numbers, or 6 x 6 cells with ids, or 10 numbers in one line or column"),
]  # fmt: skip
