"""What is meant where the form leaves it open: labels or numbers, distances or a response, alike or not, weights above 1."""

import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_diabetes, load_iris
from sklearn.model_selection import cross_val_score
from sklearn.utils.multiclass import type_of_target

import smerf
from smerf._meanings import kind_of

FEW = dict(n_estimators=5, random_state=1)
pytestmark = pytest.mark.filterwarnings("ignore::smerf.InSampleWarning")  # scores are compared, not believed


@pytest.fixture
def numbers():
    rng = np.random.default_rng(3)
    return rng.normal(size=(60, 4)), rng.normal(size=(60, 25))


# ---- labels or numbers ----


@pytest.mark.parametrize("type_", [np.int64, np.float64, np.float32, np.uint8, object, str, bool])
def test_the_type_of_numbers_does_not_change_what_they_mean(type_):
    X, y = load_iris(return_X_y=True)
    given = y.astype(type_)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert smerf.DistanceForest(**FEW).fit(X, given).target_ == "labels"
        assert (kind_of(given) == "response") == type_of_target(given).startswith("continuous")
    assert smerf.DistanceForest(**FEW).fit(X, y + 0.5).target_ == "response"
    for kind in ("labels", "response"):
        if kind == "labels" or type_ not in (object, str, bool):
            assert smerf.DistanceForest(target=kind, **FEW).fit(X, given).target_ == kind


@pytest.mark.parametrize("n_items, n_values, is_doubtful", [(60, 20, False), (60, 21, True), (400, 40, False), (400, 41, True)])
def test_many_whole_numbers_are_doubtful_labels(n_items, n_values, is_doubtful):
    y = np.arange(n_items) % n_values
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        assert kind_of(y) == "labels"
    assert [f"{n_values} different whole numbers" in str(warning.message) for warning in told] == [True] * is_doubtful


def test_doubtful_targets_are_told_of_and_target_settles_them():
    X, y = load_diabetes(return_X_y=True)
    with pytest.warns(UserWarning, match="214 different whole numbers for 442 items.*DistanceForestRegressor"):
        smerf.DistanceForest(**FEW).fit(X, y.astype(int))
    with pytest.warns(UserWarning, match="floats that are all whole.*target='response'"):
        smerf.DistanceForest(**FEW).fit(X, y)
    for kind in ("labels", "response"):
        for given in (y, y.astype(int)):
            assert smerf.DistanceForest(target=kind, **FEW).fit(X, given).target_ == kind  # and nothing is said


def test_a_warning_names_the_line_of_the_caller():
    X, y = load_diabetes(return_X_y=True)
    with pytest.warns(UserWarning, match="all whole") as told:
        smerf.DistanceForest(**FEW).fit(X, y)
        smerf.compare(X[:40], y[:40], methods=["euclidean"], n_repeats=1, tune=False)
    assert {warning.filename for warning in told} == {__file__}


def test_a_method_that_learns_from_numbers_only_takes_y_for_numbers():
    X, y = load_diabetes(return_X_y=True)
    for given in (y, y.astype(int)):
        assert smerf.Plugin(**FEW).fit(X, given).target_ == "response"
    with pytest.raises(ValueError, match="needs a response"):
        smerf.Plugin(target="labels", **FEW).fit(X, y)


# ---- distances or a response ----


@pytest.mark.parametrize("target", ["auto", "response", "product"])
@pytest.mark.parametrize("n_test", [2, 10, 24, 25, 26, 40])
def test_a_response_of_many_columns_can_be_scored_on_few_items(numbers, target, n_test):
    X, Y = numbers
    forest = smerf.DistanceForest(target=target, **FEW).fit(X, Y)
    test, D = Y[:n_test], forest.distance(X[:n_test])
    truth = 1 - test @ test.T if target == "product" else ((test[:, None] - test) ** 2).sum(axis=2) / 2
    upper = np.triu_indices(n_test, 1)
    expected = -np.sqrt(((D - truth)[upper] ** 2).mean())
    assert forest.score(X[:n_test], test) == pytest.approx(expected, rel=1e-6)
    assert forest.evaluate(X[:n_test], test)["rmse"] == pytest.approx(-expected, rel=1e-6)


@pytest.mark.parametrize("target", ["auto", "response"])
def test_folds_may_be_smaller_than_a_response_is_wide(numbers, target):
    X, Y = numbers
    scores = cross_val_score(smerf.DistanceForest(target=target, **FEW), X, Y, cv=6, error_score="raise")
    assert np.isfinite(scores).all()


def test_a_forest_of_labels_is_scored_with_a_matrix(numbers):
    X, _ = numbers
    y = (X[:, 0] > 0).astype(int)
    Z = (y[:, None] != y).astype(float)
    forest = smerf.DistanceForest(**FEW).fit(X, y)
    assert forest.score(X, Z) == forest.score(X, Z=Z) == forest.score(X, smerf.Distances(Z)) == forest.score(X, y)


def test_a_wide_response_says_how_it_is_told_from_distances(numbers):
    X, Y = numbers
    for n in (20, 25):
        with pytest.raises(ValueError, match="taken for distances; target='response'"):
            smerf.DistanceForest(**FEW).fit(X[:n], Y[:n])
        assert smerf.DistanceForest(target="response", **FEW).fit(X[:n], Y[:n]).predict(X[:3]).shape == (3, 25)


# ---- pairs of 1 and -1 ----


def test_pairs_of_signs_mean_what_metric_learn_means():
    X, y = load_iris(return_X_y=True)
    index = np.random.default_rng(0).integers(150, size=(400, 2))
    index = index[index[:, 0] != index[:, 1]]
    alike = np.where(y[index[:, 0]] == y[index[:, 1]], 1, -1)
    forest = smerf.DistanceForest(n_estimators=30, random_state=1)
    with pytest.warns(UserWarning, match="1 is alike .distance 0., -1 is not"):
        of_signs = forest.fit(X, pairs=(index, alike)).distance(X)
    np.testing.assert_array_equal(of_signs, forest.fit(X, pairs=(index, (alike < 0).astype(float))).distance(X))
    same = y[:, None] == y
    assert of_signs[same].mean() + 0.3 < of_signs[~same].mean()
    with pytest.warns(UserWarning, match="metric-learn"):
        assert forest.evaluate(X, pairs=(index, alike)) == forest.evaluate(X, pairs=(index, (alike < 0).astype(float)))


@pytest.mark.parametrize("values", [[1, 1, 1], [0, 1, 1], [-1, 1, 0.5], [-1, 1, 2]])
def test_other_values_of_pairs_are_distances_as_they_stand(values):
    i, j = [0, 1, 2], [1, 2, 3]
    X = np.arange(8.0).reshape(4, 2)
    smerf.DistanceForest(complete="off", **FEW).fit(X, pairs=(i, j, values))  # a warning would be an error


# ---- weights above 1 ----


def _graph(n=30, scale=7.0):
    rng = np.random.default_rng(5)
    W = np.triu(rng.random((n, n)) * (rng.random((n, n)) < 0.3), 1)
    W[0, 1] = 1
    return rng.normal(size=(n, 3)), (W + W.T) * scale


def test_weights_above_1_are_divided_by_the_largest():
    X, W = _graph()
    forest = smerf.DistanceForest(**FEW)
    with pytest.warns(UserWarning, match="divided by 7, the largest"):
        D = forest.fit(X, graph=sparse.csr_array(W)).distance(X)
    assert D.min() >= 0
    np.testing.assert_array_equal(D, smerf.DistanceForest(**FEW).fit(X, graph=sparse.csr_array(W / 7)).distance(X))
    weak = np.where(W == 7, 0, W)  # the model's number counts for what it is asked about
    upper = np.triu_indices(30, 1)
    expected = np.sqrt(((D - (1 - weak / 7))[upper] ** 2).mean())
    assert forest.evaluate(X, graph=sparse.csr_array(weak), metrics="rmse")["rmse"] == pytest.approx(expected, rel=1e-6)


def test_weights_up_to_1_stay_as_they_are():
    X, W = _graph(scale=0.5)
    forest = smerf.DistanceForest(**FEW).fit(X, graph=sparse.csr_array(W))  # a warning would be an error
    assert forest._model.describe()["largest_similarity"] is None
    D, upper = forest.distance(X), np.triu_indices(30, 1)
    expected = np.sqrt(((D - (1 - 4 * W))[upper] ** 2).mean())  # weights above 1 in a question to it
    assert forest.evaluate(X, graph=sparse.csr_array(4 * W), metrics="rmse")["rmse"] == pytest.approx(expected, rel=1e-6)


def test_a_graph_with_weights_above_1_is_the_commands(command):
    X, W = _graph()
    np.save(command.folder / "x.npy", X)
    lines = [f"{i},{j},{float(W[i, j])!r}" for i in range(30) for j in range(i) if W[i, j] > 0]
    (command.folder / "edges.csv").write_text("\n".join(["source,target,weight", *lines]))
    command("fit", "x.npy", "--edges", "edges.csv", "--trees", 5, "--seed", 1, "-o", "m.smerf")
    with pytest.warns(UserWarning, match="divided by 7"):
        forest = smerf.DistanceForest(**FEW).fit(X, graph=sparse.csr_array(W))
    loaded = smerf.load(command.folder / "m.smerf")
    np.testing.assert_array_equal(loaded.distance(X), forest.distance(X))
    assert loaded._model.describe()["largest_similarity"] == forest._model.describe()["largest_similarity"] == 7


@pytest.mark.parametrize("largest", [0.5, 14])
def test_a_divisor_of_the_command_counts_in_python(command, largest):
    X, W = _graph(scale=0.5)
    np.save(command.folder / "x.npy", X)
    lines = [f"{i},{j},{float(W[i, j])!r}" for i in range(30) for j in range(i) if W[i, j] > 0]
    (command.folder / "edges.csv").write_text("\n".join(["source,target,weight", *lines]))
    command("fit", "x.npy", "--edges", "edges.csv", "--similarity-max", largest, "--trees", 5, "--seed", 1, "-o", "m.smerf")
    loaded = smerf.load(command.folder / "m.smerf")
    expected = np.sqrt(((loaded.distance(X) - (1 - W / largest))[np.triu_indices(30, 1)] ** 2).mean())
    found = loaded.evaluate(X, graph=sparse.csr_array(W), metrics="rmse")["rmse"]
    assert found == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("weight", [np.nan, np.inf, 1e300])
def test_weights_that_are_no_weights_are_refused(weight):
    X, W = _graph()
    W[2, 3] = W[3, 2] = weight
    with pytest.raises(ValueError, match="[Ww]eight|number|large|finite"):
        smerf.DistanceForest(**FEW).fit(X, graph=sparse.csr_array(W))


def test_similarities_of_pairs_are_counted_from_the_models_number():
    pd = pytest.importorskip("pandas")
    X = np.random.default_rng(2).normal(size=(30, 3))
    i, j = np.triu_indices(30, 1)
    similarity = np.round(5 * np.exp(-np.abs(X[i, 0] - X[j, 0])), 2)
    forest = smerf.DistanceForest(complete="off", **FEW).fit(X, pairs=pd.DataFrame({"i": i, "j": j, "similarity": similarity}))
    largest = similarity.max()
    some = similarity < 3
    question = pd.DataFrame({"i": i[some], "j": j[some], "similarity": similarity[some]})
    expected = np.sqrt(((forest.pair_distance(np.c_[i, j][some], X) - (largest - similarity[some])) ** 2).mean())
    assert forest.evaluate(X, pairs=question, metrics="rmse")["rmse"] == pytest.approx(expected, rel=1e-6)
