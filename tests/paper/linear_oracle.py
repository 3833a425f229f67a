"""linear_oracle.py - W of the linear methods by another road: W = L L^T, and L by scipy's quasi-Newton search.

Pairs are listed one by one, and nothing is shared with the library: no frame, no closed forms, no projections. W = L L^T has
no constraint, and with a square L no local minimum that is not global (Burer & Monteiro). Whether scipy got there is checked
by the gap to the dual: with G the gradient at W, and G_- its negative part, the optimum is at least f(W) - <W, G> - <G_-, W'>
for every W' that could be better."""
import numpy as np
from scipy.optimize import minimize


def one_hot(values, levels):
    return np.array([[float(v == level) for level in levels] for v in values])


def pair_terms(x, z, weight, kind):
    """Rows of (matrix D_ij, given number, weight) for the ordered pairs whose weight is not 0; NaN in z: not known."""
    i, j = np.nonzero((weight > 0) & ~np.isnan(z))
    if kind == "mahalanobis":
        apart = x[i] - x[j]
        return np.einsum("ta,tb->tab", apart, apart), z[i, j], weight[i, j]
    product = np.einsum("ta,tb->tab", x[i], x[j])
    return (product + product.transpose(0, 2, 1)) / 2, 1 - z[i, j], weight[i, j]


def objective(w, terms):
    d, given, weight = terms
    return (weight * (np.einsum("tab,ab->t", d, w) - given) ** 2).sum()


def solve(x, z, weight, kind):
    """W, and its objective. Columns are scaled and rotated for scipy's sake, which changes neither."""
    shift = x.mean(axis=0) if kind == "mahalanobis" else 0
    _, s, vt = np.linalg.svd(x - shift, full_matrices=False)
    keep = s > 1e-9 * s[0]
    t = vt[keep].T / s[keep] * np.sqrt(len(x))
    d, given, weight = pair_terms((x - shift) @ t, z, weight, kind)
    flat, weight = d.reshape(len(d), -1), weight / weight.sum()
    p = t.shape[1]

    def cost(l):
        l = l.reshape(p, p)
        wrong = flat @ (l @ l.T).ravel() - given
        g = ((weight * wrong) @ flat).reshape(p, p)
        return (weight * wrong ** 2).sum(), (4 * g @ l).ravel()

    best = np.eye(p).ravel() * 0.5
    for _ in range(6):  # a new start forgets old curvature
        best = minimize(cost, best, jac=True, method="L-BFGS-B",
                        options={"maxiter": 20000, "maxfun": 40000, "ftol": 1e-18, "gtol": 1e-13, "maxcor": 40}).x
    a = best.reshape(p, p) @ best.reshape(p, p).T
    g = 2 * ((weight * (flat @ a.ravel() - given)) @ flat).reshape(p, p)
    size = (weight * np.abs(given) * np.abs(flat).max(axis=1)).sum()
    assert np.linalg.eigvalsh(g)[0] > -1e-5 * size, "scipy did not find the optimum"
    return t @ a @ t.T


def solve_with_intercept(x, z, weight, kind):
    """W, the intercept of what is fitted (mahalanobis: z, bilinear: 1 - z, of items less their mean), and the weighted mean of
    squares. Of different items only."""
    weight = weight * (1 - np.eye(len(x)))
    x = x - x.mean(axis=0)
    scale = x.std(axis=0)
    d, given, weight = pair_terms(x / scale, z, weight, kind)
    flat, weight = d.reshape(len(d), -1), weight / weight.sum()
    p = x.shape[1]

    def cost(parameters):
        l, c = parameters[:-1].reshape(p, p), parameters[-1]
        wrong = flat @ (l @ l.T).ravel() + c - given
        g = ((weight * wrong) @ flat).reshape(p, p)
        return (weight * wrong ** 2).sum(), np.append((4 * g @ l).ravel(), 2 * (weight * wrong).sum())

    best = np.append(np.eye(p).ravel() * 0.5, 0)
    for _ in range(6):
        best = minimize(cost, best, jac=True, method="L-BFGS-B",
                        options={"maxiter": 20000, "maxfun": 40000, "ftol": 1e-18, "gtol": 1e-13, "maxcor": 40}).x
    l = best[:-1].reshape(p, p) / scale[:, None]
    return l @ l.T, best[-1], cost(best)[0]
