"""simulate: the paper's three data sets have the distributions and the distances of the paper."""
import csv

import numpy as np
import pytest
import scipy.stats

import helpers

N, M, P = 800, 300, 20
NAMES = ["regression", "bilinear", "radial"]
NOT_BY_CHANCE = 1e-4


def read_items(path):
    """The 20 features, in file order; a column called id is none."""
    with open(path, newline="") as file:
        header, *rows = list(csv.reader(file))
    keep = [k for k, name in enumerate(header) if name != "id"]
    return np.array([[float(row[k]) for k in keep] for row in rows])


@pytest.fixture(scope="module")
def simulated(tmp_path_factory):
    """{name: (items, distances, test items, test distances)}"""
    sets = {}
    for name in NAMES:
        folder = tmp_path_factory.mktemp(name) / "data"
        helpers.run("simulate", name, "-n", N, "--test", M, "-o", folder)
        sets[name] = (read_items(folder / "items.csv"), np.load(folder / "distances.npy"),
                      read_items(folder / "test-items.csv"), np.load(folder / "test-distances.npy"))
    return sets


def both_parts(data):
    x, z, test_x, test_z = data
    return [(x, z), (test_x, test_z)]


def assert_uniform(values, low, high):
    values = np.ravel(values)
    assert low <= values.min() and values.max() <= high
    assert scipy.stats.kstest(values, "uniform", (low, high - low)).pvalue > NOT_BY_CHANCE


@pytest.mark.parametrize("name", NAMES)
def test_the_files_have_the_promised_shapes(simulated, name):
    x, z, test_x, test_z = simulated[name]
    assert x.shape == (N, P) and test_x.shape == (M, P)
    assert z.shape == (N, N) and test_z.shape == (M, M)
    assert z.dtype == test_z.dtype == np.float64


@pytest.mark.parametrize("name", NAMES)
def test_distances_are_symmetric_and_between_zero_and_one(simulated, name):
    for _, z in both_parts(simulated[name]):
        assert (z == z.T).all() and z.min() >= 0 and z.max() <= 1


def test_without_test_items_there_are_no_test_files(tmp_path):
    helpers.run("simulate", "bilinear", "-n", 5, "-o", tmp_path / "data")
    assert sorted(f.name for f in (tmp_path / "data").iterdir()) == ["distances.npy", "items.csv"]


@pytest.mark.parametrize("name", NAMES)
def test_test_items_are_other_items(simulated, name):
    x, _, test_x, _ = simulated[name]
    assert len(np.unique(np.vstack([x, test_x])[:, 0])) == N + M


# ---------------------------------------------------------------- features

@pytest.mark.parametrize("name, low, high", [("regression", 0.1, 0.9), ("bilinear", 0.0, 1.0)])
def test_features_are_uniform_and_independent(simulated, name, low, high):
    for x, _ in both_parts(simulated[name]):
        assert_uniform(x, low, high)
        for column in x.T:
            assert_uniform(column, low, high)
        correlations = np.corrcoef(x.T)[np.triu_indices(P, 1)]
        assert np.abs(correlations).max() < 5 / np.sqrt(len(x))


def test_radial_items_fill_the_ball_evenly(simulated):
    for x, _ in both_parts(simulated["radial"]):
        radius = np.linalg.norm(x, axis=1)
        assert_uniform(radius ** P, 0, 1)
        for column in (x / radius[:, None]).T:
            squared = scipy.stats.kstest(column ** 2, "beta", (0.5, (P - 1) / 2))
            assert squared.pvalue > NOT_BY_CHANCE
            assert abs((column > 0).mean() - 0.5) < 2.5 / np.sqrt(len(x))


# ---------------------------------------------------------------- distances

def half_sum(x):
    return (x[:, 0] + x[:, 1]) / 2


def test_bilinear_distances_are_one_minus_a_product(simulated):
    for x, z in both_parts(simulated["bilinear"]):
        y = half_sum(x)
        assert np.allclose(z, 1 - np.outer(y, y), rtol=0, atol=1e-12)


def test_radial_distances_are_squared_differences_of_norms(simulated):
    for x, z in both_parts(simulated["radial"]):
        r = np.hypot(x[:, 0], x[:, 1])
        assert np.allclose(z, (r[:, None] - r[None, :]) ** 2, rtol=0, atol=1e-12)


def noise_up_to_a_shift(x, z):
    """z = (y - y')^2 gives y up to sign and shift: distances from an end of the line.
    The sign that leaves less noise is the right one."""
    along = np.sqrt(z[np.argmax(z[0])])
    assert np.allclose((along[:, None] - along[None, :]) ** 2, z, rtol=0, atol=1e-12)
    return min((sign * along - half_sum(x) for sign in (1, -1)), key=np.ptp)


def test_regression_distances_hide_a_response_with_noise_of_a_tenth(simulated):
    for x, z in both_parts(simulated["regression"]):
        noise = noise_up_to_a_shift(x, z)
        assert 0.19 < np.ptp(noise) <= 0.2 + 1e-9
        assert_uniform((noise - noise.min()) / np.ptp(noise), 0, 1)
        correlations = [np.corrcoef(noise, column)[0, 1] for column in x.T]
        assert np.abs(correlations).max() < 5 / np.sqrt(len(x))


# ---------------------------------------------------------------- seeds

def files_of(folder, *arguments):
    helpers.run("simulate", *arguments, "-o", folder)
    return {f.name: f.read_bytes() for f in folder.iterdir()}


@pytest.mark.parametrize("name", NAMES)
def test_one_seed_makes_the_same_bytes_and_another_does_not(name, tmp_path):
    line = [name, "-n", 30, "--test", 20]
    first = files_of(tmp_path / "a", *line)
    assert first == files_of(tmp_path / "b", *line, "--seed", 1)
    other = files_of(tmp_path / "c", *line, "--seed", 2)
    assert other.keys() == first.keys() and all(other[f] != first[f] for f in first)


def test_simulated_data_can_be_fitted_and_scored(tmp_path):
    helpers.run("simulate", "radial", "-n", 60, "--test", 30, "-o", tmp_path / "d")
    helpers.run("fit", tmp_path / "d" / "items.csv", "--distances", tmp_path / "d" / "distances.npy",
                "-o", tmp_path / "m", "--trees", 100)
    text = helpers.run("evaluate", tmp_path / "m", tmp_path / "d" / "test-items.csv",
                       "--distances", tmp_path / "d" / "test-distances.npy")
    assert helpers.read_scores(text)["spearman"] > 0.2
