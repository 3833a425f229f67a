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


def all_metrics(predicted, true, between=False):
    """Predictions that differ by rounding only are one value before they are ranked."""
    scale = np.nanmax(np.abs(predicted)) or 1.0
    ranked = np.round(predicted / scale, 11)
    return {
        "rmse": rmse(predicted, true, between),
        "spearman": spearman(ranked, true, between),
        "map@10": map_at_10(ranked, true, between),
    }


def auc(predicted, true, links, between=False):
    keep = counted(predicted, true, between)
    return {"auc-roc": float(roc_auc_score(links[keep], -predicted[keep])),
            "auc-pr": float(average_precision_score(links[keep], -predicted[keep]))}


# ---------------------------------------------------------------- where rounding may decide

def ranks_by_rounding(predicted, true, alike):
    """Predictions as the numbers of their groups (equal up to rounding), three times: ties kept, and pairs that are
    not `alike` (the same leaves in every tree: the same bits) told apart in favour of the truth, and against it."""
    scale = np.nanmax(np.abs(predicted)) or 1.0
    group = np.unique(np.round(predicted / scale, 11), return_inverse=True)[1].reshape(predicted.shape).astype(float)
    group[np.isnan(predicted)] = np.nan
    flat, known = np.unique(alike, return_inverse=True)[1].ravel(), ~np.isnan(true.ravel())
    size = np.maximum(np.bincount(flat[known], minlength=flat.max() + 1), 1)
    lean = (np.bincount(flat[known], true.ravel()[known], minlength=flat.max() + 1) / size)[flat].reshape(true.shape)
    lean = (lean - lean.min()) / (np.ptp(lean) or 1.0)
    return [group, group + 0.4 * lean, group - 0.4 * lean]


def bounds(predicted, true, alike, links=None, between=False):
    """{name: (lowest, highest)}: what a command may give whose predictions differ by rounding."""
    found = {"rmse": [rmse(predicted, true, between)], "spearman": [], "map@10": []}
    for ranked in ranks_by_rounding(predicted, true, alike):
        found["spearman"].append(spearman(ranked, true, between))
        found["map@10"].append(map_at_10(ranked, true, between))
        if links is not None:
            for name, value in auc(ranked, true, links, between).items():
                found.setdefault(name, []).append(value)
    return {name: (min(values), max(values)) for name, values in found.items()}
