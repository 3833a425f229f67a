"""kept.py - nearest neighbours in a catalogue that is kept, one query at a time."""
import queries
from measure import Side, claim_ratio, compare


def run(bench):
    """Ours writes the vectors that the others search: the same forest, and the same neighbours but for rounding and ties."""
    n_queries = 100 if bench.quick else 40  # the others take a second for each
    words, work = queries.neighbor_words(bench, n_queries)
    files = {name: bench.folder / f"kept-{name}.f32" for name in ("vectors", "query_vectors")}
    ours = bench.ours("index", **words, **files, threads=bench.threads)
    asked = {name: words[name] for name in ("items_y", "queries_y", "k")} | files
    sides = [Side("smerf, an index", ours, 1, times=1 / n_queries)]
    for tool, name in (("sklearn", "scikit-learn, brute force"), ("faiss", "faiss, flat"), ("faiss-hnsw", "faiss, HNSW")):
        if tool != "faiss-hnsw" or bench.quick:  # with the many vectors of a full run it takes an hour to make
            sides.append(Side(name, bench.peer("vectors.py", tool=tool, **asked), 1, times=1 / n_queries))
    rows = compare(bench, sides, 1 if bench.quick else 2)
    for file in files.values():
        file.unlink(missing_ok=True)  # gigabytes
    claims = []
    for row in rows:
        row["work"] = work
        row |= {} if "seconds" not in row else {"ms": 1000 * row["seconds"], "cpu_ms": 1000 * row["cpu_seconds"]}
    for row in rows[1:3]:  # the exact ones
        is_fair = not row["failed"] and not rows[0]["failed"] and rows[0]["score"] >= row["score"] - 0.02
        claims.append(claim_ratio(f"one query of a kept catalogue: against {row['who']}", row, 10 if "brute" in row["who"] else 1, is_fair))
    return {
        "title": "Neighbours in a catalogue that is kept",
        "text": "One query after the other, on one thread, once the catalogue is ready: smerf's index of a labels forest, and the others on the "
                "vectors that smerf exports of the same forest (number of trees times number of classes, and one). HNSW is approximate, the others are exact.",
        "columns": [("work", "work", ""), ("who", "tool", ""), ("ms", "ms a query", ".3g"), ("ratio", "x ours", ".1f"),
                    ("cpu_ms", "of the processor", ".3g"), ("cpu_ratio", "x ours", ".1f"),
                    ("score", "neighbours of the same label", ".3f"), ("peak_mb", "peak MB", ".0f")],
        "rows": rows, "claims": claims,
    }
