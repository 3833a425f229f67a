"""loading.py - reading a table from text, and a large matrix that has to become float32."""
import os

import numpy as np

import data
from measure import Side, claim, claim_ratio, compare

COLUMNS = [("work", "work", ""), ("who", "reader", ""), ("seconds", "seconds", ".3g"), ("speed", "MB / s", ".0f"),
           ("ratio", "x ours", ".2f"), ("peak_mb", "peak MB", ".0f")]

PLAIN, STRAIGHT = "plain reading", "plain reading, past the system's memory"


def forget(path):
    """Has the system drop the file from memory, so that it is read from the disk again."""
    with open(path, "rb") as file:
        os.fsync(file.fileno())
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def warm(path):
    """Has as much memory written and given back as any side needs. The host of a virtual machine may have taken what was
    idle, and hands it out again more slowly than a disk reads, which plain reading alone would not notice."""
    room = np.empty(2 * path.stat().st_size, np.uint8)
    room[::4096] = 1


def told(rows, work, path):
    megabytes = path.stat().st_size / 1e6
    for row in rows:
        row |= {"work": work} | ({} if row["failed"] else {"speed": megabytes / row["seconds"]})
    return rows


def run_table(bench):
    n = 100_000
    path = data.csv_table(bench, n)
    sides = [Side("smerf", bench.ours("table", file=path), 1),
             Side("pandas", bench.peer("loading.py", way="pandas", file=path), 1),
             Side("pandas, to the last digit", bench.peer("loading.py", way="pandas-exact", file=path), 1)]
    rows = told(compare(bench, sides, 3), f"CSV, {n:,} x {data.N_FEATURES}", path)
    claims = [claim_ratio(f"{rows[0]['work']}: against pandas' C reader", rows[1], 1)]
    return rows, claims


def run_matrix(bench):
    n = 4000 if bench.quick else 20_000
    path, rows, claims = data.matrix(bench, n), [], []
    gigabytes = path.stat().st_size / 1e9
    for state, before in (("from memory", lambda: warm(path)), ("from disk", lambda: (forget(path), warm(path)))):
        sides = [Side("smerf, 2 threads", bench.ours("matrix", file=path, n=n, threads=2), 2),
                 Side("smerf", bench.ours("matrix", file=path, n=n, threads=1), 1),
                 Side("numpy.load", bench.peer("loading.py", way="numpy", file=path), 1),
                 Side("numpy.load, to float32", bench.peer("loading.py", way="numpy-float32", file=path), 1),
                 Side(PLAIN, bench.peer("loading.py", way="read", file=path), 1)]
        if state == "from disk":
            sides.append(Side(STRAIGHT, bench.peer("loading.py", way="read-straight", file=path), 1))
        for side in sides:
            side.before = before
        found = told(compare(bench, sides), f".npy, {gigabytes:.1f} GB, {state}", path)
        rows += found
    by_name = {row["who"]: row for row in found}
    ours, plain, straight = found[0], by_name[PLAIN], by_name[STRAIGHT]
    if not ours["failed"] and not plain["failed"]:
        share = plain["seconds"] / ours["seconds"]
        note = "" if straight["failed"] else f"{straight['seconds'] / ours['seconds']:.0%} of reading past the system's memory"
        claims.append(claim(f"{ours['work']}", "at the speed of the disk", f"{share:.0%} of plain reading", share >= 0.9, note))
        rounded = n * n * 4 / 1e6
        claims.append(claim(f"{ours['work']}: memory", f"the float32 matrix ({rounded:.0f} MB), no second copy",
                            f"{ours['peak_mb']:.0f} MB", ours["peak_mb"] < 1.1 * rounded + 30))
    return rows, claims


def run(bench):
    rows, claims = [], []
    for part in (run_table, run_matrix):
        print(f"  {part.__name__[4:]}", flush=True)
        found, told_claims = part(bench)
        rows += found
        claims += told_claims
    return {
        "title": "Loading",
        "text": "One thread where nothing else is said. pandas' fast parser may be off in the last digits; smerf's numbers are exact, as "
                "those of pandas with float_precision='round_trip'. The matrix is symmetric float64; smerf checks it while it rounds it to "
                "float32 while the disk is at work. Before each run of these, memory of twice the size of the "
                "file is written and given back, so that no side waits for the host of a virtual machine. 'From disk': the system was "
                "told to forget the file before each run; plain reading is a loop of read() into 4 MB that start on a page; smerf reads "
                "past the system's memory (O_DIRECT) where it finds that quicker, and the last line does so in any case.",
        "columns": COLUMNS, "rows": rows, "claims": claims,
    }
