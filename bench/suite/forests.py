"""forests.py - labels and response forests beside those of other tools: 20 features, ceil(sqrt 20) candidates, grown fully."""
import data
from measure import Side, claim, claim_ratio, compare, exponent

CANDIDATES = 5  # ceil(sqrt 20)
MARGIN = 0.02  # how far our score may lie below a tool's, and count as equal: trees are random, and 10 of them are few
LEAVES = 1023  # LightGBM's trees have a limit; with 8,191 it takes minutes, and with 131,072 more memory than most machines have

COLUMNS = [("work", "work", ""), ("who", "tool", ""), ("seconds", "seconds", ".3g"), ("seconds_each", "a tree", ".3g"),
           ("ratio", "x ours", ".1f"), ("cpu_ratio", "x ours, processor", ".1f"), ("score", "accuracy or R^2", ".3f"),
           ("peak_mb", "peak MB", ".0f"), ("added_mb", "added MB", ".0f")]


def is_equal(ours, theirs):
    """Whether ours is as accurate; a time is compared only then."""
    return not theirs["failed"] and ours["score"] >= theirs["score"] - MARGIN


def words_of(bench, n, kind, trees, threads):
    return {**data.words(bench, n, kind), "trees": trees, "candidates": CANDIDATES, "threads": threads}


def sides_of(bench, n, kind, trees, threads, is_oblique):
    common = words_of(bench, n, kind, trees, threads)
    if is_oblique:
        common["splits"] = "oblique"

    def side(name, command):
        return Side(name, command, threads, n=trees)

    sides = [side("smerf", bench.ours("forest", **common))]
    if is_oblique:
        python = bench.older_python
        sides.append(side("treeple", bench.peer("forest.py", python=python, tool="treeple", **common)))
        sides.append(side("YDF, sparse oblique", bench.peer("forest.py", tool="ydf", **common)))
        return sides
    sides.append(side("ranger", bench.ranger(**common)))
    sides.append(side("scikit-learn", bench.peer("forest.py", tool="sklearn", **common)))
    sides.append(side("YDF", bench.peer("forest.py", tool="ydf", **common)))
    command = bench.peer("forest.py", tool="lightgbm", leaves=LEAVES, **common)
    sides.append(side(f"LightGBM, {LEAVES:,} leaves", command))
    return sides


def is_quicker_but_worse(ours, theirs):
    return theirs.get("ratio", 1) < 1 and theirs["score"] < ours["score"] - MARGIN


def as_good_as(bench, theirs, n, kind, trees, threads):
    """Ours with the fewest trees that score what a tool scores: its time at equal accuracy."""
    for fewer in range(1, trees):
        words = words_of(bench, n, kind, fewer, threads)
        name = f"smerf, {fewer} tree{'s' * (fewer > 1)}: as good as {theirs['who'].split(',')[0]}"
        ours = compare(bench, [Side(name, bench.ours("forest", **words), threads, n=fewer)])[0]
        if ours["failed"] or ours["score"] >= theirs["score"]:
            return ours
    return None


def run_one(bench, n, kind, trees, threads, is_oblique=False):
    name = f"{'oblique ' if is_oblique else ''}{kind}"
    work = f"{name}, {n:,} x {data.N_FEATURES}, {trees} trees, {threads} thread{'s' * (threads > 1)}"
    print(f"  {work}", flush=True)
    rows = compare(bench, sides_of(bench, n, kind, trees, threads, is_oblique))
    for theirs in [row for row in rows[1:] if is_quicker_but_worse(rows[0], row)]:
        ours = as_good_as(bench, theirs, n, kind, trees, threads)
        if ours and not ours["failed"]:
            theirs["ratio_when_equal"] = theirs["seconds"] / ours["seconds"]
            ours["ratio"] = ours["seconds"] / rows[0]["seconds"]
            rows.append(ours)
    for row in rows:
        row |= {"work": work, "n": n, "kind": kind, "trees": trees}
    return rows


def claims_of(rows):
    ours, claims = rows[0], []
    if ours["failed"]:
        return [claim(ours["work"], "", "-", None, ours["failed"])]
    for row in rows[1:]:
        if row["who"] in ("ranger", "scikit-learn"):
            claims.append(claim_ratio(f"{row['work']}: against {row['who']}", row, 8, is_equal(ours, row)))
        elif row["who"] == "YDF" or row["who"].startswith("LightGBM"):
            lags = not row["failed"] and row["score"] < ours["score"] - MARGIN
            note = f"it scores {row['score']:.3f}, we {ours['score']:.3f}" if lags else ""
            if "ratio_when_equal" in row:  # quicker, and not as accurate: that compares nothing
                note += f", and take {1 / row['ratio']:.1f} x its time; the ratio is that of as few trees as score no less"
                row = {**row, "ratio": row["ratio_when_equal"]}
            claims.append(claim_ratio(f"{row['work']}: against {row['who']}", row, 1, is_equal(ours, row), note))
        if row["who"] == "ranger" and not row["failed"]:
            claims.append(claim(f"{row['work']}: memory", f"at most ranger's {row['peak_mb']:.0f} MB",
                                f"{ours['peak_mb']:.0f} MB", bool(ours["peak_mb"] <= row["peak_mb"])))
    return claims


def growth_of(rows):
    """How a tree's time grows with the items, by tool and kind."""
    found = []
    for key in sorted({(row["kind"], row["who"]) for row in rows}):
        sizes = [row for row in rows if (row["kind"], row["who"]) == key and not row["failed"]]
        if len({row["n"] for row in sizes}) > 1:
            times = [row["cpu_seconds"] / row["trees"] for row in sizes]
            found.append({"work": key[0], "who": key[1], "exponent": exponent([row["n"] for row in sizes], times)})
    return found


def run(bench):
    full = [(100_000, 100, bench.threads), (100_000, 20, 1), (1_000_000, 10, bench.threads)]
    shapes = [(20_000, 20, bench.threads), (100_000, 8, bench.threads)] if bench.quick else full
    rows, claims = [], []
    for n, trees, threads in shapes:
        for kind in ("labels", "response"):
            found = run_one(bench, n, kind, trees, threads)
            claims += claims_of(found)
            rows += found
    return {
        "title": "Labels and response forests",
        "text": f"{CANDIDATES} candidates a node, bootstrap, trees grown until nodes are pure; as many threads for every "
                f"tool. Each gets arrays in the form it likes best, and only fitting is timed. Scores are on "
                f"{data.N_TEST:,} other items; they count as equal within {MARGIN}. LightGBM (boosting=rf, "
                "min_data_in_leaf=1, bagging of 63 % without replacement) looks at 255 bins a feature and limits its leaves, "
                "which costs accuracy: where that makes it quicker than smerf, smerf grows as few trees as score no less, too; YDF "
                "runs with max_depth=-1, min_examples=1; ranger with min.node.size=1, without out-of-bag error. "
                "'Added' is what fitting added to the process that held the data.",
        "columns": COLUMNS, "rows": rows, "claims": claims,
        "growth": growth_of(rows), "growth_title": "Growth of a tree's processor time with the number of items",
    }


def run_oblique(bench):
    n, trees = (20_000, 10) if bench.quick else (100_000, 100)
    rows = run_one(bench, n, "labels", trees, bench.threads, is_oblique=True)
    claims = []
    for row in rows[1:]:
        claims.append(claim_ratio(f"{row['work']}: against {row['who']}", row, 3, is_equal(rows[0], row)))
    return {
        "title": "Oblique forests",
        "text": f"{CANDIDATES} sparse projections a node, of three features on average, weights +1 and -1. treeple: "
                "max_features=5, feature_combinations=3. YDF: projections exponent 0.5, density factor 3, binary weights.",
        "columns": COLUMNS, "rows": rows, "claims": claims,
    }
