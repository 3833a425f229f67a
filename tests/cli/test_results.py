"""What importance, explain, neighbors and fit print."""

import csv
import io

import numpy as np
import pytest

from command import about_others, run, run_well
from workspace import npy_of


def rows_of(words, folder):
    return list(csv.DictReader(io.StringIO(run_well(words, folder).stdout.decode())))


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    folder = tmp_path_factory.mktemp("results")
    x = np.random.default_rng(5).normal(size=(120, 5))
    (folder / "items.npy").write_bytes(npy_of(x))
    z = np.abs(x[:, None, 0] * x[:, None, 1] - x[None, :, 0] * x[None, :, 1]) + np.abs(x[:, None, 2] - x[None, :, 2])
    (folder / "z.npy").write_bytes(npy_of(z))
    run_well("fit items.npy --distances z.npy --trees 50 -o model --quiet", folder)
    run_well("fit items.npy --response x0 --trees 50 -o response --quiet", folder)
    names = "id,a\n" + "".join(f"n{n},{n * n % 17}\n" for n in range(120))
    (folder / "named.csv").write_text(names)
    run_well("fit named.csv --distances z.npy --trees 50 -o named --quiet", folder)
    return folder


# ---- importance on a sample of the pairs ----

SHUFFLED = "importance model items.npy --permutation"
SAID = b"smerf: by the pairs among %d of 120 items, drawn at random; --sample-pairs takes more\n"


def test_as_many_pairs_as_there_are_change_nothing(place):
    exact = run_well(SHUFFLED, place)
    assert about_others(exact.stderr) == b""
    for limit in [7140, 7141, 10**12]:
        done = run_well(f"{SHUFFLED} --sample-pairs {limit}", place)
        assert (done.stdout, about_others(done.stderr)) == (exact.stdout, b"")


@pytest.mark.parametrize("limit, n_items", [(7139, 119), (1225, 50), (1224, 49), (1, 2)])
def test_fewer_pairs_are_those_of_some_items(limit, n_items, place):
    assert n_items * (n_items - 1) / 2 <= limit < n_items * (n_items + 1) / 2
    assert about_others(run_well(f"{SHUFFLED} --sample-pairs {limit}", place).stderr) == SAID % n_items


def test_the_sample_is_the_same_for_any_number_of_threads_and_with_a_target(place):
    first = run_well(f"{SHUFFLED} --sample-pairs 1225", place).stdout
    assert run_well(f"{SHUFFLED} --sample-pairs 1225 --threads 3", place).stdout == first
    assert run_well(f"{SHUFFLED} --sample-pairs 1225 --distances z.npy", place).stdout == first
    assert first != run_well(SHUFFLED, place).stdout


def test_a_sample_is_near_the_whole(place):
    exact = {row["feature"]: row for row in rows_of(SHUFFLED, place)}
    for row in rows_of(f"{SHUFFLED} --sample-pairs 3000", place):
        whole = exact[row["feature"]]
        slack = 5 * (float(row["se"]) + float(whole["se"])) + 0.02
        assert abs(float(row["importance"]) - float(whole["importance"])) < slack


def test_the_sample_of_items_with_ids_and_of_a_response(place):
    for items in ("named named.csv", "response items.npy"):
        done = run_well(f"importance {items} --permutation --sample-pairs 100", place)
        assert about_others(done.stderr) == SAID % 14


def test_a_sample_is_about_permutations(place):
    done = run("importance model --sample-pairs 5", place)
    assert (done.returncode, done.stderr) == (2, b"smerf: importance: --sample-pairs goes with --permutation\n")
    assert run(f"{SHUFFLED} --sample-pairs 0", place).returncode == 2


def test_interactions_come_by_their_size(place):
    sizes = [abs(float(row["interaction"])) for row in rows_of(f"{SHUFFLED} --interactions 5", place)]
    signs = [float(row["interaction"]) < 0 for row in rows_of(f"{SHUFFLED} --interactions 5", place)]
    assert sizes == sorted(sizes, reverse=True) and len(sizes) == 10
    assert True in signs and False in signs


# ---- explain ----


def test_an_explanation_ends_with_the_distance(place):
    rows = rows_of("explain model items.npy --pair 3 40", place)
    predicted = run_well("predict model items.npy", place).stdout.decode().splitlines()[3].split(",")[40]
    assert rows[0]["feature"] == "(baseline)" and rows[-1]["feature"] == "(distance)"
    assert float(rows[-1]["share"]) == pytest.approx(float(predicted), rel=1e-9)
    assert sum(float(row["share"]) for row in rows[:-1]) == pytest.approx(float(rows[-1]["share"]), rel=1e-9)


# ---- neighbors ----


def test_items_may_be_named_in_their_place_or_by_an_option(place):
    wanted = run_well("neighbors model --items items.npy -k 2", place).stdout
    assert run_well("neighbors model items.npy -k 2", place).stdout == wanted
    voted = run_well("neighbors model --items items.npy -k 2 --vote x3 --quiet", place).stdout
    assert run_well("neighbors model items.npy -k 2 --vote x3 --quiet", place).stdout == voted


@pytest.mark.parametrize("words", ["neighbors model -k 2", "neighbors model items.npy --items items.npy -k 2"])
def test_items_are_named_once(words, place):
    done = run(words, place)
    assert done.returncode == 2
    assert done.stderr.startswith(b"smerf: neighbors: among which items to look is said once: ")


# ---- fit ----


def test_counts_are_whole_numbers(place):
    said = run_well("fit items.npy --distances z.npy --method rfd --trees 20 --sample-pairs 20000 -o new", place).stderr
    assert b"e+" not in said and b"pairs 7140" in said
