"""gather.py - all-pairs prediction in NumPy: leaf ids and, for each tree, one gather from a table of leaf distances.

    gather.py forest=FOREST.json kind=labels|distances x= y= ours=DISTANCES.f64

Leaf ids and tables are made beforehand and are not timed, in NumPy's favour. The result is compared with ours."""
import json

import numpy as np
from scipy.sparse import csr_matrix
from work import WORDS, Work

x = np.load(WORDS["x"]).astype(float)
n = len(x)


def leaves_of(nodes):
    """The leaf of every item, level by level."""
    leaf = np.array([node.get("leaf", -1) for node in nodes])
    feature = np.array([node["split"][0][0] if "split" in node else 0 for node in nodes])
    threshold = np.array([node.get("threshold", 0.0) for node in nodes])
    left = np.array([node.get("left", 0) for node in nodes])
    right = np.array([node.get("right", 0) for node in nodes])
    at = np.zeros(n, dtype=int)
    while np.any(leaf[at] < 0):
        on = np.flatnonzero(leaf[at] < 0)
        inner = at[on]
        at[on] = np.where(x[on, feature[inner]] <= threshold[inner], left[inner], right[inner])
    return leaf[at]


def shares_of(nodes):
    """Leaf by item: the share of a leaf that each draw has."""
    members = [node["members"] for node in nodes if "leaf" in node]
    rows = np.repeat(np.arange(len(members)), [len(some) for some in members])
    items, draws = np.array([pair for some in members for pair in some]).T
    total = np.bincount(rows, weights=draws)
    return csr_matrix((draws / total[rows], (rows, items)), shape=(len(members), n))


def table_of(nodes):
    shares = shares_of(nodes)
    if WORDS["kind"] == "labels":
        classes = np.load(WORDS["y"]).ravel().astype(int)
        of_class = shares @ np.eye(classes.max() + 1)[classes]
        return 1 - of_class @ of_class.T
    z = np.zeros((n, n), dtype=np.float32)
    for i in range(n):
        z[i] = np.abs(x[i, :5] - x[:, :5]).sum(axis=1)
    return np.asarray(shares @ (shares @ z.astype(float).T).T)


with open(WORDS["forest"], encoding="utf-8") as file:
    trees = json.load(file)["trees"]
total, works = np.zeros((n, n)), []
for tree in trees:
    leaf, table = leaves_of(tree["nodes"]), table_of(tree["nodes"])
    with Work() as work:
        total += np.take(np.take(table, leaf, axis=0), leaf, axis=1)  # three times as fast as table[leaf[:, None], leaf]
    works.append(work)
with Work() as last:
    total /= len(trees)
ours = np.fromfile(WORDS["ours"]).reshape(n, n)
last.seconds += sum(work.seconds for work in works)
last.cpu_seconds += sum(work.cpu_seconds for work in works)
last.tell(difference=float(np.abs(total - ours).max()), version="NumPy " + np.__version__)
