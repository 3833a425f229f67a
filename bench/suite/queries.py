"""queries.py - asking a forest: distances of all pairs, and nearest neighbours."""
import subprocess

import data
import numpy as np
from measure import ROOT, Side, claim, claim_ratio, compare, run_lines

FEW = 10  # trees that NumPy's time is extrapolated from
SAME = 1e-9  # distances may differ by rounding


def prepared(bench, kind, n):
    """A small forest for NumPy: its trees as JSON, and our distances to compare with; and the words of both sides."""
    tables = data.tables(bench, n)
    words = {"kind": kind, "x": tables["train"]["x"], "y": tables["train"]["labels"], "candidates": 5}
    model, forest, ours = (bench.folder / f"all-pairs-{kind}.{ending}" for ending in ("smerf", "json", "f64"))
    _, why_not = run_lines(bench.ours("all-pairs", **words, trees=FEW, threads=bench.threads, model=model, out=ours),
                           bench.threads)
    if not why_not:
        line = [bench.build / "smerf", "export", model, "--format", "json", "-o", forest, "--quiet"]
        why_not = subprocess.run(line, cwd=ROOT, capture_output=True, text=True).stderr
    return words, forest, ours, why_not


def run_all_pairs(bench):
    n, trees = (1000, 100) if bench.quick else (5000, 500)
    rows, claims = [], []
    for kind in ("labels", "distances"):
        print(f"  all pairs, {kind}", flush=True)
        words, forest, distances, why_not = prepared(bench, kind, n)
        if why_not:
            claims.append(claim(f"all pairs, {kind}", "at least 10 x", "-", None, why_not))
            continue
        ours = {threads: bench.ours("all-pairs", **words, trees=trees, threads=threads) for threads in (1, 2)}
        gather = bench.peer("gather.py", **words, forest=forest, ours=distances)
        sides = [Side("smerf, 1 thread", ours[1], 1), Side(f"NumPy, from {FEW} trees", gather, 1, times=trees / FEW),
                 Side("smerf, 2 threads", ours[2], 2)]
        found = compare(bench, sides)
        for row in found:
            row |= {"work": f"all pairs, {kind}, {n:,} items, {trees} trees"}
        is_same = found[1].get("difference", 1) < SAME
        claims.append(claim_ratio(f"{found[0]['work']}: against NumPy", found[1], 10, is_same))
        rows += found
    return {
        "title": "All-pairs prediction",
        "text": "NumPy gathers from a table of leaf distances, once a tree, on one thread (it has no more for this). Leaf ids and tables "
                "are given to it and not timed, while ours include sending items down the trees and leaf distances. NumPy's time is "
                f"extrapolated from {FEW} trees. The largest difference is between both results on these.",
        "columns": [("work", "work", ""), ("who", "tool", ""), ("seconds", "seconds", ".3g"), ("ratio", "x ours", ".2f"),
                    ("difference", "largest difference", ".0e"), ("peak_mb", "peak MB", ".0f")],
        "rows": rows, "claims": claims,
    }


def neighbor_words(bench, n_queries=None):
    """A forest learns from some items, and others are asked about: the same files for every side."""
    n_learned, n_items, usual, trees = (10_000, 100_000, 100, 20) if bench.quick else (100_000, 1_000_000, 1000, 100)
    n_queries = n_queries or usual
    learned, items, test = (data.tables(bench, n_learned), data.tables(bench, n_items), data.tables(bench, 20_000)["test"])
    words = {"x": learned["train"]["x"], "y": learned["train"]["labels"], "items": items["train"]["x"],
             "items_y": items["train"]["labels"], "trees": trees, "candidates": 5, "k": 10}
    for name, what in (("queries", "x"), ("queries_y", "labels")):
        words[name] = bench.data / f"queries-{n_queries}-{what}.npy"
        data.write(words[name], np.load(test[what])[:n_queries])
    return words, f"{n_queries:,} queries, {n_items:,} items, k = 10, {trees} trees"


def run_neighbors(bench):
    title, columns = "Nearest neighbours", [
        ("work", "work", ""), ("who", "tool", ""), ("seconds", "seconds", ".3g"), ("ratio", "x ours", ".1f"),
        ("score", "neighbours of the same label", ".3f"), ("peak_mb", "peak MB", ".0f")]
    asked = subprocess.run([bench.build / "smerf", "neighbors", "--help"], capture_output=True, text=True)
    if asked.returncode != 0:
        print("  smerf has no command neighbors: left out", flush=True)
        return {"title": title, "text": "", "columns": columns, "rows": [],
                "claims": [claim("neighbours", "at least 10 x", "-", None, "this smerf has no command neighbors")]}
    words, work = neighbor_words(bench)
    words["threads"] = bench.threads
    model = bench.folder / "neighbors.smerf"
    fit = {name: words[name] for name in ("x", "y", "trees", "candidates", "threads")}
    run_lines(bench.ours("forest", kind="labels", model=model, **fit), bench.threads)
    sides = [Side("smerf", bench.peer("neighbors.py", tool=bench.build / "smerf", model=model, **words), bench.threads),
             Side("scikit-learn, counting", bench.peer("neighbors.py", tool="sklearn", **words), bench.threads),
             Side("treeple, counting", bench.peer("neighbors.py", python=bench.older_python, tool="treeple", **words),
                  bench.threads)]
    rows = compare(bench, sides, 1 if bench.quick else 2)
    claims = []
    for row in rows:
        row["work"] = work
    for row in rows[1:]:
        is_fair = not row["failed"] and not rows[0]["failed"] and rows[0]["score"] >= row["score"] - 0.02
        claims.append(claim_ratio(f"neighbours: against {row['who']}", row, 10, is_fair))
    return {
        "title": title,
        "text": "A labels forest that learned from other items. Ours is the whole command: reading model and items, searching, writing. "
                "The others send items and queries down their trees, count shared leaves in NumPy and take the k largest; fitting, reading "
                "and writing are not timed.",
        "columns": columns, "rows": rows, "claims": claims,
    }
