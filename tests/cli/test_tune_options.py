"""tune: a grid of one's own, a time, and what is left out."""

import json

import numpy as np
import pytest

from command import about_others, run, run_well
from workspace import npy_of

ITEMS = "tune items.npy --distances z.npy"


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tune")
    x = np.random.default_rng(3).normal(size=(60, 16))
    (folder / "items.npy").write_bytes(npy_of(x))
    (folder / "z.npy").write_bytes(npy_of(np.abs(x[:, None, 0] - x[None, :, 0])))
    wide = np.random.default_rng(4).normal(size=(150, 2000))
    (folder / "wide.npy").write_bytes(npy_of(wide))
    (folder / "wide-z.npy").write_bytes(npy_of(np.abs(wide[:, None, 0] - wide[None, :, 0])))
    return folder


def tried_by(words, folder):
    return json.loads(run_well(f"{words} -o new --json", folder).stdout)["tried"]


def settings(trials, *keys):
    return [tuple(trial[key] for key in keys) for trial in trials]


def test_a_grid_says_what_is_tried(place):
    trials = tried_by(f"{ITEMS} --trees 20 --grid 'candidates=p^0.5,p;min-parent=8,2;splits=axis;self-distance=exclude'", place)
    assert settings(trials, "splits", "candidates", "min_parent", "self_distance") == [
        ("axis", 4, 2, "exclude"), ("axis", 4, 8, "exclude"), ("axis", 16, 2, "exclude"), ("axis", 16, 8, "exclude"),
    ]  # fmt: skip


def test_what_a_grid_leaves_out_is_tried_as_usual(place):
    usual = settings(tried_by(f"{ITEMS} --trees 20", place), "splits", "candidates", "min_parent")
    trials = settings(tried_by(f"{ITEMS} --trees 20 --grid min-parent=3", place), "splits", "candidates", "min_parent")
    assert trials == [(splits, candidates, 3) for splits, candidates, least in usual if least == 2]


def test_values_that_come_to_the_same_are_tried_once(place):
    grid = "candidates=4,p^0.5,4,all,p,99;min-parent=2,2;splits=axis;self-distance=given,exclude,given"
    trials = tried_by(f"{ITEMS} --trees 20 --grid '{grid}'", place)
    assert settings(trials, "candidates", "min_parent", "self_distance") == [
        (4, 2, "given"), (4, 2, "exclude"), (16, 2, "given"), (16, 2, "exclude"),
    ]  # fmt: skip


def test_self_distances_and_densities_can_be_tried(place):
    grid = "splits=oblique;candidates=5;min-parent=2;self-distance=given,exclude,0.5;density=0.1,0.5"
    trials = tried_by(f"{ITEMS} --trees 20 --grid '{grid}'", place)
    assert settings(trials, "self_distance") == [("given",), ("exclude",), (0.5,)] * 2
    assert trials[0]["rmse"] != trials[3]["rmse"]  # another density


@pytest.mark.parametrize("words", ["--candidates 4 --min-parent 2 --splits axis", "--grid 'candidates=4;min-parent=2;splits=axis'"])
def test_the_model_is_what_fit_makes_with_the_best(words, place):
    run_well(f"{ITEMS} --trees 20 {words} -o new", place)
    run_well("fit items.npy --distances z.npy --trees 20 --candidates 4 --min-parent 2 -o fitted", place)
    assert (place / "new").read_bytes() == (place / "fitted").read_bytes()


@pytest.mark.parametrize("grid, why", [
    ("candidate=3", "'candidate' is not known; it is candidates, min-parent, splits, self-distance or density"),
    ("candidates", "'candidates' is not known"),
    ("", "'' is not known"),
    ("candidates=", "'' is not a value of candidates, which takes numbers, all, auto, p, or powers"),
    ("candidates=0", "'0' is not a value of candidates"),
    ("candidates=p^-1", "'p^-1' is not a value of candidates"),
    ("candidates=3;candidates=4", "candidates is there twice"),
    ("min-parent=1", "'1' is not a value of min-parent, which takes whole numbers from 2"),
    ("min-parent=2x", "'2x' is not a value of min-parent"),
    ("splits=round", "'round' is not a value of splits, which takes axis, oblique"),
    ("splits=axis,axis,axis", "splits has more than 2 values"),
    ("density=0", "'0' is not a value of density"),
    ("self-distance=none", "'none' is not a value of self-distance, which takes given, exclude, or numbers"),
])  # fmt: skip
def test_a_grid_that_is_no_grid_is_refused(grid, why, place):
    done = run(f"{ITEMS} --grid '{grid}' -o nowhere", place)
    assert done.returncode == 2
    assert done.stderr.decode().startswith(f"smerf: tune: --grid: {why}") and done.stderr.count(b"\n") == 1
    assert not (place / "nowhere").exists()


def test_what_is_given_is_not_in_the_grid(place):
    done = run(f"{ITEMS} --candidates 4 --grid candidates=3 -o nowhere", place)
    assert (done.returncode, done.stderr.decode()) == (
        2, "smerf: tune: --candidates is given, and in --grid: one of them says what it is\n",
    )  # fmt: skip


# ---- time ----


def test_one_setting_is_tried_whatever_the_time(place):
    done = run_well(f"{ITEMS} --trees 400 --time 0.000001 --json -o new", place)
    result = json.loads(done.stdout)
    assert len(result["tried"]) == 1 and len(result["not_tried"]) > 10
    assert result["best"] == result["tried"][0]
    assert b"settings not tried (splits and candidates): axis" in done.stderr


def test_enough_time_changes_nothing(place):
    plain = run_well(f"{ITEMS} --trees 20 -o plain", place).stdout
    assert run_well(f"{ITEMS} --trees 20 --time 1000 -o new", place).stdout == plain
    assert (place / "new").read_bytes() == (place / "plain").read_bytes()


@pytest.mark.parametrize("time", ["0", "-1", "soon", "inf"])
def test_a_time_is_above_0(time, place):
    done = run(f"{ITEMS} --time={time} -o nowhere", place)
    assert done.returncode == 2 and f"--time '{time}' is not a number".encode() in done.stderr


# ---- what would take too long ----


def test_too_many_directions_are_left_out_and_said(place):
    words = "tune wide.npy --distances wide-z.npy --time 0.000001"
    done = run_well(f"{words} --json -o new", place)
    left_out = json.loads(done.stdout)["not_tried"]
    assert ("oblique", 89443) in settings(left_out, "splits", "candidates")
    assert (
        b"smerf: left out, as they would take too long (splits and candidates): oblique 89443; --grid tries what you name\n"
    ) in done.stderr


def test_few_trees_are_not_too_long(place):
    done = run_well("tune wide.npy --distances wide-z.npy --time 0.000001 --trees 5 -o new", place)
    assert b"too long" not in done.stderr
