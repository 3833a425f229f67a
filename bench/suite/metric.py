"""metric.py - learning a Mahalanobis metric."""
import data
from measure import Side, claim_ratio, compare


def run(bench):
    n, p = (500, 20) if bench.quick else (2000, 50)
    x, z = data.metric_problem(bench, n, p)
    sides = [Side("smerf", bench.ours("mahalanobis", x=x, z=z, threads=bench.threads), bench.threads),
             Side("CVXPY", bench.peer("metric.py", tool="cvxpy", x=x, z=z), bench.threads),
             Side("metric-learn MMC", bench.peer("metric.py", python=bench.older_python, tool="mmc", x=x, z=z), bench.threads)]
    rows = compare(bench, sides)
    for row in rows:
        row["work"] = f"mahalanobis, n = {n:,}, p = {p}"
    is_fair = not rows[1]["failed"] and not rows[0]["failed"] and rows[0]["score"] <= 1.001 * rows[1]["score"]
    claims = [claim_ratio(f"{rows[0]['work']}: against CVXPY", rows[1], 10, is_fair),
              claim_ratio(f"{rows[0]['work']}: against metric-learn MMC", rows[2], 10)]
    return {
        "title": "Mahalanobis",
        "text": "Least squares over all pairs with W positive semidefinite. CVXPY (Clarabel) could not hold one row a pair: it gets the "
                "root of the sums of squares and products, which NumPy forms first; both are timed. MMC solves another problem from 2,000 "
                "of the pairs, and its error is not comparable. RMSE is over all pairs (equal: within 0.1 %).",
        "columns": [("work", "work", ""), ("who", "tool", ""), ("seconds", "seconds", ".3g"), ("ratio", "x ours", ".1f"),
                    ("score", "RMSE", ".4f"), ("peak_mb", "peak MB", ".0f")],
        "rows": rows, "claims": claims,
    }
