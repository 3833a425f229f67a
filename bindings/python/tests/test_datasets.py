"""The colours are the demo's; other data are read from where they are, or a sentence says what is missing."""

import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from conftest import COMMAND

import smerf
from smerf import datasets


def test_the_colours_are_those_of_the_demo(tmp_path):
    """bindings/python/shipped_colours.py writes them anew."""
    demo = Path(COMMAND).with_name("demo-colours")
    if shutil.which(demo) is None:
        pytest.skip("the demo is not built")
    subprocess.run([demo, "make", tmp_path], check=True)
    colours = datasets.load_colours()
    for part, chosen in (("", np.ones(139, bool)), ("train-", ~colours.is_test), ("test-", colours.is_test)):
        Z = np.load(tmp_path / f"{part}distances.npy").astype(np.float32)
        np.testing.assert_array_equal(colours.Z[np.ix_(chosen, chosen)], Z)
        rows = [line.split(",") for line in (tmp_path / f"{part.strip('-') or 'colours'}.csv").read_text().splitlines()[1:]]
        assert [row[0] for row in rows] == [name for name, is_in in zip(colours.names, chosen) if is_in]
        np.testing.assert_array_equal(colours.X[chosen], np.array([row[1:4] for row in rows], dtype=float))


def test_colours_without_pandas(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    colours = datasets.load_colours()
    assert colours.Z.shape == (139, 139) and colours.is_test.sum() == 44


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "items.csv").write_text("id,letter,code,n_beeps,type\n7,A,.-,2,3\n3,E,.,1,1\n9,T,-,1,5\n")
    (tmp_path / "pairs.csv").write_text("a,b,dissimilarity,dissimilarity_ab\n3,7,0.9,0.8\n7,9,0.7,0.6\n")
    (tmp_path / "nodes.csv").write_text("id,age,office\nu,30,Boston\nv,40,Hartford\nw,50,Boston\n")
    (tmp_path / "other.csv").write_text("id,age\nu,30\nv,40\nw,50\n")
    (tmp_path / "edges.csv").write_text("source,target,weight\nu,w,0.5\nv,w,1\n")
    return tmp_path


def test_signals_and_what_was_heard(folder):
    morse = datasets.load_morse(folder)
    assert list(morse.X.columns) == ["n_beeps", "type"] and list(morse.X.index) == [7, 3, 9]
    assert morse.pairs.to_numpy().tolist() == [[3, 7, 0.9], [7, 9, 0.7]]
    assert (morse.letters, morse.codes) == (["A", "E", "T"], [".-", ".", "-"])
    model = smerf.Mean().fit(morse.X, pairs=morse.pairs)
    assert model.distance(morse.X)[0, 1] == pytest.approx(0.8)


def test_nodes_and_edges(folder):
    network = datasets.load_network(str(folder))
    assert list(network.X.columns) == ["age", "office"] and list(network.X.index) == ["u", "v", "w"]
    forest = smerf.DistanceForest(n_estimators=5, random_state=1).fit(network.X, graph=network.graph)
    assert forest.target_ == "graph" and forest.info()["items"] == 3
    assert list(datasets.load_network(folder / "other.csv").X.columns) == ["age"]


def test_what_is_not_there_is_said(folder, tmp_path):
    nowhere = tmp_path / "nowhere"
    with pytest.raises(FileNotFoundError, match="nowhere/items.csv: the Morse signals do not come with smerf"):
        datasets.load_morse(nowhere)
    with pytest.raises(FileNotFoundError, match="nowhere/nodes.csv: networks do not come with smerf"):
        datasets.load_network(nowhere)
    (folder / "edges.csv").write_text("from,to\nu,w\n")
    with pytest.raises(ValueError, match="edges.csv has no column 'source'; it has from, to"):
        datasets.load_network(folder)
    (folder / "pairs.csv").unlink()
    with pytest.raises(FileNotFoundError, match="pairs.csv"):
        datasets.load_morse(folder)


def test_without_pandas_a_sentence_says_so(folder, monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match=r"pip install smerf\[pandas\]"):
        datasets.load_network(folder)
