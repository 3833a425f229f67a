"""No object of ours exists without what it points to, and estimators go through skops as they go through pickle."""

import subprocess
import sys

import numpy as np
import pytest

import smerf
from smerf import _core


@pytest.mark.parametrize("kind", [_core.Model, _core.Target, _core.Items, _core.Options, _core.Words])
def test_nothing_is_made_without_its_pointer(kind):
    """In a process of its own, as it would end with a segmentation fault."""
    program = f"""
from smerf import _core
for make in (lambda kind: kind.__new__(kind), lambda kind: kind(), lambda kind: kind(None), lambda kind: kind(object())):
    try:
        made = make(_core.{kind.__name__})
    except (TypeError, AttributeError):
        continue
    for name in ("describe", "to_bytes", "metrics", "features", "value_names", "__reduce__"):
        getattr(made, name, lambda: 0)()
    raise SystemExit("it was made")
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_none_is_no_object_of_ours():
    program = """
from smerf import _core
for call in (lambda: _core.fit(None, None, {}, _core.Watch()), lambda: _core.importance(None), lambda: _core.usual_metric(None),
             lambda: _core.merge([None])):
    try:
        call()
    except (TypeError, AttributeError):
        continue
    raise SystemExit("it was taken")
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_bytes_that_are_no_model_are_refused():
    with pytest.raises(ValueError, match="model"):
        _core.Model(b"nothing")


def fitted():
    pd = pytest.importorskip("pandas")
    X, Z = smerf.simulate("regression", 50)
    ids = pd.Index([f"i{k}" for k in range(50)], name="id")
    frame = pd.DataFrame({"a": X[:, 0], "b": pd.Categorical(["u", "v"] * 25)}, index=ids)
    frame.loc["i3", "a"] = np.nan
    forest = smerf.DistanceForest(n_estimators=5, random_state=1)
    yield "distances", forest.fit(X, Z), X
    forest = smerf.DistanceForest(n_estimators=5, random_state=1)
    yield "labels", forest.fit(frame, np.array(["yes", "no"] * 25), sample_weight=np.linspace(1, 2, 50)), frame
    yield "response", smerf.Plugin(n_estimators=5, random_state=1).fit(X.astype(np.float32), X[:, :2]), X.astype(np.float32)
    yield "linear", smerf.Mahalanobis().fit(X, Z), X


def test_skops_brings_estimators_back():
    skops = pytest.importorskip("skops.io")
    for name, estimator, X in fitted():
        data = skops.dumps(estimator)
        ours = skops.get_untrusted_types(data=data)
        assert set(ours) == {"smerf._core.Items", "smerf._core.Model", f"{type(estimator).__module__}.{type(estimator).__name__}"}
        with pytest.raises(Exception, match="[Uu]ntrusted"):
            skops.loads(data)
        back = skops.loads(data, trusted=ours)
        np.testing.assert_array_equal(back.distance(X), estimator.distance(X), err_msg=name)
        np.testing.assert_array_equal(back.kneighbors(n_neighbors=2, oob=False)[1], estimator.kneighbors(n_neighbors=2, oob=False)[1])
        assert back._model.to_bytes() == estimator._model.to_bytes() and back.get_params() == estimator.get_params()
        if name == "labels":
            np.testing.assert_array_equal(back.predict(X), estimator.predict(X))
