"""It lets others work, stops when told, survives forks, pickles, copies and files, and shows how far it is."""

import copy
import io
import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from contextlib import redirect_stderr

import joblib
import numpy as np
import pytest

import smerf


@pytest.fixture(scope="module")
def data():
    return smerf.simulate("regression", 80)


@pytest.fixture(scope="module")
def forest(data):
    return smerf.DistanceForest(n_estimators=20, random_state=1).fit(*data)


# ---- threads and signals ----


def test_others_work_while_a_forest_grows():
    X, Z = smerf.simulate("regression", 500)
    n_turns, done = [0], threading.Event()

    def work():
        while not done.is_set():
            n_turns[0] += 1
            time.sleep(0.001)

    other = threading.Thread(target=work)
    other.start()
    try:
        smerf.DistanceForest(n_estimators=60, random_state=1).fit(X, Z)
    finally:
        done.set()
        other.join()
    assert n_turns[0] > 3


STOPPED = """
import os, signal, threading, sys
import smerf
X, Z = smerf.simulate("regression", 1500)
def stop():
    sys.stdin.readline()
    os.kill(os.getpid(), signal.SIGINT)
signal.signal(signal.SIGINT, signal.default_int_handler)  # what was started in the background ignores it
threading.Thread(target=stop, daemon=True).start()
forest = smerf.DistanceForest(n_estimators=1000000, random_state=1)
print("ready", flush=True)
try:
    forest.fit(X, Z)
except KeyboardInterrupt:
    print("stopped", hasattr(forest, "_model"))
"""


def test_ctrl_c_stops_a_fit():
    child = subprocess.Popen([sys.executable, "-c", STOPPED], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        assert child.stdout.readline() == "ready\n"
        time.sleep(0.5)
        told, _ = child.communicate("now\n", timeout=120)
    finally:
        child.kill()
    assert told == "stopped False\n"


def test_threads_share_a_forest(data, forest):
    expected, found = forest.distance(data[0]), [None] * 4

    def ask(k):
        found[k] = forest.distance(data[0])

    threads = [threading.Thread(target=ask, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for distances in found:
        np.testing.assert_array_equal(distances, expected)


def test_the_number_of_threads_changes_no_bit(data):
    X, Z = data
    models = [smerf.DistanceForest(n_estimators=10, random_state=1, n_jobs=n).fit(X, Z) for n in (None, 1, 3, -1)]
    for model in models[1:]:
        np.testing.assert_array_equal(model.distance(X), models[0].distance(X))
        assert model._model.to_bytes() == models[0]._model.to_bytes()


# ---- processes ----


def _grow(seed):
    X, Z = smerf.simulate("regression", 80)
    return smerf.DistanceForest(n_estimators=5, random_state=seed, n_jobs=2).fit(X, Z).distance(X[:3])


def _ask(forest, X):
    return forest.distance(X)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.filterwarnings("ignore:.*fork.*")
def test_children_may_be_forked_after_and_between_fits():
    here = [_grow(seed) for seed in range(3)]
    with multiprocessing.get_context("fork").Pool(2) as pool:
        there = pool.map(_grow, range(3))
    for a, b in zip(here, there):
        np.testing.assert_array_equal(a, b)


def test_joblib_sends_forests_to_processes(data, forest):
    X, _ = data
    found = joblib.Parallel(n_jobs=2)(joblib.delayed(_ask)(forest, X[k : k + 20]) for k in (0, 20))
    np.testing.assert_array_equal(found[0], forest.distance(X[:20]))
    np.testing.assert_array_equal(found[1], forest.distance(X[20:40]))


# ---- copies and files ----


def _everything(forest, X):
    return (forest.distance(X), forest.kneighbors(X[:3], 2, oob=False)[1], forest.oob_distance(), forest.transform(X[:2]))


def test_copies_are_alike(data, forest, tmp_path):
    X, _ = data
    joblib.dump(forest, tmp_path / "forest.joblib")
    copies = [pickle.loads(pickle.dumps(forest, protocol)) for protocol in (2, 5)]
    copies += [copy.copy(forest), copy.deepcopy(forest), joblib.load(tmp_path / "forest.joblib")]
    for other in copies:
        assert other.get_params() == forest.get_params()
        for found, expected in zip(_everything(other, X), _everything(forest, X)):
            np.testing.assert_array_equal(found, expected)


def test_a_copy_of_labels_and_categories_is_alike():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame({"a": np.arange(40.0), "b": pd.Categorical(["u", "v"] * 20)})
    y = np.array(["yes", "no"] * 20)
    forest = smerf.DistanceForest(n_estimators=5, random_state=1).fit(frame, y, sample_weight=np.linspace(1, 2, 40))
    other = pickle.loads(pickle.dumps(forest))
    np.testing.assert_array_equal(other.predict(frame), forest.predict(frame))
    np.testing.assert_array_equal(other.oob_distance(), forest.oob_distance())


def test_files_hold_the_model_and_not_the_items(data, forest, tmp_path):
    X, Z = data
    forest.save(tmp_path / "m.smerf")
    loaded = smerf.load(str(tmp_path / "m.smerf"))
    np.testing.assert_array_equal(loaded.distance(X), forest.distance(X))
    np.testing.assert_array_equal(loaded.kneighbors(X[:3], 2, Y=X, oob=False)[1], forest.kneighbors(X[:3], 2, oob=False)[1])
    assert loaded.evaluate_oob(X) == forest.evaluate_oob()
    assert hasattr(forest, "transform") and not hasattr(loaded, "transform")
    for needs_items in (loaded.kneighbors, lambda: loaded.oob_distance()):
        with pytest.raises(ValueError, match="does not hold the items"):
            needs_items()
    with pytest.raises(ValueError, match="method 'smerf'"):
        smerf.Mahalanobis.load(tmp_path / "m.smerf")


@pytest.mark.parametrize("labels, come_back", [([10, 9, 2], np.int64), (["b", "a", "c"], np.str_)])
def test_labels_come_back_from_files(labels, come_back, tmp_path):
    X = np.random.default_rng(0).normal(size=(60, 3))
    y = np.array(labels)[(X[:, 0] > 0).astype(int) + (X[:, 1] > 1)]
    forest = smerf.DistanceForest(n_estimators=10, random_state=1).fit(X, y)
    forest.save(tmp_path / "m.smerf")
    loaded = smerf.load(tmp_path / "m.smerf")
    assert np.issubdtype(loaded.classes_.dtype, come_back)
    np.testing.assert_array_equal(loaded.predict(X), forest.predict(X))
    np.testing.assert_array_equal(loaded.predict_proba(X), forest.predict_proba(X))


def test_damaged_and_absent_files_are_refused(forest, tmp_path):
    forest.save(tmp_path / "m.smerf")
    whole = (tmp_path / "m.smerf").read_bytes()
    (tmp_path / "cut.smerf").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(ValueError, match="cut.smerf"):
        smerf.load(tmp_path / "cut.smerf")
    with pytest.raises(OSError, match="nowhere"):
        smerf.load(tmp_path / "nowhere")
    with pytest.raises(OSError):
        forest.save(tmp_path / "no" / "such" / "folder")


# ---- progress ----


def test_a_bar_shows_how_far_it_is():
    X, Z = smerf.simulate("regression", 300)
    told = io.StringIO()
    with redirect_stderr(told):
        smerf.DistanceForest(n_estimators=100, random_state=1, verbose=1).fit(X, Z)
    assert "learning" in told.getvalue() and "100%" in told.getvalue()


def test_a_bar_without_tqdm(monkeypatch):
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    X, Z = smerf.simulate("regression", 50)
    told = io.StringIO()
    with redirect_stderr(told):
        smerf.DistanceForest(n_estimators=5, random_state=1, verbose=1).fit(X, Z)
    assert "learning: 100%|####################|\n" in told.getvalue()


def test_silence_is_the_default(data):
    told = io.StringIO()
    with redirect_stderr(told):
        smerf.DistanceForest(n_estimators=5, random_state=1).fit(*data)
    assert told.getvalue() == ""


# ---- random numbers ----


def test_random_state_is_as_in_scikit_learn(data):
    X, Z = data

    def grown(state):
        return smerf.DistanceForest(n_estimators=3, random_state=state).fit(X, Z).distance(X)

    np.testing.assert_array_equal(grown(5), grown(np.int64(5)))
    np.testing.assert_array_equal(grown(np.random.RandomState(3)), grown(np.random.RandomState(3)))
    assert not np.array_equal(grown(None), grown(None))
    np.random.seed(4)
    first = grown(None)
    np.random.seed(4)
    np.testing.assert_array_equal(grown(None), first)


def test_versions_agree():
    import importlib.metadata

    assert smerf.__version__ == importlib.metadata.version("smerf")


def test_signals_of_others_pass(data):
    """A handler that raises nothing lets the fit go on."""
    heard = []
    before = signal.signal(signal.SIGUSR1, lambda *_: heard.append(1))
    try:
        os.kill(os.getpid(), signal.SIGUSR1)
        smerf.DistanceForest(n_estimators=5, random_state=1).fit(*data)
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert heard == [1]
