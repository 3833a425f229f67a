"""neighbors.py - nearest neighbours in a labels forest:

    neighbors.py tool=sklearn|treeple|PATH-OF-SMERF x= y= items= items_y= queries= queries_y= trees= candidates= threads= k= [model=]

scikit-learn and treeple send items and queries down their trees, count the leaves that both share, and take the k largest:
all that is timed, fitting is not. smerf answers from a model that is ready, and its whole command is timed. The score is
the share of neighbours that have the query's label."""
import csv
import os
import subprocess
import tempfile

import numpy as np
from work import WORDS, Work, count

K = count("k")


def by_counting(forest):
    forest.fit(np.load(WORDS["x"]), np.load(WORDS["y"]).ravel())
    items, queries = np.load(WORDS["items"]), np.load(WORDS["queries"])
    found = np.empty((len(queries), K), dtype=int)
    with Work() as work:
        leaf_of_item = np.asfortranarray(forest.apply(items))
        for query, leaves in enumerate(forest.apply(queries)):
            shared = np.zeros(len(items), dtype=np.int32)
            for tree, leaf in enumerate(leaves):
                shared += leaf_of_item[:, tree] == leaf
            found[query] = np.argpartition(-shared, K)[:K]
    return work, found


def by_smerf(n_queries):
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "neighbors.csv")
        line = [WORDS["tool"], "neighbors", WORDS["model"], "--items", WORDS["items"], "--queries", WORDS["queries"], "-k", str(K),
                "-o", out, "--quiet", "--threads", WORDS["threads"]]
        with Work() as work:
            process = subprocess.Popen(line)
            _, status, usage = os.wait4(process.pid, 0)
        if status != 0:
            raise SystemExit("smerf neighbors failed")
        work.cpu_seconds, work.peak_mb = usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024 / 1e6
        found = [[] for _ in range(n_queries)]
        with open(out, encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                found[int(row["item"])].append(int(row["neighbor"]))
    return work, np.array(found)


def main():
    labels, truth = np.load(WORDS["items_y"]).ravel(), np.load(WORDS["queries_y"]).ravel()
    options = {"n_estimators": count("trees"), "max_features": count("candidates"), "n_jobs": count("threads"), "random_state": 1}
    if WORDS["tool"] == "sklearn":
        import sklearn
        from sklearn.ensemble import RandomForestClassifier

        version = "scikit-learn " + sklearn.__version__
        work, found = by_counting(RandomForestClassifier(**options))
    elif WORDS["tool"] == "treeple":
        import treeple

        version = "treeple " + treeple.__version__
        work, found = by_counting(treeple.ObliqueRandomForestClassifier(feature_combinations=1, **options))
    else:
        version = None
        work, found = by_smerf(len(truth))
    work.tell(score=float(np.mean(labels[found] == truth[:, None])), version=version)


main()
