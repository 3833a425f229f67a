"""metric.py - a Mahalanobis metric by other tools, on the same pairs:  metric.py tool=cvxpy|mmc x= z=|pairs=

CVXPY solves our problem: least squares with W positive semidefinite. With all pairs its input would have n (n - 1) / 2 rows; so
that it can run at all, sums of squares and products are formed first with NumPy (timed), and it gets their root.
metric-learn's MMC has another aim: near pairs near, far pairs far."""
import numpy as np
from work import WORDS, Work

x = np.load(WORDS["x"])
p = x.shape[1]
if "pairs" in WORDS:
    left, right, z = np.load(WORDS["pairs"]).T
    left, right = left.astype(int), right.astype(int)
else:
    left, right = np.triu_indices(len(x), 1)
    z = np.load(WORDS["z"])[left, right].astype(float)


def error_of(metric):
    squares = np.sum(x @ metric * x, axis=1)
    products = np.einsum("kf,kf->k", (x @ metric)[left], x[right])
    return float(np.sqrt(np.mean((squares[left] + squares[right] - 2 * products - z) ** 2)))


def sums_of_products(a, b):
    """The normal equations of the entries (a, b) of W, from some thousand pairs at a time."""
    weight = np.where(a == b, 1.0, 2.0)
    gram, aim = np.zeros((len(a), len(a))), np.zeros(len(a))
    for first in range(0, len(z), 10_000):
        some = slice(first, first + 10_000)
        apart = x[left[some]] - x[right[some]]
        rows = apart[:, a] * apart[:, b] * weight
        gram += rows.T @ rows
        aim += rows.T @ z[some]
    return gram, aim


def with_cvxpy():
    import cvxpy

    with Work() as work:
        a, b = np.triu_indices(p)
        gram, aim = sums_of_products(a, b)
        scale = np.sqrt(np.trace(gram) / len(a))
        root = np.linalg.cholesky(gram).T
        metric = cvxpy.Variable((p, p), PSD=True)
        packed = cvxpy.vec(metric, order="C")[a * p + b]
        misfit = root / scale @ packed - np.linalg.solve(root.T, aim) / scale
        cvxpy.Problem(cvxpy.Minimize(cvxpy.sum_squares(misfit))).solve(solver=cvxpy.CLARABEL)
    work.tell(score=error_of(metric.value), version="CVXPY " + cvxpy.__version__ + " with Clarabel")


def with_mmc():
    import metric_learn

    near = np.where(z < np.median(z), 1, -1)
    with Work() as work:
        metric_learn.MMC(init="identity", random_state=1, preprocessor=x).fit(np.column_stack([left, right]), near)
    work.tell(score=None, version="metric-learn " + metric_learn.__version__)


globals()["with_" + WORDS["tool"]]()
