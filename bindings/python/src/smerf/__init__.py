"""Learn how far apart things are, with decision forests.

Give `DistanceForest` some items, each described by features, and what is known of the distances between them. It learns
a forest that predicts the distance of any two items, also of items that it has never seen.

>>> import smerf
>>> X, Z = smerf.simulate("regression", 100)
>>> forest = smerf.DistanceForest(n_estimators=50, random_state=1).fit(X, Z)
>>> forest.distance(X[:2], X[2:5]).shape
(2, 3)
"""

from ._compare import compare, simulate
from ._core import version as _version
from ._distances import Distances
from ._forest import DistanceForest
from ._in_sample import InSampleWarning
from ._methods import (
    EPM,
    NARM,
    Bilinear,
    Euclidean,
    Gower,
    Mahalanobis,
    Mean,
    Plugin,
    RandomForestDistance,
    Standardized,
    load,
)
from ._of_y import DistanceForestClassifier, DistanceForestRegressor
from ._options import paper

__version__ = _version()
__all__ = [
    "Bilinear",
    "DistanceForest",
    "DistanceForestClassifier",
    "DistanceForestRegressor",
    "Distances",
    "EPM",
    "Euclidean",
    "Gower",
    "InSampleWarning",
    "Mahalanobis",
    "Mean",
    "NARM",
    "Plugin",
    "RandomForestDistance",
    "Standardized",
    "compare",
    "load",
    "paper",
    "simulate",
]
