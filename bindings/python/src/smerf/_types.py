"""Words that parameters may be, for type checkers and editors."""

from __future__ import annotations

from os import PathLike
from typing import Literal, Union

Target = Literal["auto", "labels", "response", "absolute", "product"]
Splits = Literal["axis", "oblique"]
OobRule = Literal["both", "either"]
SelfDistance = Union[float, Literal["auto", "given", "exclude"]]
Complete = Union[int, Literal["auto", "off"]]
Metric = Literal["rmse", "spearman", "map@10", "auc-roc", "auc-pr"]
Oob = Union[bool, Literal["auto"], None]
GraphMode = Literal["connectivity", "distance"]
ClustersBy = Literal["medoids", "means"]
Strategy = Literal["accuracy", "f_beta", "max_tpr", "max_tnr"]
Simulation = Literal["regression", "bilinear", "radial"]
Path = Union[str, PathLike[str]]
