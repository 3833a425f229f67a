"""graphs.py - how growing on a graph grows with it: 10 edges a node between neighbours in three features."""
import statistics

from measure import claim, exponent, run_lines

COLUMNS = [("n", "nodes", ",d"), ("edges", "edges", ",d"), ("seconds", "seconds", ".3g"),
           ("cpu_seconds", "processor seconds", ".3g"), ("peak_mb", "peak MB", ".0f"), ("splits_above", "splits above", ".1f")]

MEASURED = ("seconds", "cpu_seconds", "peak_mb")


def run_sizes(bench, first, last):
    """A row a size, with medians over the runs; or why there is none."""
    command = [str(bench.build / "bench-scale"), "graph", str(first), str(last), "2", "1", "--json"]
    runs = []
    for _ in range(bench.repeats):
        rows, why_not = run_lines(command, 1)
        if why_not:
            return rows, why_not
        runs.append(rows)
    return [{**same_size[-1], **{name: statistics.median(row[name] for row in same_size) for name in MEASURED}}
            for same_size in zip(*runs)], ""


def run(bench):
    first, last = (25_000, 100_000) if bench.quick else (125_000, 1_000_000)
    rows, why_not = run_sizes(bench, first, last)
    rows = rows or [{"failed": why_not}]
    for row in rows:
        row.setdefault("failed", "")
        row |= {} if row["failed"] else {"edges": 10 * row["n"]}
    good = [row for row in rows if not row["failed"]]
    growth, claims = [], [claim("graph: growth", "exponent at most 1.2", "-", None, why_not)]
    if len(good) > 1:
        slope = exponent([row["n"] for row in good], [row["cpu_seconds"] for row in good])
        growth = [{"work": "graph", "who": f"{good[0]['edges']:,} to {good[-1]['edges']:,} edges", "exponent": slope}]
        claims = [claim(f"graph: growth from {good[0]['edges']:,} to {good[-1]['edges']:,} edges", "exponent at most 1.2",
                        f"{slope:.2f}", slope <= 1.2)]
    return {
        "title": "Graphs",
        "text": "Two trees on one thread, sizes doubling; a larger graph has more neighbourhoods, not larger ones (bench/scale.c). "
                "'Splits above' is how many splits an item goes through.",
        "columns": COLUMNS, "rows": rows, "claims": claims, "growth": growth,
        "growth_title": "Growth of processor time with the edges",
    }
