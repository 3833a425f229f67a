"""verbose shows how far a call has come, wherever one can take long, and nothing of those that do not."""

import numpy as np
import pytest
from scipy import sparse

import smerf
from smerf import _progress

N = 60
X, Z = smerf.simulate("regression", N)
FEW = {"n_estimators": 100, "random_state": 1}  # so many that every pair is out of bag
LABELS = (X[:, 0] > 0).astype(int)
NEW, TRUTH = smerf.simulate("regression", 30, part=1)
RING = sparse.csr_array((np.ones(N), (np.arange(N), np.roll(np.arange(N), 1))), shape=(N, N))
RING = RING + RING.T
PAIRS = np.random.default_rng(1).integers(N, size=(30, 2))

LEARNING = {
    "learning": lambda f: f.fit(X, Z),
    "trying settings": lambda f: f.tune(X, Z, grid={"min_parent": [2, 4]}),
    "estimating": lambda f: f.estimate(X, Z),
    "comparing methods": lambda f: smerf.compare(X, Z, methods=["mean"], n_repeats=1, verbose=1),
    "comparing other": lambda f: smerf.compare(X, Z, methods=[("other", lambda a, k, b: np.zeros((len(b), len(b))))], verbose=1),
}

ASKING = {
    "finding distances": [
        lambda f: f.distance(X),
        lambda f: f.fit(X, graph=RING).similarity(X),
        lambda f: smerf.plot.fit(f),
        lambda f: f.transform(X),
        lambda f: f.oob_distance(),
        lambda f: f.pair_distance(PAIRS, X),
        lambda f: f.pair_spread(PAIRS, X),
        lambda f: f.predict_pairs(PAIRS, X),
        lambda f: f.calibrate_threshold(PAIRS, np.where(np.arange(30) % 2, 1, -1), X=X),
    ],
    "finding neighbours": [
        lambda f: f.kneighbors(X),
        lambda f: f.kneighbors_graph(),
        lambda f: f.radius_neighbors_graph(radius=0.1),
        lambda f: f.to_networkx(),
        lambda f: f.index(X).query(NEW),
    ],
    "making an index": [lambda f: f.index(X)],
    "adding items": [lambda f: f.index(X).add(NEW)],
    "making trees ready": [lambda f: f.get_metric()],
    "taking votes": [lambda f: f.vote(LABELS)],
    "scoring": [
        lambda f: f.evaluate(NEW, Z=TRUTH),
        lambda f: f.score(NEW, TRUTH),
        lambda f: f.evaluate_oob(),
        lambda f: f.oob_score(),
    ],
    "permuting items": [lambda f: f.evaluate(NEW, Z=TRUTH, permutations=9)],
    "predicting": [lambda f: f.fit(X, LABELS).predict(X), lambda f: f.fit(X, LABELS).predict_proba(X)],
    "finding leaves": [lambda f: f.apply(X)],
    "clustering": [lambda f: f.cluster(n_clusters=3, oob=True)],
    "mapping": [lambda f: f.embed(oob=True)],
    "writing a report": [lambda f: f.report("page.html")],
    "writing vectors": [lambda f: f.fit(X, LABELS).vectors()],
    "shuffling features": [lambda f: f.permutation_importance(), lambda f: f.interactions([0, 1])],
    "explaining": [
        lambda f: f.explain_pairs([[0, 1]], X),
        lambda f: f.explain_pair(X[0], X[1]),
        lambda f: f.explain_items([0, 1]),
    ],
}


class Bars:
    """Stands in for bars: what they said."""

    def __init__(self):
        self.shown = {}

    def __call__(self, what):
        bar = type("Bar", (), {"show": lambda _, share: self.shown.setdefault(what, []).append(share), "close": lambda _: None})
        self.shown.setdefault(what, [])
        return bar()


@pytest.fixture
def bars(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    made = Bars()
    monkeypatch.setattr(_progress, "_new_bar", made)
    return made


@pytest.mark.parametrize("what", LEARNING)
def test_what_learns_shows_a_bar_at_once(what, bars):
    LEARNING[what](smerf.DistanceForest(**FEW, verbose=1))
    assert bars.shown[what][-1] == 1 and bars.shown[what] == sorted(bars.shown[what])


@pytest.mark.parametrize("what, ask", [(what, ask) for what, asks in ASKING.items() for ask in asks])
def test_every_question_shows_a_bar_once_it_takes_long(what, ask, bars, monkeypatch):
    forest = smerf.DistanceForest(**FEW, verbose=1).fit(X, Z)
    forest.threshold_ = 0.5
    monkeypatch.setattr(_progress, "PATIENCE", -1)
    bars.shown.clear()
    ask(forest)
    assert bars.shown[what][-1] == 1


@pytest.mark.parametrize("ask", [ask for asks in ASKING.values() for ask in asks])
def test_quick_questions_and_quiet_estimators_show_nothing(ask, bars, monkeypatch):
    forest = smerf.DistanceForest(**FEW).fit(X, Z)
    forest.threshold_ = 0.5
    monkeypatch.setattr(_progress, "PATIENCE", -1)
    ask(forest)
    assert bars.shown == {}
    monkeypatch.setattr(_progress, "PATIENCE", 60)
    talker = smerf.DistanceForest(**FEW, verbose=1).fit(X, Z)
    talker.threshold_ = 0.5
    bars.shown.clear()
    ask(talker)
    assert set(bars.shown) <= {"learning"}


def test_other_methods_are_watched_too(bars):
    smerf.EPM(n_factors=3, n_burn=5, n_draws=5, verbose=1).fit(X, graph=RING)
    smerf.Mahalanobis(verbose=1).fit(X, Z)
    assert bars.shown["learning"].count(1.0) == 2


def test_a_bar_of_a_long_answer_moves(monkeypatch, capsys):
    """The plain bar, as without tqdm."""
    monkeypatch.setattr(_progress, "PATIENCE", 0.05)
    monkeypatch.setattr(_progress, "_new_bar", _progress._PlainBar)
    rng = np.random.default_rng(0)
    items = rng.normal(size=(2500, 5))
    forest = smerf.DistanceForest(n_estimators=300, random_state=1).fit(items, rng.integers(2, size=2500)).set_params(verbose=1)
    forest.distance(items, out=np.empty((2500, 2500), np.float32))
    told = capsys.readouterr().err
    assert told.count("\rfinding distances:") >= 2 and told.endswith("100%|####################|\n")
