"""Models of earlier versions still load, and predict what they predicted."""
import csv
import json
import os
import re
import subprocess
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]
COMMAND = os.environ.get("SMERF", str(ROOT / "build" / "smerf"))
MODELS = sorted((ROOT / "tests" / "golden").glob("*/*.smerf"))


def run(*words):
    return subprocess.run([COMMAND, *map(str, words)], capture_output=True, text=True, check=True, timeout=60).stdout


def numbers(text):
    return np.array([[float(cell) for cell in row[1:]] for row in list(csv.reader(text.splitlines()))[1:]])


def fact_of(model, name):
    header = model.read_bytes()
    return json.loads(header[8 : 8 + int.from_bytes(header[:8], "little")])["__metadata__"][name]


def target_of(model):
    return fact_of(model, "target")


def names_in(path, pattern):
    return set(re.findall(pattern, (ROOT / path).read_text(encoding="utf-8")))


def test_there_is_a_golden_model_of_every_kind_of_target():
    kinds = names_in("src/target/target.c", r"&sm_target_(\w+)")
    assert len(kinds) > 5
    assert {target_of(model) for model in MODELS} == kinds


def test_there_is_a_golden_model_of_every_method():
    methods = names_in("src/method/methods.c", r"&sm_method_(\w+)")
    assert len(methods) > 5
    assert {fact_of(model, "method") for model in MODELS} == methods | {"smerf"}


@pytest.mark.parametrize("model", MODELS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_an_old_model_predicts_what_it_predicted(model):
    expected = (model.parent / f"{model.stem}-predicted.csv").read_text(encoding="utf-8")
    got = run("predict", model, model.parent / "items.csv")
    assert np.allclose(numbers(got), numbers(expected), rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("model", MODELS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_an_old_model_is_described_as_it_was(model):
    assert run("info", model) == (model.parent / f"{model.stem}-info.txt").read_text(encoding="utf-8")


VALUED = [model for model in MODELS if (model.parent / f"{model.stem}-values.csv").exists()]


@pytest.mark.parametrize("model", VALUED, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_an_old_model_predicts_the_values_that_it_predicted(model):
    expected = (model.parent / f"{model.stem}-values.csv").read_text(encoding="utf-8")
    assert run("predict", model, model.parent / "items.csv", "--values") == expected


def test_there_are_golden_values_of_labels_and_a_response():
    assert {target_of(model) for model in VALUED} == {"labels", "response"}
