"""threads.py - what a second thread gains on the large shapes."""
import os
from concurrent.futures import ThreadPoolExecutor

import data
from measure import Side, claim, compare, run_lines

CANDIDATES = 5
FEWEST_REPEATS = 7  # both sides are ours and near the limit: medians of three swing by a tenth
# no claim of these: the section on dense Z has the first; of the second the first node is one thread's
NOT_ASKED = (" items, exact, 4 trees", " items, 1 tree")


def shapes(bench):
    """Work, trees and the command for a number of threads."""
    n, trees, n_oblique = (100_000, 4, 4) if bench.quick else (1_000_000, 10, 20)
    small, n_dense = data.tables(bench, 20_000), 1000 if bench.quick else 10_000
    for kind in ("labels", "response"):
        words = {**data.words(bench, n, kind), "trees": trees, "candidates": CANDIDATES}
        yield f"{kind}, {n:,} items, {trees} trees", "forest", words
    yield f"labels, {n:,}{NOT_ASKED[1]}", "forest", {**data.words(bench, n, "labels"), "trees": 1, "candidates": CANDIDATES}
    words = {**data.words(bench, 100_000, "labels"), "trees": n_oblique, "candidates": CANDIDATES, "splits": "oblique"}
    yield f"oblique labels, 100,000 items, {n_oblique} trees", "forest", words
    words = {"x": small["train"]["x"], "test_x": small["test"]["x"], "n": n_dense, "candidates": CANDIDATES}
    yield f"distances, {n_dense:,}{NOT_ASKED[0]}", "distances", {**words, "trees": 4}
    yield f"distances, rank 32, {n_dense:,} items, 100 trees", "distances", {**words, "trees": 100, "rank": 32}
    n_pairs = 1000 if bench.quick else 5000
    asked = data.tables(bench, n_pairs)["train"]
    for kind in ("labels", "distances"):
        words = {"kind": kind, "x": asked["x"], "y": asked["labels"], "trees": 500, "candidates": CANDIDATES}
        yield f"all pairs, {kind}, {n_pairs:,} items, 500 trees", "all-pairs", words


def gain_of_copies(command, seconds_alone):
    """What two processes at once gain over one after the other: all that the machine has to give just now."""
    with ThreadPoolExecutor(2) as pool:
        found = [lines for lines, _ in pool.map(lambda _: run_lines(command, 1), range(2))]
    if not all(found):
        return None
    return 2 * seconds_alone / max(lines[-1]["seconds"] for lines in found)


def n_repeats(bench):
    return 2 if bench.quick else max(bench.repeats, FEWEST_REPEATS)


def run_one(bench, work, command, words):
    commands = {threads: bench.ours(command, **words, threads=threads) for threads in (1, 2)}
    sides = [Side(f"{threads} threads", commands[threads], threads) for threads in (1, 2)]
    one, two = compare(bench, sides, n_repeats(bench))
    failed = one["failed"] or two["failed"]
    if failed:
        return {"work": work, "failed": failed}
    return {"work": work, "failed": "", "one": one["seconds"], "two": two["seconds"], "gain": one["seconds"] / two["seconds"],
            "copies": gain_of_copies(commands[1], one["seconds"])}


def claim_of(row):
    copies = row["copies"]
    note = f"two processes at once gained {copies:.2f} x" if copies and copies < 1.9 else ""
    return claim(f"second thread: {row['work']}", "at least 1.8 x", f"{row['gain']:.2f} x", row["gain"] >= 1.8, note)


def run(bench):
    rows = []
    for work, command, words in shapes(bench) if os.cpu_count() > 1 else []:
        print(f"  {work}", flush=True)
        rows.append(run_one(bench, work, command, words))
    return {
        "title": "A second thread",
        "repeats": n_repeats(bench),
        "text": "The same work with --threads 1 and --threads 2, in turns. 'Two processes' is what running it twice at once, with one "
                "thread each, gains over twice in a row: the most that the machine gave in that minute. For dense Z the measure "
                "is what a plain sum of Z gains (above).",
        "columns": [("work", "work", ""), ("one", "1 thread, s", ".3g"), ("two", "2 threads, s", ".3g"), ("gain", "gain", ".2f"),
                    ("copies", "two processes", ".2f")],
        "rows": rows, "claims": [claim_of(row) for row in rows if not row["failed"] and not row["work"].endswith(NOT_ASKED)],
    }
