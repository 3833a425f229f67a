"""metrics.py - every score as docs/scores.md words it, written plainly, and what chance gives of it.

`predicted` and `true` are matrices: square for one set of items (the item itself is not its partner),
or a block between two sets (`between=True`: every column is a partner of every row).
A pair whose prediction or truth is NaN is left out everywhere.
"""
from fractions import Fraction

import numpy as np
from scipy import stats
from sklearn.metrics import (accuracy_score, average_precision_score, confusion_matrix, log_loss, ndcg_score, r2_score,
                             roc_auc_score)


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
    """What evaluate tells of a matrix: no map@10 of few partners."""
    found = {**scores(without_rounding(predicted), true, None, between), "rmse": rmse(predicted, true, between)}
    if mean_partners(predicted, true, between) < 20:
        del found["map@10"]
    return {**found, **of_the_mean(predicted, true, between)}


def assert_told(listed, told):
    """The scores of a report are those of evaluate; neither has map@10 of few partners."""
    for score in listed:
        assert told[score["name"]] == score["value"], score
    assert ("map@10" in [score["name"] for score in listed]) == (told.get("map@10") is not None)


# ---------------------------------------------------------------- what scores are worth

def of_the_mean(predicted, true, between=False):
    """The RMSE of guessing the mean of the true distances that count, and R^2 against that, as scikit-learn has it."""
    keep = counted(predicted, true, between)
    variance = r2_score(true[keep], predicted[keep]) if len(set(true[keep])) > 1 else None
    return {"rmse-of-the-mean": float(np.std(true[keep])), "variance-explained": variance}


def left_out(predicted, true, between=False):
    """Pairs that do not count: of which the truth is not known, and of which only the prediction is missing."""
    cells = np.ones(true.shape, dtype=bool) if between else np.triu(np.ones(true.shape, dtype=bool), 1)
    return {"scored": int(counted(predicted, true, between).sum()), "not_known": int((cells & np.isnan(true)).sum()),
            "not_predicted": int((cells & ~np.isnan(true) & np.isnan(predicted)).sum())}


def precision_of_a_random_order(n, n_relevant):
    """Expected average precision: at rank r an item is relevant with chance R / n, and each before it with (R - 1) / (n - 1)."""
    total = Fraction(0)
    for r in range(1, n + 1):
        before = Fraction((r - 1) * (n_relevant - 1), n - 1) if n > 1 else 0
        total += Fraction(n_relevant, n) * (1 + before) / r
    return float(total / n_relevant)


def map_by_chance(predicted, true, between=False):
    sizes = [len(t) for _, t in partners(predicted, true, between) if len(t) > 0]
    return float(np.mean([precision_of_a_random_order(n, min(10, n)) for n in sizes]))


def mean_partners(predicted, true, between=False):
    sizes = [len(t) for _, t in partners(predicted, true, between) if len(t) > 0]
    return float(np.mean(sizes)) if sizes else 0.0


def nearest(predicted, true, k, between=False):
    """recall@k and ndcg@k, and both by chance; None where no item has more than k partners."""
    recall, ndcg, by_chance = [], [], []
    for p, t in partners(predicted, true, between):
        n = len(t)
        if n <= k:
            continue
        true_order = sorted(range(n), key=lambda j: (t[j], j))
        order = sorted(range(n), key=lambda j: (p[j], j))
        worth = np.zeros(n)
        worth[true_order[:k]] = np.arange(k, 0, -1)
        score = np.empty(n)
        score[order] = -np.arange(n)
        recall.append(len(set(order[:k]) & set(true_order[:k])) / k)
        ndcg.append(ndcg_score([worth], [score], k=k) if n > 1 else 1.0)
        discounts = 1 / np.log2(np.arange(k) + 2)
        by_chance.append((k / n, worth.mean() * discounts.sum() / (np.arange(k, 0, -1) * discounts).sum()))
    if not recall:
        return None
    chance = np.mean(by_chance, axis=0)
    return {"recall": float(np.mean(recall)), "ndcg": float(np.mean(ndcg)), "by_chance": (float(chance[0]), float(chance[1]))}


# ---------------------------------------------------------------- all pairs at once

def correlations(predicted, true, between=False):
    keep = counted(predicted, true, between)
    return {"mantel-pearson": float(stats.pearsonr(predicted[keep], true[keep])[0]),
            "mantel-spearman": float(stats.spearmanr(predicted[keep], true[keep])[0])}


def mantel_p(predicted, true, permutations):
    """How often the truth, its items permuted, correlates with the predictions at least as well: as (pearson, spearman)."""
    upper = np.triu_indices(len(true), 1)
    p, ranked = predicted[upper], stats.rankdata(predicted[upper])
    ranks = np.zeros(true.shape)
    ranks[upper] = stats.rankdata(true[upper])
    ranks += ranks.T
    is_as_high = []
    for order in permutations:
        moved = np.ix_(order, order)
        is_as_high.append((np.corrcoef(p, true[moved][upper])[0, 1], np.corrcoef(ranked, ranks[moved][upper])[0, 1]))
    found = np.array(is_as_high)
    here = np.array([np.corrcoef(p, true[upper])[0, 1], np.corrcoef(ranked, ranks[upper])[0, 1]])
    return (found >= here - 1e-10).mean(axis=0)


# ---------------------------------------------------------------- labels and responses themselves

def of_labels(fractions, classes, labels):
    """Of fractions [items][classes], NaN where there is no prediction; labels may be no class."""
    known = ~np.isnan(fractions[:, 0])
    fractions, labels = fractions[known], [label for label, k in zip(labels, known) if k]
    predicted = [classes[k] for k in fractions.argmax(axis=1)]
    counts = np.unique(labels, return_counts=True)[1] / len(labels)
    clipped = [max(row[classes.index(label)] if label in classes else 0, np.finfo(float).eps)
               for row, label in zip(fractions, labels)]
    found = {"accuracy": accuracy_score(labels, predicted), "log-loss": -float(np.mean(np.log(clipped)))}
    if set(labels) <= set(classes) and len(classes) > 1:
        assert abs(found["log-loss"] - log_loss(labels, fractions, labels=classes)) < 1e-12
    every = [*classes, *sorted(set(labels) - set(classes))]
    table = confusion_matrix(labels, predicted, labels=every)[:, :len(classes)]
    table = np.vstack([table[:len(classes)], table[len(classes):].sum(axis=0)])
    return found, {"accuracy": float(counts.max()), "log-loss": float(stats.entropy(counts))}, table.tolist()


def of_response(predicted, true):
    known = ~np.isnan(predicted[:, 0])
    return r2_score(true[known], predicted[known])
