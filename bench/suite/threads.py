"""threads.py - what a second thread gains on the large shapes."""
import os

import data
from measure import Side, claim, compare

CANDIDATES = 5


def shapes(bench):
    """Work, trees and the command for a number of threads."""
    n, trees = (100_000, 4) if bench.quick else (1_000_000, 4)
    small, n_dense = data.tables(bench, 20_000), 1000 if bench.quick else 10_000
    for kind in ("labels", "response"):
        words = {**data.words(bench, n, kind), "trees": trees, "candidates": CANDIDATES}
        yield f"{kind}, {n:,} items, {trees} trees", "forest", words
    words = {**data.words(bench, 100_000, "labels"), "trees": trees, "candidates": CANDIDATES, "splits": "oblique"}
    yield f"oblique labels, 100,000 items, {trees} trees", "forest", words
    words = {"x": small["train"]["x"], "test_x": small["test"]["x"], "n": n_dense, "candidates": CANDIDATES}
    yield f"distances, {n_dense:,} items, 4 trees", "distances", {**words, "trees": 4}
    yield f"distances, rank 32, {n_dense:,} items, 100 trees", "distances", {**words, "trees": 100, "rank": 32}
    n_pairs = 1000 if bench.quick else 5000
    asked = data.tables(bench, n_pairs)["train"]
    words = {"kind": "labels", "x": asked["x"], "y": asked["labels"], "trees": 100, "candidates": CANDIDATES}
    yield f"all pairs, labels, {n_pairs:,} items, 100 trees", "all-pairs", words


def run(bench):
    title = "A second thread"
    columns = [("work", "work", ""), ("one", "1 thread, s", ".3g"), ("two", "2 threads, s", ".3g"), ("gain", "gain", ".2f")]
    rows, claims = [], []
    for work, command, words in shapes(bench) if os.cpu_count() > 1 else []:
        print(f"  {work}", flush=True)
        sides = [Side(f"{threads} threads", bench.ours(command, **words, threads=threads), threads) for threads in (1, 2)]
        one, two = compare(bench, sides, 2 if bench.quick else 3)
        failed = one["failed"] or two["failed"]
        row = {"work": work, "failed": failed}
        if not failed:
            row |= {"one": one["seconds"], "two": two["seconds"], "gain": one["seconds"] / two["seconds"]}
            claims.append(claim(f"second thread: {work}", "at least 1.8 x", f"{row['gain']:.2f} x", row["gain"] >= 1.8))
        rows.append(row)
    return {"title": title, "text": "The same work with --threads 1 and --threads 2, in turns. For dense Z the measure is what a plain "
                                    "sum of Z gains (above).", "columns": columns, "rows": rows, "claims": claims}
