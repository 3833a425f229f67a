"""Data of every kind of target, each with its matrix of distances by NumPy."""

import numpy as np
from scipy import sparse

KINDS = ["distances", "labels", "response", "several", "absolute", "product", "graph", "pairs"]


def features(n, p, seed, missing=0.0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    X[rng.random((n, p)) < missing] = np.nan
    return X


def known(kind, n, seed):
    """(keywords of fit, keywords of the estimator, distances of all pairs)"""
    rng = np.random.default_rng(seed + 1000)
    y = rng.normal(size=n)
    if kind == "distances":
        points = rng.normal(size=(n, 3))
        Z = np.abs(points[:, None] - points[None]).sum(axis=2).astype(np.float32)
        return {"Z": Z}, {}, Z.astype(float)
    if kind == "labels":
        labels = rng.integers(3, size=n)
        return {"y": labels}, {}, (labels[:, None] != labels).astype(float)
    if kind == "response":
        return {"y": y}, {}, (y[:, None] - y) ** 2 / 2
    if kind == "several":
        Y = rng.normal(size=(n, 2))
        return {"y": Y}, {"target": "response"}, ((Y[:, None] - Y) ** 2).sum(axis=2) / 2
    if kind == "absolute":
        return {"y": y}, {"target": "absolute"}, np.abs(y[:, None] - y)
    if kind == "product":
        Y = rng.normal(size=(n, 2))
        return {"y": Y}, {"target": "product"}, 1 - Y @ Y.T
    if kind == "graph":
        A = np.triu(rng.random((n, n)) < 0.2, 1).astype(float)
        A = A + A.T
        return {"graph": sparse.csr_array(A)}, {}, 1 - A - np.eye(n)
    points = rng.normal(size=n)
    Z = np.abs(points[:, None] - points)
    i, j = np.triu_indices(n, 1)
    return {"pairs": (i, j, Z[i, j])}, {"complete": "off"}, Z
