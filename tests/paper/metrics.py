"""metrics.py - rmse, spearman and map@10 as the interface page words them, written plainly.

`predicted` and `true` are matrices: square for one set of items (the item itself is not its partner),
or a block between two sets (`between=True`: every column is a partner of every row).
A pair whose prediction or truth is NaN is left out everywhere.
"""
import numpy as np
from sklearn.metrics import average_precision_score, roc_auc_score


def partners(predicted, true, between):
    """For each item its (predicted, true) distances to its partners, in item order."""
    for i in range(len(predicted)):
        keep = ~np.isnan(predicted[i]) & ~np.isnan(true[i])
        if not between:
            keep[i] = False
        yield predicted[i][keep], true[i][keep]


def counted(predicted, true, between=False):
    """The unordered pairs, or all cells of a block."""
    keep = ~np.isnan(predicted) & ~np.isnan(true)
    return keep if between else keep & np.triu(np.ones(predicted.shape, dtype=bool), 1)


def rmse(predicted, true, between=False):
    keep = counted(predicted, true, between)
    return float(np.sqrt(np.mean((predicted[keep] - true[keep]) ** 2)))


def mean_ranks(values):
    """Ranks from 1; equal values share the mean of their ranks."""
    return np.array([(values < v).sum() + ((values == v).sum() + 1) / 2 for v in values])


def rank_correlation(a, b):
    a, b = mean_ranks(a), mean_ranks(b)
    a, b = a - a.mean(), b - b.mean()
    return float((a * b).sum() / np.sqrt((a * a).sum() * (b * b).sum()))


def spearman(predicted, true, between=False):
    scores = []
    for p, t in partners(predicted, true, between):
        if len(t) < 3 or (t == t[0]).all():
            continue
        scores.append(0.0 if (p == p[0]).all() else rank_correlation(p, t))
    return float(np.mean(scores))


def average_precision(relevant, ranking):
    found, total = 0, 0.0
    for place, item in enumerate(ranking, start=1):
        if item in relevant:
            found += 1
            total += found / place
    return total / len(relevant)


def map_at_10(predicted, true, between=False):
    scores = []
    for p, t in partners(predicted, true, between):
        if len(t) == 0:
            continue
        nearest = sorted(range(len(t)), key=lambda j: (t[j], j))[:10]
        ranking = sorted(range(len(p)), key=lambda j: (p[j], j))
        scores.append(average_precision(set(nearest), ranking))
    return float(np.mean(scores))


def auc(predicted, true, links, between=False):
    keep = counted(predicted, true, between)
    return {"auc-roc": float(roc_auc_score(links[keep], -predicted[keep])),
            "auc-pr": float(average_precision_score(links[keep], -predicted[keep]))}


def scores(predicted, true, links=None, between=False):
    found = {"rmse": rmse(predicted, true, between), "spearman": spearman(predicted, true, between),
             "map@10": map_at_10(predicted, true, between)}
    return found if links is None else {**found, **auc(predicted, true, links, between)}


def without_rounding(predicted):
    """Predictions that differ by rounding only become one value, before they are ranked."""
    scale = np.nanmax(np.abs(predicted)) or 1.0
    return np.round(predicted / scale, 11) * scale


def all_metrics(predicted, true, between=False):
    return {**scores(without_rounding(predicted), true, None, between), "rmse": rmse(predicted, true, between)}
