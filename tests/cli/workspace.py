"""A folder with four good items, their distances and a few models: what the bad cases spoil."""

import io

import numpy as np

from command import run_well

ITEMS = """\
id,a,b
u,1,5
v,2,6
w,4,9
x,8,7
"""

# The same items with columns to be a target: labels, and numbers.
ALL = """\
id,a,b,c,y
u,1,5,red,1.5
v,2,6,red,2
w,4,9,blue,4
x,8,7,green,8
"""

EDGES = "source,target,weight\nu,v,1\nv,w,0.5\nw,x,-2\n"
OBSERVED = "i,j\nu,v\nv,w\nu,x\nw,x\n"
RATED = "i,j,distance,weight\nu,v,1,2\nv,w,3,1\nu,x,2,1\nx,x,0.5,1\n"

Z = np.array([[0, 1, 3, 7], [1, 0, 2, 6], [3, 2, 0, 4], [7, 6, 4, 0]], dtype=float)

OLD = b"what was here before\n"  # an output of an earlier run


def csv_of(matrix):
    return "".join(",".join(f"{cell:g}" for cell in row) + "\n" for row in matrix)


def npy_of(array):
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


MODELS = {
    "model": "--trees 4",
    "next": "--trees 4:8",
    "overlap": "--trees 2:6",
    "gap": "--trees 5:8",
    "seed2": "--trees 4:8 --seed 2",
    "deep1": "--trees 4:8 --max-depth 1",
    "not-b": "--trees 4:8 --ignore b",
    "nobag": "--trees 4 --sample none",
}

# The target of each, and the file it needs beside the items.
OTHER_TARGETS = {
    "labels": "all.csv --labels c",
    "response": "all.csv --response y,a",
    "absolute": "all.csv --absolute y",
    "product": "all.csv --product y,a",
    "graph": "items.csv --edges edges.csv",
    "observed": "items.csv --edges edges.csv --observed observed.csv",
    "pairs": "items.csv --pairs rated.csv --complete off",
    "completed": "items.csv --pairs rated.csv --complete 1",
    "rank": "items.csv --distances z.csv --rank 2",
}


def fill(folder):
    """Makes the good files; the commands that do it must succeed."""
    (folder / "items.csv").write_text(ITEMS)
    (folder / "z.csv").write_text(csv_of(Z))
    (folder / "z.npy").write_bytes(npy_of(Z))
    (folder / "z2.csv").write_text(csv_of(2 * Z))
    (folder / "kinds.csv").write_text("id,a,b\nu,1,red\nv,2,red\nw,4,blue\nx,8,blue\n")
    (folder / "moved.csv").write_text(ITEMS.replace("9", "9.5"))
    for name, options in MODELS.items():
        run_well(f"fit items.csv --distances z.csv -o {name} {options}", folder)
    run_well("fit items.csv --distances z2.csv -o twice --trees 4:8", folder)
    run_well("fit moved.csv --distances z.csv -o moved --trees 4:8", folder)
    run_well("fit kinds.csv --distances z.csv -o kinds --trees 4", folder)
    for name, content in {"all": ALL, "edges": EDGES, "observed": OBSERVED, "rated": RATED}.items():
        (folder / f"{name}.csv").write_text(content)
    for name, words in OTHER_TARGETS.items():
        run_well(f"fit {words} -o {name} --trees 4", folder)
    (folder / "out").write_bytes(OLD)
    (folder / "out.npy").write_bytes(OLD)
