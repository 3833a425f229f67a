"""The model file, read by the safetensors package; and what happens when it is damaged."""
import json
import os
import subprocess
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import safetensors
import safetensors.numpy

import cases
import helpers

KINDS = ["mixed", "item weights", "categories", "missing values"]


def opened(model):
    """(metadata, {name: array}) as anyone with the safetensors package reads them."""
    with safetensors.safe_open(str(model), framework="numpy") as file:
        return file.metadata() or {}, {name: file.get_tensor(name) for name in file.keys()}


def scalars(value):
    """All the words and numbers in a metadata value, which may itself be JSON."""
    if isinstance(value, str):
        try:
            inner = json.loads(value)
        except ValueError:
            return [value]
        return [value] if isinstance(inner, str) else scalars(inner)
    if isinstance(value, dict):
        return [s for v in value.values() for s in scalars(v)]
    if isinstance(value, list):
        return [s for v in value for s in scalars(v)]
    return [str(value)]


def about(metadata, word):
    """The scalars under every key that contains `word`."""
    found = []
    for key, value in metadata.items():
        try:
            value = json.loads(value)
        except ValueError:
            pass
        found += scalars(value) if word in key else []
        if isinstance(value, dict):
            found += about({k: json.dumps(v) for k, v in value.items()}, word)
    return found


@pytest.mark.parametrize("splits", ["axis", "oblique"])
@pytest.mark.parametrize("kind", KINDS)
def test_every_array_of_a_model_can_be_read(kind, splits, tmp_path):
    case = cases.make_case(kind, 900, n=20)
    model = helpers.fit(tmp_path, case, "--trees", 5, "--splits", splits)
    _, arrays = opened(model)
    assert arrays and all(isinstance(a, np.ndarray) for a in arrays.values())
    assert safetensors.numpy.load(model.read_bytes()).keys() == arrays.keys()


def test_the_header_names_method_target_and_first_tree(tmp_path):
    case = cases.make_case("mixed", 901, n=20)
    model = helpers.fit(tmp_path, case, "--trees", "37:39")
    metadata, _ = opened(model)
    assert "smerf" in about(metadata, "method"), metadata
    assert any("distances" in s for s in about(metadata, "target")), metadata
    assert "37" in about(metadata, "tree") + about(metadata, "first"), metadata


def test_the_features_themselves_are_not_in_the_model(tmp_path):
    case = cases.make_case("distinct values", 902, n=20, p=2)
    model = helpers.fit(tmp_path, case, "--trees", 1, "--sample", "none")
    content = model.read_bytes()
    values = np.concatenate([c.numbers() for c in case.columns])
    assert not [v for v in values if v.tobytes() in content]


def test_the_radial_forest_fits_in_5_megabytes_without_leaf_tables(tmp_path):
    helpers.run("simulate", "radial", "-n", 320, "-o", tmp_path / "data")
    model = tmp_path / "radial.smerf"
    helpers.run("fit", tmp_path / "data" / "items.csv", "--distances", tmp_path / "data" / "distances.npy",
                "-o", model, "--trees", 500)
    assert model.stat().st_size <= 5_000_000
    trees = helpers.export(model)["trees"]
    leaf_pairs = sum(sum("leaf" in node for node in t["nodes"]) ** 2 for t in trees)
    largest = max(a.size for a in opened(model)[1].values())
    assert len(trees) == 500 and largest < leaf_pairs / 4


# ---------------------------------------------------------------- damage

@pytest.fixture(scope="module")
def small_model(tmp_path_factory):
    """(folder, bytes, end of the header) of a model with numbers, a category and missing values."""
    folder = tmp_path_factory.mktemp("small")
    case = cases.make_case("mixed", 903, n=6, p=2)
    content = helpers.fit(folder, case, "--trees", 2).read_bytes()
    return folder, content, 8 + int.from_bytes(content[:8], "little")


def flipped(content, bit):
    damaged = bytearray(content)
    damaged[bit // 8] ^= 1 << (bit % 8)
    return bytes(damaged)


def status_of_info(path, content):
    path.write_bytes(content)
    done = subprocess.run([helpers.COMMAND, "info", str(path)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                          timeout=60)
    path.unlink()
    return done.returncode


def not_refused(folder, damages):
    """Those of the (name, content) that `smerf info` does not end with status 2, and their status."""
    def attempt(damage):
        name, content = damage
        return name, status_of_info(folder / f"damaged-{name}", content)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return [(name, status) for name, status in pool.map(attempt, damages) if status != 2]


def test_a_sound_model_is_accepted(small_model):
    folder, content, _ = small_model
    assert status_of_info(folder / "sound", content) == 0


def test_a_flipped_bit_of_any_byte_of_the_header_is_noticed(small_model):
    """One bit of each: tests/unit/test_model_file.c flips all of them, without a process for each."""
    folder, content, end = small_model
    bits = [8 * byte + byte % 8 for byte in range(end)]
    assert not_refused(folder, ((f"bit{b}", flipped(content, b)) for b in bits)) == []


def test_flipped_bits_of_the_arrays_are_noticed(small_model):
    folder, content, end = small_model
    rng = np.random.default_rng(0)
    bits = set(rng.integers(8 * end, 8 * len(content), size=600).tolist())
    bits |= set(range(8 * end, 8 * end + 64)) | set(range(8 * len(content) - 64, 8 * len(content)))
    assert not_refused(folder, ((f"bit{b}", flipped(content, b)) for b in sorted(bits))) == []


def test_a_model_cut_short_is_refused(small_model):
    folder, content, end = small_model
    rng = np.random.default_rng(1)
    lengths = {*range(end + 1), *rng.integers(end + 1, len(content), size=200).tolist(), len(content) - 1}
    assert not_refused(folder, ((f"cut{k}", content[:k]) for k in sorted(lengths))) == []


def test_a_model_with_something_behind_it_is_refused(small_model):
    folder, content, _ = small_model
    assert not_refused(folder, [("one", content + b"\0"), ("twice", content + content)]) == []


def test_a_damaged_model_is_refused_by_every_command(small_model):
    folder, content, end = small_model
    model = folder / "damaged.smerf"
    model.write_bytes(flipped(content, 8 * ((end + len(content)) // 2)))
    items = folder / "items.csv"
    helpers.refused("info", model)
    helpers.refused("export", model, "--format", "json")
    helpers.refused("importance", model)
    helpers.refused("predict", model, items, "-o", folder / "p.npy")
    helpers.refused("evaluate", model, items, "--distances", folder / "z.npy")
    helpers.refused("merge", model, "-o", folder / "m.smerf")
