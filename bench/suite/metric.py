"""metric.py - learning a Mahalanobis metric."""
import data
from measure import Side, claim_ratio, compare


def run_one(bench, work, words, has_mmc, repeats):
    sides = [Side("smerf", bench.ours("mahalanobis", **words, threads=bench.threads), bench.threads),
             Side("CVXPY", bench.peer("metric.py", tool="cvxpy", **words), bench.threads)]
    if has_mmc:
        command = bench.peer("metric.py", python=bench.older_python, tool="mmc", **words)
        sides.append(Side("metric-learn MMC", command, bench.threads))
    rows = compare(bench, sides, repeats)
    for row in rows:
        row["work"] = work
    is_fair = all(row.get("score") for row in rows[:2]) and rows[0]["score"] <= 1.001 * rows[1]["score"]
    claims = [claim_ratio(f"{work}: against CVXPY", rows[1], 10, is_fair)]
    claims += [claim_ratio(f"{work}: against {row['who']}", row, 10) for row in rows[2:]]
    return rows, claims


def run(bench):
    n, p, n_pairs = (500, 20, 5000) if bench.quick else (2000, 50, 20_000)
    x, z, pairs = data.metric_problem(bench, n, p, n_pairs)
    work = f"mahalanobis, n = {n:,}, p = {p}"
    rows, claims = run_one(bench, f"{work}, {n_pairs:,} pairs", {"x": x, "pairs": pairs}, True, bench.repeats)
    all_rows, all_claims = run_one(bench, f"{work}, all pairs", {"x": x, "z": z}, False, 1)
    return {
        "title": "Mahalanobis",
        "text": "Least squares over the pairs with W positive semidefinite. CVXPY (Clarabel) cannot hold one row for each of all pairs: it "
                "gets the root of the sums of squares and products, which NumPy forms first; both are timed. MMC has another aim, from "
                "the same pairs (nearer or farther than the median), so its error is not comparable. RMSE is over the "
                "pairs learned from (equal: within 0.1 %).",
        "columns": [("work", "work", ""), ("who", "tool", ""), ("seconds", "seconds", ".3g"), ("ratio", "x ours", ".1f"),
                    ("score", "RMSE", ".4f"), ("peak_mb", "peak MB", ".0f")],
        "rows": rows + all_rows, "claims": claims + all_claims,
    }
