"""summary.py - the ten rows at the top of docs/performance.md: common tasks, picked from the sections' results."""
import tables

# What users do; the section, work and tool of its figures; the tools it is compared with.
# A work is given by the value of the row's "work", or of its "edges".
ROWS = [
    ("forest on labels, 100,000 x 20, 100 trees, 2 threads", "forests",
     "labels, 100,000 x 20, 100 trees, 2 threads", "smerf", ["scikit-learn", "ranger"]),
    ("forest on a response, 100,000 x 20, 100 trees, 2 threads", "forests",
     "response, 100,000 x 20, 100 trees, 2 threads", "smerf", ["scikit-learn", "ranger"]),
    ("forest on labels, 1,000,000 x 20, 10 trees, 2 threads", "forests",
     "labels, 1,000,000 x 20, 10 trees, 2 threads", "smerf", ["scikit-learn", "ranger"]),
    ("oblique forest on labels, 100,000 x 20, 100 trees, 2 threads", "oblique",
     "oblique labels, 100,000 x 20, 100 trees, 2 threads", "smerf", ["treeple", "YDF, sparse oblique"]),
    ("forest on 10,000 x 10,000 distances, 500 trees (from 10)", "rank", "n = 10,000, 500 trees", "exact, from 10 trees", []),
    ("the same on 20,000 x 20,000 with `--rank 32`", "rank", "n = 20,000, 500 trees", "rank 32", ["exact, from 3 trees"]),
    ("a graph of 1,000,000 nodes and 10,000,000 edges, 2 trees, 1 thread", "graphs", 10000000, None, []),
    ("predict all pairs of 5,000 items, 500 trees, 1 thread", "all-pairs",
     "all pairs, distances, 5,000 items, 500 trees", "smerf, 1 thread", ["NumPy, from 10 trees"]),
    ("10 nearest of 1,000,000 items for 1,000 queries, 100 trees", "neighbors",
     "1,000 queries, 1,000,000 items, k = 10, 100 trees", "smerf", ["scikit-learn, counting", "treeple, counting"]),
    ("read a matrix of 3.2 GB from a .npy file on disk", "loading",
     ".npy, 3.2 GB, from disk", "smerf, 2 threads", ["numpy.load", "numpy.load, to float32"]),
]


def find(section, work, who):
    """The row of this work by this tool; None if it was not measured."""
    for row in section["rows"]:
        if work in (row.get("work"), row.get("edges")) and who == row.get("who") and not row.get("failed"):
            return row
    return None


def summary_table(sections):
    """Markdown; a row whose section was not measured is left out."""
    lines = []
    for label, name, work, who, others in ROWS:
        section = sections.get(name, {"rows": []})
        row = find(section, work, who)
        if row is None:
            continue
        beside = [(other, find(section, work, other)) for other in others]
        ratios = [f"{other}: {found['seconds'] / row['seconds']:.1f} x" for other, found in beside if found]
        lines.append([label, f"{row['seconds']:.3g}", f"{row['peak_mb']:.0f}", "; ".join(ratios)])
    return tables.table(["task", "seconds", "peak MB", "others take"], lines, [False, True, True, False])
