"""A forest grown in parts is the forest grown in one go, byte for byte; what growing costs; trees for other programs."""

import gzip
import json

import numpy as np
import pytest
from data import KINDS, features, known

import smerf


def forest_of(own, n_estimators=12, random_state=3, **parameters):
    return smerf.DistanceForest(n_estimators=n_estimators, random_state=random_state, **own, **parameters)


def bytes_of(forest):
    return forest._model.to_bytes()


@pytest.fixture
def grown():
    """(X, what is known, a forest of 12 trees)"""
    X = features(40, 4, 3, missing=0.1)
    target, own, _ = known("distances", 40, 3)
    return X, target, forest_of(own).fit(X, **target)


# ---- more trees ----


@pytest.mark.parametrize("kind", KINDS)
def test_more_trees_make_the_forest_of_one_go(kind):
    X = features(40, 4, 3, missing=0.1)
    target, own, _ = known(kind, 40, 3)
    forest = forest_of(own, 5, warm_start=True).fit(X, **target)
    for n in (6, 12):
        forest.set_params(n_estimators=n).fit(X, **target)
    assert bytes_of(forest) == bytes_of(forest_of(own).fit(X, **target))
    assert forest.apply(X).shape == (40, 12)


def test_a_seed_that_was_drawn_is_kept():
    X, Z = smerf.simulate("radial", 40)
    forest = smerf.DistanceForest(n_estimators=4, warm_start=True).fit(X, Z)
    forest.set_params(n_estimators=9).fit(X, Z)
    seed = forest.info()["seed"]
    assert bytes_of(forest) == bytes_of(smerf.DistanceForest(n_estimators=9, random_state=seed).fit(X, Z))


def test_weights_and_thresholds_of_more_trees(rng):
    X, Z = smerf.simulate("radial", 40)
    weight = rng.uniform(1, 2, 40)
    forest = smerf.DistanceForest(n_estimators=4, random_state=2, warm_start=True).fit(X, Z, sample_weight=weight)
    forest.threshold_ = 1.0
    forest.set_params(n_estimators=8).fit(X, Z, sample_weight=weight)
    assert not hasattr(forest, "threshold_")  # it was that of the smaller forest
    assert bytes_of(forest) == bytes_of(smerf.DistanceForest(n_estimators=8, random_state=2).fit(X, Z, sample_weight=weight))
    with pytest.raises(ValueError, match="item weights"):
        forest.set_params(n_estimators=9).fit(X, Z)


def test_what_does_not_go_on_is_refused_and_changes_nothing(grown):
    X, target, forest = grown
    forest.set_params(warm_start=True)
    before = bytes_of(forest)
    with pytest.raises(ValueError, match="n_estimators=5 must be larger or equal to 12"):
        forest.set_params(n_estimators=5).fit(X, **target)
    with pytest.raises(ValueError, match="they differ in items"):
        forest.set_params(n_estimators=20).fit(X[::-1].copy(), **target)
    with pytest.raises(ValueError, match="they differ in target"):
        forest.fit(X, Z=target["Z"] * 2)
    with pytest.raises(ValueError, match="they differ in min-parent"):
        forest.set_params(min_parent=7).fit(X, **target)
    with pytest.raises(ValueError, match="they differ in seed"):
        forest.set_params(min_parent=2, random_state=4).fit(X, **target)
    with pytest.raises(ValueError, match="starts with tree 0"):
        forest.set_params(random_state=3, first_tree=2).fit(X, **target)
    assert bytes_of(forest) == before


def test_no_more_trees_are_warned_of(grown):
    X, target, forest = grown
    before, items = bytes_of(forest), forest._items
    with pytest.warns(UserWarning, match="grows no trees") as caught:
        assert forest.set_params(warm_start=True).fit(X[:, :2], **target) is forest
    assert caught[0].filename == __file__
    assert bytes_of(forest) == before and forest._items is items and forest.n_features_in_ == 4


def test_a_forest_from_a_file_goes_on(grown, tmp_path):
    X, target, forest = grown
    smerf.DistanceForest(n_estimators=5, random_state=3).fit(X, **target).save(tmp_path / "small.smerf")
    again = smerf.load(tmp_path / "small.smerf").set_params(warm_start=True, n_estimators=12)
    assert bytes_of(again.fit(X, **target)) == bytes_of(forest)
    assert again.kneighbors(n_neighbors=2, oob=False)[0].shape == (40, 2)  # it has the items now


def test_classifiers_and_regressors_go_on_too():
    X = features(60, 3, 1)
    y = (X[:, 0] > 0).astype(int)
    forest = smerf.DistanceForestClassifier(n_estimators=3, random_state=1, warm_start=True).fit(X, y)
    with pytest.warns(UserWarning, match="grows no trees") as caught:
        forest.fit(X, y)
    assert caught[0].filename == __file__
    more = forest.set_params(n_estimators=7).fit(X, y).predict_proba(X)
    whole = smerf.DistanceForestClassifier(n_estimators=7, random_state=1).fit(X, y)
    np.testing.assert_array_equal(more, whole.predict_proba(X))
    later = smerf.DistanceForestRegressor(n_estimators=4, first_tree=3, random_state=1).fit(X, y)
    early = smerf.DistanceForestRegressor(n_estimators=3, random_state=1).fit(X, y)
    merged = smerf.merge([later, early])
    assert isinstance(merged, smerf.DistanceForestRegressor) and merged.n_estimators == 7
    one_go = smerf.DistanceForestRegressor(n_estimators=7, random_state=1).fit(X, y)
    np.testing.assert_array_equal(merged.predict(X), one_go.predict(X))


# ---- parts ----


@pytest.mark.parametrize("kind", KINDS)
def test_parts_in_any_order_make_the_whole(kind, tmp_path, rng):
    X = features(40, 4, 3, missing=0.1)
    target, own, _ = known(kind, 40, 3)
    parts = [forest_of(own, n, first_tree=first).fit(X, **target) for first, n in ((0, 3), (3, 4), (7, 5))]
    rng.shuffle(parts)
    whole, one_go = smerf.merge(parts), forest_of(own).fit(X, **target)
    assert bytes_of(whole) == bytes_of(one_go)
    assert (whole.n_estimators, whole.first_tree) == (12, 0)
    np.testing.assert_array_equal(whole.oob_distance(), one_go.oob_distance())
    for k, part in enumerate(parts):
        part.save(tmp_path / f"{k}.smerf")
    assert bytes_of(smerf.merge([tmp_path / f"{k}.smerf" for k in range(3)])) == bytes_of(one_go)
    mixed = smerf.merge([tmp_path / "0.smerf", *parts[1:]])
    assert bytes_of(mixed) == bytes_of(one_go) and mixed.kneighbors(n_neighbors=1, oob=False)[0].shape == (40, 1)


def test_the_matrix_of_the_first_part_lives_as_long_as_the_whole():
    X, Z = smerf.simulate("radial", 300)
    parts = [smerf.DistanceForest(n_estimators=2, first_tree=first, random_state=1).fit(X, Z) for first in (2, 0)]
    whole = smerf.merge(parts)
    want = smerf.DistanceForest(n_estimators=4, random_state=1).fit(X, Z).distance(X)
    del parts
    filler = [np.full((300, 300), 7, dtype=np.float32) for _ in range(20)]  # where it was, if it were gone
    np.testing.assert_array_equal(whole.distance(X), want)
    assert len(filler) == 20


def test_the_command_merges_what_python_grew(command, grown):
    X, target, forest = grown
    for first, n in ((0, 5), (5, 7)):
        part = forest_of({}, n, first_tree=first).fit(X, **target)
        part.save(command.folder / f"{first}.smerf")
    command("merge", "0.smerf", "5.smerf", "-o", "whole.smerf", "--quiet")
    assert (command.folder / "whole.smerf").read_bytes() == bytes_of(forest)
    assert smerf.load(command.folder / "5.smerf").first_tree == 5


def test_what_are_no_parts_is_refused(grown):
    X, target, forest = grown
    later = forest_of({}, 3, first_tree=20).fit(X, **target)
    with pytest.raises(ValueError, match="leave a gap"):
        smerf.merge([forest, later])
    with pytest.raises(ValueError, match="overlap"):
        smerf.merge([forest, forest])
    with pytest.raises(ValueError, match="nothing to merge"):
        smerf.merge([])
    with pytest.raises(ValueError, match="differ in seed"):
        smerf.merge([forest, forest_of({}, 3, random_state=4, first_tree=12).fit(X, **target)])
    with pytest.raises(TypeError, match="only forests can be merged, and this is a Euclidean"):
        smerf.merge([forest, smerf.Euclidean().fit(X, **target)])
    with pytest.raises(TypeError, match="a list of forests"):
        smerf.merge(forest)
    with pytest.raises(TypeError, match="a list of forests"):
        smerf.merge("model.smerf")
    with pytest.raises(ValueError, match="not fitted"):
        smerf.merge([forest, smerf.DistanceForest()])
    with pytest.raises(ValueError, match="warm_start='yes' is not True or False"):
        forest_of({}, warm_start="yes").fit(X, **target)
    with pytest.raises(ValueError, match="first_tree=-1 is not a whole number from 0 on"):
        forest_of({}, first_tree=-1).fit(X, **target)


# ---- before and after ----


def test_an_estimate_counts_memory_as_the_command_does(command):
    X, Z = smerf.simulate("regression", 300)
    np.save(command.folder / "x.npy", X)
    np.save(command.folder / "z.npy", Z.astype(np.float32))
    said = json.loads(command("fit", "x.npy", "--distances", "z.npy", "--threads", 1, "--estimate", "--json", "--quiet"))
    forest = smerf.DistanceForest(random_state=1)
    found = forest.estimate(X, Z)
    assert round(found.model_bytes) == said["model_bytes"]
    assert abs(found.bytes - said["bytes"]) <= 0.5  # the command rounds
    assert found.seconds > 0 and found.n_trees_tried > 0
    assert not hasattr(forest, "n_features_in_")  # nothing of it has changed
    assert found.model_bytes == pytest.approx(len(bytes_of(forest.fit(X, Z))), rel=0.1)


def test_an_estimate_refuses_what_a_fit_refuses():
    X, Z = smerf.simulate("regression", 30)
    with pytest.raises(ValueError, match="exactly one of y, Z, pairs, graph"):
        smerf.DistanceForest().estimate(X)
    with pytest.raises(ValueError, match="splits='diagonal'"):
        smerf.DistanceForest(splits="diagonal").estimate(X, Z)


@pytest.mark.parametrize("splits", ["axis", "oblique"])
def test_an_exported_forest_is_the_commands(command, splits):
    X = features(40, 3, 3, missing=0.1)
    codes = np.random.default_rng(1).integers(5, size=40)
    target, _, _ = known("distances", 40, 3)
    forest = smerf.DistanceForest(n_estimators=3, splits=splits, categories=[3], random_state=1)
    forest.fit(np.column_stack([X, codes]), **target)
    forest.save(command.folder / "model.smerf")
    said = command("export", "model.smerf", "--format", "json")
    forest.export(command.folder / "own.json")
    forest.export(command.folder / "own.json.gz")
    assert (command.folder / "own.json").read_text() == said
    assert gzip.decompress((command.folder / "own.json.gz").read_bytes()).decode() == said
    assert forest.export() == json.loads(said)


def test_exported_leaves_are_those_that_apply_tells():
    X, Z = smerf.simulate("radial", 30)
    forest = smerf.DistanceForest(n_estimators=2, sample="none", random_state=1).fit(X, Z)
    for tree, leaves in zip(forest.export()["trees"], forest.apply(X).T):
        members = {item: node["leaf"] for node in tree["nodes"] if "leaf" in node for item, _ in node["members"]}
        assert members == dict(enumerate(leaves.tolist()))


@pytest.mark.parametrize("estimator", [smerf.DistanceForest(n_estimators=3, max_depth=4), smerf.Mahalanobis(), smerf.Mean()])
def test_facts_are_the_commands(command, estimator):
    X, Z = smerf.simulate("regression", 30)
    estimator.set_params(random_state=1).fit(X, Z).save(command.folder / "model.smerf")
    assert estimator.info() == json.loads(command("info", "model.smerf", "--json"))
    assert smerf.load(command.folder / "model.smerf").info() == estimator.info()


def test_what_tuning_found_is_of_a_part_and_not_of_the_whole():
    X, Z = smerf.simulate("radial", 40)
    part = smerf.DistanceForest(n_estimators=4, random_state=1).tune(X, Z, grid={"min_parent": [2]})
    other = smerf.DistanceForest(n_estimators=3, first_tree=4, random_state=1).fit(X, Z)
    whole = smerf.merge([part, other])
    assert part.best_params_ == {"min_parent": 2}
    assert not {"best_params_", "best_score_", "best_index_", "cv_results_"} & set(vars(whole))
    assert bytes_of(whole) == bytes_of(smerf.DistanceForest(n_estimators=7, random_state=1).fit(X, Z))


def test_a_forest_that_was_tuned_goes_on_if_it_is_that_of_the_parameters():
    X, Z = smerf.simulate("radial", 40)
    forest = smerf.DistanceForest(n_estimators=4, random_state=1, warm_start=True).tune(X, Z, grid={"min_parent": [20]})
    with pytest.raises(ValueError, match="min"):
        forest.set_params(n_estimators=6).fit(X, Z)
    forest.set_params(**forest.best_params_).fit(X, Z)
    assert bytes_of(forest) == bytes_of(smerf.DistanceForest(n_estimators=6, min_parent=20, random_state=1).fit(X, Z))
    assert not hasattr(forest, "best_params_")
