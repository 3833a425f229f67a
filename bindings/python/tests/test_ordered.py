"""Ordered categories are numbers in their order, to the model and to whatever comes after."""

import pickle

import numpy as np
import pandas as pd
import pytest

import smerf

LEVELS = ["low", "middle", "high", "never seen"]
N = 40
CODES = np.random.default_rng(2).integers(3, size=N)
NOISE = np.random.default_rng(3).normal(size=N)
Z = np.abs(CODES[:, None] - CODES).astype(float)
FEW = {"n_estimators": 10, "random_state": 1}


def ordered(codes, levels=LEVELS, is_ordered=True):
    return pd.Categorical([None if code is None else LEVELS[code] for code in codes], categories=levels, ordered=is_ordered)


def frame(quality):
    return pd.DataFrame({"quality": quality, "noise": NOISE[: len(quality)]})


@pytest.fixture(scope="module")
def forest():
    return smerf.DistanceForest(**FEW).fit(frame(ordered(CODES)), Z)


def test_levels_count_from_0_in_their_order(forest):
    """The same forest as of the numbers, and not that of the categories."""
    numbers = smerf.DistanceForest(**FEW).fit(frame(CODES.astype(float)), Z)
    np.testing.assert_array_equal(forest.distance(frame(ordered(CODES))), numbers.distance(frame(CODES.astype(float))))
    names = dict(forest._model.features())
    assert names == {"quality": None, "noise": None}
    plain = smerf.DistanceForest(**FEW).fit(frame(ordered(CODES, is_ordered=False)), Z)
    assert dict(plain._model.features())["quality"] == ["high", "low", "middle"]


def test_new_data_are_read_by_their_levels_whatever_their_codes(forest):
    known = forest.distance(frame(ordered(CODES)))
    others = [
        ordered(CODES, ["high", "low", "never seen", "middle"]),
        ordered(CODES, is_ordered=False),
        ordered(CODES, ["middle", "low", "high"]),
        [LEVELS[code] for code in CODES],
        pd.Series([LEVELS[code] for code in CODES], dtype="string"),
    ]
    for other in others:
        np.testing.assert_array_equal(forest.distance(frame(other)), known)
    array = np.column_stack([np.array([LEVELS[code] for code in CODES], dtype=object), NOISE])
    with pytest.warns(UserWarning, match="feature names"):
        np.testing.assert_array_equal(forest.distance(array), known)


def test_a_level_that_was_not_listed_is_missing(forest):
    unseen = pd.Categorical(["excellent"] * 5, categories=["excellent"], ordered=True)
    missing = ordered([None] * 5)
    np.testing.assert_array_equal(forest.distance(frame(unseen)), forest.distance(frame(missing)))


def test_a_level_that_no_item_has_keeps_its_place():
    """0, 2: "middle" stands between them, and is nearer to both."""
    codes = np.where(CODES == 1, 0, CODES)
    forest = smerf.DistanceForest(**FEW).fit(frame(ordered(codes)), Z)
    assert forest._ordered == {"quality": LEVELS}
    apart = forest.distance(frame(ordered([0, 1, 2])))
    assert np.isfinite(apart).all()


def test_files_and_pickles_keep_the_order(forest, tmp_path):
    known = forest.distance(frame(ordered(CODES)))
    forest.save(tmp_path / "m.smerf")
    for other in (smerf.load(tmp_path / "m.smerf"), pickle.loads(pickle.dumps(forest))):
        np.testing.assert_array_equal(other.distance(frame(ordered(CODES, ["high", "middle", "low"]))), known)


def test_categories_may_be_asked_for():
    plain = smerf.DistanceForest(**FEW, categories=["quality"]).fit(frame(ordered(CODES)), Z)
    assert dict(plain._model.features())["quality"] == ["high", "low", "middle"] and plain._ordered == {}


def test_a_fit_without_them_forgets_the_order(forest, tmp_path):
    again = smerf.DistanceForest(**FEW).fit(frame(ordered(CODES)), Z).fit(frame(CODES.astype(float)), Z)
    assert again._ordered == {}
    again.save(tmp_path / "m.smerf")
    assert smerf.load(tmp_path / "m.smerf")._model.note() is None


def test_levels_that_are_numbers_are_met_as_numbers():
    levels = pd.Categorical(np.array([30, 10, 20])[CODES], categories=[30, 10, 20], ordered=True)
    forest = smerf.DistanceForest(**FEW).fit(frame(levels), Z)
    np.testing.assert_array_equal(forest.distance(frame(np.array([30.0, 10, 20])[CODES])), forest.distance(frame(levels)))


def test_arrow_says_which_dictionaries_are_ordered():
    pa = pytest.importorskip("pyarrow")
    made = {
        is_ordered: pa.table(
            {
                "quality": pa.DictionaryArray.from_arrays(pa.array(CODES, pa.int8()), pa.array(LEVELS), ordered=is_ordered),
                "noise": NOISE,
            }
        )
        for is_ordered in (True, False)
    }
    forest = smerf.DistanceForest(**FEW).fit(made[True], Z)
    numbers = smerf.DistanceForest(**FEW).fit(frame(CODES.astype(float)), Z)
    known = numbers.distance(frame(CODES.astype(float)))
    np.testing.assert_array_equal(forest.distance(made[True]), known)
    np.testing.assert_array_equal(forest.distance(made[False]), known)
    np.testing.assert_array_equal(forest.distance(frame(ordered(CODES))), known)
    assert smerf.DistanceForest(**FEW).fit(made[False], Z)._ordered == {}


def test_enums_of_polars_are_categories_and_read_by_an_ordered_model(forest):
    pl = pytest.importorskip("polars")
    table = pl.DataFrame({"quality": pl.Series([LEVELS[code] for code in CODES], dtype=pl.Enum(LEVELS)), "noise": NOISE})
    assert smerf.DistanceForest(**FEW).fit(table, Z)._ordered == {}
    np.testing.assert_array_equal(forest.distance(table), forest.distance(frame(ordered(CODES))))
    numbers = table.with_columns(pl.col("quality").to_physical())
    by_number = smerf.DistanceForest(**FEW).fit(numbers, Z)
    np.testing.assert_array_equal(by_number.distance(numbers), forest.distance(frame(ordered(CODES))))
