"""Data to try things on: the colours of the demo, which come with the package, and readers for two kinds of published data.

Examples
--------
>>> from smerf import datasets
>>> colours = datasets.load_colours()
>>> colours.X.shape, colours.Z.shape
((139, 3), (139, 139))
"""

from __future__ import annotations

import csv
import os
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
from scipy.spatial.distance import squareform
from sklearn.utils import Bunch

from ._types import Path as PathLike

__all__ = ["load_colours", "load_morse", "load_network"]


def load_colours() -> Bunch:
    """The 139 colours of the web by their names, and how different they look to people.

    Returns
    -------
    colours : Bunch
        `X` (139, 3) red, green and blue, 0 to 255; `Z` (139, 139) CIEDE2000 colour differences; `names`; `feature_names`;
        `is_test` (139,), true for the 44 that the demo keeps away from learning.

    Examples
    --------
    >>> import smerf
    >>> colours = smerf.datasets.load_colours()
    >>> seen = ~colours.is_test
    >>> forest = smerf.DistanceForest(n_estimators=100, random_state=1)
    >>> forest = forest.fit(colours.X[seen], colours.Z[seen][:, seen])
    >>> new = colours.is_test
    >>> round(forest.evaluate(colours.X[new], Z=colours.Z[new][:, new])["spearman"], 1)
    0.9
    """
    folder = resources.files("smerf") / "data"
    rows = list(csv.DictReader((folder / "colours.csv").read_text(encoding="utf-8").splitlines()))
    with (folder / "colours.npy").open("rb") as file:
        Z = squareform(np.load(file))
    names = ["red", "green", "blue"]
    return Bunch(
        X=np.array([[float(row[name]) for name in names] for row in rows]),
        Z=Z,
        names=[row["name"] for row in rows],
        feature_names=names,
        is_test=np.array([row["part"] == "test" for row in rows]),
    )


# ---- data that do not come with the package ----


def _table(path: Path, what: str) -> Any:
    """A CSV file as a pandas frame."""
    try:
        import pandas
    except ImportError:
        raise ImportError(f"reading {what} needs pandas: pip install smerf[pandas]") from None
    if not path.exists():
        raise FileNotFoundError(
            f"there is no {path}: {what} do not come with smerf, and are read from a folder of yours (docs/python.md)"
        )
    return pandas.read_csv(path)


def _columns(frame: Any, path: Path, *names: str) -> None:
    missing = [name for name in names if name not in frame.columns]
    if missing:
        raise ValueError(f"{path} has no column '{missing[0]}'; it has {', '.join(map(str, frame.columns[:8]))}")


def load_morse(folder: PathLike) -> Bunch:
    """The 36 Morse signals and how often people took one for another (Rothkopf, 1957), from a folder of yours.

    Parameters
    ----------
    folder : str or path-like
        With ``items.csv`` (`id`, `letter`, `code`, and features of the signals) and ``pairs.csv`` (`a`, `b`: ids, and
        `dissimilarity`: 1 - the fraction of people who said that the two are the same).

    Returns
    -------
    morse : Bunch
        `X`, a frame of features whose index are the ids; `pairs`, a frame with `i`, `j` and `distance`; `letters` and `codes`,
        one a signal. ``fit(morse.X, pairs=morse.pairs)`` learns from them.

    Examples
    --------
    >>> import os, smerf, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> with open(os.path.join(folder, "items.csv"), "w") as file:
    ...     size = file.write("id,letter,code,n_beeps,n_long\\n1,A,.-,2,1\\n2,E,.,1,0\\n3,T,-,1,1\\n")
    >>> with open(os.path.join(folder, "pairs.csv"), "w") as file:
    ...     size = file.write("a,b,dissimilarity\\n1,2,0.9\\n1,3,0.8\\n2,3,0.6\\n")
    >>> morse = smerf.datasets.load_morse(folder)
    >>> morse.X.shape, morse.letters
    ((3, 2), ['A', 'E', 'T'])
    >>> smerf.DistanceForest(n_estimators=10, complete="off").fit(morse.X, pairs=morse.pairs).target_
    'pairs'
    """
    place = Path(os.fspath(folder))
    items = _table(place / "items.csv", "the Morse signals")
    _columns(items, place / "items.csv", "id", "letter", "code")
    pairs = _table(place / "pairs.csv", "the Morse signals")
    _columns(pairs, place / "pairs.csv", "a", "b", "dissimilarity")
    signals = items.set_index("id")
    heard = pairs.rename(columns={"a": "i", "b": "j", "dissimilarity": "distance"})
    return Bunch(
        X=signals.drop(columns=["letter", "code"]),
        pairs=heard[["i", "j", "distance"]],
        letters=signals["letter"].tolist(),
        codes=signals["code"].tolist(),
    )


def load_network(folder: PathLike) -> Bunch:
    """A network whose nodes have attributes (Lazega's lawyers, ego-Facebook, NIPS authors, Cora, ...), from a folder of yours.

    Parameters
    ----------
    folder : str or path-like
        With ``nodes.csv`` (`id`, and one column an attribute) and ``edges.csv`` (`source`, `target`, perhaps `weight`; ids of
        ``nodes.csv``, each link once). Or the path of another file of nodes beside an ``edges.csv``.

    Returns
    -------
    network : Bunch
        `X`, a frame of attributes whose index are the ids, and `graph`, the frame of edges.
        ``fit(network.X, graph=network.graph)`` learns from them.

    Examples
    --------
    >>> import os, smerf, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> with open(os.path.join(folder, "nodes.csv"), "w") as file:
    ...     size = file.write("id,age,office\\n1,40,Boston\\n2,35,Boston\\n3,50,Hartford\\n4,28,Hartford\\n")
    >>> with open(os.path.join(folder, "edges.csv"), "w") as file:
    ...     size = file.write("source,target\\n1,2\\n3,4\\n")
    >>> network = smerf.datasets.load_network(folder)
    >>> network.X.shape, len(network.graph)
    ((4, 2), 2)
    >>> smerf.DistanceForest(n_estimators=10).fit(network.X, graph=network.graph).target_
    'graph'
    """
    given = Path(os.fspath(folder))
    nodes_file = given if given.suffix == ".csv" else given / "nodes.csv"
    nodes = _table(nodes_file, "networks")
    _columns(nodes, nodes_file, "id")
    edges = _table(nodes_file.parent / "edges.csv", "networks")
    _columns(edges, nodes_file.parent / "edges.csv", "source", "target")
    return Bunch(X=nodes.set_index("id"), graph=edges)
