"""Learn how far apart things are, with decision forests.

Give `DistanceForest` some items, each described by features, and what is known of the distances between them. It learns
a forest that predicts the distance of any two items, also of items that it has never seen.

>>> import smerf
>>> X, Z = smerf.simulate("regression", 100)
>>> forest = smerf.DistanceForest(n_estimators=50, random_state=1).fit(X, Z)
>>> forest.distance(X[:2], X[2:5]).shape
(2, 3)
"""

from . import datasets, plot
from ._compare import compare, simulate
from ._comparison import Comparison
from ._core import version as _version
from ._distances import Distances
from ._forest import DistanceForest
from ._growing import merge
from ._in_sample import InSampleWarning
from ._index import Index, load_index
from ._inline import Report
from ._linear import Bilinear, Mahalanobis
from ._methods import (
    EPM,
    NARM,
    Boost,
    Euclidean,
    Gower,
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
    "Boost",
    "Comparison",
    "DistanceForest",
    "DistanceForestClassifier",
    "DistanceForestRegressor",
    "Distances",
    "EPM",
    "Euclidean",
    "Gower",
    "InSampleWarning",
    "Index",
    "Mahalanobis",
    "Mean",
    "NARM",
    "Plugin",
    "RandomForestDistance",
    "Report",
    "Standardized",
    "compare",
    "datasets",
    "load",
    "load_index",
    "merge",
    "paper",
    "plot",
    "simulate",
]
