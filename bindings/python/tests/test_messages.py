"""Sentences speak Python: the library's name arguments, and what makes no sense is told in words."""

import os
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.exceptions import NotFittedError

import smerf
from smerf._messages import ARGUMENTS, argument, sentence

CLONE = os.environ.get("SMERF_CLONE")

N = 30
X = np.random.default_rng(3).normal(size=(N, 4))
Z = np.abs(X[:, None] - X).sum(axis=2)
CHAIN = sparse.csr_array((np.ones(N - 1), (np.arange(N - 1), np.arange(1, N))), shape=(N, N))
CHAIN = CHAIN + CHAIN.T
FEW = {"n_estimators": 3, "random_state": 1}
SOME = (np.arange(N - 2), np.arange(2, N), np.arange(N - 2.0))


def forest(**parameters):
    return smerf.DistanceForest(**{**FEW, **parameters})


def test_a_mention_becomes_an_argument():
    assert argument("trees") == "n_estimators" and argument("rank") == "rank"
    assert argument("sample none") == "sample='none'"
    assert sentence(b"caf\xc3\xa9 trees, rank", [(6, 5), (13, 4)]) == "caf\u00e9 n_estimators, rank"
    assert sentence(b"no option", []) == "no option"


@pytest.mark.skipif(CLONE is None, reason="SMERF_CLONE names the clone, whose sources have the sentences")
def test_every_option_that_sentences_name_is_an_argument():
    import inspect

    arguments = set()
    for name in smerf.__all__:
        thing = getattr(smerf, name)
        functions = [member for _, member in inspect.getmembers(thing, callable)] if isinstance(thing, type) else [thing]
        for function in [thing, *functions]:
            try:
                arguments |= set(inspect.signature(function).parameters)
            except (TypeError, ValueError):
                pass
    marked = set(ARGUMENTS)
    for path in Path(CLONE, "src").rglob("*.c"):
        marked |= set(re.findall(r'"(?:[^"\\\n]|\\.)*?\{([a-z][a-z_]+)(?: [a-z]+)?\}', path.read_text()))
    assert len(marked) > 20
    lost = {option for option in marked if argument(option) not in arguments}
    assert lost <= {"method"}, lost  # in Python a class


# The command's tests have the same in its words: tests/cli/test_sentences.py.
PROVOKED = {
    "the model was fitted with sample='none': every tree": lambda: forest(sample="none").fit(X, Z).evaluate_oob(),
    "was fitted with sample='none': every": lambda: forest(sample="none").fit(X, Z).permutation_importance(),
    "epm learns from a graph (graph, perhaps with observed), not from distances": lambda: smerf.EPM().fit(X, Z),
    "leave sample_weight out": lambda: smerf.compare(X, graph=CHAIN, sample_weight=np.ones(N), methods=["epm"]),
    "clusters by means: vectors are there for labels, responses, products, and distances of a low rank;": lambda: forest(
        target="absolute"
    )
    .fit(X, X[:, 0])
    .cluster(n_clusters=3, by="means", oob=False),
    "intercept: triplets compare distances": lambda: smerf.Mahalanobis(intercept=True).fit(X, triplets=[[0, 1, 2]]),
    "plugin: sample='none' leaves no item out of a tree, and so no residuals; take sample='bootstrap'": lambda: smerf.Plugin(
        sample="none"
    ).fit(X, X[:, 0]),
    "rank: a low rank": lambda: forest(rank=2).fit(X, np.arange(N) % 2),
    "complete: a target of kind 'distances' has no missing pairs": lambda: forest(complete=2).fit(X, Z),
    "complete: a rank of 1000 is more than 64": lambda: forest(complete=1000).fit(X, pairs=SOME),
    "candidates: 1e+09 directions": lambda: forest(splits="oblique", candidates=999999999).fit(X, Z),
    "density: only oblique splits have one": lambda: forest(density=0.5).fit(X, Z),
    "density: 0.001 leaves no non-zeros": lambda: forest(splits="oblique", candidates=1, density=0.001).fit(X, Z),
    "self_distance: 1e+300 is not a number that float32 can hold": lambda: forest(self_distance=1e300).fit(X, Z),
    "n_pairs: 99999999999 is not in 1 ...": lambda: smerf.RandomForestDistance(n_pairs=99999999999).fit(X, Z),
    "n_estimators: numbers must stay below 2^32": lambda: forest(n_estimators=2**33).fit(X, Z),
    "max_clusters: 30 is not between 2 and 29": lambda: forest().fit(X, Z).cluster(max_clusters=30, oob=False),
    "folds: 31 cannot be made of 30 items": lambda: smerf.compare(X, Z, folds=31),
    "train_share: 0.01 of 30 items makes 0 of 30 items": lambda: smerf.compare(X, Z, train_share=0.01),
    "train_share: 0.1 of 2 groups makes 0": lambda: smerf.compare(X, Z, groups=np.arange(N) % 2, train_share=0.1),
    "methods: epm: learns from a graph (graph, perhaps with observed)": lambda: smerf.compare(X, Z, methods=["epm"]),
    "metric: auc-roc needs a graph or labels": lambda: smerf.compare(X, Z, metric="auc-roc"),
    "random_state: with one more for each repeat": lambda: smerf.compare(X, Z, random_state=2**63 - 1),
    "n_landmarks: the model knows items without ids": lambda: smerf.EPM(n_factors=3, n_burn=3, n_draws=3)
    .fit(X, graph=CHAIN)
    .embed(n_landmarks=3, oob=False),
    "grid: there are more than 512 settings": lambda: forest().tune(
        X, Z, grid={"min_parent": range(2, 400), "candidates": [2, 3]}
    ),
    "sample: without one, nothing is out of bag": lambda: forest(sample="none").tune(X, Z),
    "permutations: the pairs between two sets": lambda: forest().fit(X, Z).evaluate(X, Z=Z, Y=X, permutations=9),
    # Python's own
    "predict_pairs needs a threshold: call calibrate_threshold(pairs, y) first": lambda: forest()
    .fit(X, Z)
    .predict_pairs([[0, 1]], X),
    "n_neighbors=31, and the catalogue has 30 items": lambda: forest().fit(X, Z).kneighbors(X, n_neighbors=31),
    "n_neighbors=30, and the catalogue has 30 items, none of which is its own": lambda: forest()
    .fit(X, Z)
    .kneighbors(n_neighbors=30),
    "Expected n_neighbors <= 3: n_neighbors=4, and the catalogue has 3": lambda: forest().fit(X, Z).vote([0, 1, 0], X, 4, Y=X[:3], oob=False),
    "vote requires y to be passed": lambda: forest().fit(X, Z).vote(None),
    "calibrate_threshold requires y to be passed": lambda: forest().fit(X, Z).calibrate_threshold([[0, 1]], None, X=X),
    "requires y to be passed, but the target y is None; give exactly one of y, Z, pairs, graph": lambda: forest().fit(X),
    "the target y is None; give exactly one": lambda: forest().fit(X, Z).score(X),
    "DistanceForestClassifier requires y to be passed": lambda: smerf.DistanceForestClassifier(**FEW).fit(X, None),
    "Z has the shape (30, 29); 30 items need 30 x 30": lambda: forest().fit(X, Z=Z[:, :-1]),
    "X has 3 features, but DistanceForest is expecting 4": lambda: forest().fit(X, Z).distance(X[:, :3]),
}


@pytest.mark.parametrize("words", PROVOKED)
def test_sentences_name_arguments(words):
    with pytest.raises(ValueError) as raised:
        PROVOKED[words]()
    told = str(raised.value)
    assert words in told and "\n" not in told
    assert re.search(r"(?<!-)--[a-z]", told) is None


def test_a_threshold_that_is_lacking_is_like_a_fit_that_is():
    with pytest.raises(NotFittedError):
        forest().fit(X, Z).predict_pairs([[0, 1]], X)
    with pytest.raises(NotFittedError, match="not fitted"):
        forest().predict_pairs([[0, 1]], X)


def test_names_that_look_like_options_stay_what_they_are():
    frame = pd.DataFrame({"{rank}": ["a", "b"] * 15, "--edges": X[:, 0]})
    model = forest().fit(frame, Z)
    with pytest.raises(ValueError, match=r"\{rank\}|--edges"):
        model.distance(frame.rename(columns={"{rank}": "other"}))


def test_methods_that_are_left_out_say_so_in_pythons_words():
    found = smerf.compare(X, Z, n_repeats=1, tune=False, n_estimators=3)
    assert found.left_out["epm"] == "learns from a graph (graph, perhaps with observed), not from distances"
    assert "epm is left out: learns from a graph (graph" in repr(found)
