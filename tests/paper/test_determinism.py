"""One seed, one model file: at any number of threads, in parts or in one go, with either kernel."""
import itertools

import numpy as np
import pytest

import cases
import helpers

DATA = {
    "numbers": cases.make_case("distinct values", 800, n=150, p=6),
    "missing values": cases.make_case("missing values", 801, n=120, p=5),
    "categories": cases.make_case("categories", 802, n=120, p=4),
    "mixed": cases.make_case("item weights, mixed", 803, n=120, p=6),
    "ties": cases.make_case("mixed, integer distances", 804, n=90, p=8),
    "large": cases.make_case("distinct values", 805, n=900, p=4),
}
WAYS = {
    "bootstrap": [],
    "subsample": ["--sample", "subsample:0.5", "--candidates", 2],
    "oblique": ["--splits", "oblique", "--density", 0.4, "--candidates", 5],
    "oblique subsample": ["--splits", "oblique", "--sample", "subsample:0.7"],
}
TREES = 50


@pytest.fixture(params=itertools.product(DATA, WAYS), ids=" ".join)
def grown(request, tmp_path):
    """(folder, case, options, bytes of the model grown in one go)"""
    data, way = request.param
    case, options = DATA[data], WAYS[way]
    return tmp_path, case, options, model_bytes(tmp_path, case, options)


def model_bytes(folder, case, options, *more, trees=TREES, name="model"):
    return helpers.fit(folder, case, "--trees", trees, *options, *more, name=name).read_bytes()


def assert_same_bytes(got, expected, folder, case, options, what):
    assert got == expected, (f"{what}: {len(got)} bytes, {len(expected)} expected, {case.name}, "
                             f"options {options}, files in {folder}")


def test_the_number_of_threads_does_not_matter(grown):
    folder, case, options, expected = grown
    for threads in (1, 2, 5):
        got = model_bytes(folder, case, options, "--threads", threads, name=f"threads{threads}")
        assert_same_bytes(got, expected, folder, case, options, f"{threads} threads")


def test_the_plain_kernel_grows_the_same_forest(grown):
    folder, case, options, expected = grown
    for kernels in ("plain", "auto"):
        got = model_bytes(folder, case, options, "--kernels", kernels, name=kernels)
        assert_same_bytes(got, expected, folder, case, options, f"{kernels} kernels")


def test_parts_merged_in_any_order_are_the_whole(grown):
    folder, case, options, expected = grown
    parts = [part(folder, case, options, a, b) for a, b in ((0, 25), (25, 50))]
    for order in (parts, parts[::-1]):
        got = merged(folder, order)
        assert_same_bytes(got, expected, folder, case, options, f"merge {[p.name for p in order]}")


def part(folder, case, options, first, end):
    return helpers.fit(folder, case, "--trees", f"{first}:{end}", *options, name=f"part{first}-{end}")


def merged(folder, parts):
    helpers.run("merge", *parts, "-o", folder / "merged.smerf")
    return (folder / "merged.smerf").read_bytes()


def test_many_uneven_parts_are_the_whole(tmp_path):
    case = DATA["mixed"]
    expected = model_bytes(tmp_path, case, [])
    edges = [0, 1, 2, 17, 30, 50]
    parts = [part(tmp_path, case, [], a, b) for a, b in zip(edges, edges[1:])]
    shuffled = [parts[k] for k in np.random.default_rng(0).permutation(len(parts))]
    assert_same_bytes(merged(tmp_path, shuffled), expected, tmp_path, case, [], "five parts")


def test_a_tree_does_not_depend_on_how_many_follow(tmp_path):
    case = DATA["mixed"]
    few = helpers.export(helpers.fit(tmp_path, case, "--trees", 3))["trees"]
    many = helpers.export(helpers.fit(tmp_path, case, "--trees", 10))["trees"]
    assert many[:3] == few


def test_an_old_model_grows_by_a_merge(tmp_path):
    case = DATA["ties"]
    old = helpers.fit(tmp_path, case, "--trees", 20, name="old")
    assert merged(tmp_path, [old, part(tmp_path, case, [], 20, 50)]) == model_bytes(tmp_path, case, [])


def test_the_same_line_again_writes_the_same_bytes(tmp_path):
    case = DATA["mixed"]
    assert model_bytes(tmp_path, case, []) == model_bytes(tmp_path, case, [])


def test_the_seed_is_one_unless_given_and_matters(tmp_path):
    case = DATA["numbers"]
    plain = model_bytes(tmp_path, case, [], name="plain")
    assert plain == model_bytes(tmp_path, case, [], "--seed", 1, name="one")
    forests = [helpers.export(helpers.fit(tmp_path, case, "--trees", 5, "--seed", s)) for s in (1, 2, 2**63 - 1)]
    assert all(a["trees"] != b["trees"] for a, b in itertools.combinations(forests, 2))


def test_the_form_of_the_input_leaves_no_trace(tmp_path):
    case = DATA["numbers"]
    expected = model_bytes(tmp_path, case, [])
    np.save(tmp_path / "z32.npy", case.distances.astype(np.float32))
    got = helpers.fit(tmp_path, case, "--trees", TREES, z="z32.npy", name="z32").read_bytes()
    assert_same_bytes(got, expected, tmp_path, case, [], "float32 matrix")


# ---------------------------------------------------------------- what does not belong together

@pytest.fixture
def first_part(tmp_path):
    return tmp_path, part(tmp_path, DATA["ties"], [], 0, 10)


def assert_not_merged(folder, *parts):
    helpers.refused("merge", *parts, "-o", folder / "merged.smerf")
    assert not (folder / "merged.smerf").exists()


def test_an_overlap_is_refused(first_part):
    folder, first = first_part
    assert_not_merged(folder, first, part(folder, DATA["ties"], [], 5, 15))
    assert_not_merged(folder, first, first)


def test_a_gap_is_refused(first_part):
    folder, first = first_part
    assert_not_merged(folder, first, part(folder, DATA["ties"], [], 20, 30))


@pytest.mark.parametrize("options", [["--seed", 2], ["--candidates", 2], ["--splits", "oblique"],
                                     ["--sample", "subsample:0.5"], ["--oob-rule", "either"]], ids=str)
def test_parts_with_different_options_are_refused(options, first_part):
    folder, first = first_part
    assert_not_merged(folder, first, part(folder, DATA["ties"], options, 10, 20))


def test_parts_with_different_data_are_refused(first_part, tmp_path_factory):
    folder, first = first_part
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    z = DATA["ties"].distances.copy()
    z[0, 1] = z[1, 0] = z[0, 1] + 1
    case = cases.Case("other distances", DATA["ties"].columns, z, None, DATA["ties"].min_parent,
                      DATA["ties"].max_depth)
    assert_not_merged(folder, first, part(elsewhere, case, [], 10, 20))


def test_an_existing_model_survives_a_refused_merge(first_part):
    folder, first = first_part
    kept = folder / "kept.smerf"
    kept.write_bytes(first.read_bytes())
    helpers.refused("merge", first, first, "-o", kept)
    assert kept.read_bytes() == first.read_bytes()
