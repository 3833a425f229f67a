"""How well ratings by several judges can be predicted at best, against the formulas of docs/targets.md in NumPy."""
import itertools
import json

import numpy as np
import pytest

import helpers
from metrics import mean_ranks


def rate(seed, n_items, n_judges, fraction=1.0, noise=0.5, weights=False, scale=None, repeats=0.0):
    """[(i, j, judge, value, weight)] of judges who see one truth with errors of their own, and that truth."""
    rng = np.random.default_rng(seed)
    x = rng.uniform(size=(n_items, 2))
    truth = 4 * np.linalg.norm(x[:, None] - x[None], axis=2)
    rated = []
    for i, j in itertools.combinations(range(n_items), 2):
        for judge in range(n_judges):
            if rng.uniform() > fraction:
                continue
            for _ in range(1 + (rng.uniform() < repeats)):
                value = truth[i, j] + noise * rng.normal()
                value = np.round(value) if scale == "whole" else value
                rated.append((i, j, judge, float(value), float(rng.integers(1, 4)) if weights else 1.0))
    return [rated[k] for k in rng.permutation(len(rated))], x, truth


def folded(rated):
    """{pair: {judge: (mean, weight)}}."""
    by_pair = {}
    for i, j, judge, value, weight in rated:
        by_pair.setdefault((min(i, j), max(i, j)), {}).setdefault(judge, []).append((value, weight))
    return {
        pair: {
            judge: (np.average([v for v, _ in given], weights=[w for _, w in given]), np.mean([w for _, w in given]))
            for judge, given in judges.items()
        }
        for pair, judges in by_pair.items()
    }


def ceiling_rmse(by_pair):
    by_pair = {pair: judges for pair, judges in by_pair.items() if pair[0] != pair[1]}
    squares, freedom, spread = 0.0, 0, []
    for judges in by_pair.values():
        values, weights = np.array(list(judges.values())).T
        squares += ((values - values.mean()) ** 2).sum()
        freedom += len(values) - 1
        spread.append((weights**2).sum() / weights.sum() ** 2)
    return np.sqrt(squares / freedom * np.mean(spread)) if freedom else np.nan


def halves_agree(by_pair, n_items, first):
    """The mean over the items of the rank correlation of two halves of the judges."""
    half = np.full((2, n_items, n_items), np.nan)
    for (i, j), judges in by_pair.items():
        for h in range(2):
            mine = [judges[k] for k in judges if (k in first) == (h == 0)]
            if mine and i != j:
                half[h, i, j] = half[h, j, i] = np.average([v for v, _ in mine], weights=[w for _, w in mine])
    found = []
    for i in range(n_items):
        there = ~np.isnan(half[0, i]) & ~np.isnan(half[1, i])
        a, b = half[0, i, there], half[1, i, there]
        if there.sum() >= 3 and len(set(a)) > 1 and len(set(b)) > 1:
            found.append(np.corrcoef(mean_ranks(a), mean_ranks(b))[0, 1])
    return np.mean(found) if found else np.nan


def ceiling_spearman(by_pair, n_items, ways):
    r = max(0.0, np.nanmean([halves_agree(by_pair, n_items, set(first)) for first in ways]))
    return np.sqrt(2 * r / (1 + r))


def all_ways(n_judges):
    return list(itertools.combinations(range(n_judges), n_judges // 2))


def said(folder, rated, n_items, has_weights=False):
    """The ceilings that evaluate prints."""
    x = np.random.default_rng(1).uniform(size=(n_items, 2))
    (folder / "items.csv").write_text("a,b\n" + "".join(f"{a},{b}\n" for a, b in x))
    head = "i,j,distance,judge" + (",weight" if has_weights else "")
    lines = [f"{i},{j},{v!r},judge {k}" + (f",{w!r}" if has_weights else "") for i, j, k, v, w in rated]
    (folder / "pairs.csv").write_text("\n".join([head, *lines]) + "\n")
    files = [folder / "items.csv", "--pairs", folder / "pairs.csv", "--judge", "judge"]
    helpers.run("fit", *files, "--complete", "off", "--trees", 2, "-o", folder / "model")
    scores = json.loads(helpers.run("evaluate", folder / "model", *files, "--json"))
    return scores["ceiling-rmse"], scores["ceiling-spearman"]


CASES = {
    "everyone rates all": dict(n_items=8, n_judges=4),
    "an odd number of judges": dict(n_items=7, n_judges=5),
    "whole numbers": dict(n_items=8, n_judges=6, scale="whole"),
    "some are missing": dict(n_items=9, n_judges=7, fraction=0.4),
    "weights": dict(n_items=7, n_judges=4, weights=True, fraction=0.8),
    "some rate twice": dict(n_items=7, n_judges=3, weights=True, repeats=0.3),
    "two judges": dict(n_items=6, n_judges=2),
    "nothing but noise": dict(n_items=6, n_judges=4, noise=50),
    "eight judges": dict(n_items=5, n_judges=8, fraction=0.7),
}


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("name", CASES)
def test_ceilings_are_those_of_the_formulas(name, seed, tmp_path):
    case = CASES[name]
    rated, _, _ = rate(seed, **case)
    by_pair = folded(rated)
    # Judges are told apart by their name, so that it does not matter in which order they come.
    rmse, spearman = said(tmp_path, rated, case["n_items"], case.get("weights", False))
    assert rmse == pytest.approx(ceiling_rmse(by_pair), rel=1e-9)
    wanted = ceiling_spearman(by_pair, case["n_items"], all_ways(case["n_judges"]))
    assert spearman == pytest.approx(wanted, rel=1e-9, abs=1e-12)


def test_pairs_of_an_item_with_itself_do_not_count(tmp_path):
    rated, _, _ = rate(3, 6, 3)
    wanted = said(tmp_path, rated, 6)
    assert said(tmp_path, rated + [(2, 2, 0, 7.0, 1.0), (2, 2, 1, 1.0, 1.0)], 6) == pytest.approx(wanted, rel=1e-12)


def test_many_judges_are_halved_at_random_and_come_near_to_all_ways(tmp_path):
    rated, _, _ = rate(5, 10, 14, fraction=0.6, noise=1)
    by_pair = folded(rated)
    rng = np.random.default_rng(0)
    ways = [rng.permutation(14)[:7] for _ in range(400)]
    spearman = said(tmp_path, rated, 10)[1]
    assert spearman == pytest.approx(ceiling_spearman(by_pair, 10, ways), abs=0.01)
    assert said(tmp_path, rated, 10)[1] == spearman


@pytest.mark.parametrize("n_judges, noise", [(4, 0.5), (8, 1.0), (20, 1.0)])
def test_the_truth_itself_has_about_those_scores(n_judges, noise, tmp_path):
    """What a ceiling promises: a perfect prediction of what judges see is as far from their mean as it says. The ranks' is a
    little high, as ranks do not add up as the formula of Spearman and Brown has it: docs/targets.md says how much."""
    said_rmse, said_spearman, rmse, spearman = [], [], [], []
    for seed in range(8):
        rated, _, truth = rate(seed, 20, n_judges, noise=noise)
        means = np.full((20, 20), np.nan)
        for (i, j), judges in folded(rated).items():
            means[i, j] = means[j, i] = np.mean([v for v, _ in judges.values()])
        there = np.triu(np.ones((20, 20), dtype=bool), 1)
        rmse.append(np.sqrt(((means - truth)[there] ** 2).mean()))
        others = ~np.eye(20, dtype=bool)
        spearman.append(np.mean([np.corrcoef(mean_ranks(means[i, others[i]]), mean_ranks(truth[i, others[i]]))[0, 1]
                                 for i in range(20)]))
        one = said(tmp_path, rated, 20)
        said_rmse.append(one[0])
        said_spearman.append(one[1])
    assert np.mean(said_rmse) == pytest.approx(np.mean(rmse), rel=0.05)
    assert 0 < np.mean(said_spearman) - np.mean(spearman) < 0.025
