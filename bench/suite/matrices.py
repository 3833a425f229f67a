"""matrices.py - forests on a dense matrix: exact beside the obvious version, and rank 32 beside exact."""
import math

import data
from measure import Side, claim, claim_ratio, compare, exponent, peak_bytes, run_lines

SIZES = {True: [2000, 4000], False: [2000, 5000, 10000]}
THREADS = "1, 2, 8 and 32"  # as bench-dense tries
COMMAND_THREADS = [1, 2, 8]
EXACT_COLUMNS = [("n", "n", ",d"), ("candidates", "candidates", "d"), ("seconds_ours", "root, s", ".3g"),
                 ("seconds_obvious", "obvious, s", ".3g"), ("ratio", "x ours", ".1f"),
                 ("read_share_from_memory", "speed of reading Z", ".0%"),
                 ("read_share_of_stream", "from caches, as far as it fits", ".0%"), ("tree_seconds_1", "a tree, 1 thread, s", ".3g"),
                 ("tree_seconds_2", "2 threads, s", ".3g"), ("thread_gain", "gain", ".2f"),
                 ("stream_gain_2", "gain of a plain sum", ".2f"), ("memory", "peak / Z", ".2f"),
                 ("command_memory", "peak of the command / Z", ".2f")]


def command_memory(bench, n, candidates):
    """What `smerf fit` takes at most, from a matrix of doubles in a file to a model of a few trees in a file, over the bytes of Z."""
    model = bench.folder / "matrix.smerf"
    line = [str(bench.build / "smerf"), "fit", str(data.tables(bench, n)["train"]["x"]), "--distances", str(data.matrix(bench, n)),
            "--trees", "8", "--paper", "--candidates", str(candidates), "--quiet", "-o", str(model)]
    peaks = [peak_bytes([*line, "--threads", str(threads)]) for threads in COMMAND_THREADS]
    model.unlink(missing_ok=True)
    return None if None in peaks else max(peaks) / (4 * n * n)


def run_exact(bench):
    sizes = SIZES[bench.quick]
    rows, why_not = run_lines([str(bench.build / "bench-dense"), "--json", *map(str, sizes)], 2)
    if why_not or not rows:
        rows = [{"failed": why_not or "bench-dense printed no results"}]
    for row in rows:
        row.setdefault("failed", "")
        if not row["failed"]:
            row |= {"ratio": row["seconds_obvious"] / row["seconds_ours"],
                    "thread_gain": row["tree_seconds_1"] / row["tree_seconds_2"],
                    "memory": max(value for name, value in row.items() if name.startswith("peak_mb")) / row["z_mb"],
                    "command_memory": command_memory(bench, row["n"], row["candidates"])}
    good = [row for row in rows if not row["failed"]]
    growth = []
    for d in sorted({row["candidates"] for row in good}):
        some = [row for row in good if row["candidates"] == d]
        if len(some) > 1:
            growth.append({"work": "dense tree", "who": f"{d} candidates",
                           "exponent": exponent([row["n"] for row in some], [row["tree_seconds_1"] for row in some])})
    return {
        "title": "Dense Z, exact", "taken": "the best of 15 searches and of 4 forests",  # as bench-dense does
        "text": "The search at the root, one thread, beside the obvious C version (items in sorted order, distances gathered; "
                "bench/obvious.c) and beside a plain streaming sum of Z in the same run, both with Z in memory, and both with as much of it "
                "in the caches as they hold from the run before (Z takes 16, 100 and 400 MB); and whole trees. Peak memory is the largest "
                f"with {THREADS} threads; that of the command, which reads a matrix of doubles and writes a model of 8 trees, with 1, 2 and 8.",
        "columns": EXACT_COLUMNS, "rows": rows, "growth": growth,
        "growth_title": "Growth of a tree's time with n", "claims": exact_claims(good, growth, rows[0]["failed"]),
    }


def exact_claims(rows, growth, why_not):
    if not rows:
        return [claim("dense Z, exact", "at least 8 x the obvious version", "-", None, why_not)]
    worst = min(rows, key=lambda row: row["ratio"])
    claims = [claim_ratio(f"dense Z against the obvious version (least: n = {worst['n']:,})", worst, 8)]
    sizes = {row["n"]: row for row in rows}
    for n, row in sizes.items():
        share, near = row["read_share_from_memory"], row["read_share_of_stream"]
        claims.append(claim(f"reading Z at the root, n = {n:,}, four candidates", "at least 50 % of a plain sum's speed",
                            f"{share:.0%}", share >= 0.5, f"{near:.0%} from caches, as far as it fits"))
    for n in sizes:
        memory = max(row["memory"] for row in rows if row["n"] == n)
        claims.append(claim(f"peak memory, n = {n:,}, {THREADS} threads", "at most 2 x Z", f"{memory:.2f} x", memory <= 2))
    memory = max(row["command_memory"] or math.inf for row in rows)
    claims.append(claim("peak memory of the command, all n, 1, 2 and 8 threads", "at most 2 x Z", f"{memory:.2f} x", memory <= 2))
    for row in growth:
        claims.append(claim(f"growth with n, {row['who']}", "exponent at most 2.1", f"{row['exponent']:.2f}",
                            row["exponent"] <= 2.1))
    worst = min(rows, key=lambda row: row["thread_gain"] / row["stream_gain_2"])
    claims.append(claim(f"second thread, at worst (n = {worst['n']:,}, {worst['candidates']} candidates)",
                        f"at least the plain sum's {worst['stream_gain_2']:.2f} x", f"{worst['thread_gain']:.2f} x",
                        worst["thread_gain"] >= worst["stream_gain_2"]))
    return claims


def run_pairs_forest(bench):
    """RFD on scikit-learn: a tree of it, beside a tree of ours."""
    n = 500 if bench.quick else 2000
    words = {"x": data.tables(bench, max(n, 20_000))["train"]["x"], "n": n, "candidates": 5, "threads": bench.threads}
    test_x = data.tables(bench, 20_000)["test"]["x"]
    sides = [Side("smerf", bench.ours("distances", trees=20, test_x=test_x, **words), bench.threads, times=1 / 20),
             Side("RFD on scikit-learn", bench.peer("pairs_forest.py", trees=1, **words), bench.threads)]
    rows = compare(bench, sides, 1)
    for row in rows:
        row |= {"work": f"a tree, n = {n:,}, 5 candidates"}
    return {
        "title": "Dense Z beside RFD on scikit-learn",
        "text": "A regression forest on the features of all pairs has n (n - 1) / 2 rows of 40 features: 2 million at "
                "n = 2,000; at 5,000 its input alone is 2 GB, at 10,000 it is 8 GB. One tree of it, and ours as the mean of 20.",
        "columns": [("work", "work", ""), ("who", "tool", ""), ("seconds", "seconds", ".3g"), ("ratio", "x ours", ".0f"),
                    ("peak_mb", "peak MB", ".0f")],
        "rows": rows, "claims": [],
    }


def run_rank(bench):
    rows, claims = [], []
    shapes = [(5000, 10, 1)] if bench.quick else [(10_000, 10, 3), (20_000, 3, 6)]
    n_trees = 500
    tables = data.tables(bench, 20_000)
    for n, few, at_least in shapes:
        words = {"x": tables["train"]["x"], "test_x": tables["test"]["x"], "n": n, "candidates": 5, "threads": bench.threads}
        sides = [Side("rank 32", bench.ours("distances", trees=n_trees, rank=32, **words), bench.threads),
                 Side(f"exact, from {few} trees", bench.ours("distances", trees=few, **words), bench.threads,
                      times=n_trees / few),
                 Side(f"rank 32, {few} trees", bench.ours("distances", trees=few, rank=32, **words), bench.threads)]
        print(f"  n = {n:,}", flush=True)
        found = compare(bench, sides, 1)
        for row in found:
            row |= {"work": f"n = {n:,}, {n_trees} trees", "n": n}
        found[2]["ratio"] = None
        exact, same = found[1], found[2]
        is_close = not exact["failed"] and not same["failed"] and same["score"] <= 1.02 * exact["score"]
        claims.append(claim_ratio(f"rank 32 against exact, n = {n:,}", exact, at_least, is_close,
                                  "" if exact["failed"] or same["failed"] else
                                  f"error {same['score'] / exact['score']:.3f} x exact's, same number of trees"))
        rows += found
    return {
        "title": "Dense Z, rank 32",
        "text": f"{n_trees} trees, 5 candidates, the factorisation included. The exact forest's time is extrapolated from a few of "
                "its trees. Z: the sum of the absolute differences of five features, which has no small rank. RMSE is over pairs of test "
                "items; it is compared at the same number of trees (equal: within 2 %).",
        "columns": [("work", "work", ""), ("who", "forest", ""), ("seconds", "seconds", ".3g"), ("ratio", "x rank 32", ".1f"),
                    ("score", "RMSE", ".4f"), ("peak_mb", "peak MB", ".0f")],
        "rows": rows, "claims": claims,
    }
