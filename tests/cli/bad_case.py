"""What a case of bad input is, how the cases of several files are made, and the lines that many of them end in.

Each case runs in a copy of the folder that workspace.py makes, with files of its own added. `out` and `out.npy` are there already, and must stay as they are.
"""

from typing import NamedTuple

COULD_NOT, WRONG = 1, 2


class Case(NamedTuple):
    name: str
    words: str  # after "smerf", as in a shell
    code: int
    line: str  # on standard error, after "smerf: "
    files: dict = {}  # name: text, bytes, a function that makes them of a good model's bytes, or (model, function)


FIT = "fit items.csv --distances z.csv -o out"


def option(name, words, line):
    """A call of fit that would be fine without these words."""
    return Case(name, f"{FIT} {words}", WRONG, f"fit: {line}")


def use(name, words, line, files={}):
    """Another wrong use."""
    return Case(name, words, WRONG, line, files)


def cannot(name, words, line, files={}):
    """What could not be done."""
    return Case(name, words, COULD_NOT, line, files)


def model(name, content, line):
    """A model that is damaged, or is none."""
    return Case(name, "info bad", WRONG, f"bad: {line}", {"bad": content})


# ---- what many cases are made of ----

WITH_IDS = ",u,v,w,x\nu,0,1,3,7\nv,1,0,2,6\nw,3,2,0,4\nx,7,6,4,0\n"
NO_IDS = "a,b\n1,5\n2,6\n4,9\n8,7\n"

# ---- parts of many lines ----

NOT_THERE = "cannot be opened: No such file or directory"
A_FOLDER = "is a folder, and a file is needed"
DAMAGED = "is damaged: the checksum does not fit the content"
NUL = "a NUL byte, and CSV is text (in UTF-8)"
RAGGED = "a row with {} cells than the header, which has {}"
NO_TARGET = ("there is no target: give one of --distances, --similarities, --pairs, --edges, --labels, --response, "
             "--absolute, --product, --triplets")  # fmt: skip
