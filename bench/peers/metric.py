"""metric.py - a Mahalanobis metric by other tools, on the same items and pairs:  metric.py tool=cvxpy|mmc x= z=

CVXPY solves our problem: least squares over all pairs i < j, W positive semidefinite. Its input would have n (n - 1) / 2 rows;
so that it can run at all, the sums of squares and products are formed first with NumPy (timed), and it gets their root.
metric-learn's MMC has another aim (near pairs near, far pairs far), and learns from 2,000 of the pairs."""
import numpy as np
from work import WORDS, Work

x, z = np.load(WORDS["x"]), np.load(WORDS["z"]).astype(float)
n, p = x.shape


def products(first, last):
    """Rows of pairs (i, j), first <= i < last, i < j: products of differences, off-diagonal ones doubled; and distances."""
    i, j = np.triu_indices(n, 1)
    chosen = slice(*np.searchsorted(i, [first, last]))
    i, j = i[chosen], j[chosen]
    apart = x[i] - x[j]
    a, b = np.triu_indices(p)
    return apart[:, a] * apart[:, b] * np.where(a == b, 1.0, 2.0), z[i, j]


def error_of(metric):
    seen = x @ metric
    squares = np.sum(seen * x, axis=1)
    i, j = np.triu_indices(n, 1)
    return float(np.sqrt(np.mean((squares[i] + squares[j] - 2 * (seen @ x.T)[i, j] - z[i, j]) ** 2)))


def with_cvxpy():
    import cvxpy

    with Work() as work:
        size = p * (p + 1) // 2
        gram, right = np.zeros((size, size)), np.zeros(size)
        for first in range(0, n, 20):
            rows, distances = products(first, min(first + 20, n))
            gram += rows.T @ rows
            right += rows.T @ distances
        root = np.linalg.cholesky(gram).T
        metric = cvxpy.Variable((p, p), PSD=True)
        packed = cvxpy.hstack([metric[a, b] for a, b in zip(*np.triu_indices(p))])
        scale = np.sqrt(np.trace(gram) / size)
        aim = cvxpy.sum_squares(root / scale @ packed - np.linalg.solve(root.T, right) / scale)
        cvxpy.Problem(cvxpy.Minimize(aim)).solve(solver=cvxpy.CLARABEL)
    work.tell(score=error_of(metric.value), version="CVXPY " + cvxpy.__version__ + ", Clarabel")


def with_mmc():
    import metric_learn

    random = np.random.default_rng(1)
    i, j = random.integers(n, size=(2, 2000))
    near = np.where(z[i, j] < np.median(z), 1, -1)
    with Work() as work:
        metric_learn.MMC(init="identity", random_state=1, preprocessor=x).fit(np.column_stack([i, j]), near)
    work.tell(score=None, version="metric-learn " + metric_learn.__version__)


globals()["with_" + WORDS["tool"]]()
